#include "solvers/fem/fem_field.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/math/difference.hpp>
#include <cauchy/problem/place.hpp>

#include "solvers/fem/fem_mesher.hpp"
#include "solvers/fem/fem_recovery.hpp"
#include "solvers/fem/fem_tests.hpp"

namespace cauchy::detail {
namespace {

constexpr std::string_view field_place = "[solvers.fem]";

/// Levels around a time and their weights up to a derivative.
struct FemTimeWeights {
  std::size_t first = 0;
  Matrix w = Matrix(1, 1, 1);
};

FemTimeWeights fem_time_weights(const std::vector<double>& times, double at, int order) {
  const std::size_t count = std::min<std::size_t>(times.size(), 6);
  const auto right =
      static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), at) - times.begin());
  FemTimeWeights out;
  out.first = std::min(right - std::min(right, count / 2), times.size() - count);
  out.w = difference_weights(at, std::span(times).subspan(out.first, count), order);
  return out;
}

std::vector<double> node_numbers(const std::vector<Mesh::Index>& list) {
  return {list.begin(), list.end()};
}

}  // namespace

/// Recovered derivatives at the nodes, made when they are asked for.
struct FemField::Recovery {
  std::mutex mutex;
  std::map<std::pair<int, int>, NodeRecovery> of_order;  // and of material
  /// Per field, time and material: nodes x pairs.
  std::map<std::array<std::size_t, 3>, std::vector<double>> second;
  std::mutex tests_mutex;
  std::optional<FemTestResult> tests;
};

FemField::FemField(std::shared_ptr<const Problem> problem, std::shared_ptr<const FemMesh> mesh,
                   std::vector<std::string> fields, std::vector<int> orders,
                   std::vector<double> times, std::vector<std::vector<double>> values,
                   std::vector<Expr> levels)
    : NodalModel("fem", std::move(problem)),
      mesh_(std::move(mesh)),
      locator_(mesh_->mesh),
      fields_(std::move(fields)),
      orders_(std::move(orders)),
      times_(std::move(times)),
      values_(std::move(values)),
      levels_(std::move(levels)),
      recovery_(std::make_shared<Recovery>()) {
  for (const Expr& level : levels_) {
    for (const std::string& name : this->problem().domain->space()->coordinates()) {
      slopes_.push_back(plain(d(level, Coordinate(name))));
    }
  }
  bool fit = fields_.size() == orders_.size() && fields_.size() == values_.size() &&
             std::is_sorted(times_.begin(), times_.end()) &&
             times_.empty() == (this->problem().domain->time() == nullptr);
  for (std::size_t f = 0; fit && f < fields_.size(); ++f) {
    fit = orders_[f] == 1 || orders_[f] == 2;
    if (!fit) break;
    spaces_.emplace_back(mesh_, orders_[f], std::vector<std::size_t>{});
    fit = values_[f].size() == spaces_[f].n_places() * std::max<std::size_t>(1, times_.size());
  }
  if (!fit) {
    throw Error(ErrorKind::file, "mesh, fields and values do not fit together", field_place);
  }
}

MeshLocator::Place FemField::place_of_point(const double* x) const {
  MeshLocator::Place place = locator_.find(x);
  if (levels_.empty()) return place;
  const std::vector<std::string>& names = problem().domain->space()->coordinates();
  const auto d = static_cast<std::size_t>(mesh().dimension);
  const auto at = [&](const Expr& e, const double* point) {
    Values v;
    for (std::size_t k = 0; k < d; ++k) v.set(Coordinate(names[k]), point[k]);
    return cauchy::evaluate(e, v);
  };
  const auto centre = [&](std::size_t cell) {
    std::array<double, 3> c{};
    for (const Mesh::Index node : mesh().cell(cell)) {
      for (std::size_t k = 0; k < d; ++k) c[k] += mesh().node(node)[k] / static_cast<double>(d + 1);
    }
    return c;
  };
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const bool below = at(levels_[l], x) < 0;
    const auto fits = [&](std::size_t cell) {
      return (at(levels_[l], centre(cell).data()) < 0) == below;
    };
    if (fits(place.cell)) continue;
    // Along the gradient into the own side, until a cell of it is met.
    std::array<double, 3> g{}, y{};
    double length = 0, size = 0;
    for (std::size_t k = 0; k < d; ++k) {
      g[k] = at(slopes_[l * d + k], x) * (below ? -1 : 1);
      length += g[k] * g[k];
      const auto corner = mesh().cell(place.cell);
      size += std::abs(mesh().node(corner[0])[k] - mesh().node(corner[1])[k]);
    }
    if (!(length > 0)) continue;
    for (double step = size / 16; step <= 2 * size; step *= 2) {
      for (std::size_t k = 0; k < d; ++k) y[k] = x[k] + step * g[k] / std::sqrt(length);
      const MeshLocator::Place other = locator_.find(y.data());
      if (!fits(other.cell)) continue;
      const CellShape shape = cell_shape(mesh(), other.cell);
      place.cell = other.cell;
      const double* const origin = mesh().node(mesh().cell(other.cell)[0]);
      for (std::size_t a = 0; a <= d; ++a) {
        place.weights[a] = a == 0 ? 1 : 0;
        for (std::size_t k = 0; k < d; ++k)
          place.weights[a] += shape.grad[a][k] * (x[k] - origin[k]);
      }
      break;
    }
  }
  return place;
}

