// SPDX-License-Identifier: Apache-2.0
// A given number of Newton iterations: exactly those of the full Newton method on the equations as they stand
// in the papers, by a small dense program that shares nothing with the library: hand-written planar
// mechanisms, long doubles, matrices by differences of the residual, elimination. Tables of papers were made
// with so many iterations, and are met digit by digit only if every one of them is the same.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_mechanics.h"

typedef long double real;
enum { NQ = 6, MOST = 5, UNKNOWNS = 4 * NQ };

// ---- mechanisms of two planar bodies ----------------------------------------------------------------

// Component `axis` of a point on a body minus that of a point on another; body -1: ground.
typedef struct row {
  int axis, body[2];
  real at[2]; // on the bodies' x axes
} row;

typedef struct plant {
  int rows;
  row row[MOST];
  real mass[NQ];
  void (*force)(const real *q, const real *v, real *Q);
  int gams; // constraints of velocities, after the others, of degree two in v at most
  void (*gam)(const real *q, const real *v, real *out);
} plant;

static int all_rows(const plant *p) { return p->rows + p->gams; }

static real point(const row *r, int k, const real *q) {
  if (r->body[k] < 0) return 0;
  const real *b = q + 3 * r->body[k];
  return b[r->axis] + r->at[k] * (r->axis ? sinl(b[2]) : cosl(b[2]));
}

static real slope_by_angle(const row *r, int k, const real *q) {
  real angle = q[3 * r->body[k] + 2];
  return r->at[k] * (r->axis ? cosl(angle) : -sinl(angle));
}

// Phi, and Gam_v w.
static void jacobian(const plant *p, const real *q, const real *v, real G[MOST][NQ]);
static void phi(const plant *p, const real *q, const real *v, const real *w, real *out) {
  real G[MOST][NQ];
  for (int i = 0; i < p->rows; i++) out[i] = point(&p->row[i], 0, q) - point(&p->row[i], 1, q);
  if (p->gams == 0) return;
  jacobian(p, q, v, G);
  for (int i = p->rows; i < all_rows(p); i++) {
    out[i] = 0;
    for (int j = 0; j < NQ; j++) out[i] += G[i][j] * w[j];
  }
}

static void jacobian(const plant *p, const real *q, const real *v, real G[MOST][NQ]) {
  memset(G, 0, sizeof(real) * MOST * NQ);
  for (int i = 0; i < p->rows; i++)
    for (int k = 0; k < 2; k++) {
      const row *r = &p->row[i];
      if (r->body[k] < 0) continue;
      G[i][3 * r->body[k] + r->axis] += k ? -1 : 1;
      G[i][3 * r->body[k] + 2] += (k ? -1 : 1) * slope_by_angle(r, k, q);
    }
  for (int j = 0; p->gams > 0 && j < NQ; j++) { // differences of parabolas are exact
    real up[MOST], down[MOST], u[NQ];
    memcpy(u, v, sizeof u);
    u[j] = v[j] + 1, p->gam(q, u, up);
    u[j] = v[j] - 1, p->gam(q, u, down);
    for (int i = 0; i < p->gams; i++) G[p->rows + i][j] = (up[i] - down[i]) / 2;
  }
}

// G' x over rows first .., and G v, or Gam
static void pull(const plant *p, const real *q, const real *v, int first, int last, const real *x,
                 real *out) {
  real G[MOST][NQ];
  jacobian(p, q, v, G);
  for (int j = 0; j < NQ; j++) {
    out[j] = 0;
    for (int i = first; i < last; i++) out[j] += G[i][j] * x[i];
  }
}
static void rates(const plant *p, const real *q, const real *v, real *out) {
  real G[MOST][NQ];
  jacobian(p, q, v, G);
  for (int i = 0; i < p->rows; i++) {
    out[i] = 0;
    for (int j = 0; j < NQ; j++) out[i] += G[i][j] * v[j];
  }
  if (p->gams > 0) p->gam(q, v, out + p->rows);
}

static const real PI = 3.14159265358979323846264338327950288L;

