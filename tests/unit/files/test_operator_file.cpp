#include <cauchy/files/operator_file.hpp>

#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/files/problem_file.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_operator_file {
namespace {

/// A good file; each case below spoils one line of it.
const std::vector<std::string> good = {
    "name = \"bar\"",                                // 1
    "fields = [\"u\"]",                              // 2
    "[domain]",                                      // 3
    "time = { t = [0, 1] }",                         // 4
    "space = { x = [-1, 1] }",                       // 5
    "[parameters]",                                  // 6
    "k = 0.1",                                       // 7
    "[[equation]]",                                  // 8
    "form = \"u_t = d(c*u_x, x)\"",                  // 9
    "[[condition]]",                                 // 10
    "where = \"t = 0\"",                             // 11
    "form = \"u = a(x)\"",                           // 12
    "[[condition]]",                                 // 13
    "where = \"boundary\"",                          // 14
    "form = \"u = 0\"",                              // 15
    "[operator]",                                    // 16
    "times = { from = 0.5, to = \"10*k\", n = 3 }",  // 17
    "grid = 33",                                     // 18
    "samples = 20",                                  // 19
    "[operator.inputs.a]",                           // 20
    "field = \"sines(n = 4)\"",                      // 21
    "[operator.inputs.c]",                           // 22
    "field = \"gp(length = 0.5)\"",                  // 23
    "map = \"k*exp(g)*(2 + x)\"",                    // 24
};

std::string with_line(std::size_t number, const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < good.size(); ++i) text += (i + 1 == number ? line : good[i]) + "\n";
  return text;
}

TEST(OperatorFile, ReadsInputsTimesAndGrid) {
  const OperatorFile file = parse_operator_file(with_line(0, ""), "p");
  const OperatorProblem& op = file.problem;
  ASSERT_EQ(op.inputs.size(), 2U);
  EXPECT_EQ(op.inputs[0].name, "a");
  EXPECT_EQ(op.inputs[0].field, "sines(n = 4)");
  EXPECT_TRUE(same(op.inputs[0].map, Symbol("g")));
  EXPECT_TRUE(same(op.inputs[1].map, Parameter("k") * exp(Symbol("g")) * (2 + Coordinate("x"))));
  EXPECT_EQ(op.outputs, std::vector<std::string>{"u"});
  EXPECT_EQ(op.times, (std::vector<double>{0.5, 0.75, 1}));
  EXPECT_EQ(op.grid, std::vector<int>{33});
  EXPECT_EQ(op.samples, 20U);
  EXPECT_TRUE(std::holds_alternative<AutoClassical>(op.method));
  // The name alone is the function of its arguments.
  EXPECT_EQ(to_string(op.problem.equation[0].form.residual()).find("c(x)") != std::string::npos,
            true);
  // The first sample is there.
  ASSERT_EQ(op.problem.functions.size(), 2U);
  EXPECT_EQ(op.problem.functions[0].table.rows(), 33U);
  EXPECT_EQ(file.places.at("input 'c'"), "p:22:1");
}

TEST(OperatorFile, ReadsBackAsTheSame) {
  const std::string text = to_toml(parse_operator_file(with_line(0, ""), "p"));
  EXPECT_EQ(to_toml(parse_operator_file(text, "again")), text);
  EXPECT_EQ(text.find("in memory"), std::string::npos);
  OperatorFile other =
      parse_operator_file(with_line(22,
                                    "arguments = [\"x\"]\nmean = \"1/16\"\n"
                                    "[operator.inputs.c]"),
                          "p", ".",
                          {"operator.seed=\"18446744073709551615\"", "operator.refine=3",
                           "method.kind=fdm", "operator.outputs=[\"u\"]"});
  EXPECT_EQ(other.problem.seed, UINT64_MAX);
  EXPECT_EQ(other.problem.inputs[0].mean, 0.0625);
  EXPECT_EQ(other.problem.refine, 3);
  EXPECT_TRUE(std::holds_alternative<Fdm>(other.problem.method));
  const std::string again = to_toml(other);
  EXPECT_EQ(to_toml(parse_operator_file(again, "again")), again);
}

