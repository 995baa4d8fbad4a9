// Rules that spoil the loss at a given step: they are switched off, the run goes on from the best
// finite point and says so, and it is the same run when it is resumed.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_rule_set {
namespace {

constexpr std::uint64_t bad_step = 5, n_steps = 24;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double huge = 1.5e308;  // finite, but not times the loss of sharp_rod()

/// Residuals of about 1e4, and a place where they are infinite.
Problem sharp_rod() {
  const Coordinate x("x");
  return rod(1e4 * sin(pi * x) + 1e-6 / (x - 0.3));
}

Pinn method_of(const std::string& optimizer) {
  Pinn m;
  m.network = Mlp{.width = 6, .depth = 1};
  m.points = {.interior = 20, .boundary = 2};
  m.scale = false;
  m.stages = parse_stages(optimizer + " " + std::to_string(n_steps));
  return m;
}

/// Its factors are 1 before the step where they become bad.
class BadBalancer final : public Balancer {
 public:
  explicit BadBalancer(double bad, bool combines = false) : bad_(bad), combines_(combines) {}
  bool update(TrainingLoss& loss, const TrainingStep& step) override {
    if (step.step != bad_step - 1) return false;
    done_ = true;
    apply(loss);
    return true;
  }
  void save(TrainingState& state) const override { state.numbers["done"] = done_ ? 1 : 0; }
  void restore(const TrainingState& state, TrainingLoss& loss) override {
    done_ = state.numbers.at("done") != 0;
    if (done_) apply(loss);
  }

 private:
  void apply(TrainingLoss& loss) const {
    if (!combines_) return loss.weigh(0, bad_, WeightLayer::balancer);
    loss.combine([bad = bad_](std::span<const double>, std::span<double> g, std::span<double>) {
      std::ranges::fill(g, bad);
      return 1.0;
    });
  }
  double bad_;
  bool combines_, done_ = false;
};

class BadWeights final : public PointWeights {
 public:
  explicit BadWeights(double bad) : bad_(bad) {}
  bool update(TrainingLoss&, const TrainingPoints& points, const TrainingStep& step,
              bool moved) override {
    const bool now = step.step == bad_step - 1;
    done_ = done_ || now;
    if (now || moved) apply(points);
    return now;
  }
  [[nodiscard]] std::span<const double> factors(std::size_t term) const override {
    return term == 0 ? std::span<const double>(factors_) : std::span<const double>();
  }
  void save(TrainingState& state) const override { state.numbers["done"] = done_ ? 1 : 0; }
  void restore(const TrainingState& state, const TrainingPoints& points) override {
    done_ = state.numbers.at("done") != 0;
    apply(points);
  }

 private:
  void apply(const TrainingPoints& points) {
    factors_.assign(points[0].size(), 2.0);
    if (done_) factors_.back() = bad_;
  }
  double bad_;
  bool done_ = false;
  std::vector<double> factors_;
};

/// All points of the equation go to one place.
class BadScheme final : public PointScheme {
 public:
  explicit BadScheme(double bad) : bad_(bad) {}
  bool update(TrainingPoints& points, TrainingLoss&, const TrainingStep& step) override {
    if (step.step != bad_step - 1) return false;
    done_ = true;
    apply(points);
    return true;
  }
  void save(TrainingState& state) const override { state.numbers["done"] = done_ ? 1 : 0; }
  void restore(const TrainingState& state, TrainingPoints& points) override {
    done_ = state.numbers.at("done") != 0;
    if (done_) apply(points);
  }

