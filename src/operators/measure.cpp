#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/operators/trained_operator.hpp>

#include "operators/channels.hpp"
#include "operators/field_norm.hpp"

namespace cauchy {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<double>& v) {
  if (v.empty()) return not_known;
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

/// Squared norms of truth and misfit, [sample][field], of the channels that count.
struct SquaredNorms {
  std::vector<double> truth, misfit;
};

/// Relative errors of [sample][field]; a truth that is zero is measured by the mean of its field.
std::vector<double> relative(const SquaredNorms& norms, std::size_t n_fields) {
  std::vector<double> mean(n_fields, 0.0);
  const std::size_t n = norms.truth.size() / n_fields;
  for (std::size_t i = 0; i < norms.truth.size(); ++i) mean[i % n_fields] += norms.truth[i];
  std::vector<double> errors;
  for (std::size_t i = 0; i < norms.truth.size(); ++i) {
    const double of_field = mean[i % n_fields] / static_cast<double>(n);
    double size = norms.truth[i] > 0 ? norms.truth[i] : of_field;
    if (!(size > 0)) size = 1;
    errors.push_back(norms.misfit[i] / size);
  }
  return errors;
}

/// 1 - misfit / deviation of what is added up; about the first value, so that a large mean costs
/// no digits.
class Determination final {
 public:
  void add(double truth, double answer) {
    if (n_++ == 0) origin_ = truth;
    const double u = truth - origin_;
    sum_ += u;
    squares_ += u * u;
    misfit_ += (answer - truth) * (answer - truth);
  }
  [[nodiscard]] double r2() const {
    const double deviation = squares_ - sum_ * sum_ / static_cast<double>(n_);
    return deviation > 0 ? 1 - misfit_ / deviation : not_known;
  }

 private:
  std::size_t n_ = 0;
  double origin_ = 0, sum_ = 0, squares_ = 0, misfit_ = 0;
};

/// Root mean square over the fields of each sample.
std::vector<double> joined(const std::vector<double>& squares, std::size_t n_fields) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < squares.size(); i += n_fields) {
    double sum = 0;
    for (std::size_t f = 0; f < n_fields; ++f) sum += squares[i + f];
    errors.push_back(std::sqrt(sum / static_cast<double>(n_fields)));
  }
  return errors;
}

}  // namespace

double OperatorError::mean_l2() const { return mean_of(relative_l2); }
double OperatorError::mean_h1() const { return mean_of(relative_h1); }

