#include <cauchy/optimizers/line_search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>

#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::string_view line_search_place = "[optimizers.line_search]";
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Point {
  double a = 0, value = 0, slope = 0;
  [[nodiscard]] bool finite() const { return std::isfinite(value) && std::isfinite(slope); }
};

/// Local minimum of the cubic with the values and slopes of p and q; NaN when it has none.
double cubic_minimum(const Point& p, const Point& q) {
  const double theta = 3 * (p.value - q.value) / (q.a - p.a) + p.slope + q.slope;
  const double scale = std::max({std::abs(theta), std::abs(p.slope), std::abs(q.slope)});
  if (!(scale > 0) || std::isinf(scale)) return std::nan("");
  const double root = (theta / scale) * (theta / scale) - (p.slope / scale) * (q.slope / scale);
  if (root < 0) return std::nan("");
  const double gamma = (q.a > p.a ? scale : -scale) * std::sqrt(root);
  return p.a + (q.a - p.a) * ((gamma - p.slope) + theta) / ((gamma - p.slope) + gamma + q.slope);
}

/// Bracketing and zoom on phi; members are named as in the conditions.
class Search {
 public:
  Search(FunctionRef<LineValue(double)> phi, LineValue start, const LineSearchOptions& options)
      : phi_(phi),
        options_(options),
        zero_{0, start.value, start.slope},
        lowest_(zero_),
        tolerance_(options.rounding * std::abs(start.value)) {}

  LineSearchResult run(double first) {
    const double longest = std::max(first, std::min(first * options_.max_step, 1e300));
    Point previous = zero_;
    double a = first;
    while (evaluations_ < options_.max_evaluations) {
      const Point p = evaluate(a);
      if (too_high(p, previous)) return zoom(previous, p);
      if (flat_enough(p)) return accept(p);
      if (p.slope >= 0) return zoom(p, previous);
      if (a >= longest) return result(LineSearchStatus::max_step, p);
      a = std::min(longest, extrapolate(previous, p));
      previous = p;
    }
    return give_up(LineSearchStatus::max_evaluations);
  }

 private:
  Point evaluate(double a) {
    ++evaluations_;
    const LineValue v = phi_(a);
    Point p{a, v.value, v.slope};
    if (!p.finite()) return {a, infinity, 0};
    any_finite_ = true;
    if (p.value < lowest_.value) lowest_ = p;
    return p;
  }

  /// The decrease asked for at a is below what values can show: slopes must decide.
  [[nodiscard]] bool blind(double a) const {
    return -options_.decrease * a * zero_.slope <= tolerance_;
  }
  [[nodiscard]] bool decreases(const Point& p) const {
    return p.value <= zero_.value + options_.decrease * p.a * zero_.slope;
  }
  [[nodiscard]] bool flat_enough(const Point& p) const {
    // Hager and Zhang ask phi'(a) <= (2 c1 - 1) phi'(0) in place of the decrease.
    const double c2 =
        decreases(p) ? options_.curvature : std::min(options_.curvature, 1 - 2 * options_.decrease);
    return std::abs(p.slope) <= -c2 * zero_.slope;
  }
  /// p lies beyond a minimum between lo and p, as far as values tell.
  [[nodiscard]] bool too_high(const Point& p, const Point& lo) const {
    if (blind(p.a)) return p.value > std::min(zero_.value, lo.value) + tolerance_;
    return !decreases(p) || (lo.a > 0 && p.value >= lo.value);
  }

  /// Next step when p still descends: the minimum of the cubic, 2.1 to 10 times as far from
  /// `previous` as p.
  static double extrapolate(const Point& previous, const Point& p) {
    const double width = p.a - previous.a;
    const double nearest = p.a + 1.1 * width, farthest = p.a + 9 * width;
    const double a = cubic_minimum(previous, p);
    return a > p.a ? std::clamp(a, nearest, farthest) : farthest;
  }

  /// Trial point strictly between lo and hi.
  [[nodiscard]] double interpolate(const Point& lo, const Point& hi) const {
    const double width = hi.a - lo.a;  // may be negative
    if (!hi.finite()) return lo.a + 0.25 * width;
    double a = std::nan("");
    if (blind(std::max(lo.a, hi.a))) {
      a = lo.a + width * (lo.slope / (lo.slope - hi.slope));  // values are noise: secant
    } else {
      a = cubic_minimum(lo, hi);
    }
    const double t = (a - lo.a) / width;
    if (!(t > 0 && t < 1)) return lo.a + 0.5 * width;
    return lo.a + std::clamp(t, 0.01, 0.99) * width;
  }

