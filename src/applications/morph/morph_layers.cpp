#include "applications/morph/morph_layers.hpp"

#include <array>
#include <utility>
#include <vector>

namespace cauchy::detail {
namespace {

using Picks = std::vector<std::ptrdiff_t>;

/// [E, {n, other axes}] to [other points * E, {n}]: an axis for the attention, everything else
/// becomes heads. `inverse`: the way back. The grid has 4 axes.
Picks axis_picks(int channels, const std::vector<int>& grid, std::size_t axis, bool inverse) {
  std::array<std::size_t, 4> n = {}, stride = {};
  std::size_t points = 1;
  for (std::size_t a = 4; a-- > 0;) {
    n[a] = static_cast<std::size_t>(grid[a]);
    stride[a] = points;
    points *= n[a];
  }
  const auto width = static_cast<std::size_t>(channels);
  const std::size_t length = n[axis];
  Picks picks(points * width);
  std::size_t other = 0;
  for (std::size_t p = 0; p < points; ++p) {
    if (p / stride[axis] % length != 0) continue;  // the first point of each line
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t i = 0; i < length; ++i) {
        const std::size_t folded = (other * width + c) * length + i,
                          plain = c * points + p + i * stride[axis];
        picks[inverse ? plain : folded] = static_cast<std::ptrdiff_t>(inverse ? folded : plain);
      }
    }
    ++other;
  }
  return picks;
}

}  // namespace

int MorphLayers::linear(int x, int channels, std::string_view name, Activation activation,
                        int plus) {
  if (lora_.rank > 0) {
    int a = graph_.linear(x, lora_.rank, Activation::identity, false, "lora_a");
    a = graph_.multiply(a, graph_.constant({1, {}}, {lora_.alpha / lora_.rank}));
    plus = graph_.linear(a, channels, Activation::identity, false, "lora_b", plus);
    graph_.start_at(plus, std::vector<double>(static_cast<std::size_t>(channels) *
                                              static_cast<std::size_t>(lora_.rank)));
  }
  return graph_.linear(x, channels, activation, true, name, plus);
}

void MorphLayers::unused_linear(int cols, int channels, std::string_view name) {
  const int none = graph_.constant({cols, {}}, std::vector<double>(static_cast<std::size_t>(cols)));
  (void)linear(none, channels, name);
}

int MorphLayers::field_attention(int e, int fields, int heads, int plus) {
  const TensorShape from = graph_.shape(e);
  const int width = from.channels;
  std::vector<int> grid = from.grid;
  grid[0] /= fields;
  const int one = graph_.constant({1, {}}, {1.0});
  const int learnt = graph_.linear(one, width, Activation::identity, false, "query");
  graph_.start_normal(1);
  // Of one vector, not of tokens: without low-rank updates.
  const int query = graph_.linear(learnt, width, Activation::identity, true, "field_query");
  if (fields == 1) {  // softmax of one number
    unused_linear(width, width, "field_key");
    const int value = linear(e, width, "field_value");
    return linear(value, width, "field_heads", Activation::identity, plus);
  }
  const int key = linear(e, width, "field_key"), value = linear(e, width, "field_value");
  // Tokens become heads, fields the axis of the attention.
  const std::size_t tokens = points_of(grid), w = static_cast<std::size_t>(width),
                    n = static_cast<std::size_t>(fields),
                    each = tokens / static_cast<std::size_t>(grid[0]);
  Picks asked(tokens * w), folded(tokens * w * n), back(tokens * w);
  for (std::size_t o = 0; o < tokens; ++o) {
    const std::size_t moment = o / each, place = o % each;
    for (std::size_t c = 0; c < w; ++c) {
      asked[o * w + c] = static_cast<std::ptrdiff_t>(c);
      back[c * tokens + o] = static_cast<std::ptrdiff_t>(o * w + c);
      for (std::size_t f = 0; f < n; ++f) {
        folded[(o * w + c) * n + f] =
            static_cast<std::ptrdiff_t>(c * tokens * n + (moment * n + f) * each + place);
      }
    }
  }
  const int many = static_cast<int>(tokens * w);
  const int q = graph_.pick(query, {many, {1}}, std::move(asked)),
            k = graph_.pick(key, {many, {fields}}, folded),
            v = graph_.pick(value, {many, {fields}}, std::move(folded));
  const int z = graph_.attention(q, k, v, heads * static_cast<int>(tokens));
  return linear(graph_.pick(z, {width, grid}, std::move(back)), width, "field_heads",
                Activation::identity, plus);
}

int MorphLayers::attention_along(int x, int axis, int heads, int sum) {
  const TensorShape shape = graph_.shape(x);
  const int width = shape.channels, length = shape.grid[static_cast<std::size_t>(axis)];
  if (length == 1) {
    for (const char* name : {"axis_query", "axis_key", "axis_value", "axis_heads"}) {
      unused_linear(width, width, name);
    }
    return sum;
  }
  const int others = static_cast<int>(shape.points()) / length;
  const auto a = static_cast<std::size_t>(axis);
  const auto folded = [&](std::string_view name) {
    return graph_.pick(linear(x, width, name), {others * width, {length}},
                       axis_picks(width, shape.grid, a, false));
  };
  const int q = folded("axis_query"), k = folded("axis_key"), v = folded("axis_value");
  const int z = graph_.attention(q, k, v, others * heads);
  return linear(graph_.pick(z, shape, axis_picks(width, shape.grid, a, true)), width, "axis_heads",
                Activation::identity, sum);
}

int MorphLayers::axial_attention(int x, int heads, int sum) {
  for (int axis = 0; axis < 4; ++axis) sum = attention_along(x, axis, heads, sum);
  return sum;
}

}  // namespace cauchy::detail
