#pragma once

#include <cauchy/optimizers/objective.hpp>
#include <cstddef>
#include <span>
#include <string_view>

namespace cauchy {

/// An increasing function of the loss that a method minimises in its place: the minima stay, and
/// small losses count more.
enum class LossTransform {
  none,         ///< f
  square_root,  ///< sqrt(f), gradient grad f / (2 sqrt(f))
  logarithm     ///< log(f), gradient grad f / f
};

/// The name of the enumerator, "square_root"; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(LossTransform transform) noexcept;

/// Presents sqrt(f) or log(f) of another objective f >= 0. Methods and stopping rules see the
/// transformed value: a target_value t of f is apply(t) here.
///   f = 0       the minimum, where grad f = 0: the gradient is set to zero, so that methods report
///               `converged`. The value is 0, and the logarithm of the smallest positive number,
///               -744.44, which is still finite
///   f < 0       value and gradient are NaN: methods take the point as infinitely high, and end
///               with `not_finite` where they start there
///   infinities  NaN stays NaN and infinity stays infinity; the gradient is then NaN
///   cost        n divisions for each gradient
class TransformedObjective final : public Objective {
 public:
  /// f must outlive this object.
  TransformedObjective(Objective& f, LossTransform transform) : f_(f), transform_(transform) {}

  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] double value(std::span<const double> x) override;
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override;

  /// The transformed value of a loss, and the loss of a transformed value.
  [[nodiscard]] double apply(double loss) const noexcept;
  [[nodiscard]] double invert(double value) const noexcept;

 private:
  Objective& f_;
  LossTransform transform_;
};

}  // namespace cauchy
