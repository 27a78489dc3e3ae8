// SPDX-License-Identifier: Apache-2.0
// A deformable body in the plane: q = (x, y, angle of the reference frame, modal coordinates), v = q'.
//
// The equations are those of flexible.h with w along z; z x (a, b) = (-b, a). R(angle)' takes forces and
// accelerations to body axes, where everything else is known: dR/dangle = R [z].
//   M (a, alpha, x'') = (m a + R (alpha z x s + S x''),  s x A + J alpha + H x'',  S'A + H alpha + Me x'')
//   Q = (m g - R (-w^2 s + 2 w z x S x'),  s x G - J' w,
//        S'G + w^2 Jd/2 - 2 w X2 x' - K x - C x'),        A = R'a,  G = R'g
// A marker at y = c + u, Y = dy/dx, section turned by psi.x:
//   u = (r' + R (w z x y + Y x'),  w + psi.x'),  bias = R (-w^2 y + 2 w z x Y x' + b x' x')
// cache: cos, sin, s (2), J, then S (2 n), Jd (n) and H (n).
#include <math.h>
#include <string.h>

#include "flexible.h"
#include "math/v3.h"

typedef tr_flex_planar_par par;

const char *const tr_flex_planar_coordinates[] = {"x", "y", "angle", NULL};
const char *const tr_flex_planar_rates[] = {"vx", "vy", "omega", NULL};

enum { COS, SIN, SX, SY, JZ, FIRST };

static const tr_flexible *flex_of(const tr_body_at *b) { return ((const par *)b->par)->flex; }
static const double *S_of(const tr_body_at *b) { return b->cache + FIRST; }
static const double *Jd_of(const tr_body_at *b) { return b->cache + FIRST + 2 * flex_of(b)->n; }
static const double *H_of(const tr_body_at *b) { return b->cache + FIRST + 3 * flex_of(b)->n; }

void tr_flex_planar_sizes(const void *pv, int *nq, int *nv, int *nc, int *ncache) {
  int n = ((const par *)pv)->flex->n;
  *nq = *nv = 3 + n;
  *nc = 0;
  *ncache = FIRST + 4 * n;
}

int tr_flex_planar_modes(const void *pv, bool *slow) {
  const par *p = pv;
  if (slow) *slow = p->deform.start == TR_FLEX_SLOW;
  return p->flex->n;
}

int tr_flex_planar_shape_size(const void *pv) {
  return tr_flexible_shape_size(((const par *)pv)->flex);
}

void tr_flex_planar_pose(const void *pv, double p[3], double R[9]) {
  const par *b = pv;
  double c = cos(b->angle), s = sin(b->angle);
  p[0] = b->position[0], p[1] = b->position[1], p[2] = 0;
  for (int i = 0; i < 9; i++) R[i] = 0;
  R[0] = c, R[1] = -s, R[3] = s, R[4] = c, R[8] = 1;
}

void tr_flex_planar_start(const void *pv, double *q, double *v) {
  const par *b = pv;
  q[0] = b->position[0], q[1] = b->position[1], q[2] = b->angle;
  v[0] = b->velocity[0], v[1] = b->velocity[1], v[2] = b->omega;
  tr_flex_deform_start(&b->deform, b->flex->n, q + 3, v + 3);
}

// ---- frames -----------------------------------------------------------------------------------------

// (a, b) of body axes to global ones, and back.
static void turn(const tr_body_at *b, const double *a, double *out) {
  double c = b->cache[COS], s = b->cache[SIN], x = a[0], y = a[1];
  out[0] = c * x - s * y, out[1] = s * x + c * y;
}
static void turn_back(const tr_body_at *b, const double *a, double *out) {
  double c = b->cache[COS], s = b->cache[SIN], x = a[0], y = a[1];
  out[0] = c * x + s * y, out[1] = -s * x + c * y;
}

static double cross(const double *a, const double *b) { return a[0] * b[1] - a[1] * b[0]; }
static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

// sum_j A_j z_j, A (n x 3), its plane part.
static void sum2(int n, const double *A, const double *z, double out[2]) {
  out[0] = out[1] = 0;
  for (int j = 0; j < n; j++) out[0] += A[3 * j] * z[j], out[1] += A[3 * j + 1] * z[j];
}

