#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/engine/activation.hpp>
#include <cstddef>
#include <numeric>
#include <string>

namespace cauchy {
namespace {

/// Number of single-letter insertions, deletions and replacements between two words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<Activation>& all_activations() {
  static const std::vector<Activation> all = {
      Activation::identity, Activation::tanh, Activation::sin,   Activation::cos,
      Activation::sigmoid,  Activation::silu, Activation::gelu,  Activation::softplus,
      Activation::elu,      Activation::relu, Activation::relu3, Activation::gaussian,
      Activation::wavelet,  Activation::exp,  Activation::sqrt};
  return all;
}

std::string_view to_string(Activation activation) {
  switch (activation) {
    case Activation::identity:
      return "identity";
    case Activation::tanh:
      return "tanh";
    case Activation::sin:
      return "sin";
    case Activation::cos:
      return "cos";
    case Activation::sigmoid:
      return "sigmoid";
    case Activation::silu:
      return "silu";
    case Activation::gelu:
      return "gelu";
    case Activation::softplus:
      return "softplus";
    case Activation::elu:
      return "elu";
    case Activation::relu:
      return "relu";
    case Activation::relu3:
      return "relu3";
    case Activation::gaussian:
      return "gaussian";
    case Activation::wavelet:
      return "wavelet";
    case Activation::exp:
      return "exp";
    case Activation::sqrt:
      return "sqrt";
  }
  return "unknown";
}

Activation parse_activation(std::string_view name) {
  std::string names;
  std::string_view nearest;
  std::size_t best = name.size() + 100;
  for (const Activation a : all_activations()) {
    const std::string_view candidate = to_string(a);
    if (candidate == name) return a;
    names += (names.empty() ? "" : ", ");
    names += candidate;
    if (const std::size_t distance = edit_distance(name, candidate); distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  throw Error(fmt::format("unknown activation '{}'", name), "[engine.activation]",
              fmt::format("did you mean '{}'? Activations are: {}", nearest, names));
}

int useful_order(Activation activation) {
  switch (activation) {
    case Activation::identity:
    case Activation::relu:
      return 1;
    case Activation::elu:
      return 2;
    case Activation::relu3:
      return 3;
    default:
      return kMaxActivationOrder;
  }
}

}  // namespace cauchy
