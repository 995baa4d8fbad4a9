#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/qr.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/soap.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_soap {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
using Span = std::span<const double>;

Matrix product(const Matrix& a, const Matrix& b, Transpose op_a = Transpose::no,
               Transpose op_b = Transpose::no) {
  const std::size_t rows = op_a == Transpose::no ? a.rows() : a.cols();
  const std::size_t cols = op_b == Transpose::no ? b.cols() : b.rows();
  Matrix c(rows, cols);
  gemm(op_a, op_b, 1.0, a, b, 0.0, c);
  return c;
}

Matrix random_matrix(std::size_t rows, std::size_t cols, Rng& rng) {
  Matrix a(rows, cols);
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = rng.normal();
  return a;
}

Matrix diagonal(std::size_t n, double last) {
  Matrix d(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    d(i, i) = std::pow(last, static_cast<double>(i) / static_cast<double>(n - 1));
  }
  return d;
}

/// f(W) = |A (W - C) B|^2 / 2 with gradient A'A (W - C) B B', W flat and row-major.
struct MatrixQuadratic {
  Matrix left, right, c;  // A'A, B B', C
  double operator()(Span x, std::span<double> g) const {
    Matrix r(c.rows(), c.cols());
    for (std::size_t i = 0; i < r.size(); ++i) r.data()[i] = x[i] - c.data()[i];
    const Matrix gradient = product(product(left, r), right);
    double f = 0;
    for (std::size_t i = 0; i < r.size(); ++i) f += r.data()[i] * gradient.data()[i] / 2;
    if (!g.empty()) std::copy_n(gradient.data(), r.size(), g.begin());
    return f;
  }
};

/// The same function of U W V'.
MatrixQuadratic rotated(const MatrixQuadratic& f, const Matrix& u, const Matrix& v) {
  return {product(product(u, f.left), u, Transpose::no, Transpose::yes),
          product(product(v, f.right), v, Transpose::no, Transpose::yes),
          product(product(u, f.c), v, Transpose::no, Transpose::yes)};
}

double smooth(Span x, std::span<double> g) {
  double f = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double shift = 0.3 * static_cast<double>(i);
    f += std::cosh(x[i] - shift);
    if (!g.empty()) g[i] = std::sinh(x[i] - shift);
  }
  return f;
}

void expect_equal_to_adam(const std::vector<MatrixBlock>& blocks, std::size_t max_dim) {
  const double rate = 0.05, b1 = 0.8, b2 = 0.9, e = 1e-6;
  FunctionObjective f(5, smooth);
  Soap soap({.learning_rate = rate,
             .beta1 = b1,
             .beta2 = b2,
             .epsilon = e,
             .precondition_frequency = 3,
             .max_precond_dim = max_dim,
             .blocks = blocks});
  Adam adam({.learning_rate = rate, .beta1 = b1, .beta2 = b2, .epsilon = e});
  std::vector<double> x{1, -1, 2, 0.5, 3}, y = x;
  for (int k = 0; k < 40; ++k) {
    (void)soap.step(f, x);
    (void)adam.step(f, y);
    ASSERT_EQ(x, y) << k;
  }
}

TEST(Soap, IsAdamToTheBitWhereThereIsNothingToRotate) {
  expect_equal_to_adam({}, 100);
  // A 1 x 1 basis is 1 or -1, and Adam does not see signs.
  expect_equal_to_adam({{0, 1, 1}, {3, 1, 1}, {1, 1, 1}}, 100);
  expect_equal_to_adam({{1, 2, 2}}, 0);
  expect_equal_to_adam({{1, 2, 2}}, 1);
}

