#include "solvers/trust/neutral_direction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/sparse.hpp>

#include "problem/field_units.hpp"
#include "problem/point_evaluator.hpp"
#include "problem/tested_model.hpp"
#include "solvers/ode/ode_conditions.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_seen = 8000, few_intervals = 800, many_intervals = 1600;
constexpr std::size_t most_components = 8;
/// A gain that is larger than this and this many times larger on twice as many intervals is not
/// seen to end (order 4 gives 16).
constexpr double large_gain = 1e5, endless = 6;
constexpr int power_steps = 12;

/// The linearised problem at an answer, on intervals between nodes.
class LinearisedLine final {
 public:
  LinearisedLine(const Solution& s, const OdeProblem& ode, std::size_t n_intervals)
      : ode_(ode), system_(*ode.system), n_(system_.size()), fields_(s.problem.fields.size()) {
    for (const OdeSystem::Chain& c : system_.chains()) {
      const Expr slope = field_derivative(c.field, {{system_.variable(), c.order}});
      slopes_.push_back(slope);
    }
    make_nodes(s, n_intervals);
    assemble(s);
  }

  [[nodiscard]] bool regular() const {
    return lu_.status() == Factorization::ok && transposed_.status() == Factorization::ok &&
           std::isfinite(size_of(defect_));
  }

