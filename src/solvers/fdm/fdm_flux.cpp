#include "solvers/fdm/fdm_flux.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>

#include "problem/grid_table.hpp"
#include "problem/switches.hpp"
#include "solvers/classical/node_program.hpp"

namespace cauchy::detail {
namespace {

bool is_varying(const Expr& e) {
  const Expr roots[] = {e};
  return !field_atoms(roots).empty() || !atoms(roots, Kind::coordinate).empty();
}

/// Whether a flux can be taken at faces and why it should: it has first derivatives of fields with
/// a coefficient that is not a constant.
bool suits_faces(const Expr& flux, const FdmForm& form, bool jumps_alone) {
  bool suits = false;
  const Expr roots[] = {flux};
  for (const Expr& a : field_atoms(roots)) {
    if (total_order(a.index()) > 1 || time_order(a, form.time) > 0) return false;
    if (a.index().empty()) continue;
    const Expr slope = partial(flux, a);
    suits = suits || (is_varying(slope) && (!jumps_alone || may_jump(slope)));
  }
  return suits;
}

/// A moment B*u_xx goes on where B jumps, which differences of the expanded equation do not see.
void require_fluxes_at_faces(const Expr& flux, const FdmForm& form) {
  const Expr roots[] = {flux};
  for (const Expr& a : field_atoms(roots)) {
    if (total_order(a.index()) - time_order(a, form.time) < 2) continue;
    const std::vector<Expr> nodes = postorder(std::vector{partial(flux, a)});
    if (std::none_of(nodes.begin(), nodes.end(),
                     [](const Expr& n) { return has_jump(n.kind()); })) {
      continue;
    }
    throw Error(ErrorKind::unsupported,
                fmt::format("the coefficient of {} jumps in the flux '{}', which differences do "
                            "not keep across the jump",
                            to_string(a), to_string(flux)),
                "[solvers.fdm]", "make the flux a field of its own, or use ode or fem");
  }
}

}  // namespace

bool may_jump(const Expr& e) {
  const Expr roots[] = {e};
  const std::vector<Expr> all = postorder(roots);
  return std::any_of(all.begin(), all.end(), [](const Expr& part) {
    return has_jump(part.kind()) || part.kind() == Kind::call;
  });
}

FdmSplit split_fluxes(const FdmEquation& equation, const FdmForm& form, bool jumps_alone) {
  FdmSplit out;
  out.residual = 0;
  for (const Summand& s : equation.summands) {
    if (s.is_plain()) {
      out.residual += plain(s.coefficient);
      continue;
    }
    for (std::size_t i = 0; i < s.flux.size(); ++i) {
      const Expr flux = plain(s.flux[i]), outside = plain(s.coefficient);
      require_fluxes_at_faces(flux, form);
      const auto axis = std::find(form.space.begin(), form.space.end(), s.by[i].name());
      if (axis == form.space.end() || !suits_faces(flux, form, jumps_alone)) {
        out.residual += outside * plain(d(flux, s.by[i]));
        continue;
      }
      FdmFlux face{flux, static_cast<std::size_t>(axis - form.space.begin())};
      const Expr roots[] = {flux};
      for (const Expr& a : field_atoms(roots)) {
        if (space_orders(a, form.space)[face.axis] != 1) continue;
        const Expr slope = partial(flux, a), slopes[] = {slope};
        const bool steady = form.time.empty() || !depends_on(slope, Coordinate(form.time));
        if (!field_atoms(slopes).empty() || !may_jump(slope) || !steady || face.coefficient) {
          continue;
        }
        face.coefficient = slope;
        face.mean = Symbol("edge~mean");
        face.flux = substitute(flux, a, 0) + face.mean * a;
      }
      const Expr symbol = Symbol(fmt::format("flux~{}", out.symbols.size()));
      out.residual += outside * symbol;
      out.symbols.push_back(symbol);
      out.fluxes.push_back(std::move(face));
    }
  }
  if (out.fluxes.empty()) out.residual = equation.residual;
  return out;
}

namespace {

/// A coefficient along edges: places on them as shares of their lengths.
class EdgeValues final {
 public:
  EdgeValues(const Problem& problem, const FdmForm& form, const Expr& coefficient,
             const std::vector<GridPoint>& from, const std::vector<GridPoint>& to)
      : problem_(problem), form_(form), coefficient_(coefficient), from_(from), to_(to) {}

