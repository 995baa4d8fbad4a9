#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/error_bounds.hpp>

#include "support/program_field.hpp"

namespace cauchy::test_bounds_evolution {
namespace {

const ErrorBound* find(const std::vector<ErrorBound>& all, const std::string& theory,
                       const std::string& norm) {
  for (const ErrorBound& b : all) {
    if (b.theory == theory && b.norm == norm) return &b;
  }
  return nullptr;
}

/// Norms of a formula over space and time, and at the last time.
struct Norms {
  double over = 0, gradient = 0, end = 0, largest = 0;
};
Norms norms_of(const Problem& problem, const Expr& e) {
  const Domain domain = domain_of(problem);
  const ProgramField field(problem.coordinates(), {{"u", e}});
  std::vector<Expr> wanted = {Field("u")};
  for (const std::string& x : domain.space()->coordinates()) {
    wanted.push_back(d(Field("u"), Coordinate(x)));
  }
  const double measure = domain.shape()->measure();
  const double volume = measure * (domain.time()->upper - domain.time()->lower);
  Norms made;
  for (const bool last : {false, true}) {
    const Points points =
        last ? slice_points(domain, domain.time()->upper, 2048) : interior_points(domain, 8192);
    std::vector<double> values(points.size() * wanted.size());
    field.evaluate(wanted, points.values, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double square = values[i] * values[i] / static_cast<double>(points.size());
      if (i % wanted.size() != 0) {
        if (!last) made.gradient += volume * square;
      } else {
        (last ? made.end : made.over) += (last ? measure : volume) * square;
        made.largest = std::max(made.largest, std::abs(values[i]));
      }
    }
  }
  made.over = std::sqrt(made.over);
  made.gradient = std::sqrt(made.gradient);
  made.end = std::sqrt(made.end);
  return made;
}

void expect_above(const std::vector<ErrorBound>& all, const std::string& name,
                  const std::string& theory, const std::string& norm, double real,
                  double effectivity) {
  const ErrorBound* b = find(all, theory, norm);
  ASSERT_NE(b, nullptr) << name << ": no " << theory << ", " << norm;
  std::cout << "  " << name << ", " << theory << ", " << norm << ": true " << real << ", upper "
            << b->upper / real << " of it\n";
  EXPECT_GE(b->upper, 0.98 * real) << name << ": " << b->how;
  EXPECT_LE(b->upper, effectivity * real) << name << ": " << b->how;
}

/// A problem in space and time whose exact solution is a formula: the source is made of it.
Problem evolution(const std::string& space, const std::string& left, const Expr& exact,
                  const std::string& conditions) {
  Problem p = parse_problem_file("fields = [\"u\"]\n[domain]\ntime = { t = [0, 1] }\n" + space +
                                     "\n[[equation]]\nform = \"" + left + " = 0\"\n" + conditions,
                                 "p")
                  .problem;
  p.equation[0].form.right = substitute(p.equation[0].form.left, Field("u"), exact);
  p.condition.push_back(
      at(Coordinate("t") == 0, Field("u") == substitute(exact, Coordinate("t"), 0)));
  return p;
}

const char* const zero_edges = "[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n";

TEST(BoundsEvolution, TheHeatEquationIsBounded) {
  const Coordinate t("t"), x("x"), y("y");
  const Expr exact = exp(-t) * sin(pi * x);
  const Problem p = evolution("space = { x = [0, 1] }", "u_t - 0.1*u_xx", exact, zero_edges);
  struct Line {
    const char* name;
    Expr error;
    double end, over, gradient, largest;
  };
  const Line lines[] = {{"smooth", 0.01 * t * sin(pi * x), 2, 2, 3, 4},
                        {"wrong from the start", 0.01 * cos(t) * sin(2 * pi * x), 6, 6, 3, 12},
                        {"constant in time", 0.01 * x * (1 - x), 3, 3, 3, 4},
                        {"boundary only", 0.01 * t * (1 + x), 4, 4, 4, 4}};
  for (const Line& line : lines) {
    const auto all = error_bounds(answer_of(p, {{"u", exact + line.error}}), 6000);
    const Norms e = norms_of(p, line.error);
    expect_above(all, line.name, "semigroup", "L2 at the last time", e.end, line.end);
    expect_above(all, line.name, "semigroup", "L2 over space and time", e.over, line.over);
    expect_above(all, line.name, "semigroup", "L2 of the gradient over space and time", e.gradient,
                 line.gradient);
    expect_above(all, line.name, "maximum principle", "largest", e.largest, line.largest);
  }
  const Expr flat = exp(-t) * sin(pi * x) * sin(pi * y);
  const Problem q =
      evolution("space = { x = [0, 1], y = [0, 1] }", "u_t - 0.1*laplacian(u)", flat, zero_edges);
  const Expr error = 0.01 * t * x * (1 - x) * sin(pi * y);
  const auto all = error_bounds(answer_of(q, {{"u", flat + error}}), 6000);
  expect_above(all, "square", "semigroup", "L2 at the last time", norms_of(q, error).end, 3);
  expect_above(all, "square", "maximum principle", "largest", norms_of(q, error).largest, 6);
}

TEST(BoundsEvolution, TransportIsBoundedByItsInflow) {
  const Coordinate t("t"), x("x");
  const Expr exact = sin(2 * pi * (x - t));
  const Problem p = evolution("space = { x = [0, 1] }", "u_t + u_x", exact,
                              "[[condition]]\nwhere = \"left\"\nform = \"u = -sin(2*pi*t)\"\n");
  for (const Expr& error : {0.01 * t * x, 0.01 * cos(x - t) * t, 0.01 + 0 * x}) {
    const auto all = error_bounds(answer_of(p, {{"u", exact + error}}), 6000);
    const Norms e = norms_of(p, error);
    expect_above(all, "inflow", "semigroup", "L2 at the last time", e.end, 4);
    expect_above(all, "inflow", "maximum principle", "largest", e.largest, 3);
  }
  // The same written with the other sign.
  Problem turned = p;
  turned.equation[0].form.left = -turned.equation[0].form.left;
  turned.equation[0].form.right = -turned.equation[0].form.right;
  const Expr error = 0.01 * t * x;
  const auto all = error_bounds(answer_of(turned, {{"u", exact + error}}), 6000);
  expect_above(all, "turned", "semigroup", "L2 at the last time", norms_of(p, error).end, 4);
  // Nothing is given where it enters: nothing is said.
  Problem open = p;
  open.condition[0].where = "right";
  EXPECT_TRUE(error_bounds(answer_of(open, {{"u", exact + error}}), 2000).empty());
}

TEST(BoundsEvolution, PeriodicProblemsAndReactionsAreBounded) {
  const Coordinate t("t"), x("x");
  const Expr exact = exp(-t) * sin(x), error = 0.01 * t * cos(x - t);
  struct Line {
    const char *name, *left;
    double end, largest;
  };
  for (const Line& line :
       {Line{"skew-symmetric", "u_t + 3*u_x", 6, 6},
        Line{"diffusion and transport", "u_t - 0.05*u_xx + u_x", 3, 3},
        Line{"growth", "u_t - 0.1*u_xx - u", 4, 4}, Line{"decay", "u_t - 0.1*u_xx + 5*u", 2, 2}}) {
    const Problem p = evolution("space = { x = [0, \"2*pi\"] }", line.left, exact,
                                "[[condition]]\nperiodic = \"x\"\n");
    const auto all = error_bounds(answer_of(p, {{"u", exact + error}}), 6000);
    const Norms e = norms_of(p, error);
    expect_above(all, line.name, "semigroup", "L2 at the last time", e.end, line.end);
    expect_above(all, line.name, "maximum principle", "largest", e.largest, line.largest);
  }
  // An answer that is not periodic has no such bound.
  const Problem p = evolution("space = { x = [0, \"2*pi\"] }", "u_t + 3*u_x", exact,
                              "[[condition]]\nperiodic = \"x\"\n");
  EXPECT_TRUE(error_bounds(answer_of(p, {{"u", exact + 0.01 * x}}), 2000).empty());
}

TEST(BoundsEvolution, NonlinearAndBackwardEquationsAreRefused) {
  const Coordinate t("t"), x("x");
  const Expr exact = exp(-t) * sin(pi * x);
  const Problem burgers =
      evolution("space = { x = [0, 1] }", "u_t + u*u_x - 0.1*u_xx", exact, zero_edges);
  EXPECT_TRUE(error_bounds(answer_of(burgers, {{"u", exact}}), 2000).empty());
  const Problem back = evolution("space = { x = [0, 1] }", "u_t + 0.1*u_xx", exact, zero_edges);
  EXPECT_TRUE(error_bounds(answer_of(back, {{"u", exact}}), 2000).empty());
}

}  // namespace
}  // namespace cauchy::test_bounds_evolution
