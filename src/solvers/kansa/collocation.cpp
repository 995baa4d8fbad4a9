#include "solvers/kansa/collocation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/sampling/measure.hpp>

#include "problem/lowering.hpp"
#include "problem/point_data.hpp"

namespace cauchy::detail {
namespace {

class CollocationBuilder final {
 public:
  CollocationBuilder(const Problem& problem, const Kansa& method, int n)
      : problem_(problem),
        method_(method),
        lower_(problem),
        domain_(domain_of(problem)),
        frame_(unit_frame(domain_)),
        names_(problem.coordinates()),
        sampler_{.kind = method.sampler},
        square_(method.oversampling == 1) {
    result_.spacing = 2.0 / n;
    const double d = static_cast<double>(domain_.space()->dimension());
    volume_ = measure(*domain_.shape()).value / std::pow(frame_.half.back(), d);
    if (domain_.time() != nullptr) volume_ *= 2;
  }

  Collocation build() {
    if (square_) {
      add_square();
    } else {
      result_.centres = frame_.scaled(centres());
      const double n_centres =
          static_cast<double>(result_.centres.size()) / static_cast<double>(names_.size());
      n_interior_ = count(method_.oversampling * n_centres);
      gap_ = std::pow(volume_ / static_cast<double>(n_interior_), 1 / dimension());
      for (const ProblemEquation& e : problem_.equation) add_equation(e);
      for (const Condition& c : problem_.condition) add_condition(c);
    }
    add_mean();
    return std::move(result_);
  }

 private:
  [[nodiscard]] double dimension() const { return static_cast<double>(names_.size()); }
  static std::size_t count(double n) {
    return static_cast<std::size_t>(std::max(1.0, std::min(std::ceil(n), 1e9)));
  }
  [[nodiscard]] bool in_time() const { return domain_.time() != nullptr; }

  /// Points of a part of the boundary that lie `gap` apart in the unit frame.
  [[nodiscard]] std::size_t boundary_count(const std::string& where, double gap) const {
    const double d = static_cast<double>(domain_.space()->dimension());
    const double size =
        boundary_measure(domain_, where).value / std::pow(frame_.half.back(), d - 1);
    return count((in_time() ? 2 : 1) * size / std::pow(gap, dimension() - 1) - 1e-9);
  }
  [[nodiscard]] std::size_t slice_count(double gap) const {
    return count(volume_ / 2 / std::pow(gap, dimension() - 1));
  }

  /// Points on all of the boundary. On a line and in time they are the ends at equal times, first
  /// and last included.
  [[nodiscard]] Points edge_points(double gap) const {
    if (!in_time() || domain_.space()->dimension() > 1) {
      return boundary_points(domain_, "boundary", boundary_count("boundary", gap), sampler_);
    }
    const ShapePtr shape = domain_.shape();
    const std::size_t n = count(2 / gap) + 1;
    Points edge;
    edge.columns = names_;
    for (std::size_t q = 0; q < shape->pieces().size(); ++q) {
      edge.pieces.push_back(shape->pieces()[q].name);
      double x = 0, normal = 0;
      if (!shape->boundary_point(q, nullptr, &x, &normal)) continue;
      for (std::size_t k = 0; k < n; ++k) {
        const double share = static_cast<double>(k) / static_cast<double>(n - 1);
        edge.values.push_back(frame_.middle[0] + (2 * share - 1) * frame_.half[0]);
        edge.values.push_back(x);
        edge.normals.push_back(normal);
        edge.piece.push_back(static_cast<std::uint32_t>(q));
      }
    }
    return edge;
  }
  /// Points where a condition on the boundary holds.
  [[nodiscard]] Points edge_points(const Condition& c, const std::string& where) const {
    if (in_time() && domain_.space()->dimension() == 1) {
      Points points = selected(edge_points(gap_), where);
      if (points.size() > 0) return points;
    }
    return condition_points(problem_, c, boundary_count(where, gap_), sampler_);
  }

  /// Centres in and around the region, in its own coordinates.
  [[nodiscard]] std::vector<double> centres() const {
    const std::size_t D = names_.size(), first = domain_.space_column();
    const ShapePtr shape = domain_.shape();
    const Bounds& box = shape->bounds();
    const int layers = method_.outside;
    const double h = result_.spacing, unit = frame_.half.back();
    std::vector<double> lower(D, -1), upper(D, 1);
    for (std::size_t j = first; j < D; ++j) {
      upper[j] = (box.upper[j - first] - frame_.middle[j]) / unit;
      lower[j] = -upper[j];
    }
    std::vector<double> kept, z(D), x(D);
    const auto keep = [&] {
      for (std::size_t j = 0; j < D; ++j) x[j] = frame_.middle[j] + frame_.half[j] * z[j];
      const double inside = shape->distance(x.data() + first) / unit;
      const double least = layers > 0 ? -(layers + 1e-6) * h : D == 1 ? h / 2 : 0.3 * h;
      if (inside >= least) kept.insert(kept.end(), x.begin(), x.end());
    };
    if (method_.sampler == SamplerKind::grid) {
      std::vector<int> cells(D), at(D, -layers);
      for (std::size_t j = 0; j < D; ++j) {
        cells[j] = static_cast<int>(std::max(1.0, std::round((upper[j] - lower[j]) / h)));
      }
      for (;;) {
        for (std::size_t j = 0; j < D; ++j)
          z[j] = lower[j] + at[j] * (upper[j] - lower[j]) / cells[j];
        keep();
        std::size_t j = D;
        while (j > 0 && ++at[j - 1] > cells[j - 1] + layers) at[--j] = -layers;
        if (j == 0) break;
      }
    } else {
      double box_volume = 1;
      for (std::size_t j = 0; j < D; ++j) {
        lower[j] -= layers * h;
        upper[j] += layers * h;
        box_volume *= (upper[j] - lower[j]) / h;
      }
      const std::size_t n = count(box_volume);
      const std::vector<double> unit_cube = unit_points(sampler_, D, n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < D; ++j) {
          z[j] = lower[j] + (upper[j] - lower[j]) * unit_cube[i * D + j];
        }
        keep();
      }
    }
    if (layers == 0) {
      const Points edge = edge_points(h);
      kept.insert(kept.end(), edge.values.begin(), edge.values.end());
    }
    return kept;
  }

