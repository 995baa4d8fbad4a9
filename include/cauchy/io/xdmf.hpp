#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <cauchy/io/array.hpp>  // Array

namespace cauchy {

/// Fields on the points of a grid, at one moment or several.
struct GridFields {
  /// One list of coordinates per axis, 1 to 3 axes, strictly increasing; even spacing is not
  /// needed.
  std::vector<std::vector<double>> axes = {};
  /// Moments, strictly increasing; empty for fields that do not depend on time.
  std::vector<double> times = {};
  /// By name: values of shape (axes...) without times, (times, axes...) with them; the last axis
  /// runs fastest, as in every Array. NaN marks points outside the domain.
  std::map<std::string, Array> fields = {};
};

/// Fields on scattered points, at one moment or several.
struct PointFields {
  Array points = {};                         ///< shape (n, d), d = 1, 2 or 3
  std::vector<double> times = {};            ///< as in GridFields
  std::map<std::string, Array> fields = {};  ///< shape (n) without times, (times, n) with them
};

/// Writes an .xdmf file and, beside it under the same name, the .h5 file with the numbers; ParaView
/// opens the former. Both are written atomically, the numbers first.
///   grid     3DRectMesh with explicit coordinates (VXVYVZ), also for 1 and 2 axes, whose missing
///            axes have the single coordinate 0: unlike an origin with spacings, this means the
///            same to all readers. In the .h5 file x runs fastest: axes in the order z, y, x
///   points   Polyvertex with XYZ coordinates
///   time     a temporal collection; datasets fields/NAME/000000, one per moment
///   error    throws Error at "[io.xdmf]" for shapes that do not fit, axes that do not increase, an
///            ending other than .xdmf or .xmf; and as AtomicFile
void write_xdmf(const std::filesystem::path& path, const GridFields& data);
void write_xdmf(const std::filesystem::path& path, const PointFields& data);

}  // namespace cauchy
