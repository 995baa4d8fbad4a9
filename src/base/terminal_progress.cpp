#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/terminal_progress.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <utility>
#include <vector>

namespace cauchy {
namespace {

constexpr int least_width = 20, most_cells = 20, least_cells = 5, usual_width = 80;

/// The file descriptor behind an output; -1: none that is known.
int descriptor_of(const std::ostream* stream, std::FILE* file) {
  if (file != nullptr) return fileno(file);
  if (stream == &std::cout) return STDOUT_FILENO;
  if (stream == &std::cerr || stream == &std::clog) return STDERR_FILENO;
  return -1;
}

/// Columns of the terminal as it is now; else the variable COLUMNS, else 80.
int terminal_columns(int descriptor) {
  winsize size = {};
  if (descriptor >= 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return usual_width;
  const std::string_view digits = text;
  int columns = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  const bool whole = failure == std::errc{} && end == digits.data() + digits.size();
  return whole && columns > 0 ? columns : usual_width;
}

// 75 -> "1:15", 4000 -> "1:06:40".
std::string duration(double seconds) {
  if (!(seconds >= 0.0) || seconds > 3.6e9) return "-:--";
  const auto s = static_cast<std::int64_t>(std::llround(seconds));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string clean(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  return line;
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

std::string bar_of(double part, int cells) {
  std::string bar(static_cast<std::size_t>(part * cells), '=');
  if (bar.size() < static_cast<std::size_t>(cells)) bar += '>';
  bar.resize(static_cast<std::size_t>(cells), ' ');
  return fmt::format(" [{}]", bar);
}

/// A part of the line with the space in front of it, and when it is left out: the highest rank
/// first.
struct Part {
  enum Rank { always, count, time, value, left, more, percent, bar, rate, message };
  std::string text;
  Rank rank;
};

/// All parts in the order of the line; the bar is empty yet.
std::vector<Part> parts_of(const ProgressState& state, double rate) {
  std::vector<Part> parts = {{state.stage.empty() ? "step" : clean(state.stage), Part::always}};
  if (state.total > 0) {
    parts.push_back({"", Part::bar});
    const auto percent = static_cast<int>(fraction_done(state) * 100);
    parts.push_back({fmt::format(" {}%", percent), Part::percent});
    parts.push_back({fmt::format(" {}/{}", state.step, state.total), Part::count});
  } else {
    parts.push_back({fmt::format(" {}", state.step), Part::count});
  }
  for (const ProgressValue& v : state.values) {
    parts.push_back({fmt::format("  {} {:.2g}", clean(v.name), v.value),
                     &v == state.values.data() ? Part::value : Part::more});
  }
  parts.push_back({"  " + duration(state.elapsed_s), Part::time});
  if (state.limit_s > 0) parts.back().text += " of at most " + duration(state.limit_s);
  if (rate > 0.0 && state.total > state.step) {
    double left = static_cast<double>(state.total - state.step) / rate;
    if (state.limit_s > 0) left = std::min(left, std::max(state.limit_s - state.elapsed_s, 0.0));
    parts.push_back({fmt::format(", {} left", duration(left)), Part::left});
  }
  if (rate > 0.0) parts.push_back({fmt::format("  {:.3g}/s", rate), Part::rate});
  if (!state.message.empty()) parts.push_back({"  " + clean(state.message), Part::message});
  return parts;
}

/// The most important parts that `width` columns hold, in their order, with a bar where there is
/// room.
std::string fitted(std::vector<Part> parts, double part_done, int width) {
  std::vector<Part*> by_rank;
  for (Part& p : parts) by_rank.push_back(&p);
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [](const Part* a, const Part* b) { return a->rank < b->rank; });
  int room = width;
  bool full = false;
  for (Part* p : by_rank) {
    if (p->rank == Part::bar && !full) {
      const int cells = std::min(most_cells, room - 3);
      if (cells >= least_cells) p->text = bar_of(part_done, cells);
    }
    if (p->rank == Part::message && !full) cut(p->text, std::max(room, 0));
    full = full || (p->rank != Part::always && n_columns(p->text) > room);
    if (full) p->text.clear();
    room -= n_columns(p->text);
  }
  std::string line;
  for (const Part& p : parts) line += p.text;
  cut(line, width);
  return line;
}

}  // namespace

TerminalProgress::TerminalProgress(std::ostream& out, TerminalProgressOptions options)
    : TerminalProgress(&out, nullptr, std::move(options)) {}

TerminalProgress::TerminalProgress(std::FILE* out, TerminalProgressOptions options)
    : TerminalProgress(nullptr, out, std::move(options)) {}

TerminalProgress::TerminalProgress(std::ostream* stream, std::FILE* file,
                                   TerminalProgressOptions options)
    : stream_(stream), file_(file), options_(std::move(options)) {
  constexpr const char* place = "[base.terminal_progress]";
  if (stream_ == nullptr && file_ == nullptr) throw Error("the output file is null", place);
  descriptor_ = descriptor_of(stream_, file_);
  if (options_.width != 0 && options_.width < least_width) {
    throw Error(fmt::format("width must be at least {}, got {}", least_width, options_.width),
                place, "leave it out to follow the terminal");
  }
  for (const double value : {options_.bar_interval_s, options_.line_interval_s,
                             options_.line_fraction, options_.line_least_s}) {
    if (value >= 0.0) continue;
    throw Error(fmt::format("intervals must not be negative, got {}", value), place);
  }
  if (options_.style == ProgressStyle::automatic) {
    const bool is_terminal = descriptor_ >= 0 && isatty(descriptor_) == 1;
    options_.style = is_terminal ? ProgressStyle::bar : ProgressStyle::lines;
  }
}

double TerminalProgress::now() const {
  if (options_.clock) return options_.clock();
  return clock_seconds();
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
  if (!first_ || first_->stage != state.stage) {
    first_ = First{state.step, state.elapsed_s, std::string(state.stage)};
  }
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
  const std::string line = clean(text) + '\n';
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
  std::vector<Part> parts = parts_of(state, rate);
  const double part_done = state.total > 0 ? fraction_done(state) : 0;
  if (options_.style == ProgressStyle::bar) {
    // One column is left free: terminals wrap after the last one.
    const int width = options_.width > 0 ? options_.width : terminal_columns(descriptor_);
    draw_bar(fitted(std::move(parts), part_done, width - 1), width - 1);
  } else {
    std::erase_if(parts, [](const Part& p) { return p.rank == Part::bar; });
    put(fitted(std::move(parts), part_done, std::numeric_limits<int>::max()) + '\n');
  }
}

void TerminalProgress::draw_bar(std::string line, int width) {
  // Blanks over the rest of the line before, but never beyond the end of a terminal that shrank.
  const int n_stale = std::min(n_columns(bar_), width) - n_columns(line);
  put(fmt::format("\r{}{}", line,
                  std::string(static_cast<std::size_t>(std::max(n_stale, 0)), ' ')));
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
