// SPDX-License-Identifier: Apache-2.0
// The compiled model and the pieces of its equations: the waist between mechanics and methods.
//
// (1) tr_system is constant after compile. Everything that changes is in tr_state or tr_work.
// (2) All element loops are in this folder. A method asks for pieces and never sees a body.
// (3) The KKT matrix  [ cm M + ck (M a + G' lam - Q)_q - cd Q_v ,  G' ; G , 0 ]  has one pattern. The
//     assembly emits its blocks in one fixed order; a tape, recorded at compile, says where each
//     goes.
// (4) Rows of velocities, Gam(v, q, t) = 0, stand among the others. Their phi is Gam, their G is Gam_v,
//     and in the matrix they are Gam_v + cr Gam_q. What acts on the bodies is G' lam, except where only
//     one body is to feel it (sys_block.pull).
#ifndef TR_SYSTEM_INTERNAL_H
#define TR_SYSTEM_INTERNAL_H

#include <stdint.h>
#include <string.h>

#include "elem/elem.h"
#include "math/lanes.h"
#include "math/vector.h" // IWYU pragma: export
#include "model/plan.h"
#include "sparse/kkt.h"
#include "trammel/system.h"

// Row r of a constraint block acts on the velocities of its bodies. Bodies with constraints of their own
// come first, then joints.
typedef struct sys_block {
  int row, rows;
  int count;                                 // bodies
  int v[TR_MAX_MARKERS], nv[TR_MAX_MARKERS]; // their velocities
  int G;                                     // offset of the dense rows in work->G
  int width;                                 // sum of nv
  int pull; // columns on which reactions act: width, or the first body
} sys_block;

typedef struct sys_body {
  const tr_body_type *type;
  void *par;
  const char *name;
  int q, v, row, cache; // offsets
  int nq, nv, nc;
  int frame, site; // the first of each: frames that elements use, and where they are on the body
  int sites, held; // how many; joints act on the first ones, forces and events on any
  int mass;        // offset of its block in system->mass
  int G;           // of its own constraints, see sys_block
  unsigned keep_q : 16, keep_v : 15; // bits, of coordinates that have names: seven at most
  bool constant_mass : 1;
} sys_body;

typedef struct sys_element {
  const char *name;
  void *par;
  int *frame; // (markers) index into frames
  int *body;  // (markers) TR_GROUND or index
  int mem;
  unsigned char nd, markers;
  unsigned char first; // bit k: nobody puts a wrench on frame k before it, joints coming first
} sys_element;
_Static_assert(TR_MAX_MARKERS <= 8, "bits of first");

typedef struct sys_joint {
  sys_element e;
  const tr_joint_type *type;
  const tr_joint_ops *ops;
  int row, G; // G: see sys_block
  bool idle;  // it does not hold at the start
  int lock; // -1, or its place in mem: 1 while it does not hold, then (rows) what Phi was when locked
} sys_joint;

typedef struct sys_force {
  sys_element e;
  const tr_force_type *type;
  const tr_force_ops *ops;
  bool whole; // a law of it measures frames: any entry of the tangent may be there
} sys_force;

// Whether it has numbers in mem, which `accept` writes. Planar frames know their turns.
static inline bool tr_joint_remembers(const sys_joint *j) {
  return j->type->accept && (j->e.nd == 6 || j->type->planar_memory);
}
static inline bool tr_force_remembers(const sys_force *f) {
  return f->type->accept && f->e.nd == 6;
}

// What a run watches; see event.c.
typedef struct sys_event {
  sys_element e; // nd 0: of time alone
  const tr_plan_event *plan;
  const char *text; // what it does
} sys_event;

// Where a marker is on its body, or on ground.
typedef struct sys_place {
  const double *R; // (9)
  double p[3];
} sys_place;

// A marker with a name, for outputs. The origins of bodies are not among them.
typedef struct sys_marker {
  const char *name;
  int body;
  int place; // among system->place; neighbours that are alike share it
} sys_marker;

// A frame on ground whose R holds the parameters in mem from `first` on.
typedef struct sys_switched {
  int frame, first, count;
} sys_switched;

