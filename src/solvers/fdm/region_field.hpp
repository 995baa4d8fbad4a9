#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/classical/nodal_model.hpp"
#include "solvers/fdm/fdm_stencil.hpp"

namespace cauchy::detail {

/// Values of fields at the nodes of a grid of any region as a field: a polynomial through the nodes
/// around a point that lie on its side of the boundary (slits are never looked across), in time
/// through the nearest levels. NaN where no nodes are seen: outside of the region, away from it.
///   error    as FdmGrid
class RegionField final : public NodalModel {
 public:
  /// What the nodes follow from.
  struct Layout {
    int n = 0;                       ///< cells along the longest side
    std::vector<GridPlace> offsets;  ///< of FdmGrid::add_ghosts
  };
  ///   times    ascending; empty for a problem without time
  ///   values   per field levels x nodes; a field that is missing is not known
  RegionField(std::string kind, std::shared_ptr<const Problem> problem, Layout layout,
              std::vector<double> times, std::vector<std::string> fields,
              std::vector<std::vector<double>> values);

  void save(Checkpoint& checkpoint) const override;
  [[nodiscard]] static std::shared_ptr<const RegionField> load(
      std::string kind, std::shared_ptr<const Problem> problem, const Checkpoint& checkpoint);
  void derivatives(std::span<const Expr> atoms, std::span<const double> points,
                   std::span<double> out) const override;
  [[nodiscard]] const FdmGrid& grid() const noexcept { return grid_; }

 private:
  Layout layout_;
  FdmGrid grid_;
  FdmStencils stencils_;
  std::vector<double> times_;
  std::vector<std::string> fields_;
  std::vector<std::vector<double>> values_;
};

}  // namespace cauchy::detail
