// Independent random points: coordinate k of point i is word i d + k of one stream.
#include <span>

#include <cauchy/base/rng.hpp>

#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

/// x_{i,k} = u_{i d + k}, where u_m is the m-th uniform number of the seed's stream; each lies in
/// the open interval (0, 1). At most 2^64 / d points.
class Uniform final : public Sampler {
 public:
  Uniform(std::size_t dimension, std::uint64_t seed)
      : Sampler(dimension, 0), rng_(seed, static_cast<std::uint64_t>(SeedUse::uniform)) {}

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.uniform]", first, n, ~std::uint64_t{0} / dimension_);
    Rng rng(rng_);
    rng.set_counter(first * dimension_);
    rng.fill_uniform(std::span(out, n * dimension_));
  }

 private:
  Rng rng_;
};

}  // namespace

std::unique_ptr<Sampler> make_uniform(std::size_t dimension, std::uint64_t seed) {
  return std::make_unique<Uniform>(dimension, seed);
}

}  // namespace cauchy::detail
