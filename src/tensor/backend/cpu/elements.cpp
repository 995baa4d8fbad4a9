#include "tensor/backend/cpu/field_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/backend/cpu/elements.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "tensor/backend/cpu/columns-inl.h"
#include "tensor/backend/cpu/elements-inl.h"
#include "tensor/backend/cpu/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

template <class T>
const detail::ElementKernels<T>* ElementTable() {
  static const detail::ElementKernels<T> kernels{
      .activate = Activate<T>,
      .binary = Binary<T>,
      .scale = ScaleNumbers<T>,
      .add = AddNumbers<T>,
      .axpy = AddMultiple<T>,
      .multiply_add = AddProduct<T>,
      .absolute = Absolute<T>,
      .absolute_backward = AbsoluteBackward<T>,
      .soft_shrink = SoftShrink<T>,
      .soft_shrink_backward = SoftShrinkBackward<T>,
      .sum = SumNumbers<T>,
      .dot = DotNumbers<T>,
      .squares = SquaresOf<T>,
      .turn = Turn<T>,
      .center = Center<T>,
      .center_backward = CenterBackward<T>,
      .normalize_columns = NormalizeColumns<T>,
      .normalize_columns_backward = NormalizeColumnsBackward<T>,
      .take_lines = TakeLines<T>,
      .give_lines = GiveLines<T>,
      .softmax = Softmax<T>,
      .softmax_again = SoftmaxAgain<T>,
      .softmax_backward = SoftmaxBackward<T>,
      .fold_rows = FoldRows<T>,
      .unfold_rows = UnfoldRows<T>,
      .fold_columns = FoldColumns<T>,
      .unfold_columns = UnfoldColumns<T>,
      .join_modes = JoinModes<T>,
      .split_modes = SplitModes<T>,
  };
  return &kernels;
}

const detail::ElementKernels<float>* ElementTableF32() { return ElementTable<float>(); }
const detail::ElementKernels<double>* ElementTableF64() { return ElementTable<double>(); }

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {

HWY_EXPORT(ElementTableF32);
HWY_EXPORT(ElementTableF64);

namespace detail {

template <>
const ElementKernels<float>& element_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(ElementTableF32)();
}
template <>
const ElementKernels<double>& element_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(ElementTableF64)();
}

}  // namespace detail
}  // namespace cauchy
#endif  // HWY_ONCE
