// SPDX-License-Identifier: Apache-2.0
// The constraint doctor: rank, redundancy by name, what is not unique, singular positions and the motions
// that are free there; and what looks like a mistake.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_machine.h"
#include "math/v3.h"
#include "sparse/echelon.h"
#include "system/system.h"

// ---- elimination ----------------------------------------------------------------------------------

// Random sparse rows, every third a mixture of others: rank, weights and null space by multiplication.
static void echelon(void **unused) {
  (void)unused;
  enum { COLUMNS = 60, ROWS = 45, EACH = 6 };
  double A[ROWS][COLUMNS] = {0}, x[COLUMNS], w[ROWS];
  seed s = 5;
  tr_echelon *e;
  int rank = 0, of[ROWS];
  assert_int_equal(tr_echelon_new(NULL, COLUMNS, 1e9, &e), TR_OK);
  for (int i = 0; i < ROWS; i++) {
    int column[COLUMNS];
    bool mixed = i % 3 == 2 && i > 5, depends;
    for (int k = 0; k < EACH; k++) {
      int from = (int)((draw(&s) + 1) * 0.5 * i);
      double f = draw(&s);
      if (mixed)
        for (int j = 0; j < COLUMNS; j++) A[i][j] += f * A[from][j];
      else
        A[i][(int)((draw(&s) + 1) * 0.5 * COLUMNS)] += f;
    }
    for (int j = 0; j < COLUMNS; j++) column[j] = j;
    assert_int_equal(tr_echelon_add(e, COLUMNS, column, A[i], 1e-9, &depends), TR_OK);
    assert_int_equal(depends, mixed);
    rank += !mixed;
    if (!mixed) continue;
    int n = tr_echelon_weights(e, i, of, w);
    assert_true(n > 0 && n <= rank);
    for (int j = 0; j < COLUMNS; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += w[k] * A[of[k]][j];
      assert_near(sum, A[i][j], 1e-11, "row %d from others, column %d", i, j);
    }
  }
  assert_int_equal(tr_echelon_rank(e), rank);
  int free_columns = 0;
  for (int j = 0; j < COLUMNS; j++)
    free_columns += tr_echelon_is_free(e, j), x[j] = tr_echelon_is_free(e, j) ? draw(&s) : NAN;
  assert_int_equal(free_columns, COLUMNS - rank);
  tr_echelon_solve(e, x);
  for (int i = 0; i < ROWS; i++) {
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++) sum += A[i][j] * x[j];
    assert_near(sum, 0, 1e-11, "row %d on the null space", i);
  }
  tr_echelon_free(e);
}

static void echelon_gives_up(void **unused) {
  (void)unused;
  tr_echelon *e;
  bool depends;
  tr_status status = TR_OK;
  seed s = 9;
  assert_int_equal(tr_echelon_new(NULL, 40, 1000, &e), TR_OK);
  for (int i = 0; i < 40 && status == TR_OK; i++) {
    double value[40];
    int column[40];
    for (int j = 0; j < 40; j++) column[j] = j, value[j] = draw(&s);
    status = tr_echelon_add(e, 40, column, value, 1e-9, &depends);
  }
  assert_int_equal(status, TR_FAILED);
  tr_echelon_free(e);
}

// ---- redundant mechanisms -------------------------------------------------------------------------

typedef struct ward {
  const char *name, *text;
  int gruebler, freedom;
  const char *redundant; // somewhere in the words
  const char *reactions;
} ward;

