// The SIMD kernels against the plain loops in double precision, operation by operation, for every
// instruction set of this machine.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cauchy/base/cpu.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/tensor/graph.hpp>

#include "tensor/backend/tensor_kernels.hpp"

namespace cauchy::detail::test_cpu_kernels {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Inputs of a case come before its operation, which is the last one.
struct Case {
  std::string name;
  std::function<void(TensorGraph&)> build;
  double terms;           ///< that a number of the result or of an adjoint is the sum of, at most
  bool positive = false;  ///< inputs
};

/// Arrays of one call; what may not be read is NaN.
template <class T>
struct Arrays {
  std::vector<std::vector<T>> inputs, by_inputs;
  std::vector<T> theta, out, by_out, by_theta, saved, scratch;
};

template <class T>
std::vector<T> random_numbers(std::size_t n, std::uint64_t stream, double low = -1,
                              double high = 1) {
  Rng rng(7, stream);
  std::vector<T> numbers(n);
  for (T& x : numbers) x = static_cast<T>(static_cast<float>(rng.uniform(low, high)));
  return numbers;
}

/// How a call is made: samples, and what of its adjoints is wanted.
struct Wanted {
  std::size_t n;
  bool by_theta = true;
  int without = -1;    ///< no adjoint of this input
  bool fresh = false;  ///< adjoints of inputs hold nothing yet
};

/// Forward and backward of the last operation; the same numbers for every T.
template <class T>
Arrays<T> run(const TensorGraph& graph, const TensorKernels<T>& kernels, bool positive,
              const Wanted& wanted) {
  const std::size_t n = wanted.n;
  const int value = static_cast<int>(graph.ops().size()) - 1;
  const TensorOperation& op = graph.ops().back();
  Arrays<T> a;
  std::vector<const T*> inputs;
  std::vector<T*> by_inputs;
  std::vector<int> read = kernels.reads_instead(value);
  if (read.empty()) read = op.inputs;
  for (std::size_t k = 0; k < op.inputs.size(); ++k) {
    const std::size_t size = n * graph.shape(read[k]).size();
    a.inputs.push_back(random_numbers<T>(size, 10 + k, positive ? 0.25 : -1));
    a.by_inputs.push_back(random_numbers<T>(size, 20 + k));
    if (wanted.fresh) {
      a.by_inputs[k].assign(size,
                            kernels.writes_fresh(value) ? static_cast<T>(not_a_number) : T(0));
    }
  }
  for (std::size_t k = 0; k < op.inputs.size(); ++k) {
    inputs.push_back(a.inputs[k].data());
    by_inputs.push_back(static_cast<int>(k) == wanted.without ? nullptr : a.by_inputs[k].data());
  }
  a.theta = random_numbers<T>(graph.n_parameters(), 1);
  a.by_theta = random_numbers<T>(graph.n_parameters(), 2);
  const OwnParameters own = kernels.own_parameters(value);
  const std::vector<double> plain(a.theta.begin(), a.theta.end());
  std::vector<T> kept(n * own.kept, static_cast<T>(not_a_number));
  for (std::size_t piece = 0; own.count > 0 && piece < own.pieces; ++piece) {
    kernels.pack(value, piece, plain.data() + own.first, a.theta.data() + own.first);
  }
  a.by_out = random_numbers<T>(n * op.shape.size(), 3);
  a.out.assign(n * op.shape.size(), static_cast<T>(not_a_number));
  a.saved.assign(n * kernels.saved(value), static_cast<T>(not_a_number));
  a.scratch.assign(kernels.scratch(value, n), static_cast<T>(not_a_number));
  TensorCall<T> call{.value = value,
                     .n = n,
                     .inputs = inputs,
                     .out = a.out.data(),
                     .saved = a.saved.data(),
                     .scratch = a.scratch.data(),
                     .theta = a.theta.data()};
  kernels.forward(call);
  std::fill(a.scratch.begin(), a.scratch.end(), static_cast<T>(not_a_number));
  call.by_out = a.by_out.data();
  call.by_inputs = by_inputs;
  const std::vector<char> fresh(by_inputs.size(), 1);
  if (wanted.fresh && kernels.writes_fresh(value)) call.fresh = fresh;
  call.by_theta = wanted.by_theta ? a.by_theta.data() : nullptr;
  if (own.count == 0 || !wanted.by_theta) {
    kernels.backward(call);
    return a;
  }
  call.kept = kept.data();
  call.kept_batch = n;
  kernels.backward(call);
  std::vector<double> gradient(a.by_theta.begin(), a.by_theta.end());
  for (std::size_t piece = 0; piece < own.pieces; ++piece) {
    kernels.own_gradient(value, piece, n, kept.data(), true, gradient.data() + own.first);
  }
  std::transform(gradient.begin(), gradient.end(), a.by_theta.begin(),
                 [](double x) { return static_cast<T>(x); });
  return a;
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<double>& expected, double terms,
                 const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  double largest = 1;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  // Sums of `terms` numbers in two orders, and few operations more.
  const double tolerance = 4 * std::numeric_limits<T>::epsilon() * (terms + 16) * largest;
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - expected[i]);
    if (!(error <= worst)) worst = error, where = i;
  }
  EXPECT_LE(worst, tolerance) << what << " at " << where << ": "
                              << (got.empty() ? 0.0 : static_cast<double>(got[where]))
                              << " instead of " << (expected.empty() ? 0.0 : expected[where]);
}

