#include "solvers/fem/fem_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"
#include "solvers/fem/fem_batch.hpp"

namespace cauchy::detail {

namespace {

constexpr std::string_view fem_place = "[solvers.fem]";

int rule_degree(int order, int dimension) {
  if (dimension == 1) return 2 * order + 3;
  if (dimension == 2) return order == 1 ? 4 : 5;
  return order == 1 ? 3 : 5;
}

}  // namespace

FemSystem::~FemSystem() = default;

FemSystem::FemSystem(std::shared_ptr<const Problem> problem, std::shared_ptr<const FemForm> form,
                     std::shared_ptr<const FemMesh> mesh, const FemSystemOptions& options)
    : problem_(std::move(problem)),
      form_(std::move(form)),
      mesh_(std::move(mesh)),
      options_(options),
      threads_(std::max(1, options.threads)) {
  const int d = mesh_->mesh.dimension;
  rule_ = simplex_rule(d, rule_degree(options_.order, d));
  facet_rule_ = simplex_rule(d - 1, 2 * options_.order + 1);
  std::array<std::shared_ptr<const FemSpace>, 3> of_order;
  for (const int order : {1, 2}) {
    auto r = std::make_unique<Reference>();
    r->basis = {d, order};
    r->n = r->basis.size();
    r->corners = r->basis.corners();
    r->curvature.resize(r->n * r->corners * r->corners);
    r->basis.curvatures(r->curvature.data());
    r->phi.resize(rule_.size() * r->n);
    r->slope.resize(rule_.size() * r->n * r->corners);
    for (std::size_t q = 0; q < rule_.size(); ++q) {
      r->basis.values(rule_.point(q), &r->phi[q * r->n]);
      r->basis.slopes(rule_.point(q), &r->slope[q * r->n * r->corners]);
    }
    references_.push_back(std::move(r));
  }
  for (std::size_t f = 0; f < form_->fields.size(); ++f) {
    const int order = options_.order - form_->lower[f];
    if (order < 1) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("elements of order 1 for all fields violate the inf-sup condition: "
                              "'{}' would oscillate",
                              form_->fields[f]),
                  fem_place, "use order = 2: Taylor-Hood elements");
    }
    auto& space = of_order[static_cast<std::size_t>(order)];
    if (!space) space = std::make_shared<FemSpace>(mesh_, order, form_->periodic);
    spaces_.push_back(space);
    offset_.push_back(n_);
    local_offset_.push_back(n_local_);
    n_ += space->n_dofs();
    n_local_ += space->basis().size();
  }
  const std::size_t n_cells = mesh_->mesh.n_cells();
  cell_dofs_.resize(n_cells * n_local_);
  std::array<std::uint32_t, LagrangeBasis::most> places{};
  for (std::size_t c = 0; c < n_cells; ++c) {
    for (std::size_t f = 0; f < spaces_.size(); ++f) {
      spaces_[f]->places(c, places.data());
      for (std::size_t a = 0; a < spaces_[f]->basis().size(); ++a) {
        cell_dofs_[c * n_local_ + local_offset_[f] + a] =
            static_cast<std::uint32_t>(offset_[f] + spaces_[f]->dof(places[a]));
      }
    }
  }
  make_blocks();
  find_constants();
  make_streamline();
  make_conditions();
  make_pattern();
}

const FemSystem::Reference& FemSystem::reference(std::size_t field) const {
  return *references_[static_cast<std::size_t>(spaces_[field]->basis().order) - 1];
}

void FemSystem::make_blocks() {
  const WeakForm& weak = form_->weak.form;
  const std::size_t n = weak.rows.size(), d = weak.space.size();
  std::vector<Expr> sources, slopes;
  source_output_.assign(n * (1 + d), -1);
  const auto output = [&](const Expr& e, std::vector<Expr>& list) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (same(list[k], e)) return static_cast<int>(k);
    }
    list.push_back(e);
    return static_cast<int>(list.size()) - 1;
  };
  const auto coefficient = [&](const Expr& e) {
    if (e.is_constant()) return Coefficient{e.value(), -1};
    return Coefficient{0, output(e, slopes)};
  };
  coupled_.assign(n, std::vector<char>(n, 0));
  differential_.assign(n_, 0);
  constant_mass_ = true;
  for (std::size_t r = 0; r < n; ++r) {
    const WeakRow& row = weak.rows[r];
    coupled_[r][r] = 1;
    if (!row.source.is_constant(0)) source_output_[r * (1 + d)] = output(row.source, sources);
    for (std::size_t i = 0; i < d; ++i) {
      if (row.flux[i].is_constant(0)) continue;
      source_output_[r * (1 + d) + 1 + i] = output(row.flux[i], sources);
    }
    for (std::size_t f = 0; f < n; ++f) {
      const WeakDerivative g = gateaux(weak, row, weak.fields[f]);
      if (g.is_zero()) continue;
      coupled_[r][f] = 1;
      Block b;
      b.row = r;
      b.field = f;
      b.u = coefficient(g.source_u);
      b.rate = coefficient(g.rate);
      b.constant = b.u.output < 0 && b.rate.output < 0;
      for (std::size_t i = 0; i < d; ++i) {
        b.du.push_back(coefficient(g.source_du[i]));
        b.fu.push_back(coefficient(g.flux_u[i]));
        b.constant = b.constant && b.du[i].output < 0 && b.fu[i].output < 0;
        for (std::size_t j = 0; j < d; ++j) {
          b.fdu.push_back(coefficient(g.flux_du[i][j]));
          b.constant = b.constant && b.fdu.back().output < 0;
        }
      }
      if (!g.rate.is_constant(0)) {
        constant_mass_ = constant_mass_ && g.rate.is_constant();
        const std::size_t last = offset_[r] + spaces_[r]->n_dofs();
        std::fill(differential_.begin() + static_cast<std::ptrdiff_t>(offset_[r]),
                  differential_.begin() + static_cast<std::ptrdiff_t>(last), char{1});
      }
      blocks_.push_back(std::move(b));
    }
  }
  if (!sources.empty()) source_program_ = std::make_unique<FemProgram>(*problem_, sources);
  if (!slopes.empty()) slope_program_ = std::make_unique<FemProgram>(*problem_, slopes);
}

void FemSystem::residual(double t, std::span<const double> y, std::span<const double> dy,
                         std::span<double> out) {
  raw_residual(t, y, dy, out);
  std::vector<double> given(y.begin(), y.end());
  set_fixed(t, given);
  for (std::size_t i = 0; i < n_; ++i) {
    if (fixed_[i]) out[i] = y[i] - given[i];
  }
}

void FemSystem::jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                         SparseMatrix& out) {
  raw_jacobian(t, y, dy, a, out);
  const auto begin = out.begin(), columns = out.columns();
  for (std::size_t i = 0; i < n_; ++i) {
    if (!fixed_[i]) continue;
    for (auto k = static_cast<std::size_t>(begin[i]); k < static_cast<std::size_t>(begin[i + 1]);
         ++k) {
      out.values()[k] = static_cast<std::size_t>(columns[k]) == i ? 1 : 0;
    }
  }
}

std::vector<int> FemSystem::field_of() const {
  std::vector<int> field(n_);
  for (std::size_t f = 0; f < spaces_.size(); ++f) {
    std::fill_n(field.begin() + static_cast<std::ptrdiff_t>(offset_[f]), spaces_[f]->n_dofs(),
                static_cast<int>(f));
  }
  return field;
}

}  // namespace cauchy::detail
