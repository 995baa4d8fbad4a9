#pragma once

#include <string>
#include <vector>

#include "solvers/spectral/etdrk4.hpp"
#include "solvers/spectral/fourier_form.hpp"
#include "solvers/spectral/fourier_grid.hpp"

namespace cauchy::detail {

/// The linear part of a form, solved mode by mode for the rates of what evolves (y) and for the
/// rest of the columns (a). With f = -(rest + constant), one row of modes per row of the form:
///   y' = L y + B f,   a = R y + G f
/// Rows without rates are constraints. They give a directly (vorticity and stream function), or,
/// where they do not hold it, after one derivative in time (incompressible flow: the divergence of
/// the momentum equations gives the pressure); then they hold for all times if they do at first.
struct FourierSystem {
  ModeMatrices L, B, R, G;
  ModeMatrices projection;  ///< of initial values onto such constraints; empty: there are none
  /// A column that the equations leave open at mode 0 (the mean of a pressure), and a row that is
  /// left out in return. It must hold by itself.
  struct Open {
    std::size_t column = 0, row = 0;
  };
  std::vector<Open> open;
  std::string failure;  ///< not empty: a sentence, why there is no such solution
};
[[nodiscard]] FourierSystem fourier_system(const SpectralForm& form, const FourierGrid& grid);

}  // namespace cauchy::detail
