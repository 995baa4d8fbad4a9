#include <cauchy/applications/shallow_water_cases.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr double case_pi = std::numbers::pi;

/// Calls use(i, latitude, longitude) for every point.
template <class Use>
void for_points(const SphereGrid& grid, Use use) {
  for (std::size_t i = 0; i < grid.n_latitudes; ++i) {
    const double latitude = grid.latitude(i);
    for (std::size_t j = 0; j < grid.n_longitudes; ++j) {
      use(i * grid.n_longitudes + j, latitude, grid.longitude(j));
    }
  }
}

ShallowWaterFields empty_fields(const ShallowWaterModel& model) {
  const std::vector<double> zero(model.grid().size());
  return {zero, zero, zero, {}};
}

/// Solid rotation about the axis of the earth with its depth; h0 is the height of the surface.
ShallowWaterFields solid_rotation(const ShallowWaterModel& model, double u0, double h0) {
  const SphereShallowWater& o = model.options();
  const double ca = std::cos(o.tilt), sa = std::sin(o.tilt);
  ShallowWaterFields f = empty_fields(model);
  for_points(model.grid(), [&](std::size_t i, double latitude, double longitude) {
    const double c = std::cos(latitude), s = std::sin(latitude), cl = std::cos(longitude);
    const double axis = s * ca - cl * c * sa;
    f.u[i] = u0 * (c * ca + cl * s * sa);
    f.v[i] = -u0 * std::sin(longitude) * sa;
    f.depth[i] = h0 - (o.radius * o.rotation * u0 + u0 * u0 / 2) * axis * axis / o.gravity -
                 model.ground()[i];
  });
  return f;
}

ShallowWaterFields rossby_haurwitz(const ShallowWaterModel& model) {
  const SphereShallowWater& o = model.options();
  constexpr double w = 7.848e-6, K = 7.848e-6, h0 = 8000, R = 4;
  const double a = o.radius, omega = o.rotation;
  ShallowWaterFields f = empty_fields(model);
  for_points(model.grid(), [&](std::size_t i, double latitude, double longitude) {
    const double c = std::cos(latitude), s = std::sin(latitude), c2 = c * c;
    const double cR = std::pow(c, R), c2R = cR * cR;
    f.u[i] = a * w * c + a * K * std::pow(c, R - 1) * (R * s * s - c2) * std::cos(R * longitude);
    f.v[i] = -a * K * R * std::pow(c, R - 1) * s * std::sin(R * longitude);
    const double A =
        w / 2 * (2 * omega + w) * c2 +
        K * K / 4 * (c2R * ((R + 1) * c2 + 2 * R * R - R - 2) - 2 * R * R * std::pow(c, 2 * R - 2));
    const double B = 2 * (omega + w) * K / ((R + 1) * (R + 2)) * cR *
                     (R * R + 2 * R + 2 - (R + 1) * (R + 1) * c2);
    const double C = K * K / 4 * c2R * ((R + 1) * c2 - (R + 2));
    f.depth[i] = h0 + a * a / o.gravity *
                          (A + B * std::cos(R * longitude) + C * std::cos(2 * R * longitude));
  });
  return f;
}

ShallowWaterState jet(ShallowWaterModel& model) {
  constexpr double south = case_pi / 7, north = case_pi / 2 - south, speed = 80;
  constexpr double mean_depth = 10'000, bump = 120, width = 1.0 / 3, height = 1.0 / 15;
  const double scale = std::exp(-4 / ((north - south) * (north - south)));
  ShallowWaterFields f = empty_fields(model);
  for_points(model.grid(), [&](std::size_t i, double latitude, double longitude) {
    if (latitude > south && latitude < north) {
      f.u[i] = speed / scale * std::exp(1 / ((latitude - south) * (latitude - north)));
    }
    const double l = (longitude > case_pi ? longitude - 2 * case_pi : longitude) / width;
    const double p = (case_pi / 4 - latitude) / height;
    f.depth[i] = bump * std::cos(latitude) * std::exp(-l * l) * std::exp(-p * p);
  });
  const ShallowWaterState wind = model.state_of(f);
  ShallowWaterState y = model.balanced(wind.vorticity, mean_depth);
  for (std::size_t k = 0; k < y.geopotential.size(); ++k) {
    y.geopotential[k] += wind.geopotential[k];
  }
  return y;
}

}  // namespace

std::string_view to_string(ShallowWaterCase which) noexcept {
  switch (which) {
    case ShallowWaterCase::steady_zonal:
      return "steady_zonal";
    case ShallowWaterCase::mountain:
      return "mountain";
    case ShallowWaterCase::rossby_wave:
      return "rossby_wave";
    case ShallowWaterCase::unstable_jet:
      return "unstable_jet";
  }
  return "?";
}

std::vector<double> ground_of(ShallowWaterCase which, const SphereGrid& grid) {
  if (which != ShallowWaterCase::mountain) return {};
  constexpr double top = 2000, radius = case_pi / 9;
  std::vector<double> h(grid.size());
  for_points(grid, [&](std::size_t i, double latitude, double longitude) {
    const double r = std::hypot(longitude - 1.5 * case_pi, latitude - case_pi / 6);
    h[i] = top * (1 - std::min(r, radius) / radius);
  });
  return h;
}

ShallowWaterState initial_state(ShallowWaterCase which, ShallowWaterModel& model) {
  const SphereShallowWater& o = model.options();
  if (which == ShallowWaterCase::steady_zonal) {
    const double day = 86'400, u0 = 2 * case_pi * o.radius / (12 * day);
    return model.state_of(solid_rotation(model, u0, 2.94e4 / o.gravity));
  }
  if (o.tilt != 0) {
    throw Error(fmt::format("the case {} knows no tilt of the axis", to_string(which)),
                "[applications.shallow_water_cases]", "use tilt = 0, or the case steady_zonal");
  }
  if (which == ShallowWaterCase::mountain) {
    return model.state_of(solid_rotation(model, 20, 5960));
  }
  if (which == ShallowWaterCase::rossby_wave) return model.state_of(rossby_haurwitz(model));
  return jet(model);
}

double relative_l2(const SphereGrid& grid, const std::vector<double>& a,
                   const std::vector<double>& b) {
  if (a.size() != grid.size() || b.size() != grid.size()) {
    throw Error("two fields that are compared have other sizes than their grid",
                "[applications.shallow_water_cases]");
  }
  std::vector<double> difference(a.size()), square(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference[i] = (a[i] - b[i]) * (a[i] - b[i]);
    square[i] = b[i] * b[i];
  }
  return std::sqrt(integrate(grid, difference) / integrate(grid, square));
}

}  // namespace cauchy
