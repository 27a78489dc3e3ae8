// SPDX-License-Identifier: Apache-2.0
// Simbody: joint coordinates along a tree, loops closed by constraints, an explicit Runge-Kutta method
// under error control.
//   simbody PROBLEM N ACCURACY [integrator=merson|feldberg|rk3|cpodes]
// Uprights and rods turn on pins, the rods of CHAIN on ball joints. A loop in the plane is closed by two
// equations (a point on a line across the plane), the slider by one (a point in a plane).
#include <Simbody.h>

#include <memory>
#include <string>
#include <vector>

#include "../bench.h"

using namespace SimTK;

namespace {

struct model {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::vector<MobilizedBody> body;
  std::vector<double> angle, rate; // of the pins, by body
  int seen = 0;
  Vec3 point;
  bool turned = false; // the first angle is observed instead
};

const double QUARTER = std::acos(0.0);

// A rod along x with the moments of inertia of its length.
Body::Rigid rod(double m, double Jx, double J) {
  return Body::Rigid(MassProperties(m, Vec3(0), Inertia(Jx, J, J)));
}

MobilizedBody pin(model &m, const MobilizedBody &parent, const Vec3 &at, const Body &body,
                  const Vec3 &own, double angle, double rate) {
  MobilizedBody::Pin p(const_cast<MobilizedBody &>(parent), Transform(at), body, Transform(own));
  m.body.push_back(p), m.angle.push_back(angle), m.rate.push_back(rate);
  return p;
}

void close(model &, MobilizedBody a, const Vec3 &at, MobilizedBody b, const Vec3 &own) {
  Constraint::PointOnLine(a, UnitVec3(ZAxis), at, b, own);
}

void gravity(model &m, const Vec3 &g) { Force::UniformGravity(m.forces, m.matter, g); }

void four_bars(model &m, int n) {
  gravity(m, Vec3(0, -9.81, 0));
  Body::Rigid bar = rod(1, 1e-4, 1.0 / 12);
  std::vector<MobilizedBody> upright, coupler;
  for (int i = 0; i <= n; i++)
    upright.push_back(pin(m, m.matter.Ground(), Vec3(i, 0, 0), bar, Vec3(-0.5, 0, 0), QUARTER, -1));
  for (int i = 0; i < n; i++) {
    coupler.push_back(pin(m, upright[i], Vec3(0.5, 0, 0), bar, Vec3(-0.5, 0, 0), -QUARTER, 1));
    close(m, upright[i + 1], Vec3(0.5, 0, 0), coupler[i], Vec3(0.5, 0, 0));
  }
  m.point = Vec3(0.5, 0, 0);
}

void chain(model &m, int n) {
  const double L = 0.1, w = 0.02, mass = 0.1;
  gravity(m, Vec3(0, 0, -9.81));
  Body::Rigid bar = rod(mass, mass * w * w / 6, mass * (L * L + w * w) / 12);
  MobilizedBody last = m.matter.Ground();
  for (int i = 0; i < n; i++) {
    MobilizedBody::Ball b(last, Transform(Vec3(i ? L / 2 : 0, 0, 0)), bar,
                          Transform(Vec3(-L / 2, 0, 0)));
    m.body.push_back(b);
    last = b;
  }
  m.seen = n - 1, m.point = Vec3(L / 2, 0, 0);
}

void slider(model &m) {
  gravity(m, Vec3(0, -9.81, 0));
  MobilizedBody crank =
      pin(m, m.matter.Ground(), Vec3(0), rod(3, 1e-4, 3 * 0.09 / 12), Vec3(-0.15, 0, 0), 0, 0);
  MobilizedBody arm =
      pin(m, crank, Vec3(0.15, 0, 0), rod(0.9, 1e-4, 0.9 * 0.36 / 12), Vec3(-0.3, 0, 0), 0, 0);
  Constraint::PointInPlane(m.matter.Ground(), UnitVec3(YAxis), 0, arm, Vec3(0.3, 0, 0));
  m.turned = true;
}

// A body of the seven: mass, moment about its centre, centre.
Body::Rigid plate(double m, double J, double x, double y) {
  Vec3 c(x, y, 0);
  Inertia central(J, J, J);
  return Body::Rigid(MassProperties(m, c, central.shiftFromMassCenter(c, m)));
}

// Each body's frame sits at its first pin, as in models/seven_body.yaml.
void andrews(model &m) {
  const double b = -0.0617138900142764496, t = 0, g = 0.455279819163070380,
               f = 0.222668390165885885, d = 0.487364979543842550, w = -0.222668390165885885,
               e = 1.23054744454982119, rr = 0.007, dd = 0.028, ss = 0.035, zt = 0.04, zf = 0.02,
               u = 0.04, ee = 0.02;
  const Vec3 A(-0.06934, -0.00227, 0), B(-0.03635, 0.03273, 0), C(0.014, 0.072, 0), O(0);
  MobilizedBody ground = m.matter.Ground();
  MobilizedBody k1 = pin(m, ground, O, plate(0.04325, 2.194e-6, 0.00092, 0), O, b, 0);
  MobilizedBody k2 = pin(m, k1, Vec3(rr, 0, 0), plate(0.00365, 4.410e-7, -0.0115, 0), O, t, 0);
  MobilizedBody k3 = pin(m, ground, B, plate(0.02373, 5.255e-6, 0.01043, -0.01874), O, g, 0);
  MobilizedBody k5 = pin(m, ground, A, plate(0.07050, 1.169e-5, 0.02308, 0.00916), O, d, 0);
  MobilizedBody k4 = pin(m, k5, Vec3(zt, 0, 0), plate(0.00706, 5.667e-7, 0, 0.01421 - ee), O, f, 0);
  MobilizedBody k7 = pin(m, ground, A, plate(0.05498, 1.912e-5, 0.00449, -0.01228), O, e, 0);
  MobilizedBody k6 = pin(m, k7, Vec3(0, -u, 0), plate(0.00706, 5.667e-7, zf - 0.01421, 0), O, w, 0);
  const Vec3 P(-dd, 0, 0);
  close(m, k2, P, k3, Vec3(0, -ss, 0));
  close(m, k2, P, k4, Vec3(0, -ee, 0));
  close(m, k2, P, k6, Vec3(zf, 0, 0));
  Force::TwoPointLinearSpring(m.forces, ground, C, k3, Vec3(0.02, -0.018, 0), 4530, 0.07785);
  Force::ConstantTorque(m.forces, k1, Vec3(0, 0, 0.033));
  m.turned = true;
}

struct settings {
  double accuracy;
  std::string integrator;
};

std::unique_ptr<Integrator> integrator(const model &m, const std::string &name) {
  if (name == "feldberg")
    return std::unique_ptr<Integrator>(new RungeKuttaFeldbergIntegrator(m.system));
  if (name == "rk3") return std::unique_ptr<Integrator>(new RungeKutta3Integrator(m.system));
  if (name == "cpodes") return std::unique_ptr<Integrator>(new CPodesIntegrator(m.system));
  return std::unique_ptr<Integrator>(new RungeKuttaMersonIntegrator(m.system));
}

void simulate(model &m, bench_result *r, const settings &o, double before) {
  State s = m.system.realizeTopology();
  for (size_t i = 0; i < m.angle.size(); i++) {
    m.body[i].setOneQ(s, 0, m.angle[i]);
    m.body[i].setOneU(s, 0, m.rate[i]);
  }
  m.system.realize(s, Stage::Dynamics);
  double energy = m.system.calcEnergy(s);
  std::unique_ptr<Integrator> method = integrator(m, o.integrator);
  method->setAccuracy(o.accuracy);
  TimeStepper stepper(m.system, *method);
  stepper.initialize(s);
  double start = bench_cpu();
  r->setup_s = start - before;
  stepper.stepTo(bench_end(r->problem));
  r->cpu_s = bench_cpu() - start;
  r->steps = method->getNumStepsTaken();
  const State &x = stepper.getState();
  m.system.realize(x, Stage::Dynamics);
  r->energy = r->problem == ANDREWS ? NAN : std::fabs(m.system.calcEnergy(x) - energy);
  Vec3 at, v;
  m.body[m.seen].findStationLocationAndVelocityInGround(x, m.point, at, v);
  if (m.turned) at = Vec3(m.body[0].getOneQ(x, 0), 0, 0), v = Vec3(m.body[0].getOneU(x, 0), 0, 0);
  for (int i = 0; i < 3; i++) r->x[i] = at[i], r->v[i] = v[i];
  if (r->problem == CHAIN) r->v[0] = NAN;
}

void run(bench_result *r, const void *data) {
  const settings &o = *static_cast<const settings *>(data);
  double before = bench_cpu();
  r->words = nullptr;
  try {
    model m;
    switch (r->problem) {
      case A02: four_bars(m, r->n); break;
      case CHAIN: chain(m, r->n); break;
      case SLIDER: slider(m); break;
      default: andrews(m); break;
    }
    simulate(m, r, o, before);
  } catch (const std::exception &e) {
    r->words = bench_words(e.what());
  }
}

} // namespace

int main(int argc, char **argv) {
  bench_problem problem = argc > 3 ? bench_find(argv[1]) : BENCH_PROBLEMS;
  if (problem == BENCH_PROBLEMS) {
    std::fprintf(stderr, "simbody a02|chain|slider|andrews N ACCURACY [integrator=NAME]\n");
    return 2;
  }
  settings o = {std::atof(argv[3]), "merson"};
  if (argc > 4 && !std::strncmp(argv[4], "integrator=", 11)) o.integrator = argv[4] + 11;
  bench_result r = {};
  r.engine = "simbody", r.method = o.integrator.c_str(), r.problem = problem;
  r.n = std::atoi(argv[2]), r.setting = o.accuracy;
  bench_repeat(&r, run, &o);
  return bench_print(&r);
}
