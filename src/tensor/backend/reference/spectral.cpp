// Spectra: c_k = 1/N sum_j x_j e_kj with e_kj = exp(-2 pi i k j / n), one axis after the other, and
// back: y_j = Re sum_k w_k c_k conj(e_kj). Derivatives: with g = by_re + i by_im, an adjoint of
// c = sum_j x_j e_j is Re sum_k g_k conj(e_k), and the other way round.
#include <algorithm>
#include <utility>

#include "tensor/backend/reference/operation.hpp"
#include "tensor/dual.hpp"

namespace cauchy::detail::reference {

std::size_t spectral_scratch(const std::vector<AxisWaves>& axes) {
  std::size_t largest = 1;  // of the arrays on the way between points and modes
  for (const AxisWaves& a : axes) largest *= std::max(a.n, a.count);
  return 4 * largest;
}

namespace {

/// Real and imaginary parts of a working array.
template <class T>
struct Complexes {
  T *re, *im;
};

/// [outer][from][inner] to [outer][to][inner] along one axis: points to modes (e), or modes to
/// points (conj e).
template <class T>
void transform(const AxisWaves& a, bool to_modes, bool weighted, std::size_t outer,
               std::size_t inner, const Complexes<T>& in, const Complexes<T>& out) {
  const std::size_t from = to_modes ? a.n : a.count, to = to_modes ? a.count : a.n;
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < to; ++i) {
      T* re = out.re + (o * to + i) * inner;
      T* im = out.im + (o * to + i) * inner;
      std::fill_n(re, inner, T(0));
      std::fill_n(im, inner, T(0));
      for (std::size_t j = 0; j < from; ++j) {
        const std::size_t k = to_modes ? i : j, at = k * a.n + (to_modes ? j : i);
        const double w = weighted ? a.weights[k] : 1;
        const auto c = static_cast<T>(w * a.cosines[at]);
        const auto d = static_cast<T>((to_modes ? w : -w) * a.sines[at]);
        const T* x = in.re + (o * from + j) * inner;
        const T* y = in.im + (o * from + j) * inner;
        for (std::size_t q = 0; q < inner; ++q) {
          re[q] += c * x[q] - d * y[q];
          im[q] += c * y[q] + d * x[q];
        }
      }
    }
  }
}

/// The axes of one channel in `work`, which has spectral_scratch() numbers; the first array is at
/// its begin, the result where it ends.
template <class T>
Complexes<T> transform_axes(const std::vector<AxisWaves>& axes, bool to_modes, bool weighted,
                            T* work) {
  const std::size_t most = spectral_scratch(axes) / 4, d = axes.size();
  Complexes<T> in{work, work + most}, out{work + 2 * most, work + 3 * most};
  for (std::size_t step = 0; step < d; ++step) {
    const std::size_t a =
        to_modes ? d - 1 - step : step;  // inner axes are modes, outer ones points
    std::size_t outer = 1, inner = 1;
    for (std::size_t b = 0; b < a; ++b) outer *= axes[b].n;
    for (std::size_t b = a + 1; b < d; ++b) inner *= axes[b].count;
    transform(axes[a], to_modes, weighted, outer, inner, in, out);
    std::swap(in, out);
  }
  return in;
}

/// One function to its modes, sum_j x_j e_kj, and back, Re sum_k c_k conj(e_kj).
template <class T, class Write>
void to_modes(const std::vector<AxisWaves>& axes, bool weighted, const T* x, std::size_t points,
              T* work, Write write) {
  std::copy_n(x, points, work);
  std::fill_n(work + spectral_scratch(axes) / 4, points, T(0));
  write(transform_axes(axes, true, weighted, work));
}
template <class T, class Write>
void to_points(const std::vector<AxisWaves>& axes, bool weighted, const T* re, const T* im,
               std::size_t modes, T* work, Write write) {
  std::copy_n(re, modes, work);
  std::copy_n(im, modes, work + spectral_scratch(axes) / 4);
  write(transform_axes(axes, false, weighted, work).re);
}

}  // namespace

