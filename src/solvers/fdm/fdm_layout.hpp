#pragma once

#include <map>
#include <vector>

#include "solvers/fdm/fdm_boundary.hpp"

namespace cauchy::detail {

/// What stands in the rows that belong to boundary nodes and ghosts; row = node * fields + field.
struct FdmLayout {
  struct Place {
    int node;
    std::size_t row;
  };
  struct Taken {  ///< a condition at the foot of a node
    std::size_t foot, side;
    int node;
    std::size_t row;
  };
  std::map<std::size_t, std::vector<Taken>> taken;  ///< by condition of FdmForm
  std::vector<Place> equations;                     ///< no condition there: the equation itself
  std::vector<Place> continued;   ///< ghosts that no condition determines: values inside, continued
  std::vector<Place> idle;        ///< ghosts that nothing looks at
  std::vector<std::size_t> open;  ///< rows of an interval that conditions elsewhere may take
  std::vector<char> ghost_values;  ///< by row: a ghost of a box that a condition determines
};

/// Gives every boundary node and ghost its rows. On a box a second condition at one node (plates)
/// stands in the row of a ghost beyond it, which is added to the grid, or of the other end of the
/// line where that end has none (values and slopes given at one end).
///   claims   of fdm_claims()
///   error    throws Error (unsupported) for too many or too few conditions
[[nodiscard]] FdmLayout fdm_layout(const FdmForm& form,
                                   const std::vector<std::vector<std::vector<FdmClaim>>>& claims,
                                   FdmGrid& grid);

}  // namespace cauchy::detail
