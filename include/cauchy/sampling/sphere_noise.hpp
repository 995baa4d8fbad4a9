#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/sphere_grid.hpp>

namespace cauchy {

class OptionVisitor;

/// Gaussian random functions on the sphere that change in time, one channel for every length. They
/// are isotropic, have mean 0 and variance 1 everywhere, and every coefficient of the harmonics of
/// degree l is a process of Ornstein and Uhlenbeck,
///   a(t + dt) = rho a(t) + sqrt(1 - rho^2) s_l xi,   rho = exp(-dt / time),
///   s_l^2 proportional to (1 + length^2 l (l + 1))^-(smoothness + 1)      (Matern's spectrum)
/// so that they look the same at all times, and forget what they were in `time`.
struct SphereNoise {
  std::vector<double> lengths = {20, 10, 5};  ///< degrees of the circle, one for each channel
  std::vector<double> times = {48, 24, 12};   ///< in units of the times of the data
  double smoothness = 2;
  std::size_t degree = 15;  ///< the highest one
  friend bool operator==(const SphereNoise&, const SphereNoise&) = default;
};
void visit_options(SphereNoise& noise, OptionVisitor& visitor);

/// Such functions on a grid at equally spaced moments.
/// Immutable, usable from several threads.
class SphereNoiseSource final {
 public:
  ///   interval  between two moments
  ///   error     throws Error when there are not as many times as lengths, when there are none, and
  ///             for a degree that the grid does not carry
  SphereNoiseSource(const SphereNoise& noise, const SphereGrid& grid, double interval);
  ~SphereNoiseSource();

  [[nodiscard]] std::size_t channels() const noexcept;
  [[nodiscard]] std::size_t n_points() const noexcept;

  /// What a sequence of moments is continued from: the coefficients of all channels.
  struct State {
    std::vector<std::complex<double>> coefficients = {};
    std::size_t moments = 0;  ///< that have been drawn
  };
  /// The next moment of a sequence: [channels, points]. A function of the generator (its words are
  /// not drawn: give the same one for a whole sequence) and the number of the moment.
  void next(const Rng& rng, State& state, std::span<double> out) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace cauchy
