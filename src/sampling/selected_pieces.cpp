#include "sampling/selected_pieces.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

std::string piece_names(const Shape& shape) {
  std::vector<std::string> names;
  for (const Piece& p : shape.pieces()) {
    if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
  }
  constexpr std::size_t most = 20;
  const bool cut = names.size() > most;
  if (cut) names.resize(most);
  return fmt::format("{}{}", fmt::join(names, ", "), cut ? ", ..." : "");
}

std::size_t ConditionTable::add(const Expr& condition) {
  if (condition.is_constant()) return always;
  for (std::size_t i = 0; i < expressions_.size(); ++i) {
    if (same(expressions_[i], condition)) return i;
  }
  expressions_.push_back(condition);
  programs_.push_back(std::make_unique<RowProgram>(condition, frame_));
  return programs_.size() - 1;
}

SelectedPieces::SelectedPieces(const Shape& shape, const Selection& where,
                               ConditionTable& conditions) {
  double sum = 0;
  for (std::size_t i = 0; i < shape.pieces().size(); ++i) {
    const Piece& piece = shape.pieces()[i];
    const Expr condition = where.condition(piece);
    if (condition.is_constant(0)) continue;
    const double carrier = piece.carrier_measure > 0 ? piece.carrier_measure : piece.measure;
    if (!std::isfinite(carrier)) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("piece '{}' of the boundary is infinitely long", piece.name),
                  "[sampling.boundary]", "intersect the region with a box");
    }
    if (!(carrier > 0)) continue;
    sum += carrier;
    entries_.push_back({i, conditions.add(condition), sum});
  }
  if (entries_.empty()) {
    throw Error(ErrorKind::not_found,
                fmt::format("'{}' selects no part of the boundary", where.text),
                "[sampling.boundary]", fmt::format("the pieces are {}", piece_names(shape)));
  }
}

const SelectedPieces::Entry& SelectedPieces::choose(double& u) const {
  const double s = u * total();
  const auto found = std::upper_bound(entries_.begin(), entries_.end() - 1, s,
                                      [](double a, const Entry& e) { return a < e.end; });
  const double start = found == entries_.begin() ? 0 : (found - 1)->end;
  u = std::clamp((s - start) / (found->end - start), 0.0, 1.0);
  return *found;
}

}  // namespace cauchy::detail
