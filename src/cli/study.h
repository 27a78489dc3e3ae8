// SPDX-License-Identifier: Apache-2.0
// What `trammel study` does with its results; `trammel verify` has figures, too.
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli.h"

// A directory for results, and those above it. On failure a message and false.
enum { DIRECTORY_SIZE = 1024 };
bool make_directory(const char *path);

// Every table as CSV, every figure as SVG, and KIND.md with all of it.
tr_status study_write(const tr_page *page, const char *dir, const char *kind, tr_error *error);
void study_json(const tr_page *page, const char *kind, const char *model, const char *path,
                const char *dir);
void study_text(const tr_page *page, const char *kind, const char *dir); // notes and short tables

#endif
