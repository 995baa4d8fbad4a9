#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <cauchy/networks/field_network.hpp>

#include "networks/fields/kernel_layers.hpp"
#include "support/field_checks.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_field_kernels {
namespace {

using std::numbers::pi;
using test::largest;
using test::largest_difference;
using test::TriedField;
using test::unit_cloud;
using test::unit_grid;

/// Error of sum_j w_j G(x, y_j) f(y_j) against the solution of -u'' = f, u(0) = u(1) = 0.
double poisson_error(int n, int samples, KernelForm form) {
  const FieldGrid grid = unit_grid({n}, false);
  const detail::PointSet points = detail::points_of(grid, "");
  const std::vector<std::size_t> chosen = detail::nystrom_points(points, samples, 1, "");
  const detail::PointSet keys = samples == 0 ? points : detail::chosen_points(points, chosen);
  const detail::PairTables pairs(detail::all_pairs(points, keys));
  std::vector<double> green;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < keys.size(); ++j) {
      const double x = points.at(i)[0], y = keys.at(j)[0];
      green.push_back(std::min(x, y) * (1 - std::max(x, y)));
    }
  }
  const TriedField tried({1, {n}}, [&](TensorGraph& g, int f) {
    const int k = g.constant({1, {static_cast<int>(green.size())}}, green);
    const int v = samples == 0 ? f : detail::at_points(g, f, chosen);
    return detail::add_integral(g, pairs, form, k, v, {n});
  });
  const auto source = [](int, std::span<const double> x) {
    return std::exp(x[0]) * std::sin(3 * x[0]);
  };
  // u = (exp(x) (3 cos 3x + 4 sin 3x)) / 50 + c x + d.
  const auto particular = [](double x) {
    return std::exp(x) * (3 * std::cos(3 * x) + 4 * std::sin(3 * x)) / 50;
  };
  const double d = -particular(0), c = -particular(1) - d;
  const auto exact = [&](int, std::span<const double> x) {
    return particular(x[0]) + c * x[0] + d;
  };
  return largest_difference(tried.values(test::sampled(grid, 1, source)),
                            test::sampled(grid, 1, exact));
}

TEST(KernelIntegral, WithTheGreensFunctionSolvesPoissonToSecondOrder) {
  for (const auto form : {KernelForm::diagonal, KernelForm::matrix}) {
    const double coarse = poisson_error(17, 0, form), fine = poisson_error(65, 0, form);
    EXPECT_LT(fine, 1e-4);
    EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.1);
  }
}

TEST(KernelIntegral, WithSamplesComesCloserWithMoreOfThem) {
  const double few = poisson_error(129, 9, KernelForm::diagonal),
               more = poisson_error(129, 65, KernelForm::diagonal);
  EXPECT_LT(few, 0.03);
  EXPECT_LT(more, 0.1 * few);
}

TEST(PointSets, ScaleTheBoxAndTheWeights) {
  FieldGrid grid = unit_grid({5, 4}, false);
  grid.axes[0] = {.name = "x", .n = 5, .lower = -10, .upper = 30};
  grid.axes[1].periodic = true;
  const detail::PointSet points = detail::points_of(grid, "");
  EXPECT_EQ(points.size(), 20u);
  EXPECT_DOUBLE_EQ(points.at(7)[0], 0.25);  // x index 1, y index 3
  EXPECT_DOUBLE_EQ(points.at(7)[1], 0.75);
  EXPECT_DOUBLE_EQ(std::accumulate(points.weights.begin(), points.weights.end(), 0.0), 1);
  EXPECT_DOUBLE_EQ(points.weights[0], 1.0 / 32);  // an end of the trapezoidal rule
  EXPECT_DOUBLE_EQ(points.weights[7], 1.0 / 16);
  const std::vector<double> a{0, 0.05}, b{0, 0.95};
  EXPECT_NEAR(points.distance2(a, b), 0.01, 1e-15);  // around the circle
  const detail::PointSet patches = detail::patches_of(unit_grid({4, 6}, true), {2, 3}, "");
  EXPECT_EQ(patches.size(), 4u);
  EXPECT_DOUBLE_EQ(patches.at(1)[0], 0.125);
  EXPECT_DOUBLE_EQ(patches.at(1)[1], 4.0 / 6);
  EXPECT_DOUBLE_EQ(patches.weights[1], 0.25);
}

TEST(PointSets, RefuseWeightsThatAreNone) {
  FieldGrid cloud = unit_cloud(4);
  cloud.cloud_weights[2] = -1;
  EXPECT_EQ(message_of([&] { return detail::points_of(cloud, "[p]").size(); }),
            "[p]: weights of points must not be negative and add up to more than 0");
  cloud.cloud_weights = {1, 2};
  EXPECT_EQ(message_of([&] { return detail::points_of(cloud, "[p]").size(); }),
            "[p]: 2 weights for 4 points of a cloud; give one for each");
  FieldGrid flat = unit_grid({4}, false);
  flat.axes[0].upper = 0;
  EXPECT_EQ(message_of([&] { return detail::points_of(flat, "[p]").size(); }),
            "[p]: axis 'x' goes from 0 to 0; give it a positive length");
}

