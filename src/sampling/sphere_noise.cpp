#include <cauchy/sampling/sphere_noise.hpp>

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/math/spherical_harmonics.hpp>

namespace cauchy {
namespace {

constexpr const char* noise_place = "[sampling.sphere_noise]";
constexpr double circle = 180 / std::numbers::pi;

void check_noise(const SphereNoise& n) {
  if (n.lengths.empty()) throw Error("there is no length", noise_place, "lengths = [20, 10, 5]");
  if (n.lengths.size() != n.times.size()) {
    throw Error(fmt::format("{} lengths have {} times", n.lengths.size(), n.times.size()),
                noise_place, "give one time for each length");
  }
}

}  // namespace

void visit_options(SphereNoise& n, OptionVisitor& v) {
  v.numbers("lengths", n.lengths, NumberRange::positive);
  v.numbers("times", n.times, NumberRange::positive);
  v.number("smoothness", n.smoothness, NumberRange::positive);
  v.count("degree", n.degree, 0, 10'000);
  v.check([&] { check_noise(n); });
}

struct SphereNoiseSource::Impl {
  SphericalTransform transform;
  std::vector<double> keep;       // rho of every channel
  std::vector<double> deviation;  // s_l of every channel and degree
};

SphereNoiseSource::SphereNoiseSource(const SphereNoise& noise, const SphereGrid& grid,
                                     double interval) {
  check_noise(noise);
  auto impl = std::make_unique<Impl>(Impl{SphericalTransform(grid, noise.degree, false), {}, {}});
  for (std::size_t c = 0; c < noise.lengths.size(); ++c) {
    impl->keep.push_back(std::exp(-interval / noise.times[c]));
    const double length = noise.lengths[c] / circle;
    std::vector<double> power;
    double variance = 0;
    for (std::size_t l = 0; l <= noise.degree; ++l) {
      const auto k = static_cast<double>(l);
      power.push_back(std::pow(1 + length * length * k * (k + 1), -(noise.smoothness + 1)));
      variance += (2 * k + 1) * power.back() / (4 * std::numbers::pi);
    }
    for (const double p : power) impl->deviation.push_back(std::sqrt(p / variance));
  }
  impl_ = std::move(impl);
}

SphereNoiseSource::~SphereNoiseSource() = default;

std::size_t SphereNoiseSource::channels() const noexcept { return impl_->keep.size(); }
std::size_t SphereNoiseSource::n_points() const noexcept { return impl_->transform.n_points(); }

void SphereNoiseSource::next(const Rng& rng, State& state, std::span<double> out) const {
  const std::size_t L = impl_->transform.degree(), n = impl_->transform.n_coefficients();
  const bool first = state.moments == 0;
  state.coefficients.resize(channels() * n);
  Rng draw = rng;
  draw.set_counter(state.moments * 2 * channels() * n);
  for (std::size_t c = 0; c < channels(); ++c) {
    const double keep = first ? 0 : impl_->keep[c], renew = std::sqrt(1 - keep * keep);
    for (std::size_t m = 0; m <= L; ++m) {
      // Both parts of an order above 0 have half of the variance.
      const double share = m == 0 ? 1 : std::numbers::sqrt2 / 2;
      for (std::size_t l = m; l <= L; ++l) {
        const double size = renew * share * impl_->deviation[c * (L + 1) + l];
        const double re = draw.normal(), im = draw.normal();
        auto& a = state.coefficients[c * n + spectrum_index(L, l, m)];
        a = keep * a + size * std::complex<double>(re, m == 0 ? 0 : im);
      }
    }
  }
  ++state.moments;
  impl_->transform.synthesize(state.coefficients, out);
}

}  // namespace cauchy
