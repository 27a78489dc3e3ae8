// SPDX-License-Identifier: Apache-2.0
// The inertia of a deformable body in a floating frame of reference: shape integrals, once per body.
//
// A material point stands at c + u in the body's axes, with modal coordinates x (n of them):
//   u = sum_j phi_j x_j + 1/2 sum_ij b_ij x_i x_j
// b is there with stiffening only: the axial way that a bent beam loses, of second order, kept where it
// meets terms of order zero, so that the energies are complete to second order in x. A section turns by
// sum_j psi_j x_j. With sums over the points (mass m, inertia D about their own axes):
//   s(x) = S0 + sum S1_j x_j                             first moment;  S_j = ds/dx_j
//   J(x) = J0 + sum J1_j x_j + sum J2_ij x_i x_j         inertia about the origin
//   H_j(x) = X1_j + sum_i X2_ij x_i                      angular momentum per rate of mode j
//   Me, K, C                                             mass, stiffness, damping of the modes
//   S1_j = sum m phi_j,   B_ij = sum m b_ij,   X1_j = sum m c x phi_j + D psi_j,
//   X2_ij = sum m phi_i x phi_j,   Me_ij = sum m phi_i . phi_j + psi_i D psi_j
//   J2_ij = 1/2 e(phi_i, phi_j) over m, J1_j = e(c, phi_j),  e(a, b) = 2 a.b 1 - a b' - b a'
// Inertias D of nodes turn with them, A = 1 + [psi] + [psi]^2/2: J has sum A D A', and H the momentum
// A D (psi' - psi x psi'/2) of their turning, to second order in x and x' as all of T:
//   J1_j += [psi_j] D - D [psi_j],   X2_ij += psi_i x D psi_j - D (psi_i x psi_j)/2
//   J2_ij += sym (-[psi_i] D [psi_j] + ([psi_i] [psi_j] D + D [psi_j] [psi_i])/2)
// The polar inertia of beams does not turn: Euler-Bernoulli beams have no rotary inertia beside it.
// The kinetic energy, V = R' r' the velocity of the origin in body axes:
//   T = m V.V/2 + V.(w x s + S x') + w.J w/2 + w.H x' + x'.Me x'/2
// and Lagrange's equations, exactly of this T (flexible_planar.c, flexible_spatial.c):
//   m r'' + R (w' x s + S x'' + w x (w x s) + 2 w x S x')              = f
//   s x R' r'' + J w' + H x'' + J' w + H' x' + w x (J w + H x')        = tau
//   S_j.R' r'' + H_j.w' + (Me x'')_j - w.J_j w/2 + w.sum_i (X2_ij - X2_ji) x_i' = f_j
// (a prime on J, H: by time; J_j = dJ/dx_j). Stiffening enters them by two shapes more, see tr_flex_plain.
#ifndef TR_FLEXIBLE_H
#define TR_FLEXIBLE_H

#include "elem.h"

enum { TR_MAX_MODES = 60 };

typedef struct tr_flexible {
  int n;
  bool turns; // some inertia turns with its point
  double m, S0[3], J0[9];
  double *S1, *X1;   // (n x 3)
  double *J1;        // (n x 9)
  double *J2;        // (n x n x 9) symmetric in the modes
  double *X2;        // (n x n x 3) antisymmetric, but for inertias that turn
  double *B;         // (n x n x 3) or NULL: no stiffening
  double *M, *K, *C; // (n x n)
  double *P;         // (2 x n x n) with stiffening: drawing in as the two shapes more of `drawn`
  struct tr_flexible *drawn;
} tr_flexible;

