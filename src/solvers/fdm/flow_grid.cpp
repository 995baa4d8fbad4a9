#include "solvers/fdm/flow_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/place.hpp>

namespace cauchy::detail {
namespace {

/// A stencil along one axis: offsets of places and weights.
using AxisStencil = std::vector<std::pair<int, double>>;

/// Derivative of an order at a place of the same lattice, or at one that lies half a spacing away:
/// `shift` is the offset of the place above it there (that below is one less).
AxisStencil axis_stencil(int order, double h, bool same_lattice, int shift) {
  if (same_lattice) {
    if (order == 0) return {{0, 1}};
    if (order == 1) return {{-1, -0.5 / h}, {1, 0.5 / h}};
    return {{-1, 1 / (h * h)}, {0, -2 / (h * h)}, {1, 1 / (h * h)}};
  }
  if (order == 0) return {{shift - 1, 0.5}, {shift, 0.5}};
  return {{shift - 1, -1 / h}, {shift, 1 / h}};
}

[[noreturn]] void grid_refused(const std::string& reason, const std::string& hint) {
  throw Error(ErrorKind::unsupported, "flow on a staggered grid: " + reason, "[solvers.fdm]", hint);
}

}  // namespace

void FlowOperator::apply(std::span<const double> x, std::span<const double> walls,
                         std::span<double> out) const {
  of_unknowns.multiply(x, out);
  if (of_walls.nonzeros() == 0) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (auto k = of_walls.begin()[i]; k < of_walls.begin()[i + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      out[i] += of_walls.values()[at] * walls[static_cast<std::size_t>(of_walls.columns()[at])];
    }
  }
}

FlowGrid::FlowGrid(const Problem& problem, const FlowForm& form, const std::vector<int>& cells)
    : form_(&form), dim_(form.space.size()) {
  const ShapePtr box = domain_of(problem).shape();
  for (std::size_t k = 0; k < dim_; ++k) {
    n_[k] = cells[k];
    lower_[k] = box->bounds().lower[k];
    h_[k] = (box->bounds().upper[k] - lower_[k]) / cells[k];
  }
  for (std::size_t kind = 0; kind <= dim_; ++kind) {
    std::size_t count = 1;
    for (const int s : shape(kind)) count *= static_cast<std::size_t>(s);
    offset_.push_back(offset_.back() + count);
  }
  for (std::size_t m = 0; m < dim_; ++m) {
    for (std::size_t k = 0; k < dim_; ++k) {
      for (const bool upper : {false, true}) add_wall(problem, *box, m, k, upper);
    }
  }
}

std::array<int, 3> FlowGrid::shape(std::size_t kind) const {
  std::array<int, 3> s = n_;
  if (kind < dim_ && !periodic(kind)) --s[kind];
  return s;
}

std::size_t FlowGrid::kind_of(const std::string& field) const {
  const auto at = std::find(form_->velocity.begin(), form_->velocity.end(), field);
  return static_cast<std::size_t>(at - form_->velocity.begin());
}

/// Places count faces 0 ... n along the component's own axis, centres 0 ... n - 1 along others.
double FlowGrid::position(std::size_t kind, std::size_t axis, int place) const {
  return lower_[axis] + (place + (kind == axis ? 0.0 : 0.5)) * h_[axis];
}

Points FlowGrid::points(std::size_t kind) const {
  Points points;
  points.columns = form_->space;
  const std::array<int, 3> s = shape(kind);
  const int first = kind < dim_ && !periodic(kind) ? 1 : 0;
  Place at{};
  for (at[0] = 0; at[0] < s[0]; ++at[0]) {
    for (at[1] = 0; at[1] < s[1]; ++at[1]) {
      for (at[2] = 0; at[2] < s[2]; ++at[2]) {
        for (std::size_t k = 0; k < dim_; ++k) {
          points.values.push_back(position(kind, k, at[k] + (k == kind ? first : 0)));
        }
      }
    }
  }
  return points;
}

std::size_t FlowGrid::wall_index(std::size_t component, std::size_t axis, bool upper,
                                 const Place& place) const {
  const Wall& w = wall(component, axis, upper);
  std::size_t index = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const int at = k == axis ? 0 : place[k];
    index = index * static_cast<std::size_t>(w.shape[k]) + static_cast<std::size_t>(at);
  }
  return w.first + index;
}

