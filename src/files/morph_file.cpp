#include <cauchy/files/morph_file.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/data/data_set.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/operators/learn.hpp>  // split_of

#include "files/file_rules.hpp"
#include "files/option_reader.hpp"
#include "files/problem_file_reader.hpp"  // placed
#include "files/toml_section.hpp"

namespace cauchy {
namespace {

using detail::fail_at;
using detail::TomlNode;
using detail::TomlSection;

MorphFile::Family read_family(const TomlNode& node) {
  const TomlSection s(node, "[[morph.family]]",
                      {"file", "vectors", "unseen", "grid", "samples", "validation", "test"});
  MorphFile::Family family;
  const TomlNode& name = s.need("file", "file = \"burgers.toml\", an operator problem with times");
  family.file = detail::as_text(name);
  s.read("unseen", family.unseen);
  // Sizes of the family in place of those of its file.
  std::vector<std::string> overrides;
  if (const TomlNode* n = s.find("grid")) {
    overrides.push_back(
        fmt::format("operator.grid = [{}]", fmt::join(detail::as_numbers(*n), ", ")));
  }
  for (const char* key : {"samples", "validation", "test"}) {
    if (const TomlNode* n = s.find(key)) {
      overrides.push_back(fmt::format("operator.{} = {}", key, detail::as_count(*n)));
    }
  }
  const std::filesystem::path path = detail::named_file(name, family.file);
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) {
    fail_at(name, fmt::format("file '{}' not found", family.file),
            fmt::format("it is looked for in {}", node.place.source->folder.string()));
  }
  family.problem = detail::reading(name, path, [&] { return read_operator_file(path, overrides); });
  if (family.problem.problem.test == 0) {
    fail_at(name, fmt::format("family '{}' has no trajectories for the test", family.file),
            "give test = 8 or more");
  }
  if (const TomlNode* vectors = s.find("vectors")) {
    detail::expect_table(*vectors, "vectors = { velocity = [\"u\", \"v\"] }");
    for (const TomlNode& v : vectors->items) {
      family.vectors.push_back({v.name, detail::as_texts(v)});
    }
  }
  return family;
}

std::string grid_text(const std::vector<int>& grid) {
  return fmt::format("{}", fmt::join(grid, ", "));
}

/// Frames of a family, without numbers: what its [operator] makes of one trajectory.
Uptf empty_trajectory(const MorphFile::Family& family) {
  const OperatorProblem& p = family.problem.problem;
  DataSet data;
  data.grid = grid_of(p);
  data.name = p.problem.name;
  for (const InputFunction& input : p.inputs) data.inputs.push_back(input.name);
  std::vector<std::string> fields = p.outputs.empty() ? p.problem.fields : p.outputs;
  if (p.source) {
    data.inputs = p.source->inputs();
    data.outputs = p.source->outputs();
  } else {
    for (const double t : p.times) {
      for (const std::string& f : fields) data.outputs.push_back(fmt::format("{}(t={})", f, t));
    }
    if (p.times.empty()) data.outputs = fields;
  }
  data.times = p.times;
  data.in.assign(data.in_size(), 0.0);
  data.out.assign(data.out_size(), 0.0);
  return uptf_of(p, data, family.vectors);
}

}  // namespace

namespace {

MorphFile morph_file_of(const TomlNode& tree, const std::filesystem::path& path);

}  // namespace

bool has_morph(const std::filesystem::path& file) { return detail::has_table(file, "morph"); }

MorphFile read_morph_file(const std::filesystem::path& path,
                          const std::vector<std::string>& overrides) {
  const std::string text = read_file(path, detail::max_toml_bytes);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const TomlNode tree = detail::load_toml(text, path.string(), folder, path, overrides);
  return detail::reading_tree(tree, [&] { return morph_file_of(tree, path); });
}

