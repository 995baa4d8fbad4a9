#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/applications/weather_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/io/option_text.hpp>

namespace cauchy {
namespace {

constexpr double degrees = 180 / std::numbers::pi, hour = 3600;
constexpr const char* layer_fields[] = {"u", "v", "h", "z"};
constexpr std::size_t fields_per_layer = 4;
constexpr double vortex_degree = 8, vortex_width = 4;  // where the spectrum of the vortices peaks
constexpr double sea_share = 0.6;                      // of the sphere

/// A name of a field, with the number of its layer where there are several.
std::string layer_name(const char* field, std::size_t layer, std::size_t layers) {
  return layers == 1 ? std::string(field) : fmt::format("{}{}", field, layer + 1);
}

/// Coefficients of mean 0 and deviation amplitude(l); those of m > 0 in both parts.
template <class Amplitude>
SphereSpectrum random_coefficients(std::size_t degree, Rng& rng, Amplitude amplitude) {
  SphereSpectrum a(spectrum_size(degree));
  for (std::size_t m = 0; m <= degree; ++m) {
    for (std::size_t l = m; l <= degree; ++l) {
      const double size = amplitude(static_cast<double>(l)), re = rng.normal(), im = rng.normal();
      a[spectrum_index(degree, l, m)] =
          m == 0 ? std::complex<double>(size * re)
                 : std::complex<double>(re, im) * (size * std::numbers::sqrt2 / 2);
    }
  }
  return a;
}

/// Land where a random function is high, smooth, 1 at the highest point.
std::vector<double> random_ground(const SphericalTransform& transform, std::uint64_t seed) {
  Rng rng(seed);
  const std::size_t L = transform.degree();
  SphereSpectrum a = random_coefficients(
      L, rng, [](double l) { return l == 0 ? 0 : std::pow(1 + l * l / 9, -1.25); });
  std::vector<double> h(transform.n_points());
  transform.synthesize(a, h);
  // Points of the grid crowd near the poles; for the height of the sea that does not matter.
  std::vector<double> sorted = h;
  std::sort(sorted.begin(), sorted.end());
  const double sea = sorted[static_cast<std::size_t>(sea_share * static_cast<double>(h.size()))];
  for (double& x : h) x = std::max(x - sea, 0.0);
  transform.analyze(h, a);
  const auto top = static_cast<double>(L);
  for (std::size_t m = 0; m <= L; ++m) {
    for (std::size_t l = m; l <= L; ++l) {  // coasts without overshoots
      const auto k = static_cast<double>(l);
      a[spectrum_index(L, l, m)] *= std::exp(-4 * k * (k + 1) / (top * (top + 1)));
    }
  }
  transform.synthesize(a, h);
  const double highest = *std::max_element(h.begin(), h.end());
  for (double& x : h) x /= highest;
  return h;
}

/// A jet in either hemisphere and vortices around them.
SphereSpectrum random_vorticity(const SphericalTransform& transform, const WeatherSimulator& s,
                                double radius, Rng& rng) {
  const SphereGrid& grid = transform.grid();
  std::vector<double> u(grid.size()), v(grid.size());
  constexpr double width = 12 / degrees;
  for (const double side : {1.0, -1.0}) {
    const double speed = s.jet * rng.uniform(0.7, 1.3), centre = rng.uniform(38, 52) / degrees;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double x = (side * grid.latitude(i / grid.n_longitudes) - centre) / width;
      u[i] += speed * std::exp(-x * x);
    }
  }
  SphereSpectrum vorticity(transform.n_coefficients()), divergence(vorticity);
  transform.analyze_wind(u, v, radius, vorticity, divergence);
  const auto shape = [](double l) {
    const double x = (l - vortex_degree) / vortex_width;
    return l < 2 ? 0 : std::exp(-x * x / 2);
  };
  double power = 0;  // of winds with this shape, mean over the sphere
  for (std::size_t l = 0; l <= s.degree; ++l) {
    const auto k = static_cast<double>(l);
    power += (2 * k + 1) * shape(k) * shape(k) / (4 * std::numbers::pi);
  }
  const double scale = s.eddies / std::sqrt(power) / radius;
  const SphereSpectrum eddies = random_coefficients(
      s.degree, rng, [&](double l) { return scale * std::sqrt(l * (l + 1)) * shape(l); });
  for (std::size_t k = 0; k < eddies.size(); ++k) vorticity[k] += eddies[k];
  return vorticity;
}

}  // namespace

