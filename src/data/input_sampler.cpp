#include "data/input_sampler.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

TableInterpolation interpolation_of(const Expr& map) {
  const Expr roots[] = {map};
  TableInterpolation kind = TableInterpolation::cubic;
  for (const Expr& e : postorder(roots)) {
    if (has_jump(e.kind())) return TableInterpolation::nearest;
    if (e.kind() == Kind::abs || e.kind() == Kind::min || e.kind() == Kind::max) {
      kind = TableInterpolation::linear;
    }
  }
  return kind;
}

const FieldGrid::Axis& axis_of(const FieldGrid& grid, const std::string& name) {
  for (const FieldGrid::Axis& a : grid.axes) {
    if (a.name == name) return a;
  }
  throw Error(fmt::format("'{}' is no axis of the grid", name), "[data]");
}

std::size_t nodes_of(const FieldGrid::Axis& axis) { return static_cast<std::size_t>(axis.n); }

}  // namespace

FieldGrid refined(const FieldGrid& grid, int refine) {
  std::vector<int> sizes;
  for (const FieldGrid::Axis& a : grid.axes) {
    sizes.push_back(a.periodic ? a.n * refine : (a.n - 1) * refine + 1);
  }
  return grid.resized(sizes);
}

InputSampler::InputSampler(const OperatorProblem& problem, FieldGrid grid)
    : grid_(std::move(grid)), rng_(problem.seed) {
  const Lowering lower(problem.problem);
  for (const InputFunction& given : problem.inputs) {
    Input input;
    input.name = given.name;
    std::vector<FieldGrid::Axis> axes = grid_.axes;
    if (!given.arguments.empty()) axes.clear();
    for (const std::string& name : given.arguments) axes.push_back(axis_of(grid_, name));
    const Expr map = lower(given.map);
    input.interpolation = interpolation_of(map);
    input.nodes = draw_on(given, map, std::move(axes));
    if (given.mean > 0) {
      input.mean.emplace(input.nodes.axes, given.mean);
      input.fine = draw_on(given, map, input.mean->fine());
    }
    inputs_.push_back(std::move(input));
  }
}

InputSampler::Drawn InputSampler::draw_on(const InputFunction& given, const Expr& map,
                                          std::vector<FieldGrid::Axis> axes) {
  Drawn drawn;
  drawn.axes = std::move(axes);
  std::vector<RandomFieldAxis> box;
  RandomField::Nodes nodes;
  std::size_t n = 1;
  for (const FieldGrid::Axis& a : drawn.axes) {
    const FieldBoundary open = RandomFieldAxis().boundary;
    box.push_back({a.lower, a.upper, a.periodic ? FieldBoundary::periodic : open});
    std::vector<double>& x = nodes.emplace_back();
    for (int i = 0; i < a.n; ++i) x.push_back(a.node(i));
    n *= x.size();
  }
  const std::string place = fmt::format("input '{}'", given.name);
  try {
    drawn.field = make_random_field(given.field, box)->on_grid(nodes);
  } catch (const Error& e) {
    throw Error(e.kind(), "its field: " + e.message(), place, e.hint());
  }
  if (same(map, Symbol("g"))) return drawn;
  ProgramSpec spec;
  spec.outputs = {map};
  spec.inputs = {Symbol("g")};
  for (const FieldGrid::Axis& a : drawn.axes) spec.inputs.emplace_back(Coordinate(a.name));
  try {
    drawn.map.emplace(std::move(spec));
  } catch (const Error& e) {
    throw Error(e.kind(), "its map: " + e.message(), place, e.hint());
  }
  std::size_t stride = n;
  for (const std::vector<double>& x : nodes) {
    stride /= x.size();
    std::vector<double>& row = drawn.coordinates.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = x[i / stride % x.size()];
  }
  return drawn;
}

