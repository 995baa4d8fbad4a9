#include "math/ode/ode_tableau.hpp"
#include "solvers/time/explicit_runge_kutta.hpp"

namespace cauchy::detail {

/// Dormand and Prince 1980, orders 5 and 4.
std::unique_ptr<Stepper> make_dormand_prince(const StepperParts& parts) {
  const OdeTableau& t = dopri5_tableau();
  // Its last row holds the weights of the step; the stage there is the slope at the end.
  const auto n = static_cast<std::size_t>(t.stages - 1);
  RungeKuttaTable out{.a = std::vector<std::vector<double>>(n),
                      .b = std::vector<double>(n),
                      .c = {t.c.begin(), t.c.begin() + static_cast<long>(n)},
                      .e = std::vector<double>(n + 1),
                      .order = 5,
                      .error_power = 5};
  for (std::size_t i = 0; i < n; ++i) out.a[i].resize(i);
  for (const auto& [row, column, value] : t.a) {
    const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
    if (i < n) out.a[i][j] = value;
    if (i == n) out.b[j] = value;
  }
  for (const auto& entry : t.error) out.e[static_cast<std::size_t>(entry.column)] = entry.value;
  return make_explicit_runge_kutta(parts, std::move(out));
}

}  // namespace cauchy::detail
