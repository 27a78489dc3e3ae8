// SPDX-License-Identifier: Apache-2.0
// Frames in motion, rigid motions of all of them, and what joints and forces have in common.
#include "helper_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_laws.h"
#include "math/v3.h"

scene *new_scene(void) {
  scene *x = calloc(1, sizeof *x);
  assert_non_null(x);
  return x;
}

// ---- frames -----------------------------------------------------------------------------------------

// Moves a frame by a displacement (planar 3, spatial 6 numbers).
void displace(int nd, tr_frame *f, double s, const double *u) {
  double d[3] = {0, 0, s * u[2]}, e[4], E[9], R[9];
  f->p[0] += s * u[0], f->p[1] += s * u[1];
  if (nd == 6) {
    f->p[2] += s * u[2];
    v3_scale(s, u + 3, d);
  }
  f->angle += d[2];
  quat_exp(d, e);
  quat_to_m3(e, E);
  m3_mulm(E, f->R, R);
  m3_copy(R, f->R);
}

static void add_twist(int nd, tr_frame *f, double s, const double *u) {
  f->v[0] += s * u[0], f->v[1] += s * u[1];
  if (nd == 3) {
    f->w[2] += s * u[2];
    return;
  }
  f->v[2] += s * u[2];
  v3_axpy(s, u + 3, f->w);
}

void twist_of(const scene *x, double *u) {
  for (int k = 0; k < x->markers; k++, u += x->nd) {
    const tr_frame *f = &x->frame[k];
    memcpy(u, f->v, 3 * sizeof *u);
    if (x->nd == 3)
      u[2] = f->w[2];
    else
      memcpy(u + 3, f->w, 3 * sizeof *u);
  }
}

// The frames at s on the path.
double walk(const scene *x, double s, tr_frame *f, const tr_frame **pointer) {
  for (int k = 0; k < x->markers; k++) {
    f[k] = x->frame[k];
    displace(x->nd, &f[k], s, x->u + k * x->nd);
    add_twist(x->nd, &f[k], s, x->du + k * x->nd);
    pointer[k] = &f[k];
  }
  return x->t + s * x->dt;
}

void stand_still(scene *x) {
  memset(x->u, 0, sizeof x->u);
  memset(x->du, 0, sizeof x->du);
  x->dt = 0;
}

// Frames within reach of each other, so that angles are told apart, yet never close: lengths and their
// directions stay smooth on the paths of the tests.
static void draw_frames(scene *x, seed *s) {
  for (int k = 0; k < x->markers; k++) {
    tr_frame *f = &x->frame[k];
    double d[6];
    *f = (tr_frame){0};
    draw_many(s, 6, d);
    for (int i = 0; i < 6; i++) d[i] *= 0.7;
    if (k > 0) {
      d[0] += 1.7 * k;
      *f = x->frame[0];
      displace(x->nd, f, 1, d);
    } else if (x->nd == 3) {
      m3_identity(f->R);
      displace(3, f, 3, d);
    } else {
      draw_rotation(s, f->R);
      draw_many(s, 3, f->p);
    }
    memset(f->v, 0, sizeof f->v);
    memset(f->w, 0, sizeof f->w);
    draw_many(s, 6, d);
    add_twist(x->nd, f, 1, d);
  }
}

// Lets the element fill what follows from its parameters.
static void start_here(scene *x) {
  const char *(*start)(void *, int, const tr_frame *const *) =
      x->joint ? x->joint->start : x->force->start;
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  walk(x, 0, f, pf);
  const char *why = start ? start(x->par, x->nd, pf) : NULL;
  if (why) fail_msg("%s: %s", x->name, why);
}

