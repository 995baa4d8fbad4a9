#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/classical/node_program.hpp"
#include "solvers/fvm/balance_law.hpp"
#include "solvers/fvm/fvm_mesh.hpp"

namespace cauchy::detail {

/// Rows of numbers, one per field or conserved quantity.
using Rows = std::vector<std::vector<double>>;

/// States on the boundary from conditions R(w, w_n, x, t, n) = 0: those closest to the state inside
/// that fulfil the conditions there, w_b = w - J'(J J')^-1 R (Newton's method where R is not
/// linear). Without a condition they are the states inside: free outflow.
///   ghost    beyond the face: w_b, but mirrored in conditions like u = 0 and n_x*u + n_y*v = 0, so
///            that nothing flows through a wall
///   w_n      (w_b - w of the cell) / distance
class BoundaryStates final {
 public:
  /// error    throws Error (unsupported) for conditions that are not local to the boundary, or have
  ///          tangential, second or time derivatives
  BoundaryStates(std::shared_ptr<const Problem> problem, const Lowering& lower,
                 const BalanceLaw& law, const FvmMesh& mesh);

  /// inside, cells: the states at the faces as seen from inside, and of the cells; one row of
  /// n_boundary numbers per field.
  void solve(double t, const Rows& inside, const Rows& cells, Rows& face, Rows& ghost);

 private:
  struct Form {
    bool mirrored = false;
    std::vector<char> holds;   // per face
    std::vector<Expr> moving;  // per face, where that changes with time
  };
  void set_time(double t);

  std::shared_ptr<const Problem> problem_;
  const FvmMesh* mesh_;
  std::size_t size_;
  bool linear_ = true;
  std::vector<Form> forms_;
  Points points_;
  std::unique_ptr<NodeProgram> program_;  // per form: R, dR/dw, dR/dw_n
  Rows atoms_, results_;
};

/// Values of the fields at the initial time as expressions of the coordinates.
///   error    throws Error (unsupported) unless every field is given by a condition u = ...
[[nodiscard]] std::vector<Expr> initial_values(const Problem& problem, const Lowering& lower);

}  // namespace cauchy::detail