#define PLATE ", mass: 1, inertia: [0.1, 0.1, 0.2]"
static const ward wards[] = {
    {"four-bar of hinges in space",
     "trammel: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
     "  crank: {type: spatial, mass: 1, inertia: 0.1, position: [0, 0.15, 0]}\n"
     "  coupler: {type: spatial, mass: 1, inertia: 0.1, position: [0.4, 0.35, 0]}\n"
     "  rocker: {type: spatial, mass: 1, inertia: 0.1, position: [0.8, 0.2, 0]}\n"
     "joints:\n"
     "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0]}\n"
     "  B: {type: revolute, bodies: [crank, coupler], at: [0, 0.3, 0]}\n"
     "  C: {type: revolute, bodies: [coupler, rocker], at: [0.8, 0.4, 0]}\n"
     "  D: {type: revolute, bodies: [ground, rocker], at: [0.8, 0, 0]}\n",
     -2, 1, "joint \"D\": 3 of 5 rows repeat what \"A\", \"B\", \"C\" say",
     "A (fz, tx, ty), B (fz, tx, ty), C (fz, tx, ty), D (fz, tx, ty)"},
    {"door on three hinges",
     "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  door: {type: spatial, mass: 20, inertia: [7, 2, 9], position: [0.4, 0, 1], omega: [0, 0, "
     "1]}\n"
     "joints:\n"
     "  low: {type: revolute, bodies: [ground, door], at: [0, 0, 0.2]}\n"
     "  middle: {type: revolute, bodies: [ground, door], at: [0, 0, 1]}\n"
     "  high: {type: revolute, bodies: [ground, door], at: [0, 0, 1.8]}\n",
     -9, 1, "joint \"high\": 5 of 5 rows repeat what \"low\" says", "low (fx, fy, fz, tx, ty)"},
    {"parallelogram of five links",
     "trammel: 1\ngravity: [0, -9.81]\nparameters: {L: 1}\nbodies:\n"
     "  plank: {type: planar, mass: 3, inertia: 1, position: [1.5 + 0.6, 0.8]}\n"
     "repeat:\n  - for: i\n    from: 0\n    to: 3\n"
     "    bodies:\n      link_{i}: {type: planar, mass: 1, inertia: 0.1, position: [i + 0.3, "
     "0.4]}\n"
     "    joints:\n"
     "      foot_{i}: {type: revolute, bodies: [ground, \"link_{i}\"], at: [i, 0]}\n"
     "      top_{i}: {type: revolute, bodies: [\"link_{i}\", plank], at: [i + 0.6, 0.8]}\n",
     -1, 1, "joint \"top_3\": 1 of 2 rows repeats what", "foot_0 (fx, fy), top_0 (fx, fy)"},
    {"platform on two pairs of guides",
     "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  table: {type: spatial" PLATE ", position: [0, 0, 1]}\n"
     "joints:\n"
     "  a: {type: cylindrical, bodies: [ground, table], at: [1, 1, 0]}\n"
     "  b: {type: cylindrical, bodies: [ground, table], at: [-1, 1, 0]}\n"
     "  c: {type: cylindrical, bodies: [ground, table], at: [-1, -1, 0]}\n"
     "  d: {type: cylindrical, bodies: [ground, table], at: [1, -1, 0]}\n",
     -10, 1, "joint \"d\": 4 of 4 rows repeat what", "a (fx, fy, tx, ty)"},
    {"hinge and ball on one axis",
     "trammel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  lid: {type: spatial" PLATE ", position: [0.5, 0, 0]}\n"
     "joints:\n"
     "  hinge: {type: revolute, bodies: [ground, lid], at: [0, 0.5, 0], axis: [0, 1, 0]}\n"
     "  ball: {type: spherical, bodies: [ground, lid], at: [0, -0.5, 0]}\n",
     -2, 1, "joint \"ball\": 3 of 3 rows repeat what \"hinge\" says", "hinge (fx, fy, fz, tx, tz)"},
    {"nothing to complain of",
     "trammel: 1\nbodies:\n  b: {type: planar, mass: 1, inertia: 1}\n"
     "joints:\n  j: {type: revolute, bodies: [ground, b], at: [1, 0]}\n",
     1, 1, "", ""},
};

