#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/networks/periodic_input.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// Coordinates as the layers see them: [-1, 1], or cosines and sines of periodic ones.
class PinnInputs final {
 public:
  ///   error    throws Error naming an entry of `periodic` that does not fit the problem
  PinnInputs(const Problem& problem, const std::vector<PeriodicInput>& periodic,
             const Sizes& sizes);

  /// One value with the rows of these coordinates; none: of all. A period that is trained is one
  /// and the same for all networks of a graph.
  int add(Graph& graph, const std::vector<std::string>& of = {});
  /// The same rows as expressions.
  ///   error    throws Error for a period that is trained
  [[nodiscard]] std::vector<Expr> rows(const std::vector<std::string>& of = {}) const;

 private:
  struct Axis {
    Sizes::Axis size;
    std::optional<PeriodicInput> periodic = {};
    double origin = 0;
  };
  std::vector<Axis> axes_;
  std::map<std::string, int> learned_;  // values of periods that are trained
};

}  // namespace cauchy::detail
