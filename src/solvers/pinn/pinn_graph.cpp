#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/function_ref.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/r_functions.hpp>

#include "solvers/pinn/hard_form.hpp"
#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/pinn_inputs.hpp"
#include "solvers/pinn/pinn_sequence.hpp"

namespace cauchy::detail {
namespace {

[[noreturn]] void refuse(const Condition& c, const std::string& reason, const char* hint = "") {
  throw Error(fmt::format("it cannot be built in: {}", reason),
              fmt::format("hard condition '{}'", name_of(c)), hint);
}

/// One hard condition of a field: value `g` where `distance` is 0.
struct HardPart {
  Expr distance, value;
  int power = 1;                 ///< 2 when the time derivative is prescribed too
  std::optional<Expr> velocity;  ///< of the initial state
};

/// Collects the hard conditions of a field.
class HardConditions final {
 public:
  HardConditions(const Problem& problem, const Lowering& lower, const Sizes& sizes,
                 bool functions = false)
      : problem_(problem),
        lower_(lower),
        sizes_(sizes),
        domain_(domain_of(problem)),
        functions_(functions) {
    for (const Condition& c : problem.condition) {
      if (c.hard && c.kind != Condition::Kind::periodic) add(c);
    }
  }

  [[nodiscard]] std::optional<HardForm> form(const std::string& field) const {
    const auto it = parts_.find(field);
    if (it == parts_.end()) return std::nullopt;
    const std::vector<HardPart>& parts = it->second;
    HardForm result;
    for (const HardPart& p : parts) result.factor *= pow(p.distance, p.power);
    // Where all agree, one value serves; otherwise values are blended by inverse distances.
    std::vector<Expr> values;
    for (const HardPart& p : parts) {
      values.push_back(p.velocity ? p.value + time_since_start() * *p.velocity : p.value);
    }
    const bool agree = std::all_of(values.begin(), values.end(),
                                   [&](const Expr& v) { return same(v, values[0]); });
    if (agree) {
      result.extension = values[0];
      return result;
    }
    Expr sum = 0, weights = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Expr weight = 1;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        if (j != i) weight *= pow(parts[j].distance, parts[j].power);
      }
      sum += weight * values[i];
      weights += weight;
    }
    // Only where two parts meet are all weights 0; there they agree.
    result.extension = where(Expr(0) < weights, sum / weights, values[0]);
    return result;
  }

 private:
  Expr time_since_start() const { return Coordinate(domain_.time()->name) - domain_.time()->lower; }

  void add(const Condition& c) {
    if (c.kind != Condition::Kind::general) {
      refuse(c, "only values on boundaries and at the initial time can",
             "leave it in the loss: hard = false");
    }
    const ConditionPlace place = place_of(problem_, c);
    if (place.kind == ConditionPlace::Kind::slice) return add_initial(c, place);
    const auto form = dirichlet_form(c.form);
    if (!form) refuse(c, "its form is not 'field = value'", "leave it in the loss: hard = false");
    const Boundary boundary(domain_, place.boundary);
    if (domain_.time() != nullptr && boundary.depends_on(domain_.time()->name)) {
      refuse(c, "it holds at some times only", "leave it in the loss: hard = false");
    }
    double size = 1;
    for (const Sizes::Axis& axis : sizes_.axes) {
      const auto& space = domain_.space()->coordinates();
      if (std::find(space.begin(), space.end(), axis.name) != space.end()) {
        size = std::max(size, axis.half);
      }
    }
    parts_[form->field].push_back(
        {lower_(approximate_distance(boundary)) / size, lower_(checked(c, form->value)), 1, {}});
  }

  void add_initial(const Condition& c, const ConditionPlace& place) {
    const Time& t = *domain_.time();
    if (place.time != t.lower)
      refuse(c, "only the initial time can", "leave it in the loss: hard = false");
    const Expr distance = time_since_start() / (t.upper - t.lower);
    if (const auto form = dirichlet_form(c.form)) {
      auto& parts = parts_[form->field];
      const Expr value = lower_(checked(c, form->value));
      for (HardPart& p : parts) {
        if (same(p.distance, distance)) {  // the velocity came first
          p.value = value;
          return;
        }
      }
      parts.push_back({distance, value, 1, {}});
      return;
    }
    // u_t = h at the initial time, together with the value.
    const Expr& left = c.form.left;
    const bool velocity = left.kind() == Kind::field && left.index().size() == 1 &&
                          left.index()[0].first == t.name && left.index()[0].second == 1;
    if (!velocity)
      refuse(c, "its form is neither 'u = value' nor 'u_t = value'",
             "leave it in the loss: hard = false");
    const Expr value = lower_(checked(c, c.form.right));
    for (HardPart& p : parts_[left.name()]) {
      if (same(p.distance, distance)) {
        p.velocity = value;
        p.power = 2;
        return;
      }
    }
    parts_[left.name()].push_back({distance, Expr(0), 2, value});
  }

