// SPDX-License-Identifier: Apache-2.0
// The reference that errors are measured against, with an estimate of its own error.
//
// Five candidates, each with steps h, h/2, h/4, h/8, h being the smallest of the study:
//   rk4   Baumgarte with fixed gains: fourth order; the best where nothing is stiff
//   gen   generalised-alpha, stabilised, extrapolated (Romberg, h^2, h^3, h^4)
//   bdf   NSTIFF-SI2, extrapolated likewise: for very stiff systems
//   i3    generalised-alpha on index 3, extrapolated: passes singular positions
//   rad   Radau IIA: fifth order, stiff or not, with steps 4 h .. h/2 since it is never far off; h .. h/8
//         where it is under test itself
// A candidate's error is estimated from its last two levels; the one with the smallest wins. It must
// agree with the second best (of another family) within the sum of both estimates; if not, their distance is its error.
// Multipliers are computed from the states (index 1), so that they share their order.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study.h"

enum { LEVELS = 4, CANDIDATES = 5, RK4 = 0, RADAU = 4 };

typedef struct candidate {
  const char *method, *name;
  study_run run[LEVELS];
  const double *best;
  double h;             // of the best
  double error[GROUPS]; // estimated
  double worst;         // largest relative one; infinite: of no use
} candidate;

// Speeds that move nothing within the run, to round-off: less is no motion, and has no relative error.
static double nothing(const double *scale, int group, double end) {
  return group == GROUP_V ? 1e-16 * scale[GROUP_Q] / end : 0;
}

// In place: level k becomes the extrapolation from levels 0..k. Orders 2, 3, 4.
static void extrapolate(candidate *c, int n) {
  for (int p = 2; p < 2 + LEVELS - 1; p++)
    for (int k = LEVELS - 1; k >= p - 1; k--) {
      double f = 1 / (ldexp(1, p) - 1);
      for (int i = 0; i < n; i++) c->run[k].y[i] += f * (c->run[k].y[i] - c->run[k - 1].y[i]);
    }
}

// The level that moved least from the one before it, and by how much.
static void judge(candidate *c, bool high_order, double end, const study_watch *w,
                  const double *scale) {
  c->worst = INFINITY;
  for (int k = 1; k < LEVELS; k++) {
    double d[GROUPS], worst = 0;
    if (c->run[k].status != TR_OK || c->run[k - 1].status != TR_OK) continue;
    tr_study_difference(w, c->run[k].times, c->run[k].y, c->run[k - 1].y, false, d);
    for (int g = 0; g < GROUPS; g++) {
      if (w->size[g] == 0) continue;
      if (high_order) d[g] *= 0.25;                                  // 1/15, 1/31 when all is well
      d[g] = fmax(d[g], 1e-15 * sqrt(end / c->run[k].h) * scale[g]); // round-off
      d[g] = fmax(d[g], nothing(scale, g, end));
      if (isnan(d[g]))
        worst = INFINITY;
      else if (scale[g] > nothing(scale, g, end))
        worst = fmax(worst, d[g] / fmax(scale[g], 1e-300));
    }
    if (!(worst < c->worst)) continue;
    c->worst = worst;
    c->best = c->run[k].y;
    c->h = c->run[k].h;
    memcpy(c->error, d, sizeof d);
  }
}

static bool under_test(const study *s, const char *name) {
  size_t n = strlen(name);
  for (int m = 0; m < s->methods; m++)
    if (!strncmp(s->method[m], name, n) && (!s->method[m][n] || s->method[m][n] == ':'))
      return true;
  return false;
}

static tr_status run_candidates(study *s, const study_watch *w, int times, const double *time,
                                candidate *c) {
  double h = s->step[s->steps - 1], gain = 10 / s->end;
  c[0].method =
      tr_study_text(s, "baumgarte:scheme=rk4,unit=1/s,alpha=%.17g,beta=%.17g", gain, gain);
  c[1].method = "gen-alpha:rho=0.8,index=2";
  c[2].method = "nstiff-si2";
  c[3].method = "gen-alpha:rho=0.8";
  c[RADAU].method = "radau5";
  c[0].name = "Runge-Kutta of order 4 (`baumgarte:scheme=rk4,unit=1/s`)";
  c[1].name = "extrapolated `gen-alpha:index=2`";
  c[2].name = "extrapolated `nstiff-si2`";
  c[3].name = "extrapolated `gen-alpha`";
  c[RADAU].name = "`radau5`";
  study_run *all = TR_NEW(&s->arena, CANDIDATES * LEVELS, study_run);
  if (!all) return tr_no_memory(s->error);
  for (int i = 0; i < CANDIDATES * LEVELS; i++) { // the long runs first
    int level = LEVELS - 1 - i / CANDIDATES;
    int coarser = i % CANDIDATES == RADAU && !under_test(s, "radau5") ? 2 : 0;
    study_run *r = &all[i];
    TR_TRY(tr_study_run_new(s, c[i % CANDIDATES].method, ldexp(h, coarser - level), w, times, time,
                            r));
    r->recompute = r->exact = true;
    r->newton_tol = 1e-13;
  }
  tr_status status = tr_study_run_all(s, "reference", CANDIDATES * LEVELS, all);
  for (int i = 0; i < CANDIDATES * LEVELS; i++)
    c[i % CANDIDATES].run[LEVELS - 1 - i / CANDIDATES] = all[i];
  return status;
}

