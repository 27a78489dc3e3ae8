// SPDX-License-Identifier: Apache-2.0
// Spatial rigid body: what its three sets of coordinates share, and the default, the Lie-group form on
// R^3 x SO(3). The others are in body_spatial_ep.c and body_spatial_313.c.
//
// q = (r, e): centre of mass and unit quaternion; v = (r', w): global velocity and body-frame angular
// velocity; q o exp(d): r + d_r, e exp(d_w/2). With the centre of mass as reference
//   M = diag(m 1, J) is constant,   Q = (m g, -w x J w).
// A marker at c in body axes, arm s = R c, frame twist u = J v:
//   u = (r' + R (w x c), R w),  bias = (R (w x (w x c)), 0)
//   J' (f, n) = (f, c x R'f + R'n),   (J' w)_q: the rotational block [c][R'f] + [R'n]
// cache: R (9).
#include <float.h>

#include "body_run.h"
#include "math/v3.h"
#include "spatial.h"
#include "spatial_joints.h"
#include "spatial_lanes.h"
#include "spatial_pins.h"

typedef tr_spatial_par par;

static const char *const coordinates[] = {"lie", "euler-parameters", "euler-313", NULL};
const tr_field tr_spatial_fields[] = {
    {"mass", TR_REAL, TR_MASS, offsetof(par, mass), .positive = true, .doc = "mass"},
    {"inertia", TR_TENSOR, TR_INERTIA, offsetof(par, inertia),
     .doc = "inertia tensor about the centre of mass, body axes: [xx, yy, zz] or "
            "[xx, yy, zz, xy, xz, yz]"},
    {"com", TR_VEC3, TR_LENGTH, offsetof(par, com), "[0, 0, 0]",
     .doc = "centre of mass in body axes, from the origin"},
    {"position", TR_VEC3, TR_LENGTH, offsetof(par, position), "[0, 0, 0]", .start = true,
     .doc = "origin at the start"},
    {"orientation", TR_ROTATION, TR_NUMBER, offsetof(par, orientation), "identity", .start = true,
     .doc = "body axes at the start"},
    {"velocity", TR_VEC3, TR_VELOCITY, offsetof(par, velocity), "[0, 0, 0]", .start = true,
     .doc = "velocity of the origin at the start"},
    {"omega", TR_VEC3, TR_ANGULAR_VELOCITY, offsetof(par, omega), "[0, 0, 0]", .start = true,
     .doc = "angular velocity at the start, global axes"},
    {"coordinates", TR_CHOICE, TR_NUMBER, offsetof(par, coordinates), "lie", .choices = coordinates,
     .doc = "unknowns of the rotation: Lie group, Euler parameters, 3-1-3 Euler angles"},
    {0}};

// Of the origin, in global axes.
const char *const tr_spatial_coordinate_names[] = {"x", "y", "z", "rx", "ry", "rz", NULL};
const char *const tr_spatial_rate_names[] = {"vx", "vy", "vz", "wx", "wy", "wz", NULL};

static const tr_body_type *variant(const void *pv) {
  static const tr_body_type *const types[] = {
      [TR_LIE] = &tr_body_spatial,
      [TR_EULER_PARAMETERS] = &tr_body_spatial_ep,
      [TR_EULER_313] = &tr_body_spatial_313,
  };
  return types[((const par *)pv)->coordinates];
}

// Positive definite by its leading minors; the triangle inequality of principal moments is not
// demanded, since idealised (thin, virtual) bodies violate it by round-off.
const char *tr_spatial_check(const void *pv) {
  const par *b = pv;
  const double *J = b->inertia;
  double d2 = J[0] * J[4] - J[1] * J[3];
  double c[3];
  v3_cross(J, J + 3, c);
  double d3 = v3_dot(c, J + 6), scale = J[0] + J[4] + J[8];
  if (!(J[0] > 0) || !(d2 > 0) || !(d3 > DBL_EPSILON * scale * scale * scale))
    return "inertia is not positive definite";
  return NULL;
}

void tr_spatial_pose(const void *pv, double p[3], double R[9]) {
  const par *b = pv;
  v3_copy(b->position, p);
  m3_copy(b->orientation, R);
}

void tr_spatial_start(const void *pv, double r[3], double v[3], double w[3]) {
  const par *b = pv;
  double s[3], ws[3];
  m3_mul(b->orientation, b->com, s);
  v3_add(b->position, s, r);
  v3_cross(b->omega, s, ws);
  v3_add(b->velocity, ws, v);
  m3_tmul(b->orientation, b->omega, w);
}