// Neighbours of one type, evaluated in one call where the type can.
typedef struct sys_run {
  int first, count;
} sys_run;

// A stretch of a walk ends before this body; with it joints up to this one, and what acts on bodies up to that; stretch.h.
typedef struct sys_stretch {
  int body, joint, held;
} sys_stretch;

// The reaction of a joint as laws see it: the twist of a frame on ground.
typedef struct sys_reaction {
  int joint, site;
} sys_reaction;

// Something with outputs: its kind, its index among its kind, its first channel. See channel.c.
typedef enum sys_owner_kind {
  OWN_MARKER,
  OWN_PROBLEM,
  OWN_NUMBER,
  OWN_MODES, // of a deformable body, under its name
  OWN_JOINT,
  OWN_FORCE,
  OWN_ENERGY,
  OWN_CONSTRAINT
} sys_owner_kind;
typedef struct sys_owner {
  unsigned kind : 4, index : 28;
  int first;
} sys_owner;

enum { TR_FRAME_OF_POINTS = offsetof(tr_frame, angle) }; // bytes

struct tr_system {
  tr_arena arena;
  tr_allocator *al;
  const char *name;
  tr_plan plan; // names, simulation section; its lists of bodies, markers and elements are gone
  int nq, nv, nc, nmem, ncache, nframe, nG;
  int nbody, njoint, nforce, nblock;
  sys_body *body;
  double *start_q, *start_v; // (nq), (nv) as written; start_v NULL: at rest
  sys_joint *joint;
  int nbody_run, njoint_run;
  sys_run *body_run, *joint_run;
  int nstretch;
  sys_stretch *stretch; // (nstretch) of walks
  tr_body_slot *slot;   // (nbody)
  tr_link *link;        // (njoint)
  sys_force *force;
  int nown, *own;               // (nown) bodies with constraints of their own
  int *first_pin;               // (nbody + 1) of a body; they follow each other
  tr_pin *pin;                  // where joints of points hold bodies whose type makes their rows,
  int nloose, *loose;           // and the other joints
  int max_rows;                 // numbers in the rows of the largest block
  int nevent, nswitched, nlock; // nlock: joints that can be locked
  sys_event *event;
  sys_switched *switched; // (nswitched)
  int switched_mem;       // place of the parameters in mem
  tr_site *site; // (nsite) of ground, one for each of its frames, which come first; then of bodies,
  int nsite;     // whose neighbours that are alike share them
  int ground_sites;
  size_t frame_size; // of tr_frame what is looked at
  int nreaction;
  sys_reaction *reaction; // (nreaction) by their frames
  int ground_dim;         // of outputs on ground: 3 when some body is spatial
  double gravity[3];
  double
      *mass; // (nmass) mass blocks; valid where they are constant, and then shared by equal bodies
  int nmass;
  double *mass_diag; // (mass_period) when the whole mass matrix is constant and diagonal, else NULL
  int mass_period;   // its entries repeat themselves after so many
  bool constant_mass, flat; // flat: q1 = q + d for every body
  bool aligned;             // flat, and every velocity has its coordinate
  bool *number;             // (nv) states and variables: not of mechanics, the last ones
  int nnumber;              // how many; bodies
  bool rheonomic;           // some Phi depends on time
  bool remembers;           // tr_accept has something to do
  bool changes;             // some body may change its coordinates
  bool troubles;            // some may get into trouble
  bool *of_velocity;        // (nc) rows Gam(v, q, t) = 0 instead of Phi(q, t) = 0
  int nvelocity;            // how many
  bool *of_number;          // (nc) of them those that are equations of states and variables
  bool *follows;        // (nc) and of these those that read reactions: as exact as multipliers are
  tr_level force_level; // what the forces read of the frames
  int max_nv;           // largest body
  tr_pattern pattern;   // nv + nc unknowns
  int *tape, *shape;    // slots of the assembly, in its order; what blocks look like: sink.h
  int nclear, *clear;   // slots that no block overwrites
  int ntape;            // numbers of the tape
  int *block_tape, *block_shape; // the same for slots of pattern.blocks, where that is used
  int ngap;
  sys_run *gap;              // (ngap) those of its numbers that no block overwrites
  struct sys_tiling *tiling; // by tiles, or NULL
  int norigin, nmarker;      // bodies with an origin come first; markers besides
  sys_marker *marker;        // (nmarker)
  int nplace;
  sys_place *place; // (nplace)
  int nowner;
  sys_owner *owner;           // (nowner + 1) a sentinel holds the number of channels
  int *owner_hash, hash_size; // open addressing on names, -1: free
  tr_site *marker_site;       // (1 + norigin + nmarker) for outputs, when some body is flexible
};

