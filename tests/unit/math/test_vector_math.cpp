#include "math/vector_math.hpp"

#include <gtest/gtest.h>

#include <cauchy/base/cpu.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace cauchy::test_vector_math {
namespace {

using Exact = long double (*)(long double);

/// |y - exact| in units in the last place of T at `exact`; 0 when both overflow or both are NaN.
template <class T>
double ulp_error(T y, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(exact)) return std::isnan(y) ? 0.0 : INFINITY;
  if (std::isnan(y)) return INFINITY;
  if (std::isinf(rounded)) return y == rounded ? 0.0 : INFINITY;
  if (std::isinf(y)) {
    // Overflow is right within the rounding of the largest number.
    return std::abs(rounded) == std::numeric_limits<T>::max() ? 1.0 : INFINITY;
  }
  const T magnitude = std::abs(rounded);
  const T ulp = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  const long double spacing =
      std::isinf(ulp) ? magnitude - std::nextafter(magnitude, T(0)) : static_cast<long double>(ulp);
  return static_cast<double>(std::abs(static_cast<long double>(y) - exact) / spacing);
}

template <class T>
struct Function {
  const char* name;
  void (*fast)(const T*, T*, size_t);
  Exact exact;
  double low, high;  // uniform arguments of ordinary size
  double tolerance;  // ulp, as vector_math-inl.h promises
};

long double sigmoid_exact(long double x) { return 1 / (1 + std::exp(-x)); }

template <class T>
std::vector<Function<T>> functions() {
  using namespace detail;
  return {
      {"exp", vexp, std::exp, -20, 20, 1.5},  {"expm1", vexpm1, std::expm1, -3, 3, 2},
      {"log", vlog, std::log, 0, 10, 1},      {"log1p", vlog1p, std::log1p, -1, 3, 2},
      {"sin", vsin, std::sin, -20, 20, 2},    {"cos", vcos, std::cos, -20, 20, 2},
      {"tan", vtan, std::tan, -20, 20, 4},    {"asin", vasin, std::asin, -1, 1, 3},
      {"acos", vacos, std::acos, -1, 1, 3},   {"atan", vatan, std::atan, -6, 6, 2},
      {"sinh", vsinh, std::sinh, -5, 5, 3},   {"cosh", vcosh, std::cosh, -5, 5, 2},
      {"tanh", vtanh, std::tanh, -4, 4, 2.1}, {"erf", verf, std::erf, -4, 4, 2},
      {"erfc", verfc, std::erfc, -4, 8, 5},   {"sigmoid", vsigmoid, sigmoid_exact, -20, 20, 3},
  };
}

template <class T>
std::vector<T> special_arguments() {
  using L = std::numeric_limits<T>;
  std::vector<T> x;
  for (const T v : {T(0),
                    L::denorm_min(),
                    L::min() / 3,
                    L::min(),
                    L::epsilon(),
                    T(0.25),
                    T(0.5),
                    T(1),
                    std::nextafter(T(1), T(0)),
                    std::nextafter(T(1), T(2)),
                    T(1.5),
                    T(2),
                    T(3),
                    T(10),
                    T(19.5),
                    T(27),
                    T(88.7),
                    T(89.3),
                    T(103.5),
                    T(104.5),
                    T(709.7),
                    T(709.79),
                    T(710.4),
                    T(710.5),
                    T(745),
                    T(746),
                    T(1e4),
                    T(1e6),
                    T(1e10),
                    L::max() / 2,
                    L::max(),
                    L::infinity()}) {
    x.push_back(v);
    x.push_back(-v);
  }
  for (int k = 1; k < 400; k += 7) {  // near the zeros of sin and cos
    x.push_back(static_cast<T>(k * 1.5707963267948966));
  }
  x.push_back(static_cast<T>(355));      // 113 pi + 3e-5
  x.push_back(static_cast<T>(5419351));  // 1725033 pi - 4e-8
  x.push_back(L::quiet_NaN());
  return x;
}

