// A method, a network, a balancer and a scheme of points that the library does not have, each from
// outside of it in less than 40 lines.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>

#include <gtest/gtest.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/io/option_text.hpp>

#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_plugins {
namespace {

const Coordinate x("x");
const Field u("u");

/// -u'' = pi^2 sin(pi x), with its solution.
Problem rod() {
  Problem p = rod(pi * pi * sin(pi * x));
  p.reference.formulas["u"] = sin(pi * x);
  return p;
}

Pinn small() {
  Pinn m;
  m.network = Mlp{.width = 8, .depth = 1};
  m.points = {.interior = 40, .boundary = 2};
  m.stages = {{AdamOptions{}, 30}, {LbfgsOptions{}, 30}};
  return m;
}

// --- a method: the answer is guessed as c sin(pi x), and c found at the middle ---

class SineField final : public FieldModel {
 public:
  explicit SineField(double c) : c_(c) {}
  std::string_view kind() const noexcept override { return "sine"; }
  void save(Checkpoint& checkpoint) const override { checkpoint.arrays["c"] = Array::list({c_}); }
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double at = points[i / expressions.size()];
      Values values;
      const double sine = c_ * std::sin(pi * at);
      values.set(x, at).set(u, sine).set(d(u, x, x), -pi * pi * sine);
      out[i] = cauchy::evaluate(expressions[i % expressions.size()], values);
    }
  }

 private:
  double c_;
};
class SineMethod final : public MethodPlugin {
  struct Prepared final : PreparedMethod {
    using PreparedMethod::PreparedMethod;
    MethodCost cost() const override { return {.method = "sine", .unknowns = 1}; }
    Answer run(const RunOptions&) override {
      Answer answer;
      answer.solution.method = "sine";
      answer.solution.n_unknowns = 1;
      answer.solution.model = std::make_shared<SineField>(1.0);
      return answer;
    }
  };

 public:
  std::string describe() const override { return "sine"; }
  std::unique_ptr<PreparedMethod> prepare(std::shared_ptr<const Problem> problem,
                                          int) const override {
    return std::make_unique<Prepared>(std::move(problem));
  }
  std::shared_ptr<const FieldModel> load(const Checkpoint& c, const Problem&, int) const override {
    return std::make_shared<SineField>(c.array("c").values.at(0));
  }
};

// --- a method that needs more memory than there is ---

struct HungryMethod final : PreparedMethod {
  HungryMethod(double b, bool r)
      : PreparedMethod(std::make_shared<Problem>(rod())), bytes(b), runs(r) {}
  MethodCost cost() const override {
    return {.method = "hungry", .unknowns = 1, .bytes = bytes, .less = "eat less"};
  }
  Answer run(const RunOptions&) override {
    EXPECT_TRUE(runs);
    throw std::bad_alloc();
  }
  double bytes;
  bool runs;
};

TEST(Plugins, AMethodWithoutMemoryIsRefusedBeforeItRunsAndAtTheLatestInIt) {
  HungryMethod before(1e18, false), during(1e3, true);
  const std::string first = message_of([&] { (void)solve(before); });
  EXPECT_TRUE(first.starts_with("the run would take 1 EB of memory, ")) << first;
  EXPECT_TRUE(first.ends_with(" are free; eat less")) << first;
  EXPECT_EQ(message_of([&] { (void)solve(during); }),
            "the system gave no more memory to the run, which needs about 1 kB; eat less");
}

TEST(Plugins, AMethodIsSolvedGradedSavedAndLoaded) {
  const Method method = CustomMethod{std::make_shared<SineMethod>()};
  EXPECT_EQ(estimate_cost(rod(), method).unknowns, 1u);
  const Solution s = solve(rod(), method);
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_LT(s.error.relative_l2(), 1e-15);
  EXPECT_FALSE(s.training);
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", rod(), method);
  EXPECT_EQ(again("u", std::vector<double>{0.3}), s("u", std::vector<double>{0.3}));
  EXPECT_NE(message_of([&] {
              (void)load_solution(folder / "solution.bin", rod(), Pinn{});
            }).find("a field of kind 'sine', which pinn does not make"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)solve_restarts(rod(), method, 2); }).find("sine has no seed"),
            std::string::npos);
  Problem unknown = rod();
  unknown.reference = {};
  EXPECT_EQ(solve(unknown, method).grade, Grade::unverified) << "nothing contradicts the answer";
  unknown.reference.formulas["u"] = 2 * sin(pi * x);
  EXPECT_EQ(solve(unknown, method).grade, Grade::suspicious) << "half of the reference";
  // A file cannot name it: what is written is refused when it is read.
  EXPECT_NE(message_of([&] {
              (void)parse_problem_file(to_toml({rod(), method}), "p");
            }).find("unknown method 'custom: sine'"),
            std::string::npos);
}

