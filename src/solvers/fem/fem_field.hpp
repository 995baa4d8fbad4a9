#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "problem/tested_model.hpp"
#include "solvers/classical/nodal_model.hpp"
#include "solvers/fem/fem_space.hpp"

namespace cauchy::detail {

/// Piecewise polynomials on a mesh as fields, at one time or at several. Between times by the
/// polynomial through the six nearest. First derivatives are those of the cell; higher ones come
/// from polynomials of one degree more that are fitted around each node (polynomial preserving
/// recovery), linear in between: error O(h) for the second derivatives of order 1.
///   cost     O(log n) per point
class FemField final : public NodalModel, public TestedModel {
 public:
  /// fields   those of the problem, then auxiliary ones, which are not saved
  /// values   per field one array of values at the places for each time
  /// levels   of curved interfaces that sides of cells follow: between a side and its arc the field
  ///          is that of the cell of the right material, continued
  ///   error    throws Error when they do not fit
  FemField(std::shared_ptr<const Problem> problem, std::shared_ptr<const FemMesh> mesh,
           std::vector<std::string> fields, std::vector<int> orders, std::vector<double> times,
           std::vector<std::vector<double>> values, std::vector<Expr> levels = {});

  void save(Checkpoint& checkpoint) const override;
  [[nodiscard]] static std::shared_ptr<const FemField> load(std::shared_ptr<const Problem> problem,
                                                            const Checkpoint& checkpoint);
  void derivatives(std::span<const Expr> atoms, std::span<const double> points,
                   std::span<double> out) const override;

  [[nodiscard]] std::optional<WeakMeans> means(TermCheck::Kind kind,
                                               std::size_t number) const override;
  [[nodiscard]] double cell_size() const override { return mesh_quality(mesh()).longest_edge; }

  [[nodiscard]] const Mesh& mesh() const noexcept { return mesh_->mesh; }
  /// Values of a field at its places; of the last time.
  [[nodiscard]] std::span<const double> last(const std::string& field) const;
  [[nodiscard]] int order(const std::string& field) const;

 private:
  struct Recovery;  // second derivatives at the nodes, and tests
  [[nodiscard]] const std::vector<double>& curvature(std::size_t field, std::size_t time,
                                                     int part) const;
  [[nodiscard]] std::size_t number_of(const std::string& field) const;
  [[nodiscard]] MeshLocator::Place place_of_point(const double* x) const;

  std::shared_ptr<const FemMesh> mesh_;
  MeshLocator locator_;
  std::vector<std::string> fields_;
  std::vector<int> orders_;
  std::vector<FemSpace> spaces_;
  std::vector<double> times_;
  std::vector<std::vector<double>> values_;  // per field: times x places
  std::vector<Expr> levels_, slopes_;        // and their gradients
  std::shared_ptr<Recovery> recovery_;
};

}  // namespace cauchy::detail
