#include "solvers/spectral/chebyshev.hpp"

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/classical_error.hpp"

namespace cauchy::test_chebyshev {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u");

double error_with(const Problem& problem, const Expr& exact, int n) {
  const auto solver = detail::make_chebyshev_solver(std::make_shared<const Problem>(problem),
                                                    {.n = n, .tolerance = 1e-9});
  const detail::ClassicalAnswer a = solver->solve(0, {});
  return a.model ? largest_difference(*a.model, problem, u, exact, 21) : NAN;
}

/// Four more nodes make the error at least ten times smaller, until rounding.
void expect_spectral(const Problem& problem, const Expr& exact, int first, double rounding) {
  double before = error_with(problem, exact, first);
  EXPECT_LT(before, 10.0);
  for (int n = first + 4; n <= first + 20 && before > 10 * rounding; n += 4) {
    const double now = error_with(problem, exact, n);
    EXPECT_LT(now, std::max(before / 10, rounding)) << "n = " << n;
    before = now;
  }
  EXPECT_LT(before, 10 * rounding);
}

TEST(ChebyshevConvergence, IsSpectralForAVariableCoefficientAndRobinEnds) {
  const Expr exact = exp(sin(2 * x)), a = 2 + cos(x);
  Problem p;
  p.domain = Interval(x, 0, 2);
  p.fields = {"u"};
  p.equation = {d(a * d(u, x), x) - u == d(a * d(exact, x), x) - exact};
  p.condition = {on("left", u - d(u, x) == exact - d(exact, x)),
                 on("right", u + d(u, x) == exact + d(exact, x))};
  expect_spectral(p, exact, 12, 1e-11);
}

TEST(ChebyshevConvergence, IsSpectralForHelmholtzInTheSquare) {
  const Expr exact = sin(4 * x + 3 * y);  // waves: k = 5
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1});
  p.fields = {"u"};
  p.equation = {laplacian(u, {x, y}) + 36 * u == 11 * exact};
  p.condition = {on_boundary(u == exact)};
  expect_spectral(p, exact, 6, 1e-12);
}

TEST(ChebyshevConvergence, IsSpectralForTheBiharmonicEquation) {
  const Expr exact = sin(2 * x) * exp(y);
  const Space plane = {x, y};
  const auto twice = [&](const Expr& e) { return laplacian(laplacian(e, plane), plane); };
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1});
  p.fields = {"u"};
  p.equation = {twice(u) == twice(exact)};
  const Expr slope = normal_derivative(u, {"x", "y"}),
             given = normal_component("x") * d(exact, x) + normal_component("y") * d(exact, y);
  p.condition = {on_boundary(u == exact), on_boundary(slope == given)};
  expect_spectral(p, exact, 7, 1e-12);
}

TEST(ChebyshevConvergence, IsSpectralForDiffusionWithADecayAndASource) {
  const Expr exact = exp(-t) * cos(3 * x);
  Problem p;
  p.domain = Interval(x, 0, 1) * Time(t, 0, 0.5);
  p.fields = {"u"};
  p.equation = {d(u, t) == d(u, x, x) - u * u + 8 * exact + exact * exact};
  p.condition = {at(t == 0, u == exact), on_boundary(d(u, x) == d(exact, x))};
  expect_spectral(p, exact, 6, 1e-10);
}

}  // namespace
}  // namespace cauchy::test_chebyshev
