#include "solvers/pinn/window_field.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/pinn/pinn_features.hpp"

namespace cauchy::detail {

void WindowField::save(Checkpoint& checkpoint) const { save_windows(checkpoint, parts_); }

void WindowField::evaluate(std::span<const Expr> expressions, std::span<const double> points,
                           std::span<double> out) const {
  const std::size_t n = points.size() / columns_, m = expressions.size();
  std::vector<std::vector<std::size_t>> rows(parts_.size());
  for (std::size_t i = 0; i < n; ++i) {
    const double t = points[i * columns_ + time_column_];
    const auto after = std::partition_point(parts_.begin(), parts_.end() - 1,
                                            [&](const Part& p) { return p.window.end < t; });
    rows[static_cast<std::size_t>(after - parts_.begin())].push_back(i);
  }
  std::vector<double> some, values;
  for (std::size_t w = 0; w < parts_.size(); ++w) {
    if (rows[w].empty()) continue;
    some.clear();
    for (const std::size_t i : rows[w]) {
      const auto row = points.subspan(i * columns_, columns_);
      some.insert(some.end(), row.begin(), row.end());
    }
    values.resize(rows[w].size() * m);
    parts_[w].field->evaluate(expressions, some, values);
    for (std::size_t k = 0; k < rows[w].size(); ++k) {
      std::copy_n(&values[k * m], m, &out[rows[w][k] * m]);
    }
  }
}

std::map<std::string, double> field_sizes(const Problem& problem, const WindowField::Part& part) {
  Window used = part.window;
  used.beyond = 0;
  const Domain domain = domain_of(window_problem(problem, used));
  const Points points = interior_points(domain, 256);
  std::vector<Expr> fields;
  for (const std::string& f : problem.fields) fields.push_back(Field(f));
  std::vector<double> values(points.size() * fields.size());
  part.field->evaluate(fields, points.values, values);
  std::map<std::string, double> sizes;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    double largest = 0;
    for (std::size_t i = k; i < values.size(); i += fields.size()) {
      largest = std::max(largest, std::abs(values[i]));
    }
    if (largest > 0 && std::isfinite(largest)) sizes[problem.fields[k]] = largest;
  }
  return sizes;
}

std::vector<TrainedNetwork> WindowField::networks() const {
  std::vector<TrainedNetwork> all;
  for (const Part& p : parts_) {
    for (TrainedNetwork& network : p.field->networks()) {
      const std::string& time = network.graph->coordinate_names()[time_column_];
      network.where = network.where * (Coordinate(time) <= p.window.end);
      all.push_back(std::move(network));
    }
  }
  return all;
}

void save_windows(Checkpoint& c, std::span<const WindowField::Part> parts) {
  c.numbers["windows"] = parts.size();
  std::vector<double> ends, beyond;
  for (std::size_t w = 0; w < parts.size(); ++w) {
    const Window& window = parts[w].window;
    ends.insert(ends.end(), {window.begin, window.end});
    beyond.push_back(window.beyond);
    c.arrays[fmt::format("window/{}/start", w)] = Array::list(window.start);
    for (const auto& [field, size] : window.sizes) {
      c.arrays[fmt::format("window/{}/size/{}", w, field)] = Array::list({size});
    }
    c.arrays[fmt::format("window/{}/theta", w)] = Array::list(parts[w].field->parameters());
    save_features(c, fmt::format("window/{}/", w), parts[w].field->network());
  }
  c.arrays["window/ends"] = Array::list(std::move(ends));
  c.arrays["window/beyond"] = Array::list(std::move(beyond));
}

bool has_windows(const Checkpoint& c) { return c.numbers.contains("windows"); }

std::vector<SavedWindow> load_windows(const Checkpoint& c) {
  const auto require = [](bool sensible) {
    if (sensible) return;
    throw Error(ErrorKind::file, "the windows of time in it are damaged", "[solvers.pinn]",
                "start the run anew");
  };
  const std::vector<double>& ends = c.array("window/ends").values;
  const std::vector<double>& beyond = c.array("window/beyond").values;
  require(ends.size() % 2 == 0 && ends.size() / 2 == c.number("windows") &&
          beyond.size() == ends.size() / 2);
  std::vector<SavedWindow> all;
  for (std::size_t w = 0; w < ends.size() / 2; ++w) {
    SavedWindow saved;
    saved.window.begin = ends[2 * w];
    saved.window.end = ends[2 * w + 1];
    saved.window.beyond = beyond[w];
    require(beyond[w] >= 0 && std::isfinite(beyond[w]));
    require(saved.window.begin < saved.window.end && std::isfinite(saved.window.begin) &&
            std::isfinite(saved.window.end) && (w == 0 || ends[2 * w - 1] == ends[2 * w]));
    saved.window.start = c.array(fmt::format("window/{}/start", w)).values;
    const std::string prefix = fmt::format("window/{}/size/", w);
    for (const auto& [name, array] : c.arrays) {
      if (!name.starts_with(prefix)) continue;
      require(array.values.size() == 1 && array.values[0] > 0 && std::isfinite(array.values[0]));
      saved.window.sizes[name.substr(prefix.size())] = array.values[0];
    }
    saved.features = load_features(c, fmt::format("window/{}/", w));
    saved.theta = c.array(fmt::format("window/{}/theta", w)).values;
    all.push_back(std::move(saved));
  }
  return all;
}

}  // namespace cauchy::detail
