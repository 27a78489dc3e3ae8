// SPDX-License-Identifier: Apache-2.0
// What a run that ends well says of results that are not: velocities gone astray, energy from nowhere.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"

static const char *const top =
    "trammel: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {type: spatial, mass: 2, inertia: [0.05, 0.05, 0.03], com: [0, 0, 0.3],\n"
    "        orientation: [{z: 0.3}, {x: 1.1}, {z: 0.5}], omega: [10.5, -34, 19.1], keep: [wx, wy, "
    "wz]}\n"
    "joints:\n"
    "  tip: {type: spherical, markers: [ground, top]}\n";

typedef struct told {
  const char *method, *model; // NULL: the top above
  double step, end;
  bool astray, grew;
} told;

// A method without damping on index 3 keeps the positions, and nothing else. Gyroscopic moments of the step's start
// feed what tumbles. Neither is said of methods that do well, of a body at rest, and where a drive brings the energy.
static void notes(void **u) {
  (void)u;
  static const told row[] = {
      {"newmark:beta=1/4,gamma=1/2", NULL, 0x1p-12, 1, true, false},
      {"hht-i3:alpha=0", NULL, 0x1p-12, 1, true, false},
      {"gen-alpha:rho=1", NULL, 0x1p-12, 1, true, false},
      {"newmark:beta=1/4,gamma=1/2", NULL, 0x1p-12, 0.1, false, false},
      {"newmark:beta=1/4,gamma=1/2", "stewart_platform.yaml", 0.002, 0.2, false, false},
      {"newmark:beta=1/4,gamma=1/2", "pendulum.yaml", 1e-3, 2, false, false},
      {"gen-alpha:rho=1,index=2", NULL, 0x1p-12, 1, false, false},
      {"hht-i3", NULL, 0x1p-12, 1, false, false},
      {"pfpc1", NULL, 4e-3, 20, false, true},
      {"pfpc2", NULL, 4e-3, 20, false, false},
      {"hht-i3", "flexible_arm.yaml", 0.01, 10, false, false},
      {"pfpc1", "slider_crank.yaml", 1e-3, 2, false, false},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const told *w = &row[i];
    mechanism m = w->model ? load_model(w->model, NULL) : load_text(top);
    tr_run *run = new_run(m.sys, w->method, w->step, w->end);
    tr_error error = {0};
    tr_status status = tr_run_all(run, &error); // astray by a quarter and more: it fails
    assert_true(status == TR_OK || (status == TR_FAILED && w->astray));
    const char *text = status == TR_OK ? tr_run_describe(run).notes : error.text;
    if ((strstr(text, "astray") != NULL) != w->astray || (strstr(text, "grew") != NULL) != w->grew)
      fail_msg("%s, %s: \"%s\"", w->method, w->model ? w->model : "top", text);
    tr_run_free(run);
    unload(&m);
  }
}

// A link that turns over at 12 rad/s: index 3 with little damping feeds velocities across the hinge, which is no result
// any more; with shorter steps, more damping or velocities held it is one. So for links of a metre, and of a centimetre on a
// planet as much smaller, which turn alike.
static void links_that_turn_far(void **u) {
  (void)u;
  static const char *const link =
      "trammel: 1\n"
      "gravity: [0, %g]\n"
      "bodies:\n"
      "  a: {type: planar, mass: 1, inertia: %g, position: [%g, 0], omega: 12, velocity: [0, %g]}\n"
      "joints:\n"
      "  A: {type: revolute, markers: [ground, {body: a, at: [%g, 0]}]}\n";
  static const struct {
    const char *method;
    double step;
    bool lost;
  } row[] = {{"gen-alpha", 0.02, true},  {"hht-i3:alpha=-0.05", 0.016, true},
             {"gen-alpha", 0.01, false}, {"hht-i3:alpha=-0.05", 0.008, false},
             {"hht-i3", 0.02, false},    {"hht-si2:alpha=-0.05", 0.02, false}};
  for (double size = 1; size > 1e-3; size /= 100)
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
      char text[400];
      snprintf(text, sizeof text, link, -9.81 * size, 0.02 * size * size, 0.5 * size, 6 * size,
               -0.5 * size);
      mechanism m = load_text(text);
      tr_error error = {0};
      tr_run *run = new_run(m.sys, row[i].method, row[i].step, 16);
      tr_status status = tr_run_all(run, &error);
      if ((status == TR_FAILED) != row[i].lost)
        fail_msg("%s, %g m: %d, %s", row[i].method, size, status, error.text);
      // small ones may be lost for the iteration before the end
      bool why =
          strstr(error.text, "astray") || (size < 1 && strstr(error.text, "does not converge"));
      if (row[i].lost && !why) fail_msg("%s", error.text);
      tr_run_free(run);
      unload(&m);
    }
}

