// Jets through a basis, for one instruction set. One row z becomes h_j = phi_j(z), j < size; with
// P_ck the sum of the terms of component c with k factors (P_c1 = z_c), which all j share:
//   forward   h_jc  = sum_k phi_j^(k) P_ck
//   backward  A_ck  = sum_j h_jc~ phi_j^(k)
//             z_0~  = sum_ck A_c,k+1 P_ck,  z_f~ += A_ck dP_ck/dz_f
#if defined(CAUCHY_ENGINE_CPU_BASIS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_ENGINE_CPU_BASIS_INL_H_
#undef CAUCHY_ENGINE_CPU_BASIS_INL_H_
#else
#define CAUCHY_ENGINE_CPU_BASIS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "engine/backend/cpu/kernels.hpp"
#include "engine/backend/jet_tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// work[(groups_begin[c] + k - 1) * L ...] = P_ck for the vector of points at z.
template <class D, class T>
HWY_INLINE void BasisProducts(D d, const JetTables<T>& tables, std::size_t B, const T* z, T* work) {
  using V = hn::Vec<D>;
  const std::size_t L = hn::Lanes(d);
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  for (int c = 1; c < tables.n_components; ++c) {
    const auto ci = static_cast<std::size_t>(c);
    T* P = work + static_cast<std::size_t>(tables.groups_begin[ci]) * L;
    hn::StoreU(hn::LoadU(d, z + at(c)), d, P);
    for (int k = 2; k <= tables.orders[ci]; ++k) {
      hn::StoreU(hn::Zero(d), d, P + static_cast<std::size_t>(k - 1) * L);
    }
    for (int t = tables.terms_begin[ci]; t < tables.terms_begin[ci + 1]; ++t) {
      const auto& term = tables.terms[static_cast<std::size_t>(t)];
      V product = hn::Set(d, term.coefficient);
      for (int i = 0; i + 1 < term.order; ++i) {
        product = hn::Mul(product, hn::LoadU(d, z + at(term.factors[i])));
      }
      T* sum = P + static_cast<std::size_t>(term.order - 1) * L;
      const V last = hn::LoadU(d, z + at(term.factors[term.order - 1]));
      hn::StoreU(hn::MulAdd(product, last, hn::LoadU(d, sum)), d, sum);
    }
  }
}

/// h_jc = sum_k phi_j^(k) P_ck for all j of one component and vector of points, k = 1 ... n (K: the
/// same at compile time, or 0).
template <int K, class D, class T>
HWY_INLINE void BasisComponent(D d, const BasisRows<T>& rows, int n, std::size_t p, const T* P,
                               T* out) {
  using V = hn::Vec<D>;
  const int count = K > 0 ? K : n;
  const std::size_t L = hn::Lanes(d), order = rows.size * rows.n;
  V products[K > 0 ? K : JetSpec::max_order + 1];
  for (int k = 0; k < count; ++k) {
    products[k] = hn::LoadU(d, P + static_cast<std::size_t>(k) * L);
  }
  const T* s = rows.derivatives + order + p;
  for (std::size_t j = 0; j < rows.size; ++j, s += rows.n, out += rows.ld) {
    V sum = hn::Mul(hn::LoadU(d, s), products[0]);
    for (int k = 1; k < count; ++k) {
      sum = hn::MulAdd(hn::LoadU(d, s + static_cast<std::size_t>(k) * order), products[k], sum);
    }
    hn::StoreU(sum, d, out);
  }
}

