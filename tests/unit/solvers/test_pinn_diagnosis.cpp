// Trainings that are measured on the way: what they cost, what is told, and what is left alone.
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/report/html_report.hpp>
#include <cauchy/solvers/conservation.hpp>
#include <cauchy/solvers/learning_study.hpp>

#include "solvers/pinn/pinn_training.hpp"
#include "support/formula_field.hpp"
#include "support/pinn_cases.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn_diagnosis {
namespace {

using namespace pinn_cases;

Pinn measured(std::uint64_t steps) {
  Pinn m = small();
  m.points = {.interior = 300, .boundary = 60, .initial = 60};
  m.stages = {{AdamOptions{.learning_rate = 5e-3}, steps}};
  m.diagnose = true;
  return m;
}
const TrainingDiagnosis& diagnosis_of(const Solution& s) { return *s.training->diagnosis; }
bool tells(const Solution& s, std::string_view part) {
  for (const std::string& f : s.findings) {
    if (f.find(part) != std::string::npos) return true;
  }
  return false;
}

/// All that was measured and what it took, to the last bit.
std::string bytes_of(const Solution& s) {
  Checkpoint c;
  save_diagnosis(c, diagnosis_of(s));
  return checkpoint_bytes(c);
}

TEST(Diagnosis, LeavesTheAnswerAloneAndCostsLessThanAFifth) {
  const Solution s = solve(heat(), measured(3000), {.threads = 1});
  Pinn plain = measured(3000);
  plain.diagnose = false;
  const Solution without = solve(heat(), plain, {.threads = 1});
  EXPECT_EQ(s.training->parameters, without.training->parameters) << "the same bits";
  EXPECT_EQ(without.training->diagnosis, nullptr);
  const TrainingDiagnosis& d = diagnosis_of(s);
  EXPECT_LE(d.share, 0.2) << "of the counted work";
  EXPECT_GE(d.entries.size(), 3u);
  EXPECT_EQ(d.entries.front().step, 0u);
  EXPECT_EQ(d.entries.back().step, 3000u);
  EXPECT_EQ(d.entries.front().drift, 0);
  EXPECT_GT(d.entries.back().drift, 0.01);
  EXPECT_EQ(d.batches, 16u);
  EXPECT_EQ(d.layers.size(), 2u);
  EXPECT_GT(d.landscape.n, 0u);
  // The middle of the landscape is the answer, and lowest around it.
  const std::size_t n = d.landscape.n, middle = n * n / 2;
  EXPECT_LT(d.landscape.values[middle], 10 * s.training->loss());
  EXPECT_GT(d.landscape.values[0], 10 * d.landscape.values[middle]);
  for (const DiagnosisEntry& e : d.entries) {
    EXPECT_GT(e.snr, 0);
    for (std::size_t i = 0; i < d.terms.size(); ++i) {
      EXPECT_NEAR(e.cosines[i * d.terms.size() + i], 1, 1e-12);
      EXPECT_GT(e.traces[i], 0);
      EXPECT_GE(e.conditions[i], 1);
    }
    for (std::size_t l = 0; l < 2; ++l) {  // at most the bits of all cells
      EXPECT_LE(e.output_bits[l], e.input_bits[l] + 1e-12);
      EXPECT_LE(e.input_bits[l], 8);
    }
  }
  // The bar keeps its books: what is lost has flowed out of its ends.
  ASSERT_EQ(d.balances.size(), 1u);
  EXPECT_LT(d.balances[0].defect, 0.1);
  const std::string html = html_report(s);
  for (const char* part : {"id=\"diagnosis\"", "information plane", "landscape of the loss"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
}

TEST(Diagnosis, NamesATermThatCountsFarTooLittle) {
  for (const bool boundary : {true, false}) {
    Problem p = rod(pi * pi * sin(pi * x));
    p.condition = {on_boundary(u == 1)};
    p.reference.formulas["u"] = 1 + sin(pi * x);
    (boundary ? p.condition[0].weight : p.equation[0].weight) = 1e-8;
    Pinn m = measured(2000);
    m.points = {.interior = 100, .boundary = 2};
    const Solution s = solve(p, m, {.threads = 1});
    EXPECT_NE(s.grade, Grade::converged);
    ASSERT_FALSE(diagnosis_of(s).findings.empty());
    EXPECT_TRUE(
        tells(s, "orders of magnitude (their tangent kernels): try balancer.kind = \"ntk\""))
        << s.findings.back();
    EXPECT_TRUE(tells(s, boundary ? "'u = 1 on boundary' lags" : "' lags behind 'u = 1"))
        << s.findings.back();
  }
}

TEST(Diagnosis, IsSilentOnAProblemThatIsSolved) {
  Pinn m = measured(1500);
  m.stages.push_back({QuasiNewtonOptions{}, 300});
  const Solution s = solve(heat(), m, {.threads = 1});
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_TRUE(diagnosis_of(s).findings.empty());
  EXPECT_FALSE(tells(s, "try "));
}

TEST(Diagnosis, IsTheSameWhateverTheClockSays) {
  const std::string usual = bytes_of(solve(heat(), measured(300), {.threads = 1}));
  for (const double speed : {0.0, 1e4}) {
    const TurnedClock clock(speed);
    EXPECT_TRUE(bytes_of(solve(heat(), measured(300), {.threads = 1})) == usual) << speed;
  }
  EXPECT_TRUE(bytes_of(solve(heat(), measured(300), {.threads = 2})) == usual) << "threads";
}

TEST(Diagnosis, GoesOnAfterAnInterruptionAsIfThereWereNone) {
  Pinn m = measured(1000);
  m.points = {.interior = 600, .boundary = 60, .initial = 60, .redraw = 120};
  m.rules.balancer = NtkBalancer{.period = 150};
  m.stages.push_back({QuasiNewtonOptions{}, 100});
  RunOptions plain{.threads = 1, .history_every = 7};
  plain.error_share = INFINITY;  // work between the steps
  const Solution undisturbed = solve(heat(), m, plain);
  const std::string whole = bytes_of(undisturbed);
  EXPECT_GE(diagnosis_of(undisturbed).entries.size(), 3u);
  EXPECT_LT(diagnosis_of(undisturbed).entries.size(), 15u) << "steps of the ladder had to wait";
  for (const std::uint64_t steps : {1u, 70u, 301u, 1050u}) {
    const TemporaryFolder folder;
    StopAfter stop(steps);
    RunOptions options = plain;
    options.progress = &stop;
    options.checkpoint = folder.path() / "c.bin";
    const Solution part = solve(heat(), m, options);
    ASSERT_TRUE(part.interrupted);
    EXPECT_EQ(diagnosis_of(part).entries.front().step, 0u);
    options.progress = nullptr;
    EXPECT_TRUE(bytes_of(solve(heat(), m, options)) == whole) << "stopped after step " << steps;
  }
}

TEST(Balances, OfTheHeatedBarAreThoseOfItsExactSolution) {
  const Solution s = graded(heat(), heat().reference.formulas);
  const std::vector<BalanceHistory> all = measure_balances(s, 5);
  ASSERT_EQ(all.size(), 1u);
  const double k = pi * pi / 16;
  for (std::size_t j = 0; j < 5; ++j) {
    const double decay = std::exp(-k * all[0].times[j]);
    EXPECT_NEAR(all[0].total[j], 4 / pi * decay, 1e-10);
    EXPECT_NEAR(all[0].outflow[j], pi / 4 * decay, 1e-10) << "it leaves: positive";
    EXPECT_NEAR(all[0].rate[j], -all[0].outflow[j], 1e-10);
  }
  EXPECT_LT(all[0].defect, 1e-10);
  // Another field loses what flows nowhere.
  const Solution wrong = graded(heat(), {{"u", exp(-2 * t) * cos(pi * x / 2)}});
  EXPECT_GT(measure_balances(wrong, 5)[0].defect, 0.5);
  EXPECT_TRUE(measure_balances(graded(rod(1), {{"u", x * (1 - x) / 2}})).empty()) << "no time";
}

TEST(Contraction, IsTheMeanSquareOfTheSlopesOfTheLastHiddenLayer) {
  Pinn m = small();
  m.contraction = 0.5;
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(heat()), m);
  const detail::PinnTerm& term = pinn.loss.terms.back();
  ASSERT_EQ(term.term.name, "contraction");
  EXPECT_EQ(term.term.weight, 0.5);
  ASSERT_EQ(term.term.residuals.size(), 16u) << "8 units, 2 coordinates";
  HostExecutor<double> executor(pinn.graph, detail::engine_terms(pinn.loss), {.threads = 1});
  std::vector<double> theta = initial_parameters(pinn.graph->parameters(), Rng(3));
  const std::vector<double> point = {0.3, -0.4};
  const std::size_t number = pinn.loss.terms.size() - 1;
  for (std::size_t i = 0; i + 1 < pinn.loss.terms.size(); ++i) {
    const Points drawn = pinn.loss.terms[i].draw(4, {});
    detail::set_term_points(executor, i, heat(), pinn.loss.terms[i], drawn);
  }
  executor.set_points(number, point);
  (void)executor.loss(theta);
  // Differences of the hidden units, in units of half the domain: 0.5 of time, 1 of space.
  double square = 0;
  const double half[] = {0.5, 1}, h = 1e-5;
  for (int k = 1; k <= 8; ++k) {
    const Expr unit[] = {Field("contracted#" + std::to_string(k))};
    for (std::size_t c = 0; c < 2; ++c) {
      double values[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<double> at = point;
        at[c] += side == 0 ? -h : h;
        executor.predict(unit, theta, at, {&values[side], 1});
      }
      const double slope = half[c] * (values[1] - values[0]) / (2 * h);
      square += slope * slope;
    }
  }
  EXPECT_NEAR(executor.last_terms()[number], 0.5 * square, 1e-8 * square);
  // A strong penalty flattens the layer.
  m.stages = {{AdamOptions{.learning_rate = 1e-2}, 200}};
  m.contraction = 100;
  const Solution flat = solve(heat(), m, {.threads = 1});
  const auto& history = flat.training->history;
  const std::size_t at = flat.training->term_names.size() - 1;
  EXPECT_LT(history.back().terms[at], 0.1 * history.front().terms[at]);
  m.decompose = {"x = 0"};
  EXPECT_NE(message_of([&] { (void)prepare(heat(), m, 1); }).find("contractive"),
            std::string::npos);
}

TEST(LearningStudy, TakesRisksApart) {
  Pinn m = small();
  m.points = {.interior = 8};
  m.points.sampler.kind = SamplerKind::uniform;
  m.network = Mlp{.width = 4, .depth = 1};
  m.stages = {{AdamOptions{.learning_rate = 1e-2}, 100}, {QuasiNewtonOptions{}, 150}};
  Problem p = rod(pi * pi * sin(pi * x));
  p.condition[0].hard = true;
  p.reference.formulas["u"] = sin(pi * x);
  const auto all = learning_study(
      p, m, {.widths = {2, 8}, .points = {6, 100}, .restarts = 2, .fresh = 2000}, {.threads = 1});
  ASSERT_EQ(all.size(), 4u);
  for (const LearningResult& r : all) {
    EXPECT_LE(r.parts.risk, r.parts.bound() * (1 + 1e-12));
    EXPECT_GE(r.parts.risk, r.parts.approximation);
  }
  EXPECT_LT(all[2].parts.approximation, all[0].parts.approximation) << "wider networks do better";
  EXPECT_LT(all[3].parts.risk, all[2].parts.risk) << "so do more points";
  EXPECT_LT(all[3].error, 1e-2);
  m.network = Siren{};
  EXPECT_THROW((void)learning_study(p, m, {}), Error);
}

}  // namespace
}  // namespace cauchy::test_pinn_diagnosis
