#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/machine_rates.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/files/dynamics_file.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/weak_problem.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/solvers/wellposed.hpp>

#include "cli/check_dynamics.hpp"
#include "cli/check_operator.hpp"
#include "cli/command.hpp"
#include "cli/explain.hpp"
#include "cli/json.hpp"
#include "cli/morph_commands.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"
#include "cli/plain_text.hpp"
#include "cli/text_table.hpp"
#include "files/record_json.hpp"
#include "problem/scattered_reference.hpp"

namespace cauchy::cli {
namespace {

struct CheckOptions : CommonOptions {
  std::string file;
  bool explain = false;
};

std::string place_text(const Condition& c) {
  switch (c.kind) {
    case Condition::Kind::periodic:
      return "both ends of " + c.coordinate;
    case Condition::Kind::integral:
      return "integral over " + c.where;
    case Condition::Kind::point: {
      std::string text;
      for (const auto& [name, value] : c.point) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, number_to_string(value));
      }
      return text;
    }
    default:
      return c.where;
  }
}

std::string form_text(const Condition& c, const Context& context) {
  return c.kind == Condition::Kind::periodic ? fmt::format("periodic to order {}", c.order)
                                             : to_string(c.form, &context);
}

std::vector<std::pair<std::string, std::string>> axes_of(const Problem& p) {
  std::vector<std::pair<std::string, std::string>> axes;
  const Domain domain = domain_of(p);
  const auto interval = [](double lower, double upper) {
    return fmt::format("[{}, {}]", number_to_string(lower), number_to_string(upper));
  };
  if (const Time* t = domain.time()) axes.emplace_back(t->name, interval(t->lower, t->upper));
  if (const Region* space = domain.space()) {
    axes.emplace_back(fmt::format("{}", fmt::join(space->coordinates(), ", ")), space->str());
  }
  for (const Range& r : domain.ranges()) axes.emplace_back(r.name, interval(r.lower, r.upper));
  return axes;
}

/// The weak form in lines, or why there is none.
struct WeakText {
  std::vector<std::string> lines;
  std::string none;
};

WeakText weak_text(const Problem& p) {
  if (p.domain->space() == nullptr || !p.coefficients.empty()) return {};
  try {
    return {describe(p, weak_problem(p, WeakNames::names)), {}};
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {{}, e.message() + (e.hint().empty() ? "" : "; " + e.hint())};
  }
}

std::string_view stage_name(const Stage& s) { return entry_of(s.method).name; }

Json to_json(const ProblemFile& file, const ProblemFacts& facts, const Explained& explained,
             const MethodCost& cost) {
  const Problem& p = file.problem;
  const TrainingCost training = cost.training.value_or(TrainingCost{});
  const Context context = p.context();
  Json domain = Json::object(), equations = Json::array(), conditions = Json::array(),
       terms = Json::array(), stages = Json::array(), constants = Json::array();
  for (const auto& [name, text] : axes_of(p)) domain[name] = text;
  for (const auto& e : facts.equations) {
    equations.push_back(
        {{"form", e.text}, {"order", e.order}, {"linear", e.linear}, {"type", e.type}});
  }
  for (const Condition& c : p.condition) {
    conditions.push_back(
        {{"form", form_text(c, context)}, {"where", place_text(c)}, {"hard", c.hard}});
  }
  for (const auto& t : training.terms) {
    terms.push_back({{"name", t.name}, {"points", t.points}, {"components", t.components}});
  }
  for (const Stage& s : training.stages) {
    stages.push_back({{"method", stage_name(s)}, {"steps", s.steps}});
  }
  for (const Unknown& u : p.unknowns) constants.push_back(u.name);
  std::vector<std::string> coefficients;
  for (const Coefficient& c : p.coefficients) coefficients.push_back(c.name);
  return {{"problem", p.name},
          {"title", p.title},
          {"domain", domain},
          {"fields", p.fields},
          {"coefficients", coefficients},
          {"unknowns", constants},
          {"equations", equations},
          {"conditions", conditions},
          {"observations", p.observation.size()},
          {"derivatives", facts.derivatives},
          {"weak_form", weak_text(p).lines},
          {"reference", !p.reference.empty()},
          {"terms", terms},
          {"method", cost.method},
          {"recipe", explained.recipe.empty() ? Json() : Json(explained.recipe)},
          {"choices", explained.why},
          {"points", training.points},
          {"parameters", cost.unknowns},
          {"stages", stages},
          {"estimate",
           {{"flops_per_step", training.flops_per_step},
            {"work_per_step", nominal_seconds(training.work_per_step)},
            {"work", nominal_seconds(cost.work)},
            {"bytes", cost.bytes}}},
          {"warnings", facts.warnings},
          {"remarks", facts.remarks},
          {detail::run_section, {{"threads", cost.threads}}},
          {detail::times_section,
           {{"seconds_per_step", shown_seconds(training.work_per_step, cost.threads)},
            {"seconds", shown_seconds(cost.work, cost.threads)},
            {"rates_measured", machine_rates().measured}}}};
}

