#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/weak_form.hpp>

namespace cauchy::test_weak_form {
namespace {

Context names_with(const std::vector<std::string>& fields, std::size_t dimension) {
  Context c;
  c.add_time("t").add_space("x");
  if (dimension == 2) c.add_space("y");
  for (const std::string& f : fields) c.add_field(f);
  c.add_parameter("a").add_parameter("nu").add_parameter("lambda").add_parameter("mu");
  c.add_function("k", 2);
  return c;
}

WeakForm form_of(const std::vector<std::string>& equations, const std::vector<std::string>& fields,
                 std::size_t dimension = 2, WeakOptions options = {}) {
  const Context names = names_with(fields, dimension);
  std::vector<Equation> list;
  for (const std::string& e : equations) list.push_back(parse_equation(e, names));
  Space space{Coordinate("x")};
  if (dimension == 2) space.push_back(Coordinate("y"));
  for (const char* p : {"a", "nu", "lambda", "mu"}) options.at.set(Parameter(p), 1);
  for (const char* x : {"x", "y", "t"}) options.at.set(Coordinate(x), 0.5);
  return weak_form(list, fields, space, Coordinate("t"), options);
}

void expect_same(const Expr& found, const Expr& expected, const std::string& what) {
  EXPECT_TRUE(simplify(expand(found - expected)).is_constant(0))
      << what << ": found " << to_string(found) << ", expected " << to_string(expected);
}

struct Case {
  std::vector<std::string> equations, fields;
  std::vector<std::string> rows;  // written by hand; tests are v, or v1, v2, ...
  std::size_t dimension = 2;
};

const std::vector<Case> cases = {
    // Poisson, both signs
    {{"-laplacian(u) = k(x, y)"}, {"u"}, {"u_x*v_x + u_y*v_y - k(x, y)*v"}},
    {{"laplacian(u) = 1"}, {"u"}, {"u_x*v_x + u_y*v_y + v"}},
    // diffusion with coefficients, isotropic and not
    {{"-div(k(x, y)*grad(u)) = 1"}, {"u"}, {"k(x, y)*(u_x*v_x + u_y*v_y) - v"}},
    {{"2*u_xx + u_yy + u_xy = 1"}, {"u"}, {"2*u_x*v_x + u_y*v_y + (u_y*v_x + u_x*v_y)/2 + v"}},
    // a coefficient in front of the derivative: the product rule adds a term
    {{"-(1 + x)*u_xx - u_yy = 0"}, {"u"}, {"(1 + x)*u_x*v_x + u_x*v + u_y*v_y"}},
    {{"-u*u_xx - u_yy = 0"}, {"u"}, {"u*u_x*v_x + u_x^2*v + u_y*v_y"}},
    // advection and reaction
    {{"-a*laplacian(u) + 3*u_x + x*u_y + 2*u = 1"},
     {"u"},
     {"a*(u_x*v_x + u_y*v_y) + (3*u_x + x*u_y + 2*u - 1)*v"}},
    // a total flux that is written as one divergence stays one
    {{"d(3*u - a*u_x, x) + d(x*u - a*u_y, y) = 1"},
     {"u"},
     {"(a*u_x - 3*u)*v_x + (a*u_y - x*u)*v_y - v"}},
    {{"laplacian(u) + a^2*u = 0"}, {"u"}, {"u_x*v_x + u_y*v_y - a^2*u*v"}},
    // in time
    {{"u_t = nu*laplacian(u)"}, {"u"}, {"u_t*v + nu*(u_x*v_x + u_y*v_y)"}},
    {{"u_tt = a^2*laplacian(u)"}, {"u"}, {"u_tt*v + a^2*(u_x*v_x + u_y*v_y)"}},
    {{"u_t + d(u^2/2, x) = nu*u_xx"}, {"u"}, {"(u_t + u*u_x)*v + nu*u_x*v_x"}, 1},
    {{"u_t = a*laplacian(u) + u - u^3"}, {"u"}, {"(u_t - u + u^3)*v + a*(u_x*v_x + u_y*v_y)"}},
    // nonlinear diffusion
    {{"-div((1 + u^2)*grad(u)) = 1"}, {"u"}, {"(1 + u^2)*(u_x*v_x + u_y*v_y) - v"}},
    {{"div(grad(u)/sqrt(1 + u_x^2 + u_y^2)) = 0"},
     {"u"},
     {"(u_x*v_x + u_y*v_y)/sqrt(1 + u_x^2 + u_y^2)"}},
    {{"-d((1 + x)*u_x, x) + u = x"}, {"u"}, {"(1 + x)*u_x*v_x + (u - x)*v"}, 1},
    // fourth order, as two equations
    {{"laplacian(laplacian(u)) = 1"},
     {"u"},
     {"d(lap_u, x)*v1_x + d(lap_u, y)*v1_y + v1", "lap_u*v2 + u_x*v2_x + u_y*v2_y"}},
    {{"u_xxxx + 2*u_xxyy + u_yyyy = 1"},
     {"u"},
     {"d(lap_u, x)*v1_x + d(lap_u, y)*v1_y + v1", "lap_u*v2 + u_x*v2_x + u_y*v2_y"}},
    {{"u_xxxx + a*u = 1"},
     {"u"},
     {"-d(curvature_u, x)*v1_x + (a*u - 1)*v1", "-curvature_u*v2 - u_x*v2_x"},
     1},
    {{"u_t = laplacian(u^3 - u - a*laplacian(u))"},
     {"u"},
     {"u_t*v1 + ((3*u^2 - 1)*u_x - a*d(lap_u, x))*v1_x + ((3*u^2 - 1)*u_y - a*d(lap_u, y))*v1_y",
      "-a*(lap_u*v2 + u_x*v2_x + u_y*v2_y)"}},
    // systems: which equation belongs to which field
    {{"-mu*laplacian(u) + p_x = 1", "-mu*laplacian(w) + p_y = 0", "u_x + w_y = 0"},
     {"u", "w", "p"},
     {"mu*(u_x*v1_x + u_y*v1_y) - p*v1_x - v1", "mu*(w_x*v2_x + w_y*v2_y) - p*v2_y",
      "-(u_x + w_y)*v3"}},
    {{"u_x + w_y = 0", "u*w_x + w*w_y + p_y = mu*laplacian(w)",
      "u*u_x + w*u_y + p_x = mu*laplacian(u)"},
     {"u", "w", "p"},
     {"mu*(u_x*v1_x + u_y*v1_y) + (u*u_x + w*u_y)*v1 - p*v1_x",
      "mu*(w_x*v2_x + w_y*v2_y) + (u*w_x + w*w_y)*v2 - p*v2_y", "-(u_x + w_y)*v3"}},
    {{"d((lambda + 2*mu)*u_x + lambda*w_y, x) + d(mu*(u_y + w_x), y) = 1",
      "d(mu*(u_y + w_x), x) + d((lambda + 2*mu)*w_y + lambda*u_x, y) = 0"},
     {"u", "w"},
     {"((lambda + 2*mu)*u_x + lambda*w_y)*v1_x + mu*(u_y + w_x)*v1_y + v1",
      "mu*(u_y + w_x)*v2_x + ((lambda + 2*mu)*w_y + lambda*u_x)*v2_y"}},
    {{"u_t = 1 + u^2*w - 4*u + a*laplacian(u)", "w_t = 3*u - u^2*w + nu*laplacian(w)"},
     {"u", "w"},
     {"(u_t - 1 - u^2*w + 4*u)*v1 + a*(u_x*v1_x + u_y*v1_y)",
      "(w_t - 3*u + u^2*w)*v2 + nu*(w_x*v2_x + w_y*v2_y)"}},
};

TEST(WeakForm, OfTwentyFourEquationsIsTheOneWrittenByHand) {
  ASSERT_GE(cases.size(), 20u);
  for (const Case& c : cases) {
    const WeakForm form = form_of(c.equations, c.fields, c.dimension);
    ASSERT_EQ(form.rows.size(), c.rows.size()) << c.equations[0];
    std::vector<std::string> all = form.fields;
    for (const WeakRow& row : form.rows) all.push_back(row.test);
    const Context names = names_with(all, c.dimension);
    for (std::size_t r = 0; r < form.rows.size(); ++r) {
      EXPECT_EQ(form.rows[r].field, form.fields[r]);
      expect_same(integrand(form, form.rows[r]), parse(c.rows[r], names), c.equations[0]);
    }
  }
}

TEST(WeakForm, GreensIdentityHoldsForTheRowAndItsEquation) {
  // residual * v = integrand - div(flux v), for the sign of the row, whatever v is.
  for (const Case& c : cases) {
    const WeakForm form = form_of(c.equations, c.fields, c.dimension);
    const Context names = names_with(c.fields, c.dimension);
    for (const WeakRow& row : form.rows) {
      if (row.equation >= c.equations.size() || !form.auxiliary.empty()) continue;
      const Field v(row.test);
      const Expr residual = parse_equation(c.equations[row.equation], names).residual();
      Expr divergence = 0;
      for (std::size_t i = 0; i < form.space.size(); ++i) {
        divergence = divergence + d(row.flux[i] * v, form.space[i]);
      }
      const Expr strong = expand(integrand(form, row) - divergence);
      const bool same_sign = simplify(expand(strong - residual * v)).is_constant(0);
      const bool turned = simplify(expand(strong + residual * v)).is_constant(0);
      EXPECT_TRUE(same_sign || turned) << c.equations[row.equation];
    }
  }
}

TEST(WeakForm, ConvectiveFluxesAreIntegratedWhenAsked) {
  const WeakForm form =
      form_of({"d(3*u, x) - a*u_xx - a*u_yy = 1"}, {"u"}, 2, {.convective = true});
  EXPECT_EQ(to_string(form, form.rows[0]), "-3*u*v_x + a*u_x*v_x + a*u_y*v_y - v");
}

TEST(WeakForm, SymmetryAndLinearityAreSeen) {
  const auto check = [](const std::string& e, bool linear, bool symmetric) {
    const WeakForm form = form_of({e}, {"u"});
    EXPECT_EQ(is_linear(form), linear) << e;
    EXPECT_EQ(is_symmetric(form), symmetric) << e;
  };
  check("-laplacian(u) = k(x, y)", true, true);
  check("-laplacian(u) + u_x = 0", true, false);
  check("-div((1 + u^2)*grad(u)) = 1", false, false);
  check("-laplacian(u) + u^3 = 1", false, true);
  check("d(2*u_x + u_y, x) + d(u_y, y) = 1", true, false);
  const WeakForm stokes =
      form_of({"-mu*laplacian(u) + p_x = 1", "-mu*laplacian(w) + p_y = 0", "u_x + w_y = 0"},
              {"u", "w", "p"});
  EXPECT_TRUE(is_symmetric(stokes));
  EXPECT_EQ(stokes.multiplier, (std::vector<bool>{false, false, true}));
  EXPECT_TRUE(is_symmetric(form_of({"laplacian(laplacian(u)) = 1"}, {"u"})));
}

TEST(WeakForm, DerivativeForNewtonIsThePartialOne) {
  const WeakForm form = form_of({"u_t - div((1 + u^2)*grad(u)) + u*u_x = 1"}, {"u"});
  const WeakDerivative g = gateaux(form, form.rows[0], "u");
  EXPECT_EQ(to_string(g.source_u), "u_x");
  EXPECT_EQ(to_string(g.source_du[0]), "u");
  EXPECT_EQ(to_string(g.source_du[1]), "0");
  EXPECT_EQ(to_string(g.rate), "1");
  EXPECT_EQ(to_string(g.flux_u[1]), "2*u*u_y");
  EXPECT_EQ(to_string(g.flux_du[0][0]), "u^2 + 1");
  EXPECT_EQ(to_string(g.flux_du[0][1]), "0");
}

TEST(WeakForm, EnergyHasTheFormAsItsDerivative) {
  const auto energy = [](const std::string& e, const std::string& expected) {
    const WeakForm form = form_of({e}, {"u"});
    const std::optional<Expr> w = energy_density(form);
    ASSERT_TRUE(w.has_value()) << e;
    expect_same(*w, parse(expected, names_with({"u"}, 2)), e);
  };
  energy("-laplacian(u) = k(x, y)", "(u_x^2 + u_y^2)/2 - k(x, y)*u");
  energy("-a*laplacian(u) = u - u^3", "a*(u_x^2 + u_y^2)/2 - u^2/2 + u^4/4");
  energy("div(grad(u)/sqrt(1 + u_x^2 + u_y^2)) = 0", "sqrt(1 + u_x^2 + u_y^2)");
  energy("-laplacian(u) + exp(2*u) = sin(u)", "(u_x^2 + u_y^2)/2 + exp(2*u)/2 + cos(u)");
  energy("2*u_xx + u_yy + u_xy = 1", "u_x^2 + u_y^2/2 + u_x*u_y/2 + u");
  EXPECT_FALSE(energy_density(form_of({"-laplacian(u) + u_x = 0"}, {"u"})).has_value());
  EXPECT_FALSE(energy_density(form_of({"u_t = laplacian(u)"}, {"u"})).has_value());
}

TEST(WeakForm, SaysWhereThereIsNone) {
  const auto message = [](const std::string& e, std::size_t dimension) -> std::string {
    try {
      (void)form_of({e}, {"u"}, dimension);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(message("u_t + u*u_x + u_xxx = 0", 1).find("use spectral, fdm or pinn"),
            std::string::npos);
  EXPECT_NE(message("u_xx*u_yy - u_xy^2 = 1", 2).find("stand in no divergence"), std::string::npos);
  EXPECT_NE(message("u_x*u_xx = 1", 1).find("d(u_x^2/2, x)"), std::string::npos);
  EXPECT_NE(message("u_xxxx + u_yyyy = 1", 2).find("no multiple of laplacian(laplacian(u))"),
            std::string::npos);
  EXPECT_EQ(message("d(u_x^2/2, x) = 1", 1), "none");
  // The product rule and the moment do not see jumps.
  EXPECT_NE(message("where(x < 0.5, 1, 4)*u_xx = 1", 1).find("divide the equation by it"),
            std::string::npos);
  EXPECT_EQ(message("where(y < 0.5, 1, 4)*u_xx + u_yy = 1", 2), "none");
  EXPECT_EQ(message("d(where(x < 0.5, 1, 4)*u_x, x) = 1", 1), "none");
  EXPECT_NE(message("d(where(x < 0.5, 8, 1)*u_xx, x, 2) = 1", 1).find("the moment"),
            std::string::npos);
}

TEST(WeakForm, FluxesAreFoundFromConditions) {
  const WeakForm form = form_of({"-div(a*grad(u)) = 1"}, {"u"});
  const Expr flux = natural_flux(form, form.rows[0]);
  Context names = names_with({"u"}, 2);
  const Symbol nx("n_x"), ny("n_y");
  const Field u("u");
  const Expr un = nx * d(u, Coordinate("x")) + ny * d(u, Coordinate("y"));
  const Parameter a("a");
  const std::vector<Expr> robin{2 * (a * un + 3 * (u - 1))};
  const auto rest = reduced_flux(form, flux, robin);
  ASSERT_TRUE(rest.has_value());
  expect_same(*rest, -3 * (u - 1), "Robin");
  const std::vector<Expr> neumann{5 - un};
  expect_same(reduced_flux(form, flux, neumann).value(), 5 * a, "Neumann");
  const std::vector<Expr> slanted{d(u, Coordinate("x")) - 5};
  EXPECT_FALSE(reduced_flux(form, flux, slanted).has_value());
}

TEST(WeakForm, AllSpellingsOfAnEquationGiveOneForm) {
  const WeakForm form = form_of({"-u_xx - u_yy = 1"}, {"u"});
  for (const char* text :
       {"-(u_xx + u_yy) = 1", "u_xx + u_yy = -1", "0 = 1 + (u_xx + u_yy)", "-laplacian(u) = 1",
        "-div(grad(u)) = 1", "-d(u_x, x) - d(u_y, y) = 1"}) {
    const WeakForm other = form_of({text}, {"u"});
    EXPECT_EQ(to_string(other, other.rows[0]), to_string(form, form.rows[0])) << text;
  }
  const WeakForm heat = form_of({"u_t - 0.1*u_xx - 0.1*u_yy = 0"}, {"u"});
  for (const char* text : {"u_t = 0.1*(u_xx + u_yy)", "u_t = (u_xx + u_yy)/10",
                           "u_t - (u_xx + u_yy)*0.1 = 0", "-0.1*(u_yy - (-u_xx)) = -u_t"}) {
    const WeakForm other = form_of({text}, {"u"});
    expect_same(other.rows[0].source, heat.rows[0].source, text);
    for (std::size_t i = 0; i < 2; ++i) {
      expect_same(other.rows[0].flux[i], heat.rows[0].flux[i], text);
    }
  }
}

TEST(WeakForm, PrintsInLatex) {
  const WeakForm form = form_of({"-div(a*grad(u)) = k(x, y)"}, {"u"});
  EXPECT_EQ(to_latex(form, form.rows[0]), "a \\nabla u \\cdot \\nabla v - k(x, y) v");
}

}  // namespace
}  // namespace cauchy::test_weak_form
