// SPDX-License-Identifier: Apache-2.0
// The mass matrix, body by body. Blocks that are constant are written down once, and where neighbours are
// alike once for all of them.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "elem/elem.h"
#include "math/lanes.h"
#include "pieces.h"

enum { PERIOD_BODIES = 8 }; // whose masses are written down where all are alike

#define NEW(count, type) TR_NEW(&s->arena, (count) > 0 ? (count) : 1, type)

// Offsets of the mass blocks. False: too many numbers.
static bool number_masses(tr_system *s) {
  long long n = 0;
  for (int i = 0; i < s->nbody; i++) {
    sys_body *b = &s->body[i];
    b->constant_mass = b->type->constant_mass ||
                       (b->type == &tr_body_problem && s->plan.body[i].problem->constant_mass);
    if (!b->constant_mass) s->constant_mass = false;
    b->mass = (int)n;
    n += (long long)b->nv * b->nv;
    if (n > INT_MAX / 2) return false;
  }
  s->nmass = (int)n;
  return true;
}

static bool is_diagonal(const double *M, int n) {
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++)
      if (r != c && M[r * n + c] != 0) return false;
  return true;
}

// Blocks of neighbours that are equal are stored once.
static int share_masses(tr_system *s, double *M) {
  int end = 0;
  for (int i = 0; i < s->nbody; i++) {
    sys_body *b = &s->body[i], *before = i > 0 ? b - 1 : NULL;
    size_t n = (size_t)b->nv * (size_t)b->nv;
    if (before && before->nv == b->nv && !memcmp(M + before->mass, M + b->mass, n * sizeof *M)) {
      b->mass = before->mass;
      continue;
    }
    memmove(M + end, M + b->mass, n * sizeof *M);
    b->mass = end;
    end += (int)n;
  }
  return end;
}

// Velocities after which the mass matrix repeats itself: of some bodies where all are alike, else all.
static int find_period(const tr_system *s) {
  for (int i = 1; i < s->nbody; i++)
    if (s->body[i].mass != s->body[0].mass || s->body[i].nv != s->body[0].nv) return s->nv;
  return s->nbody > PERIOD_BODIES ? PERIOD_BODIES * s->body[0].nv : s->nv;
}

// Constant mass blocks once; a diagonal matrix gets the short way.
tr_status tr_make_masses(tr_system *s, tr_error *error) {
  if (!number_masses(s))
    return tr_fail(error, TR_BAD_INPUT, NULL, "the mass matrices of the bodies are too large");
  size_t nq = (size_t)s->nq, nv = (size_t)s->nv, nmass = (size_t)s->nmass;
  double *M = tr_resize(s->al, NULL, (nmass + nq + nv + (size_t)s->ncache + 1) * sizeof *M);
  if (!M) return tr_no_memory(error);
  double *q = M + nmass, *v = q + nq, *cache = v + nv;
  bool diagonal = s->constant_mass;
  tr_start_motion(s, q, v);
  memset(M, 0, nmass * sizeof *M);
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (!b->constant_mass) continue;
    tr_body_at at = {b->par, q + b->q, v + b->v, cache + b->cache, 0};
    b->type->mass(&at, M + b->mass);
    if (!is_diagonal(M + b->mass, b->nv)) diagonal = false;
  }
  if (s->constant_mass) s->nmass = share_masses(s, M);
  s->mass = NEW(s->nmass, double);
  s->mass_period = find_period(s);
  if (diagonal) s->mass_diag = NEW(s->mass_period, double);
  bool fine = s->mass && (!diagonal || s->mass_diag);
  if (fine) memcpy(s->mass, M, (size_t)s->nmass * sizeof *M);
  for (int i = 0; fine && diagonal && i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    for (int r = 0; b->v < s->mass_period && r < b->nv; r++)
      s->mass_diag[b->v + r] = M[b->mass + r * (b->nv + 1)];
  }
  tr_resize(s->al, M, 0);
  return fine ? TR_OK : tr_no_memory(error);
}

// ---- use ------------------------------------------------------------------------------------------

static tr_body_at body_at(const tr_work *w, const sys_body *b) {
  return (tr_body_at){b->par, w->q + b->q, w->v + b->v, w->cache + b->cache, w->t};
}

typedef struct masses_here {
  const tr_work *w;
  double *room;
} masses_here;

