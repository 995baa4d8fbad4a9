#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/test_functions.hpp>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_test_functions {
namespace {

using Function = TabulatedTests::Function;

template <class F>
double integral(const TabulatedTests& t, const Function& v, std::size_t j, F f) {
  double sum = 0;
  for (std::size_t i = 0; i < v.at[j].size(); ++i) {
    sum += t.weights[v.first + i] * v.at[j][i] * f(t.nodes[v.first + i]);
  }
  return sum;
}
template <class F>
double at_faces(const TabulatedTests& t, const Function& v, std::size_t j, F f) {
  double sum = 0;
  for (std::size_t i = 0; i < v.jump[j].size(); ++i) {
    sum += v.jump[j][i] * f(t.faces[v.first_face + i]);
  }
  return sum;
}

struct Case {
  TestFunctions tests;
  std::size_t size;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const TestFamily family : {TestFamily::sine, TestFamily::legendre, TestFamily::jacobi}) {
    all.push_back({{.family = family, .count = 5}, 5});
    all.push_back({{.family = family, .count = 4, .elements = 3}, 14});
    all.push_back({{.family = family, .count = 4, .elements = 3, .vertices = false}, 12});
    all.push_back({{.family = family, .count = 5, .vanish = false}, 5});
    all.push_back({{.family = family, .count = 2, .elements = 2, .vanish = false}, 4});
  }
  all.push_back({{.family = TestFamily::jacobi, .count = 4, .alpha = 0.5, .beta = -0.5}, 4});
  for (const std::size_t degree : {1, 2, 3}) {
    const TestFamily spline = TestFamily::spline;
    all.push_back({{.family = spline, .elements = 6, .degree = degree}, 4 + degree});
    all.push_back(
        {{.family = spline, .elements = 6, .vanish = false, .degree = degree}, 6 + degree});
  }
  all.push_back({{.family = TestFamily::hat, .elements = 5}, 4});
  return all;
}

TEST(TestFunctions, AreIntegratedByPartsElementByElement) {
  const auto f = [](double x) { return std::sin(2 * x) + x; };
  const auto df = [](double x) { return 2 * std::cos(2 * x) + 1; };
  std::size_t number = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(number++);
    const TabulatedTests t = tabulate(c.tests, -0.5, 1.25, 24);
    ASSERT_EQ(t.functions.size(), c.size);
    for (const Function& v : t.functions) {
      // 24 nodes per element integrate all of these to rounding; derivatives grow like 1e3.
      const double size = 1e-11 * (1 + std::abs(integral(t, v, 2, f)));
      EXPECT_LT(std::abs(integral(t, v, 0, df) + integral(t, v, 1, f) - at_faces(t, v, 0, f)),
                size);
      EXPECT_LT(std::abs(integral(t, v, 1, df) + integral(t, v, 2, f) - at_faces(t, v, 1, f)),
                size);
      if (c.tests.vanish) {
        EXPECT_EQ(v.first_face > 0 ? 0 : v.jump[0].front(), 0);
        EXPECT_EQ(at_faces(t, v, 0, [](double) { return 1.0; }), 0);
      }
    }
  }
}

TEST(TestFunctions, HaveTheirClosedForms) {
  const TabulatedTests sine = tabulate({.family = TestFamily::sine, .count = 3}, 0, 2, 20);
  const TabulatedTests legendre = tabulate({.count = 3}, 0, 2, 20);
  const TabulatedTests jacobi = tabulate({.family = TestFamily::jacobi, .count = 3}, 0, 2, 20);
  for (std::size_t i = 0; i < 20; ++i) {
    const double x = sine.nodes[i], r = x - 1;
    EXPECT_LT(std::abs(sine.functions[1].at[0][i] - std::sin(std::numbers::pi * x)), 1e-14);
    // P_3 - P_1, and (1 - r^2) P_1^(1,1) with P_1^(1,1) = 2 r.
    EXPECT_LT(std::abs(legendre.functions[1].at[0][i] - (5 * r * r * r - 5 * r) / 2), 1e-14);
    EXPECT_LT(std::abs(jacobi.functions[1].at[0][i] - (1 - r * r) * 2 * r), 1e-14);
  }
  // (P_{k+1} - P_{k-1})' = (2 k + 1) P_k: orthogonal slopes of norm ((2 k + 1) 2)^(1/2).
  for (std::size_t k = 1; k <= 3; ++k) {
    const double want = std::sqrt(2.0 * (2.0 * static_cast<double>(k) + 1));
    EXPECT_LT(std::abs(legendre.functions[k - 1].norm[1] - want), 1e-13);
  }
}

TEST(TestFunctions, WithVerticesSpanContinuousPiecewisePolynomials) {
  // A hat of the inner face of two elements is not a sum of functions that vanish there.
  const TabulatedTests t = tabulate({.count = 2, .elements = 2}, 0, 1, 6);
  ASSERT_EQ(t.functions.size(), 5u);
  const Function& hat = t.functions.back();
  for (std::size_t i = 0; i < t.nodes.size(); ++i) {
    EXPECT_LT(std::abs(hat.at[0][i] - (1 - std::abs(2 * t.nodes[i] - 1))), 1e-14);
  }
  EXPECT_LT(std::abs(hat.jump[1][1] - 4), 1e-13);  // from +2 to -2
}

TEST(TestFunctions, SayWhatIsWrong) {
  const auto message = [](const TestFunctions& t, double upper = 1) {
    return message_of([&] { (void)tabulate(t, 0, upper); });
  };
  EXPECT_EQ(message({.count = 0}),
            "[math.test_functions]: there must be at least one test function per element");
  EXPECT_EQ(message({.elements = 0}), "[math.test_functions]: there must be at least one element");
  EXPECT_EQ(message({.family = TestFamily::hat}),
            "[math.test_functions]: no spline on so few intervals vanishes at both ends");
  EXPECT_NE(message({.alpha = -1}), "no error");
  EXPECT_NE(message({}, 0), "no error");
  EXPECT_EQ(message({}), "no error");
}

}  // namespace
}  // namespace cauchy::test_test_functions
