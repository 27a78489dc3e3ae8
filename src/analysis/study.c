// SPDX-License-Identifier: Apache-2.0
// Studies: settings made whole, the right study called, the page handed out.
#include <math.h>
#include <string.h>

#include "step/step.h"
#include "study.h"

typedef struct kind_info {
  const char *name, *doc, *title;
  tr_status (*run)(study *s);
} kind_info;

static const kind_info kinds[TR_STUDY_KINDS] = {
    [TR_STUDY_CONVERGENCE] = {"convergence", "errors of q, v and lam against the step, with orders",
                              "Convergence", tr_study_convergence},
    [TR_STUDY_ENERGY] = {"energy", "average and largest energy error against the step", "Energy",
                         tr_study_energy},
    [TR_STUDY_DRIFT] = {"drift", "violation of the constraints over time and against the step",
                        "Constraint violation", tr_study_drift},
    [TR_STUDY_COST] = {"cost", "CPU time a step and in all, relative to hht-i3", "CPU time",
                       tr_study_cost},
    [TR_STUDY_WORK_PRECISION] = {"work-precision", "errors against CPU time", "Work and precision",
                                 tr_study_convergence},
    [TR_STUDY_STABILITY] = {"stability",
                            "spectral radius of the one-step map; damping and period error",
                            "Stability", tr_study_stability},
};

const char *tr_study_name(tr_study_kind kind) { return kinds[kind].name; }
const char *tr_study_doc(tr_study_kind kind) { return kinds[kind].doc; }

tr_study_settings tr_study_defaults(tr_study_kind kind) {
  bool timed = kind == TR_STUDY_COST || kind == TR_STUDY_WORK_PRECISION;
  return (tr_study_settings){
      .end = NAN, .repeats = 5, .measure = 0.05, .newton_tol = timed ? 1e-10 : 1e-12};
}

// ---- settings ---------------------------------------------------------------------------------------

// A method looks the same in every study, unless it is there twice.
static void choose_styles(study *s, const tr_method *const *type) {
  bool twice = false;
  for (int i = 0; i < s->methods; i++)
    for (int j = 0; j < i; j++) twice = twice || type[i] == type[j];
  for (int i = 0; i < s->methods; i++) {
    s->style[i] = i;
    for (int k = 0; !twice && tr_methods()[k]; k++)
      if (tr_methods()[k] == type[i]) s->style[i] = k;
  }
}

static void take_claims(const tr_method *m, const void *par, int claim[3]) {
  claim[0] = m->info.order_q, claim[1] = m->info.order_v, claim[2] = m->info.order_lam;
  if (m->orders) m->orders(par, claim);
}

// One more, unless it is there with the same parameters, however they are written. full: the texts with all of them.
static tr_status take_method(study *s, const char *text, const tr_method **type, const char **full,
                             tr_arena *scratch) {
  int n = s->methods;
  void *par;
  TR_TRY(tr_method_parse(scratch, text, &type[n], &par, s->error));
  full[n] = tr_method_text(scratch, type[n], par);
  s->method[n] = tr_arena_text(&s->arena, text, strlen(text));
  if (!full[n] || !s->method[n]) return tr_no_memory(s->error);
  for (int i = 0; i < n; i++)
    if (strcmp(full[i], full[n]) == 0) {
      if (strcmp(s->method[i], text) == 0)
        tr_study_note(s, "`%s` was given more than once.", text);
      else
        tr_study_note(s, "`%s` is `%s` in other words and was left out.", text, s->method[i]);
      return TR_OK;
    }
  take_claims(type[n], par, s->claim[n]);
  s->methods++;
  return TR_OK;
}

static tr_status take_methods(study *s) {
  const tr_study_settings *set = &s->set;
  int n = set->methods > 0 ? set->methods : tr_method_count();
  s->method = TR_NEW(&s->arena, n, const char *);
  s->style = TR_NEW(&s->arena, n, int);
  s->claim = tr_arena_get(&s->arena, (size_t)n * sizeof *s->claim);
  tr_arena scratch = tr_arena_make(s->sys->al);
  const tr_method **type = TR_NEW(&scratch, n, const tr_method *);
  const char **full = TR_NEW(&scratch, n, const char *);
  tr_status status = TR_OK;
  if (!s->method || !s->style || !s->claim || !type || !full) status = tr_no_memory(s->error);
  for (int i = 0; i < n && status != TR_NO_MEMORY; i++) {
    const char *text = set->methods > 0 ? set->method[i] : tr_method_describe(i).name;
    tr_status taken = take_method(s, text, type, full, &scratch);
    if (taken != TR_OK) status = taken;
  }
  if (status == TR_OK) choose_styles(s, type);
  tr_arena_free(&scratch);
  return status;
}

