// SPDX-License-Identifier: Apache-2.0
// The pattern of the KKT matrix and the tape of its slots, found by assembling it at random states.
//
// (1) Collecting, twice, notes the places of all entries that do not vanish at a generic state; places
//     are sorted by counting, column by column, so that the work is proportional to their number. Angles that may be
//     others later, of bodies that change their coordinates, are taken to be in all entries of their blocks.
// (2) Recording goes through the same blocks once more and writes down where they are in the pattern.
// (3) The random numbers come from a fixed seed: the same model has the same pattern every time.
#include <string.h>

#include "base/lists.h"
#include "sink.h"
#include "sparse/block.h"

typedef struct place {
  int row, column;
} place;

typedef struct tr_recorder {
  tr_system *sys;
  bool recording, failed;
  unsigned long long random;
  // collecting
  place *place;
  int count, capacity;
  bool *others; // (nv + nc) unknowns that may come to mean something else, or NULL
  // recording
  int *tape, length, tape_capacity;
  tr_lists shape;
  int *clear, clear_length, clear_capacity;
  bool *written; // (nnz) by a block before
} tr_recorder;

double tr_record_random(tr_recorder *r) {
  r->random = r->random * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(r->random >> 11) / 9007199254740992.0 - 0.5;
}

static void push(tr_recorder *r, int **list, int *length, int *capacity, int x) {
  int *grown = tr_grow(r->sys->al, *list, *length, capacity, sizeof **list);
  if (!grown) {
    r->failed = true;
    return;
  }
  *list = grown;
  grown[(*length)++] = x;
}

static void collect(tr_recorder *r, tr_block_at at, const double *block) {
  for (int i = 0; i < at.rows; i++) {
    for (int j = 0; j < at.columns; j++) {
      bool whole = at.whole || (r->others && (r->others[at.i + i] || r->others[at.j + j]));
      if (!whole && block[i * at.down + j * at.across] == 0) continue;
      place *grown = tr_grow(r->sys->al, r->place, r->count, &r->capacity, sizeof *r->place);
      if (!grown) {
        r->failed = true;
        return;
      }
      r->place = grown;
      r->place[r->count++] = (place){at.i + i, at.j + j};
    }
  }
}

// ---- the tape -------------------------------------------------------------------------------------

