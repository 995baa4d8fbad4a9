#include "solvers/fvm/fvm_answer.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {

FvmAnswer::FvmAnswer(const BalanceLaw& law, const FvmMesh& mesh) : law_(&law), mesh_(&mesh) {
  values_.resize(law.size());
  const std::size_t D = law.dimension();
  if (!mesh.is_boxes()) {
    place_on_triangles();
    return;
  }
  nodes_ = 1;
  for (std::size_t d = 0; d < D; ++d) {
    GridAxis axis;
    axis.name = law.space[d];
    const double h = mesh.spacing[d];
    const std::size_t n = mesh.counts[d];
    if (!mesh.periodic[d]) axis.nodes.push_back(mesh.lower[d]);
    for (std::size_t i = 0; i < n; ++i) {
      axis.nodes.push_back(mesh.lower[d] + (static_cast<double>(i) + 0.5) * h);
    }
    if (mesh.periodic[d]) {
      axis.kind = GridAxis::Kind::periodic;
      axis.period = h * static_cast<double>(n);
    } else {
      axis.nodes.push_back(mesh.lower[d] + h * static_cast<double>(n));
    }
    nodes_ *= axis.nodes.size();
    axes_.push_back(std::move(axis));
  }
  // An end takes the boundary face of its cell; a corner the mean of two.
  for (std::size_t node = 0; node < nodes_; ++node) {
    std::size_t rest = node, cell = 0, stride = 1;
    std::vector<std::size_t> side;
    std::size_t at[2] = {0, 0};
    for (std::size_t d = D; d-- > 0;) {
      const std::size_t count = axes_[d].nodes.size(), i = rest % count, n = mesh.counts[d];
      rest /= count;
      at[d] = mesh.periodic[d] ? i : std::clamp<std::size_t>(i, 1, n) - 1;
      if (!mesh.periodic[d] && i == 0) side.push_back(2 * d);
      if (!mesh.periodic[d] && i == n + 1) side.push_back(2 * d + 1);
      cell += at[d] * stride;
      stride *= n;
    }
    std::vector<std::size_t>& from = sources_.emplace_back();
    for (const std::size_t s : side) from.push_back(mesh.neighbour[s][cell]);
    if (from.empty()) from.push_back(cell);
  }
}

