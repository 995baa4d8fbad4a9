#include <gtest/gtest.h>

#include <string>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/vector.hpp>

#include "support/message_of.hpp"
#include "support/random_expr.hpp"

namespace cauchy::test_expr_parse {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v"), p("p");
const Parameter nu("nu");
const DataFunction a("a");

Context plane() {
  Context c;
  c.add_time("t").add_space("x").add_space("y");
  c.add_field("u").add_field("v").add_field("p").add_parameter("nu").add_function("a", 2);
  c.add_definition("speed", u * u + v * v);
  return c;
}

Expr read(std::string_view text) { return parse(text, plane()); }

std::string error_of(std::string_view text, const Context& context = plane()) {
  try {
    const Expr e = parse(text, context);
    return "no error, got " + to_string(e);
  } catch (const Error& e) {
    return e.what();
  }
}

std::string equation_error_of(std::string_view text) {
  try {
    const Equation e = parse_equation(text, plane(), {"equation", 1, 1});
    return "no error, got " + to_string(e);
  } catch (const Error& e) {
    return e.what();
  }
}

#define EXPECT_READS(text, expected) \
  EXPECT_TRUE(same(read(text), Expr(expected))) << text << " reads as " << to_string(read(text))

TEST(Parse, ReadsNumbers) {
  EXPECT_READS("12", 12);
  EXPECT_READS("1e-3", 1e-3);
  EXPECT_READS(".5", 0.5);
  EXPECT_READS("2.", 2);
  EXPECT_READS("1.5E+2", 150);
  EXPECT_READS("  7\n\t", 7);
  EXPECT_READS("5e-324", 5e-324);
}

TEST(Parse, FollowsThePrecedenceOfMathematics) {
  EXPECT_READS("1 + 2*3", 7);
  EXPECT_READS("-x^2", -pow(x, 2));
  EXPECT_READS("2^-3", 0.125);
  EXPECT_READS("2^3^2", 512);
  EXPECT_READS("(2^3)^2", 64);
  EXPECT_READS("2^-x^2", pow(2, -pow(x, 2)));
  EXPECT_READS("x/y*t", x * t / y);
  EXPECT_READS("x/(y*t)", x / y / t);
  EXPECT_READS("x - y + t", x + t - y);
  EXPECT_READS("x - (y + t)", x - y - t);
  EXPECT_READS("--x", x);
  EXPECT_READS("-+-+-x", -x);
  EXPECT_READS("x*-y", -(x * y));
  EXPECT_READS("not x < y and y < t or t < 1", max(min(1 - (x < y), y < t), t < 1));
  EXPECT_READS("x + 1 < y*2", x + 1 < y * 2);
  EXPECT_READS("x > y", y < x);
  EXPECT_READS("x >= y", y <= x);
}

TEST(Parse, DividesNumbersLikeDoubles) {
  EXPECT_READS("7/5", 1.4);
  EXPECT_READS("2*x/3", Expr(2.0 / 3.0) * x);
  EXPECT_TRUE(same(Expr(7) / Expr(5), Expr(1.4)));
}

TEST(Parse, ReadsEveryFunction) {
  EXPECT_READS("sqrt(x)", sqrt(x));
  EXPECT_READS("exp(x) + log(x)", exp(x) + log(x));
  EXPECT_READS("sin(x)*cos(x)*tan(x)", sin(x) * cos(x) * tan(x));
  EXPECT_READS("asin(x)*acos(x)*atan(x)", asin(x) * acos(x) * atan(x));
  EXPECT_READS("sinh(x)*cosh(x)*tanh(x)", sinh(x) * cosh(x) * tanh(x));
  EXPECT_READS("erf(x)*abs(x)*sign(x)", erf(x) * abs(x) * sign(x));
  EXPECT_READS("min(x, y) + max(x, y)", min(x, y) + max(x, y));
  EXPECT_READS("heaviside(x)", heaviside(x));
  EXPECT_READS("floor(x)*mod(x, y)", floor(x) * mod(x, y));
  EXPECT_READS("where(x < 0, y, t)", where(x < Expr(0), y, t));
  EXPECT_READS("pow(x, y)", pow(x, y));
  EXPECT_READS("a(x, y + 1)", a(x, y + 1));
  EXPECT_READS("D[1,2,2](a)(x, y)", call_derivative("a", {x, y}, {1, 2}));
  EXPECT_READS("pi + e", Expr(pi) + e_constant());
  EXPECT_READS("speed", u * u + v * v);
}

TEST(Parse, ReadsDerivatives) {
  EXPECT_READS("u_t", d(u, t));
  EXPECT_READS("u_xxy", d(u, x, x, y));
  EXPECT_READS("u_yx", d(u, x, y));
  EXPECT_READS("d(u, x)", d(u, x));
  EXPECT_READS("d(u, x, 2)", d(u, x, x));
  EXPECT_READS("d(u, x, 2, t)", d(u, x, x, t));
  EXPECT_READS("d(u, x, x)", d(u, x, x));
  EXPECT_READS("d(u*v, t, 1, x, 3)", d(u * v, t, x, x, x));
  EXPECT_READS("d(a(x, y), x)", d(a(x, y), x));
}

TEST(Parse, ReadsVectors) {
  const Space space{x, y};
  EXPECT_READS("div([u, v])", d(u, x) + d(v, y));
  EXPECT_READS("div(nu*grad(u))", nu * d(u, x, x) + nu * d(u, y, y));
  EXPECT_READS("laplacian(u)", laplacian(u, space));
  EXPECT_READS("curl([u, v])", d(v, x) - d(u, y));
  EXPECT_READS("dot([u, v], grad(p))", u * d(p, x) + v * d(p, y));
  EXPECT_READS("norm2([u, v] - 2*grad(p)/nu)",
               pow(u - 2 * d(p, x) / nu, 2) + pow(v - 2 * d(p, y) / nu, 2));
  EXPECT_READS("dot(-laplacian([u, v]), [1, 0])", -d(u, x, x) - d(u, y, y));
  Context room;
  room.add_space("x").add_space("y").add_space("z").add_field("u");
  EXPECT_TRUE(same(parse("norm2(curl(grad(u)))", room), Expr(0)));
  EXPECT_TRUE(same(parse("div(curl([u, x*u, y*u^2]))", room), Expr(0)));
}

TEST(Parse, ReadsEquationsOfPhysics) {
  const Equation burgers = parse_equation("u_t + u*u_x = nu*u_xx", plane());
  EXPECT_TRUE(same(burgers.left, d(u, t) + u * d(u, x)));
  EXPECT_TRUE(same(burgers.right, nu * d(u, x, x)));
  const Equation momentum =
      parse_equation("u_t + dot([u, v], grad(u)) == -p_x + nu*laplacian(u)", plane());
  EXPECT_TRUE(same(momentum.residual(),
                   d(u, t) + u * d(u, x) + v * d(u, y) + d(p, x) - nu * (d(u, x, x) + d(u, y, y))));
}

TEST(Parse, PrefersDeclaredNamesOverDerivatives) {
  Context c;
  c.add_space("x").add_time("t").add_field("u").add_field("u_x").add_field("u_x_t");
  c.add_parameter("D").add_function("f", 1);
  EXPECT_TRUE(same(parse("u_x", c), Field("u_x")));
  EXPECT_TRUE(same(parse("u_t", c), d(u, t)));
  EXPECT_TRUE(same(parse("u_x_x", c), d(Field("u_x"), x)));
  EXPECT_TRUE(same(parse("u_x_t", c), Field("u_x_t")));
  EXPECT_TRUE(same(parse("u_x_t_x", c), d(Field("u_x_t"), x)));
  EXPECT_TRUE(same(parse("D*D[1](f)(x)", c), Parameter("D") * call_derivative("f", {x}, {1})));
}

TEST(Parse, SplitsSuffixesIntoLongCoordinateNames) {
  Context c;
  c.add_space("r").add_space("theta").add_field("u");
  EXPECT_TRUE(same(parse("u_rtheta", c), d(u, Coordinate("r"), Coordinate("theta"))));
  EXPECT_TRUE(same(parse("u_thetatheta", c), d_n(u, Coordinate("theta"), 2)));
  Context ambiguous;
  ambiguous.add_space("x").add_space("y").add_space("xy").add_field("u");
  EXPECT_EQ(error_of("u_xy", ambiguous),
            "expression:1:1: derivative 'u_xy' is ambiguous; write d(u, ...)");
  EXPECT_TRUE(same(parse("u_yx", ambiguous), d(u, x, y)));
}

TEST(Parse, NamesTheNearestKnownName) {
  EXPECT_EQ(equation_error_of("u_t + w = 0"), "equation:1:7: unknown name 'w'; did you mean 'u'?");
  EXPECT_EQ(error_of("u + sped"), "expression:1:5: unknown name 'sped'; did you mean 'speed'?");
  EXPECT_EQ(error_of("sinn(x)"), "expression:1:1: unknown function 'sinn'; did you mean 'sin'?");
  EXPECT_EQ(error_of("lapalcian(u)"),
            "expression:1:1: unknown function 'lapalcian'; did you mean 'laplacian'?");
  EXPECT_EQ(
      error_of("viscosity"),
      "expression:1:1: unknown name 'viscosity'; known names are: nu, p, speed, t, u, v, x, y");
  EXPECT_EQ(error_of("u_qq"), "expression:1:1: unknown name 'u_qq'; coordinates are: t, x, y");
  EXPECT_EQ(error_of("frobnicate(x)"),
            "expression:1:1: unknown function 'frobnicate'; known functions are: a");
  EXPECT_EQ(error_of("q", Context{}), "expression:1:1: unknown name 'q'; no name is declared");
}

TEST(Parse, SaysWhatIsWrongWithDerivatives) {
  EXPECT_EQ(error_of("d(u, q)"), "expression:1:6: cannot differentiate by 'q'; did you mean 't'?");
  EXPECT_EQ(error_of("d(u, nu)"),
            "expression:1:6: cannot differentiate by 'nu'; coordinates are: t, x, y");
  EXPECT_EQ(error_of("d(u, 2)"),
            "expression:1:6: cannot differentiate by '2'; coordinates are: t, x, y");
  EXPECT_EQ(error_of("d(u)"),
            "expression:1:1: 'd' needs a coordinate to differentiate by; write d(u, x)");
  EXPECT_EQ(error_of("d()"),
            "expression:1:1: 'd' takes an expression and coordinates, got nothing");
  EXPECT_EQ(error_of("d(u, x, 1.5)"),
            "expression:1:9: order of a derivative must be a positive integer, got 1.5");
  EXPECT_EQ(error_of("d(u, x, 0)"),
            "expression:1:9: order of a derivative must be a positive integer, got 0");
  EXPECT_EQ(error_of("d(u, x, 1000000)"),
            "expression:1:9: derivative of order 1000000 is too high, at most 64");
  EXPECT_EQ(error_of("d(u, x, 60, y, 5)"),
            "expression:1:1: derivative of order 65 is too high, at most 64");
  EXPECT_EQ(error_of("d(d(u, x, 64), y)"),
            "expression:1:1: derivative of order 65 is too high, at most 64");
  EXPECT_EQ(error_of("u_" + std::string(65, 'x')),
            "expression:1:1: derivative of order 65 is too high, at most 64");
  EXPECT_EQ(error_of("D[3](a)(x, y)"),
            "expression:1:3: argument 3 of 'a' does not exist; it has 2 arguments");
  EXPECT_EQ(error_of("D[1](u)(x)"), "expression:1:6: 'u' is not a declared function");
  EXPECT_EQ(error_of("D[](a)(x, y)"),
            "expression:1:3: expected the position of an argument, got ']'; a derivative of a "
            "function is written D[1,2](f)(x, y)");
  EXPECT_EQ(error_of("D[1](a)"),
            "expression:1:8: expected '(' before the arguments, got the end of the text; a "
            "derivative of a function is written D[1,2](f)(x, y)");
}

TEST(Parse, SaysWhatIsWrongWithBrackets) {
  EXPECT_EQ(error_of("2*(x + 1"),
            "expression:1:9: expected ')' for the '(' at 1:3, got the end of the text");
  EXPECT_EQ(error_of("x + 1)"), "expression:1:6: ')' without an opening bracket; remove it");
  EXPECT_EQ(error_of("(x + [1, 2)"), "expression:1:11: expected ']' for the '[' at 1:6, got ')'");
  EXPECT_EQ(error_of("sin(x"),
            "expression:1:6: expected ')' for the '(' at 1:4, got the end of the text");
  EXPECT_EQ(error_of("(x, y)"), "expression:1:3: expected ')' for the '(' at 1:1, got ','");
  EXPECT_EQ(error_of("()"), "expression:1:2: expected an operand after '(', got ')'");
}

TEST(Parse, SaysWhatIsWrongWithOperators) {
  EXPECT_EQ(error_of("x + "),
            "expression:1:5: expected an operand after '+', got the end of the text");
  EXPECT_EQ(error_of("* x"), "expression:1:1: expected an operand, got '*'");
  EXPECT_EQ(error_of("x**2"),
            "expression:1:3: expected an operand after '*', got '*'; write '^' for a power");
  EXPECT_EQ(error_of("2x"),
            "expression:1:2: expected an operator before 'x'; write '*' for a product, 1e-3 for an "
            "exponent");
  EXPECT_EQ(error_of("x y"),
            "expression:1:3: expected an operator before 'y'; write '*' for a product");
  EXPECT_EQ(error_of("(x)(y)"),
            "expression:1:4: expected an operator before '('; write '*' for a product");
  EXPECT_EQ(error_of("1.2.3"), "expression:1:4: expected an operator before '.3'");
  EXPECT_EQ(error_of("u(x)"),
            "expression:1:2: 'u' is not a function; a field stands without arguments");
  EXPECT_EQ(error_of("nu(x)"), "expression:1:3: 'nu' is not a function; write '*' for a product");
  EXPECT_EQ(error_of("x < y < t"),
            "expression:1:7: comparisons do not chain; write a < b and b < c");
  EXPECT_EQ(error_of("x and"),
            "expression:1:6: expected an operand after 'and', got the end of the text");
  EXPECT_EQ(error_of("x, y"), "expression:1:2: unexpected ','; remove it");
}

TEST(Parse, SaysWhatIsWrongWithArguments) {
  EXPECT_EQ(error_of("sin(x, y)"), "expression:1:1: 'sin' takes 1 argument, got 2");
  EXPECT_EQ(error_of("min(x)"), "expression:1:1: 'min' takes 2 arguments, got 1");
  EXPECT_EQ(error_of("1 + sin()"), "expression:1:5: 'sin' takes 1 argument, got 0");
  EXPECT_EQ(error_of("a(x)"), "expression:1:1: 'a' takes 2 arguments, got 1");
  EXPECT_EQ(error_of("a + 1"), "expression:1:1: function 'a' needs 2 arguments in brackets");
  EXPECT_EQ(error_of("sin x"), "expression:1:1: function 'sin' needs arguments in brackets");
}

TEST(Parse, SaysWhereVectorsAndScalarsAreMixedUp) {
  EXPECT_EQ(error_of("[u, v]"),
            "expression:1:1: an expression needs a scalar, got a vector of 2 components; use its "
            "components, dot(v, w) or norm2(v)");
  EXPECT_EQ(error_of("u + [u, v]"),
            "expression:1:3: cannot add a scalar and a vector of 2 components");
  EXPECT_EQ(error_of("[u, v] - [u]"),
            "expression:1:8: cannot subtract a vector of 2 components and a vector of 1 component");
  EXPECT_EQ(error_of("[u, v]*[u, v]"),
            "expression:1:7: cannot multiply two vectors; write dot(v, w) for the inner product");
  EXPECT_EQ(error_of("u/[u, v]"), "expression:1:2: cannot divide by a vector; use its components");
  EXPECT_EQ(error_of("1 + div(u)"),
            "expression:1:9: div needs a vector, got a scalar; the gradient is grad(u)");
  EXPECT_EQ(error_of("div([u, v, p])"),
            "expression:1:1: div needs a vector of 2 components, got 3");
  EXPECT_EQ(error_of("[u, v]^2"),
            "expression:1:1: a power needs a scalar, got a vector of 2 components; use its "
            "components, dot(v, w) or norm2(v)");
  EXPECT_EQ(error_of("[]"), "expression:1:1: a vector needs at least one component");
  EXPECT_EQ(equation_error_of("grad(u) = 0"),
            "equation:1:1: an equation needs a scalar on each side, got a vector of 2 components; "
            "write one equation for each component");
  Context line;
  line.add_time("t").add_field("u");
  EXPECT_EQ(error_of("grad(u)", line),
            "expression:1:1: grad needs a space coordinate, none is declared");
}

TEST(Parse, GivesErrorsOfConstructorsTheirPosition) {
  EXPECT_EQ(error_of("x + 1/0"), "expression:1:6: division by zero; the divisor is the number 0");
  EXPECT_EQ(error_of("x/(y - y)"), "expression:1:2: division by zero; the divisor is the number 0");
  EXPECT_EQ(error_of("x + log(-1)"),
            "expression:1:5: log(-1) is not a finite real number; keep the argument where the "
            "function is real");
  EXPECT_EQ(error_of("(-1)^0.5"),
            "expression:1:5: (-1)^(0.5) is not a finite real number; keep the power real");
  EXPECT_EQ(error_of("1e300*1e300"),
            "expression:1:6: a constant must be finite, got inf; check for overflow or division by "
            "zero among the numbers");
}

TEST(Parse, RejectsTextThatIsNotMathematics) {
  EXPECT_EQ(error_of(""), "expression:1:1: the expression is empty; write a number or a formula");
  EXPECT_EQ(error_of(" \n "),
            "expression:2:2: the expression is empty; write a number or a formula");
  EXPECT_EQ(error_of("x $ y"), "expression:1:3: unexpected character '$'; remove it");
  EXPECT_EQ(error_of("x && y"), "expression:1:3: unexpected character '&'; write 'and'");
  EXPECT_EQ(error_of("x \xE2\x88\x92 y"),
            "expression:1:3: unexpected character '\xE2\x88\x92' U+2212; write '-' for minus");
  EXPECT_EQ(error_of("\xCE\xBD*\xCE\xBD"),
            "expression:1:1: unexpected character '\xCE\xBD' U+03BD; names are made of the letters "
            "a-z and A-Z, digits and '_'");
  EXPECT_EQ(error_of(std::string_view("x\0y", 3)),
            "expression:1:2: unexpected character U+0000; remove it");
  EXPECT_EQ(error_of("x + \xCE\xBD \xFF"),
            "expression:1:7: invalid UTF-8, byte 0xFF; save the text as UTF-8");
  EXPECT_EQ(error_of("\xC0\x80"),
            "expression:1:1: invalid UTF-8, byte 0xC0; save the text as UTF-8");
  EXPECT_EQ(error_of("\xED\xA0\x80"),
            "expression:1:1: invalid UTF-8, byte 0xED; save the text as UTF-8");
  EXPECT_EQ(error_of("\xE2\x88"),
            "expression:1:1: invalid UTF-8, byte 0xE2; save the text as UTF-8");
  EXPECT_EQ(error_of("1e999"),
            "expression:1:1: number 1e999 is out of range; numbers lie between 5e-324 and 1.7e308 "
            "in magnitude");
  EXPECT_EQ(error_of(std::string(1048577, ' ')),
            "expression:1:1: text of 1048577 bytes is too long, at most 1048576 are read");
}

TEST(Parse, KeepsEquationsAndExpressionsApart) {
  EXPECT_EQ(error_of("u_t = 0"),
            "expression:1:5: '=' in an expression; an equation cannot stand here; comparisons are "
            "< <= > >=");
  EXPECT_EQ(equation_error_of("u_t"), "equation:1:4: an equation needs '='; write left = right");
  EXPECT_EQ(equation_error_of("u = v = 0"),
            "equation:1:7: a second '=' in one equation; write two equations");
  EXPECT_EQ(equation_error_of("(u = v)"),
            "equation:1:4: '=' inside brackets; comparisons are < <= > >=");
  EXPECT_EQ(equation_error_of(""), "equation:1:1: the equation is empty; write left = right");
  EXPECT_EQ(equation_error_of("u ="),
            "equation:1:4: expected an operand after '=', got the end of the text");
  EXPECT_EQ(equation_error_of("u) = 1"), "equation:1:2: ')' without an opening bracket; remove it");
}

TEST(Parse, CountsLinesAndColumnsFromTheGivenPlace) {
  try {
    (void)parse("u +\n  $", plane(), {"burgers.toml", 14, 12});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.place(), "burgers.toml:15:3");
  }
  try {
    (void)parse("u + $", plane(), {"burgers.toml", 14, 12});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.place(), "burgers.toml:14:16");
  }
}