template <class T>
void compare(const Case& c, const std::shared_ptr<const TensorGraph>& graph,
             const std::vector<Wanted>& calls, const std::vector<Arrays<double>>& expected) {
  const auto kernels = make_cpu_tensor_kernels<T>(graph, {});
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Arrays<T> got = run(*graph, *kernels, c.positive, calls[i]);
    const std::string what = fmt::format(
        "{}: {} samples, {}, {} bytes, gradient {}, without adjoint {}", c.name, calls[i].n,
        to_string(current_target()), sizeof(T), calls[i].by_theta, calls[i].without);
    expect_near(got.out, expected[i].out, c.terms, what + ": result");
    const double all = c.terms * static_cast<double>(calls[i].n);
    expect_near(got.by_theta, expected[i].by_theta, all, what + ": gradient");
    for (std::size_t k = 0; k < got.by_inputs.size(); ++k) {
      expect_near(got.by_inputs[k], expected[i].by_inputs[k], c.terms,
                  fmt::format("{}: adjoint {}", what, k));
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string name, double terms, std::function<void(TensorGraph&)> build,
                       bool positive = false) {
    all.push_back({std::move(name), std::move(build), terms, positive});
  };

  // --- channels ---
  struct Linear {
    int in, out;
    std::vector<int> grid;
  };
  for (const Linear& l :
       {Linear{3, 5, {7, 9}}, Linear{8, 16, {32}}, Linear{33, 9, {130}}, Linear{1, 1, {3}},
        Linear{19, 21, {}}, Linear{5, 40, {700}}, Linear{27, 18, {10, 61}}}) {
    const TensorShape shape{l.in, l.grid};
    const double terms = static_cast<double>(shape.points()) + l.in + l.out;
    add(fmt::format("linear {} to {} over {}", l.in, l.out, shape.points()), terms,
        [=](TensorGraph& g) { g.linear(g.input("x", shape), l.out); });
    add(fmt::format("linear {} to {} over {} with all", l.in, l.out, shape.points()), terms,
        [=](TensorGraph& g) {
          const int x = g.input("x", shape), plus = g.input("plus", {l.out, l.grid});
          g.linear(x, l.out, Activation::gelu, true, "layer", plus);
        });
    add(fmt::format("linear {} to {} over {} without bias", l.in, l.out, shape.points()), terms,
        [=](TensorGraph& g) { g.linear(g.input("x", shape), l.out, Activation::tanh, false); });
  }
  for (const Activation a : all_activations()) {
    if (a == Activation::identity || a == Activation::wavelet) continue;
    add(
        fmt::format("activation {}", to_string(a)), 16,
        [a](TensorGraph& g) {
          g.activation(g.input("x", {3, {11}}), a);
        },
        a == Activation::sqrt);
  }
  for (const TensorShape& shape : {TensorShape{3, {37}}, TensorShape{5, {}}}) {
    const std::string over = fmt::format(" over {}", shape.points());
    add("square" + over, 1,
        [=](TensorGraph& g) { g.function(g.input("x", shape), ElementFunction::square); });
    add("absolute" + over, 1,
        [=](TensorGraph& g) { g.function(g.input("x", shape), ElementFunction::absolute); });
    add("soft_shrink" + over, 1, [=](TensorGraph& g) { g.soft_shrink(g.input("x", shape), 0.25); });
    add("scale" + over, 37, [=](TensorGraph& g) { g.scale(g.input("x", shape), 1); });
    add("scale by one number" + over, 111,
        [=](TensorGraph& g) { g.scale(g.input("x", shape), 1, "scale", true); });
    add("shift" + over, 37, [=](TensorGraph& g) { g.shift(g.input("x", shape), 0); });
    add("shift everywhere" + over, 1,
        [=](TensorGraph& g) { g.shift(g.input("x", shape), 0, true); });
  }
  using Binary = int (TensorGraph::*)(int, int);
  const std::vector<std::pair<std::string, Binary>> binaries{{"add", &TensorGraph::add},
                                                             {"subtract", &TensorGraph::subtract},
                                                             {"multiply", &TensorGraph::multiply},
                                                             {"divide", &TensorGraph::divide}};
  const std::vector<std::pair<TensorShape, TensorShape>> operands{
      {{3, {5, 7}}, {3, {5, 7}}}, {{3, {5, 7}}, {1, {5, 7}}}, {{1, {5, 7}}, {3, {5, 7}}},
      {{3, {5, 7}}, {3, {}}},     {{3, {}}, {1, {5, 7}}},     {{3, {5, 7}}, {1, {}}},
      {{6, {}}, {1, {}}},         {{1, {}}, {1, {}}},         {{1, {}}, {4, {33}}}};
  for (const auto& [name, binary] : binaries) {
    for (const auto& [x, y] : operands) {
      add(
          fmt::format("{} of {} and {}", name, to_string(x), to_string(y)), 200,
          [=, f = binary](TensorGraph& g) { (g.*f)(g.input("x", x), g.input("y", y)); }, true);
    }
  }
  add("matrix_vector", 8, [](TensorGraph& g) {
    g.matrix_vector(g.input("m", {12, {19}}), g.input("v", {3, {19}}), 4);
  });
  for (const auto& [over, groups] : {std::pair{NormalizeOver::points, 1},
                                     {NormalizeOver::group, 2},
                                     {NormalizeOver::channels, 1}}) {
    for (const TensorShape& shape : {TensorShape{6, {5, 7}}, TensorShape{8, {32}}}) {
      add(fmt::format("normalize {} over {}", static_cast<int>(over), to_string(shape)),
          4 * static_cast<double>(shape.size()),
          [=](TensorGraph& g) { g.normalize(g.input("x", shape), over, groups); });
    }
  }
  add("normalize vectors", 100, [](TensorGraph& g) {
    g.normalize(g.input("x", {21, {}}), NormalizeOver::channels);
  });

  // --- points ---
  add("concatenate", 1, [](TensorGraph& g) {
    const int both[] = {g.input("x", {2, {3, 5}}), g.input("y", {3, {3, 5}})};
    g.concatenate(both);
  });
  add("crop", 1, [](TensorGraph& g) { g.crop(g.input("x", {2, {7, 40}}), {1, 2}, {4, 33}); });
  add("pad", 4, [](TensorGraph& g) {
    g.pad(g.input("x", {2, {4, 21}}), {1, 2}, {2, 3}, Border::reflect);
  });
  add("patch", 1, [](TensorGraph& g) { g.patch(g.input("x", {2, {6, 8}}), {3, 2}); });
  for (const int axis : {0, 1, 2}) {
    add(fmt::format("along axis {}", axis), 16, [=](TensorGraph& g) {
      const std::vector<int> grid{5, 7, 9};
      const int n = grid[static_cast<std::size_t>(axis)];
      g.along(g.input("x", {2, grid}), axis, 6,
              random_numbers<double>(static_cast<std::size_t>(6 * n), 5));
    });
  }
  add("interpolate", 8, [](TensorGraph& g) { g.interpolate(g.input("x", {5, {5, 6}}), {9, 10}); });
  add("reduce", 99, [](TensorGraph& g) {
    g.reduce(g.input("x", {3, {9, 11}}), random_numbers<double>(99, 5));
  });

  struct Convolution {
    std::vector<int> grid;
    ConvolutionOptions options;
  };
  std::vector<Convolution> convolutions{
      {{8, 10}, {.kernel = {3, 3}}},
      {{8, 10}, {.kernel = {1, 1}}},
      {{8, 10}, {.kernel = {3, 3}, .border = Border::periodic}},
      {{8, 10}, {.kernel = {5, 3}, .border = Border::reflect, .bias = false}},
      {{9, 35}, {.kernel = {3, 3}, .stride = {2, 2}}},
      {{8, 68}, {.kernel = {2, 2}, .stride = {2, 2}, .padding = {0, 0}}},
      {{50}, {.kernel = {5}}},
      {{51}, {.kernel = {3}, .stride = {3}, .padding = {0}}},
      {{4, 5, 6}, {.kernel = {3, 3, 3}}},
      {{4, 5, 6}, {.kernel = {1, 3, 1}, .border = Border::periodic}},
  };
  for (const Convolution& c : convolutions) {
    std::string kernel;
    for (const int k : c.options.kernel) kernel += fmt::format(" {}", k);
    const TensorShape shape{3, c.grid};
    const double terms = static_cast<double>(shape.points()) + 200;
    add(fmt::format("convolution{} border {} of {}", kernel, static_cast<int>(c.options.border),
                    to_string(shape)),
        terms, [=](TensorGraph& g) { g.convolution(g.input("x", shape), 5, c.options); });
  }
  convolutions = {
      {{4, 5}, {.kernel = {2, 2}, .stride = {2, 2}, .padding = {0, 0}}},
      {{4, 34}, {.kernel = {2, 2}, .stride = {2, 2}, .padding = {0, 0}}},
      {{4, 5}, {.kernel = {4, 4}, .stride = {2, 2}, .padding = {1, 1}}},
      {{5, 6}, {.kernel = {3, 3}, .border = Border::periodic}},
      {{17}, {.kernel = {3}, .stride = {3}, .padding = {0}, .bias = false}},
  };
  for (const Convolution& c : convolutions) {
    const TensorShape shape{3, c.grid};
    add(fmt::format("transposed_convolution {} of {}", c.options.kernel[0], to_string(shape)),
        static_cast<double>(shape.points()) + 200,
        [=](TensorGraph& g) { g.transposed_convolution(g.input("x", shape), 4, c.options); });
  }
  add("max_pool", 1, [](TensorGraph& g) { g.max_pool(g.input("x", {3, {6, 8}}), {2, 2}); });

  // --- Fourier ---
  struct Spectrum {
    std::vector<int> grid, modes;
  };
  for (const Spectrum& c : {Spectrum{{64}, {5}},
                            {{64}, {33}},
                            {{33}, {17}},
                            {{1}, {1}},
                            {{2}, {2}},
                            {{200}, {3}},
                            {{16, 12}, {3, 4}},
                            {{16, 12}, {8, 7}},
                            {{9, 15}, {5, 8}},
                            {{7, 40}, {2, 20}},
                            {{1, 6}, {1, 2}},
                            {{8, 6, 10}, {2, 3, 4}},
                            {{8, 7, 9}, {4, 4, 5}},
                            {{5, 3, 4}, {3, 2, 3}},
                            {{256}, {100}},
                            {{256, 4}, {120, 3}},
                            {{200, 2, 3}, {95, 1, 2}}}) {
    std::vector<int> two = c.modes;
    for (std::size_t a = 0; a + 1 < two.size(); ++a) two[a] *= 2;
    const TensorShape points{c.grid.size() == 1 ? 19 : 2, c.grid}, modes{2 * points.channels, two};
    add(fmt::format("spectrum of {} to {}", to_string(points), to_string(modes)),
        static_cast<double>(points.points()),
        [=](TensorGraph& g) { g.spectrum(g.input("x", points), c.modes); });
    add(fmt::format("from_spectrum of {} to {}", to_string(modes), to_string(points)),
        static_cast<double>(points.points() + 2 * modes.points()),
        [=](TensorGraph& g) { g.from_spectrum(g.input("x", modes), c.grid); });
  }
  for (const Spectrum& c : {Spectrum{{24, 12}, {}}, {{3}, {}}, {{17}, {}}, {{8}, {}}}) {
    add(fmt::format("mode_linear over {}", TensorShape{1, c.grid}.points()), 40,
        [=](TensorGraph& g) {
          g.mode_linear(g.input("x", {10, c.grid}), 7);
        });
  }
  add("mode_scale", 8, [](TensorGraph& g) { g.mode_scale(g.input("x", {6, {4, 5}})); });
  add("complex_linear", 200, [](TensorGraph& g) {
    g.complex_linear(g.input("x", {24, {7, 5}}), 8, 4);
  });
  add("complex_linear without bias", 200, [](TensorGraph& g) {
    g.complex_linear(g.input("x", {6, {33}}), 5, 1, false);
  });

  // --- attention ---
  add("attention", 300, [](TensorGraph& g) {
    const int q = g.input("q", {12, {40}}), k = g.input("k", {12, {70}}),
              v = g.input("v", {8, {70}});
    g.attention(q, k, v, 4);
  });
  add("attention with weights", 300, [](TensorGraph& g) {
    const int q = g.input("q", {5, {7, 9}}), k = g.input("k", {5, {11}}),
              v = g.input("v", {3, {11}});
    g.attention(q, k, v, 1, random_numbers<double>(11, 9, 0, 1));
  });
  add("attention in blocks", 2000, [](TensorGraph& g) {
    const int q = g.input("q", {3, {150}}), k = g.input("k", {3, {1500}}),
              v = g.input("v", {2, {1500}});
    g.attention(q, k, v, 1);
  });
  return all;
}

TEST(CpuKernels, agree_with_the_plain_loops_on_every_instruction_set) {
  for (const Case& c : cases()) {
    const auto graph = std::make_shared<TensorGraph>();
    c.build(*graph);
    std::vector<Wanted> calls{
        {.n = 1}, {.n = 5}, {.n = 2, .by_theta = false}, {.n = 3, .fresh = true}};
    for (std::size_t k = 0; k < graph->ops().back().inputs.size(); ++k) {
      calls.push_back({.n = 2, .without = static_cast<int>(k)});
    }
    const auto plain = make_reference_tensor_kernels<double>(graph, {});
    std::vector<Arrays<double>> expected;
    for (const Wanted& wanted : calls) {
      expected.push_back(run(*graph, *plain, c.positive, wanted));
    }
    for (const Target target : available_targets()) {
      force_target(target);
      compare<float>(c, graph, calls, expected);
      compare<double>(c, graph, calls, expected);
    }
    reset_target();
  }
}

}  // namespace
}  // namespace cauchy::detail::test_cpu_kernels
