#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/applications/morph.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>

#include "applications/morph/morph_window.hpp"

namespace cauchy {
namespace {

constexpr std::string_view model_place = "[morph]";

/// Blocks of a network; they are those of every shape.
std::vector<ParameterBlock> blocks_of(const MorphNetwork& network, const Lora& lora) {
  TensorGraph graph;
  const int x = graph.input("in", {network.components, {1, 1, 1, network.patch}});
  (void)add_morph(graph, network, {.grid = {1, 1, network.patch}}, x, lora);
  return graph.parameters();
}

std::size_t size_of_blocks(const std::vector<ParameterBlock>& blocks, bool lora) {
  std::size_t n = 0;
  for (const ParameterBlock& b : blocks) {
    if (is_lora(b) == lora) n += static_cast<std::size_t>(b.size());
  }
  return n;
}

}  // namespace

std::size_t MorphModel::n_trainable() const {
  return lora.rank == 0 ? theta.size() : size_of_blocks(blocks_of(network, lora), true);
}

MorphModel fresh_morph(const MorphNetwork& network, int history, std::uint64_t seed) {
  if (history < 1) {
    throw Error(fmt::format("history must be positive, got {}", history), model_place);
  }
  return {network, history, {}, initial_parameters(blocks_of(network, {}), Rng(seed).split(0))};
}

MorphModel with_lora(const MorphModel& model, const Lora& lora, std::uint64_t seed) {
  if (model.lora.rank > 0) {
    throw Error("the model has low-rank updates already", model_place, "merge them first");
  }
  if (lora.rank < 1) {
    throw Error(fmt::format("the rank must be positive, got {}", lora.rank), model_place);
  }
  const std::vector<ParameterBlock> blocks = blocks_of(model.network, lora);
  MorphModel result{model.network, model.history, lora,
                    initial_parameters(blocks, Rng(seed).split(1))};
  auto from = model.theta.begin();
  for (const ParameterBlock& b : blocks) {
    if (is_lora(b)) continue;
    std::copy_n(from, b.size(), result.theta.begin() + b.offset);
    from += b.size();
  }
  return result;
}

std::vector<double> own_parameters(const MorphModel& model) {
  std::vector<double> own;
  for (const ParameterBlock& b : blocks_of(model.network, model.lora)) {
    const auto begin = model.theta.begin() + b.offset;
    if (!is_lora(b)) own.insert(own.end(), begin, begin + b.size());
  }
  return own;
}

MorphModel merged(const MorphModel& model) {
  MorphModel result{model.network, model.history, {}, own_parameters(model)};
  if (model.lora.rank == 0) return result;
  const double factor = model.lora.alpha / model.lora.rank;
  const std::vector<ParameterBlock> blocks = blocks_of(model.network, model.lora);
  std::size_t own = 0;  // of the block in the result
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (is_lora(blocks[k])) continue;
    if (k >= 2 && is_lora(blocks[k - 1])) {  // A, B, W
      const double* const a = model.theta.data() + blocks[k - 2].offset;
      const double* const b = model.theta.data() + blocks[k - 1].offset;
      const auto rows = static_cast<std::size_t>(blocks[k].rows),
                 cols = static_cast<std::size_t>(blocks[k].cols),
                 rank = static_cast<std::size_t>(model.lora.rank);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t r = 0; r < rank; ++r) {
          for (std::size_t j = 0; j < cols; ++j) {
            result.theta[own + i * cols + j] += factor * b[i * rank + r] * a[r * cols + j];
          }
        }
      }
    }
    own += static_cast<std::size_t>(blocks[k].size());
  }
  return result;
}

void MorphModel::save(Checkpoint& c) const {
  c.numbers["morph/history"] = static_cast<std::uint64_t>(history);
  c.numbers["morph/rank"] = static_cast<std::uint64_t>(lora.rank);
  c.arrays["morph/alpha"] = Array::list({lora.alpha});
  c.arrays["morph/theta"] = Array::list(theta);
  const std::vector<int> sizes = {network.filters, network.convolutions, network.width,
                                  network.depth,   network.heads,        network.hidden,
                                  network.patch,   network.components,   network.positions};
  c.arrays["morph/sizes"] = Array::list({sizes.begin(), sizes.end()});
  c.texts["morph/variant"] = network.variant;
  c.texts["morph/activation"] = std::string(to_string(network.activation));
}

