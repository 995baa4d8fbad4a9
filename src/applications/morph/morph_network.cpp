#include <cauchy/applications/morph_network.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "applications/morph/morph_layers.hpp"
#include "networks/fields/field_layers.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view morph_place = "[morph.network]";

void check_morph(const MorphNetwork& m) {
  using detail::require_count;
  require_count("filters", m.filters, 1, detail::max_width, morph_place);
  require_count("convolutions", m.convolutions, 0, 100, morph_place);
  require_count("width", m.width, 1, detail::max_width, morph_place);
  require_count("depth", m.depth, 1, Mlp::max_depth, morph_place);
  require_count("heads", m.heads, 1, detail::max_width, morph_place);
  detail::require_divides("heads", m.heads, "width", m.width, morph_place);
  require_count("hidden", m.hidden, 1, detail::max_width, morph_place);
  require_count("patch", m.patch, 1, 64, morph_place);
  require_count("components", m.components, 1, 100, morph_place);
  require_count("positions", m.positions, 1, 1000, morph_place);
  detail::require_between_layers(m.activation, morph_place);
}

/// Points of a patch along D, H or W.
int patch_along(const MorphNetwork& m, const MorphShape& s, std::size_t axis) {
  return s.grid[axis] == 1 ? 1 : m.patch;
}

/// Builds one network.
class MorphBuilder final {
 public:
  MorphBuilder(TensorGraph& graph, const MorphNetwork& m, const MorphShape& s, const Lora& lora)
      : g_(graph), m_(m), s_(s), layers_(graph, lora) {
    for (std::size_t a = 0; a < 3; ++a) patch_[a] = patch_along(m, s, a);
    tokens_ = {s.moments, s.grid[0] / patch_[0], s.grid[1] / patch_[1], s.grid[2] / patch_[2]};
  }

  int build(int input) {
    const int e =
        embed(convolve(g_.linear(input, m_.filters, Activation::identity, false, "components")));
    int z = layers_.field_attention(e, s_.fields, m_.heads, positions());
    for (int l = 0; l < m_.depth; ++l) {
      z = layers_.axial_attention(detail::add_layer_norm(g_, z), m_.heads, z);
      const int h =
          layers_.linear(detail::add_layer_norm(g_, z), m_.hidden, "channels", m_.activation);
      z = layers_.linear(h, m_.width, "channels", Activation::identity, z);
    }
    return decode(z, e);
  }

 private:
  int convolve(int h) {
    std::vector<int> around(4, 0), padding(4, 0);
    bool wraps = false;
    for (std::size_t a = 0; a < 3; ++a) {
      const bool wrap = s_.periodic[a] && s_.grid[a] > 1;
      (wrap ? around : padding)[a + 1] = 1;
      wraps = wraps || wrap;
    }
    for (int k = 0; k < m_.convolutions; ++k) {
      if (wraps) h = g_.pad(h, around, around, Border::periodic);
      h = g_.convolution(
          h, m_.filters,
          {.kernel = {1, 3, 3, 3}, .padding = padding, .bias = false, .name = "filters"});
      h = g_.activation(h, m_.activation);
    }
    return h;
  }

  /// Numbers of a patch of these axes within one of three: per channel, within the patch.
  [[nodiscard]] std::vector<int> slots() const {
    std::vector<int> result;
    for (int d = 0; d < patch_[0]; ++d) {
      for (int h = 0; h < patch_[1]; ++h) {
        for (int w = 0; w < patch_[2]; ++w) result.push_back((d * m_.patch + h) * m_.patch + w);
      }
    }
    return result;
  }
  [[nodiscard]] int volume() const { return m_.patch * m_.patch * m_.patch; }

