#pragma once

#include <cauchy/optimizers/line_search.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

struct LbfgsOptions {
  std::size_t memory = 100;  ///< pairs kept, at least 1
  /// A pair is kept only when s'y > curvature_guard |s| |y|.
  double curvature_guard = std::numeric_limits<double>::epsilon();
  /// Forget the pairs when the objective changes (default: they still tell the curvature).
  bool clear_when_changed = false;
  LineSearchOptions line_search = {};
};

/// Limited-memory BFGS (Nocedal 1980): d = -H g, where H is the product of the last m updates
///   H <- (I - rho s y') H (I - rho y s') + rho s s',   s = x+ - x,  y = g+ - g,  rho = 1 / y's
/// applied to gamma I with gamma = s'y / y'y of the newest pair.
///   step     strong-Wolfe search from a = 1; from min(1, 1 / |g|) along -g when there is no pair.
///            Where no lower point is found the pairs are dropped and -g is tried
///   status   line_search_failed or stalled when -g fails too; diverged when the longest step of
///            the search was taken
///   memory   (2m + 7) n doubles; cost per step 4mn multiplications plus the line search
///   bits     sums in a fixed order: independent of threads
///   error    throws Error on a memory of 0, a guard outside [0, 1) or bad line-search options
class Lbfgs final : public Optimizer {
 public:
  explicit Lbfgs(const LbfgsOptions& options = {});

  [[nodiscard]] std::string_view name() const noexcept override { return "lbfgs"; }
  StepReport step(Objective& objective, std::span<double> x) override;
  void objective_changed() override;
  void save(OptimizerState& state) const override;
  void restore(const OptimizerState& state) override;

  /// Pairs held now, at most memory.
  [[nodiscard]] std::size_t pairs() const noexcept { return rho_.size(); }
  /// result <- H v by the two-loop recursion; v itself when there are no pairs. result may be v.
  /// Throws Error on a wrong length.
  void apply_inverse_hessian(std::span<const double> v, std::span<double> result) const;

 private:
  [[nodiscard]] std::size_t row(std::size_t k) const noexcept;
  [[nodiscard]] std::span<const double> s(std::size_t k) const noexcept;
  [[nodiscard]] std::span<const double> y(std::size_t k) const noexcept;
  void clear_pairs() noexcept;
  void add_pair();
  LineSearchResult search(Objective& objective, StepReport& report);

  LbfgsOptions options_;
  LineSearch line_search_;
  std::size_t n_ = 0;
  bool known_ = false;  ///< value_ and g_ belong to x_
  double value_ = 0;
  std::vector<double> x_, g_, d_;
  // Pair k, counted from the oldest, is row (first_ + k) mod memory of s_ and y_.
  std::size_t first_ = 0;
  double gamma_ = 1;
  std::vector<double> s_, y_, rho_;
};

}  // namespace cauchy
