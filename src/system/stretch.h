// SPDX-License-Identifier: Apache-2.0
// The loops of an evaluation one behind the other, stretch by stretch: what one has written is still in the cache when the
// next one reads it.
//
//   bodies    what a body needs of itself: where it is, how it moves
//   joints    their rows and wrenches, once all bodies that they hold are there
//   balance   what acts on a body, once all joints that hold it have been looked at, and all forces
//
// (1) Parts write to places of their own, and stretches end where elements are evaluated together anyway: results are
//     those of whole loops, to the last bit. A team has the three one after the other, each member its range by stretches.
// (2) A walk may go just ahead of the tiles of a factorisation (tiling.h) that follows, in their order: again of places of
//     their own, to the same bits.
// (3) Where the bodies fit into the cache, or elements ask for all of them at once, sys->nstretch is 0: callers have whole
//     loops then (pieces.c).
#ifndef TR_STRETCH_H
#define TR_STRETCH_H

#include "pieces.h"
#include "tiling.h"

// Bodies or joints of->first .. of->end - 1; hand: whose they are. NULL: there is none.
typedef void tr_walk_part(void *what, int hand, const sys_range *of);
typedef struct tr_walk {
  tr_walk_part *bodies, *joints, *balance;
} tr_walk;

// With balance also the wrenches of forces, tr_load_forces.
void tr_walk_along(tr_work *w, const tr_walk *walk, void *what);

// One that tr_tangent_factor makes, which needs it: it is in w->due then, and has been made after that in any case.
typedef struct tr_walking {
  const tr_walk *walk;
  void *what;
} tr_walking;
static inline bool tr_walk_may_wait(const tr_work *w) {
  return w->sys->tiling && w->sys->tiling->walks && !w->team;
}
// What of w->due is needed by a tile.
void tr_walk_ahead(tr_work *w, int tile);
tr_status tr_find_stretches(tr_system *s); // called by compile

// Their numbers: velocities, coordinates of bodies; rows of joints.
static inline sys_range tr_velocities_of(const tr_system *s, const sys_range *of) {
  return (sys_range){s->body[of->first].v, tr_velocity_of(s, of->end)};
}
static inline sys_range tr_coordinates_of(const tr_system *s, const sys_range *of) {
  return (sys_range){s->body[of->first].q, of->end < s->nbody ? s->body[of->end].q : s->nq};
}
static inline sys_range tr_rows_of(const tr_system *s, const sys_range *of) {
  return (sys_range){s->joint[of->first].row, of->end < s->njoint ? s->joint[of->end].row : s->nc};
}

#endif
