#pragma once

#include <vector>

#include <cauchy/math/ode.hpp>

#include "math/ode/ode_tableau.hpp"

namespace cauchy::detail {

/// One integration of integrate_ode().
class OdeRun final {
 public:
  OdeRun(OdeFunction f, double t0, std::span<const double> y0, double t1, const OdeOptions& options,
         std::span<const OdeEvent> events);
  [[nodiscard]] OdeResult run();

 private:
  using Entry = OdeTableau::Entry;

  void evaluate(double t, const double* y, int stage);
  void combine(std::span<const Entry> row, double* out) const;
  void stage(int s, double* argument);
  [[nodiscard]] double first_step();
  [[nodiscard]] double error() const;
  [[nodiscard]] bool look_stiff();
  void extend();
  void at(double t, std::span<double> y) const;
  [[nodiscard]] bool cross();
  void end(OdeStatus status);
  [[nodiscard]] double* k(int s) { return k_.data() + static_cast<std::size_t>(s) * stride_; }
  [[nodiscard]] std::span<double> state(std::vector<double>& v) const { return {v.data(), n_}; }

  OdeFunction f_;
  const OdeOptions& options_;
  std::span<const OdeEvent> events_;
  const OdeTableau& tableau_;
  std::vector<std::span<const Entry>> rows_;  // of a
  std::size_t n_, stride_;                    // the latter a multiple of four: whole vectors
  double t_, t1_, h_ = 0, direction_;
  std::vector<double> y_, next_, argument_, k_;
  std::vector<double> coefficients_, between_, before_, after_;
  int stiff_ = 0, not_stiff_ = 0;
  OdeResult result_;
};

}  // namespace cauchy::detail
