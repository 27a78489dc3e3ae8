// SPDX-License-Identifier: Apache-2.0
// A torque on a body, each component a law, in global axes or in those of any marker. In the plane only
// the third counts; a constant one then has the potential -T angle.
#include "force.h"
#include "vector_law.h"

typedef struct par {
  vector_law torque;
} par;

static const tr_field fields[] = {
    {"torque", TR_LAW3, TR_TORQUE, offsetof(par, torque.f),
     .doc = "its components, each a law; a single one is about z"},
    {"frame", TR_MARKER, TR_NUMBER, offsetof(par, torque.frame), "global",
     .doc = "axes of the components: global, marker (its own, turning with it), or any marker"},
    {0}};

static inline void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *mem,
                        double *w) {
  double T[3];
  (void)mem;
  vector_law_value(&p->torque, nd, t, f, T);
  for (int i = 0; i < p->torque.f[0]->markers * nd; i++) w[i] = 0;
  if (nd == 3)
    w[2] = T[2];
  else
    v3_copy(T, w + 3);
}

static inline void tangent(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *K, double *D) {
  (void)mem;
  vector_law_add_tangent(&p->torque, nd, t, f, nd == 3 ? 2 : 3, nd == 3 ? 2 : 0, 3, K, D);
}

static inline double potential(int nd, const par *p, const tr_frame *const *f, const double *mem) {
  (void)nd, (void)mem;
  return vector_law_is_constant(&p->torque) ? -p->torque.f[2]->value * f[0]->angle : 0;
}

static inline void measure(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *out) {
  double T[3];
  (void)mem;
  vector_law_value(&p->torque, nd, t, f, T);
  if (nd == 3)
    out[0] = T[2];
  else
    v3_copy(T, out);
}

static const char *const names2[] = {"tz", NULL}, *const names3[] = {"tx", "ty", "tz", NULL};
FORCE_FUNCTIONS_OF_TIME(2, 3)
FORCE_FUNCTIONS_OF_TIME(3, 6)
FORCE_POTENTIAL(2, 3)
static const tr_force_ops planar = {.uses_velocity = true,
                                    .uses_moments = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .potential = potential2,
                                    .measure_names = names2,
                                    .measure = measure2};
static const tr_force_ops spatial = {.uses_velocity = true,
                                     .uses_moments = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .measure_names = names3,
                                     .measure = measure3};

const tr_force_type tr_force_torque = {
    .name = "torque",
    .doc = "torque on a body, in global axes or those of a marker",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 1,
    .planar = &planar,
    .spatial = &spatial,
    .anywhere = true,
};