static void redundant_mechanisms(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof wards / sizeof *wards; i++) {
    const ward *w = &wards[i];
    mechanism m = load_text(w->text);
    tr_state x;
    tr_examination *e = examine_start(&m, true, &x);
    if (e->gruebler != w->gruebler || e->freedom != w->freedom)
      fail_msg("%s: %d by count, %d free", w->name, e->gruebler, e->freedom);
    if (!strstr(e->redundant, w->redundant)) fail_msg("%s: %s", w->name, e->redundant);
    if (!strstr(e->reactions, w->reactions)) fail_msg("%s: %s", w->name, e->reactions);
    assert_int_equal(e->rank_nearby, e->rank);
    assert_false(e->nearly);
    assert_true(e->motions[0] != 0);
    assert_true((e->redundant[0] == 0) == (w->redundant[0] == 0));
    tr_examination_free(e);
    tr_state_free(m.sys, &x);
    unload(&m);
  }
}

// The three policies: one motion; forces of least norm are not longer; what is called unique is.
static void policies(void **unused) {
  (void)unused;
  for (size_t i = 0; i + 1 < sizeof wards / sizeof *wards; i++) {
    mechanism m = load_text(wards[i].text);
    tr_state x;
    tr_examination *e = examine_start(&m, false, &x);
    double q[2][64], norm[2];
    char *unique = calloc((size_t)tr_channel_count(m.sys), 1);
    double *value[2] = {calloc((size_t)tr_channel_count(m.sys), sizeof **value),
                        calloc((size_t)tr_channel_count(m.sys), sizeof **value)};
    assert_true(unique && value[0] && value[1]);
    for (int k = 0; k < 2; k++) {
      tr_run_settings s = tr_run_defaults();
      tr_error error = {0};
      tr_run *run;
      s.end = 0.3, s.step = 1e-3,
      s.redundant = k == 0 ? TR_REDUNDANT_LEAST_NORM : TR_REDUNDANT_REMOVE;
      s.method = "gen-alpha:rho=0.8";
      if (tr_run_new(m.sys, &s, NULL, &run, &error) != TR_OK || tr_run_all(run, &error) != TR_OK)
        fail_msg("%s: %s", wards[i].name, error.text);
      const tr_state *y = tr_run_state(run);
      assert_true(m.sys->nq <= 64);
      memcpy(q[k], y->q, (size_t)m.sys->nq * sizeof **q);
      norm[k] = norm2(m.sys->nc, y->lam);
      for (int c = 0; c < tr_channel_count(m.sys); c++) {
        char name[64];
        tr_channel_name(m.sys, c, name, sizeof name);
        value[k][c] = output(m.sys, y, name);
      }
      tr_run_free(run);
    }
    assert_memory_equal(q[0], q[1], (size_t)m.sys->nq * sizeof **q);
    assert_true(norm[0] <= norm[1] * (1 + 1e-12));
    // reactions that differ are among those named
    for (int c = 0; c < tr_channel_count(m.sys); c++) {
      char name[64], joint[64];
      if (tr_channel_is_raw(m.sys, c)) continue; // the reactions they make are what counts
      tr_channel_name(m.sys, c, name, sizeof name);
      if (!(fabs(value[0][c] - value[1][c]) > 1e-7 * (1 + fabs(value[0][c])))) continue;
      snprintf(joint, sizeof joint, "%.*s (", (int)strcspn(name, "."), name);
      const char *at = strstr(e->reactions, joint), *part = strchr(name, '.') + 1;
      const char *found = at ? strstr(at, part) : NULL;
      if (!found || found > strchr(at, ')')) fail_msg("%s: %s differs", wards[i].name, name);
    }
    tr_run_settings s = tr_run_defaults();
    tr_error error = {0};
    tr_run *run;
    s.end = 1, s.step = 1e-3, s.redundant = TR_REDUNDANT_FAIL;
    assert_int_equal(tr_run_new(m.sys, &s, NULL, &run, &error), TR_INCONSISTENT);
    assert_non_null(strstr(error.text, "repeat"));
    free(unique), free(value[0]), free(value[1]);
    tr_examination_free(e);
    tr_state_free(m.sys, &x);
    unload(&m);
  }
}

