// SPDX-License-Identifier: Apache-2.0
// One line per method, in the order `trammel list methods` shows.
METHOD(tr_method_newmark)
METHOD(tr_method_hht_i3)
