#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/cpu.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/engine/activation.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/reference/activation.hpp"

namespace cauchy::test_activation {
namespace {

constexpr size_t kPoints = 1000;
constexpr int kTableOrders = 9;

/// The points of tools/write_activation_table.py, exact in float and double.
long double table_point(size_t i) {
  const auto k = static_cast<long>(i);
  return static_cast<long double>(-786000 + 1572 * k + (53 * k * k) % 1571) / 65536;
}

using Table = std::map<std::pair<std::string, int>, std::vector<long double>>;

/// High-precision values of tests/data/activation_derivatives.txt.
const Table& table() {
  static const Table values = [] {
    Table t;
    std::ifstream file(CAUCHY_TEST_DATA "/activation_derivatives.txt");
    std::string line;
    while (std::getline(file, line)) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      std::string name, word;
      int order = -1;
      words >> name >> order;
      auto& row = t[{name, order}];
      while (words >> word) row.push_back(std::stold(word));
    }
    return t;
  }();
  return values;
}

/// Exact value of an activation that needs no table: elementary functions of long double.
long double elementary(Activation a, int k, long double x) {
  switch (a) {
    case Activation::identity:
      return k == 0 ? x : k == 1 ? 1 : 0;
    case Activation::sin:
    case Activation::cos: {
      const int phase = (k + (a == Activation::cos ? 1 : 0)) % 4;
      const long double v = phase % 2 == 0 ? std::sin(x) : std::cos(x);
      return phase < 2 ? v : -v;
    }
    case Activation::exp:
      return std::exp(x);
    case Activation::elu:
      if (x > 0) return k == 0 ? x : k == 1 ? 1 : 0;
      return k == 0 ? std::expm1(x) : std::exp(x);
    case Activation::relu:
      return x > 0 ? (k == 0 ? x : k == 1 ? 1 : 0) : 0;
    case Activation::relu3:
      return x > 0 ? (k == 0   ? x * x * x
                      : k == 1 ? 3 * x * x
                      : k == 2 ? 6 * x
                      : k == 3 ? 6
                               : 0)
                   : 0;
    default:
      return std::numeric_limits<long double>::quiet_NaN();
  }
}

long double exact_value(Activation a, int k, size_t i) {
  const auto row = table().find({std::string(to_string(a)), k});
  return row != table().end() ? row->second.at(i) : elementary(a, k, table_point(i));
}

/// Those without parameters that are defined on the whole line.
std::vector<Activation> without_parameters() {
  std::vector<Activation> list = all_activations();
  std::erase(list, Activation::wavelet);
  std::erase(list, Activation::sqrt);
  return list;
}

template <class T>
double ulp_of(long double magnitude) {
  const T m = static_cast<T>(std::abs(magnitude));
  return static_cast<double>(std::nextafter(m, std::numeric_limits<T>::infinity()) - m);
}

class ActivationTest : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override { force_target(GetParam()); }
  void TearDown() override { reset_target(); }
};

TEST(ActivationTable, HoldsAThousandPointsOfEveryOrder) {
  for (const char* name : {"tanh", "sigmoid", "silu", "gelu", "softplus", "gaussian"}) {
    for (int k = 0; k < kTableOrders; ++k) {
      ASSERT_EQ(table().count({name, k}), 1u) << name << " " << k;
      EXPECT_EQ(table().at({name, k}).size(), kPoints) << name << " " << k;
    }
  }
}

template <class T>
void check_against_table(const char* precision) {
  std::vector<T> x(kPoints), out(kPoints * kTableOrders);
  for (size_t i = 0; i < kPoints; ++i) x[i] = static_cast<T>(table_point(i));
  for (const Activation a : without_parameters()) {
    activation_derivatives(a, kTableOrders - 1, x.data(), kPoints, out.data(), kPoints);
    double worst = 0;
    for (int k = 0; k < kTableOrders; ++k) {
      long double largest = 0, error = 0;
      for (size_t i = 0; i < kPoints; ++i) {
        const long double exact = exact_value(a, k, i);
        const long double value = out[static_cast<size_t>(k) * kPoints + i];
        ASSERT_TRUE(std::isfinite(value)) << to_string(a) << " order " << k << " at " << x[i];
        largest = std::max(largest, std::abs(exact));
        error = std::max(error, std::abs(value - exact));
      }
      const double ulps = static_cast<double>(error) / std::max(ulp_of<T>(largest), 1e-300);
      EXPECT_LT(ulps, 16) << to_string(a) << " " << precision << " order " << k;
      worst = std::max(worst, ulps);
    }
    ::testing::Test::RecordProperty(std::string(to_string(a)) + "_" + precision,
                                    std::to_string(worst));
  }
}

