// Problems that are written and read again, from C++ and with everything that a file can lean on.
#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/place.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/files.hpp>

#include "support/io_support.hpp"
#include "support/problem_file_same.hpp"

namespace cauchy::test_problem_file_write {
namespace {

using test::expect_round_trip;

TEST(ProblemFileWrite, EveryTextReadsBack) {
  const std::vector<std::string> texts = {"\"\"\"\nname = 1",
                                          "''"
                                          "'",
                                          "a\\",
                                          "\\",
                                          "a\nb\\\n",
                                          "\n",
                                          "\r\n\t\x01\x1f\x7f",
                                          "\\u0041",
                                          "it's \"so\"",
                                          "x = 1 # no comment",
                                          "\xE2\x80\xA8\xC2\x85 line ends",
                                          "]]\n[[equation]]\nform = \"u = 0\""};
  for (const std::string& text : texts) {
    ProblemFile file = parse_problem_file(
        "name = 'a'\nfields = ['u']\n[domain]\ntime = { t = [0, 1] }\n[[equation]]\n"
        "form = 'u_t = 0'\n[[condition]]\nwhere = 't = 0'\nform = 'u = 1'\n",
        "a.toml");
    file.problem.name = file.problem.title = file.problem.notes = text;
    const ProblemFile again = parse_problem_file(to_toml(file), "again.toml");
    EXPECT_EQ(again.problem.name, text);
    EXPECT_EQ(again.problem.title, text);
    EXPECT_EQ(again.problem.notes, text);
    EXPECT_EQ(again.problem.equation.size(), 1u);
  }
}

TEST(ProblemFileWrite, WritesProblemsThatWereMadeInCpp) {
  const Coordinate t("t"), x("x"), y("y"), z("z");
  const Field u("u");
  std::vector<Domain> domains = {
      Interval(x, -1, 1) * Domain(Time(t, 0, 1)),
      Interval(z, Parameter("a"), 2 * Parameter("a")),
      Rectangle({0, 0.1}, {1.0 / 3, Parameter("a") * pi + 1}),
      Rectangle({0, 0}, {1, 1}).in({z, t}),
      Box({0, 0, 0}, {1, 2, Parameter("a")}) * Domain(Time(t, -0.5, 1e-3)),
      Box({0, 0, 0, -1e-7}, {1, 2, 3, 4e20}),
      Box({0, 0}, {1, 2}),
      (Rectangle({0, 0}, {1, 1}) | Disk({1, 1}, 0.5)).tagged("inlet", x == 0).rotated(0.3),
      Polygon({{0, 0}, {1, 0}, {0, 1}}).named("wall") * Range(Parameter("s"), 0.1, 0.3),
      Domain(Time(t, 0, 1.0 / 7)) * Range(Parameter("s"), 1e-300, 3),
  };
  for (const Domain& domain : domains) {
    ProblemFile file;
    Problem& p = file.problem;
    p.domain = domain;
    p.fields = {"u"};
    p.parameters = {{"a", Expr(1) + pi}, {"zero", Expr(-0.0)}, {"big", Expr(1e22)}};
    p.equation = {field_derivative("u", {{p.coordinates()[0], 1}}) == u * Parameter("a")};
    expect_round_trip(file);
  }
}

TEST(ProblemFileWrite, WeightsAreExpressions) {
  const Coordinate t("t");
  const Field u("u");
  ProblemFile file;
  Problem& p = file.problem;
  p.domain = Domain(Time(t, 0, 1));
  p.fields = {"u"};
  p.parameters = {{"a", Expr(3)}};
  p.equation = {d(u, t) == -u};
  p.equation[0].weight = 1 + Parameter("a") * exp(-t);
  p.condition = {weighted(2 * Parameter("a"), at_point({{"t", 0.0}}, u == 1))};
  expect_round_trip(file);
  const std::string text = to_toml(file);
  EXPECT_NE(text.find("weight = \"a*exp(-t) + 1\""), std::string::npos) << text;
  EXPECT_NE(text.find("weight = \"2*a\""), std::string::npos) << text;
  const Problem again = parse_problem_file(text, "p").problem;
  EXPECT_TRUE(same(again.equation[0].weight, p.equation[0].weight));
}

TEST(ProblemFileWrite, RandomNumbersReadBackToTheSameBits) {
  Rng rng(11);
  for (int i = 0; i < 50; ++i) {
    const auto number = [&] {
      return std::ldexp(rng.uniform() + 1e-3, static_cast<int>(rng.integer(120)) - 60);
    };
    ProblemFile file;
    Problem& p = file.problem;
    const double low = -number(), high = number();
    p.domain = Domain(Time(Coordinate("t"), low, high));
    p.fields = {"u"};
    p.parameters = {{"a", Expr(number())}};
    p.tolerance = number();
    p.unknowns = {
        {.name = "c", .initial = high, .lower = high / 2, .upper = {}, .truth = -number()}};
    p.equation = {Field("u") * number() == field_derivative("u", {{"t", 1}}) + Parameter("c")};
    p.equation[0].weight = number();
    p.condition = {weighted(number(), at_point({{"t", high / 3}}, Field("u") == number()))};
    p.reference.formulas = {{"u", cos(-number() * Coordinate("t"))}};
    std::get<Pinn>(file.method).seed = rng.integer(1u << 30);
    std::get<Pinn>(file.method).points.batch = rng.integer(100);
    std::get<Mlp>(std::get<Pinn>(file.method).network).width =
        1 + static_cast<int>(rng.integer(100));
    std::get<Pinn>(file.method).stages = {
        {AdamOptions{.learning_rate = number()}, 1 + rng.integer(9)}};
    expect_round_trip(file);
  }
}

TEST(ProblemFileWrite, NamesThatLookLikeOthersSurvive) {
  // A field u_q, a parameter E and a definition n: derivatives and constants must not be mistaken.
  const ProblemFile file = parse_problem_file(R"toml(fields = ["u", "u_q"]
[domain]
space = { x = [0, 1], xx = [0, 1] }
[parameters]
E = 2
[definitions]
n = "x*xx"
[[equation]]
form = "d(u, x) = u_q + E*exp(1)"
[[equation]]
form = "d(u_q, xx) + d(u, x, 2) = n"
[[condition]]
where = "left"
form = "u_n = n_x"
)toml",
                                              "names.toml");
  expect_round_trip(file);
}

TEST(ProblemFileWrite, TablesOfJumpsAndScatteredPointsSurvive) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "steps.csv", "x,a\n0,1\n0.5,2\n1,3\n");
  write_file_atomically(folder / "measured.csv", "y,x,u\n0.1,0.5,1\n0.7,0.2,2\n0.4,0.9,3\n");
  const ProblemFile file = parse_problem_file(R"toml(fields = ["u"]
[domain]
space = { x = [0, 1], y = [0, 1] }
[functions]
a = { file = "steps.csv", arguments = ["x"], interpolation = "nearest" }
[[equation]]
form = "laplacian(u) = a(x) + floor(3*y) + mod(x, 0.5)"
[reference]
file = "measured.csv"
)toml",
                                              "tables.toml", folder.path());
  EXPECT_EQ(file.problem.functions[0].interpolation, TableInterpolation::nearest);
  expect_round_trip(file, folder.path());
}

