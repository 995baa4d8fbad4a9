#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/expr/written.hpp>

#include "support/random_expr.hpp"

namespace cauchy::test_expr_written {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v");
const Parameter a("a"), nu("nu");
const DataFunction k("k");
const Space space{x, y};

Context plane() {
  Context c;
  c.add_time("t").add_space("x").add_space("y").add_field("u").add_field("v");
  c.add_parameter("a").add_parameter("nu").add_function("k", 2);
  return c;
}

std::string reprinted(const std::string& text) {
  const Context names = plane();
  return to_string(parse_equation(text, names), &names);
}

TEST(Written, CppAndTextKeepTheDerivativesOfExpressions) {
  const Context names = plane();
  const Equation burgers = d(u, t) + d(u * u / 2, x) == nu * d(u, x, x);
  EXPECT_EQ(to_string(burgers), "u_t + d(0.5*u^2, x) = nu*u_xx");
  EXPECT_EQ(to_string(burgers.left), "u_t + u*u_x");  // the canonical form
  const Equation read = parse_equation("u_t + d(u^2/2, x) = nu*u_xx", names);
  EXPECT_TRUE(same_written(burgers.left, read.left));
  const Equation diffusion = div(k(x, y) * grad(u, space), space) == 1;
  EXPECT_EQ(to_string(diffusion), "div(k(x, y)*grad(u)) = 1");
  EXPECT_TRUE(same_written(diffusion.left, parse_equation("div(k(x, y)*grad(u)) = 1", names).left));
  EXPECT_FALSE(same_written(diffusion.left, plain(diffusion.left)));
  EXPECT_TRUE(same(diffusion.left, plain(diffusion.left)));
}

TEST(Written, DerivativesOfAtomsAndConstantsAreNotHeld) {
  for (const Expr& e : {d(u, x, x), d(x, x), d(sin(y), x), d(a, x), u * d(u, x), d(3 * x, x)}) {
    EXPECT_EQ(e.written(), nullptr) << to_string(e);
  }
}

TEST(Written, TextsPrintAsTheyWereWritten) {
  for (const char* text : {
           "div(a*grad(u)) = 1",
           "laplacian(u) + u = 0",
           "u - laplacian(u) = 0",
           "-laplacian(laplacian(u)) = 1",
           "-div(k(x, y)*grad(u)) + u*u_x = x",
           "div([u^2, u*v]) = 0",
           "u_t + d(0.5*u^2, x) + d(u*v, y) = nu*u_xx",
           "d(u^2, x, 2, y) = 0",
           "2*d(u^2, x)/y = d(u*v, x)*d(u*v, y)",
           "1/d(u^2, x)^2 = sqrt(d(u^2, x))",
           "1/(y*d(u^2, x)) = -d(u^2, x)/(x*y)",
           "a*(u + d(u^2, x)) - 3*(v - d(v^2, x)) = 0",
           "sin(-d(u^2, x)) = exp(d(u^2, x)) + min(u, d(u^2, x))",
           "where(u < d(u^2, x), u, d(u*v, y)) = 0",
           "k(d(u^2, x), y) + D[1](k)(d(u^2, x), y) = 0",
           "(1 + d(u^2, x))^u = a^d(u^2, x)",
           "div(d(u*v, x)*a*grad(v)) = 0",
           "div(-2*u*grad(u^3)) = 0",
           "d(u*d(v^2, x), x) = 0",
           "d((u + v)*d(v^2, x)/u, x) = 0",
       }) {
    EXPECT_EQ(reprinted(reprinted(text)), reprinted(text)) << text;
    const Context names = plane();
    const Equation first = parse_equation(text, names);
    const Equation second = parse_equation(to_string(first, &names), names);
    EXPECT_TRUE(same_written(first.left, second.left)) << to_string(first, &names);
    EXPECT_TRUE(same_written(first.right, second.right)) << to_string(first, &names);
  }
  for (const char* text :
       {"div(a*grad(u)) = 1", "u - laplacian(u) = 0", "d(u^2, x, 2, y) = 0",
        "-laplacian(laplacian(u)) = 1", "u_t + d(0.5*u^2, x) + d(u*v, y) = nu*u_xx",
        "a*(u + d(u^2, x)) - 3*(v - d(v^2, x)) = 0", "div([u^2, u*v]) = 0"}) {
    EXPECT_EQ(reprinted(text), text);
  }
}

TEST(Written, PrintsInLatex) {
  EXPECT_EQ(to_latex(d(u, t) + d(u * u / 2, x) == 0),
            "u_t + \\partial_x \\left(0.5 u^2\\right) = 0");
  EXPECT_EQ(to_latex(-div(a * grad(u, space), space) == 1), "-\\nabla \\cdot (a \\nabla u) = 1");
  EXPECT_EQ(to_latex(laplacian(u, space) == d(u * v, x, x, y)),
            "\\Delta u = \\partial_y \\partial_x^2 (u v)");
  EXPECT_EQ(to_latex(div(Vector{u * u, u * v}, space) == 0),
            "\\nabla \\cdot \\left(u^2, u v\\right) = 0");
}

TEST(Written, DivergenceByOtherCoordinatesPrintsAsASum) {
  const Context names = plane();
  const Equation e = div(Vector{u * v, a * u}, {t, x}) == 0;
  EXPECT_EQ(to_string(e, &names), "d(u*v, t) + d(a*u, x) = 0");
  EXPECT_TRUE(same(parse_equation(to_string(e, &names), names).left, e.left));
}

TEST(Written, DefinitionsCarryTheirWrittenForm) {
  Context names = plane();
  names.add_definition("flux", parse("d(u^2, x)", names));
  EXPECT_EQ(to_string(parse_equation("u_t + flux = 0", names)), "u_t + d(u^2, x) = 0");
}

TEST(Written, RandomExpressionsExpandToTheCanonicalNodeOfTheEagerPath) {
  testing::RandomExprOptions options;
  options.atoms = {x, y, u, v, a, d(u, x)};
  options.data = {k};
  options.depth = 3;
  testing::RandomExpr random(5, options);
  const Context names = plane();
  int held = 0;
  for (int i = 0; i < 3000; ++i) {
    try {
      const Expr e = random(), f = random(), g = random();
      // The same operations on plain expressions: what there was before written forms.
      const Expr dx = d(e, x), dy = d(f * g, y);
      const auto build = [&](const Expr& p, const Expr& q) {
        switch (i % 5) {
          case 0:
            return g * p - q / 3;
          case 1:
            return d(p * f, y) + plain(q);
          case 2:
            return sin(p) / (1 + pow(q, 2)) - p;
          case 3:
            return -(p + q) * f / (2 * g);
          default:
            return pow(p, 2) * max(q, g) + e;
        }
      };
      const Expr written = build(dx, dy);
      const Expr eager = plain(build(plain(dx), plain(dy)));
      EXPECT_TRUE(same(written, eager)) << to_string(eager);
      if (written.written() == nullptr) continue;
      ++held;
      EXPECT_TRUE(same(expand_derivatives(written), eager)) << written_to_string(written) << "\n"
                                                            << to_string(eager);
      const std::string text = written_to_string(written, &names);
      const Expr again = parse(text, names);
      EXPECT_TRUE(same_written(again, written)) << text << "\n" << written_to_string(again, &names);
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::misuse) << error.what();
    }
  }
  EXPECT_GT(held, 1000);
}