// --- a method that refines for ever: c comes nearer from level to level ---

class RefiningMethod final : public MethodPlugin {
  struct Prepared final : PreparedMethod {
    using PreparedMethod::PreparedMethod;
    MethodCost cost() const override { return {.method = "refining", .unknowns = 1}; }
    std::vector<LevelCost> levels() const override { return levels_; }
    Answer run(const RunOptions& options) override {
      const RunLimit limit = begin_limit(options);
      const LimitScope deep(limit);
      levels_.clear();
      Answer answer;
      answer.solution.method = "refining";
      double c = 0;
      try {
        for (int level = 0;; ++level) {
          const Work before = work_of_thread();
          for (int i = 0; i < 1 << level; ++i) {
            count_work(WorkKind::pieces, 1e6);
            ask_limit("the level");
          }
          c = (1 + c) / 2;
          levels_.push_back({.method = "refining", .counted = work_of_thread().since(before)});
        }
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::interrupted) throw;
        answer.solution.interrupted = limit.end() == RunLimit::End::asked;
      }
      answer.solution.model = std::make_shared<SineField>(c);
      return answer;
    }
    std::vector<LevelCost> levels_;
  };

 public:
  std::string describe() const override { return "refining"; }
  std::unique_ptr<PreparedMethod> prepare(std::shared_ptr<const Problem> problem,
                                          int) const override {
    return std::make_unique<Prepared>(std::move(problem));
  }
  std::shared_ptr<const FieldModel> load(const Checkpoint& c, const Problem&, int) const override {
    return std::make_shared<SineField>(c.array("c").values.at(0));
  }
};

bool told_of_seconds(const Solution& s) {
  return std::any_of(s.findings.begin(), s.findings.end(), [](const std::string& f) {
    return f.find("decided about this answer") != std::string::npos;
  });
}

TEST(Plugins, AMethodEndsWithItsLimitAndTellsItsLevels) {
  const Method method = CustomMethod{std::make_shared<RefiningMethod>()};
  // Seconds: the clock goes on at each look alone, so that the levels are the same everywhere.
  {
    const TurnedClock stepped(0, 0.01);
    const auto prepared = prepare(rod(), method);
    const Solution s = solve(*prepared, {.threads = 1, .max_seconds = 2});
    EXPECT_TRUE(told_of_seconds(s));
    ASSERT_GT(prepared->levels().size(), 3u);
    EXPECT_LT(prepared->levels().size(), 9u) << "2 s are 200 looks, and a level doubles them";
    EXPECT_EQ(prepared->levels()[2].counted.of(WorkKind::pieces), 4'000'000u);
    const double left = std::pow(0.5, static_cast<double>(prepared->levels().size()));
    EXPECT_NEAR(s.error.relative_l2(), left, 1e-12) << "the answer is that of the last level";
  }
  // Counted work of a plan: the clock decides nothing.
  std::vector<std::size_t> levels;
  for (const double speed : {0.0, 1e4}) {
    const TurnedClock turned(speed);
    const auto prepared = prepare(rod(), method);
    const Solution s = solve(*prepared, {.threads = 1, .limit = RunLimit().with_work(0.5)});
    EXPECT_FALSE(told_of_seconds(s));
    levels.push_back(prepared->levels().size());
  }
  EXPECT_GT(levels[0], 1u);
  EXPECT_EQ(levels[0], levels[1]);
  // A wish to stop: at the first look.
  StopAfter stop(0);
  stop.update({});
  const auto prepared = prepare(rod(), method);
  EXPECT_TRUE(solve(*prepared, {.threads = 1, .progress = &stop}).interrupted);
  EXPECT_TRUE(prepared->levels().empty());
}

