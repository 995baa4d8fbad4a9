#include <algorithm>

#include <cauchy/base/error.hpp>

#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

__extension__ using Wide = unsigned __int128;

/// m^power, but at most `cap`.
std::uint64_t capped_power(std::uint64_t m, std::size_t power, std::uint64_t cap) {
  std::uint64_t product = 1;
  for (; power > 0 && m > 1; --power) {
    if (product > cap / m) return cap;
    product *= m;
  }
  return std::min(product, cap);
}

/// Centres of the cells of a tensor grid. m cells on some axes and m - 1 on the others, so few of
/// the former that the number of cells T is the smallest one >= n; of the T cells, counted with
/// the last axis fastest, point i takes number floor((2 i + 1) T / (2 n)). For n = m^d that is the
/// whole grid.
///   limit    2^48 points, any dimension (axes beyond log2 n have one cell)
class Grid final : public Sampler {
 public:
  Grid(std::size_t dimension, std::uint64_t n) : Sampler(dimension, n), counts_(dimension) {
    constexpr std::uint64_t kCap = std::uint64_t{1} << 60;
    std::uint64_t low = 0, high = n;  // m^d < n for m = low, m^d >= n for m = high
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (capped_power(middle, dimension, kCap) < n ? low : high) = middle;
    }
    const std::uint64_t m = high;
    std::size_t larger = 0;  // axes with m cells
    const auto cells = [&](std::size_t j) {
      const std::uint64_t part = capped_power(m, j, kCap);
      const std::uint64_t rest =
          capped_power(std::max<std::uint64_t>(m - 1, 1), dimension - j, kCap);
      return part > kCap / rest ? kCap : part * rest;
    };
    while (cells(larger) < n) ++larger;
    total_ = cells(larger);
    for (std::size_t k = 0; k < dimension; ++k) {
      counts_[k] = k < larger ? m : std::max<std::uint64_t>(m - 1, 1);
    }
  }

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.grid]", first, n, size_);
    for (std::size_t i = 0; i < n; ++i, out += dimension_) {
      const Wide odd = 2 * static_cast<Wide>(first + i) + 1;
      auto cell = static_cast<std::uint64_t>(odd * total_ / (2 * static_cast<Wide>(size_)));
      for (std::size_t k = dimension_; k-- > 0; cell /= counts_[k]) {
        out[k] = (static_cast<double>(cell % counts_[k]) + 0.5) / static_cast<double>(counts_[k]);
      }
    }
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t total_ = 1;
};

}  // namespace

std::unique_ptr<Sampler> make_grid(std::size_t dimension, std::uint64_t n) {
  if (n >> 48 != 0) throw Error("more than 2^48 points were asked for", "[sampling.grid]");
  return std::make_unique<Grid>(dimension, n);
}

}  // namespace cauchy::detail
