#include "training/point_weights/causal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/options.hpp>

#include "training/point_weights/weighing.hpp"

namespace cauchy {

void visit_options(CausalWeights& o, OptionVisitor& v) {
  v.numbers("epsilon", o.epsilon, NumberRange::positive);
  v.count("chunks", o.chunks, 1, 1'000'000);
  v.number("stop", o.stop, NumberRange::inside_one);
  v.count("period", o.period, 1);
}

namespace detail {

std::vector<double> causal_factors(std::span<const double> losses, double epsilon) {
  std::vector<double> factors;
  double before = 0;
  for (const double loss : losses.first(losses.size() - 1)) {
    before += loss;
    factors.push_back(std::exp(-epsilon * before));
  }
  return factors;
}

std::size_t chunk_of(double share, std::size_t chunks) {
  const auto n = static_cast<double>(chunks);
  return static_cast<std::size_t>(std::clamp(std::ceil(share * n), 1.0, n)) - 1;
}

namespace {

/// Whether a term is a condition at the begin of time, at all its points.
bool is_start(const TrainingPoints& points, std::size_t term) {
  const PointSource::Kind kind = points.source(term).kind;
  const std::optional<std::size_t> column = points.time_column(term);
  if (!column || kind == PointSource::Kind::equation || kind == PointSource::Kind::observation) {
    return false;
  }
  for (std::size_t i = 0; i < points[term].size(); ++i) {
    if (!(std::abs(time_share(points, points[term].row(i)[*column])) <= 1e-9)) return false;
  }
  return points.source(term).divisible;
}

/// A mean of squares by the weights of their points; those of nothing are unknown.
struct WeighedMean {
  double sum = 0, weight = 0;
  void add(double square, double w) {
    sum += w * square;
    weight += w;
  }
  /// What is no number holds back all that follows.
  [[nodiscard]] double value() const {
    const double mean = sum / weight;
    return mean < std::numeric_limits<double>::max() ? mean : std::numeric_limits<double>::max();
  }
};

class Causal final : public PointWeights {
 public:
  explicit Causal(CausalWeights options) : options_(std::move(options)) {}

  bool update(TrainingLoss& loss, const TrainingPoints& points, const TrainingStep& step,
              bool moved) override {
    const bool due = losses_.empty() || weights_are_due(options_.period, step);
    if (!due && !moved) return false;
    const std::vector<double> before = chunks_;
    if (due) {
      look(loss, points, step.theta);
      anneal();
    }
    apply(points);
    return chunks_ != before;
  }

  [[nodiscard]] std::span<const double> factors(std::size_t term) const override {
    if (term >= factors_.size()) return {};
    return factors_[term];
  }

  [[nodiscard]] std::vector<std::string> take_events() override {
    return std::exchange(events_, {});
  }

  void save(TrainingState& state) const override {
    state.numbers["level"] = level_;
    state.numbers["open"] = open_ ? 1 : 0;
    state.numbers["terms"] = known_.size();
    state.arrays["losses"] = losses_;
    for (std::size_t t = 0; t < known_.size(); ++t) {
      state.arrays[fmt::format("known/{}", t)] = known_[t];
    }
  }

  void restore(const TrainingState& state, const TrainingPoints& points) override {
    const std::uint64_t level = number_in(state, "level"), open = number_in(state, "open"),
                        terms = number_in(state, "terms");
    require_intact(level < options_.epsilon.size() && open <= 1 && terms <= points.size());
    std::vector<std::vector<double>> known;
    for (std::size_t t = 0; t < terms; ++t) {
      known.push_back(array_in(state, fmt::format("known/{}", t), options_.chunks));
    }
    losses_ = array_in(state, "losses", terms == 0 ? 0 : options_.chunks + 1);
    known_ = std::move(known);
    level_ = level;
    open_ = open != 0;
    weigh_chunks();
    apply(points);
  }

