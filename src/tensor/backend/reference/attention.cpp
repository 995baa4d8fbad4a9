// out_p = sum_s a_ps v_s with a_ps = w_s exp(l_ps) / sum_s w_s exp(l_ps), l_ps = q_p k_s / sqrt(d),
// in every head by itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/backend/reference/operation.hpp"
#include "tensor/dual.hpp"

namespace cauchy::detail::reference {
namespace {

struct Heads {
  std::size_t count, keys, queries, d, e;  ///< d channels of a key, e of a value
  double factor;
  template <class T>
  explicit Heads(const Operation<T>& f)
      : count(static_cast<std::size_t>(f.op.groups)),
        keys(f.points_of(1)),
        queries(f.points()),
        d(f.channels_of(0) / count),
        e(f.channels() / count),
        factor(1 / std::sqrt(static_cast<double>(d))) {}
};

/// a[s] = a_ps for all keys.
template <class T>
void attend(const Operation<T>& f, const Heads& h, const T* q, const T* k, std::size_t p, T* a) {
  std::fill_n(a, h.keys, T(0));
  for (std::size_t c = 0; c < h.d; ++c) {
    const T x = q[c * h.queries + p] * T(h.factor);
    for (std::size_t s = 0; s < h.keys; ++s) a[s] += x * k[c * h.keys + s];
  }
  const auto weight = [&](std::size_t s) { return f.op.fixed ? (*f.op.fixed)[s] : 1.0; };
  T largest(-std::numeric_limits<double>::infinity());  // exp of differences cannot overflow
  for (std::size_t s = 0; s < h.keys; ++s) {
    if (weight(s) > 0) largest = std::max(largest, a[s]);
  }
  T sum = 0;
  for (std::size_t s = 0; s < h.keys; ++s) {
    using std::exp;
    a[s] = weight(s) > 0 ? T(weight(s)) * exp(a[s] - largest) : T(0);
    sum += a[s];
  }
  for (std::size_t s = 0; s < h.keys; ++s) a[s] = a[s] / sum;
}

}  // namespace

template <class T>
void forward_attention(const Operation<T>& f) {
  const Heads h(f);
  T* a = f.call.scratch;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    for (std::size_t head = 0; head < h.count; ++head) {
      const T* q = f.in(0, s) + head * h.d * h.queries;
      const T* k = f.in(1, s) + head * h.d * h.keys;
      const T* v = f.in(2, s) + head * h.e * h.keys;
      T* out = f.out(s) + head * h.e * h.queries;
      for (std::size_t p = 0; p < h.queries; ++p) {
        attend(f, h, q, k, p, a);
        for (std::size_t c = 0; c < h.e; ++c) {
          T sum = 0;
          for (std::size_t j = 0; j < h.keys; ++j) sum += a[j] * v[c * h.keys + j];
          out[c * h.queries + p] = sum;
        }
      }
    }
  }
}

// With g_s = by_out_p v_s: by_l_s = a_s (g_s - sum_j a_j g_j).

template <std::floating_point T>
void backward_attention(const Operation<T>& f) {
  const Heads h(f);
  T *a = f.call.scratch, *g = a + h.keys;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    for (std::size_t head = 0; head < h.count; ++head) {
      const std::size_t at_q = head * h.d * h.queries, at_k = head * h.d * h.keys,
                        at_v = head * h.e * h.keys;
      const T *q = f.in(0, s) + at_q, *k = f.in(1, s) + at_k, *v = f.in(2, s) + at_v;
      const T* by_out = f.by_out(s) + head * h.e * h.queries;
      T *by_q = f.by_in(0, s), *by_k = f.by_in(1, s), *by_v = f.by_in(2, s);
      for (std::size_t p = 0; p < h.queries; ++p) {
        attend(f, h, q, k, p, a);
        std::fill_n(g, h.keys, T(0));
        for (std::size_t c = 0; c < h.e; ++c) {
          const T by = by_out[c * h.queries + p];
          for (std::size_t j = 0; j < h.keys; ++j) {
            g[j] += by * v[c * h.keys + j];
            if (by_v != nullptr) by_v[at_v + c * h.keys + j] += by * a[j];
          }
        }
        T mean = 0;
        for (std::size_t j = 0; j < h.keys; ++j) mean += a[j] * g[j];
        for (std::size_t j = 0; j < h.keys; ++j) g[j] = a[j] * (g[j] - mean) * T(h.factor);
        for (std::size_t c = 0; c < h.d; ++c) {
          for (std::size_t j = 0; j < h.keys; ++j) {
            if (by_q != nullptr) by_q[at_q + c * h.queries + p] += g[j] * k[c * h.keys + j];
            if (by_k != nullptr) by_k[at_k + c * h.keys + j] += g[j] * q[c * h.queries + p];
          }
        }
      }
    }
  }
}

template void forward_attention(const Operation<float>&);
template void forward_attention(const Operation<double>&);
template void forward_attention(const Operation<Dual>&);
template void backward_attention(const Operation<float>&);
template void backward_attention(const Operation<double>&);

}  // namespace cauchy::detail::reference