TEST(Written, SubstitutionOfConstantsAndFieldsKeepsTheForm) {
  const Expr e = div(a * grad(u, space), space) + d(nu * u * u, x);
  const Expr numbers = substitute(e, std::array{Replacement{a, 3}, Replacement{nu, 0.5}});
  EXPECT_EQ(written_to_string(numbers), "div(3*grad(u)) + d(0.5*u^2, x)");
  EXPECT_TRUE(
      same(numbers, substitute(plain(e), std::array{Replacement{a, 3}, Replacement{nu, 0.5}})));
  EXPECT_TRUE(same(expand_derivatives(numbers), numbers));
  const Expr field = substitute(d(u * u, x), u, v * x);
  EXPECT_EQ(written_to_string(field), "d(x^2*v^2, x)");
  // A definition in the place of a parameter.
  EXPECT_EQ(written_to_string(substitute(a * u, a, d(v * v, x))), "d(v^2, x)*u");
}

TEST(Written, SubstitutionThatDoesNotCommuteDropsTheForm) {
  const Expr e = d(a * u * u, x);
  for (const Replacement& r : {Replacement{a, Expr(x)}, Replacement{x, Expr(2)},
                               Replacement{d(u, x), Expr(Symbol("s"))}, Replacement{a, Expr(v)}}) {
    const Expr image = substitute(e, r.from, r.to);
    EXPECT_EQ(image.written(), nullptr) << written_to_string(image);
    EXPECT_TRUE(same(image, substitute(plain(e), r.from, r.to)));
  }
  const Expr real = d(u + log(a), x);
  EXPECT_EQ(written_to_string(real), "d(u + log(a), x)");
  EXPECT_EQ(substitute(real, a, -1).written(), nullptr);    // u_x, but log(-1) is no number
  EXPECT_NE(substitute(e, a, Expr(y)).written(), nullptr);  // y is not differentiated by
}

