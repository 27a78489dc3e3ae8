// SPDX-License-Identifier: Apache-2.0
// Problems of the literature in coordinates that model files do not offer.
#ifndef TR_PROBLEMS_H
#define TR_PROBLEMS_H

#include "trammel/model.h"

// Andrews' squeezing mechanism in seven angles (beta, Theta, gamma, Phi, delta, Omega, epsilon), six
// constraints, M(q) not constant; 0 <= t <= 0.03. Data of the Test Set for IVP Solvers.
extern const tr_problem tr_problem_seven_angles;

// Slider crank with an elastic rod (Simeon) in (phi1, phi2, x3, q1 .. q4), driven at 150 rad/s, three
// constraints; 0 <= t <= 0.1. Data of the Test Set for IVP Solvers.
extern const tr_problem tr_problem_elastic_crank;

// Slider crank of [WHTC07] in (theta, phi, x, y), started as printed: off the constraints by 4e-5.
extern const tr_problem tr_problem_slider_crank;

// Highly oscillatory problems of [YP98]. k is for the linear one. The problem must outlive the system.
typedef struct tr_stiff_problem {
  tr_problem p;
  double eps, k;
  double rest; // energy at the equilibrium
} tr_stiff_problem;
typedef enum tr_stiff_kind { TR_STIFF_LINEAR, TR_STIFF_SPRING, TR_STIFF_BUSHING } tr_stiff_kind;
tr_stiff_problem tr_problem_stiff(tr_stiff_kind kind, double eps, double k);

#endif
