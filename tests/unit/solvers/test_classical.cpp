// What all classical methods share: fields on grids, programs at nodes, refinement, families.
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/classical/family_field.hpp"
#include "solvers/classical/node_program.hpp"
#include "solvers/classical/refinement.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"

namespace cauchy::detail::test_classical {
namespace {

const Coordinate x("x"), t("t");
const Field u("u");

std::vector<double> equal_nodes(double a, double b, std::size_t n) {
  std::vector<double> nodes(n);
  for (std::size_t i = 0; i < n; ++i) {
    nodes[i] = a + (b - a) * static_cast<double>(i) / static_cast<double>(n - 1);
  }
  return nodes;
}

std::shared_ptr<const Problem> heat() {
  Problem p;
  p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  p.fields = {"u"};
  p.equation = {d(u, t) == d(u, x, x)};
  p.condition = {at(t == 0, u == sin(pi * x)), on_boundary(u == 0)};
  return std::make_shared<const Problem>(p);
}

/// A field of f(t, x) on a grid of any axes of x; time is local.
GridField grid_of(const GridAxis& axis, const std::function<double(double, double)>& f) {
  const GridAxis time{"t", equal_nodes(0, 1, 9), GridAxis::Kind::local, 0, 6};
  std::vector<double> values;
  for (const double s : time.nodes) {
    for (const double z : axis.nodes) values.push_back(f(s, z));
  }
  return {"fdm", heat(), {time, axis}, {"u"}, {values}};
}

TEST(GridField, IsExactForPolynomialsOfItsWidth) {
  const auto f = [](double s, double z) { return (1 + s * s * s) * std::pow(z, 5) - s; };
  const GridField field = grid_of({"x", equal_nodes(0, 1, 12)}, f);
  const std::vector<double> at = {0.31, 0.77, 0.0, 0.0, 1.0, 1.0, 0.999, 1e-6};
  const std::vector<Expr> atoms = {u, d(u, x), d(u, x, x), d(u, t, x)};
  std::vector<double> out(16);
  field.evaluate(atoms, at, out);
  for (std::size_t i = 0; i < 4; ++i) {
    const double s = at[2 * i], z = at[2 * i + 1];
    EXPECT_NEAR(out[4 * i], f(s, z), 1e-13);
    EXPECT_NEAR(out[4 * i + 1], (1 + s * s * s) * 5 * std::pow(z, 4), 1e-11);
    EXPECT_NEAR(out[4 * i + 2], (1 + s * s * s) * 20 * std::pow(z, 3), 1e-9);
    EXPECT_NEAR(out[4 * i + 3], 3 * s * s * 5 * std::pow(z, 4), 1e-10);
  }
}

TEST(GridField, GoesAroundTheEndOfAPeriodicAxis) {
  GridAxis axis{"x", {}, GridAxis::Kind::periodic, 1, 16};
  for (int i = 0; i < 32; ++i) axis.nodes.push_back(i / 32.0);
  const GridField field =
      grid_of(axis, [](double s, double z) { return s * std::sin(2 * pi * z); });
  for (const double z : {0.0, 0.001, 0.5, 0.99, 1.0, -0.25, 3.4}) {
    const std::vector<double> at = {0.5, z};
    std::vector<double> out(2);
    field.evaluate(std::vector<Expr>{u, d(u, x, x)}, at, out);
    EXPECT_NEAR(out[0], 0.5 * std::sin(2 * pi * z), 1e-11) << z;
    EXPECT_NEAR(out[1], -2 * pi * pi * std::sin(2 * pi * z), 1e-7) << z;
  }
}

TEST(GridField, DifferentiatesChebyshevAxesSpectrally) {
  const GridField field = grid_of({"x", lobatto_points(0, 1, 20), GridAxis::Kind::chebyshev},
                                  [](double, double z) { return std::exp(2 * z); });
  for (const double z : {0.0, 0.1234, 0.5, 1.0}) {
    std::vector<double> out(2);
    field.evaluate(std::vector<Expr>{u, d(u, x, x)}, std::vector<double>{0.3, z}, out);
    EXPECT_NEAR(out[0], std::exp(2 * z), 1e-13);
    EXPECT_NEAR(out[1], 4 * std::exp(2 * z), 1e-8);
  }
}

TEST(GridField, EvaluatesExpressionsAndComesBackFromAFile) {
  const GridField field =
      grid_of({"x", equal_nodes(0, 1, 12)}, [](double s, double z) { return s * z * z; });
  Checkpoint c;
  field.save(c);
  const auto loaded = load_classical("fdm", c, *heat());
  const std::vector<double> at = {0.25, 0.5, 0.75, 0.1};
  const std::vector<Expr> e = {u * d(u, x) + t, pow(u, 2)};
  std::vector<double> a(4), b(4);
  field.evaluate(e, at, a);
  loaded->evaluate(e, at, b);
  EXPECT_EQ(a, b);
  EXPECT_NEAR(a[0], 0.25 * 0.25 * 0.25 * 2 * 0.5 + 0.25, 1e-13);
  EXPECT_EQ(loaded->kind(), "fdm");
}

TEST(GridField, SaysWhatDoesNotFit) {
  EXPECT_THAT(message_of([] {
                GridField("fdm", heat(), {{"y", {0, 1}}}, {"u"}, {{0, 0}});
              }),
              ::testing::HasSubstr("no coordinate 'y'"));
  EXPECT_THAT(message_of([] {
                GridField("fdm", heat(), {{"x", {0, 1}}}, {"u"}, {{0}});
              }),
              ::testing::HasSubstr("needs as many values"));
  EXPECT_THAT(message_of([] {
                GridField("fdm", heat(), {{"x", {1, 0}}}, {"u"}, {{0, 0}});
              }),
              ::testing::HasSubstr("do not ascend"));
}

TEST(NodeProgram, TakesTimeByArgumentAndFieldsByRows) {
  const auto problem = heat();
  Points points;
  points.columns = {"x"};
  points.values = {0.5, 2};
  const NodeProgram program(*problem, {u * t + x, d(u, x)}, {u, d(u, x)}, points);
  std::vector<std::vector<double>> out(2, std::vector<double>(2));
  program.run({{1, 2}, {7, 8}}, out, 3.0);
  EXPECT_EQ(out[0], (std::vector<double>{3.5, 8}));
  EXPECT_EQ(out[1], (std::vector<double>{7, 8}));
  EXPECT_THAT(message_of([&] {
                program.run({{1, 2}, {7, 8}}, out);
              }),
              ::testing::HasSubstr("needs the time"));
}

TEST(RefinementSeries, IsRichardsonsEstimate) {
  RefinementSeries second(2);
  second.add(0.75);
  EXPECT_EQ(second.error(), 0.75);  // nothing is known of the factor
  second.add(0.1875);
  EXPECT_NEAR(second.error(), 1.25 * 0.0625, 1e-15);  // 1, 1/4, 1/16: the third is off by 1/16
  RefinementSeries lucky(2);
  lucky.add(1);
  lucky.add(1e-9);
  EXPECT_NEAR(lucky.error(), 1.25e-9 / 3, 1e-24);  // not better than its order promises
  RefinementSeries spectral(0);
  spectral.add(1e-2);
  spectral.add(1e-6);
  EXPECT_EQ(spectral.error(), 1e-6);
  // Faster than any power: the rest of the series, but no less than a thousandth of the change.
  RefinementSeries series(of_series);
  for (const double d : {1e-2, 1e-4, 1e-6}) series.add(d);
  EXPECT_NEAR(series.error(), 3e-8, 1e-9);
  series.add(1e-12);
  EXPECT_NEAR(series.error(), 3e-14, 1e-15);
  series.add(0.6e-12);
  EXPECT_NEAR(series.error(), 0.9e-12, 1e-14);
  RefinementSeries none(2);
  none.add(0.1);
  none.add(0.1);
  EXPECT_TRUE(std::isinf(none.error()));
  EXPECT_TRUE(std::isnan(RefinementSeries(2).error()));
}

/// Makes u = exact + 4^(-level) * amount on any problem in x (and a parameter).
class FakeSolver final : public ClassicalSolver {
 public:
  FakeSolver(std::shared_ptr<const Problem> problem, double amount, int fails_from = 99)
      : problem_(std::move(problem)), amount_(amount), fails_from_(fails_from) {}
  int levels() const override { return 8; }
  double order() const override { return 2; }
  MethodCost cost(int level) const override {
    return {.method = fmt::format("fake {}", level),
            .unknowns = 5,
            .work = {WorkKind::dense, 1.5e9},
            .bytes = 1e3};
  }
  ClassicalAnswer solve(int level, const RunOptions&) override {
    ClassicalAnswer a;
    a.method = fmt::format("fake {}", level);
    if (level >= fails_from_) {
      a.troubles = {"the matrix is singular"};
      return a;
    }
    const double k = problem_->values().contains("k") ? problem_->values().at("k") : 1;
    std::vector<double> nodes = equal_nodes(0, 1, 33), values;
    for (const double z : nodes) values.push_back(std::sin(k * z) + amount_ * std::pow(4, -level));
    a.model = std::make_shared<GridField>("fdm", problem_, std::vector<GridAxis>{{"x", nodes}},
                                          std::vector<std::string>{"u"},
                                          std::vector<std::vector<double>>{values});
    return a;
  }