// [GNP05]: springs and dampers on absolute angles.
static void double_pendulum_force(const real *q, const real *v, real *Q) {
  real one = -400 * (q[2] - 3 * PI / 2) - 15 * v[2],
       two = -3e5L * (q[5] - q[2]) - 5e4L * (v[5] - v[2]);
  const real w[NQ] = {0, -9.81L * 3, one - two, 0, -9.81L * 0.3L, two};
  memcpy(Q, w, sizeof w);
}
static const plant double_pendulum = {4,
                                      {{0, {0, -1}, {-1, 0}},
                                       {1, {0, -1}, {-1, 0}},
                                       {0, {1, 0}, {-1.5L, 1}},
                                       {1, {1, 0}, {-1.5L, 1}}},
                                      {3, 3, 1, 0.3L, 0.3L, 0.3L * 2.25L / 3},
                                      double_pendulum_force,
                                      0,
                                      NULL};

// [NJK09]: spring and damper from the origin to the slider, a distance.
static void slider_crank_force(const real *q, const real *v, real *Q) {
  real c = cosl(q[5]), s = sinl(q[5]), x = q[3] + 0.3L * c, y = q[4] + 0.3L * s;
  real vx = v[3] - 0.3L * s * v[5], vy = v[4] + 0.3L * c * v[5], l = sqrtl(x * x + y * y);
  real f = -100 * (l - 0.9L) - 5 * (x * vx + y * vy) / l, fx = f * x / l, fy = f * y / l;
  const real w[NQ] = {0, -9.81L * 3, 0, fx, fy - 9.81L * 0.9L, 0.3L * (c * fy - s * fx)};
  memcpy(Q, w, sizeof w);
}
static const plant slider_crank = {5,
                                   {{0, {0, -1}, {-0.15L, 0}},
                                    {1, {0, -1}, {-0.15L, 0}},
                                    {0, {1, 0}, {-0.3L, 0.15L}},
                                    {1, {1, 0}, {-0.3L, 0.15L}},
                                    {1, {1, -1}, {0.3L, 0}}},
                                   {3, 3, 3 * 0.09L / 12, 0.9L, 0.9L, 0.9L * 0.36L / 12},
                                   slider_crank_force,
                                   0,
                                   NULL};

// A blade that carries a hinge, and a constraint curved in the velocities.
static const char sledge_text[] =
    "trammel: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {type: planar, mass: 2, inertia: 0.3, angle: 0.3, velocity: [1.5, 0.73], omega: 1}\n"
    "  b: {type: planar, mass: 0.7, inertia: 0.1, position: [1.17, -0.14], angle: -0.4,\n"
    "    velocity: [1.7, 2.1], omega: 1.3}\n"
    "joints:\n"
    "  hinge: {type: revolute, markers: [{body: a, at: [0.5, 0]}, {body: b, at: [-0.75, 0]}]}\n"
    "  blade: {type: knife-edge, markers: [ground, {body: a, at: [-0.25, 0]}]}\n"
    "  law: {type: velocity-expression, gam: \"VX(b)*WZ(a) + 2*VY(b)*DX(a) - 1*WZ(b)*WZ(b)\"}\n"
    "forces:\n"
    "  air: {type: drag, markers: [b], quadratic: 0.5}\n"
    "simulation: {end: 1, step: 0.01}\n";
static void sledge_force(const real *q, const real *v, real *Q) {
  real speed = sqrtl(v[3] * v[3] + v[4] * v[4]);
  (void)q;
  const real w[NQ] = {0, -9.81L * 2, 0, -speed * v[3] / 2, -speed * v[4] / 2 - 9.81L * 0.7L, 0};
  memcpy(Q, w, sizeof w);
}
static void sledge_gam(const real *q, const real *v, real *out) {
  out[0] = -sinl(q[2]) * v[0] + cosl(q[2]) * v[1] - 0.25L * v[2];
  out[1] = v[3] * v[2] + 2 * v[4] * q[0] - v[5] * v[5];
}
static const plant sledge = {2,
                             {{0, {1, 0}, {-0.75L, 0.5L}}, {1, {1, 0}, {-0.75L, 0.5L}}},
                             {2, 2, 0.3L, 0.7L, 0.7L, 0.1L},
                             sledge_force,
                             2,
                             sledge_gam};

// ---- Newton's method ----------------------------------------------------------------------------------