// The first slot of a column at or below a row.
static int slot_from(const tr_pattern *p, int column, int row) {
  int low = p->column[column], high = p->column[column + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (p->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The entries of a shape by their slots, fours first; of small ones.
static void order_entries(int *shape) {
  enum { SMALL = 256 };
  int n = shape[0], (*e)[2] = (int(*)[2])(shape + 2), singles = 0, other[SMALL][2];
  if (n > SMALL) return;
  for (int i = 1, k; i < n; i++) {
    int slot = e[i][0], from = e[i][1];
    for (k = i; k > 0 && slot < e[k - 1][0]; k--) e[k][0] = e[k - 1][0], e[k][1] = e[k - 1][1];
    e[k][0] = slot, e[k][1] = from;
  }
  for (int i = 0; i < n;) {
    bool four = i + 4 <= n;
    for (int k = 1; four && k < 4; k++) four = e[i + k][0] == e[i][0] + k;
    if (four)
      memmove(e[4 * shape[1]++], e[i], 4 * sizeof *e), i += 4;
    else
      memcpy(other[singles++], e[i++], sizeof *e);
  }
  memcpy(e[4 * shape[1]], other, (size_t)singles * sizeof *e);
}

static void record(tr_recorder *r, tr_block_at at) {
  const tr_pattern *p = &r->sys->pattern;
  tr_lists *shape = &r->shape;
  int first = shape->length, base = -1;
  bool add = false;
  tr_lists_push(shape, 0), tr_lists_push(shape, 0);
  for (int j = 0; j < at.columns; j++) {
    int slot = slot_from(p, at.j + j, at.i), end = p->column[at.j + j + 1];
    for (; slot < end && p->row[slot] < at.i + at.rows; slot++) {
      if (base < 0) base = slot;
      if (r->written[slot]) add = true;
      tr_lists_push(shape, slot - base);
      tr_lists_push(shape, (p->row[slot] - at.i) * at.down + j * at.across);
    }
  }
  r->failed |= shape->failed;
  if (r->failed) return;
  int n = shape->number[first] = (shape->length - first) / 2 - 1;
  order_entries(shape->number + first);
  // slots that are added to before anything was written to them start from zero
  for (int i = 0; i < n; i++) {
    int slot = base + shape->number[first + 2 + 2 * i];
    if (add && !r->written[slot]) push(r, &r->clear, &r->clear_length, &r->clear_capacity, slot);
    r->written[slot] = true;
  }
  push(r, &r->tape, &r->length, &r->tape_capacity, 2 * tr_lists_share(shape, first) + add);
  push(r, &r->tape, &r->length, &r->tape_capacity, base < 0 ? 0 : base);
  r->failed |= shape->failed;
}

void tr_record_block(tr_recorder *r, tr_block_at at, const double *block) {
  if (r->failed) return;
  if (r->recording)
    record(r, at);
  else
    collect(r, at, block);
}

// ---- the pattern ----------------------------------------------------------------------------------

// out: the places in the order of by(place), stable. start has room for n + 1 counts.
static void sort_by(const place *in, int count, bool by_row, int n, int *start, place *out) {
  memset(start, 0, ((size_t)n + 1) * sizeof *start);
  for (int i = 0; i < count; i++) start[(by_row ? in[i].row : in[i].column) + 1]++;
  for (int j = 0; j < n; j++) start[j + 1] += start[j];
  for (int i = 0; i < count; i++) out[start[by_row ? in[i].row : in[i].column]++] = in[i];
}

static tr_status build_columns(tr_recorder *r) {
  tr_system *sys = r->sys;
  int n = sys->nv + sys->nc, nnz = 0, *column = TR_NEW(&sys->arena, n + 1, int);
  place *other = tr_resize(sys->al, NULL, ((size_t)r->count + 1) * sizeof *other);
  if (column && other) {
    sort_by(r->place, r->count, true, n, column, other);
    sort_by(other, r->count, false, n, column, r->place);
  }
  tr_resize(sys->al, other, 0);
  if (!column || !other) return TR_NO_MEMORY;
  const place *x = r->place;
  memset(column, 0, ((size_t)n + 1) * sizeof *column);
  for (int i = 0; i < r->count; i++) {
    if (i > 0 && x[i].row == x[i - 1].row && x[i].column == x[i - 1].column) continue;
    column[x[i].column + 1]++;
    r->place[nnz++] = x[i];
  }
  int *row = TR_NEW(&sys->arena, nnz + 1, int);
  if (!row) return TR_NO_MEMORY;
  for (int i = 0; i < nnz; i++) row[i] = x[i].row;
  for (int j = 0; j < n; j++) column[j + 1] += column[j];
  sys->pattern = (tr_pattern){.n = n, .nnz = nnz, .leading = sys->nv, .column = column, .row = row};
  return TR_OK;
}

// Room for a generic state.
typedef struct scene {
  double *q, *q1, *v, *d, *lam, *mem;
} scene;

// All blocks at a state near the start that satisfies nothing in particular.
static void assemble_somewhere(tr_recorder *r, tr_work *w, const scene *x) {
  const tr_system *sys = r->sys;
  sink s = {.mode = r->recording ? SINK_RECORD : SINK_COLLECT, .recorder = r};
  tr_start_motion(sys, x->q, x->v);
  for (int i = 0; i < sys->nv; i++) x->d[i] = tr_record_random(r), x->v[i] += tr_record_random(r);
  tr_retract(sys, x->q, x->d, x->q1);
  tr_kinematics(w, 0.1, x->q1, x->v, x->mem, TR_AT_VELOCITY);
  for (int i = 0; i < w->W.size * sys->nframe; i++) w->W.first[i] = tr_record_random(r);
  tr_assemble(&s, w, x->d, x->lam, NULL, (tr_coefficients){1, 1, 1, 1});
}

// A list into the arena.
static int *keep(tr_system *sys, const int *list, int n) {
  int *kept = TR_NEW(&sys->arena, n + 1, int);
  if (kept && n > 0) memcpy(kept, list, (size_t)n * sizeof *kept);
  return kept;
}

static tr_status keep_tape(tr_recorder *r) {
  tr_system *sys = r->sys;
  sys->tape = keep(sys, r->tape, r->length);
  sys->shape = tr_lists_keep(&r->shape, &sys->arena);
  sys->clear = keep(sys, r->clear, r->clear_length);
  sys->nclear = r->clear_length, sys->ntape = r->length;
  return sys->tape && sys->shape && sys->clear ? TR_OK : TR_NO_MEMORY;
}

size_t tr_mass_slots(const tr_system *sys, int *slot) {
  size_t n = 0;
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = 0; slot && k < b->nv * b->nv; k++)
      slot[n + (size_t)k] = tr_pattern_slot(&sys->pattern, b->v + k / b->nv, b->v + k % b->nv);
    n += (size_t)(b->nv * b->nv);
  }
  return n;
}

static tr_status mark_others(tr_recorder *r) {
  const tr_system *sys = r->sys;
  if (!sys->changes) return TR_OK;
  r->others = tr_resize(sys->al, NULL, (size_t)(sys->nv + sys->nc));
  if (!r->others) return TR_NO_MEMORY;
  memset(r->others, 0, (size_t)(sys->nv + sys->nc));
  for (int i = 0; i < sys->nbody; i++) {
    const sys_body *b = &sys->body[i];
    for (int k = b->type->dim; b->type->change && k < b->nv; k++) r->others[b->v + k] = true;
  }
  return TR_OK;
}

static tr_status find(tr_recorder *r, tr_work *w, const scene *x) {
  tr_system *sys = r->sys;
  TR_TRY(mark_others(r));
  for (int i = 0; i < sys->nc; i++) x->lam[i] = tr_record_random(r);
  for (int pass = 0; pass < 2; pass++) assemble_somewhere(r, w, x);
  // room on the diagonal, for rows that are taken out (tr_mask)
  for (int i = sys->nv; i < sys->nv + sys->nc; i++)
    tr_record_block(r, (tr_block_at){i, i, 1, 1, 1, 1, true}, NULL);
  if (r->failed) return TR_NO_MEMORY;
  TR_TRY(build_columns(r));
  tr_resize(sys->al, r->place, 0);
  r->place = NULL;
  r->recording = true;
  r->written = tr_resize(sys->al, NULL, (size_t)sys->pattern.nnz + 1);
  if (!r->written) return TR_NO_MEMORY;
  memset(r->written, 0, (size_t)sys->pattern.nnz + 1);
  assemble_somewhere(r, w, x);
  for (int i = 0; i < sys->pattern.nnz; i++)
    if (!r->written[i]) push(r, &r->clear, &r->clear_length, &r->clear_capacity, i);
  if (r->failed) return TR_NO_MEMORY;
  return keep_tape(r);
}

// Pins by bodies, those of one in the order of joints; first[b + 1] is where the next one of body b goes.
static tr_status find_pins(tr_system *sys) {
  int *first = sys->first_pin = TR_NEW(&sys->arena, sys->nbody + 2, int), pins = 0;
  for (int fill = 0; first && fill < 2; fill++) { // count, then write
    sys->nloose = 0;
    for (int i = 0; i < sys->njoint; i++) {
      const sys_joint *j = &sys->joint[i];
      bool pinned = tr_joins_points(sys, j) != NULL;
      if (!pinned && fill) sys->loose[sys->nloose] = i;
      sys->nloose += !pinned;
      for (int k = 0; pinned && k < 2; k++) {
        int body = j->e.body[k];
        if (body == TR_GROUND) continue;
        int site = (int)(tr_site_of(sys, body, j->e.frame[k]) - sys->site);
        if (fill)
          sys->pin[first[body + 1]++] = (tr_pin){site, j->row, k == 0 ? -1 : 1};
        else
          first[body + 2]++, pins++;
      }
    }
    if (fill) break;
    for (int b = 0; b < sys->nbody; b++) first[b + 2] += first[b + 1];
    sys->pin = TR_NEW(&sys->arena, pins + 1, tr_pin);
    sys->loose = TR_NEW(&sys->arena, sys->nloose + 1, int);
    if (!sys->pin || !sys->loose) return TR_NO_MEMORY;
  }
  return first ? TR_OK : TR_NO_MEMORY;
}

tr_status tr_record_pattern(tr_system *sys, tr_work *w, tr_error *error) {
  tr_recorder r = {.sys = sys, .random = 12345, .shape.al = sys->al};
  size_t nq = (size_t)sys->nq, nv = (size_t)sys->nv, nc = (size_t)sys->nc;
  size_t want = 2 * nq + 2 * nv + nc + (size_t)sys->nmem + 1;
  double *q = tr_resize(sys->al, NULL, want * sizeof *q);
  tr_status status = q ? find_pins(sys) : TR_NO_MEMORY;
  if (status == TR_OK) {
    memset(q, 0, want * sizeof *q);
    scene x = {.q = q, .q1 = q + nq, .v = q + 2 * nq};
    x.d = x.v + nv, x.lam = x.d + nv, x.mem = x.lam + nc;
    status = find(&r, w, &x);
  }
  void *rooms[] = {q, r.place, r.others, r.tape, r.clear, r.written};
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) tr_resize(sys->al, rooms[i], 0);
  tr_lists_free(&r.shape);
  return status == TR_OK ? TR_OK : tr_no_memory(error);
}

