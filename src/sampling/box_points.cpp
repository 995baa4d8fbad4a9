#include <cauchy/sampling/box_points.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

void check(const Box& box) {
  if (box.sides.empty()) throw Error("a box needs at least one side", "[sampling.box]");
  for (const Box::Side& s : box.sides) {
    if (!(s.lower < s.upper) || !std::isfinite(s.lower) || !std::isfinite(s.upper)) {
      throw Error(fmt::format("side '{}' goes from {} to {}", s.coordinate, s.lower, s.upper),
                  "[sampling.box]", "the lower end must be below the upper one, both finite");
    }
  }
}

}  // namespace

std::vector<double> uniform_points(const Box& box, std::size_t n, Rng& rng) {
  check(box);
  if (n == 0) throw Error("the number of points must be positive, got 0", "[sampling.box]");
  std::vector<double> points;
  points.reserve(n * box.sides.size());
  for (std::size_t p = 0; p < n; ++p) {
    for (const Box::Side& s : box.sides) {
      points.push_back(s.lower + (s.upper - s.lower) * rng.uniform());
    }
  }
  return points;
}

std::vector<double> face_points(const Box& box, std::size_t side, bool upper, std::size_t n,
                                Rng& rng) {
  check(box);
  const std::size_t D = box.sides.size();
  if (side >= D) {
    throw Error(fmt::format("there is no side {}, the box has {}", side, D), "[sampling.box]");
  }
  std::vector<double> points = uniform_points(box, n, rng);
  for (std::size_t p = 0; p < n; ++p) {
    points[p * D + side] = upper ? box.sides[side].upper : box.sides[side].lower;
  }
  return points;
}

std::vector<double> grid_points(const Box& box, const std::vector<std::size_t>& counts) {
  check(box);
  if (counts.size() != box.sides.size()) {
    throw Error(fmt::format("{} counts for {} sides", counts.size(), box.sides.size()),
                "[sampling.box]");
  }
  std::size_t total = 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 2) {
      throw Error(fmt::format("side '{}' needs at least 2 grid points, got {}",
                              box.sides[i].coordinate, counts[i]),
                  "[sampling.box]");
    }
    total *= counts[i];
  }
  std::vector<double> points(total * counts.size());
  for (std::size_t p = 0; p < total; ++p) {
    std::size_t rest = p;
    for (std::size_t i = counts.size(); i-- > 0;) {
      const Box::Side& s = box.sides[i];
      const auto last = static_cast<double>(counts[i] - 1);
      const auto k = static_cast<double>(rest % counts[i]);
      // Written so that both ends are exact; (a n) / n can differ from a in the last bit.
      points[p * counts.size() + i] = s.lower * ((last - k) / last) + s.upper * (k / last);
      rest /= counts[i];
    }
  }
  return points;
}

}  // namespace cauchy
