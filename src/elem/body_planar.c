// SPDX-License-Identifier: Apache-2.0
// Planar rigid body: q = (x, y, angle) of the centre of mass, v = q'.
//
// M = diag(m, m, I) is constant. A marker at c in body axes, arm r = R(angle) c:
//   p = (x, y) + r,   u = (v + omega z x r, omega),   bias acceleration -omega^2 r
//   J' w = (f, n + r x f),   (J' w)_q has one entry: d(r x f)/dangle = -r . f
// cache: cos, sin of the angle.
#include <math.h>

#include "body_run.h"
#include "elem.h"
#include "math/angle.h"

typedef struct par {
  double mass, inertia, com[2], position[2], angle, velocity[2], omega;
} par;

static const tr_field fields[] = {
    {"mass", TR_REAL, TR_MASS, offsetof(par, mass), .positive = true, .doc = "mass"},
    {"inertia", TR_REAL, TR_INERTIA, offsetof(par, inertia), .positive = true,
     .doc = "moment of inertia about the centre of mass"},
    {"com", TR_VEC2, TR_LENGTH, offsetof(par, com), "[0, 0]",
     .doc = "centre of mass in body axes, from the origin"},
    {"position", TR_VEC2, TR_LENGTH, offsetof(par, position), "[0, 0]", .start = true,
     .doc = "origin at the start"},
    {"angle", TR_REAL, TR_ANGLE, offsetof(par, angle), "0", .start = true,
     .doc = "angle at the start"},
    {"velocity", TR_VEC2, TR_VELOCITY, offsetof(par, velocity), "[0, 0]", .start = true,
     .doc = "velocity of the origin at the start"},
    {"omega", TR_REAL, TR_ANGULAR_VELOCITY, offsetof(par, omega), "0", .start = true,
     .doc = "angular velocity at the start"},
    {0}};

static const char *const coordinate_names[] = {"x", "y", "angle", NULL};
static const char *const rate_names[] = {"vx", "vy", "omega", NULL};

static void pose(const void *pv, double p[3], double R[9]) {
  const par *b = pv;
  double c = cos(b->angle), s = sin(b->angle);
  p[0] = b->position[0], p[1] = b->position[1], p[2] = 0;
  for (int i = 0; i < 9; i++) R[i] = 0;
  R[0] = c, R[1] = -s, R[3] = s, R[4] = c, R[8] = 1;
}

static void start(const void *pv, double *q, double *v) {
  const par *b = pv;
  double c = cos(b->angle), s = sin(b->angle);
  double rx = c * b->com[0] - s * b->com[1], ry = s * b->com[0] + c * b->com[1];
  q[0] = b->position[0] + rx, q[1] = b->position[1] + ry, q[2] = b->angle;
  v[0] = b->velocity[0] - b->omega * ry, v[1] = b->velocity[1] + b->omega * rx, v[2] = b->omega;
}

static void site(const void *pv, const double p[3], const double R[9], tr_site *s) {
  const par *b = pv;
  s->c[0] = p[0] - b->com[0], s->c[1] = p[1] - b->com[1], s->c[2] = p[2];
  s->R = R;
  s->angle = atan2(R[3], R[0]);
}

// What a spatial element sees of a planar body: the same motion in three dimensions.
static void lift(double c, double n, const tr_site *s, tr_frame *f) {
  const double *L = s->R;
  for (int j = 0; j < 3; j++) {
    f->R[j] = c * L[j] - n * L[3 + j];
    f->R[3 + j] = n * L[j] + c * L[3 + j];
    f->R[6 + j] = L[6 + j];
  }
  f->p[2] = s->c[2];
  f->v[2] = f->ap[2] = f->w[0] = f->w[1] = f->aw[0] = f->aw[1] = 0;
}

