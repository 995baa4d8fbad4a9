#include "operators/fno_function.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/field_network.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/tensor/executor.hpp>

#include "operators/grid_derivative.hpp"
#include "support/message_of.hpp"

namespace cauchy::detail::test_fno_function {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

Fno small_fno() {
  Fno f;
  f.width = 3;
  f.depth = 2;
  f.modes = {3};
  f.projection = 5;
  f.coordinates = false;
  f.smooth = true;
  return f;
}

FieldGrid circle_of(int n) { return {.axes = {{"x", n, 0, 1, true}}}; }
FieldGrid square_of(int n) { return {.axes = {{"x", n, 0, 1}, {"y", n, 0, 2}}}; }

/// An FNO with random parameters, ready to be asked for values of its graph.
struct Rig {
  std::shared_ptr<TensorGraph> graph = std::make_shared<TensorGraph>();
  FieldGrid grid;
  std::unique_ptr<FnoFunction> u;
  std::vector<double> theta, in;

  Rig(const Fno& f, const FieldGrid& g, const std::function<double(double, double)>& input,
      int n_outputs = 1)
      : grid(g) {
    const int a = graph->input("a", {1, grid.sizes()});
    u = std::make_unique<FnoFunction>(*graph, f, a, grid, n_outputs);
    theta = initial_parameters(graph->parameters(), Rng(5));
    const std::vector<double> x = grid.positions();
    const std::size_t d = grid.axes.size();
    for (std::size_t i = 0; i < grid.n_points(); ++i) {
      in.push_back(input(x[i * d], d > 1 ? x[i * d + 1] : 0));
    }
  }
  std::vector<double> at(int value) const {
    const auto e = make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
    std::vector<double> out(graph->shape(value).size());
    const std::span<const double> inputs[] = {in};
    e->predict(value, theta, 1, inputs, out);
    return out;
  }
};

double largest(const std::vector<double>& v) {
  double m = 0;
  for (const double x : v) m = std::max(m, std::abs(x));
  return m;
}

/// The query function: the series of v_depth with both signs of k, and Q, written out.
struct Query {
  std::vector<std::vector<std::complex<double>>> coefficients;  // [channel][k]
  std::vector<double> w0, b0, w1;
  double b1 = 0;
  int n = 0;

