#include "dynamics/block_target.hpp"

#include <algorithm>
#include <limits>

namespace cauchy::detail {

BlockTarget::BlockTarget(BlockLoss& loss, std::shared_ptr<Threads> pool)
    : loss_(loss),
      pool_(std::move(pool)),
      n_blocks_(chunk_count(loss.n_trajectories(), trajectories_per_block)),
      slots_(n_blocks_ * (loss.n_parameters() + loss.n_parts())),
      parts_(loss.n_parts()) {}

bool BlockTarget::ask(const TrainingStep& step) {
  step_ = step.first_order ? step.step + 1 : 0;
  return step.first_order;
}

double BlockTarget::evaluate(std::span<const double> x, std::span<double> g) {
  const std::size_t P = loss_.n_parameters(), width = P + parts_.size();
  loss_.prepare(x);
  std::fill(slots_.begin(), slots_.end(), 0.0);
  pool_->run(n_blocks_, [&](std::size_t b, int) {
    const std::span<double> slot = std::span(slots_).subspan(b * width, width);
    const IndexRange range = chunk_range(loss_.n_trajectories(), n_blocks_, b);
    if (!loss_.add(b, range, step_, slot.subspan(P), g.empty() ? g : slot.first(P))) {
      std::ranges::fill(slot, std::numeric_limits<double>::quiet_NaN());
    }
  });
  tree_sum_rows(slots_, n_blocks_, width);
  if (!g.empty()) std::copy_n(slots_.begin(), P, g.begin());
  double sum = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) sum += parts_[k] = slots_[P + k];
  return sum;
}

}  // namespace cauchy::detail
