#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/r_functions.hpp>

#include "solvers/pinn/pinn_graph.hpp"

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

/// The ends of a periodic coordinate.
///   error    throws Error when they depend on a range: the network has one period
std::pair<double, double> ends_of(const Domain& domain, const std::string& coordinate) {
  const auto& space = domain.space()->coordinates();
  const auto k =
      static_cast<std::size_t>(std::find(space.begin(), space.end(), coordinate) - space.begin());
  const auto ends = [&](double share) {
    std::vector<double> ranges;
    for (const Range& r : domain.ranges()) ranges.push_back(r.lower + share * (r.upper - r.lower));
    const ShapePtr shape = domain.shape(ranges);
    return std::pair(shape->bounds().lower[k], shape->bounds().upper[k]);
  };
  if (domain.shape_varies() && (ends(0) != ends(0.5) || ends(0.5) != ends(1))) {
    throw Error(ErrorKind::unsupported,
                fmt::format("the period of '{0}' depends on a parameter range", coordinate),
                fmt::format("condition 'periodic in {}'", coordinate),
                fmt::format("scale '{0}' so that its ends are numbers", coordinate));
  }
  return ends(0.5);
}

int add_inputs(Graph& graph, const Problem& problem, const Sizes& sizes,
               const std::vector<std::string>& of) {
  std::vector<Expr> rows = network_inputs(problem, sizes, of);
  const bool plain =
      (of.empty() || of.size() == sizes.axes.size()) && rows.size() == sizes.axes.size() &&
      std::all_of(sizes.axes.begin(), sizes.axes.end(),
                  [](const auto& axis) { return axis.center == 0 && axis.half == 1; });
  return plain ? graph.coordinates() : graph.expression(std::move(rows));
}

}  // namespace

std::vector<Expr> network_inputs(const Problem& problem, const Sizes& sizes,
                                 const std::vector<std::string>& of) {
  const Domain domain = domain_of(problem);
  std::vector<Expr> rows;
  for (const Sizes::Axis& axis : sizes.axes) {
    if (!of.empty() && std::find(of.begin(), of.end(), axis.name) == of.end()) continue;
    const Expr x = Coordinate(axis.name);
    const auto periodic =
        std::find_if(problem.condition.begin(), problem.condition.end(), [&](const Condition& c) {
          return c.kind == Condition::Kind::periodic && c.coordinate == axis.name;
        });
    if (periodic != problem.condition.end()) {
      const auto [lower, upper] = ends_of(domain, axis.name);
      const Expr angle = 2 * pi * (x - lower) / (upper - lower);
      rows.push_back(cos(angle));
      rows.push_back(sin(angle));
    } else {
      rows.push_back((x - axis.center) / axis.half);
    }
  }
  return rows;
}

std::optional<HardForm> hard_form(const Problem& problem, const Lowering& lower, const Sizes& sizes,
                                  const std::string& field) {
  return HardConditions(problem, lower, sizes).form(field);
}

Graph make_pinn_graph(const Problem& problem, const Pinn& method, const Lowering& lower,
                      const Sizes& sizes) {
  Graph graph(problem.coordinates());
  for (const Lowering::Free& f : lower.unknowns()) graph.constant(f.name, f.initial);
  const HardConditions hard(problem, lower, sizes);

  const auto finish = [&](const std::string& field, int value, int row) {
    const double size = sizes.fields.at(field);
    int out = row == 0 && graph.rows(value) == 1 ? value : graph.slice(value, row, 1);
    if (size != 1) out = graph.multiply(out, graph.number(size));
    if (const auto form = hard.form(field)) {
      out = graph.multiply(out, graph.expression({form->factor}));
      if (!form->extension.is_constant(0)) {
        out = graph.add(out, graph.expression({form->extension}));
      }
    }
    graph.output(field, out);
  };
  if (method.separate) {
    for (const std::string& field : problem.fields) {
      finish(field, add_network(graph, method.network, add_inputs(graph, problem, sizes, {}), 1),
             0);
    }
  } else {
    const int value = add_network(graph, method.network, add_inputs(graph, problem, sizes, {}),
                                  static_cast<int>(problem.fields.size()));
    for (std::size_t k = 0; k < problem.fields.size(); ++k) {
      finish(problem.fields[k], value, static_cast<int>(k));
    }
  }
  for (const Coefficient& c : problem.coefficients) {
    finish(c.name,
           add_network(graph, method.network, add_inputs(graph, problem, sizes, c.coordinates), 1),
           0);
  }
  return graph;
}

}  // namespace cauchy::detail
