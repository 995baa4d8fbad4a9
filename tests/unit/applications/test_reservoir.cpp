#include <cauchy/applications/reservoir.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/problem/exact_solution.hpp>

#include "applications/reservoir/pressure_system.hpp"
#include "support/io_support.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_reservoir {
namespace {

std::size_t cell(const ReservoirModel& m, int i, int j, int k = 0) {
  return static_cast<std::size_t>((k * m.cells[0] + i) * m.cells[1] + j);
}

ReservoirWell injector(int i, int j, double rate) {
  return {.kind = WellKind::injector, .target = rate, .i = i, .j = j};
}
ReservoirWell producer(int i, int j, double pressure) {
  return {.kind = WellKind::producer,
          .control = WellControl::pressure,
          .target = pressure,
          .i = i,
          .j = j};
}

/// Layers of rock that differs from cell to cell, an injector and a producer.
ReservoirModel rough(int nx, int ny, int nz) {
  ReservoirModel m;
  m.cells = {nx, ny, nz};
  const std::size_t n = m.n_cells();
  for (std::size_t c = 0; c < n; ++c) {
    const double g =
        std::sin(1.7 * static_cast<double>(c % 97)) + std::cos(0.3 * static_cast<double>(c));
    m.permeability_x.push_back(100 * std::exp(g));
    m.permeability_z.push_back(10 * std::exp(g));
  }
  m.porosity.assign(n, 0.2);
  m.wells = {injector(1, 1, 60), producer(nx - 2, ny - 2, 150)};
  return m;
}

double l1(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

TEST(Reservoir, PeacemansRadiusOfASquareCellIsAFifthOfItsSide) {
  // exp(-gamma) / sqrt(8) = 0.19851.
  EXPECT_NEAR(peaceman_radius(30, 30, 10, 10), 1.9851, 1e-4);
  // A stretched medium is the isotropic one in stretched coordinates: x' = x sqrt(k / k_x).
  const double k = std::sqrt(40.0 * 10.0), a = std::sqrt(k / 40), b = std::sqrt(k / 10);
  const double isotropic = std::exp(-std::numbers::egamma) / 4 * std::hypot(a * 6, b * 9);
  // The well becomes an ellipse; its radius in the stretched plane is the mean of its axes.
  EXPECT_NEAR(peaceman_radius(40, 10, 6, 9) * (a + b) / 2, isotropic, 1e-12);
}

/// A well in the middle of a square whose outermost cells have the pressures of Thiem's formula
/// p = P + q mu / (2 pi k h) ln(r / radius).
void compare_with_thiem(double kx, double ky) {
  const int n = 31, mid = n / 2;
  const double rate = 20, well_pressure = 100;
  ReservoirModel m;
  m.cells = {n, n, 1};
  m.cell_size = {10, 10, 4};
  m.permeability_x = {kx};
  m.permeability_y = {ky};
  m.saturation = {0.2};  // oil alone flows
  m.wells = {{.kind = WellKind::producer, .target = rate, .i = mid, .j = mid}};
  const double k = std::sqrt(kx * ky);
  const double mobility = m.fluids.curves.oil_end / m.fluids.oil_viscosity;
  const double scale = rate / (2 * std::numbers::pi * k * 4 * mobility * darcy_unit);
  const double a = std::sqrt(k / kx), b = std::sqrt(k / ky);
  const auto thiem = [&](int i, int j) {
    const double r = std::hypot(a * 10 * (i - mid), b * 10 * (j - mid));
    return well_pressure + scale * std::log(r / (m.wells[0].radius * (a + b) / 2));
  };
  // Wells that are as wide as the cell's equivalent radius hold its pressure.
  const double wide = peaceman_radius(kx, ky, 10, 10) * (1 - 1e-9);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i > 0 && j > 0 && i < n - 1 && j < n - 1) continue;
      m.wells.push_back({.kind = WellKind::injector,
                         .control = WellControl::pressure,
                         .target = thiem(i, j),
                         .i = i,
                         .j = j,
                         .radius = wide});
    }
  }
  // Water that comes in does not get far in a minute.
  const ReservoirRun run = simulate(m, {.times = {1e-3}});
  ASSERT_EQ(run.status, Status::converged);
  const ReservoirReport& r = run.reports[0];
  // The star of differences is of second order in the sides of the cells, as they are in the
  // stretched plane, over the distance.
  const double sides = 50 * (a * a + b * b);
  EXPECT_NEAR(r.wells[0].pressure, well_pressure, 0.003 * scale);
  EXPECT_NEAR(r.wells[0].oil, rate, 1e-9 * rate);
  for (const int d : {4, 8, 12}) {
    for (const auto& [i, j] : {std::pair(d, 0), std::pair(0, -d), std::pair(d, d)}) {
      const double far = sides / (std::pow(a * 10 * i, 2) + std::pow(b * 10 * j, 2)) / 4;
      EXPECT_NEAR(r.pressure[cell(m, mid + i, mid + j)], thiem(mid + i, mid + j), far * scale);
    }
  }
}

