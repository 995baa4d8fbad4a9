#pragma once

#include <cstddef>

/// Burgers residual and its adjoint as plain loops.
///   inputs   u, u_t, u_x, u_xx (and the seed); outputs the residual, or the four adjoints
template <class T>
struct HandLoops {
  using Loop = void (*)(std::size_t n, const T* const* in, T nu, T* const* out, double* sums);
  Loop residual, adjoint;
};

/// Compiled with the flags of the library.
template <class T>
HandLoops<T> plain_loops();
/// The same source, compiled for AVX-512 where the compiler can; else the plain loops.
template <class T>
HandLoops<T> avx512_loops();

/// Reads n values so that the compiler cannot drop the loads.
void touch(const float* x, std::size_t n);
void touch(const double* x, std::size_t n);