typedef struct scheme scheme;
struct scheme {
  const plant *p;
  int n;
  real h, q[NQ], v[NQ], a[NQ], F[NQ];            // the state and the method's own past
  real old_q[NQ], old_v[NQ];                     // of two steps before
  bool second;                                   // there is one
  real lam[MOST], mu[MOST], w[NQ], f[NQ], A[NQ]; // A: generalised-alpha's
  void (*residual)(const scheme *s, const real *z, real *r);
  void (*place)(const scheme *s, const real *z, real *q, real *v);
};

static void eliminate(int n, real A[UNKNOWNS][UNKNOWNS], real *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
    for (int j = 0; j < n; j++) {
      real t = A[k][j];
      A[k][j] = A[best][j], A[best][j] = t;
    }
    real t = b[k];
    b[k] = b[best], b[best] = t;
    for (int i = k + 1; i < n; i++) {
      real f = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
}

// dz: what a difference of each unknown should be, so that positions move by about 1e-7.
static void newton(const scheme *s, int iterations, const real *dz, real *z) {
  static real A[UNKNOWNS][UNKNOWNS];
  real r[UNKNOWNS], up[UNKNOWNS], down[UNKNOWNS];
  for (int k = 0; k < iterations; k++) {
    s->residual(s, z, r);
    for (int j = 0; j < s->n; j++) {
      real old = z[j], e = dz[j];
      z[j] = old + e, s->residual(s, z, up);
      z[j] = old - e, s->residual(s, z, down);
      z[j] = old;
      for (int i = 0; i < s->n; i++) A[i][j] = (up[i] - down[i]) / (2 * e);
    }
    eliminate(s->n, A, r);
    for (int j = 0; j < s->n; j++) z[j] -= r[j];
  }
}

// F = G' lam - Q
static void forces(const plant *p, const real *q, const real *v, const real *lam, real *F) {
  real Q[NQ];
  pull(p, q, v, 0, all_rows(p), lam, F);
  p->force(q, v, Q);
  for (int i = 0; i < NQ; i++) F[i] -= Q[i];
}

// ---- HHT-SI2: (a1, abar, lam, mu) ---------------------------------------------------------------------

static const real ALPHA = -0.3L, BETA = 0.4225L, GAMMA = 0.8L;

static void hht_place(const scheme *s, const real *z, real *q, real *v) {
  real h = s->h;
  for (int i = 0; i < NQ; i++) {
    q[i] = s->q[i] + h * s->v[i] + h * h * ((0.5L - BETA) * s->a[i] + BETA * z[i] + z[NQ + i] / 2);
    v[i] = s->v[i] + h * ((1 - GAMMA) * s->a[i] + GAMMA * z[i]);
  }
}

static void hht_residual(const scheme *s, const real *z, real *r) {
  const plant *p = s->p;
  int m = all_rows(p);
  const real *lam = z + 2 * NQ, *mu = lam + m;
  real q[NQ], v[NQ], F[NQ], P[NQ];
  hht_place(s, z, q, v);
  forces(p, q, v, lam, F);
  pull(p, q, v, 0, m, mu, P);
  for (int i = 0; i < NQ; i++) {
    r[i] = p->mass[i] * z[i] / (1 + ALPHA) + F[i] - ALPHA / (1 + ALPHA) * s->F[i];
    r[NQ + i] = p->mass[i] * z[NQ + i] - P[i];
  }
  phi(p, q, v, z + NQ, r + 2 * NQ);
  rates(p, q, v, r + 2 * NQ + m);
}

// ---- HHT-I3: (a1, lam), the others 0 --------------------------------------------------------------------

static void i3_residual(const scheme *s, const real *z, real *r) {
  const plant *p = s->p;
  int m = all_rows(p);
  real q[NQ], v[NQ], F[NQ];
  hht_place(s, z, q, v);
  forces(p, q, v, z + 2 * NQ, F);
  for (int i = 0; i < NQ; i++) {
    r[i] = p->mass[i] * z[i] / (1 + ALPHA) + F[i] - ALPHA / (1 + ALPHA) * s->F[i];
    r[NQ + i] = z[NQ + i];
  }
  phi(p, q, v, v, r + 2 * NQ);
  if (p->gams > 0) p->gam(q, v, r + 2 * NQ + p->rows);
  for (int i = 0; i < m; i++) r[2 * NQ + m + i] = z[2 * NQ + m + i];
}

// ---- NSTIFF-SI2: (v', q', lam, mu), printed metric ----------------------------------------------------

static void bdf_place(const scheme *s, const real *z, real *q, real *v) {
  real now = s->second ? 2 * s->h / 3 : s->h, past = s->second ? 1.0L / 3 : 0;
  for (int i = 0; i < NQ; i++) {
    q[i] = s->q[i] + past * (s->q[i] - s->old_q[i]) + now * z[NQ + i];
    v[i] = s->v[i] + past * (s->v[i] - s->old_v[i]) + now * z[i];
  }
}

static void bdf_residual(const scheme *s, const real *z, real *r) {
  const plant *p = s->p;
  int m = all_rows(p);
  real q[NQ], v[NQ], F[NQ], P[NQ], w[NQ];
  bdf_place(s, z, q, v);
  forces(p, q, v, z + 2 * NQ, F);
  pull(p, q, v, 0, m, z + 2 * NQ + m, P);
  for (int i = 0; i < NQ; i++) {
    w[i] = z[NQ + i] - v[i];
    r[i] = p->mass[i] * z[i] + F[i];
    r[NQ + i] = P[i] - w[i];
  }
  phi(p, q, v, w, r + 2 * NQ);
  rates(p, q, v, r + 2 * NQ + m);
}

// ---- generalised-alpha, index 2: (a1, w, lam, mu), rho = 0.8 ------------------------------------------

static const real RHO = 0.8L;

static void gen_place(const scheme *s, const real *z, real *q, real *v) {
  real am = (2 * RHO - 1) / (RHO + 1), af = RHO / (RHO + 1), h = s->h;
  real gamma = 0.5L + af - am, beta = (gamma + 0.5L) * (gamma + 0.5L) / 4;
  for (int i = 0; i < NQ; i++) {
    real A1 = ((1 - af) * z[i] + af * s->a[i] - am * s->A[i]) / (1 - am);
    q[i] = s->q[i] + h * s->v[i] + h * h * ((0.5L - beta) * s->A[i] + beta * A1) + h * z[NQ + i];
    v[i] = s->v[i] + h * ((1 - gamma) * s->A[i] + gamma * A1);
  }
}

static void gen_residual(const scheme *s, const real *z, real *r) {
  const plant *p = s->p;
  int m = all_rows(p);
  real q[NQ], v[NQ], F[NQ], P[NQ];
  gen_place(s, z, q, v);
  forces(p, q, v, z + 2 * NQ, F);
  pull(p, q, v, 0, m, z + 2 * NQ + m, P);
  for (int i = 0; i < NQ; i++) {
    r[i] = p->mass[i] * z[i] + F[i];
    r[NQ + i] = p->mass[i] * z[NQ + i] - P[i];
  }
  phi(p, q, v, z + NQ, r + 2 * NQ);
  rates(p, q, v, r + 2 * NQ + m);
}

// ---- HHT-ADD, b = 0: (a1, v1, psi_I, psi_II); q1 follows, linearly ------------------------------------
// Gam has a lam in the place of psi_I, which is one of the forces, and no psi_II.

// Q - Gam_v' lam
static void applied(const plant *p, const real *q, const real *v, const real *lam, real *F) {
  real P[NQ];
  p->force(q, v, F);
  pull(p, q, v, p->rows, all_rows(p), lam, P);
  for (int i = 0; i < NQ; i++) F[i] -= P[i];
}

static void add_place(const scheme *s, const real *z, real *q, real *v) {
  real P[NQ], h = s->h;
  pull(s->p, s->q, s->v, 0, s->p->rows, z + 2 * NQ, P);
  for (int i = 0; i < NQ; i++) {
    q[i] = s->q[i] + h * s->v[i] + h * h * ((0.5L - BETA) * s->a[i] + BETA * z[i]) -
           h * h / 2 * P[i] / s->p->mass[i];
    v[i] = z[NQ + i];
  }
}

static void add_residual(const scheme *s, const real *z, real *r) {
  const plant *p = s->p;
  int m = all_rows(p);
  real q[NQ], v[NQ], F[NQ], P1[NQ], P2[NQ], h = s->h;
  add_place(s, z, q, v);
  applied(p, q, v, z + 2 * NQ, F);
  pull(p, s->q, s->v, 0, p->rows, z + 2 * NQ, P1);
  pull(p, q, v, 0, p->rows, z + 2 * NQ + m, P2);
  for (int i = 0; i < NQ; i++) {
    r[i] = p->mass[i] * (z[i] + ALPHA * s->f[i]) - (1 + ALPHA) * F[i];
    r[NQ + i] = v[i] - s->v[i] - h * ((1 - GAMMA) * s->a[i] + GAMMA * z[i]) +
                h / 2 * (P1[i] + P2[i]) / p->mass[i];
  }
  phi(p, q, v, v, r + 2 * NQ);
  rates(p, q, v, r + 2 * NQ + m);
  for (int i = p->rows; i < m; i++) r[2 * NQ + i] = z[2 * NQ + m + i];
}

// ---- a step ---------------------------------------------------------------------------------------------

typedef enum kind { HHT, BDF, GEN, ADD, I3 } kind;

static void take_step(scheme *s, kind k, int iterations) {
  int m = all_rows(s->p);
  real z[UNKNOWNS], dz[UNKNOWNS], q[NQ], v[NQ], Q[NQ], h = s->h;
  for (int i = 0; i < NQ; i++) {
    z[i] = s->a[i], dz[i] = 1e-7L / (h * h);
    z[NQ + i] = s->w[i], dz[NQ + i] = k == HHT ? 1e-7L / (h * h) : 1e-7L / h;
  }
  for (int i = 0; i < m; i++) {
    z[2 * NQ + i] = s->lam[i], z[2 * NQ + m + i] = s->mu[i];
    dz[2 * NQ + i] = dz[2 * NQ + m + i] = k == ADD ? 1e-7L / (h * h) : 1;
  }
  if (k == BDF) { // q' = v + w at the prediction
    bdf_place(s, z, q, v);
    for (int i = 0; i < NQ; i++) z[NQ + i] = v[i] + s->w[i];
  }
  if (k == ADD) { // v by its formula, with G at the predicted place
    real P1[NQ], P2[NQ];
    add_place(s, z, q, v);
    pull(s->p, s->q, s->v, 0, s->p->rows, z + 2 * NQ, P1);
    pull(s->p, q, v, 0, s->p->rows, z + 2 * NQ + m, P2);
    for (int i = 0; i < NQ; i++)
      z[NQ + i] = s->v[i] + h * ((1 - GAMMA) * s->a[i] + GAMMA * z[i]) -
                  h / 2 * (P1[i] + P2[i]) / s->p->mass[i];
  }
  newton(s, iterations, dz, z);
  s->place(s, z, q, v);
  if (k == ADD) { // the velocities by their formula once more
    real r[UNKNOWNS];
    add_residual(s, z, r);
    for (int i = 0; i < NQ; i++) v[i] -= r[NQ + i];
  }
  real am = (2 * RHO - 1) / (RHO + 1), af = RHO / (RHO + 1);
  for (int i = 0; i < NQ; i++) {
    s->A[i] = ((1 - af) * z[i] + af * s->a[i] - am * s->A[i]) / (1 - am);
    s->a[i] = z[i];
    s->w[i] = k == BDF ? z[NQ + i] - v[i] : z[NQ + i];
    s->old_q[i] = s->q[i], s->old_v[i] = s->v[i];
    s->q[i] = q[i], s->v[i] = v[i];
  }
  for (int i = 0; i < m; i++) s->lam[i] = z[2 * NQ + i], s->mu[i] = z[2 * NQ + m + i];
  forces(s->p, q, v, s->lam, s->F);
  applied(s->p, q, v, s->lam, Q);
  for (int i = 0; i < NQ; i++) s->f[i] = Q[i] / s->p->mass[i];
  s->second = true;
}

// Accelerations and multipliers 0 at the start, as --zero-start has it.
static scheme start(const plant *p, kind k, const tr_state *x, double h) {
  static void (*const residual[])(const scheme *, const real *, real *) = {
      hht_residual, bdf_residual, gen_residual, add_residual, i3_residual};
  static void (*const place[])(const scheme *, const real *, real *, real *) = {
      hht_place, bdf_place, gen_place, add_place, hht_place};
  scheme s = {
      .p = p, .n = 2 * NQ + 2 * all_rows(p), .h = h, .residual = residual[k], .place = place[k]};
  real Q[NQ];
  for (int i = 0; i < NQ; i++) s.q[i] = x->q[i], s.v[i] = x->v[i];
  forces(p, s.q, s.v, s.lam, s.F);
  p->force(s.q, s.v, Q);
  for (int i = 0; i < NQ; i++) s.f[i] = Q[i] / p->mass[i];
  if (k == ADD) memcpy(s.a, s.f, sizeof s.a);
  return s;
}

// ---- both -------------------------------------------------------------------------------------------------

// text NULL: a model's file.
static void check(const char *model, const char *text, const plant *p, const char *method, kind k,
                  double h, int steps, int iterations) {
  mechanism m = text ? load_text(text) : load_model(model, NULL);
  tr_run_settings set = tr_run_defaults();
  tr_error error = {0};
  tr_run *run;
  set.method = method, set.step = h, set.end = steps * h;
  set.zero_start = true, set.consistent_start = false;
  set.newton.fixed_iterations = iterations;
  if (tr_run_new(m.sys, &set, NULL, &run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
  scheme s = start(p, k, tr_run_state(run), h);
  for (int n = 1; n <= steps; n++) {
    if (tr_run_step(run, &error) != TR_OK) fail_msg("%s: %s", method, error.text);
    take_step(&s, k, iterations);
    const tr_state *x = tr_run_state(run);
    real scale = 1, speed = 1;
    for (int i = 0; i < NQ; i++)
      scale = fmaxl(scale, fabsl(s.q[i])), speed = fmaxl(speed, fabsl(s.v[i]));
    for (int i = 0; i < NQ; i++) {
      assert_near(x->q[i], (double)s.q[i], 1e-8 * (double)scale,
                  "%s, %s, %d iterations, step %d: q%d", model, method, iterations, n, i);
      assert_near(x->v[i], (double)s.v[i], 1e-7 * (double)speed,
                  "%s, %s, %d iterations, step %d: v%d", model, method, iterations, n, i);
    }
  }
  tr_run_free(run);
  unload(&m);
}

static void all_models(const char *method, kind k) {
  for (int iterations = 1; iterations <= 3; iterations++) {
    check("slider_crank.yaml", NULL, &slider_crank, method, k, 0x1p-5, 12, iterations);
    check("slider_crank.yaml", NULL, &slider_crank, method, k, 0x1p-8, 12, iterations);
    check("double_pendulum.yaml", NULL, &double_pendulum, method, k, 0x1p-8, 12, iterations);
    check("double_pendulum.yaml", NULL, &double_pendulum, method, k, 0x1p-11, 12, iterations);
    check("sledge", sledge_text, &sledge, method, k, 0x1p-5, 12, iterations);
    check("sledge", sledge_text, &sledge, method, k, 0x1p-8, 12, iterations);
  }
}

static void hht_i3(void **u) {
  (void)u;
  all_models("hht-i3:alpha=-0.3,start=printed", I3);
}
static void hht_si2(void **u) {
  (void)u;
  all_models("hht-si2:alpha=-0.3", HHT);
  check("double_pendulum.yaml", NULL, &double_pendulum, "hht-si2:alpha=-0.3", HHT, 0x1p-4, 8, 3);
}
static void nstiff_si2(void **u) {
  (void)u;
  all_models("nstiff-si2:start=printed,metric=identity", BDF);
}
static void gen_alpha(void **u) {
  (void)u;
  all_models("gen-alpha:rho=0.8,index=2", GEN);
}
static void hht_add(void **u) {
  (void)u;
  const char *method =
      "hht-add:alpha=-0.3,b=0,start=printed"; // starts with the applied forces, 2e6 rad/s^2 here
  for (int iterations = 1; iterations <= 3; iterations++) {
    check("slider_crank.yaml", NULL, &slider_crank, method, ADD, 0x1p-5, 12, iterations);
    check("slider_crank.yaml", NULL, &slider_crank, method, ADD, 0x1p-8, 12, iterations);
    check("double_pendulum.yaml", NULL, &double_pendulum, method, ADD, 0x1p-14, 12, iterations);
    check("sledge", sledge_text, &sledge, method, ADD, 0x1p-5, 12, iterations);
    check("sledge", sledge_text, &sledge, method, ADD, 0x1p-8, 12, iterations);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hht_i3),    cmocka_unit_test(hht_si2), cmocka_unit_test(nstiff_si2),
      cmocka_unit_test(gen_alpha), cmocka_unit_test(hht_add),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