static void blocks_part(void *what, int part, int first, int end) {
  const masses_here *m = what;
  (void)part;
  for (const sys_body *b = m->w->sys->body + first; b < m->w->sys->body + end; b++) {
    tr_body_at at = body_at(m->w, b);
    b->type->mass(&at, m->room + b->mass);
  }
}

const double *tr_mass_blocks(tr_work *w, double *room) {
  if (w->sys->constant_mass) return w->sys->mass;
  masses_here m = {w, room};
  tr_team_ranges(w->team, w->sys->nbody, TR_GRAIN, blocks_part, &m);
  return room;
}

static inline void scale(int n, const double *d, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] = d[i] * x[i];
}

// The velocities of bodies first .. end - 1, with a diagonal m that repeats itself: all, or from the beginning of a
// period on.
typedef struct span {
  int at, to, period;
  const double *m;
} span;

TR_INLINE span span_of(const tr_system *s, int first, int end) {
  int at = first > 0 ? s->body[first].v : 0, period = s->mass_period;
  return (span){at, tr_velocity_of(s, end), period, s->mass_diag + (period == s->nv ? at : 0)};
}

TR_INLINE void mass_times(const tr_system *s, int first, int end, const double *blocks,
                          const double *a, double *out) {
  if (s->mass_diag) {
    span p = span_of(s, first, end);
    for (; p.at + p.period < p.to; p.at += p.period) scale(p.period, p.m, a + p.at, out + p.at);
    scale(p.to - p.at, p.m, a + p.at, out + p.at);
    return;
  }
  for (int i = first; i < end; i++) {
    const sys_body *b = &s->body[i];
    const double *M = blocks + b->mass, *x = a + b->v;
    double *y = out + b->v;
    for (int r = 0; r < b->nv; r++, M += b->nv) {
      y[r] = 0;
      for (int c = 0; c < b->nv; c++) y[r] += M[c] * x[c];
    }
  }
}

void tr_mass_times(const tr_system *s, const double *blocks, const double *a, double *out) {
  mass_times(s, 0, s->nbody, blocks, a, out);
}

// y = g (f D x + y)
static inline void weigh(int n, double f, double g, const double *restrict d,
                         const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] = g * (f * (d[i] * x[i]) + y[i]);
}

TR_INLINE void mass_weigh(const tr_system *s, int first, int end, const double *blocks, double f,
                          double g, const double *a, double *out) {
  if (s->mass_diag) {
    span p = span_of(s, first, end);
    for (; p.at + p.period < p.to; p.at += p.period)
      weigh(p.period, f, g, p.m, a + p.at, out + p.at);
    weigh(p.to - p.at, f, g, p.m, a + p.at, out + p.at);
    return;
  }
  for (const sys_body *b = s->body + first; b < s->body + end; b++) {
    const double *M = blocks + b->mass, *x = a + b->v;
    double *y = out + b->v;
    for (int r = 0; r < b->nv; r++, M += b->nv) {
      double sum = 0;
      for (int c = 0; c < b->nv; c++) sum += M[c] * x[c];
      y[r] = g * (f * sum + y[r]);
    }
  }
}

static inline void add(int n, double f, const double *restrict d, const double *restrict x,
                       const double *restrict h, double *restrict y) {
  if (h)
    for (int i = 0; i < n; i++) y[i] += f * (d[i] * x[i]) + h[i];
  else
    for (int i = 0; i < n; i++) y[i] += f * (d[i] * x[i]);
}

TR_INLINE void mass_add(const tr_system *s, int first, int end, const double *blocks, double f,
                        const double *a, const double *h, double *out) {
  if (s->mass_diag) {
    span p = span_of(s, first, end);
    for (; p.at + p.period < p.to; p.at += p.period)
      add(p.period, f, p.m, a + p.at, h ? h + p.at : NULL, out + p.at);
    add(p.to - p.at, f, p.m, a + p.at, h ? h + p.at : NULL, out + p.at);
    return;
  }
  for (int i = first; i < end; i++) {
    const sys_body *b = &s->body[i];
    const double *M = blocks + b->mass, *x = a + b->v;
    double *y = out + b->v;
    for (int r = 0; r < b->nv; r++, M += b->nv) {
      double sum = 0;
      for (int c = 0; c < b->nv; c++) sum += M[c] * x[c];
      y[r] += h ? f * sum + h[b->v + r] : f * sum;
    }
  }
}

