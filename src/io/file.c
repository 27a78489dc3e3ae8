// SPDX-License-Identifier: Apache-2.0
// Whole files: every failure of open, read, write and close is told with the path.
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static tr_status complain(const char *path, const char *what, tr_error *error) {
  return tr_fail(error, TR_BAD_FILE, NULL, "%s: cannot be %s: %s", path, what, strerror(errno));
}

tr_status tr_file_write(const char *path, const char *text, size_t size, tr_error *error) {
  FILE *f = fopen(path, "we");
  if (!f) return complain(path, "opened for writing", error);
  bool fine = fwrite(text, 1, size, f) == size;
  if (fclose(f) != 0) fine = false;
  return fine ? TR_OK : complain(path, "written", error);
}

tr_status tr_file_read(const char *path, tr_text *text, tr_error *error) {
  FILE *f = fopen(path, "re");
  if (!f) return complain(path, "opened", error);
  char block[4096];
  size_t n;
  while ((n = fread(block, 1, sizeof block - 1, f)) > 0 && !text->failed) {
    block[n] = '\0';
    if (memchr(block, '\0', n)) break; // not a text
    tr_text_add(text, "%s", block);
  }
  bool binary = n > 0 && !text->failed, bad = ferror(f) != 0;
  tr_status status = TR_OK;
  if (bad)
    status = complain(path, "read", error);
  else if (binary)
    status = tr_fail(error, TR_BAD_FILE, NULL, "%s: is not a text file", path);
  else if (text->failed)
    status = tr_no_memory(error);
  fclose(f);
  if (status != TR_OK) tr_text_free(text);
  return status;
}
