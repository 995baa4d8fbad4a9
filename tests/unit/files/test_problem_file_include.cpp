#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/files.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_problem_file_include {
namespace {

constexpr const char* base = R"toml(fields = ["u"]
[domain]
time = { t = [0, "T"] }
space = { x = [0, 1] }
[parameters]
T = 1
k = 0.1
[[equation]]
form = "u_t = k*u_xx"
[[condition]]
where = "t = 0"
form = "u = sin(pi*x)"
[[condition]]
where = "boundary"
form = "u = 0"
[method.network]
width = 11
depth = 2
)toml";

std::string error_with(const std::vector<std::string>& overrides) {
  return error_of([&] { (void)parse_problem_file(base, "p", ".", overrides); });
}
ProblemFile read_with(const std::vector<std::string>& overrides) {
  return parse_problem_file(base, "p", ".", overrides);
}

}  // namespace

TEST(ProblemFileOverrides, AreTheLastWord) {
  const ProblemFile file =
      read_with({"method.network.width=64", "parameters.k=0.02", "condition[1].weight = 10",
                 "method.network.width=65", "method.points.sampler=halton", "title=a word or two",
                 "fields=[\"u\"]", "parameters.T=2*pi", "method.network.slope=layer"});
  EXPECT_EQ(std::get<Mlp>(std::get<Pinn>(file.method).network).width, 65);
  EXPECT_EQ(std::get<Mlp>(std::get<Pinn>(file.method).network).depth, 2);
  EXPECT_EQ(std::get<Mlp>(std::get<Pinn>(file.method).network).slope, Slope::layer);
  EXPECT_EQ(std::get<Pinn>(file.method).points.sampler.kind, SamplerKind::halton);
  EXPECT_EQ(file.problem.values().at("k"), 0.02);
  EXPECT_TRUE(file.problem.condition[0].weight.is_constant(1));
  EXPECT_TRUE(file.problem.condition[1].weight.is_constant(10));
  EXPECT_EQ(file.problem.title, "a word or two");
  EXPECT_EQ(file.problem.domain->time()->upper, 2 * pi);
}

TEST(ProblemFileOverrides, ChangeWhatTheDefaultChooses) {
  const std::string text = std::string(base).substr(0, std::string(base).find("[method"));
  const auto method_with = [&](const std::vector<std::string>& overrides) {
    return parse_problem_file(text, "p", ".", overrides).method;
  };
  EXPECT_EQ(std::get<Auto>(method_with({"method.seconds=7", "method.seed=3"})).seconds, 7);
  const Pinn chosen = expand(Auto{}, parse_problem_file(text, "p", ".").problem).pinn;
  const Pinn wide = std::get<Pinn>(method_with({"method.network.width=64"}));
  EXPECT_EQ(std::get<Mlp>(wide.network).width, 64);
  EXPECT_EQ(std::get<Mlp>(wide.network).depth, std::get<Mlp>(chosen.network).depth);
  EXPECT_EQ(wide.points.interior, chosen.points.interior);
  EXPECT_EQ(wide.stages.size(), chosen.stages.size());
  EXPECT_EQ(wide.rules.curriculum.index(), chosen.rules.curriculum.index());
  EXPECT_NE(wide.rules.curriculum.index(), Pinn{}.rules.curriculum.index());
  // A kind starts from its own defaults.
  const Pinn plain = std::get<Pinn>(method_with({"method.kind=pinn", "method.network.width=64"}));
  EXPECT_EQ(plain.points.interior, Pinn{}.points.interior);
  EXPECT_EQ(error_of([&] { (void)method_with({"method.network.widht=3"}); }).find("unknown key"),
            error_with({"method.network.widht=3"}).find("unknown key"));
}

TEST(ProblemFileOverrides, ANameCanBecomeARangeOrAnUnknown) {
  const ProblemFile range = read_with({"domain.ranges.k=[0.1, 0.2]"});
  EXPECT_EQ(range.problem.coordinates(), (std::vector<std::string>{"t", "x", "k"}));
  EXPECT_EQ(range.problem.parameters.size(), 1u);
  const ProblemFile unknown = read_with({"unknown.k=0.3"});
  ASSERT_EQ(unknown.problem.unknowns.size(), 1u);
  EXPECT_EQ(unknown.problem.unknowns[0].initial, 0.3);
  // And back again.
  EXPECT_EQ(read_with({"unknown.k=0.3", "parameters.k=0.4"}).problem.values().at("k"), 0.4);
  EXPECT_TRUE(
      read_with({"domain.ranges.k=[1, 2]", "parameters.k=4"}).problem.domain->ranges().empty());
  const ProblemFile region = read_with({"domain.region=interval(0, 2)"});
  EXPECT_EQ(region.problem.domain->shape()->measure(), 2);
}

