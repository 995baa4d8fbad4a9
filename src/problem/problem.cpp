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
  // u_n and n_x, unless such a name is taken.
  for (const std::string& n : space) {
    const Symbol component = normal_component(n);
    if (!c.declares(component.name())) c.add_definition(component.name(), component);
  }
  for (const std::string& n : all_fields()) {
    const std::string derivative = n + "_n";
    if (!space.empty() && !c.declares(derivative) && !c.declares("n")) {
      c.add_definition(derivative, normal_derivative(Field(n), space));
    }
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
