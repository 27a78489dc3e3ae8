// SPDX-License-Identifier: Apache-2.0
// Shipped models that people know, each against a fact about it that comes from elsewhere.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
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
  double reference[11][4] = {{TR_PI / 6, 0.5, 0, 0}}, steps = or_less(20000, 4000);
  for (int i = 1; i <= 10; i++) {
    memcpy(reference[i], reference[i - 1], sizeof *reference);
    governor_go(&v, 1 / steps, (int)steps, reference[i]);
  }
  for (int n = 0; n < 2; n++) {
    machine k = n == 0 ? shipped("flyball_governor.yaml", NULL)
                       : shipped_within("flyball_governor.yaml", "radau5", 1e-9);
    double tol = n == 0 ? 2e-4 : 1e-7;
    for (int i = 1; i <= (int)or_less(10, 4); i++) {
      const double *y = reference[i];
      go_to(&k, i);
      double droop = read_output(&k, "hinge_1.angle") + TR_PI / 6;
      assert_near(read_output(&k, "slide.s") + 0.5, y[1], tol, "height of the slider at %d s", i);
      assert_near(droop, y[0], tol, "droop at %d s", i);
      assert_near(read_output(&k, "shaft.wz"), v.H / inertia(&v, y[0], NULL), 30 * tol, "spin");
      assert_near(read_output(&k, "hinge_2.angle") + TR_PI / 6, droop, 1e-9, "symmetry");
    }
    stop(&k);
  }
}

// ---- planar linkages ------------------------------------------------------------------------------

// Freudenstein, and the rocker's turning points: crank and coupler stretched or folded.
static void four_bar(void **unused) {
  (void)unused;
  const double a = 0.1, b = 0.26, c = 0.2, d = 0.3, w = 4 * TR_PI;
  machine k = shipped("four_bar.yaml", NULL);
  double start4 = acos((c * c + (d - a) * (d - a) - b * b) / (2 * c * (d - a))); // at the rocker
  double low = INFINITY, high = -INFINITY;
  for (int i = 1; i <= 500; i++) {
    go_to(&k, 1e-3 * i);
    double t2 = read_output(&k, "O2.angle"), t4 = TR_PI - start4;
    t4 += read_output(&k, "rocker.angle") - (TR_PI - start4);
    double K3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
    assert_near(t2, w * 1e-3 * i, 1e-10, "the motor's speed");
    assert_near(d / a * cos(t4) - d / c * cos(t2) + K3, cos(t2 - t4), 1e-9, "at %g", t2);
    low = fmin(low, t4), high = fmax(high, t4);
  }
  double far = acos((c * c + d * d - (b + a) * (b + a)) / (2 * c * d));
  double near = acos((c * c + d * d - (b - a) * (b - a)) / (2 * c * d));
  assert_near(TR_PI - low, far, 1e-4, "stretched");
  assert_near(TR_PI - high, near, 1e-4, "folded");
  stop(&k);
}

// The pen is on its line whatever the crank does, and goes far.
static void peaucellier(void **unused) {
  (void)unused;
  machine k = shipped("peaucellier.yaml", NULL);
  double reach = 0;
  for (int i = 1; i <= 100; i++) {
    go_to(&k, 0.04 * i);
    assert_near(read_output(&k, "pen.x"), (0.25 - 0.0625) / 0.3, 1e-12, "the line");
    // inverse to A: y = x tan(half the crank's angle)
    double half = read_output(&k, "Q.angle") / 2, y = read_output(&k, "pen.y");
    assert_near(y, 0.625 * tan(half), 1e-11, "the place on it");
    reach = fmax(reach, fabs(y));
  }
  assert_true(reach > 0.22);
  stop(&k);
}

