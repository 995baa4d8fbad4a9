#include <cauchy/geometry/region.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/geometry/r_functions.hpp>

#include "support/message_of.hpp"
#include "support/region_cases.hpp"

namespace cauchy::test_region {
namespace {

Values at(const Region& region, std::span<const double> x) {
  Values values;
  for (std::size_t i = 0; i < region.dimension(); ++i) {
    values.set(Coordinate(region.coordinates()[i]), x[i]);
  }
  return values;
}

/// Boundary points of a shape, some of every piece: fun(piece, x, normal).
template <class Fun>
void for_boundary_points(const Shape& shape, int n, Fun fun) {
  Rng rng(7);
  const std::size_t d = shape.dimension();
  std::vector<double> u(d), x(d), normal(d);
  for (std::size_t p = 0; p < shape.pieces().size(); ++p) {
    for (int i = 0; i < n; ++i) {
      for (double& v : u) v = rng.uniform();
      if (shape.boundary_point(p, u.data(), x.data(), normal.data())) fun(p, x, normal);
    }
  }
}

class EveryRegion : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cases, EveryRegion, ::testing::ValuesIn(test::region_cases()));

TEST_P(EveryRegion, ReadsBackWhatItPrints) {
  const Region region = parse_region(GetParam());
  const Region again = parse_region(region.str());
  EXPECT_EQ(region.str(), again.str());
  EXPECT_TRUE(same(region.implicit(), again.implicit()));
}

TEST_P(EveryRegion, HasAFormulaThatVanishesOnTheBoundaryWithSlopeOne) {
  const Region region = parse_region(GetParam());
  const Expr f = approximate_distance(region);
  std::vector<Expr> gradient;
  for (const std::string& name : region.coordinates()) gradient.push_back(d(f, Coordinate(name)));
  const ShapePtr shape = region.shape();
  const bool slit = GetParam().find("slit") != std::string::npos;
  int count = 0;
  for_boundary_points(*shape, 20, [&](std::size_t p, auto& x, auto& normal) {
    const Values values = at(region, x);
    // Boundary points are accurate to about 1e-13; sizes here are of order 1.
    EXPECT_LT(std::abs(evaluate(f, values)), 1e-11) << shape->pieces()[p].name;
    ++count;
    if (slit && shape->pieces()[p].name.starts_with("slit")) return;  // |distance| has a kink there
    double along = 0, square = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double g = evaluate(gradient[i], values);
      along -= g * normal[i];
      square += g * g;
    }
    // Inwards, with length 1; corners are avoided by random points.
    EXPECT_LT(std::abs(along - 1), 1e-6) << shape->pieces()[p].name;
    EXPECT_LT(std::abs(square - 1), 1e-6) << shape->pieces()[p].name;
  });
  EXPECT_GE(count, 2);
}

TEST_P(EveryRegion, HasAFormulaWithTheSignOfMembership) {
  const Region region = parse_region(GetParam());
  const Expr f = region.implicit();
  const ShapePtr shape = region.shape();
  const Bounds& box = shape->bounds();
  Rng rng(3);
  std::vector<double> x(region.dimension());
  for (int i = 0; i < 200; ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double margin = 0.2 * (box.upper[k] - box.lower[k]);
      x[k] = rng.uniform(box.lower[k] - margin, box.upper[k] + margin);
    }
    if (std::abs(shape->distance(x.data())) < 1e-9) continue;
    EXPECT_EQ(evaluate(f, at(region, x)) > 0, shape->contains(x.data()));
  }
}

TEST_P(EveryRegion, HasPieceFunctionsThatVanishOnTheirPieceAlone) {
  const Region region = parse_region(GetParam());
  const ShapePtr shape = region.shape();
  for (const Piece& piece : shape->pieces()) {
    if (piece.name.starts_with("slit")) continue;  // both sides are one line
    const Boundary boundary(region, piece.name);
    const Expr f = approximate_distance(boundary);
    for_boundary_points(*shape, 10, [&](std::size_t p, auto& x, auto&) {
      const double value = evaluate(f, at(region, x));
      if (shape->pieces()[p].name == piece.name) {
        // trimmed() has sqrt(f^2): the error of a point shows at first order.
        EXPECT_LT(std::abs(value), 1e-11) << piece.name;
      } else {
        EXPECT_GT(value, 1e-7) << piece.name << " on " << shape->pieces()[p].name;
      }
    });
  }
}

