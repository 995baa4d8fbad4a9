#include "solvers/fdm/fdm_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/flux_balance.hpp"
#include "problem/point_data.hpp"
#include "solvers/fdm/fdm_flux.hpp"
#include "solvers/fdm/fdm_layout.hpp"
#include "solvers/fdm/fdm_upwind.hpp"

namespace cauchy::detail {
namespace {

using Role = FdmNode::Role;

std::vector<Expr> atoms_in(const Expr& e) {
  const Expr roots[] = {e};
  return field_atoms(roots);
}

int sum_of(const std::vector<int>& orders) {
  int total = 0;
  for (const int k : orders) total += k;
  return total;
}

class Assembler final {
 public:
  Assembler(FdmAssembly& out, const Fdm& method)
      : out_(out), p_(*out.problem), form_(out.form), method_(method), F_(form_.fields.size()) {}

  void run() {
    for (const FdmEquation& e : form_.equations) {
      splits_.push_back(split_fluxes(e, form_, method_.order > 2));
    }
    out_.grid =
        std::make_unique<FdmGrid>(domain_of(p_).shape(), form_.space, out_.n, form_.periodic);
    if (!grid().is_box() && method_.order > 2) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("differences of order {} need a box, regions of other shapes are "
                              "treated with order 2",
                              method_.order),
                  "[solvers.fdm]", "set order = 2");
    }
    out_.offsets = stencil_offsets();
    out_.grid->add_ghosts(out_.offsets);
    claims_ = fdm_claims(p_, form_, grid());
    layout_ = fdm_layout(form_, claims_, grid());
    stencils_ =
        std::make_unique<FdmStencils>(grid(), method_.order, [this](int node, std::size_t f) {
          return layout_.ghost_values[static_cast<std::size_t>(node) * F_ + f] != 0;
        });
    out_.size = grid().nodes().size() * F_;
    take_extras();
    for (std::size_t e = 0; e < F_; ++e) add_equation(e);
    add_conditions();
    add_continuations();
    add_borders();
    out_.differential.assign(out_.size, 0);
    for (const FdmRows& r : out_.rows) {
      if (!r.term().differential()) continue;
      for (const std::size_t row : r.rows()) out_.differential[row] = 1;
    }
  }

