// SPDX-License-Identifier: Apache-2.0
// What `trammel study` does with its results.
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli.h"

// Every table as CSV, every figure as SVG, and KIND.md with all of it.
tr_status study_write(const tr_page *page, const char *dir, const char *kind, tr_error *error);
void study_json(const tr_page *page, const char *kind, const char *model, const char *path,
                const char *dir);
void study_text(const tr_page *page, const char *kind, const char *dir); // notes and short tables

#endif