// n frames from the first-th on; turned: cos, sin are there
TR_INLINE void place_frames(const tr_body_at *b, bool turned, tr_level level, int n,
                            const tr_site *site, tr_frames frame, int first) {
  const double *q = b->q, *v = b->v;
  if (!turned) angle_sincos(q[2], &b->cache[1], &b->cache[0]);
  double c = b->cache[0], s = b->cache[1];
  tr_frame *f = tr_frame_at(frame, first);
  for (int k = 0; k < n; k++, site++, f = tr_frame_after(frame, f)) {
    double rx = c * site->c[0] - s * site->c[1], ry = s * site->c[0] + c * site->c[1];
    f->p[0] = q[0] + rx, f->p[1] = q[1] + ry;
    f->angle = q[2] + site->angle;
    if (site->nd == 6) {
      lift(c, s, site, f);
    } else if (!site->point) {
      // R(angle) R(site)
      double fc = c * site->R[0] - s * site->R[3], fs = s * site->R[0] + c * site->R[3];
      f->R[0] = fc, f->R[1] = -fs, f->R[3] = fs, f->R[4] = fc;
    }
    if (level < TR_AT_VELOCITY) continue;
    f->v[0] = v[0] - v[2] * ry, f->v[1] = v[1] + v[2] * rx;
    f->ap[0] = -v[2] * v[2] * rx, f->ap[1] = -v[2] * v[2] * ry;
    if (!site->point) f->w[2] = v[2], f->aw[2] = 0;
  }
}

static void kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                       tr_frame *f) {
  place_frames(b, false, level, n, site, (tr_frames){f, sizeof *f}, 0);
}

static void arm(const tr_body_at *b, const tr_site *s, double *rx, double *ry) {
  *rx = b->cache[0] * s->c[0] - b->cache[1] * s->c[1];
  *ry = b->cache[1] * s->c[0] + b->cache[0] * s->c[1];
}

static void add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out) {
  double rx, ry;
  arm(b, s, &rx, &ry);
  out[0] += w[0], out[1] += w[1], out[2] += w[s->nd - 1] + rx * w[1] - ry * w[0];
}

static inline void add_pulls(const tr_body_at *b, const tr_site *s, const double *w,
                             const double *w2, double *out, double *out2) {
  add_pull(b, s, w, out), add_pull(b, s, w2, out2);
}

static void add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w, double *K) {
  double rx, ry;
  arm(b, s, &rx, &ry);
  K[8] -= rx * w[0] + ry * w[1];
}

static void twist_dq(const tr_body_at *b, const tr_site *s, double *U) {
  double rx, ry;
  arm(b, s, &rx, &ry);
  for (int i = 0; i < 3 * s->nd; i++) U[i] = 0;
  U[2] = -b->v[2] * rx, U[5] = -b->v[2] * ry;
}

static void mass(const tr_body_at *b, double *M) {
  const par *p = b->par;
  for (int i = 0; i < 9; i++) M[i] = 0;
  M[0] = M[4] = p->mass, M[8] = p->inertia;
}

static void add_force(const tr_body_at *b, const double g[3], double *Q) {
  const par *p = b->par;
  Q[0] += p->mass * g[0], Q[1] += p->mass * g[1];
}

static void energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  const par *p = b->par;
  const double *q = b->q, *v = b->v;
  *kinetic = 0.5 * (p->mass * (v[0] * v[0] + v[1] * v[1]) + p->inertia * v[2] * v[2]);
  *potential = -p->mass * (g[0] * q[0] + g[1] * q[1]);
}

TR_PULL_ROWS(3)
TR_PULL_SITES

// ---- many bodies, four at a time ------------------------------------------------------------------

// Sites that each of four bodies has, if elements in the plane look at their points alone; else 0.
TR_INLINE int common_points(const tr_body_slot *s) {
  int n = s[0].sites;
  for (int l = 1; l < LANES; l++) n = s[l].sites < n ? s[l].sites : n;
  return (s[0].points & s[1].points & s[2].points & s[3].points) ? n : 0;
}

// cos, sin of neighbours, between the cache and lanes
TR_INLINE void load_turns4(const double *cache, lanes *c, lanes *s) {
  lanes x = *(const lanes_anywhere *)cache, y = *(const lanes_anywhere *)(cache + LANES);
  *c = __builtin_shufflevector(x, y, 0, 2, 4, 6);
  *s = __builtin_shufflevector(x, y, 1, 3, 5, 7);
}

TR_INLINE void store_turns4(const lanes *c, const lanes *s, double *cache) {
  *(lanes_anywhere *)cache = __builtin_shufflevector(*c, *s, 0, 4, 1, 5);
  *(lanes_anywhere *)(cache + LANES) = __builtin_shufflevector(*c, *s, 2, 6, 3, 7);
}

