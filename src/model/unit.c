// SPDX-License-Identifier: Apache-2.0
// The tables of quantities, units and prefixes.
//
// There is no Hz: as an angular velocity it would be wrong by 2 pi half of the time. Write rev/s.
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- quantities ---------------------------------------------------------------------------------

typedef struct quantity_row {
  const char *name, *article, *unit;
  tr_dim dim;
} quantity_row;

static const quantity_row quantities[TR_QUANTITIES] = {
    [TR_NUMBER] = {"number", "a", "", {{0, 0, 0, 0}}},
    [TR_LENGTH] = {"length", "a", "m", {{1, 0, 0, 0}}},
    [TR_ANGLE] = {"angle", "an", "rad", {{0, 0, 0, 1}}},
    [TR_TIME] = {"time", "a", "s", {{0, 0, 1, 0}}},
    [TR_MASS] = {"mass", "a", "kg", {{0, 1, 0, 0}}},
    [TR_INERTIA] = {"moment of inertia", "a", "kg m^2", {{2, 1, 0, 0}}},
    [TR_VELOCITY] = {"velocity", "a", "m/s", {{1, 0, -1, 0}}},
    [TR_ANGULAR_VELOCITY] = {"angular velocity", "an", "rad/s", {{0, 0, -1, 1}}},
    [TR_ACCELERATION] = {"acceleration", "an", "m/s^2", {{1, 0, -2, 0}}},
    [TR_ANGULAR_ACCELERATION] = {"angular acceleration", "an", "rad/s^2", {{0, 0, -2, 1}}},
    [TR_FORCE] = {"force", "a", "N", {{1, 1, -2, 0}}},
    [TR_TORQUE] = {"torque", "a", "N m", {{2, 1, -2, 0}}},
    [TR_STIFFNESS] = {"stiffness", "a", "N/m", {{0, 1, -2, 0}}},
    [TR_DAMPING] = {"damping", "a", "N s/m", {{0, 1, -1, 0}}},
    [TR_TORSION_STIFFNESS] = {"torsion stiffness", "a", "N m/rad", {{2, 1, -2, -1}}},
    [TR_TORSION_DAMPING] = {"torsion damping", "a", "N m s/rad", {{2, 1, -1, -1}}},
    [TR_ENERGY] = {"energy", "an", "J", {{2, 1, -2, 0}}},
    [TR_AREA] = {"area", "an", "m^2", {{2, 0, 0, 0}}},
    [TR_AREA_MOMENT] = {"second moment of area", "a", "m^4", {{4, 0, 0, 0}}},
    [TR_PRESSURE] = {"pressure", "a", "Pa", {{-1, 1, -2, 0}}},
    [TR_DENSITY] = {"density", "a", "kg/m^3", {{-3, 1, 0, 0}}},
};

static const quantity_row *row(tr_quantity quantity) {
  return &quantities[quantity >= 0 && quantity < TR_QUANTITIES ? quantity : TR_NUMBER];
}

const char *tr_quantity_unit(tr_quantity quantity) { return row(quantity)->unit; }
const char *tr_quantity_name(tr_quantity quantity) { return row(quantity)->name; }
tr_dim tr_quantity_dim(tr_quantity quantity) { return row(quantity)->dim; }

void tr_quantity_describe(tr_quantity quantity, char text[TR_DIM_TEXT]) {
  const quantity_row *r = row(quantity);
  if (quantity == TR_NUMBER)
    snprintf(text, TR_DIM_TEXT, "a plain number");
  else
    snprintf(text, TR_DIM_TEXT, "%s %s (%s)", r->article, r->name, r->unit);
}

// ---- dimensions ---------------------------------------------------------------------------------

static bool same(double a, double b) { return fabs(a - b) < 1e-6; }

tr_dim tr_dim_add(tr_dim a, tr_dim b, double weight) {
  for (int k = 0; k < 4; k++) a.e[k] += weight * b.e[k];
  return a;
}

bool tr_dim_agree(tr_dim a, tr_dim b) {
  return same(a.e[0], b.e[0]) && same(a.e[1], b.e[1]) && same(a.e[2], b.e[2]);
}

bool tr_dim_is_plain(tr_dim a) { return tr_dim_agree(a, (tr_dim){{0}}); }
bool tr_dim_is_zero(tr_dim a) { return tr_dim_is_plain(a) && same(a.e[3], 0); }

static void add_factors(tr_dim dim, double sign, char text[TR_DIM_TEXT]) {
  static const char *const symbol[4] = {"m", "kg", "s", "rad"};
  static const int order[4] = {1, 0, 2, 3};
  bool first = true;
  for (int j = 0; j < 4; j++) {
    int k = order[j];
    double e = sign * dim.e[k];
    if (e < 1e-6) continue;
    size_t n = strlen(text);
    const char *gap = first ? "" : " ";
    if (same(e, 1))
      snprintf(text + n, TR_DIM_TEXT - n, "%s%s", gap, symbol[k]);
    else
      snprintf(text + n, TR_DIM_TEXT - n, "%s%s^%.3g", gap, symbol[k], e);
    first = false;
  }
}

