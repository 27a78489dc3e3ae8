// SPDX-License-Identifier: Apache-2.0
// Elements looked at one by one, for explanations: what each force does, how fast it acts.
#include <math.h>
#include <string.h>

#include "elem/law.h"
#include "system.h"

// ---- what forces do -------------------------------------------------------------------------------

int tr_probe_size(const tr_system *s) {
  int n = 0;
  for (int i = 0; i < s->nforce; i++) n += s->force[i].e.markers * s->force[i].e.nd;
  return n + 2 * s->nc;
}

void tr_probe(tr_work *w, double *out) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  for (int i = 0; i < s->nforce; i++) {
    const sys_force *e = &s->force[i];
    for (int k = 0; k < e->e.markers; k++) f[k] = tr_frame_at(w->frames, e->e.frame[k]);
    e->ops->eval(e->e.par, w->t, f, w->mem + e->e.mem, out);
    out += e->e.markers * e->e.nd;
  }
  tr_forces(w, NULL, NULL, out);
  tr_phi_t(w, out + s->nc);
}

int tr_probe_parts(const tr_system *s) { return s->nforce + 2 * s->nblock; }

tr_probe_part tr_probe_describe(const tr_system *s, int part, int at) {
  if (part < s->nforce) {
    const sys_element *e = &s->force[part].e;
    return (tr_probe_part){"force", e->name, at, e->markers * e->nd, TR_PROBE_FORCE};
  }
  bool rate = part - s->nforce >= s->nblock;
  sys_block block;
  const sys_block *b = tr_block(s, (part - s->nforce) % s->nblock, &block);
  tr_probe_part p = {.at = at + b->row, .n = b->rows, .what = TR_PROBE_PHI};
  if (rate) p.at += s->nc, p.what = TR_PROBE_PHI_T;
  p.name = tr_row_owner(s, b->row, &p.kind);
  return p;
}

// ---- gaps ------------------------------------------------------------------------------------------

int tr_gaps(const tr_system *s) {
  int n = 0;
  for (int i = 0; i < s->nforce; i++) n += s->force[i].ops->gap != NULL;
  return n;
}

// |v_B - v_A| + |w_B - w_A| + |w_A| |p_B - p_A|: of a distance, an angle, a height above what turns.
static double most_rate(const tr_frame *a, const tr_frame *b, int nd) {
  double v = 0, turn = 0, w = 0, p = 0;
  for (int i = 0; i < (nd == 3 ? 2 : 3); i++) {
    v += (b->v[i] - a->v[i]) * (b->v[i] - a->v[i]);
    p += (b->p[i] - a->p[i]) * (b->p[i] - a->p[i]);
  }
  for (int i = nd == 3 ? 2 : 0; i < 3; i++) {
    turn += (b->w[i] - a->w[i]) * (b->w[i] - a->w[i]);
    w += a->w[i] * a->w[i];
  }
  return sqrt(v) + sqrt(turn) + sqrt(w * p);
}

void tr_gaps_here(const tr_work *w, double *gap, double *rate) {
  const tr_system *s = w->sys;
  const tr_frame *f[TR_MAX_MARKERS];
  for (int i = 0; i < s->nforce; i++) {
    const sys_force *e = &s->force[i];
    if (!e->ops->gap) continue;
    for (int k = 0; k < e->e.markers; k++) f[k] = tr_frame_at(w->frames, e->e.frame[k]);
    *gap++ = e->ops->gap(e->e.par, w->t, f, w->mem + e->e.mem);
    if (rate) *rate++ = most_rate(f[0], f[1], e->e.nd);
  }
}

// ---- what may jump in time --------------------------------------------------------------------------

static bool jumps(law_op op) {
  return (op >= LAW_LESS && op <= LAW_NOT_EQUAL) || op == LAW_FLOOR || op == LAW_CEIL ||
         op == LAW_ROUND || op == LAW_SIGN || op == LAW_MOD || op == LAW_IF;
}

// Beyond sums and products, and steps, whose ends are known.
static bool is_steep(law_op op) {
  bool sums = op == LAW_CONSTANT || op == LAW_INPUT || (op >= LAW_NEGATE && op <= LAW_MULTIPLY);
  return !sums && op != LAW_SIN && op != LAW_COS && op != LAW_STEP && op != LAW_STEP5 &&
         op != LAW_HAVSIN;
}

// Whether a law that reads the time has such an instruction.
static bool law_has(const tr_law *law, bool (*is)(law_op op)) {
  bool time = false, any = false;
  for (int k = 0; k < law->inputs; k++) time |= law->input[k].kind == LAW_TIME;
  for (int k = 0; time && k < law->n; k++) any |= is(law->code[k].op);
  return any;
}

