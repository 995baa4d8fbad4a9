#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "solvers/classical/family_field.hpp"
#include "solvers/classical/grid_field.hpp"
#include "solvers/spectral/chebyshev_basis.hpp"
#include "solvers/spectral/chebyshev_least_squares.hpp"
#include "support/message_of.hpp"

namespace cauchy::detail::test_chebyshev_parts {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(ChebyshevTable, HasTheDerivativesOfItsPolynomials) {
  const double at[] = {0.7, 2.5};
  const ChebyshevTable table(0.5, 2.5, 4, at, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const double s = at[i] - 1.5;  // half width 1
    EXPECT_NEAR(table.row(0, i)[3], 4 * s * s * s - 3 * s, 8 * eps);
    EXPECT_NEAR(table.row(1, i)[3], 12 * s * s - 3, 32 * eps);
    EXPECT_NEAR(table.row(2, i)[3], 24 * s, 64 * eps);
    EXPECT_EQ(table.row(1, i)[0], 0);
  }
  const double wide[] = {3};
  EXPECT_NEAR(ChebyshevTable(0, 4, 3, wide, 1).row(1, 0)[2], 4 * 0.5 / 2, 8 * eps);
}

TEST(ChebyshevCoefficients, GoBackToTheValues) {
  const std::size_t sizes[] = {3, 1, 6};
  Rng rng(1);
  std::vector<double> values(18);
  for (double& w : values) w = rng.uniform();
  const std::vector<double> c = chebyshev_coefficients(values, sizes);
  const ChebyshevTable a(-1, 1, 3, lobatto_points(-1, 1, 3), 0),
      b(0, 1, 1, std::vector<double>{0.5}, 0), e(2, 5, 6, lobatto_points(2, 5, 6), 0);
  const ChebyshevFactor factors[] = {{&a, 0}, {&b, 0}, {&e, 0}};
  const std::vector<double> back = evaluate_chebyshev(c, factors);
  for (std::size_t i = 0; i < 18; ++i) EXPECT_NEAR(back[i], values[i], 64 * eps);
}

TEST(ChebyshevGaussPoints, AreRootsOfTheNextPolynomial) {
  const std::vector<double> at = chebyshev_gauss_points(-1, 3, 5);
  const ChebyshevTable table(-1, 3, 6, at, 0);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(table.row(0, i)[5], 0, 64 * eps);
  EXPECT_LT(at[0], at[1]);
}

/// A random chain; the same rows as a dense matrix for the reference.
struct Chain {
  ChebyshevRows rows;
  Matrix dense;
  Matrix rhs;
};
Chain random_chain(std::size_t blocks, bool ring, bool wide) {
  constexpr std::size_t width = 5, own = 7, joints = 2;
  const std::size_t n_rows = blocks * own + (blocks - (ring ? 0 : 1)) * joints + (wide ? 1 : 0);
  Chain c{ChebyshevRows(blocks, width), Matrix(n_rows, blocks * width), Matrix(n_rows, 1)};
  Rng rng(7);
  std::size_t i = 0;
  const auto add = [&](std::size_t first, std::size_t span) {
    const double b = rng.uniform() - 0.5;
    double* row = c.rows.add(first, span, b);
    for (std::size_t k = 0; k < span * width; ++k) {
      c.dense(i, (first * width + k) % (blocks * width)) = row[k] = rng.uniform() - 0.5;
    }
    c.rhs(i++, 0) = b;
  };
  for (std::size_t e = 0; e < blocks; ++e) {
    for (std::size_t k = 0; k < own; ++k) add(e, 1);
    for (std::size_t k = 0; k < joints && (ring || e + 1 < blocks); ++k) add(e, 2);
  }
  if (wide) add(0, blocks);
  return c;
}

TEST(ChebyshevRows, AgreesWithDenseLeastSquares) {
  struct Case {
    std::size_t blocks;
    bool ring, wide;
  };
  for (const Case& k : {Case{4, false, false},
                        {4, false, true},
                        {4, true, false},
                        {5, true, false},
                        {3, true, true},
                        {1, false, false}}) {
    const Chain c = random_chain(k.blocks, k.ring, k.wide);
    const ChebyshevRows::Solution s = c.rows.solve();
    ASSERT_EQ(s.status, Factorization::ok);
    EXPECT_EQ(s.free, 0u);
    const LeastSquaresSolution<double> plain = least_squares(c.dense, c.rhs);
    double residual = 0;
    for (std::size_t j = 0; j < s.x.size(); ++j) EXPECT_NEAR(s.x[j], plain.x(j, 0), 1e-12);
    for (std::size_t i = 0; i < c.rows.size(); ++i) {
      const double r = c.rows.product(i, s.x) - c.rows.rhs(i);
      residual += r * r;
    }
    EXPECT_NEAR(s.residual, std::sqrt(residual), 1e-12);
  }
}

TEST(ChebyshevRows, CountsWhatIsFreeAndDropsEmptyRows) {
  ChebyshevRows rows(1, 3);
  double* row = rows.add(0, 1, 4);
  row[0] = 1;
  row[2] = 1;
  EXPECT_NEAR(rows.normalize_last(), std::sqrt(2.0), 4 * eps);
  rows.add(0, 1, 5);
  EXPECT_EQ(rows.normalize_last(), 0);
  EXPECT_EQ(rows.size(), 1u);
  const ChebyshevRows::Solution s = rows.solve();
  EXPECT_EQ(s.free, 2u);
  EXPECT_NEAR(s.x[0], 2, 16 * eps);
  EXPECT_NEAR(s.x[2], 2, 16 * eps);
  rows.add(0, 1, NAN)[0] = 1;
  EXPECT_EQ(rows.solve().status, Factorization::not_finite);
}

TEST(GridFieldPieces, KeepKinksAndAreRestored) {
  const Coordinate x("x");
  auto problem = std::make_shared<Problem>();
  problem->domain = Interval(x, -1, 2);
  problem->fields = {"u"};
  // |x| and its slope, exactly, on pieces of four nodes that meet at 0.
  std::vector<double> nodes = lobatto_points(-1, 0, 4), more = lobatto_points(0, 2, 4), values;
  nodes.insert(nodes.end(), more.begin() + 1, more.end());
  for (const double s : nodes) values.push_back(std::abs(s));
  const GridAxis axis{"x", nodes, GridAxis::Kind::pieces, 0, 4};
  const GridField field("spectral", problem, {axis}, {"u"}, {values});
  Checkpoint saved;
  field.save(saved);
  const auto loaded = GridField::load("spectral", problem, saved);
  const Expr wanted[] = {Field("u"), field_derivative("u", {{"x", 1}})};
  const double at[] = {-1, -0.3, -1e-9, 1e-9, 0.9, 2};
  std::vector<double> out(12), again(12);
  field.evaluate(wanted, at, out);
  loaded->evaluate(wanted, at, again);
  EXPECT_EQ(out, again);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(out[2 * i], std::abs(at[i]), 32 * eps);
    EXPECT_NEAR(out[2 * i + 1], at[i] < 0 ? -1 : 1, 256 * eps);
  }
  GridAxis broken = axis;
  broken.width = 5;
  const auto make = [&] {
    return GridField("spectral", problem, {broken}, {"u"}, {values}).axes().size();
  };
  EXPECT_NE(message_of(make).find("whole pieces"), std::string::npos);
}

}  // namespace
}  // namespace cauchy::detail::test_chebyshev_parts
