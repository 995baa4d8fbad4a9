#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/files.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_problem_file_errors {
namespace {

/// A good file; each case below spoils one line of it.
const std::vector<std::string> good = {
    "name = \"bar\"",                    // 1
    "fields = [\"u\"]",                  // 2
    "[domain]",                          // 3
    "time = { t = [0, 1] }",             // 4
    "space = { x = [-1, 1] }",           // 5
    "[parameters]",                      // 6
    "k = 0.1",                           // 7
    "[[equation]]",                      // 8
    "form = \"u_t = k*u_xx\"",           // 9
    "[[condition]]",                     // 10
    "where = \"t = 0\"",                 // 11
    "form = \"u = sin(pi*x)\"",          // 12
    "[[condition]]",                     // 13
    "where = \"left\"",                  // 14
    "form = \"u = 0\"",                  // 15
    "[reference]",                       // 16
    "u = \"exp(-k*pi^2*t)*sin(pi*x)\"",  // 17
};

std::string with_line(std::size_t number, const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < good.size(); ++i) text += (i + 1 == number ? line : good[i]) + "\n";
  return text;
}

struct Case {
  std::size_t line;
  std::string text, message;
};

void expect_messages(const std::vector<Case>& cases, const std::filesystem::path& folder = ".") {
  for (const Case& c : cases) {
    EXPECT_EQ(error_of([&] { (void)parse_problem_file(with_line(c.line, c.text), "p", folder); },
                       folder == "." ? "" : folder),
              c.message)
        << "line " << c.line << ": " << c.text;
  }
}

}  // namespace

TEST(ProblemFileErrors, TheFileThatIsSpoiledIsGood) {
  EXPECT_EQ(error_of([] { (void)parse_problem_file(with_line(0, ""), "p"); }), "no error");
}

TEST(ProblemFileErrors, UnknownKeysNameTheNearestOne) {
  expect_messages({
      {2, "feilds = [\"u\"]", "p:2:1: unknown key 'feilds'; did you mean 'fields'?"},
      {3, "[domian]", "p:3:2: unknown key 'domian'; did you mean 'domain'?"},
      {4, "tiem = { t = [0, 1] }", "p:4:1: unknown key 'tiem' in [domain]; did you mean 'time'?"},
      {9, "  from = \"u_t = k*u_xx\"",
       "p:9:3: unknown key 'from' in [[equation]]; did you mean 'form'?"},
      {15, "form = \"u = 0\"\nwieght = 3",
       "p:16:1: unknown key 'wieght' in [[condition]]; did you mean 'weight'?"},
      {17, "w = \"0\"",
       "p:17:1: unknown key 'w' in [reference]; keys are: exact, parameters, file, columns, "
       "interpolation, u"},
      {16, "[method.network]\nwidht = 3\n[reference]",
       "p:17:1: unknown key 'widht' in [method.network]; did you mean 'width'?"},
      {16, "[method.points]\nnumber = 3\n[reference]",
       "p:17:1: unknown key 'number' in [method.points]; keys are: interior, boundary, initial, "
       "rule, sampler, randomize, seed, skip, redraw, batch"},
      {7, "k = 0.1\n[unknown]\nc = { start = 1 }",
       "p:9:7: unknown key 'start' in unknown 'c'; here it is called 'initial'"},
  });
}