static void deform(const tr_body_at *b) {
  const tr_flexible *f = flex_of(b);
  const double *x = b->q + 3;
  double *S = b->cache + FIRST, *Jd = S + 2 * f->n, *H = Jd + f->n, *o = b->cache;
  int n = f->n;
  o[COS] = cos(b->q[2]), o[SIN] = sin(b->q[2]);
  o[SX] = f->S0[0], o[SY] = f->S0[1], o[JZ] = f->J0[8];
  for (int j = 0; j < n; j++) {
    const double *S1 = f->S1 + 3 * j, *J2 = f->J2 + 9 * j + 8, *X2 = f->X2 + 3 * j + 2;
    double dJ = 0, dH = 0;
    for (int i = 0; i < n; i++) dJ += J2[9 * n * i] * x[i], dH += X2[3 * n * i] * x[i];
    S[2 * j] = S1[0], S[2 * j + 1] = S1[1];
    Jd[j] = f->J1[9 * j + 8] + 2 * dJ, H[j] = f->X1[3 * j + 2] + dH;
    o[SX] += S1[0] * x[j], o[SY] += S1[1] * x[j];
    o[JZ] += (f->J1[9 * j + 8] + dJ) * x[j];
  }
}

static double section_turn(const tr_flexible *f, const tr_site *s, const double *x) {
  double t = 0;
  for (int j = 0; j < f->n; j++) t += s->shape[3 * (f->n + j) + 2] * x[j];
  return t;
}

static void orient(const tr_body_at *b, const tr_site *s, double psi, tr_frame *f) {
  double a = b->q[2] + psi;
  f->angle = a + s->angle;
  if (s->point) return;
  double c = psi == 0 ? b->cache[COS] : cos(a), n = psi == 0 ? b->cache[SIN] : sin(a);
  const double *L = s->R;
  if (s->nd == 3) {
    double fc = c * L[0] - n * L[3], fs = n * L[0] + c * L[3];
    f->R[0] = fc, f->R[1] = -fs, f->R[3] = fs, f->R[4] = fc;
    return;
  }
  for (int j = 0; j < 3; j++) {
    f->R[j] = c * L[j] - n * L[3 + j];
    f->R[3 + j] = n * L[j] + c * L[3 + j];
    f->R[6 + j] = L[6 + j];
  }
}

void tr_flex_planar_kinematics(const tr_body_at *b, tr_level level, int count, const tr_site *site,
                               tr_frame *f) {
  const tr_flexible *x = flex_of(b);
  const double *q = b->q, *v = b->v, *rate = v + 3;
  int n = x->n;
  double y[3], room[3 * TR_MAX_MODES], g[2], e[2];
  deform(b);
  for (int k = 0; k < count; k++, site++, f++) {
    const double *Y = tr_flexible_place(x, site, q + 3, y, room);
    turn(b, y, g);
    f->p[0] = q[0] + g[0], f->p[1] = q[1] + g[1];
    orient(b, site, section_turn(x, site, q + 3), f);
    if (site->nd == 6) {
      f->p[2] = site->c[2];
      f->v[2] = f->ap[2] = f->w[0] = f->w[1] = f->aw[0] = f->aw[1] = 0;
    }
    if (level < TR_AT_VELOCITY) continue;
    double w = v[2], Yv[2], bend[2] = {0};
    sum2(n, Y, rate, Yv);
    e[0] = -w * y[1] + Yv[0], e[1] = w * y[0] + Yv[1];
    turn(b, e, g);
    f->v[0] = v[0] + g[0], f->v[1] = v[1] + g[1];
    f->w[2] = w + section_turn(x, site, rate);
    if (level < TR_AT_BIAS) continue;
    if (tr_flexible_bend(x, site, rate, room)) sum2(n, room, rate, bend);
    e[0] = -w * w * y[0] - 2 * w * Yv[1] + bend[0];
    e[1] = -w * w * y[1] + 2 * w * Yv[0] + bend[1];
    turn(b, e, f->ap);
    f->aw[2] = 0;
  }
}

void tr_flex_planar_add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out) {
  const tr_flexible *x = flex_of(b);
  double y[3], room[3 * TR_MAX_MODES], f[2], moment = s->point ? 0 : w[s->nd - 1];
  const double *Y = tr_flexible_place(x, s, b->q + 3, y, room), *psi = s->shape + 3 * x->n;
  turn_back(b, w, f);
  out[0] += w[0], out[1] += w[1], out[2] += moment + cross(y, f);
  for (int j = 0; j < x->n; j++) out[3 + j] += dot(Y + 3 * j, f) + psi[3 * j + 2] * moment;
}

// d(R'f)/dangle = -z x R'f
void tr_flex_planar_add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w,
                                  double *K) {
  const tr_flexible *x = flex_of(b);
  int n = x->n, nv = 3 + n;
  double y[3], room[3 * TR_MAX_MODES], f[2];
  const double *Y = tr_flexible_place(x, s, b->q + 3, y, room);
  turn_back(b, w, f);
  K[2 * nv + 2] -= dot(y, f);
  for (int j = 0; j < n; j++) {
    double c = cross(Y + 3 * j, f);
    K[2 * nv + 3 + j] += c;
    K[(3 + j) * nv + 2] += c;
    for (int i = 0; x->B && i < n; i++)
      K[(3 + j) * nv + 3 + i] += dot(s->shape + 6 * n + 3 * (n * i + j), f);
  }
}

