// SPDX-License-Identifier: Apache-2.0
// Bump stop: a one-sided spring-damper on the way s of a slide or on the distance of two points;
// angle stop: the same on the angle of a hinge.
//
//   d = x - limit (side upper) or limit - x (lower), the depth;  nothing while d <= 0, else
//   F = max(0, k d^e + c S(d/d_1) d'),   S(y) = y^2 (3 - 2 y) up to y = 1, then 1
// pushes back. Damping grows with depth from nothing, so that the force has no jump at the touch;
// the clip keeps it from pulling on the way out.
#include "coordinate.h"
#include "force.h"

enum { ALONG_AUTO, ALONG_S, ALONG_DISTANCE, ALONG_ANGLE };
typedef struct par {
  int along, side;
  double limit, stiffness, exponent, damping, depth;
} par;

static const char *const alongs[] = {"auto", "s", "distance", NULL};
static const char *const sides[] = {"upper", "lower", NULL};
static const tr_field fields[] = {
    {"limit", TR_REAL, TR_LENGTH, offsetof(par, limit), .doc = "where it begins"},
    {"side", TR_CHOICE, TR_NUMBER, offsetof(par, side), "upper",
     .doc = "upper: acts above the limit, lower: below", .choices = sides},
    {"stiffness", TR_REAL, TR_STIFFNESS, offsetof(par, stiffness), .min = 0, .max = INFINITY,
     .doc = "k, in N/m^e"},
    {"exponent", TR_REAL, TR_NUMBER, offsetof(par, exponent), "1", .min = 1, .max = 10, .doc = "e"},
    {"damping", TR_REAL, TR_DAMPING, offsetof(par, damping), "0", .min = 0, .max = INFINITY,
     .doc = "c, from the depth d_1 on"},
    {"damping-depth", TR_REAL, TR_LENGTH, offsetof(par, depth), "0.001", .positive = true,
     .doc = "d_1"},
    {"coordinate", TR_CHOICE, TR_NUMBER, offsetof(par, along), "auto",
     .doc = "of a joint its way s; with markers s, or distance between the points",
     .choices = alongs},
    {0}};

static const tr_field angle_fields[] = {
    {"limit", TR_REAL, TR_ANGLE, offsetof(par, limit), .doc = "where it begins"},
    {"side", TR_CHOICE, TR_NUMBER, offsetof(par, side), "upper",
     .doc = "upper: acts above the limit, lower: below", .choices = sides},
    {"stiffness", TR_REAL, TR_TORSION_STIFFNESS, offsetof(par, stiffness), .min = 0,
     .max = INFINITY, .doc = "k, in N m/rad^e"},
    {"exponent", TR_REAL, TR_NUMBER, offsetof(par, exponent), "1", .min = 1, .max = 10, .doc = "e"},
    {"damping", TR_REAL, TR_TORSION_DAMPING, offsetof(par, damping), "0", .min = 0, .max = INFINITY,
     .doc = "c, from the depth d_1 on"},
    {"damping-depth", TR_REAL, TR_ANGLE, offsetof(par, depth), "0.01", .positive = true,
     .doc = "d_1"},
    {0}};

static const char *take(void *pv, int k, const tr_joint_type *joint) {
  par *p = pv;
  int kind = WAY;
  (void)k;
  if (p->along == ALONG_AUTO) p->along = ALONG_S;
  return p->along == ALONG_DISTANCE ? NULL : coordinate_take(&kind, joint);
}

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  (void)nd, (void)f;
  return ((const par *)pv)->along == ALONG_AUTO ? "coordinate must be given with markers" : NULL;
}

static const char *take_angle(void *pv, int k, const tr_joint_type *joint) {
  int kind = ANGLE;
  (void)pv, (void)k;
  return coordinate_take(&kind, joint);
}

static const char *start_angle(void *pv, int nd, const tr_frame *const *f) {
  (void)nd, (void)f;
  ((par *)pv)->along = ALONG_ANGLE;
  return NULL;
}

static coordinate_kind kind_of(const par *p) {
  return p->along == ALONG_S ? WAY : p->along == ALONG_ANGLE ? ANGLE : DISTANCE;
}