// Bodies and the rows of joints, for the order. A joint on ground, or with a law that looks there, is not
// relative; nor are the equations of numbers, which are not the transpose of what acts.
bool tr_group_unknowns(tr_arena *ar, const tr_system *sys, tr_groups *out) {
  int *of = TR_NEW(ar, sys->nv + sys->nc, int), bodies = sys->nbody;
  bool *relative = TR_NEW(ar, bodies + sys->nblock, bool);
  if (!of || !relative) return false;
  for (int i = 0; i < bodies; i++)
    for (int k = 0; k < sys->body[i].nv; k++) of[sys->body[i].v + k] = i;
  for (int i = 0; i < sys->nblock; i++) {
    sys_block b;
    tr_block(sys, i, &b);
    int joint = i - (sys->nblock - sys->njoint);
    for (int k = 0; k < b.rows; k++) of[sys->nv + b.row + k] = bodies + i;
    relative[bodies + i] = joint >= 0 && b.pull == b.width;
    for (int k = 0; joint >= 0 && k < sys->joint[joint].e.markers; k++)
      relative[bodies + i] &= sys->joint[joint].e.body[k] != TR_GROUND;
  }
  *out = (tr_groups){bodies + sys->nblock, of, relative};
  return true;
}

// Rows that tr_assemble makes one element at a time.
static double single_rows(const tr_system *sys) {
  double rows = 0;
  for (const sys_joint *j = sys->joint; j < sys->joint + sys->njoint; j++)
    if (!tr_joins_points(sys, j)) rows += j->ops->rows * (j->e.nd == 3 ? 0.2 : 1);
  for (const sys_force *f = sys->force; f < sys->force + sys->nforce; f++)
    rows += f->e.nd * f->e.markers * 0.5;
  return rows;
}

