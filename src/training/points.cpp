#include <cauchy/training/points.hpp>

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
    : sources_(std::move(sources)), settings_(settings), points_(sources_.size()) {}

void TrainingPoints::draw(std::uint64_t round) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const PointSource& source = sources_[i];
    if (round > 0 && !source.redrawn) continue;
    points_[i] = source.draw(source.n, sampler_for(settings_, source.n, round));
    source.use(points_[i], {});
  }
  batched_ = false;
}

void TrainingPoints::set(std::size_t term, Points points) {
  points_.at(term) = std::move(points);
  sources_[term].use(points_[term], {});
}

void TrainingPoints::choose(std::size_t term, std::span<const std::size_t> rows) {
  sources_.at(term).use(points_[term], rows);
  batched_ = true;
}

void TrainingPoints::use_all() {
  if (!batched_) return;
  for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].use(points_[i], {});
  batched_ = false;
}

}  // namespace cauchy