 private:
  static constexpr double unknown = -1;

  /// Losses of the start and of the chunks. A chunk without points in use keeps what was known of
  /// it; before that it counts as the one before.
  void look(TrainingLoss& loss, const TrainingPoints& points, std::span<const double> theta) {
    const std::size_t N = options_.chunks;
    losses_.assign(N + 1, 0.0);
    known_.resize(points.size(), std::vector<double>(N, unknown));
    for (std::size_t t = 0; t < points.size(); ++t) {
      const std::optional<std::size_t> column = points.time_column(t);
      const bool equation = column && is_weighed_equation(points, t);
      if (!equation && !is_start(points, t)) continue;
      const std::vector<double> squares = squared_residuals(loss, t, theta);
      const std::vector<double>& weights = points.weights(t);
      std::vector<WeighedMean> means(equation ? N : 1);
      for_rows_in_use(points, t, [&](std::size_t row, std::size_t i) {
        const std::size_t chunk =
            equation ? chunk_of(time_share(points, points[t].row(row)[*column]), N) : 0;
        means[chunk].add(squares[i], weights.empty() ? 1 : weights[i]);
      });
      const double weight = unbalanced_weight(loss, t);
      if (!equation) {
        if (means[0].weight > 0) losses_[0] += weight * means[0].value();
        continue;
      }
      double last = 0;
      for (std::size_t i = 0; i < N; ++i) {
        if (means[i].weight > 0) known_[t][i] = weight * means[i].value();
        if (known_[t][i] != unknown) last = known_[t][i];
        losses_[i + 1] += last;
      }
    }
  }

  /// The next epsilon where even the last chunk counts enough; behind the last one all factors
  /// are 1 until the losses of early times grow again.
  void anneal() {
    const bool was_open = std::exchange(open_, false);
    for (weigh_chunks(); chunks_.back() > options_.stop; weigh_chunks()) {
      if (level_ + 1 == options_.epsilon.size()) {
        open_ = true;
        weigh_chunks();
        break;
      }
      ++level_;
      events_.push_back(
          fmt::format("causal weights: all times count more than {}, epsilon is now {}",
                      options_.stop, options_.epsilon[level_]));
    }
    if (open_ && !was_open) {
      events_.push_back(fmt::format(
          "causal weights: all times count more than {} at the last epsilon, they count 1 now",
          options_.stop));
    }
  }

  void weigh_chunks() {
    if (losses_.empty()) return;
    chunks_ = open_ ? std::vector<double>(options_.chunks, 1.0)
                    : causal_factors(losses_, options_.epsilon[level_]);
  }

  void apply(const TrainingPoints& points) {
    if (chunks_.empty()) return;
    factors_ = factors_in_time(
        points, [&](double share) { return chunks_[chunk_of(share, chunks_.size())]; });
  }

  CausalWeights options_;
  std::size_t level_ = 0;                   // of epsilon
  bool open_ = false;                       // all factors are 1
  std::vector<double> losses_;              // of the start and of the chunks
  std::vector<std::vector<double>> known_;  // per term: losses of the chunks
  std::vector<double> chunks_;              // their factors
  PointFactors factors_;
  std::vector<std::string> events_;
};

}  // namespace

std::unique_ptr<PointWeights> make_causal(const CausalWeights& o, const TrainingPoints& points) {
  require_time(points, "causal weights need a time, and the problem has none");
  require_weights(
      !o.epsilon.empty() &&
          std::ranges::all_of(o.epsilon, [](double e) { return e > 0 && std::isfinite(e); }),
      "epsilon must be a list of positive numbers");
  require_weights(o.chunks > 0, "chunks must be positive");
  require_weights(o.stop > 0 && o.stop < 1, "stop must be in (0, 1)");
  require_weights(o.period > 0, "period must be positive");
  return std::make_unique<Causal>(o);
}

}  // namespace detail
}  // namespace cauchy
