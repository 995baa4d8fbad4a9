#include <nlohmann/json.hpp>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_check {
namespace {

using namespace testing_cli;
using nlohmann::json;

TEST(CheckCommand, SaysWhatAProblemIs) {
  const Folder folder;
  const Result r = run({"check", folder.write("heat.toml", heat)});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* part :
       {"heat\n", "t in [0, 1]; x in interval(0, 1)", "u_t = k*u_xx  order 2, linear, parabolic",
        "u = sin(pi*x)  t = 0", "derivatives  u, u_t, u_xx\n", "reference    none"}) {
    EXPECT_NE(r.out.find(part), std::string::npos) << part << " in\n" << r.out;
  }
  EXPECT_EQ(r.out.find("warning"), std::string::npos) << r.out;
}

TEST(CheckCommand, SaysTheSameToMachines) {
  const Folder folder;
  const Result r = run({"check", folder.write("heat.toml", heat), "--json", "--set",
                        "method.points.interior=70", "--threads", "1"});
  const json j = json::parse(r.out);
  EXPECT_EQ(j.at("equations")[0].at("type"), "parabolic");
  EXPECT_EQ(j.at("equations")[0].at("order"), 2);
  EXPECT_EQ(j.at("points"), 70 + 10 + 10);
  // Two inputs, two layers of 8, one output.
  const double parameters = 3 * 8 + 9 * 8 + 9;
  EXPECT_EQ(j.at("parameters"), parameters);
  // u_t - k u_xx travels as one: u, u_x and that; values alone at the conditions.
  EXPECT_EQ(j.at("terms")[0].at("components"), 3);
  EXPECT_EQ(j.at("estimate").at("flops_per_step"), 6 * parameters * (70 * 3 + 10 + 10));
  EXPECT_EQ(j.at("run").at("threads"), 1);
  EXPECT_EQ(j.at("warnings"), json::array());
}

TEST(CheckCommand, WarnsOfWhatACoarseLookFinds) {
  const Folder folder;
  const std::string file = folder.write(
      "string.toml",
      "fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n[[equation]]\n"
      "form = \"u_xx + 4*pi^2*u = x\"\n[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n");
  const Result r = run({"check", file, "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json warnings = json::parse(r.out).at("warnings");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].get<std::string>().find("adding sin(2*pi*x) to 'u'"), std::string::npos);
}

TEST(CheckCommand, RefusesABadFile) {
  const Folder folder;
  const Result r = run({"check", folder.write("bad.toml", "name = 3\n")});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("bad.toml:1:8: "), std::string::npos) << r.err;
  EXPECT_EQ(lines_of(r.err), 1u);
}

ProblemFacts facts_of(const std::string& text) {
  return facts(parse_problem_file(text, "test.toml").problem);
}

struct Missing {
  std::string text;
  std::vector<std::string> warnings;
};
void PrintTo(const Missing& m, std::ostream* out) {
  *out << (m.warnings.empty() ? "nothing" : m.warnings[0]);
}
class Facts : public ::testing::TestWithParam<Missing> {};

const std::string square = R"(
fields = ["u"]
[domain]
space = { x = [0, 1], y = [0, 1] }
)";
const std::string bar = R"(
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [0, 1] }
)";

const char* up_to_a_constant =
    "field 'u' is determined up to a constant at best: no equation or condition holds its value; "
    "fix it at a point, or its integral";

