#include "operators/physics_residual.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>

#include "operators/face_flux.hpp"
#include "operators/residual_norm.hpp"
#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

bool same_moment(const PhysicsPlace& place, double a, double b) {
  return std::abs(a - b) <= 1e-9 * (place.times.back() - place.times.front() + std::abs(a));
}

class ResidualBuilder final {
 public:
  ResidualBuilder(TensorGraph& graph, const PhysicsPlace& place, const PhysicsLoss& options,
                  ResidualParts parts)
      : graph_(graph),
        place_(place),
        problem_(place.problem.problem),
        options_(options),
        parts_(parts == ResidualParts::summands),
        values_(graph, place, options.derivative),
        lower_(problem_),
        domain_(domain_of(problem_)) {
    timed_ = place.times.empty() ? 0 : 1;
    if (!problem_.unknowns.empty()) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("'{}' is an unknown constant, which an operator does not find",
                              problem_.unknowns[0].name),
                  "[train.physics]", "give it a number in [parameters]");
    }
  }

  PhysicsResidual equation(const ProblemEquation& e) {
    const std::vector<Expr> parts = summands_of(e);
    NodeBox box = inside();
    Expr weight = lower_(e.weight);
    if (!e.where.empty())
      weight = weight * lower_(parse_condition(e.where, problem_.context(), 1e-9));
    std::vector<double> weights = numbers_of(weight);
    if (!some(weights)) {
      throw Error(ErrorKind::not_found, "no node of the grid fulfils its `where`", {},
                  "use a finer grid");
    }
    const ResidualNorm norm(values_, std::move(weights), std::move(box),
                            smoothing_of(e.form.residual()));
    const int value = values_(parts_ ? parts : std::vector<Expr>{sum(parts)}, symbols_);
    return {name_of(e), norm.add_mean_square(graph_, value)};
  }

  /// The residual itself.
  NodeResidual at_nodes(const ProblemEquation& e) {
    const std::vector<Expr> parts = summands_of(e);
    NodeBox box = inside();
    const int value = values_(std::vector<Expr>{sum(parts)}, symbols_);
    return {graph_.crop(value, box.begin, box.size), std::move(box)};
  }

  /// No value: it holds by itself.
  PhysicsResidual condition(const Condition& c) {
    PhysicsResidual made{name_of(c)};
    const auto refuse = [](std::string_view what, std::string_view fix) {
      throw Error(ErrorKind::unsupported, what, {}, fix);
    };
    switch (c.kind) {
      case Condition::Kind::periodic:
        return made;
      case Condition::Kind::integral:
        refuse("physics on a grid has no integral conditions", "train with data alone");
        break;
      case Condition::Kind::point:
        refuse("physics on a grid has no conditions at single points", "train with data alone");
        break;
      case Condition::Kind::interface:
        refuse("physics on a grid has no conditions inside of the domain",
               "write the equation as a divergence, which holds across jumps");
        break;
      case Condition::Kind::general:
        break;
    }
    const Expr residual = lower_(c.form.residual());
    const ConditionPlace where = place_of(problem_, c);
    if (where.kind == ConditionPlace::Kind::slice) {
      const std::size_t frame = frame_at(where.time);
      const auto form = dirichlet_form(c.form);
      const bool fulfilled = frame < place_.given && form && is_given(form->field);
      if (!fulfilled) made.value = slice(residual, lower_(c.weight), frame);
    } else {
      made.value = boundary(residual, lower_(c.weight), Boundary(domain_, where.boundary));
    }
    return made;
  }

 private:
  // --- equations ---

  std::vector<Expr> summands_of(const ProblemEquation& e) {
    symbols_.clear();
    return parts_of(summands(Equation{lower_.written(e.form.left), lower_.written(e.form.right)}));
  }

  /// The nodes and frames where equations hold.
  [[nodiscard]] NodeBox inside() const {
    NodeBox box{std::vector<int>(values_.sizes().size(), 0), values_.sizes()};
    for (std::size_t k = 0; k < place_.space.axes.size(); ++k) {
      if (!place_.space.axes[k].periodic) cut(box, k + timed_, options_.margin, options_.margin);
    }
    if (timed_ == 1) cut(box, 0, static_cast<int>(place_.given), 0);
    return box;
  }

  /// Whether derivatives of input functions come up when a divergence is opened.
  [[nodiscard]] bool stays_closed(const Summand& s) const {
    if (options_.derivative == GridDerivative::exact) return false;
    const Expr opened[] = {s.value()};
    const std::vector<Expr> calls = atoms(opened, Kind::call);
    return std::any_of(calls.begin(), calls.end(), [&](const Expr& call) {
      const bool is_input =
          std::find(place_.inputs.begin(), place_.inputs.end(), call.name()) != place_.inputs.end();
      return is_input && std::any_of(call.call_orders().begin(), call.call_orders().end(),
                                     [](int k) { return k > 0; });
    });
  }

  [[nodiscard]] double smoothing_of(const Expr& residual) const {
    if (options_.smoothing >= 0) return options_.smoothing;
    const Expr roots[] = {residual};
    int in_space = 0;
    bool in_time = false;
    for (const Expr& atom : field_atoms(roots)) {
      int here = 0;
      for (const auto& [name, k] : atom.index()) {
        if (name == place_.time) in_time = true;
        if (name != place_.time) here += k;
      }
      in_space = std::max(in_space, here);
    }
    return in_time ? 0.5 * in_space : in_space;
  }

  std::vector<Expr> parts_of(const std::vector<Summand>& list) {
    std::vector<Expr> parts;
    for (const Summand& s : list) {
      if (s.is_plain() || !stays_closed(s)) {
        parts.push_back(plain(s.value()));
        continue;
      }
      std::vector<Expr> divergence;
      for (std::size_t i = 0; i < s.flux.size(); ++i) {
        const Expr symbol = Symbol(fmt::format("flux~{}", symbols_.size()));
        const std::string& x = s.by[i].name();
        const bool faces = options_.derivative == GridDerivative::difference_3 &&
                           x != place_.time && suits_faces(s.flux[i], place_);
        const int value = faces ? add_face_derivative(values_, s.flux[i], x)
                                : values_.derivative(value_of(s.flux[i]), x, 1);
        symbols_.emplace(symbol.name(), value);
        divergence.push_back(symbol);
      }
      parts.push_back(plain(s.coefficient) * sum(divergence));
    }
    return parts;
  }

  /// Of a flux, which may hold divergences of its own.
  int value_of(const Expr& e) {
    const std::vector<Expr> parts = parts_of(summands(e));
    return values_(std::vector<Expr>{sum(parts)}, symbols_);
  }

  // --- conditions ---

  std::size_t frame_at(double time) const {
    for (std::size_t k = 0; k < place_.times.size() && !place_.moves; ++k) {
      if (same_moment(place_, place_.times[k], time)) return k;
    }
    throw Error(ErrorKind::unsupported,
                fmt::format("the outputs have no values at time {:.6g}", time), {},
                "add that time to `times` in [operator]");
  }

  [[nodiscard]] bool is_given(const std::string& field) const {
    return std::any_of(place_.fields.begin(), place_.fields.end(),
                       [&](const PhysicsField& f) { return f.name == field && f.given >= 0; });
  }

  /// The summands at all nodes: what a condition is measured by where it is fulfilled.
  int sizes_of(const Expr& residual) {
    std::vector<Replacement> normals;
    for (const FieldGrid::Axis& axis : place_.space.axes) {
      normals.push_back({normal_component(axis.name), Expr(1)});
    }
    const std::vector<Expr> parts = additive_terms(substitute(residual, normals));
    return graph_.reduce(graph_.function(values_(parts), ElementFunction::square));
  }

  int slice(const Expr& residual, const Expr& weight, std::size_t frame) {
    if (parts_) return sizes_of(residual);
    NodeBox box{std::vector<int>(values_.sizes().size(), 0), values_.sizes()};
    box.begin[0] = static_cast<int>(frame);
    box.size[0] = 1;
    std::vector<double> w = picked(numbers_of(weight), box), area = place_.space.weights();
    double total = 0;
    for (const double a : area) total += a;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] *= area[i] / total;
    const int value = values_(std::vector<Expr>{residual}, {}, box);
    return graph_.reduce(graph_.function(value, ElementFunction::square), std::move(w));
  }

  /// One side of the box.
  struct Face {
    NodeBox box;
    std::vector<Replacement> normals;
    std::vector<double> weights;  ///< area, 0 where the condition does not hold
  };

  int boundary(const Expr& residual, const Expr& weight, const Boundary& part) {
    if (parts_) return sizes_of(residual);
    std::vector<Face> faces;
    double total = 0;
    for (std::size_t k = 0; k < place_.space.axes.size(); ++k) {
      for (const int side : {0, 1}) {
        if (place_.space.axes[k].periodic) continue;
        Face face = face_of(k, side, part);
        for (const double w : face.weights) total += w;
        if (some(face.weights)) faces.push_back(std::move(face));
      }
    }
    if (faces.empty()) {
      throw Error(ErrorKind::not_found, "no node of the grid lies there", {}, "use a finer grid");
    }
    const std::vector<double> factors = numbers_of(weight);
    int sum_of_faces = -1;
    for (Face& face : faces) {
      const std::vector<double> factor = picked(factors, face.box);
      for (std::size_t i = 0; i < factor.size(); ++i) face.weights[i] *= factor[i] / total;
      const int value =
          values_(std::vector<Expr>{plain(substitute(residual, face.normals))}, {}, face.box);
      const int square =
          graph_.reduce(graph_.function(value, ElementFunction::square), face.weights);
      sum_of_faces = sum_of_faces < 0 ? square : graph_.add(sum_of_faces, square);
    }
    return sum_of_faces;
  }

  Face face_of(std::size_t axis, int side, const Boundary& part) {
    Face face;
    face.box = {std::vector<int>(values_.sizes().size(), 0), values_.sizes()};
    const std::size_t at = axis + timed_;
    face.box.begin[at] = side == 0 ? 0 : values_.sizes()[at] - 1;
    face.box.size[at] = 1;
    if (timed_ == 1) cut(face.box, 0, static_cast<int>(place_.given), 0);
    const auto& axes = place_.space.axes;
    std::vector<double> center;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      center.push_back((axes[k].lower + axes[k].upper) / 2);
      const int normal = k == axis ? 2 * side - 1 : 0;
      face.normals.push_back({normal_component(axes[k].name), Expr(normal)});
    }
    center[axis] = side == 0 ? axes[axis].lower : axes[axis].upper;
    const ShapePtr shape = domain_.shape();
    std::vector<double> foot(axes.size()), normal(axes.size());
    const Piece& piece =
        shape->pieces()[shape->nearest(center.data(), foot.data(), normal.data()).piece];
    face.weights = picked(numbers_of(lower_(part.condition(piece))), face.box);
    // Areas: the trapezoidal rule along the other axes.
    FieldGrid around = place_.space;
    around.axes[axis] = {.name = axes[axis].name, .n = 1, .lower = 0, .upper = 1, .periodic = true};
    const std::vector<double> area = around.weights();
    for (std::size_t i = 0; i < face.weights.size(); ++i) {
      face.weights[i] = (face.weights[i] != 0 ? 1 : 0) * area[i % area.size()];
    }
    return face;
  }

  // --- nodes ---

  static bool some(const std::vector<double>& w) {
    return std::any_of(w.begin(), w.end(), [](double v) { return v > 0; });
  }

  static void cut(NodeBox& box, std::size_t axis, int before, int behind) {
    box.begin[axis] += before;
    box.size[axis] -= before + behind;
    if (box.size[axis] > 0) return;
    throw Error("no node is left inside of the margin", "[train.physics]", "use a finer grid");
  }

  /// An expression of the coordinates at all nodes.
  std::vector<double> numbers_of(const Expr& e) const {
    const std::vector<std::string> names = problem_.coordinates();
    const std::size_t n = values_.positions().size() / names.size();
    if (e.is_constant()) return std::vector<double>(n, e.value());
    std::vector<double> numbers(n);
    Values at;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < names.size(); ++k) {
        at.set(Coordinate(names[k]), values_.positions()[i * names.size() + k]);
      }
      numbers[i] = evaluate(e, at);
    }
    return numbers;
  }

  /// The numbers at the nodes of a box.
  std::vector<double> picked(const std::vector<double>& numbers, const NodeBox& box) const {
    const std::vector<int>& sizes = values_.sizes();
    std::vector<double> made;
    std::vector<int> at(sizes.size(), 0);
    for (;;) {
      std::size_t i = 0;
      for (std::size_t a = 0; a < sizes.size(); ++a) {
        i = i * static_cast<std::size_t>(sizes[a]) + static_cast<std::size_t>(box.begin[a] + at[a]);
      }
      made.push_back(numbers[i]);
      std::size_t a = sizes.size();
      while (a > 0 && ++at[a - 1] == box.size[a - 1]) at[--a] = 0;
      if (a == 0) return made;
    }
  }

  TensorGraph& graph_;
  const PhysicsPlace& place_;
  const Problem& problem_;
  const PhysicsLoss& options_;
  bool parts_;
  PhysicsValues values_;
  Lowering lower_;
  Domain domain_;
  std::size_t timed_ = 0;
  std::map<std::string, int> symbols_;  // divergences of the equation
};

}  // namespace

NodeResidual add_node_residual(TensorGraph& graph, const PhysicsPlace& place,
                               const PhysicsLoss& options, const ProblemEquation& equation) {
  try {
    return ResidualBuilder(graph, place, options, ResidualParts::whole).at_nodes(equation);
  } catch (const Error& error) {
    throw error.at(fmt::format("equation '{}'", name_of(equation)));
  }
}

std::vector<PhysicsResidual> add_residuals(TensorGraph& graph, const PhysicsPlace& place,
                                           const PhysicsLoss& options, ResidualParts parts) {
  ResidualBuilder builder(graph, place, options, parts);
  const Problem& problem = place.problem.problem;
  std::vector<PhysicsResidual> all;
  for (const ProblemEquation& e : problem.equation) {
    try {
      all.push_back(builder.equation(e));
    } catch (const Error& error) {
      throw error.at(fmt::format("equation '{}'", name_of(e)));
    }
  }
  for (const Condition& c : problem.condition) {
    try {
      PhysicsResidual made = builder.condition(c);
      if (made.value >= 0) all.push_back(std::move(made));
    } catch (const Error& error) {
      throw error.at(fmt::format("condition '{}'", name_of(c)));
    }
  }
  return all;
}

}  // namespace cauchy::detail
