#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <numeric>

#include "base/normal_quantile.hpp"

namespace cauchy {
namespace {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

constexpr int n_rounds = 10;
constexpr std::uint32_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
// Weyl increments of the key: the golden ratio and sqrt(3) - 1.
constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
// Key of the blocks that name child generators, so that they differ from the blocks of numbers.
constexpr std::uint64_t split_tag = 0x5851F42D4C957F2D;

// Words are numbered by 64 bits, two to a block.
constexpr std::uint64_t last_block = ~std::uint64_t{0} / 2;

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
constexpr std::uint64_t join(std::uint32_t lo, std::uint32_t hi) {
  return static_cast<std::uint64_t>(hi) << 32 | lo;
}
constexpr Key words(std::uint64_t x) { return {low(x), high(x)}; }

Block block_of(const RngState& s, std::uint64_t index) noexcept {
  return philox4x32({low(index), high(index), low(s.stream), high(s.stream)}, words(s.seed));
}

// 52 bits of the word, then a half: an odd multiple of 2^-53, exact.
constexpr double to_uniform(std::uint64_t word) {
  return static_cast<double>(word >> 12 << 1 | 1) * 0x1p-53;
}

// The 128-bit product a b.
struct Product {
  std::uint64_t lo, hi;
};
constexpr Product multiply(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = low(a), a1 = high(a), b0 = low(b), b1 = high(b);
  const std::uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
  const std::uint64_t middle = (p00 >> 32) + low(p01) + low(p10);
  return {join(low(p00), low(middle)), p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32)};
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c,
                                        std::array<std::uint32_t, 2> k) noexcept {
  for (int round = 0; round < n_rounds; ++round) {
    const std::uint64_t p0 = static_cast<std::uint64_t>(multiplier_0) * c[0];
    const std::uint64_t p1 = static_cast<std::uint64_t>(multiplier_1) * c[2];
    c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
    k[0] += weyl_0;
    k[1] += weyl_1;
  }
  return c;
}

Rng Rng::split(std::uint64_t id) const noexcept {
  const Block name = philox4x32({low(id), high(id), low(state_.stream), high(state_.stream)},
                                words(state_.seed ^ split_tag));
  return Rng(join(name[0], name[1]), join(name[2], name[3]));
}

void Rng::set_counter(std::uint64_t counter) noexcept {
  state_.counter = counter;
  has_odd_word_ = false;
}

std::uint64_t Rng::bits64_at(std::uint64_t index) const noexcept {
  const Block b = block_of(state_, index / 2);
  return index % 2 == 0 ? join(b[0], b[1]) : join(b[2], b[3]);
}

double Rng::uniform_at(std::uint64_t index) const noexcept { return to_uniform(bits64_at(index)); }

double Rng::normal_at(std::uint64_t index) const noexcept {
  return detail::portable_normal_quantile(uniform_at(index));
}

std::uint64_t Rng::bits64() noexcept {
  const std::uint64_t index = state_.counter++;
  if (index % 2 == 1 && has_odd_word_) {
    has_odd_word_ = false;
    return odd_word_;
  }
  const Block b = block_of(state_, index / 2);
  odd_word_ = join(b[2], b[3]);
  has_odd_word_ = index % 2 == 0;
  return has_odd_word_ ? join(b[0], b[1]) : odd_word_;
}

double Rng::uniform() noexcept { return to_uniform(bits64()); }

double Rng::uniform(double a, double b) noexcept {
  const double x = a + (b - a) * uniform();
  return x > b ? b : x;
}

double Rng::normal() noexcept { return detail::portable_normal_quantile(uniform()); }

std::uint64_t Rng::integer(std::uint64_t n) {
  if (n == 0) throw Error("the number of values must be positive, got 0", "[base.rng] integer");
  // Multiply-shift maps 2^64 words onto n values; the 2^64 mod n lowest products of each value are
  // rejected so that every value keeps the same number of words (Lemire 2019).
  Product product = multiply(bits64(), n);
  if (product.lo < n) {
    const std::uint64_t n_rejected = (0 - n) % n;
    while (product.lo < n_rejected) product = multiply(bits64(), n);
  }
  return product.hi;
}

void Rng::fill_uniform(std::span<double> out) noexcept {
  std::size_t i = 0;
  if (state_.counter % 2 == 1 && !out.empty()) out[i++] = uniform();
  const std::size_t n_blocks = (out.size() - i) / 2;
  const std::uint64_t first = state_.counter / 2;
  for (std::size_t b = 0; b < n_blocks; ++b, i += 2) {
    const Block block = block_of(state_, (first + b) & last_block);
    out[i] = to_uniform(join(block[0], block[1]));
    out[i + 1] = to_uniform(join(block[2], block[3]));
  }
  if (n_blocks > 0) set_counter(state_.counter + 2 * n_blocks);
  if (i < out.size()) out[i] = uniform();
}

void Rng::fill_normal(std::span<double> out) noexcept {
  fill_uniform(out);
  for (double& x : out) x = detail::portable_normal_quantile(x);
}

void Rng::permutation(std::span<std::size_t> out) {
  std::iota(out.begin(), out.end(), std::size_t{0});
  shuffle(out);
}

}  // namespace cauchy
