#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/solvers/fdm.hpp>

#include "solvers/fdm/fdm_boundary.hpp"
#include "solvers/fdm/fdm_rows.hpp"

namespace cauchy::detail {

/// A problem on a grid, as rows of a system.
///   unknowns  field f at node i has the number i * fields + f; one slack per border comes last
struct FdmAssembly {
  std::shared_ptr<const Problem> problem;
  FdmForm form;
  int n = 0;
  std::vector<GridPlace> offsets;  ///< that ghosts of a region were made for
  std::unique_ptr<FdmGrid> grid;
  std::vector<FdmRows> rows;
  std::size_t size = 0;
  std::vector<char> differential;
  /// A number that is added to all equations of a field so that one more condition can hold.
  struct Border {
    std::size_t column = 0;
    std::vector<std::size_t> rows;
    bool mean = false;  ///< it was added here, for a field that is known up to a constant
  };
  std::vector<Border> borders;
  std::vector<std::string> remarks;
};

///   error    throws Error (unsupported) with the reason
[[nodiscard]] FdmAssembly assemble_fdm(std::shared_ptr<const Problem> problem, const Fdm& method,
                                       int n);

}  // namespace cauchy::detail