// A child's top whose tip is 6 cm from its centre, in steps with which it has hundreds of times its energy in the end.
static void short_levers(void **u) {
  (void)u;
  static const struct {
    const char *method;
    bool lost;
  } row[] = {
      {"newmark:beta=1/4,gamma=1/2", true}, {"gen-alpha:index=2,rho=1", false}, {"hht-i3", false}};
  mechanism m = load_text(
      "trammel: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  top: {type: spatial, mass: 0.5, inertia: [8e-4, 8e-4, 5e-4], com: [0, 0, 0.06],\n"
      "        orientation: {x: 40 deg}, omega: [1.5, -38.567256581192353, 45.962666587138678],\n"
      "        keep: [wx, wy, wz]}\n"
      "joints:\n"
      "  tip: {type: spherical, markers: [ground, top]}\n");
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    tr_error error = {0};
    tr_run *run = new_run(m.sys, row[i].method, 0x1p-9, 1);
    tr_status status = tr_run_all(run, &error);
    if (status != (row[i].lost ? TR_FAILED : TR_OK))
      fail_msg("%s: %d, %s", row[i].method, status, error.text);
    if (row[i].lost && !strstr(error.text, "astray")) fail_msg("%s", error.text);
    tr_run_free(run);
  }
  unload(&m);
}

// A step whose given number of iterations leads nowhere: one try, its iterations and matrices and up to three of the
// start; to find words for it costs nothing.
static void failures_are_counted(void **u) {
  (void)u;
  mechanism m = load_model("double_pendulum.yaml", NULL);
  for (int k = 1; k <= 2; k++) {
    tr_run_settings set = tr_run_defaults();
    tr_error error = {0};
    tr_run *run = NULL;
    set.method = "hht-i3", set.step = 0.05, set.newton.fixed_iterations = k;
    assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, &error), TR_OK);
    assert_int_equal(tr_run_all(run, &error), TR_FAILED);
    tr_run_info info = tr_run_describe(run);
    assert_int_equal(info.steps, 0);
    assert_int_equal(info.newton_failures, 1);
    assert_int_equal(info.newton_iterations, k);
    assert_true(info.factorisations <= k + 3);
    assert_null(strstr(error.text, "more iterations"));
    tr_run_free(run);
  }
  unload(&m);
}

// A platform that has come to rest: its velocities were no mere round-off when there were any.
static void rest_is_no_noise(void **u) {
  (void)u;
  static const char *const method[] = {"hht-i3", "newmark", "nstiff"};
  mechanism m = load_model("stewart_platform.yaml", NULL);
  for (int i = 0; i < 3; i++) {
    tr_run *run = new_run(m.sys, method[i], 0.002, or_less(4, 1));
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    const char *notes = tr_run_describe(run).notes;
    if (strstr(notes, "round-off")) fail_msg("%s: %s", method[i], notes);
    tr_run_free(run);
  }
  unload(&m);
}

// Bodies held at rest from the start, by steps of any usual length.
static void all_rest(void **u) {
  (void)u;
  static const double step[] = {0.03, 1e-3};
  mechanism m = load_text(
      "trammel: 1\n"
      "bodies:\n"
      "  w: {type: planar, mass: 1, inertia: 0.5, omega: 4}\n"
      "joints:\n"
      "  a: {type: revolute, markers: [ground, w]}\n"
      "  d: {type: expression, phi: AZ(w)}\n");
  for (int i = 0; i < 2; i++) {
    tr_run *run = new_run(m.sys, "hht-i3", step[i], 2);
    assert_int_equal(tr_run_all(run, NULL), TR_OK);
    const char *notes = tr_run_describe(run).notes;
    if (*notes) fail_msg("%g: %s", step[i], notes);
    tr_run_free(run);
  }
  unload(&m);
}

