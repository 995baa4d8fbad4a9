#include "operators/ensemble_noise.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/networks/spherical.hpp>  // sphere_of

namespace cauchy {
namespace {

constexpr const char* ensemble_place = "[train.ensemble]";
constexpr int most_members = 1000;

}  // namespace

void visit_options(Ensemble& e, OptionVisitor& v) {
  v.count("members", e.members, 1, most_members);
  v.count("forecast", e.forecast, 1, most_members);
  v.number("amplitude", e.amplitude, NumberRange::not_negative);
  v.number("spectral", e.spectral, NumberRange::not_negative);
  v.section("noise", e.noise);
  v.check([&] { check_options(e); });
}

void check_options(const Ensemble& e) {
  const auto require = [](bool good, const char* message, const char* fix) {
    if (!good) throw Error(message, ensemble_place, fix);
  };
  require(e.members >= 1 && e.forecast >= 1, "an ensemble has at least one member", "members = 2");
  require(e.amplitude >= 0 && std::isfinite(e.amplitude), "amplitude must not be negative",
          "amplitude = 0: no noise");
  require(e.spectral >= 0 && std::isfinite(e.spectral), "spectral must not be negative",
          "spectral = 0: none");
  require(e.amplitude > 0 || e.members == 1, "without noise all members are the same",
          "amplitude = 1, or members = 1");
}

namespace detail {

std::size_t members_of(const std::optional<Ensemble>& e) {
  return e && e->amplitude > 0 ? static_cast<std::size_t>(e->forecast) : 1;
}

EnsembleNoise::EnsembleNoise(const Ensemble& ensemble, const FieldGrid& grid, double interval)
    : source_(ensemble.noise, sphere_of(grid), interval), amplitude_(ensemble.amplitude) {}

Rng EnsembleNoise::of_forecast(std::size_t sample, std::size_t member) {
  constexpr std::uint64_t seed = 20'20;
  return Rng(seed).split(sample).split(member);
}

void EnsembleNoise::next(const Rng& rng, SphereNoiseSource::State& state,
                         std::span<double> out) const {
  if (amplitude_ == 0) {
    std::ranges::fill(out, 0.0);
    return;
  }
  source_.next(rng, state, out);
  if (amplitude_ == 1) return;
  for (double& x : out) x *= amplitude_;
}

void EnsembleNoise::of_item(const Rng& rng, std::size_t members, std::size_t steps,
                            std::span<double> out) const {
  for (std::size_t m = 0; m < members; ++m) {
    SphereNoiseSource::State state;
    for (std::size_t k = 0; k < steps; ++k) {
      next(rng.split(m), state, out.subspan((m * steps + k) * size(), size()));
    }
  }
}

}  // namespace detail
}  // namespace cauchy
