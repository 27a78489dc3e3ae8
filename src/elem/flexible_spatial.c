// SPDX-License-Identifier: Apache-2.0
// A deformable body in space: q = (r, e, x), origin and unit quaternion of the reference frame and modal
// coordinates; v = (r', w, x') with r' global and w in body axes, as of the rigid body, whose retraction
// it shares. The equations are those of flexible.h.
//
// A marker at y = c + u, Y_j = dy/dx_j, in body axes. Its section is turned by psi = sum psi_j x_j as a
// vector of Cayley's map, quaternion (1, psi/2), so that its axes stay orthonormal; with d = 1 + psi.psi/4
//   turn = W psi',  W = (1 + [psi]/2)/d
//   u = (r' + R (w x y + Y x'),  R (w + W psi'))
//   bias = R (w x (w x y) + 2 w x Y x' + b x' x'),   R (w x W psi' - (d'/d) W psi'),  d' = psi.psi'/2
//   J' (f, n) = (f,  y x R'f + R'n,  Y'R'f + psi_j.W'R'n)
//   (W a)_psi = -([a] + (W a) psi')/(2 d),   (W'a)_psi = ([a] - (W'a) psi')/(2 d)
// (in the last line psi' is the transpose). A displacement turns the frame by R [d_w].
// cache: R (9), s (3), J (9), then S (3 n), Jd (9 n), H (3 n).
#include <math.h>
#include <string.h>

#include "flexible.h"
#include "math/v3.h"

typedef tr_flex_spatial_par par;

const char *const tr_flex_spatial_coordinates[] = {"x", "y", "z", "rx", "ry", "rz", NULL};
const char *const tr_flex_spatial_rates[] = {"vx", "vy", "vz", "wx", "wy", "wz", NULL};
const char *const tr_flex_spatial_charts[] = {"lie", NULL};

enum { ROT = 0, FIRST_S = 9, INERTIA = 12, FIRST = 21 };

static const tr_flexible *flex_of(const tr_body_at *b) { return ((const par *)b->par)->flex; }
static const double *S_of(const tr_body_at *b) { return b->cache + FIRST; }
static const double *Jd_of(const tr_body_at *b) { return b->cache + FIRST + 3 * flex_of(b)->n; }
static const double *H_of(const tr_body_at *b) { return b->cache + FIRST + 12 * flex_of(b)->n; }

void tr_flex_spatial_sizes(const void *pv, int *nq, int *nv, int *nc, int *ncache) {
  int n = ((const par *)pv)->flex->n;
  *nq = 7 + n, *nv = 6 + n;
  *nc = 0;
  *ncache = FIRST + 15 * n;
}

int tr_flex_spatial_modes(const void *pv, bool *slow) {
  const par *p = pv;
  if (slow) *slow = p->deform.start == TR_FLEX_SLOW;
  return p->flex->n;
}

int tr_flex_spatial_shape_size(const void *pv) {
  return tr_flexible_shape_size(((const par *)pv)->flex);
}

void tr_flex_spatial_pose(const void *pv, double p[3], double R[9]) {
  const par *b = pv;
  v3_copy(b->position, p);
  m3_copy(b->orientation, R);
}

void tr_flex_spatial_start(const void *pv, double *q, double *v) {
  const par *b = pv;
  v3_copy(b->position, q);
  v3_copy(b->velocity, v);
  m3_to_quat(b->orientation, q + 3);
  quat_normalise(q + 3);
  m3_tmul(b->orientation, b->omega, v + 3);
  tr_flex_deform_start(&b->deform, b->flex->n, q + 7, v + 6);
}

void tr_flex_spatial_retract(const void *pv, const double *q, const double *d, double *q1) {
  tr_body_spatial.retract(NULL, q, d, q1);
  for (int j = 0; j < ((const par *)pv)->flex->n; j++) q1[7 + j] = q[7 + j] + d[6 + j];
}

void tr_flex_spatial_increment_rate(const void *pv, const double *u, const double *v, double *du) {
  tr_body_spatial.increment_rate(NULL, u, v, du);
  for (int j = 6; j < 6 + ((const par *)pv)->flex->n; j++) du[j] = v[j];
}

double tr_flex_spatial_shift_increment(const void *pv, const double *d, double *u) {
  for (int j = 6; j < 6 + ((const par *)pv)->flex->n; j++) u[j] -= d[j];
  return tr_body_spatial.shift_increment(NULL, d, u);
}