// A lever hits a stop, which throws a light flap at its end: the speed that an impact makes is no force's doing.
static void blows_are_no_poles(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  arm: {type: planar, mass: 2, inertia: 0.2, com: [0.5, 0]}\n"
      "  flap: {type: planar, mass: 0.01, inertia: 1e-7, com: [0.003, 0], position: [1, 0], angle: "
      "90 deg}\n"
      "joints:\n"
      "  a: {type: revolute, markers: [ground, arm]}\n"
      "  b: {type: revolute, bodies: [arm, flap], at: [1, 0]}\n"
      "forces: {s: {type: torsion-spring, joint: b, stiffness: 1e-4, damping: 1e-6}}\n"
      "events: {hit: {when: AZ(arm) + 0.5, direction: falling, restitution: 0.5}}\n");
  static const double tol[] = {0, 1e-6, 1e-8};
  for (int k = 0; k < 3; k++) {
    tr_run_settings set = tr_run_defaults();
    tr_error error = {0};
    tr_run *run = NULL;
    set.method = "radau5", set.end = 0.6, set.step = 1e-4, set.control.tol = tol[k];
    assert_int_equal(tr_run_new(m.sys, &set, NULL, &run, &error), TR_OK);
    if (tr_run_all(run, &error) != TR_OK) fail_msg("%g: %s", tol[k], error.text);
    tr_run_info info = tr_run_describe(run);
    assert_int_equal(info.events, 2);
    if (*info.notes) fail_msg("%g: %s", tol[k], info.notes);
    tr_run_free(run);
  }
  unload(&m);
}

static const char *notes_of(const tr_system *sys, const char *method, double step, double tol,
                            double end, char *text, size_t room) {
  tr_run_settings set = tr_run_defaults();
  tr_error error = {0};
  tr_run *run = NULL;
  set.method = method, set.step = step, set.control.tol = tol, set.end = end;
  assert_int_equal(tr_run_new(sys, &set, NULL, &run, &error), TR_OK);
  if (tr_run_all(run, &error) != TR_OK) fail_msg("%s, %g: %s", method, tol, error.text);
  snprintf(text, room, "%s", tr_run_describe(run).notes);
  tr_run_free(run);
  return text;
}

// A pendulum on a cart that a law of time makes fast within a moment, from rest: no pole, unless the law has one.
static void drives_are_no_poles(void **u) {
  (void)u;
  static const char *const methods[] = {"hht-i3", "hht-si2", "radau5", "ggl-bdf"};
  static const struct {
    const char *drive, *push;
    double end, step; // NAN: under control alone
    bool pole;
  } row[] = {
      {"position: 0.05*(1 - cos(200*time))", "0", 1, 0.005, false},
      {"velocity: \"step5(time, 100, 0, 100.001, 20)\"", "0", 101, 0.001, false},
      {"velocity: \"30*exp(-((time - 50)/0.01)^2)\"", "0", 60, 0.005, false},
      {"position: \"6*max(time - 1, 0)\"", "0", 3, 0.005, false},
      {NULL, "step5(time, 100, 0, 100.0005, 4e4) - step5(time, 100.0005, 0, 100.001, 4e4)", 101,
       NAN, false},
      {"position: tan(time)", "0", 1.6, 0.005, true},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[1200], drive[200] = "", note[800];
    if (row[i].drive)
      snprintf(drive, sizeof drive, "  drive: {type: motion, joint: rail, %s}\n", row[i].drive);
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "gravity: [0, -9.81]\n"
             "bodies:\n"
             "  cart: {type: planar, mass: 1, inertia: 1}\n"
             "  bob: {type: planar, mass: 0.5, inertia: 0.01, position: [0, -0.5]}\n"
             "joints:\n"
             "  rail: {type: prismatic, markers: [ground, cart]}\n"
             "  pin: {type: revolute, bodies: [cart, bob], at: [0, 0]}\n"
             "%s"
             "forces: {push: {type: force, markers: [cart], force: [\"%s\", 0]}}\n",
             drive, row[i].push);
    mechanism m = load_text(text);
    for (int k = 0; k < 4; k++)
      for (int c = isnan(row[i].step) ? 1 : 0; c < (row[i].pole ? 1 : 3); c++) {
        if (row[i].pole && k % 2 == 0) continue; // these do not get past it
        if (!row[i].pole && !in_turn(k + (int)i, c, 3)) continue;
        if (c == 0 && row[i].end > or_less(INFINITY, 5e4) * row[i].step) continue; // many steps
        const char *said = notes_of(m.sys, methods[k], row[i].step,
                                    c == 0   ? 0
                                    : c == 1 ? 1e-3
                                             : 1e-6,
                                    row[i].end, note, sizeof note);
        if ((strstr(said, "pole") != NULL) != row[i].pole)
          fail_msg("%s, %s, %d: \"%s\"", methods[k], row[i].drive, c, said);
      }
    unload(&m);
  }
}

