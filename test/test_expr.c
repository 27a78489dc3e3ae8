// SPDX-License-Identifier: Apache-2.0
// Values, units and messages of expressions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/expr.h"
#include "trammel/model.h"

#define PI 3.14159265358979323846

static void test_values(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } rows[] = {
      {"1", 1},
      {" 0.3 ", 0.3},
      {".5", 0.5},
      {"5.", 5},
      {"1e-3", 1e-3},
      {"2.5E+2", 250},
      {"1+2*3", 7},
      {"(1+2)*3", 9},
      {"1-2-3", -4},
      {"16/4/2", 2},
      {"2^-10", 0.0009765625},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^3^2", 512},
      {"--3", 3},
      {"-+3", -3},
      {"2*-3", -6},
      {"3*pi/2", 3 * PI / 2},
      {"25/64", 25.0 / 64},
      {"sin(pi/6)", sin(PI / 6)},
      {"cos(60 deg)", cos(PI / 3)},
      {"tan(0.5)", tan(0.5)},
      {"asin(1)", PI / 2},
      {"acos(0)", PI / 2},
      {"atan(1)", PI / 4},
      {"atan2(-1, -1)", -3 * PI / 4},
      {"sinh(1)", sinh(1)},
      {"cosh(1)", cosh(1)},
      {"tanh(1)", tanh(1)},
      {"sqrt(2)", sqrt(2)},
      {"abs(-3)", 3},
      {"exp(1)", exp(1)},
      {"log(2)", log(2)},
      {"log10(1000)", 3},
      {"min(3, 1, 2)", 1},
      {"max(3, 1, 2)", 3},
      {"floor(-1.5)", -2},
      {"ceil(1.2)", 2},
      {"round(2.5)", 3},
      {"mod(7, 3)", 1},
      {"mod(-1, 3)", 2},
      {"sign(-4)", -1},
      {"if(1 < 2, 10, 20)", 10},
      {"if(2 <= 1, 10, 20)", 20},
      {"(3 > 2) + (3 >= 3) + (1 == 1) + (1 != 1)", 3},
      {"if(0, 1/0, 7)", 7},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double x = NAN;
    tr_error error = {0};
    tr_status status = tr_number(rows[k].text, TR_NUMBER, &x, &error);
    if (status != TR_OK || x != rows[k].value)
      print_error("%s: %.17g, expected %.17g; %s\n", rows[k].text, x, rows[k].value, error.text);
    assert_int_equal(status, TR_OK);
    assert_true(x == rows[k].value);
  }
}

