// SPDX-License-Identifier: Apache-2.0
// What is evaluated four at a time for the assembly (tangent.c): bodies, each with the rows of joints of points that
// hold it; joints of primitives, which wait in a queue until it is full or another kind comes, so that blocks keep their
// order.
//
// Blocks of four bodies come with four numbers for an entry, one for each body. To the sink the block of one is a
// matrix like any other, with four times the strides; where those of all four look alike they are written together.
#ifndef TR_TOGETHER_H
#define TR_TOGETHER_H

#include <string.h>

#include "math/lanes.h"
#include "sink.h"
#include "system.h"

// ---- bodies ---------------------------------------------------------------------------------------

// Equations by functions: nothing is known of their pattern. Kept coordinates get weights on the whole
// block at the start.
static inline bool whole_block(const sys_body *b) {
  return b->type->sizes != NULL || b->keep_q || b->keep_v;
}

static inline int pins_of(const tr_system *sys, int body) {
  return sys->first_pin[body + 1] - sys->first_pin[body];
}

// Of bodies from `first` on, `most` of them, how many have as many sites and pins as the first.
static inline int count_alike(const tr_system *sys, int first, int most) {
  int n = 1, pins = pins_of(sys, first);
  while (n < most && sys->slot[first + n].sites == sys->slot[first].sites &&
         pins_of(sys, first + n) == pins)
    n++;
  return n;
}

// In the order of the tape if n = 1.
static inline void show_bodies(sink *s, const tr_system *sys, const sys_body *b, int n,
                               const tr_four_bodies *x) {
  int nv = b->nv, down = LANES * nv;
  for (int l = 0; l < n; l++, b++) {
    if (x->K) emit(s, (tr_block_at){b->v, b->v, nv, nv, down, LANES, whole_block(b)}, x->K + l);
    for (int k = 0; k < x->pins; k++) {
      const tr_pin *pin = x->pin[l] + k;
      int below = sys->nv + pin->row, rows = sys->site[pin->site].nd == 3 ? 2 : 3;
      int at = 3 * down * k + l;
      emit(s, (tr_block_at){below, b->v, rows, nv, down, LANES, false}, x->turned + at);
      emit(s, (tr_block_at){b->v, below, nv, rows, LANES, down, false}, x->G + at);
    }
  }
}

// Blocks that look alike, of four bodies.
TR_INLINE void write_alike(const int *shape, double *const *to, const double *block) {
  double *v0 = to[0], *v1 = to[1], *v2 = to[2], *v3 = to[3];
  const int *e = shape + 2, *single = e + 8 * shape[1], *end = e + 2 * shape[0];
  for (; e < single; e += 8) {
    lanes x[4];
    for (int i = 0; i < 4; i++) x[i] = *(const lanes_anywhere *)(block + e[2 * i + 1]);
    lanes_transpose(x);
    *(lanes_anywhere *)(v0 + e[0]) = x[0], *(lanes_anywhere *)(v1 + e[0]) = x[1];
    *(lanes_anywhere *)(v2 + e[0]) = x[2], *(lanes_anywhere *)(v3 + e[0]) = x[3];
  }
  for (; e < end; e += 2) {
    const double *x = block + e[1];
    v0[e[0]] = x[0], v1[e[0]] = x[1], v2[e[0]] = x[2], v3[e[0]] = x[3];
  }
}
TR_WIDE(write_four, write_alike, (const int *shape, double *const *to, const double *block),
        (shape, to, block))

// The same where their numbers lie side by side; `back`: the last one's first.
TR_INLINE void write_beside(const int *shape, bool back, double *to, const double *block) {
  const int *e = shape + 2, *end = e + 2 * shape[0];
  if (back)
    for (; e < end; e += 2) {
      lanes x = *(const lanes_anywhere *)(block + e[1]);
      *(lanes_anywhere *)(to + e[0]) = __builtin_shufflevector(x, x, 3, 2, 1, 0);
    }
  else
    for (; e < end; e += 2)
      *(lanes_anywhere *)(to + e[0]) = *(const lanes_anywhere *)(block + e[1]);
}
TR_WIDE(write_side, write_beside, (const int *shape, bool back, double *to, const double *block),
        (shape, back, to, block))

