#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/options.hpp>
#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

// What field networks share: checks, layers that are made of a few operations, common options.

namespace cauchy::detail {

// --- checks; each throws Error at `place` with one sentence ---

/// The input lies on the points of the grid, and there is something to put out. Networks of grids
/// refuse a cloud (with `cloud` false) as unsupported.
void require_field(const TensorGraph& graph, int input, const FieldGrid& grid, int n_outputs,
                   bool cloud, std::string_view place);
/// Not exp and sqrt, which overflow or are no numbers.
void require_between_layers(Activation activation, std::string_view place);
/// `part` divides `whole`: heads and width, groups and channels.
void require_divides(std::string_view part_name, int part, std::string_view whole_name, int whole,
                     std::string_view place);
/// An odd number of points along an axis, at most 99.
void require_kernel(int kernel, std::string_view place);
/// Every axis of a grid is a multiple of its number.
void require_multiples(const FieldGrid& grid, const std::vector<int>& divisors,
                       std::string_view what, std::string_view place);
/// One positive number for every axis: `numbers` has as many, or one for all.
[[nodiscard]] std::vector<int> per_axis(std::string_view what, const std::vector<int>& numbers,
                                        std::size_t axes, std::string_view place);

// --- layers ---

/// The input and, when wanted, the positions of its points as more channels.
int with_positions(TensorGraph& graph, int input, const FieldGrid& grid, bool wanted, int harmonics,
                   std::string_view place);
/// Layers in every point: one hidden layer of `hidden` channels, none for 0.
int add_point_layers(TensorGraph& graph, int x, int hidden, int channels, Activation activation,
                     std::string_view name);
/// x + A_2 s(A_1 y + b_1) + b_2, dropped out behind.
int add_channel_layers(TensorGraph& graph, int x, int y, int hidden, Activation activation,
                       double dropout);

[[nodiscard]] std::vector<bool> periodic_axes(const FieldGrid& grid);
/// A convolution of `kernel` points along each axis, centred, that knows which axes are periodic.
struct GridConvolution {
  int channels = 1;
  int kernel = 3;
  int stride = 1;
  bool bias = true;
  std::string_view name = "convolution";
};
int add_convolution(TensorGraph& graph, int x, const std::vector<bool>& periodic,
                    const GridConvolution& convolution);
/// To a grid that is twice as fine: transposed convolution of 2 points along each axis.
int add_upsampling(TensorGraph& graph, int x, int channels);

/// Normalisation with trainable scale and shift of each channel; x itself for no groups.
int add_group_norm(TensorGraph& graph, int x, int groups);
int add_layer_norm(TensorGraph& graph, int x);

/// W N(z) + b in every token, then the points of the patches: the last layer of networks on tokens.
int add_token_output(TensorGraph& graph, int z, const std::vector<int>& patch, int n_outputs);
/// E patch(a) + G p(x), p: harmonics of the centres (0: none).
int add_tokens(TensorGraph& graph, int input, const FieldGrid& grid, const std::vector<int>& patch,
               int width, int harmonics, std::string_view place);

// --- options ---

/// A list of whole numbers from 1 to `most`.
void visit_whole_numbers(std::string_view key, std::vector<int>& numbers, int most,
                         OptionVisitor& visitor);
/// "12 x 12", or "12" for one number.
[[nodiscard]] std::string times_text(const std::vector<int>& numbers);

}  // namespace cauchy::detail