std::vector<std::size_t> OperatorError::best_to_worst() const {
  std::vector<std::size_t> order(relative_l2.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    return std::isnan(relative_l2[i]) ? std::numeric_limits<double>::infinity() : relative_l2[i];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

double OperatorError::median_l2() const {
  if (empty()) return not_known;
  const std::vector<std::size_t> order = best_to_worst();
  const std::size_t n = order.size();
  const double upper = relative_l2[order[n / 2]];
  return n % 2 == 1 ? upper : (relative_l2[order[n / 2 - 1]] + upper) / 2;
}

double OperatorError::worst_l2() const {
  return empty() ? not_known : relative_l2[best_to_worst().back()];
}

double OperatorError::standard_error() const {
  const auto n = static_cast<double>(size());
  if (n < 2) return std::numeric_limits<double>::infinity();
  const double mean = mean_l2();
  double sum = 0;
  for (const double e : relative_l2) sum += (e - mean) * (e - mean);
  return std::sqrt(sum / (n - 1) / n);
}

OperatorError measure(std::span<const double> prediction, const DataSet& data,
                      std::span<const std::size_t> given) {
  if (prediction.size() != data.out.size()) {
    throw Error(fmt::format("the prediction has {} numbers, the data have {}", prediction.size(),
                            data.out.size()),
                "[operators]", "give data with outputs");
  }
  const std::size_t points = data.grid.n_points(), channels = data.outputs.size();
  const std::size_t n = data.size();
  OperatorError e;
  std::vector<std::size_t> field(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const auto frame = detail::frame_in(data.outputs[c]);
    const std::string name = frame ? frame->field : data.outputs[c];
    const auto at = std::find(e.fields.begin(), e.fields.end(), name);
    field[c] = static_cast<std::size_t>(at - e.fields.begin());
    if (at == e.fields.end()) e.fields.push_back(name);
  }
  const std::size_t F = e.fields.size();
  const bool grid = !data.grid.is_cloud();
  const detail::FieldNorm l2(data.grid, false), h1(data.grid, grid);
  SquaredNorms in_l2{std::vector<double>(n * F), std::vector<double>(n * F)}, in_h1 = in_l2;
  std::vector<double> misfit(points);
  std::vector<Determination> determined(F);
  for (std::size_t s = 0; s < n; ++s) {
    double largest = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      if (std::find(given.begin(), given.end(), c) != given.end()) continue;
      const auto truth = std::span(data.out).subspan((s * channels + c) * points, points);
      for (std::size_t p = 0; p < points; ++p) {
        misfit[p] = prediction[(s * channels + c) * points + p] - truth[p];
        if (!(std::abs(misfit[p]) <= largest)) largest = std::abs(misfit[p]);
        determined[field[c]].add(truth[p], prediction[(s * channels + c) * points + p]);
      }
      const std::size_t at = s * F + field[c];
      in_l2.truth[at] += l2.squared(truth);
      in_l2.misfit[at] += l2.squared(misfit);
      if (!grid) continue;
      in_h1.truth[at] += h1.squared(truth);
      in_h1.misfit[at] += h1.squared(misfit);
    }
    e.maximum.push_back(largest);
  }
  const std::vector<double> squares = relative(in_l2, F);
  e.relative_l2 = joined(squares, F);
  if (grid) e.relative_h1 = joined(relative(in_h1, F), F);
  e.field_l2.assign(F, 0.0);
  for (const Determination& d : determined) e.field_r2.push_back(d.r2());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    e.field_l2[i % F] += std::sqrt(squares[i]) / static_cast<double>(n);
  }
  return e;
}

OperatorError measure(const TrainedOperator& model, const DataSet& data, int threads) {
  if (data.size() == 0) return {};
  const std::vector<std::size_t> given = model.given(data);
  return measure(model.predict(data, threads), data, given);
}

std::vector<FieldCourse> measure_over_time(std::span<const double> prediction, const DataSet& data,
                                           std::span<const std::size_t> given) {
  const std::size_t points = data.grid.n_points(), channels = data.outputs.size();
  if (prediction.size() != data.out.size()) {
    throw Error(fmt::format("the prediction has {} numbers, the data have {}", prediction.size(),
                            data.out.size()),
                "[operators]", "give data with outputs");
  }
  const detail::FieldNorm l2(data.grid, false);
  std::vector<FieldCourse> courses;
  std::vector<double> misfit(points);
  for (std::size_t c = 0; c < channels; ++c) {
    const auto frame = detail::frame_in(data.outputs[c]);
    if (!frame || std::find(given.begin(), given.end(), c) != given.end()) continue;
    auto at = std::find_if(courses.begin(), courses.end(),
                           [&](const FieldCourse& f) { return f.field == frame->field; });
    if (at == courses.end()) at = courses.insert(at, FieldCourse{frame->field});
    Determination determined;
    SquaredNorms norms;
    for (std::size_t s = 0; s < data.size(); ++s) {
      const std::size_t first = (s * channels + c) * points;
      const auto truth = std::span(data.out).subspan(first, points);
      for (std::size_t p = 0; p < points; ++p) {
        misfit[p] = prediction[first + p] - truth[p];
        determined.add(truth[p], prediction[first + p]);
      }
      norms.truth.push_back(l2.squared(truth));
      norms.misfit.push_back(l2.squared(misfit));
    }
    double sum = 0;
    for (const double e : relative(norms, 1)) sum += std::sqrt(e);
    at->times.push_back(frame->time);
    at->relative_l2.push_back(sum / static_cast<double>(data.size()));
    at->r2.push_back(determined.r2());
  }
  return courses;
}

}  // namespace cauchy
