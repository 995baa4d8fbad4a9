// The faces of FvmOperator: slopes, both states, fluxes, and the largest stable step.
#include <algorithm>
#include <cmath>

#include <cauchy/expr/analysis.hpp>

#include "solvers/fvm/fvm_chunks.hpp"

namespace cauchy::detail {

void FvmOperator::limited_slopes(const Limiter& limiter, Rows& out) const {
  threads_.run(cells_.size(), [&](std::size_t i, int) {
    if (mesh_->is_boxes()) {
      slopes_on_boxes(limiter, out, cells_[i].range);
    } else {
      slopes_on_triangles(limiter, out, cells_[i].range);
    }
  });
}

void FvmOperator::slopes_on_boxes(const Limiter& limiter, Rows& out, IndexRange cells) const {
  const std::size_t D = law_->dimension();
  for (std::size_t k = 0; k < law_->size(); ++k) {
    const double* w = w_[k].data();
    for (std::size_t d = 0; d < D; ++d) {
      const FvmMesh::Index *behind = mesh_->neighbour[2 * d].data(),
                           *before = mesh_->neighbour[2 * d + 1].data();
      double* slope = out[k * D + d].data();
      for (std::size_t c = cells.begin; c < cells.end; ++c) {
        slope[c] = limiter.slope(w[c] - w[behind[c]], w[before[c]] - w[c]) / mesh_->spacing[d];
      }
    }
  }
}

void FvmOperator::slopes_on_triangles(const Limiter& limiter, Rows& out, IndexRange cells) const {
  const FvmMesh& mesh = *mesh_;
  for (std::size_t k = 0; k < law_->size(); ++k) {
    const double* w = w_[k].data();
    for (std::size_t c = cells.begin; c < cells.end; ++c) {
      double right[2] = {0, 0}, low = w[c], high = w[c];
      for (std::size_t j = mesh.cell_begin[c]; j < mesh.cell_begin[c + 1]; ++j) {
        const std::size_t f = mesh.cell_face[j];
        const bool is_left = mesh.left[f] == c;
        const double other = w[is_left ? mesh.right[f] : mesh.left[f]];
        low = std::min(low, other);
        high = std::max(high, other);
        for (std::size_t d = 0; d < 2; ++d) {
          const double step = f < mesh.n_inner ? mesh.from_left[d][f] - mesh.from_right[d][f]
                                               : 2 * mesh.distance[f] * mesh.normal[d][f];
          right[d] += (is_left ? step : -step) * (other - w[c]);
        }
      }
      const double* inverse = &least_squares_[3 * c];
      const double g[2] = {inverse[0] * right[0] + inverse[1] * right[1],
                           inverse[1] * right[0] + inverse[2] * right[1]};
      double share = 1;
      for (std::size_t j = mesh.cell_begin[c]; j < mesh.cell_begin[c + 1]; ++j) {
        const std::size_t f = mesh.cell_face[j];
        const auto& from = mesh.left[f] == c ? mesh.from_left : mesh.from_right;
        const double change = g[0] * from[0][f] + g[1] * from[1][f];
        if (change == 0) continue;
        const double room = (change > 0 ? high - w[c] : low - w[c]) / change;
        share = std::min(share, limiter.share(std::min(room, 1e6)));
      }
      out[2 * k][c] = share * g[0];
      out[2 * k + 1][c] = share * g[1];
    }
  }
}

/// Runs the program of the states of one side; least and largest speeds are set.
void FvmOperator::evaluate_side(double t, FaceChunk& chunk, Work& work, std::size_t side) {
  const std::size_t N = law_->size(), n = chunk.range.size();
  std::vector<const double*> in;
  std::vector<double*> out;
  for (const auto& row : work.w[side]) in.push_back(row.data());
  for (auto& row : work.out[side]) out.push_back(row.data());
  chunk.states->run(std::span<const double* const>(in), std::span<double* const>(out), t);
  if (speeds_.matrix.empty()) {
    std::copy_n(out[2 * N], n, work.least[side].data());
    std::copy_n(out[2 * N + 1], n, work.largest[side].data());
    return;
  }
  std::vector<double> matrix(N * N);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < N * N; ++k) matrix[k] = out[2 * N + k][i];
    const double radius = spectral_radius(matrix, N);
    matrix.resize(N * N);
    work.least[side][i] = -radius;
    work.largest[side][i] = radius;
  }
}

