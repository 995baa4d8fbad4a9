#include <algorithm>

#include <cauchy/base/rng.hpp>

#include "sampling/samplers/radical_inverse.hpp"
#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

/// The largest base: with two more digits than this the integers would not fit.
constexpr std::size_t kMaxFaureDimensions = 2039;

/// Faure's sequence in the smallest prime base b >= d. With n = sum a_l b^l, coordinate k = 1, ...,
/// d is sum_j y_j b^{-j-1},
///   y_j = sum_{l >= j} binom(l, j) (k - 1)^{l - j} a_l  mod b,
/// that is the matrix C^{k-1} of binomials (Pascal) applied to the digits. Point 0 is the origin;
/// every b^m points from a multiple of b^m on are a (0, m, d)-net.
///   scramble  the digits y are multiplied by a random lower triangular matrix with non-zero
///             diagonal and added to a random vector, modulo b: keeps the net, each point uniform
///   order     counting up adds 1 to the digits 0, ..., t of n modulo b, where t digits b - 1 stand
///             at the end of n: y changes by the sum of t + 1 columns, which are kept summed
///   limit     2039 dimensions; b^L points, the largest power not above 2^53, so that all
///             coordinates are quotients of integers with one rounding
class Faure final : public Sampler {
 public:
  Faure(std::size_t dimension, bool scramble, std::uint64_t seed)
      : Sampler(dimension, 0),
        base_(prime_from(static_cast<std::uint32_t>(std::max<std::size_t>(dimension, 2)))) {
    power_.push_back(1);
    while (power_.back() <= (std::uint64_t{1} << 53) / base_)
      power_.push_back(power_.back() * base_);
    limit_ = power_.back();
    power_.pop_back();
    std::reverse(power_.begin(), power_.end());  // weight b^{L-1-j} of digit j
    places_ = power_.size();
    const Rng rng(seed, static_cast<std::uint64_t>(SeedUse::faure));
    for (std::size_t k = 0; k < dimension; ++k) {
      std::vector<std::uint32_t> c = pascal_power(static_cast<std::uint32_t>(k));
      std::vector<std::uint32_t> origin(places_, 0);
      if (scramble) scramble_matrix(rng.split(k), c, origin);
      origin_.insert(origin_.end(), origin.begin(), origin.end());
      columns_.insert(columns_.end(), c.begin(), c.end());
      std::vector<std::uint32_t> sum(places_, 0);
      for (std::size_t t = 0; t < places_; ++t) {
        for (std::size_t j = 0; j < places_; ++j) {
          sum[j] = (sum[j] + c[t * places_ + j]) % base_;
        }
        sums_.insert(sums_.end(), sum.begin(), sum.end());
      }
    }
    scrambled_ = scramble;
  }

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.faure]", first, n, limit_);
    if (n == 0) return;
    const auto power = static_cast<double>(limit_);
    std::vector<std::uint32_t> y(dimension_ * places_);
    std::vector<std::uint64_t> numerator(dimension_);
    start(first, y, numerator);
    for (std::uint64_t i = first;; ++i, out += dimension_) {
      for (std::size_t k = 0; k < dimension_; ++k) {
        out[k] = static_cast<double>(numerator[k]) / power;
      }
      if (i + 1 == first + n) break;
      std::size_t t = 0;
      for (std::uint64_t rest = i; rest % base_ == base_ - 1; rest /= base_) ++t;
      // The unscrambled matrices are upper triangular: only the first t + 1 digits change.
      const std::size_t rows = scrambled_ ? places_ : t + 1;
      for (std::size_t k = 0; k < dimension_; ++k) {
        const std::uint32_t* add = sums_.data() + (k * places_ + t) * places_;
        std::uint32_t* digit = y.data() + k * places_;
        std::uint64_t change = 0;  // modulo 2^64
        for (std::size_t j = 0; j < rows; ++j) {
          const std::uint32_t old = digit[j], sum = old + add[j];
          digit[j] = sum >= base_ ? sum - base_ : sum;
          change += power_[j] * (std::uint64_t{digit[j]} - old);
        }
        numerator[k] += change;
      }
    }
  }

 private:
  /// c[l * L + j] = binom(l, j) k^{l-j} mod b by Pascal's rule c(l, j) = c(l-1, j-1) + k c(l-1, j).
  [[nodiscard]] std::vector<std::uint32_t> pascal_power(std::uint32_t k) const {
    std::vector<std::uint32_t> c(places_ * places_, 0);
    c[0] = 1;
    for (std::size_t l = 1; l < places_; ++l) {
      const std::uint32_t* above = c.data() + (l - 1) * places_;
      for (std::size_t j = 0; j <= l; ++j) {
        c[l * places_ + j] = (k * above[j] + (j > 0 ? above[j - 1] : 0)) % base_;
      }
    }
    return c;
  }

  void scramble_matrix(Rng rng, std::vector<std::uint32_t>& c,
                       std::vector<std::uint32_t>& origin) const {
    std::vector<std::uint64_t> row(places_);
    std::vector<std::uint32_t> product(c.size());
    for (std::size_t j = 0; j < places_; ++j) {
      for (std::size_t i = 0; i < j; ++i) row[i] = rng.integer(base_);
      row[j] = 1 + rng.integer(base_ - 1);
      for (std::size_t l = 0; l < places_; ++l) {
        std::uint64_t sum = 0;  // at most 53 products below 2^22
        for (std::size_t i = 0; i <= j; ++i) sum += row[i] * c[l * places_ + i];
        product[l * places_ + j] = static_cast<std::uint32_t>(sum % base_);
      }
      origin[j] = static_cast<std::uint32_t>(rng.integer(base_));
    }
    c = product;
  }

  /// Digits and numerator of point n by the definition.
  void start(std::uint64_t n, std::vector<std::uint32_t>& y,
             std::vector<std::uint64_t>& numerator) const {
    std::copy(origin_.begin(), origin_.end(), y.begin());
    for (std::size_t l = 0; n != 0; ++l, n /= base_) {
      const auto a = static_cast<std::uint32_t>(n % base_);
      for (std::size_t k = 0; k < dimension_; ++k) {
        const std::uint32_t* column = columns_.data() + (k * places_ + l) * places_;
        std::uint32_t* digit = y.data() + k * places_;
        for (std::size_t j = 0; j < places_; ++j) digit[j] = (digit[j] + a * column[j]) % base_;
      }
    }
    for (std::size_t k = 0; k < dimension_; ++k) {
      for (std::size_t j = 0; j < places_; ++j) numerator[k] += power_[j] * y[k * places_ + j];
    }
  }

  std::uint32_t base_;
  std::uint64_t limit_ = 0;  // b^L
  std::size_t places_ = 0;   // L
  bool scrambled_ = false;
  std::vector<std::uint64_t> power_;    // b^{L-1-j}
  std::vector<std::uint32_t> origin_;   // [k][j], y of point 0
  std::vector<std::uint32_t> columns_;  // [k][l][j]
  std::vector<std::uint32_t> sums_;     // [k][t][j], columns 0, ..., t summed
};

}  // namespace

std::unique_ptr<Sampler> make_faure(std::size_t dimension, bool scramble, std::uint64_t seed) {
  check_dimension("[sampling.faure]", dimension, kMaxFaureDimensions);
  return std::make_unique<Faure>(dimension, scramble, seed);
}

}  // namespace cauchy::detail