  /// The value must be a formula of coordinates and constants.
  Expr checked(const Condition& c, const Expr& value) const {
    const Expr roots[] = {value};
    for (const Expr& e : postorder(roots)) {
      if (e.kind() == Kind::field) {
        refuse(c, fmt::format("its value depends on '{}'", e.name()),
               "leave it in the loss: hard = false");
      }
      if ((e.kind() == Kind::call && !functions_) || e.kind() == Kind::symbol) {
        refuse(c, "its value is not a formula of the coordinates",
               "leave it in the loss: hard = false");
      }
    }
    return value;
  }

  const Problem& problem_;
  const Lowering& lower_;
  const Sizes& sizes_;
  Domain domain_;
  bool functions_;  // may stand in values
  std::map<std::string, std::vector<HardPart>> parts_;
};

std::vector<std::string> gate_names(const Experts& experts, const std::string& of) {
  std::vector<std::string> names;
  for (std::size_t i = 0; experts.experts.size() > 1 && i < experts.experts.size(); ++i) {
    names.push_back(fmt::format("{}gate_{}", of.empty() ? "" : of + "_", i + 1));
  }
  return names;
}

}  // namespace

std::optional<HardForm> hard_form(const Problem& problem, const Lowering& lower, const Sizes& sizes,
                                  const std::string& field) {
  return HardConditions(problem, lower, sizes).form(field);
}

std::optional<HardForm> hard_form_of_functions(const Problem& problem, const Lowering& lower,
                                               const Sizes& sizes, const std::string& field) {
  return HardConditions(problem, lower, sizes, true).form(field);
}

std::vector<std::string> gate_names(const Problem& problem, const Pinn& method) {
  const auto* experts = std::get_if<Experts>(&method.network);
  if (experts == nullptr) return {};
  std::vector<std::string> networks = {""}, names;
  if (method.separate) networks = problem.fields;
  for (const Coefficient& c : problem.coefficients) networks.push_back(c.name);
  for (const std::string& network : networks) {
    for (std::string& name : gate_names(*experts, network)) names.push_back(std::move(name));
  }
  return names;
}

namespace {

/// Adds the networks of all fields, of the whole domain or of one piece of it.
class GraphBuilder final {
 public:
  GraphBuilder(const Problem& problem, const Pinn& method, const Lowering& lower,
               const Sizes& sizes, ExpertOutputs outputs)
      : problem_(problem),
        method_(method),
        hard_(problem, lower, sizes),
        layers_(layers_of(problem, method, lower)),
        outputs_(outputs),
        graph_(problem.coordinates()) {
    for (const Lowering::Free& f : lower.unknowns()) graph_.constant(f.name, f.initial);
    if (outputs != ExpertOutputs::all) sequence_ = sequence_of(problem, method, sizes);
  }

  ///   name_of   the name of the output that is a field
  void add(const Sizes& sizes, FunctionRef<std::string(const std::string&)> name_of) {
    PinnInputs inputs(problem_, method_.periodic, sizes);
    const auto add_fields = [&](const std::vector<std::string>& fields, int input,
                                const std::string& of) {
      if (sequence_) return add_tokens_of(sizes, fields, input);
      const ExpertValues values = add_layers(input, static_cast<int>(fields.size()));
      for (std::size_t k = 0; k < fields.size(); ++k) {
        const int row = static_cast<int>(k);
        graph_.output(name_of(fields[k]), finished(sizes, fields[k], values.mixture, row));
      }
      add_parts(sizes, fields, values, of);
    };
    if (method_.separate) {
      for (const std::string& field : problem_.fields) {
        add_fields({field}, inputs.add(graph_), field);
      }
    } else {
      add_fields(problem_.fields, inputs.add(graph_), "");
    }
    for (const Coefficient& c : problem_.coefficients) {
      add_fields({c.name}, inputs.add(graph_, c.coordinates), c.name);
    }
  }