// With stiffening, inertia sees drawing in by its affine part, p + q c along the axis, p = P0 x x/2,
// q = P1 x x/2, with the first moments of b: sum m (p + q c) = B x x/2, sum m c (p + q c) = sum m c b x x/2,
// which is all that second order asks for. p and q are coordinates of two shapes more, e_x and c e_x, of a
// body without stiffening, slaved to x: with z = (x, p, q), z' = N x',
//   T(x, x') = T(z, N x'),   M = N' M_z N,   Q = N' (Q_z - M_z (0, P x' x')),
// so that M stays positive definite whatever the deformation.
typedef struct tr_flex_plain { // the inertia of a body without stiffening
  int rigid_q, rigid_v;
  void (*deform)(const tr_body_at *b);
  void (*mass)(const tr_body_at *b, double *M);
  void (*add_mass_dq)(const tr_body_at *b, const double *a, double *K);
  void (*add_force)(const tr_body_at *b, const double g[3], double *Q);
  void (*add_force_tangent)(const tr_body_at *b, const double g[3], double *Qq, double *Qv);
  void (*energy)(const tr_body_at *b, const double g[3], double *kinetic, double *potential);
} tr_flex_plain;
void tr_drawn_mass(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                   const tr_body_at *b, double *M);
void tr_drawn_add_mass_dq(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                          const tr_body_at *b, const double *a, double *K);
void tr_drawn_add_force(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                        const tr_body_at *b, const double g[3], double *Q);
void tr_drawn_add_force_tangent(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                                const tr_body_at *b, const double g[3], double *Qq, double *Qv);
void tr_drawn_energy(const tr_flex_plain *t, const tr_flexible *f, const void *par,
                     const tr_body_at *b, const double g[3], double *kinetic, double *potential);

size_t tr_flexible_room(int n); // in numbers
// Lays an empty body out in the room.
tr_flexible *tr_flexible_new(int n, bool stiffening, double *room);

// A point of the body with its shapes; D: its inertia about the body axes, and whether it turns with psi.
typedef struct tr_flex_point {
  double m, c[3], D[3];
  const double *phi, *psi; // (n x 3)
  const double *b;         // (n x n x 3) or NULL
  bool turns;
} tr_flex_point;
void tr_flexible_add(tr_flexible *f, const tr_flex_point *p);
// Another modal mass than the points': what J knows of phi_i . phi_j follows it.
void tr_flexible_set_mass(tr_flexible *f, const double *M);
// C = alpha Me + beta K + 2 zeta sqrt(K_jj Me_jj) on the diagonal.
void tr_flexible_damp(tr_flexible *f, double zeta, const double rayleigh[2]);
// Whether a symmetric A (n x n), destroyed, is positive definite.
bool tr_flexible_positive(int n, double *A);
// With stiffening, when all points are added, sum m c b to P1, and K and C are known: P and the drawn body.
void tr_flexible_draw(tr_flexible *f);
// NULL, or why the body cannot move as it should: masses must be positive definite.
const char *tr_flexible_check(const tr_flexible *f, bool planar);

// ---- sites ------------------------------------------------------------------------------------------

// site->shape: phi (n x 3), psi (n x 3), and with stiffening b (n x n x 3).
int tr_flexible_shape_size(const tr_flexible *f);
// y = c + u, Y_j = dy/dx_j (n x 3): the shapes themselves without stiffening, else written to room.
const double *tr_flexible_place(const tr_flexible *f, const tr_site *s, const double *x,
                                double y[3], double *room);
// sum_i b_ij z_i (n x 3) to out; false: no stiffening, all zero.
bool tr_flexible_bend(const tr_flexible *f, const tr_site *s, const double *z, double *out);

// ---- what planar and spatial bodies read of their parameters ------------------------------------------

typedef enum tr_flex_start { TR_FLEX_UNDEFORMED, TR_FLEX_SLOW, TR_FLEX_GIVEN } tr_flex_start;
extern const char *const tr_flex_starts[];

