#include "operators/physics_energy.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/operators/learn.hpp>
#include <cauchy/operators/refine.hpp>

#include "operators/fixed_boundary.hpp"
#include "support/box_problem.hpp"

namespace cauchy::test_physics_energy {
namespace {

struct Case {
  OperatorProblem problem;
  detail::FieldMap map;
  detail::PhysicsTerms terms;
  std::vector<double> a;  // 12 and 3 in turns
};

Case make_case(const std::string& equation, const std::string& conditions, int nodes, int axes) {
  Case c;
  c.problem = box_problem(equation, conditions, nodes, axes);
  DataSet data;
  data.grid = grid_of(c.problem);
  data.inputs = {"a"};
  data.outputs = {"u"};
  c.map.channels = detail::channels_of(c.problem, data, FieldOperator{});
  c.map.grid = data.grid;
  c.terms = {.grid = data.grid};
  c.terms.boundary = detail::boundary_values(c.problem, {"u"}, data.grid);
  for (std::size_t i = 0; i < data.grid.n_points(); ++i) c.a.push_back(i / 3 % 2 == 0 ? 12 : 3);
  return c;
}

int sign_of(const std::string& equation, const std::string& conditions = fixed("0"),
            GridDerivative derivative = GridDerivative::difference_3) {
  const Case c = make_case(equation, conditions, 10, 2);
  const PhysicsLoss physics{.weight = 1, .derivative = derivative};
  return detail::energy_sign(c.map, physics, c.problem, c.terms, c.a, std::make_shared<Threads>(1));
}

TEST(PhysicsEnergy, BelongsToLinearSymmetricPositiveEquations) {
  EXPECT_EQ(sign_of("-div(a*grad(u)) = 1"), 1);
  EXPECT_EQ(sign_of("div(a*grad(u)) = -1"), -1);
  EXPECT_EQ(sign_of("-laplacian(u) + u = a", fixed("x*y")), 1);
  EXPECT_EQ(sign_of("-laplacian(u) - 100*u = a"), 0);  // below the first wave, 19.7, it is negative
  EXPECT_EQ(sign_of("-laplacian(u) + 5*u_x = a"), 0);
  EXPECT_EQ(sign_of("-laplacian(u) + u^3 = a"), 0);
  EXPECT_EQ(
      sign_of("-laplacian(u) = a", "[[condition]]\nwhere = \"boundary\"\nform = \"u_n = 1\"\n"), 0);
  // One-sided differences at the ends are not symmetric.
  EXPECT_EQ(sign_of("-div(a*grad(u)) = 1", fixed("0"), GridDerivative::difference_5), 0);
}

TEST(PhysicsEnergy, IsLeastWhereTheDifferencesHold) {
  // The flux a u_x = c - x of -(a u_x)_x = 1 between nodes, harmonic means of a; u = 2 and 5.
  const int n = 24;
  const Case c = make_case("-d(a*d(u, x), x) = 1", fixed("2 + 3*x"), n, 1);
  const double h = 1.0 / (n - 1);
  std::vector<double> u(1, 2.0), slope;
  double constant = 3, sum = 0;
  for (int i = 0; i + 1 < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    slope.push_back(h * (1 / c.a[k] + 1 / c.a[k + 1]) / 2);
    constant += slope.back() * (i + 0.5) * h;
    sum += slope.back();
  }
  constant /= sum;
  for (int i = 0; i + 1 < n; ++i) {
    u.push_back(u.back() + slope[static_cast<std::size_t>(i)] * (constant - (i + 0.5) * h));
  }
  ASSERT_LT(std::abs(u.back() - 5), 1e-13);
  const PhysicsLoss physics{.weight = 1};
  const auto pool = std::make_shared<Threads>(1);
  detail::PhysicsTerms terms = c.terms;
  terms.energy = detail::energy_sign(c.map, physics, c.problem, terms, c.a, pool);
  ASSERT_EQ(terms.energy, 1);
  const auto g = std::make_shared<TensorGraph>();
  const int in = g->input("in", {1, {n}}), answer = g->input("u", {1, {n}});
  const int energy = detail::add_energy(*g, c.map, physics, c.problem, terms, in, {answer});
  const auto e = make_tensor_executor(g, {}, {.pool = pool, .precision = Precision::f64});
  const auto at = [&](const std::vector<double>& v) {
    double value = 0;
    const std::span<const double> inputs[] = {c.a, v};
    e->predict(energy, {}, 1, inputs, std::span(&value, 1));
    return value;
  };
  std::vector<double> more = u, less = u;
  Rng rng(4);
  double expected = 0, before = 0;
  for (int i = 1; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double step = i + 1 < n ? 0.1 * rng.normal() : 0.0;
    more[k] += step;
    less[k] -= step;
    expected +=
        (step - before) * (step - before) / (slope[k - 1] * h);  // mean of e A e, twice half
    before = step;
  }
  expected /= n - 2;
  // The energies are about 100 and cancel to these.
  EXPECT_LT(std::abs(at(more) - at(less)), 1e-11 * expected);
  EXPECT_LT(std::abs(at(more) + at(less) - 2 * at(u) - expected), 1e-11 * expected);
}

TEST(PhysicsEnergy, RefinesAnAnswerWhereTheCoefficientJumps) {
  const OperatorProblem p = box_problem("-div(a*grad(u)) = 1", fixed("0.1*x"), 16, 2);
  const DataSet data = make_data(p, {.threads = 1});
  FieldOperator m;
  m.network = Fno{.width = 8, .depth = 2, .modes = {6}, .projection = 16};
  m.epochs = 20;
  m.batch = 3;
  const OperatorResult r = learn(p, data, m, {.threads = 1});
  RefineOptions options{.steps = 40};
  const Refinement made = refine(*r.model, p, data, 8, options, {.threads = 1});
  EXPECT_TRUE(made.energy);
  EXPECT_TRUE(made.exact_boundary);
  EXPECT_LT(made.error_after.relative_l2[0], made.error_before.relative_l2[0] / 5);
  for (int i = 0; i < 16; ++i) {
    EXPECT_LT(std::abs(made.after[static_cast<std::size_t>(15 * 16 + i)] - 0.1), 1e-15);
  }
  EXPECT_EQ(refine(*r.model, p, data, 8, options, {.threads = 2}).after, made.after);
  options.energy = false;
  const Refinement by_residual = refine(*r.model, p, data, 8, options, {.threads = 1});
  EXPECT_FALSE(by_residual.energy);
  EXPECT_LT(made.error_after.relative_l2[0], by_residual.error_after.relative_l2[0] / 2);
  // One kind of residual is told for both.
  EXPECT_EQ(by_residual.residual_before, made.residual_before);
  options.exact_boundary = false;
  const Refinement asked = refine(*r.model, p, data, 8, options, {.threads = 1});
  EXPECT_FALSE(asked.exact_boundary);
  EXPECT_NE(asked.after, by_residual.after);
}

}  // namespace
}  // namespace cauchy::test_physics_energy
