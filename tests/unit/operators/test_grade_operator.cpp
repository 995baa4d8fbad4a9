#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/operators/learn.hpp>

namespace cauchy::test_grade_operator {
namespace {

OperatorError errors(double mean, std::size_t n = 100, double spread = 0.1) {
  OperatorError e;
  e.fields = {"u"};
  e.field_l2 = {mean};
  for (std::size_t i = 0; i < n; ++i) {
    e.relative_l2.push_back(mean * (1 + (i % 2 == 0 ? spread : -spread)));
  }
  return e;
}

OperatorResult graded(double train, double test, OperatorGradeInput input = {},
                      std::size_t n_test = 100) {
  OperatorResult r;
  r.train = errors(train);
  if (n_test > 0) r.test = errors(test, n_test);
  grade(r, input);
  return r;
}

bool says(const OperatorResult& r, std::string_view part) {
  for (const std::string& f : r.findings) {
    if (f.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(OperatorGrade, ConvergedNeedsTheErrorOfTheTestSamples) {
  const OperatorResult r = graded(4e-3, 5e-3);
  EXPECT_EQ(r.grade, Grade::converged);
  EXPECT_TRUE(says(r, "relative L2 error 5.00e-03 on 100 test samples, within 0.01"));
  EXPECT_EQ(graded(5e-3, 1.2e-2).grade, Grade::stalled);
  EXPECT_EQ(graded(5e-3, 1.2e-2, {.tolerance = 0.02}).grade, Grade::converged);
}

TEST(OperatorGrade, LearntByHeartIsSuspicious) {
  const OperatorResult r = graded(1e-3, 5e-2);
  EXPECT_EQ(r.grade, Grade::suspicious);
  EXPECT_TRUE(says(r, "over-fitting"));
  // Neither is learnt: that is no over-fitting.
  EXPECT_EQ(graded(4e-2, 5e-2).grade, Grade::stalled);
  // Good enough, but it is told.
  EXPECT_EQ(graded(1e-4, 5e-3).grade, Grade::converged);
  EXPECT_TRUE(says(graded(1e-4, 5e-3), "more samples may lower"));
}

TEST(OperatorGrade, FewSamplesDecideNothing) {
  // Two samples, 4.5e-3 and 13.5e-3: mean 9e-3, standard error 4.5e-3.
  OperatorResult r;
  r.train = errors(9e-3);
  r.test = errors(9e-3, 2, 0.5);
  grade(r, {});
  EXPECT_EQ(r.grade, Grade::unverified);
  EXPECT_TRUE(says(r, "2 test samples are too few to decide: the mean may be off by 9.0e-03"));
  EXPECT_EQ(graded(5e-3, 5e-3, {}, 1).grade, Grade::unverified);
  EXPECT_EQ(graded(5e-3, 0, {}, 0).grade, Grade::unverified);
  EXPECT_EQ(graded(5e-2, 0, {}, 0).grade, Grade::stalled);
}

TEST(OperatorGrade, TheErrorOfTheDataCountsAgainstTheAnswer) {
  EXPECT_EQ(graded(5e-3, 5e-3, {.data_error = 1e-3}).grade, Grade::converged);
  const OperatorResult r = graded(5e-3, 5e-3, {.data_error = 6e-3});
  EXPECT_EQ(r.grade, Grade::unverified);
  EXPECT_TRUE(says(r, "(accurate to 6e-03)"));
  EXPECT_TRUE(says(r, "too inaccurate to decide"));
}

TEST(OperatorGrade, NumbersThatAreNoneDiverge) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(graded(1e-3, 1e-3, {.finite = false}).grade, Grade::diverged);
  EXPECT_TRUE(says(graded(1e-3, 1e-3, {.finite = false}), "NaN"));
  EXPECT_EQ(graded(nan, nan).grade, Grade::diverged);
  EXPECT_EQ(graded(1e-3, nan).grade, Grade::diverged);
  EXPECT_EQ(graded(1e-3, 1e4).grade, Grade::diverged);
  EXPECT_TRUE(says(graded(1e-3, 1e-3, {.finite = false, .troubles = {"adam ended"}}), "adam"));
}

TEST(OperatorGrade, TestSamplesThatWereTrainedOnAreNoTest) {
  const OperatorResult r = graded(1e-3, 1e-3, {.shared = 3});
  EXPECT_EQ(r.grade, Grade::suspicious);
  EXPECT_TRUE(says(r, "3 of the test samples are training samples too"));
}

TEST(OperatorGrade, TheEpochThatIsKeptIsTold) {
  OperatorResult r;
  r.train = r.test = errors(5e-3);
  r.epochs.resize(10);
  r.best_epoch = 7;
  grade(r, {});
  EXPECT_TRUE(says(r, "the parameters of epoch 7 of 10 are kept"));
}

TEST(OperatorError, MeanMedianAndWorst) {
  OperatorError e;
  e.relative_l2 = {0.4, 0.1, 0.2, 0.1};
  EXPECT_DOUBLE_EQ(e.mean_l2(), 0.2);
  EXPECT_DOUBLE_EQ(e.median_l2(), 0.15);
  EXPECT_EQ(e.worst_l2(), 0.4);
  EXPECT_EQ(e.best_to_worst(), (std::vector<std::size_t>{1, 3, 2, 0}));
  // Deviations 0.2, -0.1, 0, -0.1: sum of squares 0.06; sqrt(0.06 / 3 / 4).
  EXPECT_DOUBLE_EQ(e.standard_error(), std::sqrt(0.005));
  e.relative_l2.push_back(NAN);
  EXPECT_TRUE(std::isnan(e.mean_l2()));
  EXPECT_TRUE(std::isnan(e.worst_l2()));
}

}  // namespace
}  // namespace cauchy::test_grade_operator
