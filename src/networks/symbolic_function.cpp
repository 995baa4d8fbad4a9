#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/networks/kan_formula.hpp>

#include "networks/fit_numbers.hpp"

namespace cauchy {
namespace {

constexpr std::size_t most_fitted = 200;  // samples in the search; the regression takes all
constexpr int search_grid = 31, search_rounds = 6;
constexpr double search_narrowing = 3;  // steps of the grid on both sides that the next round sees
constexpr double least_r2_misfit = 1e-7;  // 1 - r2 below which functions are equally good

/// Sums of a linear regression of y on f.
struct LinearRegression {
  double c = 0, d = 0, r2 = 0;
};

LinearRegression linear_regression(std::span<const double> f, std::span<const double> y) {
  const auto n = static_cast<double>(f.size());
  double mean_f = 0, mean_y = 0;
  for (std::size_t k = 0; k < f.size(); ++k) {
    mean_f += f[k] / n;
    mean_y += y[k] / n;
  }
  double ff = 0, fy = 0, yy = 0;
  for (std::size_t k = 0; k < f.size(); ++k) {
    ff += (f[k] - mean_f) * (f[k] - mean_f);
    fy += (f[k] - mean_f) * (y[k] - mean_y);
    yy += (y[k] - mean_y) * (y[k] - mean_y);
  }
  LinearRegression result;
  if (!(ff > 0) || !(yy > 0) || !std::isfinite(ff)) return result;
  result.c = fy / ff;
  result.d = mean_y - result.c * mean_f;
  double rest = 0;
  for (std::size_t k = 0; k < f.size(); ++k) {
    const double e = y[k] - result.c * f[k] - result.d;
    rest += e * e;
  }
  result.r2 = 1 - rest / yy;
  return result;
}

LinearRegression regression_at(const SymbolicFunction& f, double a, double b,
                               std::span<const double> t, std::span<const double> y,
                               std::vector<double>& work) {
  work.resize(t.size());
  for (std::size_t k = 0; k < t.size(); ++k) work[k] = f.value(a * t[k] + b);
  return linear_regression(work, y);
}

struct SearchSpan {
  double lower, upper;
  [[nodiscard]] int n() const { return lower < upper ? search_grid : 1; }
  [[nodiscard]] double at(int k) const {
    return lower < upper ? lower + (upper - lower) * k / (search_grid - 1) : lower;
  }
  [[nodiscard]] SearchSpan around(double x, const SearchSpan& all) const {
    const double half = search_narrowing * (upper - lower) / (search_grid - 1);
    return {std::max(all.lower, x - half), std::min(all.upper, x + half)};
  }
};

constexpr double search_far = 12;  // half ranges away from the samples

/// The numbers that were searched and (c, d) together, from the best place of the grid.
void polish(EdgeFormula& fit, std::span<const double> x, std::span<const double> y) {
  const SymbolicFunction& f = *fit.function;
  std::vector<double> work;
  const LinearRegression start = regression_at(f, fit.a, fit.b, x, y, work);
  if (!(start.r2 > 0)) return;
  std::vector<double> p{start.c, start.d};
  if (f.searches_a()) p.push_back(fit.a);
  if (f.searches_b()) p.push_back(fit.b);
  const auto take = [&](std::span<const double> numbers) {
    std::size_t at = 2;
    if (f.searches_a()) fit.a = numbers[at++];
    if (f.searches_b()) fit.b = numbers[at++];
  };
  detail::fit_numbers(p, x.size(),
                      [&](std::span<const double> numbers, std::size_t k, std::span<double> g) {
                        take(numbers);
                        const double z = fit.a * x[k] + fit.b, value = f.value(z);
                        if (!g.empty()) {
                          const double slope = numbers[0] * f.slope(z);
                          std::size_t at = 2;
                          g[0] = value;
                          g[1] = 1;
                          if (f.searches_a()) g[at++] = slope * x[k];
                          if (f.searches_b()) g[at++] = slope;
                        }
                        return numbers[0] * value + numbers[1] - y[k];
                      });
  take(p);
}

}  // namespace

const std::vector<SymbolicFunction>& all_symbolic_functions() {
  // Poles of 1/x and ends of sqrt and log lie outside of the samples, kinks of abs inside.
  static const std::vector<SymbolicFunction> all = {
      {"x", 1, [](double z) { return z; }, [](double) { return 1.0; },
       [](const Expr& z) { return z; }, 1, 1, 0, 0},
      {"x^2", 2, [](double z) { return z * z; }, [](double z) { return 2 * z; },
       [](const Expr& z) { return pow(z, 2); }, 1, 1, -search_far, search_far},
      {"exp", 2, [](double z) { return std::exp(z); }, [](double z) { return std::exp(z); },
       [](const Expr& z) { return exp(z); }, 0.05, search_far, 0, 0, true},
      {"sin", 2, [](double z) { return std::sin(z); }, [](double z) { return std::cos(z); },
       [](const Expr& z) { return sin(z); }, 0.3, 15, -3.2, 3.2},
      {"x^3", 3, [](double z) { return z * z * z; }, [](double z) { return 3 * z * z; },
       [](const Expr& z) { return pow(z, 3); }, 1, 1, -search_far, search_far},
      {"sqrt", 3, [](double z) { return std::sqrt(z); },
       [](double z) { return 0.5 / std::sqrt(z); }, [](const Expr& z) { return sqrt(z); }, 1, 1, 1,
       search_far, true},
      {"log", 3, [](double z) { return std::log(z); }, [](double z) { return 1 / z; },
       [](const Expr& z) { return log(z); }, 1, 1, 1 + 1e-6, search_far, true},
      {"1/x", 3, [](double z) { return 1 / z; }, [](double z) { return -1 / (z * z); },
       [](const Expr& z) { return 1 / z; }, 1, 1, 1 + 1e-6, search_far, true},
      {"abs", 3, [](double z) { return std::abs(z); }, [](double z) { return z < 0 ? -1.0 : 1.0; },
       [](const Expr& z) { return abs(z); }, 1, 1, -1, 1},
      {"tanh", 4, [](double z) { return std::tanh(z); },
       [](double z) { return 1 - std::tanh(z) * std::tanh(z); },
       [](const Expr& z) { return tanh(z); }, 0.3, search_far, -search_far, search_far},
      {"gaussian", 4, [](double z) { return std::exp(-z * z); },
       [](double z) { return -2 * z * std::exp(-z * z); },
       [](const Expr& z) { return exp(-pow(z, 2)); }, 0.3, search_far, -search_far, search_far},
  };
  return all;
}

double EdgeFormula::operator()(double x) const {
  return function == nullptr ? d : c * function->value(a * x + b) + d;
}

EdgeFormula fit_function(const SymbolicFunction& f, std::span<const double> x,
                         std::span<const double> y) {
  if (x.empty() || x.size() != y.size()) {
    throw Error("a fit needs as many values as places", "[networks.kan_formula]");
  }
  const auto [low, high] = std::ranges::minmax(x);
  const double centre = 0.5 * (low + high);
  const double half = high > low ? 0.5 * (high - low) : 1;
  std::vector<double> t, few, work;
  const std::size_t stride = 1 + (x.size() - 1) / most_fitted;
  for (std::size_t k = 0; k < x.size(); k += stride) {
    t.push_back((x[k] - centre) / half);
    few.push_back(y[k]);
  }
  double best_a = f.a_lower, best_b = f.b_lower, best = -1;
  for (const double sign : {1.0, -1.0}) {
    if (sign < 0 && !f.mirrored) continue;
    const SearchSpan all_a{f.a_lower, f.a_upper}, all_b{f.b_lower, f.b_upper};
    SearchSpan a = all_a, b = all_b;
    for (int round = 0; round < search_rounds; ++round) {
      double here = -1, place_a = a.at(0), place_b = b.at(0);
      for (int i = 0; i < a.n(); ++i) {
        for (int j = 0; j < b.n(); ++j) {
          const double r2 = regression_at(f, sign * a.at(i), b.at(j), t, few, work).r2;
          if (!(r2 > here)) continue;
          here = r2;
          place_a = a.at(i);
          place_b = b.at(j);
        }
      }
      if (here > best) {
        best = here;
        best_a = sign * place_a;
        best_b = place_b;
      }
      a = a.around(place_a, all_a);
      b = b.around(place_b, all_b);
      if (!f.searches_a() && !f.searches_b()) break;
    }
  }
  EdgeFormula result{&f, best_a / half, best_b - best_a * centre / half, 0, 0, 0};
  // Factors and constants that c and d can have as well.
  if (!f.searches_a()) {
    result.b /= std::abs(result.a);
    result.a /= std::abs(result.a);
  }
  if (!f.searches_b()) result.b = 0;
  polish(result, x, y);
  const LinearRegression line = regression_at(f, result.a, result.b, x, y, work);
  result.c = line.c;
  result.d = line.d;
  result.r2 = line.r2;
  return result;
}

EdgeFormula best_function(std::span<const double> x, std::span<const double> y,
                          const FormulaOptions& options) {
  const auto& all = all_symbolic_functions();
  if (!(options.misfit_per_level > 0 && options.misfit_per_level <= 1)) {
    throw Error("misfit_per_level must be in (0, 1]", "[networks.kan_formula]");
  }
  for (const std::string& name : options.functions) {
    if (std::ranges::any_of(all, [&](const auto& f) { return f.name == name; })) continue;
    std::vector<std::string_view> names;
    for (const auto& f : all) names.push_back(f.name);
    throw Error(
        fmt::format("there is no function '{}'; functions are: {}", name, fmt::join(names, ", ")),
        "[networks.kan_formula]");
  }
  EdgeFormula best;
  double best_score = INFINITY;
  for (const SymbolicFunction& f : all) {
    if (!options.functions.empty() &&
        std::ranges::find(options.functions, f.name) == options.functions.end()) {
      continue;
    }
    const EdgeFormula fit = fit_function(f, x, y);
    const double score = std::log10(std::max(1 - fit.r2, least_r2_misfit)) -
                         f.complexity * std::log10(options.misfit_per_level);
    if (!(score < best_score)) continue;
    best_score = score;
    best = fit;
  }
  return best;
}

}  // namespace cauchy
