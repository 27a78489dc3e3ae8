// SPDX-License-Identifier: Apache-2.0
// Rack and pinion: the pinion's hinge and the rack's slide, in this order (1 row),
//   phi = s - r x - c,   x the pinion's angle, s the rack's way, r the pitch radius.
// With r > 0 the rack moves forward as the pinion turns forward. The mesh acts by the torque on the
// pinion and the force along the rack; what presses them apart is not passed to the bearings.
#include "couple.h"

typedef struct par {
  couple couple;
  double radius;
} par;

static const tr_field fields[] = {
    {"radius", TR_REAL, TR_LENGTH, offsetof(par, radius),
     .doc = "pitch radius of the pinion; negative: the rack goes the other way"},
    {"offset", TR_REAL, TR_LENGTH, offsetof(par, couple.offset), "auto",
     .doc = "way of the rack when the pinion stands at 0; by default from the start"},
    {0}};

COUPLE_OPS

static const char *take(void *pv, int k, const tr_joint_type *joint) {
  int kind = k == 0 ? ANGLE : WAY;
  (void)pv;
  return coordinate_take(&kind, joint);
}

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  couple *c = &p->couple;
  if (p->radius == 0) return "radius is zero";
  c->kind[0] = ANGLE, c->kind[1] = WAY;
  c->scale[0] = -p->radius, c->scale[1] = 1;
  if (isnan(c->offset)) c->offset = couple_offset(c, nd, f);
  return NULL;
}

const tr_joint_type tr_joint_rack_and_pinion = {
    .name = "rack-and-pinion",
    .doc = "a pinion's hinge and a rack's slide: s = r angle + c",
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
