#include "support/tensor_cases.hpp"

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/expr.hpp>

namespace cauchy::test {
namespace {

using G = TensorGraph;

/// Numbers between -1 and 1 that are exact in float.
std::vector<double> fixed_tensor(std::size_t n) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < n; ++i) {
    numbers.push_back(0.125 * (static_cast<double>((5 * i + 3) % 17) - 8));
  }
  return numbers;
}

int field(G& g, int channels, std::vector<int> grid, const char* name = "x") {
  return g.input(name, {channels, std::move(grid)});
}
int positive(G& g, int x) { return g.activation(x, Activation::exp); }

/// Complex channels of a 4 x 3 set of modes.
int modes(G& g, int complex_channels) { return field(g, 2 * complex_channels, {4, 3}); }

int attend(G& g, int heads, std::vector<double> weights) {
  const int q = field(g, 4, {3}, "q"), k = field(g, 4, {5}, "k"), v = field(g, 6, {5}, "v");
  return g.attention(q, k, v, heads, std::move(weights));
}

int convolve(G& g, std::vector<int> grid, ConvolutionOptions options) {
  return g.convolution(field(g, 2, std::move(grid)), 3, std::move(options));
}
int convolve_back(G& g, std::vector<int> grid, ConvolutionOptions options) {
  return g.transposed_convolution(field(g, 3, std::move(grid)), 2, std::move(options));
}

/// s(W x + b + F^-1 R F x)
int fourier_layer(G& g, std::vector<int> grid, const std::vector<int>& modes, Activation s) {
  const int x = field(g, 2, grid);
  const int c = g.mode_linear(g.spectrum(x, modes), 3);
  return g.linear(x, 3, s, true, "skip", g.from_spectrum(c, std::move(grid)));
}

std::shared_ptr<const PointMatrix> matrix_of_points() {
  return std::make_shared<const PointMatrix>(
      PointMatrix{6, {0, 2, 2, 5, 6}, {0, 3, 1, 4, 5, 1}, {0.5, -1, 2, 0.25, 1, 0.75}});
}

std::string name_of(Activation a) { return std::string(to_string(a)); }

}  // namespace

