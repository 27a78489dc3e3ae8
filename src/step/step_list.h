// SPDX-License-Identifier: Apache-2.0
// One line per method, in the order `trammel list methods` shows.
METHOD(tr_method_newmark)
METHOD(tr_method_hht_i3)
METHOD(tr_method_nstiff)
METHOD(tr_method_gen_alpha)
METHOD(tr_method_hht_si2)
METHOD(tr_method_nstiff_si2)
METHOD(tr_method_hht_add)
METHOD(tr_method_radau5)
METHOD(tr_method_pfpc1)
METHOD(tr_method_pfpc2)
METHOD(tr_method_baumgarte)
