// What FvmOperator compiles for its cells and faces, and where it starts.
#include "solvers/fvm/fvm_chunks.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {
namespace {

constexpr std::size_t chunk_size = 2048;

Points chunk_points(const BalanceLaw& law, const std::array<std::vector<double>, 2>& at,
                    const std::array<std::vector<double>, 2>* normal, IndexRange range) {
  Points points;
  points.columns = law.space;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    for (std::size_t d = 0; d < law.dimension(); ++d) {
      points.values.push_back(at[d][i]);
      if (normal != nullptr) points.normals.push_back((*normal)[d][i]);
    }
  }
  return points;
}

/// First derivatives of the fields, [field * D + d].
std::vector<Expr> slope_atoms(const BalanceLaw& law) {
  std::vector<Expr> atoms;
  for (const Expr& w : law.fields) {
    for (const std::string& x : law.space) atoms.push_back(field_derivative(w.name(), {{x, 1}}));
  }
  return atoms;
}

/// Largest row sum of |dw/dq m| with m an N x N matrix of expressions.
Expr largest_row(const BalanceLaw& law, const std::vector<std::vector<Expr>>& m) {
  Expr largest = 0;
  for (std::size_t k = 0; k < law.size(); ++k) {
    Expr row = 0;
    for (std::size_t j = 0; j < law.size(); ++j) {
      Expr entry = 0;
      for (std::size_t i = 0; i < law.size(); ++i) entry = entry + law.slope[k][i] * m[i][j];
      row = row + abs(entry);
    }
    largest = k == 0 ? row : max(largest, row);
  }
  return largest;
}

/// S, and how fast it reacts.
std::vector<Expr> source_outputs(const BalanceLaw& law) {
  std::vector<Expr> outputs = law.source;
  std::vector<std::vector<Expr>> jacobian(law.size());
  for (std::size_t i = 0; i < law.size(); ++i) {
    for (const Expr& w : law.fields) jacobian[i].push_back(partial(law.source[i], w));
  }
  outputs.push_back(largest_row(law, jacobian));
  return outputs;
}

/// The normal diffusive flux, and a bound of the diffusivity along the normal.
std::vector<Expr> diffusion_outputs(const BalanceLaw& law) {
  const std::size_t N = law.size(), D = law.dimension();
  const std::vector<Expr> slopes = slope_atoms(law);
  std::vector<Expr> outputs;
  std::vector<std::vector<Expr>> k(N, std::vector<Expr>(N, Expr(0)));
  for (std::size_t i = 0; i < N; ++i) {
    Expr flux = 0;
    for (std::size_t d = 0; d < D; ++d) {
      const Expr n = normal_component(law.space[d]);
      flux = flux + n * law.diffusion[d][i];
      for (std::size_t j = 0; j < N; ++j) {
        for (std::size_t e = 0; e < D; ++e) {
          k[i][j] = k[i][j] + n * normal_component(law.space[e]) *
                                  partial(law.diffusion[d][i], slopes[j * D + e]);
        }
      }
    }
    outputs.push_back(flux);
  }
  outputs.push_back(largest_row(law, k));
  return outputs;
}

std::vector<Expr> face_outputs(const BalanceLaw& law, const WaveSpeeds& speeds,
                               const std::optional<GasForm>& gas) {
  std::vector<Expr> outputs = law.conserved;
  for (std::size_t i = 0; i < law.size(); ++i) outputs.push_back(law.normal_flux(i));
  if (speeds.matrix.empty()) {
    outputs.push_back(speeds.least);
    outputs.push_back(speeds.largest);
  } else {
    outputs.insert(outputs.end(), speeds.matrix.begin(), speeds.matrix.end());
  }
  if (gas) {
    Expr u = 0;
    for (std::size_t d = 0; d < law.dimension(); ++d) {
      u = u + normal_component(law.space[d]) * gas->velocity[d];
    }
    outputs.push_back(u);
    outputs.push_back(gas->pressure);
  }
  return outputs;
}

}  // namespace

