// Curricula in a run, and runs that start from others.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/pinn/pinn_start.hpp"
#include "support/message_of.hpp"
#include "support/pinn_cases.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn_start {
namespace {

using namespace pinn_cases;

/// Heat with an unknown conductivity and three observations.
Problem inverse_heat() {
  Problem p = heat();
  p.unknowns = {{"k", 1.0, 0.0, {}, 0.25}};
  p.equation = {d(u, t) == Parameter("k") * d(u, x, x)};
  p.observation = {{"data", u, "u", "",
                    Table{{"t", "x", "u"}, {0.9, 0.1, 0.5, 0.1, 0, 0.9, 0.4, 0.5, 0.6}, "memory"}}};
  return p;
}

std::vector<double> start_of(const Problem& p, const Pinn& m) {
  return detail::first_parameters(detail::PinnAssembly(std::make_shared<const Problem>(p), m));
}

TEST(PinnStart, TakesNetworkAndConstantsOver) {
  const TemporaryFolder folder;
  Pinn m = small();
  const Solution first = solve(inverse_heat(), m);
  save_solution(folder / "solution.bin", first);
  // The same problem: it goes on where the other one ended.
  Pinn next = m;
  next.start = (folder / "").string();
  EXPECT_EQ(start_of(inverse_heat(), next).size(), first.training->parameters.size());
  const Solution second = solve(inverse_heat(), next);
  const double end = first.training->history.back().loss;
  EXPECT_LT(std::abs(second.training->history[0].loss - end), 1e-12 * end);
  EXPECT_LT(std::abs(second.training->history[0].unknowns[0] - first.unknowns.at("k")), 1e-14);
  EXPECT_LT(second.training->history.back().loss, end);
  // Another problem without constants takes the network alone, one with other bounds the value.
  const std::vector<double>& theta = first.training->parameters;
  EXPECT_EQ(start_of(heat(), next), (std::vector<double>{theta.begin() + 1, theta.end()}));
  Problem other = inverse_heat();
  other.unknowns = {{"c", 3.0}, {"k", 2.0, {}, {}, {}}};
  other.equation = {d(u, t) == Parameter("k") * d(u, x, x) + 0 * Parameter("c")};
  const std::vector<double> moved = start_of(other, next);
  EXPECT_EQ(moved[0], 3) << "a constant that the other run did not have";
  EXPECT_EQ(moved[1], first.unknowns.at("k"));
  EXPECT_EQ(moved.back(), theta.back());
  EXPECT_NE(start_of(heat(), m), start_of(heat(), next));
}

TEST(PinnStart, SaysWhatDoesNotFit) {
  const TemporaryFolder folder;
  Pinn m = small();
  m.stages = {{AdamOptions{}, 1}};
  save_solution(folder / "solution.bin", solve(inverse_heat(), m));
  m.start = (folder / "solution.bin").string();
  const auto message = [&](const Problem& p, const Pinn& method) {
    const std::string text = message_of([&] { (void)prepare(p, method); });
    const std::size_t at = text.find(": ");
    return at == std::string::npos ? text : text.substr(at + 2);
  };
  EXPECT_EQ(message(heat(), m), "no error");
  Pinn wide = m, other = m, missing = m;
  wide.network = Mlp{.width = 9, .depth = 2};
  other.network = Mlp{.width = 8, .depth = 2, .activation = Activation::sin};
  missing.start = (folder / "nothing").string();
  EXPECT_EQ(
      message(heat(), wide),
      "its network is not that of this run: pinn, 8 x 2 tanh, 106 parameters, here pinn, 9 x 2 "
      "tanh, 127 parameters; use the same network, with as many fields and coordinates");
  EXPECT_NE(message(heat(), other).find("is not that of this run"), std::string::npos);
  EXPECT_EQ(message(heat(), missing),
            "there is no answer to start from; name the folder of a run that has ended, its "
            "solution.bin, or an .npz file");
  Problem bounded = inverse_heat();
  bounded.unknowns = {{"k", 5.0, 4.0, {}, {}}};
  EXPECT_NE(message(bounded, m).find("which is not between its bounds 4 and inf"),
            std::string::npos)
      << message(bounded, m);
}

TEST(PinnStart, IsAnInputOfARunFolder) {
  const TemporaryFolder folder;
  Pinn m = small();
  m.stages = {{AdamOptions{}, 2}};
  save_solution(folder / "first.bin", solve(heat(), m));
  ProblemFile file{heat(), m};
  std::get<Pinn>(file.method).start = (folder / "first.bin").string();
  {
    const RunFolder run = begin_run(folder / "run", file);
    EXPECT_TRUE(run.inputs().contains("data/start.bin"));
    finish_run(run, file, solve(file.problem, file.method), {});
  }
  const LoadedRun loaded = load_run(folder / "run");
  EXPECT_EQ(std::get<Pinn>(loaded.file.method).start, (folder / "run/data/start.bin").string());
  // In a file the path is seen from the file, on the command line from where the user is.
  const std::string text = to_toml(file);
  const auto start = [&](const std::vector<std::string>& set) {
    return std::get<Pinn>(parse_problem_file(text, "p", "/data", set).method).start;
  };
  EXPECT_EQ(start({}), (folder / "first.bin").string()) << "absolute paths stay";
  EXPECT_EQ(start({"method.start=runs/a"}), "runs/a");
}

// --- curricula ---

TEST(PinnCurricula, SurviveAResumeWithRedrawsAndBatches) {
  Pinn m = small();
  m.points.redraw = 3;
  m.points.batch = 25;
  m.stages = {{AdamOptions{}, 8}, {AdamOptions{}, 8}, {LbfgsOptions{}, 6}};
  const CurriculumOptions all[] = {GrowingTimeCurriculum{}, DataCurriculum{}, LossCurriculum{}};
  const TemporaryFolder folder;
  for (const CurriculumOptions& curriculum : all) {
    m.rules.curriculum = curriculum;
    const Solution whole = solve(inverse_heat(), m);
    for (const std::uint64_t at : {4, 8, 9, 13, 16, 19}) {
      StopAfter stop(at);
      RunOptions options{
          .progress = &stop, .checkpoint = folder / "run.bin", .checkpoint_seconds = 1e9};
      EXPECT_TRUE(solve(inverse_heat(), m, options).interrupted);
      options.progress = nullptr;
      const Solution rest = solve(inverse_heat(), m, options);
      EXPECT_EQ(rest.training->parameters, whole.training->parameters)
          << at << " " << curriculum.index();
      std::filesystem::remove(folder / "run.bin");
    }
  }
}

TEST(PinnCurricula, LetImportanceSamplingBeginWithFewPoints) {
  Pinn m = small();
  m.points.interior = 60;
  // A quarter of the time has 15 points, fewer than a batch; probabilities of 30 are not those
  // of 45.
  m.stages = {{AdamOptions{}, 5}, {AdamOptions{}, 5}, {AdamOptions{}, 5}, {AdamOptions{}, 5}};
  m.rules.curriculum = GrowingTimeCurriculum{};
  m.rules.point_scheme = ImportancePoints{.period = 1000, .batch = 20};
  const Solution whole = solve(heat(), m);
  EXPECT_TRUE(std::isfinite(whole.training->loss()));
  const TemporaryFolder folder;
  for (const std::uint64_t at : {4, 5, 10, 12, 15}) {
    StopAfter stop(at);
    RunOptions options{
        .progress = &stop, .checkpoint = folder / "run.bin", .checkpoint_seconds = 1e9};
    EXPECT_TRUE(solve(heat(), m, options).interrupted);
    options.progress = nullptr;
    EXPECT_EQ(solve(heat(), m, options).training->parameters, whole.training->parameters) << at;
    std::filesystem::remove(folder / "run.bin");
  }
}

TEST(PinnCurricula, EndWithTheWholeTask) {
  Pinn m = small();
  m.stages = {{AdamOptions{}, 2}, {AdamOptions{}, 2}};
  const Solution plain = solve(heat(), m);
  m.rules.curriculum = GrowingTimeCurriculum{};
  const Solution s = solve(heat(), m);
  for (const auto& [name, points] : s.training->points) {
    EXPECT_EQ(points.size(), plain.training->points.at(name).size()) << name;
  }
  EXPECT_NE(s.training->parameters, plain.training->parameters);
}

}  // namespace
}  // namespace cauchy::test_pinn_start
