#pragma once

#include <cauchy/applications/reservoir.hpp>

namespace cauchy::detail {

/// Mobilities k_r / mu of both fluids, 1/cP, and their derivatives by the saturation.
struct Mobility {
  double water = 0, oil = 0, d_water = 0, d_oil = 0;
  [[nodiscard]] double total() const noexcept { return water + oil; }
  [[nodiscard]] double d_total() const noexcept { return d_water + d_oil; }
  /// The share of water in what flows, and its derivative.
  [[nodiscard]] double fraction() const noexcept { return water / total(); }
  [[nodiscard]] double d_fraction() const noexcept {
    return (d_water * oil - water * d_oil) / (total() * total());
  }
};

/// Mobilities and capillary pressure as functions of the saturation of water.
class FlowCurves final {
 public:
  explicit FlowCurves(const ReservoirFluids& fluids);

  [[nodiscard]] Mobility at(double saturation) const;
  [[nodiscard]] bool has_capillary() const noexcept { return fluids_.entry_pressure > 0; }
  /// p_o - p_w in bar, and its derivative, which is not positive.
  [[nodiscard]] double capillary(double saturation) const;
  [[nodiscard]] double d_capillary(double saturation) const;

  [[nodiscard]] double lowest() const noexcept { return fluids_.curves.connate_water; }
  [[nodiscard]] double highest() const noexcept { return 1 - fluids_.curves.residual_oil; }
  [[nodiscard]] double water_weight() const noexcept;  ///< bar/m; 0 without gravity
  [[nodiscard]] double oil_weight() const noexcept;

  // Bounds over all saturations, for stable steps.
  [[nodiscard]] double steepest_fraction() const noexcept { return steepest_fraction_; }
  [[nodiscard]] double steepest_mobility() const noexcept { return steepest_mobility_; }
  /// Of water * oil / total * |d_capillary|.
  [[nodiscard]] double largest_diffusion() const noexcept { return largest_diffusion_; }

 private:
  [[nodiscard]] double moving(double saturation) const;

  ReservoirFluids fluids_;
  double scale_;  // ds/dS
  double steepest_fraction_ = 0, steepest_mobility_ = 0, largest_diffusion_ = 0;
};

}  // namespace cauchy::detail
