// Any bytes as STL and as OBJ: a mesh, of which a surface is made when it is small, or an Error.
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

#include "fuzz_support.hpp"
#include "geometry/mesh_io.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cauchy;
  for (const char* name : {"fuzz.stl", "fuzz.obj"}) {
    try {
      const TriangleMesh mesh = detail::mesh_io::parse_mesh(bytes_of(data, size), name);
      if (mesh.triangles.size() > 200) continue;
      const double x[] = {0.1, 0.2, 0.3};
      const double distance = triangle_surface_shape(mesh)->distance(x);
      if (!std::isfinite(distance)) report("distance", std::to_string(distance), name);
    } catch (const Error&) {
    }
  }
  return 0;
}