TEST(Soap, IsAdamUpToRoundingWhenTheEigenvectorsAreTheAxes) {
  // A diagonal matrix with a diagonal gradient: L and R are diagonal. The order of the axes is
  // sorted by the gradients, which change places along the way.
  FunctionObjective f(4, [](Span x, std::span<double> g) {
    const double r[] = {x[0] - 1, x[3] + 2};
    if (!g.empty()) {
      g[1] = g[2] = 0;
      g[0] = 9 * r[0];
      g[3] = r[1];
    }
    return (9 * r[0] * r[0] + r[1] * r[1]) / 2;
  });
  const double rate = 0.05;
  Soap soap({.learning_rate = rate, .precondition_frequency = 4, .blocks = {{0, 2, 2}}});
  Adam adam({.learning_rate = rate, .beta1 = 0.95, .beta2 = 0.95});
  std::vector<double> x{0, 0, 0, 0}, y = x;
  for (int k = 0; k < 60; ++k) {
    (void)soap.step(f, x);
    (void)adam.step(f, y);
    // Each step is of size rate and errs by a few eps; both runs contract.
    for (std::size_t i = 0; i < 4; ++i) ASSERT_LT(std::abs(x[i] - y[i]), 1e3 * eps) << k;
  }
}

void follow_formulas(const MatrixBlock& block) {
  // W is n x 1 (or 1 x n, which is the same with left and right exchanged). The plain reference:
  // everything spelled out with loops, bases by Gram-Schmidt, for precondition_frequency 1. R is 1
  // x 1 and its basis a sign.
  constexpr std::size_t n = 3;
  const double rate = 0.02, b1 = 0.9, b2 = 0.8, e = 1e-3, decay = 0.1;
  const auto gradient = [](const std::vector<double>& w, std::size_t t) {
    // Full rank after three steps: the gradient turns.
    const double s = static_cast<double>(t);
    return std::vector<double>{w[0] + std::cos(s), 2 * w[1] + std::sin(2 * s), std::cos(3 * s + 1)};
  };
  std::size_t calls = 0;
  FunctionObjective f(n, [&](Span x, std::span<double> g) {
    const auto all = gradient({x.begin(), x.end()}, calls++);
    std::copy(all.begin(), all.end(), g.begin());
    return 1.0;
  });
  Soap soap({.learning_rate = rate,
             .beta1 = b1,
             .beta2 = b2,
             .epsilon = e,
             .weight_decay = decay,
             .precondition_frequency = 1,
             .blocks = {block}});
  std::vector<double> x{1, 2, 3}, w = x, m(n, 0.0), v(n, 0.0);
  Matrix l(n, n), q(n, n);
  const std::size_t at = block.rows == 1 ? 1 : 0;  // behind the 1 x 1 factor of the left side
  // Three steps to give the factor full rank; then the state is read and followed.
  for (int k = 0; k < 3; ++k) (void)soap.step(f, x);
  OptimizerState state;
  soap.save(state);
  m = state.arrays.at("m");
  v = state.arrays.at("v");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      q(i, j) = state.arrays.at("bases")[at + i * n + j];
      l(i, j) = state.arrays.at("factors")[at + std::max(i, j) * n + std::min(i, j)];
    }
  }
  w = x;
  for (std::size_t t = 4; t <= 12; ++t) {
    const auto g = gradient(w, t - 1);
    (void)soap.step(f, x);
    std::vector<double> move(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) m[i] = b1 * m[i] + (1 - b1) * g[i];
    const double c1 = 1 - std::pow(b1, static_cast<double>(t));
    const double c2 = 1 - std::pow(b2, static_cast<double>(t));
    for (std::size_t j = 0; j < n; ++j) {
      double gj = 0, mj = 0;
      for (std::size_t i = 0; i < n; ++i) {
        gj += q(i, j) * g[i];
        mj += q(i, j) * m[i];
      }
      v[j] = b2 * v[j] + (1 - b2) * gj * gj;
      const double nj = mj / c1 / (std::sqrt(v[j] / c2) + e);
      for (std::size_t i = 0; i < n; ++i) move[i] += q(i, j) * nj;
    }
    for (std::size_t i = 0; i < n; ++i) w[i] = (1 - rate * decay) * w[i] - rate * move[i];
    // Bases differ by signs at most; rounding grows by the condition of L, below 1e4.
    for (std::size_t i = 0; i < n; ++i) ASSERT_LT(std::abs(x[i] - w[i]), 1e5 * eps) << t;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) l(i, j) = b2 * l(i, j) + (1 - b2) * g[i] * g[j];
    }
    const Matrix s = product(l, q);
    std::vector<double> estimate(n, 0.0), sorted_v(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) estimate[j] += q(i, j) * s(i, j);
    }
    std::vector<bool> taken(n, false);
    for (std::size_t j = 0; j < n; ++j) {
      std::size_t best = n;
      for (std::size_t c = 0; c < n; ++c) {
        if (!taken[c] && (best == n || estimate[c] > estimate[best])) best = c;
      }
      taken[best] = true;
      sorted_v[j] = v[best];
      std::vector<double> column(n);
      for (std::size_t i = 0; i < n; ++i) column[i] = s(i, best);
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t c = 0; c < j; ++c) {
          double dot = 0;
          for (std::size_t i = 0; i < n; ++i) dot += q(i, c) * column[i];
          for (std::size_t i = 0; i < n; ++i) column[i] -= dot * q(i, c);
        }
      }
      const double length = std::hypot(column[0], column[1], column[2]);
      for (std::size_t i = 0; i < n; ++i) q(i, j) = column[i] / length;
    }
    v = sorted_v;
  }
}

