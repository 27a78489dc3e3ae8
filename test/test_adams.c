// SPDX-License-Identifier: Apache-2.0
// Single joints and springs against MSC Adams: position, velocity, acceleration, orientation,
// reactions.
//
// The numbers are Adams' results as published with Project Chrono's tests (BSD-3), two instants of
// each case: centre of mass, quaternion, angular velocity and acceleration, then force and torque
// of the joint on ground at the ground marker, all in global axes. Adams' own error is about 5e-6
// in position, but 8e-4 in Spherical_Case01 and Universal, 5e-4 in Cylindrical_Case01 and
// Prismatic_Case01; `tol` says which, and other quantities follow with the factors of `weight`.
//
// Conventions checked: a reaction `j.fx` .. `j.tz` acts on the second marker's body, at that
// marker; Adams gives its opposite on ground. Joint axis = marker z; universal: first marker x,
// second marker y.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "math/v3.h"

typedef struct instant {
  double t;
  double value[25]; // x, v, a (3 each), e (4), w, al, force, torque (3 each)
} instant;

typedef struct adams {
  const char *name, *text;
  double tol;
  instant at[2];
} adams;

#define HEAD "trammel: 1\ngravity: [0, 0, -9.80665]\n"
#define BODY(rest) "bodies:\n  b: {type: spatial, mass: 1, " rest "}\n"
#define JOINT(type) "joints:\n  j: {type: " type ", markers: [g, m]}\n"
#define PLACE(where) "markers:\n  g: {" where "}\n  m: {body: b, like: g}\n"
#define APART(where) "markers:\n  g: {at: [0, 0, 0]}\n  m: {body: b, at-global: " where "}\n"
#define ROD "inertia: [0.04, 0.1, 0.1]"