void tr_spatial_site(const void *pv, const double p[3], const double R[9], tr_site *s) {
  const par *b = pv;
  v3_sub(p, b->com, s->c);
  s->R = R;
  s->angle = 0;
}

static void start(const void *pv, double *q, double *v) {
  const par *b = pv;
  tr_spatial_start(b, q, v, v + 3);
  m3_to_quat(b->orientation, q + 3);
  quat_normalise(q + 3);
}

static void retract(const void *pv, const double *q, const double *d, double *q1) {
  (void)pv;
  double de[4], e[4];
  quat_exp(d + 3, de);
  quat_mul(q + 3, de, e);
  quat_trim(e);
  for (int i = 0; i < 3; i++) q1[i] = q[i] + d[i];
  for (int i = 0; i < 4; i++) q1[3 + i] = e[i];
}

// du = v + 1/2 u x w + (1 - (n/2) cot(n/2))/n^2 u x (u x w) on the rotation, n = |u|
static void increment_rate(const void *pv, const double *u, const double *v, double *du) {
  (void)pv;
  double uw[3], uuw[3], n2 = v3_dot(u + 3, u + 3), n = sqrt(n2);
  double c =
      n < 1e-2 ? 1.0 / 12 + n2 * (1.0 / 720 + n2 / 30240) : (1 - 0.5 * n / tan(0.5 * n)) / n2;
  v3_cross(u + 3, v + 3, uw);
  v3_cross(u + 3, uw, uuw);
  for (int i = 0; i < 3; i++) du[i] = v[i], du[3 + i] = v[3 + i] + 0.5 * uw[i] + c * uuw[i];
}

// Of the two rotations that lead to the same place, one beyond half a turn, that which is nearer to u - d.
static double shift_increment(const void *pv, const double *d, double *u) {
  (void)pv;
  static const double TURN = 6.283185307179586;
  double back[3] = {-d[3], -d[4], -d[5]}, de[4], ue[4], e[4];
  double flat[3] = {u[3] - d[3], u[4] - d[4], u[5] - d[5]};
  quat_exp(back, de);
  quat_exp(u + 3, ue);
  quat_mul(de, ue, e);
  for (int i = 0; i < 3; i++) u[i] -= d[i];
  quat_log(e, u + 3);
  double n = v3_norm(u + 3);
  if (v3_dot(flat, u + 3) < n * (n - 0.5 * TURN))
    for (int i = 3; i < 6; i++) u[i] *= 1 - TURN / n;
  return fmax(v3_norm(u + 3), v3_norm(d + 3));
}

// block T(d) on the rotation
static void pull_increment(const void *pv, const double *d, int rows, int stride, double *block) {
  (void)pv;
  double a, b;
  turn_factors(v3_dot(d + 3, d + 3), &a, &b);
  for (int r = 0; r < rows; r++, block += stride) {
    double x[3], y[3]; // g [d] = -(d x g)'
    v3_cross(d + 3, block + 3, x);
    v3_cross(d + 3, x, y);
    for (int i = 0; i < 3; i++) block[3 + i] += a * x[i] + b * y[i];
  }
}

static void cayley(const void *pv, double k, double *d) {
  (void)pv;
  double n = v3_norm(d + 3), x = n / k;
  double f = x < 1e-3 ? 1 - x * x * (1.0 / 3 - x * x / 5) : atan(x) / x;
  for (int i = 3; i < 6; i++) d[i] *= f;
}

// n frames from the first-th on
static void place_frames(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                         tr_frames frame, int first) {
  double *R = b->cache;
  quat_to_m3(b->q + 3, R);
  const double *w = b->v + 3;
  tr_frame *f = tr_frame_at(frame, first);
  for (int k = 0; k < n; k++, site++, f = tr_frame_after(frame, f)) {
    double s[3];
    m3_mul(R, site->c, s);
    v3_add(b->q, s, f->p);
    if (!site->point) m3_mulm(R, site->R, f->R);
    if (level < TR_AT_VELOCITY) continue;
    double wc[3], wwc[3];
    v3_cross(w, site->c, wc);
    m3_mul(R, wc, s);
    v3_add(b->v, s, f->v);
    if (!site->point) m3_mul(R, w, f->w);
    if (level < TR_AT_BIAS) continue;
    v3_cross(w, wc, wwc);
    m3_mul(R, wwc, f->ap);
    if (!site->point) f->aw[0] = f->aw[1] = f->aw[2] = 0;
  }
}

static void kinematics(const tr_body_at *b, tr_level level, int n, const tr_site *site,
                       tr_frame *f) {
  place_frames(b, level, n, site, (tr_frames){f, sizeof *f}, 0);
}

