#include <cauchy/sampling/integrate.hpp>

#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include "sampling/frame.hpp"
#include "sampling/replicates.hpp"
#include "sampling/row_program.hpp"
#include "sampling/shape_points.hpp"

namespace cauchy {
namespace {

using detail::Frame;
using detail::Moments;

constexpr const char* integrate_place = "[sampling.integrate]";

void check(std::size_t n, std::size_t least) {
  if (n < least) {
    throw Error(fmt::format("an integral with an error needs at least {} points, got {}", least, n),
                integrate_place);
  }
}

/// Values of the integrand for rows of points.
using Batch = FunctionRef<void(const double* rows, std::size_t n, double* values)>;

/// Takes points of the unit cube to points of the box around the domain, one row at a time.
class BoxRows final {
 public:
  explicit BoxRows(const Frame& frame) : frame_(frame), shapes_(frame), row_(frame.width()) {}

  /// Volume of the box when the row is inside, else 0.
  double place(const double* u) {
    const std::size_t d = frame_.space, x0 = frame_.time.size();
    for (std::size_t i = 0; i < x0; ++i) row_[i] = frame_.time[i].at(u[i]);
    for (std::size_t i = x0 + d; i < row_.size(); ++i) row_[i] = frame_.ranges[i - x0 - d].at(u[i]);
    if (d == 0) return frame_.axes_measure();
    const Shape& shape = shapes_.at({row_.data() + x0 + d, frame_.ranges.size()});
    detail::box_point(shape, u + x0, &row_[x0]);
    return shape.contains(&row_[x0]) ? frame_.axes_measure() * detail::box_measure(shape) : 0;
  }
  [[nodiscard]] const std::vector<double>& row() const noexcept { return row_; }

 private:
  const Frame& frame_;
  detail::ShapeCache shapes_;
  std::vector<double> row_;
};

/// Volume of the domain if there is one closed form for it.
std::optional<double> known_measure(const Frame& frame) {
  if (frame.space == 0) return frame.axes_measure();
  if (frame.varies) return {};
  std::vector<double> ranges;
  for (const detail::Axis& a : frame.ranges) ranges.push_back(a.lower);
  const ShapePtr shape = frame.shape(ranges);
  check_bounded(*shape, frame);
  if (std::isnan(shape->measure())) return {};
  return shape->measure() * frame.axes_measure();
}

Estimate integrate_rows(Batch f, const Frame& frame, std::size_t n, const SamplerOptions& options,
                        std::size_t replicates) {
  const bool independent = options.kind == SamplerKind::uniform;
  check(n, 2);
  if (independent) replicates = 1;
  if (!independent && replicates < 2) {
    throw Error(fmt::format("an error needs at least 2 replicates, got {}", replicates),
                integrate_place);
  }
  const std::size_t each = (n + replicates - 1) / replicates;
  const std::optional<double> volume = known_measure(frame);
  std::vector<double> values(each);
  Moments moments;
  for (std::size_t r = 0; r < replicates; ++r) {
    const SamplerOptions set = independent ? options : detail::replicate(options, r);
    if (volume) {
      const Points points = detail::interior_rows(frame, each, set);
      f(points.values.data(), each, values.data());
      for (double& v : values) v *= *volume;
    } else {
      BoxRows box(frame);
      const std::vector<double> u = unit_points(set, frame.width(), each);
      for (std::size_t i = 0; i < each; ++i) {
        const double factor = box.place(u.data() + i * frame.width());
        values[i] = 0;
        if (factor == 0) continue;
        f(box.row().data(), 1, &values[i]);
        values[i] *= factor;
      }
    }
    Moments set_moments;
    for (const double v : values) {
      if (independent) {
        moments.add(v);
      } else {
        set_moments.add(v);
      }
    }
    if (!independent) moments.add(set_moments.mean());
  }
  return {moments.mean(), moments.error(), false, each * replicates};
}

double ratio(RowFunction f, RowFunction pdf, std::span<const double> row) {
  const double q = pdf(row);
  if (!(q > 0) || !std::isfinite(q)) {
    throw Error(fmt::format("the density is {} at a point that was drawn from it", q),
                integrate_place,
                "the density must be the one of the points, positive where they fall");
  }
  return f(row) / q;
}

}  // namespace

Estimate integrate(RowFunction f, const Domain& domain, std::size_t n,
                   const SamplerOptions& options, std::size_t replicates) {
  const Frame frame = detail::frame_of(domain);
  const std::size_t D = frame.width();
  const auto batch = [&](const double* rows, std::size_t m, double* values) {
    for (std::size_t i = 0; i < m; ++i) values[i] = f({rows + i * D, D});
  };
  return integrate_rows(batch, frame, n, options, replicates);
}

Estimate integrate(const Expr& f, const Domain& domain, std::size_t n,
                   const SamplerOptions& options, std::size_t replicates) {
  const Frame frame = detail::frame_of(domain);
  detail::RowProgram program(f, frame);
  const auto batch = [&](const double* rows, std::size_t m, double* values) {
    program.run(rows, m, values);
  };
  return integrate_rows(batch, frame, n, options, replicates);
}

Estimate integrate_importance(RowFunction f, RowFunction pdf,
                              FunctionRef<void(Rng&, std::span<double>)> draw,
                              std::size_t dimension, std::size_t n, std::uint64_t seed) {
  check(n, 2);
  Rng rng(seed);
  std::vector<double> row(dimension);
  Moments moments;
  for (std::size_t i = 0; i < n; ++i) {
    draw(rng, row);
    moments.add(ratio(f, pdf, row));
  }
  return {moments.mean(), moments.error(), false, n};
}

Estimate integrate_importance(RowFunction f, RowFunction pdf, std::span<const double> rows,
                              std::size_t dimension) {
  if (dimension == 0 || rows.size() % dimension != 0) {
    throw Error(fmt::format("{} numbers are no rows of {}", rows.size(), dimension),
                integrate_place);
  }
  const std::size_t n = rows.size() / dimension;
  check(n, 2);
  Moments moments;
  for (std::size_t i = 0; i < n; ++i) {
    moments.add(ratio(f, pdf, rows.subspan(i * dimension, dimension)));
  }
  return {moments.mean(), moments.error(), false, n};
}

Estimate integrate_hit_or_miss(RowFunction f, const Domain& domain, double lower, double upper,
                               std::size_t n, std::uint64_t seed) {
  check(n, 2);
  if (!(lower < upper) || !std::isfinite(lower) || !std::isfinite(upper)) {
    throw Error(fmt::format("the bounds of the function are {} and {}", lower, upper),
                integrate_place, "the lower one must be below the upper one, both finite");
  }
  const Frame frame = detail::frame_of(domain);
  BoxRows box(frame);
  Rng rng(seed);
  std::vector<double> u(frame.width() + 1);
  Moments moments;
  for (std::size_t i = 0; i < n; ++i) {
    rng.fill_uniform(u);
    const double factor = box.place(u.data());
    double value = 0;
    if (factor > 0) {
      const double height = f(box.row());
      if (!(height >= lower && height <= upper)) {
        throw Error(
            fmt::format("the function is {}, outside of its bounds [{}, {}]", height, lower, upper),
            integrate_place, "give bounds that hold everywhere");
      }
      const double y = lower + (upper - lower) * u.back();
      value = factor * (y < height ? upper : lower);
    }
    moments.add(value);
  }
  return {moments.mean(), moments.error(), false, n};
}

}  // namespace cauchy