TEST(Reservoir, AWellDrawsThePressureDownAsThiemSays) { compare_with_thiem(200, 200); }
TEST(Reservoir, AWellInAnisotropicRockDrawsThePressureDownAsThiemSays) {
  compare_with_thiem(300, 75);
}

TEST(Reservoir, ResistancesOfCellsInARowAddUp) {
  ReservoirModel m;
  m.cells = {6, 1, 1};
  m.cell_size = {10, 20, 5};
  m.permeability_x = {100, 5, 300, 20, 1000, 50};
  m.wells = {{.kind = WellKind::producer, .target = 3, .i = 5, .j = 0},
             {.kind = WellKind::injector,
              .control = WellControl::pressure,
              .target = 200,
              .i = 0,
              .j = 0}};
  const ReservoirReport r = simulate(m, {.times = {1e-6}}).reports.at(0);
  // Half a cell, then half of the next one, each d / 2 / (k A mobility); oil alone flows.
  const double mobility = m.fluids.curves.oil_end / m.fluids.oil_viscosity;
  for (std::size_t i = 0; i < 5; ++i) {
    const double resistance = 5 / m.permeability_x[i] + 5 / m.permeability_x[i + 1];
    const double drop = 3 * resistance / (darcy_unit * 100 * mobility);
    EXPECT_NEAR(r.pressure[i] - r.pressure[i + 1], drop, 1e-4 * drop);
  }
}

TEST(Reservoir, NoVolumeOfWaterOrOilIsLost) {
  ReservoirModel m = rough(8, 7, 3);
  m.fluids.gravity = true;
  m.fluids.entry_pressure = 0.1;
  m.wells.push_back({.kind = WellKind::producer, .target = 10, .i = 1, .j = 5, .first_layer = 1});
  for (const double compressibility : {0.0, 1e-4}) {
    m.compressibility = compressibility;
    for (const ReservoirScheme scheme : {ReservoirScheme::impes, ReservoirScheme::implicit}) {
      const ReservoirRun run = simulate(m, {.times = {100, 400}, .scheme = scheme});
      ASSERT_EQ(run.status, Status::converged);
      ASSERT_EQ(run.reports.size(), 2u);
      for (const ReservoirReport& r : run.reports) {
        // Newton's method leaves 1e-10 of a cell's pores at most per step, about 30 steps.
        EXPECT_LT(r.balance, scheme == ReservoirScheme::impes ? 1e-12 : 3e-9);
        EXPECT_NEAR(r.injected, 60 * r.time, 1e-9 * r.injected);
        EXPECT_NEAR(r.wells[2].water + r.wells[2].oil, 10, 1e-9);
        // Pores that have grown by 1e-4 per bar hold the connate water in more room.
        const double most = *std::ranges::max_element(r.pressure) - 200;
        EXPECT_GE(*std::ranges::min_element(r.saturation),
                  0.2 / (1 + compressibility * std::max(most, 0.0)) - 1e-9);
        EXPECT_LE(*std::ranges::max_element(r.saturation), 0.8 + 1e-9);
      }
      if (compressibility == 0) {
        const ReservoirReport& r = run.reports.back();
        EXPECT_NEAR(r.produced_water + r.produced_oil, r.injected, 1e-6 * r.injected);
      }
    }
  }
}

