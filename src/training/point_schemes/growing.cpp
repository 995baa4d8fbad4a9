#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "training/point_schemes/adaptive.hpp"

namespace cauchy {
namespace detail {
namespace {

std::optional<Points> growing_move(const GrowingPoints& o, const MoveContext& c) {
  const Points& now = c.points[c.term];
  const std::size_t n = now.size(), most = c.look.most(c.term, o.most);
  if (n >= most) return std::nullopt;
  const std::vector<double> fresh = c.look.sizes(c.term, c.fresh(n));
  const std::vector<double> trained = c.look.sizes(c.term, now);
  if (fresh.empty() || trained.empty()) return std::nullopt;
  const double ratio = root_mean_square(fresh) / root_mean_square(trained);
  if (!(ratio > o.ratio)) return std::nullopt;
  const double wanted =
      std::min(std::ceil(o.factor * static_cast<double>(n)), static_cast<double>(most));
  const auto grown = static_cast<std::size_t>(wanted);
  c.note_growth(ratio, n, grown);
  // A sequence of the sampler starts with the points that are there.
  return c.points.sample(c.term, grown, 0);
}

void check_growing(const GrowingPoints& o) {
  require_scheme(o.ratio > 0, "`ratio` must be positive");
  require_scheme(o.factor > 1 && std::isfinite(o.factor), "`factor` must be greater than 1");
}

}  // namespace

std::unique_ptr<PointScheme> make_growing(const GrowingPoints& o) {
  check_growing(o);
  return std::make_unique<Adaptive>(
      o.period, [o](const MoveContext& context) { return growing_move(o, context); });
}

}  // namespace detail

void visit_options(GrowingPoints& o, OptionVisitor& v) {
  v.number("ratio", o.ratio, NumberRange::positive);
  v.number("factor", o.factor, NumberRange::positive);
  v.count("period", o.period, 1);
  v.count("most", o.most, 1);
  v.check([&] { detail::check_growing(o); });
}

}  // namespace cauchy