  [[nodiscard]] std::vector<double> at(const std::vector<std::size_t>& edges,
                                       const std::vector<double>& shares) const {
    Points points;
    points.columns = form_.space;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      for (std::size_t k = 0; k < form_.space.size(); ++k) {
        const double a = from_[edges[i]][k], b = to_[edges[i]][k];
        points.values.push_back(a + shares[i] * (b - a));
      }
    }
    const NodeProgram program(problem_, {coefficient_}, {}, std::move(points));
    std::vector<std::vector<double>> out(1, std::vector<double>(edges.size()));
    std::optional<double> time;
    if (!form_.time.empty()) time = problem_.domain->time()->lower;
    if (!edges.empty()) program.run(std::vector<std::vector<double>>{}, out, time);
    return out[0];
  }

 private:
  const Problem& problem_;
  const FdmForm& form_;
  Expr coefficient_;
  const std::vector<GridPoint>&from_, &to_;
};

/// Edges cut at the places where the coefficient switches along the axis, which samples may miss;
/// only those that hold such a place. Shares of the edge, from 0 to 1.
std::vector<std::vector<double>> cuts_of_edges(const Expr& coefficient, const std::string& axis,
                                               const std::vector<double>& from,
                                               const std::vector<double>& to) {
  double lower = INFINITY, upper = -INFINITY;
  for (const auto* ends : {&from, &to}) {
    for (const double x : *ends) {
      lower = std::min(lower, x);
      upper = std::max(upper, x);
    }
  }
  std::vector<std::vector<double>> cuts(from.size());
  const std::vector<double> places = switch_places(std::vector{coefficient}, axis, lower, upper);
  if (places.empty()) return cuts;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double a = std::min(from[i], to[i]), b = std::max(from[i], to[i]);
    const auto first = std::upper_bound(places.begin(), places.end(), a);
    const auto last = std::lower_bound(first, places.end(), b);
    if (first == last) continue;
    for (auto place = first; place != last; ++place) {
      cuts[i].push_back((*place - from[i]) / (to[i] - from[i]));
    }
    cuts[i].insert(cuts[i].end(), {0.0, 1.0});
    std::sort(cuts[i].begin(), cuts[i].end());
  }
  return cuts;
}

bool jumps_between(double a, double b) {
  return std::abs(a - b) > 0.2 * (std::abs(a) + std::abs(b));
}

/// The means along edges of a coefficient that is a table of nearest nodes, a(x, y), which knows
/// where it jumps; none for any other.
std::optional<std::vector<double>> table_means(const Problem& problem, const FdmForm& form,
                                               const Expr& coefficient,
                                               const std::vector<GridPoint>& from,
                                               const std::vector<GridPoint>& to) {
  if (coefficient.kind() != Kind::call) return std::nullopt;
  for (const int order : coefficient.call_orders()) {
    if (order > 0) return std::nullopt;
  }
  const TabulatedFunction& f = table_of(problem, coefficient.name());
  if (f.interpolation != TableInterpolation::nearest) return std::nullopt;
  std::vector<std::size_t> axes;
  for (const Expr& argument : coefficient.args()) {
    const auto it = std::find(form.space.begin(), form.space.end(), argument.name());
    if (argument.kind() != Kind::coordinate || it == form.space.end()) return std::nullopt;
    axes.push_back(static_cast<std::size_t>(it - form.space.begin()));
  }
  const GridTable table(f.table, f.arguments, f.column, f.interpolation);
  std::vector<double> means(from.size()), a(axes.size()), b(axes.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t k = 0; k < axes.size(); ++k) {
      a[k] = from[i][axes[k]];
      b[k] = to[i][axes[k]];
    }
    means[i] = table.mean_along(a, b);
  }
  return means;
}

}  // namespace

