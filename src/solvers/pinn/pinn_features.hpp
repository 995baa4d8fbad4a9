#pragma once

#include <cauchy/networks/elm.hpp>

#include "solvers/pinn/pinn_training.hpp"

namespace cauchy::detail {

/// Throws Error for a trial that cannot be: windows of a problem that is not linear, unknown
/// constants.
void expect_features(const std::shared_ptr<const Problem>& problem, const Pinn& method);

/// What a search commonly takes: that some scales are tried for every number of features.
[[nodiscard]] Work search_work(const Problem& problem, const Pinn& method);

/// Random features as the answer of a problem, or of a window of it.
struct FeatureAnswer {
  Elm network;
  std::unique_ptr<const PinnAssembly> pinn;
  std::unique_ptr<PinnTraining> training;  ///< of `pinn`
  TrainingResult trained;
  double residual = 0;  ///< PinnTraining::fresh_residual
};

/// Tries Pinn::features: for every number of features the scale with the smallest residuals is
/// looked for, by factors of 2 from the last one that was good, and for the first number the scale
/// along every coordinate too. In windows of time one search serves those that follow, while it is
/// as good as it was. The weights are the solution of one linear least-squares problem, or of
/// damped Gauss-Newton steps where the problem is not linear.
class FeatureSearch final {
 public:
  FeatureSearch(const Pinn& method, std::shared_ptr<Threads> pool)
      : method_(method), pool_(std::move(pool)) {}

  /// The best answer found, accepted or not; none when not one was finite or there was no time.
  [[nodiscard]] std::optional<FeatureAnswer> operator()(
      const std::shared_ptr<const Problem>& problem, const HandedStart& start,
      const RunOptions& options);
  /// That all trials took; the seconds of an answer are those of its search.
  [[nodiscard]] double seconds() const noexcept { return seconds_; }
  /// Whether the last search ended by its time.
  [[nodiscard]] bool late() const noexcept { return late_; }

 private:
  /// How fast features turn.
  struct Shape {
    double factor = 1;            // of the scale, in units of automatic_scale()
    std::vector<double> stretch;  // of the scale, one per coordinate
  };
  class Trials;

  [[nodiscard]] std::optional<FeatureAnswer> try_one(const std::shared_ptr<const Problem>& problem,
                                                     const HandedStart& start,
                                                     const RunOptions& options,
                                                     const Elm& network) const;
  const Pinn& method_;
  std::shared_ptr<Threads> pool_;
  bool linear_ = true;  // the problem
  bool late_ = false;
  Shape shape_;
  double length_ = 0;            // of time, in the last search
  std::size_t first_ = 0;        // of the counts that are tried
  std::vector<double> reached_;  // residuals by the counts, in the last search
  double seconds_ = 0;
};

/// "1200 random sin features of scale 16: residual 3.1e-10".
[[nodiscard]] std::string describe(const FeatureAnswer& answer);

/// The random features of an answer that was not trained, in a checkpoint behind a prefix.
void save_features(Checkpoint& checkpoint, const std::string& prefix, const Network& network);
/// None where there are none.
///   error    throws Error for numbers that no features have
[[nodiscard]] std::optional<Elm> load_features(const Checkpoint& checkpoint,
                                               const std::string& prefix);

}  // namespace cauchy::detail
