#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>

#include "operators/operator_loss.hpp"
#include "operators/operator_samples.hpp"
#include "support/message_of.hpp"
#include "support/operator_cases.hpp"

namespace cauchy::detail::test_operator_loss {
namespace {

/// Along x closed, along y periodic; 5 x 4.
FieldGrid mixed_grid() { return {.axes = {{"x", 5, 0, 2}, {"y", 4, -1, 1, true}}}; }

std::vector<double> random_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<double> v(n);
  Rng(seed).fill_normal(v);
  return v;
}

/// The squared norm by its formula, node by node.
double naive_square(const std::vector<double>& v, bool differences) {
  const double hx = 0.5, hy = 0.5;
  const auto at = [&](int i, int j) { return v[static_cast<std::size_t>(4 * i + (j + 4) % 4)]; };
  const auto end = [](int i) { return i == 0 || i == 4 ? 0.5 : 1.0; };
  double sum = 0;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 4; ++j) {
      sum += end(i) * hx * hy * at(i, j) * at(i, j);
      if (!differences) continue;
      const double dy = (at(i, j + 1) - at(i, j)) / hy;
      sum += end(i) * hx * hy * dy * dy;
      if (i == 4) continue;
      const double dx = (at(i + 1, j) - at(i, j)) / hx;
      sum += hx * hy * dx * dx;
    }
  }
  return sum;
}

TEST(FieldNorm, IsTheIntegralAndThatOfTheDifferences) {
  const std::vector<double> v = random_numbers(20, 3);
  for (const bool differences : {false, true}) {
    const double exact = naive_square(v, differences);
    EXPECT_LT(std::abs(FieldNorm(mixed_grid(), differences).squared(v) - exact), 1e-14 * exact * 20)
        << differences;
  }
  EXPECT_LT(std::abs(FieldNorm(mixed_grid(), false).measure() - 4), 1e-14);
}

TEST(FieldNorm, OnTheSphereIsTheIntegralByArea) {
  // sin^2 has the integral 4 pi / 3; zones of 1.4 degrees are exact for its mean to second order.
  const FieldGrid grid = {.axes = {{"latitude", 128, -90 + 90.0 / 128, 90 - 90.0 / 128},
                                   {"longitude", 3, 0, 360, true}}};
  const FieldNorm norm = FieldNorm::on_sphere(grid);
  const double sphere = 16 * std::atan(1.0);
  EXPECT_LT(std::abs(norm.measure() - sphere), 1e-12);
  std::vector<double> v;
  for (int i = 0; i < 128; ++i) {
    v.insert(v.end(), 3, std::sin(grid.axes[0].node(i) * std::atan(1.0) / 45));
  }
  EXPECT_LT(std::abs(norm.squared(v) - sphere / 3), 1e-3);
  // With the poles.
  EXPECT_LT(std::abs(FieldNorm::on_sphere(
                         {.axes = {{"latitude", 9, -90, 90}, {"longitude", 4, 0, 360, true}}})
                         .measure() -
                     sphere),
            1e-12);
  EXPECT_NE(message_of([] { (void)FieldNorm::on_sphere(mixed_grid()); }).find("latitude"),
            std::string::npos);
}

TEST(FieldNorm, DifferencesNeedAGrid) {
  FieldGrid cloud = mixed_grid();
  cloud.cloud = {0, 0, 1, 0.5};
  EXPECT_EQ(message_of([&] { FieldNorm(cloud, true); }),
            "[operators]: the H1 norm needs a grid, the samples are given at scattered points; use "
            "loss = \"relative_l2\"");
}

/// Error of an answer in a graph whose inputs are answer, truth and scale.
double in_graph(const std::vector<double>& answer, const std::vector<double>& truth,
                const std::vector<double>& scale, bool differences, const RelativeError& options) {
  auto graph = std::make_shared<TensorGraph>();
  const TensorShape shape{static_cast<int>(options.field.size()), {5, 4}};
  const int a = graph->input("answer", shape), t = graph->input("truth", shape);
  const int s = graph->input("scale", {1, {static_cast<int>(scale.size())}});
  const int e = add_error(*graph, a, t, s, FieldNorm(mixed_grid(), differences), options);
  const auto executor =
      make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
  double out = 0;
  const std::span<const double> inputs[] = {answer, truth, scale};
  executor->predict(e, {}, 1, inputs, std::span(&out, 1));
  return out;
}

