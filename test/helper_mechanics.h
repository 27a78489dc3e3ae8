// SPDX-License-Identifier: Apache-2.0
// What the tests of the mechanics share: derivatives along paths, random numbers, models by name.
//
// Derivatives: everything tested is a function of one path parameter s, differentiated at s = 0 by
//   f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))/(12 h),   h = 1e-3.
// Its truncation is h^4 f^(5)/30 < 1e-10 for rates below 6/s, its round-off 1.5 eps |f|/h = 3e-13 |f|,
// with |f| the largest number that entered. DIFFERENCE_TOL leaves room for the cancellation inside f.
#ifndef TR_HELPER_MECHANICS_H
#define TR_HELPER_MECHANICS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trammel/trammel.h"

// ---- numbers ----------------------------------------------------------------------------------------

typedef uint64_t seed;
double draw(seed *s); // in (-1, 1), never the same again
void draw_many(seed *s, int n, double *x);
void draw_rotation(seed *s, double R[9]); // any rotation
double largest(int n, const double *x);   // max |x_i|
double norm2(int n, const double *x);

// Fails with both numbers and the text unless |got - want| <= tol; a NaN fails.
#define assert_near(got, want, tol, ...) \
  assert_near_at((got), (want), (tol), __FILE__, __LINE__, __VA_ARGS__)
void assert_near_at(double got, double want, double tol, const char *file, int line,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));
// Every number of two arrays.
#define assert_all_near(n, got, want, tol, ...) \
  assert_all_near_at((n), (got), (want), (tol), __FILE__, __LINE__, __VA_ARGS__)
void assert_all_near_at(int n, const double *got, const double *want, double tol, const char *file,
                        int line, const char *format, ...) __attribute__((format(printf, 7, 8)));

// Parameters that pass the fields' bounds, from the table alone; 0 < numbers < 2 where it sets none. par
// comes zeroed.
void draw_parameters(seed *s, const tr_field *fields, void *par);
// The same, but every field that may be "auto" is so (NaN). Returns how many numbers.
int set_auto(const tr_field *fields, void *par);
// How many NaNs the parameters hold.
int count_nan(const tr_field *fields, const void *par);

// ---- derivatives ------------------------------------------------------------------------------------

static const double DIFFERENCE_TOL = 1e-9;
enum { MAX_OUTPUTS = 2048 };
// Writes n <= MAX_OUTPUTS numbers: a function at s on its path.
typedef void (*path)(void *context, double s, double *out);
// d (n) = df/ds at 0. Returns the tolerance to compare with: DIFFERENCE_TOL max(1, |f|, |d|).
double differentiate(path f, void *context, int n, double *d);

// ---- models -----------------------------------------------------------------------------------------

typedef struct mechanism {
  tr_model *model;
  tr_system *sys;
} mechanism;
// A shipped model by file name ("pendulum.yaml"); set: "k=0" and so on, NULL-terminated, or NULL.
mechanism load_model(const char *file, const char *const *set);
mechanism load_text(const char *text);
mechanism load_problem(const tr_problem *problem); // called "p"
void unload(mechanism *m);
// The names of all shipped models, NULL-terminated; sorted.
const char *const *shipped_models(void);

// A run that fails the test when it cannot begin.
tr_run *begin_run(const tr_system *sys, const tr_run_settings *s);
// With the defaults, `method`, step, end.
tr_run *new_run(const tr_system *sys, const char *method, double step, double end);
// One output at a state.
double output(const tr_system *sys, const tr_state *x, const char *name);

// What a model's text describes; fails where it does not.
tr_system *system_of_text(const char *text);

#endif
