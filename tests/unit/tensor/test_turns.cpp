#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/cpu.hpp>

#include "tensor/backend/cpu/field_kernels.hpp"

namespace cauchy::detail::test_turns {
namespace {

/// Every number that is not to be read is NaN, every number that is not to be written stays -1.
template <class T>
void turn_all_sizes() {
  const std::size_t most = 37;
  const T no_number = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t rows = 1; rows <= most; rows += 3) {
    for (std::size_t columns = 1; columns <= most; columns += 4) {
      const std::size_t from_stride = columns + 3, to_stride = rows + 2;
      std::vector<T> from(rows * from_stride, no_number), first(columns);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) from[r * from_stride + c] = T(100 * r + c);
      }
      for (std::size_t c = 0; c < columns; ++c) first[c] = T(10'000 * c);
      for (const bool adds : {false, true}) {
        for (const bool begins : {false, true}) {
          std::vector<T> to(columns * to_stride, T(-1));
          element_kernels<T>().turn({rows, columns, from.data(), from_stride, to.data(), to_stride,
                                     begins ? first.data() : nullptr, adds});
          for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t r = 0; r < to_stride; ++r) {
              const T turned = T(100 * r + c) + (begins ? first[c] : T(0)) + (adds ? T(-1) : T(0));
              ASSERT_EQ(to[c * to_stride + r], r < rows ? turned : T(-1))
                  << rows << " x " << columns << ", row " << r << ", column " << c;
            }
          }
        }
      }
    }
  }
}

TEST(Turns, rows_become_columns_for_any_size_on_every_instruction_set) {
  for (const Target target : available_targets()) {
    force_target(target);
    turn_all_sizes<float>();
    turn_all_sizes<double>();
  }
  reset_target();
}

}  // namespace
}  // namespace cauchy::detail::test_turns
