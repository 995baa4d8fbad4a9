#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/sampling/points.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/training/step.hpp>  // TrainingState

namespace cauchy {

/// Points at 1e-1 to 1e-6 of the size from the places of conditions, where residuals can hide from
/// points that are spread over the domain.
struct ThinLayers {
  Points points;
  /// Where they hide, given their sizes at these points and their mean at those in use; empty:
  /// nowhere.
  std::function<std::string(std::span<const double> sizes, double shows)> hides;
};

/// Where the points of one term of a loss come from, and where they go.
struct PointSource {
  std::string name;
  std::size_t n = 0;  ///< points asked for
  bool redrawn =
      true;  ///< a sampler draws them; false: they are given, by observations for example
  bool divisible = true;  ///< some of its points are a loss too; not so where they form sums
  enum class Kind : std::uint8_t { equation, condition, initial, observation };
  Kind kind = Kind::equation;  ///< initial: a condition at a time
  std::function<Points(std::size_t n, const SamplerOptions&)> draw;
  /// Hands points to the term; `rows` chooses some of them, empty: all.
  std::function<void(const Points& points, std::span<const std::size_t> rows)> use;
  /// Mean square of the residuals, with the weights below, that noise of known size leaves; 0: not
  /// known.
  double noise = 0;
  /// Weights of points that belong to the problem: an expression, the noise of data. Empty, or an
  /// empty list: all 1.
  std::function<std::vector<double>(const Points& points)> weights = {};
  /// Weights of the points in use, one each; empty: all 1.
  std::function<void(std::span<const double> weights)> weigh = {};
  /// What importance sampling by a measure goes by, at some rows of points (empty: all) and the
  /// parameters theta; empty: there is none.
  std::function<std::vector<double>(const Points& points, std::span<const std::size_t> rows,
                                    std::span<const double> theta)>
      measure = {};
  /// Distances of points from the boundary of the domain in space, not negative; empty: no space.
  std::function<std::vector<double>(const Points& points)> distance = {};
  /// Empty: the term has none.
  std::function<ThinLayers()> layers = {};
};

/// How points are drawn and when they change.
struct PointSettings {
  SamplerOptions sampler = {};
  std::uint64_t seed = 1;     ///< of the run
  std::uint64_t redraw = 0;   ///< steps of a first-order method between new points; 0: never
  std::size_t batch = 0;      ///< points of each term per step of a first-order method; 0: all
  std::string time = {};      ///< name of the column that is time; empty: none
  double begin = 0, end = 1;  ///< of time
};

/// The points of all terms during a training, one source per term, in the order of the terms.
class TrainingPoints final {
 public:
  TrainingPoints(std::vector<PointSource> sources, const PointSettings& settings);

  [[nodiscard]] std::size_t size() const noexcept { return sources_.size(); }
  [[nodiscard]] const PointSource& source(std::size_t term) const { return sources_.at(term); }
  [[nodiscard]] const PointSettings& settings() const noexcept { return settings_; }
  /// All points of a term, also while a batch of them is in use.
  [[nodiscard]] const Points& operator[](std::size_t term) const { return points_.at(term); }
  /// The rows of them that are in use; empty: all.
  [[nodiscard]] std::span<const std::size_t> rows(std::size_t term) const { return rows_.at(term); }
  /// Whether only some of the points that may be used are in use.
  [[nodiscard]] bool batched() const noexcept;

  /// The sampler's set number `round` for every term: a sequence goes on where the last round
  /// ended, other sets get a new seed. Given points are drawn in round 0 alone.
  void draw(std::uint64_t round);
  /// n points of a term as round `round` would draw them; none are put into use.
  [[nodiscard]] Points sample(std::size_t term, std::size_t n, std::uint64_t round) const;
  /// Other points in place of those of a term; refused, and the old ones stay, when a number of
  /// them is not finite.
  void set(std::size_t term, Points points);
  /// These rows of the points of a term are in use until the next call of draw, set or use_all;
  /// empty: all. `factors`, one per row, weigh them (importance sampling); empty: all 1; refused,
  /// and all 1, when one is negative or not finite.
  void choose(std::size_t term, std::span<const std::size_t> rows,
              std::span<const double> factors = {});
  /// True when that changed something.
  bool use_all();
  /// Whether set() or choose() has refused something since the last call.
  [[nodiscard]] bool take_refusal() noexcept { return std::exchange(refused_, false); }

  /// Which points of a term may be used.
  using Keep = std::function<bool(const Points& points, std::size_t row)>;
  /// From now on the points of a term are those for which `keep` holds, whoever draws or sets them;
  /// an empty function: all. What an earlier limit kept out comes back as the sampler's first
  /// points. Given points stay, and the rows that are kept are in use.
  ///   returns  the number of points in use; where it would be 0, nothing changes
  std::size_t limit(std::size_t term, Keep keep);

  /// Points, rows and weights as they are, for a run in which limits changed them; restore() comes
  /// after draw(0) and the limits of the time of save().
  void save(TrainingState& state) const;
  void restore(const TrainingState& state);

  /// Weights of the points in use: of the problem times the factors of choose(); empty: all 1.
  [[nodiscard]] const std::vector<double>& weights(std::size_t term) const {
    return weights_.at(term);
  }
  /// Puts the weights above times these factors, one per point in use, into the loss; empty: 1.
  void weigh(std::size_t term, std::span<const double> factors) const;
  /// Column of time in the points of a term; none where there is no time.
  [[nodiscard]] std::optional<std::size_t> time_column(std::size_t term) const;

 private:
  void place(std::size_t term, Points points);  // within the limits
  void put(std::size_t term, Points points);
  void use(std::size_t term) const;

  std::vector<PointSource> sources_;  // their points are limited
  PointSettings settings_;
  std::vector<Points> points_;
  std::vector<std::shared_ptr<Keep>> limits_;
  std::vector<std::vector<std::size_t>> kept_;  // rows of given points that are; empty: all
  std::vector<std::vector<std::size_t>> rows_;  // in use; empty: all
  std::vector<std::vector<double>> own_;        // weights of the problem; empty: all 1
  std::vector<std::vector<double>> weights_;    // of the points in use; empty: all 1
  bool refused_ = false;
};

}  // namespace cauchy
