#include "solvers/wellposed/function_names.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/expr/print.hpp>

namespace cauchy::detail {
namespace {

double length_of(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// "3*pi", "2", "4.712": a number as a person would write it.
std::string frequency_text(double f) {
  const double of_pi = f / std::numbers::pi, nearest = std::round(2 * of_pi) / 2;
  if (std::abs(f - std::round(f)) < 1e-9 * f) {
    const double whole = std::round(f);
    return whole == 1 ? "" : fmt::format("{:.0f}*", whole);
  }
  if (std::abs(of_pi - nearest) < 1e-9 * of_pi && nearest > 0) {
    return nearest == 1 ? "pi*" : fmt::format("{}*pi*", number_to_string(nearest));
  }
  return fmt::format("{:.4g}*", f);
}

/// A function of one coordinate with a name.
struct Shape1 {
  std::string text;  // empty: 1
  std::vector<double> values;
};

std::vector<Shape1> shapes_along(const std::string& x, const std::vector<double>& at,
                                 std::size_t waves) {
  const double a = at.front(), length = at.back() - at.front();
  std::vector<Shape1> all = {{"", std::vector<double>(at.size(), 1)}, {x, at}};
  const std::string from = a == 0  ? x
                           : a < 0 ? fmt::format("({} + {})", x, number_to_string(-a))
                                   : fmt::format("({} - {})", x, number_to_string(a));
  for (std::size_t k = 1; k <= 2 * waves; ++k) {
    const double f = 0.5 * static_cast<double>(k) * std::numbers::pi / length;
    Shape1 sine{fmt::format("sin({}{})", frequency_text(f), from), {}};
    Shape1 cosine{fmt::format("cos({}{})", frequency_text(f), from), {}};
    for (const double p : at) {
      sine.values.push_back(std::sin(f * (p - a)));
      cosine.values.push_back(std::cos(f * (p - a)));
    }
    all.push_back(std::move(sine));
    all.push_back(std::move(cosine));
  }
  return all;
}

/// Values of a field of all directions, made orthonormal; directions that say the same are dropped.
std::vector<std::vector<double>> orthonormal(std::vector<std::vector<double>> all) {
  std::vector<std::vector<double>> out;
  for (std::vector<double>& v : all) {
    const double first = length_of(v);
    for (const auto& e : out) {
      double product = 0;
      for (std::size_t i = 0; i < v.size(); ++i) product += e[i] * v[i];
      for (std::size_t i = 0; i < v.size(); ++i) v[i] -= product * e[i];
    }
    const double rest = length_of(v);
    if (!(rest > 1e-6 * first)) continue;
    for (double& x : v) x /= rest;
    out.push_back(std::move(v));
  }
  return out;
}

bool in_span(const std::vector<std::vector<double>>& basis, const std::vector<double>& v) {
  double inside = 0;
  for (const auto& e : basis) {
    double product = 0;
    for (std::size_t i = 0; i < v.size(); ++i) product += e[i] * v[i];
    inside += product * product;
  }
  const double all = length_of(v);
  return inside >= (1 - 1e-6) * all * all;
}

class FunctionNamer final {
 public:
  FunctionNamer(const ChebyshevBox& box, const ChebyshevGrid& grid) : box_(box), grid_(grid) {
    const bool in_time = box.time && grid.n[0] > 1;
    const std::size_t axes = box.dimension() + (in_time ? 1 : 0);
    n_ = axes == 1 ? 201 : axes == 2 ? 25 : 11;
    const auto places = [&](double from, double to) {
      std::vector<double> x;
      for (std::size_t i = 0; i < n_; ++i) {
        x.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(n_ - 1));
      }
      return x;
    };
    at_ = {in_time ? places(grid.from, grid.to) : std::vector<double>{0}};
    if (in_time) axes_.push_back({box.time->name, 0});
    for (std::size_t a = 0; a < box.dimension(); ++a) {
      at_.push_back(places(box.lower[a], box.upper[a]));
      axes_.push_back({box.space[a], a + 1});
    }
  }

  std::string name(const std::vector<std::vector<double>>& directions) const {
    std::vector<std::vector<std::vector<double>>> values;  // by field and direction
    double largest = 0;
    for (std::size_t f = 0; f < box_.fields.size(); ++f) {
      values.emplace_back();
      for (const std::vector<double>& c : directions) {
        values[f].push_back(
            chebyshev_values(box_, {grid_, c}, f, std::vector<int>(at_.size(), 0), at_));
        largest = std::max(largest, length_of(values[f].back()));
      }
    }
    std::vector<std::string> parts, touched;
    for (std::size_t f = 0; f < box_.fields.size(); ++f) {
      std::vector<std::vector<double>> seen;
      for (auto& v : values[f]) {
        if (length_of(v) > 1e-6 * largest) seen.push_back(std::move(v));
      }
      if (seen.empty()) continue;
      touched.push_back(fmt::format("'{}'", box_.fields[f]));
      parts.push_back(fmt::format("{} to '{}'",
                                  fmt::join(name_field(orthonormal(std::move(seen))), " or "),
                                  box_.fields[f]));
    }
    if (parts.size() > 2)
      return "certain functions to " + fmt::format("{}", fmt::join(touched, ", "));
    return fmt::format("{}", fmt::join(parts, " and "));
  }

 private:
  [[nodiscard]] std::vector<std::string> name_field(
      const std::vector<std::vector<double>>& basis) const {
    std::vector<std::string> found;
    std::vector<std::vector<Shape1>> shapes;
    for (const Axis& axis : axes_) {
      shapes.push_back(shapes_along(axis.name, at_[axis.index], axes_.size() == 1 ? 12 : 4));
    }
    std::vector<std::size_t> sizes;
    for (const auto& s : shapes) sizes.push_back(s.size());
    for_each_chebyshev_place(sizes, [&](std::span<const std::size_t> k) {
      if (found.size() == basis.size() || found.size() == 2) return;
      std::vector<double> v = {1};
      std::vector<std::string> factors;
      for (std::size_t a = 0; a < k.size(); ++a) {
        const Shape1& s = shapes[a][k[a]];
        std::vector<double> product;
        for (const double p : v) {
          for (const double q : s.values) product.push_back(p * q);
        }
        v = std::move(product);
        if (!s.text.empty()) factors.push_back(s.text);
      }
      if (!in_span(basis, v)) return;
      found.push_back(factors.empty() ? "a constant" : fmt::format("{}", fmt::join(factors, "*")));
    });
    if (!found.empty()) return found;
    return {sign_changes(basis[0])};
  }

  [[nodiscard]] std::string sign_changes(const std::vector<double>& v) const {
    std::string text = "a function with ";
    std::size_t stride = v.size();
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      stride /= n_;
      // Along the line through the largest value.
      const auto top = static_cast<std::size_t>(
          std::max_element(v.begin(), v.end(),
                           [](double p, double q) { return std::abs(p) < std::abs(q); }) -
          v.begin());
      const std::size_t first = top - top / stride % n_ * stride;
      int changes = 0;
      double before = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const double now = v[first + i * stride];
        if (std::abs(now) < 1e-6 * std::abs(v[top])) continue;
        if (now * before < 0) ++changes;
        before = now;
      }
      text += fmt::format("{}{} sign change{} along {}", a == 0 ? "" : " and ", changes,
                          changes == 1 ? "" : "s", axes_[a].name);
    }
    return text;
  }

  struct Axis {
    std::string name;
    std::size_t index;  // of at_
  };

  const ChebyshevBox& box_;
  const ChebyshevGrid& grid_;
  std::vector<Axis> axes_;  // those of space, and time before them where it is looked at
  std::size_t n_ = 0;       // places per axis at which functions are compared
  std::vector<std::vector<double>> at_;  // time (or one number), then space
};

}  // namespace

std::string name_functions(const ChebyshevBox& box, const ChebyshevGrid& grid,
                           const std::vector<std::vector<double>>& directions) {
  return FunctionNamer(box, grid).name(directions);
}

}  // namespace cauchy::detail
