#include "solvers/fvm/fvm_operator.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/fvm/fvm_chunks.hpp"

namespace cauchy::detail {
namespace {

void run_range(const NodeProgram& program, const std::vector<const double*>& in,
               const std::vector<double*>& out, double t) {
  program.run(std::span<const double* const>(in), std::span<double* const>(out), t);
}

}  // namespace

FvmOperator::FvmOperator(std::shared_ptr<const Problem> problem, const Lowering& lower,
                         const BalanceLaw& law, const std::optional<GasForm>& gas,
                         const FvmMesh& mesh, const FvmScheme& scheme, int threads)
    : problem_(std::move(problem)),
      law_(&law),
      gas_(gas),
      mesh_(&mesh),
      scheme_(scheme),
      speeds_(wave_speeds(law, gas)),
      initial_(initial_values(*problem_, lower)),
      boundary_(problem_, lower, law, mesh),
      threads_(threads) {
  make_chunks();
}

FvmOperator::~FvmOperator() = default;

void FvmOperator::set_fields(const Rows& q) {
  const std::size_t N = law_->size();
  threads_.run(cells_.size(), [&](std::size_t i, int) {
    const CellChunk& chunk = cells_[i];
    if (!chunk.inverse) {
      for (std::size_t k = 0; k < N; ++k) {
        std::copy_n(q[k].data() + chunk.range.begin, chunk.range.size(),
                    w_[k].data() + chunk.range.begin);
      }
      return;
    }
    std::vector<const double*> in;
    std::vector<double*> out;
    for (std::size_t k = 0; k < N; ++k) {
      in.push_back(q[k].data() + chunk.range.begin);
      out.push_back(w_[k].data() + chunk.range.begin);
    }
    run_range(*chunk.inverse, in, out, 0);
  });
  for (std::size_t k = 0; k < N; ++k) {
    for (std::size_t b = 0; b < mesh_->n_boundary(); ++b) {
      beside_[k][b] = w_[k][mesh_->left[mesh_->n_inner + b]];
    }
  }
}

/// Ghosts as mirror images of the cells in the values at the faces: slopes see these.
void FvmOperator::set_ghosts(double t) {
  boundary_.solve(t, beside_, beside_, face_, ghost_);
  for (std::size_t k = 0; k < law_->size(); ++k) {
    for (std::size_t b = 0; b < mesh_->n_boundary(); ++b) {
      w_[k][mesh_->n_cells + b] = 2 * face_[k][b] - beside_[k][b];
    }
  }
}

void FvmOperator::fields(const Rows& q, Rows& w) {
  set_fields(q);
  w = w_;
  for (auto& row : w) row.resize(mesh_->n_cells);
}

void FvmOperator::boundary_fields(double t, const Rows& q, Rows& face) {
  set_fields(q);
  boundary_.solve(t, beside_, beside_, face, ghost_);
}

void FvmOperator::ghosts(double t, const Rows& q, Rows& ghost) {
  set_fields(q);
  boundary_.solve(t, beside_, beside_, face_, ghost);
}

void FvmOperator::slopes(double t, const Rows& q, Rows& out) {
  set_fields(q);
  set_ghosts(t);
  out.assign(law_->size() * law_->dimension(), std::vector<double>(mesh_->n_cells));
  limited_slopes(*scheme_.limiter, out);
}

void FvmOperator::predict(double t, double dt) {
  const std::size_t N = law_->size();
  threads_.run(cells_.size(), [&](std::size_t i, int) {
    const CellChunk& chunk = cells_[i];
    const std::size_t from = chunk.range.begin, n = chunk.range.size();
    std::vector<const double*> in;
    std::vector<double*> out;
    for (std::size_t k = 0; k < N; ++k) in.push_back(w_[k].data() + from);
    for (const auto& row : slope_) in.push_back(row.data() + from);
    for (std::size_t k = 0; k < N; ++k) out.push_back(half_[k].data() + from);
    run_range(*chunk.predictor, in, out, t);
    for (std::size_t k = 0; k < N; ++k) {
      for (std::size_t c = from; c < from + n; ++c) {
        half_[k][c] = w_[k][c] + 0.5 * dt * half_[k][c];
      }
    }
  });
}

void FvmOperator::set_boundary(double t) {
  const Rows& state = half_.empty() ? w_ : half_;
  const std::size_t D = law_->dimension(), nb = mesh_->n_boundary();
  if (nb == 0) return;
  inside_.assign(law_->size(), std::vector<double>(nb));
  Rows cells = inside_;
  for (std::size_t k = 0; k < law_->size(); ++k) {
    for (std::size_t b = 0; b < nb; ++b) {
      const std::size_t f = mesh_->n_inner + b, c = mesh_->left[f];
      double value = cells[k][b] = state[k][c];
      for (std::size_t d = 0; d < D && reconstructs(); ++d) {
        value += slope_[k * D + d][c] * mesh_->from_left[d][f];
      }
      inside_[k][b] = value;
    }
  }
  boundary_.solve(t, inside_, cells, face_, ghost_);
}

void FvmOperator::rate(double t, double dt, const Rows& q, Rows& out) {
  const FvmMesh& mesh = *mesh_;
  const std::size_t N = law_->size();
  set_fields(q);
  if (reconstructs() || !gradient_.empty()) set_ghosts(t);
  if (reconstructs()) limited_slopes(*scheme_.limiter, slope_);
  if (!gradient_.empty()) limited_slopes(limiter_of(FvmLimiter::none), gradient_);
  if (!half_.empty()) {
    predict(t, dt);
    t += 0.5 * dt;
  }
  set_boundary(t);
  threads_.run(faces_.size(), [&](std::size_t i, int worker) {
    face_fluxes(t, faces_[i], work_[static_cast<std::size_t>(worker)]);
  });
  const Rows& state = half_.empty() ? w_ : half_;
  threads_.run(cells_.size(), [&](std::size_t i, int) {
    const CellChunk& chunk = cells_[i];
    const std::size_t from = chunk.range.begin, n = chunk.range.size();
    if (chunk.source) {
      std::vector<const double*> in;
      std::vector<double*> to;
      std::vector<double> reaction(n);
      for (std::size_t k = 0; k < N; ++k) in.push_back(state[k].data() + from);
      for (std::size_t k = 0; k < N; ++k) to.push_back(out[k].data() + from);
      to.push_back(reaction.data());
      run_range(*chunk.source, in, to, t);
    }
    for (std::size_t k = 0; k < N; ++k) {
      for (std::size_t c = from; c < from + n; ++c) {
        double sum = 0;
        for (std::size_t j = mesh.cell_begin[c]; j < mesh.cell_begin[c + 1]; ++j) {
          const std::size_t f = mesh.cell_face[j];
          sum += mesh.left[f] == c ? flux_[k][f] : -flux_[k][f];
        }
        out[k][c] = (chunk.source ? out[k][c] : 0) - sum / mesh.volume[c];
      }
    }
  });
}

}  // namespace cauchy::detail
