// SPDX-License-Identifier: Apache-2.0
// The language of laws: values, derivatives of first and second order against differences, units, data,
// the markers a law brings to its element.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_laws.h"
#include "math/v3.h"
#include "model/plan.h"

#define PI 3.14159265358979323846

// Two bodies with markers, curves, parameters; `elements` follow.
#define WORLD                                                        \
  "trammel: 1\n"                                                     \
  "parameters: {k: 3, w: 2 rad/s, L: 0.5 m, N: 2}\n"                 \
  "data:\n"                                                          \
  "  bump: {x: [-1, 0, 0.5, 2, 3], y: [0, 1, -1, 2, 0.5]}\n"         \
  "  line: {x: [0, 1, 2], y: [0 N, 3 N, 1 N], kind: linear}\n"       \
  "bodies:\n"                                                        \
  "  a: {type: spatial, mass: 1, inertia: 1}\n"                      \
  "  b: {type: spatial, mass: 1, inertia: 1, position: [1, 2, 3]}\n" \
  "markers:\n"                                                       \
  "  m1: {body: a, at: [0.1, 0.2, 0.3]}\n"                           \
  "  m2: {body: b, orientation: {x: 30 deg}}\n"                      \
  "  m3: {at: [1, 1, 1]}\n"

typedef struct planned {
  tr_model *model;
  tr_arena arena;
  tr_plan plan;
} planned;

static tr_status plan_text(const char *text, planned *p, tr_error *error) {
  *p = (planned){.arena = tr_arena_make(NULL)};
  assert_int_equal(tr_model_new(NULL, &p->model), TR_OK);
  tr_status status = tr_model_read_text(p->model, text, strlen(text), "m.yaml", error);
  return status != TR_OK ? status : tr_model_plan(p->model, &p->arena, &p->arena, &p->plan, error);
}

static planned plan_law(const char *type, const char *key, const char *law) {
  char text[4096];
  tr_error error = {0};
  planned p;
  snprintf(text, sizeof text, WORLD "%s: {e: {type: %s%s, %s: \"%s\"}}\n",
           strstr(type, "expression") ? "joints" : "forces", type,
           strstr(type, "expression") ? "" : ", markers: [m1, m2]", key, law);
  if (plan_text(text, &p, &error) != TR_OK) fail_msg("%s: %s", law, error.text);
  return p;
}

static void drop(planned *p) {
  tr_arena_free(&p->arena);
  tr_model_free(p->model);
}

static const tr_law *law_at(const void *par, const tr_field *fields, const char *key) {
  for (const tr_field *f = fields; f->name; f++)
    if (!strcmp(f->name, key)) return *(const tr_law *const *)((const char *)par + f->offset);
  return NULL;
}

static const tr_law *force_law(const planned *p) {
  return law_at(p->plan.force[0].par, p->plan.force[0].type->fields, "force");
}

// ---- values -------------------------------------------------------------------------------------------

