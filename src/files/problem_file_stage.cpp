#include "files/problem_file_stage.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>

#include "files/problem_file_method.hpp"
#include "files/stage_options.hpp"

namespace cauchy {
namespace detail {
namespace {

constexpr std::uint64_t most_steps = INT64_MAX;  // what TOML can write

const Words<ScheduleShape> schedule_words = {{"constant", ScheduleShape::constant},
                                             {"exponential", ScheduleShape::exponential},
                                             {"cosine", ScheduleShape::cosine},
                                             {"step", ScheduleShape::step},
                                             {"plateau", ScheduleShape::plateau}};
const Words<LossTransform> transform_words = {{"none", LossTransform::none},
                                              {"square_root", LossTransform::square_root},
                                              {"logarithm", LossTransform::logarithm}};

/// The schedule of the learning rate.
template <class Visitor>
void for_each_schedule_option(Schedule& o, Visitor& v) {
  v.word("schedule", o.shape, schedule_words);
  v.count("warmup", o.warmup_steps, 0);
  v.count("schedule_steps", o.steps, 1);
  v.number("final_factor", o.final_factor, NumberRange::up_to_one);
  v.number("drop_factor", o.drop_factor, NumberRange::inside_one);
  v.count("patience", o.plateau.patience, 0);
  v.number("threshold", o.plateau.threshold, NumberRange::below_one);
  v.count("cooldown", o.plateau.cooldown, 0);
  v.number("min_factor", o.plateau.min_factor, NumberRange::up_to_one);
}

/// When a stage ends and what it minimises.
template <class Visitor>
void for_each_stage_option(Stage& o, OptimizerKind kind, Visitor& v) {
  v.count("steps", o.steps, 1);
  v.count("redraw", o.redraw, 0);
  v.number("max_seconds", o.max_seconds, NumberRange::not_negative);
  v.count("max_evaluations", o.max_evaluations, 0);
  v.number("target_loss", o.target_loss, NumberRange::not_negative);
  v.number("gradient_tolerance", o.gradient_tolerance, NumberRange::not_negative);
  if (kind != OptimizerKind::first_order) {
    v.number("relative_decrease", o.relative_decrease, NumberRange::below_one);
  }
  if (kind == OptimizerKind::quasi_newton) v.word("transform", o.transform, transform_words);
}

/// All of it, in the order in which it is written.
template <class Visitor>
void visit_stage(Stage& stage, Visitor& v) {
  const OptimizerKind kind = entry_of(stage.method).kind;
  for_each_stage_option(stage, kind, v);
  std::visit([&](auto& o) { for_each_option(o, v); }, stage.method);
  if (kind == OptimizerKind::first_order) for_each_schedule_option(stage.schedule, v);
}

struct KeyCollector {
  std::vector<std::string> keys = {"optimizer"};
  void add(std::string_view key) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.emplace_back(key);
  }
  void number(std::string_view key, double&, NumberRange) { add(key); }
  template <class T>
  void count(std::string_view key, T&, std::uint64_t) {
    add(key);
  }
  void flag(std::string_view key, bool&) { add(key); }
  template <class T>
  void word(std::string_view key, T&, const Words<T>&) {
    add(key);
  }
  void line_search(LineSearchOptions&) { add("line_search"); }
};

struct LineSearchTable {
  LineSearchOptions& o;
  template <class Visitor>
  void visit(Visitor& v) {
    v.number("decrease", o.decrease, NumberRange::any);
    v.number("curvature", o.curvature, NumberRange::any);
    v.count("max_evaluations", o.max_evaluations, 1);
    v.number("max_step", o.max_step, NumberRange::any);
    v.number("rounding", o.rounding, NumberRange::any);
  }
};

class OptionReader {
 public:
  explicit OptionReader(const TomlSection& section) : s_(section) {}
  void number(std::string_view key, double& value, NumberRange range) {
    s_.read(key, value);
    const TomlNode* node = s_.find(key);
    if (node != nullptr && !in_range(value, range)) {
      fail_at(*node, fmt::format("'{}' must be {}, got {}", key, described(range), value));
    }
  }
  template <class T>
  void count(std::string_view key, T& value, std::uint64_t least) {
    s_.count(key, value, least, most_steps);
  }
  void flag(std::string_view key, bool& value) { s_.read(key, value); }
  template <class T>
  void word(std::string_view key, T& value, const Words<T>& words) {
    if (const TomlNode* n = s_.find(key)) value = as_word(*n, key, words);
  }
  void line_search(LineSearchOptions& options) {
    const TomlNode* node = s_.find("line_search");
    if (node == nullptr) return;
    const TomlSection table(*node, "line_search",
                            {"decrease", "curvature", "max_evaluations", "max_step", "rounding"});
    OptionReader reader(table);
    LineSearchTable{options}.visit(reader);
    at_node(*node, [&] { check_options(options); });
  }