// The bound is the contract of activation_derivatives: 16 ulp of the largest magnitude (6.2 seen).
TEST_P(ActivationTest, DerivativesToOrder8MatchHighPrecisionValuesAtAThousandPoints) {
  check_against_table<double>("f64");
  check_against_table<float>("f32");
}

template <class T>
void check_against_reference() {
  // Orders up to the maximum at random points; the error of the polynomials grows with the order,
  // 1e3 eps covers order 12.
  std::mt19937_64 rng(5);
  std::uniform_real_distribution<double> uniform(-9, 9);
  constexpr size_t n = 203;
  constexpr size_t orders = kMaxActivationOrder + 1;
  std::vector<T> x(n), out(n * orders), expected(n * orders);
  for (T& v : x) v = static_cast<T>(uniform(rng));
  for (const Activation a : without_parameters()) {
    activation_derivatives(a, kMaxActivationOrder, x.data(), n, out.data(), n);
    for (size_t i = 0; i < n; ++i) {
      T rows[orders];
      reference::activation_derivatives(a, kMaxActivationOrder, x[i], rows);
      for (size_t k = 0; k < orders; ++k) expected[k * n + i] = rows[k];
    }
    for (size_t k = 0; k < orders; ++k) {
      double largest = 0;
      for (size_t i = 0; i < n; ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(expected[k * n + i])));
      }
      const double tolerance =
          (k <= 9 ? 64 : 1000) * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
      for (size_t i = 0; i < n; ++i) {
        const double error = std::abs(static_cast<double>(out[k * n + i] - expected[k * n + i]));
        EXPECT_LE(error, tolerance) << to_string(a) << " order " << k << " at " << x[i];
      }
    }
  }
}

TEST_P(ActivationTest, AllOrdersMatchTheReference) {
  check_against_reference<double>();
  check_against_reference<float>();
}

template <class T>
void check_order_independence() {
  std::mt19937_64 rng(6);
  std::uniform_real_distribution<double> uniform(-6, 6);
  constexpr size_t n = 37;
  constexpr size_t stride = 41;
  std::vector<T> x(n), full(stride * (kMaxActivationOrder + 1));
  for (T& v : x) v = static_cast<T>(uniform(rng));
  for (const Activation a : without_parameters()) {
    activation_derivatives(a, kMaxActivationOrder, x.data(), n, full.data(), stride);
    for (int order = 0; order <= kMaxActivationOrder; ++order) {
      const auto rows = static_cast<size_t>(order) + 1;
      std::vector<T> part(stride * rows, T(77));
      activation_derivatives(a, order, x.data(), n, part.data(), stride);
      for (size_t k = 0; k < rows; ++k) {
        EXPECT_EQ(std::memcmp(&part[k * stride], &full[k * stride], n * sizeof(T)), 0)
            << to_string(a) << " row " << k << " of order " << order;
        for (size_t i = n; i < stride; ++i) EXPECT_EQ(part[k * stride + i], T(77));
      }
    }
    for (size_t i = 0; i < n; ++i) {  // one point alone gives the same bits
      T alone[4];
      activation_derivatives(a, 3, &x[i], 1, alone, 1);
      for (size_t k = 0; k < 4; ++k) EXPECT_EQ(alone[k], full[k * stride + i]) << to_string(a);
    }
  }
}

TEST_P(ActivationTest, ARowDependsNeitherOnTheOrderNorOnThePosition) {
  check_order_independence<double>();
  check_order_independence<float>();
}

