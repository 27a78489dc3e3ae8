// SPDX-License-Identifier: Apache-2.0
// The linear systems of the corrector: analyse once, factor, refactor, solve.
//
// (1) tr_pattern is constant and shared by threads; tr_kkt holds the numbers of one thread.
// (2) Whoever fills `values` knows the slots; slot nnz is a bin for entries outside the pattern.
//     They stay what was factored until the last solve with it.
//     They can also be written straight to where they are factored in place, slots of tr_pattern.blocks.
//     A lean one has room for values only when asked (tr_kkt_hold).
// (3) A singular or non-finite matrix is a status; solve is legal only after a factor that was TR_OK.
#ifndef TR_KKT_H
#define TR_KKT_H

#include <stdint.h>

#include "base/base.h"
#include "base/team.h"

// What belongs together: bodies, which have the leading unknowns, and joints, which have the others.
typedef struct tr_groups {
  int count;
  const int *of; // (n) group of an unknown
  const bool
      *relative; // (count) of a joint: it holds bodies against each other, none against ground
} tr_groups;

// Compressed columns, rows ascending in each.
typedef struct tr_pattern {
  int n, nnz;
  int leading;                  // unknowns with a mass on their diagonal; the rest are multipliers
  const int *column;            // (n + 1)
  const int *row;               // (nnz)
  const tr_groups *groups;      // for the analysis, or NULL
  const struct tr_blocks *like; // ordered like that, a block for each of its unknowns; or NULL
  double single;            // rows of the matrix whose entries are evaluated one element at a time
  bool klu_only;            // never by blocks; for tests
  bool klu;                 // KLU is the first choice
  struct tr_blocks *blocks; // the block solver's order, where that is; neither: tiny, solved dense
  double matrix_cost; // predicted: assembly and factorisation, over a residual and a solve; 0: tiny
  double tiny_cost;   // the same of tiny ones; 0: they are not
} tr_pattern;

// Tiny systems are stored and factored dense up to this size (measured: see docs/performance.md).
enum { TR_DENSE_MAX = 24 };

// Orders for small fill. column, row must outlive the pattern. Up to dense_max unknowns: dense.
tr_status tr_pattern_analyse(tr_arena *ar, tr_pattern *p, int dense_max);

// The pattern with a block of m x m for each entry, analysed: entry (i, j) of block (r, c) stands at
// (m r + i, m c + j). It is ordered like the one it comes from, whose order must outlive it.
tr_status tr_pattern_blocks(tr_arena *ar, const tr_pattern *p, int m, tr_pattern *out);

// Position of an entry in values, p->nnz (the bin) if it is not in the pattern.
int tr_pattern_slot(const tr_pattern *p, int row, int column);

// Rows (and columns) taken out of the system: their unknowns do not change. The pattern must hold
// their diagonal.
typedef struct tr_mask {
  int count, *row;  // ascending
  int zeros, *zero; // slots set to 0
  int *diagonal;    // (count) slots set to 1
} tr_mask;
tr_status tr_mask_make(tr_arena *ar, const tr_pattern *p, int count, const int *row, tr_mask *mask);

// What the block solver should think of small pivots: they are trouble, and KLU may know them better; they are
// meant to be, since multipliers have small numbers on their diagonal; they are the question, and
// TR_SINGULAR is the answer.
typedef enum tr_expected { TR_EXPECT_REGULAR, TR_EXPECT_SMALL, TR_EXPECT_SINGULAR } tr_expected;

// Of factors in blocks: their pivots are large enough; they are not, and no solve has shown yet what they are worth; they
// are worth it when refined; or even without, within an iteration.
typedef enum tr_doubt { BLOCK_TRUSTED, BLOCK_DOUBTED, BLOCK_PROVEN, BLOCK_FAIR } tr_doubt;

