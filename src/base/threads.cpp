#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/base/work.hpp>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel_body.hpp"

namespace cauchy {
namespace {

// About what a sleep and a wake-up cost; the caller of run() has nothing better to do, and spins
// longer.
constexpr auto worker_spin_time = std::chrono::microseconds(50);
constexpr auto caller_spin_time = std::chrono::microseconds(200);
constexpr std::size_t no_chunk = std::numeric_limits<std::size_t>::max();

inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits a short while for the condition without sleeping; true when it came.
template <class Condition>
bool spin_until(Condition condition, std::chrono::microseconds spin_time) {
  if (condition()) return true;
  const auto deadline = std::chrono::steady_clock::now() + spin_time;
  do {
    for (int i = 0; i < 16; ++i) {
      pause();
      if (condition()) return true;
    }
    // Where threads outnumber processors, the one that is waited for may need this processor.
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

int size_from_environment() {
  const char* text = std::getenv("CAUCHY_THREADS");
  if (text == nullptr || *text == '\0') {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, Threads::max_size);
  }
  const std::string_view value(text);
  int n = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (error != std::errc() || end != value.data() + value.size() || n < 1 ||
      n > Threads::max_size) {
    throw Error(fmt::format("environment variable CAUCHY_THREADS must be an integer from 1 to {}, "
                            "got '{}'",
                            Threads::max_size, value),
                "[base.threads]", "unset it to use every hardware thread");
  }
  return n;
}

// The bodies that this thread is inside of, innermost first.
struct Frame {
  const void* pool;
  int worker;
  const Frame* outer;
};
thread_local const Frame* innermost = nullptr;

class Inside {
 public:
  Inside(const void* pool, int worker) : frame_{pool, worker, innermost} { innermost = &frame_; }
  ~Inside() { innermost = frame_.outer; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Frame frame_;
};

}  // namespace

const void* detail::innermost_parallel_body() noexcept { return innermost; }

std::size_t chunk_count(std::size_t n, std::size_t grain) {
  if (grain == 0) throw Error("grain must be positive, got 0", "[base.threads] chunk_count");
  return n / grain + (n % grain != 0 ? 1 : 0);
}

IndexRange chunk_range(std::size_t n, std::size_t n_chunks, std::size_t i) {
  if (i >= n_chunks) {
    throw Error(fmt::format("chunk must be below the number of chunks {}, got {}", n_chunks, i),
                "[base.threads] chunk_range");
  }
  const std::size_t quotient = n / n_chunks, rest = n % n_chunks;
  const std::size_t begin = i * quotient + std::min(i, rest);
  return {begin, begin + quotient + (i < rest ? 1 : 0)};
}

// The job of a run is body_ and n_chunks_. They are written while no chunk is left and none is
// being worked on, and read only by a worker that holds a chunk, hence they need no protection of
// their own:
//   caller   writes the job, then stores unclaimed_ = n           (publishes)
//   worker   takes a chunk by decrementing unclaimed_ from r > 0  (sees the job)
//   worker   subtracts the chunks it did from unfinished_         (publishes results)
//   caller   waits for unfinished_ == 0                           (sees results; may write a new
//   job)
// A worker that sleeps or is late takes no part and is not waited for.
struct Threads::Pool {
  /// What all threads of a pool have counted in a run, without an order of sums.
  class SharedWork {
   public:
    void add(const Work& work) {
      for (std::size_t k = 0; k < n_work_kinds; ++k) {
        if (work.counts[k] > 0) counts_[k].fetch_add(work.counts[k], std::memory_order_relaxed);
      }
    }
    [[nodiscard]] Work take() {
      Work work;
      for (std::size_t k = 0; k < n_work_kinds; ++k) {
        work.counts[k] = counts_[k].load(std::memory_order_relaxed);
        if (work.counts[k] > 0) counts_[k].store(0, std::memory_order_relaxed);
      }
      return work;
    }

   private:
    std::array<std::atomic<std::uint64_t>, n_work_kinds> counts_{};
  };

  explicit Pool(int n) : size(n) {}

  ~Pool() {
    stop.store(true);
    { const std::lock_guard lock(sleep_mutex); }
    work_came.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void start() {
    threads.reserve(static_cast<std::size_t>(size - 1));
    for (int worker = 1; worker < size; ++worker) {
      threads.emplace_back([this, worker] { serve(worker); });
    }
  }

  void serve(int worker) {
    const Inside inside(this, worker);
    const auto wanted = [this] { return unclaimed.load() > 0 || stop.load(); };
    while (!stop.load()) {
      if (!spin_until(wanted, worker_spin_time)) {
        std::unique_lock lock(sleep_mutex);
        // Announced before the last look at unclaimed, as run() looks at sleepers after storing it:
        // in the total order of these operations one of the two sees the other.
        sleepers.fetch_add(1);
        work_came.wait(lock, wanted);
        sleepers.fetch_sub(1);
      }
      work(worker);
    }
  }

  // Takes chunks until none is left.
  void work(int worker) {
    std::size_t n_done = 0;
    std::size_t left = unclaimed.load();
    const Work before = worker == 0 ? Work() : work_of_thread();
    while (left > 0) {
      if (!unclaimed.compare_exchange_weak(left, left - 1)) continue;
      do_chunk(n_chunks - left, worker);
      ++n_done;
      left = unclaimed.load();
    }
    if (worker > 0 && n_done > 0) counted.add(work_of_thread().since(before));
    if (n_done > 0 && unfinished.fetch_sub(n_done) == n_done && caller_sleeps.load()) {
      { const std::lock_guard lock(sleep_mutex); }
      work_done.notify_one();
    }
  }

  void do_chunk(std::size_t chunk, int worker) {
    if (chunk > failed_chunk.load()) return;
    try {
      (*body)(chunk, worker);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (chunk < failed_chunk.load()) {
        failed_chunk.store(chunk);
        failure = std::current_exception();
      }
    }
  }

  void run_parallel(std::size_t n, const Body& new_body) {
    body = &new_body;
    n_chunks = n;
    failed_chunk.store(no_chunk);
    unfinished.store(n);
    unclaimed.store(n);
    if (sleepers.load() > 0) {
      { const std::lock_guard lock(sleep_mutex); }
      work_came.notify_all();
    }
    work(0);
    const auto finished = [this] { return unfinished.load() == 0; };
    if (!spin_until(finished, caller_spin_time)) {
      std::unique_lock lock(sleep_mutex);
      caller_sleeps.store(true);
      work_done.wait(lock, finished);
      caller_sleeps.store(false);
    }
    count_work(counted.take());
    if (failed_chunk.load() != no_chunk) std::rethrow_exception(std::exchange(failure, nullptr));
  }

  const int size;
  std::mutex run_mutex;  // held for the whole of a run
  std::vector<std::thread> threads;

  const Body* body = nullptr;
  std::size_t n_chunks = 0;
  // On lines of their own: workers hammer the first while others poll the second.
  alignas(64) std::atomic<std::size_t> unclaimed{0};
  alignas(64) std::atomic<std::size_t> unfinished{0};

  alignas(64) std::atomic<bool> stop{false};
  std::atomic<int> sleepers{0};
  std::atomic<bool> caller_sleeps{false};
  std::mutex sleep_mutex;
  std::condition_variable work_came, work_done;

  SharedWork counted;  // by workers that are not the caller

  std::atomic<std::size_t> failed_chunk{no_chunk};
  std::mutex failure_mutex;
  std::exception_ptr failure;
};

int Threads::size_of(int n) {
  if (n < 0 || n > max_size) {
    throw Error(
        fmt::format("number of threads must be from 0 (automatic) to {}, got {}", max_size, n),
        "[base.threads]");
  }
  return n == 0 ? size_from_environment() : n;
}

Threads::Threads(int n) {
  pool_ = std::make_unique<Pool>(size_of(n));
  try {
    pool_->start();
  } catch (const std::system_error& e) {
    throw Error(fmt::format("cannot start {} threads: {}", pool_->size - 1, e.what()),
                "[base.threads]");
  }
}

Threads::~Threads() = default;

int Threads::size() const noexcept { return pool_->size; }

void Threads::run(std::size_t n_chunks, Body body) {
  for (const Frame* frame = innermost; frame != nullptr; frame = frame->outer) {
    if (frame->pool != pool_.get()) continue;
    for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) body(chunk, frame->worker);
    return;
  }
  const bool nested = innermost != nullptr;
  const std::lock_guard lock(pool_->run_mutex);
  const Inside inside(pool_.get(), 0);
  if (nested || pool_->size == 1 || n_chunks <= 1) {
    for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) body(chunk, 0);
  } else {
    pool_->run_parallel(n_chunks, body);
  }
}

}  // namespace cauchy
