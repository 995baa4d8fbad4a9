#include "solvers/trust/complete_diagnosis.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/problem/place.hpp>
#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/solvers/conservation.hpp>

#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

/// How often a row of numbers goes from one side of its mean to the other, by more than a part of
/// its size: small ripples do not count.
double crossings_of(const std::vector<double>& row) {
  constexpr double part = 0.3;
  double mean = 0, square = 0;
  for (const double v : row) mean += v / static_cast<double>(row.size());
  for (const double v : row) square += (v - mean) * (v - mean) / static_cast<double>(row.size());
  const double level = part * std::sqrt(square);
  double count = 0;
  int side = 0;
  for (const double v : row) {
    const int now = v - mean > level ? 1 : (v - mean < -level ? -1 : 0);
    if (now == 0) continue;
    if (side != 0 && now != side) ++count;
    side = now;
  }
  return count;
}

/// Half waves of the residuals of the equations on lines along every axis of the box around the
/// domain.
double residual_waves(const Solution& solution) {
  constexpr std::size_t samples = 400;
  const PointEvaluator evaluator(solution);
  const Problem& problem = evaluator.problem();
  std::vector<Expr> residuals;
  for (const ProblemEquation& e : problem.equation) {
    residuals.push_back(evaluator.lower()(e.form.residual()));
  }
  const Sizes sizes = characteristic_sizes(problem, evaluator.lower(), true);
  double most = 0;
  for (std::size_t axis = 0; axis < sizes.axes.size(); ++axis) {
    for (const double other : {0.31, 0.5, 0.73}) {
      Points line;
      line.columns = problem.coordinates();
      for (std::size_t i = 0; i < samples; ++i) {
        for (std::size_t k = 0; k < sizes.axes.size(); ++k) {
          const double share =
              k == axis ? (static_cast<double>(i) + 0.5) / static_cast<double>(samples) : other;
          line.values.push_back(sizes.axes[k].center + sizes.axes[k].half * (2 * share - 1));
        }
      }
      for (const auto& row : evaluator(residuals, line)) most = std::max(most, crossings_of(row));
    }
  }
  return most;
}

}  // namespace

void complete_diagnosis(Solution& solution) {
  if (!solution.training || !solution.training->diagnosis) return;
  auto d = std::make_shared<TrainingDiagnosis>(*solution.training->diagnosis);
  d->balances = measure_balances(solution);
  d->half_waves = residual_waves(solution);
  const bool healthy = solution.grade == Grade::converged || solution.grade == Grade::unverified;
  if (!d->reaches_the_end()) {
    solution.findings.push_back("the training was too short to be measured for a diagnosis");
  } else if (!healthy) {
    d->findings = find_causes(*d);
    if (!d->findings.empty()) solution.findings.push_back(d->findings.front().text);
  }
  solution.training->diagnosis = std::move(d);
}

}  // namespace cauchy::detail