namespace {

MorphFile morph_file_of(const TomlNode& tree, const std::filesystem::path& path) {
  const TomlSection root(
      tree, "",
      {"include", "name", "title", "source", "notes", "tolerance", "morph", "train", "finetune"});
  MorphFile file;
  file.name = path.stem().string();
  root.read("name", file.name);
  root.read("title", file.title);
  root.read("source", file.source);
  root.read("notes", file.notes);
  root.read("tolerance", file.study.tolerance);
  const TomlNode& morph = root.need("morph", "[morph] with [[morph.family]]");
  detail::expect_table(morph);
  const TomlSection s(morph, "[morph]", {"history", "network", "family"});
  s.count("history", file.study.history, 1, 1000);
  if (const TomlNode* n = s.find("network")) {
    detail::read_options(*n, "[morph.network]", file.study.network);
  }
  if (const TomlNode* n = root.find("train")) detail::read_options(*n, "[train]", file.study.train);
  if (const TomlNode* n = root.find("finetune")) {
    detail::read_options(*n, "[finetune]", file.study.finetune);
  }
  for (const TomlNode* n : detail::as_tables(s.find("family"))) {
    file.families.push_back(read_family(*n));
    const MorphFile::Family& mine = file.families.back();
    const auto same = [&](const MorphFile::Family& f) {
      return f.problem.problem.problem.name == mine.problem.problem.problem.name;
    };
    if (std::count_if(file.families.begin(), file.families.end(), same) > 1) {
      fail_at(*n, fmt::format("there are two families '{}'", mine.problem.problem.problem.name));
    }
    detail::at_node(*n, [&] {
      check_fits(file.study.network, shape_of(mine, file.study.history));
      return 0;
    });
  }
  const bool any = std::any_of(file.families.begin(), file.families.end(),
                               [](const MorphFile::Family& f) { return !f.unseen; });
  if (!any) fail_at(morph, "there is no family for the pre-training", "add [[morph.family]]");
  for (const auto& [key, node] :
       {std::pair{"[morph]", root.find("morph")}, {"[morph.network]", s.find("network")}}) {
    if (node != nullptr) file.places[key] = node->place.str();
  }
  return file;
}

}  // namespace

Error in_file(const Error& error, const MorphFile& file) {
  return detail::placed(error, file.places);
}

std::string to_toml(const MorphFile& file) {
  std::string out;
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) out += fmt::format("{} = {}\n", key, toml_text(value));
  };
  text("name", file.name);
  text("title", file.title);
  text("source", file.source);
  text("notes", file.notes);
  out += fmt::format("tolerance = {}\n", toml_number(file.study.tolerance));
  out += fmt::format("\n[morph]\nhistory = {}\n\n[morph.network]\n{}", file.study.history,
                     option_text("morph.network", file.study.network));
  for (const MorphFile::Family& f : file.families) {
    const OperatorProblem& p = f.problem.problem;
    out += fmt::format("\n[[morph.family]]\nfile = {}\nunseen = {}\n", toml_text(f.file), f.unseen);
    if (!p.source) out += fmt::format("grid = [{}]\n", grid_text(p.grid));
    out +=
        fmt::format("samples = {}\nvalidation = {}\ntest = {}\n", p.samples, p.validation, p.test);
    std::vector<std::string> vectors;
    for (const UptfVector& v : f.vectors) {
      std::vector<std::string> names;
      for (const std::string& c : v.components) names.push_back(toml_text(c));
      vectors.push_back(fmt::format("{} = [{}]", v.field, fmt::join(names, ", ")));
    }
    if (!vectors.empty()) out += fmt::format("vectors = {{ {} }}\n", fmt::join(vectors, ", "));
  }
  out += "\n[train]\n" + option_text("train", file.study.train);
  return out + "\n[finetune]\n" + option_text("finetune", file.study.finetune);
}

MorphShape shape_of(const MorphFile::Family& family, int history) {
  const Uptf u = empty_trajectory(family);
  MorphShape shape;
  shape.moments = history;
  shape.fields = static_cast<int>(u.shape[2]);
  for (std::size_t a = 0; a < 3; ++a) shape.grid[a] = static_cast<int>(u.shape[4 + a]);
  shape.periodic = u.periodic;
  return shape;
}

MorphFamily family_of(const MorphFile::Family& family, const DataSet& data) {
  const OperatorProblem& p = family.problem.problem;
  const Uptf all = uptf_of(p, data, family.vectors);
  const DataSplit split = split_of(p, data);
  MorphFamily result{p.problem.name, all.part(0, split.train), {}, {}};
  if (split.validation > 0) result.validation = all.part(split.train, split.validation);
  result.test = all.part(split.train + split.validation, split.test);
  return result;
}

}  // namespace cauchy