std::size_t FemField::number_of(const std::string& field) const {
  const auto at = std::find(fields_.begin(), fields_.end(), field);
  if (at == fields_.end()) {
    throw Error(ErrorKind::not_found, fmt::format("there is no field '{}'", field), field_place);
  }
  return static_cast<std::size_t>(at - fields_.begin());
}

std::span<const double> FemField::last(const std::string& field) const {
  const std::size_t f = number_of(field), n = spaces_[f].n_places();
  return std::span(values_[f]).last(n);
}

int FemField::order(const std::string& field) const { return orders_[number_of(field)]; }

const std::vector<double>& FemField::curvature(std::size_t field, std::size_t time,
                                               int part) const {
  const std::lock_guard lock(recovery_->mutex);
  const std::array<std::size_t, 3> key{field, time, static_cast<std::size_t>(part)};
  const auto found = recovery_->second.find(key);
  if (found != recovery_->second.end()) return found->second;
  const std::pair of{orders_[field], part};
  auto recovery = recovery_->of_order.find(of);
  if (recovery == recovery_->of_order.end()) {
    recovery = recovery_->of_order.emplace(of, NodeRecovery(spaces_[field], part)).first;
  }
  const std::size_t n = spaces_[field].n_places();
  return recovery_->second
      .emplace(key,
               recovery->second.second_derivatives(std::span(values_[field]).subspan(time * n, n)))
      .first->second;
}

void FemField::derivatives(std::span<const Expr> atoms, std::span<const double> points,
                           std::span<double> out) const {
  const std::vector<std::string> names = problem().coordinates();
  const auto d = static_cast<std::size_t>(mesh().dimension);
  const std::size_t D = names.size(), K = atoms.size(), n = points.size() / D;
  const std::size_t column = problem().domain->space_column();
  const std::string time = times_.empty() ? "" : problem().domain->time()->name;
  struct Asked {
    std::size_t field;
    std::vector<std::size_t> by;  // coordinates of space, one entry per derivative
    int rate = 0;
  };
  std::vector<Asked> asked;
  int rates = 0;
  for (const Expr& atom : atoms) {
    Asked a;
    a.field = number_of(atom.name());
    for (const auto& [name, order] : atom.index()) {
      if (name == time) {
        a.rate = order;
        continue;
      }
      for (std::size_t k = 0; k < d; ++k) {
        if (names[column + k] == name) a.by.insert(a.by.end(), static_cast<std::size_t>(order), k);
      }
    }
    rates = std::max(rates, a.rate);
    asked.push_back(std::move(a));
  }
  std::array<std::uint32_t, LagrangeBasis::most> places{};
  std::array<double, LagrangeBasis::most * 4> numbers{};
  for (std::size_t i = 0; i < n; ++i) {
    const MeshLocator::Place place = place_of_point(&points[i * D + column]);
    const CellShape shape = cell_shape(mesh(), place.cell);
    const auto corner = mesh().cell(place.cell);
    const FemTimeWeights t =
        times_.empty() ? FemTimeWeights() : fem_time_weights(times_, points[i * D], rates);
    for (std::size_t k = 0; k < K; ++k) {
      const Asked& a = asked[k];
      const FemSpace& space = spaces_[a.field];
      const LagrangeBasis& basis = space.basis();
      const std::size_t N = space.n_places();
      double sum = 0;
      for (std::size_t l = 0; l < t.w.cols(); ++l) {
        const double w = t.w(static_cast<std::size_t>(a.rate), l);
        const std::size_t level = t.first + l;
        const double* const values = &values_[a.field][level * N];
        double value = 0;
        if (a.by.size() <= 1) {
          space.places(place.cell, places.data());
          if (a.by.empty()) {
            basis.values(place.weights.data(), numbers.data());
            for (std::size_t b = 0; b < basis.size(); ++b) value += numbers[b] * values[places[b]];
          } else {
            basis.slopes(place.weights.data(), numbers.data());
            for (std::size_t b = 0; b < basis.size(); ++b) {
              double slope = 0;
              for (std::size_t c = 0; c <= d; ++c) {
                slope += numbers[b * (d + 1) + c] * shape.grad[c][a.by[0]];
              }
              value += slope * values[places[b]];
            }
          }
        } else if (a.by.size() <= 3) {
          const std::vector<double>& second =
              curvature(a.field, level, mesh().cell_part[place.cell]);
          const std::size_t pairs = d * (d + 1) / 2, pair = pair_number(a.by[0], a.by[1], d);
          for (std::size_t c = 0; c <= d; ++c) {
            const double weight = a.by.size() == 2 ? place.weights[c] : shape.grad[c][a.by[2]];
            value += weight * second[corner[c] * pairs + pair];
          }
        }
        sum += w * value;
      }
      out[i * K + k] = a.by.size() <= 3 ? sum : std::nan("");
    }
  }
}

