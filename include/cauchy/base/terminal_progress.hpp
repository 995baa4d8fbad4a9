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
  int width = 0;                 ///< most columns of the bar line, at least 20; 0: the terminal's,
                                 ///< as it is at each redraw, else COLUMNS, else 80
  double bar_interval_s = 0.1;   ///< least time between two redraws
  double line_interval_s = 5.0;  ///< a line after this time ...
  double line_fraction = 0.1;  ///< ... or when this part of the total has been done since the last
  double line_least_s = 0.5;   ///< but never more often than this
  std::function<double()> clock = {};  ///< monotonic seconds; empty: clock_seconds
};

/// Shows progress on a stream:
///   bar    "adam [=====>    ] 52% 520/1000  loss 0.00031  0:05 of at most 0:55, 0:04 left  104/s"
///   lines  the same without the bar, as a whole
/// A bar never wraps: what does not fit is left out, the message first, then rate, bar, percentage,
/// values but the first, time left. Rate and time left are those of the stage since its first
/// update, so that resumed runs show their own. The first update and finish() are always shown.
/// Control characters in texts become spaces.
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
  TerminalProgress(std::ostream* stream, std::FILE* file, TerminalProgressOptions options);
  [[nodiscard]] double now() const;
  [[nodiscard]] bool due(const ProgressState& state, double time) const;
  void show(const ProgressState& state, double time);
  void draw_bar(std::string line, int width);
  void put(std::string_view text);

  static_assert(std::atomic<bool>::is_always_lock_free);

  std::ostream* const stream_;
  std::FILE* const file_;
  int descriptor_ = -1;  // of the output; -1: not known
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
    std::string stage;
  };
  std::optional<First> first_;  // update of this stage
  std::optional<Mark> shown_;   // the last update shown
  std::string bar_;             // what stands on the terminal's line now
};

}  // namespace cauchy
