#include <cauchy/training/points.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cauchy {
namespace {

SamplerOptions sampler_for(const PointSettings& settings, std::size_t n, std::uint64_t round) {
  SamplerOptions options = settings.sampler;
  const bool sequence = options.kind == SamplerKind::sobol || options.kind == SamplerKind::halton ||
                        options.kind == SamplerKind::faure ||
                        options.kind == SamplerKind::r_sequence;
  options.seed += settings.seed + (sequence ? 0 : round);
  if (sequence) options.skip += round * n;
  return options;
}

}  // namespace

TrainingPoints::TrainingPoints(std::vector<PointSource> sources, const PointSettings& settings)
    : sources_(std::move(sources)),
      settings_(settings),
      points_(sources_.size()),
      rows_(sources_.size()),
      weights_(sources_.size()) {}

bool TrainingPoints::batched() const noexcept {
  return std::ranges::any_of(rows_, [](const auto& rows) { return !rows.empty(); });
}

void TrainingPoints::draw(std::uint64_t round) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const PointSource& source = sources_[i];
    if (round == 0 || source.redrawn) {
      points_[i] = source.draw(source.n, sampler_for(settings_, source.n, round));
      choose(i, {});
    } else if (!rows_[i].empty()) {
      choose(i, {});
    }
  }
}

void TrainingPoints::set(std::size_t term, Points points) {
  if (!std::ranges::all_of(points.values, [](double v) { return std::isfinite(v); })) {
    refused_ = true;
    return;
  }
  points_.at(term) = std::move(points);
  choose(term, {});
}

void TrainingPoints::choose(std::size_t term, std::span<const std::size_t> rows,
                            std::span<const double> factors) {
  if (!std::ranges::all_of(factors, [](double f) { return f >= 0 && std::isfinite(f); })) {
    refused_ = true;
    factors = {};
  }
  rows_.at(term).assign(rows.begin(), rows.end());
  const PointSource& source = sources_[term];
  source.use(points_[term], rows_[term]);
  std::vector<double>& weights = weights_[term];
  weights = source.weights ? source.weights(points_[term]) : std::vector<double>{};
  if (!weights.empty() && !rows.empty()) {
    std::vector<double> some;
    for (const std::size_t r : rows) some.push_back(weights[r]);
    weights = std::move(some);
  }
  if (weights.empty()) {
    weights.assign(factors.begin(), factors.end());
  } else if (!factors.empty()) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= factors[i];
  }
  if (!weights.empty()) source.weigh(weights);
}

void TrainingPoints::weigh(std::size_t term, std::span<const double> factors) const {
  const std::vector<double>& own = weights_[term];
  if (factors.empty()) return sources_[term].weigh(own);
  if (own.empty()) return sources_[term].weigh(factors);
  std::vector<double> product(own);
  for (std::size_t i = 0; i < product.size(); ++i) product[i] *= factors[i];
  sources_[term].weigh(product);
}

std::optional<std::size_t> TrainingPoints::time_column(std::size_t term) const {
  const std::vector<std::string>& columns = points_.at(term).columns;
  for (std::size_t k = 0; k < columns.size() && !settings_.time.empty(); ++k) {
    if (columns[k] == settings_.time) return k;
  }
  return std::nullopt;
}

bool TrainingPoints::use_all() {
  if (!batched()) return false;
  for (std::size_t i = 0; i < sources_.size(); ++i) choose(i, {});
  return true;
}

}  // namespace cauchy
