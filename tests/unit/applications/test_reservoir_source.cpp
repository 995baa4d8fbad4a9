#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/applications/simulator.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/operators/learn.hpp>

#include "operators/symmetries.hpp"
#include "support/io_support.hpp"

namespace cauchy::test_reservoir_source {
namespace {

/// Two layers that are simulated in some milliseconds.
ReservoirSimulator small() {
  ReservoirSimulator s;
  s.cells = {12, 10, 2};
  s.field = "gaussian(length = 0.3)";
  s.wells = five_spot_wells(s.cells, 20);
  s.days = 300;
  s.reports = 3;
  return s;
}

OperatorProblem problem_of(const ReservoirSimulator& s, std::size_t samples = 4) {
  OperatorProblem op;
  op.problem.name = "small";
  op.source = std::make_shared<ReservoirSource>(s);
  op.samples = samples;
  op.validation = op.test = 1;
  return op;
}

TEST(ReservoirSource, ChannelsAreLayersOverCellCentres) {
  const ReservoirSource source(small());
  EXPECT_EQ(to_string(source.grid()), "12 x 10 on [10, 230] x [10, 190]");
  EXPECT_EQ(source.inputs(), (std::vector<std::string>{"k1", "k2", "phi1", "phi2"}));
  const std::vector<std::string> out = source.outputs();
  ASSERT_EQ(out.size(), 12u);
  EXPECT_EQ(out[0], "p1(t=100)");
  EXPECT_EQ(out[3], "s2(t=100)");
  EXPECT_EQ(out[11], "s2(t=300)");
  const SampleSource::Sample sample = source.make(3, 5, nullptr);
  // The simulator itself, in the same order.
  const ReservoirModel m = source.model(3, 5);
  const ReservoirRun run = simulate(m, source.simulator().schedule);
  EXPECT_EQ(sample.in[7], std::log10(m.permeability_x[7]));
  EXPECT_EQ(sample.in[2 * 120 + 130], m.porosity[130]);
  EXPECT_EQ(sample.out[130], run.reports[0].pressure[130]);
  EXPECT_EQ(sample.out[(4 * 2 + 2) * 120 + 130], run.reports[2].saturation[130]);
}

TEST(ReservoirSource, TwoKindsOfRockHaveTheSharesThatAreAskedFor) {
  ReservoirSimulator s = small();
  s.share = 0.3;
  s.spread = s.porosity_spread = 0;
  const ReservoirSource source(s);
  double sand = 0;
  constexpr int n = 200;
  for (std::uint64_t i = 0; i < n; ++i) {
    const ReservoirModel m = source.model(1, i);
    for (std::size_t c = 0; c < m.n_cells(); ++c) {
      const bool is_sand = m.permeability_x[c] == 500;
      EXPECT_EQ(m.permeability_x[c], is_sand ? 500 : 50);
      EXPECT_EQ(m.porosity[c], is_sand ? 0.25 : 0.15);
      EXPECT_EQ(m.permeability_z[c], 0.1 * m.permeability_x[c]);
      sand += is_sand / (n * 240.0);
    }
  }
  // About four independent places per sample: a deviation of sqrt(0.3 0.7 / 800) = 0.016.
  EXPECT_NEAR(sand, 0.3, 0.05);
}

TEST(ReservoirSource, ASampleTurnedAroundIsASample) {
  const ReservoirSource source(small());
  const ReservoirModel m = source.model(1, 3);
  ReservoirModel turned = m;
  const auto flipped = [](std::size_t c) {
    return c / 120 * 120 + (11 - c % 120 / 10) * 10 + c % 10;
  };
  for (std::size_t c = 0; c < 240; ++c) {
    turned.permeability_x[c] = m.permeability_x[flipped(c)];
    turned.permeability_z[c] = m.permeability_z[flipped(c)];
    turned.porosity[c] = m.porosity[flipped(c)];
  }
  const ReservoirSchedule& schedule = source.simulator().schedule;
  const ReservoirReport a = simulate(m, schedule).reports.back();
  const ReservoirReport b = simulate(turned, schedule).reports.back();
  for (std::size_t c = 0; c < 240; ++c) {
    EXPECT_NEAR(a.saturation[c], b.saturation[flipped(c)], 1e-10);
    EXPECT_NEAR(a.pressure[c], b.pressure[flipped(c)], 1e-7);
  }
}

/// The maps of the box that a simulator says it is symmetric under.
detail::Symmetries all_symmetries(const ReservoirSimulator& s) {
  const OperatorProblem op = problem_of(s);
  return detail::symmetries_of(op, op.source->grid());
}
std::vector<detail::GridSymmetry> symmetries(const ReservoirSimulator& s) {
  return all_symmetries(s).maps;
}

std::vector<double> carried(const std::vector<double>& channels, const detail::Symmetries& all,
                            std::size_t m, const FieldGrid& grid) {
  std::vector<std::size_t> picks;
  detail::symmetry_picks(all.maps[m], {0, 0}, grid, picks);
  std::vector<double> out(channels.size());
  detail::carry_outputs(all, m, picks, channels, out);
  return out;
}

TEST(ReservoirSource, AMapOfTheWellsOntoThemselvesCarriesSamplesOver) {
  ReservoirSimulator s = small();
  s.cells = {18, 18, 2};
  s.wells = five_spot_wells(s.cells, 20);
  s.placement = 1;
  s.days = 60;
  s.fluids.gravity = true;
  s.fluxes = true;
  const ReservoirSource source(s);
  const detail::Symmetries all = all_symmetries(s);
  ASSERT_EQ(all.maps.size(), 8u);
  ASSERT_EQ(all.outputs.size(), 8u);
  detail::Symmetries scalars = all;
  scalars.outputs.clear();
  const SampleSource::Sample sample = source.make(1, 3, nullptr);
  for (std::size_t m = 0; m < 8; ++m) {
    const ReservoirModel turned = source.model_of(carried(sample.in, scalars, m, source.grid()));
    const ReservoirRun run = simulate(turned, source.simulator().schedule);
    const std::vector<double> found = source.outputs_of(turned, run);
    const std::vector<double> expected = carried(sample.out, all, m, source.grid());
    ASSERT_EQ(found.size(), expected.size());
    // Sums of faces in another order, over some hundred steps; vertical fluxes are a hundred times
    // the differences of the pressures.
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-6) << i;
  }
}

TEST(ReservoirSource, SymmetriesEndWithWhatTellsWellsOrAxesApart) {
  EXPECT_EQ(symmetries(small()).size(), 4u);  // 12 x 10 cells
  ReservoirSimulator s = small();
  s.cells = {12, 12, 2};
  s.wells = five_spot_wells(s.cells, 20);
  EXPECT_EQ(symmetries(s).size(), 8u);
  ReservoirSimulator flat = s;
  flat.cell_size[1] = 25;
  EXPECT_EQ(symmetries(flat).size(), 4u);
  ReservoirSimulator one = s;
  one.wells[0].target = 21;
  EXPECT_EQ(symmetries(one).size(), 2u);  // that of the diagonal is left
  ReservoirSimulator moved = s;
  moved.wells[5].i += 1;
  EXPECT_EQ(symmetries(moved).size(), 1u);
}

TEST(ReservoirSource, InputsStandForTheModelTheyCameFrom) {
  ReservoirSimulator s = small();
  s.placement = 1;
  const ReservoirSource source(s);
  EXPECT_EQ(source.inputs().back(), "wells");
  bool moved = false;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const ReservoirModel m = source.model(2, i), back = source.model_of(source.inputs_of(m));
    for (std::size_t c = 0; c < m.n_cells(); ++c) {
      EXPECT_NEAR(back.permeability_x[c], m.permeability_x[c], 1e-12 * m.permeability_x[c]);
      EXPECT_EQ(back.porosity[c], m.porosity[c]);
    }
    for (std::size_t w = 0; w < m.wells.size(); ++w) {
      EXPECT_EQ(back.wells[w].i, m.wells[w].i);
      EXPECT_EQ(back.wells[w].j, m.wells[w].j);
      EXPECT_LE(std::abs(m.wells[w].i - s.wells[w].i), 1);
      moved = moved || m.wells[w].i != s.wells[w].i || m.wells[w].j != s.wells[w].j;
    }
  }
  EXPECT_TRUE(moved);
}