MorphModel MorphModel::load(const Checkpoint& c) {
  MorphModel m;
  const std::vector<double>& sizes = c.array("morph/sizes").values;
  int* const to[] = {&m.network.filters, &m.network.convolutions, &m.network.width,
                     &m.network.depth,   &m.network.heads,        &m.network.hidden,
                     &m.network.patch,   &m.network.components,   &m.network.positions};
  bool fits = sizes.size() == std::size(to);
  for (std::size_t i = 0; fits && i < sizes.size(); ++i) *to[i] = static_cast<int>(sizes[i]);
  m.network.variant = c.text("morph/variant");
  for (const Activation a : all_activations()) {
    if (to_string(a) == c.text("morph/activation")) m.network.activation = a;
  }
  m.history = static_cast<int>(c.number("morph/history"));
  m.lora.rank = static_cast<int>(c.number("morph/rank"));
  m.lora.alpha = c.array("morph/alpha").values.at(0);
  m.theta = c.array("morph/theta").values;
  if (fits) {
    const std::vector<ParameterBlock> blocks = blocks_of(m.network, m.lora);
    fits = size_of_blocks(blocks, false) + size_of_blocks(blocks, true) == m.theta.size();
  }
  if (!fits) throw Error(ErrorKind::file, "the model is damaged", model_place);
  return m;
}

Uptf next_moments(const MorphModel& model, const Uptf& data, int threads) {
  check(data);
  detail::MorphStepper stepper(model, data, std::make_shared<Threads>(threads));
  return detail::all_next_moments(stepper, model.theta, data, model.history);
}

Uptf roll_out(const MorphModel& model, const Uptf& data, std::size_t steps, int threads) {
  check(data);
  const std::size_t h = static_cast<std::size_t>(model.history), frame = data.frame_size(),
                    n = data.size(), T = h + steps;
  if (data.shape[1] < h) {
    throw Error(fmt::format("axis T has {} moments, the network needs {}", data.shape[1], h),
                model_place);
  }
  detail::MorphStepper stepper(model, data, std::make_shared<Threads>(threads));
  Uptf result = data;
  result.shape[1] = T;
  result.values.assign(n * T * frame, 0.0);
  std::vector<double> windows(n * h * frame), next(n * frame);
  const auto copy = [&](std::span<const double> from, std::vector<double>& to, std::size_t at) {
    std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < h; ++m) copy(data.frame(i, m), result.values, (i * T + m) * frame);
  }
  for (std::size_t m = h; m < T; ++m) {
    for (std::size_t i = 0; i < n; ++i) {
      copy(std::span<const double>(result.values).subspan((i * T + m - h) * frame, h * frame),
           windows, i * h * frame);
    }
    stepper.step(model.theta, windows, next);
    for (std::size_t i = 0; i < n; ++i) {
      copy(std::span<const double>(next).subspan(i * frame, frame), result.values,
           (i * T + m) * frame);
    }
  }
  return result;
}

MorphError measure(const MorphModel& model, const Uptf& data, int threads) {
  const std::size_t h = static_cast<std::size_t>(model.history), T = data.shape[1];
  if (T <= h) {
    throw Error(fmt::format("axis T has {} moments, {} are needed to measure", T, h + 1),
                model_place);
  }
  MorphError e;
  e.one_step = detail::relative_error(next_moments(model, data, threads), 0, data, h, T - h);
  e.still = detail::relative_error(data, h - 1, data, h, T - h);
  e.rolled_out = detail::relative_error(roll_out(model, data, T - h, threads), h, data, h, T - h);
  Uptf kept = data;
  for (std::size_t n = 0; n < data.size(); ++n) {
    for (std::size_t m = h; m < T; ++m) {
      std::ranges::copy(
          data.frame(n, h - 1),
          kept.values.begin() + static_cast<std::ptrdiff_t>((n * T + m) * data.frame_size()));
    }
  }
  e.rolled_out_still = detail::relative_error(kept, h, data, h, T - h);
  return e;
}

double gap_closure(double pretrained, double scratch, double naive) {
  const double gap = 1 - scratch / naive;
  return gap > 0 ? (1 - pretrained / naive) / gap : std::numeric_limits<double>::quiet_NaN();
}

MorphCost cost_of(const MorphNetwork& network, const MorphShape& shape, std::size_t batch,
                  Precision precision) {
  const std::size_t n = static_cast<std::size_t>(network.components * shape.fields) *
                        points_of({shape.grid.begin(), shape.grid.end()});
  const detail::MorphGraph g = detail::make_morph_graph(
      network, shape, {}, std::vector<double>(n, 1 / static_cast<double>(n)));
  const auto executor = make_tensor_executor(
      g.graph, {{"loss", g.loss}}, {.pool = std::make_shared<Threads>(1), .precision = precision});
  return {g.graph->n_parameters(), g.graph->flops(), executor->bytes(batch)};
}

}  // namespace cauchy