  /// The graph: fields first, then what experts give beside them.
  Graph take() {
    for (const Part& part : parts_) graph_.output(part.name, part.value, part.row);
    return std::move(graph_);
  }

 private:
  struct Part {
    std::string name;
    int value, row;
  };

  ExpertValues add_layers(int input, int n_outputs) {
    if (const auto* experts = std::get_if<Experts>(&method_.network)) {
      return add_experts(graph_, *experts, input, n_outputs);
    }
    return {add_network(graph_, method_.network, input, n_outputs), -1, {}};
  }

  /// The answers of all tokens, in the order of their times; the first one is the field.
  void add_tokens_of(const Sizes& sizes, const std::vector<std::string>& fields, int input) {
    const std::vector<int> tokens = add_tokens(graph_, std::get<Pinnsformer>(method_.network),
                                               input, static_cast<int>(fields.size()));
    for (std::size_t j = 0; j < tokens.size(); ++j) {
      for (std::size_t k = 0; k < fields.size(); ++k) {
        const int out = finished(sizes, fields[k], tokens[j], static_cast<int>(k), j);
        if (j == 0) {
          graph_.output(fields[k], out);
        } else {
          parts_.push_back({Sequence::field(fields[k], j), out, 0});
        }
      }
    }
  }

  /// A row as a field: in its size, with its hard conditions; of a token those at its time.
  int finished(const Sizes& sizes, const std::string& field, int value, int row,
               std::size_t token = 0) {
    const double size = sizes.fields.at(field);
    int out = row == 0 && graph_.rows(value) == 1 ? value : graph_.slice(value, row, 1);
    if (size != 1) out = graph_.multiply(out, graph_.number(size));
    const auto at = [&](const Expr& e) { return token > 0 ? sequence_->at(e, token) : e; };
    if (const auto form = hard_.form(field)) {
      out = graph_.multiply(out, graph_.expression({at(form->factor)}));
      if (!form->extension.is_constant(0)) {
        out = graph_.add(out, graph_.expression({at(form->extension)}));
      }
    }
    const Expr layers = sum_of(layers_, field);
    if (!layers.is_constant(0)) out = graph_.add(out, graph_.expression({at(layers)}));
    return out;
  }

  /// Gates, and the experts: the gates add up to 1, so that experts end like their mixture.
  void add_parts(const Sizes& sizes, const std::vector<std::string>& fields,
                 const ExpertValues& values, const std::string& of) {
    if (values.gates < 0 || outputs_ == ExpertOutputs::none) return;
    int row = 0;
    for (const std::string& name : gate_names(std::get<Experts>(method_.network), of)) {
      parts_.push_back({name, values.gates, row++});
    }
    for (std::size_t k = 0; k < fields.size() && outputs_ == ExpertOutputs::all; ++k) {
      for (std::size_t i = 0; i < values.experts.size(); ++i) {
        const int out = finished(sizes, fields[k], values.experts[i], static_cast<int>(k));
        parts_.push_back({fmt::format("{}_expert_{}", fields[k], i + 1), out, 0});
      }
    }
  }

  const Problem& problem_;
  const Pinn& method_;
  HardConditions hard_;
  std::vector<InitialLayer> layers_;
  ExpertOutputs outputs_;
  std::optional<Sequence> sequence_;
  Graph graph_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<InitialLayer> layers_of(const Problem& problem, const Pinn& method,
                                    const Lowering& lower) {
  return method.initial_layers ? initial_layers(problem, lower) : std::vector<InitialLayer>{};
}

Graph make_pinn_graph(const Problem& problem, const Pinn& method, const Lowering& lower,
                      const Sizes& sizes, const Pieces* pieces, ExpertOutputs outputs) {
  if (pieces == nullptr) {
    GraphBuilder builder(problem, method, lower, sizes, outputs);
    builder.add(sizes, [](const std::string& field) { return field; });
    return builder.take();
  }
  GraphBuilder builder(problem, method, lower, sizes, ExpertOutputs::none);
  for (std::size_t p = 0; p < pieces->size(); ++p) {
    Sizes here = sizes;
    if (method.scale) here.axes = pieces->axes(p);
    builder.add(here, [p](const std::string& field) { return Pieces::field(field, p); });
  }
  return builder.take();
}

}  // namespace cauchy::detail