TEST(ProblemFileErrors, WrongTypesSayWhatIsExpected) {
  expect_messages({
      {16, "[method.network]\nwidth = \"wide\"\n[reference]",
       "p:17:9: 'width' must be a whole number, got a string"},
      {16, "[method.network]\nwidth = 3.5\n[reference]",
       "p:17:9: 'width' must be a whole number, got 3.5"},
      {16, "[method.network]\nwidth = -3\n[reference]",
       "p:17:9: 'width' must be at least 1, got -3"},
      {16, "[method.network]\nwidth = 100000000000\n[reference]",
       "p:17:9: 'width' must be at most 1000000, got 100000000000"},
      {16, "[method.points]\nskip = -1\n[reference]", "p:17:8: 'skip' must be at least 0, got -1"},
      {16, "[method]\nseed = \"one\"\n[reference]",
       "p:17:8: 'seed' must be a whole number, got a string"},
      {16, "[method]\nscale = 1\n[reference]",
       "p:17:9: 'scale' must be true or false, got a whole number"},
      {16, "[method]\nstage = 3\n[reference]",
       "p:17:9: 'stage' must be an array of tables, got a whole number"},
      {1, "name = 3", "p:1:8: 'name' must be a string, got a whole number"},
      {2, "fields = \"u\"", "p:2:10: 'fields' must be an array of strings, got a string"},
      {2, "fields = [\"u\", 2]", "p:2:16: 'fields[1]' must be a string, got a whole number"},
      {5, "space = [0, 1]", "p:5:9: 'space' must be a table, got an array; space = { x = [0, 1] }"},
      {5, "space = { x = 1 }",
       "p:5:15: 'x' must be an array of two numbers, got a whole number; x = [0, 1]"},
      {5, "space = { x = [1, 2, 3] }",
       "p:5:15: 'x' must be an array of two numbers, got 3; x = [0, 1]"},
      {7, "k = true",
       "p:7:5: 'k' must be a number or a string with an expression, got true or false"},
      {7, "k = 2020-01-01",
       "p:7:5: 'k' must be a number or a string with an expression, got a date"},
      {8, "[equation]",
       "p:8:1: 'equation' must be an array of tables, got a table; write [[equation]] with two "
       "brackets"},
      {1, "tolerance = -1", "p:1:13: 'tolerance' must be positive, got -1"},
      {7, "k = nan", "p:7:5: 'k' must be a finite number, got nan"},
      {5, "space = { x = [0, inf] }", "p:5:19: 'x[1]' must be a finite number, got inf"},
      {7, "k = \"1/(2 - 2)\"", "p:7:7: division by zero; the divisor is the number 0"},
  });
}

TEST(ProblemFileErrors, MissingKeys) {
  std::string all_names;
  for (const OptimizerEntry& e : all_optimizers()) {
    all_names += (all_names.empty() ? "" : "\", \"") + std::string(e.name);
  }
  expect_messages({
      {2, "", "p:1:1: missing key 'fields'; fields = [\"u\"]"},
      {9, "", "p:8:1: missing key 'form' in [[equation]]; form = \"u_t = u_xx\""},
      {12, "", "p:10:1: missing key 'form' in [[condition]]; form = \"u = 0\""},
      {11, "",
       "p:10:1: the condition does not say where it holds; give one of where, periodic, point, "
       "integral"},
      {16, "[[method.stage]]\nsteps = 3\n[reference]",
       "p:16:1: missing key 'optimizer' in [[method.stage]]; optimizer = \"" + all_names + "\""},
      {7, "k = 1\n[unknown]\nc = { lower = 1 }",
       "p:9:5: missing key 'initial' in unknown 'c'; the value to start from"},
      {17, "",
       "p:16:1: the reference is empty; give exact = \"name\", a formula per field, or file = "
       "\"table.csv\""},
  });
  EXPECT_EQ(error_of([] { (void)parse_problem_file("fields = [\"u\"]", "p"); }),
            "p:1:1: missing key 'domain'; [domain] with space, time or both");
  EXPECT_EQ(
      error_of([] { (void)parse_problem_file("fields = [\"u\"]\n[domain]\n", "p"); }),
      "p:2:1: the domain has neither space nor time; time = { t = [0, 1] }, space = { x = [0, "
      "1] }");
}

TEST(ProblemFileErrors, MistakesInTomlItself) {
  expect_messages({
      {2, "fields = [\"u\"]\nfields = [\"v\"]",
       "p:3:1: 'fields' is given twice, first in line 2; keep one of them"},
      {2, "fields = [\"u\"",
       "p:2:10: 'fields' opens a bracket that is not closed; close it with ]"},
      {1, "name = bar",
       "p:1:8: 'bar' is neither a number nor in quotes; put it in quotes: name = \"bar\""},
  });
}

TEST(ProblemFileErrors, OneOfSeveralKeys) {
  expect_messages({
      {11, "where = \"t = 0\"\npoint = { t = 0, x = 0 }",
       "p:12:1: a condition has one of where, periodic, point, integral; got where and point"},
      {11, "periodic = \"x\"", "p:12:1: 'form' has no meaning in a periodic condition; remove it"},
      {11, "where = \"t = 0\"\norder = 2",
       "p:12:1: 'order' has no meaning in a condition that is not periodic; remove it"},
      {5, "space = { x = [0, 1] }\nregion = \"interval(0, 1)\"",
       "p:6:1: give 'space' or 'region', not both; remove one of them"},
      {5, "coordinates = [\"x\"]",
       "p:5:1: 'coordinates' needs a region; region = \"disk((0, 0), 1)\""},
      {16, "[method]\nstages = []\n[[method.stage]]\noptimizer = \"adam\"\n[reference]",
       "p:17:1: give 'stage' or 'stages', not both; remove one of them"},
      {16, "[[method.stage]]\noptimizer = \"adam\"\nmemory = 3\n[reference]",
       "p:18:1: 'memory' has no meaning for optimizer 'adam'; remove it"},
  });
}