 private:
  std::shared_ptr<const Problem> problem_;
  double amount_;
  int fails_from_;
};

Problem wave_problem() {
  Problem p;
  p.domain = Interval(x, 0, 1);
  p.fields = {"u"};
  p.equation = {d(u, x, x) + u == 0};
  p.condition = {on("left", u == 0), on("right", u == std::sin(1.0))};
  return p;
}

Solution fake_solution(const Problem& problem, double amount, const ClassicalSettings& settings,
                       int fails_from = 99) {
  const auto prepared = prepare_classical(
      "fdm", std::make_shared<const Problem>(problem),
      [=](std::shared_ptr<const Problem> p) {
        return std::make_unique<FakeSolver>(std::move(p), amount, fails_from);
      },
      settings, 1);
  return solve(*prepared, {});
}

TEST(Classical, RefinesUntilTheToleranceIsMetAndSaysHowWrongItIs) {
  Problem p = wave_problem();
  p.reference.formulas["u"] = sin(x);
  p.tolerance = 1e-2;
  const Solution s = fake_solution(p, 1, {.tolerance = 1e-3});
  ASSERT_TRUE(s.estimate);
  EXPECT_LE(s.estimate->relative_l2, 1e-3);
  // Richardson is exact for this error: what is left is the factor of safety.
  EXPECT_NEAR(s.estimate->relative_l2, 1.25 * s.error.relative_l2(), 0.05 * s.error.relative_l2());
  EXPECT_EQ(s.method, "fake 6");
  EXPECT_EQ(s.grade, Grade::converged);
}

TEST(Classical, IsGradedByItsEstimateWithoutAReference) {
  Problem p = wave_problem();
  p.tolerance = 1e-2;
  const Solution good = fake_solution(p, 1, {.tolerance = 1e-3});
  EXPECT_EQ(good.grade, Grade::converged);
  EXPECT_THAT(good.findings[0], ::testing::HasSubstr("estimated relative error"));
  const Solution bad = fake_solution(p, 1, {}, 2);  // no further than level 1
  EXPECT_EQ(bad.grade, Grade::stalled);
  EXPECT_THAT(bad.findings, testing::Contains(::testing::HasSubstr("the matrix is singular")));
}

TEST(Classical, AgreementOfGridsOnSomethingWrongIsNoEstimate) {
  Problem p = wave_problem();
  p.equation = {d(u, x, x) + 25 * u == 0};  // sin(x) meets the conditions alone
  const Solution s = fake_solution(p, 0, {});
  EXPECT_FALSE(s.estimate);
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_NE(s.grade, Grade::unverified);
  EXPECT_THAT(s.findings, testing::Contains(::testing::HasSubstr("does not fulfil")));
}

TEST(Classical, OneLevelHasNoEstimate) {
  const Solution s = fake_solution(wave_problem(), 0, {.level = 3});
  EXPECT_FALSE(s.estimate);
  EXPECT_EQ(s.method, "fake 3");
  EXPECT_EQ(s.grade, Grade::unverified);
}

TEST(Classical, NothingAtAllIsDiverged) {
  const Solution s = fake_solution(wave_problem(), 0, {}, 0);
  EXPECT_EQ(s.grade, Grade::diverged);
  EXPECT_TRUE(std::isnan(s("u", {0.5})));
}

TEST(Classical, SolvesFamiliesAtNodesOfTheRange) {
  Problem p = wave_problem();
  const Parameter k("k");
  p.domain = *p.domain * Range(k, 1, 3);
  p.equation = {d(u, x, x) + k * k * u == 0};
  p.condition = {on("left", u == 0), on("right", u == sin(k))};
  p.reference.formulas["u"] = sin(k * x);
  const Solution s = fake_solution(p, 0, {});
  EXPECT_LT(s.error.relative_l2(), 1e-8);
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_NEAR(s(d(u, Coordinate("k")), {0.5, 2.2}), 0.5 * std::cos(1.1), 1e-6);
  Checkpoint c;
  s.model->save(c);
  const auto loaded = load_classical("fdm", c, p);
  double a = 0;
  loaded->evaluate(std::vector<Expr>{u}, std::vector<double>{0.3, 1.7}, std::span(&a, 1));
  EXPECT_EQ(a, s("u", {0.3, 1.7}));
}

/// u = x^2 / l^2 on (0, l), for every l.
class StretchedSolver final : public ClassicalSolver {
 public:
  explicit StretchedSolver(std::shared_ptr<const Problem> problem) : problem_(std::move(problem)) {}
  int levels() const override { return 3; }
  double order() const override { return 2; }
  MethodCost cost(int) const override { return {.method = "stretched", .bytes = 1e3}; }
  ClassicalAnswer solve(int, const RunOptions&) override {
    const double l = problem_->values().at("l");
    std::vector<double> nodes = equal_nodes(0, l, 9), values;
    for (const double z : nodes) values.push_back(z * z / (l * l));
    ClassicalAnswer a;
    a.method = "stretched";
    a.model = std::make_shared<GridField>("fdm", problem_, std::vector<GridAxis>{{"x", nodes}},
                                          std::vector<std::string>{"u"},
                                          std::vector<std::vector<double>>{values});
    return a;
  }

