// SPDX-License-Identifier: Apache-2.0
// The rigid body in coordinates of its rotation; the equations are in chart.h.
//
// (1) kinematics writes R and P; every other function reads them, and q and v.
// (2) All is exact for every x the chart allows, on its own constraints or off them: tangents are
//     derivatives of what is computed, not of what it should be.
#include "chart.h"

#include "math/v3.h"

enum { MAX = TR_CHART_MAX };

static const tr_chart *chart_of(const tr_body_at *b) {
  const tr_spatial_par *p = b->par;
  return p->coordinates == TR_EULER_313 ? &tr_chart_313 : &tr_chart_ep;
}

// y (3) = A x, A (3 x n)
static void times(int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < 3; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += A[n * i + j] * x[j];
  }
}

// y (n) += s A' x, A (3 x n)
static void add_pulled(int n, double s, const double *A, const double *x, double *y) {
  for (int j = 0; j < n; j++) y[j] += s * (A[j] * x[0] + A[n + j] * x[1] + A[2 * n + j] * x[2]);
}

// C (3 x n) = B A, B (3 x 3)
static void mul(int n, const double *B, const double *A, double *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++)
      C[n * i + j] = B[3 * i] * A[j] + B[3 * i + 1] * A[n + j] + B[3 * i + 2] * A[2 * n + j];
}

// The rotational block of K (nv x nv) += s A' B, A and B (3 x n)
static void add_tmul(int n, double s, const double *A, const double *B, double *K) {
  K += (3 + n) * 3 + 3;
  for (int i = 0; i < n; i++, K += 3 + n)
    for (int j = 0; j < n; j++)
      K[j] += s * (A[i] * B[j] + A[n + i] * B[n + j] + A[2 * n + i] * B[2 * n + j]);
}

// The rotational block of K += s A (n x n)
static void add_square(int n, double s, const double *A, double *K) {
  K += (3 + n) * 3 + 3;
  for (int i = 0; i < n; i++, K += 3 + n, A += n)
    for (int j = 0; j < n; j++) K[j] += s * A[j];
}

// ---- frames -----------------------------------------------------------------------------------------

void tr_chart_kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                         tr_frame *f) {
  const tr_chart *chart = chart_of(b);
  chart->place(b);
  const double *R = b->cache, *P = R + TR_CHART_P;
  double w[3], beta[3], W[3 * MAX], s[3];
  if (level >= TR_AT_VELOCITY) times(chart->n, P, b->v + 3, w);
  if (level >= TR_AT_BIAS) {
    chart->map_dx(b, b->v + 3, W);
    times(chart->n, W, b->v + 3, beta);
  }
  for (int k = 0; k < n; k++, site++, f++) {
    m3_mul(R, site->c, s);
    v3_add(b->q, s, f->p);
    m3_mulm(R, site->R, f->R);
    if (level < TR_AT_VELOCITY) continue;
    double wc[3], a[3], bc[3];
    v3_cross(w, site->c, wc);
    m3_mul(R, wc, s);
    v3_add(b->v, s, f->v);
    m3_mul(R, w, f->w);
    if (level < TR_AT_BIAS) continue;
    v3_cross(w, wc, a);
    v3_cross(beta, site->c, bc);
    v3_add(a, bc, a);
    m3_mul(R, a, f->ap);
    m3_mul(R, beta, f->aw);
  }
}

// Force and moment in body axes, and tau = c x f + n.
static void load(const tr_body_at *b, const tr_site *s, const double *w, double f[3], double n[3],
                 double tau[3]) {
  m3_tmul(b->cache, w, f);
  m3_tmul(b->cache, w + 3, n);
  v3_cross(s->c, f, tau);
  v3_add(tau, n, tau);
}

void tr_chart_add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out) {
  double f[3], n[3], tau[3];
  load(b, s, w, f, n, tau);
  v3_add(out, w, out);
  add_pulled(chart_of(b)->n, 1, b->cache + TR_CHART_P, tau, out + 3);
}

// (P' tau)_x + P' ([c][f] + [n]) P
void tr_chart_add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w, double *K) {
  const tr_chart *chart = chart_of(b);
  const double *P = b->cache + TR_CHART_P;
  double f[3], n[3], tau[3], A[9], B[9], SP[3 * MAX], N[MAX * MAX];
  load(b, s, w, f, n, tau);
  m3_skew2(s->c, f, A);
  m3_skew(n, B);
  for (int i = 0; i < 9; i++) A[i] += B[i];
  mul(chart->n, A, P, SP);
  add_tmul(chart->n, 1, P, SP, K);
  chart->pull_dx(b, tau, N);
  add_square(chart->n, 1, N, K);
}

