// How often the stated 95 % interval of an unknown constant holds the truth: small inverse problems
// with noise, one seed after the other for noise and network, with sigma given and estimated.
// Bar: at least 90 of 100 in every row.
//
//   bench_intervals [--seeds N] [--smallest]
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <cauchy/solvers/method.hpp>

#include "../tests/support/noisy_problems.hpp"
#include "bench_options.hpp"

namespace {

using namespace cauchy;

struct Case {
  const char* name;
  std::function<Problem(std::uint64_t)> make;
  const char* constant;
};

void run(const Case& c, std::size_t seeds, bool given) {
  std::size_t held = 0;
  double width = 0, error = 0, misfit = 0, seconds = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Problem p = c.make(seed);
    const double truth = *p.unknowns[0].truth, sigma = *p.observation[0].sigma;
    if (!given) p.observation[0].sigma.reset();
    const Solution s = solve(p, noisy::settings(seed), {.threads = 1});
    const auto found = s.intervals.find(c.constant);
    const double value = s.unknowns.at(c.constant);
    seconds += s.seconds;
    error += (value - truth) * (value - truth) / (truth * truth);
    for (const TermCheck& check : s.checks) {
      if (check.kind == TermCheck::Kind::observation) misfit += check.fresh * check.scale / sigma;
    }
    if (found == s.intervals.end()) continue;
    const ConfidenceInterval& i = found->second;
    if (i.lower <= truth && truth <= i.upper) ++held;
    width += (i.upper - i.lower) / 2 / truth;
  }
  const double n = static_cast<double>(seeds);
  fmt::print("{:<8} {:<10} {:>5} of {:<4} {:>9.2e} {:>9.2e} {:>7.3f} {:>7.2f} s\n", c.name,
             given ? "given" : "estimated", held, seeds, width / n, std::sqrt(error / n),
             misfit / n, seconds / n);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t seeds = bench::take_smallest(argc, argv) ? 1 : 100;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::strtoul(argv[i + 1], nullptr, 10);
  }
  const Case cases[] = {{"decay", [](std::uint64_t s) { return noisy::decay(s); }, "k"},
                        {"heat", [](std::uint64_t s) { return noisy::heat(s); }, "D"}};
  fmt::print("{:<8} {:<10} {:>13} {:>9} {:>9} {:>7} {:>9}\n", "problem", "sigma", "truth inside",
             "half", "rms error", "misfit", "run");
  for (const Case& c : cases) {
    for (const bool given : {true, false}) run(c, seeds, given);
  }
  return 0;
}
