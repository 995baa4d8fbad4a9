#pragma once

#include <span>
#include <vector>

#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>

namespace cauchy::detail {

/// Looks at a term of a loss at points that need not be those in use; afterwards the term has its
/// points, batch and weights again, to the last bit.
class PointLook final {
 public:
  PointLook(const TrainingPoints& points, TrainingLoss& loss, std::span<const double> theta)
      : points_(points), loss_(loss), theta_(theta) {}

  // `at` must come from the source of the term; `rows` chooses some of them, empty: all.

  /// J = w |r|^2 for each point: all residuals of the term, w the weight of the problem.
  [[nodiscard]] std::vector<double> losses(std::size_t term, const Points& at,
                                           std::span<const std::size_t> rows = {}) const;
  /// w sum_k 2 |r_k| |dr_k/dtheta|: the length of dJ/dtheta where the term has one residual, a
  /// bound of it for more.
  [[nodiscard]] std::vector<double> gradients(std::size_t term, const Points& at,
                                              std::span<const std::size_t> rows = {}) const;
  /// PointSource::measure.
  ///   error    throws Error where it is negative
  [[nodiscard]] std::vector<double> measures(std::size_t term, const Points& at,
                                             std::span<const std::size_t> rows = {}) const;
  /// The square roots of the losses; empty where one is not finite.
  [[nodiscard]] std::vector<double> sizes(std::size_t term, const Points& at) const;
  /// The most points of a term: `most`, or what a quarter of the memory holds even of the rows of a
  /// Jacobian.
  [[nodiscard]] std::size_t most(std::size_t term, std::size_t most) const;

 private:
  std::vector<double> look(std::size_t term, const Points& at, std::span<const std::size_t> rows,
                           bool gradient) const;
  const TrainingPoints& points_;
  TrainingLoss& loss_;
  std::span<const double> theta_;
};

[[nodiscard]] double root_mean_square(std::span<const double> values);

/// Some rows of points, with everything that belongs to them.
[[nodiscard]] Points rows_of(const Points& points, std::span<const std::size_t> rows);
/// Points of the same source behind others.
void append(Points& to, const Points& from);

}  // namespace cauchy::detail
