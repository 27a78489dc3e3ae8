// SPDX-License-Identifier: Apache-2.0
// Runs for the published results: systems from stored models or problems, means along the way, errors
// against a reference.
#include <math.h>
#include <string.h>

#include "models.h"
#include "verify.h"

// ---- systems --------------------------------------------------------------------------------------

static tr_status settle(verify *v, tr_status status, verify_system *out) {
  if (status == TR_OK) status = tr_compile(out->model, &out->system, v->error);
  if (status != TR_OK) verify_unload(out);
  return status;
}

tr_status verify_load(verify *v, const char *model, int n, const char *const *set,
                      verify_system *out) {
  *out = (verify_system){0};
  const tr_stored_model *m = tr_stored_models;
  while (m->name && strcmp(m->name, model) != 0) m++;
  if (!m->name) return tr_fail(v->error, TR_BAD_INPUT, NULL, "no stored model \"%s\"", model);
  TR_TRY(tr_model_new(NULL, &out->model));
  tr_status status = tr_model_read_text(out->model, m->text, m->size, m->name, v->error);
  for (int i = 0; i < n && status == TR_OK; i++)
    status = tr_model_set(out->model, set[2 * i], set[2 * i + 1], v->error);
  return settle(v, status, out);
}

tr_status verify_load_problem(verify *v, const tr_problem *problem, verify_system *out) {
  *out = (verify_system){0};
  TR_TRY(tr_model_new(NULL, &out->model));
  return settle(v, tr_model_add_problem(out->model, "p", problem, v->error), out);
}

void verify_unload(verify_system *s) {
  tr_system_free(s->system);
  tr_model_free(s->model);
  *s = (verify_system){0};
}

// ---- runs -----------------------------------------------------------------------------------------

typedef struct watch {
  tr_observer observer;
  tr_reader *reader; // |Phi|, E
  double sum_phi, last_phi, sum_energy, energy0, last_energy, last_t;
} watch;

static tr_status look(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  watch *w = (watch *)self;
  double value[2];
  TR_TRY(tr_reader_read(w->reader, x, value));
  if (info->steps == 0) w->energy0 = value[1];
  double change = fabs(value[1] - w->energy0);
  w->sum_energy += 0.5 * (x->t - w->last_t) * (change + w->last_energy);
  w->sum_phi += w->last_phi; // one behind: the last step does not count
  w->last_phi = info->steps > 0 ? value[0] : 0;
  w->last_energy = change, w->last_t = x->t;
  return TR_OK;
}

static tr_status watch_run(verify *v, tr_run *run, const tr_system *system, watch *w) {
  const int channels[] = {tr_channel_find(system, "constraint.position"),
                          tr_channel_find(system, "energy.total")};
  w->observer.step = look;
  TR_TRY(tr_reader_new(system, 2, channels, &w->reader, v->error));
  return tr_run_observe(run, &w->observer);
}

static tr_status complete(verify *v, const verify_run *run, tr_run *r, watch *w,
                          verify_result *out) {
  if (run->watch) TR_TRY(watch_run(v, r, run->system, w));
  if (run->observer) TR_TRY(tr_run_observe(r, run->observer));
  TR_TRY(tr_run_all(r, v->error));
  TR_TRY(tr_state_new(run->system, &out->x, v->error));
  tr_state_copy(&out->x, tr_run_state(r));
  out->system = run->system;
  out->info = tr_run_describe(r);
  out->info.method = ""; // it lives in the run
  out->mean_phi = w->sum_phi / (double)out->info.steps;
  out->mean_energy = w->sum_energy / run->end;
  v->runs++;
  if (!v->out->progress) return TR_OK;
  return v->out->progress(v->out, v->group, fmin(1, (double)v->runs / v->expected));
}

tr_status verify_do(verify *v, const verify_run *run, verify_result *out) {
  *out = (verify_result){0};
  tr_run_settings settings = tr_run_defaults();
  settings.method = run->method;
  settings.step = run->step;
  settings.end = run->end;
  settings.consistent_start = !run->as_given;
  settings.newton.fixed_iterations = run->iterations;
  if (run->tol > 0) settings.newton.tol = run->tol;
  settings.control.tol = run->control;
  settings.control.rule = run->rule;
  tr_run *r;
  watch w = {0};
  TR_TRY(tr_run_new(run->system, &settings, NULL, &r, v->error));
  tr_status status = complete(v, run, r, &w, out);
  tr_reader_free(w.reader);
  tr_run_free(r);
  if (status != TR_OK) verify_drop(out);
  return status;
}

void verify_drop(verify_result *r) {
  if (r->x.block) tr_state_free(r->system, &r->x);
  *r = (verify_result){0};
}

tr_status verify_reference(verify *v, const tr_system *system, double step, double end,
                           verify_result *out) {
  verify_run run = {.system = system,
                    .method = "baumgarte:alpha=0,beta=0,unit=1/s,scheme=rk4",
                    .step = step,
                    .end = end};
  return verify_do(v, &run, out);
}

// ---- errors ---------------------------------------------------------------------------------------

static double largest_difference(int n, const double *x, const double *y) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

double verify_q_error(const verify_result *r, const verify_result *reference) {
  return largest_difference(tr_system_describe(r->system).nq, r->x.q, reference->x.q);
}

double verify_v_error(const verify_result *r, const verify_result *reference) {
  return largest_difference(tr_system_describe(r->system).nv, r->x.v, reference->x.v);
}

double verify_order(double coarse, double fine) { return log2(coarse / fine); }
