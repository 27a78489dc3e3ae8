// SPDX-License-Identifier: Apache-2.0
// What pins make of four spatial bodies that nothing else holds: G M^-1 G' and G v, and M^-1 G' x. With the rows
// (sign 1, g) of a pin, g = -sign R [c], and M = diag(m, J)
//   G_k M^-1 G_l' = sign_k sign_l/m + g_k J^-1 g_l',   G v = sign r' + g w,   M^-1 G' x = (sign x/m, J^-1 g' x)
#ifndef TR_SPATIAL_PINS_H
#define TR_SPATIAL_PINS_H

#include "spatial_lanes.h"

// 1/m, J and J^-1 of each.
TR_INLINE void inverse_mass4(const tr_body_slot *const *s, lanes *im, lanes *I, lanes *J) {
  POINTERS(const tr_spatial_par, par, s[l]->par);
  POINTERS(const double, inertia, par[l]->inertia);
  lanes x[9], m = {par[0]->mass, par[1]->mass, par[2]->mass, par[3]->mass};
  lanes_load9(inertia, I);
  lanes_cross(I + 3, I + 6, x), lanes_cross(I + 6, I, x + 3), lanes_cross(I, I + 3, x + 6);
  lanes f = 1 / (I[0] * x[0] + I[1] * x[1] + I[2] * x[2]);
  for (int i = 0; i < 9; i++) J[i] = f * x[i];
  *im = 1 / m;
}

TR_INLINE void pin4(const tr_bodies_at *b, const tr_pin *const *pin, lanes *c, lanes *sign) {
  POINTERS(const double, arm, b->site[pin[l]->site].c);
  lanes signs = {pin[0]->sign, pin[1]->sign, pin[2]->sign, pin[3]->sign};
  lanes_load4(arm, c);
  for (int i = 0; i < 3; i++) c[i] = signs * c[i];
  *sign = signs;
}

// Sign and g of the k-th pin of each.
TR_INLINE void rows4(const tr_bodies_at *b, const tr_pinned_four *io, int k, const lanes *R,
                     lanes *sign, lanes *g) {
  POINTERS(const tr_pin, pin, io->pin[l] + k);
  lanes c[4];
  pin4(b, pin, c, sign);
  for (int i = 0; i < 3; i++) lanes_cross(c, R + 3 * i, g + 3 * i);
}

// Row i of g J^-1 h' + f, and the last column.
TR_INLINE void put_row4(lanes *x, int i, const lanes *f, const lanes *last, double *const *to) {
  POINTERS(double, row, to[l] + 4 * i);
  x[i] += *f, x[3] = last[i];
  lanes_store4(x, row);
}

TR_INLINE void dot4(const lanes *g, const lanes *h, lanes *x) {
  *x = g[0] * h[0] + g[1] * h[1] + g[2] * h[2];
}

TR_INLINE void put_square4(const lanes *gJ, const lanes *g, const lanes *f, const lanes *last,
                           double *const *to) {
  lanes a[4], b[4], c[4];
  dot4(gJ, g, a), dot4(gJ, g + 3, a + 1), dot4(gJ, g + 6, a + 2);
  dot4(gJ + 3, g + 3, b + 1), dot4(gJ + 3, g + 6, b + 2), dot4(gJ + 6, g + 6, c + 2);
  b[0] = a[1], c[0] = a[2], c[1] = b[2];
  put_row4(a, 0, f, last, to), put_row4(b, 1, f, last, to), put_row4(c, 2, f, last, to);
}

TR_INLINE void put_product4(const lanes *gJ, const lanes *h, const lanes *f, const lanes *last,
                            double *const *to) {
  for (int i = 0; i < 3; i++) {
    lanes x[4];
    for (int j = 0; j < 3; j++) dot4(gJ + 3 * i, h + 3 * j, x + j);
    put_row4(x, i, f, last, to);
  }
}

TR_INLINE void rotations4(const tr_bodies_at *b, const tr_pinned_four *io, lanes *R) {
  POINTERS(const double, rotation, b->q + io->slot[l]->q + 3);
  lanes e[4];
  lanes_load4(rotation, e);
  lanes_quat_to_m3(e, R);
}

TR_INLINE void pins4(const tr_bodies_at *b, const tr_pinned_four *io) {
  enum { BLOCK = 12 };
  POINTERS(const double, velocity, b->v + io->slot[l]->v);
  POINTERS(double, to, io->S[l]);
  lanes R[9], v[6], I[9], J[9], g[9], h[9], gJ[9], x[3], im, sign, other, f;
  inverse_mass4(io->slot, &im, I, J);
  rotations4(b, io, R);
  lanes_load6(velocity, v);
  for (int k = 0; k < io->pins; k++) {
    rows4(b, io, k, R, &sign, g);
    lanes_mul(g, v + 3, x);
    for (int i = 0; i < 3; i++) x[i] += sign * v[i];
    lanes_mulm(g, J, gJ);
    put_square4(gJ, g, &im, x, to);
    for (int l = 0; l < LANES; l++) to[l] += BLOCK;
    for (int j = k + 1; j < io->pins; j++) {
      rows4(b, io, j, R, &other, h);
      f = sign * other * im;
      put_product4(gJ, h, &f, x, to);
      for (int l = 0; l < LANES; l++) to[l] += BLOCK;
    }
  }
}

