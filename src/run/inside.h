// SPDX-License-Identifier: Apache-2.0
// What a look into steps works with; see inside.c.
#ifndef TR_INSIDE_H
#define TR_INSIDE_H

#include "driver.h"

enum { WAVES = 8, SWEEPS = 24 }; // of laws; places where all gaps are looked at, with both ends

typedef struct tr_inside {
  bool timed;  // something depends on time
  bool loops;  // numbers may depend on each other: r->aside is there
  bool direct; // one sweep settles them
  bool stages; // of the method: it looks at three places of a step
  double many, quiet;
  int first;      // steps since the method began
  double longest; // lately
  double fine;    // times between places, from what was found
  double until;   // of the step just tried: up to here nothing is hidden
  double after;   // then steps are as short as this
  double till;    // the end of the step that ends there, or NAN
  int tested;     // places of the step under way where `beside` was found
  double *u, *rate, *q, *v, *Q0, *Q1, *Q, *z, *bend0, *bend1, *beside, *sure, *sum, *inverse,
      *scale, *scale_v, *here, *line, *mass, *phi0, *phi1, *phi;
  int waves, age, again;     // periods; steps until they are looked at, and from then on
  double wave[WAVES], crest; // and the longest step by those that are felt
  int gaps;
  double *gap0, *gap1, *rate0, *rate1; // at the ends
  double gap_t;                        // of gap0
  int near, *who;                      // that may close within the step
  int swept;                           // places, in order: where; the gaps; one may close behind it
  double at[SWEEPS], *seen[SWEEPS], *gap;
  bool doubt[SWEEPS];
} tr_inside;

// F = -Q at increments w->z and velocities w->v, with states and variables put on their equations.
void tr_inside_forces(tr_run *r, double t, double *F);
// Whether the defect at the fraction s of the step, just found, is nothing but what stiff forces and rates make of the
// tolerance; what is so of it is forgotten.
bool tr_inside_stiff(tr_run *r, double h, double s);

#endif