static void values(void **unused) {
  (void)unused;
  static const struct {
    const char *text;
    double t, value;
  } rows[] = {
      {"7", 0, 7},
      {"k*N + 1 N", 0, 7},
      {"2 kN", 0, 2000},
      {"3*time", 2, 6},
      {"-time^2", 3, -9},
      {"2^-time", 3, 0.125},
      {"sin(w*time)", 0.7, sin(1.4)},
      {"if(time < 1, 2, 3*time)", 0.5, 2},
      {"if(time < 1, 2, 3*time)", 1, 3},
      {"step(time, 1, 5, 3, 9)", 0.9, 5},
      {"step(time, 1, 5, 3, 9)", 2, 7},
      {"step(time, 1, 5, 3, 9)", 1.5, 5 + 4 * (3 * 0.0625 - 2 * 0.015625)},
      {"step(time, 1, 5, 3, 9)", 4, 9},
      {"step5(time, 0, 0, 1, 1)", 0.5, 0.5},
      {"step5(time, 0, 0, 1, 1)", 0.25, 0.103515625},
      {"havsin(time, 0, 1, 2, 3)", 1, 2},
      {"havsin(time, 0, 1, 2, 3)", 0.5, 2 - cos(PI / 4)},
      {"step(3, 1, 5, 3, 9) + time", 1, 10},
      {"min(time, 2, 5 - time)", 4, 1},
      {"max(1, time)", 4, 4},
      {"mod(time, 2)", 5, 1},
      {"abs(1 - time)", 3, 2},
      {"1*atan2(time, 1)", 1, PI / 4},
      {"line(time)", 0.5, 1.5},
      {"line(time)", 1.5, 2},
      {"line(time)", 4, -3},
      {"line(0.5) + time", 0, 1.5},
      {"bump(time)", 0.5, -1},
      {"bump(time - 1)", 0, 0},
      {"floor(time) + ceil(time) + round(time) + sign(-time)", 1.6, 4},
      {"((time))*1 N", 3, 3},
      {"(time) kN", 3, 3000},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    planned p = plan_law("spring-damper", "force", rows[k].text);
    const tr_law *law = force_law(&p);
    assert_near(law_value(law, 6, rows[k].t, NULL, NULL), rows[k].value,
                1e-14 * fmax(1, fabs(rows[k].value)), "%s at %g", rows[k].text, rows[k].t);
    assert_int_equal(law->markers, 2);
    drop(&p);
  }
}

// What does not move becomes one number.
static void folding(void **unused) {
  (void)unused;
  static const struct {
    const char *text;
    int n;
  } rows[] = {{"sin(k)^2 + N*sqrt(k)", 1}, {"time", 1},      {"2*k*N*time", 3},
              {"time^(1+1)", 2},           {"line(0.5)", 1}, {"if(N > 1, k, 0) + time", 3},
              {"min(1, 2, 3)*time", 3}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    planned p = plan_law("spring-damper", "force", rows[k].text);
    assert_int_equal(force_law(&p)->n, rows[k].n);
    drop(&p);
  }
}

// ---- derivatives --------------------------------------------------------------------------------------

typedef struct stage {
  const tr_law *law;
  int nd, n;
  double t, variable[2];
  tr_frame frame[TR_MAX_MARKERS];
  double u[TR_LAW_MAX_N], du[TR_LAW_MAX_N], dt, dvar[2];
} stage;

static void turn_frame(int nd, tr_frame *f, double s, const double *u) {
  double d[3] = {0, 0, s * u[2]}, e[4], E[9], R[9];
  f->p[0] += s * u[0], f->p[1] += s * u[1];
  if (nd == 6) f->p[2] += s * u[2], v3_scale(s, u + 3, d);
  f->angle += d[2];
  quat_exp(d, e), quat_to_m3(e, E);
  m3_mulm(E, f->R, R), m3_copy(R, f->R);
}

static double stand(const stage *x, double s, tr_frame *f, const tr_frame **pf) {
  for (int k = 0; k < x->law->markers; k++) {
    f[k] = x->frame[k];
    turn_frame(x->nd, &f[k], s, x->u + k * x->nd);
    const double *du = x->du + k * x->nd;
    f[k].v[0] += s * du[0], f[k].v[1] += s * du[1];
    if (x->nd == 3)
      f[k].w[2] += s * du[2];
    else
      f[k].v[2] += s * du[2], v3_axpy(s, du + 3, f[k].w);
    pf[k] = &f[k];
  }
  return x->t + s * x->dt;
}

static void value_path(void *context, double s, double *out) {
  const stage *x = context;
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  double variable[2] = {x->variable[0] + s * x->dvar[0], x->variable[1] + s * x->dvar[1]};
  double t = stand(x, s, f, pf);
  *out = law_value(x->law, x->nd, t, pf, variable);
}

// The gradient by displacements, and the rate of the value while the frames move on with their twists.
static void gradient_path(void *context, double s, double *out) {
  const stage *x = context;
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  law_slope d;
  double t = stand(x, s, f, pf);
  law_derive(x->law, x->nd, t, pf, x->variable, &d);
  memcpy(out, d.q, (size_t)x->n * sizeof *out);
  out[x->n] = d.time;
  for (int i = 0; i < x->n; i++) out[x->n] += d.q[i] * x->u[i];
}

