#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/networks/field_network.hpp>

#include "files/option_reader.hpp"
#include "support/field_checks.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_field_network {
namespace {

using test::TriedField;
using test::unit_cloud;
using test::unit_grid;

/// A small network of every kind, with other options than the defaults.
struct FieldCase {
  std::string name;
  FieldNetwork tiny;
  std::string description;
};
std::ostream& operator<<(std::ostream& out, const FieldCase& c) { return out << c.name; }

std::vector<FieldCase> field_cases() {
  return {
      {"fno", Fno{.width = 3, .depth = 2, .modes = {2}, .projection = 4},
       "FNO of width 3, 2 layers, 2 modes"},
      {"fno",
       Fno{.width = 3,
           .depth = 2,
           .modes = {2},
           .lifting = 4,
           .projection = 0,
           .padding = 0,
           .skip = FnoSkip::identity,
           .local = 3,
           .separable = true},
       "FNO of width 3, 2 layers, 2 modes, separable, convolutions of 3 points"},
      {"fno",
       Fno{.width = 4,
           .depth = 1,
           .modes = {2},
           .projection = 3,
           .activation = Activation::wavelet,
           .skip = FnoSkip::none,
           .factorization = FnoFactorization::tucker,
           .rank = 2},
       "FNO of width 4, 1 layers, 2 modes, Tucker rank 2"},
      {"fno",
       Fno{.width = 2,
           .depth = 2,
           .modes = {2},
           .projection = 3,
           .coordinates = false,
           .factorization = FnoFactorization::cp,
           .rank = 3},
       "FNO of width 2, 2 layers, 2 modes, CP rank 3"},
      {"cnn", Cnn{.width = 3, .depth = 2, .activation = Activation::tanh},
       "CNN of width 3, 2 convolutions of 3 points"},
      {"cnn", Cnn{.width = 2, .depth = 1, .levels = 1},
       "CNN of width 2, 1 convolutions of 3 points, 1 levels"},
      {"resnet", Resnet{.width = 4, .blocks = 1, .groups = 2}, "ResNet of width 4, 1 blocks"},
      {"unet", Unet{.width = 2, .levels = 1, .groups = 2}, "U-Net of width 2, 1 levels"},
      {"unet", Unet{.width = 2, .levels = 2, .groups = 0, .coordinates = false},
       "U-Net of width 2, 2 levels"},
      {"afno",
       Afno{.width = 4, .depth = 2, .patch = {2}, .blocks = 2, .sparsity = 1e-4, .hidden = 5},
       "AFNO of width 4, 2 layers, patches of 2 points"},
      {"low_rank", LowRankOperator{.width = 3, .depth = 2, .rank = 2, .kernel_width = 4},
       "low-rank operator of width 3, 2 layers, rank 2"},
      {"kernel",
       KernelOperator{.family = KernelFamily::f1,
                      .width = 3,
                      .depth = 2,
                      .kernel_width = 4,
                      .samples = 5,
                      .projection = 3},
       "kernel operator: f1 kernels, width 3, 2 layers, 5 samples"},
      {"kernel",
       KernelOperator{.family = KernelFamily::f3,
                      .form = KernelForm::matrix,
                      .width = 2,
                      .depth = 2,
                      .kernel_width = 3,
                      .kernel_depth = 1,
                      .samples = 0,
                      .projection = 3},
       "kernel operator: f3 kernels (matrices), width 2, 2 layers"},
      {"gno",
       GraphOperator{.width = 3, .depth = 2, .kernel_width = 4, .radius = 0.4, .neighbours = 4},
       "graph operator: f2 kernels, width 3, 2 layers, radius 0.4"},
      {"multipole",
       MultipoleOperator{.width = 2,
                         .cycles = 1,
                         .samples = 6,
                         .radius = 0.3,
                         .neighbours = 4,
                         .kernel_width = 3,
                         .projection = 3},
       "multipole operator of width 2, 1 cycles over 2 coarser levels of 6"},
      {"attention",
       AttentionOperator{.width = 4, .depth = 2, .heads = 2, .positions = 1, .projection = 3},
       "attention operator of width 4, 2 layers, 2 heads"},
      {"attention",
       AttentionOperator{
           .width = 3, .depth = 1, .heads = 1, .positions = 0, .samples = 4, .projection = 3},
       "attention operator of width 3, 1 layers, 1 heads, 4 keys"},
      {"transformer",
       Transformer{.width = 4, .depth = 2, .heads = 2, .patch = {1}, .hidden = 5, .positions = 1},
       "transformer of width 4, 2 layers, 2 heads"},
  };
}

class EveryFieldNetwork : public ::testing::TestWithParam<FieldCase> {};

TEST_P(EveryFieldNetwork, HasTheGradientOfDifferencesOnGridsOfOneToThreeAxes) {
  for (const std::vector<int>& sizes : {std::vector<int>{8}, {8, 4}, {4, 4, 4}}) {
    SCOPED_TRACE(sizes.size());
    test::expect_gradient_by_differences(GetParam().tiny, unit_grid(sizes, false));
  }
  FieldGrid mixed = unit_grid({8, 4}, false);  // one axis periodic, a box of another size
  mixed.axes[0] = {.name = "t", .n = 8, .lower = -3, .upper = 5, .periodic = true};
  test::expect_gradient_by_differences(GetParam().tiny, mixed);
}

TEST_P(EveryFieldNetwork, WorksOnCloudsOrSaysThatItDoesNot) {
  const FieldGrid cloud = unit_cloud(9);
  if (entry_of(GetParam().tiny).cloud) {
    test::expect_gradient_by_differences(GetParam().tiny, cloud);
    return;
  }
  const std::string message = message_of([&] { return TriedField(GetParam().tiny, cloud); });
  EXPECT_NE(message.find("this network needs a grid, not a cloud of points"), std::string::npos)
      << message;
}

TEST_P(EveryFieldNetwork, HasTheSameParametersOnEveryGrid) {
  ASSERT_TRUE(entry_of(GetParam().tiny).any_grid);
  const FieldGrid coarse = unit_grid({8, 8}, false), fine = coarse.resized({16, 12});
  const TriedField small(GetParam().tiny, coarse, 2, 3), large(GetParam().tiny, fine, 2, 3);
  EXPECT_EQ(small.graph->shape(small.out), (TensorShape{3, {8, 8}}));
  EXPECT_EQ(large.graph->shape(large.out), (TensorShape{3, {16, 12}}));
  const std::vector<ParameterBlock>&a = small.graph->parameters(), &b = large.graph->parameters();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].size(), b[i].size()) << a[i].name;
  }
  EXPECT_EQ(small.theta, large.theta);
}