void tr_flex_spatial_pull_increment(const void *pv, const double *d, int rows, int stride,
                                    double *block) {
  (void)pv;
  tr_body_spatial.pull_increment(NULL, d, rows, stride, block);
}

void tr_flex_spatial_cayley(const void *pv, double k, double *d) {
  (void)pv;
  tr_body_spatial.cayley(NULL, k, d);
}

void tr_flex_spatial_quaternion(const tr_body_at *b, double e[4]) {
  for (int i = 0; i < 4; i++) e[i] = b->q[3 + i];
}

// ---- small pieces -----------------------------------------------------------------------------------

// sum_j A_j z_j, A (n x 3)
static void sum3(int n, const double *A, const double *z, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  for (int j = 0; j < n; j++) v3_axpy(z[j], A + 3 * j, out);
}

// K (nv columns), 3 rows from `row`: block of columns from `column` += s R A, A (3 x 3); R NULL: 1
static void add_block(int nv, double s, const double *R, const double *A, double *K, int row,
                      int column) {
  double B[9];
  if (R) m3_mulm(R, A, B);
  const double *from = R ? B : A;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K[(row + i) * nv + column + j] += s * from[3 * i + j];
}

// The same with one column, a vector.
static void add_column(int nv, double s, const double *R, const double *a, double *K, int row,
                       int column) {
  double g[3];
  if (R) m3_mul(R, a, g);
  const double *from = R ? g : a;
  for (int i = 0; i < 3; i++) K[(row + i) * nv + column] += s * from[i];
}

static void add_row(double s, const double *a, double *row) {
  for (int i = 0; i < 3; i++) row[i] += s * a[i];
}

// S, s, J, Jd, H at x.
static void deform(const tr_body_at *b) {
  const tr_flexible *f = flex_of(b);
  const double *x = b->q + 7;
  double *s = b->cache + FIRST_S, *J = b->cache + INERTIA, *S = b->cache + FIRST;
  double *Jd = S + 3 * f->n, *H = Jd + 9 * f->n;
  int n = f->n;
  quat_to_m3(b->q + 3, b->cache + ROT);
  v3_copy(f->S0, s);
  m3_copy(f->J0, J);
  for (int j = 0; j < n; j++, S += 3, Jd += 9, H += 3) {
    v3_copy(f->S1 + 3 * j, S);
    v3_copy(f->X1 + 3 * j, H);
    m3_copy(f->J1 + 9 * j, Jd);
    for (int i = 0; i < n; i++) {
      int k = i * n + j;
      v3_axpy(x[i], f->X2 + 3 * k, H);
      for (int a = 0; a < 9; a++) Jd[a] += 2 * x[i] * f->J2[9 * k + a];
    }
    for (int a = 0; a < 3; a++) s[a] += 0.5 * x[j] * (f->S1[3 * j + a] + S[a]);
    for (int a = 0; a < 9; a++) J[a] += 0.5 * x[j] * (f->J1[9 * j + a] + Jd[a]);
  }
}

// ---- frames -----------------------------------------------------------------------------------------

// The turned section.
typedef struct section {
  double psi[3], d;
} section;

static section section_at(const tr_flexible *f, const tr_site *s, const double *x) {
  section t;
  sum3(f->n, s->shape + 3 * f->n, x, t.psi);
  t.d = 1 + 0.25 * v3_dot(t.psi, t.psi);
  return t;
}

// W a, or W' a with sign = -1
static void turn_rate(const section *t, double sign, const double *a, double *out) {
  double c[3];
  v3_cross(t->psi, a, c);
  for (int i = 0; i < 3; i++) out[i] = (a[i] + sign * 0.5 * c[i]) / t->d;
}

// A = (W a)_psi = (-sign [a] - (W a) psi')/(2 d), of W or, with sign = -1, of its transpose
static void turn_rate_dpsi(const section *t, double sign, const double *a, double *A) {
  double Wa[3], S[9];
  turn_rate(t, sign, a, Wa);
  m3_skew(a, S);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A[3 * i + j] = (-sign * S[3 * i + j] - Wa[i] * t->psi[j]) / (2 * t->d);
}

static void orient(const tr_body_at *b, const tr_site *s, const section *t, double *R) {
  double e[4] = {1, 0.5 * t->psi[0], 0.5 * t->psi[1], 0.5 * t->psi[2]}, A[9], RA[9];
  if (t->psi[0] == 0 && t->psi[1] == 0 && t->psi[2] == 0) {
    m3_mulm(b->cache, s->R, R);
    return;
  }
  quat_normalise(e);
  quat_to_m3(e, A);
  m3_mulm(b->cache, A, RA);
  m3_mulm(RA, s->R, R);
}

