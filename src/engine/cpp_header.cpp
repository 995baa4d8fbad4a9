#include <cauchy/engine/cpp_header.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/cpp_code.hpp>
#include <cauchy/expr/print.hpp>

#include "engine/cpp_header_text.hpp"
#include "engine/cpp_network.hpp"

namespace cauchy {
namespace {

[[noreturn]] void refuse_network(const std::string& message) {
  throw Error(message, "[engine.cpp_header]");
}

void check_networks(std::span<const TrainedNetwork> networks) {
  if (networks.empty()) refuse_network("there is no network to write");
  for (const TrainedNetwork& n : networks) {
    if (!n.graph || n.graph->outputs().empty()) refuse_network("the network has no outputs");
    const TrainedNetwork& first = networks.front();
    const auto own = detail::fields_of(n), common = detail::fields_of(first);
    const bool alike = std::equal(own.begin(), own.end(), common.begin(), common.end(),
                                  [](const auto& f, const auto& g) { return f.field == g.field; });
    if (!alike || n.graph->coordinate_names() != first.graph->coordinate_names()) {
      refuse_network("networks of different fields or coordinates make no common function");
    }
  }
}

/// A function of the header: a field or a derivative of it.
struct HeaderFunction {
  std::string name;
  std::size_t output;
  JetSpec::Orders orders;
};

/// The functions and the sets of derivatives that they are taken from, each as small as possible;
/// `all` is the set that has all of them.
class HeaderFunctions final {
 public:
  HeaderFunctions(const TrainedNetwork& network, const CppHeaderOptions& options)
      : graph_(*network.graph), fields_(detail::fields_of(network)) {
    for (const Graph::Output& o : fields_) add(Field(o.field));
    for (const Expr& e : options.derivatives) add(e);
    std::vector<JetSpec::Orders> wanted;
    for (const HeaderFunction& f : functions_) {
      sets_.push_back(set_of({f.orders}));
      wanted.push_back(f.orders);
    }
    sets_.push_back(set_of(wanted));
    for (const JetSpec& s : sets_) {
      if (std::find(distinct_.begin(), distinct_.end(), s) == distinct_.end()) {
        distinct_.push_back(s);
      }
    }
  }

  [[nodiscard]] std::span<const HeaderFunction> functions() const { return functions_; }
  [[nodiscard]] std::span<const JetSpec> sets() const { return distinct_; }
  /// The set of function i; that of all functions behind the last one.
  [[nodiscard]] std::size_t set(std::size_t i) const {
    return static_cast<std::size_t>(std::find(distinct_.begin(), distinct_.end(), sets_[i]) -
                                    distinct_.begin());
  }
  /// Where function i lies among the numbers of a set.
  [[nodiscard]] std::size_t place(std::size_t i, std::size_t set) const {
    const HeaderFunction& f = functions_[i];
    return f.output * static_cast<std::size_t>(distinct_[set].size()) +
           static_cast<std::size_t>(distinct_[set].find(f.orders));
  }

 private:
  [[nodiscard]] JetSpec set_of(const std::vector<JetSpec::Orders>& wanted) const {
    return {static_cast<int>(graph_.coordinate_names().size()), wanted};
  }

  void add(const Expr& e) {
    const auto& names = graph_.coordinate_names();
    const auto output = std::find_if(fields_.begin(), fields_.end(),
                                     [&](const auto& o) { return o.field == e.name(); });
    if (e.kind() != Kind::field || output == fields_.end()) {
      refuse_network(
          fmt::format("'{}' is not a field of the network or a derivative of one", to_string(e)));
    }
    HeaderFunction f{cpp_identifier(e.name()), static_cast<std::size_t>(output - fields_.begin()),
                     JetSpec::Orders(names.size(), 0)};
    const bool letters = std::all_of(e.index().begin(), e.index().end(),
                                     [](const auto& i) { return i.first.size() == 1; });
    std::string suffix;
    for (const auto& [name, order] : e.index()) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (at == names.end()) {
        refuse_network(
            fmt::format("'{}' is a derivative by something that is no coordinate", to_string(e)));
      }
      f.orders[static_cast<std::size_t>(at - names.begin())] = order;
      for (int k = 0; k < order; ++k) suffix += (letters && !suffix.empty() ? "" : "_") + name;
    }
    f.name += suffix;
    if (f.name == "jet" || f.name == "Jet" || f.name == "detail") f.name += "_";
    const auto known = std::find_if(functions_.begin(), functions_.end(), [&](const auto& other) {
      return other.output == f.output && other.orders == f.orders;
    });
    if (known != functions_.end()) return;
    for (const HeaderFunction& other : functions_) {
      if (other.name == f.name) {
        refuse_network(fmt::format("two functions would be called '{}'", f.name));
      }
    }
    functions_.push_back(std::move(f));
  }