static void test_units(void **state) {
  (void)state;
  static const struct {
    const char *text;
    tr_quantity quantity;
    double value;
  } rows[] = {
      {"30 cm", TR_LENGTH, 0.3},
      {"35cm", TR_LENGTH, 0.35},
      {"7 mm", TR_LENGTH, 0.007},
      {"2 km", TR_LENGTH, 2000},
      {"10 in", TR_LENGTH, 0.254},
      {"1 ft", TR_LENGTH, 0.3048},
      {"270 deg", TR_ANGLE, 270 * PI / 180},
      {"1 rev", TR_ANGLE, 2 * PI},
      {"pi rad", TR_ANGLE, PI},
      {"2*pi rad/s", TR_ANGULAR_VELOCITY, 2 * PI},
      {"3000 rpm", TR_ANGULAR_VELOCITY, 3000 * PI / 30},
      {"3 1/s", TR_ANGULAR_VELOCITY, NAN},
      {"3 kg", TR_MASS, 3},
      {"0.1 kg", TR_MASS, 0.1},
      {"5 g", TR_MASS, 0.005},
      {"1 t", TR_MASS, 1000},
      {"1 lb", TR_MASS, 0.45359237},
      {"2 min", TR_TIME, 120},
      {"1 h", TR_TIME, 3600},
      {"5 ms", TR_TIME, 0.005},
      {"5 N s/m", TR_DAMPING, 5},
      {"2 kN/mm", TR_STIFFNESS, 2e6},
      {"100 N/m", TR_STIFFNESS, 100},
      {"0.1 kg m^2", TR_INERTIA, 0.1},
      {"0.1 kg*m^2", TR_INERTIA, 0.1},
      {"9.81 m/s^2", TR_ACCELERATION, 9.81},
      {"9.81 m s^-2", TR_ACCELERATION, 9.81},
      {"36 km/h", TR_VELOCITY, 10},
      {"1 N*m/rad", TR_TORSION_STIFFNESS, 1},
      {"1 N m", TR_TORSION_STIFFNESS, 1},
      {"1 Nm/rad", TR_TORSION_STIFFNESS, 1},
      {"1 N m s/rad", TR_TORSION_DAMPING, 1},
      {"2 J", TR_TORQUE, 2},
      {"2 J", TR_ENERGY, 2},
      {"1 lbf", TR_FORCE, 4.4482216152605},
      {"1 MPa * 1 mm^2", TR_FORCE, 1},
      {"1 W * 1 s", TR_ENERGY, 1},
      {"(1+2) cm", TR_LENGTH, 0.03},
      {"30 cm + 0.1", TR_LENGTH, 0.4},
      {"2 * 3 cm", TR_LENGTH, 0.06},
      {"6 m / 2 s", TR_VELOCITY, 3},
      {"3 kg * (2 m)^2 / 12", TR_INERTIA, 1},
      {"sqrt(4 m^2)", TR_LENGTH, 2},
      {"6 * (3 m / 2 m)", TR_MASS, 9},
      {"2 m * min(1, 2)", TR_LENGTH, 2},
      {"max(1 cm, 2 mm)", TR_LENGTH, 0.01},
      {"if(1 m < 2 m, 1 kg, 2 kg)", TR_MASS, 1},
      {"atan2(1 m, 1 m)", TR_ANGLE, PI / 4},
      {"0.5", TR_MASS, 0.5},
      {"90 deg", TR_NUMBER, PI / 2},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double x = NAN;
    tr_error error = {0};
    tr_status status = tr_number(rows[k].text, rows[k].quantity, &x, &error);
    if (isnan(rows[k].value)) {
      assert_int_equal(status, TR_BAD_INPUT);
      continue;
    }
    if (status != TR_OK || fabs(x - rows[k].value) > 1e-15 * fabs(rows[k].value))
      print_error("%s: %.17g, expected %.17g; %s\n", rows[k].text, x, rows[k].value, error.text);
    assert_int_equal(status, TR_OK);
    assert_true(fabs(x - rows[k].value) <= 1e-15 * fabs(rows[k].value));
  }
}

