// SPDX-License-Identifier: Apache-2.0
// Brackets are counted in the text, as the parser's events lag behind its scanner. Inside brackets a quote counts where a value may
// begin (after [ { and , or a colon and a blank, or the colon of a quoted key), and # after a blank.
#include "io/brackets.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The end of the quoted text that begins at s.
static const char *skip_quoted(const char *s, const char *end) {
  char quote = *s++;
  while (s < end) {
    bool pair = end - s > 1 && (quote == '"' ? *s == '\\' : *s == quote && s[1] == quote);
    if (!pair && *s == quote) return s + 1;
    s += pair ? 2 : 1;
  }
  return end;
}

// Past the token at s, or one character: quoted text, comment.
static const char *skip(const char *s, const char *end, bool fresh) {
  if (fresh && (*s == '"' || *s == '\'')) return skip_quoted(s, end);
  if (*s != '#' || !is_blank(s[-1])) return s + 1;
  const char *newline = memchr(s, '\n', (size_t)(end - s));
  return newline ? newline : end;
}

int tr_brackets_open(const char *s, const char *end, tr_place from, tr_place to, tr_bracket *open,
                     int most) {
  tr_place at = from;
  bool fresh = false, key = false; // a value may begin here; a quoted text, maybe a key, ended here
  int n = 0;
  while (s < end && (at.line < to.line || (at.line == to.line && at.column < to.column))) {
    const char c = *s, *next = s + 1;
    bool opens = c == '[' || c == '{', quoted = false;
    if (opens) {
      if (n == most) return n;
      open[n++] = (tr_bracket){s, at};
    } else if (c == ']' || c == '}') {
      if (n == 0 || (*open[n - 1].at == '[') != (c == ']')) return n;
      n--;
    } else {
      next = skip(s, end, fresh);
      quoted = fresh && (c == '"' || c == '\'');
    }
    bool colon = c == ':' && (key || (next < end && is_blank(*next)));
    fresh = opens || c == ',' || colon || (fresh && (is_blank(c) || c == '#'));
    key = quoted;
    for (; s < next; s++) {
      at.column += (*s & 0xC0) != 0x80;
      if (*s == '\n') at = (tr_place){at.file, at.line + 1, 1};
    }
  }
  return n;
}
