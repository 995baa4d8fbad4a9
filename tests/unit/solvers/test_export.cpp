#include <cauchy/solvers/export.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/io/npz.hpp>

#include "solvers/pinn/pinn_start.hpp"
#include "support/pinn_cases.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_export {
namespace {

using namespace pinn_cases;
using ::testing::HasSubstr;

/// Heat with a conductivity that is to be found, after a few steps.
Problem unknown_conductivity() {
  Problem p = heat();
  p.unknowns = {{"k", 1.0, 0.0, {}, 0.25}};
  p.equation = {d(u, t) == Parameter("k") * d(u, x, x)};
  return p;
}

Pinn few_steps() {
  Pinn m = small();
  m.stages = {{AdamOptions{}, 3}};
  return m;
}

std::vector<double> values_of(const TrainedNetwork& network, const Expr& e,
                              const std::vector<double>& rows) {
  HostExecutor<double> executor(network.graph, {});
  std::vector<double> out(rows.size() / network.graph->coordinate_names().size());
  executor.predict(std::vector<Expr>{e}, network.theta, rows, out);
  return out;
}

TEST(Export, NamesTheArraysOfANetworkAfterItsLayers) {
  const Solution s = solve(unknown_conductivity(), few_steps());
  const std::map<std::string, Array> arrays = parameter_arrays(s);
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"hidden1.bias", "hidden1.weight", "hidden3.bias",
                                             "hidden3.weight", "output5.bias", "output5.weight",
                                             "unknown/k"}));
  EXPECT_EQ(arrays.at("hidden1.weight").shape, (std::vector<std::size_t>{8, 2}));
  EXPECT_EQ(arrays.at("hidden1.bias").shape, (std::vector<std::size_t>{8}));
  EXPECT_EQ(arrays.at("unknown/k").values, (std::vector<double>{s.unknowns.at("k")}));
}

TEST(Export, ARunStartsFromAnArchiveAsFromTheRunItself) {
  const TemporaryFolder folder;
  const Problem problem = unknown_conductivity();
  const Solution s = solve(problem, few_steps());
  save_solution(folder / "solution.bin", s);
  write_npz(folder / "s.npz", parameter_arrays(s));
  const auto start_from = [&](const std::string& file) {
    Pinn m = few_steps();
    m.start = (folder / file).string();
    return detail::first_parameters(
        detail::PinnAssembly(std::make_shared<const Problem>(problem), m));
  };
  EXPECT_EQ(start_from("s.npz"), start_from("solution.bin"));
  ProblemFile file{problem, few_steps()};
  std::get<Pinn>(file.method).start = (folder / "s.npz").string();
  EXPECT_TRUE(begin_run(folder / "run", file).inputs().contains("data/start.npz"));

  std::map<std::string, Array> arrays = parameter_arrays(s);
  const Array weight = arrays.at("hidden3.weight");
  arrays["hidden3.weight"] = Array::list(weight.values);
  write_npz(folder / "flat.npz", arrays);
  EXPECT_THAT(message_of([&] { (void)start_from("flat.npz"); }),
              HasSubstr("the array 'hidden3.weight' is 64, the network has 8 x 8"));
  arrays.erase("hidden3.weight");
  write_npz(folder / "less.npz", arrays);
  EXPECT_THAT(message_of([&] { (void)start_from("less.npz"); }),
              HasSubstr("less.npz: there is no array 'hidden3.weight'; it has: hidden1.bias,"));
}

TEST(Export, EveryWindowOfTimeHasItsNetworkAndItsPlace) {
  Pinn m = few_steps();
  m.rules.curriculum = WindowCurriculum{.count = 3};
  const Solution s = solve(heat(), m, {.threads = 1});
  const std::vector<TrainedNetwork> networks = networks_of(s);
  ASSERT_GE(networks.size(), 2u);
  // The first network whose condition holds counts, or the last one.
  for (const double time : {0.0, 0.2, 1.0 / 3, 0.5, 0.9, 1.0, 1.1}) {
    std::size_t w = 0;
    while (w + 1 < networks.size() && evaluate(networks[w].where, Values().set(t, time)) == 0) ++w;
    const std::vector<double> row{time, 0.3};
    EXPECT_EQ(values_of(networks[w], u, row), s(u, row)) << time;
  }
  EXPECT_TRUE(parameter_arrays(s).contains("network/1/hidden0.weight"));
  const std::string text = to_cpp_header(s, {.name = "bar"});
  EXPECT_THAT(text, HasSubstr("if (use_0 != 0) return part_0::evaluate<part_0::jets_0>(x, out);"));
  EXPECT_THAT(text, HasSubstr("inline double u(double t, double x) {"));
}

TEST(Export, WritesFoundConstantsAndRefusesAnswersWithoutNetworks) {
  const Solution s = solve(unknown_conductivity(), few_steps());
  EXPECT_THAT(to_cpp_header(s), HasSubstr("inline constexpr double k = "));
  const Solution classical = solve(heat(), Fdm{});
  EXPECT_THAT(message_of([&] { (void)to_cpp_header(classical); }), HasSubstr("has no network"));
}

}  // namespace
}  // namespace cauchy::test_export
