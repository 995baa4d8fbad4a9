#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/networks/network.hpp>
#include <cauchy/networks/periodic_input.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cauchy/training/rules.hpp>
#include <cauchy/training/stage.hpp>

namespace cauchy {

/// Which points and weights the squares of equations have.
///   sampler  drawn, all of the same weight
///   gauss    nodes and weights of Gauss quadrature, fixed: the term is the integral of the square
enum class PointRule : std::uint8_t { sampler, gauss };

/// Where the residuals are looked at.
struct PinnPoints {
  std::size_t interior = 2000;  ///< per equation
  std::size_t boundary = 400;   ///< per condition on the boundary
  std::size_t initial = 400;    ///< per condition at a time
  PointRule rule = PointRule::sampler;
  SamplerOptions sampler = {};
  std::uint64_t redraw = 0;  ///< steps of a first-order method between new points; 0: never
  std::size_t batch = 0;     ///< points of each term per step of a first-order method; 0: all
};

/// How the last linear layer of a network starts.
///   random         as all other layers
///   conditions     least squares of the conditions and data
///   least_squares  least squares of all terms of the loss; Gauss-Newton where they are nonlinear
enum class LastLayerStart : std::uint8_t { random, conditions, least_squares };

/// Random features (Elm) that are tried before the network is trained: least-squares solutions, or
/// Gauss-Newton steps, for several numbers of features, each with the scale that suits best.
struct FeatureTrial {
  std::vector<double> counts = {};  ///< of features, one after the other; empty: no trial
  /// Of the largest residual on fresh points, in units of its terms: the answer is taken at
  /// `accept`, and at `goal` no more features are tried.
  double accept = 1e-6, goal = 1e-8;
};

/// Physics-informed neural network: strong-form residuals at points, least squares.
struct Pinn {
  Network network = Mlp{.width = 32, .depth = 3};
  InitializeOptions initialize = {};
  LastLayerStart last_layer = LastLayerStart::random;
  bool separate = false;  ///< one network per field instead of one for all
  /// Coordinates that every network sees as cosines and sines, beside those of periodic conditions.
  std::vector<PeriodicInput> periodic = {};
  /// Surfaces that cut the domain into pieces with networks of their own: "x = 0.5", "t = 1",
  /// "x^2 + y^2 = 0.25". The pieces are joined by the interface conditions of the problem on these
  /// surfaces, else by interface_conditions().
  std::vector<std::string> decompose = {};
  FeatureTrial features = {};
  PinnPoints points = {};
  std::vector<Stage> stages = {};  ///< empty: default_stages()
  TrainingRules rules = {};
  /// Gradient-enhanced residuals: the derivatives of every equation by the coordinates up to this
  /// order stand in the loss too, each with `sobolev_weight`.
  int sobolev = 0;
  double sobolev_weight = 0.1;
  /// Weight of the contractive penalty: the mean of |dh/dx|_F^2 over the points of the equations, h
  /// the last hidden layer and x the coordinates in units of half the domain; 0: none.
  double contraction = 0;
  /// Gradients, kernels and layers are measured on the way, within a fifth of the counted work, and
  /// the worst finding is told (problem/training_diagnosis.hpp). The answer does not depend on it.
  bool diagnose = false;
  /// The training ends when the residuals of all terms on fresh points are at most this, in units
  /// of their terms (root mean squares); 0: never.
  double goal = 0;
  /// Factor of all conditions at boundaries and times, beside the weights of the problem.
  double condition_weight = 1;
  /// Initial conditions that are not marked `hard` are built in as well, where they can be.
  bool hard_initial = false;
  /// Where initial values, conditions and equations of a parabolic problem in one space dimension
  /// disagree at the first time, the layer that starts there is added to the network in closed
  /// form: fields are the sum of both.
  bool initial_layers = false;
  /// Folder of another run (or its solution.bin) whose network, of the same shape, and unknown
  /// constants of the same names are the start; or an .npz file of arrays with the names of the
  /// blocks of the network (parameter_arrays() of solvers/export.hpp); empty: random.
  std::string start = {};
  /// Beside observations with noise a coefficient that is to be found is expected to change by
  /// about this part of its size across the domain; 0: nothing is known of it.
  double variation = 0.2;
  bool scale = true;  ///< non-dimensional coordinates, fields and residuals inside
  std::uint64_t seed = 1;
  Precision precision = Precision::f64;
};

/// counts, accept, goal.
void visit_options(FeatureTrial& trial, OptionVisitor& visitor);

/// Every key of [method] besides `kind`.
void visit_options(Pinn& method, OptionVisitor& visitor);
/// Which of them the trial functions of a variational network have.
///   energy   but for residuals at points and for sums of squares
///   tests    but for residuals at points and points inside
enum class TrialKeys : std::uint8_t { energy, tests };
void visit_trial_options(Pinn& trial, TrialKeys keys, OptionVisitor& visitor);

}  // namespace cauchy
