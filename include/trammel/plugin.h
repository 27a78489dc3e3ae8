// SPDX-License-Identifier: Apache-2.0
// What an element is: the tables of functions behind bodies, joints and forces.
//
// Elements see frames (markers in motion), never bodies, indices or time stepping. A frame's virtual
// displacement has nd numbers:
//   planar  nd = 3   (dx, dy, dtheta)
//   spatial nd = 6   (dx, dy, dz, dtheta), dtheta the rotation vector in global axes:  dR = [dtheta] R
// A wrench is dual to it: force and moment about the frame's own point, global axes.
// Sign convention:  M a + G' lam = Q,  so a joint acts on its frames with the wrench -G' lam.
#ifndef TRAMMEL_PLUGIN_H
#define TRAMMEL_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- fields: the one table behind parser, checks, `trammel list`, schema and docs -------------------

typedef enum tr_quantity {
  TR_NUMBER, // no unit
  TR_LENGTH,
  TR_ANGLE,
  TR_TIME,
  TR_MASS,
  TR_INERTIA,              // kg m^2
  TR_VELOCITY,             // m/s
  TR_ANGULAR_VELOCITY,     // rad/s
  TR_ACCELERATION,         // m/s^2
  TR_ANGULAR_ACCELERATION, // rad/s^2
  TR_FORCE,                // N
  TR_TORQUE,               // N m
  TR_STIFFNESS,            // N/m
  TR_DAMPING,              // N s/m
  TR_TORSION_STIFFNESS,    // N m/rad
  TR_TORSION_DAMPING,      // N m s/rad
  TR_ENERGY,               // J
  TR_AREA,                 // m^2
  TR_AREA_MOMENT,          // m^4, second moment of area
  TR_PRESSURE,             // Pa
  TR_DENSITY,              // kg/m^3
  TR_QUANTITIES
} tr_quantity;

typedef enum tr_field_kind {
  TR_REAL,     // double
  TR_INT,      // int
  TR_BOOL,     // bool
  TR_VEC2,     // double[2]
  TR_VEC3,     // double[3]; two numbers are accepted, z = 0
  TR_ROTATION, // double[9], row-major matrix; see docs/model-format.md for the ways to write one
  TR_TENSOR,   // double[9], symmetric: 3 numbers (diagonal) or 6 (xx yy zz xy xz yz)
  TR_CHOICE,   // int, index into choices
  TR_TEXT,     // const char *, owned by the model
  TR_ROWS,     // tr_rows: a list of lists of numbers, all of one length
  TR_LAW,      // const tr_law *: an expression of what moves; default "": NULL
  TR_LAW3,     // const tr_law *[3]: three of them; two are accepted, the third 0
  TR_MARKER,   // int: a marker besides the element's own, its place among the frames; ground: -1
  TR_GROUP // a struct filled by a table of its own: a map, or the name of a YAML file that is one
} tr_field_kind;

// A table of numbers. `own` is room for what an element derives from it in `start`.
typedef struct tr_rows {
  int rows, columns;
  const double *x; // rows x columns
  double *own;     // rows x (columns + 18), zeroed
} tr_rows;

// A compiled expression of time, of variables of the element and of measures of markers. The markers it
// names are appended to those of the element.
typedef struct tr_law tr_law;

// What a law may depend on.
typedef enum tr_law_reach {
  TR_OF_MOTION,    // time, positions and velocities
  TR_OF_POSITIONS, // time and positions
  TR_OF_TIME,
  TR_OF_VELOCITIES // as the first, and on velocities it must
} tr_law_reach;

// A quantity that the element tells its law: "length".
typedef struct tr_variable {
  const char *name; // NULL ends a table
  tr_quantity quantity;
  const char *doc;
} tr_variable;

