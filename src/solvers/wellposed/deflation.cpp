#include "solvers/wellposed/deflation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/fdm/fdm_linear.hpp"
#include "solvers/fdm/fdm_system.hpp"

namespace cauchy::detail {
namespace {

constexpr int coarse_cells = 12, fine_cells = 20;
constexpr int most_newton_steps = 30;

double norm_of(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, v.size())));
}

double largest_modulus(std::span<const double> v) {
  double largest = 0;
  for (const double x : v) largest = std::max(largest, std::abs(x));
  return largest;
}

/// Newton's method on one grid.
class DeflatedGrid final {
 public:
  DeflatedGrid(const std::shared_ptr<const Problem>& problem, int n)
      : problem_(problem),
        system_(problem, method_, n),
        sources_(with_unit_source(*problem), method_, n),
        linear_(method_.linear_solver, system_.tensor(), method_.order),
        n_(system_.size()),
        still_(n_, 0) {}

  [[nodiscard]] bool is_linear() const { return system_.linear(); }

  /// The answer that Newton's method finds from 0.
  bool find_first() {
    std::vector<double> y(n_, 0);
    if (!newton(y)) return false;
    first_ = std::move(y);
    size_ = largest_modulus(*first_);
    if (!(size_ > 0)) size_ = 1;
    return true;
  }

  /// Another one from the first one with a multiple of a slow direction added.
  struct Start {
    int direction;
    double amount;  // in units of the size of the first answer
  };
  bool find_second(const Start& start) {
    std::vector<double> y = *first_;
    const std::vector<double> along = slow_direction(start.direction);
    if (along.empty()) return false;
    for (std::size_t i = 0; i < n_; ++i) y[i] += start.amount * size_ * along[i];
    if (!newton(y) || !(distance(y) > 1e-2)) return false;
    second_ = std::move(y);
    return true;
  }

  /// Both answers at some points inside.
  [[nodiscard]] std::vector<std::vector<double>> values() const {
    const Points points = interior_points(domain_of(*problem_), 200);
    const std::vector<Expr> field = {Field(problem_->fields[0])};
    std::vector<std::vector<double>> all;
    for (const auto* y : {&*first_, &*second_}) {
      all.emplace_back(points.size());
      system_.model({}, {*y})->evaluate(field, points.values, all.back());
    }
    return all;
  }

 private:
  /// The same problem with 1 more in its equation: the difference says which rows are equations.
  static std::shared_ptr<const Problem> with_unit_source(const Problem& problem) {
    Problem more = problem;
    for (ProblemEquation& e : more.equation) e.form.left = e.form.left + 1;
    return std::make_shared<const Problem>(std::move(more));
  }

