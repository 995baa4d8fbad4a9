#include <cauchy/networks/linearity.hpp>

#include <algorithm>
#include <vector>

namespace cauchy {
namespace {

/// How weights enter a value: 0 not at all, 1 linearly, 2 in another way.
int degree_of(const Operation& op, const std::vector<int>& degrees) {
  const auto input = [&](std::size_t k) { return degrees[static_cast<std::size_t>(op.inputs[k])]; };
  int most = 0, sum = 0;
  for (std::size_t k = 0; k < op.inputs.size(); ++k) {
    most = std::max(most, input(k));
    sum += input(k);
  }
  switch (op.code) {
    case OpCode::coordinates:
    case OpCode::input:
    case OpCode::expression:
      return 0;
    case OpCode::add:
    case OpCode::subtract:
    case OpCode::concatenate:
    case OpCode::slice:
    case OpCode::repeat:
    case OpCode::row_sum:
    case OpCode::fixed_affine:
      return most;
    case OpCode::multiply:
      return std::min(sum, 2);
    case OpCode::divide:
      return input(1) == 0 ? input(0) : 2;
    case OpCode::affine:
    case OpCode::scale:
      return most == 0 ? 1 : 2;
    case OpCode::shift:
      return std::max(most, 1);
    case OpCode::activation:
      return most == 0 || op.activation == Activation::identity ? most : 2;
    case OpCode::basis:
      return most == 0 ? 0 : 2;
    default:
      return most == 0 && op.n_weights == 0 ? 0 : 2;
  }
}

}  // namespace

bool linear_in_weights(const Graph& graph) {
  std::vector<int> degrees;
  for (const Operation& op : graph.ops()) degrees.push_back(degree_of(op, degrees));
  return std::all_of(graph.outputs().begin(), graph.outputs().end(), [&](const auto& output) {
    return degrees[static_cast<std::size_t>(output.value)] <= 1;
  });
}

}  // namespace cauchy