typedef struct tr_field tr_field;
struct tr_field {
  const char *name; // key in model files; a NULL name ends a table
  tr_field_kind kind;
  tr_quantity quantity; // unit suffixes are checked against it
  size_t offset;        // into the parameter struct
  const char *preset;   // default in model syntax; NULL: required; "auto": NaN, found at the start
  double min, max;      // bounds, inclusive, when min < max
  bool positive;        // > 0 demanded
  const char *doc;      // one line
  const char *const *choices; // NULL-terminated, TR_CHOICE only
  // Laws only; with the quantity TR_QUANTITIES the unit is left to the element.
  tr_law_reach reach;
  const tr_variable *variables; // or NULL
  bool flat;                    // TR_ROWS: a list of numbers is one row
  bool start; // of a body: read by pose and start alone; a real, vector or rotation
  // TR_GROUP only
  const struct tr_field *fields;
  size_t size;
};

// ---- frames ---------------------------------------------------------------------------------------

// A marker in motion, written by its body. Planar frames (nd = 3) fill p, v, ap [0..1], R[0,1,3,4],
// w[2], aw[2] and angle only.
typedef struct tr_frame {
  double p[3];  // position
  double v[3];  // velocity                                (level >= TR_AT_VELOCITY)
  double ap[3]; // acceleration that remains when the body's a = 0 (level >= TR_AT_BIAS)
  double angle; // planar only: unbounded rotation angle
  double R[9];  // orientation, row-major; columns are the frame's axes
  double w[3];  // angular velocity, global axes
  double aw[3]; // angular acceleration as ap
} tr_frame;

// Frames one after the other, `size` bytes apart. Where elements look at points alone they end before R, or before what
// the level does not ask for.
typedef struct tr_frames {
  void *first;
  size_t size;
} tr_frames;
static inline tr_frame *tr_frame_at(tr_frames f, int k) {
  return (tr_frame *)(void *)((char *)f.first + (size_t)k * f.size);
}
static inline tr_frame *tr_frame_after(tr_frames f, tr_frame *one) {
  return (tr_frame *)(void *)((char *)one + f.size);
}

// Wrenches on them likewise, `size` numbers apart: 6, or 3 where no moments act on spatial frames.
typedef struct tr_wrenches {
  double *first;
  int size;
} tr_wrenches;
static inline double *tr_wrench_at(tr_wrenches w, int k) {
  return w.first + (size_t)k * (size_t)w.size;
}

typedef enum tr_level { TR_AT_POSITION, TR_AT_VELOCITY, TR_AT_BIAS } tr_level;

// A marker fixed on a body, prepared once.
typedef struct tr_site {
  int nd;      // 3 or 6: what the elements on it see
  bool point;  // they look at its place alone: R, w, aw may stay unwritten, no moment acts on it
  double c[3]; // from the body's reference point (of a rigid one: its centre of mass), body axes
  const double *R; // (9) relative to the body axes; the marker's own, which outlive the site
  double angle;    // planar only
  double *shape;   // (shape_size) how it moves with the body's deformation, or NULL
} tr_site;

// ---- bodies ---------------------------------------------------------------------------------------

// A body at a state. cache: ncache numbers that kinematics writes and the later calls read.
typedef struct tr_body_at {
  const void *par;
  const double *q; // (nq)
  const double *v; // (nv)
  double *cache;   // (ncache)
  double t;
} tr_body_at;

// Where a body's numbers are in the system's arrays.
typedef struct tr_body_slot {
  const void *par;
  int q, v, cache;
  int frame, site; // its first frame, its first site: one for each frame, perhaps shared by bodies
  unsigned sites : 31; // how many
  bool points : 1;     // all of them points, seen in as many dimensions as the body has
  int held;            // those that joints act on: the first ones
} tr_body_slot;

// Everything a run of neighbouring bodies of one type is evaluated on. Their q, v and cache follow each
// other, as do their frames.
typedef struct tr_bodies_at {
  int n;
  const tr_body_slot *slot; // (n)
  double t;
  const double *q, *v;
  double *cache;
  const tr_site *site;
} tr_bodies_at;

// A site that a joint of points holds: the rows of J that belong to the point (2, or 3 if nd = 6), times sign, are
// those of the joint from `row` on.
typedef struct tr_pin {
  int site, row;
  double sign;
} tr_pin;

