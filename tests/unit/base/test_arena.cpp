#include "base/arena.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace cauchy::detail::test_arena {
namespace {

struct Buffer {
  std::size_t size;
  int first, last;
};

/// Random sizes and lives within `n_times` steps of time.
std::vector<Buffer> random_buffers(unsigned seed, std::size_t n, int n_times) {
  std::mt19937 generator(seed);
  const auto pick = [&](int k) { return static_cast<int>(generator() % static_cast<unsigned>(k)); };
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < n; ++i) {
    const int first = pick(n_times), last = first + pick(n_times - first);
    buffers.push_back({1 + static_cast<std::size_t>(pick(50)), first, last});
  }
  return buffers;
}

ArenaPlanner planned(const std::vector<Buffer>& buffers, std::size_t alignment = 1) {
  ArenaPlanner arena(alignment);
  for (const Buffer& b : buffers) {
    const std::size_t i = arena.add(b.size);
    arena.use(i, b.last);  // the order of uses does not matter
    arena.use(i, b.first);
    arena.use(i, (b.first + b.last) / 2);
  }
  arena.place();
  return arena;
}

TEST(Arena, BuffersThatLiveTogetherNeverOverlapAndLieInside) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::size_t alignment = seed % 3 == 0 ? 8 : 1;
    const auto buffers = random_buffers(seed, 2 + seed % 40, 1 + static_cast<int>(seed) % 25);
    const ArenaPlanner arena = planned(buffers, alignment);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const Buffer& a = buffers[i];
      const std::size_t at = arena.offset(i);
      EXPECT_EQ(at % alignment, 0u);
      EXPECT_LE(at + a.size, arena.total());
      sum += (a.size + alignment - 1) / alignment * alignment;
      for (std::size_t j = 0; j < i; ++j) {
        const Buffer& b = buffers[j];
        if (a.first > b.last || b.first > a.last) continue;
        EXPECT_TRUE(at + a.size <= arena.offset(j) || arena.offset(j) + b.size <= at)
            << "seed " << seed << ", buffers " << i << " and " << j;
      }
    }
    EXPECT_LE(arena.total(), sum);
  }
}

TEST(Arena, TakesNoMoreThanWhatLivesAtOnceWhenLivesAreNested) {
  // A chain of values and their adjoints: value i lives from i to 2n - i, adjoints one step each.
  const int n = 10;
  std::vector<Buffer> buffers;
  for (int i = 0; i < n; ++i) buffers.push_back({16, i, 2 * n - i});
  for (int i = 0; i < n; ++i) buffers.push_back({16, 2 * n - i, 2 * n - i + 1});
  EXPECT_EQ(planned(buffers).total(), (static_cast<std::size_t>(n) + 1) * 16);
}

TEST(Arena, PingAndPongAndUnusedBuffers) {
  ArenaPlanner arena;
  for (int i = 0; i < 6; ++i) {
    const std::size_t b = arena.add(10);
    arena.use(b, i);
    arena.use(b, i + 1);
  }
  const std::size_t unused = arena.add(1000);
  arena.place();
  EXPECT_EQ(arena.total(), 20u);
  EXPECT_EQ(arena.offset(unused), 0u);
  EXPECT_EQ(arena.offset(0), arena.offset(2));
  EXPECT_NE(arena.offset(0), arena.offset(1));
}

TEST(Arena, WithoutBuffersIsEmpty) {
  ArenaPlanner arena;
  arena.place();
  EXPECT_EQ(arena.total(), 0u);
}

}  // namespace
}  // namespace cauchy::detail::test_arena
