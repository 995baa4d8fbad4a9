#include "solvers/ode/ode_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/math/lapack.hpp>

namespace cauchy::detail {
namespace {

[[noreturn]] void ode_refuses(const std::string& why, const std::string& instead) {
  throw Error(ErrorKind::unsupported, why, "[solvers.ode]", instead);
}

bool is_among(const Expr& atom, std::span<const Expr> atoms) {
  return std::any_of(atoms.begin(), atoms.end(), [&](const Expr& a) { return same(a, atom); });
}

}  // namespace

OdeSystem::OdeSystem(std::shared_ptr<const Problem> problem, std::string variable,
                     std::vector<std::string> fields, std::vector<Expr> equations)
    : problem_(std::move(problem)),
      variable_(std::move(variable)),
      inside_lower_(-std::numeric_limits<double>::infinity()),
      inside_upper_(-inside_lower_) {
  if (equations.size() != fields.size()) {
    ode_refuses(fmt::format("ode needs as many equations as fields, not {} for {}",
                            equations.size(), fields.size()),
                "use pinn");
  }
  const Coordinate s(variable_);
  std::map<std::string, int> orders;
  for (const Expr& atom : field_atoms(equations)) {
    int& order = orders.try_emplace(atom.name(), 0).first->second;
    order = std::max(order, total_order(atom.index()));
  }
  for (const std::string& name : fields) {
    Chain chain{name, states_.size(), orders[name]};
    for (int j = 0; j <= chain.order; ++j) {
      const bool top = j > 0 && j == chain.order;
      atoms_.push_back(d_n(Field(name), s, j));
      highest_.push_back(top);
      component_.push_back(top ? states_.size() - 1 : states_.size());
      if (!top) {
        states_.push_back(atoms_.back());
        differential_.push_back(chain.order > 0);
      }
    }
    chains_.push_back(std::move(chain));
  }
  field_of_ = matched(equations);
  residual_ = std::make_unique<OdeProgram>(*problem_, variable_, equations, atoms_);
  std::vector<Expr> partials;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const std::vector<Expr> there = field_atoms({&equations[i], 1});
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
      if (!is_among(atoms_[a], there)) continue;
      Expr p = partial(equations[i], atoms_[a]);
      if (p.is_constant(0)) continue;
      entries_.push_back({i, a});
      partials.push_back(std::move(p));
    }
  }
  partial_values_.resize(partials.size());
  partial_ = std::make_unique<OdeProgram>(*problem_, variable_, std::move(partials), atoms_);
  values_.resize(atoms_.size());
  none_.resize(states_.size());
  out_.resize(fields.size() * (fields.size() + 1));
  make_slope(equations);
}

void OdeSystem::stay_between(double lower, double upper) noexcept {
  const double slack =
      4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(lower), std::abs(upper));
  inside_lower_ = lower + slack;
  inside_upper_ = upper - slack;
}

double OdeSystem::inside(double s) const noexcept {
  return std::min(std::max(s, inside_lower_), inside_upper_);
}

std::size_t OdeSystem::n_differential() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(differential_.begin(), differential_.end(), [](char c) { return c != 0; }));
}

std::vector<Expr> OdeSystem::highest_derivatives() const {
  std::vector<Expr> all;
  for (const Chain& c : chains_) {
    all.push_back(d_n(Field(c.field), Coordinate(variable_), c.order));
  }
  return all;
}

/// Every equation gets a field of its own that it determines: by its highest derivative, or by its
/// value where it is algebraic. Without such a choice the index is above 1.
std::vector<std::size_t> OdeSystem::matched(const std::vector<Expr>& equations) const {
  const std::size_t n = equations.size();
  std::vector<std::vector<char>> holds(n, std::vector<char>(n));
  const std::vector<Expr> tops = highest_derivatives();
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<Expr> there = field_atoms({&equations[i], 1});
    for (std::size_t f = 0; f < n; ++f) {
      holds[i][f] = is_among(tops[f], there) && !partial(equations[i], tops[f]).is_constant(0);
    }
  }
  constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> owner(n, nobody);  // equation of a field
  std::vector<char> seen;
  const std::function<bool(std::size_t)> find = [&](std::size_t i) {
    for (std::size_t f = 0; f < n; ++f) {
      if (!holds[i][f] || seen[f]) continue;
      seen[f] = 1;
      if (owner[f] == nobody || find(owner[f])) {
        owner[f] = i;
        return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < n; ++i) {
    seen.assign(n, 0);
    if (find(i)) continue;
    ode_refuses(fmt::format("equation '{} = 0' determines no highest derivative of its own: the "
                            "system is differential-algebraic of higher index",
                            to_string(equations[i])),
                "differentiate that equation, or use pinn");
  }
  std::vector<std::size_t> field(n);
  for (std::size_t f = 0; f < n; ++f) field[owner[f]] = f;
  return field;
}

/// The equations solved for the highest derivatives v: each by itself where it holds one of them,
/// else as a linear system M v = -r.
void OdeSystem::make_slope(const std::vector<Expr>& equations) {
  if (n_differential() < size()) return;
  const std::vector<Expr> tops = highest_derivatives();
  const Expr none(0);
  std::vector<Replacement> zero;
  for (const Expr& top : tops) zero.push_back({top, none});
  const std::size_t n = equations.size();
  std::vector<Expr> rest, matrix, solutions(n);
  solved_ = true;
  for (std::size_t i = 0; i < n; ++i) {
    rest.push_back(substitute(equations[i], zero));
    const std::vector<Expr> there = field_atoms({&equations[i], 1});
    for (std::size_t f = 0; f < n; ++f) {
      Expr m = is_among(tops[f], there) ? simplify(partial(equations[i], tops[f])) : none;
      if (!m.is_constant()) {
        for (const Expr& atom : field_atoms({&m, 1})) {
          if (is_among(atom, tops)) return;  // not linear
        }
      }
      if (f == field_of_[i]) {
        solutions[f] = simplify(-rest.back() / m);
      } else if (!m.is_constant(0)) {
        solved_ = false;
      }
      matrix.push_back(std::move(m));
    }
  }
  if (!solved_) {
    solutions = rest;
    solutions.insert(solutions.end(), matrix.begin(), matrix.end());
  }
  slope_ = std::make_unique<OdeProgram>(*problem_, variable_, std::move(solutions), atoms_);
}

void OdeSystem::fill_atoms(std::span<const double> y, std::span<const double> dy) const {
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    values_[a] = (highest_[a] ? dy : y)[component_[a]];
  }
}