INSTANTIATE_TEST_SUITE_P(
    Warnings, Facts,
    ::testing::Values(
        Missing{square + "[[equation]]\nform = \"laplacian(u) = 1\"\n"
                         "[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n",
                {}},
        Missing{square + "[[equation]]\nform = \"laplacian(u) = 1\"\n"
                         "[[condition]]\nwhere = \"not top\"\nform = \"u = 0\"\n",
                {"field 'u' has no condition on 25 % of the boundary (top)"}},
        Missing{square + "[[equation]]\nform = \"laplacian(u) = 1\"\n"
                         "[[condition]]\nwhere = \"left or right or top or x < 0.5\"\n"
                         "form = \"u = 0\"\n",
                {"field 'u' has no condition on 12 % of the boundary (bottom)"}},
        Missing{square + "[[equation]]\nform = \"laplacian(u) = 1\"\n"
                         "[[condition]]\nperiodic = \"x\"\n"
                         "[[condition]]\nwhere = \"top or bottom\"\nform = \"u_n = 0.5\"\n",
                {up_to_a_constant}},
        Missing{square + "[[equation]]\nform = \"laplacian(u) = 1\"\n"
                         "[[condition]]\nperiodic = \"x\"\n"
                         "[[condition]]\nwhere = \"top or bottom\"\nform = \"u_n = 0\"\n",
                {up_to_a_constant,
                 "the data of 'u' do not balance: 0 flows out through the boundary, sources inside "
                 "give 1; there is no solution"}},
        Missing{square + "[[equation]]\nform = \"laplacian(laplacian(u)) = 1\"\n"
                         "[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n",
                {"field 'u' has only 1 of 2 conditions on 100 % of the boundary (bottom, left, "
                 "right, top)"}},
        Missing{bar + "[[equation]]\nform = \"u_tt = u_xx\"\n"
                      "[[condition]]\nwhere = \"initial\"\nform = \"u = 0\"\n"
                      "[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n",
                {"field 'u' has 1 of 2 initial conditions at t = 0: its time derivative has order "
                 "2"}},
        Missing{bar + "[[equation]]\nform = \"u_t + u_x = 0\"\n",
                {"field 'u' has 0 of 1 initial condition at t = 0: its time derivative has order 1",
                 up_to_a_constant,
                 "field 'u' has no condition on 50 % of the boundary (left), where its first-order "
                 "equation lets it flow in"}},
        Missing{"fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n"
                "[[equation]]\nform = \"u_xx + u = 0\"\n"
                "[[condition]]\nwhere = \"left\"\nform = \"u = 0\"\n"
                "[[condition]]\nwhere = \"left\"\nform = \"u_x = 1\"\n",
                {}},
        Missing{"fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n"
                "[[equation]]\nform = \"u_xx + u = 0\"\n"
                "[[condition]]\nwhere = \"left\"\nform = \"u = 0\"\n",
                {"field 'u' has no condition on 50 % of the boundary (right)"}},
        Missing{"fields = [\"u\", \"q\"]\n[domain]\nspace = { x = [0, 1] }\n"
                "[[equation]]\nform = \"q = -u_x\"\n[[equation]]\nform = \"q_x = 1\"\n"
                "[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n",
                {}},
        Missing{bar + "[parameters]\na = 1\nb = 2\nc = \"b\"\n[[equation]]\nform = \"u_t = b*u\"\n"
                      "[[condition]]\nwhere = \"t = 0\"\nform = \"u = 1\"\n",
                {}},
        Missing{bar + "[unknown]\na = { initial = 1 }\nb = { initial = 1 }\n[[equation]]\n"
                      "form = \"u_t = a*u\"\n[[condition]]\nwhere = \"t = 0\"\nform = \"u = 1\"\n",
                {"unknown constant 'a' is determined by no data: add an observation, or a "
                 "condition that the fields alone do not need",
                 "unknown constant 'b' occurs in no equation, condition or observation"}},
        Missing{bar + "[[equation]]\nform = \"u_t = u\"\n[[equation]]\nform = \"u_x = 0\"\n"
                      "[[condition]]\nwhere = \"t = 0\"\nform = \"u = 1\"\n",
                {"2 equations for 1 field: the problem may have no solution"}}));

TEST_P(Facts, WarnOfWhatIsMissing) {
  EXPECT_EQ(facts_of(GetParam().text).warnings, GetParam().warnings);
}

TEST(Facts, RemarkWhatIsNotUsed) {
  EXPECT_EQ(facts_of(bar + "[parameters]\na = 1\nb = 2\nc = \"b\"\n[[equation]]\n"
                           "form = \"u_t = b*u\"\n")
                .remarks,
            (std::vector<std::string>{"parameter 'a' is not used", "parameter 'c' is not used"}));
}

TEST(Facts, TellTypesOfEquations) {
  const auto type = [](const std::string& form, const std::string& place = bar) {
    return facts_of(place + "[[equation]]\nform = \"" + form + "\"\n").equations.at(0);
  };
  EXPECT_EQ(type("u_t + u*u_x = 0.1*u_xx").type, "parabolic");
  EXPECT_FALSE(type("u_t + u*u_x = 0.1*u_xx").linear);
  EXPECT_EQ(type("u_tt = 4*u_xx").type, "hyperbolic");
  EXPECT_EQ(type("u_t + u_x = 0").type, "first order");
  EXPECT_EQ(type("u_t + u_xxx = 0").type, "");
  EXPECT_EQ(type("u_t + u_xxx = 0").order, 3);
  EXPECT_EQ(type("u_xx + u_yy = 0", square).type, "elliptic");
  // Tricomi: the middle of the square has y > 0.
  EXPECT_EQ(type("y*u_xx + u_yy = 0", square).type, "elliptic");
  EXPECT_EQ(type("-y*u_xx + u_yy = 0", square).type, "hyperbolic");
}

TEST(Facts, ObservationsMayStandInForConditions) {
  const Folder folder;
  folder.write("a.csv", "t,x,u\n0,0.5,1\n0.5,0.5,0.9\n");
  const ProblemFile file = parse_problem_file(
      bar +
          "[unknown]\na = { initial = 1 }\n[[equation]]\nform = \"u_t = a*u_xx\"\n"
          "[[observation]]\nfile = \"a.csv\"\nof = \"u\"\n",
      "test.toml", folder.file(""));
  EXPECT_EQ(facts(file.problem).warnings, std::vector<std::string>{});
}

TEST(Facts, ListDerivativesOfConditionsToo) {
  const ProblemFacts f = facts_of(bar +
                                  "[[equation]]\nform = \"u_tt = u_xx\"\n"
                                  "[[condition]]\nwhere = \"t = 0\"\nform = \"u_t = 0\"\n");
  EXPECT_EQ(f.derivatives, (std::vector<std::string>{"u_t", "u_tt", "u_xx"}));
}

}  // namespace
}  // namespace cauchy::test_cli_check
