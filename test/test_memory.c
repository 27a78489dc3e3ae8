// SPDX-License-Identifier: Apache-2.0
// Memory: every allocation may fail, at any place, and the call says so, leaks nothing and leaves nothing
// half done; a step allocates nothing at all.
//
// Two ways to look: an allocator of our own behind the library's hook, and, for what KLU takes from the
// heap directly, the C library's functions themselves. The latter can be made to fail only without
// sanitizers, which bring their own; there they are counted by the sanitizers' hook.
#define _DEFAULT_SOURCE // sbrk
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper_cases.h"
#include "helper_mechanics.h"
#include "system/system.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

// ---- the heap ---------------------------------------------------------------------------------------

// volatile: compilers believe that malloc changes nothing they can see
static volatile long heap_calls, heap_fail_at, heap_live; // fail_at 0: never; live: since the watch
static volatile bool heap_watched;

#ifdef SANITIZED
void __sanitizer_malloc_hook(const volatile void *block, size_t size);
__attribute__((visibility("default"))) void __sanitizer_malloc_hook(const volatile void *block,
                                                                    size_t size) {
  (void)block, (void)size;
  if (heap_watched) heap_calls++;
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

// Seen by the shared libraries too.
#define OURS __attribute__((visibility("default")))

static bool heap_says_no(void) {
  if (!heap_watched) return false;
  heap_calls++;
  return heap_fail_at > 0 && heap_calls >= heap_fail_at; // once empty, it stays so
}

OURS void *malloc(size_t size) {
  if (heap_says_no()) return NULL;
  heap_live += heap_watched;
  return __libc_malloc(size);
}
OURS void *calloc(size_t count, size_t size) {
  if (heap_says_no()) return NULL;
  heap_live += heap_watched;
  return __libc_calloc(count, size);
}
OURS void *realloc(void *block, size_t size) {
  if (size > 0 && heap_says_no()) return NULL;
  if (!block) heap_live += heap_watched;
  if (block && size == 0) heap_live -= heap_watched;
  return __libc_realloc(block, size);
}
OURS void free(void *block) {
  if (block) heap_live -= heap_watched;
  __libc_free(block);
}
#endif

static void watch_heap(long fail_at) {
  heap_calls = heap_live = 0;
  heap_fail_at = fail_at;
  heap_watched = true;
}

// ---- an allocator that counts and fails ---------------------------------------------------------------

typedef struct counter {
  tr_allocator al;
  long calls, fail_at, live;
  size_t bytes, most; // now, and at most so far
  bool once;          // only that one call fails, later ones work
} counter;

static void *counted(tr_allocator *self, void *block, size_t size) {
  counter *c = (counter *)self;
  size_t before = block ? malloc_usable_size(block) : 0;
  if (size == 0) {
    if (block) c->live--, c->bytes -= before;
    free(block);
    return NULL;
  }
  c->calls++;
  if (c->fail_at > 0 && (c->once ? c->calls == c->fail_at : c->calls >= c->fail_at)) return NULL;
  void *got = realloc(block, size);
  if (got && !block) c->live++;
  if (got) c->bytes += malloc_usable_size(got) - before;
  if (c->bytes > c->most) c->most = c->bytes;
  return got;
}

// ---- lives ------------------------------------------------------------------------------------------

// Read, compile, run, read results: everything with memory of its own. Stops at the first failure.
static tr_status live(tr_allocator *al, const char *file, const char *set, const char *method,
                      bool *began, tr_error *error) {
  tr_model *model = NULL;
  tr_system *sys = NULL;
  tr_run *run = NULL;
  tr_reader *reader = NULL;
  tr_run_settings s = tr_run_defaults();
  int channel = 0;
  double value;
  tr_status status = tr_model_new(al, &model);
  *began = status == TR_OK; // before that there is no place for a message
  if (status == TR_OK) status = tr_model_read_file(model, file, error);
  if (status == TR_OK && set) status = tr_model_set(model, "N", set, error);
  if (status == TR_OK) status = tr_compile(model, &sys, error);
  assert_true(status == TR_OK || !sys);
  if (status == TR_OK) {
    s.method = method;
    s.step = tr_system_simulation(sys).step;
    s.end = 5.5 * s.step; // a shorter last step too
    status = tr_run_new(sys, &s, NULL, &run, error);
    assert_true(status == TR_OK || !run);
  }
  if (status == TR_OK) status = tr_run_all(run, error);
  if (status == TR_OK) status = tr_reader_new(sys, 1, &channel, &reader, error);
  if (status == TR_OK) status = tr_reader_read(reader, tr_run_state(run), &value);
  if (status == TR_OK) {
    tr_check_info info;
    status = tr_check(sys, tr_run_state(run), &info, error);
  }
  if (status == TR_OK) {
    tr_examination *e;
    status = tr_examine(sys, tr_run_state(run), true, &e, error);
    assert_true(status == TR_OK || !e);
    tr_examination_free(e);
  }
  tr_reader_free(reader);
  tr_run_free(run);
  tr_system_free(sys);
  tr_model_free(model);
  return status;
}

static void file_of(const char *model, char *file, size_t size) {
  snprintf(file, size, "%s/models/%s", SOURCE_DIR, model);
}

// The n-th allocation and all after it fail, then (once) the n-th alone, until there is no n-th.
static void sweep(const char *model, const char *set, const char *method, bool once) {
  char file[512];
  file_of(model, file, sizeof file);
  long n = 0;
  for (tr_status status = TR_NO_MEMORY; status != TR_OK;) {
    tr_error error = {0};
    counter c = {.al = {counted}, .fail_at = ++n, .once = once};
    bool began;
    status = live(&c.al, file, set, method, &began, &error);
    if (status != TR_OK && status != TR_NO_MEMORY)
      fail_msg("%s, allocation %ld: %s, %s", model, n, tr_status_text(status), error.text);
    if (c.live != 0) fail_msg("%s, allocation %ld: %ld left", model, n, c.live);
    if (began && error.status != status) fail_msg("%s, allocation %ld: %s", model, n, error.text);
    if (status == TR_OK) assert_true(c.calls < n); // it never came to the n-th
    assert_true(n < 5000);
  }
  assert_true(n > 20);
}

// Small models, dense and sparse, planar and spatial with memories; then every method.
static void allocator_sweep(void **u) {
  (void)u;
  static const char *const models[][2] = {
      {"pendulum.yaml", NULL},    {"slider_crank.yaml", NULL}, {"three_link_pendulum.yaml", NULL},
      {"shake_table.yaml", NULL}, {"quick_return.yaml", NULL}, {"rod_chain.yaml", "3"}};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++)
    for (int once = 0; once < 2; once++) sweep(models[m][0], models[m][1], NULL, once);
  for (int i = 0; i < tr_method_count(); i++) {
    sweep("slider_crank.yaml", NULL, tr_method_describe(i).name, false);
    sweep("rod_chain.yaml", "3", tr_method_describe(i).name, true);
  }
}