TEST_P(ActivationTest, EachRowIsTheDerivativeOfTheRowBefore) {
  // Central difference of fourth order: truncation h^4/30 |s^(k+5)|, below 3e-9 relative to the
  // largest s^(k+1) for h = 1/256 and k <= 6; rounding 64 eps / h. Kinks are left out.
  const double h = 1.0 / 256;
  constexpr size_t n = 101;
  for (const Activation a : without_parameters()) {
    std::vector<double> rows[5];
    for (int s = -2; s <= 2; ++s) {
      std::vector<double> x(n);
      for (size_t i = 0; i < n; ++i) x[i] = -5 + 0.1 * static_cast<double>(i) + 0.03 + s * h;
      rows[s + 2].resize(n * 8);
      activation_derivatives(a, 7, x.data(), n, rows[s + 2].data(), n);
    }
    for (size_t k = 0; k < 7; ++k) {
      double largest = 0;
      for (size_t i = 0; i < n; ++i)
        largest = std::max(largest, std::abs(rows[2][(k + 1) * n + i]));
      for (size_t i = 0; i < n; ++i) {
        const size_t j = k * n + i;
        const double slope = (8 * (rows[3][j] - rows[1][j]) - (rows[4][j] - rows[0][j])) / (12 * h);
        EXPECT_LE(std::abs(slope - rows[2][j + n]), 2e-6 * largest)
            << to_string(a) << " row " << k << " point " << i;
      }
    }
  }
}

/// max |s^(k)| over the points of the table.
template <class T>
T largest_value(Activation a, int k) {
  long double largest = 0;
  for (size_t i = 0; i < kPoints; ++i) largest = std::max(largest, std::abs(exact_value(a, k, i)));
  return static_cast<T>(largest);
}

template <class T>
void check_extremes() {
  using L = std::numeric_limits<T>;
  const std::vector<T> x = {T(0),     T(-0.0),  L::denorm_min(), T(30),         T(-30),
                            T(120),   T(-120),  T(1000),         T(-1000),      T(1e30),
                            T(-1e30), L::max(), -L::max(),       L::infinity(), -L::infinity()};
  const size_t n = x.size();
  std::vector<T> out(n * 9);
  for (const Activation a : without_parameters()) {
    activation_derivatives(a, 8, x.data(), n, out.data(), n);
    const bool periodic = a == Activation::sin || a == Activation::cos;
    for (size_t i = 0; i < n; ++i) {
      if (periodic && std::isinf(x[i])) {
        EXPECT_TRUE(std::isnan(out[i]));
        continue;
      }
      T expected[9];
      reference::activation_derivatives(a, 8, x[i], expected);
      for (size_t k = 0; k < 9; ++k) {
        const T value = out[k * n + i];
        if (value == expected[k]) continue;  // infinities included
        const T largest = std::max(std::abs(expected[k]), largest_value<T>(a, static_cast<int>(k)));
        EXPECT_LE(std::abs(value - expected[k]), 64 * L::epsilon() * largest)
            << to_string(a) << " row " << k << " at " << x[i];
      }
    }
    const T nan = L::quiet_NaN();
    T rows[9];
    activation_derivatives(a, 8, &nan, 1, rows, 1);
    EXPECT_TRUE(std::isnan(rows[0])) << to_string(a);
  }
}

TEST_P(ActivationTest, HugeAndInfiniteArgumentsGiveTheLimitsAndNanGivesNan) {
  check_extremes<double>();
  check_extremes<float>();
}

TEST_P(ActivationTest, WaveletCombinesSineAndCosineAndReportsItsParameterDerivatives) {
  const double a = 0.75, b = -1.5;
  constexpr size_t n = 53;
  std::vector<double> x(n), out(n * 9), da(n * 9), db(n * 9);
  for (size_t i = 0; i < n; ++i) x[i] = -4 + 0.17 * static_cast<double>(i);
  wavelet_derivatives(a, b, 8, x.data(), n, out.data(), n, da.data(), db.data());
  for (size_t i = 0; i < n; ++i) {
    double expected[9];
    reference::activation_derivatives(Activation::wavelet, 8, x[i], expected, a, b);
    for (size_t k = 0; k < 9; ++k) {
      // Two products and a sum of terms of size 1.5: 8 eps.
      EXPECT_LT(std::abs(out[k * n + i] - expected[k]), 8 * 2.3e-16) << k << " " << x[i];
      EXPECT_LT(std::abs(a * da[k * n + i] + b * db[k * n + i] - expected[k]), 8 * 2.3e-16);
    }
  }
}

