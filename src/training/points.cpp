#include <cauchy/training/points.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

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

/// Appends row i of what belongs to points: `width` numbers per point, or none at all.
template <class T>
void append_row(std::vector<T>& to, const std::vector<T>& from, std::size_t width, std::size_t i) {
  if (from.empty()) return;
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(i * width);
  to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
}

template <class Chosen>
void append_points(Points& to, const Points& from, Chosen chosen) {
  const std::size_t n = from.size(), D = from.columns.size();
  to.columns = from.columns;
  to.pieces = from.pieces;
  for (std::size_t i = 0; i < n; ++i) {
    if (!chosen(i)) continue;
    append_row(to.values, from.values, D, i);
    append_row(to.normals, from.normals, n == 0 ? 0 : from.normals.size() / n, i);
    append_row(to.weights, from.weights, 1, i);
    append_row(to.piece, from.piece, 1, i);
  }
}

void expect_sound(bool sound) {
  if (sound) return;
  throw Error("the checkpoint is damaged", "[training.points]", "start the run anew");
}

std::vector<std::size_t> rows_in(const std::vector<double>& numbers, std::size_t n) {
  std::vector<std::size_t> rows;
  for (const double v : numbers) {
    expect_sound(v >= 0 && v < static_cast<double>(n));
    rows.push_back(static_cast<std::size_t>(v));
  }
  return rows;
}

}  // namespace

TrainingPoints::TrainingPoints(std::vector<PointSource> sources, const PointSettings& settings)
    : sources_(std::move(sources)),
      settings_(settings),
      points_(sources_.size()),
      kept_(sources_.size()),
      rows_(sources_.size()),
      own_(sources_.size()),
      weights_(sources_.size()) {
  for (PointSource& source : sources_) {
    const auto limit = std::make_shared<Keep>();
    limits_.push_back(limit);
    if (!source.redrawn) continue;
    source.draw = [limit, draw = source.draw](std::size_t n, const SamplerOptions& options) {
      Points all = draw(n, options);
      if (!*limit) return all;
      Points kept;
      for (const std::size_t more : {std::size_t{1}, std::size_t{16}, std::size_t{256}}) {
        if (more > 1) all = draw(more * n, options);  // none of them was kept
        append_points(kept, all,
                      [&](std::size_t i) { return kept.size() < n && (*limit)(all, i); });
        if (kept.size() > 0) break;
      }
      return kept;
    };
  }
}

bool TrainingPoints::batched() const noexcept {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] != kept_[i]) return true;
  }
  return false;
}

void TrainingPoints::draw(std::uint64_t round) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const PointSource& source = sources_[i];
    if (round == 0 || source.redrawn) {
      place(i, sample(i, source.n, round));
    } else if (rows_[i] != kept_[i]) {
      choose(i, {});
    }
  }
}

Points TrainingPoints::sample(std::size_t term, std::size_t n, std::uint64_t round) const {
  return sources_.at(term).draw(n, sampler_for(settings_, n, round));
}

void TrainingPoints::set(std::size_t term, Points points) {
  if (!std::ranges::all_of(points.values, [](double v) { return std::isfinite(v); })) {
    refused_ = true;
    return;
  }
  place(term, std::move(points));
}

void TrainingPoints::place(std::size_t term, Points points) {
  if (const Keep& keep = *limits_.at(term); keep && sources_[term].redrawn) {
    Points kept;
    append_points(kept, points, [&](std::size_t i) { return keep(points, i); });
    if (kept.size() == 0) return;  // those in use stay
    points = std::move(kept);
  }
  put(term, std::move(points));
}

void TrainingPoints::put(std::size_t term, Points points) {
  points_.at(term) = std::move(points);
  const PointSource& source = sources_[term];
  own_[term] = source.weights ? source.weights(points_[term]) : std::vector<double>{};
  choose(term, {});
}