// Descending, each once.
static void sort_steps(study *s) {
  for (int i = 1; i < s->steps; i++)
    for (int j = i; j > 0 && s->step[j] > s->step[j - 1]; j--) {
      double x = s->step[j];
      s->step[j] = s->step[j - 1], s->step[j - 1] = x;
    }
  int n = 0;
  for (int i = 0; i < s->steps; i++)
    if (n == 0 || s->step[i] < s->step[n - 1] * (1 - 1e-12)) s->step[n++] = s->step[i];
  s->steps = n;
}

static tr_status take_steps(study *s) {
  enum { USUAL = 6 };
  const tr_study_settings *set = &s->set;
  double h = tr_system_simulation(s->sys).step;
  bool one = s->kind == TR_STUDY_COST;
  s->steps = set->steps > 0 ? set->steps : one ? 1 : USUAL;
  s->step = tr_study_numbers(s, s->steps);
  if (!s->step) return tr_no_memory(s->error);
  if (s->kind == TR_STUDY_STABILITY && set->steps == 0) {
    s->steps = 0; // it has a grid of its own
    return TR_OK;
  }
  if (set->steps == 0 && isnan(h))
    return tr_fail(s->error, TR_BAD_INPUT, NULL, "no step sizes: give some, or simulation: step");
  for (int i = 0; i < s->steps; i++) {
    s->step[i] = set->steps > 0 ? set->step[i] : one ? h : ldexp(h, 3 - i);
    if (!(s->step[i] > 0) || isinf(s->step[i]))
      return tr_fail(s->error, TR_BAD_INPUT, NULL, "a step size must be positive, not %g",
                     s->step[i]);
    if (s->step[i] > s->end && s->kind != TR_STUDY_STABILITY)
      return tr_fail(s->error, TR_BAD_INPUT, NULL, "the step %g s is longer than the run, %g s",
                     s->step[i], s->end);
  }
  sort_steps(s);
  return TR_OK;
}

static tr_status prepare(study *s) {
  const tr_study_settings *set = &s->set;
  s->end = isnan(set->end) ? tr_system_simulation(s->sys).end : set->end;
  if (isnan(s->end) && s->kind != TR_STUDY_STABILITY)
    return tr_fail(s->error, TR_BAD_INPUT, NULL, "no end time: give simulation: end");
  if (!isnan(s->end) && (!(s->end > 0) || isinf(s->end)))
    return tr_fail(s->error, TR_BAD_INPUT, NULL, "the end must be positive, not %g", s->end);
  if (set->repeats < 1 || !(set->newton_tol > 0))
    return tr_fail(s->error, TR_BAD_INPUT, NULL, "the settings of the study make no sense");
  TR_TRY(take_methods(s));
  TR_TRY(take_steps(s));
  // A start that cannot be made consistent is no gap in a table.
  tr_state x;
  TR_TRY(tr_state_new(s->sys, &x, s->error));
  tr_status status = tr_consistent_start(s->sys, &x, NULL, s->error);
  tr_state_free(s->sys, &x);
  return status;
}

// ---- life -------------------------------------------------------------------------------------------

tr_status tr_study_run(const tr_system *sys, tr_study_kind kind, const tr_study_settings *settings,
                       tr_study **out, tr_error *error) {
  *out = NULL;
  tr_error own = {0};
  if (!error) error = &own;
  if ((int)kind < 0 || kind >= TR_STUDY_KINDS)
    return tr_fail(error, TR_BAD_INPUT, NULL, "no such study");
  tr_arena ar = tr_arena_make(sys->al);
  study *s = TR_NEW(&ar, 1, study);
  if (!s) return tr_no_memory(error);
  s->arena = ar;
  s->sys = sys, s->kind = kind, s->error = error;
  s->set = settings ? *settings : tr_study_defaults(kind);
  s->what = "";
  s->out.page = (tr_page){.note = s->note, .table = s->table, .figure = s->figure};
  pthread_mutex_init(&s->lock, NULL);
  tr_status status = prepare(s);
  if (status == TR_OK) {
    const char *name = s->set.model ? s->set.model : sys->name;
    s->out.page.title =
        tr_study_text(s, "%s: %s", kinds[kind].title, name && *name ? name : "model");
    status = kinds[kind].run(s);
    if (s->methods > TR_FIGURE_NAMES)
      tr_study_note(s,
                    "Figures draw all %d methods, but their keys name only the first %d; tables "
                    "have all.",
                    s->methods, TR_FIGURE_NAMES);
    if (status == TR_OK && s->starved) status = tr_no_memory(error);
  }
  pthread_mutex_destroy(&s->lock);
  if (status == TR_OK)
    *out = &s->out;
  else
    tr_study_free(&s->out);
  return status;
}

void tr_study_free(tr_study *out) {
  if (!out) return;
  tr_arena arena = ((study *)out)->arena; // the study itself lives in it
  tr_arena_free(&arena);
}
