// SPDX-License-Identifier: Apache-2.0
// Motions in words. Bodies are read through their own outputs at a state with velocities v, joints by
// differences of their coordinates along q o exp(+-h v):
//   planar, omega != 0    turns about  o + (-vy, vx)/omega
//   spatial, w != 0       turns about the line through o + w x v/w^2 along w, and slides along it by w.v/w^2
//   else                  moves along v
#include "motion_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/v3.h"
#include "math/vector.h"

enum { PARTS = 9, MOST_NAMED = 6 };
static const double STEP = 1e-5, SMALL = 1e-6;

typedef struct seen {
  const char *name;
  bool planar;
  int first; // among the values
} seen;

struct tr_teller {
  const tr_system *sys;
  tr_arena arena;
  tr_state at, beside;
  tr_reader *bodies, *joints;
  int nbody, nbody_value, njoint_value;
  seen *body;          // (nbody)
  int *measure;        // (njoint_value) channels
  double *value;       // (nbody_value)
  double *more, *rate; // (njoint_value)
};

static const char *const planar_names[] = {"x", "y", "vx", "vy", "omega", NULL};
static const char *const spatial_names[] = {"x",  "y",  "z",  "vx", "vy",
                                            "vz", "wx", "wy", "wz", NULL};

static tr_status choose_bodies(tr_teller *t) {
  const tr_system *s = t->sys;
  t->body = TR_NEW(&t->arena, s->nbody, seen);
  int *channels = TR_NEW(&t->arena, PARTS * s->nbody, int);
  if (!t->body || !channels) return TR_NO_MEMORY;
  for (int i = 0; i < s->nbody; i++) {
    seen b = {s->body[i].name, s->body[i].type->dim == 2, t->nbody_value};
    const char *const *part = b.planar ? planar_names : spatial_names;
    for (; *part; part++) {
      char name[256];
      snprintf(name, sizeof name, "%s.%s", b.name, *part);
      int channel = tr_channel_find(s, name);
      if (channel < 0) break;
      channels[t->nbody_value++] = channel;
    }
    if (*part)
      t->nbody_value = b.first; // a problem's own coordinates: nothing to tell
    else
      t->body[t->nbody++] = b;
  }
  t->value = TR_NEW(&t->arena, t->nbody_value, double);
  if (!t->value) return TR_NO_MEMORY;
  return tr_reader_new(s, t->nbody_value, channels, &t->bodies, NULL);
}

static tr_status choose_joints(tr_teller *t) {
  const tr_system *s = t->sys;
  t->measure = TR_NEW(&t->arena, TR_MAX_MEASURES * s->njoint, int);
  if (!t->measure) return TR_NO_MEMORY;
  for (int o = 0; o < s->nowner; o++) {
    if (s->owner[o].kind != OWN_JOINT) continue;
    int reactions = s->joint[s->owner[o].index].e.nd;
    for (int c = s->owner[o].first + reactions; c < s->owner[o + 1].first; c++)
      t->measure[t->njoint_value++] = c;
  }
  t->more = TR_NEW(&t->arena, t->njoint_value, double);
  t->rate = TR_NEW(&t->arena, t->njoint_value, double);
  if (!t->more || !t->rate) return TR_NO_MEMORY;
  return tr_reader_new(s, t->njoint_value, t->measure, &t->joints, NULL);
}

tr_status tr_teller_new(const tr_system *s, const tr_state *x, tr_teller **out) {
  tr_arena ar = tr_arena_make(s->al);
  tr_teller *t = TR_NEW(&ar, 1, tr_teller);
  *out = NULL;
  if (!t) return TR_NO_MEMORY;
  t->sys = s, t->arena = ar;
  tr_status status = tr_state_new(s, &t->at, NULL);
  if (status == TR_OK) status = tr_state_new(s, &t->beside, NULL);
  if (status == TR_OK) tr_state_copy(&t->at, x), tr_state_copy(&t->beside, x);
  if (status == TR_OK) status = choose_bodies(t);
  if (status == TR_OK) status = choose_joints(t);
  if (status == TR_OK)
    *out = t;
  else
    tr_teller_free(t);
  return status;
}

void tr_teller_free(tr_teller *t) {
  if (!t) return;
  tr_reader_free(t->bodies);
  tr_reader_free(t->joints);
  tr_state_free(t->sys, &t->at);
  tr_state_free(t->sys, &t->beside);
  tr_arena arena = t->arena;
  tr_arena_free(&arena);
}

