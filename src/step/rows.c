// SPDX-License-Identifier: Apache-2.0
// Which rows stand for those that repeat each other is chosen where a run begins. On the way the choice may go bad
// though others would do: the rows left out, which follow from them, are then known to eps/d only, d being what is left
// of the worst, and so is the position. So the choice is made anew (redundancy.c).
//
// (1) The rank stays: a singular position, which takes rows from any choice, is nothing that another one cures.
// (2) The new rows are open by what the old ones have let them: positions and velocities are put on all constraints, by
//     far less than a step may be wrong.
// (3) G' lam stays: a row that is left out from now on, G_j = sum w_k G_k, hands its multiplier to the rows k.
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "start.h"

static const double FAR = 1e-6; // of the coordinates: no round-off, and no step's error
static const double OPEN = 1e-8, OPENEST = 1e-3; // what may be left of a row that repeats others

// The choice at the point of the last tr_kinematics that has the rank of the present one, if there is one.
static tr_status choose(tr_projector *p, const bool *kept, tr_arena *ar, tr_redundancy *out) {
  for (double open = 0; open < OPENEST; open = fmax(10 * open, OPEN)) {
    TR_TRY(tr_find_redundancy(p->work, ar, open, kept, out));
    if (!out->known || out->rank <= p->redundancy.rank) break;
  }
  return TR_OK;
}

static bool same_rank(const tr_projector *p, const tr_redundancy *r) {
  return r->known && r->rank == p->redundancy.rank && r->count == p->redundancy.count;
}

static bool differs(const bool *kept, const tr_redundancy *r) {
  for (int i = 0; i < r->count; i++)
    if (kept[r->row[i]]) return true;
  return false;
}

// x near its constraints onto them, in `to`.
static bool close_all(tr_projector *p, const tr_state *x, tr_state *to) {
  const tr_mask *mask = p->kkt->mask;
  tr_start_info info;
  bool again = p->again;
  tr_state_copy(to, x);
  p->again = true;
  tr_status status = tr_project(p, to, &info, NULL);
  p->again = again;
  p->kkt->mask = mask;
  double speed = fmax(1, vec_largest(x->v, p->sys->nv));
  return status == TR_OK && info.moved_q <= FAR * fmax(1, vec_largest(x->q, p->sys->nq)) &&
         info.moved_v <= FAR * speed;
}

static void hand_over(const tr_redundancy *r, double *lam) {
  for (int i = 0; i < r->count; i++) {
    const tr_sources *from = &r->source[i];
    double l = lam[r->row[i]];
    for (int k = 0; k < from->n; k++) lam[from->row[k]] += from->weight[k] * l;
    lam[r->row[i]] = 0;
  }
}

static tr_status adopt(tr_projector *p, tr_state *x, const tr_state *closed, tr_arena *ar,
                       const tr_redundancy *r) {
  hand_over(r, x->lam);
  memcpy(x->q, closed->q, (size_t)p->sys->nq * sizeof *x->q);
  memcpy(x->v, closed->v, (size_t)p->sys->nv * sizeof *x->v);
  tr_arena_free(&p->of_redundancy);
  p->of_redundancy = *ar;
  *ar = tr_arena_make(p->sys->al);
  p->redundancy = *r;
  return tr_take_rows_out(p, x, r->count, r->row);
}

tr_status tr_renew_rows(tr_projector *p, tr_state *x, tr_state *room, bool *renewed) {
  tr_arena own = tr_arena_make(p->sys->al), found = tr_arena_make(p->sys->al);
  tr_redundancy r = {0};
  bool *kept = TR_NEW(&own, p->sys->nc, bool);
  tr_status status = kept ? TR_OK : TR_NO_MEMORY;
  *renewed = false;
  for (int i = 0; status == TR_OK && i < p->sys->nc; i++) kept[i] = true;
  for (int i = 0; status == TR_OK && i < p->redundancy.count; i++)
    kept[p->redundancy.row[i]] = false;
  for (int closed = 0; closed < 2 && status == TR_OK; closed++) {
    const tr_state *at = closed ? room : x;
    tr_kinematics(p->work, at->t, at->q, at->v, at->mem, TR_AT_VELOCITY);
    status = choose(p, kept, &found, &r);
    *renewed = status == TR_OK && same_rank(p, &r) && differs(kept, &r);
    *renewed = *renewed && (closed || close_all(p, x, room));
    if (!*renewed) break;
  }
  if (*renewed) status = adopt(p, x, room, &found, &r);
  tr_arena_free(&own);
  tr_arena_free(&found);
  return status;
}

// ---- for the time of a trial ------------------------------------------------------------------------

tr_rows_aside tr_rows_set_aside(tr_projector *p) {
  tr_rows_aside rows = {p->redundancy, p->of_redundancy, p->most_rank};
  p->of_redundancy = tr_arena_make(p->sys->al);
  return rows;
}

tr_status tr_rows_take_back(tr_projector *p, const tr_state *x, tr_rows_aside *rows) {
  tr_arena_free(&p->of_redundancy);
  p->redundancy = rows->redundancy, p->of_redundancy = rows->arena, p->most_rank = rows->most_rank;
  *rows = (tr_rows_aside){0};
  return tr_take_rows_out(p, x, p->redundancy.count, p->redundancy.row);
}

void tr_rows_forget(tr_rows_aside *rows) { tr_arena_free(&rows->arena); }
