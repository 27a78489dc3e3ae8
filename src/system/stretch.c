// SPDX-License-Identifier: Apache-2.0
// Where stretches end, and the walk along them.
//
// Bodies and joints are looked at in the order of their lists. So a stretch of bodies makes those joints ready whose bodies,
// and those of all joints before, have been passed; and these the bodies that have no joint to come, nor has one before.
// Along a chain both are a step behind. Where neighbours are far apart all waits for the last stretch, which is a whole loop.
#include "stretch.h"

enum { STRETCH = 128 };          // bodies, with some hundred numbers each
enum { LONG_WAY = 4 * STRETCH }; // they do not fit into the cache

// The last element up to this one before which elements are not evaluated together.
static int border_before(const sys_run *runs, int count, int element) {
  if (element == 0) return 0;
  const sys_run *run = &runs[tr_run_search(runs, count, element - 1)];
  int in = element - run->first;
  return in == run->count ? element : run->first + in / 8 * 8;
}

static int last_body(const sys_element *e) {
  int last = -1;
  for (int k = 0; k < e->markers; k++)
    if (e->body[k] != TR_GROUND && e->body[k] > last) last = e->body[k];
  return last;
}

static void find_stretches(tr_system *s, int *last_joint) {
  int ready = 0, held = 0;
  for (int i = 0; i < s->nbody; i++) last_joint[i] = -1;
  for (int j = 0; j < s->njoint; j++)
    for (int k = 0; k < s->joint[j].e.markers; k++)
      if (s->joint[j].e.body[k] != TR_GROUND) last_joint[s->joint[j].e.body[k]] = j;
  for (int end = STRETCH; end < s->nbody; end += STRETCH) {
    sys_stretch to = {.body = border_before(s->body_run, s->nbody_run, end)};
    while (ready < s->njoint && last_body(&s->joint[ready].e) < to.body) ready++;
    to.joint = border_before(s->joint_run, s->njoint_run, ready);
    while (held < to.body && last_joint[held] < to.joint) held++;
    to.held = s->nforce > 0 ? 0 : border_before(s->body_run, s->nbody_run, held);
    s->stretch[s->nstretch++] = to;
  }
  s->stretch[s->nstretch++] = (sys_stretch){s->nbody, s->njoint, s->nbody};
}

// Of bodies that are not neighbours of one type masses may repeat themselves elsewhere than stretches begin.
tr_status tr_find_stretches(tr_system *s) {
  bool apart = s->mass_period < s->nv && s->nbody_run > 1;
  if (s->nbody < LONG_WAY || s->nown > 0 || s->nreaction > 0 || apart) return TR_OK;
  s->stretch = TR_NEW(&s->arena, s->nbody / STRETCH + 1, sys_stretch);
  int *last_joint = tr_resize(s->al, NULL, (size_t)s->nbody * sizeof *last_joint);
  if (s->stretch && last_joint) find_stretches(s, last_joint);
  tr_resize(s->al, last_joint, 0);
  return s->nstretch > 0 ? TR_OK : TR_NO_MEMORY;
}

// ---- along them -----------------------------------------------------------------------------------

static void take(tr_walk_part *part, void *what, int first, int end) {
  if (part && first < end) part(what, 0, &(sys_range){first, end});
}

static void alone(tr_work *w, const tr_walk *walk, void *what) {
  const tr_system *s = w->sys;
  sys_stretch at = {0};
  for (const sys_stretch *to = s->stretch; to < s->stretch + s->nstretch; at = *to++) {
    take(walk->bodies, what, at.body, to->body);
    take(walk->joints, what, at.joint, to->joint);
    if (walk->balance && at.held == 0 && to->held > 0) tr_load_forces(w);
    take(walk->balance, what, at.held, to->held);
  }
}

typedef struct shared {
  const tr_system *s;
  tr_walk_part *part;
  void *what;
} shared;

static void range_of_bodies(void *what, int hand, int first, int end) {
  const shared *k = what;
  const sys_run *runs = k->s->body_run;
  sys_range all = range_of(runs, k->s->nbody_run, first, end);
  for (int at = all.first; at < all.end;) {
    int to = run_border(runs, k->s->nbody_run, at + STRETCH);
    if (to > all.end) to = all.end;
    k->part(k->what, hand, &(sys_range){at, to});
    at = to;
  }
}

static void range_of_joints(void *what, int hand, int first, int end) {
  const shared *k = what;
  sys_range of = range_of(k->s->joint_run, k->s->njoint_run, first, end);
  if (of.first < of.end) k->part(k->what, hand, &of);
}

TR_APART void together(tr_work *w, const tr_walk *walk, void *what) {
  const tr_system *s = w->sys;
  shared bodies = {s, walk->bodies, what}, joints = {s, walk->joints, what},
         balance = {s, walk->balance, what};
  if (walk->bodies) tr_team_ranges(w->team, s->nbody, TR_GRAIN, range_of_bodies, &bodies);
  if (walk->joints && w->joints_apart)
    tr_team_ranges(w->team, s->njoint, TR_GRAIN, range_of_joints, &joints);
  else
    take(walk->joints, what, 0, s->njoint);
  if (!walk->balance) return;
  tr_load_forces(w);
  tr_team_ranges(w->team, s->nbody, TR_GRAIN, range_of_bodies, &balance);
}

void tr_walk_along(tr_work *w, const tr_walk *walk, void *what) {
  if (w->team)
    together(w, walk, what);
  else
    alone(w, walk, what);
}

static void take_pieces(tr_walk_part *part, void *what, const sys_pieces *p, int tile) {
  for (int i = p->first[tile + 1]; i < p->first[tile + 2]; i++)
    take(part, what, p->piece[i].first, p->piece[i].end);
}

void tr_walk_ahead(tr_work *w, int tile) {
  const sys_tiling *t = w->sys->tiling;
  const tr_walking *k = w->due;
  if (tile < 0) tr_load_forces(w); // there are none
  take_pieces(k->walk->bodies, k->what, &t->bodies, tile);
  take_pieces(k->walk->joints, k->what, &t->joints, tile);
  take_pieces(k->walk->balance, k->what, &t->held, tile);
}