static stage *set_stage(const tr_law *law, int nd, seed *s) {
  static stage room;
  stage *x = &room;
  memset(x, 0, sizeof *x);
  x->law = law, x->nd = nd, x->n = law->markers * nd, x->t = 0.4 + 0.1 * draw(s);
  x->variable[0] = 1 + 0.5 * draw(s), x->variable[1] = 0.7 * draw(s);
  for (int k = 0; k < law->markers; k++) {
    tr_frame *f = &x->frame[k];
    double d[6] = {1.5 * k};
    m3_identity(f->R);
    for (int i = 0; i < 6; i++) d[i] += 0.6 * draw(s);
    turn_frame(nd, f, 1, d);
    draw_many(s, 3, f->v), draw_many(s, 3, f->w);
    if (nd == 3) f->v[2] = f->w[0] = f->w[1] = 0;
  }
  return x;
}

static void stop(stage *x) {
  memset(x->u, 0, sizeof x->u), memset(x->du, 0, sizeof x->du);
  x->dt = x->dvar[0] = x->dvar[1] = 0;
}

static void check_slope(stage *x, const char *text) {
  law_slope d;
  double want, tol;
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  law_derive(x->law, x->nd, stand(x, 0, f, pf), pf, x->variable, &d);
  for (int i = 0; i < x->n; i++) {
    stop(x), x->u[i] = 1;
    tol = differentiate(value_path, x, 1, &want);
    assert_near(d.q[i], want, tol, "%s: by displacement %d, nd %d", text, i, x->nd);
    stop(x), x->du[i] = 1;
    tol = differentiate(value_path, x, 1, &want);
    assert_near(d.v[i], want, tol, "%s: by twist %d, nd %d", text, i, x->nd);
  }
  stop(x), x->dt = 1;
  tol = differentiate(value_path, x, 1, &want);
  assert_near(d.time, want, tol, "%s: by time", text);
  for (int k = 0; k < 2; k++) {
    stop(x), x->dvar[k] = 1;
    tol = differentiate(value_path, x, 1, &want);
    assert_near(d.variable[k], want, tol, "%s: by variable %d", text, k);
  }
}

static void slopes(void **unused) {
  (void)unused;
  static const char *const rows[] = {
      "1 + 2*DX(m1)",
      "DY(m1, m2, m3)*k",
      "DZ(m2, m1, m2)*k",
      "k*DM(m1, m2)^3",
      "k*DM(b)",
      "k*VX(m1) + k*VY(m2, m1)",
      "k*VZ(m1, m2, m2)",
      "k*VM(m1, m2)",
      "k*VR(m2, m3)",
      "k*AX(m2, m1)",
      "k*AY(m2, m1)",
      "k*AZ(m2, m1)",
      "k*AZ(m1)",
      "k*WX(m1)",
      "k*WY(m1, m2)",
      "k*WZ(m2, ground, m1)",
      "k*length^2*rate - 5*abs(rate)*rate + 2*sin(time)*length",
      "k*sin(k*DX(m1) + w*time)*exp(-k*DM(m1, m2))",
      "k*atan2(k*DY(m1), k*DX(m2) + 3)",
      "tanh(k*VX(m1))*log(1 + k*DM(m1, m2)) + sqrt(4 + k*DY(m2)*DX(m1))",
      "(2 + k*DX(m1))^(1 + 0.3*sin(time))",
      "bump(k*DX(m1)/3)",
      "line(0.3 + k*DX(m1)/10)",
      "min(k*DX(m1), k*DY(m2), 7) + max(k*VX(m1), 0.1)",
      "if(k*DX(m1) > 0, k*DY(m2), k*VY(m1))",
      "step(k*DX(m1), -20, 1, 20, 3) + step5(k*DY(m1), -20, 1, 20, k*DX(m2))",
      "havsin(k*DX(m2), -20, k*DX(m1), 30, 1)*step(time, 0, 0, 1, 1)",
      "mod(k*DX(m1) + 100, 50)",
      "k*asin(0.02*k*DX(m1)) + k*acos(0.02*k*DX(m2)) + k*atan(k*DX(m1))",
      "sinh(k*DX(m1)/9)*cosh(k*DX(m2)/9)/(k*DM(m1, m2)) + log10(9 + k*DX(m1))",
      "2^(k*DX(m1)/9)*tan(k*DY(m1)/20)",
      "cos(DX(m1)/L)*5 N - DX(m1)/L*(2 N)"};
  seed s = 77;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    planned p = plan_law("spring-damper", "force", rows[k]);
    for (int nd = 3; nd <= 6; nd += 3)
      for (int i = 0; i < 3; i++) check_slope(set_stage(force_law(&p), nd, &s), rows[k]);
    drop(&p);
  }
}

