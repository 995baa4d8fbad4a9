#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_library {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using nlohmann::json;

/// CAUCHY_PROBLEMS for one test.
class LibraryFolder final {
 public:
  explicit LibraryFolder(const std::string& folder) {
    ::setenv("CAUCHY_PROBLEMS", folder.c_str(), 1);
  }
  ~LibraryFolder() { ::unsetenv("CAUCHY_PROBLEMS"); }
  LibraryFolder(const LibraryFolder&) = delete;
  LibraryFolder& operator=(const LibraryFolder&) = delete;
};

/// Another working folder for one test.
class WorkingFolder final {
 public:
  explicit WorkingFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  fs::path before_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ProblemLibrary, IsListedByNameAndTitle) {
  const Folder folder;
  const WorkingFolder elsewhere(folder.path());
  const Result r = run({"list", "problems"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "\n  burgers ")) << r.out;
  EXPECT_FALSE(contains(r.out, "cannot be read")) << r.out;
  const json problems = json::parse(run({"list", "problems", "--json"}).out).at("problems");
  EXPECT_EQ(problems.size() + 1, lines_of(r.out));
  EXPECT_EQ(problems[0].at("name"), "advection");
  EXPECT_FALSE(problems[0].at("about").get<std::string>().empty());
}

TEST(ProblemLibrary, IsFoundByNameFromAnywhere) {
  const Folder folder;
  const WorkingFolder elsewhere(folder.path());
  for (const char* name : {"burgers", "lorenz"}) {  // the second one has a table beside it
    const Result r = run({"check", name});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(r.out.starts_with(name)) << r.out;
  }
  EXPECT_EQ(folder.n_entries(), 0u);
  const Result near = run({"check", "burgrs"});
  EXPECT_EQ(near.code, 2);
  EXPECT_EQ(near.err,
            "cauchy: burgrs: there is neither a file nor a problem of the library; did you mean "
            "'burgers'?\n");
  const Result far = run({"solve", "zzz"});
  EXPECT_EQ(far.code, 2);
  EXPECT_TRUE(contains(far.err, "see `cauchy list problems`")) << far.err;
  EXPECT_EQ(run({"check", "./burgers"}).code, 2);
  EXPECT_EQ(run({"check", "burgers.toml"}).code, 2);
}

TEST(ProblemLibrary, FilesOfTheWorkingFolderWin) {
  const Folder folder;
  folder.write("burgers", decay);
  folder.write("wave.toml", decay);
  const WorkingFolder here(folder.path());
  for (const char* name : {"burgers", "wave", "wave.toml"}) {
    EXPECT_TRUE(run({"check", name}).out.starts_with("decay: Exponential decay\n")) << name;
  }
}

TEST(ProblemLibrary, TakesAFolderOfOnesOwn) {
  const Folder folder;
  folder.write("mine.toml", decay);
  folder.write("burgers.toml", decay);
  const LibraryFolder own(folder.file(""));
  EXPECT_EQ(run({"check", "mine"}).code, 0);
  EXPECT_TRUE(contains(run({"check", "burgers"}).out, "Exponential decay"));
  EXPECT_EQ(run({"check", "advection"}).code, 0);
  const Result r = run({"list", "problems"});
  EXPECT_TRUE(contains(r.out, "\n  mine ")) << r.out;
  EXPECT_TRUE(contains(r.out, "\n  advection ")) << r.out;
}

TEST(ProblemLibrary, NamesAreSolvedAndCompared) {
  const Folder folder, place;
  folder.write("mine.toml", decay);
  const LibraryFolder own(folder.file(""));
  const WorkingFolder here(place.path());
  EXPECT_EQ(run({"solve", "mine", "--quiet"}).code, 0);
  EXPECT_TRUE(fs::exists(place / "runs/decay/result.json"));
  const Result r = run({"compare", "mine", "--quiet"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "\nmine  decay ")) << r.out;
}

/// Two fields, each with its own decay, and what they are compared with.
std::string two_fields(const std::string& reference) {
  return R"toml(
name = "two"
fields = ["u", "v"]
tolerance = 0.0625

[domain]
time = { t = [0, 1] }

[[equation]]
form = "u_t = -u"
[[equation]]
form = "v_t = -2*v"

[[condition]]
where = "t = 0"
form = "u = 1"
[[condition]]
where = "t = 0"
form = "v = 10"

[reference]
)toml" + reference +
         R"toml(
[method.network]
width = 8
depth = 2
[method.points]
interior = 30
[[method.stage]]
optimizer = "lbfgs"
steps = 80
)toml";
}

TEST(Errors, OfAllFieldsTogetherAreShown) {
  const Folder folder;
  const std::string file =
      folder.write("two.toml", two_fields("u = \"exp(-t)\"\nv = \"10*exp(-2*t)\"\n"));
  const Result r = run({"solve", file, "--out", folder.file("run"), "--quiet"});
  EXPECT_LE(r.code, 1) << r.err;
  EXPECT_TRUE(contains(r.out, "\n  all    ")) << r.out;
  const json error = json::parse(std::ifstream(folder / "run/result.json")).at("error");
  const double joint = error.at("joint_relative_l2"), largest = error.at("relative_l2");
  EXPECT_GT(joint, 0);
  EXPECT_LT(joint, largest);
  const Result compared = run({"compare", folder.file("run")});
  EXPECT_TRUE(contains(compared.out, "joint error")) << compared.out;
  const json runs = json::parse(run({"compare", folder.file("run"), "--json"}).out).at("runs");
  EXPECT_EQ(runs[0].at("joint_relative_l2"), joint);
  std::ostringstream report;
  report << std::ifstream(folder / "run/report.html").rdbuf();
  EXPECT_TRUE(contains(report.str(), "<td>all</td>"));
  EXPECT_TRUE(contains(report.str(), "<dd>0.0625</dd>"));
}

TEST(Errors, AreMeasuredAtScatteredPoints) {
  const Folder folder;
  // Two values at one time: no grid.
  folder.write("measured.csv", "t,u\n0,1\n0.5,0.6\n0.5,0.61\n1,0.36\n");
  const std::string file = folder.write("two.toml", two_fields("file = \"measured.csv\"\n"));
  EXPECT_TRUE(
      contains(run({"check", file}).out, "reference    table measured.csv, 4 scattered points\n"));
  const Result r =
      run({"solve", file, "--out", folder.file("run"), "--quiet", "--target-error", "0.05"});
  EXPECT_TRUE(contains(r.out, "against table measured.csv, 4 scattered points")) << r.out << r.err;
  const json result = json::parse(std::ifstream(folder / "run/result.json"));
  EXPECT_EQ(result.at("error").at("points"), 4);
  EXPECT_EQ(result.at("error").at("fields").size(), 1u);
  EXPECT_LT(result.at("steps"), 80);  // the target has stopped it
  EXPECT_TRUE(fs::exists(folder / "run/report.html"));
  // The run folder reads like the file.
  EXPECT_TRUE(contains(run({"check", folder.file("run")}).out, "4 scattered points\n"));
}

}  // namespace
}  // namespace cauchy::test_cli_library
