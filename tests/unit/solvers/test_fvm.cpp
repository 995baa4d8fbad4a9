#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

#include "support/fvm_cases.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_fvm {
namespace {

using namespace testing;  // NOLINT: texts and runs

TEST(Fvm, ShiftsASineExactlyAtCflOne) {
  Fvm options;
  options.reconstruction = FvmReconstruction::first;
  options.cfl = 1;
  FvmRun run(advection_text("where(x < 0.3, 1, 0)"), options, 50);
  const std::vector<double> start = run.q[0];
  run.run_to(1);  // around once
  for (std::size_t c = 0; c < 50; ++c) EXPECT_NEAR(run.q[0][c], start[c], 1e-12);
  run.step();
  run.step();
  for (std::size_t c = 0; c < 50; ++c) EXPECT_NEAR(run.q[0][c], start[(c + 48) % 50], 1e-12);
}

TEST(Fvm, KeepsSumsToRoundingOnBoxesAndTriangles) {
  for (const FvmCells cells : {FvmCells::boxes, FvmCells::triangles}) {
    for (const FvmReconstruction how :
         {FvmReconstruction::first, FvmReconstruction::muscl, FvmReconstruction::muscl_hancock}) {
      Fvm options;
      options.cells = cells;
      options.reconstruction = how;
      FvmRun run(plane_gas_text(false, periodic_sides), options, 12);
      double before[4];
      for (std::size_t k = 0; k < 4; ++k) before[k] = run.total(k);
      for (int i = 0; i < 10; ++i) run.step();
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(run.total(k), before[k], 1e-13) << k;
      EXPECT_GT(run.t, 0.02);
    }
  }
}

TEST(Fvm, NothingFlowsThroughWallsOfADisk) {
  Fvm options;
  FvmRun run(
      plane_gas_text(false, "[[condition]]\nwhere = 'boundary'\nform = 'n_x*u + n_y*v = 0'\n",
                     "region = 'disk((0.5, 0.5), 0.5)'"),
      options, 12);
  EXPECT_NEAR(run.mesh.total_volume(), std::numbers::pi / 4, 0.02);
  const double mass = run.total(0), energy = run.total(3);
  for (int i = 0; i < 20; ++i) run.step();
  EXPECT_NEAR(run.total(0), mass, 1e-13);
  EXPECT_NEAR(run.total(3), energy, 1e-13);
}

TEST(Fvm, AGasAtRestStaysAtRestBetweenWalls) {
  const std::string walls = "[[condition]]\nwhere = 'boundary'\nform = 'n_x*u + n_y*v = 0'\n";
  std::string text = plane_gas_text(false, walls, "region = 'disk((0.5, 0.5), 0.5)'");
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
  };
  replace("0.3 + 0.2*sin(2*pi*y)", "0");
  replace("-0.1 + 0.2*cos(2*pi*x)", "0");
  replace("1 + 0.1*cos(2*pi*(x + y))", "1");
  replace("1 + 0.2*sin(2*pi*x)*cos(2*pi*y)", "1");
  FvmRun run(text, Fvm{}, 10);
  detail::Rows rate = run.q;
  run.balance.rate(0, 0, run.q, rate);
  // p times the sum of the normals of a cell, over its volume.
  for (const auto& row : rate) {
    for (const double r : row) EXPECT_LT(std::abs(r), 1e-11);
  }
}

TEST(Fvm, TakesDataWhereWavesComeInAndNoneWhereTheyLeave) {
  const std::string text = scalar_text("u_t + u_x = 0", "-sin(2*pi*x)", 0, 1, 1,
                                       "[[condition]]\nwhere = 'left'\nform = 'u = sin(2*pi*t)'\n"
                                       "[[condition]]\nwhere = 'right'\nform = 'u = 5'\n");
  FvmRun run(text, Fvm{}, 100);
  run.run_to(1.3);
  EXPECT_LT(run.error(0, [](double x, double) { return std::sin(2 * pi * (1.3 - x)); }), 0.005);
}

