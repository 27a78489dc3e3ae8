// SPDX-License-Identifier: Apache-2.0
// The nearest foot on a spline against a search that leaves nothing out: the spline is solved anew, each span looked at in
// SAMPLES places, and every minimum among these refined by halving.
#include <math.h>
#include <stdlib.h>

#include "elem/curve.h"
#include "helper_mechanics.h"
#include "math/v3.h"

enum { MOST = 340, SAMPLES = 200 };

typedef struct spline {
  double x[2 * MOST], own[20 * MOST], u[MOST + 1], M[2 * MOST];
  tr_rows rows;
  bool closed;
  int n, spans;
  double size; // of the numbers in it
} spline;

static int after(const spline *s, int i) { return i + 1 < s->n ? i + 1 : 0; }

// h_a M_a + 2 (h_a + h) M + h M_b = 6 (slope - slope_a), relaxed
static void solve(spline *s) {
  for (int i = 0; i < 2 * s->n; i++) s->M[i] = 0;
  for (int sweep = 0; sweep < 150; sweep++)
    for (int i = s->closed ? 0 : 1; i < (s->closed ? s->n : s->n - 1); i++) {
      int a = i > 0 ? i - 1 : s->n - 1, b = after(s, i);
      double ha = s->u[a + 1] - s->u[a], h = s->u[i + 1] - s->u[i];
      for (int k = 0; k < 2; k++) {
        double rise = (s->x[2 * b + k] - s->x[2 * i + k]) / h;
        rise -= (s->x[2 * i + k] - s->x[2 * a + k]) / ha;
        s->M[2 * i + k] = (6 * rise - ha * s->M[2 * a + k] - h * s->M[2 * b + k]) / (2 * (ha + h));
      }
    }
}

static void finish(spline *s, int n, bool closed) {
  s->n = n, s->closed = closed, s->spans = closed ? n : n - 1;
  s->rows = (tr_rows){n, 2, s->x, s->own};
  s->u[0] = 0, s->size = 1;
  for (int i = 0; i < s->spans; i++) {
    const double *a = s->x + 2 * i, *b = s->x + 2 * after(s, i);
    s->u[i + 1] = s->u[i] + hypot(b[0] - a[0], b[1] - a[1]);
  }
  for (int i = 0; i < 2 * n; i++) s->size = fmax(s->size, fabs(s->x[i]));
  solve(s);
  assert_null(curve_prepare(&s->rows, closed));
}

// A smooth loop or bow, a noisy one, or a random walk with sharp bends.
static void draw_curve(seed *d, int kind, int n, bool closed, spline *s) {
  double wave = 2 + floor(3 * fabs(draw(d))), high = 0.5 * draw(d), noise = 0.3 * (kind == 1);
  double at[2] = {0, 0};
  for (int i = 0; i < n; i++) {
    double a = (closed ? 2 : 1.7) * TR_PI * i / n, R = 1 + high * cos(wave * a) + noise * draw(d);
    double walk[2] = {at[0] += draw(d), at[1] += draw(d)};
    s->x[2 * i] = kind == 2 ? walk[0] : R * cos(a);
    s->x[2 * i + 1] = kind == 2 ? walk[1] : R * sin(a);
  }
  finish(s, n, closed);
}

static void at_v(const spline *s, int i, double v, double c[2], double c1[2], double c2[2]) {
  double h = s->u[i + 1] - s->u[i];
  for (int k = 0; k < 2; k++) {
    double a = s->x[2 * i + k], Ma = s->M[2 * i + k], Mb = s->M[2 * after(s, i) + k];
    double third = (Mb - Ma) / h, slope = (s->x[2 * after(s, i) + k] - a) / h;
    slope -= h * (2 * Ma + Mb) / 6;
    c[k] = a + v * slope + v * v * Ma / 2 + v * v * v * third / 6;
    c1[k] = slope + v * Ma + v * v * third / 2, c2[k] = Ma + v * third;
  }
}

