#pragma once

#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/networks/network_list.hpp>

namespace cauchy {

class OptionVisitor;

/// Finite-basis network: a small network of its own in each of many overlapping windows, blended by
/// a partition of unity (Moseley, Markham and Nissen-Meyer 2021).
///   u(x) = sum_j w_j(x) N_j((x - c_j) / h_j),   sum_j w_j = 1
/// The inputs are expected in [-1, 1]; input i is cut into n_i equal parts of width s_i = 2 / n_i.
/// Along one input w_k = (T_k - T_{k+1}) / 2 with T_k = tanh(2.5 (x - e_k) / (overlap s / 2)) at
/// the inner edges e_k, T_0 = 1 and T_n = -1: positive, analytic, and the sum is 1 without a
/// division. Along several inputs windows are products. h = s (1 + overlap) / 2: a network sees
/// its window and both overlaps as [-1, 1]. Parameters: product of n_i times those of `inner`.
struct Windows {
  static constexpr int max_windows = 4096;
  /// Windows along each input, in their order; 1: none. One number serves all inputs. A periodic
  /// coordinate is two inputs, its cosine and its sine.
  std::vector<int> windows = {4};
  double overlap = 1;      ///< of neighbours, in units of the width of a part
  NetworkList inner = {};  ///< one, the network of every window; empty: Elm of 40
};

/// Adds all windows on top of a value; returns the value with one row per output.
///   error    throws Error when the counts do not fit the inputs, or an option is out of its range
///   cost     all windows at all points: (number of windows) times one inner network
int add_network(Graph& graph, const Windows& windows, int input, int n_outputs);
/// The window functions alone, one row each; the last input runs fastest.
int add_windows(Graph& graph, const Windows& windows, int input);

/// windows, overlap, and the section `inner`.
void visit_options(Windows& windows, OptionVisitor& visitor);
/// For people: "4 x 4 windows of 40 random sin features".
[[nodiscard]] std::string describe(const Windows& windows);

}  // namespace cauchy
