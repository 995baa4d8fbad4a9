// Elements: tractions on places by name, by coordinates, by tags and by the tags of a mesh.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/mesh_region.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/auto_classical/prepared_auto_classical.hpp"

namespace cauchy::test_fem_tractions {
namespace {

const Coordinate x("x"), y("y"), z("z");
const Field u("u"), v("v"), w("w");
constexpr double nu = 0.3;
const double c = 1 / (1 - nu * nu), g = 1 / (2 * (1 + nu));
const Expr sxx = c * (d(u, x) + nu * d(v, y)), syy = c * (d(v, y) + nu * d(u, x)),
           sxy = g * (d(u, y) + d(v, x));

/// Plane stress with E = 1.
Problem plate(const Region& region) {
  Problem p;
  p.domain = region;
  p.fields = {"u", "v"};
  p.equation = {d(sxx, x) + d(sxy, y) == 0, d(sxy, x) + d(syy, y) == 0};
  return p;
}

/// The same by Navier's equations.
Problem navier(const Region& region) {
  Problem p = plate(region);
  p.equation = {c * d(u, x, x) + g * d(u, y, y) + (c * nu + g) * d(v, x, y) == 0,
                c * d(v, y, y) + g * d(v, x, x) + (c * nu + g) * d(u, x, y) == 0};
  return p;
}

struct Sides {
  std::string left, right, bottom, top;
};
const std::vector<Sides> spellings = {{"left", "right", "bottom", "top"},
                                      {"x = 0", "x = 1", "y = 0", "y = 1"}};

double at(const Solution& s, const Expr& e, std::vector<double> point) {
  double out = 0;
  s.model->evaluate(std::vector<Expr>{e}, point, std::span(&out, 1));
  return out;
}

TEST(FemTractions, APulledPlateIsAsLongByCoordinatesAsByNames) {
  for (const bool in_navier : {false, true}) {
    for (const Sides& on_side : spellings) {
      const Region square = Rectangle({0, 0}, {1, 1});
      Problem p = in_navier ? navier(square) : plate(square);
      p.condition = {on(on_side.left, u == 0),    on(on_side.left, sxy == 0),
                     on(on_side.bottom, v == 0),  on(on_side.bottom, sxy == 0),
                     on(on_side.right, sxx == 0), on(on_side.right, sxy == 0),
                     on(on_side.top, syy == 1),   on(on_side.top, sxy == 0)};
      const Solution s = solve(p, Fem{.n = 4, .order = 2});
      EXPECT_NEAR(at(s, v, {1, 1}), 1, 1e-10) << on_side.top << in_navier;
      EXPECT_NEAR(at(s, u, {1, 1}), -nu, 1e-10) << on_side.top << in_navier;
    }
  }
}

TEST(FemTractions, AShearThatIsOneConditionForSeveralSides) {
  // u = 0.4 y: sxy = 0.4 g all around.
  for (const std::string place : {"top or left or right", "y = 0.8 or x = 0 or x = 1.4"}) {
    Problem p = plate(Rectangle({0, 0}, {1.4, 0.8}));
    p.condition = {on("y = 0", u == 0), on("y = 0", v == 0), on(place, sxy == 0.4 * g),
                   on("y = 0.8", syy == 0), on("x = 0 or x = 1.4", sxx == 0)};
    const Solution s = solve(p, Fem{.n = 4, .order = 2});
    EXPECT_NEAR(at(s, u, {1.1, 0.7}), 0.28, 1e-10) << place;
    EXPECT_NEAR(at(s, v, {1.1, 0.7}), 0, 1e-10) << place;
  }
}

TEST(FemTractions, APlateWithAHoleByTags) {
  const Region body = Rectangle({0, 0}, {1, 1}) - Disk({0, 0}, 0.3).named("hole");
  const Region tagged = body.tagged("pulled", "y = 1").tagged("free", "x = 1");
  std::vector<double> found;
  for (const auto& [free, pulled] :
       {std::pair{"right", "top"}, std::pair{"x = 1", "y = 1"}, std::pair{"free", "pulled"}}) {
    Problem p = plate(tagged);
    const Expr nx = normal_component("x"), ny = normal_component("y");
    p.condition = {on("left", u == 0),
                   on("left", sxy == 0),
                   on("bottom", v == 0),
                   on("bottom", sxy == 0),
                   on(free, sxx == 0),
                   on(free, sxy == 0),
                   on(pulled, syy == 1),
                   on(pulled, sxy == 0),
                   on("hole", sxx * nx + sxy * ny == 0),
                   on("hole", sxy * nx + syy * ny == 0)};
    const Solution s = solve(p, Fem{.n = 8, .order = 2});
    found.push_back(at(s, v, {0.1, 1}));
  }
  EXPECT_NEAR(found[1], found[0], 1e-9);
  EXPECT_NEAR(found[2], found[0], 1e-9);
  EXPECT_GT(found[0], 1);  // above the hole it gives way
  EXPECT_LT(found[0], 2);
}

TEST(FemTractions, ABarInSpaceIsPulledByCoordinates) {
  const double la = nu / ((1 + nu) * (1 - 2 * nu)), mu = g;
  const Expr div = d(u, x) + d(v, y) + d(w, z);
  const Expr s1 = la * div + 2 * mu * d(u, x), s2 = la * div + 2 * mu * d(v, y),
             s3 = la * div + 2 * mu * d(w, z), t12 = mu * (d(u, y) + d(v, x)),
             t13 = mu * (d(u, z) + d(w, x)), t23 = mu * (d(v, z) + d(w, y));
  for (const bool by_name : {true, false}) {
    Problem p;
    p.domain = Box({0, 0, 0}, {1, 1, 2});
    p.fields = {"u", "v", "w"};
    p.equation = {d(s1, x) + d(t12, y) + d(t13, z) == 0, d(t12, x) + d(s2, y) + d(t23, z) == 0,
                  d(t13, x) + d(t23, y) + d(s3, z) == 0};
    const auto place = [&](const std::string& name, const std::string& coordinates) {
      return by_name ? name : coordinates;
    };
    const std::string x0 = place("left", "x = 0"), x1 = place("right", "x = 1"),
                      y0 = place("front", "y = 0"), y1 = place("back", "y = 1"),
                      z0 = place("bottom", "z = 0"), z1 = place("top", "z = 2");
    const std::string xs = x0 + " or " + x1, ys = y0 + " or " + y1, zs = z0 + " or " + z1;
    p.condition = {on(x0, u == 0),
                   on(y0, v == 0),
                   on(z0, w == 0),
                   on(x1, s1 == 0),
                   on(y1, s2 == 0),
                   on(z1, s3 == 1),
                   on(xs + " or " + ys, t12 == 0),
                   on(xs + " or " + zs, t13 == 0),
                   on(ys + " or " + zs, t23 == 0)};
    const Solution s = solve(p, Fem{.n = 3, .order = 1});
    EXPECT_NEAR(at(s, w, {1, 1, 2}), 2, 1e-8) << z1;
    EXPECT_NEAR(at(s, u, {1, 1, 2}), -nu, 1e-8) << z1;
  }
}

TEST(FemTractions, TheTagsOfAMeshHaveNormalsToo) {
  const auto file = std::filesystem::temp_directory_path() / "cauchy_fem_tractions.msh";
  write_file_atomically(
      file,
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 \"floor_side\"\n"
      "1 2 \"lid\"\n1 3 \"ends\"\n2 4 \"plate\"\n$EndPhysicalNames\n$Nodes\n5\n"
      "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.6 0.45 0\n$EndNodes\n$Elements\n8\n"
      "1 1 2 1 1 1 2\n2 1 2 2 2 3 4\n3 1 2 3 3 2 3\n4 1 2 3 3 4 1\n"
      "5 2 2 4 4 1 2 5\n6 2 2 4 4 2 3 5\n7 2 2 4 4 3 4 5\n8 2 2 4 4 4 1 5\n"
      "$EndElements\n");
  Problem p = plate(mesh_region(file));
  // u = 0.4 y, v = 0.2 y: syy = 0.2 c, sxx = 0.2 c nu, sxy = 0.4 g.
  p.condition = {on("floor_side", u == 0), on("floor_side", v == 0),
                 on("lid or ends", sxy == 0.4 * g), on("lid", syy == 0.2 * c),
                 on("ends", sxx == 0.2 * c * nu)};
  const Solution s = solve(p, Fem{.n = 2, .order = 2});
  EXPECT_NEAR(at(s, u, {0.7, 0.9}), 0.36, 1e-10);
  EXPECT_NEAR(at(s, v, {0.7, 0.9}), 0.18, 1e-10);
  // A mesh is made for elements.
  EXPECT_EQ(detail::classical_ranking(p).front(), "fem");
  std::filesystem::remove(file);
}

TEST(FemTractions, APolygonThatIsABoxKeepsTheNamesOfItsSides) {
  Problem p;
  p.domain = Polygon({{0, 0}, {2, 0}, {2, 1}, {0, 1}});
  p.fields = {"u"};
  p.equation = {d(u, x, x) + d(u, y, y) == 0};
  p.condition = {on("side1", u == 0), on("side3", u == 5), on("side2 or side4", d(u, x) == 0)};
  const Solution s = solve(p, Fem{.n = 4, .order = 1});
  EXPECT_NEAR(at(s, u, {0.3, 0.2}), 1, 1e-10);
}

TEST(FemTractions, RightFluxesOfFewCellsAreNotBlamed) {
  // A cantilever: stresses are linear along it, and 0 on the free end.
  Problem p = plate(Rectangle({0, -0.1}, {2, 0.1}));
  const Expr exact_u = -0.3 * pow(x, 2) * y + 0.225 * pow(y, 3) + 1.1925 * y;
  const Expr exact_v = 0.075 * x * pow(y, 2) + 0.1 * pow(x, 3) - 1.2 * x + 1.6;
  const double e = 50, n = 0.25;
  const double cc = e / (1 - n * n), gg = e / (2 * (1 + n));
  const Expr a = cc * (d(u, x) + n * d(v, y)), b = cc * (d(v, y) + n * d(u, x)),
             q = gg * (d(u, y) + d(v, x));
  p.equation = {d(a, x) + d(q, y) == 0, d(q, x) + d(b, y) == 0};
  p.condition = {on("x = 2", u == exact_u), on("x = 2", v == exact_v), on("x = 0", a == 0),
                 on("not x = 2", q == -15 * (0.01 - pow(y, 2))), on("y = 0.1 or y = -0.1", b == 0)};
  p.tolerance = 1e-2;
  p.reference.formulas = {{"u", exact_u}, {"v", exact_v}};
  const Solution s = solve(p, Fem{});
  EXPECT_EQ(s.grade, Grade::converged) << (s.findings.empty() ? "" : s.findings[0]);
}

}  // namespace
}  // namespace cauchy::test_fem_tractions
