#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <cauchy/base/rng.hpp>
#include <cauchy/operators/ensemble.hpp>
#include <cauchy/tensor/field_grid.hpp>

namespace cauchy::detail {

/// Name of the input of a graph that is the noise of an ensemble.
inline constexpr const char* noise_input = "noise";

/// Members of a forecast that differ: 1 without an ensemble or without noise.
[[nodiscard]] std::size_t members_of(const std::optional<Ensemble>& ensemble);

/// The noise of an ensemble on a grid, step by step.
class EnsembleNoise final {
 public:
  ///   interval  between two frames
  ///   error     throws Error for a grid that is no sphere, or does not carry the degree
  EnsembleNoise(const Ensemble& ensemble, const FieldGrid& grid, double interval);

  /// Numbers of one member at one step: [channels, grid].
  [[nodiscard]] std::size_t size() const { return source_.channels() * source_.n_points(); }
  /// That of one member of a forecast for a sample, the same in all forecasts.
  [[nodiscard]] static Rng of_forecast(std::size_t sample, std::size_t member);
  /// Of the next step.
  void next(const Rng& rng, SphereNoiseSource::State& state, std::span<double> out) const;
  /// Of `members` members in `steps` steps of one item: [member, step, channels, grid].
  void of_item(const Rng& rng, std::size_t members, std::size_t steps, std::span<double> out) const;

 private:
  SphereNoiseSource source_;
  double amplitude_;
};

}  // namespace cauchy::detail
