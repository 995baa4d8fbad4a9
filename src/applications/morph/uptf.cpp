#include <cauchy/applications/uptf.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr std::string_view uptf_place = "[uptf]";
constexpr std::array<std::string_view, 7> uptf_words = {
    "trajectories", "moments", "fields", "components", "depth", "height", "width"};
enum UptfAxis : std::size_t { N, T, F, C, D, H, W };

[[noreturn]] void refuse_uptf(const std::string& what, std::string_view fix = {}) {
  throw Error(what, uptf_place, fix);
}

std::size_t product_of(std::span<const std::size_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{1}, std::multiplies<>());
}

/// For every axis of the array its letter's number.
std::vector<std::size_t> read_axes(std::string_view axes) {
  std::vector<std::size_t> order;
  for (const char letter : axes) {
    const std::size_t a = Uptf::letters.find(letter);
    if (a == std::string_view::npos) {
      refuse_uptf(fmt::format("'{}' in the axes '{}' is no axis", letter, axes),
                  "axes are: N, T, F, C, D, H, W");
    }
    if (std::find(order.begin(), order.end(), a) != order.end()) {
      refuse_uptf(fmt::format("axis {} stands twice in '{}'", letter, axes));
    }
    order.push_back(a);
  }
  return order;
}

std::string axis_text(std::size_t a) {
  return fmt::format("{} ({})", Uptf::letters[a], uptf_words[a]);
}

/// Position of an axis in an array: its stride there, 0 where the array does not have it.
std::array<std::size_t, 7> strides_in(std::span<const std::size_t> order,
                                      std::span<const std::size_t> lengths) {
  std::array<std::size_t, 7> strides = {};
  std::size_t stride = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = stride;
    stride *= lengths[k];
  }
  return strides;
}

/// Calls body(place in row-major order of `shape`, index) for every number.
template <class Body>
void for_each_number(const std::array<std::size_t, 7>& shape, Body body) {
  std::array<std::size_t, 7> at = {};
  const std::size_t n = product_of(shape);
  for (std::size_t i = 0; i < n; ++i) {
    body(i, at);
    for (std::size_t a = 7; a-- > 0;) {
      if (++at[a] < shape[a]) break;
      at[a] = 0;
    }
  }
}

std::size_t place_of(const std::array<std::size_t, 7>& at,
                     const std::array<std::size_t, 7>& strides) {
  std::size_t place = 0;
  for (std::size_t a = 0; a < 7; ++a) place += at[a] * strides[a];
  return place;
}

/// The lengths of the seven axes of one array, those that it does not have 1.
std::array<std::size_t, 7> lengths_of(const UptfArray& a, std::span<const std::size_t> order) {
  check_array(a.array, uptf_place);
  if (order.size() != a.array.shape.size()) {
    refuse_uptf(fmt::format("the axes '{}' are {}, the array has {}", a.axes, order.size(),
                            a.array.shape.size()),
                "give one letter per axis");
  }
  std::array<std::size_t, 7> lengths = {1, 1, 1, 1, 1, 1, 1};
  for (const std::size_t needed : {N, T, W}) {
    if (std::find(order.begin(), order.end(), needed) != order.end()) continue;
    refuse_uptf(fmt::format("axis {} is missing in '{}'", axis_text(needed), a.axes),
                "give the array an axis of length 1");
  }
  for (std::size_t k = 0; k < order.size(); ++k) lengths[order[k]] = a.array.shape[k];
  if (a.fields.size() == lengths[F]) return lengths;
  if (std::find(order.begin(), order.end(), F) == order.end()) {
    refuse_uptf(fmt::format("axis {} is missing in '{}': {} are named, the array holds one",
                            axis_text(F), a.axes, fmt::join(a.fields, ", ")),
                "give an array for each field, or an axis F");
  }
  refuse_uptf(fmt::format("{} names for {} fields", a.fields.size(), lengths[F]));
}

}  // namespace

std::size_t Uptf::frame_size() const noexcept { return product_of(std::span(shape).subspan<2>()); }

std::span<const double> Uptf::frame(std::size_t trajectory, std::size_t moment) const {
  const std::size_t n = frame_size();
  return std::span(values).subspan((trajectory * shape[T] + moment) * n, n);
}

Uptf Uptf::part(std::size_t first, std::size_t n) const {
  if (n == 0 || first + n > shape[N]) {
    refuse_uptf(
        fmt::format("there are {} trajectories, not {} from number {} on", shape[N], n, first));
  }
  Uptf result = *this;
  const std::size_t each = shape[T] * frame_size();
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first * each);
  result.values.assign(begin, begin + static_cast<std::ptrdiff_t>(n * each));
  result.shape[N] = n;
  return result;
}

