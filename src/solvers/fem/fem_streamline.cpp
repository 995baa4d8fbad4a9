// Streamline diffusion: elements for flows that outweigh the diffusion on a cell.
#include <algorithm>
#include <array>
#include <cmath>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>

#include "solvers/fem/fem_batch.hpp"

namespace cauchy::detail {

void FemSystem::make_streamline() {
  const WeakForm& weak = form_->weak.form;
  if (weak.rows.size() != 1) return;
  const WeakRow& row = weak.rows[0];
  const WeakDerivative g = gateaux(weak, row, row.field);
  const std::size_t d = weak.space.size();
  std::vector<Expr> outputs;
  Expr trace = 0, strong = row.source;
  bool flow = false;
  for (std::size_t i = 0; i < d; ++i) {
    outputs.push_back(plain(g.source_du[i] - g.flux_u[i]));
    flow = flow || !outputs.back().is_constant(0);
    trace = trace + g.flux_du[i][i];
    strong = strong - plain(cauchy::d(row.flux[i], weak.space[i]));
  }
  if (!flow) return;
  outputs.push_back(plain(trace / static_cast<double>(d)));
  strong = plain(strong);
  outputs.push_back(strong);
  streamline_.by = field_atoms(std::array{strong});
  for (const Expr& atom : streamline_.by) outputs.push_back(partial(strong, atom));
  streamline_.program = std::make_unique<FemProgram>(*problem_, std::move(outputs));
}

bool FemSystem::stabilize(bool on) {
  streamline_.on = on && streamline_.program != nullptr;
  return streamline_.program != nullptr;
}

double FemSystem::tau_flow(const Scratch& s, std::size_t cell, std::size_t point,
                           double* flow) const {
  const auto d = static_cast<std::size_t>(mesh_->mesh.dimension);
  double speed = 0, across = 0;
  for (std::size_t i = 0; i < d; ++i) {
    flow[i] = s.batch.out[i][point];
    speed += flow[i] * flow[i];
  }
  speed = std::sqrt(speed);
  for (std::size_t k = 0; k <= d; ++k) {
    double along = 0;
    for (std::size_t i = 0; i < d; ++i) along += flow[i] * s.shapes[cell].grad[k][i];
    across += std::abs(along);
  }
  if (!(speed > 0) || !(across > 0)) {
    std::fill_n(flow, d, 0.0);
    return 0;
  }
  const double h = 2 * speed / across / options_.order;
  const double peclet = speed * h / (2 * std::abs(s.batch.out[d][point]));
  // coth(Pe) - 1/Pe, which is Pe/3 near 0.
  const double share = peclet < 1e-3 ? peclet / 3 : 1 / std::tanh(peclet) - 1 / peclet;
  const double tau = h / (2 * speed) * (std::isfinite(peclet) ? share : 1);
  for (std::size_t i = 0; i < d; ++i) flow[i] *= tau;
  return peclet;
}

void FemSystem::add_streamline(Scratch& s, std::size_t first, std::size_t count, double t,
                               std::span<const double> y, std::span<const double> dy, double a,
                               double* vectors, double* matrices) const {
  const auto d = static_cast<std::size_t>(mesh_->mesh.dimension);
  const Reference& ref = reference(0);
  const std::size_t nq = rule_.size(), n = ref.n;
  fill_batch(s, *streamline_.program, first, count, y, dy);
  streamline_.program->run(s.batch, t, s.workspace);
  std::vector<FemAtom> kinds;
  for (const Expr& atom : streamline_.by) kinds.push_back(kind_of(atom, *form_));
  std::array<double, 3> flow{};
  std::array<double, LagrangeBasis::most> test{}, trial{};
  std::array<double, LagrangeBasis::most * 3> gradient{};
  for (std::size_t c = 0; c < count; ++c) {
    const CellShape& shape = s.shapes[c];
    for (std::size_t q = 0; q < nq; ++q) {
      const std::size_t p = c * nq + q;
      const double w = rule_.weights[q] * shape.measure;
      tau_flow(s, c, p, flow.data());
      for (std::size_t k = 0; k < n; ++k) {
        test[k] = 0;
        for (std::size_t i = 0; i < d; ++i) {
          double sum = 0;
          for (std::size_t l = 0; l <= d; ++l) {
            sum += ref.slope[(q * n + k) * ref.corners + l] * shape.grad[l][i];
          }
          gradient[k * d + i] = sum;
          test[k] += flow[i] * sum;
        }
      }
      if (vectors != nullptr) {
        const double r = w * s.batch.out[d + 1][p];
        for (std::size_t k = 0; k < n; ++k) vectors[c * n + k] += r * test[k];
        continue;
      }
      for (std::size_t b = 0; b < n; ++b) {
        trial[b] = 0;
        for (std::size_t m = 0; m < kinds.size(); ++m) {
          const FemAtom& kind = kinds[m];
          const double slope = s.batch.out[d + 2 + m][p];
          if (kind.rate) {
            trial[b] += a * slope * ref.phi[q * n + b];
          } else if (kind.slope < 0) {
            trial[b] += slope * ref.phi[q * n + b];
          } else if (kind.second < 0) {
            trial[b] += slope * gradient[b * d + static_cast<std::size_t>(kind.slope)];
          } else {
            trial[b] += slope * ref.second(b, shape, kind.slope, kind.second);
          }
        }
      }
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t b = 0; b < n; ++b) {
          matrices[(c * n + k) * n + b] += w * test[k] * trial[b];
        }
      }
    }
  }
}

double FemSystem::peclet_number(double t, std::span<const double> y) {
  if (!streamline_.program) return 0;
  double most = 0;
  Scratch s;
  std::array<double, 3> flow{};
  const std::size_t n_cells = mesh_->mesh.n_cells();
  for (std::size_t first = 0; first < n_cells; first += per_batch_) {
    const std::size_t count = std::min(per_batch_, n_cells - first);
    s.shapes.resize(count);
    for (std::size_t c = 0; c < count; ++c) s.shapes[c] = cell_shape(mesh_->mesh, first + c);
    fill_batch(s, *streamline_.program, first, count, y, {});
    streamline_.program->run(s.batch, t, s.workspace);
    for (std::size_t p = 0; p < count * rule_.size(); ++p) {
      most = std::max(most, tau_flow(s, p / rule_.size(), p, flow.data()));
    }
  }
  return most;
}

}  // namespace cauchy::detail
