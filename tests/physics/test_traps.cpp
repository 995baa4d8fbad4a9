// Problems on which a network ends with a wrong answer that looks right, or which have no or many
// solutions: none may be called converged, and each gets the sentence that names the reason.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/solvers/wellposed.hpp>

namespace cauchy::test_traps {
namespace {

const std::filesystem::path root = std::filesystem::path(CAUCHY_TEST_DATA) / ".." / "..";

/// looked at: warnings of the problem, of a network for it and of the coarse look, without a run;
/// refused: no problem at all; trained: the network of the file, whose grade and findings count.
enum class Way { looked, refused, trained };

struct Trap {
  std::string file;
  std::string sentence;  ///< part of one of the warnings or findings
  Way way = Way::looked;
};
void PrintTo(const Trap& t, std::ostream* out) { *out << t.file; }

const std::vector<Trap>& all_traps() {
  static const std::vector<Trap> all = {
      // answers that look right
      {"logistic_growth", "'u_t = 20*u*(-u + 1)'", Way::trained},
      {"lorenz_two", "'x_t = 10*(-x + y)'", Way::trained},
      {"unstable_equilibrium", "'u_t = u - u^3'", Way::trained},
      {"extinction", "'v_t = v*(u - 3)'", Way::trained},
      {"ignition", "'u = 0.001 on t = 0'", Way::trained},
      {"many_periods", "'100*u + u_tt = 0'", Way::trained},
      {"helmholtz_100", "'10000*u + u_xx = 0'", Way::trained},
      {"aliased_source", "'u_x = 1000*cos(1000*x)'", Way::trained},
      {"narrow_source", "largest at x = 0.314", Way::trained},
      {"boundary_layer", "'u_x = 0.0001*u_xx'", Way::trained},
      {"turning_point", "'1e-06*u_xx + u_x*(x - 0.3) = 0'", Way::trained},
      {"wrong_units", "'u_t = 1000000*u_xx'", Way::trained},
      {"stiff_start", "'u_t = -1000000*(u - cos(t))'", Way::trained},
      {"one_point", "holds on the training points", Way::trained},
      {"outflow_condition", "'u = 1 on right'", Way::trained},
      // a chaotic horizon
      {"lorenz_horizon", "an error at the start grows"},
      // missing conditions
      {"no_initial_value", "has 0 of 1 initial condition"},
      {"initial_slope_only", "a condition on that derivative is no initial one"},
      {"wave_one_initial_value", "has 1 of 2 initial conditions"},
      {"open_side", "no condition on 25 % of the boundary (left)"},
      {"no_conditions", "no condition on 100 % of the boundary"},
      {"plate_one_condition", "only 1 of 2 conditions on 100 % of the boundary"},
      {"dispersion_two_conditions", "has 2 of 3 conditions on the boundary"},
      {"open_inflow", "no condition on 50 % of the boundary (left), where"},
      {"laplace_cauchy", "no condition on 25 % of the boundary (right)"},
      {"field_without_equation", "field 'v' is in no equation"},
      {"pressure_constant", "up to a constant at best"},
      // no solution, many solutions
      {"bratu_above_fold", "turn back at 0.88 of their size (a fold)"},
      {"bratu_square", "turn back at 0.85 of their size (a fold)"},
      {"bratu_two_solutions", "finds 2 solutions"},
      {"bistable", "finds 3 solutions"},
      {"resonance_string", "adding sin(3*pi*x) to 'u' changes nothing"},
      {"resonance_pi", "adding sin(x) to 'u' changes nothing"},
      {"resonance_membrane", "adding sin(pi*x)*sin(2*pi*y) or sin(2*pi*x)*sin(pi*y) to 'u'"},
      {"near_resonance", "nearly singular: adding sin(3*pi*x) to 'u'"},
      {"robin_resonance", "adding x to 'u' changes nothing"},
      {"neumann_unbalanced", "the data of 'u' do not balance"},
      {"neumann_constant", "up to a constant at best"},
      {"both_ends", "2 conditions for equations of order 1 contradict each other"},
      {"integral_contradiction", "3 conditions for equations of order 2 contradict each other"},
      {"two_start_values", "contradicts condition 'u = 0 on t = 0'", Way::refused},
      {"blow_up", "grows beyond all bounds at t = 1 "},
      // ill-posed in time
      {"backward_heat", "short waves of 'u' grow without bound as t falls"},
      {"negative_diffusion", "short waves of 'u' grow without bound as t grows"},
      {"elliptic_in_time", "is elliptic in t"},
      // jumps
      {"two_materials", "the coefficient of u_xx"},
      {"two_materials_flux", "takes the derivative of a function that jumps"},
      {"shock_from_jump", "starts with a jump of 'u'"},
      {"shock_from_wave", "break at t = 0.318"},
      // unknown constants
      {"product_of_constants", "only the product c*k"},
      {"quotient_of_constants", "only the quotient c/k"},
      {"sum_of_constants", "only the sum a + b"},
      {"constant_without_data", "'k' is determined by no data"},
      {"blind_half", "coefficient 'k' is not determined where x > 0.5"},
      {"two_constants_one_value", "1 observed value for 2 unknown constants"},
  };
  return all;
}

std::string path_of(const Trap& t) {
  return (root / "problems" / "traps" / (t.file + ".toml")).string();
}

std::string warnings_for(const Trap& t) {
  const ProblemFile file = read_problem_file(path_of(t), {"method.kind=pinn"});
  std::string all;
  for (const std::string& w : warnings_of(*prepare(file.problem, file.method, 1))) all += w + "\n";
  for (const std::string& w : solvability_doubts(file.problem)) all += w + "\n";
  return all;
}

/// The method of the file, without a reference.
std::string findings_for(const Trap& t) {
  const ProblemFile file = read_problem_file(path_of(t));
  const Solution s = solve(file.problem, file.method, {.threads = 1});
  EXPECT_NE(s.grade, Grade::converged);
  std::string all = std::string(to_string(s.grade)) + "\n";
  for (const std::string& f : s.findings) all += f + "\n";
  for (const std::string& w : s.warnings) all += w + "\n";
  return all;
}

class Traps : public ::testing::TestWithParam<Trap> {};

TEST_P(Traps, AreNamedForWhatTheyAre) {
  const Trap& t = GetParam();
  std::string said;
  switch (t.way) {
    case Way::looked:
      said = warnings_for(t);
      break;
    case Way::trained:
      said = findings_for(t);
      break;
    case Way::refused:
      try {
        said = warnings_for(t);
        FAIL() << "was not refused";
      } catch (const Error& e) {
        said = e.what();
      }
      break;
  }
  EXPECT_NE(said.find(t.sentence), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(All, Traps, ::testing::ValuesIn(all_traps()),
                         [](const auto& test) { return test.param.file; });

TEST(TrapFiles, AreAllInTheTableAndOnThePage) {
  std::ifstream page(root / "docs" / "traps.md");
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  std::set<std::string> known;
  for (const Trap& t : all_traps()) known.insert(t.file);
  EXPECT_EQ(known.size(), all_traps().size());
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "problems" / "traps")) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const std::string name = entry.path().stem().string();
    EXPECT_TRUE(known.contains(name)) << name << " is not tested";
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name << " is not in docs/traps.md";
    std::ifstream file(entry.path());
    std::string first;
    std::getline(file, first);
    EXPECT_TRUE(first.starts_with("# Trap: ")) << name << " does not say what the trap is";
  }
  EXPECT_EQ(files, known.size());
  EXPECT_GE(files, 30u);
}

}  // namespace
}  // namespace cauchy::test_traps
