#include "training/balancers/config.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/math/lapack.hpp>

#include "optimizers/vector_ops.hpp"
#include "training/balancers/balancers.hpp"

namespace cauchy::detail {
namespace {

/// x = A^+ 1 for a symmetric matrix of cosines.
std::vector<double> config_solve(const Matrix& cosines) {
  const std::size_t m = cosines.rows();
  const SymmetricEigen<double> eigen = symmetric_eigen(cosines);
  std::vector<double> x(m, 0.0);
  if (eigen.status != Factorization::ok) return x;
  // Cosines are right to about 1e-14: smaller eigenvalues are those of dependent gradients.
  const double least = 1e-13 * static_cast<double>(m);
  for (std::size_t k = 0; k < m; ++k) {
    if (eigen.values[k] <= least) continue;
    double along = 0;
    for (std::size_t i = 0; i < m; ++i) along += eigen.vectors(i, k);
    for (std::size_t i = 0; i < m; ++i) x[i] += eigen.vectors(i, k) * along / eigen.values[k];
  }
  return x;
}

class Config final : public Balancer {
 public:
  bool update(TrainingLoss& loss, const TrainingStep& step) override {
    if (step.first_order == active_) return false;
    set(loss, step.first_order);
    return true;
  }
  void save(TrainingState& state) const override { state.numbers["active"] = active_ ? 1 : 0; }
  void restore(const TrainingState& state, TrainingLoss& loss) override {
    set(loss, number_of(state, "active", "[training.balancer]") != 0);
  }

 private:
  void set(TrainingLoss& loss, bool active) {
    active_ = active;
    if (!active) return loss.combine({});
    loss.combine(
        [&executor = loss.executor(), gradients = std::vector<double>()](
            std::span<const double> x, std::span<double> g, std::span<double> parts) mutable {
          gradients.resize(parts.size() * x.size());
          const double sum = executor.gradient(x, g, {.terms = gradients});
          std::ranges::copy(executor.last_terms(), parts.begin());
          config_direction(gradients, x.size(), g);
          return sum;
        });
  }
  bool active_ = false;
};

}  // namespace

void config_direction(std::span<const double> gradients, std::size_t n, std::span<double> result) {
  std::vector<std::span<const double>> rows;
  std::vector<double> lengths;
  bool finite = true;
  for (std::size_t begin = 0; begin < gradients.size(); begin += n) {
    const std::span<const double> row = gradients.subspan(begin, n);
    const double length = norm(row);
    finite = finite && std::isfinite(length);
    if (length == 0) continue;
    rows.push_back(row);
    lengths.push_back(length);
  }
  std::ranges::fill(result, 0.0);
  const std::size_t m = rows.size();
  if (!finite || m == 1) {
    for (const auto row : rows) add_scaled(1, row, result);
    return;
  }
  if (m == 0) return;
  Matrix cosines(m, m);
  for (std::size_t i = 0; i < m; ++i) {
    cosines(i, i) = 1;
    for (std::size_t j = 0; j < i; ++j) {
      cosines(i, j) = cosines(j, i) = dot(rows[i], rows[j]) / lengths[i] / lengths[j];
    }
  }
  const std::vector<double> x = config_solve(cosines);
  for (std::size_t i = 0; i < m; ++i) add_scaled(x[i] / lengths[i], rows[i], result);
  const double length = norm(result);
  if (!(length > 0)) return;
  double along = 0;
  for (const auto row : rows) along += dot(row, result) / length;
  for (double& e : result) e *= along / length;
}

std::unique_ptr<Balancer> make_config() { return std::make_unique<Config>(); }

}  // namespace cauchy::detail
