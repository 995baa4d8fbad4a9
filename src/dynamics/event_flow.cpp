#include "dynamics/event_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {
namespace {

/// Looks at the signs between two wanted times.
constexpr std::size_t looks = 8;
/// Events of one trajectory: more of them have no end.
constexpr std::size_t most_events = 1000;
/// So many before a step that is too small: they are to blame.
constexpr std::size_t fast_events = 20;
/// Of the time of a trajectory: how well an event is found, and when one has just happened.
constexpr double found_share = 1e-13, happened_share = 1e-9;

int sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

EventFlow::EventFlow(VectorFieldSpec spec, FlowOptions options, std::shared_ptr<Threads> pool)
    : spec_(std::move(spec)), smooth_(spec_), options_(options), pool_(std::move(pool)) {
  smooth_.events.clear();
  std::vector<Expr> atoms{Coordinate(spec_.time)}, parameters;
  for (const std::string& s : spec_.states) atoms.push_back(Field(s));
  for (const FieldConstant& c : spec_.constants) parameters.push_back(Parameter(c.name));
  for (const auto& [name, value] : spec_.known) parameters.push_back(Parameter(name));
  const std::size_t C = spec_.constants.size();
  const auto add_derivatives = [&](std::vector<Expr>& out, const Expr& e) {
    for (const Expr& a : atoms) out.push_back(partial(e, a));
    for (std::size_t c = 0; c < C; ++c) out.push_back(partial(e, parameters[c]));
  };
  for (const FieldEvent& event : spec_.events) {
    std::vector<Expr> when{event.when}, after;
    add_derivatives(when, event.when);
    for (const std::string& s : spec_.states) {
      const auto at = event.then.find(s);
      after.push_back(at == event.then.end() ? Expr(Field(s)) : at->second);
    }
    for (std::size_t i = 0; i < n(); ++i) add_derivatives(after, Expr(after[i]));
    Rule& rule = rules_.emplace_back();
    rule.when = std::make_unique<Program<double>>(ProgramSpec{when, atoms, parameters, {}});
    rule.after = std::make_unique<Program<double>>(ProgramSpec{after, atoms, parameters, {}});
    workspace_.resize(
        std::max({workspace_.size(), rule.when->workspace_size(), rule.after->workspace_size()}));
  }
  constants_.resize(C);
  for (const auto& [name, value] : spec_.known) constants_.push_back(value);
  field_ = std::make_unique<BlockField>(smooth_, block_granularity());
  lane_ = field_->make_lane(1);
}

void EventFlow::set_times(const std::vector<std::vector<double>>& times) {
  times_ = times;
  offsets_.assign(1, 0);
  for (const auto& own : times) offsets_.push_back(offsets_.back() + own.size() * n());
}

std::vector<double> EventFlow::evaluate(const Program<double>& program, double t,
                                        std::span<const double> y) {
  std::vector<const double*> in{&t};
  for (const double& v : y) in.push_back(&v);
  std::vector<double> out(program.spec().outputs.size());
  std::vector<double*> to;
  for (double& v : out) to.push_back(&v);
  program.run(1, in.data(), constants_.data(), to.data(), nullptr, workspace_.data());
  return out;
}

std::vector<double> EventFlow::slope(double t, std::span<const double> y) {
  const std::size_t B = field_->block();
  AlignedVector<double> rows(n() * B), k(n() * B), times(B, t);
  for (std::size_t i = 0; i < n(); ++i) std::fill_n(&rows[i * B], B, y[i]);
  field_->slope(lane_, 0, times.data(), rows.data(), k.data());
  std::vector<double> out;
  for (std::size_t i = 0; i < n(); ++i) out.push_back(k[i * B]);
  return out;
}

int EventFlow::sign_of(std::size_t event, double t, std::span<const double> y, bool happened) {
  const std::vector<double> g = evaluate(*rules_[event].when, t, y);
  if (!happened) return sign(g[0]);
  const std::vector<double> f = slope(t, y);
  double rate = g[1];
  for (std::size_t i = 0; i < n(); ++i) rate += g[2 + i] * f[i];
  return std::abs(g[0]) <= happened_share * (1 + std::abs(rate)) ? sign(rate) : sign(g[0]);
}

FlowReport EventFlow::look(const std::vector<std::size_t>& active, std::vector<Piece>& pieces) {
  std::vector<std::vector<double>> nodes;
  std::vector<double> starts;
  for (const std::size_t i : active) {
    const Place& place = places_[i];
    std::vector<double>& own = nodes.emplace_back(1, place.t);
    for (std::size_t j = place.next; j < times_[i].size(); ++j) {
      const double from = own.back(), to = times_[i][j];
      for (std::size_t k = 1; k <= looks; ++k) {
        const double t =
            k == looks ? to : from + (to - from) * static_cast<double>(k) / double(looks);
        if (t > own.back()) own.push_back(t);
      }
    }
    starts.insert(starts.end(), place.y.begin(), place.y.end());
  }
  OdeLayer scan(smooth_, options_, pool_);
  scan.set_times(nodes);
  std::vector<double> values(scan.n_values());
  FlowReport report = scan.run(theta_, starts, values);
  if (!report.good()) {
    report.trajectory = active[report.trajectory];
    return report;
  }
  for (std::size_t a = 0; a < active.size(); ++a) {
    const std::size_t i = active[a];
    const Place& place = places_[i];
    Piece piece{.trajectory = i, .first = place.next, .count = times_[i].size() - place.next};
    const auto state = [&](std::size_t k) {
      return std::span<const double>(values).subspan(scan.offset(a) + k * n(), n());
    };
    for (std::size_t e = 0; e < rules_.size(); ++e) {
      const bool happened = place.happened == static_cast<int>(e);
      int before = sign_of(e, place.t, place.y, happened);
      const int wanted = spec_.events[e].direction;
      for (std::size_t k = 1; k < nodes[a].size(); ++k) {
        if (piece.event >= 0 && nodes[a][k - 1] >= piece.high) break;
        const int now = sign_of(e, nodes[a][k], state(k), false);
        const bool falls = before > 0 && now <= 0, rises = before < 0 && now >= 0;
        if ((falls && wanted <= 0) || (rises && wanted >= 0)) {
          const double g0 = evaluate(*rules_[e].when, nodes[a][k - 1], state(k - 1))[0];
          const double g1 = evaluate(*rules_[e].when, nodes[a][k], state(k))[0];
          const double low = nodes[a][k - 1], high = nodes[a][k];
          const double share = sign(g0) == before && g0 != g1 ? g0 / (g0 - g1) : 0.5;
          const double at = low + std::clamp(share, 0.01, 1.0) * (high - low);
          // Of several events between two looks the first by their chords.
          if (piece.event < 0 || at < piece.end) {
            piece.event = static_cast<int>(e);
            piece.end = at;
            piece.low = low;
            piece.high = high;
            piece.side = before;
          }
          break;
        }
        if (now != 0) before = now;
      }
    }
    pieces.push_back(piece);
  }
  return report;
}

std::vector<double> EventFlow::times_of(const Piece& p) const {
  const std::vector<double>& own = times_[p.trajectory];
  std::vector<double> all{places_[p.trajectory].t};
  for (std::size_t j = p.first; j < own.size(); ++j) {
    if (p.event >= 0 && own[j] >= p.end) break;
    all.push_back(own[j]);
  }
  if (p.event >= 0) all.push_back(p.end);
  return all;
}

FlowReport EventFlow::find_ends(Round& round) {
  constexpr int most_corrections = 60;
  FlowReport report;
  for (int k = 0; k < most_corrections; ++k) {
    std::vector<std::vector<double>> times;
    for (const Piece& p : round.pieces) times.push_back(times_of(p));
    round.layer->set_times(times);
    round.values.resize(round.layer->n_values());
    report = round.layer->run(theta_, round.starts, round.values);
    if (!report.good()) {
      report.trajectory = round.pieces[report.trajectory].trajectory;
      return report;
    }
    bool all = true;
    for (std::size_t a = 0; a < round.pieces.size(); ++a) {
      Piece& p = round.pieces[a];
      p.count = times[a].size() - 1 - (p.event >= 0 ? 1 : 0);
      if (p.event < 0) continue;
      const auto y =
          std::span<const double>(round.values).subspan(round.layer->offset(a + 1) - n(), n());
      const std::vector<double> g =
          evaluate(*rules_[static_cast<std::size_t>(p.event)].when, p.end, y);
      const std::vector<double> f = slope(p.end, y);
      double rate = g[1];
      for (std::size_t i = 0; i < n(); ++i) rate += g[2 + i] * f[i];
      if (g[0] == 0) continue;
      (sign(g[0]) == p.side ? p.low : p.high) = p.end;
      const double span = times_[p.trajectory].back() - times_[p.trajectory].front();
      double next = rate != 0 ? p.end - g[0] / rate : p.end;
      if (std::abs(next - p.end) <= found_share * span) continue;
      if (!(next > p.low && next < p.high)) next = 0.5 * (p.low + p.high);
      if (p.high - p.low <= found_share * span) continue;
      p.end = next;
      all = false;
    }
    if (all) return report;
  }
  return report;
}

void EventFlow::write_values(const Round& round, std::span<double> values) const {
  for (std::size_t a = 0; a < round.pieces.size(); ++a) {
    const Piece& p = round.pieces[a];
    const std::size_t from = round.layer->offset(a), skip = p.start_wanted ? 0 : 1;
    const std::size_t to = offsets_[p.trajectory] + (p.first - (p.start_wanted ? 1 : 0)) * n();
    std::copy_n(round.values.begin() + static_cast<std::ptrdiff_t>(from + skip * n()),
                (1 - skip + p.count) * n(), values.begin() + static_cast<std::ptrdiff_t>(to));
  }
}

/// Moves the places behind the events of a round.
void EventFlow::pass_events(const Round& round) {
  for (std::size_t a = 0; a < round.pieces.size(); ++a) {
    const Piece& p = round.pieces[a];
    Place& place = places_[p.trajectory];
    place.next = p.first + p.count;
    if (p.event < 0) continue;
    const auto before =
        std::span<const double>(round.values).subspan(round.layer->offset(a + 1) - n(), n());
    const auto number = static_cast<std::size_t>(p.event);
    std::vector<double> after = evaluate(*rules_[number].after, p.end, before);
    after.resize(n());
    events_[p.trajectory].push_back({p.end, number, {before.begin(), before.end()}, after});
    place.t = p.end;
    place.y = std::move(after);
    place.happened = p.event;
  }
}

FlowReport EventFlow::run(std::span<const double> theta, std::span<const double> starts,
                          std::span<double> values) {
  theta_.assign(theta.begin(), theta.end());
  const std::size_t C = spec_.constants.size();
  std::copy_n(theta.end() - static_cast<std::ptrdiff_t>(C), C, constants_.begin());
  field_->prepare(theta);
  rounds_.clear();
  events_.assign(times_.size(), {});
  places_.clear();
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const auto y = starts.subspan(i * n(), n());
    places_.push_back({times_[i].front(), {y.begin(), y.end()}, 1});
    active.push_back(i);
  }
  FlowReport all;
  const auto add = [&](const FlowReport& r) {
    all.steps += r.steps;
    all.rejected += r.rejected;
    all.evaluations += r.evaluations;
    all.checkpoints = std::max(all.checkpoints, r.checkpoints);
    if (r.good()) return true;
    all.status = r.status;
    all.trajectory = r.trajectory;
    all.t = r.t;
    all.component = r.component;
    all.trouble = r.trouble;
    if (r.status == OdeStatus::step_too_small && events_[r.trajectory].size() >= fast_events) {
      all.trouble = fmt::format(
          "events follow one another ever faster up to t = {:.6g} in trajectory {}; end it before",
          r.t, r.trajectory + 1);
    }
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    return false;
  };
  while (!active.empty()) {
    Round round;
    if (!add(look(active, round.pieces))) return all;
    for (Piece& p : round.pieces) {
      const Place& place = places_[p.trajectory];
      const bool first = place.happened < 0;
      // A wanted time at which an event happens is one behind it.
      p.start_wanted = first || (place.next < times_[p.trajectory].size() &&
                                 times_[p.trajectory][place.next] == place.t);
      if (p.start_wanted && !first) ++p.first;
      round.starts.insert(round.starts.end(), place.y.begin(), place.y.end());
    }
    round.layer = std::make_unique<OdeLayer>(smooth_, options_, pool_);
    if (!add(find_ends(round))) return all;
    write_values(round, values);
    pass_events(round);
    active.clear();
    for (const Piece& p : round.pieces) {
      if (p.event < 0 || places_[p.trajectory].next >= times_[p.trajectory].size()) continue;
      if (events_[p.trajectory].size() >= most_events) {
        all.status = OdeStatus::too_many_steps;
        all.trajectory = p.trajectory;
        all.t = p.end;
        all.component = spec_.states.front();
        all.trouble = fmt::format("more than {} events happen up to t = {:.6g} in trajectory {}",
                                  most_events, p.end, p.trajectory + 1);
        std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
        return all;
      }
      active.push_back(p.trajectory);
    }
    rounds_.push_back(std::move(round));
  }
  return all;
}

