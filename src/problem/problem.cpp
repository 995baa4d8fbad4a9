#include <cauchy/problem/problem.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>

#include "expr/builtin.hpp"
#include "problem/circle.hpp"
#include "problem/surface.hpp"

namespace cauchy {
namespace {

/// Parameters that lead back to the first of them, which is also the last; empty when there are no
/// such ones.
std::vector<std::string> circle_of(const std::vector<const ProblemParameter*>& open) {
  detail::NameGraph graph;
  for (const ProblemParameter* p : open) {
    const Expr roots[] = {p->value};
    for (const Expr& e : atoms(roots, Kind::parameter)) graph[p->name].push_back(e.name());
  }
  return detail::circle_in(graph);
}

}  // namespace

std::vector<std::string> Problem::all_fields() const {
  std::vector<std::string> names = fields;
  for (const Coefficient& c : coefficients) names.push_back(c.name);
  return names;
}

std::vector<std::string> Problem::coordinates() const {
  return domain ? domain->columns() : std::vector<std::string>{};
}

namespace {

/// Names that forms read as something else: derivatives u_x and, with space, what belongs to the
/// normal. A parameter or a definition may be called n, a field or a coordinate may not: n_x or u_n
/// would mean two things.
void check_meanings(const Context& c) {
  const auto reserved = [](const std::string& name, const std::string& use) {
    throw Error("reserved for " + use, fmt::format("name '{}'", name),
                "choose another name (reserved words: docs/format.md, Names)");
  };
  const auto is_one_of = [](const std::vector<std::string>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const bool space = !c.space().empty();
  for (const std::string& name : c.names()) {
    const bool varies = is_one_of(c.fields(), name) || is_one_of(c.coordinates(), name);
    if (name == detail::jump_name) reserved(name, "jumps across surfaces");
    if (space && name == "n" && varies) reserved(name, "the outward normal, n_x and u_n");
    for (std::size_t cut = name.find('_'); cut != std::string::npos;
         cut = name.find('_', cut + 1)) {
      const std::string front = name.substr(0, cut), suffix = name.substr(cut + 1);
      if (space && front == "n" && is_one_of(c.space(), suffix)) {
        reserved(name, fmt::format("the component of the outward normal along {}", suffix));
      }
      if (!is_one_of(c.fields(), front)) continue;
      if (space && suffix == "n") {
        reserved(name, fmt::format("the normal derivative of '{}'", front));
      }
      if (detail::read_suffix(suffix, c.coordinates()).count > 0) {
        reserved(name, fmt::format("a derivative of '{}'", front));
      }
    }
  }
}

}  // namespace

Context Problem::context() const {
  Context c;
  std::vector<std::string> space;
  if (domain) {
    if (domain->time() != nullptr) c.add_time(domain->time()->name);
    if (domain->space() != nullptr) space = domain->space()->coordinates();
    for (const std::string& n : space) c.add_space(n);
    for (const Range& r : domain->ranges()) c.add_parameter(r.name);
  }
  for (const std::string& n : all_fields()) c.add_field(n);
  for (const Unknown& u : unknowns) c.add_parameter(u.name);
  for (const ProblemParameter& p : parameters) c.add_parameter(p.name);
  const auto is_coordinate = [&](const std::string& n) {
    return std::find(c.coordinates().begin(), c.coordinates().end(), n) != c.coordinates().end();
  };
  for (const TabulatedFunction& f : functions) {
    if (!f.arguments.empty() &&
        std::all_of(f.arguments.begin(), f.arguments.end(), is_coordinate)) {
      std::vector<Expr> usual;
      for (const std::string& n : f.arguments) usual.emplace_back(Coordinate(n));
      c.add_function(f.name, usual);
    } else {
      c.add_function(f.name, static_cast<int>(f.arguments.size()));
    }
  }
  for (const Definition& d : definitions) c.add_definition(d.name, d.value);
  check_meanings(c);
  for (const std::string& n : space) {
    const Symbol component = normal_component(n);
    c.add_definition(component.name(), component);
  }
  c.add_function(detail::jump_name, 1);
  for (const std::string& n : all_fields()) {
    if (!space.empty()) c.add_definition(n + "_n", normal_derivative(Field(n), space));
  }
  return c;
}

ParameterValues Problem::values() const {
  // A parameter may use those before and behind it: each waits for those that it names.
  struct Waiting {
    const ProblemParameter* parameter;
    std::size_t missing = 0;  ///< atoms without a value
    bool settled = false;
  };
  std::vector<Waiting> all;
  std::unordered_map<std::string_view, std::vector<std::size_t>> waiting_for;
  std::vector<std::size_t> ready;
  for (const ProblemParameter& p : parameters) {
    Waiting w{&p};
    const Expr roots[] = {p.value};
    for (const Expr& e : postorder(roots)) {
      if (!e.is_atom()) continue;
      ++w.missing;
      if (e.kind() == Kind::parameter) waiting_for[e.name()].push_back(all.size());
    }
    if (w.missing == 0) ready.push_back(all.size());
    all.push_back(w);
  }
  ParameterValues numbers;
  Values known;
  for (std::size_t next = 0; next < ready.size(); ++next) {
    Waiting& w = all[ready[next]];
    const ProblemParameter& p = *w.parameter;
    const double value = evaluate(p.value, known);
    if (!std::isfinite(value)) {
      throw Error(fmt::format("parameter '{}' is {}", p.name, value),
                  fmt::format("[problem.parameters '{}']", p.name),
                  "write a formula with a finite value");
    }
    numbers[p.name] = value;
    known.set(Parameter(p.name), value);
    w.settled = true;
    for (const std::size_t user : waiting_for[p.name]) {
      if (--all[user].missing == 0) ready.push_back(user);
    }
    waiting_for.erase(p.name);
  }
  const auto open =
      std::find_if(all.begin(), all.end(), [](const Waiting& w) { return !w.settled; });
  if (open != all.end()) {
    std::vector<const ProblemParameter*> left;
    for (const Waiting& w : all) {
      if (!w.settled) left.push_back(w.parameter);
    }
    if (const std::vector<std::string> circle = circle_of(left); !circle.empty()) {
      throw Error(fmt::format("parameters are circular: {}", fmt::join(circle, " -> ")),
                  fmt::format("[problem.parameters '{}']", circle.front()),
                  fmt::format("give one of them a number: {} = 1", circle.front()));
    }
    throw Error(ErrorKind::not_found,
                fmt::format("parameter '{}' = {} is not a number", open->parameter->name,
                            to_string(open->parameter->value)),
                fmt::format("[problem.parameters '{}']", open->parameter->name),
                "use numbers and other parameters");
  }
  return numbers;
}

}  // namespace cauchy
