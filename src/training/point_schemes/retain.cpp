#include <numeric>

#include <cauchy/base/options.hpp>

#include "training/point_schemes/adaptive.hpp"

namespace cauchy {
namespace detail {
namespace {

std::optional<Points> retain_move(const MoveContext& c) {
  const Points& now = c.points[c.term];
  const std::vector<double> r = c.look.sizes(c.term, now);
  if (r.empty()) return std::nullopt;
  const double mean = std::accumulate(r.begin(), r.end(), 0.0) / static_cast<double>(r.size());
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (r[i] > mean) kept.push_back(i);
  }
  Points all = rows_of(now, kept);
  append(all, c.fresh(now.size() - kept.size()));  // never 0: some residual is at most the mean
  return all;
}

}  // namespace

std::unique_ptr<PointScheme> make_retain(const RetainPoints& o) {
  return std::make_unique<Adaptive>(o.period, retain_move);
}

}  // namespace detail

void visit_options(RetainPoints& o, OptionVisitor& v) { v.count("period", o.period, 1); }

}  // namespace cauchy