  NeutralDirection look() const {
    const std::size_t m = intervals();
    const std::size_t inside = m * fields_, all = inside + n_;
    std::vector<double> w(all, 1 / std::sqrt(static_cast<double>(all)));
    std::vector<double> z;
    NeutralDirection found;
    for (int k = 0; k < power_steps; ++k) {
      z.assign(rows(), 0.0);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t f = 0; f < fields_; ++f) {
          z[row(i, f)] = w[i * fields_ + f] / std::sqrt(h(i));
        }
      }
      for (std::size_t c = 0; c < n_; ++c) z[m * n_ + c] = w[inside + c];
      lu_.solve(z);
      found.gain = 0;
      for (std::size_t j = 0; j < rows(); ++j) {
        z[j] *= weight_[j];
        found.gain += z[j] * z[j];
      }
      found.gain = std::sqrt(found.gain);
      if (!std::isfinite(found.gain) || !(found.gain > 0)) return found;
      for (std::size_t j = 0; j < rows(); ++j) z[j] *= weight_[j] / found.gain;
      transposed_.solve(z);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t f = 0; f < fields_; ++f) {
          w[i * fields_ + f] = z[row(i, f)] / std::sqrt(h(i));
        }
      }
      for (std::size_t c = 0; c < n_; ++c) w[inside + c] = z[m * n_ + c];
      const double size = size_of(w);
      for (double& v : w) v /= size;
    }
    double along = 0, rounded = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      along += w[k] * defect_[k];
      rounded += std::abs(w[k]) * terms_[k];
    }
    found.error = found.gain * (std::abs(along) + std::numeric_limits<double>::epsilon() * rounded);
    return found;
  }

 private:
  [[nodiscard]] std::size_t intervals() const { return nodes_.size() - 1; }
  [[nodiscard]] std::size_t rows() const { return nodes_.size() * n_; }
  [[nodiscard]] double h(std::size_t i) const { return nodes_[i + 1] - nodes_[i]; }
  /// Of the equation of a field on an interval.
  [[nodiscard]] std::size_t row(std::size_t i, std::size_t f) const {
    const OdeSystem::Chain& c = system_.chains()[f];
    return i * n_ + c.first + static_cast<std::size_t>(c.order) - 1;
  }
  static double size_of(const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x * x;
    return std::sqrt(sum);
  }

  /// As many nodes along the line as along the graphs of the fields.
  void make_nodes(const Solution& s, std::size_t n_intervals) {
    const double length = ode_.upper - ode_.lower;
    std::vector<double> x(n_seen + 1);
    for (std::size_t i = 0; i <= n_seen; ++i) {
      x[i] = ode_.lower + length * static_cast<double>(i) / static_cast<double>(n_seen);
    }
    std::vector<Expr> fields;
    for (std::size_t f = 0; f < fields_; ++f) fields.push_back(Field(system_.chains()[f].field));
    const std::vector<double> u = s.evaluate(fields, x);
    units_ = field_units(u, u, fields_);
    for (double& unit : units_) unit = unit > 0 ? unit : 1;
    std::vector<double> along(n_seen + 1, 0.0);
    for (std::size_t i = 0; i < n_seen; ++i) {
      double steep = 1 / static_cast<double>(n_seen);
      for (std::size_t f = 0; f < fields_; ++f) {
        steep += std::abs(u[(i + 1) * fields_ + f] - u[i * fields_ + f]) / units_[f];
      }
      along[i + 1] = along[i] + steep;
    }
    std::size_t at = 0;
    for (std::size_t k = 0; k <= n_intervals; ++k) {
      const double wanted =
          along.back() * static_cast<double>(k) / static_cast<double>(n_intervals);
      while (at + 1 < n_seen && along[at + 1] < wanted) ++at;
      const double share = (wanted - along[at]) / (along[at + 1] - along[at]);
      nodes_.push_back(x[at] + std::clamp(share, 0.0, 1.0) * (x[at + 1] - x[at]));
    }
    nodes_.front() = ode_.lower;
    nodes_.back() = ode_.upper;
    for (const double place : ode_.nodes) nodes_.push_back(place);
    for (const OdeConditions::One& c : ode_.conditions->all()) nodes_.push_back(c.at);
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end(),
                             [&](double a, double b) { return b - a < 1e-12 * length; }),
                 nodes_.end());
    nodes_.back() = ode_.upper;
  }

  void assemble(const Solution& s) {
    const std::size_t m = intervals();
    std::vector<double> places;  // nodes and the middles between them
    for (std::size_t i = 0; i < m; ++i) {
      places.push_back(nodes_[i]);
      places.push_back(nodes_[i] + h(i) / 2);
    }
    places.push_back(nodes_[m]);
    std::vector<Expr> all = system_.states();
    all.insert(all.end(), slopes_.begin(), slopes_.end());
    const std::vector<double> seen = s.evaluate(all, places);
    std::vector<Matrix> jacobian(places.size(), Matrix(n_, n_));
    std::vector<double> y(n_), dy(n_), off, size;  // of the equations at all places
    system_.stay_between(ode_.lower, ode_.upper);
    for (std::size_t k = 0; k < places.size(); ++k) {
      std::copy_n(&seen[k * all.size()], n_, y.begin());
      system_.slope(places[k], y, dy);
      system_.slope_jacobian(places[k], y, jacobian[k]);
      for (std::size_t f = 0; f < fields_; ++f) {
        const OdeSystem::Chain& c = system_.chains()[f];
        const double here = seen[k * all.size() + n_ + f];
        const double wanted = dy[c.first + static_cast<std::size_t>(c.order) - 1];
        off.push_back(here - wanted);
        size.push_back(std::max(std::abs(here), std::abs(wanted)));
      }
    }
    // Simpson's rule with a middle by Hermite's cubic: of order 4, for neutral directions are
    // weaker than what schemes of order 2 leave.
    std::vector<SparseMatrix::Entry> entries;
    for (std::size_t i = 0; i < m; ++i) {
      const Matrix &a = jacobian[2 * i], &b = jacobian[2 * i + 1], &c = jacobian[2 * i + 2];
      for (std::size_t r = 0; r < n_; ++r) {
        for (std::size_t k = 0; k < n_; ++k) {
          double left = a(r, k) + 2 * b(r, k), right = c(r, k) + 2 * b(r, k);
          for (std::size_t l = 0; l < n_; ++l) {
            left += h(i) / 2 * b(r, l) * a(l, k);
            right -= h(i) / 2 * b(r, l) * c(l, k);
          }
          const double same = r == k ? 1 / h(i) : 0;
          entries.push_back({i * n_ + r, i * n_ + k, -same - left / 6});
          entries.push_back({i * n_ + r, (i + 1) * n_ + k, same - right / 6});
        }
      }
      for (std::size_t f = 0; f < fields_; ++f) {
        const std::size_t k = 2 * i * fields_ + f;
        const auto mean = [&](const std::vector<double>& v) {
          return std::sqrt(h(i)) * (v[k] + 4 * v[k + fields_] + v[k + 2 * fields_]) / 6;
        };
        defect_.push_back(mean(off));
        terms_.push_back(mean(size));
      }
    }
    std::size_t at = m * n_;
    std::vector<double> by_state(n_);
    for (const OdeConditions::One& c : ode_.conditions->all()) {
      if (!c.form) {
        const double ends[] = {ode_.lower, ode_.upper};
        const std::vector<double> states = s.evaluate(system_.states(), ends);
        const double first = states[c.periodic], last = states[n_ + c.periodic];
        defect_.push_back(first - last);
        terms_.push_back(std::abs(first));
        entries.push_back({at, c.periodic, 1});
        entries.push_back({at++, m * n_ + c.periodic, -1});
        continue;
      }
      const double place[] = {c.at};
      const std::vector<double> state = s.evaluate(system_.states(), place);
      defect_.push_back(ode_.conditions->value(c, state, by_state));
      double terms = 0;
      for (std::size_t k = 0; k < n_; ++k) terms += std::abs(by_state[k] * state[k]);
      terms_.push_back(terms);
      const auto near = std::min_element(nodes_.begin(), nodes_.end(), [&](double a, double b) {
        return std::abs(a - c.at) < std::abs(b - c.at);
      });
      const auto node = static_cast<std::size_t>(near - nodes_.begin());
      for (std::size_t k = 0; k < n_; ++k) entries.push_back({at, node * n_ + k, by_state[k]});
      ++at;
    }
    weight_.assign(rows(), 0.0);
    const double length = ode_.upper - ode_.lower;
    for (std::size_t i = 0; i <= m; ++i) {
      const double width = ((i > 0 ? h(i - 1) : 0) + (i < m ? h(i) : 0)) / 2;
      for (std::size_t f = 0; f < fields_; ++f) {
        weight_[i * n_ + system_.chains()[f].first] = std::sqrt(width / length) / units_[f];
      }
    }
    const SparseMatrix matrix(rows(), rows(), entries);
    lu_.factor(matrix);
    transposed_.factor(matrix.transposed());
  }

  const OdeProblem& ode_;
  OdeSystem& system_;
  std::size_t n_, fields_;
  std::vector<Expr> slopes_;
  std::vector<double> nodes_, units_, weight_, defect_, terms_;
  SparseLu lu_, transposed_;
};

}  // namespace

