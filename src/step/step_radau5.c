// SPDX-License-Identifier: Apache-2.0
// Radau IIA of order 5 on the stabilised index-2 form: the method of high accuracy [HW96].
//
//   M v' + G' lam = Q,   M (q' - v) = G' mu,   Phi = 0,   G v + Phi_t = 0
// by collocation at three points, the last of them the end of the step, where all constraints hold
// (corrector_radau.c). Order 5 in q and v; the multipliers of the last stage are of order 3 and serve
// the next step, those for output are computed from the state.
//
// First guess: velocities on the polynomial through the ends of the last steps, which are of order 5, and since stages
// inside a step are off by O(h^4), with what they were off in the last step, or on the polynomial of the last step,
// whichever would have been better for that; positions by quadrature, multipliers on a parabola through the
// last stages, mu = 0.
//
// Error [HW96 IV.8]: with an embedded formula of order 3 that also uses the rates at t_n, w = h/GAMMA,
//   E_v = w a_n + w/h sum e_i z_i,   E_u likewise,   e = (-13 - 7 sqrt 6, -13 + 7 sqrt 6, -1)/3
// and filtered by the matrix of the step, so that stiff components and those against the constraints
// do not count:
//   (M - w Q_v) e_v + w K e_u + G' l = M E_v,   M (e_u - w e_v) + G' m = M E_u,   G e_u = G e_v = 0
// In rows of velocities  Gam_v e_v + Gam_q e_u = 0,  Gam_v (e_u - w e_v) = Gam_v E_u,  together
//   (Gam_v + w Gam_q) e_u = Gam_v E_u
// In equations of states E_u is to be on the constraints there, E_u - M^-1 G' m: what is against them, over w, would pass
// for an error of the velocities that they read.
#include <math.h>
#include <string.h>

#include "radau.h"

enum { SURE_STEPS = 5, LARGE = 1000 };
static const double SHORTER = 0.3; // of the step that failed: after a failure it is a quarter

// ---- coefficients ---------------------------------------------------------------------------------

void tr_radau_nodes(double c[STAGES]) {
  c[0] = 0.1 * (4 - sqrt(6)), c[1] = 0.1 * (4 + sqrt(6)), c[2] = 1;
}

