#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/math/functional.hpp>
#include <cauchy/math/matrix.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/fem/fem_adapt.hpp"
#include "solvers/fem/fem_recovery.hpp"
#include "solvers/fem/fem_solver.hpp"
#include "support/fem_meshes.hpp"

namespace cauchy::test_fem {
namespace {

using namespace detail;
using testing::jittered_box;

const Coordinate x("x"), y("y");
const Field u("u");
const Space plane{x, y};

Problem poisson(const Expr& f = 1) {
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1});
  p.fields = {"u"};
  p.equation = {-laplacian(u, plane) == f};
  p.condition = {on_boundary(u == 0)};
  return p;
}

std::unique_ptr<FemSystem> system_of(const Problem& problem, int order, std::size_t n = 4,
                                     int threads = 1) {
  auto shared = std::make_shared<const Problem>(problem);
  const std::size_t d = problem.domain->space()->dimension();
  return std::make_unique<FemSystem>(shared, std::make_shared<FemForm>(fem_form(problem)),
                                     std::make_shared<FemMesh>(jittered_box(d, n)),
                                     FemSystemOptions{.order = order, .threads = threads});
}

/// Values of a function at the places of the only field.
std::vector<double> interpolated(const FemSystem& s, const Expr& e) {
  std::vector<double> out(s.size());
  std::array<double, 3> p{};
  for (std::size_t i = 0; i < s.space(0).n_places(); ++i) {
    s.space(0).point(i, p.data());
    Values at;
    at.set(x, p[0]).set(y, p[1]).set(Coordinate("z"), p[2]);
    out[s.space(0).dof(i)] = evaluate(e, at);
  }
  return out;
}

double largest(const std::vector<double>& v) {
  double most = 0;
  for (const double a : v) most = std::max(most, std::isfinite(a) ? std::abs(a) : INFINITY);
  return most;
}

TEST(FemElement, RulesAreExactForTheirDegree) {
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  for (int d = 1; d <= 3; ++d) {
    for (int degree = 0; degree <= 7; ++degree) {
      const SimplexRule rule = simplex_rule(d, degree);
      for (int i = 0; i <= degree; ++i) {
        for (int j = 0; d > 1 && i + j <= degree; ++j) {
          double sum = 0;
          for (std::size_t q = 0; q < rule.size(); ++q) {
            EXPECT_GT(rule.weights[q], 0);
            sum += rule.weights[q] * std::pow(rule.point(q)[0], i) * std::pow(rule.point(q)[1], j);
          }
          // The mean of lambda_0^i lambda_1^j is i! j! d! / (i + j + d)!.
          const double exact = factorial(i) * factorial(j) * factorial(d) / factorial(i + j + d);
          EXPECT_LT(std::abs(sum - exact), 1e-14) << d << " " << degree << " " << i << " " << j;
        }
      }
    }
  }
}

TEST(FemSystem, FastAssemblyAgreesWithThePlainOneForAllKindsOfTerms) {
  Problem p = poisson();
  p.equation = {-div((1 + u * u + x) * grad(u, plane), plane) + u * d(u, x) + y * d(u, y) + exp(u) -
                    d(x * u * u, y) ==
                sin(x)};
  Problem constant = poisson();
  constant.equation = {-2 * d(u, x, x) - d(u, y, y) + d(u, x, y) + 3 * d(u, x) + 5 * u == 1};
  Problem flow = poisson();
  const Field v("v"), q("q");
  flow.fields = {"u", "v", "q"};
  flow.equation = {u * d(u, x) + v * d(u, y) + d(q, x) == laplacian(u, plane) / 10,
                   u * d(v, x) + v * d(v, y) + d(q, y) == laplacian(v, plane) / 10,
                   d(u, x) + d(v, y) == 0};
  flow.condition = {on_boundary(u == 0), on_boundary(v == 0)};
  for (const Problem& problem : {p, constant, flow}) {
    for (const int order : {1, 2}) {
      if (order == 1 && problem.fields.size() > 1) continue;
      const auto s = system_of(problem, order, 2);
      std::vector<double> state(s->size());
      for (std::size_t i = 0; i < state.size(); ++i)
        state[i] = std::sin(3.0 * static_cast<double>(i));
      SparseMatrix fast, plain;
      s->raw_jacobian(0, state, {}, 0, fast);
      s->plain_jacobian(0, state, {}, 0, plain);
      double difference = 0, size = 0;
      for (std::size_t i = 0; i < s->size(); ++i) {
        for (std::size_t j = 0; j < s->size(); ++j) {
          difference = std::max(difference, std::abs(fast(i, j) - plain(i, j)));
          size = std::max(size, std::abs(plain(i, j)));
        }
      }
      EXPECT_LT(difference, 1e-13 * size) << order;
      // And it is the derivative of the residual.
      std::vector<double> direction(s->size()), up(s->size()), down(s->size()), product(s->size());
      for (std::size_t i = 0; i < direction.size(); ++i) {
        direction[i] = std::cos(2.0 * static_cast<double>(i));
      }
      const double h = 1e-6;
      std::vector<double> moved = state;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = state[i] + h * direction[i];
      s->raw_residual(0, moved, {}, up);
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = state[i] - h * direction[i];
      s->raw_residual(0, moved, {}, down);
      fast.multiply(direction, product);
      double off = 0;
      for (std::size_t i = 0; i < product.size(); ++i) {
        off = std::max(off, std::abs((up[i] - down[i]) / (2 * h) - product[i]));
      }
      EXPECT_LT(off, 1e-7 * (1 + largest(product)));
    }
  }
}

