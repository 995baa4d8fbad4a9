#include <gtest/gtest.h>

#include <atomic>
#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <chrono>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace cauchy::test_threads {
namespace {

// Sets CAUCHY_THREADS for a scope and puts the old value back.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* old = std::getenv(name)) {
      had_ = true;
      old_ = old;
    }
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Environment() { had_ ? setenv(name, old_.c_str(), 1) : unsetenv(name); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static constexpr const char* name = "CAUCHY_THREADS";
  bool had_ = false;
  std::string old_;
};

TEST(ChunkRange, CoversEveryItemOnceWithSizesThatDifferByAtMostOne) {
  for (const std::size_t n : {0, 1, 7, 8, 9, 1000}) {
    for (const std::size_t n_chunks : {1, 2, 3, 8, 64}) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < n_chunks; ++i) {
        const IndexRange r = chunk_range(n, n_chunks, i);
        EXPECT_EQ(r.begin, next);
        EXPECT_GE(r.size(), n / n_chunks);
        EXPECT_LE(r.size(), (n + n_chunks - 1) / n_chunks);
        next = r.end;
      }
      EXPECT_EQ(next, n);
    }
  }
  EXPECT_EQ(chunk_range(10, 4, 1), (IndexRange{3, 6}));
}

TEST(ChunkRange, DoesNotOverflowForTheLargestSizes) {
  const std::size_t n = ~std::size_t{0};
  EXPECT_EQ(chunk_range(n, 2, 1), (IndexRange{n / 2 + 1, n}));
}

TEST(ChunkRange, RefusesChunksThatDoNotExist) {
  EXPECT_THROW((void)chunk_range(5, 2, 2), Error);
  EXPECT_THROW((void)chunk_range(5, 0, 0), Error);
}

TEST(ChunkCount, RoundsUp) {
  EXPECT_EQ(chunk_count(0, 4), 0U);
  EXPECT_EQ(chunk_count(8, 4), 2U);
  EXPECT_EQ(chunk_count(9, 4), 3U);
  EXPECT_EQ(chunk_count(~std::size_t{0}, 2), (~std::size_t{0} >> 1) + 1);
  EXPECT_THROW((void)chunk_count(1, 0), Error);
}

TEST(Threads, TellTheSizeOfAPoolWithoutMakingIt) {
  EXPECT_EQ(Threads::size_of(5), 5);
  EXPECT_EQ(Threads::size_of(0), Threads(0).size());
  EXPECT_THROW((void)Threads::size_of(-1), Error);
  EXPECT_THROW((void)Threads::size_of(Threads::max_size + 1), Error);
}

TEST(Threads, RunsEveryChunkExactlyOnceWithValidWorkers) {
  for (const int size : {1, 2, 3, 8}) {
    Threads threads(size);
    EXPECT_EQ(threads.size(), size);
    for (const std::size_t n : {0, 1, 2, 7, 1000}) {
      std::vector<int> n_calls(n, 0);
      std::atomic<int> n_bad{0};
      threads.run(n, [&](std::size_t chunk, int worker) {
        ++n_calls[chunk];
        if (worker < 0 || worker >= size) ++n_bad;
      });
      EXPECT_EQ(n_calls, std::vector<int>(n, 1));
      EXPECT_EQ(n_bad, 0);
    }
  }
}

TEST(Threads, ManyShortRunsLoseNoChunkAndNoResult) {
  Threads threads(3);
  std::vector<std::size_t> slots(5);
  for (std::size_t round = 0; round < 5'000; ++round) {
    threads.run(slots.size(), [&](std::size_t chunk, int) { slots[chunk] = round + chunk; });
    for (std::size_t i = 0; i < slots.size(); ++i) ASSERT_EQ(slots[i], round + i);
  }
}

TEST(Threads, JobsAndResultsAreVisibleAcrossThreads) {
  // For the thread sanitizer: both workers take part, the helper finishes last, and the body orders
  // nothing by itself, so that only the pool makes the plain slots safe.
  Threads threads(2);
  std::vector<int> slots(2, -1);
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> n_arrived{0};
    threads.run(2, [&](std::size_t chunk, int worker) {
      n_arrived.fetch_add(1, std::memory_order_relaxed);
      while (n_arrived.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
      if (worker != 0) std::this_thread::sleep_for(std::chrono::microseconds(10));
      slots[chunk] = round;
    });
    ASSERT_EQ(slots, std::vector<int>(2, round));
  }
}

TEST(Threads, WakesWorkersThatHaveGoneToSleep) {
  Threads threads(2);
  for (int round = 0; round < 10; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // 40 times the spinning
    // Each chunk waits for the other, hence two threads must take part.
    std::atomic<int> n_arrived{0};
    threads.run(2, [&](std::size_t, int) {
      ++n_arrived;
      while (n_arrived < 2) std::this_thread::yield();
    });
    EXPECT_EQ(n_arrived, 2);
  }
}

