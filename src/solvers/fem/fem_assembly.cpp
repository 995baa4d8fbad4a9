// Cells in batches: local vectors and matrices, added up in their order.
#include <algorithm>
#include <array>

#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>

#include "solvers/fem/fem_batch.hpp"

namespace cauchy::detail {

/// Computes batches of cells on all threads and adds them up in their order.
template <class Compute, class Add>
void FemSystem::over_cells(std::size_t numbers, double work, const Compute& compute,
                           const Add& add) {
  const std::size_t n_cells = mesh_->mesh.n_cells();
  const std::size_t n_batches = chunk_count(n_cells, per_batch_);
  const auto wave = static_cast<std::size_t>(threads_.size()) * 8;
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads_.size()));
  std::vector<std::vector<double>> local(wave, std::vector<double>(per_batch_ * numbers));
  count_work(WorkKind::pieces, work * static_cast<double>(n_cells * numbers));
  for (std::size_t first = 0; first < n_batches; first += wave) {
    ask_limit("the elements");
    const std::size_t count = std::min(wave, n_batches - first);
    threads_.run(count, [&](std::size_t k, int worker) {
      const std::size_t begin = (first + k) * per_batch_;
      const std::size_t cells = std::min(per_batch_, n_cells - begin);
      compute(scratch[static_cast<std::size_t>(worker)], begin, cells, local[k].data());
    });
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t begin = (first + k) * per_batch_;
      add(begin, std::min(per_batch_, n_cells - begin), local[k].data());
    }
  }
}

void FemSystem::fill_batch(Scratch& s, const FemProgram& program, std::size_t first,
                           std::size_t count, std::span<const double> y,
                           std::span<const double> dy) const {
  const Mesh& mesh = mesh_->mesh;
  const auto d = static_cast<std::size_t>(mesh.dimension);
  const std::size_t nq = rule_.size(), n = count * nq;
  FemBatch& batch = s.batch;
  batch.n = n;
  batch.coordinates.resize(d);
  for (auto& row : batch.coordinates) row.resize(n);
  for (std::size_t c = 0; c < count; ++c) {
    const auto corner = mesh.cell(first + c);
    for (std::size_t q = 0; q < nq; ++q) {
      const double* const lambda = rule_.point(q);
      for (std::size_t k = 0; k < d; ++k) {
        double x = 0;
        for (std::size_t a = 0; a <= d; ++a) x += lambda[a] * mesh.node(corner[a])[k];
        batch.coordinates[k][c * nq + q] = x;
      }
    }
  }
  batch.atoms.resize(program.atoms().size());
  for (std::size_t k = 0; k < program.atoms().size(); ++k) {
    const FemAtom kind = kind_of(program.atoms()[k], *form_);
    const Reference& ref = reference(kind.field);
    std::vector<double>& row = batch.atoms[k];
    row.assign(n, 0.0);
    const std::span<const double> values = kind.rate ? dy : y;
    if (values.empty()) continue;
    for (std::size_t c = 0; c < count; ++c) {
      const std::uint32_t* const dofs =
          &cell_dofs_[(first + c) * n_local_ + local_offset_[kind.field]];
      std::array<double, LagrangeBasis::most> own{};
      for (std::size_t a = 0; a < ref.n; ++a) own[a] = values[dofs[a]];
      for (std::size_t q = 0; q < nq; ++q) {
        double sum = 0;
        if (kind.slope < 0) {
          for (std::size_t a = 0; a < ref.n; ++a) sum += ref.phi[q * ref.n + a] * own[a];
        } else if (kind.second >= 0) {
          for (std::size_t a = 0; a < ref.n; ++a) {
            sum += own[a] * ref.second(a, s.shapes[c], kind.slope, kind.second);
          }
        } else {
          for (std::size_t l = 0; l <= d; ++l) {
            double part = 0;
            for (std::size_t a = 0; a < ref.n; ++a) {
              part += ref.slope[(q * ref.n + a) * ref.corners + l] * own[a];
            }
            sum += part * s.shapes[c].grad[l][static_cast<std::size_t>(kind.slope)];
          }
        }
        row[c * nq + q] = sum;
      }
    }
  }
}

