#include "sampling/samplers/sobol.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <cauchy/base/rng.hpp>

#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

constexpr std::uint16_t kTable[] = {
#include "sampling/samplers/sobol_table.inc"
};

/// The fixed-point number w / 2^52, exactly: its digits become the mantissa of a number in [1, 2).
double to_unit(std::uint64_t w) { return std::bit_cast<double>(0x3ff0000000000000u | w) - 1.0; }

/// Sobol points in Gray-code order (Antonov and Saleev 1979): with c(n) the lowest zero bit of n,
///   x_{n+1} = x_n ^ v_{c(n)},   x_0 = 0,
/// and at once x_n = XOR of v_i over the digits i of n ^ n / 2 that are 1. Every 2^m points from a
/// multiple of 2^m on are a net; coordinates are multiples of 2^-52.
///   scramble  random linear matrix scrambling and a digital shift (Matousek 1998): the digits of
///             each coordinate are multiplied by a random lower triangular matrix with ones on the
///             diagonal and added to a random vector, modulo 2. Elementary intervals go to
///             elementary intervals, hence nets to nets with the same t; each point is uniform, and
///             the variance of a mean is that of Owen's nested scrambling. No cost per point.
///   limit     2048 dimensions, 2^52 points
class Sobol final : public Sampler {
 public:
  Sobol(std::size_t dimension, bool scramble, std::uint64_t seed)
      : Sampler(dimension, 0), v_(sobol_directions(dimension)), origin_(dimension, 0) {
    if (scramble) this->scramble(seed);
    const std::uint64_t* v = v_.data();
    // Points 8 q + j, j < 8: Gray codes are linear, so they differ from point 8 q by these.
    for (std::size_t j = 0; j < 8; ++j) {
      const std::size_t code = j ^ (j >> 1);
      for (std::size_t k = 0; k < dimension; ++k) {
        std::uint64_t w = 0;
        for (std::size_t bit = 0; bit < 3; ++bit) {
          if ((code >> bit & 1) != 0) w ^= v[bit * dimension + k];
        }
        steps_.push_back(w);
      }
    }
  }

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.sobol]", first, n, std::uint64_t{1} << kSobolBits);
    if (n == 0) return;
    const std::uint64_t end = first + n;
    const std::size_t d = dimension_;
    std::array<std::uint64_t, 32> small;
    std::vector<std::uint64_t> large;
    if (d > small.size()) large.resize(d);
    std::uint64_t* x = d > small.size() ? large.data() : small.data();  // point 8 q
    start(first & ~std::uint64_t{7}, x);
    for (std::uint64_t i = first & ~std::uint64_t{7}; i < end; i += 8) {
      if (i >= first && end - i >= 8) {
        block(x, out);
        out += 8 * d;
      } else {
        for (std::uint64_t p = std::max(i, first); p < std::min(i + 8, end); ++p, out += d) {
          const std::uint64_t* step = steps_.data() + (p & 7) * d;
          for (std::size_t k = 0; k < d; ++k) out[k] = to_unit(x[k] ^ step[k]);
        }
      }
      // From the Gray code of 8 q to that of 8 (q + 1): the last step of the block leaves digit 2
      // set, then one digit above changes.
      const auto c = static_cast<std::size_t>(std::countr_one(i | 7));
      if (c >= kSobolBits) break;
      const std::uint64_t* last = v_.data() + 2 * d;
      const std::uint64_t* v = v_.data() + c * d;
      for (std::size_t k = 0; k < d; ++k) x[k] ^= last[k] ^ v[k];
    }
  }

 private:
  void scramble(std::uint64_t seed) {
    const Rng rng(seed, static_cast<std::uint64_t>(SeedUse::sobol));
    for (std::size_t k = 0; k < dimension_; ++k) {
      std::array<std::uint64_t, kSobolBits> row;  // row r makes digit r + 1 of the scrambled number
      Rng words = rng.split(k);
      for (unsigned r = 0; r < kSobolBits; ++r) {
        const std::uint64_t diagonal = std::uint64_t{1} << (kSobolBits - 1 - r);
        const std::uint64_t above = (std::uint64_t{1} << kSobolBits) - 2 * diagonal;
        row[r] = diagonal | (words.bits64() & above);
      }
      for (unsigned bit = 0; bit < kSobolBits; ++bit) {
        std::uint64_t& v = v_[bit * dimension_ + k];
        std::uint64_t w = 0;
        for (unsigned r = 0; r < kSobolBits; ++r) {
          w = w << 1 | (static_cast<unsigned>(std::popcount(row[r] & v)) & 1u);
        }
        v = w;
      }
      origin_[k] = words.bits64() >> (64 - kSobolBits);
    }
  }

  /// Point n, in O(52 d).
  void start(std::uint64_t n, std::uint64_t* x) const {
    std::copy(origin_.begin(), origin_.end(), x);
    std::uint64_t code = n ^ (n >> 1);
    for (const std::uint64_t* v = v_.data(); code != 0; code >>= 1, v += dimension_) {
      if ((code & 1) == 0) continue;
      for (std::size_t k = 0; k < dimension_; ++k) x[k] ^= v[k];
    }
  }

  /// Eight points from x = point 8 q.
  void block(const std::uint64_t* x, double* out) const {
    const std::size_t d = dimension_;
    const std::uint64_t* step = steps_.data();
    if (d == 1) {
      for (std::size_t j = 0; j < 8; ++j) out[j] = to_unit(x[0] ^ step[j]);
      return;
    }
    for (std::size_t j = 0; j < 8; ++j, out += d, step += d) {
      for (std::size_t k = 0; k < d; ++k) out[k] = to_unit(x[k] ^ step[k]);
    }
  }

  std::vector<std::uint64_t> v_;       // v_[bit * d + k]
  std::vector<std::uint64_t> origin_;  // the digital shift
  std::vector<std::uint64_t> steps_;   // steps_[j * d + k], j < 8
};

}  // namespace

