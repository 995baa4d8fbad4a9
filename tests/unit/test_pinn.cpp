#include <cauchy/solvers/pinn.hpp>

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/pinn_files.hpp"
#include "solvers/pinn_objective.hpp"

namespace cauchy {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v");

Problem heat() {
  Problem p;
  p.name = "heat";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) == 0.25 * d(u, x, x)};
  p.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  p.reference.formulas["u"] = exp(-pi * pi / 16 * t) * cos(pi * x / 2);
  return p;
}

Problem poisson(const Region& region) {
  Problem p;
  p.name = "poisson";
  p.fields = {"u"};
  p.domain = region;
  p.equation = {d(u, x, x) + d(u, y, y) == -1};
  p.condition = {on_boundary(u == 0)};
  return p;
}

Pinn small() {
  Pinn m;
  m.network = {.width = 8, .depth = 2};
  m.points = {.interior = 100, .boundary = 40, .initial = 30};
  m.stages = {{AdamOptions{}, 20}};
  return m;
}

/// The network of a problem with random parameters.
struct Untrained {
  detail::Lowering lower;
  detail::Sizes sizes;
  std::shared_ptr<const Graph> graph;
  std::vector<double> theta;

  Untrained(const Problem& p, const Pinn& m)
      : lower(p),
        sizes(detail::characteristic_sizes(p, lower, m.scale)),
        graph(std::make_shared<const Graph>(detail::make_pinn_graph(p, m, lower, sizes))),
        theta(initial_parameters(*graph, Rng(3))) {
    Rng rng(5);
    for (double& w : theta) w += rng.normal();
  }
  std::vector<double> values(const std::vector<Expr>& what, std::span<const double> rows) const {
    Executor<double> executor(graph, {});
    const std::size_t D = graph->coordinate_names().size();
    std::vector<double> out(rows.size() / D * what.size());
    executor.predict(what, theta, rows, out);
    return out;
  }
};

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// --- hard conditions ---

TEST(HardConditions, HoldToRoundingForAnyParameters) {
  const Region regions[] = {Rectangle({0, 0}, {2, 1}), Disk({0, 0}, 1),
                            Rectangle({0, 0}, {2, 2}) - Rectangle({1, 1}, {2, 2}),
                            Annulus({0, 0}, 0.5, 1), Disk({0, 0}, 1) - Disk({0.3, 0}, 0.2)};
  for (const Region& region : regions) {
    Problem p = poisson(region);
    p.condition = {hard(on_boundary(u == x * x - y))};
    check(p);
    const Untrained net(p, small());
    const Points points = boundary_points(*p.domain, "boundary", 200);
    const auto error = net.values({u - (x * x - y)}, points.values);
    // Boundary points are accurate to 1e-13, and the random network is of order 10.
    for (const double e : error) EXPECT_LT(std::abs(e), 1e-10) << region.str();
    const auto inside = net.values({u - (x * x - y)}, interior_points(*p.domain, 50).values);
    double largest = 0;
    for (const double e : inside) largest = std::max(largest, std::abs(e));
    EXPECT_GT(largest, 0.01);  // not everywhere
  }
}

TEST(HardConditions, BlendDifferentValuesAndTheInitialState) {
  Problem p = heat();
  p.condition = {hard(at(t == 0, u == cos(pi * x / 2))), hard(on("left", u == t)),
                 hard(on("right", u == 2 * t))};
  check(p);
  const Untrained net(p, small());
  const auto near = [&](const Expr& e, const Points& points) {
    for (const double value : net.values({e}, points.values)) EXPECT_LT(std::abs(value), 1e-13);
  };
  near(u - cos(pi * x / 2), initial_points(*p.domain, 40));
  near(u - t, boundary_points(*p.domain, "left", 40));
  near(u - 2 * t, boundary_points(*p.domain, "right", 40));
}

TEST(HardConditions, TakeTheInitialVelocityToo) {
  Problem p = heat();
  p.equation = {d(u, t, t) == d(u, x, x)};
  p.condition = {hard(at(t == 0, d(u, t) == x)), hard(at(t == 0, u == sin(x)))};
  const Untrained net(p, small());
  const Points start = initial_points(*p.domain, 40);
  for (const double e : net.values({u - sin(x)}, start.values)) EXPECT_LT(std::abs(e), 1e-14);
  for (const double e : net.values({d(u, t) - x}, start.values)) EXPECT_LT(std::abs(e), 1e-13);
}