// One block of each of n bodies, `step` numbers of the tape from one to the next.
static inline void write_each(const sink *s, const int *tape, int step, int n,
                              const double *block) {
  POINTERS(const int, at, tape + l * step);
  if (n < LANES || (*at[0] & 1) || *at[0] != *at[1] || *at[0] != *at[2] || *at[0] != *at[3]) {
    for (int l = 0; l < n; l++) write_block(s, at[l], block + l, s->values);
    return;
  }
  POINTERS(double, to, s->values + at[l][1]);
  ptrdiff_t apart = to[1] - to[0];
  if ((apart == 1 || apart == -1) && to[3] - to[0] == 3 * apart)
    write_side(s->shape + (*tape >> 1), apart < 0, to[apart < 0 ? 3 : 0], block);
  else
    write_four(s->shape + (*tape >> 1), to, block);
}

// tape: of the first pin.
static inline void write_bodies(const sink *s, const int *tape, int step, int n, int nv,
                                const tr_four_bodies *x) {
  if (x->K) write_each(s, tape - 2, step, n, x->K);
  for (int k = 0; k < x->pins; k++, tape += 4) {
    write_each(s, tape, step, n, x->turned + 3 * LANES * nv * k);
    write_each(s, tape + 2, step, n, x->G + 3 * LANES * nv * k);
  }
}

// Where blocks of n bodies go in the block solver's room is fetched while they are evaluated.
static inline void fetch_room(const sink *s, int step, int n) {
  enum { LINE = 8, FETCHED = 6 * LINE }; // numbers; a rod has 48
  const int *first = s->tape + 1, *last = first + (n - 1) * step;
  bool beside = n > 1 && (*last - *first == n - 1 || *first - *last == n - 1);
  for (int l = 0; l < n; l++) {
    const double *to =
        s->values + (beside ? (*last < *first ? *last : *first) + l * FETCHED : first[l * step]);
    for (int k = 0; k < FETCHED; k += LINE) __builtin_prefetch(to + k, 1);
  }
}

// Bodies first .. first + n - 1, which are alike.
static inline void emit_four(sink *s, tr_work *w, const tr_bodies_at *all, tr_four_bodies *x,
                             int first, int n, tr_coefficients c) {
  const tr_system *sys = w->sys;
  const sys_body *b = sys->body + first;
  int pins = pins_of(sys, first), step = tr_body_tape(sys, first, s->joined);
  x->K = w->many, x->pins = 0;
  for (int l = 0; l < LANES; l++) {
    int i = first + (l < n ? l : 0);
    x->slot[l] = sys->slot + i, x->pin[l] = sys->pin + sys->first_pin[i];
  }
  if (s->rates) {
    x->cm = x->ck = 0;
    b->type->tangent_four(all, x);
    for (int l = 0; l < n; l++) write_block(s, s->tape + l * step, x->K + l, s->rates);
    x->cm = c.cm, x->ck = c.ck;
  }
  if (s->joined) fetch_room(s, step, n);
  for (int done = 0; done == 0 || done < pins; done += TR_PINS, x->K = NULL) {
    for (int l = 0; l < LANES; l++) x->pin[l] += x->pins;
    x->pins = pins - done < TR_PINS ? pins - done : TR_PINS;
    b->type->tangent_four(all, x);
    if (s->joined)
      write_each(s, s->tape + 2 * (done / TR_PINS), step, n, w->many);
    else if (s->mode == SINK_WRITE)
      write_bodies(s, s->tape + 2 + 4 * done, step, n, b->nv, x);
    else
      show_bodies(s, sys, b, n, x);
  }
  if (s->mode == SINK_WRITE) s->tape += n * step;
}

