#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/engine/graph.hpp>
#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// Where a batch of points is evaluated.
enum class Device : std::uint8_t { host, cuda };
/// Arithmetic inside an executor; its interface is double.
enum class Precision : std::uint8_t { f64, f32 };
/// All precisions in the order of the enumeration.
[[nodiscard]] std::span<const Precision> all_precisions() noexcept;
/// "f64" or "f32".
[[nodiscard]] std::string_view to_string(Precision precision) noexcept;
/// Kernels of the host.
enum class BackendKind : std::uint8_t { cpu, reference };

/// What a term adds up: squares (least squares), the sums themselves (an energy), or powers
/// |S|^p of the sums of groups (sparsity for p < 1).
enum class TermForm : std::uint8_t { square, identity, power };

/// One part of a loss: residual expressions r_k over its own points, in groups g of points.
///   loss of the term = weight / n_groups * sum_g w_g * sum_k phi(S_gk)
///   S_gk             = sum_{p in g} q_gp r_k(p) - target_gk
/// Without groups every point is one, with q = 1 and target 0: collocation.
///   data     symbols (a normal, an observed value) and data function calls in the residuals; their
///            numbers come with the points
///   form     phi: the square, the identity, or |S|^power, which needs groups; below |S| = 1e-12 it
///            is that of 1e-12, with no slope
struct Term {
  std::string name;
  std::vector<Expr> residuals;
  double weight = 1;
  std::vector<Expr> data = {};
  TermForm form = TermForm::square;
  double power = 2;
};

/// A sparse matrix, row by row: group g holds points[i] with factor weights[i] for i from
/// offsets[g] to offsets[g + 1]. A point may be in many groups (test functions) or in none.
struct Groups {
  std::vector<std::size_t> offsets;  ///< n_groups + 1, the first one 0
  std::vector<std::size_t> points;
  std::vector<double> weights;       ///< q, finite
  std::vector<double> targets = {};  ///< row-major n_groups x residuals; empty: all 0
  [[nodiscard]] std::size_t size() const noexcept {
    return offsets.empty() ? 0 : offsets.size() - 1;
  }
};

/// Everything that belongs to the points of a term; all of it is copied.
struct TermPoints {
  std::span<const double> points;        ///< row-major n x coordinates
  std::span<const double> data = {};     ///< row-major n x Term::data
  std::span<const double> weights = {};  ///< one per group, not negative; empty: all 1
  const Groups* groups = nullptr;        ///< null: every point is a group of its own
};

/// What a gradient can bring along without another pass.
struct GradientParts {
  std::span<double> terms = {};      ///< gradients of the terms, row-major n_terms x n_parameters
  std::span<double> residuals = {};  ///< of all terms, in order, as residuals() has them
};

struct ExecutorOptions {
  int threads = 0;        ///< of a pool of its own; 0: CAUCHY_THREADS, else the machine
  std::size_t block = 0;  ///< points per block on the host; 0: chosen for nominal_cache_bytes
  bool collapse = true;   ///< carry fixed linear combinations of derivatives as one component
  BackendKind backend = BackendKind::cpu;
  /// Numbers of the parameters that are not unknown constants of the graph.
  std::map<std::string, double> known = {};
  Precision precision = Precision::f64;  ///< for make_executor
  Device device = Device::host;          ///< for make_executor
  std::shared_ptr<Threads> pool = {};    ///< shared with others; null: a new one of `threads`
};

/// Evaluates a network, the residuals of several terms and everything that training needs of them,
/// over many points. The seam between methods and devices: one implementation per device.
///   determinism  results have the same bits for any number of threads
///   memory       independent of the number of points, apart from the points themselves and, for
///                squares of groups, their residuals
///   allocation   loss() and gradient() allocate nothing once the points are set; the products and
///                predict() only at their first call
///   error        throws Error naming the term: unknown field, coordinate or parameter, no points
///   sharing      one caller at a time; executors may share a pool
class Executor {
 public:
  virtual ~Executor() = default;

  [[nodiscard]] virtual const Graph& graph() const noexcept = 0;
  [[nodiscard]] virtual std::size_t n_terms() const noexcept = 0;
  [[nodiscard]] virtual const Term& term(std::size_t term) const = 0;
  [[nodiscard]] std::size_t n_parameters() const noexcept { return graph().n_parameters(); }
  /// The threads of this executor, for others to share.
  [[nodiscard]] virtual const std::shared_ptr<Threads>& pool() const noexcept = 0;
  /// Findings that do not stop a run, each a sentence naming the term: an activation whose needed
  /// derivatives vanish (relu with u_xx).
  [[nodiscard]] virtual const std::vector<std::string>& warnings() const noexcept = 0;

