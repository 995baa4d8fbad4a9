#pragma once

#include <cstddef>

/// Counts the calls of operator new by this thread while it lives, and the most bytes that are held
/// at a time of what is allocated meanwhile; not nested.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;
  [[nodiscard]] std::size_t count() const noexcept;
  /// Blocks may be some bytes larger than asked for. Freeing what was there before counts too.
  [[nodiscard]] std::size_t peak_bytes() const noexcept;
  /// Calls by all threads since the program began.
  [[nodiscard]] static std::size_t total() noexcept;
};