static void at_u(const spline *s, double u, double c[2], double c1[2], double c2[2]) {
  int i = 0;
  while (i + 1 < s->spans && u >= s->u[i + 1]) i++;
  at_v(s, i, u - s->u[i], c, c1, c2);
}

static double distance(const spline *s, int i, double v, const double p[2], double *g) {
  double c[2], c1[2], c2[2];
  at_v(s, i, v, c, c1, c2);
  if (g) *g = (p[0] - c[0]) * c1[0] + (p[1] - c[1]) * c1[1];
  return hypot(p[0] - c[0], p[1] - c[1]);
}

static double refined(const spline *s, int i, double lo, double hi, const double p[2]) {
  double g;
  for (int k = 0; k < 60; k++) {
    double v = 0.5 * (lo + hi);
    distance(s, i, v, p, &g);
    *(g > 0 ? &lo : &hi) = v;
  }
  return distance(s, i, lo, p, NULL);
}

static double nearest(const spline *s, const double p[2]) {
  double best = INFINITY;
  for (int i = 0; i < s->spans; i++) {
    double h = s->u[i + 1] - s->u[i], before, g;
    best = fmin(best, distance(s, i, 0, p, &before));
    for (int k = 1; k <= SAMPLES; k++, before = g) {
      best = fmin(best, distance(s, i, h * k / SAMPLES, p, &g));
      if (before > 0 && g <= 0)
        best = fmin(best, refined(s, i, h * (k - 1) / SAMPLES, h * k / SAMPLES, p));
    }
  }
  return best;
}

// As near as it gets, p = c + e n there, and t and k are the curve's. Beyond an open end it may be nearer still.
static foot check(const spline *s, const double p[2], const char *what) {
  double c[2], c1[2], c2[2], want = nearest(s, p);
  foot f = curve_foot(&s->rows, s->closed, p);
  double tol = 1e-11 * (s->size + hypot(p[0], p[1])), end = s->u[s->spans];
  at_u(s, f.u, c, c1, c2);
  bool beyond = f.u < 0 || f.u > end;
  assert_true(!s->closed || !beyond);
  assert_near(fmax(fabs(f.e) - want, 0), 0, tol, "%s, %d points", what, s->n);
  if (!beyond) assert_near(fabs(f.e), want, tol, "%s, %d points", what, s->n);
  double speed = hypot(c1[0], c1[1]), bend = (c1[0] * c2[1] - c1[1] * c2[0]) / pow(speed, 3);
  for (int k = 0; k < 2; k++) {
    double n = k ? f.t[0] : -f.t[1];
    assert_near(f.t[k], c1[k] / speed, 1e-9 * fmax(1, fabs(bend)), "%s, tangent", what);
    // round-off of p moves feet where 1 - k e is small, and p = c + e n by k e of that
    assert_near(c[k] + f.e * n, p[k], 100 * tol + 1e-8 * fabs(f.e), "%s, %d points", what, s->n);
  }
  return f;
}

static void check_around(seed *d, const spline *s) {
  double c[2], c1[2], c2[2];
  for (int k = 0; k < 12; k++) {
    double p[2] = {1.5 * s->size * draw(d), 1.5 * s->size * draw(d)};
    check(s, p, "anywhere");
    double far[2] = {1e4 * p[0], 1e4 * p[1]};
    if (s->closed) check(s, far, "far away");
    at_u(s, 0.5 * (1 + draw(d)) * s->u[s->spans], c, c1, c2);
    check(s, c, "on the curve");
    double speed = hypot(c1[0], c1[1]), k_r = (c1[0] * c2[1] - c1[1] * c2[0]) / pow(speed, 3);
    double at = k % 2 ? 1 : 1 + 1e-6 * draw(d); // on the evolute, or next to it
    double centre[2] = {c[0] - at * c1[1] / speed / k_r, c[1] + at * c1[0] / speed / k_r};
    if (fabs(k_r) > 0.1 / s->size) check(s, centre, "a centre of curvature");
    int i = (int)(0.5 * (1 + draw(d)) * s->n);
    foot f = check(s, s->x + 2 * i, "a point of the curve");
    assert_near(f.e, 0, 1e-12 * s->size, "a point of the curve");
  }
}

