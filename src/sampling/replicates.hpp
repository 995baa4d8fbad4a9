#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/sampling/measure.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy::detail {

/// Running mean and variance (Welford).
class Moments final {
 public:
  void add(double value) noexcept {
    ++n_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(n_);
    squares_ += before * (value - mean_);
  }
  [[nodiscard]] double mean() const noexcept { return mean_; }
  /// Standard deviation of the mean; at least two values.
  [[nodiscard]] double error() const noexcept {
    const auto n = static_cast<double>(n_);
    return std::sqrt(squares_ / (n * (n - 1)));
  }

 private:
  std::size_t n_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// The options of independent replicate number r of a point set: another seed, and a randomisation
/// if the set has none.
[[nodiscard]] inline SamplerOptions replicate(SamplerOptions options, std::uint64_t r) {
  options.seed = Rng(options.seed, 0x7265706c).split(r).bits64();
  if (options.randomize != Randomize::none) return options;
  switch (options.kind) {
    case SamplerKind::uniform:
    case SamplerKind::latin_hypercube:
      break;  // random already
    case SamplerKind::sobol:
    case SamplerKind::halton:
    case SamplerKind::hammersley:
    case SamplerKind::faure:
      options.randomize = Randomize::scramble;
      break;
    case SamplerKind::grid:
    case SamplerKind::lattice:
    case SamplerKind::r_sequence:
      options.randomize = Randomize::shift;
      break;
  }
  return options;
}

/// The mean of n unit points' values in `replicates` sets: value(u) for u in [0, 1)^dimension.
template <class Value>
Estimate replicated_mean(const SamplerOptions& options, std::size_t dimension, std::size_t n,
                         std::size_t replicates, Value value) {
  constexpr std::size_t block = 1024;
  const std::size_t each = (n + replicates - 1) / replicates;
  std::vector<double> u(block * dimension);
  Moments means;
  for (std::size_t r = 0; r < replicates; ++r) {
    const auto sampler = make_sampler(replicate(options, r), dimension, each);
    double sum = 0;
    for (std::size_t first = 0; first < each; first += block) {
      const std::size_t rows = std::min(block, each - first);
      sampler->fill(first, rows, u.data());
      for (std::size_t i = 0; i < rows; ++i) sum += value(u.data() + i * dimension);
    }
    means.add(sum / static_cast<double>(each));
  }
  return {means.mean(), means.error(), false, each * replicates};
}

}  // namespace cauchy::detail
