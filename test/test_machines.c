// SPDX-License-Identifier: Apache-2.0
// Shipped models that people know, each against a fact about it that comes from elsewhere.
#include <math.h>
#include <string.h>

#include "helper_machine.h"
#include "math/v3.h"

// ---- flyball governor -----------------------------------------------------------------------------

// In minimal coordinates, symmetric: b droop of the rods, s height of the slider, w spin. Rods of
// length L from (c, 0, L), c = a/2, struts from (c, 0, s) to the rods' middles, L/2 out:
//   H = I(b) w is constant,  I(b) = I_0 + 2 (m (c + L/2 cos b)^2 + J_x sin^2 b + J_t cos^2 b + p (c + L cos b)^2)
//   B b'' = w^2 I_b/2 + (m L/2 + p L) g cos b + F l_b, for one rod: B = J_t + m L^2/4 + p L^2
//   m_s s'' = -m_s g + 2 F l_s,   F = -K (l - l_0) - C l'
//   l^2 = (L/2 cos b)^2 + (L - L/2 sin b - s)^2
typedef struct governor {
  double m, p, ms, Jx, Jt, I0, L, c, K, C, l0, g, H;
} governor;

static double inertia(const governor *v, double b, double *slope) {
  double x = v->c + v->L / 2 * cos(b), X = v->c + v->L * cos(b), s = sin(b), c = cos(b);
  if (slope)
    *slope = 2 * (-v->m * x * v->L * s + 2 * (v->Jx - v->Jt) * s * c - 2 * v->p * X * v->L * s);
  return v->I0 + 2 * (v->m * x * x + v->Jx * s * s + v->Jt * c * c + v->p * X * X);
}

// y = b, s, b', s'
static void governor_rates(const governor *v, const double *y, double *dy) {
  double c = cos(y[0]), s = sin(y[0]), r = v->L / 2, x = r * c, z = v->L - r * s - y[1];
  double l = sqrt(x * x + z * z), lb = (-x * r * s - z * r * c) / l, ls = -z / l, slope;
  double F = -v->K * (l - v->l0) - v->C * (lb * y[2] + ls * y[3]);
  double w = v->H / inertia(v, y[0], &slope), L = v->L;
  dy[0] = y[2], dy[1] = y[3];
  dy[2] = (w * w * slope / 4 + (v->m * L / 2 + v->p * L) * v->g * c + F * lb) /
          (v->Jt + v->m * L * L / 4 + v->p * L * L);
  dy[3] = -v->g + 2 * F * ls / v->ms;
}

// Runge-Kutta of order 4.
static void governor_go(const governor *v, double h, int steps, double *y) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (int n = 0; n < steps; n++) {
    double k[4] = {0}, sum[4] = {0}, x[4];
    for (int j = 0; j < 4; j++) {
      for (int i = 0; i < 4; i++) x[i] = y[i] + at[j] * h * k[i];
      governor_rates(v, x, k);
      for (int i = 0; i < 4; i++) sum[i] += weight[j] * k[i];
    }
    for (int i = 0; i < 4; i++) y[i] += h / 6 * sum[i];
  }
}

static governor the_governor(void) {
  governor v = {.m = 0.3, .p = 5, .ms = 3, .L = 1, .c = 0.05, .K = 8e5, .C = 4e4, .l0 = 0.5};
  v.g = 9.81, v.Jx = v.m * 1e-4 / 6, v.Jt = v.m * (1 + 1e-4) / 12;
  v.I0 = v.Jx + v.ms * 0.01 / 6;
  v.H = 2 * TR_PI * inertia(&v, TR_PI / 6, NULL);
  return v;
}

// By the method of the file, and within a tolerance by a method of high order.
static void flyball_governor(void **unused) {
  (void)unused;
  governor v = the_governor();
  for (int n = 0; n < 2; n++) {
    machine k = n == 0 ? shipped("flyball_governor.yaml", NULL)
                       : shipped_within("flyball_governor.yaml", "radau5", 1e-9);
    double y[4] = {TR_PI / 6, 0.5, 0, 0}, tol = n == 0 ? 2e-4 : 1e-7;
    for (int i = 1; i <= 10; i++) {
      go_to(&k, i);
      governor_go(&v, 5e-5, 20000, y);
      double droop = read_output(&k, "hinge_1.angle") + TR_PI / 6;
      assert_near(read_output(&k, "slide.s") + 0.5, y[1], tol, "height of the slider at %d s", i);
      assert_near(droop, y[0], tol, "droop at %d s", i);
      assert_near(read_output(&k, "shaft.wz"), v.H / inertia(&v, y[0], NULL), 30 * tol, "spin");
      assert_near(read_output(&k, "hinge_2.angle") + TR_PI / 6, droop, 1e-9, "symmetry");
    }
    stop(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flyball_governor)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
