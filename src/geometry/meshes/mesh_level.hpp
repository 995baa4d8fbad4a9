#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/geometry/make_mesh.hpp>

namespace cauchy::detail {

/// Where a function of the place is 0, as something that nodes can be put on.
class LevelSurface final : public MeshSurface {
 public:
  /// `scale`: the size of the region. Slopes are central differences of 1e-6 of it.
  LevelSurface(const MeshInterface& interface, int dimension, double scale)
      : interface_(interface), d_(dimension), scale_(scale) {}

  /// Throws Error naming the place where it is not a number.
  [[nodiscard]] double value(const double* x) const;
  /// The gradient; returns its length.
  double slope(const double* x, double* gradient) const;
  /// About the distance to the surface.
  [[nodiscard]] double distance(const double* x) const;
  /// Newton along the gradient. x itself where the gradient vanishes.
  void project(const double* x, double* foot, double* normal) const override;
  /// The part of the way from a to b, whose values have different signs, where it is 0.
  [[nodiscard]] double crossing(const double* a, const double* b) const;

 private:
  MeshInterface interface_;
  int d_;
  double scale_;
};

/// Numbers and names of the parts that cells belong to: a MeshPart (0: none) and the interfaces on
/// whose positive side they lie.
class PartTable final {
 public:
  explicit PartTable(const MeshOptions& options);

  int number(int base, const std::vector<char>& positive);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  const MeshOptions& options_;
  std::vector<std::string> names_;
  std::map<std::pair<int, std::vector<char>>, int> known_;
};

}  // namespace cauchy::detail
