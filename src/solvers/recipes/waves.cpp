#include "solvers/recipes/waves.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/program.hpp>

namespace cauchy::detail {
namespace {

constexpr std::size_t line_samples = 401, lone_line_samples = 4001;

/// A known function at n equal steps along an axis, the other coordinates at a part of their way.
std::vector<double> along_line(const Expr& f, const DomainBox& box, std::size_t axis, double other,
                               std::size_t n) {
  ProgramSpec spec;
  for (const std::string& name : box.names) spec.inputs.push_back(Coordinate(name));
  spec.outputs = {f};
  const Program<double> program(std::move(spec));
  std::vector<double> workspace(program.workspace_size());
  std::vector<std::vector<double>> points;
  std::vector<const double*> inputs;
  for (std::size_t k = 0; k < box.names.size(); ++k) {
    std::vector<double>& row = points.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double s = static_cast<double>(i) / static_cast<double>(n - 1);
      row[i] = box.lower[k] + (k == axis ? s : other) * (box.upper[k] - box.lower[k]);
    }
  }
  for (const auto& row : points) inputs.push_back(row.data());
  std::vector<double> along(n);
  double* const outputs[] = {along.data()};
  program.run(n, inputs.data(), nullptr, outputs, nullptr, workspace.data());
  return along;
}

void keep_finite(std::vector<double>& row) {
  std::erase_if(row, [](double v) { return !std::isfinite(v); });
}

double crossings_of_mean(const std::vector<double>& row) {
  double mean = 0, largest = 0;
  for (const double v : row) {
    mean += v / static_cast<double>(row.size());
    largest = std::max(largest, std::abs(v));
  }
  double count = 0;
  int side = 0;
  for (const double v : row) {
    if (std::abs(v - mean) <= 1e-3 * largest) continue;
    const int now = v > mean ? 1 : -1;
    if (side != 0 && now != side) ++count;
    side = now;
  }
  return count;
}

/// How often a row of numbers turns back by more than a part of its range.
double reversals(const std::vector<double>& row) {
  constexpr double part = 0.01;
  if (row.empty()) return 0;
  const auto [least, most] = std::minmax_element(row.begin(), row.end());
  const double step = part * (*most - *least);
  double low = row.front(), high = row.front(), count = 0;
  int direction = 0;
  for (const double v : row) {
    high = std::max(high, v);
    low = std::min(low, v);
    const bool falls = v < high - step && direction >= 0;
    const bool rises = v > low + step && direction <= 0;
    if (!falls && !rises) continue;
    if (direction != 0) ++count;
    direction = rises ? 1 : -1;
    low = high = v;
  }
  return count;
}

}  // namespace

DomainBox box_of(const Sizes& sizes) {
  DomainBox box;
  for (const Sizes::Axis& a : sizes.axes) {
    box.names.push_back(a.name);
    box.lower.push_back(a.center - a.half);
    box.upper.push_back(a.center + a.half);
  }
  return box;
}

bool is_plain(const Expr& e) {
  const Expr roots[] = {e};
  const std::vector<Expr> all = postorder(roots);
  return std::none_of(all.begin(), all.end(), [](const Expr& x) {
    return x.kind() == Kind::field || x.kind() == Kind::call || x.kind() == Kind::symbol ||
           x.kind() == Kind::parameter;
  });
}

double half_waves(const Expr& f, const DomainBox& box, std::size_t first, std::size_t last) {
  if (box.names.size() == 1) {
    if (first == last) return 0;
    std::vector<double> row = along_line(f, box, 0, 0, lone_line_samples);
    keep_finite(row);
    return std::max(crossings_of_mean(row), reversals(row));
  }
  double most = 0;
  for (std::size_t axis = first; axis < last; ++axis) {
    for (const double other : {0.31, 0.5, 0.73}) {
      std::vector<double> row = along_line(f, box, axis, other, line_samples);
      keep_finite(row);
      most = std::max(most, crossings_of_mean(row));
    }
  }
  return most;
}

double free_waves(const Expr& residual, const std::string& field, const std::string& axis,
                  double length) {
  const Expr value = Field(field), second = field_derivative(field, {{axis, 2}});
  const Expr c0 = partial(residual, value), c2 = partial(residual, second);
  if (!is_plain(c0) || !is_plain(c2)) return 0;
  try {
    const double a = evaluate(c0, Values{}), b = evaluate(c2, Values{});
    if (!(a * b > 0)) return 0;
    return std::sqrt(a / b) * length / pi;
  } catch (const Error&) {
    return 0;  // they are no numbers
  }
}

double free_rates(const Expr& residual, const std::string& field, const DomainBox& box) {
  const std::string& axis = box.names.front();
  const int m = order(residual);
  std::vector<std::vector<double>> c;  // of the derivatives of order 0 ... m, along the line
  for (int k = 0; k <= m; ++k) {
    const Expr atom = k == 0 ? Expr(Field(field)) : field_derivative(field, {{axis, k}});
    const Expr coefficient = partial(residual, atom);
    if (!is_plain(coefficient)) return 0;
    c.push_back(along_line(coefficient, box, 0, 0, line_samples));
  }
  double fastest = 0;
  for (int k = 0; k < m; ++k) {
    for (std::size_t i = 0; i < line_samples; ++i) {
      const double own = std::abs(c[static_cast<std::size_t>(k)][i]);
      const double ratio = own / std::abs(c[static_cast<std::size_t>(m)][i]);
      if (own > 0) fastest = std::max(fastest, std::pow(ratio, 1.0 / (m - k)));
    }
  }
  return fastest * (box.upper.front() - box.lower.front()) / pi;
}

}  // namespace cauchy::detail
