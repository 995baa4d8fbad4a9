#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/bspline.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_kan {
namespace {

const std::vector<std::string> one_field{"u"}, two_fields{"u", "v"};
const Coordinate x("x"), y("y");
const Field u("u"), v("v");

std::size_t n_parameters(const Network& network, int n_inputs) {
  std::vector<std::string> names;
  for (int i = 0; i < n_inputs; ++i) names.push_back("x" + std::to_string(i));
  return make_network(network, names, two_fields).n_parameters();
}

std::vector<double> predicted(const Graph& graph, const std::vector<double>& theta,
                              const std::vector<Expr>& wanted, const std::vector<double>& points) {
  HostExecutor<double> executor(std::make_shared<const Graph>(graph), {{"u", {u}}}, {.threads = 1});
  std::vector<double> out(points.size() / graph.coordinate_names().size() * wanted.size());
  executor.predict(wanted, theta, points, out);
  return out;
}

std::vector<double> random_numbers(std::size_t n, std::uint64_t seed, double size = 1) {
  Rng rng(seed);
  std::vector<double> all(n);
  for (double& a : all) a = size * (2 * rng.uniform() - 1);
  return all;
}

double silu(double z) { return z / (1 + std::exp(-z)); }

TEST(Kan, HasAsManyParametersPerEdgeAsTheFormulaSays) {
  const std::size_t edges = 3 * 4 + 4 * 5 + 5 * 2;
  EXPECT_EQ(n_parameters(Kan{.hidden = {4, 5}, .grid = 7, .order = 3, .edges = true}, 3),
            edges * (7 + 3 + 2));
  EXPECT_EQ(n_parameters(Kan{.hidden = {4, 5}, .grid = 7, .order = 2}, 3), edges * (7 + 2 + 1));
  EXPECT_EQ(n_parameters(FastKan{.hidden = {4, 5}, .grid = 6}, 3), edges * 7 + 2 * (4 + 5));
  EXPECT_EQ(
      n_parameters(FastKan{.hidden = {4, 5}, .grid = 6, .base = false, .layer_norm = false}, 3),
      edges * 6);
  EXPECT_EQ(n_parameters(ChebyshevKan{.hidden = {4, 5}, .degree = 8}, 3), edges * 9);
  EXPECT_EQ(n_parameters(JacobiKan{.hidden = {4, 5}, .degree = 8, .layer_norm = true}, 3),
            edges * 9 + 2 * (4 + 5));
  EXPECT_EQ(n_parameters(Kan{.hidden = {}}, 3), 3u * 2 * 9);
}

/// y_o = sum_i (w_b silu(x_i) + w_s sum_j c_j N_j(x_i)), edge by edge, with numbers taken from
/// theta in the order: c, w_s (edges), w_b.
std::vector<double> naive_layer(const Kan& kan, std::size_t n_out, const std::vector<double>& in,
                                const double*& theta) {
  const auto splines =
      BSplineBasis::extended_uniform(static_cast<std::size_t>(kan.grid),
                                     static_cast<std::size_t>(kan.order), kan.lower, kan.upper);
  const std::size_t n_in = in.size(), m = splines.size();
  std::vector<double> out(n_out, 0.0);
  for (std::size_t o = 0; o < n_out; ++o) {
    for (std::size_t i = 0; i < n_in; ++i) {
      const std::size_t e = o * n_in + i;
      std::vector<double> values(m);
      splines.evaluate_all(in[i], MatrixView<double>(values.data(), 1, m));
      double spline = 0;
      for (std::size_t j = 0; j < m; ++j) spline += theta[e * m + j] * values[j];
      const double* after = theta + n_out * n_in * m;
      if (kan.edges) {
        spline *= after[e];
        after += n_out * n_in;
      }
      out[o] += spline + after[e] * silu(in[i]);
    }
  }
  theta += n_out * n_in * (m + (kan.edges ? 2 : 1));
  return out;
}

TEST(Kan, IsTheSumOverItsEdges) {
  const std::vector<double> points = random_numbers(20, 3);
  for (const bool edges : {false, true}) {
    const Kan kan{
        .hidden = {3}, .grid = 4, .order = 3, .lower = -1.5, .upper = 1.25, .edges = edges};
    const Graph graph = make_network(kan, {"x", "y"}, two_fields);
    const std::vector<double> theta = random_numbers(graph.n_parameters(), 5, 0.7);
    const std::vector<double> got = predicted(graph, theta, {u, v}, points);
    for (std::size_t p = 0; p < 10; ++p) {
      const double* at = theta.data();
      std::vector<double> h = naive_layer(kan, 3, {points[2 * p], points[2 * p + 1]}, at);
      h = naive_layer(kan, 2, h, at);
      EXPECT_EQ(at, theta.data() + theta.size());
      for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(got[2 * p + k], h[k], 1e-13) << p;
    }
  }
}

TEST(Kan, OneMatrixProductEqualsTheEdgesOneByOneWithDerivatives) {
  const Kan product{.hidden = {3}, .grid = 5};
  Kan edges = product;
  edges.edges = true;
  const Graph fast = make_network(product, {"x", "y"}, one_field);
  const Graph plain = make_network(edges, {"x", "y"}, one_field);
  const std::vector<double> theta = random_numbers(plain.n_parameters(), 7);
  // w_s is multiplied into c.
  std::vector<double> same(fast.n_parameters());
  const std::size_t m = 8;
  std::size_t from = 0, to = 0;
  for (const std::size_t n : {6u, 3u}) {  // edges of the layers
    for (std::size_t k = 0; k < n * m; ++k) {
      same[to + k] = theta[from + k] * theta[from + n * m + k / m];
    }
    for (std::size_t e = 0; e < n; ++e) same[to + n * m + e] = theta[from + n * (m + 1) + e];
    from += n * (m + 2);
    to += n * (m + 1);
  }
  const std::vector<Expr> wanted{u, d(u, x), d(u, x, y), d(u, y, y), d(u, x, x, y)};
  const std::vector<double> points = random_numbers(24, 9);
  const auto a = predicted(fast, same, wanted, points);
  const auto b = predicted(plain, theta, wanted, points);
  // Third derivatives of splines of width 0.4 are of size 1 / 0.4^3 and add up in 8 x 6 terms.
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-10 * (1 + std::abs(b[k])));
}