TEST(HardConditions, RefuseWhatCannotBeBuiltIn) {
  Problem p = heat();
  p.condition = {hard(on_boundary(normal_derivative(u, std::vector<std::string>{"x"}) == 0))};
  EXPECT_EQ(message_of([&] { (void)solve(p, small()); }),
            "hard condition 'n_x*u_x = 0 on boundary': it cannot be built in: its form is not "
            "'field = value'; leave it in the loss: hard = false");
  p.condition = {hard(at(t == 1, u == 0))};
  EXPECT_EQ(message_of([&] { (void)solve(p, small()); }),
            "hard condition 'u = 0 on t = 1': it cannot be built in: only the initial time can");
}

TEST(Periodicity, HoldsForValuesAndAllDerivatives) {
  Problem p = heat();
  p.condition = {at(t == 0, u == sin(pi * x)), periodic(x)};
  check(p);
  const Untrained net(p, small());
  const std::vector<Expr> what{u, d(u, x), d(u, x, x), d(u, x, x, x), d(u, t)};
  const std::vector<double> left{0.3, -1, 0.9, -1}, right{0.3, 1, 0.9, 1};
  const auto a = net.values(what, left), b = net.values(what, right);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT(std::abs(a[i] - b[i]), 1e-11 * (1 + std::abs(a[i])));
  }
}

// --- scaling ---

TEST(Scaling, MakesARescaledProblemTheSameProblem) {
  // x -> 1000 x, t -> 10^6 t, u -> 50 u leaves the heat equation as it is.
  const Problem unit = heat();
  Problem large = heat();
  const double L = 1000, T = 1e6, U = 50;
  large.domain = Interval(x, -L, L) * Time(t, 0, T);
  large.condition = {at(t == 0, u == U * cos(pi * x / (2 * L))), on_boundary(u == 0)};
  const auto loss_of = [](const Problem& p) {
    const Pinn m = small();
    const detail::Lowering lower(p);
    const auto sizes = detail::characteristic_sizes(p, lower, true);
    const auto loss = detail::make_loss(p, m, lower, sizes);
    const auto graph = std::make_shared<const Graph>(detail::make_pinn_graph(p, m, lower, sizes));
    detail::PinnObjective<double> objective(p, loss, graph, 1);
    for (std::size_t i = 0; i < loss.terms.size(); ++i) {
      objective.set_points(i, loss.terms[i].draw(loss.terms[i].n, m.points.sampler));
    }
    return objective.value(initial_parameters(*graph, Rng(1)));
  };
  const double a = loss_of(unit), b = loss_of(large);
  EXPECT_LT(std::abs(a - b), 1e-10 * a);
  EXPECT_GT(a, 1e-3);
}

TEST(Scaling, CanBeSwitchedOffAndIsReported) {
  Pinn m = small();
  const Solution with = solve(heat(), m);
  EXPECT_EQ(with.scales.at("t"), 0.5);
  EXPECT_EQ(with.scales.at("u"), 1);
  m.scale = false;
  EXPECT_TRUE(solve(heat(), m).scales.empty());
}

