// Jets through activations, products and quotients, for one instruction set.
//
// Composition h = s(z), with P_ck = sum of the terms of component c with k factors (P_c1 = z_c):
//   forward   h_c   = sum_k s^(k) P_ck
//   backward  z_0~  = sum_k s^(k+1) sum_c h_c~ P_ck
//             z_f~ += h_c~ s^(k) dP_ck/dz_f
#if defined(CAUCHY_ENGINE_JET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAUCHY_ENGINE_JET_INL_H_
#undef CAUCHY_ENGINE_JET_INL_H_
#else
#define CAUCHY_ENGINE_JET_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "engine/activation-inl.h"
#include "engine/backend/jet_tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMaxDerivative = JetSpec::max_order + 1;

/// Derivatives at x for the backward sweep, where y = s(x) is at hand and may save the function.
template <Activation A, class D, class V>
HWY_INLINE void DerivativesAgain(D d, V x, V y, int order, V* out) {
  if constexpr (A == Activation::tanh) {
    using T = hn::TFromD<D>;
    out[0] = y;
    TanhRows(d, kTanhTable<T>, y, hn::NegMulAdd(y, y, hn::Set(d, T(1))), order, out);
  } else if constexpr (A == Activation::exp) {
    for (int k = 0; k <= order; ++k) out[k] = y;
  } else {
    Derivatives<A>(d, x, order, out);
  }
}
template <Activation A, int K, class D, class V>
HWY_INLINE void DerivativesAgain(D d, V x, V y, V* out) {
  DerivativesAgain<A>(d, x, y, K, out);
}

/// Calls body.template operator()<A>() with the activation as a compile-time constant.
template <class Body>
void WithActivation(Activation a, const Body& body) {
  switch (a) {
    case Activation::tanh:
      return body.template operator()<Activation::tanh>();
    case Activation::sin:
      return body.template operator()<Activation::sin>();
    case Activation::cos:
      return body.template operator()<Activation::cos>();
    case Activation::sigmoid:
      return body.template operator()<Activation::sigmoid>();
    case Activation::silu:
      return body.template operator()<Activation::silu>();
    case Activation::gelu:
      return body.template operator()<Activation::gelu>();
    case Activation::softplus:
      return body.template operator()<Activation::softplus>();
    case Activation::elu:
      return body.template operator()<Activation::elu>();
    case Activation::relu:
      return body.template operator()<Activation::relu>();
    case Activation::relu3:
      return body.template operator()<Activation::relu3>();
    case Activation::gaussian:
      return body.template operator()<Activation::gaussian>();
    case Activation::exp:
      return body.template operator()<Activation::exp>();
    case Activation::sqrt:
      return body.template operator()<Activation::sqrt>();
    case Activation::identity:
    case Activation::wavelet:  // graphs hold it as a sum of sin and cos
      return body.template operator()<Activation::identity>();
  }
}

/// Order at most 2: all terms are pairs, s^(2) c z_a z_b.
template <Activation A, class T>
void ActivationForward2(const JetTables<T>& tables, std::size_t rows, std::size_t B, std::size_t ld,
                        const T* z, T* h) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d);
  const int C = tables.n_components;
  const auto* terms = tables.terms.data();
  const int* begin = tables.terms_begin.data();
  for (std::size_t r = 0; r < rows; ++r, z += ld, h += ld) {
    for (std::size_t p = 0; p < B; p += L) {
      V s[3];
      Derivatives<A, 2>(d, hn::LoadU(d, z + p), s);
      hn::StoreU(s[0], d, h + p);
      for (int c = 1; c < C; ++c) {
        V out = hn::Mul(s[1], hn::LoadU(d, z + static_cast<std::size_t>(c) * B + p));
        if (begin[c] != begin[c + 1]) {
          V pairs = hn::Zero(d);
          for (int t = begin[c]; t < begin[c + 1]; ++t) {
            const V a = hn::LoadU(d, z + static_cast<std::size_t>(terms[t].factors[0]) * B + p);
            const V b = hn::LoadU(d, z + static_cast<std::size_t>(terms[t].factors[1]) * B + p);
            pairs = hn::MulAdd(hn::Mul(hn::Set(d, terms[t].coefficient), a), b, pairs);
          }
          out = hn::MulAdd(s[2], pairs, out);
        }
        hn::StoreU(out, d, h + static_cast<std::size_t>(c) * B + p);
      }
    }
  }
}