static void bias(const tr_body_at *b, const tr_site *s, const section *t, const double *y,
                 const double *Yv, const double *turn, const double *rate, tr_frame *f) {
  const tr_flexible *x = flex_of(b);
  const double *w = b->v + 3;
  double wy[3], a[3], c[3], room[3 * TR_MAX_MODES], psi_t[3];
  v3_cross(w, y, wy);
  for (int i = 0; i < 3; i++) wy[i] += 2 * Yv[i];
  v3_cross(w, wy, a);
  if (tr_flexible_bend(x, s, rate, room)) {
    sum3(x->n, room, rate, c);
    v3_add(a, c, a);
  }
  m3_mul(b->cache, a, f->ap);
  sum3(x->n, s->shape + 3 * x->n, rate, psi_t);
  v3_cross(w, turn, c);
  v3_axpy(-0.5 * v3_dot(t->psi, psi_t) / t->d, turn, c);
  m3_mul(b->cache, c, f->aw);
}

void tr_flex_spatial_kinematics(const tr_body_at *b, tr_level level, int count, const tr_site *site,
                                tr_frame *f) {
  const tr_flexible *x = flex_of(b);
  const double *R = b->cache, *w = b->v + 3, *rate = b->v + 6;
  double y[3], room[3 * TR_MAX_MODES], g[3], e[3], Yv[3], psi_t[3], turn[3];
  deform(b);
  for (int k = 0; k < count; k++, site++, f++) {
    const double *Y = tr_flexible_place(x, site, b->q + 7, y, room);
    section t = section_at(x, site, b->q + 7);
    m3_mul(R, y, g);
    v3_add(b->q, g, f->p);
    orient(b, site, &t, f->R);
    if (level < TR_AT_VELOCITY) continue;
    sum3(x->n, Y, rate, Yv);
    v3_cross(w, y, e);
    v3_add(e, Yv, e);
    m3_mul(R, e, g);
    v3_add(b->v, g, f->v);
    sum3(x->n, site->shape + 3 * x->n, rate, psi_t);
    turn_rate(&t, 1, psi_t, turn);
    v3_add(w, turn, e);
    m3_mul(R, e, f->w);
    if (level >= TR_AT_BIAS) bias(b, site, &t, y, Yv, turn, rate, f);
  }
}

// Force and moment in body axes; on a point acts no moment.
static void load(const tr_body_at *b, const tr_site *s, const double *w, double f[3], double n[3]) {
  m3_tmul(b->cache, w, f);
  if (s->point)
    n[0] = n[1] = n[2] = 0;
  else
    m3_tmul(b->cache, w + 3, n);
}

void tr_flex_spatial_add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out) {
  const tr_flexible *x = flex_of(b);
  double y[3], room[3 * TR_MAX_MODES], f[3], n[3], yf[3], Wn[3];
  const double *Y = tr_flexible_place(x, s, b->q + 7, y, room), *psi = s->shape + 3 * x->n;
  section t = section_at(x, s, b->q + 7);
  load(b, s, w, f, n);
  v3_cross(y, f, yf);
  turn_rate(&t, -1, n, Wn);
  for (int i = 0; i < 3; i++) out[i] += w[i], out[3 + i] += yf[i] + n[i];
  for (int j = 0; j < x->n; j++) out[6 + j] += v3_dot(Y + 3 * j, f) + v3_dot(psi + 3 * j, Wn);
}

// d(R'f) = [R'f] d_w
void tr_flex_spatial_add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w,
                                   double *K) {
  const tr_flexible *x = flex_of(b);
  int n = x->n, nv = 6 + n;
  double y[3], room[3 * TR_MAX_MODES], f[3], m[3], A[9], B[9], P[9], a[3], c[3];
  const double *Y = tr_flexible_place(x, s, b->q + 7, y, room), *psi = s->shape + 3 * n;
  section t = section_at(x, s, b->q + 7);
  load(b, s, w, f, m);
  m3_skew2(y, f, A);
  m3_skew(m, B);
  add_block(nv, 1, NULL, A, K, 3, 3);
  add_block(nv, 1, NULL, B, K, 3, 3);
  turn_rate_dpsi(&t, -1, m, P);
  for (int j = 0; j < n; j++) {
    const double *Yj = Y + 3 * j, *pj = psi + 3 * j;
    v3_cross(Yj, f, c);
    add_column(nv, 1, NULL, c, K, 3, 6 + j);
    // Y_j.(f x d) + psi_j.W'(m x d)
    turn_rate(&t, 1, pj, a);
    add_row(1, c, K + (6 + j) * nv + 3);
    v3_cross(a, m, c);
    add_row(1, c, K + (6 + j) * nv + 3);
    m3_tmul(P, pj, a);
    for (int i = 0; i < n; i++) {
      K[(6 + j) * nv + 6 + i] += v3_dot(a, psi + 3 * i);
      if (x->B) K[(6 + j) * nv + 6 + i] += v3_dot(s->shape + 6 * n + 3 * (i * n + j), f);
    }
  }
}