// Everything one thread writes while it evaluates.
typedef struct tr_work {
  const tr_system *sys;
  tr_arena arena;
  tr_frames frames; // (nframe)
  tr_wrenches W;    // (nframe) wrench on each frame: applied minus constraint
  tr_wrenches W2; // (nframe) the same of joints alone, by tr_constraint_force; W itself unless kept
  uint64_t
      acting; // which forces act, as tr_forces found it: a hash, for a contact that opens is another system
  double *cache;                // (ncache)
  double *G;                    // (nG) constraint rows by blocks, or NULL: see tr_rows_keep
  double *rows;                 // (max_rows) those of one block
  double *block;                // (scratch) blocks under assembly
  double *many;                 // (TR_MANY) blocks of several bodies,
  const tr_body_type **many_of; // it is of this type, all others being 0
  double *x, *y;                // (max(nv, nc)) scratch of callers in this folder
  tr_team *team;                // who shares the loops, or NULL
  struct tr_work *hand; // (size of the team) the others with scratch of their own, see tr_hand
  bool joints_apart;    // no two joints share a frame
  // numbers of the tape, or of that of blocks, before the range of bodies that begins at k TR_GRAIN
  int *body_tape[2];
  const struct tr_walking
      *due;                // or NULL: a walk that tr_tangent_factor makes on its way, stretch.h
  const double *increment; // (nv) or NULL: the d with q = q_n o exp(d), for the rows of tr_tangent
  double
      *rates; // (nnz + 1) or NULL: where tr_tangent_here writes the part with cd of the corner too
  bool numbers_rest;       // tr_stabilised: nothing is asked for of x in the equations of numbers
  const double *reactions; // (nc) lam that laws see, or NULL: the lam of tr_forces
  double t;                // the point of the last tr_kinematics
  const double *q, *v, *mem;
} tr_work;

// Blocks of four bodies and their pins, while the matrix is put together: see tr_four_bodies.
enum {
  TR_MANY_G = LANES * 36,
  TR_MANY_TURNED = TR_MANY_G + LANES * 18 * TR_PINS,
  TR_MANY_ZERO = TR_MANY_TURNED + LANES * 18 * TR_PINS, // an entry that stays 0
  TR_MANY = TR_MANY_ZERO + LANES
};

// q (nq) and v (nv) of the bodies as written.
void tr_start_motion(const tr_system *sys, double *q, double *v);

tr_status tr_work_new(const tr_system *sys, tr_work **work);
void tr_work_free(tr_work *work);
// From here on tr_stabilised works, and tr_constraint_force leaves alone what tr_forces left for tr_tangent_here.
tr_status tr_wrenches_keep(tr_work *work);
// From here on the workspace has work->G, which tr_jacobian and tr_tangent write.
tr_status tr_rows_keep(tr_work *work);

// ---- shared work (shared.c) ------------------------------------------------------------------------

