// SPDX-License-Identifier: Apache-2.0
// Motion: a coordinate x of B relative to A follows a law of time (1 row),
//   phi = x(frames) - c(t),   Phi_t = -c',   gamma = x's bias - c''
// x is the way of B along an axis of A, or B's rotation about one; c is given itself, or as its rate or
// acceleration. Then it goes on from what x and x' are at the start:
//   c(t) = c_n + int v ds           c(t) = c_n + c'_n (t - t_n) + int (t - s) a ds     from t_n to t
// where t_n, c_n, c'_n are those of the last accepted step, so that only the step itself is integrated: by
// Gauss' rule on pieces halved where it matters, which is exact to round-off.
// Angles count to the nearest whole turn: x is where the law is, however often it went round.
#include <float.h>
#include <math.h>

#include "coordinate.h"
#include "law.h"

typedef struct par {
  const tr_law *position, *velocity, *acceleration;
  int along;
  double x0, v0; // coordinate and rate at the start
} par;

enum { ALONG_JOINT, ALONG_X, ALONG_Y, ALONG_Z, ALONG_RX, ALONG_RY, ALONG_RZ };
static const char *const alongs[] = {"auto", "x", "y", "z", "rx", "ry", "rz", NULL};
static const tr_field fields[] = {
    {"position", TR_LAW, TR_QUANTITIES, offsetof(par, position), "",
     .doc = "the coordinate as a law of time", .reach = TR_OF_TIME},
    {"velocity", TR_LAW, TR_QUANTITIES, offsetof(par, velocity), "",
     .doc = "instead: its rate; it goes on from where the bodies are at the start",
     .reach = TR_OF_TIME},
    {"acceleration", TR_LAW, TR_QUANTITIES, offsetof(par, acceleration), "",
     .doc = "instead: its acceleration; place and rate of the start go on", .reach = TR_OF_TIME},
    {"along", TR_CHOICE, TR_NUMBER, offsetof(par, along), "auto",
     .doc = "way of B along, or rotation about, an axis of A; by default the joint's coordinate",
     .choices = alongs},
    {0}};

static const char *take(void *pv, int k, const tr_joint_type *joint) {
  par *p = pv;
  int kind = UNKNOWN;
  (void)k;
  if (p->along != ALONG_JOINT) return NULL;
  const char *why = coordinate_take(&kind, joint);
  // in the plane a way is along x: settled at the start
  p->along = kind == ANGLE ? ALONG_RZ : -1;
  return why;
}

static law_input coordinate_at(const par *p) {
  bool angle = p->along >= ALONG_RX;
  return (law_input){.kind = angle ? LAW_ANGLE : LAW_WAY,
                     .axis = p->along - (angle ? ALONG_RX : ALONG_X),
                     .to = 1,
                     .from = 0,
                     .along = 0};
}

// The unit of a law that gives the k-th derivative of a way or an angle.
static bool fits(const tr_law *law, int k, bool angle) {
  static const tr_quantity way[] = {TR_LENGTH, TR_VELOCITY, TR_ACCELERATION};
  static const tr_quantity rotation[] = {TR_NUMBER, TR_ANGULAR_VELOCITY, TR_ANGULAR_ACCELERATION};
  return !law || law->quantity == TR_QUANTITIES || law->quantity == (angle ? rotation : way)[k];
}

static double rate_of(const law_input *x, int nd, const tr_frame *const *f) {
  double g[12] = {0}, u[12], sum = 0;
  measure_add_slope(x, nd, f, 1, g, NULL);
  twists(nd, f, u);
  for (int i = 0; i < 2 * nd; i++) sum += g[i] * u[i];
  return sum;
}

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  int given = (p->position != NULL) + (p->velocity != NULL) + (p->acceleration != NULL);
  if (given != 1) return "one of position, velocity and acceleration must be given";
  if (p->along == ALONG_JOINT) return "along must be given with markers";
  if (p->along == -1) p->along = nd == 3 ? ALONG_X : ALONG_Z;
  if (nd == 3 && (p->along == ALONG_Z || p->along == ALONG_RX || p->along == ALONG_RY))
    return "in the plane along must be x, y or rz";
  bool angle = p->along >= ALONG_RX;
  if (!fits(p->position, 0, angle) || !fits(p->velocity, 1, angle) ||
      !fits(p->acceleration, 2, angle))
    return angle ? "the unit of the law is not that of a rotation"
                 : "the unit of the law is not that of a way";
  law_input x = coordinate_at(p);
  p->x0 = measure_value(&x, nd, f);
  p->v0 = rate_of(&x, nd, f);
  return NULL;
}

// ---- the law ----------------------------------------------------------------------------------------