TEST(ReservoirSource, MultipliersOfFaultsAreDrawnAndStandInTheInputs) {
  ReservoirSimulator s = small();
  s.faults = {{.across = FaultAxis::x, .at = 5, .from = 2, .to = 8, .multiplier = 0.1},
              {.across = FaultAxis::y, .at = 4, .from = 0, .to = 6, .multiplier = 0.5}};
  EXPECT_EQ(symmetries(s).size(), 1u);
  s.fault_spread = 1;
  const ReservoirSource source(s);
  EXPECT_EQ(source.inputs().back(), "my");
  const ReservoirModel m = source.model(1, 2), other = source.model(1, 3);
  EXPECT_NE(m.faults[0].multiplier, other.faults[0].multiplier);
  EXPECT_NE(m.faults[0].multiplier / 0.1, m.faults[1].multiplier / 0.5);
  const ReservoirModel back = source.model_of(source.inputs_of(m));
  const auto run = [&](const ReservoirModel& model) {
    return simulate(model, source.simulator().schedule).reports.back();
  };
  const ReservoirReport a = run(m), b = run(back);
  ReservoirModel none = m;
  none.faults.clear();
  const ReservoirReport c = run(none);
  double without = 0;
  for (std::size_t i = 0; i < 240; ++i) {
    EXPECT_NEAR(a.pressure[i], b.pressure[i], 1e-7);
    without = std::max(without, std::abs(a.pressure[i] - c.pressure[i]));
  }
  EXPECT_GT(without, 0.1);
  s.faults[0].multiplier = 0;
  EXPECT_NE(error_of([&] { const ReservoirSource sealed(s); }).find("sealed fault"),
            std::string::npos);
}