/// One equation may be faster between two states than in them (Buckley-Leverett): both sides get
/// the extremes of the speeds at some states in between.
void FvmOperator::widen_speeds(double t, FaceChunk& chunk, Work& work) {
  if (law_->size() != 1 || !depends_on(speeds_.largest, law_->fields[0])) return;
  const std::size_t n = chunk.range.size();
  std::vector<double> u(n), speed(n);
  const double* in[] = {u.data()};
  double* out[] = {speed.data()};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t side = 0; side < 2; ++side) {
      work.least[side][i] = std::min(work.least[0][i], work.least[1][i]);
      work.largest[side][i] = std::max(work.largest[0][i], work.largest[1][i]);
    }
  }
  for (const double share : {0.05, 0.23, 0.5, 0.77, 0.95}) {
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = work.w[0][0][i] + share * (work.w[1][0][i] - work.w[0][0][i]);
    }
    chunk.speed->run(std::span<const double* const>(in), std::span<double* const>(out), t);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t side = 0; side < 2; ++side) {
        work.least[side][i] = std::min(work.least[side][i], speed[i]);
        work.largest[side][i] = std::max(work.largest[side][i], speed[i]);
      }
    }
  }
}

void FvmOperator::face_fluxes(double t, FaceChunk& chunk, Work& work) {
  const FvmMesh& mesh = *mesh_;
  const std::size_t N = law_->size(), D = law_->dimension(), from = chunk.range.begin;
  const std::size_t n = chunk.range.size();
  const Rows& state = half_.empty() ? w_ : half_;
  for (std::size_t k = 0; k < N; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t f = from + i, l = mesh.left[f], r = mesh.right[f];
      if (r >= mesh.n_cells) {
        work.w[0][k][i] = inside_[k][r - mesh.n_cells];
        work.w[1][k][i] = ghost_[k][r - mesh.n_cells];
        continue;
      }
      double a = state[k][l], b = state[k][r];
      for (std::size_t d = 0; d < D && reconstructs(); ++d) {
        a += slope_[k * D + d][l] * mesh.from_left[d][f];
        b += slope_[k * D + d][r] * mesh.from_right[d][f];
      }
      work.w[0][k][i] = a;
      work.w[1][k][i] = b;
    }
  }
  evaluate_side(t, chunk, work, 0);
  evaluate_side(t, chunk, work, 1);
  widen_speeds(t, chunk, work);
  const auto speed = [&](const double* w, double* out) {
    const double* in[] = {w};
    double* to[] = {out};
    chunk.speed->run(std::span<const double* const>(in), std::span<double* const>(to), t);
  };
  FaceStates faces{.n = n, .speed = speed};
  std::vector<const double*> rows[2][3], normal;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t k = 0; k < N; ++k) {
      rows[side][0].push_back(work.w[side][k].data());
      rows[side][1].push_back(work.out[side][k].data());
      rows[side][2].push_back(work.out[side][N + k].data());
    }
    faces.w[side] = rows[side][0].data();
    faces.q[side] = rows[side][1].data();
    faces.f[side] = rows[side][2].data();
    faces.least[side] = work.least[side].data();
    faces.largest[side] = work.largest[side].data();
    if (gas_) {
      faces.velocity[side] = work.out[side][2 * N + 2].data();
      faces.pressure[side] = work.out[side][2 * N + 3].data();
    }
  }
  for (std::size_t d = 0; d < D; ++d) normal.push_back(mesh.normal[d].data() + from);
  faces.normal = normal.data();
  std::vector<double*> out;
  for (auto& row : work.flux) out.push_back(row.data());
  scheme_.flux->evaluate(*law_, gas_ ? &*gas_ : nullptr, faces, out.data());
  if (chunk.diffusion) add_diffusion(t, chunk, work);
  for (std::size_t k = 0; k < N; ++k) {
    for (std::size_t i = 0; i < n; ++i) flux_[k][from + i] = mesh.area[from + i] * work.flux[k][i];
  }
}

