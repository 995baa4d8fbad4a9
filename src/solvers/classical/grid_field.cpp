#include "solvers/classical/grid_field.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/difference.hpp>

namespace cauchy::detail {
namespace {

constexpr const char* grid_field_place = "[solvers.classical]";

/// 1 / prod_{k != j} (x_j - x_k), in units of the capacity of the interval so that it neither over-
/// nor underflows.
std::vector<double> barycentric_weights(const std::vector<double>& x) {
  const double unit = 4 / (x.back() - x.front());
  std::vector<double> w(x.size(), 1);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (k != j) w[j] /= unit * (x[j] - x[k]);
    }
  }
  return w;
}

/// w := D' w with the differentiation matrix of the nodes.
std::vector<double> differentiated(const std::vector<double>& x, const std::vector<double>& b,
                                   std::span<const double> w) {
  const std::size_t n = x.size();
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    double diagonal = 0;  // negative sum: exact for constants
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const double d = b[j] / b[i] / (x[i] - x[j]);
      out[j] += w[i] * d;
      diagonal -= d;
    }
    out[i] += w[i] * diagonal;
  }
  return out;
}

NodeWeights weights_of(const std::vector<double>& x, const std::vector<double>& b, double at,
                       int order) {
  const std::size_t n = x.size();
  NodeWeights out{0, n, std::vector<double>(n * static_cast<std::size_t>(order + 1), 0)};
  const auto hit = std::find(x.begin(), x.end(), at);
  if (hit != x.end()) {
    out.w[static_cast<std::size_t>(hit - x.begin())] = 1;
  } else {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += out.w[j] = b[j] / (at - x[j]);
    for (std::size_t j = 0; j < n; ++j) out.w[j] /= sum;
  }
  for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k) {
    const auto w = differentiated(x, b, std::span(out.w).subspan((k - 1) * n, n));
    std::copy(w.begin(), w.end(), out.w.begin() + static_cast<long>(k * n));
  }
  return out;
}

std::size_t nodes_of(const std::vector<GridAxis>& axes) {
  std::size_t n = 1;
  for (const GridAxis& a : axes) n *= a.nodes.size();
  return n;
}

void check_axis(const GridAxis& a) {
  if (a.nodes.empty()) throw Error(fmt::format("axis '{}' has no nodes", a.name), grid_field_place);
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    if (!std::isfinite(a.nodes[i]) || (i > 0 && !(a.nodes[i - 1] < a.nodes[i]))) {
      throw Error(fmt::format("nodes of axis '{}' do not ascend", a.name), grid_field_place);
    }
  }
  if (a.kind == GridAxis::Kind::periodic && !(a.period > a.nodes.back() - a.nodes.front())) {
    throw Error(fmt::format("the period of axis '{}' is too small", a.name), grid_field_place);
  }
  if (a.kind == GridAxis::Kind::pieces &&
      (a.width < 2 || a.nodes.size() < 2 ||
       (a.nodes.size() - 1) % static_cast<std::size_t>(a.width - 1) != 0)) {
    throw Error(fmt::format("axis '{}' has no whole pieces of {} nodes", a.name, a.width),
                grid_field_place);
  }
}

}  // namespace

NodeWeights polynomial_weights(const std::vector<double>& nodes, double at, int order) {
  return weights_of(nodes,
                    nodes.size() > 1 ? barycentric_weights(nodes) : std::vector<double>(1, 1.0), at,
                    order);
}

