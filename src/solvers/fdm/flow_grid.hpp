#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/math/sparse.hpp>

#include "solvers/classical/node_program.hpp"
#include "solvers/fdm/flow_form.hpp"

namespace cauchy::detail {

/// Values of one derivative at the places of an equation as functions of unknowns and wall values.
struct FlowOperator {
  SparseMatrix of_unknowns, of_walls;
  void apply(std::span<const double> x, std::span<const double> walls, std::span<double> out) const;
};

/// A staggered grid of a box: component m of the velocity lives at the centres of the faces across
/// axis m, the pressure at the centres of the cells.
///   kind     0 ... dim - 1: that component; dim: the pressure
///   unknowns all components (without those that walls give), then the pressure; the last axis runs
///            fastest in each
///   walls    what the conditions give: for every component and side one value per point
class FlowGrid final {
 public:
  using Place = std::array<int, 3>;

  /// error    throws Error (unsupported) when a wall lacks a condition or has one that a staggered
  ///          grid cannot keep
  FlowGrid(const Problem& problem, const FlowForm& form, const std::vector<int>& cells);

  [[nodiscard]] std::size_t dimension() const noexcept { return dim_; }
  [[nodiscard]] int cells(std::size_t axis) const noexcept { return n_[axis]; }
  [[nodiscard]] double spacing(std::size_t axis) const noexcept { return h_[axis]; }
  [[nodiscard]] double lower(std::size_t axis) const noexcept { return lower_[axis]; }
  [[nodiscard]] double upper(std::size_t axis) const noexcept {
    return lower_[axis] + n_[axis] * h_[axis];
  }
  [[nodiscard]] bool periodic(std::size_t axis) const { return form_->periodic[axis]; }
  [[nodiscard]] std::size_t n_unknowns() const noexcept { return offset_.back(); }
  /// Unknowns of a kind.
  [[nodiscard]] std::size_t offset(std::size_t kind) const { return offset_[kind]; }
  [[nodiscard]] std::size_t size(std::size_t kind) const {
    return offset_[kind + 1] - offset_[kind];
  }
  [[nodiscard]] std::array<int, 3> shape(std::size_t kind) const;
  /// Where the unknowns of a kind are; columns are those of space.
  [[nodiscard]] Points points(std::size_t kind) const;
  [[nodiscard]] std::size_t kind_of(const std::string& field) const;

  /// A derivative of a field (u, u_x, p_y, ...) at the places of a kind.
  ///   error    throws Error (unsupported) for derivatives that reach beyond the walls
  [[nodiscard]] FlowOperator derivative(const Expr& atom, std::size_t kind) const;

  [[nodiscard]] std::size_t n_walls() const noexcept { return value_.size(); }
  /// Wall values at a time (of a steady flow: any).
  [[nodiscard]] std::vector<double> walls(double time) const;
  /// Of one side: whether all its points give values (else slopes along the outward normal), and
  /// those at a time as they stand in walls(). A mixed side is an Error (unsupported).
  [[nodiscard]] bool gives_values(std::size_t component, std::size_t axis, bool upper) const;
  /// The right side of the condition over its factor, one per unknown beside that side.
  [[nodiscard]] std::vector<double> side_values(std::size_t component, std::size_t axis, bool upper,
                                                std::span<const double> walls) const;

  /// Value of a component at any place of its lattice, which reaches to the walls: along its own
  /// axis faces 0 ... n, along the others 0 and n + 1 are points of the wall and 1 ... n centres.
  /// NaN at walls where no condition gives it.
  [[nodiscard]] double at(std::size_t component, const Place& place, std::span<const double> x,
                          std::span<const double> walls) const;

 private:
  struct Wall {  // one component on one side
    std::size_t first = 0, count = 0;
    std::array<int, 3> shape = {1, 1, 1};
  };
  struct Group {  // points of a wall at which one condition holds
    std::unique_ptr<NodeProgram> program;
    std::vector<std::size_t> where;
  };
  struct Part {  // weight times an unknown, or times a wall value
    std::size_t index;
    double weight;
    bool wall;
  };
  [[nodiscard]] const Wall& wall(std::size_t component, std::size_t axis, bool upper) const {
    return wall_[(component * dim_ + axis) * 2 + (upper ? 1 : 0)];
  }
  [[nodiscard]] std::size_t wall_index(std::size_t component, std::size_t axis, bool upper,
                                       const Place& place) const;
  void add_wall(const Problem& problem, const Shape& shape, std::size_t component, std::size_t axis,
                bool upper);
  void resolve(std::size_t kind, Place place, double weight, std::vector<Part>& parts) const;
  [[nodiscard]] double position(std::size_t kind, std::size_t axis, int place) const;

  const FlowForm* form_;
  std::size_t dim_;
  std::array<int, 3> n_ = {1, 1, 1};
  std::array<double, 3> h_ = {1, 1, 1}, lower_ = {0, 0, 0};
  std::vector<std::size_t> offset_ = {0};
  std::vector<Wall> wall_;
  std::vector<double> value_, slope_;  // factors of the conditions at wall points; both 0: none
  std::vector<Group> groups_;
};

}  // namespace cauchy::detail
