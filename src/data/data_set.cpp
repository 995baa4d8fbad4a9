#include <cauchy/data/data_set.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr const char* data_set_place = "[data.data_set]";

/// Where the first number that is not finite stands; the end when all are.
std::size_t first_bad(const std::vector<double>& values) {
  const auto bad = [](double v) { return !std::isfinite(v); };
  return static_cast<std::size_t>(std::find_if(values.begin(), values.end(), bad) - values.begin());
}

/// Node `i` of a grid for people: "(3, 17)".
std::string node_text(const FieldGrid& grid, std::size_t i) {
  const std::vector<int> n = grid.sizes();
  std::vector<std::size_t> at(n.size());
  for (std::size_t k = n.size(); k-- > 0; i /= static_cast<std::size_t>(n[k])) {
    at[k] = i % static_cast<std::size_t>(n[k]);
  }
  return fmt::format("({})", fmt::join(at, ", "));
}

void check_numbers(const DataSet& d, const std::vector<double>& values,
                   const std::vector<std::string>& channels, std::string_view what) {
  const std::size_t n = d.grid.n_points(), row = n * channels.size();
  if (values.size() != d.size() * row) {
    throw Error(
        fmt::format("{} numbers of {} for {} samples of {}", values.size(), what, d.size(), row),
        data_set_place);
  }
  const std::size_t at = first_bad(values);
  if (at == values.size()) return;
  throw Error(fmt::format("'{}' of sample {} is {} at node {}", channels[at % row / n], at / row,
                          values[at], node_text(d.grid, at % n)),
              data_set_place, "leave the sample out");
}

}  // namespace

std::size_t DataSet::size() const {
  if (in_size() > 0) return in.size() / in_size();
  return out_size() > 0 ? out.size() / out_size() : 0;
}

DataSet DataSet::part(std::size_t first, std::size_t n) const {
  if (first > size() || n > size() - first) {
    throw Error(fmt::format("samples {} to {} of {}", first, first + n, size()), data_set_place,
                "take fewer");
  }
  const auto cut = [&](const std::vector<double>& values, std::size_t row) {
    if (values.empty()) return values;
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first * row);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(n * row));
  };
  DataSet d{name, grid,  inputs, outputs, times, cut(in, in_size()), cut(out, out_size()),
            {},   notes, {}};
  for (const auto& [key, values] : more) d.more[key] = cut(values, grid.n_points());
  return d;
}

DataSet DataSet::thinned(int k) const {
  if (k < 1 || grid.is_cloud()) {
    throw Error(k < 1 ? fmt::format("every {}-th node", k) : "a cloud of points has no axes",
                data_set_place, k < 1 ? "take 1 or more" : "");
  }
  std::vector<int> sizes;
  for (const FieldGrid::Axis& a : grid.axes) {
    const int cells = a.periodic ? a.n : a.n - 1;
    if (cells % k != 0 || cells / k < 1) {
      throw Error(fmt::format("every {}-th of {} nodes along {} does not end at the last one", k,
                              a.n, a.name),
                  data_set_place, fmt::format("take a divisor of {}", cells));
    }
    sizes.push_back(a.periodic ? cells / k : cells / k + 1);
  }
  DataSet d{name, grid.resized(sizes), inputs, outputs, times, {}, {}, {}, notes, triples};
  std::vector<std::size_t> kept;  // nodes
  for (std::size_t i = 0; i < d.grid.n_points(); ++i) {
    std::size_t rest = i, from = 0, stride = 1;
    for (std::size_t a = sizes.size(); a-- > 0;) {
      const auto n = static_cast<std::size_t>(sizes[a]);
      from += rest % n * static_cast<std::size_t>(k) * stride;
      rest /= n;
      stride *= static_cast<std::size_t>(grid.axes[a].n);
    }
    kept.push_back(from);
  }
  const std::size_t n = grid.n_points();
  const auto thin = [&](const std::vector<double>& values) {
    std::vector<double> result;
    result.reserve(values.size() / n * kept.size());
    for (std::size_t row = 0; row + n <= values.size(); row += n) {
      for (const std::size_t i : kept) result.push_back(values[row + i]);
    }
    return result;
  };
  d.in = thin(in);
  d.out = thin(out);
  for (const auto& [key, values] : more) d.more[key] = thin(values);
  return d;
}

void check(const DataSet& d) {
  if (d.grid.n_points() == 0) throw Error("the grid has no nodes", data_set_place);
  if (d.size() == 0) throw Error("there are no samples", data_set_place, "give at least one");
  if (!d.times.empty() && d.outputs.size() % d.times.size() != 0) {
    throw Error(fmt::format("{} outputs at {} times", d.outputs.size(), d.times.size()),
                data_set_place, "give every output at every time");
  }
  check_numbers(d, d.in, d.inputs, "inputs");
  if (!d.out.empty()) check_numbers(d, d.out, d.outputs, "outputs");
  for (const auto& [key, values] : d.more) check_numbers(d, values, {key}, key);
  check(d.triples);
}

}  // namespace cauchy
