#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "solvers/classical/semi_discrete.hpp"

namespace cauchy::test {

/// F(t, y, y') = 0 by a function; its Jacobian by central differences.
class FunctionSystem final : public detail::SemiDiscrete {
 public:
  using Function = std::function<void(double t, std::span<const double> y,
                                      std::span<const double> dy, std::span<double> out)>;
  FunctionSystem(std::vector<char> differential, Function f)
      : differential_(std::move(differential)), f_(std::move(f)) {}

  [[nodiscard]] std::size_t size() const override { return differential_.size(); }
  [[nodiscard]] const std::vector<char>& differential() const override { return differential_; }
  void residual(double t, std::span<const double> y, std::span<const double> dy,
                std::span<double> out) override {
    f_(t, y, dy, out);
  }
  void jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                SparseMatrix& out) override {
    const std::size_t n = size();
    std::vector<SparseMatrix::Entry> entries;
    std::vector<double> v(y.begin(), y.end()), w(dy.begin(), dy.end()), above(n), below(n);
    const auto difference = [&](std::vector<double>& x, std::size_t j, double factor) {
      const double old = x[j], h = 6e-6 * std::max(1.0, std::abs(old));
      x[j] = old + h;
      f_(t, v, w, above);
      x[j] = old - h;
      f_(t, v, w, below);
      x[j] = old;
      for (std::size_t i = 0; i < n; ++i) {
        entries.push_back({i, j, factor * (above[i] - below[i]) / (2 * h)});
      }
    };
    for (std::size_t j = 0; j < n; ++j) {
      difference(v, j, 1);
      difference(w, j, a);
    }
    out = SparseMatrix(n, n, entries);
  }

 private:
  std::vector<char> differential_;
  Function f_;
};

/// u_t = d u_xx on (0, 1) at n inner nodes, with u = 0 at the ends, which are algebraic unknowns.
inline FunctionSystem heat_system(std::size_t n, double d) {
  std::vector<char> differential(n + 2, 1);
  differential.front() = differential.back() = 0;
  return {differential, [n, d](double, auto y, auto dy, auto out) {
            const double h = 1 / static_cast<double>(n + 1);
            out[0] = y[0];
            out[n + 1] = y[n + 1];
            for (std::size_t i = 1; i <= n; ++i) {
              out[i] = dy[i] - d * (y[i - 1] - 2 * y[i] + y[i + 1]) / (h * h);
            }
          }};
}

}  // namespace cauchy::test
