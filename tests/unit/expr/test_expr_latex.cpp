#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/vector.hpp>

namespace cauchy::test_expr_latex {
namespace {

const Coordinate t("t"), x("x"), y("y"), theta("theta"), x1("x1");
const Field u("u"), v("v"), p("p");
const Parameter nu("nu"), D("D"), rho("rho"), Re("Re");

TEST(Latex, WritesBurgersEquation) {
  EXPECT_EQ(to_latex(d(u, t) + u * d(u, x) == 0.01 / Expr(pi) * d(u, x, x)),
            "u_t + u u_x = \\frac{0.01 u_{xx}}{\\pi}");
  EXPECT_EQ(to_latex(d(u, t) + u * d(u, x) - nu * d(u, x, x)), "u_t - \\nu u_{xx} + u u_x");
}

TEST(Latex, WritesTheHeatEquation) {
  EXPECT_EQ(to_latex(d(u, t) == pow(D, 2) * laplacian(u, {x, y})), "u_t = D^2 \\Delta u");
}

TEST(Latex, WritesNavierStokes) {
  EXPECT_EQ(
      to_latex(d(u, t) + u * d(u, x) + v * d(u, y) == -d(p, x) / rho + laplacian(u, {x, y}) / Re),
      "u_t + u u_x + v u_y = -\\frac{p_x}{\\rho} + \\frac{\\Delta u}{\\mathrm{Re}}");
  EXPECT_EQ(to_latex(div(Vector{u, v}, {x, y}) == 0), "\\nabla \\cdot (u, v) = 0");
}

TEST(Latex, WritesPoissonWithVariableCoefficient) {
  const DataFunction a("a");
  EXPECT_EQ(to_latex(-d(a(x, y) * d(u, x), x) == 1), "-\\partial_x (a(x, y) u_x) = 1");
}

TEST(Latex, WritesSelectionsAsCases) {
  EXPECT_EQ(to_latex(where(x < 0, -x, pow(x, 2))),
            "\\begin{cases} -x & \\text{if } x < 0 \\\\ x^2 & \\text{otherwise} \\end{cases}");
  EXPECT_EQ(to_latex(2 * where(x <= y, 1, u)),
            "2 \\left(\\begin{cases} 1 & \\text{if } x \\le y \\\\ u & \\text{otherwise} "
            "\\end{cases}\\right)");
  EXPECT_EQ(to_latex(where(u, 1, 0)),
            "\\begin{cases} 1 & \\text{if } u \\ne 0 \\\\ 0 & \\text{otherwise} \\end{cases}");
}

TEST(Latex, WritesDerivativesAsSubscripts) {
  EXPECT_EQ(to_latex(d(u, x, t)), "u_{tx}");
  EXPECT_EQ(to_latex(d(u, theta, theta)), "u_{\\theta \\theta}");
  EXPECT_EQ(to_latex(d(u, x1)), "u_{x_1}");
  EXPECT_EQ(to_latex(d(Field("u_1"), x)), "u_{1,x}");
  EXPECT_EQ(to_latex(pow(d(u, x), 2)), "u_x^2");
  EXPECT_EQ(to_latex(d_n(u, x, 12)), "\\partial_x^{12} u");
  EXPECT_EQ(to_latex(pow(d_n(u, x, 12), 2)), "\\left(\\partial_x^{12} u\\right)^2");
}

TEST(Latex, WritesNames) {
  const auto name = [](std::string_view n) { return to_latex(Parameter(n)); };
  EXPECT_EQ(name("nu"), "\\nu");
  EXPECT_EQ(name("Omega"), "\\Omega");
  EXPECT_EQ(name("nu_t"), "\\nu_t");
  EXPECT_EQ(name("rho0"), "\\rho_0");
  EXPECT_EQ(name("x12"), "x_{12}");
  EXPECT_EQ(name("u_in"), "u_{\\mathrm{in}}");
  EXPECT_EQ(name("k_eff_2"), "k_{\\mathrm{eff},2}");
  EXPECT_EQ(name("rho0_in"), "\\rho_{0,\\mathrm{in}}");
  EXPECT_EQ(name("speed"), "\\mathrm{speed}");
  EXPECT_EQ(name("_a"), "\\mathrm{\\_a}");
  EXPECT_EQ(name("a_"), "\\mathrm{a\\_}");
  EXPECT_EQ(name("a{b"), "\\mathrm{a\\{b}");
}

TEST(Latex, WritesNumbers) {
  EXPECT_EQ(to_latex(Expr(1.5e-7)), "1.5 \\cdot 10^{-7}");
  EXPECT_EQ(to_latex(Expr(-2.5e20)), "-2.5 \\cdot 10^{20}");
  EXPECT_EQ(to_latex(Expr(1e-6)), "10^{-6}");
  EXPECT_EQ(to_latex(Expr(0.25)), "0.25");
  EXPECT_EQ(to_latex(1.5e-7 * u), "1.5 \\cdot 10^{-7} u");
  EXPECT_EQ(to_latex(x - 1.5e-7 * u), "x - 1.5 \\cdot 10^{-7} u");
  EXPECT_EQ(to_latex(pow(Expr(1e-6), x)), "\\left(10^{-6}\\right)^x");
  EXPECT_EQ(to_latex(3 * pow(Expr(2), x)), "3 \\cdot 2^x");
  EXPECT_EQ(to_latex(pow(Expr(-2), x)), "(-2)^x");
}

TEST(Latex, WritesFractionsPowersAndRoots) {
  EXPECT_EQ(to_latex(x / y), "\\frac{x}{y}");
  EXPECT_EQ(to_latex(-1 / x), "-\\frac{1}{x}");
  EXPECT_EQ(to_latex((x + y) / (x - y)), "\\frac{x + y}{x - y}");
  EXPECT_EQ(to_latex(2 * (x + y) / (u * (x - y))), "\\frac{2 (x + y)}{u (x - y)}");
  EXPECT_EQ(to_latex(1 / pow(x, 2)), "\\frac{1}{x^2}");
  EXPECT_EQ(to_latex(pow(x + y, 10)), "(x + y)^{10}");
  EXPECT_EQ(to_latex(sqrt(x + 1)), "\\sqrt{x + 1}");
  EXPECT_EQ(to_latex(1 / sqrt(x)), "\\frac{1}{\\sqrt{x}}");
  EXPECT_EQ(to_latex(pow(x, 1.0 / 3)), "\\sqrt[3]{x}");
  EXPECT_EQ(to_latex(pow(x, 1.5)), "x^{1.5}");
  EXPECT_EQ(to_latex(pow(x, -y)), "x^{-y}");
  EXPECT_EQ(to_latex(pow(x / y + 1, 2)), "\\left(\\frac{x}{y} + 1\\right)^2");
}

TEST(Latex, WritesFunctions) {
  EXPECT_EQ(to_latex(sin(Expr(pi) * x)), "\\sin(\\pi x)");
  EXPECT_EQ(to_latex(pow(sin(x), 2)), "\\sin^2(x)");
  EXPECT_EQ(to_latex(sqrt(sin(x))), "\\sqrt{\\sin(x)}");
  EXPECT_EQ(to_latex(pow(sin(x), 1.5)), "(\\sin(x))^{1.5}");
  EXPECT_EQ(to_latex(1 / pow(cosh(x), 2)), "\\frac{1}{\\cosh^2(x)}");
  EXPECT_EQ(to_latex(exp(-pow(x, 2))), "e^{-x^2}");
  EXPECT_EQ(to_latex(e_constant() * x), "e x");
  EXPECT_EQ(to_latex(atan(x / y)), "\\arctan\\left(\\frac{x}{y}\\right)");
  EXPECT_EQ(to_latex(erf(x) + sign(y) + log(x)),
            "\\log(x) + \\operatorname{erf}(x) + \\operatorname{sign}(y)");
  EXPECT_EQ(to_latex(pow(abs(x), 3)), "\\left|x\\right|^3");
  EXPECT_EQ(to_latex(pow(floor(x / 2), 2)), "\\left\\lfloor 0.5 x\\right\\rfloor^2");
  EXPECT_EQ(to_latex(max(x, 0)), "\\max(0, x)");
  EXPECT_EQ(to_latex(1 - (x < y)), "-(x < y) + 1");
}

TEST(Latex, WritesDataFunctionsAndTheirDerivatives) {
  const DataFunction a("a"), k("kappa");
  EXPECT_EQ(to_latex(a(x, y)), "a(x, y)");
  EXPECT_EQ(to_latex(d(a(x, y), y)), "\\partial_2 a(x, y)");
  EXPECT_EQ(to_latex(d(a(x, y), x, x, y)), "\\partial_1^2 \\partial_2 a(x, y)");
  EXPECT_EQ(to_latex(k(pow(u, 2))), "\\kappa\\left(u^2\\right)");
  EXPECT_EQ(to_latex(pow(a(x), 2)), "(a(x))^2");
}

TEST(Latex, BracketsNegativeAndCompoundFactors) {
  EXPECT_EQ(to_latex(-(x + y)), "-(x + y)");
  EXPECT_EQ(to_latex(x * (y - x)), "x (-x + y)");
  EXPECT_EQ(to_latex(x - y * (x + y)), "x - y (x + y)");
  EXPECT_EQ(to_latex(x - 1), "x - 1");
  EXPECT_EQ(to_latex(pow(exp(x), y)), "\\left(e^x\\right)^y");
}

TEST(Latex, RefusesTextsAboveSixteenMegabytes) {
  Expr e = x;
  for (int i = 0; i < 30; ++i) e = sin(e) + cos(e);
  EXPECT_THROW((void)to_latex(e), Error);
}

class RandomExpr {
 public:
  explicit RandomExpr(unsigned seed) : engine_(seed) {}
  Expr make(int depth) {
    while (true) {
      try {
        return attempt(depth);
      } catch (const Error&) {  // a number that is not finite
      }
    }
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Expr attempt(int depth) {
    const DataFunction a("a_b");
    if (depth == 0 || below(8) == 0) {
      const std::array<Expr, 10> atoms{x,          nu,       u,    d(u, x, x), d(v, theta),
                                       Expr(1e-9), Expr(-3), a(x), y,          Parameter("c_in")};
      return atoms[static_cast<std::size_t>(below(10))];
    }
    const auto next = [&] { return attempt(depth - 1); };
    switch (below(10)) {
      case 0:
      case 1:
        return next() + next();
      case 2:
        return next() - next();
      case 3:
        return next() * next();
      case 4:
        return next() / next();
      case 5:
        return pow(next(), next());
      case 6:
        return pow(next(),
                   std::array{0.5, 2.0, -1.0, 1.0 / 3, 1e-7}[static_cast<std::size_t>(below(5))]);
      case 7:
        return where(next() <= next(), next(), next());
      case 8: {
        // Named before the braces: GCC 12 mishandles an exception inside an initializer list.
        const Expr first = next(), second = next();
        return below(2) == 0 ? d(a.call({first, second}), x) : min(first, second);
      }
      default: {
        const auto first = static_cast<int>(Kind::exp), last = static_cast<int>(Kind::floor);
        const Expr argument = next();
        return apply_function(static_cast<Kind>(first + below(last - first + 1)),
                              std::array{argument});
      }
    }
  }
  std::mt19937 engine_;
};

/// Empty when braces, \left \right and \begin \end are balanced and nested, else what is wrong.
std::string imbalance(const std::string& latex) {
  std::vector<char> open;
  const auto close = [&](char expected) {
    if (open.empty() || open.back() != expected) return false;
    open.pop_back();
    return true;
  };
  for (std::size_t i = 0; i < latex.size(); ++i) {
    const auto starts = [&](std::string_view w) { return latex.compare(i, w.size(), w) == 0; };
    bool good = true;
    if (starts("\\{") || starts("\\}")) {
      ++i;
    } else if (latex[i] == '{') {
      open.push_back('{');
    } else if (latex[i] == '}') {
      good = close('{');
    } else if (starts("\\left(") || starts("\\left|")) {
      open.push_back('l');
      i += 5;
    } else if (starts("\\right)") || starts("\\right|")) {
      good = close('l');
      i += 6;
    } else if (starts("\\begin{")) {
      open.push_back('b');
      i += 12;
    } else if (starts("\\end{")) {
      good = close('b');
      i += 10;
    } else if (latex[i] == '(') {
      open.push_back('(');
    } else if (latex[i] == ')') {
      good = close('(');
    }
    if (!good) return "unmatched at " + std::to_string(i) + " in " + latex;
  }
  return open.empty() ? "" : "left open in " + latex;
}

/// Two exponents or two indices in a row, x^2^3, which TeX rejects.
bool has_double_script(const std::string& latex) {
  for (std::size_t i = 0; i < latex.size(); ++i) {
    const char mark = latex[i];
    if (mark != '^' && (mark != '_' || (i > 0 && latex[i - 1] == '\\'))) continue;
    std::size_t end = i + 1;
    int open = 0;
    do {  // over one character or one group
      if (latex[end] == '{') ++open;
      if (latex[end] == '}') --open;
      ++end;
    } while (open > 0 && end < latex.size());
    if (end < latex.size() && latex[end] == mark) return true;
  }
  return false;
}

TEST(Latex, BalanceCheckSeesErrors) {
  EXPECT_TRUE(has_double_script("x^2^3"));
  EXPECT_TRUE(has_double_script("u_{x}_{y}"));
  EXPECT_FALSE(has_double_script("u_{x^2}^{y^2}"));
  EXPECT_EQ(imbalance("\\frac{a}{\\left(b\\right)}"), "");
  EXPECT_NE(imbalance("\\frac{a}{b"), "");
  EXPECT_NE(imbalance("\\left(a}"), "");
  EXPECT_NE(imbalance("{\\begin{cases} a } \\end{cases}"), "");
}

TEST(Latex, BalancesForRandomExpressions) {
  RandomExpr random(3);
  for (int i = 0; i < 1500; ++i) {
    const Expr e = random.make(2 + i % 4);
    const std::string latex = to_latex(e);
    ASSERT_EQ(imbalance(latex), "");
    EXPECT_FALSE(has_double_script(latex)) << latex;
    for (const char* wrong : {"--", "+ -", "- -", "  "}) {  // signs must not meet
      EXPECT_EQ(latex.find(wrong), std::string::npos) << latex;
    }
  }
}

}  // namespace
}  // namespace cauchy::test_expr_latex