void tr_flex_spatial_twist_dq(const tr_body_at *b, const tr_site *s, double *U) {
  const tr_flexible *x = flex_of(b);
  const double *R = b->cache, *w = b->v + 3, *rate = b->v + 6, *psi = s->shape + 3 * x->n;
  int n = x->n, nv = 6 + n;
  double y[3], room[3 * TR_MAX_MODES], bend[3 * TR_MAX_MODES], e[3], c[3], S[9], P[9], psi_t[3];
  const double *Y = tr_flexible_place(x, s, b->q + 7, y, room);
  bool stiff = tr_flexible_bend(x, s, rate, bend);
  section t = section_at(x, s, b->q + 7);
  memset(U, 0, (size_t)(6 * nv) * sizeof *U);
  sum3(n, Y, rate, e);
  v3_cross(w, y, c);
  v3_add(e, c, e);
  m3_skew(e, S);
  add_block(nv, -1, R, S, U, 0, 3);
  sum3(n, psi, rate, psi_t);
  turn_rate(&t, 1, psi_t, e);
  v3_add(w, e, e);
  m3_skew(e, S);
  add_block(nv, -1, R, S, U, 3, 3);
  turn_rate_dpsi(&t, 1, psi_t, P);
  for (int j = 0; j < n; j++) {
    v3_cross(w, Y + 3 * j, c);
    if (stiff) v3_add(c, bend + 3 * j, c);
    add_column(nv, 1, R, c, U, 0, 6 + j);
    m3_mul(P, psi + 3 * j, c);
    add_column(nv, 1, R, c, U, 3, 6 + j);
  }
}

// ---- inertia ----------------------------------------------------------------------------------------

static void mass(const tr_body_at *b, double *M) {
  const tr_flexible *x = flex_of(b);
  const double *R = b->cache, *S = S_of(b), *H = H_of(b);
  int n = x->n, nv = 6 + n;
  double A[9];
  memset(M, 0, (size_t)(nv * nv) * sizeof *M);
  for (int i = 0; i < 3; i++) M[(nv + 1) * i] = x->m;
  m3_skew(b->cache + FIRST_S, A);
  add_block(nv, -1, R, A, M, 0, 3);
  add_block(nv, 1, NULL, b->cache + INERTIA, M, 3, 3);
  for (int j = 0; j < n; j++) {
    add_column(nv, 1, R, S + 3 * j, M, 0, 6 + j);
    add_column(nv, 1, NULL, H + 3 * j, M, 3, 6 + j);
    for (int i = 0; i <= j; i++) M[(6 + i) * nv + 6 + j] = x->M[i * n + j];
  }
  for (int i = 0; i < nv; i++) // symmetric to the last bit
    for (int j = 0; j < i; j++) M[i * nv + j] = M[j * nv + i];
}

// sum_i (X2_ji +- X2_ij) z_i
static void spin_both(const tr_flexible *x, int j, double sign, const double *z, double out[3]) {
  sum3(x->n, x->X2 + 3 * j * x->n, z, out);
  for (int i = 0; i < x->n; i++) v3_axpy(sign * z[i], x->X2 + 3 * (i * x->n + j), out);
}

// sum_i X2_ji z_i
static void spin(const tr_flexible *x, int j, const double *z, double out[3]) {
  sum3(x->n, x->X2 + 3 * j * x->n, z, out);
}

