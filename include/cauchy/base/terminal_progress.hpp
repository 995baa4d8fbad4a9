#pragma once

#include <atomic>
#include <cauchy/base/progress.hpp>
#include <cstdio>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace cauchy {

enum class ProgressStyle {
  automatic,  ///< bar when the output is a terminal, lines otherwise
  bar,        ///< one line, redrawn in place
  lines       ///< plain lines, for files and pipes
};

struct TerminalProgressOptions {
  ProgressStyle style = ProgressStyle::automatic;
  int width = 80;                ///< most columns of the bar line, at least 20
  double bar_interval_s = 0.1;   ///< least time between two redraws
  double line_interval_s = 5.0;  ///< a line after this time ...
  double line_fraction = 0.1;  ///< ... or when this part of the total has been done since the last
  double line_least_s = 0.5;   ///< but never more often than this
  std::function<double()> clock = {};  ///< monotonic seconds; empty: std::chrono::steady_clock
};

/// Shows progress on a stream:
///   bar    "[=====>    ]  52% 520/1000 | 104/s | ETA 0:05 | loss 3.1e-04 | message"
///   lines  "step 520/1000 52% | 0:05 | 104/s | ETA 0:05 | loss 3.1e-04 | message"
/// The rate is that of the last stretch since the first update, so that resumed runs show their
/// own. The first update and finish() are always shown. Control characters in texts become spaces.
/// Thread-safe; an update that is not due costs a clock call and an uncontended lock (about 50 ns).
class TerminalProgress final : public Progress {
 public:
  /// The stream must outlive the sink. With style automatic, streams other than std::cout,
  /// std::cerr and std::clog count as no terminal. Throws Error for a width below 20 or a negative
  /// interval.
  explicit TerminalProgress(std::ostream& out, TerminalProgressOptions options = {});
  explicit TerminalProgress(std::FILE* out, TerminalProgressOptions options = {});

  void update(const ProgressState& state) override;
  void finish(const ProgressState& state) override;
  [[nodiscard]] bool stop_requested() const noexcept override { return stop_.load(); }

  /// Makes stop_requested() true; may be called from any thread and from a signal handler.
  void request_stop() noexcept { stop_.store(true); }
  /// Prints a line of text above the bar, which is redrawn below it.
  void print_line(std::string_view text);
  /// bar or lines, as chosen.
  [[nodiscard]] ProgressStyle style() const noexcept { return options_.style; }

 private:
  TerminalProgress(std::ostream* stream, std::FILE* file, bool is_terminal,
                   TerminalProgressOptions options);
  [[nodiscard]] double now() const;
  [[nodiscard]] bool due(const ProgressState& state, double time) const;
  void show(const ProgressState& state, double time);
  void draw_bar(std::string line);
  void put(std::string_view text);

  static_assert(std::atomic<bool>::is_always_lock_free);

  std::ostream* const stream_;
  std::FILE* const file_;
  TerminalProgressOptions options_;
  std::atomic<bool> stop_{false};

  std::mutex mutex_;  // guards all below and the output
  struct Mark {
    std::uint64_t step;
    double time;
  };
  struct First {
    std::uint64_t step;
    double elapsed_s;
  };
  std::optional<First> first_;  // of this computation
  std::optional<Mark> shown_;   // the last update shown
  std::string bar_;             // what stands on the terminal's line now
};

}  // namespace cauchy
