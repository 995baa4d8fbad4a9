#include <cauchy/applications/sphere_shallow_water.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/threads.hpp>

#include "applications/sphere/imex_scheme.hpp"

namespace cauchy {
namespace detail {

/// One spectrum of vorticity, divergence and geopotential each, as a whole: they are updated alike.
struct WaterTendency {
  std::array<SphereSpectrum, 3> part;
  explicit WaterTendency(std::size_t n) {
    for (SphereSpectrum& p : part) p.resize(n);
  }
};

}  // namespace detail

namespace {

using Tendency = detail::WaterTendency;

using Complex = std::complex<double>;

constexpr const char* water_place = "[applications.sphere_shallow_water]";
constexpr double step_of_degree_1 = 56'700;  // 900 s at degree 63

enum : std::size_t { vorticity_part, divergence_part, geopotential_part };

void check_water(const SphereShallowWater& o) {
  const auto need = [](bool good, std::string_view what, double value) {
    if (good) return;
    throw Error(fmt::format("{} must be positive, got {}", what, value), water_place);
  };
  need(o.degree >= 1, "degree", static_cast<double>(o.degree));
  need(o.radius > 0 && std::isfinite(o.radius), "radius", o.radius);
  need(o.gravity > 0 && std::isfinite(o.gravity), "gravity", o.gravity);
  need(o.damping_order >= 1, "damping_order", o.damping_order);
  if (!(o.step >= 0 && std::isfinite(o.step))) {
    throw Error(fmt::format("step must be positive, or 0 for that of the degree, got {}", o.step),
                water_place);
  }
  if (!(o.damping_time >= 0 && std::isfinite(o.damping_time))) {
    throw Error(fmt::format("damping_time must be positive, or 0 for none, got {}", o.damping_time),
                water_place);
  }
  if (!std::isfinite(o.rotation) || !std::isfinite(o.tilt)) {
    throw Error("rotation and tilt must be finite", water_place);
  }
}

SphericalTransform transform_for(const SphereShallowWater& o) {
  check_water(o);
  return {gauss_grid(o.degree, 2), o.degree};
}

}  // namespace

void visit_options(SphereShallowWater& o, OptionVisitor& v) {
  v.count("degree", o.degree, 1, 2000);
  v.number("radius", o.radius, NumberRange::positive);
  v.number("rotation", o.rotation, NumberRange::any);
  v.number("gravity", o.gravity, NumberRange::positive);
  v.number("tilt", o.tilt, NumberRange::any);
  v.number("step", o.step, NumberRange::not_negative);
  v.number("damping_time", o.damping_time, NumberRange::not_negative);
  v.count("damping_order", o.damping_order, 1, 16);
}

struct ShallowWaterModel::Impl {
  Impl(const SphereShallowWater& options, SphericalTransform made, std::span<const double> height,
       std::shared_ptr<Threads> pool)
      : o(options),
        transform(std::move(made)),
        threads(std::move(pool)),
        n(transform.n_coefficients()),
        points(transform.n_points()),
        step(o.step > 0 ? o.step : step_of_degree_1 / static_cast<double>(o.degree)) {
    const SphereGrid& grid = transform.grid();
    if (!height.empty() && height.size() != points) {
      throw Error(fmt::format("the ground has {} values, the grid {} x {}", height.size(),
                              grid.n_latitudes, grid.n_longitudes),
                  water_place);
    }
    ground.assign(points, 0);
    ground_spectrum.assign(n, 0);
    if (!height.empty()) {
      transform.analyze(height, ground_spectrum, threads.get());
      transform.synthesize(ground_spectrum, ground, threads.get());
    }
    for (Complex& c : ground_spectrum) c *= o.gravity;
    coriolis.resize(points);
    for (std::size_t i = 0; i < points; ++i) {
      const double x = grid.x[i / grid.n_longitudes];
      const double lambda = grid.longitude(i % grid.n_longitudes);
      coriolis[i] = 2 * o.rotation *
                    (x * std::cos(o.tilt) -
                     std::cos(lambda) * std::sqrt((1 - x) * (1 + x)) * std::sin(o.tilt));
    }
    const std::size_t L = o.degree;
    eigenvalue.resize(n);
    damping.resize(n);
    for (std::size_t m = 0; m <= L; ++m) {
      for (std::size_t l = m; l <= L; ++l) {
        const auto k = static_cast<double>(l), top = static_cast<double>(L);
        const double ratio = k * (k + 1) / (top * (top + 1));
        eigenvalue[spectrum_index(L, l, m)] = k * (k + 1) / (o.radius * o.radius);
        damping[spectrum_index(L, l, m)] =
            o.damping_time > 0 ? std::pow(ratio, o.damping_order) / o.damping_time : 0;
      }
    }
    for (std::vector<double>* field : {&scalars, &winds_u, &winds_v}) field->resize(2 * points);
    u.resize(points);
    v.resize(points);
    energy.resize(points);
    pair.resize(2 * n);
    divergences.resize(2 * n);
    vorticities.resize(2 * n);
    explicit_rates.assign(detail::ImexScheme::stages, Tendency(n));
    implicit_rates = explicit_rates;
  }