TEST(PointSets, ChooseNestedSamplesThatCoverTheBox) {
  const detail::PointSet points = detail::points_of(unit_grid({33, 33}, false), "");
  const std::vector<std::size_t> many = detail::farthest_first(points, 64, 5),
                                 few = detail::farthest_first(points, 16, 5);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  double last = 2;
  for (const std::size_t m : {4, 16, 64}) {
    const std::vector<std::size_t> chosen = detail::farthest_first(points, m, 5);
    EXPECT_EQ(std::vector(chosen).size(), m);
    double radius = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      double nearest = 9;
      for (const std::size_t c : chosen) {
        nearest = std::min(nearest, points.distance2(points.at(i), points.at(c)));
      }
      radius = std::max(radius, std::sqrt(nearest));
    }
    EXPECT_LT(radius, 0.71 * last);  // of 4 times as many points: half
    EXPECT_LT(radius, 1.5 / std::sqrt(static_cast<double>(m)));
    last = radius;
    const detail::PointSet samples = detail::chosen_points(points, chosen);
    EXPECT_NEAR(std::accumulate(samples.weights.begin(), samples.weights.end(), 0.0), 1, 1e-13);
  }
  EXPECT_NE(detail::farthest_first(points, 4, 6), detail::farthest_first(points, 4, 5));
}

TEST(PointPairs, AreTheNeighboursThatAPlainSearchFinds) {
  FieldGrid grid = unit_cloud(60);
  grid.axes[1].periodic = true;
  const detail::PointSet points = detail::points_of(grid, "");
  for (const double radius : {0.02, 0.13, 0.4, 3.0}) {
    const detail::PointPairs pairs = detail::near_pairs(points, points, radius, 0);
    for (std::size_t q = 0; q < points.size(); ++q) {
      std::vector<std::size_t> expected,
          found(pairs.keys.begin() + static_cast<std::ptrdiff_t>(pairs.offsets[q]),
                pairs.keys.begin() + static_cast<std::ptrdiff_t>(pairs.offsets[q + 1]));
      double sum = 0, weight = 0;
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (points.distance2(points.at(q), points.at(k)) > radius * radius) continue;
        expected.push_back(k);
        sum += points.weights[k];
      }
      for (std::size_t p = pairs.offsets[q]; p < pairs.offsets[q + 1]; ++p) {
        weight += pairs.weights[p];
        EXPECT_NEAR(pairs.weights[p], points.weights[pairs.keys[p]] / sum, 1e-14);
      }
      std::ranges::sort(found);
      EXPECT_EQ(found, expected);
      EXPECT_NEAR(weight, 1, 1e-13);
    }
  }
}

TEST(PointPairs, OfAThinnedNeighbourhoodKeepItsWeight) {
  const detail::PointSet points = detail::points_of(unit_grid({20, 20}, true), "");
  const detail::PointPairs all = detail::near_pairs(points, points, 0.3, 0),
                           some = detail::near_pairs(points, points, 0.3, 7);
  EXPECT_EQ(some.size(), 7 * points.size());
  EXPECT_GT(all.size(), 3 * some.size());
  for (std::size_t q = 0; q < points.size(); ++q) {
    double weight = 0, mean = 0, mean_all = 0;
    const auto distance = [&](std::size_t key) {
      return std::sqrt(points.distance2(points.at(q), points.at(key)));
    };
    for (std::size_t p = some.offsets[q]; p < some.offsets[q + 1]; ++p) {
      weight += some.weights[p];
      mean += some.weights[p] * distance(some.keys[p]);
    }
    for (std::size_t p = all.offsets[q]; p < all.offsets[q + 1]; ++p) {
      mean_all += all.weights[p] * distance(all.keys[p]);
    }
    EXPECT_NEAR(weight, 1, 1e-13);
    EXPECT_NEAR(mean, mean_all, 0.03 * mean_all);  // functions of the distance are integrated well
  }
  // A key far from all queries is nobody's neighbour; a query without one takes the nearest.
  FieldGrid two = unit_grid({1, 1}, false);
  two.cloud = {0.9, 0.9, 0.5, 0.5};
  const detail::PointPairs far = detail::near_pairs(points, detail::points_of(two, ""), 0.01, 0);
  EXPECT_EQ(far.size(), points.size());
  EXPECT_EQ(far.keys[18 * 20 + 18], 0u);
  EXPECT_EQ(far.keys[10 * 20 + 10], 1u);
  EXPECT_EQ(far.weights[0], 1);
}