static bool element_has(const tr_field *fields, const void *par, bool (*is)(law_op op)) {
  for (const tr_field *f = fields; f && f->name; f++) {
    const tr_law *const *law = (const void *)((const char *)par + f->offset);
    int laws = f->kind == TR_LAW ? 1 : f->kind == TR_LAW3 ? 3 : 0;
    for (int i = 0; i < laws; i++)
      if (law[i] && law_has(law[i], is)) return true;
  }
  return false;
}

static bool some_law_has(const tr_system *s, bool (*is)(law_op op)) {
  bool any = false;
  for (int i = 0; i < s->njoint && !any; i++)
    any = element_has(s->joint[i].type->fields, s->joint[i].e.par, is);
  for (int i = 0; i < s->nforce && !any; i++)
    any = element_has(s->force[i].type->fields, s->force[i].e.par, is);
  return any;
}

bool tr_probe_switches(const tr_system *s) { return some_law_has(s, jumps); }

bool tr_probe_steep(const tr_system *s) { return some_law_has(s, is_steep); }

// ---- waves -----------------------------------------------------------------------------------------

static bool reads_time(const tr_law *law) {
  for (int k = 0; law && !law->constant && k < law->inputs; k++)
    if (law->input[k].kind == LAW_TIME) return true;
  return false;
}

// Calls `see` with each law of the element that reads the time.
static void see_timed_of(const tr_field *fields, const void *par,
                         void (*see)(void *to, const tr_law *law), void *to) {
  for (const tr_field *f = fields; f && f->name; f++) {
    const tr_law *const *law = (const void *)((const char *)par + f->offset);
    int laws = f->kind == TR_LAW ? 1 : f->kind == TR_LAW3 ? 3 : 0;
    for (int j = 0; j < laws; j++)
      if (reads_time(law[j])) see(to, law[j]);
  }
}

// Of forces, and of states and variables.
static void see_timed(const tr_system *s, void (*see)(void *to, const tr_law *law), void *to) {
  for (int i = 0; i < s->nforce; i++)
    see_timed_of(s->force[i].type->fields, s->force[i].e.par, see, to);
  for (int i = 0; i < s->njoint && s->nnumber > 0; i++)
    if (s->joint[i].type == &tr_joint_equation)
      see_timed_of(tr_joint_equation.fields, s->joint[i].e.par, see, to);
}

static void see_any(void *to, const tr_law *law) {
  (void)law;
  *(bool *)to = true;
}

bool tr_probe_reads_time(const tr_system *s) {
  bool any = false;
  see_timed(s, see_any, &any);
  return any;
}

typedef struct waves {
  int n, most;
  double *period;
} waves;

static void see_wave(void *to, const tr_law *law) {
  waves *w = to;
  double wave = law_wave(law);
  int k = 0;
  while (k < w->n && w->period[k] != wave) k++;
  if (isfinite(wave) && k == w->n && k < w->most) w->period[w->n++] = wave;
}

int tr_probe_waves(const tr_system *s, int most, double *period) {
  waves w = {.most = most, .period = period};
  see_timed(s, see_wave, &w);
  return w.n;
}

// ---- what time tells --------------------------------------------------------------------------------

enum { DEEPEST = 4 }; // numbers that are made of numbers: no more times

static const law_source *number_of(const tr_system *s, const law_source *equation,
                                   const sys_element *e, const law_input *in) {
  int body = in->kind == LAW_VALUE && in->to >= 0 ? e->body[in->to] : TR_GROUND;
  for (int i = 0; body != TR_GROUND && i < s->njoint; i++)
    if (equation[i].alone && s->joint[i].e.body[0] == body) return &equation[i];
  return NULL;
}

// Where a parameter that events set stands.
static const double *parameter_of(const tr_system *s, const double *memory, const sys_element *e,
                                  const law_input *in) {
  for (int i = 0; in->kind == LAW_PARAMETER && i < s->nswitched; i++)
    if (s->switched[i].frame == e->frame[in->to]) return memory + s->switched[i].first + in->axis;
  return NULL;
}

// What is looked through while laws of time are gathered.
typedef struct telling {
  const tr_system *s;
  const double *memory;
  law_source *equation; // (njoint) states and variables, by their equations
  tr_timed *out;
  law_source *room; // for them, or NULL: they are counted
} telling;

static law_source source_of(const telling *k, const sys_element *e, const tr_law *law) {
  law_source x = {.law = law, .alone = true};
  for (int i = 0; !law->constant && i < law->inputs; i++) {
    const law_source *number = x.number[i] = number_of(k->s, k->equation, e, &law->input[i]);
    x.parameter[i] = parameter_of(k->s, k->memory, e, &law->input[i]);
    bool timed = law->input[i].kind == LAW_TIME || number;
    x.timed |= timed, x.alone &= timed || x.parameter[i];
    if (number && x.deep <= number->deep) x.deep = number->deep + 1;
  }
  x.alone &= x.deep < DEEPEST;
  return x;
}

