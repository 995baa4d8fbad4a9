#include "problem/grid_table.hpp"
#include "support/message_of.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy::detail::test_grid_table {
namespace {

using Function = std::function<double(std::span<const double>)>;

/// n_k nodes on [-1, 2] per axis, unevenly spaced; rows in the order of the last axis.
Table table_of(const std::vector<std::size_t>& n, const Function& f) {
  Table table;
  for (std::size_t k = 0; k < n.size(); ++k) table.columns.push_back(std::string(1, "xyz"[k]));
  table.columns.emplace_back("f");
  std::vector<std::size_t> i(n.size(), 0);
  for (;;) {
    std::vector<double> at;
    for (std::size_t k = 0; k < n.size(); ++k) {
      const double s = n[k] == 1 ? 0 : static_cast<double>(i[k]) / static_cast<double>(n[k] - 1);
      at.push_back(-1 + 3 * (s + 0.2 * s * (1 - s)));
    }
    table.values.insert(table.values.end(), at.begin(), at.end());
    table.values.push_back(f(at));
    std::size_t k = n.size();
    while (k > 0 && ++i[k - 1] == n[k - 1]) i[--k] = 0;
    if (k == 0) return table;
  }
}

std::vector<std::string> axes_of(std::size_t d) {
  return d == 1   ? std::vector<std::string>{"x"}
         : d == 2 ? std::vector<std::string>{"x", "y"}
                  : std::vector<std::string>{"x", "y", "z"};
}

/// Largest error at 500 random points of the grid.
double largest_error(const GridTable& table, std::size_t d, const Function& f) {
  Rng rng(3);
  double worst = 0;
  for (int i = 0; i < 500; ++i) {
    std::vector<double> at(d);
    for (double& x : at) x = rng.uniform(-1, 2);
    worst = std::max(worst, std::abs(table.value(at) - f(at)));
  }
  return worst;
}

TEST(GridTable, CubicsAreExact) {
  const auto p = [](double x) { return 1 - 2 * x + 0.5 * x * x - 0.75 * x * x * x; };
  const Function f = [&](std::span<const double> x) {
    double product = 1;
    for (std::size_t k = 0; k < x.size(); ++k) product *= p(x[k] - 0.3 * static_cast<double>(k));
    return product;
  };
  // |p| <= 12 on [-1.6, 2]; each direction rounds values of that size and solves a system whose
  // condition is below 30.
  EXPECT_LT(largest_error(GridTable(table_of({4}, f), axes_of(1), "f"), 1, f), 1e-13 * 12);
  EXPECT_LT(largest_error(GridTable(table_of({9}, f), axes_of(1), "f"), 1, f), 1e-13 * 12);
  EXPECT_LT(largest_error(GridTable(table_of({5, 8}, f), axes_of(2), "f"), 2, f), 1e-13 * 144);
  EXPECT_LT(largest_error(GridTable(table_of({6, 4, 5}, f), axes_of(3), "f"), 3, f), 1e-13 * 1728);
}

TEST(GridTable, CubicInterpolationHasOrderFourAndLinearOrderTwo) {
  const Function f = [](std::span<const double> x) { return std::sin(2 * x[0]) * std::exp(x[1]); };
  const auto order = [&](TableInterpolation kind) {
    const double coarse =
        largest_error(GridTable(table_of({21, 21}, f), axes_of(2), "f", kind), 2, f);
    const double fine =
        largest_error(GridTable(table_of({41, 41}, f), axes_of(2), "f", kind), 2, f);
    return std::log2(coarse / fine);
  };
  // Between two grids the measured order differs from its limit by the next power of h.
  EXPECT_LT(std::abs(order(TableInterpolation::cubic) - 4), 0.4);
  EXPECT_LT(std::abs(order(TableInterpolation::linear) - 2), 0.2);
}

TEST(GridTable, NodesKeepTheirValues) {
  Rng rng(5);
  const Function noise = [&](std::span<const double>) { return rng.normal(); };
  const Table table = table_of({7, 3, 5}, noise);
  for (const auto kind : {TableInterpolation::cubic, TableInterpolation::linear}) {
    const GridTable grid(table, axes_of(3), "f", kind);
    double worst = 0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const auto row = std::span(table.values).subspan(4 * r, 4);
      worst = std::max(worst, std::abs(grid.value(row.first(3)) - row[3]));
    }
    EXPECT_LT(worst, 1e-13);
  }
}