TEST(Fvm, FastEulerStepsAgreeWithCompiledExpressions) {
  const std::string walls = "[[condition]]\nwhere = 'boundary'\nform = 'n_x*u + n_y*v = 0'\n";
  const std::string mixed =
      "[[condition]]\nperiodic = 'x'\n[[condition]]\nwhere = 'bottom'\nform = 'v = 0'\n";
  for (const bool hancock : {false, true}) {
    for (const std::string& sides : {periodic_sides, walls, mixed}) {
      if (hancock && sides != periodic_sides) continue;
      Fvm options;
      options.flux = FvmFlux::rusanov;
      options.reconstruction =
          hancock ? FvmReconstruction::muscl_hancock : FvmReconstruction::first;
      options.limiter = FvmLimiter::none;
      FvmRun plain(plane_gas_text(false, sides), options, 37, 1, false);
      FvmRun fast(plane_gas_text(false, sides), options, 37, 2);
      ASSERT_TRUE(fast.is_fast);
      for (int i = 0; i < 4; ++i) {
        EXPECT_NEAR(fast.stepper->largest_step(fast.t, fast.q) /
                        plain.stepper->largest_step(plain.t, plain.q),
                    1, 0.2);
        const double dt = 0.4 * plain.stepper->largest_step(plain.t, plain.q);
        plain.stepper->step(plain.t, dt, plain.q);
        fast.stepper->step(fast.t, dt, fast.q);
      }
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t c = 0; c < plain.mesh.n_cells; ++c) {
          ASSERT_NEAR(plain.q[k][c], fast.q[k][c], 1e-13) << k << ' ' << c;
        }
      }
    }
  }
}

TEST(Fvm, TakesConservedAndPrimitiveFieldsToTheSameStates) {
  Fvm options;
  options.reconstruction = FvmReconstruction::first;
  FvmRun a(plane_gas_text(false, periodic_sides), options, 10);
  FvmRun b(plane_gas_text(true, periodic_sides), options, 10);
  for (int i = 0; i < 5; ++i) {
    a.step();
    b.step();
  }
  EXPECT_NEAR(a.t, b.t, 1e-14);
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t c = 0; c < 100; ++c) EXPECT_NEAR(a.q[k][c], b.q[k][c], 1e-12);
  }
}

TEST(Fvm, HasTheSameBitsForAnyNumberOfThreads) {
  for (const FvmReconstruction how : {FvmReconstruction::first, FvmReconstruction::muscl}) {
    Fvm options;
    options.flux = FvmFlux::rusanov;
    options.reconstruction = how;
    FvmRun one(plane_gas_text(false, periodic_sides), options, 70, 1);
    FvmRun three(plane_gas_text(false, periodic_sides), options, 70, 3);
    for (int i = 0; i < 3; ++i) {
      one.step();
      three.step();
    }
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(one.q[k], three.q[k]);
  }
}

double variation(const std::vector<double>& u) {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += std::abs(u[(i + 1) % u.size()] - u[i]);
  return sum;
}

TEST(Fvm, LimitersAddNoVariationAndCentralSlopesDo) {
  for (const detail::Limiter& limiter : detail::all_limiters()) {
    EXPECT_EQ(limiter.slope(2, 2), 2) << limiter.name;
    Fvm options;
    options.limiter = limiter.kind;
    FvmRun run(advection_text("where(abs(x - 0.5) < 0.2, 1, 0)"), options, 40);
    double before = variation(run.q[0]), most = 0;
    for (int i = 0; i < 40; ++i) {
      run.step();
      most = std::max(most, variation(run.q[0]) - before);
    }
    if (limiter.kind == FvmLimiter::none) {
      EXPECT_GT(most, 0.1);
    } else {
      EXPECT_LT(most, 1e-12) << limiter.name;
    }
  }
}

TEST(Fvm, SplitsATransonicRarefactionWithoutAJump) {
  const std::string text =
      scalar_text("u_t + d(u^2/2, x) = 0", "where(x < 0, -1, 1)", -1, 1, 0.5, "");
  for (const detail::NumericalFlux* flux : detail::all_numerical_fluxes()) {
    if (flux->kind == FvmFlux::hllc) continue;
    Fvm options;
    options.flux = flux->kind;
    options.reconstruction = FvmReconstruction::first;
    FvmRun run(text, options, 100);
    run.run_to(0.5);
    EXPECT_LT(run.error(0, [](double x, double) { return std::clamp(x / 0.5, -1.0, 1.0); }), 0.05)
        << flux->name;
    // An expansion shock would keep the jump from -1 to 1 in the middle.
    EXPECT_LT(std::abs(run.q[0][50] - run.q[0][49]), 0.2) << flux->name;
  }
}

