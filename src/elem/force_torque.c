// SPDX-License-Identifier: Apache-2.0
// A constant torque on a body, in global axes or in those of its marker, which follow the body:
// then T = R T_0, dT = dt x T. In the plane both are the same, with the potential -T angle; in
// space a constant torque has none.
#include <math.h>

#include "force.h"
#include "math/v3.h"

typedef struct par {
  double torque[3];
  int frame;
} par;

static const char *const frames[] = {"global", "marker", NULL};
static const tr_field fields[] = {
    {"torque", TR_VEC3, TR_TORQUE, offsetof(par, torque),
     .doc = "its components; in the plane the third counts"},
    {"frame", TR_CHOICE, TR_NUMBER, offsetof(par, frame), "global",
     .doc = "axes of the components: global, or the marker's, turning with it", .choices = frames},
    {0}};

static inline void look(int nd, const par *p, const tr_frame *f, double T[3]) {
  if (nd == 6 && p->frame == 1)
    m3_mul(f->R, p->torque, T);
  else
    v3_copy(p->torque, T);
}

static inline void eval(int nd, const par *p, const tr_frame *const *f, const double *mem,
                        double *w) {
  double T[3];
  (void)mem;
  look(nd, p, f[0], T);
  for (int i = 0; i < nd - 3; i++) w[i] = 0, w[3 + i] = T[i];
  if (nd == 3) w[0] = w[1] = 0, w[2] = T[2];
}

static inline void tangent(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *K, double *D) {
  double T[3], S[9];
  (void)mem, (void)D;
  if (nd == 3 || p->frame == 0) return;
  look(nd, p, f[0], T);
  m3_skew(T, S);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K[6 * (3 + i) + 3 + j] = -S[3 * i + j];
}

static inline double potential(int nd, const par *p, const tr_frame *const *f, const double *mem) {
  (void)nd, (void)mem;
  return -p->torque[2] * f[0]->angle;
}

static inline void measure(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *out) {
  double T[3];
  (void)mem;
  look(nd, p, f[0], T);
  if (nd == 3)
    out[0] = T[2];
  else
    v3_copy(T, out);
}

static const char *const names2[] = {"tz", NULL}, *const names3[] = {"tx", "ty", "tz", NULL};
FORCE_FUNCTIONS(2, 3)
FORCE_FUNCTIONS(3, 6)
FORCE_POTENTIAL(2, 3)
static const tr_force_ops planar = {.uses_moments = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .potential = potential2,
                                    .measure_names = names2,
                                    .measure = measure2};
static const tr_force_ops spatial = {.uses_moments = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .measure_names = names3,
                                     .measure = measure3};

const tr_force_type tr_force_torque = {
    .name = "torque",
    .doc = "constant torque on a body, in global axes or following its marker",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 1,
    .planar = &planar,
    .spatial = &spatial,
};
