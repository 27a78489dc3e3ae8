// SPDX-License-Identifier: Apache-2.0
// The summary of a run: for people and as JSON.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "run.h"

static double us_per_step(const tr_run_info *info) {
  return info->steps > 0 ? 1e6 * info->cpu_s / (double)info->steps : 0;
}

static const char *outcome(tr_status status) {
  return status == TR_OK ? "ok" : status == TR_STOPPED ? "interrupted" : "failed";
}

enum { SHOWN_EVENTS = 20 }; // in the text; JSON has all that the run remembers

static long remembered(const run_result *r) {
  return r->info.events < TR_MAX_RECORDS ? r->info.events : TR_MAX_RECORDS;
}

static void events_json(json *j, const run_result *r) {
  json_open(j, "events", '[');
  for (long i = 0; i < remembered(r); i++) {
    tr_event_record e = tr_run_event(r->run, i);
    json_open(j, NULL, '{');
    json_number(j, "t", e.t);
    json_text(j, "name", e.name);
    json_text(j, "what", e.what);
    if (e.message[0]) json_text(j, "message", e.message);
    json_number(j, "rate_before", e.before);
    json_number(j, "rate_after", e.after);
    json_close(j);
  }
  json_close(j);
}

static void event_text(FILE *to, const tr_event_record *e) {
  fprintf(to, "t = %.9g s  %s%s%s", e->t, e->name, e->what[0] ? ": " : "", e->what);
  if (e->message[0]) fprintf(to, "%s %s", e->what[0] ? "," : ":", e->message);
  fputc('\n', to);
}

static void counts_json(json *j, const tr_run_info *info) {
  json_int(j, "steps", info->steps);
  json_int(j, "rejected", info->rejected);
  json_int(j, "newton_failures", info->newton_failures);
  json_number(j, "smallest_step", info->smallest_step);
  json_number(j, "largest_step", info->largest_step);
  json_int(j, "newton_iterations", info->newton_iterations);
  json_int(j, "residuals", info->residuals);
  json_int(j, "jacobians", info->jacobians);
  json_int(j, "factorisations", info->factorisations);
  json_int(j, "refactorisations", info->refactorisations);
  json_int(j, "solves", info->solves);
  json_int(j, "stagnations", info->stagnations);
  json_number(j, "cpu_s", info->cpu_s);
  json_number(j, "wall_s", info->wall_s);
  json_number(j, "us_per_step", us_per_step(info));
}

void summary_json(const run_result *r) {
  const tr_run_info *info = &r->info;
  json j = {.to = stdout};
  json_open(&j, NULL, '{');
  json_text(&j, "model", model_name(r->system, r->path));
  json_text(&j, "file", r->path);
  json_text(&j, "method", info->method);
  json_text(&j, "status", outcome(r->status));
  if (r->status != TR_OK) json_error(&j, r->error);
  json_number(&j, "end", info->end);
  json_number(&j, "step", info->tol > 0 ? NAN : info->step);
  json_number(&j, "tol", info->tol > 0 ? info->tol : NAN);
  counts_json(&j, info);
  json_number(&j, "max_position_violation", info->max_phi);
  json_number(&j, "max_velocity_violation", info->max_phi_v);
  json_number(&j, "mean_position_violation", info->mean_phi);
  json_open(&j, "energy", '{');
  json_number(&j, "initial", info->energy0);
  json_number(&j, "max_change", info->max_energy_change);
  json_close(&j);
  json_int(&j, "redundant", info->redundant);
  json_open(&j, "warnings", '[');
  json_items(&j, info->warnings);
  json_items(&j, tr_system_describe(r->system).warnings);
  json_close(&j);
  json_lines(&j, "notes", info->notes);
  json_int(&j, "event_count", info->events);
  json_text(&j, "stopped_by", info->stopped_by);
  events_json(&j, r);
  json_open(&j, "start", '{');
  json_number(&j, "moved_positions", info->start_move_q);
  json_number(&j, "moved_velocities", info->start_move_v);
  json_close(&j);
  char name[NAME_SIZE];
  json_open(&j, "final", '{');
  json_number(&j, "t", r->state->t);
  for (int i = 0; i < r->finals; i++)
    json_number(&j, channel_name(r->system, r->final_channel[i], name), r->final[i]);
  json_close(&j);
  json_close(&j);
}

static void row(FILE *to, const char *label) { fprintf(to, "%-22s ", label); }

// A method of second order took thousands of steps for a tolerance that high order is made for. Events that do something
// begin anew each time, which takes that advantage away; where iterations fail again and again, as where a force jumps,
// high order fares no better, or fails where this one did.
enum { MANY_STEPS = 2000, MOST_FAILURES = 100 }; // one step in so many

static bool wants_order(const run_result *r) {
  const tr_run_info *info = &r->info;
  size_t length = strcspn(info->method, ":");
  if (!(info->tol > 0) || info->tol > 1e-6 || info->steps < MANY_STEPS) return false;
  if (r->status != TR_OK || info->notes[0]) return false;
  if (info->newton_failures > info->steps / MOST_FAILURES) return false;
  for (long i = 0; i < remembered(r); i++)
    if (tr_run_event(r->run, i).what[0]) return false;
  if (strstr(info->method, "order=5")) return false;
  for (int i = 0; i < tr_method_count(); i++) {
    tr_method_info m = tr_method_describe(i);
    if (strlen(m.name) == length && !strncmp(m.name, info->method, length)) return m.order_q <= 2;
  }
  return false;
}

