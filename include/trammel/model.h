// SPDX-License-Identifier: Apache-2.0
// The description of a mechanism as data, read from a file or built by calls.
//
// A model is a tree of keys and values, the same whether it came from YAML or from tr_model_add.
// Nothing is evaluated before tr_compile: parameters may still be changed by tr_model_set.
#ifndef TRAMMEL_MODEL_H
#define TRAMMEL_MODEL_H

#include <stdbool.h>

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tr_model tr_model;

TR_API tr_status tr_model_new(tr_allocator *allocator, tr_model **model);
TR_API void tr_model_free(tr_model *model);

// Each reads one YAML document into an empty model. On failure the model stays empty and error
// lists everything found wrong, one line each.
TR_API tr_status tr_model_read_file(tr_model *model, const char *path, tr_error *error);
TR_API tr_status tr_model_read_text(tr_model *model, const char *text, size_t size,
                                    const char *name, tr_error *error);
TR_API tr_status tr_model_write_file(const tr_model *model, const char *path, tr_error *error);
// Into a new block of the model's allocator (release it with tr_model_release).
TR_API tr_status tr_model_write_text(const tr_model *model, char **text, size_t *size,
                                     tr_error *error);
TR_API void tr_model_release(const tr_model *model, char *text);

// Overrides a parameter that the model declares; value in model syntax: "0.3", "30 cm", "3*pi/2".
TR_API tr_status tr_model_set(tr_model *model, const char *parameter, const char *value,
                              tr_error *error);

// One key of an element: text in model syntax, or n numbers, or one number.
typedef struct tr_arg {
  const char *key; // NULL ends the list
  const char *text;
  double num;
  const double *vec;
  int n;
} tr_arg;

// Adds "name: {key: value, ...}" to a section: "parameters" (one arg: value), "data", "bodies", "states",
// "variables", "markers", "joints", "forces", "events". Keys and values are those of model files.
TR_API tr_status tr_model_add(tr_model *model, const char *section, const char *name,
                              const tr_arg *args, tr_error *error);
// The same for a top-level key that holds a value: "gravity", "name".
TR_API tr_status tr_model_add_value(tr_model *model, const tr_arg *arg, tr_error *error);

// A problem in arbitrary coordinates, M(q) q'' + G' lam = Q(t,q,v), Phi(q,t) = 0. Embed the struct in
// one of your own to carry data; it must outlive every system compiled from the model. mass, force,
// and for m > 0 phi are required; what is NULL of the rest is done by differences. Matrices are row-
// major. A function returns TR_OK, or anything else where it has no value: the step is then not taken,
// as if a number had not been finite; if no shorter one helps the run ends and tells which failed, and when.
typedef struct tr_problem tr_problem;
struct tr_problem {
  int n, m;         // coordinates, constraints
  const double *q0; // (n) start
  const double *v0; // (n) or NULL: at rest
  bool constant_mass;
  tr_status (*mass)(const tr_problem *p, const double *q, double *M); // n x n
  tr_status (*force)(const tr_problem *p, double t, const double *q, const double *v, double *Q);
  tr_status (*phi)(const tr_problem *p, double t, const double *q, double *phi);     // (m)
  tr_status (*jac)(const tr_problem *p, double t, const double *q, double *G);       // m x n
  tr_status (*phi_t)(const tr_problem *p, double t, const double *q, double *phi_t); // (m)
  tr_status (*gamma)(const tr_problem *p, double t, const double *q, const double *v,
                     double *gacc); // (m) (G v)_q v + 2 Phi_qt v + Phi_tt
  tr_status (*mass_dq)(const tr_problem *p, const double *q, const double *a,
                       double *K); // (M a)_q, n x n
  tr_status (*force_dq)(const tr_problem *p, double t, const double *q, const double *v,
                        double *Qq);
  tr_status (*force_dv)(const tr_problem *p, double t, const double *q, const double *v,
                        double *Qv);
  tr_status (*geom)(const tr_problem *p, double t, const double *q, const double *lam,
                    double *K); // (G' lam)_q, n x n
  tr_status (*energy)(const tr_problem *p, double t, const double *q, const double *v,
                      double *kinetic, double *potential);
};
// Outputs are name.q1 .. name.qn, name.v1 .., name.a1 .., name.lam1 ..
TR_API tr_status tr_model_add_problem(tr_model *model, const char *name, const tr_problem *problem,
                                      tr_error *error);

// Evaluates a number in model syntax ("2^-10", "25/64", "30 cm") against a quantity.
TR_API tr_status tr_number(const char *text, tr_quantity quantity, double *value, tr_error *error);

// A JSON Schema (draft 2020-12) of model files, from the field tables.
TR_API tr_status tr_model_schema(tr_allocator *allocator, char **text, size_t *size);
// What an entry of the events section may hold, besides set, lock, unlock and settle.
TR_API const tr_field *tr_event_fields(void);
// Unit of a quantity in SI ("N/m"; "" for plain numbers) and its name ("stiffness").
TR_API const char *tr_quantity_unit(tr_quantity quantity);
TR_API const char *tr_quantity_name(tr_quantity quantity);

#ifdef __cplusplus
}
#endif
#endif
