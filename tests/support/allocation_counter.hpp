#pragma once

#include <cstddef>

/// Counts the calls of operator new by this thread while it lives; not nested.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;
  [[nodiscard]] std::size_t count() const noexcept;
  /// Calls by all threads since the program began.
  [[nodiscard]] static std::size_t total() noexcept;
};