 private:
  const TomlSection& s_;
};

struct OptionWriter {
  std::string_view separator = "\n";
  std::string out = {};
  void line(std::string_view key, std::string_view value) {
    out += fmt::format("{} = {}{}", key, value, separator);
  }
  void number(std::string_view key, double& value, NumberRange) { line(key, toml_number(value)); }
  template <class T>
  void count(std::string_view key, T& value, std::uint64_t) {
    line(key, std::to_string(value));
  }
  void flag(std::string_view key, bool& value) { line(key, value ? "true" : "false"); }
  template <class T>
  void word(std::string_view key, T& value, const Words<T>& words) {
    line(key, fmt::format("\"{}\"", word_of(value, words)));
  }
  void line_search(LineSearchOptions& options) {
    OptionWriter table{", "};
    LineSearchTable{options}.visit(table);
    table.out.resize(table.out.size() - 2);
    line("line_search", fmt::format("{{ {} }}", table.out));
  }
};

/// Keys that some optimiser knows.
const std::vector<std::string>& stage_keys() {
  static const std::vector<std::string> keys = [] {
    KeyCollector collector;
    for (const OptimizerEntry& entry : all_optimizers()) {
      Stage stage{.method = entry.options};
      visit_stage(stage, collector);
    }
    return collector.keys;
  }();
  return keys;
}

const OptimizerEntry& optimizer_named(const TomlNode& node) {
  const std::string& name = as_text(node);
  std::vector<std::string> known;
  for (const OptimizerEntry& entry : all_optimizers()) {
    if (entry.name == name) return entry;
    known.emplace_back(entry.name);
  }
  fail_at(node, fmt::format("unknown optimizer '{}'", name), hint_for(name, known, "optimizers"));
}

}  // namespace

Stage read_stage(const TomlNode& node) {
  const TomlSection s(node, "[[method.stage]]", stage_keys());
  const TomlNode& name = s.need("optimizer", "optimizer = \"adam\", \"lbfgs\", ...");
  const OptimizerEntry& entry = optimizer_named(name);
  Stage stage{.method = entry.options};
  KeyCollector mine;
  visit_stage(stage, mine);
  for (const TomlNode& key : node.items) {
    if (std::find(mine.keys.begin(), mine.keys.end(), key.name) == mine.keys.end()) {
      throw Error(fmt::format("'{}' has no meaning for optimizer '{}'", key.name, entry.name),
                  key.key.str(), "remove it");
    }
  }
  // A schedule ends with its stage unless it says otherwise; steps are read twice for that.
  s.count("steps", stage.steps, 1, most_steps);
  s.count("warmup", stage.schedule.warmup_steps, 0, most_steps);
  if (const TomlNode* shape = s.find("schedule")) {
    const ScheduleShape value = as_word(*shape, "schedule", schedule_words);
    const bool shrinks = value == ScheduleShape::exponential || value == ScheduleShape::cosine;
    if (shrinks && stage.steps > stage.schedule.warmup_steps) {
      stage.schedule.steps = stage.steps - stage.schedule.warmup_steps;
    }
  }
  OptionReader reader(s);
  visit_stage(stage, reader);
  at_node(node, [&] { (void)make_optimizer(stage.method, stage.schedule); });
  return stage;
}

std::string write_stage(const Stage& stage) {
  Stage copy = stage;
  OptionWriter writer;
  writer.line("optimizer", fmt::format("\"{}\"", entry_of(stage.method).name));
  visit_stage(copy, writer);
  return "\n[[method.stage]]\n" + writer.out;
}

}  // namespace detail

std::vector<Stage> parse_stages(std::string_view text, const std::string& name) {
  // "adam 1000, ssbroyden 20000 max_seconds=300" becomes an array of tables, so that names, numbers
  // and messages are those of a file.
  std::string toml = "stages = [";
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::vector<std::string> words;
    for (std::size_t i = at; i < comma;) {
      const std::size_t first = text.find_first_not_of(" \t", i);
      if (first == std::string_view::npos || first >= comma) break;
      i = std::min(text.find_first_of(" \t,", first), comma);
      words.emplace_back(text.substr(first, i - first));
    }
    if (words.empty()) {
      throw Error("an optimizer is missing", name, "write it like \"adam 1000, ssbroyden 20000\"");
    }
    toml += fmt::format("{{ optimizer = {}", detail::toml_text(words[0]));
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equal = words[i].find('=');
      if (equal == std::string::npos) {
        if (i > 1 || words[i].find_first_not_of("0123456789_") != std::string::npos) {
          throw Error(fmt::format("'{}' is neither a number of steps nor key=value", words[i]),
                      name, "write it like \"adam 1000 learning_rate=2e-3, ssbroyden 20000\"");
        }
        toml += ", steps = " + words[i];
        continue;
      }
      const std::string key = words[i].substr(0, equal), value = words[i].substr(equal + 1);
      const bool plain = !value.empty() && (value == "true" || value == "false" ||
                                            value.find_first_of("0123456789+-.") == 0);
      toml += fmt::format(", {} = {}", key, plain ? value : detail::toml_text(value));
    }
    toml += " },";
    at = comma + 1;
  }
  auto source = std::make_shared<detail::TomlSource>();
  source->name = name;
  source->is_override = true;
  std::vector<Stage> stages;
  const detail::TomlNode root = detail::parse_toml(toml + "]", source);
  for (const auto* node : detail::as_tables(root.find("stages"))) {
    stages.push_back(detail::read_stage(*node));
  }
  return stages;
}

}  // namespace cauchy
