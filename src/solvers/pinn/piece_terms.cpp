#include "solvers/pinn/piece_terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/point_data.hpp"
#include "training/point_schemes/point_look.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_looked_at = 2048;  // points that shares are taken from
using DrawPoints = std::function<Points(std::size_t, const SamplerOptions&)>;
using ChooseRows = std::function<std::vector<std::size_t>(const Points&)>;

/// n of the points that `draw` makes and `choose` takes, about `share` of all.
Points draw_some(const DrawPoints& draw, const ChooseRows& choose, double share, std::size_t n,
                 const SamplerOptions& options) {
  const auto first = static_cast<std::size_t>(1.2 * static_cast<double>(n) / share) + 8;
  for (std::size_t ask = first; ask <= 4096 * first; ask *= 2) {
    const Points all = draw(ask, options);
    const std::vector<std::size_t> rows = choose(all);
    if (rows.size() < n) continue;
    std::vector<std::size_t> some;  // evenly over the order
    for (std::size_t i = 0; i < n; ++i) some.push_back(rows[i * rows.size() / n]);
    return rows_of(all, some);
  }
  throw Error("next to no points lie in a piece of the domain", "[method] decompose",
              "use fewer cuts, or more points");
}

std::vector<std::size_t> rows_in(std::span<const std::size_t> where, std::size_t piece) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < where.size(); ++i) {
    if (where[i] == piece) rows.push_back(i);
  }
  return rows;
}

template <class T>
std::vector<T> values_of_rows(const std::vector<T>& all, std::span<const std::size_t> rows) {
  std::vector<T> some;
  for (const std::size_t i : rows) {
    if (i < all.size()) some.push_back(all[i]);
  }
  return some;
}

/// Points of one of several parts: half of all by its measure, half in equal numbers, so that small
/// pieces are resolved as well.
std::size_t points_of_part(std::size_t n, double share, std::size_t parts) {
  const double mean = (share + 1 / static_cast<double>(parts)) / 2;
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(static_cast<double>(n) * mean - 1e-9)));
}

class LossSplitter final {
 public:
  LossSplitter(std::shared_ptr<const Problem> problem, const Pinn& method, const Lowering& lower,
               const Sizes& sizes, std::shared_ptr<const Pieces> pieces)
      : problem_(std::move(problem)),
        method_(method),
        lower_(lower),
        sizes_(sizes),
        pieces_(std::move(pieces)) {}

  PinnLoss run(PinnLoss whole) {
    std::vector<PinnTerm> integrals;
    for (PinnTerm& term : whole.terms) {
      if (term.groups) {
        for (Expr& r : term.term.residuals) r = pieces_->everywhere(r);
        integrals.push_back(std::move(term));
      } else {
        split(term);
      }
    }
    for (const Condition& c : problem_->condition) {
      if (c.kind == Condition::Kind::interface) add_interface(c);
    }
    for (PinnTerm& term : integrals) loss_.terms.push_back(std::move(term));
    loss_.remarks = std::move(whole.remarks);
    return std::move(loss_);
  }

 private:
  void split(const PinnTerm& whole) {
    const Points points =
        whole.draw(whole.redrawn ? std::max(whole.n, n_looked_at) : whole.n, SamplerOptions{});
    const std::vector<std::size_t> where = pieces_->below(points);
    const std::size_t parts = std::set<std::size_t>(where.begin(), where.end()).size();
    for (std::size_t p = 0; p < pieces_->size(); ++p) {
      const std::vector<std::size_t> rows = rows_in(where, p);
      if (rows.empty()) continue;
      const double share = static_cast<double>(rows.size()) / static_cast<double>(points.size());
      PinnTerm part = whole;
      part.term.name = fmt::format("{} in piece {}", whole.term.name, p + 1);
      part.term.weight *= share;
      for (Expr& r : part.term.residuals) r = Pieces::of(r, p);
      if (whole.redrawn) {
        part.n = points_of_part(whole.n, share, parts);
        const ChooseRows choose = [pieces = pieces_, p](const Points& all) {
          return rows_in(pieces->below(all), p);
        };
        part.draw = [draw = whole.draw, choose, share](std::size_t n, const SamplerOptions& o) {
          return draw_some(draw, choose, share, n, o);
        };
      } else {
        part.n = rows.size();
        part.observed = values_of_rows(whole.observed, rows);
        part.weights = values_of_rows(whole.weights, rows);
        part.sigma = values_of_rows(whole.sigma, rows);
        const Points own = rows_of(points, rows);
        part.draw = [own](std::size_t, const SamplerOptions&) { return own; };
      }
      loss_.terms.push_back(std::move(part));
    }
  }