// A label, and lines of text; nothing if there are none.
static void rows(FILE *to, const char *label, const char *text) {
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
    row(to, line == text ? label : "");
    fprintf(to, "%.*s\n", (int)strcspn(line, "\n"), line);
  }
}

static void what_text(FILE *to, const run_result *r) {
  const tr_run_info *info = &r->info;
  row(to, "model");
  const char *name = model_name(r->system, r->path);
  put_plain(to, name, SIZE_MAX);
  if (strcmp(name, r->path)) {
    fputs(" (", to);
    put_plain(to, r->path, SIZE_MAX);
    fputc(')', to);
  }
  fputc('\n', to);
  if (r->status != TR_OK) {
    row(to, "status");
    fprintf(to, "%s\n", outcome(r->status));
  }
  row(to, "method");
  fprintf(to, "%s\n", info->method);
  row(to, "time");
  fprintf(to, "%.9g s of %.9g s, ", r->state->t, info->end);
  fprintf(to, info->tol > 0 ? "tolerance %.9g\n" : "step %.9g s\n",
          info->tol > 0 ? info->tol : info->step);
}

static void counts_text(FILE *to, const tr_run_info *info) {
  double n = info->steps > 0 ? (double)info->steps : 1;
  row(to, "steps");
  fprintf(to, "%ld, %ld rejected", info->steps, info->rejected);
  if (info->tol > 0 && info->rejected > 0)
    fprintf(to, " (%ld by the error test, %ld where Newton failed)",
            info->rejected - info->newton_failures, info->newton_failures);
  if (info->tol > 0) fprintf(to, ", %.3g s to %.3g s", info->smallest_step, info->largest_step);
  fputc('\n', to);
  row(to, "newton iterations");
  fprintf(to, "%ld, %.2f per step, %ld at the round-off floor\n", info->newton_iterations,
          (double)info->newton_iterations / n, info->stagnations);
  row(to, "evaluations");
  fprintf(to, "%ld residuals, %ld jacobians\n", info->residuals, info->jacobians);
  row(to, "factorisations");
  fprintf(to, "%ld, of which %ld reused the pivots; %ld solves\n", info->factorisations,
          info->refactorisations, info->solves);
  row(to, "cpu time");
  fprintf(to, "%.4g s, %.3g us/step\n", info->cpu_s, us_per_step(info));
  if (info->threads > 1) {
    row(to, "wall time");
    fprintf(to, "%.4g s, %.3g us/step, %d threads\n", info->wall_s,
            info->steps > 0 ? 1e6 * info->wall_s / (double)info->steps : 0, info->threads);
  }
  if (isfinite(info->energy0)) { // else the audit was off
    row(to, "constraint violation");
    fprintf(to, "%.3g in position, %.3g in velocity (largest 2-norms)\n", info->max_phi,
            info->max_phi_v);
    row(to, "energy");
    fprintf(to, "%.9g J at the start, largest change %.3g J\n", info->energy0,
            info->max_energy_change);
  }
  row(to, "consistent start");
  fprintf(to, "moved positions by %.3g, velocities by %.3g\n", info->start_move_q,
          info->start_move_v);
}

static void events_text(FILE *to, const run_result *r) {
  for (long i = 0; i < remembered(r) && i < SHOWN_EVENTS; i++) {
    tr_event_record e = tr_run_event(r->run, i);
    row(to, i ? "" : "events");
    event_text(to, &e);
  }
  if (r->info.events > SHOWN_EVENTS) {
    row(to, "");
    fprintf(to, "and %ld more\n", r->info.events - SHOWN_EVENTS);
  }
  if (r->info.stopped_by) {
    row(to, "stopped by");
    fprintf(to, "%s\n", r->info.stopped_by);
  }
}

void summary_text(FILE *to, const run_result *r) {
  const tr_run_info *info = &r->info;
  what_text(to, r);
  counts_text(to, info);
  rows(to, "redundant", info->warnings);
  if (info->redundant > 0 && !strstr(info->warnings, "the position is ")) {
    row(to, "");
    fprintf(to, "the motion is unique, the reactions of these joints are not\n");
  }
  rows(to, "note", info->notes);
  if (wants_order(r)) {
    row(to, "hint");
    fputs(
        "for such a tolerance --method radau5 takes fewer steps, or ggl-bdf:order=5 where nothing "
        "vibrates\n",
        to);
  }
  events_text(to, r);
  rows(to, "warning", tr_system_describe(r->system).warnings);
  if (r->csv_path) {
    row(to, "output");
    fprintf(to, "%s, %ld rows of %d columns\n", r->csv_path, r->rows, r->columns + 1);
  }
}

void final_text(FILE *to, const run_result *r) {
  char name[NAME_SIZE];
  bool raw = false;
  for (int i = 0; i < r->finals; i++)
    raw = raw || tr_channel_is_raw(r->system, r->final_channel[i]);
  int width = channel_width(r->system, raw);
  fprintf(to, "\n%-*s %24.17g s\n", width, "t", r->state->t);
  for (int i = 0; i < r->finals; i++)
    fprintf(to, "%-*s %24.17g %s\n", width, channel_name(r->system, r->final_channel[i], name),
            r->final[i], tr_quantity_unit(tr_channel_quantity(r->system, r->final_channel[i])));
}
