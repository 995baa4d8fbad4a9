#include <algorithm>
#include <cmath>
#include <numeric>

#include <cauchy/base/options.hpp>
#include <cauchy/sampling/weighted.hpp>

#include "training/point_schemes/adaptive.hpp"

namespace cauchy {
namespace detail {
namespace {

/// |r|^power / mean|r|^power + offset, and a hair more: where residuals vanish, points come last.
std::vector<double> residual_density(std::span<const double> r, const ResidualPoints& o) {
  constexpr double hair = 1e-100;
  const double largest = *std::ranges::max_element(r);
  std::vector<double> density(r.size(), o.offset + hair);
  if (!(largest > 0)) return density;
  double mean = 0;
  for (const double v : r) mean += std::pow(v / largest, o.power) / static_cast<double>(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    density[i] += std::pow(r[i] / largest, o.power) / mean;
  }
  return density;
}

std::vector<std::size_t> largest_rows(std::span<const double> r, std::size_t n) {
  std::vector<std::size_t> order(r.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(n);
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t i, std::size_t j) {
    return r[i] != r[j] ? r[i] > r[j] : i < j;
  });
  order.resize(n);
  return order;
}

std::optional<Points> residual_move(const ResidualPoints& o, const MoveContext& c) {
  const Points& now = c.points[c.term];
  const std::size_t n = now.size(), most = std::max(n, c.look.most(c.term, o.most));
  const bool replace = o.form == ResidualPoints::Form::replace;
  const std::size_t added =
      o.added > 0 ? o.added : std::max<std::size_t>(1, c.points.source(c.term).n / 10);
  std::size_t target = replace ? n : std::min(most, n + added);
  const std::size_t times = std::max<std::size_t>(o.candidates, o.growth > 0 ? 2 : 1);
  const Points candidates = c.fresh(std::max(times * n, target));
  const std::vector<double> r = c.look.sizes(c.term, candidates);
  if (r.empty()) return std::nullopt;
  if (o.growth > 0 && n < most) {
    const double ratio = root_mean_square(r) / root_mean_square(c.look.sizes(c.term, now));
    if (ratio > o.growth) {
      target = std::max(target, std::min(most, 2 * n));
      c.note_growth(ratio, n, target);
    }
  }
  const std::size_t taken = replace ? target : target - n;
  if (taken == 0) return std::nullopt;
  Rng rng = c.rng.split(1);
  const bool greedy = o.form == ResidualPoints::Form::greedy;
  const std::vector<std::size_t> rows =
      greedy ? largest_rows(r, taken)
             : balanced_subset(candidates.values, candidates.columns.size(), residual_density(r, o),
                               taken, rng);
  Points chosen = rows_of(candidates, rows);
  if (replace) return chosen;
  Points all = now;
  append(all, chosen);
  return all;
}

}  // namespace

std::unique_ptr<PointScheme> make_residual(const ResidualPoints& o) {
  require_scheme(o.power >= 0 && std::isfinite(o.power), "`power` must not be negative");
  require_scheme(o.offset >= 0 && std::isfinite(o.offset), "`offset` must not be negative");
  require_scheme(o.candidates > 0, "`candidates` must be positive");
  require_scheme(o.growth >= 0, "`growth` must not be negative");
  return std::make_unique<Adaptive>(
      o.period, [o](const MoveContext& context) { return residual_move(o, context); });
}

}  // namespace detail

void visit_options(ResidualPoints& o, OptionVisitor& v) {
  using Form = ResidualPoints::Form;
  static const Words<Form> forms = {
      {"replace", Form::replace}, {"add", Form::add}, {"greedy", Form::greedy}};
  v.word("form", o.form, forms);
  v.number("power", o.power, NumberRange::not_negative);
  v.number("offset", o.offset, NumberRange::not_negative);
  v.count("period", o.period, 1);
  v.count("candidates", o.candidates, 1, 10'000);
  v.count("added", o.added, 0);
  v.count("most", o.most, 1);
  v.number("growth", o.growth, NumberRange::not_negative);
}

}  // namespace cauchy
