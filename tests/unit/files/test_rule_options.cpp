// Rules of a training in problem files.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>

#include "support/problem_file_same.hpp"

namespace cauchy::test_rule_options {
namespace {

TEST(RuleOptions, EveryBalancerIsReadWithItsKeysAndWrittenAgain) {
  const std::string text = R"(fields = ["u"]
domain = { time = { t = [0, 1] } }
equation = [{ form = "u_t = -u" }]
condition = [{ where = "t = 0", form = "u = 1" }]
[method]
kind = "pinn"
)";
  const std::map<std::string, std::vector<std::string>> keys = {
      {"fixed", {}},
      {"gradnorm", {"alpha=1", "learning_rate=0.2", "period=7"}},
      {"uncertainty", {"form=sigma", "learning_rate=0.2", "period=7"}},
      {"annealing", {"ratio=mean_over_mean", "new_share=0.5", "period=7"}},
      {"softadapt", {"rate=difference", "beta=3", "period=7"}},
      {"relobralo", {"old_share=0.5", "keep=0.8", "temperature=2", "period=7"}},
      {"config", {}},
      {"m-config", {"beta1=0.8"}},
      {"ntk", {"old_share=0", "period=7"}},
      {"gradient-norms", {"old_share=0", "period=7"}}};
  const auto read = [&](const std::vector<std::string>& settings) {
    return parse_problem_file(text, "p", ".", settings);
  };
  for (const BalancerEntry& entry : all_balancers()) {
    const std::string name(entry.name);
    ASSERT_TRUE(keys.contains(name)) << name;
    std::vector<std::string> settings = {"method.balancer.kind=" + name};
    std::string last = to_toml(read(settings));
    for (const std::string& key : keys.at(name)) {
      settings.push_back("method.balancer." + key);
      const ProblemFile file = read(settings);
      EXPECT_NE(to_toml(file), last) << key;
      last = to_toml(file);
      test::expect_round_trip(file, ".");
    }
    EXPECT_EQ(std::get<Pinn>(read(settings).method).rules.balancer.index(), entry.options.index());
  }
}

}  // namespace
}  // namespace cauchy::test_rule_options