TEST(FemSystem, StiffnessAndMassHaveTheirSums) {
  Problem p = poisson(0);
  const auto s = system_of(p, 1);
  std::vector<double> zero(s->size(), 0.0), one(s->size(), 1.0), out(s->size());
  SparseMatrix k;
  s->raw_jacobian(0, zero, {}, 0, k);
  k.multiply(one, out);
  EXPECT_LT(largest(out), 1e-13);  // constants have no energy
  p.equation = {-1e-300 * laplacian(u, plane) + u == 0};
  const auto mass = system_of(p, 2);
  std::vector<double> ones(mass->size(), 1.0), sums(mass->size());
  mass->raw_jacobian(0, ones, {}, 0, k);
  k.multiply(ones, sums);
  double total = 0;
  for (const double v : sums) total += v;
  EXPECT_NEAR(total, 1, 1e-14);  // the area
}

TEST(FemSystem, DiscreteGreenIdentityHoldsWithEveryKindOfCondition) {
  // u = x^2 + x y is in the space of order 2: all rows vanish, also those at the boundary.
  Problem p = poisson();
  const Expr exact = x * x + x * y;
  p.equation = {-div((1 + x) * grad(u, plane), plane) + u == x * x + x * y - 2 - 4 * x - y};
  const Expr un = normal_derivative(u, {"x", "y"});
  p.condition = {on("right", un == 2 + y), on("left", (1 + x) * un == -y),
                 on("top", (1 + x) * un + 3 * u == (1 + x) * x + 3 * (x * x + x)),
                 on("bottom", d(u, y) == x)};
  const auto s = system_of(p, 2);
  const std::vector<double> state = interpolated(*s, exact);
  std::vector<double> r(s->size());
  s->raw_residual(0, state, {}, r);
  EXPECT_LT(largest(r), 1e-14);
  // A wrong sign of a boundary term would be seen.
  p.condition[0] = on("right", un == -(2 + y));
  const auto wrong = system_of(p, 2);
  wrong->raw_residual(0, state, {}, r);
  EXPECT_GT(largest(r), 1e-2);
}

TEST(FemSystem, AssembledFormsHaveTheConstantsOfLaxAndMilgram) {
  // a(u, v) = int 2 grad u . grad v + 5 u v against the norm of H1: between 2 and 5.
  Problem p = poisson();
  p.equation = {-2 * laplacian(u, plane) + 5 * u == 1};
  Problem norm = poisson();
  norm.equation = {-laplacian(u, plane) + u == 0};
  const auto a = system_of(p, 1, 4), h = system_of(norm, 1, 4);
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < a->size(); ++i) {
    if (!a->fixed()[i]) free.push_back(i);
  }
  const std::vector<double> zero(a->size(), 0.0);
  SparseMatrix k, g;
  a->raw_jacobian(0, zero, {}, 0, k);
  h->raw_jacobian(0, zero, {}, 0, g);
  Matrix form(free.size(), free.size()), gram(free.size(), free.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    for (std::size_t j = 0; j < free.size(); ++j) {
      form(i, j) = k(free[i], free[j]);
      gram(i, j) = g(free[i], free[j]);
    }
  }
  const FormReport report = examine_form(form.view(), gram.view());
  EXPECT_TRUE(report.symmetric());
  EXPECT_GT(report.coercivity, 2);
  EXPECT_LT(report.coercivity, 2.2);  // functions that vanish around have more slope than value
  EXPECT_LT(report.continuity, 5);
}

