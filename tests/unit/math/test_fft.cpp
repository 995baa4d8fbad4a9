#include <cauchy/base/error.hpp>
#include <cauchy/math/fft.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "math/fft/dft_reference.hpp"
#include "math/fft/kernels.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_fft {
namespace {

using std::size_t;
template <class T>
using ComplexVector = std::vector<std::complex<T>>;
using Exact = ComplexVector<long double>;

// Numbers in [-1, 1) from a linear congruential generator: the same on every machine.
template <class T>
std::vector<T> noise(size_t n, std::uint64_t seed = 1) {
  std::vector<T> x(n);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (T& v : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<T>(static_cast<double>(state >> 40) / (1 << 23) - 1.0);
  }
  return x;
}

template <class T>
ComplexVector<T> complex_noise(size_t n, std::uint64_t seed = 1) {
  const std::vector<T> parts = noise<T>(2 * n, seed);
  ComplexVector<T> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = {parts[2 * i], parts[2 * i + 1]};
  return x;
}

// ||a - b|| / ||b|| in the 2-norm.
template <class A, class B>
double distance(const A& a, const B& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  long double error = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::complex<long double> x(a[i]), y(b[i]);
    error += std::norm(x - y);
    norm += std::norm(y);
  }
  return static_cast<double>(norm > 0 ? std::sqrt(error / norm) : std::sqrt(error));
}

// A radix-2 level (one rounded addition, one product with a rounded factor) adds at most about 2
// eps and, for roundings of random sign, 0.3 eps on average, and only the square root of their
// number adds up. Convolutions do two transforms of length < 4n. So eps log2(4n) holds for random
// data with room for the dense butterflies of radix 31, and is 1/6 of the worst case.
template <class T>
double tolerance(size_t n) {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) *
         std::log2(4.0 * static_cast<double>(n));
}

// DFT along every axis, one after the other, by the definition.
Exact separable_reference(Exact x, const std::vector<size_t>& shape, int sign = -1) {
  size_t inner = x.size();
  for (const size_t n : shape) {
    inner /= n;
    for (size_t line = 0; line < x.size() / n; ++line) {
      const size_t start = line / inner * n * inner + line % inner;
      Exact column(n);
      for (size_t j = 0; j < n; ++j) column[j] = x[start + j * inner];
      const Exact result = detail::dft_reference<long double>(column, sign);
      for (size_t j = 0; j < n; ++j) x[start + j * inner] = result[j];
    }
  }
  return x;
}

// The first n/2 + 1 entries along the last axis.
Exact half_of(const Exact& x, size_t n_last) {
  Exact half;
  for (size_t i = 0; i < x.size(); ++i) {
    if (i % n_last <= n_last / 2) half.push_back(x[i]);
  }
  return half;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

std::vector<size_t> all_sizes() {
  std::vector<size_t> sizes;
  for (size_t n = 1; n <= 130; ++n) sizes.push_back(n);
  // Rader 241, 421, 1009; Bluestein 227 (226 = 2 113), 2 1009, 47^2; powers; 2^a 3^b 5^c 7^d.
  for (const size_t n :
       {227, 240, 241, 256, 421, 512, 840, 1009, 1024, 2018, 2048, 2209, 2401, 3125, 4096, 6561}) {
    sizes.push_back(n);
  }
  return sizes;
}

const std::vector<std::vector<size_t>> shapes = {
    {4, 4},    {3, 5},    {1, 7},     {7, 1},    {6, 33},     {37, 41},    {64, 32},   {15, 2},
    {2, 3, 4}, {5, 7, 9}, {8, 16, 9}, {1, 1, 1}, {16, 1, 12}, {11, 13, 8}, {3, 37, 10}};

template <class T>
class FftOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FftOf, Precisions);

TYPED_TEST(FftOf, ComplexTransformOfAnySizeMatchesTheDefinition) {
  using T = TypeParam;
  for (const size_t n : all_sizes()) {
    const ComplexVector<T> x = complex_noise<T>(n);
    ComplexVector<T> y(n);
    const Fft<T> fft({n});
    fft.forward(x, y);
    EXPECT_LT(distance(y, detail::dft_reference<T>(x)), tolerance<T>(n)) << n;
    fft.inverse(x, y);
    Exact expected = detail::dft_reference<T>(x, +1);
    for (auto& v : expected) v /= static_cast<long double>(n);
    EXPECT_LT(distance(y, expected), tolerance<T>(n)) << n;
  }
}