std::vector<FieldNetwork> networks_on_clouds() {
  return {
      KernelOperator{.family = KernelFamily::f1, .width = 4, .kernel_width = 6, .samples = 5},
      KernelOperator{.family = KernelFamily::f3,
                     .form = KernelForm::matrix,
                     .width = 3,
                     .depth = 2,
                     .kernel_width = 6,
                     .samples = 0},
      GraphOperator{.width = 4, .kernel_width = 6, .radius = 0.4, .neighbours = 5},
      LowRankOperator{.width = 4, .depth = 2, .rank = 3, .kernel_width = 6},
      MultipoleOperator{.width = 3, .cycles = 2, .samples = 8, .radius = 0.2, .kernel_width = 5},
      AttentionOperator{.width = 4, .depth = 2, .heads = 2, .samples = 6},
      Transformer{.width = 4, .depth = 2, .heads = 2, .hidden = 6}};
}

TEST(Clouds, MayHaveTheirPointsInAnyOrder) {
  const std::size_t n = 24;
  const FieldGrid cloud = unit_cloud(n);
  std::vector<std::size_t> order(n);
  Rng(12).permutation(order);
  FieldGrid other = cloud;
  std::vector<double> a(n), b(n);
  Rng(4).fill_normal(a);
  for (std::size_t i = 0; i < n; ++i) {
    other.cloud[2 * i] = cloud.cloud[2 * order[i]];
    other.cloud[2 * i + 1] = cloud.cloud[2 * order[i] + 1];
    other.cloud_weights[i] = cloud.cloud_weights[order[i]];
    b[i] = a[order[i]];
  }
  for (const FieldNetwork& network : networks_on_clouds()) {
    SCOPED_TRACE(describe(network));
    const std::vector<double> u = TriedField(network, cloud).values(a),
                              v = TriedField(network, other).values(b);
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = u[order[i]];
    EXPECT_LT(largest_difference(v, expected), 1e-12 * (1 + largest(u)));
    EXPECT_GT(largest_difference(u, expected), 1e-4);
  }
}

TEST(Clouds, WithEveryPointTwiceAndHalfOfItsWeightHaveTheSameAnswers) {
  const std::size_t n = 15;
  const FieldGrid cloud = unit_cloud(n);
  FieldGrid twice = cloud;
  twice.cloud.insert(twice.cloud.end(), cloud.cloud.begin(), cloud.cloud.end());
  twice.cloud_weights.insert(twice.cloud_weights.end(), cloud.cloud_weights.begin(),
                             cloud.cloud_weights.end());
  for (double& w : twice.cloud_weights) w /= 2;
  std::vector<double> a(n);
  Rng(4).fill_normal(a);
  std::vector<double> both = a;
  both.insert(both.end(), a.begin(), a.end());
  for (FieldNetwork network : networks_on_clouds()) {
    SCOPED_TRACE(describe(network));
    // Thinned neighbourhoods would take other points.
    if (auto* g = std::get_if<GraphOperator>(&network)) g->neighbours = 0;
    if (auto* m = std::get_if<MultipoleOperator>(&network)) m->neighbours = 0;
    const std::vector<double> u = TriedField(network, cloud).values(a),
                              v = TriedField(network, twice).values(both);
    EXPECT_LT(largest_difference(std::span(v).first(n), u), 1e-12 * (1 + largest(u)));
    EXPECT_LT(largest_difference(std::span(v).last(n), u), 1e-12 * (1 + largest(u)));
  }
}

TEST(MultipoleOperator, CarriesWhatHappensFarAwayInOneCycle) {
  const FieldGrid grid = unit_grid({33}, false);
  const auto seen = [&](const FieldNetwork& network) {
    const TriedField tried(network, grid);
    std::vector<double> a = test::sampled(grid, 1, test::smooth_wave), b = a;
    b[32] += 1;                                                // at the right end
    return std::abs(tried.values(b)[0] - tried.values(a)[0]);  // at the left one
  };
  const MultipoleOperator far{
      .width = 4, .cycles = 1, .samples = 16, .radius = 0.05, .kernel_width = 6};
  EXPECT_GT(seen(far), 1e-6);
  // A graph operator of the same radius goes one radius per layer.
  EXPECT_EQ(seen(GraphOperator{.width = 4, .depth = 3, .kernel_width = 6, .radius = 0.05}), 0);
}

