// SPDX-License-Identifier: Apache-2.0
// One line per group, in the order `trammel verify` runs them.
GROUP(verify_gnp05_table1)
GROUP(verify_gnp05_table2)
GROUP(verify_njk09_slider_velocity)
GROUP(verify_njk09_orders)
GROUP(verify_njk09_flexible)
GROUP(verify_ivp_elastic_crank)
GROUP(verify_whtc07_table2)
GROUP(verify_whtc07_three_link)
GROUP(verify_yp98)
GROUP(verify_corrections)