  /// Invariants: lo satisfies the decrease and is the lowest such point; phi falls from lo towards
  /// hi; a step with both conditions lies between them.
  LineSearchResult zoom(Point lo, Point hi) {
    double width = std::abs(hi.a - lo.a), width_before = 2 * width;
    while (evaluations_ < options_.max_evaluations) {
      double a = interpolate(lo, hi);
      // Interpolation that creeps along one end: halve instead.
      if (width > 0.66 * width_before && hi.finite()) a = lo.a + 0.5 * (hi.a - lo.a);
      if (a == lo.a || a == hi.a || !(width > 0)) return give_up(LineSearchStatus::interval_empty);
      const Point p = evaluate(a);
      if (too_high(p, lo)) {
        hi = p;
      } else {
        if (flat_enough(p)) return accept(p);
        if (p.slope * (hi.a - lo.a) >= 0) hi = lo;
        lo = p;
      }
      width_before = width;
      width = std::abs(hi.a - lo.a);
    }
    return give_up(LineSearchStatus::max_evaluations);
  }

  [[nodiscard]] LineSearchResult result(LineSearchStatus status, const Point& p) const {
    return {status, p.a, {p.value, p.slope}, evaluations_};
  }
  [[nodiscard]] LineSearchResult accept(const Point& p) const {
    return result(decreases(p) ? LineSearchStatus::strong_wolfe : LineSearchStatus::approximate, p);
  }
  [[nodiscard]] LineSearchResult give_up(LineSearchStatus status) const {
    return result(any_finite_ ? status : LineSearchStatus::not_finite, lowest_);
  }

  FunctionRef<LineValue(double)> phi_;
  const LineSearchOptions& options_;
  Point zero_, lowest_;
  double tolerance_;
  std::uint64_t evaluations_ = 0;
  bool any_finite_ = false;
};

void require(bool good, std::string_view what, double value) {
  if (!good) throw Error(fmt::format("{}, got {}", what, value), line_search_place);
}

}  // namespace

void check_options(const LineSearchOptions& options) {
  require(options.decrease > 0 && options.decrease < 0.5, "decrease must be in (0, 1/2)",
          options.decrease);
  require(options.curvature >= options.decrease && options.curvature < 1,
          "curvature must be in [decrease, 1)", options.curvature);
  require(options.max_evaluations > 0, "max_evaluations must be positive", 0);
  require(options.max_step >= 1 && std::isfinite(options.max_step),
          "max_step must be finite and at least 1", options.max_step);
  require(options.rounding >= 0 && options.rounding < 1, "rounding must be in [0, 1)",
          options.rounding);
}

std::string_view to_string(LineSearchStatus status) noexcept {
  switch (status) {
    case LineSearchStatus::strong_wolfe:
      return "strong_wolfe";
    case LineSearchStatus::approximate:
      return "approximate";
    case LineSearchStatus::max_step:
      return "max_step";
    case LineSearchStatus::max_evaluations:
      return "max_evaluations";
    case LineSearchStatus::interval_empty:
      return "interval_empty";
    case LineSearchStatus::not_finite:
      return "not_finite";
    case LineSearchStatus::not_descent:
      return "not_descent";
  }
  return "unknown";
}

LineSearchResult wolfe_search(FunctionRef<LineValue(double)> phi, LineValue start, double first,
                              const LineSearchOptions& options) {
  check_options(options);
  require(first > 0 && std::isfinite(first), "the first step must be positive and finite", first);
  if (!std::isfinite(start.value) || !std::isfinite(start.slope) || !(start.slope < 0)) {
    return {LineSearchStatus::not_descent, 0, start, 0};
  }
  return Search(phi, start, options).run(first);
}

LineSearch::LineSearch(const LineSearchOptions& options) : options_(options) {
  check_options(options);
}

LineSearchResult LineSearch::search(Objective& objective, std::span<const double> x,
                                    std::span<const double> d, double value, double slope,
                                    double first) {
  const std::size_t n = x.size();
  detail::check_sizes(objective, n, 0, line_search_place);
  if (d.size() != n) {
    throw Error(fmt::format("x has {} entries, the direction {}", n, d.size()), line_search_place);
  }
  for (auto* v : {&last_.x, &last_.g, &lowest_.x, &lowest_.g}) v->resize(n);
  double last_step = 0, lowest_value = value;
  bool last_is_lowest = false;
  const auto phi = [&](double a) -> LineValue {
    // The lowest point so far is kept by exchanging buffers, not by copying.
    if (last_is_lowest) std::swap(last_, lowest_);
    last_is_lowest = false;
    last_step = a;
    for (std::size_t i = 0; i < n; ++i) last_.x[i] = x[i] + a * d[i];
    if (!detail::all_finite(last_.x)) return {infinity, 0};
    const double f = objective.gradient(last_.x, last_.g);
    // A slope that is finite shows that every entry of the gradient is: 0 * infinity is NaN.
    const double df = detail::dot(last_.g, d);
    if (std::isfinite(f) && std::isfinite(df) && f < lowest_value) {
      lowest_value = f;
      last_is_lowest = true;
    }
    return {f, df};
  };
  const LineSearchResult result = wolfe_search(phi, {value, slope}, first, options_);
  use_lowest_ = result.step != last_step;
  return result;
}

std::span<const double> LineSearch::point() const noexcept {
  return use_lowest_ ? lowest_.x : last_.x;
}

std::span<const double> LineSearch::gradient() const noexcept {
  return use_lowest_ ? lowest_.g : last_.g;
}

}  // namespace cauchy
