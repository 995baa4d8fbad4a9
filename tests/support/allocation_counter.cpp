#include "support/allocation_counter.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

thread_local bool counting = false;
thread_local std::size_t n_allocations = 0;
thread_local std::ptrdiff_t held = 0, peak = 0;
std::atomic<std::size_t> n_total{0};

void* allocate(std::size_t size, std::size_t alignment) {
  if (counting) ++n_allocations;
  n_total.fetch_add(1, std::memory_order_relaxed);
  size = (size + alignment - 1) / alignment * alignment;
  void* p = alignment <= alignof(std::max_align_t) ? std::malloc(size)
                                                   : std::aligned_alloc(alignment, size);
  if (p == nullptr) throw std::bad_alloc();
  if (counting) {
    held += static_cast<std::ptrdiff_t>(malloc_usable_size(p));
    peak = std::max(peak, held);
  }
  return p;
}

void release(void* p) noexcept {
  if (counting && p != nullptr) held -= static_cast<std::ptrdiff_t>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

AllocationCounter::AllocationCounter() {
  n_allocations = 0;
  held = peak = 0;
  counting = true;
}
AllocationCounter::~AllocationCounter() { counting = false; }
std::size_t AllocationCounter::count() const noexcept { return n_allocations; }
std::size_t AllocationCounter::peak_bytes() const noexcept {
  return static_cast<std::size_t>(peak);
}
std::size_t AllocationCounter::total() noexcept { return n_total.load(); }

// Every form, because sanitizers replace those that are left out.
using Size = std::size_t;
using Align = std::align_val_t;
using NoThrow = const std::nothrow_t&;
static void* plain(Size size) { return allocate(size > 0 ? size : 1, 1); }
static void* aligned(Size size, Align alignment) {
  return allocate(size > 0 ? size : 1, static_cast<Size>(alignment));
}
void* operator new(Size size) { return plain(size); }
void* operator new[](Size size) { return plain(size); }
void* operator new(Size size, NoThrow) noexcept { return plain(size); }
void* operator new[](Size size, NoThrow) noexcept { return plain(size); }
void* operator new(Size size, Align alignment) { return aligned(size, alignment); }
void* operator new[](Size size, Align alignment) { return aligned(size, alignment); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, Size) noexcept { release(p); }
void operator delete[](void* p, Size) noexcept { release(p); }
void operator delete(void* p, NoThrow) noexcept { release(p); }
void operator delete[](void* p, NoThrow) noexcept { release(p); }
void operator delete(void* p, Align) noexcept { release(p); }
void operator delete[](void* p, Align) noexcept { release(p); }
void operator delete(void* p, Size, Align) noexcept { release(p); }
void operator delete[](void* p, Size, Align) noexcept { release(p); }