std::string reference_text(const Problem& p) {
  const Reference& r = p.reference;
  if (!r.exact.empty()) return "exact solution " + r.exact;
  if (!r.formulas.empty()) return "formulas";
  if (const auto scattered = detail::scattered_reference(p)) {
    return scattered->reference.description;
  }
  return r.file.empty() ? "none" : "table " + r.file;
}

void print_method(std::ostream& out, const Explained& explained, const MethodCost& cost) {
  const std::string resources = fmt::format(
      "{:.3g} MB (rough, {} thread{}{})", cost.bytes / 1e6, cost.threads,
      cost.threads == 1 ? "" : "s", machine_rates().measured ? "" : " of a nominal machine");
  fmt::print(out, "method       {}\n", method_line(explained, cost));
  for (const std::string& why : explained.why) fmt::print(out, "  {}\n", plain_text(why));
  if (!cost.training) {
    fmt::print(out, "estimate     {} for the first grid, {}\n",
               duration(shown_seconds(cost.work, cost.threads)), resources);
    return;
  }
  std::vector<std::vector<std::string>> rows = {{"term of the loss", "points", "components"}};
  for (const auto& t : cost.training->terms) {
    rows.push_back({t.name, grouped(t.points), std::to_string(t.components)});
  }
  print_table(out, rows, 2);
  fmt::print(out, "estimate     {:.3g} Mflop and {} per step, {} in all, {}\n",
             cost.training->flops_per_step / 1e6,
             duration(shown_seconds(cost.training->work_per_step, cost.threads)),
             duration(shown_seconds(cost.work, cost.threads)), resources);
}

void print_text(std::ostream& out, const ProblemFile& file, const ProblemFacts& facts,
                const Explained& explained, const MethodCost& cost) {
  const Problem& p = file.problem;
  const Context context = p.context();
  fmt::print(out, "{}{}{}\n", plain_text(p.name), p.title.empty() ? "" : ": ", plain_text(p.title));
  std::string domain;
  for (const auto& [name, text] : axes_of(p)) {
    domain += fmt::format("{}{} in {}", domain.empty() ? "" : "; ", name, text);
  }
  fmt::print(out, "domain       {}\n", domain);
  std::string unknowns = fmt::format("{}", fmt::join(p.fields, ", "));
  for (const Coefficient& c : p.coefficients) unknowns += fmt::format(", coefficient {}", c.name);
  for (const Unknown& u : p.unknowns) {
    unknowns += fmt::format(", constant {} from {}", u.name, number_to_string(u.initial));
  }
  fmt::print(out, "unknowns     {}\n", unknowns);
  fmt::print(out, "equations\n");
  std::vector<std::vector<std::string>> rows;
  for (const auto& e : facts.equations) {
    rows.push_back(
        {e.text, fmt::format("order {}, {}{}{}", e.order, e.linear ? "linear" : "nonlinear",
                             e.type.empty() ? "" : ", ", e.type)});
  }
  print_table(out, rows, 2);
  rows.clear();
  for (const Condition& c : p.condition) {
    rows.push_back({form_text(c, context), place_text(c), c.hard ? "built in" : ""});
    if (!c.hard) rows.back().pop_back();
  }
  fmt::print(out, "conditions{}\n", rows.empty() ? "   none" : "");
  print_table(out, rows, 2);
  rows.clear();
  for (const Observation& o : p.observation) {
    rows.push_back({o.name, fmt::format("{} values", grouped(o.table.rows()))});
    if (o.sigma) rows.back().push_back(fmt::format("noise {}", number_to_string(*o.sigma)));
    if (!o.sigma_column.empty()) rows.back().push_back("noise in " + o.sigma_column);
  }
  if (!rows.empty()) fmt::print(out, "observations\n");
  print_table(out, rows, 2);
  const WeakText weak = weak_text(p);
  if (!weak.lines.empty()) fmt::print(out, "weak form\n");
  for (const std::string& line : weak.lines) fmt::print(out, "  {}\n", plain_text(line));
  if (!weak.none.empty()) fmt::print(out, "weak form    none: {}\n", plain_text(weak.none));
  fmt::print(out, "derivatives  {}\n", fmt::join(facts.derivatives, ", "));
  fmt::print(out, "reference    {}\n", reference_text(p));
  print_method(out, explained, cost);
  for (const std::string& w : facts.warnings) fmt::print(out, "warning      {}\n", plain_text(w));
  for (const std::string& r : facts.remarks) fmt::print(out, "remark       {}\n", plain_text(r));
}

