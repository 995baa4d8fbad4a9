#include <cauchy/engine/activation.hpp>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

inline constexpr int kGenericOrder = -1;

/// Rows of derivatives for n points. `compute(d, x, rows)` fills rows[0..order]; the tail is padded
/// to a full vector, so that every element sees the same operations.
template <class F, class T>
HWY_INLINE void ForEachColumn(const F& compute, int order, const T* x, size_t n, T* out,
                              size_t stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const auto row = [stride](T* p, int k) { return p + static_cast<size_t>(k) * stride; };
  V rows[kMaxActivationOrder + 1];
  HWY_ALIGN T buffer[hn::MaxLanes(d)] = {};
  for (size_t i = 0; i < n; i += lanes) {
    const bool whole = i + lanes <= n;
    const size_t bytes = (n - i) * sizeof(T);  // of a last vector that is not whole
    if (!whole) std::memcpy(buffer, x + i, bytes);
    compute.Run(d, hn::LoadU(d, whole ? x + i : buffer), rows);
    for (int k = 0; k <= order; ++k) {
      if (whole) {
        hn::StoreU(rows[k], d, row(out, k) + i);
      } else {
        hn::Store(rows[k], d, buffer);
        std::memcpy(row(out, k) + i, buffer, bytes);
      }
    }
  }
}

template <Activation A, int K>
struct DerivativesOf {
  int order;
  template <class D, class V>
  HWY_INLINE void Run(D d, V x, V* rows) const {
    Derivatives<A>(d, x, K == kGenericOrder ? order : K, rows);
  }
};

template <class T>
struct WaveletOf {
  T a, b;
  int order;
  template <class D, class V>
  HWY_INLINE void Run(D d, V x, V* rows) const {
    WaveletDerivatives(d, x, hn::Set(d, a), hn::Set(d, b), order, rows);
  }
};

template <Activation A, int K, class T>
void RunFixed(int order, const T* x, size_t n, T* out, size_t stride) {
  ForEachColumn(DerivativesOf<A, K>{order}, K == kGenericOrder ? order : K, x, n, out, stride);
}

/// Values and slopes, which grids ask for, are unrolled; higher orders share a loop.
template <Activation A, class T>
void RunOrder(int order, const T* x, size_t n, T* out, size_t stride) {
  switch (order) {
    case 0:
      return RunFixed<A, 0>(order, x, n, out, stride);
    case 1:
      return RunFixed<A, 1>(order, x, n, out, stride);
    default:
      return RunFixed<A, kGenericOrder>(order, x, n, out, stride);
  }
}

template <class T>
void RunActivation(Activation a, int order, const T* x, size_t n, T* out, size_t stride) {
  switch (a) {
    case Activation::identity:
      return RunOrder<Activation::identity>(order, x, n, out, stride);
    case Activation::tanh:
      return RunOrder<Activation::tanh>(order, x, n, out, stride);
    case Activation::sin:
      return RunOrder<Activation::sin>(order, x, n, out, stride);
    case Activation::cos:
      return RunOrder<Activation::cos>(order, x, n, out, stride);
    case Activation::sigmoid:
      return RunOrder<Activation::sigmoid>(order, x, n, out, stride);
    case Activation::silu:
      return RunOrder<Activation::silu>(order, x, n, out, stride);
    case Activation::gelu:
      return RunOrder<Activation::gelu>(order, x, n, out, stride);
    case Activation::softplus:
      return RunOrder<Activation::softplus>(order, x, n, out, stride);
    case Activation::elu:
      return RunOrder<Activation::elu>(order, x, n, out, stride);
    case Activation::relu:
      return RunOrder<Activation::relu>(order, x, n, out, stride);
    case Activation::relu3:
      return RunOrder<Activation::relu3>(order, x, n, out, stride);
    case Activation::gaussian:
      return RunOrder<Activation::gaussian>(order, x, n, out, stride);
    case Activation::exp:
      return RunOrder<Activation::exp>(order, x, n, out, stride);
    case Activation::sqrt:
      return RunOrder<Activation::sqrt>(order, x, n, out, stride);
    case Activation::wavelet:
      return;  // refused by the caller
  }
}

void ActivationF32(Activation a, int order, const float* x, size_t n, float* out, size_t stride) {
  RunActivation(a, order, x, n, out, stride);
}
void ActivationF64(Activation a, int order, const double* x, size_t n, double* out, size_t stride) {
  RunActivation(a, order, x, n, out, stride);
}
void WaveletF32(float a, float b, int order, const float* x, size_t n, float* out, size_t stride) {
  ForEachColumn(WaveletOf<float>{a, b, order}, order, x, n, out, stride);
}
void WaveletF64(double a, double b, int order, const double* x, size_t n, double* out,
                size_t stride) {
  ForEachColumn(WaveletOf<double>{a, b, order}, order, x, n, out, stride);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <type_traits>

namespace cauchy {

HWY_EXPORT(ActivationF32);
HWY_EXPORT(ActivationF64);
HWY_EXPORT(WaveletF32);
HWY_EXPORT(WaveletF64);

namespace {

constexpr std::string_view kPlace = "[engine.activation]";

void check_rows(int order, std::size_t n, std::size_t out_stride) {
  if (order < 0 || order > kMaxActivationOrder) {
    throw Error(fmt::format("derivative order must be 0 to {}, got {}", kMaxActivationOrder, order),
                kPlace);
  }
  if (order > 0 && out_stride < n) {
    throw Error(fmt::format("row stride {} is shorter than the {} points", out_stride, n), kPlace);
  }
}

}  // namespace

template <class T>
void activation_derivatives(Activation activation, int order, const T* x, std::size_t n, T* out,
                            std::size_t out_stride) {
  check_rows(order, n, out_stride);
  if (activation == Activation::wavelet) {
    throw Error("the wavelet activation has parameters", kPlace, "use wavelet_derivatives");
  }
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(ActivationF32)(activation, order, x, n, out, out_stride);
  } else {
    HWY_DYNAMIC_DISPATCH(ActivationF64)(activation, order, x, n, out, out_stride);
  }
}

template <class T>
void wavelet_derivatives(T a, T b, int order, const T* x, std::size_t n, T* out,
                         std::size_t out_stride, T* d_da, T* d_db) {
  check_rows(order, n, out_stride);
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(WaveletF32)(a, b, order, x, n, out, out_stride);
  } else {
    HWY_DYNAMIC_DISPATCH(WaveletF64)(a, b, order, x, n, out, out_stride);
  }
  if (d_da != nullptr) activation_derivatives(Activation::sin, order, x, n, d_da, out_stride);
  if (d_db != nullptr) activation_derivatives(Activation::cos, order, x, n, d_db, out_stride);
}

template void activation_derivatives(Activation, int, const float*, std::size_t, float*,
                                     std::size_t);
template void activation_derivatives(Activation, int, const double*, std::size_t, double*,
                                     std::size_t);
template void wavelet_derivatives(float, float, int, const float*, std::size_t, float*, std::size_t,
                                  float*, float*);
template void wavelet_derivatives(double, double, int, const double*, std::size_t, double*,
                                  std::size_t, double*, double*);

}  // namespace cauchy
#endif  // HWY_ONCE
