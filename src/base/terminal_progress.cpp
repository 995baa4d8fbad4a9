#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/terminal_progress.hpp>
#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <utility>

namespace cauchy {
namespace {

constexpr int least_width = 20, bar_cells = 20;

bool is_terminal(const std::ostream& out) {
  if (&out == &std::cout) return isatty(STDOUT_FILENO) == 1;
  if (&out == &std::cerr || &out == &std::clog) return isatty(STDERR_FILENO) == 1;
  return false;
}

bool is_terminal(std::FILE* out) { return out != nullptr && isatty(fileno(out)) == 1; }

// 75 -> "1:15", 4000 -> "1:06:40".
std::string duration(double seconds) {
  if (!(seconds >= 0.0) || seconds > 3.6e9) return "-:--";
  const auto s = static_cast<std::int64_t>(std::llround(seconds));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

void append_clean(std::string& line, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

int n_columns(std::string_view utf8) {
  return static_cast<int>(std::count_if(utf8.begin(), utf8.end(), starts_character));
}

// Cuts after at most `columns` characters of UTF-8.
void cut(std::string& line, int columns) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (starts_character(line[i]) && columns-- == 0) {
      line.resize(i);
      return;
    }
  }
}

double fraction_done(const ProgressState& state) {
  const double part = static_cast<double>(state.step) / static_cast<double>(state.total);
  return std::min(part, 1.0);
}

// Rate and ETA, then key numbers and message, each after " | ".
std::string tail(const ProgressState& state, double rate) {
  std::string line;
  if (rate > 0.0) {
    fmt::format_to(std::back_inserter(line), " | {:.3g}/s", rate);
    if (state.total > state.step) {
      const auto left = static_cast<double>(state.total - state.step);
      fmt::format_to(std::back_inserter(line), " | ETA {}", duration(left / rate));
    }
  }
  for (const ProgressValue& v : state.values) {
    line += " | ";
    append_clean(line, v.name);
    fmt::format_to(std::back_inserter(line), " {:.3g}", v.value);
  }
  if (!state.message.empty()) {
    line += " | ";
    append_clean(line, state.message);
  }
  return line;
}

std::string bar_text(const ProgressState& state, double rate) {
  if (state.total == 0) {
    return fmt::format("step {} | {}{}", state.step, duration(state.elapsed_s), tail(state, rate));
  }
  const double part = fraction_done(state);
  const int filled = static_cast<int>(part * bar_cells);
  std::string bar(static_cast<std::size_t>(filled), '=');
  if (filled < bar_cells) bar += '>';
  bar.resize(bar_cells, ' ');
  return fmt::format("[{}] {:3}% {}/{}{}", bar, static_cast<int>(part * 100), state.step,
                     state.total, tail(state, rate));
}

std::string line_text(const ProgressState& state, double rate) {
  const std::string count = state.total == 0
                                ? fmt::format("{}", state.step)
                                : fmt::format("{}/{} {}%", state.step, state.total,
                                              static_cast<int>(fraction_done(state) * 100));
  return fmt::format("step {} | {}{}\n", count, duration(state.elapsed_s), tail(state, rate));
}

}  // namespace

TerminalProgress::TerminalProgress(std::ostream& out, TerminalProgressOptions options)
    : TerminalProgress(&out, nullptr, is_terminal(out), std::move(options)) {}

TerminalProgress::TerminalProgress(std::FILE* out, TerminalProgressOptions options)
    : TerminalProgress(nullptr, out, is_terminal(out), std::move(options)) {
  if (out == nullptr) throw Error("the output file is null", "[base.terminal_progress]");
}

TerminalProgress::TerminalProgress(std::ostream* stream, std::FILE* file, bool is_terminal,
                                   TerminalProgressOptions options)
    : stream_(stream), file_(file), options_(std::move(options)) {
  if (options_.width < least_width) {
    throw Error(fmt::format("width must be at least {}, got {}", least_width, options_.width),
                "[base.terminal_progress]");
  }
  for (const double value : {options_.bar_interval_s, options_.line_interval_s,
                             options_.line_fraction, options_.line_least_s}) {
    if (value >= 0.0) continue;
    throw Error(fmt::format("intervals must not be negative, got {}", value),
                "[base.terminal_progress]");
  }
  if (options_.style == ProgressStyle::automatic) {
    options_.style = is_terminal ? ProgressStyle::bar : ProgressStyle::lines;
  }
}

double TerminalProgress::now() const {
  if (options_.clock) return options_.clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool TerminalProgress::due(const ProgressState& state, double time) const {
  if (!shown_) return true;
  const double since = time - shown_->time;
  if (options_.style == ProgressStyle::bar) return since >= options_.bar_interval_s;
  if (since < options_.line_least_s) return false;
  if (since >= options_.line_interval_s) return true;
  const double done = static_cast<double>(state.step) - static_cast<double>(shown_->step);
  return state.total > 0 && done >= options_.line_fraction * static_cast<double>(state.total);
}

void TerminalProgress::update(const ProgressState& state) {
  const std::lock_guard lock(mutex_);
  const double time = now();  // within the lock, so that times do not run backwards
  if (!first_) first_ = First{state.step, state.elapsed_s};
  if (due(state, time)) show(state, time);
}

void TerminalProgress::finish(const ProgressState& state) {
  const std::lock_guard lock(mutex_);
  show(state, now());
  if (options_.style == ProgressStyle::bar) put("\n");
  bar_.clear();
  first_.reset();
  shown_.reset();
}

void TerminalProgress::print_line(std::string_view text) {
  std::string line;
  append_clean(line, text);
  line += '\n';
  const std::lock_guard lock(mutex_);
  if (bar_.empty()) return put(line);
  const std::string blank(static_cast<std::size_t>(n_columns(bar_)), ' ');
  put(fmt::format("\r{}\r{}{}", blank, line, bar_));
}

void TerminalProgress::show(const ProgressState& state, double time) {
  double rate = 0.0;
  if (first_ && state.step > first_->step && state.elapsed_s > first_->elapsed_s) {
    rate = static_cast<double>(state.step - first_->step) / (state.elapsed_s - first_->elapsed_s);
  }
  shown_ = Mark{state.step, time};
  if (options_.style == ProgressStyle::bar) {
    draw_bar(bar_text(state, rate));
  } else {
    put(line_text(state, rate));
  }
}

void TerminalProgress::draw_bar(std::string line) {
  // One column is left free: terminals wrap after the last one.
  cut(line, options_.width - 1);
  const int n_stale = std::max(n_columns(bar_) - n_columns(line), 0);
  put(fmt::format("\r{}{}", line, std::string(static_cast<std::size_t>(n_stale), ' ')));
  bar_ = std::move(line);
}

void TerminalProgress::put(std::string_view text) {
  if (stream_ != nullptr) {
    stream_->write(text.data(), static_cast<std::streamsize>(text.size()));
    stream_->flush();
  } else {
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fflush(file_);
  }
}

}  // namespace cauchy
