// Collapsed components give the residuals and gradients of the plain ones.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/engine/residual_form.hpp>

#include "support/engine_cases.hpp"

namespace cauchy::test::test_collapse {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v"), p("p");

struct Problem {
  std::string name;
  std::vector<std::string> coordinates, fields;
  std::vector<Expr> residuals;
  int collapsed_size, plain_size;  ///< components
};

std::vector<Problem> problems() {
  const auto laplacian = [](const Expr& w) { return d(w, x, x) + d(w, y, y); };
  const auto momentum = [&](const Expr& w, const Coordinate& direction) {
    return d(w, t) + u * d(w, x) + v * d(w, y) + d(p, direction) - 0.25 * laplacian(w);
  };
  return {
      {"poisson", {"x", "y"}, {"u"}, {laplacian(u) + sin(x) * u}, 4, 5},
      {"anisotropic", {"x", "y"}, {"u"}, {exp(2 * d(u, x, x) + 3 * d(u, y, y)) - u}, 4, 5},
      {"burgers", {"t", "x"}, {"u"}, {d(u, t) + u * d(u, x) - 0.0625 * d(u, x, x)}, 3, 4},
      {"plate",
       {"x", "y"},
       {"u"},
       {d(u, x, x, x, x) + 2 * d(u, x, x, y, y) + d(u, y, y, y, y) - x},
       11,
       13},
      {"navier_stokes",
       {"t", "x", "y"},
       {"u", "v", "p"},
       {momentum(u, x), momentum(v, y), d(u, x) + d(v, y)},
       4,
       6},
  };
}

std::shared_ptr<Graph> network(const Problem& problem) {
  auto g = std::make_shared<Graph>(problem.coordinates);
  const int h = g->activation(g->affine(g->coordinates(), 6), Activation::tanh);
  const int h2 = g->divide(g->activation(g->affine(h, 6), Activation::sin),
                           g->add(g->number(2), g->affine(h, 1, false)));
  const int out = g->affine(h2, static_cast<int>(problem.fields.size()));
  for (std::size_t k = 0; k < problem.fields.size(); ++k) {
    g->output(problem.fields[k], out, static_cast<int>(k));
  }
  return g;
}

template <class T>
struct Result {
  std::vector<T> residuals, gradient;  ///< gradient of the sum of all residuals
};

/// Forward, residual program, reverse program, backward: one block.
template <class T>
Result<T> run(const NamedBackend<T>& b, const Problem& problem, bool collapse) {
  const ResidualForm form =
      residual_form(problem.residuals, problem.coordinates, problem.fields, collapse, problem.name);
  EXPECT_EQ(form.jets.size(), collapse ? problem.collapsed_size : problem.plain_size);
  const auto graph = network(problem);
  const int n_coordinates = static_cast<int>(problem.coordinates.size());
  const std::size_t n = block_size(*b.backend, 5);
  const std::vector<double> points = test_points(n_coordinates, n);
  const std::vector<T> rounded(points.begin(), points.end());
  Evaluation<T> e(b.backend, graph, form.jets, points, n);
  e.forward(test_parameters(*graph));

  ProgramSpec spec;
  std::vector<const T*> inputs;
  for (std::size_t i = 0; i < problem.coordinates.size(); ++i) {
    spec.inputs.push_back(Coordinate(problem.coordinates[i]));
    inputs.push_back(rounded.data() + i * n);
  }
  for (const auto& row : form.rows) {
    spec.inputs.push_back(row.atom);
    inputs.push_back(&e.value(static_cast<std::size_t>(row.field), row.component, 0));
  }
  spec.outputs = form.residuals;
  Result<T> result;
  result.residuals.resize(form.residuals.size() * n);
  std::vector<T*> outputs;
  for (std::size_t k = 0; k < form.residuals.size(); ++k) {
    outputs.push_back(result.residuals.data() + k * n);
  }
  const Program<T> values(spec), reverse(reverse_spec(spec));
  std::vector<T> workspace(std::max(values.workspace_size(), reverse.workspace_size()));
  values.run(n, inputs.data(), nullptr, outputs.data(), nullptr, workspace.data());

  const std::vector<T> ones(n, T(1));
  inputs.insert(inputs.end(), form.residuals.size(), ones.data());
  std::vector<std::vector<T>> adjoints(spec.inputs.size(), std::vector<T>(n));
  outputs.clear();
  for (auto& a : adjoints) outputs.push_back(a.data());
  reverse.run(n, inputs.data(), nullptr, outputs.data(), nullptr, workspace.data());
  const auto size = static_cast<std::size_t>(form.jets.size());
  std::vector<double> seeds(problem.fields.size() * size * n, 0.0);
  for (std::size_t i = 0; i < form.rows.size(); ++i) {
    const auto& row = form.rows[i];
    for (std::size_t q = 0; q < n; ++q) {
      seeds[(static_cast<std::size_t>(row.field) * size + static_cast<std::size_t>(row.component)) *
                n +
            q] = static_cast<double>(adjoints[problem.coordinates.size() + i][q]);
    }
  }
  e.seed(seeds);
  result.gradient = e.gradient();
  return result;
}

template <class T>
void compare(const std::vector<T>& got, const std::vector<T>& want, const char* what) {
  ASSERT_EQ(got.size(), want.size());
  double largest = 1;
  for (const T w : want) largest = std::max(largest, std::abs(static_cast<double>(w)));
  // 64 roundings for each of up to 60 terms (the plate), relative to the largest entry.
  const double tolerance = 64 * std::numeric_limits<T>::epsilon() * 60 * largest;
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_LT(std::abs(static_cast<double>(got[i] - want[i])), tolerance) << what << " " << i;
  }
}

class Collapse : public ::testing::TestWithParam<Problem> {};

template <class T>
void check(const Problem& problem) {
  for (const NamedBackend<T>& b : backends<T>()) {
    SCOPED_TRACE(b.name);
    const Result<T> collapsed = run(b, problem, true), plain = run(b, problem, false);
    compare(collapsed.residuals, plain.residuals, "residual");
    compare(collapsed.gradient, plain.gradient, "gradient");
  }
}

TEST_P(Collapse, OnEqualsOff) {
  check<double>(GetParam());
  check<float>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Engine, Collapse, ::testing::ValuesIn(problems()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace cauchy::test::test_collapse
