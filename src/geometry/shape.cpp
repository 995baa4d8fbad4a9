#include <cauchy/geometry/shape.hpp>

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>

namespace cauchy {

double Shape::gradient(const double* x, double* gradient) const {
  const std::size_t d = dimension();
  std::vector<double> foot(2 * d);
  double* normal = foot.data() + d;
  const Nearest near = nearest(x, foot.data(), normal);
  double length = 0;
  for (std::size_t i = 0; i < d; ++i) length = std::hypot(length, x[i] - foot[i]);
  double scale = 0;
  for (std::size_t i = 0; i < d; ++i) scale = std::max(scale, std::abs(x[i]));
  // Close to the boundary the difference is all rounding; there the normal is the better direction.
  constexpr double rounding = 1e-8;
  for (std::size_t i = 0; i < d; ++i) {
    gradient[i] = length > rounding * (scale + length)
                      ? (near.distance >= 0 ? 1 : -1) * (x[i] - foot[i]) / length
                      : -normal[i];
  }
  return near.distance;
}

void Shape::map(const double* /*u*/, double* /*x*/) const {
  throw Error(ErrorKind::unsupported, "this shape has no map from the unit cube", "[geometry]",
              "ask has_map() first");
}

ShapePtr Shape::renamed(const std::string& label) const {
  auto copy = clone();
  for (Piece& p : copy->pieces_) {
    p.name = label + "_" + p.name;
    for (std::string& l : p.labels) l = label + "_" + l;
    p.labels.push_back(label);
  }
  return copy;
}

ShapePtr Shape::labelled(const std::string& label) const {
  auto copy = clone();
  for (Piece& p : copy->pieces_) p.labels.push_back(label);
  return copy;
}

}  // namespace cauchy