// A team of so many threads for the work on a system, if that pays: what some do not share they must fetch from each
// other. threads < 0: of -threads in any case. *team NULL: there is none.
tr_status tr_team_for(const tr_system *sys, int threads, tr_team **team);
// The loops of the workspace are shared from now on, in ranges of bodies or joints that begin at multiples of TR_GRAIN;
// tr_hand is the workspace for range i of them. Whoever has the workspace shares loops over numbers by what follows, and
// need not know whether there is a team: results are the same, to the last bit.
tr_status tr_work_hire(tr_work *work, tr_team *team);
tr_work *tr_hand(tr_work *work, int i);
enum { TR_GRAIN = 16 };
enum { TR_GRAIN_NUMBERS = 64 }; // the same for plain numbers
// part(what, ., first, end) for ranges that make up 0 .. n - 1 and write to places of their own. Without a team it is a
// plain loop: nothing of `what`, which comes last, need be in memory if the part is inline.
#define TR_SHARE(w, n, part, ...)                                          \
  do {                                                                     \
    if ((w)->team)                                                         \
      tr_team_ranges((w)->team, (n), TR_GRAIN_NUMBERS, part, __VA_ARGS__); \
    else                                                                   \
      part(__VA_ARGS__, 0, 0, (n));                                        \
  } while (0)
// What `of` makes of chunks of 0 .. n - 1, added up in their order. n decides how many, TR_CHUNKS at most; one up to
// TR_CHUNK.
enum { TR_CHUNK = 4096, TR_CHUNKS = 64 };
typedef double tr_sum_part(void *what, int chunk, int first, int end);
double tr_sum_of(const tr_work *w, int n, tr_sum_part *of, void *what);
static inline double tr_sum(const tr_work *w, int n, tr_sum_part *of, void *what) {
  return n > TR_CHUNK ? tr_sum_of(w, n, of, what) : of(what, 0, 0, n);
}
double tr_largest_of(tr_team *team, const double *x, int n);
static inline double tr_largest(const tr_work *w, const double *x, int n) { // vec_largest
  return w->team ? tr_largest_of(w->team, x, n) : vec_largest(x, n);
}
void tr_copy_of(tr_team *team, const double *from, double *to, int n);
static inline void tr_copy(const tr_work *w, const double *from, double *to, int n) { // memcpy
  if (w->team)
    tr_copy_of(w->team, from, to, n);
  else
    memcpy(to, from, (size_t)n * sizeof *to);
}

// Velocities of bodies first .. end - 1 are those from the one of `first` to before the one of `end`.
static inline int tr_velocity_of(const tr_system *s, int body) {
  return body < s->nbody ? s->body[body].v : s->nv;
}

// The site behind a frame of a body, or of ground.
static inline const tr_site *tr_site_of(const tr_system *s, int body, int frame) {
  if (body == TR_GROUND) return s->site + frame;
  return s->site + s->body[body].site + (frame - s->body[body].frame);
}

// Bodies first .. first + n - 1 at the point of the last tr_kinematics.
tr_bodies_at tr_bodies_of(const tr_work *w, int first, int n);

// ---- pieces (pieces.c): all at the point of the last tr_kinematics ---------------------------------

// Bodies and frames at t, q, v. The arrays must stay until the pieces have been read.
void tr_kinematics(tr_work *w, double t, const double *q, const double *v, const double *mem,
                   tr_level level);
// F (nv) = G' lam - Q, phi (nc). lam NULL: F = -Q. F or phi may be NULL.
void tr_forces(tr_work *w, const double *lam, double *F, double *phi);
tr_status tr_find_reactions(tr_system *sys, tr_error *error);     // called by compile
const sys_joint *tr_joint_shown(const tr_system *sys, int frame); // NULL: it shows none
// Laws see the reactions that lam (nc) makes. tr_forces does so where it has a lam; without, the last ones
// stay.
void tr_show_reactions(tr_work *w, const double *lam);
// The mass matrix here as blocks: system->mass itself when it is constant, else written to `room`
// (nmass). The blocks stay good when the point moves on.
const double *tr_mass_blocks(tr_work *w, double *to);
void tr_mass_times(const tr_system *sys, const double *blocks, const double *a, double *out);
void tr_mass_times_shared(tr_work *w, const double *blocks, const double *a, double *out);
// out = g (f M a + out)
void tr_mass_weigh(tr_work *w, const double *blocks, double g, double f, const double *a,
                   double *out);
