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
  std::vector<Stage> stages = {};  ///< in place of `seconds`; empty: chosen
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
  std::vector<Stage> stages = {};  ///< in place of `steps`; empty: Adam
};
/// seed, precision, width, depth, steps, stage.
void visit_options(Expert& method, OptionVisitor& visitor);

/// A recipe written out: what it stands for with this problem, and why, one sentence each.
///   error    expand() throws Error for stages beside a length of those that it would choose
struct Expanded {
  Pinn pinn;
  std::vector<std::string> why;
};
[[nodiscard]] Expanded expand(const Auto& recipe, const Problem& problem);
[[nodiscard]] Expanded expand(const Expert& recipe, const Problem& problem);
/// The stages that `auto` takes when other settings than its own are given: those of a network
/// that is linear in its weights are least squares.
[[nodiscard]] std::vector<Stage> stages_of(const Auto& recipe, const Problem& problem,
                                           const Pinn& changed);

}  // namespace cauchy
