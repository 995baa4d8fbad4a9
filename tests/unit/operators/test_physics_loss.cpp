#include "operators/physics_loss.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/operators/refine.hpp>

#include "data/input_sampler.hpp"
#include "operators/operator_loss.hpp"
#include "support/message_of.hpp"
#include "support/operator_cases.hpp"

namespace cauchy::test_physics_loss {
namespace {

/// u - 0.02 u_xx = f on a circle, f a random trigonometric polynomial.
OperatorProblem screened_problem(int n, std::size_t train, std::size_t test) {
  const Coordinate x("x");
  const Field u("u");
  OperatorProblem p;
  p.problem.name = "screened";
  p.problem.fields = {"u"};
  p.problem.domain = Interval(x, 0, 1);
  p.problem.equation = {u - 0.02 * d(u, x, x) == DataFunction("f")(x)};
  p.problem.condition = {periodic(x)};
  p.inputs = {{.name = "f", .field = "matern(nu = 1.5, length = 0.3)"}};
  p.outputs = {"u"};
  p.grid = {n};
  p.samples = train;
  p.validation = 2;
  p.test = test;
  return p;
}

/// Its solutions by the Fourier series of f on a much finer grid.
DataSet screened_data(const OperatorProblem& p, std::size_t samples) {
  DataSet d;
  d.name = "screened";
  d.grid = grid_of(p);
  d.inputs = {"f"};
  d.outputs = {"u"};
  const int n = d.grid.axes[0].n, fine = 16 * n;
  const detail::InputSampler sampler(p, d.grid.resized({fine}));
  const double w = 2 * std::numbers::pi;
  for (std::size_t s = 0; s < samples; ++s) {
    const std::vector<double> f = sampler.on_grid(0, s);
    std::vector<double> u(static_cast<std::size_t>(n), 0.0);
    for (int k = 0; k < 2 * n; ++k) {
      double re = 0, im = 0;
      for (int j = 0; j < fine; ++j) {
        re += f[static_cast<std::size_t>(j)] * std::cos(w * k * j / fine) / fine;
        im += f[static_cast<std::size_t>(j)] * std::sin(w * k * j / fine) / fine;
      }
      const double factor = (k == 0 ? 1 : 2) / (1 + 0.02 * w * w * k * k);
      for (int i = 0; i < n; ++i) {
        const double angle = w * k * i / n;
        u[static_cast<std::size_t>(i)] += factor * (re * std::cos(angle) + im * std::sin(angle));
      }
    }
    for (int i = 0; i < n; ++i) d.in.push_back(f[static_cast<std::size_t>(16 * i)]);
    d.out.insert(d.out.end(), u.begin(), u.end());
  }
  return d;
}

FieldOperator physical_operator(GridDerivative derivative = GridDerivative::fourier) {
  FieldOperator m = small_operator();
  m.physics.weight = 1;
  m.physics.derivative = derivative;
  m.loss = OperatorLoss::mean_square;
  return m;
}

detail::FieldMap map_of(const OperatorProblem& p, const DataSet& data, const FieldOperator& m) {
  detail::FieldMap map;
  map.network = m.network;
  map.channels = detail::channels_of(p, data, m);
  map.grid = data.grid;
  map.precision = m.precision;
  auto [in, out] = detail::fit_normalizers(m.normalization, map.channels, data, data.size());
  map.input = std::move(in);
  map.output = std::move(out);
  return map;
}

TEST(PhysicsLoss, ItsGradientIsThatOfDifferences) {
  const OperatorProblem p = screened_problem(16, 4, 0);
  const DataSet data = screened_data(p, 4);
  for (const GridDerivative kind :
       {GridDerivative::difference_3, GridDerivative::fourier, GridDerivative::exact}) {
    for (const OperatorLoss loss : {OperatorLoss::relative_l2, OperatorLoss::mean_square}) {
      FieldOperator m = physical_operator(kind);
      m.loss = loss;
      Fno network = std::get<Fno>(m.network);
      network.projection = 5;
      network.depth = 2;
      m.network = network;
      const detail::FieldMap map = map_of(p, data, m);
      const detail::OperatorSamples samples(map.channels, data, 4,
                                            detail::norm_of(m.loss, map.grid), 1, 0);
      detail::PhysicsTerms terms = detail::physics_terms(map, m, p);
      const detail::LossGraph made = detail::make_loss(map, m, p, {}, 1, &terms);
      ASSERT_EQ(made.terms.size(), 2u);
      const auto e = make_tensor_executor(made.graph, {made.terms[1]},
                                          {.threads = 1, .precision = Precision::f64});
      std::vector<std::vector<double>> arrays;
      for (const TensorGraph::Input& input : made.graph->inputs()) {
        const std::size_t width = samples.width(input.name);
        std::vector<double>& all = arrays.emplace_back(4 * width);
        for (std::size_t i = 0; i < 4; ++i) {
          samples.read(i, input.name, std::span(all).subspan(i * width, width));
        }
      }
      const std::vector<std::span<const double>> spans(arrays.begin(), arrays.end());
      e->set_batch(4, spans);
      std::vector<double> theta = initial_parameters(made.graph->parameters(), Rng(3));
      std::vector<double> direction(theta.size()), gradient(theta.size());
      Rng(8).fill_normal(direction);
      (void)e->gradient(theta, gradient);
      double along = 0, size = 0;
      for (std::size_t i = 0; i < theta.size(); ++i) {
        along += direction[i] * gradient[i];
        size += direction[i] * direction[i] * gradient[i] * gradient[i];
      }
      const double h = 1e-5;
      std::vector<double> ahead = theta, behind = theta;
      for (std::size_t i = 0; i < theta.size(); ++i) {
        ahead[i] += h * direction[i];
        behind[i] -= h * direction[i];
      }
      const double difference = (e->loss(ahead) - e->loss(behind)) / (2 * h);
      ASSERT_GT(size, 0);
      EXPECT_LT(std::abs(difference - along), 1e-6 * std::sqrt(size))
          << to_string(kind) << " " << to_string(loss);
    }
  }
}

TEST(PhysicsLoss, ATermIsOneWhereTheAnswerIsNothing) {
  // The residual of u = 0 is f, and f is the largest of u, 0.02 u_xx and f.
  const OperatorProblem p = screened_problem(32, 8, 0);
  const DataSet data = screened_data(p, 8);
  FieldOperator m = physical_operator();
  m.normalization = Normalization::none;
  m.physics.smoothing = 0;
  const detail::FieldMap map = map_of(p, data, m);
  const detail::OperatorSamples samples(map.channels, data, 8, detail::norm_of(m.loss, map.grid), 1,
                                        0);
  const auto pool = std::make_shared<Threads>(1);
  detail::PhysicsTerms terms = detail::physics_terms(map, m, p);
  terms.sizes = detail::physics_sizes(map, m, p, samples, pool);
  ASSERT_EQ(terms.sizes.size(), 1u);
  double mean = 0;
  for (const double f : data.in) mean += f * f / static_cast<double>(data.in.size());
  EXPECT_NEAR(terms.sizes.begin()->second, std::sqrt(mean), 1e-12);
  const detail::LossGraph made = detail::make_loss(map, m, p, {}, 1, &terms);
  const auto e =
      make_tensor_executor(made.graph, made.terms, {.threads = 1, .precision = Precision::f64});
  const std::vector<double> nothing(made.graph->n_parameters(), 0.0);
  const std::span<const double> spans[] = {data.in, data.out};
  e->set_batch(8, spans);
  (void)e->loss(nothing);
  EXPECT_NEAR(e->last_terms()[1], 1, 1e-12);
}

TEST(PhysicsLoss, TwoResolutionsShareTheParametersAndTheFunctions) {
  const OperatorProblem p = screened_problem(16, 4, 0);
  const DataSet data = screened_data(p, 4);
  FieldOperator m = physical_operator();
  const detail::FieldMap map = map_of(p, data, m);
  const detail::LossGraph alone = detail::make_loss(map, m, p, {}, 1);
  EXPECT_EQ(alone.terms.size(), 1u);
  m.physics.grid = {64};
  const detail::PhysicsTerms terms = detail::physics_terms(map, m, p);
  ASSERT_TRUE(terms.own_inputs);
  for (const GridDerivative kind : {GridDerivative::difference_5, GridDerivative::exact}) {
    m.physics.derivative = kind;
    const detail::LossGraph both = detail::make_loss(map, m, p, {}, 1, &terms);
    EXPECT_EQ(both.graph->n_parameters(), alone.graph->n_parameters());
    EXPECT_EQ(both.graph->inputs().back().name, "physics/in");
    EXPECT_EQ(both.terms.size(), 2u);
  }
  Threads pool(2);
  const std::uint64_t numbers[] = {0, 3, 1000};
  const std::vector<double> fine =
      detail::physics_inputs(map, p, data, terms.grid, numbers, false, pool);
  ASSERT_EQ(fine.size(), 3u * 64u);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(fine[4 * i], data.in[i], 1e-12);
    EXPECT_NEAR(fine[64 + 4 * i], data.in[3 * 16 + i], 1e-12);
    EXPECT_NE(fine[128 + 4 * i], data.in[i]);
  }
  DataSet other = data;
  other.in[2] += 0.1;
  EXPECT_EQ(message_of([&] {
              (void)detail::physics_inputs(map, p, other, terms.grid, numbers, false, pool);
            }),
            "[train.physics]: sample 0 of 'f' is not the one that the problem draws; make the data "
            "from this problem, or leave out grid, samples and means");
}

TEST(PhysicsLoss, ItemsMeetAllInputsOfTheEquations) {
  const OperatorProblem p = screened_problem(8, 3, 0);
  const DataSet data = screened_data(p, 3);
  const FieldOperator m = physical_operator();
  const detail::Channels channels = detail::channels_of(p, data, m);
  detail::OperatorSamples samples(channels, data, 3, detail::norm_of(m.loss, data.grid), 1, 0);
  samples.set_physics_inputs({0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5}, 5);
  EXPECT_EQ(samples.size(), 5u);
  EXPECT_EQ(samples.width("physics/in"), 2u);
  std::vector<double> two(2), in(8);
  samples.read(4, "physics/in", two);
  EXPECT_EQ(two, (std::vector<double>{4, 4.5}));
  samples.read(4, "in", in);  // sample 1 again
  EXPECT_EQ(in[3], data.in[8 + 3]);
}

TEST(PhysicsLoss, EquationsAloneTeachTheOperator) {
  const OperatorProblem p = screened_problem(16, 12, 4);
  const DataSet data = screened_data(p, 18);
  FieldOperator m = physical_operator();
  m.physics.data = 0;
  m.stages = {{LbfgsOptions{}, 150}};
  const OperatorResult r = learn(p, data, m, {.threads = 1});
  ASSERT_EQ(r.training.term_names.size(), 1u);
  EXPECT_LT(r.test.mean_l2(), 2e-2);
}

TEST(PhysicsLoss, EquationsOnAFineGridMendWhatFewDataLeaveOpen) {
  const OperatorProblem p = screened_problem(12, 1, 4);
  const DataSet data = screened_data(p, 7);
  FieldOperator m = physical_operator();
  m.stages = {{LbfgsOptions{}, 120}};
  m.physics.weight = 0;
  const double alone = learn(p, data, m, {.threads = 1}).test.mean_l2();
  m.physics.weight = 1;
  m.physics.grid = {48};
  m.physics.samples = 12;
  const OperatorResult both = learn(p, data, m, {.threads = 1});
  EXPECT_LT(both.test.mean_l2(), 0.3 * alone);
  // The same bits for any number of threads.
  EXPECT_EQ(learn(p, data, m, {.threads = 2}).training.parameters, both.training.parameters);
}

TEST(PhysicsLoss, OptionsThatExcludeEachOtherAreRefused) {
  const OperatorProblem p = screened_problem(16, 8, 2);
  const DataSet data = screened_data(p, 12);
  const auto error = [&](const FieldOperator& m) {
    return message_of([&] { (void)learn(p, data, m, {.threads = 1}); });
  };
  FieldOperator m = physical_operator(GridDerivative::exact);
  m.network = Cnn{.width = 4, .depth = 1};
  EXPECT_EQ(error(m),
            "[train.physics]: exact derivatives are those of an FNO; use derivative = \"fourier\" "
            "or \"difference_5\"");
  EXPECT_EQ(message_of([&] { check_fits(p, m); }), error(m));  // before there are data
  m = physical_operator(GridDerivative::exact);
  m.normalization = Normalization::point;
  EXPECT_NE(error(m).find("has no exact derivatives"), std::string::npos) << error(m);
  m = physical_operator();
  m.physics.margin = 0;
  EXPECT_EQ(error(m),
            "[train]: the margin of the equations must be at least 1; on the boundary conditions "
            "hold");
  m = physical_operator();
  m.physics.grid = {32, 32};
  EXPECT_NE(error(m), "no error");
}

TEST(Refine, TheEquationsMakeOneAnswerBetter) {
  const OperatorProblem p = screened_problem(24, 6, 4);
  const DataSet data = screened_data(p, 12);
  FieldOperator m = small_operator();
  Fno network = std::get<Fno>(m.network);
  network.modes = {12};
  m.network = network;
  m.epochs = 20;
  m.precision = Precision::f32;
  const OperatorResult r = learn(p, data, m, {.threads = 1});
  RefineOptions options;
  options.physics.derivative = GridDerivative::fourier;
  options.steps = 60;
  const Refinement made = refine(*r.model, p, data, 9, options, {.threads = 1});
  EXPECT_LT(made.residual_after, 0.1 * made.residual_before);
  ASSERT_EQ(made.error_before.size(), 1u);
  EXPECT_LT(made.error_after.relative_l2[0], made.error_before.relative_l2[0] / 3);
  // No truth is looked at, and the model that it starts from stays as it is.
  DataSet untold = data;
  untold.out.clear();
  const Refinement blind = refine(*r.model, p, untold, 9, options, {.threads = 2});
  EXPECT_EQ(blind.after, made.after);
  EXPECT_TRUE(blind.error_after.empty());
  EXPECT_EQ(r.model->predict(data.part(9, 1), 1), made.before);
  // An anchor holds it back.
  options.anchor = 1e3;
  const Refinement held = refine(*r.model, p, data, 9, options, {.threads = 1});
  EXPECT_GT(held.error_after.relative_l2[0], made.error_after.relative_l2[0]);
  EXPECT_EQ(message_of([&] { (void)refine(*r.model, p, data, 12, options); }),
            "[refine]: there is no sample 12 in a data set of 12; they are numbered from 0 to 11");
}

TEST(Refine, GoesOnTheGridOfTheSolverWhereInputsAreMeans) {
  OperatorProblem p = screened_problem(24, 6, 4);
  p.inputs[0].mean = 0.1;
  DataSet data = screened_data(p, 12);
  const detail::InputSampler sampler(p, data.grid);
  for (std::size_t s = 0; s < 12; ++s) {
    std::ranges::copy(sampler.on_grid(0, s), data.in.begin() + static_cast<std::ptrdiff_t>(24 * s));
  }
  FieldOperator m = small_operator();
  Fno network = std::get<Fno>(m.network);
  network.modes = {12};
  m.network = network;
  m.epochs = 20;
  m.precision = Precision::f32;
  const OperatorResult r = learn(p, data, m, {.threads = 1});
  RefineOptions options;
  options.physics.derivative = GridDerivative::fourier;
  options.physics.grid = {48};
  options.number = 9;
  options.steps = 60;
  const Refinement made = refine(*r.model, p, data, 9, options, {.threads = 1});
  ASSERT_EQ(made.after.size(), 24u);
  EXPECT_LT(made.error_after.relative_l2[0], made.error_before.relative_l2[0] / 3);
  // The equations have the function and not its means.
  Threads pool(1);
  const std::uint64_t numbers[] = {9};
  const DataSet one = data.part(9, 1);
  const detail::InputSampler fine(p, data.grid.resized({48}));
  const auto drawn = [&](bool values) {
    return detail::physics_inputs(map_of(p, one, m), p, one, fine.grid(), numbers, values, pool);
  };
  EXPECT_EQ(drawn(true), fine.values_on_grid(0, 9));
  EXPECT_EQ(drawn(false), fine.on_grid(0, 9));
  EXPECT_NE(drawn(true), drawn(false));
  options.number = 8;
  EXPECT_EQ(message_of([&] { (void)refine(*r.model, p, data, 9, options); }),
            "[train.physics]: sample 8 of 'f' is not the one that the problem draws; make the data "
            "from this problem, or leave out grid, samples and means");
  options.number = {};
  EXPECT_NE(message_of([&] {
              (void)refine(*r.model, p, data, 9, options);
            }).find("which sample of the problem it is"),
            std::string::npos);
  options.number = 9;
  options.physics.grid = {50};
  EXPECT_NE(
      message_of([&] { (void)refine(*r.model, p, data, 9, options); }).find("are not all nodes of"),
      std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_physics_loss