void tr_dim_describe(tr_dim dim, char text[TR_DIM_TEXT]) {
  for (int q = 0; q < TR_QUANTITIES; q++) {
    if (tr_dim_agree(dim, quantities[q].dim) && same(dim.e[3], quantities[q].dim.e[3])) {
      tr_quantity_describe((tr_quantity)q, text);
      return;
    }
  }
  char above[TR_DIM_TEXT] = "", below[TR_DIM_TEXT] = "";
  add_factors(dim, 1, above);
  add_factors(dim, -1, below);
  bool several = strchr(below, ' ') != NULL;
  snprintf(text, TR_DIM_TEXT, "of the unit %.30s%s%s%.30s%s", above[0] ? above : "1",
           below[0] ? "/" : "", several ? "(" : "", below, several ? ")" : "");
}

// ---- units --------------------------------------------------------------------------------------

typedef struct symbol_row {
  const char *symbol;
  double mul, div;
  tr_dim dim;
  const char *prefixes; // that it takes
} symbol_row;

#define PI 3.14159265358979323846
#define POUND_FORCE 4.4482216152605

static const symbol_row symbols[] = {
    {"m", 1, 1, {{1, 0, 0, 0}}, "pnumcdkM"},
    {"g", 1, 1000, {{0, 1, 0, 0}}, "numkM"},
    {"s", 1, 1, {{0, 0, 1, 0}}, "pnum"},
    {"rad", 1, 1, {{0, 0, 0, 1}}, "um"},
    {"N", 1, 1, {{1, 1, -2, 0}}, "umkMG"},
    {"Nm", 1, 1, {{2, 1, -2, 0}}, "mkM"},
    {"J", 1, 1, {{2, 1, -2, 0}}, "mkMG"},
    {"W", 1, 1, {{2, 1, -3, 0}}, "mkMG"},
    {"Pa", 1, 1, {{-1, 1, -2, 0}}, "kMG"},
    {"bar", 1e5, 1, {{-1, 1, -2, 0}}, "m"},
    {"psi", POUND_FORCE, 0.0254 * 0.0254, {{-1, 1, -2, 0}}, ""},
    {"deg", PI, 180, {{0, 0, 0, 1}}, ""},
    {"rev", 2 * PI, 1, {{0, 0, 0, 1}}, ""},
    {"rpm", PI, 30, {{0, 0, -1, 1}}, ""},
    {"min", 60, 1, {{0, 0, 1, 0}}, ""},
    {"h", 3600, 1, {{0, 0, 1, 0}}, ""},
    {"t", 1000, 1, {{0, 1, 0, 0}}, "k"},
    {"in", 254, 10000, {{1, 0, 0, 0}}, ""},
    {"ft", 3048, 10000, {{1, 0, 0, 0}}, ""},
    {"lb", 45359237, 1e8, {{0, 1, 0, 0}}, ""},
    {"lbf", POUND_FORCE, 1, {{1, 1, -2, 0}}, ""},
};

static const struct {
  char letter;
  double mul, div;
} prefixes[] = {{'p', 1, 1e12}, {'n', 1, 1e9}, {'u', 1, 1e6}, {'m', 1, 1e3}, {'c', 1, 100},
                {'d', 1, 10},   {'k', 1e3, 1}, {'M', 1e6, 1}, {'G', 1e9, 1}};

static const symbol_row *find_symbol(const char *symbol, size_t n) {
  for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++)
    if (strlen(symbols[k].symbol) == n && memcmp(symbols[k].symbol, symbol, n) == 0)
      return &symbols[k];
  return NULL;
}

// Cancels mul against div where one divides the other: 1 kg is 1, not 1000 / 1000.
static tr_unit reduce(tr_unit u) {
  double up = u.mul / u.div, down = u.div / u.mul;
  if (up == floor(up) && up * u.div == u.mul) {
    u.mul = up;
    u.div = 1;
  } else if (down == floor(down) && down * u.mul == u.div) {
    u.mul = 1;
    u.div = down;
  }
  return u;
}

tr_unit tr_unit_times(tr_unit a, tr_unit b, int power) {
  a.dim = tr_dim_add(a.dim, b.dim, power);
  double mul = power > 0 ? b.mul : b.div, div = power > 0 ? b.div : b.mul;
  for (int k = power > 0 ? power : -power; k > 0; k--) {
    a.mul *= mul;
    a.div *= div;
  }
  return reduce(a);
}

bool tr_unit_find(const char *symbol, size_t n, tr_unit *unit) {
  const symbol_row *r = find_symbol(symbol, n);
  if (r) {
    *unit = (tr_unit){r->mul, r->div, r->dim};
    return true;
  }
  if (n < 2) return false;
  r = find_symbol(symbol + 1, n - 1);
  if (!r || !strchr(r->prefixes, symbol[0])) return false;
  for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
    if (prefixes[k].letter == symbol[0])
      *unit = reduce((tr_unit){r->mul * prefixes[k].mul, r->div * prefixes[k].div, r->dim});
  return true;
}

const char *const *tr_unit_symbols(void) {
  static const char *const common[] = {"m",   "mm",   "cm",  "dm",  "km",  "um", "in", "ft",  "g",
                                       "kg",  "mg",   "t",   "lb",  "s",   "ms", "us", "min", "h",
                                       "rad", "mrad", "deg", "rev", "rpm", "N",  "mN", "kN",  "MN",
                                       "lbf", "Nm",   "kNm", "J",   "kJ",  "W",  "kW", "Pa",  "kPa",
                                       "MPa", "GPa",  "bar", "psi", NULL};
  return common;
}