static void add_pull(const tr_body_at *b, const tr_site *s, const double *w, double *out) {
  double f[3], n[3], cf[3];
  m3_tmul(b->cache, w, f);
  v3_cross(s->c, f, cf);
  v3_add(out, w, out);
  v3_add(out + 3, cf, out + 3);
  if (s->point) return;
  m3_tmul(b->cache, w + 3, n);
  v3_add(out + 3, n, out + 3);
}

// R' x of pairs
TR_INLINE void turn_back(const double *R, const lanes_pair *x, lanes_pair *y) {
  for (int i = 0; i < 3; i++) y[i] = x[0] * R[i] + x[1] * R[3 + i] + x[2] * R[6 + i];
}

// The same with two wrenches, side by side.
TR_INLINE void add_pulls(const tr_body_at *b, const tr_site *s, const double *w, const double *w2,
                         double *out, double *out2) {
  const double *c = s->c;
  lanes_pair x[3], f[3], n[3];
  for (int i = 0; i < 3; i++) x[i] = (lanes_pair){w[i], w2[i]};
  turn_back(b->cache, x, f);
  n[0] = f[2] * c[1] - f[1] * c[2];
  n[1] = f[0] * c[2] - f[2] * c[0];
  n[2] = f[1] * c[0] - f[0] * c[1];
  for (int i = 0; i < 3; i++) out[i] += w[i], out2[i] += w2[i];
  for (int i = 0; i < 3; i++) n[i] += (lanes_pair){out[3 + i], out2[3 + i]};
  if (!s->point) {
    for (int i = 0; i < 3; i++) x[i] = (lanes_pair){w[3 + i], w2[3 + i]};
    turn_back(b->cache, x, f);
    for (int i = 0; i < 3; i++) n[i] += f[i];
  }
  for (int i = 0; i < 3; i++) out[3 + i] = n[i][0], out2[3 + i] = n[i][1];
}

// R (x_w x c) and R x_w side by side
TR_INLINE void twist_of(const tr_body_at *b, const tr_site *s, const double *x, double *u) {
  const double *R = b->cache;
  double xc[3];
  lanes_pair y[3];
  v3_cross(x + 3, s->c, xc);
  for (int i = 0; i < 3; i++) y[i] = (lanes_pair){xc[i], x[3 + i]};
  for (int i = 0; i < 3; i++) {
    lanes_pair z = y[0] * R[3 * i] + y[1] * R[3 * i + 1] + y[2] * R[3 * i + 2];
    u[i] = z[0] + x[i], u[3 + i] = z[1];
  }
}
TR_WIDE(twist, twist_of, (const tr_body_at *b, const tr_site *s, const double *x, double *u),
        (b, s, x, u))

static void add_wrench_dq(const tr_body_at *b, const tr_site *s, const double *w, double *K) {
  double f[3], n[3], A[9], B[9];
  m3_tmul(b->cache, w, f);
  m3_tmul(b->cache, w + 3, n);
  m3_skew2(s->c, f, A);
  m3_skew(n, B);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K[6 * (3 + i) + 3 + j] += A[3 * i + j] + B[3 * i + j];
}

// u = (r' + R (w x c), R w):  dR = R [d], so  -R [w x c] d  and  -R [w] d
static void twist_dq(const tr_body_at *b, const tr_site *s, double *U) {
  const double *R = b->cache, *w = b->v + 3;
  double wc[3], S[9], A[9], B[9];
  v3_cross(w, s->c, wc);
  m3_skew(wc, S);
  m3_mulm(R, S, A);
  m3_skew(w, S);
  m3_mulm(R, S, B);
  for (int i = 0; i < 36; i++) U[i] = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      U[6 * i + 3 + j] = -A[3 * i + j];
      U[6 * (3 + i) + 3 + j] = -B[3 * i + j];
    }
}

static void quaternion(const tr_body_at *b, double e[4]) {
  for (int i = 0; i < 4; i++) e[i] = b->q[3 + i];
}

static void mass(const tr_body_at *b, double *M) {
  const par *p = b->par;
  for (int i = 0; i < 36; i++) M[i] = 0;
  for (int i = 0; i < 3; i++) {
    M[7 * i] = p->mass;
    for (int j = 0; j < 3; j++) M[6 * (3 + i) + 3 + j] = p->inertia[3 * i + j];
  }
}

TR_INLINE void add_own(const tr_body_at *b, const double g[3], double *Q) {
  const par *p = b->par;
  const double *w = b->v + 3;
  double Jw[3], gyro[3];
  m3_mul(p->inertia, w, Jw);
  v3_cross(Jw, w, gyro); // -w x J w
  v3_axpy(p->mass, g, Q);
  v3_add(Q + 3, gyro, Q + 3);
}