TEST(ProblemFileWrite, TablesInMemoryAreNotWritten) {
  ProblemFile file;
  Problem& p = file.problem;
  p.domain = Domain(Time(Coordinate("t"), 0, 1));
  p.fields = {"u"};
  p.equation = {field_derivative("u", {{"t", 1}}) == 1};
  p.observation = {
      {.name = "in\nmemory", .quantity = Field("u"), .column = "u", .table = {{"t", "u"}, {0, 1}}}};
  p.reference.table = {{"t", "u"}, {0, 1}};
  const std::string text = to_toml(file);
  EXPECT_NE(text.find("# observation 'in memory': its table is in memory"), std::string::npos);
  EXPECT_TRUE(parse_problem_file(text, "again.toml").problem.observation.empty());
}

TEST(ProblemFileWrite, SurfacesLieNextToTheFile) {
  const TemporaryFolder folder;
  const std::string stl = R"(v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
)";
  write_file_atomically(folder / "part.obj", stl);
  const ProblemFile file = parse_problem_file(R"toml(fields = ["u"]
[domain]
region = 'surface("part.obj").named(wall)'
[[equation]]
form = "laplacian(u) = 0"
[[condition]]
where = "boundary"
form = "u = 0"
)toml",
                                              "solid.toml", folder.path());
  EXPECT_NEAR(file.problem.domain->shape()->measure(), 1.0 / 6, 1e-14);
  expect_round_trip(file, folder.path());
}

TEST(ProblemFileWrite, ConditionsMayHoldAtSomeTimes) {
  const TemporaryFolder folder;
  const ProblemFile file = parse_problem_file(R"toml(fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [0, 1], y = [0, 1] }
[parameters]
start = 0.5
[[equation]]
form = "u_t = laplacian(u)"
[[condition]]
where = "left and t > start"
form = "u = 1"
[[condition]]
where = "left and t <= start or right"
form = "u = 0"
)toml",
                                              "late.toml", folder.path());
  EXPECT_EQ(file.problem.condition[0].where, "left and t > start");
  const Points points = condition_points(file.problem, file.problem.condition[0], 50);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_GT(points.row(i)[0], 0.5);
    EXPECT_EQ(points.row(i)[1], 0);
  }
  expect_round_trip(file, folder.path());
}

}  // namespace
}  // namespace cauchy::test_problem_file_write
