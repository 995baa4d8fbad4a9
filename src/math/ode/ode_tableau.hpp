#pragma once

#include <cstdint>
#include <span>

namespace cauchy::detail {

/// An explicit Runge-Kutta pair whose last stage is the slope at the end of the step (row `stages
/// - 1` of a holds the weights), with a continuous extension in perhaps some more stages.
struct OdeTableau {
  struct Entry {
    std::int16_t row, column;
    double value;
  };
  int order;
  int stages, all_stages;  ///< of a step, and with those of the extension
  int n_dense;             ///< coefficients of the extension; `dense` gives those beyond the fourth
  double stability;        ///< h |lambda| beyond which steps are taken to be limited by stability
  double smallest, largest;  ///< change of the step
  double beta;               ///< of the step control: h ~ error^(-1/p + 0.75 beta) last^beta
  std::span<const double> c;
  std::span<const Entry> a;          ///< sorted by rows
  std::span<const Entry> error;      ///< one row
  std::span<const Entry> error_low;  ///< one row: a second estimate of lower order; or empty
  std::span<const Entry> dense;
};

[[nodiscard]] const OdeTableau& dopri5_tableau() noexcept;
[[nodiscard]] const OdeTableau& dop853_tableau() noexcept;

}  // namespace cauchy::detail
