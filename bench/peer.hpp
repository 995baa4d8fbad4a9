#pragma once

#include <cblas.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

/// What benchmarks against a program in Python share: the clock, the memory, the other process, the
/// rate of the BLAS.
namespace cauchy::bench {

inline double now_ms() {
  return 1e3 *
         std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

/// Largest resident size of this process so far.
inline double largest_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// A script of bench/ in a process of the system's python3, which answers on a pipe. One that
/// cannot run here gives no answers, and says so once.
class Peer {
 public:
  /// `module`: of Python, what the script is written with.
  Peer(const char* script, const std::string& module) : script_(script) {
    const std::string look = fmt::format(
        "/usr/bin/python3 -c 'import importlib.util, sys; "
        "sys.exit(not importlib.util.find_spec(\"{}\"))' 2> /dev/null",
        module);
    if (std::system(look.c_str()) != 0) {
      leave_out(fmt::format("python3 has no {}; see tools/setup peers", module));
      return;
    }
    std::signal(SIGPIPE, SIG_IGN);  // one that dies gives no answer and does no harm
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      close(to[1]);
      close(from[0]);
      execl("/usr/bin/python3", "python3", script, nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    out_ = fdopen(to[1], "w");
    in_ = fdopen(from[0], "r");
  }
  ~Peer() {
    if (out_ != nullptr) std::fclose(out_);
    if (in_ != nullptr) std::fclose(in_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  std::optional<std::string> ask(const std::string& line) {
    if (out_ == nullptr) return std::nullopt;
    char buffer[4096];
    if (std::fputs((line + "\n").c_str(), out_) >= 0 && std::fflush(out_) == 0 &&
        std::fgets(buffer, sizeof buffer, in_) != nullptr) {
      return std::string(buffer);
    }
    leave_out("it has ended");
    std::fclose(out_);
    out_ = nullptr;
    return std::nullopt;
  }

 private:
  void leave_out(const std::string& reason) const {
    fmt::print("{} is left out: {}\n", script_, reason);
    std::fflush(stdout);
  }

  const char* script_;
  pid_t child_ = -1;
  std::FILE *out_ = nullptr, *in_ = nullptr;
};

/// Rate of the linked BLAS on one thread, product of 256-cubes.
template <class T>
double gemm_gflops() {
  const int n = 256;
  std::vector<T> a(n * n, T(0.5)), b(n * n, T(0.25)), c(n * n);
  double best = 1e300;
  for (int repeat = 0; repeat < 30; ++repeat) {
    const double begin = now_ms();
    if constexpr (sizeof(T) == 8) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n,
                  0, c.data(), n);
    } else {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n,
                  0, c.data(), n);
    }
    best = std::min(best, now_ms() - begin);
  }
  return 2.0 * n * n * n / best / 1e6;
}

}  // namespace cauchy::bench
