#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/model_checkpoint.hpp"
#include "training/checkpoints.hpp"

namespace cauchy {
namespace {

std::string identity_of(const Problem& problem) {
  std::string text = problem.name + "\n";
  for (const ProblemEquation& e : problem.equation) text += to_string(e.form) + "\n";
  return text;
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
  if (record.diagnosis) save_diagnosis(c, *record.diagnosis);
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
  record.diagnosis = load_diagnosis(c);
  record.has_reference = !record.history.empty() && !std::isnan(record.history.back().error);
  return record;
}

void save_estimate(Checkpoint& c, const ErrorEstimate& e) {
  c.arrays["estimate"] = Array::list({e.relative_l2, e.unsure});
  c.arrays["estimate_history"] = Array::list(e.history);
  c.texts["estimate"] = e.how;
  for (const FieldError& f : e.fields) {
    std::vector<double> values = {f.relative_l2, f.max};
    values.insert(values.end(), f.where.begin(), f.where.end());
    c.arrays["estimate/" + f.field] = Array::list(values);
  }
  if (e.correction) detail::put_model(c, "correction", *e.correction);
}

std::optional<ErrorEstimate> load_estimate(const Checkpoint& c, const Problem& problem,
                                           const Method& method, int threads) {
  if (!c.texts.contains("estimate")) return std::nullopt;
  const std::vector<double>& numbers = c.array("estimate").values;
  if (numbers.size() != 2) throw Error(ErrorKind::file, "'estimate' is no estimate");
  ErrorEstimate e{numbers[0], c.text("estimate")};
  e.unsure = numbers[1];
  e.history = c.array("estimate_history").values;
  for (const std::string& name : problem.fields) {
    const auto found = c.arrays.find("estimate/" + name);
    if (found == c.arrays.end() || found->second.values.size() < 2) continue;
    const std::vector<double>& v = found->second.values;
    e.fields.push_back({name, v[0], v[1], {v.begin() + 2, v.end()}});
  }
  if (c.texts.contains("correction")) {
    const std::string& kind = c.text("correction");
    e.correction = load_model(kind, detail::model_in(c, "correction"), problem,
                              is_classical(kind) ? Method(AutoClassical{}) : method, threads);
  }
  return e;
}

}  // namespace

void save_solution(const std::filesystem::path& file, const Solution& s, const RunInputs& inputs) {
  if (!s.model) throw Error("the answer has no field to save", file.string(), "solve it first");
  Checkpoint c;
  c.texts["solution"] = identity_of(s.problem);
  c.texts["method"] = s.method;
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
  if (s.estimate) save_estimate(c, *s.estimate);
  if (s.training) save_record(c, *s.training);
  detail::put_inputs(c, inputs);
  detail::put_model(c, "model", *s.model);
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
    s.training = load_record(c);
    s.model = load_model(c.text("model"), detail::model_in(c, "model"), problem, method, threads);
    s.estimate = load_estimate(c, problem, method, threads);
    s.error = measure_error(s);
    return s;
  } catch (const Error& e) {
    throw e.at(file.string());
  }
}

}  // namespace cauchy
