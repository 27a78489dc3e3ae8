// SPDX-License-Identifier: Apache-2.0
// Degrees of freedom by the rank of G, consistency, and what each element contributes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vector.h"
#include "step/start.h"
#include "step/step.h"

// Beyond the rows the analysis takes, the factorisation decides: if it exists, the rank is full.
static tr_status rank_by_factor(const tr_system *s, const tr_state *x, int *rank, tr_error *error) {
  tr_state copy;
  TR_TRY(tr_state_new(s, &copy, error));
  tr_state_copy(&copy, x);
  tr_status status = tr_accelerations(s, &copy, NULL);
  tr_state_free(s, &copy);
  if (status == TR_NO_MEMORY) return tr_no_memory(error);
  *rank = status == TR_OK ? s->nc - tr_idle_rows(s, x->mem, NULL) : -1;
  return TR_OK;
}

static tr_status many_independent(const tr_system *s, const tr_state *x, bool *independent) {
  tr_own_projector own;
  *independent = false;
  if (s->nc <= TR_MANY_ROWS) return TR_OK;
  TR_TRY(tr_projector_open(s, &own));
  tr_status status = tr_all_independent(&own.p, x, independent);
  tr_projector_close(&own);
  return status == TR_NO_MEMORY ? status : TR_OK;
}

static tr_status find_rank(tr_work *w, const tr_state *x, tr_check_info *info, tr_error *error) {
  const tr_system *s = w->sys;
  tr_arena ar = tr_arena_make(s->al);
  tr_redundancy r = {.known = true, .rank = s->nc - tr_idle_rows(s, x->mem, NULL)};
  tr_text text = {.al = s->al};
  bool independent;
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_status status = many_independent(s, x, &independent);
  if (status == TR_OK && !independent) status = tr_find_redundancy(w, &ar, 0, NULL, &r);
  if (status == TR_OK) status = tr_redundancy_text(s, &r, "repeat", &text);
  if (status == TR_OK && text.size > 0) {
    snprintf(info->findings, sizeof info->findings, "%s", text.data);
    char *end = strrchr(info->findings, '\n'); // whole lines only
    if (end) end[1] = 0;
  }
  info->rank = r.rank;
  info->freedom_of_positions = info->of_velocities;
  for (int i = 0; i < r.count; i++) info->freedom_of_positions -= s->of_velocity[r.row[i]];
  tr_text_free(&text);
  tr_arena_free(&ar);
  if (status != TR_OK) return tr_no_memory(error);
  return r.known ? TR_OK : rank_by_factor(s, x, &info->rank, error);
}

tr_status tr_check_method(const tr_system *s, tr_error *error) {
  if (!s->plan.method) return TR_OK;
  tr_arena ar = tr_arena_make(s->al);
  const tr_method *method;
  void *par;
  tr_status status = tr_method_of_model(&ar, s, &method, &par, error);
  tr_arena_free(&ar);
  return status;
}

tr_status tr_check_model_method(const tr_model *model, tr_error *error) {
  const tr_node *text = tr_node_find(tr_node_find(model->root, "simulation"), "method");
  if (!text || text->kind != TR_SCALAR || !text->text[0] || strchr(text->text, '{')) return TR_OK;
  tr_arena ar = tr_arena_make(model->arena.al);
  const tr_method *method;
  void *par;
  tr_status status = tr_method_parse_at(&ar, text->text, &text->place, &method, &par, error);
  tr_arena_free(&ar);
  return status;
}

tr_status tr_check(const tr_system *s, const tr_state *x, tr_check_info *info, tr_error *error) {
  int idle = tr_idle_rows(s, x->mem, NULL);
  *info = (tr_check_info){.coordinates = s->nv - s->nnumber,
                          .constraints = s->nc - s->nnumber - idle,
                          .idle = idle,
                          .of_velocities = tr_held_velocity_rows(s, x->mem) - s->nnumber,
                          .worst = ""};
  tr_work *w;
  if (tr_work_new(s, &w) != TR_OK) return tr_no_memory(error);
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(w, NULL, NULL, w->x);
  tr_clear_velocity_rows(s, w->x);
  info->phi = vec_norm(w->x, s->nc);
  int worst = 0;
  for (int i = 1; i < s->nc; i++)
    if (fabs(w->x[i]) > fabs(w->x[worst])) worst = i;
  const char *kind;
  if (s->nc > 0) info->worst = tr_row_owner(s, worst, &kind);
  tr_rates(w, w->x);
  for (int i = 0; i < s->nc; i++)
    if (s->of_number[i]) w->x[i] = 0; // they have no start
  info->phi_v = vec_norm(w->x, s->nc);
  tr_status status = find_rank(w, x, info, error);
  info->freedom = info->rank < 0 ? -1 : s->nv - info->rank;
  if (info->rank >= 0) info->rank -= s->nnumber;
  info->freedom_of_positions += info->freedom;
  if (info->rank < 0) info->freedom_of_positions = -1;
  tr_work_free(w);
  return status;
}

// Equations of numbers are the last joints, in the order of the numbers; they are counted with these.
static int joints_of(const tr_system *s) { return s->njoint - s->nnumber; }

int tr_element_count(const tr_system *s) { return s->nbody + joints_of(s) + s->nforce; }

static const sys_joint *equation_of(const tr_system *s, int body) {
  int k = joints_of(s);
  while (s->joint[k].e.body[0] != body) k++;
  return &s->joint[k];
}

// First constraint row of an element.
static tr_element_info describe(const tr_system *s, int i, int *row) {
  *row = 0;
  if (i < 0 || i >= tr_element_count(s)) return (tr_element_info){"", "", "", 0, 0};
  if (i < s->nbody) {
    const sys_body *b = &s->body[i];
    bool number = s->number[b->v];
    *row = number ? equation_of(s, i)->row : b->row;
    if (number) return (tr_element_info){b->type->name, "", b->name, b->nv, 1};
    return (tr_element_info){"body", b->type->name, b->name, b->nv, b->nc};
  }
  if (i < s->nbody + joints_of(s)) {
    const sys_joint *j = &s->joint[i - s->nbody];
    *row = j->row;
    return (tr_element_info){"joint", j->type->name, j->e.name, 0, j->ops->rows};
  }
  const sys_force *f = &s->force[i - s->nbody - joints_of(s)];
  return (tr_element_info){"force", f->type->name, f->e.name, 0, 0};
}

tr_element_info tr_element_describe(const tr_system *s, int i) {
  int row;
  return describe(s, i, &row);
}

tr_status tr_element_violations(const tr_system *s, const tr_state *x, double *violation) {
  tr_work *w;
  TR_TRY(tr_work_new(s, &w));
  tr_kinematics(w, x->t, x->q, x->v, x->mem, TR_AT_VELOCITY);
  tr_forces(w, NULL, NULL, w->x);
  tr_clear_velocity_rows(s, w->x);
  for (int i = 0; i < tr_element_count(s); i++) {
    int row, rows = describe(s, i, &row).constraints;
    violation[i] = vec_norm(w->x + row, rows);
  }
  tr_work_free(w);
  return TR_OK;
}