TEST(Region, CombinesOnPaperNotation) {
  const Region plate = Rectangle({-1, -1}, {1, 1}) - Disk({0, 0}, 0.5).named("hole");
  EXPECT_EQ(plate.str(), "rectangle((-1, -1), (1, 1)) - disk((0, 0), 0.5).named(hole)");
  const double inside[] = {0.8, 0.8}, hole[] = {0.1, 0};
  EXPECT_TRUE(plate.shape()->contains(inside));
  EXPECT_FALSE(plate.shape()->contains(hole));
  EXPECT_LT(std::abs(plate.shape()->measure() - (4 - 0.25 * pi)), 1e-14);
}

TEST(Region, TakesParametersInside) {
  const Parameter R("R");
  const Region ring = Disk({0, 0}, 1) - Disk({0, 0}, R);
  EXPECT_EQ(ring.parameters(), std::vector<std::string>{"R"});
  EXPECT_LT(std::abs(ring.shape({{"R", 0.5}})->measure() - 0.75 * pi), 1e-14);
  EXPECT_EQ(message_of([&] { (void)ring.shape(); }),
            "[geometry]: parameter 'R' of the region has no value; give it a number or a range");
  EXPECT_EQ(message_of([&] { (void)ring.shape({{"R", -1}}); }).substr(0, 15), "[geometry.disk]");
  // The formula holds for every value.
  const Expr f = ring.implicit();
  Values values;
  values.set(Coordinate("x"), 0).set(Coordinate("y"), 0.3).set(R, 0.3);
  EXPECT_LT(std::abs(evaluate(f, values)), 1e-15);
}

TEST(Region, MovesItsFormulaWithItsParameters) {
  const Parameter a("a");
  const Region moved = Rectangle({0, 0}, {2, 1}).rotated(a).translated({a, 0});
  const Expr f = moved.implicit();
  for (const double value : {0.0, 0.4, 2.0}) {
    const ShapePtr shape = moved.shape({{"a", value}});
    for_boundary_points(*shape, 5, [&](std::size_t, auto& x, auto&) {
      Values values = at(moved, x);
      values.set(a, value);
      EXPECT_LT(std::abs(evaluate(f, values)), 1e-13);
    });
  }
}

TEST(Region, LivesInOtherCoordinates) {
  const Coordinate r("r"), z("z");
  const Region region = Rectangle({0, 0}, {1, 2}).in({r, z});
  EXPECT_EQ(region.coordinates(), (std::vector<std::string>{"r", "z"}));
  const Expr roots[] = {region.implicit()};
  for (const Expr& e : postorder(roots)) {
    if (e.kind() != Kind::coordinate) continue;
    EXPECT_TRUE(e.name() == "r" || e.name() == "z");
  }
  EXPECT_EQ(message_of([&] {
              (void)(region | Rectangle({0, 0}, {1, 1}));
            }),
            "[geometry]: a region in (r, z) and one in (x, y) cannot be combined; give both the "
            "same coordinates with in()");
  EXPECT_THROW((void)region.in({r}), Error);
  EXPECT_THROW((void)region.in({r, r}), Error);
}

// --- boundaries ---

/// Share of the boundary points of the square that a selection takes, per piece name.
std::map<std::string, double> selected(const Region& region, const std::string& where) {
  const Boundary boundary(region, where);
  const ShapePtr shape = region.shape();
  std::map<std::string, double> yes, all;
  for_boundary_points(*shape, 200, [&](std::size_t p, auto& x, auto&) {
    const Piece& piece = shape->pieces()[p];
    all[piece.name] += 1;
    yes[piece.name] += evaluate(boundary.condition(piece), at(region, x));
  });
  for (auto& [name, value] : yes) value /= all[name];
  return yes;
}

using Shares = std::map<std::string, double>;

