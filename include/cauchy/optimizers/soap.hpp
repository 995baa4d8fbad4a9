#pragma once

#include <cauchy/optimizers/first_order.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cauchy {

/// A matrix of weights inside the flat parameter vector: entry (i, j) of the row-major rows x cols
/// matrix is entry offset + i * cols + j of the vector.
struct MatrixBlock {
  std::size_t offset = 0, rows = 0, cols = 0;
};

struct SoapOptions {
  double learning_rate = 3e-3;
  double beta1 = 0.95;
  double beta2 = 0.95;  ///< memory of the squares and of the factors L and R
  double epsilon = 1e-8;
  double weight_decay = 0;
  double clip_norm = 0;                       ///< 0: off
  std::uint64_t precondition_frequency = 10;  ///< steps from one basis to the next
  std::size_t max_precond_dim = 2048;         ///< a longer side of a block keeps its own basis
  std::vector<MatrixBlock> blocks = {};       ///< entries outside all blocks: plain Adam
};

/// SOAP (Vyas et al. 2024): Adam in the eigenbasis of Shampoo's preconditioner. For each block W
/// with gradient G, orthogonal Q_L and Q_R, and t = 1, 2, ...
///   M <- b1 M + (1 - b1) G
///   g = Q_L' G Q_R,  m = Q_L' M Q_R,  V <- b2 V + (1 - b2) g^2 (entry by entry)
///   n = (m / (1 - b1^t)) / (sqrt(V / (1 - b2^t)) + epsilon)
///   W <- (1 - rate * weight_decay) W - rate * Q_L n Q_R'
///   L <- b2 L + (1 - b2) G G',  R <- b2 R + (1 - b2) G'G
///   every precondition_frequency steps  S = L Q_L, its columns sorted by the estimates
///     (Q_L'L Q_L)_jj of the eigenvalues, V sorted along; Q_L <- the Q of S = Q R; the same for R
/// The first gradient G gives L = (1 - b2) G G' and R, and their eigenvectors the first bases.
/// Deviations from the published program: its first call only sets up the bases, here the step is
/// taken at once with the same gradient; epsilon is added after the bias correction, as in Adam;
/// the decay comes before the step, as in AdamW. A basis whose factor overflowed stays as it is.
///   invariance  W -> A W B with orthogonal A, B changes nothing but the names, as long as L and R
///               determine their eigenvectors (G of full rank, distinct eigenvalues)
///   memory      5n doubles and 2 (rows^2 + cols^2) for each block
///   cost        7 rows cols (rows + cols) operations per block and step; about 5 (rows^3 + cols^3)
///               for new bases
///   error       as AdamW; on precondition_frequency 0, blocks that are empty or overlap, and, once
///               the objective is known, blocks that reach beyond its parameters
class Soap final : public FirstOrder {
 public:
  explicit Soap(const SoapOptions& options = {}, const Schedule& schedule = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "soap"; }

 private:
  /// One side of a block: its factor and basis are size x size matrices at `at`.
  struct SideState {
    std::size_t size = 0, at = 0;
    bool rotated = false;  ///< false: longer than max_precond_dim, the basis is the identity
  };
  struct Block {
    MatrixBlock place;
    SideState left, right;
  };

  bool update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
              Moments moments) override;
  void begin(std::size_t n) override;
  void save_more(OptimizerState& state) const override;
  void restore_more(const OptimizerState& state, std::size_t n) override;

  void check_blocks_fit(std::size_t n) const;
  void accumulate(const Block& block, std::span<const double> g);
  void first_basis(const SideState& side);
  void next_basis(const Block& block, bool of_rows, std::span<double> v);
  void rotate(const Block& block, const double* from, double* to, bool back);
  [[nodiscard]] std::size_t state_size() const noexcept;

  SoapOptions options_;
  std::vector<Block> blocks_;  ///< by offset
  std::vector<double> factors_, bases_;
  std::vector<double> work_[3];  ///< matrices of the size of the largest block
};

}  // namespace cauchy
