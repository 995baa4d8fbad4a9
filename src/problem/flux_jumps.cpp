#include "problem/flux_jumps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/switches.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_lines = 16, most_tested = 24;
constexpr double thin = 0.02, rim = 0.01;  // films, and how far beside them; of the domain
constexpr double least_jump = 0.05;        // of what a coefficient varies by
constexpr double rounding = 1e-6;          // of values, that says nothing of their drop

/// Moves both points along a coordinate to the ends of its bounds, or so far as the shape allows.
bool stretch(const Domain& domain, std::size_t column, std::vector<double>& from,
             std::vector<double>& to) {
  const std::size_t x0 = domain.space_column();
  if (column < x0) {
    from[column] = domain.time()->lower;
    to[column] = domain.time()->upper;
    return true;
  }
  const std::size_t d = domain.space()->dimension();
  const ShapePtr shape = domain.shape(std::span(from).subspan(x0 + d));
  const auto bounds = shape->bounds();
  const auto reach = [&](std::vector<double>& point, double end) {
    const double begin = point[column];
    double inside = 0;
    for (int step = 1; step <= 64; ++step) {  // as long as it does not leave
      point[column] = begin + (end - begin) * step / 64;
      if (!shape->contains(point.data() + x0)) break;
      inside = static_cast<double>(step) / 64;
    }
    point[column] = begin + (end - begin) * inside;
  };
  reach(from, bounds.lower[column - x0]);
  reach(to, bounds.upper[column - x0]);
  return to[column] > from[column];
}

/// Where a known coefficient jumps between two points that differ in one coordinate: of the places
/// where something in it switches those with other values beside them.
std::vector<double> jumps_between(const PointEvaluator& evaluator, const Expr& coefficient,
                                  std::size_t column, std::span<const double> from, double upper) {
  const std::vector<std::string> columns = evaluator.problem().coordinates();
  const Expr lowered = evaluator.lower()(coefficient);
  std::vector<Replacement> others;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k != column) others.push_back({Coordinate(columns[k]), Expr(from[k])});
  }
  const Expr along[] = {substitute(lowered, others)};
  const std::vector<double> places = switch_places(along, columns[column], from[column], upper);
  if (places.empty()) return {};
  Points beside;
  beside.columns = columns;
  const auto add = [&](double x) {
    const std::size_t row = beside.values.size();
    beside.values.insert(beside.values.end(), from.begin(), from.end());
    beside.values[row + column] = x;
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double before = i > 0 ? places[i - 1] : from[column];
    const double behind = i + 1 < places.size() ? places[i + 1] : upper;
    const double step = 1e-3 * std::min(places[i] - before, behind - places[i]);
    add(places[i] - step);
    add(places[i] + step);
  }
  const Expr roots[] = {lowered};
  const std::vector<double> values = evaluator(roots, beside)[0];
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::vector<double> found;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double jump = std::abs(values[2 * i + 1] - values[2 * i]);
    if (jump > least_jump * (*high - *low)) found.push_back(places[i]);
  }
  return found;
}

/// The extent of the domain along a coordinate at this place.
double extent(const Domain& domain, std::size_t column, std::span<const double> at) {
  std::vector<double> from(at.begin(), at.end()), to = from;
  return stretch(domain, column, from, to) ? to[column] - from[column] : 0;
}

/// c of a flux c*u_x, the only thing that it holds; none: it is something else.
std::optional<Expr> conductivity(const Expr& flux, const std::string& by) {
  const Expr roots[] = {flux};
  const std::vector<Expr> atoms = field_atoms(roots);
  if (atoms.size() != 1 || atoms[0].index().size() != 1) return std::nullopt;
  const auto& [coordinate, times] = atoms[0].index()[0];
  if (coordinate != by || times != 1) return std::nullopt;
  return partial(flux, atoms[0]);
}

/// What a field changes by across a film and the little that lies beside it, against the flux there
/// times the resistance of all this: their difference in units of the larger one.
class FilmTester {
 public:
  FilmTester(const PointEvaluator& evaluator, const TestedForm& form)
      : evaluator_(evaluator), form_(form), domain_(domain_of(evaluator.problem())) {}

