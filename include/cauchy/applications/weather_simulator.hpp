#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/applications/sphere_shallow_water.hpp>
#include <cauchy/data/sample_source.hpp>

namespace cauchy {

/// Synthetic weather: shallow water on the rotating earth over random mountains, the same for all
/// samples. A sample begins with a random jet in either hemisphere and random vortices, balanced,
/// and is recorded after some time of its own.
struct WeatherSimulator {
  std::size_t degree = 31;     ///< of the simulation
  std::size_t latitudes = 64;  ///< of the data, equally spaced without the poles; twice as many
                               ///< longitudes
  int frames = 12;             ///< that are recorded behind the first one
  double interval = 6;         ///< between them, hours
  double spin_up = 24;         ///< before the first one, hours
  /// Mean depths in m: one layer for each, which have nothing to do with each other (modes of the
  /// vertical with these equivalent depths).
  std::vector<double> depths = {8000};
  double jet = 40;           ///< m/s, its speed in the mean
  double eddies = 12;        ///< m/s, root mean square of the wind of the vortices
  double mountains = 0.15;   ///< the highest one, as a share of the depth
  double damping_time = 24;  ///< hours, as SphereShallowWater::damping_time; 0: none
  std::uint64_t earth = 1;   ///< seed of the mountains
};
void visit_options(WeatherSimulator& simulator, OptionVisitor& visitor);

/// Samples of weather over latitude (from south to north) and longitude, in degrees. Inputs are
/// `ground` (its height as a share of the depth) and the first frame u(t=0), v(t=0) (m/s), h(t=0)
/// (height of the surface, m), z(t=0) (vorticity, 1/s); outputs the same fields at the times, in
/// hours. Several layers: u1, v1, ..., u2, ...
class WeatherSource final : public SampleSource {
 public:
  ///   error    throws Error for a simulator that makes no sense, with the key that it is about
  explicit WeatherSource(WeatherSimulator simulator);
  ~WeatherSource() override;

  [[nodiscard]] std::string_view kind() const noexcept override { return "weather"; }
  [[nodiscard]] std::string identity() const override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] FieldGrid grid() const override;
  [[nodiscard]] std::vector<std::string> inputs() const override;
  [[nodiscard]] std::vector<std::string> outputs() const override;
  [[nodiscard]] std::vector<double> times() const override;
  [[nodiscard]] Sample make(std::uint64_t seed, std::uint64_t number,
                            const Progress* progress) const override;
  [[nodiscard]] const WeatherSimulator& simulator() const noexcept { return simulator_; }

 private:
  struct Tables;  // transforms and mountains, made when they are first asked for
  [[nodiscard]] const Tables& tables() const;

  WeatherSimulator simulator_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace cauchy
