#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/training/loss.hpp>

#include "lecture_3/information.hpp"

namespace cauchy::notes {

/// lap u + u = f on [-1, 1]^2, u = sin(pi x) sin(pi y) and 0 on the boundary: a network whose
/// collocation points are parted into batches by place, 4 x 4 boxes, to watch their gradients.
struct HelmholtzTraining {
  static constexpr std::size_t side = 4, batches = side * side, per_batch = 36;
  Expr u = Field("u"), residual, exact;
  std::shared_ptr<const Graph> graph;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<TrainingLoss> loss;
  std::vector<double> theta, test;
  Adam adam{AdamOptions{.learning_rate = 2e-3}};

  explicit HelmholtzTraining(int threads) {
    const Coordinate x("x"), y("y");
    exact = sin(pi * x) * sin(pi * y);
    residual = d(u, x, x) + d(u, y, y) + u - (1 - 2 * pi * pi) * exact;
    const std::vector<std::string> fields{"u"};
    graph = std::make_shared<const Graph>(
        make_network(Mlp{.width = 20, .depth = 3}, {"x", "y"}, fields));
    theta = initial_parameters(graph->parameters(), Rng(1));
    std::vector<Term> terms;
    for (std::size_t b = 0; b < batches; ++b) {
      terms.push_back({"batch " + std::to_string(b), {residual}, 1.0 / batches});
    }
    terms.push_back({"boundary", {u}, 100});
    executor = make_executor(graph, terms, {.threads = threads});
    const std::vector<double> unit = unit_points({}, 2, per_batch);
    for (std::size_t b = 0; b < batches; ++b) {
      std::vector<double> points;
      for (std::size_t k = 0; k < per_batch; ++k) {
        points.push_back(-1 + 2 * (double(b % side) + unit[2 * k]) / side);
        points.push_back(-1 + 2 * (double(b / side) + unit[2 * k + 1]) / side);
      }
      executor->set_points(b, points);
    }
    std::vector<double> around;
    for (int k = 0; k < 40; ++k) {
      const double s = -1 + 2 * (k + 0.5) / 40;
      around.insert(around.end(), {s, -1, s, 1, -1, s, 1, s});
    }
    executor->set_points(batches, around);
    for (int k = 0; k < 41 * 41; ++k) {
      test.insert(test.end(), {-1 + (k % 41) / 20.0, -1 + (k / 41) / 20.0});
    }
    loss = std::make_unique<TrainingLoss>(*executor);
  }

  void steps(int n) {
    for (int k = 0; k < n; ++k) (void)adam.step(*loss, theta);
  }
  [[nodiscard]] std::vector<double> values(const Expr& what) {
    std::vector<double> out(test.size() / 2);
    executor->predict(std::vector<Expr>{what}, theta, test, out);
    return out;
  }
  [[nodiscard]] double error() {
    double wrong = 0, size = 0;
    const auto e = values(u - exact), s = values(exact + 0 * u);
    for (std::size_t i = 0; i < e.size(); ++i) wrong += e[i] * e[i], size += s[i] * s[i];
    return std::sqrt(wrong / size);
  }
  /// Gradients of the loss of every batch (its equation and the boundary), one per row.
  [[nodiscard]] Matrix gradients() {
    const std::size_t n = theta.size();
    std::vector<double> all((batches + 1) * n);
    loss->parts_at(theta, {}, all);
    Matrix g(batches, n);
    for (std::size_t b = 0; b < batches; ++b) {
      for (std::size_t j = 0; j < n; ++j) {
        g(b, j) = double(batches) * all[b * n + j] + all[batches * n + j];
      }
    }
    return g;
  }
};

inline double cosine(std::span<const double> a, std::span<const double> b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
  return ab / std::sqrt(aa * bb);
}

}  // namespace cauchy::notes
