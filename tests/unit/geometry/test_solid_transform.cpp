#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <cauchy/base/error.hpp>

#include "support/solid_cases.hpp"

namespace cauchy::test_solid_transform {
namespace {

using namespace solid_test;
using std::numbers::pi;

Affine turn() {
  Affine a = Affine::rotation(Point3{1, -2, 0.5}, 0.7, Point3{0.2, 0.1, 0});
  for (double& v : a.linear) v *= 1.7;
  a.shift = {0.3, -1, 2};
  return a;
}

Affine shear() {
  Affine a = Affine::identity(3);
  a.linear = {1.3, 0.4, 0, -0.2, 0.8, 0.3, 0.1, 0, 1.6};
  a.shift = {1, 0, -0.5};
  return a;
}

/// The primitives of three dimensions.
std::vector<Case> solids() {
  std::vector<Case> cases;
  for (Case& c : primitives()) {
    if (c.shape->dimension() == 3) cases.push_back(std::move(c));
  }
  return cases;
}

/// Volume, pieces, boundary points and maps of an image.
void check_image(const Case& c, const ShapePtr& image, const Affine& a, double area_tol) {
  const double factor = std::abs(a.determinant());
  const double size = size_of(*image);
  EXPECT_LT(std::abs(image->measure() / (factor * c.shape->measure()) - 1), 1e-12) << c.name;
  const Estimate e = monte_carlo_volume(*image, 4000, 3);
  EXPECT_LT(std::abs(e.value - image->measure()), 4 * e.deviation + 1e-12) << c.name;
  ASSERT_EQ(image->pieces().size(), c.shape->pieces().size());
  Rng rng(7);
  for (int k = 0; k < 50; ++k) {
    const auto x = random_point(*c.shape, rng, 0.3);
    std::vector<double> y(3), foot(3), normal(3);
    a.apply(x.data(), y.data());
    EXPECT_EQ(image->contains(y.data()), c.shape->contains(x.data())) << c.name;
    EXPECT_EQ(image->distance(y.data()) > 0, c.shape->contains(x.data())) << c.name;
    const Nearest near = image->nearest(y.data(), foot.data(), normal.data());
    EXPECT_LT(std::abs(image->distance(foot.data())), 1e-12 * size) << c.name;
    if (image->is_exact()) {
      EXPECT_LT(std::abs(separation(y, foot) - std::abs(near.distance)), 1e-12 * size) << c.name;
    } else {
      EXPECT_GT(separation(y, foot), std::abs(near.distance) - 1e-12 * size) << c.name;
    }
    EXPECT_EQ(distance_is_exact_at(*image, y.data()), image->is_exact()) << c.name;
  }
  for (std::size_t piece = 0; piece < image->pieces().size(); ++piece) {
    EXPECT_EQ(image->pieces()[piece].name, c.shape->pieces()[piece].name);
    EXPECT_EQ(image->pieces()[piece].labels, c.shape->pieces()[piece].labels);
    std::vector<double> x(3), n(3);
    const auto map = [&](const double* u, double* y) {
      image->boundary_point(piece, u, y, n.data());
    };
    for (int k = 0; k < 10; ++k) {
      auto u = random_unit(2, rng);
      for (double& v : u) v = 0.05 + 0.9 * v;
      EXPECT_TRUE(image->boundary_point(piece, u.data(), x.data(), n.data()));
      EXPECT_LT(std::abs(image->distance(x.data())), 1e-12 * size) << c.name;
      EXPECT_TRUE(image->contains(moved(x, n, -1e-7).data())) << c.name;
      EXPECT_FALSE(image->contains(moved(x, n, 1e-7).data())) << c.name;
      // The direction is the normal: neighbours on the surface are at right angles to it.
      EXPECT_LT(std::abs(stretch(map, u, 3, 1e-5) / image->pieces()[piece].measure - 1), area_tol)
          << c.name << " " << image->pieces()[piece].name;
      auto v = u;
      v[0] += 1e-6;
      std::vector<double> z(3), unused(3);
      image->boundary_point(piece, v.data(), z.data(), unused.data());
      image->boundary_point(piece, u.data(), x.data(), n.data());
      double along = 0;
      for (std::size_t i = 0; i < 3; ++i) along += (z[i] - x[i]) * n[i];
      EXPECT_LT(std::abs(along), 1e-4 * separation(z, x) + 1e-14) << c.name;
    }
  }
  // Boundary points are never nearer than the distance says.
  for (int k = 0; k < 20; ++k) {
    const auto p = random_point(*image, rng, 0.3);
    const double distance = std::abs(image->distance(p.data()));
    for (int l = 0; l < 200; ++l) {
      const auto u = random_unit(2, rng);
      std::vector<double> x(3), n(3);
      image->boundary_point(rng.integer(image->pieces().size()), u.data(), x.data(), n.data());
      EXPECT_GT(separation(p, x), distance - 1e-12 * size) << c.name;
    }
  }
}

TEST(SolidTransform, SimilaritiesKeepEverythingExact) {
  const Affine a = turn();
  for (const Case& c : solids()) {
    const ShapePtr image = transform(c.shape, a);
    EXPECT_TRUE(image->is_exact()) << c.name;
    check_image(c, image, a, 3e-5);
    Rng rng(1);
    for (int k = 0; k < 50; ++k) {
      const auto x = random_point(*c.shape, rng, 0.5);
      std::vector<double> y(3);
      a.apply(x.data(), y.data());
      EXPECT_LT(std::abs(image->distance(y.data()) - 1.7 * c.shape->distance(x.data())), 1e-13 * 10)
          << c.name;
    }
  }
}

TEST(SolidTransform, UnevenMapsKeepSignsAreasAndBounds) {
  const Affine a = shear();
  for (const Case& c : solids()) {
    const ShapePtr image = transform(c.shape, a);
    // Ellipsoids stay ellipsoids and tetrahedra tetrahedra.
    const bool exact = c.name == "ball" || c.name == "tetrahedron" || c.name == "ellipsoid" ||
                       c.name == "oblate spheroid" || c.name == "prolate spheroid";
    EXPECT_EQ(image->is_exact(), exact) << c.name;
    check_image(c, image, a, 2e-4);
    // Maps from the cube still take equal volumes to equal volumes.
    const auto map = [&](const double* u, double* x) { image->map(u, x); };
    const std::vector<double> u = {0.3, 0.6, 0.4};
    EXPECT_LT(std::abs(stretch(map, u, 3, 1e-5) / image->measure() - 1), 1e-6) << c.name;
  }
}

TEST(SolidTransform, AxisParallelStretchesKeepTheirKind) {
  const Affine stretch3 = Affine::scaling(Point3{2, -3, 0.5}, Point3{1, 0, 2});
  for (const Case& c : solids()) {
    if (c.name != "box" && c.name != "ball" && c.name != "ellipsoid") continue;
    const ShapePtr image = transform(c.shape, stretch3);
    EXPECT_TRUE(image->is_exact()) << c.name;
    if (c.name != "box") check_image(c, image, stretch3, 1e-3);
  }
  // A mirrored box: the piece that was in front is now behind, under its name.
  const std::vector<double> zero(3, 0.0), one(3, 1.0);
  const ShapePtr mirrored =
      transform(box_shape(zero, one), Affine::scaling(Point3{1, -2, 1}, zero));
  EXPECT_EQ(mirrored->bounds().lower[1], -2);
  for (std::size_t k = 0; k < 6; ++k) {
    const double u[2] = {0.5, 0.5};
    Point3 x{}, n{};
    mirrored->boundary_point(k, u, x.data(), n.data());
    if (mirrored->pieces()[k].name == "front") {
      EXPECT_EQ(x[1], 0);
      EXPECT_EQ(n[1], 1);
    }
    if (mirrored->pieces()[k].name == "back") {
      EXPECT_EQ(x[1], -2);
    }
  }
  // Along its axis a cylinder may be stretched.
  const ShapePtr tall =
      transform(cylinder_shape({0, 0, 0}, {0, 0, 1}, 1), Affine::scaling(Point3{2, 2, 5}, zero));
  EXPECT_TRUE(tall->is_exact());
  EXPECT_DOUBLE_EQ(tall->measure(), 20 * pi);
  EXPECT_FALSE(
      transform(cylinder_shape({0, 0, 0}, {0, 0, 1}, 1), Affine::scaling(Point3{2, 3, 5}, zero))
          ->is_exact());
  // An elliptic cylinder: 2 pi sqrt((a^2 + b^2) / 2) is not its girth, the elliptic integral is.
  const ShapePtr oval =
      transform(cylinder_shape({0, 0, 0}, {0, 0, 1}, 1), Affine::scaling(Point3{2, 1, 1}, zero));
  EXPECT_LT(std::abs(oval->pieces()[0].measure - 9.688448220547675), 1e-9);
  EXPECT_LT(std::abs(oval->pieces()[1].measure - 2 * pi), 1e-12);
}

TEST(SolidTransform, TransformationsComposeIntoOne) {
  // Squeezed and stretched back: nothing is lost.
  const ShapePtr torus = torus_shape({0, 0, 0}, {0, 0, 1}, 2, 0.5);
  const Point3 zero{};
  const ShapePtr there = transform(torus, Affine::scaling(Point3{2, 1, 1}, zero));
  EXPECT_FALSE(there->is_exact());
  const ShapePtr back = transform(there, Affine::scaling(Point3{0.5, 1, 1}, zero));
  EXPECT_TRUE(back->is_exact());
  EXPECT_DOUBLE_EQ(back->measure(), torus->measure());
  // A turned box turned back by another turn is exact and as large as before.
  const std::vector<double> lower(3, -1.0), upper = {1, 2, 3};
  const ShapePtr turned = transform(box_shape(lower, upper), turn())->renamed("brick");
  const ShapePtr twice = transform(turned, turn());
  EXPECT_TRUE(twice->is_exact());
  EXPECT_EQ(twice->pieces()[0].name, "brick_left");
  EXPECT_LT(std::abs(twice->measure() / (24 * std::pow(1.7, 6)) - 1), 1e-12);
}

TEST(SolidTransform, WorksInMoreDimensions) {
  const std::vector<double> zero(4, 0.0), one(4, 1.0);
  Affine a = Affine::identity(4);
  a.linear[1] = 0.5;  // a shear keeps the volume and widens faces
  const ShapePtr image = transform(box_shape(zero, one), a);
  EXPECT_DOUBLE_EQ(image->measure(), 1);
  EXPECT_NEAR(image->pieces()[0].measure, std::sqrt(1.25), 1e-14);
  EXPECT_DOUBLE_EQ(image->pieces()[2].measure, 1);
  const ShapePtr ball =
      transform(ball_shape(zero, 1), Affine::scaling(std::vector<double>{1, 2, 1, 1}, zero));
  EXPECT_DOUBLE_EQ(ball->measure(), pi * pi);
  EXPECT_TRUE(std::isnan(ball->pieces()[0].carrier_measure));
  std::vector<double> x(4), n(4);
  EXPECT_THROW(ball->boundary_point(0, one.data(), x.data(), n.data()), Error);
}

TEST(SolidTransform, RefusesMapsThatFlattenOrAreNotNumbers) {
  const std::vector<double> zero(3, 0.0);
  Affine flat = Affine::identity(3);
  flat.linear[8] = 0;
  EXPECT_THROW((void)transform(ball_shape(zero, 1), flat), Error);
  Affine nan = Affine::identity(3);
  nan.shift[1] = NAN;
  EXPECT_THROW((void)transform(ball_shape(zero, 1), nan), Error);
  EXPECT_THROW((void)transform(ball_shape(zero, 1), Affine::identity(4)), Error);
}

}  // namespace
}  // namespace cauchy::test_solid_transform