TEST(Reservoir, BothSchemesApproachTheSameAnswer) {
  ReservoirModel m = rough(10, 9, 2);
  m.fluids.gravity = true;
  const auto both = [&](double change) {
    ReservoirSchedule s{.times = {300}, .max_step = 200 * change, .max_change = change};
    const auto a = simulate(m, s).reports[0];
    s.scheme = ReservoirScheme::implicit;
    const auto b = simulate(m, s).reports[0];
    EXPECT_NEAR(a.wells[1].oil, b.wells[1].oil, 60 * change);
    return l1(a.saturation, b.saturation);
  };
  // Both are of first order in time.
  const double coarse = both(0.08), fine = both(0.04);
  EXPECT_LT(fine, 0.008);
  EXPECT_LT(fine, coarse / 1.4);
}

/// Water at a rate into the first of n cells in a row, which the exact solution takes for x = 0.
double buckley_leverett_error(int n, ReservoirScheme scheme) {
  ReservoirModel m;
  m.cells = {n, 1, 1};
  m.cell_size = {100.0 / n, 10, 10};
  m.permeability_x = {100};
  m.porosity = {0.25};
  m.saturation = {0};
  m.fluids.curves = {.connate_water = 0, .residual_oil = 0, .water_end = 1, .oil_end = 1};
  m.fluids.water_viscosity = 1;
  m.fluids.oil_viscosity = 2;
  m.wells = {injector(0, 0, 10), producer(n - 1, 0, 100)};
  for (ReservoirWell& w : m.wells) w.radius = 1e-3;
  const double days = 0.3 * 0.25 * 100 * 10 * 10 / 10;  // 0.3 of the pores
  ReservoirSchedule s{.times = {days}, .scheme = scheme, .max_change = 0.05};
  s.max_step = days * 2 / n;
  const ReservoirRun run = simulate(m, s);
  EXPECT_EQ(run.status, Status::converged);
  const double ratio[] = {2};
  const ExactEvaluator exact = exact_solution("buckley_leverett").prepare(ratio);
  double error = 0;
  for (int i = 0; i < n; ++i) {
    const double point[] = {0.3, (i + 0.5) / n};
    double u[1];
    exact(point, u);
    error += std::abs(run.reports[0].saturation[static_cast<std::size_t>(i)] - u[0]) / n;
  }
  return error;
}

TEST(Reservoir, TheFrontIsThatOfBuckleyAndLeverett) {
  for (const ReservoirScheme scheme : {ReservoirScheme::impes, ReservoirScheme::implicit}) {
    const double coarse = buckley_leverett_error(50, scheme);
    const double middle = buckley_leverett_error(100, scheme);
    const double fine = buckley_leverett_error(200, scheme);
    // Upwind fluxes: between order 1/2 of a linear front and 1 of a steep one.
    EXPECT_GT(std::log2(coarse / middle), 0.65);
    EXPECT_GT(std::log2(middle / fine), 0.65);
    EXPECT_LT(fine, scheme == ReservoirScheme::impes ? 0.011 : 0.015);
  }
}

/// Water comes in at the middle of a square and leaves near its corners. Every cell of one grid is
/// three by three of the next, so that wells stay at their places.
std::vector<double> five_spot(int n) {
  const int near = n / 10, far = n - 1 - near;  // the middle of the fifth part at an end
  ReservoirModel m;
  m.cells = {n, n, 1};
  m.cell_size = {420.0 / n, 420.0 / n, 10};
  m.permeability_x = {100};
  m.wells = {injector(n / 2, n / 2, 100), producer(near, near, 100), producer(near, far, 100),
             producer(far, near, 100), producer(far, far, 100)};
  ReservoirSchedule s{.times = {600}};
  s.max_step = 420.0 / n;
  return simulate(m, s).reports.at(0).saturation;
}

