#include "applications/reservoir/flow_curves.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {
namespace {

constexpr double capillary_bend = 0.05;  // below it the capillary pressure goes straight on
constexpr int curve_scan = 2000;         // places where bounds are looked for
constexpr double scan_margin = 1.02;     // between two of them

/// s^n for 0 <= s <= 1, quick for the exponents that people use.
double corey_power(double s, double n) {
  if (n == 2) return s * s;
  if (n == 1) return s;
  if (n == 3) return s * s * s;
  return std::pow(s, n);
}

double corey_slope(double s, double n) {
  if (n == 2) return 2 * s;
  if (n == 1) return 1;
  return n * corey_power(s, n - 1);
}

}  // namespace

FlowCurves::FlowCurves(const ReservoirFluids& fluids)
    : fluids_(fluids), scale_(1 / (1 - fluids.curves.connate_water - fluids.curves.residual_oil)) {
  for (int i = 0; i <= curve_scan; ++i) {
    const double s = lowest() + (highest() - lowest()) * i / curve_scan;
    const Mobility m = at(s);
    steepest_fraction_ = std::max(steepest_fraction_, m.d_fraction());
    steepest_mobility_ = std::max({steepest_mobility_, m.d_water, -m.d_oil});
    largest_diffusion_ =
        std::max(largest_diffusion_, -d_capillary(s) * m.water * m.oil / m.total());
  }
  steepest_fraction_ *= scan_margin;
  steepest_mobility_ *= scan_margin;
  largest_diffusion_ *= scan_margin;
}

double FlowCurves::moving(double saturation) const {
  return std::clamp((saturation - fluids_.curves.connate_water) * scale_, 0.0, 1.0);
}

Mobility FlowCurves::at(double saturation) const {
  const CoreyCurves& c = fluids_.curves;
  const double s = moving(saturation);
  const double water = c.water_end / fluids_.water_viscosity;
  const double oil = c.oil_end / fluids_.oil_viscosity;
  return {.water = water * corey_power(s, c.water_exponent),
          .oil = oil * corey_power(1 - s, c.oil_exponent),
          .d_water = water * scale_ * corey_slope(s, c.water_exponent),
          .d_oil = -oil * scale_ * corey_slope(1 - s, c.oil_exponent)};
}

double FlowCurves::capillary(double saturation) const {
  if (!has_capillary()) return 0;
  // Straight on beyond the ends too, so that the pressure tells how far a cell is outside.
  const double s = (saturation - fluids_.curves.connate_water) * scale_;
  const double bent = std::max(s, capillary_bend);
  const double at_bend = fluids_.entry_pressure * std::pow(bent, -1 / fluids_.pore_index);
  return at_bend - at_bend / (fluids_.pore_index * bent) * (s - bent);
}

double FlowCurves::d_capillary(double saturation) const {
  if (!has_capillary()) return 0;
  const double s = (saturation - fluids_.curves.connate_water) * scale_;
  const double bent = std::max(s, capillary_bend);
  const double at_bend = fluids_.entry_pressure * std::pow(bent, -1 / fluids_.pore_index);
  return -at_bend / (fluids_.pore_index * bent) * scale_;
}

double FlowCurves::water_weight() const noexcept {
  return fluids_.gravity ? fluids_.water_density * gravity_unit : 0;
}
double FlowCurves::oil_weight() const noexcept {
  return fluids_.gravity ? fluids_.oil_density * gravity_unit : 0;
}

}  // namespace cauchy::detail