// Four bodies of a tr_bodies_at, or fewer of which one comes again, with as many sites and pins each, and what the
// matrix has of them:
//   K = cm M - ck (Q_q + sum (J' W)_q) - cd Q_v, nv x nv, of bodies with constant M;
//   G of each pin, 3 x nv, and turned = G T(d), d in increment, or G where that is NULL
// All by rows, with four numbers for an entry, one for each body. They come zeroed, or as bodies of the type left them.
enum { TR_PINS = 4 };
typedef struct tr_four_bodies {
  const tr_body_slot *slot[4];
  const tr_pin *pin[4]; // (pins) of each
  int pins;             // TR_PINS at most
  const double *gravity, *increment;
  tr_wrenches W;
  double cm, ck, cd;
  double *K, *G, *turned; // K NULL: rows only
} tr_four_bodies;

// The same bodies and what their pins make of G M^-1 G': G_k M^-1 G_l' of pins k <= l, row by row of the triangle,
// each of its rows (2 or 3) with room for four numbers, the last of which is G_k v where l = k. Then, with
// forces x on these rows, out (nv) = M^-1 G' x; and what velocities v - out in place of v - f was change of the body's own
// accelerations, most raised to the largest.
typedef struct tr_pinned_four {
  const tr_body_slot *slot[4];
  const tr_pin *pin[4]; // (pins) of each
  int pins;
  double *S[4];
  const double *x; // a number may be read behind the last one
  double *out;
  const double *was; // (nv)
  double f, *most;
} tr_pinned_four;

// Four bodies that one or two pins hold, and nothing else, in line with the centre of mass where a body is spatial: what is known of
// them once and for all, one after the other four numbers for an entry; then as above G_k M^-1 G_k' by its upper rows, G_k v,
// G_k M^-1 G_l', G_l M^-1 G_l', G_l v, four numbers each; and with x on the rows of the one and the other out = M^-1 G' x.
// Changes of accelerations that are surely below `little` need not be told apart.
enum { TR_BAR_KNOWN = 28 };
typedef struct tr_four_bars {
  const tr_body_slot *slot[4];
  const double *known; // (4 TR_BAR_KNOWN)
  double *S;
  const double *x;
  double *out;
  const double *was; // (nv)
  double f, little, *most;
} tr_four_bars;

// A joint between two of the bodies of a tr_bodies_at, or with the ground: TR_GROUND.
typedef struct tr_between {
  int body[2], site[2], frame[2];
  int row;
} tr_between;

// What four joints that are made of the same primitives (see tr_joint_ops) are asked for, and where it goes: rows by the
// velocities of first and second body, side by side, none for ground; the same times T(d); and (G' lam)_q by pairs
// of bodies, (2 x 2) of (6 x 6), times ck. Each of them in a room of its own, cleared, one after the other.
enum { TR_ROWS_ROOM = 6 * 12, TR_GEOM_ROOM = 4 * 36 };
typedef struct tr_four_joints {
  const struct prim *prims;
  int nprim;
  const double *lam, *increment; // NULL: no geometry; nothing times T
  double ck;
  double *G, *turned, *K;
} tr_four_joints;

// A step of length h from q and v on, whose velocities change by what was found at the place `at`.
typedef struct tr_body_step {
  const double *q, *v, *at;
  double h;
} tr_body_step;

