// Operations that move numbers between points.
#include <algorithm>

#include "tensor/backend/reference/operation.hpp"
#include "tensor/dual.hpp"

namespace cauchy::detail::reference {

template <class T>
void forward_pick(const Operation<T>& f) {
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* x = f.in(0, s);
    T* out = f.out(s);
    for (const std::ptrdiff_t i : *f.op.picks) *out++ = i < 0 ? T(0) : x[i];
  }
}

template <std::floating_point T>
void backward_pick(const Operation<T>& f) {
  for (std::size_t s = 0; s < f.call.n && f.call.by_inputs[0] != nullptr; ++s) {
    const T* g = f.by_out(s);
    T* by_x = f.by_in(0, s);
    for (const std::ptrdiff_t i : *f.op.picks) {
      if (i >= 0) by_x[i] += *g;
      ++g;
    }
  }
}

namespace {

/// An array as [outer][length of the axis][inner].
struct AxisView {
  std::size_t outer, from, to, inner;
  template <class T>
  explicit AxisView(const Operation<T>& f) {
    const auto axis = static_cast<std::size_t>(f.op.axis);
    from = static_cast<std::size_t>(f.shape_of(0).grid[axis]);
    to = static_cast<std::size_t>(f.op.shape.grid[axis]);
    inner = 1;
    for (std::size_t a = axis + 1; a < f.op.shape.grid.size(); ++a) {
      inner *= static_cast<std::size_t>(f.op.shape.grid[a]);
    }
    outer = f.op.shape.size() / to / inner;
  }
};

}  // namespace

template <class T>
void forward_along(const Operation<T>& f) {
  const AxisView v(f);
  for (std::size_t o = 0; o < f.call.n * v.outer; ++o) {
    const T* x = f.call.inputs[0] + o * v.from * v.inner;
    T* out = f.call.out + o * v.to * v.inner;
    std::fill_n(out, v.to * v.inner, T(0));
    for (std::size_t i = 0; i < v.to; ++i) {
      for (std::size_t j = 0; j < v.from; ++j) {
        const auto m = static_cast<T>((*f.op.fixed)[i * v.from + j]);
        for (std::size_t k = 0; k < v.inner; ++k) out[i * v.inner + k] += m * x[j * v.inner + k];
      }
    }
  }
}

template <std::floating_point T>
void backward_along(const Operation<T>& f) {
  const AxisView v(f);
  for (std::size_t o = 0; o < f.call.n * v.outer && f.call.by_inputs[0] != nullptr; ++o) {
    const T* g = f.call.by_out + o * v.to * v.inner;
    T* by_x = f.call.by_inputs[0] + o * v.from * v.inner;
    for (std::size_t i = 0; i < v.to; ++i) {
      for (std::size_t j = 0; j < v.from; ++j) {
        const auto m = static_cast<T>((*f.op.fixed)[i * v.from + j]);
        for (std::size_t k = 0; k < v.inner; ++k) by_x[j * v.inner + k] += m * g[i * v.inner + k];
      }
    }
  }
}

template <class T>
void forward_sparse(const Operation<T>& f) {
  const PointMatrix& m = *f.op.matrix;
  for (std::size_t c = 0; c < f.call.n * f.channels_of(0); ++c) {
    const T* x = f.call.inputs[0] + c * m.columns;
    for (std::size_t i = 0; i < m.rows(); ++i) {
      T sum = 0;
      for (std::size_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
        sum += T(m.weights[k]) * x[m.points[k]];
      }
      f.call.out[c * m.rows() + i] = sum;
    }
  }
}

template <std::floating_point T>
void backward_sparse(const Operation<T>& f) {
  const PointMatrix& m = *f.op.matrix;
  for (std::size_t c = 0; c < f.call.n * f.channels_of(0) && f.call.by_inputs[0] != nullptr; ++c) {
    const T* g = f.call.by_out + c * m.rows();
    T* by_x = f.call.by_inputs[0] + c * m.columns;
    for (std::size_t i = 0; i < m.rows(); ++i) {
      for (std::size_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
        by_x[m.points[k]] += T(m.weights[k]) * g[i];
      }
    }
  }
}

