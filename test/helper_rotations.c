// SPDX-License-Identifier: Apache-2.0
// The body's z axes are chosen across the links and along the top, so that the 3-1-3 angles stay away from
// their singularity.
#include "helper_rotations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const char *const rotation_coordinates[] = {"lie", "euler-parameters", "euler-313"};

typedef struct entry {
  const char *name, *text; // @: the coordinates
  double end, step;
} entry;

static const entry models[] = {
    {"free body",
     "trammel: 1\n"
     "gravity: [1, 2, -9.81]\n"
     "bodies:\n"
     "  a: {type: spatial, coordinates: @, mass: 2, inertia: [1, 2, 3, 0.1, -0.2, 0.3],\n"
     "    com: [0.1, 0.2, 0.3], orientation: [{z: 0.3}, {x: 1.3}, {z: 0.2}],\n"
     "    velocity: [1, 2, 3], omega: [0.5, 2, 1]}\n",
     1, 1.0 / 128},
    {"heavy top",
     "trammel: 1\n"
     "parameters: {m: 15, l: 1, J1: 0.234375, J3: 0.46875}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  top: {type: spatial, coordinates: @, mass: m, inertia: [J1, J1, J3], com: [0, 0, l],\n"
     "    orientation: {x: -90 deg}, omega: [0, 40, -4], keep: [wx, wy, wz]}\n"
     "joints:\n"
     "  tip: {type: spherical, markers: [ground, top]}\n",
     0.25, 1.0 / 4096},
    {"three links",
     "trammel: 1\n"
     "parameters: {L1: 1, L2: 2, L3: 2.5, m: 1, s1: 0.1, s2: 0.2, s3: 0.25}\n"
     "gravity: [-5, -5*sqrt(2), -5]\n"
     "bodies:\n"
     "  link1: {type: spatial, coordinates: @, mass: m, position: [0, 0, -L1/2],\n"
     "    inertia: [m*(L1^2 + s1^2)/12, m*s1^2/6, m*(L1^2 + s1^2)/12], orientation: {x: -90 deg}}\n"
     "  link2: {type: spatial, coordinates: @, mass: m, position: [0, 0, -L1 - L2/2],\n"
     "    inertia: [m*(L2^2 + s2^2)/12, m*s2^2/6, m*(L2^2 + s2^2)/12], orientation: {x: -90 deg}}\n"
     "  link3: {type: spatial, coordinates: @, mass: m, position: [0, 0, -L1 - L2 - L3/2],\n"
     "    inertia: [m*(L3^2 + s3^2)/12, m*s3^2/6, m*(L3^2 + s3^2)/12], orientation: {x: -90 deg}}\n"
     "joints:\n"
     "  ball_1: {type: spherical, bodies: [ground, link1], at: [0, 0, 0]}\n"
     "  ball_2: {type: spherical, bodies: [link1, link2], at: [0, 0, -L1]}\n"
     "  pin: {type: revolute, bodies: [link2, link3], at: [0, 0, -L1 - L2], axis: [1, 0, 0]}\n",
     0.5, 1.0 / 256},
};
const int rotation_models = sizeof models / sizeof *models;

const char *rotation_name(int model) { return models[model].name; }
double rotation_end(int model) { return models[model].end; }
double rotation_step(int model) { return models[model].step; }

void compile_text(const char *text, tr_model **model, tr_system **system) {
  tr_error e = {0};
  assert_int_equal(tr_model_new(NULL, model), TR_OK);
  if (tr_model_read_text(*model, text, strlen(text), "model", &e) || tr_compile(*model, system, &e))
    fail_msg("%s", e.text);
}

void compile_rotation(int which, int coordinates, tr_model **model, tr_system **system) {
  char text[4096];
  size_t n = 0;
  for (const char *c = models[which].text; *c && n < sizeof text; c++) {
    if (*c == '@')
      n += (size_t)snprintf(text + n, sizeof text - n, "%s", rotation_coordinates[coordinates]);
    else
      text[n++] = *c;
  }
  assert_true(n < sizeof text);
  text[n] = 0;
  compile_text(text, model, system);
}

static int read_named(const tr_system *s, const tr_state *x, const char *const *names,
                      double *out) {
  int channels[MOTION_MAX], n = 0;
  tr_error e = {0};
  tr_reader *reader;
  for (int i = 0; i < tr_channel_count(s); i++) {
    char name[64];
    tr_channel_name(s, i, name, sizeof name);
    for (int k = 0; names[k]; k++)
      if (!strcmp(strrchr(name, '.') + 1, names[k]) && n < MOTION_MAX) channels[n++] = i;
  }
  assert_int_equal(tr_reader_new(s, n, channels, &reader, &e), TR_OK);
  assert_int_equal(tr_reader_read(reader, x, out), TR_OK);
  tr_reader_free(reader);
  return n;
}

int read_motion(const tr_system *s, const tr_state *x, double *out) {
  static const char *const position[] = {"x", "y", "z", "e0", "e1", "e2", "e3", NULL};
  static const char *const velocity[] = {"vx", "vy", "vz", "wx", "wy", "wz", NULL};
  int n = read_named(s, x, position, out);
  return n + read_named(s, x, velocity, out + n);
}
