#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <cauchy/sampling/points.hpp>

namespace cauchy {

// Point sets of a domain. Every function returns exactly the number of points that it is asked for;
// the same arguments give the same bits. One sampler fills all columns (time, space, ranges)
// together, so that the whole row has the low discrepancy, not each column alone.
//   inside    by the volume-preserving map of the shape where there is one, otherwise by rejection
//             in the bounding box. Sequences go on until enough points are accepted: the first m of
//             n points are the points for m. Finite sets (grid, lattice, hammersley,
//             latin_hypercube) are made again with more points until n are accepted; the surplus is
//             left out evenly over the order.
//   grid      a tensor grid of cell centres, cells of equal sides in space, for any region; time
//             and each range get cells as if they were as long as the geometric mean of the sides
//             of the bounding box. The smallest such grid with n points inside, thinned to n.
//   ranges    a range is sampled uniformly, whether or not the shape depends on it: given its value
//             the point is uniform in the shape of that value, so that small shapes get as many
//             points as large ones. Where the first try is outside, the space columns alone are
//             drawn again at random.
//   error     throws Error when n is 0, a region is unbounded, has no volume, fills less than 1e-6
//             of its box (after 4 million tries), a parameter has no value, or the sampler cannot
//             do the number of columns

/// n points with space in the open region, time and ranges in their closed intervals.
///   cost     about 30 ns per point of a disk; by rejection, one inside test per candidate
[[nodiscard]] Points interior_points(const Domain& domain, std::size_t n,
                                     const SamplerOptions& options = {});

/// n points on a part of the boundary of space (see Boundary for the text), uniform in its length
/// or area, with outward unit normals and piece names. A coordinate of the sampler chooses the
/// piece by cumulative measure and, stretched, goes on as the first coordinate on it: pieces get
/// their share to within the discrepancy of that coordinate. Of a part that changes with time
/// ("left and t > 0.5"), points and times are drawn together, uniformly.
///   error    also when nothing is selected (the error names the pieces) or a piece is infinite
[[nodiscard]] Points boundary_points(const Domain& domain, std::string_view where, std::size_t n,
                                     const SamplerOptions& options = {});

/// n points inside at one time, exactly. Without space and ranges there is one such point, and n
/// must be 1.
///   error    also when the domain has no time or t lies outside of it
[[nodiscard]] Points slice_points(const Domain& domain, double t, std::size_t n,
                                  const SamplerOptions& options = {});
/// slice_points at the first time.
[[nodiscard]] Points initial_points(const Domain& domain, std::size_t n,
                                    const SamplerOptions& options = {});

/// The tensor grid with counts[i] equally spaced points in column i, both ends of the bounding box
/// included exactly, without the points outside the closed region (1e-12 of its size counts as on
/// the boundary); the last column runs fastest. For a box it is the whole tensor grid.
///   error    throws Error unless there is one count of at least 2 per column, and when no point
///            is left
[[nodiscard]] Points grid_points(const Domain& domain, const std::vector<std::size_t>& counts);

}  // namespace cauchy
