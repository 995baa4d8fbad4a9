#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/doubts.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

/// Jumps below this part of the size of the field are not worth a remark.
constexpr double small_corner_jump = 0.02;

struct GivenValue {
  const Condition* condition;
  Expr value;
  ConditionPlace place;
};

/// Where two conditions differ most, and by how much.
struct CornerJump {
  double jump = 0;
  std::vector<double> at;
};

class CornerLook final {
 public:
  explicit CornerLook(const Problem& p) : p_(p), evaluator_(p) {}

  std::vector<std::string> look(const std::string& field, double size) const {
    std::vector<GivenValue> all;
    for (const Condition& c : p_.condition) {
      if (c.kind != Condition::Kind::general) continue;
      auto given = dirichlet_form(c.form);
      if (!given || given->field != field) continue;
      const Expr roots[] = {given->value};
      if (!field_atoms(roots).empty()) continue;
      all.push_back({&c, evaluator_.lower()(given->value), place_of(p_, c)});
    }
    std::vector<std::string> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const CornerJump c = corner(all[i], all[j]);
        if (!(c.jump > small_corner_jump * size)) continue;
        std::string where;
        const std::vector<std::string> names = p_.coordinates();
        for (std::size_t k = 0; k < c.at.size(); ++k) {
          where += fmt::format("{}{} = {:.3g}", k == 0 ? "" : ", ", names[k], c.at[k]);
        }
        found.push_back(fmt::format(
            "'{}' jumps by {:.3g} where {} and {} meet ({}): the answer is not smooth there", field,
            c.jump, name_of(*all[j].condition), name_of(*all[i].condition), where));
      }
    }
    return found;
  }

 private:
  [[nodiscard]] CornerJump corner(const GivenValue& a, const GivenValue& b) const {
    const bool slice_a = a.place.kind == ConditionPlace::Kind::slice;
    const bool slice_b = b.place.kind == ConditionPlace::Kind::slice;
    if (slice_a == slice_b) return slice_a ? CornerJump{} : beside(a, b);
    return slice_a ? at_start(a, b) : at_start(b, a);
  }

  /// The start of a part of the boundary.
  [[nodiscard]] CornerJump at_start(const GivenValue& start, const GivenValue& side) const {
    Points points = condition_points(p_, *side.condition, 256);
    const std::string& time = p_.domain->time()->name;
    const std::size_t column = static_cast<std::size_t>(
        std::find(points.columns.begin(), points.columns.end(), time) - points.columns.begin());
    double first = INFINITY;
    for (std::size_t i = 0; i < points.size(); ++i) {
      double& t = points.values[i * points.columns.size() + column];
      first = std::min(first, std::abs(t - start.place.time));
      t = start.place.time;
    }
    const Time& all = *p_.domain->time();
    if (first > 0.05 * (all.upper - all.lower)) return {};  // it does not begin there
    const Expr roots[] = {start.value, side.value};
    const auto values = evaluator_(roots, points);
    CornerJump c;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double jump = std::abs(values[0][i] - values[1][i]);
      if (!(jump > c.jump)) continue;
      c.jump = jump;
      c.at.assign(points.row(i).begin(), points.row(i).end());
    }
    return c;
  }

  /// Two parts of the boundary of a plane region at the points where they come closest.
  [[nodiscard]] CornerJump beside(const GivenValue& a, const GivenValue& b) const {
    if (p_.domain->space()->dimension() != 2 || p_.domain->time() != nullptr ||
        !p_.domain->ranges().empty()) {
      return {};
    }
    constexpr std::size_t n = 400;
    const Points pa = condition_points(p_, *a.condition, n),
                 pb = condition_points(p_, *b.condition, n);
    // Both values on both sides: beside a corner where they agree, one of the pairs does too.
    const Expr both[] = {a.value, b.value};
    const auto on_a = evaluator_(both, pa), on_b = evaluator_(both, pb);
    const Bounds box = domain_of(p_).shape()->bounds();
    const double length = box.upper[0] - box.lower[0] + box.upper[1] - box.lower[1];
    const double near = 4 * length / static_cast<double>(n);
    CornerJump c;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double apart = std::hypot(pa.row(i)[0] - pb.row(j)[0], pa.row(i)[1] - pb.row(j)[1]);
        if (!(apart < near)) continue;
        const double jump =
            std::min(std::abs(on_a[0][i] - on_a[1][i]), std::abs(on_b[0][j] - on_b[1][j]));
        if (!(jump > c.jump)) continue;
        c.jump = jump;
        c.at.assign(pa.row(i).begin(), pa.row(i).end());
      }
    }
    return c;
  }

  const Problem& p_;
  PointEvaluator evaluator_;
};

}  // namespace

std::vector<std::string> corner_jumps(const Problem& p) {
  std::vector<std::string> found;
  if (p.domain->space() == nullptr) return found;
  const Sizes sizes = characteristic_sizes(p, Lowering(p), true);
  const CornerLook corners(p);
  try {
    for (const std::string& field : p.fields) {
      for (std::string& text : corners.look(field, sizes.fields.at(field))) {
        found.push_back(std::move(text));
      }
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;  // an unbounded region has no such points
  }
  return found;
}

}  // namespace cauchy::detail
