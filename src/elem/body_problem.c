// SPDX-License-Identifier: Apache-2.0
// A problem in the user's own coordinates (tr_problem), dressed as a body with own constraints.
//
// What the user leaves out is done by central differences with step h = eps^(1/3) max(1, |x|), error
// O(h^2); second derivatives of phi with h = eps^(1/4). A callback that fails makes its output NaN,
// which every solver above takes for a recoverable failure; whose it was, and when, is kept for whoever explains it.
// cache: which failed last, from 1, and its time; x (n), y (n), A and B (n^2 + nm + 3n + 3m each).
#include <float.h>
#include <math.h>
#include <string.h>

#include "elem.h"
#include "math/vector.h"

typedef enum callback {
  NONE,
  MASS,
  FORCE,
  PHI,
  JAC,
  PHI_T,
  GAMMA,
  MASS_DQ,
  FORCE_DQ,
  FORCE_DV,
  GEOM,
  CALLBACKS
} callback;
static const char *const names[CALLBACKS] = {NULL,       "mass",     "force", "phi",
                                             "jac",      "phi_t",    "gamma", "mass_dq",
                                             "force_dq", "force_dv", "geom"};

enum { KEPT = 2 }; // numbers, of the last that failed

typedef struct scratch {
  double *x, *y, *A, *B;
} scratch;

static const tr_problem *problem(const tr_body_at *b) {
  return ((const tr_problem_par *)b->par)->problem;
}

static int big(const tr_problem *p) { return p->n * p->n + p->n * p->m + 3 * (p->n + p->m); }

static scratch room(const tr_body_at *b) {
  const tr_problem *p = problem(b);
  double *x = b->cache + KEPT, *A = x + 2 * p->n;
  return (scratch){x, x + p->n, A, A + big(p)};
}

static void sizes(const void *par, int *nq, int *nv, int *nc, int *ncache) {
  const tr_problem *p = ((const tr_problem_par *)par)->problem;
  *nq = *nv = p->n;
  *nc = p->m;
  *ncache = KEPT + 2 * p->n + 2 * big(p);
}

static void start(const void *par, double *q, double *v) {
  const tr_problem *p = ((const tr_problem_par *)par)->problem;
  for (int i = 0; i < p->n; i++) q[i] = p->q0[i], v[i] = p->v0 ? p->v0[i] : 0;
}

static void settle(const tr_body_at *b, callback which, tr_status status, double *out, int n) {
  if (status == TR_OK) return;
  b->cache[0] = which, b->cache[1] = b->t;
  for (int i = 0; i < n; i++) out[i] = NAN;
}

static const char *failed(const tr_body_at *b, double *t) {
  *t = b->cache[1];
  return names[(int)b->cache[0]];
}

static double step_for(double x) { return cbrt(DBL_EPSILON) * fmax(1, fabs(x)); }

// out (rows x n) column j = d f / d x_j; f writes `rows` numbers given x.
typedef tr_status (*function)(const tr_problem *p, double t, const double *q, const double *v,
                              const double *extra, double *out, double *work);
static void differentiate(const tr_body_at *b, callback which, function f, bool by_velocity,
                          const double *extra, int rows, double sign, double *out) {
  const tr_problem *p = problem(b);
  scratch s = room(b);
  int n = p->n;
  const double *base = by_velocity ? b->v : b->q;
  double *plus = s.B, *minus = s.B + rows, *work = s.A;
  memcpy(s.x, base, (size_t)n * sizeof *s.x);
  const double *q = by_velocity ? b->q : s.x, *v = by_velocity ? s.x : b->v;
  for (int j = 0; j < n; j++) {
    double h = step_for(base[j]), up = base[j] + h, down = base[j] - h;
    s.x[j] = up;
    settle(b, which, f(p, b->t, q, v, extra, plus, work), plus, rows);
    s.x[j] = down;
    settle(b, which, f(p, b->t, q, v, extra, minus, work), minus, rows);
    s.x[j] = base[j];
    for (int i = 0; i < rows; i++) out[i * n + j] += sign * (plus[i] - minus[i]) / (up - down);
  }
}

static void kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                       tr_frame *f) {
  (void)b, (void)level, (void)n, (void)site, (void)f; // no markers on a problem
}

static void mass(const tr_body_at *b, double *M) {
  const tr_problem *p = problem(b);
  settle(b, MASS, p->mass(p, b->q, M), M, p->n * p->n);
}