TEST(GridTable, AStepGivesBoundedValuesAndNoneBeyondItWithLinearInterpolation) {
  const Function step = [](std::span<const double> x) { return x[0] < 0.4 ? 0.0 : 1.0; };
  const Table table = table_of({30}, step);
  const GridTable cubic(table, {"x"}, "f"), linear(table, {"x"}, "f", TableInterpolation::linear);
  double low = 1, high = 0, low_linear = 1, high_linear = 0;
  for (int i = 0; i <= 3000; ++i) {
    const double x = -1 + 1e-3 * i;
    low = std::min(low, cubic.value({&x, 1}));
    high = std::max(high, cubic.value({&x, 1}));
    low_linear = std::min(low_linear, linear.value({&x, 1}));
    high_linear = std::max(high_linear, linear.value({&x, 1}));
  }
  // A cubic spline swings over a unit jump by less than 15 percent and the swings die out.
  EXPECT_LT(-low, 0.15);
  EXPECT_LT(high, 1.15);
  EXPECT_GE(low_linear, 0);
  EXPECT_LT(high_linear, 1 + 4e-16);  // the weights 1 - s and s are rounded
  const double far = -0.9;
  EXPECT_LT(std::abs(cubic.value({&far, 1})), 1e-3);
}

TEST(GridTable, MonotoneDataOfASmoothFunctionStayMonotone) {
  const Function f = [](std::span<const double> x) { return std::exp(x[0]); };
  const GridTable grid(table_of({12}, f), {"x"}, "f");
  double last = -1;
  for (int i = 0; i <= 300; ++i) {
    const double x = -1 + 1e-2 * i;
    EXPECT_GT(grid.value({&x, 1}), last);
    last = grid.value({&x, 1});
  }
}

TEST(GridTable, IsConstantBeyondTheGrid) {
  const Function f = [](std::span<const double> x) { return std::sin(x[0]) + x[1]; };
  for (const auto kind : {TableInterpolation::cubic, TableInterpolation::linear}) {
    const GridTable grid(table_of({6, 6}, f), axes_of(2), "f", kind);
    const double outside[] = {5, 0.5}, edge[] = {2, 0.5};
    const int along[] = {1, 0}, across[] = {0, 1};
    EXPECT_EQ(grid.value(outside), grid.value(edge));
    EXPECT_EQ(grid.derivative(outside, along), 0);
    EXPECT_EQ(grid.derivative(outside, across), grid.derivative(edge, across));
    const double nowhere[] = {std::nan(""), 0};
    EXPECT_TRUE(std::isnan(grid.value(nowhere)));
  }
}

TEST(GridTable, DerivativesAreThoseOfTheInterpolation) {
  const Function f = [](std::span<const double> x) {
    return x[0] * x[0] * x[0] * (1 + x[1]) + x[1] * x[1];
  };
  const GridTable cubic(table_of({7, 6}, f), axes_of(2), "f");
  const double at[] = {0.7, -0.2};
  const auto derivative = [&](int i, int j) {
    const int orders[] = {i, j};
    return cubic.derivative(at, orders);
  };
  // The function is a cubic in each direction; a derivative divides rounding by the spacing 0.4.
  EXPECT_LT(std::abs(derivative(1, 0) - 3 * 0.49 * 0.8), 1e-12);
  EXPECT_LT(std::abs(derivative(2, 0) - 6 * 0.7 * 0.8), 1e-11);
  EXPECT_LT(std::abs(derivative(1, 1) - 3 * 0.49), 1e-12);
  EXPECT_LT(std::abs(derivative(0, 2) - 2), 1e-11);
  EXPECT_EQ(message_of([&] { (void)derivative(3, 0); }),
            "[table]: a table has no third derivatives: 'f'");
  const GridTable linear(table_of({7, 3}, f), axes_of(2), "f", TableInterpolation::linear);
  const int second[] = {2, 0};
  EXPECT_EQ(message_of([&] { (void)linear.derivative(at, second); }),
            "[table]: a table has no second derivatives in a linear direction: 'f'; give 4 nodes "
            "and interpolation = \"cubic\"");
}

TEST(GridTable, FewNodesAreLinearInTheirDirection) {
  const Function f = [](std::span<const double> x) {
    return x[0] * x[0] * x[0] + std::abs(x[1] - 0.65);
  };
  // Three nodes in y, the middle one at the kink 0.65 (s = 1/2 gives -1 + 3 * 0.55).
  const GridTable grid(table_of({6, 3}, f), axes_of(2), "f");
  EXPECT_LT(largest_error(grid, 2, f), 1e-12);
  const Function one = [](std::span<const double> x) { return 2 * x[0]; };
  const GridTable single(table_of({5, 1}, one), axes_of(2), "f");
  const double at[] = {0.3, 7};
  const int orders[] = {0, 1};
  EXPECT_LT(std::abs(single.value(at) - 0.6), 1e-14);
  EXPECT_EQ(single.derivative(at, orders), 0);
}