// --- a network: u = A sin(W x + b), the sines given directly ---

class RidgeNetwork final : public NetworkPlugin {
 public:
  std::string describe() const override { return "ridge 12"; }
  int add(Graph& graph, int input, int n_outputs) const override {
    return graph.affine(graph.activation(graph.affine(input, 12), Activation::sin), n_outputs,
                        false);
  }
};

TEST(Plugins, ANetworkIsTrainedAndLoaded) {
  Pinn method = small();
  method.network = CustomNetwork{std::make_shared<RidgeNetwork>()};
  method.stages = {{AdamOptions{}, 200}, {LbfgsOptions{}, 300}};
  const Solution s = solve(rod(), method);
  EXPECT_EQ(s.method, "pinn, ridge 12, 36 parameters");
  EXPECT_LT(s.error.relative_l2(), 1e-3);
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", rod(), method);
  EXPECT_EQ(again("u_x", std::vector<double>{0.3}), s("u_x", std::vector<double>{0.3}));
}

// --- a balancer: the weight of the boundary doubles every ten steps ---

class Doubling final : public Balancer {
 public:
  bool update(TrainingLoss& loss, const TrainingStep& step) override {
    if (step.step % 10 != 0) return false;
    loss.executor().set_weight(1, weight_ *= 2);
    return true;
  }
  void save(TrainingState& state) const override { state.arrays["weight"] = {weight_}; }
  void restore(const TrainingState& state, TrainingLoss& loss) override {
    weight_ = state.arrays.at("weight").at(0);
    loss.executor().set_weight(1, weight_);
  }

 private:
  double weight_ = 1;
};

// --- a scheme of points: all points of the equation creep to the right ---

class Creeping final : public PointScheme {
 public:
  bool update(TrainingPoints& points, TrainingLoss&, const TrainingStep& step) override {
    if (step.step % 7 != 0) return false;
    ++moves_;
    place(points);
    return true;
  }
  void save(TrainingState& state) const override { state.numbers["moves"] = moves_; }
  void restore(const TrainingState& state, TrainingPoints& points) override {
    moves_ = state.numbers.at("moves");
    if (moves_ > 0) place(points);
  }

 private:
  void place(TrainingPoints& points) const {
    Points moved = points.source(0).draw(points.source(0).n, points.settings().sampler);
    for (double& at : moved.values) at = std::fmod(at + 0.01 * static_cast<double>(moves_), 1.0);
    points.set(0, std::move(moved));
  }
  std::uint64_t moves_ = 0;
};

TEST(Plugins, RulesOfATrainingActAndSurviveAResume) {
  Pinn plain = small(), ruled = small();
  ruled.rules.balancer = CustomBalancer{[] { return std::make_unique<Doubling>(); }};
  ruled.rules.point_scheme = CustomPointScheme{[] { return std::make_unique<Creeping>(); }};
  const Solution without = solve(rod(), plain), whole = solve(rod(), ruled);
  EXPECT_NE(whole.training->parameters, without.training->parameters);
  const auto& points = whole.training->points;
  EXPECT_NE(points.begin()->second.values, without.training->points.begin()->second.values);
  const TemporaryFolder folder;
  for (const std::uint64_t at :
       {std::uint64_t{5}, std::uint64_t{21}, std::uint64_t{30}, std::uint64_t{44}}) {
    RunOptions options{.checkpoint = folder / "run.bin", .checkpoint_seconds = 1e9};
    StopAfter stop(at);
    options.progress = &stop;
    EXPECT_TRUE(solve(rod(), ruled, options).interrupted);
    options.progress = nullptr;
    const Solution rest = solve(rod(), ruled, options);
    EXPECT_EQ(rest.training->parameters, whole.training->parameters) << at;
    EXPECT_EQ(rest.training->history.back().loss, whole.training->history.back().loss) << at;
    std::filesystem::remove(folder / "run.bin");
  }
}

// --- the other two rules: weights of points, and a curriculum ---

