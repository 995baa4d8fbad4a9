#include <cauchy/engine/residual_form.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_residual_form {
namespace {

using ::testing::HasSubstr;

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v"), p("p");

ResidualForm form_of(const std::vector<Expr>& residuals,
                     const std::vector<std::string>& coordinates, bool collapse = true,
                     const std::vector<std::string>& fields = {"u"}) {
  return residual_form(residuals, coordinates, fields, collapse, "test");
}

std::string jets_of(const std::vector<Expr>& residuals, const std::vector<std::string>& coordinates,
                    bool collapse = true, const std::vector<std::string>& fields = {"u"}) {
  return form_of(residuals, coordinates, collapse, fields).jets.describe(coordinates);
}

TEST(ResidualForm, AsksForTheDerivativesThatOccur) {
  const Expr burgers = d(u, t) + u * d(u, x) - Parameter("nu") * d(u, x, x);
  const ResidualForm form = form_of({burgers}, {"t", "x"});
  EXPECT_EQ(form.jets.size(), 4);
  ASSERT_EQ(form.rows.size(), 4u);
  for (const auto& row : form.rows) {
    EXPECT_EQ(row.field, 0);
    // The atom of a plain row is the derivative that the component stands for.
    MultiIndex index;
    const auto& orders = form.jets.component(row.component).parts[0].orders;
    if (orders[0] > 0) index.emplace_back("t", orders[0]);
    if (orders[1] > 0) index.emplace_back("x", orders[1]);
    EXPECT_TRUE(same(row.atom, field_derivative("u", index)));
  }
  EXPECT_TRUE(same(form.residuals[0], burgers));
}

TEST(ResidualForm, RowsAreOnlyWhatTheResidualReads) {
  // u_x must travel for u_xx, but the residual does not read it, nor u itself.
  const ResidualForm form = form_of({d(u, x, x) - 1}, {"x"});
  EXPECT_EQ(form.jets.size(), 3);
  ASSERT_EQ(form.rows.size(), 1u);
  EXPECT_EQ(form.rows[0].component, 2);
}

TEST(ResidualForm, CollapsesLaplacians) {
  const Expr laplacian = d(u, x, x) + d(u, y, y);
  EXPECT_EQ(jets_of({laplacian - u * u}, {"x", "y"}), "u, u_x, u_y, u_xx + u_yy");
  EXPECT_EQ(jets_of({laplacian - u * u}, {"x", "y"}, false), "u, u_x, u_y, u_xx, u_yy");
  // Also as the argument of a function, and with a coefficient that varies in front of all of it.
  EXPECT_EQ(jets_of({exp(laplacian) + x * laplacian}, {"x", "y"}), "u, u_x, u_y, u_xx + u_yy");
}

TEST(ResidualForm, CollapsesConstantCoefficients) {
  EXPECT_EQ(jets_of({2 * d(u, x, x) + 3 * d(u, y, y) - 1}, {"x", "y"}),
            "u, u_x, u_y, u_xx + 1.5*u_yy");
  EXPECT_EQ(jets_of({d(u, t) - 0.25 * d(u, x, x)}, {"t", "x"}), "u, u_x, u_t + -0.25*u_xx");
  EXPECT_EQ(jets_of({d(u, t) + u * d(u, x) - 0.25 * d(u, x, x)}, {"t", "x"}),
            "u, u_x, u_t + -0.25*u_xx");
}

TEST(ResidualForm, CollapsesTheBiharmonicOperator) {
  const Expr plate = d(u, x, x, x, x) + 2 * d(u, x, x, y, y) + d(u, y, y, y, y);
  EXPECT_EQ(form_of({plate - 1}, {"x", "y"}).jets.size(), 11);
  EXPECT_EQ(form_of({plate - 1}, {"x", "y"}, false).jets.size(), 13);
}

TEST(ResidualForm, TheSymbolStandsForTheCombination) {
  const ResidualForm form = form_of({2 * d(u, x, x) + 3 * d(u, y, y) - u}, {"x", "y"});
  ASSERT_EQ(form.rows.size(), 2u);
  const auto& row = form.rows[1];
  EXPECT_EQ(row.atom.kind(), Kind::symbol);
  EXPECT_EQ(row.component, 3);
  // 2 (u_xx + 1.5 u_yy) - u
  EXPECT_TRUE(same(form.residuals[0], 2 * row.atom - u));
}

TEST(ResidualForm, DoesNotCollapseWhatOccursAlone) {
  const Expr laplacian = d(u, x, x) + d(u, y, y);
  const std::string plain = "u, u_x, u_y, u_xx, u_yy";
  EXPECT_EQ(jets_of({laplacian + pow(d(u, x, x), 2)}, {"x", "y"}), plain);
  EXPECT_EQ(jets_of({laplacian, d(u, x, x) - 1}, {"x", "y"}), plain);  // in another equation
  // A higher derivative needs u_xx on its own; u_yy and u_xxy may still travel together.
  EXPECT_EQ(jets_of({laplacian + d(u, x, x, y)}, {"x", "y"}),
            "u, u_x, u_y, u_xx, u_xy, u_yy + u_xxy");
}

TEST(ResidualForm, DoesNotCollapseCoefficientsThatVary) {
  const std::string plain = "u, u_x, u_y, u_xx, u_yy";
  EXPECT_EQ(jets_of({d(u, x, x) + x * d(u, y, y)}, {"x", "y"}), plain);
  EXPECT_EQ(jets_of({d(u, x, x) + u * d(u, y, y)}, {"x", "y"}), plain);
  EXPECT_EQ(jets_of({d(u, x, x) + Parameter("a") * d(u, y, y)}, {"x", "y"}), plain);
  EXPECT_EQ(jets_of({d(u, x, x) * d(u, y, y)}, {"x", "y"}), plain);
  // One ratio in one equation, another in the next.
  EXPECT_EQ(jets_of({d(u, x, x) + d(u, y, y), d(u, x, x) - d(u, y, y)}, {"x", "y"}), plain);
}

TEST(ResidualForm, DoesNotCollapseAcrossJumps) {
  // Partial derivatives of sign and of conditions vanish; u_xx decides the jump all the same.
  const Expr laplacian = d(u, x, x) + d(u, y, y);
  const std::string plain = "u, u_x, u_y, u_xx, u_yy";
  EXPECT_EQ(jets_of({laplacian + sign(d(u, x, x))}, {"x", "y"}), plain);
  EXPECT_EQ(jets_of({laplacian + floor(d(u, x, x))}, {"x", "y"}), plain);
  EXPECT_EQ(jets_of({laplacian + (d(u, x, x) < 1)}, {"x", "y"}), plain);
  EXPECT_EQ(jets_of({where(d(u, y, y) > 0, laplacian, 2 * laplacian)}, {"x", "y"}), plain);
  // Kinks are continuous: max(laplacian, 0) depends on the combination only.
  EXPECT_EQ(jets_of({max(laplacian, Expr(0))}, {"x", "y"}), "u, u_x, u_y, u_xx + u_yy");
}

TEST(ResidualForm, CollapsesSystemsWhenAllFieldsAgree) {
  // Navier-Stokes in two dimensions: the momentum equations share u_t - nu (u_xx + u_yy).
  const double nu = 0.25;
  const auto momentum = [&](const Expr& w, const Coordinate& direction) {
    return d(w, t) + u * d(w, x) + v * d(w, y) + d(p, direction) - nu * (d(w, x, x) + d(w, y, y));
  };
  const std::vector<Expr> residuals{momentum(u, x), momentum(v, y), d(u, x) + d(v, y)};
  const ResidualForm form = form_of(residuals, {"t", "x", "y"}, true, {"u", "v", "p"});
  EXPECT_EQ(form.jets.describe(std::vector<std::string>{"t", "x", "y"}),
            "u, u_x, u_y, u_t + -0.25*u_xx + -0.25*u_yy");
  // Rows: u, u_x, u_y, combination; the same for v; p_x, p_y.
  EXPECT_EQ(form.rows.size(), 10u);
  int n_symbols = 0;
  for (const auto& row : form.rows) n_symbols += row.atom.kind() == Kind::symbol ? 1 : 0;
  EXPECT_EQ(n_symbols, 2);

  // A third field with another combination forbids it for all: jets are shared.
  auto with_heat = residuals;
  const Field heat("h");
  with_heat.push_back(d(heat, x, x) + 2 * d(heat, y, y));
  EXPECT_EQ(form_of(with_heat, {"t", "x", "y"}, true, {"u", "v", "p", "h"}).jets.size(), 6);
}

TEST(ResidualForm, CollapsedResidualsHaveTheSameValues) {
  const std::vector<Expr> residuals{exp(0.5 * d(u, x, x) - 2 * d(u, y, y)) +
                                    u * d(u, x) * (d(u, x, x) - 4 * d(u, y, y)) - x};
  const ResidualForm form = form_of(residuals, {"x", "y"});
  ASSERT_EQ(form.jets.size(), 4);
  const double xx = 0.5, yy = 0.75;
  Values plain, collapsed;
  for (Values* values : {&plain, &collapsed}) {
    values->set(u, 0.375).set(d(u, x), 1.25).set(x, 0.25);
  }
  plain.set(d(u, x, x), xx).set(d(u, y, y), yy);
  for (const auto& row : form.rows) {
    if (row.atom.kind() != Kind::symbol) continue;
    double value = 0;
    for (const auto& part : form.jets.component(row.component).parts) {
      value += part.coefficient * (part.orders[0] == 2 ? xx : yy);
    }
    collapsed.set(row.atom, value);
  }
  const double want = evaluate(residuals[0], plain);
  // A handful of operations on numbers of size 10.
  EXPECT_LT(std::abs(evaluate(form.residuals[0], collapsed) - want), 1e-14);
}

std::string message_of(const Expr& residual) {
  return cauchy::message_of([&] {
    return residual_form(std::vector<Expr>{residual}, std::vector<std::string>{"t", "x"},
                         std::vector<std::string>{"velocity", "p"}, true, "momentum");
  });
}

TEST(ResidualForm, NamesTheTermAndTheNearestName) {
  const std::string field = message_of(d(Field("velocty"), x));
  EXPECT_THAT(field, HasSubstr("velocty"));
  EXPECT_THAT(field, HasSubstr("momentum"));
  EXPECT_THAT(field, HasSubstr("did you mean 'velocity'?"));
  const std::string coordinate = message_of(y * Field("p"));
  EXPECT_THAT(coordinate, HasSubstr("unknown coordinate 'y'"));
  EXPECT_THAT(coordinate, HasSubstr("momentum"));
  EXPECT_THAT(message_of(d(Field("p"), y)), HasSubstr("unknown coordinate 'y'"));
  EXPECT_THAT(message_of(Symbol("s") * Field("p")), HasSubstr("'s' is not a field"));
}

}  // namespace
}  // namespace cauchy::test_residual_form
