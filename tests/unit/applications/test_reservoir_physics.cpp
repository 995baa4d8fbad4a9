#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/applications/weather_simulator.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/operators/learn.hpp>

#include "operators/sample_physics.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_reservoir_physics {
namespace {

/// Gravity, capillary pressure and a well whose lowest cell may shut.
ReservoirSimulator heavy(int reports = 4, bool fluxes = false) {
  ReservoirSimulator s;
  s.cells = {9, 8, 3};
  s.field = "gaussian(length = 0.3)";
  s.wells = five_spot_wells(s.cells, 12);
  s.days = 300;
  s.reports = reports;
  s.fluxes = fluxes;
  s.fluids.gravity = true;
  s.fluids.entry_pressure = 0.05;
  s.faults = {{.across = FaultAxis::x, .at = 4, .from = 1, .to = 6, .multiplier = 0.2}};
  s.schedule.scheme = ReservoirScheme::implicit;
  return s;
}

OperatorProblem problem_of(const ReservoirSimulator& s) {
  OperatorProblem op;
  op.problem.name = "heavy";
  op.source = std::make_shared<ReservoirSource>(s);
  op.samples = 4;
  op.validation = op.test = 1;
  return op;
}

/// The residuals of a simulator with the outputs of a sample as input of a graph.
class Residuals {
 public:
  explicit Residuals(const ReservoirSimulator& s, double smoothing = 0) : op_(problem_of(s)) {
    DataSet shape;
    shape.grid = map_.grid = op_.source->grid();
    shape.inputs = op_.source->inputs();
    shape.outputs = op_.source->outputs();
    map_.channels = detail::channels_of(op_, shape, FieldOperator{});
    table_ = detail::table_of(map_.channels, shape);
    PhysicsLoss loss;
    loss.smoothing = smoothing;
    auto graph = std::make_shared<TensorGraph>();
    const std::vector<int> sizes = map_.grid.sizes();
    const int in = graph->input("in", {static_cast<int>(shape.inputs.size()), sizes});
    const int out = graph->input("out", {static_cast<int>(shape.outputs.size()), sizes});
    whole_ = detail::add_sample_residuals(*graph, map_, loss, op_, in, out,
                                          detail::ResidualParts::whole);
    parts_ = detail::add_sample_residuals(*graph, map_, loss, op_, in, out,
                                          detail::ResidualParts::summands);
    executor = make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
  }
  /// In the order that the answer of a network has.
  [[nodiscard]] std::vector<double> ordered(const std::vector<double>& out) const {
    std::vector<double> to;
    const auto n = static_cast<std::ptrdiff_t>(map_.grid.n_points());
    for (const std::size_t c : table_.outputs) {
      const auto from = out.begin() + static_cast<std::ptrdiff_t>(c) * n;
      to.insert(to.end(), from, from + n);
    }
    return to;
  }
  /// Root mean square in units of the largest summand for `truth`.
  double operator()(const std::string& name, const SampleSource::Sample& truth,
                    const std::vector<double>& out) {
    for (std::size_t r = 0; r < whole_.size(); ++r) {
      if (whole_[r].name != name) continue;
      const double size = std::ranges::max(squares(parts_[r].value, truth.in, truth.out));
      return std::sqrt(squares(whole_[r].value, truth.in, out)[0] / size);
    }
    ADD_FAILURE() << name;
    return NAN;
  }
  double operator()(const std::string& name, const SampleSource::Sample& truth) {
    return (*this)(name, truth, truth.out);
  }
  std::vector<double> squares(int value, const std::vector<double>& in,
                              const std::vector<double>& out) {
    const std::vector<double> answer = ordered(out);
    const std::span<const double> inputs[] = {in, answer};
    std::vector<double> found(executor->graph().shape(value).size());
    executor->predict(value, {}, 1, inputs, found);
    return found;
  }
  [[nodiscard]] const std::vector<detail::PhysicsResidual>& all() const { return whole_; }
  std::unique_ptr<TensorExecutor> executor;