// One step of 1 ns between two jumps is no reason to speak of round-off; a run of such steps is.
static void one_splinter_is_no_noise(void **u) {
  (void)u;
  mechanism m = load_text(
      "trammel: 1\n"
      "gravity: [0, -0.05]\n"
      "bodies: {arm: {type: planar, mass: 2, inertia: 0.2, com: [0.5, 0], omega: 0.01}}\n"
      "joints: {j: {type: revolute, markers: [ground, arm]}}\n"
      "forces:\n"
      "  m: {type: torque, markers: [arm],\n"
      "      torque: \"if(time > 1, 0.03, 0) + if(time > 1 + 1e-9, 0.03, 0)\"}\n");
  char note[800];
  for (int k = 0; k < 2; k++) {
    const char *said = notes_of(m.sys, k ? "nstiff" : "hht-i3", NAN, 1e-4, 4, note, sizeof note);
    if (*said) fail_msg("%s", said);
  }
  assert_non_null(strstr(notes_of(m.sys, "hht-i3", 1e-9, 0, 1e-7, note, sizeof note),
                         "round-off of positions"));
  unload(&m);
}

// Steps across a force that jumps with the motion pass once they are short, and leave the root of the tolerance: its name is
// told. A force that has the same size on either side has nothing to tell.
static void jumps_on_the_way(void **u) {
  (void)u;
  static const char *const method[] = {"hht-i3", "nstiff",          "gen-alpha",
                                       "radau5", "ggl-bdf:order=5", "cm"};
  for (int k = 0; k < 2; k++) {
    char text[600], note[800];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "bodies: {b: {type: planar, mass: 1, inertia: 1, position: [1, 0]}}\n"
             "joints: {g: {type: prismatic, markers: [ground, b]}}\n"
             "forces: {relay: {type: force, markers: [b], force: [\"%s\", 0]}}\n",
             k == 0 ? "-10*sign(DX(b))" : "-10*abs(DX(b))*sign(DX(b))");
    mechanism m = load_text(text);
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
      const char *said = notes_of(m.sys, method[i], NAN, 1e-6, 18, note, sizeof note);
      bool named = strstr(said, "force \"relay\" is discontinuous") && strstr(said, "jumps by 20");
      if (k == 0 ? !named : *said != 0) fail_msg("%s: \"%s\"", method[i], said);
    }
    unload(&m);
  }
}

// A net of 400 points that hangs by its corners: velocities go astray, until a step fails. That is said, and so is why, and the
// ways to try it end after some hundred factorisations, not thousands.
static const char *const net =
    "trammel: 1\n"
    "parameters: {N: 20}\n"
    "gravity: [0, 0, -9.81]\n"
    "repeat:\n"
    "  - for: i\n"
    "    to: N - 1\n"
    "    repeat:\n"
    "      - for: j\n"
    "        to: N - 1\n"
    "        bodies:\n"
    "          p_{i}_{j}: {type: spatial-point, mass: 0.05, position: [0.1*i, 0.1*j, \"-0.006 - "
    "0.006*sin(3*i + 4*j) \n"
    "            - 0.025*(N-1)*sin(pi*i/(N-1))*sin(pi*j/(N-1))\"]}\n"
    "      - for: j\n"
    "        from: 1\n"
    "        to: N - 1\n"
    "        joints:\n"
    "          y_{i}_{j}: {type: distance, markers: [\"p_{i}_{j-1}\", \"p_{i}_{j}\"]}\n"
    "  - for: i\n"
    "    from: 1\n"
    "    to: N - 1\n"
    "    repeat:\n"
    "      - for: j\n"
    "        to: N - 1\n"
    "        joints:\n"
    "          x_{i}_{j}: {type: distance, markers: [\"p_{i-1}_{j}\", \"p_{i}_{j}\"]}\n"
    "joints:\n"
    "  a: {type: spherical, bodies: [ground, p_0_0], at: [0, 0, -0.006]}\n"
    "  b: {type: spherical, bodies: [ground, \"p_0_{N-1}\"], at: [0, 0.1*(N-1), -0.006 - "
    "0.006*sin(4*(N-1))]}\n"
    "  c: {type: spherical, bodies: [ground, \"p_{N-1}_0\"], at: [0.1*(N-1), 0, -0.006 - "
    "0.006*sin(3*(N-1))]}\n"
    "  d: {type: spherical, bodies: [ground, \"p_{N-1}_{N-1}\"], at: [0.1*(N-1), 0.1*(N-1), -0.006 "
    "- 0.006*sin(7*(N-1))]}\n"
    "simulation: {end: 0.5 s, step: 1 ms}\n";

