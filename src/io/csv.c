// SPDX-License-Identifier: Apache-2.0
// A CSV table written while a run goes.
//
// (1) Everything is allocated in tr_csv_new; a row only fills the buffer and writes it out when full.
// (2) A state that the settings skip is copied, so that the end of the run is in the table however it
//     came about. With a spacing the run shows us the states of the rows and no others.
// (3) The first failed write is remembered; it ends the run and is told again by tr_csv_close.
// Numbers have 17 significant digits and a point, whatever the locale.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "system/system.h"
#include "trammel/output.h"

enum { BUFFER = 1 << 16, NUMBER = 32 };

struct tr_csv {
  tr_observer observer; // first: the run hands it back to us
  const tr_system *system;
  tr_allocator *al;
  tr_csv_settings settings;
  tr_reader *reader;
  tr_state last; // copy of the last state seen, if pending
  bool pending;
  double *values; // (n)
  int n;
  long steps, rows;
  double row_t; // time of the last row
  int file;
  int failed; // errno of the first failed write
  size_t used;
  char *path;
  char buffer[BUFFER];
};

static void write_out(tr_csv *csv) {
  const char *p = csv->buffer;
  while (csv->used > 0 && !csv->failed) {
    ssize_t n = write(csv->file, p, csv->used);
    if (n < 0 && errno != EINTR) csv->failed = errno;
    if (n <= 0) continue;
    p += n;
    csv->used -= (size_t)n;
  }
  csv->used = 0;
}

static void put_text(tr_csv *csv, const char *text) {
  for (; *text; text++) {
    if (csv->used == BUFFER) write_out(csv);
    csv->buffer[csv->used++] = *text;
  }
}

static void put_number(tr_csv *csv, double x, char end) {
  if (csv->used + NUMBER > BUFFER) write_out(csv);
  char *s = csv->buffer + csv->used;
  int n = isnan(x) ? snprintf(s, NUMBER, "nan") : snprintf(s, NUMBER, "%.17g", x);
  char *comma = memchr(s, ',', (size_t)n);
  if (comma) *comma = '.';
  s[n] = end;
  csv->used += (size_t)n + 1;
}

static tr_status put_row(tr_csv *csv, const tr_state *state) {
  TR_TRY(tr_reader_read(csv->reader, state, csv->values));
  put_number(csv, state->t, csv->n ? ',' : '\n');
  for (int i = 0; i < csv->n; i++) put_number(csv, csv->values[i], i + 1 < csv->n ? ',' : '\n');
  csv->rows++;
  csv->row_t = state->t;
  csv->pending = false;
  return csv->failed ? TR_BAD_FILE : TR_OK;
}

static tr_status look(tr_observer *self, const tr_state *state, const tr_run_info *info) {
  tr_csv *csv = (tr_csv *)self;
  bool due = csv->settings.every <= 0 || info->at_event || csv->steps % csv->settings.every == 0;
  if (!info->at_event) csv->steps++;
  if (due) return put_row(csv, state);
  tr_state_copy(&csv->last, state);
  csv->pending = true;
  return TR_OK;
}

static void put_header(tr_csv *csv, const int *channels) {
  put_text(csv, "t");
  for (int i = 0; i < csv->n; i++) {
    put_text(csv, ",");
    int n = tr_channel_name(csv->system, channels[i], NULL, 0);
    if (csv->used + (size_t)n >= BUFFER) write_out(csv);
    tr_channel_name(csv->system, channels[i], csv->buffer + csv->used, BUFFER - csv->used);
    csv->used += strlen(csv->buffer + csv->used);
  }
  put_text(csv, "\n");
}

static void release(tr_csv *csv) {
  if (csv->file > STDERR_FILENO) close(csv->file);
  tr_reader_free(csv->reader);
  if (csv->last.block) tr_state_free(csv->system, &csv->last);
  tr_resize(csv->al, csv->values, 0);
  tr_resize(csv->al, csv->path, 0);
  tr_resize(csv->al, csv, 0);
}

static tr_status fill(tr_csv *csv, const char *path, const int *channels, tr_error *error) {
  size_t length = strlen(path) + 1;
  csv->values = tr_resize(csv->al, NULL, (size_t)(csv->n + 1) * sizeof(double));
  csv->path = tr_resize(csv->al, NULL, length);
  if (!csv->values || !csv->path) return tr_no_memory(error);
  memcpy(csv->path, path, length);
  TR_TRY(tr_reader_new(csv->system, csv->n, channels, &csv->reader, error));
  TR_TRY(tr_state_new(csv->system, &csv->last, error));
  csv->file = strcmp(path, "-") == 0 ? STDOUT_FILENO
                                     : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (csv->file < 0)
    return tr_fail(error, TR_BAD_FILE, NULL, "%s: cannot be opened for writing: %s", path,
                   strerror(errno));
  put_header(csv, channels);
  return TR_OK;
}

tr_status tr_csv_new(const tr_system *system, const char *path, int n, const int *channels,
                     tr_csv_settings settings, tr_csv **csv, tr_error *error) {
  *csv = NULL;
  tr_csv *self = tr_resize(system->al, NULL, sizeof *self);
  if (!self) return tr_no_memory(error);
  memset(self, 0, offsetof(tr_csv, buffer));
  self->observer.step = look;
  if (settings.every <= 0 && settings.spacing > 0) self->observer.spacing = settings.spacing;
  self->system = system;
  self->al = system->al;
  self->settings = settings;
  self->n = n;
  self->file = -1;
  tr_status status = fill(self, path, channels, error);
  if (status == TR_OK)
    *csv = self;
  else
    release(self);
  return status;
}

tr_status tr_csv_end(tr_csv *csv, const tr_state *state) {
  return csv && (csv->rows == 0 || state->t > csv->row_t) ? put_row(csv, state) : TR_OK;
}

tr_observer *tr_csv_observer(tr_csv *csv) { return &csv->observer; }

long tr_csv_rows(const tr_csv *csv) { return csv->rows + (csv->pending ? 1 : 0); }

tr_status tr_csv_close(tr_csv *csv, tr_error *error) {
  if (!csv) return TR_OK;
  tr_status status = csv->pending ? put_row(csv, &csv->last) : TR_OK;
  write_out(csv);
  if (csv->file > STDERR_FILENO) {
    if (close(csv->file) != 0 && !csv->failed) csv->failed = errno;
    csv->file = -1;
  }
  if (csv->failed)
    status = tr_fail(error, TR_BAD_FILE, NULL, "%s: cannot be written: %s", csv->path,
                     strerror(csv->failed));
  release(csv);
  return status;
}
