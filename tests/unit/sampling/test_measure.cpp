#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/measure.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace cauchy::test_measure {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const Parameter R("R");

/// A shape that keeps its measure to itself, to compare the points with the formula.
class Secret final : public Shape {
 public:
  explicit Secret(ShapePtr shape) : shape_(std::move(shape)) {
    bounds_ = shape_->bounds();
    pieces_.assign(shape_->pieces().begin(), shape_->pieces().end());
  }
  [[nodiscard]] double distance(const double* x) const override { return shape_->distance(x); }
  [[nodiscard]] bool contains(const double* x) const override { return shape_->contains(x); }
  Nearest nearest(const double* x, double* foot, double* normal) const override {
    return shape_->nearest(x, foot, normal);
  }
  bool boundary_point(std::size_t piece, const double* u, double* x,
                      double* normal) const override {
    return shape_->boundary_point(piece, u, x, normal);
  }

 protected:
  [[nodiscard]] std::shared_ptr<Shape> clone() const override {
    return std::make_shared<Secret>(*this);
  }

 private:
  ShapePtr shape_;
};

TEST(Measure, IsExactWhereThereIsAClosedForm) {
  const Estimate disk = measure(*Disk({0, 0}, 2).shape());
  EXPECT_TRUE(disk.exact);
  EXPECT_EQ(disk.error, 0);
  EXPECT_EQ(disk.n, 0U);
  EXPECT_LT(std::abs(disk.value - 4 * pi), 8 * eps * 4 * pi);
  EXPECT_TRUE(std::isinf(measure(*HalfPlane({0, 0}, {1, 0}).shape()).value));
}

TEST(Measure, ByPointsAgreesWithTheFormulaWithinItsError) {
  const Region regions[] = {Interval(0, 1),
                            Disk({0.3, 0}, 2),
                            Ellipse({0, 0}, 3, 0.2),
                            Annulus({0, 0}, 0.9, 1),
                            Sector({0, 0}, 1, 0.3, 2),
                            Triangle({0, 0}, {1, 0.1}, {0.3, 2}),
                            Rectangle({0, 0}, {2, 1}) - Disk({1, 0}, 0.25),
                            Ball({0, 0, 0}, 1.5),
                            Ball({0, 0, 0, 0, 0}, 1),
                            Ellipsoid({0, 0, 0}, {1, 2, 3}),
                            Cylinder({0, 0, 0}, {1, 1, 1}, 0.5),
                            Cone({0, 0, 0}, {0, 0, 2}, 1),
                            Torus({0, 0, 0}, {0, 0, 1}, 2, 0.5),
                            Tetrahedron({0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2})};
  for (const Region& region : regions) {
    const ShapePtr shape = region.shape();
    ASSERT_FALSE(std::isnan(shape->measure())) << region.str();
    const Estimate estimate = measure(Secret(shape));
    EXPECT_FALSE(estimate.exact);
    EXPECT_EQ(estimate.n, 1U << 14U);
    // Student's t with 15 degrees of freedom exceeds 5 once in 6,000.
    EXPECT_LE(std::abs(estimate.value - shape->measure()),
              5 * estimate.error + 64 * eps * shape->measure())
        << region.str();
    // Far better than n random points: the worst case of their deviation is half the box.
    EXPECT_LT(estimate.error, 0.012 * shape->measure()) << region.str();
  }
}

TEST(Measure, OfATrimmedSolidComesWithAnHonestError) {
  // The cube without an octant of a ball of radius 1/2.
  const Estimate volume = measure(*(Box({0, 0, 0}, {1, 1, 1}) - Ball({0, 0, 0}, 0.5)).shape());
  EXPECT_LE(std::abs(volume.value - (1 - pi / 48)), 5 * volume.error + 64 * eps);
  EXPECT_EQ(volume.error == 0, volume.exact);
}

TEST(BoundaryMeasure, IsExactWhereThePiecesAre) {
  const Region region = Rectangle({0, 0}, {2, 1}) - Disk({1, 0.5}, 0.25).named("hole");
  const Estimate all = boundary_measure(region);
  EXPECT_TRUE(all.exact);
  EXPECT_LT(std::abs(all.value - (6 + pi / 2)), 64 * eps * 8);
  EXPECT_LT(std::abs(boundary_measure(region, "hole").value - pi / 2), 64 * eps * 2);
  EXPECT_EQ(boundary_measure(Interval(0, 1)).value, 2);
  const Domain disk = Domain(Disk({0, 0}, R)).with({{"R", 2}});
  EXPECT_LT(std::abs(boundary_measure(disk).value - 4 * pi), 64 * eps * 13);
}

TEST(BoundaryMeasure, OfConditionsAndTrimmedPiecesIsWithinItsError) {
  const Estimate part = boundary_measure(Rectangle({0, 0}, {2, 1}), "left or y = 0 and x > 0.3");
  EXPECT_FALSE(part.exact);
  EXPECT_GT(part.error, 0);
  EXPECT_LT(part.error, 0.01);
  EXPECT_LT(std::abs(part.value - 2.7), 5 * part.error);
  const Region bitten = Box({0, 0, 0}, {1, 1, 1}) - Ball({0, 0, 0}, 0.5).named("bite");
  const Estimate bite = boundary_measure(bitten, "bite");
  EXPECT_LE(std::abs(bite.value - pi / 8), 5 * bite.error + 64 * eps);
  const Estimate all = boundary_measure(bitten);
  EXPECT_LE(std::abs(all.value - (6 - 3 * pi / 16 + pi / 8)), 5 * all.error + 64 * eps * 6);
}

TEST(Measure, RejectsBadInput) {
  EXPECT_THROW((void)measure(*Disk({0, 0}, 1).shape(), 31), Error);
  EXPECT_THROW((void)measure(Secret(HalfPlane({0, 0}, {1, 0}).shape())), Error);
  EXPECT_THROW((void)boundary_measure(Disk({0, 0}, 1), "arc", 0), Error);
  EXPECT_THROW((void)boundary_measure(Disk({0, 0}, 1), "not arc"), Error);
  EXPECT_THROW((void)boundary_measure(Disk({0, 0}, R) * Range(R, 1, 2)), Error);
  EXPECT_THROW((void)boundary_measure(Time(Coordinate("t"), 0, 1)), Error);
}

TEST(Measure, APartThatChangesWithTimeHasItsMean) {
  const Coordinate t("t");
  const Domain plate = Domain(Rectangle({0, 0}, {2, 1})) * Time(t, 0, 4);
  const Estimate part = boundary_measure(plate, "top and t > 3 or left");
  // A quarter of 2, and 1.
  EXPECT_LT(std::abs(part.value - 1.5), 5 * part.error + 1e-12);
  EXPECT_LT(part.error, 1e-2);
}

}  // namespace
}  // namespace cauchy::test_measure
