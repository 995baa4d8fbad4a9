#pragma once

#include <string>

#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Sinusoidal representation network (Sitzmann et al. 2020): `depth` hidden layers sin(W h + b) of
/// `width` features, then one linear layer. Its derivatives are such networks with shifted phases.
/// The factor w0 of sin(w0 (W h + b)) is inside of W and b: they start with the laws of
/// Initialization::siren, unless another one is named. A step of the published form is w0 times as
/// long in these weights: its learning rate 1e-4 with w0 = 30 is 3e-3 here.
/// Parameters for n inputs and m fields: (n + 1) w + (d - 1) (w + 1) w + (w + 1) m.
struct Siren {
  int width = 64;
  int depth = 3;
  double w0 =
      30;  ///< the first frequencies are uniform in [-w0 / n, w0 / n], for inputs in [-1, 1]
};

/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error when a number is out of its range
int add_network(Graph& graph, const Siren& siren, int input, int n_outputs);

/// width, depth, w0.
void visit_options(Siren& siren, OptionVisitor& visitor);
/// For people: "64 x 3 siren, w0 = 30".
[[nodiscard]] std::string describe(const Siren& siren);

}  // namespace cauchy
