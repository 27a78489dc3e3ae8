// SPDX-License-Identifier: Apache-2.0
// Reactions that laws read: a frame on ground for each, whose twist is the wrench of the joint on its second body.
#include <string.h>

#include "pieces.h"

// Those of element i, joints first: its markers as planned and as numbered.
typedef struct names {
  const sys_element *e;
  const int *marker;
} names;

static names names_of(const tr_system *s, int i) {
  const tr_plan *p = &s->plan;
  if (i < s->njoint) return (names){&s->joint[i].e, p->joint[i].marker};
  i -= s->njoint;
  if (i < s->nforce) return (names){&s->force[i].e, p->force[i].marker};
  i -= s->nforce;
  return (names){&s->event[i].e, p->event[i].marker};
}

tr_status tr_find_reactions(tr_system *s, tr_error *error) {
  const tr_plan *p = &s->plan;
  size_t markers = (size_t)p->nmarker, frames = (size_t)s->ground_sites;
  int *joint = tr_resize(s->al, NULL, (markers + frames + 1) * sizeof *joint);
  if (!joint) return tr_no_memory(error);
  int *shown = joint + markers; // 1 + the joint of a marker, of a frame; 0: none
  memset(joint, 0, (markers + frames) * sizeof *joint);
  for (int j = 0; j < p->njoint; j++)
    if (p->joint[j].reaction > 0) joint[p->joint[j].reaction] = 1 + j;
  for (int i = 0; i < s->njoint + s->nforce + s->nevent; i++) {
    names n = names_of(s, i);
    for (int k = 0; k < n.e->markers; k++) {
      int j = joint[n.marker[k]], f = n.e->frame[k];
      if (j == 0) continue;
      s->nreaction += shown[f] == 0;
      shown[f] = j;
    }
  }
  s->reaction = TR_NEW(&s->arena, s->nreaction + 1, sys_reaction);
  for (int f = 0, n = 0; s->reaction && f < s->ground_sites; f++)
    if (shown[f] > 0) s->reaction[n++] = (sys_reaction){shown[f] - 1, f};
  tr_resize(s->al, joint, 0);
  return s->reaction ? TR_OK : tr_no_memory(error);
}

const sys_joint *tr_joint_shown(const tr_system *s, int frame) {
  int lo = 0, hi = s->nreaction;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (s->reaction[mid].site < frame)
      lo = mid + 1;
    else
      hi = mid;
  }
  bool found = lo < s->nreaction && s->reaction[lo].site == frame;
  return found ? &s->joint[s->reaction[lo].joint] : NULL;
}

void tr_show_reactions(tr_work *w, const double *lam) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  double wrench[6 * TR_MAX_MARKERS], rows[TR_MAX_ROWS];
  for (int i = 0; i < s->nreaction; i++) {
    const sys_joint *j = &s->joint[s->reaction[i].joint];
    tr_frame *shown = tr_frame_at(w->frames, s->reaction[i].site);
    const double *B = wrench + j->e.nd;
    frames_of(w, &j->e, f);
    j->ops->eval(j->e.par, w->t, f, w->mem + j->e.mem, lam + j->row, rows, wrench);
    if (j->e.nd == 3) {
      shown->v[0] = B[0], shown->v[1] = B[1], shown->w[2] = B[2];
    } else {
      v3_copy(B, shown->v), v3_copy(B + 3, shown->w);
    }
  }
}
