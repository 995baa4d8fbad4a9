#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

class PointEvaluator;
struct Sizes;

/// How jumps are written and kept: a call of this function.
inline constexpr std::string_view jump_name = "jump";
[[nodiscard]] bool is_jump(const Expr& e);
/// Whether a jump occurs.
[[nodiscard]] bool holds_jump(const Expr& e);
/// The expression with side(f) in place of every jump(f).
[[nodiscard]] Expr with_jumps(const Expr& e, FunctionRef<Expr(const Expr&)> side);
/// Size of a residual with jumps: that of their inner expressions, with a normal of ones.
[[nodiscard]] double jump_size(const Expr& residual, const Problem& problem, const Sizes& sizes);

/// A surface inside a domain: where left - right of "x = 0.5" is 0; positive and negative sides are
/// those of left - right. Of space, perhaps moving with time, or a time ("t = 1").
///   error    throws Error for a text that is no equation of coordinates and known numbers
class InnerSurface final {
 public:
  InnerSurface(const Problem& problem, std::string text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Both sides and left - right, with numbers in place of parameters. Sides are told by comparing
  /// left with right, which rounds like a coefficient where(left < right, ...).
  [[nodiscard]] const Expr& left() const noexcept { return left_; }
  [[nodiscard]] const Expr& right() const noexcept { return right_; }
  [[nodiscard]] const Expr& level() const noexcept { return level_; }
  /// Whether it is a time.
  [[nodiscard]] bool of_time() const noexcept { return of_time_; }
  /// n points inside the open domain, next to uniform in its area, with unit normals into the
  /// positive side (none for a time).
  ///   error    throws Error (not_found) when no point of the domain lies on it
  [[nodiscard]] Points points(std::size_t n, const SamplerOptions& options = {}) const;
  /// Moves a row of points() along its normal (a time: along time) by a share of the domain's size.
  void move(Points& points, std::size_t row, double share) const;
  /// The same points a little on the positive (1) or negative (-1) side.
  [[nodiscard]] Points beside(const Points& points, int side) const;
  /// The size that shares are meant of.
  [[nodiscard]] double size() const noexcept { return size_; }
  /// Whether all of these points lie on it.
  [[nodiscard]] bool holds(const Points& points) const;
  /// Names of the coordinates that it depends on, of space, else time.
  [[nodiscard]] const std::vector<std::string>& coordinates() const noexcept { return names_; }
  /// Of a time: 1 where later times are on the positive side, else -1.
  [[nodiscard]] int time_sign() const noexcept { return time_sign_; }
  /// By which the points beside are moved: 1e-8 of the size.
  static constexpr double a_little = 1e-8;

 private:
  [[nodiscard]] Points projected(const Points& candidates) const;
  [[nodiscard]] bool inside(std::span<const double> row) const;
  [[nodiscard]] double slope_of(const std::vector<std::vector<double>>& values,
                                std::size_t point) const;

  std::shared_ptr<const PointEvaluator> evaluator_;
  std::string text_;
  Expr left_, right_, level_;
  Domain domain_;
  ShapePtr shape_;  // of space, when it is always the same
  bool of_time_ = false;
  int time_sign_ = 1;
  double size_ = 1;
  std::vector<std::string> names_;
  std::vector<std::size_t> columns_;  // along which points are brought to the surface
  std::vector<Expr> wanted_;          // the level and its slopes by them
};

}  // namespace cauchy::detail
