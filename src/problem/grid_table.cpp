#include "problem/grid_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>

#include "problem/call_values.hpp"

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

/// The grid of a table whose rows come in the order of its nodes, the last axis fastest, as
/// programs write them; none for any other, which grid_rows() sorts.
std::optional<GridRows> ordered_rows(const Table& table, const std::vector<std::string>& axes) {
  const std::size_t n = table.rows(), width = table.columns.size(), d = axes.size();
  std::vector<const double*> columns;
  for (const std::string& name : axes) columns.push_back(table.values.data() + table.index(name));
  GridRows grid;
  grid.nodes.resize(d);
  for (std::size_t k = d; k-- > 0;) {
    std::vector<double>& nodes = grid.nodes[k];
    for (std::size_t r = 0; r < n; r += grid.size) {
      const double x = columns[k][r * width];
      if (!nodes.empty() && !(x > nodes.back())) break;
      nodes.push_back(x);
    }
    if (nodes.empty() || n % (grid.size * nodes.size()) != 0) return std::nullopt;
    grid.size *= nodes.size();
    const double slack = 1e-9 * (nodes.back() - nodes.front());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!std::isfinite(nodes[i]) || (i > 0 && !(nodes[i] - nodes[i - 1] > slack))) {
        return std::nullopt;
      }
    }
  }
  if (grid.size != n) return std::nullopt;
  std::size_t stride = n;
  for (std::size_t k = 0; k < d; ++k) {
    const std::vector<double>& nodes = grid.nodes[k];
    stride /= nodes.size();
    for (std::size_t r = 0, i = 0; r < n; i = i + 1 == nodes.size() ? 0 : i + 1) {
      for (const std::size_t end = r + stride; r < end; ++r) {
        if (columns[k][r * width] != nodes[i]) return std::nullopt;
      }
    }
  }
  grid.at.resize(n);
  std::iota(grid.at.begin(), grid.at.end(), std::size_t{0});
  grid.full = true;
  return grid;
}

GridRows grid_rows(const Table& table, const std::vector<std::string>& axes) {
  if (std::optional<GridRows> ordered = ordered_rows(table, axes)) return std::move(*ordered);
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
  constexpr std::array<int, 4> none{};
  if (axes_.size() <= none.size()) return derivative(at, std::span(none).first(axes_.size()));
  return derivative(at, std::vector<int>(axes_.size(), 0));
}

double GridTable::derivative(std::span<const double> at, std::span<const int> orders) const {
  // Per axis: the weights of the functions that are not zero here, the first of them, and which of
  // them has its turn.
  struct Local {
    std::array<double, 4> weights{1, 0, 0, 0};
    std::size_t first = 0, count = 1, digit = 0;
  };
  std::array<Local, 4> few;
  std::vector<Local> many(axes_.size() > few.size() ? axes_.size() : 0);
  Local* const local = many.empty() ? few.data() : many.data();
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
  // All products of one function per axis; the digits count through them.
  double sum = 0;
  for (;;) {
    double weight = 1;
    std::size_t index = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      weight *= local[k].weights[local[k].digit];
      index = index * axes_[k].nodes.size() + local[k].first + local[k].digit;
    }
    sum += weight * coefficients_[index];
    std::size_t k = axes_.size();
    while (k > 0 && ++local[k - 1].digit == local[k - 1].count) local[--k].digit = 0;
    if (k == 0) return sum;
  }
}

double GridTable::mean_along(std::span<const double> from, std::span<const double> to) const {
  // The axis along which the line runs, and the nodes nearest to its ends.
  std::size_t base = 0, stride = 1, step = 0, first = 0, last = 0;
  const Axis* along = nullptr;
  double begin = 0, end = 0;
  for (std::size_t k = axes_.size(); k-- > 0; stride *= axes_[k].nodes.size()) {
    const std::vector<double>& nodes = axes_[k].nodes;
    if (from[k] == to[k]) {
      base += nearest_node(nodes, from[k]) * stride;
      continue;
    }
    along = &axes_[k];
    step = stride;
    begin = std::min(from[k], to[k]);
    end = std::max(from[k], to[k]);
    first = nearest_node(nodes, begin);
    last = nearest_node(nodes, end);
  }
  const double head = coefficients_[base + first * step];
  if (along == nullptr || first == last) return head;
  double resistance = 0, mean = 0, at = begin;
  bool mixed = false;
  for (std::size_t i = first; i <= last; ++i) {
    const double value = coefficients_[base + i * step];
    const double next = i == last ? end : (along->nodes[i] + along->nodes[i + 1]) / 2;
    const double share = (next - at) / (end - begin);
    resistance += share / value;
    mean += share * value;
    mixed = mixed || !(value * head > 0);
    at = next;
  }
  return mixed ? mean : 1 / resistance;
}

FunctionValues::FunctionValues(const TabulatedFunction& f) : code_(f.code) {
  if (!code_) table_.emplace(f.table, f.arguments, f.column, f.interpolation);
}

double FunctionValues::operator()(std::span<const double> at, std::span<const int> orders) const {
  if (!code_) {
    const bool plain = std::all_of(orders.begin(), orders.end(), [](int k) { return k == 0; });
    return plain ? table_->value(at) : table_->derivative(at, orders);
  }
  const std::vector<int> none(at.size());
  double value = 0;
  code_(orders.empty() ? std::span<const int>(none) : orders, at, {&value, 1});
  return value;
}

const TabulatedFunction& table_of(const Problem& problem, const std::string& name) {
  for (const TabulatedFunction& f : problem.functions) {
    if (f.name == name) return f;
  }
  throw Error(fmt::format("there are no values of the function '{}'", name), "[problem]");
}

std::vector<double> call_values(const Problem& problem, const Expr& call,
                                std::span<const double> rows) {
  return call_values(table_of(problem, call.name()), problem.coordinates(), call, rows);
}

std::vector<double> call_values(const TabulatedFunction& f, const std::vector<std::string>& names,
                                const Expr& call, std::span<const double> rows) {
  const std::size_t n = rows.size() / names.size(), d = call.args().size();
  // Arguments are coordinates nearly always; others are evaluated.
  std::vector<std::size_t> column(d, names.size());
  for (std::size_t k = 0; k < d; ++k) {
    if (call.args()[k].kind() != Kind::coordinate) continue;
    const auto it = std::find(names.begin(), names.end(), call.args()[k].name());
    column[k] = static_cast<std::size_t>(it - names.begin());
  }
  const bool plain =
      std::all_of(column.begin(), column.end(), [&](std::size_t c) { return c < names.size(); });
  std::vector<double> result(n), at(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const double> row = rows.subspan(i * names.size(), names.size());
    Values values;
    for (std::size_t c = 0; c < names.size() && !plain; ++c) {
      values.set(Coordinate(names[c]), row[c]);
    }
    for (std::size_t k = 0; k < d; ++k) {
      at[i * d + k] = column[k] < names.size() ? row[column[k]] : evaluate(call.args()[k], values);
    }
  }
  if (f.code) {  // all points at once
    const std::vector<int> none(d);
    f.code(call.call_orders().empty() ? std::span<const int>(none) : call.call_orders(), at,
           result);
    return result;
  }
  const FunctionValues function(f);
  for (std::size_t i = 0; i < n; ++i) {
    result[i] = function(std::span(at).subspan(i * d, d), call.call_orders());
  }
  return result;
}

}  // namespace cauchy::detail