static void add_force(const tr_body_at *b, const double g[3], double *Q) { add_own(b, g, Q); }

// (J w) x w by w:  [Jw] - [w] J
static void add_force_tangent(const tr_body_at *b, const double g[3], double *Qq, double *Qv) {
  (void)g, (void)Qq;
  const par *p = b->par;
  const double *w = b->v + 3;
  double Jw[3], A[9], B[9], S[9];
  m3_mul(p->inertia, w, Jw);
  m3_skew(Jw, A);
  m3_skew(w, S);
  m3_mulm(S, p->inertia, B);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Qv[6 * (3 + i) + 3 + j] += A[3 * i + j] - B[3 * i + j];
}

static void energy(const tr_body_at *b, const double g[3], double *kinetic, double *potential) {
  const par *p = b->par;
  double Jw[3];
  m3_mul(p->inertia, b->v + 3, Jw);
  *kinetic = 0.5 * (p->mass * v3_dot(b->v, b->v) + v3_dot(b->v + 3, Jw));
  *potential = -p->mass * v3_dot(g, b->q);
}

TR_PULL_ROWS(6)
TR_PULL_SITES

// ---- many bodies, four at a time ------------------------------------------------------------------

// Their numbers follow each other: slots, which are in memory, are not looked at.
TR_INLINE void retract_all(const tr_bodies_at *b, const double *q, const double *d, double *q1) {
  int n = b->n, done;
  q += b->slot->q, d += b->slot->v, q1 += b->slot->q;
  for (; n > 0; n -= done, q += NQ * done, d += NV * done, q1 += NQ * done) {
    done = n < LANES ? n : LANES;
    if (done == LANES && retract4(q, d, q1)) continue;
    for (int l = 0; l < done; l++) retract(NULL, q + NQ * l, d + NV * l, q1 + NQ * l);
  }
}

// The frames from the first-th on of a body whose orientation is known.
TR_INLINE void kinematics_all(const tr_bodies_at *b, tr_level level, tr_frames frame) {
  const tr_body_slot *s = b->slot, *end = s + b->n;
  while (s < end) {
    int done = 0, n = 1;
    if (end - s >= LANES && level < TR_AT_BIAS) {
      kinematics4(b, s, level, frame);
      done = common_sites(s), n = LANES;
      if (done > 0 && no_more_sites(s, done)) {
        s += LANES;
        continue;
      }
    }
    for (; n > 0; n--, s++) {
      if (done > 0 && done == s->sites) continue;
      tr_body_at at = one_of(b, s);
      place_frames(&at, level, s->sites - done, b->site + s->site + done, frame, s->frame + done);
    }
  }
}

// F = -(own force + sum J' W), F2 = -sum J' W2 of joints; W.first, W2.first NULL: the other only
TR_INLINE void gather_all(const tr_bodies_at *b, const double *g, tr_wrenches W, double *F,
                          tr_wrenches W2, double *F2) {
  const tr_body_slot *s = b->slot, *end = s + b->n;
  while (s < end) {
    int done = 0, held = 0, n = 1;
    if (end - s >= LANES) {
      lanes sum[6] = {0}, second[6] = {0};
      done = common_sites(s), held = common_held(s), n = LANES;
      if (W.first) own_force4(b, s, g, sum);
      pull4(b, s, done, W, sum, held, W2, second);
      if (W.first) put_force4(s, sum, F);
      if (W2.first) put_force4(s, second, F2);
      if (done > 0 && no_more_sites(s, done) && (!W2.first || no_more_held(s, held))) {
        s += LANES;
        continue;
      }
    }
    for (; n > 0; n--, s++) {
      bool all = done > 0 && done == s->sites;
      if (all && (held == s->held || !W2.first)) continue;
      tr_body_at at = one_of(b, s);
      double sum[6] = {0}, second[6] = {0};
      if (W.first && done == 0) add_force(&at, g, sum);
      pull_sites(&at, b, s, done, W, sum, held, W2, second);
      for (int i = 0; W.first && i < 6; i++) F[s->v + i] = (done > 0 ? F[s->v + i] : 0) - sum[i];
      for (int i = 0; W2.first && i < 6; i++)
        F2[s->v + i] = (done > 0 ? F2[s->v + i] : 0) - second[i];
    }
  }
}