/// Random arguments: uniform over the ordinary range, uniform over exponents (every magnitude).
template <class T>
std::vector<T> arguments(const Function<T>& f, size_t n) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> uniform(f.low, f.high), unit(0, 1);
  std::vector<T> x = special_arguments<T>();
  for (size_t i = 0; i < n; ++i) x.push_back(static_cast<T>(uniform(rng)));
  for (size_t i = 0; i < n; ++i) {
    const double e = sizeof(T) == 8 ? 308 : 38;
    const double magnitude = std::pow(10.0, e * (2 * unit(rng) - 1));
    x.push_back(static_cast<T>(unit(rng) < 0.5 ? -magnitude : magnitude));
  }
  for (size_t i = 0; i < n; ++i) {  // the range of exp, and of the reduced sin and cos
    x.push_back(static_cast<T>((2 * unit(rng) - 1) * (sizeof(T) == 8 ? 750 : 110)));
  }
  return x;
}

class VectorMathTest : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override { force_target(GetParam()); }
  void TearDown() override { reset_target(); }
};

template <class T>
void check_accuracy() {
  for (const Function<T>& f : functions<T>()) {
    const std::vector<T> x = arguments(f, 20000);
    std::vector<T> y(x.size());
    f.fast(x.data(), y.data(), x.size());
    double worst = 0;
    T at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = ulp_error(y[i], f.exact(static_cast<long double>(x[i])));
      if (!(error <= worst)) {
        worst = error;
        at = x[i];
      }
    }
    EXPECT_LT(worst, f.tolerance) << f.name << (sizeof(T) == 8 ? " f64" : " f32") << " at " << at;
    ::testing::Test::RecordProperty(std::string(f.name) + (sizeof(T) == 8 ? "_f64" : "_f32"),
                                    std::to_string(worst));
  }
}

TEST_P(VectorMathTest, FunctionsMatchLongDoubleWithinTheirBounds) {
  check_accuracy<double>();
  check_accuracy<float>();
}

template <class T>
void check_signed_zero() {
  for (const Function<T>& f : functions<T>()) {
    const T x[2] = {T(0), T(-0.0)};
    T y[2];
    f.fast(x, y, 2);
    for (int i = 0; i < 2; ++i) {
      const auto exact = static_cast<T>(f.exact(static_cast<long double>(x[i])));
      EXPECT_EQ(y[i], exact) << f.name;
      EXPECT_EQ(std::signbit(y[i]), std::signbit(exact)) << f.name << " of zero " << i;
    }
  }
}

TEST_P(VectorMathTest, SignedZerosComeOutAsInTheScalarLibrary) {
  check_signed_zero<double>();
  check_signed_zero<float>();
}

template <class T>
void check_position() {
  for (const Function<T>& f : functions<T>()) {
    const std::vector<T> x = arguments(f, 300);
    std::vector<T> whole(x.size());
    f.fast(x.data(), whole.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      T alone;
      f.fast(&x[i], &alone, 1);
      EXPECT_EQ(std::memcmp(&alone, &whole[i], sizeof(T)), 0) << f.name << " of " << x[i];
    }
    for (size_t n = 0; n < 40; ++n) {  // every tail; nothing is written beyond n
      std::vector<T> part(n + 1, T(77));
      f.fast(x.data() + 3, part.data(), n);
      EXPECT_EQ(std::memcmp(part.data(), whole.data() + 3, n * sizeof(T)), 0) << f.name;
      EXPECT_EQ(part[n], T(77)) << f.name;
    }
  }
}

TEST_P(VectorMathTest, ResultsDoNotDependOnPositionOrArrayLength) {
  check_position<double>();
  check_position<float>();
}

template <class T>
void check_sincos() {
  const Function<T> f{"sincos", nullptr, nullptr, -30, 30, 0};
  const std::vector<T> x = arguments(f, 2000);
  std::vector<T> s(x.size()), c(x.size()), s1(x.size()), c1(x.size());
  detail::vsincos(x.data(), s.data(), c.data(), x.size());
  detail::vsin(x.data(), s1.data(), x.size());
  detail::vcos(x.data(), c1.data(), x.size());
  EXPECT_EQ(std::memcmp(s.data(), s1.data(), x.size() * sizeof(T)), 0);
  EXPECT_EQ(std::memcmp(c.data(), c1.data(), x.size() * sizeof(T)), 0);
}

