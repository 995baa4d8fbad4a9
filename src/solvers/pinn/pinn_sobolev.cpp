#include "solvers/pinn/pinn_sobolev.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/engine/jet_spec.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/grid_table.hpp"

namespace cauchy::detail {
namespace {

std::vector<std::string> time_and_space(const Domain& domain) {
  std::vector<std::string> names;
  if (domain.time() != nullptr) names.push_back(domain.time()->name);
  if (domain.space() != nullptr) {
    const auto& space = domain.space()->coordinates();
    names.insert(names.end(), space.begin(), space.end());
  }
  return names;
}

[[noreturn]] void refuse_sobolev(const std::string& equation, int order, const std::string& why) {
  throw Error(ErrorKind::unsupported, fmt::format("sobolev = {} {}", order, why),
              fmt::format("equation '{}'", equation), "lower sobolev");
}

/// Asks the tables in an expression for one value each.
void expect_tables(const Problem& problem, const Expr& e, const std::string& equation, int order) {
  const Expr roots[] = {e};
  const std::vector<Expr> calls = atoms(roots, Kind::call);
  if (calls.empty()) return;
  const Points somewhere = interior_points(domain_of(problem), 1);
  for (const Expr& call : calls) {
    try {
      (void)call_values(problem, call, somewhere.values);
    } catch (const Error& error) {
      refuse_sobolev(equation, order, "differentiates its tables: " + error.message());
    }
  }
}

}  // namespace

std::vector<ResidualDerivative> residual_derivatives(const Problem& problem, const Expr& residual,
                                                     int order, const std::string& equation) {
  if (cauchy::order(residual) + order > JetSpec::max_order) {
    refuse_sobolev(equation, order,
                   fmt::format("asks for derivatives of order {}, networks have at most {}",
                               cauchy::order(residual) + order, JetSpec::max_order));
  }
  const std::vector<std::string> coordinates = time_and_space(domain_of(problem));
  struct Partial {
    Expr value;
    std::string by;
    std::size_t last;  // of the coordinates: later ones are differentiated later
  };
  std::vector<Partial> level{{residual, "", 0}};
  std::vector<ResidualDerivative> all;
  for (int k = 1; k <= order; ++k) {
    std::vector<Partial> next;
    for (const Partial& node : level) {
      for (std::size_t c = node.last; c < coordinates.size(); ++c) {
        const Expr value = d(node.value, Coordinate(coordinates[c]));
        if (value.is_constant(0)) continue;
        const std::string by = node.by + (node.by.empty() ? "" : " and ") + coordinates[c];
        expect_tables(problem, value, equation, order);
        all.push_back({fmt::format("{}, by {}", equation, by), value});
        next.push_back({value, by, c});
      }
    }
    level = std::move(next);
  }
  return all;
}

}  // namespace cauchy::detail
