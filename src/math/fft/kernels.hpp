#pragma once

#include <cstddef>

namespace cauchy::detail {

/// Rows of complex numbers: element `lane` of row `j` sits at j * stride + lane.
///   split        re and im are two arrays of T
///   interleaved  re points to pairs (re, im), im is unused, stride counts pairs
///   swap         real and imaginary part trade places: a forward transform of swapped rows,
///                stored swapped, is the inverse transform without its factor 1/n
template <class T>
struct FftRows {
  T* re = nullptr;
  T* im = nullptr;
  std::size_t stride = 1;
  bool interleaved = false;
  bool swap = false;
};

/// One Stockham pass of a transform of length radix * m * su:
///   out[u + su (radix p + k)] = w^(p k) sum_j in[u + su (p + m j)] exp(-2 pi i j k / radix)
/// with w = exp(-2 pi i / (radix m)), p < m, u < su. Radix 1 copies su rows.
///   twiddle_re/im  w^(p k) at [(k - 1) m + p], unused for m = 1
///   root_re/im     cos and sin of 2 pi j / radix, j < radix, for odd radices
template <class T>
struct FftStage {
  std::size_t radix = 1, m = 1, su = 1;
  const T* twiddle_re = nullptr;
  const T* twiddle_im = nullptr;
  const T* root_re = nullptr;
  const T* root_im = nullptr;
};

/// Largest radix a pass accepts; every odd number up to it, and 1, 2, 4, 8.
inline constexpr std::size_t fft_max_radix = 31;

/// Runs one pass over `lanes` columns on the best instruction set of the running processor. Every
/// element sees the same operations in the same order on all of them (no fused multiply-add), so
/// the bits agree. in and out must not overlap; only interleaved output is multiplied by scale, and
/// only a last pass (m = 1) may write it.
void fft_pass(const FftStage<float>& stage, const FftRows<float>& in, const FftRows<float>& out,
              std::size_t lanes, float scale);
void fft_pass(const FftStage<double>& stage, const FftRows<double>& in, const FftRows<double>& out,
              std::size_t lanes, double scale);

/// x[j, lane] *= b[j] for j < n; x is split with stride = lanes.
void fft_multiply(float* xr, float* xi, const float* br, const float* bi, std::size_t n,
                  std::size_t lanes);
void fft_multiply(double* xr, double* xi, const double* br, const double* bi, std::size_t n,
                  std::size_t lanes);

/// X[0..h] of a real row of 2h numbers from z = DFT_h of its pairs; w[k] = exp(-2 pi i k / 2h).
void fft_real_split(const float* zr, const float* zi, std::size_t h, const float* wr,
                    const float* wi, float* out);
void fft_real_split(const double* zr, const double* zi, std::size_t h, const double* wr,
                    const double* wi, double* out);

/// The inverse of fft_real_split: z[0..h-1] from X[0..h]; imaginary parts of X[0], X[h] are
/// ignored.
void fft_real_merge(const float* in, std::size_t h, const float* wr, const float* wi, float* zr,
                    float* zi);
void fft_real_merge(const double* in, std::size_t h, const double* wr, const double* wi, double* zr,
                    double* zi);

/// For tests of this file only: how many instruction sets this processor can run, and a switch for
/// the whole process to one of them (an index out of range goes back to the best). Not thread-safe.
[[nodiscard]] std::size_t fft_target_count();
void fft_choose_target(std::size_t index);

}  // namespace cauchy::detail
