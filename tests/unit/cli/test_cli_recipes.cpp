// Recipes on the command line: what they stand for, what they say, and the explicit settings.
#include <nlohmann/json.hpp>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/files/run_folder.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_recipes {
namespace {

using namespace testing_cli;
using nlohmann::json;
namespace fs = std::filesystem;

/// A loaded rod, without settings and without time.
std::string bare() {
  return R"toml(
name = "rod"
fields = ["u"]

[domain]
space = { x = [0, 1] }

[[equation]]
form = "u_xx = -1"

[[condition]]
where = "boundary"
form = "u = 0"

[reference]
u = "x*(1 - x)/2"

)toml";
}
const std::string short_run =
    "[[method.stage]]\noptimizer = \"adam\"\nsteps = 4\n"
    "[[method.stage]]\noptimizer = \"lbfgs\"\nsteps = 3\n";

std::vector<double> parameters_of(const std::string& file, const std::string& out) {
  const Result r = run({"solve", file, "--out", out, "--threads", "1", "--quiet"});
  EXPECT_NE(r.code, 2) << r.err;
  return load_run(out, 1).solution.training->parameters;
}

TEST(CheckCommand, ExplainsARecipeAsAMethodThatGivesTheSameBits) {
  for (const std::string& method :
       {"[method]\nkind = \"auto\"\nseed = 5\n" + short_run,
        "[method]\nkind = \"expert\"\nwidth = 8\n" + short_run,
        "[method]\nkind = \"pinn\"\nnetwork = { width = 5 }\n" + short_run}) {
    const Folder folder;
    const std::string file = folder.write("recipe.toml", bare() + method);
    const Result r = run({"check", file, "--explain"});
    EXPECT_EQ(r.code, 0) << r.err;
    const bool recipe = method.find("pinn") == std::string::npos;
    EXPECT_EQ(r.out.starts_with("# what '"), recipe) << r.out;
    EXPECT_NE(r.out.find("[method]\nkind = \"pinn\"\n"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("[[method.stage]]\noptimizer = \"adam\"\nsteps = 4\n"), std::string::npos)
        << r.out;
    const std::string explicit_file = folder.write("explicit.toml", bare() + r.out);
    EXPECT_EQ(parameters_of(file, folder.file("a")), parameters_of(explicit_file, folder.file("b")))
        << method;
    // An explicit method is explained as itself.
    const std::string again = run({"check", explicit_file, "--explain"}).out;
    EXPECT_EQ(again, r.out.substr(r.out.find("[method]"))) << method;
  }
}

TEST(CheckCommand, ExplainsTheDefaultAndItsOptimizers) {
  const Folder folder;
  const std::string file = folder.write("bare.toml", bare());
  const json j = json::parse(run({"check", file, "--explain", "--json"}).out);
  EXPECT_EQ(j.at("recipe"), "auto");
  EXPECT_TRUE(j.at("choices").is_array());
  const std::string text = j.at("method").get<std::string>();
  EXPECT_NE(text.find("[[method.stage]]"), std::string::npos) << "the optimisers stand there too";
  const json explicit_one =
      json::parse(run({"check", folder.write("heat.toml", heat), "--explain", "--json"}).out);
  EXPECT_TRUE(explicit_one.at("recipe").is_null());
  EXPECT_EQ(explicit_one.at("choices"), json::array());
  const Result classical = run({"check", file, "--method", "fdm", "--explain"});
  EXPECT_TRUE(classical.out.starts_with("[method]\nkind = \"fdm\"\n")) << classical.out;
}

TEST(CheckCommand, ShowsARecipeWithItsEstimate) {
  const Folder folder;
  const std::string file = folder.write("bare.toml", bare());
  const Result r = run({"check", file, "--optimizer", "adam 7"});
  EXPECT_NE(r.out.find("method       auto: pinn, "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" parameters, adam 7, f64\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("estimate "), std::string::npos) << r.out;
  const json j = json::parse(run({"check", file, "--json"}).out);
  EXPECT_EQ(j.at("recipe"), "auto");
  EXPECT_TRUE(j.at("choices").is_array());
  EXPECT_GT(j.at("times").at("seconds").get<double>(), 0);
}

TEST(CheckCommand, TakesLeastSquaresWhenALinearNetworkIsSetInPlaceOfTheDefault) {
  const Folder folder;
  const std::string file = folder.write("bare.toml", bare());
  const auto method = [&](std::vector<std::string> settings) {
    std::vector<std::string> call{"check", file};
    for (const std::string& s : settings) call.insert(call.end(), {"--set", s});
    const Result r = run(call);
    const std::size_t at = r.out.find("method ");
    EXPECT_NE(at, std::string::npos) << r.out << r.err;
    return r.out.substr(at, r.out.find('\n', at) - at);
  };
  const std::string elm = "method.network.kind=elm";
  EXPECT_NE(method({elm}).find("401 parameters, gauss_newton 2,"), std::string::npos);
  EXPECT_NE(method({"method.network={kind = 'windows', windows = [3]}"})
                .find("3 windows of 40 random sin features, 123 parameters, gauss_newton 2,"),
            std::string::npos);
  EXPECT_NE(method({elm, "method.stages=[{optimizer = 'adam', steps = 3}]"}).find("adam 3,"),
            std::string::npos)
      << "stages that are given stay";
  EXPECT_NE(method({"method.network.kind=siren"}).find("adam "), std::string::npos);
}

TEST(SolveCommand, SaysWhatARecipeIsAboutToDoAndKeepsIt) {
  const Folder folder;
  const std::string file = folder.write("bare.toml", bare()), out = folder.file("run");
  const Result r = run({"solve", file, "--out", out, "--threads", "1", "--optimizer", "adam 5",
                        "--seed", "4", "--precision", "f32", "--max-seconds", "50"});
  EXPECT_TRUE(r.err.starts_with("auto: pinn, ")) << r.err;
  EXPECT_NE(r.err.find("adam 5, f32\n"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("budget: at most 50.0 s (--max-seconds), about "), std::string::npos)
      << r.err;
  const json result = json::parse(content(fs::path(out) / "result.json"));
  EXPECT_EQ(result.at("recipe"), "auto");
  EXPECT_EQ(result.at("seed"), 4);
  EXPECT_EQ(result.at("precision"), "f32");
  EXPECT_EQ(result.at("steps"), 5);
  EXPECT_TRUE(result.at("choices").is_array());
  EXPECT_TRUE(result.at("events").is_array());
  const std::string report = content(fs::path(out) / "report.html");
  EXPECT_NE(report.find("# which stands for"), std::string::npos);
  EXPECT_EQ(run({"predict", out, "--grid", "x=0.5"}).code, 0) << "its field is loaded again";
  const Result quiet =
      run({"solve", file, "--out", folder.file("quiet"), "--quiet", "--optimizer", "adam 1"});
  EXPECT_EQ(quiet.err, "");
}

TEST(CompareCommand, PutsConstantsAndIntervalsBesideEachOther) {
  const Folder folder;
  for (const char* name : {"a", "b"}) {
    ProblemFile file = parse_problem_file(bare(), "rod.toml");
    Solution s;
    s.problem = file.problem;
    s.training.emplace();
    s.unknowns["k"] = 1.5;
    if (std::string(name) == "b") s.intervals["k"] = {1.25, 1.75, 0.95, "by hand"};
    fs::create_directories(folder.path() / name);
    folder.write(std::string(name) + "/result.json", result_json(file, s, {}));
  }
  const Result r = run({"compare", folder.file("a"), folder.file("b")});
  EXPECT_NE(r.out.find("1.25 to 1.75 (95 %)"), std::string::npos) << r.out << r.err;
  const json j = json::parse(run({"compare", folder.file("a"), folder.file("b"), "--json"}).out);
  EXPECT_EQ(j.at("runs")[1].at("constants")[0].at("interval").at("lower"), 1.25);
  EXPECT_TRUE(j.at("runs")[0].at("constants")[0].at("interval").is_null());
}

TEST(ListCommand, KnowsRecipesRulesAndThePartsOfFiniteVolumes) {
  const auto lists = [](const std::string& topic, const std::string& name) {
    const json j = json::parse(run({"list", topic, "--json"}).out);
    for (const json& item : j.at(topic)) {
      if (item.at("name") == name) return !item.at("about").get<std::string>().empty();
    }
    return false;
  };
  EXPECT_TRUE(lists("methods", "auto"));
  EXPECT_TRUE(lists("methods", "expert"));
  EXPECT_TRUE(lists("balancers", "gradnorm"));
  EXPECT_TRUE(lists("point_weights", "causal"));
  EXPECT_TRUE(lists("point_schemes", "residual"));
  EXPECT_TRUE(lists("curricula", "windows"));
  EXPECT_TRUE(lists("fluxes", "hllc"));
  EXPECT_TRUE(lists("limiters", "minmod"));
}

}  // namespace
}  // namespace cauchy::test_cli_recipes
