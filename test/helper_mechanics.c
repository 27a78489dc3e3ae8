// SPDX-License-Identifier: Apache-2.0
// Paths, random numbers and models for the tests of the mechanics.
#include "helper_mechanics.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/v3.h"

double draw(seed *s) {
  *s = *s * 6364136223846793005u + 1442695040888963407u;
  return (double)(*s >> 11) / 4503599627370496.0 - 1;
}

void draw_many(seed *s, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = draw(s);
}

void draw_rotation(seed *s, double R[9]) {
  double e[4];
  draw_many(s, 4, e);
  quat_normalise(e);
  quat_to_m3(e, R);
}

double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

double norm2(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static void complain(double got, double want, double tol, const char *file, int line, int index,
                     const char *format, va_list args) {
  char what[256];
  vsnprintf(what, sizeof what, format, args);
  if (index >= 0)
    print_error("%s [%d]: is %.17g, should be %.17g, off by %.3g, allowed %.3g\n", what, index, got,
                want, got - want, tol);
  else
    print_error("%s: is %.17g, should be %.17g, off by %.3g, allowed %.3g\n", what, got, want,
                got - want, tol);
  _fail(file, line);
}

void assert_near_at(double got, double want, double tol, const char *file, int line,
                    const char *format, ...) {
  if (fabs(got - want) <= tol) return;
  va_list args;
  va_start(args, format);
  complain(got, want, tol, file, line, -1, format, args);
  va_end(args);
}

void assert_all_near_at(int n, const double *got, const double *want, double tol, const char *file,
                        int line, const char *format, ...) {
  for (int i = 0; i < n; i++) {
    if (fabs(got[i] - want[i]) <= tol) continue;
    va_list args;
    va_start(args, format);
    complain(got[i], want[i], tol, file, line, i, format, args);
    va_end(args);
  }
}

double differentiate(path f, void *context, int n, double *d) {
  static const double h = 1e-3, weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  double most = 1, *value = malloc(MAX_OUTPUTS * sizeof *value);
  assert_non_null(value);
  assert_true(n <= MAX_OUTPUTS);
  for (int i = 0; i < n; i++) d[i] = 0;
  for (int k = 0; k < 4; k++) {
    f(context, at[k] * h, value);
    most = fmax(most, largest(n, value));
    for (int i = 0; i < n; i++) d[i] += weight[k] * value[i] / (12 * h);
  }
  free(value);
  return DIFFERENCE_TOL * fmax(most, largest(n, d));
}

// ---- parameters -------------------------------------------------------------------------------------

static double draw_within(seed *s, const tr_field *f) {
  double x = 1 + 0.9 * draw(s);
  if (!(f->min < f->max)) return x;
  if (isinf(f->max)) return f->min + x;
  if (isinf(f->min)) return f->max - x;
  return f->min + 0.5 * x * (f->max - f->min);
}

static void draw_tensor(seed *s, double *J) {
  double A[9];
  draw_many(s, 9, A);
  m3_tmulm(A, A, J);
  for (int i = 0; i < 3; i++) J[4 * i] += 1;
}

static int numbers_in(const tr_field *f) {
  switch (f->kind) {
    case TR_REAL: return 1;
    case TR_VEC2: return 2;
    case TR_VEC3: return 3;
    case TR_ROTATION:
    case TR_TENSOR: return 9;
    default: return 0;
  }
}

// What may be left out is a matrix, 6 x 6, positive definite; else points of the plane, on a
// gentle curve.
static tr_rows some_rows(const tr_field *f) {
  static double matrix[36], own[6 * 24];
  static const double points[12] = {5, -3, 2.5, 0, -2.5, 0, -5, -3, -2.5, -6, 2.5, -6};
  for (int i = 0; i < 36; i++) matrix[i] = i % 7 == 0 ? 1.2 + 0.1 * (i / 7) : 0.2;
  return f->preset ? (tr_rows){6, 6, matrix, own} : (tr_rows){6, 2, points, own};
}

void draw_parameters(seed *s, const tr_field *fields, void *par) {
  for (const tr_field *f = fields; f && f->name; f++) {
    void *at = (char *)par + f->offset;
    int choices = 0, first;
    switch (f->kind) {
      case TR_REAL:
      case TR_VEC2:
      case TR_VEC3:
        for (int i = 0; i < numbers_in(f); i++) ((double *)at)[i] = draw_within(s, f);
        break;
      case TR_INT: *(int *)at = (int)nearbyint(draw_within(s, f)); break;
      case TR_BOOL: *(bool *)at = draw(s) > 0; break;
      case TR_ROTATION: draw_rotation(s, at); break;
      case TR_TENSOR: draw_tensor(s, at); break;
      case TR_CHOICE:
        first = strcmp(f->choices[0], "auto") == 0; // what nobody can find out here
        while (f->choices[first + choices]) choices++;
        *(int *)at = choices == 1 ? first : first + (int)((0.5 + 0.5 * draw(s)) * choices);
        break;
      case TR_TEXT: *(const char **)at = f->preset ? f->preset : ""; break;
      case TR_ROWS: *(tr_rows *)at = some_rows(f); break;
      case TR_LAW: // see helper_laws.h
      case TR_LAW3:
      case TR_MARKER:
      case TR_GROUP: break;
    }
  }
}

int set_auto(const tr_field *fields, void *par) {
  int count = 0;
  for (const tr_field *f = fields; f && f->name; f++) {
    if (!f->preset || strcmp(f->preset, "auto") != 0) continue;
    for (int i = 0; i < numbers_in(f); i++, count++) ((double *)((char *)par + f->offset))[i] = NAN;
  }
  return count;
}

int count_nan(const tr_field *fields, const void *par) {
  int count = 0;
  for (const tr_field *f = fields; f && f->name; f++)
    for (int i = 0; i < numbers_in(f); i++)
      count += isnan(((const double *)((const char *)par + f->offset))[i]);
  return count;
}

// ---- models -----------------------------------------------------------------------------------------

static mechanism compile(tr_model *model, const char *const *set) {
  tr_error error = {0};
  mechanism m = {.model = model};
  for (int i = 0; set && set[i]; i++) {
    char name[64];
    const char *equals = strchr(set[i], '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - set[i]), set[i]);
    if (tr_model_set(model, name, equals + 1, &error) != TR_OK) fail_msg("%s", error.text);
  }
  if (tr_compile(model, &m.sys, &error) != TR_OK) fail_msg("%s", error.text);
  return m;
}

mechanism load_model(const char *file, const char *const *set) {
  tr_error error = {0};
  tr_model *model;
  char name[512];
  snprintf(name, sizeof name, "%s/models/%s", SOURCE_DIR, file);
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  if (tr_model_read_file(model, name, &error) != TR_OK) fail_msg("%s", error.text);
  return compile(model, set);
}

mechanism load_text(const char *text) {
  tr_error error = {0};
  tr_model *model;
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  if (tr_model_read_text(model, text, strlen(text), "text", &error) != TR_OK)
    fail_msg("%s", error.text);
  return compile(model, NULL);
}

mechanism load_problem(const tr_problem *problem) {
  tr_error error = {0};
  tr_model *model;
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  if (tr_model_add_problem(model, "p", problem, &error) != TR_OK) fail_msg("%s", error.text);
  return compile(model, NULL);
}

void unload(mechanism *m) {
  tr_system_free(m->sys);
  tr_model_free(m->model);
  *m = (mechanism){0};
}

const char *const *shipped_models(void) {
  enum { MOST = 64 };
  static char names[MOST][64];
  static const char *list[MOST + 1];
  glob_t found;
  if (list[0]) return list;
  assert_int_equal(glob(SOURCE_DIR "/models/*.yaml", 0, NULL, &found), 0);
  assert_true(found.gl_pathc >= 8 && found.gl_pathc <= MOST);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    snprintf(names[i], sizeof names[i], "%s", strrchr(found.gl_pathv[i], '/') + 1);
    list[i] = names[i];
  }
  globfree(&found);
  return list;
}

tr_run *begin_run(const tr_system *sys, const tr_run_settings *s) {
  tr_error error = {0};
  tr_run *run;
  if (tr_run_new(sys, s, NULL, &run, &error) != TR_OK)
    fail_msg("%s: %s", s->method ? s->method : "", error.text);
  return run;
}

tr_run *new_run(const tr_system *sys, const char *method, double step, double end) {
  tr_run_settings s = tr_run_defaults();
  s.method = method, s.step = step, s.end = end;
  return begin_run(sys, &s);
}

double output(const tr_system *sys, const tr_state *x, const char *name) {
  int channel = tr_channel_find(sys, name);
  double value;
  tr_reader *reader;
  if (channel < 0) fail_msg("no output %s", name);
  assert_int_equal(tr_reader_new(sys, 1, &channel, &reader, NULL), TR_OK);
  assert_int_equal(tr_reader_read(reader, x, &value), TR_OK);
  tr_reader_free(reader);
  return value;
}

tr_system *system_of_text(const char *text) {
  tr_error error = {0};
  tr_model *model;
  tr_system *sys;
  assert_int_equal(tr_model_new(NULL, &model), TR_OK);
  if (tr_model_read_text(model, text, strlen(text), "m.yaml", &error) != TR_OK ||
      tr_compile(model, &sys, &error) != TR_OK)
    fail_msg("%s", error.text);
  tr_model_free(model);
  return sys;
}