TEST(OperatorLoss, RelativeErrorsAreThoseOfTheFormula) {
  const std::vector<double> answer = random_numbers(20, 4), truth = random_numbers(20, 5);
  std::vector<double> misfit(20);
  for (std::size_t i = 0; i < 20; ++i) misfit[i] = answer[i] - truth[i];
  for (const bool differences : {false, true}) {
    const double size = naive_square(truth, differences);
    const double exact = std::sqrt(naive_square(misfit, differences) / size);
    const double got =
        in_graph(answer, truth, {1 / size}, differences, {{0}, 1, 1, Precision::f64});
    EXPECT_LT(std::abs(got - exact), 1e-13 * exact) << differences;
  }
}

TEST(OperatorLoss, SeveralFieldsCountAlikeAndStepsAreAveraged) {
  // Fields u, v in two steps: channels u1, v1, u2, v2.
  const std::vector<double> answer = random_numbers(80, 6), truth = random_numbers(80, 7);
  std::vector<double> ratio, scale;
  for (std::size_t c = 0; c < 4; ++c) {
    std::vector<double> misfit(20), one(20);
    for (std::size_t i = 0; i < 20; ++i) {
      one[i] = truth[20 * c + i];
      misfit[i] = answer[20 * c + i] - one[i];
    }
    scale.push_back(1 / naive_square(one, false));
    ratio.push_back(naive_square(misfit, false) * scale.back());
  }
  const double exact =
      (std::sqrt((ratio[0] + ratio[1]) / 2) + std::sqrt((ratio[2] + ratio[3]) / 2)) / 2;
  const double got = in_graph(answer, truth, scale, false, {{0, 1, 0, 1}, 2, 2, Precision::f64});
  EXPECT_LT(std::abs(got - exact), 1e-13 * exact);
}

TEST(OperatorLoss, APerfectAnswerHasAFiniteGradient) {
  const DataSet data = heat_data(16, 2);
  FieldMap map;
  map.network = small_operator().network;
  map.channels = channels_of({}, data, {});
  map.grid = data.grid;
  map.precision = Precision::f64;
  map.input = Normalizer(1);
  map.output = Normalizer(1);
  const LossGraph loss = make_loss(map, small_operator(), heat_problem(2, 0, 0), {}, 1);
  const auto executor =
      make_tensor_executor(loss.graph, loss.terms, {.threads = 1, .precision = Precision::f64});
  const std::vector<double> zero(executor->n_parameters(), 0.0), nothing(16, 0.0), one = {1};
  const std::span<const double> inputs[] = {std::span(data.in).first(16), nothing, one};
  executor->set_batch(1, inputs);
  std::vector<double> g(zero.size(), NAN);
  EXPECT_LT(executor->gradient(zero, g), 1e-14);
  for (const double d : g) EXPECT_EQ(d, 0);
}

/// Everything that a loss of heat data needs.
struct LossCase {
  DataSet data;
  FieldOperator method;
  FieldMap map;
  std::unique_ptr<OperatorSamples> samples;
  std::unique_ptr<TensorExecutor> executor;
  std::vector<double> theta;

  LossCase(DataSet d, FieldOperator m, std::size_t steps) : data(std::move(d)), method(m) {
    map.network = method.network;
    map.channels = channels_of({}, data, method);
    map.grid = data.grid;
    map.precision = method.precision;
    auto [in, out] = fit_normalizers(method.normalization, map.channels, data, data.size());
    map.input = in;
    map.output = out;
    samples = std::make_unique<OperatorSamples>(map.channels, data, data.size(),
                                                norm_of(method.loss, map.grid), steps, 0);
    const LossGraph loss =
        make_loss(map, method, heat_problem(1, 0, 0), samples->table().times, steps);
    executor =
        make_tensor_executor(loss.graph, loss.terms, {.threads = 1, .precision = method.precision});
    theta = initial_parameters(loss.graph->parameters(), Rng(3));
  }

  void load(std::size_t item) {
    std::vector<std::vector<double>> buffers;
    for (const auto& input : executor->graph().inputs()) {
      buffers.emplace_back(samples->width(input.name));
      samples->read(item, input.name, buffers.back());
    }
    std::vector<std::span<const double>> spans(buffers.begin(), buffers.end());
    executor->set_batch(1, spans);
  }
};

