#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

namespace cauchy {

/// A function of one flat parameter vector, to be minimised. It may return NaN or an infinity:
/// methods treat such points as infinitely high and never stay there. Calls with equal x must give
/// equal bits until the function changes (see Optimizer::objective_changed).
class Objective {
 public:
  virtual ~Objective() = default;
  /// Number of parameters n.
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// f(x); x has n entries.
  [[nodiscard]] virtual double value(std::span<const double> x) = 0;
  /// f(x), with the gradient written to g; both have n entries and do not overlap.
  [[nodiscard]] virtual double gradient(std::span<const double> x, std::span<double> g) = 0;
};

/// An objective from one callable: f(x, g) returns f(x) and writes the gradient to g; g is empty
/// when only the value is wanted.
class FunctionObjective final : public Objective {
 public:
  using Function = std::function<double(std::span<const double> x, std::span<double> g)>;
  FunctionObjective(std::size_t n, Function f) : n_(n), f_(std::move(f)) {}

  [[nodiscard]] std::size_t size() const override { return n_; }
  [[nodiscard]] double value(std::span<const double> x) override { return f_(x, {}); }
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override {
    return f_(x, g);
  }

 private:
  std::size_t n_;
  Function f_;
};

}  // namespace cauchy
