#include "solvers/fdm/fdm_layout.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

using LayoutRole = FdmNode::Role;

class LayoutMaker final {
 public:
  LayoutMaker(const FdmForm& form, const std::vector<std::vector<std::vector<FdmClaim>>>& claims,
              FdmGrid& grid)
      : form_(form), claims_(claims), grid_(grid), F_(form.fields.size()) {
    out_.ghost_values.assign(grid.nodes().size() * F_, 0);
  }

  [[nodiscard]] FdmLayout make() {
    grid_.is_box() ? box_rows() : region_rows();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const FdmNode& node(int i) const {
    return grid_.nodes()[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::size_t row(int i, std::size_t f) const {
    return static_cast<std::size_t>(i) * F_ + f;
  }
  [[nodiscard]] std::string described(const GridPoint& x) const {
    return fmt::format(
        "({:.4g})", fmt::join(x.begin(), x.begin() + static_cast<long>(form_.space.size()), ", "));
  }
  [[nodiscard]] bool is_single() const {
    return std::count(form_.rate.begin(), form_.rate.end(), 0) == 1;
  }

  [[noreturn]] void too_many(std::size_t f, const GridPoint& x, std::size_t count, int most) {
    throw Error(ErrorKind::unsupported,
                fmt::format("field '{}' has {} conditions at {} and its equation takes {} there",
                            form_.fields[f], count, described(x), most),
                "[solvers.fdm]", "use kansa or pinn, or leave conditions out");
  }
  [[noreturn]] void too_few(std::size_t f, const GridPoint& x, int needed) {
    throw Error(ErrorKind::unsupported,
                fmt::format("field '{}' has too few conditions at {}: its equation of order {} "
                            "leaves it open there",
                            form_.fields[f], described(x), needed),
                "[solvers.fdm]", "give a condition on every part of the boundary");
  }

  /// Opposite end of the grid line through a boundary node of a box.
  int opposite(int i, std::size_t axis) {
    GridPlace at = node(i).at;
    at[axis] = grid_.axes()[axis].cells - at[axis];
    return grid_.seen(i, at);
  }

  void box_rows() {
    const std::size_t n = grid_.nodes().size();
    for (std::size_t i = 0; i < n; ++i) {
      const int b = static_cast<int>(i);
      if (node(b).role != LayoutRole::boundary) continue;
      const std::size_t foot = node(b).foot;
      const bool corner = grid_.feet()[foot].sides.size() > 1;
      for (std::size_t f = 0; f < F_; ++f) {
        const std::vector<FdmClaim> mine = claims_[foot][f];
        if (!mine.empty()) take(mine[0], foot, b, row(b, f));
        if (corner) {
          if (mine.empty()) out_.equations.push_back({b, row(b, f)});
          continue;
        }
        side_rows(b, f, mine);
      }
    }
    out_.ghost_values.resize(grid_.nodes().size() * F_, 0);
    // Fields that need no value beyond the boundary have 0 there, which nothing looks at.
    for (std::size_t i = n; i < grid_.nodes().size(); ++i) {
      for (std::size_t f = 0; f < F_; ++f) {
        if (out_.ghost_values[i * F_ + f] == 0)
          out_.idle.push_back({static_cast<int>(i), i * F_ + f});
      }
    }
  }

  void side_rows(int b, std::size_t f, const std::vector<FdmClaim>& mine) {
    const FdmAxis* axes = grid_.axes().data();
    std::size_t axis = 0;
    while (axes[axis].periodic || (node(b).at[axis] != 0 && node(b).at[axis] != axes[axis].cells)) {
      ++axis;
    }
    const std::size_t foot = node(b).foot, across = node(opposite(b, axis)).foot;
    const std::size_t theirs = claims_[across][f].size();
    const int order = field_order(form_, f, axis);
    const int total = static_cast<int>(mine.size() + theirs);
    const GridPoint x = grid_.feet()[foot].point;
    if (is_single()) {
      if (order > 0 && total > order)
        too_many(f, x, mine.size(), std::max(0, order - static_cast<int>(theirs)));
      const bool waits = !form_.extras.empty() && form_.space.size() == 1;
      if (order > 1 && total < order && !waits) {
        // Both ends count together: the one with fewer conditions is named.
        too_few(f, theirs < mine.size() ? grid_.feet()[across].point : x, order);
      }
    } else if (mine.size() > 1 && total > order) {
      too_many(f, x, mine.size(), order - static_cast<int>(theirs));
    }
    if (mine.empty()) {
      if (theirs > 1) {
        take(claims_[across][f].back(), across, opposite(b, axis), row(b, f));
      } else if (form_.extras.size() > out_.open.size() && form_.space.size() == 1 && order > 1) {
        out_.open.push_back(row(b, f));
      } else {
        out_.equations.push_back({b, row(b, f)});
      }
    }
    const std::size_t ghosts =
        mine.size() - std::min(mine.size(), theirs == 0 ? std::size_t{2} : 1);
    const int side = node(b).at[axis] == 0 ? -1 : 1;
    for (std::size_t l = 1; l <= ghosts; ++l) {
      const int ghost = grid_.box_ghost(b, axis, side, static_cast<int>(l));
      out_.ghost_values.resize(grid_.nodes().size() * F_, 0);
      out_.ghost_values[row(ghost, f)] = 1;
      take(mine[l], foot, b, row(ghost, f));
    }
  }

  void region_rows() {
    for (std::size_t i = 0; i < grid_.nodes().size(); ++i) {
      const int g = static_cast<int>(i);
      if (node(g).role == LayoutRole::interior) continue;
      const std::size_t foot = node(g).foot;
      const auto layer = static_cast<std::size_t>(node(g).layer);
      for (std::size_t f = 0; f < F_; ++f) {
        const std::vector<FdmClaim>& mine = claims_[foot][f];
        const int order = field_order(form_, f, form_.space.size());
        if (static_cast<int>(mine.size()) > (order + 1) / 2) {
          too_many(f, grid_.feet()[foot].point, mine.size(), (order + 1) / 2);
        }
        if (is_single() && static_cast<int>(mine.size()) < order / 2) {
          too_few(f, grid_.feet()[foot].point, order);
        }
        if (layer < mine.size()) {
          take(mine[layer], foot, g, row(g, f));
        } else if (layer == 0) {
          out_.equations.push_back({g, row(g, f)});
        } else {
          out_.continued.push_back({g, row(g, f)});
        }
      }
    }
  }

  void take(const FdmClaim& claim, std::size_t foot, int at, std::size_t at_row) {
    out_.taken[claim.condition].push_back({foot, claim.side, at, at_row});
  }

  const FdmForm& form_;
  const std::vector<std::vector<std::vector<FdmClaim>>>& claims_;
  FdmGrid& grid_;
  std::size_t F_;
  FdmLayout out_;
};

}  // namespace

FdmLayout fdm_layout(const FdmForm& form,
                     const std::vector<std::vector<std::vector<FdmClaim>>>& claims, FdmGrid& grid) {
  return LayoutMaker(form, claims, grid).make();
}

}  // namespace cauchy::detail
