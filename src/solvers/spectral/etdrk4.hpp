#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/base/function_ref.hpp>

#include "solvers/spectral/fourier_grid.hpp"

namespace cauchy::detail {

/// A small square matrix of complex numbers, row-major.
struct SmallMatrix {
  std::size_t n = 0;
  std::vector<std::complex<double>> a;

  explicit SmallMatrix(std::size_t size = 0) : n(size), a(size * size) {}
  std::complex<double>& operator()(std::size_t i, std::size_t j) { return a[i * n + j]; }
  const std::complex<double>& operator()(std::size_t i, std::size_t j) const {
    return a[i * n + j];
  }
};
[[nodiscard]] SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b);

/// phi_0(z) = e^z, phi_{k+1}(z) = (phi_k(z) - 1/k!) / z for k = 0, 1, 2: integrals of exponentials.
using Phi = std::array<std::complex<double>, 4>;
/// phi_0, ..., phi_3 of a number. The formula cancels near 0: inside of |z| < 2 the power series is
/// summed instead.
///   error    about 8 eps, relative
[[nodiscard]] Phi phi_functions(std::complex<double> z);
/// The same for a matrix, of z/2 and of z: a series after scaling, then doubling. Nothing is asked
/// of the eigenvalues, they may coincide or be zero.
///   error    eps |z|, |z| after balancing
struct MatrixPhi {
  std::array<SmallMatrix, 4> half, full;
};
[[nodiscard]] MatrixPhi phi_functions(const SmallMatrix& z);

/// One small matrix per mode; entries that are zero for all modes cost nothing.
class ModeMatrices final {
 public:
  ModeMatrices() = default;
  ModeMatrices(std::size_t rows, std::size_t cols, std::size_t n_modes)
      : rows_(rows), cols_(cols), n_modes_(n_modes), entries_(rows * cols) {}

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::size_t n_modes() const noexcept { return n_modes_; }
  [[nodiscard]] bool is_zero(std::size_t i, std::size_t j) const { return entry(i, j).empty(); }
  [[nodiscard]] bool is_diagonal() const;
  [[nodiscard]] std::complex<double> at(std::size_t i, std::size_t j, std::size_t mode) const {
    return is_zero(i, j) ? 0 : entry(i, j)[mode];
  }
  void set(std::size_t i, std::size_t j, std::size_t mode, std::complex<double> value);

  /// out = M in, or out += M in: functions are rows of n_modes numbers.
  void apply(std::span<const std::complex<double>> in, std::span<std::complex<double>> out) const;
  void add(std::span<const std::complex<double>> in, std::span<std::complex<double>> out) const;

 private:
  [[nodiscard]] const Modes& entry(std::size_t i, std::size_t j) const {
    return entries_[i * cols_ + j];
  }
  std::size_t rows_ = 0, cols_ = 0, n_modes_ = 0;
  std::vector<Modes> entries_;
};

/// Exponential time differencing of order four (Cox and Matthews 2002) with a fixed step h for
///   y' = L y + N(t, y)
/// with small matrices L per mode. What is linear is exact, for any step.
class Etdrk4 final {
 public:
  /// N(t, y, out).
  using Nonlinear = FunctionRef<void(double t, const Modes& y, Modes& out)>;

  Etdrk4(const ModeMatrices& linear, double step);
  [[nodiscard]] double step() const noexcept { return h_; }
  void advance(double t, Modes& y, Nonlinear nonlinear);
  /// y' = L y alone.
  void advance(Modes& y);

 private:
  double h_;
  ModeMatrices full_, half_, q_, f1_, f2_, f3_;
  Modes y_half_, a_, n1_, n2_, n3_, out_;
};

}  // namespace cauchy::detail