TEST(Reservoir, AFiveSpotConvergesUnderRefinement) {
  std::vector<double> differences, coarse = five_spot(5);
  for (const int n : {15, 45}) {
    const std::vector<double> fine = five_spot(n);
    const auto N = static_cast<std::size_t>(n);
    std::vector<double> means(N / 3 * (N / 3), 0.0);
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) means[i / 3 * (N / 3) + j / 3] += fine[i * N + j] / 9;
    }
    differences.push_back(l1(coarse, means));
    coarse = fine;
  }
  // The front is a few cells wide, and there are few cells: 0.4 between these grids, 0.5 between
  // the next ones. What does not converge has the order 0.
  EXPECT_GT(std::log(differences[0] / differences[1]) / std::log(3), 0.35);
  EXPECT_LT(differences[1], 0.025);
}

TEST(Reservoir, AFiveSpotIsSymmetricToRounding) {
  const int n = 15;
  for (const ReservoirScheme scheme : {ReservoirScheme::impes, ReservoirScheme::implicit}) {
    ReservoirModel m;
    m.cells = {n, n, 2};
    m.permeability_x = {100};
    m.fluids.gravity = true;
    m.wells = {injector(n / 2, n / 2, 100), producer(0, 0, 100), producer(n - 1, 0, 100),
               producer(0, n - 1, 100), producer(n - 1, n - 1, 100)};
    const ReservoirReport r = simulate(m, {.times = {400}, .scheme = scheme}).reports.at(0);
    // Rounding of the pressures, 1e-16 of 200 bar, moves saturations by their changes per bar.
    const double tolerance = scheme == ReservoirScheme::impes ? 1e-11 : 1e-8;
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const double s = r.saturation[cell(m, i, j, k)], p = r.pressure[cell(m, i, j, k)];
          EXPECT_NEAR(r.saturation[cell(m, j, i, k)], s, tolerance);
          EXPECT_NEAR(r.saturation[cell(m, n - 1 - i, j, k)], s, tolerance);
          EXPECT_NEAR(r.pressure[cell(m, i, n - 1 - j, k)], p, 1e3 * tolerance);
        }
      }
    }
    for (std::size_t w = 2; w < 5; ++w) EXPECT_NEAR(r.wells[w].oil, r.wells[1].oil, 1e-6);
    // Water is heavier: there is more of it below.
    EXPECT_GT(r.saturation[cell(m, 4, 7, 1)], r.saturation[cell(m, 4, 7, 0)] + 0.01);
  }
}

/// A column of rock without wells.
ReservoirModel column(int n) {
  ReservoirModel m;
  m.cells = {1, 1, n};
  m.cell_size = {1, 1, 1};
  m.permeability_x = {1000};
  m.compressibility = 1e-6;
  m.fluids.gravity = true;
  m.fluids.water_density = 1050;
  m.fluids.oil_density = 800;
  m.saturation = {0.5};
  return m;
}

TEST(Reservoir, OilRisesAboveWaterAndBothComeToRest) {
  const int n = 20;
  ReservoirModel m = column(n);
  const double days = 5e5;
  ReservoirSchedule s{.times = {days}, .scheme = ReservoirScheme::implicit, .max_step = 2e4};
  const ReservoirRun run = simulate(m, s);
  ASSERT_EQ(run.status, Status::converged);
  const ReservoirReport& r = run.reports[0];
  EXPECT_LT(r.balance, 1e-9);
  // Half of what can move is water. The last of it sinks as s = 0.6 phi H / (2 t u), u the speed of
  // water alone, and oil likewise rises: less than 1e-3 after 500,000 days.
  for (int k = 0; k < n / 2 - 1; ++k) EXPECT_NEAR(r.saturation[cell(m, 0, 0, k)], 0.2, 1e-3);
  for (int k = n / 2 + 1; k < n; ++k) EXPECT_NEAR(r.saturation[cell(m, 0, 0, k)], 0.8, 1e-3);
  // The pressure grows as the weight of what can move. Faces near the contact are left out.
  for (int k = 0; k + 1 < n; ++k) {
    if (std::abs(k - n / 2 + 1) <= 1) continue;
    const double weight = (k < n / 2 ? 800 : 1050) * gravity_unit;
    EXPECT_NEAR(r.pressure[cell(m, 0, 0, k + 1)] - r.pressure[cell(m, 0, 0, k)], weight,
                1e-3 * weight);
  }
  // The explicit scheme goes the same way.
  s = {.times = {150}};
  const auto by_impes = simulate(m, s).reports.at(0);
  s.scheme = ReservoirScheme::implicit;
  s.max_step = 1;
  EXPECT_LT(l1(by_impes.saturation, simulate(m, s).reports.at(0).saturation), 5e-3);
}