// The same for what goes to the heap past the hook, when a sparse model is compiled and run.
static void heap_sweep(void **u) {
  (void)u;
#ifdef SANITIZED
  skip();
#else
  static const char *const set[] = {"N=3", NULL};
  mechanism m = load_model("rod_chain.yaml", set);
  tr_run_settings s = tr_run_defaults();
  s.step = 1e-3, s.end = 5e-3;
  long n = 1, refused = 0;
  for (;; n++) {
    tr_system *sys = NULL;
    tr_run *run = NULL;
    tr_error error = {0};
    watch_heap(n);
    tr_status status = tr_compile(m.model, &sys, &error);
    if (status == TR_OK) status = tr_run_new(sys, &s, NULL, &run, &error);
    if (status == TR_OK) status = tr_run_all(run, &error);
    heap_fail_at = 0;
    tr_run_free(run);
    tr_system_free(sys);
    heap_watched = false;
    if (heap_live != 0) fail_msg("heap allocation %ld: %ld left", n, heap_live);
    // KLU may ask to shrink a block and do without
    if (status == TR_OK && heap_calls < n) break;
    if (status != TR_NO_MEMORY && status != TR_OK)
      fail_msg("heap allocation %ld: %s", n, error.text);
    refused += status != TR_OK;
    assert_true(n < 5000);
  }
  assert_true(refused > 30 && refused >= n - 4);
  unload(&m);
#endif
}

