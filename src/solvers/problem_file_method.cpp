#include "solvers/problem_file_method.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "solvers/toml_section.hpp"

namespace cauchy::detail {
namespace {

// Far beyond what fits in memory, and below the limits of the types.
constexpr std::uint64_t max_width = 1'000'000, max_count = 1'000'000'000'000;

const Words<Precision> precisions = {{"f64", Precision::f64}, {"f32", Precision::f32}};
const Words<Stage::Method> optimizers = {{"adam", Stage::Method::adam},
                                         {"lbfgs", Stage::Method::lbfgs}};
const Words<ScheduleShape> schedules = {{"constant", ScheduleShape::constant},
                                        {"exponential", ScheduleShape::exponential},
                                        {"cosine", ScheduleShape::cosine}};
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

void check_range(const TomlSection& s, std::string_view key, bool fits, std::string_view range) {
  const TomlNode* node = s.find(key);
  if (node != nullptr && !fits) {
    fail_at(*node, fmt::format("'{}' must be {}, got {}", key, range, as_number(*node)));
  }
}

void read_adam(const TomlSection& s, Stage& stage) {
  AdamOptions& adam = stage.adam;
  s.read("learning_rate", adam.learning_rate);
  s.read("beta1", adam.beta1);
  s.read("beta2", adam.beta2);
  s.read("epsilon", adam.epsilon);
  check_range(s, "learning_rate", adam.learning_rate > 0, "positive");
  check_range(s, "beta1", adam.beta1 >= 0 && adam.beta1 < 1, "in [0, 1)");
  check_range(s, "beta2", adam.beta2 >= 0 && adam.beta2 < 1, "in [0, 1)");
  check_range(s, "epsilon", adam.epsilon > 0, "positive");
  Schedule& schedule = stage.schedule;
  if (const TomlNode* n = s.find("schedule")) schedule.shape = as_word(*n, "schedule", schedules);
  s.count("warmup", schedule.warmup_steps, 0, max_count);
  // A schedule ends with its stage unless it says otherwise.
  if (schedule.shape != ScheduleShape::constant && stage.steps > schedule.warmup_steps) {
    schedule.steps = stage.steps - schedule.warmup_steps;
  }
  s.count("schedule_steps", schedule.steps, 1, max_count);
  s.read("final_factor", schedule.final_factor);
  check_range(s, "final_factor", schedule.final_factor > 0 && schedule.final_factor <= 1,
              "in (0, 1]");
}

void read_line_search(const TomlNode& node, LineSearchOptions& search) {
  const TomlSection s(node, "line_search",
                      {"decrease", "curvature", "max_evaluations", "max_step", "rounding"});
  s.read("decrease", search.decrease);
  s.read("curvature", search.curvature);
  s.count("max_evaluations", search.max_evaluations, 1, max_count);
  s.read("max_step", search.max_step);
  s.read("rounding", search.rounding);
  at_node(node, [&] { check_options(search); });
}

void read_lbfgs(const TomlSection& s, Stage& stage) {
  LbfgsOptions& lbfgs = stage.lbfgs;
  s.count("memory", lbfgs.memory, 1, max_width);
  s.read("curvature_guard", lbfgs.curvature_guard);
  check_range(s, "curvature_guard", lbfgs.curvature_guard >= 0 && lbfgs.curvature_guard < 1,
              "in [0, 1)");
  s.read("clear_when_changed", lbfgs.clear_when_changed);
  s.read("relative_decrease", stage.relative_decrease);
  check_range(s, "relative_decrease", stage.relative_decrease >= 0 && stage.relative_decrease < 1,
              "in [0, 1)");
  if (const TomlNode* n = s.find("line_search")) read_line_search(*n, lbfgs.line_search);
}

const std::vector<std::string> adam_keys = {"learning_rate",  "beta1",       "beta2",
                                            "epsilon",        "schedule",    "warmup",
                                            "schedule_steps", "final_factor"};
const std::vector<std::string> lbfgs_keys = {"memory", "curvature_guard", "clear_when_changed",
                                             "relative_decrease", "line_search"};

Stage read_stage(const TomlNode& node) {
  std::vector<std::string> known = {"optimizer", "steps"};
  known.insert(known.end(), adam_keys.begin(), adam_keys.end());
  known.insert(known.end(), lbfgs_keys.begin(), lbfgs_keys.end());
  const TomlSection s(node, "[[method.stage]]", known);
  Stage stage;
  const TomlNode& optimizer = s.need("optimizer", "optimizer = \"adam\" or \"lbfgs\"");
  stage.method = as_word(optimizer, "optimizer", optimizers);
  s.count("steps", stage.steps, 1, max_count);
  const bool is_adam = stage.method == Stage::Method::adam;
  for (const std::string& key : is_adam ? lbfgs_keys : adam_keys) {
    if (const TomlNode* n = s.find(key)) {
      throw Error(fmt::format("'{}' has no meaning for optimizer '{}'", key, optimizer.text),
                  n->key.str(), "remove it");
    }
  }
  if (is_adam) {
    read_adam(s, stage);
  } else {
    read_lbfgs(s, stage);
  }
  return stage;
}

std::string write_stage(const Stage& stage) {
  std::string out = "\n[[method.stage]]\n";
  const auto line = [&](std::string_view key, const std::string& value) {
    out += fmt::format("{} = {}\n", key, value);
  };
  line("optimizer", fmt::format("\"{}\"", word_of(stage.method, optimizers)));
  line("steps", std::to_string(stage.steps));
  if (stage.method == Stage::Method::adam) {
    line("learning_rate", toml_number(stage.adam.learning_rate));
    line("beta1", toml_number(stage.adam.beta1));
    line("beta2", toml_number(stage.adam.beta2));
    line("epsilon", toml_number(stage.adam.epsilon));
    line("schedule", fmt::format("\"{}\"", word_of(stage.schedule.shape, schedules)));
    line("schedule_steps", std::to_string(stage.schedule.steps));
    line("final_factor", toml_number(stage.schedule.final_factor));
    line("warmup", std::to_string(stage.schedule.warmup_steps));
    return out;
  }
  const LineSearchOptions& search = stage.lbfgs.line_search;
  line("memory", std::to_string(stage.lbfgs.memory));
  line("curvature_guard", toml_number(stage.lbfgs.curvature_guard));
  line("clear_when_changed", stage.lbfgs.clear_when_changed ? "true" : "false");
  line("relative_decrease", toml_number(stage.relative_decrease));
  line("line_search",
       fmt::format("{{ decrease = {}, curvature = {}, max_evaluations = {}, max_step = {}, "
                   "rounding = {} }}",
                   toml_number(search.decrease), toml_number(search.curvature),
                   search.max_evaluations, toml_number(search.max_step),
                   toml_number(search.rounding)));
  return out;
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
  if (m.stages.empty()) out += "stages = []\n";
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