// The arms' ends stay on their circles, and over its way the middle of the bar leaves the line by less
// than a thousandth of it.
static void watt(void **unused) {
  (void)unused;
  const double L = 0.4, c = 0.2;
  machine k = shipped("watt.yaml", NULL);
  double way = 0, off = 0;
  for (int i = 1; i <= 500; i++) {
    go_to(&k, 0.01 * i);
    double x = read_output(&k, "bar.x"), y = read_output(&k, "bar.y");
    double u =
        read_output(&k, "bar.angle"); // A = centre + c/2 (cos u, sin u), on a circle about O1
    double A[2] = {x + c / 2 * cos(u), y + c / 2 * sin(u)}, B[2] = {x - c / 2 * cos(u), 0};
    B[1] = y - c / 2 * sin(u);
    assert_near(hypot(A[0] + L, A[1] - c / 2), L, 1e-12, "left arm");
    assert_near(hypot(B[0] - L, B[1] + c / 2), L, 1e-12, "right arm");
    way = fmax(way, fabs(y)), off = fmax(off, fabs(x));
  }
  assert_true(way > 0.05 && off < 1e-3 * way);
  stop(&k);
}

// Where the circles about p and q meet, to the left of the way from p to q.
static void meet(const double p[2], double r, const double q[2], double s, double out[2]) {
  double x = q[0] - p[0], y = q[1] - p[1], d = hypot(x, y);
  double along = (r * r - s * s + d * d) / (2 * d), up = sqrt(r * r - along * along);
  out[0] = p[0] + (along * x - up * y) / d, out[1] = p[1] + (along * y + up * x) / d;
}

// Point by point with compasses; half of the turn the foot is level to half a percent of the stride.
static void theo_jansen(void **unused) {
  (void)unused;
  machine k = shipped("theo_jansen.yaml", NULL);
  const double P[2] = {-0.38, -0.078};
  double level[2] = {INFINITY, -INFINITY}, stride[2] = {INFINITY, -INFINITY};
  for (int i = 1; i <= 100; i++) {
    go_to(&k, 0.01 * i);
    double t = 2 * TR_PI * 0.01 * i, C[2] = {0.15 * cos(t), 0.15 * sin(t)}, X[2], Y[2], Z[2], W[2];
    double F[2], x = read_output(&k, "foot.x"), y = read_output(&k, "foot.y");
    meet(P, 0.415, C, 0.5, X), meet(P, 0.401, X, 0.558, Y), meet(C, 0.619, P, 0.393, Z);
    meet(Z, 0.367, Y, 0.394, W), meet(Z, 0.49, W, 0.657, F);
    assert_near(x, F[0], 1e-9, "foot, x at %g", t);
    assert_near(y, F[1], 1e-9, "foot, y at %g", t);
    stride[0] = fmin(stride[0], x), stride[1] = fmax(stride[1], x);
    if (x > -0.63 && x < -0.2 && y < -0.85)
      level[0] = fmin(level[0], y), level[1] = fmax(level[1], y);
  }
  assert_near(stride[1] - stride[0], 0.677, 2e-3, "stride");
  assert_true(level[1] - level[0] < 0.005 * (stride[1] - stride[0]));
  stop(&k);
}

// ---- spatial mechanisms ---------------------------------------------------------------------------

// Energy over 10 s, and its mirror: a Bricard of this kind is symmetric about the line through the
// middles of opposite points, so the triangle of every second hinge keeps equal sides.
static void bricard(void **unused) {
  (void)unused;
  machine k = shipped("bricard.yaml", NULL);
  assert_int_equal(tr_run_describe(k.run).redundant, 1);
  double least = INFINITY;
  for (int i = 1; i <= 100; i++) {
    go_to(&k, 0.1 * i);
    least = fmin(least, read_output(&k, "P3.x"));
    double p[3] = {read_output(&k, "P3.x"), read_output(&k, "P3.y"), read_output(&k, "P3.z")};
    double q[3] = {read_output(&k, "P5.x"), read_output(&k, "P5.y"), read_output(&k, "P5.z")};
    double one = v3_norm(p), two = v3_norm(q),
           three = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
    assert_near(one, two, 1e-9, "sides of the triangle at %g s", 0.1 * i);
    assert_near(one, three, 1e-9, "third side at %g s", 0.1 * i);
  }
  assert_true(least < -0.5); // it swung
  assert_true(tr_run_describe(k.run).max_energy_change < 1e-4);
  stop(&k);
}

