#include "problem/grid_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>

namespace cauchy::detail {
namespace {

/// One function per node: hat functions, or cubic splines whose knots leave out the second node and
/// the last but one (the third derivative does not jump there).
BSplineBasis basis_on(const std::vector<double>& nodes, bool cubic) {
  const std::size_t n = nodes.size(), degree = cubic ? 3 : 1;
  std::vector<double> knots(degree, nodes.front());
  for (std::size_t i = 0; i < n; ++i) {
    if (!cubic || (i != 1 && i + 2 != n)) knots.push_back(nodes[i]);
  }
  knots.insert(knots.end(), degree, nodes.back());
  return {knots, degree};
}

/// The functions at the nodes as a banded matrix, factored as L U. Such matrices are totally
/// positive, so that elimination without exchanges is stable (de Boor).
class SplineSystem final {
 public:
  SplineSystem(const BSplineBasis& basis, const std::vector<double>& nodes)
      : n_(nodes.size()), a_(n_ * width) {
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t first = basis.evaluate(nodes[i], values);
      for (std::size_t j = 0; j < 4; ++j) {
        // Outside the band the functions are zero at the node.
        if (near(i, first + j)) at(i, first + j) = values[j];
      }
    }
    for (std::size_t k = 0; k < n_; ++k) {
      for (std::size_t i = k + 1; i < std::min(n_, k + band + 1); ++i) {
        const double factor = at(i, k) /= at(k, k);
        for (std::size_t j = k + 1; j < std::min(n_, k + band + 1); ++j) {
          at(i, j) -= factor * at(k, j);
        }
      }
    }
  }

  void solve(std::span<double> x) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i - std::min(i, band); j < i; ++j) x[i] -= at(i, j) * x[j];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < std::min(n_, i + band + 1); ++j) x[i] -= at(i, j) * x[j];
      x[i] /= at(i, i);
    }
  }

 private:
  static constexpr std::size_t band = 3, width = 2 * band + 1;
  static bool near(std::size_t i, std::size_t j) { return j + band >= i && i + band >= j; }
  double& at(std::size_t i, std::size_t j) { return a_[i * width + j + band - i]; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const {
    return a_[i * width + j + band - i];
  }

  std::size_t n_;
  std::vector<double> a_;
};

void require_finite(const std::string& column, double value, std::size_t row,
                    const std::string& place) {
  if (std::isfinite(value)) return;
  throw Error(fmt::format("'{}' is {} in row {}", column, value, row + 1), place);
}

std::string source_of(const Table& table) {
  return table.source.empty() ? "[table]" : table.source;
}

/// The node nearest to x, halfway the larger one.
std::size_t nearest_node(const std::vector<double>& nodes, double x) {
  const auto it = std::lower_bound(nodes.begin(), nodes.end(), x);
  const auto above = static_cast<std::size_t>(it - nodes.begin());
  if (above == 0) return 0;
  return above == nodes.size() || x - nodes[above - 1] < nodes[above] - x ? above - 1 : above;
}

/// Nodes of the axes, and the place of every row in the grid that they span.
struct GridRows {
  std::vector<std::vector<double>> nodes;  // sorted
  std::size_t size = 1;                    // of the grid; the largest number where it overflows
  std::vector<std::size_t> at;             // of the rows; empty when there are not `size` rows
  bool full = false;
};

GridRows grid_rows(const Table& table, const std::vector<std::string>& axes) {
  GridRows grid;
  std::vector<std::vector<double>> columns;
  for (const std::string& name : axes) {
    columns.push_back(table.column(name));
    std::vector<double> values = columns.back();
    // NaN has no place in an order.
    for (std::size_t r = 0; r < values.size(); ++r) {
      require_finite(name, values[r], r, source_of(table));
    }
    std::sort(values.begin(), values.end());
    // Equal up to rounding of the file counts as one.
    const double slack = 1e-9 * (values.empty() ? 0 : values.back() - values.front());
    std::vector<double> nodes;
    for (const double v : values) {
      if (nodes.empty() || v - nodes.back() > slack) nodes.push_back(v);
    }
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const bool fits = nodes.empty() || grid.size <= most / nodes.size();
    grid.size = fits ? grid.size * nodes.size() : most;
    grid.nodes.push_back(std::move(nodes));
  }
  const std::size_t n = table.rows();
  if (n == 0 || grid.size != n) return grid;
  std::vector<char> seen(n);
  for (std::size_t r = 0; r < n; ++r) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      at = at * grid.nodes[k].size() + nearest_node(grid.nodes[k], columns[k][r]);
    }
    grid.at.push_back(at);
    seen[at] = 1;
  }
  grid.full = std::find(seen.begin(), seen.end(), 0) == seen.end();
  return grid;
}

}  // namespace

bool is_scattered(const Table& table, const std::vector<std::string>& axes) {
  const GridRows grid = grid_rows(table, axes);
  return !grid.full || std::any_of(grid.nodes.begin(), grid.nodes.end(),
                                   [](const auto& nodes) { return nodes.size() < 2; });
}