typedef struct tr_flex_deform {
  int start; // tr_flex_start
  tr_rows x, rate;
} tr_flex_deform;
#define TR_FLEX_DEFORM_FIELDS(par)                                                        \
  {"start",                                                                               \
   TR_CHOICE,                                                                             \
   TR_NUMBER,                                                                             \
   offsetof(par, common.deform.start),                                                    \
   "undeformed",                                                                          \
   .choices = tr_flex_starts,                                                             \
   .doc = "deformation at the start: none, quasi-static with its rate (slow), or given"}, \
      {"deformation",                                                                     \
       TR_ROWS,                                                                           \
       TR_NUMBER,                                                                         \
       offsetof(par, common.deform.x),                                                    \
       "[]",                                                                              \
       .flat = true,                                                                      \
       .doc = "with start: given, the modal coordinates"},                                \
  {                                                                                       \
    "deformation-rate", TR_ROWS, TR_NUMBER, offsetof(par, common.deform.rate), "[]",      \
        .flat = true, .doc = "with start: given, their rates; none if absent"             \
  }
// NULL, or what is wrong with them for n modes.
const char *tr_flex_deform_check(const tr_flex_deform *d, int n);
void tr_flex_deform_start(const tr_flex_deform *d, int n, double *x, double *rate);

// First members of the parameters of every flexible body in the plane, in space.
typedef struct tr_flex_planar_par {
  double position[2], angle, velocity[2], omega;
  tr_flex_deform deform;
  tr_flexible *flex; // from prepare
} tr_flex_planar_par;
typedef struct tr_flex_spatial_par {
  double position[3], orientation[9], velocity[3], omega[3];
  int coordinates;
  tr_flex_deform deform;
  tr_flexible *flex;
} tr_flex_spatial_par;

// The functions of tr_body_type that do not depend on where the shapes come from.
void tr_flex_planar_sizes(const void *par, int *nq, int *nv, int *nc, int *ncache);
void tr_flex_planar_pose(const void *par, double p[3], double R[9]);
void tr_flex_planar_start(const void *par, double *q, double *v);
void tr_flex_planar_kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                               tr_frame *f);
void tr_flex_planar_add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out);
void tr_flex_planar_add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w,
                                  double *K);
void tr_flex_planar_twist_dq(const tr_body_at *b, const tr_site *s, double *U);
void tr_flex_planar_mass(const tr_body_at *b, double *M);
void tr_flex_planar_add_mass_dq(const tr_body_at *b, const double *a, double *K);
void tr_flex_planar_add_force(const tr_body_at *b, const double g[3], double *Q);
void tr_flex_planar_add_force_tangent(const tr_body_at *b, const double g[3], double *Qq,
                                      double *Qv);
void tr_flex_planar_energy(const tr_body_at *b, const double g[3], double *kinetic,
                           double *potential);
double tr_flex_planar_strain(const tr_body_at *b);
int tr_flex_planar_modes(const void *par, bool *slow);
int tr_flex_planar_shape_size(const void *par);
extern const char *const tr_flex_planar_coordinates[], *const tr_flex_planar_rates[];

#define TR_FLEX_PLANAR_FIELDS(par)                                                           \
  {"position", TR_VEC2,                                                                      \
   TR_LENGTH,  offsetof(par, common.position),                                               \
   "[0, 0]",   .doc = "origin of the reference frame at the start"},                         \
      {"angle", TR_REAL, TR_ANGLE, offsetof(par, common.angle), "0", .doc = "its angle"},    \
      {"velocity",           TR_VEC2, TR_VELOCITY, offsetof(par, common.velocity), "[0, 0]", \
       .doc = "its velocity"},                                                               \
      {"omega",                                                                              \
       TR_REAL,                                                                              \
       TR_ANGULAR_VELOCITY,                                                                  \
       offsetof(par, common.omega),                                                          \
       "0",                                                                                  \
       .doc = "its angular velocity"},                                                       \
      TR_FLEX_DEFORM_FIELDS(par)