// Parameters that the element itself accepts.
static void draw_accepted(scene *x, seed *s, const tr_field *fields, int own) {
  const char *(*start)(void *, int, const tr_frame *const *) =
      x->joint ? x->joint->start : x->force->start;
  double copy[MAX_PAR / sizeof(double)];
  const tr_frame *f[TR_MAX_MARKERS];
  for (int k = 0; k < x->markers; k++) f[k] = &x->frame[k];
  for (int k = 0; k < 1000; k++) {
    draw_parameters(s, fields, x->par);
    draw_laws(s, fields, own, x->markers, x->lively, x->par);
    memcpy(copy, x->par, sizeof copy);
    if (!start || !start(copy, x->nd, f)) return;
  }
  fail_msg("%s: no parameters are accepted", x->name);
}

void begin(scene *x, seed *s) {
  size_t size = x->joint ? x->joint->par_size : x->force->par_size;
  const tr_field *fields = x->joint ? x->joint->fields : x->force->fields;
  int own = x->joint ? x->joint->markers : x->force->markers;
  assert_true(size <= sizeof x->par);
  assert_true((x->joint ? x->joint->nmem : x->force->nmem) <= MAX_MEM);
  x->markers = own + frames_of_laws(fields, x->lively);
  x->n = x->nd * x->markers;
  memset(x->par, 0, sizeof x->par);
  memset(x->mem, 0, sizeof x->mem);
  draw_frames(x, s);
  draw_accepted(x, s, fields, own);
  x->t = 0.3 + 0.2 * draw(s);
  stand_still(x);
  start_here(x);
}

void stop_frames(scene *x) {
  for (int k = 0; k < x->markers; k++) {
    memset(x->frame[k].v, 0, sizeof x->frame[k].v);
    memset(x->frame[k].w, 0, sizeof x->frame[k].w);
  }
}

// The rows of G made orthonormal; rows that depend on others vanish. With `hold` the first frame's
// columns are left out.
void orthonormalise(int rows, int n, int hold, double *G) {
  for (int i = 0; i < rows; i++) {
    double *g = G + i * n;
    memset(g, 0, (size_t)hold * sizeof *g);
    for (int twice = 0; twice < 2; twice++)
      for (int k = 0; k < i; k++) {
        double dot = 0;
        for (int j = 0; j < n; j++) dot += g[j] * G[k * n + j];
        for (int j = 0; j < n; j++) g[j] -= dot * G[k * n + j];
      }
    double length = norm2(n, g);
    for (int j = 0; j < n; j++) g[j] = length > 1e-10 ? g[j] / length : 0;
  }
}

// Takes the part of u out that G (orthonormal rows) forbids.
void admit(int rows, int n, const double *G, double *u) {
  for (int i = 0; i < rows; i++) {
    double dot = 0;
    for (int j = 0; j < n; j++) dot += G[i * n + j] * u[j];
    for (int j = 0; j < n; j++) u[j] -= dot * G[i * n + j];
  }
}