TEST(ProblemFileOverrides, MistakesNameTheOverride) {
  EXPECT_EQ(error_with({"method.network.widht=3"}),
            "--set method.network.widht=3: unknown key 'widht' in [method.network]; did you mean "
            "'width'?");
  EXPECT_EQ(error_with({"mehtod.network.width=3"}),
            "--set mehtod.network.width=3: unknown key 'mehtod'; did you mean 'method'?");
  EXPECT_EQ(error_with({"method.network.width=wide"}),
            "--set method.network.width=wide: 'width' must be a whole number, got a string");
  EXPECT_EQ(
      error_with({"condition[2].weight=1"}),
      "--set condition[2].weight=1: 'condition' has 2 entries, there is no [2]; the first one "
      "is [0]");
  EXPECT_EQ(error_with({"method[0]=1"}),
            "--set method[0]=1: 'method' is not an array; leave out the brackets");
  EXPECT_EQ(error_with({"observation[0].weight=1"}),
            "--set observation[0].weight=1: there is no 'observation'; write it in the file");
  EXPECT_EQ(error_with({"condition[x].weight=1"}),
            "--set condition[x].weight=1: 'condition[x]' has no whole number between its brackets; "
            "write it like condition[0].weight=10");
  EXPECT_EQ(
      error_with({"parameters.k.value=1"}),
      "--set parameters.k.value=1: 'k' is a number, it has no keys; give the whole key a value");
  EXPECT_EQ(error_with({"condition.weight=1"}),
            "--set condition.weight=1: 'condition' is an array, it has no keys; name an entry: "
            "condition[0]");
  EXPECT_EQ(error_with({"parameters.k"}),
            "--set parameters.k: there is no '='; write it like method.network.width=64");
  EXPECT_EQ(error_with({"=3"}),
            "--set =3: a name is missing in the key; write it like method.network.width=64");
  EXPECT_EQ(error_with({"parameters.k=2*q"}),
            "--set parameters.k=2*q: unknown name 'q'; did you mean 'T'?");
  EXPECT_EQ(error_with({"condition[1].where=lft"}),
            "--set condition[1].where=lft: unknown name 'lft'; did you mean 'left'?");
}

TEST(ProblemFileInclude, KeysOfTheFileReplaceThoseOfTheIncludedOne) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  write_file_atomically(folder / "sub/base.toml",
                        std::string(base) + "[[observation]]\nfile = \"data.csv\"\n");
  write_file_atomically(folder / "sub/data.csv", "t,x,u\n0.5,0.5,1\n");
  write_file_atomically(folder / "settings.toml", "[method]\nseed = 9\n");
  write_file_atomically(folder / "main.toml", R"toml(include = ["sub/base.toml", "settings.toml"]
name = "other"
[parameters]
k = 0.5
[method.network]
width = 20
[[condition]]
where = "t = 0"
form = "u = 0"
)toml");
  const ProblemFile file = read_problem_file(folder / "main.toml");
  EXPECT_EQ(file.problem.name, "other");
  EXPECT_EQ(file.problem.values().at("k"), 0.5);
  EXPECT_EQ(file.problem.values().at("T"), 1);
  EXPECT_EQ(file.problem.condition.size(), 1u);
  EXPECT_EQ(std::get<Mlp>(std::get<Pinn>(file.method).network).width, 20);
  EXPECT_EQ(std::get<Mlp>(std::get<Pinn>(file.method).network).depth, 2);
  EXPECT_EQ(std::get<Pinn>(file.method).seed, 9u);
  // Data lie next to the file that names them, and are written as seen from the main one.
  EXPECT_EQ(file.problem.observation[0].file, "sub/data.csv");
  const ProblemFile again = parse_problem_file(to_toml(file), "again", folder.path());
  EXPECT_EQ(again.problem.observation[0].table.values, file.problem.observation[0].table.values);
}

TEST(ProblemFileInclude, AnotherDomainAndReferenceReplaceTheOldOnes) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "base.toml", std::string(base) + "[reference]\nu = \"x\"\n");
  write_file_atomically(folder / "main.toml", R"toml(include = "base.toml"
[domain]
region = "interval(0, 2)"
ranges = { k = [0.1, 0.2] }
[reference]
exact = "burgers_cole_hopf"
)toml");
  const ProblemFile file = read_problem_file(folder / "main.toml");
  EXPECT_EQ(file.problem.coordinates(), (std::vector<std::string>{"t", "x", "k"}));
  EXPECT_EQ(file.problem.domain->shape()->measure(), 2);
  EXPECT_TRUE(file.problem.reference.formulas.empty());
}

TEST(ProblemFileInclude, Mistakes) {
  const TemporaryFolder folder;
  const auto error = [&](const char* file) {
    return error_of([&] { (void)read_problem_file(folder / file); }, folder.path());
  };
  write_file_atomically(folder / "a.toml", "include = \"b.toml\"\n");
  write_file_atomically(folder / "b.toml", "\ninclude = \"a.toml\"\n");
  write_file_atomically(folder / "c.toml", "include = \"none.toml\"\n");
  write_file_atomically(folder / "d.toml", "include = 3\n");
  write_file_atomically(folder / "e.toml", "include = \"wrong.toml\"\n");
  write_file_atomically(folder / "wrong.toml", std::string(base) + "feilds = 3\n");
  EXPECT_EQ(error("a.toml"),
            "b.toml:2:11: includes are circular: a.toml -> b.toml -> a.toml; remove one of them");
  EXPECT_EQ(error("c.toml"), "c.toml:1:11: file 'none.toml' not found; it is looked for in ");
  EXPECT_EQ(error("d.toml"),
            "d.toml:1:11: 'include' must be a string or an array of strings, got a whole number; "
            "include = \"base.toml\"");
  // The keys of every network follow.
  const std::string unknown = error("e.toml");
  EXPECT_TRUE(
      unknown.starts_with("wrong.toml:19:1: unknown key 'feilds' in [method.network]; keys "
                          "are: kind, width, depth, "))
      << unknown;
  EXPECT_NE(unknown.find(", initialization, siren_w0, "), unknown.npos);
  EXPECT_EQ(error("nowhere.toml"),
            "nowhere.toml: file does not exist; check the name and the folder");
}

}  // namespace cauchy::test_problem_file_include
