#include "engine/backend/cpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backend/cpu/kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "engine/backend/cpu/basis-inl.h"
#include "engine/backend/cpu/gemm-inl.h"
#include "engine/backend/cpu/jet-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <Activation A, class T>
void ForwardOf(const JetTables<T>& tables, std::size_t rows, std::size_t B, std::size_t ld,
               const T* z, T* h) {
  if (tables.order <= 2) {
    ActivationForward2<A>(tables, rows, B, ld, z, h);
  } else {
    ActivationForwardN<A>(tables, rows, B, ld, z, h);
  }
}

template <Activation A, class T>
void BackwardOf(const JetTables<T>& tables, std::size_t rows, std::size_t B, std::size_t ld,
                const T* z, const T* h, const T* h_bar, T* z_bar, bool accumulate) {
  if (tables.order > 2) {
    ActivationBackwardN<A>(tables, rows, B, ld, z, h, h_bar, z_bar, accumulate);
  } else if (accumulate) {
    ActivationBackward2<A, true>(tables, rows, B, ld, z, h, h_bar, z_bar);
  } else {
    ActivationBackward2<A, false>(tables, rows, B, ld, z, h, h_bar, z_bar);
  }
}

template <class T>
void ActivationForward(const JetTables<T>& tables, Activation a, std::size_t rows, std::size_t B,
                       std::size_t ld, const T* z, T* h) {
  WithActivation(a, [&]<Activation A>() { ForwardOf<A>(tables, rows, B, ld, z, h); });
}

template <class T>
void ActivationBackward(const JetTables<T>& tables, Activation a, std::size_t rows, std::size_t B,
                        std::size_t ld, const T* z, const T* h, const T* h_bar, T* z_bar,
                        bool accumulate) {
  WithActivation(a, [&]<Activation A>() {
    BackwardOf<A>(tables, rows, B, ld, z, h, h_bar, z_bar, accumulate);
  });
}

template <class T>
void Scale(std::size_t n, T a, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, a);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    hn::StoreU(hn::Mul(factor, hn::LoadU(d, x + i)), d, y + i);
  }
}

template <class T>
void Axpy(std::size_t n, T a, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, a);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
  }
}

template <class T>
void MultiplyAdd(std::size_t n, const T* x, const T* w, T* y) {
  const hn::ScalableTag<T> d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, w + i), hn::LoadU(d, y + i)), d, y + i);
  }
}

template <class T>
T Dot(std::size_t n, const T* x, const T* y) {
  const hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    sum = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <class T>
T Sum(std::size_t n, const T* x) {
  const hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) sum = hn::Add(sum, hn::LoadU(d, x + i));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <class T>
void AffineRow(std::size_t B, std::size_t n_inputs, const T* w, T b, const T* x, std::size_t stride,
               T* z) {
  const hn::ScalableTag<T> d;
  for (std::size_t p = 0; p < B; p += hn::Lanes(d)) {
    auto sum = hn::Set(d, b);
    for (std::size_t i = 0; i < n_inputs; ++i) {
      sum = hn::MulAdd(hn::Set(d, w[i]), hn::LoadU(d, x + i * stride + p), sum);
    }
    hn::StoreU(sum, d, z + p);
  }
}

template <class T>
const CpuKernels<T>* Kernels() {
  static const CpuKernels<T> kernels{
      .lanes = hn::Lanes(hn::ScalableTag<T>()),
      .gemm = Gemm<T>,
      .gemm_dot = GemmDot<T>,
      .activation_forward = ActivationForward<T>,
      .activation_backward = ActivationBackward<T>,
      .product_forward = ProductForward<T>,
      .product_backward = ProductBackward<T>,
      .divide_forward = DivideForward<T>,
      .divide_backward = DivideBackward<T>,
      .basis_forward = BasisForward<T>,
      .basis_backward = BasisBackward<T>,
      .scale = Scale<T>,
      .axpy = Axpy<T>,
      .multiply_add = MultiplyAdd<T>,
      .dot = Dot<T>,
      .sum = Sum<T>,
      .affine_row = AffineRow<T>,
  };
  return &kernels;
}

const CpuKernels<float>* KernelsF32() { return Kernels<float>(); }
const CpuKernels<double>* KernelsF64() { return Kernels<double>(); }

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {

HWY_EXPORT(KernelsF32);
HWY_EXPORT(KernelsF64);

template <>
const CpuKernels<float>& cpu_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(KernelsF32)();
}
template <>
const CpuKernels<double>& cpu_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(KernelsF64)();
}

}  // namespace cauchy
#endif  // HWY_ONCE
