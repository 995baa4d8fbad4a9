#include "problem/boundary_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/problem/place.hpp>

namespace cauchy::detail {
namespace {

class BoundaryCutter {
 public:
  BoundaryCutter(const Problem& problem, std::span<const Condition* const> places)
      : problem_(problem), domain_(domain_of(problem)), places_(places) {
    std::vector<double> middle;
    for (const Range& r : domain_.ranges()) middle.push_back((r.lower + r.upper) / 2);
    shape_ = domain_.shape(middle);
    for (const Condition* c : places) {
      parts_.emplace_back(domain_, place_of(problem, *c).boundary);
    }
    for (const auto& [name, value] : problem.values()) values_.set(Parameter(name), value);
  }

  std::vector<BoundaryPart> run() {
    // Random ones do not fall on the corners, where places of neighbours hold, too.
    const SamplerOptions random{SamplerKind::uniform};
    const std::size_t n = std::clamp<std::size_t>(n_of_places / (places_.size() + 1), 2, 64);
    for (const Condition* c : places_) add(condition_points(problem_, *c, n, random));
    if (domain_.ranges().empty()) add(points_of_pieces());
    return std::move(found_);
  }

 private:
  static constexpr std::size_t n_of_places = 4096, n_of_pieces = 512;

  /// The same number on every piece, however small it is.
  [[nodiscard]] Points points_of_pieces() const {
    Points points;
    points.columns = problem_.coordinates();
    const std::size_t d = shape_->dimension(), n_pieces = shape_->pieces().size();
    const std::size_t n = std::clamp<std::size_t>(n_of_pieces / (n_pieces + 1), 2, 32);
    const Time* time = domain_.time();
    Rng rng(0x706965636573);
    std::vector<double> u(std::max<std::size_t>(d, 2)), x(d), normal(d);
    for (std::size_t k = 0; k < n_pieces; ++k) {
      points.pieces.push_back(shape_->pieces()[k].name);
      for (std::size_t i = 0; i < n; ++i) {
        rng.fill_uniform(u);
        if (!shape_->boundary_point(k, u.data(), x.data(), normal.data())) continue;
        if (time != nullptr) {
          points.values.push_back(time->lower + u.back() * (time->upper - time->lower));
        }
        points.values.insert(points.values.end(), x.begin(), x.end());
        points.normals.insert(points.normals.end(), normal.begin(), normal.end());
        points.piece.push_back(static_cast<std::uint32_t>(k));
      }
    }
    return points;
  }

  /// Where the places hold on a piece, as formulas of the coordinates.
  const std::vector<Expr>& conditions_on(const std::string& piece) {
    const auto known = conditions_.find(piece);
    if (known != conditions_.end()) return known->second;
    std::vector<Expr>& list = conditions_[piece];
    const auto pieces = shape_->pieces();
    const auto at =
        std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.name == piece; });
    for (const Boundary& part : parts_) {
      list.push_back(at == pieces.end() ? Expr(0) : part.condition(*at));
    }
    return list;
  }

  void add(const Points& points) {
    const std::size_t d = shape_->dimension();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::string& piece = points.pieces[points.piece[i]];
      for (std::size_t k = 0; k < points.columns.size(); ++k) {
        values_.set(Coordinate(points.columns[k]), points.row(i)[k]);
        values_.set(Parameter(points.columns[k]), points.row(i)[k]);
      }
      std::vector<char> holds;
      for (const Expr& e : conditions_on(piece)) {
        const double truth = e.is_constant() ? e.value() : evaluate(e, values_);
        holds.push_back(truth != 0 ? 1 : 0);
      }
      if (std::find(holds.begin(), holds.end(), 1) == holds.end()) continue;
      auto at = index_.find({holds, piece});
      if (at == index_.end()) {
        at = index_.emplace(std::pair(holds, piece), found_.size()).first;
        found_.push_back(
            {holds, piece, std::vector<double>(d, INFINITY), std::vector<double>(d, -INFINITY)});
      }
      BoundaryPart& part = found_[at->second];
      for (std::size_t k = 0; k < d; ++k) {
        part.lowest[k] = std::min(part.lowest[k], points.normals[i * d + k]);
        part.highest[k] = std::max(part.highest[k], points.normals[i * d + k]);
      }
    }
  }

  const Problem& problem_;
  Domain domain_;
  std::span<const Condition* const> places_;
  ShapePtr shape_;
  std::vector<Boundary> parts_;
  Values values_;
  std::map<std::string, std::vector<Expr>> conditions_;
  std::map<std::pair<std::vector<char>, std::string>, std::size_t> index_;
  std::vector<BoundaryPart> found_;
};

}  // namespace

std::vector<BoundaryPart> boundary_parts(const Problem& problem,
                                         std::span<const Condition* const> places) {
  return BoundaryCutter(problem, places).run();
}

std::vector<Replacement> known_normals(std::span<const BoundaryPart* const> parts,
                                       const std::vector<std::string>& space, bool zeros_alone) {
  std::vector<Replacement> known;
  for (std::size_t k = 0; k < space.size(); ++k) {
    double lowest = INFINITY, highest = -INFINITY;
    for (const BoundaryPart* part : parts) {
      lowest = std::min(lowest, part->lowest[k]);
      highest = std::max(highest, part->highest[k]);
    }
    const double value = std::round(lowest);
    if (!(highest - value < 1e-12 && value - lowest < 1e-12)) continue;
    if (zeros_alone && value != 0) continue;
    known.push_back({normal_component(space[k]), Expr(value)});
  }
  return known;
}

}  // namespace cauchy::detail
