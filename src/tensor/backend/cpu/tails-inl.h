// Vectors that are not full, for arrays without padding (Highway per-target header).
#if defined(CAUCHY_TENSOR_TAILS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_TENSOR_TAILS_INL_H_
#undef CAUCHY_TENSOR_TAILS_INL_H_
#else
#define CAUCHY_TENSOR_TAILS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The first n < Lanes(d) numbers at p, then zeros; nothing behind them is touched.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadSome(D d, const T* p, std::size_t n) {
#if HWY_TARGET <= HWY_AVX2  // masked loads do not fault
  return hn::MaskedLoad(hn::FirstN(d, n), d, p);
#else
  HWY_ALIGN T some[HWY_MAX_BYTES / sizeof(T)] = {};
  for (std::size_t i = 0; i < n; ++i) some[i] = p[i];
  return hn::Load(d, some);
#endif
}

/// Writes the first n < Lanes(d) numbers of v, nothing behind them.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE void StoreSome(D d, V v, std::size_t n, T* p) {
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(v, hn::FirstN(d, n), d, p);
#else
  HWY_ALIGN T some[HWY_MAX_BYTES / sizeof(T)] = {};
  hn::Store(v, d, some);
  for (std::size_t i = 0; i < n; ++i) p[i] = some[i];
#endif
}

/// body(load, store, i) for every vector of n numbers, the last one perhaps not full:
///   load(p) reads the vector of an array from number i on, store(v, p) writes it.
template <class T, class Body>
HWY_INLINE void ForEachVector(std::size_t n, const Body& body) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + L <= n; i += L) {
    body([&](const T* p) { return hn::LoadU(d, p + i); },
         [&](V v, T* p) { hn::StoreU(v, d, p + i); });
  }
  if (i < n) {
    body([&](const T* p) { return LoadSome(d, p + i, n - i); },
         [&](V v, T* p) { StoreSome(d, v, n - i, p + i); });
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
