// SPDX-License-Identifier: Apache-2.0
// [NJK09]: six methods on the slider crank, rigid and flexible, and on the seven-body mechanism.
//
// Orders are those observed between h and h/2, errors the largest of a coordinate or a velocity at T
// against a Runge-Kutta reference. The six printed velocity errors on the damped slider crank are
// the largest of the six velocities, which is that of the crank's angle. The printed NSTIFF-SI2
// corrects positions in the identity metric; Trammel's default is the mass metric. The start is the
// printed one.
#include <math.h>

#include "problems.h"
#include "verify.h"

typedef struct method {
  const char *name, *text;
  const char *order;
  const char *velocity; // error on the damped slider crank, as printed
  bool stabilised;
} method;

static const method methods[] = {
    {"Newmark(0.4, 0.7)", "newmark:beta=0.4,gamma=0.7", "1.0", "2.9e-3", false},
    {"NSTIFF", "nstiff:start=printed", "2.0", "3.4e-4", false},
    {"NSTIFF-SI2", "nstiff-si2:start=printed,metric=identity", "2.0", "3.1e-4", true},
    {"HHT-I3(-0.3)", "hht-i3:alpha=-0.3,start=printed", "2.0", "1.39e-4", false},
    {"HHT-SI2(-0.3)", "hht-si2:alpha=-0.3,start=printed", "2.0", "1.34e-4", true},
    {"HHT-ADD(-0.3)", "hht-add:alpha=-0.3,b=0,start=printed", "2.0", "4.2e-5", true},
};
enum { METHODS = sizeof methods / sizeof *methods };

static tr_status slider_velocity(verify *v) {
  verify_system s;
  verify_result reference = {0}, r;
  TR_TRY(verify_load(v, "slider_crank", 0, NULL, &s));
  tr_status status = verify_reference(v, s.system, ldexp(1, -13), 2, &reference);
  for (int i = 0; i < METHODS && status == TR_OK; i++) {
    verify_run run = {s.system, methods[i].text, ldexp(1, -10), .end = 2};
    status = verify_do(v, &run, &r);
    if (status != TR_OK) break;
    double error = verify_v_error(&r, &reference);
    verify_drop(&r);
    status = verify_entry(v, "rad/s", methods[i].velocity, error, NULL, "%s", methods[i].name);
  }
  verify_drop(&reference);
  verify_unload(&s);
  return status;
}

// ---- orders ---------------------------------------------------------------------------------------

typedef struct study {
  const char *name;
  const tr_system *system;
  double step, end;  // the coarser of the two steps
  const char *bound; // on the velocity constraints of the stabilised methods
  bool drift;        // of the others too: its order
} study;

// |G v + Phi_t| at the end; NaN when memory is short.
static double violation_at_end(const verify_result *r) {
  int channel = tr_channel_find(r->system, "constraint.velocity");
  tr_reader *reader;
  double x = NAN;
  if (tr_reader_new(r->system, 1, &channel, &reader, NULL) != TR_OK) return x;
  if (tr_reader_read(reader, &r->x, &x) != TR_OK) x = NAN;
  tr_reader_free(reader);
  return x;
}

static tr_status report_orders(verify *v, const study *s, const method *m, const double *q,
                               const double *w, const double *drift) {
  TR_TRY(verify_entry(v, "", m->order, verify_order(q[0], q[1]), NULL, "%s, %s: order in q",
                      s->name, m->name));
  TR_TRY(verify_entry(v, "", m->order, verify_order(w[0], w[1]), NULL, "%s, %s: order in v",
                      s->name, m->name));
  if (m->stabilised)
    return verify_entry(v, "", s->bound, fmax(drift[0], drift[1]), NULL, "%s, %s: max |G v|",
                        s->name, m->name);
  if (!s->drift) return TR_OK;
  return verify_entry(v, "", "2.0", verify_order(drift[0], drift[1]), NULL,
                      "%s, %s: order of |G v| at T", s->name, m->name);
}