TEST(Boundary, SelectsByNameConditionAndBoth) {
  const Region square = Rectangle({0, 0}, {1, 1});
  EXPECT_EQ(selected(square, "boundary"),
            (Shares{{"left", 1}, {"right", 1}, {"bottom", 1}, {"top", 1}}));
  EXPECT_EQ(selected(square, "left or right"),
            (Shares{{"left", 1}, {"right", 1}, {"bottom", 0}, {"top", 0}}));
  EXPECT_EQ(selected(square, "not left"),
            (Shares{{"left", 0}, {"right", 1}, {"bottom", 1}, {"top", 1}}));
  EXPECT_EQ(selected(square, "y = 0"),
            (Shares{{"left", 0}, {"right", 0}, {"bottom", 1}, {"top", 0}}));
  const Shares part = selected(square, "bottom and x > 0.3");
  EXPECT_LT(std::abs(part.at("bottom") - 0.7), 0.15);  // 4 sigma of 200 points
  EXPECT_EQ(part.at("top"), 0);
}

TEST(Boundary, KnowsTagsAndKeepsThemThroughCombinations) {
  const Region square = Rectangle({0, 0}, {2, 1}).tagged("inlet", "x = 0 and y > 0.5");
  const Region region = (square - Disk({2, 1}, 0.5)).translated({10, 0});
  const Shares share = selected(region, "inlet");
  EXPECT_LT(std::abs(share.at("left") - 0.5), 0.15);
  EXPECT_EQ(share.at("right"), 0);
  EXPECT_EQ(share.at("arc"), 0);
  const Shares rest = selected(region, "not inlet");
  EXPECT_LT(std::abs(rest.at("left") - 0.5), 0.15);
  EXPECT_EQ(rest.at("arc"), 1);
}

TEST(Boundary, TagsOfOneOperandDoNotReachTheOther) {
  // Both have pieces on x < 0; only those of the tagged disk count.
  const Region left = Disk({0, 0}, 1).named("a").tagged("half", "x < 0");
  const Region region = left | Disk({-3, 0}, 1).named("b");
  const Shares share = selected(region, "half");
  EXPECT_EQ(share.at("b_arc"), 0);
  EXPECT_LT(std::abs(share.at("a_arc") - 0.5), 0.15);
}

TEST(Boundary, NamesWhatIsWrong) {
  const Region square = Rectangle({0, 0}, {1, 1});
  EXPECT_EQ(message_of([&] { (void)Boundary(square, "lefd"); }),
            "where:1:1: unknown name 'lefd'; did you mean 'left'?");
  EXPECT_EQ(message_of([&] { (void)Boundary(square, "x"); }),
            "where:1:1: 'x' is no condition; compare it with something: \"x > 0\"");
  EXPECT_EQ(message_of([&] { (void)Boundary(square, "y = 0 or 1"); }),
            "where:1:10: '1' is no condition; write \"y = 0 or y = 1\"");
  EXPECT_THROW((void)square.tagged("in let", "x = 0"), Error);
  EXPECT_THROW((void)square.tagged("inlet", "q = 0"), Error);
}

TEST(Boundary, TrimsFunctionsByConditions) {
  const Region square = Rectangle({0, 0}, {1, 1});
  const Expr f = approximate_distance(Boundary(square, "y = 0 and x > 0.5"));
  const auto value = [&](double vx, double vy) {
    const double point[] = {vx, vy};
    return evaluate(f, at(square, point));
  };
  EXPECT_LT(value(0.75, 0), 1e-15);
  EXPECT_GT(value(0.25, 0), 0.01);
  EXPECT_GT(value(0.75, 1), 0.1);
  EXPECT_LT(std::abs(value(0.75, 1e-5) / 1e-5 - 1), 1e-3);
}

TEST(Boundary, FunctionsVanishAtCornersToo) {
  const Region square = Rectangle({0, 0}, {2, 1});
  const Expr f = approximate_distance(Boundary(square, "boundary"));
  for (const double vx : {0.0, 2.0}) {
    for (const double vy : {0.0, 1.0}) {
      const double corner[] = {vx, vy};
      EXPECT_EQ(evaluate(f, at(square, corner)), 0);
    }
  }
}

// --- text ---