NeutralDirection neutral_direction(const Solution& s) {
  const Problem& p = s.problem;
  if (!s.model || p.domain->time() != nullptr || p.domain->space() == nullptr ||
      p.domain->space()->dimension() != 1 || !p.domain->ranges().empty() || !p.unknowns.empty() ||
      !p.coefficients.empty() || dynamic_cast<const TestedModel*>(s.model.get()) != nullptr) {
    return {};
  }
  std::unique_ptr<OdeProblem> ode;
  try {
    ode = std::make_unique<OdeProblem>(std::make_shared<const Problem>(p));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {};
  }
  const OdeSystem& system = *ode->system;
  if (!system.is_explicit() || !ode->jumps.empty() || system.size() > most_components ||
      system.chains().size() != p.fields.size() || ode->conditions->size() != system.size()) {
    return {};
  }
  const LinearisedLine coarse(s, *ode, few_intervals), fine(s, *ode, many_intervals);
  if (!coarse.regular() || !fine.regular()) return {};
  const NeutralDirection before = coarse.look();
  NeutralDirection found = fine.look();
  if (found.gain > large_gain && found.gain > endless * before.gain) found.error = INFINITY;
  return found;
}

void add_neutral_direction(Solution& s) {
  if (!s.estimate) return;
  const NeutralDirection found = neutral_direction(s);
  ErrorEstimate& e = *s.estimate;
  if (!(found.error > e.judged_stated())) return;
  const double scale = e.judged() > 0 ? e.relative_l2 / e.judged() : 1;
  e.how += fmt::format(
      "; but a defect of size one moves the answer by {:.1e} of its variation along a nearly "
      "neutral "
      "direction, and what it holds of that one by {:.1e}",
      found.gain, found.error);
  e.of_variation = found.error;
  e.relative_l2 = std::max(e.relative_l2, found.error * scale);
  e.unsure = std::numeric_limits<double>::quiet_NaN();
  e.correction = {};
}

}  // namespace cauchy::detail