TEST(FemSystem, RitzAndGalerkinGiveTheSameVector) {
  const Problem p = poisson(x + 1);
  const auto s = system_of(p, 1, 3);
  const WeakForm& weak = s->form().weak.form;
  const Expr w = energy_density(weak).value();
  const Mesh& mesh = s->mesh()->mesh;
  const SimplexRule rule = simplex_rule(2, 4);
  const auto energy = [&](const std::vector<double>& a) {
    double sum = 0;
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      const CellShape shape = cell_shape(mesh, c);
      for (std::size_t q = 0; q < rule.size(); ++q) {
        double value = 0, ux = 0, uy = 0, px = 0, py = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const double ak = a[s->space(0).dof(mesh.cell(c)[k])], l = rule.point(q)[k];
          value += ak * l;
          ux += ak * shape.grad[k][0];
          uy += ak * shape.grad[k][1];
          px += l * mesh.node(mesh.cell(c)[k])[0];
          py += l * mesh.node(mesh.cell(c)[k])[1];
        }
        Values at;
        at.set(x, px).set(y, py).set(u, value).set(d(u, x), ux).set(d(u, y), uy);
        sum += shape.measure * rule.weights[q] * evaluate(w, at);
      }
    }
    return sum;
  };
  // The minimum of the quadratic energy by polarisation, unknown after unknown (descent along
  // coordinates until nothing changes).
  std::vector<double> ritz(s->size(), 0.0);
  double change = 1;
  for (int sweep = 0; sweep < 400 && change > 1e-15; ++sweep) {
    change = 0;
    for (std::size_t i = 0; i < ritz.size(); ++i) {
      if (s->fixed()[i]) continue;
      const double here = ritz[i], e0 = energy(ritz);
      ritz[i] = here + 1;
      const double up = energy(ritz);
      ritz[i] = here - 1;
      const double down = energy(ritz);
      const double step = -(up - down) / 2 / (up + down - 2 * e0);
      ritz[i] = here + step;
      change = std::max(change, std::abs(step));
    }
  }
  std::vector<double> galerkin(s->size(), 0.0);
  ASSERT_TRUE(newton_elements(*s, galerkin, true, {}).converged);
  double difference = 0;
  for (std::size_t i = 0; i < ritz.size(); ++i) {
    difference = std::max(difference, std::abs(ritz[i] - galerkin[i]));
  }
  EXPECT_LT(difference, 1e-13);
  EXPECT_GT(largest(galerkin), 0.01);
}

TEST(FemSystem, PatchTestsOnMeshesWithoutOrderInOneToThreeDimensions) {
  const Coordinate z("z");
  for (std::size_t dim = 1; dim <= 3; ++dim) {
    for (const int order : {1, 2}) {
      Problem p;
      p.fields = {"u"};
      Space space{x};
      Expr linear = 1 + 2 * x;
      if (dim == 1) p.domain = Interval(0, 1);
      if (dim == 2) p.domain = Rectangle({0, 0}, {1, 1});
      if (dim == 3) p.domain = cauchy::Box({0, 0, 0}, {1, 1, 1});
      if (dim > 1) {
        space.push_back(y);
        linear = linear - 3 * y;
      }
      if (dim > 2) {
        space.push_back(z);
        linear = linear + 5 * z;
      }
      p.equation = {-div((2 + x) * grad(u, space), space) == -2};
      p.condition = {on_boundary(u == linear)};
      const auto s = system_of(p, order, 3);
      std::vector<double> state(s->size(), 0.0);
      s->set_fixed(0, state);
      ASSERT_TRUE(newton_elements(*s, state, true, {}).converged);
      const std::vector<double> exact = interpolated(*s, linear);
      for (std::size_t i = 0; i < state.size(); ++i) state[i] -= exact[i];
      EXPECT_LT(largest(state), 1e-12) << dim << " " << order;
    }
  }
}