TEST(Kan, SplinesSumToOneAndReproduceStraightLines) {
  const Kan kan{.hidden = {}, .grid = 6, .order = 3};
  const Graph graph = make_network(kan, {"x", "y"}, one_field);
  const auto splines = BSplineBasis::extended_uniform(6, 3, -1, 1);
  std::vector<double> theta(graph.n_parameters(), 0.0);
  for (std::size_t j = 0; j < 9; ++j) {
    theta[j] = 1;                            // of x: partition of unity
    theta[9 + j] = 3 * splines.greville(j);  // of y: 3 y
  }
  const std::vector<double> points{-1, 1, 0.3, -0.2, 1, -1, 0.99, 0.5};
  const auto got = predicted(graph, theta, {u, d(u, x), d(u, y), d(u, y, y)}, points);
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_NEAR(got[4 * p], 1 + 3 * points[2 * p + 1], 1e-14);
    EXPECT_NEAR(got[4 * p + 1], 0, 1e-13);
    EXPECT_NEAR(got[4 * p + 2], 3, 1e-13);
    EXPECT_NEAR(got[4 * p + 3], 0, 1e-12);
  }
}

TEST(Kan, GivenKnotsThatAreEqualAreTheGrid) {
  Kan kan{.hidden = {2}, .grid = 4};
  const Graph plain = make_network(kan, {"x"}, one_field);
  for (int input = 0; input < 3; ++input) {
    for (int k = 0; k <= 4; ++k) kan.knots.push_back(-1 + 0.5 * k);
  }
  const Graph given = make_network(kan, {"x"}, one_field);
  ASSERT_EQ(plain.n_parameters(), given.n_parameters());
  const std::vector<double> theta = random_numbers(plain.n_parameters(), 2);
  const std::vector<double> points{-0.9, -0.1, 0.4, 1};
  const auto a = predicted(plain, theta, {u, d(u, x, x)}, points);
  const auto b = predicted(given, theta, {u, d(u, x, x)}, points);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12);
  kan.knots[6] += 0.1;  // of the second input
  const auto c = predicted(make_network(kan, {"x"}, one_field), theta, {u}, points);
  EXPECT_GT(std::abs(c[1] - a[2]), 1e-4);
}

