#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/pinn.hpp>

namespace cauchy {

class OptionVisitor;

/// The default: network, points, optimisers and rules of a PINN chosen from the facts of the
/// problem; the rules then act on what they find while it is trained.
struct Auto {
  std::uint64_t seed = 1;
  Precision precision = Precision::f64;
  double seconds = 0;  ///< that a run is to take on two cores; 0: what the facts suggest
  std::vector<Stage> stages = {};  ///< empty: chosen
};
/// seed, precision, seconds, stage.
void visit_options(Auto& method, OptionVisitor& visitor);

/// The pipeline of the expert's guide (Wang et al. 2023): Fourier features, factorised weights,
/// Adam with decay, causal chunks of time, terms balanced by the norms of their gradients.
struct Expert {
  std::uint64_t seed = 1;
  Precision precision = Precision::f64;
  int width = 64, depth = 4;
  std::uint64_t steps = 20'000;
  std::vector<Stage> stages = {};  ///< empty: Adam for `steps`
};
/// seed, precision, width, depth, steps, stage.
void visit_options(Expert& method, OptionVisitor& visitor);

/// A recipe written out: what it stands for with this problem, and why, one sentence each.
struct Expanded {
  Pinn pinn;
  std::vector<std::string> why;
};
[[nodiscard]] Expanded expand(const Auto& recipe, const Problem& problem);
[[nodiscard]] Expanded expand(const Expert& recipe, const Problem& problem);

}  // namespace cauchy
