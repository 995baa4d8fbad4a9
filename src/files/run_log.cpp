#include <cauchy/files/run_log.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/csv_log.hpp>
#include <cauchy/io/events.hpp>
#include <cauchy/io/files.hpp>

#include "base/quantity_text.hpp"
#include "io/append_file.hpp"

namespace cauchy {
namespace {

namespace fs = std::filesystem;

/// Event files of an earlier part of the run; those of other programs have other names.
void remove_events(const fs::path& folder) {
  std::vector<fs::path> old;
  std::error_code failure;  // a folder that cannot be read cannot be written either, which is told
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (is_event_file_name(entry.path().filename().string())) old.push_back(entry.path());
  }
  for (const fs::path& file : old) fs::remove(file, failure);
}

std::string line_of(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text + '\n';
}
std::string line_of(const TrainingEvent& e) {
  return line_of(
      fmt::format("step {}, {}: {}", detail::grouped(e.step), detail::duration(e.seconds), e.text));
}

}  // namespace

struct RunLog::State {
  fs::path folder;
  std::vector<std::string> names;
  std::optional<CsvLog> log;
  std::optional<EventWriter> events;
  std::size_t n_rows = 0;
  std::optional<detail::AppendFile> text;   // log.txt, where there is something
  std::size_t n_choices = 0, n_events = 0;  // in it
  double stage = 0;
  bool has_error = false;  // a column of it
  std::string last_stage = "start";

  /// Stages are numbered; the last entry of a run belongs to the stage before it.
  std::vector<double> row(const HistoryEntry& h) {
    if (h.stage != last_stage && h.stage != "end") ++stage;
    if (h.stage != "end") last_stage = h.stage;
    std::vector<double> values{static_cast<double>(h.step), stage, h.seconds, h.loss};
    if (has_error) values.push_back(h.error);
    values.insert(values.end(), h.terms.begin(), h.terms.end());
    values.insert(values.end(), h.unknowns.begin(), h.unknowns.end());
    return values;
  }

  void write_events(std::span<const HistoryEntry> entries) {
    const double now = wall_seconds();
    for (const HistoryEntry& h : entries) {
      const double time = now - entries.back().seconds + h.seconds;
      const auto step = static_cast<std::int64_t>(h.step);
      events->scalar("loss/total", step, h.loss, time);
      if (!std::isnan(h.error)) events->scalar("error/relative_l2", step, h.error, time);
      for (std::size_t k = 0; k < h.terms.size(); ++k) {
        events->scalar("loss/" + names[k], step, h.terms[k], time);
      }
      for (std::size_t k = 0; k < h.unknowns.size(); ++k) {
        events->scalar("unknown/" + names[h.terms.size() + k], step, h.unknowns[k], time);
      }
    }
    events->flush();
  }

  /// Everything so far, in place of what was there.
  void start(const TrainingRecord& s) {
    names = curve_names(s);
    Table table;
    table.columns = {"step", "stage", "seconds", "loss"};
    has_error = s.has_reference;
    if (has_error) table.columns.emplace_back("error");
    table.columns.insert(table.columns.end(), names.begin(), names.end());
    for (const HistoryEntry& h : s.history) {
      const std::vector<double> values = row(h);
      table.values.insert(table.values.end(), values.begin(), values.end());
    }
    write_file_atomically(folder / "log.csv", to_csv(table), Durable::no, Links::refuse);
    log.emplace(folder / "log.csv", table.columns, LogStart::resume);
    remove_events(folder);
    events.emplace(folder);
    std::error_code none;
    fs::remove(folder / "log.txt", none);
  }

  /// Lines are appended: a run of many windows has thousands of events.
  void write_text(const TrainingRecord& s) {
    const bool begun = s.choices.size() == n_choices && s.events.size() >= n_events;
    if (!begun) {
      text.reset();
      write_file_atomically(folder / "log.txt", log_text(s), Durable::no, Links::refuse);
    } else if (s.events.size() > n_events) {
      if (!text) text.emplace(folder / "log.txt", true);
      for (std::size_t k = n_events; k < s.events.size(); ++k) text->write(line_of(s.events[k]));
      text->flush();
    }
    n_choices = s.choices.size();
    n_events = s.events.size();
  }
};

RunLog::RunLog(fs::path folder) : state_(std::make_unique<State>()) {
  state_->folder = std::move(folder);
}
RunLog::~RunLog() = default;
RunLog::RunLog(RunLog&&) noexcept = default;
RunLog& RunLog::operator=(RunLog&&) noexcept = default;

void RunLog::update(const TrainingRecord& s) {
  const auto added = std::span(s.history).subspan(std::min(state_->n_rows, s.history.size()));
  if (!state_->log) {
    state_->start(s);
  } else {
    for (const HistoryEntry& h : added) state_->log->row(state_->row(h));
    state_->log->flush();
  }
  if (!added.empty()) state_->write_events(added);
  state_->n_rows = s.history.size();
  state_->write_text(s);
}

std::string log_text(const TrainingRecord& s) {
  std::string text;
  for (const std::string& choice : s.choices) text += line_of("chosen: " + choice);
  for (const TrainingEvent& e : s.events) text += line_of(e);
  return text;
}

std::vector<std::string> curve_names(const TrainingRecord& s) {
  std::vector<std::string> names = s.term_names;
  names.insert(names.end(), s.unknown_names.begin(), s.unknown_names.end());
  // Two conditions may read alike, and a constant may be called "loss"; columns may not.
  std::set<std::string> taken{"step", "stage", "seconds", "loss", "error"};
  for (std::string& name : names) {
    const std::string plain = name;
    for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{} ({})", plain, k);
  }
  return names;
}

}  // namespace cauchy
