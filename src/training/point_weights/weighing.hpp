#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>
#include <cauchy/training/step.hpp>

namespace cauchy::detail {

/// Factors of the points in use, term by term; none: all 1. Terms whose points form sums have none.
using PointFactors = std::vector<std::vector<double>>;

/// Calls use(row, i) for the rows of a term that are in use: row number `row` is the i-th in use.
template <class Use>
void for_rows_in_use(const TrainingPoints& points, std::size_t term, Use use) {
  const std::span<const std::size_t> rows = points.rows(term);
  const std::size_t n = rows.empty() ? points[term].size() : rows.size();
  for (std::size_t i = 0; i < n; ++i) use(rows.empty() ? i : rows[i], i);
}

/// Whether a term is an equation whose points can be weighed.
[[nodiscard]] bool is_weighed_equation(const TrainingPoints& points, std::size_t term);

/// f at the share of time, 0 at its begin and 1 at its end, that has passed at the points of
/// equations.
[[nodiscard]] PointFactors factors_in_time(const TrainingPoints& points,
                                           FunctionRef<double(double)> f);
/// That share.
[[nodiscard]] double time_share(const TrainingPoints& points, double time);

/// sum_k r_k^2 at the points in use of a term.
[[nodiscard]] std::vector<double> squared_residuals(TrainingLoss& loss, std::size_t term,
                                                    std::span<const double> theta);

/// The weight of a term without the factor of a balancer, which follows the weights of points and
/// does not lead them.
[[nodiscard]] double unbalanced_weight(TrainingLoss& loss, std::size_t term);

/// Whether weights with this period are due. Line searches and quasi-Newton matrices want a
/// function that stays: for methods that are not first-order at least 100 steps lie between
/// changes.
[[nodiscard]] bool weights_are_due(std::uint64_t period, const TrainingStep& step);

/// Throws Error with this sentence unless `good`.
void require_weights(bool good, const char* sentence, const char* fix = "");
/// Throws Error unless the points have a time.
void require_time(const TrainingPoints& points, const char* sentence);

/// Parts of a checkpoint; throw Error where they are missing or have another size.
void require_intact(bool intact);
[[nodiscard]] const std::vector<double>& array_in(const TrainingState& state,
                                                  const std::string& name, std::size_t size);
[[nodiscard]] std::uint64_t number_in(const TrainingState& state, const std::string& name);

}  // namespace cauchy::detail