TEST(Threads, SleepingCallerIsWokenByTheLastWorker) {
  Threads threads(2);
  std::atomic<int> n_arrived{0};
  std::atomic<bool> slow_done{false};
  threads.run(2, [&](std::size_t, int worker) {
    ++n_arrived;
    while (n_arrived < 2) std::this_thread::yield();
    if (worker == 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // 100 times the caller's spinning
    slow_done = true;
  });
  EXPECT_TRUE(slow_done);
}

TEST(Threads, CallsOfOneWorkerNeverOverlap) {
  Threads threads(4);
  std::vector<std::atomic<int>> busy(4);
  std::atomic<int> n_overlaps{0};
  threads.run(500, [&](std::size_t, int worker) {
    auto& mine = busy[static_cast<std::size_t>(worker)];
    if (mine.fetch_add(1) != 0) ++n_overlaps;
    mine.fetch_sub(1);
  });
  EXPECT_EQ(n_overlaps, 0);
}

TEST(Threads, OneThreadRunsInOrderOnTheCallingThread) {
  Threads threads(1);
  std::vector<std::size_t> order;
  std::set<std::thread::id> ids;
  threads.run(5, [&](std::size_t chunk, int worker) {
    EXPECT_EQ(worker, 0);
    order.push_back(chunk);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(ids, std::set{std::this_thread::get_id()});
}

TEST(Threads, RethrowsTheExceptionOfTheLowestChunk) {
  for (const int size : {1, 2, 4}) {
    Threads threads(size);
    for (int round = 0; round < 50; ++round) {
      try {
        threads.run(100, [](std::size_t chunk, int) {
          // A short delay makes the higher chunk fail first on most rounds.
          if (chunk == 7) std::this_thread::sleep_for(std::chrono::microseconds(20));
          if (chunk >= 7) throw std::runtime_error(std::to_string(chunk));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "7");
      }
    }
    // The pool is as good as new.
    std::vector<int> n_calls(20, 0);
    threads.run(20, [&](std::size_t chunk, int) { ++n_calls[chunk]; });
    EXPECT_EQ(n_calls, std::vector<int>(20, 1));
  }
}

TEST(Threads, RethrowsTheLowestChunkWhicheverFailsFirst) {
  Threads threads(2);
  for (const std::size_t late : {0, 1}) {
    std::atomic<int> n_arrived{0};
    try {
      threads.run(2, [&](std::size_t chunk, int) {
        ++n_arrived;
        while (n_arrived < 2) std::this_thread::yield();
        if (chunk == late) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        throw std::runtime_error(std::to_string(chunk));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "0") << "late " << late;
    }
  }
}

TEST(Threads, NestedRunsExecuteInlineAsTheSameWorker) {
  Threads threads(2);
  std::vector<int> n_calls(2 * 4, 0);
  std::atomic<int> n_bad{0}, n_arrived{0};
  threads.run(2, [&](std::size_t outer, int outer_worker) {
    ++n_arrived;
    while (n_arrived < 2) std::this_thread::yield();  // both workers take part
    const auto id = std::this_thread::get_id();
    threads.run(4, [&](std::size_t inner, int worker) {
      ++n_calls[outer * 4 + inner];
      if (worker != outer_worker || std::this_thread::get_id() != id) ++n_bad;
    });
  });
  EXPECT_EQ(n_calls, std::vector<int>(8, 1));
  EXPECT_EQ(n_bad, 0);
}

TEST(Threads, RunsOfAnotherPoolInsideABodyDoNotShareItsWorkers) {
  Threads outer(3), inner(2);
  std::size_t total = 0;  // unprotected: worker 0 of the inner pool serves one caller at a time
  outer.run(30, [&](std::size_t, int) {
    inner.run(3, [&](std::size_t, int worker) {
      if (worker == 0) ++total;
    });
  });
  EXPECT_EQ(total, 90U);
}

TEST(Threads, CallersOnSeveralThreadsTakeTurns) {
  Threads threads(2);
  std::vector<std::size_t> sums(3, 0);
  std::vector<std::thread> callers;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    callers.emplace_back([&, c] {
      std::vector<std::size_t> slots(4);
      for (int round = 0; round < 200; ++round) {
        threads.run(4, [&](std::size_t chunk, int) { slots[chunk] = chunk + 1; });
        for (std::size_t& s : slots) sums[c] += std::exchange(s, 0);
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(sums, std::vector<std::size_t>(3, 2000));
}

TEST(Threads, TakesItsSizeFromTheEnvironment) {
  {
    const Environment env("3");
    EXPECT_EQ(Threads().size(), 3);
    EXPECT_EQ(Threads(2).size(), 2);
  }
  for (const char* none : {static_cast<const char*>(nullptr), ""}) {
    const Environment env(none);
    EXPECT_GE(Threads().size(), 1);
  }
}

TEST(Threads, RefusesBadSizes) {
  EXPECT_THROW(Threads(-1), Error);
  EXPECT_THROW(Threads(Threads::max_size + 1), Error);
  for (const char* bad : {"0", "-2", "two", "4x", " 4", "1025", "99999999999999999999", "2.0"}) {
    const Environment env(bad);
    try {
      Threads threads;
      FAIL() << bad << " was accepted";
    } catch (const Error& e) {
      EXPECT_NE(e.message().find("CAUCHY_THREADS"), std::string::npos);
      EXPECT_NE(e.message().find("'" + std::string(bad) + "'"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace cauchy::test_threads