// out += f M a + h, h NULL: 0
void tr_mass_add(tr_work *w, const double *blocks, double f, const double *a, const double *h,
                 double *out);
// The same, and out2 = f M x - out2
void tr_mass_add_two(tr_work *w, const double *blocks, double f, const double *a, const double *h,
                     double *out, const double *x, double *out2);
tr_status tr_mass_solve(tr_work *w, const double *blocks, double *x); // x = M^-1 x, in place
// A body so deformed that its mass is no longer positive definite; NULL: none.
const char *tr_mass_lost(tr_work *w, const double *blocks);
// Block i of 0 .. nblock - 1, and of a joint, written to *to.
const sys_block *tr_block(const tr_system *sys, int i, sys_block *to);
const sys_block *tr_joint_block(const tr_system *sys, const sys_joint *j, sys_block *to);
void tr_jacobian(tr_work *w); // work->G, if it is kept
// Rows of a block here: in work->G if it is kept, else good until the next call.
const double *tr_joint_rows(tr_work *w, const sys_joint *j);
const double *tr_own_rows(tr_work *w, const sys_body *b);
const double *tr_block_rows(tr_work *w, int block);
// By work->G if it is kept, as tr_jacobian left it; else by the rows here.
void tr_G_times(tr_work *w, const double *v, double *out);    // (nc) G v
void tr_Gt_times(tr_work *w, const double *lam, double *out); // (nv) G' lam
void tr_phi_t(tr_work *w, double *out);                       // (nc)
void tr_gamma(tr_work *w, double *out); // (nc) (G v)_q v + 2 Phi_qt v + Phi_tt; needs TR_AT_BIAS
// G v + Phi_t (nc), Gam in rows of velocities, needs TR_AT_VELOCITY; and G' mu (nv): both without work->G.
void tr_rates(tr_work *w, double *out);
void tr_constraint_force(tr_work *w, const double *mu, double *out);
// The three together: F = G' lam - Q, phi, rate = G v + Phi_t, P = G' mu. x (nv) or NULL: phi of rows of
// velocities is Gam_v x. After tr_wrenches_keep.
void tr_stabilised(tr_work *w, const double *lam, const double *mu, const double *x, double *F,
                   double *phi, double *rate, double *P);
// rate and P alone, of joints without rows of velocities.
void tr_stabilised_rates(tr_work *w, const double *mu, double *rate, double *P);
void tr_energy(tr_work *w, double *kinetic, double *potential);
void tr_accept(tr_work *w, double *mem); // elements update what they remember; needs TR_AT_VELOCITY

// A body whose coordinates cannot follow a step of length h at x, and why; NULL: all is well.
const char *tr_trouble(const tr_system *sys, const tr_state *x, double h, const char **name);
// Names a function of a body that failed within (from, to), if there is one, behind the words `head`.
bool tr_tell_failed(const tr_work *w, double from, double to, const char *head, tr_status status,
                    tr_error *error);
// Bodies go on in other coordinates where those at hand are poor for a step of length h; true: some do, and q, v, a before are
// no longer of x's kind. And q, v turned into what can be compared.
bool tr_change_coordinates(const tr_system *sys, double h, tr_state *x);
void tr_plain_motion(const tr_system *sys, double *q, double *v);

// On curved coordinates only, see tr_body_type; elsewhere du = v and d stays.
void tr_increment_rate(const tr_system *sys, const double *u, const double *v, double *du);
void tr_increment_rate_shared(tr_work *w, const double *u, const double *v, double *du);
// u'' at the end of a step of length h, where u is known with its rate, v and a: the derivative of u'(u, v) along
// (u', a). room: 3 nv.
typedef struct tr_increment_end {
  const double *u, *rate, *v, *a; // (nv)
} tr_increment_end;
void tr_increment_bend(const tr_system *sys, const tr_increment_end *end, double h, double *room,
                       double *out);