TEST(LowRankOperator, IsTheKernelOfItsFunctionsByHand) {
  // One layer, one channel, rank 2: u = W v + b + sum_r phi_r(x) <psi_r, v>.
  const FieldGrid grid = unit_grid({6}, false);
  LowRankOperator low{.width = 1, .depth = 1, .rank = 2, .kernel_width = 1, .projection = 0};
  TriedField tried(low, grid);
  const std::vector<double> a{0.3, -1, 0.5, 2, 0, 1};
  const auto block = [&](const char* name, int i) { return tried.block(name, i); };
  const auto gelu = [](double z) { return z * 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const auto function = [&](const char* name, std::size_t r, std::size_t i) {
    const double x = static_cast<double>(i) / 5;
    const double h = gelu(block(name, 0)[0] * a[i] + block(name, 0)[1] * x + block(name, 1)[0]);
    return block(name, 2)[r] * h + block(name, 3)[r];
  };
  std::vector<double> v, expected;
  for (std::size_t i = 0; i < 6; ++i) {
    v.push_back(block("lifting", 0)[0] * a[i] +
                block("lifting", 0)[1] * static_cast<double>(i) / 5 + block("lifting", 1)[0]);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = block("local", 0)[0] * v[i] + block("local", 1)[0];
    for (std::size_t r = 0; r < 2; ++r) {
      double inner = 0;
      for (std::size_t j = 0; j < 6; ++j) {
        inner += (j == 0 || j == 5 ? 0.1 : 0.2) * function("psi", r, j) * v[j];
      }
      sum += function("phi", r, i) * inner;
    }
    expected.push_back(block("projection", 0)[0] * sum + block("projection", 1)[0]);
  }
  EXPECT_LT(largest_difference(tried.values(a), expected), 1e-13);
}

TEST(KernelOperators, HaveAsManyParametersAsTheFormulasSay) {
  const FieldGrid grid = unit_grid({5, 6}, false);  // 2 position features, 3 inputs, 2 outputs
  const auto count = [&](const FieldNetwork& n) { return TriedField(n, grid, 3, 2).theta.size(); };
  const std::size_t w = 4, h = 6, ends = (5 + 1) * w + (w + 1) * 7 + (7 + 1) * 2;
  const auto kernel = [&](std::size_t f, std::size_t out) {
    return (f + 1) * h + (h + 1) * h + (h + 1) * out;  // two hidden layers
  };
  KernelOperator k{.family = KernelFamily::f1,
                   .width = 4,
                   .depth = 3,
                   .kernel_width = 6,
                   .samples = 9,
                   .projection = 7};
  EXPECT_EQ(count(k), ends + 3 * (w * w + w + kernel(4, w)));
  k.family = KernelFamily::f2;
  EXPECT_EQ(count(k), ends + 3 * (w * w + w + kernel(10, w)));
  k.family = KernelFamily::f3;
  k.form = KernelForm::matrix;
  EXPECT_EQ(count(k), ends + 3 * (w * w + w + kernel(12, w * w)));
  EXPECT_EQ(count(GraphOperator{.width = 4, .depth = 3, .kernel_width = 6, .projection = 7}),
            ends + 3 * (w * w + w + kernel(10, w)));
  EXPECT_EQ(
      count(LowRankOperator{.width = 4, .depth = 3, .rank = 5, .kernel_width = 6, .projection = 7}),
      ends + 3 * (w * w + w + 2 * ((5 + 1) * h + (h + 1) * 5 * w)));
  EXPECT_EQ(
      count(MultipoleOperator{
          .width = 4, .cycles = 2, .levels = 2, .samples = 16, .kernel_width = 6, .projection = 7}),
      ends + 2 * (3 * (w * w + w) + 7 * kernel(10, w)));
}

TEST(KernelOperators, RefuseWhatDoesNotFit) {
  const auto message = [](const FieldNetwork& network) {
    return message_of([&] { return TriedField(network, unit_grid({5, 6}, false)); });
  };
  EXPECT_EQ(message(KernelOperator{.samples = 31}),
            "[networks.kernel]: 31 samples are more than the 30 points; take fewer, or 0 for all "
            "points");
  EXPECT_EQ(message(KernelOperator{.width = 0}),
            "[networks.kernel]: width must be positive, got 0");
  EXPECT_EQ(message(GraphOperator{.radius = 0}), "[networks.gno]: radius must be positive, got 0");
  EXPECT_EQ(message(MultipoleOperator{.levels = 3, .samples = 8}),
            "[networks.multipole]: 8 samples on level 1 leave no point on level 3; take more "
            "samples or fewer levels");
  EXPECT_EQ(message(LowRankOperator{.rank = 0}),
            "[networks.low_rank]: rank must be positive, got 0");
  EXPECT_EQ(message_of([] {
              return TriedField(KernelOperator{.samples = 0}, unit_grid({64, 64}, false));
            }),
            "[networks.kernel]: 16777216 pairs of points with 64 numbers each are too many; take "
            "fewer samples or neighbours, a smaller radius, or low_rank");
}

}  // namespace
}  // namespace cauchy::test_field_kernels