void FemSystem::local_vectors(Scratch& s, std::size_t first, std::size_t count, double t,
                              std::span<const double> y, std::span<const double> dy,
                              double* local) const {
  const auto d = static_cast<std::size_t>(mesh_->mesh.dimension);
  const std::size_t nq = rule_.size();
  s.shapes.resize(count);
  for (std::size_t c = 0; c < count; ++c) s.shapes[c] = cell_shape(mesh_->mesh, first + c);
  std::fill_n(local, count * n_local_, 0.0);
  if (streamline_.on) add_streamline(s, first, count, t, y, dy, 0, local, nullptr);
  if (!source_program_) return;
  fill_batch(s, *source_program_, first, count, y, dy);
  source_program_->run(s.batch, t, s.workspace);
  for (std::size_t r = 0; r < spaces_.size(); ++r) {
    const Reference& ref = reference(r);
    const int* const output = &source_output_[r * (1 + d)];
    for (std::size_t c = 0; c < count; ++c) {
      const CellShape& shape = s.shapes[c];
      double* const out = local + c * n_local_ + local_offset_[r];
      for (std::size_t q = 0; q < nq; ++q) {
        const double w = rule_.weights[q] * shape.measure;
        const std::size_t p = c * nq + q;
        if (output[0] >= 0) {
          const double f = w * s.batch.out[static_cast<std::size_t>(output[0])][p];
          for (std::size_t a = 0; a < ref.n; ++a) out[a] += f * ref.phi[q * ref.n + a];
        }
        for (std::size_t l = 0; l <= d; ++l) {
          double along = 0;  // flux . grad lambda_l
          for (std::size_t i = 0; i < d; ++i) {
            if (output[1 + i] >= 0) {
              along += s.batch.out[static_cast<std::size_t>(output[1 + i])][p] * shape.grad[l][i];
            }
          }
          along *= w;
          for (std::size_t a = 0; a < ref.n; ++a) {
            out[a] += along * ref.slope[(q * ref.n + a) * ref.corners + l];
          }
        }
      }
    }
  }
}

