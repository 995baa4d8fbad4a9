#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/error_bounds.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/program_field.hpp"

namespace cauchy::test_bounds_steady {
namespace {

Problem problem_of(const std::string& text) { return parse_problem_file(text, "p").problem; }

const ErrorBound* find(const std::vector<ErrorBound>& all, const std::string& theory,
                       const std::string& norm) {
  for (const ErrorBound& b : all) {
    if (b.theory == theory && b.norm == norm) return &b;
  }
  return nullptr;
}

/// Norms of a formula over the domain of a problem, by many points.
struct Norms {
  double value = 0, gradient = 0, largest = 0;
};
Norms norms_of(const Problem& problem, const Expr& e) {
  const Points points = interior_points(domain_of(problem), 4096);
  const double measure = domain_of(problem).shape()->measure();
  const ProgramField field(problem.coordinates(), {{"u", e}});
  std::vector<Expr> wanted = {Field("u")};
  for (const std::string& x : problem.coordinates()) wanted.push_back(d(Field("u"), Coordinate(x)));
  std::vector<double> values(points.size() * wanted.size());
  field.evaluate(wanted, points.values, values);
  Norms made;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double square = values[i] * values[i] * measure / static_cast<double>(points.size());
    (i % wanted.size() == 0 ? made.value : made.gradient) += square;
    if (i % wanted.size() == 0) made.largest = std::max(made.largest, std::abs(values[i]));
  }
  made.value = std::sqrt(made.value);
  made.gradient = std::sqrt(made.gradient);
  return made;
}

std::vector<ErrorBound> bounds_of(const Problem& problem, const Expr& answer,
                                  std::size_t points = 8000) {
  return error_bounds(answer_of(problem, {{"u", answer}}), points);
}

/// Both sides of a bound around the truth; sampling of the truth is right to 2 %.
void expect_between(const std::vector<ErrorBound>& all, const std::string& name,
                    const std::string& theory, const std::string& norm, double real,
                    double effectivity, double lower_share = 0) {
  const ErrorBound* b = find(all, theory, norm);
  ASSERT_NE(b, nullptr) << name << ": no " << theory << ", " << norm;
  std::cout << "  " << name << ", " << theory << ", " << norm << ": true " << real << ", upper "
            << b->upper / real << ", lower " << b->lower / real << " of it\n";
  EXPECT_GE(b->upper, 0.98 * real) << name << ": " << b->how;
  EXPECT_LE(b->lower, 1.02 * real) << name << ": " << b->how;
  EXPECT_LE(b->upper, effectivity * real) << name << ": " << b->how;
  EXPECT_GE(b->lower, lower_share * real) << name << ": " << b->how;
}

std::string poisson(const std::string& space, const std::string& source,
                    const std::string& boundary = "0", const std::string& left = "-laplacian(u)") {
  return "fields = [\"u\"]\n[domain]\n" + space + "\n[[equation]]\nform = \"" + left + " = " +
         source + "\"\n[[condition]]\nwhere = \"boundary\"\nform = \"u = " + boundary + "\"\n";
}

const char* const square = "space = { x = [0, 1], y = [0, 1] }";

TEST(BoundsSteady, PoissonOnASquareIsEnclosed) {
  const Coordinate x("x"), y("y");
  const Problem p = problem_of(poisson(square, "2*pi^2*sin(pi*x)*sin(pi*y)"));
  const Expr exact = sin(pi * x) * sin(pi * y);
  struct Line {
    const char* name;
    Expr error;
    double largest;  // the maximum principle sees the largest residual alone
  };
  const Line lines[] = {{"smooth", 0.01 * sin(2 * pi * x) * sin(3 * pi * y), 20},
                        {"no sine", 0.02 * x * (1 - x) * y * (1 - y) * (1 + x), 4},
                        {"narrow",
                         0.01 * x * (1 - x) * y * (1 - y) *
                             exp(-100 * ((x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6))),
                         40},
                        {"boundary only", 0.01 * (x * x - y * y), 2},
                        {"boundary layer", 0.01 * exp(-20 * x) * sin(pi * y), 10}};
  for (const Line& line : lines) {
    const auto all = bounds_of(p, exact + line.error);
    const Norms e = norms_of(p, line.error);
    const bool edge = std::string(line.name).starts_with("boundary");
    expect_between(all, line.name, "dual norm", "L2 of the gradient", e.gradient, edge ? 3 : 1.2,
                   edge ? 0 : 0.8);
    expect_between(all, line.name, "dual norm", "L2", e.value, edge ? 8 : 1.2, edge ? 0 : 0.8);
    expect_between(all, line.name, "maximum principle", "largest", e.largest, line.largest);
    EXPECT_GE(find(all, "maximum principle", "L2")->upper, e.value);
  }
}

TEST(BoundsSteady, ADiskAndAnLShapeAreBoundedByTheirBoxes) {
  const Coordinate x("x"), y("y");
  const Problem disk = problem_of(poisson("region = \"disk((0, 0), 1)\"", "4"));
  const Expr round = 1 - x * x - y * y;
  for (const Expr& error : {0.01 * round * (1 + x), 0.02 * round * sin(3 * x) * y}) {
    const auto all = bounds_of(disk, round + error);
    const Norms e = norms_of(disk, error);
    expect_between(all, "disk", "dual norm", "L2 of the gradient", e.gradient, 2, 0.1);
    expect_between(all, "disk", "dual norm", "L2", e.value, 4);
    expect_between(all, "disk", "maximum principle", "largest", e.largest, 20);
  }
  // Boundary defects on a disk: no gradient, but values.
  const Expr off = 0.01 * (x * x - y * y + round);
  const auto defects = bounds_of(disk, round + off);
  EXPECT_EQ(find(defects, "dual norm", "L2 of the gradient"), nullptr);
  expect_between(defects, "disk, boundary", "dual norm", "L2", norms_of(disk, off).value, 6);
  // An L-shape: the bubble vanishes on all six sides.
  Problem made = problem_of(
      poisson("region = \"rectangle((-1, -1), (1, 1)) - rectangle((0, 0), (1, 1))\"", "0"));
  const Expr bubble = x * y * (1 - x * x) * (1 - y * y);
  made.equation[0].form.right = -(d(bubble, x, x) + d(bubble, y, y));
  const Expr error = 0.01 * bubble * cos(x + 2 * y);
  const auto all = bounds_of(made, bubble + error);
  const Norms e = norms_of(made, error);
  expect_between(all, "L-shape", "dual norm", "L2 of the gradient", e.gradient, 2, 0.05);
  expect_between(all, "L-shape", "dual norm", "L2", e.value, 5);
}

TEST(BoundsSteady, JumpsOfCoefficientsCountWithTheirFluxes) {
  // a = 1 for x < 1/2, else 10. The exact solution has a kink there: slopes 20 and 2, the right
  // branch bent down to 0 at x = 1 by a parabola without a slope at the interface. The flux of a
  // smooth error jumps.
  const Coordinate x("x"), y("y");
  Problem p = problem_of(poisson(square, "0", "0", "-div(where(x < 0.5, 1, 10)*grad(u))"));
  const Expr left = 20 * x * y * (1 - y);
  const Expr right = (10 + 2 * (x - 0.5) - 44 * (x - 0.5) * (x - 0.5)) * y * (1 - y);
  p.equation[0].form.right =
      where(x < 0.5, -(d(left, x, x) + d(left, y, y)), -10 * (d(right, x, x) + d(right, y, y)));
  const Expr exact = where(x < 0.5, left, right);
  // The last one has a kink of its own and no residual beside it: all of it is the jump.
  const Expr kink = where(x < 0.5, sinh(pi * x), sinh(pi * (1 - x))) / std::sinh(pi / 2.0);
  for (const Expr& error :
       {0.01 * sin(pi * x) * sin(pi * y), 0.01 * x * (1 - x) * sin(pi * y) * (1 + x * y),
        0.01 * kink * sin(pi * y)}) {
    const auto all = bounds_of(p, exact + error);
    const Norms e = norms_of(p, error);
    // Coercivity knows the smaller coefficient, continuity the larger one: a factor of 10 between.
    expect_between(all, "jump", "dual norm", "L2 of the gradient", e.gradient, 10, 0.1);
    expect_between(all, "jump", "dual norm", "L2", e.value, 10);
    EXPECT_EQ(find(all, "maximum principle", "largest"), nullptr);
    // Where the place of the jump is not a plane across an axis, nothing is said.
    Problem oblique = p;
    const Expr a = where(x < 0.5 + 0.1 * y, 1, 10);
    const Field u("u");
    oblique.equation[0].form.left = -(d(a * d(u, x), x) + d(a * d(u, y), y));
    EXPECT_TRUE(bounds_of(oblique, exact + error).empty());
  }
}

TEST(BoundsSteady, ReactionAndTransportAreBounded) {
  const Coordinate x("x"), y("y");
  // A thin reaction layer, a transport, an anisotropic medium, and Helmholtz below resonance.
  struct Line {
    const char *name, *left;
    double gradient, value, largest;
  };
  const Line lines[] = {{"reaction", "-0.01*laplacian(u) + u", 3, 1.3, 20},
                        {"transport", "-laplacian(u) + 5*u_x", 3, 4, 20},
                        {"anisotropic", "-u_xx - 20*u_yy", 1.3, 1.3, 20},
                        {"Helmholtz", "-laplacian(u) - 10*u", 1.3, 1.3, 40}};
  const Expr exact = sin(pi * x) * sin(pi * y), error = 0.01 * x * (1 - x) * sin(2 * pi * y);
  for (const Line& line : lines) {
    Problem p = problem_of(poisson(square, "0", "0", line.left));
    p.equation[0].form.right = substitute(p.equation[0].form.left, Field("u"), exact);
    const auto all = bounds_of(p, exact + error);
    const Norms e = norms_of(p, error);
    expect_between(all, line.name, "dual norm", "L2 of the gradient", e.gradient, line.gradient,
                   0.05);
    expect_between(all, line.name, "dual norm", "L2", e.value, line.value);
    expect_between(all, line.name, "maximum principle", "largest", e.largest, line.largest);
  }
}

TEST(BoundsSteady, TheMaximumPrincipleHoldsInManyDimensions) {
  std::string space = "space = { ";
  Expr exact = 1, error = 0.01;
  std::vector<Coordinate> x;
  for (int k = 1; k <= 6; ++k) {
    space += (k > 1 ? ", " : "") + ("x" + std::to_string(k)) + " = [0, 1]";
    x.emplace_back("x" + std::to_string(k));
    exact = exact * sin(pi * x.back());
    error = error * sin(pi * x.back());
  }
  Problem p = problem_of(poisson(space + " }", "0"));
  p.equation[0].form.right = 6 * pi * pi * exact;
  error = error * (1 + x[0]);
  const auto all = bounds_of(p, exact + error);
  expect_between(all, "six dimensions", "maximum principle", "largest", 0.0153, 12);
}

TEST(BoundsSteady, AFieldWithKinksIsRefused) {
  // Linear elements: inside of them the second derivatives are zero, and the residual is not.
  const Coordinate x("x"), y("y");
  const Problem p = problem_of(poisson(square, "2*pi^2*sin(pi*x)*sin(pi*y)"));
  Solution s = solve(p, Fem{});
  EXPECT_TRUE(error_bounds(s, 4000).empty());
  // The same with a network in mind: a smooth answer is not refused.
  EXPECT_FALSE(bounds_of(p, sin(pi * x) * sin(pi * y) * (1 + 0.01 * x)).empty());
}

}  // namespace
}  // namespace cauchy::test_bounds_steady