std::string shape_text(const Uptf& data) {
  return fmt::format("({})", fmt::join(data.shape, ", "));
}

void check(const Uptf& data) {
  for (std::size_t a = 0; a < 7; ++a) {
    if (data.shape[a] == 0) refuse_uptf(fmt::format("axis {} has the length 0", axis_text(a)));
  }
  if (data.values.size() != product_of(data.shape)) {
    refuse_uptf(fmt::format("{} numbers for the shape {}", data.values.size(), shape_text(data)));
  }
  if (data.fields.size() != data.shape[F] || data.components.size() != data.shape[F]) {
    refuse_uptf(fmt::format("{} names and {} numbers of components for {} fields",
                            data.fields.size(), data.components.size(), data.shape[F]));
  }
  for (std::size_t f = 0; f < data.shape[F]; ++f) {
    if (data.components[f] >= 1 && data.components[f] <= data.shape[C]) continue;
    refuse_uptf(fmt::format("field '{}' has {} components of {}", data.fields[f],
                            data.components[f], data.shape[C]));
  }
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    if (std::isfinite(data.values[i])) continue;
    const std::size_t frame = i / data.frame_size(), in_frame = i % data.frame_size();
    refuse_uptf(fmt::format("trajectory {}, moment {}, field '{}': a number is not finite",
                            frame / data.shape[T], frame % data.shape[T],
                            data.fields[in_frame * data.shape[F] / data.frame_size()]));
  }
}

Uptf uptf_of(std::span<const UptfArray> arrays) {
  if (arrays.empty()) refuse_uptf("there is no array");
  Uptf result;
  std::vector<std::vector<std::size_t>> orders;
  std::vector<std::array<std::size_t, 7>> lengths;
  for (const UptfArray& a : arrays) {
    orders.push_back(read_axes(a.axes));
    lengths.push_back(lengths_of(a, orders.back()));
    const std::array<std::size_t, 7>& mine = lengths.back();
    for (const std::size_t axis : {N, T, D, H, W}) {
      if (mine[axis] == lengths.front()[axis]) continue;
      refuse_uptf(fmt::format("axis {} has the length {} for '{}' and {} for '{}'", axis_text(axis),
                              lengths.front()[axis], arrays.front().fields.front(), mine[axis],
                              a.fields.front()));
    }
    for (const std::string& name : a.fields) {
      result.fields.push_back(name);
      result.components.push_back(mine[C]);
    }
  }
  result.shape = lengths.front();
  result.shape[F] = result.fields.size();
  result.shape[C] = *std::max_element(result.components.begin(), result.components.end());
  result.values.assign(product_of(result.shape), 0.0);
  std::array<std::size_t, 7> all = {N, T, F, C, D, H, W};
  const std::array<std::size_t, 7> to = strides_in(all, result.shape);
  std::size_t first = 0;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const std::array<std::size_t, 7> from = strides_in(orders[k], arrays[k].array.shape);
    for_each_number(lengths[k], [&](std::size_t, std::array<std::size_t, 7> at) {
      const double value = arrays[k].array.values[place_of(at, from)];
      at[F] += first;
      result.values[place_of(at, to)] = value;
    });
    first += lengths[k][F];
  }
  check(result);
  return result;
}

Array array_of(const Uptf& data, std::string_view axes, int field) {
  check(data);
  const std::vector<std::size_t> order = read_axes(axes);
  std::array<std::size_t, 7> shape = data.shape;
  const std::size_t f = field < 0 ? 0 : static_cast<std::size_t>(field);
  if (f >= data.shape[F]) refuse_uptf(fmt::format("there is no field {}", field));
  if (field >= 0) {
    shape[F] = 1;
    shape[C] = data.components[f];
  }
  Array result;
  for (const std::size_t a : order) result.shape.push_back(shape[a]);
  for (std::size_t a = 0; a < 7; ++a) {
    if (shape[a] == 1 || std::find(order.begin(), order.end(), a) != order.end()) continue;
    refuse_uptf(
        fmt::format("axis {} has {} points, but '{}' leaves it out", axis_text(a), shape[a], axes));
  }
  result.values.resize(product_of(shape));
  const std::array<std::size_t, 7> all = {N, T, F, C, D, H, W}, from = strides_in(all, data.shape),
                                   to = strides_in(order, result.shape);
  for_each_number(shape, [&](std::size_t, std::array<std::size_t, 7> at) {
    const std::size_t place = place_of(at, to);
    at[F] += f;
    result.values[place] = data.values[place_of(at, from)];
  });
  return result;
}

}  // namespace cauchy