TEST(Fvm, KeepsDensityAndPressurePositiveInAStrongExpansion) {
  const std::string text = gas_text("1", "where(x < 0.5, -2, 2)", "0.4", "", 0.15);
  for (const FvmFlux flux : {FvmFlux::rusanov, FvmFlux::hll, FvmFlux::hllc}) {
    Fvm options;
    options.flux = flux;
    options.limiter = FvmLimiter::minmod;
    FvmRun run(text, options, 100);
    run.run_to(0.15);
    detail::Rows w;
    run.balance.fields(run.q, w);
    for (std::size_t c = 0; c < 100; ++c) {
      EXPECT_GT(w[0][c], 0);
      EXPECT_GT(w[2][c], 0);
    }
  }
}

TEST(Fvm, FluxesAreThoseOfTheEquationWhereStatesAgreeAndTurnWithTheNormal) {
  Fvm options;
  FvmRun run(plane_gas_text(false, periodic_sides), options, 4);
  const detail::BalanceLaw& law = run.solver.law();
  const detail::GasForm* gas = &*run.solver.gas();
  ASSERT_TRUE(gas->gamma.has_value());
  EXPECT_NEAR(*gas->gamma, 1.4, 1e-12);
  // One face: density 1, velocity (0.3, -0.2), pressure 0.8 against another state.
  const auto flux_of = [&](const detail::NumericalFlux& flux, const double(&a)[4],
                           const double(&b)[4], const double(&n)[2]) {
    double q[2][4], f[2][4], least[2], largest[2], u[2], p[2], out[4];
    const double* w[2] = {a, b};
    for (int s = 0; s < 2; ++s) {
      const double r = w[s][0], vx = w[s][1], vy = w[s][2];
      p[s] = w[s][3];
      u[s] = vx * n[0] + vy * n[1];
      const double e = p[s] / 0.4 + 0.5 * r * (vx * vx + vy * vy), c = std::sqrt(1.4 * p[s] / r);
      const double states[4] = {r, r * vx, r * vy, e};
      for (int k = 0; k < 4; ++k) {
        q[s][k] = states[k];
        f[s][k] = u[s] * states[k];
      }
      f[s][1] += p[s] * n[0];
      f[s][2] += p[s] * n[1];
      f[s][3] += p[s] * u[s];
      least[s] = u[s] - c;
      largest[s] = u[s] + c;
    }
    const auto speed = [](const double*, double*) {};
    detail::FaceStates faces{.n = 1, .speed = speed};
    const double *qr[2][4], *fr[2][4], *nr[2] = {&n[0], &n[1]};
    double* to[4];
    for (int k = 0; k < 4; ++k) {
      to[k] = &out[k];
      for (int s = 0; s < 2; ++s) {
        qr[s][k] = &q[s][k];
        fr[s][k] = &f[s][k];
      }
    }
    for (int s = 0; s < 2; ++s) {
      faces.q[s] = qr[s];
      faces.f[s] = fr[s];
      faces.least[s] = &least[s];
      faces.largest[s] = &largest[s];
      faces.velocity[s] = &u[s];
      faces.pressure[s] = &p[s];
    }
    faces.normal = nr;
    flux.evaluate(law, gas, faces, to);
    return std::vector<double>(out, out + 4);
  };
  const double a[4] = {1, 0.3, -0.2, 0.8}, b[4] = {0.5, -0.4, 0.1, 1.1};
  const double n[2] = {0.6, 0.8}, back[2] = {-0.6, -0.8};
  const double un = 0.3 * 0.6 - 0.2 * 0.8, e = 0.8 / 0.4 + 0.5 * (0.09 + 0.04);
  const double exact[4] = {un, 0.3 * un + 0.6 * 0.8, -0.2 * un + 0.8 * 0.8, (e + 0.8) * un};
  for (const detail::NumericalFlux* flux : detail::all_numerical_fluxes()) {
    if (flux->kind == FvmFlux::upwind) continue;
    const auto same = flux_of(*flux, a, a, n);
    const auto there = flux_of(*flux, a, b, n), turned = flux_of(*flux, b, a, back);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(same[k], exact[k], 1e-14) << flux->name;
      EXPECT_NEAR(there[k], -turned[k], 1e-14) << flux->name;
    }
  }
  // A contact at rest stays sharp with HLLC only.
  const double heavy[4] = {2, 0, 0, 1}, light[4] = {1, 0, 0, 1}, x[2] = {1, 0};
  EXPECT_NEAR(flux_of(detail::hllc_flux, heavy, light, x)[0], 0, 1e-15);
  EXPECT_GT(flux_of(detail::hll_flux, heavy, light, x)[0], 0.1);
}

