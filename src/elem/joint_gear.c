// SPDX-License-Identifier: Apache-2.0
// Gear pair: the angles of two hinges in the ratio of the teeth (1 row),
//   phi = x_1 + i x_2 - c  external mesh, opposite sense;   x_1 - i x_2 - c  internal, same sense.
// i = teeth (or radius) of the second wheel over those of the first. The senses are those of
// parallel z axes that point the same way. Angles are those of the joints, so wheels whose hinges
// sit on a turning carrier make an epicyclic gear. The mesh acts by torques alone: the teeth's
// radial and tangential forces are not passed to the bearings.
#include "couple.h"

typedef struct par {
  couple couple;
  double ratio;
  int mesh;
} par;

static const char *const meshes[] = {"external", "internal", NULL};
static const tr_field fields[] = {
    {"ratio", TR_REAL, TR_NUMBER, offsetof(par, ratio), .positive = true,
     .doc = "teeth of the second wheel over teeth of the first: turns of the first for one of it"},
    {"mesh", TR_CHOICE, TR_NUMBER, offsetof(par, mesh), "external",
     .doc = "external: the wheels turn against each other; internal: together", .choices = meshes},
    {"offset", TR_REAL, TR_ANGLE, offsetof(par, couple.offset), "auto",
     .doc = "angle of the first wheel when the second stands at 0; by default from the start"},
    {0}};

COUPLE_OPS

static const char *take(void *pv, int k, const tr_joint_type *joint) {
  int kind = ANGLE;
  (void)pv, (void)k;
  return coordinate_take(&kind, joint);
}

static const char *start(void *pv, int nd, const tr_frame *const *f) {
  par *p = pv;
  couple *c = &p->couple;
  c->kind[0] = c->kind[1] = ANGLE;
  c->scale[0] = 1, c->scale[1] = p->mesh == 0 ? p->ratio : -p->ratio;
  if (isnan(c->offset)) c->offset = couple_offset(c, nd, f);
  return NULL;
}

const tr_joint_type tr_joint_gear = {
    .name = "gear",
    .doc = "gear pair on two hinges: their angles in the ratio of the teeth",
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
