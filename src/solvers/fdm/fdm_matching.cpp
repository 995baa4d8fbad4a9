#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>

#include "solvers/fdm/fdm_form.hpp"

namespace cauchy::detail {
namespace {

[[noreturn]] void match_refuse(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::unsupported, message, "[solvers.fdm]", hint);
}

std::vector<Expr> match_atoms(const Expr& e) {
  const Expr roots[] = {e};
  return field_atoms(roots);
}

int highest_in(const Expr& e, const std::string& field) {
  int highest = -1;
  for (const Expr& a : match_atoms(e)) {
    if (a.name() == field) {
      highest = std::max(highest, total_order(a.index()));
    }
  }
  return highest;
}

}  // namespace

std::vector<std::size_t> match_equations(const FdmForm& form,
                                         const std::vector<FdmEquation>& equations) {
  const std::size_t n = equations.size();
  if (n > 12) match_refuse(fmt::format("systems of {} fields are too large", n));
  const auto score = [&](std::size_t e, std::size_t f) {
    int best = -1000;
    for (const Expr& a : match_atoms(equations[e].residual)) {
      if (a.name() != form.fields[f]) continue;
      best = std::max(best, total_order(a.index()) + 50 * time_order(a, form.time));
    }
    return best;
  };
  // best[mask]: equations 0 to popcount - 1 given to the fields of the mask
  std::vector<int> best(std::size_t{1} << n, -1'000'000);
  std::vector<std::size_t> last(best.size(), 0);
  best[0] = 0;
  for (std::size_t mask = 1; mask < best.size(); ++mask) {
    const auto e = static_cast<std::size_t>(__builtin_popcountll(mask)) - 1;
    for (std::size_t f = 0; f < n; ++f) {
      if ((mask >> f & 1) == 0) continue;
      const int s = best[mask ^ (std::size_t{1} << f)] + score(e, f);
      if (s > best[mask]) {
        best[mask] = s;
        last[mask] = f;
      }
    }
  }
  std::vector<std::size_t> of_field(n);
  std::size_t mask = best.size() - 1;
  for (std::size_t e = n; e-- > 0;) {
    of_field[last[mask]] = e;
    mask ^= std::size_t{1} << last[mask];
  }
  for (std::size_t f = 0; f < n; ++f) {
    int highest = -1;
    for (const FdmEquation& e : equations) {
      highest = std::max(highest, highest_in(e.residual, form.fields[f]));
    }
    const int own = highest_in(equations[of_field[f]].residual, form.fields[f]);
    if (score(of_field[f], f) >= 50) continue;  // by its rate
    if (own < 0 || (own < highest && highest > 1)) {
      match_refuse(fmt::format("equation '{}' is a constraint that determines none of the fields "
                               "by its highest derivative; on one grid for all fields it would let "
                               "values alternate from node to node",
                               equations[of_field[f]].name),
                   "use spectral");
    }
  }
  return of_field;
}

}  // namespace cauchy::detail