void FvmAnswer::place_on_triangles() {
  const FvmMesh& mesh = *mesh_;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (std::size_t f = mesh.n_inner; f < mesh.n_faces(); ++f) {
    // Ends of the face: the boundary of the cells.
    for (std::size_t d = 0; d < 2; ++d) {
      const double reach = 0.5 * mesh.area[f] * std::abs(mesh.normal[1 - d][f]);
      low[d] = std::min(low[d], mesh.middle[d][f] - reach);
      high[d] = std::max(high[d], mesh.middle[d][f] + reach);
    }
  }
  const double side = std::sqrt(mesh.total_volume() / static_cast<double>(mesh.n_cells));
  if (mesh.n_inner == mesh.n_faces()) {  // periodic in both directions
    for (std::size_t d = 0; d < 2; ++d) {
      low[d] = *std::min_element(mesh.middle[d].begin(), mesh.middle[d].end());
      high[d] = *std::max_element(mesh.middle[d].begin(), mesh.middle[d].end());
    }
  }
  std::size_t count[2];
  for (std::size_t d = 0; d < 2; ++d) {
    count[d] = static_cast<std::size_t>(std::max(2.0, std::ceil((high[d] - low[d]) / side))) + 1;
    GridAxis axis;
    axis.name = law_->space[d];
    for (std::size_t i = 0; i < count[d]; ++i) {
      axis.nodes.push_back(low[d] + (high[d] - low[d]) * static_cast<double>(i) /
                                        static_cast<double>(count[d] - 1));
    }
    axes_.push_back(std::move(axis));
  }
  nodes_ = count[0] * count[1];
  // The cell with the nearest centre, looked for in bins of the size of a cell.
  const auto bin = [&](double x, std::size_t d) {
    return static_cast<std::ptrdiff_t>(
        std::clamp((x - low[d]) / (high[d] - low[d]) * static_cast<double>(count[d] - 1), 0.0,
                   static_cast<double>(count[d] - 1)));
  };
  std::vector<std::vector<std::size_t>> bins(nodes_);
  for (std::size_t c = 0; c < mesh.n_cells; ++c) {
    const auto i = static_cast<std::size_t>(bin(mesh.centre[0][c], 0));
    bins[i * count[1] + static_cast<std::size_t>(bin(mesh.centre[1][c], 1))].push_back(c);
  }
  for (std::size_t node = 0; node < nodes_; ++node) {
    const double x = axes_[0].nodes[node / count[1]], y = axes_[1].nodes[node % count[1]];
    const std::ptrdiff_t i0 = bin(x, 0), j0 = bin(y, 1);
    double nearest = INFINITY;
    Place place{};
    for (std::ptrdiff_t ring = 0; ring <= static_cast<std::ptrdiff_t>(count[0] + count[1]);
         ++ring) {
      if (static_cast<double>(ring - 1) * 0.5 * side > nearest) break;
      for (std::ptrdiff_t i = i0 - ring; i <= i0 + ring; ++i) {
        for (std::ptrdiff_t j = j0 - ring; j <= j0 + ring; ++j) {
          if (std::max(std::abs(i - i0), std::abs(j - j0)) != ring || i < 0 || j < 0 ||
              i >= static_cast<std::ptrdiff_t>(count[0]) ||
              j >= static_cast<std::ptrdiff_t>(count[1])) {
            continue;
          }
          for (const std::size_t c :
               bins[static_cast<std::size_t>(i) * count[1] + static_cast<std::size_t>(j)]) {
            const double dx = x - mesh.centre[0][c], dy = y - mesh.centre[1][c];
            const double distance = std::hypot(dx, dy);
            if (distance < nearest) {
              nearest = distance;
              place = {c, {dx, dy}};
            }
          }
        }
      }
    }
    // Far outside of the region nothing is asked for: no steep continuation there.
    if (nearest > 2 * side) place.from[0] = place.from[1] = 0;
    places_.push_back(place);
  }
}

void FvmAnswer::store(double t, const Rows& q, FvmOperator& balance) {
  const std::size_t D = law_->dimension(), n = mesh_->n_cells;
  balance.fields(q, w_);
  if (mesh_->is_boxes()) {
    balance.boundary_fields(t, q, face_);
  } else {
    balance.slopes(t, q, slopes_);
  }
  for (std::size_t k = 0; k < law_->size(); ++k) {
    const auto value = [&](std::size_t i) { return i < n ? w_[k][i] : face_[k][i - n]; };
    for (std::size_t node = 0; node < nodes_; ++node) {
      double sum = 0;
      if (mesh_->is_boxes()) {
        for (const std::size_t i : sources_[node]) sum += value(i);
        sum /= static_cast<double>(sources_[node].size());
      } else {
        const Place& p = places_[node];
        sum = w_[k][p.cell];
        for (std::size_t d = 0; d < D; ++d) sum += slopes_[k * D + d][p.cell] * p.from[d];
      }
      finite_ = finite_ && std::isfinite(sum);
      values_[k].push_back(sum);
    }
  }
  times_.push_back(t);
}

std::shared_ptr<const GridField> FvmAnswer::field(std::shared_ptr<const Problem> problem,
                                                  int width) {
  std::vector<GridAxis> axes = {{.name = law_->time, .nodes = times_, .width = width}};
  for (GridAxis axis : axes_) {
    axis.width = width;
    axes.push_back(std::move(axis));
  }
  std::vector<std::string> names = problem->fields;
  return std::make_shared<GridField>("fvm", std::move(problem), std::move(axes), std::move(names),
                                     std::move(values_));
}

}  // namespace cauchy::detail
