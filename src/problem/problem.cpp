#include <cauchy/problem/problem.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>

#include "expr/builtin.hpp"
#include "problem/circle.hpp"

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
  for (const TabulatedFunction& f : functions) {
    c.add_function(f.name, static_cast<int>(f.arguments.size()));
  }
  for (const Definition& d : definitions) c.add_definition(d.name, d.value);
  check_meanings(c);
  for (const std::string& n : space) {
    const Symbol component = normal_component(n);
    c.add_definition(component.name(), component);
  }
  for (const std::string& n : all_fields()) {
    if (!space.empty()) c.add_definition(n + "_n", normal_derivative(Field(n), space));
  }
  return c;
}

ParameterValues Problem::values() const {
  ParameterValues numbers;
  // A parameter may use those before and behind it; each round settles at least one.
  std::vector<const ProblemParameter*> open;
  for (const ProblemParameter& p : parameters) open.push_back(&p);
  while (!open.empty()) {
    Values known;
    for (const auto& [key, value] : numbers) known.set(Parameter(key), value);
    const std::size_t before = open.size();
    for (auto it = open.begin(); it != open.end();) {
      const Expr roots[] = {(*it)->value};
      const auto nodes = postorder(roots);
      const bool ready = std::all_of(nodes.begin(), nodes.end(), [&](const Expr& e) {
        return !e.is_atom() || known.find(e) != nullptr;
      });
      if (!ready) {
        ++it;
        continue;
      }
      const double value = evaluate((*it)->value, known);
      if (!std::isfinite(value)) {
        throw Error(fmt::format("parameter '{}' is {}", (*it)->name, value),
                    fmt::format("[problem.parameters '{}']", (*it)->name),
                    "write a formula with a finite value");
      }
      numbers[(*it)->name] = value;
      it = open.erase(it);
    }
    if (open.size() == before) {
      const std::vector<std::string> circle = circle_of(open);
      if (!circle.empty()) {
        throw Error(fmt::format("parameters are circular: {}", fmt::join(circle, " -> ")),
                    fmt::format("[problem.parameters '{}']", circle.front()),
                    fmt::format("give one of them a number: {} = 1", circle.front()));
      }
      throw Error(ErrorKind::not_found,
                  fmt::format("parameter '{}' = {} is not a number", open.front()->name,
                              to_string(open.front()->value)),
                  fmt::format("[problem.parameters '{}']", open.front()->name),
                  "use numbers and other parameters");
    }
  }
  return numbers;
}

}  // namespace cauchy