TEST(Written, AnalysisAndSimplificationSeeTheCanonicalForm) {
  const Expr e = d(u * u, x);
  EXPECT_EQ(e.kind(), Kind::mul);
  EXPECT_EQ(simplify(e).written(), nullptr);
  EXPECT_EQ(expand(e).written(), nullptr);
  EXPECT_EQ((e - 2 * u * d(u, x)).written(), nullptr);  // the number 0
  for (const Expr& node : postorder(std::array{sin(e)})) EXPECT_EQ(node.written(), nullptr);
}

TEST(Written, DeepFormsAreDroppedAndTheExpressionStays) {
  Expr e = u;
  int dropped = 0;
  for (int i = 0; i < 2 * Written::max_depth; ++i) {
    e = d(e + 1, x);
    if (e.written() == nullptr) {
      ++dropped;
    } else {
      EXPECT_LE(e.written()->depth, Written::max_depth);
    }
  }
  EXPECT_GT(dropped, 0);
  EXPECT_TRUE(same(e, d_n(u, x, 2 * Written::max_depth)));
  Expr total = 0;
  for (int i = 0; i < 300; ++i) total += d(pow(u, i + 2), x);
  ASSERT_NE(total.written(), nullptr);
  EXPECT_EQ(total.written()->args.size(), 300u);
}

TEST(Summands, GiveFluxesAndPlainTerms) {
  const Equation e = d(u, t) + d(u * u / 2, x) == div(a * grad(u, space), space) + sin(x) * u;
  const std::vector<Summand> list = summands(e);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_TRUE(list[0].coefficient.is_constant(1));  // u_t
  EXPECT_TRUE(same(list[0].flux[0], u) && same(list[0].by[0], t));
  EXPECT_TRUE(same(list[1].flux[0], u * u / 2) && same(list[1].by[0], x));
  ASSERT_EQ(list[2].flux.size(), 2u);
  EXPECT_TRUE(list[2].coefficient.is_constant(-1));
  EXPECT_TRUE(same(list[2].flux[0], a * d(u, x)) && same(list[2].flux[1], a * d(u, y)));
  EXPECT_TRUE(list[3].is_plain());
  EXPECT_TRUE(same(list[3].coefficient, -sin(x) * u));
  std::vector<Expr> values;
  for (const Summand& s : list) values.push_back(s.value());
  EXPECT_TRUE(same(sum(values), e.residual()));
}

TEST(Summands, OpenBracketsAndReadDerivativesOfFields) {
  const std::vector<Summand> list = summands(2 * (u + d(u * v, x)) / y - nu * d(u, x, x));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_TRUE(list[0].is_plain());
  EXPECT_TRUE(same(list[0].coefficient, 2 * u / y));
  EXPECT_TRUE(same(list[1].coefficient, 2 / y));
  EXPECT_TRUE(same(list[1].flux[0], u * v));
  EXPECT_TRUE(same(list[2].coefficient, -nu) && same(list[2].flux[0], d(u, x)));
  // Two derivatives, and derivatives inside functions, have no outermost one.
  EXPECT_TRUE(summands(d(u, x) * d(v, y))[0].is_plain());
  EXPECT_TRUE(summands(sin(d(u * v, x)))[0].is_plain());
  EXPECT_TRUE(summands(d(u * u, x) * d(u * v, x))[0].is_plain());
}

TEST(Summands, GradientsInsideDivergencesAreRead) {
  const Expr e = div(a * u * grad(v, space), space);
  const GradientForm g = gradient_form(e.written()->args, e.written()->coordinates);
  ASSERT_TRUE(g.found);
  EXPECT_TRUE(same(g.coefficient, a * u) && same(g.potential, v));
  EXPECT_FALSE(gradient_form({d(u, x), d(v, y)}, space).found);
  EXPECT_FALSE(gradient_form({a * d(u, x), nu * d(u, y)}, space).found);
}

}  // namespace
}  // namespace cauchy::test_expr_written