TYPED_TEST(FftOf, RealTransformOfAnySizeMatchesTheDefinition) {
  using T = TypeParam;
  for (const size_t n : all_sizes()) {
    const std::vector<T> x = noise<T>(n);
    ComplexVector<T> y(n / 2 + 1);
    const RealFft<T> fft({n});
    fft.forward(x, y);
    const Exact full = detail::dft_reference<T>(ComplexVector<T>(x.begin(), x.end()));
    EXPECT_LT(distance(y, half_of(full, n)), tolerance<T>(n)) << n;
    EXPECT_EQ(y[0].imag(), T(0));

    // The inverse of an arbitrary half spectrum against the definition.
    ComplexVector<T> half = complex_noise<T>(n / 2 + 1, 2);
    half[0].imag(T(0));
    if (n % 2 == 0) half[n / 2].imag(T(0));
    Exact hermitian(n);
    for (size_t k = 0; k < n; ++k) {
      hermitian[k] = k <= n / 2 ? std::complex<long double>(half[k])
                                : std::conj(std::complex<long double>(half[n - k]));
    }
    Exact expected = detail::dft_reference<long double>(hermitian, +1);
    for (auto& v : expected) v /= static_cast<long double>(n);
    std::vector<T> back(n);
    fft.inverse(half, back);
    EXPECT_LT(distance(back, expected), tolerance<T>(n)) << n;
  }
}

TYPED_TEST(FftOf, InverseUndoesForward) {
  using T = TypeParam;
  for (const size_t n : {1, 2, 31, 97, 100, 101, 227, 243, 1000, 1009, 65536, 99991}) {
    const ComplexVector<T> x = complex_noise<T>(static_cast<size_t>(n));
    ComplexVector<T> y(x);
    const Fft<T> fft({static_cast<size_t>(n)});
    fft.forward(y, y);
    fft.inverse(y, y);
    EXPECT_LT(distance(y, x), 2 * tolerance<T>(x.size())) << n;

    const std::vector<T> r = noise<T>(x.size());
    ComplexVector<T> half(x.size() / 2 + 1);
    std::vector<T> back(x.size());
    const RealFft<T> real_fft({x.size()});
    real_fft.forward(r, half);
    real_fft.inverse(half, back);
    EXPECT_LT(distance(back, r), 2 * tolerance<T>(x.size())) << n;
  }
}

TYPED_TEST(FftOf, TwoAndThreeAxesMatchTheSeparableDefinition) {
  using T = TypeParam;
  for (const auto& shape : shapes) {
    const Fft<T> fft(shape);
    const RealFft<T> real_fft(shape);
    const size_t n = fft.size();
    const ComplexVector<T> x = complex_noise<T>(n);
    ComplexVector<T> y(n);
    fft.forward(x, y);
    const std::string name = testing::PrintToString(shape);
    EXPECT_LT(distance(y, separable_reference(Exact(x.begin(), x.end()), shape)), tolerance<T>(n))
        << name;
    fft.inverse(y, y);
    EXPECT_LT(distance(y, x), 2 * tolerance<T>(n)) << name;

    const std::vector<T> r = noise<T>(n);
    ComplexVector<T> half(real_fft.complex_size());
    std::vector<T> back(n);
    real_fft.forward(r, half);
    const Exact full = separable_reference(Exact(r.begin(), r.end()), shape);
    EXPECT_LT(distance(half, half_of(full, shape.back())), tolerance<T>(n)) << name;
    const ComplexVector<T> kept = half;
    real_fft.inverse(half, back);
    EXPECT_LT(distance(back, r), 2 * tolerance<T>(n)) << name;
    EXPECT_TRUE(same_bits(half, kept)) << "the inverse changed its input";
  }
}