// ---- steps ------------------------------------------------------------------------------------------

static tr_status look_on(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  (void)self, (void)info;
  return isfinite(x->q[0]) && isfinite(x->a[0]) ? TR_OK : TR_NOT_FINITE;
}

// Refactorisations seen in 100 steps, none of which may ask the hook or the heap for anything.
static long watch_steps(const char *model, const char *set, const char *method, bool *sparse) {
  counter c = {.al = {counted}};
  char file[512];
  tr_model *m;
  tr_system *sys;
  tr_run *run;
  tr_observer observer = {.step = look_on};
  tr_run_settings s = tr_run_defaults();
  s.method = method;
  assert_int_equal(tr_model_new(&c.al, &m), TR_OK);
  if (strchr(model, '\n')) {
    assert_int_equal(tr_model_read_text(m, model, strlen(model), "hub", NULL), TR_OK);
  } else {
    file_of(model, file, sizeof file);
    assert_int_equal(tr_model_read_file(m, file, NULL), TR_OK);
  }
  if (set) assert_int_equal(tr_model_set(m, "N", set, NULL), TR_OK);
  assert_int_equal(tr_compile(m, &sys, NULL), TR_OK);
  *sparse = sys->pattern.klu || sys->pattern.blocks;
  assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_observe(run, &observer), TR_OK);
  for (int i = 0; i < 5; i++) assert_int_equal(tr_run_step(run, NULL), TR_OK);
  long before = c.calls, live_before = c.live;
  tr_run_info a = tr_run_describe(run);
  watch_heap(0);
  tr_status status = tr_run_to(run, tr_run_state(run)->t + 100 * a.step, NULL);
  heap_watched = false;
  tr_run_info b = tr_run_describe(run);
  assert_int_equal(status, TR_OK);
  assert_true(b.steps >= a.steps + 100);
  if (c.calls != before || c.live != live_before || heap_calls != 0)
    fail_msg("%s by %s: %ld allocations by the hook, %ld by the heap", model, b.method,
             c.calls - before, heap_calls);
  tr_run_free(run);
  tr_system_free(sys);
  tr_model_free(m);
  assert_int_equal(c.live, 0);
  return b.refactorisations - a.refactorisations;
}

// After the first steps: every shipped model by its own method, some larger ones, and every method.
static void steps_allocate_nothing(void **u) {
  (void)u;
  int sparse = 0, dense = 0;
  long refactored = 0;
  bool is_sparse;
  for (const char *const *name = shipped_models(); *name; name++) {
    refactored += watch_steps(*name, NULL, NULL, &is_sparse);
    *(is_sparse ? &sparse : &dense) += 1;
  }
  refactored += watch_steps("four_bar_chain.yaml", "10", NULL, &is_sparse);
  refactored += watch_steps("rod_chain.yaml", "40", NULL, &is_sparse);
  assert_true(dense > 2 && sparse > 2 && refactored > 50);
  for (int i = 0; i < tr_method_count(); i++) {
    const char *method = tr_method_describe(i).name;
    watch_steps("slider_crank.yaml", NULL, method, &is_sparse);
    watch_steps("quick_return.yaml", NULL, method, &is_sparse);
    assert_false(is_sparse);
    watch_steps("three_link_pendulum.yaml", NULL, method, &is_sparse);
    assert_true(is_sparse);
  }
}

