#pragma once

#include <cauchy/base/function_ref.hpp>
#include <cstddef>
#include <memory>

namespace cauchy {

/// A half-open range of indices.
struct IndexRange {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - begin; }
  friend constexpr bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// Number of chunks of at most `grain` items that cover n items: ceil(n / grain). Throws Error when
/// grain is 0.
[[nodiscard]] std::size_t chunk_count(std::size_t n, std::size_t grain);

/// Items of chunk i when n items are cut into n_chunks consecutive chunks whose sizes differ by at
/// most one, the longer ones first. Depends on nothing else, in particular not on the number of
/// threads. Throws Error unless i < n_chunks.
[[nodiscard]] IndexRange chunk_range(std::size_t n, std::size_t n_chunks, std::size_t i);

/// A pool of threads that runs numbered chunks of work.
///   determinism  which worker takes a chunk is open; what a chunk is, is not. Let each chunk write
///                its own slot and add the slots in a fixed order (reduce.hpp): the result has the
///                same bits for any number of threads.
///   cost         no allocation per run. On a virtual 2.8 GHz Xeon with 2 processors: an empty
///                run of 2 chunks takes 0.1 us on 2 threads (0.03 us on 1), sharing 2 chunks of
///                100 us among 2 threads costs 1 us more than one chunk. Workers spin for 50 us
///                before they sleep; waking them costs the caller 5 us, and they come about 100 us
///                later.
///   sharing      run() may be called from several threads, one run then waits for the
///                other. Within a body, run() of the same pool executes inline as the calling
///                worker; run() of another pool executes inline as its worker 0, one caller at a
///                time. Two pools must not call each other.
class Threads final {
 public:
  /// Most threads that a pool may have.
  static constexpr int max_size = 1024;
  using Body = FunctionRef<void(std::size_t chunk, int worker)>;

  /// n workers, of which the caller of run() is one; size 1 creates no thread. 0 takes the
  /// environment variable CAUCHY_THREADS, or when it is unset or empty the number of hardware
  /// threads. Throws Error when n or the variable is not an integer from 1 to max_size, or threads
  /// cannot be created.
  explicit Threads(int n = 0);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  [[nodiscard]] int size() const noexcept;
  /// The size that a pool of n would have; makes no thread. Throws as the constructor.
  [[nodiscard]] static int size_of(int n);

  /// Calls body(chunk, worker) once for each chunk in 0, ..., n_chunks - 1 and returns when all are
  /// done; what they wrote is visible to the caller. Chunks are begun in ascending order. worker is
  /// in 0, ..., size() - 1, and no two calls with the same worker overlap, hence it can number
  /// scratch space. When bodies throw, the exception of the lowest such chunk is rethrown; chunks
  /// above it may then not have run.
  void run(std::size_t n_chunks, Body body);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace cauchy
