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

// What one body has of the matrix, by the functions of one.
static void check_tangent(crowd *c, int body, const tr_four_bodies *x, const double *K) {
  const tr_body_type *t = c->type;
  const tr_body_slot *s = &c->slot[body];
  int nn = t->nv * t->nv;
  tr_body_at at = one(c, body, c->cache);
  double Q[MOST_V * MOST_V] = {0}, D[MOST_V * MOST_V] = {0}, M[MOST_V * MOST_V];
  t->mass(&at, M);
  if (t->add_force_tangent) t->add_force_tangent(&at, c->g, Q, D);
  for (int k = s->site; k < s->site + s->sites; k++)
    t->add_wrench_dq(&at, c->site + k, c->W + 6 * k, Q);
  for (int j = 0; j < nn; j++) M[j] = x->cm * M[j] - x->ck * Q[j] - x->cd * D[j];
  assert_all_near(nn, K, M, 1e-13 * (1 + largest(nn, M)), "%s: K", t->name);
}

static void check_rows(crowd *c, int body, const tr_pin *pin, const double *d, const double *G,
                       const double *turned) {
  const tr_body_type *t = c->type;
  const tr_site *site = &c->site[pin->site];
  int rows = site->nd == 3 ? 2 : 3, size = rows * t->nv;
  tr_body_at at = one(c, body, c->cache);
  double want[18] = {0}, unit[36] = {0}, J[36];
  for (int i = 0; i < 6; i++) unit[7 * i] = 1;
  for (int r = 0; r < rows; r++) t->add_pull(&at, site, unit + 6 * r, want + r * t->nv);
  for (int i = 0; i < size; i++) want[i] *= pin->sign;
  assert_all_near(size, G, want, 1e-14, "%s: G", t->name);
  if (t->pull_increment && d) t->pull_increment(c->par[0], d + c->slot[body].v, rows, t->nv, want);
  assert_all_near(size, turned, want, 1e-13, "%s: turned", t->name);
  t->pull_rows(&at, site, rows, 6, unit, t->nv, J);
  for (int i = 0; i < size; i++) J[i] *= pin->sign;
  assert_all_near(size, J, G, 1e-14, "%s: pull_rows", t->name);
}

// Four bodies that have as many sites, or one four times; over what others left there.
static void check_four(crowd *c, const int *body, int pins, const tr_pin *pin, const double *d,
                       double *room) {
  const tr_body_type *t = c->type;
  int nn = t->nv * t->nv, size = 3 * t->nv;
  tr_four_bodies x = {.pins = pins, .gravity = c->g, .increment = d, .W = c->wrenches};
  x.cm = 1.3, x.ck = 0.4, x.cd = 0.7;
  x.K = room, x.G = room + 4 * 36, x.turned = x.G + TR_PINS * 4 * 18;
  for (int l = 0; l < 4; l++) x.slot[l] = &c->slot[body[l]], x.pin[l] = pin + c->slot[body[l]].site;
  t->tangent_four(&c->all, &x);
  for (int l = 0; l < 4; l++) {
    double block[3][MOST_V * MOST_V];
    for (int i = 0; i < nn; i++) block[0][i] = x.K[4 * i + l];
    check_tangent(c, body[l], &x, block[0]);
    for (int k = 0; k < pins; k++) {
      for (int i = 0; i < size; i++) {
        block[1][i] = x.G[4 * (size * k + i) + l];
        block[2][i] = x.turned[4 * (size * k + i) + l];
      }
      check_rows(c, body[l], x.pin[l] + k, d, block[1], block[2]);
    }
  }
}

static void check_fours(crowd *c, seed *s) {
  tr_pin pin[SITES];
  double room[4 * (36 + 2 * TR_PINS * 18)] = {0};
  for (int k = 0; k < SITES; k++) pin[k] = (tr_pin){.site = k, .sign = draw(s) > 0 ? 1 : -1};
  for (int i = 0; i < BODIES; i++) {
    int alike[4] = {i, i, i, i}, n = 1, pins = (int)c->slot[i].sites;
    for (int k = i + 1; k < BODIES && n < 4; k++)
      if (c->slot[k].sites == c->slot[i].sites) alike[n++] = k;
    check_four(c, alike, pins < TR_PINS ? pins : TR_PINS, pin, i % 2 ? c->d : NULL, room);
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
      if ((*t)->tangent_four) check_fours(c, &s);
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
