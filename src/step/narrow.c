// SPDX-License-Identifier: Apache-2.0
// The matrix of the second half, [cm X G'; G 0], without what is 0 in it for ever: springs that join bodies are no part
// of X, and bodies that no constraint acts on are no part of it at all, their w is 0. What is left falls into the
// linkages proper, which have a better order of elimination than the whole with its springs. (Where A stood for cm X before,
// springs have given such bodies a w: it goes back to 0 at once.) Nor are states and variables where their w is held at 0.
// s->projection keeps the values, in the pattern of the whole; here they are factored. Where little is saved it does both.
// Where the halves may be solved side by side it does so, too, and its factors go along with those of the first (s->twin):
// two right-hand sides of one order are hardly dearer than one.
#include <string.h>

#include "sparse/block.h"
#include "step.h"

static const double WORTH = 0.85; // numbers of the factors, by those of the whole
static const double FEWER = 0.8;  // entries, by those of the whole: else it is not worth a plan
static const double LEAST = 0.25; // numbers for which it is the better one, even so

typedef struct tr_entry {
  int row, column, slot;
} tr_entry;

typedef struct tr_narrow {
  bool used;
  tr_arena arena; // of all that follows; empty unless used
  tr_pattern p;
  tr_kkt kkt;
  int *unknown; // (p.n) of the whole, then the others
  int *slot;    // (p.nnz) in the values of the whole
  double *b;    // (p.n)
  bool held;    // numbers are not in it
  bool here;    // the last matrix was factored here
  tr_entry *of; // (ofs) entries of the whole in rows of numbers, columns of bodies
  int ofs;
} tr_narrow;

// Whether the entry in row i, column j belongs to X, to G or to the diagonal of the multipliers.
static bool belongs(const int *body, int i, int j, int nv) {
  if (i < nv && j < nv) return body[i] == body[j];
  return i < nv || j < nv || i == j;
}

// Which unknowns are in it, numbered; their count. all: also those of states and variables.
static int number_unknowns(const tr_system *sys, bool all, int *number) {
  const tr_pattern *p = &sys->pattern;
  int n = 0;
  for (int j = 0; j < sys->nv; j++) number[j] = -1;
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    bool held = false;
    if (!all && sys->number[b->v]) continue;
    for (int j = b->v; j < b->v + b->nv && !held; j++)
      held = p->column[j + 1] > p->column[j] && p->row[p->column[j + 1] - 1] >= sys->nv;
    for (int j = b->v; j < b->v + b->nv && held; j++) number[j] = n++;
  }
  for (int j = sys->nv; j < p->n; j++) number[j] = all || !sys->of_number[j - sys->nv] ? n++ : -1;
  return n;
}

// The columns of the pattern; with row NULL their lengths alone.
static int write_columns(const tr_system *sys, const int *number, const int *body, int *column,
                         int *row, int *slot) {
  const tr_pattern *p = &sys->pattern;
  int at = 0;
  for (int j = 0; j < p->n; j++) {
    if (number[j] < 0) continue;
    column[number[j]] = at;
    for (int k = p->column[j]; k < p->column[j + 1]; k++) {
      if (number[p->row[k]] < 0 || !belongs(body, p->row[k], j, sys->nv)) continue;
      if (row) row[at] = number[p->row[k]], slot[at] = k;
      at++;
    }
    column[number[j] + 1] = at;
  }
  return at;
}

static double numbers(const tr_pattern *p) {
  return p->blocks ? p->blocks->numbers : p->klu ? 1e300 : (double)p->n * p->n;
}

// Analysed by bodies and joints as the whole is: without them the order of a hub would take a dense matrix.
static tr_status analyse(const tr_system *sys, tr_narrow *m, tr_arena *own) {
  tr_groups groups;
  int *of = TR_NEW(own, m->p.n, int);
  if (!of || !tr_group_unknowns(own, sys, &groups)) return TR_NO_MEMORY;
  for (int i = 0; i < m->p.n; i++) of[i] = groups.of[m->unknown[i]];
  groups.of = of;
  m->p.groups = &groups;
  tr_status status = tr_pattern_analyse(&m->arena, &m->p, TR_DENSE_MAX);
  m->p.groups = NULL;
  return status;
}