// What happens to a number of the block solver: blocks, or the factorisation, overwrite it, or blocks add to it, or it is
// not of the matrix.
typedef enum { FILL, ADDED_TO, OVERWRITTEN } fate;

// What is needed to make the tape for slots of the block solver.
typedef struct redirection {
  tr_system *sys;
  tr_lists shape;
  int *slot;           // (nnz)
  unsigned char *fate; // (numbers of the solver)
  int numbers, length; // length: of the new tape
} redirection;

// Entries of number i of the tape.
static const int *entries_of(const tr_system *sys, int i, const int **end) {
  const int *shape = sys->shape + (sys->tape[i] >> 1);
  *end = shape + 2 + 2 * shape[0];
  return shape + 2;
}

// The block that overwrites a number comes before those that add to it.
static void find_fates(const redirection *r) {
  const tr_system *sys = r->sys;
  for (int i = 0; i < sys->ntape; i += 2) {
    const int *end, *e = entries_of(sys, i, &end), *to = r->slot + sys->tape[i + 1];
    for (; e < end; e += 2)
      if (r->fate[to[e[0]]] == FILL) r->fate[to[e[0]]] = sys->tape[i] & 1 ? ADDED_TO : OVERWRITTEN;
  }
}

// Fill behind the slots of the last shape, as far as it is little, comes to it as zeros.
static void take_fill(redirection *r, int first, int base) {
  enum { LITTLE = 64 };
  int slots = (r->shape.length - first) / 2 - 1, left = LITTLE;
  for (int k = 0; k < slots && !r->shape.failed; k++) {
    int slot = base + r->shape.number[first + 2 + 2 * k], limit;
    int next = tr_blocks_next(r->sys->pattern.blocks, slot, &limit), from = slot + next, end = from;
    while (end < limit && r->fate[end] == FILL) end += next;
    if ((end - from) / next > left) continue;
    left -= (end - from) / next;
    for (int i = from; i < end; i += next) {
      tr_lists_push(&r->shape, i - base), tr_lists_push(&r->shape, TR_MANY_ZERO);
      r->fate[i] = OVERWRITTEN;
    }
  }
}

