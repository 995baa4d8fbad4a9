#include "training/point_schemes/adaptive.hpp"

#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "training/point_schemes/redraw.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* scheme_place = "[training.point_scheme]";

/// Of equations and of states at a time: what starts wrong at a front stays wrong. Without space a
/// state is one point.
bool can_move(const PointSource& source) {
  const bool state = source.kind == PointSource::Kind::initial && source.n > 1;
  return (state || source.kind == PointSource::Kind::equation) && source.redrawn &&
         source.divisible;
}

}  // namespace

void check_movable(const TrainingPoints& points) {
  bool any = false;
  for (std::size_t t = 0; t < points.size(); ++t) any = any || can_move(points.source(t));
  if (!any) {
    throw Error("no equation has points that can be drawn anew", scheme_place,
                "use the scheme `redraw`");
  }
  if (points.settings().redraw > 0) {
    throw Error("the scheme moves points every `period` steps, `redraw` of the points would too",
                scheme_place, "leave `redraw` out");
  }
}

void require_scheme(bool good, const char* message) {
  if (!good) throw Error(message, scheme_place);
}

Points MoveContext::fresh(std::size_t n) const {
  Rng seeds = rng;
  SamplerOptions sampler{.kind = SamplerKind::uniform, .seed = seeds.bits64()};
  constexpr std::size_t sobol_columns = 1000;  // and room for columns that points do not show
  if (points[term].columns.size() <= sobol_columns) {
    sampler.kind = SamplerKind::sobol;
    sampler.randomize = Randomize::scramble;
  }
  return points.source(term).draw(n, sampler);
}

void MoveContext::note_growth(double ratio, std::size_t n, std::size_t grown) const {
  events.push_back(
      fmt::format("fresh residuals are {:.2g} times those on the training points: {} -> {} points "
                  "of '{}'",
                  ratio, n, grown, points.source(term).name));
}

Adaptive::Adaptive(std::uint64_t period, PointMove move) : period_(period), move_(std::move(move)) {
  require_scheme(period > 0, "the period of a scheme must be positive");
}

bool Adaptive::update(TrainingPoints& points, TrainingLoss& loss, const TrainingStep& step) {
  moved_.resize(points.size());
  layered_.resize(points.size());
  bool changed = false;
  const std::uint64_t period = step.redraw > 0 ? step.redraw : period_;
  if (step.step >= last_ + period) {
    last_ = step.step;
    const PointSettings& settings = points.settings();
    const Rng rng = Rng(settings.seed + settings.sampler.seed, 0x6164617074).split(round_++);
    const PointLook look(points, loss, step.theta);
    for (std::size_t t = 0; t < points.size(); ++t) {
      if (!can_move(points.source(t))) continue;
      if (layered_[t]) points.set(t, *moved_[t]);  // a move sees its own points
      const MoveContext context{look, points, t, rng.split(t), events_};
      std::optional<Points> now = move_(context);
      const bool layered = look_at_layers(context);
      if (!now && !layered) continue;
      if (now || !moved_[t]) moved_[t] = now ? std::move(*now) : points[t];
      points.set(t, with_layers(points.source(t), t));
      changed = true;
    }
  }
  if (!step.first_order || points.settings().batch == 0) return changed;
  return choose_batch(points, batch_number_++) || changed;
}

bool Adaptive::look_at_layers(const MoveContext& c) {
  const PointSource& source = c.points.source(c.term);
  const Points& now = c.points[c.term];
  if (layered_[c.term] || !source.layers || !now.normals.empty() || !now.piece.empty()) {
    return layered_[c.term];
  }
  const ThinLayers layers = source.layers();
  if (layers.points.size() == 0 || layers.points.columns != now.columns) return false;
  const std::vector<double> there = c.look.sizes(c.term, layers.points),
                            here = c.look.sizes(c.term, now);
  if (there.empty() || here.empty()) return false;
  double mean = 0;
  for (const double v : here) mean += v / static_cast<double>(here.size());
  const std::string where = layers.hides(there, mean);
  if (where.empty()) return false;
  events_.push_back(fmt::format("{}: {} points are added there", where, layers.points.size()));
  layered_[c.term] = true;
  return true;
}

Points Adaptive::with_layers(const PointSource& source, std::size_t term) const {
  Points all = *moved_[term];
  if (layered_[term] && source.layers) append(all, source.layers().points);
  return all;
}

std::vector<std::string> Adaptive::take_events() { return std::exchange(events_, {}); }

void Adaptive::save(TrainingState& state) const {
  state.numbers["round"] = round_;
  state.numbers["last"] = last_;
  state.numbers["batch"] = batch_number_;
  for (std::size_t t = 0; t < moved_.size(); ++t) {
    if (!moved_[t]) continue;
    if (layered_[t]) state.numbers[fmt::format("layers/{}", t)] = 1;
    state.arrays[fmt::format("values/{}", t)] = moved_[t]->values;
    state.arrays[fmt::format("normals/{}", t)] = moved_[t]->normals;
    state.arrays[fmt::format("piece/{}", t)] = {moved_[t]->piece.begin(), moved_[t]->piece.end()};
  }
}

void Adaptive::restore(const TrainingState& state, TrainingPoints& points) {
  round_ = scheme_number(state, "round");
  last_ = scheme_number(state, "last");
  batch_number_ = scheme_number(state, "batch");
  moved_.assign(points.size(), std::nullopt);
  layered_.assign(points.size(), false);
  for (std::size_t t = 0; t < points.size(); ++t) {
    const auto array = [&](const char* name) {
      const auto found = state.arrays.find(fmt::format("{}/{}", name, t));
      return found == state.arrays.end() ? std::vector<double>{} : found->second;
    };
    Points now = points[t];  // names of columns and pieces
    const std::size_t width = now.columns.size(), normals = now.normals.size() / now.size();
    const std::vector<double> values = array("values"), piece = array("piece");
    if (values.empty()) continue;
    layered_[t] = state.numbers.contains(fmt::format("layers/{}", t));
    const std::size_t n = values.size() / width;
    now.values = values;
    now.normals = array("normals");
    bool good = values.size() == n * width && now.normals.size() == n * normals &&
                piece.size() == (now.piece.empty() ? 0 : n);
    now.piece.clear();
    for (const double p : piece) {
      good = good && p >= 0 && p < static_cast<double>(now.pieces.size());
      if (good) now.piece.push_back(static_cast<std::uint32_t>(p));
    }
    if (!good) throw_damaged_scheme();
    moved_[t] = std::move(now);
    points.set(t, with_layers(points.source(t), t));
    if (points.take_refusal()) throw_damaged_scheme();
  }
  if (batch_number_ > 0) (void)choose_batch(points, batch_number_ - 1);
}

}  // namespace cauchy::detail