typedef struct bump {
  double x, rate, T, T_x, T_rate; // T forward on x
} bump;

static inline bump look(int nd, const par *p, double t, const tr_frame *const *f,
                        const double *mem) {
  double sign = p->side == 0 ? 1 : -1;
  bump b = {.x = coordinate_value(kind_of(p), nd, t, f, mem),
            .rate = coordinate_rate(kind_of(p), nd, f)};
  double d = sign * (b.x - p->limit), in = sign * b.rate;
  if (d <= 0) return b;
  double y = fmin(d / p->depth, 1), S = y * y * (3 - 2 * y);
  double S_d = y < 1 ? 6 * y * (1 - y) / p->depth : 0;
  double F = p->stiffness * pow(d, p->exponent) + p->damping * S * in;
  if (F <= 0) return b;
  b.T = -sign * F;
  b.T_x = -p->stiffness * p->exponent * pow(d, p->exponent - 1) - p->damping * S_d * in;
  b.T_rate = -p->damping * S;
  return b;
}

static inline void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *mem,
                        double *w) {
  coordinate_pull(kind_of(p), nd, f, look(nd, p, t, f, mem).T, w);
}

static inline void tangent(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *K, double *D) {
  bump b = look(nd, p, t, f, mem);
  if (b.T != 0) coordinate_pull_tangent(kind_of(p), nd, f, b.T, b.T_x, b.T_rate, K, D);
}

static inline double potential(int nd, const par *p, double t, const tr_frame *const *f,
                               const double *mem) {
  double d = look(nd, p, t, f, mem).x - p->limit;
  if (p->side == 1) d = -d;
  return d > 0 ? p->stiffness * pow(d, p->exponent + 1) / (p->exponent + 1) : 0;
}

static inline void measure(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *out) {
  bump b = look(nd, p, t, f, mem);
  out[0] = b.T, out[1] = b.x, out[2] = b.rate;
}

static double gap(int nd, const par *p, double t, const tr_frame *const *f, const double *mem) {
  double x = coordinate_value(kind_of(p), nd, t, f, mem);
  return p->side == 0 ? p->limit - x : x - p->limit;
}

static double gap2(const void *p, double t, const tr_frame *const *f, const double *mem) {
  return gap(3, p, t, f, mem);
}

static double gap3(const void *p, double t, const tr_frame *const *f, const double *mem) {
  return gap(6, p, t, f, mem);
}

static void accept(const void *pv, double t, const tr_frame *const *f, double *mem) {
  (void)pv;
  hinge_remember(f, t, mem);
}

static const char *const names[] = {"f", "length", "rate", NULL};
static const char *const angle_names[] = {"f", "angle", "rate", NULL};
FORCE_FUNCTIONS_OF_TIME(2, 3)
FORCE_FUNCTIONS_OF_TIME(3, 6)
FORCE_POTENTIAL_OF_TIME(2, 3)
FORCE_POTENTIAL_OF_TIME(3, 6)

#define STOP(d, measures)                                                            \
  {                                                                                  \
    .uses_velocity = true, .uses_moments = true, .one_sided = true, .eval = eval##d, \
    .tangent = tangent##d, .potential = potential##d, .measure_names = measures,     \
    .measure = measure##d, .gap = gap##d                                             \
  }
static const tr_force_ops planar = STOP(2, names), spatial = STOP(3, names);
static const tr_force_ops angle_planar = STOP(2, angle_names), angle_spatial = STOP(3, angle_names);

const tr_force_type tr_force_bump_stop = {
    .name = "bump-stop",
    .doc = "one-sided spring-damper on a slide's way or on the distance of two points",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 2,
    .joints = 1,
    .planar = &planar,
    .spatial = &spatial,
    .start = start,
    .take = take,
};

const tr_force_type tr_force_angle_stop = {
    .name = "angle-stop",
    .doc = "one-sided spring-damper on the angle of a hinge",
    .fields = angle_fields,
    .par_size = sizeof(par),
    .markers = 2,
    .joints = 1,
    .nmem = TURN_MEM,
    .planar = &angle_planar,
    .spatial = &angle_spatial,
    .start = start_angle,
    .accept = accept,
    .take = take_angle,
};