TEST(OperatorLoss, MeanSquaresAreInUnitsOfTheNormalisation) {
  for (const Normalization kind : {Normalization::channel, Normalization::point}) {
    FieldOperator m = small_operator();
    m.loss = OperatorLoss::mean_square;
    m.normalization = kind;
    LossCase c(heat_data(16, 5), m, 1);
    c.load(2);
    const double got = c.executor->loss(c.theta);
    MapPredictor predictor(c.map, c.data, std::make_shared<Threads>(1));
    const std::vector<double> answer = predictor(c.theta, c.data);
    double exact = 0;
    for (std::size_t p = 0; p < 16; ++p) {
      // Deviation over the samples and, of a channel, over the points.
      std::vector<double> all;
      for (std::size_t s = 0; s < 5; ++s) {
        for (std::size_t q = 0; q < 16; ++q) {
          if (kind == Normalization::channel || q == p) all.push_back(c.data.out[16 * s + q]);
        }
      }
      double mean = 0, variance = 0;
      for (const double v : all) mean += v / static_cast<double>(all.size());
      for (const double v : all) variance += (v - mean) * (v - mean);
      variance /= static_cast<double>(all.size());
      const double misfit = answer[32 + p] - c.data.out[32 + p];
      exact += misfit * misfit / variance / 16;
    }
    EXPECT_LT(std::abs(got - exact), 1e-12 * exact) << to_string(kind);
  }
}

TEST(OperatorLoss, ARollOutOfTwoStepsIsTheNetworkTwice) {
  constexpr std::ptrdiff_t n = 16;
  FieldOperator m = small_operator();
  m.history = 2;
  m.unroll = 2;
  const DataSet data = heat_data(n, 3, {0, 0.5, 1, 1.5, 2});
  LossCase c(data, m, 2);
  EXPECT_EQ(c.samples->size(), 3u * 2u);  // windows that begin at frames 0 and 1
  c.load(2 * 1 + 1);                      // sample 1, from frame 1 on
  const double got = c.executor->loss(c.theta);

  MapPredictor predictor(c.map, c.data, std::make_shared<Threads>(1));
  const auto frame = [&](std::ptrdiff_t k) {
    return std::vector<double>(data.out.begin() + (5 + k) * n, data.out.begin() + (6 + k) * n);
  };
  const auto next = [&](std::vector<double> before, const std::vector<double>& now) {
    before.insert(before.end(), now.begin(), now.end());
    const std::vector<double> f(data.in.begin() + n, data.in.begin() + 2 * n);
    before.insert(before.end(), f.begin(), f.end());  // the input that is no frame
    std::vector<double> out(n);
    predictor.step(c.theta, 1, before, out);
    return out;
  };
  const std::vector<double> third = next(frame(1), frame(2)), fourth = next(frame(2), third);
  const auto error = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double misfit = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      misfit += (a[i] - b[i]) * (a[i] - b[i]);
      size += b[i] * b[i];
    }
    return std::sqrt(misfit / size);
  };
  const double exact = (error(third, frame(3)) + error(fourth, frame(4))) / 2;
  EXPECT_LT(std::abs(got - exact), 1e-12 * exact);

  // The gradient goes through both steps.
  std::vector<double> g(c.theta.size());
  (void)c.executor->gradient(c.theta, g);
  Rng rng(5);
  std::vector<double> ahead = c.theta, behind = c.theta;
  double along = 0;
  const double h = 1e-6;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double d = rng.normal();
    along += g[i] * d;
    ahead[i] += h * d;
    behind[i] -= h * d;
  }
  const double slope = (c.executor->loss(ahead) - c.executor->loss(behind)) / (2 * h);
  EXPECT_LT(std::abs(slope - along), 1e-7 * std::abs(along));
}

TEST(OperatorLoss, ATruthThatIsZeroIsMeasuredByTheOthers) {
  DataSet data = heat_data(8, 3);
  for (std::size_t i = 8; i < 16; ++i) data.out[i] = 0;
  const FieldNorm norm(data.grid, false);
  const OperatorSamples samples(channels_of({}, data, {}), data, 3, norm, 1, 0);
  const auto size = [&](std::size_t s) {
    return norm.squared(std::span(data.out).subspan(8 * s, 8));
  };
  double scale = 0;
  samples.read(1, "scale", std::span(&scale, 1));
  EXPECT_LT(std::abs(scale * (size(0) + size(2)) / 3 - 1), 1e-14);
  samples.read(2, "scale", std::span(&scale, 1));
  EXPECT_LT(std::abs(scale * size(2) - 1), 1e-14);
}

}  // namespace
}  // namespace cauchy::detail::test_operator_loss