/// Numbers as coefficients take closed formulas; min(x + 9, 1) is 1, too, but is integrated
/// at points. Both are exact for elements of order 1.
TEST(FemSystem, ConstantCoefficientsGiveWhatPointsOfQuadratureGive) {
  const Coordinate z("z"), t("t");
  const Field v("v");
  const Expr one = min(x + 9, 1);
  for (const int dimension : {1, 2, 3}) {
    const auto problem = [&](const Expr& f) {
      Problem p;
      Space space = {x};
      if (dimension == 1) p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
      if (dimension == 2) p.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 1);
      if (dimension == 3) p.domain = cauchy::Box({0, 0, 0}, {1, 1, 1}) * Time(t, 0, 1);
      if (dimension > 1) space.push_back(y);
      if (dimension > 2) space.push_back(z);
      p.fields = {"u", "v"};
      p.equation = {
          f * 2 * d(u, t) - f * 3 * laplacian(u, space) + f * 5 * d(u, x) + f * u - f * v == 7 * f,
          f * d(v, t) - f * laplacian(v, space) + f * d(u, x) == -2 * f};
      p.condition = {at(t == 0, u == 0), at(t == 0, v == 0), on_boundary(u == 0),
                     on_boundary(v == 0)};
      return p;
    };
    const auto closed = system_of(problem(1), 1, 3), points = system_of(problem(one), 1, 3);
    std::vector<double> state(closed->size()), rate(closed->size()), a(state.size()), b(a);
    for (std::size_t i = 0; i < state.size(); ++i) {
      state[i] = std::sin(3.0 * static_cast<double>(i));
      rate[i] = std::cos(5.0 * static_cast<double>(i));
    }
    closed->raw_residual(0, state, rate, a);
    points->raw_residual(0, state, rate, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_LT(std::abs(a[i] - b[i]), 1e-13 * largest(b)) << dimension << " " << i;
    }
    SparseMatrix ka, kb;
    closed->raw_jacobian(0, state, rate, 2, ka);
    points->raw_jacobian(0, state, rate, 2, kb);
    ASSERT_EQ(ka.nonzeros(), kb.nonzeros());
    double difference = 0, size = 0;
    for (std::size_t k = 0; k < ka.nonzeros(); ++k) {
      difference = std::max(difference, std::abs(ka.values()[k] - kb.values()[k]));
      size = std::max(size, std::abs(kb.values()[k]));
    }
    EXPECT_LT(difference, 1e-13 * size) << dimension;
  }
}

TEST(FemSystem, ResultsHaveTheSameBitsForAnyNumberOfThreads) {
  Problem p = poisson(exp(x) * y);
  p.equation = {-div((1 + u * u) * grad(u, plane), plane) == exp(x) * y};
  const auto one = system_of(p, 2, 12, 1), three = system_of(p, 2, 12, 3);
  std::vector<double> state(one->size());
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = std::sin(static_cast<double>(i));
  std::vector<double> a(state.size()), b(state.size());
  one->raw_residual(0, state, {}, a);
  three->raw_residual(0, state, {}, b);
  EXPECT_EQ(a, b);
  SparseMatrix ka, kb;
  one->raw_jacobian(0, state, {}, 0, ka);
  three->raw_jacobian(0, state, {}, 0, kb);
  EXPECT_TRUE(std::equal(ka.values().begin(), ka.values().end(), kb.values().begin()));
}

TEST(FemRecovery, IsExactForPolynomialsOfOneDegreeMore) {
  const auto s = system_of(poisson(), 1, 4);
  const NodeRecovery recovery(s->space(0));
  const std::vector<double> values = interpolated(*s, x * x - 3 * x * y + 2 * y);
  const std::vector<double> gradients = recovery.gradients(values);
  const std::vector<double> second = recovery.second_derivatives(values);
  for (std::size_t i = 0; i < s->mesh()->mesh.n_nodes(); ++i) {
    const double* const at = s->mesh()->mesh.node(i);
    EXPECT_NEAR(gradients[2 * i], 2 * at[0] - 3 * at[1], 1e-10);
    EXPECT_NEAR(gradients[2 * i + 1], -3 * at[0] + 2, 1e-10);
    EXPECT_NEAR(second[3 * i], 2, 1e-9);
    EXPECT_NEAR(second[3 * i + 1], -3, 1e-9);
    EXPECT_NEAR(second[3 * i + 2], 0, 1e-9);
  }
}

