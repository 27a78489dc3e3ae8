// SPDX-License-Identifier: Apache-2.0
// Increments of positions, body by body: q1 = q o exp(d), and what goes with it on curved coordinates.
#include <math.h>
#include <string.h>

#include "elem/elem.h"
#include "math/vector.h"
#include "pieces.h"

// Bodies first .. end - 1 of loops over increments, for those who share them.
typedef struct turning {
  const tr_system *s;
  const double *d, *v;
  double h, *u;
  double *most; // of each range
} turning;

TR_APART double share_out(const tr_work *w, tr_range_part *part, turning *k) {
  double found[TR_TEAM_MAX], most = 0;
  int n = tr_team_size(w->team);
  for (int i = 0; i < n; i++) found[i] = 0;
  k->most = found;
  tr_team_ranges(w->team, w->sys->nbody, TR_GRAIN, part, k);
  for (int i = 0; i < n; i++) most = fmax(most, found[i]);
  return most;
}

// The largest that they find.
TR_INLINE double share(const tr_work *w, tr_range_part *part, turning *k) {
  double most = 0;
  k->s = w->sys, k->most = &most;
  if (w->team) return share_out(w, part, k);
  part(k, 0, 0, w->sys->nbody);
  return most;
}

TR_INLINE void turn_rates(const tr_system *s, int first, int end, const double *u, const double *v,
                          double *du) {
  for (int i = first; i < end; i++) {
    const sys_body *b = &s->body[i];
    if (b->type->increment_rate) b->type->increment_rate(b->par, u + b->v, v + b->v, du + b->v);
  }
}

void tr_increment_rate(const tr_system *s, const double *u, const double *v, double *du) {
  if (s->nv > 0) memcpy(du, v, (size_t)s->nv * sizeof *du);
  if (!s->flat) turn_rates(s, 0, s->nbody, u, v, du);
}

static void rate_part(void *what, int part, int first, int end) {
  const turning *k = what;
  (void)part;
  turn_rates(k->s, first, end, k->d, k->v, k->u);
}

void tr_increment_rate_shared(tr_work *w, const double *u, const double *v, double *du) {
  if (!w->team) {
    tr_increment_rate(w->sys, u, v, du);
    return;
  }
  tr_copy(w, v, du, w->sys->nv);
  if (!w->sys->flat) share(w, rate_part, &(turning){.d = u, .v = v, .u = du});
}

// v = T(u) u' of one body, as many rows of T at once as there is room for.
static void turn_velocity(const sys_body *b, const double *u, const double *du, double *spare,
                          double *v) {
  enum { ROOM = 64 };
  int n = b->nv, most = n <= ROOM ? ROOM / n : 1;
  double room[ROOM], *rows = n <= ROOM ? room : spare;
  for (int first = 0; first < n; first += most) {
    int count = n - first < most ? n - first : most;
    memset(rows, 0, (size_t)(count * n) * sizeof *rows);
    for (int k = 0; k < count; k++) rows[k * n + first + k] = 1;
    b->type->pull_increment(b->par, u, count, n, rows);
    for (int k = 0; k < count; k++) {
      v[first + k] = 0;
      for (int j = 0; j < n; j++) v[first + k] += rows[k * n + j] * du[j];
    }
  }
}

void tr_increment_velocity(tr_work *w, const double *u, const double *du, double *v) {
  const tr_system *s = w->sys;
  if (s->nv > 0) memcpy(v, du, (size_t)s->nv * sizeof *v);
  for (int i = 0; i < s->nbody && !s->flat; i++) {
    const sys_body *b = &s->body[i];
    if (b->type->pull_increment) turn_velocity(b, u + b->v, du + b->v, w->x, v + b->v);
  }
}

void tr_increment_bend(const tr_system *s, const tr_increment_end *e, double h, double *room,
                       double *out) {
  int n = s->nv;
  double *u = room, *v = u + n, *back = v + n, eps = 1e-5 * h;
  if (n > 0) memcpy(out, e->a, (size_t)n * sizeof *out);
  if (s->flat) return;
  for (int i = 0; i < n; i++) u[i] = e->u[i] - eps * e->rate[i], v[i] = e->v[i] - eps * e->a[i];
  tr_increment_rate(s, u, v, back);
  for (int i = 0; i < n; i++) u[i] = e->u[i] + eps * e->rate[i], v[i] = e->v[i] + eps * e->a[i];
  tr_increment_rate(s, u, v, out);
  for (int i = 0; i < n; i++) out[i] = 0.5 * (out[i] - back[i]) / eps;
}

static void shift_flat(void *what, int part, int first, int end) {
  const turning *k = what;
  const double *d = k->d;
  double *u = k->u;
  (void)part;
  for (int i = first; i < end; i++) u[i] -= d[i];
}