// The way back, v = T(u) du, which is there for any angle.
void tr_increment_velocity(tr_work *w, const double *u, const double *du, double *v);
// The place q o exp(u) as seen from q o exp(d), into u; returns the largest angle of a body there or on the way d,
// 0 on flat coordinates.
double tr_shift_increment(tr_work *w, const double *d, double *u);
// Of rotations on curved coordinates, the others stay as they are: u := exp(h spin) u; spin := v; the largest angle
// |u - than| of a body.
void tr_turn_increment(tr_work *w, const double *spin, double h, double *u);
void tr_take_turns(const tr_system *sys, const double *v, double *spin);
double tr_largest_turn(tr_work *w, const double *u, const double *than);
void tr_cayley(const tr_system *sys, double k, double *d);
// The same where coordinates of rotations are flat, see turn_by; and velocities v at q as seen from another place.
void tr_turn_by(const tr_system *sys, const tr_body_step *step, double k, double *d, double *v1);
void tr_see_from(const tr_system *sys, const double *place, const double *q, const double *v,
                 double *seen);
// q1 = q o exp(d)
void tr_retract(const tr_system *sys, const double *q, const double *d, double *q1);
void tr_retract_by_team(tr_work *w, const double *q, const double *d, double *q1);
static inline void tr_retract_shared(tr_work *w, const double *q, const double *d, double *q1) {
  if (w->team)
    tr_retract_by_team(w, q, d, q1);
  else
    tr_retract(w->sys, q, d, q1);
}
// The same, in all coordinates of rotations the same place; v (or NULL) keeps its angular velocities in body axes. How far
// the bodies turn on the way.
void tr_carry(const tr_system *sys, const double *q, const double *d, double *q1, double *v);
// Bodies whose own constraints can be closed without moving them: q and v on these.
void tr_close_own(const tr_system *sys, double *q, double *v);
double tr_carried_turn(const tr_system *sys, const double *q, const double *d);

// ---- elements one by one (probe.c) -----------------------------------------------------------------

// What every force does to its frames, Phi, Phi_t, at the point of the last tr_kinematics, level
// TR_AT_VELOCITY: numbers in one array. A part of it belongs to one element.
typedef enum tr_probe_what {
  TR_PROBE_FORCE,
  TR_PROBE_PHI,
  TR_PROBE_PHI_T,
  TR_PROBES
} tr_probe_what;
typedef struct tr_probe_part {
  const char *kind, *name;
  int at, n;
  tr_probe_what what;
} tr_probe_part;
int tr_probe_size(const tr_system *sys);
void tr_probe(tr_work *w, double *out);
int tr_probe_parts(const tr_system *sys);
tr_probe_part tr_probe_describe(const tr_system *sys, int part,
                                int at);      // at: behind the forces before
bool tr_probe_switches(const tr_system *sys); // some law reads the time and may jump
bool tr_probe_steep(
    const tr_system *sys); // or be so steep that it seems to, where nothing is known of it
// Laws that read the time (elem/law.h), in the arena; `set`: some of them, or of the numbers they read, also read parameters
// that events set, as they stand in memory (nmem) whenever that is asked.
typedef struct tr_timed {
  int n;
  struct law_source *law; // (n)
  bool set;
} tr_timed;
tr_status tr_probe_timed(const tr_system *sys, tr_arena *arena, const double *memory,
                         tr_timed *out);
// Times that they tell, so many of them, up to `most`.
int tr_probe_instants(const tr_timed *timed, int most, tr_instant *out);
bool tr_probe_reads_time(const tr_system *sys); // some law of a force, a state or a variable does
// Periods of sines of time in laws of these, the shortest of each law, up to `most` of them; how many.
int tr_probe_waves(const tr_system *sys, int most, double *period);
// The largest sqrt(K/m) or D/m of a force, in 1/s, and which it is; room (nmass).
double tr_probe_fastest(tr_work *w, double *room, const char **name);

// Forces that know how far they are from acting: how many; that, and no less than the rate it may change at, at the point of
// the last tr_kinematics, level TR_AT_VELOCITY.
int tr_gaps(const tr_system *sys);
void tr_gaps_here(const tr_work *w, double *gap,
                  double *rate); // rate NULL: not wanted, nor the level

// ---- states and variables (numbers.c) --------------------------------------------------------------

