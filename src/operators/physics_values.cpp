#include "operators/physics_values.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>

#include "operators/field_map.hpp"  // at_all_times
#include "operators/grid_derivative.hpp"
#include "problem/grid_table.hpp"  // call_values

namespace cauchy::detail {
namespace {

[[noreturn]] void refuse_physics(const std::string& what, std::string_view fix = {}) {
  throw Error(ErrorKind::unsupported, what, "[train.physics]", fix);
}

}  // namespace

std::vector<Expr> grid_atoms(const std::vector<Expr>& expressions) {
  std::vector<Expr> found, open(expressions.rbegin(), expressions.rend());
  std::unordered_set<const void*> seen;
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (!seen.insert(e.id()).second) continue;
    const Kind kind = e.kind();
    if (kind == Kind::coordinate || kind == Kind::symbol || kind == Kind::call ||
        kind == Kind::field || kind == Kind::parameter) {
      found.push_back(e);
    } else {
      open.insert(open.end(), e.args().begin(), e.args().end());
    }
  }
  return found;
}

PhysicsValues::PhysicsValues(TensorGraph& graph, const PhysicsPlace& place,
                             GridDerivative derivative)
    : graph_(graph),
      place_(place),
      derivative_(derivative),
      timed_(!place.times.empty()),
      sizes_(place.space.sizes()) {
  if (timed_) sizes_.insert(sizes_.begin(), static_cast<int>(place.times.size()));
  const std::vector<double> nodes = place.space.positions();
  const std::size_t d = place.space.axes.size(), n = nodes.size() / d;
  // A problem in time whose outputs have no times is asked at its end.
  const Time* time = place.problem.problem.domain->time();
  std::vector<double> times = place.times;
  if (time != nullptr && times.empty()) times = {time->upper};
  for (std::size_t k = 0; k < std::max<std::size_t>(1, times.size()); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      if (time != nullptr) positions_.push_back(times[k]);
      positions_.insert(positions_.end(), &nodes[i * d], &nodes[i * d] + d);
    }
  }
}

std::size_t PhysicsValues::axis_of(const std::string& coordinate) const {
  if (timed_ && coordinate == place_.time) return 0;
  for (std::size_t k = 0; k < place_.space.axes.size(); ++k) {
    if (place_.space.axes[k].name == coordinate) return k + (timed_ ? 1 : 0);
  }
  refuse_physics(fmt::format("the outputs have no values along '{}'", coordinate),
                 "give `times` in [operator]");
}

int PhysicsValues::constant(std::vector<double> numbers) {
  return graph_.constant({1, sizes_}, std::move(numbers));
}

int PhysicsValues::in_time(int value, int order) {
  return add_along(graph_, value, 0,
                   difference_matrix(place_.times, order, difference_points(derivative_)));
}

int PhysicsValues::space_derivative(int value, const MultiIndex& index) {
  for (const auto& [name, order] : index) {
    const std::size_t axis = axis_of(name) - (timed_ ? 1 : 0);
    const std::size_t before = graph_.shape(value).grid.size() - place_.space.axes.size();
    value = add_along(graph_, value, axis + before,
                      derivative_matrix(place_.space.axes[axis], order, derivative_));
  }
  return value;
}

int PhysicsValues::derivative(int value, const std::string& coordinate, int order) {
  if (timed_ && coordinate == place_.time) return in_time(value, order);
  (void)axis_of(coordinate);
  return space_derivative(value, {{coordinate, order}});
}