static tr_status motion_orders(verify *v, const study *s, double reference_step) {
  verify_result reference;
  TR_TRY(verify_reference(v, s->system, reference_step, s->end, &reference));
  tr_status status = TR_OK;
  for (int i = 0; i < METHODS && status == TR_OK; i++) {
    double q[2] = {0}, w[2] = {0}, drift[2] = {0};
    for (int k = 0; k < 2 && status == TR_OK; k++) {
      verify_run run = {s->system, methods[i].text, k ? 0.5 * s->step : s->step, .end = s->end,
                        .tol = 1e-14};
      verify_result r;
      status = verify_do(v, &run, &r);
      if (status != TR_OK) break;
      q[k] = verify_q_error(&r, &reference), w[k] = verify_v_error(&r, &reference);
      drift[k] = methods[i].stabilised ? r.info.max_phi_v : violation_at_end(&r);
      verify_drop(&r);
    }
    if (status == TR_OK) status = report_orders(v, s, &methods[i], q, w, drift);
  }
  verify_drop(&reference);
  return status;
}

static tr_status energy_orders(verify *v, const study *s) {
  tr_status status = TR_OK;
  for (int i = 0; i < METHODS && status == TR_OK; i++) {
    double e[2] = {0};
    for (int k = 0; k < 2 && status == TR_OK; k++) {
      verify_run run = {s->system, methods[i].text, k ? 0.5 * s->step : s->step, s->end,
                        .watch = true};
      verify_result r;
      status = verify_do(v, &run, &r);
      e[k] = r.mean_energy;
      verify_drop(&r);
    }
    if (status == TR_OK)
      status = verify_entry(v, "", methods[i].order, verify_order(e[0], e[1]), NULL,
                            "%s, %s: order of the mean energy error", s->name, methods[i].name);
  }
  return status;
}

static tr_status orders(verify *v) {
  static const char *const undamped[] = {"c", "0"};
  verify_system s;
  TR_TRY(verify_load(v, "slider_crank", 0, NULL, &s));
  study crank = {"slider crank", s.system, ldexp(1, -10), 2, "< 1e-10", false};
  tr_status status = motion_orders(v, &crank, ldexp(1, -13));
  verify_unload(&s);
  if (status == TR_OK) status = verify_load(v, "slider_crank", 1, undamped, &s);
  if (status != TR_OK) return status;
  study free_crank = {"undamped slider crank", s.system, ldexp(1, -11), 2, NULL, false};
  status = energy_orders(v, &free_crank);
  verify_unload(&s);
  if (status == TR_OK) status = verify_load(v, "seven_body", 0, NULL, &s);
  if (status != TR_OK) return status;
  study bodies = {"seven bodies, 21 coordinates", s.system, 8e-6, 0.01, "< 1e-10", false};
  status = motion_orders(v, &bodies, 2e-6);
  verify_unload(&s);
  if (status == TR_OK) status = verify_load_problem(v, &tr_problem_seven_angles, &s);
  if (status != TR_OK) return status;
  study angles = {"seven bodies, 7 angles", s.system, 8e-6, 0.01, "< 1e-10", false};
  status = motion_orders(v, &angles, 2e-6);
  verify_unload(&s);
  return status;
}

// The rod as a beam of two modes in a floating frame, started on the slow manifold.
static tr_status flexible(verify *v) {
  verify_system s;
  TR_TRY(verify_load(v, "slider_crank_flexible", 0, NULL, &s));
  study crank = {"flexible slider crank", s.system, ldexp(1, -10), 2, "< 1e-10", true};
  tr_status status = motion_orders(v, &crank, ldexp(1, -13));
  if (status == TR_OK) status = energy_orders(v, &crank);
  verify_unload(&s);
  return status;
}

const verify_group verify_njk09_slider_velocity = {
    {"njk09-slider-velocity",
     "largest error of a velocity on the damped slider crank, h = 2^-10, T = 2", "NJK09"},
    METHODS + 1,
    slider_velocity};

const verify_group verify_njk09_orders = {{"njk09-orders",
                                           "orders in q and v, of the mean energy error, and the "
                                           "velocity constraints, on the slider crank "
                                           "and the seven-body mechanism",
                                           "NJK09"},
                                          8 * METHODS + 3,
                                          orders};

const verify_group verify_njk09_flexible = {{"njk09-flexible",
                                             "orders in q and v, of the mean energy error, and the "
                                             "velocity constraints, on the slider crank "
                                             "with a flexible rod",
                                             "NJK09"},
                                            4 * METHODS + 1,
                                            flexible};
