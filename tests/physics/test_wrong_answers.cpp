// Problems without a reference on which a network ends with a wrong answer, or which have no or
// many solutions: none may be called converged, and each gets the sentence that helps.
#include <string>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/method.hpp>

namespace cauchy::test_wrong_answers {
namespace {

struct WrongAnswer {
  std::string name, text;
  std::string sentence;  ///< part of one of the findings or warnings
};
void PrintTo(const WrongAnswer& w, std::ostream* out) { *out << w.name; }

std::string in_time(double end, const std::string& fields) {
  return "fields = [" + fields + "]\n[domain]\ntime = { t = [0, " + std::to_string(end) + "] }\n";
}
const std::string line = "fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n";
const std::string square = "fields = [\"u\"]\n[domain]\nspace = { x = [0, 1], y = [0, 1] }\n";
std::string equation(const std::string& form) { return "[[equation]]\nform = \"" + form + "\"\n"; }
std::string condition(const std::string& where, const std::string& form) {
  return "[[condition]]\nwhere = \"" + where + "\"\nform = \"" + form + "\"\n";
}
const std::string fixed = condition("boundary", "u = 0");

class WrongAnswers : public ::testing::TestWithParam<WrongAnswer> {};

TEST_P(WrongAnswers, AreNotCalledConverged) {
  const std::vector<std::string> settings = {"method.kind=pinn", "method.network.width=16",
                                             "method.network.depth=2"};
  ProblemFile file = parse_problem_file(GetParam().text, GetParam().name + ".toml", ".", settings);
  Pinn& method = std::get<Pinn>(file.method);
  method.stages = parse_stages("adam 300, ssbroyden 500");
  if (method.points.interior > 1) method.points.interior = 300;
  method.points.boundary = method.points.initial = 60;
  const Solution s = solve(file.problem, method, {.threads = 1});
  EXPECT_NE(s.grade, Grade::converged);
  std::string all;
  for (const std::string& f : s.findings) all += f + "\n";
  for (const std::string& w : s.warnings) all += w + "\n";
  EXPECT_NE(all.find(GetParam().sentence), std::string::npos) << to_string(s.grade) << "\n" << all;
}

INSTANTIATE_TEST_SUITE_P(
    Known, WrongAnswers,
    ::testing::Values(
        WrongAnswer{
            "logistic",
            in_time(1, "\"u\"") + equation("u_t = 20*u*(1 - u)") + condition("t = 0", "u = 1e-3"),
            "'u_t = 20*u*(-u + 1)'"},
        WrongAnswer{"lorenz",
                    in_time(2, "\"x\", \"y\", \"z\"") + equation("x_t = 10*(y - x)") +
                        equation("y_t = x*(28 - z) - y") + equation("z_t = x*y - 8*z/3") +
                        condition("t = 0", "x = 1") + condition("t = 0", "y = 1") +
                        condition("t = 0", "z = 1"),
                    "'x_t = 10*(-x + y)'"},
        WrongAnswer{
            "equilibrium",
            in_time(20, "\"u\"") + equation("u_t = u - u^3") + condition("t = 0", "u = 1e-4"),
            "'u_t = u - u^3'"},
        WrongAnswer{"helmholtz",
                    line + equation("u_xx + 1e4*u = 0") + condition("left", "u = 1") +
                        condition("right", "u = 0"),
                    "'10000*u + u_xx = 0'"},
        WrongAnswer{"two_materials", line + equation("where(x < 0.5, 1, 10)*u_xx = -1") + fixed,
                    "the coefficient of u_xx"},
        WrongAnswer{"no_initial_value",
                    "fields = [\"u\"]\n[domain]\ntime = { t = [0, 1] }\nspace = { x = [0, 1] }\n" +
                        equation("u_t = u_xx") + fixed,
                    "has 0 of 1 initial condition"},
        WrongAnswer{"open_side",
                    square + equation("laplacian(u) = -1") + condition("not left", "u = 0"),
                    "no condition on 25 % of the boundary (left)"},
        WrongAnswer{"no_conditions", square + equation("laplacian(u) = -1"),
                    "no condition on 100 % of the boundary"},
        WrongAnswer{"narrow_source",
                    line + equation("u_xx = -1e4*exp(-((x - 0.3141)/1e-4)^2)") + fixed,
                    "largest at x = 0.314"},
        WrongAnswer{"bratu", line + equation("u_xx + 4*exp(u) = 0") + fixed, "is violated"},
        WrongAnswer{"neumann",
                    square + equation("laplacian(u) = 1") + condition("boundary", "u_n = 0"),
                    "the data of 'u' do not balance"},
        WrongAnswer{"no_equation",
                    "fields = [\"u\", \"v\"]\n[domain]\nspace = { x = [0, 1] }\n" +
                        equation("u_xx = -1") + equation("u_xxx = 0") + fixed +
                        condition("boundary", "v = 0"),
                    "field 'v' is in no equation"},
        WrongAnswer{
            "one_point",
            line + equation("u_xx = -sin(20*x)") + fixed + "[method.points]\ninterior = 1\n",
            "holds on the training points"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace cauchy::test_wrong_answers