static const adams cases[] = {
    {"Revolute_Case01",
     HEAD BODY(ROD ", position: [2, 0, 0], orientation: {x: -90 deg}")
         PLACE("at: [0, 0, 0], orientation: {x: -90 deg}") JOINT("revolute"),
     1e-5,
     {{1, {-0.892381, 0,         -1.78988, -5.23742, 0, 2.61123, 11.4612, 0, 13.4207,
           0.372092,  -0.372092, 0.601288, 0.601288, 0, 2.92614, 0,       0, -2.13443,
           0,         -11.4612,  0,        -23.2273, 0, 0,       0}},
      {5, {-1.99968,   0,           -0.0355587, -0.0146657, 0, 0.824742, 0.510225, 0, -9.55839,
           0.00628621, -0.00628621, 0.707079,   0.707079,   0, 0.412436, 0,        0, -4.78297,
           0,          -0.510225,   0,          -0.248259,  0, 0,        0}}}},
    {"Spherical_Case01",
     HEAD BODY(ROD ", position: [2, 0, 0]") PLACE("at: [0, 0, 0]") JOINT("spherical"),
     8e-4,
     {{1, {-0.892369, 0,        -1.78988, -5.23737, 0, 2.61106, 11.4609, 0, 13.4204,
           0.52622,   0,        0.850348, 0,        0, 2.92608, 0,       0, -2.13467,
           0,         -11.4609, 0,        -23.227,  0, 0,       0}},
      {5, {-1.99967,   0,         -0.0361929, -0.0148923, 0, 0.822711, 0.511671, 0, -9.5582,
           0.00904859, 0,         0.999959,   0,          0, 0.411423, 0,        0, -4.78295,
           0,          -0.511671, 0,          -0.248448,  0, 0,        0}}}},
    {"Spherical_Case02",
     HEAD BODY(ROD ", position: [3, 2, 3], orientation: {x: -45 deg}") PLACE("at: [1, 2, 3]")
         JOINT("spherical"),
     1e-5,
     {{1,
       {0.107619,     2,         1.21012,     -5.23742, 0, 2.61123, 11.4613, -1.02227e-05, 13.4207,
        0.486161,     -0.201375, 0.785621,    0.325415, 0, 2.92614, 0,       0.000182972,  -2.13424,
        -9.12249e-05, -11.4613,  1.02227e-05, -23.2273, 0, 0,       0}},
      {5, {-0.999684,
           2,
           2.96444,
           -0.0146657,
           0,
           0.824742,
           0.510211,
           -8.33421e-06,
           -9.5584,
           0.00821332,
           -0.00340207,
           0.923843,
           0.382668,
           0,
           0.412436,
           0,
           2.96352e-06,
           -4.78286,
           -0.000166657,
           -0.510211,
           8.33421e-06,
           -0.248253,
           0,
           0,
           0}}}},
    {"Universal_Case01",
     HEAD BODY("inertia: [0.1, 0.1, 0.04], position: [0, 2, 0], orientation: {x: 90 deg}")
         PLACE("at: [0, 0, 0], orientation: {x: 90 deg}") JOINT("universal"),
     8e-4,
     {{1, {0,        -0.892369, -1.78988, 0,       -5.23737, 2.61106, 0, 11.4609, 13.4204,
           0.973381, -0.229193, 0,        0,       -2.92608, 0,       0, 2.13467, 0,
           0,        0,         -11.4609, -23.227, 0,        0,       0}},
      {5, {0,        -1.99967, -0.0361929, 0,         -0.0148923, 0.822711, 0, 0.511669, -9.5582,
           0.713476, -0.70068, 0,          0,         -0.411423,  0,        0, 4.78295,  0,
           0,        0,        -0.511669,  -0.248448, 0,          0,        0}}}},
    {"Universal_Case02",
     HEAD BODY("inertia: [0.1, 0.1, 0.04], position: [-2, 0, 0], orientation: {y: 90 deg}")
         PLACE("at: [0, 0, 0], orientation: {y: 90 deg}") JOINT("universal"),
     8e-4,
     {{1, {0.892369, 0,       -1.78988,  5.23737, 0, 2.61106,  -11.4609, 0, 13.4204,
           0.973381, 0,       -0.229193, 0,       0, -2.92608, 0,        0, 2.13467,
           0,        11.4609, 0,         -23.227, 0, 0,        0}},
      {5, {1.99967,  0,        -0.0361929, 0.0148923, 0, 0.822711,  -0.511671, 0, -9.5582,
           0.713476, 0,        -0.70068,   0,         0, -0.411423, 0,         0, 4.78295,
           0,        0.511671, 0,          -0.248448, 0, 0,         0}}}},
    {"Cylindrical_Case01",
     HEAD BODY(ROD ", position: [2, 0, 0]") PLACE("at: [0, 0, 0]") JOINT("cylindrical"),
     5e-4,
     {{0.5, {2, 0, -1.22583, 0, 0, -4.90333, 0, 0, -9.80665, 1, 0, 0, 0,
             0, 0, 0,        0, 0, 0,        0, 0, 0,        0, 0, 0}},
      {2, {2, 0, -19.6133, 0, 0, -19.6133, 0, 0, -9.80665, 1, 0, 0, 0,
           0, 0, 0,        0, 0, 0,        0, 0, 0,        0, 0, 0}}}},
    {"Cylindrical_Case02",
     HEAD BODY(ROD ", position: [2, 0, 0], orientation: {x: -90 deg}")
         PLACE("at: [0, 0, 0], orientation: {x: -90 deg}") JOINT("cylindrical"),
     1e-5,
     {{1, {-0.892381, 0,         -1.78988, -5.23742, 0, 2.61123, 11.4612, 0, 13.4207,
           0.372092,  -0.372092, 0.601288, 0.601288, 0, 2.92614, 0,       0, -2.13445,
           0,         -11.4612,  0,        -23.2273, 0, 0,       0}},
      {5, {-1.99968,   0,           -0.0355587, -0.0146657, 0, 0.824742, 0.510231, 0, -9.55839,
           0.00628621, -0.00628621, 0.707079,   0.707079,   0, 0.412436, 0,        0, -4.78297,
           0,          -0.510231,   0,          -0.248259,  0, 0,        0}}}},
    {"Prismatic_Case01",
     HEAD BODY(ROD ", position: [2, 0, 0]") PLACE("at: [0, 0, 0]") JOINT("prismatic"),
     5e-4,
     {{0.5, {2, 0, -1.22583, 0, 0, -4.90333, 0, 0, -9.80665, 1, 0, 0, 0,
             0, 0, 0,        0, 0, 0,        0, 0, 0,        0, 0, 0}},
      {2, {2, 0, -19.6133, 0, 0, -19.6133, 0, 0, -9.80665, 1, 0, 0, 0,
           0, 0, 0,        0, 0, 0,        0, 0, 0,        0, 0, 0}}}},
    {"Prismatic_Case03",
     HEAD BODY(ROD ", position: [3, 2, 3], orientation: {x: -90 deg}")
         PLACE("at: [1, 2, 3], orientation: {x: -90 deg}") JOINT("prismatic"),
     1e-5,
     {{1, {3, 2, 3, 0, 0, 0, 0, 0, 0,        0.707107, -0.707107, 0, 0,
           0, 0, 0, 0, 0, 0, 0, 0, -9.80665, 0,        19.6133,   0}},
      {5, {3, 2, 3, 0, 0, 0, 0, 0, 0,        0.707107, -0.707107, 0, 0,
           0, 0, 0, 0, 0, 0, 0, 0, -9.80665, 0,        19.6133,   0}}}},
    {"Distance_Case01",
     HEAD BODY(ROD ", position: [0, 2, 0]") APART("[0, 2, 0]") JOINT("distance"),
     1e-5,
     {{1, {0, -0.956545, -1.756423, 0, -5.154529, 2.807148, 0, 12.35703,  12.88352,  1, 0, 0, 0,
           0, 0,         0,         0, 0,         0,        0, -12.35703, -22.69017, 0, 0, 0}},
      {5,
       {0,
        -1.999998,
        -0.002779575,
        0,
        -0.0003244973,
        0.2334878,
        0,
        0.04099856,
        -9.806593,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        -0.04099856,
        -5.697934e-05,
        0,
        0,
        0}}}},
    {"Distance_Case03",
     HEAD BODY(ROD ", position: [0, 4, 0], orientation: {z: -90 deg}") APART("[0, 2, 0]")
         JOINT("spherical-spherical"),
     1e-5,
     {{1,
       {0,         1.588488,   -3.670108,  0,          -7.766789, -3.27445, 0, -11.79422, 15.94979,
        0.5869209, -0.3943651, -0.3943651, -0.5869209, -3.062491, 0,        0, 23.72262,  0,
        0,         0,          11.79422,   -25.75644,  0,         0,        0}},
      {5, {0,          3.955759,  -0.3015866, 0,          -0.174412,  -2.417635, 0,
           -0.948915,  -9.610176, 0.706868,   0.01837603, 0.01837603, -0.706868, -0.6303161,
           0,          0,         -4.910245,  0,          0,          0,         0.948915,
           -0.1964742, 0,         0,          0}}}},
    {"RevSpherical_Case01",
     HEAD BODY("inertia: [0.1, 0.04, 0.1], position: [2, 2, 0]") APART("[2, 0, 0]")
         JOINT("revolute-spherical"),
     1e-5,
     {{1, {0.775822,  0.805022, -1.08047,  -3.25571,  -3.17238,  0.402471,  -0.197422,
           0.832747,  -8.89735, 0.435219,  -0.776662, -0.159138, -0.426679, -0.91588,
           0.519393,  -1.59723, 1.37789,   9.11662,   -8.04993,  0.197422,  -0.832747,
           -0.909302, -1.76956, -0.419514, 0}},
      {5, {-1.32782, 1.24003,   -1.28683,   0.662665, -0.663793, 4.82745,      0.000104601,
           0.162916, -8.78471,  -0.537811,  0.40365,  0.144106,  -0.725989,    -1.1297,
           2.98615,  -0.596732, 5.66997,    -13.5813, 2.16454,   -0.000104601, -0.162916,
           -1.02194, -2.04388,  0.00131228, 0}}}},
    {"LinActuator_Case01",
     HEAD BODY("inertia: 1") PLACE("at: [0, 0, 0]")
         JOINT("prismatic") "  a: {type: motion, joint: j, position: time}\n",
     1e-5,
     {{1, {0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {5, {0, 0, 5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}}},
    {"LinActuator_Case02",
     HEAD BODY("inertia: 1, orientation: {y: 45 deg}") PLACE("orientation: {y: 45 deg}")
         JOINT("prismatic") "  a: {type: motion, joint: j, velocity: 0.5 m/s}\n",
     1e-5,
     {{1, {0.353553, 0, 0.353553, 0.353553, 0, 0.353553, 0, 0,        0, 0.92388, 0, 0.382683, 0, 0,
           0,        0, 0,        0,        0, 4.90332,  0, -4.90332, 0, 3.46717, 0}},
      {5, {1.76777, 0, 1.76777, 0.353553, 0, 0.353553, 0, 0,        0, 0.92388, 0, 0.382683, 0, 0,
           0,       0, 0,       0,        0, 4.90332,  0, -4.90332, 0, 17.3359, 0}}}},
};

static const adams spring_cases[] = {
    {"RotSpring_Case01",
     HEAD BODY(ROD ", position: [2, 0, 0], orientation: {x: -90 deg}")
         PLACE("at: [0, 0, 0], orientation: {x: -90 deg}")
             JOINT("revolute") "forces:\n  s: {type: torsion-spring, markers: [g, m], stiffness: "
                               "200, damping: 10}\n",
     1e-5,
     {{0.5, {1.977294, 0,          -0.3005134, 0.03481927, 0, 0.229101,  0.6784321, 0, 4.641644,
             0.705097, -0.705097,  0.05327519, 0.05327519, 0, -0.115866, 0,         0, -2.345232,
             0,        -0.6784321, 0,          -14.44829,  0, 29.00693,  0}},
      {5,
       {1.990439,
        0,
        -0.1953254,
        -1.562778e-06,
        0,
        -1.592452e-05,
        0.002108525,
        0,
        0.02148667,
        0.7062612,
        -0.7062612,
        0.03457031,
        0.03457031,
        0,
        8.000521e-06,
        0,
        0,
        -0.01079494,
        0,
        -0.002108525,
        0,
        -9.828137,
        0,
        19.5638,
        0}}}},
    {"TranSpring_Case01",
     HEAD BODY("inertia: 1") "forces:\n  s: {type: spring-damper, markers: [ground, b], stiffness: "
                             "10, damping: 0.5, free-length: 0}\n",
     1e-5,
     {{1, {0, 0, -1.74502, 0, 0, 0.0261347, 0, 0, 7.63045,  1, 0, 0, 0,
           0, 0, 0,        0, 0, 0,         0, 0, -17.4371, 0, 0, 0}},
      {5, {0, 0, -1.26242, 0, 0, 0.0480496, 0, 0, 2.79355,  1, 0, 0, 0,
           0, 0, 0,        0, 0, 0,         0, 0, -12.6002, 0, 0, 0}}}},
    {"TranSpring_Case02",
     HEAD BODY(
         "inertia: 1, position: [0, 2, 0]") "forces:\n  s: {type: spring-damper, markers: [ground, "
                                            "b], stiffness: 100, damping: 5, free-length: 2}\n",
     1e-5,
     {{1, {0, -0.5973274, -2.189069, 0, -5.641611, 1.647013, 0, 6.94731,  15.65365, 1, 0, 0, 0,
           0, 0,          0,         0, 0,         0,        0, -6.94731, -25.4603, 0, 0, 0}},
      {5, {0, -1.945198, -0.767401, 0, -0.652462, 2.8145, 0, 6.49326,  -7.244991, 1, 0, 0, 0,
           0, 0,         0,         0, 0,         0,      0, -6.49326, -2.561659, 0, 0, 0}}}},
    {"TranSpringCB_Case01",
     HEAD BODY("inertia: 1") "forces:\n  s: {type: spring-damper, markers: [ground, b], "
                             "free-length: 0, force: -10*length - 0.5*rate}\n",
     1e-5,
     {{1, {0, 0, -1.74502, 0, 0, 0.0261347, 0, 0, 7.63045,  1, 0, 0, 0,
           0, 0, 0,        0, 0, 0,         0, 0, -17.4371, 0, 0, 0}},
      {5, {0, 0, -1.26242, 0, 0, 0.0480496, 0, 0, 2.79355,  1, 0, 0, 0,
           0, 0, 0,        0, 0, 0,         0, 0, -12.6002, 0, 0, 0}}}},
    {"TranSpringCB_Case02",
     HEAD BODY("inertia: 1, position: [0, 2, 0]") "forces:\n  s: {type: spring-damper, markers: "
                                                  "[ground, b], free-length: 0, force: "
                                                  "-100*(length - 2) - 5*rate}\n",
     1e-5,
     {{1, {0, -0.5973274, -2.189069, 0, -5.641611, 1.647013, 0, 6.94731,  15.65365, 1, 0, 0, 0,
           0, 0,          0,         0, 0,         0,        0, -6.94731, -25.4603, 0, 0, 0}},
      {5, {0, -1.945198, -0.767401, 0, -0.652462, 2.8145, 0, 6.49326,  -7.244991, 1, 0, 0, 0,
           0, 0,         0,         0, 0,         0,      0, -6.49326, -2.561659, 0, 0, 0}}}},
    {"TranSpringCB_Case03",
     HEAD BODY(ROD ", position: [-1, 4, 3]") "markers:\n  g: {at: [1, 2, 3]}\n  m: {body: b, "
                                             "at-global: [1, 4, 3]}\nforces:\n  s: {type: "
                                             "spring-damper, markers: [g, m], force: -50*(length - "
                                             "2) - 10*abs(length - 2)*(length - 2) - 5*rate}\n",
     1e-5,
     {{1, {-0.5266615, 3.486916, -1.046425, 3.809704,   -3.598146,  -2.628604,  15.52339,
           -13.82865,  19.35452, 0.7399141, -0.2217716, -0.5467469, -0.3231289, -5.973215,
           2.033661,   1.715601, 125.9638,  182.9501,   19.70318,   -15.52339,  13.82865,
           -29.16117,  0,        0,         0}},
      {5, {-1.444917,  4.419559,  1.322425,  0.5729712,  -0.5010744, -1.437158,  1.556888,
           -1.060104,  -9.475118, 0.2925514, -0.7801378, 0.2213414,  -0.5067609, -2.718256,
           0.01618426, 1.612521,  9.762428,  18.01229,   11.75116,   -1.556888,  1.060104,
           -0.3315315, 0,         0,         0}}}},
};

// What value[] holds: parts of body b, or of joint j on ground. Velocities err more than positions,
// and accelerations and forces more than velocities, in proportion to their size.
static const struct quantity {
  const char *name, *part[4];
  int n;
  double weight;
} quantities[] = {{"position", {"x", "y", "z"}, 3, 1},
                  {"velocity", {"vx", "vy", "vz"}, 3, 3},
                  {"acceleration", {"ax", "ay", "az"}, 3, 20},
                  {"orientation", {"e0", "e1", "e2", "e3"}, 4, 1},
                  {"angular velocity", {"wx", "wy", "wz"}, 3, 3},
                  {"angular acceleration", {"alx", "aly", "alz"}, 3, 20},
                  {"force", {"fx", "fy", "fz"}, 3, 20},
                  {"torque", {"tx", "ty", "tz"}, 3, 20}};
enum { QUANTITIES = 8, FORCE = 19, TORQUE = 22 };

static void parts(const tr_system *sys, const tr_state *x, const char *element,
                  const struct quantity *q, double *out) {
  char name[64];
  for (int i = 0; i < q->n; i++) {
    snprintf(name, sizeof name, "%s.%s", element, q->part[i]);
    out[i] = output(sys, x, name);
  }
}

// Force and torque on ground at the ground marker: minus those on the body, the torque with the
// lever.
static void on_ground(const tr_system *sys, const tr_state *x, double *force, double *torque) {
  double here[3], there[3], lever[3], moment[3];
  parts(sys, x, "g", &quantities[0], here), parts(sys, x, "m", &quantities[0], there);
  v3_sub(there, here, lever);
  v3_cross(lever, force, moment);
  for (int i = 0; i < 3; i++) force[i] = -force[i], torque[i] = -torque[i] - moment[i];
}

static void look(const tr_system *sys, const tr_state *x, bool joint, double *value) {
  for (int k = 0; k < QUANTITIES; k++) {
    if (k < 6 || joint) parts(sys, x, k < 6 ? "b" : "j", &quantities[k], value);
    value += quantities[k].n;
  }
  value -= 25;
  if (joint) on_ground(sys, x, value + FORCE, value + TORQUE);
}

static void compare(const adams *c, int instants, double *got, const double *want, double t) {
  for (int k = 0; k < instants; k++) {
    const struct quantity *q = &quantities[k];
    double dot = 0;
    for (int i = 0; i < q->n; i++) dot += got[i] * want[i];
    for (int i = 0; i < q->n && q->n == 4 && dot < 0; i++) got[i] = -got[i]; // e and -e are one
    double tol = q->weight * c->tol * (q->weight > 3 ? fmax(1, largest(q->n, want)) : 1);
    assert_all_near(q->n, got, want, tol, "%s, t = %g: %s", c->name, t, q->name);
    got += q->n, want += q->n;
  }
}

// The state at t, with the accelerations and multipliers that belong to its q and v: those of a
// step are behind by a fraction of it.
static tr_state go_to(tr_run *run, const tr_system *sys, double t) {
  tr_state x;
  tr_error error = {0};
  assert_int_equal(tr_run_to(run, t, NULL), TR_OK);
  assert_int_equal(tr_state_new(sys, &x, NULL), TR_OK);
  tr_state_copy(&x, tr_run_state(run));
  if (tr_accelerations(sys, &x, &error) != TR_OK) fail_msg("%s", error.text);
  return x;
}

static tr_run *begin(const tr_system *sys) {
  return new_run(sys, "gen-alpha:rho=0.9,index=2", 5e-5, 5);
}

static void joints(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const adams *c = &cases[i];
    mechanism m = load_text(c->text);
    tr_run *run = begin(m.sys);
    double value[25];
    for (int k = 0; k < (int)or_less(2, 1); k++) {
      tr_state x = go_to(run, m.sys, c->at[k].t);
      look(m.sys, &x, true, value);
      compare(c, QUANTITIES, value, c->at[k].value, c->at[k].t);
      tr_state_free(m.sys, &x);
    }
    tr_run_free(run);
    unload(&m);
  }
}

// The spring's force is in the channel s.f; Adams gives it as a force, or a torque, on ground.
static void springs(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof spring_cases / sizeof *spring_cases; i++) {
    const adams *c = &spring_cases[i];
    mechanism m = load_text(c->text);
    tr_run *run = begin(m.sys);
    double value[25];
    for (int k = 0; k < (int)or_less(2, 1); k++) {
      const double *want = c->at[k].value;
      tr_state x = go_to(run, m.sys, c->at[k].t);
      look(m.sys, &x, false, value);
      compare(c, 6, value, want, c->at[k].t);
      bool turns = v3_norm(want + TORQUE) > 0;
      assert_near(fabs(output(m.sys, &x, "s.f")), v3_norm(want + (turns ? TORQUE : FORCE)),
                  100 * c->tol, "%s, t = %g: spring", c->name, c->at[k].t);
      tr_state_free(m.sys, &x);
    }
    tr_run_free(run);
    unload(&m);
  }
}

// What drives the slides of LinActuator_Case01 and _Case02, on the body.
static void actuators(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const adams *c = &cases[i];
    if (strncmp(c->name, "LinActuator", 11) != 0) continue;
    static const double along[2][3] = {{0, 0, 9.80665}, {4.903325, 0, 4.903325}};
    const double *want = along[c->name[strlen(c->name) - 1] - '1'];
    mechanism m = load_text(c->text);
    tr_run *run = begin(m.sys);
    double got[3];
    tr_state x = go_to(run, m.sys, 1);
    parts(m.sys, &x, "a", &quantities[6], got);
    assert_all_near(3, got, want, 1e-8, "%s: actuator", c->name);
    tr_state_free(m.sys, &x);
    tr_run_free(run);
    unload(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(joints), cmocka_unit_test(springs),
                                     cmocka_unit_test(actuators)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