TEST(Kan, StartsNearItsSiluPart) {
  const Graph graph =
      make_network(Kan{.hidden = {40}, .grid = 10, .noise = 0.2}, {"x", "y"}, two_fields);
  const auto theta = initial_parameters(graph.parameters(), Rng(1));
  for (const ParameterBlock& block : graph.parameters()) {
    double square = 0;
    for (std::ptrdiff_t k = 0; k < block.size(); ++k) {
      square += std::pow(theta[static_cast<std::size_t>(block.offset + k)], 2);
    }
    const double deviation = std::sqrt(square / static_cast<double>(block.size()));
    const bool base = block.name.starts_with("base");
    // Glorot: 2 / (inputs + outputs); five deviations of the estimate for the fewest numbers, 80.
    const double expected = base ? std::sqrt(2.0 / 42) : 0.2 / 10;
    EXPECT_NEAR(deviation / expected, 1, 5 / std::sqrt(2.0 * 80)) << block.name;
  }
  const Graph edges = make_network(Kan{.hidden = {4}, .edges = true}, {"x"}, one_field);
  const auto start = initial_parameters(edges.parameters(), Rng(1));
  for (const ParameterBlock& block : edges.parameters()) {
    if (!block.name.starts_with("spline")) continue;
    EXPECT_EQ(start[static_cast<std::size_t>(block.offset)], 1.0);
  }
}

TEST(FastKan, WithoutBaseIsARadialNetwork) {
  const FastKan kan{.hidden = {}, .grid = 5, .lower = -1, .upper = 2, .base = false};
  const Graph graph = make_network(kan, {"x", "y"}, one_field);
  const std::vector<double> theta = random_numbers(10, 4);
  const std::vector<double> points = random_numbers(12, 6);
  const auto got = predicted(graph, theta, {u, d(u, y)}, points);
  const double h = 0.75;
  for (std::size_t p = 0; p < 6; ++p) {
    double sum = 0, slope = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        const double z = (points[2 * p + i] + 1 - h * static_cast<double>(j)) / h;
        sum += theta[5 * i + j] * std::exp(-z * z);
        if (i == 1) slope += theta[5 * i + j] * -2 * z / h * std::exp(-z * z);
      }
    }
    EXPECT_NEAR(got[2 * p], sum, 1e-14);
    EXPECT_NEAR(got[2 * p + 1], slope, 1e-13);
  }
}

TEST(FastKan, LayerNormForgetsSizeAndLevelOfHiddenFeatures) {
  const FastKan kan{.hidden = {4}, .grid = 5, .base = false};
  const Graph graph = make_network(kan, {"x"}, one_field);
  std::vector<double> theta = random_numbers(graph.n_parameters(), 8);
  const std::vector<double> points{-0.7, 0.1, 0.9};
  const auto before = predicted(graph, theta, {u}, points);
  for (std::size_t k = 0; k < 20; ++k) theta[k] *= 3;  // coefficients of the first layer
  const auto after = predicted(graph, theta, {u}, points);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(after[p], before[p], 1e-4);
  theta[0] += 1;
  EXPECT_GT(std::abs(predicted(graph, theta, {u}, points)[0] - after[0]), 1e-3);
}

TEST(ChebyshevKan, TakesCosinesToCosinesOfMultiples) {
  const Graph graph = make_network(ChebyshevKan{.hidden = {}, .degree = 8}, {"x"}, one_field);
  for (std::size_t n = 0; n <= 8; ++n) {
    std::vector<double> theta(9, 0.0);
    theta[n] = 1;
    const double t[] = {0.4, 1.3, 2.5};
    std::vector<double> at;
    for (const double angle : t) at.push_back(std::atanh(std::cos(angle)));
    const auto got = predicted(graph, theta, {u}, at);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(got[k], std::cos(static_cast<double>(n) * t[k]), 1e-13) << n;
    }
  }
}