// Windows side by side, of hinges in space: three rows of each, however many.
static void many_windows(void **unused) {
  (void)unused;
  enum { N = 300 };
  mechanism m = load_text(
      "trammel: 1\nparameters: {N: 300}\nrepeat:\n"
      "  - for: i\n    from: 0\n    to: N\n"
      "    bodies:\n      up_{i}: {type: spatial, mass: 1, inertia: 0.1, position: [i, 0.5, 0]}\n"
      "    joints:\n      A_{i}: {type: revolute, bodies: [ground, \"up_{i}\"], at: [i, 0, 0]}\n"
      "  - for: i\n    from: 0\n    to: N - 1\n"
      "    bodies:\n      bar_{i}: {type: spatial, mass: 1, inertia: 0.1, position: [i + 0.5, 1, "
      "0]}\n"
      "    joints:\n"
      "      l_{i}: {type: revolute, bodies: [\"up_{i}\", \"bar_{i}\"], at: [i, 1, 0]}\n"
      "      r_{i}: {type: revolute, bodies: [\"up_{i+1}\", \"bar_{i}\"], at: [i + 1, 1, 0]}\n");
  tr_state x;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  tr_check_info info;
  assert_int_equal(tr_check(m.sys, &x, &info, NULL), TR_OK);
  assert_int_equal(info.constraints, 5 * (3 * N + 1));
  assert_int_equal(info.freedom, 1);
  assert_non_null(strstr(info.findings,
                         "joint \"r_7\": 3 of 5 rows repeat what \"A_7\", \"A_8\", \"l_7\" say\n"));
  tr_state_free(m.sys, &x);
  unload(&m);
}

// A speed that nothing can have is refused, and who wants it is named.
static void kept_speed_is_named(void **unused) {
  (void)unused;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n"
      "  bar: {type: planar, mass: 1, inertia: 1, omega: 2, keep: [omega]}\n"
      "joints: {hold: {type: fixed, markers: [ground, bar]}}\n");
  tr_state x;
  tr_error error = {0};
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_int_equal(tr_consistent_start(m.sys, &x, NULL, &error), TR_INCONSISTENT);
  assert_non_null(strstr(error.text, "joint \"hold\": its velocities cannot be made consistent"));
  assert_non_null(strstr(error.text, "body \"bar\": keeps omega as given"));
  tr_state_free(m.sys, &x);
  unload(&m);
}

// A joint that waits for an event is no constraint yet, and not called redundant.
static void joints_that_wait(void **unused) {
  (void)unused;
  mechanism m = load_model("clutch.yaml", NULL);
  tr_state x;
  tr_check_info info;
  tr_examination *e = NULL;
  assert_int_equal(tr_state_new(m.sys, &x, NULL), TR_OK);
  assert_int_equal(tr_check(m.sys, &x, &info, NULL), TR_OK);
  assert_int_equal(info.constraints, 4);
  assert_int_equal(info.idle, 1);
  assert_int_equal(info.rank, 4);
  assert_int_equal(tr_examine(m.sys, &x, false, &e, NULL), TR_OK);
  assert_int_equal(e->gruebler, 2);
  assert_int_equal(e->freedom, 2);
  tr_examination_free(e);
  tr_state_free(m.sys, &x);
  unload(&m);
}

// ---- singular positions ---------------------------------------------------------------------------

// A parallelogram of bars 1 and 2, turned by th from the line.
static mechanism parallelogram(double th) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "trammel: 1\nparameters: {th: %.17g}\nbodies:\n"
      "  left: {type: planar, mass: 1, inertia: 0.1, position: [cos(th)/2, sin(th)/2], angle: th}\n"
      "  coupler: {type: planar, mass: 1, inertia: 0.3, position: [1 + cos(th), sin(th)]}\n"
      "  right: {type: planar, mass: 1, inertia: 0.1, position: [2 + cos(th)/2, sin(th)/2], angle: "
      "th}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, left], at: [0, 0]}\n"
      "  B: {type: revolute, bodies: [left, coupler], at: [cos(th), sin(th)]}\n"
      "  C: {type: revolute, bodies: [coupler, right], at: [2 + cos(th), sin(th)]}\n"
      "  D: {type: revolute, bodies: [ground, right], at: [2, 0]}\n",
      th);
  return load_text(text);
}