// q changes only through retract: q1 = q o exp(d), d (nv) in the coordinates of v. All matrices are
// row-major; functions named add_* add to their output, the others write it.
typedef struct tr_body_type {
  const char *name, *doc;
  const tr_field *fields;
  size_t par_size;
  int dim;            // 2 or 3: planar or spatial
  int nq, nv, ncache; // sizes; nc rows of own constraints
  int nc;
  bool constant_mass;
  // What `keep` can hold fixed at the start, NULL-terminated: the displacements of the origin's frame,
  // "x", "y", "angle" or "x", "y", "z", "rx", "ry", "rz". The same for velocities: "vx", "vy", "omega".
  const char *const *coordinate_names, *const *rate_names;

  // NULL if every par that passes the fields' bounds is fine. Else: why not, a static text.
  const char *(*check)(const void *par);
  // What the body computes once from par: room(par) numbers, 8 bytes each, filled and kept by prepare,
  // which returns a static text when it finds par to be impossible, else NULL. NULL: nothing to do.
  size_t (*room)(const void *par);
  const char *(*prepare)(void *par, double *room);
  // The table to use for these parameters: the same body in other coordinates. NULL: this one.
  const struct tr_body_type *(*variant)(const void *par);
  // Sizes that depend on par. NULL: the constants above.
  void (*sizes)(const void *par, int *nq, int *nv, int *nc, int *ncache);
  // Pose and twist of the body's origin at the start, and the coordinates that go with it.
  void (*pose)(const void *par, double p[3], double R[9]);
  void (*start)(const void *par, double *q, double *v);
  // Marker at p, R relative to the body's origin -> site. site->shape comes with shape_size(par) numbers
  // of room; those of the body's own frame are set to zero afterwards: it is the reference frame. R stays
  // where it is.
  int (*shape_size)(const void *par); // NULL: none
  void (*site)(const void *par, const double p[3], const double R[9], tr_site *site);

  void (*retract)(const void *par, const double *q, const double *d,
                  double *q1); // NULL: q1 = q + d
  // For curved coordinates, else NULL: the rate of the increment u, q = q_0 o exp(u), at velocity v;
  void (*increment_rate)(const void *par, const double *u, const double *v, double *du);
  // the same place as an increment from q_0 o exp(d), exp(u) := exp(-d) exp(u); returns its angle, or that of d
  // if that is larger;
  double (*shift_increment)(const void *par, const double *d, double *u);
  // rows on the displacement at q_0 o exp(d) turned into rows on d itself: block := block T(d);
  void (*pull_increment)(const void *par, const double *d, int rows, int stride, double *block);
  // and d replaced by the increment whose rotation is k atan(|d|/k): k = 4 is Cayley's map, k = 2 an
  // implicit Euler step of Euler parameters, normalised.
  void (*cayley)(const void *par, double k, double *d);
  // The same for flat coordinates of a rotation that have constraints of their own, else NULL: a step is made in the
  // angular velocity, w1 = w + P(at) (v1 - v), at the end of the way d that cayley makes of h (w + 2/k (w1 - w)). d and
  // v1 are written, and keep the constraints.
  void (*turn_by)(const tr_body_step *step, double k, double *d, double *v1);
  // and v at q becomes what has the same angular velocity in body axes at another place.
  void (*see_from)(const double *place, const double *q, double *v);
  // For flat coordinates of a rotation, else NULL: q1 is where d, kept up for a unit of time as a uniform turning,
  // leads, and v (or NULL) has the same angular velocity in body axes there; returns the angle. The start goes by it,
  // so that all coordinates begin at the same place.
  double (*carry)(const double *q, const double *d, double *q1, double *v);
  void (*kinematics)(const tr_body_at *b, tr_level level, int n, const tr_site *site, tr_frame *f);
  void (*add_pull)(const tr_body_at *b, const tr_site *s, const double *w, double *out); // J' w
  void (*twist)(const tr_body_at *b, const tr_site *s, const double *x,
                double *u); // J x; NULL: by add_pull
  void (*add_wrench_dq)(const tr_body_at *b, const tr_site *s, const double *w,
                        double *K);                                   // (J' w)_q, nv x nv
  void (*twist_dq)(const tr_body_at *b, const tr_site *s, double *U); // (J v)_q, nd x nv

  // Unit quaternion of the body axes, continuous in time. NULL: from a frame.
  void (*quaternion)(const tr_body_at *b, double e[4]);

  void (*mass)(const tr_body_at *b, double *M);                         // nv x nv
  void (*add_mass_dq)(const tr_body_at *b, const double *a, double *K); // (M a)_q; NULL: zero
  void (*add_force)(const tr_body_at *b, const double g[3], double *Q); // gyroscopic, weight, own
  void (*add_force_tangent)(const tr_body_at *b, const double g[3], double *Qq, double *Qv);
  void (*energy)(const tr_body_at *b, const double g[3], double *kinetic, double *potential);

  // Deformable bodies, else NULL: the last `modes` of q and v are coordinates of the deformation. slow:
  // the start sets them so that their accelerations and the rates of these vanish.
  int (*modes)(const void *par, bool *slow);
  double (*strain)(const tr_body_at *b); // its part of the potential energy

  // Why its coordinates, at a state that a step of length h leads to or from, cannot follow the motion:
  // a static text that completes `body "name": `. Reads par, q and v. NULL (also returned): they can.
  const char *(*trouble)(const tr_body_at *b, double h);
  // Coordinates that are poor here, or may be at the end of a step of length h, and others that are better: q, v and a
  // of the same motion in these, and true. NULL: there are no others.
  bool (*change)(double h, double *q, double *v, double *a);
  // With it: what stands for q and v in comparisons of motions, the same in all coordinates.
  void (*plain)(double *q, double *v);

  // Optional, for speed: kinematics of many bodies, which of a point writes p, v, ap and angle alone; and F =
  //  -(own force + sum J' W), F2 = -sum J' W2 over the sites held, as far apart as W; one of W.first, W2.first may be NULL.
  void (*retract_run)(const tr_bodies_at *b, const double *q, const double *d, double *q1);
  void (*kinematics_run)(const tr_bodies_at *b, tr_level level, tr_frames frame);
  void (*gather_run)(const tr_bodies_at *b, const double g[3], tr_wrenches W, double *F,
                     tr_wrenches W2, double *F2);
  void (*pull_run)(const tr_bodies_at *b, tr_wrenches W, double *F); // F2 alone
  // Rows Gf on the frame's displacements -> rows G = Gf J on v; both with strides from row to row.
  void (*pull_rows)(const tr_body_at *b, const tr_site *s, int rows, int frame_stride,
                    const double *Gf, int stride, double *G);
  // What the matrix has of four bodies and the joints of points between them.
  void (*tangent_four)(const tr_bodies_at *b, const tr_four_bodies *io);
  // The same without the matrix; both or none.
  void (*pins_four)(const tr_bodies_at *b, const tr_pinned_four *io);
  void (*pulled_four)(const tr_bodies_at *b, const tr_pinned_four *io);
  // With them, or NULL: what is known of a bar with these pins, 1 or 2, `known` (TR_BAR_KNOWN), or false: it is none; and of four.
  bool (*bar)(const void *par, int pins, const tr_pin *pin, const tr_site *site, double *known);
  void (*bars_four)(const tr_bodies_at *b, const tr_four_bars *io);
  void (*barred_four)(const tr_bodies_at *b, const tr_four_bars *io);
  // For four joints of primitives.
  void (*joint_rows)(const tr_bodies_at *b, tr_frames frame, const tr_between *joint,
                     const tr_four_joints *io);

  // Own constraints, nc > 0 only.
  void (*phi)(const tr_body_at *b, double *phi);                       // (nc)
  void (*jac)(const tr_body_at *b, double *G);                         // nc x nv
  void (*add_geom)(const tr_body_at *b, const double *lam, double *K); // (G' lam)_q
  void (*gamma)(const tr_body_at *b, double *gacc);  // (G v)_q v + 2 Phi_qt v + Phi_tt
  void (*phi_t)(const tr_body_at *b, double *phi_t); // NULL: zero
  // Where they can be closed without moving the body, else NULL: q and v put on them.
  void (*close)(double *q, double *v);
  // Bodies made of functions that may fail, else NULL: the name of the last that did, and when, by the cache; or NULL.
  const char *(*failed)(const tr_body_at *b, double *t);
} tr_body_type;

