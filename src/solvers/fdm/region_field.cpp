#include "solvers/fdm/region_field.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/difference.hpp>
#include <cauchy/problem/place.hpp>

#include "solvers/fdm/fdm_form.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* region_place = "[solvers.fdm]";

FdmGrid region_grid(const Problem& problem, const RegionField::Layout& layout) {
  const Domain domain = domain_of(problem);
  FdmGrid grid(domain.shape(), domain.space()->coordinates(), layout.n, {});
  grid.add_ghosts(layout.offsets);
  return grid;
}

/// Levels around a time and their weights up to a derivative.
struct TimeWeights {
  std::size_t first = 0;
  Matrix w = Matrix(1, 1, 1);
};

TimeWeights time_weights(const std::vector<double>& times, double at, int order) {
  const std::size_t count = std::min<std::size_t>(times.size(), 6);
  const auto right =
      static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), at) - times.begin());
  TimeWeights out;
  out.first = std::min(right - std::min(right, count / 2), times.size() - count);
  out.w = difference_weights(at, std::span(times).subspan(out.first, count), order);
  return out;
}

}  // namespace

RegionField::RegionField(std::string kind, std::shared_ptr<const Problem> problem, Layout layout,
                         std::vector<double> times, std::vector<std::string> fields,
                         std::vector<std::vector<double>> values)
    : NodalModel(std::move(kind), std::move(problem)),
      layout_(std::move(layout)),
      grid_(region_grid(this->problem(), layout_)),
      stencils_(grid_, 2, [](int, std::size_t) { return true; }),
      times_(std::move(times)),
      fields_(std::move(fields)),
      values_(std::move(values)) {
  const std::size_t n = grid_.nodes().size() * std::max<std::size_t>(1, times_.size());
  if (values_.size() != fields_.size() || !std::is_sorted(times_.begin(), times_.end()) ||
      times_.empty() != (this->problem().domain->time() == nullptr) ||
      std::any_of(values_.begin(), values_.end(), [&](const auto& v) { return v.size() != n; })) {
    throw Error(ErrorKind::file, fmt::format("a grid of {} values needs as many of every field", n),
                region_place);
  }
}

void RegionField::derivatives(std::span<const Expr> atoms, std::span<const double> points,
                              std::span<double> out) const {
  const std::size_t D = problem().coordinates().size(), K = atoms.size(), n = points.size() / D;
  const std::size_t d = grid_.dimension(), column = problem().domain->space_column();
  const std::vector<std::string>& space = problem().domain->space()->coordinates();
  const std::string time = times_.empty() ? "" : problem().domain->time()->name;
  std::vector<std::vector<int>> orders;
  std::vector<std::size_t> order_of(K);
  std::vector<const double*> data(K);
  int highest = 0, rate = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const std::vector<int> o = space_orders(atoms[k], space);
    const auto found = std::find(orders.begin(), orders.end(), o);
    order_of[k] = static_cast<std::size_t>(found - orders.begin());
    if (found == orders.end()) orders.push_back(o);
    int total = 0;
    for (const int i : o) total += i;
    highest = std::max(highest, total);
    rate = std::max(rate, time_order(atoms[k], time));
    const auto field = std::find(fields_.begin(), fields_.end(), atoms[k].name());
    if (field == fields_.end()) {
      throw Error(ErrorKind::not_found, fmt::format("the grid has no field '{}'", atoms[k].name()),
                  region_place);
    }
    data[k] = values_[static_cast<std::size_t>(field - fields_.begin())].data();
  }
  const int degree = std::max(3, highest + 1);
  const std::size_t N = grid_.nodes().size();
  for (std::size_t i = 0; i < n; ++i) {
    GridPoint x{};
    std::copy_n(points.begin() + static_cast<long>(i * D + column), d, x.begin());
    std::vector<Stencil> s;
    try {
      s = stencils_.at_point(x, {}, orders, degree);
    } catch (const Error& e) {  // a place that sees no nodes: it lies outside of the region
      if (e.kind() != ErrorKind::unsupported) throw;
      for (std::size_t k = 0; k < K; ++k) {
        out[i * K + k] = std::numeric_limits<double>::quiet_NaN();
      }
      continue;
    }
    const TimeWeights t =
        times_.empty() ? TimeWeights() : time_weights(times_, points[i * D], rate);
    for (std::size_t k = 0; k < K; ++k) {
      const auto in_time = static_cast<std::size_t>(time_order(atoms[k], time));
      double sum = 0;
      for (std::size_t l = 0; l < t.w.cols(); ++l) {
        double level = 0;
        for (const auto& [node, w] : s[order_of[k]]) {
          level += w * data[k][(t.first + l) * N + static_cast<std::size_t>(node)];
        }
        sum += t.w(in_time, l) * level;
      }
      out[i * K + k] = sum;
    }
  }
}

void RegionField::save(Checkpoint& c) const {
  c.texts["field"] = "region";
  c.texts["fields"] = fmt::format("{}", fmt::join(fields_, "\n"));
  c.numbers["n"] = static_cast<std::uint64_t>(layout_.n);
  std::vector<double> offsets;
  for (const GridPlace& o : layout_.offsets) offsets.insert(offsets.end(), o.begin(), o.end());
  c.arrays["offsets"] = Array::list(offsets);
  c.arrays["times"] = Array::list(times_);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    c.arrays["values/" + fields_[f]] = Array::list(values_[f]);
  }
}

std::shared_ptr<const RegionField> RegionField::load(std::string kind,
                                                     std::shared_ptr<const Problem> problem,
                                                     const Checkpoint& c) {
  Layout layout;
  const std::uint64_t n = c.number("n");
  const std::vector<double>& offsets = c.array("offsets").values;
  if (n < 1 || n > 100'000 || offsets.size() % 3 != 0) {
    throw Error(ErrorKind::file, "the grid of the region is not one", region_place);
  }
  layout.n = static_cast<int>(n);
  for (std::size_t i = 0; i < offsets.size(); i += 3) {
    GridPlace o{};
    for (std::size_t k = 0; k < 3; ++k) {
      if (!(offsets[i + k] >= -4 && offsets[i + k] <= 4)) {
        throw Error(ErrorKind::file, "the grid of the region is not one", region_place);
      }
      o[k] = static_cast<int>(offsets[i + k]);
    }
    layout.offsets.push_back(o);
  }
  std::vector<std::string> fields = problem->all_fields();
  std::erase_if(fields, [&](const std::string& f) { return !c.arrays.contains("values/" + f); });
  std::vector<std::vector<double>> values;
  for (const std::string& f : fields) values.push_back(c.array("values/" + f).values);
  return std::make_shared<RegionField>(std::move(kind), std::move(problem), std::move(layout),
                                       c.array("times").values, std::move(fields),
                                       std::move(values));
}

}  // namespace cauchy::detail
