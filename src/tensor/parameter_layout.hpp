#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <cauchy/base/threads.hpp>  // IndexRange

#include "tensor/backend/tensor_kernels.hpp"

namespace cauchy::detail {

/// Which parameters of a graph belong to kernels (OwnParameters), and where all others lie in the
/// gradient of a part, which leaves those out.
struct ParameterLayout {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  struct Own {
    int value;
    OwnParameters numbers;
    bool repeated;  ///< an operation before it has the same parameters
  };
  std::vector<Own> own;
  std::vector<IndexRange> shared;  ///< all parameters that are no one's own
  std::size_t n_shared = 0;
  std::size_t kept = 0;  ///< numbers per sample of all own
  // Of every operation:
  std::vector<std::ptrdiff_t> skipped;   ///< own parameters before its own
  std::vector<std::size_t> kept_before;  ///< numbers per sample of the own before it; none: no own

  template <class T>
  static ParameterLayout make(const TensorGraph& graph, const TensorKernels<T>& kernels) {
    ParameterLayout made;
    std::vector<char> taken(graph.n_parameters(), 0);
    for (int i = 0; i < static_cast<int>(graph.ops().size()); ++i) {
      const OwnParameters own = kernels.own_parameters(i);
      made.kept_before.push_back(own.count > 0 ? made.kept : none);
      if (own.count == 0) continue;
      made.own.push_back({i, own, taken[own.first] != 0});
      made.kept += own.kept;
      std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(own.first), own.count, 1);
    }
    std::vector<std::ptrdiff_t> before(taken.size() + 1, 0);
    for (std::size_t p = 0; p < taken.size(); ++p) {
      before[p + 1] = before[p] + taken[p];
      if (taken[p] != 0) continue;
      if (made.shared.empty() || made.shared.back().end != p) made.shared.push_back({p, p});
      made.shared.back().end = p + 1;
      ++made.n_shared;
    }
    for (const TensorOperation& op : graph.ops()) {
      made.skipped.push_back(op.weights < 0 ? 0 : before[static_cast<std::size_t>(op.weights)]);
    }
    return made;
  }
};

}  // namespace cauchy::detail
