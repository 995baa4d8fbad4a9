#pragma once

#include <memory>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>

namespace cauchy {

/// Loss and points of a bar that cools down, as rules of a training meet them: an equation, the
/// start, the ends, and where wanted the heat at two times, as squares or as an energy.
struct SmallTraining {
  std::unique_ptr<Executor> executor;
  std::unique_ptr<TrainingLoss> loss;
  std::unique_ptr<TrainingPoints> points;
  std::vector<double> theta;

  [[nodiscard]] double factor(std::size_t term) const {
    return loss->factor(term, WeightLayer::balancer);
  }
};

struct SmallTrainingOptions {
  bool integral = false;
  TermForm form = TermForm::square;  ///< of the integral
  std::uint64_t seed = 2;
  std::size_t n_terms = 3;  ///< of the three
};

inline SmallTraining small_training(const SmallTrainingOptions& options = {}) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  SmallTraining s;
  std::vector<Term> terms = {{"equation", {d(u, t) - 0.25 * d(u, x, x), u * d(u, x)}, 0.5},
                             {"start", {u - cos(pi * x / 2)}, 3},
                             {"ends", {u}, 20}};
  terms.resize(options.n_terms);
  if (options.integral) terms.push_back({"heat", {u, u * u}, 2, {}, options.form});
  s.executor =
      make_executor(std::make_shared<const Graph>(make_network(
                        Mlp{.width = 5, .depth = 2}, {"t", "x"}, std::vector<std::string>{"u"})),
                    terms, {.threads = 1});
  std::vector<PointSource> sources;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    using enum PointSource::Kind;
    const PointSource::Kind kinds[] = {equation, initial, condition, condition};
    PointSource source{.name = terms[i].name,
                       .n = i == 0 ? 12u : 6u,
                       .divisible = i < 3,
                       .kind = kinds[i],
                       .draw = {},
                       .use = {}};
    source.draw = [i](std::size_t n, const SamplerOptions& sampler) {
      Points p;
      p.columns = {"t", "x"};
      p.values = unit_points(sampler, 2, n);
      for (std::size_t k = 0; k < n; ++k) {
        if (i == 1) p.values[2 * k] = 0;
        p.values[2 * k + 1] = i == 2 ? (k % 2 == 0 ? -1.0 : 1.0) : 2 * p.values[2 * k + 1] - 1;
      }
      return p;
    };
    source.use = [i, executor = s.executor.get()](const Points& p,
                                                  std::span<const std::size_t> rows) {
      const Groups halves{.offsets = {0, 3, 6},
                          .points = {0, 1, 2, 3, 4, 5},
                          .weights = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6},
                          .targets = {0.5, 0.1, 0.2, 0.3}};
      std::vector<double> some;
      for (const std::size_t r : rows) some.insert(some.end(), p.row(r).begin(), p.row(r).end());
      executor->set_points(
          i, {.points = rows.empty() ? p.values : some, .groups = i == 3 ? &halves : nullptr});
    };
    source.weigh = [i, executor = s.executor.get()](std::span<const double> weights) {
      if (!weights.empty()) return executor->set_weights(i, weights);
      executor->set_weights(i, std::vector<double>(executor->n_groups(i), 1.0));
    };
    source.distance = [](const Points& p) {
      std::vector<double> all;
      for (std::size_t k = 0; k < p.size(); ++k) {
        all.push_back(std::min(p.row(k)[1] + 1, 1 - p.row(k)[1]));
      }
      return all;
    };
    sources.push_back(std::move(source));
  }
  PointSettings settings;
  settings.seed = options.seed;
  settings.time = "t";
  s.points = std::make_unique<TrainingPoints>(std::move(sources), settings);
  s.points->draw(0);
  s.loss = std::make_unique<TrainingLoss>(*s.executor);
  s.theta = initial_parameters(s.executor->graph().parameters(), Rng(options.seed));
  return s;
}

}  // namespace cauchy