template <class T>
void forward_spectrum(const Operation<T>& f) {
  const std::size_t N = f.points_of(0), K = f.points();
  const auto factor = static_cast<T>(1 / static_cast<double>(N));
  for (std::size_t c = 0; c < f.call.n * f.channels_of(0); ++c) {
    T* out = f.call.out + 2 * c * K;
    to_modes(f.tables.waves, false, f.call.inputs[0] + c * N, N, f.call.scratch,
             [&](const Complexes<T>& modes) {
               for (std::size_t k = 0; k < K; ++k) out[k] = factor * modes.re[k];
               for (std::size_t k = 0; k < K; ++k) out[K + k] = factor * modes.im[k];
             });
  }
}

template <std::floating_point T>
void backward_spectrum(const Operation<T>& f) {
  const std::size_t N = f.points_of(0), K = f.points();
  const T factor = 1 / static_cast<T>(N);
  for (std::size_t c = 0; c < f.call.n * f.channels_of(0) && f.call.by_inputs[0] != nullptr; ++c) {
    const T* g = f.call.by_out + 2 * c * K;
    T* by_x = f.call.by_inputs[0] + c * N;
    to_points(f.tables.waves, false, g, g + K, K, f.call.scratch, [&](const T* points) {
      for (std::size_t j = 0; j < N; ++j) by_x[j] += factor * points[j];
    });
  }
}

template <class T>
void forward_from_spectrum(const Operation<T>& f) {
  const std::size_t N = f.points(), K = f.points_of(0);
  for (std::size_t c = 0; c < f.call.n * f.channels(); ++c) {
    const T* x = f.call.inputs[0] + 2 * c * K;
    to_points(f.tables.waves, true, x, x + K, K, f.call.scratch,
              [&](const T* points) { std::copy_n(points, N, f.call.out + c * N); });
  }
}

template <std::floating_point T>
void backward_from_spectrum(const Operation<T>& f) {
  const std::size_t N = f.points(), K = f.points_of(0);
  for (std::size_t c = 0; c < f.call.n * f.channels() && f.call.by_inputs[0] != nullptr; ++c) {
    T* by_x = f.call.by_inputs[0] + 2 * c * K;
    to_modes(f.tables.waves, true, f.call.by_out + c * N, N, f.call.scratch,
             [&](const Complexes<T>& modes) {
               for (std::size_t k = 0; k < K; ++k) by_x[k] += modes.re[k];
               for (std::size_t k = 0; k < K; ++k) by_x[K + k] += modes.im[k];
             });
  }
}

namespace {

/// y += w x for K complex numbers; parts of x and y lie K apart, w is interleaved with a stride of
/// `step` complex numbers (0: one number for all).
template <class T>
void multiply_add(const T* w, std::size_t step, const T* x, T* y, std::size_t K) {
  for (std::size_t k = 0; k < K; ++k, w += 2 * step) {
    y[k] += w[0] * x[k] - w[1] * x[K + k];
    y[K + k] += w[0] * x[K + k] + w[1] * x[k];
  }
}

/// by_x += conj(w) g and by_w += g conj(x); null: not wanted.
template <class T>
void multiply_add_adjoint(const T* w, std::size_t step, const T* x, const T* g, T* by_x, T* by_w,
                          std::size_t K) {
  for (std::size_t k = 0; k < K; ++k) {
    const std::size_t at = 2 * step * k;
    if (by_x != nullptr) {
      by_x[k] += w[at] * g[k] + w[at + 1] * g[K + k];
      by_x[K + k] += w[at] * g[K + k] - w[at + 1] * g[k];
    }
    if (by_w != nullptr) {
      by_w[at] += g[k] * x[k] + g[K + k] * x[K + k];
      by_w[at + 1] += g[K + k] * x[k] - g[k] * x[K + k];
    }
  }
}

}  // namespace

/// A complex matrix over the channels: one per mode (step 1), one for all (step 0), perhaps in
/// diagonal blocks.
struct ComplexMatrix {
  std::size_t outputs, inputs, modes, step, groups;
  template <class T>
  explicit ComplexMatrix(const Operation<T>& f)
      : outputs(f.channels() / 2),
        inputs(f.channels_of(0) / 2),
        modes(f.points()),
        step(f.op.code == TensorOp::mode_linear ? 1 : 0),
        groups(static_cast<std::size_t>(f.op.groups)) {}