void FemSystem::local_matrices(Scratch& s, std::size_t first, std::size_t count, double t,
                               std::span<const double> y, std::span<const double> dy, double a,
                               double* local) const {
  const auto d = static_cast<std::size_t>(mesh_->mesh.dimension);
  const std::size_t nq = rule_.size(), nl = n_local_;
  s.shapes.resize(count);
  for (std::size_t c = 0; c < count; ++c) s.shapes[c] = cell_shape(mesh_->mesh, first + c);
  std::fill_n(local, count * nl * nl, 0.0);
  if (streamline_.on) add_streamline(s, first, count, t, y, dy, a, nullptr, local);
  if (slope_program_) {
    fill_batch(s, *slope_program_, first, count, y, dy);
    slope_program_->run(s.batch, t, s.workspace);
  }
  std::array<double, LagrangeBasis::most * 3> test{}, trial{};
  std::array<double, 16> c{};  // u, du, fu, fdu at a point
  for (const Block& block : blocks_) {
    const Reference& of = reference(block.row);
    const Reference& by = reference(block.field);
    const auto value = [&](const Coefficient& k, std::size_t p) {
      return k.output < 0 ? k.constant : s.batch.out[static_cast<std::size_t>(k.output)][p];
    };
    const auto read = [&](std::size_t p) {
      c[0] = value(block.u, p) + a * value(block.rate, p);
      for (std::size_t i = 0; i < d; ++i) {
        c[1 + i] = value(block.du[i], p);
        c[1 + d + i] = value(block.fu[i], p);
        for (std::size_t j = 0; j < d; ++j)
          c[1 + 2 * d + i * d + j] = value(block.fdu[i * d + j], p);
      }
    };
    const double* const du = &c[1];
    const double* const fu = &c[1 + d];
    const double* const fdu = &c[1 + 2 * d];
    if (block.constant) read(0);
    for (std::size_t cell = 0; cell < count; ++cell) {
      const CellShape& shape = s.shapes[cell];
      double* const out =
          local + cell * nl * nl + local_offset_[block.row] * nl + local_offset_[block.field];
      for (std::size_t q = 0; q < nq; ++q) {
        if (!block.constant) read(cell * nq + q);
        const double w = rule_.weights[q] * shape.measure;
        const auto gradients = [&](const Reference& ref, double* g) {
          for (std::size_t k = 0; k < ref.n; ++k) {
            for (std::size_t i = 0; i < d; ++i) {
              double sum = 0;
              for (std::size_t l = 0; l <= d; ++l) {
                sum += ref.slope[(q * ref.n + k) * ref.corners + l] * shape.grad[l][i];
              }
              g[k * d + i] = sum;
            }
          }
        };
        gradients(of, test.data());
        gradients(by, trial.data());
        for (std::size_t b = 0; b < by.n; ++b) {
          const double phi = by.phi[q * by.n + b];
          double t0 = c[0] * phi;
          std::array<double, 3> ti{};
          for (std::size_t j = 0; j < d; ++j) t0 += du[j] * trial[b * d + j];
          for (std::size_t i = 0; i < d; ++i) {
            ti[i] = fu[i] * phi;
            for (std::size_t j = 0; j < d; ++j) ti[i] += fdu[i * d + j] * trial[b * d + j];
          }
          for (std::size_t k = 0; k < of.n; ++k) {
            double sum = t0 * of.phi[q * of.n + k];
            for (std::size_t i = 0; i < d; ++i) sum += ti[i] * test[k * d + i];
            out[k * nl + b] += w * sum;
          }
        }
      }
    }
  }
}

void FemSystem::raw_residual(double t, std::span<const double> y, std::span<const double> dy,
                             std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  // The fields at the points of a cell take longer than its few numbers.
  const double work = constant_.vector && !streamline_.on ? 1 : 2;
  over_cells(
      n_local_, work,
      [&](Scratch& s, std::size_t first, std::size_t count, double* local) {
        if (constant_.vector && !streamline_.on) {
          add_constant_vectors(first, count, y, dy, local);
        } else {
          local_vectors(s, first, count, t, y, dy, local);
        }
      },
      [&](std::size_t first, std::size_t count, const double* local) {
        for (std::size_t k = 0; k < count * n_local_; ++k) {
          out[cell_dofs_[first * n_local_ + k]] += local[k];
        }
      });
  add_boundary(t, y, out, nullptr);
}

void FemSystem::raw_jacobian(double t, std::span<const double> y, std::span<const double> dy,
                             double a, SparseMatrix& out) {
  if (out.nonzeros() != pattern_.nonzeros() || out.rows() != n_) out = pattern_;
  const std::span<double> values = out.values();
  std::fill(values.begin(), values.end(), 0.0);
  const std::span<const SparseMatrix::Index> begin = out.begin();
  const std::size_t per_cell = n_local_ * n_local_;
  over_cells(
      per_cell, 1,
      [&](Scratch& s, std::size_t first, std::size_t count, double* local) {
        if (constant_.matrix && !streamline_.on) {
          add_constant_matrices(first, count, a, local);
        } else {
          local_matrices(s, first, count, t, y, dy, a, local);
        }
      },
      [&](std::size_t first, std::size_t count, const double* local) {
        const std::uint16_t* at = &position_[first * per_cell];
        const std::uint32_t* const dofs = &cell_dofs_[first * n_local_];
        for (std::size_t k = 0; k < count * n_local_; ++k) {
          double* const row = &values[static_cast<std::size_t>(begin[dofs[k]])];
          for (std::size_t b = 0; b < n_local_; ++b, ++at, ++local) {
            if (*at != not_coupled) row[*at] += *local;
          }
        }
      });
  add_boundary(t, y, {}, &out);
}

}  // namespace cauchy::detail
