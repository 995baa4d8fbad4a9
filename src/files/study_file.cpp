#include <cauchy/files/study_file.hpp>

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/threads.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/option_text.hpp>  // toml_number, toml_text

#include "files/toml_section.hpp"

namespace cauchy {
namespace {

namespace fs = std::filesystem;
using detail::TomlNode;
using detail::TomlSection;
using Kind = TomlNode::Kind;

TomlNode study_root(const fs::path& file) {
  auto source = std::make_shared<detail::TomlSource>();
  source->name = file.string();
  source->folder = file.has_parent_path() ? file.parent_path() : ".";
  return detail::parse_toml(read_file(file, detail::max_toml_bytes), source);
}

/// A value in one line of TOML.
std::string one_line(const TomlNode& node) {
  switch (node.kind) {
    case Kind::string:
      if (node.text.find('\n') != std::string::npos) {
        detail::fail_at(node, "a setting has no line breaks", "write it in one line");
      }
      return toml_text(node.text);
    case Kind::integer:
      return std::to_string(node.integer);
    case Kind::real:
      return toml_number(node.real);
    case Kind::boolean:
      return node.boolean ? "true" : "false";
    case Kind::array:
    case Kind::table: {
      const bool table = node.kind == Kind::table;
      std::string out;
      for (const TomlNode& item : node.items) {
        if (!out.empty()) out += ", ";
        out +=
            table ? fmt::format("{} = {}", toml_text(item.name), one_line(item)) : one_line(item);
      }
      return fmt::format("{}{}{}", table ? '{' : '[', out, table ? '}' : ']');
    }
    case Kind::date:
      break;
  }
  detail::fail_at(node, "a date is no setting", "put it in quotes");
}

std::vector<StudySetting> study_settings(const TomlNode& node) {
  constexpr const char* example = R"(set = { "method.network.width" = 64 })";
  detail::expect_table(node, example);
  std::vector<StudySetting> settings;
  for (const TomlNode& item : node.items) {
    // A dotted key without quotes is a table, which would replace all of [method].
    if (item.kind == Kind::table && item.find("kind") == nullptr &&
        item.name.find('.') == std::string::npos) {
      detail::fail_at(item, fmt::format("'{}' would be replaced as a whole", item.name),
                      fmt::format("write the whole key in quotes: {}", example));
    }
    settings.push_back({fmt::format("{}={}", item.name, one_line(item)), item.key.str()});
  }
  return settings;
}

StudyAxis study_axis(const TomlNode& node) {
  const TomlSection section(node, "[[vary]]", {"key", "values", "names"});
  StudyAxis axis;
  axis.key = detail::as_text(section.need("key", "key = \"method.points.interior\""));
  axis.place = node.place.str();
  const TomlNode& values = section.need("values", "values = [100, 200]");
  if (values.kind != Kind::array) {
    detail::fail_at(values, "'values' must be an array", "values = [100, 200]");
  }
  if (values.items.empty()) {
    detail::fail_at(values, "there are no values", "name some: values = [100, 200]");
  }
  for (const TomlNode& value : values.items) axis.values.push_back(one_line(value));
  if (const TomlNode* names = section.find("names")) {
    axis.names = detail::as_texts(*names);
    if (axis.names.size() != axis.values.size()) {
      detail::fail_at(
          *names,
          fmt::format("there are {} names for {} values", axis.names.size(), axis.values.size()),
          "give every value one name");
    }
  }
  return axis;
}

/// "interior=500"; values that are long by their number, since the settings are shown elsewhere.
std::string value_name(const StudyAxis& axis, std::size_t i, bool short_key) {
  constexpr std::size_t longest = 40;
  std::string_view key = axis.key, value = axis.values[i];
  if (short_key) key = key.substr(key.rfind('.') + 1);
  if (value.size() > longest) return fmt::format("{} {}", key, i + 1);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  return fmt::format("{}={}", key, value);
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

bool is_study_file(const fs::path& file) {
  const TomlNode root = study_root(file);
  return root.find("problem") != nullptr || root.find("vary") != nullptr ||
         root.find("variant") != nullptr;
}

StudyFile read_study_file(const fs::path& file) {
  const TomlNode node = study_root(file);
  const TomlSection root(node, "",
                         {"title", "notes", "problem", "seeds", "max_seconds", "threads_per_run",
                          "set", "vary", "variant"});
  StudyFile study;
  root.read("title", study.title);
  root.read("notes", study.notes);
  study.problem = detail::as_text(root.need("problem", "problem = \"../problems/burgers.toml\""));
  const fs::path problem = study.problem;
  if (problem.is_relative() && (problem.has_parent_path() || problem.extension() == ".toml")) {
    study.problem = (file.parent_path() / problem).lexically_normal().string();
  }
  root.count("seeds", study.seeds, 1, StudyFile::max_seeds);
  root.read("max_seconds", study.max_seconds);
  if (!(study.max_seconds >= 0)) {
    detail::fail_at(*root.find("max_seconds"), "'max_seconds' must not be negative",
                    "0 is no limit");
  }
  root.count("threads_per_run", study.threads_per_run, 1, Threads::max_size);
  if (const TomlNode* set = root.find("set")) study.set = study_settings(*set);
  for (const TomlNode* n : detail::as_tables(root.find("vary"))) {
    study.axes.push_back(study_axis(*n));
  }
  std::set<std::string> names;
  for (const TomlNode* n : detail::as_tables(root.find("variant"))) {
    const TomlSection section(*n, "[[variant]]", {"name", "set"});
    const TomlNode& name = section.need("name", "name = \"causal\"");
    study.variants.push_back({detail::as_text(name)});
    if (name.text.empty()) detail::fail_at(name, "the name is empty", "name = \"causal\"");
    if (!names.insert(name.text).second) {
      detail::fail_at(name, fmt::format("there is another variant '{}'", name.text),
                      "give it another name");
    }
    if (const TomlNode* set = section.find("set")) {
      study.variants.back().settings = study_settings(*set);
    }
  }
  return study;
}

StudyAxis parse_study_axis(std::string_view text, const std::string& place) {
  constexpr const char* example = "write it like --vary method.points.sampler=uniform,sobol";
  const auto equal = text.find('=');
  if (equal == std::string_view::npos) throw Error("there is no '='", place, example);
  StudyAxis axis{std::string(text.substr(0, equal)), {""}, {}, place};
  char quote = 0;
  int depth = 0;
  for (const char c : text.substr(equal + 1)) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{' || c == '(') {
      ++depth;
    } else if (c == ']' || c == '}' || c == ')') {
      --depth;
    } else if (c == ',' && depth == 0) {
      axis.values.emplace_back();
      continue;
    }
    axis.values.back() += c;
  }
  if (quote != 0 || depth != 0) {
    throw Error("a bracket or a quote is not closed", place, example);
  }
  for (const std::string& value : axis.values) {
    if (value.find_first_not_of(" \t") == std::string::npos) {
      throw Error(axis.values.size() == 1 ? "there are no values" : "a value is empty", place,
                  example);
    }
  }
  if (axis.key.find_first_not_of(" \t") == std::string::npos) {
    throw Error("the key is missing", place, example);
  }
  return axis;
}

std::vector<StudyVariant> study_variants(const StudyFile& study) {
  std::vector<StudyVariant> all = study.variants;
  if (all.empty()) all.emplace_back();
  std::set<std::string_view> short_keys, keys;
  bool unique = true;  // the last parts of the keys tell them apart
  for (const StudyAxis& axis : study.axes) {
    unique = short_keys.insert(last_part(axis.key)).second && unique;
    if (!keys.insert(axis.key).second) {
      throw Error(fmt::format("'{}' is varied twice", axis.key), axis.place,
                  "give all its values at once");
    }
  }
  for (const StudyAxis& axis : study.axes) {
    if (all.size() * axis.values.size() > StudyFile::max_variants) {
      throw Error(fmt::format("there are more than {} combinations", StudyFile::max_variants),
                  axis.place, "vary fewer keys at once");
    }
    std::vector<StudyVariant> next;
    for (const StudyVariant& variant : all) {
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const std::string name = axis.names.empty() ? value_name(axis, i, unique) : axis.names[i];
        next.push_back(variant);
        // One value for all tells nothing apart.
        const bool one = axis.values.size() == 1 && axis.names.empty();
        if (!one) next.back().name = variant.name.empty() ? name : variant.name + ", " + name;
        next.back().settings.push_back(
            {fmt::format("{}={}", axis.key, axis.values[i]), axis.place});
      }
    }
    all = std::move(next);
  }
  if (all.size() == 1 && all[0].name.empty()) all[0].name = "as it is";
  std::set<std::string> names;
  for (const StudyVariant& variant : all) {
    if (names.insert(variant.name).second) continue;
    throw Error(fmt::format("there are two variants '{}'", variant.name),
                study.axes.empty() ? "study" : study.axes.back().place,
                "give every value once, and other names");
  }
  return all;
}

Error in_study(const Error& error, const std::vector<StudySetting>& settings) {
  constexpr std::size_t shown = 100;  // characters of an override in the messages about it
  const auto match = std::find_if(settings.begin(), settings.end(), [&](const StudySetting& s) {
    const std::string_view text = s.text;
    return error.place() ==
           fmt::format("--set {}{}", text.substr(0, shown), text.size() > shown ? "..." : "");
  });
  return match == settings.end() || match->place.empty() ? error : error.at(match->place);
}

}  // namespace cauchy