  void require_state(const ShallowWaterState& state) const {
    if (state.vorticity.size() == n && state.divergence.size() == n &&
        state.geopotential.size() == n) {
      return;
    }
    throw Error(fmt::format("the state is not of degree {}", o.degree), water_place,
                "make it by state_of, balanced or initial_state of the same model");
  }

  /// Wind and the scalars (vorticity, geopotential) of a state on the grid.
  void to_grid(const SphereSpectrum& vorticity, const SphereSpectrum& divergence,
               const SphereSpectrum& geopotential) {
    transform.synthesize_wind(vorticity, divergence, o.radius, u, v, threads.get());
    std::copy(vorticity.begin(), vorticity.end(), pair.begin());
    std::copy(geopotential.begin(), geopotential.end(), pair.begin() + static_cast<long>(n));
    transform.synthesize(pair, scalars, threads.get());
  }

  /// The explicit part of the tendencies. mean: of the geopotential, whose waves are implicit.
  void explicit_part(const ShallowWaterState& y, double mean, Tendency& out) {
    to_grid(y.vorticity, y.divergence, y.geopotential);
    for (std::size_t i = 0; i < points; ++i) {
      const double eta = scalars[i] + coriolis[i], phi = scalars[points + i] - mean;
      winds_u[i] = eta * u[i];
      winds_v[i] = eta * v[i];
      winds_u[points + i] = phi * u[i];
      winds_v[points + i] = phi * v[i];
      energy[i] = 0.5 * (u[i] * u[i] + v[i] * v[i]);
    }
    transform.analyze_wind(winds_u, winds_v, o.radius, vorticities, divergences, threads.get());
    SphereSpectrum& kinetic = out.part[divergence_part];
    transform.analyze(energy, kinetic, threads.get());
    for (std::size_t k = 0; k < n; ++k) {
      out.part[vorticity_part][k] = -divergences[k];
      kinetic[k] = vorticities[k] + eigenvalue[k] * (kinetic[k] + ground_spectrum[k]);
      out.part[geopotential_part][k] = -divergences[n + k];
    }
    // No wind has a mean vorticity, divergence or source of mass.
    for (SphereSpectrum& p : out.part) p[0] = 0;
  }

  void implicit_part(const ShallowWaterState& y, double mean, Tendency& out) const {
    for (std::size_t k = 0; k < n; ++k) {
      out.part[vorticity_part][k] = -damping[k] * y.vorticity[k];
      out.part[divergence_part][k] =
          eigenvalue[k] * y.geopotential[k] - damping[k] * y.divergence[k];
      out.part[geopotential_part][k] = -mean * y.divergence[k] - damping[k] * y.geopotential[k];
    }
  }

