// SPDX-License-Identifier: Apache-2.0
// The compiled model: constant, shared by threads; and the state that goes with it.
#ifndef TRAMMEL_SYSTEM_H
#define TRAMMEL_SYSTEM_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tr_system tr_system;

TR_API tr_status tr_compile(const tr_model *model, tr_system **system, tr_error *error);
TR_API void tr_system_free(tr_system *system);

typedef struct tr_system_info {
  const char *name; // of the model
  int bodies, markers, joints, forces;
  int numbers;          // states and variables, each an unknown with an equation
  int nq, nv, nc, nmem; // coordinates, velocities, constraint rows, memories
  int nnz;              // of the KKT matrix
  size_t bytes;         // held by the system
  bool constant_mass;
  const char *warnings; // lines: what is allowed but looks like a mistake; "" if nothing does
} tr_system_info;
TR_API tr_system_info tr_system_describe(const tr_system *system);

// The simulation section of the model: what the file asks for. NaN or NULL where it says nothing.
typedef struct tr_simulation {
  double end, step;
  double output_step;        // spacing of the output; NaN: every step
  const char *method;        // "hht-i3:alpha=-0.3"
  int outputs;               // chosen channels
  const char *const *output; // (outputs) names or patterns
} tr_simulation;
TR_API tr_simulation tr_system_simulation(const tr_system *system);

// One contiguous block: copying t, and `bytes` from `block`, copies the state.
typedef struct tr_state {
  double t;
  double *q;   // (nq) coordinates, changed only by retraction
  double *v;   // (nv) velocities
  double *a;   // (nv) accelerations
  double *lam; // (nc) multipliers, M a + G' lam = Q
  double *mem; // (nmem) what elements remember (turns of an angle)
  double *block;
  size_t bytes;
} tr_state;
// The start of the model as written in it, not yet made consistent; a = 0, lam = 0.
TR_API tr_status tr_state_new(const tr_system *system, tr_state *state, tr_error *error);
TR_API void tr_state_free(const tr_system *system, tr_state *state);
TR_API void tr_state_copy(tr_state *to, const tr_state *from);

// ---- outputs: "element.quantity" ------------------------------------------------------------------

// Every name the system offers, in the order of the model: 0 .. count - 1. The name is written to
// a buffer of `size` bytes like snprintf does, and its whole length returned.
TR_API int tr_channel_count(const tr_system *system);
TR_API int tr_channel_name(const tr_system *system, int channel, char *name, size_t size);
TR_API tr_quantity tr_channel_quantity(const tr_system *system, int channel);
// The multiplier of one row of a joint, "pin.lam1": lists are better off without, unless asked for by name.
TR_API bool tr_channel_is_raw(const tr_system *system, int channel);
TR_API int tr_channel_find(const tr_system *system, const char *name); // -1: none

// A reader evaluates chosen channels at a state; one per thread.
typedef struct tr_reader tr_reader;
TR_API tr_status tr_reader_new(const tr_system *system, int n, const int *channels,
                               tr_reader **reader, tr_error *error);
TR_API tr_status tr_reader_read(tr_reader *reader, const tr_state *state, double *values);
TR_API void tr_reader_free(tr_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
