#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/engine/graph.hpp>
#include <cauchy/engine/residual_form.hpp>
#include <cauchy/expr/expr.hpp>

namespace cauchy {

enum class BackendKind : std::uint8_t { cpu, reference };

/// One part of a loss: residual expressions over its own points.
///   loss of the term = weight * mean over points of  w_p * sum_k r_k(p)^2
///   data     symbols (a normal, an observed value) and data function calls in the residuals; their
///            numbers come with set_point_data
struct Term {
  std::string name;
  std::vector<Expr> residuals;
  double weight = 1;
  std::vector<Expr> data = {};
};

struct ExecutorOptions {
  int threads = 0;        ///< 0: CAUCHY_THREADS, else the machine
  std::size_t block = 0;  ///< points per block; 0: chosen from the size of the second-level cache
  bool collapse = true;   ///< carry fixed linear combinations of derivatives as one component
  BackendKind backend = BackendKind::cpu;
  /// Numbers of the parameters that are not unknown constants of the graph.
  std::map<std::string, double> known = {};
};

/// Evaluates a network, the residuals of several terms and everything that training needs of them,
/// over many points and threads. T is the precision of the arithmetic; parameters, losses and
/// gradients are double.
///   determinism  results have the same bits for any number of threads: points are cut into chunks
///                whose size depends on the problem alone, and chunks are added in a fixed order
///   memory       independent of the number of points, apart from the points themselves
///   allocation   loss() and gradient() allocate nothing once the points are set; the products and
///                predict() only at their first call
///   error        the constructor throws Error naming the term: unknown field, coordinate or
///                parameter; the same for points that are empty or not finite
template <class T>
class Executor final {
 public:
  Executor(std::shared_ptr<const Graph> graph, std::vector<Term> terms,
           ExecutorOptions options = {});
  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;

  [[nodiscard]] const Graph& graph() const noexcept;
  [[nodiscard]] std::size_t n_terms() const noexcept;
  [[nodiscard]] const Term& term(std::size_t term) const;
  [[nodiscard]] std::size_t n_parameters() const noexcept;
  [[nodiscard]] Threads& threads() noexcept;

  /// Row-major n x coordinates. Replaces the earlier points of the term; weights become 1, and
  /// point data must be given anew.
  void set_points(std::size_t term, std::span<const double> points);
  /// Row-major n x Term::data; finite.
  void set_point_data(std::size_t term, std::span<const double> data);
  /// One factor per point of the term; not negative.
  void set_point_weights(std::size_t term, std::span<const double> weights);
  void set_weight(std::size_t term, double weight);
  [[nodiscard]] std::size_t n_points(std::size_t term) const;
  /// Points times residuals of a term, and of all terms.
  [[nodiscard]] std::size_t n_residuals(std::size_t term) const;
  [[nodiscard]] std::size_t n_residuals() const;

  /// The loss; its parts are kept in last_terms().
  double loss(std::span<const double> theta);
  /// The loss and its gradient, in one pass.
  double gradient(std::span<const double> theta, std::span<double> gradient);
  /// Weighted loss of each term at the last loss() or gradient().
  [[nodiscard]] std::span<const double> last_terms() const noexcept;

  /// Residuals of a term, point-major: out[p * n + k], n residuals per point; no weights.
  void residuals(std::size_t term, std::span<const double> theta, std::span<double> out);
  /// |dr_k(p)/dtheta|^2, same order; the diagonal of the neural tangent kernel.
  void gradient_norms(std::size_t term, std::span<const double> theta, std::span<double> out);
  /// The residual Jacobian, row-major n_residuals(term) x n_parameters.
  void jacobian(std::size_t term, std::span<const double> theta, std::span<double> out);
  /// J v and J' w of one term.
  void jacobian_times(std::size_t term, std::span<const double> theta, std::span<const double> v,
                      std::span<double> out);
  void jacobian_transposed_times(std::size_t term, std::span<const double> theta,
                                 std::span<const double> w, std::span<double> out);

  /// Any expressions of fields, derivatives, coordinates and parameters at points (row-major
  /// n x coordinates); out is row-major n x expressions. Plans are cached by expression.
  void predict(std::span<const Expr> expressions, std::span<const double> theta,
               std::span<const double> points, std::span<double> out);

  /// Matrix flops of one gradient() over all points, counted on the jets.
  [[nodiscard]] double flops() const noexcept;
  /// Points per block of a term.
  [[nodiscard]] std::size_t block(std::size_t term) const;
  [[nodiscard]] const ResidualForm& form(std::size_t term) const;
  /// Times gradient() with several block sizes and keeps the fastest. Results depend on the block
  /// in the last bits, so runs that must repeat pass the returned sizes as ExecutorOptions::block.
  std::size_t calibrate(std::span<const double> theta);
  /// Findings that do not stop a run, each a sentence naming the term: an activation whose needed
  /// derivatives vanish (relu with u_xx).
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;
  /// Plans of all terms, for people.
  [[nodiscard]] std::string describe() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Executor<float>;
extern template class Executor<double>;

}  // namespace cauchy
