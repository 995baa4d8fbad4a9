#include <cauchy/math/difference.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace cauchy::test_difference {
namespace {

double apply(const std::vector<double>& w, const std::vector<double>& nodes, double (*f)(double)) {
  double sum = 0;
  for (std::size_t j = 0; j < nodes.size(); ++j) sum += w[j] * f(nodes[j]);
  return sum;
}

void expect_weights(int order, int accuracy, const std::vector<double>& expected) {
  const std::vector<double> w = central_weights(order, accuracy);
  ASSERT_EQ(w.size(), expected.size()) << order << " " << accuracy;
  for (std::size_t j = 0; j < w.size(); ++j) {
    EXPECT_NEAR(w[j], expected[j], 1e-13) << order << " " << accuracy << " " << j;
  }
}

TEST(Difference, TheTableOfCentralWeights) {
  expect_weights(1, 2, {-0.5, 0, 0.5});
  expect_weights(1, 4, {1. / 12, -2. / 3, 0, 2. / 3, -1. / 12});
  expect_weights(1, 6, {-1. / 60, 3. / 20, -3. / 4, 0, 3. / 4, -3. / 20, 1. / 60});
  expect_weights(1, 8,
                 {1. / 280, -4. / 105, 1. / 5, -4. / 5, 0, 4. / 5, -1. / 5, 4. / 105, -1. / 280});
  expect_weights(2, 2, {1, -2, 1});
  expect_weights(2, 4, {-1. / 12, 4. / 3, -5. / 2, 4. / 3, -1. / 12});
  expect_weights(2, 6, {1. / 90, -3. / 20, 3. / 2, -49. / 18, 3. / 2, -3. / 20, 1. / 90});
  expect_weights(
      2, 8,
      {-1. / 560, 8. / 315, -1. / 5, 8. / 5, -205. / 72, 8. / 5, -1. / 5, 8. / 315, -1. / 560});
  expect_weights(3, 2, {-0.5, 1, 0, -1, 0.5});
  expect_weights(3, 4, {1. / 8, -1, 13. / 8, 0, -13. / 8, 1, -1. / 8});
  expect_weights(4, 2, {1, -4, 6, -4, 1});
  expect_weights(4, 4, {-1. / 6, 2, -13. / 2, 28. / 3, -13. / 2, 2, -1. / 6});
}

TEST(Difference, FirstDifferencesHaveOrdersOneOneAndTwo) {
  const auto error = [](const std::vector<double>& shifts, int order, double h) {
    std::vector<double> nodes;
    for (const double s : shifts) nodes.push_back(0.4 + s * h);
    const Matrix m = difference_weights(0.4, nodes, order);
    const double* row = m.data() + static_cast<std::size_t>(order) * m.cols();
    const double exact = order == 1 ? std::exp(0.4) : std::exp(0.4);
    return std::abs(apply({row, row + m.cols()}, nodes, [](double x) { return std::exp(x); }) -
                    exact);
  };
  const auto slope = [&](const std::vector<double>& shifts, int order) {
    return std::log2(error(shifts, order, 1e-2) / error(shifts, order, 5e-3));
  };
  EXPECT_NEAR(slope({0, 1}, 1), 1, 0.02);      // forward
  EXPECT_NEAR(slope({-1, 0}, 1), 1, 0.02);     // backward
  EXPECT_NEAR(slope({-1, 0, 1}, 1), 2, 0.02);  // central
  EXPECT_NEAR(slope({0, 1, 2}, 2), 1, 0.02);   // second derivatives
  EXPECT_NEAR(slope({-2, -1, 0}, 2), 1, 0.02);
  EXPECT_NEAR(slope({-1, 0, 1}, 2), 2, 0.02);
}

TEST(Difference, ExactForPolynomialsOnAnyNodes) {
  const std::vector<double> nodes = {-0.7, 0.1, 0.25, 0.9, 1.3, 2};
  const Matrix w = difference_weights(0.6, nodes, 5);
  for (int degree = 0; degree < 6; ++degree) {
    for (int k = 0; k <= 5; ++k) {
      double sum = 0, exact = k > degree ? 0 : 1;
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        sum += w(static_cast<std::size_t>(k), j) * std::pow(nodes[j], degree);
      }
      for (int i = 0; i < k; ++i) exact *= degree - i;
      if (k <= degree) exact *= std::pow(0.6, degree - k);
      EXPECT_NEAR(sum, exact, 1e-10) << degree << " " << k;
    }
  }
}

TEST(Difference, RefusesNodesThatAreNone) {
  EXPECT_NE(message_of([] { (void)difference_weights(0, std::vector<double>{}, 1); }), "no error");
  EXPECT_NE(message_of([] {
              (void)difference_weights(0, std::vector<double>{1, 1}, 1);
            }),
            "no error");
  EXPECT_NE(message_of([] { (void)central_weights(1, 3); }), "no error");
}

}  // namespace
}  // namespace cauchy::test_difference