  const Graph& graph_;
  std::vector<Graph::Output> fields_;
  std::vector<HeaderFunction> functions_;
  std::vector<JetSpec> sets_, distinct_;
};

/// The function that evaluates one set with the network that counts at a point.
std::string cpp_choice(std::span<const TrainedNetwork> networks, std::size_t set) {
  std::string text = fmt::format("inline void evaluate_{}(const double* x, double* out) {{\n", set);
  std::vector<Expr> conditions;
  for (const TrainedNetwork& n : networks.first(networks.size() - 1)) conditions.push_back(n.where);
  const auto& names = networks.front().graph->coordinate_names();
  text += cpp_statements(
      conditions,
      {.atom =
           [&](const Expr& e) {
             const auto k = std::find(names.begin(), names.end(), e.name()) - names.begin();
             if (e.kind() != Kind::coordinate || k == std::ssize(names)) {
               refuse_network(fmt::format("'{}' cannot choose a network", to_string(e)));
             }
             return fmt::format("x[{}]", k);
           },
       .output = [](std::size_t i) { return fmt::format("const double use_{}", i); }});
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const std::string when =
        i + 1 < networks.size() ? fmt::format("if (use_{} != 0) return ", i) : "";
    text += fmt::format("  {0}part_{1}::evaluate<part_{1}::jets_{2}>(x, out);\n", when, i, set);
  }
  return text + "}\n";
}

}  // namespace

std::string to_cpp_header(std::span<const TrainedNetwork> networks,
                          const CppHeaderOptions& options) {
  check_networks(networks);
  const Graph& graph = *networks.front().graph;
  const HeaderFunctions functions(networks.front(), options);
  const std::size_t n_fields = detail::fields_of(networks.front()).size();
  std::set<Activation> activations;
  std::string parts, rules, choices;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const detail::CppNetwork part(networks[i], functions.sets());
    activations.insert(part.activations().begin(), part.activations().end());
    parts += part.text(i);
  }
  int order = 0;
  for (std::size_t k = 0; k < functions.sets().size(); ++k) {
    const JetSpec& jets = functions.sets()[k];
    order = std::max(order, jets.order());
    rules += detail::cpp_rules(fmt::format("rules_{}", k), jets);
    choices += cpp_choice(networks, k);
  }
  std::vector<std::string> arguments, parameters;
  for (const std::string& name : graph.coordinate_names()) {
    arguments.push_back(cpp_identifier(name));
    parameters.push_back("double " + arguments.back());
  }
  const auto evaluation = [&](std::size_t set) {
    return fmt::format(
        "  const double point[] = {{{}}};\n  double out[{}];\n  detail::evaluate_{}(point, out);\n",
        fmt::join(arguments, ", "),
        n_fields * static_cast<std::size_t>(functions.sets()[set].size()), set);
  };
  std::string user, members, values;
  for (const auto& [name, value] : options.constants) {
    user += fmt::format("inline constexpr double {} = {};\n", cpp_identifier(name), value);
  }
  const std::size_t n = functions.functions().size(), all = functions.set(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& name = functions.functions()[i].name;
    user += fmt::format("\ninline double {}({}) {{\n{}  return out[{}];\n}}\n", name,
                        fmt::join(parameters, ", "), evaluation(functions.set(i)),
                        functions.place(i, functions.set(i)));
    members += (i == 0 ? "" : ", ") + name;
    values += fmt::format("{}out[{}]", i == 0 ? "" : ", ", functions.place(i, all));
  }
  const std::string name = cpp_identifier(options.name);
  return fmt::format(
      "{0}#pragma once\n\n#include <cmath>\n#include <vector>\n\nnamespace {1} {{\n"
      "namespace detail {{\n\ninline constexpr int max_order = {2};\n\n{3}{4}{5}\n{6}\n{7}\n{8}\n"
      "}}  // namespace detail\n\n{9}\nstruct Jet {{\n  double {10};\n}};\n"
      "inline Jet jet({11}) {{\n{12}  return {{{13}}};\n}}\n\n}}  // namespace {1}\n",
      options.comment.empty() ? "" : "// " + cpp_comment(options.comment) + "\n", name, order,
      detail::cpp_operations(), cpp_helpers(), detail::cpp_activations(activations), rules, parts,
      choices, user, members, fmt::join(parameters, ", "), evaluation(all), values);
}

}  // namespace cauchy
