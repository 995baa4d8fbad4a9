#include <cauchy/networks/fourier_features.hpp>

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>

#include "support/message_of.hpp"
#include "support/network_oracle.hpp"

namespace cauchy::test_fourier_features {
namespace {

using Kind = FourierFeatures::Kind;
using test::graph_of;
using test::outputs_at;
using ::testing::HasSubstr;

/// The features themselves, at points.
std::vector<double> features_at(const FourierFeatures& f, int n, std::span<const double> points) {
  std::vector<std::string> names{"t", "x", "y"};
  names.resize(static_cast<std::size_t>(n));
  const auto graph = graph_of(names, [&](Graph& g) {
    return add_fourier_layers(g, f, g.coordinates(), [](int phi) { return phi; });
  });
  return outputs_at(graph, initial_parameters(graph->parameters(), Rng(1)), points);
}

TEST(FourierFeatures, ProductsOfFeaturesAreASumOfCosinesOfTheDifference) {
  const std::vector<double> points{0.3, -0.2, -0.5, 0.9,  // x and y,
                                   0.7, 0.1,  -0.1, 1.2,  // moved together
                                   0.3, -0.2, 0.3,  -0.2};
  for (const Kind kind : {Kind::gaussian, Kind::powers, Kind::harmonics}) {
    for (const double decay : {0.0, 1.5}) {
      for (const bool learn : {false, true}) {
        const FourierFeatures f{
            .kind = kind, .count = 3, .scales = {2}, .decay = decay, .learn = learn, .seed = 4};
        const std::vector<double> phi = features_at(f, 2, points);
        const std::vector<double> b = fourier_frequencies(f, 2, 2);
        const std::size_t rows = phi.size() / 6;
        ASSERT_EQ(rows, b.size());  // cosine and sine of every frequency, which has two numbers
        const auto product = [&](std::size_t i, std::size_t j) {
          double sum = 0;
          for (std::size_t r = 0; r < rows; ++r) sum += phi[i * rows + r] * phi[j * rows + r];
          return sum;
        };
        double expected = 0, diagonal = 0;
        for (std::size_t k = 0; k < b.size(); k += 2) {
          const double square = b[k] * b[k] + b[k + 1] * b[k + 1];
          const double a2 = std::pow(1 + square, -decay);
          expected += a2 * std::cos(b[k] * 0.8 + b[k + 1] * -1.1);
          diagonal += a2;
        }
        // Angles up to 16 carry an error of 16 eps each into a dozen products.
        EXPECT_NEAR(product(0, 1), expected, 1e-13);
        EXPECT_NEAR(product(2, 3), expected, 1e-13);
        EXPECT_NEAR(product(4, 5), diagonal, 1e-13);
      }
    }
  }
}

TEST(FourierFeatures, FrequenciesPerInputAreMultiplesOrPowersOfTwo) {
  const FourierFeatures powers{.kind = Kind::powers, .count = 3};
  EXPECT_EQ(fourier_frequencies(powers, 2, 0.5),
            (std::vector<double>{0.5, 0, 1, 0, 2, 0, 0, 0.5, 0, 1, 0, 2}));
  const FourierFeatures harmonics{.kind = Kind::harmonics, .count = 3};
  EXPECT_EQ(fourier_frequencies(harmonics, 1, 2), (std::vector<double>{2, 4, 6}));
  // Rows: cosines of t, of x, then sines; the inputs first, where they are asked for.
  const std::vector<double> point{0.4, -0.7};
  const FourierFeatures f{.kind = Kind::harmonics, .count = 2, .with_input = true};
  const std::vector<double> phi = features_at(f, 2, point);
  const std::vector<double> expected{
      0.4,           -0.7,          std::cos(0.4), std::cos(0.8),  std::cos(0.7),
      std::cos(1.4), std::sin(0.4), std::sin(0.8), -std::sin(0.7), -std::sin(1.4)};
  ASSERT_EQ(phi.size(), expected.size());
  for (std::size_t i = 0; i < phi.size(); ++i) EXPECT_NEAR(phi[i], expected[i], 1e-15) << i;
}

TEST(FourierFeatures, GaussianFrequenciesHaveTheirScaleAndEmbeddingsDiffer) {
  const FourierFeatures f{.count = 5000};
  for (const std::uint64_t embedding : {0u, 1u, 2u}) {
    double square = 0;
    for (const double b : fourier_frequencies(f, 1, 3, embedding)) square += b * b / 5000;
    EXPECT_NEAR(square, 9, 5 * 9 * std::sqrt(2.0 / 5000));  // five deviations
  }
  EXPECT_NE(fourier_frequencies(f, 1, 3, 0)[0], fourier_frequencies(f, 1, 3, 1)[0]);
  EXPECT_EQ(fourier_frequencies(f, 1, 3, 0)[0], 3 * Rng(1).normal_at(0));
}

/// One hidden layer of three features behind the embeddings.
std::shared_ptr<const Graph> one_layer(const FourierFeatures& f) {
  return graph_of({"t", "x"}, [&](Graph& g) {
    return add_fourier_layers(g, f, g.coordinates(), [&](int phi) {
      return g.activation(g.affine(phi, 3), Activation::wavelet);
    });
  });
}

TEST(FourierFeatures, SeveralScalesGoThroughTheSameLayers) {
  FourierFeatures f{.kind = Kind::powers, .count = 2, .scales = {1, 3, 0.5}};
  const auto all = one_layer(f);
  ASSERT_EQ(all->outputs().size(), 9u);  // scales times width
  const std::size_t shared = 3 * 8 + 3 + 2;
  ASSERT_EQ(all->n_parameters(), shared);
  std::vector<double> theta(shared);
  Rng(7).fill_normal(theta);
  const std::vector<double> points{0.2, -0.4, 0.9, 0.5};
  const std::vector<double> joined = outputs_at(all, theta, points);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::array scales{1.0, 3.0, 0.5};
    f.scales = {scales[i]};
    const std::vector<double> alone = outputs_at(one_layer(f), theta, points);
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_NEAR(joined[9 * p + 3 * i + r], alone[3 * p + r], 1e-14) << i << p << r;
      }
    }
  }
}

