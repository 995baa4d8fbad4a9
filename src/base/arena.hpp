#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cauchy::detail {

/// Lays buffers into one arena. Time is a number of steps; a buffer lives from its first to its
/// last use, both included, and shares memory with buffers that never live at the same time.
/// Knows nothing of what the buffers hold.
class ArenaPlanner final {
 public:
  /// Offsets are multiples of `alignment` elements.
  explicit ArenaPlanner(std::size_t alignment = 1) : alignment_(alignment) {}

  /// A buffer of `size` elements; returns its number. One that is never used takes no memory.
  std::size_t add(std::size_t size) {
    buffers_.push_back({(size + alignment_ - 1) / alignment_ * alignment_});
    return buffers_.size() - 1;
  }
  /// The buffer is written or read at a time.
  void use(std::size_t buffer, int time) {
    Buffer& b = buffers_[buffer];
    b.first = b.used ? std::min(b.first, time) : time;
    b.last = b.used ? std::max(b.last, time) : time;
    b.used = true;
  }

  /// First fit, largest buffers first; equal ones in the order of add(). O(n^2 log n).
  void place() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].used) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return buffers_[i].size > buffers_[j].size;
    });
    total_ = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      Buffer& b = buffers_[order[i]];
      b.offset = first_gap(b, std::span(order).first(i));
      total_ = std::max(total_, b.offset + b.size);
    }
  }

  /// After place().
  [[nodiscard]] std::size_t offset(std::size_t buffer) const { return buffers_[buffer].offset; }
  /// Elements of the arena.
  [[nodiscard]] std::size_t total() const noexcept { return total_; }

 private:
  struct Buffer {
    std::size_t size, offset = 0;
    int first = 0, last = 0;
    bool used = false;
  };

  /// The lowest offset where `b` fits between those of the placed buffers that live with it.
  [[nodiscard]] std::size_t first_gap(const Buffer& b, std::span<const std::size_t> placed) const {
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (const std::size_t i : placed) {
      const Buffer& other = buffers_[i];
      if (other.first <= b.last && b.first <= other.last) {
        taken.emplace_back(other.offset, other.offset + other.size);
      }
    }
    std::sort(taken.begin(), taken.end());
    std::size_t at = 0;
    for (const auto& [from, to] : taken) {
      if (at + b.size <= from) break;
      at = std::max(at, to);
    }
    return at;
  }

  std::size_t alignment_, total_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace cauchy::detail
