#include "sampling/random_fields/series_field.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/math/blas.hpp>

namespace cauchy::detail {
namespace {

/// Bits of a coefficient's number that an axis has: what a coefficient is does not depend on how
/// many others there are.
constexpr int axis_bits = 21;

struct SeriesData {
  Series series;
  std::vector<RandomFieldAxis> axes;
  std::string place;

  /// The random coefficients times their amplitudes, row-major over the functions of the axes.
  void draw(const Rng& rng, std::uint64_t number, std::span<double> c) const {
    Rng own = rng.split(number);
    const std::size_t row = series.bases.back()->size();
    const std::size_t middle = series.bases.size() == 3 ? series.bases[1]->size() : 1;
    for (std::size_t r = 0; r * row < c.size(); ++r) {
      own.set_counter((std::uint64_t{r / middle} << 2 * axis_bits) |
                      (std::uint64_t{r % middle} << axis_bits));
      const std::span<double> out = c.subspan(r * row, row);
      if (series.law == CoefficientLaw::normal) {
        own.fill_normal(out);
      } else {
        own.fill_uniform(out);
        for (double& v : out) v = 2 * v - 1;
      }
    }
    for (std::size_t i = 0; i < c.size(); ++i) c[i] *= series.amplitude[i];
  }

  /// table(i, j) = phi_j at point i of the axis.
  [[nodiscard]] Matrix table(std::size_t axis, std::span<const double> x) const {
    const RandomFieldAxis& a = axes[axis];
    const AxisBasis& basis = *series.bases[axis];
    Matrix out(x.size(), basis.size());
    constexpr double slack = 1e-9;  // nodes come from divisions
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double t = (x[i] - a.lower) / (a.upper - a.lower);
      if (!(t >= -slack && t <= 1 + slack)) {
        throw Error(
            fmt::format("{} lies outside of axis {}, [{}, {}]", x[i], axis + 1, a.lower, a.upper),
            place, "keep to the box of the field");
      }
      basis.evaluate(std::clamp(t, 0.0, 1.0), out.row(i).span());
    }
    return out;
  }
};

/// The shared part of samplers on grids and on points.
class SeriesSampler : public FieldSampler {
 public:
  SeriesSampler(std::shared_ptr<const SeriesData> data, std::vector<Matrix> tables)
      : data_(std::move(data)), tables_(std::move(tables)) {}

  void sample(const Rng& rng, std::uint64_t number, std::span<double> out) const final {
    if (out.size() != size()) {
      throw Error(fmt::format("a sample has {} values, the array {}", size(), out.size()),
                  data_->place);
    }
    std::vector<double> c(data_->series.amplitude.size());
    data_->draw(rng, number, c);
    sum(std::move(c), out);
    if (data_->series.offset != 0) {
      for (double& v : out) v += data_->series.offset;
    }
  }

 protected:
  virtual void sum(std::vector<double> c, std::span<double> out) const = 0;
  std::shared_ptr<const SeriesData> data_;
  std::vector<Matrix> tables_;  // per axis: points x functions
};

class GridSampler final : public SeriesSampler {
 public:
  using SeriesSampler::SeriesSampler;

  [[nodiscard]] std::size_t size() const noexcept override {
    std::size_t n = 1;
    for (const Matrix& t : tables_) n *= t.rows();
    return n;
  }

 private:
  /// Axis by axis from the last one: functions become nodes by a product with the table.
  void sum(std::vector<double> c, std::span<double> out) const override {
    std::size_t inner = 1;  // nodes of the axes behind the present one
    for (std::size_t a = tables_.size(); a-- > 0;) {
      const Matrix& t = tables_[a];
      const std::size_t outer = c.size() / (t.cols() * inner);
      std::vector<double> next(a == 0 ? 0 : outer * t.rows() * inner);
      double* to = a == 0 ? out.data() : next.data();
      if (inner == 1) {
        gemm(Transpose::no, Transpose::yes, 1.0,
             MatrixView<const double>(c.data(), outer, t.cols()), t, 0.0,
             MatrixView<double>(to, outer, t.rows()));
      } else {
        for (std::size_t o = 0; o < outer; ++o) {
          gemm(Transpose::no, Transpose::no, 1.0, t,
               MatrixView<const double>(c.data() + o * t.cols() * inner, t.cols(), inner), 0.0,
               MatrixView<double>(to + o * t.rows() * inner, t.rows(), inner));
        }
      }
      inner *= t.rows();
      c = std::move(next);
    }
  }
};

class PointSampler final : public SeriesSampler {
 public:
  using SeriesSampler::SeriesSampler;

  [[nodiscard]] std::size_t size() const noexcept override { return tables_.front().rows(); }

