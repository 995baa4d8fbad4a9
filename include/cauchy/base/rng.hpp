#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace cauchy {

/// One block of Philox4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
/// easy as 1, 2, 3", 2011): a bijection of the 128-bit counters for each 64-bit key. Pure function.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key) noexcept;

/// Everything there is to know about an Rng: save it, and Rng(state) goes on with the same bits.
struct RngState {
  std::uint64_t seed = 0;     ///< the key of Philox
  std::uint64_t stream = 0;   ///< the upper half of its counter
  std::uint64_t counter = 0;  ///< number of 64-bit words drawn so far
  friend bool operator==(const RngState&, const RngState&) = default;
};

/// Counter-based random numbers: word i of a stream is a pure function of (seed, stream, i), so
/// that the same seed gives the same bits on every machine and for any division of work among
/// threads.
///   word     i -> half i % 2 of philox4x32(counter = {i / 2, stream}, key = seed), low word first
///   streams  distinct stream numbers of one seed never share a block; 2^64 words per stream, after
///            which it repeats
///   draws    bits32, bits64, uniform and normal take one word each; integer takes one, rarely more
///   cost     about 8 ns per word, 20 ns per normal number (one 3 GHz core)
/// Not thread-safe while drawing; const members may run concurrently. Copies draw the same numbers.
class Rng final {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) noexcept : state_{seed, stream, 0} {}
  explicit Rng(const RngState& state) noexcept : state_(state) {}

  /// A generator for an independent use, at its word 0. Depends on seed, stream and id, not on what
  /// was drawn; children of children are independent too. Seed and stream of the child are the 128
  /// bits of a Philox block, hence distinct ids give distinct children.
  [[nodiscard]] Rng split(std::uint64_t id) const noexcept;

  [[nodiscard]] const RngState& state() const noexcept { return state_; }
  [[nodiscard]] std::uint64_t counter() const noexcept { return state_.counter; }
  /// Moves to any word of the stream in constant time.
  void set_counter(std::uint64_t counter) noexcept;

  /// Word `index` of the stream, whatever was drawn; likewise the number that uniform() or normal()
  /// returns when counter() == index.
  [[nodiscard]] std::uint64_t bits64_at(std::uint64_t index) const noexcept;
  [[nodiscard]] double uniform_at(std::uint64_t index) const noexcept;
  [[nodiscard]] double normal_at(std::uint64_t index) const noexcept;

  std::uint64_t bits64() noexcept;
  /// The upper half of the next word.
  std::uint32_t bits32() noexcept { return static_cast<std::uint32_t>(bits64() >> 32); }

  /// Uniform in (0, 1): an odd multiple of 2^-53, each of the 2^52 equally likely. Never 0 or 1,
  /// and exactly symmetric about 1/2.
  double uniform() noexcept;
  /// a + (b - a) uniform(); for finite a <= b the value lies in [a, b] (rounding can reach the
  /// ends).
  double uniform(double a, double b) noexcept;
  /// Standard normal by inversion of one uniform(), relative error of the inversion below 1e-15.
  /// Values lie within 8.21 of 0.
  double normal() noexcept;
  double normal(double mean, double standard_deviation) noexcept {
    return mean + standard_deviation * normal();
  }
  /// Uniform in {0, ..., n - 1} without bias (rejection). Throws Error when n is 0.
  std::uint64_t integer(std::uint64_t n);

  /// Same values, and same counter afterwards, as out.size() calls of uniform() or normal().
  /// To fill in parallel, give each chunk a copy with its own set_counter.
  void fill_uniform(std::span<double> out) noexcept;
  void fill_normal(std::span<double> out) noexcept;

  /// Uniformly random order of the elements (Fisher-Yates from the end).
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t n = values.size(); n > 1; --n) {
      using std::swap;
      swap(values[n - 1], values[static_cast<std::size_t>(integer(n))]);
    }
  }
  /// Fills out with a uniformly random permutation of 0, ..., out.size() - 1.
  void permutation(std::span<std::size_t> out);

 private:
  RngState state_;
  std::uint64_t odd_word_ = 0;  // word counter, when has_odd_word_: the second half of a block
  bool has_odd_word_ = false;
};

}  // namespace cauchy
