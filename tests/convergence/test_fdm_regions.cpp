// Finite differences where the grid does not fit: curved boundaries of every dimension, slits,
// jumps of coefficients, strong convection.
#include <cmath>

#include <gtest/gtest.h>

#include "support/fdm_cases.hpp"

namespace cauchy::test_fdm_regions {
namespace {

TEST(FdmRegions, PlatesOfAnyShape) {
  expect_slope({"plate",
                disk + equation("laplacian(laplacian(u)) = 4*sin(x)*sin(y)") +
                    on("boundary", "u = sin(x)*sin(y)") +
                    on("boundary", "u_n = n_x*cos(x)*sin(y) + n_y*sin(x)*cos(y)"),
                "sin(x)*sin(y)"},
               {16, 20, 26, 32, 40});
}

TEST(FdmRegions, BallsAndHoles) {
  const std::string ball = "[domain]\nregion = \"sphere((0, 0, 0), 1)\"\n";
  const std::string exact = "exp(0.5*x)*sin(y + z)";
  expect_slope(
      {"ball", ball + equation("-laplacian(u) = 1.75*" + exact) + on("boundary", "u = " + exact),
       exact},
      {9, 12, 16, 18});
  const std::string holes =
      "[domain]\nregion = \"rectangle((0, 0), (2, 1)) - disk((0.6, 0.52), 0.21) - "
      "disk((1.4, 0.47), 0.23).named(second)\"\n";
  expect_slope({"holes",
                holes + equation("-laplacian(u) + u = 1.75*sin(x)*exp(0.5*y)") +
                    on("not second", "u = sin(x)*exp(0.5*y)") +
                    on("second", "u_n = n_x*cos(x)*exp(0.5*y) + n_y*0.5*sin(x)*exp(0.5*y)"),
                "sin(x)*exp(0.5*y)"},
               {44, 56, 72, 90});
}

TEST(FdmRegions, NothingIsSeenAcrossASlit) {
  // Discontinuous across the slit, with both kinds of conditions on it; the tip limits the order.
  const std::string cut =
      "[domain]\nregion = \"rectangle((-1, -1), (1, 1)) - slit((0.013, 0.007), (1, 0.007))\"\n"
      "[definitions]\nX = \"x - 0.013\"\nY = \"y - 0.007\"\n"
      "r = \"sqrt(X^2 + Y^2)\"\n"
      "s = \"where(Y >= 0, 1, -1)*sqrt(max(r + X, 0)/2)\"\n";
  FdmCase neumann{
      "free slit",
      cut + equation("laplacian(u) = 0") + on("slit", "u_n = 0") + on("not slit", "u = s"), "s"};
  neumann.expected = 0.9;  // 1, and where the tip lies between the nodes
  expect_slope(neumann, {24, 32, 48, 64});
}

TEST(FdmRegions, JumpsOfCoefficients) {
  // a = 1 below x = 0.37 and 10 beyond; u' a = 1, also where the jump is between nodes.
  expect_order({"jump",
                "[domain]\nspace = { x = [0, 1] }\n[definitions]\na = \"where(x < 0.37, 1, 10)\"\n"
                "[[equation]]\nform = \"d(a*u_x, x) = 2*sin(3*x)\"\n" +
                    on("left", "u = 0") + on("right", "u_x = -0.1*2/3*cos(3)"),
                "where(x < 0.37, -2/9*sin(3*x), -2/9*sin(1.11) - 0.1*2/9*(sin(3*x) - sin(1.11)))",
                60, 2, 0.5});
}

TEST(FdmRegions, StrongConvection) {
  const std::string flow = "[domain]\nspace = { x = [0, 1] }\n";
  expect_order({"upwind",
                flow + equation("u_x - 1e-6*u_xx = cos(x) + 1e-6*sin(x)") + on("left", "u = 0") +
                    on("right", "u = sin(1)"),
                "sin(x)", 128, 2, 0.1});
  expect_order({"transport",
                "[domain]\nspace = { x = [0, 1], y = [0, 1] }\n" +
                    equation("2*u_x + u_y = 3*cos(x + y)") + on("left or bottom", "u = sin(x + y)"),
                "sin(x + y)", 64, 2, 0.1});
  expect_order({"backwards", flow + equation("-u_x + 0*u = -cos(x)") + on("right", "u = sin(1)"),
                "sin(x)", 128, 2, 0.1});
}

}  // namespace
}  // namespace cauchy::test_fdm_regions
