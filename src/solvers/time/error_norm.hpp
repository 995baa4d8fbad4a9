#pragma once

#include <span>
#include <vector>

namespace cauchy::detail {

/// How large an error of the unknowns is against a tolerance: root mean square over each field, as
/// a share of tolerance times the largest value that the field has had. 1 is the bar.
class ErrorNorm final {
 public:
  /// fields   number of the field of each unknown; empty: one field
  ErrorNorm(std::size_t n, std::vector<int> fields, std::vector<char> differential);

  /// Relative error that is allowed; 1e-11 until it is set.
  void set_tolerance(double tolerance) { tolerance_ = tolerance; }
  [[nodiscard]] double tolerance() const noexcept { return tolerance_; }
  /// Enlarges the sizes of the fields to those of a state.
  void see(std::span<const double> y);
  /// Of an error of the differential unknowns. The candidate counts for the sizes too.
  [[nodiscard]] double error(std::span<const double> e, std::span<const double> candidate) const;
  /// Of a correction of all unknowns.
  [[nodiscard]] double correction(std::span<const double> d,
                                  std::span<const double> candidate) const;

 private:
  [[nodiscard]] double norm(std::span<const double> e, std::span<const double> candidate,
                            bool all) const;
  std::vector<int> fields_;
  std::vector<char> differential_;
  std::vector<double> sizes_;
  double tolerance_ = 1e-11;
};

}  // namespace cauchy::detail