// Arms of a site of each body.
TR_INLINE void arms4(const tr_site *const *site, const lanes *c, const lanes *s, lanes *rx,
                     lanes *ry) {
  POINTERS(const double, at, site[l]->c);
  lanes x[2];
  lanes_load2(at, x);
  *rx = *c * x[0] - *s * x[1], *ry = *s * x[0] + *c * x[1];
}

// Places of points, and their velocities; false: not four bodies of this kind.
TR_INLINE bool kinematics4(const tr_bodies_at *b, const tr_body_slot *slot, tr_level level, int n,
                           tr_frames frame) {
  lanes q[3], v[3] = {0}, c, s, rx, ry;
  if (n == 0) return false;
  lanes_load_threes(b->q + slot->q, q);
  if (!lanes_sincos(&q[2], &s, &c)) return false;
  store_turns4(&c, &s, b->cache + slot->cache);
  if (level == TR_AT_VELOCITY) lanes_load_threes(b->v + slot->v, v);
  POINTERS(const tr_site, site, b->site + slot[l].site);
  POINTERS(tr_frame, f, tr_frame_at(frame, slot[l].frame));
  for (int k = 0; k < n; k++) {
    arms4(site, &c, &s, &rx, &ry);
    POINTERS(double, p, f[l]->p);
    lanes_store2((lanes[]){q[0] + rx, q[1] + ry}, p);
    POINTERS(double, u, f[l]->v);
    if (level == TR_AT_VELOCITY) lanes_store2((lanes[]){v[0] - v[2] * ry, v[1] + v[2] * rx}, u);
    for (int l = 0; l < LANES; l++) site[l]++, f[l] = tr_frame_after(frame, f[l]);
  }
  return true;
}

// cos, sin of two to four bodies at once; false: not done.
TR_INLINE bool turn_some(const tr_bodies_at *b, const tr_body_slot *slot, int n) {
  const double *q = b->q + 2;
  double x = q[slot[0].q];
  lanes c, s, a = {x, n > 1 ? q[slot[1].q] : x, n > 2 ? q[slot[2].q] : x, n > 3 ? q[slot[3].q] : x};
  if (n < 2 || !lanes_sincos(&a, &s, &c)) return false;
  for (int l = 0; l < LANES; l++)
    if (l < n) b->cache[slot[l].cache] = c[l], b->cache[slot[l].cache + 1] = s[l];
  return true;
}

TR_INLINE void kinematics_all(const tr_bodies_at *b, tr_level level, tr_frames frame) {
  const tr_body_slot *s = b->slot, *end = s + b->n;
  while (s < end) {
    int done = 0, n = end - s < LANES ? (int)(end - s) : LANES;
    if (n == LANES && level < TR_AT_BIAS) {
      int points = common_points(s);
      if (kinematics4(b, s, level, points, frame)) done = points;
      if (done > 0 && no_more_sites(s, done)) {
        s += LANES;
        continue;
      }
    }
    bool turned = done > 0 || turn_some(b, s, n);
    for (; n > 0; n--, s++) {
      if (done > 0 && done == s->sites) continue;
      tr_body_at at = one_of(b, s);
      place_frames(&at, turned, level, s->sites - done, b->site + s->site + done, frame,
                   s->frame + done);
    }
  }
}

// at: where the wrenches on one frame of each begin
TR_INLINE void add_pull4(const size_t *at, const double *W, const lanes *rx, const lanes *ry,
                         lanes *sum) {
  POINTERS(const double, w, W + at[l]);
  lanes x[2];
  lanes_load2(w, x);
  sum[0] += x[0], sum[1] += x[1], sum[2] += *rx * x[1] - *ry * x[0];
}

TR_INLINE void put_force4(const tr_body_slot *slot, lanes *sum, double *F) {
  for (int i = 0; i < 3; i++) sum[i] = -sum[i];
  lanes_store_threes(sum, F + slot->v);
}

