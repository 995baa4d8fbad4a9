#include <cauchy/networks/kan_formula.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/math/matrix.hpp>

#include "networks/fit_numbers.hpp"

namespace cauchy {
namespace {

constexpr std::size_t most_edge_samples = 500;

/// Standard deviation and mean.
std::pair<double, double> deviation_and_mean(std::span<const double> y) {
  const auto n = static_cast<double>(y.size());
  double mean = 0, square = 0;
  for (const double v : y) mean += v / n;
  for (const double v : y) square += (v - mean) * (v - mean) / n;
  return {std::sqrt(square), mean};
}

/// All numbers of a formula that can be moved, and the formula as a function of them.
class FormulaFit final {
 public:
  FormulaFit(KanFormula& formula, std::span<const double> points, std::size_t n_inputs)
      : formula_(formula), points_(points), n_inputs_(n_inputs) {
    for (std::size_t l = 0; l < formula.edges.size(); ++l) {
      for (EdgeFormula& e : formula.edges[l]) {
        if (e.function == nullptr) continue;
        free_.push_back(&e.c);
        if (e.function->searches_a()) free_.push_back(&e.a);
        if (e.function->searches_b()) free_.push_back(&e.b);
      }
      for (double& d : formula.constants[l]) free_.push_back(&d);
    }
  }

  void refine(std::span<const double> targets) {
    std::vector<double> numbers;
    for (const double* v : free_) numbers.push_back(*v);
    const std::size_t m = formula_.constants.back().size();
    std::vector<double> y(m);
    Matrix slopes;
    detail::fit_numbers(numbers, targets.size(),
                        [&](std::span<const double> p, std::size_t row, std::span<double> g) {
                          set(p);
                          evaluate(row / m, y, g.empty() ? nullptr : &slopes);
                          for (std::size_t k = 0; k < g.size(); ++k) g[k] = slopes(row % m, k);
                          return y[row % m] - targets[row];
                        });
    set(numbers);
  }

  /// Values at one point; rows of `slopes`, where given, are the outputs.
  void evaluate(std::size_t point, std::span<double> out, Matrix* slopes) const {
    const auto first = points_.subspan(point * n_inputs_, n_inputs_);
    std::vector<double> x(first.begin(), first.end());
    // d x_i / d p, row by row; the numbers of a layer come after those of the layers before.
    const std::size_t n = slopes != nullptr ? free_.size() : 0;
    Matrix dx(x.size(), n);
    std::size_t at = 0;
    for (std::size_t l = 0; l < formula_.edges.size(); ++l) {
      std::vector<double> y = formula_.constants[l];
      Matrix dy(y.size(), n);
      for (std::size_t e = 0; e < formula_.edges[l].size(); ++e) {
        const EdgeFormula& edge = formula_.edges[l][e];
        if (edge.function == nullptr) continue;
        const std::size_t o = e / x.size(), i = e % x.size();
        const double z = edge.a * x[i] + edge.b, f = edge.function->value(z);
        y[o] += edge.c * f;
        if (slopes == nullptr) continue;
        const double slope = edge.c * edge.function->slope(z);
        dy(o, at++) += f;
        if (edge.function->searches_a()) dy(o, at++) += slope * x[i];
        if (edge.function->searches_b()) dy(o, at++) += slope;
        for (std::size_t k = 0; k < n; ++k) dy(o, k) += slope * edge.a * dx(i, k);
      }
      for (std::size_t o = 0; slopes != nullptr && o < y.size(); ++o) dy(o, at++) += 1;
      x = std::move(y);
      dx = std::move(dy);
    }
    std::ranges::copy(x, out.begin());
    if (slopes != nullptr) *slopes = std::move(dx);
  }

 private:
  void set(std::span<const double> p) {
    for (std::size_t k = 0; k < free_.size(); ++k) *free_[k] = p[k];
  }