GridField::GridField(std::string kind, std::shared_ptr<const Problem> problem,
                     std::vector<GridAxis> axes, std::vector<std::string> fields,
                     std::vector<std::vector<double>> values)
    : NodalModel(std::move(kind), std::move(problem)),
      axes_(std::move(axes)),
      fields_(std::move(fields)),
      values_(std::move(values)) {
  const std::vector<std::string> names = this->problem().coordinates();
  for (const GridAxis& a : axes_) {
    check_axis(a);
    const auto found = std::find(names.begin(), names.end(), a.name);
    if (found == names.end())
      throw Error(fmt::format("no coordinate '{}'", a.name), grid_field_place);
    columns_.push_back(static_cast<std::size_t>(found - names.begin()));
    barycentric_.push_back(a.kind == GridAxis::Kind::chebyshev && a.nodes.size() > 1
                               ? barycentric_weights(a.nodes)
                               : std::vector<double>(a.nodes.size(), 1));
  }
  const std::size_t n = nodes_of(axes_);
  if (values_.size() != fields_.size() ||
      std::any_of(values_.begin(), values_.end(), [&](const auto& v) { return v.size() != n; })) {
    throw Error(fmt::format("a grid of {} nodes needs as many values of every field", n),
                grid_field_place);
  }
}

const std::vector<double>& GridField::values(const std::string& field) const {
  const auto found = std::find(fields_.begin(), fields_.end(), field);
  if (found == fields_.end()) {
    throw Error(ErrorKind::not_found, fmt::format("the grid has no field '{}'", field),
                grid_field_place);
  }
  return values_[static_cast<std::size_t>(found - fields_.begin())];
}

NodeWeights GridField::weights_at(std::size_t axis, double at, int order) const {
  const GridAxis& a = axes_[axis];
  const std::size_t n = a.nodes.size();
  if (a.kind == GridAxis::Kind::chebyshev) {
    return weights_of(a.nodes, barycentric_[axis], at, order);
  }
  if (a.kind == GridAxis::Kind::pieces) {
    const auto step = static_cast<std::size_t>(a.width - 1);
    const auto right = static_cast<std::size_t>(
        std::lower_bound(a.nodes.begin(), a.nodes.end(), at) - a.nodes.begin());
    const std::size_t piece =
        std::min((right - std::min<std::size_t>(right, 1)) / step, (n - 1) / step - 1);
    const auto from = a.nodes.begin() + static_cast<long>(piece * step);
    NodeWeights out = polynomial_weights({from, from + a.width}, at, order);
    out.first = piece * step;
    return out;
  }
  NodeWeights out;
  out.count = std::min(n, static_cast<std::size_t>(std::max(a.width, 1)));
  std::vector<double> x(out.count);
  const auto half = static_cast<double>(out.count - 1) / 2;
  if (a.kind == GridAxis::Kind::periodic) {
    const double h = a.period / static_cast<double>(n), turn = static_cast<double>(n);
    const double s = (at - a.nodes[0]) / h, first = std::ceil(s - half - 0.5);
    out.first = static_cast<std::size_t>(first - turn * std::floor(first / turn)) % n;
    for (std::size_t j = 0; j < out.count; ++j) {
      x[j] = a.nodes[0] + (first + static_cast<double>(j)) * h;
    }
  } else {
    // Nodes around the place: as many to the left as to the right, where there are so many.
    const auto right = static_cast<std::size_t>(
        std::upper_bound(a.nodes.begin(), a.nodes.end(), at) - a.nodes.begin());
    std::size_t from = right - std::min(right, (out.count + 1) / 2);
    if (out.count % 2 == 1 && right > 0 && right < n &&
        a.nodes[right] - at < at - a.nodes[right - 1]) {
      ++from;  // an odd number lies around the nearest node
    }
    out.first = std::min(from, n - out.count);
    std::copy_n(a.nodes.begin() + static_cast<long>(out.first), out.count, x.begin());
  }
  const Matrix w = difference_weights(at, x, order);
  out.w.assign(w.data(), w.data() + w.size());
  return out;
}