// Straight up, without a turn. Both pairs of plates fold alike: z = 2 L sin(angle).
static void sarrus(void **unused) {
  (void)unused;
  machine k = shipped("sarrus.yaml", NULL);
  double least = INFINITY, most = 0;
  assert_int_equal(tr_run_describe(k.run).redundant, 1);
  for (int i = 1; i <= 40; i++) {
    go_to(&k, 0.05 * i);
    double z = read_output(&k, "table.z"), turn = read_output(&k, "foot_x.angle");
    assert_near(read_output(&k, "table.x"), 0, 1e-12, "x");
    assert_near(read_output(&k, "table.y"), 0, 1e-12, "y");
    assert_near(fabs(read_output(&k, "table.e0")), 1, 1e-12, "turn");
    assert_near(z, 0.6 * sin(TR_PI / 3 - turn), 1e-12, "height");
    assert_near(read_output(&k, "foot_y.angle"), -turn, 1e-12, "the other pair");
    least = fmin(least, z), most = fmax(most, z);
  }
  assert_true(most - least > 0.05);
  stop(&k);
}

// Steady precession m g l/(J spin) with a level axle; let go at rest it nods and precesses as fast on
// average.
static void gyroscope(void **unused) {
  (void)unused;
  const char *const at_rest[] = {"precession=0", NULL};
  double spin = 1000 * TR_PI / 30, rate = 0.2 * 9.81 * 0.1 / (2e-3 * spin);
  for (int n = 0; n < 2; n++) { // the file's step is a twentieth of a radian
    machine k =
        n == 0 ? shipped("gyroscope.yaml", NULL) : shipped_within("gyroscope.yaml", "radau5", 1e-9);
    double tol = n == 0 ? 1e-3 : 1e-7;
    for (int i = 1; i <= 5; i++) {
      go_to(&k, i);
      assert_near(read_output(&k, "pillar.angle"), rate * i, tol * i, "precession");
      assert_near(read_output(&k, "trunnion.angle"), 0, tol, "level");
    }
    stop(&k);
  }
  machine k = shipped("gyroscope.yaml", at_rest);
  double nod = 0;
  for (int i = 1; i <= 500; i++) {
    go_to(&k, 0.01 * i);
    nod = fmax(nod, fabs(read_output(&k, "trunnion.angle")));
  }
  assert_near(read_output(&k, "pillar.angle"), 5 * rate, 0.02 * 5 * rate, "on average");
  // H times the nod is the angular momentum of the precession, at the lowest point twice the mean:
  // C the inertia that goes round the pillar
  double C = 2e-3 + 8e-4 + 1.1e-3 + 0.2 * 0.01, H = 2e-3 * spin;
  assert_near(nod, 2 * rate * C / H, 0.05 * 2 * rate * C / H, "depth of the nod");
  stop(&k);
}

// All legs alike lift the platform straight.
static void stewart_platform(void **unused) {
  (void)unused;
  machine k = shipped("stewart_platform.yaml", NULL);
  for (int i = 1; i <= 20; i++) {
    double t = 0.2 * i, c = TR_PI / 2;
    go_to(&k, t);
    assert_near(read_output(&k, "platform.x"), 0, 1e-12, "x");
    assert_near(read_output(&k, "platform.z"), 0.8 + 0.2 * pow(sin(c * t), 2), 1e-12, "z at %g", t);
    assert_near(read_output(&k, "platform.vz"), 0.2 * c * sin(2 * c * t), 1e-5, "vz at %g", t);
    assert_near(fabs(read_output(&k, "platform.e0")), 1, 1e-12, "turn");
  }
  stop(&k);
}

// Front view: the kingpin is the coupler of a four-bar, and turns by the way over the distance of the
// instant centre; the tie rod does not steer.
static void double_wishbone(void **unused) {
  (void)unused;
  const char *const small[] = {"bump=8 mm", NULL};
  machine k = shipped("double_wishbone.yaml", small);
  double kl = -0.01 / 0.37, ku = 0.02 / 0.26, yi = (0.26 + kl * 0.35 - ku * 0.42) / (kl - ku);
  go_to(&k, 0.5);
  assert_near(read_output(&k, "wheel.z"), 0.31, 5e-4, "the preload holds");
  double z0 = read_output(&k, "wheel.z"), camber0 = 0;
  for (int n = 0; n < 2; n++) {
    double e0 = read_output(&k, "upright.e0"), e1 = read_output(&k, "upright.e1");
    double e2 = read_output(&k, "upright.e2"), e3 = read_output(&k, "upright.e3");
    double camber = asin(2 * (e2 * e3 + e0 * e1)), toe = atan2(2 * (e1 * e2 - e0 * e3), 1);
    double z = read_output(&k, "wheel.z");
    assert_near(toe, 0, 1e-4, "toe");
    if (n == 1)
      assert_near((camber - camber0) / (z - z0), 1 / (0.78 - yi), 0.05 / (0.78 - yi), "camber");
    camber0 = camber;
    if (n == 0) go_to(&k, 2);
    if (n == 1) assert_true(z - z0 > 0.006);
  }
  stop(&k);
}

