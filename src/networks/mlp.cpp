#include <cauchy/networks/mlp.hpp>

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view mlp_place = "[networks.mlp]";

[[noreturn]] void refuse_mlp(const std::string& why) { throw Error(why, mlp_place); }

std::vector<int> hidden_widths(const Mlp& mlp) {
  if (!mlp.widths.empty()) return mlp.widths;
  return std::vector<int>(static_cast<std::size_t>(mlp.depth), mlp.width);
}

/// Whether a skip connection ends behind hidden layer l, counted from 0.
bool ends_skip(const Mlp& mlp, std::size_t l) {
  return mlp.skip > 0 && l > 0 && l % static_cast<std::size_t>(mlp.skip) == 0;
}

void check_mlp(const Mlp& mlp, int n_outputs) {
  using detail::require_count;
  require_count("width", mlp.width, 1, detail::max_width, mlp_place);
  require_count("depth", mlp.depth, 1, Mlp::max_depth, mlp_place);
  require_count("the number of widths", static_cast<int>(mlp.widths.size()), 0, Mlp::max_depth,
                mlp_place);
  for (const int w : mlp.widths) {
    require_count("every one of the widths", w, 1, detail::max_width, mlp_place);
  }
  require_count("the number of fields", n_outputs, 1, detail::max_width, mlp_place);
  if (mlp.factorized && mlp.weight_norm) {
    refuse_mlp("weights are factorised or normalised, not both");
  }
  require_count("skip", mlp.skip, 0, Mlp::max_depth, mlp_place);
  const std::vector<int> widths = hidden_widths(mlp);
  if (mlp.skip > 0 && static_cast<std::size_t>(mlp.skip) >= widths.size()) {
    refuse_mlp(fmt::format("skip = {} needs at least {} hidden layers, there are {}", mlp.skip,
                           mlp.skip + 1, widths.size()));
  }
  for (std::size_t l = 0; l < widths.size(); ++l) {
    if (mlp.layer_norm && widths[l] == 1) {
      refuse_mlp("layer_norm needs layers of at least two features: one alone becomes 0");
    }
    if (!ends_skip(mlp, l)) continue;
    const std::size_t begin = l - static_cast<std::size_t>(mlp.skip);
    if (widths[begin] == widths[l]) continue;
    refuse_mlp(fmt::format("skip = {} joins hidden layers {} and {}, of widths {} and {}", mlp.skip,
                           begin + 1, l + 1, widths[begin], widths[l]));
  }
}

/// The pre-activations of hidden layers times their slopes.
class MlpSlopes final {
 public:
  explicit MlpSlopes(Slope kind) : kind_(kind) {}

  int add(Graph& graph, int z) {
    if (kind_ == Slope::none) return z;
    if (kind_ == Slope::network && shared_ >= 0) return graph.same_scale(z, shared_);
    return shared_ = graph.scale(z, 1, kind_ == Slope::neuron, "slope");
  }

 private:
  Slope kind_;
  int shared_ = -1;  // the scale of the first layer
};

/// widths as a list of whole numbers.
void visit_widths(Mlp& mlp, OptionVisitor& v) {
  std::vector<double> widths(mlp.widths.begin(), mlp.widths.end());
  v.numbers("widths", widths, NumberRange::positive);
  v.check([&] {
    for (const double w : widths) {
      if (w == std::floor(w) && w <= detail::max_width) continue;
      throw Error(
          fmt::format("widths are whole numbers of at most {}, got {}", detail::max_width, w));
    }
    if (!widths.empty() && (v.gives("width") || v.gives("depth"))) {
      throw Error("give widths, or width and depth, not both");
    }
  });
  mlp.widths.clear();
  for (const double w : widths) mlp.widths.push_back(static_cast<int>(w));
}

}  // namespace

int add_network(Graph& graph, const Mlp& mlp, int input, int n_outputs) {
  check_mlp(mlp, n_outputs);
  const detail::LayerForm form{mlp.factorized, mlp.factor_mean, mlp.weight_norm};
  int h = detail::add_embedding(graph, {input, mlp.fourier, mlp.fourier_scale, mlp.fourier_seed},
                                form, mlp_place);
  MlpSlopes slopes(mlp.slope);
  int begin = -1;  // of the skip connection that is open
  const std::vector<int> widths = hidden_widths(mlp);
  for (std::size_t l = 0; l < widths.size(); ++l) {
    h = detail::add_layer(graph, h, widths[l], form, "hidden");
    if (mlp.layer_norm) h = graph.layer_norm(h);
    h = graph.activation(slopes.add(graph, h), mlp.activation);
    if (ends_skip(mlp, l)) h = graph.add(begin, h);
    if (l == 0 || ends_skip(mlp, l)) begin = h;
  }
  // A normalised last layer would be no linear function of its parameters.
  return detail::add_layer(graph, h, n_outputs, {mlp.factorized, mlp.factor_mean}, "output");
}

void visit_options(Mlp& mlp, OptionVisitor& v) {
  static const Words<Slope> slopes = {{"none", Slope::none},
                                      {"network", Slope::network},
                                      {"layer", Slope::layer},
                                      {"neuron", Slope::neuron}};
  if (mlp.widths.empty()) {
    v.count("width", mlp.width, 1, detail::max_width);
    v.count("depth", mlp.depth, 1, Mlp::max_depth);
  }
  visit_widths(mlp, v);
  v.word("activation", mlp.activation, detail::activation_words());
  v.word("slope", mlp.slope, slopes);
  v.count("skip", mlp.skip, 0, Mlp::max_depth);
  v.flag("layer_norm", mlp.layer_norm);
  v.flag("weight_norm", mlp.weight_norm);
  v.flag("factorized", mlp.factorized);
  v.number("factor_mean", mlp.factor_mean, NumberRange::any);
  detail::visit_fourier(mlp.fourier, mlp.fourier_scale, mlp.fourier_seed, v);
  v.check([&] { check_mlp(mlp, 1); });
}

std::string describe(const Mlp& mlp) {
  std::string text = mlp.widths.empty() ? fmt::format("{} x {}", mlp.width, mlp.depth)
                                        : fmt::format("{}", fmt::join(mlp.widths, "-"));
  text += fmt::format(" {}", to_string(mlp.activation));
  if (mlp.slope != Slope::none) text += ", trainable slopes";
  if (mlp.skip > 0) text += fmt::format(", skips of {}", mlp.skip);
  if (mlp.layer_norm) text += ", normalised layers";
  if (mlp.weight_norm) text += ", normalised weights";
  return text + detail::describe_form(mlp.fourier, mlp.factorized);
}

}  // namespace cauchy
