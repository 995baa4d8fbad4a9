#include "training/checkpoints.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

constexpr std::string_view input_prefix = "input/";

}  // namespace

std::optional<Checkpoint> load_run_checkpoint(const std::filesystem::path& file,
                                              const std::string& fingerprint,
                                              const RunInputs& inputs) {
  if (file.empty() || !std::filesystem::exists(file)) return std::nullopt;
  Checkpoint c = load_checkpoint(file);
  try {
    check_inputs(c, inputs);
  } catch (const Error& e) {
    throw e.at(file.string());
  }
  if (c.text("run") != fingerprint) {
    throw Error("the checkpoint belongs to another problem or other settings", file.string(),
                "remove it, or choose another folder");
  }
  return c;
}

void put_inputs(Checkpoint& c, const RunInputs& inputs) {
  for (const auto& [name, checksum] : inputs) c.texts[std::string(input_prefix) + name] = checksum;
}

void check_inputs(const Checkpoint& c, const RunInputs& inputs) {
  if (inputs.empty()) return;
  RunInputs saved;
  for (const auto& [name, text] : c.texts) {
    if (name.starts_with(input_prefix)) saved[name.substr(input_prefix.size())] = text;
  }
  for (const auto& [name, checksum] : inputs) {
    const auto before = saved.find(name);
    if (before != saved.end() && before->second == checksum) continue;
    throw Error(ErrorKind::file, fmt::format("'{}' has changed since the run saved this", name), "",
                "put it back, or solve the problem anew");
  }
  if (saved.size() > inputs.size()) {
    throw Error(ErrorKind::file, "the run that saved this had more data", "",
                "put them back, or solve the problem anew");
  }
}

void put_state(Checkpoint& c, const std::string& prefix, TrainingState state) {
  for (auto& [name, values] : state.arrays) {
    c.arrays[prefix + name] = Array::list(std::move(values));
  }
  for (const auto& [name, value] : state.numbers) c.numbers[prefix + name] = value;
}

TrainingState state_in(const Checkpoint& c, const std::string& prefix) {
  TrainingState state;
  for (const auto& [name, array] : c.arrays) {
    if (name.starts_with(prefix)) state.arrays[name.substr(prefix.size())] = array.values;
  }
  for (const auto& [name, value] : c.numbers) {
    if (name.starts_with(prefix)) state.numbers[name.substr(prefix.size())] = value;
  }
  return state;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> list;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    list.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return list;
}

void save_history(Checkpoint& c, const std::vector<HistoryEntry>& history) {
  // One row per entry: step, seconds, loss, error, terms, unknowns; stages as one text.
  std::vector<double> rows;
  std::string stages;
  for (const HistoryEntry& h : history) {
    rows.insert(rows.end(), {static_cast<double>(h.step), h.seconds, h.loss, h.error});
    rows.insert(rows.end(), h.terms.begin(), h.terms.end());
    rows.insert(rows.end(), h.unknowns.begin(), h.unknowns.end());
    stages += h.stage + "\n";
  }
  c.arrays["history"] = Array::list(std::move(rows));
  c.texts["stages"] = stages;
  c.numbers["history_terms"] = history.empty() ? 0 : history[0].terms.size();
  c.numbers["history_unknowns"] = history.empty() ? 0 : history[0].unknowns.size();
}

std::vector<HistoryEntry> load_history(const Checkpoint& c, const TrainingRecord& record) {
  constexpr std::size_t first_term = 4;
  const std::vector<double>& rows = c.array("history").values;
  const std::vector<std::string> stages = lines_of(c.text("stages"));
  const std::size_t terms = c.number("history_terms"), unknowns = c.number("history_unknowns");
  const auto require = [](bool sensible) {
    if (sensible) return;
    throw Error(ErrorKind::file, "the history in the checkpoint is damaged", "[training]",
                "start the run anew");
  };
  if (rows.empty() && stages.empty()) return {};
  require(terms == record.term_names.size() && unknowns == record.unknown_names.size());
  require(rows.size() == stages.size() * (first_term + terms + unknowns));
  std::vector<HistoryEntry> history;
  auto at = rows.begin();
  const auto first_unknown = static_cast<std::ptrdiff_t>(first_term + terms);
  const auto width = first_unknown + static_cast<std::ptrdiff_t>(unknowns);
  for (const std::string& stage : stages) {
    constexpr double whole = 9007199254740992;  // 2^53: from here on doubles skip numbers
    require(at[0] >= 0 && at[0] < whole && at[0] == std::floor(at[0]));
    HistoryEntry h{static_cast<std::uint64_t>(at[0]), stage, at[1], at[2], {}, {}, at[3]};
    h.terms.assign(at + first_term, at + first_unknown);
    h.unknowns.assign(at + first_unknown, at + width);
    history.push_back(std::move(h));
    at += width;
  }
  return history;
}

void save_events(Checkpoint& c, const std::vector<TrainingEvent>& events) {
  std::vector<double> rows;
  std::string texts;
  for (const TrainingEvent& e : events) {
    rows.insert(rows.end(), {static_cast<double>(e.step), e.seconds});
    texts += e.text + "\n";
  }
  c.arrays["events"] = Array::list(std::move(rows));
  c.texts["events"] = texts;
}

std::vector<TrainingEvent> load_events(const Checkpoint& c) {
  const std::vector<double>& rows = c.array("events").values;
  std::vector<std::string> texts = lines_of(c.text("events"));
  if (rows.size() != 2 * texts.size()) {
    throw Error(ErrorKind::file, "the events in the checkpoint are damaged", "[training]",
                "start the run anew");
  }
  std::vector<TrainingEvent> events;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double step = rows[2 * i];
    const bool sensible = step >= 0 && step < 9007199254740992;
    events.push_back(
        {sensible ? static_cast<std::uint64_t>(step) : 0, rows[2 * i + 1], std::move(texts[i])});
  }
  return events;
}

}  // namespace cauchy::detail