TEST(Soap, FollowsItsFormulasWrittenOutForOneColumnAndOneRow) {
  follow_formulas({0, 3, 1});
  follow_formulas({0, 1, 3});
}

TEST(Soap, TheFirstStepIsTheOrthogonalFactorOfTheGradient) {
  // G = U S V' gives G' = S up to signs, hence the step -rate * U V' for epsilon -> 0.
  Rng rng(3);
  const Matrix u = qr(random_matrix(4, 4, rng)).q, v = qr(random_matrix(3, 3, rng)).q;
  Matrix s(4, 3), one(4, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    s(i, i) = 3 - static_cast<double>(i);
    one(i, i) = 1;
  }
  const Matrix gradient = product(product(u, s), v, Transpose::no, Transpose::yes);
  const Matrix expected = product(product(u, one), v, Transpose::no, Transpose::yes);
  FunctionObjective f(14, [&](Span x, std::span<double> g) {
    g[0] = -5;
    g[13] = 7;
    std::copy_n(gradient.data(), 12, g.begin() + 1);
    return x[0];
  });
  const double rate = 0.1;
  Soap soap({.learning_rate = rate, .epsilon = 1e-7, .blocks = {{1, 4, 3}}});
  std::vector<double> x(14, 0.0);
  (void)soap.step(f, x);
  // 1 / (1 + 1e-7) on the diagonal; rounding of 1e-15 over 1e-7 off it, twelve entries.
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_LT(std::abs(x[1 + i] + rate * expected.data()[i]), rate * 4e-7) << i;
  }
  EXPECT_LT(std::abs(x[0] - rate), rate * 1e-7);
  EXPECT_LT(std::abs(x[13] + rate), rate * 1e-7);
}

TEST(Soap, TheBasesAreEigenvectorsSortedByTheirEigenvalues) {
  // One gradient only: L = const * G G' in the first basis and, since eigenvectors are fixed points
  // of the power iteration, also in the next one.
  Rng rng(17);
  const std::size_t n = 4;
  const Matrix gradient = random_matrix(n, n, rng);
  FunctionObjective f(n * n, [&](Span x, std::span<double> g) {
    std::copy_n(gradient.data(), n * n, g.begin());
    return x[0];
  });
  Soap soap({.precondition_frequency = 2, .blocks = {{0, n, n}}});
  std::vector<double> x(n * n, 0.0);
  for (int k = 0; k < 2; ++k) {
    (void)soap.step(f, x);
    OptimizerState state;
    soap.save(state);
    Matrix q(n, n);
    std::copy_n(state.arrays.at("bases").begin(), n * n, q.data());
    const Matrix turned = product(q, gradient, Transpose::yes);
    const Matrix d = product(turned, turned, Transpose::no, Transpose::yes);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_LT(std::abs(d(i, j)), 1e3 * eps * d(0, 0)) << k;  // condition below 1e3
      }
      if (i > 0) {
        EXPECT_LT(d(i, i), d(i - 1, i - 1)) << k;
      }
    }
  }
}

