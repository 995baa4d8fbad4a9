#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/problem/exact_solutions.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace cauchy::test_exact_solutions {
namespace {

constexpr double paper_nu = 0.01 / std::numbers::pi;

struct Value {
  double nu, t, x, u;
};

// Gauss-Legendre quadrature of both integrals with 40 digits (mpmath), at the double values of nu,
// t and x.
constexpr Value table[] = {
    {paper_nu, 1.0, 0.01, -0.59425616758872768426},
    {paper_nu, 1.0, -0.01, 0.59425616758872768426},
    {paper_nu, 1.0, 0.001, -0.083591549991330875194},
    {paper_nu, 1.0, 0.5, -0.37618139574812208835},
    {paper_nu, 0.25, 0.3, -0.98272411742910029128},
    {paper_nu, 0.5, 0.05, -0.97898217839507110229},
    {paper_nu, 0.75, -0.9, 0.093366090933078367164},
    {paper_nu, 0.32, 0.02, -0.54043233516820480445},
    {paper_nu, 0.001, 0.7, -0.80749795992343887585},
    {paper_nu, 1e-08, 0.25, -0.70710679667236680514},
    {paper_nu, 2.0, 0.6, -0.17220749732894774386},
    {0.001, 1.0, 0.01, -0.72800172235204914468},
    {0.001, 0.5, -0.4, 0.70258465406504227851},
    {0.001, 0.0001, 0.1, -0.3091090443425329577},
    {0.001, 0.35, 0.003, -0.47488054586339013135},
    {0.1, 1.0, 0.01, -0.015348115932988705287},
    {0.1, 0.3, 0.5, -0.65173293533318115307},
    {0.1, 3.0, -0.25, 0.029772126858766062709},
    {0.0001, 0.5, 0.3, -0.80457061574097865056},
    {0.0001, 1.0, 0.0005, -0.6999074415000844561},
    {0.0001, 0.4, -0.002, 0.91399710707390132827},
    {2.0, 0.5, 0.5, -0.000051682286755977659106},
    {2.0, 5.0, 0.3, -5.2905007591131243237e-43},
};

TEST(BurgersColeHopf, AgreesWithQuadratureOfFortyDigits) {
  for (const Value& v : table) {
    EXPECT_LT(std::abs(burgers_cole_hopf(v.t, v.x, v.nu) - v.u), 1e-12)
        << "nu " << v.nu << " t " << v.t << " x " << v.x;
  }
}

TEST(BurgersColeHopf, BeginsWithMinusSine) {
  for (const double nu : {1e-3, paper_nu, 0.1}) {
    for (const double x : {-1.0, -0.3, 0.0, 0.5, 0.9}) {
      EXPECT_EQ(burgers_cole_hopf(0, x, nu), -std::sin(std::numbers::pi * x));
    }
  }
}

TEST(BurgersColeHopf, IsContinuousAtTheStart) {
  // u = u0 + t (nu u0'' - u0 u0') + O(t^2), and the bracket is at most pi^2 nu + pi / 2 < 3; the
  // second derivative by time is below 100 for these nu.
  for (const double nu : {1e-4, paper_nu, 0.1}) {
    for (const double t : {1e-14, 1e-10, 1e-6, 1e-4}) {
      for (const double x : {-0.95, -0.5, 0.1, 0.25}) {
        using std::numbers::pi;
        const double s = std::sin(pi * x), c = std::cos(pi * x);
        const double expected = -s + t * (nu * pi * pi * s - pi * s * c);
        EXPECT_LT(std::abs(burgers_cole_hopf(t, x, nu) - expected), 100 * t * t + 1e-12)
            << nu << " " << t << " " << x;
      }
    }
  }
}

TEST(BurgersColeHopf, IsOddAndVanishesOnTheBoundary) {
  for (const double nu : {1e-4, 1e-3, paper_nu, 0.1, 1.0}) {
    for (const double t : {1e-6, 0.1, 0.4, 1.0, 3.0}) {
      for (const double x : {-1.0, 0.0, 1.0}) {
        EXPECT_LT(std::abs(burgers_cole_hopf(t, x, nu)), 1e-12) << nu << " " << t << " " << x;
      }
      for (const double x : {1e-3, 0.1, 0.63, 0.99}) {
        const double sum = burgers_cole_hopf(t, x, nu) + burgers_cole_hopf(t, -x, nu);
        EXPECT_LT(std::abs(sum), 1e-12) << nu << " " << t << " " << x;
      }
    }
  }
}

TEST(BurgersColeHopf, DecaysLikeTheHeatEquationWhenDiffusionIsStrong) {
  // With nu large the equation is linear to relative order 1 / nu: u = -sin(pi x) exp(-pi^2 nu t).
  for (const double nu : {10.0, 1e3, 1e5}) {
    for (const double decay : {0.01, 1.0, 30.0}) {
      const double t = decay / (nu * std::numbers::pi * std::numbers::pi);
      for (const double x : {-0.5, 0.2, 0.7}) {
        const double expected = -std::sin(std::numbers::pi * x) * std::exp(-decay);
        EXPECT_LT(std::abs(burgers_cole_hopf(t, x, nu) - expected), 1 / nu) << nu << " " << decay;
      }
    }
    EXPECT_LT(std::abs(burgers_cole_hopf(1, 0.3, nu)), 1e-12) << nu;
  }
}

/// First and second derivative by central differences of order 8.
struct Slopes {
  double first = 0, second = 0;
};
Slopes differentiate(const std::function<double(double)>& f, double at, double h) {
  constexpr std::array first{4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  constexpr std::array second{8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  Slopes out;
  out.second = -205.0 / 72 * f(at);
  for (std::size_t k = 0; k < 4; ++k) {
    const double step = h * static_cast<double>(k + 1);
    const double right = f(at + step), left = f(at - step);
    out.first += first[k] * (right - left);
    out.second += second[k] * (right + left);
  }
  out.first /= h;
  out.second /= h * h;
  return out;
}

/// Largest u_t + u u_x - nu u_xx, with the size of its largest part.
struct Defect {
  double residual = 0, size = 0;
};
Defect defect(double nu, double t, double x, double h) {
  const Slopes by_x = differentiate([&](double y) { return burgers_cole_hopf(t, y, nu); }, x, h);
  // The start of the time axis is a singular point of the formula: stay well away from it.
  const Slopes by_t =
      differentiate([&](double s) { return burgers_cole_hopf(s, x, nu); }, t, std::min(h, t / 100));
  const double u = burgers_cole_hopf(t, x, nu);
  return {by_t.first + u * by_x.first - nu * by_x.second,
          std::max({std::abs(by_t.first), std::abs(u * by_x.first), std::abs(nu * by_x.second)})};
}

// The shortest length is that of the steady shock tanh(x / L), L = 2 nu. Its derivatives grow like
// n! (2 / (pi L))^(n + 1), so that truncation is below 8 nu / L^2 (h / L)^8 with h = L / 40, that
// is 3e-13 / nu. Values of u err by eps (4 + 1 / (4 nu)), the second part from rounded exponents,
// and the second difference multiplies that by nu 7 / h^2 = 2800 / nu.
TEST(BurgersColeHopf, SatisfiesTheEquation) {
  for (const double nu : {paper_nu, 0.03, 0.1}) {
    const double tolerance = (3e-13 + 2800 * 2.2e-16 * (4 + 1 / (4 * nu))) / nu;
    for (const double t : {0.1, 0.35, 0.6, 1.0}) {
      for (const double x : {-0.8, -0.25, -0.02, 0.005, 0.013, 0.5, 0.97}) {
        const Defect found = defect(nu, t, x, 2 * nu / 40);
        EXPECT_LT(std::abs(found.residual), tolerance) << nu << " " << t << " " << x;
        EXPECT_GT(found.size, 1e4 * tolerance) << nu << " " << t << " " << x;
      }
    }
  }
}

TEST(BurgersColeHopf, AnswersAtOnceForExtremeNumbers) {
  EXPECT_EQ(burgers_cole_hopf(1e300, 0.3, 0.1), 0);
  EXPECT_EQ(burgers_cole_hopf(1e300, 0.3, 1e-8), 0);
  EXPECT_EQ(burgers_cole_hopf(1e-320, 0.5, 0.1), -1);
  EXPECT_EQ(burgers_cole_hopf(1e-320, 0.5, 1e100), -1);
  EXPECT_LT(std::abs(burgers_cole_hopf(1e-300, 0.5, 1e100) + 1), 1e-12);
  // Long after the shock has formed the solution is the saw tooth (x - 1) / t, up to 1 / t^2.
  const double late = burgers_cole_hopf(1e4, 0.5, 1e-7);
  EXPECT_LT(std::abs(late + 0.5 / 1e4), 1e-6);
  // Far outside, by periodicity.
  EXPECT_LT(std::abs(burgers_cole_hopf(0.5, 1000.25, 0.1) - burgers_cole_hopf(0.5, 0.25, 0.1)),
            1e-15);
}

TEST(BurgersColeHopf, RefusesNumbersOutsideItsDomain) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const double bad : {0.0, -1.0, 9e-9, 1e101, nan, infinity}) {
    EXPECT_THROW((void)burgers_cole_hopf(1, 0.5, bad), Error) << bad;
  }
  for (const double bad : {-1e-9, nan, infinity}) {
    EXPECT_THROW((void)burgers_cole_hopf(bad, 0.5, 0.1), Error) << bad;
  }
  for (const double bad : {-infinity, nan, infinity}) {
    EXPECT_THROW((void)burgers_cole_hopf(1, bad, 0.1), Error) << bad;
  }
}

}  // namespace
}  // namespace cauchy::test_exact_solutions