TEST(Scaling, TakesTheSizeOfAFieldFromTheProblemWhereItIsGiven) {
  Problem p = heat();
  p.sizes["u"] = 30;
  EXPECT_EQ(solve(p, small()).scales.at("u"), 30);
  const auto message = [&](const std::string& field, double size) {
    p.sizes = {{field, size}};
    try {
      check(p);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("u", 2), "no error");
  EXPECT_EQ(message("w", 2), "[problem 'heat']: unknown field 'w'; did you mean 'u'?");
  EXPECT_EQ(message("u", 0),
            "[problem 'heat']: the size of field 'u' is 0; sizes are positive and finite");
  EXPECT_EQ(message("u", INFINITY),
            "[problem 'heat']: the size of field 'u' is inf; sizes are positive and finite");
}

// --- terms ---

TEST(Terms, NormalDerivativesUseTheNormalOfEachPoint) {
  // On the circle u = x^2 + y^2 has normal derivative 2; a hard extension makes u exactly that.
  Problem p = poisson(Disk({0, 0}, 1));
  const std::vector<std::string> space{"x", "y"};
  p.condition = {on_boundary(normal_derivative(u, space) == 3)};
  const Pinn m = small();
  const detail::Lowering lower(p);
  const auto sizes = detail::characteristic_sizes(p, lower, false);
  auto loss = detail::make_loss(p, m, lower, sizes);
  Graph g({"x", "y"});
  g.constant("unused", 0);
  g.output("u", g.expression({x * x + y * y}));
  const auto graph = std::make_shared<const Graph>(std::move(g));
  detail::PinnObjective<double> objective(p, loss, graph, 1);
  for (std::size_t i = 0; i < loss.terms.size(); ++i) {
    objective.set_points(i, loss.terms[i].draw(loss.terms[i].n, m.points.sampler));
  }
  const std::vector<double> theta{0};
  (void)objective.value(theta);
  EXPECT_LT(std::abs(objective.parts()[0] * std::pow(loss.terms[0].size, 2) - 25), 1e-10);
  EXPECT_LT(std::abs(objective.parts()[1] * std::pow(loss.terms[1].size, 2) - 1), 1e-10);
}

TEST(Terms, IntegralConditionsHaveTheGradientOfTheirValue) {
  Problem p = heat();
  p.condition.push_back(integral(u == 0.5));
  Pinn m = small();
  const detail::Lowering lower(p);
  const auto sizes = detail::characteristic_sizes(p, lower, true);
  const auto loss = detail::make_loss(p, m, lower, sizes);
  const auto graph = std::make_shared<const Graph>(detail::make_pinn_graph(p, m, lower, sizes));
  detail::PinnObjective<double> objective(p, loss, graph, 2);
  for (std::size_t i = 0; i < loss.terms.size(); ++i) {
    objective.set_points(i, loss.terms[i].draw(loss.terms[i].n, m.points.sampler));
  }
  std::vector<double> theta = initial_parameters(*graph, Rng(2)), g(theta.size());
  (void)objective.gradient(theta, g);
  EXPECT_GT(objective.parts().back(), 1e-3);
  for (const std::size_t k : {std::size_t{0}, theta.size() / 2, theta.size() - 1}) {
    const double h = 1e-5, old = theta[k];
    theta[k] = old + h;
    const double up = objective.value(theta);
    theta[k] = old - h;
    const double down = objective.value(theta);
    theta[k] = old;
    // Central difference: h^2 = 1e-10 times third derivatives, rounding 1e-16 / h.
    EXPECT_LT(std::abs((up - down) / (2 * h) - g[k]), 1e-7 * (1 + std::abs(g[k])));
  }
}

TEST(Terms, LossIsTheSumOfSquaresWithTheJacobianOfItsRows) {
  Problem p = heat();
  p.condition.push_back(integral(u == 0.5));
  p.condition.back().weight = 3;
  const Pinn m = small();
  const detail::Lowering lower(p);
  const auto sizes = detail::characteristic_sizes(p, lower, true);
  const auto loss = detail::make_loss(p, m, lower, sizes);
  const auto graph = std::make_shared<const Graph>(detail::make_pinn_graph(p, m, lower, sizes));
  detail::PinnObjective<double> objective(p, loss, graph, 2);
  for (std::size_t i = 0; i < loss.terms.size(); ++i) {
    objective.set_points(i, loss.terms[i].draw(loss.terms[i].n, m.points.sampler));
  }
  const std::vector<double> theta = initial_parameters(*graph, Rng(2));
  const std::size_t n = theta.size(), rows = objective.n_residuals();
  std::vector<double> g(n), r(rows), again(rows), j(rows * n), move(n), w(rows), jv(rows), jtw(n);
  const double value = objective.gradient(theta, g);
  objective.residuals(theta, r);
  objective.jacobian(theta, again, j);
  EXPECT_EQ(r, again);
  double sum = 0;
  for (const double e : r) sum += e * e;
  // Sums of some hundred terms, in another order: 1e3 roundings at most.
  const double tolerance = 1e3 * std::numeric_limits<double>::epsilon();
  EXPECT_LT(std::abs(sum - value), tolerance * value);
  Rng rng(8);
  for (double& e : move) e = rng.normal();
  for (double& e : w) e = rng.normal();
  objective.jacobian_times(theta, move, jv);
  objective.jacobian_transposed_times(theta, w, jtw);
  for (std::size_t k = 0; k < n; ++k) {
    double slope = 0, column = 0, size = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      slope += 2 * j[i * n + k] * r[i];
      column += j[i * n + k] * w[i];
      size += std::abs(j[i * n + k] * w[i]) + 2 * std::abs(j[i * n + k] * r[i]);
    }
    EXPECT_LT(std::abs(slope - g[k]), tolerance * (size + value));
    EXPECT_LT(std::abs(column - jtw[k]), tolerance * size);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    double row = 0, size = 0;
    for (std::size_t k = 0; k < n; ++k) {
      row += j[i * n + k] * move[k];
      size += std::abs(j[i * n + k] * move[k]);
    }
    EXPECT_LT(std::abs(row - jv[i]), tolerance * size);
  }
}

