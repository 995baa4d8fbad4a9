#include <cauchy/networks/initialize.hpp>

#include <cmath>

namespace cauchy {
namespace {

/// Standard deviation of a weight; siren is not a matter of variance.
double deviation(Initialization kind, double n, double m) {
  switch (kind) {
    case Initialization::glorot_normal:
    case Initialization::glorot_uniform:
      return std::sqrt(2 / (n + m));
    case Initialization::he_normal:
    case Initialization::he_uniform:
      return std::sqrt(2 / n);
    default:
      return std::sqrt(1 / n);
  }
}

bool is_uniform(Initialization kind) {
  return kind == Initialization::glorot_uniform || kind == Initialization::he_uniform ||
         kind == Initialization::lecun_uniform;
}

}  // namespace

std::vector<double> initial_parameters(const Graph& graph, const Rng& rng,
                                       const InitializeOptions& options) {
  std::vector<double> theta(graph.n_parameters(), 0.0);
  bool first_layer = true;
  double fan_in = 1;
  const auto& blocks = graph.parameters();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ParameterBlock& block = blocks[i];
    Rng draw = rng.split(i);
    double* at = theta.data() + block.offset;
    const int count = block.rows * block.cols;
    const bool siren = options.weights == Initialization::siren;
    const auto fill_uniform = [&](double bound) {
      for (int k = 0; k < count; ++k) at[k] = bound * (2 * draw.uniform() - 1);
    };
    switch (block.role) {
      case ParameterBlock::Role::weight: {
        fan_in = block.cols;
        const double sigma = deviation(options.weights, block.cols, block.rows);
        if (siren) {
          fill_uniform(first_layer ? options.siren_w0 / fan_in : std::sqrt(6 / fan_in));
        } else if (is_uniform(options.weights)) {
          fill_uniform(std::sqrt(3.0) * sigma);
        } else {
          for (int k = 0; k < count; ++k) at[k] = sigma * draw.normal();
        }
        first_layer = false;
        break;
      }
      case ParameterBlock::Role::bias:
        if (siren) fill_uniform(options.siren_w0 / std::sqrt(fan_in));
        break;
      case ParameterBlock::Role::scale:
      case ParameterBlock::Role::constant:
        for (int k = 0; k < count; ++k) at[k] = block.initial;
        break;
    }
  }
  return theta;
}

}  // namespace cauchy
