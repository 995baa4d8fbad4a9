#include <cauchy/networks/linear_parameters.hpp>

#include <algorithm>
#include <optional>

namespace cauchy {
namespace {

/// How a value depends on the chosen parameters.
enum class Dependence { none, affine, other };

class LinearParameters final {
 public:
  explicit LinearParameters(const Graph& graph)
      : graph_(graph), chosen_(graph.n_parameters(), false), found_(graph.ops().size()) {}

  [[nodiscard]] std::vector<std::size_t> find() {
    for (const Graph::Output& output : graph_.outputs()) (void)choose(output.value);
    if (!outputs_are_affine()) return {};
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (chosen_[i]) offsets.push_back(i);
    }
    return offsets;
  }

 private:
  /// Walks back from an output through operations that are linear in their inputs and takes the
  /// parameters of the first layers that it meets; false: there are none behind this value.
  bool choose(int value) {
    const auto at = static_cast<std::size_t>(value);
    if (!found_[at]) found_[at] = choose_behind(graph_.ops()[at]);
    return *found_[at];
  }

  bool choose_behind(const Operation& op) {
    switch (op.code) {
      case OpCode::affine:
        take(op.weights, op.n_weights);
        if (op.bias >= 0) take(op.bias, op.rows);
        return true;
      case OpCode::shift: {
        // A shift alone, as of radial centres or factors, is no layer.
        const bool layer = choose(op.inputs[0]);
        if (layer) take(op.weights, op.n_weights);
        return layer;
      }
      case OpCode::activation:
        return op.activation == Activation::identity && choose(op.inputs[0]);
      case OpCode::multiply:
        return choose(op.inputs[0]) || choose(op.inputs[1]);
      case OpCode::divide:
        return choose(op.inputs[0]);
      case OpCode::scale:
      case OpCode::unit_rows:
      case OpCode::add:
      case OpCode::subtract:
      case OpCode::concatenate:
      case OpCode::slice:
      case OpCode::repeat:
      case OpCode::row_sum: {
        bool any = false;
        for (const int x : op.inputs) any = choose(x) || any;
        return any;
      }
      default:
        return false;
    }
  }

  void take(std::ptrdiff_t first, int n) { std::fill_n(chosen_.begin() + first, n, true); }

  [[nodiscard]] bool outputs_are_affine() const {
    std::vector<Dependence> of;
    for (const Operation& op : graph_.ops()) of.push_back(dependence(op, of));
    return std::none_of(graph_.outputs().begin(), graph_.outputs().end(), [&](const auto& output) {
      return of[static_cast<std::size_t>(output.value)] == Dependence::other;
    });
  }

  [[nodiscard]] Dependence dependence(const Operation& op,
                                      const std::vector<Dependence>& of) const {
    Dependence inputs = Dependence::none;
    const auto input = [&](std::size_t i) { return of[static_cast<std::size_t>(op.inputs[i])]; };
    for (std::size_t i = 0; i < op.inputs.size(); ++i) inputs = std::max(inputs, input(i));
    const bool own = op.weights >= 0 && chosen_[static_cast<std::size_t>(op.weights)];
    switch (op.code) {
      case OpCode::shift:
        return own ? std::max(inputs, Dependence::affine) : inputs;
      case OpCode::add:
      case OpCode::subtract:
      case OpCode::concatenate:
      case OpCode::slice:
      case OpCode::repeat:
      case OpCode::row_sum:
        return inputs;
      case OpCode::affine:
        if (own) return inputs == Dependence::none ? Dependence::affine : Dependence::other;
        return inputs;
      case OpCode::scale:
      case OpCode::unit_rows:
        return own ? Dependence::other : inputs;
      case OpCode::activation:
        if (op.activation == Activation::identity) return inputs;
        break;
      case OpCode::multiply:
        if (input(0) == Dependence::none || input(1) == Dependence::none) return inputs;
        break;
      case OpCode::divide:
        if (input(1) == Dependence::none) return inputs;
        break;
      default:
        break;
    }
    return inputs == Dependence::none ? Dependence::none : Dependence::other;
  }

  const Graph& graph_;
  std::vector<bool> chosen_;                // per parameter
  std::vector<std::optional<bool>> found_;  // per value: what choose() has said
};

}  // namespace

std::vector<std::size_t> linear_parameters(const Graph& graph) {
  return LinearParameters(graph).find();
}

}  // namespace cauchy
