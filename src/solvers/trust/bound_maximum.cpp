#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "expr/inertia.hpp"
#include "problem/fresh_points.hpp"
#include "solvers/trust/bound_residual.hpp"
#include "solvers/trust/bound_theories.hpp"

namespace cauchy::detail {
namespace {

constexpr double barrier_infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t time_slots = 40;

/// A function of space that bounds errors from above when the operator makes it positive.
struct Barrier {
  std::string name;
  bool positive;  // also on the boundary: then the operator need not have c >= 0
  /// Value, slopes, and second derivatives by x_i x_j.
  std::function<void(std::span<const double> x, double& value, std::span<double> slope,
                     std::span<double> second)>
      at;
};

std::vector<Barrier> barriers_of(const Bounds& box) {
  const std::size_t d = box.lower.size();
  std::vector<Barrier> all;
  double radius = 0;
  for (std::size_t k = 0; k < d; ++k) {
    radius = std::hypot(radius, (box.upper[k] - box.lower[k]) / 2);
  }
  all.push_back(
      {"a paraboloid", false,
       [=](std::span<const double> x, double& v, std::span<double> g, std::span<double> h) {
         v = radius * radius / 2;
         for (std::size_t k = 0; k < d; ++k) {
           const double s = x[k] - (box.lower[k] + box.upper[k]) / 2;
           v -= s * s / 2;
           g[k] = -s;
           h[k * d + k] = -1;
         }
       }});
  for (std::size_t k = 0; k < d; ++k) {
    const double a = box.lower[k], b = box.upper[k];
    all.push_back(
        {"a parabola", false,
         [=](std::span<const double> x, double& v, std::span<double> g, std::span<double> h) {
           v = (x[k] - a) * (b - x[k]) / 2;
           g[k] = (a + b) / 2 - x[k];
           h[k * d + k] = -1;
         }});
    for (const double rate : {-8.0, -1.0, 1.0, 8.0}) {
      const double s = rate / (b - a), top = std::max(1.0, std::exp(rate));
      all.push_back(
          {"an exponential", false,
           [=](std::span<const double> x, double& v, std::span<double> g, std::span<double> h) {
             const double e = std::exp(s * (x[k] - a));
             v = top - e;
             g[k] = -s * e;
             h[k * d + k] = -s * s * e;
           }});
    }
  }
  for (const double stretch : {0.6, 0.8, 0.95}) {
    all.push_back(
        {"a product of cosines", true,
         [=](std::span<const double> x, double& v, std::span<double> g, std::span<double> h) {
           v = 1;
           std::vector<double> tangent(d), wave(d);
           for (std::size_t k = 0; k < d; ++k) {
             wave[k] = stretch * std::numbers::pi / (box.upper[k] - box.lower[k]);
             const double s = wave[k] * (x[k] - (box.lower[k] + box.upper[k]) / 2);
             v *= std::cos(s);
             tangent[k] = -wave[k] * std::tan(s);
           }
           for (std::size_t i = 0; i < d; ++i) {
             g[i] = v * tangent[i];
             for (std::size_t j = 0; j < d; ++j) {
               h[i * d + j] = i == j ? -wave[i] * wave[i] * v : v * tangent[i] * tangent[j];
             }
           }
         }});
  }
  return all;
}

/// The strong operator rate e_t - A : D^2 e + b . grad e + c e = r with its coefficients at points.
class StrongOperator final {
 public:
  StrongOperator(const BoundForm& form, const Solution& solution, const Points& points)
      : form_(form), points_(points), d_(form.dimension()) {
    const LinearForm linear = linear_form(form.strong);
    if (!linear.linear) return;
    std::vector<Expr> wanted(2 + d_ + d_ * d_);
    const auto axis_of = [&](const std::string& name) {
      const auto& names = form.domain.space()->coordinates();
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    for (const LinearForm::Entry& t : linear.terms) {
      const MultiIndex& index = t.atom.index();
      const int order = total_order(index);
      if (order == 0) {
        wanted[0] = t.coefficient;
      } else if (order == 1 && axis_of(index[0].first) >= d_) {
        wanted[1] = t.coefficient;
      } else if (order == 1) {
        wanted[2 + axis_of(index[0].first)] = t.coefficient;
      } else if (order == 2 && axis_of(index.front().first) < d_ &&
                 axis_of(index.back().first) < d_) {
        const std::size_t i = axis_of(index.front().first), j = axis_of(index.back().first);
        wanted[2 + d_ + i * d_ + j] = -t.coefficient / (i == j ? 1 : 2);
        wanted[2 + d_ + j * d_ + i] = wanted[2 + d_ + i * d_ + j];
      } else {
        return;
      }
    }
    wanted.push_back(form.strong);
    values_ = PointEvaluator(solution)(wanted, points);
    for (const auto& row : values_) {
      for (const double v : row) {
        if (!std::isfinite(v)) return;
      }
    }
    // The sign of the row is that of its time derivative, or makes the diffusion positive.
    if (!form.steady() && *std::min_element(values_[1].begin(), values_[1].end()) < 0) {
      turned_ = true;
      for (auto& row : values_) {
        for (double& v : row) v = -v;
      }
    }
    good_ = true;
    diffuses_ = false;
    for (std::size_t p = 0; p < points.size(); ++p) {
      std::vector<double> a(d_ * d_);
      double size = 0;
      for (std::size_t k = 0; k < d_ * d_; ++k) {
        a[k] = values_[2 + d_ + k][p];
        size = std::max(size, std::abs(a[k]));
      }
      diffuses_ = diffuses_ || size > 0;
      if (size > 0 && d_ > 1 && symmetric_eigenvalues(a, d_).front() < -1e-12 * size) good_ = false;
      if (d_ == 1 && a[0] < 0) good_ = false;
      if (!form.steady() && !(rate(p) > 0)) good_ = false;
    }
  }

  [[nodiscard]] bool good() const noexcept { return good_; }
  /// Whether the row of the weak form has the other sign.
  [[nodiscard]] bool turned() const noexcept { return turned_; }
  [[nodiscard]] bool diffuses() const noexcept { return diffuses_; }
  [[nodiscard]] double reaction(std::size_t p) const { return values_[0][p]; }
  [[nodiscard]] double rate(std::size_t p) const { return values_[1][p]; }
  [[nodiscard]] double residual(std::size_t p) const { return std::abs(values_.back()[p]); }
  [[nodiscard]] double least_reaction() const {
    return *std::min_element(values_[0].begin(), values_[0].end());
  }

  /// The operator on a barrier at a point, and its value there.
  double on(const Barrier& barrier, std::size_t p, double& value) const {
    std::vector<double> g(d_), h(d_ * d_);
    const std::span<const double> x = points_.row(p).subspan(form_.domain.space_column(), d_);
    barrier.at(x, value, g, h);
    double made = reaction(p) * value;
    for (std::size_t i = 0; i < d_; ++i) {
      made += values_[2 + i][p] * g[i];
      for (std::size_t j = 0; j < d_; ++j) made -= values_[2 + d_ + i * d_ + j][p] * h[i * d_ + j];
    }
    return made;
  }

 private:
  const BoundForm& form_;
  const Points& points_;
  std::size_t d_;
  std::vector<std::vector<double>> values_;  // c, rate, b, A, residual
  bool good_ = false, diffuses_ = false, turned_ = false;
};

struct BarrierBound {
  double largest = barrier_infinity, square = barrier_infinity;  // of the error; int of its square
  std::string how;
};

/// |e| <= data + C barrier, or C barrier alone with C from the residual and the data.
void try_barrier(const BoundForm& form, const StrongOperator& op, const Barrier& barrier,
                 const Points& points, std::size_t uniform, double data, const Points& edge,
                 BarrierBound& best) {
  const bool plain_case = op.least_reaction() >= 0;
  if (!plain_case && !barrier.positive) return;
  double factor = 0, most = 0, mean = 0;
  std::vector<double> values(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    const double made = op.on(barrier, p, values[p]);
    if (!(made > 0)) return;
    factor = std::max(factor, op.residual(p) / made);
    most = std::max(most, values[p]);
  }
  double added = data;
  if (!plain_case) {
    // On the boundary the barrier must be above the data.
    added = 0;
    const std::size_t d = form.dimension();
    std::vector<double> g(d), h(d * d);
    double lowest = barrier_infinity;
    for (std::size_t p = 0; p < edge.size(); ++p) {
      double v = 0;
      barrier.at(edge.row(p).subspan(form.domain.space_column(), d), v, g, h);
      lowest = std::min(lowest, v);
    }
    for (const double v : values) lowest = std::min(lowest, v);
    if (!(lowest > 0)) return;
    factor = std::max(factor, data / lowest);
  }
  const double largest = added + factor * most;
  if (!(largest < best.largest)) return;
  for (std::size_t p = 0; p < uniform; ++p) {
    mean += std::pow(added + factor * values[p], 2) / static_cast<double>(uniform);
  }
  const Time* time = form.domain.time();
  best.largest = largest;
  best.square = mean * form.measure * (time == nullptr ? 1 : time->upper - time->lower);
  best.how = fmt::format("data defects up to {:.2g}, {} as barrier times {:.2g}", data,
                         barrier.name, factor);
}

/// |e| <= w(t) with rate w' + c w = |r|, from the defect at the start and never below the others.
void try_time(const BoundForm& form, const StrongOperator& op, const Points& points,
              ConditionDefects defects, BarrierBound& best) {
  const Time& time = *form.domain.time();
  const double h = (time.upper - time.lower) / time_slots;
  std::vector<double> push(time_slots, 0.0), pull(time_slots, barrier_infinity);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const double share = (points.row(p)[0] - time.lower) / h;
    const auto slot = std::min<std::size_t>(static_cast<std::size_t>(share), time_slots - 1);
    push[slot] = std::max(push[slot], op.residual(p) / op.rate(p));
    pull[slot] = std::min(pull[slot], op.reaction(p) / op.rate(p));
  }
  double w = std::max(defects.start, defects.boundary), largest = w, square = 0;
  for (std::size_t k = 0; k < time_slots; ++k) {
    if (!std::isfinite(pull[k])) return;  // no point in this slot
    const double x = -pull[k] * h, mean = std::abs(x) < 1e-12 ? 1 : std::expm1(x) / x;
    const double next = std::exp(x) * w + push[k] * h * mean;
    const double within = std::max({w, next, defects.boundary});
    largest = std::max(largest, within);
    square += h * within * within;
    w = std::max(next, defects.boundary);
  }
  if (!(largest < best.largest)) return;
  best.largest = largest;
  best.square = square * form.measure;
  best.how =
      fmt::format("data defects up to {:.2g}, and the largest residual of every time, integrated",
                  std::max(defects.start, defects.boundary));
}

}  // namespace

std::vector<ErrorBound> maximum_principle_bounds(const Solution& solution, std::size_t max_points) {
  const auto form = BoundForm::of(solution);
  if (!form) return {};
  if (!form->planes.empty() || form->other_jumps) return {};
  if (!form->by_field.acceleration.is_constant(0)) return {};
  if (!form->steady() && !form->start) return {};
  // Random points for means and suprema, and those where residuals hide.
  const std::size_t uniform = std::max<std::size_t>(200, max_points / 2);
  Points points = interior_points(form->domain, uniform);
  {
    const PointEvaluator evaluator(solution);
    const Points more = fresh_points(evaluator, form->problem->equation[0]);
    points.values.insert(points.values.end(), more.values.begin(), more.values.end());
  }
  const StrongOperator op(*form, solution, points);
  if (!op.good()) return {};
  ConditionDefects defects =
      condition_defects(*form, solution, std::max<std::size_t>(200, max_points / 10));
  const bool periodic = form->all_periodic();
  if (periodic) {
    const Expr u[] = {Field(form->field)};
    const auto values = PointEvaluator(solution)(u, points);
    double size = 0;
    for (const double v : values[0]) size = std::max(size, std::abs(v));
    if (!(periodic_defect(*form, solution, 200) <= 1e-9 * size)) return {};
  } else if (op.diffuses()) {
    if (!form->all_given) return {};
  } else {
    const Inflow in = inflow_of(*form, solution, op.turned() ? -1 : 1, 400);
    if (!in.given) return {};
  }
  if (!residual_can_be_used(*form, solution, max_points)) return {};
  BarrierBound best;
  if (!form->steady()) try_time(*form, op, points, defects, best);
  const Points edge = boundary_points(form->domain, "boundary", 400);
  const double data = std::max(defects.boundary, defects.start);
  if (!periodic) {
    for (const Barrier& barrier : barriers_of(form->box)) {
      try_barrier(*form, op, barrier, points, uniform, data, edge, best);
    }
  } else if (form->steady() && op.least_reaction() > 0) {
    double most = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      most = std::max(most, op.residual(p) / op.reaction(p));
    }
    best = {most, most * most * form->measure, "the largest |r| / c"};
  }
  if (!std::isfinite(best.largest)) return {};
  const Expr u[] = {Field(form->field)};
  double size = 0, square = 0;
  const auto values = PointEvaluator(solution)(u, points);
  const Time* time = form->domain.time();
  const double volume = form->measure * (time == nullptr ? 1 : time->upper - time->lower);
  for (std::size_t p = 0; p < points.size(); ++p) {
    size = std::max(size, std::abs(values[0][p]));
    if (p < uniform) square += values[0][p] * values[0][p] * volume / static_cast<double>(uniform);
  }
  std::vector<ErrorBound> all(2);
  const double norms[] = {size, std::sqrt(square)};
  all[0].norm = "largest";
  all[0].upper = best.largest;
  all[1].norm = form->steady() ? "L2" : "L2 over space and time";
  all[1].upper = std::sqrt(best.square);
  for (std::size_t k = 0; k < 2; ++k) {
    all[k].theory = "maximum principle";
    all[k].field = form->field;
    if (norms[k] > 0) all[k].relative = all[k].upper / norms[k];
    all[k].how = best.how;
  }
  return all;
}

}  // namespace cauchy::detail