// F = -(own force + sum J' W) over n sites of each of four bodies, F2 = -sum J' W2 over those held
TR_INLINE void gather4(const tr_bodies_at *b, const tr_body_slot *slot, int n, const double *g,
                       tr_wrenches W, double *F, int held, tr_wrenches W2, double *F2) {
  POINTERS(const par, p, slot[l].par);
  lanes m = {p[0]->mass, p[1]->mass, p[2]->mass, p[3]->mass}, c, s, rx, ry;
  lanes sum[3] = {0}, second[3] = {0};
  if (W.first) sum[0] = m * g[0], sum[1] = m * g[1];
  load_turns4(b->cache + slot->cache, &c, &s);
  POINTERS(const tr_site, site, b->site + slot[l].site);
  size_t at[LANES], size = (size_t)(W.first ? W.size : W2.size);
  for (int l = 0; l < LANES; l++) at[l] = (size_t)slot[l].frame * size;
  for (int k = 0; k < n; k++) {
    arms4(site, &c, &s, &rx, &ry);
    if (W.first) add_pull4(at, W.first, &rx, &ry, sum);
    if (W2.first && k < held) add_pull4(at, W2.first, &rx, &ry, second);
    for (int l = 0; l < LANES; l++) site[l]++, at[l] += size;
  }
  if (W.first) put_force4(slot, sum, F);
  if (W2.first) put_force4(slot, second, F2);
}

// The wrench on site k through its arm, after those on others.
TR_INLINE void pull_one(const tr_body_slot *s, const tr_site *site, int k, double rx, double ry,
                        tr_wrenches W, double *x, double *y, double *z) {
  const double *w = tr_wrench_at(W, s->frame + k);
  *x += w[0], *y += w[1], *z += w[site->nd - 1] + rx * w[1] - ry * w[0];
}

// The same of one body.
TR_INLINE void gather1(const tr_bodies_at *b, const tr_body_slot *s, const double *g, tr_wrenches W,
                       double *F, tr_wrenches W2, double *F2) {
  const tr_body_at at = one_of(b, s);
  const tr_site *site = b->site + s->site;
  double m = ((const par *)s->par)->mass, x = 0, y = 0, z = 0, x2 = 0, y2 = 0, z2 = 0, rx, ry;
  if (W.first) x = m * g[0], y = m * g[1];
  for (int k = 0, n = W.first ? s->sites : s->held; k < n; k++, site++) {
    arm(&at, site, &rx, &ry);
    if (W.first) pull_one(s, site, k, rx, ry, W, &x, &y, &z);
    if (W2.first && k < s->held) pull_one(s, site, k, rx, ry, W2, &x2, &y2, &z2);
  }
  if (W.first) F += s->v, F[0] = 0 - x, F[1] = 0 - y, F[2] = 0 - z;
  if (W2.first) F2 += s->v, F2[0] = 0 - x2, F2[1] = 0 - y2, F2[2] = 0 - z2;
}

// W.first, W2.first NULL: the other only
TR_INLINE void gather_all(const tr_bodies_at *b, const double *g, tr_wrenches W, double *F,
                          tr_wrenches W2, double *F2) {
  const tr_body_slot *s = b->slot, *end = s + b->n;
  while (s < end) {
    int done = 0, held = 0, n = 1;
    if (end - s >= LANES) {
      done = common_points(s), n = LANES;
      held = done > 0 ? common_held(s) : 0;
      if (done > 0) gather4(b, s, W.first ? done : held, g, W, F, held, W2, F2);
      if (done > 0 && no_more_sites(s, done) && (!W2.first || no_more_held(s, held))) {
        s += LANES;
        continue;
      }
    }
    for (; n > 0; n--, s++) {
      if (done == 0) gather1(b, s, g, W, F, W2, F2);
      if (done == 0 || (done == s->sites && (held == s->held || !W2.first))) continue;
      tr_body_at at = one_of(b, s);
      double sum[3] = {0}, second[3] = {0};
      pull_sites(&at, b, s, done, W, sum, held, W2, second);
      for (int i = 0; W.first && i < 3; i++) F[s->v + i] -= sum[i];
      for (int i = 0; W2.first && i < 3; i++) F2[s->v + i] -= second[i];
    }
  }
}

// Which of the two there are is known where it is called: nothing is asked in the loops.
TR_INLINE void gather_some(const tr_bodies_at *b, const double *g, tr_wrenches W, double *F,
                           tr_wrenches W2, double *F2) {
  const tr_wrenches none = {0};
  if (!W2.first)
    gather_all(b, g, W, F, none, NULL);
  else if (W.first)
    gather_all(b, g, W, F, W2, F2);
  else
    gather_all(b, g, none, NULL, W2, F2);
}

