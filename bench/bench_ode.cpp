// Lorenz' equations to t = 10 by Dormand and Prince 8(5,3), beside SciPy's DOP853 at the same
// tolerance.
//   bench_ode [--smallest]
// Run from the root of the repository. Prints the error (root mean square over t = 1, ..., 10
// against tolerance 1e-14), the time (best of several) and the ratios, for right sides written in
// C++ and read from problems/lorenz_short.toml, and the bars: an error at most 3 times that of
// SciPy, at least 20 times faster. SciPy runs with the system's python3; without it its columns are
// left out. Ends with 1 when an error is too large; what is too slow is said.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/math/ode.hpp>
#include <cauchy/solvers/method.hpp>

#include "bench_options.hpp"
#include "peer.hpp"
#include "solvers/ode/ode_conditions.hpp"

namespace {

using namespace cauchy;
using Clock = std::chrono::steady_clock;
constexpr int end_time = 10;

void lorenz(double, std::span<const double> y, std::span<double> dy) {
  dy[0] = 10 * (y[1] - y[0]);
  dy[1] = y[0] * (28 - y[2]) - y[1];
  dy[2] = y[0] * y[1] - 8.0 / 3 * y[2];
}

template <class F>
double best_seconds(int rounds, const F& f) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// x, y, z at t = 1, ..., 10.
std::vector<double> states(const OdeCurve& curve) {
  std::vector<double> all(3 * end_time);
  for (int t = 1; t <= end_time; ++t) {
    curve.value(t, {&all[3 * static_cast<std::size_t>(t - 1)], 3});
  }
  return all;
}

double error(const std::vector<double>& a, const std::vector<double>& exact) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - exact[i]) * (a[i] - exact[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

struct Answer {
  double seconds = 0;
  std::vector<double> states;
};
std::optional<Answer> ask(bench::Peer& scipy, double tolerance) {
  const auto line = scipy.ask(fmt::format("{:g} {} 5", tolerance, end_time));
  if (!line) return std::nullopt;
  std::istringstream in(*line);
  Answer answer;
  double evaluations = 0, value = 0;
  in >> answer.seconds >> evaluations;
  while (in >> value) answer.states.push_back(value);
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = bench::take_smallest(argc, argv) ? 1 : 30;
  const std::vector<double> y0 = {1, 1, 1};
  const OdeFunction code = lorenz;
  const auto solve_with = [&](OdeFunction f, double tolerance, bool curve) {
    return integrate_ode(f, 0, y0, end_time,
                         {.relative = tolerance, .absolute = tolerance, .curve = curve});
  };
  const std::vector<double> exact = states(solve_with(code, 1e-14, true).curve);
  const auto file = std::make_shared<const Problem>(
      read_problem_file("problems/lorenz_short.toml", {"domain.time.t=[0, 0.5]"}).problem);
  const detail::OdeProblem read(file);
  const auto from_file = [&](double t, std::span<const double> y, std::span<double> dy) {
    read.system->slope(t, y, dy);
  };
  std::printf("%-8s %-6s %9s %9s %10s %10s %7s %7s\n", "tol", "right", "error", "scipy", "us",
              "scipy us", "error", "faster");
  bench::Peer scipy("bench/scipy_ode.py", "scipy");
  bool compared = false, good = true, fast = true;
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    const std::optional<Answer> peer = ask(scipy, tolerance);
    for (const bool is_code : {true, false}) {
      const OdeFunction f = is_code ? code : OdeFunction(from_file);
      const double mine = error(states(solve_with(f, tolerance, true).curve), exact);
      const double seconds = best_seconds(rounds, [&] { (void)solve_with(f, tolerance, false); });
      std::printf("%-8.0e %-6s %9.2e ", tolerance, is_code ? "code" : "file", mine);
      if (!peer || peer->states.size() != exact.size()) {
        std::printf("%9s %10.1f\n", "-", 1e6 * seconds);
        continue;
      }
      const double theirs = error(peer->states, exact);
      std::printf("%9.2e %10.1f %10.1f %7.2f %7.1f\n", theirs, 1e6 * seconds, 1e6 * peer->seconds,
                  mine / theirs, peer->seconds / seconds);
      compared = true;
      good = good && mine < 3 * theirs;
      fast = fast && peer->seconds > 20 * seconds;
    }
  }
  std::printf("bars: error at most 3 times SciPy's, at least 20 times faster: %s\n",
              !compared      ? "not compared"
              : good && fast ? "met"
                             : "MISSED");
  const double whole = best_seconds(rounds, [&] { (void)solve(*file, Ode{.tolerance = 1e-6}); });
  std::printf("problems/lorenz_short.toml to t = 0.5, error 1e-6, graded: %.2f ms\n", 1e3 * whole);
  return good ? 0 : 1;
}