// With W = (P x')_x:  -R ([w x c] P + [c] W)  and  R (W - [w] P)
void tr_chart_twist_dq(const tr_body_at *b, const tr_site *s, double *U) {
  const tr_chart *chart = chart_of(b);
  const double *R = b->cache, *P = R + TR_CHART_P;
  int n = chart->n, nv = 3 + n;
  double w[3], wc[3], S[9], W[3 * MAX], A[3 * MAX], B[3 * MAX], up[3 * MAX], down[3 * MAX];
  times(n, P, b->v + 3, w);
  chart->map_dx(b, b->v + 3, W);
  v3_cross(w, s->c, wc);
  m3_skew(wc, S);
  mul(n, S, P, A);
  m3_skew(s->c, S);
  mul(n, S, W, B);
  for (int i = 0; i < 3 * n; i++) A[i] = -A[i] - B[i];
  mul(n, R, A, up);
  m3_skew(w, S);
  mul(n, S, P, B);
  for (int i = 0; i < 3 * n; i++) B[i] = W[i] - B[i];
  mul(n, R, B, down);
  for (int i = 0; i < 6 * nv; i++) U[i] = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++) {
      U[nv * i + 3 + j] = up[n * i + j];
      U[nv * (3 + i) + 3 + j] = down[n * i + j];
    }
}

// ---- inertia ----------------------------------------------------------------------------------------

void tr_chart_mass(const tr_body_at *b, double *M) {
  const tr_spatial_par *p = b->par;
  const double *P = b->cache + TR_CHART_P;
  int n = chart_of(b)->n, nv = 3 + n;
  double JP[3 * MAX];
  for (int i = 0; i < nv * nv; i++) M[i] = 0;
  for (int i = 0; i < 3; i++) M[(nv + 1) * i] = p->mass;
  mul(n, p->inertia, P, JP);
  add_tmul(n, 1, P, JP, M);
  for (int i = 3; i < nv; i++) // symmetric to the last bit
    for (int j = 3; j < i; j++) M[nv * i + j] = M[nv * j + i];
}

// (P' tau)_x + P' J (P a)_x,  tau = J P a
void tr_chart_add_mass_dq(const tr_body_at *b, const double *a, double *K) {
  const tr_spatial_par *p = b->par;
  const tr_chart *chart = chart_of(b);
  const double *P = b->cache + TR_CHART_P;
  int n = chart->n;
  double Pa[3], tau[3], W[3 * MAX], JW[3 * MAX], N[MAX * MAX];
  times(n, P, a + 3, Pa);
  m3_mul(p->inertia, Pa, tau);
  chart->pull_dx(b, tau, N);
  add_square(n, 1, N, K);
  chart->map_dx(b, a + 3, W);
  mul(n, p->inertia, W, JW);
  add_tmul(n, 1, P, JW, K);
}

// w, J w, W = (P x')_x and kappa = J beta + w x J w
static void turn(const tr_body_at *b, double w[3], double Jw[3], double *W, double kappa[3]) {
  const tr_spatial_par *p = b->par;
  const tr_chart *chart = chart_of(b);
  double beta[3], gyro[3];
  times(chart->n, b->cache + TR_CHART_P, b->v + 3, w);
  chart->map_dx(b, b->v + 3, W);
  times(chart->n, W, b->v + 3, beta);
  m3_mul(p->inertia, w, Jw);
  v3_cross(w, Jw, gyro);
  m3_mul(p->inertia, beta, kappa);
  v3_add(kappa, gyro, kappa);
}

void tr_chart_add_force(const tr_body_at *b, const double g[3], double *Q) {
  const tr_spatial_par *p = b->par;
  double w[3], Jw[3], W[3 * MAX], kappa[3];
  turn(b, w, Jw, W, kappa);
  v3_axpy(p->mass, g, Q);
  add_pulled(chart_of(b)->n, -1, b->cache + TR_CHART_P, kappa, Q + 3);
}

// kappa_x = J beta_x + D W, kappa_x' = J beta_x' + D P,  D = [w] J - [J w]
void tr_chart_add_force_tangent(const tr_body_at *b, const double g[3], double *Qq, double *Qv) {
  (void)g;
  const tr_spatial_par *p = b->par;
  const tr_chart *chart = chart_of(b);
  const double *P = b->cache + TR_CHART_P;
  int n = chart->n;
  double w[3], Jw[3], W[3 * MAX], kappa[3], S[9], D[9], N[MAX * MAX];
  double Bx[3 * MAX], Bv[3 * MAX], X[3 * MAX];
  turn(b, w, Jw, W, kappa);
  m3_skew(w, S);
  m3_mulm(S, p->inertia, D);
  m3_skew(Jw, S);
  for (int i = 0; i < 9; i++) D[i] -= S[i];
  chart->bias_d(b, Bx, Bv);
  chart->pull_dx(b, kappa, N);
  add_square(n, -1, N, Qq);
  mul(n, p->inertia, Bx, X);
  add_tmul(n, -1, P, X, Qq);
  mul(n, D, W, X);
  add_tmul(n, -1, P, X, Qq);
  mul(n, p->inertia, Bv, X);
  add_tmul(n, -1, P, X, Qv);
  mul(n, D, P, X);
  add_tmul(n, -1, P, X, Qv);
}

void tr_chart_energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  const tr_spatial_par *p = b->par;
  double w[3], Jw[3];
  times(chart_of(b)->n, b->cache + TR_CHART_P, b->v + 3, w);
  m3_mul(p->inertia, w, Jw);
  *kinetic = 0.5 * (p->mass * v3_dot(b->v, b->v) + v3_dot(w, Jw));
  *potential = -p->mass * v3_dot(g, b->q);
}

double tr_chart_turn(const double *e, const double w[3], double *e1) {
  double turn[4];
  quat_exp(w, turn);
  quat_mul(e, turn, e1);
  quat_normalise(e1);
  return v3_norm(w);
}