template <Activation A, bool kAccumulate, class T>
void ActivationBackward2(const JetTables<T>& tables, std::size_t rows, std::size_t B,
                         std::size_t ld, const T* z, const T* h, const T* h_bar, T* z_bar) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d);
  const int C = tables.n_components;
  const auto* terms = tables.terms.data();
  const int* begin = tables.terms_begin.data();
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  for (std::size_t r = 0; r < rows; ++r, z += ld, h += ld, h_bar += ld, z_bar += ld) {
    for (std::size_t p = 0; p < B; p += L) {
      V s[4];
      DerivativesAgain<A, 3>(d, hn::LoadU(d, z + p), hn::LoadU(d, h + p), s);
      V q1 = hn::Zero(d), q2 = hn::Zero(d);
      // Factors have lower order than the component, hence a lower number: their adjoints are
      // written already when the pairs add to them.
      for (int c = 1; c < C; ++c) {
        const V bar = hn::LoadU(d, h_bar + at(c) + p);
        q1 = hn::MulAdd(bar, hn::LoadU(d, z + at(c) + p), q1);
        V own = hn::Mul(s[1], bar);
        if (kAccumulate) own = hn::Add(own, hn::LoadU(d, z_bar + at(c) + p));
        hn::StoreU(own, d, z_bar + at(c) + p);
        if (begin[c] == begin[c + 1]) continue;
        const V bar2 = hn::Mul(bar, s[2]);
        V pairs = hn::Zero(d);
        for (int t = begin[c]; t < begin[c + 1]; ++t) {
          const int ia = terms[t].factors[0], ib = terms[t].factors[1];
          const V a = hn::LoadU(d, z + at(ia) + p);
          const V k = hn::Set(d, terms[t].coefficient);
          const V ka = hn::Mul(k, a);
          const V slope = hn::Mul(bar2, ka);
          T* a_bar = z_bar + at(ia) + p;
          if (ia == ib) {
            pairs = hn::MulAdd(ka, a, pairs);
            hn::StoreU(hn::Add(hn::Add(slope, slope), hn::LoadU(d, a_bar)), d, a_bar);
          } else {
            const V b = hn::LoadU(d, z + at(ib) + p);
            T* b_bar = z_bar + at(ib) + p;
            pairs = hn::MulAdd(ka, b, pairs);
            hn::StoreU(hn::Add(slope, hn::LoadU(d, b_bar)), d, b_bar);
            hn::StoreU(hn::MulAdd(bar2, hn::Mul(k, b), hn::LoadU(d, a_bar)), d, a_bar);
          }
        }
        q2 = hn::MulAdd(bar, pairs, q2);
      }
      V out = hn::MulAdd(s[3], q2, hn::MulAdd(s[2], q1, hn::Mul(s[1], hn::LoadU(d, h_bar + p))));
      if (kAccumulate) out = hn::Add(out, hn::LoadU(d, z_bar + p));
      hn::StoreU(out, d, z_bar + p);
    }
  }
}