void GridField::derivatives(std::span<const Expr> atoms, std::span<const double> points,
                            std::span<double> out) const {
  const std::vector<std::string> names = problem().coordinates();
  const std::size_t D = names.size(), A = axes_.size(), K = atoms.size(), n = points.size() / D;
  // Orders by axis; an order along a coordinate without axis makes the atom 0.
  std::vector<std::vector<int>> orders(K, std::vector<int>(A, 0));
  std::vector<const double*> data(K, nullptr);
  std::vector<int> highest(A, 0);
  for (std::size_t k = 0; k < K; ++k) {
    bool zero = false;
    for (const auto& [name, order] : atoms[k].index()) {
      const auto axis =
          std::find_if(axes_.begin(), axes_.end(),
                       [&, &wanted = name](const auto& a) { return a.name == wanted; });
      if (axis == axes_.end()) {
        zero = true;
        continue;
      }
      const auto i = static_cast<std::size_t>(axis - axes_.begin());
      orders[k][i] = order;
      highest[i] = std::max(highest[i], order);
    }
    if (!zero) data[k] = values(atoms[k].name()).data();
  }
  std::vector<std::unordered_map<double, NodeWeights>> known(A);
  std::vector<const NodeWeights*> at(A);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < A; ++a) {
      const double x = points[i * D + columns_[a]];
      if (known[a].size() > 4096) known[a].clear();
      auto found = known[a].find(x);
      if (found == known[a].end()) found = known[a].emplace(x, weights_at(a, x, highest[a])).first;
      at[a] = &found->second;
    }
    for (std::size_t k = 0; k < K; ++k) {
      if (data[k] == nullptr) {
        out[i * K + k] = 0;
        continue;
      }
      // Recursion over the axes, the last one innermost.
      const auto reduce = [&](const auto& self, std::size_t axis, std::size_t offset) -> double {
        if (axis == A) return data[k][offset];
        const NodeWeights& w = *at[axis];
        const std::size_t nodes = axes_[axis].nodes.size();
        const double* weights = w.w.data() + static_cast<std::size_t>(orders[k][axis]) * w.count;
        double sum = 0;
        std::size_t node = w.first;
        for (std::size_t j = 0; j < w.count; ++j) {
          if (weights[j] != 0) sum += weights[j] * self(self, axis + 1, offset * nodes + node);
          if (++node == nodes) node = 0;
        }
        return sum;
      };
      out[i * K + k] = reduce(reduce, 0, 0);
    }
  }
}

void GridField::save(Checkpoint& c) const {
  c.texts["field"] = "grid";
  c.texts["fields"] = fmt::format("{}", fmt::join(fields_, "\n"));
  c.numbers["axes"] = axes_.size();
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const GridAxis& a = axes_[i];
    const std::string key = fmt::format("axis{}", i);
    c.texts[key] = a.name;
    c.numbers[key + "/kind"] = static_cast<std::uint64_t>(a.kind);
    c.numbers[key + "/width"] = static_cast<std::uint64_t>(a.width);
    c.arrays[key + "/nodes"] = Array::list(a.nodes);
    c.arrays[key + "/period"] = Array::list({a.period});
  }
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    c.arrays["values/" + fields_[f]] = Array::list(values_[f]);
  }
}

std::shared_ptr<const GridField> GridField::load(std::string kind,
                                                 std::shared_ptr<const Problem> problem,
                                                 const Checkpoint& c) {
  std::vector<GridAxis> axes(std::min<std::uint64_t>(c.number("axes"), 16));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string key = fmt::format("axis{}", i);
    const std::uint64_t type = c.number(key + "/kind");
    const std::vector<double>& period = c.array(key + "/period").values;
    if (type > static_cast<std::uint64_t>(GridAxis::Kind::pieces) || period.size() != 1) {
      throw Error(ErrorKind::file, fmt::format("axis {} of the grid is not one", i),
                  grid_field_place);
    }
    axes[i] = {c.text(key), c.array(key + "/nodes").values, static_cast<GridAxis::Kind>(type),
               period[0],
               static_cast<int>(std::min<std::uint64_t>(c.number(key + "/width"), 1000))};
  }
  std::vector<std::string> fields = problem->all_fields();
  std::erase_if(fields, [&](const std::string& f) { return !c.arrays.contains("values/" + f); });
  std::vector<std::vector<double>> values;
  for (const std::string& f : fields) values.push_back(c.array("values/" + f).values);
  return std::make_shared<GridField>(std::move(kind), std::move(problem), std::move(axes),
                                     std::move(fields), std::move(values));
}

}  // namespace cauchy::detail
