// The vector kernels of the FFT, compiled once per instruction set and chosen at run time.
#include "math/fft/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/fft/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/fft/kernels-inl.hpp"

#if HWY_ONCE
namespace cauchy::detail {

HWY_EXPORT(pass_float);
HWY_EXPORT(pass_double);
HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);
HWY_EXPORT(real_split_float);
HWY_EXPORT(real_split_double);
HWY_EXPORT(real_merge_float);
HWY_EXPORT(real_merge_double);

void fft_pass(const FftStage<float>& stage, const FftRows<float>& in, const FftRows<float>& out,
              std::size_t lanes, float scale) {
  HWY_DYNAMIC_DISPATCH(pass_float)(stage, in, out, lanes, scale);
}
void fft_pass(const FftStage<double>& stage, const FftRows<double>& in, const FftRows<double>& out,
              std::size_t lanes, double scale) {
  HWY_DYNAMIC_DISPATCH(pass_double)(stage, in, out, lanes, scale);
}

void fft_multiply(float* xr, float* xi, const float* br, const float* bi, std::size_t n,
                  std::size_t lanes) {
  HWY_DYNAMIC_DISPATCH(multiply_float)(xr, xi, br, bi, n, lanes);
}
void fft_multiply(double* xr, double* xi, const double* br, const double* bi, std::size_t n,
                  std::size_t lanes) {
  HWY_DYNAMIC_DISPATCH(multiply_double)(xr, xi, br, bi, n, lanes);
}

void fft_real_split(const float* zr, const float* zi, std::size_t h, const float* wr,
                    const float* wi, float* out) {
  HWY_DYNAMIC_DISPATCH(real_split_float)(zr, zi, h, wr, wi, out);
}
void fft_real_split(const double* zr, const double* zi, std::size_t h, const double* wr,
                    const double* wi, double* out) {
  HWY_DYNAMIC_DISPATCH(real_split_double)(zr, zi, h, wr, wi, out);
}

void fft_real_merge(const float* in, std::size_t h, const float* wr, const float* wi, float* zr,
                    float* zi) {
  HWY_DYNAMIC_DISPATCH(real_merge_float)(in, h, wr, wi, zr, zi);
}
void fft_real_merge(const double* in, std::size_t h, const double* wr, const double* wi, double* zr,
                    double* zi) {
  HWY_DYNAMIC_DISPATCH(real_merge_double)(in, h, wr, wi, zr, zi);
}

std::size_t fft_target_count() { return hwy::SupportedAndGeneratedTargets().size(); }

void fft_choose_target(std::size_t index) {
  hwy::SetSupportedTargetsForTest(0);
  const auto targets = hwy::SupportedAndGeneratedTargets();
  if (index < targets.size()) hwy::SetSupportedTargetsForTest(targets[index]);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace cauchy::detail
#endif  // HWY_ONCE
