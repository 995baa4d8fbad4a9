#pragma once

#include <cauchy/base/function_ref.hpp>
#include <cauchy/optimizers/objective.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

/// phi(a) = f(x + a d) and its derivative phi'(a) = d' grad f(x + a d).
struct LineValue {
  double value = 0, slope = 0;
};

struct LineSearchOptions {
  double decrease = 1e-4;  ///< c1 in phi(a) <= phi(0) + c1 a phi'(0); 0 < c1 < 1/2
  double curvature = 0.9;  ///< c2 in |phi'(a)| <= c2 |phi'(0)|; c1 <= c2 < 1
  std::uint64_t max_evaluations = 30;
  double max_step = 1e10;  ///< longest a, in units of the first one tried
  /// Relative error of values: where c1 a |phi'(0)| <= rounding |phi(0)| the decrease cannot be
  /// seen, and slopes decide (approximate Wolfe conditions of Hager and Zhang 2005).
  double rounding = 64 * std::numeric_limits<double>::epsilon();
};

/// Throws Error naming the first option that is outside its range.
void check_options(const LineSearchOptions& options);

enum class LineSearchStatus {
  strong_wolfe,     ///< both inequalities hold
  approximate,      ///< phi(a) <= phi(0) + rounding |phi(0)| and the curvature inequality
  max_step,         ///< the longest step still satisfies the first inequality and descends
  max_evaluations,  ///< neither; step is the lowest finite point seen, 0 when none is lower
  interval_empty,   ///< the bracket shrank to neighbouring numbers; step as above
  not_finite,       ///< no trial point was finite; step is 0
  not_descent       ///< phi'(0) is not negative, or phi(0) or phi'(0) is not finite; step is 0
};

/// The name of the enumerator, "strong_wolfe"; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(LineSearchStatus status) noexcept;

struct LineSearchResult {
  LineSearchStatus status = LineSearchStatus::not_descent;
  double step = 0;  ///< a
  LineValue at;     ///< phi and phi' there
  std::uint64_t evaluations = 0;
};

/// Finds a step that satisfies the strong Wolfe conditions by bracketing and zoom (Nocedal and
/// Wright, algorithms 3.5 and 3.6) with safeguarded cubic interpolation.
///   start     phi(0) and phi'(0), which are not evaluated again
///   first     first step to try, positive and finite, else Error
///   infinite  a NaN or an infinity in phi or phi' counts as phi = +infinity
///   result    the last point evaluated, or when the search failed the lowest one
///   cost      options.max_evaluations calls at most; each point is evaluated once
LineSearchResult wolfe_search(FunctionRef<LineValue(double)> phi, LineValue start, double first,
                              const LineSearchOptions& options = {});

/// The same search for an objective, keeping point and gradient of the accepted step so that they
/// need not be evaluated again. Memory: 4n doubles, reused.
class LineSearch final {
 public:
  /// Throws Error on options outside their ranges.
  explicit LineSearch(const LineSearchOptions& options = {});

  /// Searches along x + a d. value, slope: f(x) and d' grad f(x). Each trial is one call of
  /// objective.gradient(). Throws Error on vectors of different lengths.
  LineSearchResult search(Objective& objective, std::span<const double> x,
                          std::span<const double> d, double value, double slope, double first);
  /// x + a d and its gradient for the step returned last; meaningful when that step was not 0.
  [[nodiscard]] std::span<const double> point() const noexcept;
  [[nodiscard]] std::span<const double> gradient() const noexcept;

 private:
  struct Trial {
    std::vector<double> x, g;
  };
  LineSearchOptions options_;
  Trial last_, lowest_;
  bool use_lowest_ = false;
};

}  // namespace cauchy