// A run of bodies, or a range of it that begins at a multiple of four.
static inline void emit_bodies(sink *s, tr_work *w, const sys_run *run, tr_coefficients c) {
  const tr_system *sys = w->sys;
  const tr_body_type *type = sys->body[run->first].type;
  if (*w->many_of != type) memset(w->many, 0, TR_MANY * sizeof *w->many);
  *w->many_of = type;
  tr_bodies_at all = tr_bodies_of(w, 0, sys->nbody);
  tr_four_bodies x = {.gravity = sys->gravity, .increment = w->increment, .W = w->W};
  x.cm = c.cm, x.ck = c.ck, x.cd = c.cd;
  x.G = w->many + TR_MANY_G, x.turned = w->many + TR_MANY_TURNED;
  for (int done = 0, n; done < run->count; done += n) {
    int most = LANES - done % LANES, left = run->count - done;
    if (s->recorder) most = 1;
    n = count_alike(sys, run->first + done, most < left ? most : left);
    emit_four(s, w, &all, &x, run->first + done, n, c);
  }
}

// ---- joints ---------------------------------------------------------------------------------------

// The bodies of all are of one type.
typedef struct queue {
  const tr_body_type *type;
  const tr_joint_ops *made; // of these primitives
  int joints;
  tr_between between[LANES];
  const sys_joint *joint[LANES];
} queue;

static inline void emit_between(sink *s, const tr_system *sys, const sys_joint *j, const double *G,
                                const double *turned, const double *K) {
  int rows = j->ops->rows, below = sys->nv + j->row, v[2], count = 0, nv = 6, side[2];
  for (int k = 0; k < 2; k++)
    if (j->e.body[k] != TR_GROUND) side[count] = k, v[count++] = sys->body[j->e.body[k]].v;
  int width = nv * count;
  for (int k = 0; k < count; k++)
    emit(s, (tr_block_at){below, v[k], rows, nv, width, 1, j->ops->dense}, turned + nv * k);
  for (int k = 0; k < count; k++)
    emit(s, (tr_block_at){v[k], below, nv, rows, 1, width, j->ops->dense}, G + nv * k);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < count; k++)
      emit(s, (tr_block_at){v[i], v[k], nv, nv, nv, 1, false},
           K + (2 * side[i] + side[k]) * nv * nv);
}

static inline void flush_between(sink *s, tr_work *w, queue *q, const double *lam, double ck) {
  double G[LANES * TR_ROWS_ROOM] = {0}, turned[LANES * TR_ROWS_ROOM] = {0};
  double K[LANES * TR_GEOM_ROOM] = {0};
  tr_bodies_at all = tr_bodies_of(w, 0, w->sys->nbody);
  for (int l = q->joints; l < LANES; l++) q->between[l] = q->between[0];
  q->type->joint_rows(&all, w->frames, q->between,
                      &(tr_four_joints){q->made->prims, q->made->nprim, ck != 0 ? lam : NULL,
                                        w->increment, ck, G, turned, K});
  for (int l = 0; l < q->joints; l++) {
    const double *rows = G + l * TR_ROWS_ROOM;
    emit_between(s, w->sys, q->joint[l], rows, w->increment ? turned + l * TR_ROWS_ROOM : rows,
                 K + l * TR_GEOM_ROOM);
  }
}

static inline void flush(sink *s, tr_work *w, queue *q, const double *lam, double ck) {
  if (q->joints > 0) flush_between(s, w, q, lam, ck);
  q->joints = 0;
}

// False: not a joint whose rows can be had together with others'. While blocks are recorded they show themselves one by
// one, with reactions of their own choice.
static inline bool enqueue(sink *s, tr_work *w, const sys_joint *j, queue *q, const double *lam,
                           double ck) {
  const tr_body_type *type = s->mode == SINK_WRITE ? tr_joins_frames(w->sys, j) : NULL;
  if (!type) return false;
  if (q->type != type || q->made != j->ops || q->joints == LANES) flush(s, w, q, lam, ck);
  q->type = type, q->made = j->ops;
  tr_between *b = &q->between[q->joints];
  q->joint[q->joints++] = j;
  *b = (tr_between){.row = j->row};
  for (int k = 0; k < 2; k++) {
    int body = j->e.body[k];
    b->body[k] = body, b->frame[k] = j->e.frame[k];
    if (body != TR_GROUND)
      b->site[k] = (int)(tr_site_of(w->sys, body, j->e.frame[k]) - w->sys->site);
  }
  return true;
}

#endif