TEST_P(VectorMathTest, SinCosEqualsSinAndCosBitForBit) {
  check_sincos<double>();
  check_sincos<float>();
}

// Closest approach of arguments below the switch to the scalar library: cancellation in the
// argument reduction is worst at the multiples of pi/2.
template <class T>
void check_reduction(T limit) {
  std::vector<T> x;
  for (long double k = 1; k * 1.5707963267948966L < limit; k = std::floor(k * 1.0007L) + 1) {
    const T v = static_cast<T>(k * 1.57079632679489661923132169163975144L);
    for (const T w : {std::nextafter(v, T(0)), v, std::nextafter(v, limit)}) {
      x.push_back(w);
      x.push_back(-w);
    }
  }
  std::vector<T> s(x.size()), c(x.size());
  detail::vsincos(x.data(), s.data(), c.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_LT(ulp_error(s[i], std::sin(static_cast<long double>(x[i]))), 2) << x[i];
    EXPECT_LT(ulp_error(c[i], std::cos(static_cast<long double>(x[i]))), 2) << x[i];
  }
}

TEST_P(VectorMathTest, SinAndCosKeepTheirAccuracyAtMultiplesOfHalfPi) {
  check_reduction<double>(2e6);
  check_reduction<float>(2e4f);
}

template <class T>
void check_pow() {
  std::mt19937_64 rng(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<T> x, e;
  const std::vector<T> special = special_arguments<T>();
  for (size_t i = 0; i < special.size(); i += 2) {
    for (size_t j = 0; j < special.size(); j += 3) {
      x.push_back(special[i]);
      e.push_back(special[j]);
    }
  }
  for (int i = 0; i < 40000; ++i) {
    const double base = std::pow(10.0, unit(rng) * (i % 2 == 0 ? 1.0 : 30.0));
    x.push_back(static_cast<T>(base));
    e.push_back(static_cast<T>(unit(rng) * (i % 3 == 0 ? 5.0 : 300.0)));
  }
  for (int i = 0; i < 2000; ++i) {
    x.push_back(static_cast<T>(5 * unit(rng)));
    e.push_back(static_cast<T>(i % 11 - 5));
  }
  std::vector<T> y(x.size());
  detail::vpow(x.data(), e.data(), y.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact =
        std::pow(static_cast<long double>(x[i]), static_cast<long double>(e[i]));
    EXPECT_LT(ulp_error(y[i], exact), 1.5) << x[i] << " ^ " << e[i];
  }
}

TEST_P(VectorMathTest, PowMatchesLongDoubleAtAllMagnitudes) {
  check_pow<double>();
  check_pow<float>();
}

template <class T>
void check_powint() {
  std::vector<T> x;
  std::mt19937_64 rng(3);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (int i = 0; i < 3000; ++i) x.push_back(static_cast<T>(uniform(rng)));
  for (const T v : {T(0), T(1), T(-1), std::numeric_limits<T>::infinity()}) x.push_back(v);
  x.push_back(std::numeric_limits<T>::quiet_NaN());
  std::vector<T> y(x.size());
  for (const int n : {-31, -8, -7, -6, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 40}) {
    detail::vpowint(x.data(), n, y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const long double exact = std::pow(static_cast<long double>(x[i]), n);
      EXPECT_LT(ulp_error(y[i], exact), 4) << x[i] << " ^ " << n;
    }
  }
}

TEST_P(VectorMathTest, IntegerPowersMatchLongDoubleForBothSigns) {
  check_powint<double>();
  check_powint<float>();
}

INSTANTIATE_TEST_SUITE_P(Targets, VectorMathTest, ::testing::ValuesIn(available_targets()),
                         [](const auto& target) { return std::string(to_string(target.param)); });

}  // namespace
}  // namespace cauchy::test_vector_math
