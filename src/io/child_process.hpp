#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>

#include <cauchy/base/function_ref.hpp>

#include "base/regular_file.hpp"  // Descriptor

namespace cauchy::detail {

/// What a child may use beyond what this process has already.
struct ChildLimits {
  std::size_t bytes;     ///< of address space
  std::size_t seconds;   ///< of processor time
  int silence = 60'000;  ///< milliseconds without a byte, after which it is given up
};

/// A copy of this process that does work which may crash, hang or take all memory: the code of
/// others on files of others. Its bytes come through a pipe, so that both work at the same time.
///   fork     the child has this thread only; what other threads hold locked stays locked in it, so
///            `work` uses what the caller has locked for it, and the heap, which the C library
///            keeps in order
///   cost     about 1 ms, more for a process of many gigabytes
class ChildProcess final {
 public:
  /// Runs work(descriptor) in the child, which writes its answer there and prints nothing.
  ///   error    throws Error when the system gives no process
  ChildProcess(const ChildLimits& limits, FunctionRef<void(int)> work);
  /// Ends the child if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The next n bytes of the answer; false when the child ended before, or was silent for too long.
  ///   error    throws Error (ErrorKind::interrupted) when the limit of the thread comes first
  [[nodiscard]] bool read(void* to, std::size_t n);

 private:
  /// At least one byte and at most n, 0 when there are no more.
  std::size_t receive(void* to, std::size_t n) const;

  Descriptor answer_;
  pid_t child_;
  int silence_;
  std::array<char, 4096> buffer_;  // small pieces are received together
  std::size_t taken_ = 0, filled_ = 0;
};

/// Writes all bytes to a descriptor; false when that fails.
[[nodiscard]] bool write_all(int descriptor, const void* from, std::size_t n) noexcept;

}  // namespace cauchy::detail