// J^-1 ((J d) x w + (J w) x d), d the change of the spin and w the new one, from the part x that is taken away
TR_INLINE void gyrate4(const tr_bodies_at *b, const tr_pinned_four *io, const lanes *I,
                       const lanes *J, const lanes *x) {
  POINTERS(const double, spin, b->v + io->slot[l]->v + 2);
  POINTERS(const double, past, io->was + io->slot[l]->v + 2);
  lanes w[4], d[4], Iw[3], Id[3], y[3], z[3], most = {0};
  lanes_load4(spin, w), lanes_load4(past, d);
  for (int i = 1; i < 4; i++) w[i] -= x[i - 1], d[i] = io->f * d[i] - x[i - 1];
  lanes_mul(I, w + 1, Iw), lanes_mul(I, d + 1, Id);
  lanes_cross(Id, w + 1, y), lanes_cross(Iw, d + 1, z);
  for (int i = 0; i < 3; i++) y[i] += z[i];
  lanes_mul(J, y, z);
  for (int i = 0; i < 3; i++) lanes_raise(&z[i], &most);
  double top = lanes_top(&most);
  *io->most = top > *io->most ? top : *io->most;
}

TR_INLINE void pulled4(const tr_bodies_at *b, const tr_pinned_four *io) {
  POINTERS(double, out, io->out + io->slot[l]->v);
  lanes R[9], I[9], J[9], sum[3] = {0}, m[3] = {0}, y[6], im;
  inverse_mass4(io->slot, &im, I, J);
  rotations4(b, io, R);
  for (int k = 0; k < io->pins; k++) {
    POINTERS(const tr_pin, pin, io->pin[l] + k);
    POINTERS(const double, force, io->x + pin[l]->row);
    lanes c[4], sign, x[4], f[3], cf[3];
    pin4(b, pin, c, &sign);
    lanes_load4(force, x);
    lanes_tmul(R, x, f);
    lanes_cross(c, f, cf);
    for (int i = 0; i < 3; i++) sum[i] += sign * x[i], m[i] += cf[i];
  }
  for (int i = 0; i < 3; i++) y[i] = im * sum[i];
  lanes_mul(J, m, y + 3);
  lanes_store6(y, out);
  gyrate4(b, io, I, J, y + 3);
}

// ---- bars -----------------------------------------------------------------------------------------

// Both arms, times their signs, are along one line: c and t c. Of vectors l with l_i' J l_j = 1 or 0, the last along c,
//   J^-1 = sum l_i l_i',   g_k J^-1 g_k' = U_1 U_1' + U_2 U_2',   U_i = R (l_i x c),   J^-1 g_k' x = sum l_i U_i' x
// and with t, t^2 in the other blocks. As w = sum l_i (J l_i)' w,   g_k w = U_1 (J l_1)' w + U_2 (J l_2)' w.
enum {
  BAR_IM,
  BAR_ACROSS,
  BAR_SIGN,
  BAR_OTHER,
  BAR_T,
  BAR_ARM,
  BAR_L = 8,
  BAR_AXIAL = 14,
  BAR_REST,
  BAR_LEVER, // l_i x c
  BAR_JL = 22
};

// x less its part along y, which has length f in the metric J.
static inline void part_from(const double *J, const double *y, double *x) {
  double Jy[3];
  m3_mul(J, y, Jy);
  v3_axpy(-v3_dot(x, Jy) / v3_dot(y, Jy), y, x);
}

static inline void to_unit(const double *J, double *x) {
  double Jx[3];
  m3_mul(J, x, Jx);
  double f = 1 / sqrt(v3_dot(x, Jx));
  for (int i = 0; i < 3; i++) x[i] *= f;
}

// J^-1 ((J d) x w + (J w) x d), J^-1 by the three l
static inline void gyrate(const double *J, const double (*l)[3], const double *d, const double *w,
                          double *out) {
  double Jd[3], Jw[3], x[3], y[3];
  m3_mul(J, d, Jd), m3_mul(J, w, Jw);
  v3_cross(Jd, w, x), v3_cross(Jw, d, y);
  v3_add(x, y, x);
  for (int i = 0; i < 3; i++) out[i] = 0;
  for (int i = 0; i < 3; i++) v3_axpy(v3_dot(l[i], x), l[i], out);
}