static void check_curvature(stage *x, const char *text) {
  double H[TR_LAW_MAX_N * TR_LAW_MAX_N] = {0}, d[TR_LAW_MAX_N + 1], column[TR_LAW_MAX_N];
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  stop(x);
  double t = stand(x, 0, f, pf);
  law_add_hessian(x->law, x->nd, t, pf, 1, H);
  for (int j = 0; j < x->n; j++) {
    stop(x), x->u[j] = 1;
    double tol = differentiate(gradient_path, x, x->n, d);
    for (int i = 0; i < x->n; i++) column[i] = H[i * x->n + j];
    assert_all_near(x->n, column, d, tol, "%s: Hessian, column %d, nd %d", text, j, x->nd);
  }
  stop(x), x->dt = 1;
  for (int k = 0; k < x->law->markers; k++) {
    double *u = x->u + k * x->nd;
    memcpy(u, x->frame[k].v, 3 * sizeof *u);
    if (x->nd == 3)
      u[2] = x->frame[k].w[2];
    else
      memcpy(u + 3, x->frame[k].w, 3 * sizeof *u);
  }
  double tol = differentiate(gradient_path, x, x->n + 1, d);
  assert_near(law_bias(x->law, x->nd, t, pf), d[x->n], tol, "%s: bias, nd %d", text, x->nd);
}

static void curvatures(void **unused) {
  (void)unused;
  static const char *const rows[] = {
      "DX(m1, m2, m3) + DY(m2, m1, m1)",
      "DM(m1, m2)",
      "AX(m1, m2)",
      "AY(m1, m2)",
      "AZ(m2, m1)",
      "AZ(b)*2 - AZ(m1)*k",
      "k*DX(m1)*DY(m2) + sin(w*time)*k*DZ(m1, m2, m1)",
      "k*DM(m1, m2)^2 - exp(k*DX(m1)/5)*time^2",
      "k*DX(m1)/(3 + k*DM(m1, m2)) - atan2(time, 2 + DX(b))",
      "sqrt(4 + k*DX(m1)^2) + log(9 + k*DY(m2)) + tanh(k*DX(m1)*time)",
      "bump(k*DX(m1)/3 + time)*k*DY(m1)",
      "step(k*DX(m1), -20, 1, 20, k*DX(m2))",
      "step5(time, 0, k*DX(m1), 1, k*DX(m2))*havsin(k*DY(m1), -30, 0, 30, 1)",
      "(3 + k*DX(m1)/9)^(2 + sin(time))",
      "asin(0.02*k*DX(m1)) - acos(0.02*k*DX(m2)) + tan(time/2)",
      "k*DX(m1)*abs(k*DX(m1)) + max(k*DX(m2)^2, 0) + 2*log10(9 + k*DX(m1))"};
  seed s = 99;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    planned p = plan_law("expression", "phi", rows[k]);
    const tr_law *law = law_at(p.plan.joint[0].par, p.plan.joint[0].type->fields, "phi");
    assert_int_equal(p.plan.joint[0].markers, law->markers);
    for (int nd = 3; nd <= 6; nd += 3)
      for (int i = 0; i < 3; i++) check_curvature(set_stage(law, nd, &s), rows[k]);
    drop(&p);
  }
}

