#pragma once

#include <string>
#include <vector>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// A layer that starts where the data of a problem disagree at the first time: at an end of space,
/// at the seam of a periodic coordinate, or inside where an initial value has a kink or a jump.
/// Diffusion widens it from there. For
///   u_t = D u_xx - a u_x + c u + ...,   s = sqrt(4 D t), z = P / s
/// with the coefficients of that place it is, at an end and elsewhere,
///   jump   of values by A:          A erfc(z) e^ct          A/2 Q erf(z) e^ct
///   kink   of slopes by B:          B s ierfc(z) e^ct       B/2 (P erf(z) + s/sqrt(pi) e^-z^2)
///   e^ct bend   of velocities by C:      4 C t i2erfc(z) e^ct    -
/// P is the distance from the place, elsewhere with a sign and carried along by a; on a circle of
/// length L it is L/pi sin(pi P/L) in its place, and Q = cos(pi P/L) makes jumps periodic. What is
/// left of the field is smoother by one derivative or two.
struct InitialLayer {
  enum class Kind : unsigned char { jump, kink, bend };
  enum class Where : unsigned char { end, seam, inside };
  std::string field;
  Kind kind = Kind::jump;
  Where where = Where::end;
  double place = 0;   ///< along the coordinate of space
  double amount = 0;  ///< at an end: what is asked for less what is there; else after less before
  double diffusion = 0;  ///< D
  double speed = 0;      ///< a, with which it is carried along where it is not at an end
  double range = 0;      ///< what the initial value varies by
  Expr function = 0;     ///< of the coordinates, finite at the first time as well
};

/// All layers of a problem with one coordinate of space and no parameter ranges, in which fields
/// have initial values by formulas and parabolic equations of second order. Conditions that are
/// built in, unknown constants and data that are no formulas have none. Inside, kinks are those of
/// abs, sign, min, max and comparisons; of more than 16 none is taken.
[[nodiscard]] std::vector<InitialLayer> initial_layers(const Problem& problem,
                                                       const Lowering& lower);

/// The functions of all layers of a field, added up.
[[nodiscard]] Expr sum_of(const std::vector<InitialLayer>& layers, const std::string& field);

/// "a kink of u at the seam of x (slopes differ by 4)": for people.
[[nodiscard]] std::string describe(const InitialLayer& layer, const std::string& coordinate);

}  // namespace cauchy::detail
