// SPDX-License-Identifier: Apache-2.0
// A force on a point, each component a law, in global axes or in those of any marker.
// A constant one in global axes has the potential -F.p.
#include "force.h"
#include "vector_law.h"

typedef struct par {
  vector_law force;
} par;

static const tr_field fields[] = {
    {"force", TR_LAW3, TR_FORCE, offsetof(par, force.f), .doc = "its components, each a law"},
    {"frame", TR_MARKER, TR_NUMBER, offsetof(par, force.frame), "global",
     .doc = "axes of the components: global, marker (its own, turning with it), or any marker"},
    {0}};

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  const tr_law *z = ((const par *)pv)->force.f[2];
  (void)f;
  if (nd == 3 && !(z->constant && z->value == 0)) return "in the plane the third component is 0";
  return NULL;
}

static inline void eval(int nd, const par *p, double t, const tr_frame *const *f, const double *mem,
                        double *w) {
  double F[3];
  (void)mem;
  vector_law_value(&p->force, nd, t, f, F);
  for (int i = 0; i < p->force.f[0]->markers * nd; i++) w[i] = 0;
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) w[i] = F[i];
}

static inline void tangent(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *K, double *D) {
  (void)mem;
  vector_law_add_tangent(&p->force, nd, t, f, 0, 0, nd == 3 ? 2 : 3, K, D);
}

static inline double potential(int nd, const par *p, const tr_frame *const *f, const double *mem) {
  double sum = 0;
  (void)mem;
  if (p->force.frame >= 0 || !vector_law_is_constant(&p->force)) return 0;
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) sum -= p->force.f[i]->value * f[0]->p[i];
  return sum;
}

static inline void measure(int nd, const par *p, double t, const tr_frame *const *f,
                           const double *mem, double *out) {
  double F[3];
  (void)mem;
  vector_law_value(&p->force, nd, t, f, F);
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) out[i] = F[i];
}

static const char *const names2[] = {"fx", "fy", NULL}, *const names3[] = {"fx", "fy", "fz", NULL};
FORCE_FUNCTIONS_OF_TIME(2, 3)
FORCE_FUNCTIONS_OF_TIME(3, 6)
FORCE_POTENTIAL(2, 3)
FORCE_POTENTIAL(3, 6)
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
                                     .potential = potential3,
                                     .measure_names = names3,
                                     .measure = measure3};

const tr_force_type tr_force_force = {
    .name = "force",
    .doc = "force on a point, in global axes or those of a marker",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 1,
    .planar = &planar,
    .spatial = &spatial,
    .start = start,
};