static void what_failed_was_lost_before(void **u) {
  (void)u;
#ifdef SANITIZED
  skip();
#endif
  mechanism m = load_text(net);
  tr_error error = {0};
  tr_run *run = new_run(m.sys, "hht-i3", 2e-3, 0.5);
  assert_int_equal(tr_run_all(run, &error), TR_FAILED);
  if (!strstr(error.text, "does not converge") || !strstr(error.text, "gone astray"))
    fail_msg("%s", error.text);
  tr_run_info info = tr_run_describe(run);
  if (info.factorisations > info.steps + 1000) fail_msg("%ld", info.factorisations);
  tr_run_free(run);
  unload(&m);
}

// Two light links snap taut between a wall and a heavy slider, within microseconds: steps that are too long for that make
// energy of nothing, or swallow all of it. With steps short enough there is nothing to say.
static void energy_lost_on_the_spot(void **u) {
  (void)u;
  static const struct {
    const char *m, *method;
    double step, tol;
    const char *said, *advice;
  } row[] = {{"1e-3", "hht-i3", NAN, 1e-5, "grew by", "smaller tolerance"},
             {"1e-5", "hht-i3", 1e-5, 0, "fell by", "shorter ones"},
             {"1e-3", "nstiff-si2", 1e-5, 0, "fell by", "shorter ones"},
             {"1e-3", "newmark", 1e-4, 0, "grew by", "shorter ones"},
             {"1", "hht-i3", 1e-4, 0, "", ""},
             {"1e-3", "radau5", NAN, 1e-7, "", ""}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[1000], note[800];
    snprintf(text, sizeof text,
             "trammel: 1\nparameters: {m: %s, phi: 0.5}\nbodies:\n"
             "  a: {type: planar, mass: m, inertia: m/12, position: [cos(phi)/2, sin(phi)/2],\n"
             "      angle: phi}\n"
             "  b: {type: planar, mass: m, inertia: m/12, position: [1.5*cos(phi), sin(phi)/2],\n"
             "      angle: -phi}\n"
             "  s: {type: planar, mass: 1000, inertia: 1, position: [2*cos(phi), 0],\n"
             "      velocity: [1, 0], keep: [vx]}\n"
             "joints:\n"
             "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
             "  B: {type: revolute, bodies: [a, b], at: [cos(phi), sin(phi)]}\n"
             "  C: {type: revolute, bodies: [b, s], at: [2*cos(phi), 0]}\n"
             "  S: {type: prismatic, markers: [ground, s]}\n",
             row[i].m);
    mechanism m = load_text(text);
    const char *said = notes_of(m.sys, row[i].method, row[i].step, row[i].tol, 0.6, note, 800);
    bool right = *row[i].said ? strstr(said, row[i].said) && strstr(said, row[i].advice) : !*said;
    if (!right) fail_msg("%s kg, %s: \"%s\"", row[i].m, row[i].method, said);
    unload(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(notes),
                                     cmocka_unit_test(links_that_turn_far),
                                     cmocka_unit_test(short_levers),
                                     cmocka_unit_test(what_failed_was_lost_before),
                                     cmocka_unit_test(energy_lost_on_the_spot),
                                     cmocka_unit_test(failures_are_counted),
                                     cmocka_unit_test(rest_is_no_noise),
                                     cmocka_unit_test(all_rest),
                                     cmocka_unit_test(blows_are_no_poles),
                                     cmocka_unit_test(drives_are_no_poles),
                                     cmocka_unit_test(one_splinter_is_no_noise),
                                     cmocka_unit_test(jumps_on_the_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
