#include "solvers/pinn/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/decompose.hpp>

#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_of_pieces = 16'384;  // points that pieces are looked for with
constexpr double smallest_piece = 1e-3;      // of the domain
const char* const decompose_place = "[method] decompose";

void refuse_periodic(const Problem& problem, const InnerSurface& cut) {
  for (const Condition& c : problem.condition) {
    if (c.kind != Condition::Kind::periodic) continue;
    const auto& names = cut.coordinates();
    if (std::find(names.begin(), names.end(), c.coordinate) == names.end()) continue;
    throw Error(ErrorKind::unsupported,
                fmt::format("'{}' cuts the periodic coordinate '{}'", cut.text(), c.coordinate),
                decompose_place, "cut another coordinate, or time");
  }
}

}  // namespace

Pieces::Pieces(const Problem& problem, const std::vector<std::string>& cuts)
    : evaluator_(std::make_shared<const PointEvaluator>(problem)) {
  const Domain domain = domain_of(problem);
  first_ = domain.space_column();
  space_ = domain.space() == nullptr ? 0 : domain.space()->dimension();
  for (const std::string& text : cuts) {
    try {
      cuts_.emplace_back(problem, text);
    } catch (const Error& e) {
      throw e.at(decompose_place);
    }
    refuse_periodic(problem, cuts_.back());
    sides_.insert(sides_.end(), {cuts_.back().left(), cuts_.back().right()});
    size_ = cuts_.size() == 1 ? cuts_[0].size() : std::min(size_, cuts_.back().size());
  }
  const Points points = interior_points(domain, n_of_pieces);
  const std::vector<std::vector<bool>> signs_of_points = signs_at(points);
  std::map<std::vector<bool>, std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < points.size(); ++i) found[signs_of_points[i]].push_back(i);
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    const auto positive = [&](const auto& piece) { return piece.first[k]; };
    const auto n = std::count_if(found.begin(), found.end(), positive);
    if (n > 0 && n < static_cast<std::ptrdiff_t>(found.size())) continue;
    throw Error(fmt::format("'{}' does not cut the domain", cuts_[k].text()), decompose_place,
                "name a surface inside of it");
  }
  for (const auto& [signs, rows] : found) {
    if (static_cast<double>(rows.size()) < smallest_piece * static_cast<double>(points.size())) {
      throw Error("the cuts leave a piece of less than a thousandth of the domain", decompose_place,
                  "use fewer cuts, or move them apart");
    }
    signs_.push_back(signs);
    std::vector<Sizes::Axis>& axes = axes_.emplace_back();
    for (std::size_t k = 0; k < points.columns.size(); ++k) {
      double low = INFINITY, high = -INFINITY;
      for (const std::size_t i : rows) {
        low = std::min(low, points.row(i)[k]);
        high = std::max(high, points.row(i)[k]);
      }
      axes.push_back({points.columns[k], (low + high) / 2, (high - low) / 2});
    }
  }
}

std::size_t Pieces::with_signs(const std::vector<bool>& positive) const {
  std::size_t best = 0, most = 0;
  for (std::size_t p = 0; p < signs_.size(); ++p) {  // a sliver that was not seen: its neighbour
    std::size_t agree = 0;
    for (std::size_t k = 0; k < positive.size(); ++k) agree += signs_[p][k] == positive[k] ? 1 : 0;
    if (p == 0 || agree > most) {
      best = p;
      most = agree;
    }
  }
  return best;
}

std::vector<std::vector<bool>> Pieces::signs_at(const Points& points) const {
  const auto values = (*evaluator_)(sides_, points);
  std::vector<std::vector<bool>> all(points.size(), std::vector<bool>(cuts_.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      all[i][k] = values[2 * k][i] >= values[2 * k + 1][i];
    }
  }
  return all;
}

std::vector<std::size_t> Pieces::at(const Points& points) const {
  std::vector<std::size_t> all;
  for (const std::vector<bool>& signs : signs_at(points)) all.push_back(with_signs(signs));
  return all;
}

std::vector<std::size_t> Pieces::below(const Points& points) const {
  if (points.normals.empty()) return at(points);
  Points moved = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < space_; ++k) {
      moved.values[i * points.columns.size() + first_ + k] -=
          InnerSurface::a_little * size_ * points.normals[i * space_ + k];
    }
  }
  return at(moved);
}

std::string Pieces::field(const std::string& name, std::size_t piece) {
  return fmt::format("{}#{}", name, piece + 1);
}

Expr Pieces::of(const Expr& e, std::size_t piece) {
  const Expr roots[] = {e};
  std::vector<Replacement> list;
  for (const Expr& atom : field_atoms(roots)) {
    list.push_back({Field(atom.name()), Field(field(atom.name(), piece))});
  }
  return substitute(e, list);
}

Expr Pieces::everywhere(const Expr& e) const {
  Expr all = of(e, size() - 1);
  for (std::size_t p = size() - 1; p-- > 0;) {
    all = where(inside(p), of(e, p), all);
  }
  return all;
}

Expr Pieces::inside(std::size_t piece) const {
  Expr all = 1;
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    const Expr &left = cuts_[k].left(), &right = cuts_[k].right();
    all *= signs_[piece][k] ? right <= left : left < right;
  }
  return all;
}

std::shared_ptr<const Problem> with_interfaces(std::shared_ptr<const Problem> problem,
                                               const std::vector<std::string>& cuts) {
  if (cuts.empty()) return problem;
  Problem all = *problem;
  for (const std::string& cut : cuts) {
    const InnerSurface surface(*problem, cut);
    const bool given =
        std::any_of(problem->condition.begin(), problem->condition.end(), [&](const Condition& c) {
          return c.kind == Condition::Kind::interface &&
                 surface.holds(InnerSurface(*problem, c.where).points(16));
        });
    if (given) continue;
    for (Condition& c : interface_conditions(*problem, cut)) all.condition.push_back(std::move(c));
  }
  return std::make_shared<const Problem>(std::move(all));
}

}  // namespace cauchy::detail
