// SPDX-License-Identifier: Apache-2.0
// Uniform beam in the plane, flexible in bending and along its axis: modes in beam.h, equations in
// flexible.h. Its origin is the end x = 0; it lies along the x axis of its reference frame.
#include <math.h>

#include "beam.h"

typedef struct par {
  tr_flex_planar_par common; // first: what flexible_planar.c reads
  tr_beam beam;
} par;

static const tr_field fields[] = {
    {"length", TR_REAL, TR_LENGTH, offsetof(par, beam.length), .positive = true,
     .doc = "L: the beam reaches from the origin to (L, 0)"},
    {"density", TR_REAL, TR_DENSITY, offsetof(par, beam.density), .positive = true,
     .doc = "of the material"},
    {"young", TR_REAL, TR_PRESSURE, offsetof(par, beam.young), .positive = true,
     .doc = "modulus E"},
    {"area", TR_REAL, TR_AREA, offsetof(par, beam.area), .positive = true, .doc = "of the section"},
    {"I", TR_REAL, TR_AREA_MOMENT, offsetof(par, beam.Iz), .positive = true,
     .doc = "second moment of area, for bending in the plane"},
    {"modes", TR_CHOICE, TR_NUMBER, offsetof(par, beam.support), "simply-supported",
     .choices = tr_beam_supports, .doc = "supports of the beam whose modes are taken"},
    {"bending", TR_INT, TR_NUMBER, offsetof(par, beam.bending_y), "2", .min = 0, .max = 20,
     .doc = "number of bending modes"},
    {"axial", TR_INT, TR_NUMBER, offsetof(par, beam.axial), "0", .min = 0, .max = 20,
     .doc = "number of axial modes"},
    {"stiffening", TR_BOOL, TR_NUMBER, offsetof(par, beam.stiffening), "no",
     .doc = "geometric stiffening: bending takes the axial way it costs"},
    {"damping-ratio", TR_REAL, TR_NUMBER, offsetof(par, beam.zeta), "0", .min = 0, .max = 10,
     .doc = "of every mode: part of critical damping"},
    {"rayleigh", TR_VEC2, TR_NUMBER, offsetof(par, beam.rayleigh), "[0, 0]", .min = 0, .max = 1e9,
     .doc = "damping [a, b] = a mass + b stiffness, in 1/s and s"},
    TR_FLEX_PLANAR_FIELDS(par),
    {0}};

static const char *check(const void *pv) {
  const par *p = pv;
  return tr_flex_deform_check(&p->common.deform, tr_beam_modes(&p->beam));
}

static size_t room(const void *pv) { return tr_beam_room(&((const par *)pv)->beam); }

static const char *prepare(void *pv, double *memory) {
  par *p = pv;
  return tr_beam_make(&p->beam, true, memory, &p->common.flex);
}

static void site(const void *pv, const double p[3], const double R[9], tr_site *s) {
  for (int i = 0; i < 3; i++) s->c[i] = p[i];
  s->R = R;
  s->angle = atan2(R[3], R[0]);
  tr_beam_shape(&((const par *)pv)->beam, p, s->shape);
}

const tr_body_type tr_body_planar_beam = {
    .name = "planar-beam",
    .doc = "uniform flexible beam in the x-y plane, from its origin along its x axis",
    .fields = fields,
    .par_size = sizeof(par),
    .check = check,
    .room = room,
    .prepare = prepare,
    .site = site,
    TR_FLEX_PLANAR_TYPE,
};
