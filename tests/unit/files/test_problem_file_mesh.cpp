// Domains that are given by a mesh file.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/mesh_region.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_problem_file_mesh {
namespace {

namespace fs = std::filesystem;
const fs::path data = fs::path(CAUCHY_TEST_DATA);

std::string changed(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(ProblemFileMesh, PhysicalGroupsNamePartsOfTheBoundary) {
  const ProblemFile file = read_problem_file(data / "corner.toml");
  const Region& space = *file.problem.domain->space();
  ASSERT_NE(region_mesh(space), nullptr);
  EXPECT_EQ(region_mesh(space)->n_cells(), 6u);
  const ShapePtr shape = space.shape();
  EXPECT_DOUBLE_EQ(shape->measure(), 3);
  ASSERT_EQ(shape->pieces().size(), 2u);
  EXPECT_EQ(shape->pieces()[0].name, "insulated");
  EXPECT_DOUBLE_EQ(shape->pieces()[1].measure, 4);
  const double inside[] = {0.5, 0.75}, outside[] = {1.5, 1.25};
  EXPECT_DOUBLE_EQ(shape->distance(inside), 0.5);
  EXPECT_DOUBLE_EQ(shape->distance(outside), -0.25);
  // Written as a region, with the file beside it.
  EXPECT_EQ(space.str(), "mesh(\"" + (data / "corner.msh").lexically_normal().string() + "\")");
}

TEST(ProblemFileMesh, ElementsUseTheCellsOfTheFile) {
  const ProblemFile file = read_problem_file(data / "corner.toml");
  // Elements of second order hold x^2 - y^2: any wrong facet or sign shows.
  const Solution s = solve(file.problem, Fem{.order = 2});
  const std::vector<double> points{0.1, 0.2, 0.6, 0.9, 0.95, 1.7, 1.8, 0.3};
  std::vector<double> values(points.size() / 2);
  s.model->evaluate(std::vector<Expr>{Field("u")}, points, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = points[2 * i], y = points[2 * i + 1];
    EXPECT_NEAR(values[i], x * x - y * y, 1e-9);
  }
}

TEST(ProblemFileMesh, WhatDoesNotFitIsSaid) {
  const std::string text = read_file(data / "corner.toml");
  const auto complaint = [&](const std::string& from, const std::string& to) {
    return message_of(
        [&] { (void)parse_problem_file(changed(text, from, to), "corner.toml", data); });
  };
  const auto has = [](const std::string& message, const char* part) {
    return message.find(part) != std::string::npos;
  };
  EXPECT_PRED2(has, complaint("\"insulated\"", "\"insulted\""), "insulated");
  EXPECT_PRED2(has, complaint("corner.msh", "corners.msh"), "corner.toml:8:");
  EXPECT_PRED2(has, complaint("mesh =", "space = { x = [0, 1] }\nmesh ="),
               "give 'space' or 'mesh'");
  EXPECT_PRED2(has, complaint("mesh =", "region = \"disk((0, 0), 1)\"\nmesh ="),
               "give 'region' or 'mesh'");
}

}  // namespace
}  // namespace cauchy::test_problem_file_mesh
