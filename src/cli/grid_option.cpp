#include "cli/grid_option.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/parse.hpp>

namespace cauchy::cli {
namespace {

constexpr double most_points = 1e8;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int level = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') ++level;
    if (c == ')' || c == ']') --level;
    if (c == separator && level == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& p : parts) p = trimmed(p);
  return parts;
}

double number(const std::string& text) {
  const double value = evaluate(parse(text, {}, {"--grid", 1, 1}));
  if (!std::isfinite(value))
    throw Error(fmt::format("'{}' is not finite", text), "--grid", "write a number");
  return value;
}

/// Numbers of one coordinate, not yet written out.
struct AxisSpec {
  double first = 0, last = 0;
  std::size_t n = 0;  ///< 0: not given

  std::vector<double> values() const {
    if (n == 1) return {first};
    std::vector<double> all(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double s = static_cast<double>(i) / static_cast<double>(n - 1);
      all[i] = (1 - s) * first + s * last;
    }
    return all;
  }
};

AxisSpec axis(const std::string& part, const std::string& text) {
  const std::vector<std::string> ends = split(text, ':');
  if (ends.size() == 1 && !text.empty()) return {number(text), 0, 1};
  if (ends.size() != 3) {
    throw Error(fmt::format("'{}' is not NAME=FIRST:LAST:COUNT or NAME=VALUE", part), "--grid",
                "for example t=0:1:101,x=-1:1:201");
  }
  const double first = number(ends[0]), last = number(ends[1]), n = number(ends[2]);
  if (!(n >= 2) || n != std::floor(n) || n > most_points) {
    throw Error(fmt::format("the count in '{}' must be a whole number from 2 to 1e8", part),
                "--grid", "for example x=0:1:101");
  }
  if (!(first < last)) {
    throw Error(fmt::format("the ends in '{}' must increase", part), "--grid",
                "write the smaller one first");
  }
  return {first, last, static_cast<std::size_t>(n)};
}

}  // namespace

std::vector<std::string> split_list(const std::string& text) { return split(text, ','); }

std::size_t GridAxes::size() const {
  std::size_t n = 1;
  for (const auto& v : values) n *= v.size();
  return n;
}

std::vector<double> GridAxes::rows() const {
  const std::size_t n = size(), d = values.size();
  std::vector<double> rows(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t rest = i;
    for (std::size_t k = d; k-- > 0;) {
      rows[i * d + k] = values[k][rest % values[k].size()];
      rest /= values[k].size();
    }
  }
  return rows;
}

GridAxes parse_grid(const std::string& text, const std::vector<std::string>& names) {
  std::vector<AxisSpec> axes(names.size());
  for (const std::string& part : split_list(text)) {
    const auto equal = part.find('=');
    if (equal == std::string::npos) {
      throw Error(fmt::format("'{}' is not NAME=FIRST:LAST:COUNT or NAME=VALUE", part), "--grid",
                  "for example t=0:1:101,x=-1:1:201");
    }
    const std::string name = trimmed(part.substr(0, equal));
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw Error(fmt::format("unknown coordinate '{}'", name), "--grid",
                  fmt::format("coordinates are: {}", fmt::join(names, ", ")));
    }
    AxisSpec& spec = axes[static_cast<std::size_t>(at - names.begin())];
    if (spec.n > 0) throw Error(fmt::format("'{}' is given twice", name), "--grid", "give it once");
    spec = axis(part, trimmed(part.substr(equal + 1)));
  }
  double n = 1;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (axes[k].n == 0) {
      throw Error(fmt::format("coordinate '{}' is missing", names[k]), "--grid",
                  fmt::format("add {0}=FIRST:LAST:COUNT or {0}=VALUE", names[k]));
    }
    n *= static_cast<double>(axes[k].n);
  }
  if (n > most_points) {
    throw Error(
        fmt::format("the grid has {:.2g} points, at most {:.0e} are evaluated", n, most_points),
        "--grid", "use smaller counts");
  }
  GridAxes grid{names, {}};
  for (const AxisSpec& a : axes) grid.values.push_back(a.values());
  return grid;
}

}  // namespace cauchy::cli