std::vector<TensorCase> tensor_operation_cases() {
  using A = Activation;
  const Symbol u("u"), v("v");
  const Field w("w");
  const Coordinate x("x");
  const Parameter nu("nu");
  // clang-format off
  std::vector<TensorCase> cases = {
      {"constant", [](G& g) { return g.multiply(field(g, 2, {3}), g.constant({2, {3}}, fixed_tensor(6))); }},
      {"linear", [](G& g) { return g.linear(field(g, 3, {4, 5}), 2); }},
      {"linear_without_bias", [](G& g) { return g.linear(field(g, 3, {5}), 4, A::identity, false); }},
      {"linear_without_grid", [](G& g) { return g.linear(field(g, 3, {}), 4, A::tanh); }},
      {"linear_plus", [](G& g) { return g.linear(field(g, 3, {7}), 2, A::identity, true, "w", field(g, 2, {7}, "plus")); }},
      {"linear_plus_gelu", [](G& g) { return g.linear(field(g, 3, {3, 3}), 2, A::gelu, true, "w", field(g, 2, {3, 3}, "plus")); }},
      {"linear_pair", [](G& g) { return g.linear(g.linear(field(g, 3, {5, 31}), 13, A::gelu), 3); }},
      {"fourier_layer_1d", [](G& g) { return fourier_layer(g, {7}, {3}, A::gelu); }},
      {"fourier_layer_2d", [](G& g) { return fourier_layer(g, {6, 8}, {2, 3}, A::gelu); }},
      {"fourier_layer_2d_odd", [](G& g) { return fourier_layer(g, {5, 9}, {3, 5}, A::identity); }},
      {"fourier_layer_3d", [](G& g) { return fourier_layer(g, {4, 6, 5}, {2, 2, 3}, A::tanh); }},
      {"linear_pair_without_bias", [](G& g) { return g.linear(g.linear(field(g, 2, {7}), 4, A::tanh, false), 1, A::identity, false); }},
      {"linear_wide", [](G& g) { return g.linear(field(g, 17, {19}), 18, A::silu); }},
      {"square", [](G& g) { return g.function(field(g, 2, {5}), ElementFunction::square); }},
      {"absolute", [](G& g) { return g.function(field(g, 2, {5}), ElementFunction::absolute); }},
      {"soft_shrink", [](G& g) { return g.soft_shrink(field(g, 3, {7}), 0.4375); }},
      {"scale", [](G& g) { return g.scale(field(g, 3, {4}), 1); }},
      {"scale_by_one_number", [](G& g) { return g.scale(field(g, 3, {4}), 1, "scale", true); }},
      {"shift", [](G& g) { return g.shift(field(g, 3, {4}), 0); }},
      {"shift_everywhere", [](G& g) { return g.shift(field(g, 3, {4}), 0, true); }},
      {"add", [](G& g) { return g.add(field(g, 3, {4}), field(g, 3, {4}, "y")); }},
      {"add_to_itself", [](G& g) { const int a = field(g, 3, {4}); return g.add(a, a); }},
      {"subtract", [](G& g) { return g.subtract(field(g, 3, {4}), field(g, 3, {4}, "y")); }},
      {"multiply", [](G& g) { return g.multiply(field(g, 3, {4}), field(g, 3, {4}, "y")); }},
      {"multiply_by_itself", [](G& g) { const int a = field(g, 3, {4}); return g.multiply(a, a); }},
      {"divide", [](G& g) { return g.divide(field(g, 3, {4}), positive(g, field(g, 3, {4}, "y"))); }},
      {"add_channel", [](G& g) { return g.add(field(g, 3, {4, 2}), field(g, 1, {4, 2}, "y")); }},
      {"subtract_from_numbers", [](G& g) { return g.subtract(field(g, 3, {}), field(g, 3, {4}, "y")); }},
      {"multiply_by_number", [](G& g) { return g.multiply(field(g, 3, {4, 2}), field(g, 1, {}, "y")); }},
      {"multiply_crosswise", [](G& g) { return g.multiply(field(g, 1, {4, 2}), field(g, 3, {}, "y")); }},
      {"divide_by_channel", [](G& g) { return g.divide(field(g, 3, {5}), positive(g, field(g, 1, {5}, "y"))); }},
      {"divide_by_numbers", [](G& g) { return g.divide(field(g, 3, {5}), positive(g, field(g, 3, {}, "y"))); }},
      {"concatenate", [](G& g) { return g.concatenate(std::vector{field(g, 2, {5}), field(g, 1, {5}, "y"), field(g, 3, {5}, "z")}); }},
      {"concatenate_twice_the_same", [](G& g) { const int a = field(g, 2, {5}); return g.concatenate(std::vector{a, a}); }},
      {"slice", [](G& g) { return g.slice(field(g, 5, {3, 2}), 1, 3); }},
      {"pick_with_zeros_and_repetition", [](G& g) { return g.pick(field(g, 2, {3}), {1, {2, 2}}, {5, -1, 0, 5}); }},
      {"reshape", [](G& g) { return g.reshape(field(g, 2, {3, 4}), {6, {4}}); }},
      {"transpose", [](G& g) { return g.transpose(field(g, 2, {3, 4}), {2, 0, 1}); }},
      {"repeat", [](G& g) { return g.repeat(field(g, 3, {}), {2, 3}); }},
      {"roll", [](G& g) { return g.roll(field(g, 2, {5, 3}), {2, -1}); }},
      {"pad_zero", [](G& g) { return g.pad(field(g, 2, {3, 4}), {1, 0}, {2, 3}); }},
      {"pad_periodic", [](G& g) { return g.pad(field(g, 1, {3, 4}), {4, 1}, {2, 0}, Border::periodic); }},
      {"pad_reflect", [](G& g) { return g.pad(field(g, 1, {3, 4}), {2, 0}, {1, 3}, Border::reflect); }},
      {"crop", [](G& g) { return g.crop(field(g, 2, {4, 5}), {1, 2}, {2, 3}); }},
      {"patch", [](G& g) { return g.patch(field(g, 2, {4, 6}), {2, 3}); }},
      {"unpatch", [](G& g) { return g.unpatch(field(g, 12, {2, 2}), {2, 3}); }},
      {"along_first", [](G& g) { return g.along(field(g, 2, {3, 4}), 0, 5, fixed_tensor(15)); }},
      {"along_last", [](G& g) { return g.along(field(g, 2, {3, 4}), 1, 2, fixed_tensor(8)); }},
      {"along_middle", [](G& g) { return g.along(field(g, 1, {2, 4, 3}), 1, 5, fixed_tensor(20)); }},
      {"sparse", [](G& g) { return g.sparse(field(g, 2, {2, 3}), matrix_of_points(), {4}); }},
      {"sparse_with_two_rows_per_point", [](G& g) { return g.sparse(field(g, 3, {2, 3}), matrix_of_points(), {2}); }},
      {"sparse_of_many_channels", [](G& g) { return g.sparse(field(g, 19, {2, 3}), matrix_of_points(), {4}); }},
      {"interpolate", [](G& g) { return g.interpolate(field(g, 2, {3, 4}), {5, 3}); }},
      {"interpolate_periodic", [](G& g) { return g.interpolate(field(g, 2, {4}), {6}, Border::periodic); }},
      {"mean", [](G& g) { return g.reduce(field(g, 3, {2, 4})); }},
      {"reduce", [](G& g) { return g.reduce(field(g, 2, {6}), fixed_tensor(6)); }},
      {"mean_pool", [](G& g) { return g.mean_pool(field(g, 2, {4, 6}), {2, 3}); }},
      {"max_pool", [](G& g) { return g.max_pool(field(g, 2, {4, 6}), {2, 3}); }},
      {"convolution_1d", [](G& g) { return convolve(g, {7}, {.kernel = {3}}); }},
      {"convolution_2d", [](G& g) { return convolve(g, {4, 5}, {.kernel = {3, 3}}); }},
      {"convolution_3d", [](G& g) { return convolve(g, {3, 4, 3}, {.kernel = {3, 1, 2}, .padding = {1, 0, 1}}); }},
      {"convolution_of_points", [](G& g) { return convolve(g, {4, 5}, {.kernel = {1, 1}, .bias = false}); }},
      {"convolution_with_strides", [](G& g) { return convolve(g, {6, 7}, {.kernel = {2, 3}, .stride = {2, 2}, .padding = {0, 1}}); }},
      {"convolution_periodic", [](G& g) { return convolve(g, {4, 5}, {.kernel = {3, 5}, .border = Border::periodic}); }},
      {"convolution_reflect", [](G& g) { return convolve(g, {4, 5}, {.kernel = {3, 5}, .border = Border::reflect}); }},
      {"convolution_wide", [](G& g) { return g.convolution(field(g, 9, {6, 7}), 10, {.kernel = {3, 3}}); }},
      {"transposed_convolution_1d", [](G& g) { return convolve_back(g, {4}, {.kernel = {4}, .stride = {2}}); }},
      {"transposed_convolution_2d", [](G& g) { return convolve_back(g, {3, 2}, {.kernel = {2, 2}, .stride = {2, 2}}); }},
      {"transposed_convolution_3d", [](G& g) { return convolve_back(g, {2, 3, 2}, {.kernel = {2, 3, 1}, .stride = {2, 1, 1}}); }},
      {"transposed_convolution_periodic", [](G& g) { return convolve_back(g, {3, 4}, {.kernel = {3, 3}, .stride = {2, 1}, .border = Border::periodic, .bias = false}); }},
      {"transposed_convolution_reflect", [](G& g) { return convolve_back(g, {3, 4}, {.kernel = {3, 3}, .stride = {1, 2}, .border = Border::reflect}); }},
      {"spectrum_1d", [](G& g) { return g.spectrum(field(g, 2, {8}), {3}); }},
      {"spectrum_1d_odd_all", [](G& g) { return g.spectrum(field(g, 1, {7}), {4}); }},
      {"spectrum_2d", [](G& g) { return g.spectrum(field(g, 2, {6, 8}), {2, 3}); }},
      {"spectrum_2d_all", [](G& g) { return g.spectrum(field(g, 1, {5, 6}), {3, 4}); }},
      {"spectrum_3d", [](G& g) { return g.spectrum(field(g, 1, {4, 5, 6}), {2, 1, 3}); }},
      {"from_spectrum_1d", [](G& g) { return g.from_spectrum(field(g, 4, {3}), {8}); }},
      {"from_spectrum_1d_highest", [](G& g) { return g.from_spectrum(field(g, 2, {4}), {6}); }},
      {"from_spectrum_2d", [](G& g) { return g.from_spectrum(field(g, 4, {4, 3}), {6, 5}); }},
      {"from_spectrum_2d_all", [](G& g) { return g.from_spectrum(field(g, 2, {6, 4}), {5, 6}); }},
      {"from_spectrum_3d", [](G& g) { return g.from_spectrum(field(g, 2, {2, 4, 2}), {4, 4, 3}); }},
      {"mode_linear", [](G& g) { return g.mode_linear(modes(g, 2), 3); }},
      {"mode_linear_wide", [](G& g) { return g.mode_linear(field(g, 18, {5}), 10); }},
      {"mode_scale", [](G& g) { return g.mode_scale(modes(g, 3)); }},
      {"complex_linear", [](G& g) { return g.complex_linear(modes(g, 3), 2); }},
      {"complex_linear_in_blocks", [](G& g) { return g.complex_linear(modes(g, 4), 6, 2, false); }},
      {"normalize_points", [](G& g) { return g.normalize(field(g, 3, {4, 2}), NormalizeOver::points); }},
      {"normalize_group", [](G& g) { return g.normalize(field(g, 6, {5}), NormalizeOver::group, 2); }},
      {"normalize_channels", [](G& g) { return g.normalize(field(g, 5, {3, 2}), NormalizeOver::channels, 1, 1e-2); }},
      {"attention", [](G& g) { return attend(g, 1, {}); }},
      {"attention_in_heads", [](G& g) { return attend(g, 2, {}); }},
      {"attention_with_weights", [](G& g) { return attend(g, 2, {0.5, 1, 0, 2, 0.25}); }},
      {"matrix_vector", [](G& g) { return g.matrix_vector(field(g, 6, {5}), field(g, 3, {5}, "y"), 2); }},
      {"dropout", [](G& g) { return g.linear(g.dropout(g.linear(field(g, 2, {9}), 3), 0.375), 2); }},
      {"expression", [=](G& g) { return g.expression(std::vector{field(g, 2, {5}), field(g, 1, {5}, "y")}, {"u", "v", "unused"}, {u * v + sin(u), exp(v) - 3 * u}); }},
      {"expression_of_fields", [=](G& g) { return g.expression(std::vector{field(g, 3, {5})}, {"w", "w_x", "x"}, {w * d(w, x) - nu * x * x}); }, {{"nu", 0.75}}},
      {"expression_without_values", [=](G& g) { return g.expression(std::vector{field(g, 2, {5})}, {"u", "v"}, {u, Expr(2), nu * v}); }, {{"nu", -0.5}}},
  };
  // clang-format on
  for (const Activation a : all_activations()) {
    cases.push_back({"activation_" + name_of(a), [a](G& g) {
                       const int in = field(g, 2, {9});
                       return g.activation(a == A::sqrt ? positive(g, in) : in, a);
                     }});
    // The argument of a layer may be negative.
    if (a == A::sqrt) continue;
    cases.push_back(
        {"linear_" + name_of(a), [a](G& g) { return g.linear(field(g, 2, {9}), 3, a); }});
  }
  return cases;
}

