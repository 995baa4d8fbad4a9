// Rules of a training that a problem cannot have, or that contradict each other: refused before the
// run, by `check` as by `solve`.
#include "support/typo_battery.hpp"

namespace cauchy::testing_cli::test_typos_training {
namespace {

struct Settings {
  std::string file;
  std::vector<std::string> set;
  std::string says;
};

void expect_settings_refused(const std::vector<Settings>& all) {
  const TypoFolder folder;
  for (const Settings& s : all) {
    for (const char* command : {"check", "solve"}) {
      std::vector<std::string> words = {command, s.file};
      for (const std::string& setting : s.set) words.insert(words.end(), {"--set", setting});
      std::string what = command;
      for (const std::string& setting : s.set) what += " " + setting;
      expect_refused(folder, words, s.says, what);
    }
  }
}

TEST(Typos, Rules) {
  const std::string two_stages =
      "method.stage=[{optimizer=\"adam\",steps=1},{optimizer=\"adam\",steps=1}]";
  expect_settings_refused({
      {"bar.toml", {"method.balancer.kind=gradnrm"}, "did you mean 'gradnorm'?"},
      {"bar.toml", {"method.curriculum.kind=window"}, "did you mean 'windows'?"},
      {"bar.toml", {"method.point_weights=[{kind=\"casual\"}]"}, "did you mean 'causal'?"},
      {"bar.toml",
       {"method.point_scheme.kind=rad"},
       "unknown point scheme 'rad'; point schemes are: redraw, importance, residual, retain"},
      {"bar.toml",
       {"method.point_weights=[{kind=\"rba\"}]"},
       "unknown point weight 'rba'; point weights are: none, distance"},
      {"bar.toml",
       {"condition[0].hard=true", "condition[1].hard=true", "method.balancer.kind=ntk"},
       "'ntk' weighs terms of the loss against each other, and there is only one"},
      {"plate.toml",
       {"method.point_weights=[{kind=\"causal\"}]"},
       "--set method.point_weights=[{kind=\"causal\"}]: causal weights need a time, and the "
       "problem has none; give the domain a time"},
      {"plate.toml", {"method.point_weights=[{kind=\"linear-time\"}]"}, "need a time"},
      {"plate.toml", {"method.curriculum.kind=growing-time", two_stages}, "needs time"},
      {"bar.toml", {"method.curriculum.kind=data", two_stages}, "need observations"},
      {"bar.toml", {"method.curriculum.kind=loss"}, "there is one stage"},
      {"bar.toml",
       {"method.point_scheme.kind=importance"},
       "draws batches of 256, and no term has more than 20 points to draw from"},
      {"bar.toml",
       {"method.point_scheme.kind=residual", "method.points.redraw=5"},
       "the scheme moves points every `period` steps, `redraw` of the points would too"},
  });
}

TEST(Typos, Windows) {
  const std::string windows = "method.curriculum.kind=windows";
  const auto key = [](const std::string& setting) { return "method.curriculum." + setting; };
  expect_settings_refused({
      {"bar.toml",
       {windows, key("count=5"), key("first=0.25")},
       "count = 5 asks for windows of the same length, first = 0.25 for one of its own; leave one"},
      {"bar.toml",
       {windows, key("first=1e-12")},
       "the first window, 1e-12 of the time, is shorter than the shortest, 0.001"},
      {"bar.toml",
       {windows, key("count=5"), key("budget=3")},
       "5 windows share 3 steps: each would be shorter than a step; make count smaller"},
      {"bar.toml",
       {"domain.time={t=[1e12, 1000000000001]}", "condition[0].where=t = 1e12", windows,
        key("count=1000")},
       "windows of 0.001 are lost in the rounding of t = 1e+12"},
  });
}

TEST(Typos, Recipes) {
  const TypoFolder folder;
  std::string text(bar);
  text.resize(text.find("[method]"));
  (void)folder.write("auto.toml", text + "[method]\nkind = \"auto\"\nseconds = 5\n");
  (void)folder.write("expert.toml", text + "[method]\nkind = \"expert\"\nsteps = 5\n");
  const std::string stages = "method.stage=[{optimizer=\"adam\",steps=1}]";
  expect_refused(folder, {"check", "auto.toml", "--set", stages},
                 "'seconds' is the time of the stages that are chosen, and 'stage' gives others; "
                 "leave one of them out",
                 "seconds and stages");
  expect_refused(folder, {"check", "expert.toml", "--set", stages},
                 "'steps' is the length of the stage that is chosen, and 'stage' gives others; "
                 "leave one of them out",
                 "steps and stages");
  expect_refused(folder, {"check", "expert.toml", "--set", "method.seconds=5"},
                 "'seconds' has no meaning for method 'expert'", "a key of another recipe");
  // --optimizer replaces both.
  for (const char* file : {"auto.toml", "expert.toml"}) {
    const Result r = run({"check", file, "--optimizer", "adam 1"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find("adam 1, f64"), std::string::npos) << r.out;
  }
}

}  // namespace
}  // namespace cauchy::testing_cli::test_typos_training
