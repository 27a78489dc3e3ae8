// SPDX-License-Identifier: Apache-2.0
// A four-bar by calls: build, compile, run, look on. The mechanism of four_bar.yaml, the same numbers.
#include <stdio.h>
#include <trammel/trammel.h>

// clang-format off
#define TEXT(k, value) {.key = k, .text = value}
#define NUM(k, value) {.key = k, .num = value}
#define BAR(name, m, J, r, phi) {"bodies", name, {TEXT("type", "planar"), NUM("mass", m), \
    NUM("inertia", J), TEXT("position", r), TEXT("angle", phi)}}
#define PIN(name, markers) {"joints", name, {TEXT("type", "revolute"), TEXT("markers", markers)}}

// Keys and values are those of model files; a NULL key ends the list.
static const struct { const char *section, *name; tr_arg args[6]; } elements[] = {
    BAR("crank", 1, 0.02, "[0, 0]", "180 deg"),
    BAR("coupler", 0.5, 0.5 * 0.25 / 12, "[0.05, 0.2]", "atan2(4, 3)"),
    BAR("rocker", 0.25, 0.25 * 0.0625 / 12, "[0.125, 0.1]", "pi - atan2(4, 3)"),
    PIN("O", "[ground, crank]"),
    PIN("A", "[{body: crank, at: [0.1, 0]}, {body: coupler, at: [-0.25, 0]}]"),
    PIN("B", "[coupler, {body: rocker, at: [0.125, 0]}]"),
    PIN("C", "[{at: [0.2, 0]}, {body: rocker, at: [-0.125, 0]}]"),
    {"markers", "P", {TEXT("body", "coupler"), TEXT("at", "[0.25, 0]")}},
    {"forces", "motor", {TEXT("type", "torsion-spring"), TEXT("markers", "[ground, crank]"),
                         NUM("torque", 1), TEXT("damping", "0.1 N m s/rad")}},
};
// clang-format on

// Called at the start and after every step; anything but TR_OK ends the run.
typedef struct printer {
  tr_observer observer; // first, so that the one is also the other
  tr_reader *reader;
} printer;

static tr_status print(tr_observer *self, const tr_state *x, const tr_run_info *info) {
  double value[3];
  if (info->steps % 250 != 0) return TR_OK;
  tr_status status = tr_reader_read(((printer *)self)->reader, x, value);
  printf("%5.2f %9.5f %9.5f %9.4f\n", x->t, value[0], value[1], value[2]);
  return status;
}

int main(void) {
  tr_error error = {0}; // every call adds its messages; the first failure stays in error.status
  tr_model *model = NULL;
  tr_system *system = NULL; // constant once compiled: any number of runs, in any threads
  tr_run *run = NULL;
  printer p = {.observer.step = print};
  if (tr_model_new(NULL, &model) != TR_OK) return 1;
  tr_model_add_value(model, &(tr_arg)TEXT("gravity", "[0, -9.81]"), &error);
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    tr_model_add(model, elements[i].section, elements[i].name, elements[i].args, &error);
  if (error.status == TR_OK && tr_compile(model, &system, &error) == TR_OK) {
    tr_run_settings s = tr_run_defaults();
    s.method = "hht-i3:alpha=-0.1", s.step = 1e-3, s.end = 3;
    int channels[] = {tr_channel_find(system, "P.x"), tr_channel_find(system, "P.y"),
                      tr_channel_find(system, "crank.omega")};
    if (tr_reader_new(system, 3, channels, &p.reader, &error) == TR_OK &&
        tr_run_new(system, &s, NULL, &run, &error) == TR_OK) {
      puts("    t       P.x       P.y     omega");
      tr_run_observe(run, &p.observer);
      tr_run_all(run, &error);
    }
  }
  if (error.status != TR_OK) fputs(error.text, stderr);
  tr_run_free(run); // every free takes NULL
  tr_reader_free(p.reader);
  tr_system_free(system);
  tr_model_free(model);
  return error.status == TR_OK ? 0 : 1;
}