TEST(Parse, StopsAtAbsurdNesting) {
  const auto times = [](int n, std::string_view s) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  EXPECT_EQ(error_of(times(100000, "(")), "expression:1:201: nested deeper than 200 levels");
  EXPECT_EQ(error_of(times(100000, "sin(")), "expression:1:804: nested deeper than 200 levels");
  EXPECT_EQ(error_of(times(100000, "x^")), "expression:1:402: nested deeper than 200 levels");
  EXPECT_EQ(error_of(times(100000, "not ")), "expression:1:801: nested deeper than 200 levels");
  EXPECT_EQ(error_of(times(100000, "[")), "expression:1:201: nested deeper than 200 levels");
  EXPECT_EQ(error_of(times(100000, "d(")), "expression:1:402: nested deeper than 200 levels");
  EXPECT_READS(times(100000, "-") + "x", x);
  EXPECT_READS(times(200, "(") + "x" + times(200, ")"), x);
  EXPECT_READS(times(100000, "x + ") + "x", 100001 * x);
  EXPECT_READS(times(100000, "x*") + "x", pow(x, 100001));
}

TEST(Parse, StopsWhenAnExpressionGrowsTooLarge) {
  EXPECT_READS("(x + 1)^1000000", pow(x + 1, 1000000));
  std::string factors = "x";
  for (int i = 1; i < 3000; ++i) factors += "*(x + " + std::to_string(i) + ")";
  EXPECT_EQ(error_of("d(" + factors + ", x)"),
            "expression:1:1: the expression grows too large while it is read; differentiate "
            "smaller expressions, or build it from definitions");
  const std::string tower = "d(tan(exp(sin(x)*tan(x*y))*erf(x*y)), x, 64)";
  EXPECT_NE(error_of(tower).find("grows too large"), std::string::npos) << error_of(tower);
  std::string terms = "0";
  for (int i = 0; i < 10000; ++i) terms += " + sin(" + std::to_string(i) + "*x)";
  for (int i = 0; i < 190; ++i) terms = "(" + terms + " + 1)";
  EXPECT_NE(error_of(terms).find("grows too large"), std::string::npos);
  std::string conditions = "x < 0";
  for (int i = 1; i < 3000; ++i) conditions += " and x < " + std::to_string(i);
  EXPECT_NE(error_of(conditions).find("expression is nested deeper than 2000 levels"),
            std::string::npos);
}

