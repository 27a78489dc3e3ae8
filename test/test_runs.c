// SPDX-License-Identifier: Apache-2.0
// Functions of many bodies against those of one, for every registered body that has them; and the sines
// and cosines they use against the C library's.
//
// Eleven bodies, so that groups of four and what is left over come by, with none to four sites each, of
// which some are looked at as points only.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elem/elem.h"
#include "helper_mechanics.h"
#include "math/angle.h"
#include "math/v3.h"

enum { BODIES = 11, MOST_SITES = 4, SITES = BODIES * MOST_SITES, MOST_V = 6, CASES = 20 };
enum { SHIFT = 3 }; // of the frames against the sites

typedef struct crowd {
  const tr_body_type *type;
  double par[BODIES][128];
  tr_body_slot slot[BODIES];
  tr_site site[SITES];
  double R[SITES][9];
  double q[BODIES * 7], v[BODIES * MOST_V], d[BODIES * MOST_V], cache[BODIES * 16];
  double W[6 * SITES], g[3];          // by sites,
  double packed[6 * (SITES + SHIFT)]; // and as the bodies get them, by frames
  tr_wrenches wrenches;
  tr_bodies_at all;
} crowd;

static void draw_site(crowd *c, seed *s, int body, int k, bool points) {
  double p[3], *R = c->R[k];
  tr_site *site = &c->site[k];
  int nd = c->type->dim == 3 || draw(s) > 0.6 ? 6 : 3;
  draw_many(s, 3, p), draw_rotation(s, R);
  if (nd == 3) {
    double a = 3 * draw(s), Z[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    m3_copy(Z, R), p[2] = 0;
  }
  *site = (tr_site){.nd = nd};
  c->type->site(c->par[body], p, R, site);
  site->nd = nd, site->point = points || draw(s) > 0;
  draw_many(s, 6, c->W + 6 * k);
  for (int i = nd == 3 ? 2 : 3; site->point && i < 6; i++) c->W[6 * k + i] = 0;
}

// Without moments where there are none.
static void pack_wrenches(crowd *c, int sites) {
  bool points = true;
  for (int i = 0; i < BODIES; i++) points = points && c->slot[i].points;
  c->wrenches = (tr_wrenches){c->packed, points ? 3 : 6};
  for (int k = 0; k < sites; k++)
    memcpy(tr_wrench_at(c->wrenches, k + SHIFT), c->W + 6 * k,
           (size_t)c->wrenches.size * sizeof *c->W);
}

// kind 0: as many points on each body, 1: points, 2: anything
static void gather_crowd(crowd *c, const tr_body_type *type, seed *s, int kind, double size) {
  int sites = 0;
  *c = (crowd){.type = type};
  draw_many(s, 3, c->g);
  for (int i = 0; i < BODIES; i++) {
    const tr_body_type *t = type;
    draw_parameters(s, t->fields, c->par[i]);
    int n = kind == 0 ? 2 : (int)(2.5 + 2.5 * draw(s));
    c->slot[i] = (tr_body_slot){.par = c->par[i], .q = i * t->nq, .v = i * t->nv};
    c->slot[i].cache = i * t->ncache, c->slot[i].site = sites, c->slot[i].frame = sites + SHIFT;
    c->slot[i].sites = (unsigned)n & 0xff, c->slot[i].points = true;
    c->slot[i].held = kind == 0 ? n : (int)((n + 1) * (0.5 + 0.499 * draw(s)));
    t->start(c->par[i], c->q + i * t->nq, c->v + i * t->nv);
    for (int k = sites; k < sites + n; k++) {
      draw_site(c, s, i, k, kind < 2);
      if (!c->site[k].point || c->site[k].nd != 3 * (t->dim - 1)) c->slot[i].points = false;
    }
    sites += n;
  }
  pack_wrenches(c, sites);
  draw_many(s, BODIES * MOST_V, c->d), draw_many(s, BODIES * MOST_V, c->v);
  for (int i = 0; i < BODIES * MOST_V; i++) c->d[i] *= size;
  c->all = (tr_bodies_at){BODIES, c->slot, 0, c->q, c->v, c->cache, c->site};
}

static tr_body_at one(const crowd *c, int i, double *cache) {
  const tr_body_slot *s = &c->slot[i];
  return (tr_body_at){s->par, c->q + s->q, c->v + s->v, cache + s->cache, 0};
}

static void check_retraction(crowd *c) {
  double many[BODIES * 7], single[BODIES * 7];
  const tr_body_type *t = c->type;
  if (!t->retract_run) return;
  t->retract_run(&c->all, c->q, c->d, many);
  for (int i = 0; i < BODIES; i++)
    t->retract(c->par[i], c->q + i * t->nq, c->d + i * t->nv, single + i * t->nq);
  assert_memory_equal(many, single, sizeof(double) * (size_t)(BODIES * t->nq));
  memcpy(c->q, many, sizeof many);
}

static void compare_frames(const tr_site *s, tr_level level, const tr_frame *a, const tr_frame *b) {
  size_t lines = (s->nd == 3 ? 2 : 3) * sizeof(double), own = sizeof(double);
  assert_memory_equal(a->p, b->p, lines);
  if (!s->point && s->nd == 6) assert_memory_equal(a->R, b->R, sizeof a->R);
  if (!s->point && s->nd == 3) assert_memory_equal(a->R, b->R, 2 * own);
  if (level < TR_AT_VELOCITY) return;
  assert_memory_equal(a->v, b->v, lines);
  if (!s->point) assert_memory_equal(&a->w[2], &b->w[2], own);
  if (level == TR_AT_BIAS) assert_memory_equal(a->ap, b->ap, lines);
}

static void check_kinematics(crowd *c) {
  double cache[BODIES * 16];
  for (int level = TR_AT_BIAS; level >= TR_AT_POSITION; level--) {
    tr_frame many[SITES + SHIFT] = {0}, single[SITES] = {0};
    c->type->kinematics_run(&c->all, (tr_level)level, (tr_frames){many, sizeof *many});
    for (int i = 0; i < BODIES; i++) {
      const tr_body_slot *s = &c->slot[i];
      tr_body_at at = one(c, i, cache);
      c->type->kinematics(&at, (tr_level)level, s->sites, c->site + s->site, single + s->site);
      for (int k = s->site; k < s->site + s->sites; k++)
        compare_frames(&c->site[k], (tr_level)level, &many[k + SHIFT], &single[k]);
    }
    assert_memory_equal(cache, c->cache, sizeof(double) * (size_t)(BODIES * c->type->ncache));
  }
}

static void check_forces(crowd *c) {
  double many[BODIES * MOST_V], pull[BODIES * MOST_V], beside[BODIES * MOST_V];
  double other[BODIES * MOST_V], W2[6 * (SITES + SHIFT)];
  const tr_body_type *t = c->type;
  tr_wrenches second = {W2, c->wrenches.size};
  for (size_t i = 0; i < sizeof W2 / sizeof *W2; i++) W2[i] = sin(1.7 * (double)i);
  t->gather_run(&c->all, c->g, c->wrenches, many, second, beside);
  t->pull_run(&c->all, c->wrenches, pull);
  t->pull_run(&c->all, second, other);
  for (int i = 0; i < BODIES; i++)
    assert_memory_equal(beside + c->slot[i].v, other + c->slot[i].v,
                        sizeof(double) * (size_t)t->nv);
  for (int i = 0; i < BODIES; i++) {
    const tr_body_slot *s = &c->slot[i];
    tr_body_at at = one(c, i, c->cache);
    double Q[MOST_V] = {0}, own[MOST_V] = {0}, held[MOST_V] = {0};
    t->add_force(&at, c->g, own);
    for (int k = s->site; k < s->site + s->sites; k++)
      t->add_pull(&at, c->site + k, c->W + 6 * k, Q);
    for (int k = s->site; k < s->site + s->held; k++)
      t->add_pull(&at, c->site + k, c->W + 6 * k, held);
    for (int j = 0; j < t->nv; j++) {
      assert_near(pull[s->v + j], -held[j], 1e-13, "%s: pull_run", t->name);
      assert_near(many[s->v + j], -Q[j] - own[j], 1e-13 * (1 + fabs(own[j])), "%s: gather_run",
                  t->name);
    }
  }
}

static void check_tangents(crowd *c) {
  const tr_body_type *t = c->type;
  int nn = t->nv * t->nv;
  double many[BODIES * MOST_V * MOST_V] = {0}, cm = 1.3, ck = 0.4, cd = 0.7;
  t->tangent_run(&c->all, c->g, c->wrenches, cm, ck, cd, many);
  t->tangent_run(&c->all, c->g, c->wrenches, cm, ck, cd, many); // over what was there
  for (int i = 0; i < BODIES; i++) {
    const tr_body_slot *s = &c->slot[i];
    tr_body_at at = one(c, i, c->cache);
    double K[MOST_V * MOST_V] = {0}, D[MOST_V * MOST_V] = {0}, M[MOST_V * MOST_V];
    t->mass(&at, M);
    if (t->add_force_tangent) t->add_force_tangent(&at, c->g, K, D);
    for (int k = s->site; k < s->site + s->sites; k++)
      t->add_wrench_dq(&at, c->site + k, c->W + 6 * k, K);
    for (int j = 0; j < nn; j++) M[j] = cm * M[j] - ck * K[j] - cd * D[j];
    assert_all_near(nn, many + i * nn, M, 1e-13 * (1 + largest(nn, M)), "%s: tangent_run", t->name);
  }
}

static void check_rows(crowd *c, seed *s) {
  const tr_body_type *t = c->type;
  tr_point point[SITES];
  double G[SITES * 18], turned[SITES * 18], plain[SITES * 18], unit[36] = {0}, J[36];
  int n = 0;
  for (int i = 0; i < 6; i++) unit[7 * i] = 1;
  for (int i = BODIES - 1; i >= 0; i--)
    for (int k = c->slot[i].site; k < c->slot[i].site + c->slot[i].sites; k++)
      point[n++] = (tr_point){i, k, draw(s) > 0 ? 1 : -1};
  t->point_rows(&c->all, n, point, c->d, G, turned);
  t->point_rows(&c->all, n, point, NULL, plain, NULL);
  for (int k = 0; k < n; k++) {
    const tr_site *site = &c->site[point[k].site];
    int rows = site->nd == 3 ? 2 : 3, size = rows * t->nv;
    tr_body_at at = one(c, point[k].body, c->cache);
    double want[18] = {0};
    for (int r = 0; r < rows; r++) t->add_pull(&at, site, unit + 6 * r, want + r * t->nv);
    for (int i = 0; i < size; i++) want[i] *= point[k].sign;
    assert_all_near(size, G + 3 * t->nv * k, want, 1e-14, "%s: point_rows", t->name);
    assert_all_near(size, plain + 3 * t->nv * k, want, 1e-14, "%s: point_rows", t->name);
    if (t->pull_increment)
      t->pull_increment(c->par[0], c->d + c->slot[point[k].body].v, rows, t->nv, want);
    assert_all_near(size, turned + 3 * t->nv * k, want, 1e-13, "%s: turned", t->name);
    t->pull_rows(&at, site, rows, 6, unit, t->nv, J);
    for (int i = 0; i < size; i++) J[i] *= point[k].sign;
    assert_all_near(size, J, plain + 3 * t->nv * k, 1e-14, "%s: pull_rows", t->name);
  }
}

static void crowds(void **u) {
  (void)u;
  seed s = 77;
  int done = 0;
  crowd *c = malloc(sizeof *c);
  assert_non_null(c);
  for (const tr_body_type *const *t = tr_body_types(); *t; t++) {
    if (!(*t)->kinematics_run) continue;
    for (int i = 0; i < CASES; i++, done++) {
      // turns too large for a series come by as well
      gather_crowd(c, *t, &s, i % 3, i % 5 == 4 ? 3 : 0.1);
      check_retraction(c);
      check_kinematics(c);
      check_forces(c);
      if ((*t)->tangent_run) check_tangents(c);
      if ((*t)->point_rows) check_rows(c, &s);
    }
  }
  assert_true(done >= 4 * CASES);
  free(c);
}

// Within a unit in the last place of 1, near and far, also close to multiples of pi/2.
static void angles(void **u) {
  (void)u;
  seed s = 5;
  for (int i = 0; i < 400000; i++) {
    double x[LANES], sine, cosine, scale = ldexp(1, i % 20);
    for (int l = 0; l < LANES; l++) {
      x[l] = scale * draw(&s);
      if (i % 7 == 0) x[l] = floor(x[l]) * 1.5707963267948966 + 1e-9 * draw(&s);
    }
    lanes a = {x[0], x[1], x[2], x[3]}, b = {0}, c = {0};
    bool near = lanes_sincos(&a, &b, &c);
    for (int l = 0; l < LANES; l++) {
      angle_sincos(x[l], &sine, &cosine);
      assert_true(fabs(sine - sin(x[l])) <= 1.2e-16 && fabs(cosine - cos(x[l])) <= 1.2e-16);
      if (near) assert_true(sine == b[l] && cosine == c[l]);
    }
  }
  double sine, cosine;
  angle_sincos(-3e7, &sine, &cosine);
  assert_true(sine == sin(-3e7) && cosine == cos(-3e7));
  angle_sincos(NAN, &sine, &cosine);
  assert_true(isnan(sine) && isnan(cosine));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(crowds), cmocka_unit_test(angles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
