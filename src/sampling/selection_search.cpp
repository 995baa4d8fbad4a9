#include "sampling/selection_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <cauchy/base/rng.hpp>

#include "sampling/collect.hpp"

namespace cauchy::detail {
namespace {

/// `holds`: whether the condition or its contrary is wanted.
Expr violation_of(const Expr& c, bool holds) {
  if (c.is_constant()) return (c.value() != 0) == holds ? Expr(0) : Expr(1e300);
  if (c.kind() == Kind::min || c.kind() == Kind::max) {
    const bool all = (c.kind() == Kind::min) == holds;
    std::optional<Expr> result;
    for (const Expr& arg : c.args()) {
      const Expr v = violation_of(arg, holds);
      result = !result ? v : all ? max(*result, v) : min(*result, v);
    }
    return *result;
  }
  if (c.kind() == Kind::less || c.kind() == Kind::less_equal) {
    const Expr difference = c.args()[0] - c.args()[1];
    return max(Expr(0), holds ? difference : -difference);
  }
  if (c.kind() == Kind::add) return violation_of(1 - c, !holds);  // not
  return where(c, holds ? 0 : 1, holds ? 1 : 0);
}

class Search final {
 public:
  Search(const Frame& frame, const Shape& shape, const SelectedPieces& pieces,
         const ConditionTable& conditions, const double* kept, bool keep_time)
      : frame_(frame),
        shape_(shape),
        pieces_(pieces),
        kept_(kept),
        keep_time_(keep_time),
        surface_(surface_width(frame)),
        point_(surface_),
        row_(frame.width()),
        normal_(frame.space) {
    for (std::size_t c = 0; c < conditions.size(); ++c) {
      violations_.emplace_back(violation(conditions.expression(c)), frame);
      truths_.emplace_back(conditions.expression(c), frame);
    }
  }

  bool run() {
    for (const auto& e : pieces_.entries()) {
      if (e.condition == ConditionTable::always) return true;
    }
    for (const Start& start : starts()) {
      if (const auto found = descend(start)) {
        if (is_fat(*found)) return true;
      }
    }
    return false;
  }

 private:
  struct Start {
    std::vector<double> u;
    double violation;
    std::size_t piece;
  };
  struct Value {
    double violation;
    std::size_t piece;
    bool holds;
  };
  static constexpr double never = std::numeric_limits<double>::infinity();

  Value at(const std::vector<double>& u) {
    const double* surface = fill_surface_axes(frame_, u.data(), row_.data());
    const std::size_t x0 = frame_.time.size(), d = frame_.space;
    if (kept_ != nullptr) {
      if (keep_time_) std::copy_n(kept_, x0, row_.begin());
      std::copy(kept_ + x0 + d, kept_ + row_.size(),
                row_.begin() + static_cast<std::ptrdiff_t>(x0 + d));
    }
    std::copy_n(surface, surface_, point_.begin());
    const auto& e = pieces_.choose(point_[0]);
    if (!shape_.boundary_point(e.piece, point_.data(), row_.data() + x0, normal_.data())) {
      return {never, e.piece, false};
    }
    double violation = never, truth = 0;
    violations_[e.condition].run(row_.data(), 1, &violation);
    truths_[e.condition].run(row_.data(), 1, &truth);
    return {std::isnan(violation) ? never : violation, e.piece, truth > 0.5};
  }

  /// The candidates that miss least: a few of every piece, of all of them the best.
  std::vector<Start> starts() {
    constexpr std::size_t n_candidates = 8192, most = 24, most_per_piece = 4;
    std::vector<Start> all;
    for (std::size_t i = 0; i < n_candidates; ++i) {
      std::vector<double> u(boundary_width(frame_));
      rng_.fill_uniform(u);
      const Value v = at(u);
      if (v.violation < never) all.push_back({std::move(u), v.violation, v.piece});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Start& a, const Start& b) { return a.violation < b.violation; });
    std::vector<Start> best;
    std::map<std::size_t, std::size_t> taken;
    for (Start& s : all) {
      if (best.size() == most) break;
      if (taken[s.piece]++ < most_per_piece) best.push_back(std::move(s));
    }
    return best;
  }

  /// Random steps that are kept when they miss less; they grow after a success and shrink after a
  /// failure, so that about one in five succeeds.
  std::optional<std::vector<double>> descend(const Start& start) {
    std::vector<double> u = start.u, next(u.size());
    double best = start.violation, size = 0.05;
    for (int step = 0; step < 400 && size > 1e-13; ++step) {
      const Value v = beside(u, size, next);
      if (v.holds) return next;
      const bool better = v.violation < best;
      if (better) {
        best = v.violation;
        u = next;
      }
      size *= better ? 1.5 : 0.9;
    }
    return std::nullopt;
  }

  /// A random point of the cube of half width `size` about u.
  Value beside(const std::vector<double>& u, double size, std::vector<double>& next) {
    for (std::size_t k = 0; k < u.size(); ++k) {
      next[k] = std::clamp(u[k] + size * (2 * rng_.uniform() - 1), 0.0, 1.0);
    }
    return at(next);
  }

  /// A part of share least_share is a square of this side; a line through it has no share of it.
  bool is_fat(const std::vector<double>& u) {
    constexpr int n = 2048, least = 3;
    const double side = std::pow(least_share, 1 / static_cast<double>(surface_));
    std::vector<double> next(u.size());
    int hits = 0;
    for (int i = 0; i < n; ++i) hits += beside(u, side / 2, next).holds ? 1 : 0;
    return hits >= least;
  }

  const Frame& frame_;
  const Shape& shape_;
  const SelectedPieces& pieces_;
  const double* kept_;
  bool keep_time_;
  std::size_t surface_;
  std::vector<double> point_, row_, normal_;
  std::vector<RowProgram> violations_, truths_;
  Rng rng_{0x73656172};
};

}  // namespace

Expr violation(const Expr& condition) { return violation_of(condition, true); }

bool may_be_met(const Frame& frame, const Shape& shape, const SelectedPieces& pieces,
                const ConditionTable& conditions, const double* kept, bool keep_time) {
  return Search(frame, shape, pieces, conditions, kept, keep_time).run();
}

std::size_t surface_width(const Frame& frame) { return std::max<std::size_t>(frame.space, 2) - 1; }

std::size_t boundary_width(const Frame& frame) {
  return frame.free_columns() - frame.space + surface_width(frame);
}

const double* fill_surface_axes(const Frame& frame, const double* u, double* row) {
  for (const Axis& a : frame.time) *row++ = a.is_fixed() ? a.lower : a.at(*u++);
  const double* surface = u;
  u += surface_width(frame);
  row += frame.space;
  for (const Axis& a : frame.ranges) *row++ = a.is_fixed() ? a.lower : a.at(*u++);
  return surface;
}

}  // namespace cauchy::detail
