#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <cauchy/base/threads.hpp>

#include "solvers/fvm/boundary_states.hpp"
#include "solvers/fvm/limiter.hpp"
#include "solvers/fvm/numerical_flux.hpp"

namespace cauchy::detail {

/// How cells become a scheme.
struct FvmScheme {
  const NumericalFlux* flux = nullptr;
  FvmReconstruction reconstruction = FvmReconstruction::muscl;
  const Limiter* limiter = nullptr;
};

/// The balance of every cell of a mesh for any law:
///   d q_c / dt = -1/V_c sum_f A_f Phi_f + S(w_c)
/// Fluxes and sources are compiled expressions that run over chunks of faces and cells. What leaves
/// one cell enters another, bit by bit. The plain reference of faster paths.
///   states   one row of n_cells numbers per conserved quantity
///   threads  results have the same bits for any number
class FvmOperator final {
 public:
  /// The mesh and the law must outlive the operator.
  FvmOperator(std::shared_ptr<const Problem> problem, const Lowering& lower, const BalanceLaw& law,
              const std::optional<GasForm>& gas, const FvmMesh& mesh, const FvmScheme& scheme,
              int threads);
  ~FvmOperator();

  /// Means of the initial values over the cells, three Gauss points per direction.
  [[nodiscard]] Rows initial() const;
  /// The largest stable step of forward Euler at first order: 1 / max_c (1/(2 V) sum_f A_f s_f),
  /// with s_f the speed of waves and what diffusion adds; NaN where a state has no speed.
  [[nodiscard]] double largest_step(double t, const Rows& q);
  /// out = dq/dt. muscl_hancock: the mean over a step dt, which begins at t.
  void rate(double t, double dt, const Rows& q, Rows& out);
  /// The fields of the cells; and on the faces of the boundary, rows of n_boundary numbers.
  void fields(const Rows& q, Rows& w);
  void boundary_fields(double t, const Rows& q, Rows& face);
  /// Ghost states beyond the boundary for the states of the cells.
  void ghosts(double t, const Rows& q, Rows& ghost);
  /// Slopes of fields, [field * D + d][cell], as the reconstruction takes them.
  void slopes(double t, const Rows& q, Rows& out);

 private:
  struct CellChunk;
  struct FaceChunk;
  struct Work;
  void make_chunks();
  void set_fields(const Rows& q);
  void set_ghosts(double t);
  void limited_slopes(const Limiter& limiter, Rows& out) const;
  void slopes_on_boxes(const Limiter& limiter, Rows& out, IndexRange cells) const;
  void slopes_on_triangles(const Limiter& limiter, Rows& out, IndexRange cells) const;
  void predict(double t, double dt);
  void set_boundary(double t);
  void face_fluxes(double t, FaceChunk& chunk, Work& work);
  void add_diffusion(double t, FaceChunk& chunk, Work& work);
  void widen_speeds(double t, FaceChunk& chunk, Work& work);
  void evaluate_side(double t, FaceChunk& chunk, Work& work, std::size_t side);
  [[nodiscard]] bool reconstructs() const {
    return scheme_.reconstruction != FvmReconstruction::first;
  }

  std::shared_ptr<const Problem> problem_;
  const BalanceLaw* law_;
  std::optional<GasForm> gas_;
  const FvmMesh* mesh_;
  FvmScheme scheme_;
  WaveSpeeds speeds_;
  std::vector<Expr> initial_;
  BoundaryStates boundary_;
  mutable Threads threads_;
  std::vector<CellChunk> cells_;
  std::vector<FaceChunk> faces_;
  std::vector<Work> work_;
  Rows w_, slope_, gradient_, half_;  // fields with ghosts behind; slopes; for diffusion; predicted
  Rows beside_, inside_, face_, ghost_;  // at the boundary
  Rows flux_;
  std::vector<double> speed_;          // per face: area times speed
  std::vector<double> least_squares_;  // inverse normal matrices of triangles, 3 numbers each
};

}  // namespace cauchy::detail