TEST(Fem, SolvesGradesSavesAndLoads) {
  Problem p = poisson(2 * pi * pi * sin(pi * x) * sin(pi * y));
  p.reference.formulas = {{"u", sin(pi * x) * sin(pi * y)}};
  p.tolerance = 1e-3;
  const Solution s = solve(p, Fem{});
  EXPECT_EQ(s.grade, Grade::converged) << (s.findings.empty() ? "" : s.findings[0]);
  EXPECT_LT(s.error.relative_l2(), 1e-4);
  ASSERT_TRUE(s.estimate.has_value());
  EXPECT_LT(s.error.relative_l2(), 3 * s.estimate->relative_l2);
  Checkpoint c;
  s.model->save(c);
  const auto loaded = load_model("fem", c, p, Fem{});
  const std::vector<double> points{0.3, 0.4, 0.75, 0.12, 0.5, 0.5};
  const std::vector<Expr> asked{u, d(u, x), d(u, y, y)};
  std::vector<double> a(9), b(9);
  s.model->evaluate(asked, points, a);
  loaded->evaluate(asked, points, b);
  EXPECT_EQ(a, b);
  EXPECT_NEAR(a[0], std::sin(pi * 0.3) * std::sin(pi * 0.4), 1e-4);
  EXPECT_NEAR(a[1], pi * std::cos(pi * 0.3) * std::sin(pi * 0.4), 1e-2);
  EXPECT_NEAR(a[2], -pi * pi * std::sin(pi * 0.3) * std::sin(pi * 0.4), 1e-1);
}

TEST(Fem, PureNeumannProblemsAreDeterminedByTheMeanOrRefused) {
  Problem p = poisson(pi * pi * cos(pi * x));
  p.condition = {on_boundary(normal_derivative(u, {"x", "y"}) == 0)};
  p.reference.formulas = {{"u", cos(pi * x)}};
  const Solution s = solve(p, Fem{.n = 16});
  EXPECT_LT(s.error.relative_l2(), 1e-3);
  p.equation = {-laplacian(u, plane) == 1};
  p.reference = {};
  const Solution none = solve(p, Fem{.n = 8});
  EXPECT_NE(none.grade, Grade::converged);
  ASSERT_FALSE(none.findings.empty());
  EXPECT_NE(none.findings[0].find("do not balance"), std::string::npos) << none.findings[0];
}

TEST(Fem, RefusesWhatItCannotTreatAndSaysWhy) {
  const auto message = [](const Problem& problem, const Fem& fem) -> std::string {
    try {
      (void)prepare(problem, fem);
    } catch (const Error& e) {
      return e.what();
    }
    return "none";
  };
  Problem p = poisson();
  p.equation = {d(u, x, x) * d(u, y, y) == 1};
  EXPECT_NE(message(p, {}).find("stand in no divergence"), std::string::npos) << message(p, {});
  Problem flow = poisson();
  const Field v("v"), q("q");
  flow.fields = {"u", "v", "q"};
  flow.equation = {-laplacian(u, plane) + d(q, x) == 0, -laplacian(v, plane) + d(q, y) == 0,
                   d(u, x) + d(v, y) == 0};
  flow.condition = {on_boundary(u == 0), on_boundary(v == 0)};
  EXPECT_NE(message(flow, {.order = 1}).find("inf-sup"), std::string::npos);
  EXPECT_EQ(message(flow, {.order = 2}), "none");
  p = poisson();
  p.equation = {d(u, x) + d(u, y) == 1};
  EXPECT_NE(message(p, {}).find("no second derivatives"), std::string::npos) << message(p, {});
}

TEST(FemSystem, ThePlateOfTheNotesHasTheirRangeOnTheirMesh) {
  Problem p = poisson(10 * exp(-(pow(x - 0.5, 2) + pow(y - 0.5, 2)) / 0.02));
  p.domain = Rectangle({0, 0}, {2, 1});
  p.condition = {on("left or right", u == 0),
                 on("bottom or top", normal_derivative(u, {"x", "y"}) == sin(5 * x))};
  // 32 x 16 boxes, every diagonal from the lower left to the upper right.
  constexpr std::size_t nx = 32, ny = 16;
  Mesh mesh = structured_mesh(std::vector<double>{0, 0}, std::vector<double>{2, 1},
                              std::vector<std::size_t>{nx, ny});
  mesh.cells.clear();
  for (std::size_t i = 0; i < nx; ++i) {
    for (std::size_t j = 0; j < ny; ++j) {
      const auto a = static_cast<Mesh::Index>(i * (ny + 1) + j);
      const auto b = static_cast<Mesh::Index>(a + ny + 1);
      mesh.cells.insert(mesh.cells.end(), {a, b, b + 1, a, b + 1, a + 1});
    }
  }
  auto shared = std::make_shared<const Problem>(p);
  FemSystem s(shared, std::make_shared<FemForm>(fem_form(p)),
              std::make_shared<FemMesh>(std::move(mesh)), {.order = 1});
  std::vector<double> state(s.size(), 0.0);
  s.set_fixed(0, state);
  ASSERT_TRUE(newton_elements(s, state, true, {}).converged);
  const auto [low, high] = std::minmax_element(state.begin(), state.end());
  EXPECT_NEAR(*low, -1.861e-2, 5e-6);  // half a unit of the last digit that is printed there
  EXPECT_NEAR(*high, 3.384e-1, 5e-5);
}

