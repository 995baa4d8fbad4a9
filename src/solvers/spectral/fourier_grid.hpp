#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/math/fft.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// Fourier coefficients of one or more functions, one after the other.
using Modes = AlignedVector<std::complex<double>>;

/// Points of a periodic box and the modes of real functions on them that are kept,
///   u(x) = sum_k c_k exp(2 pi i sum_d k_d (x_d - lower_d) / length_d),  |k_d| <= highest_d,
/// of which those with k >= 0 in the last direction are stored, mode 0 first. Coefficients do not
/// depend on the number of points.
class FourierGrid final {
 public:
  /// highest  at most (n - 1) / 2 in each direction, so that no mode stands for two
  FourierGrid(std::vector<double> lower, std::vector<double> length, std::vector<std::size_t> n,
              std::vector<std::size_t> highest);

  [[nodiscard]] std::size_t n_modes() const noexcept { return n_modes_; }
  [[nodiscard]] std::size_t n_points() const noexcept { return fft_.real_size(); }
  [[nodiscard]] const std::vector<std::size_t>& n() const noexcept { return fft_.shape(); }
  [[nodiscard]] const std::vector<std::size_t>& highest() const noexcept { return highest_; }
  [[nodiscard]] std::vector<double> nodes(std::size_t direction) const;
  /// All points, with columns of these names.
  [[nodiscard]] Points points(const std::vector<std::string>& names) const;

  /// The whole number k_d of a mode.
  [[nodiscard]] long index(std::size_t mode, std::size_t direction) const;
  /// 2 pi k_d / length_d.
  [[nodiscard]] double wave_number(std::size_t mode, std::size_t direction) const;
  /// How often a mode counts in a sum over all modes: 2, with the one that is not stored.
  [[nodiscard]] double weight(std::size_t mode) const;
  /// Mean square of a function: sum of weight |c|^2.
  [[nodiscard]] double mean_square(std::span<const std::complex<double>> modes) const;

  /// Work space of one transform; to be made by the grid that uses it.
  struct Scratch {
    Modes spectrum;  // to points: zero where no mode is kept
    Modes result;    // to modes
    AlignedVector<double> work;
  };
  [[nodiscard]] Scratch scratch() const;
  /// A derivative, prepared: factors of the modes.
  struct Derivative {
    std::vector<double> rows, last;
    int turns = 0;  // factor i^turns
  };
  [[nodiscard]] Derivative derivative(std::span<const int> orders) const;

  /// Values at the points of a derivative of a function. The modes may be those of another grid
  /// with as many: they do not depend on the number of points.
  void to_points(std::span<const std::complex<double>> modes, const Derivative& derivative,
                 std::span<double> values, Scratch& scratch) const;
  /// Coefficients of the kept modes.
  void to_modes(std::span<const double> values, std::span<std::complex<double>> modes,
                Scratch& scratch) const;
  /// The value at any point.
  [[nodiscard]] double value_at(std::span<const std::complex<double>> modes,
                                std::span<const double> x) const;

 private:
  std::vector<double> lower_, length_;
  std::vector<std::size_t> highest_;
  RealFft<double> fft_;
  std::size_t n_last_;  // modes in the last direction
  std::size_t n_modes_;
  std::vector<std::size_t> row_at_;  // place of each row of modes in a full spectrum
};

}  // namespace cauchy::detail
