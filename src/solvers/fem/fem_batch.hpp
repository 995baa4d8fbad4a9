#pragma once

#include <array>
#include <vector>

#include "solvers/fem/fem_system.hpp"

namespace cauchy::detail {

/// Functions of one order at the points of a rule.
struct FemSystem::Reference {
  LagrangeBasis basis;
  std::size_t n = 0, corners = 0;
  std::vector<double> phi;        // q x n
  std::vector<double> slope;      // q x n x corners
  std::vector<double> curvature;  // n x corners x corners

  /// Second derivative of function a by the coordinates i and j.
  [[nodiscard]] double second(std::size_t a, const CellShape& shape, int i, int j) const {
    double sum = 0;
    for (std::size_t k = 0; k < corners; ++k) {
      for (std::size_t l = 0; l < corners; ++l) {
        sum += curvature[(a * corners + k) * corners + l] *
               shape.grad[k][static_cast<std::size_t>(i)] *
               shape.grad[l][static_cast<std::size_t>(j)];
      }
    }
    return sum;
  }
};

struct FemSystem::Scratch {
  FemBatch batch;
  std::vector<double> workspace;
  std::vector<CellShape> shapes;
};

/// What an atom is: value, slope, second derivative, rate.
struct FemAtom {
  std::size_t field = 0;
  int slope = -1, second = -1;  // coordinates of space
  bool rate = false;
};

[[nodiscard]] inline FemAtom kind_of(const Expr& atom, const FemForm& form) {
  FemAtom k;
  k.field = form.weak.form.row_of(atom.name());
  std::vector<int> by;
  for (const auto& [name, order] : atom.index()) {
    for (std::size_t i = 0; i < form.weak.form.space.size(); ++i) {
      if (form.weak.form.space[i].name() == name) {
        by.insert(by.end(), static_cast<std::size_t>(order), static_cast<int>(i));
      }
    }
  }
  k.rate = by.empty() && !atom.index().empty();
  if (!by.empty()) k.slope = by[0];
  if (by.size() > 1) k.second = by[1];
  return k;
}

}  // namespace cauchy::detail
