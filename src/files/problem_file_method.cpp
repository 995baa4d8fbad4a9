#include "files/problem_file_method.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "files/problem_file_stage.hpp"
#include "files/toml_section.hpp"

namespace cauchy::detail {
namespace {

// Far beyond what fits in memory, and below the limits of the types.
constexpr std::uint64_t max_width = 1'000'000, max_count = 1'000'000'000'000;

const Words<Precision> precisions = {{"f64", Precision::f64}, {"f32", Precision::f32}};
const Words<Randomize> randomizations = {
    {"none", Randomize::none}, {"shift", Randomize::shift}, {"scramble", Randomize::scramble}};

void read_network(const TomlNode& node, Mlp& network) {
  const TomlSection s(node, "[method.network]", {"width", "depth", "activation", "adaptive_slope"});
  s.count("width", network.width, 1, max_width);
  s.count("depth", network.depth, 1, max_width);
  if (const TomlNode* n = s.find("activation")) {
    Words<Activation> words;
    for (const Activation a : all_activations()) words.emplace_back(to_string(a), a);
    network.activation = as_word(*n, "activation", words);
  }
  s.read("adaptive_slope", network.adaptive_slope);
}

void read_points(const TomlNode& node, PinnPoints& points) {
  const TomlSection s(node, "[method.points]",
                      {"interior", "boundary", "initial", "sampler", "randomize", "seed", "skip",
                       "redraw", "batch"});
  s.count("interior", points.interior, 1, max_count);
  s.count("boundary", points.boundary, 1, max_count);
  s.count("initial", points.initial, 1, max_count);
  if (const TomlNode* n = s.find("sampler")) {
    const std::vector<std::string> names = sampler_names();
    Words<SamplerKind> words;
    for (const std::string& name : names) words.emplace_back(name, sampler_kind(name));
    points.sampler.kind = as_word(*n, "sampler", words);
  }
  if (const TomlNode* n = s.find("randomize")) {
    points.sampler.randomize = as_word(*n, "randomization", randomizations);
  }
  if (const TomlNode* n = s.find("seed")) points.sampler.seed = as_seed(*n);
  s.count("skip", points.sampler.skip, 0, max_count);
  s.count("redraw", points.redraw, 0, max_count);
  s.count("batch", points.batch, 0, max_count);
  // What a sampler cannot do is said by the sampler itself.
  at_node(node, [&] { (void)make_sampler(points.sampler, 1, points.interior); });
}

/// Seeds above the whole numbers of TOML stand in quotes.
std::string seed_text(std::uint64_t seed) {
  return seed > static_cast<std::uint64_t>(INT64_MAX) ? fmt::format("\"{}\"", seed)
                                                      : std::to_string(seed);
}

}  // namespace

Pinn read_method(const TomlNode& node) {
  const TomlSection s(
      node, "[method]",
      {"kind", "seed", "precision", "scale", "separate", "network", "points", "stage", "stages"});
  Pinn pinn;
  if (const TomlNode* n = s.find("kind")) {
    (void)as_word(*n, "method", Words<int>{{"pinn", 0}});
  }
  if (const TomlNode* n = s.find("seed")) pinn.seed = as_seed(*n);
  if (const TomlNode* n = s.find("precision")) {
    pinn.precision = as_word(*n, "precision", precisions);
  }
  s.read("scale", pinn.scale);
  s.read("separate", pinn.separate);
  if (const TomlNode* n = s.find("network")) read_network(*n, pinn.network);
  if (const TomlNode* n = s.find("points")) read_points(*n, pinn.points);
  const TomlNode *one = s.find("stage"), *all = s.find("stages");
  if (one != nullptr && all != nullptr) {
    throw Error("give 'stage' or 'stages', not both", all->key.str());
  }
  const TomlNode* given = one != nullptr ? one : all;
  if (given == nullptr) return pinn;
  pinn.stages.clear();
  for (const TomlNode* n : as_tables(given)) pinn.stages.push_back(read_stage(*n));
  return pinn;
}

std::string write_method(const Pinn& m) {
  std::string out = "\n[method]\nkind = \"pinn\"\n";
  out += fmt::format("seed = {}\nprecision = \"{}\"\nscale = {}\nseparate = {}\n",
                     seed_text(m.seed), word_of(m.precision, precisions), m.scale, m.separate);
  out += fmt::format(
      "\n[method.network]\nwidth = {}\ndepth = {}\nactivation = \"{}\"\nadaptive_slope = {}\n",
      m.network.width, m.network.depth, to_string(m.network.activation), m.network.adaptive_slope);
  out += fmt::format(
      "\n[method.points]\ninterior = {}\nboundary = {}\ninitial = {}\nsampler = \"{}\"\n"
      "randomize = \"{}\"\nseed = {}\nskip = {}\nredraw = {}\nbatch = {}\n",
      m.points.interior, m.points.boundary, m.points.initial, sampler_name(m.points.sampler.kind),
      word_of(m.points.sampler.randomize, randomizations), seed_text(m.points.sampler.seed),
      m.points.sampler.skip, m.points.redraw, m.points.batch);
  for (const Stage& stage : m.stages) out += write_stage(stage);
  return out;
}

}  // namespace cauchy::detail
