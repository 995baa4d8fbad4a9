#include "dynamics/flow_table.hpp"

#include "math/ode/ode_tableau.hpp"
#include "solvers/time/diagonal_runge_kutta.hpp"
#include "solvers/time/explicit_runge_kutta.hpp"

namespace cauchy::detail {
namespace {

FlowTable table_of_pair(const OdeTableau& t) {
  FlowTable out{.order = t.order,
                .error_power = static_cast<double>(t.order),
                .beta = t.beta,
                .smallest = t.smallest,
                .largest = t.largest,
                .stages = static_cast<std::size_t>(t.stages),
                .all_stages = static_cast<std::size_t>(t.all_stages)};
  out.a.resize(out.all_stages);
  for (std::size_t i = 0; i < out.all_stages; ++i) out.a[i].assign(i + 1, 0.0);
  for (const auto& [row, column, value] : t.a) {
    out.a[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = value;
  }
  out.c.assign(t.c.begin(), t.c.end());
  const auto row_of = [&](std::span<const OdeTableau::Entry> entries) {
    std::vector<double> row(out.stages);
    for (const auto& e : entries) row[static_cast<std::size_t>(e.column)] = e.value;
    return row;
  };
  out.error = row_of(t.error);
  if (!t.error_low.empty()) out.error_low = row_of(t.error_low);
  out.n_dense = static_cast<std::size_t>(t.n_dense);
  out.dense.assign(out.n_dense - 4, std::vector<double>(out.all_stages));
  for (const auto& e : t.dense) {
    out.dense[static_cast<std::size_t>(e.row)][static_cast<std::size_t>(e.column)] = e.value;
  }
  return out;
}

FlowTable table_of_explicit(const RungeKuttaTable& t) {
  const std::size_t s = t.b.size() + 1;
  FlowTable out{.order = t.order,
                .error_power = static_cast<double>(t.error_power),
                .beta = 0,
                .smallest = 0.2,
                .largest = 10,
                .stages = s,
                .all_stages = s};
  out.a = t.a;
  for (auto& row : out.a) row.push_back(0);
  out.a.push_back(t.b);
  out.a.back().push_back(0);
  out.c = t.c;
  out.c.push_back(1);
  out.error = t.e;
  return out;
}

FlowTable table_of_diagonal(const DiagonalTable& t) {
  const std::size_t s = t.b.size();
  FlowTable out{.order = t.order,
                .error_power = static_cast<double>(t.error_power),
                .beta = 0,
                .smallest = 0.2,
                .largest = 5,
                .stages = s,
                .all_stages = s};
  out.a = t.implicit_a;
  for (std::size_t i = 0; i < s; ++i) out.a[i].push_back(i == 0 ? 0 : t.diagonal);
  out.c = t.c;
  for (std::size_t j = 0; j < s; ++j) out.error.push_back(t.b[j] - t.embedded[j]);
  return out;
}

}  // namespace

void FlowTable::dense_weights(double theta, std::vector<double>& w) const {
  w.assign(all_stages, 0.0);
  const std::size_t last = stages - 1;
  // y = F0 + c1 F1 + c2 F2 + ...: the nested form of dense_polynomial(), multiplied out.
  const double c1 = theta, c2 = c1 * (1 - theta), c3 = c2 * theta;
  double product = c3;
  for (std::size_t j = 0; j < last; ++j) w[j] = a[last][j] * (c1 - c2 + 2 * c3);
  w[0] += c2 - c3;
  w[last] -= c3;
  for (std::size_t r = 0; r < dense.size(); ++r) {
    product *= r % 2 == 0 ? 1 - theta : theta;
    for (std::size_t j = 0; j < all_stages; ++j) w[j] += product * dense[r][j];
  }
}

const FlowTable& flow_table(FlowScheme scheme) {
  static const FlowTable euler = table_of_explicit(explicit_euler_table()),
                         rk4 = table_of_explicit(rk4_table()),
                         dopri5 = table_of_pair(dopri5_tableau()),
                         dop853 = table_of_pair(dop853_tableau()),
                         esdirk = table_of_diagonal(kennedy_carpenter());
  switch (scheme) {
    case FlowScheme::euler:
      return euler;
    case FlowScheme::rk4:
      return rk4;
    case FlowScheme::dop853:
      return dop853;
    case FlowScheme::esdirk:
      return esdirk;
    case FlowScheme::dopri5:
      break;
  }
  return dopri5;
}

}  // namespace cauchy::detail
