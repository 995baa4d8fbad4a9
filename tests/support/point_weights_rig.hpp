#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/networks/network.hpp>
#include <cauchy/training/point_weights.hpp>

// A training with known residuals, for tests of weights of points.

namespace cauchy {

/// Terms over given times in [0, 2], of a network that is 0 for theta = 0: a term u + f(t) then has
/// the residual f(t). The distance from the boundary is t.
struct Rig {
  struct Part {
    PointSource::Kind kind;
    std::vector<double> times;
    std::vector<Expr> residuals;
    double weight = 1;
  };
  using Kind = PointSource::Kind;

  explicit Rig(std::vector<Part> parts, std::string time = "t")
      : executor(
            make_executor(std::make_shared<const Graph>(make_network(
                              Mlp{.width = 3, .depth = 1}, {"t"}, std::vector<std::string>{"u"})),
                          terms(parts), {.threads = 1})),
        loss(*executor),
        points(sources(parts), {.time = std::move(time), .begin = 0, .end = 2}),
        theta(loss.size(), 0.0) {
    points.draw(0);
  }
  static std::vector<Term> terms(const std::vector<Part>& parts) {
    std::vector<Term> all;
    for (const Part& p : parts) all.push_back({"term", p.residuals, p.weight});
    return all;
  }
  static Points at(const std::vector<double>& times) {
    Points p;
    p.columns = {"t"};
    p.values = times;
    return p;
  }
  std::vector<PointSource> sources(const std::vector<Part>& parts) {
    std::vector<PointSource> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      PointSource s{.name = "term", .kind = parts[i].kind, .draw = {}, .use = {}};
      s.draw = [times = parts[i].times](std::size_t, const SamplerOptions&) { return at(times); };
      s.use = [this, i](const Points& p, std::span<const std::size_t> rows) {
        std::vector<double> some;
        for (const std::size_t r : rows) some.push_back(p.values[r]);
        executor->set_points(i, rows.empty() ? p.values : some);
      };
      s.weigh = [this, i](std::span<const double> w) {
        if (!w.empty()) executor->set_weights(i, w);
      };
      s.distance = [](const Points& p) { return p.values; };
      all.push_back(std::move(s));
    }
    return all;
  }
  std::unique_ptr<PointWeights> make(const PointWeightsOptions& options) const {
    return make_point_weights(options, points);
  }
  bool update(PointWeights& w, std::uint64_t step, bool moved = false, bool first_order = true) {
    return w.update(
        loss, points,
        {.step_in_stage = step, .step = step, .first_order = first_order, .theta = theta}, moved);
  }
  static std::vector<double> factors(const PointWeights& w, std::size_t term = 0) {
    return {w.factors(term).begin(), w.factors(term).end()};
  }

  std::unique_ptr<Executor> executor;
  TrainingLoss loss;
  TrainingPoints points;
  std::vector<double> theta;
};

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b,
                        double tolerance = 64 * std::numeric_limits<double>::epsilon()) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LE(std::abs(a[i] - b[i]), tolerance * std::abs(b[i])) << i << ": " << a[i];
  }
}

}  // namespace cauchy
