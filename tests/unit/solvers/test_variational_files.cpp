// Variational networks as problem files and the command line name them.
#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/method.hpp>
#include <cmath>

#include "support/message_of.hpp"
#include "support/problem_file_same.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_variational_files {
namespace {

using Settings = std::vector<std::string>;

const std::string line_text = R"toml(
name = "line"
fields = ["u"]
tolerance = 1e-3
[domain]
space = { x = [0, 1] }
[[equation]]
form = "-u_xx = pi^2*sin(pi*x)"
[[condition]]
where = "boundary"
form = "u = 0"
[reference]
u = "sin(pi*x)"
)toml";

ProblemFile line_file(const Settings& settings) {
  return parse_problem_file(line_text, "line.toml", ".", settings);
}

/// The text of the file with another equation.
std::string with_equation(const std::string& form) {
  std::string text = line_text;
  const std::string old = "-u_xx = pi^2*sin(pi*x)";
  return text.replace(text.find(old), old.size(), form);
}

TEST(VariationalFiles, EveryKeyIsReadAndWritten) {
  const std::vector<Settings> keys = {
      {"method.kind=ritz", "method.essential=nitsche", "method.penalty=20",
       "method.quadrature=random", "method.network={kind='residual_mlp', blocks=3, width=12}",
       "method.points={interior=50, boundary=4, redraw=3}", "method.seed=4",
       "method.stage=[{optimizer='lbfgs', steps=20}]"},
      {"method.kind=vpinn", "method.family=sine", "method.family=jacobi", "method.family=bspline",
       "method.family=hat", "method.tests=9", "method.vanish=false", "method.parts=2",
       "method.norm=l2", "method.quadrature=30", "method.alpha=0.5", "method.beta=2",
       "method.points.boundary=4", "method.network={kind='dgm', layers=2, first_state=false}",
       "method.last_layer=least_squares"},
      {"method.kind=hp-vpinn", "method.family=sine", "method.elements=[8]", "method.tests=3",
       "method.vertices=false", "method.degree=2", "method.parts=0", "method.norm=none",
       "method.quadrature=7", "method.condition_weight=5"}};
  for (const Settings& all : keys) {
    Settings settings;
    std::string last;
    for (const std::string& key : all) {
      settings.push_back(key);
      const ProblemFile file = line_file(settings);
      EXPECT_NE(to_toml(file), last) << key;
      last = to_toml(file);
      test::expect_round_trip(file, ".");
      EXPECT_EQ(message_of([&] { (void)prepare(file); }), "no error") << key;
    }
  }
  EXPECT_EQ(name_of(line_file({"method.kind=hp-vpinn"}).method), "hp_vpinn");
  EXPECT_EQ(name_of(line_file({"method.kind=auto_classical"}).method), "auto-classical");
}

TEST(VariationalFiles, AnswersAreSavedLoadedAndResumed) {
  const Settings common = {"method.network={width=6, depth=1}",
                           "method.stage=[{optimizer='adam', steps=20, learning_rate=1e-2}, "
                           "{optimizer='lbfgs', steps=20}]"};
  for (const std::string kind : {"ritz", "vpinn", "hp_vpinn"}) {
    Settings settings = {"method.kind=" + kind};
    settings.insert(settings.end(), common.begin(), common.end());
    if (kind == "ritz") settings.push_back("method.quadrature=random");
    const ProblemFile file = line_file(settings);
    const Solution whole = solve(file.problem, file.method);
    const TemporaryFolder folder;
    const auto checkpoint = folder.path() / "checkpoint.bin",
               saved = folder.path() / "solution.bin";
    StopAfter progress(13);
    const Solution part =
        solve(file.problem, file.method, {.progress = &progress, .checkpoint = checkpoint});
    EXPECT_TRUE(part.interrupted) << kind;
    const Solution rest = solve(file.problem, file.method, {.checkpoint = checkpoint});
    EXPECT_EQ(rest.training->parameters, whole.training->parameters) << kind;
    save_solution(saved, whole);
    const Solution again = load_solution(saved, file.problem, file.method);
    EXPECT_EQ(again("u", {0.3}), whole("u", {0.3})) << kind;
    // The network of one method is a start of another.
    const ProblemFile next =
        line_file({"method.kind=vpinn", common[0], "method.start=" + saved.string()});
    EXPECT_EQ(message_of([&] { (void)prepare(next); }), "no error") << kind;
    // Another method makes other fields.
    EXPECT_NE(message_of([&] { (void)load_solution(saved, file.problem, Fem{}); }), "no error");
  }
}

TEST(VariationalFiles, GatedAndResidualNetworksServeEveryMethod) {
  for (const std::string kind : {"pinn", "ritz", "vpinn"}) {
    for (const std::string network :
         {"kind='dgm', width=6, layers=1", "kind='residual_mlp', blocks=1, width=8"}) {
      const ProblemFile file = line_file({"method.kind=" + kind, "method.network={" + network + "}",
                                          "method.points.boundary=2",
                                          "method.stage=[{optimizer='ssbroyden', steps=150}]"});
      const Solution s = solve(file.problem, file.method);
      EXPECT_LT(s.error.relative_l2(), 1e-2) << kind << ", " << network;
    }
  }
}

TEST(VariationalFiles, SayWhatTheyCannotDo) {
  const auto message = [](const std::string& text, const Settings& settings) {
    return message_of([&] { (void)prepare(parse_problem_file(text, "line.toml", ".", settings)); });
  };
  struct Case {
    std::string form;
    Settings settings;
    std::string part;  ///< of the message
  };
  const std::string poisson = "-u_xx = 1";
  const std::vector<Case> cases = {
      {"-u_xx + u_x = 1", {"method.kind=ritz"}, "is not symmetric"},
      {"-u_xx + u_x = 1", {"method.kind=ritz"}, "use vpinn or pinn"},
      {"u_xx - 2*u_xx = 1", {"method.kind=ritz"}, "no error"},
      {"u_xxx = 1", {"method.kind=vpinn"}, "fdm or pinn"},
      {"u_xxx = 1", {"method.kind=vpinn", "method.parts=0"}, "no error"},
      {"abs(u_xx) = 1", {"method.kind=ritz"}, "kansa or pinn"},
      {poisson, {"method.kind=vpinn", "method.parts=3"}, "'parts' must be at most 2, got 3"},
      {poisson,
       {"method.kind=vpinn", "method.family=sinus"},
       "unknown family of test functions 'sinus'; did you mean 'sine'?"},
      {poisson, {"method.kind=ritz", "method.essential=soft"}, "unknown essential 'soft'"},
      {poisson, {"method.kind=ritz", "method.penalty=0"}, "'penalty' must be positive, got 0"},
      {poisson,
       {"method.kind=ritz", "method.sobolev=1"},
       "'sobolev' has no meaning for method 'ritz'"},
      {poisson, {"method.kind=vpinn", "method.points.interior=10"}, "unknown key 'interior'"},
      {poisson, {"method.kind=hp_vpinn", "method.elements=[1.5]"}, "whole numbers"},
      {poisson, {"method.kind=vpinn", "method.family=jacobi", "method.alpha=-1"}, "above -1"},
      {poisson, {"method.kind=ritz", "method.optimizer=lbfgs"}, "unknown key 'optimizer'"},
      {poisson, {"method.kind=ritz", "method.balancer.kind=gradnorm"}, "ritz takes no balancer"},
  };
  for (const Case& c : cases) {
    const std::string said = message(with_equation(c.form), c.settings);
    EXPECT_NE(said.find(c.part), std::string::npos) << c.settings.back() << ": " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace cauchy::test_variational_files