static tr_status mass_times(const tr_problem *p, double t, const double *q, const double *v,
                            const double *a, double *out, double *work) {
  (void)t, (void)v;
  tr_status status = p->mass(p, q, work);
  for (int i = 0; i < p->n; i++) {
    out[i] = 0;
    for (int j = 0; j < p->n; j++) out[i] += work[i * p->n + j] * a[j];
  }
  return status;
}

static void add(int n, const double *from, double sign, double *to) {
  for (int i = 0; i < n; i++) to[i] += sign * from[i];
}

static void add_mass_dq(const tr_body_at *b, const double *a, double *K) {
  const tr_problem *p = problem(b);
  if (p->constant_mass) return;
  if (!p->mass_dq) {
    differentiate(b, MASS, mass_times, false, a, p->n, 1, K);
    return;
  }
  double *A = room(b).A;
  settle(b, MASS_DQ, p->mass_dq(p, b->q, a, A), A, p->n * p->n);
  add(p->n * p->n, A, 1, K);
}

static void add_force(const tr_body_at *b, const double g[3], double *Q) {
  (void)g;
  const tr_problem *p = problem(b);
  double *y = room(b).y;
  settle(b, FORCE, p->force(p, b->t, b->q, b->v, y), y, p->n);
  add(p->n, y, 1, Q);
}

static tr_status force(const tr_problem *p, double t, const double *q, const double *v,
                       const double *extra, double *out, double *work) {
  (void)extra, (void)work;
  return p->force(p, t, q, v, out);
}

static void add_force_tangent(const tr_body_at *b, const double g[3], double *Qq, double *Qv) {
  (void)g;
  const tr_problem *p = problem(b);
  int nn = p->n * p->n;
  double *A = room(b).A;
  if (p->force_dq) {
    settle(b, FORCE_DQ, p->force_dq(p, b->t, b->q, b->v, A), A, nn);
    add(nn, A, 1, Qq);
  } else {
    differentiate(b, FORCE, force, false, NULL, p->n, 1, Qq);
  }
  if (p->force_dv) {
    settle(b, FORCE_DV, p->force_dv(p, b->t, b->q, b->v, A), A, nn);
    add(nn, A, 1, Qv);
  } else {
    differentiate(b, FORCE, force, true, NULL, p->n, 1, Qv);
  }
}

static void energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  (void)g;
  const tr_problem *p = problem(b);
  *kinetic = *potential = 0;
  if (p->energy) {
    if (p->energy(p, b->t, b->q, b->v, kinetic, potential) != TR_OK) *kinetic = NAN;
    return;
  }
  scratch s = room(b);
  if (mass_times(p, b->t, b->q, b->v, b->v, s.y, s.A) != TR_OK) *kinetic = NAN;
  for (int i = 0; i < p->n; i++) *kinetic += 0.5 * b->v[i] * s.y[i];
}

// ---- constraints ------------------------------------------------------------------------------------

static void phi(const tr_body_at *b, double *out) {
  const tr_problem *p = problem(b);
  settle(b, PHI, p->phi(p, b->t, b->q, out), out, p->m);
}

static tr_status phi_at(const tr_problem *p, double t, const double *q, const double *v,
                        const double *extra, double *out, double *work) {
  (void)v, (void)extra, (void)work;
  return p->phi(p, t, q, out);
}

static void jac(const tr_body_at *b, double *G) {
  const tr_problem *p = problem(b);
  if (p->jac) {
    settle(b, JAC, p->jac(p, b->t, b->q, G), G, p->m * p->n);
    return;
  }
  memset(G, 0, (size_t)(p->m * p->n) * sizeof *G);
  differentiate(b, PHI, phi_at, false, NULL, p->m, 1, G);
}

static tr_status pulled(const tr_problem *p, double t, const double *q, const double *v,
                        const double *lam, double *out, double *work) {
  (void)v;
  tr_status status = p->jac(p, t, q, work);
  for (int j = 0; j < p->n; j++) {
    out[j] = 0;
    for (int i = 0; i < p->m; i++) out[j] += work[i * p->n + j] * lam[i];
  }
  return status;
}

