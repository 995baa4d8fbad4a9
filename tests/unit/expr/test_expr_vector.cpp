#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/vector.hpp>

#include "support/random_expr.hpp"

namespace cauchy::test_expr_vector {
namespace {

const Coordinate x("x"), y("y"), z("z");
const Field u("u"), v("v"), w("w"), f("f"), g("g");
const Space space{x, y, z};

#define EXPECT_SAME(a, b) \
  EXPECT_TRUE(same(Expr(a), Expr(b))) << to_string(Expr(a)) << "  and  " << to_string(Expr(b))

void expect_same(const Vector& a, const Vector& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_SAME(a[i], b[i]);
}

TEST(Vector, HasComponentwiseArithmetic) {
  expect_same(Vector{u, v} + Vector{w, f}, {u + w, v + f});
  expect_same(Vector{u, v} - Vector{w, f}, {u - w, v - f});
  expect_same(-Vector{u, v}, {-u, -v});
  expect_same(f * Vector{u, v}, {f * u, f * v});
  expect_same(Vector{u, v} * f, {f * u, f * v});
  expect_same(Vector{u, 7 * v} / (5 * f), {u / (5 * f), 7 * v / (5 * f)});
  EXPECT_SAME(dot(Vector{u, v}, Vector{w, f}), u * w + v * f);
  EXPECT_SAME(norm2(Vector{u, v}), pow(u, 2) + pow(v, 2));
}

TEST(Vector, DivergenceOfAGradientIsTheLaplacian) {
  EXPECT_SAME(div(grad(f, space), space), laplacian(f, space));
  EXPECT_SAME(laplacian(f, space), d(f, x, x) + d(f, y, y) + d(f, z, z));
  expect_same(laplacian(Vector{u, v}, space), {laplacian(u, space), laplacian(v, space)});
}

TEST(Vector, CurlOfAGradientAndDivergenceOfACurlVanish) {
  expect_same(curl(grad(f, space), space), {0, 0, 0});
  expect_same(curl(grad(f * g, space), space), {0, 0, 0});
  EXPECT_SAME(div(curl(Vector{u, v, w}, space), space), 0);
  EXPECT_SAME(div(curl(Vector{sin(u), v * x, w * u}, space), space), 0);
  EXPECT_SAME(curl2(grad(f, {x, y}), {x, y}), 0);
  EXPECT_SAME(curl2(Vector{u, v}, {x, y}), d(v, x) - d(u, y));
}

TEST(Vector, ObeysTheProductRules) {
  const Vector a{u, v, w};
  expect_same(grad(f * g, space), f * grad(g, space) + g * grad(f, space));
  EXPECT_SAME(div(f * a, space),
              dot(grad(f, space), a) + sum({f * d(u, x), f * d(v, y), f * d(w, z)}));
  const Vector left = curl(f * a, space);
  const Vector gf = grad(f, space);
  const Vector cross{gf[1] * w - gf[2] * v, gf[2] * u - gf[0] * w, gf[0] * v - gf[1] * u};
  const Vector c = curl(a, space);
  // The two sides differ by an expansion, so they are compared as numbers.
  testing::RandomExpr random(5);
  Values values;
  for (const Expr& component : left.components()) {
    for (const Expr& e : postorder(std::array{component})) {
      if (e.is_atom()) values.set(e, random.uniform(-1, 1));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double expected = evaluate(f * c[i] + cross[i], values);
    // 8 products of numbers below 1: 16 roundings.
    EXPECT_LT(std::abs(evaluate(left[i], values) - expected), 16 * 2.3e-16);
  }
}

TEST(Vector, ThrowsWhenSizesDoNotAgree) {
  EXPECT_THROW((Vector{u, v} + Vector{u}), Error);
  EXPECT_THROW((void)(Vector{u, v} - Vector{u}), Error);
  EXPECT_THROW((void)dot(Vector{u, v}, Vector{u}), Error);
  EXPECT_THROW((void)div(Vector{u, v}, space), Error);
  EXPECT_THROW((void)curl(Vector{u, v}, {x, y}), Error);
  EXPECT_THROW((void)curl2(Vector{u, v, w}, space), Error);
  EXPECT_THROW((void)(Vector{u, v} / Expr(0)), Error);
}

}  // namespace
}  // namespace cauchy::test_expr_vector