/// Any order: the terms are walked as they stand.
template <Activation A, class T>
void ActivationForwardN(const JetTables<T>& tables, std::size_t rows, std::size_t B, std::size_t ld,
                        const T* z, T* h) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d);
  const int C = tables.n_components;
  const int* begin = tables.terms_begin.data();
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  for (std::size_t r = 0; r < rows; ++r, z += ld, h += ld) {
    for (std::size_t p = 0; p < B; p += L) {
      V s[kMaxDerivative + 1];
      Derivatives<A>(d, hn::LoadU(d, z + p), tables.order, s);
      hn::StoreU(s[0], d, h + p);
      for (int c = 1; c < C; ++c) {
        V out = hn::Mul(s[1], hn::LoadU(d, z + at(c) + p));
        for (int t = begin[c]; t < begin[c + 1];) {
          const int k = tables.terms[static_cast<std::size_t>(t)].order;
          V sum = hn::Zero(d);
          for (; t < begin[c + 1] && tables.terms[static_cast<std::size_t>(t)].order == k; ++t) {
            const auto& term = tables.terms[static_cast<std::size_t>(t)];
            V product =
                hn::Mul(hn::Set(d, term.coefficient), hn::LoadU(d, z + at(term.factors[0]) + p));
            for (int i = 1; i + 1 < k; ++i) {
              product = hn::Mul(product, hn::LoadU(d, z + at(term.factors[i]) + p));
            }
            sum = hn::MulAdd(product, hn::LoadU(d, z + at(term.factors[k - 1]) + p), sum);
          }
          out = hn::MulAdd(s[k], sum, out);
        }
        hn::StoreU(out, d, h + at(c) + p);
      }
    }
  }
}

template <Activation A, class T>
void ActivationBackwardN(const JetTables<T>& tables, std::size_t rows, std::size_t B,
                         std::size_t ld, const T* z, const T* h, const T* h_bar, T* z_bar,
                         bool accumulate) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t L = hn::Lanes(d);
  const int C = tables.n_components;
  const int* begin = tables.terms_begin.data();
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  for (std::size_t r = 0; r < rows; ++r, z += ld, h += ld, h_bar += ld, z_bar += ld) {
    for (std::size_t p = 0; p < B; p += L) {
      V s[kMaxDerivative + 1];
      DerivativesAgain<A>(d, hn::LoadU(d, z + p), hn::LoadU(d, h + p), tables.order + 1, s);
      V value = hn::Mul(s[1], hn::LoadU(d, h_bar + p));
      for (int c = 1; c < C; ++c) {
        const V bar = hn::LoadU(d, h_bar + at(c) + p);
        value = hn::MulAdd(hn::Mul(s[2], bar), hn::LoadU(d, z + at(c) + p), value);
        V own = hn::Mul(s[1], bar);
        if (accumulate) own = hn::Add(own, hn::LoadU(d, z_bar + at(c) + p));
        hn::StoreU(own, d, z_bar + at(c) + p);
        for (int t = begin[c]; t < begin[c + 1]; ++t) {
          const auto& term = tables.terms[static_cast<std::size_t>(t)];
          const int k = term.order;
          // prefix[i] = product of the factors before i; the suffix runs along in the loop.
          V factor[JetTables<T>::max_factors], prefix[JetTables<T>::max_factors + 1];
          prefix[0] = hn::Set(d, term.coefficient);
          for (int i = 0; i < k; ++i) {
            factor[i] = hn::LoadU(d, z + at(term.factors[i]) + p);
            prefix[i + 1] = hn::Mul(prefix[i], factor[i]);
          }
          value = hn::MulAdd(hn::Mul(s[k + 1], bar), prefix[k], value);
          V suffix = hn::Mul(s[k], bar);
          for (int i = k; i-- > 0;) {
            T* target = z_bar + at(term.factors[i]) + p;
            hn::StoreU(hn::MulAdd(suffix, prefix[i], hn::LoadU(d, target)), d, target);
            suffix = hn::Mul(suffix, factor[i]);
          }
        }
      }
      if (accumulate) value = hn::Add(value, hn::LoadU(d, z_bar + p));
      hn::StoreU(value, d, z_bar + p);
    }
  }
}

