#include "solvers/fdm/fdm_upwind.hpp"

#include <algorithm>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {
namespace {

int flow_order(const std::vector<int>& orders) {
  int total = 0;
  for (const int k : orders) total += k;
  return total;
}

std::vector<Expr> flow_atoms(const Expr& e) {
  const Expr roots[] = {e};
  return field_atoms(roots);
}

}  // namespace

bool is_carried(const FdmForm& form, const FdmTerm& term, std::size_t k) {
  if (form.fields.size() == 1) return true;
  for (std::size_t j = 0; j < term.atoms().size(); ++j) {
    if (term.field_of(j) != term.field_of(k)) continue;
    const bool rate = time_order(term.atoms()[j], form.time) == 1;
    const std::vector<int> orders = space_orders(term.atoms()[j], form.space);
    const std::vector<int> mine = space_orders(term.atoms()[k], form.space);
    const bool diffusion =
        flow_order(orders) == 2 && std::equal(orders.begin(), orders.end(), mine.begin(),
                                              [](int a, int b) { return a == 2 * b; });
    if (rate || diffusion) return true;
  }
  return false;
}

double flow_orientation(const Problem& problem, const FdmForm& form, const FdmGrid& grid,
                        const std::vector<std::vector<std::vector<FdmClaim>>>& claims,
                        std::size_t e) {
  const Expr& residual = form.equations[e].residual;
  Expr outward = 0;
  std::vector<Replacement> zero;
  for (const Expr& a : flow_atoms(residual)) {
    zero.push_back({a, Expr(0)});
    const std::vector<int> orders = space_orders(a, form.space);
    if (flow_order(orders) != 1) continue;
    const auto axis =
        static_cast<std::size_t>(std::find(orders.begin(), orders.end(), 1) - orders.begin());
    outward += partial(residual, a) * normal_component(form.space[axis]);
  }
  if (!form.time.empty() || outward.is_constant(0)) return 1;
  Points points;
  points.columns = form.space;
  for (std::size_t i = 0; i < grid.feet().size(); ++i) {
    if (claims[i][e].empty()) continue;
    const FdmFoot& foot = grid.feet()[i];
    for (std::size_t k = 0; k < form.space.size(); ++k) {
      points.values.push_back(foot.point[k]);
      points.normals.push_back(foot.sides[0].normal[k]);
    }
  }
  const std::size_t n = points.size();
  if (n == 0) return 1;
  const NodeProgram program(problem, {substitute(outward, zero)}, {}, std::move(points));
  std::vector<std::vector<double>> speed(1, std::vector<double>(n));
  program.run(std::vector<std::vector<double>>{}, speed);
  double sum = 0;
  for (const double s : speed[0]) sum += s;
  return sum > 0 ? -1 : 1;
}

}  // namespace cauchy::detail
