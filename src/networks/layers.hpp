#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <cauchy/base/options.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy::detail {

constexpr int max_width = 1'000'000;  // far beyond what fits in memory

/// How the weight of a linear layer is written; at most one of the two.
struct LayerForm {
  bool factorized = false;  ///< diag(exp(s)) V, s around factor_mean
  double factor_mean = 0.5;
  bool weight_norm = false;  ///< g v / |v| per row
};
/// A linear layer with bias in this form.
int add_layer(Graph& graph, int x, int rows, const LayerForm& form, std::string_view name);

/// What the first layer sees of a value: `fourier` features cos(B x), sin(B x) with rows of B that
/// are normal with standard deviation `scale` and not trained, or (0 features) the value itself.
struct Embedding {
  int input, fourier;
  double scale;
  std::uint64_t seed;
};
///   error    throws Error at `place` for numbers out of range, also those of the form
int add_embedding(Graph& graph, const Embedding& embedding, const LayerForm& form,
                  std::string_view place);

/// U + z (V - U) = (1 - z) U + z V with two encoders U = s(A x + a), V = s(B x + b).
struct GateEncoders {
  int u, difference;
  [[nodiscard]] int gate(Graph& graph, int z) const {
    return graph.add(u, graph.multiply(z, difference));
  }
};
GateEncoders add_encoders(Graph& graph, int x, int width, Activation activation,
                          const LayerForm& form);

/// Throw Error at `place` unless a count is between its bounds, a number finite.
void require_count(std::string_view what, int n, int least, int most, std::string_view place);
void require_finite(std::string_view what, double value, std::string_view place);

[[nodiscard]] Words<Activation> activation_words();
/// fourier, fourier_scale, fourier_seed.
void visit_fourier(int& fourier, double& scale, std::uint64_t& seed, OptionVisitor& visitor);
/// ", 16 Fourier features, factorised".
[[nodiscard]] std::string describe_form(int fourier, bool factorized);

}  // namespace cauchy::detail