TEST(Reservoir, CapillaryPressureHoldsWaterUpAgainstItsWeight) {
  const int n = 12;
  ReservoirModel m = column(n);
  m.fluids.entry_pressure = 0.1;
  m.fluids.pore_index = 2;
  for (const ReservoirScheme scheme : {ReservoirScheme::implicit, ReservoirScheme::impes}) {
    const bool implicit = scheme == ReservoirScheme::implicit;
    ReservoirSchedule s{.times = {implicit ? 2e5 : 600}, .scheme = scheme, .max_step = 2e4};
    if (!implicit) s.max_step = 20;
    const ReservoirRun run = simulate(m, s);
    ASSERT_EQ(run.status, Status::converged);
    const std::vector<double>& at = run.reports[0].saturation;
    const auto capillary = [&](double saturation) {
      return 0.1 / std::sqrt((saturation - 0.2) / 0.6);
    };
    // At rest p_c falls by the difference of the weights from cell to cell, wherever both fluids
    // can move.
    int compared = 0;
    for (std::size_t k = 0; k + 1 < at.size(); ++k) {
      if (at[k] < 0.25 || at[k + 1] > 0.75) continue;
      ++compared;
      EXPECT_NEAR(capillary(at[k]) - capillary(at[k + 1]), 250 * gravity_unit,
                  (implicit ? 1e-4 : 0.1) * 250 * gravity_unit);
    }
    EXPECT_GT(compared, 4);
  }
}

TEST(Reservoir, ACellFromWhichAProducerWouldInjectIsShut) {
  // Gravity alone: a well through a thick layer whose pressure lies between those of its ends.
  ReservoirModel m;
  m.cells = {3, 3, 4};
  m.cell_size = {10, 10, 10};
  m.permeability_x = {100};
  m.fluids.gravity = true;
  m.fluids.oil_density = 500;
  m.fluids.water_density = 1200;
  m.compressibility = 1e-5;
  m.pressure.clear();
  for (int k = 0; k < 4; ++k) m.pressure.insert(m.pressure.end(), 9, 200 - 5.0 * k);
  m.wells = {producer(1, 1, 195)};
  const std::vector<double> s(36, 0.2);
  const std::vector<WellRates> rates = well_rates(m, m.pressure, s);
  // Only the uppermost cell has more than the well; the others would take.
  const double mobility = m.fluids.curves.oil_end / m.fluids.oil_viscosity;
  const double index = darcy_unit * 2 * std::numbers::pi * 100 * 10 /
                       std::log(peaceman_radius(100, 100, 10, 10) / 0.1);
  EXPECT_NEAR(rates[0].oil, index * mobility * 5, 1e-9);
  EXPECT_EQ(rates[0].water, 0);
  EXPECT_EQ(rates[0].water_cut(), 0);
}