// Nor do steps under error control that are looked into and found to hide a gate, written as variables that depend on each
// other: alone, and with a tail of bodies behind it.
static void looks_allocate_nothing(void **u) {
  static const char *const tail[] = {
      "",
      "repeat:\n"
      "  - {for: i, from: 1, to: 12, bodies: {\"b_{i}\": {type: planar-point, mass: 0.01, "
      "position: [-i, 0], velocity: [1.5, 0]}}, joints: {\"d_{i}\": {type: distance, markers: "
      "[\"b_{i-1}\", \"b_{i}\"]}}}\n"};
  static const char *const methods[] = {"radau5",
                                        "ggl-bdf"}; // others begin anew where steps change
  (void)u;
  for (int k = 0; k < 4; k++) {
    counter c = {.al = {counted}};
    char text[800];
    tr_model *m;
    tr_system *sys;
    tr_run *run;
    tr_run_settings s = tr_run_defaults();
    s.method = methods[k / 2], s.end = 8, s.control.tol = 1e-5;
    int n = snprintf(text, sizeof text,
                     "trammel: 1\n"
                     "bodies: {b_0: {type: planar-point, mass: 2, velocity: [1.5, 0]}}\n"
                     "variables: {push: {value: \"140*exp(-((DX(b_0) - 4)/0.03)^2) + 3*back\"}, "
                     "back: {value: -2*push}}\n"
                     "forces: {f: {type: force, markers: [b_0], force: [push, 0, 0]}}\n%s",
                     tail[k % 2]);
    assert_int_equal(tr_model_new(&c.al, &m), TR_OK);
    assert_int_equal(tr_model_read_text(m, text, (size_t)n, "gate", NULL), TR_OK);
    assert_int_equal(tr_compile(m, &sys, NULL), TR_OK);
    assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
    assert_int_equal(tr_run_step(run, NULL), TR_OK);
    long before = c.calls;
    watch_heap(0);
    tr_status status = tr_run_all(run, NULL);
    heap_watched = false;
    assert_int_equal(status, TR_OK);
    assert_true(tr_run_state(run)->v[0] > 1.7); // it was found
    if (c.calls != before || heap_calls != 0)
      fail_msg("%s, %d: %ld allocations by the hook, %ld by the heap", s.method, k % 2,
               c.calls - before, heap_calls);
    tr_run_free(run);
    tr_system_free(sys);
    tr_model_free(m);
  }
}

// ---- how much ---------------------------------------------------------------------------------------

// Bytes that N bodies take: while the model is compiled, for the system, and with a run under way.
typedef struct taken {
  double compile, system, run;
} taken;

// model: a file of models/, or the text of one.
static taken measure(const char *model, const char *n, const char *method) {
  counter c = {.al = {counted}};
  char file[512];
  tr_model *m;
  tr_system *sys;
  tr_run *run;
  tr_run_settings s = tr_run_defaults();
  s.method = method;
  assert_int_equal(tr_model_new(&c.al, &m), TR_OK);
  if (strchr(model, '\n')) {
    assert_int_equal(tr_model_read_text(m, model, strlen(model), "hub", NULL), TR_OK);
  } else {
    file_of(model, file, sizeof file);
    assert_int_equal(tr_model_read_file(m, file, NULL), TR_OK);
  }
  assert_int_equal(tr_model_set(m, "N", n, NULL), TR_OK);
  assert_int_equal(tr_compile(m, &sys, NULL), TR_OK);
  tr_model_free(m);
  taken t = {.compile = (double)c.most, .system = (double)c.bytes};
  c.most = c.bytes;
  assert_int_equal(tr_run_new(sys, &s, NULL, &run, NULL), TR_OK);
  assert_int_equal(tr_run_to(run, 5e-3, NULL), TR_OK);
  t.run = (double)c.most;
  tr_run_free(run);
  tr_system_free(sys);
  assert_int_equal(c.bytes, 0);
  return t;
}

