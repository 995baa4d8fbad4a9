#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problem/lowering.hpp"
#include "problem/surface.hpp"

namespace cauchy::detail {

/// The pieces that surfaces cut a domain into: a piece is where all of them have given signs.
///   error    throws Error for a surface that does not cut the domain, pieces below a thousandth of
///            it, and surfaces across a periodic coordinate
class Pieces final {
 public:
  Pieces(const Problem& problem, const std::vector<std::string>& cuts);

  [[nodiscard]] std::size_t size() const noexcept { return signs_.size(); }
  [[nodiscard]] const std::vector<InnerSurface>& cuts() const noexcept { return cuts_; }
  /// The piece of every point; on a cut the one of its positive side.
  [[nodiscard]] std::vector<std::size_t> at(const Points& points) const;
  /// The same for points of the boundary: the piece on whose boundary they lie.
  [[nodiscard]] std::vector<std::size_t> below(const Points& points) const;
  /// The box around a piece, in the order of the coordinates.
  [[nodiscard]] const std::vector<Sizes::Axis>& axes(std::size_t piece) const {
    return axes_[piece];
  }

  /// The field of a piece: "u#2" for the second one.
  [[nodiscard]] static std::string field(const std::string& name, std::size_t piece);
  /// An expression with the fields of a piece.
  [[nodiscard]] static Expr of(const Expr& e, std::size_t piece);
  /// 1 where a point is in a piece, else 0.
  [[nodiscard]] Expr inside(std::size_t piece) const;
  /// where(point is in piece 1, e of piece 1, where(...)).
  [[nodiscard]] Expr everywhere(const Expr& e) const;

 private:
  /// Per point and cut: on the positive side.
  [[nodiscard]] std::vector<std::vector<bool>> signs_at(const Points& points) const;
  [[nodiscard]] std::size_t with_signs(const std::vector<bool>& positive) const;

  std::shared_ptr<const PointEvaluator> evaluator_;
  std::vector<InnerSurface> cuts_;
  std::vector<Expr> sides_;               // left and right of every cut
  std::vector<std::vector<bool>> signs_;  // per piece and cut: positive
  std::vector<std::vector<Sizes::Axis>> axes_;
  std::size_t first_ = 0, space_ = 0;  // columns of space
  double size_ = 1;
};

/// The problem with conditions on every cut: those of the problem, else interface_conditions().
[[nodiscard]] std::shared_ptr<const Problem> with_interfaces(std::shared_ptr<const Problem> problem,
                                                             const std::vector<std::string>& cuts);

}  // namespace cauchy::detail
