#include "solvers/time/error_norm.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/work.hpp>

namespace cauchy::detail {

ErrorNorm::ErrorNorm(std::size_t n, std::vector<int> fields, std::vector<char> differential)
    : fields_(std::move(fields)), differential_(std::move(differential)) {
  fields_.resize(n, 0);
  const int last = fields_.empty() ? 0 : *std::max_element(fields_.begin(), fields_.end());
  sizes_.assign(static_cast<std::size_t>(last) + 1, 0.0);
}

void ErrorNorm::see(std::span<const double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    double& size = sizes_[static_cast<std::size_t>(fields_[i])];
    size = std::max(size, std::abs(y[i]));
  }
}

double ErrorNorm::error(std::span<const double> e, std::span<const double> candidate) const {
  return norm(e, candidate, false);
}

double ErrorNorm::correction(std::span<const double> d, std::span<const double> candidate) const {
  return norm(d, candidate, true);
}

double ErrorNorm::norm(std::span<const double> e, std::span<const double> candidate,
                       bool all) const {
  std::vector<double> squares(sizes_.size(), 0.0), sizes = sizes_;
  std::vector<std::size_t> counts(sizes_.size(), 0);
  count_work(WorkKind::memory, 40 * static_cast<double>(e.size()));
  for (std::size_t i = 0; i < e.size(); ++i) {
    const auto f = static_cast<std::size_t>(fields_[i]);
    sizes[f] = std::max(sizes[f], std::abs(candidate[i]));
    if (!all && differential_[i] == 0) continue;
    squares[f] += e[i] * e[i];
    ++counts[f];
  }
  // A field that stays 0 is measured by the others, so that rounding is no error.
  const double largest = *std::max_element(sizes.begin(), sizes.end());
  double worst = 0;
  for (std::size_t f = 0; f < sizes.size(); ++f) {
    if (counts[f] == 0 || squares[f] == 0) continue;
    const double bar = tolerance_ * std::max(sizes[f], 1e-10 * largest);
    const double share = std::sqrt(squares[f] / static_cast<double>(counts[f])) / bar;
    if (!(share <= worst)) worst = share;  // keeps NaN
    if (std::isnan(worst)) break;
  }
  return worst;
}

}  // namespace cauchy::detail
