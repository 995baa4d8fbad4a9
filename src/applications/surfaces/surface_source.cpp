#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/applications/surface_reconstruction.hpp>
#include <cauchy/applications/surface_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/io/option_text.hpp>

namespace cauchy {
namespace {

// Beside the draws of the solid itself, which count from 0.
enum SurfaceUse : std::uint64_t { use_points = std::uint64_t{1} << 32U, use_scanner };
constexpr std::array<std::string_view, 6> solid_kinds = {"ball",  "box",      "ellipsoid",
                                                         "torus", "cylinder", "blob"};
constexpr std::size_t block = 4;  // nodes along the sides of boxes that are looked at as a whole

/// A list of words as one text, "ball, box".
void visit_kinds(OptionVisitor& v, std::vector<std::string>& kinds) {
  std::string text = fmt::format("{}", fmt::join(kinds, ", "));
  v.text("kinds", text);
  kinds.clear();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(", ", at), text.size());
    if (end > at) kinds.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace

void visit_options(SurfaceSimulator& s, OptionVisitor& v) {
  v.count("resolution", s.resolution, 8, 1024);
  v.count("points", s.points, 16, 10'000'000);
  v.number("noise", s.noise, NumberRange::below_one);
  v.number("tilt", s.tilt, NumberRange::below_one);
  v.count("holes", s.holes, 0, 100);
  v.number("hole", s.hole, NumberRange::inside_one);
  v.number("smoothing", s.smoothing, NumberRange::inside_one);
  v.number("layer", s.layer, NumberRange::inside_one);
  visit_kinds(v, s.kinds);
  v.count("parts", s.parts, 1, 20);
  v.number("thickness", s.thickness, NumberRange::below_one);
}

SurfaceSource::SurfaceSource(SurfaceSimulator simulator) : simulator_(std::move(simulator)) {
  const SurfaceSimulator& s = simulator_;
  for (const std::string& kind : s.kinds) {
    if (std::ranges::find(solid_kinds, kind) != solid_kinds.end()) continue;
    throw Error(ErrorKind::not_found, fmt::format("there is no kind of solid '{}'", kind), "kinds",
                fmt::format("there are {}", fmt::join(solid_kinds, ", ")));
  }
  if (s.kinds.empty()) throw Error("there is no kind of solid", "kinds", "kinds = \"ball, box\"");
  if (s.smoothing * s.resolution < 0.6) {
    throw Error(fmt::format("a smoothing of {} is less than 0.6 of the distance 1/{} of nodes",
                            s.smoothing, s.resolution),
                "smoothing", fmt::format("at least {:.3g}", 0.6 / s.resolution));
  }
}

std::string SurfaceSource::identity() const {
  return "surface\n" + option_text("simulator", simulator_);
}

std::string SurfaceSource::describe() const {
  return fmt::format("random solids, {} points with noise of {}, up to {} holes, {}^3 nodes",
                     simulator_.points, simulator_.noise, simulator_.holes, simulator_.resolution);
}

FieldGrid SurfaceSource::grid() const { return cube_grid(simulator_.resolution); }

std::shared_ptr<const SampleSource> SurfaceSource::resized(const std::vector<int>& sizes) const {
  if (sizes.size() != 3 || sizes[0] != sizes[1] || sizes[1] != sizes[2]) {
    throw Error("solids lie in a cube with as many nodes along each axis", "--grid", "--grid 64");
  }
  SurfaceSimulator other = simulator_;
  other.resolution = sizes[0];
  return std::make_shared<SurfaceSource>(other);
}

OrientedPoints SurfaceSource::points_on(const Shape& solid, std::uint64_t seed,
                                        std::uint64_t number) const {
  const Rng rng = Rng(seed).split(number);
  return scanned(surface_points(solid, simulator_.points, rng.split(use_points)), simulator_,
                 rng.split(use_scanner));
}

std::vector<double> SurfaceSource::input_of(const OrientedPoints& cloud) const {
  const int n = simulator_.resolution;
  const double w = simulator_.smoothing;
  // A wider look for the areas: some tens of points decide about each.
  const std::vector<double> areas = point_areas(cloud, n, 1.5 * w);
  std::vector<double> f = divergence(normal_field(cloud, areas, n, w), n);
  smooth(f, n, w * w);
  return f;
}

std::vector<double> SurfaceSource::occupancy_of(const Shape& shape) const {
  const auto n = static_cast<std::size_t>(simulator_.resolution);
  const double h = 1.0 / simulator_.resolution, layer = simulator_.layer;
  std::vector<double> o(n * n * n);
  const auto value = [&](double distance) {
    const double s = std::clamp(distance / layer, -1.0, 1.0);
    return 0.5 + s * (3 - s * s) / 4;
  };
  LoopLimit limit("a random solid");
  std::array<std::size_t, 3> b{};
  for (b[0] = 0; b[0] < n; b[0] += block) {
    for (b[1] = 0; b[1] < n; b[1] += block) {
      for (b[2] = 0; b[2] < n; b[2] += block) {
        constexpr double half = (block - 1) / 2.0;
        Point3 x{};
        for (std::size_t k = 0; k < 3; ++k) x[k] = h * (static_cast<double>(b[k]) + half);
        // No node of the block is further from its middle than this.
        const double middle = shape.distance(x.data());
        limit.next(20 * block * block * block);  // distances take that long
        const bool far = std::abs(middle) >= layer + std::sqrt(3.0) * half * h;
        for (std::size_t i = b[0]; i < std::min(n, b[0] + block); ++i) {
          for (std::size_t j = b[1]; j < std::min(n, b[1] + block); ++j) {
            for (std::size_t k = b[2]; k < std::min(n, b[2] + block); ++k) {
              x = {h * static_cast<double>(i), h * static_cast<double>(j),
                   h * static_cast<double>(k)};
              o[(i * n + j) * n + k] = value(far ? middle : shape.distance(x.data()));
            }
          }
        }
      }
    }
  }
  return o;
}

SampleSource::Sample SurfaceSource::make(std::uint64_t seed, std::uint64_t number,
                                         const Progress* progress) const {
  Sample sample;
  sample.interrupted = progress != nullptr && progress->stop_requested();
  if (sample.interrupted) return sample;
  const ShapePtr solid = random_solid(simulator_, seed, number);
  sample.in = input_of(points_on(*solid, seed, number));
  sample.out = occupancy_of(*solid);
  return sample;
}

}  // namespace cauchy
