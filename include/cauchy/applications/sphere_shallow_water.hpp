#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/status.hpp>
#include <cauchy/math/spherical_harmonics.hpp>

namespace cauchy {

class OptionVisitor;
class Threads;

/// A layer of fluid on a rotating sphere; units are metres and seconds.
struct SphereShallowWater {
  std::size_t degree = 63;     ///< of the triangular truncation
  double radius = 6.37122e6;   ///< of the sphere
  double rotation = 7.292e-5;  ///< angular velocity, 1/s
  double gravity = 9.80616;
  double tilt = 0;  ///< of the axis of rotation against that of the grid, radians
  double step = 0;  ///< of time; 0: 56,700 s / degree (900 s at degree 63)
  /// Time in which hyperdiffusion damps the highest degree by 1/e; 0: none.
  double damping_time = 0;
  int damping_order = 4;  ///< power of the Laplacian in it
};
void visit_options(SphereShallowWater& options, OptionVisitor& visitor);

/// A state as coefficients (spherical_harmonics.hpp).
struct ShallowWaterState {
  double time = 0;
  SphereSpectrum vorticity = {}, divergence = {};
  SphereSpectrum geopotential = {};  ///< gravity times the depth of the fluid
};

/// A state as values on a grid, row-major [latitude][longitude].
struct ShallowWaterFields {
  std::vector<double> u, v;       ///< eastward, northward
  std::vector<double> depth;      ///< of the fluid, without the ground
  std::vector<double> vorticity;  ///< relative; only given, not read
};

/// What the equations conserve, as integrals over the sphere.
struct ShallowWaterInvariants {
  double mass = 0;                 ///< of the depth
  double energy = 0;               ///< of h (u^2 + v^2) / 2 + g ((h + b)^2 - b^2) / 2, b the ground
  double potential_enstrophy = 0;  ///< of (zeta + f)^2 / (2 h)
};

/// Shallow water in vorticity and divergence, spectral in space (grid with the 2/3 rule):
///   zeta_t  = -div((zeta + f) v)
///   delta_t = k . curl((zeta + f) v) - lap(K + Phi + Phi_s),  K = (u^2 + v^2) / 2
///   Phi_t   = -div(Phi v)
/// In time an additive Runge-Kutta method of order 3 with four stages (ARS(3,4,3)): gravity waves
/// about the mean depth and hyperdiffusion implicit, all else explicit. A balanced steady state is
/// steady in every stage. Mass is conserved to rounding.
///   stability  the explicit part wants (largest wind) * degree / radius * step below about 1.5
///   cost       four evaluations per step, each of one vector and two scalar syntheses, two vector
///              and one scalar analyses
/// Same bits for any number of threads. Not thread-safe: one model per thread, they share tables.
class ShallowWaterModel final {
 public:
  /// ground: height of the topography on grid(), empty: none.
  ///   error    throws Error for options that make no sense, and a ground of another size
  explicit ShallowWaterModel(const SphereShallowWater& options, std::span<const double> ground = {},
                             std::shared_ptr<Threads> threads = nullptr);
  /// The same with a transform that another model has made.
  ShallowWaterModel(const SphereShallowWater& options, SphericalTransform transform,
                    std::span<const double> ground, std::shared_ptr<Threads> threads);
  ~ShallowWaterModel();
  ShallowWaterModel(ShallowWaterModel&&) noexcept;
  ShallowWaterModel& operator=(ShallowWaterModel&&) noexcept;

  [[nodiscard]] const SphereShallowWater& options() const noexcept;
  [[nodiscard]] const SphericalTransform& transform() const noexcept;
  [[nodiscard]] const SphereGrid& grid() const noexcept;
  [[nodiscard]] double step() const noexcept;  ///< the one that is taken
  /// Of the ground as the model sees it: its part up to the degree.
  [[nodiscard]] const std::vector<double>& ground() const noexcept;
  /// f = 2 rotation sin(latitude) for tilt 0.
  [[nodiscard]] const std::vector<double>& coriolis() const noexcept;

  [[nodiscard]] ShallowWaterState state_of(const ShallowWaterFields& fields);
  [[nodiscard]] ShallowWaterFields fields_of(const ShallowWaterState& state);
  /// The state without divergence whose depth balances the wind of a vorticity: delta_t = 0 in the
  /// equation above (nonlinear balance), with this mean depth of the fluid.
  [[nodiscard]] ShallowWaterState balanced(std::span<const std::complex<double>> vorticity,
                                           double mean_depth);
  [[nodiscard]] ShallowWaterInvariants invariants(const ShallowWaterState& state);

  /// Goes on by a time, in equal steps of at most step().
  ///   status   ok, or not_finite when the state has burst; it is then of no use
  ///   error    throws Error for a state of another size, a negative time, depths that are nowhere
  ///            positive in the mean
  [[nodiscard]] Status advance(ShallowWaterState& state, double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cauchy
