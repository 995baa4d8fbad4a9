#include "solvers/pinn/pinn_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/solvers/pinn.hpp>

namespace cauchy {
namespace detail {

void save_history(Checkpoint& c, const std::vector<HistoryEntry>& history) {
  // One row per entry: step, seconds, loss, terms, unknowns; stages as one text.
  std::vector<double> rows;
  std::string stages;
  for (const HistoryEntry& h : history) {
    rows.insert(rows.end(), {static_cast<double>(h.step), h.seconds, h.loss});
    rows.insert(rows.end(), h.terms.begin(), h.terms.end());
    rows.insert(rows.end(), h.unknowns.begin(), h.unknowns.end());
    stages += h.stage + "\n";
  }
  c.arrays["history"] = Array::list(std::move(rows));
  c.texts["stages"] = stages;
  c.numbers["history_terms"] = history.empty() ? 0 : history[0].terms.size();
  c.numbers["history_unknowns"] = history.empty() ? 0 : history[0].unknowns.size();
}

std::vector<HistoryEntry> load_history(const Checkpoint& c) {
  const std::vector<double>& rows = c.array("history").values;
  const std::string& stages = c.text("stages");
  const std::size_t terms = c.number("history_terms"), unknowns = c.number("history_unknowns");
  std::vector<HistoryEntry> history;
  std::size_t from = 0;
  auto at = rows.begin();
  const auto width = static_cast<std::ptrdiff_t>(3 + terms + unknowns);
  while (rows.end() - at >= width) {
    const std::size_t end = stages.find('\n', from);
    HistoryEntry h{
        static_cast<std::uint64_t>(at[0]), stages.substr(from, end - from), at[1], at[2], {}, {}};
    h.terms.assign(at + 3, at + 3 + static_cast<std::ptrdiff_t>(terms));
    h.unknowns.assign(at + 3 + static_cast<std::ptrdiff_t>(terms), at + width);
    history.push_back(std::move(h));
    at += width;
    from = end + 1;
  }
  return history;
}

}  // namespace detail

namespace {

std::string identity_of(const Problem& problem, std::size_t n_parameters) {
  std::string text = fmt::format("{} with {} parameters\n", problem.name, n_parameters);
  for (const ProblemEquation& e : problem.equation) text += to_string(e.form) + "\n";
  return text;
}

}  // namespace

void save_solution(const std::filesystem::path& file, const Solution& s) {
  Checkpoint c;
  c.texts["solution"] = identity_of(s.problem, s.parameters.size());
  c.texts["method"] = s.method;
  c.texts["grade"] = std::string(to_string(s.grade));
  c.texts["findings"] = fmt::format("{}", fmt::join(s.findings, "\n"));
  c.texts["reference"] = s.error.reference;
  c.arrays["theta"] = Array::list(s.parameters);
  c.arrays["seconds"] = Array::list({s.seconds});
  c.numbers["steps"] = s.steps;
  c.numbers["evaluations"] = s.evaluations;
  c.numbers["grade"] = static_cast<std::uint64_t>(s.grade);
  c.texts["terms"] = fmt::format("{}", fmt::join(s.term_names, "\n"));
  for (const FieldError& e : s.error.fields) {
    std::vector<double> row{e.relative_l2, e.max};
    row.insert(row.end(), e.where.begin(), e.where.end());
    c.arrays["error/" + e.field] = Array::list(std::move(row));
  }
  for (const auto& [name, value] : s.unknowns) c.arrays["unknown/" + name] = Array::list({value});
  detail::save_history(c, s.history);
  save_checkpoint(file, c);
}

Solution load_solution(const std::filesystem::path& file, const Problem& problem,
                       const Pinn& method, int threads) {
  const Checkpoint c = load_checkpoint(file);
  check(problem);
  const detail::Lowering lower(problem);
  const detail::Sizes sizes = detail::characteristic_sizes(problem, lower, method.scale);
  const auto graph =
      std::make_shared<const Graph>(detail::make_pinn_graph(problem, method, lower, sizes));
  if (c.text("solution") != identity_of(problem, graph->n_parameters())) {
    throw Error("it holds the solution of another problem or network", file.string());
  }
  Solution s;
  s.problem = problem;
  s.method = c.text("method");
  s.grade = static_cast<Grade>(c.number("grade"));
  s.parameters = c.array("theta").values;
  s.seconds = c.array("seconds").values.at(0);
  s.steps = c.number("steps");
  s.evaluations = c.number("evaluations");
  const auto lines = [](const std::string& text) {
    std::vector<std::string> list;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      list.push_back(text.substr(from, end - from));
      from = end + 1;
    }
    return list;
  };
  s.findings = lines(c.text("findings"));
  s.term_names = lines(c.text("terms"));
  s.history = detail::load_history(c);
  for (const auto& [name, array] : c.arrays) {
    if (name.starts_with("unknown/")) s.unknowns[name.substr(8)] = array.values.at(0);
  }
  s.model = std::make_shared<detail::PinnField>(
      graph, s.parameters, lower,
      ExecutorOptions{.threads = threads, .precision = method.precision});
  s.error = measure_error(s);
  return s;
}

}  // namespace cauchy