#define TR_FLEX_PLANAR_TYPE                                                                       \
  .dim = 2, .nq = 3, .nv = 3, .coordinate_names = tr_flex_planar_coordinates,                     \
  .rate_names = tr_flex_planar_rates, .sizes = tr_flex_planar_sizes, .pose = tr_flex_planar_pose, \
  .start = tr_flex_planar_start, .shape_size = tr_flex_planar_shape_size,                         \
  .kinematics = tr_flex_planar_kinematics, .add_pull = tr_flex_planar_add_pull,                   \
  .add_wrench_dq = tr_flex_planar_add_wrench_dq, .twist_dq = tr_flex_planar_twist_dq,             \
  .mass = tr_flex_planar_mass, .add_mass_dq = tr_flex_planar_add_mass_dq,                         \
  .add_force = tr_flex_planar_add_force, .add_force_tangent = tr_flex_planar_add_force_tangent,   \
  .energy = tr_flex_planar_energy, .modes = tr_flex_planar_modes, .strain = tr_flex_planar_strain

void tr_flex_spatial_sizes(const void *par, int *nq, int *nv, int *nc, int *ncache);
void tr_flex_spatial_pose(const void *par, double p[3], double R[9]);
void tr_flex_spatial_start(const void *par, double *q, double *v);
void tr_flex_spatial_kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                                tr_frame *f);
void tr_flex_spatial_add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out);
void tr_flex_spatial_add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w,
                                   double *K);
void tr_flex_spatial_twist_dq(const tr_body_at *b, const tr_site *s, double *U);
void tr_flex_spatial_mass(const tr_body_at *b, double *M);
void tr_flex_spatial_add_mass_dq(const tr_body_at *b, const double *a, double *K);
void tr_flex_spatial_add_force(const tr_body_at *b, const double g[3], double *Q);
void tr_flex_spatial_add_force_tangent(const tr_body_at *b, const double g[3], double *Qq,
                                       double *Qv);
void tr_flex_spatial_energy(const tr_body_at *b, const double g[3], double *kinetic,
                            double *potential);
double tr_flex_spatial_strain(const tr_body_at *b);
int tr_flex_spatial_modes(const void *par, bool *slow);
int tr_flex_spatial_shape_size(const void *par);
void tr_flex_spatial_retract(const void *par, const double *q, const double *d, double *q1);
void tr_flex_spatial_increment_rate(const void *par, const double *u, const double *v, double *du);
double tr_flex_spatial_shift_increment(const void *par, const double *d, double *u);
void tr_flex_spatial_pull_increment(const void *par, const double *d, int rows, int stride,
                                    double *block);
void tr_flex_spatial_cayley(const void *par, double k, double *d);
void tr_flex_spatial_quaternion(const tr_body_at *b, double e[4]);
extern const char *const tr_flex_spatial_coordinates[], *const tr_flex_spatial_rates[],
                                                            *const tr_flex_spatial_charts[];

#define TR_FLEX_SPATIAL_FIELDS(par)                                                             \
  {"position",  TR_VEC3,                                                                        \
   TR_LENGTH,   offsetof(par, common.position),                                                 \
   "[0, 0, 0]", .doc = "origin of the reference frame at the start"},                           \
      {"orientation", TR_ROTATION,      TR_NUMBER, offsetof(par, common.orientation),           \
       "identity",    .doc = "its axes"},                                                       \
      {"velocity",           TR_VEC3, TR_VELOCITY, offsetof(par, common.velocity), "[0, 0, 0]", \
       .doc = "its velocity"},                                                                  \
      {"omega",                                                                                 \
       TR_VEC3,                                                                                 \
       TR_ANGULAR_VELOCITY,                                                                     \
       offsetof(par, common.omega),                                                             \
       "[0, 0, 0]",                                                                             \
       .doc = "its angular velocity, global axes"},                                             \
      {"coordinates",                                                                           \
       TR_CHOICE,                                                                               \
       TR_NUMBER,                                                                               \
       offsetof(par, common.coordinates),                                                       \
       "lie",                                                                                   \
       .choices = tr_flex_spatial_charts,                                                       \
       .doc = "unknowns of its rotation: Lie group; flexible bodies have no other"},            \
      TR_FLEX_DEFORM_FIELDS(par)