int PhysicsValues::field(const Expr& atom) {
  const auto found = std::find_if(place_.fields.begin(), place_.fields.end(),
                                  [&](const PhysicsField& f) { return f.name == atom.name(); });
  if (found == place_.fields.end()) {
    refuse_physics(fmt::format("'{}' is no output of the operator", atom.name()),
                   fmt::format("add it to `outputs` in [operator]"));
  }
  const PhysicsField& f = *found;
  int in_time_order = 0;
  MultiIndex in_space = atom.index();
  std::erase_if(in_space, [&](const auto& part) {
    if (!timed_ || part.first != place_.time) return false;
    in_time_order = part.second;
    return true;
  });
  for (const auto& part : in_space) (void)axis_of(part.first);
  if (timed_ && f.exact && f.exact_in_time) {
    return graph_.reshape(f.exact(atom.index()), {1, sizes_});
  }
  int value = f.exact ? f.exact(in_space) : space_derivative(f.answer, in_space);
  if (!timed_) return value;
  if (place_.given > 0) {
    TensorShape before = graph_.shape(value);
    before.channels = static_cast<int>(place_.given);
    if (f.given < 0 && in_time_order > 0) {
      refuse_physics(fmt::format("'{}' has no value at {} = {:.6g}", f.name, place_.time,
                                 place_.times.front()),
                     "give it an initial condition, or add that time to `times` in [operator]");
    }
    const int known = f.given < 0 ? graph_.constant(before, std::vector<double>(before.size(), 0.0))
                                  : space_derivative(f.given, in_space);
    const int all[] = {known, value};
    value = graph_.concatenate(all);
  }
  value = graph_.reshape(value, {1, sizes_});
  return in_time_order == 0 ? value : in_time(value, in_time_order);
}

int PhysicsValues::function(const Expr& call) {
  const auto channel = std::find(place_.inputs.begin(), place_.inputs.end(), call.name());
  if (channel == place_.inputs.end()) {
    std::vector<double> numbers = call_values(place_.problem.problem, call, positions_);
    return constant(std::move(numbers));
  }
  MultiIndex index;
  for (std::size_t k = 0; k < call.args().size(); ++k) {
    const Expr& x = call.args()[k];
    if (x.kind() != Kind::coordinate || x.name() == place_.time) {
      refuse_physics(fmt::format("{} is not asked at the nodes of the grid", to_string(call)),
                     "physics needs input functions of the coordinates of space themselves");
    }
    if (call.call_orders()[k] > 0) index.emplace_back(x.name(), call.call_orders()[k]);
  }
  std::sort(index.begin(), index.end());
  const auto at = static_cast<int>(channel - place_.inputs.begin());
  const bool single = place_.inputs.size() == 1;
  const int value = space_derivative(single ? place_.in : graph_.slice(place_.in, at, 1), index);
  return timed_ ? at_all_times(graph_, value, place_.times.size()) : value;
}

int PhysicsValues::operator()(const Expr& atom) {
  const std::string name = to_string(atom);
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  int value = -1;
  switch (atom.kind()) {
    case Kind::field:
      value = field(atom);
      break;
    case Kind::call:
      value = function(atom);
      break;
    case Kind::coordinate: {
      const std::vector<std::string> names = place_.problem.problem.coordinates();
      const auto at = std::find(names.begin(), names.end(), atom.name());
      if (at == names.end()) refuse_physics(fmt::format("'{}' is no coordinate", name));
      if (place_.moves && atom.name() == place_.time) {
        refuse_physics(fmt::format("it depends on {} itself, which the frames of a roll-out do not "
                                   "know",
                                   name),
                       "leave out history, or use time_axis = true");
      }
      std::vector<double> numbers;
      const auto k = static_cast<std::size_t>(at - names.begin());
      for (std::size_t i = k; i < positions_.size(); i += names.size()) {
        numbers.push_back(positions_[i]);
      }
      value = constant(std::move(numbers));
      break;
    }
    default:
      refuse_physics(fmt::format("'{}' has no value on the grid", name));
  }
  return known_[name] = value;
}

int PhysicsValues::operator()(const std::vector<Expr>& expressions,
                              const std::map<std::string, int>& symbols, const NodeBox& box) {
  const bool whole = box.begin.empty();
  const std::vector<int>& sizes = whole ? sizes_ : box.size;
  std::vector<int> values;
  std::vector<std::string> names;
  for (const Expr& atom : grid_atoms(expressions)) {
    const auto symbol = symbols.find(atom.name());
    int value =
        atom.kind() == Kind::symbol && symbol != symbols.end() ? symbol->second : (*this)(atom);
    if (!whole) value = graph_.crop(value, box.begin, box.size);
    values.push_back(value);
    names.push_back(to_string(atom));
  }
  if (!values.empty()) return graph_.expression(values, std::move(names), expressions);
  std::vector<double> numbers;
  const TensorShape shape{static_cast<int>(expressions.size()), sizes};
  for (const Expr& e : expressions) numbers.insert(numbers.end(), shape.points(), evaluate(e));
  return graph_.constant(shape, std::move(numbers));
}

}  // namespace cauchy::detail
