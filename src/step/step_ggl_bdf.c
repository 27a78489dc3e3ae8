// SPDX-License-Identifier: Apache-2.0
// GGL-BDF: BDF of variable order on the stabilised index-2 equations of Gear, Gupta and Leimkuhler [YP98].
//
//   M v' + G' lam - Q = 0,   q' = v + w,   G v + Phi_t = 0,   Phi = 0
//   M w = G' mu, or w = G' mu with metric=identity as printed
//   d1 = dp - dp'/cj + (v1 + w)/cj,   v1 = vp - vp'/cj + a1/cj,   q1 = q_n o exp(d1)
// with the predictions of bdf.c. Position and velocity constraints hold to the accuracy of the
// iteration: round-off with fixed steps, a third of the tolerance under step control, where the
// iteration is [YP98]'s and counts lam and mu (test=ggl) or leaves them out (test=ggl-star). A matrix
// that has seen another step is tried first, then a new one, then a quarter of the step. With orders beyond the paper's
// the iteration begins on the polynomial of the next degree and plans ahead (newton.h).
// With fixed steps it begins at order 2 (jerk.h) and rises one by one, which limits the whole to order 3.
#include <string.h>

#include "bdf.h"

typedef struct par {
  int order, test, metric;
} par;

enum { TEST_GGL, TEST_STAR };
enum { METRIC_MASS, METRIC_IDENTITY };

static const char *const tests[] = {"ggl", "ggl-star", NULL};
static const char *const metrics[] = {"mass", "identity", NULL};
static const tr_field fields[] = {
    {"order", TR_INT, TR_NUMBER, offsetof(par, order), "2", .min = 1, .max = BDF_ORDER,
     .doc = "largest order"},
    {"test", TR_CHOICE, TR_NUMBER, offsetof(par, test), "ggl-star", .choices = tests,
     .doc = "of Newton under error control: `ggl` counts the multipliers, `ggl-star` does not"},
    {"metric", TR_CHOICE, TR_NUMBER, offsetof(par, metric), "mass", .choices = metrics,
     .doc = "of the position correction; `identity` is the printed form, which depends on units"},
    {0}};

static tr_status prepare(tr_step *s) {
  tr_bdf *b = s->memory = TR_NEW(&s->arena, 1, tr_bdf);
  return b ? tr_bdf_make(s, ((const par *)s->par)->order, b) : TR_NO_MEMORY;
}

static tr_status begin(tr_step *s, const tr_state *x) {
  tr_bdf_begin(s->memory, s, x);
  return TR_OK;
}

static void rows(tr_step *s, const tr_state *x) { tr_bdf_rows(s->memory, s, x); }

static tr_status solve(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  const par *p = s->par;
  tr_bdf *b = s->memory;
  tr_bdf_corrector(b, s);
  s->c.unit_metric = p->metric == METRIC_IDENTITY;
  s->c.multipliers = p->test == TEST_GGL;
  s->c.plain = false;
  if (!s->c.few) return tr_correct_si2(s, x0, x0->t + h, x1);
  for (;;) {
    long matrices = s->newton.matrices;
    tr_bdf_start(b, s, x1);
    tr_status status = tr_correct_si2(s, x0, x0->t + h, x1);
    if (status == TR_SINGULAR && !s->c.plain) { // by multipliers that are far off
      s->c.plain = true;
      continue;
    }
    if (status != TR_NO_CONVERGENCE) return status;
    b->grown = true;
    if (!s->bends && tr_step_bends(s, h)) continue;
    if (s->newton.matrices != matrices) return status; // with a new matrix
  }
}

static tr_status advance(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  tr_bdf_predict(s->memory, s, x0, h);
  return tr_bdf_finish(s->memory, s, solve(s, x0, h, x1));
}

static void accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  tr_bdf_accept(s->memory, s, x0, x1);
}

static double error(tr_step *s, const tr_state *x0, double h, const tr_state *x1, bool velocity,
                    int *worst) {
  (void)x0, (void)h;
  return tr_bdf_error(s->memory, s, x1, velocity, worst);
}

static double choose(tr_step *s, double h, double e) { return tr_bdf_choose(s->memory, s, h, e); }

static int past(tr_step *s, double **vectors) { return tr_bdf_past(s->memory, vectors); }

static void resume(tr_step *s, const tr_state *x, double h, int vectors) {
  (void)x;
  tr_bdf_resume(s->memory, h, vectors);
}

static void orders(const void *pv, int order[3]) { tr_bdf_orders(((const par *)pv)->order, order); }

const tr_method tr_method_ggl_bdf = {
    .info = {.name = "ggl-bdf",
             .doc = "BDF of variable order on stabilised index 2",
             .fields = fields,
             .levels = "position and velocity",
             .order_q = 2,
             .order_v = 2,
             .order_lam = 2,
             .damping = "high frequencies, completely",
             .cost = "one KKT system, two right-hand sides",
             .reference = "YP98"},
    .par_size = sizeof(par),
    .stabilised = true,
    .uneven = true,
    .orders = orders,
    .prepare = prepare,
    .begin = begin,
    .rows = rows,
    .advance = advance,
    .accept = accept,
    .past = past,
    .resume = resume,
    .error = error,
    .choose = choose,
};