template <class T>
void forward_reduce(const Operation<T>& f) {
  const std::size_t P = f.points_of(0);
  for (std::size_t c = 0; c < f.call.n * f.channels(); ++c) {
    const T* x = f.call.inputs[0] + c * P;
    T sum = 0;
    for (std::size_t p = 0; p < P; ++p) sum += T((*f.op.fixed)[p]) * x[p];
    f.call.out[c] = sum;
  }
}

template <std::floating_point T>
void backward_reduce(const Operation<T>& f) {
  const std::size_t P = f.points_of(0);
  for (std::size_t c = 0; c < f.call.n * f.channels() && f.call.by_inputs[0] != nullptr; ++c) {
    T* by_x = f.call.by_inputs[0] + c * P;
    for (std::size_t p = 0; p < P; ++p) by_x[p] += T((*f.op.fixed)[p]) * f.call.by_out[c];
  }
}

// --- convolutions: y_o[p] = b_o + sum_{i, k} W[o][i][k] x_i[stencil(p, k)] ----------------------

template <class T>
void forward_convolution(const Operation<T>& f) {
  const std::size_t C = f.channels(), I = f.channels_of(0), P = f.points(), Q = f.points_of(0);
  const std::size_t K = f.tables.stencil.size() / P;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* x = f.in(0, s);
    for (std::size_t o = 0; o < C; ++o) {
      for (std::size_t p = 0; p < P; ++p) {
        T sum = f.bias() == nullptr ? T(0) : f.bias()[o];
        for (std::size_t i = 0; i < I; ++i) {
          for (std::size_t k = 0; k < K; ++k) {
            const std::ptrdiff_t q = f.tables.stencil[p * K + k];
            if (q >= 0) {
              sum += f.weights()[(o * I + i) * K + k] * x[i * Q + static_cast<std::size_t>(q)];
            }
          }
        }
        f.out(s)[o * P + p] = sum;
      }
    }
  }
}

template <std::floating_point T>
void backward_convolution(const Operation<T>& f) {
  const std::size_t C = f.channels(), I = f.channels_of(0), P = f.points(), Q = f.points_of(0);
  const std::size_t K = f.tables.stencil.size() / P;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T *x = f.in(0, s), *g = f.by_out(s);
    T* by_x = f.by_in(0, s);
    for (std::size_t o = 0; o < C; ++o) {
      for (std::size_t p = 0; p < P; ++p) {
        const T by_sum = g[o * P + p];
        if (f.by_bias() != nullptr) f.by_bias()[o] += by_sum;
        for (std::size_t i = 0; i < I; ++i) {
          for (std::size_t k = 0; k < K; ++k) {
            if (f.tables.stencil[p * K + k] < 0) continue;
            const std::size_t w = (o * I + i) * K + k,
                              q = i * Q + static_cast<std::size_t>(f.tables.stencil[p * K + k]);
            if (by_x != nullptr) by_x[q] += f.weights()[w] * by_sum;
            if (f.by_weights() != nullptr) f.by_weights()[w] += by_sum * x[q];
          }
        }
      }
    }
  }
}

// Its adjoint, from C channels on Q points back to I channels on P: W[c][i][k] of the convolution.

template <class T>
void forward_transposed_convolution(const Operation<T>& f) {
  const std::size_t I = f.channels(), C = f.channels_of(0), P = f.points_of(0), Q = f.points();
  const std::size_t K = f.tables.stencil.size() / P;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* x = f.in(0, s);
    T* out = f.out(s);
    for (std::size_t i = 0; i < I; ++i) {
      std::fill_n(out + i * Q, Q, f.bias() == nullptr ? T(0) : f.bias()[i]);
    }
    for (std::size_t c = 0; c < C; ++c) {
      for (std::size_t p = 0; p < P; ++p) {
        for (std::size_t i = 0; i < I; ++i) {
          for (std::size_t k = 0; k < K; ++k) {
            const std::ptrdiff_t q = f.tables.stencil[p * K + k];
            if (q >= 0) {
              out[i * Q + static_cast<std::size_t>(q)] +=
                  f.weights()[(c * I + i) * K + k] * x[c * P + p];
            }
          }
        }
      }
    }
  }
}

