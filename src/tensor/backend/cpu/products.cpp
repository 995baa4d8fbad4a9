#include "tensor/backend/cpu/field_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/backend/cpu/products.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "tensor/backend/cpu/mode_products-inl.h"
#include "tensor/backend/cpu/products-inl.h"
#include "tensor/backend/cpu/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

/// A kernel of double has fewer channels in a vector, and gains little.
template <class T>
constexpr auto WinogradOrNull() {
  void (*made)(WinogradMatrix, const WinogradTiles<T>&) = nullptr;
  if constexpr (sizeof(T) == 4) made = Winograd<T>;
  return made;
}

template <class T>
const detail::ProductKernels<T>* ProductTable() {
  static const detail::ProductKernels<T> kernels{
      .lanes = hn::Lanes(hn::ScalableTag<T>()),
      .product = Product<T>,
      .product_transposed = ProductTransposed<T>,
      .mode_pieces = ModePieces<T>,
      .mode_pack = ModePack<T>,
      .mode_forward = ModeForward<T>,
      .mode_backward = ModeBackward<T>,
      .mode_keep = ModeKeep<T>,
      .mode_gradient = ModeGradient<T>,
      .winograd = WinogradOrNull<T>(),
  };
  return &kernels;
}

const detail::ProductKernels<float>* ProductTableF32() { return ProductTable<float>(); }
const detail::ProductKernels<double>* ProductTableF64() { return ProductTable<double>(); }

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {

HWY_EXPORT(ProductTableF32);
HWY_EXPORT(ProductTableF64);

namespace detail {

template <>
const ProductKernels<float>& product_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(ProductTableF32)();
}
template <>
const ProductKernels<double>& product_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(ProductTableF64)();
}

}  // namespace detail
}  // namespace cauchy
#endif  // HWY_ONCE