static void test_messages(void **state) {
  (void)state;
  static const struct {
    const char *text;
    tr_quantity quantity;
    const char *message;
  } rows[] = {
      {"", TR_NUMBER, "a value is missing at the end in \"\"\n"},
      {"1/0", TR_NUMBER, "\"1/0\" is not a finite number\n"},
      {"30 kg", TR_LENGTH, "\"30 kg\" is a mass (kg), a length (m) is expected\n"},
      {"3 m", TR_NUMBER, "\"3 m\" is a length (m), a plain number is expected\n"},
      {"3 m/kg", TR_TIME, "\"3 m/kg\" is of the unit m/kg, a time (s) is expected\n"},
      {"3 1/m", TR_TIME, "unexpected \"1\" in \"3 1/m\"\n"},
      {"2^-10 s", TR_TIME, "the exponent is a time (s), not a plain number in \"2^-10 s\"\n"},
      {"1/2 m", TR_LENGTH, "\"1/2 m\" is of the unit 1/m, a length (m) is expected\n"},
      {"3 kgg", TR_MASS, "unknown unit \"kgg\" in \"3 kgg\" (did you mean \"kg\"?)\n"},
      {"5 Ns/m", TR_DAMPING, "unknown unit \"Ns\" in \"5 Ns/m\" (did you mean \"N s\"?)\n"},
      {"max(1", TR_NUMBER,
       "a \")\" is missing in \"max(1\" (inside brackets a text with a comma needs quotes)\n"},
      {"3 m^2.5", TR_LENGTH, "the power of a unit must be a small whole number in \"3 m^2.5\"\n"},
      {"3 m^x", TR_LENGTH, "the power of a unit must be a small whole number in \"3 m^x\"\n"},
      {"k", TR_NUMBER, "unknown name \"k\"\n"},
      {"2*k", TR_NUMBER, "unknown name \"k\" in \"2*k\"\n"},
      {"sqr(2)", TR_NUMBER, "unknown function \"sqr\" in \"sqr(2)\" (did you mean \"sqrt\"?)\n"},
      {"atan2(1)", TR_NUMBER, "atan2 takes 2 arguments in \"atan2(1)\"\n"},
      {"max()", TR_NUMBER, "max takes 1 argument or more in \"max()\"\n"},
      {"1 < 2 < 3", TR_NUMBER, "unexpected \"<\" in \"1 < 2 < 3\"\n"},
      {"1 # 2", TR_NUMBER, "unexpected \"#\" in \"1 # 2\"\n"},
      {"\xc3\xa9", TR_NUMBER, "unexpected character in \"\xc3\xa9\"\n"},
      {"1 m + 1 s", TR_TIME, "\"+\" of two kinds: a length (m) and a time (s) in \"1 m + 1 s\"\n"},
      {"1 m < 1 s", TR_NUMBER,
       "\"<\" of two kinds: a length (m) and a time (s) in \"1 m < 1 s\"\n"},
      {"floor(3 cm)", TR_LENGTH,
       "floor of a length (m): a plain number is expected in \"floor(3 cm)\"\n"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double x = 42;
    tr_error error = {0};
    tr_status status = tr_number(rows[k].text, rows[k].quantity, &x, &error);
    assert_string_equal(error.text, rows[k].message);
    assert_int_equal(status, TR_BAD_INPUT);
    assert_true(x == 42); // left alone
  }
}

// Long and deep texts are refused or done, never a crash.
static void test_limits(void **state) {
  (void)state;
  enum { N = 100000 };
  char *text = malloc(2 * N + 2);
  double x = 0;
  tr_error error = {0};
  assert_non_null(text);
  for (int k = 0; k < N; k++) memcpy(text + 2 * k, "1+", 2);
  strcpy(text + 2 * N, "1");
  assert_int_equal(tr_number(text, TR_NUMBER, &x, &error), TR_OK);
  assert_true(x == N + 1);
  static const char *const deep[] = {"(", "-", "2^", "sin(", "1+(", "min(1,", "1<("};
  for (size_t d = 0; d < sizeof deep / sizeof *deep; d++) {
    size_t n = strlen(deep[d]), k = 0;
    for (; k + n < N; k += n) memcpy(text + k, deep[d], n);
    strcpy(text + k, "1");
    error = (tr_error){0};
    assert_int_equal(tr_number(text, TR_NUMBER, &x, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "nested too deeply"));
  }
  strcpy(text, "min(1");
  for (int k = 0; k < 1000; k++) strcat(text, ",1");
  strcat(text, ")");
  error = (tr_error){0};
  assert_int_equal(tr_number(text, TR_NUMBER, &x, &error), TR_BAD_INPUT);
  free(text);
}

static void test_quantities(void **state) {
  (void)state;
  for (int q = 0; q < TR_QUANTITIES; q++) {
    double x = 0;
    char text[64];
    tr_error error = {0};
    assert_true(tr_quantity_name((tr_quantity)q)[0]);
    // The unit that is shown must be one that is read, of that quantity, and be 1.
    snprintf(text, sizeof text, "1 %s", tr_quantity_unit((tr_quantity)q));
    assert_int_equal(tr_number(text, (tr_quantity)q, &x, &error), TR_OK);
    assert_true(x == 1);
  }
  for (const char *const *u = tr_unit_symbols(); *u; u++) {
    tr_unit unit;
    assert_true(tr_unit_find(*u, strlen(*u), &unit));
  }
}

static void test_numbers_print(void **state) {
  (void)state;
  static const double rows[] = {0, 1, -1, 0.1, 1.0 / 3, 1e300, 5e-324, 123456789.123456789};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[TR_NUMBER_TEXT];
    double x = NAN;
    tr_error error = {0};
    tr_number_print(rows[k], text);
    assert_int_equal(tr_number(text, TR_NUMBER, &x, &error), TR_OK);
    assert_true(x == rows[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),     cmocka_unit_test(test_units),
      cmocka_unit_test(test_messages),   cmocka_unit_test(test_limits),
      cmocka_unit_test(test_quantities), cmocka_unit_test(test_numbers_print),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
