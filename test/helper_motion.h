// SPDX-License-Identifier: Apache-2.0
// Motions with a known course: systems, where they are at four times, and how far a method is off.
//
// References that owe nothing to the integrators under test: reduced ordinary differential equations
// (motion_by_ode), integrated by the classical Runge-Kutta scheme here with steps so small that its error
// is below 1e-11; or, where no reduction is at hand, the engine's Baumgarte RK4 with fixed gains and tiny
// steps (motion_by_rk4). lam always from q and v by the equations at the state.
#ifndef TR_HELPER_MOTION_H
#define TR_HELPER_MOTION_H

#include "helper_mechanics.h"

enum { TIMES = 4, HALVINGS = 4 };

typedef struct motion {
  const char *name;
  mechanism m;
  double end, step;   // the coarsest step of a convergence study; end is a multiple of 4 steps
  double noise;       // of derivatives by differences: no error below it tells an order
  tr_state at[TIMES]; // at end/4, end/2, ...
  double scale_q, scale_v, scale_lam; // the largest numbers there
} motion;

// y' = f(t, y)
typedef void (*slope)(double t, const double *y, double *dy);
// The system's q and v from the reduced y.
typedef void (*lift)(double t, const double *y, double *q, double *v);
void integrate(slope f, int n, double t0, double t1, long steps, double *y);

void motion_by_ode(motion *x, slope f, lift up, int n, const double *y0, long steps);
void motion_by_rk4(motion *x, long steps);
void motion_free(motion *x);

// Largest differences over the four times, relative to the largest numbers of the reference.
typedef struct deviation {
  double q, v, lam, lam_again; // lam as delivered, and from the equations at the state
} deviation;
deviation deviate(const motion *x, const char *method, double h);
// The difference between a state and the reference at its k-th time; room: a state of the system.
void compare(const motion *x, int k, const tr_state *s, tr_state *room, deviation *d);

// The exponent p of err = c h^p through n errors at h, h/2, h/4 .., by least squares.
double fit(int n, const double *err);

#endif
