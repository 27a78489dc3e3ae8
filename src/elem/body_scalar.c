// SPDX-License-Identifier: Apache-2.0
// A number among the unknowns: a state X with q = X/scale, or a variable V with v = V/scale and no q.
//
// It shows itself as a frame with p[0] = X, v[0] = X' or V, so that laws read it as they read markers, with
// the same exact derivatives. Its mass of 1 carries nothing: an equation (joint_equation.c) determines v,
// and its multiplier takes up whatever acts on the number. Neither gravity nor energy know of it.
#include "elem.h"
#include "math/v3.h"

static double scale_of(const tr_body_at *b) { return ((const tr_scalar_par *)b->par)->scale; }

static void pose(const void *pv, double p[3], double R[9]) {
  (void)pv;
  p[0] = p[1] = p[2] = 0;
  m3_identity(R);
}

static void start_state(const void *pv, double *q, double *v) {
  const tr_scalar_par *p = pv;
  q[0] = p->start / p->scale, v[0] = 0;
}

static void start_variable(const void *pv, double *q, double *v) {
  const tr_scalar_par *p = pv;
  (void)q;
  v[0] = p->start / p->scale;
}

static void site(const void *pv, const double p[3], const double R[9], tr_site *s) {
  (void)pv, (void)p, (void)R, (void)s;
}

static void show(const tr_body_at *b, bool state, int n, tr_frame *f) {
  double scale = scale_of(b);
  for (int k = 0; k < n; k++, f++) {
    *f = (tr_frame){0};
    m3_identity(f->R);
    f->p[0] = state ? scale * b->q[0] : 0;
    f->v[0] = scale * b->v[0];
  }
}

static void state_kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *s,
                             tr_frame *f) {
  (void)level, (void)s;
  show(b, true, n, f);
}

static void variable_kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *s,
                                tr_frame *f) {
  (void)level, (void)s;
  show(b, false, n, f);
}

static void add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out) {
  (void)s;
  out[0] += scale_of(b) * w[0];
}

static void add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w, double *K) {
  (void)b, (void)s, (void)w, (void)K;
}

static void twist_dq(const tr_body_at *b, const tr_site *s, double *U) {
  (void)b;
  for (int i = 0; i < s->nd; i++) U[i] = 0;
}

static void mass(const tr_body_at *b, double *M) {
  (void)b;
  M[0] = 1;
}

static void add_force(const tr_body_at *b, const double g[3], double *Q) {
  (void)b, (void)g, (void)Q;
}

static void energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  (void)b, (void)g;
  *kinetic = *potential = 0;
}

#define SCALAR(word, coordinates)                                                               \
  {                                                                                             \
    .name = #word, .doc = "a number among the unknowns", .par_size = sizeof(tr_scalar_par),     \
    .nq = coordinates, .nv = 1, .constant_mass = true, .pose = pose, .start = start_##word,     \
    .site = site, .kinematics = word##_kinematics, .add_pull = add_pull,                        \
    .add_wrench_dq = add_wrench_dq, .twist_dq = twist_dq, .mass = mass, .add_force = add_force, \
    .energy = energy,                                                                           \
  }
const tr_body_type tr_body_state = SCALAR(state, 1), tr_body_variable = SCALAR(variable, 0);
