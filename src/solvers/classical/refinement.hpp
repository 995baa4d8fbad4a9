#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/problem/solution.hpp>

#include "solvers/classical/nodal_model.hpp"

namespace cauchy::detail {

/// An order for methods that converge faster than any power: from level to level the error is
/// believed to fall to a thousandth, not more.
constexpr double of_series = 10;

/// The error of the last of several levels, from how they differ. With changes d1, d2, ... that
/// fall by a factor q = d_k / d_(k-1), the rest of the series is d_k q / (1 - q): Richardson's
/// estimate when q = 2^(-order), here with a factor of safety of 1.25, and of up to 3
/// for methods without an order. A factor that is better than
/// the order promises is not believed; a single change counts as the error itself, and so does the
/// last one of a method without an order that converges quickly.
class RefinementSeries final {
 public:
  explicit RefinementSeries(double order) : order_(order) {}
  void add(double change) { changes_.push_back(change); }
  /// NaN before the first change; infinite when the changes do not fall.
  [[nodiscard]] double error() const;
  [[nodiscard]] std::size_t n_changes() const noexcept { return changes_.size(); }
  /// By how many powers of two the last change is smaller than the one before; NaN: not known.
  [[nodiscard]] double order_seen() const;

 private:
  double order_;
  std::vector<double> changes_;
};

/// Answers of successive levels at the same points, coarse to fine, and what they tell of the last.
class LevelSeries final {
 public:
  ///   jumps   the answer may jump: measured in the mean too, where that says more
  LevelSeries(double order, std::size_t n_fields, bool jumps)
      : order_(order), n_fields_(n_fields), jumps_(jumps) {}
  /// values   rows of n x fields
  void add(std::string method, std::vector<double> values);
  void append(const LevelSeries& finer);
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// The changes fall from level to level.
  [[nodiscard]] bool falls() const;
  /// Of the error of the last answer; none of fewer than two.
  ///   own   error that the method itself knows of
  [[nodiscard]] std::optional<ErrorEstimate> estimate(double own) const;

 private:
  double order_;
  std::size_t n_fields_;
  bool jumps_;
  std::vector<std::string> methods_;
  std::vector<std::vector<double>> values_;
};

/// The largest difference of a field between two grids; rows of n x fields.
///   judged   in units of what the field does, see field_units()
///   l2       relative L2 difference; a field that is next to nothing beside the largest one is
///            measured by that
///   mean     mean modulus in the same units as `judged`
struct FieldChange {
  double judged = 0, l2 = 0, mean = 0;
};
[[nodiscard]] FieldChange relative_change(std::span<const double> now,
                                          std::span<const double> before, std::size_t n_fields);

/// Stands where a method found nothing: NaN everywhere.
class NoField final : public FieldModel {
 public:
  [[nodiscard]] std::string_view kind() const noexcept override { return "none"; }
  void save(Checkpoint& /*checkpoint*/) const override {}
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override;
};

}  // namespace cauchy::detail
