#include <cauchy/networks/initialize.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

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

/// Where the weights at `offset` stand: before every other affine map, and before a nonlinearity
/// (perhaps through a trainable slope).
struct Place {
  bool first = true, activated = false;
};
Place place_of(const Graph& graph, std::ptrdiff_t offset) {
  enum Origin : unsigned char { no_layer, this_layer, later };
  Place place;
  std::vector<Origin> origin;
  for (const Op& op : graph.ops()) {
    bool after_layer = false, from_this = false;
    for (const int input : op.inputs) {
      const Origin o = origin[static_cast<std::size_t>(input)];
      after_layer = after_layer || o != no_layer;
      from_this = from_this || o == this_layer;
    }
    if (op.code == OpCode::affine && op.weights == offset) {
      place.first = !after_layer;
      origin.push_back(this_layer);
    } else if (op.code == OpCode::scale && from_this) {
      origin.push_back(this_layer);
    } else {
      place.activated = place.activated || (op.code == OpCode::activation && from_this);
      origin.push_back(after_layer || op.code == OpCode::affine ? later : no_layer);
    }
  }
  return place;
}

}  // namespace

std::vector<double> initial_parameters(const Graph& graph, const Rng& rng,
                                       const InitializeOptions& options) {
  const bool siren = options.weights == Initialization::siren;
  if (siren && (!(options.siren_w0 > 0) || !std::isfinite(options.siren_w0))) {
    throw Error(fmt::format("siren_w0 must be positive, got {}", options.siren_w0),
                "[networks.initialize]");
  }
  std::vector<double> theta(graph.n_parameters(), 0.0);
  double fan_in = 1, bias_bound = 0;
  const auto& blocks = graph.parameters();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ParameterBlock& block = blocks[i];
    Rng draw = rng.split(i);
    double* at = theta.data() + block.offset;
    const int count = block.rows * block.cols;
    const auto fill_uniform = [&](double bound) {
      for (int k = 0; k < count; ++k) at[k] = bound * (2 * draw.uniform() - 1);
    };
    switch (block.role) {
      case ParameterBlock::Role::weight: {
        fan_in = block.cols;
        const double sigma = deviation(options.weights, block.cols, block.rows);
        if (siren) {
          const Place place = place_of(graph, block.offset);
          const double w0 = place.activated ? options.siren_w0 : 1;
          const double next = std::sqrt(6 / fan_in) / (place.activated ? 1 : options.siren_w0);
          bias_bound = w0 / std::sqrt(fan_in);
          fill_uniform(place.first ? w0 / fan_in : next);
        } else if (is_uniform(options.weights)) {
          fill_uniform(std::sqrt(3.0) * sigma);
        } else {
          for (int k = 0; k < count; ++k) at[k] = sigma * draw.normal();
        }
        break;
      }
      case ParameterBlock::Role::bias:
        if (siren) fill_uniform(bias_bound);
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
