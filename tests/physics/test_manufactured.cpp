// Exact solutions of partial differential equations as the fields of a graph: the residuals that
// the engine computes for them must vanish to rounding, in every precision and on every path.
#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace cauchy::test_manufactured {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v"), p("p");
const Parameter nu("nu");

/// An equation is the list of its terms: sum of the terms = 0. Sources are written out by hand.
struct Problem {
  std::string name;
  Domain domain;
  std::vector<std::string> fields;
  std::vector<Expr> exact;  ///< one per field
  std::vector<std::vector<Expr>> equations;
  int vanishing_terms = 0;  ///< terms that are zero everywhere
};

void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

Problem poisson() {
  return {
      "Poisson",
      Rectangle({-1, 0}, {1, 1}),
      {"u"},
      {sin(pi * x) * exp(x * y)},
      // Laplacian of f g = f'' g + 2 f' y g + f (x^2 + y^2) g with f = sin(pi x), g = exp(x y).
      {{d(u, x, x), d(u, y, y),
        -exp(x * y) * ((x * x + y * y - pow(pi, 2)) * sin(pi * x) + 2 * pi * y * cos(pi * x))}}};
}

Problem heat() {
  return {"Heat",
          Interval(-1, 1) * Time(t, 0, 1),
          {"u"},
          {exp(-nu * pi * pi * t) * sin(pi * x)},
          {{d(u, t), -nu * d(u, x, x)}}};
}

/// The soliton of speed c = 1.5.
Problem korteweg_de_vries() {
  const double c = 1.5;
  return {"KortewegDeVries",
          Interval(-3, 3) * Time(t, 0, 1),
          {"u"},
          {c / 2 * pow(cosh(std::sqrt(c) / 2 * (x - c * t)), -2)},
          {{d(u, t), 6 * u * d(u, x), d_n(u, x, 3)}}};
}

/// The travelling front of Kuramoto and Tsuzuki with speed c = 0.7.
Problem kuramoto_sivashinsky() {
  const double c = 0.7, k = std::sqrt(11.0 / 19) / 2;
  const Expr front = tanh(k * (x - c * t + 1));
  return {"KuramotoSivashinsky",
          Interval(-3, 3) * Time(t, 0, 1),
          {"u"},
          {c + 15.0 / 19 * std::sqrt(11.0 / 19) * (11 * pow(front, 3) - 9 * front)},
          {{d(u, t), u * d(u, x), d(u, x, x), d_n(u, x, 4)}}};
}

Problem plate() {
  const Expr square = x * x + y * y;
  return {"Plate",
          Rectangle({-1, -1}, {1, 1}),
          {"u"},
          {exp(x * y)},
          {{d_n(u, x, 4), 2 * d(u, x, x, y, y), d_n(u, y, 4),
            -(square * square + 8 * x * y + 4) * exp(x * y)}}};
}

/// Flow behind a grid at Reynolds number 1 / nu = 40.
Problem kovasznay() {
  // 1 / (2 nu) - sqrt(1 / (4 nu^2) + 4 pi^2), without cancellation.
  const double lambda = -4 * pi * pi / (20 + std::sqrt(400 + 4 * pi * pi));
  const Expr wake = exp(lambda * x);
  return {"Kovasznay",
          Rectangle({-0.5, -0.5}, {1, 1.5}),
          {"u", "v", "p"},
          {1 - wake * cos(2 * pi * y), lambda / (2 * pi) * wake * sin(2 * pi * y),
           (1 - wake * wake) / 2},
          {{u * d(u, x), v * d(u, y), d(p, x), -nu * d(u, x, x), -nu * d(u, y, y)},
           {u * d(v, x), v * d(v, y), d(p, y), -nu * d(v, x, x), -nu * d(v, y, y)},
           {d(u, x), d(v, y)}},
          1};  // p does not depend on y
}

Problem taylor_green() {
  const Expr decay = exp(-2 * nu * t);
  return {"TaylorGreen",
          Rectangle({0, 0}, {6, 6}) * Time(t, 0, 2),
          {"u", "v", "p"},
          {cos(x) * sin(y) * decay, -sin(x) * cos(y) * decay,
           -(cos(2 * x) + cos(2 * y)) * decay * decay / 4},
          {{d(u, t), u * d(u, x), v * d(u, y), d(p, x), -nu * d(u, x, x), -nu * d(u, y, y)},
           {d(v, t), u * d(v, x), v * d(v, y), d(p, y), -nu * d(v, x, x), -nu * d(v, y, y)},
           {d(u, x), d(v, y)}}};
}

