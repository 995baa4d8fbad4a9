#include <cauchy/training/points.hpp>

#include <algorithm>
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
      rows_(sources_.size()) {}

bool TrainingPoints::batched() const noexcept {
  return std::ranges::any_of(rows_, [](const auto& rows) { return !rows.empty(); });
}

void TrainingPoints::draw(std::uint64_t round) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const PointSource& source = sources_[i];
    if (round == 0 || source.redrawn) {
      set(i, source.draw(source.n, sampler_for(settings_, source.n, round)));
    } else if (!rows_[i].empty()) {
      choose(i, {});
    }
  }
}

void TrainingPoints::set(std::size_t term, Points points) {
  points_.at(term) = std::move(points);
  choose(term, {});
}

void TrainingPoints::choose(std::size_t term, std::span<const std::size_t> rows) {
  rows_.at(term).assign(rows.begin(), rows.end());
  sources_[term].use(points_[term], rows_[term]);
}

bool TrainingPoints::use_all() {
  if (!batched()) return false;
  for (std::size_t i = 0; i < sources_.size(); ++i) choose(i, {});
  return true;
}

}  // namespace cauchy
