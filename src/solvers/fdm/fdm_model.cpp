#include "solvers/fdm/fdm_model.hpp"

#include <algorithm>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

#include "solvers/classical/grid_field.hpp"
#include "solvers/fdm/fdm_flux.hpp"
#include "solvers/fdm/region_field.hpp"

namespace cauchy::detail {
namespace {

/// Values at the nodes that an answer keeps, in its order, level by level.
class ModelMaker final {
 public:
  ModelMaker(const FdmAssembly& a, int accuracy, const std::vector<double>& times,
             const std::vector<std::vector<double>>& states)
      : a_(a), accuracy_(accuracy), times_(times), states_(states) {
    const std::size_t n = a.grid->nodes().size();
    for (std::size_t i = 0; i < n; ++i) {
      // Nodes of a box come in the order of its axes, its ghosts behind them.
      if (a.grid->is_box() && a.grid->nodes()[i].role == FdmNode::Role::ghost) break;
      kept_.push_back(static_cast<int>(i));
    }
  }

  [[nodiscard]] std::shared_ptr<const FieldModel> make() {
    std::vector<std::string> names;
    std::vector<std::vector<double>> values;
    const std::size_t F = a_.form.fields.size();
    for (std::size_t f = 0; f < F; ++f) {
      if (a_.form.rate[f] > 0) continue;
      names.push_back(a_.form.fields[f]);
      std::vector<double>& v = values.emplace_back();
      for (const std::vector<double>& y : states_) {
        for (const int i : kept_) v.push_back(y[static_cast<std::size_t>(i) * F + f]);
      }
    }
    if (a_.form.given.empty()) return field_of(names, values);
    const std::shared_ptr<const NodalModel> primary = field_of(names, values);
    for (const FdmGiven& g : a_.form.given) {
      names.push_back(g.name);
      values.push_back(given_values(g, *primary));
    }
    return field_of(names, values);
  }

 private:
  [[nodiscard]] std::shared_ptr<const NodalModel> field_of(
      const std::vector<std::string>& names, const std::vector<std::vector<double>>& values) const {
    if (!a_.grid->is_box()) {
      return std::make_shared<RegionField>("fdm", a_.problem, RegionField::Layout{a_.n, a_.offsets},
                                           times_, names, values);
    }
    std::vector<GridAxis> axes;
    if (!times_.empty()) axes.push_back({.name = a_.form.time, .nodes = times_, .width = 8});
    for (const FdmAxis& a : a_.grid->axes()) {
      GridAxis& axis = axes.emplace_back();
      axis.name = a.name;
      axis.width = std::max(6, accuracy_ + 2);
      for (int i = 0; i < (a.periodic ? a.cells : a.cells + 1); ++i) axis.nodes.push_back(a.at(i));
      if (a.periodic) {
        axis.kind = GridAxis::Kind::periodic;
        axis.period = a.h * a.cells;
      }
    }
    return std::make_shared<GridField>("fdm", a_.problem, std::move(axes), names, values);
  }

  /// Points of the kept nodes at all levels.
  [[nodiscard]] std::vector<double> points() const {
    std::vector<double> out;
    const std::size_t levels = std::max<std::size_t>(1, times_.size());
    for (std::size_t l = 0; l < levels; ++l) {
      for (const int i : kept_) {
        const GridPoint x = a_.grid->point(a_.grid->nodes()[static_cast<std::size_t>(i)].at);
        if (!times_.empty()) out.push_back(times_[l]);
        out.insert(out.end(), x.begin(), x.begin() + static_cast<long>(a_.form.space.size()));
      }
    }
    return out;
  }

  [[nodiscard]] std::vector<double> given_values(const FdmGiven& g,
                                                 const NodalModel& primary) const {
    const Expr roots[] = {g.value};
    for (const Expr& a : field_atoms(roots)) {
      if (total_order(a.index()) != 1 || !a_.grid->is_box()) continue;
      const Expr slope = partial(g.value, a), slopes[] = {slope};
      if (!may_jump(slope) || !field_atoms(slopes).empty()) continue;
      return values_by_faces(g.value, a, slope);
    }
    const std::vector<double> at = points();
    std::vector<double> out(kept_.size() * std::max<std::size_t>(1, times_.size()));
    primary.evaluate(roots, at, out);
    return out;
  }

