#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/math/functional.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_functional {
namespace {

const double inf = std::numeric_limits<double>::infinity();

std::vector<double> vector_of(std::uint64_t seed, std::size_t n) {
  Rng rng(seed);
  std::vector<double> x(n);
  for (double& v : x) v = rng.normal();
  return x;
}

TEST(PNorm, FulfilsTheAxiomsAndFallsWithP) {
  const std::vector<double> zero(5, 0.0);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> x = vector_of(seed, 5), y = vector_of(seed + 100, 5);
    double before = inf;
    for (const double p : {1.0, 1.5, 2.0, 3.0, 10.0, 200.0, inf}) {
      std::vector<double> sum(5), scaled(5);
      for (std::size_t i = 0; i < 5; ++i) {
        sum[i] = x[i] + y[i];
        scaled[i] = -3 * x[i];
      }
      const double norm = p_norm(x, p);
      EXPECT_GT(norm, 0);
      EXPECT_EQ(p_norm(zero, p), 0);
      EXPECT_LT(std::abs(p_norm(scaled, p) - 3 * norm), 1e-14 * norm * 3);
      EXPECT_LT(p_norm(sum, p), (norm + p_norm(y, p)) * (1 + 1e-14));
      EXPECT_LE(norm, before * (1 + 1e-14));  // norms fall with p
      before = norm;
      // |x|_inf <= |x|_p <= n^(1/p) |x|_inf
      EXPECT_LE(norm, std::pow(5.0, 1 / p) * p_norm(x, inf) * (1 + 1e-14));
    }
  }
  EXPECT_DOUBLE_EQ(p_norm(std::vector<double>{3, -4}, 2), 5);
  EXPECT_DOUBLE_EQ(p_norm(std::vector<double>{3, -4}, 1), 7);
  EXPECT_DOUBLE_EQ(p_norm(std::vector<double>{3e300, -4e300}, 2), 5e300);
  EXPECT_TRUE(std::isnan(p_norm(std::vector<double>{1, NAN}, inf)));
  // sin(x) on equal cells of [0, pi]: |sin|_2^2 = pi / 2.
  std::vector<double> f, w;
  for (int i = 0; i < 100; ++i) {
    f.push_back(std::sin(M_PI * (i + 0.5) / 100));
    w.push_back(M_PI / 100);
  }
  EXPECT_LT(std::abs(p_norm(f, w, 2) - std::sqrt(M_PI / 2)), 1e-14);
  EXPECT_NE(message_of([&] { (void)p_norm(f, 0.5); }), "no error");
  EXPECT_NE(message_of([&] { (void)p_norm(f, std::vector<double>{1}, 2); }), "no error");
}

TEST(FormReport, FindsTheConstantsOfTheLaxMilgramLemma) {
  // In the inner product diag(4, 1): a = diag(8, 3) has values 2 and 3, its skew part 1/2 per unit.
  const Matrix gram{{4, 0}, {0, 1}}, plain{{8, 0}, {0, 3}}, skew{{8, 2}, {-2, 3}};
  const FormReport even = examine_form(plain, gram), odd = examine_form(skew, gram);
  EXPECT_LT(std::abs(even.coercivity - 2) + std::abs(even.continuity - 3), 1e-14);
  EXPECT_TRUE(even.symmetric() && even.coercive());
  EXPECT_LT(std::abs(even.cea() - std::sqrt(1.5)), 1e-14);
  EXPECT_FALSE(odd.symmetric());
  EXPECT_LT(std::abs(odd.coercivity - 2), 1e-14);  // the skew part does not count
  EXPECT_LT(std::abs(odd.asymmetry * odd.continuity - 2), 1e-14);
  EXPECT_LT(std::abs(odd.cea() - odd.continuity / 2), 1e-14);
  const Matrix saddle{{1, 1}, {1, 0}}, unit{{1, 0}, {0, 1}};
  const FormReport mixed = examine_form(saddle, unit);
  EXPECT_FALSE(mixed.coercive());
  EXPECT_EQ(mixed.cea(), inf);
  EXPECT_LT(std::abs(mixed.inf_sup - (std::sqrt(5.0) - 1) / 2), 1e-14);
  EXPECT_EQ(examine_form(unit, saddle).status, Factorization::not_positive_definite);
}

TEST(RieszRepresenter, GivesTheFunctionalAndItsNorm) {
  const Matrix gram{{2, 1, 0}, {1, 2, 1}, {0, 1, 2}};
  const std::vector<double> f{1, -2, 0.5};
  const Representer r = riesz_representer(gram, f);
  ASSERT_EQ(r.status, Factorization::ok);
  double square = 0, largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < 3; ++j) row += gram(i, j) * r.h[j];
    EXPECT_LT(std::abs(row - f[i]), 1e-14);
    square += row * r.h[i];
  }
  EXPECT_LT(std::abs(r.norm - std::sqrt(square)), 1e-14);
  // No vector gives more per unit of length.
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<double> v = vector_of(seed, 3);
    double fv = 0, vv = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      fv += f[i] * v[i];
      for (std::size_t j = 0; j < 3; ++j) vv += v[i] * gram(i, j) * v[j];
    }
    largest = std::max(largest, std::abs(fv) / std::sqrt(vv));
  }
  EXPECT_LE(largest, r.norm);
  EXPECT_GT(largest, 0.9 * r.norm);
}

}  // namespace
}  // namespace cauchy::test_functional