TEST_P(EveryFieldNetwork, TakesSamplesOneByOne) {
  const FieldGrid grid = unit_grid({8, 4}, false);
  const TriedField tried(GetParam().tiny, grid, 2, 1);
  std::vector<double> two(2 * 2 * grid.n_points());
  Rng(3).fill_normal(two);
  const std::vector<double> both = tried.values(two);
  const std::vector<double> second = tried.values({two.begin() + 64, two.end()});
  EXPECT_EQ(test::largest_difference(std::span(both).last(grid.n_points()), second), 0);
  EXPECT_GT(test::largest_difference(std::span(both).first(grid.n_points()), second), 1e-4);
}

/// Loss and gradient of three samples, one after the other.
std::vector<double> trained(const FieldNetwork& network, const FieldGrid& grid,
                            const TensorExecutorOptions& options) {
  int loss = -1;
  const TriedField tried({2, grid.sizes()}, [&](TensorGraph& g, int a) {
    return loss = test::mean_square(g, add_field_network(g, network, a, grid, 2));
  });
  const auto executor = make_tensor_executor(tried.graph, {{"loss", loss, 1}}, options);
  std::vector<double> a(3 * 2 * grid.n_points()), result(tried.theta.size() + 1);
  Rng(3).fill_normal(a);
  executor->set_batch(3, std::vector<std::span<const double>>{a});
  result.back() = executor->gradient(tried.theta, std::span(result).first(tried.theta.size()));
  return result;
}