// The sum of the forces on the block vanishes but for the sixth order; the couple does not. Rods are, as
// far as forces go, two masses: pistons' accelerations s'' along the cylinders, pins going round.
static void v6_crank_train(void **unused) {
  (void)unused;
  const double r = 0.045, l = 0.15, w = 100 * TR_PI, small = 0.6 / 3, big = 0.4, D = TR_PI / 180;
  machine k = shipped("v6_crank_train.yaml", NULL);
  double couple = 0;
  for (int i = 1; i <= 40; i++) {
    go_to(&k, 1e-3 * i);
    double t = w * 1e-3 * i, F[2] = {read_output(&k, "main.fy"), read_output(&k, "main.fz")};
    double M[2] = {read_output(&k, "main.ty"), read_output(&k, "main.tz")}, want[2] = {0};
    for (int j = 0; j < 6; j++) {
      double side = j % 2 ? -1 : 1, x = (j / 2 - 1) * 0.1 + side * 0.01, gamma = side * 30 * D;
      double pin = gamma + (120 * (j / 2) + (side < 0 ? 180 : 0)) * D + t, u = pin - gamma;
      char name[32];
      double f[3], m[3], p[3];
      for (int c = 0; c < 3; c++) {
        snprintf(name, sizeof name, "wall_%d.f%c", j + 1, 'x' + c), f[c] = read_output(&k, name);
        snprintf(name, sizeof name, "wall_%d.t%c", j + 1, 'x' + c), m[c] = read_output(&k, name);
        snprintf(name, sizeof name, "piston_%d.%c", j + 1, 'x' + c), p[c] = read_output(&k, name);
      }
      F[0] += f[1], F[1] += f[2];
      M[0] += m[1] + p[2] * f[0] - p[0] * f[2], M[1] += m[2] + p[0] * f[1] - p[1] * f[0];
      // s = r cos u + sqrt(l^2 - r^2 sin^2 u), twice by time
      double q = sqrt(l * l - pow(r * sin(u), 2)), qq = r * r * sin(u) * cos(u);
      double s2 = -r * cos(u) - r * r * cos(2 * u) / q - qq * qq / (q * q * q);
      double ay = w * w * (-(0.5 + small) * s2 * sin(gamma) + big * r * sin(pin));
      double az = w * w * ((0.5 + small) * s2 * cos(gamma) - big * r * cos(pin));
      want[0] -= x * az, want[1] += x * ay;
    }
    double one = (0.5 + small) * r * w * w; // of one piston, first order
    assert_near(hypot(F[0], F[1]), 0, 2e-3 * one, "force at %d ms", i);
    if (i == 1) continue; // the method's own transient
    assert_all_near(2, M, want, 5e-4 * 0.1 * one, "couple at %d ms", i);
    couple = fmax(couple, hypot(M[0], M[1]));
  }
  assert_true(couple > 100);
  stop(&k);
}

// ---- stiff forces around a circle -----------------------------------------------------------------

// One angle f from the equilibrium without gravity:
//   circle   f'' = -(cos f + k (1 - cos f)) sin f/eps - sin f
//   spring   f'' = -(1 - 0.4/l) sin f/(2 eps^2) - sin f,   l^2 = 1.25 - cos f
//   bushing  f'' = -sin f/eps - f' - cos f
enum { CIRCLE, SPRING, BUSHING };

static double swing_rate(int kind, double f, double df) {
  double s = sin(f), c = cos(f);
  if (kind == CIRCLE) return -(c + 100 * (1 - c)) * s / 1e-3 - s;
  if (kind == SPRING) return -(1 - 0.4 / sqrt(1.25 - c)) * s / (2 * 1e-4) - s;
  return -s / 1e-3 - df - c;
}

