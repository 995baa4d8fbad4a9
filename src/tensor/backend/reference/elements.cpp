// Operations number by number, and within a point or a set of numbers.
#include <algorithm>
#include <cmath>

#include "tensor/backend/reference/operation.hpp"
#include "tensor/dropout.hpp"
#include "tensor/dual.hpp"

namespace cauchy::detail::reference {

// x^2 or |x|, whose slope at 0 is 0.

template <class T>
void forward_function(const Operation<T>& f) {
  const T* x = f.call.inputs[0];
  for (std::size_t i = 0; i < f.call.n * f.op.shape.size(); ++i) {
    f.call.out[i] = f.op.function == ElementFunction::square ? x[i] * x[i]
                    : x[i] > T(0)                            ? x[i]
                    : x[i] < T(0)                            ? -x[i]
                                                             : x[i] * T(0);
  }
}

template <std::floating_point T>
void backward_function(const Operation<T>& f) {
  const T *x = f.call.inputs[0], *g = f.call.by_out;
  T* by_x = f.call.by_inputs[0];
  for (std::size_t i = 0; by_x != nullptr && i < f.call.n * f.op.shape.size(); ++i) {
    const T sign = x[i] > 0 ? T(1) : x[i] < 0 ? T(-1) : T(0);
    by_x[i] += g[i] * (f.op.function == ElementFunction::square ? 2 * x[i] : sign);
  }
}

template <class T>
void forward_soft_shrink(const Operation<T>& f) {
  const T* x = f.call.inputs[0];
  const auto lambda = static_cast<T>(f.op.number);
  for (std::size_t i = 0; i < f.call.n * f.op.shape.size(); ++i) {
    f.call.out[i] = x[i] > lambda ? x[i] - lambda : x[i] < -lambda ? x[i] + lambda : x[i] * T(0);
  }
}

template <std::floating_point T>
void backward_soft_shrink(const Operation<T>& f) {
  const T *x = f.call.inputs[0], *g = f.call.by_out;
  T* by_x = f.call.by_inputs[0];
  const auto lambda = static_cast<T>(f.op.number);
  for (std::size_t i = 0; by_x != nullptr && i < f.call.n * f.op.shape.size(); ++i) {
    if (x[i] > lambda || x[i] < -lambda) by_x[i] += g[i];
  }
}

namespace {

/// Which of the trainable numbers belongs to number i of channel i / points.
template <class T>
std::size_t trainable_of(const Operation<T>& f, std::size_t i) {
  if (f.op.n_weights == 1) return 0;
  return f.op.n_weights == f.channels() ? i / f.points() : i;
}

}  // namespace

template <class T>
void forward_scale(const Operation<T>& f) {
  for (std::size_t s = 0; s < f.call.n; ++s) {
    for (std::size_t i = 0; i < f.op.shape.size(); ++i) {
      f.out(s)[i] = f.weights()[trainable_of(f, i)] * f.in(0, s)[i];
    }
  }
}

template <std::floating_point T>
void backward_scale(const Operation<T>& f) {
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T *x = f.in(0, s), *g = f.by_out(s);
    T* by_x = f.by_in(0, s);
    for (std::size_t i = 0; i < f.op.shape.size(); ++i) {
      const std::size_t k = trainable_of(f, i);
      if (by_x != nullptr) by_x[i] += f.weights()[k] * g[i];
      if (f.by_weights() != nullptr) f.by_weights()[k] += g[i] * x[i];
    }
  }
}

template <class T>
void forward_shift(const Operation<T>& f) {
  for (std::size_t s = 0; s < f.call.n; ++s) {
    for (std::size_t i = 0; i < f.op.shape.size(); ++i) {
      f.out(s)[i] = f.in(0, s)[i] + f.weights()[trainable_of(f, i)];
    }
  }
}

template <std::floating_point T>
void backward_shift(const Operation<T>& f) {
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* g = f.by_out(s);
    T* by_x = f.by_in(0, s);
    for (std::size_t i = 0; i < f.op.shape.size(); ++i) {
      if (by_x != nullptr) by_x[i] += g[i];
      if (f.by_weights() != nullptr) f.by_weights()[trainable_of(f, i)] += g[i];
    }
  }
}

namespace {

/// Number i of the result comes from this number of an operand, which may serve all channels, all
/// points, or both.
struct Broadcast {
  std::size_t points;
  bool one_channel, one_point;
  Broadcast(const TensorShape& operand, const TensorShape& result)
      : points(result.points()),
        one_channel(operand.channels == 1),
        one_point(operand.points() == 1) {}
  [[nodiscard]] std::size_t operator()(std::size_t i) const {
    const std::size_t channel = one_channel ? 0 : i / points;
    return one_point ? channel : channel * points + i % points;
  }
};

}  // namespace

