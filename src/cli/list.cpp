#include <algorithm>
#include <filesystem>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/engine/activation.hpp>
#include <cauchy/files/morph_file.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/region.hpp>
#include <cauchy/math/rbf.hpp>
#include <cauchy/problem/exact_solution.hpp>
#include <cauchy/sampling/random_field.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/solvers/time.hpp>

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/option_checks.hpp"
#include "cli/problem_library.hpp"
#include "cli/text_table.hpp"
#include "solvers/fvm/limiter.hpp"
#include "solvers/fvm/numerical_flux.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

struct ListOptions {
  std::string topic, folder;
  bool json = false;
};

/// A word, and a few about it.
using Item = std::vector<std::string>;

std::vector<fs::path> files_in(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw Error("there is no such folder", folder.string(), "name one with --folder");
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Names of the library, or files of a folder, with their titles.
std::vector<Item> problems_in(const std::string& folder, LibraryKind kind) {
  std::vector<Item> items;
  for (const fs::path& file : folder.empty() ? library_files(kind) : files_in(folder)) {
    const std::string name = folder.empty() ? file.stem().string() : file.string();
    try {
      items.push_back({name, kind == LibraryKind::problems ? read_problem_file(file).problem.title
                             : has_morph(file)             ? read_morph_file(file).title
                                               : read_operator_file(file).problem.problem.title});
    } catch (const Error& e) {
      items.push_back({name, fmt::format("cannot be read: {}", e.what())});
    }
  }
  return items;
}

/// The entries of a table of plug-ins.
template <class Entry>
std::vector<Item> items_of_table(const std::vector<Entry>& entries) {
  std::vector<Item> items;
  for (const Entry& e : entries) items.push_back({std::string(e.name), std::string(e.description)});
  return items;
}

std::vector<Item> items_of(const std::string& topic, const ListOptions& o) {
  std::vector<Item> items;
  if (topic == "regions") {
    for (const std::string& line : primitive_signatures()) items.push_back({line});
  } else if (topic == "samplers") {
    for (const std::string& name : sampler_names()) items.push_back({name});
  } else if (topic == "random_fields") {
    items = items_of_table(all_random_fields());
  } else if (topic == "activations") {
    for (const Activation a : all_activations()) items.push_back({std::string(to_string(a))});
  } else if (topic == "methods") {
    items = items_of_table(all_methods());
  } else if (topic == "networks") {
    items = items_of_table(all_networks());
  } else if (topic == "field_networks") {
    items = items_of_table(all_field_networks());
  } else if (topic == "initializations") {
    for (const Initialization i : all_initializations())
      items.push_back({std::string(to_string(i))});
  } else if (topic == "optimizers") {
    items = items_of_table(all_optimizers());
  } else if (topic == "balancers") {
    items = items_of_table(all_balancers());
  } else if (topic == "point_weights") {
    items = items_of_table(all_point_weights());
  } else if (topic == "point_schemes") {
    items = items_of_table(all_point_schemes());
  } else if (topic == "curricula") {
    items = items_of_table(all_curricula());
  } else if (topic == "time_schemes") {
    items = items_of_table(all_time_schemes());
  } else if (topic == "fluxes") {
    for (const auto* flux : detail::all_numerical_fluxes()) {
      items.push_back({std::string(flux->name), std::string(flux->description)});
    }
  } else if (topic == "limiters") {
    items = items_of_table(detail::all_limiters());
  } else if (topic == "kernels") {
    for (const RbfKernelEntry& e : all_rbf_kernels()) {
      items.push_back({std::string(e.name), std::string(e.formula)});
    }
  } else if (topic == "exact") {
    for (const ExactSolution& s : exact_solutions()) items.push_back({s.name, s.description});
  } else if (topic == "operators") {
    items = problems_in("", LibraryKind::operators);
  } else {
    items = problems_in(o.folder, LibraryKind::problems);
  }
  return items;
}

const std::vector<std::string>& topics() {
  static const std::vector<std::string> all{
      "regions",        "samplers",      "random_fields",   "methods",      "networks",
      "field_networks", "activations",   "initializations", "optimizers",   "balancers",
      "point_weights",  "point_schemes", "curricula",       "time_schemes", "fluxes",
      "limiters",       "kernels",       "exact",           "problems",     "operators"};
  return all;
}

void run_list(const ListOptions& o, Console& console) {
  Json json = Json::object();
  for (const std::string& topic : topics()) {
    if (!o.topic.empty() && o.topic != topic) continue;
    const std::vector<Item> items = items_of(topic, o);
    if (o.json) {
      Json list = Json::array();
      for (const Item& item : items) {
        Json entry = {{"name", item[0]}};
        if (item.size() > 1) entry["about"] = item[1];
        list.push_back(entry);
      }
      json[topic] = list;
      continue;
    }
    fmt::print(console.out, "{}\n", topic);
    print_table(console.out, items, 2);
  }
  if (o.json) print_json(console.out, json);
}

}  // namespace

void add_list(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "list", "Print what there is: regions, samplers, activations, exact solutions, ...");
  auto o = std::make_shared<ListOptions>();
  one_of(command->add_option("topic", o->topic,
                             fmt::format("{}; all without it", fmt::join(topics(), ", "))),
         topics());
  not_empty(command->add_option("--folder", o->folder,
                                "list the problem files of this folder; without it those of the "
                                "library"),
            "problems");
  command->add_flag("--json", o->json, "print one JSON object, for machines");
  command->callback([o, &console] { run_list(*o, console); });
}

}  // namespace cauchy::cli
