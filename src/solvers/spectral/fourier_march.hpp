#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/base/function_ref.hpp>

#include "solvers/spectral/fourier_flow.hpp"

namespace cauchy::detail {

/// States at equally spaced times, the first one initial.
struct FourierHistory {
  double begin = 0, end = 1;
  std::size_t steps = 0;       ///< of the whole march
  std::vector<Modes> at = {};  ///< stored states
  bool finite = true;          ///< false: not finite soon after `reached`
  bool stopped = false;
  double reached = 0;

  [[nodiscard]] double time(std::size_t level) const {
    return begin + (end - begin) * static_cast<double>(level) / static_cast<double>(at.size() - 1);
  }
};

/// Marches from `y` by ETDRK4 in equal steps.
///   steps    a multiple of `stored`, the number of states to keep beside the initial one
///   stop     asked after every step with their number; true ends the march
[[nodiscard]] FourierHistory fourier_march(FourierFlow& flow, Modes y, double begin, double end,
                                           std::size_t steps, std::size_t stored,
                                           FunctionRef<bool(std::size_t)> stop);

/// Sizes of fields over a history, columns [0, n) of the modes. All are the largest of any field,
/// relative to its root mean square over space and time (a field that is next to nothing beside
/// the largest one is measured by that).
class FourierMeasure final {
 public:
  FourierMeasure(const FourierGrid& grid, std::size_t n_columns)
      : grid_(grid), n_columns_(n_columns) {}
  /// Difference of two histories of the same times; b may have stored more states.
  [[nodiscard]] double difference(const FourierHistory& a, const FourierHistory& b) const;
  /// Upper quarter of the modes in any direction.
  [[nodiscard]] double tail(const FourierHistory& h) const { return between(h, 0.75, 1); }
  /// What lies beyond the modes, if it goes on as the last two quarters: tail q / (1 - q).
  [[nodiscard]] double beyond(const FourierHistory& h) const;
  /// Error of interpolation in time by `width` states: what every other state tells of those
  /// between them, by a factor of 16 less (halved spacings give 2^width where all is smooth).
  [[nodiscard]] double time_gap(const FourierHistory& h, std::size_t width) const;
  /// Error of interpolation by `width` points between points n per direction.
  [[nodiscard]] double space_gap(const FourierHistory& h, const std::vector<std::size_t>& n,
                                 std::size_t width) const;

 private:
  /// Modes with the largest share of their highest number in this range, relative.
  [[nodiscard]] double between(const FourierHistory& h, double lower, double upper) const;
  template <class Square>
  [[nodiscard]] double relative(const FourierHistory& h, const Square& square) const;

  const FourierGrid& grid_;
  std::size_t n_columns_;
};

}  // namespace cauchy::detail
