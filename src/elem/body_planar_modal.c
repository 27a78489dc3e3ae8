// SPDX-License-Identifier: Apache-2.0
// Deformable body in the x-y plane by modal data from outside: tables in modal.h, equations in flexible.h.
#include <math.h>

#include "modal.h"

typedef struct par {
  tr_flex_planar_par common; // first: what flexible_planar.c reads
  tr_modal modal;
} par;

static const tr_field fields[] = {
    {"modal", TR_GROUP, TR_NUMBER, offsetof(par, modal), .fields = tr_modal_planar_fields,
     .size = sizeof(tr_modal), .doc = "nodes, shapes, stiffness: a map, or the file that holds it"},
    TR_FLEX_PLANAR_FIELDS(par),
    {0}};

static const char *check(const void *pv) {
  const par *p = pv;
  const char *why = tr_modal_check(&p->modal, true);
  return why ? why : tr_flex_deform_check(&p->common.deform, tr_modal_modes(&p->modal));
}

static size_t room(const void *pv) { return tr_modal_room(&((const par *)pv)->modal); }

static const char *prepare(void *pv, double *memory) {
  par *p = pv;
  return tr_modal_make(&p->modal, true, memory, &p->common.flex);
}

static void site(const void *pv, const double p[3], const double R[9], tr_site *s) {
  for (int i = 0; i < 3; i++) s->c[i] = p[i];
  s->R = R;
  s->angle = atan2(R[3], R[0]);
  tr_modal_shape(&((const par *)pv)->modal, p, true, s->shape);
}

const tr_body_type tr_body_planar_modal = {
    .name = "planar-modal",
    .doc = "flexible body in the x-y plane from modal data: nodes, masses, mode shapes, stiffness",
    .fields = fields,
    .par_size = sizeof(par),
    .check = check,
    .room = room,
    .prepare = prepare,
    .site = site,
    TR_FLEX_PLANAR_TYPE,
};
