#include "math/serial_blas.hpp"

#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/math/blas.hpp>

namespace cauchy::test_serial_blas {
namespace {

TEST(SerialBlas, UsesOneThreadWhateverTheFlavour) {
  EXPECT_TRUE(detail::blas_is_serial);
  EXPECT_EQ(detail::blas_threads(), 1);
}

// The sequential flavour of OpenBLAS fails here: its callers share one work space without a lock.
TEST(SerialBlas, ProductsOfTwoCallersAtOnceAreRight) {
  constexpr std::size_t n = 33;
  constexpr int repeats = 20'000;
  std::array<int, 2> wrong = {0, 0};
  const auto multiply = [&](std::size_t caller) {
    Matrix a(n, n), b(n, n), c(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      b(i, n - 1 - i) = 1;
      for (std::size_t j = 0; j < n; ++j) a(i, j) = static_cast<double>(caller + i * n + j);
    }
    for (int repeat = 0; repeat < repeats; ++repeat) {
      gemm(Transpose::no, Transpose::no, 1.0, a, b, 0.0, c);
      bool same = true;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) same = same && c(i, j) == a(i, n - 1 - j);
      }
      wrong[caller] += same ? 0 : 1;
    }
  };
  std::thread other(multiply, 1);
  multiply(0);
  other.join();
  EXPECT_EQ(wrong[0], 0);
  EXPECT_EQ(wrong[1], 0);
}

}  // namespace
}  // namespace cauchy::test_serial_blas
