#include "solvers/fvm/limiter.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

double least_of(double a, double b) { return std::abs(a) < std::abs(b) ? a : b; }
double larger_of(double a, double b) { return std::abs(a) > std::abs(b) ? a : b; }

double central(double a, double b) { return 0.5 * (a + b); }
double minmod(double a, double b) { return a * b > 0 ? least_of(a, b) : 0; }
double van_leer(double a, double b) { return a * b > 0 ? 2 * a * b / (a + b) : 0; }
double monotonized(double a, double b) {
  return a * b > 0 ? least_of(0.5 * (a + b), 2 * least_of(a, b)) : 0;
}
double superbee(double a, double b) {
  return a * b > 0 ? larger_of(least_of(2 * a, b), least_of(a, 2 * b)) : 0;
}

double all_of_it(double /*r*/) { return 1; }
double barth_jespersen(double r) { return std::min(1.0, r); }
double venkatakrishnan(double r) { return (r * r + 2 * r) / (r * r + r + 2); }

}  // namespace

const std::vector<Limiter>& all_limiters() {
  static const std::vector<Limiter> all = {
      {FvmLimiter::none, "none", "central slopes, for smooth solutions", central, all_of_it},
      {FvmLimiter::minmod, "minmod", "the smaller difference", minmod, barth_jespersen},
      {FvmLimiter::van_leer, "van_leer", "the harmonic mean", van_leer, venkatakrishnan},
      {FvmLimiter::mc, "mc", "the mean, at most twice the smaller difference", monotonized,
       nullptr},
      {FvmLimiter::superbee, "superbee", "the steepest that adds no extremum", superbee, nullptr}};
  return all;
}

const Limiter& limiter_of(FvmLimiter kind) {
  for (const Limiter& l : all_limiters()) {
    if (l.kind == kind) return l;
  }
  throw Error("no such limiter", "[solvers.fvm]");
}

}  // namespace cauchy::detail
