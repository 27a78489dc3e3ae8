// SPDX-License-Identifier: Apache-2.0
// The motions every method has to follow.
#ifndef TR_HELPER_COURSES_H
#define TR_HELPER_COURSES_H

#include "helper_motion.h"

typedef struct course {
  const char *name;
  void (*make)(motion *x); // into a zeroed motion; release with motion_free
  bool changing_mass, spatial;
} course;
extern const course courses[]; // ends with a NULL name

// With a force that reads a reaction: for methods whose multipliers are those of the motion, not for those
// that let them alternate or feed errors back with gains of 1/h.
extern const course rubbing_hinge;

motion follow(const course *c);
// One by name.
motion follow_named(const char *name);

#endif