 private:
  [[nodiscard]] FdmGrid& grid() { return *out_.grid; }
  [[nodiscard]] const FdmNode& node(int i) { return grid().nodes()[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::size_t row(int i, std::size_t f) const {
    return static_cast<std::size_t>(i) * F_ + f;
  }

  /// What the stencils of all equations reach.
  std::vector<GridPlace> stencil_offsets() {
    std::vector<std::vector<int>> derivatives(1, std::vector<int>(form_.space.size(), 0));
    for (std::size_t e = 0; e < F_; ++e) {
      for (const Expr& a : atoms_in(splits_[e].residual)) {
        derivatives.push_back(space_orders(a, form_.space));
      }
      for (const FdmFlux& f : splits_[e].fluxes) {
        for (const Expr& a : atoms_in(f.flux)) {
          std::vector<int> orders = space_orders(a, form_.space);
          orders[f.axis] = 1;
          derivatives.push_back(orders);
        }
      }
    }
    return FdmStencils::offsets(derivatives);
  }

  using Place = FdmLayout::Place;
  using Taken = FdmLayout::Taken;

  // --- rows ---

  Points points_of(const std::vector<GridPoint>& at) {
    Points points;
    points.columns = form_.space;
    for (const GridPoint& x : at) {
      points.values.insert(points.values.end(), x.begin(),
                           x.begin() + static_cast<long>(form_.space.size()));
    }
    return points;
  }

  /// Stencils of all atoms at nodes; `one_sided`: at the boundary.
  void node_stencils(FdmTerm& term, const std::vector<int>& nodes) {
    for (std::size_t k = 0; k < term.atoms().size(); ++k) {
      const std::vector<int> orders = space_orders(term.atoms()[k], form_.space);
      StencilSet set;
      for (const int i : nodes) set.add(stencils_->at_node(i, orders, term.field_of(k)));
      term.set_stencils(k, std::move(set));
    }
  }

  /// Stencils at points of the boundary, each with the ghost that it determines.
  void foot_stencils(FdmTerm& term, const std::vector<Taken>& taken) {
    std::vector<std::vector<int>> orders;
    int highest = 0;
    for (const Expr& a : term.atoms()) {
      orders.push_back(space_orders(a, form_.space));
      highest = std::max(highest, sum_of(orders.back()));
    }
    std::vector<StencilSet> sets(orders.size());
    for (const Taken& t : taken) {
      const FdmFoot& foot = grid().feet()[t.foot];
      const std::vector<Stencil> found = stencils_->at_point(
          foot.point, foot.sides[t.side].normal, orders, std::max(2, highest + 1), t.node);
      for (std::size_t k = 0; k < sets.size(); ++k) sets[k].add(found[k]);
    }
    for (std::size_t k = 0; k < sets.size(); ++k) term.set_stencils(k, std::move(sets[k]));
  }

  void add_equation(std::size_t e) {
    std::vector<int> nodes;
    std::vector<GridPoint> at;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < grid().nodes().size(); ++i) {
      if (grid().nodes()[i].role != Role::interior) continue;
      nodes.push_back(static_cast<int>(i));
      at.push_back(grid().point(grid().nodes()[i].at));
      rows.push_back(i * F_ + e);
    }
    equation_rows_.push_back(rows);
    FdmTerm term(p_, form_, splits_[e].residual, points_of(at), splits_[e].symbols);
    node_stencils(term, nodes);
    const bool upwind = method_.upwind != Upwind::never && add_upwind(term, nodes);
    FdmRows block(std::move(term), std::move(rows));
    if (upwind) {
      std::vector<double> h;
      for (const FdmAxis& a : grid().axes()) h.push_back(a.h);
      block.set_upwind(h, method_.upwind, flow_orientation(p_, form_, grid(), claims_, e));
    }
    for (const FdmFlux& f : splits_[e].fluxes) block.add_faces(faces_of(f, nodes));
    out_.rows.push_back(std::move(block));
    add_open_equation(e);
  }

  /// The equation where no condition stands: at boundary nodes by one-sided differences, at the
  /// feet of ghosts by interpolation.
  void add_open_equation(std::size_t e) {
    std::vector<int> nodes;
    std::vector<GridPoint> at;
    std::vector<std::size_t> rows;
    std::vector<Taken> taken;
    for (const Place& place : layout_.equations) {
      if (place.row % F_ != e) continue;
      nodes.push_back(place.node);
      at.push_back(grid().feet()[node(place.node).foot].point);
      rows.push_back(place.row);
      taken.push_back({node(place.node).foot, 0, place.node, place.row});
    }
    if (rows.empty()) return;
    FdmTerm term(p_, form_, form_.equations[e].residual, points_of(at));
    grid().is_box() ? node_stencils(term, nodes) : foot_stencils(term, taken);
    out_.rows.emplace_back(std::move(term), std::move(rows));
  }

  bool add_upwind(FdmTerm& term, const std::vector<int>& nodes) {
    bool any = false;
    for (std::size_t k = 0; k < term.atoms().size(); ++k) {
      const std::vector<int> orders = space_orders(term.atoms()[k], form_.space);
      if (sum_of(orders) != 1 || time_order(term.atoms()[k], form_.time) > 0) continue;
      if (!is_carried(form_, term, k)) continue;
      // Higher derivatives spread what is steep: no flow wins against them on a fine grid.
      if (method_.upwind == Upwind::automatic &&
          field_order(form_, term.field_of(k), form_.space.size()) > 2) {
        continue;
      }
      const auto axis =
          static_cast<std::size_t>(std::find(orders.begin(), orders.end(), 1) - orders.begin());
      StencilSet backward, forward;
      for (const int i : nodes) {
        backward.add(stencils_->at_node(i, orders, term.field_of(k), axis, -1));
        forward.add(stencils_->at_node(i, orders, term.field_of(k), axis, 1));
      }
      term.set_upwind(k, std::move(backward), std::move(forward));
      any = true;
    }
    return any;
  }

  FdmFaces faces_of(const FdmFlux& f, const std::vector<int>& nodes) {
    const double h = grid().axes()[f.axis].h;
    std::vector<GridPoint> at;
    for (const int side : {-1, 1}) {
      for (const int i : nodes) {
        at.push_back(grid().point(node(i).at));
        at.back()[f.axis] += side * h / 2;
      }
    }
    std::vector<Expr> more;
    if (f.coefficient) more.push_back(f.mean);
    FdmFaces out{FdmTerm(p_, form_, f.flux, points_of(at), more), h, f.axis};
    for (std::size_t k = 0; k < out.flux.atoms().size(); ++k) {
      const std::vector<int> orders = space_orders(out.flux.atoms()[k], form_.space);
      StencilSet set;
      for (const int side : {-1, 1}) {
        for (const int i : nodes) set.add(stencils_->at_face(i, f.axis, side, orders));
      }
      out.flux.set_stencils(k, std::move(set));
    }
    if (f.coefficient) {
      out.more.push_back(edge_means(p_, form_, *f.coefficient, grid(), nodes, f.axis));
    }
    return out;
  }

  void add_conditions() {
    for (const auto& [c, taken] : layout_.taken) {
      std::vector<GridPoint> at;
      std::vector<int> nodes;
      std::vector<std::size_t> rows;
      Points points;
      for (const Taken& t : taken) {
        at.push_back(grid().feet()[t.foot].point);
        nodes.push_back(t.node);
        rows.push_back(t.row);
      }
      points = points_of(at);
      for (const Taken& t : taken) {
        const GridPoint& normal = grid().feet()[t.foot].sides[t.side].normal;
        points.normals.insert(points.normals.end(), normal.begin(),
                              normal.begin() + static_cast<long>(form_.space.size()));
      }
      FdmTerm term(p_, form_, form_.conditions[c].residual, std::move(points));
      grid().is_box() ? node_stencils(term, nodes) : foot_stencils(term, taken);
      out_.rows.emplace_back(std::move(term), std::move(rows));
    }
  }

  /// Values that no condition determines: 0 where nothing looks at them, the continuation of the
  /// values inside where the answer does.
  void add_continuations() {
    for (const bool idle : {true, false}) {
      const std::vector<Place>& places = idle ? layout_.idle : layout_.continued;
      for (std::size_t f = 0; f < F_; ++f) {
        std::vector<GridPoint> at;
        std::vector<std::size_t> rows;
        StencilSet set;
        for (const Place& place : places) {
          if (place.row % F_ != f) continue;
          at.push_back(grid().point(node(place.node).at));
          rows.push_back(place.row);
          Stencil s = {{place.node, 1}};
          if (!idle) {
            const FdmFoot& foot = grid().feet()[node(place.node).foot];
            const std::vector<std::vector<int>> value(1, std::vector<int>(form_.space.size(), 0));
            const std::vector<Stencil> around =
                stencils_->at_point(at.back(), foot.sides[0].normal, value, 2, -1, place.node);
            for (const auto& [other, w] : around[0]) s.emplace_back(other, -w);
          }
          set.add(s);
        }
        if (rows.empty()) continue;
        FdmTerm term(p_, form_, Field(form_.fields[f]), points_of(at));
        term.set_stencils(0, std::move(set));
        out_.rows.emplace_back(std::move(term), std::move(rows));
      }
    }
  }

  // --- conditions at points and on integrals ---

  /// A field that is known up to a constant gets the mean 0, when its data balance.
  void take_extras() {
    extras_ = form_.extras;
    if (!form_.time.empty()) return;
    for (std::size_t f = 0; f < F_; ++f) {
      const Expr field = Field(form_.fields[f]);
      bool known = false;
      const auto look = [&](const Expr& e) {
        for (const Expr& a : atoms_in(e)) known = known || same(a, field);
      };
      for (const FdmEquation& e : form_.equations) look(e.residual);
      for (const FdmCondition& c : form_.conditions) look(c.residual);
      for (const FdmExtra& e : form_.extras) look(e.residual);
      if (known) continue;
      if (const auto gap = flux_imbalance(p_, form_.fields[f])) {
        throw Error(ErrorKind::unsupported, *gap, "[solvers.fdm]");
      }
      FdmExtra mean{field, 0, "domain", {}, f};
      extras_.push_back(mean);
      means_.insert(extras_.size() - 1);
      out_.remarks.push_back(fmt::format(
          "field '{}' is determined up to a constant: the answer with the mean 0 was taken",
          form_.fields[f]));
    }
  }

  void add_borders() {
    for (std::size_t i = 0; i < extras_.size(); ++i) {
      const FdmExtra& extra = extras_[i];
      std::size_t at_row = 0;
      if (i < layout_.open.size()) {
        at_row = layout_.open[i];
      } else {
        at_row = out_.size++;
        out_.borders.push_back({at_row, equation_rows_[extra.field], means_.contains(i)});
      }
      Points points;
      std::vector<double> weights;
      if (extra.point.empty()) {
        const Domain space = Domain(*p_.domain->space()).with(p_.values());
        points = integral_rule(space, extra.where, 4000).points;
        weights = points.weights;
        points.weights.clear();
      } else {
        points.columns = form_.space;
        points.values = extra.point;
      }
      FdmTerm term(p_, form_, extra.residual, points);
      std::vector<std::vector<int>> orders;
      int highest = 0;
      for (const Expr& a : term.atoms()) {
        orders.push_back(space_orders(a, form_.space));
        highest = std::max(highest, sum_of(orders.back()));
      }
      std::vector<StencilSet> sets(orders.size());
      for (std::size_t q = 0; q < points.size(); ++q) {
        GridPoint x{}, normal{};
        std::copy_n(points.row(q).begin(), form_.space.size(), x.begin());
        const auto found = stencils_->at_point(
            x, normal, orders, std::max(method_.order + 1, highest + method_.order));
        for (std::size_t k = 0; k < sets.size(); ++k) sets[k].add(found[k]);
      }
      for (std::size_t k = 0; k < sets.size(); ++k) term.set_stencils(k, std::move(sets[k]));
      FdmRows block(std::move(term), std::vector<std::size_t>(points.size(), at_row));
      if (!weights.empty()) block.set_integral(std::move(weights), extra.value);
      out_.rows.push_back(std::move(block));
    }
  }

  FdmAssembly& out_;
  const Problem& p_;
  const FdmForm& form_;
  const Fdm& method_;
  std::size_t F_;
  std::vector<FdmSplit> splits_;
  std::vector<std::vector<std::vector<FdmClaim>>> claims_;
  FdmLayout layout_;
  std::unique_ptr<FdmStencils> stencils_;
  std::vector<std::vector<std::size_t>> equation_rows_;  // by field
  std::vector<FdmExtra> extras_;
  std::set<std::size_t> means_;  // those of extras_ that were added here
};

}  // namespace

FdmAssembly assemble_fdm(std::shared_ptr<const Problem> problem, const Fdm& method, int n) {
  FdmAssembly out;
  out.problem = std::move(problem);
  out.form = fdm_form(*out.problem);
  out.n = n;
  Assembler(out, method).run();
  return out;
}

}  // namespace cauchy::detail
