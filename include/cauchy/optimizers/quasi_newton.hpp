#pragma once

#include <cauchy/base/threads.hpp>
#include <cauchy/optimizers/broyden.hpp>
#include <cauchy/optimizers/line_search.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

namespace detail {
class InverseHessian;
}

/// What becomes of the inverse Hessian when the objective changes.
enum class InverseHessianChange {
  keep,     ///< it still tells the curvature
  rescale,  ///< the next update scales it as the first one does: directions stay, size is new
  restart   ///< back to the identity
};

struct QuasiNewtonOptions {
  QuasiNewtonUpdate update = QuasiNewtonUpdate::ssbroyden;
  /// The first update of the identity uses tau = h / (1 + a theta); see broyden_parameters().
  bool initial_scaling = true;
  /// A pair updates H only when s'y > curvature_guard |s| |y|.
  double curvature_guard = std::numeric_limits<double>::epsilon();
  InverseHessianChange when_changed = InverseHessianChange::keep;
  std::uint64_t max_bytes = 0;  ///< most memory for H; 0: half of what the process may have
  int threads = 0;              ///< for the products with H; 0: CAUCHY_THREADS, else the machine
  LineSearchOptions line_search = {};
  std::shared_ptr<Threads> pool = {};  ///< shared with others; null: one of `threads`
};

/// Dense quasi-Newton methods of the self-scaled Broyden family: d = -H g, H updated as in
/// broyden.hpp with s'H^-1 s = -a s'g for a step of length a, so that H is never inverted.
///   step     strong-Wolfe search from a = 1, the self-scaled methods from a shorter step where the
///            last decrease suggests it; from min(1, 1 / |g|) along -g while H = I. Where no lower
///            point is found, or H lost its definiteness, H = I and -g is tried
///   status   line_search_failed or stalled when -g fails too; diverged when the longest step of
///            the search was taken
///   memory   n^2 / 2 doubles (n = 2,000: 16 MB, n = 10,000: 400 MB) and at most 46 n
///   cost     one read and write of these per step, for product and update together; measured by
///            bench_quasi_newton. Then the line search
///   bits     independent of threads and instruction set
///   error    throws Error on a guard outside [0, 1), a bad number of threads or bad line-search
///            options; step() and restore() when H does not fit max_bytes, before it is allocated
class QuasiNewton final : public Optimizer {
 public:
  explicit QuasiNewton(const QuasiNewtonOptions& options = {});
  ~QuasiNewton() override;
  QuasiNewton(QuasiNewton&&) noexcept;
  QuasiNewton& operator=(QuasiNewton&&) noexcept;

  /// "bfgs", "dfp", "ssbfgs" or "ssbroyden".
  [[nodiscard]] std::string_view name() const noexcept override;
  StepReport step(Objective& objective, std::span<double> x) override;
  void check_fits(const Objective& objective) const override;
  void objective_changed() override;
  /// The inverse Hessian is saved as its lower triangle by rows, "inverse_hessian", empty while it
  /// is the identity.
  void save(OptimizerState& state) const override;
  void restore(const OptimizerState& state) override;

  /// Updates of H since it was the identity.
  [[nodiscard]] std::uint64_t updates() const noexcept { return updates_; }
  /// tau, phi and the rest of the last update by this object: not saved, so restore() leaves them
  /// as they are (the defaults in a new object).
  [[nodiscard]] const BroydenParameters& last_update() const noexcept { return parameters_; }

 private:
  void allocate(std::size_t n);
  void restart() noexcept;
  LineSearchResult search(Objective& objective, StepReport& report);
  void update_inverse_hessian(double inverse_form);

  QuasiNewtonOptions options_;
  LineSearch line_search_;
  std::size_t n_ = 0;
  bool known_ = false;            ///< value_ and g_ belong to x_
  bool direction_known_ = false;  ///< d_ = -H g_
  bool scale_next_ = false;       ///< the next update scales H first
  std::uint64_t updates_ = 0;
  double value_ = 0, decrease_ = 0;  ///< f(x_), and how far the last step went down; 0: unknown
  std::vector<double> x_, g_, d_, s_, y_, hg_;
  BroydenParameters parameters_;
  std::unique_ptr<detail::InverseHessian> h_;
};

/// The name of the enumerator, "ssbroyden"; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(QuasiNewtonUpdate update) noexcept;

}  // namespace cauchy