  /// y <- the solution of z = y + tau * implicit_part(z).
  void solve_implicit(ShallowWaterState& y, double mean, double tau) const {
    for (std::size_t k = 0; k < n; ++k) {
      const double d = 1 + tau * damping[k], lambda = eigenvalue[k];
      const double det = d * d + tau * tau * lambda * mean;
      const Complex delta = y.divergence[k], phi = y.geopotential[k];
      y.vorticity[k] /= d;
      y.divergence[k] = (d * delta + tau * lambda * phi) / det;
      y.geopotential[k] = (d * phi - tau * mean * delta) / det;
    }
  }

  static void add(ShallowWaterState& y, double factor, const Tendency& rate) {
    if (factor == 0) return;
    SphereSpectrum* const parts[] = {&y.vorticity, &y.divergence, &y.geopotential};
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t k = 0; k < rate.part[p].size(); ++k) {
        (*parts[p])[k] += factor * rate.part[p][k];
      }
    }
  }

  void one_step(ShallowWaterState& y, double mean, double dt) {
    constexpr detail::ImexScheme scheme = detail::imex_scheme();
    constexpr std::size_t S = detail::ImexScheme::stages;
    stage = y;
    for (std::size_t i = 0; i < S; ++i) {
      if (i > 0) {
        stage = y;
        for (std::size_t j = 0; j < i; ++j) {
          add(stage, dt * scheme.explicit_part[i][j], explicit_rates[j]);
          add(stage, dt * scheme.implicit_part[i][j], implicit_rates[j]);
        }
        solve_implicit(stage, mean, dt * scheme.implicit_part[i][i]);
      }
      explicit_part(stage, mean, explicit_rates[i]);
      if (i > 0) implicit_part(stage, mean, implicit_rates[i]);
    }
    for (std::size_t i = 0; i < S; ++i) {
      add(y, dt * scheme.b[i], explicit_rates[i]);
      add(y, dt * scheme.b[i], implicit_rates[i]);
    }
    y.time += dt;
  }

  SphereShallowWater o;
  SphericalTransform transform;
  std::shared_ptr<Threads> threads;
  std::size_t n, points;
  double step;
  std::vector<double> ground, coriolis, eigenvalue, damping;
  SphereSpectrum ground_spectrum;  // times gravity
  // Work space.
  std::vector<double> u, v, scalars, winds_u, winds_v, energy;
  SphereSpectrum pair, divergences, vorticities;
  std::vector<Tendency> explicit_rates, implicit_rates;  // of the stages
  ShallowWaterState stage;
};

ShallowWaterModel::ShallowWaterModel(const SphereShallowWater& options,
                                     std::span<const double> ground,
                                     std::shared_ptr<Threads> threads)
    : ShallowWaterModel(options, transform_for(options), ground, std::move(threads)) {}

ShallowWaterModel::ShallowWaterModel(const SphereShallowWater& options,
                                     SphericalTransform transform, std::span<const double> ground,
                                     std::shared_ptr<Threads> threads) {
  check_water(options);
  if (transform.degree() != options.degree) {
    throw Error(fmt::format("a transform of degree {} for a model of degree {}", transform.degree(),
                            options.degree),
                water_place);
  }
  impl_ = std::make_unique<Impl>(options, std::move(transform), ground, std::move(threads));
}

ShallowWaterModel::~ShallowWaterModel() = default;
ShallowWaterModel::ShallowWaterModel(ShallowWaterModel&&) noexcept = default;
ShallowWaterModel& ShallowWaterModel::operator=(ShallowWaterModel&&) noexcept = default;

const SphereShallowWater& ShallowWaterModel::options() const noexcept { return impl_->o; }
const SphericalTransform& ShallowWaterModel::transform() const noexcept { return impl_->transform; }
const SphereGrid& ShallowWaterModel::grid() const noexcept { return impl_->transform.grid(); }
double ShallowWaterModel::step() const noexcept { return impl_->step; }
const std::vector<double>& ShallowWaterModel::ground() const noexcept { return impl_->ground; }
const std::vector<double>& ShallowWaterModel::coriolis() const noexcept { return impl_->coriolis; }

