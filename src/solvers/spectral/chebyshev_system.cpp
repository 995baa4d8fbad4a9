#include "solvers/spectral/chebyshev_system.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/work.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/quadrature.hpp>

#include "solvers/classical/node_program.hpp"

namespace cauchy::detail {

struct ChebyshevSystem::Group {
  const ChebyshevTerm* term;
  std::size_t piece;
  struct Atom {
    std::size_t field;
    std::vector<int> orders;
  };
  std::vector<Atom> atoms;
  std::vector<double> times;
  std::vector<ChebyshevTable> tables;  // by axis
  std::vector<std::size_t> sizes;      // places by axis
  std::size_t n_points = 1;            // of space
  std::vector<double> weights;         // of an integral
  bool filtered = false;               // the last output says where it holds
  std::unique_ptr<NodeProgram> program;

  [[nodiscard]] std::vector<ChebyshevFactor> factors(const Atom& atom) const {
    std::vector<ChebyshevFactor> f;
    for (std::size_t a = 0; a < tables.size(); ++a) f.push_back({&tables[a], atom.orders[a]});
    return f;
  }
};

ChebyshevSystem::ChebyshevSystem(const ChebyshevBox& box, std::span<const ChebyshevTerm> equations,
                                 ChebyshevGrid grid, const ChebyshevAnswer* before, bool last)
    : box_(box),
      grid_(std::move(grid)),
      before_(before),
      rows_(grid_.pieces(), box.fields.size() * grid_.block()) {
  for (const ChebyshevTerm& t : equations) add_groups(t, last);
  for (const ChebyshevTerm& t : box.conditions) add_groups(t, last);
}

ChebyshevSystem::~ChebyshevSystem() = default;

std::size_t ChebyshevSystem::unknowns() const noexcept { return rows_.unknowns(); }

std::pair<double, double> ChebyshevSystem::interval(std::size_t axis, std::size_t piece) const {
  if (axis == 0) return {grid_.from, grid_.to};
  if (axis == 1) return {grid_.breaks[piece], grid_.breaks[piece + 1]};
  return {box_.lower[axis - 1], box_.upper[axis - 1]};
}

std::vector<double> ChebyshevSystem::points(std::size_t axis, std::size_t piece) const {
  const auto [a, b] = interval(axis, piece);
  return chebyshev_gauss_points(a, b, grid_.n[axis]);
}

void ChebyshevSystem::add_groups(const ChebyshevTerm& term, bool last) {
  const std::size_t d = box_.dimension();
  const std::vector<Expr> atoms = field_atoms(std::vector<Expr>{term.residual});
  std::vector<Expr> outputs = {term.residual};
  for (const Expr& a : atoms) outputs.push_back(partial(term.residual, a));
  for (const ChebyshevPlace& place : term.places) {
    if (place.time && !(*place.time >= grid_.from &&
                        (*place.time < grid_.to || (last && *place.time <= grid_.to)))) {
      continue;
    }
    for (std::size_t e = 0; e < grid_.pieces(); ++e) {
      if (const auto x = place.space[0]; x) {
        const bool end = e + 1 == grid_.pieces();
        if (*x < grid_.breaks[e] || (end ? *x > grid_.breaks[e + 1] : *x >= grid_.breaks[e + 1])) {
          continue;
        }
      }
      auto g = std::make_unique<Group>();
      g->term = &term;
      g->piece = e;
      std::vector<std::vector<double>> at(d + 1), w(d + 1);
      for (std::size_t a = 0; a <= d; ++a) {
        const auto [from, to] = interval(a, e);
        const std::optional<double> fixed = a == 0 ? place.time : place.space[a - 1];
        if (fixed) {
          at[a] = {*fixed};
          w[a] = {1};
        } else if (a > 0 && term.integral) {
          const Rule rule = scaled(gauss_legendre(grid_.n[a]), from, to);
          at[a] = rule.nodes;
          w[a] = rule.weights;
        } else {
          at[a] = points(a, e);
        }
        g->tables.emplace_back(from, to, grid_.n[a], at[a], box_.highest);
        g->sizes.push_back(at[a].size());
      }
      g->times = at[0];
      for (const Expr& atom : atoms) {
        Group::Atom known{0, std::vector<int>(d + 1, 0)};
        known.field = static_cast<std::size_t>(
            std::find(box_.fields.begin(), box_.fields.end(), atom.name()) - box_.fields.begin());
        for (const auto& [name, order] : atom.index()) {
          const auto s = std::find(box_.space.begin(), box_.space.end(), name);
          known.orders[s == box_.space.end()
                           ? 0
                           : static_cast<std::size_t>(s - box_.space.begin()) + 1] = order;
        }
        g->atoms.push_back(std::move(known));
      }
      Points nodes;
      nodes.columns = box_.space;
      for_each_chebyshev_place(std::span(g->sizes).subspan(1), [&](std::span<const std::size_t> i) {
        double weight = 1;
        for (std::size_t a = 0; a < d; ++a) {
          nodes.values.push_back(at[a + 1][i[a]]);
          if (term.integral) weight *= w[a + 1][i[a]];
        }
        if (term.integral) g->weights.push_back(weight);
        nodes.normals.insert(nodes.normals.end(), place.normal.begin(), place.normal.end());
      });
      g->n_points = nodes.size();
      std::vector<Expr> all = outputs;
      g->filtered = !place.where.is_constant();
      if (g->filtered) all.push_back(place.where);
      g->program = std::make_unique<NodeProgram>(*box_.problem, std::move(all), atoms, nodes);
      groups_.push_back(std::move(g));
    }
  }
}

std::vector<std::vector<double>> ChebyshevSystem::run(const Group& g,
                                                      std::span<const double> c) const {
  const std::size_t n = g.times.size() * g.n_points, block = grid_.block();
  std::vector<std::vector<double>> atoms, out(g.program->n_outputs(), std::vector<double>(n));
  for (const Group::Atom& atom : g.atoms) {
    const std::size_t at = g.piece * rows_.width() + atom.field * block;
    atoms.push_back(evaluate_chebyshev(c.subspan(at, block), g.factors(atom)));
  }
  for (std::size_t j = 0; j < g.times.size(); ++j) {
    std::vector<const double*> rows;
    std::vector<double*> results;
    for (const auto& a : atoms) rows.push_back(a.data() + j * g.n_points);
    for (auto& o : out) results.push_back(o.data() + j * g.n_points);
    const std::optional<double> time = box_.time ? std::optional(g.times[j]) : std::nullopt;
    g.program->run(std::span<const double* const>(rows), std::span<double* const>(results), time);
  }
  return out;
}

void ChebyshevSystem::fill(double* row, const Group& g,
                           const std::vector<std::vector<double>>& values, std::size_t time,
                           std::size_t point, double factor) const {
  std::vector<std::size_t> places(g.sizes.size());
  places[0] = time;
  std::size_t rest = point;
  for (std::size_t a = g.sizes.size(); a-- > 1; rest /= g.sizes[a]) places[a] = rest % g.sizes[a];
  std::vector<double> work;
  for (std::size_t k = 0; k < g.atoms.size(); ++k) {
    const double v = values[k + 1][time * g.n_points + point];
    if (v == 0) continue;
    add_chebyshev_product(row + g.atoms[k].field * grid_.block(), factor * v, g.factors(g.atoms[k]),
                          places, work);
  }
}

const ChebyshevRows& ChebyshevSystem::assemble(std::span<const double> c) {
  rows_ = ChebyshevRows(grid_.pieces(), rows_.width());
  units_.clear();
  targets_.clear();
  for (std::size_t k = 0; k < groups_.size();) {
    const Group& first = *groups_[k];
    if (first.term->integral) {  // one row per time over all groups of the term
      std::size_t end = k;
      std::vector<std::vector<std::vector<double>>> values;
      for (; end < groups_.size() && groups_[end]->term == first.term; ++end) {
        values.push_back(run(*groups_[end], c));
      }
      for (std::size_t j = 0; j < first.times.size(); ++j) {
        double* row = rows_.add(0, grid_.pieces(), 0);
        double sum = 0;
        for (std::size_t q = k; q < end; ++q) {
          const Group& g = *groups_[q];
          for (std::size_t i = 0; i < g.n_points; ++i) {
            sum += g.weights[i] * values[q - k][0][j * g.n_points + i];
            fill(row + g.piece * rows_.width(), g, values[q - k], j, i, g.weights[i]);
          }
        }
        rows_.set_rhs(rows_.size() - 1, -sum);
        units_.push_back(rows_.normalize_last());
      }
      k = end;
      continue;
    }
    const std::vector<std::vector<double>> values = run(first, c);
    for (std::size_t j = 0; j < first.times.size(); ++j) {
      for (std::size_t i = 0; i < first.n_points; ++i) {
        const std::size_t at = j * first.n_points + i;
        if (first.filtered && values.back()[at] == 0) {
          units_.push_back(0);
          continue;
        }
        double* row = rows_.add(first.piece, 1, -values[0][at]);
        fill(row, first, values, j, i, 1);
        units_.push_back(rows_.normalize_last());
      }
    }
    ++k;
  }
  add_matching(c);
  add_periods(c);
  add_before(c);
  add_pins(c);
  count_work(WorkKind::pieces, 0.4 * static_cast<double>(rows_.entries()));
  return rows_;
}

double ChebyshevSystem::norm(std::span<const double> c) {
  double sum = 0;
  std::size_t u = 0;
  const auto add = [&](double residual) {
    if (units_[u] != 0) sum += (residual / units_[u]) * (residual / units_[u]);
    ++u;
  };
  for (std::size_t k = 0; k < groups_.size();) {
    const Group& first = *groups_[k];
    if (!first.term->integral) {
      const auto values = run(first, c);
      for (const double r : values[0]) add(r);
      ++k;
      continue;
    }
    std::vector<double> total(first.times.size(), 0);
    for (; k < groups_.size() && groups_[k]->term == first.term; ++k) {
      const Group& g = *groups_[k];
      const auto values = run(g, c);
      for (std::size_t j = 0; j < total.size(); ++j) {
        for (std::size_t i = 0; i < g.n_points; ++i) {
          total[j] += g.weights[i] * values[0][j * g.n_points + i];
        }
      }
    }
    for (const double r : total) add(r);
  }
  const std::size_t linear = rows_.size() - targets_.size();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const double r = rows_.product(linear + i, c) - targets_[i];
    sum += r * r;
  }
  return std::sqrt(sum);
}

}  // namespace cauchy::detail
