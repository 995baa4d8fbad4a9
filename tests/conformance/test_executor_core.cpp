// The core of the engine over all implementations of Executor and several kinds of losses.
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

#include "support/executor_cases.hpp"

namespace cauchy::test::test_executor_core {
namespace {

struct Case {
  ExecutorProblem problem;
  NamedExecutor executor;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.problem.name << " " << c.executor.name; }

std::vector<Case> all_cases() {
  std::vector<Case> result;
  for (const ExecutorProblem& problem : executor_problems()) {
    for (const NamedExecutor& executor : executors()) result.push_back({problem, executor});
  }
  return result;
}

/// Largest difference in units of the largest entry; NaN stays.
double relative_difference(const std::vector<double>& got, const std::vector<double>& expected) {
  EXPECT_EQ(got.size(), expected.size());
  double error = 0, size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double e = std::abs(got[i] - expected[i]);
    if (!(e <= error)) error = e;
    size = std::max(size, std::abs(expected[i]));
  }
  return size > 0 ? error / size : error;
}

class ExecutorCore : public ::testing::TestWithParam<Case> {
 protected:
  /// A number has gone through about 16 operations of 10 summands each (jets, adjoints, products,
  /// sums over points): sqrt(160) roundings like a random walk, times 5 for the worst of thousands.
  [[nodiscard]] double tolerance() const { return 64 * GetParam().executor.epsilon; }

  void compare(const Products& got, const Products& expected) const {
    const auto near = [&](const char* what, const std::vector<double>& a,
                          const std::vector<double>& b) {
      EXPECT_LT(relative_difference(a, b), tolerance()) << what;
    };
    // Terms of an energy may cancel: the sum is compared in units of its parts.
    double size = 0;
    for (const double part : expected.terms) size += std::abs(part);
    EXPECT_LT(std::abs(got.loss - expected.loss), tolerance() * size);
    near("terms", got.terms, expected.terms);
    near("gradient", got.gradient, expected.gradient);
    near("gradients of terms", got.term_gradients, expected.term_gradients);
    near("rows", got.rows, expected.rows);
    near("Jacobian of the rows", got.rows_jacobian, expected.rows_jacobian);
    near("J v of the rows", got.rows_jv, expected.rows_jv);
    near("J' w of the rows", got.rows_jtw, expected.rows_jtw);
    if (expected.residuals.empty()) return;
    near("residuals", got.residuals, expected.residuals);
    near("squared norms of gradients", got.norms, expected.norms);
    near("Jacobian", got.jacobian, expected.jacobian);
    near("J v", got.jv, expected.jv);
    near("J' w", got.jtw, expected.jtw);
    near("prediction", got.predicted, expected.predicted);
  }
};

TEST_P(ExecutorCore, AgreesWithTheReferenceInDouble) {
  const auto& [problem, named] = GetParam();
  const auto executor = make_executor(problem, named.options);
  const auto reference = make_executor(problem, executors()[0].options);
  compare(products_of(*executor, problem), products_of(*reference, problem));
}

TEST_P(ExecutorCore, ComputesWhatTheDefinitionOfATermSays) {
  const auto& [problem, named] = GetParam();
  const auto executor = make_executor(problem, named.options);
  compare(products_of(*executor, problem), defined_products(*executor, problem));
  for (std::size_t t = 0; t < executor->n_terms(); ++t) {  // and after all weights have changed
    std::vector<double> w(executor->n_groups(t));
    for (std::size_t g = 0; g < w.size(); ++g) w[g] = 0.25 * static_cast<double>(1 + (g + t) % 5);
    executor->set_weights(t, w);
    executor->set_weight(t, 0.75 + static_cast<double>(t));
  }
  compare(products_of(*executor, problem), defined_products(*executor, problem));
}

TEST_P(ExecutorCore, GivesPartsOfTheGradientWithoutChangingItsBits) {
  const auto& [problem, named] = GetParam();
  const auto executor = make_executor(problem, named.options);
  const Products with_parts = products_of(*executor, problem);
  std::vector<double> g(executor->n_parameters());
  EXPECT_EQ(executor->gradient(problem.theta, g), with_parts.loss);
  EXPECT_EQ(g, with_parts.gradient);
  // The loss alone has a program of its own, which may round in another order.
  EXPECT_LT(std::abs(executor->loss(problem.theta) - with_parts.loss),
            tolerance() * (1 + std::abs(with_parts.loss)));
  std::vector<double> residuals;
  for (std::size_t t = 0; t < executor->n_terms(); ++t) {
    std::vector<double> r(executor->n_residuals(t));
    executor->residuals(t, problem.theta, r);
    residuals.insert(residuals.end(), r.begin(), r.end());
  }
  EXPECT_EQ(residuals, with_parts.residuals);
}

TEST_P(ExecutorCore, RefusesRowsOfAnEnergy) {
  const auto& [problem, named] = GetParam();
  const auto executor = make_executor(problem, named.options);
  if (problem.has_rows()) {
    EXPECT_GT(executor->n_rows(), 0u);
    return;
  }
  std::vector<double> out(1);
  const auto refused = [](auto action) {
    try {
      action();
    } catch (const Error& e) {
      return e.message() == "an energy is no sum of squares";
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { (void)executor->n_rows(); }));
  EXPECT_TRUE(refused([&] { executor->rows(problem.theta, out); }));
  EXPECT_TRUE(refused([&] { executor->rows_jacobian(problem.theta, out); }));
  EXPECT_TRUE(refused([&] { executor->rows_jacobian_times(problem.theta, problem.theta, out); }));
  EXPECT_TRUE(refused([&] { executor->rows_jacobian_transposed_times(problem.theta, out, out); }));
}

INSTANTIATE_TEST_SUITE_P(Engine, ExecutorCore, ::testing::ValuesIn(all_cases()),
                         [](const ::testing::TestParamInfo<Case>& test) {
                           return test.param.problem.name + "_" + test.param.executor.name;
                         });

}  // namespace
}  // namespace cauchy::test::test_executor_core
