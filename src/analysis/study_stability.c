// SPDX-License-Identifier: Apache-2.0
// Stability: the spectral radius of the one-step map, of the model against h, and of an oscillator
// x'' + omega^2 x = 0 beside a constrained coordinate against h omega; there also what a step makes of
// the principal root lambda = rho e^(i theta):
//   amplitude decay per period  1 - rho^(2 pi/theta),    period error  h omega/theta - 1
// The principal root starts at e^(i h omega) for small h and is followed from step to step.
#include <math.h>

#include "linear.h"
#include "study.h"

enum { POINTS = 61, RING_POINTS = 71, ROOTS = 64 }; // ROOTS: more than two coordinates can have
static const double STABLE = 1 + 1e-4;              // the largest radius that is called 1
static const double SLOWEST = 1e-6;                 // 1/s; if no exponent is larger nothing happens
static const double PI = 3.14159265358979323846;

// One system and the state to linearise at; jobs are methods x steps.
typedef struct spectra {
  const tr_system *sys;
  tr_state x;
  tr_modes modes;
  double delta; // size of differences
  int n;
  const double *h;       // (n) ascending
  double *radius;        // (methods x n)
  double complex **root; // (methods x n) all of them, for the oscillator; or NULL
  int *count;            // (methods x n)
  tr_status *status;     // (methods x n)
  bool with_roots;
  bool at_rest; // the state stays where it is
} spectra;

typedef struct stability {
  spectra model, ring;
  double *decay, *period; // (methods x n) of the oscillator
  double
      *exact; // (n) of the model at rest; in motion NaN: the space of what is free turns meanwhile
} stability;

// ---- spectra ----------------------------------------------------------------------------------------

// Exponents of the exact motion that are 0: free motions come in pairs, place and velocity.
static int count_free(const tr_modes *m) {
  int n = 0;
  for (int i = 0; i < m->n; i++) n += cabs(m->s[i]) <= TR_FREE_MODE * m->omega;
  return n < m->n ? n : 0;
}

static bool is_idle(const tr_modes *m) { return !(m->omega > SLOWEST); }

// Free motions have roots 1, two by two, which differences of the map only find to the square root of their
// error. They tell nothing about the step: out with as many as there are. What is left comes first.
static int drop_free(const tr_modes *m, int n, double complex *w) {
  for (int k = count_free(m); k > 0 && n > 1; k--) {
    int best = 0;
    for (int i = 1; i < n; i++)
      if (cabs(w[i] - 1) < cabs(w[best] - 1)) best = i;
    if (cabs(w[best] - 1) > 0.01) break;
    w[best] = w[--n];
  }
  return n;
}

static tr_status find_roots(study *s, spectra *p, int i, double delta, tr_arena *ar) {
  double complex *w;
  int n;
  TR_TRY(tr_step_spectrum(ar, p->sys, &p->x, &p->modes, s->method[i / p->n], p->h[i % p->n], delta,
                          &w, &n, NULL));
  p->radius[i] = 0;
  n = drop_free(&p->modes, n, w);
  for (int k = 0; k < n; k++) p->radius[i] = fmax(p->radius[i], cabs(w[k]));
  p->count[i] = n < ROOTS ? n : ROOTS;
  for (int k = 0; p->root && k < p->count[i]; k++) p->root[i][k] = w[k];
  return TR_OK;
}

static tr_status task(study *s, void *data, int i) {
  spectra *p = data;
  tr_arena ar = tr_arena_make(s->sys->al);
  tr_status status = p->status[i] = find_roots(s, p, i, p->delta, &ar);
  double radius = p->radius[i];
  if (status == TR_OK && !p->root &&
      radius > STABLE) { // what other differences do not show is noise
    status = find_roots(s, p, i, 0.4 * p->delta, &ar);
    if (status != TR_OK || p->radius[i] > STABLE) p->radius[i] = radius;
  }
  tr_arena_free(&ar);
  if (status == TR_NO_MEMORY) return tr_no_memory(s->error);
  return tr_study_tick(s, 1);
}

