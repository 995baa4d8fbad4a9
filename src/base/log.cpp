#include <cauchy/base/log.hpp>
#include <ostream>
#include <string>

namespace cauchy {

std::string_view to_string(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "unknown";
}

void log(LogSink* sink, LogLevel level, std::string_view message) {
  if (sink != nullptr && sink->enabled(level)) sink->write(level, message);
}

void StreamLog::write(LogLevel level, std::string_view message) {
  if (!enabled(level)) return;
  std::string text(to_string(level));
  text += ": ";
  for (const char c : message) {
    text += c;
    if (c == '\n') text += "  ";
  }
  text += '\n';
  const std::lock_guard lock(mutex_);
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  out_.flush();
}

}  // namespace cauchy
