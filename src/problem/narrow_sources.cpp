#include "problem/narrow_sources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/lowering.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_scanned = 20'000, n_followed = 16, most_sources = 32;
constexpr std::size_t most_formulas = 500, most_places = 12, most_candidates = 512;
constexpr double narrow = 0.04;       // of the domain
constexpr double stands_out = 5;      // times the median distance from the median
constexpr double least_part = 1e-3;   // of the integral of the source
constexpr double not_balanced = 0.5;  // of the terms
constexpr double wide = std::numeric_limits<double>::infinity();

SamplerOptions scan_sampler() {
  SamplerOptions options{SamplerKind::uniform};
  options.seed = 0x2545f4914f6cdd1d;
  return options;
}

double median_of(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class SourceSearch final {
 public:
  explicit SourceSearch(const Problem& problem)
      : problem_(problem), evaluator_(problem), domain_(domain_of(problem)) {
    for (const Sizes::Axis& a : characteristic_sizes(problem, evaluator_.lower(), true).axes) {
      lower_.push_back(a.center - a.half);
      length_.push_back(2 * a.half);
      coordinates_.push_back(Coordinate(a.name));
    }
  }

  std::vector<NarrowSource> run() {
    for (std::size_t k = 0; k < problem_.equation.size(); ++k) {
      std::optional<Expr> source;
      for (const Expr& term :
           additive_terms(evaluator_.lower()(problem_.equation[k].form.residual()))) {
        const Expr roots[] = {term};
        if (!field_atoms(roots).empty() || !atoms(roots, Kind::symbol).empty()) continue;
        const bool varies = !atoms(roots, Kind::coordinate).empty();
        if (varies) source = source ? *source + term : term;
      }
      if (source) look_at(k, *source);
    }
    std::sort(found_.begin(), found_.end(),
              [](const Found& a, const Found& b) { return a.mass > b.mass; });
    std::vector<NarrowSource> out;
    for (std::size_t i = 0; i < std::min(found_.size(), most_sources); ++i) {
      out.push_back(std::move(found_[i].source));
    }
    return out;
  }

 private:
  struct Found {
    NarrowSource source;
    double height = 0, mass = 0;
  };
  [[nodiscard]] std::size_t D() const { return coordinates_.size(); }

  [[nodiscard]] std::vector<double> values(const Expr& source, std::vector<double> rows) const {
    Points points;
    points.columns = problem_.coordinates();
    points.values = std::move(rows);
    const Expr one[] = {source};
    return evaluator_(one, points)[0];
  }

  [[nodiscard]] bool inside(std::span<const double> row) const {
    for (std::size_t k = 0; k < D(); ++k) {
      if (!(row[k] >= lower_[k] && row[k] <= lower_[k] + length_[k])) return false;
    }
    if (domain_.space() == nullptr) return true;
    const std::size_t first = domain_.space_column();
    return domain_.shape(row.subspan(first + domain_.space()->dimension()))
        ->contains(row.data() + first);
  }

  /// Points all over the domain: equally spaced on a line.
  [[nodiscard]] std::vector<double> scanned() const {
    if (D() > 1) return interior_points(domain_, n_scanned, scan_sampler()).values;
    std::vector<double> rows;
    for (std::size_t i = 0; i < n_scanned; ++i) {
      rows.push_back(lower_[0] + length_[0] * (static_cast<double>(i) + 0.5) / n_scanned);
    }
    return rows;
  }

  void look_at(std::size_t equation, const Expr& source) {
    const std::vector<double> rows = scanned(), all = values(source, rows);
    const double median = median_of(all);
    std::vector<double> away(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) away[i] = std::abs(all[i] - median);
    const double least = stands_out * median_of(away);
    std::vector<double> candidates = from_formulas(source, rows);
    const std::vector<double> followed = from_values(source, rows, away, median, least);
    candidates.insert(candidates.end(), followed.begin(), followed.end());
    std::vector<double> kept;
    for (std::size_t i = 0; i + D() <= candidates.size(); i += D()) {
      const std::span<const double> row(candidates.data() + i, D());
      if (inside(row)) kept.insert(kept.end(), row.begin(), row.end());
    }
    std::vector<double> heights = values(source, kept);
    for (double& h : heights) h = std::abs(h - median);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < heights.size(); ++i) {
      if (heights[i] > least && std::isfinite(heights[i])) order.push_back(i);
    }
    // The highest first: those beside it then need not be measured.
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return heights[i] > heights[j]; });
    for (const std::size_t i : order) {
      Found f;
      f.height = heights[i];
      f.source.equation = equation;
      f.source.at.assign(&kept[i * D()], &kept[i * D()] + D());
      add(source, median, std::move(f));
    }
  }

  /// The farthest of the scanned points, each moved to the top of what stands there.
  [[nodiscard]] std::vector<double> from_values(const Expr& source, std::span<const double> rows,
                                                const std::vector<double>& away, double median,
                                                double least) const {
    std::vector<std::size_t> order(away.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t n = std::min(n_followed, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                      [&](std::size_t i, std::size_t j) {
                        const double a = std::isfinite(away[i]) ? away[i] : -1;
                        const double b = std::isfinite(away[j]) ? away[j] : -1;
                        return a > b;
                      });
    std::vector<double> at, best;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(away[order[i]] > least)) break;
      at.insert(at.end(), &rows[order[i] * D()], &rows[order[i] * D()] + D());
      best.push_back(away[order[i]]);
    }
    if (best.empty()) return at;
    const double first = 2 / std::pow(static_cast<double>(n_scanned), 1.0 / double(D()));
    for (double step = first; step > 1e-13; step /= 2) {
      for (std::size_t k = 0; k < D(); ++k) {
        for (const double sign : {-1.0, 1.0}) {
          std::vector<double> moved = at;
          for (std::size_t i = 0; i < best.size(); ++i)
            moved[i * D() + k] += sign * step * length_[k];
          const std::vector<double> v = values(source, moved);
          for (std::size_t i = 0; i < best.size(); ++i) {
            if (!(std::abs(v[i] - median) > best[i])) continue;
            if (!inside({&moved[i * D()], D()})) continue;
            best[i] = std::abs(v[i] - median);
            at[i * D() + k] = moved[i * D() + k];
          }
        }
      }
    }
    return at;
  }

  /// Vertices and roots of what is quadratic or linear in a coordinate, with the others as they are
  /// at some points, and all combinations of those that depend on one coordinate.
  [[nodiscard]] std::vector<double> from_formulas(const Expr& source,
                                                  std::span<const double> rows) const {
    const Expr roots[] = {source};
    std::vector<Expr> nodes = postorder(roots);
    if (nodes.size() > most_formulas) return {};
    std::vector<std::vector<double>> starts(1);
    for (std::size_t k = 0; k < D(); ++k) starts[0].push_back(lower_[k] + length_[k] / 2);
    for (std::size_t i = 0; D() > 1 && i < 4; ++i) {
      starts.emplace_back(&rows[i * D()], &rows[i * D()] + D());
    }
    std::vector<std::vector<double>> places(D());
    std::vector<double> out;
    for (const Expr& g : nodes) {
      const Expr one[] = {g};
      if (g.is_atom() || !atoms(one, Kind::call).empty()) continue;
      const std::vector<Expr> on = atoms(one, Kind::coordinate);
      std::vector<std::vector<double>> moved = starts;
      bool some = false;
      for (std::size_t k = 0; k < D(); ++k) {
        if (!depends_on(g, coordinates_[k])) continue;
        for (std::size_t s = 0; s < starts.size(); ++s) {
          for (const double x : special_places(g, k, starts[s])) {
            if (!(x >= lower_[k] && x <= lower_[k] + length_[k])) continue;
            some = true;
            moved[s][k] = x;
            if (on.size() == 1 && s == 0 && places[k].size() < most_places) places[k].push_back(x);
          }
        }
      }
      if (!some || on.size() < 2) continue;
      for (const auto& row : moved) out.insert(out.end(), row.begin(), row.end());
      if (out.size() > most_candidates * D()) break;
    }
    std::size_t n = 1;
    for (std::vector<double>& list : places) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      if (!list.empty()) n *= list.size();
    }
    const bool any =
        std::any_of(places.begin(), places.end(), [](const auto& l) { return !l.empty(); });
    for (std::size_t c = 0; any && c < std::min(n, most_candidates); ++c) {
      std::size_t rest = c;
      for (std::size_t k = 0; k < D(); ++k) {
        out.push_back(places[k].empty() ? starts[0][k] : places[k][rest % places[k].size()]);
        if (!places[k].empty()) rest /= places[k].size();
      }
    }
    return out;
  }

  [[nodiscard]] std::vector<double> special_places(const Expr& g, std::size_t k,
                                                   std::span<const double> at) const {
    try {
      const Expr slope = simplify(d(g, coordinates_[k]));
      if (depends_on(slope, coordinates_[k])) {
        const Expr curvature = simplify(d(slope, coordinates_[k]));
        if (depends_on(curvature, coordinates_[k])) return {};
        const double c = value(curvature, at);
        if (!(std::abs(c) > 0)) return {};
        const double x = at[k] - value(slope, at) / c, half = 1 / std::sqrt(std::abs(c));
        return {x - half, x + half, x};
      }
      const double s = value(slope, at);
      if (!(std::abs(s) > 0)) return {};
      return {at[k] - value(g, at) / s};
    } catch (const Error&) {  // no derivative, no number
      return {};
    }
  }

  [[nodiscard]] double value(const Expr& e, std::span<const double> at) const {
    Values v;
    for (std::size_t k = 0; k < D(); ++k) v.set(coordinates_[k], at[k]);
    return evaluate(e, v);
  }

  /// Measures how wide it is, and keeps it when it is narrow and counts.
  void add(const Expr& source, double median, Found f) {
    for (const Found& other : found_) {
      if (other.source.equation != f.source.equation) continue;
      bool same = other.height >= f.height * (1 - 1e-9);
      for (std::size_t k = 0; k < D(); ++k) {
        const double w = other.source.width[k];
        same = same && (w == wide || std::abs(other.source.at[k] - f.source.at[k]) <= w);
      }
      if (same) return;
    }
    double part = f.height;
    bool is_narrow = false;
    for (std::size_t k = 0; k < D(); ++k) {
      double width = 0;
      for (const double sign : {-1.0, 1.0}) {
        const double side = falls_to_half(source, median, f, k, sign);
        if (side < 0) return;
        width = std::max(width, side);
      }
      if (width == 0 || width > narrow * length_[k]) width = wide;
      f.source.width.push_back(width);
      if (width == wide) continue;
      is_narrow = true;
      part *= 2 * width / length_[k];
    }
    f.mass = part;
    if (!is_narrow || !(part >= least_part * std::abs(median))) return;
    std::erase_if(found_, [&](const Found& other) {
      if (other.source.equation != f.source.equation || other.height > f.height) return false;
      for (std::size_t k = 0; k < D(); ++k) {
        const double w = f.source.width[k];
        if (w != wide && std::abs(other.source.at[k] - f.source.at[k]) > w) return false;
      }
      return true;
    });
    found_.push_back(std::move(f));
  }

  /// How far away along a coordinate it is half as high; 0: the domain ends there, or next to it;
  /// negative: it is higher on the way, so that this is a flank of something else.
  [[nodiscard]] double falls_to_half(const Expr& source, double median, const Found& f,
                                     std::size_t k, double sign) const {
    const auto row_at = [&](double away) {
      std::vector<double> row = f.source.at;
      row[k] += sign * away;
      return row;
    };
    std::vector<double> rows, distances;
    for (int j = 44; j >= 1; --j) {
      const double away = length_[k] * std::exp2(-j);
      const std::vector<double> row = row_at(away);
      if (!inside(row)) break;
      rows.insert(rows.end(), row.begin(), row.end());
      distances.push_back(away);
    }
    if (distances.empty()) return 0;
    const auto low = [&](double v) { return !(std::abs(v - median) > f.height / 2); };
    const std::vector<double> v = values(source, rows);
    std::size_t i = 0;
    for (; i < v.size() && !low(v[i]); ++i) {
      if (std::abs(v[i] - median) > 1.001 * f.height) return -1;
    }
    if (i == v.size()) return distances.back() < length_[k] / 8 ? 0 : wide;
    double a = i == 0 ? 0 : distances[i - 1], b = distances[i];
    for (int step = 0; step < 48; ++step) {
      const double middle = (a + b) / 2;
      (low(values(source, row_at(middle))[0]) ? b : a) = middle;
    }
    return b;
  }

  const Problem& problem_;
  PointEvaluator evaluator_;
  Domain domain_;
  std::vector<double> lower_, length_;
  std::vector<Expr> coordinates_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<NarrowSource> narrow_sources(const Problem& problem) {
  return SourceSearch(problem).run();
}