// ---- joints ---------------------------------------------------------------------------------------

enum { TR_MAX_MARKERS = 8, TR_MAX_ROWS = 6, TR_MAX_MEASURES = 8 };

// A joint in a run of neighbours of one kind: frames by index.
typedef struct tr_link {
  const void *par;
  int frame[2];
  int row;
} tr_link;

// What an element sees of its frames, for speed.
typedef enum tr_sight {
  TR_SEES_FRAMES,
  TR_SEES_POINTS, // p, v, ap alone (in the plane the angles too); its wrenches have no moments
  TR_JOINS_POINTS // and it is phi = p_B - p_A with two markers, dim rows
} tr_sight;

// One realisation, planar or spatial. n = markers * nd. f[k]: the k-th marker's frame: first the type's
// markers, then those that TR_LAW and TR_MARKER fields added, so that n may differ between elements.
//
// Rows are of positions, Phi(q, t) = 0, or of velocities, Gam(v, q, t) = 0: nonholonomic constraints,
// equations of states. For a row of velocities phi means Gam, G = Gam by the twists, and gamma = d/dt Gam
// while the frames do not accelerate; there phi_t and rate write 0 and what eval does.
// What many joints are asked for; NULL: not that. The wrenches of lam and mu go to W and W2, where
// nobody else writes; of moments nothing is read.
typedef struct tr_joint_run {
  const double *lam, *mu;
  double *phi, *rate;
  tr_wrenches W, W2;
} tr_joint_run;