static tr_status find_spectra(study *s, spectra *p, const char *what) {
  int n = s->methods * p->n;
  p->radius = tr_study_numbers(s, n);
  p->count = TR_NEW(&s->arena, n, int);
  p->status = TR_NEW(&s->arena, n, tr_status);
  if (!p->radius || !p->count || !p->status) return tr_no_memory(s->error);
  if (p->with_roots) {
    double complex *all = TR_NEW(&s->arena, (size_t)n * ROOTS, double complex);
    p->root = TR_NEW(&s->arena, n, double complex *);
    if (!all || !p->root) return tr_no_memory(s->error);
    for (int i = 0; i < n; i++) p->root[i] = all + (size_t)i * ROOTS;
  }
  tr_study_expect(s, what, n);
  return tr_study_work(s, n, task, p, false);
}

// ---- the oscillator ---------------------------------------------------------------------------------

static tr_status unit_mass(const tr_problem *p, const double *q, double *M) {
  (void)p, (void)q;
  M[0] = M[3] = 1, M[1] = M[2] = 0;
  return TR_OK;
}
static tr_status spring(const tr_problem *p, double t, const double *q, const double *v,
                        double *Q) {
  (void)p, (void)t, (void)v;
  Q[0] = -q[0], Q[1] = 0;
  return TR_OK;
}
static tr_status spring_dq(const tr_problem *p, double t, const double *q, const double *v,
                           double *Qq) {
  (void)p, (void)t, (void)v, (void)q;
  Qq[0] = -1, Qq[1] = Qq[2] = Qq[3] = 0;
  return TR_OK;
}
static tr_status none_4(const tr_problem *p, double t, const double *q, const double *v,
                        double *Qv) {
  (void)p, (void)t, (void)v, (void)q;
  Qv[0] = Qv[1] = Qv[2] = Qv[3] = 0;
  return TR_OK;
}
static tr_status rail(const tr_problem *p, double t, const double *q, double *phi) {
  (void)p, (void)t;
  phi[0] = q[1];
  return TR_OK;
}
static tr_status rail_jac(const tr_problem *p, double t, const double *q, double *G) {
  (void)p, (void)t, (void)q;
  G[0] = 0, G[1] = 1;
  return TR_OK;
}
static tr_status rail_gamma(const tr_problem *p, double t, const double *q, const double *v,
                            double *gacc) {
  (void)p, (void)t, (void)q, (void)v;
  gacc[0] = 0;
  return TR_OK;
}
static tr_status rail_geom(const tr_problem *p, double t, const double *q, const double *lam,
                           double *K) {
  (void)lam;
  return none_4(p, t, q, NULL, K);
}

// The principal root of one method, and what it says.
static void follow(const spectra *p, int m, double *decay, double *period) {
  double complex last = cexp(I * p->h[0]);
  bool complex_so_far = true;
  for (int k = 0; k < p->n; k++) {
    int i = m * p->n + k;
    double complex best = 0;
    for (int j = 0; j < p->count[i]; j++)
      if (cabs(p->root[i][j] - last) < cabs(best - last)) best = p->root[i][j];
    if (p->count[i] == 0 || isnan(p->radius[i])) continue;
    if (cimag(best) < 0) best = conj(best);
    if (cimag(best) < 1e-7) complex_so_far = false;
    last = best;
    double theta = carg(best), rho = cabs(best);
    if (!complex_so_far) continue;
    decay[i] = 1 - pow(rho, 2 * PI / theta);
    period[i] = p->h[k] / theta - 1;
  }
}

static tr_status ring(study *s, stability *t) {
  static const double q0[] = {0, 0};
  tr_problem problem = {.n = 2,
                        .m = 1,
                        .q0 = q0,
                        .constant_mass = true,
                        .mass = unit_mass,
                        .force = spring,
                        .phi = rail,
                        .jac = rail_jac,
                        .gamma = rail_gamma,
                        .force_dq = spring_dq,
                        .force_dv = none_4,
                        .geom = rail_geom};
  spectra *p = &t->ring;
  tr_model *model = NULL;
  tr_system *sys = NULL;
  double *h = tr_study_numbers(s, RING_POINTS);
  int n = s->methods * RING_POINTS;
  t->decay = tr_study_numbers(s, n), t->period = tr_study_numbers(s, n);
  if (!h || !t->decay || !t->period) return tr_no_memory(s->error);
  for (int k = 0; k < RING_POINTS; k++) // 0.1 and 1 are among them
    h[k] = pow(10, -1.5 + 3.5 * k / (RING_POINTS - 1));
  p->n = RING_POINTS, p->h = h, p->with_roots = true;
  p->delta = 1e-2; // it is linear
  tr_status status = tr_model_new(s->sys->al, &model);
  if (status == TR_OK) status = tr_model_add_problem(model, "oscillator", &problem, s->error);
  if (status == TR_OK) status = tr_compile(model, &sys, s->error);
  if (status == TR_OK) status = tr_state_new(sys, &p->x, s->error);
  p->sys = sys;
  if (status == TR_OK) status = tr_accelerations(sys, &p->x, s->error);
  if (status == TR_OK) status = tr_find_modes(&s->arena, sys, &p->x, &p->modes, s->error);
  if (status == TR_OK) status = find_spectra(s, p, "oscillator");
  for (int m = 0; m < s->methods && status == TR_OK; m++) follow(p, m, t->decay, t->period);
  if (sys) tr_state_free(sys, &p->x);
  tr_system_free(sys);
  tr_model_free(model);
  return status;
}

