#include <cmath>
#include <deque>
#include <vector>

#include <cauchy/optimizers/broyden.hpp>
#include <cauchy/optimizers/lbfgs.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

using LoopVector = std::vector<double>;

double loop_dot(const LoopVector& a, const LoopVector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The algorithm: B g from pairs (s, y), the newest last, and B_0 = gamma I.
LoopVector two_loops(const std::deque<LoopVector>& s, const std::deque<LoopVector>& y, double gamma,
                     LoopVector q) {
  const std::size_t m = s.size(), n = q.size();
  LoopVector alpha(m);
  for (std::size_t i = m; i-- > 0;) {
    alpha[i] = loop_dot(s[i], q) / loop_dot(y[i], s[i]);
    for (std::size_t k = 0; k < n; ++k) q[k] -= alpha[i] * y[i][k];
  }
  for (double& e : q) e *= gamma;
  for (std::size_t i = 0; i < m; ++i) {
    const double beta = loop_dot(y[i], q) / loop_dot(y[i], s[i]);
    for (std::size_t k = 0; k < n; ++k) q[k] += s[i][k] * (alpha[i] - beta);
  }
  return q;
}

}  // namespace

void make_two_loops(Output& out) {
  constexpr std::size_t n = 30, memory = 5;
  FunctionObjective f(n, [](std::span<const double> x, std::span<double> g) {
    double sum = 0;  // convex, not quadratic
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double c = double(i + 1), e = x[i] - 1.0 / c;
      sum += c * e * e / 2 + e * e * e * e / 4;
      if (!g.empty()) g[i] = c * e + e * e * e;
    }
    return sum;
  });
  Lbfgs optimizer({.memory = memory});
  LoopVector x(n, 1.0), g(n), old_x = x, old_g(n), probe(n), by_library(n);
  Rng(1).fill_normal(probe);
  (void)f.gradient(x, old_g);
  std::deque<LoopVector> s, y;
  double worst = 0;
  for (int step = 0; step < 12; ++step) {
    (void)optimizer.step(f, x);
    (void)f.gradient(x, g);
    s.emplace_back(n), y.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i)
      s.back()[i] = x[i] - old_x[i], y.back()[i] = g[i] - old_g[i];
    if (s.size() > memory) s.pop_front(), y.pop_front();
    old_x = x, old_g = g;
    const double gamma = loop_dot(s.back(), y.back()) / loop_dot(y.back(), y.back());
    const LoopVector r = two_loops(s, y, gamma, probe);
    optimizer.apply_inverse_hessian(probe, by_library);
    for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(r[i] - by_library[i]));
  }
  out.check("largest difference from the recursion of the library, 12 steps", worst, 0, 1e-10);
  // The same pairs one after the other through the dense update of gamma I.
  const double gamma = 0.7;
  LoopVector h(n * n);
  for (std::size_t i = 0; i < n; ++i) h[i * n + i] = gamma;
  for (std::size_t k = 0; k < s.size(); ++k) broyden_update(h, s[k], y[k], 1, 1);
  const LoopVector r = two_loops(s, y, gamma, probe);
  worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += h[i * n + k] * probe[k];
    worst = std::max(worst, std::abs(sum - r[i]));
  }
  out.check("largest difference from the dense matrix", worst, 0, 1e-10);
  const LoopVector back = two_loops(s, y, gamma, y.back());
  for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(back[i] - s.back()[i]));
  out.check("B y = s for the newest pair", worst, 0, 1e-10);
  std::vector<std::vector<std::string>> rows = {
      {"parameters n", "multiplications, 10 pairs", "of a dense matrix"}};
  for (const std::size_t size : {1000, 10'000, 1'000'000}) {
    rows.push_back({std::to_string(size), fmt::format("{:.1e}", 4.0 * 10 * double(size)),
                    fmt::format("{:.1e}", double(size) * double(size))});
  }
  out.table("cost", rows, "4 m n against n^2: why the memory is limited");
}

Artefact two_loops_entry() {
  return {.id = "two-loops",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "5506-5522",
          .title = "The two loops of L-BFGS",
          .formula =
              "\\alpha_i = \\rho_i s_i^\\top q, \\quad q \\to q - \\alpha_i y_i; \\quad r = "
              "B_0 q; \\quad r \\to r + s_i (\\alpha_i - \\rho_i y_i^\\top r)",
          .says =
              "The product of the inverse Hessian with a vector from the last pairs of steps "
              "and changes of the gradient, without a matrix.",
          .truth =
              "In step k the newest pair is k - 1, since pair k does not exist yet; otherwise "
              "the loops are right.",
          .page = "optimizers.md",
          .seconds = 0.1,
          .file = "lecture_4/two_loops.cpp",
          .make = make_two_loops};
}

}  // namespace cauchy::notes
