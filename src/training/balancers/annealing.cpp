#include <algorithm>
#include <cmath>

#include <cauchy/base/options.hpp>

#include "training/balancers/balancers.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy {

void visit_options(AnnealingBalancer& o, OptionVisitor& v) {
  using Ratio = AnnealingBalancer::Ratio;
  static const Words<Ratio> ratios = {{"max_over_mean", Ratio::max_over_mean},
                                      {"mean_over_mean", Ratio::mean_over_mean}};
  v.word("ratio", o.ratio, ratios);
  v.number("new_share", o.new_share, NumberRange::up_to_one);
  v.count("period", o.period, 1);
}

namespace detail {
namespace {

double largest_size(std::span<const double> v) {
  double largest = 0;
  for (const double e : v) largest = std::max(largest, std::abs(e));
  return largest;
}
double mean_size(std::span<const double> v) {
  double sum = 0;
  for (const double e : v) sum += std::abs(e);
  return sum / static_cast<double>(v.size());
}

class Annealing final : public FactorRule {
 public:
  Annealing(const AnnealingBalancer& options, std::span<const PointSource::Kind> terms)
      : options_(options), kinds_(terms.begin(), terms.end()) {}

  void update(TrainingLoss& loss, std::span<const double> theta,
              std::span<double> factors) override {
    const std::size_t n = loss.size();
    std::vector<double> gradients(kinds_.size() * n), equations(n, 0.0);
    loss.parts_at(theta, {}, gradients);
    const auto row = [&](std::size_t t) { return std::span(gradients).subspan(t * n, n); };
    for (std::size_t t = 0; t < kinds_.size(); ++t) {
      if (kinds_[t] != PointSource::Kind::equation) continue;
      for (std::size_t p = 0; p < n; ++p) equations[p] += row(t)[p];
    }
    const bool by_largest = options_.ratio == AnnealingBalancer::Ratio::max_over_mean;
    const double size = by_largest ? largest_size(equations) : mean_size(equations);
    for (std::size_t t = 0; t < kinds_.size(); ++t) {
      const double own = mean_size(row(t));
      if (kinds_[t] == PointSource::Kind::equation || !(size > 0) || !(own > 0)) continue;
      factors[t] = options_.new_share * (size / own) + (1 - options_.new_share) * factors[t];
    }
  }

 private:
  AnnealingBalancer options_;
  std::vector<PointSource::Kind> kinds_;
};

}  // namespace

std::unique_ptr<Balancer> make_annealing(const AnnealingBalancer& options,
                                         std::span<const PointSource::Kind> terms) {
  return make_periodic(options.period, std::make_unique<Annealing>(options, terms));
}

}  // namespace detail
}  // namespace cauchy
