#include "engine/cpp_header_text.hpp"

#include <array>

#include <fmt/format.h>

namespace cauchy::detail {
namespace {

struct CppActivation {
  Activation activation;
  const char* body;
};

// Taylor coefficients s[k] of s(x + t), from an equation for s' or for s itself.
constexpr std::array cpp_activation_table{
    CppActivation{Activation::identity, R"(  s[0] = x;
  for (int k = 1; k <= order; ++k) s[k] = k == 1 ? 1 : 0;
)"},
    CppActivation{Activation::tanh, R"(  s[0] = std::tanh(x);  // s' = 1 - s^2
  for (int k = 0; k < order; ++k) s[k + 1] = ((k == 0 ? 1 : 0) - convolution(s, s, k)) / (k + 1);
  to_derivatives(order, s);
)"},
    CppActivation{Activation::sin, R"(  const double cycle[] = {std::sin(x), std::cos(x)};
  for (int k = 0; k <= order; ++k) s[k] = (k / 2 % 2 == 0 ? 1 : -1) * cycle[k % 2];
)"},
    CppActivation{Activation::cos, R"(  const double cycle[] = {std::cos(x), -std::sin(x)};
  for (int k = 0; k <= order; ++k) s[k] = (k / 2 % 2 == 0 ? 1 : -1) * cycle[k % 2];
)"},
    CppActivation{Activation::sigmoid, R"(  sigmoid_series(x, order, s);
  to_derivatives(order, s);
)"},
    CppActivation{Activation::silu, R"(  double g[max_order + 1];
  sigmoid_series(x, order, g);
  for (int k = 0; k <= order; ++k) s[k] = x * g[k] + (k > 0 ? g[k - 1] : 0);
  to_derivatives(order, s);
)"},
    CppActivation{Activation::gelu,
                  R"(  double g[max_order + 1], e[max_order + 1];  // g' = e, e' = -x e
  gaussian_series(x, 0.5, order, e);
  g[0] = std::erfc(-x * 0.70710678118654752) / 2;
  for (int k = 0; k < order; ++k) g[k + 1] = 0.39894228040143268 * e[k] / (k + 1);
  for (int k = 0; k <= order; ++k) s[k] = x * g[k] + (k > 0 ? g[k - 1] : 0);
  to_derivatives(order, s);
)"},
    CppActivation{Activation::softplus, R"(  double g[max_order + 1];  // s' = g
  sigmoid_series(x, order, g);
  s[0] = (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
  for (int k = 0; k < order; ++k) s[k + 1] = g[k] / (k + 1);
  to_derivatives(order, s);
)"},
    CppActivation{Activation::elu, R"(  const double e = x > 0 ? 0 : std::exp(x);
  s[0] = x > 0 ? x : std::expm1(x);
  for (int k = 1; k <= order; ++k) s[k] = x > 0 ? (k == 1 ? 1 : 0) : e;
)"},
    CppActivation{
        Activation::relu,
        R"(  for (int k = 0; k <= order; ++k) s[k] = x > 0 && k < 2 ? (k == 0 ? x : 1) : 0;
)"},
    CppActivation{Activation::relu3, R"(  const double p[] = {x * x * x, 3 * x * x, 6 * x, 6};
  for (int k = 0; k <= order; ++k) s[k] = x > 0 && k < 4 ? p[k] : 0;
)"},
    CppActivation{Activation::gaussian, R"(  gaussian_series(x, 1, order, s);
  to_derivatives(order, s);
)"},
    CppActivation{Activation::exp, R"(  const double e = std::exp(x);
  for (int k = 0; k <= order; ++k) s[k] = e;
)"},
    CppActivation{Activation::sqrt, R"(  s[0] = std::sqrt(x);  // s s = x + t
  for (int k = 1; k <= order; ++k) {
    double sum = k == 1 ? 1 : 0;
    for (int j = 1; j < k; ++j) sum -= s[j] * s[k - j];
    s[k] = sum / (2 * s[0]);
  }
  to_derivatives(order, s);
)"},
};

}  // namespace

std::string cpp_activations(const std::set<Activation>& used) {
  std::string text;
  for (const CppActivation& a : cpp_activation_table) {
    if (!used.contains(a.activation)) continue;
    text += fmt::format("inline void {}_derivatives(double x, int order, double* s) {{\n{}}}\n",
                        to_string(a.activation), a.body);
  }
  return text;
}

std::string cpp_operations() {
  return R"(// A value has rows with J::components numbers each, the value itself and derivatives of it by the
// coordinates: component c of row r of n rows is at [c * n + r].

/// h_component += coefficient s^(order)(z_0) z_factors[0] ... z_factors[order - 1] for h = s(z)
struct Compose {
  double coefficient;
  int component, order, factors[max_order > 0 ? max_order : 1];
};
/// h_component += coefficient f_left g_right for h = f g
struct Product {
  double coefficient;
  int component, left, right;
};

template <class J>
void coordinates(int rows, const double* x, double* y) {
  for (int i = 0; i < J::components * rows; ++i) y[i] = i < rows ? x[i] : J::seeds[i];
}

/// `groups` matrices with their columns one after the other.
template <class J>
void affine(int groups, int rows, int cols, const double* w, const double* b, const double* x,
            double* y) {
  for (int c = 0; c < J::components; ++c) {
    for (int g = 0; g < groups; ++g) {
      double* out = y + (c * groups + g) * rows;
      for (int r = 0; r < rows; ++r) out[r] = c == 0 && b != nullptr ? b[g * rows + r] : 0;
      for (int k = 0; k < cols; ++k) {
        const double factor = x[(c * groups + g) * cols + k];
        const double* column = w + (g * cols + k) * rows;
        for (int r = 0; r < rows; ++r) out[r] += factor * column[r];
      }
    }
  }
}

/// One row of y = s(x) from the derivatives s[k * stride].
template <class J>
void compose(const double* s, int stride, const double* x, int x_rows, double* y, int y_rows) {
  y[0] = s[0];
  for (int c = 1; c < J::components; ++c) y[c * y_rows] = 0;
  for (int i = 0; i < J::n_compose; ++i) {
    const Compose& t = J::compose[i];
    double product = t.coefficient * s[t.order * stride];
    for (int k = 0; k < t.order; ++k) product *= x[t.factors[k] * x_rows];
    y[t.component * y_rows] += product;
  }
}

template <class J, class S>
void activation(int rows, S derivatives, const double* x, double* y) {
  double s[J::order + 1];
  for (int r = 0; r < rows; ++r) {
    derivatives(x[r], J::order, s);
    compose<J>(s, 1, x + r, rows, y + r, rows);
  }
}

template <class J, int size, class S>
void basis(int rows, S derivatives, const double* x, double* y) {
  double s[(J::order + 1) * size];
  for (int r = 0; r < rows; ++r) {
    derivatives(x[r], J::order, s);
    for (int j = 0; j < size; ++j) {
      compose<J>(s + j, size, x + r, rows, y + r * size + j, rows * size);
    }
  }
}

/// Times one number, or one per row; likewise plus.
template <class J>
void scale(int rows, int n, const double* w, const double* x, double* y) {
  for (int i = 0; i < J::components * rows; ++i) y[i] = w[n == 1 ? 0 : i % rows] * x[i];
}
template <class J>
void shift(int rows, int n, const double* w, const double* x, double* y) {
  for (int i = 0; i < J::components * rows; ++i) y[i] = x[i] + (i < rows ? w[n == 1 ? 0 : i] : 0);
}

/// A value with one row serves all rows.
inline int row_of(int rows, int r) { return rows == 1 ? 0 : r; }
template <class J>
void add(int rows, int f_rows, const double* f, int g_rows, const double* g, double sign,
         double* y) {
  for (int c = 0; c < J::components; ++c) {
    for (int r = 0; r < rows; ++r) {
      y[c * rows + r] = f[c * f_rows + row_of(f_rows, r)] + sign * g[c * g_rows + row_of(g_rows, r)];
    }
  }
}
template <class J>
void multiply(int rows, int f_rows, const double* f, int g_rows, const double* g, double* y) {
  for (int i = 0; i < J::components * rows; ++i) y[i] = 0;
  for (const Product& p : J::products) {
    for (int r = 0; r < rows; ++r) {
      y[p.component * rows + r] +=
          p.coefficient * f[p.left * f_rows + row_of(f_rows, r)] * g[p.right * g_rows + row_of(g_rows, r)];
    }
  }
}
/// y g = f, solved component by component: y_left of lower ones is known.
template <class J>
void divide(int rows, int f_rows, const double* f, int g_rows, const double* g, double* y) {
  for (int c = 0; c < J::components; ++c) {
    for (int r = 0; r < rows; ++r) {
      double rest = f[c * f_rows + row_of(f_rows, r)];
      for (const Product& p : J::products) {
        if (p.component != c || p.left == c) continue;
        rest -= p.coefficient * y[p.left * rows + r] * g[p.right * g_rows + row_of(g_rows, r)];
      }
      y[c * rows + r] = rest / g[row_of(g_rows, r)];
    }
  }
}

/// Rows [0, n) of x from row `from` on become rows of y from row `to` on.
template <class J>
void copy(int n, int x_rows, const double* x, int from, int y_rows, double* y, int to) {
  for (int c = 0; c < J::components; ++c) {
    for (int r = 0; r < n; ++r) y[c * y_rows + to + r] = x[c * x_rows + from + r];
  }
}
template <class J>
void repeat(int rows, int group, int x_rows, const double* x, double* y) {
  for (int c = 0; c < J::components; ++c) {
    for (int r = 0; r < rows; ++r) y[c * rows + r] = x[c * x_rows + r / group % x_rows];
  }
}
template <class J>
void row_sum(int rows, int group, const double* x, double* y) {
  for (int i = 0; i < J::components * rows; ++i) {
    y[i] = 0;
    for (int k = 0; k < group; ++k) y[i] += x[i * group + k];
  }
}

inline void to_derivatives(int order, double* s) {
  double factorial = 1;
  for (int k = 1; k <= order; ++k) s[k] *= factorial *= k;
}
inline double convolution(const double* a, const double* b, int k) {
  double sum = 0;
  for (int j = 0; j <= k; ++j) sum += a[j] * b[k - j];
  return sum;
}
/// Taylor coefficients of 1 / (1 + exp(-x)), s' = s (1 - s), and of exp(-p x^2), s' = -2 p x s.
inline void sigmoid_series(double x, int order, double* s) {
  const double e = std::exp(-std::fabs(x)), small = e / (1 + e), large = 1 / (1 + e);
  s[0] = x < 0 ? small : large;
  if (order > 0) s[1] = small * large;
  for (int k = 1; k < order; ++k) s[k + 1] = (s[k] - convolution(s, s, k)) / (k + 1);
}
inline void gaussian_series(double x, double p, int order, double* s) {
  s[0] = std::exp(-p * x * x);
  for (int k = 0; k < order; ++k) s[k + 1] = -2 * p * (x * s[k] + (k > 0 ? s[k - 1] : 0)) / (k + 1);
}
)";
}

}  // namespace cauchy::detail