class LeftHalf final : public PointWeights {
 public:
  bool update(TrainingLoss&, const TrainingPoints& points, const TrainingStep&,
              bool moved) override {
    if (set_ && !moved) return false;
    apply(points);
    return set_ = true;
  }
  [[nodiscard]] std::span<const double> factors(std::size_t term) const override {
    return term == 0 ? std::span<const double>(weights_) : std::span<const double>{};
  }
  void save(TrainingState& state) const override { state.numbers["set"] = set_ ? 1 : 0; }
  void restore(const TrainingState& state, const TrainingPoints& points) override {
    set_ = state.numbers.at("set") != 0;
    if (set_) apply(points);
  }

 private:
  void apply(const TrainingPoints& points) {
    const auto weight = [&](std::size_t row) { return points[0].values[row] < 0.5 ? 1.0 : 0.0; };
    weights_.clear();
    for (const std::size_t row : points.rows(0)) weights_.push_back(weight(row));
    for (std::size_t i = 0; points.rows(0).empty() && i < points[0].size(); ++i) {
      weights_.push_back(weight(i));
    }
  }
  std::vector<double> weights_;
  bool set_ = false;
};

class BoundaryFirst final : public Curriculum {
 public:
  bool begin_stage(std::size_t stage, TrainingLoss& loss, TrainingPoints&) override {
    loss.weigh(0, stage == 0 ? 0 : 1, WeightLayer::curriculum);
    return true;
  }
  void save(TrainingState&) const override {}
  void restore(const TrainingState&) override {}
};

TEST(Plugins, AllRulesTogetherWithBatchesSurviveAResume) {
  Pinn method = small();
  method.points.batch = 16;
  method.points.redraw = 9;
  method.rules = {CustomBalancer{[] { return std::make_unique<Doubling>(); }},
                  {CustomPointWeights{[] { return std::make_unique<LeftHalf>(); }}},
                  RedrawPoints{},
                  CustomCurriculum{[] { return std::make_unique<BoundaryFirst>(); }}};
  const Solution whole = solve(rod(), method);
  const TemporaryFolder folder;
  for (const std::uint64_t at : {std::uint64_t{5}, std::uint64_t{9}, std::uint64_t{30},
                                 std::uint64_t{31}, std::uint64_t{44}}) {
    StopAfter stop(at);
    RunOptions options{
        .progress = &stop, .checkpoint = folder / "run.bin", .checkpoint_seconds = 1e9};
    EXPECT_TRUE(solve(rod(), method, options).interrupted);
    options.progress = nullptr;
    const Solution rest = solve(rod(), method, options);
    EXPECT_EQ(rest.training->parameters, whole.training->parameters) << at;
    EXPECT_EQ(rest.training->history.back().loss, whole.training->history.back().loss) << at;
    EXPECT_EQ(rest.grade, whole.grade) << at;
    std::filesystem::remove(folder / "run.bin");
  }
}

TEST(Plugins, WeightsOfPointsAndACurriculumChangeTheLoss) {
  Pinn method = small();
  method.rules.curriculum = CustomCurriculum{[] { return std::make_unique<BoundaryFirst>(); }};
  const Solution s = solve(rod(), method, {.history_every = 1});
  const auto& history = s.training->history;
  EXPECT_EQ(history[20].terms[0], 0) << "the first stage sees the boundary alone";
  EXPECT_GT(history[40].terms[0], 0);

  method = small();
  method.rules.point_weights = {CustomPointWeights{[] { return std::make_unique<LeftHalf>(); }}};
  const Solution left = solve(rod(), method), all = solve(rod(), small());
  EXPECT_NE(left.training->parameters, all.training->parameters);
}

TEST(Plugins, WithoutAnObjectSayWhatIsMissing) {
  Pinn method = small();
  method.rules.balancer = CustomBalancer{};
  EXPECT_NE(message_of([&] { (void)solve(rod(), method); }).find("the plug-in makes nothing"),
            std::string::npos);
  method = small();
  method.network = CustomNetwork{};
  EXPECT_NE(message_of([&] { (void)solve(rod(), method); }).find("the network has no plug-in"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)solve(rod(), CustomMethod{}); }).find("has no plug-in"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_plugins