// ---- the model --------------------------------------------------------------------------------------

static tr_status find_point(study *s, spectra *p) {
  bool found = false, moves = false;
  TR_TRY(tr_state_new(s->sys, &p->x, s->error));
  TR_TRY(tr_consistent_start(s->sys, &p->x, NULL, s->error));
  for (int i = 0; i < s->sys->nv; i++)
    moves = moves || (!s->sys->number[i] && fabs(p->x.v[i]) > 1e-9);
  if (!s->set.at_start && !s->sys->rheonomic) {
    tr_state rest;
    TR_TRY(tr_state_new(s->sys, &rest, s->error));
    tr_state_copy(&rest, &p->x);
    tr_status status = tr_find_equilibrium(s->sys, &rest, &found, s->error);
    if (status == TR_OK && found) {
      tr_state_copy(&p->x, &rest);
      status = tr_accelerations(s->sys, &p->x, s->error);
    }
    tr_state_free(s->sys, &rest);
    TR_TRY(status);
  }
  double still = 1e-9 * fmax(1, vec_largest(p->x.q, s->sys->nq));
  p->at_rest = found || (!moves && vec_largest(p->x.a, s->sys->nv) <= still);
  if (found)
    tr_study_note(
        s, "Linearised at the equilibrium reached from the start, at rest%s.",
        moves ? ", although the model starts in motion (`--at start` linearises there)" : "");
  else
    tr_study_note(s,
                  "Linearised at the start%s: the map of one step from there, not of a long run.",
                  s->set.at_start ? "" : ", since no equilibrium was found near it");
  return TR_OK;
}

// Ascending; the user's, or from slow to fast for the model's fastest mode.
static tr_status find_steps(study *s, spectra *p) {
  p->n = s->steps > 0 ? s->steps : POINTS;
  double *h = tr_study_numbers(s, p->n), unit = 1 / p->modes.omega;
  if (!h) return tr_no_memory(s->error);
  if (is_idle(&p->modes)) {
    unit = tr_system_simulation(s->sys).step;
    if (isnan(unit)) unit = 1e-3;
  }
  for (int k = 0; k < p->n; k++)
    h[k] = s->steps > 0 ? s->step[s->steps - 1 - k] : unit * pow(10, -2 + 4.0 * k / (POINTS - 1));
  p->h = h;
  return TR_OK;
}

static tr_status model(study *s, stability *t) {
  spectra *p = &t->model;
  p->sys = s->sys;
  p->delta = 3e-6;
  TR_TRY(find_point(s, p));
  TR_TRY(tr_find_modes(&s->arena, s->sys, &p->x, &p->modes, s->error));
  if (p->modes.n == 0)
    return tr_fail(s->error, TR_BAD_INPUT, NULL,
                   "the model has no degree of freedom: there is nothing to be stable");
  tr_study_note(s,
                "%d degree%s of freedom; the exact motion has exponents up to |s| = %.4g 1/s and "
                "grows at most like exp(%.3g t).",
                p->modes.f, p->modes.f == 1 ? "" : "s", p->modes.omega, p->modes.growth);
  int free = count_free(&p->modes);
  if (is_idle(&p->modes))
    tr_study_note(s,
                  "All exponents are 0: nothing swings, decays or grows here, so that the model "
                  "bounds no step, and largest_stable_h stays empty. The oscillator's numbers hold "
                  "for any model.");
  if (free > 0)
    tr_study_note(
        s,
        "%d of the %d exponents are 0: free motions. Their roots are 1 with any method and "
        "are left out.",
        free, p->modes.n);
  if (p->modes.growth > 1e-6 * p->modes.omega)
    tr_study_note(s, "The exact motion grows here: no step is called stable.");
  TR_TRY(find_steps(s, p));
  TR_TRY(find_spectra(s, p, "one-step maps"));
  for (int m = 0; m < s->methods; m++)
    for (int k = 0; k < p->n; k++)
      if (p->status[m * p->n + k] != TR_OK) {
        tr_study_note(
            s,
            "`%s`: no map from h = %.4g s on, or at some steps there (%s); they count neither "
            "as stable nor as unstable.",
            s->method[m], p->h[k], tr_status_text(p->status[m * p->n + k]));
        break;
      }
  t->exact = tr_study_numbers(s, p->n);
  if (!t->exact) return tr_no_memory(s->error);
  for (int k = 0; k < p->n && p->at_rest; k++) t->exact[k] = exp(p->modes.growth * p->h[k]);
  return TR_OK;
}