std::vector<std::uint64_t> sobol_directions(std::size_t dimension) {
  std::vector<std::uint64_t> v(kSobolBits * dimension);
  const std::uint16_t* entry = kTable;
  for (std::size_t k = 0; k < dimension; ++k) {
    std::array<std::uint64_t, kSobolBits> m;
    if (k == 0) {  // van der Corput: all m are 1
      m.fill(1);
    } else {
      const unsigned polynomial = *entry++;
      const auto s = static_cast<unsigned>(std::bit_width(polynomial)) - 1;
      for (unsigned i = 0; i < s; ++i) m[i] = *entry++;
      for (unsigned i = s; i < kSobolBits; ++i) {
        m[i] = m[i - s];
        for (unsigned j = 1; j <= s; ++j) {
          if ((polynomial >> (s - j) & 1) != 0) m[i] ^= m[i - j] << j;
        }
      }
    }
    for (unsigned i = 0; i < kSobolBits; ++i) v[i * dimension + k] = m[i] << (kSobolBits - 1 - i);
  }
  return v;
}

double sobol_coordinate(const std::vector<std::uint64_t>& directions, std::size_t dimension,
                        std::size_t k, std::uint64_t code) {
  std::uint64_t x = 0;
  for (unsigned bit = 0; bit < kSobolBits; ++bit) {
    if ((code >> bit & 1) != 0) x ^= directions[bit * dimension + k];
  }
  return static_cast<double>(x) * 0x1p-52;
}

std::unique_ptr<Sampler> make_sobol(std::size_t dimension, bool scramble, std::uint64_t seed) {
  check_dimension("[sampling.sobol]", dimension, kSobolDimensions);
  return std::make_unique<Sobol>(dimension, scramble, seed);
}

}  // namespace cauchy::detail
