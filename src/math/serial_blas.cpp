#include "math/serial_blas.hpp"

#include <cblas.h>

namespace cauchy::detail {

bool make_blas_serial() noexcept {
  if (openblas_get_parallel() != OPENBLAS_SEQUENTIAL) openblas_set_num_threads(1);
  return true;
}

int blas_threads() noexcept { return openblas_get_num_threads(); }

}  // namespace cauchy::detail