void visit_options(WeatherSimulator& s, OptionVisitor& v) {
  v.count("degree", s.degree, 5, 1000);
  v.count("latitudes", s.latitudes, 4, 10'000);
  v.count("frames", s.frames, 1, 10'000);
  v.number("interval", s.interval, NumberRange::positive);
  v.number("spin_up", s.spin_up, NumberRange::not_negative);
  v.numbers("depths", s.depths, NumberRange::positive);
  v.number("jet", s.jet, NumberRange::not_negative);
  v.number("eddies", s.eddies, NumberRange::not_negative);
  v.number("mountains", s.mountains, NumberRange::below_one);
  v.number("damping_time", s.damping_time, NumberRange::not_negative);
  v.seed("earth", s.earth);
}

struct WeatherSource::Tables {
  std::once_flag once;
  std::unique_ptr<const SphericalTransform> inner, outer;  // of the simulation, of the data
  std::vector<double> ground, shown;                       // of height 1, on both grids
};

WeatherSource::WeatherSource(WeatherSimulator simulator)
    : simulator_(std::move(simulator)), tables_(std::make_unique<Tables>()) {
  const WeatherSimulator& s = simulator_;
  const std::size_t most = (s.latitudes - 1) / 2;
  if (s.latitudes < 11 || s.degree > most) {
    throw Error(
        fmt::format("degree {} does not fit {} equally spaced latitudes", s.degree, s.latitudes),
        "degree",
        fmt::format("give at least {} latitudes{}", 2 * s.degree + 1,
                    s.latitudes < 11 ? "" : fmt::format(", or degree {} at most", most)));
  }
  if (s.depths.empty()) throw Error("there is no layer", "depths", "depths = [8000]");
}

WeatherSource::~WeatherSource() = default;

const WeatherSource::Tables& WeatherSource::tables() const {
  std::call_once(tables_->once, [&] {
    const WeatherSimulator& s = simulator_;
    Tables& t = *tables_;
    t.inner = std::make_unique<SphericalTransform>(gauss_grid(s.degree, 2), s.degree);
    t.outer = std::make_unique<SphericalTransform>(
        sphere_grid(Latitudes::equiangular, s.latitudes, 2 * s.latitudes), s.degree);
    t.ground = random_ground(*t.inner, s.earth);
    SphereSpectrum a(t.inner->n_coefficients());
    t.inner->analyze(t.ground, a);
    t.shown.resize(t.outer->n_points());
    t.outer->synthesize(a, t.shown);
  });
  return *tables_;
}

std::string WeatherSource::identity() const {
  return "weather\n" + option_text("simulator", simulator_);
}

std::string WeatherSource::describe() const {
  return fmt::format("spectral shallow water at degree {}, {} layer{}, {} frames every {} h",
                     simulator_.degree, simulator_.depths.size(),
                     simulator_.depths.size() == 1 ? "" : "s", simulator_.frames + 1,
                     simulator_.interval);
}

FieldGrid WeatherSource::grid() const {
  const auto n = static_cast<int>(simulator_.latitudes);
  const double end = 90 - 90.0 / n;
  FieldGrid g;
  g.axes.push_back({.name = "latitude", .n = n, .lower = -end, .upper = end});
  g.axes.push_back({.name = "longitude", .n = 2 * n, .lower = 0, .upper = 360, .periodic = true});
  return g;
}

std::vector<std::string> WeatherSource::inputs() const {
  const std::size_t layers = simulator_.depths.size();
  std::vector<std::string> names;
  names.emplace_back("ground");
  for (std::size_t k = 0; k < layers; ++k) {
    for (const char* f : layer_fields) names.push_back(layer_name(f, k, layers) + "(t=0)");
  }
  return names;
}

std::vector<std::string> WeatherSource::outputs() const {
  const std::size_t layers = simulator_.depths.size();
  std::vector<std::string> names;
  for (const double t : times()) {
    for (std::size_t k = 0; k < layers; ++k) {
      for (const char* f : layer_fields) {
        names.push_back(fmt::format("{}(t={})", layer_name(f, k, layers), t));
      }
    }
  }
  return names;
}

std::vector<double> WeatherSource::times() const {
  std::vector<double> t;
  for (int k = 1; k <= simulator_.frames; ++k) t.push_back(k * simulator_.interval);
  return t;
}

SampleSource::Sample WeatherSource::make(std::uint64_t seed, std::uint64_t number,
                                         const Progress* progress) const {
  const WeatherSimulator& s = simulator_;
  const Tables& t = tables();
  const std::size_t layers = s.depths.size(), points = t.outer->n_points();
  const std::size_t n_lon = 2 * s.latitudes, frame = layers * fields_per_layer * points;
  const auto frames = static_cast<std::size_t>(s.frames);
  Sample sample;
  sample.in.resize(points + frame);
  sample.out.resize(frames * frame);
  // The grid of the sphere begins in the north, the axis of the data in the south.
  const auto put = [&](std::span<const double> values, std::span<double> out) {
    for (std::size_t i = 0; i < s.latitudes; ++i) {
      std::ranges::copy(values.subspan((s.latitudes - 1 - i) * n_lon, n_lon),
                        out.subspan(i * n_lon, n_lon).begin());
    }
  };
  const auto fail = [&](const char* what) {
    return Error(what, fmt::format("sample {}", number),
                 "use weaker winds (jet, eddies), lower mountains or deeper layers");
  };
  put(t.shown, std::span(sample.in).first(points));
  for (std::size_t i = 0; i < points; ++i) sample.in[i] *= s.mountains;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const double top = s.mountains * s.depths[layer];
    std::vector<double> ground = t.ground, shown = t.shown;
    for (double& x : ground) x *= top;
    for (double& x : shown) x *= top;
    SphereShallowWater water{.degree = s.degree, .damping_time = s.damping_time * hour};
    ShallowWaterModel model(water, *t.inner, ground, nullptr);
    Rng rng = Rng(seed).split(number).split(layer);
    ShallowWaterState y =
        model.balanced(random_vorticity(*t.inner, s, water.radius, rng), s.depths[layer]);
    const std::vector<double> depth = model.fields_of(y).depth;
    if (!(*std::min_element(depth.begin(), depth.end()) > 0)) {
      throw fail("the fluid that balances its wind has no depth somewhere");
    }
    std::vector<double> u(points), v(points), scalars(2 * points);
    SphereSpectrum pair(2 * t.outer->n_coefficients());
    for (std::size_t k = 0; k <= frames; ++k) {
      if (progress != nullptr && progress->stop_requested()) {
        sample.interrupted = true;
        return sample;
      }
      if (model.advance(y, hour * (k == 0 ? s.spin_up : s.interval)) != Status::ok) {
        throw fail("the simulation has burst");
      }
      t.outer->synthesize_wind(y.vorticity, y.divergence, water.radius, u, v);
      std::ranges::copy(y.geopotential, pair.begin());
      std::ranges::copy(y.vorticity, pair.begin() + static_cast<long>(y.geopotential.size()));
      t.outer->synthesize(pair, scalars);
      for (std::size_t i = 0; i < points; ++i) scalars[i] = scalars[i] / water.gravity + shown[i];
      const std::span<double> out = k == 0 ? std::span(sample.in).subspan(points)
                                           : std::span(sample.out).subspan((k - 1) * frame, frame);
      const auto field = [&](std::size_t f) {
        return out.subspan((layer * fields_per_layer + f) * points, points);
      };
      put(u, field(0));
      put(v, field(1));
      put(std::span(scalars).first(points), field(2));
      put(std::span(scalars).subspan(points), field(3));
    }
  }
  return sample;
}

}  // namespace cauchy