  int embed(int h) {
    const int cut = g_.patch(h, {1, patch_[0], patch_[1], patch_[2]});
    const TensorShape shape = g_.shape(cut);
    const std::vector<int> slot = slots();
    if (static_cast<int>(slot.size()) == volume()) {
      return layers_.linear(cut, m_.width, "projection");
    }
    const std::size_t points = shape.points(), all = static_cast<std::size_t>(volume());
    std::vector<std::ptrdiff_t> picks(static_cast<std::size_t>(m_.filters) * all * points, -1);
    for (std::size_t f = 0; f < static_cast<std::size_t>(m_.filters); ++f) {
      for (std::size_t k = 0; k < slot.size(); ++k) {
        for (std::size_t p = 0; p < points; ++p) {
          picks[(f * all + static_cast<std::size_t>(slot[k])) * points + p] =
              static_cast<std::ptrdiff_t>((f * slot.size() + k) * points + p);
        }
      }
    }
    const int whole = g_.pick(cut, {m_.filters * volume(), shape.grid}, std::move(picks));
    return layers_.linear(whole, m_.width, "projection");
  }

  /// G p: cos and sin of the place along every axis, which fit its period where it has one, and of
  /// the moments before the last one.
  int positions() {
    const std::size_t points = points_of(tokens_),
                      harmonics = static_cast<std::size_t>(m_.positions);
    std::vector<double> numbers(8 * harmonics * points, 0.0);
    std::size_t stride = points;
    for (std::size_t a = 0; a < 4; ++a) {
      const auto n = static_cast<std::size_t>(tokens_[a]);
      stride /= n;
      if (n == 1) continue;
      for (std::size_t k = 0; k < harmonics; ++k) {
        const double order = static_cast<double>(k + 1) * std::numbers::pi;
        for (std::size_t p = 0; p < points; ++p) {
          const auto i = static_cast<double>(p / stride % n);
          const auto count = static_cast<double>(n);
          const double angle = a == 0 ? order * (count - 1 - i) / 8
                                      : order * (i + 0.5) / count * (s_.periodic[a - 1] ? 2 : 1);
          numbers[((a * harmonics + k) * 2) * points + p] = std::cos(angle);
          numbers[((a * harmonics + k) * 2 + 1) * points + p] = std::sin(angle);
        }
      }
    }
    const int p = g_.constant({8 * m_.positions, tokens_}, std::move(numbers));
    return g_.linear(p, m_.width, Activation::identity, false, "position");
  }

  int decode(int z, int e) {
    const std::vector<int> place(tokens_.begin() + 1, tokens_.end());
    const std::size_t each = points_of(place), width = static_cast<std::size_t>(m_.width),
                      fields = static_cast<std::size_t>(s_.fields),
                      moments = static_cast<std::size_t>(s_.moments);
    // Of the last moment: z, for all fields the same, and e.
    std::vector<std::ptrdiff_t> last(width * each), shared(width * fields * each),
        own(width * fields * each);
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t p = 0; p < each; ++p) {
        last[c * each + p] = static_cast<std::ptrdiff_t>((c * moments + moments - 1) * each + p);
        for (std::size_t f = 0; f < fields; ++f) {
          const std::size_t to = (c * fields + f) * each + p;
          shared[to] = static_cast<std::ptrdiff_t>(c * each + p);
          own[to] = static_cast<std::ptrdiff_t>(
              (c * moments * fields + (moments - 1) * fields + f) * each + p);
        }
      }
    }
    std::vector<int> grid = place;
    grid.insert(grid.begin(), s_.fields);
    const int now = g_.pick(z, {m_.width, place}, std::move(last));
    int h = layers_.linear(detail::add_layer_norm(g_, now), m_.width, "decoder");
    h = g_.pick(h, {m_.width, grid}, std::move(shared));
    const int mine = g_.pick(e, {m_.width, grid}, std::move(own));
    h = layers_.linear(mine, m_.width, "decoder", m_.activation, h);
    const int rows = m_.components * volume();
    const int out = layers_.linear(h, rows, "output");
    g_.start_at(out, std::vector<double>(static_cast<std::size_t>(rows) * width));
    const std::vector<int> slot = slots();
    int cut = out;
    if (static_cast<int>(slot.size()) != volume()) {
      const std::size_t points = g_.shape(out).points();
      std::vector<std::ptrdiff_t> picks;
      for (int c = 0; c < m_.components; ++c) {
        for (const int k : slot) {
          for (std::size_t p = 0; p < points; ++p) {
            picks.push_back(static_cast<std::ptrdiff_t>(
                static_cast<std::size_t>(c * volume() + k) * points + p));
          }
        }
      }
      cut = g_.pick(out, {m_.components * static_cast<int>(slot.size()), grid}, std::move(picks));
    }
    return g_.unpatch(cut, {1, patch_[0], patch_[1], patch_[2]});
  }

  TensorGraph& g_;
  const MorphNetwork& m_;
  const MorphShape& s_;
  detail::MorphLayers layers_;
  std::array<int, 3> patch_ = {};
  std::vector<int> tokens_;
};

