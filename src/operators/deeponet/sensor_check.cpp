#include "operators/deeponet/sensor_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/expr/print.hpp>  // number_to_string
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>

#include "data/input_sampler.hpp"
#include "operators/channels.hpp"  // channel_of
#include "problem/grid_table.hpp"

namespace cauchy::detail {
namespace {

/// Functions that are looked at; for principal functions more, since there are no more than those.
constexpr std::size_t few_functions = 16, more_functions = 64;
/// Nodes of the finest grid that is worth the time.
constexpr std::size_t most_nodes = 300'000;

/// Functions of an input on a grid that is finer than the sensors.
class FineInputs final {
 public:
  FineInputs(const DeepOnetMap& map, const OperatorProblem& problem, const DataSet& data)
      : data_(data) {
    if (map.grid.is_cloud()) return;
    for (const std::string& name : map.inputs) {
      std::size_t k = 0;
      while (k < problem.inputs.size() && problem.inputs[k].name != name) ++k;
      number_.push_back(k);
    }
    const bool drawn = std::all_of(number_.begin(), number_.end(),
                                   [&](std::size_t k) { return k < problem.inputs.size(); });
    if (!drawn) {
      if (data.size() > 0 && !(map.grid == map.sensors)) grid_ = map.grid;
      return;
    }
    for (const int factor : {4, 2}) {
      const FieldGrid fine = refined(map.sensors.is_cloud() ? map.grid : map.sensors, factor);
      if (fine.n_points() > most_nodes) continue;
      grid_ = fine;
      sampler_.emplace(problem, fine);
      return;
    }
  }

  [[nodiscard]] bool any() const noexcept { return !grid_.axes.empty(); }
  [[nodiscard]] const FieldGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::size_t count(std::size_t wanted) const {
    return sampler_ ? wanted : std::min(wanted, data_.size());
  }
  [[nodiscard]] std::vector<double> operator()(std::size_t input, std::size_t function) const {
    if (sampler_) return sampler_->on_grid(number_[input], function);
    const auto values = channel_of(data_, function, {true, input});
    return {values.begin(), values.end()};
  }

 private:
  const DataSet& data_;
  std::vector<std::size_t> number_;
  FieldGrid grid_ = {};
  std::optional<InputSampler> sampler_;
};

/// The broken line through values at sensors, at points of a line.
std::vector<double> broken_line(std::span<const double> sensors, std::span<const double> values,
                                std::span<const double> at) {
  std::vector<std::size_t> order(sensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return sensors[i] < sensors[j]; });
  std::vector<double> out;
  for (const double x : at) {
    const auto right =
        std::find_if(order.begin(), order.end(), [&](std::size_t i) { return sensors[i] >= x; });
    if (right == order.begin() || right == order.end()) {
      out.push_back(values[right == order.begin() ? order.front() : order.back()]);
      continue;
    }
    const std::size_t l = *(right - 1), r = *right;
    const double s = (x - sensors[l]) / (sensors[r] - sensors[l]);
    out.push_back((1 - s) * values[l] + s * values[r]);
  }
  return out;
}

/// Root mean square of what the broken lines miss, over the deviation of the functions.
double missed_share(const DeepOnetMap& map, const FineInputs& fine, std::size_t input) {
  const std::vector<double> at = fine.grid().positions();
  const std::size_t d = fine.grid().axes.size(), n = fine.grid().n_points();
  double missed = 0, sum = 0, squares = 0, count = 0;
  for (std::size_t f = 0; f < fine.count(few_functions); ++f) {
    const std::vector<double> u = fine(input, f);
    const std::vector<double> seen = map.at_sensors(fine.grid(), u, input);
    std::vector<double> line;
    if (map.sensors.is_cloud()) {
      line = broken_line(map.sensors.cloud, seen, at);
    } else {
      const TabulatedFunction g =
          input_function(map.sensors, seen, map.inputs[input], {}, TableInterpolation::linear);
      const GridTable table(g.table, g.arguments, g.column, g.interpolation);
      for (std::size_t i = 0; i < n; ++i) line.push_back(table.value({&at[i * d], d}));
    }
    for (std::size_t i = 0; i < n; ++i) {
      missed += (u[i] - line[i]) * (u[i] - line[i]);
      sum += u[i];
      squares += u[i] * u[i];
      count += 1;
    }
  }
  const double variance = squares - sum * sum / std::max(count, 1.0);
  return variance > 0 ? std::sqrt(missed / variance) : 0;
}

/// Principal functions that hold the inputs but for this share of their deviation; as many as there
/// are functions: at least so many.
std::size_t principal_functions(const FineInputs& fine, std::size_t input, double share) {
  const std::size_t S = fine.count(more_functions), n = fine.grid().n_points();
  Matrix a(S, n), gram(S, S);
  for (std::size_t s = 0; s < S; ++s) {
    const std::vector<double> u = fine(input, s);
    for (std::size_t i = 0; i < n; ++i) a(s, i) = u[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    double mean = 0;
    for (std::size_t s = 0; s < S; ++s) mean += a(s, i) / static_cast<double>(S);
    for (std::size_t s = 0; s < S; ++s) a(s, i) -= mean;
  }
  gemm(Transpose::no, Transpose::yes, 1.0, a, a, 0.0, gram);
  const SymmetricEigen<double> eigen = symmetric_eigen(gram);
  double total = 0, left = 0;
  for (const double v : eigen.values) total += std::max(v, 0.0);
  std::size_t needed = S;
  for (std::size_t k = 0; k < S; ++k) {  // eigenvalues ascend
    left += std::max(eigen.values[k], 0.0);
    if (left > share * share * total) break;
    --needed;
  }
  return needed;
}

}  // namespace

std::vector<std::string> sensor_cautions(const DeepOnetMap& map, const OperatorProblem& problem,
                                         const DataSet& data) {
  const double tolerance = problem.problem.tolerance.value_or(1e-2);
  const FineInputs fine(map, problem, data);
  std::vector<std::string> said;
  if (!fine.any()) return said;
  const bool scattered = map.sensors.is_cloud();
  for (std::size_t i = 0; i < map.inputs.size(); ++i) {
    if (map.interpolation[i] == TableInterpolation::nearest) continue;
    if (scattered && map.sensors.axes.size() > 1) {
      const std::size_t needed = principal_functions(fine, i, tolerance);
      if (map.n_sensors() >= needed) continue;
      said.push_back(fmt::format(
          "{} sensors are too few for '{}': {} numbers or more are needed to hold it to the "
          "tolerance {}; give more sensor_points",
          map.n_sensors(), map.inputs[i], needed, number_to_string(tolerance)));
      continue;
    }
    const double missed = missed_share(map, fine, i);
    if (!(missed > tolerance)) continue;
    // The distance falls like the square of the spacing.
    const double factor = std::sqrt(missed / tolerance);
    std::vector<int> enough;
    for (const int n :
         scattered ? std::vector<int>{static_cast<int>(map.n_sensors())} : map.sensors.sizes()) {
      enough.push_back(static_cast<int>(std::ceil((n - 1) * std::min(factor, 1e4))) + 1);
    }
    said.push_back(fmt::format(
        "{} sensors are too few for '{}': the broken line through its values there misses {:.1e} "
        "of its deviation, the tolerance is {}; about {} would do",
        map.n_sensors(), map.inputs[i], missed, number_to_string(tolerance),
        scattered ? fmt::format("{}", enough[0])
                  : fmt::format("sensors = [{}]", fmt::join(enough, ", "))));
  }
  return said;
}

}  // namespace cauchy::detail
