#include "solvers/ode/ode_field.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/checkpoint.hpp>

namespace cauchy::detail {

void OdeCubics::add(double s, std::span<const double> y, std::span<const double> dy) {
  nodes.push_back(s);
  values.insert(values.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n_components));
  slopes.insert(slopes.end(), dy.begin(), dy.begin() + static_cast<std::ptrdiff_t>(n_components));
}

double OdeCubics::value(double s, std::size_t component, int order) const {
  if (nodes.size() == 1) return order == 0 ? values[component] : 0;
  std::size_t right = static_cast<std::size_t>(
      std::upper_bound(nodes.begin() + 1, nodes.end() - 1, s) - nodes.begin());
  while (nodes[right] == nodes[right - 1]) --right;  // a double node at the end
  const std::size_t a = (right - 1) * n_components + component, b = a + n_components;
  const double h = nodes[right] - nodes[right - 1], x = (s - nodes[right - 1]) / h;
  // y = y0 + x (h s0 + x (c2 + x c3))
  const double change = values[b] - values[a], s0 = h * slopes[a], s1 = h * slopes[b];
  const double c2 = 3 * change - 2 * s0 - s1, c3 = s0 + s1 - 2 * change;
  switch (order) {
    case 0:
      return values[a] + x * (s0 + x * (c2 + x * c3));
    case 1:
      return (s0 + x * (2 * c2 + 3 * x * c3)) / h;
    case 2:
      return (2 * c2 + 6 * x * c3) / (h * h);
    default:
      return order == 3 ? 6 * c3 / (h * h * h) : 0;
  }
}

OdeField::OdeField(std::shared_ptr<const Problem> problem, std::string variable,
                   std::vector<Place> places, OdeCubics cubics)
    : NodalModel("ode", std::move(problem)),
      variable_(std::move(variable)),
      places_(std::move(places)),
      cubics_(std::move(cubics)) {
  const std::vector<std::string> names = this->problem().coordinates();
  const auto found = std::find(names.begin(), names.end(), variable_);
  const std::size_t n = cubics_.nodes.size(), total = n * cubics_.n_components;
  const bool good = found != names.end() && n > 0 && cubics_.values.size() == total &&
                    cubics_.slopes.size() == total &&
                    std::is_sorted(cubics_.nodes.begin(), cubics_.nodes.end()) &&
                    std::all_of(cubics_.nodes.begin(), cubics_.nodes.end(),
                                [](double s) { return std::isfinite(s); }) &&
                    (n == 1 || cubics_.nodes.front() < cubics_.nodes.back()) &&
                    std::all_of(places_.begin(), places_.end(), [&](const Place& p) {
                      return p.count > 0 && p.first < cubics_.n_components &&
                             p.count <= cubics_.n_components - p.first;
                    });
  if (!good) {
    throw Error(ErrorKind::file, "nodes, values and fields of an answer do not fit",
                "[solvers.ode]");
  }
  column_ = static_cast<std::size_t>(found - names.begin());
}

void OdeField::derivatives(std::span<const Expr> atoms, std::span<const double> points,
                           std::span<double> out) const {
  const std::size_t D = problem().coordinates().size(), K = atoms.size();
  for (std::size_t k = 0; k < K; ++k) {
    const auto place = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& p) { return p.field == atoms[k].name(); });
    if (place == places_.end()) {
      throw Error(ErrorKind::not_found,
                  fmt::format("the answer has no field '{}'", atoms[k].name()), "[solvers.ode]");
    }
    const MultiIndex& index = atoms[k].index();
    const bool along = index.empty() || (index.size() == 1 && index[0].first == variable_);
    const int order = total_order(index);
    const int known = std::min(order, static_cast<int>(place->count) - 1);
    for (std::size_t i = 0; i < points.size() / D; ++i) {
      out[i * K + k] =
          along ? cubics_.value(points[i * D + column_],
                                place->first + static_cast<std::size_t>(known), order - known)
                : 0;
    }
  }
}

void OdeField::save(Checkpoint& c) const {
  c.texts["field"] = "ode";
  c.texts["variable"] = variable_;
  c.arrays["nodes"] = Array::list(cubics_.nodes);
  c.arrays["values"] = Array::list(cubics_.values);
  c.arrays["slopes"] = Array::list(cubics_.slopes);
  c.numbers["components"] = cubics_.n_components;
  for (const Place& p : places_) {
    c.numbers["first/" + p.field] = p.first;
    c.numbers["count/" + p.field] = p.count;
  }
}

std::shared_ptr<const OdeField> OdeField::load(const Checkpoint& c,
                                               std::shared_ptr<const Problem> problem) {
  OdeCubics cubics{c.array("nodes").values, c.number("components"), c.array("values").values,
                   c.array("slopes").values};
  std::vector<Place> places;
  for (const std::string& f : problem->fields) {
    places.push_back({f, c.number("first/" + f), c.number("count/" + f)});
  }
  return std::make_shared<OdeField>(std::move(problem), c.text("variable"), std::move(places),
                                    std::move(cubics));
}

}  // namespace cauchy::detail
