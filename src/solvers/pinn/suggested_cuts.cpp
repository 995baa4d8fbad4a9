#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/decompose.hpp>

#include "problem/point_evaluator.hpp"

namespace cauchy {
namespace {

constexpr double smallest_cut = 0.01;  // share of the domain on the smaller side
constexpr int most_steps_of_floor = 16;

/// Collects surfaces left = right that cut the domain.
class CutFinder final {
 public:
  explicit CutFinder(const Problem& problem)
      : evaluator_(problem),
        context_(problem.context()),
        points_(interior_points(domain_of(problem), 4096)) {}

  void look_at(const Expr& e) {
    const Expr roots[] = {e};
    for (const Expr& node : postorder(roots)) {
      const auto args = node.args();
      switch (node.kind()) {
        case Kind::less:
        case Kind::less_equal:
          add(args[0], args[1]);
          break;
        case Kind::sign:
        case Kind::abs:
          add(args[0], Expr(0));
          break;
        case Kind::floor:
          add_steps(args[0]);
          break;
        default:
          break;
      }
    }
  }
  void add(const Expr& left, const Expr& right) {
    const auto values = values_of(left - right);
    if (!values) return;
    const auto positive =
        std::count_if(values->begin(), values->end(), [](double v) { return v > 0; });
    const double share = static_cast<double>(positive) / static_cast<double>(values->size());
    if (!(std::min(share, 1 - share) >= smallest_cut)) return;
    const Expr level = left - right;
    for (const Expr& other : levels_) {
      if (same(level, other) || same(level, -other)) return;
    }
    levels_.push_back(level);
    texts_.push_back(
        fmt::format("{} = {}", to_string(left, &context_), to_string(right, &context_)));
  }
  [[nodiscard]] std::vector<std::string> texts() && { return std::move(texts_); }

 private:
  /// At points of the domain; none for what depends on more than coordinates and known numbers.
  std::optional<std::vector<double>> values_of(const Expr& e) const {
    const Expr lowered = evaluator_.lower()(e), roots[] = {lowered};
    if (!field_atoms(roots).empty() || !atoms(roots, Kind::symbol).empty() ||
        !atoms(roots, Kind::call).empty() || atoms(roots, Kind::coordinate).empty()) {
      return std::nullopt;
    }
    const Expr wanted[] = {lowered};
    return evaluator_(wanted, points_)[0];
  }
  void add_steps(const Expr& e) {
    const auto values = values_of(e);
    if (!values) return;
    const auto [low, high] = std::minmax_element(values->begin(), values->end());
    if (!(*high - *low <= most_steps_of_floor)) return;
    for (double k = std::ceil(*low); k <= *high; ++k) add(e, Expr(k));
  }

  detail::PointEvaluator evaluator_;
  Context context_;
  Points points_;
  std::vector<Expr> levels_;
  std::vector<std::string> texts_;
};

}  // namespace

std::vector<std::string> suggested_cuts(const Problem& problem) {
  CutFinder finder(problem);
  for (const ProblemEquation& e : problem.equation) finder.look_at(e.form.residual());
  const Region* space = problem.domain->space();
  if (space == nullptr || space->dimension() != 2) return std::move(finder).texts();  // no slits
  try {
    for (const SymbolicPiece& piece : space->symbolic_pieces()) {
      if (piece.name.find("slit_left") != std::string::npos) finder.add(piece.carrier, Expr(0));
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;  // a triangle surface has no formulas
  }
  return std::move(finder).texts();
}

}  // namespace cauchy
