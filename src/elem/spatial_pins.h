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

#endif