  void add_equation(const ProblemEquation& e) {
    // Where a condition chooses among points, the first ones must be as good as all.
    SamplerOptions options = sampler_;
    if (!e.where.empty()) options.kind = SamplerKind::r_sequence;
    result_.terms.push_back({name_of(e), lower_(e.form.residual()),
                             equation_points(problem_, e.where, n_interior_, options)});
  }

  void add_condition(const Condition& c) {
    switch (c.kind) {
      case Condition::Kind::general: {
        const ConditionPlace place = place_of(problem_, c);
        const bool slice = place.kind == ConditionPlace::Kind::slice;
        result_.terms.push_back({name_of(c), lower_(c.form.residual()),
                                 slice ? condition_points(problem_, c, slice_count(gap_), sampler_)
                                       : edge_points(c, place.boundary)});
        return;
      }
      case Condition::Kind::point:
        result_.terms.push_back({name_of(c), lower_(c.form.residual()), given_points(problem_, c)});
        return;
      case Condition::Kind::periodic:
        return add_periodic(c);
      case Condition::Kind::integral:
        return add_integral(c);
      case Condition::Kind::interface:
        return;  // refused before
    }
  }

  /// Value and derivatives on one end minus those on the other.
  void add_periodic(const Condition& c) {
    const auto at = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), c.coordinate) -
                                             names_.begin());
    const Bounds box = domain_.shape()->bounds();
    const double low = box.lower[at - domain_.space_column()];
    const double high = box.upper[at - domain_.space_column()];
    const std::string end = fmt::format("{} = {:.17g}", c.coordinate, low);
    Condition on_end = c;
    on_end.where = end;
    Points pairs = edge_points(on_end, end);
    const std::size_t n = pairs.size(), D = names_.size();
    CollocationTerm term{name_of(c), {}, {}};
    term.points.columns = pairs.columns;
    term.points.values = pairs.values;
    for (std::size_t i = 0; i < n; ++i) pairs.values[i * D + at] = high;
    term.points.values.insert(term.points.values.end(), pairs.values.begin(), pairs.values.end());
    for (std::size_t i = 0; i < 2 * n; ++i) {
      term.row.push_back(i % n);
      term.weight.push_back(i < n ? 1 : -1);
    }
    term.target.assign(n, 0);
    for (const std::string& f : problem_.fields) {
      for (int k = 0; k <= c.order; ++k) {
        term.residual = field_derivative(f, k == 0 ? MultiIndex{} : MultiIndex{{c.coordinate, k}});
        result_.terms.push_back(term);
      }
    }
  }

  void add_integral(const Condition& c) {
    CollocationTerm term{name_of(c), lower_(c.form.left), {}};
    term.points.columns = names_;
    const Domain space = Domain(*domain_.space()).with(problem_.values());
    const std::size_t n = c.where == "domain" ? n_interior_ : boundary_count(c.where, gap_);
    const IntegralRule rule = integral_rule(space, c.where, std::max<std::size_t>(64, n));
    if (!rule.gauss) {
      result_.remarks.push_back(
          fmt::format("the integral '{}' is a mean over {} points: its region has no Gauss rule",
                      term.name, rule.points.size()));
    }
    const Time* time = domain_.time();
    const std::size_t n_times = time == nullptr ? 1 : count(2 / gap_) + 1;
    const Expr target = lower_(c.form.right);
    for (std::size_t k = 0; k < n_times; ++k) {
      const double share =
          n_times == 1 ? 0 : static_cast<double>(k) / static_cast<double>(n_times - 1);
      const double t = time == nullptr ? 0 : time->lower + share * (time->upper - time->lower);
      Values values;
      if (time != nullptr) values.set(Coordinate(time->name), t);
      term.target.push_back(evaluate(target, values));
      for (std::size_t i = 0; i < rule.points.size(); ++i) {
        if (time != nullptr) term.points.values.push_back(t);
        const auto row = rule.points.row(i);
        term.points.values.insert(term.points.values.end(), row.begin(), row.end());
        const auto d = static_cast<std::ptrdiff_t>(domain_.space()->dimension());
        if (!rule.points.normals.empty()) {
          const auto normal = rule.points.normals.begin() + static_cast<std::ptrdiff_t>(i) * d;
          term.points.normals.insert(term.points.normals.end(), normal, normal + d);
        }
        term.row.push_back(k);
        term.weight.push_back(rule.points.weights[i]);
      }
    }
    result_.terms.push_back(std::move(term));
  }

  /// By a Gauss rule of space where there is one; with time over the points of the first equation.
  void add_mean() {
    Points nodes = result_.terms.at(0).points;
    nodes.weights.assign(nodes.size(), 1);
    if (!in_time()) {
      const Domain space = Domain(*domain_.space()).with(problem_.values());
      nodes = integral_rule(space, "domain", nodes.size()).points;
    }
    double sum = 0;
    for (const double w : nodes.weights) sum += w;
    for (const double w : nodes.weights) result_.mean_weights.push_back(w / sum);
    result_.mean_points = frame_.scaled(nodes.values);
  }

  /// Centres at the points: inside one row per equation, elsewhere one per condition.
  void add_square() {
    const double h = result_.spacing;
    const Points inside =
        interior_points(domain_, count(volume_ / std::pow(h, dimension())), sampler_);
    const Points edge = edge_points(h);
    std::vector<double> all = inside.values;
    all.insert(all.end(), edge.values.begin(), edge.values.end());
    std::map<double, Points> slices;
    for (const ProblemEquation& e : problem_.equation) {
      if (!e.where.empty()) refuse_square("an equation holds only where " + e.where);
      result_.terms.push_back({name_of(e), lower_(e.form.residual()), inside});
    }
    for (const Condition& c : problem_.condition) {
      if (c.kind != Condition::Kind::general) {
        refuse_square(
            fmt::format("condition '{}' is neither on the boundary nor at a time", name_of(c)));
      }
      const ConditionPlace place = place_of(problem_, c);
      Points points;
      if (place.kind == ConditionPlace::Kind::slice) {
        if (!slices.contains(place.time)) {
          slices[place.time] = slice_points(domain_, place.time, slice_count(h), sampler_);
          const std::vector<double>& more = slices[place.time].values;
          all.insert(all.end(), more.begin(), more.end());
        }
        points = slices[place.time];
      } else {
        points = selected(edge, place.boundary);
      }
      if (points.size() > 0) {
        result_.terms.push_back({name_of(c), lower_(c.form.residual()), std::move(points)});
      }
    }
    result_.centres = frame_.scaled(all);
    std::size_t rows = 0;
    for (const CollocationTerm& t : result_.terms) rows += t.n_rows();
    const std::size_t unknowns = all.size() / names_.size() * problem_.fields.size();
    if (rows != unknowns) {
      refuse_square(
          fmt::format("{} rows meet {} unknowns, since not every point of the boundary has "
                      "one condition per field",
                      rows, unknowns));
    }
  }

  [[noreturn]] static void refuse_square(const std::string& why) {
    throw Error(ErrorKind::unsupported, "the system is not square: " + why, "[solvers.kansa]",
                "use an oversampling above 1");
  }

  /// The points of the boundary where a condition holds.
  [[nodiscard]] Points selected(const Points& edge, const std::string& where) const {
    const Boundary part(domain_, where);
    const ShapePtr shape = domain_.shape();
    const std::size_t D = names_.size(), d = domain_.space()->dimension();
    std::vector<Expr> by_piece;
    for (const std::string& name : edge.pieces) {
      for (const Piece& piece : shape->pieces()) {
        if (piece.name != name) continue;
        by_piece.push_back(part.condition(piece));
        break;
      }
    }
    Values values;
    for (const auto& [name, value] : problem_.values()) values.set(Parameter(name), value);
    Points kept;
    kept.columns = edge.columns;
    for (std::size_t i = 0; i < edge.size(); ++i) {
      for (std::size_t j = 0; j < D; ++j) values.set(Coordinate(names_[j]), edge.row(i)[j]);
      if (evaluate(by_piece[edge.piece[i]], values) == 0) continue;
      kept.values.insert(kept.values.end(), edge.row(i).begin(), edge.row(i).end());
      const auto normal = edge.normals.begin() + static_cast<std::ptrdiff_t>(i * d);
      kept.normals.insert(kept.normals.end(), normal, normal + static_cast<std::ptrdiff_t>(d));
    }
    return kept;
  }

  const Problem& problem_;
  const Kansa& method_;
  Lowering lower_;
  Domain domain_;
  UnitFrame frame_;
  std::vector<std::string> names_;
  SamplerOptions sampler_;
  bool square_;
  double volume_ = 0;           // of the domain, in the unit frame
  double gap_ = 0;              // between points, in the unit frame
  std::size_t n_interior_ = 0;  // points of each equation
  Collocation result_;
};

}  // namespace

Collocation make_collocation(const Problem& problem, const Kansa& method, int n) {
  return CollocationBuilder(problem, method, n).build();
}

}  // namespace cauchy::detail