TEST(Parse, GivesWhatTheConstructorsGiveForRandomTrees) {
  Context c = plane();
  testing::RandomExprOptions options;
  options.atoms = {x, y, t, u, v, d(u, x), d(v, x, y), nu};
  options.data = {a};
  testing::RandomExpr random(17, options);
  int compared = 0;
  for (int i = 0; i < 5000; ++i) {
    const testing::RandomTree tree = random.tree();
    Expr built;
    try {
      built = testing::build(tree);
    } catch (const Error&) {
      EXPECT_THROW((void)parse(testing::text(tree), c), Error) << testing::text(tree);
      continue;
    }
    ASSERT_TRUE(same(parse(testing::text(tree), c), built)) << testing::text(tree);
    ++compared;
  }
  EXPECT_GT(compared, 4000);
}

TEST(ParseCondition, NumbersAndSumsAreNoConditions) {
  const Context names = Context().add_space("x").add_space("y").add_parameter("a");
  const auto message = [&](std::string_view text) {
    return message_of([&] { return parse_condition(text, names, 1e-9, {"c", 1, 1}); });
  };
  for (const char* good : {"x = 1", "x < 1 and y > 2", "not (x < 1 or y = 2)", "0 < 1", "(x > a)",
                           "max(x < 1, y < 1)", "1 - (x < 1)", "x < 1 and 2 > 1"}) {
    EXPECT_EQ(message(good), "no error") << good;
  }
  EXPECT_EQ(message("y = 0 or 1"), "c:1:10: '1' is no condition; write \"y = 0 or y = 1\"");
  EXPECT_EQ(message("x = 0 or x = 1 or 2"),
            "c:1:19: '2' is no condition; write \"x = 0 or x = 1 or x = 2\"");
  EXPECT_EQ(message("(x > 0) and 3"), "c:1:13: '3' is no condition; write \"(x > 0) and x > 3\"");
  EXPECT_EQ(message("1"), "c:1:1: '1' is no condition; write a comparison such as \"x = 1\"");
  EXPECT_EQ(message("not 0"), "c:1:5: '0' is no condition; write a comparison such as \"x = 0\"");
  EXPECT_EQ(message("(1)"), "c:1:1: '(1)' is no condition; write a comparison such as \"x = (1)\"");
  EXPECT_EQ(message("2 or x < 1"),
            "c:1:1: '2' is no condition; write a comparison such as \"x = 2\"");
  EXPECT_EQ(message("x + y"),
            "c:1:1: 'x + y' is no condition; compare it with something: \"x + y > 0\"");
  EXPECT_EQ(message("x < 1 and a"),
            "c:1:11: 'a' is no condition; compare it with something: \"a > 0\"");
  EXPECT_EQ(message("-(x < 1)"),
            "c:1:1: '-(x < 1)' is no condition; compare it with something: \"-(x < 1) > 0\"");
  EXPECT_EQ(message(""), "c:1:1: the condition is empty; write a comparison such as x > 0");
  // In other expressions `and`, `or` and `not` stand between what is 0 or 1; a number never is
  // meant.
  EXPECT_EQ(message_of([&] { return parse("where(x > 0 or 1, 2, 3)", names); }),
            "expression:1:16: '1' is no condition; write \"x > 0 or x > 1\"");
}