TEST(Soap, DoesNotSeeRotationsOfRowsAndColumns) {
  Rng rng(11);
  const std::size_t n = 5;
  const MatrixQuadratic plain{diagonal(n, 1e-2), diagonal(n, 1e-1), random_matrix(n, n, rng)};
  const Matrix u = qr(random_matrix(n, n, rng)).q, v = qr(random_matrix(n, n, rng)).q;
  const MatrixQuadratic turned = rotated(plain, u, v);
  const auto difference = [&](Optimizer& a, Optimizer& b) {
    FunctionObjective f(n * n, plain), g(n * n, turned);
    std::vector<double> x(n * n, 0.0), y = x;
    for (int k = 0; k < 60; ++k) {
      (void)a.step(f, x);
      (void)b.step(g, y);
    }
    Matrix w(n, n);
    std::copy(x.begin(), x.end(), w.data());
    const Matrix turned_w = product(product(u, w), v, Transpose::no, Transpose::yes);
    double largest = 0;
    for (std::size_t i = 0; i < n * n; ++i) {
      largest = std::max(largest, std::abs(turned_w.data()[i] - y[i]));
    }
    return largest;
  };
  const SoapOptions options{.learning_rate = 0.02, .epsilon = 1e-4, .blocks = {{0, n, n}}};
  Soap a(options), b(options);
  // Entries of G' that vanish in exact arithmetic are rounding, 1e-16 over epsilon = 1e-4 per step;
  // the later steps amplify it moderately.
  EXPECT_LT(difference(a, b), 1e-8);
  // The test can tell: Adam does see them.
  Adam c({.learning_rate = 0.02}), d({.learning_rate = 0.02});
  EXPECT_GT(difference(c, d), 1e-2);
}

TEST(Soap, IsFasterThanAdamOnAnIllConditionedRotatedQuadratic) {
  // Condition 1e5, the best of the same rates for both, same betas and schedule, 300 steps. With
  // finer rates and five seeds SOAP ended 286 to 1633 times lower; at condition 1e3 it gains
  // nothing.
  for (const std::uint64_t seed : {1u, 2u}) {
    Rng rng(seed);
    const std::size_t rows = 12, cols = 8;
    const MatrixQuadratic straight{diagonal(rows, 1e-4), diagonal(cols, 1e-1),
                                   random_matrix(rows, cols, rng)};
    const Matrix u = qr(random_matrix(rows, rows, rng)).q;
    const Matrix v = qr(random_matrix(cols, cols, rng)).q;
    FunctionObjective f(rows * cols, rotated(straight, u, v));
    const auto reached = [&](auto make) {
      double lowest = std::numeric_limits<double>::infinity();
      for (const double rate : {0.01, 0.1, 0.3, 1.0}) {
        auto method = make(rate);
        std::vector<double> x(rows * cols, 0.0);
        lowest = std::min(lowest, minimize(method, f, x, {.max_iterations = 300}).value);
      }
      return lowest;
    };
    const Schedule schedule{.shape = ScheduleShape::cosine, .steps = 300, .final_factor = 1e-3};
    const double adam = reached([&](double rate) {
      return Adam({.learning_rate = rate, .beta1 = 0.95, .beta2 = 0.95}, schedule);
    });
    const double soap = reached([&](double rate) {
      return Soap({.learning_rate = rate, .blocks = {{0, rows, cols}}}, schedule);
    });
    EXPECT_LT(soap, adam / 100) << "adam " << adam << ", soap " << soap;
  }
}