#define TR_FLEX_SPATIAL_TYPE                                                                \
  .dim = 3, .nq = 7, .nv = 6, .coordinate_names = tr_flex_spatial_coordinates,              \
  .rate_names = tr_flex_spatial_rates, .sizes = tr_flex_spatial_sizes,                      \
  .pose = tr_flex_spatial_pose, .start = tr_flex_spatial_start,                             \
  .shape_size = tr_flex_spatial_shape_size, .retract = tr_flex_spatial_retract,             \
  .increment_rate = tr_flex_spatial_increment_rate,                                         \
  .shift_increment = tr_flex_spatial_shift_increment,                                       \
  .pull_increment = tr_flex_spatial_pull_increment, .cayley = tr_flex_spatial_cayley,       \
  .quaternion = tr_flex_spatial_quaternion, .kinematics = tr_flex_spatial_kinematics,       \
  .add_pull = tr_flex_spatial_add_pull, .add_wrench_dq = tr_flex_spatial_add_wrench_dq,     \
  .twist_dq = tr_flex_spatial_twist_dq, .mass = tr_flex_spatial_mass,                       \
  .add_mass_dq = tr_flex_spatial_add_mass_dq, .add_force = tr_flex_spatial_add_force,       \
  .add_force_tangent = tr_flex_spatial_add_force_tangent, .energy = tr_flex_spatial_energy, \
  .modes = tr_flex_spatial_modes, .strain = tr_flex_spatial_strain

// The public functions of a kind (planar, spatial) from the plain ones of its file, which has `plain`, `par`
// and flex_of: with stiffening by way of tr_drawn_*, else as they are.
#define TR_FLEX_EITHER(kind)                                                                  \
  void tr_flex_##kind##_mass(const tr_body_at *b, double *M) {                                \
    const tr_flexible *f = flex_of(b);                                                        \
    par drawn = {.flex = f->drawn};                                                           \
    if (f->drawn)                                                                             \
      tr_drawn_mass(&plain, f, &drawn, b, M);                                                 \
    else                                                                                      \
      mass(b, M);                                                                             \
  }                                                                                           \
  void tr_flex_##kind##_add_mass_dq(const tr_body_at *b, const double *a, double *K) {        \
    const tr_flexible *f = flex_of(b);                                                        \
    par drawn = {.flex = f->drawn};                                                           \
    if (f->drawn)                                                                             \
      tr_drawn_add_mass_dq(&plain, f, &drawn, b, a, K);                                       \
    else                                                                                      \
      add_mass_dq(b, a, K);                                                                   \
  }                                                                                           \
  void tr_flex_##kind##_add_force(const tr_body_at *b, const double g[3], double *Q) {        \
    const tr_flexible *f = flex_of(b);                                                        \
    par drawn = {.flex = f->drawn};                                                           \
    if (f->drawn)                                                                             \
      tr_drawn_add_force(&plain, f, &drawn, b, g, Q);                                         \
    else                                                                                      \
      add_force(b, g, Q);                                                                     \
  }                                                                                           \
  void tr_flex_##kind##_add_force_tangent(const tr_body_at *b, const double g[3], double *Qq, \
                                          double *Qv) {                                       \
    const tr_flexible *f = flex_of(b);                                                        \
    par drawn = {.flex = f->drawn};                                                           \
    if (f->drawn)                                                                             \
      tr_drawn_add_force_tangent(&plain, f, &drawn, b, g, Qq, Qv);                            \
    else                                                                                      \
      add_force_tangent(b, g, Qq, Qv);                                                        \
  }                                                                                           \
  void tr_flex_##kind##_energy(const tr_body_at *b, const double g[3], double *kinetic,       \
                               double *potential) {                                           \
    const tr_flexible *f = flex_of(b);                                                        \
    par drawn = {.flex = f->drawn};                                                           \
    if (f->drawn)                                                                             \
      tr_drawn_energy(&plain, f, &drawn, b, g, kinetic, potential);                           \
    else                                                                                      \
      energy(b, g, kinetic, potential);                                                       \
  }

#endif