template <class T>
void forward_arithmetic(const Operation<T>& f) {
  const Broadcast a(f.shape_of(0), f.op.shape), b(f.shape_of(1), f.op.shape);
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T *x = f.in(0, s), *y = f.in(1, s);
    T* out = f.out(s);
    for (std::size_t i = 0; i < f.op.shape.size(); ++i) {
      const T u = x[a(i)], v = y[b(i)];
      out[i] = f.op.code == TensorOp::add        ? u + v
               : f.op.code == TensorOp::subtract ? u - v
               : f.op.code == TensorOp::multiply ? u * v
                                                 : u / v;
    }
  }
}

template <std::floating_point T>
void backward_arithmetic(const Operation<T>& f) {
  const Broadcast a(f.shape_of(0), f.op.shape), b(f.shape_of(1), f.op.shape);
  const bool sum = f.op.code == TensorOp::add || f.op.code == TensorOp::subtract;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* g = f.by_out(s);
    T *by_x = f.by_in(0, s), *by_y = f.by_in(1, s);
    for (std::size_t i = 0; i < f.op.shape.size(); ++i) {
      T by_u = g[i], by_v = f.op.code == TensorOp::subtract ? -g[i] : g[i];
      if (!sum) {
        const T u = f.in(0, s)[a(i)], v = f.in(1, s)[b(i)];
        by_u = f.op.code == TensorOp::multiply ? g[i] * v : g[i] / v;
        by_v = f.op.code == TensorOp::multiply ? g[i] * u : -g[i] * u / (v * v);
      }
      if (by_x != nullptr) by_x[a(i)] += by_u;
      if (by_y != nullptr) by_y[b(i)] += by_v;
    }
  }
}

template <class T>
void forward_concatenate(const Operation<T>& f) {
  for (std::size_t s = 0; s < f.call.n; ++s) {
    T* out = f.out(s);
    for (std::size_t k = 0; k < f.op.inputs.size(); ++k) {
      out = std::copy_n(f.in(k, s), f.shape_of(k).size(), out);
    }
  }
}

template <std::floating_point T>
void backward_concatenate(const Operation<T>& f) {
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* g = f.by_out(s);
    for (std::size_t k = 0; k < f.op.inputs.size(); ++k) {
      T* by_x = f.by_in(k, s);
      const std::size_t size = f.shape_of(k).size();
      for (std::size_t i = 0; by_x != nullptr && i < size; ++i) by_x[i] += g[i];
      g += size;
    }
  }
}

// y_r = sum_j M_rj v_j in every point.

template <class T>
void forward_matrix_vector(const Operation<T>& f) {
  const std::size_t R = f.channels(), J = f.channels_of(1), P = f.points();
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T *m = f.in(0, s), *v = f.in(1, s);
    T* out = f.out(s);
    std::fill_n(out, R * P, T(0));
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t j = 0; j < J; ++j) {
        for (std::size_t p = 0; p < P; ++p) out[r * P + p] += m[(r * J + j) * P + p] * v[j * P + p];
      }
    }
  }
}

template <std::floating_point T>
void backward_matrix_vector(const Operation<T>& f) {
  const std::size_t R = f.channels(), J = f.channels_of(1), P = f.points();
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T *m = f.in(0, s), *v = f.in(1, s), *g = f.by_out(s);
    T *by_m = f.by_in(0, s), *by_v = f.by_in(1, s);
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t j = 0; j < J; ++j) {
        for (std::size_t p = 0; p < P; ++p) {
          const std::size_t at = (r * J + j) * P + p;
          if (by_m != nullptr) by_m[at] += g[r * P + p] * v[j * P + p];
          if (by_v != nullptr) by_v[j * P + p] += g[r * P + p] * m[at];
        }
      }
    }
  }
}

template <class T>
void forward_dropout(const Operation<T>& f) {
  const double keep = 1 - f.op.number;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* x = f.in(0, s);
    T* out = f.out(s);
    const Rng numbers =
        dropout_numbers(f.call.seed, f.call.step, f.call.value, f.call.first_sample + s);
    for (std::size_t i = 0; i < f.op.shape.size(); ++i) {
      const bool dropped = f.call.training && numbers.uniform_at(i) < f.op.number;
      out[i] = dropped ? T(0) : f.call.training ? x[i] / T(keep) : x[i];
    }
  }
}