template <class T>
void BasisForward(const JetTables<T>& tables, const BasisRows<T>& rows, const T* z, T* h) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d), B = rows.block;
  for (std::size_t p = 0; p < rows.n; p += L) {
    BasisProducts(d, tables, B, z + p, rows.work);
    for (std::size_t j = 0; j < rows.size; ++j) {
      hn::StoreU(hn::LoadU(d, rows.derivatives + j * rows.n + p), d, h + j * rows.ld + p);
    }
    for (int c = 1; c < tables.n_components; ++c) {
      const auto ci = static_cast<std::size_t>(c);
      const int order = tables.orders[ci];
      const T* P = rows.work + static_cast<std::size_t>(tables.groups_begin[ci]) * L;
      T* out = h + ci * B + p;
      if (order == 1) {
        BasisComponent<1>(d, rows, 1, p, P, out);
      } else if (order == 2) {
        BasisComponent<2>(d, rows, 2, p, P, out);
      } else {
        BasisComponent<0>(d, rows, order, p, P, out);
      }
    }
  }
}

/// sums[k] = A_c,k+1 for k < n (K: the same at compile time, or 0), h_bar at component c.
template <int K, class D, class T, class V>
HWY_INLINE void BasisSums(D d, const BasisRows<T>& rows, int n, std::size_t p, const T* h_bar,
                          V* sums) {
  const int count = K > 0 ? K : n;
  const std::size_t order = rows.size * rows.n;
  for (int k = 0; k < count; ++k) sums[k] = hn::Zero(d);
  const T* s = rows.derivatives + order + p;
  for (std::size_t j = 0; j < rows.size; ++j, s += rows.n) {
    const V bar = hn::LoadU(d, h_bar + j * rows.ld + p);
    for (int k = 0; k < count; ++k) {
      sums[k] = hn::MulAdd(bar, hn::LoadU(d, s + static_cast<std::size_t>(k) * order), sums[k]);
    }
  }
}

template <class T>
void BasisBackward(const JetTables<T>& tables, const BasisRows<T>& rows, const T* z, const T* h_bar,
                   T* z_bar, bool accumulate) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d), B = rows.block;
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  const auto add_to = [&d](T* target, V v) {
    hn::StoreU(hn::Add(hn::LoadU(d, target), v), d, target);
  };
  for (std::size_t p = 0; p < rows.n; p += L) {
    BasisProducts(d, tables, B, z + p, rows.work);
    V A[JetSpec::max_order + 2];
    BasisSums<1>(d, rows, 1, p, h_bar, A);
    V value = A[0];
    if (accumulate) value = hn::Add(value, hn::LoadU(d, z_bar + p));
    for (int c = 1; c < tables.n_components; ++c) {
      const auto ci = static_cast<std::size_t>(c);
      const int order = tables.orders[ci];
      const T* P = rows.work + static_cast<std::size_t>(tables.groups_begin[ci]) * L;
      if (order == 1) {
        BasisSums<2>(d, rows, 2, p, h_bar + at(c), A);
      } else if (order == 2) {
        BasisSums<3>(d, rows, 3, p, h_bar + at(c), A);
      } else {
        BasisSums<0>(d, rows, order + 1, p, h_bar + at(c), A);
      }
      for (int k = 1; k <= order; ++k) {
        value = hn::MulAdd(A[k], hn::LoadU(d, P + static_cast<std::size_t>(k - 1) * L), value);
      }
      // Factors have a lower number than the component: their adjoints are written already.
      if (accumulate) {
        add_to(z_bar + at(c) + p, A[0]);
      } else {
        hn::StoreU(A[0], d, z_bar + at(c) + p);
      }
      for (int t = tables.terms_begin[ci]; t < tables.terms_begin[ci + 1]; ++t) {
        const auto& term = tables.terms[static_cast<std::size_t>(t)];
        const V seed = hn::Mul(hn::Set(d, term.coefficient), A[term.order - 1]);
        for (int i = 0; i < term.order; ++i) {
          V others = seed;
          for (int j = 0; j < term.order; ++j) {
            if (j != i) others = hn::Mul(others, hn::LoadU(d, z + at(term.factors[j]) + p));
          }
          add_to(z_bar + at(term.factors[i]) + p, others);
        }
      }
    }
    hn::StoreU(value, d, z_bar + p);
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
