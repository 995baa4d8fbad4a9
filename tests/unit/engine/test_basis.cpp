// Block calls of the bases against the plain one-argument version, on every instruction set.
#include <cauchy/engine/basis.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/cpu.hpp>
#include <cauchy/base/error.hpp>

namespace cauchy::test_basis {
namespace {

struct NamedBasis {
  std::string name;
  std::shared_ptr<const Basis> basis;
  std::vector<double> special;  ///< arguments where something happens
};

std::vector<double> even_knots(double a, double h, int n) {
  std::vector<double> t;
  for (int i = 0; i < n; ++i) t.push_back(a + h * i);
  return t;
}

/// Knots are multiples of 1/8: the same numbers in float.
std::vector<NamedBasis> all_bases() {
  const std::vector<double> even = even_knots(-1.75, 0.25, 15);
  const std::vector<double> uneven{-1.5, -1, -0.875, -0.5, 0, 0.125, 0.25, 0.75, 1, 1.25, 1.5};
  const std::vector<double> repeated{-1, -1, -1, -1, -0.5, 0, 0, 0.25, 0.25, 0.25, 1, 1, 1, 1};
  std::vector<NamedBasis> bases{
      {"chebyshev(0)", chebyshev_basis(0), {-1, 1}},
      {"chebyshev(8)", chebyshev_basis(8), {-1, 1}},
      {"chebyshev(13)", chebyshev_basis(13), {-1, 1}},
      {"jacobi(7)", jacobi_basis(7, 0.5, 1.25), {-1, 1}},
      {"gaussian", gaussian_basis({-0.75, 0, 0.25, 1}, 0.375), {0, 0.25, 40, -40}},
  };
  for (const int degree : {0, 1, 2, 3, 5}) {
    bases.push_back({"even " + std::to_string(degree), bspline_basis(even, degree), even});
    bases.push_back({"uneven " + std::to_string(degree), bspline_basis(uneven, degree), uneven});
  }
  bases.push_back({"even 13", bspline_basis(even, 13), even});
  for (const int degree : {2, 3}) {
    bases.push_back(
        {"repeated " + std::to_string(degree), bspline_basis(repeated, degree), repeated});
  }
  return bases;
}

/// Special arguments, their neighbours, arguments outside the knots, and a grid of [-1, 1].
template <class T>
std::vector<T> arguments(const NamedBasis& b) {
  std::vector<T> x{T(-2.5), T(2.5), T(0)};
  for (const double s : b.special) {
    const auto t = static_cast<T>(s);
    for (const T y : {t, std::nextafter(t, T(-9)), std::nextafter(t, T(9))}) {
      if (b.name[0] != 'c' && b.name[0] != 'j') {
        x.push_back(y);
      } else if (std::abs(y) <= 1) {
        x.push_back(y);
      }
    }
  }
  for (int i = 0; i <= 40; ++i) x.push_back(static_cast<T>(i) / 20 - 1);
  if (b.name[0] == 'c' || b.name[0] == 'j') x.erase(x.begin(), x.begin() + 2);
  return x;
}

template <class T>
std::vector<T> block_call(const Basis& basis, const std::vector<T>& x, int order) {
  const std::size_t stride = x.size() + 3;
  const auto n_rows = static_cast<std::size_t>((order + 1) * basis.size());
  std::vector<T> out(n_rows * stride, T(-77));
  basis.derivatives(x.data(), x.size(), order, out.data(), stride);
  std::vector<T> result;
  for (std::size_t row = 0; row < n_rows; ++row) {
    for (std::size_t i = 0; i < stride; ++i) {
      if (i < x.size()) {
        result.push_back(out[row * stride + i]);
      } else {
        EXPECT_EQ(out[row * stride + i], T(-77)) << "wrote beyond the arguments";
      }
    }
  }
  return result;
}

template <class T>
void compare(const NamedBasis& b, int order) {
  SCOPED_TRACE(b.name + ", order " + std::to_string(order));
  const std::vector<T> x = arguments<T>(b);
  const auto size = static_cast<std::size_t>(b.basis->size());
  const auto n_orders = static_cast<std::size_t>(order) + 1;
  const std::vector<T> got = block_call(*b.basis, x, order);
  // want[i][k * size + j] in double, with one derivative more for the scale of rounding.
  std::vector<std::vector<double>> want;
  std::vector<double> scale(n_orders + 1, 0.0);
  for (const T xi : x) {
    want.emplace_back((n_orders + 1) * size);
    b.basis->derivatives(static_cast<double>(xi), order + 1, want.back().data());
    for (std::size_t r = 0; r < want.back().size(); ++r) {
      scale[r / size] = std::max(scale[r / size], std::abs(want.back()[r]));
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < n_orders; ++k) {
      for (std::size_t j = 0; j < size; ++j) {
        // Rounding of the argument, a knot or a centre (below 2) moves a derivative by eps times
        // the next one; the recurrences have at most size steps of a few roundings each.
        const double unit = 8 * std::numeric_limits<T>::epsilon();
        const double tolerance =
            unit * (static_cast<double>(size + n_orders) * scale[k] + 2 * scale[k + 1]);
        const double error = std::abs(static_cast<double>(got[(k * size + j) * x.size() + i]) -
                                      want[i][k * size + j]);
        ASSERT_LE(error, tolerance) << "x = " << x[i] << ", derivative " << k << ", function " << j;
      }
    }
  }
}

void on_every_target(const std::function<void()>& body) {
  for (const Target target : available_targets()) {
    force_target(target);
    SCOPED_TRACE(std::string(to_string(target)));
    body();
  }
  reset_target();
}

TEST(Basis, BlocksMatchThePlainVersion) {
  on_every_target([] {
    for (const NamedBasis& b : all_bases()) {
      for (const int order : {0, 1, 2, 3, 4, 6}) {
        compare<double>(b, order);
        compare<float>(b, order);
      }
    }
  });
}

TEST(Basis, AValueDependsOnItsArgumentOnly) {
  on_every_target([] {
    for (const NamedBasis& b : all_bases()) {
      SCOPED_TRACE(b.name);
      const std::vector<double> x = arguments<double>(b);
      const std::vector<double> all = block_call(*b.basis, x, 3);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::vector<double> one = block_call(*b.basis, std::vector<double>{x[i]}, 3);
        for (std::size_t r = 0; r < one.size(); ++r) ASSERT_EQ(one[r], all[r * x.size() + i]);
      }
    }
  });
}

TEST(Basis, SplinesAreZeroOutsideTheKnotsAndSumToOneInside) {
  const auto basis = bspline_basis(even_knots(-1.75, 0.25, 15), 3);
  const std::vector<double> x{-1.76, 1.76, -1e30, 1e30, -1, 0, 0.3, 0.99, 1};
  const std::vector<double> values = block_call(*basis, x, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(basis->size()); ++j) {
      sum += values[j * x.size() + i];
    }
    if (i < 4) {
      EXPECT_EQ(sum, 0) << x[i];
    } else {
      EXPECT_LT(std::abs(sum - 1), 32 * std::numeric_limits<double>::epsilon()) << x[i];
    }
  }
}

