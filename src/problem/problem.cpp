#include <cauchy/problem/problem.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>

namespace cauchy {

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
                  fmt::format("[problem.parameters '{}']", p.name));
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
    throw Error(ErrorKind::not_found,
                fmt::format("parameter '{}' = {} is not a number", open->parameter->name,
                            to_string(open->parameter->value)),
                fmt::format("[problem.parameters '{}']", open->parameter->name),
                "use numbers and other parameters");
  }
  return numbers;
}

}  // namespace cauchy
