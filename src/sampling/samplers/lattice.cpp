#include "sampling/samplers/lattice.hpp"

#include <algorithm>
#include <numbers>
#include <numeric>
#include <utility>

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>

#include "sampling/samplers/samplers.hpp"

namespace cauchy::detail {
namespace {

constexpr std::uint64_t kMaxCandidates = 4096;   // generators that are ranked by pairs of axes
constexpr std::uint64_t kMaxProducts = 1 << 25;  // factors computed for the full error, in all
constexpr std::size_t kMaxLag = 16;

/// Sum of squares of the partial quotients of a / n: up to a factor between bounds that do not
/// depend on n, n^2 times the error of the plane lattice (1, a).
double quotient_squares(std::uint64_t a, std::uint64_t n) {
  double sum = 0;
  while (a != 0) {
    const auto q = static_cast<double>(n / a);
    sum += q * q;
    n = std::exchange(a, n % a);
  }
  return sum;
}

/// Axes j and j + m of a Korobov lattice are the plane lattice (1, a^m): the sum over the lags m of
/// the errors of these, weighted by the weights 1 / (j (j + m)) of the pairs.
double pair_score(std::uint64_t n, std::uint64_t a, std::size_t dimension) {
  double score = 0;
  std::uint64_t z = a;
  count_work(WorkKind::formulas, 100 * static_cast<double>(std::min(dimension - 1, kMaxLag)));
  for (std::size_t m = 1; m < dimension && m <= kMaxLag; ++m, z = z * a % n) {
    double weight = 0;
    for (std::size_t j = 1; j + m <= dimension && j <= kMaxLag; ++j) {
      weight += 1 / static_cast<double>(j * (j + m));
    }
    score += weight * quotient_squares(z, n);
  }
  return score;
}

/// The Fibonacci number before n, or 0 when n is not one.
std::uint64_t fibonacci_before(std::uint64_t n) {
  std::uint64_t a = 1, b = 1;
  while (b < n) a = std::exchange(b, a + b);
  return b == n ? a : 0;
}

/// Rank-1 lattice: x_{i,j} = {i z_j / n}, i = 0, ..., n - 1, z = (1, a, a^2, ...) mod n (Korobov).
/// All n values k / n occur on each axis.
///   limit    2^32 - 1 points; coordinates repeat when d exceeds the order of a modulo n
class Lattice final : public Sampler {
 public:
  Lattice(std::size_t dimension, std::uint64_t n) : Sampler(dimension, n), z_(dimension) {
    const std::uint64_t a = korobov_generator(n, dimension);
    std::uint64_t z = 1 % n;
    for (std::size_t k = 0; k < dimension; ++k, z = z * a % n) z_[k] = z;
  }

  void fill(std::uint64_t first, std::size_t n, double* out) const override {
    check_range("[sampling.lattice]", first, n, size_);
    if (n == 0) return;
    const auto N = static_cast<double>(size_);
    std::vector<std::uint64_t> x(dimension_);
    for (std::size_t k = 0; k < dimension_; ++k) x[k] = first * z_[k] % size_;
    for (std::size_t i = 0; i < n; ++i, out += dimension_) {
      for (std::size_t k = 0; k < dimension_; ++k) {
        out[k] = static_cast<double>(x[k]) / N;
        x[k] += z_[k];
        if (x[k] >= size_) x[k] -= size_;
      }
    }
  }

 private:
  std::vector<std::uint64_t> z_;
};

}  // namespace

double korobov_error(std::uint64_t n, std::uint64_t a, std::size_t dimension) {
  constexpr double kPi2 = 2 * std::numbers::pi * std::numbers::pi;
  std::vector<std::uint64_t> z(dimension), x(dimension, 0);
  std::uint64_t power = 1 % n;
  for (std::size_t k = 0; k < dimension; ++k, power = power * a % n) z[k] = power;
  const double step = 1 / static_cast<double>(n);
  double sum = 0;
  count_work(WorkKind::formulas,
             3 * static_cast<double>(n / 2 + 1) * static_cast<double>(dimension));
  for (std::uint64_t i = 0; 2 * i <= n; ++i) {  // B_2(1 - x) = B_2(x): points i and n - i agree
    double product = 1;
    for (std::size_t k = 0; k < dimension; ++k) {
      const double t = static_cast<double>(x[k]) * step;
      product *= 1 + kPi2 / static_cast<double>(k + 1) * (t * (t - 1) + 1.0 / 6);
      x[k] += z[k];
      if (x[k] >= n) x[k] -= n;
    }
    sum += i == 0 || 2 * i == n ? product : 2 * product;
  }
  return sum * step - 1;
}

/// For d = 2 and a Fibonacci number n = F_m: a = F_{m-1}, the best plane lattice. Otherwise of up
/// to 4096 generators prime to n (all when n <= 8193, else spread evenly below n / 2; a and n - a
/// are mirror images) those with the smallest pair_score, and of these, as many as 2^25 factors
/// allow (at most 64), the one with the smallest korobov_error. Beyond 2^26 / d points only the
/// pairs are looked at. Bounded cost, about 0.1 s.
std::uint64_t korobov_generator(std::uint64_t n, std::size_t dimension) {
  if (n <= 3 || dimension == 1) return 1;
  if (dimension == 2) {
    if (const std::uint64_t a = fibonacci_before(n); a != 0) return a;
  }
  std::vector<std::pair<double, std::uint64_t>> ranked;
  const std::uint64_t half = n / 2, tries = std::min(half, kMaxCandidates);
  for (std::uint64_t i = 0; i < tries; ++i) {
    // One generator from each part of [1, n / 2]; parts may hold none that is prime to n.
    const std::uint64_t end = half * (i + 1) / tries;
    std::uint64_t a = half * i / tries + 1;
    const std::uint64_t part = a;
    while (a <= end && std::gcd(a, n) != 1) ++a;
    count_work(WorkKind::formulas, 100 * static_cast<double>(a + 1 - part));
    if (a <= end) ranked.emplace_back(pair_score(n, a, dimension), a);
  }
  std::sort(ranked.begin(), ranked.end());
  const std::uint64_t factors = (n / 2 + 1) * dimension;
  const std::size_t count = std::min<std::uint64_t>({ranked.size(), kMaxProducts / factors, 64});
  std::uint64_t best = ranked.front().second;
  double least = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const double e = korobov_error(n, ranked[c].second, dimension);
    if (c == 0 || e < least) {
      least = e;
      best = ranked[c].second;
    }
  }
  return best;
}

std::unique_ptr<Sampler> make_lattice(std::size_t dimension, std::uint64_t n) {
  if (n >> 32 != 0) {
    throw Error("more than 2^32 - 1 points were asked for", "[sampling.lattice]",
                "use a sequence, such as 'sobol'");
  }
  return std::make_unique<Lattice>(dimension, n);
}

}  // namespace cauchy::detail
