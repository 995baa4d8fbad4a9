#include <cauchy/expr/evaluate.hpp>

#include <array>
#include <cmath>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>

#include "expr/remainder.hpp"

namespace cauchy {

Values& Values::set(const Expr& atom, double value) {
  numbers_.insert_or_assign(atom.id(), std::pair(atom, value));
  return *this;
}

Values& Values::set(const DataFunction& f, Function code) {
  functions_.insert_or_assign(f.name(), std::move(code));
  return *this;
}

const double* Values::find(const Expr& atom) const noexcept {
  const auto it = numbers_.find(atom.id());
  return it == numbers_.end() ? nullptr : &it->second.second;
}

const Values::Function* Values::find_function(const std::string& name) const noexcept {
  const auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : &it->second;
}

double evaluate_node(const Expr& e, std::span<const double> x) {
  switch (e.kind()) {
    case Kind::constant:
    case Kind::named:
      return e.value();
    case Kind::add: {
      double total = 0;
      for (const double v : x) total += v;
      return total;
    }
    case Kind::mul: {
      double total = 1;
      for (const double v : x) total *= v;
      return total;
    }
    case Kind::pow:
      return x[1] == 0.5 ? std::sqrt(x[0]) : x[1] == -1 ? 1 / x[0] : std::pow(x[0], x[1]);
    case Kind::exp:
      return std::exp(x[0]);
    case Kind::log:
      return std::log(x[0]);
    case Kind::sin:
      return std::sin(x[0]);
    case Kind::cos:
      return std::cos(x[0]);
    case Kind::tan:
      return std::tan(x[0]);
    case Kind::asin:
      return std::asin(x[0]);
    case Kind::acos:
      return std::acos(x[0]);
    case Kind::atan:
      return std::atan(x[0]);
    case Kind::sinh:
      return std::sinh(x[0]);
    case Kind::cosh:
      return std::cosh(x[0]);
    case Kind::tanh:
      return std::tanh(x[0]);
    case Kind::erf:
      return std::erf(x[0]);
    case Kind::abs:
      return std::abs(x[0]);
    case Kind::sign:
      return x[0] > 0 ? 1 : x[0] < 0 ? -1 : x[0];  // keeps zero and NaN
    case Kind::floor:
      return std::floor(x[0]);
    case Kind::min:
      return x[0] < x[1] ? x[0] : x[1];
    case Kind::max:
      return x[0] > x[1] ? x[0] : x[1];
    case Kind::mod:
      return detail::remainder_of(x[0], x[1]);
    case Kind::less:
      return x[0] < x[1] ? 1 : 0;
    case Kind::less_equal:
      return x[0] <= x[1] ? 1 : 0;
    case Kind::where:
      return x[0] != 0 ? x[1] : x[2];
    default:
      throw Error(ErrorKind::not_found, fmt::format("'{}' has no value", to_string(e)),
                  "[expr.evaluate]", "set it in the Values");
  }
}

double evaluate(const Expr& root, const Values& values) {
  const std::vector<Expr> order = postorder(std::array{root});
  // What lies below a node with a given value is not looked at: it may have no value itself.
  std::unordered_set<const void*> needed{root.id()};
  for (auto e = order.rbegin(); e != order.rend(); ++e) {
    if (!needed.contains(e->id()) || values.find(*e) != nullptr) continue;
    for (const Expr& a : e->args()) needed.insert(a.id());
  }
  std::unordered_map<const void*, double> result;
  std::vector<double> x;
  for (const Expr& e : order) {
    if (!needed.contains(e.id())) continue;
    double value = 0;
    const Values::Function* code =
        e.kind() == Kind::call ? values.find_function(e.name()) : nullptr;
    if (const double* given = values.find(e); given != nullptr) {
      value = *given;
    } else {
      x.clear();
      for (const Expr& a : e.args()) x.push_back(result.at(a.id()));
      value = code != nullptr ? (*code)(x, e.call_orders()) : evaluate_node(e, x);
    }
    result.emplace(e.id(), value);
  }
  return result.at(root.id());
}

}  // namespace cauchy
