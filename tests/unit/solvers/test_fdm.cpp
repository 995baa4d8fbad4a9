// Finite differences: what they treat, what they refuse and in which words.
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/fdm/fdm_assembly.hpp"
#include "solvers/fdm/fdm_steady.hpp"
#include "solvers/fdm/fdm_system.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_fdm {
namespace {

std::shared_ptr<const Problem> fdm_problem(const std::string& text) {
  return std::make_shared<const Problem>(parse_problem_file(text, "test").problem);
}

const std::string u_on_line = "fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n";
const std::string u_on_square = "fields = [\"u\"]\n[domain]\nspace = { x = [0, 1], y = [0, 1] }\n";

std::string holds(const std::string& form) { return "[[equation]]\nform = \"" + form + "\"\n"; }
std::string at_part(const std::string& where, const std::string& form) {
  return "[[condition]]\nwhere = \"" + where + "\"\nform = \"" + form + "\"\n";
}

detail::ClassicalAnswer fdm_answer(const std::string& text, Fdm method) {
  return detail::make_fdm_steady(fdm_problem(text), method)->solve(0, {});
}

double value_at(const detail::ClassicalAnswer& a, const Expr& e, std::vector<double> point) {
  const Expr expressions[] = {e};
  double out = NAN;
  if (a.model != nullptr) a.model->evaluate(expressions, point, {&out, 1});
  return out;
}

const Field u("u");
const Coordinate x("x"), y("y");

TEST(Fdm, TheMatrixIsTheStencilOfTheNotes) {
  // 1 -2 1 in one dimension, -4 and -6 at the middle in two and three.
  const std::string domains[] = {"x = [0, 8]", "x = [0, 8], y = [0, 8]",
                                 "x = [0, 8], y = [0, 8], z = [0, 8]"};
  for (std::size_t d = 1; d <= 3; ++d) {
    detail::FdmSystem system(
        fdm_problem("fields = [\"u\"]\n[domain]\nspace = { " + domains[d - 1] + " }\n" +
                    holds("laplacian(u) = 1") + at_part("boundary", "u = 0")),
        Fdm{}, 8);
    SparseMatrix a;
    const std::vector<double> zero(system.size(), 0);
    system.jacobian(0, zero, zero, 0, a);
    std::size_t middle = 4, stride = 1;
    for (std::size_t k = 1; k < d; ++k) middle = middle * 9 + 4;
    EXPECT_NEAR(a(middle, middle), -2.0 * static_cast<double>(d), 1e-14);
    for (std::size_t k = 0; k < d; ++k, stride *= 9) {
      EXPECT_NEAR(a(middle, middle + stride), 1, 1e-14);
      EXPECT_NEAR(a(middle, middle - stride), 1, 1e-14);
    }
    EXPECT_NEAR(a(0, 0), 1, 0);
  }
}

TEST(Fdm, TheJacobianIsTheDerivativeOfTheResidual) {
  detail::FdmSystem system(
      fdm_problem("fields = [\"u\", \"v\"]\n[domain]\nregion = \"disk((0, 0), 1)\"\ntime = { t = "
                  "[0, 1] }\n" +
                  holds("u_t = div((1 + u^2)*grad(u)) - u*v_x") +
                  holds("v_tt = laplacian(v) + u^3") + at_part("boundary", "u_n + u^2 = 1") +
                  at_part("boundary", "v = x*t") + at_part("t = 0", "u = 0") +
                  at_part("t = 0", "v = 0") + at_part("t = 0", "v_t = x")),
      Fdm{.upwind = Upwind::never}, 8);
  const std::size_t n = system.size();
  std::vector<double> state(n), rate(n), minus(n), plus(n);
  for (std::size_t i = 0; i < n; ++i) {
    state[i] = std::sin(1.3 * static_cast<double>(i));
    rate[i] = std::cos(0.7 * static_cast<double>(i));
  }
  SparseMatrix a;
  system.jacobian(0.3, state, rate, 2.5, a);
  for (const std::size_t j : {std::size_t{3}, n / 2, n - 5}) {
    const double h = 1e-6;
    std::vector<double> s = state, r = rate;
    s[j] += h;
    r[j] += 2.5 * h;
    system.residual(0.3, s, r, plus);
    s[j] -= 2 * h;
    r[j] -= 5 * h;
    system.residual(0.3, s, r, minus);
    for (std::size_t i = 0; i < n; ++i) {
      const double expected = (plus[i] - minus[i]) / (2 * h);
      EXPECT_NEAR(a(i, j), expected, 1e-6 * (1 + std::abs(expected))) << i << " " << j;
    }
  }
}

TEST(Fdm, SecondDerivativesInTimeBecomeVelocities) {
  detail::FdmSystem system(
      fdm_problem("fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\ntime = { t = [0, 1] }\n" +
                  holds("u_tt = u_xx") + at_part("t = 0", "u = sin(pi*x)") +
                  at_part("t = 0", "u_t = x") + at_part("boundary", "u = 0")),
      Fdm{}, 8);
  ASSERT_EQ(system.size(), 18u);
  const std::vector<double> start = system.initial();
  EXPECT_NEAR(start[8], 1, 1e-15);    // u at the middle
  EXPECT_NEAR(start[9], 0.5, 1e-15);  // u_t there
  EXPECT_EQ(system.differential()[0], 0);
  EXPECT_EQ(system.differential()[8], 1);
  EXPECT_EQ(system.differential()[9], 1);
}

TEST(Fdm, TheDiffusionInAFluxIsSeenBesideAFlow) {
  // Cell Peclet numbers of 0.25 and below: differences stay central, and the error falls like h^2.
  const std::string text =
      u_on_line + holds("-d((1 + 0.5*x)*u_x, x) + 5*u_x = (1 + 0.5*x)*16*sin(4*x) + 18*cos(4*x)") +
      at_part("left", "u = 0") + at_part("right", "u = sin(4)");
  double before = NAN;
  for (const int n : {20, 40, 80}) {
    const double found = value_at(fdm_answer(text, Fdm{.n = n}), u, {0.3});
    const double central =
        value_at(fdm_answer(text, Fdm{.n = n, .upwind = Upwind::never}), u, {0.3});
    EXPECT_NEAR(found, central, 1e-12) << n;
    const double error = std::abs(found - std::sin(1.2));
    if (n > 20) {
      EXPECT_NEAR(before / error, 4, 0.2) << n;
    }
    before = error;
  }
}

TEST(Fdm, FluxesGoThroughJumps) {
  // a = 1, then 10: the flux is the same on both sides, at any place of the jump.
  const detail::ClassicalAnswer answer = fdm_answer(
      u_on_line + "[definitions]\na = \"where(x < 0.437, 1, 10)\"\n" + holds("d(a*u_x, x) = 0") +
          at_part("left", "u = 0") + at_part("right", "u = 1"),
      Fdm{.n = 20});
  const double flux = 1 / (0.437 + 0.563 / 10);
  EXPECT_NEAR(value_at(answer, u, {0.25}), flux * 0.25, 1e-9);
  EXPECT_NEAR(value_at(answer, u, {0.75}), 1 - flux * 0.25 / 10, 1e-9);
}

TEST(Fdm, FieldsThatAnEquationGivesAreComputed) {
  const detail::ClassicalAnswer answer =
      fdm_answer("fields = [\"u\", \"q\"]\n[domain]\nspace = { x = [0, 1] }\n" +
                     holds("q = -2*u_x") + holds("q_x + q = 2 - 2*x") + at_part("left", "u = 0") +
                     at_part("right", "q = 0 - 2*(2*x - 2)"),
                 Fdm{.n = 64});
  // q' + q = 2 - 2x, q(1) = 0: q = 4 - 2x - 2 exp(1 - x)
  EXPECT_NEAR(value_at(answer, Field("q"), {0.5}), 3 - 2 * std::exp(0.5), 1e-3);
  EXPECT_EQ(answer.n_unknowns, 65u);
}

TEST(Fdm, FreeConstantsAreFixedOrRefused) {
  const std::string free = u_on_square + at_part("boundary", "u_n = 0");
  const detail::ClassicalAnswer answer =
      fdm_answer(free + holds("-laplacian(u) = 2*pi^2*cos(pi*x)*cos(pi*y)"), Fdm{.n = 32});
  EXPECT_TRUE(answer.troubles.empty());
  ASSERT_FALSE(answer.remarks.empty());
  EXPECT_NE(answer.remarks[0].find("mean 0"), std::string::npos) << answer.remarks[0];
  EXPECT_NEAR(value_at(answer, u, {0.25, 0.25}), 0.5, 5e-3);
  const std::string message =
      message_of([&] { (void)fdm_answer(free + holds("-laplacian(u) = 1"), Fdm{.n = 16}); });
  EXPECT_NE(message, "no error");
}

TEST(Fdm, PointsAndIntegralsTakeARowOfTheirOwn) {
  const std::string free = u_on_square + at_part("boundary", "u_n = 0") +
                           holds("-laplacian(u) = 2*pi^2*cos(pi*x)*cos(pi*y)");
  const detail::ClassicalAnswer point = fdm_answer(
      free + "[[condition]]\npoint = { x = 0.3, y = 0.5 }\nform = \"u = 3\"\n", Fdm{.n = 32});
  EXPECT_NEAR(value_at(point, u, {0.3, 0.5}), 3, 1e-9);
  EXPECT_NEAR(value_at(point, u, {0.25, 0.25}), 3.5, 5e-3);
  // One condition too many: a value inside beside values on all of the boundary.
  const detail::ClassicalAnswer wrong =
      fdm_answer(u_on_square + at_part("boundary", "u = 0") + holds("-laplacian(u) = 1") +
                     "[[condition]]\npoint = { x = 0.3, y = 0.5 }\nform = \"u = 3\"\n",
                 Fdm{.n = 16});
  ASSERT_EQ(wrong.troubles.size(), 1u);
  EXPECT_NE(wrong.troubles[0].find("contradict"), std::string::npos);
  // u'' = 2, u(0) = 0, integral 1: u = x^2 + 4/3 x
  const detail::ClassicalAnswer integral =
      fdm_answer(u_on_line + holds("u_xx = 2") + at_part("left", "u = 0") +
                     "[[condition]]\nintegral = \"domain\"\nform = \"u = 1\"\n",
                 Fdm{.n = 16});
  EXPECT_NEAR(value_at(integral, u, {1}), 7. / 3, 1e-9);
}

TEST(Fdm, ConvectionIsTakenAgainstTheFlow) {
  const std::string layer =
      u_on_line + holds("u_x - 0.001*u_xx = 1") + at_part("boundary", "u = 0");
  const detail::ClassicalAnswer upwind = fdm_answer(layer, Fdm{.n = 50});
  ASSERT_FALSE(upwind.remarks.empty());
  EXPECT_NE(upwind.remarks[0].find("against the flow"), std::string::npos);
  const detail::ClassicalAnswer central = fdm_answer(layer, Fdm{.n = 50, .upwind = Upwind::never});
  EXPECT_TRUE(central.remarks.empty());
  double worst[2] = {0, 0};
  for (int i = 0; i < 48; ++i) {  // outside of the layer the answer is x
    const double at = 0.02 * i;
    worst[0] = std::max(worst[0], std::abs(value_at(upwind, u, {at}) - at));
    worst[1] = std::max(worst[1], std::abs(value_at(central, u, {at}) - at));
  }
  EXPECT_LT(worst[0], 0.05);
  EXPECT_GT(worst[1], 0.2);
}

TEST(Fdm, LinearSolversAgree) {
  const std::string text = u_on_square + holds("-laplacian(u) = 1") + at_part("boundary", "u = x");
  const double direct = value_at(
      fdm_answer(text, Fdm{.n = 16, .linear_solver = LinearSolver::direct}), u, {0.5, 0.5});
  for (const LinearSolver s : {LinearSolver::jacobi, LinearSolver::gauss_seidel, LinearSolver::sor,
                               LinearSolver::cg, LinearSolver::multigrid}) {
    EXPECT_NEAR(value_at(fdm_answer(text, Fdm{.n = 16, .linear_solver = s}), u, {0.5, 0.5}), direct,
                1e-9);
  }
  const std::string skew =
      u_on_square + holds("-laplacian(u) + u_x = 1") + at_part("boundary", "u = x");
  EXPECT_NE(message_of([&] {
              (void)fdm_answer(skew, Fdm{.n = 16, .linear_solver = LinearSolver::cg});
            }).find("symmetric"),
            std::string::npos);
}

TEST(Fdm, SaysWhatItCannotTreat) {
  const auto refusal = [](const std::string& text, Fdm method = {}) {
    return message_of([&] { (void)detail::make_fdm_steady(fdm_problem(text), method); });
  };
  EXPECT_NE(refusal(u_on_line + holds("u_xx = 1") + at_part("left", "u = 0")).find("too few"),
            std::string::npos);
  EXPECT_NE(refusal(u_on_line + holds("u_xx = 1") + at_part("boundary", "u = 0") +
                    at_part("left", "u_x = 0"))
                .find("conditions at"),
            std::string::npos);
  EXPECT_NE(refusal("fields = [\"u\"]\n[domain]\nregion = \"disk((0, 0), 1)\"\n" +
                        holds("laplacian(u) = 1") + at_part("boundary", "u = 0"),
                    Fdm{.order = 4})
                .find("need a box"),
            std::string::npos);
  EXPECT_NE(
      refusal("fields = [\"u\", \"v\", \"p\"]\n[domain]\nspace = { x = [0, 1], y = [0, 1] }\n" +
              holds("laplacian(u) = p_x") + holds("laplacian(v) = p_y") + holds("u_x + v_y = 0") +
              at_part("boundary", "u = 0") + at_part("boundary", "v = 0"))
          .find("constraint"),
      std::string::npos);
}

TEST(Fdm, DoesNotLoseTheMomentOfABeam) {
  const auto beam = [](const std::string& stiffness) {
    return fdm_problem(u_on_line + holds("d((" + stiffness + ")*u_xx, x, 2) = 1") +
                       at_part("boundary", "u = 0") + at_part("boundary", "u_xx = 0"));
  };
  EXPECT_NE(message_of([&] {
              (void)detail::make_fdm_steady(beam("where(x < 0.5, 8, 1)"), Fdm{});
            }).find("the coefficient of u_xx"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { (void)detail::make_fdm_steady(beam("1 + x"), Fdm{}); }), "no error");
}

TEST(Fdm, SeesFilmsThatAreThinnerThanItsCells) {
  const auto wall =
      fdm_problem(u_on_line + holds("d(where(abs(x - 0.37) < 5e-5, 1e-4, 1)*u_x, x) = 0") +
                  at_part("boundary", "u = x"));
  const auto answer = detail::make_fdm_steady(wall, Fdm{.n = 32})->solve(0, {});
  const Expr fields[] = {Field("u")};
  const double at[] = {0.25, 0.75};
  double values[2];
  answer.model->evaluate(fields, at, values);
  const double flux = 1 / (2 - 1e-4);
  EXPECT_NEAR(values[0], 0.25 * flux, 1e-12);
  EXPECT_NEAR(values[1], 1 - 0.25 * flux, 1e-12);
}

TEST(Fdm, APointBetweenTwoPartsOfTheBoundaryBelongsToOneOfThem) {
  const auto corner = fdm_problem(
      "fields = [\"u\"]\n[domain]\nregion = \"polygon((0, 0), (1, 0), (1, 1), (-1, 1), (-1, -1), "
      "(0, -1))\"\n" +
      holds("laplacian(u) = 1") + at_part("y = 0 and x > 0", "u = 0") +
      at_part("x = 0 and y < 0", "u_n = 0") +
      at_part("not ((y = 0 and x >= 0) or (x = 0 and y <= 0))", "u = 0"));
  EXPECT_TRUE(facts(*corner).warnings.empty());
  const auto answer = detail::make_fdm_steady(corner, Fdm{.n = 16})->solve(0, {});
  EXPECT_TRUE(answer.finite);
}

TEST(Fdm, NamesTheEndThatIsOpen) {
  const auto problem = fdm_problem("fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n" +
                                   holds("u_xx = 1") + at_part("left", "u = 0"));
  EXPECT_NE(message_of([&] {
              (void)detail::make_fdm_steady(problem, Fdm{.n = 16})->solve(0, {});
            }).find("too few conditions at (1)"),
            std::string::npos);
}

TEST(Fdm, AnswersOfRegionsAreNotKnownInTheirHoles) {
  const auto problem = fdm_problem(
      "fields = [\"u\"]\n[domain]\nregion = \"rectangle((0, 0), (2, 1)) - disk((0.7, 0.5), "
      "0.3)\"\n" +
      holds("-laplacian(u) = 1") + at_part("boundary", "u = y"));
  const detail::ClassicalAnswer answer =
      detail::make_fdm_steady(problem, Fdm{.n = 64})->solve(0, {});
  ASSERT_NE(answer.model, nullptr);
  const Expr asked[] = {u};
  std::vector<double> out(2);
  answer.model->evaluate(asked, std::vector<double>{0.7, 0.5, 1.5, 0.5}, out);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_TRUE(std::isfinite(out[1]));
}

TEST(Fdm, AnswersOfRegionsAreSavedAndLoaded) {
  const auto problem = fdm_problem(
      "fields = [\"u\"]\n[domain]\nregion = \"disk((0, 0), 1) - slit((0, 0), (0.5, 0))\"\n" +
      holds("-laplacian(u) = 1") + at_part("boundary", "u = y"));
  const detail::ClassicalAnswer answer =
      detail::make_fdm_steady(problem, Fdm{.n = 16})->solve(0, {});
  ASSERT_NE(answer.model, nullptr);
  Checkpoint checkpoint;
  answer.model->save(checkpoint);
  const auto again = load_model("fdm", checkpoint, *problem, Fdm{});
  const Expr asked[] = {u, d(u, x)};
  const std::vector<double> points = {0.3, 0.01, 0.3, -0.01, -0.7, 0.7, 0.999999, 0};
  std::vector<double> first(8), second(8);
  answer.model->evaluate(asked, points, first);
  again->evaluate(asked, points, second);
  EXPECT_EQ(first, second);
  for (const double v : first) EXPECT_TRUE(std::isfinite(v));
  checkpoint.numbers["n"] = 0;
  EXPECT_NE(message_of([&] { (void)load_model("fdm", checkpoint, *problem, Fdm{}); }), "no error");
}

}  // namespace
}  // namespace cauchy::test_fdm