TEST(ProblemFileErrors, UnknownWordsNameTheNearestOne) {
  expect_messages({
      {1, "loss = \"risky\"", "p:1:8: unknown loss 'risky'; did you mean 'risk'?"},
      {16, "[method]\nkind = \"fdn\"\n[reference]",
       "p:17:8: unknown method 'fdn'; did you mean 'fdm'?"},
      {16, "[method]\nprecision = \"f63\"\n[reference]",
       "p:17:13: unknown precision 'f63'; did you mean 'f64'?"},
      {16, "[method.network]\nactivation = \"thanh\"\n[reference]",
       "p:17:14: unknown activation 'thanh'; did you mean 'tanh'?"},
      {16, "[method.points]\nsampler = \"sobel\"\n[reference]",
       "p:17:11: unknown sampler 'sobel'; did you mean 'sobol'?"},
      {16, "[method.points]\nrandomize = \"much\"\n[reference]",
       "p:17:13: unknown randomization 'much'; randomizations are: none, shift, scramble"},
      {16, "[[method.stage]]\noptimizer = \"adma\"\n[reference]",
       "p:17:13: unknown optimizer 'adma'; did you mean 'adam'?"},
      {16, "[[method.stage]]\noptimizer = \"adam\"\nschedule = \"cosin\"\n[reference]",
       "p:18:12: unknown schedule 'cosin'; did you mean 'cosine'?"},
      {17, "exact = \"burgers_cole_hop\"",
       "p:17:9: unknown exact solution 'burgers_cole_hop'; did you mean 'burgers_cole_hopf'?"},
  });
}

TEST(ProblemFileErrors, SettingsOutOfRange) {
  expect_messages({
      {16, "[[method.stage]]\noptimizer = \"adam\"\nlearning_rate = 0\n[reference]",
       "p:18:17: 'learning_rate' must be positive, got 0"},
      {16, "[[method.stage]]\noptimizer = \"adam\"\nbeta1 = 1\n[reference]",
       "p:18:9: 'beta1' must be in [0, 1), got 1"},
      {16, "[[method.stage]]\noptimizer = \"adam\"\nfinal_factor = 2\n[reference]",
       "p:18:16: 'final_factor' must be in (0, 1], got 2"},
      {16, "[[method.stage]]\noptimizer = \"lbfgs\"\nline_search = { decrease = 3 }\n[reference]",
       "p:18:15: decrease must be in (0, 1/2), got 3"},
      {16, "[method.points]\nsampler = \"grid\"\nskip = 3\n[reference]",
       "p:16:1: a set of 2000 points has no points to skip; leave out skip, or use a sequence such "
       "as 'sobol'"},
  });
}

TEST(ProblemFileErrors, ExpressionsPointAtTheCharacter) {
  expect_messages({
      {9, "form = \"u_t = k*v_xx\"",
       "p:9:17: unknown name 'v_xx'; known names are: k, n_x, t, u, u_n, x"},
      {9, "form = \"u_t = k*u_yy\"", "p:9:17: unknown name 'u_yy'; coordinates are: t, x"},
      {9, "form = \"u_t + k*u_xx\"", "p:9:21: an equation needs '='; write left = right"},
      {9, "form = \"\"\"\nu_t =\n  k*w\"\"\"", "p:11:5: unknown name 'w'; did you mean 'u'?"},
      {9, "form = '''u_t = w'''", "p:9:17: unknown name 'w'; did you mean 'u'?"},
      {7, "k = 1\n[definitions]\nf = \"1 + sin(\" # \xC3\xA9",
       "p:9:14: expected an operand after '(', got the end of the text"},
      {7, "k = \"1 +\"", "p:7:9: expected an operand after '+', got the end of the text"},
      {12, "form = \"u = sin(pi*z)\"", "p:12:20: unknown name 'z'; did you mean 'u'?"},
      {17, "u = \"exp(-q*t)\"", "p:17:11: unknown name 'q'; did you mean 'u'?"},
      {5, "region = \"rectangle((0, 0), (1, 1)) - dsk((0, 0), 1)\"",
       "p:5:39: unknown region 'dsk'; did you mean 'disk'?"},
      {5, "region = \"disk((0, 0), -1)\"", "p:5:11: radius must be positive, got -1"},
      {5, "region = \"disk((0, 0), -k)\"", "p:5:10: radius must be positive, got -0.1"},
      {5, "space = { x = [\"a\", 1] }", "p:5:17: unknown name 'a'; did you mean 'k'?"},
      {9, "form = \"u_t = u_n\"",
       "p:8:1: 'n_x' is only known on the boundary; use it in conditions on the boundary"},
      {9, "form = \"u_t = u_xx\"\nwhere = \"u > 0\"",
       "p:10:9: 'where' depends on 'u'; use coordinates and parameters"},
      {9, "form = \"u_t = u_xx\"\nwhere = \"y > 0\"",
       "p:10:10: unknown name 'y'; did you mean 'u'?"},
  });
}