// Runge-Kutta of order 4.
static void swing_go(int kind, double h, int steps, double *y) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (int n = 0; n < steps; n++) {
    double k[2] = {0}, sum[2] = {0};
    for (int j = 0; j < 4; j++) {
      double f = y[0] + at[j] * h * k[0], df = y[1] + at[j] * h * k[1];
      k[0] = df, k[1] = swing_rate(kind, f, df);
      for (int i = 0; i < 2; i++) sum[i] += weight[j] * k[i];
    }
    for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
  }
}

static void stiff_circles(void **unused) {
  (void)unused;
  static const char *const file[] = {"stiff_circle.yaml", "stiff_circle_spring.yaml",
                                     "bushing_pendulum.yaml"};
  for (int kind = CIRCLE; kind <= BUSHING; kind++)
    for (int n = 0; n < 2; n++) {
      machine k = n == 0 ? shipped(file[kind], NULL) : shipped_within(file[kind], "radau5", 1e-10);
      double y[2] = {atan2(0.04471, 0.999), 0}, tol = n == 0 ? 0.01 : 1e-7;
      for (int i = 1; i <= 20; i++) {
        go_to(&k, 0.1 * i);
        swing_go(kind, 1e-4, 1000, y);
        double aside = read_output(&k, kind == BUSHING ? "second.y" : "point.x");
        assert_near(aside, sin(y[0]), tol, "%s at %d/10 s", file[kind], i);
      }
      stop(&k);
    }
}

// ---- all of them ----------------------------------------------------------------------------------

// Every shipped model under error control, too.
static void within_tolerance(void **unused) {
  (void)unused;
  for (const char *const *name = shipped_models(); *name; name++) {
    machine k = shipped_within(*name, NULL, 1e-5);
    tr_error error = {0};
    if (tr_run_all(k.run, &error) != TR_OK) fail_msg("%s: %s", *name, error.text);
    tr_run_info i = tr_run_describe(k.run);
    if (i.rejected > 0.2 * (double)i.steps + 20) fail_msg("%s: %ld rejected", *name, i.rejected);
    stop(&k);
  }
}

// ---- robot arm under control ----------------------------------------------------------------------------

// At rest integral action leaves no error, so the motors hold the weights at the goal angles.
static void robot_arm_pid(void **unused) {
  (void)unused;
  double deg = TR_PI / 180, g = 9.81, L1 = 0.5, L2 = 0.4, m1 = 12, m2 = 7, load = 5;
  double elbow = g * (m2 / 2 + load) * L2 * cos(-25 * deg);
  double shoulder = elbow + g * (m1 / 2 + m2 + load) * L1 * cos(35 * deg);
  machine k = shipped("robot_arm_pid.yaml", NULL);
  go_to(&k, 5);
  assert_near(read_output(&k, "waist.angle"), 90 * deg, 1e-5, "waist");
  assert_near(read_output(&k, "shoulder.angle"), 35 * deg, 1e-5, "shoulder");
  assert_near(read_output(&k, "elbow.angle"), -60 * deg, 1e-5, "elbow");
  assert_near(read_output(&k, "shoulder_torque"), shoulder, 1e-3, "motor of the shoulder");
  assert_near(read_output(&k, "elbow_motor.f"), elbow, 1e-3, "motor of the elbow");
  assert_near(read_output(&k, "shoulder_command"), 400 * atanh(shoulder / 400), 1e-2,
              "what it is told, before saturation");
  stop(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flyball_governor), cmocka_unit_test(four_bar),
      cmocka_unit_test(peaucellier),      cmocka_unit_test(watt),
      cmocka_unit_test(theo_jansen),      cmocka_unit_test(bricard),
      cmocka_unit_test(sarrus),           cmocka_unit_test(gyroscope),
      cmocka_unit_test(stewart_platform), cmocka_unit_test(double_wishbone),
      cmocka_unit_test(v6_crank_train),   cmocka_unit_test(robot_arm_pid),
      cmocka_unit_test(stiff_circles),    cmocka_unit_test(within_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