TEST(ParseRegion, ReadsPointsNumbersParametersAndMethods) {
  Context context;
  context.add_parameter("R");
  EXPECT_EQ(parse_region("disk(0, 0, 1)").str(), "disk((0, 0), 1)");
  EXPECT_EQ(parse_region(" disk( [0,0] , (1+R)/2 ) ", context).parameters(),
            std::vector<std::string>{"R"});
  EXPECT_EQ(parse_region("disk((0,0),1)|disk((3,0),1)-disk((0,0),0.5)").str(),
            "disk((0, 0), 1) | disk((3, 0), 1) - disk((0, 0), 0.5)");
  EXPECT_EQ(parse_region("(disk((0,0),1) | disk((1,0),1)) & rectangle((0,0),(1,1))").str(),
            "(disk((0, 0), 1) | disk((1, 0), 1)) & rectangle((0, 0), (1, 1))");
  EXPECT_EQ(parse_region("box((0,0,0),(1,1,1)).rotated((0,0,1), pi/4, (1,1,1))").dimension(), 3u);
  EXPECT_EQ(parse_region("interval(0, 1).in(r)").coordinates(), std::vector<std::string>{"r"});
}

struct BadText {
  const char *text, *message;
};
class BadRegionText : public ::testing::TestWithParam<BadText> {};
INSTANTIATE_TEST_SUITE_P(
    Cases, BadRegionText,
    ::testing::Values(
        BadText{"", "region:1:1: the region is empty; write for example disk((0, 0), 1)"},
        BadText{"dsk((0, 0), 1)", "region:1:1: unknown region 'dsk'; did you mean 'disk'?"},
        BadText{"disk((0, 0), 1) + disk((0, 0), 1)",
                "region:1:17: unexpected '+'; regions are put together with |, & and -"},
        BadText{"disk((0, 0), q)", "region:1:14: unknown name 'q'"},
        BadText{"disk((0, 0))",
                "region:1:1: 2 numbers do not fit disk(center, radius); give every argument its "
                "numbers"},
        BadText{"disk((0, 0), 1", "region:1:5: this '(' is never closed; add ')'"},
        BadText{"disk((0, 0), )", "region:1:14: an argument of 'disk' is missing"},
        BadText{"disk", "region:1:5: 'disk' needs arguments in brackets"},
        BadText{"disk((0, 0), 1).moved(1, 0)",
                "region:1:17: unknown method 'moved'; methods are: "
                "translated, rotated, scaled, named, tagged, in"},
        BadText{"disk((0, 0), 1).scalde(2)",
                "region:1:17: unknown method 'scalde'; did you mean 'scaled'?"},
        BadText{"disk((0, 0), 1) -", "region:1:18: the text ends where a region is expected"},
        BadText{"(disk((0, 0), 1)", "region:1:17: expected ')'"},
        BadText{"disk((0, 0), 1) & box((0,0,0),(1,1,1))",
                "region:1:17: a region in (x, y) and one in (x, y, z) cannot be combined; give "
                "both the same coordinates with in()"},
        BadText{"surface(part)",
                "region:1:1: surface needs one file name in quotes; surface(\"part.stl\")"},
        BadText{"disk((0, 0); 1)", "region:1:1: ';' in disk; only polygons have holes"}));

TEST(Region, OfTooManyOperationsInARowIsRefused) {
  Region moved = Disk({0, 0}, 1);
  const std::string message = message_of([&] {
    for (int i = 0; i < 1100; ++i) moved = moved.named("a").translated({0, 0});
  });
  EXPECT_NE(message.find("a region of more than 1000 operations in a row"), std::string::npos);
  // Groups are not deep, however many regions they hold.
  Region both = Disk({0, 0}, 1);
  for (int i = 0; i < 6; ++i) both = both | both.translated({3 * (1 << i), 0});
  EXPECT_EQ(both.dimension(), 2u);
}

TEST_P(BadRegionText, IsRefusedWithPlaceAndFix) {
  EXPECT_EQ(message_of([] {
              (void)parse_region(GetParam().text);
            }).substr(0, std::string(GetParam().message).size()),
            GetParam().message);
}

}  // namespace
}  // namespace cauchy::test_region