TEST(Fvm, SolvesAndLoadsThroughTheTableOfMethods) {
  Problem p = *problem_of(scalar_text("u_t + u*u_x = 0.1*u_xx", "-sin(pi*x)", -1, 1, 0.3,
                                      "[[condition]]\nwhere = 'boundary'\nform = 'u = 0'\n"));
  p.reference.exact = "burgers_cole_hopf";
  p.reference.parameters["nu"] = Expr(0.1);
  p.tolerance = 5e-3;
  const Solution s = solve(p, Fvm{.n = 64});
  EXPECT_LT(s.error.relative_l2(), 5e-3);
  const TemporaryFolder folder;
  save_solution(folder.path() / "answer", s);
  const Solution again = load_solution(folder.path() / "answer", p, Fvm{.n = 64});
  EXPECT_EQ(again("u", {0.2, 0.3}), s("u", {0.2, 0.3}));
  EXPECT_NE(s.method.find("fvm, 64 cells, upwind, muscl (van_leer)"), std::string::npos)
      << s.method;
}

TEST(Fvm, AnswersAnywhereInADiskOfTriangles) {
  Problem p = *problem_of(
      "name = 'disk'\nfields = ['u']\n[domain]\ntime = { t = [0, 0.05] }\n"
      "region = 'disk((0.5, 0.5), 0.5)'\n[[equation]]\nform = 'u_t = laplacian(u)'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'u = cos(x + y)'\n"
      "[[condition]]\nwhere = 'boundary'\nform = 'u = exp(-2*t)*cos(x + y)'\n"
      "[reference]\nu = 'exp(-2*t)*cos(x + y)'\n");
  const double coarse = solve(p, Fvm{.n = 8}).error.relative_l2();
  const double fine = solve(p, Fvm{.n = 16}).error.relative_l2();
  EXPECT_LT(fine, 4e-3);
  EXPECT_LT(fine, 0.5 * coarse);
}

TEST(Fvm, RefusesWhatIsNoBalanceLawWithAReason) {
  const auto refused = [](const std::string& equation) {
    return message_of([&] {
      (void)prepare(*problem_of(scalar_text(equation, "x", 0, 1, 1,
                                            "[[condition]]\nwhere='boundary'\nform='u = 0'\n")),
                    Fvm{});
    });
  };
  EXPECT_NE(refused("u_tt = u_xx").find("use fdm or spectral"), std::string::npos);
  EXPECT_NE(refused("u_t + u_xxx = 0").find("use spectral"), std::string::npos);
  EXPECT_NE(refused("u_t = u_x^2 + u_xx").find("balance law"), std::string::npos);
  EXPECT_NE(refused("u_t = -u_xx").find("they do not smooth; use spectral"), std::string::npos);
  EXPECT_NE(refused("u_t + sin(u)*u_x = 0").find("balance law"), std::string::npos);
  EXPECT_NE(message_of([] {
              (void)prepare(*problem_of(gas_text("1", "0", "1", "", 1)),
                            Fvm{.flux = FvmFlux::upwind});
            }).find("use hll"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              (void)prepare(
                  *problem_of(advection_text()),
                  Fvm{.reconstruction = FvmReconstruction::muscl_hancock, .time = FvmTime::ssprk2});
            }).find("one stage"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              (void)prepare(*problem_of(advection_text()), Fvm{.cells = FvmCells::triangles});
            }).find("two dimensions"),
            std::string::npos);
}

TEST(Fvm, SaysWhenAGasHasNoPressureLeft) {
  Fvm options{.n = 40};
  options.limiter = FvmLimiter::none;
  detail::FvmSolver solver(problem_of(gas_text("1", "where(x < 0.5, -20, 20)", "0.4", "", 0.5)),
                           options, 1);
  const detail::ClassicalAnswer answer = solver.solve(0, {});
  EXPECT_FALSE(answer.finite);
  ASSERT_EQ(answer.troubles.size(), 1U);
  EXPECT_NE(answer.troubles[0].find("fvm: "), std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_fvm