static void compare(study *s, const study_watch *w, int times, const candidate *best,
                    const candidate *second, study_reference *r) {
  static const char *const names[] = {"q", "v", "lam", "energy"};
  double d[GROUPS];
  bool agree = second != NULL;
  char list[200] = "";
  if (second) tr_study_difference(w, times, best->best, second->best, false, d);
  for (int g = 0; g < GROUPS; g++) {
    r->error[g] = best->error[g];
    if (w->size[g] == 0) continue;
    if (second && d[g] > 3 * (best->error[g] + second->error[g])) {
      r->error[g] = d[g];
      agree = false;
    }
    size_t n = strlen(list);
    snprintf(list + n, sizeof list - n, "%s%.1e in %s", n ? ", " : "", r->error[g], names[g]);
  }
  tr_study_note(s, "Reference: %s with h = %.4g s; estimated error %s.", best->name, best->h, list);
  if (agree)
    tr_study_note(s, "A second candidate, %s, agrees with it within both estimates.", second->name);
  else if (second)
    tr_study_note(s,
                  "A second candidate, %s, differs by more than both estimates: their distance is "
                  "taken as the error of the reference.",
                  second->name);
  else
    tr_study_note(s, "No second candidate came through, so the reference stands unchecked.");
  for (int g = 0; g < GROUPS; g++) {
    if (w->size[g] == 0) continue;
    if (r->scale[g] <= nothing(r->scale, g, s->end)) {
      tr_study_note(s, "%s is 0 to round-off at the times looked at: it has no errors to speak of.",
                    names[g]);
    } else if (r->error[g] > 1e-3 * r->scale[g]) {
      tr_study_note(s,
                    "The reference is too rough to measure errors by; a shorter end or smaller "
                    "steps may help.");
      break;
    }
  }
}

// The best of the others, of another family if there is one.
static const candidate *second_to(const candidate *c, const candidate *best) {
  static const int family[CANDIDATES] = {0, 1, 2, 1, 3};
  const candidate *second = NULL;
  for (int pass = 0; pass < 2 && best && !second; pass++)
    for (int k = 0; k < CANDIDATES; k++) {
      bool akin = family[k] == family[best - c];
      if (&c[k] == best || (pass == 0 && akin) || !isfinite(c[k].worst)) continue;
      if (!second || c[k].worst < second->worst) second = &c[k];
    }
  return second;
}

tr_status tr_study_reference_make(study *s, const study_watch *w, int times, const double *time,
                                  study_reference *r) {
  candidate *c = TR_NEW(&s->arena, CANDIDATES, candidate);
  if (!c) return tr_no_memory(s->error);
  TR_TRY(run_candidates(s, w, times, time, c));
  const candidate *best = NULL, *second = NULL;
  memset(r->scale, 0, sizeof r->scale);
  for (int k = CANDIDATES - 1; k >= 0; k--)
    if (c[k].run[0].status == TR_OK && c[k].run[LEVELS - 1].status == TR_OK)
      tr_study_difference(w, times, c[k].run[LEVELS - 1].y, NULL, false, r->scale);
  for (int k = 0; k < CANDIDATES; k++) {
    bool complete = true;
    c[k].worst = INFINITY;
    for (int i = 0; i < LEVELS; i++) complete = complete && c[k].run[i].status == TR_OK;
    bool high_order = k == RK4 || k == RADAU;
    if (!high_order && !complete) continue;
    if (!high_order) extrapolate(&c[k], times * w->n);
    judge(&c[k], high_order, s->end, w, r->scale);
    if (isfinite(c[k].worst) && (!best || c[k].worst < best->worst)) best = &c[k];
  }
  second = second_to(c, best);
  if (!best) {
    bool refused = true; // such steps as these: then smaller ones are no advice
    for (int k = 0; k < CANDIDATES; k++) {
      const study_run *run = &c[k].run[LEVELS - 1];
      refused = refused && run->status == TR_BAD_INPUT;
      if (run->status != TR_OK) tr_fail(s->error, TR_FAILED, NULL, "%s: %s", c[k].method, run->why);
    }
    return tr_fail(s->error, refused ? TR_BAD_INPUT : TR_FAILED, NULL,
                   "no method gives a reference with these steps%s",
                   refused ? "" : "; smaller ones may help");
  }
  r->y = tr_study_numbers(s, times * w->n);
  if (!r->y) return tr_no_memory(s->error);
  memcpy(r->y, best->best, (size_t)times * w->n * sizeof *r->y);
  tr_study_difference(w, times, r->y, NULL, false, r->scale);
  compare(s, w, times, best, second, r);
  return TR_OK;
}

