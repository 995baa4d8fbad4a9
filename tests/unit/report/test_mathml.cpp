#include <gtest/gtest.h>

#include <limits>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/report/mathml.hpp>

namespace cauchy::test_mathml {
namespace {

const Coordinate t("t"), x("x"), y("y"), theta("theta");
const Field u("u"), v("v");
const Parameter nu("nu"), k_in("k_in");

/// Tags and entities out of sight: what is left is read by eye.
std::string plain(std::string text) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
    }
  };
  for (const char* tag : {"mrow", "mi", "mn", "mo", "mtext"}) {
    replace(std::string("<") + tag + ">", "");
    replace(std::string("</") + tag + ">", "");
  }
  replace("<mo stretchy=\"false\">", "");
  replace("&#x2061;", "");
  replace("&#x2062;", " ");
  replace("&#x2212;", "-");
  replace("&#x3C0;", "π");
  replace("&#xD7;", "×");
  return text;
}

TEST(Mathml, WritesDerivativesAsSubscripts) {
  EXPECT_EQ(to_mathml(d(u, x, x)),
            "<mrow><msub><mi>u</mi><mrow><mi>x</mi><mi>x</mi></mrow></msub></mrow>");
  EXPECT_EQ(plain(to_mathml(d(u, t, theta))), "<msub>ut<mspace width=\"0.15em\"/>θ</msub>");
}

TEST(Mathml, PutsMinusSignsWhereTheyBelong) {
  EXPECT_EQ(plain(to_mathml(d(u, t) == nu * d(u, x, x) - u * d(u, x))),
            "<msub>ut</msub>=ν <msub>uxx</msub>-u <msub>ux</msub>");
  EXPECT_EQ(plain(to_mathml(-sin(pi * x))), "-sin(π x)");
  EXPECT_EQ(plain(to_mathml(-(x + y))), "-(x+y)");
  EXPECT_EQ(plain(to_mathml(exp(-x))), "<msup>e-x</msup>");
}

TEST(Mathml, BracketsSumsInProductsAndPowers) {
  EXPECT_EQ(plain(to_mathml(nu * (x + y))), "ν (x+y)");
  EXPECT_EQ(plain(to_mathml(pow(x + y, 2))), "<msup>(x+y)2</msup>");
  EXPECT_EQ(plain(to_mathml(pow(sin(x), 2))), "<msup>sin2</msup>(x)");
}

TEST(Mathml, WritesFractionsAndRoots) {
  EXPECT_EQ(plain(to_mathml(x / (x + y))), "<mfrac>xx+y</mfrac>");
  EXPECT_EQ(plain(to_mathml((x + y) / (2 * t * u))), "<mfrac>0.5 (x+y)t u</mfrac>");
  EXPECT_EQ(plain(to_mathml(1 / sqrt(x))), "<mfrac>1<msqrt>x</msqrt></mfrac>");
  EXPECT_EQ(plain(to_mathml(pow(x, Expr(1.0 / 3)))), "<mroot>x3</mroot>");
  EXPECT_EQ(plain(to_mathml(Expr(1.0 / 3))), "<mfrac>13</mfrac>");
}

TEST(Mathml, WritesNumbers) {
  EXPECT_EQ(plain(to_mathml(-0.25)), "-0.25");
  EXPECT_EQ(plain(to_mathml(2e-9)), "2×<msup>10-9</msup>");
  EXPECT_EQ(plain(to_mathml(std::numeric_limits<double>::quiet_NaN())), "NaN");
  EXPECT_EQ(to_mathml(-std::numeric_limits<double>::infinity()),
            "<mrow><mo>&#x2212;</mo><mi>&#x221E;</mi></mrow>");
}

TEST(Mathml, ConstantsStandBeforeFieldsAndDerivatives) {
  EXPECT_EQ(plain(to_mathml(u * pow(nu, 2))), "<msup>ν2</msup> u");
  EXPECT_EQ(plain(to_mathml(d(v, y) * u * nu)), "ν u <msub>vy</msub>");
}

TEST(Mathml, BracketsGrowOnlyAroundTallContent) {
  EXPECT_NE(to_mathml(sin(x)).find("<mo stretchy=\"false\">(</mo>"), std::string::npos);
  EXPECT_NE(to_mathml(sin(x / y)).find("<mo>(</mo>"), std::string::npos);
}

TEST(Mathml, WritesDivergencesAndDerivativesOfExpressions) {
  const Parameter a("a");
  const Space plane{x, y};
  EXPECT_EQ(to_mathml(div(a * grad(u, plane), plane) == laplacian(u, plane)),
            "<mrow><mrow><mo>&#x2207;</mo><mo>&#x22C5;</mo><mrow><mo stretchy=\"false\">(</mo>"
            "<mi>a</mi><mo>&#x2062;</mo><mo>&#x2207;</mo><mi>u</mi>"
            "<mo stretchy=\"false\">)</mo></mrow></mrow><mo>=</mo>"
            "<mrow><mo>&#x2206;</mo><mi>u</mi></mrow></mrow>");
  EXPECT_EQ(written_to_mathml(d(u * a, x, x)),
            "<mrow><msubsup><mo>&#x2202;</mo><mi>x</mi><mn>2</mn></msubsup><mrow>"
            "<mo stretchy=\"false\">(</mo><mi>a</mi><mo>&#x2062;</mo><mi>u</mi>"
            "<mo stretchy=\"false\">)</mo></mrow></mrow>");
}

TEST(Mathml, WritesFloorsAndRemainders) {
  EXPECT_NE(to_mathml(floor(x)).find("<mo>&#x230A;</mo><mi>x</mi><mo>&#x230B;</mo>"),
            std::string::npos)
      << to_mathml(floor(x));
  EXPECT_NE(to_mathml(mod(x, y)).find("<mi>mod</mi>"), std::string::npos);
}

TEST(Mathml, WritesCases) {
  const std::string text = to_mathml(where(x < y, Expr(1), x));
  EXPECT_NE(text.find("<mtable>"), std::string::npos);
  EXPECT_NE(text.find("<mi>x</mi><mo>&lt;</mo><mi>y</mi>"), std::string::npos);
}

TEST(Mathml, SplitsNamesAndKnowsGreek) {
  EXPECT_EQ(name_to_mathml("k_in"), "<msub><mi>k</mi><mrow><mi>in</mi></mrow></msub>");
  EXPECT_EQ(name_to_mathml("rho0"), "<msub><mi>ρ</mi><mrow><mn>0</mn></mrow></msub>");
  EXPECT_EQ(name_to_mathml("Omega"), "<mi>Ω</mi>");
  EXPECT_EQ(greek_name("theta_1"), "θ_1");
  EXPECT_EQ(greek_name("lambda2"), "λ2");
  EXPECT_EQ(greek_name("thetas"), "thetas");
}

TEST(Mathml, EscapesNames) {
  EXPECT_EQ(name_to_mathml("a<b&\"c"), "<mi>a&lt;b&amp;&quot;c</mi>");
  EXPECT_EQ(name_to_mathml(""), "");
  EXPECT_EQ(name_to_mathml("__"), "<mi>__</mi>");
}

TEST(Mathml, WrapsFormulas) {
  EXPECT_EQ(in_math("<mi>x</mi>"), "<math><mi>x</mi></math>");
  EXPECT_EQ(in_math("<mi>x</mi>", MathStyle::display), "<math display=\"block\"><mi>x</mi></math>");
}

}  // namespace
}  // namespace cauchy::test_mathml