std::vector<double> edge_means(const Problem& problem, const FdmForm& form, const Expr& coefficient,
                               const FdmGrid& grid, const std::vector<int>& nodes,
                               std::size_t axis) {
  constexpr std::size_t samples = 8;
  std::vector<GridPoint> from, to;
  for (const int side : {-1, 1}) {
    for (const int node : nodes) {
      from.push_back(grid.point(grid.nodes()[static_cast<std::size_t>(node)].at));
      to.push_back(from.back());
      to.back()[axis] += side * grid.axes()[axis].h;
    }
  }
  if (auto means = table_means(problem, form, coefficient, from, to)) return std::move(*means);
  const EdgeValues values(problem, form, coefficient, from, to);
  std::vector<std::vector<double>> v;
  std::vector<std::size_t> edges(from.size());
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = i;
  for (std::size_t j = 0; j < samples; ++j) {
    v.push_back(values.at(edges, std::vector<double>(edges.size(), (double(j) + 0.5) / samples)));
  }
  // Jumps between two samples, by bisection of all of them together.
  std::vector<std::size_t> edge, sample;
  std::vector<double> low, high;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = 0; j + 1 < samples; ++j) {
      if (!jumps_between(v[j][i], v[j + 1][i])) continue;
      edge.push_back(i);
      sample.push_back(j);
      low.push_back((double(j) + 0.5) / samples);
      high.push_back((double(j) + 1.5) / samples);
    }
  }
  for (int step = 0; step < 36 && !edge.empty(); ++step) {
    std::vector<double> middle(edge.size());
    for (std::size_t i = 0; i < edge.size(); ++i) middle[i] = (low[i] + high[i]) / 2;
    const std::vector<double> now = values.at(edge, middle);
    for (std::size_t i = 0; i < edge.size(); ++i) {
      const bool before =
          std::abs(now[i] - v[sample[i]][edge[i]]) <= std::abs(now[i] - v[sample[i] + 1][edge[i]]);
      (before ? low : high)[i] = middle[i];
    }
  }
  std::vector<double> resistance(edges.size(), 0), mean(edges.size(), 0);
  std::vector<char> mixed(edges.size(), 0);
  for (std::size_t j = 0; j < samples; ++j) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      resistance[i] += 1 / v[j][i] / samples;
      mean[i] += v[j][i] / samples;
      if (v[j][i] * v[0][i] <= 0) mixed[i] = 1;
    }
  }
  for (std::size_t q = 0; q < edge.size(); ++q) {
    const double shift = (low[q] + high[q]) / 2 - (double(sample[q]) + 1) / samples;
    const double a = v[sample[q]][edge[q]], b = v[sample[q] + 1][edge[q]];
    resistance[edge[q]] += shift * (1 / a - 1 / b);
  }
  // What is known of jumps is exact: Gauss points between them.
  std::vector<double> begin, end;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    begin.push_back(from[i][axis]);
    end.push_back(to[i][axis]);
  }
  const auto cuts = cuts_of_edges(coefficient, form.space[axis], begin, end);
  std::vector<std::size_t> cut_edges;
  std::vector<double> shares, weights;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (cuts[i].empty()) continue;
    resistance[i] = mean[i] = 0;
    mixed[i] = 0;
    for (std::size_t c = 0; c + 1 < cuts[i].size(); ++c) {
      const double middle = (cuts[i][c] + cuts[i][c + 1]) / 2, w = cuts[i][c + 1] - cuts[i][c];
      for (const double side : {-1.0, 1.0}) {
        cut_edges.push_back(i);
        shares.push_back(middle + side * w / (2 * std::sqrt(3.0)));
        weights.push_back(w / 2);
      }
    }
  }
  const std::vector<double> inside = values.at(cut_edges, shares);
  for (std::size_t q = 0; q < cut_edges.size(); ++q) {
    const std::size_t i = cut_edges[q];
    resistance[i] += weights[q] / inside[q];
    mean[i] += weights[q] * inside[q];
    if (inside[q] * v[0][i] <= 0) mixed[i] = 1;
  }
  // A coefficient that vanishes or changes its sign has no harmonic mean.
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (mixed[i] == 0) mean[i] = 1 / resistance[i];
  }
  return mean;
}

}  // namespace cauchy::detail
