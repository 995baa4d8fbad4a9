#include <cauchy/engine/plan.hpp>

#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

#include "support/random_graph.hpp"

namespace cauchy::test_plan {
namespace {

using test::random_graph;
using ::testing::HasSubstr;
using Mode = Plan<double>::Mode;

std::shared_ptr<Graph> two_layers() {
  auto g = std::make_shared<Graph>(std::vector<std::string>{"t", "x"});
  g->output("u", g->affine(g->activation(g->affine(g->coordinates(), 8), Activation::tanh), 1));
  return g;
}

/// Runs a plan on owners instead of numbers: every element of the arena remembers which value or
/// adjoint was written last, and every read checks that it finds what the operation needs.
class Replay final {
 public:
  explicit Replay(const Plan<double>& plan)
      : plan_(plan), owner_(plan.arena_size(), nobody), has_adjoint_(plan.graph().ops().size()) {}

  void run() {
    for (const auto& step : plan_.steps()) {
      const Operation& op = plan_.op(step);
      write(value_of(step.op), step.value, step.op);
      if (plan_.on_coordinates(op)) continue;
      // After the write: an output on top of an input would show here, too.
      for (const int x : op.inputs) read_value(x, "forward");
    }
    for (const auto& output : plan_.graph().outputs()) {
      read_value(output.value, "residual");
      if (plan_.adjoint(output.value) >= 0) write_adjoint(output.value);
    }
    for (const auto& output : plan_.graph().outputs()) read_value(output.value, "residual");
    if (plan_.mode() == Mode::forward) return;
    for (auto step = plan_.steps().rbegin(); step != plan_.steps().rend(); ++step) {
      if (step->adjoint >= 0) backward(*step);
    }
  }

 private:
  static constexpr int nobody = -1;
  static int value_of(int op) { return 2 * op; }
  static int adjoint_of(int op) { return 2 * op + 1; }

  void write(int who, std::ptrdiff_t offset, int op) {
    ASSERT_GE(offset, 0);
    ASSERT_LE(static_cast<std::size_t>(offset) + plan_.extent(op), owner_.size());
    std::fill_n(owner_.begin() + offset, plan_.extent(op), who);
  }
  void read(int who, std::ptrdiff_t offset, int op, const std::string& when) {
    ASSERT_GE(offset, 0) << when << ", operation " << op;
    for (std::size_t i = 0; i < plan_.extent(op); ++i) {
      ASSERT_EQ(owner_[static_cast<std::size_t>(offset) + i], who) << when << ", operation " << op;
    }
  }
  void read_value(int op, const std::string& when) {
    read(value_of(op), plan_.value(op), op, when);
  }
  void read_adjoint(int op, const std::string& when) {
    read(adjoint_of(op), plan_.adjoint(op), op, when);
  }
  void write_adjoint(int op) {
    write(adjoint_of(op), plan_.adjoint(op), op);
    has_adjoint_[static_cast<std::size_t>(op)] = true;
  }

  void backward(const Plan<double>::Step& step) {
    const Operation& op = plan_.op(step);
    read_adjoint(step.op, "backward of its own");
    if (plan_.on_coordinates(op)) return;
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
      const int x = op.inputs[k];
      if (plan_.adjoint(x) < 0) continue;
      // Adding needs something there; writing must not wipe out the part of another user.
      ASSERT_EQ(step.accumulate[k], has_adjoint_[static_cast<std::size_t>(x)]) << "operation " << x;
      if (step.accumulate[k]) {
        read_adjoint(x, "accumulate");
      } else {
        write_adjoint(x);
      }
    }
    // What the rules read, after the writes that go with them.
    read_adjoint(step.op, "backward of its own, after writing");
    const bool reads_inputs = op.code == OpCode::affine || op.code == OpCode::activation ||
                              op.code == OpCode::scale || op.code == OpCode::multiply ||
                              op.code == OpCode::divide || op.code == OpCode::basis;
    if (reads_inputs) {
      for (const int x : op.inputs) read_value(x, "backward");
    }
    if (op.code == OpCode::divide || op.code == OpCode::activation) read_value(step.op, "backward");
  }