  /// The mean of the values at the two faces beside a node; at the ends of lines, their
  /// continuation.
  [[nodiscard]] std::vector<double> values_by_faces(const Expr& value, const Expr& atom,
                                                    const Expr& slope) const {
    const std::vector<int> orders = space_orders(atom, a_.form.space);
    const auto axis =
        static_cast<std::size_t>(std::find(orders.begin(), orders.end(), 1) - orders.begin());
    const FdmAxis& along = a_.grid->axes()[axis];
    std::vector<int> inside;  // nodes with both neighbours along the axis
    for (const int i : kept_) {
      const int at = a_.grid->nodes()[static_cast<std::size_t>(i)].at[axis];
      if (along.periodic || (at > 0 && at < along.cells)) inside.push_back(i);
    }
    const std::vector<double> means =
        edge_means(*a_.problem, a_.form, slope, *a_.grid, inside, axis);
    const Expr mean = Symbol("edge~mean");
    Points points;
    points.columns = a_.form.space;
    const FdmStencils stencils(*a_.grid, 2, [](int, std::size_t) { return false; });
    const Expr flux = substitute(value, atom, 0) + mean * atom;
    for (const int side : {-1, 1}) {
      for (const int i : inside) {
        GridPoint x = a_.grid->point(a_.grid->nodes()[static_cast<std::size_t>(i)].at);
        x[axis] += side * along.h / 2;
        points.values.insert(points.values.end(), x.begin(),
                             x.begin() + static_cast<long>(a_.form.space.size()));
      }
    }
    FdmTerm term(*a_.problem, a_.form, flux, std::move(points), {mean});
    for (std::size_t k = 0; k < term.atoms().size(); ++k) {
      StencilSet set;
      for (const int side : {-1, 1}) {
        for (const int i : inside) {
          set.add(stencils.at_face(i, axis, side, space_orders(term.atoms()[k], a_.form.space)));
        }
      }
      term.set_stencils(k, std::move(set));
    }
    std::vector<double> out;
    for (std::size_t l = 0; l < states_.size(); ++l) {
      FdmState state{std::nullopt, states_[l], states_[l]};
      if (!times_.empty()) state.time = times_[l];
      term.update(state, {means});
      const std::vector<double>& v = term.values(state);
      std::vector<double> at_node(a_.grid->nodes().size());
      for (std::size_t q = 0; q < inside.size(); ++q) {
        const FdmNode& node = a_.grid->nodes()[static_cast<std::size_t>(inside[q])];
        const double below = v[q], above = v[inside.size() + q];
        at_node[static_cast<std::size_t>(inside[q])] = (below + above) / 2;
        if (along.periodic) continue;
        GridPlace end = node.at;
        if (node.at[axis] == 1) {
          end[axis] = 0;
          at_node[static_cast<std::size_t>(a_.grid->seen(inside[q], end))] =
              (3 * below - above) / 2;
        }
        if (node.at[axis] == along.cells - 1) {
          end[axis] = along.cells;
          at_node[static_cast<std::size_t>(a_.grid->seen(inside[q], end))] =
              (3 * above - below) / 2;
        }
      }
      for (const int i : kept_) out.push_back(at_node[static_cast<std::size_t>(i)]);
    }
    return out;
  }

  const FdmAssembly& a_;
  int accuracy_;
  const std::vector<double>& times_;
  const std::vector<std::vector<double>>& states_;
  std::vector<int> kept_;
};

}  // namespace

std::shared_ptr<const FieldModel> fdm_model(const FdmAssembly& assembly, int accuracy,
                                            const std::vector<double>& times,
                                            const std::vector<std::vector<double>>& states) {
  return ModelMaker(assembly, accuracy, times, states).make();
}

}  // namespace cauchy::detail
