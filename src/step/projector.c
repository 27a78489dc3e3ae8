// SPDX-License-Identifier: Apache-2.0
// Consistent states for whoever has no step under way: with a workspace of their own.
#include "start.h"

tr_status tr_projector_open(const tr_system *s, tr_own_projector *own) {
  *own = (tr_own_projector){.arena = tr_arena_make(s->al)};
  own->p = (tr_projector){.sys = s, .kkt = &own->kkt, .arena = &own->arena};
  own->p.r = TR_NEW(&own->arena, s->nv + s->nc, double);
  tr_status status = own->p.r ? tr_kkt_make(&own->arena, &s->pattern, &own->kkt) : TR_NO_MEMORY;
  if (status == TR_OK) status = tr_work_new(s, &own->p.work);
  if (status != TR_OK) tr_projector_close(own);
  return status;
}

void tr_projector_close(tr_own_projector *own) {
  tr_work_free(own->p.work);
  tr_kkt_free(&own->kkt);
  tr_arena_free(&own->arena);
}

static tr_status with_projector(const tr_system *s, tr_state *x, bool project, tr_start_info *info,
                                tr_error *error) {
  tr_own_projector own;
  tr_projector *p = &own.p;
  if (tr_projector_open(s, &own) != TR_OK) return tr_no_memory(error);
  tr_status status = project ? tr_project(p, x, info, error) : TR_OK;
  if (status != TR_OK) goto done;
  status = tr_diagnose(p, x);
  if (status == TR_OK && project) {
    status = tr_slow_start(p, x, error);
    if (status < 0) goto done;
  }
  if (status == TR_OK) status = tr_solve_accelerations(p, x, x->a, x->lam);
  if (status == TR_OK) status = tr_spread_multipliers(p, x, x->lam);
  if (status == TR_SINGULAR)
    tr_fail(error, status, NULL,
            "the constraints are singular here: accelerations and multipliers are not unique");
  else if (status != TR_OK)
    tr_fail(error, status, NULL, "the accelerations are not finite numbers");
done:
  tr_projector_close(&own);
  return status;
}

tr_status tr_consistent_start(const tr_system *s, tr_state *x, tr_start_info *info,
                              tr_error *error) {
  return with_projector(s, x, true, info, error);
}

tr_status tr_accelerations(const tr_system *s, tr_state *x, tr_error *error) {
  return with_projector(s, x, false, NULL, error);
}
