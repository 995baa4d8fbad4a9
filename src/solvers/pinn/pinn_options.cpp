#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/solvers/pinn.hpp>

namespace cauchy {
namespace {

constexpr std::uint64_t most_points = 1'000'000'000'000;  // far beyond what fits in memory
constexpr double most_features = 4000;                    // of one dense least-squares problem

const Words<Randomize> randomizations = {
    {"none", Randomize::none}, {"shift", Randomize::shift}, {"scramble", Randomize::scramble}};

const Words<PointRule> point_rules = {{"sampler", PointRule::sampler}, {"gauss", PointRule::gauss}};

const Words<LastLayerStart> last_layers = {{"random", LastLayerStart::random},
                                           {"conditions", LastLayerStart::conditions},
                                           {"least_squares", LastLayerStart::least_squares}};

}  // namespace

namespace detail {

/// [method.network]: the network and how its parameters start.
struct PinnNetwork {
  Network network;
  InitializeOptions initialize;
};

void visit_options(PinnNetwork& n, OptionVisitor& v) {
  visit_options(n.network, v);
  visit_options(n.initialize, v);
}

/// [method.points], of variational networks without what belongs to residuals.
struct PinnPointKeys {
  PinnPoints points;
  bool inside = true, residuals = true;
};

void visit_options(PinnPointKeys& keys, OptionVisitor& v) {
  PinnPoints& p = keys.points;
  const std::vector<std::string> names = sampler_names();
  Words<SamplerKind> samplers;
  for (const std::string& name : names) samplers.emplace_back(name, sampler_kind(name));
  if (keys.inside) v.count("interior", p.interior, 1, most_points);
  v.count("boundary", p.boundary, 1, most_points);
  v.count("initial", p.initial, 1, most_points);
  if (keys.residuals) v.word("rule", p.rule, point_rules);
  v.word("sampler", p.sampler.kind, samplers);
  v.word("randomize", p.sampler.randomize, randomizations, "randomization");
  v.seed("seed", p.sampler.seed);
  v.count("skip", p.sampler.skip, 0, most_points);
  v.count("redraw", p.redraw, 0, most_points);
  v.count("batch", p.batch, 0, most_points);
  // What a sampler cannot do is said by the sampler itself.
  v.check([&] { (void)make_sampler(p.sampler, 1, p.interior); });
}

namespace {

/// What an equation asks of a network, as far as it decides on keys.
struct PinnKeys {
  bool residuals = true;  ///< at points
  bool squares = true;
  bool inside = true;  ///< points of the equations
};

void visit_keys(Pinn& m, const PinnKeys& keys, OptionVisitor& v) {
  v.seed("seed", m.seed);
  Words<Precision> precisions;
  for (const Precision p : all_precisions()) precisions.emplace_back(to_string(p), p);
  v.word("precision", m.precision, precisions);
  v.flag("scale", m.scale);
  v.flag("separate", m.separate);
  if (keys.residuals) {
    v.equations("decompose", m.decompose);
    v.count("sobolev", m.sobolev, 0, 3);
    v.number("sobolev_weight", m.sobolev_weight, NumberRange::not_negative);
    v.number("contraction", m.contraction, NumberRange::not_negative);
    v.flag("diagnose", m.diagnose);
    v.number("goal", m.goal, NumberRange::not_negative);
  }
  if (keys.squares) {
    v.number("condition_weight", m.condition_weight, NumberRange::positive);
    v.flag("hard_initial", m.hard_initial);
  }
  if (keys.residuals) v.flag("initial_layers", m.initial_layers);
  v.text("start", m.start);
  if (keys.squares) {
    v.word("last_layer", m.last_layer, last_layers);
    v.number("variation", m.variation, NumberRange::not_negative);
  }
  PinnNetwork network{m.network, m.initialize};
  v.section("network", network);
  m.network = network.network;
  m.initialize = network.initialize;
  if (keys.residuals) v.section("features", m.features);
  PinnPointKeys points{m.points, keys.inside, keys.residuals};
  v.section("points", points);
  m.points = points.points;
  v.list("periodic", m.periodic);
  visit_options(m.rules, v);
  v.list("stage", m.stages);
}

}  // namespace
}  // namespace detail

void visit_options(FeatureTrial& f, OptionVisitor& v) {
  v.numbers("counts", f.counts, NumberRange::positive);
  v.number("accept", f.accept, NumberRange::positive);
  v.number("goal", f.goal, NumberRange::positive);
  v.check([&] {
    for (const double n : f.counts) {
      if (n == std::floor(n) && n <= most_features) continue;
      throw Error(
          fmt::format("'counts' are whole numbers of at most {}, got {}", most_features, n));
    }
  });
}

void visit_options(Pinn& m, OptionVisitor& v) { detail::visit_keys(m, {}, v); }

void visit_trial_options(Pinn& trial, TrialKeys keys, OptionVisitor& v) {
  const bool energy = keys == TrialKeys::energy;
  detail::visit_keys(trial, {.residuals = false, .squares = !energy, .inside = energy}, v);
}

}  // namespace cauchy