double largest(const std::vector<double>& values, std::size_t k, std::size_t stride) {
  double m = 0;
  for (; k < values.size(); k += stride) {
    if (!(std::abs(values[k]) <= m)) m = std::abs(values[k]);  // NaN stays
  }
  return m;
}

constexpr std::size_t n_points = 150;

template <class T>
void check(const Problem& problem, const ExecutorOptions& options) {
  Graph g(problem.domain.columns());
  const int rows = g.expression(problem.exact);
  for (std::size_t i = 0; i < problem.fields.size(); ++i) {
    g.output(problem.fields[i], rows, static_cast<int>(i));
  }
  const auto graph = std::make_shared<const Graph>(std::move(g));

  // One term per system: the equations, then the equations with the sign of one term changed.
  std::vector<Expr> residuals, terms;
  for (const auto& equation : problem.equations) residuals.push_back(sum(equation));
  std::vector<Term> systems{{"equations", residuals}};
  for (std::size_t e = 0; e < residuals.size(); ++e) {
    for (const Expr& term : problem.equations[e]) {
      std::vector<Expr> wrong = residuals;
      wrong[e] = wrong[e] - 2 * term;
      systems.push_back({"wrong sign", wrong});
      terms.push_back(term);
    }
  }
  HostExecutor<T> executor(graph, systems, options);
  const std::vector<double> points =
      interior_points(problem.domain, n_points, {.kind = SamplerKind::uniform, .seed = 17}).values;
  for (std::size_t i = 0; i < systems.size(); ++i) executor.set_points(i, points);
  const std::vector<double> theta;
  std::vector<double> parts(n_points * terms.size());
  executor.predict(terms, theta, points, parts);

  std::vector<double> values(n_points * residuals.size());
  executor.residuals(0, theta, values);
  std::size_t k = 0;
  for (std::size_t e = 0; e < residuals.size(); ++e) {
    double size = 0;
    const std::size_t first = k;
    for (; k < first + problem.equations[e].size(); ++k) size += largest(parts, k, terms.size());
    // Every term comes from about 30 operations (arguments of functions up to 8, products and
    // powers inside the derivatives), each of which errs by half an eps of the largest value.
    const double tolerance = 32 * double{std::numeric_limits<T>::epsilon()} * size;
    EXPECT_GT(size, 0.1) << "equation " << e;
    EXPECT_LT(largest(values, e, residuals.size()), tolerance) << "equation " << e;
  }
  k = 0;
  int vanishing = 0;
  for (std::size_t e = 0; e < residuals.size(); ++e) {
    for (std::size_t i = 0; i < problem.equations[e].size(); ++i, ++k) {
      const double part = largest(parts, k, terms.size());
      vanishing += part == 0 ? 1 : 0;
      if (part == 0) continue;
      executor.residuals(k + 1, theta, values);  // is -2 times the term
      EXPECT_GT(largest(values, e, residuals.size()), part) << "equation " << e << ", term " << i;
    }
  }
  EXPECT_EQ(vanishing, problem.vanishing_terms);
}

class Manufactured : public ::testing::TestWithParam<std::tuple<Problem, BackendKind, bool>> {
 protected:
  static ExecutorOptions options() {
    return {.threads = 2,
            .collapse = std::get<2>(GetParam()),
            .backend = std::get<1>(GetParam()),
            .known = {{"nu", 0.025}}};
  }
};

TEST_P(Manufactured, SolutionHasNoResidualInDouble) {
  check<double>(std::get<0>(GetParam()), options());
}

TEST_P(Manufactured, SolutionHasNoResidualInFloat) {
  check<float>(std::get<0>(GetParam()), options());
}

