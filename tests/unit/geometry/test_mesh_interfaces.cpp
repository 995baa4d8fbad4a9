#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/expr/parse.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/geometry/refine_mesh.hpp>
#include <cauchy/geometry/region.hpp>

#include "../../support/message_of.hpp"

namespace cauchy::test_mesh_interfaces {
namespace {

struct Case {
  const char* region;
  std::vector<std::function<double(const double*)>> levels;
  std::vector<std::pair<std::string, double>> measures;  // of parts
  double length;                                         // of all interfaces
};

std::vector<double> measures(const Mesh& mesh) {
  std::vector<double> sum(mesh.parts.size(), 0);
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    sum[static_cast<std::size_t>(mesh.cell_part[c])] += mesh.cell_measure(c);
  }
  return sum;
}

double interface_length(const Mesh& mesh) {
  double sum = 0;
  for (std::size_t f = 0; f < mesh.n_interfaces(); ++f) {
    const double *a = mesh.node(mesh.interfaces[2 * f]), *b = mesh.node(mesh.interfaces[2 * f + 1]);
    sum += std::hypot(a[0] - b[0], a[1] - b[1]);
  }
  return sum;
}

const std::vector<Case>& cases() {
  static const auto circle = [](const double* x) { return 0.25 - x[0] * x[0] - x[1] * x[1]; };
  static const std::vector<Case> all{
      // A circle inside, one that is cut off by the boundary, a line from side to side.
      {"rectangle((-1, -1), (1, 1))", {circle}, {{"inside", 4 - M_PI / 4}, {"a", M_PI / 4}}, M_PI},
      {"rectangle((0, 0), (1, 1))",
       {circle},
       {{"inside", 1 - M_PI / 16}, {"a", M_PI / 16}},
       M_PI / 4},
      {"rectangle((0, 0), (1, 1))",
       {[](const double* x) { return x[0] - 0.5; }},
       {{"inside", 0.5}, {"a", 0.5}},
       1},
      // From corner to corner.
      {"rectangle((0, 0), (1, 1))",
       {[](const double* x) { return x[0] - x[1]; }},
       {{"inside", 0.5}, {"a", 0.5}},
       std::sqrt(2.0)},
      // Corners of the level itself.
      {"rectangle((-1, -1), (1, 1))",
       {[](const double* x) { return 0.5 - std::max(std::abs(x[0]), std::abs(x[1])); }},
       {{"inside", 3}, {"a", 1}},
       4},
      // Two lines that cross: four parts.
      {"disk((0, 0), 1)",
       {[](const double* x) { return x[0]; }, [](const double* x) { return x[1] - 0.5 * x[0]; }},
       {{"a+b", (M_PI / 2 - std::atan(0.5)) / 2}, {"a", (M_PI / 2 + std::atan(0.5)) / 2}},
       4},
      // A level twice, one along the boundary, one outside: nothing of them shows.
      {"rectangle((0, 0), (1, 1))",
       {[](const double* x) { return x[0] - 0.3; }, [](const double* x) { return 0.6 - 2 * x[0]; },
        [](const double* x) { return x[1]; }, [](const double* x) { return x[1] - 3; }},
       {{"b+c", 0.3}, {"a+c", 0.7}},
       1},
      // Across a slit and around a hole.
      {"rectangle((-1, -1), (1, 1)) - slit((0, 0), (1, 0)) - disk((-0.5, 0), 0.2)",
       {[](const double* x) { return x[0] - 0.5; }, [](const double* x) { return x[0] + 0.5; }},
       {{"a+b", 1}, {"b", 2 - M_PI * 0.02}},
       2 + 2 - 0.4},
      // An ellipse by an expression that is no distance at all.
      {"disk((0, 0), 1)",
       {[](const double* x) { return std::exp(x[0] * x[0] / 0.36 + x[1] * x[1] / 0.09) - M_E; }},
       {{"inside", M_PI * 0.18}, {"a", M_PI * 0.82}},
       2.9065}};
  return all;
}

TEST(MeshInterfaces, LevelsBecomeSidesOfCells) {
  for (std::size_t n = 0; n < cases().size(); ++n) {
    const Case& c = cases()[n];
    MeshOptions options{.size = 0.1};
    static const char* const names[] = {"a", "b", "c", "d"};
    for (std::size_t k = 0; k < c.levels.size(); ++k) {
      options.interfaces.push_back({names[k], c.levels[k]});
    }
    Mesh mesh = make_mesh(parse_region(c.region).shape(), options);
    for (int round = 0; round < 2; ++round, mesh = refine(mesh)) {
      ASSERT_NO_THROW(check_mesh(mesh)) << n;
      const std::vector<double> area = measures(mesh);
      // Chords of arcs: the area between is at most length * turn^2 / 12 * radius.
      const double room = round == 0 ? 0.015 : 0.004;
      for (const auto& [name, exact] : c.measures) {
        const auto at = std::ranges::find(mesh.parts, name);
        ASSERT_NE(at, mesh.parts.end()) << n << ' ' << name;
        EXPECT_NEAR(area[static_cast<std::size_t>(at - mesh.parts.begin())], exact, room) << n;
      }
      EXPECT_NEAR(interface_length(mesh), c.length, 0.01 * c.length) << n;
      // Nodes of interfaces lie on a level, to rounding; every cell on one side of all of them.
      for (const Mesh::Index v : mesh.interfaces) {
        double least = INFINITY;
        for (const auto& level : c.levels) least = std::min(least, std::abs(level(mesh.node(v))));
        EXPECT_LT(least, 1e-12) << n;
      }
      if (round == 0) {
        EXPECT_GT(mesh_quality(mesh).smallest_angle, 25) << n;
      }
    }
  }
}

TEST(MeshInterfaces, PartsAndLevelsGoTogether) {
  MeshOptions options{.size = 0.1};
  options.parts = {{"core", parse_region("disk((0, 0), 0.5)").shape()}};
  options.interfaces = {{"right", [](const double* x) { return x[0] - 0.1; }}};
  const Mesh mesh = make_mesh(parse_region("disk((0, 0), 1)").shape(), options);
  ASSERT_NO_THROW(check_mesh(mesh));
  std::vector<std::string> parts = mesh.parts;
  std::ranges::sort(parts);
  EXPECT_EQ(parts, (std::vector<std::string>{"core", "core+right", "inside", "right"}));
  EXPECT_NEAR(interface_length(mesh), M_PI + 2 * std::sqrt(0.99), 0.02);
}

TEST(MeshInterfaces, SolidsAreCutAlongLevels) {
  const auto ball = [](const double* x) {
    return 0.6 - std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  };
  const auto plane = [](const double* x) { return x[2] - 0.1 - 0.2 * x[0]; };
  const double inner = 4 * M_PI / 3 * 0.216;
  for (const bool both : {false, true}) {
    MeshOptions options{.size = 0.25};
    options.interfaces = {{"core", ball}};
    if (both) options.interfaces.push_back({"top", plane});
    Mesh mesh = make_mesh(parse_region("box((-1, -1, -1), (1, 1, 1))").shape(), options);
    ASSERT_NO_THROW(check_mesh(mesh));
    EXPECT_NEAR(mesh.measure(), 8, 1e-12);
    EXPECT_NEAR(mesh.boundary_measure(), 24, 1e-11);
    double core = 0, top = 0;
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      const std::string& part = mesh.parts[static_cast<std::size_t>(mesh.cell_part[c])];
      if (part.find("core") != std::string::npos) core += mesh.cell_measure(c);
      if (part.find("top") != std::string::npos) top += mesh.cell_measure(c);
      // No cell reaches across a level.
      double most = 0, least = 0;
      for (const Mesh::Index v : mesh.cell(c)) {
        most = std::max(most, plane(mesh.node(v)));
        least = std::min(least, plane(mesh.node(v)));
      }
      if (both) {
        EXPECT_LT(std::min(most, -least), 1e-9);
      }
    }
    EXPECT_NEAR(core, inner, 0.06 * inner);  // chords of 0.25 on a radius of 0.6
    if (both) {
      EXPECT_NEAR(top, 3.6, 1e-9);
    }
    EXPECT_EQ(mesh.parts.size(), both ? 4u : 2u);
    for (const Mesh::Index v : mesh.interfaces) {
      const double* x = mesh.node(v);
      EXPECT_LT(both ? std::min(std::abs(ball(x)), std::abs(plane(x))) : std::abs(ball(x)), 1e-9);
    }
    EXPECT_GT(mesh_quality(mesh).smallest_angle, both ? 0.3 : 3);
    mesh = refine(mesh);
    ASSERT_NO_THROW(check_mesh(mesh));
  }
  // A part that reaches beyond the boundary.
  MeshOptions options{.size = 0.3};
  options.parts = {{"half", parse_region("box((0, -2, -2), (2, 2, 2))").shape()}};
  const Mesh mesh = make_mesh(parse_region("sphere((0, 0, 0), 1)").shape(), options);
  ASSERT_NO_THROW(check_mesh(mesh));
  EXPECT_NEAR(measures(mesh)[1], mesh.measure() / 2, 0.01 * mesh.measure());
}

TEST(MeshInterfaces, ExpressionsInOneDimensionGiveNodes) {
  Context names;
  names.add_space("x").add_parameter("c");
  const Expr level = parse("(x - c)*(x - 0.7)", names, {"level", 1, 1});
  MeshOptions options{.size = 0.11};
  options.interfaces = {mesh_interface("steel", level, {"x"}, {{"c", 0.35}})};
  const Mesh mesh = make_mesh(parse_region("interval(0, 1)").shape(), options);
  ASSERT_NO_THROW(check_mesh(mesh));
  const std::vector<double> length = measures(mesh);
  EXPECT_EQ(mesh.parts, (std::vector<std::string>{"inside", "steel"}));
  EXPECT_NEAR(length[0], 0.35, 1e-14);
  EXPECT_EQ(mesh.n_interfaces(), 2u);
  EXPECT_NE(message_of([&] { (void)mesh_interface("steel", level, {"x"}); }).find("c"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_mesh_interfaces
