#include <gtest/gtest.h>

#include <cauchy/problem/exact_solutions.hpp>

#include "support/fvm_cases.hpp"

namespace cauchy::test_fvm {
namespace {

using namespace testing;  // NOLINT: texts and runs

/// Mean modulus of the difference to the first state after whole turns.
double turn_error(const std::string& text, const Fvm& options, std::size_t n) {
  FvmRun run(text, options, n);
  const std::vector<double> start = run.q[0];
  run.run_to(1);
  double sum = 0;
  for (std::size_t c = 0; c < start.size(); ++c) {
    sum += std::abs(run.q[0][c] - start[c]) * run.mesh.volume[c];
  }
  return sum / run.mesh.total_volume();
}

double observed(const std::string& text, const Fvm& options, std::size_t n) {
  return std::log2(turn_error(text, options, n) / turn_error(text, options, 2 * n));
}

TEST(FvmOrder, IsOneWithoutAndTwoWithSlopesOnASine) {
  Fvm options;
  options.reconstruction = FvmReconstruction::first;
  EXPECT_NEAR(observed(advection_text(), options, 400), 1, 0.1);
  for (const FvmReconstruction how : {FvmReconstruction::muscl, FvmReconstruction::muscl_hancock}) {
    options.reconstruction = how;
    options.limiter = FvmLimiter::none;
    EXPECT_NEAR(observed(advection_text(), options, 80), 2, 0.1);
    // Extrema are cut, less and less of them: two is reached from above.
    options.limiter = FvmLimiter::van_leer;
    EXPECT_GT(observed(advection_text(), options, 160), 1.9);
  }
}

TEST(FvmOrder, IsThatOfTheStepsInTime) {
  const std::string text = scalar_text("u_t = -u", "1", 0, 1, 1, "[[condition]]\nperiodic = 'x'\n");
  const auto error = [&](FvmTime time, int steps) {
    Fvm options;
    options.time = time;
    FvmRun run(text, options, 4);
    for (int i = 0; i < steps; ++i) (void)run.stepper->step(0, 1.0 / steps, run.q);
    return std::abs(run.q[0][0] - std::exp(-1.0));
  };
  const std::pair<FvmTime, double> all[] = {
      {FvmTime::euler, 1}, {FvmTime::ssprk2, 2}, {FvmTime::ssprk3, 3}};
  for (const auto& [time, order] : all) {
    EXPECT_NEAR(std::log2(error(time, 40) / error(time, 80)), order, 0.1);
  }
}

TEST(FvmOrder, IsTwoForViscousBurgers) {
  const std::string text = scalar_text("u_t + u*u_x = 0.1*u_xx", "-sin(pi*x)", -1, 1, 0.3,
                                       "[[condition]]\nwhere = 'boundary'\nform = 'u = 0'\n");
  double last = 0, order = 0;
  for (const std::size_t n : {40, 80}) {
    Fvm options;
    options.limiter = FvmLimiter::none;
    FvmRun run(text, options, n);
    run.run_to(0.3);
    const double error =
        run.error(0, [](double x, double) { return burgers_cole_hopf(0.3, x, 0.1); });
    order = std::log2(last / error);
    last = error;
  }
  EXPECT_NEAR(order, 2, 0.1);
}

const std::string turning =
    "name = 'turn'\nfields = ['u']\n[domain]\ntime = { t = [0, 1] }\n"
    "space = { x = [0, 1], y = [0, 1] }\n[[equation]]\nform = 'u_t + u_x + u_y = 0'\n"
    "[[condition]]\nwhere = 't = 0'\nform = 'u = sin(2*pi*x)*cos(2*pi*y)'\n" +
    periodic_sides;

TEST(FvmOrder, IsOneAndTwoOnTriangles) {
  const auto order = [](const Fvm& options, std::size_t n) {
    double errors[2];
    for (std::size_t k = 0; k < 2; ++k) {
      FvmRun run(turning, options, n << k);
      run.run_to(0.1);
      errors[k] = run.error(0, [](double x, double y) {
        return std::sin(2 * pi * (x - 0.1)) * std::cos(2 * pi * (y - 0.1));
      });
    }
    return std::log2(errors[0] / errors[1]);
  };
  Fvm options;
  options.cells = FvmCells::triangles;
  options.reconstruction = FvmReconstruction::first;
  EXPECT_NEAR(order(options, 40), 1, 0.1);
  options.reconstruction = FvmReconstruction::muscl;
  options.limiter = FvmLimiter::none;
  EXPECT_NEAR(order(options, 24), 2, 0.1);
}

TEST(FvmOrder, IsTwoForDiffusionWithMixedDerivatives) {
  const std::string text =
      "name = 'skew'\nfields = ['u']\n[domain]\ntime = { t = [0, 0.02] }\n"
      "space = { x = [0, 1], y = [0, 1] }\n[[equation]]\n"
      "form = 'u_t = div([u_x + 0.5*u_y, 0.5*u_x + u_y])'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'u = sin(2*pi*(x + y))'\n" +
      periodic_sides;
  for (const FvmCells cells : {FvmCells::boxes, FvmCells::triangles}) {
    double errors[2];
    for (std::size_t k = 0; k < 2; ++k) {
      Fvm options;
      options.cells = cells;
      FvmRun run(text, options, 16U << k);
      run.run_to(0.01);
      errors[k] = run.error(0, [](double x, double y) {
        return std::exp(-12 * pi * pi * 0.01) * std::sin(2 * pi * (x + y));
      });
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
  }
}

TEST(FvmOrder, IsTwoWithConditionsOnValuesAndSlopes) {
  // u = 1 + exp(-t/4) cos(x/2), given on the left, by u_n + u on the right.
  const std::string text =
      scalar_text("u_t = u_xx", "1 + cos(x/2)", 0, 1, 0.2,
                  "[[condition]]\nwhere = 'left'\nform = 'u = 1 + exp(-t/4)'\n"
                  "[[condition]]\nwhere = 'right'\n"
                  "form = 'u_n + u = 1 + exp(-t/4)*(cos(0.5) - sin(0.5)/2)'\n");
  double errors[2];
  for (std::size_t k = 0; k < 2; ++k) {
    FvmRun run(text, Fvm{}, 40U << k);
    run.run_to(0.2);
    errors[k] =
        run.error(0, [](double x, double) { return 1 + std::exp(-0.05) * std::cos(x / 2); });
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
}

TEST(FvmOrder, IsTwoForASmoothGasInThePlane) {
  // A wave of density that is carried along the diagonal; sound is slow, so that the jumps at the
  // faces, of third order, do not hide the second.
  const std::string text =
      "name = 'wave'\nfields = ['rho', 'u', 'v', 'p']\n[domain]\ntime = { t = [0, 1] }\n"
      "space = { x = [0, 1], y = [0, 1] }\n[definitions]\nE = 'p/0.4 + rho*(u^2 + v^2)/2'\n"
      "[[equation]]\nform = 'rho_t + div([rho*u, rho*v]) = 0'\n"
      "[[equation]]\nform = 'd(rho*u, t) + div([rho*u^2 + p, rho*u*v]) = 0'\n"
      "[[equation]]\nform = 'd(rho*v, t) + div([rho*u*v, rho*v^2 + p]) = 0'\n"
      "[[equation]]\nform = 'd(E, t) + div([(E + p)*u, (E + p)*v]) = 0'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'rho = 1 + 0.2*sin(2*pi*(x + y))'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'u = 1'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'v = 1'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'p = 0.02'\n" +
      periodic_sides;
  Fvm options;
  options.flux = FvmFlux::rusanov;
  options.reconstruction = FvmReconstruction::muscl_hancock;
  options.limiter = FvmLimiter::none;
  options.cfl = 0.1;  // in larger steps the errors of space and time nearly cancel
  EXPECT_NEAR(observed(text, options, 32), 2, 0.1);
}

}  // namespace
}  // namespace cauchy::test_fvm