// What stabilised methods ask of one joint: eval for lam and for mu, and rate.
typedef struct tr_joint_two {
  const double *lam, *mu; // (rows)
  double *phi, *rate;     // (rows)
  double *w, *w2;         // (n) -G' lam, -G' mu
  const double *u;        // (n) or NULL: other twists; then phi is G u in rows of velocities
  int apart; // of one of primitives, or two_along: where the wrenches on its second frame begin; 0: behind the first
  bool grounded; // with u: the first frame is ground's, nobody reads the wrenches on it
} tr_joint_two;

typedef struct tr_joint_ops {
  int rows;
  unsigned velocity; // bit r: row r is one of velocities
  bool one_sided; // reactions act on the first frame alone: the row of one body that hears others
  tr_sight sight;
  bool dense; // entries of jac may vanish at some states: keep the whole block in the pattern
  // phi (rows) and, when lam is given, the wrench w (n) = -G' lam. mem: to count turns by.
  void (*eval)(const void *par, double t, const tr_frame *const *f, const double *mem,
               const double *lam, double *phi, double *w);
  void (*jac)(const void *par, double t, const tr_frame *const *f, double *G); // rows x n
  // (G' lam) by the frames' displacements, n x n, K comes zeroed. NULL: zero.
  void (*geom)(const void *par, double t, const tr_frame *const *f, const double *lam, double *K);
  // Rows of velocities, NULL: zero. Gam by displacements at fixed twists (rows x n; 0 in other rows);
  // and (G' lam) by twists (n x n, comes zeroed).
  void (*jac_q)(const void *par, double t, const tr_frame *const *f, double *G);
  void (*geom_v)(const void *par, double t, const tr_frame *const *f, const double *lam, double *D);
  // d/dt (G u + Phi_t) while the frames do not accelerate. NULL: zero.
  void (*gamma)(const void *par, double t, const tr_frame *const *f, double *out);
  void (*phi_t)(const void *par, double t, const tr_frame *const *f, const double *mem,
                double *out); // NULL: zero
  // G u + Phi_t, a shortcut for methods that enforce it. NULL: through jac.
  void (*rate)(const void *par, double t, const tr_frame *const *f, double *out);
  // Optional, where frames are dear to look at: phi and phi_t (0 in rows of velocities) with G (rows x n).
  void (*look)(const void *par, double t, const tr_frame *const *f, const double *mem, double *phi,
               double *phi_t, double *G);
  // Optional, for speed: at one look what eval and rate give; in rows of velocities, which have none, rate is Gam. two_along, of
  // two markers: with io->u, too; without it joints that have rows of velocities are not asked for that here.
  bool two_along;
  void (*eval_two)(const void *par, double t, const tr_frame *const *f, const double *mem,
                   const tr_joint_two *io);
  // Optional, for speed, with two markers and not TR_SEES_FRAMES: eval, and rate, of many joints.
  void (*eval_run)(int n, const tr_link *link, double t, tr_frames frame, const tr_joint_run *io);
  // Optional, for speed, in space: it is made of these primitives and nothing else (primitive.h).
  const struct prim *prims;
  int nprim;
  const char *const *measure_names; // or NULL
  void (*measure)(const void *par, double t, const tr_frame *const *f, const double *mem,
                  double *out);
} tr_joint_ops;