void tr_radau_weights(double A[STAGES][STAGES]) {
  double r = sqrt(6);
  const double w[STAGES][STAGES] = {
      {(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
      {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
      {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
  memcpy(A, w, sizeof w);
}

void tr_radau_inverse(double B[STAGES][STAGES]) {
  double r = sqrt(6);
  const double w[STAGES][STAGES] = {{2 + r / 2, (-36 + 29 * r) / 30, (6 - 4 * r) / 15},
                                    {(-36 - 29 * r) / 30, 2 - r / 2, (6 + 4 * r) / 15},
                                    {-1 + 8 * r / 3, -1 - 8 * r / 3, 5}};
  memcpy(B, w, sizeof w);
}

void tr_radau_transform(double T[STAGES][STAGES], double inverse[STAGES][STAGES]) {
  static const double w[STAGES][STAGES] = {
      {0.091232394870892942792, -0.14125529502095420843, -0.030029194105147424492},
      {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
      {0.96604818261509293619, 1, 0}};
  static const double w_inverse[STAGES][STAGES] = {
      {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
      {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
      {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
  memcpy(T, w, sizeof w);
  memcpy(inverse, w_inverse, sizeof w_inverse);
}

// ---- room -----------------------------------------------------------------------------------------

static bool make(tr_arena *ar, int n, double **rooms) {
  double *p = TR_NEW(ar, STAGES * (size_t)n, double);
  for (int i = 0; p && i < STAGES; i++) rooms[i] = p + (size_t)i * n;
  return p != NULL;
}

static tr_status prepare(tr_step *s) {
  tr_arena *ar = &s->arena;
  const tr_system *sys = s->sys;
  int nv = sys->nv, nc = sys->nc, nnz = sys->pattern.nnz;
  tr_radau *m = TR_NEW(ar, 1, tr_radau);
  s->memory = m;
  if (!m || !make(ar, nv, m->u) || !make(ar, nv, m->z) || !make(ar, nc, m->lam) ||
      !make(ar, nc, m->mu) || !make(ar, nv, m->U) || !make(ar, nv, m->a) ||
      !make(ar, nv, m->kept) || !make(ar, nv, m->last_z) || !make(ar, nnz, m->each_D) ||
      !make(ar, nv, m->defect) || !make(ar, nv, m->gains) || !make(ar, nv, m->gains + STAGES))
    return TR_NO_MEMORY;
  for (int i = 0; i < RADAU_LAMS; i++)
    if (!make(ar, nc, m->lams[i])) return TR_NO_MEMORY;
  m->q = TR_NEW(ar, sys->nq, double);
  m->v = TR_NEW(ar, nv, double);
  m->reach = TR_NEW(ar, nv, double);
  m->unit = TR_NEW(ar, nv, double);
  m->K = TR_NEW(ar, nnz, double);
  m->C = TR_NEW(ar, nnz, double);
  m->D = TR_NEW(ar, nnz + 1, double); // with a bin, as in tr_kkt
  m->mass = TR_NEW(ar, sys->nmass, double);
  m->b = TR_NEW(ar, STAGES * (size_t)(nv + nc), double);
  if (!m->q || !m->v || !m->reach || !m->unit || !m->K || !m->C || !m->D || !m->mass || !m->b)
    return TR_NO_MEMORY;
  TR_TRY(tr_wrenches_keep(s->work));
  TR_TRY(tr_projection_make(s));
  TR_TRY(tr_pattern_blocks(ar, &sys->pattern, 2, &m->pattern));
  TR_TRY(tr_step_kkt(s, ar, &m->pattern, &m->pair));
  for (int i = 0; i < STAGES; i++) TR_TRY(tr_step_kkt(s, ar, &sys->pattern, &m->stage[i]));
  TR_TRY(tr_pattern_blocks(ar, &sys->pattern, STAGES, &m->all_pattern));
  return tr_step_kkt(s, ar, &m->all_pattern, &m->all);
}

static void release(tr_step *s) {
  tr_radau *m = s->memory;
  if (!m) return;
  tr_kkt_free(&m->pair);
  for (int i = 0; i < STAGES; i++) tr_kkt_free(&m->stage[i]);
  tr_kkt_free(&m->all);
}

// ---- first guess ----------------------------------------------------------------------------------

// Lagrange's weights of n nodes at x.
static void lagrange(int n, const double *node, double x, double *w) {
  for (int i = 0; i < n; i++) {
    w[i] = 1;
    for (int j = 0; j < n; j++)
      if (j != i) w[i] *= (x - node[j]) / (node[i] - node[j]);
  }
}

// out (nv) = v(t_n + t) - v_n on the polynomial through the ends of the last steps, by the gains of velocity
// between them:  sum_j w_j (v_j - v_n) = -sum_k gain_k sum_{j > k} w_j
static void through_ends(const tr_radau *m, int nv, int degree, double t, double *out) {
  double node[RADAU_PAST + 1] = {0}, w[RADAU_PAST + 1];
  for (int k = 0; k < degree; k++) node[k + 1] = node[k] - m->lengths[k];
  lagrange(degree + 1, node, t, w);
  for (int k = degree - 1; k > 0; k--) w[k] += w[k + 1];
  for (int j = 0; j < nv; j++) out[j] = -w[1] * m->gains[0][j];
  for (int k = 1; k < degree; k++)
    for (int j = 0; j < nv; j++) out[j] -= w[k + 1] * m->gains[k][j];
}

// The same on the polynomial of the last step. x: time from its beginning, in its length.
static void through_stages(const tr_radau *m, int nv, const double *c, double x, double *out) {
  const double node[STAGES + 1] = {c[0], c[1], c[2], 0}; // z = 0 at the last one
  double w[STAGES + 1];
  lagrange(STAGES + 1, node, x, w);
  w[2] -= 1; // z counts from the end of that step
  for (int j = 0; j < nv; j++)
    out[j] = w[0] * m->last_z[0][j] + w[1] * m->last_z[1][j] + w[2] * m->last_z[2][j];
}

// lam of stage i: on the parabola through the stages of the last step, degree 0, or on a polynomial through the same
// stage of the last steps.
static void continue_lam(const tr_step *s, const double *c, double h, int i, int degree,
                         double *out) {
  const tr_radau *m = s->memory;
  double node[RADAU_LAMS], w[RADAU_LAMS], end = 0;
  int nc = s->sys->nc;
  if (degree == 0) {
    lagrange(STAGES, c, 1 + c[i] * h / m->lengths[0], w);
    for (int j = 0; j < nc; j++)
      out[j] = w[0] * m->lams[0][0][j] + w[1] * m->lams[0][1][j] + w[2] * m->lams[0][2][j];
    return;
  }
  for (int k = 0; k <= degree; k++) end -= m->lengths[k], node[k] = end + c[i] * m->lengths[k];
  lagrange(degree + 1, node, c[i] * h, w);
  for (int j = 0; j < nc; j++) out[j] = w[0] * m->lams[0][i][j];
  for (int k = 1; k <= degree; k++)
    for (int j = 0; j < nc; j++) out[j] += w[k] * m->lams[k][i][j];
}

// z and lam of the stages from those of the last steps.
static void continue_last(const tr_step *s, const double *c, double h) {
  const tr_radau *m = s->memory;
  double f = pow(h / m->last_h, 4);
  for (int i = 0; i < STAGES; i++) {
    double x = 1 + c[i] * h / m->last_h;
    if (m->degree > 0) {
      through_ends(m, s->sys->nv, m->degree, c[i] * h, m->z[i]);
      for (int j = 0; i < STAGES - 1 && j < s->sys->nv; j++) m->z[i][j] += f * m->defect[i][j];
    } else {
      through_stages(m, s->sys->nv, c, x, m->z[i]);
    }
    continue_lam(s, c, h, i, m->degree_lam, m->lam[i]);
  }
}

static int best_degree_lam(const tr_step *s, const double *c) {
  const tr_radau *m = s->memory;
  double lowest = INFINITY;
  int best = 0;
  for (int degree = 0; degree < m->ends && degree < RADAU_LAMS; degree++) {
    double off = 0;
    for (int i = 0; i < STAGES; i++) {
      continue_lam(s, c, m->h, i, degree, m->b);
      for (int j = 0; j < s->sys->nc; j++) off = fmax(off, fabs(m->b[j] - m->lam[i][j]));
    }
    if (off < lowest) lowest = off, best = degree;
  }
  return best;
}

// What would have led nearest to the end of the step just taken: the degree of a polynomial through the ends of earlier
// steps, or 0 for that of the last step.
static int best_degree(const tr_step *s, const double *c) {
  const tr_radau *m = s->memory;
  const double *got = m->z[STAGES - 1];
  double *out = m->defect[STAGES - 1], lowest = INFINITY;
  int best = 0, nv = s->sys->nv;
  if (m->ends == 0) return 0;
  for (int degree = 0; degree <= m->ends; degree = degree ? degree + 1 : STAGES) {
    double off = 0;
    if (degree > 0)
      through_ends(m, nv, degree, m->h, out);
    else
      through_stages(m, nv, c, 1 + m->h / m->last_h, out);
    for (int j = 0; j < nv; j++) off = fmax(off, fabs(out[j] - got[j]));
    if (off < lowest) lowest = off, best = degree;
  }
  return best;
}

// The step joins the ends.
static void remember_end(tr_step *s) {
  tr_radau *m = s->memory;
  double c[STAGES], *gain = m->gains[RADAU_PAST - 1];
  const double *z = m->z[STAGES - 1];
  int nv = s->sys->nv;
  tr_radau_nodes(c);
  // fixed steps go down to round-off, where noise would be extrapolated
  m->degree = s->allowed > 0 ? best_degree(s, c) : 0;
  m->degree_lam = s->allowed > 0 ? best_degree_lam(s, c) : 0;
  memmove(m->gains + 1, m->gains, (RADAU_PAST - 1) * sizeof *m->gains);
  memmove(m->lengths + 1, m->lengths, (RADAU_PAST - 1) * sizeof *m->lengths);
  m->gains[0] = gain, m->lengths[0] = m->h;
  memcpy(gain, z, (size_t)nv * sizeof *gain);
  if (m->ends < RADAU_PAST) m->ends++;
  for (int i = 0; m->degree > 0 && i < STAGES - 1; i++) {
    through_ends(m, nv, m->degree, (c[i] - 1) * m->h, m->defect[i]);
    for (int j = 0; j < nv; j++) m->defect[i][j] = m->z[i][j] - z[j] - m->defect[i][j];
  }
}

// u = h A u'(u, v), by substitution.
static void integrate(const tr_step *s, const tr_state *x0, double h) {
  const tr_radau *m = s->memory;
  double A[STAGES][STAGES];
  int nv = s->sys->nv;
  tr_radau_weights(A);
  for (int i = 0; i < STAGES; i++) memset(m->u[i], 0, (size_t)nv * sizeof *m->u[i]);
  for (int sweep = 0; sweep < (s->sys->flat ? 1 : 3); sweep++) {
    for (int i = 0; i < STAGES; i++) {
      for (int j = 0; j < nv; j++) m->v[j] = x0->v[j] + m->z[i][j];
      tr_increment_rate_shared(s->work, m->u[i], m->v, m->U[i]);
    }
    for (int i = 0; i < STAGES; i++)
      for (int j = 0; j < nv; j++)
        m->u[i][j] = h * (A[i][0] * m->U[0][j] + A[i][1] * m->U[1][j] + A[i][2] * m->U[2][j]);
  }
}

static void predict(tr_step *s, const tr_state *x0, double h) {
  tr_radau *m = s->memory;
  size_t nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc;
  double c[STAGES];
  tr_radau_nodes(c);
  if (s->aim) { // the same increments
    double f = s->aim_h / h;
    for (int i = 0; i < STAGES; i++)
      for (size_t j = 0; j < nv; j++) m->z[i][j] = f * (x0->v[j] + m->z[i][j]) - x0->v[j];
  } else if (m->last_h > 0 && !s->calm && !s->afresh) {
    continue_last(s, c, h);
  } else {
    for (int i = 0; i < STAGES; i++) {
      for (size_t j = 0; j < nv; j++) m->z[i][j] = s->calm ? 0 : c[i] * h * x0->a[j];
      for (size_t j = 0; j < nc; j++) m->lam[i][j] = s->calm ? 0 : x0->lam[j];
    }
  }
  for (int i = 0; i < STAGES; i++) memset(m->mu[i], 0, nc * sizeof *m->mu[i]);
  integrate(s, x0, h);
}

// ---- the step -------------------------------------------------------------------------------------

static tr_status begin(tr_step *s, const tr_state *x) {
  (void)x;
  tr_radau *m = s->memory;
  m->last_h = 0;
  m->ends = 0;
  m->sure_steps = 0;
  m->failed_h = 0;
  return TR_OK;
}

static void rows(tr_step *s, const tr_state *x) {
  (void)x;
  tr_radau *m = s->memory;
  m->last_h = 0;
  m->ends = 0;
}

// The fast iteration; when it fails the sure one, which then keeps the lead for some steps, and is not given up early. In
// large systems its matrices cost as much as many a step of the other: under step control a shorter one is tried before.
static tr_status solve(tr_step *s, const tr_state *x0, double h) {
  tr_radau *m = s->memory;
  if (m->sure_steps == 0) {
    predict(s, x0, h);
    tr_status status = tr_radau_solve(s, x0, h);
    if (status <= TR_OK || s->settings.fixed_iterations > 0) return status;
    bool large = s->allowed > 0 && s->sys->nv + s->sys->nc > LARGE;
    m->failed_h = fmax(m->failed_h, h);
    if (large && h > SHORTER * m->failed_h) return status;
    m->sure_steps = large ? 1 : SURE_STEPS;
  }
  m->sure_steps--;
  predict(s, x0, h);
  return tr_radau_solve_each(s, x0, h);
}

static tr_status advance(tr_step *s, const tr_state *x0, double h, tr_state *x1) {
  tr_radau *m = s->memory;
  size_t nv = (size_t)s->sys->nv, nc = (size_t)s->sys->nc, nmem = (size_t)s->sys->nmem;
  double B[STAGES][STAGES];
  const int end = STAGES - 1;
  m->h = h;
  x1->t = x0->t + h;
  memcpy(x1->mem, x0->mem, nmem * sizeof *x1->mem);
  tr_status status = solve(s, x0, h);
  tr_radau_inverse(B);
  for (size_t j = 0; j < nv; j++) {
    s->d[j] = m->u[end][j];
    x1->v[j] = x0->v[j] + m->z[end][j];
    x1->a[j] = (B[end][0] * m->z[0][j] + B[end][1] * m->z[1][j] + B[end][2] * m->z[2][j]) / h;
  }
  memcpy(x1->lam, m->lam[end], nc * sizeof *x1->lam);
  tr_retract_shared(s->work, x0->q, s->d, x1->q);
  return status;
}

static void accept(tr_step *s, const tr_state *x0, const tr_state *x1) {
  (void)x0, (void)x1;
  tr_radau *m = s->memory;
  remember_end(s);
  m->last_h = m->h;
  m->failed_h = 0;
  for (int i = 0; i < STAGES; i++) {
    double *z = m->last_z[i], *lam = m->lams[RADAU_LAMS - 1][i];
    m->last_z[i] = m->z[i], m->z[i] = z;
    for (int k = RADAU_LAMS - 1; k > 0; k--) m->lams[k][i] = m->lams[k - 1][i];
    m->lams[0][i] = m->lam[i], m->lam[i] = lam;
  }
}

// y += f D x on the velocities, D = -h0 Q_v
static void add_damping(const tr_step *s, double f, const double *x, double *y) {
  const tr_radau *m = s->memory;
  const tr_pattern *p = &s->sys->pattern;
  for (int j = 0; j < s->sys->nv; j++)
    for (int k = p->column[j]; k < p->column[j + 1] && p->row[k] < s->sys->nv; k++)
      y[p->row[k]] += f * m->D[k] * x[j];
}

// A contact that opens within the step is stiff no longer where it counts.
static tr_kkt *answers(tr_step *s) {
  return ((const tr_radau *)s->memory)->mixed ? &s->projection : tr_radau_filter(s);
}

// What constraints that move with time are open by in the middle of the step, on the polynomial of degree 5 through its
// ends that stands for the motion there (dense output): the stages hold them and tell nothing. Mean square.
static double open_between(tr_step *s, const tr_state *x0, double h, const tr_state *x1) {
  const tr_system *sys = s->sys;
  tr_radau *m = s->memory;
  int nv = sys->nv;
  double *u = s->work->y, *rate = m->U[0], *bend = m->U[1], *phi = s->lam, sum = 0;
  tr_increment_rate(sys, s->d, x1->v, rate);
  tr_increment_bend(sys, &(tr_increment_end){s->d, rate, x1->v, x1->a}, h, m->b, bend);
  for (int j = 0; j < nv; j++)
    u[j] = 0.5 * s->d[j] + h * 5 / 32 * (x0->v[j] - rate[j]) + h * h / 64 * (x0->a[j] + bend[j]);
  tr_retract(sys, x0->q, u, m->q);
  tr_kinematics(s->work, x0->t + 0.5 * h, m->q, x0->v, x0->mem, TR_AT_POSITION);
  tr_forces(s->work, NULL, NULL, phi);
  tr_clear_velocity_rows(sys, phi);
  for (int i = 0; i < sys->nc; i++) sum += phi[i] * phi[i];
  return sum / nv;
}

// b (nc) in rows of velocities, for E_u; x (nv + nc): room. After tr_kinematics.
static tr_status rows_of_velocities(tr_step *s, const double *M, const double *Eu, double *x,
                                    double *b) {
  const tr_system *sys = s->sys;
  int nv = sys->nv, nc = sys->nc;
  tr_velocity_rows_times(s->work, Eu, b);
  if (sys->nnumber == 0) return TR_OK;
  tr_mass_times_shared(s->work, M, Eu, x);
  memcpy(x + nv, b, (size_t)nc * sizeof *x);
  TR_TRY(tr_kkt_solve(&s->projection, 1, x));
  for (int j = 0; j < nv; j++)
    if (sys->number[j]) x[j] = Eu[j];
  tr_velocity_rows_times(s->work, x, b);
  return TR_OK;
}

static double error(tr_step *s, const tr_state *x0, double h, const tr_state *x1, bool velocity,
                    int *worst) {
  tr_radau *m = s->memory;
  const double g = tr_radau_real(), w = g * h;
  const double e[STAGES] = {-g * (13 + 7 * sqrt(6)) / 3, -g * (13 - 7 * sqrt(6)) / 3, -g / 3};
  int nv = s->sys->nv, nc = s->sys->nc;
  double *Eu = m->v, *sum = s->work->y, *eu = m->b, *ev = m->b + nv + nc, most = 0;
  // nothing is free to move: what the filter would leave is nothing either
  int held = nc - tr_idle_rows(s->sys, x0->mem, NULL);
  bool driven = held - tr_held_velocity_rows(s->sys, x0->mem) >= nv;
  double open = s->sys->rheonomic && !driven ? open_between(s, x0, h, x1) : 0;
  for (int j = 0; j < nv; j++) {
    double Ev = w * x0->a[j] + e[0] * m->z[0][j] + e[1] * m->z[1][j] + e[2] * m->z[2][j];
    Eu[j] = w * x0->v[j] + e[0] * m->u[0][j] + e[1] * m->u[1][j] + e[2] * m->u[2][j];
    sum[j] = Eu[j] + w * Ev;
  }
  tr_mass_times_shared(s->work, m->M, sum, eu);
  if (!m->plain) add_damping(s, g * h / m->h0, Eu, eu);
  memset(eu + nv, 0, (size_t)nc * sizeof *eu);
  if (s->sys->nvelocity > 0) {
    tr_kinematics(s->work, x1->t, x1->q, x1->v, x1->mem, TR_AT_VELOCITY);
    if (rows_of_velocities(s, m->M, Eu, ev, eu + nv) != TR_OK) return INFINITY;
  }
  if (tr_kkt_solve(answers(s), 1, eu) != TR_OK) return INFINITY;
  double size = tr_error_square(s, driven ? Eu : eu, s->scale_q, worst, &most);
  size = fmax(size, open);
  if (!velocity) return sqrt(size);
  for (int j = 0; j < nv; j++) sum[j] = (eu[j] - Eu[j]) / w;
  tr_mass_times_shared(s->work, m->M, sum, ev);
  memset(ev + nv, 0, (size_t)nc * sizeof *ev);
  if (s->sys->nvelocity > 0) tr_velocity_rows_times(s->work, sum, ev + nv);
  if (tr_kkt_solve(&s->projection, 1, ev) != TR_OK) return INFINITY;
  tr_forget_numbers(s->sys, ev);
  return sqrt(fmax(size, tr_error_square(s, ev, s->scale_v, worst, &most)));
}

static int order(const void *par) {
  (void)par;
  return 3;
}

const tr_method tr_method_radau5 = {
    .info = {.name = "radau5",
             .doc = "Radau IIA of order 5, stabilised index 2",
             .levels = "position and velocity",
             .order_q = 5,
             .order_v = 5,
             .order_lam = 5,
             .damping = "all that the step does not resolve",
             .cost = "one real and one complex KKT system, and the projection three times",
             .reference = "HW96"},
    .recompute = true,
    .uneven = true,
    .guesses = true,
    .sets = 2 * STAGES,
    .prepare = prepare,
    .release = release,
    .begin = begin,
    .rows = rows,
    .advance = advance,
    .accept = accept,
    .error = error,
    .order = order,
    .answers = answers,
};
