// SPDX-License-Identifier: Apache-2.0
// [WHTC07]: constraint violation of the parameter-free schemes and of Baumgarte's stabilisation.
//
// Table 2: their slider crank, T = 10, mean |Phi|_2 = (1/N) sum_{n=1}^{N-1}, from the start data as
// printed, which are off the constraints by 4e-5 on purpose. Three-link pendulum: the rate at which
// mean |Phi| falls when dt is halved.
#include <math.h>

#include "problems.h"
#include "verify.h"

static const char BAUMGARTE[] = "baumgarte:alpha=1,beta=1,scheme=heun";

static tr_status mean_phi(verify *v, const verify_run *run, double *mean) {
  verify_result r;
  TR_TRY(verify_do(v, run, &r));
  *mean = r.mean_phi;
  verify_drop(&r);
  return TR_OK;
}

static tr_status table2(verify *v) {
  static const struct {
    const char *name, *method, *coarse, *fine;
  } row[] = {{"Baumgarte, Heun, alpha = beta = 1/dt", BAUMGARTE, "1.0856e-4", "1.4877e-5"},
             {"second order", "pfpc2:passes=1", "3.1960e-5", "3.9802e-6"},
             {"first order", "pfpc1", "1.0038e-3", "2.5339e-4"}};
  verify_system s;
  TR_TRY(verify_load_problem(v, &tr_problem_slider_crank, &s));
  tr_status status = TR_OK;
  for (int i = 0; i < 6 && status == TR_OK; i++) {
    bool fine = i % 2;
    double dt = fine ? 0.01 : 0.02, mean;
    verify_run run = {s.system, row[i / 2].method, dt, 10, .as_given = true, .watch = true};
    status = mean_phi(v, &run, &mean);
    if (status == TR_OK)
      status = verify_entry(v, "", fine ? row[i / 2].fine : row[i / 2].coarse, mean, NULL,
                            "%s, dt = %g", row[i / 2].name, dt);
  }
  verify_unload(&s);
  return status;
}

static tr_status three_link(verify *v) {
  static const struct {
    const char *name, *method, *factor;
  } row[] = {{"second order", "pfpc2:passes=1", "8.00"},
             {"Baumgarte, alpha = beta = 0.5/dt", "baumgarte:alpha=0.5,beta=0.5", "4.00"}};
  verify_system s;
  TR_TRY(verify_load(v, "three_link_pendulum", 0, NULL, &s));
  tr_status status = TR_OK;
  for (int i = 0; i < 2 && status == TR_OK; i++) {
    double mean[2] = {0};
    for (int k = 0; k < 2 && status == TR_OK; k++) {
      verify_run run = {s.system, row[i].method, k ? ldexp(1, -13) : ldexp(1, -12), 2,
                        .watch = true};
      status = mean_phi(v, &run, &mean[k]);
    }
    if (status == TR_OK)
      status = verify_entry(v, "", row[i].factor, mean[0] / mean[1], NULL,
                            "mean |Phi| at dt = 2^-12 over 2^-13, %s", row[i].name);
  }
  verify_unload(&s);
  return status;
}

const verify_group verify_whtc07_table2 = {
    {"whtc07-table2", "mean |Phi| on their slider crank, T = 10, start data as printed", "WHTC07"},
    6,
    table2};

const verify_group verify_whtc07_three_link = {
    {"whtc07-three-link",
     "by how much mean |Phi| falls on the three-link pendulum when dt is halved, T = 2", "WHTC07"},
    4,
    three_link};