TR_WIDE(kinematics_run, kinematics_all, (const tr_bodies_at *b, tr_level level, tr_frames frame),
        (b, level, frame))
TR_WIDE(gather_run, gather_some,
        (const tr_bodies_at *b, const double g[3], tr_wrenches W, double *F, tr_wrenches W2,
         double *F2),
        (b, g, W, F, W2, F2))

// Rows (sign, 0, -sign ry), (0, sign, sign rx), and nothing in the third direction.
TR_INLINE void put_rows4(const lanes *sign, const lanes *rx, const lanes *ry, double *to) {
  lanes_anywhere *G = (lanes_anywhere *)to;
  G[0] = *sign, G[2] = -*sign * *ry;
  G[4] = *sign, G[5] = *sign * *rx;
}

TR_INLINE void tangent4(const tr_bodies_at *b, const tr_four_bodies *io) {
  const tr_body_slot *const *s = io->slot;
  POINTERS(const par, p, s[l]->par);
  POINTERS(const double, turn, b->cache + s[l]->cache);
  lanes cosine = {turn[0][0], turn[1][0], turn[2][0], turn[3][0]};
  lanes sine = {turn[0][1], turn[1][1], turn[2][1], turn[3][1]}, sum = {0}, rx, ry;
  for (int k = 0, n = io->K ? (int)s[0]->sites : 0; k < n; k++) {
    POINTERS(const tr_site, site, b->site + s[l]->site + k);
    POINTERS(const double, w, tr_wrench_at(io->W, s[l]->frame + k));
    lanes x[2];
    lanes_load2(w, x);
    arms4(site, &cosine, &sine, &rx, &ry);
    sum -= rx * x[0] + ry * x[1];
  }
  if (io->K) {
    lanes_anywhere *K = (lanes_anywhere *)io->K;
    lanes m = {p[0]->mass, p[1]->mass, p[2]->mass, p[3]->mass};
    lanes J = {p[0]->inertia, p[1]->inertia, p[2]->inertia, p[3]->inertia};
    K[0] = K[4] = io->cm * m, K[8] = io->cm * J - io->ck * sum;
  }
  for (int k = 0; k < io->pins; k++) {
    POINTERS(const tr_pin, pin, io->pin[l] + k);
    POINTERS(const tr_site, site, b->site + pin[l]->site);
    lanes sign = {pin[0]->sign, pin[1]->sign, pin[2]->sign, pin[3]->sign};
    arms4(site, &cosine, &sine, &rx, &ry);
    put_rows4(&sign, &rx, &ry, io->G + 9 * LANES * k);
    put_rows4(&sign, &rx, &ry, io->turned + 9 * LANES * k);
  }
}

TR_WIDE(tangent_four, tangent4, (const tr_bodies_at *b, const tr_four_bodies *io), (b, io))

TR_INLINE void turns4(const tr_bodies_at *b, const tr_body_slot *const *slot, lanes *c, lanes *s) {
  POINTERS(const double, q, b->q + slot[l]->q);
  lanes a = {q[0][2], q[1][2], q[2][2], q[3][2]};
  if (lanes_sincos(&a, s, c)) return;
  for (int l = 0; l < LANES; l++) {
    double sine, cosine;
    angle_sincos(q[l][2], &sine, &cosine);
    (*s)[l] = sine, (*c)[l] = cosine;
  }
}

// The sign of the k-th pin of each, and (-ry, rx) times it.
TR_INLINE void lever4(const tr_bodies_at *b, const tr_pinned_four *io, int k, const lanes *c,
                      const lanes *s, lanes *sign, lanes *g) {
  POINTERS(const tr_pin, pin, io->pin[l] + k);
  POINTERS(const tr_site, site, b->site + pin[l]->site);
  lanes signs = {pin[0]->sign, pin[1]->sign, pin[2]->sign, pin[3]->sign}, rx, ry;
  arms4(site, c, s, &rx, &ry);
  g[0] = -signs * ry, g[1] = signs * rx;
  *sign = signs;
}

// f 1 + g h', row by row, and the last column.
TR_INLINE void put_square4(const lanes *f, const lanes *g, const lanes *h, const lanes *last,
                           double *const *to) {
  for (int i = 0; i < 2; i++) {
    POINTERS(double, row, to[l] + 4 * i);
    lanes x[4] = {g[i] * h[0], g[i] * h[1], last[i], last[i]};
    x[i] += *f;
    lanes_store4(x, row);
  }
}