TEST(Soap, ALongSideKeepsItsOwnBasis) {
  // Only the columns are rotated: every row of 6 sees the same basis of 2, stored as 2 x 2.
  FunctionObjective f(12, smooth);
  Soap soap({.max_precond_dim = 4, .blocks = {{0, 6, 2}}});
  std::vector<double> x(12, 0.1);
  (void)soap.step(f, x);
  OptimizerState state;
  soap.save(state);
  ASSERT_EQ(state.arrays.at("bases").size(), 4u);
  // R = (1 - b2)(1 + b2) G'G after the first step.
  double sums[3] = {};
  std::vector<double> at(12, 0.1), g(12);
  (void)smooth(at, g);
  for (std::size_t i = 0; i < 6; ++i) {
    sums[0] += g[2 * i] * g[2 * i];
    sums[1] += g[2 * i] * g[2 * i + 1];
    sums[2] += g[2 * i + 1] * g[2 * i + 1];
  }
  const auto& r = state.arrays.at("factors");
  const double scale = 0.05 * 1.95;
  EXPECT_LT(std::abs(r[0] - scale * sums[0]), 32 * eps * sums[0]);
  EXPECT_LT(std::abs(r[2] - scale * sums[1]), 32 * eps * sums[2]);
  EXPECT_LT(std::abs(r[3] - scale * sums[2]), 32 * eps * sums[2]);
}

TEST(Soap, AnOverflowOfTheFactorsIsNoTrouble) {
  // |g|^2 is infinite: squares overflow as they do in Adam, and nothing is NaN at the end.
  FunctionObjective f(4, [](Span x, std::span<double> g) {
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = 1e200 * (x[i] - static_cast<double>(i));
    return 1.0;
  });
  Soap soap({.precondition_frequency = 1, .blocks = {{0, 2, 2}}});
  std::vector<double> x(4, 0.5);
  for (int k = 0; k < 5; ++k) {
    const auto r = soap.step(f, x);
    EXPECT_EQ(r.status, StepStatus::stalled);
    for (const double e : x) EXPECT_TRUE(std::isfinite(e));
  }
}

TEST(Soap, RefusesBadOptionsAndBlocks) {
  const auto expect = [](const SoapOptions& options, const std::string& sentence) {
    const std::string message = message_of([&] { Soap soap(options); });
    EXPECT_NE(message.find(sentence), std::string::npos) << message;
  };
  expect({.learning_rate = 0}, "learning_rate must be positive and finite, got 0");
  expect({.beta1 = 1}, "beta1 must be in [0, 1), got 1");
  expect({.beta2 = -0.5}, "beta2 must be in [0, 1), got -0.5");
  expect({.epsilon = 0}, "epsilon must be positive and finite, got 0");
  expect({.weight_decay = -1}, "weight_decay must be finite and not negative, got -1");
  expect({.clip_norm = -1}, "clip_norm must be finite and not negative, got -1");
  expect({.precondition_frequency = 0}, "precondition_frequency must be positive, got 0");
  expect({.blocks = {{4, 0, 3}}}, "a block must have rows and columns, got 0 x 3 at offset 4");
  expect({.blocks = {{4, 2, 3}, {0, 1, 5}}}, "the blocks at offsets 0 and 4 overlap");
  expect({.blocks = {{std::numeric_limits<std::size_t>::max(), 2, 3}}}, "ends beyond");
  FunctionObjective f(5, smooth);
  Soap soap({.blocks = {{2, 2, 2}}});
  std::vector<double> x(5, 0.0);
  const std::string message = message_of([&] { (void)soap.step(f, x); });
  EXPECT_NE(message.find("the 2 x 2 block at offset 2 reaches beyond the 5 parameters"),
            std::string::npos)
      << message;
  EXPECT_EQ(x, std::vector<double>(5, 0.0));
  FunctionObjective six(6, smooth);  // the optimiser is still fresh
  std::vector<double> y(6, 0.0);
  EXPECT_EQ(soap.step(six, y).status, StepStatus::progress);
}

TEST(Soap, RefusesTheStateOfOtherBlocks) {
  FunctionObjective f(6, smooth);
  Soap one({.blocks = {{0, 2, 3}}}), other({.blocks = {{0, 2, 2}}});
  std::vector<double> x(6, 0.0);
  (void)one.step(f, x);
  OptimizerState state;
  one.save(state);
  EXPECT_THROW(other.restore(state), Error);
  state.arrays.erase("bases");
  EXPECT_NE(message_of([&] { one.restore(state); }).find("no array \"bases\""), std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_soap
