#pragma once

#include "operators/physics_values.hpp"

namespace cauchy::detail {

/// Whether a flux can be taken between nodes: it holds no derivative of fields but first ones by
/// coordinates of space.
[[nodiscard]] bool suits_faces(const Expr& flux, const PhysicsPlace& place);

/// d(flux, x) as the difference of fluxes halfway between neighbours along x:
///   (F_{i+1/2} - F_{i-1/2}) / h,  u_x = (u_{i+1} - u_i) / h,  everything else the mean of both
/// What multiplies u_x and is free of fields enters by its harmonic mean, so that a flux through a
/// jump halfway between two nodes is that of the two layers in series. Second order where
/// everything is smooth; unlike a central difference of central differences it sees every other
/// node. 0 at the ends of an axis that is not periodic.
[[nodiscard]] int add_face_derivative(PhysicsValues& values, const Expr& flux,
                                      const std::string& coordinate);

}  // namespace cauchy::detail
