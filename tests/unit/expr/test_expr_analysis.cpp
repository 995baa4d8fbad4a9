#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/vector.hpp>

#include "expr/inertia.hpp"

namespace cauchy::test_expr_analysis {
namespace {

const Coordinate t("t"), x("x"), y("y"), z("z"), w("w");
const Field u("u"), v("v");
const Parameter nu("nu"), D("D");

PdeType type(const Expr& residual, std::vector<Expr> coordinates, const Values& values = {}) {
  return classify(residual, u, coordinates, values);
}

TEST(Analysis, ListsAtomsByKindInCanonicalOrder) {
  const std::array<Expr, 2> exprs{d(u, t) + nu * u * x, sin(y) * d(v, x, x)};
  const std::vector<Expr> fields = field_atoms(exprs);
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_TRUE(same(fields[0], u));
  EXPECT_TRUE(same(fields[1], d(u, t)));
  EXPECT_TRUE(same(fields[2], d(v, x, x)));
  const std::vector<Expr> coordinates = atoms(exprs, Kind::coordinate);
  ASSERT_EQ(coordinates.size(), 2u);
  EXPECT_TRUE(same(coordinates[0], x));
  EXPECT_EQ(atoms(exprs, Kind::parameter).size(), 1u);
  EXPECT_TRUE(atoms(exprs, Kind::symbol).empty());
}

TEST(Analysis, FindsTheOrderOfDerivatives) {
  const Expr e = d(u, t) + u * d(u, x, x, x) + sin(d(v, x, y));
  EXPECT_EQ(order(e), 3);
  EXPECT_EQ(order(e, x), 3);
  EXPECT_EQ(order(e, t), 1);
  EXPECT_EQ(order(e, z), 0);
  EXPECT_EQ(order(u * u + x), 0);
  EXPECT_THROW((void)order(e, nu), Error);
}

TEST(Analysis, FieldOccursWhereADerivativeOfItDoes) {
  const Expr e = sin(d(u, x)) + nu;
  EXPECT_TRUE(depends_on(e, u));
  EXPECT_TRUE(depends_on(e, d(u, x)));
  EXPECT_FALSE(depends_on(e, d(u, x, x)));
  EXPECT_FALSE(depends_on(e, d(u, t)));
  EXPECT_FALSE(depends_on(e, v));
  EXPECT_TRUE(depends_on(e, nu));
  EXPECT_TRUE(depends_on(e, sin(d(u, x))));
  EXPECT_FALSE(depends_on(e, x));
}

TEST(LinearForm, SplitsCoefficientsAndRemainder) {
  const Expr e = d(u, t) - (D * D + x) * d(u, x, x) + 3 * u / (1 + x * x) - sin(t) * v + exp(x) - 2;
  const LinearForm form = linear_form(e);
  ASSERT_TRUE(form.linear);
  ASSERT_EQ(form.terms.size(), 4u);
  EXPECT_TRUE(same(form.terms[0].atom, u));
  EXPECT_TRUE(same(form.terms[0].coefficient, 3 / (1 + x * x)));
  EXPECT_TRUE(same(form.terms[1].atom, d(u, t)));
  EXPECT_TRUE(same(form.terms[1].coefficient, Expr(1)));
  EXPECT_TRUE(same(form.terms[2].atom, d(u, x, x)));
  EXPECT_TRUE(same(form.terms[2].coefficient, -D * D - x));
  EXPECT_TRUE(same(form.terms[3].atom, v));
  EXPECT_TRUE(same(form.terms[3].coefficient, -sin(t)));
  EXPECT_TRUE(same(form.remainder, exp(x) - 2));
}

TEST(LinearForm, KnowsNonlinearExpressions) {
  const DataFunction a("a");
  for (const Expr& e : {u * d(u, x), u * v, sin(u), abs(u), 1 / u, max(u, x), a(u), pow(2, u)}) {
    const LinearForm form = linear_form(e);
    EXPECT_FALSE(form.linear) << to_string(e);
    EXPECT_TRUE(form.terms.empty());
    EXPECT_TRUE(form.remainder.is_constant(0));
  }
}

TEST(LinearForm, IsNotFooledByJumpsWithZeroDerivative) {
  for (const Expr& e : {sign(u), floor(u), mod(u, x), heaviside(u), where(u < 0, 1, 2),
                        where(v, u, 2 * u), Expr(u < x), x * sign(d(u, x)) + u}) {
    EXPECT_FALSE(is_linear(e)) << to_string(e);
  }
  const LinearForm form = linear_form(where(x < 0, u, 2 * u) + sign(x));
  ASSERT_TRUE(form.linear);
  EXPECT_TRUE(same(form.terms.at(0).coefficient, where(x < 0, 1, 2)));
  EXPECT_TRUE(same(form.remainder, sign(x)));
}

TEST(LinearForm, SeesLinearityAfterCancellation) {
  const LinearForm square = linear_form(pow(u + 1, 2) - pow(u, 2));
  ASSERT_TRUE(square.linear);
  EXPECT_TRUE(same(square.terms.at(0).coefficient, Expr(2)));
  EXPECT_TRUE(same(square.remainder, Expr(1)));

  const LinearForm product = linear_form((u + x) * (v + 1) - v * (u + x));
  ASSERT_TRUE(product.linear);
  ASSERT_EQ(product.terms.size(), 1u);
  EXPECT_TRUE(same(product.terms[0].atom, u));
  EXPECT_TRUE(same(product.remainder, x));

  const LinearForm quotient = linear_form((pow(u, 2) + x * u) / u);
  ASSERT_TRUE(quotient.linear);
  EXPECT_TRUE(same(quotient.remainder, x));

  const LinearForm trig = linear_form(v * pow(sin(u), 2) + v * pow(cos(u), 2));
  ASSERT_TRUE(trig.linear);
  ASSERT_EQ(trig.terms.size(), 1u);
  EXPECT_TRUE(same(trig.terms[0].atom, v));

  EXPECT_TRUE(is_linear(abs(u) * sign(u)));
  EXPECT_TRUE(linear_form(pow(x + 1, 2) * u - x * x * u - 2 * x * u - u).terms.empty());
}

TEST(LinearForm, AddsUpToTheExpression) {
  // Random affine expressions, written in factored form, at random points.
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> real(-2, 2);
  for (int i = 0; i < 50; ++i) {
    const Expr a = real(engine) * x + sin(t), b = exp(real(engine) * y), c = nu * x * t;
    const Expr e =
        a * (b * d(u, x, x) + c * (u - v) + x) - b * (d(u, t) - a) * (1 + c) + where(x < t, v, u);
    const LinearForm form = linear_form(e);
    ASSERT_TRUE(form.linear);
    Values point;
    for (const Expr& atom :
         {Expr(x), Expr(y), Expr(t), Expr(nu), Expr(u), Expr(v), d(u, x, x), d(u, t)}) {
      point.set(atom, real(engine));
    }
    double total = evaluate(form.remainder, point);
    double magnitude = std::abs(total);
    for (const auto& [atom, coefficient] : form.terms) {
      const double term = evaluate(coefficient, point) * evaluate(atom, point);
      total += term;
      magnitude += std::abs(term);
    }
    // Fewer than 64 operations, values below the magnitude times e^4 (the largest factor b).
    const double tolerance = 64 * std::numeric_limits<double>::epsilon() * 55 * (1 + magnitude);
    EXPECT_LT(std::abs(total - evaluate(e, point)), tolerance);
  }
}

TEST(PrincipalPart, TakesTheHighestDerivativesOfOneField) {
  const PrincipalPart part =
      principal_part(d(u, t) + u * d(u, x) - nu * u * d(u, x, x) + d(v, x, x, x), u);
  EXPECT_EQ(part.order, 2);
  ASSERT_TRUE(part.quasilinear);
  ASSERT_EQ(part.terms.size(), 1u);
  EXPECT_TRUE(same(part.terms[0].atom, d(u, x, x)));
  EXPECT_TRUE(same(part.terms[0].coefficient, -nu * u));
}

TEST(PrincipalPart, IsNotQuasilinearWhenTheHighestDerivativesMultiply) {
  const PrincipalPart part =
      principal_part(d(u, x, x) * d(u, y, y) - pow(d(u, x, y), 2) - exp(x), u);
  EXPECT_EQ(part.order, 2);
  EXPECT_FALSE(part.quasilinear);
  EXPECT_TRUE(part.terms.empty());
  EXPECT_FALSE(principal_part(abs(d(u, x)) - 1, u).quasilinear);
  EXPECT_FALSE(principal_part(d(u, x) + sign(d(u, x, x)), u).quasilinear);
}

TEST(PrincipalPart, DropsToLowerOrderWhereTheHighestCancels) {
  const Expr hidden = pow(d(u, x, x) + x, 2) - pow(d(u, x, x), 2) - 2 * x * d(u, x, x);
  const PrincipalPart part = principal_part(hidden + 3 * d(u, t), u);
  EXPECT_EQ(part.order, 1);
  ASSERT_EQ(part.terms.size(), 1u);
  EXPECT_TRUE(same(part.terms[0].coefficient, Expr(3)));
}

TEST(PrincipalPart, HasOrderZeroWithoutDerivatives) {
  const PrincipalPart algebraic = principal_part(3 * u - x, u);
  EXPECT_EQ(algebraic.order, 0);
  EXPECT_TRUE(algebraic.quasilinear);
  EXPECT_EQ(algebraic.terms.size(), 1u);
  EXPECT_TRUE(principal_part(x + d(v, x), u).terms.empty());
  EXPECT_THROW((void)principal_part(x, x), Error);
  EXPECT_THROW((void)principal_part(x, d(u, x)), Error);
}

TEST(SymmetricEigenvalues, MatchClosedFormsOfTheSecondDifferenceMatrix) {
  // tridiag(-1, 2, -1): 2 - 2 cos(k pi / (n + 1)), k = 1..n.
  constexpr std::size_t n = 9;
  std::vector<double> a(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    a[i * n + i] = 2;
    if (i > 0) a[i * n + i - 1] = a[(i - 1) * n + i] = -1;
  }
  const std::vector<double> values = detail::symmetric_eigenvalues(a, n);
  for (std::size_t k = 1; k <= n; ++k) {
    const double exact = 2 - 2 * std::cos(static_cast<double>(k) * pi / (n + 1.0));
    // Backward stable rotations: n * eps * |A|, with 10 for the sweeps.
    EXPECT_LT(std::abs(values[k - 1] - exact), 10 * n * 2.3e-16 * 4);
  }
}

TEST(SymmetricEigenvalues, CountTheSignsOfRandomCongruentMatrices) {
  // Sylvester: S' diag S has the signs of diag for every regular S.
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> real(-1, 1);
  std::uniform_int_distribution<int> sign_of(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial % 6);
    std::vector<double> s(n * n), diag(n), a(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      diag[i] = sign_of(engine);
      for (std::size_t j = 0; j < n; ++j) {
        s[i * n + j] = (i == j ? static_cast<double>(n) : 0.0) + real(engine);  // dominant diagonal
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) a[i * n + j] += s[k * n + i] * diag[k] * s[k * n + j];
      }
    }
    const detail::Inertia count = detail::inertia(a, n, 1e-12);
    EXPECT_EQ(count.positive, std::count(diag.begin(), diag.end(), 1.0));
    EXPECT_EQ(count.negative, std::count(diag.begin(), diag.end(), -1.0));
    EXPECT_EQ(count.zero, std::count(diag.begin(), diag.end(), 0.0));
  }
}