TEST(OperatorFile, MistakesAreToldWithTheirPlace) {
  struct Case {
    std::size_t line;
    std::string text, message;
  };
  const std::vector<Case> cases = {
      {18, "grdi = 33", "p:18:1: unknown key 'grdi' in [operator]; did you mean 'grid'?"},
      {18, "",
       "p:16:1: missing key 'grid' in [operator]; grid = [64, 64]: nodes along the axes of "
       "space"},
      {18, "grid = 3", "p:18:8: 'grid' must be at least 4, got 3"},
      {18, "grid = [33, 33]", "p:18:8: 2 numbers of nodes for 1 axis (x); grid = [64]"},
      {19, "samples = 0", "p:19:11: 'samples' must be at least 1, got 0"},
      {17, "times = [0.5, 2]", "p:17:9: t = 2 is outside of [0, 1]"},
      {17, "times = [0.5, 0.2]", "p:17:9: 0.2 comes behind 0.5; give them in ascending order"},
      {17, "times = { from = 0.5, n = 3 }",
       "p:17:9: missing key 'to' in times; times = { from = 0.1, to = 1, n = 10 }"},
      {17, "outputs = [\"v\"]", "p:17:12: unknown field 'v'; fields are: u"},
      {21, "field = \"sine(n = 4)\"",
       "p:21:10: unknown random field 'sine'; did you mean 'sines'?"},
      {21, "feild = \"sines(n = 4)\"",
       "p:21:1: unknown key 'feild' in input 'a'; did you mean 'field'?"},
      {22, "mean = -1\n[operator.inputs.c]",
       "p:22:8: a width must be positive, got -1; mean = 1/64"},
      {22, "arguments = [\"z\"]\n[operator.inputs.c]",
       "p:22:14: unknown coordinate 'z'; coordinates of space are: x"},
      {24, "map = \"k*exp(h)\"", "p:24:14: unknown name 'h'; did you mean 'g'?"},
      {12, "form = \"u = 0\"",
       "p:20:1: nothing in the equations and conditions uses 'a'; write a(x) where it stands"},
      {5, "space = { a = [-1, 1] }", ""},
      {9, "form = \"u_t = d(c*u_x, x) + b\"", ""},
  };
  for (const Case& c : cases) {
    const std::string message =
        error_of([&] { (void)parse_operator_file(with_line(c.line, c.text), "p"); });
    if (c.message.empty()) {
      EXPECT_TRUE(message.starts_with("p:")) << message;
    } else {
      EXPECT_EQ(message, c.message);
    }
  }
}

TEST(OperatorFile, OtherReadersSayWhatTheFileIs) {
  EXPECT_EQ(error_of([] { (void)parse_problem_file(with_line(0, ""), "p"); }),
            "p:16:2: a problem with [operator] has no single answer; use cauchy data and cauchy "
            "train, or remove the table");
  std::string plain;
  for (std::size_t i = 0; i < 15; ++i) plain += good[i] + "\n";
  EXPECT_EQ(error_of([&] { (void)parse_operator_file(plain, "p"); }),
            "p:1:1: missing key 'operator'; [operator] with inputs, grid and samples");
}

TEST(OperatorFile, TheLibraryIsReadAndWritten) {
  const std::filesystem::path folder =
      std::filesystem::path(CAUCHY_TEST_DATA) / ".." / ".." / "problems" / "operators";
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    const OperatorFile file = read_operator_file(entry.path());
    EXPECT_EQ(file.problem.problem.name, entry.path().stem().string());
    EXPECT_FALSE(file.problem.problem.title.empty());
    const std::string text = to_toml(file);
    EXPECT_EQ(to_toml(parse_operator_file(text, "again")), text) << entry.path();
    ++n;
  }
  EXPECT_GE(n, 8U);
}

}  // namespace
}  // namespace cauchy::test_operator_file
