#include "support/allocation_counter.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

thread_local bool counting = false;
thread_local std::size_t n_allocations = 0;
std::atomic<std::size_t> n_total{0};

void* allocate(std::size_t size, std::size_t alignment) {
  if (counting) ++n_allocations;
  n_total.fetch_add(1, std::memory_order_relaxed);
  size = (size + alignment - 1) / alignment * alignment;
  void* p = alignment <= alignof(std::max_align_t) ? std::malloc(size)
                                                   : std::aligned_alloc(alignment, size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

AllocationCounter::AllocationCounter() {
  n_allocations = 0;
  counting = true;
}
AllocationCounter::~AllocationCounter() { counting = false; }
std::size_t AllocationCounter::count() const noexcept { return n_allocations; }
std::size_t AllocationCounter::total() noexcept { return n_total.load(); }

// The array and nothrow forms of the standard library call these.
void* operator new(std::size_t size) { return allocate(size > 0 ? size : 1, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size > 0 ? size : 1, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
