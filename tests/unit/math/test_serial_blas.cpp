#include "math/serial_blas.hpp"

#include <gtest/gtest.h>

namespace cauchy::test_serial_blas {
namespace {

TEST(SerialBlas, UsesOneThreadWhateverTheFlavour) {
  EXPECT_TRUE(detail::blas_is_serial);
  EXPECT_EQ(detail::blas_threads(), 1);
}

}  // namespace
}  // namespace cauchy::test_serial_blas