// Both, of bodies that are no four.
TR_INLINE void gather_few(const tr_bodies_at *b, const double *g, tr_wrenches W, double *F,
                          tr_wrenches W2, double *F2) {
  for (const tr_body_slot *s = b->slot; s < b->slot + b->n; s++) {
    tr_body_at at = one_of(b, s);
    const tr_site *site = b->site + s->site;
    double sum[6] = {0}, second[6] = {0};
    int k = 0, end = (int)s->sites, held = s->held;
    add_own(&at, g, sum);
    for (; k < held; k++)
      add_pulls(&at, site + k, tr_wrench_at(W, s->frame + k), tr_wrench_at(W2, s->frame + k), sum,
                second);
    for (; k < end; k++) add_pull(&at, site + k, tr_wrench_at(W, s->frame + k), sum);
    for (int i = 0; i < 6; i++) F[s->v + i] = 0 - sum[i];
    for (int i = 0; i < 6; i++) F2[s->v + i] = 0 - second[i];
  }
}

// Which of the two there are is known where it is called: nothing is asked in the loops.
TR_INLINE void gather_some(const tr_bodies_at *b, const double *g, tr_wrenches W, double *F,
                           tr_wrenches W2, double *F2) {
  const tr_wrenches none = {0};
  if (!W2.first)
    gather_all(b, g, W, F, none, NULL);
  else if (W.first && b->n < LANES)
    gather_few(b, g, W, F, W2, F2);
  else if (W.first)
    gather_all(b, g, W, F, W2, F2);
  else
    gather_all(b, g, none, NULL, W2, F2);
}

TR_WIDE(retract_run, retract_all,
        (const tr_bodies_at *b, const double *q, const double *d, double *q1), (b, q, d, q1))
TR_WIDE(kinematics_run, kinematics_all, (const tr_bodies_at *b, tr_level level, tr_frames frame),
        (b, level, frame))
TR_WIDE(gather_run, gather_some,
        (const tr_bodies_at *b, const double g[3], tr_wrenches W, double *F, tr_wrenches W2,
         double *F2),
        (b, g, W, F, W2, F2))

TR_WIDE(tangent_four, tangent4, (const tr_bodies_at *b, const tr_four_bodies *io), (b, io))

TR_WIDE(pins_four, pins4, (const tr_bodies_at *b, const tr_pinned_four *io), (b, io))
TR_WIDE(pulled_four, pulled4, (const tr_bodies_at *b, const tr_pinned_four *io), (b, io))
TR_WIDE(bars_four, bars4, (const tr_bodies_at *b, const tr_four_bars *io), (b, io))
TR_WIDE(barred_four, barred4, (const tr_bodies_at *b, const tr_four_bars *io), (b, io))

static bool bar(const void *pv, int pins, const tr_pin *pin, const tr_site *site, double *known) {
  return bar_of(pv, pins, pin, site, known);
}

TR_WIDE(joint_rows, joint_rows4,
        (const tr_bodies_at *b, tr_frames frame, const tr_between *joint, const tr_four_joints *io),
        (b, frame, joint, io))

static void pull_run(const tr_bodies_at *b, tr_wrenches W, double *F) {
  gather_run(b, NULL, (tr_wrenches){0}, NULL, W, F);
}

const tr_body_type tr_body_spatial = {
    .name = "spatial",
    .doc = "rigid body in space",
    .fields = tr_spatial_fields,
    .par_size = sizeof(par),
    .dim = 3,
    .nq = 7,
    .nv = 6,
    .ncache = 9,
    .constant_mass = true,
    .coordinate_names = tr_spatial_coordinate_names,
    .rate_names = tr_spatial_rate_names,
    .check = tr_spatial_check,
    .variant = variant,
    .pose = tr_spatial_pose,
    .start = start,
    .site = tr_spatial_site,
    .retract = retract,
    .increment_rate = increment_rate,
    .shift_increment = shift_increment,
    .pull_increment = pull_increment,
    .cayley = cayley,
    .kinematics = kinematics,
    .add_pull = add_pull,
    .twist = twist,
    .add_wrench_dq = add_wrench_dq,
    .twist_dq = twist_dq,
    .quaternion = quaternion,
    .mass = mass,
    .add_force = add_force,
    .add_force_tangent = add_force_tangent,
    .energy = energy,
    .kinematics_run = kinematics_run,
    .gather_run = gather_run,
    .pull_run = pull_run,
    .retract_run = retract_run,
    .pull_rows = pull_rows,
    .tangent_four = tangent_four,
    .pins_four = pins_four,
    .pulled_four = pulled_four,
    .bar = bar,
    .bars_four = bars_four,
    .barred_four = barred_four,
    .joint_rows = joint_rows,
};