// Those that do not read reactions are put on their equations at the point of the last tr_kinematics, level TR_AT_VELOCITY,
// one after the other, bodies as they are; v (nv) is what was given there. The largest change, over the number or 1: 0 where
// all were there, INFINITY where one is no number.
double tr_sweep_numbers(tr_work *w, double *v);
// Whether some may depend on each other, so that sweeps may lead nowhere.
bool tr_numbers_loop(const tr_system *sys);
bool tr_numbers_formulas(const tr_system *sys); // one sweep is all there is to do

// ---- events (event.c) ------------------------------------------------------------------------------

tr_status tr_number_events(tr_system *sys, tr_error *error); // called by compile
void tr_start_memory(const tr_system *sys, double *mem); // parameters, joints that do not hold yet
// At the point of the last tr_kinematics, level TR_AT_VELOCITY.
double tr_event_value(const tr_work *w, int event);
// With TR_AT_BIAS and accelerations a: the rate of the expression, and its gradient n (nv, or NULL) by
// displacements.
double tr_event_slope(const tr_work *w, int event, const double *a, double *n);
// The rate of its rate there, of an expression of places and time; NAN for others.
double tr_event_bend(const tr_work *w, int event, const double *a);
// An expression of parameters and time alone; one that may cross zero again and again; its value at any time.
bool tr_event_switched(const tr_system *sys, int event);
bool tr_event_winds(const tr_system *sys, int event);
double tr_event_value_at(const tr_work *w, int event, double t);
// Whether it reads where a marker is, and how its body turns but by a sum of angles.
void tr_event_reads(const tr_system *sys, int event, int marker, bool *place, bool *turn);
// Its rate may change without a blow: an expression of velocities or states.
bool tr_event_turns(const tr_system *sys, int event);
// Whether rates, or values, of some expressions need accelerations and multipliers.
bool tr_events_read_motion(const tr_system *sys);
// What counts as touching zero, and the rate below which an impact is the last; 0: nothing.
double tr_event_touch(const tr_system *sys, int event);
double tr_event_rest(const tr_system *sys, int event);
// The value of the k-th parameter that it sets.
double tr_event_set_value(const tr_work *w, int event, int k);
// Whether a joint holds; and to have it hold, where it is, or no longer.
static inline bool tr_joint_idle(const tr_work *w, const sys_joint *j) {
  return j->lock >= 0 && w->mem[j->lock] != 0;
}
void tr_joint_lock(tr_work *w, int joint, bool on, double *mem);
// Rows (nc) of joints that can be locked are made to hold where they are, phi (nc) being what they are off by.
void tr_joints_give_way(const tr_system *sys, const bool *rows, const double *phi, double *mem);
// Rows of joints that do not hold, ascending; rows NULL: just count.
int tr_idle_rows(const tr_system *sys, const double *mem, int *rows);
int tr_held_velocity_rows(const tr_system *sys,
                          const double *mem); // how many rows of velocities hold

// ---- tangent (tangent.c) --------------------------------------------------------------------------

// values of the KKT matrix with coefficients cm, ck, cd. Calls tr_kinematics and tr_jacobian. blocks: the mass matrix
// to use instead of M(q), whose (M a)_q is then left out; a and lam may be NULL for zero. cr: of Gam_q in
// the rows of velocities; a method with v = .. + cv a, q = .. + cq a has cr = cq/cv.
typedef struct tr_coefficients {
  double cm, ck, cd, cr;
} tr_coefficients;
void tr_tangent(tr_work *w, double t, const double *q, const double *v, const double *mem,
                const double *a, const double *lam, const double *blocks, tr_coefficients c,
                double *values);
