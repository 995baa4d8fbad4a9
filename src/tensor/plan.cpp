#include "tensor/plan.hpp"

#include <algorithm>
#include <utility>

#include "base/arena.hpp"
#include "tensor/backend/tensor_kernels.hpp"

namespace cauchy::detail {

bool backward_reads_input(const TensorOperation& op, std::size_t input) noexcept {
  switch (op.code) {
    case TensorOp::linear:
      return input == 0;
    case TensorOp::input:
    case TensorOp::constant:
    case TensorOp::shift:
    case TensorOp::add:
    case TensorOp::subtract:
    case TensorOp::concatenate:
    case TensorOp::pick:
    case TensorOp::along:
    case TensorOp::sparse:
    case TensorOp::reduce:
    case TensorOp::spectrum:
    case TensorOp::from_spectrum:
    case TensorOp::dropout:
      return false;
    default:
      return true;
  }
}

bool backward_reads_result(const TensorOperation& op) noexcept {
  switch (op.code) {
    case TensorOp::linear:
      return op.activation != Activation::identity;
    case TensorOp::activation:
    case TensorOp::divide:
    case TensorOp::max_pool:
    case TensorOp::normalize:
    case TensorOp::attention:
      return true;
    default:
      return false;
  }
}

TensorPlan::TensorPlan(const TensorGraph& graph, TensorPlanTask task, std::size_t n,
                       const TensorPlanSizes& sizes, std::size_t alignment,
                       std::span<const std::vector<int>> instead)
    : task_(std::move(task)),
      n_(n),
      places_(graph.ops().size()),
      begins_(graph.ops().size() + 1),
      ends_(2 * graph.ops().size() + 1) {
  for (const TensorOperation& op : graph.ops()) inputs_.push_back(op.inputs);
  for (std::size_t i = 0; i < instead.size(); ++i) {
    if (!instead[i].empty()) inputs_[i] = instead[i];
  }
  find_needed(graph);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const double flops = graph.flops(static_cast<int>(i));
    if (places_[i].needed) forward_flops_ += flops;
    if (places_[i].active) backward_flops_ += 2 * flops;
  }
  lay_out(graph, sizes, alignment);
}

void TensorPlan::find_needed(const TensorGraph& graph) {
  for (const int t : task_.targets) places_[static_cast<std::size_t>(t)].needed = true;
  for (std::size_t i = places_.size(); i-- > 0;) {
    if (!places_[i].needed) continue;
    for (const int x : inputs_[i]) places_[static_cast<std::size_t>(x)].needed = true;
  }
  if (!task_.backward) return;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const TensorOperation& op = graph.ops()[i];
    Place& place = places_[i];
    place.active = op.weights >= 0 || static_cast<int>(i) == task_.input;
    for (const int x : inputs_[i]) {
      place.active = place.active || places_[static_cast<std::size_t>(x)].active;
    }
    place.active = place.active && place.needed;
  }
}

void TensorPlan::lay_out(const TensorGraph& graph, const TensorPlanSizes& sizes,
                         std::size_t alignment) {
  ArenaPlanner arena(alignment);
  struct Buffer {
    std::size_t number, size;
    std::size_t* offset;
    int last;
  };
  std::vector<Buffer> buffers;
  buffers.reserve(5 * places_.size());
  const auto add = [&](std::size_t size, std::size_t* offset) {
    buffers.push_back({arena.add(size), size, offset, 0});
    return buffers.size() - 1;
  };
  const auto use = [&](std::size_t buffer, int time) {
    arena.use(buffers[buffer].number, time);
    buffers[buffer].last = std::max(buffers[buffer].last, time);
  };
  const int n_ops = static_cast<int>(places_.size());
  const auto backward_time = [&](std::size_t i) { return 2 * n_ops - static_cast<int>(i); };
  std::vector<std::size_t> values(places_.size(), none), adjoints(places_.size(), none);

  for (std::size_t i = 0; i < places_.size(); ++i) {
    const TensorOperation& op = graph.ops()[i];
    Place& place = places_[i];
    if (!place.needed) continue;
    const int now = static_cast<int>(i), later = backward_time(i);
    if (place.active) adjoints[i] = add(n_ * op.shape.size(), &place.adjoint);
    if (op.code == TensorOp::input || op.code == TensorOp::constant) continue;
    values[i] = add(n_ * op.shape.size(), &place.value);
    use(values[i], now);
    if (place.active && backward_reads_result(op)) use(values[i], later);
    for (std::size_t k = 0; k < inputs_[i].size(); ++k) {
      const std::size_t x = values[static_cast<std::size_t>(inputs_[i][k])];
      if (x == none) continue;
      use(x, now);
      if (place.active && backward_reads_input(op, k)) use(x, later);
    }
    if (const std::size_t saved = sizes.saved(now); saved > 0) {
      const std::size_t buffer = add(n_ * saved, &place.saved);
      use(buffer, now);
      if (place.active) use(buffer, later);
    }
    if (const std::size_t scratch = sizes.scratch(now); scratch > 0) {
      use(add(scratch, &place.scratch), now);
      if (place.active) use(add(scratch, &place.backward_scratch), later);
    }
  }
  for (const int t : task_.targets) {
    const auto i = static_cast<std::size_t>(t);
    if (values[i] != none) use(values[i], n_ops);
    if (adjoints[i] != none) use(adjoints[i], n_ops);
  }
  for (std::size_t i = places_.size(); i-- > 0;) {
    if (adjoints[i] == none) continue;
    const int now = backward_time(i);
    use(adjoints[i], now);
    for (const int x : inputs_[i]) {
      const std::size_t to = adjoints[static_cast<std::size_t>(x)];
      if (to != none) use(to, now);
    }
  }
  // The adjoint of an input is read when all is done.
  if (task_.input >= 0 && adjoints[static_cast<std::size_t>(task_.input)] != none) {
    use(adjoints[static_cast<std::size_t>(task_.input)], 2 * n_ops);
  }
  arena.place();
  size_ = arena.total();
  for (const Buffer& b : buffers) {
    *b.offset = arena.offset(b.number);
    ends_[static_cast<std::size_t>(b.last)].push_back({*b.offset, b.size});
  }

  // Who contributes first to an adjoint: the seeds of a target, else the last reader.
  std::vector<char> begun(places_.size(), 0);
  const auto begin = [&](int value, std::size_t at) {
    const auto i = static_cast<std::size_t>(value);
    if (adjoints[i] == none || begun[i] != 0) return;
    begun[i] = 1;
    begins_[at].push_back(value);
  };
  for (const int t : task_.targets) begin(t, places_.size());
  for (std::size_t i = places_.size(); i-- > 0;) {
    if (!places_[i].active) continue;
    for (const int x : inputs_[i]) begin(x, i);
  }
}

}  // namespace cauchy::detail