TEST(ProblemFileErrors, ReservedNamesSayWhatTheyAreReservedFor) {
  const auto reserved = [](const std::string& place, const std::string& name,
                           const std::string& use) {
    return "p:" + place + ": name '" + name + "' is reserved for " + use +
           "; choose another name (reserved words: docs/format.md, Names)";
  };
  expect_messages({
      {2, "fields = [\"sin\"]", reserved("2:11", "sin", "the function sin")},
      {2, "fields = [\"u\", \"e\"]", reserved("2:16", "e", "Euler's number")},
      {2, "fields = [\"n\"]", reserved("2:11", "n", "the outward normal, n_x and u_n")},
      {2, "fields = [\"u\"]\ncoefficients = { or = [] }",
       reserved("3:18", "or", "the operator or")},
      {4, "time = { d = [0, 1] }", reserved("4:10", "d", "derivatives, d(u, x)")},
      {5, "space = { where = [-1, 1] }", reserved("5:11", "where", "the function where")},
      {5, "region = \"disk((0, 0), 1)\"\ncoordinates = [\"x\", \"mod\"]\ntags = { a = \"x > 0\" }",
       reserved("6:21", "mod", "the function mod")},
      {5, "space = { x = [-1, 1] }\nranges = { inf = [0, 1] }",
       reserved("6:12", "inf", "what is no number")},
      {7, "pi = 3", reserved("7:1", "pi", "the number pi")},
      {7, "k = 1\nn_x = 2", reserved("8:1", "n_x", "the component of the outward normal along x")},
      {7, "k = 1\nu_xt = 2", reserved("8:1", "u_xt", "a derivative of 'u'")},
      {7, "k = 1\n[unknown]\nfloor = 2", reserved("9:1", "floor", "the function floor")},
      {7, "k = 1\n[definitions]\nu_n = 2", reserved("9:1", "u_n", "the normal derivative of 'u'")},
      {7, "k = 1\nn = 2", "no error"},
      {7, "k = 1\nu_y = 2", "no error"},
  });
}

TEST(ProblemFileErrors, Names) {
  expect_messages({
      {2, "fields = [\"u\", \"u\"]",
       "p:2:16: name 'u' is declared already; every name has one meaning"},
      {7, "x = 1", "p:5:11: name 'x' is declared already; every name has one meaning"},
      {7, "k = 1\n[definitions]\nk = 2",
       "p:9:1: name 'k' is declared already; every name has one meaning"},
      {7, "k = \"c\"\n[unknown]\nc = 1",
       "p:7:5: parameter 'k' depends on 'c', which is an unknown; write it under [definitions]"},
      {7, "k = \"2*k\"",
       "p:7:5: parameters are circular: k -> k; give one of them a number: k = 1"},
      {5, "space = { x = [0, 1] }\nranges = { k = [0, 1] }",
       "p:6:12: name 'k' is declared already; every name has one meaning"},
      {2, "fields = [\"u\"]\ncoefficients = { c = [\"y\"] }",
       "p:3:23: unknown coordinate 'y'; coordinates are: t, x"},
      {5, "space = { x = [1, 0] }",
       "p:5:15: the ends must be finite with lower < upper, got 1 and 0"},
      {4, "time = { t = [1, 0] }",
       "p:4:14: 't' goes from 1 to 0; the lower end must be below the upper one, both finite"},
      {4, "time = { x = [0, 1] }",
       "p:4:14: 'x' occurs twice in a product; give every coordinate a name of its own"},
      {7, "k = 1\n[unknown]\nc = { initial = 3, upper = 2 }",
       "p:9:5: the initial value 3 is not between its bounds -inf and 2; start strictly inside"},
  });
}