typedef struct tr_kkt {
  const tr_pattern *p;
  const tr_mask *mask;  // or NULL
  tr_team *team;        // who works at it, or NULL: whoever asks
  double *values;       // (nnz + 1), filled by the caller; or NULL, of a lean one
  tr_expected expected; // of them, by him too
  bool
      only_blocks; // what the block solver does not manage is TR_SINGULAR: the caller knows a better matrix (unless its
                   // order is bold: then KLU takes little, and the matrix may be as good as any)
  bool
      rough; // corrections follow, each from a residual of its own: solves are refined only where pivots fall
  bool held;    // they are those of the last factorisation
  bool wanted;  // they stay, though lean
  uint64_t of;  // what was factored last, as who did it may note to know it again; 0: nobody did
  double rcond; // smallest over largest pivot of the last factorisation, rows scaled to 1
  double usual; // the largest of these, slowly forgotten
  long factorisations, refactorisations, solves;
  // private
  tr_allocator *al;
  bool lean;
  double *scaled, *scale; // D A D and D, for all but
  signed char *balance;   // D of the block solver, as powers of 2; unless it finds that by itself
  double *factors;        // of the block solver
  bool managed; // it did the last matrix: its scale serves the next, which counts as refactored
  int poor;     // matrices in a row with small pivots by its scale
  int refusals, pause;  // of the block solver in a row; factorisations without it
  bool by_blocks;       // the last factorisation is its
  tr_doubt doubt;       // of that
  double *refined;      // room for refinement, once that was needed,
  size_t refined_size;  // twice as many numbers
  const double *begun;  // the right-hand side that has gone through the tiles, or NULL
  double *dense, *work; // dense LU by rows
  double *inverse;      // D (D A D)^-1 D by columns, once the LU has been used often enough
  bool inverted;        // it is there
  int uses;             // solves with the LU
  int *pivot;
  struct klu_numbers *klu;
} tr_kkt;

tr_status tr_kkt_make(tr_arena *ar, const tr_pattern *p, tr_kkt *k);
tr_status tr_kkt_make_lean(tr_arena *ar, const tr_pattern *p, tr_kkt *k);
tr_status tr_kkt_hold(tr_kkt *k); // there is room for values from now on
void tr_kkt_free(tr_kkt *k);
// Nothing is left of the last matrices; counts become those of `then`, a copy from before.
void tr_kkt_forget(tr_kkt *k, const tr_kkt *then);
void tr_kkt_apply_mask(tr_kkt *k);  // to the values, as tr_kkt_factor does
tr_status tr_kkt_factor(tr_kkt *k); // TR_OK, TR_SINGULAR, TR_NOT_FINITE, TR_NO_MEMORY
// Room for a matrix in blocks, all of its numbers to be written, or NULL: fill the values this time. Then its factors; false: it takes
// tr_kkt_factor. To refine solves the values are needed after all: tr_kkt_refines.
double *tr_kkt_blocks(tr_kkt *k);
bool tr_kkt_factor_blocks(tr_kkt *k);
// The same tile by tile of pattern.blocks, where that may be: fill(what, hand, tile) is asked to write it. rhs, or NULL: the
// right-hand side of the first solve, in the same place and as it is now; half of that is done on the way.
bool tr_kkt_goes_by_tiles(const tr_kkt *k);
bool tr_kkt_factor_tiles(tr_kkt *k, void (*fill)(void *what, int hand, int tile), void *what,
                         const double *rhs);
bool tr_kkt_doubts_blocks(const tr_kkt *k);
static inline bool tr_kkt_refines(const tr_kkt *k) {
  return k->by_blocks && tr_kkt_doubts_blocks(k);
}
bool tr_kkt_wants_values(
    const tr_kkt *k); // the next one may be like this: its values will be needed
// In place, `count` right-hand sides one after the other; TR_NOT_FINITE when one comes out so.
tr_status tr_kkt_solve(tr_kkt *k, int count, double *b);
// Two matrices of one pattern, in blocks: their factors side by side in twin (2 pattern.blocks->numbers). False: not these,
// solve one after the other. Then right-hand sides of both, one after the other, in one sweep.
bool tr_kkt_pair(const tr_kkt *one, const tr_kkt *other, double *twin);
tr_status tr_kkt_solve_pair(tr_kkt *one, tr_kkt *other, const double *twin, double *b);
void tr_kkt_multiply(const tr_kkt *k, const double *x, double *y); // y = A x

#endif