// The gradient by twists, and the value while the frames move on.
static void twist_gradient_path(void *context, double s, double *out) {
  const stage *x = context;
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  law_slope d;
  double t = stand(x, s, f, pf);
  law_derive(x->law, x->nd, t, pf, x->variable, &d);
  memcpy(out, d.v, (size_t)x->n * sizeof *out);
  out[x->n] = d.value;
}

static void check_twist_curvature(stage *x, const char *text) {
  double Q[TR_LAW_MAX_N * TR_LAW_MAX_N] = {0}, V[TR_LAW_MAX_N * TR_LAW_MAX_N] = {0};
  double d[TR_LAW_MAX_N + 1], column[TR_LAW_MAX_N];
  tr_frame f[TR_MAX_MARKERS];
  const tr_frame *pf[TR_MAX_MARKERS];
  stop(x);
  double t = stand(x, 0, f, pf);
  law_add_twist_hessian(x->law, x->nd, t, pf, 1, Q, V);
  for (int j = 0; j < 2 * x->n; j++) {
    int k = j % x->n;
    bool by_twist = j >= x->n;
    stop(x), (by_twist ? x->du : x->u)[k] = 1;
    double tol = differentiate(twist_gradient_path, x, x->n, d);
    for (int i = 0; i < x->n; i++) column[i] = (by_twist ? V : Q)[i * x->n + k];
    assert_all_near(x->n, column, d, tol, "%s: by twists and %s, column %d, nd %d", text,
                    by_twist ? "twists" : "displacements", k, x->nd);
  }
  stop(x), x->dt = 1;
  for (int k = 0; k < x->law->markers; k++) {
    double *u = x->u + k * x->nd;
    memcpy(u, x->frame[k].v, 3 * sizeof *u);
    if (x->nd == 3)
      u[2] = x->frame[k].w[2];
    else
      memcpy(u + 3, x->frame[k].w, 3 * sizeof *u);
  }
  double tol = differentiate(twist_gradient_path, x, x->n + 1, d);
  assert_near(law_drift(x->law, x->nd, t, pf), d[x->n], tol, "%s: drift, nd %d", text, x->nd);
}

static void twist_curvatures(void **unused) {
  (void)unused;
  static const char *const rows[] = {"VX(m1, m2, m3) + VY(m2, m1, m1)",
                                     "VM(m1, m2)",
                                     "VR(m2, m3)",
                                     "WX(m1) - WZ(m2, m1, m3)",
                                     "k*VX(m1)*VR(m2, m3) + sin(w*time)*k*DZ(m1, m2, m1)*VZ(m1)",
                                     "k*VM(m1, m2)^2 - exp(k*DX(m1)/5)*time*k*WY(m1, m2, m2)",
                                     "tanh(k*VX(m1))/(3 + k*DM(m1, m2)) + AZ(m1)*k*WZ(m1)"};
  seed s = 55;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    planned p = plan_law("velocity-expression", "gam", rows[k]);
    const tr_law *law = law_at(p.plan.joint[0].par, p.plan.joint[0].type->fields, "gam");
    for (int nd = 3; nd <= 6; nd += 3)
      for (int i = 0; i < 3; i++) check_twist_curvature(set_stage(law, nd, &s), rows[k]);
    drop(&p);
  }
}

static void time_path(void *context, double s, double *out) {
  double f[3];
  law_of_time(context, 0.37 + s, f);
  out[0] = f[0], out[1] = f[1];
}