// From a to b: int law ds, int (t - s) law ds, and int |law| ds; Gauss' rule of ten points. missed: what a jump between the
// outermost of them and the ends would be in the first; 0: there is none, the law goes on there as it did before.
typedef struct piece {
  double a, b, sum[2], size, missed;
  int depth;
} piece;

static piece integrate_piece(const tr_law *law, double a, double b, double t, int depth) {
  static const double node[5] = {0.1488743389816312109, 0.4333953941292471908,
                                 0.6794095682990244062, 0.8650633666889845107,
                                 0.9739065285171717201};
  static const double weight[5] = {0.2955242247147528702, 0.2692667193099963551,
                                   0.2190863625159820440, 0.1494513491505805932,
                                   0.0666713443086881376};
  piece p = {.a = a, .b = b, .depth = depth};
  double h = 0.5 * (b - a), last[2] = {0},
         step[2] = {0}; // the outermost on either side, and beside
  for (int i = 0; i < 10; i++) {
    double s = a + h * (1 + (i % 2 ? node[i / 2] : -node[i / 2]));
    double value = law_value(law, 0, s, NULL, NULL), y = h * weight[i / 2] * value;
    p.sum[0] += y, p.sum[1] += y * (t - s), p.size += fabs(y);
    step[i % 2] = fabs(value - last[i % 2]), last[i % 2] = value;
  }
  for (int k = 0; k < 2; k++) {
    double end = fabs(law_value(law, 0, k ? b : a, NULL, NULL) - last[k]);
    if (end > step[k]) p.missed = fmax(p.missed, (1 - node[4]) * fabs(h) * end);
  }
  return p;
}

// out: int law ds, int (t - s) law ds from t0 to t. Pieces are halved until that changes nothing, so a
// kink or a jump is found by bisection. Nothing is 1e-14 of the whole, or what the round-off of s makes of it:
// where a law passes zero late in a run its digits are few, and halving would find noise in every piece.
static void integrate(const tr_law *law, double t0, double t, double out[2]) {
  enum { DEPTH = 32, MOST_PIECES = 4000 };
  double dt = t - t0;
  out[0] = law->value * dt, out[1] = 0.5 * out[0] * dt;
  if (law->constant || dt == 0) return;
  piece stack[DEPTH + 2] = {integrate_piece(law, t0, t, t, 0)};
  double change = law_value(law, 0, t, NULL, NULL) - law_value(law, 0, t0, NULL, NULL);
  double noise = 4 * DBL_EPSILON * fmax(fabs(t0), fabs(t)) * fabs(change);
  double tol = fmax(1e-14 * stack[0].size, noise);
  int n = 1, pieces = 0;
  out[0] = out[1] = 0;
  while (n > 0) {
    piece p = stack[--n];
    double mid = 0.5 * (p.a + p.b), sum[2];
    piece lo = integrate_piece(law, p.a, mid, t, p.depth + 1);
    piece hi = integrate_piece(law, mid, p.b, t, p.depth + 1);
    for (int i = 0; i < 2; i++) sum[i] = lo.sum[i] + hi.sum[i];
    bool same = fabs(sum[0] - p.sum[0]) <= tol && fabs(sum[1] - p.sum[1]) <= tol * fabs(dt) &&
                lo.missed <= tol && hi.missed <= tol;
    if (!same && p.depth < DEPTH && pieces++ < MOST_PIECES) {
      stack[n++] = hi, stack[n++] = lo;
      continue;
    }
    out[0] += sum[0], out[1] += sum[1];
  }
}

enum { MEM_T, MEM_C, MEM_RATE, MEM }; // c - x0 and c' - v0 at the last accepted step

// c, c', c''
static void follow(const par *p, double t, const double *mem, double c[3]) {
  double sum[2];
  if (p->position) {
    law_of_time(p->position, t, c);
  } else if (p->velocity) {
    law_of_time(p->velocity, t, c);
    c[2] = c[1], c[1] = c[0];
    integrate(p->velocity, mem[MEM_T], t, sum);
    c[0] = p->x0 + mem[MEM_C] + sum[0];
  } else {
    integrate(p->acceleration, mem[MEM_T], t, sum);
    double rate = p->v0 + mem[MEM_RATE];
    c[2] = law_value(p->acceleration, 0, t, NULL, NULL);
    c[1] = rate + sum[0];
    c[0] = p->x0 + mem[MEM_C] + rate * (t - mem[MEM_T]) + sum[1];
  }
}

static double second_derivative(const par *p, double t) {
  double c[3];
  if (p->acceleration) return law_value(p->acceleration, 0, t, NULL, NULL);
  law_of_time(p->position ? p->position : p->velocity, t, c);
  return p->position ? c[2] : c[1];
}

