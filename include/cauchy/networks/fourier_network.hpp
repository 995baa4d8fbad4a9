#pragma once

#include <cstdint>
#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/graph.hpp>
#include <cauchy/networks/fourier_features.hpp>

namespace cauchy {

class OptionVisitor;

/// What the hidden layers on Fourier features phi(x) are, h_0 = phi, z = s(W h + b):
///   plain     h <- z
///   modified  h <- (1 - z) T_1 + z T_2 with T_i = s(V_i phi + c_i)  (Wang, Teng, Perdikaris 2021)
///   highway   h <- z g + (1 - g) (P x + q) with g = sigmoid(V phi + c)
enum class FourierForm : std::uint8_t { plain, modified, highway };

/// `depth` hidden layers of `width` features on E rows of Fourier features per embedding, then one
/// linear layer with one row per field. Parameters for n inputs, m fields, width w, depth d, and A
/// embeddings behind the layers (scales, or scales times time_scales):
///   (E + 1) w + (d - 1) (w + 1) w + (A w + 1) m
///   modified  2 (E + 1) w more;  highway  (E + 1) w + (n + 1) w more
template <FourierForm form>
struct FourierLayers {
  int width = 64;
  int depth = 3;
  Activation activation = Activation::tanh;
  bool adaptive_slope = false;  ///< s(a z) with one trainable a per layer
  FourierFeatures features = {};
};
using FourierNetwork = FourierLayers<FourierForm::plain>;
using ModifiedFourier = FourierLayers<FourierForm::modified>;
using HighwayFourier = FourierLayers<FourierForm::highway>;

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
template <FourierForm form>
int add_network(Graph& graph, const FourierLayers<form>& network, int input, int n_outputs);

/// width, depth, activation, adaptive_slope, and the keys of FourierFeatures.
template <FourierForm form>
void visit_options(FourierLayers<form>& network, OptionVisitor& visitor);
/// For people: "64 x 3 tanh, highway, 32 Fourier features".
template <FourierForm form>
[[nodiscard]] std::string describe(const FourierLayers<form>& network);

}  // namespace cauchy
