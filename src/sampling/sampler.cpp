#include <cauchy/sampling/sampler.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/expr/parse.hpp>  // nearest_name

#include "sampling/samplers/samplers.hpp"

namespace cauchy {
namespace {

/// What a kind of point set can do.
struct Traits {
  std::string_view name;
  bool finite;     ///< has n points; otherwise a sequence, which can be skipped into
  bool random;     ///< made from the seed always
  bool scrambles;  ///< has a digit scrambling
};

// In the order of SamplerKind.
constexpr std::array<Traits, 9> kTraits = {{
    {"uniform", false, true, false},
    {"grid", true, false, false},
    {"lattice", true, false, false},
    {"halton", false, false, true},
    {"sobol", false, false, true},
    {"hammersley", true, false, true},
    {"faure", false, false, true},
    {"r_sequence", false, false, false},
    {"latin_hypercube", true, true, false},
}};

std::unique_ptr<Sampler> make_plain(const SamplerOptions& o, std::size_t d, std::uint64_t n) {
  const bool scramble = o.randomize == Randomize::scramble;
  switch (o.kind) {
    case SamplerKind::uniform:
      return detail::make_uniform(d, o.seed);
    case SamplerKind::grid:
      return detail::make_grid(d, n);
    case SamplerKind::lattice:
      return detail::make_lattice(d, n);
    case SamplerKind::halton:
      return detail::make_halton(d, scramble, o.seed);
    case SamplerKind::sobol:
      return detail::make_sobol(d, scramble, o.seed);
    case SamplerKind::hammersley:
      return detail::make_hammersley(d, n, scramble, o.seed);
    case SamplerKind::faure:
      return detail::make_faure(d, scramble, o.seed);
    case SamplerKind::r_sequence:
      return detail::make_r_sequence(d);
    case SamplerKind::latin_hypercube:
      return detail::make_latin_hypercube(d, n, o.seed);
  }
  throw Error("there is no such sampler", "[sampling]");
}

}  // namespace

std::unique_ptr<Sampler> make_sampler(const SamplerOptions& options, std::size_t dimension,
                                      std::uint64_t n) {
  const auto index = static_cast<std::size_t>(options.kind);
  if (index >= kTraits.size()) throw Error("there is no such sampler", "[sampling]");
  const Traits& traits = kTraits[index];
  const std::string place = fmt::format("[sampling.{}]", traits.name);
  if (dimension == 0) throw Error("the dimension must be positive, got 0", place);
  if (traits.finite && n == 0) throw Error("the number of points must be positive, got 0", place);
  if (traits.finite && options.skip != 0) {
    throw Error(fmt::format("a set of {} points has no points to skip", n), place,
                "leave out skip, or use a sequence such as 'sobol'");
  }
  if (options.randomize == Randomize::scramble && !traits.scrambles) {
    throw Error("there is no scrambling", place,
                traits.random ? "the points are random already" : "use the random shift");
  }
  std::unique_ptr<Sampler> sampler = make_plain(options, dimension, n);
  // A random set is uniform already; a shift would only cut the strata of a Latin hypercube.
  if (options.randomize == Randomize::shift && !traits.random) {
    sampler = detail::make_shifted(std::move(sampler), options.seed);
  }
  if (options.skip != 0) sampler = detail::make_skipped(std::move(sampler), options.skip);
  return sampler;
}

std::vector<double> unit_points(const SamplerOptions& options, std::size_t dimension,
                                std::size_t n) {
  const std::unique_ptr<Sampler> sampler = make_sampler(options, dimension, n);
  const std::string place = fmt::format("[sampling.{}]", sampler_name(options.kind));
  if (n == 0) throw Error("the number of points must be positive, got 0", place);
  require_memory(8 * static_cast<double>(n) * static_cast<double>(dimension),
                 fmt::format("a set of {} points of dimension {}", n, dimension),
                 "use fewer points", place);
  std::vector<double> points(n * dimension);
  sampler->fill(0, n, points.data());
  return points;
}

std::string_view sampler_name(SamplerKind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < kTraits.size() ? kTraits[index].name : "unknown";
}

SamplerKind sampler_kind(std::string_view name) {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].name == name) return static_cast<SamplerKind>(i);
  }
  const std::string nearest = nearest_name(name, sampler_names());
  std::string hint =
      nearest.empty() ? "use one of" : fmt::format("did you mean '{}'? There are", nearest);
  for (const Traits& t : kTraits) hint += fmt::format(" {}", t.name);
  throw Error(ErrorKind::not_found, fmt::format("there is no sampler '{}'", name), "[sampling]",
              hint);
}

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const Traits& t : kTraits) names.emplace_back(t.name);
  return names;
}

}  // namespace cauchy
