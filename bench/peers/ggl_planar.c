// SPDX-License-Identifier: Apache-2.0
// Planar bodies (x, y, angle) with pins between them: A02, CHAIN in its plane, SLIDER.
//
// An end of a pin is a point s of a body, or of the ground: p = r + R(angle) s. Let k be R s turned by a
// quarter, so that p_angle = k and k_angle = -R s. A pin's rows are p_A - p_B; that of the slider is p_y.
#include "ggl.h"

typedef struct end {
  int body; // -1: ground
  double sign, s[2];
} end;

typedef struct pin {
  end e[2];
  int row, rows; // one row: y alone
} pin;

typedef struct linkage {
  int bodies, pins;
  double m, J;    // of all bodies but the second of SLIDER
  double m1, J1;  // that one
  end seen;       // the observed point
  int angle;      // or body 0's angle
  double gravity; // along -y
  pin pin[];
} linkage;

static double mass(const linkage *l, int body) { return body == 1 ? l->m1 : l->m; }
static double inertia(const linkage *l, int body) { return body == 1 ? l->J1 : l->J; }

// R s and R s turned by a quarter.
static void turn(const end *e, const double *q, double *Rs, double *k) {
  double c = cos(q[3 * e->body + 2]), s = sin(q[3 * e->body + 2]);
  Rs[0] = c * e->s[0] - s * e->s[1], Rs[1] = s * e->s[0] + c * e->s[1];
  k[0] = -Rs[1], k[1] = Rs[0];
}

static void residual(const ggl *g, double t, const double *y, const double *yp, double *r) {
  (void)t;
  const linkage *l = g->data;
  int nq = g->nq, nc = g->nc;
  const double *q = y, *v = y + nq, *lam = v + nq, *mu = lam + nc;
  double *r_q = r, *r_v = r + nq, *rate = r_v + nq, *phi = rate + nc;
  for (int b = 0; b < l->bodies; b++) {
    double m = mass(l, b), J = inertia(l, b);
    for (int i = 3 * b; i < 3 * b + 3; i++) {
      r_q[i] = yp[i] - v[i];
      r_v[i] = (i % 3 == 2 ? J : m) * yp[nq + i];
    }
    r_v[3 * b + 1] += m * l->gravity;
  }
  memset(rate, 0, 2 * (size_t)nc * sizeof *rate);
  for (int p = 0; p < l->pins; p++) {
    const pin *c = &l->pin[p];
    int first = 2 - c->rows;
    for (int e = 0; e < 2; e++) {
      const end *a = &c->e[e];
      if (a->body < 0) {
        for (int i = first; i < 2; i++) phi[c->row + i - first] += a->sign * a->s[i];
        continue;
      }
      double Rs[2], k[2];
      int b = 3 * a->body;
      turn(a, q, Rs, k);
      for (int i = first; i < 2; i++) {
        int row = c->row + i - first;
        double f = a->sign * lam[row], w = a->sign * mu[row];
        phi[row] += a->sign * (q[b + i] + Rs[i]);
        rate[row] += a->sign * (v[b + i] + k[i] * v[b + 2]);
        r_v[b + i] += f, r_v[b + 2] += f * k[i];
        r_q[b + i] += w, r_q[b + 2] += w * k[i];
      }
    }
  }
}

static void matrix(ggl *g, double time, double cj, const double *y, const double *yp) {
  (void)time, (void)yp;
  const linkage *l = g->data;
  int nq = g->nq, nc = g->nc, V = nq, LAM = 2 * nq, MU = LAM + nc;
  const double *q = y, *v = y + nq, *lam = v + nq, *mu = lam + nc;
  for (int b = 0; b < l->bodies; b++)
    for (int i = 3 * b; i < 3 * b + 3; i++) {
      ggl_emit(g, i, i, cj);
      ggl_emit(g, i, V + i, -1);
      ggl_emit(g, V + i, V + i, cj * (i % 3 == 2 ? inertia(l, b) : mass(l, b)));
    }
  for (int p = 0; p < l->pins; p++) {
    const pin *c = &l->pin[p];
    int first = 2 - c->rows;
    for (int e = 0; e < 2; e++) {
      const end *a = &c->e[e];
      if (a->body < 0) continue;
      double Rs[2], k[2];
      int b = 3 * a->body, t = b + 2;
      turn(a, q, Rs, k);
      for (int i = first; i < 2; i++) {
        int row = c->row + i - first, RATE = LAM + row, PHI = MU + row;
        double s = a->sign, G = s * k[i];
        // G and its transpose, for lam and for mu
        ggl_emit(g, PHI, b + i, s), ggl_emit(g, PHI, t, G);
        ggl_emit(g, RATE, V + b + i, s), ggl_emit(g, RATE, V + t, G);
        ggl_emit(g, V + b + i, LAM + row, s), ggl_emit(g, V + t, LAM + row, G);
        ggl_emit(g, b + i, MU + row, s), ggl_emit(g, t, MU + row, G);
        // k_angle = -R s
        ggl_emit(g, V + t, t, -s * lam[row] * Rs[i]);
        ggl_emit(g, t, t, -s * mu[row] * Rs[i]);
        ggl_emit(g, RATE, t, -s * Rs[i] * v[t]);
      }
    }
  }
}

