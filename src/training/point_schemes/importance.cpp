#include "training/point_schemes/importance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/sampling/seed_importance.hpp>
#include <cauchy/sampling/weighted.hpp>

#include "training/point_schemes/adaptive.hpp"
#include "training/point_schemes/redraw.hpp"

namespace cauchy {
namespace detail {
namespace {

constexpr const char* importance_place = "[training.point_scheme]";

/// Coordinates in units of their ranges, so that distances mean something.
std::vector<double> scaled_rows(const Points& points) {
  const std::size_t width = points.columns.size();
  std::vector<double> rows = points.values;
  for (std::size_t k = 0; k < width; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = k; i < rows.size(); i += width) {
      low = std::min(low, rows[i]);
      high = std::max(high, rows[i]);
    }
    for (std::size_t i = k; i < rows.size() && high > low; i += width) {
      rows[i] = (rows[i] - low) / (high - low);
    }
  }
  return rows;
}

void check_importance(const ImportancePoints& o) {
  const bool by_measure = o.by == ImportancePoints::By::measure;
  if (by_measure && o.measure.empty()) {
    throw Error("by = \"measure\" needs a measure", importance_place,
                "give one: measure = \"10*abs(u_x) + 5\"");
  }
  if (!by_measure && !o.measure.empty()) {
    throw Error("a measure is given, and batches are drawn by something else", importance_place,
                "write by = \"measure\", or leave it out");
  }
}

class Importance final : public PointScheme {
 public:
  explicit Importance(const ImportancePoints& options) : options_(options) {
    require_scheme(options.period > 0, "the period of a scheme must be positive");
    require_scheme(options.batch > 0, "`batch` must be positive");
    require_scheme(options.uniform_share > 0 && options.uniform_share <= 1,
                   "`uniform_share` must be in (0, 1]");
    check_importance(options);
  }

  bool update(TrainingPoints& points, TrainingLoss& loss, const TrainingStep& step) override {
    const bool redrawn = redraw_is_due(points.settings(), step);
    if (redrawn) {
      points.draw(++round_);
      q_.clear();
    }
    if (!step.first_order) return redrawn;
    if (!fits(points) || step.step >= last_ + options_.period) {
      look(points, PointLook(points, loss, step.theta));
      last_ = step.step;
    }
    choose(points, batch_number_++);
    return true;
  }

  void save(TrainingState& state) const override {
    state.numbers["round"] = round_;
    state.numbers["batch"] = batch_number_;
    state.numbers["last"] = last_;
    for (std::size_t t = 0; t < q_.size(); ++t) state.arrays[fmt::format("q/{}", t)] = q_[t];
  }

  void restore(const TrainingState& state, TrainingPoints& points) override {
    round_ = scheme_number(state, "round");
    batch_number_ = scheme_number(state, "batch");
    last_ = scheme_number(state, "last");
    if (round_ > 0) points.draw(round_);
    q_.clear();
    for (std::size_t t = 0; t < points.size(); ++t) {
      const auto found = state.arrays.find(fmt::format("q/{}", t));
      if (found == state.arrays.end()) break;
      const std::vector<double>& q = found->second;
      const bool good = std::ranges::all_of(q, [](double v) { return v > 0 && v <= 1.001; });
      if (!good) throw_damaged_scheme();
      q_.push_back(q);
    }
    if (!q_.empty() && q_.size() != points.size()) throw_damaged_scheme();
    // A run that was stopped between two stages may have changed its points since.
    if (!fits(points)) q_.clear();
    if (!q_.empty() && batch_number_ > 0) choose(points, batch_number_ - 1);
  }

 private:
  [[nodiscard]] bool is_drawn(const TrainingPoints& points, std::size_t term) const {
    return points.source(term).divisible && points[term].size() > options_.batch;
  }
  /// Whether there are probabilities, of the points that there are: a curriculum adds some.
  [[nodiscard]] bool fits(const TrainingPoints& points) const {
    for (std::size_t t = 0; t < q_.size(); ++t) {
      if (q_[t].size() != (is_drawn(points, t) ? points[t].size() : 0)) return false;
    }
    return !q_.empty();
  }

