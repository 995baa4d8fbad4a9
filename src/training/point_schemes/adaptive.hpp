#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/training/point_scheme.hpp>

#include "training/point_schemes/point_look.hpp"

namespace cauchy::detail {

/// What a move sees: one term, before a step.
struct MoveContext {
  const PointLook& look;
  const TrainingPoints& points;
  std::size_t term;
  Rng rng;  ///< of this term and this change
  std::vector<std::string>& events;

  /// n random points of the term that no one has seen.
  [[nodiscard]] Points fresh(std::size_t n) const;
  /// Notes that fresh residuals exceed trained ones, and what follows from it.
  void note_growth(double ratio, std::size_t n, std::size_t grown) const;
};

/// The new points of a term; none: they stay.
using PointMove = std::function<std::optional<Points>(const MoveContext&)>;

/// Moves the points of equations every so many steps, and takes batches of them. Where residuals
/// hide in thin layers (PointSource::layers), points of these are among those in use from then on.
class Adaptive final : public PointScheme {
 public:
  Adaptive(std::uint64_t period, PointMove move);
  bool update(TrainingPoints& points, TrainingLoss& loss, const TrainingStep& step) override;
  void save(TrainingState& state) const override;
  void restore(const TrainingState& state, TrainingPoints& points) override;
  [[nodiscard]] std::vector<std::string> take_events() override;

 private:
  std::uint64_t period_;
  PointMove move_;
  /// Whether the points of thin layers are needed from now on.
  bool look_at_layers(const MoveContext& context);
  [[nodiscard]] Points with_layers(const PointSource& source, std::size_t term) const;

  std::uint64_t round_ = 0, last_ = 0, batch_number_ = 0;  // last_: step of the last round
  std::vector<std::optional<Points>> moved_;               // per term, without layers
  std::vector<bool> layered_;                              // per term
  std::vector<std::string> events_;
};

[[nodiscard]] std::unique_ptr<PointScheme> make_residual(const ResidualPoints& options);
[[nodiscard]] std::unique_ptr<PointScheme> make_retain(const RetainPoints& options);
[[nodiscard]] std::unique_ptr<PointScheme> make_growing(const GrowingPoints& options);

/// Throws Error where no term has points that these schemes move, or something else moves them.
void check_movable(const TrainingPoints& points);
/// Throws Error unless the option is as it must be.
void require_scheme(bool good, const char* message);

}  // namespace cauchy::detail

namespace cauchy {

void visit_options(ResidualPoints& options, OptionVisitor& visitor);
void visit_options(RetainPoints& options, OptionVisitor& visitor);
void visit_options(GrowingPoints& options, OptionVisitor& visitor);

}  // namespace cauchy