TEST_P(EveryFieldNetwork, HasOneGradientOnAllBackendsPrecisionsAndThreads) {
  const FieldGrid grid = unit_grid({8, 4}, false);
  const std::vector<double> plain = trained(GetParam().tiny, grid, test::plain_f64);
  const double size = test::largest(plain);
  const auto of = [&](Precision precision, int threads) {
    return trained(GetParam().tiny, grid, {.threads = threads, .precision = precision});
  };
  // Sums of some hundred numbers in another order.
  EXPECT_LT(test::largest_difference(of(Precision::f64, 1), plain), 1e-12 * size);
  EXPECT_LT(test::largest_difference(of(Precision::f32, 1), plain), 1e-3 * size);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(of(Precision::f32, threads), of(Precision::f32, 1));
    EXPECT_EQ(of(Precision::f64, threads), of(Precision::f64, 1));
  }
}

TEST(FieldNetworks, DropOutInGradientsAlone) {
  const FieldGrid grid = unit_grid({8}, true);
  for (const double rate : {0.0, 0.4}) {
    for (const FieldNetwork& network :
         {FieldNetwork(Fno{.width = 4, .depth = 2, .modes = {2}, .projection = 4, .dropout = rate}),
          FieldNetwork(Afno{.width = 4, .patch = {2}, .blocks = 2, .hidden = 6, .dropout = rate}),
          FieldNetwork(Transformer{.width = 4, .heads = 2, .hidden = 6, .dropout = rate})}) {
      int loss = -1;
      const TriedField tried({1, {8}}, [&](TensorGraph& g, int a) {
        return loss = test::mean_square(g, add_field_network(g, network, a, grid, 1));
      });
      const auto executor = make_tensor_executor(tried.graph, {{"loss", loss, 1}}, test::plain_f64);
      const std::vector<double> a{0.1, 1, -0.3, 2, 0.4, 0, 1, -1};
      executor->set_batch(1, std::vector<std::span<const double>>{a});
      std::vector<double> first(tried.theta.size()), second(first), again(first);
      executor->set_step(1);
      executor->gradient(tried.theta, first);
      executor->set_step(2);
      executor->gradient(tried.theta, second);
      executor->set_step(1);
      executor->gradient(tried.theta, again);
      EXPECT_EQ(first, again);
      EXPECT_EQ(first == second, rate == 0);
      EXPECT_EQ(tried.values(a), tried.values(a));
    }
  }
}

TEST_P(EveryFieldNetwork, DescribesItself) {
  EXPECT_EQ(describe(GetParam().tiny), GetParam().description);
  EXPECT_EQ(entry_of(GetParam().tiny).name, GetParam().name);
}

TEST_P(EveryFieldNetwork, IsWrittenAndReadBack) {
  const std::string text = option_text("network", GetParam().tiny);
  EXPECT_NE(text, option_text("network", entry_of(GetParam().tiny).options));
  auto source = std::make_shared<detail::TomlSource>();
  FieldNetwork again;
  detail::read_options(detail::parse_toml(text, source), "[network]", again);
  EXPECT_EQ(option_text("network", again), text);
  EXPECT_EQ(describe(again), GetParam().description);
}

INSTANTIATE_TEST_SUITE_P(Fields, EveryFieldNetwork, ::testing::ValuesIn(field_cases()));

TEST(FieldNetworks, AreAllTried) {
  for (const FieldNetworkEntry& entry : all_field_networks()) {
    if (entry.sphere) continue;  // test_spherical.cpp
    bool tried = false;
    for (const FieldCase& c : field_cases()) tried = tried || c.name == entry.name;
    EXPECT_TRUE(tried) << entry.name;
    EXPECT_FALSE(entry.description.empty());
  }
}

TEST(FieldNetworks, BuildWithTheirDefaultsOnUsualGrids) {
  for (const FieldNetworkEntry& entry : all_field_networks()) {
    if (entry.sphere) continue;
    SCOPED_TRACE(entry.name);
    // Pairs of points are too many for a test on a larger grid.
    const FieldGrid grid = unit_grid({32, 32}, false);
    TensorGraph graph;
    const int out =
        add_field_network(graph, entry.options, graph.input("a", {1, {32, 32}}), grid, 1);
    EXPECT_EQ(graph.shape(out), (TensorShape{1, {32, 32}}));
    EXPECT_GT(graph.n_parameters(), 1000u);
    EXPECT_GT(graph.flops(), 1e6);
  }
}

