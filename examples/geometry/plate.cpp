// A plate with a hole: written as on paper, asked for everything that a method needs.
//
// Runs: build/examples/plate
// Expects: area and distances match their formulas; 1,000 points inside, 200 on the hole, all with
//   the right normals; the smooth function of the hole vanishes there. Exit code 0.
#include <cmath>
#include <cstdio>

#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/geometry/r_functions.hpp>
#include <cauchy/sampling/domain_points.hpp>

int main() {
  using namespace cauchy;
  const Region plate = Rectangle({0, 0}, {4, 2}) - Disk({1.5, 1}, 0.6).named("hole");
  std::printf("%s\n", plate.str().c_str());

  // Exact numbers: the boundary is kept as segments and arcs.
  const ShapePtr shape = plate.shape();
  const double p[] = {1.5, 1.8};
  bool good = std::abs(shape->measure() - (8 - 0.36 * pi)) < 1e-13;
  good = good && std::abs(shape->distance(p) - 0.2) < 1e-14;
  std::printf("area %.6f, distance of (1.5, 1.8) to the boundary %.3f\n", shape->measure(),
              shape->distance(p));

  // Points inside at all times, and on the hole, where normals point to its centre.
  const Domain domain = plate * Time(Coordinate("t"), 0, 1);
  const Points inside = interior_points(domain, 1000);
  const Points hole = boundary_points(domain, "hole", 200);
  good = good && inside.size() == 1000 && hole.size() == 200;
  for (std::size_t i = 0; i < hole.size(); ++i) {
    const double dx = 1.5 - hole.row(i)[1], dy = 1 - hole.row(i)[2];
    good = good && std::abs(dx * hole.normals[2 * i] + dy * hole.normals[2 * i + 1] - 0.6) < 1e-12;
  }
  std::printf("%zu points inside, %zu on the hole\n", inside.size(), hole.size());

  // A smooth function that is 0 on the hole and positive elsewhere, for exact conditions there.
  const Expr phi = approximate_distance(Boundary(plate, "hole"));
  Values at;
  at.set(Coordinate("x"), 2.1).set(Coordinate("y"), 1);
  good = good && std::abs(evaluate(phi, at)) < 1e-15;
  std::printf("%s\n", good ? "all as expected" : "something is wrong");
  return good ? 0 : 1;
}