template <class T>
void ProductForward(const JetTables<T>& tables, std::size_t B, const T* f, const T* g, T* h) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  for (std::size_t p = 0; p < B; p += L) {
    for (int c = 0; c < tables.n_components; ++c) {
      auto sum = hn::Zero(d);
      for (int t = tables.products_begin[static_cast<std::size_t>(c)];
           t < tables.products_begin[static_cast<std::size_t>(c) + 1]; ++t) {
        const auto& term = tables.products[static_cast<std::size_t>(t)];
        sum = hn::MulAdd(hn::Mul(hn::Set(d, term.coefficient), hn::LoadU(d, f + at(term.left) + p)),
                         hn::LoadU(d, g + at(term.right) + p), sum);
      }
      hn::StoreU(sum, d, h + at(c) + p);
    }
  }
}

/// f_bar[left] += coefficient * h_bar[c] * g[right].
template <class T>
void ProductBackward(const JetTables<T>& tables, std::size_t B, const T* h_bar, const T* g,
                     T* f_bar) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  for (const auto& term : tables.products) {
    for (std::size_t p = 0; p < B; p += L) {
      T* target = f_bar + at(term.left) + p;
      const auto scaled =
          hn::Mul(hn::Set(d, term.coefficient), hn::LoadU(d, h_bar + at(term.component) + p));
      hn::StoreU(hn::MulAdd(scaled, hn::LoadU(d, g + at(term.right) + p), hn::LoadU(d, target)), d,
                 target);
    }
  }
}

/// q_c = (f_c - sum over the other terms of c * q_left g_right) / g_0, components in order.
template <class T>
void DivideForward(const JetTables<T>& tables, std::size_t B, const T* f, const T* g, T* q) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  for (std::size_t p = 0; p < B; p += L) {
    const auto g0 = hn::LoadU(d, g + p);
    for (int c = 0; c < tables.n_components; ++c) {
      auto rest = hn::LoadU(d, f + at(c) + p);
      for (int t = tables.products_begin[static_cast<std::size_t>(c)];
           t < tables.products_begin[static_cast<std::size_t>(c) + 1]; ++t) {
        const auto& term = tables.products[static_cast<std::size_t>(t)];
        if (term.left == c) continue;
        rest = hn::NegMulAdd(
            hn::Mul(hn::Set(d, term.coefficient), hn::LoadU(d, q + at(term.left) + p)),
            hn::LoadU(d, g + at(term.right) + p), rest);
      }
      hn::StoreU(hn::Div(rest, g0), d, q + at(c) + p);
    }
  }
}

/// From q_c g_0 = f_c - ...: f_c~ = q_c~ / g_0, then q_left~ -= c f_c~ g_right and
/// g_right~ -= c f_c~ q_left, components in reverse order; q_bar becomes f_bar.
template <class T>
void DivideBackward(const JetTables<T>& tables, std::size_t B, const T* g, const T* q, T* q_bar,
                    T* g_bar) {
  const hn::ScalableTag<T> d;
  const std::size_t L = hn::Lanes(d);
  const auto at = [B](int c) { return static_cast<std::size_t>(c) * B; };
  for (std::size_t p = 0; p < B; p += L) {
    const auto g0 = hn::LoadU(d, g + p);
    for (int c = tables.n_components; c-- > 0;) {
      const auto f_bar = hn::Div(hn::LoadU(d, q_bar + at(c) + p), g0);
      hn::StoreU(f_bar, d, q_bar + at(c) + p);
      for (int t = tables.products_begin[static_cast<std::size_t>(c)];
           t < tables.products_begin[static_cast<std::size_t>(c) + 1]; ++t) {
        const auto& term = tables.products[static_cast<std::size_t>(t)];
        const auto scaled = hn::Mul(hn::Set(d, term.coefficient), f_bar);
        if (term.left != c) {
          T* left = q_bar + at(term.left) + p;
          hn::StoreU(
              hn::NegMulAdd(scaled, hn::LoadU(d, g + at(term.right) + p), hn::LoadU(d, left)), d,
              left);
        }
        if (g_bar != nullptr) {
          T* right = g_bar + at(term.right) + p;
          hn::StoreU(
              hn::NegMulAdd(scaled, hn::LoadU(d, q + at(term.left) + p), hn::LoadU(d, right)), d,
              right);
        }
      }
    }
  }
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
