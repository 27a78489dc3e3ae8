// SPDX-License-Identifier: Apache-2.0
// Parts of pieces.c that other loops over elements share.
#ifndef TR_PIECES_H
#define TR_PIECES_H

#include "math/lanes.h"
#include "system.h"

static inline void frames_of(const tr_work *w, const sys_element *e, const tr_frame **f) {
  for (int k = 0; k < e->markers; k++) f[k] = tr_frame_at(w->frames, e->frame[k]);
}

// n is known where it is called, the numbers are few: nothing is asked between them.
TR_INLINE void put_numbers(int n, bool first, const double *restrict x, double *restrict to) {
  if (first)
    for (int i = 0; i < n; i++) to[i] = x[i];
  else
    for (int i = 0; i < n; i++) to[i] += x[i];
}

// Of one frame, whose element has nd numbers there.
TR_INLINE void put_wrench(int nd, bool first, const double *x, tr_wrenches W, int frame) {
  double *to = tr_wrench_at(W, frame);
  int n = nd < W.size ? nd : W.size; // of points there are no moments
  if (n == 6)
    put_numbers(6, first, x, to);
  else if (n == 3)
    put_numbers(3, first, x, to);
  else
    put_numbers(2, first, x, to);
}

static inline void put_wrenches(const sys_element *e, const double *wrench, tr_wrenches W) {
  for (int k = 0; k < e->markers; k++, wrench += e->nd)
    put_wrench(e->nd, e->first >> k & 1, wrench, W, e->frame[k]);
}

// The same with two wrenches, in sets of one size.
TR_INLINE void put_pairs(int nd, int n, const sys_element *e, const double *x, const double *y,
                         tr_wrenches W, tr_wrenches W2) {
  for (int k = 0; k < e->markers; k++, x += nd, y += nd) {
    bool first = e->first >> k & 1;
    put_numbers(n, first, x, tr_wrench_at(W, e->frame[k]));
    put_numbers(n, first, y, tr_wrench_at(W2, e->frame[k]));
  }
}
TR_INLINE void put_both(const sys_element *e, const double *x, const double *y, tr_wrenches W,
                        tr_wrenches W2) {
  if (e->nd == 6 && W.size == 6)
    put_pairs(6, 6, e, x, y, W, W2);
  else if (e->nd == 3 && W.size >= 3)
    put_pairs(3, 3, e, x, y, W, W2);
  else
    put_pairs(e->nd, W.size < e->nd ? W.size : e->nd, e, x, y, W, W2);
}

// The run that an element is in.
int tr_run_search(const sys_run *runs, int count, int element);

// Elements first .. end - 1, which one of a team looks at. Loops over runs have a pointer to it; NULL: to all of
// them, and compilers leave away what has to do with it.
typedef struct sys_range {
  int first, end;
} sys_range;
TR_INLINE int run_of(const sys_run *runs, int count, const sys_range *of) {
  return of ? tr_run_search(runs, count, of->first) : 0;
}
TR_INLINE sys_run run_within(const sys_run *run, const sys_range *of) {
  if (!of) return *run;
  int from = run->first > of->first ? run->first : of->first, to = run->first + run->count;
  return (sys_run){from, (to < of->end ? to : of->end) - from};
}
// They begin where elements that are evaluated together (eight at most) do so anyway: else zeros might have another
// sign. The next such element.
static inline int run_border(const sys_run *runs, int count, int element) {
  if (element == 0 || count == 0) return element;
  const sys_run *run = &runs[tr_run_search(runs, count, element)];
  int to = run->first + (element - run->first + 7) / 8 * 8, end = run->first + run->count;
  return to < end ? to : end;
}
static inline sys_range range_of(const sys_run *runs, int count, int first, int end) {
  return (sys_range){run_border(runs, count, first), run_border(runs, count, end)};
}

bool tr_joints_apart(const tr_system *s); // no two of them share a frame
// Where all frames are points, in space, there is no more of them than a level asks for: places alone are a third of
// what there might be.
void tr_fit_frames(tr_work *w, tr_level level);
// The joint does not hold: its rows and wrenches are 0.
bool tr_load_idle(const tr_work *w, const sys_joint *j, const double *lam, double *phi,
                  tr_wrenches W);
void tr_load_forces(tr_work *w); // their wrenches
// tr_kinematics is tr_go_to and this of all bodies; tr_forces, of a system without own constraints of bodies, these of all joints,
// all forces, then all bodies.
void tr_go_to(tr_work *w, double t, const double *q, const double *v, const double *mem,
              tr_level level);
void tr_move_some(tr_work *w, const sys_range *of, tr_level level);
void tr_load_some(tr_work *w, const sys_range *of, const double *lam, double *phi);
void tr_gather_some(tr_work *w, const sys_range *of, double *F);
void tr_retract_some(const tr_system *s, const sys_range *of, const double *q, const double *d,
                     double *q1);
double tr_turn_of_some(const tr_system *s, const sys_range *of, const double *u); // tr_largest_turn
void tr_mass_add_some(const tr_system *s, const sys_range *of, const double *blocks, double f,
                      const double *a, const double *h, double *out);
// F = G' lam - Q from the wrenches w->W, phi of bodies' own constraints; G' mu from those in w->W2.
void tr_gather_bodies(tr_work *w, const double *lam, double *F, double *phi, const double *mu,
                      double *P);
void tr_gather_second(tr_work *w, const double *mu, double *P); // the latter alone
void tr_joint_rate(const tr_work *w, const sys_joint *j, const tr_frame *const *f, double *out);
// Rows of a joint on its frames -> rows on its bodies' velocities, block by block of bodies; NULL: 0.
const double *tr_pull_joint(tr_work *w, const sys_joint *j, const double *Gf);
// Such rows G times x in the rows of velocities of out (nc).
void tr_joint_velocity_rows(const tr_system *sys, const sys_joint *j, const double *G,
                            const double *x, double *out);
// The rates of bodies' own constraints in their rows of out (nc).
void tr_own_rates(tr_work *w, double *out);

#endif
