// SPDX-License-Identifier: Apache-2.0
// A constant force on a point, in global axes (potential -F.p) or in those of its marker, which
// follow the body: then F = R F_0, dF = dt x F.
#include <math.h>

#include "force.h"
#include "math/v3.h"

typedef struct par {
  double force[3];
  int frame;
} par;

static const char *const frames[] = {"global", "marker", NULL};
static const tr_field fields[] = {
    {"force", TR_VEC3, TR_FORCE, offsetof(par, force), .doc = "its components"},
    {"frame", TR_CHOICE, TR_NUMBER, offsetof(par, frame), "global",
     .doc = "axes of the components: global, or the marker's, turning with it", .choices = frames},
    {0}};

static inline void look(int nd, const par *p, const tr_frame *f, double F[3]) {
  v3_copy(p->force, F);
  if (p->frame == 0) return;
  if (nd == 6) {
    m3_mul(f->R, p->force, F);
    return;
  }
  for (int i = 0; i < 2; i++) F[i] = f->R[3 * i] * p->force[0] + f->R[3 * i + 1] * p->force[1];
}

static inline void eval(int nd, const par *p, const tr_frame *const *f, const double *mem,
                        double *w) {
  double F[3];
  (void)mem;
  look(nd, p, f[0], F);
  for (int i = 0; i < nd; i++) w[i] = i < (nd == 3 ? 2 : 3) ? F[i] : 0;
}

static inline void tangent(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *K, double *D) {
  double F[3], S[9];
  (void)mem, (void)D;
  if (p->frame == 0) return;
  look(nd, p, f[0], F);
  if (nd == 3) {
    K[2] = -F[1], K[3 + 2] = F[0];
    return;
  }
  m3_skew(F, S);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K[6 * i + 3 + j] = -S[3 * i + j];
}

static inline double potential(int nd, const par *p, const tr_frame *const *f, const double *mem) {
  double sum = 0;
  (void)mem;
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) sum -= p->force[i] * f[0]->p[i];
  return p->frame == 0 ? sum : 0;
}

static inline void measure(int nd, const par *p, const tr_frame *const *f, const double *mem,
                           double *out) {
  double F[3];
  (void)mem;
  look(nd, p, f[0], F);
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) out[i] = F[i];
}

static const char *const names2[] = {"fx", "fy", NULL}, *const names3[] = {"fx", "fy", "fz", NULL};
FORCE_FUNCTIONS(2, 3)
FORCE_FUNCTIONS(3, 6)
FORCE_POTENTIAL(2, 3)
FORCE_POTENTIAL(3, 6)
static const tr_force_ops planar = {.uses_moments = true,
                                    .eval = eval2,
                                    .tangent = tangent2,
                                    .potential = potential2,
                                    .measure_names = names2,
                                    .measure = measure2};
static const tr_force_ops spatial = {.uses_moments = true,
                                     .eval = eval3,
                                     .tangent = tangent3,
                                     .potential = potential3,
                                     .measure_names = names3,
                                     .measure = measure3};

const tr_force_type tr_force_force = {
    .name = "force",
    .doc = "constant force on a point, in global axes or following its marker",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 1,
    .planar = &planar,
    .spatial = &spatial,
};
