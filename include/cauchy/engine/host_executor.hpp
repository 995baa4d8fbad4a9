#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/engine/residual_form.hpp>

namespace cauchy {

/// Second-level cache for which blocks of points are made, whatever the machine has: the block
/// influences the last bits, and one seed must give the same bits everywhere.
inline constexpr std::size_t nominal_cache_bytes = std::size_t{1} << 20;

/// The executor of the host: blocks of points over threads, T is the precision of the arithmetic.
///   determinism  points are cut into chunks whose size depends on the problem alone, and chunks
///                are added in a fixed order
template <class T>
class HostExecutor final : public Executor {
 public:
  /// options.device and options.precision are not looked at.
  HostExecutor(std::shared_ptr<const Graph> graph, std::vector<Term> terms,
               ExecutorOptions options = {});
  ~HostExecutor() override;
  HostExecutor(HostExecutor&&) noexcept;
  HostExecutor& operator=(HostExecutor&&) noexcept;

  [[nodiscard]] const Graph& graph() const noexcept override;
  [[nodiscard]] std::size_t n_terms() const noexcept override;
  [[nodiscard]] const Term& term(std::size_t term) const override;
  [[nodiscard]] const std::shared_ptr<Threads>& pool() const noexcept override;
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept override;

  using Executor::set_points;
  void set_points(std::size_t term, const TermPoints& points) override;
  void set_input(std::size_t term, std::string_view name, std::span<const double> rows,
                 std::span<const int> set_of_point = {}) override;
  void input_gradient(std::size_t term, std::string_view name, std::span<double> out) override;
  void set_weights(std::size_t term, std::span<const double> weights) override;
  void set_weight(std::size_t term, double weight) override;
  [[nodiscard]] std::span<const double> weights(std::size_t term) const override;
  [[nodiscard]] const Groups* groups(std::size_t term) const override;
  [[nodiscard]] std::size_t n_points(std::size_t term) const override;

  double loss(std::span<const double> theta) override;
  using Executor::gradient;
  double gradient(std::span<const double> theta, std::span<double> gradient,
                  const GradientParts& parts) override;
  [[nodiscard]] std::span<const double> last_terms() const noexcept override;

  void residuals(std::size_t term, std::span<const double> theta, std::span<double> out) override;
  void gradient_norms(std::size_t term, std::span<const double> theta,
                      std::span<double> out) override;
  void jacobian(std::size_t term, std::span<const double> theta, std::span<double> out) override;
  void jacobian_times(std::size_t term, std::span<const double> theta, std::span<const double> v,
                      std::span<double> out) override;
  void jacobian_transposed_times(std::size_t term, std::span<const double> theta,
                                 std::span<const double> w, std::span<double> out) override;
  void predict(std::span<const Expr> expressions, std::span<const double> theta,
               std::span<const double> points, std::span<double> out) override;

  /// Matrix flops of one gradient() over all points, counted on the jets.
  [[nodiscard]] double flops() const noexcept;
  /// Points per block of a term.
  [[nodiscard]] std::size_t block(std::size_t term) const;
  [[nodiscard]] const ResidualForm& form(std::size_t term) const;
  /// Plans of all terms, for people.
  [[nodiscard]] std::string describe() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class HostExecutor<float>;
extern template class HostExecutor<double>;

}  // namespace cauchy