TEST(FourierFeatures, SpaceAndTimeApartEndInAllProducts) {
  FourierFeatures f{.kind = Kind::powers, .count = 2, .scales = {1, 3}, .time_scales = {0.5, 2, 4}};
  const auto all = one_layer(f);
  ASSERT_EQ(all->outputs().size(), 2u * 3 * 3);  // M_x M_t H
  ASSERT_EQ(all->n_parameters(), 3u * 4 + 3 + 2);
  std::vector<double> theta(all->n_parameters());
  Rng(9).fill_normal(theta);
  const std::vector<double> point{0.2, -0.4};  // t, x
  const std::vector<double> products = outputs_at(all, theta, point);
  const auto alone = [&](double scale, std::size_t coordinate) {
    const FourierFeatures one{.kind = Kind::powers, .count = 2, .scales = {scale}};
    const auto g = graph_of({"z"}, [&](Graph& graph) {
      return add_fourier_layers(graph, one, graph.coordinates(), [&](int phi) {
        return graph.activation(graph.affine(phi, 3), Activation::wavelet);
      });
    });
    return outputs_at(g, theta, std::span(point).subspan(coordinate, 1));
  };
  std::size_t at = 0;
  for (const double space : {1.0, 3.0}) {
    for (const double time : {0.5, 2.0, 4.0}) {
      const std::vector<double> x = alone(space, 1), t = alone(time, 0);
      for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(products[at++], x[r] * t[r], 1e-14);
    }
  }
}

TEST(FourierFeatures, TrainedFrequenciesStartAsTheFixedOnes) {
  for (const Kind kind : {Kind::gaussian, Kind::harmonics}) {
    FourierFeatures f{.kind = kind, .count = 2, .scales = {2}, .learn = true};
    const auto learned = one_layer(f);
    f.learn = false;
    const auto fixed = one_layer(f);
    const std::size_t more = learned->n_parameters() - fixed->n_parameters();
    EXPECT_EQ(more, 4u);  // 2 x 2 numbers, or 2 per input
    // Whatever initialisation is asked for.
    const std::vector<double> theta =
        initial_parameters(learned->parameters(), Rng(2), {.weights = Initialization::he_normal});
    const std::vector<double> rest(theta.begin() + static_cast<std::ptrdiff_t>(more), theta.end());
    const std::vector<double> points{0.2, -0.4, 0.9, 0.5};
    const auto a = outputs_at(learned, theta, points), b = outputs_at(fixed, rest, points);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-14);
  }
}

TEST(FourierFeatures, RefusesWhatDoesNotFit) {
  const auto message = [](const FourierFeatures& f, int n = 2) {
    return message_of([&] { return features_at(f, n, std::vector<double>(6, 0.5)); });
  };
  EXPECT_THAT(message({.count = 0}), HasSubstr("features must be positive, got 0"));
  EXPECT_THAT(message({.scales = {}}), HasSubstr("there must be a scale"));
  EXPECT_THAT(message({.scales = {1, 0}}), HasSubstr("scales must be positive, got 0"));
  EXPECT_THAT(message({.time_scales = {-1}}), HasSubstr("scales must be positive, got -1"));
  EXPECT_THAT(message({.decay = -1}), HasSubstr("decay must not be negative"));
  EXPECT_THAT(message({.decay = std::nan("")}), HasSubstr("decay must not be negative"));
  EXPECT_THAT(message({.time_scales = {1}}, 1), HasSubstr("need two inputs"));
  // Two coordinates of space have twice the rows of time, which the same layers cannot take.
  const FourierFeatures powers{.kind = Kind::powers, .count = 2, .time_scales = {1}};
  EXPECT_THAT(message(powers, 3), HasSubstr("have 8 and 4 rows"));
  EXPECT_THAT(message({.kind = Kind::powers, .count = 2000}), HasSubstr("too large a frequency"));
}

}  // namespace
}  // namespace cauchy::test_fourier_features