template <class T>
void expect_nothing_at_infinity(const NamedBasis& b) {
  SCOPED_TRACE(b.name);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> x{-infinity, 0, infinity};
  for (const int order : {0, 1, 3, 5}) {
    std::vector<T> plain(static_cast<std::size_t>((order + 1) * b.basis->size()));
    const std::vector<T> block = block_call(*b.basis, x, order);
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
      b.basis->derivatives(x[i], order, plain.data());
      for (std::size_t r = 0; r < plain.size(); ++r) {
        EXPECT_EQ(plain[r], 0) << "plain, x = " << x[i] << ", row " << r << " of order " << order;
        EXPECT_EQ(block[r * x.size() + i], 0) << "x = " << x[i] << ", row " << r;
      }
    }
  }
}

TEST(Basis, GaussiansAndSplinesVanishAtInfinityWithAllDerivatives) {
  on_every_target([] {
    for (const NamedBasis& b : all_bases()) {
      if (b.name[0] == 'c' || b.name[0] == 'j') continue;  // polynomials grow
      expect_nothing_at_infinity<double>(b);
      expect_nothing_at_infinity<float>(b);
    }
  });
}

TEST(Basis, NaNStaysNaNInTheSamePlacesAsInThePlainVersion) {
  on_every_target([] {
    for (const NamedBasis& b : all_bases()) {
      SCOPED_TRACE(b.name);
      const auto size = static_cast<std::size_t>(b.basis->size());
      const std::vector<double> x{0.25, std::numeric_limits<double>::quiet_NaN(), 0.5};
      const std::vector<double> got = block_call(*b.basis, x, 2);
      std::vector<double> want(3 * size);
      b.basis->derivatives(x[1], 2, want.data());
      for (std::size_t r = 0; r < want.size(); ++r) {
        EXPECT_EQ(std::isnan(got[r * 3 + 1]), std::isnan(want[r])) << r;
        EXPECT_FALSE(std::isnan(got[r * 3]));
        EXPECT_FALSE(std::isnan(got[r * 3 + 2]));
      }
    }
  });
}

TEST(Basis, RefusesOrdersAndStridesThatDoNotFit) {
  double x[2] = {0, 0.5}, out[200];
  const auto basis = chebyshev_basis(2);
  EXPECT_THROW(basis->derivatives(x[0], -1, out), Error);
  EXPECT_THROW(basis->derivatives(x[0], 32, out), Error);
  EXPECT_THROW(basis->derivatives(x, 2, 32, out, 2), Error);
  EXPECT_THROW(basis->derivatives(x, 2, -1, out, 2), Error);
  EXPECT_THROW(basis->derivatives(x, 2, 1, out, 1), Error);
  EXPECT_NO_THROW(basis->derivatives(x, 2, 31, out, 2));
  EXPECT_NO_THROW(basis->derivatives(x, 0, 0, out, 0));
  EXPECT_THROW((void)bspline_basis({0, 1}, 1), Error);
  EXPECT_THROW((void)bspline_basis({0, 0, 0, 0}, 1), Error);
  EXPECT_THROW((void)gaussian_basis({0}, 0), Error);
}

}  // namespace
}  // namespace cauchy::test_basis