  /// visit(output, input, offset of the weights) for every block entry.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::size_t columns = inputs / groups;
    for (std::size_t o = 0; o < outputs; ++o) {
      const std::size_t first = o / (outputs / groups) * columns;
      for (std::size_t i = 0; i < columns; ++i) {
        visit(o, first + i, 2 * (o * columns + i) * (step == 0 ? 1 : modes));
      }
    }
  }
};

template <class T>
void forward_complex_linear(const Operation<T>& f) {
  const ComplexMatrix m(f);
  const std::size_t K = m.modes;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    for (std::size_t j = 0; j < f.channels(); ++j) {
      std::fill_n(f.out(s) + j * K, K, f.bias() == nullptr ? T(0) : f.bias()[j]);
    }
    m.for_each([&](std::size_t o, std::size_t i, std::size_t w) {
      multiply_add(f.weights() + w, m.step, f.in(0, s) + 2 * i * K, f.out(s) + 2 * o * K, K);
    });
  }
}

template <std::floating_point T>
void backward_complex_linear(const Operation<T>& f) {
  const ComplexMatrix m(f);
  const std::size_t K = m.modes;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T *x = f.in(0, s), *g = f.by_out(s);
    T *by_x = f.by_in(0, s), *by_w = f.by_weights();
    for (std::size_t j = 0; f.by_bias() != nullptr && j < f.op.shape.size(); ++j) {
      f.by_bias()[j / K] += g[j];
    }
    m.for_each([&](std::size_t o, std::size_t i, std::size_t w) {
      multiply_add_adjoint(f.weights() + w, m.step, x + 2 * i * K, g + 2 * o * K,
                           by_x == nullptr ? nullptr : by_x + 2 * i * K,
                           by_w == nullptr ? nullptr : by_w + w, K);
    });
  }
}

template <class T>
void forward_mode_linear(const Operation<T>& f) {
  forward_complex_linear(f);
}
template <std::floating_point T>
void backward_mode_linear(const Operation<T>& f) {
  backward_complex_linear(f);
}

template <class T>
void forward_mode_scale(const Operation<T>& f) {
  const std::size_t K = f.points();
  std::fill_n(f.call.out, f.call.n * f.op.shape.size(), T(0));
  for (std::size_t s = 0; s < f.call.n; ++s) {
    for (std::size_t c = 0; c < f.channels() / 2; ++c) {
      multiply_add(f.weights() + 2 * c * K, 1, f.in(0, s) + 2 * c * K, f.out(s) + 2 * c * K, K);
    }
  }
}

template <std::floating_point T>
void backward_mode_scale(const Operation<T>& f) {
  const std::size_t K = f.points();
  for (std::size_t s = 0; s < f.call.n; ++s) {
    T *by_x = f.by_in(0, s), *by_w = f.by_weights();
    for (std::size_t c = 0; c < f.channels() / 2; ++c) {
      multiply_add_adjoint(f.weights() + 2 * c * K, 1, f.in(0, s) + 2 * c * K,
                           f.by_out(s) + 2 * c * K, by_x == nullptr ? nullptr : by_x + 2 * c * K,
                           by_w == nullptr ? nullptr : by_w + 2 * c * K, K);
    }
  }
}

#define CAUCHY_INSTANTIATE(name)                          \
  template void forward_##name(const Operation<float>&);  \
  template void forward_##name(const Operation<double>&); \
  template void forward_##name(const Operation<Dual>&);   \
  template void backward_##name(const Operation<float>&); \
  template void backward_##name(const Operation<double>&)
CAUCHY_INSTANTIATE(spectrum);
CAUCHY_INSTANTIATE(from_spectrum);
CAUCHY_INSTANTIATE(mode_linear);
CAUCHY_INSTANTIATE(mode_scale);
CAUCHY_INSTANTIATE(complex_linear);
#undef CAUCHY_INSTANTIATE

}  // namespace cauchy::detail::reference