void FvmOperator::make_chunks() {
  const BalanceLaw& law = *law_;
  const FvmMesh& mesh = *mesh_;
  const std::size_t N = law.size(), D = law.dimension();
  std::vector<Expr> with_slopes = law.fields, rates;
  for (const Expr& atom : slope_atoms(law)) with_slopes.push_back(atom);
  if (scheme_.reconstruction == FvmReconstruction::muscl_hancock) rates = law.field_rates();
  const std::vector<Expr> sources = law.has_source ? source_outputs(law) : std::vector<Expr>();
  const std::vector<Expr> diffusion =
      law.is_diffusive ? diffusion_outputs(law) : std::vector<Expr>();
  const std::vector<Expr> outputs = face_outputs(law, speeds_, gas_);
  const std::size_t n_cell_chunks = chunk_count(mesh.n_cells, chunk_size);
  for (std::size_t i = 0; i < n_cell_chunks; ++i) {
    CellChunk& chunk = cells_.emplace_back();
    chunk.range = chunk_range(mesh.n_cells, n_cell_chunks, i);
    const Points points = chunk_points(law, mesh.centre, nullptr, chunk.range);
    if (!law.is_plain) {
      chunk.inverse = std::make_unique<NodeProgram>(*problem_, law.inverse, law.symbols, points);
    }
    if (law.has_source) {
      chunk.source = std::make_unique<NodeProgram>(*problem_, sources, law.fields, points);
    }
    if (!rates.empty()) {
      chunk.predictor = std::make_unique<NodeProgram>(*problem_, rates, with_slopes, points);
    }
  }
  const std::size_t n_face_chunks = chunk_count(mesh.n_faces(), chunk_size);
  std::size_t widest = 0;
  for (std::size_t i = 0; i < n_face_chunks; ++i) {
    FaceChunk& chunk = faces_.emplace_back();
    chunk.range = chunk_range(mesh.n_faces(), n_face_chunks, i);
    widest = std::max(widest, chunk.range.size());
    const Points points = chunk_points(law, mesh.middle, &mesh.normal, chunk.range);
    chunk.states = std::make_unique<NodeProgram>(*problem_, outputs, law.fields, points);
    if (law.is_diffusive) {
      chunk.diffusion = std::make_unique<NodeProgram>(*problem_, diffusion, with_slopes, points);
    }
    if (N == 1) {
      chunk.speed = std::make_unique<NodeProgram>(*problem_, std::vector{speeds_.largest},
                                                  law.fields, points);
    }
  }
  work_.resize(static_cast<std::size_t>(threads_.size()));
  const auto rows = [&](std::size_t n) { return Rows(n, std::vector<double>(widest)); };
  for (Work& work : work_) {
    for (std::size_t side = 0; side < 2; ++side) {
      work.w[side] = rows(N);
      work.out[side] = rows(outputs.size());
      work.least[side].resize(widest);
      work.largest[side].resize(widest);
    }
    work.flux = rows(N);
    work.atoms = rows(law.is_diffusive ? N * (1 + D) : 0);
    work.diffusion = rows(law.is_diffusive ? N + 1 : 0);
    work.normal.resize(D);
  }
  const std::size_t n = mesh.n_cells, nb = mesh.n_boundary();
  w_.assign(N, std::vector<double>(n + nb));
  if (reconstructs()) slope_.assign(N * D, std::vector<double>(n));
  if (law.is_diffusive && D == 2) gradient_.assign(N * D, std::vector<double>(n));
  if (!rates.empty()) half_.assign(N, std::vector<double>(n));
  beside_.assign(N, std::vector<double>(nb));
  flux_.assign(N, std::vector<double>(mesh.n_faces()));
  speed_.resize(mesh.n_faces());
  if (!mesh.is_boxes()) {
    // Normal matrices of least squares over the neighbours.
    for (std::size_t c = 0; c < n; ++c) {
      double xx = 0, xy = 0, yy = 0;
      for (std::size_t k = mesh.cell_begin[c]; k < mesh.cell_begin[c + 1]; ++k) {
        const std::size_t f = mesh.cell_face[k];
        double step[2];
        for (std::size_t d = 0; d < 2; ++d) {
          step[d] = f < mesh.n_inner ? mesh.from_left[d][f] - mesh.from_right[d][f]
                                     : 2 * mesh.distance[f] * mesh.normal[d][f];
        }
        xx += step[0] * step[0];
        xy += step[0] * step[1];
        yy += step[1] * step[1];
      }
      const double det = xx * yy - xy * xy;
      least_squares_.insert(least_squares_.end(), {yy / det, -xy / det, xx / det});
    }
  }
}

Rows FvmOperator::initial() const {
  const BalanceLaw& law = *law_;
  const FvmMesh& mesh = *mesh_;
  const std::size_t N = law.size(), n = mesh.n_cells;
  std::vector<Replacement> start;
  for (std::size_t k = 0; k < N; ++k) start.push_back({law.fields[k], initial_[k]});
  std::vector<Expr> outputs;
  for (const Expr& q : law.conserved) outputs.push_back(substitute(q, start));
  // Points of a rule, relative to the centre of a cell, in weights that sum to 1.
  std::vector<std::array<double, 3>> rule;
  if (mesh.is_boxes()) {
    const double node = std::sqrt(0.15), weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < (mesh.dimension == 2 ? 3 : 1); ++j) {
        rule.push_back({(i - 1) * node * mesh.spacing[0],
                        mesh.dimension == 2 ? (j - 1) * node * mesh.spacing[1] : 0,
                        mesh.dimension == 2 ? weight[i] * weight[j] : weight[i]});
      }
    }
  } else {
    rule.assign(3, {0, 0, 1.0 / 3});  // middles of the faces: exact for quadratics
  }
  const double t = problem_->domain->time()->lower;
  Rows mean(N, std::vector<double>(n, 0.0)), value(N, std::vector<double>(n));
  for (std::size_t r = 0; r < rule.size(); ++r) {
    Points points;
    points.columns = law.space;
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t d = 0; d < mesh.dimension; ++d) {
        double offset = rule[r][d];
        if (!mesh.is_boxes()) {
          const std::size_t f = mesh.cell_face[mesh.cell_begin[c] + r];
          offset = mesh.left[f] == c ? mesh.from_left[d][f] : mesh.from_right[d][f];
        }
        points.values.push_back(mesh.centre[d][c] + offset);
      }
    }
    const NodeProgram program(*problem_, outputs, {}, std::move(points));
    program.run({}, value, t);
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t c = 0; c < n; ++c) mean[i][c] += rule[r][2] * value[i][c];
    }
  }
  return mean;
}

}  // namespace cauchy::detail
