#include "io/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>

namespace cauchy::detail {
namespace {

// Bytes of address space in use; 0 where the system does not tell.
std::size_t address_space() noexcept {
  const Descriptor file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  if (file.get() < 0 || ::read(file.get(), text.data(), text.size() - 1) <= 0) return 0;
  const long page = ::sysconf(_SC_PAGESIZE);
  return std::strtoull(text.data(), nullptr, 10) * static_cast<std::size_t>(std::max(page, 0L));
}

void lower_limit(int resource, std::size_t value) noexcept {
  rlimit limit{};
  // Not set is better than not working: what has no limit here has one in the parent's checks.
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, value);
  static_cast<void>(::setrlimit(resource, &limit));
}

// Makes the child quiet and small: no output, no handlers of this program, no core files.
void confine(const ChildLimits& limits, int answer) noexcept {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {1, 2}) {
    if (fd != answer && nowhere >= 0) static_cast<void>(::dup2(nowhere, fd));
  }
  // A crash ends the child at once, also under a sanitizer, and so does the end of the parent.
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE})
    static_cast<void>(std::signal(crash, SIG_DFL));
  // Those that mean the program are for the parent to handle.
  for (const int other : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    static_cast<void>(std::signal(other, SIG_IGN));
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, limits.seconds);
  if (const std::size_t used = address_space(); used > 0)
    lower_limit(RLIMIT_AS, used + limits.bytes);
}

}  // namespace

bool write_all(int descriptor, const void* from, std::size_t n) noexcept {
  const char* bytes = static_cast<const char*>(from);
  while (n > 0) {
    const ssize_t put = ::write(descriptor, bytes, n);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes += put;
    n -= static_cast<std::size_t>(put);
  }
  return true;
}

ChildProcess::ChildProcess(const ChildLimits& limits, FunctionRef<void(int)> work)
    : answer_(-1), child_(-1), silence_(limits.silence) {
  std::array<int, 2> ends{-1, -1};
  const auto fail = [](int code) {
    throw Error(ErrorKind::file,
                fmt::format("cannot start a process: {}", std::generic_category().message(code)));
  };
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
  answer_ = Descriptor(ends[0]);
  Descriptor write_end(ends[1]);
#ifdef F_SETPIPE_SZ
  static_cast<void>(::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20));
#endif
  child_ = ::fork();
  if (child_ < 0) fail(errno);
  if (child_ == 0) {
    confine(limits, ends[1]);
    try {
      work(ends[1]);
    } catch (...) {  // what it could not say is an answer that ends early
    }
    ::_exit(0);
  }
}

ChildProcess::~ChildProcess() {
  // Only a child that is still ours is killed: where the program ignores SIGCHLD it may be gone,
  // and its number belong to another.
  if (::waitpid(child_, nullptr, WNOHANG) != 0) return;
  static_cast<void>(::kill(child_, SIGKILL));
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::size_t ChildProcess::receive(void* to, std::size_t n) const {
  constexpr int look = 100;  // milliseconds between two looks at the limit of the thread
  for (int waited = 0;;) {
    const int wait = std::min(look, silence_ - waited);
    pollfd ready{answer_.get(), POLLIN, 0};
    const int events = ::poll(&ready, 1, wait);
    if (events < 0 && errno == EINTR) continue;
    if (events == 0) {
      ask_limit("a file that is read");
      waited += wait;
      if (waited < silence_) continue;
    }
    if (events <= 0) return 0;
    const ssize_t got = ::read(answer_.get(), to, n);
    if (got < 0 && errno == EINTR) continue;
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
}

bool ChildProcess::read(void* to, std::size_t n) {
  char* bytes = static_cast<char*>(to);
  while (n > 0) {
    std::size_t got = std::min(n, filled_ - taken_);
    if (got > 0) {
      std::copy_n(buffer_.data() + taken_, got, bytes);
      taken_ += got;
    } else if (n >= buffer_.size()) {
      got = receive(bytes, n);
      if (got == 0) return false;
    } else {
      taken_ = 0;
      filled_ = receive(buffer_.data(), buffer_.size());
      if (filled_ == 0) return false;
    }
    bytes += got;
    n -= got;
  }
  return true;
}

}  // namespace cauchy::detail