GridTable::GridTable(const Table& table, const std::vector<std::string>& axes,
                     const std::string& column, TableInterpolation interpolation)
    : nearest_(interpolation == TableInterpolation::nearest), name_(column) {
  GridRows grid = grid_rows(table, axes);
  const std::vector<double> numbers = table.column(column);
  if (grid.at.empty()) {
    throw Error(fmt::format("{} rows are no full grid of ({}): that would be {} rows",
                            numbers.size(), fmt::join(axes, ", "), grid.size),
                source_of(table), "give a value at every point of a grid");
  }
  coefficients_.assign(grid.size, 0);
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    require_finite(column, numbers[r], r, source_of(table));
    coefficients_[grid.at[r]] = numbers[r];
  }
  if (!grid.full) {
    throw Error(fmt::format("the rows of '{}' are no full grid: some point is missing", column),
                source_of(table), "give a value at every point of a grid");
  }
  for (auto& nodes : grid.nodes) axes_.push_back({std::move(nodes), std::nullopt});
  for (std::size_t k = 0; k < axes_.size() && !nearest_; ++k) {
    Axis& axis = axes_[k];
    if (axis.nodes.size() == 1) continue;
    const bool cubic = interpolation == TableInterpolation::cubic && axis.nodes.size() >= 4;
    axis.basis = basis_on(axis.nodes, cubic);
    if (cubic) solve_along(k);
  }
}

void GridTable::solve_along(std::size_t k) {
  const std::size_t n = axes_[k].nodes.size();
  const SplineSystem system(*axes_[k].basis, axes_[k].nodes);
  std::size_t stride = 1;
  for (std::size_t later = k + 1; later < axes_.size(); ++later) {
    stride *= axes_[later].nodes.size();
  }
  std::vector<double> line(n);
  for (std::size_t block = 0; block < coefficients_.size(); block += n * stride) {
    for (std::size_t offset = block; offset < block + stride; ++offset) {
      for (std::size_t i = 0; i < n; ++i) line[i] = coefficients_[offset + i * stride];
      system.solve(line);
      for (std::size_t i = 0; i < n; ++i) coefficients_[offset + i * stride] = line[i];
    }
  }
}

double GridTable::value(std::span<const double> at) const {
  const std::vector<int> none(axes_.size(), 0);
  return derivative(at, none);
}

double GridTable::derivative(std::span<const double> at, std::span<const int> orders) const {
  // Per axis: the weights of the functions that are not zero here, and the first of them.
  struct Local {
    std::array<double, 4> weights{1, 0, 0, 0};
    std::size_t first = 0, count = 1;
  };
  std::vector<Local> local(axes_.size());
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const auto& [nodes, basis] = axes_[k];
    Local& l = local[k];
    const int most = basis && basis->degree() == 3 ? 2 : 1;
    if (orders[k] > most && !nearest_) {
      throw Error(
          fmt::format("a table has no {} derivatives{}: '{}'", most == 1 ? "second" : "third",
                      most == 1 ? " in a linear direction" : "", name_),
          "[table]", most == 1 ? "give 4 nodes and interpolation = \"cubic\"" : "");
    }
    if (std::isnan(at[k])) return at[k];
    const double x = std::clamp(at[k], nodes.front(), nodes.back());
    // Constant beyond the grid.
    if (orders[k] > 0 && (x != at[k] || !basis)) return 0;
    if (!basis) {
      l.first = nearest_node(nodes, x);
      continue;
    }
    l.count = basis->degree() + 1;
    if (orders[k] == 0) {
      l.first = basis->evaluate(x, std::span(l.weights).first(l.count));
    } else {
      const auto rows = static_cast<std::size_t>(orders[k]) + 1;
      std::array<double, 12> all{};
      l.first = basis->evaluate(x, MatrixView<double>(all.data(), rows, l.count));
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>((rows - 1) * l.count), l.count,
                  l.weights.begin());
    }
  }
  // All products of one function per axis; `digit` counts through them.
  std::vector<std::size_t> digit(axes_.size(), 0);
  double sum = 0;
  for (;;) {
    double weight = 1;
    std::size_t index = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      weight *= local[k].weights[digit[k]];
      index = index * axes_[k].nodes.size() + local[k].first + digit[k];
    }
    sum += weight * coefficients_[index];
    std::size_t k = axes_.size();
    while (k > 0 && ++digit[k - 1] == local[k - 1].count) digit[--k] = 0;
    if (k == 0) return sum;
  }
}

std::vector<double> call_values(const Problem& problem, const Expr& call,
                                std::span<const double> rows) {
  const auto f = std::find_if(problem.functions.begin(), problem.functions.end(),
                              [&](const TabulatedFunction& g) { return g.name == call.name(); });
  if (f == problem.functions.end()) {
    throw Error(fmt::format("there are no values of the function '{}'", call.name()), "[problem]");
  }
  const GridTable table(f->table, f->arguments, f->column, f->interpolation);
  const std::vector<std::string> names = problem.coordinates();
  std::vector<double> result;
  for (std::size_t i = 0; i < rows.size(); i += names.size()) {
    Values values;
    for (std::size_t c = 0; c < names.size(); ++c) values.set(Coordinate(names[c]), rows[i + c]);
    std::vector<double> at;
    for (const Expr& a : call.args()) at.push_back(evaluate(a, values));
    result.push_back(call.call_orders().empty() ? table.value(at)
                                                : table.derivative(at, call.call_orders()));
  }
  return result;
}

}  // namespace cauchy::detail
