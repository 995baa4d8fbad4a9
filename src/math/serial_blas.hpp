#pragma once

// Every file that calls BLAS or LAPACK includes this.

namespace cauchy::detail {

/// Tells OpenBLAS to use one thread, for the whole process; true. The serial flavour has no other.
/// A threaded one splits sums by the number of threads: the bits would depend on the machine, and
/// its threads would compete with ours, which may be the callers.
bool make_blas_serial() noexcept;

/// Threads that OpenBLAS uses: 1, unless the program has changed it since.
[[nodiscard]] int blas_threads() noexcept;

/// Done before main(), or when the library is loaded: setting it at a call would race with others.
inline const bool blas_is_serial = make_blas_serial();

}  // namespace cauchy::detail
