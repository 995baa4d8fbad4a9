#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/data/sample_source.hpp>
#include <cauchy/geometry/oriented_points.hpp>

namespace cauchy {

class OptionVisitor;

/// Random solids, points with normals on them as a scanner would give, and the occupancy that is to
/// be found from the points (neural Poisson surface reconstruction, Andrade-Loarca et al. 2023).
/// Lengths are shares of the unit cube.
struct SurfaceSimulator {
  int resolution = 32;         ///< nodes along each axis
  std::size_t points = 3000;   ///< on the surface, before patches are taken away
  double noise = 0.002;        ///< standard deviation of the points along each axis
  double tilt = 0.05;          ///< standard deviation of the normals along each axis
  int holes = 2;               ///< at most so many round patches are missing, 0 as likely as this
  double hole = 0.08;          ///< their largest radius; the smallest is half of it
  double smoothing = 0.03125;  ///< width of the Gaussians that smooth V and its divergence
  /// The occupancy goes from 0 to 1 over distances -layer to layer, one function on every grid.
  double layer = 0.0625;
  /// Kinds of solids: "ball", "box", "ellipsoid", "torus", "cylinder" (up to `parts` of them united
  /// or taken off each other) and "blob" (where a sum of Gaussians is high), each as likely.
  std::vector<std::string> kinds = {"ball", "box", "ellipsoid", "torus", "cylinder", "blob"};
  int parts = 3;
  /// Walls and gaps are at least as thick, but near edges: solids with thinner ones are drawn
  /// again.
  double thickness = 0.05;
};
void visit_options(SurfaceSimulator& simulator, OptionVisitor& visitor);

/// A random solid in the middle of the unit cube, turned at random, its longest side 0.6 to 0.7.
/// A pure function of its arguments; blobs are triangle surfaces.
[[nodiscard]] ShapePtr random_solid(const SurfaceSimulator& simulator, std::uint64_t seed,
                                    std::uint64_t number);

/// What a scanner makes of exact points on a surface: holes, noise, tilted normals.
[[nodiscard]] OrientedPoints scanned(OrientedPoints cloud, const SurfaceSimulator& simulator,
                                     Rng rng);

/// Samples over n x n x n nodes of the periodic unit cube. Input `f` is the divergence of the field
/// of normals, in the steps of the published method: areas of the points, rasterisation, Gaussian,
/// differences, Gaussian. (Noise on it belongs to the training: `noise` of [train].) Output `o` is
/// the occupancy, 1/2 + s (3 - s^2) / 4 with s = distance / layer, cut at 0 and 1.
///   why f      one number per point that does not depend on axes: flips and exchanges of axes
///              carry samples into samples. V would have three that change with them, and
///              says no more: lap phi = div V
///   why o      1/2 is the surface, wherever it is, and far away it is 0 or 1; signed distances
///              grow with the solid, and what is far away would weigh most in mean squares
class SurfaceSource final : public SampleSource {
 public:
  ///   error    throws Error for a simulator that makes no sense, with the key that it is about
  explicit SurfaceSource(SurfaceSimulator simulator);

  [[nodiscard]] std::string_view kind() const noexcept override { return "surface"; }
  [[nodiscard]] std::string identity() const override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] FieldGrid grid() const override;
  [[nodiscard]] std::vector<std::string> inputs() const override { return {"f"}; }
  [[nodiscard]] std::vector<std::string> outputs() const override { return {"o"}; }
  [[nodiscard]] std::vector<double> times() const override { return {}; }
  [[nodiscard]] Sample make(std::uint64_t seed, std::uint64_t number,
                            const Progress* progress) const override;
  [[nodiscard]] std::shared_ptr<const SampleSource> resized(
      const std::vector<int>& sizes) const override;
  [[nodiscard]] bool isotropic() const noexcept override { return true; }

  /// The points of a sample on its solid (random_solid), whatever the resolution.
  [[nodiscard]] OrientedPoints points_on(const Shape& solid, std::uint64_t seed,
                                         std::uint64_t number) const;
  /// The input for points of the unit cube.
  [[nodiscard]] std::vector<double> input_of(const OrientedPoints& cloud) const;
  /// The output for a solid.
  [[nodiscard]] std::vector<double> occupancy_of(const Shape& shape) const;
  [[nodiscard]] const SurfaceSimulator& simulator() const noexcept { return simulator_; }

 private:
  SurfaceSimulator simulator_;
};

}  // namespace cauchy
