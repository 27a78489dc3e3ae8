// SPDX-License-Identifier: Apache-2.0
// References and deviations.
#include "helper_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"

void integrate(slope f, int n, double t0, double t1, long steps, double *y) {
  enum { MOST = 16 };
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double k[4][MOST], z[MOST], h = (t1 - t0) / (double)steps;
  assert_true(n <= MOST);
  for (long s = 0; s < steps; s++) {
    double t = t0 + (double)s * h;
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < n; j++) z[j] = y[j] + (i > 0 ? h * at[i] * k[i - 1][j] : 0);
      f(t + h * at[i], z, k[i]);
    }
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int i = 0; i < 4; i++) sum += weight[i] * k[i][j];
      y[j] += h / 6 * sum;
    }
  }
}

static void new_state(const tr_system *sys, tr_state *x) {
  assert_int_equal(tr_state_new(sys, x, NULL), TR_OK);
}

static void complete(const motion *x, tr_state *s) {
  tr_error error = {0};
  if (tr_accelerations(x->m.sys, s, &error) != TR_OK) fail_msg("%s: %s", x->name, error.text);
}

static void measure(motion *x) {
  tr_system_info n = tr_system_describe(x->m.sys);
  x->scale_q = x->scale_v = x->scale_lam = 1e-3;
  for (int k = 0; k < TIMES; k++) {
    x->scale_q = fmax(x->scale_q, largest(n.nq, x->at[k].q));
    x->scale_v = fmax(x->scale_v, largest(n.nv, x->at[k].v));
    x->scale_lam = fmax(x->scale_lam, largest(n.nc, x->at[k].lam));
  }
}

void motion_by_ode(motion *x, slope f, lift up, int n, const double *y0, long steps) {
  double y[16], t = 0;
  memcpy(y, y0, (size_t)n * sizeof *y);
  for (int k = 0; k < TIMES; k++) {
    double next = x->end * (k + 1) / TIMES;
    integrate(f, n, t, next, steps / TIMES, y);
    new_state(x->m.sys, &x->at[k]);
    x->at[k].t = t = next;
    up(t, y, x->at[k].q, x->at[k].v);
    complete(x, &x->at[k]);
  }
  measure(x);
}

static void to(tr_run *run, double t, const char *what) {
  tr_error error = {0};
  if (tr_run_to(run, t, &error) != TR_OK) fail_msg("%s: %s", what, error.text);
}

void motion_by_rk4(motion *x, long steps) {
  steps = (long)or_less((double)steps, (double)steps / 8);
  tr_run *run = new_run(x->m.sys, "baumgarte:scheme=rk4,unit=1/s,alpha=20,beta=20",
                        x->end / (double)steps, x->end);
  for (int k = 0; k < TIMES; k++) {
    to(run, x->end * (k + 1) / TIMES, x->name);
    new_state(x->m.sys, &x->at[k]);
    tr_state_copy(&x->at[k], tr_run_state(run));
    complete(x, &x->at[k]);
  }
  tr_run_free(run);
  measure(x);
}

void motion_free(motion *x) {
  for (int k = 0; k < TIMES; k++) tr_state_free(x->m.sys, &x->at[k]);
  unload(&x->m);
}

static double largest_difference(int n, const double *x, const double *y) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

// A run whose Newton iterations go down to round-off, so that what is measured is the method.
static tr_run *precise_run(const motion *x, const char *method, double h) {
  tr_run_settings s = tr_run_defaults();
  tr_error error = {0};
  tr_run *run;
  s.method = method, s.step = h, s.end = x->end;
  s.newton.tol = x->noise > 0 ? 1e-11 : 1e-14;
  if (tr_run_new(x->m.sys, &s, NULL, &run, &error) != TR_OK) fail_msg("%s", error.text);
  return run;
}

void compare(const motion *x, int k, const tr_state *s, tr_state *room, deviation *d) {
  const tr_state *want = &x->at[k];
  tr_system_info n = tr_system_describe(x->m.sys);
  tr_state_copy(room, s);
  complete(x, room);
  d->q = fmax(d->q, largest_difference(n.nq, s->q, want->q) / x->scale_q);
  d->v = fmax(d->v, largest_difference(n.nv, s->v, want->v) / x->scale_v);
  d->lam = fmax(d->lam, largest_difference(n.nc, s->lam, want->lam) / x->scale_lam);
  d->lam_again = fmax(d->lam_again, largest_difference(n.nc, room->lam, want->lam) / x->scale_lam);
}

deviation deviate(const motion *x, const char *method, double h) {
  deviation d = {0};
  tr_state room;
  tr_run *run = precise_run(x, method, h);
  new_state(x->m.sys, &room);
  for (int k = 0; k < TIMES; k++) {
    char what[128];
    snprintf(what, sizeof what, "%s, %s, h = %g", x->name, method, h);
    to(run, x->end * (k + 1) / TIMES, what);
    compare(x, k, tr_run_state(run), &room, &d);
  }
  tr_state_free(x->m.sys, &room);
  tr_run_free(run);
  return d;
}

double fit(int n, const double *err) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double u = -i, y = log2(err[i]);
    sx += u, sy += y, sxx += u * u, sxy += u * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