static void singular_position(void **unused) {
  (void)unused;
  mechanism m = parallelogram(0);
  tr_state x;
  tr_examination *e = examine_start(&m, false, &x);
  assert_int_equal(e->rank, 7);
  assert_int_equal(e->rank_nearby, 8);
  assert_int_equal(e->freedom, 2);
  assert_string_equal(e->reactions, "A (fx), B (fx), C (fx), D (fx)\n");
  // one of the motions that are told keeps the parallelogram, or both mix it with the other
  assert_non_null(strstr(e->motions, "left turns"));
  assert_non_null(strstr(e->motions, "A.angle"));
  tr_examination_free(e);
  tr_state_free(m.sys, &x);
  unload(&m);
}

// Two bars between pins as far apart as they are long: the knee is free to first order only.
static void locked_position(void **unused) {
  (void)unused;
  mechanism m = load_text(
      "trammel: 1\nbodies:\n"
      "  one: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
      "  two: {type: planar, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
      "joints:\n"
      "  left: {type: revolute, bodies: [ground, one], at: [0, 0]}\n"
      "  knee: {type: revolute, bodies: [one, two], at: [1, 0]}\n"
      "  right: {type: revolute, bodies: [ground, two], at: [2, 0]}\n");
  tr_state x;
  tr_examination *e = examine_start(&m, false, &x);
  assert_int_equal(e->gruebler, 0);
  assert_int_equal(e->freedom, 1);
  assert_true(e->locked);
  assert_non_null(strstr(e->motions, "knee.angle"));
  tr_examination_free(e);
  tr_state_free(m.sys, &x);
  unload(&m);
}

// Near the line the motion held by next to nothing is the other branch's: left and right turn against each
// other. In the mass metric it is the free motion's neighbour, and the closeness goes like th.
static void nearly_singular(void **unused) {
  (void)unused;
  double before = 0;
  for (int k = 0; k < 3; k++) {
    double th = 0.02 * pow(0.5, k);
    mechanism m = parallelogram(th);
    tr_state x;
    tr_examination *e = examine_start(&m, false, &x);
    assert_int_equal(e->rank, 8);
    if (k > 0) assert_near(e->closeness / before, 0.5, 0.01, "closeness at %g", th);
    before = e->closeness;
    if (k == 2) {
      assert_true(e->nearly);
      double left, right;
      assert_non_null(strstr(e->motions, "left turns "));
      assert_non_null(strstr(e->motions, "right turns "));
      left = atof(strstr(e->motions, "left turns ") + 11);
      right = atof(strstr(e->motions, "right turns ") + 12);
      assert_true(left * right < 0);
    }
    tr_examination_free(e);
    tr_state_free(m.sys, &x);
    unload(&m);
  }
  mechanism m = parallelogram(1);
  tr_state x;
  tr_examination *e = examine_start(&m, false, &x);
  assert_false(e->nearly);
  assert_string_equal(e->motions, "");
  tr_examination_free(e);
  tr_state_free(m.sys, &x);
  unload(&m);
}

// No shipped model stands in a singular position, and long chains do not look like it.
static void shipped_models_are_regular(void **unused) {
  (void)unused;
  for (const char *const *name = shipped_models(); *name; name++) {
    mechanism m = load_model(*name, NULL);
    tr_state x;
    tr_examination *e = examine_start(&m, false, &x);
    if (e->rank != e->rank_nearby || e->nearly)
      fail_msg("%s: rank %d, %d nearby, closeness %g, %s", *name, e->rank, e->rank_nearby,
               e->closeness, e->motions);
    tr_examination_free(e);
    tr_state_free(m.sys, &x);
    unload(&m);
  }
}

// ---- what looks like a mistake --------------------------------------------------------------------

