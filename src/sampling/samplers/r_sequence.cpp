#include "sampling/samplers/r_sequence.hpp"

#include <algorithm>

#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr Wide kOne = ~Wide{0};  // 1 - 2^-128 stands for 1
constexpr Wide kHalf = Wide{1} << 127;

/// Product of two numbers of [0, 1) with 128 binary digits, rounded down.
Wide multiply(Wide a, Wide b) {
  const Wide a1 = a >> 64, a0 = static_cast<std::uint64_t>(a);
  const Wide b1 = b >> 64, b0 = static_cast<std::uint64_t>(b);
  const Wide cross1 = a1 * b0, cross2 = a0 * b1;
  const Wide carry =
      ((a0 * b0) >> 64) + static_cast<std::uint64_t>(cross1) + static_cast<std::uint64_t>(cross2);
  return a1 * b1 + (cross1 >> 64) + (cross2 >> 64) + (carry >> 64);
}

Wide power(Wide g, std::size_t exponent) {
  Wide result = kOne;
  for (; exponent != 0; exponent >>= 1, g = multiply(g, g)) {
    if ((exponent & 1) != 0) result = multiply(result, g);
  }
  return result;
}

/// x_{i,k} = 1/2 + (i + 1) phi_d^{-k} mod 1, k = 1, ..., d, where phi_d > 1 solves phi^{d+1} =
/// phi + 1 (golden ratio for d = 1, plastic number for d = 2).
///   exact    integer multiples of 128-bit fractions: the error is below 2^-53 + i (d + 2)^2 2^-127
///            (floating multiples would lose a digit whenever i doubles); any point costs O(d)
///   limit    10,000 dimensions, 2^63 points
class RSequence final : public Sampler {
 public:
  explicit RSequence(std::size_t dimension) : Sampler(dimension, 0) {
    for (const Fixed128& f : r_sequence_multipliers(dimension)) {
      step_.push_back(static_cast<Wide>(f.high) << 64 | f.low);
    }
  }

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.r_sequence]", first, n, std::uint64_t{1} << 63);
    constexpr std::size_t kBlock = 512;  // points that stay in the cache while columns are filled
    for (std::size_t start = 0; start < n; start += kBlock) {
      const std::size_t end = std::min(n, start + kBlock);
      for (std::size_t k = 0; k < dimension_; ++k) {
        const Wide step = step_[k];
        Wide x = kHalf + step * (static_cast<Wide>(first) + start + 1);  // modulo 2^128
        for (std::size_t i = start; i < end; ++i, x += step) {
          out[i * dimension_ + k] =
              static_cast<double>(static_cast<std::uint64_t>(x >> 75)) * 0x1p-53;
        }
      }
    }
  }

 private:
  std::vector<Wide> step_;
};

}  // namespace

std::vector<Fixed128> r_sequence_multipliers(std::size_t dimension) {
  // Bisection on g^d (1 + g), which grows with g, in steps that end at the last binary digit.
  Wide g = 0;
  for (Wide bit = kHalf; bit != 0; bit >>= 1) {
    const Wide trial = g | bit, p = power(trial, dimension), sum = p + multiply(p, trial);
    if (sum >= p) g = trial;  // no carry out of 128 bits: still below 1
  }
  std::vector<Fixed128> result;
  Wide value = g;
  for (std::size_t k = 0; k < dimension; ++k, value = multiply(value, g)) {
    result.push_back({static_cast<std::uint64_t>(value >> 64), static_cast<std::uint64_t>(value)});
  }
  return result;
}

std::unique_ptr<Sampler> make_r_sequence(std::size_t dimension) {
  check_dimension("[sampling.r_sequence]", dimension, 10'000);
  return std::make_unique<RSequence>(dimension);
}

}  // namespace cauchy::detail