TEST(ReservoirSource, CurvesOfASampleAreTheRatesThatTheSimulatorReports) {
  const ReservoirSource source(small());
  const SampleSource::Sample sample = source.make(1, 0, nullptr);
  const std::vector<SampleCurve> curves = source.curves(sample.in, sample.out);
  const ReservoirRun run = simulate(source.model(1, 0), source.simulator().schedule);
  ASSERT_EQ(curves.size(), 16u);
  EXPECT_EQ(curves[0].name, "I1");
  EXPECT_EQ(curves[4].name, "P1");
  EXPECT_EQ(curves[4].quantity, "oil, m3/day");
  for (std::size_t t = 0; t < 3; ++t) {
    const std::vector<WellRates>& wells = run.reports[t].wells;
    for (std::size_t w = 0; w < 4; ++w) {
      EXPECT_NEAR(curves[w].values[t], wells[w].pressure, 1e-9 * wells[w].pressure);
      EXPECT_NEAR(curves[4 + w].values[t], wells[4 + w].oil, 1e-9 * wells[4 + w].oil);
      EXPECT_NEAR(curves[12 + w].values[t], wells[4 + w].water_cut(), 1e-9);
    }
  }
}

TEST(ReservoirSource, DataAreTheSameForAnyNumberOfThreadsAndAfterAResumption) {
  const OperatorProblem op = problem_of(small());
  const DataSet one = make_data(op, RunOptions{.threads = 1});
  const DataSet two = make_data(op, RunOptions{.threads = 2});
  EXPECT_EQ(one.in, two.in);
  EXPECT_EQ(one.out, two.out);
  EXPECT_EQ(one.times, (std::vector<double>{100, 200, 300}));
  EXPECT_EQ(one.notes.at("simulator"), "reservoir");
  EXPECT_EQ(one.size(), 6u);

  class StopLater final : public Progress {
   public:
    void update(const ProgressState& s) override { stop_ = s.step >= 2; }
    void finish(const ProgressState&) override {}
    [[nodiscard]] bool stop_requested() const noexcept override { return stop_; }

   private:
    bool stop_ = false;
  } progress;
  const auto part = std::filesystem::temp_directory_path() / "cauchy_reservoir.part";
  std::filesystem::remove(part);
  RunOptions options{.threads = 1, .progress = &progress};
  options.checkpoint = part;
  EXPECT_NE(error_of([&] { (void)make_data(op, options); }), "no error");
  options.progress = nullptr;
  const DataSet resumed = make_data(op, options);
  EXPECT_EQ(resumed.out, one.out);
  // Another reservoir does not go on with these samples.
  ReservoirSimulator other = small();
  other.sand.permeability = 400;
  EXPECT_NE(error_of([&] { (void)make_data(problem_of(other), options); }).find("another problem"),
            std::string::npos);
  std::filesystem::remove(part);
}

TEST(ReservoirSource, ANetworkLearnsFromASimulatorAndSaysWhatItCannotLearn) {
  const OperatorProblem op = problem_of(small(), 6);
  const DataSet data = make_data(op);
  FieldOperator method;
  method.network = Fno{.width = 6, .depth = 2, .modes = {3}, .projection = 8};
  method.epochs = 2;
  const OperatorResult r = learn(op, data, method);
  EXPECT_EQ(r.test.fields, (std::vector<std::string>{"p1", "p2", "s1", "s2"}));
  ASSERT_EQ(r.test.field_r2.size(), 4u);
  const std::vector<double> answer = r.model->predict(data.part(7, 1));
  const std::vector<FieldCourse> courses = measure_over_time(answer, data.part(7, 1));
  ASSERT_EQ(courses.size(), 4u);
  EXPECT_EQ(courses[2].field, "s1");
  EXPECT_EQ(courses[2].times, (std::vector<double>{100, 200, 300}));
  DataSet foreign = data;
  foreign.inputs[0] = "a";
  EXPECT_NE(error_of([&] { (void)learn(op, foreign, method); }).find("not of this simulator"),
            std::string::npos);
}

