#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

/// x_{i,j} = (pi_j(i) - U_{i,j}) / N with independent random permutations pi_j of 1, ..., N and
/// independent uniform U: one point in each of the N intervals of length 1 / N of each axis.
///   memory   4 N d bytes for the permutations
///   limit    2^32 - 1 points
class LatinHypercube final : public Sampler {
 public:
  LatinHypercube(std::size_t dimension, std::uint64_t n, std::uint64_t seed)
      : Sampler(dimension, n),
        rng_(seed, static_cast<std::uint64_t>(SeedUse::latin)),
        order_(dimension * static_cast<std::size_t>(n)) {
    for (std::size_t k = 0; k < dimension; ++k) {
      const std::span<std::uint32_t> order =
          std::span(order_).subspan(k * static_cast<std::size_t>(n), static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), std::uint32_t{0});
      rng_.split(k).shuffle(order);
    }
  }

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.latin_hypercube]", first, n, size_);
    Rng rng(rng_);
    rng.set_counter(first * dimension_);
    rng.fill_uniform(std::span(out, n * dimension_));
    const auto N = static_cast<double>(size_);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < dimension_; ++k, ++out) {
        const double stratum = order_[k * size_ + first + i];
        const double x = (stratum + (1 - *out)) / N, end = (stratum + 1) / N;
        *out = x < end ? x : std::nextafter(end, 0.0);  // rounding must not leave the interval
      }
    }
  }

 private:
  Rng rng_;
  std::vector<std::uint32_t> order_;  // [k][i]
};

}  // namespace

std::unique_ptr<Sampler> make_latin_hypercube(std::size_t dimension, std::uint64_t n,
                                              std::uint64_t seed) {
  if (n >> 32 != 0 || dimension > (std::size_t{1} << 60) / n) {
    throw Error("more than 2^32 - 1 points were asked for", "[sampling.latin_hypercube]",
                "use a sequence, such as 'sobol' with scramble");
  }
  return std::make_unique<LatinHypercube>(dimension, n, seed);
}

}  // namespace cauchy::detail