rigid draw_rigid(seed *s, int nd) {
  rigid g = {{0}, {0}};
  draw_many(s, nd == 3 ? 2 : 3, g.p);
  if (nd == 6) {
    draw_rotation(s, g.R);
  } else {
    double a = 3 * draw(s);
    double R[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    m3_copy(R, g.R);
  }
  return g;
}

static void turn(const double *R, int n, double *vectors) {
  for (int i = 0; i < n; i++) {
    double y[3];
    m3_mul(R, vectors + 3 * i, y);
    v3_copy(y, vectors + 3 * i);
  }
}

void move_all(scene *x, const rigid *g) {
  for (int k = 0; k < x->markers; k++) {
    tr_frame *f = &x->frame[k];
    double R[9];
    turn(g->R, 1, f->p), turn(g->R, 1, f->v), turn(g->R, 1, f->w);
    v3_add(f->p, g->p, f->p);
    m3_mulm(g->R, f->R, R);
    m3_copy(R, f->R);
    if (x->nd == 3) f->angle += atan2(g->R[3], g->R[0]);
  }
}

void turn_wrench(const scene *x, const double *R, double *w) {
  if (x->nd == 6) {
    turn(R, 2 * x->markers, w);
    return;
  }
  for (int k = 0; k < x->markers; k++, w += 3) {
    double a = R[0] * w[0] + R[1] * w[1], b = R[3] * w[0] + R[4] * w[1];
    w[0] = a, w[1] = b;
  }
}

// Force and moment about the origin of all wrenches together.
void assert_balanced(const scene *x, const double *w) {
  double sum[6] = {0}, m[3], most = largest(x->n, w);
  for (int k = 0; k < x->markers; k++, w += x->nd) {
    double f[3] = {w[0], w[1], x->nd == 6 ? w[2] : 0};
    v3_add(sum, f, sum);
    v3_cross(x->frame[k].p, f, m);
    v3_add(sum + 3, m, sum + 3);
    if (x->nd == 3)
      sum[5] += w[2];
    else
      v3_add(sum + 3, w + 3, sum + 3);
  }
  const double zero[6] = {0};
  assert_all_near(6, sum, zero, 1e-12 * fmax(1, most), "%s: action and reaction", x->name);
}

int find_measure(const char *const *names, const char *name) {
  for (int i = 0; names && names[i]; i++)
    if (!strcmp(names[i], name)) return i;
  return -1;
}

void measure_path(void *context, double s, double *out) {
  const scene *x = context;
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  double t = walk(x, s, f, pf);
  if (x->joint)
    x->jops->measure(x->par, t, pf, x->mem, out);
  else
    x->fops->measure(x->par, t, pf, x->mem, out);
}

void accept_here(scene *x) {
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  void (*accept)(const void *, double, const tr_frame *const *, double *) =
      x->joint ? x->joint->accept : x->force->accept;
  if (!accept || x->nd == 3) return; // planar angles need no memory
  double t = walk(x, 0, f, pf);
  accept(x->par, t, pf, x->mem);
}

int count_measures(const char *const *names) {
  int n = 0;
  while (names && names[n]) n++;
  return n;
}

// Two turns of the second frame about the first one's z axis, accepted in small steps, are counted.
void check_turns(scene *x, seed *s) {
  (void)s;
  const char *const *names = x->joint ? x->jops->measure_names : x->fops->measure_names;
  int angle = find_measure(names, "angle");
  double before[TR_MAX_MEASURES], after[TR_MAX_MEASURES], u[6] = {0};
  if (angle < 0) return;
  x->frame[1] = x->frame[0];
  memset(x->mem, 0, sizeof x->mem);
  accept_here(x);
  measure_path(x, 0, before);
  if (x->nd == 3)
    u[2] = 1;
  else
    m3_axis(x->frame[0].R, 2, u + 3);
  for (int k = 0; k < 100; k++) {
    displace(x->nd, &x->frame[1], 4 * TR_PI / 100, u);
    accept_here(x);
  }
  measure_path(x, 0, after);
  assert_near(after[angle] - before[angle], 4 * TR_PI, 1e-12, "%s: two turns", x->name);
}

// "auto" parameters are all found, or the start is refused.
void check_auto(scene *x, seed *s) {
  (void)s;
  const tr_field *fields = x->joint ? x->joint->fields : x->force->fields;
  int count = set_auto(fields, x->par);
  if (count > 0) assert_true(x->joint ? x->joint->start != NULL : x->force->start != NULL);
  stand_still(x);
  start_here(x);
  assert_int_equal(count_nan(fields, x->par), 0);
}

void blind(const scene *x, tr_frame *f) {
  for (int k = 0; k < x->markers; k++) {
    for (int i = 0; i < 9; i++) f[k].R[i] = NAN;
    for (int i = 0; i < (x->nd == 3 ? 2 : 3); i++) f[k].w[i] = f[k].aw[i] = NAN;
  }
}

void assert_no_moments(const scene *x, const double *w) {
  int point = x->nd == 3 ? 2 : 3;
  for (int i = 0; i < x->n; i++)
    if (i % x->nd >= point) assert_true(w[i] == 0);
}
