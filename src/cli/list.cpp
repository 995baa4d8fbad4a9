#include <fmt/ostream.h>

#include <cauchy/geometry/region.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "cli/command.hpp"

namespace cauchy::cli {

void add_list(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand("list", "Print what there is: regions, samplers");
  auto topic = std::make_shared<std::string>();
  command->add_option("topic", *topic, "regions or samplers; both without it")
      ->check(CLI::IsMember({"regions", "samplers"}));
  command->callback([&console, topic] {
    if (topic->empty() || *topic == "regions") {
      fmt::print(console.out, "regions\n");
      for (const std::string& line : primitive_signatures()) {
        fmt::print(console.out, "  {}\n", line);
      }
    }
    if (topic->empty() || *topic == "samplers") {
      fmt::print(console.out, "samplers\n");
      for (const std::string& name : sampler_names()) fmt::print(console.out, "  {}\n", name);
    }
  });
}

}  // namespace cauchy::cli
