#include "operators/face_flux.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>

#include "operators/grid_derivative.hpp"

namespace cauchy::detail {
namespace {

/// Faces i + 1/2 of an axis: two entries in each row, for the nodes on both sides.
PointMatrix face_matrix(const FieldGrid::Axis& axis, double left, double right) {
  PointMatrix m{
      .columns = static_cast<std::size_t>(axis.n), .offsets = {0}, .points = {}, .weights = {}};
  for (std::size_t i = 0; i + (axis.periodic ? 0 : 1) < m.columns; ++i) {
    if (left != 0) {
      m.points.push_back(i);
      m.weights.push_back(left);
    }
    if (right != 0) {
      m.points.push_back((i + 1) % m.columns);
      m.weights.push_back(right);
    }
    m.offsets.push_back(m.points.size());
  }
  return m;
}

/// From faces back to nodes: the difference of both sides.
PointMatrix node_matrix(const FieldGrid::Axis& axis) {
  const auto n = static_cast<std::size_t>(axis.n);
  const double h = axis.spacing();
  PointMatrix m{.columns = axis.periodic ? n : n - 1, .offsets = {0}, .points = {}, .weights = {}};
  for (std::size_t i = 0; i < n; ++i) {
    if (axis.periodic || (i > 0 && i + 1 < n)) {
      m.points.insert(m.points.end(), {(i + n - 1) % n, i});
      m.weights.insert(m.weights.end(), {-1 / h, 1 / h});
    }
    m.offsets.push_back(m.points.size());
  }
  return m;
}

bool is_normal_slope(const Expr& atom, const std::string& x) {
  return atom.kind() == Kind::field && atom.index() == MultiIndex{{x, 1}};
}

bool has_input(const Expr& e, const PhysicsPlace& place) {
  const Expr roots[] = {e};
  const std::vector<Expr> calls = atoms(roots, Kind::call);
  return std::any_of(calls.begin(), calls.end(), [&](const Expr& c) {
    return std::find(place.inputs.begin(), place.inputs.end(), c.name()) != place.inputs.end();
  });
}

/// The values of one flux at the faces along one axis.
class Faces final {
 public:
  Faces(PhysicsValues& values, const std::string& x)
      : values_(values),
        graph_(values.graph()),
        x_(x),
        at_(values.axis_of(x)),
        axis_(values.place().space.axes[at_ - (values.place().times.empty() ? 0 : 1)]) {}

  int derivative(Expr flux) {
    const Expr roots[] = {flux};
    for (const Expr& w : field_atoms(roots)) {
      if (is_normal_slope(w, x_)) flux = with_mean_slope(flux, w);
    }
    std::vector<int> at_faces;
    std::vector<std::string> names;
    const auto add = [&](const Expr& atom, int value) {
      at_faces.push_back(value);
      names.push_back(to_string(atom));
    };
    for (const Expr& atom : grid_atoms({flux})) {
      if (atom.kind() == Kind::symbol) continue;
      add(atom, atom.kind() == Kind::coordinate ? coordinate(atom) : at_face(atom));
    }
    for (const auto& [name, value] : means_) add(Symbol(name), value);
    const int f = graph_.expression(at_faces, std::move(names), {flux});
    return add_along(graph_, f, at_, node_matrix(axis_));
  }

 private:
  int at_face(const Expr& atom) {
    const double h = axis_.spacing();
    if (!is_normal_slope(atom, x_)) {
      return add_along(graph_, values_(atom), at_, face_matrix(axis_, 0.5, 0.5));
    }
    return add_along(graph_, values_(field_derivative(atom.name(), {})), at_,
                     face_matrix(axis_, -1 / h, 1 / h));
  }

  /// Halfway, also across the end of a circle.
  int coordinate(const Expr& atom) {
    const int here = add_along(graph_, values_(atom), at_, face_matrix(axis_, 1, 0));
    if (atom.name() != x_) return here;
    return graph_.add(here, graph_.constant({1, {}}, {axis_.spacing() / 2}));
  }

  /// c w + rest with the harmonic mean of c, if c is known and free of fields.
  Expr with_mean_slope(const Expr& flux, const Expr& w) {
    const Expr c = partial(flux, w), roots[] = {c};
    if (!field_atoms(roots).empty() || !has_input(c, values_.place())) return flux;
    const int at_nodes = values_(std::vector<Expr>{c});
    const int both[] = {add_along(graph_, at_nodes, at_, face_matrix(axis_, 1, 0)),
                        add_along(graph_, at_nodes, at_, face_matrix(axis_, 0, 1))};
    const Expr l = Symbol("l"), r = Symbol("r"), one_sign = l * r > 0;
    // What vanishes or changes its sign has no harmonic mean.
    const Expr mean = where(one_sign, 2 * l * r / where(one_sign, l + r, 1), (l + r) / 2);
    const std::string name = fmt::format("mean~{}", means_.size());
    means_.emplace_back(name, graph_.expression(both, {"l", "r"}, {mean}));
    return substitute(flux, w, 0) + Symbol(name) * w;
  }

  PhysicsValues& values_;
  TensorGraph& graph_;
  std::string x_;
  std::size_t at_;
  const FieldGrid::Axis& axis_;
  std::vector<std::pair<std::string, int>> means_;
};

}  // namespace

bool suits_faces(const Expr& flux, const PhysicsPlace& place) {
  const Expr roots[] = {flux};
  const std::vector<Expr> fields = field_atoms(roots), calls = atoms(roots, Kind::call);
  const auto in_space = [&](const Expr& atom) {
    return total_order(atom.index()) <= 1 &&
           (atom.index().empty() || atom.index()[0].first != place.time);
  };
  const auto is_value = [](const Expr& call) {
    return std::all_of(call.call_orders().begin(), call.call_orders().end(),
                       [](int k) { return k == 0; });
  };
  return !fields.empty() && std::all_of(fields.begin(), fields.end(), in_space) &&
         std::all_of(calls.begin(), calls.end(), is_value);
}

int add_face_derivative(PhysicsValues& values, const Expr& flux, const std::string& coordinate) {
  return Faces(values, coordinate).derivative(plain(flux));
}

}  // namespace cauchy::detail
