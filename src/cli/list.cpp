#include <fmt/ostream.h>

#include <cauchy/geometry/region.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "cli/command.hpp"

namespace cauchy::cli {

void add_list(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("list", "Print what there is: regions, samplers");
  auto topic = std::make_shared<std::string>();
  command->add_option("topic", *topic, "regions or samplers; both without it")
      ->check(CLI::IsMember({"regions", "samplers"}));
  command->callback([&session, topic] {
    if (topic->empty() || *topic == "regions") {
      fmt::print(session.out, "regions\n");
      for (const std::string& line : primitive_signatures()) {
        fmt::print(session.out, "  {}\n", line);
      }
    }
    if (topic->empty() || *topic == "samplers") {
      fmt::print(session.out, "samplers\n");
      for (const std::string& name : sampler_names()) fmt::print(session.out, "  {}\n", name);
    }
  });
}

}  // namespace cauchy::cli