TEST(ProblemFileErrors, Sizes) {
  const auto size = [](const std::string& text) { return "fields = [\"u\"]\nsizes = " + text; };
  expect_messages({
      {2, size("{ u = \"2*k\" }"), "no error"},
      {2, size("{ v = 2 }"), "p:3:11: unknown field 'v'; fields are: u"},
      {2, size("{ u = 0 }"), "p:3:15: the size of 'u' must be positive, got 0"},
      {2, size("{ u = -2.5 }"), "p:3:15: the size of 'u' must be positive, got -2.5"},
      {2, size("{ u = inf }"), "p:3:15: 'u' must be a finite number, got inf"},
      {2, size("{ u = \"t\" }"), "p:3:16: unknown name 't'; did you mean 'k'?"},
      {2, size("2"), "p:3:9: 'sizes' must be a table, got a whole number; sizes = { u = 0.3 }"},
  });
}

TEST(ProblemFileErrors, Places) {
  expect_messages({
      {14, "where = \"lft\"", "p:14:10: unknown name 'lft'; did you mean 'left'?"},
      {14, "where = \"left and y > 0\"", "p:14:19: unknown name 'y'; did you mean 'k'?"},
      {14, "where = \"x > 2\"",
       "p:14:9: 'x > 2' selects no part of the boundary; the pieces are left, right"},
      {14, "where = \"t = 2\"", "p:14:9: t = 2 is outside of [0, 1]; name a time inside of it"},
      {14, "where = \"t = w\"", "p:14:14: unknown name 'w'; did you mean 'u'?"},
      {14, "where = \"\"",
       "p:14:9: the condition does not say where it holds; where = \"boundary\", \"t = 0\", or the "
       "name of a piece"},
      {14, "point = { t = 0, y = 1 }", "p:14:18: unknown coordinate 'y'; coordinates are: t, x"},
      {14, "point = { t = 0 }",
       "p:13:1: the point has no value of 'x'; give every coordinate a number"},
      {15, "form = \"u = 0\"\n[[condition]]\nperiodic = \"y\"",
       "p:16:1: 'y' is not a coordinate of space; they are: x"},
  });
}

TEST(ProblemFileErrors, ContradictoryConditions) {
  expect_messages({
      {15, "form = \"u = 0\"\n[[condition]]\nwhere = \"boundary\"\nform = \"u = 1\"",
       "p:16:1: condition 'u = 1 on boundary' contradicts condition 'u = 0 on left'; one point "
       "cannot have two values; say where each holds"},
      {15, "form = \"u = 0\"\nweight = -1", "p:16:10: 'weight' must not be negative, got -1"},
      {2, "fields = [\"u\", \"v\"]",
       "p:2:10: 2 fields need as many equations, got 1; a coefficient that is to be found belongs "
       "in coefficients"},
      {17, "u = 0\ninterpolation = \"linear\"",
       "p:18:1: 'interpolation' has no meaning without 'file'; remove it"},
      {17, "exact = \"kovasznay\"",
       "p:16:1: exact solution 'kovasznay' is one of fields (u, v, p), this problem has (u); "
       "rename the fields, or take another reference"},
  });
}

TEST(ProblemFileErrors, Weights) {
  const auto weight = [](const std::string& text) { return "form = \"u = 0\"\nweight = " + text; };
  const std::string fix = "; write it with coordinates, parameters and tables";
  const std::string on_left = "p:16:10: weight of condition 'u = 0 on left' ";
  expect_messages({
      {15, weight("\"1 + 10*exp(-t)\""), "no error"},
      {15, weight("\"2*k\""), "no error"},
      {15, weight("\"1 + u\""), on_left + "depends on 'u'" + fix},
      {15, weight("\"n_x\""), on_left + "depends on 'n_x'" + fix},
      {9, "form = \"u_t = k*u_xx\"\nweight = \"1 + c\"\n[unknown]\nc = 1",
       "p:10:10: weight of equation 'u_t = k*u_xx' depends on 'c'" + fix},
      {15, weight("\"-k\""), on_left + "is -0.1; weights are finite and not negative"},
      {15, weight("true"),
       "p:16:10: 'weight' must be a number or a string with an expression, got true or false"},
  });
  const std::string negative =
      error_of([&] { (void)parse_problem_file(with_line(15, weight("\"t - 2\"")), "p"); });
  EXPECT_TRUE(negative.starts_with(on_left + "is -1.")) << negative;
}