const MorphVariant& morph_entry(const MorphNetwork& network) {
  for (const MorphVariant& v : all_morph_variants()) {
    if (v.name == network.variant) return v;
  }
  return all_morph_variants().front();
}

}  // namespace

const std::vector<MorphVariant>& all_morph_variants() {
  const auto paper = [](const char* name, int width, int depth, int heads) {
    return MorphNetwork{.variant = name,
                        .convolutions = 1,
                        .width = width,
                        .depth = depth,
                        .heads = heads,
                        .hidden = 4 * width,
                        .patch = 8};
  };
  static const std::vector<MorphVariant> all = {
      {"nano", "trains on a processor in minutes", MorphNetwork{}},
      {"ti", "tiny, of the paper", paper("ti", 256, 4, 4), 7e6},
      {"s", "small, of the paper", paper("s", 512, 4, 8), 30e6},
      {"m", "medium, of the paper", paper("m", 768, 8, 12), 126e6},
      {"l", "large, of the paper", paper("l", 1024, 16, 16), 480e6},
  };
  return all;
}

void visit_options(MorphNetwork& m, OptionVisitor& v) {
  v.alternative("variant", "variant", m, all_morph_variants(), morph_entry(m));
  v.count("filters", m.filters, 1, detail::max_width);
  v.count("convolutions", m.convolutions, 0, 100);
  detail::visit_layer_sizes(m.width, m.depth, v);
  v.count("heads", m.heads, 1, detail::max_width);
  v.count("hidden", m.hidden, 1, detail::max_width);
  v.count("patch", m.patch, 1, 64);
  v.count("components", m.components, 1, 100);
  v.count("positions", m.positions, 1, 1000);
  detail::visit_activation(m.activation, v);
  v.check([&] { check_morph(m); });
}

std::string describe(const MorphNetwork& m) {
  return fmt::format("MORPH {} of width {}, {} layers, {} heads, patches of {} points", m.variant,
                     m.width, m.depth, m.heads, m.patch);
}

bool is_lora(const ParameterBlock& block) noexcept { return block.name.starts_with("lora"); }

std::size_t n_parameters(const MorphNetwork& network) {
  TensorGraph graph;
  const int x = graph.input("in", {network.components, {1, 1, 1, network.patch}});
  (void)add_morph(graph, network, {.grid = {1, 1, network.patch}}, x);
  return graph.n_parameters();
}

void check_fits(const MorphNetwork& network, const MorphShape& shape) {
  check_morph(network);
  for (std::size_t a = 0; a < 3; ++a) {
    const int patch = patch_along(network, shape, a);
    if (shape.grid[a] % patch == 0) continue;
    throw Error(fmt::format("patches need a multiple of {} points along {}, the grid has {}", patch,
                            "DHW"[a], shape.grid[a]),
                morph_place);
  }
}

int add_morph(TensorGraph& graph, const MorphNetwork& network, const MorphShape& shape, int input,
              const Lora& lora) {
  check_fits(network, shape);
  const TensorShape wanted{
      network.components,
      {shape.moments * shape.fields, shape.grid[0], shape.grid[1], shape.grid[2]}};
  if (graph.shape(input) != wanted) {
    throw Error(fmt::format("the input has the shape {}, the network needs {}",
                            to_string(graph.shape(input)), to_string(wanted)),
                morph_place);
  }
  return MorphBuilder(graph, network, shape, lora).build(input);
}

}  // namespace cauchy
