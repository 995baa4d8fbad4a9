// Runs that are sabotaged on purpose: something that the answer needs is taken away, or hidden from
// the training. The loss of such a run is small; the grade looks at the problem itself, at fresh
// points and without any weights, and must not be deceived.
#include <string>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/method.hpp>

namespace cauchy::test_sabotaged_runs {
namespace {

const std::string rod = R"toml(
fields = ["u"]
tolerance = 1e-2
[domain]
space = { x = [0, 1] }
[[equation]]
form = "u_xx = -10*sin(3*x)"
[[condition]]
name = "ends"
where = "boundary"
form = "u = x"
)toml";
const std::string rod_reference = R"toml(
[reference]
u = "10/9*sin(3*x) + (1 - 10/9*sin(3))*x"
)toml";

/// u' = -k u from two values of exp(-t): k = 1.
std::string decay(const std::string& truth) {
  return R"toml(
fields = ["u"]
tolerance = 1e-2
[domain]
time = { t = [0, 1] }
[unknown]
k = { initial = 0.5, truth = )toml" +
         truth + R"toml( }
[[equation]]
form = "u_t = -k*u"
[[condition]]
where = "t = 0"
form = "u = 1"
[[condition]]
point = { t = 1 }
form = "u = 0.36787944117144233"
[reference]
u = "exp(-t)"
)toml";
}

Pinn small_pinn() {
  Pinn m;
  m.network = Mlp{.width = 12, .depth = 2};
  m.points = {.interior = 200, .boundary = 20, .initial = 20};
  m.stages = parse_stages("adam 200, ssbroyden 300");
  return m;
}

/// The default recipe, cut short.
Auto short_auto() { return {.stages = parse_stages("adam 50, ssbroyden 100")}; }

Solution solved(const std::string& text, const Method& method) {
  return solve(parse_problem_file(text, "sabotage.toml").problem, method, {.threads = 1});
}

std::string told(const Solution& s) {
  std::string all = std::string(to_string(s.grade)) + "\n";
  for (const std::string& f : s.findings) all += f + "\n";
  for (const std::string& w : s.warnings) all += w + "\n";
  return all;
}

/// Neither converged nor "nothing contradicts the answer".
void expect_caught(const Solution& s, const std::string& sentence) {
  EXPECT_NE(s.grade, Grade::converged) << told(s);
  EXPECT_NE(s.grade, Grade::unverified) << told(s);
  EXPECT_NE(told(s).find(sentence), std::string::npos) << sentence << " in\n" << told(s);
}

TEST(SabotagedRuns, WithoutSabotageAreGood) {
  EXPECT_EQ(solved(rod + rod_reference, small_pinn()).grade, Grade::converged);
  EXPECT_EQ(solved(rod, small_pinn()).grade, Grade::unverified);
  EXPECT_EQ(solved(decay("1"), small_pinn()).grade, Grade::converged);
  EXPECT_EQ(solved(decay("1"), short_auto()).grade, Grade::converged);
}

TEST(SabotagedRuns, AMissingCondition) {
  std::string open = rod;
  open.replace(open.find("\"boundary\""), 10, "\"left\"");
  for (const Method& method : {Method(small_pinn()), Method(short_auto())}) {
    expect_caught(solved(open, method), "no condition on 50 % of the boundary (right)");
    // One of many solutions is found, which is not the one of the reference.
    expect_caught(solved(open + rod_reference, method), "relative L2 error");
  }
}

TEST(SabotagedRuns, TooFewPoints) {
  Pinn method = small_pinn();
  method.points.interior = 2;
  expect_caught(solved(rod, method), "holds on the training points");
  expect_caught(solved(rod + rod_reference, method), "holds on the training points");
}

TEST(SabotagedRuns, AWrongConstant) {
  for (const Method& method : {Method(small_pinn()), Method(short_auto())}) {
    expect_caught(solved(decay("1.2"), method), "'k'");
    std::string wrong = rod + rod_reference;  // an equation that is not that of the reference
    wrong.replace(wrong.find("-10*"), 4, "-11*");
    expect_caught(solved(wrong, method), "relative L2 error");
  }
}

/// Weighs one term with next to nothing.
class HidesATerm final : public Balancer {
 public:
  explicit HidesATerm(std::size_t term) : term_(term) {}
  bool update(TrainingLoss& loss, const TrainingStep& step) override {
    if (step.step > 0) return false;
    loss.weigh(term_, 1e-30, WeightLayer::balancer);
    return true;
  }
  void save(TrainingState&) const override {}
  void restore(const TrainingState&, TrainingLoss& loss) override {
    loss.weigh(term_, 1e-30, WeightLayer::balancer);
  }

 private:
  std::size_t term_;
};

TEST(SabotagedRuns, ABalancerThatHidesATerm) {
  Pinn method = small_pinn();
  const auto hide = [&](std::size_t term) {
    method.rules.balancer = CustomBalancer{[=] { return std::make_unique<HidesATerm>(term); }};
  };
  hide(1);
  Solution s = solved(rod, method);
  EXPECT_LT(s.training->loss(), 1e-4) << "the training is content";
  expect_caught(s, "'ends'");
  expect_caught(solved(rod + rod_reference, method), "'ends'");
  hide(0);
  s = solved(rod, method);
  EXPECT_LT(s.training->loss(), 1e-4);
  expect_caught(s, "'u_xx = ");
}

/// Sees the left part of the domain alone.
class HidesARegion final : public PointWeights {
 public:
  bool update(TrainingLoss&, const TrainingPoints& points, const TrainingStep& step,
              bool moved) override {
    if (step.step > 0 && !moved) return false;
    factors_.clear();
    for (const double x : points[0].values) factors_.push_back(x < 0.6 ? 1.0 : 0.0);
    return true;
  }
  [[nodiscard]] std::span<const double> factors(std::size_t term) const override {
    return term == 0 ? std::span<const double>(factors_) : std::span<const double>();
  }
  void save(TrainingState&) const override {}
  void restore(const TrainingState&, const TrainingPoints&) override {}

 private:
  std::vector<double> factors_;
};

TEST(SabotagedRuns, PointWeightsThatHideARegion) {
  Pinn method = small_pinn();
  method.rules.point_weights = {
      CustomPointWeights{[] { return std::make_unique<HidesARegion>(); }}};
  const Solution s = solved(rod, method);
  EXPECT_LT(s.training->loss(), 1e-4) << "the training is content";
  expect_caught(s, "'u_xx = ");
  for (const TermCheck& check : s.checks) {
    if (check.kind == TermCheck::Kind::equation) {
      EXPECT_GT(check.where.at(0), 0.6) << "the worst residual is where nobody looked";
    }
  }
  // A smooth network guesses the rest to 6e-3: within the tolerance of the file, and said so.
  std::string strict = rod + rod_reference;
  strict.replace(strict.find("1e-2"), 4, "1e-3");
  EXPECT_EQ(solved(strict, small_pinn()).grade, Grade::converged);
  expect_caught(solved(strict, method), "relative L2 error");
}

}  // namespace
}  // namespace cauchy::test_sabotaged_runs