  /// Known functions that jump see the side on which they are asked.
  Expr on_side(const Expr& e, const InnerSurface& surface, int side) const {
    const Expr roots[] = {e};
    const std::vector<Expr> nodes = postorder(roots);
    if (std::none_of(nodes.begin(), nodes.end(),
                     [](const Expr& n) { return has_jump(n.kind()); })) {
      return e;
    }
    const double little = method_.precision == Precision::f32 ? 1e-5 : InnerSurface::a_little;
    std::vector<Replacement> list;
    for (const std::string& name : surface.coordinates()) {
      const Expr direction =
          surface.of_time() ? Expr(surface.time_sign()) : Expr(normal_component(name));
      list.push_back(
          {Coordinate(name), Coordinate(name) + side * little * surface.size() * direction});
    }
    // Tables keep their arguments.
    std::vector<Replacement> away, back;
    for (const Expr& call : atoms(roots, Kind::call)) {
      away.push_back({call, Symbol(fmt::format("table {}", away.size()))});
      back.push_back({away.back().to, call});
    }
    return substitute(substitute(substitute(e, away), list), back);
  }

  void add_interface(const Condition& c) {
    const std::string name = name_of(c);
    const auto surface = std::make_shared<const InnerSurface>(*problem_, c.where);
    const auto sides = [pieces = pieces_, surface](const Points& points) {
      const auto plus = pieces->at(surface->beside(points, 1));
      const auto minus = pieces->at(surface->beside(points, -1));
      std::vector<std::pair<std::size_t, std::size_t>> all;
      for (std::size_t i = 0; i < plus.size(); ++i) all.emplace_back(plus[i], minus[i]);
      return all;
    };
    const bool point = domain_of(*problem_).dimension() == 1;
    const Points points = surface->points(point ? 16 : n_looked_at);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> pairs;
    for (const auto& pair : sides(points)) ++pairs[pair];
    const Expr residual = lower_(c.form.residual());
    const double size = method_.scale ? jump_size(residual, *problem_, sizes_) : 1;
    const Expr weight = lower_(c.weight);
    for (const auto& found : pairs) {
      const std::pair<std::size_t, std::size_t> pair = found.first;
      const std::size_t plus = pair.first, minus = pair.second, count = found.second;
      if (plus == minus) {
        throw Error(ErrorKind::unsupported, fmt::format("no cut lies on '{}'", c.where),
                    fmt::format("condition '{}'", name),
                    fmt::format("add it: decompose = [\"{}\"]", c.where));
      }
      const double share = static_cast<double>(count) / static_cast<double>(points.size());
      PinnTerm term;
      term.term.name = pairs.size() == 1
                           ? name
                           : fmt::format("{} between pieces {} and {}", name, minus + 1, plus + 1);
      term.n = points_of_part(point ? 4 : method_.points.boundary, share, pairs.size());
      term.size = size;
      term.parts = {{name, size}};
      term.term.weight = share * method_.condition_weight;
      if (weight.is_constant()) {
        term.term.weight *= weight.value();
      } else {
        term.point_weight = weight;
      }
      term.term.residuals = {with_jumps(residual,
                                        [&](const Expr& f) {
                                          return Pieces::of(on_side(f, *surface, 1), plus) -
                                                 Pieces::of(on_side(f, *surface, -1), minus);
                                        }) /
                             size};
      term.term.data = data_of(term.term.residuals);
      const ChooseRows choose = [sides, pair](const Points& all) {
        std::vector<std::size_t> rows;
        const auto where = sides(all);
        for (std::size_t i = 0; i < where.size(); ++i) {
          if (where[i] == pair) rows.push_back(i);
        }
        return rows;
      };
      const DrawPoints draw = [surface](std::size_t n, const SamplerOptions& options) {
        return surface->points(n, options);
      };
      term.draw = [draw, choose, share](std::size_t n, const SamplerOptions& options) {
        return draw_some(draw, choose, share, n, options);
      };
      loss_.terms.push_back(std::move(term));
    }
  }

  std::shared_ptr<const Problem> problem_;
  const Pinn& method_;
  const Lowering& lower_;
  const Sizes& sizes_;
  std::shared_ptr<const Pieces> pieces_;
  PinnLoss loss_;
};

}  // namespace

PinnLoss split_loss(PinnLoss loss, const std::shared_ptr<const Problem>& problem,
                    const Pinn& method, const Lowering& lower, const Sizes& sizes,
                    const std::shared_ptr<const Pieces>& pieces) {
  return LossSplitter(problem, method, lower, sizes, pieces).run(std::move(loss));
}

void refuse_interfaces(const Problem& problem) {
  for (const Condition& c : problem.condition) {
    if (c.kind != Condition::Kind::interface) continue;
    throw Error(ErrorKind::unsupported,
                fmt::format("one network is smooth and has no jump across '{}'", c.where),
                fmt::format("condition '{}'", name_of(c)),
                fmt::format("give each side its own: [method] decompose = [\"{}\"]", c.where));
  }
}

}  // namespace cauchy::detail
