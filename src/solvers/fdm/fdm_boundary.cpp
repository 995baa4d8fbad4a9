#include "solvers/fdm/fdm_boundary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/boundary_cover.hpp"

namespace cauchy::detail {
namespace {

/// Whether conditions of the problem hold at boundary points.
class ConditionParts final {
 public:
  ConditionParts(const Problem& problem, const FdmForm& form, const FdmGrid& grid)
      : problem_(problem), form_(form), grid_(grid), parts_(problem.condition.size()) {
    const Domain domain = domain_of(problem);
    for (const FdmCondition& c : form.conditions) {
      const Condition& source = problem.condition[c.source];
      if (source.kind == Condition::Kind::point || !parts_[c.source].empty()) continue;
      const Boundary part(domain, place_of(problem, source).boundary);
      for (const Piece& piece : grid.shape().pieces()) {
        parts_[c.source].push_back(part.condition(piece));
      }
    }
    for (const auto& [name, value] : problem.values()) values_.set(Parameter(name), value);
  }

  [[nodiscard]] bool holds(std::size_t source, const FdmFoot& foot, std::size_t piece) {
    const Condition& c = problem_.condition[source];
    if (c.kind == Condition::Kind::point) {
      for (const auto& [name, value] : c.point) {
        for (std::size_t k = 0; k < form_.space.size(); ++k) {
          const double slack = 1e-9 * grid_.axes()[k].h * grid_.axes()[k].cells;
          if (form_.space[k] == name && std::abs(foot.point[k] - value) > slack) return false;
        }
      }
      return true;
    }
    const Expr& part = parts_[source][piece];
    if (part.is_constant()) return part.value() != 0;
    for (std::size_t k = 0; k < form_.space.size(); ++k) {
      values_.set(Coordinate(form_.space[k]), foot.point[k]);
    }
    return evaluate(part, values_) != 0;
  }

 private:
  const Problem& problem_;
  const FdmForm& form_;
  const FdmGrid& grid_;
  std::vector<std::vector<Expr>> parts_;  // by condition and piece
  Values values_;
};

/// The field that a condition determines, given how many conditions the fields have.
std::size_t claimed_field(const FdmForm& form, const FdmCondition& c,
                          const std::vector<std::vector<FdmClaim>>& so_far) {
  std::size_t best = c.fields[0];
  const auto cost = [&](std::size_t f) {
    return std::make_tuple(form.rate[f] == c.in_time ? 0 : 1, so_far[f].size(), f);
  };
  for (const std::size_t f : c.fields) {
    if (cost(f) < cost(best)) best = f;
  }
  return best;
}

}  // namespace

int field_order(const FdmForm& form, std::size_t field, std::size_t axis) {
  int highest = 0;
  for (const FdmEquation& e : form.equations) {
    const Expr roots[] = {e.residual};
    for (const Expr& a : field_atoms(roots)) {
      const auto f = static_cast<std::size_t>(
          std::find(form.fields.begin(), form.fields.end(), a.name()) - form.fields.begin());
      if (form.origin[f] != form.origin[field]) continue;
      const std::vector<int> orders = space_orders(a, form.space);
      int total = 0;
      for (const int k : orders) total += k;
      highest = std::max(highest, axis < orders.size() ? orders[axis] : total);
    }
  }
  return highest;
}

std::vector<std::vector<std::vector<FdmClaim>>> fdm_claims(const Problem& problem,
                                                           const FdmForm& form,
                                                           const FdmGrid& grid) {
  ConditionParts parts(problem, form, grid);
  const std::size_t F = form.fields.size();
  std::vector<std::vector<std::vector<FdmClaim>>> all;
  const auto claims_at = [&](const FdmFoot& foot) {
    std::vector<FdmClaim> here;
    for (std::size_t c = 0; c < form.conditions.size(); ++c) {
      for (std::size_t s = 0; s < foot.sides.size(); ++s) {
        if (!parts.holds(form.conditions[c].source, foot, foot.sides[s].piece)) continue;
        here.push_back({c, s});
        break;
      }
    }
    return here;
  };
  for (const FdmFoot& foot : grid.feet()) {
    std::vector<FdmClaim> here = claims_at(foot);
    // A point between two parts, of which neither holds it, belongs to one beside it.
    for (std::size_t s = 0; here.empty() && form.space.size() == 2 && s < foot.sides.size(); ++s) {
      const std::array<double, 2> normal = {foot.sides[s].normal[0], foot.sides[s].normal[1]};
      for (const auto& x : beside_on_boundary(grid.shape(), foot.point.data(), normal.data())) {
        FdmFoot moved = foot;
        std::copy(x.begin(), x.end(), moved.point.begin());
        if (here.empty()) here = claims_at(moved);
      }
    }
    // Values of single fields first: what holds several fields takes those that are left.
    std::stable_sort(here.begin(), here.end(), [&](const FdmClaim& a, const FdmClaim& b) {
      const FdmCondition &p = form.conditions[a.condition], &q = form.conditions[b.condition];
      return std::make_tuple(p.in_time, p.order, p.fields.size()) <
             std::make_tuple(q.in_time, q.order, q.fields.size());
    });
    std::vector<std::vector<FdmClaim>> by_field(F);
    for (const FdmClaim& claim : here) {
      const std::size_t f = claimed_field(form, form.conditions[claim.condition], by_field);
      if (foot.sides.size() > 1 && !by_field[f].empty()) continue;
      by_field[f].push_back(claim);
    }
    all.push_back(std::move(by_field));
  }
  return all;
}

}  // namespace cauchy::detail