// For each further body: of a chain, and of windows of four bars, which have two.
static void check_each(const char *model, int bodies, const char *method, taken most) {
  taken few = measure(model, "100", method), many = measure(model, "400", method);
  double n = 300.0 * bodies;
  taken each = {(many.compile - few.compile) / n, (many.system - few.system) / n,
                (many.run - few.run) / n};
  print_message("%s by %s, bytes a body: %.0f to compile, %.0f compiled, %.0f in a run\n", model,
                method, each.compile, each.system, each.run);
  assert_true(each.compile <= most.compile && each.system <= most.system && each.run <= most.run);
}

static void bodies_take_little(void **u) {
  (void)u;
#ifdef SANITIZED
  skip(); // sanitizers add to every block
#endif
  // With more than 1000 unknowns the predictor keeps two states more than in smaller systems, in single precision. Stabilised methods have a plan for G M^-1 G' on chains: 70 bytes, and what chunks round up.
  check_each("rod_chain.yaml", 1, "hht-i3:alpha=-0.1", (taken){3450, 1150, 3600});
  check_each("rod_chain.yaml", 1, "hht-si2:alpha=-0.1", (taken){3450, 1150, 5500});
  check_each("four_bar_chain.yaml", 2, "hht-i3:alpha=-0.1", (taken){2250, 1060, 2700});
}

enum { LARGE_ROOM = 128 * 1024 };

// What is free among the pages of the heap: a large room that happens to fit in there would be cleared, and written to.
static void take_free_heap(void) {
  for (const char *p = malloc(LARGE_ROOM); p && p < (const char *)sbrk(0);) p = malloc(LARGE_ROOM);
}

// kB, of this process
static double own_status(const char *key) {
  char line[128];
  double kb = NAN;
  FILE *f = fopen("/proc/self/status", "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f))
    if (strncmp(line, key, strlen(key)) == 0) kb = strtod(line + strlen(key), NULL);
  fclose(f);
  return kb;
}

// Peak memory in bytes of a process of its own that makes 20 steps of a chain, with large arrays given back as the
// command does.
static double peak_of_chain(const char *n, const char *method) {
  int ends[2];
  double peak = NAN;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    malloc_trim(0); // what other tests have left behind
    mallopt(M_MMAP_THRESHOLD, LARGE_ROOM);
    char set[32];
    snprintf(set, sizeof set, "N=%s", n);
    const char *const sets[] = {set, NULL};
    mechanism m = load_model("rod_chain.yaml", sets);
    tr_model_free(m.model);
    take_free_heap();
    tr_run_settings s = tr_run_defaults();
    s.method = method, s.step = 1e-3, s.end = 0.02, s.audit = false;
    tr_run *run;
    if (tr_run_new(m.sys, &s, NULL, &run, NULL) == TR_OK && tr_run_all(run, NULL) == TR_OK)
      peak = 1024 * (own_status("VmHWM:") - own_status("RssFile:"));
    _exit(write(ends[1], &peak, sizeof peak) != sizeof peak);
  }
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(read(ends[0], &peak, sizeof peak), sizeof peak);
  close(ends[0]), close(ends[1]);
  return peak;
}