// y1 += f D x1 + h,  y2 = f D x2 - y2
static inline void add_two(int n, double f, const double *restrict d, const double *restrict x1,
                           const double *restrict x2, const double *restrict h, double *restrict y1,
                           double *restrict y2) {
  if (h)
    for (int i = 0; i < n; i++)
      y1[i] += f * (d[i] * x1[i]) + h[i], y2[i] = f * (d[i] * x2[i]) - y2[i];
  else
    for (int i = 0; i < n; i++) y1[i] += f * (d[i] * x1[i]), y2[i] = f * (d[i] * x2[i]) - y2[i];
}

// The same of a few, two at a time, for which it is not worth a call.
enum { FEW = 16 };
TR_INLINE void add_two_few(int n, double f, const double *d, const double *x1, const double *x2,
                           const double *h, double *y1, double *y2) {
  typedef lanes_pair two;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    two m = *(const two *)(d + i), a = f * (m * *(const two *)(x1 + i));
    if (h) a += *(const two *)(h + i);
    *(two *)(y1 + i) += a;
    *(two *)(y2 + i) = f * (m * *(const two *)(x2 + i)) - *(two *)(y2 + i);
  }
  if (i < n) add_two(1, f, d + i, x1 + i, x2 + i, h ? h + i : NULL, y1 + i, y2 + i);
}

TR_INLINE void mass_add_two(const tr_system *s, int first, int end, const double *blocks, double f,
                            const double *a, const double *h, double *out, const double *x,
                            double *out2) {
  if (s->mass_diag) {
    span d = span_of(s, first, end);
    int at = d.at;
    for (; at + d.period < d.to; at += d.period)
      add_two(d.period, f, d.m, a + at, x + at, h ? h + at : NULL, out + at, out2 + at);
    add_two(d.to - at, f, d.m, a + at, x + at, h ? h + at : NULL, out + at, out2 + at);
    return;
  }
  for (const sys_body *b = s->body + first; b < s->body + end; b++) {
    const double *M = blocks + b->mass;
    for (int r = b->v; r < b->v + b->nv; r++, M += b->nv) {
      double one = 0, two = 0;
      for (int c = 0; c < b->nv; c++) one += M[c] * a[b->v + c], two += M[c] * x[b->v + c];
      out[r] += h ? f * one + h[r] : f * one, out2[r] = f * two - out2[r];
    }
  }
}

TR_WIDE(weigh_wide, mass_weigh,
        (const tr_system *s, int first, int end, const double *blocks, double f, double g,
         const double *a, double *out),
        (s, first, end, blocks, f, g, a, out))
TR_WIDE(add_wide, mass_add,
        (const tr_system *s, int first, int end, const double *blocks, double f, const double *a,
         const double *h, double *out),
        (s, first, end, blocks, f, a, h, out))
TR_WIDE(add_two_wide, mass_add_two,
        (const tr_system *s, int first, int end, const double *blocks, double f, const double *a,
         const double *h, double *out, const double *x, double *out2),
        (s, first, end, blocks, f, a, h, out, x, out2))

// What is multiplied, for those who share it.
typedef struct product {
  const tr_system *s;
  const double *blocks, *a, *h;
  double f, g, *out;
  const double *x;
  double *out2;
} product;

static void times_part(void *what, int part, int first, int end) {
  const product *p = what;
  (void)part;
  mass_times(p->s, first, end, p->blocks, p->a, p->out);
}

static void weigh_part(void *what, int part, int first, int end) {
  const product *p = what;
  (void)part;
  weigh_wide(p->s, first, end, p->blocks, p->f, p->g, p->a, p->out);
}

static void add_part(void *what, int part, int first, int end) {
  const product *p = what;
  (void)part;
  add_wide(p->s, first, end, p->blocks, p->f, p->a, p->h, p->out);
}

static void add_two_part(void *what, int part, int first, int end) {
  const product *p = what;
  (void)part;
  add_two_wide(p->s, first, end, p->blocks, p->f, p->a, p->h, p->out, p->x, p->out2);
}

TR_APART void share(const tr_work *w, tr_range_part *part, product p) {
  _Static_assert(TR_GRAIN % PERIOD_BODIES == 0, "ranges are whole periods");
  tr_team_ranges(w->team, w->sys->nbody, TR_GRAIN, part, &p);
}

void tr_mass_times_shared(tr_work *w, const double *blocks, const double *a, double *out) {
  if (w->team)
    share(w, times_part, (product){.s = w->sys, .blocks = blocks, .a = a, .out = out});
  else
    mass_times(w->sys, 0, w->sys->nbody, blocks, a, out);
}