typedef struct tr_joint_type tr_joint_type;
struct tr_joint_type {
  const char *name, *doc;
  const tr_field *fields;
  size_t par_size;
  int markers;
  int joints;                           // > 0: may be given by so many joints, see take
  int nmem;                             // numbers remembered from step to step, in tr_state.mem
  bool planar_memory;                   // accept is for planar frames too; they know their turns
  const tr_joint_ops *planar, *spatial; // NULL: not available there
  // Fill what is "auto" (NaN) from the frames (nd = 3 or 6) at the start. NULL: nothing to do. Returns
  // a static text when the start is not acceptable, else NULL.
  const char *(*start)(void *par, int nd, const tr_frame *const *f);
  void (*accept)(const void *par, double t, const tr_frame *const *f, double *mem);
  // An element on other joints' coordinates, markers = 2 joints: `joints: [a, b]` in a model stands for
  // the markers of a, then of b. take hears which type the k-th joint has, and returns a static text
  // when it does not fit. A joint's measure `angle` is always the turn of its second marker about the
  // first one's z axis, `s` the way along it (in the plane: along the x axis).
  const char *(*take)(void *par, int k, const tr_joint_type *joint);
  bool anywhere; // where on their bodies its markers are makes no difference to the motion
};

// ---- forces ---------------------------------------------------------------------------------------

typedef struct tr_force_ops {
  tr_sight sight;     // of a force without laws that measure frames
  bool uses_velocity; // eval reads v, w
  bool uses_moments;  // false: acts on points only, moments and rotations do not enter
  bool one_sided;     // no force means that it is open, without slopes: a contact
  void (*eval)(const void *par, double t, const tr_frame *const *f, const double *mem,
               double *w); // (n)
  // w by displacements and by twists, n x n each, zeroed by the caller.
  void (*tangent)(const void *par, double t, const tr_frame *const *f, const double *mem, double *K,
                  double *D);
  double (*potential)(const void *par, double t, const tr_frame *const *f,
                      const double *mem); // NULL: none
  const char *const *measure_names;
  tr_quantity (*measure_quantity)(const void *par, int k); // NULL: what their names say
  void (*measure)(const void *par, double t, const tr_frame *const *f, const double *mem,
                  double *out);
  // How far it is from acting, a length or an angle; below 0 it acts. NULL: it cannot be told.
  double (*gap)(const void *par, double t, const tr_frame *const *f, const double *mem);
} tr_force_ops;

typedef struct tr_force_type {
  const char *name, *doc;
  const tr_field *fields;
  size_t par_size;
  int markers;
  int joints; // as in tr_joint_type
  int nmem;
  const tr_force_ops *planar, *spatial;
  const char *(*start)(void *par, int nd, const tr_frame *const *f);
  void (*accept)(const void *par, double t, const tr_frame *const *f, double *mem);
  const char *(*take)(void *par, int k, const tr_joint_type *joint);
  // It keeps energy as its potential, or takes it, and brings none. NULL: it may.
  bool (*passive)(const void *par);
  bool anywhere; // as in tr_joint_type
} tr_force_type;

// NULL-terminated lists of what is built in.
TR_API const tr_body_type *const *tr_body_types(void);
TR_API const tr_joint_type *const *tr_joint_types(void);
TR_API const tr_force_type *const *tr_force_types(void);

#ifdef __cplusplus
}
#endif
#endif
