#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/networks/kan_model.hpp>
#include <cauchy/solvers/export.hpp>
#include <cauchy/solvers/formula.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/pinn/pinn_kan.hpp"
#include "solvers/pinn/pinn_start.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn_kan {
namespace {

const Coordinate x("x"), y("y");
const Field u("u");

Problem poisson_square() {
  Problem p;
  p.name = "poisson_square";
  p.fields = {"u"};
  p.domain = Rectangle({0, 0}, {1, 1});
  const Expr exact = sin(pi * x) * sin(pi * y);
  p.equation = {-(d(u, x, x) + d(u, y, y)) == 2 * pi * pi * exact};
  p.condition = {on_boundary(u == 0)};
  p.reference.formulas["u"] = exact;
  return p;
}

Pinn with(const Network& network, std::uint64_t steps) {
  Pinn method;
  method.network = network;
  method.points = {.interior = 200, .boundary = 80, .initial = 40};
  method.stages = {{LevenbergMarquardtOptions{}, steps}};
  return method;
}

TEST(PinnKan, SolvesTheHeatedBarAndPoissonsEquation) {
  const std::vector<Network> networks{Kan{.hidden = {4}},
                                      FastKan{.hidden = {4}, .lower = -1.5, .upper = 1.5},
                                      ChebyshevKan{.hidden = {4}}, JacobiKan{.hidden = {4}}};
  for (const Network& network : networks) {
    const Solution bar = solve(heated_bar(), with(network, 100), {.threads = 1});
    EXPECT_LT(bar.error.relative_l2(), 1e-3) << bar.method;
  }
  const Solution square =
      solve(poisson_square(), with(Kan{.hidden = {6}, .grid = 6}, 100), {.threads = 1});
  EXPECT_LT(square.error.relative_l2(), 1e-3);
}

TEST(PinnKan, RefusesDerivativesThatItsSplinesLack) {
  Problem beam;
  beam.name = "beam";
  beam.fields = {"u"};
  beam.domain = Interval(x, 0, 1);
  beam.equation = {d(u, x, x, x, x) == 1};
  beam.condition = {on_boundary(u == 0), on_boundary(d(u, x) == 0)};
  const auto message = [&](const Kan& kan) {
    return message_of([&] { (void)prepare(beam, with(kan, 1)); });
  };
  EXPECT_NE(message(Kan{}).find("has derivatives of order 4, and those of splines of order 3"),
            std::string::npos)
      << message(Kan{});
  EXPECT_NE(message(Kan{}).find("order = 5"), std::string::npos);
  // Splines within other networks are found too.
  const auto within = [&](const Network& network) {
    return message_of([&] { (void)prepare(beam, with(network, 1)); });
  };
  const std::string reason = "those of splines of order 3 vanish beyond order 3";
  EXPECT_NE(within(Windows{.windows = {2}, .inner = {Kan{}}}).find(reason), std::string::npos);
  EXPECT_NE(within(Experts{.experts = {Mlp{}, Kan{}}, .gate = {}}).find(reason), std::string::npos);
  EXPECT_EQ(within(Windows{.windows = {2}, .inner = {Kan{.order = 5}}}), "no error");
  EXPECT_EQ(within(Windows{.windows = {2}, .inner = {FastKan{}}}), "no error");
  EXPECT_EQ(message(Kan{.order = 4}), "no error");
  EXPECT_EQ(message(Kan{.order = 5}), "no error");
}

TEST(PinnKan, RefusesAGridThatLeavesOutAPartOfTheDomain) {
  Pinn method = with(Kan{.lower = 0, .upper = 1}, 1);
  const Problem p = rod(1);  // on (0, 1), which the network sees as [-1, 1]
  EXPECT_NE(message_of([&] {
              (void)prepare(p, method);
            }).find("[0, 1], leaves out a part of 'x', which the network sees in [-1, 1]"),
            std::string::npos);
  method.scale = false;
  EXPECT_EQ(message_of([&] { (void)prepare(p, method); }), "no error");
  method.network = Kan{.lower = 0.1, .upper = 1};
  EXPECT_NE(message_of([&] { (void)prepare(p, method); }).find("leaves out"), std::string::npos);
}

TEST(PinnKan, ThePenaltyIsPartOfTheLossOfMethodsThatCanHaveIt) {
  Pinn method = with(Kan{.hidden = {2}, .sparsity = 1e-2}, 3);
  EXPECT_NE(
      message_of([&] { (void)solve(rod(1), method, {.threads = 1}); }).find("no sum of squares"),
      std::string::npos);
  method.stages = {{AdamOptions{.learning_rate = 1e-9}, 2}};
  const Solution s = solve(rod(1), method, {.threads = 1});
  const HistoryEntry& first = s.training->history.front();
  double terms = 0;
  for (const double t : first.terms) terms += t;
  EXPECT_GT(first.loss, terms);
  // The parameters hardly move: the difference is the penalty of those at the end.
  const double penalty =
      KanPenalty(std::get<Kan>(method.network), 1, 1)(s.training->parameters, {});
  EXPECT_NEAR(first.loss - terms, penalty, 1e-5 * penalty);
}

TEST(GridCurriculum, RefinesTheGridsAndIsResumedAndLoaded) {
  const Problem p = heated_bar();
  Pinn method = with(Kan{.hidden = {3}, .grid = 6}, 20);
  method.points = {.interior = 80, .boundary = 40, .initial = 30};
  method.rules.curriculum = GridCurriculum{.grids = {2, 4}, .share = 0.5};
  const Solution whole = solve(p, method, {.threads = 1});
  EXPECT_EQ(whole.n_unknowns, (2u * 3 + 3) * (6 + 3 + 1));
  EXPECT_EQ(whole.training->events.size(), 3u);
  EXPECT_LT(whole.error.relative_l2(), 1e-2);
  // The loss goes on where it was: the new functions are the old ones.
  double before = 0;
  for (const HistoryEntry& h : whole.training->history) {
    if (h.step == 10) before = h.loss;
    if (h.step == 11) {
      EXPECT_LT(h.loss, 2 * before);
    }
  }
  const TemporaryFolder folder;
  for (const std::uint64_t at : {3u, 14u, 30u}) {
    StopAfter stop(at);
    RunOptions options{.threads = 1,
                       .progress = &stop,
                       .checkpoint = folder / "run.bin",
                       .checkpoint_seconds = 1e9};
    EXPECT_TRUE(solve(p, method, options).interrupted) << at;
    options.progress = nullptr;
    EXPECT_EQ(solve(p, method, options).training->parameters, whole.training->parameters) << at;
    std::filesystem::remove(folder / "run.bin");
  }
  save_solution(folder / "solution.bin", whole);
  const Solution loaded = load_solution(folder / "solution.bin", p, method, 1);
  const std::vector<Expr> wanted{u, d(u, x)};
  const std::vector<double> points{0.1, 0.2, 0.9, -0.7};
  EXPECT_EQ(loaded.evaluate(wanted, points), whole.evaluate(wanted, points));
}

TEST(GridCurriculum, GridsThatMovedAreExportedAndStartedFrom) {
  const auto problem = std::make_shared<const Problem>(rod(sin(pi * x)));
  Pinn method = with(Kan{.hidden = {3}, .grid = 5}, 10);
  method.points = {.interior = 60};
  method.rules.curriculum = GridCurriculum{.grids = {2}, .uniform = 0.2};
  const Solution s = solve(*problem, method, {.threads = 1});
  const std::map<std::string, Array> arrays = parameter_arrays(s);
  ASSERT_TRUE(arrays.contains("knots"));
  const Array& knots = arrays.at("knots");
  EXPECT_EQ(knots.shape, (std::vector<std::size_t>{1 + 3, 5 + 1}));
  const double equal = knots.values[0] + (knots.values[5] - knots.values[0]) / 5;
  EXPECT_GT(std::abs(knots.values[1] - equal), 1e-3) << "quantiles are no equal intervals here";

  const TemporaryFolder folder;
  write_npz(folder / "rod.npz", arrays);
  save_solution(folder / "solution.bin", s);
  const std::vector<double> points{0.05, 0.3, 0.77};
  for (const char* file : {"rod.npz", "solution.bin"}) {
    Pinn next = with(Kan{.hidden = {3}, .grid = 5}, 1);
    next.start = (folder / file).string();
    const detail::PinnAssembly pinn(problem, detail::with_grids_of_start(next));
    const detail::PinnField field(pinn.evaluator({.threads = 1}), detail::first_parameters(pinn));
    std::vector<double> values(3);
    field.evaluate(std::vector<Expr>{u}, points, values);
    EXPECT_EQ(values, s("u", points)) << file;
    EXPECT_EQ(message_of([&] { (void)prepare(*problem, next); }), "no error") << file;
    next.network = Kan{.hidden = {4}, .grid = 5};
    EXPECT_NE(message_of([&] { (void)prepare(*problem, next); }), "no error") << file;
  }
  std::map<std::string, Array> flat = arrays;
  flat["knots"] = Array::list(knots.values);
  write_npz(folder / "flat.npz", flat);
  Pinn wrong = with(Kan{.hidden = {3}, .grid = 5}, 1);
  wrong.start = (folder / "flat.npz").string();
  EXPECT_NE(message_of([&] { (void)prepare(*problem, wrong); }).find("'knots'"), std::string::npos);
  // Grids that did not move follow from the options.
  method.rules.curriculum = {};
  EXPECT_FALSE(parameter_arrays(solve(*problem, method, {.threads = 1})).contains("knots"));
}

TEST(GridCurriculum, SaysWhatItNeeds) {
  const auto message = [](const Network& network, const GridCurriculum& rule, bool separate) {
    Pinn method = with(network, 1);
    method.rules.curriculum = rule;
    method.separate = separate;
    return message_of([&] { (void)prepare(rod(1), method); });
  };
  EXPECT_NE(message(Mlp{}, {.grids = {3}}, false).find("'mlp' has no grid"), std::string::npos);
  EXPECT_NE(message(Kan{}, {}, false).find("grids that come first"), std::string::npos);
  EXPECT_NE(message(Kan{}, {.grids = {2.5}}, false).find("whole numbers"), std::string::npos);
  EXPECT_NE(message(Kan{}, {.grids = {3}}, true).find("here are several"), std::string::npos);
  EXPECT_EQ(message(Kan{}, {.grids = {3}}, false), "no error");
}

TEST(Formula, OfARodIsItsSolution) {
  // -u'' = 2 on (0, 1): u = x (1 - x), one edge of a network without hidden layers.
  Problem p = rod(2);
  const Pinn method = with(Kan{.hidden = {}, .grid = 3}, 30);
  const Solution s = solve(p, method, {.threads = 1});
  const auto found = formulas_of(p, method, s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(found[0].r2, 0.999999);
  for (const double at : {0.2, 0.7}) {
    Values values;
    values.set(x, at);
    EXPECT_NEAR(evaluate(found[0].formula, values), at * (1 - at), 1e-3);
    EXPECT_NEAR(evaluate(d(found[0].formula, x, x), values), -2, 0.05);
  }
  const Pinn other = with(Mlp{.width = 4, .depth = 1}, 2);
  EXPECT_NE(message_of([&] {
              return formulas_of(p, other, solve(p, other, {.threads = 1})).size();
            }).find("no Kolmogorov-Arnold network"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_pinn_kan