// ---- a given one ------------------------------------------------------------------------------------

static int find_column(const tr_csv_table *t, const char *name) {
  for (int j = 0; j < t->columns; j++)
    if (strcmp(t->name[j], name) == 0) return j;
  return -1;
}

// Columns that are channels of the model and have a group.
static tr_status match_columns(study *s, study_watch *w, int **column) {
  const tr_csv_table *t = s->set.reference;
  int *channel = TR_NEW(&s->arena, t->columns, int), n = 0;
  *column = TR_NEW(&s->arena, t->columns, int);
  if (!channel || !*column) return tr_no_memory(s->error);
  for (int j = 0; j < t->columns; j++) {
    if (strcmp(t->name[j], "t") == 0) continue;
    int c = tr_channel_find(s->sys, t->name[j]);
    if (c < 0)
      return tr_fail(s->error, TR_BAD_INPUT, NULL,
                     "reference: the model has no quantity \"%.100s\"", t->name[j]);
    tr_quantity q = tr_channel_quantity(s->sys, c);
    if (q == TR_ACCELERATION || q == TR_ANGULAR_ACCELERATION || q == TR_ENERGY) continue;
    (*column)[n] = j;
    channel[n++] = c;
  }
  if (n == 0)
    return tr_fail(s->error, TR_BAD_INPUT, NULL,
                   "reference: no column with a position, a velocity or a force");
  return tr_study_watch_make(s, false, n, channel, w);
}

// The row of a time, or -1.
static int find_row(const tr_csv_table *t, int time, double at, double end) {
  for (int i = 0; i < t->rows; i++)
    if (fabs(t->value[(size_t)i * t->columns + time] - at) <= 1e-9 * end) return i;
  return -1;
}

tr_status tr_study_reference_given(study *s, study_watch *w, int *times, const double **time,
                                   study_reference *r) {
  const tr_csv_table *t = s->set.reference;
  int column_t = find_column(t, "t"), *column, all, kept = 0;
  if (column_t < 0)
    return tr_fail(s->error, TR_BAD_INPUT, NULL, "reference: there is no column \"t\"");
  TR_TRY(match_columns(s, w, &column));
  const double *grid;
  TR_TRY(tr_study_times(s, 512, &all, &grid));
  double *found = tr_study_numbers(s, all);
  r->y = tr_study_numbers(s, all * w->n);
  if (!found || !r->y) return tr_no_memory(s->error);
  for (int j = 0; j < all; j++) {
    int row = find_row(t, column_t, grid[j], s->end);
    if (row < 0) continue;
    for (int i = 0; i < w->n; i++)
      r->y[(size_t)kept * w->n + i] = t->value[(size_t)row * t->columns + column[i]];
    found[kept++] = grid[j];
  }
  if (kept == 0 || fabs(found[kept - 1] - s->end) > 1e-9 * s->end)
    return tr_fail(s->error, TR_BAD_INPUT, NULL,
                   "reference: no row for the end, t = %.9g s, that the steps land on", s->end);
  *times = kept, *time = found;
  tr_study_difference(w, kept, r->y, NULL, false, r->scale);
  double round = 1e-15 * sqrt(s->end / s->step[s->steps - 1]); // of the runs
  for (int g = 0; g < GROUPS; g++) r->error[g] = round * r->scale[g];
  tr_study_note(s, "Reference: the given table, %d quantities at %d times; its error is not known.",
                w->n, kept);
  return TR_OK;
}
