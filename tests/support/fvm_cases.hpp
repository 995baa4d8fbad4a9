#pragma once

#include <cmath>
#include <memory>
#include <string>

#include <cauchy/files/problem_file.hpp>

#include "solvers/fvm/fvm_solver.hpp"

// Balance laws as texts, and what tests of finite volumes do with them.

namespace cauchy::testing {

inline std::shared_ptr<const Problem> problem_of(const std::string& text) {
  return std::make_shared<const Problem>(parse_problem_file(text, "test", ".").problem);
}

/// u_t + c u_x = 0 around (0, 1).
inline std::string advection_text(const std::string& start = "1 + 0.5*sin(2*pi*x)") {
  return "name = 'advection'\nfields = ['u']\n[domain]\ntime = { t = [0, 1] }\n"
         "space = { x = [0, 1] }\n[[equation]]\nform = 'u_t + u_x = 0'\n"
         "[[condition]]\nwhere = 't = 0'\nform = 'u = " +
         start + "'\n[[condition]]\nperiodic = 'x'\n";
}

/// One equation of u in t from 0 to `end`, x from lower to upper.
inline std::string scalar_text(const std::string& equation, const std::string& start, double lower,
                               double upper, double end, const std::string& boundary) {
  return "name = 'scalar'\nfields = ['u']\n[domain]\ntime = { t = [0, " + std::to_string(end) +
         "] }\nspace = { x = [" + std::to_string(lower) + ", " + std::to_string(upper) +
         "] }\n[[equation]]\nform = '" + equation +
         "'\n[[condition]]\nwhere = 't = 0'\nform = 'u = " + start + "'\n" + boundary;
}

/// A gas in one dimension with density, velocity and pressure as fields.
inline std::string gas_text(const std::string& rho, const std::string& u, const std::string& p,
                            const std::string& sides, double end) {
  return "name = 'gas'\nfields = ['rho', 'u', 'p']\n[domain]\ntime = { t = [0, " +
         std::to_string(end) +
         "] }\nspace = { x = [0, 1] }\n[parameters]\ngamma = 1.4\n[definitions]\n"
         "E = 'p/(gamma - 1) + rho*u^2/2'\n"
         "[[equation]]\nform = 'rho_t + d(rho*u, x) = 0'\n"
         "[[equation]]\nform = 'd(rho*u, t) + d(rho*u^2 + p, x) = 0'\n"
         "[[equation]]\nform = 'd(E, t) + d((E + p)*u, x) = 0'\n"
         "[[condition]]\nwhere = 't = 0'\nform = 'rho = " +
         rho + "'\n[[condition]]\nwhere = 't = 0'\nform = 'u = " + u +
         "'\n[[condition]]\nwhere = 't = 0'\nform = 'p = " + p + "'\n" + sides;
}

/// A gas in two dimensions; `conserved`: density, momenta and energy are the fields.
inline std::string plane_gas_text(bool conserved, const std::string& sides,
                                  const std::string& region = "space = { x = [0, 1], y = [0, 1] }",
                                  const std::string& end = "0.1") {
  std::string text = "name = 'plane_gas'\n[domain]\ntime = { t = [0, " + end + "] }\n" + region +
                     "\n[parameters]\ngamma = 1.4\n";
  const std::string rho = "1 + 0.2*sin(2*pi*x)*cos(2*pi*y)", u = "0.3 + 0.2*sin(2*pi*y)",
                    v = "-0.1 + 0.2*cos(2*pi*x)", p = "1 + 0.1*cos(2*pi*(x + y))";
  const auto start = [](const std::string& form) {
    return "[[condition]]\nwhere = 't = 0'\nform = '" + form + "'\n";
  };
  if (conserved) {
    text = "fields = ['r', 'm', 'k', 'E']\n" + text +
           "[definitions]\np = '(gamma - 1)*(E - (m^2 + k^2)/(2*r))'\n"
           "[[equation]]\nform = 'r_t + div([m, k]) = 0'\n"
           "[[equation]]\nform = 'm_t + div([m^2/r + p, m*k/r]) = 0'\n"
           "[[equation]]\nform = 'k_t + div([m*k/r, k^2/r + p]) = 0'\n"
           "[[equation]]\nform = 'E_t + div([(E + p)*m/r, (E + p)*k/r]) = 0'\n" +
           start("r = " + rho) + start("m = r*(" + u + ")") + start("k = r*(" + v + ")") +
           start("E = (" + p + ")/(gamma - 1) + (m^2 + k^2)/(2*r)");
  } else {
    text = "fields = ['rho', 'u', 'v', 'p']\n" + text +
           "[definitions]\nE = 'p/(gamma - 1) + rho*(u^2 + v^2)/2'\n"
           "[[equation]]\nform = 'rho_t + div([rho*u, rho*v]) = 0'\n"
           "[[equation]]\nform = 'd(rho*u, t) + div([rho*u^2 + p, rho*u*v]) = 0'\n"
           "[[equation]]\nform = 'd(rho*v, t) + div([rho*u*v, rho*v^2 + p]) = 0'\n"
           "[[equation]]\nform = 'd(E, t) + div([(E + p)*u, (E + p)*v]) = 0'\n" +
           start("rho = " + rho) + start("u = " + u) + start("v = " + v) + start("p = " + p);
  }
  return text + sides;
}

inline const std::string periodic_sides =
    "[[condition]]\nperiodic = 'x'\n[[condition]]\nperiodic = 'y'\n";

/// A solver on n cells along the longest side, driven by hand.
struct FvmRun {
  FvmRun(const std::string& text, Fvm options, std::size_t n, int threads = 1, bool fast = true)
      : problem(problem_of(text)),
        solver(problem, options, threads),
        mesh(solver.mesh(n)),
        lower(*problem),
        balance(problem, lower, solver.law(), solver.gas(), mesh, solver.scheme(), threads),
        cfl(options.cfl),
        q(balance.initial()) {
    if (fast) {
      stepper = detail::make_euler_stepper(balance, solver.law(), solver.gas(), mesh,
                                           solver.scheme(), solver.time(), threads);
      is_fast = stepper != nullptr;
    }
    if (!stepper) stepper = detail::make_stepper(balance, solver.time());
    t = problem->domain->time()->lower;
  }
  /// The sum of a conserved quantity over the cells.
  [[nodiscard]] double total(std::size_t k) const {
    double sum = 0;
    for (std::size_t c = 0; c < mesh.n_cells; ++c) sum += q[k][c] * mesh.volume[c];
    return sum;
  }
  void step() {
    const double dt = cfl * stepper->largest_step(t, q);
    stepper->step(t, dt, q);
    t += dt;
  }
  void run_to(double end) {
    double largest = cfl * stepper->largest_step(t, q);
    while (t < end) {
      if (!(largest > 0)) {
        t = std::nan("");
        return;
      }
      const double count = std::max(1.0, std::ceil((end - t) / largest - 1e-9));
      const double dt = (end - t) / count;
      largest = cfl * stepper->step(t, dt, q);
      t = count == 1 ? end : t + dt;
    }
  }
  /// Mean modulus of the difference of a field to a function of the centre.
  template <class F>
  double error(std::size_t k, const F& exact) {
    detail::Rows w;
    balance.fields(q, w);
    double sum = 0;
    for (std::size_t c = 0; c < mesh.n_cells; ++c) {
      const double y = mesh.dimension == 2 ? mesh.centre[1][c] : 0;
      sum += std::abs(w[k][c] - exact(mesh.centre[0][c], y)) * mesh.volume[c];
    }
    return sum / mesh.total_volume();
  }

  std::shared_ptr<const Problem> problem;
  detail::FvmSolver solver;
  detail::FvmMesh mesh;
  detail::Lowering lower;
  detail::FvmOperator balance;
  double cfl, t = 0;
  detail::Rows q;
  std::unique_ptr<detail::FvmStepper> stepper;
  bool is_fast = false;
};

}  // namespace cauchy::testing
