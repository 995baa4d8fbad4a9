#include "solvers/spectral/chebyshev_box.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"
#include "problem/switches.hpp"

namespace cauchy::detail {
namespace {

[[noreturn]] void chebyshev_refuses(const std::string& reason, const std::string& hint) {
  throw Error(ErrorKind::unsupported, reason, "[solvers.spectral]", hint);
}

class ChebyshevReader final {
 public:
  explicit ChebyshevReader(std::shared_ptr<const Problem> problem)
      : problem_(*problem), lower_(problem_), domain_(domain_of(problem_)) {
    box_.problem = std::move(problem);
  }

  ChebyshevBox read() {
    read_domain();
    for (const ProblemEquation& e : problem_.equation) {
      if (!e.where.empty()) {
        chebyshev_refuses(
            fmt::format("the equation '{}' holds in a part of the box only", name_of(e)),
            "use fdm");
      }
      box_.equations.push_back({name_of(e), lower_(e.form.residual()), {everywhere()}});
    }
    for (const Condition& c : problem_.condition) read_condition(c);
    read_orders();
    refuse_jumps();
    if (box_.dimension() == 1) {
      box_.kinks = find_kinks(box_.space[0], box_.lower[0], box_.upper[0]);
    }
    if (box_.time) {
      box_.switches = find_kinks(box_.time->name, box_.time->lower, box_.time->upper);
    }
    return std::move(box_);
  }

 private:
  void read_domain() {
    if (!problem_.unknowns.empty() || !problem_.coefficients.empty() ||
        !problem_.observation.empty()) {
      chebyshev_refuses("spectral does not find unknown constants or coefficients", "use pinn");
    }
    if (domain_.space() == nullptr) {
      chebyshev_refuses("spectral needs a box in space, and the problem lives on time alone",
                        "use ode");
    }
    shape_ = domain_.shape();
    const std::size_t d = shape_->dimension();
    if (d > 3) {
      chebyshev_refuses(fmt::format("spectral treats at most three dimensions, not {}", d),
                        "use pinn");
    }
    double volume = 1;
    for (std::size_t k = 0; k < d; ++k)
      volume *= shape_->bounds().upper[k] - shape_->bounds().lower[k];
    if (!std::isfinite(volume)) chebyshev_refuses("the box is unbounded", "cut it off");
    // A box with a slit has the volume of one, but more sides.
    if (!(std::abs(shape_->measure() - volume) <= 1e-12 * volume) ||
        shape_->pieces().size() != 2 * d) {
      chebyshev_refuses("spectral needs a box", "use fdm or kansa");
    }
    box_.space = domain_.space()->coordinates();
    box_.lower = shape_->bounds().lower;
    box_.upper = shape_->bounds().upper;
    if (domain_.time() != nullptr) box_.time = *domain_.time();
    if (box_.time && d > 2) {
      chebyshev_refuses("spectral treats problems in time in at most two dimensions of space",
                        "use fdm");
    }
    box_.marches = box_.time.has_value();
    box_.fields = problem_.fields;
  }

  [[nodiscard]] ChebyshevPlace everywhere() const {
    ChebyshevPlace p;
    p.space.resize(box_.dimension());
    return p;
  }

  /// The places of a part of the boundary: one per side that belongs to it.
  [[nodiscard]] std::vector<ChebyshevPlace> sides(const std::string& text) const {
    const Boundary part(domain_, text);
    const std::size_t d = box_.dimension();
    std::vector<ChebyshevPlace> found;
    for (std::size_t i = 0; i < shape_->pieces().size(); ++i) {
      ChebyshevPlace p = everywhere();
      p.where = lower_(part.condition(shape_->pieces()[i]));
      if (p.where.is_constant(0)) continue;
      const std::vector<double> middle(d, 0.5);
      std::vector<double> x(d);
      p.normal.resize(d);
      shape_->boundary_point(i, middle.data(), x.data(), p.normal.data());
      for (std::size_t k = 0; k < d; ++k) {
        if (std::abs(p.normal[k]) > 0.5)
          p.space[k] = p.normal[k] > 0 ? box_.upper[k] : box_.lower[k];
      }
      if (d == 1 && !holds_at_end(p)) continue;
      found.push_back(std::move(p));
    }
    return found;
  }

  /// An end of a line, which the condition names by its coordinate: x = 2.
  [[nodiscard]] bool holds_at_end(const ChebyshevPlace& p) const {
    const std::vector<Expr> one = {p.where};
    const Coordinate x(box_.space[0]);
    const std::vector<Expr> names = atoms(one, Kind::coordinate);
    const bool other =
        std::any_of(names.begin(), names.end(), [&](const Expr& name) { return !same(name, x); });
    if (other || !atoms(one, Kind::parameter).empty()) return true;
    return evaluate(p.where, Values().set(x, *p.space[0])) != 0;
  }