std::size_t OdeSystem::row_of(std::size_t equation) const {
  const Chain& c = chains_[field_of_[equation]];
  return c.first + static_cast<std::size_t>(std::max(c.order, 1) - 1);
}

void OdeSystem::slope(double s, std::span<const double> y, std::span<double> dy) const {
  fill_atoms(y, none_);
  slope_->run(inside(s), values_, {out_.data(), slope_->n_outputs()});
  const std::size_t n = chains_.size();
  if (!solved_) {
    Matrix m(n, n);
    for (std::size_t k = 0; k < n * n; ++k) m(k / n, k % n) = out_[n + k];
    const Lu<double> factors = lu(m.view());
    for (std::size_t i = 0; i < n; ++i) out_[i] = -out_[i];
    if (factors.status == Factorization::ok) {
      factors.solve(VectorView<double>(out_.data(), n));
    } else {
      std::fill_n(out_.begin(), n, std::numeric_limits<double>::quiet_NaN());
    }
  }
  for (std::size_t f = 0; f < n; ++f) {
    const Chain& c = chains_[f];
    const std::size_t last = c.first + static_cast<std::size_t>(c.order) - 1;
    for (std::size_t j = c.first; j < last; ++j) dy[j] = y[j + 1];
    dy[last] = out_[f];
  }
}

void OdeSystem::partials(double s, std::span<const double> y, std::span<const double> dy,
                         Matrix& by_state, Matrix& by_slope) const {
  fill_atoms(y, dy);
  partial_->run(inside(s), values_, partial_values_);
  by_state = Matrix(size(), size());
  by_slope = Matrix(size(), size());
  for (const Chain& c : chains_) {
    for (std::size_t j = c.first; j + 1 < c.first + static_cast<std::size_t>(c.order); ++j) {
      by_slope(j, j) = 1;
      by_state(j, j + 1) = -1;
    }
  }
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const std::size_t a = entries_[k].atom;
    (highest_[a] ? by_slope : by_state)(row_of(entries_[k].row), component_[a]) +=
        partial_values_[k];
  }
}

/// F(s, y, slope(s, y)) = 0 differentiated: dF/dy + dF/dy' J = 0.
void OdeSystem::slope_jacobian(double s, std::span<const double> y, Matrix& out) const {
  std::vector<double> dy(size());
  slope(s, y, dy);
  Matrix by_slope;
  partials(s, y, dy, out, by_slope);
  const Lu<double> factors = lu(by_slope.view());
  if (factors.status != Factorization::ok) {
    out = Matrix(size(), size(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  factors.solve(out.view());
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j < size(); ++j) out(i, j) = -out(i, j);
  }
}

void OdeSystem::residual(double s, std::span<const double> y, std::span<const double> dy,
                         std::span<double> out) {
  fill_atoms(y, dy);
  residual_->run(inside(s), values_, {out_.data(), chains_.size()});
  for (const Chain& c : chains_) {
    for (std::size_t j = c.first; j + 1 < c.first + static_cast<std::size_t>(c.order); ++j) {
      out[j] = dy[j] - y[j + 1];
    }
  }
  for (std::size_t i = 0; i < chains_.size(); ++i) out[row_of(i)] = out_[i];
}

void OdeSystem::jacobian(double s, std::span<const double> y, std::span<const double> dy, double a,
                         SparseMatrix& out) {
  Matrix by_state, by_slope;
  partials(s, y, dy, by_state, by_slope);
  if (out.rows() != size()) {
    std::vector<SparseMatrix::Entry> all;
    for (std::size_t k = 0; k < size() * size(); ++k) all.push_back({k / size(), k % size(), 0});
    out = SparseMatrix(size(), size(), all);
  }
  for (std::size_t k = 0; k < size() * size(); ++k) {
    out.values()[k] = by_state(k / size(), k % size()) + a * by_slope(k / size(), k % size());
  }
}

}  // namespace cauchy::detail