std::optional<WeakMeans> FemField::means(TermCheck::Kind kind, std::size_t number) const {
  const std::lock_guard lock(recovery_->tests_mutex);
  if (!recovery_->tests) {
    std::vector<double> at = {0};
    if (!times_.empty()) {
      at.clear();
      for (const double share : {0.13, 0.37, 0.61, 0.89}) {
        at.push_back(times_.front() + share * (times_.back() - times_.front()));
      }
    }
    const auto values = [&](std::size_t field, int rate, double time) {
      const std::size_t n = spaces_[field].n_places();
      const FemTimeWeights t =
          times_.empty() ? FemTimeWeights() : fem_time_weights(times_, time, rate);
      std::vector<double> sum(n, 0.0);
      for (std::size_t l = 0; l < t.w.cols(); ++l) {
        const double w = t.w(static_cast<std::size_t>(rate), l);
        for (std::size_t i = 0; i < n; ++i) sum[i] += w * values_[field][(t.first + l) * n + i];
      }
      return sum;
    };
    recovery_->tests = test_elements({problem(), *mesh_, fields_, spaces_, std::move(at), values});
  }
  const FemTestResult& tests = *recovery_->tests;
  if (kind == TermCheck::Kind::equation && number < tests.equations.size()) {
    return tests.equations[number];
  }
  if (kind == TermCheck::Kind::condition && number < tests.conditions.size()) {
    return tests.conditions[number];
  }
  return std::nullopt;
}

void FemField::save(Checkpoint& c) const {
  c.texts["field"] = "elements";
  const std::vector<std::string>& own = problem().fields;
  c.texts["fields"] = fmt::format("{}", fmt::join(own, "\n"));
  c.numbers["dimension"] = static_cast<std::uint64_t>(mesh().dimension);
  c.arrays["nodes"] = Array::list(mesh().nodes);
  c.arrays["cells"] = Array::list(node_numbers(mesh().cells));
  if (mesh().parts.size() > 1) {
    c.arrays["cell_parts"] =
        Array::list(std::vector<double>(mesh().cell_part.begin(), mesh().cell_part.end()));
  }
  c.arrays["times"] = Array::list(times_);
  for (std::size_t f = 0; f < own.size(); ++f) {
    c.numbers["order/" + fields_[f]] = static_cast<std::uint64_t>(orders_[f]);
    c.arrays["values/" + fields_[f]] = Array::list(values_[f]);
  }
}

std::shared_ptr<const FemField> FemField::load(std::shared_ptr<const Problem> problem,
                                               const Checkpoint& c) {
  const auto damaged = [](bool bad) {
    if (bad) throw Error(ErrorKind::file, "the field is not one of elements", field_place);
  };
  damaged(c.text("field") != "elements");
  Mesh mesh;
  const std::uint64_t dimension = c.number("dimension");
  damaged(dimension < 1 || dimension > 3 || problem->domain->space() == nullptr ||
          problem->domain->space()->dimension() != dimension);
  mesh.dimension = static_cast<int>(dimension);
  mesh.nodes = c.array("nodes").values;
  const std::vector<double>& cells = c.array("cells").values;
  damaged(mesh.nodes.empty() || mesh.nodes.size() % dimension != 0 || cells.empty() ||
          cells.size() % (dimension + 1) != 0);
  const auto nodes = static_cast<double>(mesh.n_nodes());
  for (const double x : mesh.nodes) damaged(!std::isfinite(x));
  for (const double node : cells) {
    damaged(!(node >= 0 && node < nodes));
    mesh.cells.push_back(static_cast<Mesh::Index>(node));
  }
  mesh.parts = {"domain"};
  mesh.cell_part.assign(mesh.n_cells(), 0);
  if (const auto parts = c.arrays.find("cell_parts"); parts != c.arrays.end()) {
    damaged(parts->second.values.size() != mesh.n_cells());
    for (std::size_t k = 0; k < mesh.n_cells(); ++k) {
      damaged(!(parts->second.values[k] >= 0 && parts->second.values[k] < 1e6));
      mesh.cell_part[k] = static_cast<int>(parts->second.values[k]);
    }
    mesh.parts.emplace_back("materials");
  }
  for (std::size_t k = 0; k < mesh.n_cells(); ++k) damaged(!(mesh.cell_measure(k) > 0));
  std::vector<std::string> fields = problem->fields;
  std::vector<int> orders;
  std::vector<std::vector<double>> values;
  for (const std::string& f : fields) {
    orders.push_back(static_cast<int>(std::min<std::uint64_t>(c.number("order/" + f), 9)));
    values.push_back(c.array("values/" + f).values);
  }
  std::vector<Expr> levels;
  if (mesh.parts.size() > 1 && mesh.dimension == 2) {
    const ShapePtr shape = domain_of(*problem).shape();
    levels = find_interfaces(*problem, weak_problem(*problem), *shape).levels;
  }
  return std::make_shared<FemField>(std::move(problem), std::make_shared<FemMesh>(std::move(mesh)),
                                    std::move(fields), std::move(orders), c.array("times").values,
                                    std::move(values), std::move(levels));
}

}  // namespace cauchy::detail