  [[nodiscard]] std::optional<double> test(const FluxJump& jump) const {
    const auto& [flux, column] = form_.flux[jump.flux];
    const auto c = conductivity(flux, evaluator_.problem().coordinates()[column]);
    const double length = extent(domain_, column, jump.at);
    if (!c || !jump.pair || !(jump.behind < thin * length)) return std::nullopt;
    const double step = std::min(rim * length, jump.before / 2);
    // Before the film, inside, behind; what lies behind it may be thin, too.
    const std::array<double, 5> places = {-step, -step / 2, jump.behind / 2, jump.behind + step / 2,
                                          jump.behind + step};
    Points points;
    points.columns = evaluator_.problem().coordinates();
    for (const double x : places) {
      std::vector<double> at = jump.at;
      at[column] += x;
      points.values.insert(points.values.end(), at.begin(), at.end());
    }
    const Expr roots[] = {flux};
    const Expr field = Field(field_atoms(roots)[0].name());
    const Expr wanted[] = {evaluator_.lower()(flux), evaluator_.lower()(*c), field};
    const auto found = evaluator_(wanted, points);
    const auto resistance = [&](std::size_t i, double width) { return width / found[1][i]; };
    const double all = resistance(1, step) + resistance(2, jump.behind) + resistance(3, step);
    const double drop = found[2][4] - found[2][0], due = (found[0][0] + found[0][4]) / 2 * all;
    const double level = std::max(std::abs(found[2][4]), std::abs(found[2][0]));
    const double size = std::max({std::abs(drop), std::abs(due), rounding * level});
    return size > 0 ? std::abs(drop - due) / size : 0;
  }

 private:
  const PointEvaluator& evaluator_;
  const TestedForm& form_;
  Domain domain_;
};

}  // namespace

std::vector<FluxJump> flux_jumps(const PointEvaluator& evaluator, const TestedForm& form) {
  std::vector<FluxJump> all;
  const Domain domain = domain_of(evaluator.problem());
  Points starts;
  for (std::size_t f = 0; f < form.flux.size(); ++f) {
    const auto& [flux, column] = form.flux[f];
    const Expr roots[] = {flux};
    for (const Expr& atom : field_atoms(roots)) {
      const Expr coefficient = partial(flux, atom);
      if (!jumps(coefficient)) continue;
      if (starts.values.empty()) starts = interior_points(domain, n_lines);
      const bool line = starts.columns.size() == 1;  // all are the same
      for (std::size_t i = 0; i < (line ? 1 : starts.size()); ++i) {
        std::vector<double> from(starts.row(i).begin(), starts.row(i).end()), to = from;
        if (!stretch(domain, column, from, to)) continue;
        const double lower = from[column], upper = to[column];
        const std::vector<double> places =
            jumps_between(evaluator, coefficient, column, from, upper);
        for (std::size_t k = 0; k < places.size(); ++k) {
          const bool last = k + 1 == places.size();
          FluxJump jump{from, f, places[k] - (k == 0 ? lower : places[k - 1]),
                        (last ? upper : places[k + 1]) - places[k], !last};
          jump.at[column] = places[k];
          all.push_back(std::move(jump));
        }
      }
    }
  }
  return all;
}

std::optional<WeakMeans> means_across_jumps(const PointEvaluator& evaluator,
                                            const ProblemEquation& equation, double least) {
  const std::vector<std::string> columns = evaluator.problem().coordinates();
  const auto form = tested_form(evaluator.problem(), equation);
  if (!form) return std::nullopt;
  const std::vector<FluxJump> jumps = flux_jumps(evaluator, *form);
  if (jumps.empty()) return std::nullopt;
  WeakMeans all;
  all.where.columns = columns;
  const auto add = [&](double residual, std::span<const double> where) {
    all.residuals.push_back(residual);
    all.moduli.push_back(1);
    all.where.values.insert(all.where.values.end(), where.begin(), where.end());
  };
  Points centres;
  centres.columns = columns;
  const FilmTester films(evaluator, *form);
  const std::size_t n = std::min(jumps.size(), most_tested);
  for (std::size_t i = 0; i < n; ++i) {
    const FluxJump& jump = jumps[i * jumps.size() / n];
    centres.values.insert(centres.values.end(), jump.at.begin(), jump.at.end());
    if (const auto off = films.test(jump)) add(*off, jump.at);
  }
  if (const auto around = means_around(evaluator, equation, centres, least)) {
    for (std::size_t i = 0; i < around->residuals.size(); ++i) {
      add(around->residuals[i], around->where.row(i));
    }
  }
  if (all.residuals.empty()) return std::nullopt;
  return all;
}

}  // namespace cauchy::detail
