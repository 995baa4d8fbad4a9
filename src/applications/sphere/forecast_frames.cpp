#include "applications/sphere/forecast_frames.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

SkillFrame skill_frame(const std::string& name) {
  const std::size_t open = name.find("(t=");
  if (open == std::string::npos) return {name, NAN};
  return {name.substr(0, open), std::strtod(name.c_str() + open + 3, nullptr)};
}

std::vector<double> latitude_weights(const FieldGrid& grid) {
  if (grid.is_cloud() || grid.axes.size() != 2 || grid.axes[0].name != "latitude") {
    throw Error("forecasts are measured on a grid of latitude and longitude",
                "[applications.forecast_skill]",
                "give data whose first axis is 'latitude', in degrees");
  }
  const FieldGrid::Axis& latitude = grid.axes[0];
  const auto n_lon = static_cast<std::size_t>(grid.axes[1].n);
  std::vector<double> weights;
  double sum = 0;
  for (int i = 0; i < latitude.n; ++i) {
    const double w = std::cos(latitude.node(i) * std::numbers::pi / 180);
    weights.insert(weights.end(), n_lon, w);
    sum += w * static_cast<double>(n_lon);
  }
  for (double& w : weights) w /= sum;
  return weights;
}

}  // namespace cauchy::detail