TR_INLINE void shift_part(void *what, int part, int first, int end) {
  const turning *k = what;
  const tr_system *s = k->s;
  double most = 0;
  for (int i = first; i < end; i++) {
    const sys_body *b = &s->body[i];
    if (b->type->shift_increment)
      most = fmax(most, b->type->shift_increment(b->par, k->d + b->v, k->u + b->v));
    else
      for (int j = b->v; j < b->v + b->nv; j++) k->u[j] -= k->d[j];
  }
  k->most[part] = most;
}

double tr_shift_increment(tr_work *w, const double *d, double *u) {
  if (!w->sys->flat) return share(w, shift_part, &(turning){.d = d, .u = u});
  if (w->team)
    TR_SHARE(w, w->sys->nv, shift_flat, &(turning){.d = d, .u = u});
  else
    for (int i = 0; i < w->sys->nv; i++) u[i] -= d[i];
  return 0;
}

// Its increments 3 to 5 are a rotation, in its axes.
static bool turns(const sys_body *b) {
  return b->type->shift_increment && b->nv >= 6 && b->nq > b->nv;
}

TR_INLINE void turn_part(void *what, int part, int first, int end) {
  const turning *k = what;
  (void)part;
  for (int i = first; i < end; i++) {
    const sys_body *b = &k->s->body[i];
    if (!turns(b)) continue;
    double by[3], e[4], R[9], x[3], *u = k->u + b->v + 3;
    v3_scale(k->h, k->d + b->v + 3, by);
    quat_exp(by, e);
    quat_to_m3(e, R);
    m3_mul(R, u, x);
    v3_copy(x, u);
  }
}

void tr_turn_increment(tr_work *w, const double *spin, double h, double *u) {
  if (!w->sys->flat) share(w, turn_part, &(turning){.d = spin, .h = h, .u = u});
}

// The same of n bodies that follow each other, four at a time; the last ones may be looked at twice.
TR_INLINE void raise_turns(int n, const double *u, const double *than, double *most) {
  lanes top = {0};
  for (int i = 0, first; i < n; i += LANES) {
    first = i + LANES <= n ? i : n - LANES;
    POINTERS(const double, turn, u + 6 * (first + l) + 2);
    lanes x[4], y[4];
    lanes_load4(turn, x);
    if (than) {
      POINTERS(const double, other, than + 6 * (first + l) + 2);
      lanes_load4(other, y);
      for (int k = 1; k < 4; k++) x[k] -= y[k];
    }
    lanes square = x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
    lanes_raise(&square, &top);
  }
  *most = lanes_top(&top);
}
TR_WIDE(largest_turns, raise_turns, (int n, const double *u, const double *than, double *most),
        (n, u, than, most))

TR_INLINE double largest_of_few(const tr_system *s, int first, int end, const double *u,
                                const double *than) {
  double most = 0;
  for (int i = first; i < end; i++) {
    const sys_body *b = &s->body[i];
    if (!turns(b)) continue;
    double d[3];
    v3_copy(u + b->v + 3, d);
    if (than) v3_sub(u + b->v + 3, than + b->v + 3, d);
    most = max2(most, v3_dot(d, d));
  }
  return most;
}

TR_INLINE double largest_square(const tr_system *s, int first, int end, const double *u,
                                const double *than) {
  if (end - first < LANES) return largest_of_few(s, first, end, u, than);
  double most = 0, top;
  for (const sys_run *run = s->body_run, *last = run + s->nbody_run; run < last; run++) {
    int from = run->first > first ? run->first : first, to = run->first + run->count;
    const sys_body *b = &s->body[from];
    to = to < end ? to : end;
    if (from >= to) continue;
    if (to - from >= LANES && b->nv == 6 && turns(b)) {
      largest_turns(to - from, u + b->v, than ? than + b->v : NULL, &top);
    } else {
      top = largest_of_few(s, from, to, u, than);
    }
    most = max2(most, top);
  }
  return most;
}

static void largest_part(void *what, int part, int first, int end) {
  const turning *k = what;
  k->most[part] = largest_square(k->s, first, end, k->d, k->v);
}

double tr_largest_turn(tr_work *w, const double *u, const double *than) {
  const tr_system *s = w->sys;
  if (s->flat) return 0;
  if (!w->team) return sqrt(largest_square(s, 0, s->nbody, u, than));
  return sqrt(share(w, largest_part, &(turning){.d = u, .v = than}));
}

double tr_turn_of_some(const tr_system *s, const sys_range *of, const double *u) {
  return s->flat ? 0 : sqrt(largest_square(s, of->first, of->end, u, NULL));
}

void tr_take_turns(const tr_system *s, const double *v, double *spin) {
  for (int i = 0; i < s->nbody && !s->flat; i++)
    if (turns(&s->body[i])) v3_copy(v + s->body[i].v + 3, spin + s->body[i].v + 3);
}

void tr_cayley(const tr_system *s, double k, double *d) {
  if (s->flat) return;
  for (int i = 0; i < s->nbody; i++)
    if (s->body[i].type->cayley) s->body[i].type->cayley(s->body[i].par, k, d + s->body[i].v);
}