TYPED_TEST(FftOf, KnownTransformsComeOut) {
  using T = TypeParam;
  for (const size_t n : {8, 60, 241, 227, 31}) {
    const Fft<T> fft({n});
    ComplexVector<T> x(n), y(n);
    x[0] = T(1);  // delta -> constant 1
    fft.forward(x, y);
    EXPECT_LT(distance(y, ComplexVector<T>(n, T(1))), tolerance<T>(n)) << n;
    std::fill(x.begin(), x.end(), T(1));  // constant -> n delta
    fft.forward(x, y);
    ComplexVector<T> expected(n);
    expected[0] = static_cast<T>(n);
    EXPECT_LT(distance(y, expected), tolerance<T>(n)) << n;
    for (size_t j = 0; j < n; ++j) {  // exp(2 pi i 3 j / n) -> n at k = 3
      x[j] = static_cast<std::complex<T>>(std::conj(detail::unit_root(3 * j % n, n)));
    }
    fft.forward(x, y);
    expected[0] = T(0);
    expected[3] = static_cast<T>(n);
    EXPECT_LT(distance(y, expected), tolerance<T>(n)) << n;
  }
}

TYPED_TEST(FftOf, EnergyIsKept) {
  using T = TypeParam;
  for (const size_t n : {128, 210, 421, 227}) {
    const ComplexVector<T> x = complex_noise<T>(n);
    ComplexVector<T> y(n);
    Fft<T>({n}).forward(x, y);
    long double in = 0, out = 0;
    for (size_t i = 0; i < n; ++i) {
      in += std::norm(std::complex<long double>(x[i]));
      out += std::norm(std::complex<long double>(y[i]));
    }
    const auto ratio = static_cast<double>(out / (in * static_cast<long double>(n)));
    EXPECT_LT(std::abs(ratio - 1.0), 2 * tolerance<T>(n)) << n;  // squares: twice the error
  }
}

TYPED_TEST(FftOf, TransformIsLinearAndAShiftBecomesAPhase) {
  using T = TypeParam;
  for (const size_t n : {96, 127, 227}) {
    const Fft<T> fft({n});
    const ComplexVector<T> x = complex_noise<T>(n, 3), z = complex_noise<T>(n, 4);
    ComplexVector<T> sum(n), shifted(n), fx(n), fz(n), fsum(n), fshifted(n);
    for (size_t j = 0; j < n; ++j) {
      sum[j] = x[j] + T(2) * z[j];
      shifted[j] = x[(j + n - 1) % n];
    }
    fft.forward(x, fx);
    fft.forward(z, fz);
    fft.forward(sum, fsum);
    fft.forward(shifted, fshifted);
    Exact expected(n), phased(n);
    for (size_t k = 0; k < n; ++k) {
      expected[k] = std::complex<long double>(fx[k]) + 2.0L * std::complex<long double>(fz[k]);
      phased[k] = std::complex<long double>(fx[k]) * detail::unit_root(k, n);
    }
    EXPECT_LT(distance(fsum, expected), 2 * tolerance<T>(n)) << n;
    EXPECT_LT(distance(fshifted, phased), 2 * tolerance<T>(n)) << n;
  }
}

TYPED_TEST(FftOf, BatchGivesTheBitsOfSingleTransforms) {
  using T = TypeParam;
  const size_t batch = 5;
  for (const std::vector<size_t>& shape :
       std::vector<std::vector<size_t>>{{64}, {241}, {227}, {15}, {9, 34}, {4, 6, 17}}) {
    const Fft<T> one(shape), many(shape, batch);
    const RealFft<T> real_one(shape), real_many(shape, batch);
    const size_t n = one.size(), n_half = real_one.complex_size();
    const ComplexVector<T> x = complex_noise<T>(n * batch);
    const std::vector<T> r = noise<T>(n * batch);
    ComplexVector<T> all(n * batch), single(n * batch), half(n_half * batch),
        half_single(n_half * batch);
    std::vector<T> back(n * batch), back_single(n * batch);
    many.forward(x, all);
    real_many.forward(r, half);
    real_many.inverse(half, back);
    for (size_t b = 0; b < batch; ++b) {
      one.forward(std::span(x).subspan(b * n, n), std::span(single).subspan(b * n, n));
      const auto part = std::span(half_single).subspan(b * n_half, n_half);
      real_one.forward(std::span(r).subspan(b * n, n), part);
      real_one.inverse(part, std::span(back_single).subspan(b * n, n));
    }
    const std::string name = testing::PrintToString(shape);
    EXPECT_TRUE(same_bits(all, single)) << name;
    EXPECT_TRUE(same_bits(half, half_single)) << name;
    EXPECT_TRUE(same_bits(back, back_single)) << name;
  }
}