TEST(ProblemFileErrors, DataFiles) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "good.csv", "t,x,u\n0.5,0.5,1\n");
  write_file_atomically(folder / "good.xyz", "t,x,u\n0.5,0.5,1\n");
  write_file_atomically(folder / "bad.csv", "t,x,u\n0.5,0.5,1\n0.5,zero,1\n");
  write_file_atomically(folder / "far.csv", "t,x,u\n0.5,0.5,1\n0.5,1.5,1\n");
  write_file_atomically(folder / "late.csv", "t,x,u\n0.5,0.5,1\n3,0.5,1\n");
  write_file_atomically(folder / "short.csv", "t,u\n0.5,1\n");
  write_file_atomically(folder / "grid.csv", "t,x,u\n0,0,1\n0,1,1\n1,0,3\n");
  write_file_atomically(folder / "whole.csv", "t,x,u\n0,0,1\n0,1,1\n1,0,3\n1,1,3\n");
  const auto observe = [](const std::string& rest) {
    return "form = \"u = 0\"\n[[observation]]\n" + rest;
  };
  expect_messages(
      {
          {15, observe("file = \"good.csv\""), "no error"},
          {15, observe("file = \"none.csv\""),
           "p:17:8: file 'none.csv' not found; it is looked for in "},
          {15, observe("file = \"good.xyz\""),
           "p:17:8: good.xyz: ending '.xyz' is not one of a table; endings are: .csv .tsv .txt "
           ".npy .npz "
           ".h5 .hdf5"},
          {15, observe("file = \"bad.csv\""),
           "bad.csv:3:5: 'zero' is not a number; write a number, or remove the row"},
          {15, observe("file = \"far.csv\""),
           "p:16:1: row 2: the point (1.5) is outside of the domain; remove the row or mend it"},
          {15, observe("file = \"late.csv\""),
           "p:16:1: row 2: t = 3 is outside of [0, 1]; remove the row or mend it"},
          {15, observe("file = \"short.csv\""),
           "p:17:8: there is no column 'x' in the file; columns are: t, u"},
          {15, observe("file = \"good.csv\"\ncolumn = \"v\""),
           "p:18:10: there is no column 'v' in the file; columns are: t, x, u"},
          {15, observe("file = \"good.csv\"\nof = \"k\"\ncolumn = \"u\""),
           "p:16:1: observation 'k in good.csv' observes no field; fields are: u"},
          {15, observe("of = \"u\""),
           "p:16:1: missing key 'file' in [[observation]]; file = \"data.csv\""},
          {17, "file = \"whole.csv\"\ninterpolation = \"linear\"", "no error"},
          {17, "file = \"whole.csv\"\ninterpolation = \"cubik\"",
           "p:18:17: unknown interpolation 'cubik'; did you mean 'cubic'?"},
          {17, "file = \"whole.csv\"\ninterpolation = \"nearest\"", "no error"},
          {17, "file = \"grid.csv\"", "no error"},
          {17, "file = \"grid.csv\"\ninterpolation = \"linear\"",
           "p:18:1: 'interpolation' has no meaning: the 3 rows are no full grid of (t, x); remove "
           "it: errors are measured at the scattered points"},
          {17, "file = \"far.csv\"",
           "p:16:1: row 2: the point (1.5) is outside of the domain; remove the row or mend it"},
          {17, "file = \"late.csv\"",
           "p:16:1: row 2: t = 3 is outside of [0, 1]; remove the row or mend it"},
          {7, "k = 1\n[functions]\na = { file = \"grid.csv\", arguments = [\"t\", \"y\"] }",
           "p:9:44: there is no column 'y' in the file; columns are: t, x, u"},
          {7,
           "k = 1\n[functions]\na = { file = \"grid.csv\", arguments = [\"t\", \"x\"], column = "
           "\"u\" }",
           "p:9:14: 3 rows are no full grid of (t, x): that would be 4 rows; give a value at every "
           "point of a grid"},
      },
      folder.path());
}

}  // namespace cauchy::test_problem_file_errors