void TrainingPoints::choose(std::size_t term, std::span<const std::size_t> rows,
                            std::span<const double> factors) {
  if (!std::ranges::all_of(factors, [](double f) { return f >= 0 && std::isfinite(f); })) {
    refused_ = true;
    factors = {};
  }
  const std::vector<std::size_t>& kept = kept_.at(term);
  std::vector<std::size_t>& used = rows_[term];
  std::vector<double> some;  // factors of the rows that are kept
  used.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!kept.empty() && !std::ranges::binary_search(kept, rows[i])) continue;
    used.push_back(rows[i]);
    if (!factors.empty()) some.push_back(factors[i]);
  }
  if (used.empty()) used = kept;
  if (rows.empty()) some.assign(factors.begin(), factors.end());
  std::vector<double>& weights = weights_[term];
  weights.clear();
  for (const std::size_t r : used) {
    if (!own_[term].empty()) weights.push_back(own_[term][r]);
  }
  if (used.empty()) weights = own_[term];
  if (weights.empty()) {
    weights = std::move(some);
  } else if (!some.empty()) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= some[i];
  }
  use(term);
}

void TrainingPoints::use(std::size_t term) const {
  sources_[term].use(points_[term], rows_[term]);
  if (!weights_[term].empty()) sources_[term].weigh(weights_[term]);
}

std::size_t TrainingPoints::limit(std::size_t term, Keep keep) {
  const PointSource& source = sources_.at(term);
  const Points& now = points_[term];
  const auto count = [&] { return rows_[term].empty() ? now.size() : rows_[term].size(); };
  if (!source.redrawn) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; keep && i < now.size(); ++i) {
      if (keep(now, i)) kept.push_back(i);
    }
    if (keep && kept.empty()) return 0;
    if (kept.size() == now.size()) kept.clear();
    if (kept_[term] != kept) {
      kept_[term] = std::move(kept);
      choose(term, {});
    }
    return count();
  }
  const Keep old = std::exchange(*limits_[term], {});
  Points next;
  append_points(next, now, [&](std::size_t i) { return !keep || keep(now, i); });
  if (old) {
    const Points first = source.draw(source.n, sampler_for(settings_, source.n, 0));
    append_points(next, first,
                  [&](std::size_t i) { return (!keep || keep(first, i)) && !old(first, i); });
  }
  *limits_[term] = keep;
  if (next.size() == 0) next = source.draw(source.n, sampler_for(settings_, source.n, 0));
  if (next.size() == 0) {
    *limits_[term] = old;
    return 0;
  }
  if (next.values != now.values) put(term, std::move(next));
  return count();
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

// --- interrupted runs ---

void TrainingPoints::save(TrainingState& state) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto name = [&](const char* what) { return fmt::format("{}/{}", i, what); };
    const Points& p = points_[i];
    state.arrays[name("points")] = p.values;
    state.arrays[name("normals")] = p.normals;
    state.arrays[name("piece")] = {p.piece.begin(), p.piece.end()};
    state.arrays[name("rows")] = {rows_[i].begin(), rows_[i].end()};
    state.arrays[name("weights")] = weights_[i];
  }
}

void TrainingPoints::restore(const TrainingState& state) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto array = [&](const char* what) -> const std::vector<double>& {
      const auto found = state.arrays.find(fmt::format("{}/{}", i, what));
      expect_sound(found != state.arrays.end());
      return found->second;
    };
    Points& p = points_[i];
    p.values = array("points");
    p.normals = array("normals");
    const std::vector<double>& piece = array("piece");
    p.piece.assign(piece.begin(), piece.end());
    expect_sound(p.size() > 0 && p.values.size() == p.size() * p.columns.size());
    own_[i] = sources_[i].weights ? sources_[i].weights(p) : std::vector<double>{};
    rows_[i] = rows_in(array("rows"), p.size());
    weights_[i] = array("weights");
    use(i);
  }
}

}  // namespace cauchy
