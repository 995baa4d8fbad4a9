#pragma once

#include <iosfwd>
#include <mutex>
#include <string_view>

namespace cauchy {

enum class LogLevel { debug, info, warning, error };

/// "debug", "info", "warning" or "error".
[[nodiscard]] std::string_view to_string(LogLevel level) noexcept;

/// Where messages go. The library has no logger of its own: functions that have something to tell
/// take a LogSink* which is null, hence silent, unless the caller passes one. Implementations must
/// allow concurrent calls of both members.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// Whether messages of this level are kept; ask before building a costly message.
  [[nodiscard]] virtual bool enabled(LogLevel level) const noexcept = 0;
  /// message is UTF-8 without a final newline and lives only during the call.
  virtual void write(LogLevel level, std::string_view message) = 0;
};

/// Hands the message to the sink; does nothing when it is null or does not want the level.
void log(LogSink* sink, LogLevel level, std::string_view message);

/// Drops everything.
class NullLog final : public LogSink {
 public:
  [[nodiscard]] bool enabled(LogLevel) const noexcept override { return false; }
  void write(LogLevel, std::string_view) override {}
};

/// Writes "level: message" lines of at least the given level to a stream, each in one piece, and
/// flushes. Further lines of a message are indented. The stream must outlive the sink. Thread-safe
/// with respect to other calls of the same sink.
class StreamLog final : public LogSink {
 public:
  explicit StreamLog(std::ostream& out, LogLevel least = LogLevel::info)
      : out_(out), least_(least) {}
  [[nodiscard]] bool enabled(LogLevel level) const noexcept override { return level >= least_; }
  void write(LogLevel level, std::string_view message) override;

 private:
  std::ostream& out_;
  const LogLevel least_;
  std::mutex mutex_;
};

}  // namespace cauchy
