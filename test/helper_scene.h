// SPDX-License-Identifier: Apache-2.0
// One joint or force between frames of its own, and the frames' motions.
//
// A frame moves by its displacement u = (dp, dtheta):  p + s dp,  exp([s dtheta]) R,  angle + s dtheta_z.
#ifndef TR_HELPER_SCENE_H
#define TR_HELPER_SCENE_H

#include "helper_mechanics.h"

enum { MAX_N = 6 * TR_MAX_MARKERS, MAX_MEM = 8, MAX_PAR = 4096 };

// An element between frames; joint or force.
typedef struct scene {
  const tr_joint_type *joint;
  const tr_force_type *force;
  const tr_joint_ops *jops;
  const tr_force_ops *fops;
  char name[64];
  int nd, markers, n; // markers and n: with those of laws, set by begin
  bool lively;        // laws depend on all they can
  double par[MAX_PAR / sizeof(double)];
  double mem[MAX_MEM];
  double t;
  tr_frame frame[TR_MAX_MARKERS];
  // the path under way
  double u[MAX_N];  // displacement per s of the frames
  double du[MAX_N]; // change of their twists per s
  double dt;        // change of time per s
  double lam[TR_MAX_ROWS];
} scene;

// x -> p + R x
typedef struct rigid {
  double p[3], R[9];
} rigid;

scene *new_scene(void); // release with free
// Parameters, frames near each other with twists, t; nothing moves.
void begin(scene *x, seed *s);
// The frames at s on the path; returns the time there.
double walk(const scene *x, double s, tr_frame *f, const tr_frame **pointer);
void stand_still(scene *x); // no path
void stop_frames(scene *x); // no twists
void displace(int nd, tr_frame *f, double s, const double *u);
void twist_of(const scene *x, double *u);

rigid draw_rigid(seed *s, int nd);
void move_all(scene *x, const rigid *g);
void turn_wrench(const scene *x, const double *R, double *w);
// Force and moment about the origin of all wrenches together vanish.
void assert_balanced(const scene *x, const double *w);

// The rows of G (rows x n) made orthonormal, its first `hold` columns taken as zero. Rows that depend on
// others vanish.
void orthonormalise(int rows, int n, int hold, double *G);
// Takes the part of u out that orthonormal rows see.
void admit(int rows, int n, const double *G, double *u);

int count_measures(const char *const *names);
int find_measure(const char *const *names, const char *name); // -1: none
void measure_path(void *scene, double s, double *out);
void accept_here(scene *x);

// Checks common to joints and forces.
void check_turns(scene *x, seed *s);
void check_auto(scene *x, seed *s);

// What an element says it does not look at may be anything.
void blind(const scene *x, tr_frame *f);
void assert_no_moments(const scene *x, const double *w);

#endif
