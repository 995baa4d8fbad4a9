#include "solvers/classical/family_field.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/place.hpp>

namespace cauchy::detail {

std::vector<double> lobatto_points(double lower, double upper, std::size_t n) {
  std::vector<double> x(n, (lower + upper) / 2);
  for (std::size_t i = 0; i < n && n > 1; ++i) {
    const double s = std::sin(pi * (2 * static_cast<double>(i) - static_cast<double>(n - 1)) /
                              (2 * static_cast<double>(n - 1)));
    x[i] = (lower + upper) / 2 + (upper - lower) / 2 * s;
  }
  if (n > 1) {
    x.front() = lower;
    x.back() = upper;
  }
  return x;
}

Problem member_of(const Problem& problem, std::span<const double> values) {
  Problem member = problem;
  const Domain& all = *problem.domain;
  std::optional<Domain> domain;
  if (all.space() != nullptr) domain = Domain(*all.space());
  if (all.time() != nullptr) domain = domain ? *domain * Domain(*all.time()) : Domain(*all.time());
  member.domain = domain;
  for (std::size_t i = 0; i < all.ranges().size(); ++i) {
    const std::string& name = all.ranges()[i].name;
    std::erase_if(member.parameters, [&](const ProblemParameter& p) { return p.name == name; });
    member.parameters.push_back({name, Expr(values[i])});
    for (Condition& c : member.condition) {
      std::erase_if(c.point, [&](const auto& at) { return at.first == name; });
    }
  }
  member.reference = {};
  return member;
}

std::shared_ptr<const FieldModel> load_family(const std::string& kind,
                                              std::shared_ptr<const Problem> problem,
                                              const Checkpoint& c, const LoadField& own) {
  std::vector<std::vector<double>> nodes;
  std::size_t total = 1;
  for (std::size_t r = 0; r < problem->domain->ranges().size(); ++r) {
    nodes.push_back(c.array(fmt::format("range{}", r)).values);
    total *= nodes.back().size();
  }
  std::vector<std::shared_ptr<const FieldModel>> members;
  for (std::size_t m = 0; m < total; ++m) {
    const std::string prefix = fmt::format("member{}/", m);
    const auto part = [&](const auto& all) {
      std::decay_t<decltype(all)> mine;
      for (auto it = all.lower_bound(prefix); it != all.end() && it->first.starts_with(prefix);
           ++it) {
        mine[it->first.substr(prefix.size())] = it->second;
      }
      return mine;
    };
    std::vector<double> values(nodes.size());
    std::size_t rest = m;
    for (std::size_t r = nodes.size(); r-- > 0; rest /= nodes[r].size()) {
      values[r] = nodes[r][rest % nodes[r].size()];
    }
    const Checkpoint one{part(c.arrays), part(c.numbers), part(c.texts)};
    members.push_back(load_classical(kind, one, member_of(*problem, values), own));
  }
  return std::make_shared<FamilyField>(kind, std::move(problem), std::move(nodes),
                                       std::move(members));
}

FamilyField::FamilyField(std::string kind, std::shared_ptr<const Problem> problem,
                         std::vector<std::vector<double>> nodes,
                         std::vector<std::shared_ptr<const FieldModel>> members)
    : NodalModel(std::move(kind), std::move(problem)),
      nodes_(std::move(nodes)),
      members_(std::move(members)) {
  if (!domain_of(this->problem()).shape_varies()) return;
  for (std::size_t m = 0; m < members_.size(); ++m) boxes_.push_back(box_at(values_of(m)));
}

FamilyField::Box FamilyField::box_at(std::span<const double> ranges) const {
  const ShapePtr shape = domain_of(problem()).shape(ranges);
  return {shape->bounds().lower, shape->bounds().upper};
}

std::vector<double> FamilyField::values_of(std::size_t member) const {
  std::vector<double> values(nodes_.size());
  for (std::size_t r = nodes_.size(); r-- > 0; member /= nodes_[r].size()) {
    values[r] = nodes_[r][member % nodes_[r].size()];
  }
  return values;
}

void FamilyField::derivatives(std::span<const Expr> atoms, std::span<const double> points,
                              std::span<double> out) const {
  const std::vector<Range>& ranges = problem().domain->ranges();
  const std::size_t D = problem().coordinates().size(), R = ranges.size(), d = D - R;
  const std::size_t n = points.size() / D, K = atoms.size();
  // Members know nothing of the ranges: their part of the index is left out, and applied by the
  // weights of the interpolation.
  std::vector<Expr> inner;
  std::vector<std::vector<int>> orders(K, std::vector<int>(R, 0));
  std::vector<int> highest(R, 0);
  for (std::size_t k = 0; k < K; ++k) {
    MultiIndex rest;
    for (const auto& [name, order] : atoms[k].index()) {
      const auto r = std::find_if(ranges.begin(), ranges.end(),
                                  [&, &wanted = name](const Range& x) { return x.name == wanted; });
      if (r == ranges.end()) {
        rest.emplace_back(name, order);
        continue;
      }
      const auto i = static_cast<std::size_t>(r - ranges.begin());
      orders[k][i] = order;
      highest[i] = std::max(highest[i], order);
    }
    inner.push_back(rest.empty() ? Expr(Field(atoms[k].name()))
                                 : field_derivative(atoms[k].name(), rest));
  }
  std::vector<double> rows(n * d), values(n * K);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(points.begin() + static_cast<long>(i * D), d,
                rows.begin() + static_cast<long>(i * d));
  }
  std::vector<std::vector<NodeWeights>> weights(R, std::vector<NodeWeights>(n));
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t i = 0; i < n; ++i) {
      weights[r][i] = polynomial_weights(nodes_[r], points[i * D + d + r], highest[r]);
    }
  }
  // Places of the points in the boxes of their own shapes, and the sizes of these.
  const std::size_t first = problem().domain->space_column();
  const std::size_t space = boxes_.empty() ? 0 : boxes_[0].lower.size();
  std::vector<double> sizes(n * space);
  std::map<std::vector<double>, Box> known;
  for (std::size_t i = 0; i < n && space > 0; ++i) {
    const std::span<const double> ranges_at = points.subspan(i * D + d, R);
    const std::vector<double> key(ranges_at.begin(), ranges_at.end());
    auto found = known.find(key);
    if (found == known.end()) found = known.emplace(key, box_at(key)).first;
    for (std::size_t k = 0; k < space; ++k) {
      double& x = rows[i * d + first + k];
      sizes[i * space + k] = found->second.upper[k] - found->second.lower[k];
      x = (x - found->second.lower[k]) / sizes[i * space + k];
    }
  }
  const std::vector<double> places = rows;
  // Orders of the atoms by the coordinates of space: a derivative is scaled with the box.
  std::vector<std::vector<int>> space_orders(K, std::vector<int>(space, 0));
  for (std::size_t k = 0; k < K && space > 0; ++k) {
    for (const auto& [name, order] : inner[k].index()) {
      for (std::size_t c = 0; c < space; ++c) {
        if (problem().domain->space()->coordinates()[c] == name) space_orders[k][c] = order;
      }
    }
    if (std::any_of(orders[k].begin(), orders[k].end(), [](int o) { return o > 0; })) {
      throw Error(ErrorKind::unsupported,
                  "derivatives by a parameter are not known where the shape of space depends on it",
                  "[solvers.classical]");
    }
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (std::size_t i = 0; i < n && space > 0; ++i) {
      for (std::size_t k = 0; k < space; ++k) {
        const double lower = boxes_[m].lower[k], upper = boxes_[m].upper[k];
        rows[i * d + first + k] = lower + places[i * d + first + k] * (upper - lower);
      }
    }
    members_[m]->evaluate(inner, rows, values);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < K; ++k) {
        double w = 1;
        std::size_t rest = m;
        for (std::size_t r = R; r-- > 0;) {
          const std::size_t node = rest % nodes_[r].size();
          rest /= nodes_[r].size();
          w *= weights[r][i].w[static_cast<std::size_t>(orders[k][r]) * nodes_[r].size() + node];
        }
        for (std::size_t c = 0; c < space; ++c) {
          const double stretch = (boxes_[m].upper[c] - boxes_[m].lower[c]) / sizes[i * space + c];
          for (int o = 0; o < space_orders[k][c]; ++o) w *= stretch;
        }
        if (w != 0) out[i * K + k] += w * values[i * K + k];
      }
    }
  }
}

void FamilyField::save(Checkpoint& c) const {
  c.texts["field"] = "family";
  for (std::size_t r = 0; r < nodes_.size(); ++r) {
    c.arrays[fmt::format("range{}", r)] = Array::list(nodes_[r]);
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Checkpoint own;
    members_[m]->save(own);
    const std::string prefix = fmt::format("member{}/", m);
    for (const auto& [name, value] : own.arrays) c.arrays[prefix + name] = value;
    for (const auto& [name, value] : own.numbers) c.numbers[prefix + name] = value;
    for (const auto& [name, value] : own.texts) c.texts[prefix + name] = value;
  }
}

}  // namespace cauchy::detail
