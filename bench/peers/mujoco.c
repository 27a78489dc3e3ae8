// SPDX-License-Identifier: Apache-2.0
// MuJoCo: joint coordinates along a tree, loops closed by soft equality constraints, fixed steps.
//   mujoco PROBLEM N STEP [integrator=rk4|euler|implicit]
// A02 and CHAIN only: a massless slider and its line have no counterpart there.
// The loops' constants are as hard as the solver bears: reference time twice the step, impedance next to 1;
// Newton's solver to 1e-10.
#include <mujoco/mujoco.h>
#include <stdarg.h>

#include "../bench.h"

typedef struct options {
  double step;
  const char *integrator;
} options;

typedef struct text {
  char *data;
  size_t size, room;
} text;

static char words[1000];

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...) {
  va_list list;
  if (t->size + 1000 > t->room) {
    t->room = 2 * t->room + 4096;
    t->data = realloc(t->data, t->room);
    if (!t->data) abort();
  }
  va_start(list, format);
  t->size += (size_t)vsnprintf(t->data + t->size, t->room - t->size, format, list);
  va_end(list);
}

static void begin(text *t, const options *o, const char *gravity, int rows) {
  add(t,
      "<mujoco><compiler angle='radian' inertiafromgeom='false' boundmass='0'/>"
      "<size njmax='%d' nconmax='1'/>"
      "<option timestep='%.17g' integrator='%s' gravity='%s' solver='Newton' tolerance='1e-10' "
      "iterations='50'><flag contact='disable'/></option><worldbody>",
      rows + 1, o->step, o->integrator, gravity);
}

static void write_four_bars(text *t, const options *o, int n) {
  const char *bar =
      "<inertial pos='0.5 0 0' mass='1' diaginertia='1e-4 0.083333333333333333 "
      "0.083333333333333333'/><joint type='hinge' axis='0 0 1'/>";
  begin(t, o, "0 -9.81 0", 3 * n);
  for (int i = 0; i <= n; i++) {
    add(t, "<body name='u%d' pos='%d 0 0' euler='0 0 %.17g'>%s", i, i, acos(0), bar);
    if (i == 0) add(t, "<site name='seen' pos='1 0 0'/>");
    if (i < n) add(t, "<body name='c%d' pos='1 0 0' euler='0 0 %.17g'>%s</body>", i, -acos(0), bar);
    add(t, "</body>");
  }
  add(t, "</worldbody><equality>");
  for (int i = 0; i < n; i++)
    add(t,
        "<connect body1='c%d' body2='u%d' anchor='1 0 0' solref='%.17g 1' "
        "solimp='0.9999 0.9999 0.001 0.5 2'/>",
        i, i + 1, 2 * o->step);
  add(t, "</equality></mujoco>");
}

// The parser allows 100 nested elements: longer chains go on in an included file.
static void write_chain(text *t, text *rest, const options *o, int n) {
  enum { DEPTH = 80 };
  const double L = 0.1, w = 0.02, m = 0.1, J = m * (L * L + w * w) / 12;
  begin(t, o, "0 0 -9.81", 0);
  for (int i = 0; i < n; i++) {
    if (i == DEPTH) {
      add(t, "<include file='rest.xml'/>");
      add(rest, "<mujocoinclude>");
    }
    add(i < DEPTH ? t : rest,
        "<body pos='%.17g 0 0'><inertial pos='%.17g 0 0' mass='%.17g' diaginertia='%.17g %.17g "
        "%.17g'/><joint type='ball'/>",
        i ? L : 0, L / 2, m, m * w * w / 6, J, J);
  }
  add(n > DEPTH ? rest : t, "<site name='seen' pos='%.17g 0 0'/>", L);
  for (int i = n - 1; i >= 0; i--) add(i < DEPTH ? t : rest, "</body>");
  if (n > DEPTH) add(rest, "</mujocoinclude>");
  add(t, "</worldbody></mujoco>");
}

static int put(mjVFS *vfs, const char *name, const text *t) {
  if (t->size == 0) return 0;
  if (mj_makeEmptyFileVFS(vfs, name, (int)t->size) != 0) return 1;
  memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], t->data, t->size);
  return 0;
}

static mjModel *load(const text *t, const text *rest) {
  mjVFS *vfs = malloc(sizeof *vfs);
  mjModel *m = NULL;
  if (!vfs) return NULL;
  mj_defaultVFS(vfs);
  if (!put(vfs, "model.xml", t) && !put(vfs, "rest.xml", rest))
    m = mj_loadXML("model.xml", vfs, words, sizeof words);
  mj_deleteVFS(vfs);
  free(vfs);
  return m;
}

static double energy(mjModel *m, mjData *d) {
  m->opt.enableflags |= mjENBL_ENERGY;
  mj_forward(m, d);
  mj_energyPos(m, d), mj_energyVel(m, d);
  m->opt.enableflags &= ~mjENBL_ENERGY;
  return d->energy[0] + d->energy[1];
}

static void simulate(bench_result *r, mjModel *m, mjData *d, double before) {
  for (int i = 0; r->problem == A02 && i < m->njnt; i++)
    d->qvel[i] = m->body_parentid[m->jnt_bodyid[i]] == 0 ? -1 : 1;
  double E0 = energy(m, d), start = bench_cpu();
  long steps = lround(bench_end(r->problem) / m->opt.timestep);
  r->setup_s = start - before;
  for (r->steps = 0; r->steps < steps; r->steps++) mj_step(m, d);
  r->cpu_s = bench_cpu() - start;
  r->energy = fabs(energy(m, d) - E0);
  mjtNum v[6];
  int site = mj_name2id(m, mjOBJ_SITE, "seen");
  mj_objectVelocity(m, d, mjOBJ_SITE, site, v, 0);
  for (int i = 0; i < 3; i++) r->x[i] = d->site_xpos[3 * site + i], r->v[i] = v[3 + i];
  if (r->problem == CHAIN) r->v[0] = NAN;
  if (d->warning[mjWARN_BADQACC].number) r->words = "unstable: bad accelerations";
}

static void run(bench_result *r, const void *data) {
  text t = {0}, rest = {0};
  double before = bench_cpu();
  r->words = NULL;
  if (r->problem == A02)
    write_four_bars(&t, data, r->n);
  else
    write_chain(&t, &rest, data, r->n);
  mjModel *m = load(&t, &rest);
  mjData *d = m ? mj_makeData(m) : NULL;
  if (d)
    simulate(r, m, d, before);
  else
    r->words = bench_words(words[0] ? words : "no memory");
  if (d) mj_deleteData(d);
  if (m) mj_deleteModel(m);
  free(t.data), free(rest.data);
}

int main(int argc, char **argv) {
  bench_problem problem = argc > 3 ? bench_find(argv[1]) : BENCH_PROBLEMS;
  if (problem > CHAIN) {
    fprintf(stderr, "mujoco a02|chain N STEP [integrator=rk4|euler|implicit]\n");
    return 2;
  }
  const char *method = argc > 4 && !strncmp(argv[4], "integrator=", 11) ? argv[4] + 11 : "rk4";
  options o = {atof(argv[3]), !strcmp(method, "rk4")     ? "RK4"
                              : !strcmp(method, "euler") ? "Euler"
                                                         : "implicit"};
  bench_result r = {.engine = "mujoco", .method = method, .problem = problem};
  r.n = atoi(argv[2]), r.setting = o.step;
  bench_repeat(&r, run, &o);
  return bench_print(&r);
}
