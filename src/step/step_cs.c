// SPDX-License-Identifier: Apache-2.0
// CS and CM: the BDF of ggl-bdf with Newton on a coordinate split instead of multipliers [YP98].
//
//   P (q' - v) = 0,   P (M v' - Q) = 0,   G v + Phi_t = 0,   Phi = 0,   P G' = 0 at the iterate
// The solution is that of the stabilised index-2 equations with q' = v + G' mu. With s = (Y'G')^-1 Y' r
// held, d(P r)/dq = P (r_q - (G's)_q), and P z = P r means z + G' l = P r for some l: so the linear
// system is ggl-bdf's with lam = -s and the projected residual. See split.c and corrector_si2.c.
//   cs  has (G's)_q in the matrix: with stiff forces it is wrong by their error normal to the constraint
//   cm  leaves it out, and takes cs's matrix where that contracts worse than SLOW; of a stiff system that is measured
//       on P (M v' - Q) at the end of each step, for a matrix that is too stiff makes small corrections
// cm:projector=frozen keeps P where the step began in the residual too: another problem nearby, good for
// jumping to the slow motion, not for accuracy. What is left at the end with the P there counts as error.
// The error test looks at all coordinates; error=independent, as printed, at X alone. But what the formula does to the
// others moves these without a trace in their own past: the angle of an unbalanced rotor hardly tells how fast
// its centre goes round, whose accelerations turn it.
// The split is chosen again when it degrades.
#include <math.h>
#include <string.h>

#include "bdf.h"
#include "split.h"

typedef struct par {
  int order, error, projector;
} par;

enum { OF_ALL, OF_INDEPENDENT };
enum { AT_ITERATE, FROZEN };
static const double SLOW = 0.5;
static const double SMALL = 0.1; // what a frozen P may do to a step that is to grow
enum { REST = 64 };              // steps
extern const tr_method tr_method_cs, tr_method_cm;

static const char *const errors[] = {"all", "independent", NULL};
static const char *const projectors[] = {"exact", "frozen", NULL};
#define ORDER                                                                          \
  {                                                                                    \
    "order", TR_INT, TR_NUMBER, offsetof(par, order), "2", .min = 1, .max = BDF_ORDER, \
                                                           .doc = "largest order"      \
  }
#define ERROR                                                                                \
  {                                                                                          \
    "error", TR_CHOICE, TR_NUMBER, offsetof(par, error), "all",                              \
        .choices = errors,                                                                   \
        .doc =                                                                               \
            "under error control: of `all` coordinates, or the `independent` ones only, as " \
            "printed"                                                                        \
  }
static const tr_field cs_fields[] = {ORDER, ERROR, {0}};
static const tr_field cm_fields[] = {
    ORDER,
    ERROR,
    {"projector", TR_CHOICE, TR_NUMBER, offsetof(par, projector), "exact", .choices = projectors,
     .doc = "`frozen` keeps P over a step: a nearby problem, for jumping to the slow motion"},
    {0}};

typedef struct memory {
  tr_bdf b;
  tr_split split;
  int rest, patience; // steps for which cm has the matrix of cs, and the next time
} memory;

static tr_status prepare(tr_step *s) {
  const par *p = s->par;
  memory *m = s->memory = TR_NEW(&s->arena, 1, memory);
  if (!m) return TR_NO_MEMORY;
  TR_TRY(tr_bdf_make(s, p->order, &m->b));
  TR_TRY(tr_split_make(s, &m->split));
  m->split.frozen = p->projector == FROZEN;
  if (p->error == OF_INDEPENDENT) m->b.without = m->split.dependent;
  return TR_OK;
}

static void release(tr_step *s) { tr_split_free(&((memory *)s->memory)->split); }

static tr_status begin(tr_step *s, const tr_state *x) {
  memory *m = s->memory;
  tr_bdf_begin(&m->b, s, x);
  tr_split_begin(&m->split);
  m->rest = m->patience = 0;
  return TR_OK;
}

static void rows(tr_step *s, const tr_state *x) {
  memory *m = s->memory;
  tr_bdf_rows(&m->b, s, x);
  tr_split_begin(&m->split);
}