  /// A term with fewer points than a batch, for a while under a curriculum, takes all of them.
  void look(const TrainingPoints& points, const PointLook& look) {
    q_.assign(points.size(), {});
    for (std::size_t t = 0; t < points.size(); ++t) {
      if (is_drawn(points, t)) q_[t] = probabilities(points, look, t);
    }
  }

  [[nodiscard]] std::vector<double> measured(const PointLook& look, std::size_t term,
                                             const Points& at,
                                             std::span<const std::size_t> rows) const {
    switch (options_.by) {
      case ImportancePoints::By::gradient:
        return look.gradients(term, at, rows);
      case ImportancePoints::By::measure:
        return look.measures(term, at, rows);
      case ImportancePoints::By::loss:
        break;
    }
    return look.losses(term, at, rows);
  }

  /// q of all points of a term, from all of them or from some seeds.
  std::vector<double> probabilities(const TrainingPoints& points, const PointLook& look,
                                    std::size_t term) const {
    const Points& all = points[term];
    const std::size_t n = all.size();
    std::vector<std::size_t> seeds;
    if (options_.seeds > 0 && options_.seeds < n) {
      seeds.resize(n);
      Rng(points.settings().seed, 0x7365656473).split(batch_number_).split(term).permutation(seeds);
      seeds.resize(options_.seeds);
    }
    const std::vector<double> of_seeds = measured(look, term, all, seeds);
    std::vector<double> q(n, 1 / static_cast<double>(n));
    double largest = 0, sum = 0;
    for (const double v : of_seeds) {
      if (!std::isfinite(v)) return q;
      largest = std::max(largest, v);
    }
    if (!(largest > 0)) return q;
    if (!seeds.empty()) {
      const std::size_t width = all.columns.size();
      const std::vector<double> rows = scaled_rows(all);
      std::vector<double> some;
      for (const std::size_t s : seeds) {
        some.insert(some.end(), &rows[s * width], &rows[s * width] + width);
      }
      return seed_probabilities(rows, some, width, of_seeds, options_.uniform_share);
    }
    for (const double v : of_seeds) sum += v / largest;
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = (1 - options_.uniform_share) * (of_seeds[i] / largest / sum) +
             options_.uniform_share / static_cast<double>(n);
    }
    return q;
  }

  void choose(TrainingPoints& points, std::uint64_t number) const {
    const Rng rng = Rng(points.settings().seed, 0x696d706f7274).split(number);
    for (std::size_t t = 0; t < q_.size(); ++t) {
      if (q_[t].empty()) continue;
      Rng own = rng.split(t);
      // Unbiased, and no point twice before its share of the batch exceeds 1.
      const std::vector<std::size_t> rows = systematic_indices(q_[t], options_.batch, own);
      points.choose(t, rows, importance_weights(q_[t], rows));
    }
  }

  ImportancePoints options_;
  std::uint64_t round_ = 0, batch_number_ = 0, last_ = 0;
  std::vector<std::vector<double>> q_;  // per term, of all its points; empty: all are taken
};

}  // namespace

std::unique_ptr<PointScheme> make_importance(const ImportancePoints& options,
                                             const TrainingPoints& points) {
  auto made = std::make_unique<Importance>(options);
  if (points.settings().batch > 0) {
    throw Error("importance sampling has a `batch` of its own, the points have one too",
                importance_place, "leave `batch` of the points out");
  }
  std::size_t largest = 0;
  for (std::size_t t = 0; t < points.size(); ++t) {
    const PointSource& source = points.source(t);
    if (source.divisible) largest = std::max(largest, source.n);
  }
  if (largest <= options.batch) {
    throw Error(fmt::format("importance sampling draws batches of {}, and no term has more than "
                            "{} points to draw from",
                            options.batch, largest),
                importance_place, "make `batch` smaller, or ask for more points");
  }
  return made;
}

}  // namespace detail

void visit_options(ImportancePoints& o, OptionVisitor& v) {
  using By = ImportancePoints::By;
  static const Words<By> ways = {
      {"loss", By::loss}, {"gradient", By::gradient}, {"measure", By::measure}};
  v.word("by", o.by, ways);
  v.text("measure", o.measure);
  v.count("period", o.period, 1);
  v.count("batch", o.batch, 1);
  v.count("seeds", o.seeds, 0);
  v.number("uniform_share", o.uniform_share, NumberRange::up_to_one);
  v.check([&] { detail::check_importance(o); });
}

}  // namespace cauchy
