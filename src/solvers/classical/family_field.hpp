#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/classical/grid_field.hpp"

namespace cauchy::detail {

/// Fields for the nodes of the ranges of a problem with parameters, interpolated between them by
/// the polynomial through all nodes of a range (Chebyshev-Lobatto points). Where the shape of space
/// depends on a range, a point is looked at in every member at the same place of its bounding box.
///   error    derivatives by a range throw Error (unsupported) where the shape depends on it
class FamilyField final : public NodalModel {
 public:
  /// members  one field for each node, the last range runs fastest; each of a problem without the
  ///          ranges
  FamilyField(std::string kind, std::shared_ptr<const Problem> problem,
              std::vector<std::vector<double>> nodes,
              std::vector<std::shared_ptr<const FieldModel>> members);

  void save(Checkpoint& checkpoint) const override;
  void derivatives(std::span<const Expr> atoms, std::span<const double> points,
                   std::span<double> out) const override;

 private:
  /// Corners of the boxes of space, for every member.
  struct Box {
    std::vector<double> lower, upper;
  };
  [[nodiscard]] Box box_at(std::span<const double> ranges) const;
  [[nodiscard]] std::vector<double> values_of(std::size_t member) const;

  std::vector<Box> boxes_;  // of the members; empty: the shape does not vary
  std::vector<std::vector<double>> nodes_;
  std::vector<std::shared_ptr<const FieldModel>> members_;
};

/// A field that FamilyField::save wrote; `own` as load_classical.
[[nodiscard]] std::shared_ptr<const FieldModel> load_family(const std::string& kind,
                                                            std::shared_ptr<const Problem> problem,
                                                            const Checkpoint& checkpoint,
                                                            const LoadField& own);

/// The problem with these values of its ranges, which it then no longer has, and no reference.
[[nodiscard]] Problem member_of(const Problem& problem, std::span<const double> values);

/// n Chebyshev-Lobatto points of an interval, ascending.
[[nodiscard]] std::vector<double> lobatto_points(double lower, double upper, std::size_t n);

}  // namespace cauchy::detail
