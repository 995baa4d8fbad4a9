#include <cauchy/math/entropy.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>

namespace cauchy {
namespace {

constexpr const char* entropy_place = "[math.entropy]";

double sum_of_law(std::span<const double> p) {
  double sum = 0;
  for (const double v : p) {
    if (!(v >= 0) || std::isinf(v)) {
      throw Error(fmt::format("a probability is not negative, got {}", v), entropy_place);
    }
    sum += v;
  }
  if (!(sum > 0)) throw Error("all probabilities are 0", entropy_place);
  return sum;
}

/// -sum (v / sum) log(v / sum) = log sum - sum v log v / sum.
double entropy_of_counts(std::span<const double> p, double sum) {
  double h = 0;
  for (const double v : p) {
    if (v > 0) h -= v / sum * std::log(v / sum);
  }
  return h;
}

/// How often each value occurs, in their order.
template <class T>
std::vector<double> occurrences(std::vector<T> values) {
  count_work(WorkKind::pieces, static_cast<double>(2 * values.size()));
  std::sort(values.begin(), values.end());
  std::vector<double> n;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0 || values[i] != values[i - 1]) n.push_back(0);
    ++n.back();
  }
  return n;
}

}  // namespace

double entropy(std::span<const double> p) { return entropy_of_counts(p, sum_of_law(p)); }

double relative_entropy(std::span<const double> p, std::span<const double> q) {
  if (p.size() != q.size()) {
    throw Error(fmt::format("laws of {} and {} events", p.size(), q.size()), entropy_place);
  }
  const double sp = sum_of_law(p), sq = sum_of_law(q);
  double d = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0) continue;
    if (q[i] == 0) return std::numeric_limits<double>::infinity();
    d += p[i] / sp * std::log(p[i] / sp / (q[i] / sq));
  }
  return d;
}

JointEntropies joint_entropies(MatrixView<const double> p) {
  std::vector<double> all, product, x(p.rows(), 0.0), y(p.cols(), 0.0);
  for (std::size_t i = 0; i < p.rows(); ++i) {
    for (std::size_t j = 0; j < p.cols(); ++j) {
      all.push_back(p(i, j));
      x[i] += p(i, j);
      y[j] += p(i, j);
    }
  }
  const double sum = sum_of_law(all);
  for (const double a : x) {
    for (const double b : y) product.push_back(a / sum * (b / sum));
  }
  JointEntropies e{.x = entropy(x), .y = entropy(y), .joint = entropy(all)};
  e.mutual = relative_entropy(all, product);
  for (std::size_t i = 0; i < p.rows(); ++i) {
    if (x[i] > 0) e.y_given_x += x[i] / sum * entropy({&all[i * p.cols()], p.cols()});
  }
  for (std::size_t j = 0; j < p.cols(); ++j) {
    std::vector<double> column(p.rows());
    for (std::size_t i = 0; i < p.rows(); ++i) column[i] = p(i, j);
    if (y[j] > 0) e.x_given_y += y[j] / sum * entropy(column);
  }
  return e;
}

double mutual_information(MatrixView<const double> p) { return joint_entropies(p).mutual; }

double gaussian_mutual_information(double rho) {
  if (!(std::abs(rho) <= 1)) {
    throw Error(fmt::format("a correlation is between -1 and 1, got {}", rho), entropy_place);
  }
  return -std::log1p(-rho * rho) / 2;
}

double entropy_of(std::span<const std::size_t> labels) {
  return entropy(occurrences(std::vector(labels.begin(), labels.end())));
}

double mutual_information(std::span<const std::size_t> x, std::span<const std::size_t> y) {
  if (x.size() != y.size() || x.empty()) {
    throw Error(fmt::format("{} and {} labels of the same samples", x.size(), y.size()),
                entropy_place);
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < x.size(); ++i) pairs.emplace_back(x[i], y[i]);
  const double joint = entropy(occurrences(std::move(pairs)));
  // Rounding must not make it negative.
  return std::max(0.0, entropy_of(x) + entropy_of(y) - joint);
}

std::vector<std::size_t> bin_rows(MatrixView<const double> values, std::size_t bins) {
  if (bins == 0) throw Error("cells need at least one interval per column", entropy_place);
  count_work(WorkKind::pieces, static_cast<double>(2 * values.rows() * values.cols()));
  // Column by column labels are numbered anew, in the order of the rows where they come first.
  std::vector<std::size_t> labels(values.rows(), 0);
  std::unordered_map<std::size_t, std::size_t> numbers;
  for (std::size_t j = 0; j < values.cols(); ++j) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < values.rows(); ++i) {
      const double v = values(i, j);
      if (!std::isfinite(v)) throw Error("a value is not finite", entropy_place);
      low = std::min(low, v);
      high = std::max(high, v);
    }
    if (!(high > low)) continue;
    numbers.clear();
    for (std::size_t i = 0; i < values.rows(); ++i) {
      const double share = (values(i, j) - low) / (high - low);
      const auto cell = static_cast<std::size_t>(share * static_cast<double>(bins));
      const std::size_t key = labels[i] * bins + std::min(cell, bins - 1);
      labels[i] = numbers.try_emplace(key, numbers.size()).first->second;
    }
  }
  return labels;
}

}  // namespace cauchy