  /// Replaces points, data, groups and weights of a term, all of them.
  ///   error    no points, numbers that are not finite, missing data, wrong lengths; the term then
  ///            keeps what it had
  virtual void set_points(std::size_t term, const TermPoints& points) = 0;
  /// The same for a term without data and groups, all weights 1.
  void set_points(std::size_t term, std::span<const double> points) {
    set_points(term, TermPoints{.points = points});
  }
  /// Rows of an input of the graph at the points of a term (or of `prediction`), after its points:
  /// row-major n_sets x rows of the input; finite. set_of_point[p] is the set that serves point p;
  /// empty: one set per point. Every input needs its rows before an evaluation.
  virtual void set_input(std::size_t term, std::string_view name, std::span<const double> rows,
                         std::span<const int> set_of_point = {}) = 0;
  /// Derivative of the whole loss by those rows, same shape, at the last gradient().
  virtual void input_gradient(std::size_t term, std::string_view name, std::span<double> out) = 0;
  /// In place of a term: the points of predict().
  static constexpr std::size_t prediction = static_cast<std::size_t>(-1);

  /// One factor per group of the term (per point without groups); finite, not negative.
  virtual void set_weights(std::size_t term, std::span<const double> weights) = 0;
  /// The factor of a whole term; finite, not negative.
  virtual void set_weight(std::size_t term, double weight) = 0;
  [[nodiscard]] double weight(std::size_t term) const { return this->term(term).weight; }
  [[nodiscard]] virtual std::span<const double> weights(std::size_t term) const = 0;
  /// Null: every point is a group of its own.
  [[nodiscard]] virtual const Groups* groups(std::size_t term) const = 0;
  [[nodiscard]] virtual std::size_t n_points(std::size_t term) const = 0;
  [[nodiscard]] std::size_t n_groups(std::size_t term) const;
  /// Points times residuals of a term, and of all terms.
  [[nodiscard]] std::size_t n_residuals(std::size_t term) const;
  [[nodiscard]] std::size_t n_residuals() const;

  /// The loss; its parts are kept in last_terms().
  virtual double loss(std::span<const double> theta) = 0;
  /// The loss and its gradient, in one pass (squares of groups: two).
  double gradient(std::span<const double> theta, std::span<double> gradient) {
    return this->gradient(theta, gradient, {});
  }
  /// The same, bit for bit, with parts of it; empty spans are left out.
  virtual double gradient(std::span<const double> theta, std::span<double> gradient,
                          const GradientParts& parts) = 0;
  /// Weighted loss of each term at the last loss() or gradient().
  [[nodiscard]] virtual std::span<const double> last_terms() const noexcept = 0;

  /// The loss as a sum of squares: row (g, k) of a term, at g * n + k for n residuals, is
  /// sqrt(weight * w_g / n_groups) * S_gk, or |S_gk|^(power / 2) in its place; terms follow each
  /// other. loss = |rows|^2.
  ///   error    a term of identity form: an energy is no sum of squares
  [[nodiscard]] std::size_t n_rows(std::size_t term) const;
  [[nodiscard]] std::size_t n_rows() const;
  void rows(std::span<const double> theta, std::span<double> out);
  /// J = d rows / d theta, row-major n_rows() x n_parameters; J v; J' w. Gradient = 2 J' rows.
  /// A row of a group costs one J' w of its term.
  void rows_jacobian(std::span<const double> theta, std::span<double> out);
  void rows_jacobian_times(std::span<const double> theta, std::span<const double> v,
                           std::span<double> out);
  void rows_jacobian_transposed_times(std::span<const double> theta, std::span<const double> w,
                                      std::span<double> out);

  /// Residuals of a term, point-major: out[p * n + k], n residuals per point; no weights, groups.
  virtual void residuals(std::size_t term, std::span<const double> theta,
                         std::span<double> out) = 0;
  /// |dr_k(p)/dtheta|^2, same order; the diagonal of the neural tangent kernel.
  virtual void gradient_norms(std::size_t term, std::span<const double> theta,
                              std::span<double> out) = 0;
  /// The residual Jacobian, row-major n_residuals(term) x n_parameters.
  virtual void jacobian(std::size_t term, std::span<const double> theta, std::span<double> out) = 0;
  /// J v and J' w of one term.
  virtual void jacobian_times(std::size_t term, std::span<const double> theta,
                              std::span<const double> v, std::span<double> out) = 0;
  virtual void jacobian_transposed_times(std::size_t term, std::span<const double> theta,
                                         std::span<const double> w, std::span<double> out) = 0;

  /// Any expressions of fields, derivatives, coordinates and parameters at points (row-major
  /// n x coordinates); out is row-major n x expressions. Plans are cached by expression.
  virtual void predict(std::span<const Expr> expressions, std::span<const double> theta,
                       std::span<const double> points, std::span<double> out) = 0;

 protected:
  Executor() = default;
  Executor(Executor&&) noexcept = default;
  Executor& operator=(Executor&&) noexcept = default;

 private:
  [[nodiscard]] double row_factor(std::size_t term, std::size_t group) const;
  [[nodiscard]] std::vector<double> row_slopes(std::size_t term, std::span<const double> theta);
  void require_squares() const;
  std::vector<double> seeds_, part_;  // of the products of rows
};

/// An executor for ExecutorOptions::device and precision.
///   error    throws Error when this build has no such device
[[nodiscard]] std::unique_ptr<Executor> make_executor(std::shared_ptr<const Graph> graph,
                                                      std::vector<Term> terms,
                                                      ExecutorOptions options = {});

}  // namespace cauchy