  [[nodiscard]] double distance(std::span<const double> y) const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += (y[i] - (*first_)[i]) * (y[i] - (*first_)[i]);
    return std::sqrt(sum / static_cast<double>(n_)) / size_;
  }

  /// 1 / distance^2 + 1, which residuals are multiplied by; 1 before the first answer is known.
  [[nodiscard]] double factor(std::span<const double> y) const {
    if (!first_) return 1;
    const double d = distance(y);
    return 1 + 1 / (d * d);
  }

  /// Derivative of the factor along a step, over the factor.
  [[nodiscard]] double slope_of_factor(std::span<const double> y,
                                       std::span<const double> step) const {
    if (!first_) return 0;
    double product = 0;
    for (std::size_t i = 0; i < n_; ++i) product += (y[i] - (*first_)[i]) * step[i];
    product /= static_cast<double>(n_) * size_ * size_;
    const double d = distance(y);
    return -2 * product / (d * d * d * d) / factor(y);
  }

  bool solve(std::span<const double> y, std::span<const double> b, std::span<double> x) {
    SparseMatrix jacobian;
    system_.jacobian(0, y, still_, 0, jacobian);
    std::fill(x.begin(), x.end(), 0.0);
    const auto never = [] { return false; };
    return linear_.factor(jacobian).empty() && linear_.solve(b, x, never).empty() &&
           std::isfinite(norm_of(x));
  }

  bool newton(std::vector<double>& y) {
    std::vector<double> r(n_), trial(n_), step(n_);
    const auto merit = [&](const std::vector<double>& at) {
      system_.residual(0, at, still_, r);
      return factor(at) * norm_of(r);
    };
    double now = merit(y);
    if (!std::isfinite(now)) return false;
    for (int k = 0; k < most_newton_steps; ++k) {
      system_.residual(0, y, still_, r);
      if (norm_of(r) == 0) return true;
      if (!solve(y, r, step)) return false;
      for (double& v : step) v = -v;
      const double bend = 1 - slope_of_factor(y, step);
      const double stretch = std::abs(bend) > 0.05 ? 1 / bend : 1;
      double share = 1;
      double there = NAN;
      for (; share > 1e-3; share /= 2) {
        for (std::size_t i = 0; i < n_; ++i) trial[i] = y[i] + share * stretch * step[i];
        there = merit(trial);
        if (there < now) break;
      }
      const double moved = norm_of(step), size = norm_of(y);
      if (!(there < now)) return moved <= 1e-8 * size;
      y.swap(trial);
      now = there;
      if (share == 1 && moved <= 1e-9 * size) return true;
    }
    return false;
  }

  /// What a source in the equation does to the first answer, and again what that does: modes that
  /// change it most for least. The first one has one sign where it can.
  std::vector<double> slow_direction(int which) {
    std::vector<double> plain(n_), more(n_), along(n_);
    system_.residual(0, *first_, still_, plain);
    sources_.residual(0, *first_, still_, more);
    std::vector<double> b(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      more[i] -= plain[i];
      b[i] = more[i] * (which == 0 || i % 2 == 0 ? 1.0 : -1.0) *
             (which == 0 ? 1.0 : static_cast<double>(i) / static_cast<double>(n_) - 0.5);
    }
    for (int k = 0; k < 3; ++k) {
      if (!solve(*first_, b, along)) return {};
      const double largest = largest_modulus(along);
      if (!(largest > 0)) return {};
      for (std::size_t i = 0; i < n_; ++i) b[i] = more[i] * (along[i] /= largest);
    }
    return along;
  }

  const Fdm method_ = {};
  std::shared_ptr<const Problem> problem_;
  FdmSystem system_, sources_;
  FdmLinear linear_;
  std::size_t n_;
  std::vector<double> still_;
  std::optional<std::vector<double>> first_, second_;
  double size_ = 1;
};

/// Root mean square of the difference.
double apart(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference = a;
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] -= b[i];
  return norm_of(difference);
}

std::vector<std::string> look_for_second(const std::shared_ptr<const Problem>& problem) {
  DeflatedGrid coarse(problem, coarse_cells);
  if (coarse.is_linear() || !coarse.find_first()) return {};
  for (const int direction : {0, 1}) {
    for (const double amount : {1.0, -1.0, 4.0, -4.0, 16.0, -16.0}) {
      const DeflatedGrid::Start start{direction, amount};
      if (!coarse.find_second(start)) continue;
      DeflatedGrid fine(problem, fine_cells);
      if (!fine.find_first() || !fine.find_second(start)) continue;
      const auto a = coarse.values(), b = fine.values();
      const double distance = apart(b[0], b[1]);
      if (!(apart(a[0], b[0]) < 0.1 * distance && apart(a[1], b[1]) < 0.3 * distance)) continue;
      const double size = std::max(norm_of(b[0]), norm_of(b[1]));
      return {fmt::format(
          "Newton's method finds a second answer beside the first one, {:.2g} of their size away: "
          "add what singles one out",
          distance / size)};
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> deflation_doubts(const std::shared_ptr<const Problem>& problem) {
  const Domain domain = domain_of(*problem);
  if (domain.space() == nullptr || domain.time() != nullptr || domain.space()->dimension() != 2 ||
      problem->fields.size() != 1) {
    return {};
  }
  try {
    return look_for_second(problem);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {};
  }
}

}  // namespace cauchy::detail