// Were c an axis of symmetry, gyrate would be f c x ((c.d) w + (c.w) d). Squares of twice f |c|, and of twice the largest entry
// of the rest at most, both over those of |d| and |w|.
static inline void bound_gyration(const double *J, const double (*l)[3], const double *c,
                                  double *known) {
  double sum[3] = {0}, Jc[3], x[3], y[3], cc = v3_dot(c, c);
  m3_mul(J, c, Jc);
  double axial = v3_dot(c, Jc) / cc, across = 0.5 * (J[0] + J[4] + J[8] - axial);
  double f = (axial - across) / (across * cc);
  for (int i = 0; i < 9; i++) {
    double d[3] = {i / 3 == 0, i / 3 == 1, i / 3 == 2}, w[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
    gyrate(J, l, d, w, x);
    v3_cross(c, w, y), v3_axpy(-f * v3_dot(c, d), y, x);
    v3_cross(c, d, y), v3_axpy(-f * v3_dot(c, w), y, x);
    for (int k = 0; k < 3; k++) sum[k] += x[k] * x[k];
  }
  known[BAR_AXIAL] = 4 * f * f * cc, known[BAR_REST] = 4 * fmax(sum[0], fmax(sum[1], sum[2]));
}

// A second pin that is missing has no sign.
static inline bool bar_of(const tr_spatial_par *par, int pins, const tr_pin *pin,
                          const tr_site *site, double *known) {
  const double *J = par->inertia, *c = site[pin[0].site].c, *e = site[pin[pins - 1].site].c;
  double sign = pin[0].sign, other = pins > 1 ? pin[1].sign : 0;
  double across[3], l[3][3], cc = v3_dot(c, c), t = other * sign * v3_dot(c, e) / cc;
  v3_cross(c, e, across);
  if (!(v3_dot(across, across) <= DBL_EPSILON * DBL_EPSILON * cc * v3_dot(e, e))) return false;
  if (!(cc > 0 && v3_dot(e, e) > 0)) return false;
  int least = fabs(c[1]) < fabs(c[0]) ? 1 : 0, next;
  least = fabs(c[2]) < fabs(c[least]) ? 2 : least, next = (least + 1) % 3;
  if (fabs(c[3 - least - next]) < fabs(c[next])) next = 3 - least - next;
  for (int i = 0; i < 3; i++) l[0][i] = i == least, l[1][i] = i == next, l[2][i] = c[i];
  part_from(J, l[2], l[0]), part_from(J, l[2], l[1]), part_from(J, l[0], l[1]);
  for (int i = 0; i < 3; i++) to_unit(J, l[i]);
  known[BAR_IM] = 1 / par->mass, known[BAR_ACROSS] = sign * other / par->mass;
  known[BAR_SIGN] = sign, known[BAR_OTHER] = other, known[BAR_T] = t;
  for (int i = 0; i < 3; i++) {
    known[BAR_ARM + i] = sign * c[i];
    known[BAR_L + i] = l[0][i], known[BAR_L + 3 + i] = l[1][i];
  }
  for (int i = 0; i < 2; i++) {
    v3_cross(l[i], known + BAR_ARM, known + BAR_LEVER + 3 * i);
    m3_mul(J, l[i], known + BAR_JL + 3 * i);
  }
  bound_gyration(J, (const double(*)[3])l, c, known);
  return true;
}

// The upper rows of f + s A, A by them.
TR_INLINE void put_upper4(const lanes *f, const lanes *s, const lanes *A, lanes_anywhere *to) {
  for (int i = 0; i < 6; i++) to[i] = *s * A[i];
  to[0] += *f, to[3] += *f, to[5] += *f;
}

// U_1, U_2.
TR_INLINE void turn_bars4(const tr_bodies_at *b, const tr_four_bars *io, lanes *U) {
  POINTERS(const double, rotation, b->q + io->slot[l]->q + 3);
  const lanes_anywhere *lever = (const lanes_anywhere *)io->known + BAR_LEVER;
  lanes e[4], R[9];
  lanes_load4(rotation, e);
  lanes_quat_to_m3(e, R);
  for (int k = 0; k < 6; k += 3) {
    lanes u[3] = {lever[k], lever[k + 1], lever[k + 2]};
    lanes_mul(R, u, U + k);
  }
}

TR_INLINE void bars4(const tr_bodies_at *b, const tr_four_bars *io) {
  POINTERS(const double, velocity, b->v + io->slot[l]->v);
  const lanes_anywhere *known = (const lanes_anywhere *)io->known, *Jl = known + BAR_JL;
  lanes_anywhere *S = (lanes_anywhere *)io->S;
  lanes im = known[BAR_IM], f = known[BAR_ACROSS], t = known[BAR_T], tt = t * t;
  lanes U[6], v[6], A[6];
  turn_bars4(b, io, U);
  lanes_load6(velocity, v);
  lanes p = Jl[0] * v[3] + Jl[1] * v[4] + Jl[2] * v[5];
  lanes q = Jl[3] * v[3] + Jl[4] * v[4] + Jl[5] * v[5];
  for (int i = 0; i < 3; i++) {
    lanes z = U[i] * p + U[3 + i] * q;
    S[6 + i] = known[BAR_SIGN] * v[i] + z;
    S[24 + i] = known[BAR_OTHER] * v[i] + t * z;
  }
  for (int i = 0, n = 0; i < 3; i++)
    for (int j = i; j < 3; j++) A[n++] = U[i] * U[j] + U[3 + i] * U[3 + j];
  for (int i = 0; i < 6; i++) S[i] = A[i];
  S[0] += im, S[3] += im, S[5] += im;
  put_upper4(&im, &tt, A, S + 18);
  for (int i = 0; i < 6; i++) A[i] = t * A[i];
  S[9] = A[0] + f, S[10] = S[12] = A[1], S[11] = S[15] = A[2];
  S[13] = A[3] + f, S[14] = S[16] = A[4], S[17] = A[5] + f;
}

// Only where it may count.
__attribute__((noinline)) static void gyrate_bars(const tr_bodies_at *b, const tr_four_bars *io) {
  for (int i = 0; i < LANES; i++) {
    const tr_body_slot *s = io->slot[i];
    const tr_spatial_par *par = s->par;
    const double *spin = b->v + s->v + 3, *past = io->was + s->v + 3, *x = io->out + s->v + 3;
    double c[3], l[3][3], w[3], d[3], y[3];
    for (int k = 0; k < 3; k++) {
      c[k] = io->known[LANES * (BAR_ARM + k) + i];
      l[0][k] = io->known[LANES * (BAR_L + k) + i];
      l[1][k] = io->known[LANES * (BAR_L + 3 + k) + i], l[2][k] = c[k];
      w[k] = spin[k] - x[k], d[k] = io->f * past[k] - x[k];
    }
    to_unit(par->inertia, l[2]);
    gyrate(par->inertia, (const double(*)[3])l, d, w, y);
    for (int k = 0; k < 3; k++) *io->most = fmax(*io->most, fabs(y[k]));
  }
}

// U_i' x = (l_i x c)' R' x,  R' x = x + 2 e x (e x x - e_0 x)
TR_INLINE void barred4(const tr_bodies_at *b, const tr_four_bars *io) {
  POINTERS(const double, rotation, b->q + io->slot[l]->q + 3);
  POINTERS(double, out, io->out + io->slot[l]->v);
  POINTERS(const double, spin, b->v + io->slot[l]->v + 2);
  POINTERS(const double, past, io->was + io->slot[l]->v + 2);
  const lanes_anywhere *known = (const lanes_anywhere *)io->known;
  const lanes_anywhere *x = (const lanes_anywhere *)io->x;
  const lanes_anywhere *L = known + BAR_L;
  lanes im = known[BAR_IM], s = im * known[BAR_SIGN], o = im * known[BAR_OTHER], t = known[BAR_T];
  const lanes_anywhere *lever = known + BAR_LEVER;
  lanes y[6], w[4], d[4], p = {0}, q = {0}, ww = {0}, dd = {0}, cw = {0}, cd = {0};
  lanes e[4], sum[3], z[3], turned[3];
  lanes_load4(rotation, e);
  for (int i = 0; i < 3; i++) sum[i] = x[i] + t * x[3 + i], y[i] = s * x[i] + o * x[3 + i];
  lanes_cross(e + 1, sum, z);
  for (int i = 0; i < 3; i++) z[i] -= e[0] * sum[i], z[i] += z[i];
  lanes_cross(e + 1, z, turned);
  for (int i = 0; i < 3; i++) {
    turned[i] += sum[i];
    p += lever[i] * turned[i], q += lever[3 + i] * turned[i];
  }
  lanes_load4(spin, w), lanes_load4(past, d);
  for (int i = 0; i < 3; i++) {
    y[3 + i] = p * L[i] + q * L[3 + i];
    lanes now = w[1 + i] - y[3 + i], change = io->f * d[1 + i] - y[3 + i];
    ww += now * now, dd += change * change;
    cw += known[BAR_ARM + i] * now, cd += known[BAR_ARM + i] * change;
  }
  lanes_store6(y, out);
  lanes most = known[BAR_AXIAL] * (cw * cw * dd + cd * cd * ww) + known[BAR_REST] * (ww * dd);
  lanes_mask little = most < io->little * io->little;
  if (!lanes_all(&little)) gyrate_bars(b, io);
}

#endif
