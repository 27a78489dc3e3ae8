// SPDX-License-Identifier: Apache-2.0
// Joints whose rows are had together with those of their neighbours, for the assembly (tangent.c): joints of points many
// at a time, joints of primitives four at a time. They wait in a queue until it is full or another kind comes, so that blocks
// keep their order.
#ifndef TR_TOGETHER_H
#define TR_TOGETHER_H

#include <string.h>

#include "math/lanes.h"
#include "sink.h"
#include "system.h"

// The bodies of all are of one type.
typedef struct queue {
  const tr_body_type *type;
  const tr_joint_ops *made; // of these primitives; NULL: they join points
  int points, joints;
  union {
    tr_point point[TR_MANY_POINTS];
    tr_between between[LANES];
  };
  const sys_joint *joint[TR_MANY_POINTS];
} queue;

static inline void flush_points(sink *s, tr_work *w, queue *q) {
  const tr_system *sys = w->sys;
  tr_bodies_at all = tr_bodies_of(w, 0, sys->nbody);
  int nv = q->type->nv, at = 0;
  double *G = w->many, *turned = w->increment ? G + 3 * nv * TR_MANY_POINTS : NULL;
  q->type->point_rows(&all, q->points, q->point, w->increment, G, turned);
  for (int i = 0; i < q->joints; i++) {
    const sys_joint *j = q->joint[i];
    int below = sys->nv + j->row, rows = j->ops->rows, size = 3 * nv, v[2], count = 0;
    for (int k = 0; k < 2; k++)
      if (j->e.body[k] != TR_GROUND) v[count++] = sys->body[j->e.body[k]].v;
    const double *lower = (turned ? turned : G) + at * size, *upper = G + at * size;
    for (int k = 0; k < count; k++)
      emit(s, (tr_block_at){below, v[k], rows, nv, nv, 1, false}, lower + k * size);
    for (int k = 0; k < count; k++)
      emit(s, (tr_block_at){v[k], below, nv, rows, 1, nv, false}, upper + k * size);
    at += count;
  }
}

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
  if (q->joints == 0) return;
  if (q->made)
    flush_between(s, w, q, lam, ck);
  else
    flush_points(s, w, q);
  q->points = q->joints = 0;
}

// False: not a joint whose rows can be had together with others'. While blocks are recorded, joints of primitives show
// themselves one by one, with reactions of their own choice.
static inline bool enqueue(sink *s, tr_work *w, const sys_joint *j, queue *q, const double *lam,
                           double ck) {
  const tr_joint_ops *made = NULL;
  const tr_body_type *type = tr_joins_points(w->sys, j);
  if (!type && s->mode == SINK_WRITE) type = tr_joins_frames(w->sys, j), made = j->ops;
  if (!type) return false;
  bool full = made ? q->joints == LANES : q->points + 2 > TR_MANY_POINTS;
  if (q->type != type || q->made != made || full) flush(s, w, q, lam, ck);
  q->type = type, q->made = made;
  tr_between *b = made ? &q->between[q->joints] : NULL;
  q->joint[q->joints++] = j;
  if (made) *b = (tr_between){.row = j->row};
  for (int k = 0; k < 2; k++) {
    int body = j->e.body[k];
    if (made) b->body[k] = body, b->frame[k] = j->e.frame[k];
    if (body == TR_GROUND) continue;
    int site = (int)(tr_site_of(w->sys, body, j->e.frame[k]) - w->sys->site);
    if (made)
      b->site[k] = site;
    else
      q->point[q->points++] = (tr_point){body, site, k == 0 ? -1 : 1};
  }
  return true;
}

#endif