TEST(Reservoir, WhatMakesNoSenseIsSaidInOneSentence) {
  const auto said = [](auto change) {
    ReservoirModel m = rough(6, 6, 2);
    change(m);
    return error_of([&] { check(m); });
  };
  EXPECT_EQ(said([](ReservoirModel&) {}), "no error");
  EXPECT_EQ(said([](ReservoirModel& m) { m.wells[0].i = 6; }),
            "well '1': cell (6, 1) is outside of the grid of 6 x 6 cells; i from 0 to 5, j from 0 "
            "to 5");
  EXPECT_EQ(said([](ReservoirModel& m) { m.wells[1].last_layer = 2; }),
            "well '2': layers 0 to 2 are not in the grid of 2 layers; layers from 0 to 1");
  EXPECT_EQ(said([](ReservoirModel& m) { m.saturation = {1.2}; }),
            "saturation: cell 0 has the saturation 1.2; it must be in [0, 1]");
  EXPECT_EQ(said([](ReservoirModel& m) { m.permeability_x[7] = -3; }),
            "permeability_x: cell 7 has the permeability -3; it must be positive, in mD");
  EXPECT_EQ(said([](ReservoirModel& m) {
              m.porosity = {0.2, 0.3};
            }),
            "porosity: 2 numbers for 72 cells; give one for every cell, or one for all of them");
  EXPECT_EQ(said([](ReservoirModel& m) { m.fluids.curves.residual_oil = 0.8; }),
            "curves: connate water 0.2 and residual oil 0.8 leave nothing that can move; their sum "
            "must be below 1: 0.2 and 0.2");
  EXPECT_EQ(said([](ReservoirModel& m) { m.wells[1].control = WellControl::rate; }),
            "wells: no well has a given pressure and the rock does not yield: pressures are known "
            "up to a constant only; give one well control = \"pressure\", or a compressibility");
  EXPECT_EQ(said([](ReservoirModel& m) { m.wells[0].radius = 8; }),
            "well '1': radius 8 m and skin 0 do not fit a cell whose equivalent radius is 3.97 m; "
            "the radius must be smaller: radius = 0.1, skin = 0");
  EXPECT_EQ(error_of([] {
              check(ReservoirSchedule{.times = {3, 2}});
            }),
            "times: time 2 of the reports is 2; give positive times in ascending order");
  EXPECT_NE(error_of([] { check(ReservoirSchedule{}); }), "no error");
  const ReservoirModel m = rough(6, 6, 2);
  EXPECT_NE(error_of([&] { (void)well_rates(m, {}, {}); }), "no error");
}

TEST(Reservoir, AWishToStopEndsASimulationBetweenTwoSteps) {
  class Stop final : public Progress {
    void update(const ProgressState&) override {}
    void finish(const ProgressState&) override {}
    [[nodiscard]] bool stop_requested() const noexcept override { return ++asked_ > 3; }
    mutable int asked_ = 0;
  } stop;
  const ReservoirRun run = simulate(rough(6, 6, 1), {.times = {1000}}, &stop);
  EXPECT_EQ(run.status, Status::interrupted);
  EXPECT_EQ(run.steps, 3u);
  EXPECT_TRUE(run.reports.empty());
}

/// Six columns of rock along x that differ, one well on each side.
ReservoirModel half_of_a_field(int first) {
  ReservoirModel m;
  m.cells = {6, 5, 2};
  m.fluids.gravity = true;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 5; ++j) m.permeability_x.push_back(100 + 30 * ((first + i) % 5) + 20 * j);
    }
  }
  m.wells = {{.name = "in", .target = 20, .i = 1, .j = 1},
             {.name = "out",
              .kind = WellKind::producer,
              .control = WellControl::pressure,
              .target = 150,
              .i = 4,
              .j = 3}};
  return m;
}

TEST(ReservoirFaults, ASealedFaultMakesTwoReservoirs) {
  const ReservoirModel left = half_of_a_field(0), right = half_of_a_field(6);
  ReservoirModel both = left;
  both.cells = {12, 5, 2};
  both.permeability_x.clear();
  for (std::size_t k = 0; k < 2; ++k) {
    for (const ReservoirModel* m : {&left, &right}) {
      for (std::size_t c = 0; c < 30; ++c) {
        both.permeability_x.push_back(m->permeability_x[30 * k + c]);
      }
    }
  }
  for (ReservoirWell w : right.wells) {
    w.i += 6;
    both.wells.push_back(w);
  }
  both.faults = {{.name = "F", .across = FaultAxis::x, .at = 5, .multiplier = 0}};
  for (const ReservoirScheme scheme : {ReservoirScheme::impes, ReservoirScheme::implicit}) {
    // Steps that do not follow from changes are the same in all three.
    const ReservoirSchedule schedule{
        .times = {20, 40}, .scheme = scheme, .max_step = 5, .max_change = 1};
    const ReservoirReport all = simulate(both, schedule).reports.at(1);
    const ReservoirReport a = simulate(left, schedule).reports.at(1);
    const ReservoirReport b = simulate(right, schedule).reports.at(1);
    // Explicit steps of saturation are as long as the faster half allows: first order in them.
    const double off = scheme == ReservoirScheme::implicit ? 1e-7 : 5e-3;
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t c = 0; c < 30; ++c) {
        EXPECT_NEAR(all.saturation[60 * k + c], a.saturation[30 * k + c], off);
        EXPECT_NEAR(all.saturation[60 * k + 30 + c], b.saturation[30 * k + c], off);
        EXPECT_NEAR(all.pressure[60 * k + c], a.pressure[30 * k + c], 100 * off);
        EXPECT_NEAR(all.pressure[60 * k + 30 + c], b.pressure[30 * k + c], 100 * off);
      }
    }
    // Without the fault they are one.
    ReservoirModel open = both;
    open.faults[0].multiplier = 1;
    const ReservoirReport one = simulate(open, schedule).reports.at(1);
    open.faults.clear();
    EXPECT_EQ(simulate(open, schedule).reports.at(1).pressure, one.pressure);
    EXPECT_GT(std::abs(one.pressure[29] - all.pressure[29]), 0.1);
  }
}