/// Diffusive fluxes from the mean of both sides and central slopes: the difference of the cells
/// along the line between them, the mean slope of both cells across it.
void FvmOperator::add_diffusion(double t, FaceChunk& chunk, Work& work) {
  const FvmMesh& mesh = *mesh_;
  const std::size_t N = law_->size(), D = law_->dimension();
  const std::size_t from = chunk.range.begin, n = chunk.range.size();
  for (std::size_t k = 0; k < N; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t f = from + i, l = mesh.left[f], r = mesh.right[f];
      const bool inner = r < mesh.n_cells;
      const double other = inner ? w_[k][r] : face_[k][r - mesh.n_cells];
      work.atoms[k][i] = inner ? 0.5 * (w_[k][l] + other) : other;
      double step[2] = {0, 0}, squared = 0, mean[2] = {0, 0}, along = other - w_[k][l];
      for (std::size_t d = 0; d < D; ++d) {
        step[d] = inner ? mesh.from_left[d][f] - mesh.from_right[d][f]
                        : mesh.distance[f] * mesh.normal[d][f];
        squared += step[d] * step[d];
        if (gradient_.empty()) continue;
        mean[d] = inner ? 0.5 * (gradient_[k * D + d][l] + gradient_[k * D + d][r])
                        : gradient_[k * D + d][l];
        along -= mean[d] * step[d];
      }
      for (std::size_t d = 0; d < D; ++d) {
        work.atoms[N + k * D + d][i] = mean[d] + along * step[d] / squared;
      }
    }
  }
  std::vector<const double*> in;
  std::vector<double*> out;
  for (const auto& row : work.atoms) in.push_back(row.data());
  for (auto& row : work.diffusion) out.push_back(row.data());
  chunk.diffusion->run(std::span<const double* const>(in), std::span<double* const>(out), t);
  for (std::size_t k = 0; k < N; ++k) {
    for (std::size_t i = 0; i < n; ++i) work.flux[k][i] += work.diffusion[k][i];
  }
}

double FvmOperator::largest_step(double t, const Rows& q) {
  const FvmMesh& mesh = *mesh_;
  const std::size_t N = law_->size(), n_cells = mesh.n_cells;
  set_fields(q);
  boundary_.solve(t, beside_, beside_, face_, ghost_);
  threads_.run(faces_.size(), [&](std::size_t i, int worker) {
    FaceChunk& chunk = faces_[i];
    Work& work = work_[static_cast<std::size_t>(worker)];
    const std::size_t from = chunk.range.begin, n = chunk.range.size();
    for (std::size_t k = 0; k < N; ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t r = mesh.right[from + j];
        work.w[0][k][j] = w_[k][mesh.left[from + j]];
        work.w[1][k][j] = r < n_cells ? w_[k][r] : ghost_[k][r - n_cells];
      }
    }
    evaluate_side(t, chunk, work, 0);
    evaluate_side(t, chunk, work, 1);
    widen_speeds(t, chunk, work);
    if (chunk.diffusion) add_diffusion(t, chunk, work);
    for (std::size_t j = 0; j < n; ++j) {
      double speed = 0;
      for (std::size_t side = 0; side < 2; ++side) {
        for (const double s : {work.least[side][j], work.largest[side][j]}) {
          speed = std::abs(s) <= speed ? speed : std::abs(s);  // a NaN stays
          if (std::isnan(s)) speed = s;
        }
        if (std::isnan(speed)) break;
      }
      if (chunk.diffusion) speed += 2 * work.diffusion[N][j] / mesh.distance[from + j];
      speed_[from + j] = mesh.area[from + j] * speed;
    }
  });
  std::vector<double> largest(cells_.size(), 0.0);
  threads_.run(cells_.size(), [&](std::size_t i, int) {
    const CellChunk& chunk = cells_[i];
    const std::size_t from = chunk.range.begin, n = chunk.range.size();
    std::vector<double> reaction(n, 0.0);
    if (chunk.source) {
      Rows scratch(N, std::vector<double>(n));
      std::vector<const double*> in;
      std::vector<double*> out;
      for (std::size_t k = 0; k < N; ++k) {
        in.push_back(w_[k].data() + from);
        out.push_back(scratch[k].data());
      }
      out.push_back(reaction.data());
      chunk.source->run(std::span<const double* const>(in), std::span<double* const>(out), t);
    }
    for (std::size_t c = from; c < from + n; ++c) {
      double sum = 0;
      for (std::size_t j = mesh.cell_begin[c]; j < mesh.cell_begin[c + 1]; ++j) {
        sum += speed_[mesh.cell_face[j]];
      }
      const double rate = 0.5 * (sum / mesh.volume[c] + reaction[c - from]);
      if (std::isnan(rate) || std::isnan(largest[i])) {
        largest[i] = std::nan("");
      } else {
        largest[i] = std::max(largest[i], rate);
      }
    }
  });
  double rate = 0;
  for (const double x : largest)
    rate = std::isnan(x) || std::isnan(rate) ? std::nan("") : std::max(rate, x);
  return rate == 0 ? INFINITY : 1 / rate;
}

}  // namespace cauchy::detail