std::vector<double> InputSampler::values(std::size_t index, const Drawn& on,
                                         std::uint64_t number) const {
  const std::size_t n = on.field->size();
  std::vector<double> result(n);
  on.field->sample(rng_.split(index), number, result);
  if (on.map) {
    const std::vector<double> g = result;
    std::vector<const double*> in{g.data()};
    for (const std::vector<double>& row : on.coordinates) in.push_back(row.data());
    double* out = result.data();
    std::vector<double> workspace(on.map->workspace_size());
    on.map->run(n, in.data(), nullptr, &out, nullptr, workspace.data());
  }
  if (!std::all_of(result.begin(), result.end(), [](double v) { return std::isfinite(v); })) {
    throw Error(fmt::format("it is not finite in sample {}", number),
                fmt::format("input '{}'", inputs_[index].name), "change its map");
  }
  return result;
}

std::vector<double> InputSampler::on_grid(std::size_t index, std::uint64_t number) const {
  const Input& input = inputs_[index];
  if (!input.mean) return values_on_grid(index, number);
  return spread(index, (*input.mean)(values(index, input.fine, number)));
}

std::vector<double> InputSampler::values_on_grid(std::size_t index, std::uint64_t number) const {
  return spread(index, values(index, inputs_[index].nodes, number));
}

std::vector<double> InputSampler::spread(std::size_t index, std::vector<double> own) const {
  const std::vector<FieldGrid::Axis>& axes = inputs_[index].nodes.axes;
  if (axes == grid_.axes) return own;
  // Where a step along an axis of the grid leads in the values of the arguments.
  const std::size_t d = grid_.axes.size();
  std::vector<std::size_t> step(d, 0);
  std::size_t stride = 1;
  for (std::size_t k = axes.size(); k-- > 0; stride *= nodes_of(axes[k])) {
    const auto at = std::find(grid_.axes.begin(), grid_.axes.end(), axes[k]);
    step[static_cast<std::size_t>(at - grid_.axes.begin())] = stride;
  }
  std::vector<double> all(grid_.n_points());
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t rest = i, from = 0;
    for (std::size_t k = d; k-- > 0; rest /= nodes_of(grid_.axes[k])) {
      from += rest % nodes_of(grid_.axes[k]) * step[k];
    }
    all[i] = own[from];
  }
  return all;
}

TabulatedFunction InputSampler::table(std::size_t index, std::uint64_t number) const {
  const Input& input = inputs_[index];
  const std::vector<FieldGrid::Axis>& axes = input.nodes.axes;
  const std::vector<double> own = values(index, input.nodes, number);
  TabulatedFunction f;
  f.name = f.column = input.name;
  f.interpolation = input.interpolation;
  f.table.source = fmt::format("sample {}", number);
  std::size_t rows = 1;
  std::vector<std::size_t> n;  // rows along an axis, with the end of a periodic one
  for (const FieldGrid::Axis& a : axes) {
    f.arguments.push_back(a.name);
    n.push_back(nodes_of(a) + (a.periodic ? 1 : 0));
    rows *= n.back();
  }
  f.table.columns = f.arguments;
  f.table.columns.push_back(f.column);
  f.table.values.reserve(rows * f.table.columns.size());
  std::vector<std::size_t> at(axes.size(), 0);
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t from = 0;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const bool end = at[k] == nodes_of(axes[k]);
      f.table.values.push_back(end ? axes[k].upper : axes[k].node(static_cast<int>(at[k])));
      from = from * nodes_of(axes[k]) + (end ? 0 : at[k]);
    }
    f.table.values.push_back(own[from]);
    for (std::size_t k = axes.size(); k-- > 0;) {
      if (++at[k] < n[k]) break;
      at[k] = 0;
    }
  }
  return f;
}

Problem InputSampler::problem_of(const Problem& problem, std::uint64_t number) const {
  Problem result = problem;
  for (std::size_t k = 0; k < inputs_.size(); ++k) set_table(result, table(k, number));
  return result;
}

void set_table(Problem& problem, TabulatedFunction function) {
  for (TabulatedFunction& f : problem.functions) {
    if (f.name != function.name) continue;
    f = std::move(function);
    return;
  }
  problem.functions.push_back(std::move(function));
}

}  // namespace cauchy::detail