// ---- results ----------------------------------------------------------------------------------------

// Nearest point of the oscillator's grid.
static int nearest_point(const spectra *p, double h) {
  int best = 0;
  for (int k = 1; k < p->n; k++)
    if (fabs(log(p->h[k] / h)) < fabs(log(p->h[best] / h))) best = k;
  return best;
}

static tr_status write_summary(study *s, const stability *t) {
  const spectra *p = &t->model, *o = &t->ring;
  int k = nearest_point(o, 0.1), last = o->n - 1;
  tr_column c[] = {{"method", "", 0},
                   {"largest_stable_h", "s", 4},
                   {tr_study_text(s, "decay_at_%.3g", o->h[k]), "per period", 3},
                   {tr_study_text(s, "period_error_at_%.3g", o->h[k]), "relative", 3},
                   {tr_study_text(s, "radius_at_%.3g", o->h[last]), "", 4}};
  study_rows r;
  TR_TRY(tr_study_table(s, "summary", "Summary", 5, c, s->methods, &r));
  bool grows = p->modes.growth > 1e-6 * p->modes.omega;
  for (int m = 0; m < s->methods; m++) {
    double stable = NAN;
    for (int i = 0; i < p->n && !grows && !is_idle(&p->modes); i++) {
      double radius = p->radius[m * p->n + i];
      if (radius > STABLE) break;
      if (!isnan(radius)) stable = p->h[i];
    }
    tr_study_put_text(&r, s->method[m]);
    tr_study_put(&r, stable);
    tr_study_put(&r, t->decay[m * o->n + k]);
    tr_study_put(&r, t->period[m * o->n + k]);
    tr_study_put(&r, o->radius[m * o->n + last]);
  }
  tr_study_note(
      s,
      "largest_stable_h: up to it, through the steps looked at (%.3g .. %.3g s), the "
      "radius is at most 1; decay, period error and radius are the oscillator's at h omega "
      "as told.",
      p->h[0], p->h[p->n - 1]);
  return TR_OK;
}

static tr_status write_tables(study *s, const stability *t) {
  static const tr_column a[] = {{"method", "", 0},
                                {"h", "s", 5},
                                {"h_omega", "", 5},
                                {"spectral_radius", "", 7},
                                {"exact", "", 7}};
  static const tr_column b[] = {{"method", "", 0},
                                {"h_omega", "", 5},
                                {"spectral_radius", "", 7},
                                {"amplitude_decay", "per period", 4},
                                {"period_error", "relative", 4}};
  const spectra *p = &t->model, *o = &t->ring;
  study_rows r;
  TR_TRY(tr_study_table(s, "model", "Spectral radius of the model's one-step map", 5, a,
                        s->methods * p->n, &r));
  for (int i = 0; i < s->methods * p->n; i++) {
    tr_study_put_text(&r, s->method[i / p->n]);
    tr_study_put(&r, p->h[i % p->n]);
    tr_study_put(&r, p->h[i % p->n] * p->modes.omega);
    tr_study_put(&r, p->radius[i]);
    tr_study_put(&r, t->exact[i % p->n]);
  }
  TR_TRY(tr_study_table(s, "oscillator", "Undamped oscillator", 5, b, s->methods * o->n, &r));
  for (int i = 0; i < s->methods * o->n; i++) {
    tr_study_put_text(&r, s->method[i / o->n]);
    tr_study_put(&r, o->h[i % o->n]);
    tr_study_put(&r, o->radius[i]);
    tr_study_put(&r, t->decay[i]);
    tr_study_put(&r, t->period[i]);
  }
  return TR_OK;
}

