#include "cli/surface_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/applications/surface_reconstruction.hpp>
#include <cauchy/applications/surface_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/report/surface_picture.hpp>

#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

constexpr std::size_t chamfer_points = 4000;

/// The samples of a run on solids, on the grid of some answers.
class SurfaceSamples final {
 public:
  SurfaceSamples(const OperatorAnswers& answers, const LoadedOperator& run, std::size_t first)
      : answers_(answers), seed_(run.file.problem.seed), first_(first) {
    const auto* source = dynamic_cast<const SurfaceSource*>(run.file.problem.source.get());
    if (source == nullptr) return;
    SurfaceSimulator simulator = source->simulator();
    simulator.resolution = nodes_ = answers.data.grid.axes[0].n;
    source_.emplace(simulator);
  }
  [[nodiscard]] bool any() const { return source_.has_value(); }
  [[nodiscard]] int nodes() const { return nodes_; }
  [[nodiscard]] std::size_t size() const { return answers_.data.size(); }
  [[nodiscard]] std::span<const double> of(const std::vector<double>& all, std::size_t i) const {
    const std::size_t n = answers_.data.grid.n_points();
    return std::span(all).subspan(i * n, n);
  }
  /// The points of a sample; none where they do not give its input: data of another origin.
  [[nodiscard]] std::optional<OrientedPoints> points(std::size_t i) const {
    const std::uint64_t number = first_ + i;
    const ShapePtr solid = random_solid(source_->simulator(), seed_, number);
    OrientedPoints cloud = source_->points_on(*solid, seed_, number);
    const bool same = std::ranges::equal(source_->input_of(cloud), of(answers_.data.in, i));
    return same ? std::optional(std::move(cloud)) : std::nullopt;
  }
  /// The classical answer as wide as the network's input is smoothed.
  [[nodiscard]] std::vector<double> classical(const OrientedPoints& cloud) const {
    return poisson_surface(cloud, {.n = nodes_, .width = source_->simulator().smoothing}).occupancy;
  }

 private:
  const OperatorAnswers& answers_;
  std::uint64_t seed_;
  std::size_t first_;
  int nodes_ = 0;
  std::optional<SurfaceSource> source_;
};

/// Between the surfaces of two occupancies; NaN where one has none.
double distance_between(std::span<const double> a, std::span<const double> b, int n) {
  const TriangleMesh ma = occupancy_surface(a, n), mb = occupancy_surface(b, n);
  if (ma.triangles.empty() || mb.triangles.empty()) return NAN;
  return chamfer_distance(ma, mb, chamfer_points);
}

double mean_of(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

}  // namespace

std::optional<SurfaceRow> surface_row(const OperatorAnswers& answers, const LoadedOperator& run,
                                      std::size_t first) {
  const SurfaceSamples samples(answers, run, first);
  if (!samples.any()) return std::nullopt;
  SurfaceRow row;
  row.nodes = samples.nodes();
  bool known = true;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto truth = samples.of(answers.data.out, i), found = samples.of(answers.prediction, i);
    row.iou.push_back(intersection_over_union(found, truth));
    row.chamfer.push_back(distance_between(found, truth, row.nodes));
    const auto cloud = known ? samples.points(i) : std::nullopt;
    known = cloud.has_value();
    if (!known) continue;
    const std::vector<double> classical = samples.classical(*cloud);
    row.classical_iou.push_back(intersection_over_union(classical, truth));
    row.classical_chamfer.push_back(distance_between(classical, truth, row.nodes));
  }
  if (!known) {
    row.classical_iou.clear();
    row.classical_chamfer.clear();
  }
  return row;
}

Json surface_json(const std::vector<SurfaceRow>& rows) {
  Json all = Json::array();
  for (const SurfaceRow& r : rows) {
    Json j = {{"nodes", r.nodes}, {"iou", r.iou}, {"chamfer", r.chamfer}};
    if (!r.classical_iou.empty()) {
      j["classical_iou"] = r.classical_iou;
      j["classical_chamfer"] = r.classical_chamfer;
    }
    all.push_back(j);
  }
  return all;
}

void print_surfaces(const std::vector<SurfaceRow>& rows, std::ostream& out) {
  if (rows.empty()) return;
  std::vector<std::vector<std::string>> table{
      {"nodes", "method", "mean IoU", "least IoU", "mean Chamfer", "in cells"}};
  const auto add = [&](const SurfaceRow& r, const char* method, const std::vector<double>& iou,
                       const std::vector<double>& chamfer) {
    if (iou.empty()) return;
    table.push_back({fmt::format("{}^3", r.nodes), method, fmt::format("{:.4f}", mean_of(iou)),
                     fmt::format("{:.4f}", *std::ranges::min_element(iou)),
                     short_number(mean_of(chamfer)),
                     fmt::format("{:.3f}", r.nodes * mean_of(chamfer))});
  };
  for (const SurfaceRow& r : rows) {
    add(r, "network", r.iou, r.chamfer);
    add(r, "classical", r.classical_iou, r.classical_chamfer);
  }
  print_table(out, table, 2);
}

void save_surfaces(const std::filesystem::path& file, const OperatorAnswers& answers,
                   const LoadedOperator& run, std::size_t first, const SurfaceRow& row) {
  const SurfaceSamples samples(answers, run, first);
  std::vector<std::size_t> order(row.iou.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return row.iou[a] > row.iou[b]; });
  std::vector<SurfacePanel> panels;
  for (const std::size_t k : {std::size_t{0}, order.size() / 2, order.size() - 1}) {
    const std::size_t i = order[k];
    const auto cloud = samples.points(i);
    if (cloud) {
      panels.push_back({.title = fmt::format("{} points", cloud->size()), .points = *cloud});
      panels.push_back({.title = fmt::format("classical, IoU {:.3f}", row.classical_iou[i]),
                        .mesh = occupancy_surface(samples.classical(*cloud), row.nodes)});
    }
    panels.push_back({.title = fmt::format("network, IoU {:.3f}", row.iou[i]),
                      .mesh = occupancy_surface(samples.of(answers.prediction, i), row.nodes)});
    panels.push_back(
        {.title = "truth", .mesh = occupancy_surface(samples.of(answers.data.out, i), row.nodes)});
    if (order.size() < 3) break;
  }
  save_picture(file, draw_surfaces(panels, panels.size() % 4 == 0 ? 4 : 2));
}

}  // namespace cauchy::cli
