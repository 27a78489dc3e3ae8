// SPDX-License-Identifier: Apache-2.0
// Statuses, errors and memory: what every call of the library shares.
//
// The sign of a status says what to do: 0 done, > 0 recoverable (a smaller step may help),
// < 0 stop. The text is in the caller's tr_error; the library never prints and never aborts.
#ifndef TRAMMEL_STATUS_H
#define TRAMMEL_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TR_API __attribute__((visibility("default")))
#define TR_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TR_API
#define TR_PRINTF(f, a)
#endif

typedef enum tr_status {
  TR_OK = 0,
  TR_NO_CONVERGENCE = 1, // Newton did not converge
  TR_SINGULAR = 2,       // the KKT matrix is singular to working precision
  TR_NOT_FINITE = 3,     // a NaN or an infinity appeared
  TR_NO_MEMORY = -1,
  TR_BAD_INPUT = -2,    // the description or an argument is wrong
  TR_BAD_FILE = -3,     // a file cannot be read or written
  TR_INCONSISTENT = -4, // the start cannot be made to satisfy the constraints
  TR_STOPPED =
      -5, // an observer or an event asked to stop, or the end is reached; what was computed is kept
  TR_FAILED = -6 // the run cannot go on; the last accepted state is kept
} tr_status;

// One short word group for a status, e.g. "singular matrix". Never NULL.
TR_API const char *tr_status_text(tr_status status);

// Zero it ({0}) before the first use. Messages are lines; several may be collected in one go.
enum { TR_ERROR_SIZE = 8192 };
typedef struct tr_error {
  tr_status status;         // the first failure
  int count;                // messages reported, also those that no longer fitted into text
  char text[TR_ERROR_SIZE]; // "file:line:column: section \"name\": what is wrong\n..."
} tr_error;

// An allocator: resize like realloc (n = 0 frees and returns NULL). Embed the struct in one of your
// own to carry data. NULL stands for the C library's heap wherever an allocator is asked for.
typedef struct tr_allocator tr_allocator;
struct tr_allocator {
  void *(*resize)(tr_allocator *self, void *block, size_t size);
};

TR_API const char *tr_version(void); // "0.1.0"

#ifdef __cplusplus
}
#endif
#endif