TEST(FemAdapt, CellsAreCutWhereTheAnswerIsSteep) {
  const Expr exact = exp(-300 * (pow(x - 0.3, 2) + pow(y - 0.6, 2)));
  Problem p = poisson(-laplacian(exact, plane));
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas = {{"u", exact}};
  const auto shared = std::make_shared<const Problem>(p);
  const auto measured = [&](const ClassicalAnswer& a) {
    Solution s;
    s.problem = p;
    s.model = a.model;
    return measure_error(s, 2000).relative_l2();
  };
  FemSolver even(shared, {.n = 32, .order = 1}, 1);
  const ClassicalAnswer uniform = even.solve(0, {});
  FemSolver adaptive(shared, {.n = 8, .order = 1, .refinement = FemRefinement::adaptive}, 1);
  ClassicalAnswer answer = adaptive.solve(0, {});
  for (int level = 1; level < 3; ++level) answer = adaptive.solve(level, {});
  EXPECT_LT(answer.n_unknowns, 1.2 * static_cast<double>(uniform.n_unknowns));
  EXPECT_LT(measured(answer), measured(uniform) / 3);
}

TEST(FemAdapt, MarksTheLargestIndicators) {
  EXPECT_EQ(marked_cells(std::vector<double>{1, 3, 2, 0}, 0.5), (std::vector<Mesh::Index>{1}));
  EXPECT_EQ(marked_cells(std::vector<double>{1, 3, 2, 0}, 0.9), (std::vector<Mesh::Index>{1, 2}));
}

TEST(FemAdapt, ErrorOfAGoalIsThatOfTheDualProblem) {
  // int u dx of u = sin(pi x) sin(pi y) is 4 / pi^2.
  const double exact = 4 / (pi * pi);
  const Problem p = poisson(2 * pi * pi * sin(pi * x) * sin(pi * y));
  const auto shared = std::make_shared<const Problem>(p);
  for (const int order : {1, 2}) {
    const auto s = system_of(p, order, 6);
    std::vector<double> state(s->size(), 0.0);
    ASSERT_TRUE(newton_elements(*s, state, true, {}).converged);
    const GoalResult goal = goal_error(shared, *s, state, u, 1);
    ASSERT_TRUE(goal.trouble.empty());
    const double error = exact - goal.value;
    EXPECT_NEAR(goal.error / error, 1, 0.1) << order;
    EXPECT_GT(std::abs(error), 1e-6);
    double sum = 0;  // indicators do not hide anything
    for (const double e : goal.indicators) sum += e * e;
    EXPECT_GT(sum, 0.9 * std::abs(goal.error));
  }
}

TEST(Fem, StreamlineDiffusionKeepsASteepLayerQuiet) {
  Problem p;
  p.domain = Interval(0, 1);
  p.fields = {"u"};
  p.equation = {-1e-4 * d(u, x, x) + d(u, x) == 1};
  p.condition = {on_boundary(u == 0)};
  const auto worst = [&](Stabilization how) {
    const Solution s = solve(p, Fem{.n = 21, .order = 1, .stabilization = how});
    double most = 0;
    for (int i = 0; i <= 20; ++i) {
      const std::vector<double> at{i / 21.0};
      std::vector<double> value(1);
      s.model->evaluate(std::vector<Expr>{u}, at, value);
      most = std::max(most, std::abs(value[0] - at[0]));
    }
    return most;
  };
  EXPECT_LT(worst(Stabilization::automatic), 1e-6);  // exact at the nodes in one dimension
  EXPECT_GT(worst(Stabilization::never), 0.3);
}

}  // namespace
}  // namespace cauchy::test_fem
