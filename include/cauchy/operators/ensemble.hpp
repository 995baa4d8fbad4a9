#pragma once

#include <cauchy/sampling/sphere_noise.hpp>

namespace cauchy {

class OptionVisitor;

/// Forecasts of ensembles in the manner of FourCastNet 3 (Bonev et al. 2025): the network of a
/// roll-out on the sphere sees noise as further channels, another one for each member, which lives
/// on from step to step. All members have the same parameters and start from the same frames. The
/// training minimises the fair continuous ranked probability score (ensemble_scores.hpp) of the
/// members in units of the normalisation,
///   mean over points by area of CRPS + spectral (4 pi N)^-1/2 sum over harmonics of CRPS,
/// the second one of the N coefficients of the real orthonormal harmonics that the grid carries.
struct Ensemble {
  int members = 2;   ///< of the training; 1: the loss is the mean absolute error
  int forecast = 8;  ///< of what it answers; their mean is the answer
  /// Of the noise; 0: there is none, and all members are one: a network without noise that has the
  /// parameters of one with it, which can start from there.
  double amplitude = 1;
  double spectral = 0.1;  ///< weight of the spectrum; 0: not looked at
  SphereNoise noise = {};
  friend bool operator==(const Ensemble&, const Ensemble&) = default;
};
void visit_options(Ensemble& ensemble, OptionVisitor& visitor);
/// Throws Error for options that exclude each other.
void check_options(const Ensemble& ensemble);

}  // namespace cauchy