void FlowGrid::add_wall(const Problem& problem, const Shape& box, std::size_t component,
                        std::size_t axis, bool upper) {
  Wall w;
  w.first = value_.size();
  if (periodic(axis)) {
    wall_.push_back(w);
    return;
  }
  w.shape = n_;
  if (!periodic(component)) ++w.shape[component];
  w.shape[axis] = 1;
  // The piece of the boundary that this side is.
  std::vector<double> middle(dim_), foot(dim_), normal(dim_);
  for (std::size_t k = 0; k < dim_; ++k) middle[k] = lower_[k] + n_[k] * h_[k] / 2;
  middle[axis] = upper ? lower_[axis] + n_[axis] * h_[axis] : lower_[axis];
  const Piece& piece = box.pieces()[box.nearest(middle.data(), foot.data(), normal.data()).piece];

  Points all;
  all.columns = form_->space;
  Place at{};
  std::vector<char> edge;
  for (at[0] = 0; at[0] < w.shape[0]; ++at[0]) {
    for (at[1] = 0; at[1] < w.shape[1]; ++at[1]) {
      for (at[2] = 0; at[2] < w.shape[2]; ++at[2]) {
        for (std::size_t k = 0; k < dim_; ++k) {
          all.values.push_back(k == axis ? middle[axis] : position(component, k, at[k]));
          all.normals.push_back(k == axis ? (upper ? 1 : -1) : 0);
        }
        edge.push_back(component != axis && !periodic(component) &&
                       (at[component] == 0 || at[component] == n_[component]));
      }
    }
  }
  w.count = all.size();
  value_.resize(w.first + w.count, 0);
  slope_.resize(w.first + w.count, 0);
  const Domain domain = domain_of(problem);
  std::vector<char> taken(w.count, 0);
  Values numbers;
  for (const auto& [name, number] : problem.values()) numbers.set(Parameter(name), number);
  for (const FlowCondition& c : form_->conditions) {
    if (c.component != component) continue;
    const Boundary part(domain, c.where);
    if (!form_->time.empty() && part.depends_on(form_->time)) {
      grid_refused(fmt::format("the place of '{}' changes with time", c.name),
                   "let its value change instead");
    }
    const Expr holds = part.condition(piece);
    Group group;
    Points chosen;
    chosen.columns = all.columns;
    for (std::size_t i = 0; i < w.count; ++i) {
      for (std::size_t k = 0; k < dim_; ++k) {
        numbers.set(Coordinate(form_->space[k]), all.values[i * dim_ + k]);
      }
      if (taken[i] != 0 || evaluate(holds, numbers) == 0) continue;
      taken[i] = 1;
      group.where.push_back(w.first + i);
      const auto row = static_cast<std::ptrdiff_t>(i * dim_);
      const auto length = static_cast<std::ptrdiff_t>(dim_);
      chosen.values.insert(chosen.values.end(), all.values.begin() + row,
                           all.values.begin() + row + length);
      chosen.normals.insert(chosen.normals.end(), all.normals.begin() + row,
                            all.normals.begin() + row + length);
    }
    if (group.where.empty()) continue;
    std::vector<Expr> outputs = {c.remainder, c.of_value};
    outputs.insert(outputs.end(), c.of_slope.begin(), c.of_slope.end());
    group.program = std::make_unique<NodeProgram>(problem, outputs, std::vector<Expr>(), chosen);
    std::vector<std::vector<double>> out(outputs.size(), std::vector<double>(group.where.size()));
    const Time* time = domain.time();
    group.program->run(std::vector<std::vector<double>>(), out,
                       time != nullptr ? std::optional(time->lower) : std::nullopt);
    for (std::size_t i = 0; i < group.where.size(); ++i) {
      value_[group.where[i]] = out[1][i];
      slope_[group.where[i]] = (upper ? 1 : -1) * out[2 + axis][i];
      for (std::size_t k = 0; k < dim_; ++k) {
        if (k != axis && std::abs(out[2 + k][i]) > 1e-12) {
          grid_refused(fmt::format("'{}' holds a derivative along the wall", c.name),
                       "give values or normal derivatives");
        }
      }
      if (component == axis && slope_[group.where[i]] != 0) {
        grid_refused(fmt::format("'{}' leaves the flow through the wall open", c.name),
                     "give the normal component of the velocity on all sides");
      }
      if (!(std::abs(value_[group.where[i]]) + std::abs(slope_[group.where[i]]) > 0)) {
        grid_refused(fmt::format("'{}' says nothing at a point of the wall", c.name), "mend it");
      }
    }
    groups_.push_back(std::move(group));
  }
  for (std::size_t i = 0; i < w.count; ++i) {
    if (taken[i] == 0 && edge[i] == 0) {
      grid_refused(
          fmt::format("{} has no condition on all of '{}'", form_->velocity[component], piece.name),
          "give the velocity on all sides that are not periodic");
    }
  }
  wall_.push_back(w);
}