// (J v)_q: the arm's part of the velocity turns with the frame, and grows with the shapes.
void tr_flex_planar_twist_dq(const tr_body_at *b, const tr_site *s, double *U) {
  const tr_flexible *x = flex_of(b);
  int n = x->n, nv = 3 + n;
  double y[3], room[3 * TR_MAX_MODES], bend[3 * TR_MAX_MODES], w = b->v[2], Yv[2], g[2];
  const double *Y = tr_flexible_place(x, s, b->q + 3, y, room);
  bool stiff = tr_flexible_bend(x, s, b->v + 3, bend);
  memset(U, 0, (size_t)(s->nd * nv) * sizeof *U);
  sum2(n, Y, b->v + 3, Yv);
  turn(b, (double[]){-w * y[0] - Yv[1], -w * y[1] + Yv[0]}, g);
  U[2] = g[0], U[nv + 2] = g[1];
  for (int j = 0; j < n; j++) {
    double e[2] = {-w * Y[3 * j + 1], w * Y[3 * j]};
    if (stiff) e[0] += bend[3 * j], e[1] += bend[3 * j + 1];
    turn(b, e, g);
    U[3 + j] = g[0], U[nv + 3 + j] = g[1];
  }
}

// ---- inertia ----------------------------------------------------------------------------------------

static void mass(const tr_body_at *b, double *M) {
  const tr_flexible *x = flex_of(b);
  const double *S = S_of(b), *H = H_of(b), *o = b->cache;
  int n = x->n, nv = 3 + n;
  double g[2];
  turn(b, (double[]){-o[SY], o[SX]}, g);
  M[0] = M[nv + 1] = x->m, M[1] = M[nv] = 0;
  M[2] = M[2 * nv] = g[0], M[nv + 2] = M[2 * nv + 1] = g[1];
  M[2 * nv + 2] = o[JZ];
  for (int j = 0; j < n; j++) {
    turn(b, S + 2 * j, g);
    M[3 + j] = M[(3 + j) * nv] = g[0];
    M[nv + 3 + j] = M[(3 + j) * nv + 1] = g[1];
    M[2 * nv + 3 + j] = M[(3 + j) * nv + 2] = H[j];
    for (int i = 0; i < n; i++) M[(3 + j) * nv + 3 + i] = x->M[j * n + i];
  }
}

static void add_mass_dq(const tr_body_at *b, const double *a, double *K) {
  const tr_flexible *x = flex_of(b);
  const double *S = S_of(b), *Jd = Jd_of(b), *o = b->cache, *acc = a + 3;
  int n = x->n, nv = 3 + n;
  double A[2], g[2], z[2] = {-a[2] * o[SY], a[2] * o[SX]};
  turn_back(b, a, A);
  for (int j = 0; j < n; j++) z[0] += S[2 * j] * acc[j], z[1] += S[2 * j + 1] * acc[j];
  turn(b, (double[]){-z[1], z[0]}, g);
  K[2] += g[0], K[nv + 2] += g[1];
  K[2 * nv + 2] -= o[SX] * A[0] + o[SY] * A[1];
  for (int j = 0; j < n; j++) {
    const double *Sj = S + 2 * j;
    double h = Jd[j] * a[2] + cross(Sj, A);
    turn(b, (double[]){-a[2] * Sj[1], a[2] * Sj[0]}, g);
    K[3 + j] += g[0], K[nv + 3 + j] += g[1];
    K[(3 + j) * nv + 2] += cross(Sj, A);
    for (int i = 0; i < n; i++) {
      double X = x->X2[3 * (j * n + i) + 2];
      h += X * acc[i];
      K[(3 + i) * nv + 3 + j] += X * a[2];
    }
    K[2 * nv + 3 + j] += h;
  }
}

// S x'
static void rates(const tr_body_at *b, double Sv[2]) {
  const tr_flexible *x = flex_of(b);
  const double *S = S_of(b), *v = b->v + 3;
  Sv[0] = Sv[1] = 0;
  for (int j = 0; j < x->n; j++) Sv[0] += S[2 * j] * v[j], Sv[1] += S[2 * j + 1] * v[j];
}

