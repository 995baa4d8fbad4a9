#include "operators/normalizer.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

/// A number varies when its deviation is above this part of its size.
constexpr double least_variation = 1e-12;

/// Linear interpolation of rows of numbers along one axis: [outer, n, stride].
std::vector<double> stretched(const std::vector<double>& v, const FieldGrid::Axis& from,
                              const FieldGrid::Axis& to, std::size_t stride) {
  const auto n = static_cast<std::size_t>(from.n), m = static_cast<std::size_t>(to.n);
  const std::size_t outer = v.size() / (n * stride);
  std::vector<double> out(outer * m * stride);
  for (std::size_t i = 0; i < m; ++i) {
    const double at = (to.node(static_cast<int>(i)) - from.lower) / from.spacing();
    const double last = static_cast<double>(from.periodic ? n - 1 : n - 2);
    const double cell = std::clamp(std::floor(at), 0.0, last), s = at - cell;
    const auto a = static_cast<std::size_t>(cell), b = (a + 1) % n;
    for (std::size_t o = 0; o < outer; ++o) {
      const double *here = &v[(o * n + a) * stride], *next = &v[(o * n + b) * stride];
      double* const to_row = &out[(o * m + i) * stride];
      for (std::size_t j = 0; j < stride; ++j) to_row[j] = (1 - s) * here[j] + s * next[j];
    }
  }
  return out;
}

/// The rows (functions on a grid) on another grid of the same box.
std::vector<double> on_grid(std::vector<double> rows, const FieldGrid& from, const FieldGrid& to) {
  std::size_t stride = 1;  // of the points behind an axis, on the new grid
  for (std::size_t k = from.axes.size(); k-- > 0;) {
    rows = stretched(rows, from.axes[k], to.axes[k], stride);
    stride *= static_cast<std::size_t>(to.axes[k].n);
  }
  return rows;
}

}  // namespace

Normalizer::Normalizer(std::size_t channels) : channels_(channels) {}

Normalizer::Fit::Fit(Normalization kind, std::size_t channels, const FieldGrid& grid)
    : kind_(kind),
      grid_(grid),
      width_(kind == Normalization::point ? grid.n_points() : 1),
      mean_(channels * width_),
      square_(channels * width_),
      count_(channels) {}

void Normalizer::Fit::add(std::size_t channel, std::span<const double> values) {
  if (kind_ == Normalization::none) return;
  double* const mean = &mean_[channel * width_];
  double* const square = &square_[channel * width_];
  if (!second_) count_[channel] += width_ == 1 ? static_cast<double>(values.size()) : 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t at = width_ == 1 ? 0 : i;
    if (second_) {
      square[at] += (values[i] - mean[at]) * (values[i] - mean[at]);
    } else {
      mean[at] += values[i];
    }
  }
}

void Normalizer::Fit::next_pass() {
  second_ = true;
  for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] /= std::max(1.0, count_[i / width_]);
}

Normalizer Normalizer::Fit::finish() {
  Normalizer made(count_.size());
  made.kind_ = kind_;
  if (kind_ == Normalization::none) return made;
  if (kind_ == Normalization::point) made.grid_ = grid_;
  made.mean_ = std::move(mean_);
  made.deviation_ = std::move(square_);
  for (std::size_t i = 0; i < made.deviation_.size(); ++i) {
    double& d = made.deviation_[i];
    d = std::sqrt(d / std::max(1.0, count_[i / width_]));
    if (!(d > least_variation * std::abs(made.mean_[i]))) d = 0;
  }
  return made;
}

std::size_t Normalizer::channels() const noexcept { return channels_; }

double Normalizer::deviation(std::size_t channel) const {
  if (is_identity()) return 1;
  const std::size_t width = deviation_.size() / channels_;
  double sum = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const double d = deviation_[channel * width + i];
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(width));
}

Normalizer Normalizer::picked(std::span<const std::size_t> channels) const {
  Normalizer made(channels.size());
  made.kind_ = kind_;
  made.grid_ = grid_;
  if (is_identity()) return made;
  const std::size_t width = mean_.size() / channels_;
  for (const std::size_t c : channels) {
    const auto first = static_cast<std::ptrdiff_t>(c * width);
    const auto last = first + static_cast<std::ptrdiff_t>(width);
    made.mean_.insert(made.mean_.end(), mean_.begin() + first, mean_.begin() + last);
    made.deviation_.insert(made.deviation_.end(), deviation_.begin() + first,
                           deviation_.begin() + last);
  }
  return made;
}

