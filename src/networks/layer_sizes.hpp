#pragma once

#include <string_view>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/engine/activation.hpp>
#include <cauchy/networks/mlp.hpp>

namespace cauchy::detail {

inline constexpr int max_layer_width = 1'000'000;  // far beyond what fits in memory

/// Throws Error when a network of layers has a size that is not positive or far too large.
inline void check_layer_sizes(int width, int depth, int n_outputs, const char* place) {
  const auto require = [&](std::string_view what, int n, int most) {
    if (n >= 1 && n <= most) return;
    throw Error(fmt::format("{} must be 1 to {}, got {}", what, most, n), place);
  };
  require("width", width, max_layer_width);
  require("depth", depth, Mlp::max_depth);
  require("the number of fields", n_outputs, max_layer_width);
}

/// width and depth.
inline void visit_layer_sizes(int& width, int& depth, OptionVisitor& v) {
  v.count("width", width, 1, max_layer_width);
  v.count("depth", depth, 1, Mlp::max_depth);
}

inline void visit_activation(Activation& activation, OptionVisitor& v) {
  Words<Activation> words;
  for (const Activation a : all_activations()) words.emplace_back(to_string(a), a);
  v.word("activation", activation, words);
}

}  // namespace cauchy::detail
