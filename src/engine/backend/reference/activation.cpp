#include "engine/backend/reference/activation.hpp"

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace cauchy::reference {
namespace {

/// Taylor coefficients in t of a function of x + t.
using Series = std::vector<long double>;

Series variable(long double x, size_t n) {
  Series s(n, 0.0L);
  s[0] = x;
  if (n > 1) s[1] = 1;
  return s;
}

Series multiply(const Series& a, const Series& b) {
  Series c(a.size(), 0.0L);
  for (size_t k = 0; k < a.size(); ++k) {
    for (size_t j = 0; j <= k; ++j) c[k] += a[j] * b[k - j];
  }
  return c;
}

Series scale(Series a, long double factor) {
  for (long double& v : a) v *= factor;
  return a;
}

/// c = exp(a) from c' = a' c.
Series exponential(const Series& a) {
  Series c(a.size(), 0.0L);
  c[0] = std::exp(a[0]);
  for (size_t k = 1; k < a.size(); ++k) {
    for (size_t j = 1; j <= k; ++j) c[k] += static_cast<long double>(j) * a[j] * c[k - j];
    c[k] /= static_cast<long double>(k);
  }
  return c;
}

/// c = a / b from b c = a.
Series divide(const Series& a, const Series& b) {
  Series c(a.size(), 0.0L);
  for (size_t k = 0; k < a.size(); ++k) {
    long double sum = a[k];
    for (size_t j = 1; j <= k; ++j) sum -= b[j] * c[k - j];
    c[k] = sum / b[0];
  }
  return c;
}

Series integrate(long double constant, const Series& a) {
  Series c(a.size(), constant);
  for (size_t k = 1; k < a.size(); ++k) c[k] = a[k - 1] / static_cast<long double>(k);
  return c;
}

/// Sigmoid, evaluated at -|x| where exp cannot overflow and reflected: g(x) = 1 - g(-x).
Series sigmoid(long double x, size_t n) {
  const Series e = exponential(variable(std::max(-std::abs(x), -11000.0L), n));
  Series denominator = e;
  denominator[0] += 1;
  Series s = divide(e, denominator);
  if (x > 0) {
    s[0] = 1 - s[0];
    for (size_t k = 2; k < n; k += 2) s[k] = -s[k];
  }
  return s;
}

Series gaussian(long double x, long double p, size_t n) {
  const Series v = variable(std::clamp(x, -100.0L, 100.0L), n);
  return exponential(scale(multiply(v, v), -p));
}

Series taylor(Activation activation, long double x, long double a, long double b, size_t n) {
  switch (activation) {
    case Activation::identity:
      return variable(x, n);
    case Activation::tanh: {
      // tanh x = 2 g(2x) - 1
      Series s = scale(sigmoid(2 * x, n), 2);
      long double power = 1;
      for (long double& v : s) {
        v *= power;
        power *= 2;
      }
      s[0] = std::tanh(x);
      return s;
    }
    case Activation::sin:
      return taylor(Activation::wavelet, x, 1, 0, n);
    case Activation::cos:
      return taylor(Activation::wavelet, x, 0, 1, n);
    case Activation::wavelet: {
      Series s(n);
      const long double sine = std::sin(x);
      const long double cosine = std::cos(x);
      long double value = a * sine + b * cosine;
      long double slope = a * cosine - b * sine;
      long double factorial = 1;
      for (size_t k = 0; k < n; ++k) {
        if (k > 0) factorial *= static_cast<long double>(k);
        s[k] = value / factorial;
        const long double next = -value;
        value = slope;
        slope = next;
      }
      return s;
    }
    case Activation::sigmoid:
      return sigmoid(x, n);
    case Activation::silu: {
      Series s = multiply(variable(std::clamp(x, -11000.0L, 11000.0L), n), sigmoid(x, n));
      if (x > 11000) s[0] = x;
      return s;
    }
    case Activation::gelu: {
      const Series density = scale(gaussian(x, 0.5L, n), 0.398942280401432677939946059934381868L);
      const long double phi = std::erfc(-x * 0.707106781186547524400844362104849039L) / 2;
      Series s = multiply(variable(std::clamp(x, -100.0L, 100.0L), n), integrate(phi, density));
      if (x > 100) s[0] = x;
      return s;
    }
    case Activation::softplus:
      return integrate(std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))), sigmoid(x, n));
    case Activation::elu: {
      if (x > 0) return variable(x, n);
      Series s = exponential(variable(std::max(x, -11000.0L), n));
      s[0] = std::expm1(x);
      return s;
    }
    case Activation::relu:
      return x > 0 ? variable(x, n) : Series(n, 0.0L);
    case Activation::relu3: {
      Series s(n, 0.0L);
      if (x > 0) {
        const long double c[] = {x * x * x, 3 * x * x, 3 * x, 1};
        std::copy_n(c, std::min<size_t>(n, 4), s.begin());
      }
      return s;
    }
    case Activation::gaussian:
      return gaussian(x, 1, n);
    case Activation::exp: {
      Series s(n, std::exp(x));
      for (size_t k = 1; k < n; ++k) s[k] = s[k - 1] / static_cast<long double>(k);
      return s;
    }
    case Activation::sqrt: {
      // s s = x + t, so 2 s_0 s_k = - sum of s_j s_{k-j} for k > 1.
      Series s(n, std::sqrt(x));
      if (n > 1) s[1] = 0.5L / s[0];
      for (size_t k = 2; k < n; ++k) {
        s[k] = 0;
        for (size_t j = 1; j < k; ++j) s[k] -= s[j] * s[k - j];
        s[k] /= 2 * s[0];
      }
      return s;
    }
  }
  throw Error("unknown activation", "[engine.activation]");
}

}  // namespace

template <class T>
void activation_derivatives(Activation activation, int order, T x, T* out, T a, T b) {
  if (order < 0 || order > kMaxActivationOrder) {
    throw Error("derivative order out of range", "[engine.activation]");
  }
  const auto n = static_cast<size_t>(order) + 1;
  const Series s = taylor(activation, static_cast<long double>(x), static_cast<long double>(a),
                          static_cast<long double>(b), n);
  long double factorial = 1;
  for (size_t k = 0; k < n; ++k) {
    if (k > 0) factorial *= static_cast<long double>(k);
    out[k] = static_cast<T>(s[k] * factorial);
  }
}

template void activation_derivatives(Activation, int, float, float*, float, float);
template void activation_derivatives(Activation, int, double, double*, double, double);

}  // namespace cauchy::reference
