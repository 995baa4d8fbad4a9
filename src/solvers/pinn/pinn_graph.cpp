#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/r_functions.hpp>

#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/pinn_inputs.hpp"

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
  HardConditions(const Problem& problem, const Lowering& lower, const Sizes& sizes)
      : problem_(problem), lower_(lower), sizes_(sizes), domain_(domain_of(problem)) {
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
      if (e.kind() == Kind::call || e.kind() == Kind::symbol) {
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

Graph make_pinn_graph(const Problem& problem, const Pinn& method, const Lowering& lower,
                      const Sizes& sizes, ExpertOutputs outputs) {
  Graph graph(problem.coordinates());
  for (const Lowering::Free& f : lower.unknowns()) graph.constant(f.name, f.initial);
  const HardConditions hard(problem, lower, sizes);
  PinnInputs inputs(problem, method.periodic, sizes);
  const auto* experts = std::get_if<Experts>(&method.network);
  struct Part {
    std::string name;
    int value, row;
  };
  std::vector<Part> parts;

  const auto finished = [&](const std::string& field, int value, int row) {
    const double size = sizes.fields.at(field);
    int out = row == 0 && graph.rows(value) == 1 ? value : graph.slice(value, row, 1);
    if (size != 1) out = graph.multiply(out, graph.number(size));
    if (const auto form = hard.form(field)) {
      out = graph.multiply(out, graph.expression({form->factor}));
      if (!form->extension.is_constant(0)) {
        out = graph.add(out, graph.expression({form->extension}));
      }
    }
    return out;
  };
  // One network for some fields; the gates add up to 1, so that experts end like their mixture.
  const auto add_fields = [&](const std::vector<std::string>& fields,
                              const std::vector<std::string>& coordinates, const std::string& of) {
    const int input = inputs.add(graph, coordinates);
    const auto n = static_cast<int>(fields.size());
    ExpertValues values{-1, -1, {}};
    if (experts != nullptr) {
      values = add_experts(graph, *experts, input, n);
    } else {
      values.mixture = add_network(graph, method.network, input, n);
    }
    for (int k = 0; k < n; ++k) {
      const std::string& field = fields[static_cast<std::size_t>(k)];
      graph.output(field, finished(field, values.mixture, k));
    }
    if (values.gates < 0 || outputs == ExpertOutputs::none) return;
    int row = 0;
    for (const std::string& name : gate_names(*experts, of)) {
      parts.push_back({name, values.gates, row++});
    }
    for (int k = 0; k < n && outputs == ExpertOutputs::all; ++k) {
      const std::string& field = fields[static_cast<std::size_t>(k)];
      for (std::size_t i = 0; i < values.experts.size(); ++i) {
        parts.push_back(
            {fmt::format("{}_expert_{}", field, i + 1), finished(field, values.experts[i], k), 0});
      }
    }
  };
  if (method.separate) {
    for (const std::string& field : problem.fields) add_fields({field}, {}, field);
  } else {
    add_fields(problem.fields, {}, "");
  }
  for (const Coefficient& c : problem.coefficients) add_fields({c.name}, c.coordinates, c.name);
  for (const Part& part : parts) graph.output(part.name, part.value, part.row);
  return graph;
}

}  // namespace cauchy::detail
