# OpenBLAS as its sequential flavour may not be called from two threads at once: its work space has no
# lock, and products come out wrong. The library calls it from every worker, so that flavour is refused.
include(CheckCXXSourceRuns)
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::openblas)
check_cxx_source_runs("
  #include <cblas.h>
  int main() { return openblas_get_parallel() == OPENBLAS_SEQUENTIAL ? 1 : 0; }
  " CAUCHY_OPENBLAS_HAS_LOCKS)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT CAUCHY_OPENBLAS_HAS_LOCKS AND NOT CMAKE_CROSSCOMPILING)
  unset(CAUCHY_OPENBLAS_HAS_LOCKS CACHE)
  message(FATAL_ERROR "The OpenBLAS that pkg-config names (${openblas_LIBRARY_DIRS}) is sequential and not "
    "safe with threads: install libopenblas-pthread-dev, or choose it with update-alternatives.")
endif()