static void of_time(void **unused) {
  (void)unused;
  static const char *const rows[] = {"sin(5*time)*exp(-time)",
                                     "time^3 - 2*time",
                                     "step(time, 0, 0, 1, 90 deg)",
                                     "bump(time)",
                                     "havsin(time, 0.1, 2, 0.8, 1)",
                                     "(1 + time)^2.5/(1 + time^2)",
                                     "sqrt(time)*log(1 + time)",
                                     "atan2(sin(time), 2 + cos(3*time))",
                                     "if(time < 1, time^2, 0)",
                                     "step5(time, 0, 0, 1, 1)*tan(time)",
                                     "2^time + time^time",
                                     "5",
                                     "cosh(time)*tanh(time) + asin(time/2)"};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[4096];
    tr_error error = {0};
    planned p;
    snprintf(text, sizeof text,
             WORLD "joints: {e: {type: motion, markers: [m1, m2], along: rz, position: \"%s\"}}\n",
             rows[k]);
    if (plan_text(text, &p, &error) != TR_OK) fail_msg("%s: %s", rows[k], error.text);
    const tr_law *law = law_at(p.plan.joint[0].par, p.plan.joint[0].type->fields, "position");
    double d[2], f[3];
    double tol = differentiate(time_path, (void *)law, 2, d);
    law_of_time(law, 0.37, f);
    assert_all_near(2, f + 1, d, tol, "%s", rows[k]);
    drop(&p);
  }
}

// ---- curves -------------------------------------------------------------------------------------------

// A natural spline through its own points; y' and y'' continuous there and at the ends, straight outside.
static void splines(void **unused) {
  (void)unused;
  enum { N = 6 };
  const double x[N] = {-1, 0, 0.25, 1, 2.5, 3}, y[N] = {1, -1, 0.5, 2, 0, 4};
  double m[N], work[N], lo[3], hi[3];
  tr_spline s = {.n = N, .x = x, .y = y, .m = m};
  spline_curvature(N, x, y, m, work);
  for (int i = 0; i < N; i++) {
    spline_at(&s, x[i] - 1e-9, lo);
    spline_at(&s, x[i] + 1e-9, hi);
    assert_near(0.5 * (lo[0] + hi[0]), y[i], 1e-12, "value");
    assert_near(lo[1], hi[1], 1e-6, "slope at %g", x[i]);
    assert_near(lo[2], hi[2], 1e-6, "curvature at %g", x[i]);
  }
  spline_at(&s, -3, lo);
  spline_at(&s, -2, hi);
  assert_near(hi[0] - lo[0], lo[1], 1e-14, "straight before");
  spline_at(&s, 5, lo);
  spline_at(&s, 6, hi);
  assert_near(hi[0] - lo[0], lo[1], 1e-13, "straight after");
  // a straight line stays one
  double line[N];
  for (int i = 0; i < N; i++) line[i] = 2 * x[i] - 1;
  spline_curvature(N, x, line, m, work);
  for (int i = 0; i < N; i++) assert_near(m[i], 0, 1e-14, "curvature of a line");
}

// ---- markers ------------------------------------------------------------------------------------------

// Own markers are not brought twice, ground not at all; templates name markers; the order is kept.
static void markers(void **unused) {
  (void)unused;
  static const struct {
    const char *law;
    int markers;
  } rows[] = {{"k*DX(m1)", 2},         {"k*DX(m1, m2, ground)", 2}, {"k*DX(m3)", 3},
              {"k*DX(b, m3, a)", 5},   {"k*DX(m{1}, m{N})", 2},     {"k*DX(m{N+1}, m1)", 3},
              {"k*DX( m3 , m3 )", 3},  {"k*WZ(m2, ground, m3)", 3}, {"time", 2},
              {"k*DM(a)*VX(b, m3)", 5}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    planned p = plan_law("spring-damper", "force", rows[k].law);
    const tr_plan_force *f = &p.plan.force[0];
    assert_int_equal(f->markers, rows[k].markers);
    assert_int_equal(force_law(&p)->markers, rows[k].markers);
    for (int i = 0; i < f->markers; i++)
      for (int j = 0; j < i; j++) assert_int_not_equal(f->marker[i], f->marker[j]);
    drop(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values),     cmocka_unit_test(folding),          cmocka_unit_test(slopes),
      cmocka_unit_test(curvatures), cmocka_unit_test(twist_curvatures), cmocka_unit_test(of_time),
      cmocka_unit_test(splines),    cmocka_unit_test(markers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