static void add_force(const tr_body_at *b, const double g[3], double *Q) {
  const tr_flexible *x = flex_of(b);
  const double *S = S_of(b), *Jd = Jd_of(b), *o = b->cache, *v = b->v + 3;
  int n = x->n;
  double w = b->v[2], Sv[2], G[2], e[2], Jt = 0;
  rates(b, Sv);
  turn_back(b, g, G);
  e[0] = w * w * o[SX] + 2 * w * Sv[1];
  e[1] = w * w * o[SY] - 2 * w * Sv[0];
  turn(b, e, e);
  Q[0] += x->m * g[0] + e[0], Q[1] += x->m * g[1] + e[1];
  for (int j = 0; j < n; j++) {
    double sum = dot(S + 2 * j, G) + 0.5 * w * w * Jd[j];
    for (int i = 0; i < n; i++) {
      int k = j * n + i;
      sum += 2 * w * x->X2[3 * k + 2] * v[i] - x->K[k] * b->q[3 + i] - x->C[k] * v[i];
    }
    Q[3 + j] += sum;
    Jt += Jd[j] * v[j];
  }
  Q[2] += o[SX] * G[1] - o[SY] * G[0] - Jt * w;
}

static void add_force_tangent(const tr_body_at *b, const double g[3], double *Qq, double *Qv) {
  const tr_flexible *x = flex_of(b);
  const double *S = S_of(b), *Jd = Jd_of(b), *o = b->cache, *v = b->v + 3;
  int n = x->n, nv = 3 + n;
  double w = b->v[2], Sv[2], G[2], t[2], Jt = 0;
  rates(b, Sv);
  turn_back(b, g, G);
  // the bracket turns with the frame
  turn(b, (double[]){-w * w * o[SY] + 2 * w * Sv[0], w * w * o[SX] + 2 * w * Sv[1]}, t);
  Qq[2] += t[0], Qq[nv + 2] += t[1];
  turn(b, (double[]){2 * w * o[SX] + 2 * Sv[1], 2 * w * o[SY] - 2 * Sv[0]}, t);
  Qv[2] += t[0], Qv[nv + 2] += t[1];
  Qq[2 * nv + 2] -= o[SX] * G[0] + o[SY] * G[1];
  for (int j = 0; j < n; j++) {
    const double *Sj = S + 2 * j;
    double Jtj = 0;
    turn(b, (double[]){w * w * Sj[0], w * w * Sj[1]}, t);
    Qq[3 + j] += t[0], Qq[nv + 3 + j] += t[1];
    turn(b, (double[]){2 * w * Sj[1], -2 * w * Sj[0]}, t);
    Qv[3 + j] += t[0], Qv[nv + 3 + j] += t[1];
    double c = cross(Sj, G), wj = w * Jd[j];
    Qq[(3 + j) * nv + 2] += c;
    for (int i = 0; i < n; i++) {
      int k = j * n + i;
      Jtj += 2 * x->J2[9 * k + 8] * v[i];
      wj += 2 * x->X2[3 * k + 2] * v[i];
      Qq[(3 + j) * nv + 3 + i] += w * w * x->J2[9 * k + 8] - x->K[k];
      Qv[(3 + j) * nv + 3 + i] += 2 * w * x->X2[3 * k + 2] - x->C[k];
    }
    Qv[(3 + j) * nv + 2] += wj;
    Qq[2 * nv + 3 + j] += c - Jtj * w;
    Qv[2 * nv + 3 + j] -= Jd[j] * w;
    Jt += Jd[j] * v[j];
  }
  Qv[2 * nv + 2] -= Jt;
}

double tr_flex_planar_strain(const tr_body_at *b) {
  const tr_flexible *x = flex_of(b);
  double sum = 0;
  for (int j = 0; j < x->n; j++)
    for (int i = 0; i < x->n; i++) sum += 0.5 * b->q[3 + j] * x->K[j * x->n + i] * b->q[3 + i];
  return sum;
}

static void energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  const tr_flexible *x = flex_of(b);
  const double *o = b->cache, *v = b->v, *H = H_of(b);
  double Sv[2], V[2], s[2];
  rates(b, Sv);
  turn_back(b, v, V);
  double w = v[2], T = 0.5 * (x->m * dot(v, v) + w * w * o[JZ]);
  T += V[0] * (-w * o[SY] + Sv[0]) + V[1] * (w * o[SX] + Sv[1]);
  for (int j = 0; j < x->n; j++) {
    T += w * H[j] * v[3 + j];
    for (int i = 0; i < x->n; i++) T += 0.5 * v[3 + j] * x->M[j * x->n + i] * v[3 + i];
  }
  turn(b, o + SX, s);
  *kinetic = T;
  *potential = -x->m * dot(g, b->q) - dot(g, s) + tr_flex_planar_strain(b);
}

// ---- with stiffening, or without ------------------------------------------------------------------------

static const tr_flex_plain plain = {
    3, 3, deform, mass, add_mass_dq, add_force, add_force_tangent, energy};

TR_FLEX_EITHER(planar)