TEST(Terms, TabulatedFunctionsGiveTheLossOfTheirFormula) {
  // Linear interpolation is exact for a = 1 + x + 2 y, derivative included.
  Problem formula = poisson(Rectangle({0, 0}, {1, 1})), table = formula;
  const Expr a = 1 + x + 2 * y;
  const Expr b = DataFunction("a")(x, y);
  formula.equation = {d(a * d(u, x), x) + a * d(u, y, y) == -1};
  table.equation = {d(b * d(u, x), x) + b * d(u, y, y) == -1};
  table.functions = {{"a",
                      {"x", "y"},
                      "a",
                      "",
                      Table{{"y", "x", "a"}, {0, 0, 1, 1, 0, 3, 0, 1, 2, 1, 1, 4}, "memory"}}};
  check(table);
  Pinn m = small();
  m.scale = false;
  const auto loss_of = [&](const Problem& p) {
    const detail::Lowering lower(p);
    const auto sizes = detail::characteristic_sizes(p, lower, false);
    const auto loss = detail::make_loss(p, m, lower, sizes);
    const auto graph = std::make_shared<const Graph>(detail::make_pinn_graph(p, m, lower, sizes));
    detail::PinnObjective<double> objective(p, loss, graph, 1);
    for (std::size_t i = 0; i < loss.terms.size(); ++i) {
      objective.set_points(i, loss.terms[i].draw(loss.terms[i].n, m.points.sampler));
    }
    return objective.value(initial_parameters(*graph, Rng(4)));
  };
  const double exact = loss_of(formula);
  EXPECT_LT(std::abs(loss_of(table) - exact), 1e-12 * exact);
}

TEST(Terms, FollowTheIntegralConventionOnRequest) {
  Problem p = poisson(Rectangle({0, 0}, {3, 2}));
  const Pinn m = small();
  const detail::Lowering lower(p);
  const auto sizes = detail::characteristic_sizes(p, lower, true);
  const auto risk = detail::make_loss(p, m, lower, sizes);
  p.convention = LossConvention::integral;
  const auto integral_loss = detail::make_loss(p, m, lower, sizes);
  EXPECT_LT(std::abs(integral_loss.terms[0].term.weight / risk.terms[0].term.weight - 6), 1e-12);
  EXPECT_LT(std::abs(integral_loss.terms[1].term.weight / risk.terms[1].term.weight - 10), 1e-12);
}

TEST(Unknowns, KeepTheirBoundsAndStartWhereAsked) {
  Problem p = heat();
  p.unknowns = {
      {"a", 0.3, 0.0, {}, {}}, {"b", 0.7, 0.5, 1.0, {}}, {"c", -2, {}, 0.0, {}}, {"e", 5}};
  const detail::Lowering lower(p);
  const Untrained net(p, small());
  std::vector<double> theta = initial_parameters(*net.graph, Rng(1));
  Executor<double> executor(net.graph, {});
  const std::vector<Expr> what{lower(Parameter("a")), lower(Parameter("b")), lower(Parameter("c")),
                               lower(Parameter("e"))};
  std::vector<double> out(4);
  executor.predict(what, theta, std::vector<double>{0, 0}, out);
  const double expected[] = {0.3, 0.7, -2, 5};
  for (int i = 0; i < 4; ++i) EXPECT_LT(std::abs(out[i] - expected[i]), 1e-14);
  for (double& w : theta) w = -30;  // far out: still inside
  executor.predict(what, theta, std::vector<double>{0, 0}, out);
  EXPECT_GE(out[0], 0);
  EXPECT_GE(out[1], 0.5);
  EXPECT_LE(out[2], 0);
}

// --- whole runs ---

TEST(Pinn, IsTheSameForOneAndTwoThreads) {
  const Solution a = solve(heat(), small(), {.threads = 1});
  const Solution b = solve(heat(), small(), {.threads = 2});
  EXPECT_EQ(a.parameters, b.parameters);
}

TEST(Pinn, EndsAStageThatGainsTooLittle) {
  Pinn m = small();
  m.stages = {{.method = LbfgsOptions{}, .steps = 2000, .relative_decrease = 0.9999}};
  EXPECT_LT(solve(heat(), m).steps, 1000u);
  m.stages[0].relative_decrease = 0;
  m.stages[0].steps = 450;
  EXPECT_EQ(solve(heat(), m).steps, 450u);
}

