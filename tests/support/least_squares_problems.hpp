#pragma once

#include <cauchy/base/rng.hpp>
#include <cauchy/optimizers/least_squares.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Sums of squares with known minima (More, Garbow and Hillstrom 1981; NIST reference datasets).

namespace cauchy::minimization {

/// A sum of squares from one callable, which writes r, and J unless it is empty. Counts its calls.
class Residuals final : public LeastSquares {
 public:
  using Function =
      std::function<void(std::span<const double> x, std::span<double> r, std::span<double> j)>;
  Residuals(std::size_t m, std::size_t n, Function f) : m_(m), n_(n), f_(std::move(f)) {}

  [[nodiscard]] std::size_t size() const override { return n_; }
  [[nodiscard]] std::size_t n_residuals() const override { return m_; }
  void residuals(std::span<const double> x, std::span<double> r) override {
    ++residual_calls;
    f_(x, r, {});
  }
  void jacobian(std::span<const double> x, std::span<double> r, std::span<double> j) override {
    ++jacobian_calls;
    f_(x, r, j);
  }
  void jacobian_times(std::span<const double> x, std::span<const double> v,
                      std::span<double> out) override {
    std::vector<double> r(m_), j(m_ * n_);
    f_(x, r, j);
    for (std::size_t i = 0; i < m_; ++i) {
      out[i] = 0;
      for (std::size_t k = 0; k < n_; ++k) out[i] += j[i * n_ + k] * v[k];
    }
  }
  void jacobian_transposed_times(std::span<const double> x, std::span<const double> w,
                                 std::span<double> out) override {
    std::vector<double> r(m_), j(m_ * n_);
    f_(x, r, j);
    for (std::size_t k = 0; k < n_; ++k) {
      out[k] = 0;
      for (std::size_t i = 0; i < m_; ++i) out[k] += j[i * n_ + k] * w[i];
    }
  }
  [[nodiscard]] double value(std::span<const double> x) override {
    std::vector<double> r(m_);
    f_(x, r, {});
    double sum = 0;
    for (const double v : r) sum += v * v;
    return sum;
  }
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override {
    std::vector<double> r(m_);
    f_(x, r, {});
    jacobian_transposed_times(x, r, g);
    for (double& v : g) v *= 2;
    return value(x);
  }

  int residual_calls = 0, jacobian_calls = 0;

 private:
  std::size_t m_, n_;
  Function f_;
};

/// r = A x - b with random A (m x n), of rank at most `rank`, and random b; columns are scaled by
/// 10^(-decades k / (n - 1)).
struct LinearResiduals {
  std::size_t m, n;
  std::vector<double> a, b;
  LinearResiduals(std::size_t rows, std::size_t columns, std::uint64_t seed, double decades = 0,
                  std::size_t rank = 1000)
      : m(rows), n(columns), a(rows * columns), b(rows) {
    Rng rng(seed);
    for (double& v : a) v = rng.normal();
    for (double& v : b) v = rng.normal();
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        if (k >= rank) a[i * n + k] = a[i * n + k % rank];  // columns repeat
      }
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        a[i * n + k] *= std::pow(
            10.0, -decades * static_cast<double>(k) / static_cast<double>(n > 1 ? n - 1 : 1));
      }
    }
  }
  void operator()(std::span<const double> x, std::span<double> r, std::span<double> j) const {
    for (std::size_t i = 0; i < m; ++i) {
      r[i] = -b[i];
      for (std::size_t k = 0; k < n; ++k) r[i] += a[i * n + k] * x[k];
    }
    for (std::size_t i = 0; i < j.size(); ++i) j[i] = a[i];
  }
};

inline void rosenbrock_residuals(std::span<const double> x, std::span<double> r,
                                 std::span<double> j) {
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
  if (j.empty()) return;
  j[0] = -20 * x[0];
  j[1] = 10;
  j[2] = -1;
  j[3] = 0;
}

inline void powell_residuals(std::span<const double> x, std::span<double> r, std::span<double> j) {
  const double u = x[1] - 2 * x[2], v = x[0] - x[3], s5 = std::sqrt(5.0), s10 = std::sqrt(10.0);
  r[0] = x[0] + 10 * x[1];
  r[1] = s5 * (x[2] - x[3]);
  r[2] = u * u;
  r[3] = s10 * v * v;
  if (j.empty()) return;
  const double rows[] = {1, 10,    0,      0, 0,           0, s5, -s5,
                         0, 2 * u, -4 * u, 0, 2 * s10 * v, 0, 0,  -2 * s10 * v};
  for (std::size_t i = 0; i < 16; ++i) j[i] = rows[i];
}

inline void beale_residuals(std::span<const double> x, std::span<double> r, std::span<double> j) {
  const double target[] = {1.5, 2.25, 2.625};
  double power = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    const double lower = power;
    power *= x[1];
    r[k] = target[k] - x[0] * (1 - power);
    if (j.empty()) continue;
    j[2 * k] = power - 1;
    j[2 * k + 1] = x[0] * static_cast<double>(k + 1) * lower;
  }
}

/// Brown's badly scaled function; minimum 0 at (1e6, 2e-6).
inline void brown_residuals(std::span<const double> x, std::span<double> r, std::span<double> j) {
  r[0] = x[0] - 1e6;
  r[1] = x[1] - 2e-6;
  r[2] = x[0] * x[1] - 2;
  if (j.empty()) return;
  const double rows[] = {1, 0, 0, 1, x[1], x[0]};
  for (std::size_t i = 0; i < 6; ++i) j[i] = rows[i];
}

/// Meyer's function (NIST MGH10): a exp(b / (t + c)) at t = 50, 55, ..., 125.
inline void meyer_residuals(std::span<const double> x, std::span<double> r, std::span<double> j) {
  const double y[] = {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744,
                      8261,  7030,  6005,  5147,  4427,  3820,  3307,  2872};
  for (std::size_t i = 0; i < 16; ++i) {
    const double t = 45 + 5 * static_cast<double>(i + 1), s = t + x[2], e = std::exp(x[1] / s);
    r[i] = x[0] * e - y[i];
    if (j.empty()) continue;
    j[3 * i] = e;
    j[3 * i + 1] = x[0] * e / s;
    j[3 * i + 2] = -x[0] * e * x[1] / (s * s);
  }
}

/// Osborne's first function: x0 + x1 exp(-x3 t) + x2 exp(-x4 t) at t = 0, 10, ..., 320.
inline void osborne_residuals(std::span<const double> x, std::span<double> r, std::span<double> j) {
  const double y[] = {0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751,
                      0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490,
                      0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406};
  for (std::size_t i = 0; i < 33; ++i) {
    const double t = 10 * static_cast<double>(i);
    const double e = std::exp(-x[3] * t), g = std::exp(-x[4] * t);
    r[i] = x[0] + x[1] * e + x[2] * g - y[i];
    if (j.empty()) continue;
    double* row = &j[5 * i];
    row[0] = 1;
    row[1] = e;
    row[2] = g;
    row[3] = -t * x[1] * e;
    row[4] = -t * x[2] * g;
  }
}

}  // namespace cauchy::minimization