TEST(GridTable, RowsMayComeInAnyOrder) {
  const Function f = [](std::span<const double> x) { return std::exp(x[0] - x[1] * x[1]); };
  const Table table = table_of({8, 9}, f);
  Table mixed = table;
  std::vector<std::size_t> order(table.rows());
  Rng(2).permutation(order);
  for (std::size_t r = 0; r < order.size(); ++r) {
    for (std::size_t k = 0; k < 3; ++k) mixed.values[3 * r + k] = table.values[3 * order[r] + k];
  }
  const double at[] = {0.1, 1.2};
  EXPECT_EQ(GridTable(table, axes_of(2), "f").value(at),
            GridTable(mixed, axes_of(2), "f").value(at));
}

TEST(GridTable, TheNearestNodeHasTheValue) {
  const Table steps{{"x", "f"}, {0, 1, 1, 5, 3, -2}, ""};
  const GridTable grid(steps, {"x"}, "f", TableInterpolation::nearest);
  const auto value = [&](double x) { return grid.value(std::span(&x, 1)); };
  EXPECT_EQ(value(0.49), 1);
  EXPECT_EQ(value(0.5), 5);  // halfway: the larger coordinate
  EXPECT_EQ(value(1.99), 5);
  EXPECT_EQ(value(2), -2);
  EXPECT_EQ(value(-7), 1);
  EXPECT_EQ(value(7), -2);
  EXPECT_TRUE(std::isnan(value(std::nan(""))));
  for (const int order : {1, 2, 5}) {
    const double at = 0.7;
    EXPECT_EQ(grid.derivative(std::span(&at, 1), std::span(&order, 1)), 0);
  }
}

TEST(GridTable, TheNearestNodeIsOfFirstOrder) {
  const Function f = [](std::span<const double> x) { return x[0] - 2 * x[1]; };
  const auto error = [&](std::size_t n) {
    const GridTable grid(table_of({n, n}, f), axes_of(2), "f", TableInterpolation::nearest);
    return largest_error(grid, 2, f);
  };
  // Slopes 1 and 2, half a cell away; the widest cell is 1.2 of the mean one, 3 / (n - 1).
  const double bound = 3 * 0.5 * 1.2 * 3 / 20;
  EXPECT_LT(error(21), bound);
  EXPECT_GT(error(21), 0.7 * bound);
  EXPECT_LT(error(41), bound / 2);
}

TEST(GridTable, KnowsScatteredRows) {
  const Function f = [](std::span<const double> x) { return x[0]; };
  EXPECT_FALSE(is_scattered(table_of({3, 4}, f), axes_of(2)));
  EXPECT_TRUE(is_scattered(table_of({3, 1}, f), axes_of(2)));  // one moment
  const Table few{{"x", "y", "f"}, {0, 0, 1, 0, 1, 2, 1, 0, 3}, ""};
  EXPECT_TRUE(is_scattered(few, axes_of(2)));
  const Table twice{{"x", "f"}, {0, 1, 1, 2, 1, 3}, ""};
  EXPECT_TRUE(is_scattered(twice, axes_of(1)));
  // A grid of 2^80 nodes: no overflow.
  Table many;
  std::vector<std::string> axes;
  for (int k = 0; k < 80; ++k) axes.push_back("x" + std::to_string(k));
  many.columns = axes;
  many.values.assign(80, 0);
  many.values.insert(many.values.end(), 80, 1);
  EXPECT_TRUE(is_scattered(many, axes));
}

TEST(GridTable, SaysWhatIsWrong) {
  const Table missing{{"x", "y", "f"}, {0, 0, 1, 0, 1, 2, 1, 0, 3, 1, 0, 4}, "a.csv"};
  EXPECT_EQ(message_of([&] { GridTable(missing, axes_of(2), "f"); }),
            "a.csv: the rows of 'f' are no full grid: some point is missing; give a value at every "
            "point of a grid");
  const Table few{{"x", "y", "f"}, {0, 0, 1, 0, 1, 2, 1, 0, 3}, ""};
  EXPECT_EQ(message_of([&] { GridTable(few, axes_of(2), "f"); }),
            "[table]: 3 rows are no full grid of (x, y): that would be 4 rows; give a value at "
            "every point of a grid");
  const Table infinite{{"x", "f"}, {0, 1, 1, INFINITY}, ""};
  EXPECT_EQ(message_of([&] { GridTable(infinite, axes_of(1), "f"); }),
            "[table]: 'f' is inf in row 2");
  EXPECT_EQ(message_of([] {
              GridTable({{"x", "f"}, {0, 1, std::nan(""), 2}, ""}, {"x"}, "f");
            }),
            "[table]: 'x' is nan in row 2");
}

}  // namespace
}  // namespace cauchy::detail::test_grid_table