ShallowWaterState ShallowWaterModel::state_of(const ShallowWaterFields& fields) {
  Impl& m = *impl_;
  ShallowWaterState y;
  for (SphereSpectrum* p : {&y.vorticity, &y.divergence, &y.geopotential}) p->resize(m.n);
  m.transform.analyze_wind(fields.u, fields.v, m.o.radius, y.vorticity, y.divergence,
                           m.threads.get());
  m.transform.analyze(fields.depth, y.geopotential, m.threads.get());
  for (Complex& c : y.geopotential) c *= m.o.gravity;
  return y;
}

ShallowWaterFields ShallowWaterModel::fields_of(const ShallowWaterState& state) {
  Impl& m = *impl_;
  m.require_state(state);
  m.to_grid(state.vorticity, state.divergence, state.geopotential);
  const auto half = m.scalars.begin() + static_cast<long>(m.points);
  ShallowWaterFields f{m.u, m.v, {half, m.scalars.end()}, {m.scalars.begin(), half}};
  for (double& h : f.depth) h /= m.o.gravity;
  return f;
}

ShallowWaterState ShallowWaterModel::balanced(std::span<const Complex> vorticity,
                                              double mean_depth) {
  Impl& m = *impl_;
  ShallowWaterState y;
  y.vorticity.assign(vorticity.begin(), vorticity.end());
  y.divergence.resize(m.n);
  y.geopotential.resize(m.n);
  m.require_state(y);
  y.vorticity[0] = 0;
  // With no divergence and no waves of Phi, what drives the divergence is what Phi must balance.
  Tendency f(m.n);
  m.explicit_part(y, 0, f);
  for (std::size_t k = 1; k < m.n; ++k) {
    y.geopotential[k] = -f.part[divergence_part][k] / m.eigenvalue[k];
  }
  y.geopotential[0] = m.o.gravity * mean_depth * std::sqrt(4 * std::numbers::pi);
  return y;
}

ShallowWaterInvariants ShallowWaterModel::invariants(const ShallowWaterState& state) {
  const ShallowWaterFields f = fields_of(state);
  const Impl& m = *impl_;
  const double g = m.o.gravity, area = m.o.radius * m.o.radius;
  std::vector<double> energy(m.points), enstrophy(m.points);
  for (std::size_t i = 0; i < m.points; ++i) {
    const double h = f.depth[i], b = m.ground[i], eta = f.vorticity[i] + m.coriolis[i];
    energy[i] = 0.5 * (h * (f.u[i] * f.u[i] + f.v[i] * f.v[i]) + g * h * (h + 2 * b));
    enstrophy[i] = eta * eta / (2 * h);
  }
  return {area * integrate(grid(), f.depth), area * integrate(grid(), energy),
          area * integrate(grid(), enstrophy)};
}

Status ShallowWaterModel::advance(ShallowWaterState& state, double seconds) {
  Impl& m = *impl_;
  m.require_state(state);
  if (!(seconds >= 0 && std::isfinite(seconds))) {
    throw Error(fmt::format("a time of {} s", seconds), water_place, "go forwards in time");
  }
  const double mean = state.geopotential[0].real() / std::sqrt(4 * std::numbers::pi);
  if (!(mean > 0)) {
    throw Error("the mean depth of the fluid is not positive", water_place,
                "give depths, not deviations from their mean");
  }
  // Steps of equal length, none longer than was asked for.
  const double count = std::ceil(seconds / m.step - 1e-9);
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    m.one_step(state, mean, seconds / count);
    const double size = std::abs(state.vorticity[1]) + std::abs(state.geopotential[m.n - 1]);
    if (!std::isfinite(size)) return Status::not_finite;
  }
  return Status::ok;
}

}  // namespace cauchy