 private:
  OperatorProblem op_;
  detail::FieldMap map_;
  detail::ChannelTable table_;
  std::vector<detail::PhysicsResidual> whole_, parts_;
};

TEST(ReservoirPhysics, TheSimulatorsOwnAnswerLeavesLittleOver) {
  const ReservoirSimulator s = heavy(16, true);
  const ReservoirSource source(s);
  const SampleSource::Sample truth = source.make(1, 0, nullptr);
  Residuals r(s);
  ASSERT_EQ(r.all().size(), 3u);
  // Fluxes are those of the pressures; balances of an implicit step hold but for the weight of the
  // liquid in the wells, which is that of the step before.
  EXPECT_LT(r("flux", truth), 1e-10);
  EXPECT_LT(r("total flow", truth), 1e-2);
  // The quadrature over 19 days.
  const double water = r("water", truth);
  EXPECT_LT(water, 0.2);
  // 1 bar, 0.05 of the pores, a tenth of the fluxes.
  const std::size_t n = 9 * 8 * 3;
  const auto with = [&](auto change) {
    SampleSource::Sample other = truth;
    for (std::size_t i = 0; i < other.out.size(); ++i) {
      const std::size_t kind = i >= 32 * n ? 2 : i / n % 2;
      change(other.out[i], kind, std::sin(0.7 * static_cast<double>(i)));
    }
    return other.out;
  };
  const auto pressures = with([](double& v, std::size_t k, double w) { v += k == 0 ? w : 0; });
  const auto waters = with([](double& v, std::size_t k, double w) { v += k == 1 ? 0.1 * w : 0; });
  const auto turned = with([](double& v, std::size_t k, double) { v = k == 2 ? -v : v; });
  EXPECT_GT(r("flux", truth, pressures), 0.1);
  EXPECT_GT(r("water", truth, waters), 2 * water);
  EXPECT_GT(r("flux", truth, turned), 1);
  EXPECT_GT(r("total flow", truth, turned), 1);
}

TEST(ReservoirPhysics, WaterIsBalancedTheBetterTheMoreReports) {
  std::vector<double> water;
  for (const int reports : {20, 40, 80}) {
    ReservoirSimulator s = heavy(reports);
    s.schedule.max_change = 1;  // a step of the simulator is one between reports
    const SampleSource::Sample truth = ReservoirSource(s).make(1, 0, nullptr);
    Residuals r(s);
    water.push_back(r("water", truth));
    EXPECT_LT(r("total flow", truth), 1e-2);
  }
  // Fronts are jumps: order above 1/2.
  EXPECT_LT(water[1], water[0] / 1.2);
  EXPECT_LT(water[2], water[1] / 1.2);
  EXPECT_LT(water[2], water[0] / 2);
}

TEST(ReservoirPhysics, PoresThatYieldTakePartInBothBalances) {
  // Rock so tight that pressures change for months.
  ReservoirSimulator s = heavy(30);
  s.sand = {2, 0.25};
  s.shale = {1, 0.15};
  s.wells = five_spot_wells(s.cells, 0.5);
  s.compressibility = 5e-4;
  s.schedule.max_change = 1;
  const SampleSource::Sample truth = ReservoirSource(s).make(1, 0, nullptr);
  Residuals right(s);
  s.compressibility = 0;
  Residuals wrong(s);
  // The first steps of the simulator are shorter than those between reports.
  EXPECT_LT(2 * right("total flow", truth), wrong("total flow", truth));
  EXPECT_LT(3 * right("water", truth), wrong("water", truth));
}

TEST(ReservoirPhysics, GravityOfTheWrongSignIsSeen) {
  const ReservoirSimulator s = heavy(60);
  const SampleSource::Sample truth = ReservoirSource(s).make(1, 0, nullptr);
  ReservoirSimulator turned = s;
  std::swap(turned.fluids.water_density, turned.fluids.oil_density);
  EXPECT_GT(Residuals(turned)("total flow", truth), 100 * Residuals(s)("total flow", truth));
  ReservoirSimulator none = s;
  none.fluids.gravity = false;
  EXPECT_GT(Residuals(none)("total flow", truth), 100 * Residuals(s)("total flow", truth));
}

TEST(ReservoirPhysics, GradientsAreThoseOfDifferences) {
  for (const bool fluxes : {false, true}) {
    const ReservoirSimulator s = heavy(2, fluxes);
    const SampleSource::Sample truth = ReservoirSource(s).make(1, 0, nullptr);
    Residuals r(s, 1);
    std::vector<double> out = r.ordered(truth.out), direction(out.size());
    Rng rng(4);
    // Away from the kinks of truths: saturations at an end, faces without flow.
    for (std::size_t i = 0; i < out.size(); ++i) {
      direction[i] = rng.normal() * 1e-3;
      out[i] += 0.02 * rng.normal() + 0.02;
    }
    for (const detail::PhysicsResidual& residual : r.all()) {
      const auto value = [&](double h) {
        std::vector<double> moved = out;
        for (std::size_t i = 0; i < out.size(); ++i) moved[i] += h * direction[i];
        const std::span<const double> inputs[] = {truth.in, moved};
        double v = 0;
        r.executor->predict(residual.value, {}, 1, inputs, {&v, 1});
        return v;
      };
      const std::span<const double> inputs[] = {truth.in, out};
      r.executor->set_batch(1, inputs);
      std::vector<double> by_out(out.size());
      const double one = 1;
      r.executor->adjoint(residual.value, {}, {&one, 1}, {}, 1, by_out);
      double along = 0, size = 0;
      for (std::size_t i = 0; i < out.size(); ++i) {
        along += direction[i] * by_out[i];
        size += std::pow(direction[i] * by_out[i], 2);
      }
      const double h = 1e-5;
      EXPECT_LT(std::abs((value(h) - value(-h)) / (2 * h) - along), 1e-4 * std::sqrt(size))
          << residual.name;
      EXPECT_GT(size, 0);
    }
  }
}

TEST(ReservoirPhysics, EquationsTakePartInALossWithRocksOfTheirOwn) {
  const OperatorProblem op = problem_of(heavy(2, true));
  const DataSet data = make_data(op);
  FieldOperator method;
  method.network = Fno{.width = 4, .depth = 2, .modes = {2}, .projection = 8};
  method.epochs = 2;
  method.loss = OperatorLoss::mean_square;
  method.physics.weight = 0.1;
  method.physics.samples = 7;
  const OperatorResult one = learn(op, data, method, {.threads = 1});
  EXPECT_EQ(one.training.term_names,
            (std::vector<std::string>{"data", "flux", "total flow", "water"}));
  EXPECT_EQ(one.epochs.size(), 2u);
  const OperatorResult two = learn(op, data, method, {.threads = 2});
  EXPECT_EQ(one.training.parameters, two.training.parameters);
  method.physics.weight = 0;
  EXPECT_NE(learn(op, data, method, {.threads = 1}).training.parameters, one.training.parameters);
  const ReservoirSource& source = dynamic_cast<const ReservoirSource&>(*op.source);
  EXPECT_EQ(source.draw(3, 11), source.make(3, 11, nullptr).in);
  DataSet foreign = data;
  foreign.in[0] += 1;
  method.physics.weight = 1;
  EXPECT_EQ(message_of([&] { (void)learn(op, foreign, method, {.threads = 1}); }),
            "[train.physics]: sample 0 is not the one that the simulator draws; make the data from "
            "this problem, or leave out samples");
}

TEST(ReservoirPhysics, WhatHasNoMeaningForASimulatorIsRefused) {
  FieldOperator method;
  method.network = Fno{.width = 4, .depth = 2, .modes = {2}, .projection = 8};
  method.physics.weight = 1;
  const OperatorProblem op = problem_of(heavy());
  const auto said = [&](const OperatorProblem& problem, const FieldOperator& m) {
    return message_of([&] { check_fits(problem, m); });
  };
  EXPECT_EQ(said(op, method), "no error");
  FieldOperator other = method;
  other.physics.grid = {16, 16};
  EXPECT_EQ(said(op, other),
            "[train.physics]: a simulator brings its own differences, on its own cells; leave out "
            "grid, derivative and margin");
  other = method;
  other.physics.derivative = GridDerivative::fourier;
  EXPECT_NE(said(op, other).find("its own differences"), std::string::npos);
  other = method;
  other.time_axis = true;
  EXPECT_NE(said(op, other).find("at all its times"), std::string::npos);
  ReservoirSimulator moving = heavy();
  moving.cells = {18, 18, 2};
  moving.wells = five_spot_wells(moving.cells, 12);
  moving.placement = 1;
  EXPECT_EQ(said(problem_of(moving), method),
            "[train.physics]: wells that move have no equations in a loss yet; use placement = 0, "
            "or leave its weight at 0");
  DeepOnet points;
  points.physics.weight = 1;
  EXPECT_NE(message_of([&] { check_fits(op, points); }).find("need a network on its grid"),
            std::string::npos);
  OperatorProblem weather = op;
  weather.source = std::make_shared<WeatherSource>(WeatherSimulator{});
  EXPECT_NE(said(weather, method).find("there are no equations for the loss"), std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_reservoir_physics