TEST(FieldNetworks, RefuseUnknownKindsWithTheNearestName) {
  auto source = std::make_shared<detail::TomlSource>();
  FieldNetwork network;
  const auto read = [&](const std::string& text) {
    return message_of([&] {
      detail::read_options(detail::parse_toml(text, source), "[network]", network);
      return 0;
    });
  };
  const std::string unknown = read("kind = \"fmo\"");
  EXPECT_NE(unknown.find("unknown field network 'fmo'"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("'fno'"), std::string::npos) << unknown;
  EXPECT_NE(read("kind = \"fno\"\nwidth = 0").find("width"), std::string::npos);
  EXPECT_NE(read("kind = \"fno\"\nmodes = [2.5]").find("whole numbers"), std::string::npos);
  EXPECT_NE(read("kind = \"fno\"\nmodes = []").find("needs a number"), std::string::npos);
  EXPECT_NE(read("kind = \"kernel\"\nfamily = \"f4\"").find("'f4'"), std::string::npos);
}

TEST(FieldNetworks, RefuseAnInputThatDoesNotLieOnTheGrid) {
  TensorGraph graph;
  const int a = graph.input("a", {1, {8, 8}});
  const std::string message = message_of([&] {
    return add_field_network(graph, Cnn{}, a, unit_grid({8, 16}, false), 1);
  });
  EXPECT_EQ(message,
            "[networks.cnn]: the input has the shape 1 x 8 x 8, the grid is 8 x 16 on [0, 1] x "
            "[0, 1]");
}

/// Twice the input: a network from outside.
class Doubling final : public FieldNetworkPlugin {
  std::string describe() const override { return "twice the input"; }
  int add(TensorGraph& graph, int input, const FieldGrid&, int) const override {
    return graph.add(input, input);
  }
};
TEST(FieldNetworks, MayComeFromOutside) {
  const FieldNetwork network = CustomFieldNetwork{std::make_shared<Doubling>()};
  EXPECT_EQ(describe(network), "twice the input");
  const TriedField tried(network, unit_grid({4}, false));
  EXPECT_EQ(tried.values({1, 2, 3, 4}), (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(message_of([] { return describe(FieldNetwork(CustomFieldNetwork{})); }),
            "[networks]: the network has no plug-in; give it one");
}

/// Refining the grid: the answers at shared points come to rest.
TEST(FieldNetworks, OfOperatorsHaveALimitWhenTheGridIsRefined) {
  const std::vector<FieldNetwork> networks{
      Fno{.width = 4, .depth = 3, .modes = {4}, .projection = 8},
      LowRankOperator{.width = 4, .depth = 3, .rank = 2, .kernel_width = 8},
      KernelOperator{.width = 4, .depth = 3, .kernel_width = 8, .samples = 0},
      KernelOperator{.family = KernelFamily::f3, .width = 4, .kernel_width = 8, .samples = 0},
      GraphOperator{.width = 4, .depth = 3, .kernel_width = 8, .radius = 0.25, .neighbours = 0},
      AttentionOperator{.width = 4, .depth = 3, .heads = 2},
      Transformer{.width = 4, .depth = 2, .heads = 2, .hidden = 8}};
  for (const FieldNetwork& network : networks) {
    SCOPED_TRACE(describe(network));
    EXPECT_TRUE(entry_of(network).invariant);
    for (const bool periodic : {true, false}) {
      std::vector<std::vector<double>> answers;
      for (const int n : {16, 32, 64}) {
        const FieldGrid grid = unit_grid({periodic ? n : n + 1}, periodic);
        const std::vector<double> fine =
            TriedField(network, grid).values(test::sampled(grid, 1, test::smooth_wave));
        std::vector<double> shared;
        for (int i = 0; i < 16; ++i) shared.push_back(fine[static_cast<std::size_t>(i * n / 16)]);
        answers.push_back(shared);
      }
      const double first = test::largest_difference(answers[0], answers[1]),
                   second = test::largest_difference(answers[1], answers[2]);
      // First order at least, where rounding does not rule.
      EXPECT_LT(second, 0.7 * first + 1e-12) << "periodic " << periodic;
      EXPECT_LT(first, 0.5 * (test::largest(answers[2]) + 0.1)) << "periodic " << periodic;
    }
  }
}

}  // namespace
}  // namespace cauchy::test_field_network
