#include <cauchy/solvers/error_bounds.hpp>

#include <cmath>
#include <iterator>

#include <cauchy/base/error.hpp>

#include "solvers/trust/bound_theories.hpp"

namespace cauchy {

const std::vector<BoundTheory>& all_bound_theories() {
  static const std::vector<BoundTheory> theories = {
      {"logarithmic norm", "ordinary equations from a first state: growth of the state's norm",
       detail::logarithmic_norm_bounds},
      {"dual norm", "steady linear diffusion with values on the boundary: coercivity",
       detail::dual_norm_bounds},
      {"maximum principle", "linear equations of second or first order: barriers",
       detail::maximum_principle_bounds},
      {"semigroup", "linear evolution u_t = A u + f: numerical range of A",
       detail::semigroup_bounds},
  };
  return theories;
}

std::vector<ErrorBound> error_bounds(const Solution& solution, std::size_t max_points) {
  std::vector<ErrorBound> all;
  if (!solution.model) return all;
  for (const BoundTheory& theory : all_bound_theories()) {
    try {
      std::vector<ErrorBound> some = theory.bounds(solution, max_points);
      all.insert(all.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::interrupted) throw;
      break;
    }
  }
  return all;
}

}  // namespace cauchy