TEST(ReservoirFaults, AMultiplierIsThatOfTheFlux) {
  ReservoirModel m = half_of_a_field(0);
  m.faults = {{.across = FaultAxis::y, .at = 2, .from = 1, .to = 3, .multiplier = 0.25}};
  const std::size_t n = m.n_cells();
  std::vector<double> p(n), s(n, 0.4);
  for (std::size_t c = 0; c < n; ++c) p[c] = 200 + std::sin(static_cast<double>(c * c));
  const auto faulted = face_fluxes(m, p, s);
  m.faults.clear();
  const auto plain = face_fluxes(m, p, s);
  EXPECT_EQ(faulted[0], plain[0]);
  EXPECT_EQ(faulted[2], plain[2]);
  for (std::size_t c = 0; c < n; ++c) {
    const std::size_t i = c / 5 % 6, j = c % 5;
    const bool crossed = j == 2 && i >= 1 && i <= 3;
    EXPECT_NEAR(faulted[1][c], (crossed ? 0.25 : 1) * plain[1][c], 1e-12 * std::abs(plain[1][c]));
  }
}

TEST(ReservoirFaults, ThoseThatLeaveTheGridAreRefused) {
  ReservoirModel m = half_of_a_field(0);
  const auto said = [&](const ReservoirFault& f) {
    m.faults = {f};
    return message_of([&] { check(m); });
  };
  EXPECT_EQ(said({.name = "F", .at = 4}), "no error");
  EXPECT_EQ(said({.name = "F", .at = 5}),
            "fault 'F': there is no cell behind number 5 along x; at from 0 to 4");
  EXPECT_EQ(
      said({.at = 1, .from = 3, .to = 2}),
      "fault '1': cells 3 to 2 are no part of a row of 5; from 0 to 4, the smaller one first; "
      "to = -1: the last");
  EXPECT_EQ(said({.at = 1, .multiplier = -1}),
            "fault '1': a multiplier must not be negative, got -1; 0: sealed; 1: no fault");
}

TEST(Reservoir, APressureThatALimitEndedIsNotSingular) {
  ReservoirModel m;
  m.cells = {260, 250, 1};
  m.permeability_x = {100};
  m.compressibility = 1e-4;
  const detail::ReservoirGrid grid(m);
  ASSERT_GT(grid.size(), detail::PressureSystem::most_direct);
  const std::vector<detail::WellColumn> no_wells;
  detail::PressureSystem system(grid, no_wells);
  for (std::size_t f = 0; f < grid.faces.size(); ++f) system.add_face(f, 1);
  for (std::size_t c = 0; c < grid.size(); ++c) system.add_diagonal(c, 1e-4);
  ASSERT_TRUE(system.prepare());
  system.rhs()[0] = 1;
  std::vector<double> x;
  EXPECT_TRUE(system.solve_refined(x));
  const LimitScope over(RunLimit().with_work(0));
  try {
    (void)system.solve_refined(x);
    FAIL() << "it was solved after its limit";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::interrupted) << e.what();
  }
}

}  // namespace
}  // namespace cauchy::test_reservoir
