// Networks as C++ headers: one program with many of them is compiled by the plain compiler, and its
// numbers are compared with those of the engine.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/engine/cpp_header.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/solvers/export.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/engine_cases.hpp"
#include "support/message_of.hpp"
#include "support/random_graph.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test::test_cpp_header {
namespace {

using ::testing::HasSubstr;

struct HeaderCase {
  std::string name;
  std::vector<TrainedNetwork> networks;
};

TrainedNetwork trained(std::shared_ptr<const Graph> graph, unsigned seed = 1) {
  std::vector<double> theta = test_parameters(*graph, seed);
  for (double& v : theta) v *= 0.5;
  return {std::move(graph), std::move(theta)};
}

/// The fields u and v on top of what `body` adds to the coordinates.
template <class Body>
HeaderCase header_case(std::string name, Body body) {
  auto g = std::make_shared<Graph>(std::vector<std::string>{"x", "y"});
  const int top = g->affine(body(*g), 2);
  g->output("u", top, 0);
  g->output("v", top, 1);
  return {std::move(name), {trained(std::move(g))}};
}

std::vector<HeaderCase> header_cases() {
  std::vector<HeaderCase> cases;
  const std::vector<std::string> fields{"u", "v"};
  for (const NetworkEntry& entry : all_networks()) {
    auto g = std::make_shared<Graph>(make_network(entry.options, {"x", "y"}, fields));
    std::vector<double> theta = initial_parameters(g->parameters(), Rng(3));
    cases.push_back({"network_" + std::string(entry.name), {{std::move(g), std::move(theta)}}});
  }
  for (unsigned seed = 0; seed < 8; ++seed) {
    cases.push_back(
        {fmt::format("random_{}", seed), {trained(random_graph(seed, 25, false), seed)}});
  }
  cases.push_back(header_case("activations", [](Graph& g) {
    std::vector<int> all;
    const int z = g.affine(g.coordinates(), 2);
    for (const Activation a : all_activations()) {
      const int x = a == Activation::sqrt ? g.add(g.multiply(z, z), g.number(1)) : z;
      all.push_back(g.activation(x, a));
    }
    return g.concatenate(all);
  }));
  cases.push_back(header_case("bases", [](Graph& g) {
    const int z = g.activation(g.affine(g.coordinates(), 2), Activation::tanh);
    const std::array all{g.basis(z, chebyshev_basis(5)),
                         g.basis(z, jacobi_basis(4, 0.5, 1.25)),
                         g.basis(z, chebyshev_basis(0)),
                         g.basis(z, gaussian_basis({-0.5, 0, 0.75}, 0.75)),
                         g.basis(z, bspline_basis({-1.5, -1, -0.5, 0, 0.25, 0.5, 1, 1.5}, 3)),
                         g.basis(z, bspline_basis({-1, -1, -1, -0.3, 0.2, 1, 1, 1}, 2)),
                         g.basis(z, bspline_basis({-1, 0.1, 1}, 0))};
    return g.concatenate(all);
  }));
  cases.push_back(header_case("expressions", [](Graph& g) {
    const Coordinate x("x"), y("y");
    g.constant("k", 1);
    return g.expression({pow(x, 3) * exp(-y), where(x < 0.75, log(x), sqrt(y)), mod(y, Expr(0.5)),
                         max(x, y) * sign(x - y), erf(x) / (1 + y), abs(x - 1) + floor(3 * x),
                         Parameter("k") * atan(y) + pow(x, 0.3), pi * min(x, y) * tan(x)});
  }));
  HeaderCase both = header_case("windows", [](Graph& g) { return g.coordinates(); });
  both.networks.push_back(cases.front().networks.front());
  both.networks.front().where = Coordinate("x") <= 0.75;
  cases.push_back(std::move(both));
  return cases;
}

const std::vector<std::string> functions{"u", "v", "u_x", "v_yy", "u_xy"};

std::vector<Expr> function_expressions() {
  const Field u("u"), v("v");
  const Coordinate x("x"), y("y");
  return {u, v, d(u, x), d_n(v, y, 2), d(d(u, x), y)};
}

/// What the engine says, point by point.
std::vector<double> expected(const HeaderCase& c, const std::vector<double>& rows) {
  const std::vector<Expr> expressions = function_expressions();
  std::vector<double> all;
  for (std::size_t p = 0; p < rows.size() / 2; ++p) {
    const std::span<const double> point = std::span(rows).subspan(2 * p, 2);
    const bool second = c.networks.size() > 1 && point[0] > 0.75;
    const TrainedNetwork& network = c.networks[second ? 1 : 0];
    HostExecutor<double> executor(network.graph, {});
    std::vector<double> values(expressions.size());
    executor.predict(expressions, network.theta, point, values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// The numbers that a program prints, one per line; empty when it cannot be compiled.
std::vector<double> compile_and_run(const TemporaryFolder& folder, const std::string& source) {
  const std::string program = folder.file("program");
  const std::string compile =
      fmt::format("{} -std=c++17 -O0 -Wall -Wextra -Wshadow -Wconversion -Werror {} -o {}",
                  CAUCHY_TEST_CXX, source, program);
  if (std::system(compile.c_str()) != 0) return {};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(program.c_str(), "r"),
                                                             ::pclose);
  std::vector<double> numbers;
  std::array<char, 64> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    numbers.push_back(std::strtod(line.data(), nullptr));
  }
  return numbers;
}

TEST(CppHeader, EqualsTheEngineToRounding) {
  const TemporaryFolder folder;
  const std::vector<double> columns = test_points(2, 4);
  std::vector<double> rows;
  for (std::size_t p = 0; p < 4; ++p) rows.insert(rows.end(), {columns[p], columns[4 + p]});
  const std::vector<HeaderCase> cases = header_cases();
  std::string includes = "#include <cstdio>\n", calls;
  std::set<OpCode> operations;
  for (const HeaderCase& c : cases) {
    CppHeaderOptions options{.name = c.name, .derivatives = function_expressions()};
    folder.write(c.name + ".hpp", to_cpp_header(c.networks, options));
    includes += fmt::format("#include \"{}.hpp\"\n", c.name);
    for (const Operation& op : c.networks.front().graph->ops()) operations.insert(op.code);
    for (std::size_t p = 0; p < 4; ++p) {
      const std::string point = fmt::format("({}, {})", rows[2 * p], rows[2 * p + 1]);
      for (const std::string& f : functions) {
        for (const std::string& call : {f + point, "jet" + point + "." + f}) {
          calls += fmt::format("  std::printf(\"%.17g\\n\", {}::{});\n", c.name, call);
        }
      }
    }
  }
  EXPECT_EQ(operations.size(), static_cast<std::size_t>(OpCode::expression));  // all but inputs
  const std::vector<double> got = compile_and_run(
      folder, folder.write("main.cpp", includes + "int main() {\n" + calls + "}\n"));
  ASSERT_EQ(got.size(), cases.size() * 4 * functions.size() * 2);
  std::size_t at = 0;
  for (const HeaderCase& c : cases) {
    const std::vector<double> want = expected(c, rows);
    for (std::size_t i = 0; i < want.size(); ++i) {
      for (int way = 0; way < 2; ++way) {
        // As in the random graphs: dozens of operations on top of each other, each worth 64
        // roundings and a growth of magnitudes between them.
        EXPECT_LT(std::abs(got[at++] - want[i]), 1e-11 * (1 + std::abs(want[i])))
            << c.name << ", " << functions[i % functions.size()] << ", point "
            << i / functions.size() << ": " << want[i];
      }
    }
  }
}

/// A few steps of training on pieces of a domain; what the answer is does not matter here.
Solution on_pieces(const Problem& p, std::vector<std::string> cuts) {
  Pinn m;
  m.network = Mlp{.width = 5, .depth = 2};
  m.points = {.interior = 60, .boundary = 20, .initial = 20};
  m.decompose = std::move(cuts);
  m.stages = {{AdamOptions{.learning_rate = 1e-2}, 5}};
  return solve(p, m, {.threads = 1});
}

/// div(k grad u) = 4 with another k within a circle of radius R, and the left side built in.
Problem disk_in_a_square() {
  const Coordinate x("x"), y("y");
  const Field u("u");
  Problem p;
  p.name = "disk";
  p.fields = {"u"};
  p.parameters = {{"R", 0.5}};
  p.domain = Rectangle({-1, -1}, {1, 1});
  const Expr k = where(x * x + y * y < pow(Parameter("R"), 2), Expr(3), Expr(1));
  p.equation = {div(k * grad(u, {x, y}), {x, y}) == 4};
  p.condition = {hard(on("left", u == 1 + y)), on("not left", u == 0)};
  return p;
}

TEST(CppHeader, OfAnswersOnPiecesEqualsTheirPredictions) {
  struct Case {
    Solution s;
    std::vector<std::string> names;  // of the coordinates
    std::vector<double> rows;        // two coordinates each; some lie on the cuts
  };
  const Case cases[] = {
      {on_pieces(disk_in_a_square(), {"x^2 + y^2 = R^2", "y = 0"}),
       {"x", "y"},
       {0.1, 0.2, -0.3, -0.1, 0.9, 0.4, -0.8, -0.7, 0.5, 0.0, 0.25, 0.0, 0.3, 0.4, -1, 0.5}},
      {on_pieces(heated_bar(), {"t = 0.5", "x = 0.25"}),
       {"t", "x"},
       {0.2, 0.1, 0.2, 0.7, 0.8, -0.9, 0.8, 0.6, 0.5, 0.25, 0.5, -0.5, 0.1, 0.25, 1.2, 0.9}}};
  const TemporaryFolder folder;
  const Field u("u");
  std::string includes = "#include <cstdio>\n", calls;
  std::vector<double> want;
  for (const Case& c : cases) {
    const std::string& name = c.s.problem.name;
    const Coordinate a(c.names[0]), b(c.names[1]);
    const std::vector<Expr> wanted{u, d(u, a), d(u, b, b)};
    ASSERT_EQ(networks_of(c.s).size(), 4u) << name;
    folder.write(name + ".hpp", to_cpp_header(c.s, {.name = name, .derivatives = wanted}));
    includes += fmt::format("#include \"{}.hpp\"\n", name);
    for (std::size_t i = 0; i < c.rows.size(); i += 2) {
      for (const std::string& f :
           {std::string("u"), "u_" + c.names[0], "u_" + c.names[1] + c.names[1]}) {
        calls += fmt::format("  std::printf(\"%.17g\\n\", {}::{}({}, {}));\n", name, f, c.rows[i],
                             c.rows[i + 1]);
      }
    }
    const std::vector<double> values = c.s.evaluate(wanted, c.rows);
    want.insert(want.end(), values.begin(), values.end());
  }
  const std::vector<double> got = compile_and_run(
      folder, folder.write("main.cpp", includes + "int main() {\n" + calls + "}\n"));
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    // A dozen operations of magnitudes below 1e3, each worth 64 roundings.
    EXPECT_LT(std::abs(got[i] - want[i]), 1e-11 * (1 + std::abs(want[i]))) << i;
  }
}

TEST(CppHeader, RefusesWhatItCannotWrite) {
  auto g = std::make_shared<Graph>(std::vector<std::string>{"x"});
  g->output("u", g->affine(g->input("a", 2), 1));
  const TrainedNetwork outside = trained(g);
  EXPECT_THAT(message_of([&] { (void)to_cpp_header(std::span(&outside, 1)); }),
              HasSubstr("inputs from outside"));
  auto h = std::make_shared<Graph>(std::vector<std::string>{"x"});
  h->output("u", h->affine(h->coordinates(), 1));
  const TrainedNetwork plain = trained(h);
  const auto message = [&](const Expr& e) {
    return message_of([&] { (void)to_cpp_header(std::span(&plain, 1), {.derivatives = {e}}); });
  };
  EXPECT_THAT(message(Field("w")), HasSubstr("'w' is not a field"));
  EXPECT_THAT(message(Field("u") * 2), HasSubstr("not a field"));
  EXPECT_THAT(message(d(Field("u"), Coordinate("t"))), HasSubstr("no coordinate"));
  EXPECT_THAT(message_of([] { (void)to_cpp_header(std::span<const TrainedNetwork>()); }),
              HasSubstr("no network"));
}

}  // namespace
}  // namespace cauchy::test::test_cpp_header
