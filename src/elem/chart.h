// SPDX-License-Identifier: Apache-2.0
// A rigid body whose rotation has coordinates x with rates x': everything that follows from one
// matrix, P(x) in  w = P x'  (w in body axes), and its derivatives.
//
//   u = (r' + R (w x c), R w),  bias = (R (w x (w x c) + beta x c), R beta),  beta = P' x' (P' by time)
//   J' (f, n) = (f, P' tau),  tau = c x R'f + R'n
//   M = diag(m, P' J P),  Q = (m g, -P' kappa),  kappa = J beta + w x J w
// which is d/dt T_x' - T_x for T = w.J w/2, whatever the coordinates (Boltzmann, Hamel).
// A displacement dx turns the body by P dx in its own axes: dR = R [P dx].
#ifndef TR_CHART_H
#define TR_CHART_H

#include "spatial.h"

enum { TR_CHART_MAX = 4 };

typedef struct tr_chart {
  int n;                              // coordinates x = q[3..], rates v[3..]
  void (*place)(const tr_body_at *b); // writes R and P to the cache
  // (P y)_x (3 x n) and (P' tau)_x (n x n) at fixed y, tau
  void (*map_dx)(const tr_body_at *b, const double *y, double *out);
  void (*pull_dx)(const tr_body_at *b, const double *tau, double *out);
  // beta_x and beta_x' (3 x n); beta itself is (P x')_x x'
  void (*bias_d)(const tr_body_at *b, double *Bx, double *Bv);
} tr_chart;
extern const tr_chart tr_chart_ep, tr_chart_313;

// cache: R (9), P (3 n), and from CHART_OWN on what the chart wants.
enum { TR_CHART_P = 9, TR_CHART_OWN = 9 + 3 * TR_CHART_MAX, TR_CHART_CACHE = TR_CHART_OWN + 1 };

// e1 = e exp(w/2), normalised; returns |w|.
double tr_chart_turn(const double *e, const double w[3], double *e1);

// The functions of tr_body_type, complete but for what is the chart's own.
void tr_chart_kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                         tr_frame *f);
void tr_chart_add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out);
void tr_chart_add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w, double *K);
void tr_chart_twist_dq(const tr_body_at *b, const tr_site *s, double *U);
void tr_chart_mass(const tr_body_at *b, double *M);
void tr_chart_add_mass_dq(const tr_body_at *b, const double *a, double *K);
void tr_chart_add_force(const tr_body_at *b, const double g[3], double *Q);
void tr_chart_add_force_tangent(const tr_body_at *b, const double g[3], double *Qq, double *Qv);
void tr_chart_energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential);

#endif