void tr_turn_by(const tr_system *s, const tr_body_step *step, double k, double *d, double *v1) {
  for (int i = 0; i < s->nown; i++) {
    const sys_body *b = &s->body[s->own[i]];
    if (!b->type->turn_by) continue;
    tr_body_step own = {step->q + b->q, step->v + b->v, step->at + b->q, step->h};
    b->type->turn_by(&own, k, d + b->v, v1 + b->v);
  }
}

void tr_see_from(const tr_system *s, const double *place, const double *q, const double *v,
                 double *seen) {
  if (s->nv > 0) memcpy(seen, v, (size_t)s->nv * sizeof *seen);
  for (int i = 0; i < s->nown; i++) {
    const sys_body *b = &s->body[s->own[i]];
    if (b->type->see_from) b->type->see_from(place + b->q, q + b->q, seen + b->v);
  }
}

TR_INLINE void retract(const tr_system *s, const sys_range *of, const double *q, const double *d,
                       double *q1) {
  for (int r = run_of(s->body_run, s->nbody_run, of); r < s->nbody_run; r++) {
    const sys_run run = run_within(&s->body_run[r], of);
    if (of && run.count <= 0) break;
    const tr_body_type *type = s->body[run.first].type;
    if (type->retract_run) {
      tr_bodies_at many = {.n = run.count, .slot = s->slot + run.first};
      type->retract_run(&many, q, d, q1);
      continue;
    }
    for (const sys_body *b = s->body + run.first; b < s->body + run.first + run.count; b++) {
      if (type->retract)
        type->retract(b->par, q + b->q, d + b->v, q1 + b->q);
      else
        for (int k = 0; k < b->nq; k++) q1[b->q + k] = q[b->q + k] + d[b->v + k];
    }
  }
}

void tr_retract_some(const tr_system *s, const sys_range *of, const double *q, const double *d,
                     double *q1) {
  if (!s->aligned) {
    retract(s, of, q, d, q1);
    return;
  }
  for (int i = s->body[of->first].v, end = tr_velocity_of(s, of->end); i < end; i++)
    q1[i] = q[i] + d[i];
}

TR_APART void retract_all(const tr_system *s, const double *q, const double *d, double *q1) {
  retract(s, NULL, q, d, q1);
}

void tr_retract(const tr_system *s, const double *q, const double *d, double *q1) {
  if (!s->aligned) {
    retract_all(s, q, d, q1);
    return;
  }
  int i = 0, n = s->nq;
  for (; i + 1 < n; i += 2)
    *(lanes_pair *)(q1 + i) = *(const lanes_pair *)(q + i) + *(const lanes_pair *)(d + i);
  if (i < n) q1[i] = q[i] + d[i];
}

typedef struct way {
  const tr_system *s;
  const double *q, *d;
  double *q1;
} way;

static void add_part(void *what, int part, int first, int end) {
  const way *y = what;
  (void)part;
  for (int i = first; i < end; i++) y->q1[i] = y->q[i] + y->d[i];
}

static void retract_part(void *what, int part, int first, int end) {
  const way *y = what;
  sys_range of = range_of(y->s->body_run, y->s->nbody_run, first, end);
  (void)part;
  retract(y->s, &of, y->q, y->d, y->q1);
}

void tr_retract_by_team(tr_work *w, const double *q, const double *d, double *q1) {
  const tr_system *s = w->sys;
  way y = {s, q, d, q1};
  if (s->aligned)
    tr_team_ranges(w->team, s->nq, TR_GRAIN_NUMBERS, add_part, &y);
  else
    tr_team_ranges(w->team, s->nbody, TR_GRAIN, retract_part, &y);
}

void tr_carry(const tr_system *s, const double *q, const double *d, double *q1, double *v) {
  tr_retract(s, q, d, q1);
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (b->type->carry) b->type->carry(q + b->q, d + b->v, q1 + b->q, v ? v + b->v : NULL);
  }
}

void tr_close_own(const tr_system *s, double *q, double *v) {
  for (int i = 0; i < s->nown; i++) {
    const sys_body *b = &s->body[s->own[i]];
    if (b->type->close) b->type->close(q + b->q, v + b->v);
  }
}

double tr_carried_turn(const tr_system *s, const double *q, const double *d) {
  enum { POSE = 7 }; // numbers at most that a rotating body is placed by
  double most = 0, there[POSE];
  for (int i = 0; i < s->nbody; i++) {
    const sys_body *b = &s->body[i];
    if (b->type->carry)
      most = fmax(most, b->type->carry(q + b->q, d + b->v, there, NULL));
    else if (b->type->dim == 2 && b->nv == 3)
      most = fmax(most, fabs(d[b->v + 2]));
    else if (b->type->dim == 3 && b->nv == 6)
      most = fmax(most, v3_norm(d + b->v + 3));
  }
  return most;
}