Points points_on(const Problem& problem, const NarrowSource& source) {
  const Domain domain = domain_of(problem);
  Points points;
  points.columns = problem.coordinates();
  const std::size_t D = points.columns.size();
  const auto add = [&](const std::vector<double>& row) {
    if (const Time* t = domain.time();
        t != nullptr && !(row[0] >= t->lower && row[0] <= t->upper)) {
      return;
    }
    if (domain.space() != nullptr) {
      const std::size_t first = domain.space_column();
      const std::span<const double> ranges(row.data() + first + domain.space()->dimension(),
                                           row.size() - first - domain.space()->dimension());
      if (!domain.shape(ranges)->contains(row.data() + first)) return;
    }
    points.values.insert(points.values.end(), row.begin(), row.end());
  };
  add(source.at);
  for (std::size_t k = 0; k < D; ++k) {
    if (source.width[k] == wide) continue;
    for (const double part : {0.5, 1.5, 3.0, 6.0}) {
      for (const double sign : {-1.0, 1.0}) {
        std::vector<double> row = source.at;
        row[k] += sign * part * source.width[k];
        add(row);
      }
    }
  }
  return points;
}

std::vector<double> source_nodes(std::span<const NarrowSource> sources, std::size_t column,
                                 double lower, double upper) {
  std::vector<double> nodes;
  for (const NarrowSource& s : sources) {
    const double w = s.width[column], c = s.at[column];
    if (w == wide) continue;
    std::vector<double> away = {0};
    for (const double part : {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0}) {
      away.push_back(part * w);
    }
    for (double x = 9 * w; x < (upper - lower) / 16; x *= 2) away.push_back(x);
    for (const double x : away) {
      nodes.push_back(c - x);
      nodes.push_back(c + x);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  const double slack = 1e-12 * (upper - lower);
  std::erase_if(nodes, [&](double x) { return !(x > lower + slack && x < upper - slack); });
  nodes.erase(
      std::unique(nodes.begin(), nodes.end(), [&](double a, double b) { return b - a <= slack; }),
      nodes.end());
  return nodes;
}

std::string unseen_source(const Solution& s, std::span<const NarrowSource> sources) {
  if (sources.empty()) return {};
  const PointEvaluator evaluator(s);
  for (const NarrowSource& source : sources) {
    const ProblemEquation& equation = evaluator.problem().equation[source.equation];
    const Expr residual = evaluator.lower()(equation.form.residual());
    std::vector<Expr> all = additive_terms(residual);
    all.push_back(residual);
    const auto values = evaluator(all, points_on(evaluator.problem(), source));
    double off = 0, size = 0;
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      double moduli = 0;
      for (std::size_t t = 0; t + 1 < values.size(); ++t) moduli += std::abs(values[t][i]);
      off += values.back()[i] * values.back()[i];
      size += moduli * moduli;
    }
    if (off <= not_balanced * not_balanced * size) continue;
    const std::vector<std::string> names = s.problem.coordinates();
    std::string where, width;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (source.width[k] == wide) continue;
      where += fmt::format("{}{} = {:.6g}", where.empty() ? "" : ", ", names[k], source.at[k]);
      if (width.empty()) width = fmt::format("{:.2g}", 2 * source.width[k]);
    }
    return fmt::format("{} does not resolve the source of '{}' at {}, which is {} wide", s.method,
                       name_of(equation), where, width);
  }
  return {};
}

}  // namespace cauchy::detail