void run_check(const CheckOptions& o, Console& console) {
  if (has_dynamics(o.file)) {
    if (o.explain || !o.method.empty()) {
      throw Error("dynamics are learnt by what [train] says", o.file,
                  "leave out --explain and --method, or write --set train.KEY=VALUE");
    }
    return check_dynamics(o.file, o, console);
  }
  if (const auto morph = morph_path(o.file)) return check_morph_file(*morph, o, console);
  if (names_operator(o.file)) {
    if (o.explain || !o.method.empty()) {
      throw Error("an operator is learnt by what [train] says", o.file,
                  "leave out --explain and --method, or write --set train.KEY=VALUE");
    }
    return check_operator(o.file, o, console);
  }
  const ProblemFile file = read_problem(o.file, o);
  const std::unique_ptr<PreparedMethod> prepared = prepare(file, o.threads);
  const MethodCost cost = prepared->cost();
  const Explained explained = explain(file, *prepared, cost);
  if (o.explain) {
    const std::string text = explained_text(explained, file.problem.name);
    if (!o.json) {
      console.out << text;
      return;
    }
    print_json(console.out, {{"problem", file.problem.name},
                             {"recipe", explained.recipe.empty() ? Json() : Json(explained.recipe)},
                             {"choices", explained.why},
                             {"method", method_text(explained.method)}});
    return;
  }
  ProblemFacts found = facts(file.problem);
  for (std::string& w : solvability_doubts(file.problem)) found.warnings.push_back(std::move(w));
  for (std::string& w : prepared->warnings()) found.warnings.push_back(std::move(w));
  for (std::string& r : prepared->remarks()) found.remarks.push_back(std::move(r));
  try {
    require_fit(cost);
  } catch (const Error& e) {
    found.warnings.emplace_back(e.what());
  }
  if (o.json) {
    print_json(console.out, to_json(file, found, explained, cost));
  } else {
    print_text(console.out, file, found, explained, cost);
  }
}

}  // namespace

void add_check(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "check", "Say what the problem of a file is, what solving it costs, and what is missing");
  auto o = std::make_shared<CheckOptions>();
  mark_problems(
      *not_empty(command
                     ->add_option("file", o->file,
                                  "problem, operator problem or problem with [dynamics] in "
                                  "TOML, its name in the library, or a run folder")
                     ->required(),
                 "burgers"));
  add_problem_options(*command, *o);
  add_threads_option(*command, *o);
  command->add_flag("--explain", o->explain,
                    "print [method] with every key, a recipe written out with its reasons as "
                    "comments, to be pasted into the file");
  add_json_option(*command, *o);
  add_sandbox_option(*command, *o);
  command->callback(
      [o, &console] { run_in_sandbox(*o, console.err, [&] { run_check(*o, console); }); });
}

}  // namespace cauchy::cli