namespace {

int fourier_layer(G& g, int x, int width, std::vector<int> kept, Activation a) {
  const std::vector<int> grid = g.shape(x).grid;
  const int spectral = g.from_spectrum(g.mode_linear(g.spectrum(x, std::move(kept)), width), grid);
  return g.linear(x, width, a, true, "skip", spectral);
}

int fourier_network(G& g, std::vector<int> grid, std::vector<int> kept) {
  int x = g.linear(field(g, 2, std::move(grid)), 3);
  x = fourier_layer(g, x, 3, kept, Activation::gelu);
  x = fourier_layer(g, x, 3, kept, Activation::identity);
  return g.linear(g.linear(x, 5, Activation::gelu), 1);
}

int u_network(G& g) {
  const int x = g.convolution(field(g, 1, {4, 4}), 2, {.kernel = {3, 3}});
  const int down = g.activation(g.normalize(x, NormalizeOver::group, 2), Activation::silu);
  const int low = g.convolution(g.max_pool(down, {2, 2}), 3, {.kernel = {3, 3}});
  const int up = g.transposed_convolution(g.activation(low, Activation::silu), 2,
                                          {.kernel = {2, 2}, .stride = {2, 2}});
  return g.convolution(g.concatenate(std::vector{up, down}), 1, {.kernel = {1, 1}});
}

int attention_block(G& g) {
  const int x = g.shift(g.patch(field(g, 1, {4, 4}), {2, 2}), 0, true, "position");
  const int n = g.normalize(x, NormalizeOver::channels);
  const int a = g.attention(g.linear(n, 4), g.linear(n, 4), g.linear(n, 4), 2);
  const int y = g.add(x, g.linear(a, 4));
  const int z = g.add(y, g.linear(g.linear(y, 6, Activation::gelu), 4));
  return g.unpatch(z, {2, 2});
}

int adaptive_fourier_block(G& g) {
  const int x = field(g, 4, {4, 6});
  const int c = g.spectrum(x, {2, 3});
  const int hidden = g.activation(g.complex_linear(c, 4, 2), Activation::silu);
  const int mixed = g.soft_shrink(g.complex_linear(hidden, 4, 2), 0);  // no kink for differences
  return g.add(x, g.from_spectrum(mixed, {4, 6}));
}

int relative_error(G& g) {
  const int y = g.linear(field(g, 2, {6}), 1, Activation::tanh), u = field(g, 1, {6}, "u");
  const int above = g.reduce(g.function(g.subtract(y, u), ElementFunction::square));
  const int below = g.reduce(g.function(u, ElementFunction::square));
  return g.activation(g.divide(above, below), Activation::sqrt);
}

/// The same layer three times: parameters that are reused, and a part of the graph again.
int recurrent(G& g) {
  const int x = field(g, 2, {5});
  const std::size_t first = g.parameters().size();
  const int once = g.linear(g.linear(x, 3, Activation::tanh), 2);
  g.reuse(first);
  const int twice = g.linear(g.linear(once, 3, Activation::tanh), 2);
  g.stop_reuse();
  return g.add(once, g.again(twice, once, twice));
}

}  // namespace

std::vector<TensorCase> tensor_network_cases() {
  return {
      {"fourier_network_1d", [](G& g) { return fourier_network(g, {9}, {4}); }},
      {"fourier_network_2d",
       [](G& g) {
         return fourier_network(g, {5, 6}, {2, 3});
       }},
      {"fourier_network_3d",
       [](G& g) {
         return fourier_network(g, {4, 3, 4}, {2, 1, 2});
       }},
      {"u_network", u_network},
      {"attention_block", attention_block},
      {"adaptive_fourier_block", adaptive_fourier_block},
      {"relative_error", relative_error},
      {"recurrent", recurrent},
  };
}

}  // namespace cauchy::test