  const Plan<double>& plan_;
  std::vector<int> owner_;
  std::vector<bool> has_adjoint_;
};

TEST(Plan, LiveBuffersOfRandomGraphsNeverOverlap) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto graph = random_graph(seed, 3 + static_cast<int>(seed) % 20);
    for (const Mode mode : {Mode::forward, Mode::backward}) {
      Replay(Plan<double>(graph, JetSpec(2), 1, mode)).run();
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Plan, SharesMemoryOfValuesThatAreNoLongerNeeded) {
  auto g = std::make_shared<Graph>(std::vector<std::string>{"x"});
  int h = g->affine(g->coordinates(), 16);
  for (int i = 0; i < 10; ++i) h = g->affine(h, 16);
  g->output("u", h);
  const Plan<double> plan(g, JetSpec(1), 8, Mode::forward);
  EXPECT_EQ(plan.arena_size(), 2 * plan.extent(h));  // ping and pong
}

TEST(Plan, LeavesOutWhatNoOutputNeeds) {
  auto g = two_layers();
  g->affine(g->coordinates(), 100);
  const Plan<double> plan(g, JetSpec(2), 4, Mode::backward);
  // Two affine operations and a tanh; the coordinates are read from the points.
  ASSERT_EQ(plan.steps().size(), 3u);
  EXPECT_TRUE(plan.on_coordinates(plan.op(plan.steps()[0])));
  EXPECT_FALSE(plan.on_coordinates(plan.op(plan.steps()[2])));
}

TEST(Plan, GivesNoAdjointToWhatHoldsNoParameter) {
  auto g = std::make_shared<Graph>(std::vector<std::string>{"x"});
  g->constant("k", 1);
  const int fixed = g->expression({sin(Coordinate("x"))});
  const int unknown = g->expression({Parameter("k") * Coordinate("x")});
  g->output("u", g->add(g->activation(fixed, Activation::tanh), unknown));
  const Plan<double> plan(g, JetSpec(1), 4, Mode::backward);
  EXPECT_LT(plan.adjoint(fixed), 0);
  EXPECT_LT(plan.adjoint(fixed + 2), 0);  // tanh of it
  EXPECT_GE(plan.adjoint(unknown), 0);
  EXPECT_EQ(plan.expression(fixed).gradients, nullptr);
  EXPECT_NE(plan.expression(unknown).gradients, nullptr);
  EXPECT_EQ(plan.constants(), (std::vector<std::ptrdiff_t>{0}));
}

TEST(Plan, CountsMatrixFlops) {
  // Layer on coordinates 2 -> 8: 2 * 16 per point. Layer 8 -> 1: 2 * 8 per column, 4 components.
  const std::vector<JetSpec::Orders> burgers{{1, 0}, {0, 2}};
  const Plan<double> forward(two_layers(), JetSpec(2, burgers), 10, Mode::forward);
  EXPECT_EQ(forward.flops(), 2 * 16 * 10 + 2 * 8 * 4 * 10);
  const Plan<double> both(two_layers(), JetSpec(2, burgers), 10, Mode::backward);
  EXPECT_EQ(both.flops(), 2 * (2 * 16 * 10) + 3 * (2 * 8 * 4 * 10));
}

TEST(Plan, FixedNumbersCostNoParameterSweepAndGroupsOnlyTheirBlocks) {
  const std::vector<JetSpec::Orders> burgers{{1, 0}, {0, 2}};
  auto g = std::make_shared<Graph>(std::vector<std::string>{"t", "x"});
  const int direct = g->fixed_affine(g->coordinates(), std::vector<double>(2 * 6, 1.0));
  const int grouped = g->grouped_affine(direct, 3, 9);
  g->output("u", g->fixed_affine(grouped, std::vector<double>(9, 1.0)));
  const Plan<double> plan(g, JetSpec(2, burgers), 10, Mode::backward);
  // Values only; values and adjoints of 9 x 2 weights; values and adjoints of the input.
  EXPECT_EQ(plan.flops(), 2 * 12 * 10 + 2 * (2 * 18 * 40) + 2 * (2 * 9 * 40));
  EXPECT_LT(plan.adjoint(direct), 0);
  EXPECT_GE(plan.adjoint(grouped), 0);
  EXPECT_EQ(plan.n_fixed(), 2u * 12 + 6 + 2 * 9 + 1);
  EXPECT_THAT(plan.describe(), HasSubstr("parameters 27 in 3 groups"));
  EXPECT_THAT(plan.describe(), HasSubstr("fixed numbers 18"));
}

TEST(Plan, DescribesOperationsShapesFlopsAndBytes) {
  const std::vector<JetSpec::Orders> burgers{{1, 0}, {0, 2}};
  const Plan<float> plan(two_layers(), JetSpec(2, burgers), 16, Plan<float>::Mode::backward);
  const std::string text = plan.describe();
  EXPECT_THAT(text, HasSubstr("16 points per block, 4 components (u, u_t, u_x, u_xx)"));
  EXPECT_THAT(text, HasSubstr("affine"));
  EXPECT_THAT(text, HasSubstr("activation"));
  EXPECT_THAT(text, HasSubstr("parameters 24"));
  EXPECT_THAT(text, HasSubstr("adjoint at"));
  EXPECT_THAT(text, HasSubstr(std::to_string(plan.arena_size() * sizeof(float)) + " bytes"));
  EXPECT_THAT(text, HasSubstr("flops"));
}

TEST(Plan, PutsNumbersInPlaceOfKnownParameters) {
  auto g = std::make_shared<Graph>(std::vector<std::string>{"x"});
  g->output("u", g->expression({Parameter("a") * Coordinate("x")}));
  EXPECT_THROW(Plan<double>(g, JetSpec(1), 4, Mode::forward), Error);
  const Plan<double> plan(g, JetSpec(1), 4, Mode::forward, {{"a", 2.0}});
  EXPECT_TRUE(same(plan.expression(0).values->spec().outputs[0], 2 * Coordinate("x")));
}

// Formulas of walls are derived and compiled for seconds; blocks and outputs do not change them.
TEST(Plan, SharesTheProgramsOfAPlanWithAnotherBlock) {
  Graph g({"x"});
  const int wall = g.expression({sin(Coordinate("x"))});
  g.output("u", g.multiply(wall, g.affine(g.coordinates(), 1)));
  g.output("v", wall);
  const auto graph = std::make_shared<const Graph>(std::move(g));
  const Plan<double> first(graph, JetSpec(1), 8, Mode::backward);
  const Plan<double> block(graph, JetSpec(1), 64, Mode::backward, {}, {}, &first);
  EXPECT_EQ(&block.expression(wall), &first.expression(wall));
  EXPECT_EQ(block.program_workspace(), first.program_workspace());
  const Plan<double> own(graph, JetSpec(1), 64, Mode::backward);
  EXPECT_NE(&own.expression(wall), &first.expression(wall));
  // Of other jets the derivatives: the same formulas.
  const std::vector<JetSpec::Orders> two{{2}};
  const Plan<double> beside(graph, JetSpec(1, two), 8, Mode::backward, {}, {}, &first);
  const Plan<double> alone(graph, JetSpec(1, two), 8, Mode::backward);
  const auto& shared = beside.expression(wall).values->spec().outputs;
  const auto& derived = alone.expression(wall).values->spec().outputs;
  ASSERT_EQ(shared.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_TRUE(same(shared[c], derived[c])) << c;
  EXPECT_TRUE(same(shared[2], -sin(Coordinate("x"))));
}

TEST(Plan, RefusesWhatCannotRun) {
  const auto no_outputs = std::make_shared<Graph>(std::vector<std::string>{"x"});
  EXPECT_THROW(Plan<double>(no_outputs, JetSpec(1), 4, Mode::forward), Error);
  EXPECT_THROW(Plan<double>(nullptr, JetSpec(1), 4, Mode::forward), Error);
  EXPECT_THROW(Plan<double>(two_layers(), JetSpec(2), 0, Mode::forward), Error);
  EXPECT_THROW(Plan<double>(two_layers(), JetSpec(3), 4, Mode::forward), Error);
}

}  // namespace
}  // namespace cauchy::test_plan