// With the rows sign (1, g) of a pin: G_k M^-1 G_l' = sign_k sign_l/m + g_k g_l'/J, G v, and M^-1 G' x.
TR_INLINE void pins4(const tr_bodies_at *b, const tr_pinned_four *io) {
  enum { BLOCK = 8 };
  POINTERS(const par, p, io->slot[l]->par);
  POINTERS(const double, u, b->v + io->slot[l]->v);
  POINTERS(double, to, io->S[l]);
  lanes im = 1 / (lanes){p[0]->mass, p[1]->mass, p[2]->mass, p[3]->mass};
  lanes iJ = 1 / (lanes){p[0]->inertia, p[1]->inertia, p[2]->inertia, p[3]->inertia};
  lanes c, s, g[2], h[2], gJ[2], x[2], sign, f;
  lanes vx = {u[0][0], u[1][0], u[2][0], u[3][0]}, vy = {u[0][1], u[1][1], u[2][1], u[3][1]};
  lanes w = {u[0][2], u[1][2], u[2][2], u[3][2]};
  turns4(b, io->slot, &c, &s);
  for (int k = 0; k < io->pins; k++) {
    lever4(b, io, k, &c, &s, &sign, g);
    for (int i = 0; i < 2; i++) gJ[i] = g[i] * iJ;
    x[0] = sign * vx + g[0] * w, x[1] = sign * vy + g[1] * w;
    put_square4(&im, gJ, g, x, to);
    for (int l = 0; l < LANES; l++) to[l] += BLOCK;
    for (int j = k + 1; j < io->pins; j++) {
      lever4(b, io, j, &c, &s, &f, h);
      f *= sign * im;
      put_square4(&f, gJ, h, x, to);
      for (int l = 0; l < LANES; l++) to[l] += BLOCK;
    }
  }
}

TR_INLINE void pulled4(const tr_bodies_at *b, const tr_pinned_four *io) {
  POINTERS(const par, p, io->slot[l]->par);
  POINTERS(double, out, io->out + io->slot[l]->v);
  lanes im = 1 / (lanes){p[0]->mass, p[1]->mass, p[2]->mass, p[3]->mass};
  lanes iJ = 1 / (lanes){p[0]->inertia, p[1]->inertia, p[2]->inertia, p[3]->inertia};
  lanes c, s, g[2], sum[3] = {0};
  turns4(b, io->slot, &c, &s);
  for (int k = 0; k < io->pins; k++) {
    POINTERS(const double, force, io->x + io->pin[l][k].row);
    lanes x = {force[0][0], force[1][0], force[2][0], force[3][0]};
    lanes y = {force[0][1], force[1][1], force[2][1], force[3][1]}, sign;
    lever4(b, io, k, &c, &s, &sign, g);
    sum[0] += sign * x, sum[1] += sign * y, sum[2] += g[0] * x + g[1] * y;
  }
  sum[0] *= im, sum[1] *= im, sum[2] *= iJ;
  lanes_store3(sum, out);
}

TR_WIDE(pins_four, pins4, (const tr_bodies_at *b, const tr_pinned_four *io), (b, io))
TR_WIDE(pulled_four, pulled4, (const tr_bodies_at *b, const tr_pinned_four *io), (b, io))

// ---- bars -----------------------------------------------------------------------------------------

// Arms times signs; a second pin that is missing has none.
enum { BAR_IM, BAR_IJ, BAR_ACROSS, BAR_SIGN, BAR_OTHER, BAR_ARM };

static bool bar(const void *pv, int pins, const tr_pin *pin, const tr_site *site, double *known) {
  const par *p = pv;
  for (int i = BAR_SIGN; i < TR_BAR_KNOWN; i++) known[i] = 0;
  for (int k = 0; k < pins; k++) {
    known[BAR_SIGN + k] = pin[k].sign;
    for (int i = 0; i < 2; i++) known[BAR_ARM + 2 * k + i] = pin[k].sign * site[pin[k].site].c[i];
  }
  known[BAR_IM] = 1 / p->mass, known[BAR_IJ] = 1 / p->inertia;
  known[BAR_ACROSS] = known[BAR_SIGN] * known[BAR_OTHER] / p->mass;
  return true;
}

