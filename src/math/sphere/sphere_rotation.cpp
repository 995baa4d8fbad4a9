#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/math/spherical_harmonics.hpp>

#include "math/sphere/legendre_sweep.hpp"

namespace cauchy {
namespace {

/// sqrt((2j)! / ((j+m)! (j-m)!)) cos^(j+m) sin^(j-m), m >= -j, without overflow on the way.
detail::ScaledReal extreme_value(long j, long m, long double cosine, long double sine) {
  detail::ScaledReal value{1, 0};
  const long few = std::min(j + m, j - m);
  for (long k = 1; k <= few; ++k) {
    const long double ratio =
        static_cast<long double>(2 * j - few + k) / static_cast<long double>(k);
    value = value * (std::sqrt(ratio) * sine * cosine);
  }
  const long double base = j + m > j - m ? cosine : sine;
  for (long k = 0; k < std::abs(2 * m); ++k) value = value * base;
  return value;
}

/// d^l_{n m}(beta) for l = max(|n|, |m|) ... degree, upwards in l.
class WignerColumn final {
 public:
  WignerColumn(std::size_t degree, long double beta)
      : degree_(static_cast<long>(degree)),
        cosine_(std::cos(beta)),
        half_cosine_(std::cos(beta / 2)),
        half_sine_(std::sin(beta / 2)) {}

  /// Calls use(l, d) for every l.
  template <class Use>
  void operator()(long n, long m, Use use) const {
    const long j = std::max(std::abs(n), std::abs(m));
    detail::ScaledReal now = first_value(j, n, m), before{0, now.exponent};
    const auto square = [](long k) {
      return static_cast<long double>(k) * static_cast<long double>(k);
    };
    for (long l = j;; ++l) {
      use(l, static_cast<double>(plain(now)));
      if (l == degree_) return;
      const auto k = static_cast<long double>(l);
      const long double below =
          std::sqrt((square(l + 1) - square(n)) * (square(l + 1) - square(m)));
      const long double shift =
          l == 0 ? 0 : static_cast<long double>(n) * static_cast<long double>(m) / (k * (k + 1));
      const long double older =
          l == 0 ? 0 : std::sqrt((square(l) - square(n)) * (square(l) - square(m))) * (k + 1) / k;
      const long double next =
          ((k + 1) * (2 * k + 1) * (cosine_ - shift) * now.value - older * before.value) / below;
      before.value = now.value;
      now.value = next;
      if (std::fabs(next) >= 0x1p128L) {
        now.value *= 0x1p-256L;
        before.value *= 0x1p-256L;
        ++now.exponent;
      }
    }
  }

 private:
  [[nodiscard]] detail::ScaledReal first_value(long j, long n, long m) const {
    const auto sign = [](long k) { return k % 2 == 0 ? 1.0L : -1.0L; };
    const auto value = [&](long k) { return extreme_value(j, k, half_cosine_, half_sine_); };
    if (n == j) return value(m) * sign(j - m);
    if (n == -j) return value(-m);
    if (m == j) return value(n);
    return value(-n) * sign(j + n);
  }

  long degree_;
  long double cosine_, half_cosine_, half_sine_;
};

}  // namespace

SphereSpectrum rotated(std::span<const std::complex<double>> spectrum, double alpha, double beta,
                       double gamma) {
  if (!std::isfinite(alpha) || !std::isfinite(beta) || !std::isfinite(gamma)) {
    throw Error("the angles of a rotation must be finite", "[math.spherical_harmonics]");
  }
  const std::size_t L = degree_of_spectrum(spectrum.size());
  const auto turned = [&](double angle, std::size_t m) {
    return std::polar(1.0, -angle * static_cast<double>(m));
  };
  SphereSpectrum in(spectrum.begin(), spectrum.end()), out(spectrum.size());
  for (std::size_t m = 0; m <= L; ++m) {
    for (std::size_t l = m; l <= L; ++l) in[spectrum_index(L, l, m)] *= turned(gamma, m);
  }
  const WignerColumn column(L, beta);
  for (std::size_t n = 0; n <= L; ++n) {
    const auto at = [&](long l) { return spectrum_index(L, static_cast<std::size_t>(l), n); };
    for (std::size_t m = 0; m <= L; ++m) {
      const auto from = [&](long l) {
        return in[spectrum_index(L, static_cast<std::size_t>(l), m)];
      };
      const long a = static_cast<long>(n), b = static_cast<long>(m);
      column(a, b, [&](long l, double d) { out[at(l)] += d * from(l); });
      if (m == 0) continue;  // a_l,-m = (-1)^m conj(a_lm)
      column(a, -b,
             [&](long l, double d) { out[at(l)] += (m % 2 == 0 ? d : -d) * std::conj(from(l)); });
    }
    for (std::size_t l = n; l <= L; ++l) out[spectrum_index(L, l, n)] *= turned(alpha, n);
  }
  for (std::size_t l = 0; l <= L; ++l) out[l] = out[l].real();
  return out;
}

}  // namespace cauchy