void tr_mass_weigh(tr_work *w, const double *blocks, double g, double f, const double *a,
                   double *out) {
  if (w->team)
    share(w, weigh_part, (product){w->sys, blocks, a, NULL, f, g, out, NULL, NULL});
  else
    weigh_wide(w->sys, 0, w->sys->nbody, blocks, f, g, a, out);
}

void tr_mass_add(tr_work *w, const double *blocks, double f, const double *a, const double *h,
                 double *out) {
  if (w->team)
    share(w, add_part, (product){w->sys, blocks, a, h, f, 1, out, NULL, NULL});
  else
    add_wide(w->sys, 0, w->sys->nbody, blocks, f, a, h, out);
}

void tr_mass_add_some(const tr_system *s, const sys_range *of, const double *blocks, double f,
                      const double *a, const double *h, double *out) {
  add_part(&(product){s, blocks, a, h, f, 1, out, NULL, NULL}, 0, of->first, of->end);
}

void tr_mass_add_two(tr_work *w, const double *blocks, double f, const double *a, const double *h,
                     double *out, const double *x, double *out2) {
  const tr_system *s = w->sys;
  if (s->mass_diag && s->nv <= FEW && s->mass_period == s->nv)
    add_two_few(s->nv, f, s->mass_diag, a, x, h, out, out2);
  else if (w->team)
    share(w, add_two_part, (product){s, blocks, a, h, f, 1, out, x, out2});
  else
    add_two_wide(s, 0, s->nbody, blocks, f, a, h, out, x, out2);
}

// A = L D L' in place; false when A is singular. A body's mass that lost its definiteness in a large
// deformation (with stiffening) is still good for what constraints leave of its motions.
static bool factor(double *A, int n) {
  for (int j = 0; j < n; j++) {
    double first = fabs(A[j * n + j]);
    for (int i = j; i < n; i++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k] * A[k * n + k];
      if (i == j && !(fabs(sum) > 1e-15 * first)) return false;
      A[i * n + j] = i == j ? sum : sum / A[j * n + j];
    }
  }
  return true;
}

static void factor_solve(const double *A, int n, double *x) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
  for (int i = 0; i < n; i++) x[i] /= A[i * n + i];
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
}

TR_INLINE bool solve_some(const tr_work *w, int first, int end, const double *blocks, double *x) {
  const tr_system *s = w->sys;
  if (s->mass_diag) {
    span p = span_of(s, first, end);
    const double *m = p.m;
    int to = p.to, period = p.period;
    for (int i = p.at, k = 0; i < to; i++, k = k + 1 < period ? k + 1 : 0) x[i] /= m[k];
    return true;
  }
  for (int i = first; i < end; i++) {
    const sys_body *b = &s->body[i];
    size_t n = (size_t)b->nv;
    memcpy(w->block, blocks + b->mass, n * n * sizeof *w->block);
    if (!factor(w->block, b->nv)) return false;
    factor_solve(w->block, b->nv, x + b->v);
  }
  return true;
}

typedef struct solving {
  tr_work *w;
  const double *blocks;
  double *x;
  bool failed[TR_TEAM_MAX];
} solving;

static void solve_part(void *what, int i, int first, int end) {
  solving *k = what;
  k->failed[i] = !solve_some(tr_hand(k->w, i), first, end, k->blocks, k->x);
}

tr_status tr_mass_solve(tr_work *w, const double *blocks, double *x) {
  if (!w->team) return solve_some(w, 0, w->sys->nbody, blocks, x) ? TR_OK : TR_SINGULAR;
  solving k = {.w = w, .blocks = blocks, .x = x};
  bool failed = false;
  tr_team_ranges(w->team, w->sys->nbody, TR_GRAIN, solve_part, &k);
  for (int i = 0; i < tr_team_size(w->team); i++) failed |= k.failed[i];
  return failed ? TR_SINGULAR : TR_OK;
}

const char *tr_mass_lost(tr_work *w, const double *blocks) {
  const tr_system *s = w->sys;
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (!b->type->modes) continue;
    memcpy(w->block, blocks + b->mass, (size_t)(b->nv * b->nv) * sizeof *w->block);
    if (!factor(w->block, b->nv)) return b->name;
    for (int k = 0; k < b->nv; k++)
      if (!(w->block[k * b->nv + k] > 0)) return b->name;
  }
  return NULL;
}