template <std::floating_point T>
void backward_transposed_convolution(const Operation<T>& f) {
  const std::size_t I = f.channels(), C = f.channels_of(0), P = f.points_of(0), Q = f.points();
  const std::size_t K = f.tables.stencil.size() / P;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T *x = f.in(0, s), *g = f.by_out(s);
    T* by_x = f.by_in(0, s);
    for (std::size_t j = 0; f.by_bias() != nullptr && j < I * Q; ++j) f.by_bias()[j / Q] += g[j];
    for (std::size_t c = 0; c < C; ++c) {
      for (std::size_t p = 0; p < P; ++p) {
        for (std::size_t i = 0; i < I; ++i) {
          for (std::size_t k = 0; k < K; ++k) {
            if (f.tables.stencil[p * K + k] < 0) continue;
            const std::size_t w = (c * I + i) * K + k,
                              q = i * Q + static_cast<std::size_t>(f.tables.stencil[p * K + k]);
            if (by_x != nullptr) by_x[c * P + p] += f.weights()[w] * g[q];
            if (f.by_weights() != nullptr) f.by_weights()[w] += x[c * P + p] * g[q];
          }
        }
      }
    }
  }
}

namespace {

/// The point of the largest number of the box of point p, the first one of several.
template <class T>
std::size_t largest_of_box(const Operation<T>& f, const T* x, std::size_t p) {
  const std::size_t K = f.tables.stencil.size() / f.points();
  auto best = static_cast<std::size_t>(f.tables.stencil[p * K]);
  for (std::size_t k = 1; k < K; ++k) {
    const auto q = static_cast<std::size_t>(f.tables.stencil[p * K + k]);
    if (x[q] > x[best]) best = q;
  }
  return best;
}

}  // namespace

template <class T>
void forward_max_pool(const Operation<T>& f) {
  const std::size_t P = f.points(), Q = f.points_of(0);
  for (std::size_t c = 0; c < f.call.n * f.channels(); ++c) {
    const T* x = f.call.inputs[0] + c * Q;
    for (std::size_t p = 0; p < P; ++p) f.call.out[c * P + p] = x[largest_of_box(f, x, p)];
  }
}

template <std::floating_point T>
void backward_max_pool(const Operation<T>& f) {
  const std::size_t P = f.points(), Q = f.points_of(0);
  for (std::size_t c = 0; c < f.call.n * f.channels() && f.call.by_inputs[0] != nullptr; ++c) {
    const T* x = f.call.inputs[0] + c * Q;
    for (std::size_t p = 0; p < P; ++p) {
      f.call.by_inputs[0][c * Q + largest_of_box(f, x, p)] += f.call.by_out[c * P + p];
    }
  }
}

#define CAUCHY_INSTANTIATE(name)                          \
  template void forward_##name(const Operation<float>&);  \
  template void forward_##name(const Operation<double>&); \
  template void forward_##name(const Operation<Dual>&);   \
  template void backward_##name(const Operation<float>&); \
  template void backward_##name(const Operation<double>&)
CAUCHY_INSTANTIATE(pick);
CAUCHY_INSTANTIATE(along);
CAUCHY_INSTANTIATE(sparse);
CAUCHY_INSTANTIATE(reduce);
CAUCHY_INSTANTIATE(convolution);
CAUCHY_INSTANTIATE(transposed_convolution);
CAUCHY_INSTANTIATE(max_pool);
#undef CAUCHY_INSTANTIATE

}  // namespace cauchy::detail::reference
