#pragma once

#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// A coordinate that networks see as cos(k a), sin(k a), k = 1 ... harmonics, a = 2 pi (x - origin)
/// / period: whatever the layers are, the answer is periodic.
struct PeriodicInput {
  std::string coordinate;
  double period = 0;  ///< 0: that of the periodic condition of the problem, if there is one
  int harmonics = 1;
  bool learn = false;  ///< the period is trained: a is multiplied by a number that starts at 1
};

/// cos(a), sin(a), cos(2 a), ... with the period as it is given.
///   error    throws Error for a period or a number of harmonics that is not positive
[[nodiscard]] std::vector<Expr> periodic_rows(const PeriodicInput& input, double origin = 0);
/// The same as rows of a value, with a period that is trained where `learn` says so.
int add_periodic(Graph& graph, const PeriodicInput& input, double origin = 0);

/// coordinate, period, harmonics, learn.
void visit_options(PeriodicInput& input, OptionVisitor& visitor);

}  // namespace cauchy