TYPED_TEST(FftOf, InPlaceAndOwnWorkSpaceGiveTheSameBits) {
  using T = TypeParam;
  for (const std::vector<size_t>& shape :
       std::vector<std::vector<size_t>>{{1}, {5}, {64}, {31}, {241}, {227}, {5, 13}, {4, 6, 17}}) {
    const Fft<T> fft(shape);
    const ComplexVector<T> x = complex_noise<T>(fft.size());
    ComplexVector<T> y(x.size()), z = x, w(x.size());
    std::vector<T> work(fft.work_size(), std::numeric_limits<T>::quiet_NaN());
    fft.forward(x, y);
    fft.forward(z, z);
    fft.forward(x, w, work);
    EXPECT_TRUE(same_bits(y, z)) << testing::PrintToString(shape);
    EXPECT_TRUE(same_bits(y, w)) << testing::PrintToString(shape);
    fft.inverse(x, y);
    z = x;
    fft.inverse(z, z, work);
    EXPECT_TRUE(same_bits(y, z)) << testing::PrintToString(shape);
  }
}

TYPED_TEST(FftOf, OnePlanServesSeveralThreadsWithTheSameBits) {
  using T = TypeParam;
  const Fft<T> fft({20, 37});
  const RealFft<T> real_fft({20, 37});
  const size_t n = fft.size();
  const auto run = [&](std::uint64_t seed) {
    ComplexVector<T> y(n), half(real_fft.complex_size());
    std::vector<T> back(n);
    fft.forward(complex_noise<T>(n, seed), y);
    real_fft.forward(noise<T>(n, seed), half);
    real_fft.inverse(half, back);
    y.insert(y.end(), half.begin(), half.end());
    y.insert(y.end(), back.begin(), back.end());
    return y;
  };
  std::vector<ComplexVector<T>> expected, actual(64);
  for (std::uint64_t i = 0; i < 64; ++i) expected.push_back(run(i));
  const auto half_of_the_work = [&](size_t first) {
    for (size_t i = first; i < 64; i += 2) actual[i] = run(i);
  };
  std::thread other(half_of_the_work, size_t{0});
  half_of_the_work(1);
  other.join();
  for (size_t i = 0; i < 64; ++i) EXPECT_TRUE(same_bits(actual[i], expected[i])) << i;
}

TYPED_TEST(FftOf, EveryInstructionSetGivesTheSameBits) {
  using T = TypeParam;
  const auto run = [] {
    ComplexVector<T> all;
    for (const std::vector<size_t>& shape : std::vector<std::vector<size_t>>{
             {64}, {512}, {240}, {105}, {241}, {227}, {343}, {31}, {12, 33}, {9, 10, 7}}) {
      const Fft<T> fft(shape);
      const RealFft<T> real_fft(shape);
      ComplexVector<T> y = complex_noise<T>(fft.size()), half(real_fft.complex_size());
      std::vector<T> back(fft.size());
      fft.forward(y, y);
      real_fft.forward(noise<T>(fft.size()), half);
      real_fft.inverse(half, back);
      all.insert(all.end(), y.begin(), y.end());
      all.insert(all.end(), half.begin(), half.end());
      all.insert(all.end(), back.begin(), back.end());
    }
    return all;
  };
  const ComplexVector<T> expected = run();
  const size_t n_targets = detail::fft_target_count();
  ASSERT_GE(n_targets, 1u);
  for (size_t i = 0; i < n_targets; ++i) {
    detail::fft_choose_target(i);
    EXPECT_TRUE(same_bits(run(), expected)) << "target " << i;
  }
  detail::fft_choose_target(n_targets);
}