TEST(SymmetricEigenvalues, DoNotOverflowOnLargeEntries) {
  const std::vector<double> values = detail::symmetric_eigenvalues({0, 1e300, 1e300, 0}, 2);
  EXPECT_LT(std::abs(values[0] + 1e300), 1e285);
  EXPECT_LT(std::abs(values[1] - 1e300), 1e285);
}

TEST(Classify, LaplacianIsElliptic) {
  EXPECT_EQ(type(laplacian(u, {x, y}) - sin(x), {x, y}), PdeType::elliptic);
  EXPECT_EQ(type(-laplacian(u, {x, y, z}), {x, y, z}), PdeType::elliptic);
  EXPECT_EQ(type(laplacian(u, {x, y, z}) + 9 * u, {x, y, z}), PdeType::elliptic);
}

TEST(Classify, HeatEquationIsParabolicThroughItsZeroEigenvalue) {
  Values values;
  values.set(D, 0.5);
  const Expr heat = d(u, t) - D * D * d(u, x, x);
  EXPECT_EQ(type(heat, {t, x}, values), PdeType::parabolic);
  EXPECT_EQ(type(d(u, t) - D * D * laplacian(u, {x, y, z}), {t, x, y, z}, values),
            PdeType::parabolic);
  EXPECT_EQ(type(heat, {t, x}), PdeType::undetermined);  // D may be zero
  EXPECT_EQ(type(heat, {t, x}, Values().set(D, 0)), PdeType::degenerate);
}