static void find_equations(telling *k) {
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < k->s->njoint; i++) {
      const tr_equation_par *par = k->s->joint[i].e.par;
      if (k->s->joint[i].type != &tr_joint_equation || k->equation[i].alone) continue;
      k->equation[i] = source_of(k, &k->s->joint[i].e, par->law);
      more |= k->equation[i].alone;
    }
  }
}

static void gather(telling *k, const tr_field *fields, const sys_element *e) {
  for (const tr_field *f = fields; f && f->name; f++) {
    const tr_law *const *law = (const void *)((const char *)e->par + f->offset);
    int laws = f->kind == TR_LAW ? 1 : f->kind == TR_LAW3 ? 3 : 0;
    for (int i = 0; i < laws; i++) {
      if (!law[i] || law[i]->constant) continue;
      law_source x = source_of(k, e, law[i]);
      for (int m = 0; m < law[i]->inputs; m++) k->out->set |= x.parameter[m] != NULL;
      if (!x.timed) continue;
      if (k->room) k->room[k->out->n] = x;
      k->out->n++;
    }
  }
}

static void gather_all(telling *k) {
  k->out->n = 0;
  for (int i = 0; i < k->s->njoint; i++) gather(k, k->s->joint[i].type->fields, &k->s->joint[i].e);
  for (int i = 0; i < k->s->nforce; i++) gather(k, k->s->force[i].type->fields, &k->s->force[i].e);
}

tr_status tr_probe_timed(const tr_system *s, tr_arena *ar, const double *memory, tr_timed *out) {
  telling k = {s, memory, TR_NEW(ar, s->njoint + 1, law_source), out, NULL};
  if (!k.equation) return TR_NO_MEMORY;
  *out = (tr_timed){0};
  find_equations(&k);
  gather_all(&k);
  k.room = out->law = TR_NEW(ar, out->n + 1, law_source);
  if (!out->law) return TR_NO_MEMORY;
  gather_all(&k);
  out->set &= out->n > 0;
  return TR_OK;
}

int tr_probe_instants(const tr_timed *timed, int most, tr_instant *out) {
  int n = 0;
  for (int i = 0; i < timed->n; i++) n = law_find_instants(&timed->law[i], n, most, out);
  return n;
}

// ---- how fast they act ----------------------------------------------------------------------------

// The least mass, and moment of inertia, among what a force acts on.
static void inertia_of(const tr_work *w, const sys_element *e, double *room, double *mass,
                       double *inertia) {
  const tr_system *s = w->sys;
  const double *blocks = tr_mass_blocks((tr_work *)w, room);
  *mass = *inertia = INFINITY;
  for (int k = 0; k < e->markers; k++) {
    if (e->body[k] == TR_GROUND) continue;
    const sys_body *b = &s->body[e->body[k]];
    for (int i = 0; i < b->nv; i++) {
      double m = blocks[b->mass + i * (b->nv + 1)];
      bool turn = b->nv == 3 ? i == 2 : i > 2;
      double *least = turn && b->type->dim * 3 - 3 <= b->nv ? inertia : mass;
      if (m > 0 && m < *least) *least = m;
    }
  }
}

// sqrt(K/m) and D/m, the larger: 1/s.
static double rate_of(tr_work *w, const sys_force *e, double *room) {
  const tr_frame *f[TR_MAX_MARKERS];
  double K[36 * TR_MAX_MARKERS * TR_MAX_MARKERS], D[36 * TR_MAX_MARKERS * TR_MAX_MARKERS];
  int nd = e->e.nd, n = e->e.markers * nd, points = nd == 3 ? 2 : 3;
  double mass, inertia, rate = 0;
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  memset(D, 0, (size_t)(n * n) * sizeof *D);
  for (int k = 0; k < e->e.markers; k++) f[k] = tr_frame_at(w->frames, e->e.frame[k]);
  e->ops->tangent(e->e.par, w->t, f, w->mem + e->e.mem, K, D);
  inertia_of(w, &e->e, room, &mass, &inertia);
  for (int i = 0; i < n; i++) {
    double m = i % nd < points ? mass : inertia;
    rate = fmax(rate, fmax(sqrt(fabs(K[i * (n + 1)]) / m), fabs(D[i * (n + 1)]) / m));
  }
  return rate;
}

double tr_probe_fastest(tr_work *w, double *room, const char **name) {
  const tr_system *s = w->sys;
  double most = 0;
  *name = "";
  for (int i = 0; i < s->nforce; i++) {
    double rate = rate_of(w, &s->force[i], room);
    if (rate > most) most = rate, *name = s->force[i].e.name;
  }
  return most;
}
