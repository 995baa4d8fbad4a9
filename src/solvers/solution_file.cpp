#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/solvers/method.hpp>

#include "training/checkpoints.hpp"

namespace cauchy {
namespace {

std::string identity_of(const Problem& problem, std::size_t n_unknowns) {
  std::string text = fmt::format("{} with {} parameters\n", problem.name, n_unknowns);
  for (const ProblemEquation& e : problem.equation) text += to_string(e.form) + "\n";
  return text;
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

void save_record(Checkpoint& c, const TrainingRecord& record) {
  c.arrays["theta"] = Array::list(record.parameters);
  c.numbers["steps"] = record.steps;
  c.numbers["evaluations"] = record.evaluations;
  c.texts["terms"] = fmt::format("{}", fmt::join(record.term_names, "\n"));
  c.texts["unknowns"] = fmt::format("{}", fmt::join(record.unknown_names, "\n"));
  detail::save_history(c, record.history);
}

std::optional<TrainingRecord> load_record(const Checkpoint& c) {
  if (!c.texts.contains("terms")) return std::nullopt;
  TrainingRecord record;
  record.parameters = c.array("theta").values;
  record.steps = c.number("steps");
  record.evaluations = c.number("evaluations");
  record.term_names = lines_of(c.text("terms"));
  record.unknown_names = lines_of(c.text("unknowns"));
  record.history = detail::load_history(c);
  return record;
}

}  // namespace

void save_solution(const std::filesystem::path& file, const Solution& s) {
  Checkpoint c;
  c.texts["solution"] = identity_of(s.problem, s.n_unknowns);
  c.texts["method"] = s.method;
  c.texts["model"] = std::string(s.model->kind());
  c.texts["findings"] = fmt::format("{}", fmt::join(s.findings, "\n"));
  c.texts["reference"] = s.error.reference;
  c.arrays["seconds"] = Array::list({s.seconds});
  c.numbers["grade"] = static_cast<std::uint64_t>(s.grade);
  c.numbers["unknowns"] = s.n_unknowns;
  for (const FieldError& e : s.error.fields) {
    std::vector<double> row{e.relative_l2, e.max};
    row.insert(row.end(), e.where.begin(), e.where.end());
    c.arrays["error/" + e.field] = Array::list(std::move(row));
  }
  for (const auto& [name, value] : s.unknowns) c.arrays["unknown/" + name] = Array::list({value});
  if (s.training) save_record(c, *s.training);
  s.model->save(c);
  save_checkpoint(file, c);
}

Solution load_solution(const std::filesystem::path& file, const Problem& problem,
                       const Method& method, int threads) {
  const Checkpoint c = load_checkpoint(file);
  check(problem);
  Solution s;
  s.n_unknowns = c.number("unknowns");
  if (c.text("solution") != identity_of(problem, s.n_unknowns)) {
    throw Error("it holds the solution of another problem or network", file.string());
  }
  s.problem = problem;
  s.method = c.text("method");
  s.grade = static_cast<Grade>(c.number("grade"));
  s.seconds = c.array("seconds").values.at(0);
  s.findings = lines_of(c.text("findings"));
  for (const auto& [name, array] : c.arrays) {
    if (name.starts_with("unknown/")) s.unknowns[name.substr(8)] = array.values.at(0);
  }
  s.training = load_record(c);
  s.model = load_model(c, problem, method, threads);
  s.error = measure_error(s);
  return s;
}

}  // namespace cauchy