TEST(Classify, WaveEquationIsHyperbolicInEveryDimension) {
  EXPECT_EQ(type(d(u, t, t) - 4 * d(u, x, x), {t, x}), PdeType::hyperbolic);
  EXPECT_EQ(type(d(u, t, t) - laplacian(u, {x, y}), {t, x, y}), PdeType::hyperbolic);
  EXPECT_EQ(type(laplacian(u, {x, y, z}) - d(u, t, t), {t, x, y, z}), PdeType::hyperbolic);
  EXPECT_EQ(type(d(u, x, y), {x, y}), PdeType::hyperbolic);
}

TEST(Classify, TwoOfEachSignAreUltraHyperbolic) {
  const Expr e = d(u, x, x) + d(u, y, y) - d(u, z, z) - d(u, w, w);
  EXPECT_EQ(type(e, {x, y, z, w}), PdeType::ultra_hyperbolic);
}

TEST(Classify, ZeroBesideBothSignsIsDegenerate) {
  EXPECT_EQ(type(d(u, x, x) - d(u, y, y) + d(u, z), {x, y, z}), PdeType::degenerate);
  EXPECT_EQ(type(u * u - x, {x}), PdeType::degenerate);
}

TEST(Classify, MixedDerivativesCountHalfOnEachSide) {
  // u_xx + b u_xy + u_yy has eigenvalues 1 +- b/2: elliptic below |b| = 2, parabolic at it.
  const auto with = [&](double b) {
    return type(d(u, x, x) + b * d(u, x, y) + d(u, y, y), {x, y});
  };
  EXPECT_EQ(with(1.999), PdeType::elliptic);
  EXPECT_EQ(with(2), PdeType::parabolic);
  EXPECT_EQ(with(-2), PdeType::parabolic);
  EXPECT_EQ(with(2.001), PdeType::hyperbolic);
}