std::vector<double> FlowGrid::walls(double time) const {
  std::vector<double> g(n_walls(), 0);
  for (const Group& group : groups_) {
    std::vector<std::vector<double>> out(dim_ + 2, std::vector<double>(group.where.size()));
    group.program->run(std::vector<std::vector<double>>(), out,
                       form_->time.empty() ? std::nullopt : std::optional(time));
    for (std::size_t i = 0; i < group.where.size(); ++i) g[group.where[i]] = -out[0][i];
  }
  return g;
}

bool FlowGrid::gives_values(std::size_t component, std::size_t axis, bool upper) const {
  const Wall& w = wall(component, axis, upper);
  std::size_t values = 0, slopes = 0;
  for (std::size_t i = w.first; i < w.first + w.count; ++i) {
    if (slope_[i] == 0) ++values;
    if (value_[i] == 0) ++slopes;
  }
  if (values != w.count && slopes != w.count) {
    grid_refused(
        fmt::format("{} has different kinds of conditions on one side", form_->velocity[component]),
        "give its value, or its normal derivative, on all of a side");
  }
  return values == w.count;
}

std::vector<double> FlowGrid::side_values(std::size_t component, std::size_t axis, bool upper,
                                          std::span<const double> walls) const {
  std::vector<double> out;
  std::array<int, 3> s = shape(component);
  s[axis] = 1;
  const int first = component != axis && !periodic(component) ? 1 : 0;
  Place at{};
  for (at[0] = 0; at[0] < s[0]; ++at[0]) {
    for (at[1] = 0; at[1] < s[1]; ++at[1]) {
      for (at[2] = 0; at[2] < s[2]; ++at[2]) {
        Place place = at;
        place[component] += first;
        const std::size_t i = wall_index(component, axis, upper, place);
        out.push_back(walls[i] / (slope_[i] != 0 ? slope_[i] : value_[i]));
      }
    }
  }
  return out;
}

/// Adds weight times the value of a kind at a place: an unknown, a wall value, or a place beyond a
/// wall, where the condition a (u + u')/2 + b (u' - u)/h = g gives u' from its mirror image u.
void FlowGrid::resolve(std::size_t kind, Place place, double weight,
                       std::vector<Part>& parts) const {
  for (std::size_t k = 0; k < dim_; ++k) {
    const int n = n_[k];
    if (periodic(k)) {
      place[k] = (place[k] % n + n) % n;
    } else if (kind != k && (place[k] < 0 || place[k] >= n)) {
      const bool upper = place[k] >= n;
      if (kind == dim_ || place[k] < -1 || place[k] > n) {
        grid_refused("a derivative reaches beyond the wall", "use a method for general systems");
      }
      const std::size_t i = wall_index(kind, k, upper, place);
      const double a = value_[i] / 2, b = slope_[i] / h_[k];
      // Where no condition holds, at an edge, the wall is taken to be like its neighbourhood.
      const double mirror = a + b != 0 ? -(a - b) / (a + b) : 1;
      if (b == 0 && a != 0 && n > 3) {
        // A given value: the cubic through the wall and three places inside, so that the error at
        // walls is not larger than within.
        parts.push_back({i, 3.2 * weight / value_[i], true});
        int inside = 0;
        for (const double w : {-3.0, 1.0, -0.2}) {
          place[k] = upper ? n - 1 - inside : inside;
          resolve(kind, place, w * weight, parts);
          ++inside;
        }
        return;
      }
      if (a + b != 0) parts.push_back({i, weight / (a + b), true});
      place[k] = upper ? n - 1 : 0;
      resolve(kind, place, weight * mirror, parts);
      return;
    }
  }
  std::size_t index = 0;
  const std::array<int, 3> s = shape(kind);
  for (std::size_t k = 0; k < 3; ++k) {
    int at = place[k];
    if (kind < dim_ && k == kind && !periodic(k)) {
      if (at == 0 || at == n_[k]) {
        const std::size_t i = wall_index(kind, k, at != 0, place);
        parts.push_back({i, weight / value_[i], true});
        return;
      }
      --at;
    }
    index = index * static_cast<std::size_t>(s[k]) + static_cast<std::size_t>(at);
  }
  parts.push_back({offset_[kind] + index, weight, false});
}