// g of both pins.
TR_INLINE void turn_bars4(const tr_bodies_at *b, const tr_four_bars *io, lanes *g) {
  const lanes_anywhere *arm = (const lanes_anywhere *)io->known + BAR_ARM;
  lanes c, s;
  turns4(b, io->slot, &c, &s);
  for (int k = 0; k < 4; k += 2)
    g[k] = -(s * arm[k] + c * arm[k + 1]), g[k + 1] = c * arm[k] - s * arm[k + 1];
}

TR_INLINE void bars4(const tr_bodies_at *b, const tr_four_bars *io) {
  POINTERS(const double, u, b->v + io->slot[l]->v);
  const lanes_anywhere *known = (const lanes_anywhere *)io->known;
  lanes_anywhere *S = (lanes_anywhere *)io->S;
  lanes vx = {u[0][0], u[1][0], u[2][0], u[3][0]}, vy = {u[0][1], u[1][1], u[2][1], u[3][1]};
  lanes w = {u[0][2], u[1][2], u[2][2], u[3][2]}, im = known[BAR_IM], f = known[BAR_ACROSS];
  lanes sign = known[BAR_SIGN], other = known[BAR_OTHER], g[4], x, y;
  turn_bars4(b, io, g);
  x = g[0] * known[BAR_IJ], y = g[1] * known[BAR_IJ];
  S[0] = im + x * g[0], S[1] = x * g[1], S[2] = im + y * g[1];
  S[3] = sign * vx + g[0] * w, S[4] = sign * vy + g[1] * w;
  S[5] = f + x * g[2], S[6] = x * g[3], S[7] = y * g[2], S[8] = f + y * g[3];
  x = g[2] * known[BAR_IJ], y = g[3] * known[BAR_IJ];
  S[9] = im + x * g[2], S[10] = x * g[3], S[11] = im + y * g[3];
  S[12] = other * vx + g[2] * w, S[13] = other * vy + g[3] * w;
}

TR_INLINE void barred4(const tr_bodies_at *b, const tr_four_bars *io) {
  POINTERS(double, out, io->out + io->slot[l]->v);
  const lanes_anywhere *known = (const lanes_anywhere *)io->known;
  const lanes_anywhere *x = (const lanes_anywhere *)io->x;
  lanes s = known[BAR_IM] * known[BAR_SIGN], o = known[BAR_IM] * known[BAR_OTHER], g[4], y[3];
  turn_bars4(b, io, g);
  y[0] = s * x[0] + o * x[2], y[1] = s * x[1] + o * x[3];
  y[2] = (g[0] * x[0] + g[1] * x[1]) + (g[2] * x[2] + g[3] * x[3]);
  y[2] *= known[BAR_IJ];
  lanes_store3(y, out);
}

TR_WIDE(bars_four, bars4, (const tr_bodies_at *b, const tr_four_bars *io), (b, io))
TR_WIDE(barred_four, barred4, (const tr_bodies_at *b, const tr_four_bars *io), (b, io))

static void pull_run(const tr_bodies_at *b, tr_wrenches W, double *F) {
  gather_run(b, NULL, (tr_wrenches){0}, NULL, W, F);
}

const tr_body_type tr_body_planar = {
    .name = "planar",
    .doc = "rigid body in the x-y plane",
    .fields = fields,
    .par_size = sizeof(par),
    .dim = 2,
    .nq = 3,
    .nv = 3,
    .ncache = 2,
    .constant_mass = true,
    .coordinate_names = coordinate_names,
    .rate_names = rate_names,
    .pose = pose,
    .start = start,
    .site = site,
    .kinematics = kinematics,
    .add_pull = add_pull,
    .add_wrench_dq = add_wrench_dq,
    .twist_dq = twist_dq,
    .mass = mass,
    .add_force = add_force,
    .energy = energy,
    .kinematics_run = kinematics_run,
    .gather_run = gather_run,
    .pull_run = pull_run,
    .pull_rows = pull_rows,
    .tangent_four = tangent_four,
    .pins_four = pins_four,
    .pulled_four = pulled_four,
    .bar = bar,
    .bars_four = bars_four,
    .barred_four = barred_four,
};