TEST(Classify, TricomiChangesTypeAcrossTheAxis) {
  const Expr e = y * d(u, x, x) + d(u, y, y);
  const auto at = [&](double where_y) { return type(e, {x, y}, Values().set(y, where_y)); };
  EXPECT_EQ(at(1), PdeType::elliptic);
  EXPECT_EQ(at(-1), PdeType::hyperbolic);
  EXPECT_EQ(at(0), PdeType::parabolic);
  EXPECT_EQ(type(e, {x, y}), PdeType::undetermined);
}

TEST(Classify, QuasilinearEquationsTakeTheirTypeFromTheSolution) {
  const Expr ux = d(u, x), uy = d(u, y);
  const Expr minimal =
      (1 + uy * uy) * d(u, x, x) - 2 * ux * uy * d(u, x, y) + (1 + ux * ux) * d(u, y, y);
  EXPECT_EQ(type(minimal, {x, y}), PdeType::undetermined);
  EXPECT_EQ(type(minimal, {x, y}, Values().set(ux, 30).set(uy, -20)), PdeType::elliptic);

  // Transonic small disturbance: (1 - M^2 - (gamma + 1) M^2 u_x) u_xx + u_yy.
  const double mach = 0.8, gamma = 1.4, m2 = mach * mach;
  const Expr transonic = (1 - m2 - (gamma + 1) * m2 * ux) * d(u, x, x) + d(u, y, y);
  const double sonic = (1 - m2) / ((gamma + 1) * m2);
  EXPECT_EQ(type(transonic, {x, y}, Values().set(ux, 0.9 * sonic)), PdeType::elliptic);
  EXPECT_EQ(type(transonic, {x, y}, Values().set(ux, 1.1 * sonic)), PdeType::hyperbolic);
}

