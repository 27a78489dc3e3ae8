// SPDX-License-Identifier: Apache-2.0
// Whole files in and out.
#ifndef TR_FILE_H
#define TR_FILE_H

#include "base/base.h"

tr_status tr_file_write(const char *path, const char *text, size_t size, tr_error *error);
// Into a terminated text; on failure it stays empty.
tr_status tr_file_read(const char *path, tr_text *text, tr_error *error);

#endif