// `count` blocks from number i of the tape on become one, each from a place in their common room on, which is that of
// bodies (w->many) if it has zeros.
static void redirect(redirection *r, int i, int count, const int *from, bool zeros) {
  const tr_system *sys = r->sys;
  int first = r->shape.length, add = 0, base = r->slot[sys->tape[i + 1]];
  tr_lists_push(&r->shape, 0), tr_lists_push(&r->shape, 0);
  for (int k = 0; k < count; k++) {
    const int *end, *e = entries_of(sys, i + 2 * k, &end);
    const int *to = r->slot + sys->tape[i + 2 * k + 1];
    add |= sys->tape[i + 2 * k] & 1;
    for (; e < end; e += 2) {
      tr_lists_push(&r->shape, to[e[0]] - base);
      tr_lists_push(&r->shape, from[k] + e[1]);
    }
  }
  for (int k = first + 2; add && k < r->shape.length; k += 2)
    if (count > 1) r->fate[base + r->shape.number[k]] = ADDED_TO;
  if (zeros && !add) take_fill(r, first, base);
  if (r->shape.failed) return;
  r->shape.number[first] = (r->shape.length - first) / 2 - 1;
  if (zeros) order_entries(r->shape.number + first);
  sys->block_tape[r->length++] = 2 * tr_lists_share(&r->shape, first) + add;
  sys->block_tape[r->length++] = base;
}

// As emit_four (together.h) has them: K and the first pins, then pins.
static void redirect_body(redirection *r, int b, int i) {
  const tr_system *sys = r->sys;
  int size = 3 * LANES * sys->body[b].nv, pins = sys->first_pin[b + 1] - sys->first_pin[b];
  for (int done = 0; done == 0 || done < pins; done += TR_PINS) {
    int from[1 + 2 * TR_PINS] = {0}, n = done == 0;
    for (int k = 0; k < TR_PINS && done + k < pins; k++)
      from[n++] = TR_MANY_TURNED + size * k, from[n++] = TR_MANY_G + size * k;
    redirect(r, i, n, from, true);
    i += 2 * n;
  }
}