  KanFormula& formula_;
  std::span<const double> points_;
  std::size_t n_inputs_;
  std::vector<double*> free_;
};

double rounded_number(double value, int digits) {
  return digits > 0 ? std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr) : value;
}

void round_numbers(KanFormula& formula, int digits) {
  for (auto& layer : formula.edges) {
    for (EdgeFormula& e : layer) {
      e.a = rounded_number(e.a, digits);
      e.b = rounded_number(e.b, digits);
      e.c = rounded_number(e.c, digits);
    }
  }
  for (auto& layer : formula.constants) {
    for (double& d : layer) d = rounded_number(d, digits);
  }
}

std::vector<Expr> formula_rows(const KanFormula& formula, std::span<const Expr> inputs) {
  std::vector<Expr> x(inputs.begin(), inputs.end());
  for (std::size_t l = 0; l < formula.edges.size(); ++l) {
    std::vector<Expr> y;
    for (const double d : formula.constants[l]) y.emplace_back(d);
    for (std::size_t e = 0; e < formula.edges[l].size(); ++e) {
      const EdgeFormula& edge = formula.edges[l][e];
      if (edge.function == nullptr) continue;
      Expr& sum = y[e / x.size()];
      sum = sum + Expr(edge.c) * edge.function->form(Expr(edge.a) * x[e % x.size()] + Expr(edge.b));
    }
    x = std::move(y);
  }
  for (Expr& e : x) e = simplify(e);
  return x;
}

}  // namespace

KanFormula formula_of(const KanModel& model, std::span<const double> points,
                      std::span<const Expr> inputs, const FormulaOptions& options,
                      std::span<const double> targets) {
  const std::size_t n_in = model.n_features(0), n_out = model.n_features(model.n_layers());
  if (inputs.size() != n_in || points.empty() || points.size() % n_in != 0 ||
      (!targets.empty() && targets.size() * n_in != points.size() * n_out)) {
    throw Error("points, names of inputs and targets do not fit the network",
                "[networks.kan_formula]");
  }
  const auto x = model.features(points);
  const std::size_t n = points.size() / n_in;
  KanFormula formula;
  for (std::size_t l = 0; l < model.n_layers(); ++l) {
    const std::size_t width = model.n_features(l), n_next = model.n_features(l + 1);
    std::vector<EdgeFormula> edges(width * n_next);
    std::vector<std::vector<double>> at(edges.size()), values(edges.size());
    double largest = 0;
    const std::size_t stride = 1 + (n - 1) / most_edge_samples;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      for (std::size_t p = 0; p < n; p += stride) {
        at[e].push_back(x[l][p * width + e % width]);
        values[e].push_back(model.edge(l, e / width, e % width, at[e].back()));
      }
      largest = std::max(largest, deviation_and_mean(values[e]).first);
    }
    std::vector<double> constants(n_next, 0.0);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const auto [deviation, mean] = deviation_and_mean(values[e]);
      edges[e].d = mean;
      if (deviation > options.drop * largest) edges[e] = best_function(at[e], values[e], options);
      constants[e / width] += std::exchange(edges[e].d, 0);
    }
    formula.edges.push_back(std::move(edges));
    formula.constants.push_back(std::move(constants));
  }
  const std::span<const double> wanted = targets.empty() ? x.back() : targets;
  FormulaFit fit(formula, points, n_in);
  if (options.refine) fit.refine(wanted);
  round_numbers(formula, options.digits);
  std::vector<double> y(n_out), rest(n_out, 0.0);
  for (std::size_t p = 0; p < n; ++p) {
    fit.evaluate(p, y, nullptr);
    for (std::size_t o = 0; o < n_out; ++o) rest[o] += std::pow(y[o] - wanted[p * n_out + o], 2);
  }
  for (std::size_t o = 0; o < n_out; ++o) {
    std::vector<double> column;
    for (std::size_t p = o; p < wanted.size(); p += n_out) column.push_back(wanted[p]);
    const double deviation = deviation_and_mean(column).first;
    const double all = deviation * deviation * static_cast<double>(n);
    formula.r2.push_back(all > 0 ? 1 - rest[o] / all : 0);
  }
  formula.outputs = formula_rows(formula, inputs);
  return formula;
}

}  // namespace cauchy
