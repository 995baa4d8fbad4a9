#pragma once

#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/problem/exact_solution.hpp>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cauchy::testing {

/// How far an equation is from holding, and the size of its terms.
struct Defect {
  double residual = 0, size = 0;
};

/// Checks one solution with one set of parameters against its own equations and conditions.
/// Derivatives come from the formulas by symbolic differentiation, or, where there are none, from
/// central differences of order 8 with the given step.
class ExactOracle {
 public:
  using Point = std::vector<double>;

  ExactOracle(const ExactSolution& solution, std::vector<double> parameters, double step = 0)
      : solution_(solution),
        context_(solution.context()),
        evaluator_(solution.prepare(parameters)),
        step_(step) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      numbers_.set(Parameter(solution.parameters[i].name), parameters[i]);
    }
    for (const auto& [lower, upper] : solution.domain) {
      box_.push_back({number(lower), number(upper)});
    }
    for (const std::string& formula : solution.formulas) {
      formulas_.push_back(parse(formula, context_));
    }
  }

  [[nodiscard]] double number(const std::string& text) const {
    return cauchy::evaluate(parse(text, context_), numbers_);
  }
  [[nodiscard]] const std::vector<std::array<double, 2>>& box() const { return box_; }

  [[nodiscard]] bool holds(const std::string& condition, const Point& point) const {
    return condition.empty() || cauchy::evaluate(parse(condition, context_), at(point)) != 0;
  }

  [[nodiscard]] Point in_box(Rng& rng) const {
    Point point;
    for (const auto& [lower, upper] : box_) point.push_back(rng.uniform(lower, upper));
    return point;
  }
  [[nodiscard]] Point inside(Rng& rng) const {
    for (int i = 0; i < 1000; ++i) {
      Point point = in_box(rng);
      if (holds(solution_.inside, point)) return point;
    }
    throw std::runtime_error("no point inside " + solution_.name);
  }

  /// A random point of a `where`: "x = 1", "t = 0", "y = 0 and x > 0", "x^2 + y^2 = R^2".
  [[nodiscard]] Point on(const std::string& where, Rng& rng) const {
    const std::size_t cut = where.find(" and ");
    const std::string rest = cut == std::string::npos ? "" : where.substr(cut + 5);
    const std::string first = where.substr(0, cut);
    const std::size_t equals = first.find(" = ");
    const std::string left = first.substr(0, equals);
    const double right = number(first.substr(equals + 3));
    for (int i = 0; i < 1000; ++i) {
      Point point = in_box(rng);
      if (left == "x^2 + y^2") {
        const double scale = std::sqrt(right) / std::hypot(point[0], point[1]);
        for (double& x : point) x *= scale;
      } else {
        point[index_of(left)] = right;
      }
      if (holds(rest, point)) return point;
    }
    throw std::runtime_error("no point on " + where);
  }

  [[nodiscard]] std::size_t index_of(const std::string& coordinate) const {
    for (std::size_t i = 0; i < solution_.coordinates.size(); ++i) {
      if (solution_.coordinates[i] == coordinate) return i;
    }
    throw std::runtime_error("no coordinate " + coordinate);
  }

  [[nodiscard]] std::vector<double> values(const Point& point) const {
    std::vector<double> out(solution_.fields.size());
    evaluator_(point, out);
    return out;
  }

  /// Formulas by the tree walk, the reference of the compiled programs.
  [[nodiscard]] double reference(std::size_t field, const Point& point) const {
    return cauchy::evaluate(formulas_[field], at(point));
  }

  [[nodiscard]] Defect defect(const std::string& equation, const Point& point) {
    const Expr residual = parse_equation(equation, context_).residual();
    Values numbers = at(point);
    const std::vector<Expr> roots{residual};
    for (const Expr& node : postorder(roots)) {
      if (node.kind() == Kind::field) numbers.set(node, derivative(node, point));
    }
    Defect out{cauchy::evaluate(residual, numbers), 0};
    if (residual.kind() == Kind::add) {
      for (const Expr& term : residual.args()) {
        out.size += std::abs(cauchy::evaluate(term, numbers));
      }
    }
    return out;
  }

  [[nodiscard]] double derivative(const Expr& atom, const Point& point) {
    std::size_t field = 0;
    while (solution_.fields[field] != atom.name()) ++field;
    if (formulas_.empty()) return difference(field, atom.index(), 0, point);
    const auto [found, is_new] = derivatives_.try_emplace(atom.id(), Expr());
    if (is_new) {
      Expr e = formulas_[field];
      for (const auto& [name, order] : atom.index()) e = d_n(e, Coordinate(name), order);
      found->second = e;
      atoms_.push_back(atom);  // keeps the id alive
    }
    return cauchy::evaluate(found->second, at(point));
  }

 private:
  [[nodiscard]] Values at(const Point& point) const {
    Values numbers = numbers_;
    for (std::size_t i = 0; i < point.size(); ++i) {
      numbers.set(Coordinate(solution_.coordinates[i]), point[i]);
    }
    return numbers;
  }

  [[nodiscard]] double difference(std::size_t field, const MultiIndex& index, std::size_t level,
                                  const Point& point) const {
    if (level == index.size()) return values(point)[field];
    constexpr std::array first{4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    constexpr std::array second{8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    const std::size_t i = index_of(index[level].first);
    const int order = index[level].second;
    if (order > 2) throw std::runtime_error("differences of order 1 and 2 only");
    double sum = order == 2 ? -205.0 / 72 * difference(field, index, level + 1, point) : 0;
    for (std::size_t k = 0; k < 4; ++k) {
      Point right = point, left = point;
      right[i] += step_ * static_cast<double>(k + 1);
      left[i] -= step_ * static_cast<double>(k + 1);
      const double a = difference(field, index, level + 1, right);
      const double b = difference(field, index, level + 1, left);
      sum += order == 2 ? second[k] * (a + b) : first[k] * (a - b);
    }
    return sum / (order == 2 ? step_ * step_ : step_);
  }

  const ExactSolution& solution_;
  Context context_;
  ExactEvaluator evaluator_;
  double step_;
  Values numbers_;
  std::vector<std::array<double, 2>> box_;
  std::vector<Expr> formulas_, atoms_;
  std::map<const void*, Expr> derivatives_;
};

/// Default parameters first, then random ones around them that the solution accepts.
inline std::vector<std::vector<double>> parameter_sets(const ExactSolution& solution, int n,
                                                       Rng& rng) {
  std::vector<std::vector<double>> sets{solution.default_parameters()};
  if (solution.parameters.empty()) return sets;
  while (sets.size() < static_cast<std::size_t>(n)) {
    std::vector<double> set;
    for (const ExactParameter& p : solution.parameters) {
      if (p.is_integer) {
        set.push_back(p.value + static_cast<double>(rng.integer(3)));
      } else {
        set.push_back(p.value == 0 ? rng.uniform(-0.5, 0.5) : p.value * rng.uniform(0.7, 1.4));
      }
    }
    try {
      (void)solution.prepare(set);
    } catch (const Error&) {
      continue;  // outside the requirements: draw again
    }
    sets.push_back(set);
  }
  return sets;
}

}  // namespace cauchy::testing