template <std::floating_point T>
void backward_dropout(const Operation<T>& f) {
  const double keep = 1 - f.op.number;
  for (std::size_t s = 0; s < f.call.n && f.call.by_inputs[0] != nullptr; ++s) {
    const T* g = f.by_out(s);
    T* by_x = f.by_in(0, s);
    const Rng numbers =
        dropout_numbers(f.call.seed, f.call.step, f.call.value, f.call.first_sample + s);
    for (std::size_t i = 0; i < f.op.shape.size(); ++i) {
      const bool dropped = f.call.training && numbers.uniform_at(i) < f.op.number;
      if (!dropped) by_x[i] += f.call.training ? g[i] / T(keep) : g[i];
    }
  }
}

namespace {

/// The numbers that share a mean and a variance: number k of set j at j * step + k * stride.
struct NormalizedSets {
  std::size_t count, size, step, stride;
  explicit NormalizedSets(const TensorOperation& op) {
    const std::size_t points = op.shape.points(), all = op.shape.size();
    if (op.over == NormalizeOver::channels) {
      count = points, size = all / points, step = 1, stride = points;
    } else {
      count =
          static_cast<std::size_t>(op.over == NormalizeOver::group ? op.groups : op.shape.channels);
      size = all / count, step = size, stride = 1;
    }
  }
};

template <class T>
struct Moments {
  T mean = 0, inverse_deviation = 0;
  Moments(const NormalizedSets& sets, const T* x, double epsilon) {
    const auto n = static_cast<T>(static_cast<double>(sets.size));
    for (std::size_t k = 0; k < sets.size; ++k) mean += x[k * sets.stride];
    mean = mean / n;
    T variance = 0;
    for (std::size_t k = 0; k < sets.size; ++k) {
      const T d = x[k * sets.stride] - mean;
      variance += d * d;
    }
    using std::sqrt;
    inverse_deviation = T(1) / sqrt(variance / n + T(epsilon));
  }
};

}  // namespace

template <class T>
void forward_normalize(const Operation<T>& f) {
  const NormalizedSets sets(f.op);
  for (std::size_t s = 0; s < f.call.n; ++s) {
    for (std::size_t j = 0; j < sets.count; ++j) {
      const T* x = f.in(0, s) + j * sets.step;
      T* out = f.out(s) + j * sets.step;
      const Moments<T> of(sets, x, f.op.number);
      for (std::size_t k = 0; k < sets.size; ++k) {
        out[k * sets.stride] = (x[k * sets.stride] - of.mean) * of.inverse_deviation;
      }
    }
  }
}

// With y the result and <> the mean over a set: by_x = (g - <g> - y <g y>) / deviation.

template <std::floating_point T>
void backward_normalize(const Operation<T>& f) {
  const NormalizedSets sets(f.op);
  for (std::size_t s = 0; s < f.call.n && f.call.by_inputs[0] != nullptr; ++s) {
    for (std::size_t j = 0; j < sets.count; ++j) {
      const T *x = f.in(0, s) + j * sets.step, *g = f.by_out(s) + j * sets.step;
      const T* y = f.out(s) + j * sets.step;
      T* by_x = f.by_in(0, s) + j * sets.step;
      const Moments<T> of(sets, x, f.op.number);
      T mean_g = 0, mean_gy = 0;
      for (std::size_t k = 0; k < sets.size; ++k) {
        mean_g += g[k * sets.stride];
        mean_gy += g[k * sets.stride] * y[k * sets.stride];
      }
      mean_g /= static_cast<T>(sets.size);
      mean_gy /= static_cast<T>(sets.size);
      for (std::size_t k = 0; k < sets.size; ++k) {
        const std::size_t i = k * sets.stride;
        by_x[i] += (g[i] - mean_g - y[i] * mean_gy) * of.inverse_deviation;
      }
    }
  }
}

#define CAUCHY_INSTANTIATE(name)                          \
  template void forward_##name(const Operation<float>&);  \
  template void forward_##name(const Operation<double>&); \
  template void forward_##name(const Operation<Dual>&);   \
  template void backward_##name(const Operation<float>&); \
  template void backward_##name(const Operation<double>&)
CAUCHY_INSTANTIATE(function);
CAUCHY_INSTANTIATE(soft_shrink);
CAUCHY_INSTANTIATE(scale);
CAUCHY_INSTANTIATE(shift);
CAUCHY_INSTANTIATE(arithmetic);
CAUCHY_INSTANTIATE(concatenate);
CAUCHY_INSTANTIATE(matrix_vector);
CAUCHY_INSTANTIATE(dropout);
CAUCHY_INSTANTIATE(normalize);
#undef CAUCHY_INSTANTIATE

}  // namespace cauchy::detail::reference
