#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/networks/experts.hpp>
#include <cmath>

#include "networks/softmax.hpp"
#include "support/network_checks.hpp"

namespace cauchy::test_experts {
namespace {

const std::vector<std::string> one_field{"u"};
const std::vector<double> points{0.1, -0.4, 0.7, 0.2, -0.9, 0.9};

Experts two_experts() {
  return {.experts = {Mlp{.width = 3, .depth = 1}, Elm{.features = 4}},
          .gate = {Mlp{.width = 2, .depth = 1}}};
}

/// A network that does not care how many outputs are asked for.
class TwoRows final : public NetworkPlugin {
 public:
  [[nodiscard]] std::string describe() const override { return "two rows"; }
  int add(Graph& graph, int input, int) const override { return graph.affine(input, 2); }
};

TEST(Experts, HaveTheParametersOfAllExpertsAndOfTheGate) {
  const std::vector<std::string> fields{"u", "v"};
  const std::vector<std::string> names{"x", "y"};
  const std::size_t first = make_network(Mlp{.width = 3, .depth = 1}, names, fields).n_parameters();
  const std::size_t second = make_network(Elm{.features = 4}, names, fields).n_parameters();
  const std::size_t gate = (2 + 1) * 2 + (2 + 1) * 2;
  EXPECT_EQ(make_network(two_experts(), names, fields).n_parameters(), first + second + gate);
  EXPECT_EQ(describe(Network(two_experts())), "2 experts (3 x 1 tanh; 4 random sin features)");
}

TEST(Experts, AloneAreTheNetworkItself) {
  const Mlp mlp{.width = 4, .depth = 2};
  const test::TriedNetwork plain(mlp, {"x", "y"}, one_field);
  const test::TriedNetwork alone(Experts{.experts = {mlp}, .gate = {}}, {"x", "y"}, one_field);
  ASSERT_EQ(plain.theta, alone.theta);  // no gate
  EXPECT_EQ(plain.values({Field("u")}, points), alone.values({Field("u")}, points));
}

TEST(Experts, AreWeighedByGatesThatAddUpToOne) {
  Graph g({"x", "y"});
  const ExpertValues values = add_experts(g, two_experts(), g.coordinates(), 2);
  g.output("u", values.mixture, 0);
  g.output("v", values.mixture, 1);
  for (int i = 0; i < 2; ++i) {
    const std::string n = std::to_string(i + 1);
    g.output("gate" + n, values.gates, i);
    g.output("u" + n, values.experts[static_cast<std::size_t>(i)], 0);
    g.output("v" + n, values.experts[static_cast<std::size_t>(i)], 1);
  }
  const test::TriedNetwork tried(std::move(g));
  const Field gate1("gate1"), gate2("gate2");
  const Coordinate x("x");
  for (const double zero : tried.values({gate1 + gate2 - 1, d(gate1 + gate2, x, x),
                                         gate1 * Field("u1") + gate2 * Field("u2") - Field("u"),
                                         gate1 * Field("v1") + gate2 * Field("v2") - Field("v")},
                                        points)) {
    EXPECT_NEAR(zero, 0, 1e-13);
  }
  for (const double lambda : tried.values({gate1, gate2}, points)) {
    EXPECT_GT(lambda, 0);
    EXPECT_LT(lambda, 1);
  }
}

TEST(Experts, GradientIsThatOfDifferences) { test::expect_gradient_of_differences(two_experts()); }

TEST(Experts, RefuseWhatIsNoMixture) {
  const auto make = [](const Experts& e) { (void)make_network(e, {"x", "y"}, one_field); };
  EXPECT_THROW(make({}), Error);
  EXPECT_THROW(make({.experts = {Mlp{}}, .gate = {Mlp{}, Mlp{}}}), Error);
  EXPECT_THROW(make({.experts = {Mlp{}}, .gate = {}, .sparsity = -1}), Error);
  EXPECT_THROW(make({.experts = {Mlp{}}, .gate = {}, .power = 1}), Error);
  const CustomNetwork stubborn{std::make_shared<const TwoRows>()};
  EXPECT_THROW(make({.experts = {Mlp{}, stubborn}, .gate = {}}), Error);
  EXPECT_THROW(make({.experts = {Mlp{}, Mlp{}, Mlp{}}, .gate = {stubborn}}), Error);
  EXPECT_THROW(make({.experts = {Mlp{.width = 0}}, .gate = {}}), Error);
}

TEST(Softmax, IsExactSafeAndSmoothForAnyNumbers) {
  // Rows c_i x: far apart, equal, and beyond the range of the exponential.
  for (const double size : {1.0, 30.0, 2000.0}) {
    Graph g({"x"});
    const Coordinate x("x");
    const int rows = g.expression({size * x, -size * x, 0.5 * size * x, 0.25 * size * x});
    const int weights = detail::softmax(g, rows, 2);  // row 0 with row 2, row 1 with row 3
    for (int i = 0; i < 4; ++i) g.output("w" + std::to_string(i), weights, i);
    const test::TriedNetwork tried(std::move(g));
    const std::vector<Expr> what{Field("w0"), Field("w1"), Field("w2"), Field("w3"),
                                 d(Field("w0"), x)};
    const std::vector<double> w = tried.values(what, std::vector<double>{0.75});
    const double a = 0.75 * size * 0.5, b = 0.75 * size * -1.25;
    EXPECT_NEAR(w[0], 1 / (1 + std::exp(-a)), 1e-12) << size;
    EXPECT_NEAR(w[1], 1 / (1 + std::exp(-b)), 1e-12) << size;
    EXPECT_NEAR(w[0] + w[2], 1, 1e-12);
    EXPECT_NEAR(w[1] + w[3], 1, 1e-12);
    EXPECT_NEAR(w[4], 0.5 * size * w[0] * w[2], 1e-12 * size);
  }
  Graph g({"x", "y", "z"});
  EXPECT_THROW((void)detail::softmax(g, g.coordinates(), 2), Error);
}

}  // namespace
}  // namespace cauchy::test_experts
