// SPDX-License-Identifier: Apache-2.0
// The registries, from elem_list.h.
#include "elem.h"

#define JOINT(type)
#define FORCE(type)
#define BODY(type) &type,
static const tr_body_type *const bodies[] = {
#include "elem_list.h"
    NULL};
#undef BODY
#undef JOINT

#define BODY(type)
#define JOINT(type) &type,
static const tr_joint_type *const joints[] = {
#include "elem_list.h"
    NULL};
#undef JOINT
#undef FORCE

#define JOINT(type)
#define FORCE(type) &type,
static const tr_force_type *const forces[] = {
#include "elem_list.h"
    NULL};

const tr_body_type *const *tr_body_types(void) { return bodies; }
const tr_joint_type *const *tr_joint_types(void) { return joints; }
const tr_force_type *const *tr_force_types(void) { return forces; }