// Gam_v x in the rows of velocities of out (nc).
void tr_velocity_rows_times(tr_work *w, const double *x, double *out);
// After tr_tangent, in its matrix: rows of velocities become Gam_v alone. The largest part that was Gam_q.
double tr_plain_velocity_rows(tr_work *w, double *values);
// The columns of multipliers become G' alone, without what forces that depend on reactions add.
void tr_plain_columns(tr_work *w, double *values);
// [M G'; G 0] x = r, factored in kkt, r = (Q, ..) in place; where Q depends on reactions again and again with
// those of x, until they stay. At the point of the last tr_kinematics.
tr_status tr_solve_with_reactions(tr_work *w, tr_kkt *kkt, double *r);
// Some rows (nc; sys->of_velocity for one) and their columns taken out: lam = right-hand side there.
void tr_silence_rows(const tr_system *sys, const bool *rows, double *values);
// The same at the point of the last tr_kinematics, after tr_forces with the same lam; work->G is not
// complete after it.
void tr_tangent_here(tr_work *w, const double *a, const double *lam, const double *blocks,
                     tr_coefficients c, double *values);
// The same into the room for blocks of a tr_kkt.
void tr_tangent_blocks(tr_work *w, const double *a, const double *lam, const double *blocks,
                       tr_coefficients c, double *to);
// The same and its factors; false: as tr_kkt_factor_blocks says. rhs: of the first solve, see tr_kkt_factor_tiles.
bool tr_tangent_factor(tr_work *w, const double *a, const double *lam, const double *blocks,
                       tr_coefficients c, tr_kkt *kkt, const double *rhs);
// |G'| |f| and the diagonal of the corner (nv) of the same matrix, without room for it.
typedef struct tr_sizes {
  int nv;
  const double *f;
  double *pull, *diagonal;
} tr_sizes;
void tr_tangent_sizes(tr_work *w, const double *a, const double *lam, const double *blocks,
                      tr_coefficients c, const tr_sizes *out);
// The slots of all bodies' blocks in the pattern, body by body, nv x nv numbers each, and how many; slot NULL: just
// count.
size_t tr_mass_slots(const tr_system *sys, int *slot);
// (G v)_q as a dense nc x nv matrix, for tests and small problems.
tr_status tr_Gv_dq(tr_work *w, double t, const double *q, const double *v, const double *mem,
                   double *out);
tr_status tr_mark_tape(tr_work *w); // for those who share the assembly
// Finds the pattern and records the tape; then, without the rooms for that, orders the unknowns. Called by
// compile.
tr_status tr_record_pattern(tr_system *sys, tr_work *work, tr_error *error);
tr_status tr_find_tiling(tr_system *sys,
                         int ntape); // once there is a block_tape, of so many numbers
tr_status tr_order_pattern(tr_system *sys, tr_error *error);
bool tr_group_unknowns(tr_arena *ar, const tr_system *sys, tr_groups *out); // false: no memory

// Numbers of the mass matrix, and its blocks as far as they are constant (masses.c). Called by compile.
tr_status tr_make_masses(tr_system *sys, tr_error *error);
// The list of its bodies and frames, the latter markers until sites are numbered. Called by compile.
tr_status tr_connect(tr_system *sys, sys_element *e, const int *marker, int markers);

// The site of a marker at p, R of a body or ground, as elements (nd = 3 or 6) or outputs see it; its shape,
// if its body is flexible, in the system's arena. The second one finds the room for a shape in place, or
// NULL. origin: it is the body's own frame.
tr_status tr_make_site(tr_system *sys, int body, const sys_place *at, bool origin, int nd,
                       tr_site *site);
void tr_place_site(const tr_system *sys, int body, const sys_place *at, int nd, tr_site *site);

// ---- channels (channel.c) -------------------------------------------------------------------------

// The site of a marker for outputs: 0 ground, 1 + i the origin of body i, then sys->marker.
tr_site tr_marker_site(const tr_system *sys, int marker);
tr_status tr_make_channels(tr_system *sys, tr_error *error);
const char *tr_owner_name(const tr_system *sys, const sys_owner *o);

// ---- names ----------------------------------------------------------------------------------------

// x (nc) with 0 in rows of velocities.
void tr_clear_velocity_rows(const tr_system *sys, double *x);

// The element that owns a constraint row: kind ("joint"), name, place.
const char *tr_row_owner(const tr_system *sys, int row, const char **kind);

#endif