// What goes into the figure: above round-off, and at least two steps a period.
static double *shown(study *s, const spectra *o, const double *x, bool absolute) {
  double *y = tr_study_numbers(s, s->methods * o->n);
  for (int i = 0; y && i < s->methods * o->n; i++) {
    double size = absolute ? fabs(x[i]) : x[i];
    if (size > 1e-7 && o->h[i % o->n] <= PI) y[i] = size;
  }
  return y;
}

static tr_status curves(study *s, tr_panel *p, const char *title, const char *x_label,
                        const char *y_label, int n, const double *h, const double *y) {
  const double **xs = TR_NEW(&s->arena, s->methods, const double *);
  const double **ys = TR_NEW(&s->arena, s->methods, const double *);
  if (!xs || !ys || !y) return tr_no_memory(s->error);
  for (int m = 0; m < s->methods; m++) xs[m] = h, ys[m] = y + (size_t)m * n;
  return tr_study_curves(s, p, title, x_label, y_label, n, xs, ys);
}

// Triangles of the orders at small h omega.
static tr_status slopes(study *s, const spectra *o, tr_panel *p) {
  double *order = tr_study_numbers(s, s->methods), *h = tr_study_numbers(s, o->n);
  double *y = tr_study_numbers(s, o->n);
  if (!order || !h || !y) return tr_no_memory(s->error);
  for (int m = 0; m < s->methods; m++) {
    for (int k = 0; k < o->n; k++) {
      h[k] = o->h[o->n - 1 - k];
      y[k] = p->s[m].y[o->n - 1 - k];
    }
    order[m] = tr_study_order(o->n, h, y, 1e-6, 0.1);
  }
  return tr_study_slopes(s, p, order, 1);
}

static tr_status draw(study *s, const stability *t) {
  const spectra *p = &t->model, *o = &t->ring;
  tr_figure *f = tr_study_figure(s, "stability", s->out.page.title, 4, 2);
  if (!f) return TR_NO_MEMORY;
  tr_panel *panel = (tr_panel *)f->panel;
  TR_TRY(curves(s, &panel[0], "the model, linearised", "step h / s", "spectral radius", p->n, p->h,
                p->radius));
  // the exact solution beside them
  tr_series *c = (tr_series *)panel[0].s;
  if (p->at_rest)
    c[panel[0].series++] = (tr_series){
        .name = "exact", .style = -1, .lines = true, .n = p->n, .x = p->h, .y = t->exact};
  TR_TRY(
      curves(s, &panel[1], "oscillator", "h \xCF\x89", "spectral radius", o->n, o->h, o->radius));
  for (int k = 0; k < 2; k++) panel[k].y = (tr_axis){panel[k].y.label, false, 0, 1.3, NULL, 0};
  TR_TRY(curves(s, &panel[2], "oscillator: amplitude decay", "h \xCF\x89",
                "amplitude decay per period", o->n, o->h, shown(s, o, t->decay, false)));
  TR_TRY(slopes(s, o, &panel[2]));
  TR_TRY(curves(s, &panel[3], "oscillator: period error", "h \xCF\x89", "|period error|, relative",
                o->n, o->h, shown(s, o, t->period, true)));
  TR_TRY(slopes(s, o, &panel[3]));
  tr_study_note(s,
                "Spectral radii are those of the real stepper, linearised by differences, on the "
                "states that runs from consistent starts can reach.");
  tr_study_note(s,
                "Amplitude decay and period error belong to the principal root, as long as it is "
                "complex; a negative decay in the tables is growth, which the "
                "figure leaves out.");
  return TR_OK;
}

tr_status tr_study_stability(study *s) {
  stability *t = TR_NEW(&s->arena, 1, stability);
  if (!t) return tr_no_memory(s->error);
  tr_status status = model(s, t);
  if (t->model.x.block) tr_state_free(s->sys, &t->model.x);
  TR_TRY(status);
  TR_TRY(ring(s, t));
  TR_TRY(write_summary(s, t));
  TR_TRY(write_tables(s, t));
  return draw(s, t);
}