TEST(Context, RejectsNamesThatCannotBeUsed) {
  Context c;
  c.add_field("u");
  const auto message = [&](std::string_view name) {
    return message_of([&] { c.add_parameter(name); });
  };
  EXPECT_EQ(message("u"), "name 'u': declared already; every name has one meaning");
  EXPECT_EQ(message("2u"),
            "name '2u': not an identifier; a name starts with a letter, then letters, digits and "
            "'_'");
  EXPECT_EQ(message(""),
            "name '': not an identifier; a name starts with a letter, then letters, digits and "
            "'_'");
  const std::pair<const char*, const char*> reserved[] = {
      {"pi", "the number pi"},     {"e", "Euler's number"},         {"sin", "the function sin"},
      {"mod", "the function mod"}, {"d", "derivatives, d(u, x)"},   {"where", "the function where"},
      {"and", "the operator and"}, {"norm2", "the function norm2"}, {"inf", "what is no number"},
      {"nan", "what is no number"}};
  for (const auto& [name, use] : reserved) {
    EXPECT_EQ(message(name), "name '" + std::string(name) + "': reserved for " + use +
                                 "; choose another name (reserved words: docs/format.md, Names)");
  }
  EXPECT_THROW(c.add_function("f", 0), Error);
  EXPECT_FALSE(c.declares("f"));
}

TEST(Context, ListsWhatIsDeclared) {
  const Context c = plane();
  EXPECT_EQ(c.space(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(c.coordinates(), (std::vector<std::string>{"t", "x", "y"}));
  EXPECT_EQ(c.names(),
            (std::vector<std::string>{"a", "nu", "p", "speed", "t", "u", "v", "x", "y"}));
  EXPECT_EQ(c.arity("a"), 2);
  EXPECT_EQ(c.arity("u"), 0);
  EXPECT_EQ(c.find("a"), nullptr);
  ASSERT_NE(c.find("nu"), nullptr);
  EXPECT_TRUE(same(*c.find("nu"), nu));
}

TEST(NearestName, CountsEditsAndSwaps) {
  EXPECT_EQ(nearest_name("velocty", {"viscosity", "velocity"}), "velocity");
  EXPECT_EQ(nearest_name("preussre", {"pressure"}), "pressure");
  EXPECT_EQ(nearest_name("abc", {"xyz"}), "");
  EXPECT_EQ(nearest_name("q", {"u", "v"}), "u");
  EXPECT_EQ(nearest_name("q", {}), "");
}

}  // namespace
}  // namespace cauchy::test_expr_parse