  void read_condition(const Condition& c) {
    switch (c.kind) {
      case Condition::Kind::periodic: {
        const auto at = std::find(box_.space.begin(), box_.space.end(), c.coordinate);
        if (at == box_.space.end()) {
          chebyshev_refuses("spectral does not treat solutions that are periodic in time",
                            "use pinn");
        }
        box_.periods.push_back({static_cast<std::size_t>(at - box_.space.begin()), c.order});
        return;
      }
      case Condition::Kind::point: {
        ChebyshevPlace p = everywhere();
        for (const auto& [name, value] : c.point) {
          if (box_.time && name == box_.time->name) {
            p.time = value;
            continue;
          }
          const auto at = std::find(box_.space.begin(), box_.space.end(), name);
          p.space[static_cast<std::size_t>(at - box_.space.begin())] = value;
        }
        box_.conditions.push_back({name_of(c), lower_(c.form.residual()), {p}});
        return;
      }
      case Condition::Kind::integral: {
        const bool inside = c.where == "domain";
        std::vector<ChebyshevPlace> places = inside ? std::vector{everywhere()} : sides(c.where);
        double measure = 0;
        for (const ChebyshevPlace& p : places) {
          if (!p.where.is_constant()) {
            chebyshev_refuses(fmt::format("the integral '{}' is over a part of a side", name_of(c)),
                              "use kansa");
          }
          double one = 1;
          for (std::size_t k = 0; k < box_.dimension(); ++k) {
            if (!p.space[k]) one *= box_.upper[k] - box_.lower[k];
          }
          measure += one;
        }
        const Expr mean = lower_(c.form.left) - lower_(c.form.right) / measure;
        box_.conditions.push_back({name_of(c), mean, std::move(places), true});
        return;
      }
      case Condition::Kind::general:
      case Condition::Kind::interface:
        break;
    }
    const ConditionPlace place = place_of(problem_, c);
    std::vector<ChebyshevPlace> places;
    if (place.kind == ConditionPlace::Kind::slice) {
      places.push_back(everywhere());
      places.back().time = place.time;
      if (place.time != box_.time->lower) box_.marches = false;
    } else {
      places = sides(place.boundary);
    }
    box_.conditions.push_back({name_of(c), lower_(c.form.residual()), std::move(places)});
  }

  void read_orders() {
    std::vector<std::string> axes = {box_.time ? box_.time->name : std::string()};
    axes.insert(axes.end(), box_.space.begin(), box_.space.end());
    box_.orders.assign(box_.fields.size(), std::vector<int>(axes.size(), 0));
    for (const std::vector<ChebyshevTerm>* terms : {&box_.equations, &box_.conditions}) {
      for (const ChebyshevTerm& t : *terms) {
        box_.linear = box_.linear && is_linear(t.residual);
        for (const Expr& atom : field_atoms(std::vector<Expr>{t.residual})) {
          const auto f = static_cast<std::size_t>(
              std::find(box_.fields.begin(), box_.fields.end(), atom.name()) - box_.fields.begin());
          for (const auto& [name, order] : atom.index()) {
            const auto axis =
                static_cast<std::size_t>(std::find(axes.begin(), axes.end(), name) - axes.begin());
            if (terms == &box_.equations) {
              box_.orders[f][axis] = std::max(box_.orders[f][axis], order);
            }
            box_.highest = std::max(box_.highest, order);
          }
        }
      }
    }
    for (ChebyshevPeriod& p : box_.periods) {
      for (const std::vector<int>& of : box_.orders)
        p.order = std::max(p.order, of[p.axis + 1] - 1);
      box_.highest = std::max(box_.highest, p.order);
    }
    box_.highest = std::max(box_.highest, 2);  // of the first guess
    if (box_.highest > 12) {
      chebyshev_refuses(fmt::format("derivatives of order {} lose all digits", box_.highest),
                        "write it as a system of lower order");
    }
  }

  /// At a jump of the coefficient of a second derivative the flux is continuous, which the expanded
  /// equation no longer says.
  void refuse_jumps() const {
    for (const ChebyshevTerm& t : box_.equations) {
      for (const Expr& atom : field_atoms(std::vector<Expr>{t.residual})) {
        if (total_order(atom.index()) < 2) continue;
        for (const Expr& e : postorder(std::vector<Expr>{partial(t.residual, atom)})) {
          if (!has_jump(e.kind())) continue;
          chebyshev_refuses(fmt::format("a coefficient of '{}' jumps", t.name),
                            "use fdm, or write it as a system for the field and its flux");
        }
      }
    }
  }

  /// Zeros of what decides on branches and depends on this coordinate alone: of a in |a|, of a - b
  /// in a < b, min(a, b) and max(a, b).
  [[nodiscard]] std::vector<double> find_kinks(const std::string& name, double a, double b) const {
    std::vector<Expr> roots;
    for (const ChebyshevTerm& t : box_.equations) roots.push_back(t.residual);
    const bool in_space = name == box_.space[0];
    for (const ChebyshevTerm& t : box_.conditions) {
      for (const ChebyshevPlace& place : t.places) {
        if (in_space && place.space[0]) continue;  // it says at which end it holds
        roots.push_back(t.residual);
        roots.push_back(place.where);
      }
    }
    return switch_places(roots, name, a, b);
  }

  const Problem& problem_;
  Lowering lower_;
  Domain domain_;
  ShapePtr shape_;
  ChebyshevBox box_;
};

}  // namespace

ChebyshevBox chebyshev_box(std::shared_ptr<const Problem> problem) {
  return ChebyshevReader(std::move(problem)).read();
}

}  // namespace cauchy::detail