TEST(Fft, RealAndComplexTransformsAgree) {
  for (const size_t n : {63, 64, 241, 227}) {
    const std::vector<double> r = noise<double>(n);
    ComplexVector<double> y(r.begin(), r.end()), half(n / 2 + 1);
    Fft<double>({n}).forward(y, y);
    RealFft<double>({n}).forward(r, half);
    y.resize(half.size());
    EXPECT_LT(distance(half, y), 2 * tolerance<double>(n)) << n;
  }
}

TEST(Fft, InverseIgnoresWhatARealSignalCannotHave) {
  for (const size_t n : {6, 7, 241}) {
    ComplexVector<double> half = complex_noise<double>(n / 2 + 1);
    std::vector<double> a(n), b(n);
    const RealFft<double> fft({n});
    half[0].imag(0.0);
    if (n % 2 == 0) half[n / 2].imag(0.0);
    fft.inverse(half, a);
    half[0].imag(5.0);
    if (n % 2 == 0) half[n / 2].imag(-3.0);
    fft.inverse(half, b);
    EXPECT_TRUE(same_bits(a, b)) << n;
  }
}

TEST(Fft, PlansReportTheirSizes) {
  const RealFft<float> real_fft({4, 6, 9}, 3);
  EXPECT_EQ(real_fft.real_size(), 3u * 4 * 6 * 9);
  EXPECT_EQ(real_fft.complex_size(), 3u * 4 * 6 * 5);
  EXPECT_EQ(real_fft.shape(), (std::vector<size_t>{4, 6, 9}));
  EXPECT_EQ(real_fft.batch(), 3u);
  const Fft<float> fft({4, 6}, 2);
  EXPECT_EQ(fft.size(), 48u);
  EXPECT_EQ(fft.batch(), 2u);
}

TEST(Fft, BadShapesAreRefusedInWords) {
  EXPECT_EQ(message_of([] { Fft<double>({0}); }),
            "[math.fft]: axis 0 has length 0; every length must be at least 1");
  EXPECT_EQ(message_of([] {
              RealFft<float>({4, 0});
            }),
            "[math.real_fft]: axis 1 has length 0; every length must be at least 1");
  EXPECT_EQ(message_of([] {
              Fft<double>({2, 2, 2, 2});
            }),
            "[math.fft]: a transform needs 1 to 3 axes, got 4");
  EXPECT_EQ(message_of([] { Fft<double>(std::span<const size_t>{}); }),
            "[math.fft]: a transform needs 1 to 3 axes, got 0");
  EXPECT_EQ(message_of([] { Fft<double>({4}, 0); }), "[math.fft]: batch must be positive, got 0");
  const size_t huge = size_t{1} << 40;
  EXPECT_EQ(message_of([=] {
              Fft<double>({huge, huge});
            }),
            "[math.fft]: the array is too large for the address space");
}

TEST(Fft, BadArraysAreRefusedInWords) {
  const Fft<double> fft({8});
  const RealFft<double> real_fft({8});
  ComplexVector<double> x(8), y(9);
  std::vector<double> r(8), work(1);
  EXPECT_EQ(message_of([&] { fft.forward(x, y); }),
            "[math.fft]: out has 9 elements, the plan needs 8");
  EXPECT_EQ(message_of([&] { fft.inverse(y, x); }),
            "[math.fft]: in has 9 elements, the plan needs 8");
  EXPECT_EQ(message_of([&] { fft.forward(std::span(y).first(8), std::span(y).last(8)); }),
            "[math.fft]: in and out overlap; give the same array twice or two disjoint ones");
  EXPECT_NE(message_of([&] { fft.forward(x, x, work); }).find("see work_size()"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { real_fft.forward(r, x); }),
            "[math.real_fft]: out has 8 elements, the plan needs 5");
  EXPECT_EQ(message_of([&] { real_fft.inverse(x, r); }),
            "[math.real_fft]: in has 8 elements, the plan needs 5");
  const auto* parts = reinterpret_cast<const double*>(x.data());
  EXPECT_EQ(message_of([&] {
              real_fft.forward({parts, 8}, std::span(x).first(5));
            }),
            "[math.real_fft]: in and out overlap; give two disjoint arrays");
}

}  // namespace
}  // namespace cauchy::test_fft