// The entries of what numbers hear of bodies; to NULL: their count.
static int list_entries(const tr_system *sys, tr_entry *to) {
  const tr_pattern *p = &sys->pattern;
  int n = 0;
  for (int j = 0; j < sys->nv - sys->nnumber; j++)
    for (int k = p->column[j]; k < p->column[j + 1]; k++) {
      if (p->row[k] < sys->nv || !sys->of_number[p->row[k] - sys->nv]) continue;
      if (to) to[n] = (tr_entry){p->row[k], j, k};
      n++;
    }
  return n;
}

// own: for what only the plan needs.
static tr_status plan(const tr_system *sys, tr_narrow *m, tr_arena *own) {
  int *number = TR_NEW(own, sys->pattern.n, int), *body = TR_NEW(own, sys->nv, int);
  if (!number || !body) return TR_NO_MEMORY;
  for (int i = 0; i < sys->nbody; i++)
    for (int k = 0; k < sys->body[i].nv; k++) body[sys->body[i].v + k] = i;
  int n = number_unknowns(sys, !m->held, number), *column = TR_NEW(&m->arena, n + 1, int);
  if (!column) return TR_NO_MEMORY;
  int nnz = write_columns(sys, number, body, column, NULL, NULL);
  if (nnz > FEWER * sys->pattern.nnz) return TR_OK;
  int *row = TR_NEW(&m->arena, nnz, int);
  m->unknown = TR_NEW(&m->arena, sys->pattern.n, int), m->slot = TR_NEW(&m->arena, nnz, int),
  m->b = TR_NEW(&m->arena, n, double);
  if (!row || !m->unknown || !m->slot || !m->b) return TR_NO_MEMORY;
  write_columns(sys, number, body, column, row, m->slot);
  for (int j = 0, others = n; j < sys->pattern.n; j++)
    m->unknown[number[j] >= 0 ? number[j] : others++] = j;
  m->ofs = m->held ? list_entries(sys, NULL) : 0;
  if (!(m->of = TR_NEW(&m->arena, m->ofs, tr_entry))) return TR_NO_MEMORY;
  if (m->held) list_entries(sys, m->of);
  int rows = sys->nc - (m->held ? sys->nnumber : 0);
  m->p = (tr_pattern){.n = n, .nnz = nnz, .leading = n - rows, .column = column, .row = row};
  TR_TRY(analyse(sys, m, own));
  if (numbers(&m->p) > WORTH * numbers(&sys->pattern)) return TR_OK;
  tr_status status = tr_kkt_make(&m->arena, &m->p, &m->kkt);
  m->used = status == TR_OK;
  if (!m->used) tr_kkt_free(&m->kkt);
  return status;
}

static tr_status make(tr_step *s) {
  tr_narrow *m = s->narrow = TR_NEW(&s->arena, 1, tr_narrow);
  if (!m) return TR_NO_MEMORY;
  tr_arena own = tr_arena_make(s->sys->al);
  m->arena = tr_arena_make(s->sys->al);
  m->held = tr_step_holds_numbers(s);
  tr_status status = plan(s->sys, m, &own);
  tr_arena_free(&own);
  if (!m->used) tr_arena_free(&m->arena);
  return status;
}

void tr_second_free(tr_step *s) {
  if (!s->narrow || !s->narrow->used) return;
  tr_kkt_free(&s->narrow->kkt);
  tr_arena_free(&s->narrow->arena);
}

static bool fits(const tr_step *s) {
  return s->narrow->used && s->narrow->held == tr_step_holds_numbers(s);
}

// Both halves side by side, from here on.
static tr_status pair(tr_step *s) {
  const tr_blocks *b = s->sys->pattern.blocks;
  if (!s->twin) s->twin = TR_BUSY(&s->arena, 2 * (size_t)b->numbers, double);
  if (!s->twin) return TR_NO_MEMORY;
  s->paired = tr_kkt_pair(&s->kkt, &s->projection, s->twin);
  s->paired_age = 0;
  return TR_OK;
}

