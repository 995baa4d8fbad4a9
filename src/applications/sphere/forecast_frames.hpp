#pragma once

#include <string>
#include <vector>

#include <cauchy/tensor/field_grid.hpp>

namespace cauchy::detail {

/// The field and the time of a channel "u(t=6)"; NaN: it has none.
struct SkillFrame {
  std::string field;
  double time = 0;
};
[[nodiscard]] SkillFrame skill_frame(const std::string& name);

/// Weights cos(latitude) of the points, which add up to 1.
///   error    throws Error for a grid that does not begin with the latitude
[[nodiscard]] std::vector<double> latitude_weights(const FieldGrid& grid);

}  // namespace cauchy::detail
