// SPDX-License-Identifier: Apache-2.0
// Drag on a point that moves with v through a medium that moves with u:
//   r = v - u,  F = -(c_1 + c_2 |r|) r,   dF/dv = -(c_1 + c_2 |r|) 1 - c_2 r r'/|r|
// c_2 is density times drag coefficient times area over two.
#include <math.h>

#include "force.h"

typedef struct par {
  double linear, quadratic, wind[3];
} par;

static const tr_field fields[] = {{"linear", TR_REAL, TR_DAMPING, offsetof(par, linear), "0",
                                   .min = 0, .max = INFINITY, .doc = "c_1"},
                                  {"quadratic", TR_REAL, TR_NUMBER, offsetof(par, quadratic), "0",
                                   .min = 0, .max = INFINITY, .doc = "c_2, in N s^2/m^2"},
                                  {"wind", TR_VEC3, TR_VELOCITY, offsetof(par, wind), "[0, 0, 0]",
                                   .doc = "u, velocity of the medium, global"},
                                  {0}};

static inline double look(int n, const par *p, const tr_frame *f, double *r) {
  double rr = 0;
  for (int i = 0; i < n; i++) r[i] = f->v[i] - p->wind[i], rr += r[i] * r[i];
  return sqrt(rr);
}

static inline void eval(int nd, const par *p, const tr_frame *const *f, const double *mem,
                        double *w) {
  int n = nd == 3 ? 2 : 3;
  double r[3], speed = look(n, p, f[0], r);
  (void)mem;
  for (int i = 0; i < nd; i++) w[i] = i < n ? -(p->linear + p->quadratic * speed) * r[i] : 0;
}

static inline void tangent(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *K, double *D) {
  int n = nd == 3 ? 2 : 3;
  double r[3], speed = look(n, p, f[0], r), c = p->linear + p->quadratic * speed;
  (void)mem, (void)K;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      D[nd * i + j] = -(i == j ? c : 0) - (speed > 0 ? p->quadratic * r[i] * r[j] / speed : 0);
}

static inline void measure(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *out) {
  double r[3];
  (void)mem;
  out[1] = look(nd == 3 ? 2 : 3, p, f[0], r);
  out[0] = (p->linear + p->quadratic * out[1]) * out[1];
}

static const char *const names[] = {"f", "speed", NULL};
FORCE_FUNCTIONS(2, 3)
FORCE_FUNCTIONS(3, 6)
static const tr_force_ops planar = {.sight = TR_SEES_POINTS,
                                    .uses_velocity = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .measure_names = names,
                                    .measure = measure2};
static const tr_force_ops spatial = {.sight = TR_SEES_POINTS,
                                     .uses_velocity = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .measure_names = names,
                                     .measure = measure3};

const tr_force_type tr_force_drag = {
    .name = "drag",
    .doc = "drag on a point, linear and quadratic in its speed through a medium",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 1,
    .planar = &planar,
    .spatial = &spatial,
};