 private:
  std::shared_ptr<const Problem> problem_;
};

TEST(Classical, FollowsTheShapeOfFamilies) {
  const Parameter l("l");
  Problem p;
  p.domain = Interval(x, 0, l) * Range(l, 1, 4);
  p.fields = {"u"};
  p.equation = {d(u, x, x) == 2 / (l * l)};
  p.condition = {on("left", u == 0), on("right", u == 1)};
  p.reference.formulas["u"] = x * x / (l * l);
  const auto prepared = prepare_classical(
      "fdm", std::make_shared<const Problem>(p),
      [](std::shared_ptr<const Problem> one) {
        return std::make_unique<StretchedSolver>(std::move(one));
      },
      {}, 1);
  const Solution s = solve(*prepared, {});
  EXPECT_LT(s.error.relative_l2(), 1e-12);
  EXPECT_NEAR(s("u_xx", {0.7, 1.9}), 2 / (1.9 * 1.9), 1e-6);  // of an interpolated coefficient
  EXPECT_EQ(s.grade, Grade::converged);
}

TEST(Classical, RefusesInverseProblems) {
  Problem p = wave_problem();
  p.unknowns = {{"c", 1}};
  EXPECT_THAT(message_of([&] { (void)fake_solution(p, 0, {}); }),
              ::testing::HasSubstr("does not find unknown constants"));
}

}  // namespace
}  // namespace cauchy::detail::test_classical