// ---- words ------------------------------------------------------------------------------------------

static double plain(double x) { return fabs(x) < SMALL ? 0 : x; }

static void tell_planar(const double *y, tr_text *text) {
  double w = y[4];
  if (fabs(w) > SMALL)
    tr_text_add(text, "turns %.4g about (%.4g, %.4g)", w, plain(y[0] - y[3] / w),
                plain(y[1] + y[2] / w));
  else
    tr_text_add(text, "moves (%.4g, %.4g)", plain(y[2]), plain(y[3]));
}

static void tell_spatial(const double *y, tr_text *text) {
  const double *v = y + 3, *w = y + 6;
  double n = v3_norm(w), c[3];
  if (!(n > SMALL)) {
    tr_text_add(text, "moves (%.4g, %.4g, %.4g)", plain(v[0]), plain(v[1]), plain(v[2]));
    return;
  }
  v3_cross(w, v, c);
  for (int i = 0; i < 3; i++) c[i] = plain(y[i] + c[i] / (n * n));
  tr_text_add(text, "turns %.4g about (%.4g, %.4g, %.4g) through (%.4g, %.4g, %.4g)", n,
              plain(w[0] / n), plain(w[1] / n), plain(w[2] / n), c[0], c[1], c[2]);
  double slide = v3_dot(w, v) / n;
  if (fabs(slide) > SMALL) tr_text_add(text, " and slides %.4g", slide);
}

// The largest turning speed, or if nothing turns the largest speed.
static double size_of(const tr_teller *t) {
  double turn = 0, way = 0;
  for (int i = 0; i < t->nbody; i++) {
    const double *y = t->value + t->body[i].first;
    bool planar = t->body[i].planar;
    turn = fmax(turn, planar ? fabs(y[4]) : v3_norm(y + 6));
    way = fmax(way, planar ? hypot(y[2], y[3]) : v3_norm(y + 3));
  }
  return turn > SMALL * way ? turn : way;
}

static bool moves(const tr_teller *t, int i) {
  const double *y = t->value + t->body[i].first;
  return t->body[i].planar ? vec_largest(y + 2, 3) > SMALL : vec_largest(y + 3, 6) > SMALL;
}

static tr_status read_bodies(tr_teller *t, const double *v) {
  memcpy(t->at.v, v, (size_t)t->sys->nv * sizeof *v);
  return tr_reader_read(t->bodies, &t->at, t->value);
}

static tr_status read_joints(tr_teller *t, const double *v) {
  double *d = t->beside.v;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < t->sys->nv; i++) d[i] = side * STEP * v[i];
    tr_retract(t->sys, t->at.q, d, t->beside.q);
    TR_TRY(tr_reader_read(t->joints, &t->beside, side < 0 ? t->more : t->rate));
  }
  for (int i = 0; i < t->njoint_value; i++) t->rate[i] = (t->rate[i] - t->more[i]) / (2 * STEP);
  return TR_OK;
}

tr_status tr_tell_motion(tr_teller *t, double *v, tr_text *text) {
  int named = 0, more = 0;
  TR_TRY(read_bodies(t, v));
  double size = size_of(t);
  for (int i = 0; size > 0 && i < t->sys->nv; i++) v[i] /= size;
  TR_TRY(read_bodies(t, v));
  TR_TRY(read_joints(t, v));
  for (int i = 0; i < t->nbody; i++) {
    if (!moves(t, i)) continue;
    if (named++ >= MOST_NAMED) {
      more++;
      continue;
    }
    tr_text_add(text, "%s%s ", named > 1 ? ", " : "", t->body[i].name);
    (t->body[i].planar ? tell_planar : tell_spatial)(t->value + t->body[i].first, text);
  }
  if (more > 0) tr_text_add(text, ", %d more %s", more, more == 1 ? "body moves" : "bodies move");
  named = more = 0;
  for (int i = 0; i < t->njoint_value; i++) {
    char name[256];
    if (fabs(t->rate[i]) < 1e2 * SMALL) continue;
    if (named++ >= MOST_NAMED) continue;
    tr_channel_name(t->sys, t->measure[i], name, sizeof name);
    tr_text_add(text, "%s%s %.4g", named > 1 ? ", " : "; ", name, t->rate[i]);
  }
  if (named > MOST_NAMED) tr_text_add(text, " and %d more", named - MOST_NAMED);
  tr_text_add(text, "\n");
  return text->failed ? TR_NO_MEMORY : TR_OK;
}
