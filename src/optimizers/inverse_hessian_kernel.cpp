#include "optimizers/inverse_hessian_kernel.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optimizers/inverse_hessian_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using detail::strip_rows;
using detail::SymmetricPass;
using detail::tile_columns;

/// Strip t: rows i = 4t + r, with broadcast s_i, w_i, x_i against vectors p, q, x of the columns.
template <bool kUpdate>
HWY_INLINE void RunStrip(const SymmetricPass& a, size_t t) {
  const hn::CappedTag<double, tile_columns> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(d), kParts = tile_columns / kLanes;
  const size_t row = strip_rows * t, full = t / 2;
  double* HWY_RESTRICT m = a.matrix + detail::strip_offset(t);
  double* HWY_RESTRICT product = a.product;
  V sum[strip_rows][kParts];
  for (auto& of_row : sum) {
    for (V& v : of_row) v = hn::Zero(d);
  }
  const V scale = hn::Set(d, kUpdate ? a.scale : 1.0);
  V s[strip_rows], w[strip_rows], x[strip_rows];
  for (size_t r = 0; r < strip_rows; ++r) {
    s[r] = hn::Set(d, kUpdate ? a.s[row + r] : 0.0);
    w[r] = hn::Set(d, kUpdate ? a.w[row + r] : 0.0);
    x[r] = hn::Set(d, a.x[row + r]);
  }
  for (size_t k = 0; k < full; ++k, m += strip_rows * tile_columns) {
    for (size_t part = 0; part < kParts; ++part) {
      const size_t j = tile_columns * k + kLanes * part;
      const V xj = hn::Load(d, a.x + j);
      V pj = hn::Zero(d), qj = hn::Zero(d);
      if constexpr (kUpdate) {
        pj = hn::Load(d, a.p + j);
        qj = hn::Load(d, a.q + j);
      }
      V column = hn::Load(d, product + j);
      for (size_t r = 0; r < strip_rows; ++r) {
        double* at = m + tile_columns * r + kLanes * part;
        V v = hn::Load(d, at);
        if constexpr (kUpdate) {
          v = hn::Add(hn::Mul(scale, v), hn::Add(hn::Mul(s[r], pj), hn::Mul(w[r], qj)));
          hn::Store(v, d, at);
        }
        sum[r][part] = hn::Add(sum[r][part], hn::Mul(v, xj));
        column = hn::Add(column, hn::Mul(v, x[r]));
      }
      hn::Store(column, d, product + j);
    }
  }
  // The tile with the diagonal, entry by entry.
  for (size_t r = 0; r < strip_rows; ++r) {
    HWY_ALIGN double lane[tile_columns];
    for (size_t part = 0; part < kParts; ++part) hn::Store(sum[r][part], d, lane + kLanes * part);
    double total =
        ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    const size_t i = row + r;
    for (size_t j = tile_columns * full; j <= i; ++j) {
      double& entry = m[tile_columns * r + j - tile_columns * full];
      if constexpr (kUpdate) {
        entry = detail::updated_entry(entry, a.scale, a.s[i], a.p[j], a.w[i], a.q[j]);
      }
      total += entry * a.x[j];
      if (j < i) product[j] += entry * a.x[i];
    }
    product[i] += total;
  }
}

void RunPass(const SymmetricPass& a) {
  const size_t columns = (strip_rows * a.last + tile_columns - 1) / tile_columns * tile_columns;
  std::fill_n(a.product, columns, 0.0);
  for (size_t t = a.first; t < a.last; ++t) {
    if (a.update) {
      RunStrip<true>(a, t);
    } else {
      RunStrip<false>(a, t);
    }
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {

HWY_EXPORT(RunPass);

void detail::run_symmetric_pass(const SymmetricPass& pass) { HWY_DYNAMIC_DISPATCH(RunPass)(pass); }

}  // namespace cauchy
#endif