 private:
  /// Points in blocks: the last axis by one product, then sums for each point.
  void sum(std::vector<double> c, std::span<double> out) const override {
    constexpr std::size_t block = 64;
    const Matrix& last = tables_.back();
    const MatrixView<const double> coefficients(c.data(), c.size() / last.cols(), last.cols());
    Matrix part(std::min(block, size()), coefficients.rows());
    for (std::size_t first = 0; first < size(); first += block) {
      const std::size_t n = std::min(block, size() - first);
      gemm(Transpose::no, Transpose::yes, 1.0, last.view().block(first, 0, n, last.cols()),
           coefficients, 0.0, part.view().block(0, 0, n, part.cols()));
      for (std::size_t i = 0; i < n; ++i) out[first + i] = rest_of_sum(part.row(i), first + i);
    }
  }

  /// Sums over the functions of the axes before the last one; `row` is overwritten.
  [[nodiscard]] double rest_of_sum(VectorView<double> row, std::size_t point) const {
    std::size_t outer = row.size();
    for (std::size_t a = tables_.size() - 1; a-- > 0;) {
      const auto phi = tables_[a].row(point);
      outer /= phi.size();
      for (std::size_t o = 0; o < outer; ++o) {
        row[o] = dot(row.slice(o * phi.size(), phi.size()), phi);
      }
    }
    return row[0];
  }
};

class SeriesField final : public RandomField {
 public:
  explicit SeriesField(SeriesData data)
      : data_(std::make_shared<const SeriesData>(std::move(data))) {}

  [[nodiscard]] std::size_t dimension() const noexcept override { return data_->axes.size(); }

  [[nodiscard]] std::unique_ptr<FieldSampler> on_grid(const Nodes& nodes) const override {
    if (nodes.size() != dimension()) {
      throw Error(fmt::format("a field over {} axes has no values on a grid of {}", dimension(),
                              nodes.size()),
                  data_->place, "give the nodes of every axis");
    }
    return make_sampler_of<GridSampler>(
        [&](std::size_t a) { return std::span<const double>(nodes[a]); });
  }

  [[nodiscard]] std::unique_ptr<FieldSampler> on_points(
      std::span<const double> points) const override {
    const std::size_t d = dimension();
    if (points.size() % d != 0) {
      throw Error(fmt::format("{} numbers are no points of {} axes", points.size(), d),
                  data_->place);
    }
    std::vector<double> column(points.size() / d);
    return make_sampler_of<PointSampler>([&](std::size_t a) {
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = points[i * d + a];
      return std::span<const double>(column);
    });
  }

 private:
  template <class Made, class Coordinates>
  std::unique_ptr<FieldSampler> make_sampler_of(Coordinates coordinates) const {
    std::vector<Matrix> tables;
    for (std::size_t a = 0; a < dimension(); ++a) {
      const std::span<const double> x = coordinates(a);
      if (x.empty()) throw Error("there are no points", data_->place, "give at least one");
      tables.push_back(data_->table(a, x));
    }
    return std::make_unique<Made>(data_, std::move(tables));
  }
  std::shared_ptr<const SeriesData> data_;
};

}  // namespace

std::vector<double> product_amplitudes(const std::vector<std::vector<double>>& amplitude_of_axis,
                                       std::string_view place) {
  double n = 1;
  for (const std::vector<double>& axis : amplitude_of_axis) n *= static_cast<double>(axis.size());
  require_memory(16 * n, fmt::format("a series of {:.0f} functions", n), "use fewer", place);
  std::vector<double> all = {1};
  for (const std::vector<double>& axis : amplitude_of_axis) {
    std::vector<double> next;
    next.reserve(all.size() * axis.size());
    for (const double a : all) {
      for (const double b : axis) next.push_back(a * b);
    }
    all = std::move(next);
  }
  return all;
}

Series equal_series(const std::shared_ptr<const AxisBasis>& basis,
                    const std::vector<double>& amplitude, double size, CoefficientLaw law,
                    std::size_t d, std::string_view place) {
  Series series{AxisBases(d, basis), product_amplitudes({d, amplitude}, place), law};
  for (double& a : series.amplitude) a *= size;
  return series;
}

std::unique_ptr<RandomField> make_series_field(Series series,
                                               const std::vector<RandomFieldAxis>& axes,
                                               std::string_view place) {
  return std::make_unique<SeriesField>(SeriesData{std::move(series), axes, std::string(place)});
}

void refuse_periodic(const std::vector<RandomFieldAxis>& axes, std::string_view place) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].boundary != FieldBoundary::periodic) continue;
    throw Error(ErrorKind::unsupported,
                fmt::format("axis {} is periodic, these functions are not", a + 1), place,
                "use 'grf', 'matern' or 'gaussian'");
  }
}

}  // namespace cauchy::detail

namespace cauchy {

std::vector<double> RandomField::sample(const Rng& rng, std::uint64_t number,
                                        const Nodes& nodes) const {
  const std::unique_ptr<FieldSampler> sampler = on_grid(nodes);
  std::vector<double> out(sampler->size());
  sampler->sample(rng, number, out);
  return out;
}

}  // namespace cauchy