class StopAfter final : public Progress {
 public:
  explicit StopAfter(std::uint64_t steps) : steps_(steps) {}
  void update(const ProgressState& s) override { stop_ = stop_ || s.step >= steps_; }
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override { return stop_; }

 private:
  std::uint64_t steps_;
  bool stop_ = false;
};

TEST(Pinn, ResumesToTheSameBits) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("cauchy_resume_" + std::to_string(::getpid()) + ".bin");
  Pinn m = small();
  m.points.redraw = 7;
  m.points.batch = 32;
  m.stages = {{AdamOptions{}, 30}, {LbfgsOptions{}, 30}};
  const Solution whole = solve(heat(), m);
  for (const std::uint64_t stop : {5u, 29u, 30u, 31u, 47u}) {
    std::filesystem::remove(file);
    StopAfter progress(stop);
    const Solution part = solve(heat(), m, {.progress = &progress, .checkpoint = file});
    EXPECT_TRUE(part.interrupted);
    EXPECT_EQ(part.steps, stop);
    const Solution rest = solve(heat(), m, {.checkpoint = file});
    EXPECT_EQ(rest.parameters, whole.parameters) << "stopped after " << stop;
    EXPECT_EQ(rest.steps, whole.steps);
  }
  Pinn other = m;
  other.seed = 9;
  EXPECT_NE(message_of([&] {
              (void)solve(heat(), other, {.checkpoint = file});
            }).find("the checkpoint belongs to another problem or other settings"),
            std::string::npos);
  std::filesystem::remove(file);
}

TEST(Pinn, LoadsWhatItSaved) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("cauchy_solution_" + std::to_string(::getpid()) + ".bin");
  const Solution a = solve(heat(), small());
  save_solution(file, a);
  const Solution b = load_solution(file, heat(), small());
  const std::vector<double> rows{0.2, 0.1, 0.7, -0.5};
  EXPECT_EQ(a("u_x", rows), b("u_x", rows));
  EXPECT_EQ(a.error.relative_l2(), b.error.relative_l2());
  EXPECT_EQ(a.history.size(), b.history.size());
  EXPECT_THROW((void)load_solution(file, poisson(Disk({0, 0}, 1)), small()), Error);
  std::filesystem::remove(file);
}

TEST(Grades, SuspectASmallLossWithAViolatedBoundary) {
  Problem p = poisson(Rectangle({0, 0}, {1, 1}));
  p.condition = {weighted(0, on_boundary(u == 1))};
  Pinn m = small();
  m.stages = {{AdamOptions{}, 200}, {LbfgsOptions{}, 300}};
  const Solution s = solve(p, m);
  EXPECT_EQ(s.grade, Grade::suspicious);
  bool named = false;
  for (const std::string& f : s.findings) {
    named = named || f.find("'u = 1 on boundary' is violated") != std::string::npos;
  }
  EXPECT_TRUE(named);
}

TEST(Grades, CallAGoodAnswerConvergedAndABadOneStalled) {
  Problem p = heat();
  p.tolerance = 0.5;
  Pinn m = small();
  m.stages[0] = {.method = AdamOptions{.learning_rate = 5e-3}, .steps = 600};
  EXPECT_EQ(solve(p, m).grade, Grade::converged);
  p.tolerance = 1e-9;
  EXPECT_NE(solve(p, m).grade, Grade::converged);
}

TEST(Grades, CompareWithAnotherMethodAndItsOwnError) {
  Problem p = heat();
  p.reference = {};
  p.reference.code = ReferenceCode{
      {"u"}, "another method", 0.2, [](std::span<const double> points, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] =
              std::exp(-pi * pi / 16 * points[2 * i]) * std::cos(pi * points[2 * i + 1] / 2);
        }
      }};
  p.tolerance = 0.5;
  Pinn m = small();
  m.stages[0] = {.method = AdamOptions{.learning_rate = 5e-3}, .steps = 600};
  const Solution s = solve(p, m);
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_EQ(s.error.reference, "another method");
  EXPECT_EQ(s.error.reference_error, 0.2);
  bool said = false;
  for (const std::string& f : s.findings)
    said = said || f == "the reference itself is only good to 2e-01";
  EXPECT_TRUE(said);
  p.reference.code->fields = {"w"};
  EXPECT_THROW(check(p), Error);
}

TEST(Grades, CallANanDiverged) {
  Problem p = heat();
  p.equation = {d(u, t) == 0.25 * d(u, x, x) + log(x - 5)};
  EXPECT_EQ(solve(p, small()).grade, Grade::diverged);
}

}  // namespace
}  // namespace cauchy
