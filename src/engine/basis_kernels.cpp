#include "engine/basis_kernels.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/basis_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "engine/activation-inl.h"
#include "engine/basis_splines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// now, before <- next, now. With a compile-time order K the columns stay in registers.
template <int K, class D, class V, class T>
HWY_INLINE void RecurrenceStep(D d, V x, const typename detail::Recurrence<T>::Step& step,
                               int order, const V* now, V* before) {
  const V factor = hn::MulAdd(hn::Set(d, step.a), x, hn::Set(d, step.b));
  const V c = hn::Set(d, step.c);
  for (int k = K < 0 ? order : K; k > 0; --k) {
    const V slope = hn::Mul(hn::Set(d, static_cast<T>(k) * step.a), now[k - 1]);
    before[k] = hn::NegMulAdd(c, before[k], hn::MulAdd(factor, now[k], slope));
  }
  before[0] = hn::NegMulAdd(c, before[0], hn::Mul(factor, now[0]));
}

template <int K, class T>
void PolynomialsOf(const detail::Recurrence<T>& family, const detail::BasisBlock<T>& b) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t size = family.steps.size() + 1;
  const int order = K < 0 ? b.order : K;
  ForEachVector(d, b, [&](V x, std::size_t i, std::size_t count) {
    V even[(K < 0 ? detail::max_basis_derivative : K) + 1];
    V odd[(K < 0 ? detail::max_basis_derivative : K) + 1];
    const auto store = [&](const V* column, std::size_t j) {
      for (int k = 0; k <= order; ++k) {
        StoreFirst(d, column[k], b.out + (static_cast<std::size_t>(k) * size + j) * b.stride + i,
                   count);
      }
    };
    for (int k = 0; k <= order; ++k) even[k] = odd[k] = hn::Zero(d);
    even[0] = hn::Set(d, T(1));
    store(even, 0);
    for (std::size_t j = 1; j < size; j += 2) {
      RecurrenceStep<K, decltype(d), V, T>(d, x, family.steps[j - 1], order, even, odd);
      store(odd, j);
      if (j + 1 == size) break;
      RecurrenceStep<K, decltype(d), V, T>(d, x, family.steps[j], order, odd, even);
      store(even, j + 1);
    }
  });
}

template <int K, class T>
void GaussiansOf(const detail::Gaussians<T>& family, const detail::BasisBlock<T>& b) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t size = family.centres.size();
  const int order = K < 0 ? b.order : K;
  T powers[(K < 0 ? detail::max_basis_derivative : K) + 1];
  powers[0] = 1;
  for (int k = 1; k <= order; ++k) powers[k] = powers[k - 1] * family.inverse_width;
  constexpr T kLimit = ActivationLimits<T>::gaussian;
  ForEachVector(d, b, [&](V x, std::size_t i, std::size_t count) {
    V rows[(K < 0 ? detail::max_basis_derivative : K) + 1];
    for (std::size_t j = 0; j < size; ++j) {
      const V z =
          hn::Mul(hn::Sub(x, hn::Set(d, family.centres[j])), hn::Set(d, family.inverse_width));
      const V zc = AtMost(d, AtLeast(d, z, -kLimit), kLimit);
      HermiteRows(d, zc, ExpNonPositive(d, hn::Neg(hn::Mul(zc, zc))), T(2), order, rows);
      for (int k = 0; k <= order; ++k) {
        StoreFirst(d, k == 0 ? rows[0] : hn::Mul(hn::Set(d, powers[k]), rows[k]),
                   b.out + (static_cast<std::size_t>(k) * size + j) * b.stride + i, count);
      }
    }
  });
}

/// body.template operator()<K>() with the order of the block, -1 beyond 3: value, slopes and the
/// second derivatives that most problems have, and one more for adjoints, are unrolled.
template <class Body>
void WithOrder(int order, const Body& body) {
#ifndef __SANITIZE_ADDRESS__
  switch (order) {
    case 0:
      return body.template operator()<0>();
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 3:
      return body.template operator()<3>();
    default:
      break;
  }
#endif
  body.template operator()<-1>();
}

template <class T>
void Polynomials(const detail::Recurrence<T>& family, const detail::BasisBlock<T>& block) {
  WithOrder(block.order, [&]<int K>() { PolynomialsOf<K>(family, block); });
}

template <class T>
void GaussianFunctions(const detail::Gaussians<T>& family, const detail::BasisBlock<T>& block) {
  WithOrder(block.order, [&]<int K>() { GaussiansOf<K>(family, block); });
}

template <class T>
const detail::BasisKernels<T>* BasisTable() {
  static const detail::BasisKernels<T> kernels{
      .polynomials = Polynomials<T>,
      .splines = SplineFunctions<T>,
      .gaussians = GaussianFunctions<T>,
  };
  return &kernels;
}

const detail::BasisKernels<float>* BasisTableF32() { return BasisTable<float>(); }
const detail::BasisKernels<double>* BasisTableF64() { return BasisTable<double>(); }

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {

HWY_EXPORT(BasisTableF32);
HWY_EXPORT(BasisTableF64);

namespace detail {

template <>
const BasisKernels<float>& basis_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(BasisTableF32)();
}
template <>
const BasisKernels<double>& basis_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(BasisTableF64)();
}

}  // namespace detail
}  // namespace cauchy
#endif  // HWY_ONCE