static void warnings(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *want; // "" for none at all
  } looks[] = {
      {"gravity: [0, 0, -9.81]\nbodies:\n  b: {type: planar, mass: 1, inertia: 1}\n",
       "gravity: all bodies are planar, they do not feel its z component, -9.81 m/s^2\n"},
      {"gravity: [0, -9810]\nbodies:\n  b: {type: planar, mass: 1, inertia: 1}\n",
       "gravity: 9810 m/s^2 is a lot"},
      {"bodies:\n  b: {type: spatial, mass: 1, inertia: [1, 1, 2.1]}\n",
       "text:3:3: body \"b\": no body has the moments of inertia 1, 1, 2.1: none can be more than"},
      // turned by 45 degrees: principal moments 0.5, 1, 1.5
      {"bodies:\n  b: {type: spatial, mass: 1, inertia: [1, 1, 1, 0.5, 0, 0]}\n", ""},
      {"bodies:\n  b: {type: spatial, mass: 1, inertia: [1, 1, 1, 0.7, 0, 0]}\n", "0.3, 1, 1.7"},
      {"bodies:\n  b: {type: planar, mass: 1, inertia: 50}\nforces:\n"
       "  f: {type: force, markers: [{body: b, at: [0.1, 0]}], force: [1, 0]}\n",
       "radius of gyration 7.07 m, while the whole model is 0.1 m large; inertia is in kg m^2"},
      {"gravity: [0, -9.81]\nbodies:\n  a: {type: planar, mass: 1, inertia: 1}\n"
       "  b: {type: planar, mass: 1, inertia: 1}\njoints:\n"
       "  j: {type: revolute, bodies: [ground, a], at: [1, 0]}\n",
       "text:5:3: body \"b\": no joint and no force touches it; it falls freely\n"},
      {"bodies:\n  b: {type: planar, mass: 1, inertia: 1, omega: 30}\nsimulation: {end: 1, step: "
       "0.1}\n",
       "body \"b\": turns by 3 rad in a step of 0.1 s"},
      {"bodies:\n  b: {type: planar-point, mass: 1}\nforces:\n"
       "  f: {type: torque, markers: [b], torque: [0, 0, 1]}\n",
       "force \"f\": a torque on \"b\" does nothing, it is a point mass"},
      {"bodies:\n  b: {type: planar-point, mass: 1}\nforces:\n"
       "  f: {type: spring-damper, markers: [ground, b], stiffness: 1, free-length: 0.1}\n",
       "force \"f\": its two points are at the same place at the start"},
      {"bodies:\n  b: {type: planar-point, mass: 1}\nforces:\n"
       "  f: {type: spring-damper, markers: [ground, b], stiffness: 1, free-length: 0}\n",
       ""},
      {"parameters: {a: 1, c: 2*a}\nbodies:\n  b: {type: planar, mass: 1, inertia: 1}\n",
       "text:2:20: parameter \"c\": not used\n"},
      {"bodies:\n  b: {type: planar, mass: 1, inertia: 1}\nmarkers:\n  here: {at: [1, 1]}\n",
       "text:5:3: marker \"here\": on ground and not used\n"},
  };
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    char text[1024];
    snprintf(text, sizeof text, "trammel: 1\n%s", looks[i].text);
    mechanism m = load_text(text);
    const char *got = tr_system_describe(m.sys).warnings;
    if (looks[i].want[0] ? !strstr(got, looks[i].want) : got[0] != 0)
      fail_msg("%s\ngives \"%s\"", looks[i].text, got);
    unload(&m);
  }
  // shipped models are beyond suspicion
  for (const char *const *name = shipped_models(); *name; name++) {
    mechanism m = load_model(*name, NULL);
    const char *got = tr_system_describe(m.sys).warnings;
    if (got[0]) fail_msg("%s", got);
    unload(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(echelon),
      cmocka_unit_test(echelon_gives_up),
      cmocka_unit_test(redundant_mechanisms),
      cmocka_unit_test(policies),
      cmocka_unit_test(many_windows),
      cmocka_unit_test(joints_that_wait),
      cmocka_unit_test(kept_speed_is_named),
      cmocka_unit_test(singular_position),
      cmocka_unit_test(locked_position),
      cmocka_unit_test(nearly_singular),
      cmocka_unit_test(shipped_models_are_regular),
      cmocka_unit_test(warnings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