static void observe(const ggl *g, const double *y, double *x, double *v) {
  const linkage *l = g->data;
  const double *q = y, *u = y + g->nq;
  double Rs[2], k[2];
  int b = 3 * l->seen.body;
  x[0] = x[1] = x[2] = v[0] = v[1] = v[2] = 0;
  if (l->angle) {
    x[0] = q[2], v[0] = u[2];
    return;
  }
  turn(&l->seen, q, Rs, k);
  for (int i = 0; i < 2; i++) x[i] = q[b + i] + Rs[i], v[i] = u[b + i] + k[i] * u[b + 2];
}

static double energy(const ggl *g, const double *y) {
  const linkage *l = g->data;
  double E = 0;
  for (int b = 0; b < l->bodies; b++) {
    const double *q = y + 3 * b, *v = q + g->nq;
    double m = mass(l, b);
    E += 0.5 * (m * (v[0] * v[0] + v[1] * v[1]) + inertia(l, b) * v[2] * v[2]);
    E += m * l->gravity * q[1];
  }
  return E;
}

// The chain hangs in the plane of x and z.
static void observe_chain(const ggl *g, const double *y, double *x, double *v) {
  observe(g, y, x, v);
  x[2] = x[1], x[1] = 0;
  v[0] = NAN;
}

static void add_pin(ggl *g, int a, double ax, double ay, int b, double bx, double by) {
  linkage *l = g->data;
  l->pin[l->pins++] = (pin){.e = {{a, 1, {ax, ay}}, {b, -1, {bx, by}}}, .row = g->nc, .rows = 2};
  g->nc += 2;
}

static void add_body(ggl *g, double x, double y, double angle, double vx, double vy, double w) {
  linkage *l = g->data;
  double *q = g->q0 + 3 * l->bodies, *v = g->v0 + 3 * l->bodies;
  q[0] = x, q[1] = y, q[2] = angle, v[0] = vx, v[1] = vy, v[2] = w;
  l->bodies++;
}

static void make_four_bars(ggl *g, int n) {
  linkage *l = g->data;
  l->m = l->m1 = 1, l->J = l->J1 = 1.0 / 12;
  for (int i = 0; i <= n; i++) add_body(g, i, 0.5, acos(0), 0.5, 0, -1);
  for (int i = 0; i < n; i++) add_body(g, i + 0.5, 1, 0, 1, 0, 0);
  for (int i = 0; i <= n; i++) add_pin(g, i, -0.5, 0, -1, i, 0);
  for (int i = 0; i < n; i++) {
    add_pin(g, i, 0.5, 0, n + 1 + i, -0.5, 0);
    add_pin(g, i + 1, 0.5, 0, n + 1 + i, 0.5, 0);
  }
  l->seen = (end){0, 1, {0.5, 0}};
}

static void make_chain(ggl *g, int n) {
  linkage *l = g->data;
  const double L = 0.1, w = 0.02;
  l->m = l->m1 = 0.1, l->J = l->J1 = 0.1 * (L * L + w * w) / 12;
  for (int i = 0; i < n; i++) {
    add_body(g, (i + 0.5) * L, 0, 0, 0, 0, 0);
    add_pin(g, i, -L / 2, 0, i - 1, i ? L / 2 : 0, 0);
  }
  l->seen = (end){n - 1, 1, {L / 2, 0}};
  g->observe = observe_chain;
}

static void make_slider(ggl *g) {
  linkage *l = g->data;
  l->m = 3, l->J = 3 * 0.09 / 12, l->m1 = 0.9, l->J1 = 0.9 * 0.36 / 12;
  add_body(g, 0.15, 0, 0, 0, 0, 0);
  add_body(g, 0.6, 0, 0, 0, 0, 0);
  add_pin(g, 0, -0.15, 0, -1, 0, 0);
  add_pin(g, 0, 0.15, 0, 1, -0.3, 0);
  l->pin[l->pins++] = (pin){.e = {{1, 1, {0.3, 0}}, {-1, 0, {0, 0}}}, .row = g->nc, .rows = 1};
  g->nc++;
  l->angle = 1;
}

int ggl_planar(ggl *g, bench_problem problem, int n) {
  int bodies = problem == A02 ? 2 * n + 1 : problem == CHAIN ? n : 2;
  int pins = problem == A02 ? 3 * n + 1 : problem == CHAIN ? n : 3;
  linkage *l = calloc(1, sizeof *l + (size_t)pins * sizeof *l->pin);
  g->data = l;
  g->nq = 3 * bodies;
  g->q0 = calloc((size_t)g->nq, sizeof *g->q0);
  g->v0 = calloc((size_t)g->nq, sizeof *g->v0);
  if (!l || !g->q0 || !g->v0) return 1;
  l->gravity = 9.81;
  g->residual = residual, g->matrix = matrix, g->observe = observe, g->energy = energy;
  if (problem == A02)
    make_four_bars(g, n);
  else if (problem == CHAIN)
    make_chain(g, n);
  else
    make_slider(g);
  g->entries = 9 * bodies + 44 * pins;
  return 0;
}
