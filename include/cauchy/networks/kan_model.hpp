#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/engine/basis.hpp>
#include <cauchy/networks/network.hpp>

namespace cauchy {

/// A trained Kolmogorov-Arnold network taken apart: functions of one variable on the edges,
///   x_{l+1,o} = sum_i phi_{l,o,i}(x_{l,i}).
/// Plain loops in double. Edges of a layer are numbered o * n_inputs + i.
///   error    throws Error for networks of other families, for parameters that do not fit, and with
///            layer_norm, where an edge is no function of one variable
class KanModel final {
 public:
  ///   theta    the parameters of the network alone, without unknown constants
  KanModel(Network network, int n_inputs, int n_outputs, std::span<const double> theta);

  [[nodiscard]] const Network& network() const noexcept { return network_; }
  /// The parameters again, of network().
  [[nodiscard]] const std::vector<double>& theta() const noexcept { return theta_; }
  [[nodiscard]] std::size_t n_layers() const noexcept { return layers_.size(); }
  /// Features before layer l; those of layer n_layers() are the outputs.
  [[nodiscard]] std::size_t n_features(std::size_t l) const;

  /// phi_{l,o,i}(x).
  [[nodiscard]] double edge(std::size_t l, std::size_t o, std::size_t i, double x) const;
  /// Features of all layers at points (row-major n x n_features(0)), the outputs last: row-major
  /// n x n_features(l).
  [[nodiscard]] std::vector<std::vector<double>> features(std::span<const double> points) const;
  /// |phi|_1 of the edges of each layer: the mean of |phi| at these features.
  [[nodiscard]] std::vector<std::vector<double>> norms(
      const std::vector<std::vector<double>>& features) const;

  /// Without the hidden nodes whose incoming or outgoing score is not above the threshold:
  ///   I_{l,i} = max_k |phi_{l-1,i,k}|_1,    O_{l,i} = max_k |phi_{l,k,i}|_1.
  /// The best node of a layer stays.
  [[nodiscard]] KanModel pruned(std::span<const double> points, double threshold = 1e-2) const;

  /// The same function on other grids (Kan): `grid` intervals whose ends blend the quantiles of the
  /// features at the points with equal intervals; the coefficients by least squares.
  ///   uniform  part of equal intervals, in (0, 1]
  ///   range    of the inputs: the grids of the first layer reach from lower to upper of the
  ///            network at least, those of others over the features and 5 % more
  [[nodiscard]] KanModel regridded(int grid, std::span<const double> points,
                                   double uniform = 0.5) const;

 private:
  struct Layer {
    std::size_t n_in = 0, n_out = 0, n_functions = 0;
    std::vector<std::shared_ptr<const Basis>> bases;  // one for all, or one per input
    std::vector<double> coefficients;                 // [output][input][function], w_s in them
    std::vector<double> base;                         // [output][input]; empty: none
    [[nodiscard]] const Basis& basis(std::size_t i) const {
      return *bases[bases.size() == 1 ? 0 : i];
    }
  };
  void functions(const Layer& layer, std::size_t i, double x, std::span<double> out) const;
  [[nodiscard]] KanModel with_layers(Network network, const std::vector<Layer>& layers) const;

  Network network_;
  std::vector<double> theta_;
  std::vector<Layer> layers_;
  bool squash_ = false;
};

/// S = -sum_e p_e log p_e with p = norms / sum of norms: 0 for one edge, log(n) for n equal ones.
[[nodiscard]] double edge_entropy(std::span<const double> norms);

/// The sparsity term of a Kan in a loss, in its weights (the form of efficient layers):
///   sparsity * sum over layers of (sum_e m_e + entropy * S(m)),
/// m_e the mean of |w| over the weights of edge e, base included; |w| is sqrt(w^2 + 1e-16).
class KanPenalty final {
 public:
  ///   offset   of the network in the parameter vector of the loss
  KanPenalty(const Kan& kan, int n_inputs, int n_outputs, std::size_t offset = 0);
  /// The value; its gradient is added to g, where g is not empty.
  double operator()(std::span<const double> theta, std::span<double> g) const;

 private:
  struct Layer {
    std::size_t n_edges, n_functions;
    std::ptrdiff_t coefficients, base;
  };
  std::vector<Layer> layers_;
  double sparsity_, entropy_;
};

}  // namespace cauchy