 private:
  void apply(TrainingPoints& points) const {
    Points moved = points[0];
    for (double& at : moved.values) at = bad_;
    points.set(0, std::move(moved));
  }
  double bad_;
  bool done_ = false;
};

CustomBalancer balancer(double bad, bool combines = false) {
  return {[=] { return std::make_unique<BadBalancer>(bad, combines); }, "steep"};
}
CustomPointWeights weights(double bad) {
  return {[=] { return std::make_unique<BadWeights>(bad); }, "loud"};
}
CustomPointScheme scheme(double bad) {
  return {[=] { return std::make_unique<BadScheme>(bad); }, "blind"};
}

struct Spoiled {
  std::string name;
  TrainingRules rules;
  std::string sentence;
  bool first_order_only = false;
};
void PrintTo(const Spoiled& s, std::ostream* out) { *out << s.name; }

const std::string refused_factor =
    " gave a factor that is negative or not finite at step 5 and "
    "was switched off";
const std::string made = " made the loss infinite at step 5 and was switched off";

const std::vector<Spoiled>& spoiled() {
  static const std::vector<Spoiled> all = {
      {"BalancerNan", {.balancer = balancer(nan)}, "the balancer 'steep'" + refused_factor},
      {"BalancerNegative", {.balancer = balancer(-1)}, "the balancer 'steep'" + refused_factor},
      {"BalancerHuge", {.balancer = balancer(huge)}, "the balancer 'steep'" + made},
      {"CombinationNan",
       {.balancer = balancer(nan, true)},
       "the balancer 'steep' made the gradient NaN at step 5 and was switched off",
       true},
      {"WeightsNan",
       {.point_weights = {weights(nan)}},
       "the point weights 'loud'" + refused_factor},
      {"WeightsHuge", {.point_weights = {weights(huge)}}, "the point weights 'loud'" + made},
      {"WeightsHugeBesideABalancer",
       {.balancer = balancer(0.5), .point_weights = {weights(1), weights(huge)}},
       "the point weights 'loud'" + made},
      {"SchemeNan",
       {.point_scheme = scheme(nan)},
       "the scheme of points 'blind' gave points or factors that are no numbers at step 5 and was "
       "switched off"},
      {"SchemeSingular",
       {.point_scheme = scheme(0.3)},
       "the scheme of points 'blind' made the loss NaN at step 5 and was switched off"},
      {"Two",
       {.balancer = balancer(huge), .point_weights = {weights(huge)}},
       "the balancer 'steep' and the point weights 'loud' made the loss infinite at step 5 and "
       "were "
       "switched off"},
  };
  return all;
}

class SpoiledRuns : public ::testing::TestWithParam<Spoiled> {};
INSTANTIATE_TEST_SUITE_P(Rules, SpoiledRuns, ::testing::ValuesIn(spoiled()),
                         [](const auto& test) { return test.param.name; });

TEST_P(SpoiledRuns, GoOnWithoutTheRuleAndToTheSameBitsWhenResumed) {
  const Spoiled& test = GetParam();
  for (const char* optimizer : {"adam", "ssbroyden", "levenberg_marquardt"}) {
    if (test.first_order_only && std::string(optimizer) != "adam") continue;
    Pinn method = method_of(optimizer);
    method.rules = test.rules;
    const Solution whole = solve(sharp_rod(), method, {.threads = 1, .history_every = 1});
    ASSERT_FALSE(whole.findings.empty()) << optimizer;
    EXPECT_EQ(whole.findings[0], test.sentence) << optimizer;
    ASSERT_EQ(whole.training->events.size(), 1u) << optimizer;
    EXPECT_EQ(whole.training->events[0].text, test.sentence) << optimizer;
    EXPECT_EQ(whole.training->events[0].step, bad_step) << optimizer;
    EXPECT_GT(whole.training->steps, bad_step) << optimizer << " goes on";
    EXPECT_NE(whole.grade, Grade::diverged) << optimizer;
    const auto& history = whole.training->history;
    for (const HistoryEntry& h : history) EXPECT_TRUE(std::isfinite(h.loss)) << optimizer;
    EXPECT_LT(history.back().loss, history[bad_step + 1].loss) << optimizer;

    const TemporaryFolder folder;
    for (const std::uint64_t at : {bad_step - 1, bad_step, bad_step + 1}) {
      StopAfter stop(at);
      RunOptions options{.threads = 1,
                         .progress = &stop,
                         .checkpoint = folder / "run.bin",
                         .checkpoint_seconds = 1e9};
      EXPECT_TRUE(solve(sharp_rod(), method, options).interrupted) << optimizer;
      options.progress = nullptr;
      const Solution rest = solve(sharp_rod(), method, options);
      EXPECT_EQ(rest.training->parameters, whole.training->parameters) << optimizer << at;
      EXPECT_EQ(rest.findings, whole.findings) << optimizer << at;
      EXPECT_EQ(rest.training->events.size(), 1u) << optimizer << at;
      std::filesystem::remove(folder / "run.bin");
    }
  }
}

TEST(RuleSet, IsTheRunWithoutTheRuleAfterwards) {
  // A scheme that goes wrong before the first step leaves nothing behind.
  class Early final : public PointScheme {
    bool update(TrainingPoints& points, TrainingLoss&, const TrainingStep& step) override {
      if (step.step > 0) return false;
      Points moved = points[0];
      moved.values[3] = nan;
      points.set(0, std::move(moved));
      return true;
    }
    void save(TrainingState&) const override {}
    void restore(const TrainingState&, TrainingPoints&) override {}
  };
  Pinn method = method_of("ssbroyden");
  const Solution plain = solve(sharp_rod(), method, {.threads = 1});
  method.rules.point_scheme = CustomPointScheme{[] { return std::make_unique<Early>(); }};
  EXPECT_EQ(solve(sharp_rod(), method, {.threads = 1}).training->parameters,
            plain.training->parameters);
}

TEST(RuleSet, DoesNotBlameRulesForAnOptimizerThatDiverges) {
  Pinn method = method_of("gradient_descent");
  method.stages[0] = parse_stages("gradient_descent 50 learning_rate=1e9")[0];
  method.rules.point_weights = {weights(1)};
  const Solution s = solve(sharp_rod(), method, {.threads = 1});
  ASSERT_FALSE(s.findings.empty());
  EXPECT_TRUE(s.findings[0].starts_with("gradient_descent ended at step ")) << s.findings[0];
  EXPECT_TRUE(s.training->events.empty());
}

TEST(RuleSet, LetsAnErrorOfARulePass) {
  class Throws final : public Balancer {
    bool update(TrainingLoss&, const TrainingStep&) override { throw Error("no", "[test]"); }
    void save(TrainingState&) const override {}
    void restore(const TrainingState&, TrainingLoss&) override {}
  };
  Pinn method = method_of("adam");
  method.rules.balancer = CustomBalancer{[] { return std::make_unique<Throws>(); }};
  EXPECT_EQ(message_of([&] { (void)solve(sharp_rod(), method); }), "[test]: no");
}

TEST(RuleSet, RefusesACheckpointOfOtherRules) {
  Pinn method = method_of("adam");
  method.rules.balancer = balancer(nan);
  const TemporaryFolder folder;
  StopAfter stop(8);
  RunOptions options{.progress = &stop, .checkpoint = folder / "run.bin"};
  (void)solve(sharp_rod(), method, options);
  Checkpoint c = load_checkpoint(folder / "run.bin");
  EXPECT_EQ(c.array("rules_off").values, (std::vector<double>{1, 0}));
  c.arrays["rules_off"] = Array::list({1});
  save_checkpoint(folder / "run.bin", c);
  options.progress = nullptr;
  EXPECT_NE(message_of([&] { (void)solve(sharp_rod(), method, options); }).find("is damaged"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_rule_set