// Where the matrix of cm was of no use that of cs is taken for 1, 2, 4 .. steps.
static void learn(memory *m, tr_status status) {
  if (m->split.blunt)
    m->rest = m->patience = m->patience == 0 ? 1 : m->patience < REST ? 2 * m->patience : REST;
  else if (status == TR_OK && m->split.plain)
    m->patience = 0;
}

// One matrix after the other: that of an earlier step, a new one, a new one of the other kind. Under step
// control cs takes a smaller step instead of the last; a fixed step far from equilibrium needs it.
static tr_status iterate(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  memory *m = s->memory;
  tr_bdf *b = &m->b;
  tr_corrector *c = &s->c;
  for (bool other = s->method == &tr_method_cs && s->allowed > 0;;) {
    long matrices = s->newton.matrices;
    if (c->few) tr_bdf_start(b, s, x1);
    tr_status status = tr_correct_si2(s, x0, x0->t + h, x1);
    bool slow = s->newton.known && s->newton.rate > SLOW;
    if (m->split.blunt) other = true;
    learn(m, status);
    if (status == TR_OK && slow && c->plain) s->newton.valid = false;
    if (status != TR_NO_CONVERGENCE) return status;
    b->grown = true;
    if (c->few && !s->bends && tr_step_bends(s, h)) continue;
    if (s->newton.matrices == matrices) continue;
    if (other) return status;
    other = true;
    c->plain = !c->plain;
  }
}

static tr_status advance(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  memory *m = s->memory;
  bool modified = s->method == &tr_method_cm;
  tr_bdf_predict(&m->b, s, x0, h);
  tr_split_watch(&m->split);
  tr_bdf_corrector(&m->b, s);
  s->c.unit_metric = true;
  s->c.split = &m->split;
  s->c.plain = modified && m->rest == 0;
  if (m->rest > 0) m->rest--;
  return tr_bdf_finish(&m->b, s, iterate(s, x0, h, x1));
}

static void accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  tr_bdf_accept(&((memory *)s->memory)->b, s, x0, x1);
}

static double error(tr_step *s, const tr_state *x0, double h, const tr_state *x1, bool velocity,
                    int *worst) {
  memory *m = s->memory;
  (void)x0, (void)h;
  double e = tr_bdf_error(&m->b, s, x1, velocity, worst);
  return fmax(e, m->split.defect * s->allowed);
}

static double choose(tr_step *s, double h, double e) {
  memory *m = s->memory;
  double next = tr_bdf_choose(&m->b, s, h, e);
  return m->split.defect > SMALL ? fmin(next, e > 1 ? 0.5 * h : h) : next;
}

static int past(tr_step *s, double **vectors) {
  return tr_bdf_past(&((memory *)s->memory)->b, vectors);
}

static void resume(tr_step *s, const tr_state *x, double h, int vectors) {
  (void)x;
  tr_bdf_resume(&((memory *)s->memory)->b, h, vectors);
}

static void orders(const void *pv, int order[3]) { tr_bdf_orders(((const par *)pv)->order, order); }

#define SPLIT(name_, doc_, fields_)                                                           \
  {                                                                                           \
    .info = {.name = name_,                                                                   \
             .doc = doc_,                                                                     \
             .fields = fields_,                                                               \
             .levels = "position and velocity",                                               \
             .order_q = 2,                                                                    \
             .order_v = 2,                                                                    \
             .order_lam = 2,                                                                  \
             .damping = "high frequencies, completely",                                       \
             .cost = "two KKT systems, a third one in every iteration",                       \
             .reference = "YP98"},                                                            \
    .par_size = sizeof(par), .orders = orders, .stabilised = true, .uneven = true,            \
    .prepare = prepare, .release = release, .begin = begin, .rows = rows, .advance = advance, \
    .accept = accept, .past = past, .resume = resume, .error = error, .choose = choose        \
  }

const tr_method tr_method_cs = SPLIT("cs", "ggl-bdf with Newton on a coordinate split", cs_fields);
const tr_method tr_method_cm =
    SPLIT("cm", "cs with a matrix that knows no multipliers, for stiff forces", cm_fields);
