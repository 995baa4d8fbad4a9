#include <cmath>

#include <cauchy/networks/kan_model.hpp>

#include "networks/kan_layers.hpp"

namespace cauchy {
namespace {

constexpr double smooth_square = 1e-16;  // |w| = sqrt(w^2 + this): a slope everywhere
constexpr double least_share = 1e-30;    // of an edge, below which p log p is 0

double sum_of_norms(std::span<const double> norms) {
  double sum = 0;
  for (const double n : norms) sum += n;
  return sum;
}

}  // namespace

double edge_entropy(std::span<const double> norms) {
  const double sum = sum_of_norms(norms);
  double s = 0;
  for (const double n : norms) {
    const double p = sum > 0 ? n / sum : 0;
    if (p > least_share) s -= p * std::log(p);
  }
  return s;
}

KanPenalty::KanPenalty(const Kan& kan, int n_inputs, int n_outputs, std::size_t offset)
    : sparsity_(kan.sparsity), entropy_(kan.entropy) {
  const auto shape = *detail::kan_shape(kan, n_inputs, n_outputs);
  const auto offsets = detail::kan_offsets(shape);
  const auto first = static_cast<std::ptrdiff_t>(offset);
  for (std::size_t l = 0; l < shape.n_layers(); ++l) {
    layers_.push_back({static_cast<std::size_t>(shape.widths[l] * shape.widths[l + 1]),
                       static_cast<std::size_t>(shape.bases[l][0]->size()),
                       first + offsets[l].coefficients, first + offsets[l].base});
  }
}

double KanPenalty::operator()(std::span<const double> theta, std::span<double> g) const {
  double total = 0;
  for (const Layer& layer : layers_) {
    const auto weight = [&](std::size_t e, std::size_t k) {  // k = 0: base
      return static_cast<std::size_t>(
          k == 0 ? layer.base + static_cast<std::ptrdiff_t>(e)
                 : layer.coefficients + static_cast<std::ptrdiff_t>(e * layer.n_functions + k - 1));
    };
    const double share = 1.0 / static_cast<double>(layer.n_functions + 1);
    const auto size = [](double w) { return std::sqrt(w * w + smooth_square); };
    std::vector<double> norms(layer.n_edges, 0.0);
    for (std::size_t e = 0; e < norms.size(); ++e) {
      for (std::size_t k = 0; k <= layer.n_functions; ++k) {
        norms[e] += share * size(theta[weight(e, k)]);
      }
    }
    const double sum = sum_of_norms(norms), s = edge_entropy(norms);
    total += sum + entropy_ * s;
    if (g.empty()) continue;
    // dS / dm_e = -(log p_e + S) / sum
    for (std::size_t e = 0; e < norms.size(); ++e) {
      const double slope = 1 - entropy_ * (std::log(norms[e] / sum) + s) / sum;
      for (std::size_t k = 0; k <= layer.n_functions; ++k) {
        const std::size_t at = weight(e, k);
        g[at] += sparsity_ * slope * share * theta[at] / size(theta[at]);
      }
    }
  }
  return sparsity_ * total;
}

}  // namespace cauchy
