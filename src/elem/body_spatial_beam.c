// SPDX-License-Identifier: Apache-2.0
// Uniform beam in space, flexible in bending, along and about its axis: modes in beam.h, equations in
// flexible.h. Its origin is the end x = 0; it lies along the x axis of its reference frame.
#include <math.h>

#include "beam.h"

typedef struct par {
  tr_flex_spatial_par common; // first: what flexible_spatial.c reads
  tr_beam beam;
} par;

static const tr_field fields[] = {
    {"length", TR_REAL, TR_LENGTH, offsetof(par, beam.length), .positive = true,
     .doc = "L: the beam reaches from the origin to (L, 0, 0)"},
    {"density", TR_REAL, TR_DENSITY, offsetof(par, beam.density), .positive = true,
     .doc = "of the material"},
    {"young", TR_REAL, TR_PRESSURE, offsetof(par, beam.young), .positive = true,
     .doc = "modulus E"},
    {"area", TR_REAL, TR_AREA, offsetof(par, beam.area), .positive = true, .doc = "of the section"},
    {"Iy", TR_REAL, TR_AREA_MOMENT, offsetof(par, beam.Iy), .positive = true,
     .doc = "second moment of area about y: bending along z"},
    {"Iz", TR_REAL, TR_AREA_MOMENT, offsetof(par, beam.Iz), .positive = true,
     .doc = "second moment of area about z: bending along y"},
    {"shear", TR_REAL, TR_PRESSURE, offsetof(par, beam.shear), "auto", .positive = true,
     .doc = "modulus G, for torsion; by default E/2.6"},
    {"J", TR_REAL, TR_AREA_MOMENT, offsetof(par, beam.J), "auto", .positive = true,
     .doc = "torsion constant; by default Iy + Iz, as of a round section"},
    {"modes", TR_CHOICE, TR_NUMBER, offsetof(par, beam.support), "simply-supported",
     .choices = tr_beam_supports, .doc = "supports of the beam whose modes are taken"},
    {"bending-y", TR_INT, TR_NUMBER, offsetof(par, beam.bending_y), "2", .min = 0, .max = 12,
     .doc = "number of modes bending along y"},
    {"bending-z", TR_INT, TR_NUMBER, offsetof(par, beam.bending_z), "2", .min = 0, .max = 12,
     .doc = "number of modes bending along z"},
    {"axial", TR_INT, TR_NUMBER, offsetof(par, beam.axial), "0", .min = 0, .max = 12,
     .doc = "number of axial modes"},
    {"torsion", TR_INT, TR_NUMBER, offsetof(par, beam.torsion), "0", .min = 0, .max = 12,
     .doc = "number of torsion modes"},
    {"stiffening", TR_BOOL, TR_NUMBER, offsetof(par, beam.stiffening), "no",
     .doc = "geometric stiffening: bending takes the axial way it costs"},
    {"damping-ratio", TR_REAL, TR_NUMBER, offsetof(par, beam.zeta), "0", .min = 0, .max = 10,
     .doc = "of every mode: part of critical damping"},
    {"rayleigh", TR_VEC2, TR_NUMBER, offsetof(par, beam.rayleigh), "[0, 0]", .min = 0, .max = 1e9,
     .doc = "damping [a, b] = a mass + b stiffness, in 1/s and s"},
    TR_FLEX_SPATIAL_FIELDS(par),
    {0}};

static const char *check(const void *pv) {
  const par *p = pv;
  return tr_flex_deform_check(&p->common.deform, tr_beam_modes(&p->beam));
}

static size_t room(const void *pv) { return tr_beam_room(&((const par *)pv)->beam); }

static const char *prepare(void *pv, double *memory) {
  par *p = pv;
  if (isnan(p->beam.shear)) p->beam.shear = p->beam.young / 2.6;
  if (isnan(p->beam.J)) p->beam.J = p->beam.Iy + p->beam.Iz;
  p->beam.polar = p->beam.Iy + p->beam.Iz;
  return tr_beam_make(&p->beam, false, memory, &p->common.flex);
}

static void site(const void *pv, const double p[3], const double R[9], tr_site *s) {
  for (int i = 0; i < 3; i++) s->c[i] = p[i];
  s->R = R;
  s->angle = 0;
  tr_beam_shape(&((const par *)pv)->beam, p, s->shape);
}

const tr_body_type tr_body_spatial_beam = {
    .name = "spatial-beam",
    .doc = "uniform flexible beam in space, from its origin along its x axis",
    .fields = fields,
    .par_size = sizeof(par),
    .check = check,
    .room = room,
    .prepare = prepare,
    .site = site,
    TR_FLEX_SPATIAL_TYPE,
};