static void add_mass_dq(const tr_body_at *b, const double *a, double *K) {
  const tr_flexible *x = flex_of(b);
  const double *R = b->cache, *s = b->cache + FIRST_S, *S = S_of(b), *Jd = Jd_of(b);
  const double *al = a + 3, *acc = a + 6;
  int n = x->n, nv = 6 + n;
  double A[3], z[3], c[3], e[3], B[9];
  m3_tmul(R, a, A);
  v3_cross(al, s, z);
  for (int j = 0; j < n; j++) v3_axpy(acc[j], S + 3 * j, z);
  m3_skew(z, B);
  add_block(nv, -1, R, B, K, 0, 3);
  m3_skew2(s, A, B);
  add_block(nv, 1, NULL, B, K, 3, 3);
  for (int j = 0; j < n; j++) {
    const double *Sj = S + 3 * j;
    v3_cross(al, Sj, c);
    add_column(nv, 1, R, c, K, 0, 6 + j);
    v3_cross(Sj, A, c);
    add_row(1, c, K + (6 + j) * nv + 3);
    m3_mul(Jd + 9 * j, al, e);
    v3_add(c, e, c);
    spin(x, j, acc, e);
    v3_add(c, e, c);
    add_column(nv, 1, NULL, c, K, 3, 6 + j);
    for (int i = 0; i < n; i++) K[(6 + i) * nv + 6 + j] += v3_dot(x->X2 + 3 * (j * n + i), al);
  }
}

// What forces and their tangent share: u = S x', y = w x (w x s) + 2 w x u, L = J w + H x',
// h = H' x', Jt = J' by time, G = R'g.
typedef struct motion {
  double u[3], y[3], L[3], h[3], Jt[9], G[3];
} motion;

static void moving(const tr_body_at *b, const double g[3], motion *m) {
  const tr_flexible *x = flex_of(b);
  const double *w = b->v + 3, *rate = b->v + 6, *Jd = Jd_of(b);
  double c[3], e[3];
  memset(m->Jt, 0, sizeof m->Jt);
  memset(m->h, 0, sizeof m->h);
  sum3(x->n, S_of(b), rate, m->u);
  for (int j = 0; j < x->n; j++) {
    if (x->turns) {
      spin(x, j, rate, e);
      v3_axpy(rate[j], e, m->h);
    }
    for (int a = 0; a < 9; a++) m->Jt[a] += rate[j] * Jd[9 * j + a];
  }
  v3_cross(w, b->cache + FIRST_S, c);
  v3_axpy(2, m->u, c);
  v3_cross(w, c, m->y);
  m3_mul(b->cache + INERTIA, w, m->L);
  sum3(x->n, H_of(b), rate, e);
  v3_add(m->L, e, m->L);
  m3_tmul(b->cache, g, m->G);
}

static void add_force(const tr_body_at *b, const double g[3], double *Q) {
  const tr_flexible *x = flex_of(b);
  const double *w = b->v + 3, *rate = b->v + 6, *S = S_of(b), *Jd = Jd_of(b);
  motion m;
  double c[3], e[3];
  moving(b, g, &m);
  m3_mul(b->cache, m.y, c);
  for (int i = 0; i < 3; i++) Q[i] += x->m * g[i] - c[i];
  v3_cross(b->cache + FIRST_S, m.G, c);
  v3_add(Q + 3, c, Q + 3);
  m3_mul(m.Jt, w, c);
  v3_cross(w, m.L, e);
  for (int i = 0; i < 3; i++) Q[3 + i] -= c[i] + m.h[i] + e[i];
  for (int j = 0; j < x->n; j++) {
    m3_mul(Jd + 9 * j, w, c);
    spin_both(x, j, -1, rate, e);
    double sum = v3_dot(S + 3 * j, m.G) + 0.5 * v3_dot(w, c) + v3_dot(w, e);
    for (int i = 0; i < x->n; i++)
      sum -= x->K[j * x->n + i] * b->q[7 + i] + x->C[j * x->n + i] * rate[i];
    Q[6 + j] += sum;
  }
}

// By the frame's rotation and by w.
static void frame_tangent(const tr_body_at *b, const motion *m, double *Qq, double *Qv) {
  const double *R = b->cache, *s = b->cache + FIRST_S, *w = b->v + 3;
  int nv = 6 + flex_of(b)->n;
  double A[9], B[9], S[9], c[3];
  m3_skew(m->y, A);
  add_block(nv, 1, R, A, Qq, 0, 3);
  m3_skew2(s, m->G, A);
  add_block(nv, 1, NULL, A, Qq, 3, 3);
  v3_cross(w, s, c);
  v3_axpy(2, m->u, c);
  m3_skew(c, A);
  m3_skew2(w, s, B);
  for (int i = 0; i < 9; i++) A[i] += B[i];
  add_block(nv, 1, R, A, Qv, 0, 3);
  m3_skew(w, S);
  m3_mulm(S, b->cache + INERTIA, A);
  m3_skew(m->L, B);
  for (int i = 0; i < 9; i++) A[i] += m->Jt[i] - B[i];
  add_block(nv, -1, NULL, A, Qv, 3, 3);
}