// What the system gives for each further body: rooms that are never written to do not count. (Of stabilised methods 144 bytes
// are the room in which a stagnation is judged: whether the first steps have one is chance. Pages of files, which
// are code, do not count either. All rooms of the smaller system are large already: small ones lie among what
// other tests have left of the heap.)
static void pages_are_few(void **u) {
  (void)u;
#ifdef SANITIZED
  skip();
#endif
  static const struct {
    const char *method;
    double most;
  } cases[] = {{"hht-i3:alpha=-0.1", 2800}, {"hht-si2:alpha=-0.1", 3000}, {"nstiff-si2", 3000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double few = peak_of_chain("5000", cases[i].method),
           many = peak_of_chain("10000", cases[i].method), each = (many - few) / 5000;
    print_message("%s: %.0f bytes a body\n", cases[i].method, each);
    assert_true(each <= cases[i].most);
  }
}

// Hubs with a fast rotor and pairs of bodies for spokes, without springs and with: no plan takes memory by the square of their number, nor keeps
// what it has no use for. (A dense order of so many takes 400 kB a spoke.)
#define SPOKES(springs)                                                                            \
  "trammel: 1\n"                                                                                   \
  "parameters: {N: 100}\n"                                                                         \
  "bodies: {hub: {type: spatial, mass: 9, inertia: [1, 1, 1], omega: [0, 0, 3]},\n"                \
  "  rotor: {type: spatial, mass: 1, inertia: [1e-3, 1e-3, 2e-3], omega: [0, 0, 1000], keep: "     \
  "[wz]}}\n"                                                                                       \
  "joints: {axle: {type: revolute, bodies: [hub, rotor], at: [0, 0, 0], axis: [0, 0, 1]}}\n"       \
  "repeat:\n"                                                                                      \
  "  - {for: i, to: N - 1,\n"                                                                      \
  "     bodies: {\"s_{i}\": {type: spatial, mass: 1, inertia: [1, 1, 1], position: [cos(i), "      \
  "sin(i), 0]},\n"                                                                                 \
  "       \"t_{i}\": {type: spatial, mass: 1, inertia: [1, 1, 1], position: [2*cos(i), 2*sin(i), " \
  "0]}},\n"                                                                                        \
  "     joints: {\"j_{i}\": {type: revolute, bodies: [hub, \"s_{i}\"], at: [0, 0, 0], axis: "      \
  "[-sin(i), cos(i), 0]},\n"                                                                       \
  "       \"k_{i}\": {type: revolute, bodies: [\"s_{i}\", \"t_{i}\"], at: [cos(i), sin(i), 0], "   \
  "axis: [-sin(i), cos(i), 0.5]}}" springs                                                         \
  "}\n"                                                                                            \
  "simulation: {step: 1 ms, end: 1 s}\n"

static void hubs_take_little(void **u) {
  (void)u;
  static const char *const text[] = {
      SPOKES(""),
      SPOKES(
          ",\n     forces: {\"f_{i}\": {type: bushing, markers: [{body: hub}, {body: \"t_{i}\"}], "
          "stiffness: [1e7, 1e7, 1e7], torsion-stiffness: [1e5, 1e5, 1e5]}}")};
  for (int k = 0; k < 2; k++) {
    taken few = measure(text[k], "100", "hht-si2"), many = measure(text[k], "400", "hht-si2");
    double each = (many.run - few.run) / 300;
    print_message("a spoke of a hub%s: %.0f bytes\n", k ? ", with springs" : "", each);
    assert_true(each < 60000);
  }
}

// Loops through one body: cranks that drive sliders, in a plane and in space, a plate on legs. Whatever goes before
// it ties nothing together, and what goes behind it ties all.
#define LOOPS(hub, bodies, joints)                                                           \
  "trammel: 1\nparameters: {N: 100}\n" hub                                                   \
  "repeat:\n  - {for: i, to: N - 1, parameters: {a: 2*pi*i/N, y: -0.045*sin(a), z: "         \
  "0.045*cos(a), l: sqrt(0.0225 - y^2)},\n     bodies: {" bodies "},\n     joints: {" joints \
  "}}\nsimulation: {step: 1 ms, end: 1 s}\n"

static void loops_take_little(void **u) {
  (void)u;
  static const char *const text[] = {
      LOOPS("bodies: {hub: {type: planar, mass: 10, inertia: 1, omega: 20, keep: [angle, omega]}}\n"
            "joints: {main: {type: revolute, markers: [ground, hub]}}\n",
            "\"rod_{i}\": {type: planar, mass: 0.5, inertia: 0.015, position: [0.6*cos(a), "
            "0.6*sin(a)], angle: a}",
            "\"big_{i}\": {type: revolute, markers: [{body: hub, at: [0.3*cos(a), 0.3*sin(a)]}, "
            "{body: \"rod_{i}\", at: [-0.3, 0]}]}, "
            "\"guide_{i}\": {type: point-on-line, markers: [{angle: a}, {body: \"rod_{i}\", at: "
            "[0.3, 0]}]}"),
      LOOPS("bodies: {hub: {type: spatial, mass: 30, inertia: [0.2, 0.6, 0.6], omega: [200, 0, 0], "
            "keep: [positions, velocities]}}\n"
            "joints: {main: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [1, 0, "
            "0]}}\n",
            "\"rod_{i}\": {type: spatial, mass: 0.5, inertia: [1e-3, 1e-3, 1e-4], position: [i/10, "
            "y/2, z + l/2], orientation: {z-axis: [0, -y, l], x-axis: [1, 0, 0]}}, "
            "\"pis_{i}\": {type: spatial, mass: 0.4, inertia: [5e-4, 5e-4, 5e-4], position: [i/10, "
            "0, z + l]}",
            "\"big_{i}\": {type: cylindrical, bodies: [hub, \"rod_{i}\"], at: [i/10, y, z], axis: "
            "[1, 0, 0]}, "
            "\"pin_{i}\": {type: spherical, bodies: [\"rod_{i}\", \"pis_{i}\"], at: [i/10, 0, z + "
            "l]}, "
            "\"bore_{i}\": {type: prismatic, bodies: [ground, \"pis_{i}\"], at: [i/10, 0, z + l], "
            "axis: [0, 0, 1]}"),
      LOOPS("gravity: [0, 0, -9.81]\nbodies: {hub: {type: spatial, mass: 100, inertia: [10, 10, "
            "20], position: [0, 0, 1]}}\n",
            "\"up_{i}\": {type: spatial, mass: 1, inertia: [0.05, 0.05, 0.01], position: "
            "[1.2*cos(a), 1.2*sin(a), 0.8]}, "
            "\"lo_{i}\": {type: spatial, mass: 1, inertia: [0.05, 0.05, 0.01], position: "
            "[1.4*cos(a), 1.4*sin(a), 0.3]}",
            "\"h_{i}\": {type: spherical, bodies: [hub, \"up_{i}\"], at: [cos(a), sin(a), 1]}, "
            "\"k_{i}\": {type: universal, bodies: [\"up_{i}\", \"lo_{i}\"], at: [1.4*cos(a), "
            "1.4*sin(a), 0.6]}, "
            "\"g_{i}\": {type: spherical, bodies: [ground, \"lo_{i}\"], at: [1.4*cos(a), "
            "1.4*sin(a), 0]}")};
  for (int k = 0; k < 3; k++) {
    if (!in_turn(k, 1, 3)) continue;
    taken few = measure(text[k], "300", "hht-i3"), many = measure(text[k], "1500", "hht-i3");
    double most = fmax(many.compile, many.run) - fmax(few.compile, few.run);
    print_message("a loop through a hub: %.0f bytes\n", most / 1200);
    assert_true(most / 1200 < 30000);
  }
}

// The split of coordinates is sparse: a rod of a chain takes as much in a long one as in a short one.
static void splits_take_little(void **u) {
  (void)u;
  static const char *const methods[] = {"cs", "cm"};
  for (int i = 0; i < 2; i++) {
    taken few = measure("rod_chain.yaml", "100", methods[i]),
          many = measure("rod_chain.yaml", "1000", methods[i]);
    double each = (many.run - few.run) / 900;
    print_message("a rod by %s: %.0f bytes\n", methods[i], each);
    assert_true(each < 30000);
  }
}

// The watch itself works.
static void heap_is_watched(void **u) {
  (void)u;
  watch_heap(0);
  void *volatile block = malloc(100);
  free(block);
  heap_watched = false;
  assert_int_equal(heap_calls, 1);
  assert_int_equal(heap_live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heap_is_watched),
      cmocka_unit_test(allocator_sweep),
      cmocka_unit_test(heap_sweep),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(looks_allocate_nothing),
      cmocka_unit_test(bodies_take_little),
      cmocka_unit_test(pages_are_few),
      cmocka_unit_test(hubs_take_little),
      cmocka_unit_test(loops_take_little),
      cmocka_unit_test(splits_take_little),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