TEST(Classify, DivergenceFormIsExpandedByTheProductRule) {
  const Expr a = 2 + sin(x);
  const Expr e = div(Vector{a * d(u, x), a * d(u, y)}, {x, y});
  EXPECT_EQ(type(e, {x, y}, Values().set(x, 0.3)), PdeType::elliptic);
}

TEST(Classify, NamesFirstAndHigherOrder) {
  EXPECT_EQ(type(d(u, t) + u * d(u, x), {t, x}), PdeType::first_order);
  EXPECT_EQ(type(d(u, t) + 2 * d(u, x), {t, x}), PdeType::first_order);
  EXPECT_EQ(type(d(u, t) + u * d(u, x) - nu * d(u, x, x), {t, x}, Values().set(nu, 0.01)),
            PdeType::parabolic);
  EXPECT_EQ(type(d(u, t) + 6 * u * d(u, x) + d(u, x, x, x), {t, x}), PdeType::higher_order);
  EXPECT_EQ(type(laplacian(laplacian(u, {x, y}), {x, y}), {x, y}), PdeType::higher_order);
}

TEST(Classify, MongeAmpereIsUndetermined) {
  EXPECT_EQ(type(d(u, x, x) * d(u, y, y) - pow(d(u, x, y), 2) - 1, {x, y}), PdeType::undetermined);
}

TEST(Classify, TakesOneFieldOfASystem) {
  // Keller-Segel type: u_t = u_xx - (u v_x)_x, 0 = v_xx + v_yy + u.
  const Expr first = d(u, t) - d(u, x, x) + d(u * d(v, x), x);
  const Expr second = d(v, x, x) + d(v, y, y) + u;
  EXPECT_EQ(classify(first, u, std::array<Expr, 2>{t, x}), PdeType::parabolic);
  EXPECT_EQ(classify(second, v, std::array<Expr, 2>{x, y}), PdeType::elliptic);
  EXPECT_EQ(classify(second, u, std::array<Expr, 2>{x, y}), PdeType::degenerate);
  // For v the first equation is -(u) v_xx up to lower terms: it needs the value of u.
  EXPECT_EQ(classify(first, v, std::array<Expr, 2>{t, x}), PdeType::undetermined);
}

TEST(Classify, UsesCodeOfDataFunctionsAndRejectsInfiniteCoefficients) {
  const DataFunction a("a");
  const Expr e = a(x) * d(u, x, x) + d(u, y, y);
  Values values;
  values.set(x, 2);
  EXPECT_EQ(type(e, {x, y}, values), PdeType::undetermined);
  values.set(a, [](std::span<const double> args, std::span<const int>) { return -args[0]; });
  EXPECT_EQ(type(e, {x, y}, values), PdeType::hyperbolic);
  EXPECT_EQ(type(d(u, x, x) / x + d(u, y, y), {x, y}, Values().set(x, 0)), PdeType::undetermined);
}

TEST(Classify, RejectsWrongLists) {
  EXPECT_THROW((void)type(d(u, t, t) - d(u, x, x), {x}), Error);
  EXPECT_THROW((void)type(d(u, x, x), {x, x}), Error);
  EXPECT_THROW((void)type(d(u, x, x), {x, nu}), Error);
}

TEST(Classify, TypesHaveNames) {
  EXPECT_EQ(to_string(PdeType::elliptic), "elliptic");
  EXPECT_EQ(to_string(PdeType::ultra_hyperbolic), "ultra-hyperbolic");
  EXPECT_EQ(to_string(PdeType::undetermined), "undetermined");
}

}  // namespace
}  // namespace cauchy::test_expr_analysis