TEST(JacobiKan, WithMinusOneHalfIsChebyshevUpToFactors) {
  const Graph a = make_network(ChebyshevKan{.hidden = {2}, .degree = 5}, {"x", "y"}, one_field);
  const Graph b = make_network(JacobiKan{.hidden = {2}, .degree = 5, .a = -0.5, .b = -0.5},
                               {"x", "y"}, one_field);
  const std::vector<double> theta = random_numbers(a.n_parameters(), 1);
  std::vector<double> scaled = theta;
  // P_n = Gamma(n + 1/2) / (sqrt(pi) n!) T_n
  for (std::size_t k = 0; k < theta.size(); ++k) {
    const auto n = static_cast<double>(k % 6);
    scaled[k] /= std::exp(std::lgamma(n + 0.5) - std::lgamma(n + 1)) / std::sqrt(M_PI);
  }
  const std::vector<double> points = random_numbers(10, 2);
  const auto p = predicted(a, theta, {u, d(u, x, y)}, points);
  const auto q = predicted(b, scaled, {u, d(u, x, y)}, points);
  for (std::size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(p[k], q[k], 1e-12);
}

TEST(JacobiKan, TheSecondFunctionIsNotTheArgument) {
  const Graph graph =
      make_network(JacobiKan{.hidden = {}, .degree = 1, .a = 1, .b = 3}, {"x"}, one_field);
  const double z = std::tanh(0.3);
  const auto got = predicted(graph, {0, 1}, {u}, {0.3});
  EXPECT_NEAR(got[0], 0.5 * (6 * z - 2), 1e-15);
}

TEST(RbfNetwork, NormalisedFunctionsSumToOne) {
  const Graph graph =
      make_network(Rbf{.centres = 9, .normalized = true, .tail = 0}, {"x", "y"}, one_field);
  auto theta = initial_parameters(graph.parameters(), Rng(1));
  for (const ParameterBlock& block : graph.parameters()) {
    if (block.role != ParameterBlock::Role::weight) continue;
    for (std::ptrdiff_t k = 0; k < block.size(); ++k) {
      theta[static_cast<std::size_t>(block.offset + k)] = 2;
    }
  }
  for (const double value : predicted(graph, theta, {u}, {0.2, 0.1, -1, 1})) {
    EXPECT_NEAR(value, 2, 1e-14);
  }
}

TEST(Kan, SaysWhatIsWrongWithItsOptions) {
  const auto message = [](const Network& network) {
    return message_of([&] { return make_network(network, {"x"}, one_field); });
  };
  const auto expect = [&](const Network& network, const std::string& part) {
    EXPECT_NE(message(network).find(part), std::string::npos) << message(network);
  };
  expect(Kan{.order = 0}, "order must be 1 to 15, got 0");
  expect(Kan{.grid = 0}, "grid must be 1 to");
  expect(Kan{.lower = 1, .upper = 1}, "from a number to a larger one");
  expect(Kan{.hidden = {3, 0}}, "a hidden layer must be 1 to");
  expect(Kan{.noise = 0}, "noise must be positive");
  expect(Kan{.sparsity = -1}, "sparsity and entropy");
  expect(Kan{.hidden = {}, .grid = 2, .knots = {0, 1}}, "there are 2 knots");
  expect(Kan{.hidden = {}, .grid = 2, .knots = {0, 0, 1}}, "must grow");
  expect(FastKan{.grid = 1}, "grid must be 2 to");
  expect(FastKan{.hidden = {2}}, "layer_norm leaves nothing of 2 features");
  expect(ChebyshevKan{.degree = 0}, "degree must be 1 to");
  expect(JacobiKan{.a = -1}, "a and b must be above -1");
}

}  // namespace
}  // namespace cauchy::test_kan
