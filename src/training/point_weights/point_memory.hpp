#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/training/points.hpp>
#include <cauchy/training/step.hpp>

namespace cauchy::detail {

/// Numbers that belong to the points of terms, also while a batch of them is in use, and go along
/// when the points move: a point that was there keeps its numbers, a new one takes over those of
/// the nearest old one (coordinates in units of their ranges, out of at most 1,000 of them).
class PointMemory final {
 public:
  /// One number per channel, which every point has at first.
  explicit PointMemory(std::vector<double> start) : start_(std::move(start)) {}

  void follow(std::size_t term, const Points& points);
  /// One number per point of a term; empty for a term that was never followed.
  [[nodiscard]] std::span<double> values(std::size_t term, std::size_t channel);
  [[nodiscard]] std::span<const double> values(std::size_t term, std::size_t channel) const;

  void save(TrainingState& state) const;
  /// Throws Error when the arrays do not fit together.
  void restore(const TrainingState& state, const TrainingPoints& points);

 private:
  struct Term {
    std::size_t columns = 0;
    std::vector<double> points;                 // the rows that the numbers belong to
    std::vector<std::vector<double>> channels;  // one number per row
  };
  [[nodiscard]] static std::vector<std::size_t> heirs(const Term& old, const Points& points);
  std::vector<double> start_;
  std::vector<Term> terms_;
};

}  // namespace cauchy::detail