// All but what is overwritten, in pieces that a team can share.
static tr_status find_gaps(const redirection *r) {
  enum { PIECE = 512 };
  tr_system *sys = r->sys;
  for (int fill = 0; fill < 2; fill++) { // count, then write
    sys->ngap = 0;
    for (int i = 0, end; i < r->numbers; i = end) {
      end = i + 1;
      if (r->fate[i] == OVERWRITTEN) continue;
      while (end < r->numbers && end - i < PIECE && r->fate[end] != OVERWRITTEN) end++;
      if (fill) sys->gap[sys->ngap] = (sys_run){i, end - i};
      sys->ngap++;
    }
    if (!fill && !(sys->gap = TR_NEW(&sys->arena, sys->ngap + 1, sys_run))) return TR_NO_MEMORY;
  }
  return TR_OK;
}

// The tape for slots of the block solver.
static void redirect_all(redirection *r) {
  const tr_system *sys = r->sys;
  int i = 0, plain = 0;
  tr_blocks_slots(sys->pattern.blocks, &sys->pattern, r->slot);
  tr_blocks_made(sys->pattern.blocks, OVERWRITTEN, r->fate);
  find_fates(r);
  for (int b = 0; b < sys->nbody; b++) {
    int end = i + tr_body_tape(sys, b, false);
    if (sys->body[b].type->tangent_four) redirect_body(r, b, i), i = end;
    for (; i < end; i += 2) redirect(r, i, 1, &plain, false);
  }
  for (; i < sys->ntape; i += 2) redirect(r, i, 1, &plain, false);
}

static tr_status redirect_tape(tr_system *sys) {
  redirection r = {.sys = sys, .shape.al = sys->al, .numbers = sys->pattern.blocks->numbers};
  r.slot = tr_resize(sys->al, NULL, ((size_t)sys->pattern.nnz + 1) * sizeof *r.slot);
  r.fate = tr_resize(sys->al, NULL, (size_t)r.numbers + 1);
  int joined = 0; // blocks that are parts of others
  for (int b = 0; b < sys->nbody; b++)
    joined += tr_body_tape(sys, b, false) - tr_body_tape(sys, b, true);
  sys->block_tape = TR_BUSY(&sys->arena, sys->ntape - joined + 1, int);
  tr_status status = r.slot && r.fate && sys->block_tape ? TR_OK : TR_NO_MEMORY;
  if (r.fate) memset(r.fate, FILL, (size_t)r.numbers + 1);
  if (status == TR_OK) redirect_all(&r);
  if (status == TR_OK) status = find_gaps(&r);
  tr_resize(sys->al, r.slot, 0);
  tr_resize(sys->al, r.fate, 0);
  sys->block_shape = tr_lists_keep(&r.shape, &sys->arena);
  if (!sys->block_shape) return TR_NO_MEMORY;
  return status == TR_OK ? tr_find_tiling(sys, r.length) : status;
}

tr_status tr_order_pattern(tr_system *sys, tr_error *error) {
  sys->pattern.single = single_rows(sys);
  tr_arena own = tr_arena_make(sys->al);
  tr_groups groups;
  tr_status status = tr_group_unknowns(&own, sys, &groups) ? TR_OK : TR_NO_MEMORY;
  sys->pattern.groups = &groups;
  if (status == TR_OK) status = tr_pattern_analyse(&sys->arena, &sys->pattern, TR_DENSE_MAX);
  sys->pattern.groups = NULL;
  tr_arena_free(&own);
  if (status == TR_OK && sys->pattern.blocks) status = redirect_tape(sys);
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  if (status != TR_OK)
    return tr_fail(error, TR_BAD_INPUT, NULL,
                   "the equations are structurally singular: some constraints can never hold "
                   "independently of each other");
  return TR_OK;
}
