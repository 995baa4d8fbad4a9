#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/solvers/method.hpp>

#include "training/checkpoints.hpp"

namespace cauchy {
namespace {

constexpr std::string_view model_prefix = "model/";

std::string identity_of(const Problem& problem) {
  std::string text = problem.name + "\n";
  for (const ProblemEquation& e : problem.equation) text += to_string(e.form) + "\n";
  return text;
}

/// The model has names of its own: its entries stand behind a prefix.
template <class Map>
void put_prefixed(Map& all, const Map& own) {
  for (const auto& [name, value] : own) all[std::string(model_prefix) + name] = value;
}
template <class Map>
Map prefixed(const Map& all) {
  Map own;
  for (const auto& [name, value] : all) {
    if (name.starts_with(model_prefix)) own[name.substr(model_prefix.size())] = value;
  }
  return own;
}

double single(const Checkpoint& c, std::string_view name) {
  const std::vector<double>& values = c.array(name).values;
  if (values.size() != 1) throw Error(ErrorKind::file, fmt::format("'{}' is no number", name));
  return values[0];
}

ConfidenceInterval interval_in(const Checkpoint& c, const std::string& name) {
  const std::vector<double>& values = c.array(name).values;
  if (values.size() != 3) throw Error(ErrorKind::file, fmt::format("'{}' is no interval", name));
  return {values[0], values[1], values[2], c.text(name)};
}

Grade grade_in(const Checkpoint& c) {
  const std::uint64_t grade = c.number("grade");
  if (grade > static_cast<std::uint64_t>(Grade::unverified)) {
    throw Error(ErrorKind::file, "the grade is none that this version knows");
  }
  return static_cast<Grade>(grade);
}

void save_record(Checkpoint& c, const TrainingRecord& record) {
  c.arrays["theta"] = Array::list(record.parameters);
  c.numbers["steps"] = record.steps;
  c.numbers["evaluations"] = record.evaluations;
  c.texts["terms"] = fmt::format("{}", fmt::join(record.term_names, "\n"));
  c.texts["unknown_names"] = fmt::format("{}", fmt::join(record.unknown_names, "\n"));
  c.texts["choices"] = fmt::format("{}", fmt::join(record.choices, "\n"));
  detail::save_history(c, record.history);
  detail::save_events(c, record.events);
}

std::optional<TrainingRecord> load_record(const Checkpoint& c) {
  if (!c.texts.contains("terms")) return std::nullopt;
  TrainingRecord record;
  record.parameters = c.array("theta").values;
  record.steps = c.number("steps");
  record.evaluations = c.number("evaluations");
  record.term_names = detail::lines_of(c.text("terms"));
  record.unknown_names = detail::lines_of(c.text("unknown_names"));
  record.history = detail::load_history(c, record);
  record.choices = detail::lines_of(c.text("choices"));
  record.events = detail::load_events(c);
  record.has_reference = !record.history.empty() && !std::isnan(record.history.back().error);
  return record;
}

}  // namespace

void save_solution(const std::filesystem::path& file, const Solution& s, const RunInputs& inputs) {
  if (!s.model) throw Error("the answer has no field to save", file.string(), "solve it first");
  Checkpoint c, model;
  c.texts["solution"] = identity_of(s.problem);
  c.texts["method"] = s.method;
  c.texts["model"] = std::string(s.model->kind());
  c.texts["findings"] = fmt::format("{}", fmt::join(s.findings, "\n"));
  c.arrays["seconds"] = Array::list({s.seconds});
  c.numbers["grade"] = static_cast<std::uint64_t>(s.grade);
  c.numbers["interrupted"] = s.interrupted ? 1 : 0;
  c.numbers["n_unknowns"] = s.n_unknowns;
  for (const auto& [name, value] : s.unknowns) c.arrays["unknown/" + name] = Array::list({value});
  for (const auto& [name, i] : s.intervals) {
    c.arrays["interval/" + name] = Array::list({i.lower, i.upper, i.level});
    c.texts["interval/" + name] = i.how;
  }
  if (s.estimate) {
    c.arrays["estimate"] = Array::list({s.estimate->relative_l2});
    c.texts["estimate"] = s.estimate->how;
  }
  if (s.training) save_record(c, *s.training);
  detail::put_inputs(c, inputs);
  s.model->save(model);
  put_prefixed(c.arrays, model.arrays);
  put_prefixed(c.numbers, model.numbers);
  put_prefixed(c.texts, model.texts);
  save_checkpoint(file, c);
}

Solution load_solution(const std::filesystem::path& file, const Problem& problem,
                       const Method& method, int threads, const RunInputs& inputs) {
  check(problem);
  const Checkpoint c = load_checkpoint(file);
  try {
    detail::check_inputs(c, inputs);
    if (c.text("solution") != identity_of(problem)) {
      throw Error("it holds the solution of another problem");
    }
    Solution s;
    s.problem = problem;
    s.method = c.text("method");
    s.grade = grade_in(c);
    s.seconds = single(c, "seconds");
    s.interrupted = c.number("interrupted") != 0;
    s.n_unknowns = c.number("n_unknowns");
    s.findings = detail::lines_of(c.text("findings"));
    for (const auto& [name, array] : c.arrays) {
      if (name.starts_with("unknown/")) s.unknowns[name.substr(8)] = single(c, name);
      if (name.starts_with("interval/")) s.intervals[name.substr(9)] = interval_in(c, name);
    }
    if (c.texts.contains("estimate")) s.estimate = {single(c, "estimate"), c.text("estimate")};
    s.training = load_record(c);
    Checkpoint model{prefixed(c.arrays), prefixed(c.numbers), prefixed(c.texts)};
    s.model = load_model(c.text("model"), model, problem, method, threads);
    s.error = measure_error(s);
    return s;
  } catch (const Error& e) {
    throw e.at(file.string());
  }
}

}  // namespace cauchy