void EventFlow::pull(std::span<const double> seeds, std::span<const double> event_seeds,
                     std::span<double> gradient, std::span<double> start_gradient) {
  const std::size_t N = n(), C = spec_.constants.size(), P = gradient.size();
  std::ranges::fill(gradient, 0.0);
  std::vector<std::size_t> first(times_.size() + 1, 0);  // of the events of a trajectory
  for (std::size_t i = 0; i < times_.size(); ++i) first[i + 1] = first[i] + events_[i].size();
  std::vector<std::size_t> left(times_.size());
  for (std::size_t i = 0; i < times_.size(); ++i) left[i] = events_[i].size();
  std::vector<std::vector<double>> bar(times_.size(), std::vector<double>(N, 0.0));
  for (std::size_t r = rounds_.size(); r-- > 0;) {
    Round& round = rounds_[r];
    std::vector<double> own(round.values.size(), 0.0), by_theta(P),
        by_start(round.pieces.size() * N);
    for (std::size_t a = 0; a < round.pieces.size(); ++a) {
      const Piece& p = round.pieces[a];
      const std::size_t to = round.layer->offset(a), skip = p.start_wanted ? 0 : 1;
      const std::size_t from = offsets_[p.trajectory] + (p.first - (p.start_wanted ? 1 : 0)) * N;
      std::copy_n(seeds.begin() + static_cast<std::ptrdiff_t>(from), (1 - skip + p.count) * N,
                  own.begin() + static_cast<std::ptrdiff_t>(to + skip * N));
      if (p.event < 0) continue;
      const FlowEvent& event = events_[p.trajectory][--left[p.trajectory]];
      const Rule& rule = rules_[event.event];
      const std::vector<double>& later = bar[p.trajectory];
      const std::vector<double> g = evaluate(*rule.when, event.t, event.before);
      const std::vector<double> after = evaluate(*rule.after, event.t, event.before);
      const std::vector<double> f = slope(event.t, event.before),
                                behind = slope(event.t, event.after);
      const std::size_t width = 1 + N + C;  // derivatives of one state
      double time_bar =
          event_seeds.empty() ? 0 : event_seeds[first[p.trajectory] + left[p.trajectory]];
      std::vector<double> y_bar(N, 0.0);
      for (std::size_t i = 0; i < N; ++i) {
        const double* row = &after[N + i * width];
        time_bar += later[i] * (row[0] - behind[i]);
        for (std::size_t j = 0; j < N; ++j) y_bar[j] += later[i] * row[1 + j];
        for (std::size_t c = 0; c < C; ++c) gradient[P - C + c] += later[i] * row[1 + N + c];
      }
      double rate = g[1], along = time_bar;
      for (std::size_t i = 0; i < N; ++i) {
        rate += g[2 + i] * f[i];
        along += y_bar[i] * f[i];
      }
      const double mu = along / rate;
      double* const seed = &own[round.layer->offset(a + 1) - N];
      for (std::size_t i = 0; i < N; ++i) seed[i] += y_bar[i] - mu * g[2 + i];
      for (std::size_t c = 0; c < C; ++c) gradient[P - C + c] -= mu * g[2 + N + c];
    }
    round.layer->pull(own, by_theta, by_start);
    for (std::size_t q = 0; q < P; ++q) gradient[q] += by_theta[q];
    for (std::size_t a = 0; a < round.pieces.size(); ++a) {
      std::copy_n(by_start.begin() + static_cast<std::ptrdiff_t>(a * N), N,
                  bar[round.pieces[a].trajectory].begin());
    }
  }
  for (std::size_t i = 0; i < times_.size(); ++i) {
    std::ranges::copy(bar[i], start_gradient.begin() + static_cast<std::ptrdiff_t>(i * N));
  }
}

}  // namespace cauchy::detail
