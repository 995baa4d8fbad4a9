// The plain assembly: the oracle of the tests.
#include <array>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>

#include "solvers/fem/fem_batch.hpp"

namespace cauchy::detail {

void FemSystem::plain_jacobian(double t, std::span<const double> y, std::span<const double> dy,
                               double a, SparseMatrix& out) {
  const WeakForm& weak = form_->weak.form;
  const auto d = static_cast<std::size_t>(mesh_->mesh.dimension);
  std::vector<SparseMatrix::Entry> entries;
  std::vector<std::vector<WeakDerivative>> derivatives(weak.rows.size());
  for (std::size_t r = 0; r < weak.rows.size(); ++r) {
    for (const std::string& f : weak.fields) {
      derivatives[r].push_back(gateaux(weak, weak.rows[r], f));
    }
  }
  // Function k of a field at a point of a cell: value and slopes.
  const auto function = [&](std::size_t field, std::size_t k, std::size_t q, const CellShape& s,
                            std::array<double, 4>& v) {
    const Reference& ref = reference(field);
    v[0] = ref.phi[q * ref.n + k];
    for (std::size_t i = 0; i < d; ++i) {
      v[1 + i] = 0;
      for (std::size_t l = 0; l <= d; ++l) {
        v[1 + i] += ref.slope[(q * ref.n + k) * ref.corners + l] * s.grad[l][i];
      }
    }
  };
  std::array<double, 4> v{}, w{};
  for (std::size_t c = 0; c < mesh_->mesh.n_cells(); ++c) {
    const CellShape shape = cell_shape(mesh_->mesh, c);
    const std::uint32_t* const dofs = &cell_dofs_[c * n_local_];
    for (std::size_t q = 0; q < rule_.size(); ++q) {
      Values at;
      if (weak.time) at.set(*weak.time, t);
      for (std::size_t k = 0; k < d; ++k) {
        double x = 0;
        for (std::size_t l = 0; l <= d; ++l) {
          x += rule_.point(q)[l] * mesh_->mesh.node(mesh_->mesh.cell(c)[l])[k];
        }
        at.set(weak.space[k], x);
      }
      for (std::size_t f = 0; f < weak.fields.size(); ++f) {
        std::array<double, 4> sum{};
        double rate = 0;
        for (std::size_t k = 0; k < reference(f).n; ++k) {
          function(f, k, q, shape, v);
          const std::size_t i = dofs[local_offset_[f] + k];
          for (std::size_t m = 0; m < 4; ++m) sum[m] += y[i] * v[m];
          rate += dy.empty() ? 0 : dy[i] * v[0];
        }
        const Field u(weak.fields[f]);
        at.set(u, sum[0]);
        for (std::size_t k = 0; k < d; ++k) at.set(cauchy::d(u, weak.space[k]), sum[1 + k]);
        if (weak.time) at.set(cauchy::d(u, *weak.time), rate);
      }
      for (std::size_t r = 0; r < weak.rows.size(); ++r) {
        for (std::size_t f = 0; f < weak.fields.size(); ++f) {
          const WeakDerivative& g = derivatives[r][f];
          if (g.is_zero()) continue;
          for (std::size_t k = 0; k < reference(r).n; ++k) {
            function(r, k, q, shape, v);
            for (std::size_t b = 0; b < reference(f).n; ++b) {
              function(f, b, q, shape, w);
              double sum = (evaluate(g.source_u, at) + a * evaluate(g.rate, at)) * w[0] * v[0];
              for (std::size_t i = 0; i < d; ++i) {
                sum += evaluate(g.source_du[i], at) * w[1 + i] * v[0];
                sum += evaluate(g.flux_u[i], at) * w[0] * v[1 + i];
                for (std::size_t j = 0; j < d; ++j) {
                  sum += evaluate(g.flux_du[i][j], at) * w[1 + j] * v[1 + i];
                }
              }
              entries.push_back({dofs[local_offset_[r] + k], dofs[local_offset_[f] + b],
                                 rule_.weights[q] * shape.measure * sum});
            }
          }
        }
      }
    }
  }
  out = SparseMatrix(n_, n_, entries);
}

}  // namespace cauchy::detail
