#include "training/point_weights/weighing.hpp"

#include <algorithm>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

bool is_weighed_equation(const TrainingPoints& points, std::size_t term) {
  const PointSource& source = points.source(term);
  return source.kind == PointSource::Kind::equation && source.divisible;
}

double time_share(const TrainingPoints& points, double time) {
  const PointSettings& settings = points.settings();
  return (time - settings.begin) / (settings.end - settings.begin);
}

PointFactors factors_in_time(const TrainingPoints& points, FunctionRef<double(double)> f) {
  PointFactors factors(points.size());
  for (std::size_t t = 0; t < points.size(); ++t) {
    const std::optional<std::size_t> column = points.time_column(t);
    if (!column || !is_weighed_equation(points, t)) continue;
    for_rows_in_use(points, t, [&](std::size_t row, std::size_t) {
      factors[t].push_back(f(time_share(points, points[t].row(row)[*column])));
    });
  }
  return factors;
}

std::vector<double> squared_residuals(TrainingLoss& loss, std::size_t term,
                                      std::span<const double> theta) {
  Executor& executor = loss.executor();
  std::vector<double> r(executor.n_residuals(term));
  executor.residuals(term, theta, r);
  const std::size_t n = executor.n_points(term), m = r.size() / n;
  std::vector<double> squares(n, 0.0);
  for (std::size_t i = 0; i < r.size(); ++i) squares[i / m] += r[i] * r[i];
  return squares;
}

double unbalanced_weight(TrainingLoss& loss, std::size_t term) {
  const double factor = loss.factor(term, WeightLayer::balancer);
  return factor > 0 ? loss.executor().weight(term) / factor : 0;
}

bool weights_are_due(std::uint64_t period, const TrainingStep& step) {
  constexpr std::uint64_t calm = 100;
  const std::uint64_t every = step.first_order ? period : std::max(period, calm);
  return step.step_in_stage % every == 0;
}

void require_weights(bool good, const char* sentence, const char* fix) {
  if (!good) throw Error(sentence, "[training.point_weights]", fix);
}

void require_time(const TrainingPoints& points, const char* sentence) {
  require_weights(!points.settings().time.empty(), sentence,
                  "give the domain a time, or choose other weights");
}

void require_intact(bool intact) {
  if (intact) return;
  throw Error(ErrorKind::file, "the checkpoint is damaged", "[training.point_weights]",
              "start the run anew");
}

const std::vector<double>& array_in(const TrainingState& state, const std::string& name,
                                    std::size_t size) {
  const auto found = state.arrays.find(name);
  require_intact(found != state.arrays.end() && found->second.size() == size);
  return found->second;
}

std::uint64_t number_in(const TrainingState& state, const std::string& name) {
  const auto found = state.numbers.find(name);
  require_intact(found != state.numbers.end());
  return found->second;
}

}  // namespace cauchy::detail