Normalizer Normalizer::joined(const Normalizer& other) const {
  if (channels_ == 0) return other;
  Normalizer made = *this;
  made.channels_ += other.channels_;
  made.mean_.insert(made.mean_.end(), other.mean_.begin(), other.mean_.end());
  made.deviation_.insert(made.deviation_.end(), other.deviation_.begin(), other.deviation_.end());
  return made;
}

Normalizer Normalizer::on(const FieldGrid& grid) const {
  if (kind_ != Normalization::point || grid == grid_) return *this;
  if (grid.is_cloud() || grid_.is_cloud()) {
    throw Error("normalization = \"point\" belongs to the points that it was found at",
                "[operators]", "train with normalization = \"channel\" to answer at other points");
  }
  Normalizer made = *this;
  made.grid_ = grid;
  made.mean_ = on_grid(mean_, grid_, grid);
  made.deviation_ = on_grid(deviation_, grid_, grid);
  return made;
}

int Normalizer::constant(TensorGraph& g, int value, std::vector<double> numbers) const {
  TensorShape shape = g.shape(value);
  if (kind_ == Normalization::channel) shape.grid.clear();
  // A time axis stands before those of space: its moments share the numbers.
  const std::size_t width = numbers.size() / channels_, times = shape.points() / width;
  if (kind_ == Normalization::point && times > 1) {
    std::vector<double> all;
    all.reserve(numbers.size() * times);
    for (std::size_t c = 0; c < channels_; ++c) {
      const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(c * width);
      for (std::size_t t = 0; t < times; ++t) {
        all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(width));
      }
    }
    numbers = std::move(all);
  }
  return g.constant(std::move(shape), std::move(numbers));
}

std::vector<double> Normalizer::inverse() const {
  std::vector<double> all = deviation_;
  for (double& d : all) d = d > 0 ? 1 / d : 0;
  return all;
}

int Normalizer::add_normalized(TensorGraph& g, int value) const {
  if (is_identity()) return value;
  return add_scaled(g, g.subtract(value, constant(g, value, mean_)));
}

int Normalizer::add_restored(TensorGraph& g, int value) const {
  if (is_identity()) return value;
  const int scaled = g.multiply(value, constant(g, value, deviation_));
  return g.add(scaled, constant(g, value, mean_));
}

int Normalizer::add_scaled(TensorGraph& g, int value) const {
  if (is_identity()) return value;
  return g.multiply(value, constant(g, value, inverse()));
}

int Normalizer::add_rescaled(TensorGraph& g, int value) const {
  if (is_identity()) return value;
  if (kind_ == Normalization::point) {
    throw Error(
        ErrorKind::unsupported,
        "normalization = \"point\" has no exact derivatives: its numbers are given at nodes",
        "[train.physics]", "use normalization = \"channel\"");
  }
  return g.multiply(value, constant(g, value, deviation_));
}

void Normalizer::save(Checkpoint& c, const std::string& prefix) const {
  c.numbers[prefix + "kind"] = static_cast<std::uint64_t>(kind_);
  c.numbers[prefix + "channels"] = channels_;
  c.arrays[prefix + "mean"] = Array::list(mean_);
  c.arrays[prefix + "deviation"] = Array::list(deviation_);
}

Normalizer Normalizer::load(const Checkpoint& c, const std::string& prefix, const FieldGrid& grid) {
  Normalizer made(c.number(prefix + "channels"));
  const std::uint64_t kind = c.number(prefix + "kind");
  made.kind_ = static_cast<Normalization>(kind);
  made.mean_ = c.array(prefix + "mean").values;
  made.deviation_ = c.array(prefix + "deviation").values;
  std::size_t n = 0;
  if (made.kind_ == Normalization::channel) n = made.channels_;
  if (made.kind_ == Normalization::point) {
    made.grid_ = grid;
    n = made.channels_ * grid.n_points();
  }
  const bool whole = std::all_of(made.deviation_.begin(), made.deviation_.end(),
                                 [](double d) { return d >= 0 && std::isfinite(d); });
  if (kind > 2 || made.mean_.size() != n || made.deviation_.size() != n || !whole) {
    throw Error(ErrorKind::file, "the normalisation in the model is damaged", "[operators]",
                "train it again");
  }
  return made;
}

}  // namespace cauchy::detail