FlowOperator FlowGrid::derivative(const Expr& atom, std::size_t kind) const {
  const std::size_t source = kind_of(atom.name());
  std::array<AxisStencil, 3> stencil;
  for (std::size_t k = 0; k < 3; ++k) {
    int order = 0;
    for (const auto& [name, times] : atom.index()) {
      if (k < dim_ && name == form_->space[k]) order = times;
    }
    const bool same_lattice = k >= dim_ || (source == k) == (kind == k);
    if (order > (same_lattice ? 2 : 1)) {
      grid_refused(fmt::format("{} is not taken there", to_string(atom)),
                   "use a method for general systems");
    }
    // Centre i lies between faces i and i + 1; face i between centres i - 1 and i.
    stencil[k] = axis_stencil(order, h_[k], same_lattice, source == k ? 1 : 0);
  }
  const std::array<int, 3> s = shape(kind);
  const int first = kind < dim_ && !periodic(kind) ? 1 : 0;
  std::vector<SparseMatrix::Entry> unknowns, from_walls;
  std::vector<Part> parts;
  std::size_t row = 0;
  Place at{};
  for (at[0] = 0; at[0] < s[0]; ++at[0]) {
    for (at[1] = 0; at[1] < s[1]; ++at[1]) {
      for (at[2] = 0; at[2] < s[2]; ++at[2], ++row) {
        parts.clear();
        for (const auto& [o0, w0] : stencil[0]) {
          for (const auto& [o1, w1] : stencil[1]) {
            for (const auto& [o2, w2] : stencil[2]) {
              Place place = {at[0] + o0, at[1] + o1, at[2] + o2};
              if (kind < dim_) place[kind] += first;
              resolve(source, place, w0 * w1 * w2, parts);
            }
          }
        }
        for (const Part& p : parts) {
          (p.wall ? from_walls : unknowns).push_back({row, p.index, p.weight});
        }
      }
    }
  }
  return {SparseMatrix(row, n_unknowns(), unknowns), SparseMatrix(row, n_walls(), from_walls)};
}

double FlowGrid::at(std::size_t component, const Place& place, std::span<const double> x,
                    std::span<const double> walls) const {
  Place inner = place;
  std::size_t n_beyond = 0, axis = 0;
  for (std::size_t k = 0; k < dim_; ++k) {
    if (k == component || periodic(k)) continue;
    --inner[k];
    if (inner[k] < 0 || inner[k] >= n_[k]) {
      ++n_beyond;
      axis = k;
    }
  }
  if (n_beyond > 1) return std::numeric_limits<double>::quiet_NaN();
  if (n_beyond == 1) {
    const bool upper = inner[axis] >= n_[axis];
    const std::size_t i = wall_index(component, axis, upper, inner);
    if (value_[i] == 0 || slope_[i] != 0) return std::numeric_limits<double>::quiet_NaN();
    return walls[i] / value_[i];
  }
  std::vector<Part> parts;
  resolve(component, inner, 1, parts);
  double sum = 0;
  for (const Part& p : parts) sum += p.weight * (p.wall ? walls[p.index] : x[p.index]);
  return sum;
}

}  // namespace cauchy::detail
