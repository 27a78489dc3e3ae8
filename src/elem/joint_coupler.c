// SPDX-License-Identifier: Apache-2.0
// Coupler: the coordinates of two joints change in a fixed proportion (1 row),
//   phi = r_1 x_1 + r_2 x_2 - c,
// each an angle or a way, whichever the joint has. c is what the sum is at the start unless given.
#include "couple.h"

typedef couple par;

static const tr_field fields[] = {
    {"scales", TR_VEC2, TR_NUMBER, offsetof(par, scale), .doc = "r_1, r_2: r_1 x_1 + r_2 x_2 = c"},
    {"coordinate-1", TR_CHOICE, TR_NUMBER, offsetof(par, kind[0]), "auto",
     .doc = "x_1; by default the angle if the first joint has one, else s",
     .choices = coordinate_names},
    {"coordinate-2", TR_CHOICE, TR_NUMBER, offsetof(par, kind[1]), "auto",
     .doc = "x_2; by default the angle if the second joint has one, else s",
     .choices = coordinate_names},
    {"offset", TR_REAL, TR_NUMBER, offsetof(par, offset), "auto",
     .doc = "c, in rad or m as the coordinates; by default what the sum is at the start"},
    {0}};

COUPLE_OPS

static const char *take(void *pv, int k, const tr_joint_type *joint) {
  return coordinate_take(&((par *)pv)->kind[k], joint);
}

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  if (p->kind[0] == UNKNOWN || p->kind[1] == UNKNOWN)
    return "coordinate-1 and coordinate-2 must be given with markers";
  if (p->scale[0] == 0 && p->scale[1] == 0) return "both scales are zero";
  if (isnan(p->offset)) p->offset = couple_offset(p, nd, f);
  return NULL;
}

const tr_joint_type tr_joint_coupler = {
    .name = "coupler",
    .doc = "couples the coordinates of two joints: r_1 x_1 + r_2 x_2 = c",
    .fields = fields,
    .par_size = sizeof(par),
    .markers = 4,
    .joints = 2,
    .nmem = 2 * TURN_MEM,
    .planar = &ops2,
    .spatial = &ops3,
    .start = start,
    .accept = accept,
    .take = take,
};