  Query(const Rig& rig, const Fno& f, const std::vector<double>& v) : n(rig.grid.axes[0].n) {
    for (int c = 0; c < f.width; ++c) {
      coefficients.emplace_back();
      for (int k = 0; k < n; ++k) {
        std::complex<double> sum = 0;
        for (int j = 0; j < n; ++j) {
          sum += v[static_cast<std::size_t>(c * n + j)] * std::polar(1.0 / n, -two_pi * k * j / n);
        }
        coefficients.back().push_back(sum);
      }
    }
    const auto& blocks = rig.graph->parameters();
    const auto copy = [&](std::size_t from_end) {
      const ParameterBlock& b = blocks[blocks.size() - from_end];
      return std::vector<double>(rig.theta.begin() + b.offset,
                                 rig.theta.begin() + b.offset + b.size());
    };
    w0 = copy(4);
    b0 = copy(3);
    w1 = copy(2);
    b1 = copy(1)[0];
  }
  /// u(x) and u'(x).
  std::pair<double, double> operator()(double x) const {
    std::vector<double> v, slope;
    for (const auto& c : coefficients) {
      std::complex<double> value = 0, derivative = 0;
      for (int k = 0; k < n; ++k) {
        const int frequency = 2 * k < n ? k : k - n;
        const std::complex<double> i(0, 1);
        const std::complex<double> e =
            c[static_cast<std::size_t>(k)] * std::exp(i * (two_pi * frequency * x));
        value += e;
        if (2 * k != n) derivative += i * (two_pi * frequency) * e;
      }
      v.push_back(value.real());
      slope.push_back(derivative.real());
    }
    double u = b1, du = 0;
    for (std::size_t h = 0; h < b0.size(); ++h) {
      double z = b0[h], dz = 0;
      for (std::size_t c = 0; c < v.size(); ++c) {
        z += w0[h * v.size() + c] * v[c];
        dz += w0[h * v.size() + c] * slope[c];
      }
      const double phi = 0.5 * (1 + std::erf(z / std::sqrt(2.0)));
      const double density = std::exp(-z * z / 2) / std::sqrt(two_pi);
      u += w1[h] * z * phi;
      du += w1[h] * (phi + z * density) * dz;
    }
    return {u, du};
  }
};

double bump(double x, double y) { return std::sin(two_pi * x) + 0.5 * std::cos(3 * y + 2 * x); }

TEST(FnoFunction, TheFunctionWiseDerivativeIsThatOfTheQueryAndOfItsDifferences) {
  const Fno f = small_fno();
  for (const int n : {12, 13}) {
    Rig rig(f, circle_of(n), bump);
    const int slope = (*rig.u)({{"x", 1}});
    // v_depth: the input of the projection.
    const auto& ops = rig.graph->ops();
    int v = -1;
    for (std::size_t i = 0; i < ops.size() && v < 0; ++i) {
      if (ops[i].code == TensorOp::linear && ops[i].shape.channels == f.projection) {
        v = ops[i].inputs[0];
      }
    }
    const Query query(rig, f, rig.at(v));
    const std::vector<double> u = rig.at((*rig.u)()), du = rig.at(slope);
    const double size = largest(du), h = 1e-5;
    ASSERT_GT(size, 0.1);
    for (int i = 0; i < n; ++i) {
      const double x = rig.grid.axes[0].node(i);
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(u[k], query(x).first, 1e-12);
      EXPECT_NEAR(du[k], query(x).second, 1e-11 * size);
      const double difference = (query(x + h).first - query(x - h).first) / (2 * h);
      EXPECT_NEAR(du[k], difference, 1e-6 * size);  // h^2 u'''/6 and eps / h
    }
  }
}

/// Largest difference between an exact derivative and differences of 7 points of the values.
double gap(Rig& rig, const MultiIndex& index) {
  const int exact = (*rig.u)(index);
  int difference = (*rig.u)();
  for (const auto& [name, order] : index) {
    for (std::size_t a = 0; a < rig.grid.axes.size(); ++a) {
      if (rig.grid.axes[a].name != name) continue;
      difference =
          add_along(*rig.graph, difference, a, difference_matrix(rig.grid.axes[a], order, 7));
    }
  }
  const std::vector<double> a = rig.at(exact), b = rig.at(difference);
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst / largest(a);
}

TEST(FnoFunction, EqualsDifferencesOfAFineGridToTheirOrder) {
  Rig coarse(small_fno(), circle_of(48), bump), fine(small_fno(), circle_of(96), bump);
  for (const int k : {1, 2}) {
    EXPECT_LT(gap(fine, {{"x", k}}), gap(coarse, {{"x", k}}) / 40) << k;
    EXPECT_LT(gap(fine, {{"x", k}}), 1e-5) << k;
  }
  EXPECT_LT(gap(fine, {{"x", 4}}), 1e-3);
  // Not periodic: with padding, also across, to the ends, where differences are one-sided.
  for (const Activation s : {Activation::gelu, Activation::tanh, Activation::silu,
                             Activation::softplus, Activation::gaussian, Activation::sin}) {
    if (s != Activation::gelu) {
      Fno other = small_fno();
      other.activation = s;
      Rig on_circle(other, circle_of(96), bump);
      EXPECT_LT(gap(on_circle, {{"x", 1}}), 1e-4) << to_string(s);
      EXPECT_LT(gap(on_circle, {{"x", 2}}), 1e-4) << to_string(s);
      continue;
    }
    Fno f = small_fno();
    f.activation = s;
    f.coordinates = true;
    Rig plane(f, square_of(33), bump, 2);
    EXPECT_LT(gap(plane, {{"x", 1}}), 1e-2) << to_string(s);
    EXPECT_LT(gap(plane, {{"y", 2}}), 3e-2) << to_string(s);
    EXPECT_LT(gap(plane, {{"x", 1}, {"y", 1}}), 1e-2) << to_string(s);
  }
  Fno linear = small_fno();
  linear.projection = 0;
  Rig plain(linear, square_of(33), bump);
  EXPECT_LT(gap(plain, {{"x", 2}}), 1e-2);
}

TEST(FnoFunction, IsTheNetworkWithItsParametersAndNoMore) {
  Fno f = small_fno();
  f.coordinates = true;
  for (const int projection : {0, 5}) {
    f.projection = projection;
    Rig rig(f, square_of(9), bump, 2);
    (void)(*rig.u)({{"x", 2}});
    (void)(*rig.u)({{"x", 1}, {"y", 1}});
    const std::vector<double> mine = rig.at((*rig.u)());
    TensorGraph plain;
    const int a = plain.input("a", {1, {9, 9}});
    const int u = add_field_network(plain, f, a, rig.grid, 2);
    EXPECT_EQ(plain.n_parameters(), rig.graph->n_parameters());
    const auto e = make_tensor_executor(std::make_shared<TensorGraph>(plain), {},
                                        {.threads = 1, .precision = Precision::f64});
    std::vector<double> out(mine.size());
    const std::span<const double> inputs[] = {rig.in};
    e->predict(u, rig.theta, 1, inputs, out);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], mine[i], 1e-13);
  }
}

TEST(FnoFunction, WhatHasNoExactDerivativesIsSaid) {
  Fno f = small_fno();
  f.smooth = false;
  EXPECT_EQ(message_of([&] { Rig(f, square_of(9), bump); }),
            "[train.physics]: along 'x', which is not periodic, an FNO has exact derivatives only "
            "when its last layer is a Fourier series; give the network smooth = true, or "
            "derivative = \"difference_5\"");
  EXPECT_EQ(message_of([&] { Rig(f, circle_of(9), bump); }), "no error");
  f.smooth = true;
  f.activation = Activation::relu;
  Rig rig(f, circle_of(9), bump);
  EXPECT_EQ(message_of([&] {
              (void)(*rig.u)({{"x", 2}});
            }),
            "[train.physics]: relu has no derivative of order 2; use activation = \"gelu\", or "
            "derivative = \"difference_5\"");
  EXPECT_EQ(message_of([&] {
              (void)(*rig.u)({{"t", 1}});
            }),
            "[train.physics]: the network has no axis 't'; give the axes of the data the names of "
            "the coordinates");
}

}  // namespace
}  // namespace cauchy::detail::test_fno_function