static void accept(const void *pv, double t, const tr_frame *const *f, double *mem) {
  const par *p = pv;
  double c[3];
  (void)f;
  if (p->position) return;
  follow(p, t, mem, c);
  mem[MEM_T] = t, mem[MEM_C] = c[0] - p->x0, mem[MEM_RATE] = c[1] - p->v0;
}

// ---- the constraint ---------------------------------------------------------------------------------

// Whole turns go first: the rest is sharp after any number of them.
static double value(int nd, const law_input *x, const tr_frame *const *f, double c) {
  double way = measure_value(x, nd, f);
  return x->kind == LAW_ANGLE ? remainder(way - remainder(c, 2 * TR_PI), 2 * TR_PI) : way - c;
}

static void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *mem,
                 const double *lam, double *phi, double *w) {
  law_input x = coordinate_at(p);
  double c[3];
  follow(p, t, mem, c);
  phi[0] = value(nd, &x, f, c[0]);
  if (!lam) return;
  for (int i = 0; i < 2 * nd; i++) w[i] = 0;
  measure_add_slope(&x, nd, f, -lam[0], w, NULL);
}

static void jac(int nd, const par *p, const tr_frame *const *f, double *G) {
  law_input x = coordinate_at(p);
  for (int i = 0; i < 2 * nd; i++) G[i] = 0;
  measure_add_slope(&x, nd, f, 1, G, NULL);
}

static void look(int nd, const par *p, double t, const tr_frame *const *f, const double *mem,
                 double *phi, double *phi_t, double *G) {
  law_input x = coordinate_at(p);
  double c[3];
  follow(p, t, mem, c);
  phi[0] = value(nd, &x, f, c[0]), phi_t[0] = -c[1];
  jac(nd, p, f, G);
}

static void geom(int nd, const par *p, const tr_frame *const *f, double lam, double *K) {
  law_input x = coordinate_at(p);
  measure_add_hessian(&x, nd, f, lam, 2 * nd, K);
}

static double gamma_of(int nd, const par *p, double t, const tr_frame *const *f) {
  double H[144] = {0}, u[12], sum = -second_derivative(p, t);
  int n = 2 * nd;
  geom(nd, p, f, 1, H);
  twists(nd, f, u);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += u[i] * H[n * i + j] * u[j];
  return sum;
}

#define MOTION(d, nd)                                                                        \
  static void eval##d(const void *p, double t, const tr_frame *const *f, const double *mem,  \
                      const double *lam, double *phi, double *w) {                           \
    eval(nd, p, t, f, mem, lam, phi, w);                                                     \
  }                                                                                          \
  static void jac##d(const void *p, double t, const tr_frame *const *f, double *G) {         \
    (void)t;                                                                                 \
    jac(nd, p, f, G);                                                                        \
  }                                                                                          \
  static void geom##d(const void *p, double t, const tr_frame *const *f, const double *lam,  \
                      double *K) {                                                           \
    (void)t;                                                                                 \
    geom(nd, p, f, lam[0], K);                                                               \
  }                                                                                          \
  static void gamma##d(const void *p, double t, const tr_frame *const *f, double *out) {     \
    out[0] = gamma_of(nd, p, t, f);                                                          \
  }                                                                                          \
  static void phi_t##d(const void *p, double t, const tr_frame *const *f, const double *mem, \
                       double *out) {                                                        \
    double c[3];                                                                             \
    (void)f;                                                                                 \
    follow(p, t, mem, c);                                                                    \
    out[0] = -c[1];                                                                          \
  }                                                                                          \
  static void look##d(const void *p, double t, const tr_frame *const *f, const double *mem,  \
                      double *phi, double *phi_t, double *G) {                               \
    look(nd, p, t, f, mem, phi, phi_t, G);                                                   \
  }                                                                                          \
  static const tr_joint_ops ops##d = {.rows = 1,                                             \
                                      .eval = eval##d,                                       \
                                      .jac = jac##d,                                         \
                                      .geom = geom##d,                                       \
                                      .gamma = gamma##d,                                     \
                                      .phi_t = phi_t##d,                                     \
                                      .look = look##d};
MOTION(2, 3)
MOTION(3, 6)

const tr_joint_type tr_joint_motion = {
    .name = "motion",
    .doc = "drives a joint's coordinate, or a way or rotation between markers, by a law of time",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .joints = 1,
    .nmem = MEM,
    .planar_memory = true,
    .planar = &ops2,
    .spatial = &ops3,
    .start = start,
    .accept = accept,
    .take = take,
};