template <class T>
void check_square_root() {
  constexpr size_t n = 200;
  std::vector<T> x(n), out(n * kTableOrders);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<T>(std::exp2(-4 + 0.05 * double(i)));
  activation_derivatives(Activation::sqrt, kTableOrders - 1, x.data(), n, out.data(), n);
  for (size_t i = 0; i < n; ++i) {
    long double exact = std::sqrt(static_cast<long double>(x[i]));
    T reference[kTableOrders];
    reference::activation_derivatives(Activation::sqrt, kTableOrders - 1, x[i], reference);
    for (int k = 0; k < kTableOrders; ++k) {
      if (k > 0) exact *= (1.5L - k) / static_cast<long double>(x[i]);
      // Two roundings per order, and the square root.
      const long double tolerance = 16 * std::numeric_limits<T>::epsilon() * std::abs(exact);
      EXPECT_LT(std::abs(out[static_cast<size_t>(k) * n + i] - exact), tolerance) << k << " " << i;
      EXPECT_LT(std::abs(reference[k] - exact), tolerance) << k << " " << i;
    }
  }
}

TEST_P(ActivationTest, SquareRootMatchesItsDerivatives) {
  check_square_root<double>();
  check_square_root<float>();
  const double x[2] = {-1, 0};
  double out[4];
  activation_derivatives(Activation::sqrt, 1, x, 2, out, 2);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], 0);
  EXPECT_TRUE(std::isinf(out[3]));
}

INSTANTIATE_TEST_SUITE_P(Targets, ActivationTest, ::testing::ValuesIn(available_targets()),
                         [](const auto& target) { return std::string(to_string(target.param)); });

TEST(ActivationReference, MatchesTheTableToTwoUlp) {
  // Series arithmetic in long double (eps 1e-19): the final rounding dominates.
  for (const Activation a : without_parameters()) {
    for (int k = 0; k < kTableOrders; ++k) {
      long double largest = 0, error = 0;
      for (size_t i = 0; i < kPoints; ++i) {
        double rows[kTableOrders];
        reference::activation_derivatives(a, kTableOrders - 1, static_cast<double>(table_point(i)),
                                          rows);
        const long double exact = exact_value(a, k, i);
        largest = std::max(largest, std::abs(exact));
        error = std::max(error, std::abs(rows[k] - exact));
      }
      EXPECT_LE(error, 2 * static_cast<long double>(ulp_of<double>(largest)))
          << to_string(a) << " order " << k;
    }
  }
}

TEST(ActivationNames, RoundTrip) {
  for (const Activation a : all_activations()) EXPECT_EQ(parse_activation(to_string(a)), a);
  EXPECT_EQ(all_activations().size(), 15u);
}

TEST(ActivationNames, AnUnknownNameListsTheNamesAndTheNearest) {
  try {
    (void)parse_activation("tahn");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "unknown activation 'tahn'");
    EXPECT_NE(error.hint().find("did you mean 'tanh'"), std::string::npos) << error.hint();
    EXPECT_NE(error.hint().find("softplus"), std::string::npos);
  }
  EXPECT_THROW((void)parse_activation(""), Error);
}

TEST(ActivationArguments, MisuseIsAnError) {
  const double x[2] = {0, 1};
  double out[64];
  EXPECT_THROW(activation_derivatives(Activation::tanh, -1, x, 2, out, 2), Error);
  EXPECT_THROW(activation_derivatives(Activation::tanh, 13, x, 2, out, 2), Error);
  EXPECT_THROW(activation_derivatives(Activation::tanh, 1, x, 2, out, 1), Error);
  EXPECT_THROW(activation_derivatives(Activation::wavelet, 1, x, 2, out, 2), Error);
  EXPECT_NO_THROW(activation_derivatives(Activation::tanh, 0, x, 2, out, 0));
  EXPECT_NO_THROW(activation_derivatives(Activation::tanh, 3, x, 0, out, 0));
}

}  // namespace
}  // namespace cauchy::test_activation