static void random_curves(void **unused) {
  (void)unused;
  static const int sizes[] = {2, 3, 4, 5, 6, 15, 16, 17, 18, 64, 66, 257, 340};
  static spline s;
  seed d = 11;
  for (int kind = 0; kind < 3; kind++)
    for (int j = 0; j < (int)(sizeof sizes / sizeof *sizes); j++)
      for (int closed = sizes[j] < 3 ? 0 : 1; closed >= 0; closed--)
        for (int again = 0; again < (sizes[j] < 20 ? 12 : 1); again++) {
          draw_curve(&d, kind, sizes[j], closed, &s);
          check_around(&d, &s);
        }
}

// From the middle of a polygon's spline all its corners are as near, but for what interpolation leaves; the first is taken of
// those that are as near to round-off. A line: every foot is plain.
static void equals(void **unused) {
  (void)unused;
  static const int corners[] = {3, 4, 12, 60, 340};
  static spline s;
  const double middle[2] = {0};
  for (int j = 0; j < 5; j++) {
    for (int i = 0; i < corners[j]; i++) {
      double a = 2 * TR_PI * (i + 0.5) / corners[j];
      s.x[2 * i] = cos(a), s.x[2 * i + 1] = sin(a);
    }
    finish(&s, corners[j], true);
    foot f = check(&s, middle, "the middle");
    if (corners[j] < 60) assert_true(f.u < s.u[1] * (1 + 1e-9));
  }
  for (int i = 0; i < 100; i++) s.x[2 * i] = 0.1 * i, s.x[2 * i + 1] = 0.2 * i;
  finish(&s, 100, false);
  for (int i = -300; i < 1300; i++) {
    double u = 0.0173 * sqrt(5) * i, p[2] = {u / sqrt(5) - 0.4, 2 * u / sqrt(5) + 0.2};
    foot f = curve_foot(&s.rows, false, p);
    assert_near(f.u, u, 1e-12 * 40, "along a line");
    assert_near(f.e, sqrt(0.2), 1e-13 * 40, "beside a line");
  }
}

// An arch with ends that go on: a point that leaves by one keeps its foot there.
static void beyond_ends(void **unused) {
  (void)unused;
  static spline s;
  for (int i = 0; i < 40; i++) s.x[2 * i] = 0.1 * i, s.x[2 * i + 1] = sin(0.1 * i);
  finish(&s, 40, false);
  double c[2], c1[2], c2[2], end = s.u[s.spans];
  for (int i = 0; i <= 30; i++)
    for (int last = 0; last < 2; last++) {
      double u = last ? end + 0.01 * i : -0.01 * i;
      at_u(&s, u, c, c1, c2);
      double speed = hypot(c1[0], c1[1]), e = 0.03;
      double p[2] = {c[0] - e * c1[1] / speed, c[1] + e * c1[0] / speed};
      foot f = curve_foot(&s.rows, false, p);
      assert_near(f.u, u, 1e-12 * end, "beyond");
      assert_near(f.e, e, 1e-13, "beyond");
    }
}

static void not_a_number(void **unused) {
  (void)unused;
  static spline s;
  for (int i = 0; i < 20; i++) s.x[2 * i] = cos(0.3 * i), s.x[2 * i + 1] = sin(0.3 * i);
  const double p[3][2] = {{NAN, 0}, {0, NAN}, {INFINITY, 0}};
  for (int closed = 0; closed < 2; closed++) {
    finish(&s, 20, closed);
    for (int i = 0; i < 3; i++) assert_false(isfinite(curve_foot(&s.rows, closed, p[i]).e));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_curves),
      cmocka_unit_test(equals),
      cmocka_unit_test(beyond_ends),
      cmocka_unit_test(not_a_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