// Column j of the modes, on the frame's rows.
static void mode_tangent(const tr_body_at *b, const motion *m, int j, double *Qq, double *Qv) {
  const tr_flexible *x = flex_of(b);
  const double *R = b->cache, *w = b->v + 3, *rate = b->v + 6, *Sj = S_of(b) + 3 * j;
  int n = x->n, nv = 6 + n;
  double c[3], e[3], a[3], Jw[3], J2[9] = {0};
  v3_cross(w, Sj, c);
  v3_cross(w, c, a);
  add_column(nv, -1, R, a, Qq, 0, 6 + j);
  add_column(nv, -2, R, c, Qv, 0, 6 + j);
  v3_cross(Sj, m->G, c);
  add_column(nv, 1, NULL, c, Qq, 3, 6 + j);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 9; k++) J2[k] += 2 * rate[i] * x->J2[9 * (j * n + i) + k];
  m3_mul(J2, w, c);
  m3_mul(Jd_of(b) + 9 * j, w, Jw);
  spin(x, j, rate, e);
  v3_add(e, Jw, e);
  v3_cross(w, e, a);
  v3_add(c, a, c);
  add_column(nv, -1, NULL, c, Qq, 3, 6 + j);
  v3_cross(w, H_of(b) + 3 * j, c);
  v3_add(c, Jw, c);
  spin_both(x, j, 1, rate, e);
  v3_add(c, e, c);
  add_column(nv, -1, NULL, c, Qv, 3, 6 + j);
}

static void add_force_tangent(const tr_body_at *b, const double g[3], double *Qq, double *Qv) {
  const tr_flexible *x = flex_of(b);
  const double *w = b->v + 3, *rate = b->v + 6;
  int n = x->n, nv = 6 + n;
  motion m;
  double c[3], e[3];
  moving(b, g, &m);
  frame_tangent(b, &m, Qq, Qv);
  for (int j = 0; j < n; j++) {
    double *q = Qq + (6 + j) * nv, *v = Qv + (6 + j) * nv;
    mode_tangent(b, &m, j, Qq, Qv);
    v3_cross(S_of(b) + 3 * j, m.G, c);
    add_row(1, c, q + 3);
    m3_mul(Jd_of(b) + 9 * j, w, c);
    spin_both(x, j, -1, rate, e);
    add_row(1, c, v + 3);
    add_row(1, e, v + 3);
    for (int i = 0; i < n; i++) {
      int k = j * n + i;
      m3_mul(x->J2 + 9 * k, w, c);
      q[6 + i] += v3_dot(w, c) - x->K[k];
      v[6 + i] += v3_dot(w, x->X2 + 3 * k) - v3_dot(w, x->X2 + 3 * (i * n + j)) - x->C[k];
    }
  }
}

double tr_flex_spatial_strain(const tr_body_at *b) {
  const tr_flexible *x = flex_of(b);
  double sum = 0;
  for (int j = 0; j < x->n; j++)
    for (int i = 0; i < x->n; i++) sum += 0.5 * b->q[7 + j] * x->K[j * x->n + i] * b->q[7 + i];
  return sum;
}

static void energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  const tr_flexible *x = flex_of(b);
  const double *v = b->v, *w = v + 3, *rate = v + 6;
  motion m;
  double V[3], c[3], e[3];
  moving(b, g, &m);
  m3_tmul(b->cache, v, V);
  v3_cross(w, b->cache + FIRST_S, c);
  v3_add(c, m.u, c);
  m3_mul(b->cache + INERTIA, w, e);
  // w.J w/2 + w.H x' = w.(L - J w/2)
  double T = 0.5 * x->m * v3_dot(v, v) + v3_dot(V, c) + v3_dot(w, m.L) - 0.5 * v3_dot(w, e);
  for (int j = 0; j < x->n; j++)
    for (int i = 0; i < x->n; i++) T += 0.5 * rate[j] * x->M[j * x->n + i] * rate[i];
  *kinetic = T;
  *potential =
      -x->m * v3_dot(g, b->q) - v3_dot(m.G, b->cache + FIRST_S) + tr_flex_spatial_strain(b);
}

// ---- with stiffening, or without ------------------------------------------------------------------------

static const tr_flex_plain plain = {
    7, 6, deform, mass, add_mass_dq, add_force, add_force_tangent, energy};

TR_FLEX_EITHER(spatial)