INSTANTIATE_TEST_SUITE_P(
    Equations, Manufactured,
    ::testing::Combine(::testing::Values(poisson(), heat(), korteweg_de_vries(),
                                         kuramoto_sivashinsky(), plate(), kovasznay(),
                                         taylor_green()),
                       ::testing::Values(BackendKind::cpu, BackendKind::reference),
                       ::testing::Bool()),
    [](const auto& test) {
      return std::get<0>(test.param).name +
             (std::get<1>(test.param) == BackendKind::cpu ? "Cpu" : "Reference") +
             (std::get<2>(test.param) ? "Collapsed" : "Plain");
    });

/// Travelling waves a0 + a1 T + a2 T^2 + a3 T^3 with T = tanh(k (x - c t + s)) are also networks:
/// the same equations through affine maps, an activation and products, with known weights.
struct Wave {
  Problem problem;
  double k, c, s;
  double a[4];
};

template <class T>
void check_wave(const Wave& wave, const ExecutorOptions& options) {
  Graph g({"t", "x"});
  const int front = g.activation(g.affine(g.coordinates(), 1), Activation::tanh);
  const int square = g.multiply(front, front);
  const std::vector<int> powers{front, square, g.multiply(square, front)};
  g.output("u", g.affine(g.concatenate(powers), 1));
  std::vector<double> theta{-wave.k * wave.c, wave.k,    wave.k * wave.s, wave.a[1],
                            wave.a[2],        wave.a[3], wave.a[0]};
  const std::vector<Expr>& terms = wave.problem.equations[0];
  HostExecutor<T> executor(std::make_shared<const Graph>(std::move(g)),
                           {{"equation", {sum(terms)}}}, options);
  ASSERT_EQ(executor.n_parameters(), theta.size());
  const std::vector<double> points =
      interior_points(wave.problem.domain, n_points, {.kind = SamplerKind::uniform, .seed = 23})
          .values;
  executor.set_points(0, points);
  std::vector<double> parts(n_points * terms.size()), values(n_points);
  executor.predict(terms, theta, points, parts);
  double size = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) size += largest(parts, k, terms.size());
  // A derivative of order 4 of a product of three factors adds 3^4 products; the weights, rounded
  // to T, move the residual by as much again.
  const double tolerance = 64 * double{std::numeric_limits<T>::epsilon()} * size;
  executor.residuals(0, theta, values);
  EXPECT_LT(largest(values, 0, 1), tolerance);
  theta[0] = -theta[0];  // the wave runs the other way
  executor.residuals(0, theta, values);
  EXPECT_GT(largest(values, 0, 1), 0.1 * size);
}

TEST(ManufacturedNetwork, WavesHaveNoResidual) {
  const double kdv = 1.5, front = 15.0 / 19 * std::sqrt(11.0 / 19);
  const Wave waves[] = {
      {korteweg_de_vries(), std::sqrt(kdv) / 2, kdv, 0, {kdv / 2, 0, -kdv / 2, 0}},
      {kuramoto_sivashinsky(), std::sqrt(11.0 / 19) / 2, 0.7, 1, {0.7, -9 * front, 0, 11 * front}}};
  for (const Wave& wave : waves) {
    for (const BackendKind backend : {BackendKind::cpu, BackendKind::reference}) {
      for (const bool collapse : {false, true}) {
        SCOPED_TRACE(wave.problem.name + (backend == BackendKind::cpu ? " cpu" : " reference") +
                     (collapse ? " collapsed" : " plain"));
        check_wave<double>(wave, {.threads = 2, .collapse = collapse, .backend = backend});
        check_wave<float>(wave, {.threads = 2, .collapse = collapse, .backend = backend});
      }
    }
  }
}

TEST(ManufacturedForms, CollapseIsInPlayWhereTheEquationAllowsIt) {
  // Otherwise the collapsed runs above would repeat the plain ones.
  for (const Problem& problem : {poisson(), plate(), kovasznay(), taylor_green()}) {
    const std::vector<std::string> coordinates = problem.domain.columns();
    std::vector<Expr> residuals;
    for (const auto& equation : problem.equations) residuals.push_back(sum(equation));
    const auto components = [&](bool collapse) {
      return residual_form(residuals, coordinates, problem.fields, collapse, "term").jets.size();
    };
    EXPECT_LT(components(true), components(false)) << problem.name;
  }
}

}  // namespace
}  // namespace cauchy::test_manufactured
