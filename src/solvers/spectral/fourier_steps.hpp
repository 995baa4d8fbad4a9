#pragma once

#include <string>
#include <vector>

#include <cauchy/geometry/domain.hpp>
#include <cauchy/problem/run_options.hpp>

#include "solvers/spectral/fourier_march.hpp"

namespace cauchy::detail {

/// How many steps a march takes and how many states it keeps.
struct FourierSteps {
  double tolerance = 1e-4;        ///< relative error; a tenth of it is allowed to time
  double step = 0;                ///< 0: as small as the tolerance asks for
  std::size_t first_steps = 1;    ///< to begin with, of a march whose step is not given
  std::size_t most_stored = 512;  ///< a power of 2
};

/// States of the last march, and how it went.
struct FourierRun {
  FourierHistory history = {};  ///< no states: there was none to the end
  double time_error = 0;        ///< relative; infinite: not known
  double time_gap = 0;          ///< relative error of interpolation between the states
  bool finite = true, stopped = false;
  std::vector<std::string> troubles = {}, remarks = {};
};

/// Marches with more and more steps until the last two marches agree, and keeps more and more
/// states until those between them follow from them; no finer than the modes resolve.
///   status   a march that ceases to be finite is tried with smaller steps; when that does not
///            help, and when the steps become too many, it is a trouble
[[nodiscard]] FourierRun fourier_run(FourierFlow& flow, const Modes& initial, const Time& time,
                                     std::size_t n_columns, const FourierSteps& how,
                                     const RunOptions& options, const std::string& message);

/// Of the interpolation of an answer in time, which the states must serve.
constexpr std::size_t fourier_time_width = 8;

}  // namespace cauchy::detail