// P = A, but cm X in its corner
static void fill_beside(const tr_step *s, const double *A, const double *mass, double *P) {
  const tr_pattern *p = &s->sys->pattern;
  memcpy(P, A, (size_t)p->blocks->numbers * sizeof *P);
  for (int i = 0; i < s->sys->nbody; i++) {
    const sys_body *b = &s->sys->body[i];
    for (int c = 0; c < b->nv; c++) {
      tr_block_column at = tr_blocks_column(p->blocks, b->v + c);
      const int *row = p->row + p->column[b->v + c], *end = p->row + p->column[b->v + c + 1];
      const double *X = mass + b->mass + c;
      for (int k = 0; row + k < end && row[k] < s->sys->nv; k++) {
        int r = row[k] - b->v;
        P[at.first + at.offset[k]] = r >= 0 && r < b->nv ? s->c.cm * X[r * b->nv] : 0;
      }
    }
  }
}

bool tr_second_beside(tr_step *s, const double *mass) {
  double *A = tr_kkt_blocks(&s->kkt), *P = tr_kkt_blocks(&s->projection);
  s->paired = false;
  if (!A || !P) return false;
  fill_beside(s, A, mass, P);
  return s->paired = tr_kkt_factor_blocks(&s->kkt) && tr_kkt_factor_blocks(&s->projection) &&
                     tr_kkt_pair(&s->kkt, &s->projection, s->twin);
}

tr_status tr_second_factor(tr_step *s, bool beside) {
  if (!s->narrow) TR_TRY(make(s));
  tr_narrow *m = s->narrow;
  tr_kkt *whole = &s->projection;
  const tr_blocks *b = s->sys->pattern.blocks;
  beside &= b && b->windows == 0;
  m->here = fits(s) && !(beside && m->p.blocks && m->p.blocks->numbers > LEAST * b->numbers);
  s->paired = false;
  if (!m->here) {
    TR_TRY(tr_kkt_factor(whole));
    return beside ? pair(s) : TR_OK;
  }
  tr_kkt_apply_mask(whole);
  for (int k = 0; k < m->p.nnz; k++) m->kkt.values[k] = whole->values[m->slot[k]];
  m->kkt.rough = whole->rough, m->kkt.team = whole->team;
  long factored = m->kkt.factorisations, again = m->kkt.refactorisations;
  tr_status status = tr_kkt_factor(&m->kkt);
  whole->factorisations += m->kkt.factorisations - factored;
  whole->refactorisations += m->kkt.refactorisations - again;
  whole->rcond = m->kkt.rcond, whole->held = true;
  if (whole->rough && m->kkt.doubt == BLOCK_TRUSTED)
    m->kkt.held = false; // corrections of w are small: never refined
  return status;
}

tr_status tr_second_solve(tr_step *s, double *r) {
  tr_narrow *m = s->narrow;
  const tr_mask *mask = s->projection.mask;
  if (!m->here) return tr_kkt_solve(&s->projection, 1, r);
  for (int i = 0; mask && i < mask->count; i++) r[mask->row[i]] = 0;
  s->projection.solves++;
  if (m->p.n == s->sys->pattern.n) return tr_kkt_solve(&m->kkt, 1, r); // all, in their order
  for (int i = 0; i < m->p.n; i++) m->b[i] = r[m->unknown[i]];
  TR_TRY(tr_kkt_solve(&m->kkt, 1, m->b));
  for (int i = 0; i < m->p.n; i++) r[m->unknown[i]] = m->b[i];
  for (int i = m->p.n; i < s->sys->pattern.n; i++) {
    int j = m->unknown[i];
    if (r[j] != 0) r[j] = s->w[j];
  }
  return TR_OK;
}

// dw and dmu of states and variables away, and what that leaves of Gam_v dw in their equations: e4 + cw/cq Gam_v dw.
void tr_second_hold(const tr_step *s, double *dw, double *r) {
  const tr_system *sys = s->sys;
  const tr_pattern *p = &sys->pattern;
  const tr_narrow *m = s->narrow;
  const double *P = s->projection.values;
  double f = s->c.cw / s->c.cq;
  bool narrow = m->here;
  for (int i = 0; narrow && i < m->ofs; i++)
    r[m->of[i].row] += f * P[m->of[i].slot] * dw[m->of[i].column];
  for (int j = sys->nv - sys->nnumber; j < sys->nv; j++) {
    for (int k = p->column[j]; !narrow && k < p->column[j + 1]; k++)
      if (p->row[k] >= sys->nv) r[p->row[k]] -= f * P[k] * dw[j];
    dw[j] = 0;
  }
  for (int i = 0; i < sys->nc; i++)
    if (sys->of_number[i]) dw[sys->nv + i] = 0;
}