TEST(ReservoirSource, CoursesAndDeterminationAreWhatTheirFormulasSay) {
  DataSet d;
  d.grid.axes = {{.name = "x", .n = 2}};
  d.inputs = {"a"};
  d.outputs = {"u(t=1)", "u(t=2)"};
  d.times = {1, 2};
  d.in = {0, 0, 0, 0};
  d.out = {1, 3, 10, 10, 5, 7, 10, 14};
  std::vector<double> answer = d.out;
  answer[0] = 2;  // of the first sample at t = 1
  const std::vector<FieldCourse> c = measure_over_time(answer, d);
  ASSERT_EQ(c.size(), 1u);
  // 1, 3, 5, 7 deviate from their mean 4 by 9 + 1 + 1 + 9 = 20; the error is 1.
  EXPECT_NEAR(c[0].r2[0], 0.95, 1e-14);
  EXPECT_EQ(c[0].r2[1], 1);
  EXPECT_NEAR(c[0].relative_l2[0], std::sqrt(1.0 / 10) / 2, 1e-14);
  // Of both times: mean 7.5, squares 580 - 8 * 56.25 = 130 about it.
  EXPECT_NEAR(measure(answer, d).field_r2.at(0), 1 - 1.0 / 130, 1e-14);
}

constexpr const char* file_text = R"toml(
name = "small"
tolerance = 0.2
[simulator]
kind = "reservoir"
cells = [12, 10, 2]
field = "gaussian(length = 0.3)"
days = 300
reports = 3
sand = { permeability = 800, porosity = 0.3 }
[[simulator.well]]
name = "in"
target = 30
i = 2
j = 2
[[simulator.well]]
name = "out"
kind = "producer"
control = "pressure"
target = 140
i = 9
j = 7
[operator]
samples = 4
validation = 1
test = 1
)toml";

std::string with(const std::string& from, const std::string& to) {
  std::string text = file_text;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(ReservoirSource, AFileOfASimulatorReadsBackAsItself) {
  const OperatorFile file = parse_operator_file(file_text, "small.toml");
  ASSERT_TRUE(file.simulator.has_value());
  const auto& s = std::get<ReservoirSimulator>(*file.simulator);
  EXPECT_EQ(s.cells, (std::array<int, 3>{12, 10, 2}));
  EXPECT_EQ(s.sand.permeability, 800);
  ASSERT_EQ(s.wells.size(), 2u);
  EXPECT_EQ(s.wells[1].control, WellControl::pressure);
  EXPECT_EQ(file.problem.samples, 4u);
  ASSERT_NE(file.problem.source, nullptr);
  const std::string text = to_toml(file);
  const OperatorFile back = parse_operator_file(text, "back.toml");
  EXPECT_EQ(to_toml(back), text);
  EXPECT_EQ(back.problem.source->identity(), file.problem.source->identity());
}

TEST(ReservoirSource, MistakesInAFileAreSaidWithTheirLine) {
  const auto said = [](const std::string& text) {
    return error_of([&] { (void)parse_operator_file(text, "small.toml"); });
  };
  EXPECT_EQ(said(file_text), "no error");
  EXPECT_EQ(said(with("i = 9", "i = 12")),
            "small.toml:16:1: cell (12, 7) is outside of the grid of 12 x 10 cells; i from 0 to "
            "11, j from 0 to 9");
  EXPECT_EQ(said(with("control = \"pressure\"", "control = \"rate\"")),
            "small.toml:11:1: no well has a given pressure and the rock does not yield: pressures "
            "are known up to a constant only; give one well control = \"pressure\", or a "
            "compressibility");
  EXPECT_EQ(said(with("days = 300", "days = 300\nsaturation = 1.5")),
            "small.toml:9:14: cell 0 has the saturation 1.5; it must be in [0, 1]");
  EXPECT_NE(said(with("permeability = 800", "permeability = -800"))
                .find("'permeability' must be positive, got -800"),
            std::string::npos);
  EXPECT_NE(said(with("gaussian(", "gausian(")).find("gaussian"), std::string::npos);
  EXPECT_NE(said(with("kind = \"reservoir\"", "kind = \"resevoir\"")).find("reservoir"),
            std::string::npos);
  EXPECT_NE(said(with("days = 300", "placement = 3")).find("leave the grid"), std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_reservoir_source
