#include "operators/symmetries.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/data/make_data.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/operators/learn.hpp>

#include "operators/field_map.hpp"

namespace cauchy::detail::test_symmetries {
namespace {

/// A problem on the unit square (or, periodic, on the torus) with the input a.
OperatorProblem on_square(const std::string& equation, const std::string& conditions,
                          const std::string& more = "") {
  const std::string text = "name = \"p\"\nfields = [\"u\"]\n[domain]\n" + more +
                           "space = { x = [0, 1], y = [0, 1] }\n[[equation]]\nform = \"" +
                           equation + "\"\n" + conditions +
                           "[operator]\ninputs = { a = { field = \"grf(alpha = 2, tau = 3)\", map "
                           "= \"exp(g)\" } }\ngrid = [9, 9]\nsamples = 3\nvalidation = 1\n"
                           "test = 1\n";
  return parse_operator_file(text, "p.toml").problem;
}
const std::string zero_boundary = "[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n";

Symmetries of(const OperatorProblem& p) { return symmetries_of(p, grid_of(p)); }

TEST(Symmetries, OfDarcysSquareAreEight) {
  const Symmetries s = of(on_square("-div(a*grad(u)) = 1", zero_boundary));
  EXPECT_EQ(s.maps.size(), 8u);
  EXPECT_TRUE(s.maps.front().identity());
  EXPECT_EQ(s.shifts, (std::vector<bool>{false, false}));
  EXPECT_EQ(s.describe(grid_of(on_square("-div(a*grad(u)) = 1", zero_boundary))),
            "flips of x, flips of y, exchange of axes");
}

TEST(Symmetries, AreBrokenByWhatBreaksThem) {
  // x alone distinguishes left from right and the axes; sin(pi x) the axes; u_x a direction.
  EXPECT_EQ(of(on_square("-div(a*grad(u)) = x", zero_boundary)).maps.size(), 2u);
  EXPECT_EQ(of(on_square("-div(a*grad(u)) = sin(pi*x)", zero_boundary)).maps.size(), 4u);
  EXPECT_EQ(of(on_square("-a*u_xx - 2*a*u_yy = 1", zero_boundary)).maps.size(), 4u);
  EXPECT_EQ(of(on_square("-div(a*grad(u)) + u_x = 1", zero_boundary)).maps.size(), 2u);
  EXPECT_EQ(of(on_square("-div(a*grad(u)) + u_x + u_y = 1", zero_boundary)).maps.size(), 2u);
  EXPECT_EQ(of(on_square("-div(a*grad(u)) = 1",
                         "[[condition]]\nwhere = \"boundary\"\nform = \"u = x\"\n"))
                .maps.size(),
            2u);
  // Nothing is claimed of single sides.
  EXPECT_FALSE(
      of(on_square("-div(a*grad(u)) = 1",
                   "[[condition]]\nwhere = \"left\"\nform = \"u = 0\"\n"
                   "[[condition]]\nwhere = \"boundary and x > 0.001\"\nform = \"u = 0\"\n"))
          .any());
}

TEST(Symmetries, OfTransportAroundARingAreShifts) {
  const auto ring = [](const std::string& equation) {
    return of(on_square(equation,
                        "[[condition]]\nwhere = \"t = 0\"\nform = \"u = a\"\n"
                        "[[condition]]\nperiodic = \"x\"\n[[condition]]\nperiodic = \"y\"\n",
                        "time = { t = [0, 1] }\n"));
  };
  const Symmetries transport = ring("u_t + u_x = 0");
  EXPECT_EQ(transport.maps.size(), 2u);  // y may be flipped
  EXPECT_EQ(transport.shifts, (std::vector<bool>{true, true}));
  EXPECT_EQ(ring("u_t = u_xx + u_yy").maps.size(), 8u);
  EXPECT_EQ(ring("u_t = u_xx + u_yy + sin(2*pi*x)").shifts, (std::vector<bool>{false, true}));
  // Burgers' equation is symmetric with -u, not with u.
  EXPECT_EQ(ring("u_t + u*u_x = u_xx + u_yy").maps.size(), 2u);
}

TEST(Symmetries, CarrySamplesOverToSamples) {
  OperatorProblem p = on_square("-div(a*grad(u)) = 1", zero_boundary);
  p.refine = 1;
  p.method = Fdm{};
  const FieldGrid grid = grid_of(p);
  const DataSet data = make_data(p, {.threads = 1});
  const Symmetries s = of(p);
  std::vector<std::size_t> picks;
  for (const GridSymmetry& map : s.maps) {
    symmetry_picks(map, {0, 0}, grid, picks);
    const auto carried = [&](const std::vector<double>& values) {
      std::vector<double> out(picks.size());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[picks[i]];
      return out;
    };
    // The five-point scheme has the same symmetries: solve it for the coefficient carried over.
    Problem turned = sample_problem(p, 0);
    Table& table = turned.functions.at(0).table;
    const std::size_t width = table.columns.size(), c = table.index(turned.functions[0].column);
    const std::vector<double> column = carried(table.column(turned.functions[0].column));
    for (std::size_t i = 0; i < column.size(); ++i) table.values[i * width + c] = column[i];
    const Solution answer = solve(turned, Fdm{.n = 8}, {.threads = 1});
    const std::vector<double> expected =
        carried(std::vector<double>(data.out.begin(), data.out.begin() + 81));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double x = grid.axes[0].node(static_cast<int>(i / 9)),
                   y = grid.axes[1].node(static_cast<int>(i % 9));
      EXPECT_NEAR(answer("u", {x, y}), expected[i], 1e-9);
    }
  }
}

TEST(Symmetries, LeaveTheStatisticsOfPointsAsTheyAre) {
  DataSet data;
  data.grid.axes = {{.name = "x", .n = 3}, {.name = "y", .n = 3}};
  data.inputs = {"a"};
  data.outputs = {"u"};
  for (int i = 0; i < 18; ++i) {
    data.in.push_back(std::sin(3 * i));
    data.out.push_back(std::cos(i * i));
  }
  const OperatorProblem p = on_square("-div(a*grad(u)) = 1", zero_boundary);
  const Symmetries s = of(p);
  const Channels channels = channels_of(p, data, FieldOperator{});
  const auto normalized = [&](const MapNormalizers& n, const std::vector<double>& numbers) {
    auto graph = std::make_shared<TensorGraph>();
    const int out = n.output.add_normalized(*graph, graph->input("in", {1, {3, 3}}));
    const auto executor =
        make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
    std::vector<double> result(9);
    const std::span<const double> inputs[] = {numbers};
    executor->predict(out, {}, 1, inputs, result);
    return result;
  };
  const std::vector<double> u(data.out.begin(), data.out.begin() + 9);
  const auto differences = [&](const Symmetries& symmetries) {
    const MapNormalizers n = fit_normalizers(Normalization::point, channels, data, 2, symmetries);
    double most = 0;
    for (const GridSymmetry& map : s.maps) {
      std::vector<std::size_t> picks;
      symmetry_picks(map, {0, 0}, data.grid, picks);
      std::vector<double> turned(9);
      for (std::size_t i = 0; i < 9; ++i) turned[i] = u[picks[i]];
      const std::vector<double> before = normalized(n, u), behind = normalized(n, turned);
      for (std::size_t i = 0; i < 9; ++i) {
        most = std::max(most, std::abs(behind[i] - before[picks[i]]));
      }
    }
    return most;
  };
  EXPECT_LT(differences(s), 1e-13);
  EXPECT_GT(differences({}), 0.1);
}

TEST(Symmetries, ShiftsAndFlipsOfRingsKeepTheirNodes) {
  const FieldGrid ring{.axes = {{"x", 4, 0, 1, true}}};
  std::vector<std::size_t> picks;
  symmetry_picks({{0}, {false}}, {1}, ring, picks);
  EXPECT_EQ(picks, (std::vector<std::size_t>{1, 2, 3, 0}));
  symmetry_picks({{0}, {true}}, {0}, ring, picks);
  EXPECT_EQ(picks, (std::vector<std::size_t>{0, 3, 2, 1}));
}

}  // namespace
}  // namespace cauchy::detail::test_symmetries
