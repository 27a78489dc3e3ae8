// SPDX-License-Identifier: Apache-2.0
// Results on disk: which channels, and a CSV writer that looks on while a run goes.
#ifndef TRAMMEL_OUTPUT_H
#define TRAMMEL_OUTPUT_H

#include "analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

// Channels by name ("crank.x"), by element ("crank": all it offers) or by shell pattern ("*.omega"),
// in the order of the patterns, each channel once. n = 0: all of them. Raw multipliers ("pin.lam1") come by
// their names, or by a pattern that ends in .lam and so on ("*.lam?"). channels has room for
// tr_channel_count. A pattern that matches nothing is a TR_BAD_INPUT that names it.
TR_API tr_status tr_channels_choose(const tr_system *system, int n, const char *const *patterns,
                                    int *channels, int *count, tr_error *error);

typedef struct tr_csv_settings {
  int every;      // > 0: the start and every so many steps; the end always
  double spacing; // else > 0: the start and each multiple of it, interpolated; else every step
} tr_csv_settings;

// An observer that writes a table: a header "t,name,name", then one line a row, numbers with 17 digits
// so that reading them gives the same bits. path "-": standard output. Nothing is allocated while
// rows are written. The system must outlive it.
typedef struct tr_csv tr_csv;
TR_API tr_status tr_csv_new(const tr_system *system, const char *path, int n, const int *channels,
                            tr_csv_settings settings, tr_csv **csv, tr_error *error);
TR_API tr_observer *tr_csv_observer(tr_csv *csv);
TR_API long tr_csv_rows(const tr_csv *csv);
// The state a run ended with as a last row, should it be missing; what a spacing leaves out.
TR_API tr_status tr_csv_end(tr_csv *csv, const tr_state *state);
// Writes the last state seen, should it be missing, and what is buffered; frees. Tells of the first
// write that failed. NULL is fine.
TR_API tr_status tr_csv_close(tr_csv *csv, tr_error *error);

#ifdef __cplusplus
}
#endif
#endif
