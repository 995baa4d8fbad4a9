#pragma once

#include <cstdint>

#include <cauchy/base/work.hpp>

#include "support/allocation_counter.hpp"

namespace cauchy {

/// What something has cost: the same on every machine and under every load, unlike seconds.
struct Effort {
  std::size_t
      allocations;  ///< of this thread; some more where it is the first to ask for something
  Work work;        ///< of this thread, and of the parallel loops that it began
};

template <class F>
Effort effort_of(const F& f) {
  const Work before = work_of_thread();
  const AllocationCounter counter;
  f();
  return {counter.count(), work_of_thread().since(before)};
}

}  // namespace cauchy
