// The sequential loss of a Pinnsformer: equations and boundary conditions hold for every token.
#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/engine/host_executor.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/pinn_sequence.hpp"
#include "support/message_of.hpp"
#include "support/pinn_cases.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn_sequence {
namespace {

using namespace pinn_cases;

constexpr std::size_t n_tokens = 3;

/// Time from 0 to 4, which the network sees in units of 2: tokens are 0.1 apart.
Problem forced_bar() {
  Problem p = heat();
  p.domain = Interval(x, -1, 1) * Time(t, 0, 4);
  p.equation = {d(u, t) == d(u, x, x) / 4 + t * x};
  p.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == t)};
  return p;
}

Pinn sequential() {
  Pinn m = small();
  m.network = Pinnsformer{.width = 4,
                          .heads = 2,
                          .feedforward = 3,
                          .sequence = static_cast<int>(n_tokens),
                          .step = 0.05,
                          .sequential = true};
  m.stages = {{AdamOptions{.learning_rate = 1e-2}, 20}};
  return m;
}

TEST(SequentialLoss, IsTheMeanOverTheTokensAtTheirTimes) {
  const Problem p = forced_bar();
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), sequential());
  const std::vector<double> theta =
      initial_parameters(pinn.graph->parameters(), Rng(2), pinn.method.initialize);
  const auto executor = make_executor(pinn.graph, detail::engine_terms(pinn.loss), {.threads = 1});
  // What the tokens answer, point by point.
  HostExecutor<double> tokens(pinn.graph, {});
  const std::vector<std::string> names{"u", "u#t1", "u#t2"};
  double total = 0;
  for (std::size_t i = 0; i < pinn.loss.terms.size(); ++i) {
    const detail::PinnTerm& term = pinn.loss.terms[i];
    const bool initial = term.kind == PointSource::Kind::initial;
    const bool equation = term.kind == PointSource::Kind::equation;
    const std::size_t k = initial ? 1 : n_tokens;
    ASSERT_EQ(term.term.residuals.size(), k) << term.term.name;
    const Points points = term.draw(term.n, pinn.method.points.sampler);
    detail::set_term_points(*executor, i, p, term, points);
    std::vector<double> got(points.size() * k);
    executor->residuals(i, theta, got);
    double mean = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const Field own(names[j]);
      const std::vector<Expr> of{own, d(own, t), d(own, x, x)};
      std::vector<double> v(points.size() * 3);
      tokens.predict(of, theta, points.values, v);
      for (std::size_t q = 0; q < points.size(); ++q) {
        const double time = points.row(q)[0] + 0.1 * static_cast<double>(j), at = points.row(q)[1];
        double want = v[3 * q] - time;
        if (initial) want = v[3 * q] - std::cos(pi * at / 2);
        if (equation) want = v[3 * q + 1] - v[3 * q + 2] / 4 - time * at;
        want /= term.size;
        EXPECT_NEAR(got[q * k + j], want, 1e-12 * (1 + std::abs(want))) << term.term.name << j;
        mean += want * want / static_cast<double>(points.size() * k);
      }
    }
    total += mean * (equation ? 1 : pinn.method.condition_weight);
  }
  EXPECT_NEAR(executor->loss(theta), total, 1e-12 * total);
}

TEST(SequentialLoss, KeepsHardConditionsAtTheTimesOfTokens) {
  Problem p = forced_bar();
  for (Condition& c : p.condition) c.hard = true;
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), sequential());
  const std::vector<double> theta =
      initial_parameters(pinn.graph->parameters(), Rng(2), pinn.method.initialize);
  HostExecutor<double> tokens(pinn.graph, {});
  const std::vector<Expr> of{u, Field("u#t1"), Field("u#t2")};
  std::vector<double> v(3);
  tokens.predict(of, theta, std::vector<double>{1.5, -1}, v);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(v[j], 1.5 + 0.1 * static_cast<double>(j), 1e-12);
}

TEST(SequentialLoss, TrainsAndIsLoadedAsTheFirstToken) {
  const Problem p = forced_bar();
  const Solution s = solve(p, sequential(), {.threads = 1});
  EXPECT_LT(s.training->history.back().loss, s.training->history.front().loss);
  EXPECT_TRUE(s.model->parts().empty());
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", p, sequential());
  EXPECT_EQ(again("u", {0.3, 0.2}), s("u", {0.3, 0.2}));
  // The same parameters without the option are the same answer.
  Pinn first = sequential();
  std::get<Pinnsformer>(first.network).sequential = false;
  EXPECT_EQ(load_solution(folder / "solution.bin", p, first)("u", {0.3, 0.2}), s("u", {0.3, 0.2}));
}

TEST(SequentialLoss, IsRefusedWhereTokensHaveNoTimes) {
  const auto message = [](const Problem& p, const Pinn& m) {
    return message_of([&] { (void)prepare(p, m); });
  };
  EXPECT_NE(message(rod(1), sequential()).find("is not the time"), std::string::npos);
  Pinn other = sequential();
  std::get<Pinnsformer>(other.network).time = 1;
  EXPECT_NE(message(forced_bar(), other).find("is not the time"), std::string::npos);
  Pinn pieces = sequential();
  pieces.decompose = {"x = 0"};
  EXPECT_NE(message(forced_bar(), pieces).find("no pieces"), std::string::npos);
  Pinn wound = sequential();
  wound.periodic = {{.coordinate = "t", .period = 8}};
  EXPECT_NE(message(forced_bar(), wound).find("cosines and sines"), std::string::npos);
  EXPECT_EQ(message(forced_bar(), sequential()), "no error");
}

}  // namespace
}  // namespace cauchy::test_pinn_sequence
