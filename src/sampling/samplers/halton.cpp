#include <algorithm>

#include <cauchy/base/error.hpp>

#include "sampling/samplers/radical_inverse.hpp"
#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

/// Fills a column per base, in blocks of points that stay in the cache.
void fill_columns(const std::vector<RadicalInverse>& columns, std::uint64_t first, std::size_t n,
                  double* out, std::size_t stride) {
  constexpr std::size_t kBlock = 512;
  for (std::size_t start = 0; start < n; start += kBlock) {
    const std::size_t count = std::min(kBlock, n - start);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      columns[k].fill(first + start, count, out + start * stride + k, stride);
    }
  }
}

std::vector<RadicalInverse> make_columns(std::size_t count, bool scramble, const Rng& rng) {
  std::vector<RadicalInverse> columns;
  columns.reserve(count);
  for (const std::uint32_t p : first_primes(count)) {
    if (scramble) {
      columns.emplace_back(p, rng.split(columns.size()));
    } else {
      columns.emplace_back(p);
    }
  }
  return columns;
}

/// Point i = (phi_2(n), phi_3(n), phi_5(n), ...) with n = i + 1: radical inverses in the first d
/// primes, without the origin, so that base 2 begins 1/2, 1/4, 3/4, 1/8. See RadicalInverse for
/// the scrambling.
///   limit    2048 dimensions, 2^48 points
class Halton final : public Sampler {
 public:
  Halton(std::size_t dimension, bool scramble, std::uint64_t seed)
      : Sampler(dimension, 0),
        columns_(make_columns(dimension, scramble,
                              Rng(seed, static_cast<std::uint64_t>(SeedUse::halton)))) {}

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.halton]", first, n, kMaxRadicalIndex - 1);
    fill_columns(columns_, first + 1, n, out, dimension_);
  }

 private:
  std::vector<RadicalInverse> columns_;
};

/// Point i of N = (i / N, phi_2(i), phi_3(i), ...), i = 0, ..., N - 1.
///   scramble  the digits of the radical inverses, and (i + U) / N in the first coordinate with one
///             U, uniform in (0, 1): the mean of any function over the points is unbiased
///   limit     2049 dimensions, 2^48 points
class Hammersley final : public Sampler {
 public:
  Hammersley(std::size_t dimension, std::uint64_t n, bool scramble, std::uint64_t seed)
      : Sampler(dimension, n) {
    const Rng rng(seed, static_cast<std::uint64_t>(SeedUse::hammersley));
    columns_ = make_columns(dimension - 1, scramble, rng);
    if (scramble) offset_ = rng.uniform_at(0);
  }

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.hammersley]", first, n, size_);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = (static_cast<double>(first + i) + offset_) / static_cast<double>(size_);
      out[i * dimension_] = std::min(x, kBelowOne);
    }
    fill_columns(columns_, first, n, out + 1, dimension_);
  }

 private:
  std::vector<RadicalInverse> columns_;
  double offset_ = 0;
};

}  // namespace

std::unique_ptr<Sampler> make_halton(std::size_t dimension, bool scramble, std::uint64_t seed) {
  check_dimension("[sampling.halton]", dimension, kMaxRadicalDimensions);
  return std::make_unique<Halton>(dimension, scramble, seed);
}

std::unique_ptr<Sampler> make_hammersley(std::size_t dimension, std::uint64_t n, bool scramble,
                                         std::uint64_t seed) {
  check_dimension("[sampling.hammersley]", dimension, kMaxRadicalDimensions + 1);
  if (n > kMaxRadicalIndex) {
    throw Error("more than 2^48 points were asked for", "[sampling.hammersley]");
  }
  return std::make_unique<Hammersley>(dimension, n, scramble, seed);
}

}  // namespace cauchy::detail