// lam . Phi by q twice, from values alone: (f++ - f+- - f-+ + f--)/(4 h k)
static void add_hessian(const tr_body_at *b, const double *lam, double *K) {
  const tr_problem *p = problem(b);
  scratch s = room(b);
  int n = p->n;
  memcpy(s.x, b->q, (size_t)n * sizeof *s.x);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double hi = sqrt(sqrt(DBL_EPSILON)) * fmax(1, fabs(b->q[i]));
      double hj = sqrt(sqrt(DBL_EPSILON)) * fmax(1, fabs(b->q[j])), sum = 0;
      for (int c = 0; c < 4; c++) {
        s.x[i] += c & 1 ? -hi : hi;
        s.x[j] += c & 2 ? -hj : hj;
        settle(b, PHI, p->phi(p, b->t, s.x, s.B), s.B, p->m);
        s.x[i] = b->q[i], s.x[j] = b->q[j];
        for (int k = 0; k < p->m; k++) sum += (c == 0 || c == 3 ? 1 : -1) * lam[k] * s.B[k];
      }
      double second = sum / (4 * hi * hj);
      K[i * n + j] += second;
      if (i != j) K[j * n + i] += second;
    }
  }
}

static void add_geom(const tr_body_at *b, const double *lam, double *K) {
  const tr_problem *p = problem(b);
  if (p->geom) {
    double *A = room(b).A;
    settle(b, GEOM, p->geom(p, b->t, b->q, lam, A), A, p->n * p->n);
    add(p->n * p->n, A, 1, K);
  } else if (p->jac) {
    differentiate(b, JAC, pulled, false, lam, p->n, 1, K);
  } else {
    add_hessian(b, lam, K);
  }
}

static void phi_t(const tr_body_at *b, double *out) {
  const tr_problem *p = problem(b);
  if (p->phi_t) {
    settle(b, PHI_T, p->phi_t(p, b->t, b->q, out), out, p->m);
    return;
  }
  double *plus = room(b).B, h = step_for(b->t), up = b->t + h, down = b->t - h;
  settle(b, PHI, p->phi(p, up, b->q, plus), plus, p->m);
  settle(b, PHI, p->phi(p, down, b->q, out), out, p->m);
  for (int i = 0; i < p->m; i++) out[i] = (plus[i] - out[i]) / (up - down);
}

// The point on the path q + s v, t + s.
static tr_body_at along(const tr_body_at *b, double s, double *x) {
  for (int i = 0; i < problem(b)->n; i++) x[i] = b->q[i] + s * b->v[i];
  return (tr_body_at){b->par, x, b->v, b->cache, b->t + s};
}

// G v + Phi_t at a point of the path.
static void rate(const tr_body_at *b, double *out) {
  const tr_problem *p = problem(b);
  scratch s = room(b);
  jac(b, s.A);
  phi_t(b, out);
  for (int i = 0; i < p->m; i++)
    for (int j = 0; j < p->n; j++) out[i] += s.A[i * p->n + j] * b->v[j];
}

// d/ds (G v + Phi_t) along the path; without G the second difference of Phi.
static void gamma_along(const tr_body_at *b, double *out) {
  const tr_problem *p = problem(b);
  if (p->gamma) {
    settle(b, GAMMA, p->gamma(p, b->t, b->q, b->v, out), out, p->m);
    return;
  }
  scratch s = room(b);
  double speed = fmax(1, vec_largest(b->v, p->n) / fmax(1, vec_largest(b->q, p->n)));
  double *plus = s.B + p->m;
  if (p->jac) {
    double h = cbrt(DBL_EPSILON) / speed;
    tr_body_at up = along(b, h, s.x);
    rate(&up, plus);
    tr_body_at down = along(b, -h, s.x);
    rate(&down, out);
    for (int i = 0; i < p->m; i++) out[i] = (plus[i] - out[i]) / (2 * h);
    return;
  }
  double h = sqrt(sqrt(DBL_EPSILON)) / speed, *mid = plus + p->m;
  tr_body_at up = along(b, h, s.x);
  phi(&up, plus);
  tr_body_at down = along(b, -h, s.x);
  phi(&down, out);
  phi(b, mid);
  for (int i = 0; i < p->m; i++) out[i] = (plus[i] - 2 * mid[i] + out[i]) / (h * h);
}

const tr_body_type tr_body_problem = {
    .name = "problem",
    .doc = "equations given by functions",
    .par_size = sizeof(tr_problem_par),
    .dim = 2,
    .sizes = sizes,
    .start = start,
    .kinematics = kinematics,
    .mass = mass,
    .add_mass_dq = add_mass_dq,
    .add_force = add_force,
    .add_force_tangent = add_force_tangent,
    .energy = energy,
    .phi = phi,
    .jac = jac,
    .add_geom = add_geom,
    .gamma = gamma_along,
    .phi_t = phi_t,
    .failed = failed,
};
