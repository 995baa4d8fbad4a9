#include <cauchy/dynamics/ode_layer.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/reduce.hpp>

#include "dynamics/block_flow.hpp"
#include "dynamics/event_flow.hpp"

namespace cauchy {
namespace {

constexpr const char* layer_place = "[dynamics.flow]";
/// Trajectories per block, unless there are fewer.
constexpr std::size_t most_per_block = 32;

const Words<FlowScheme> scheme_words = {{"euler", FlowScheme::euler},
                                        {"rk4", FlowScheme::rk4},
                                        {"dopri5", FlowScheme::dopri5},
                                        {"dop853", FlowScheme::dop853},
                                        {"esdirk", FlowScheme::esdirk}};

void check_flow(const FlowOptions& o) {
  const auto good = [](double x) { return x >= 0 && std::isfinite(x); };
  if (!good(o.relative) || !good(o.absolute) || !(o.relative + o.absolute > 0)) {
    throw Error("the tolerances of the integration must be positive", layer_place,
                "relative = 1e-6, absolute = 1e-8");
  }
  if (o.max_steps == 0) throw Error("max_steps must be positive, got 0", layer_place);
}

void require_size(std::size_t got, std::size_t wanted, const char* what) {
  if (got == wanted) return;
  throw Error(fmt::format("{} are {} numbers, got {}", what, wanted, got), layer_place);
}

}  // namespace

std::string_view to_string(FlowScheme scheme) noexcept {
  for (const auto& [word, value] : scheme_words) {
    if (value == scheme) return word;
  }
  return "unknown";
}

void visit_options(FlowOptions& o, OptionVisitor& v) {
  v.word("scheme", o.scheme, scheme_words);
  v.number("relative", o.relative, NumberRange::not_negative);
  v.number("absolute", o.absolute, NumberRange::not_negative);
  v.count("steps", o.steps, 0, 1'000'000);
  v.count("max_steps", o.max_steps, 1, 1'000'000'000);
  v.check([&] { check_flow(o); });
}

struct OdeLayer::Impl {
  VectorFieldSpec spec;
  FlowOptions options;
  std::shared_ptr<Threads> pool;
  std::unique_ptr<detail::BlockField> field;
  std::vector<detail::BlockFlow> flows;  // one per worker
  struct Block {
    std::size_t first;  // trajectory
    detail::BlockTimes times;
    detail::FlowRecord record;
    FlowReport report;
    AlignedVector<double> start, bar;
  };
  std::vector<Block> blocks;
  std::vector<std::vector<double>> times;
  std::vector<std::size_t> offsets{0};
  std::vector<double> slots, theta, starts;
  bool ran = false;
  std::unique_ptr<detail::EventFlow> events;  // none: the field has no events

  FlowReport event_report = {};  // of a run with events

  [[nodiscard]] std::size_t n() const { return spec.states.size(); }

  void require_smooth(const char* what) const {
    if (!events) return;
    throw Error(ErrorKind::unsupported, fmt::format("{} does not go through events", what),
                layer_place, "use the discrete adjoint");
  }

  /// Points of a block; a function of the data alone.
  void make_blocks() {
    const std::size_t unit = detail::block_granularity(), count = times.size();
    const std::size_t wanted = std::min(count, most_per_block);
    const std::size_t size = (wanted + unit - 1) / unit * unit;
    if (!field || field->block() != size) {
      flows.clear();
      field = std::make_unique<detail::BlockField>(spec, size);
      flows.reserve(static_cast<std::size_t>(pool->size()));
      for (int i = 0; i < pool->size(); ++i) flows.emplace_back(*field, options);
    }
    const std::size_t n_blocks = chunk_count(count, size);
    blocks.resize(n_blocks);
    for (std::size_t b = 0; b < n_blocks; ++b) {
      const IndexRange range = chunk_range(count, n_blocks, b);
      Block& block = blocks[b];
      block.first = range.begin;
      block.start.assign(n() * size, 0.0);
      block.bar.assign(n() * size, 0.0);
      set_block_times(block.times, range, size);
    }
    slots.resize(n_blocks * field->n_parameters());
  }

  void set_block_times(detail::BlockTimes& t, IndexRange range, std::size_t size) {
    const detail::FlowTable& table = detail::flow_table(options.scheme);
    // With a continuous extension all times are one leg, else every one ends a leg.
    const bool whole = table.n_dense > 0 && options.steps == 0;
    std::size_t longest = 1;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      longest = std::max(longest, times[i].size());
    }
    t.n_points = range.size();
    t.n_legs = whole ? 1 : longest - 1;
    t.start.assign(std::max<std::size_t>(t.n_legs, 1) * size, 0.0);
    t.length.assign(t.start.size(), 0.0);
    t.outputs.clear();
    for (std::size_t p = 0; p < size; ++p) {
      const std::size_t i = range.begin + (p < range.size() ? p : 0);
      const std::vector<double>& own = times[i];
      for (std::size_t leg = 0; leg < std::max<std::size_t>(t.n_legs, 1); ++leg) {
        const std::size_t from = std::min(leg, own.size() - 1);
        const std::size_t to = whole ? own.size() - 1 : std::min(leg + 1, own.size() - 1);
        t.start[leg * size + p] = own[from];
        t.length[leg * size + p] = own[to] - own[from];
      }
      if (p >= range.size()) continue;
      for (std::size_t j = 0; j < own.size(); ++j) {
        detail::BlockTimes::Output out{0, 0, p, offsets[i] + j * n()};
        if (j > 0 && whole) {
          out.s = j + 1 == own.size() ? 1 : (own[j] - own[0]) / (own.back() - own[0]);
        } else if (j > 0) {
          out.leg = j - 1;
          out.s = 1;
        }
        t.outputs.push_back(out);
      }
    }
    std::stable_sort(t.outputs.begin(), t.outputs.end(), [](const auto& a, const auto& b) {
      return a.leg != b.leg ? a.leg < b.leg : a.s < b.s;
    });
  }

  void load_starts(Block& block) const {
    const std::size_t size = field->block();
    for (std::size_t p = 0; p < size; ++p) {
      const std::size_t i = block.first + (p < block.times.n_points ? p : 0);
      for (std::size_t c = 0; c < n(); ++c) block.start[c * size + p] = starts[i * n() + c];
    }
  }

  /// The sentence of a block that has failed.
  void explain(FlowReport& r) const {
    const std::string where = fmt::format("at t = {:.6g} in trajectory {}", r.t, r.trajectory + 1);
    switch (r.status) {
      case OdeStatus::step_too_small:
        r.trouble = fmt::format(
            "the step became too small {}, where '{}' changes fastest; use scheme = \"esdirk\" if "
            "the field is stiff, or larger tolerances",
            where, r.component);
        return;
      case OdeStatus::too_many_steps:
        r.trouble = fmt::format(
            "more than {} steps were needed {}, where '{}' changes fastest; use scheme = "
            "\"esdirk\" if the field is stiff, or a larger max_steps",
            options.max_steps, where, r.component);
        return;
      case OdeStatus::not_finite:
        r.trouble = fmt::format("the vector field is not finite {}, see '{}'", where, r.component);
        return;
      default:
        return;
    }
  }

  FlowReport collect() const {
    FlowReport all;
    for (const Block& b : blocks) {
      all.steps += b.report.steps;
      all.rejected += b.report.rejected;
      all.evaluations += b.report.evaluations;
      all.checkpoints = std::max(all.checkpoints, b.report.checkpoints);
      if (b.report.good() || !all.good()) continue;
      all.status = b.report.status;
      all.t = b.report.t;
      all.component = b.report.component;
      all.trajectory = b.first + b.report.trajectory;
    }
    explain(all);
    return all;
  }

  void clear_gradients() {
    std::fill(slots.begin(), slots.end(), 0.0);
    for (Block& b : blocks) std::fill(b.bar.begin(), b.bar.end(), 0.0);
  }

  void write_gradients(std::span<double> gradient, std::span<double> start_gradient) {
    const std::size_t P = field->n_parameters(), size = field->block();
    if (P > 0) {
      tree_sum_rows(slots, blocks.size(), P);
      std::copy_n(slots.begin(), P, gradient.begin());
    }
    for (const Block& b : blocks) {
      for (std::size_t p = 0; p < b.times.n_points; ++p) {
        for (std::size_t c = 0; c < n(); ++c) {
          start_gradient[(b.first + p) * n() + c] = b.bar[c * size + p];
        }
      }
    }
  }

  void require_run(std::span<const double> seeds, std::span<double> gradient,
                   std::span<double> start_gradient) const {
    if (!ran) throw Error("there is no run() to go back over", layer_place);
    require_size(seeds.size(), offsets.back(), "the seeds");
    require_size(gradient.size(), field->n_parameters(), "the gradient");
    require_size(start_gradient.size(), times.size() * n(), "the gradient by the starts");
  }

  FlowReport continuous(Block& block, const double* seeds, double* gradient);
};

namespace {

FlowReport report_of(const OdeResult& r) {
  FlowReport report;
  report.status = r.status;
  report.t = r.t;
  report.steps = r.steps;
  report.rejected = r.rejected;
  report.evaluations = r.evaluations;
  return report;
}

}  // namespace

/// The trajectories once more from one time of any of them to the next, in s, then y, a and g
/// together from the last to the first. States are taken from the way there at every such time.
FlowReport OdeLayer::Impl::continuous(Block& block, const double* seeds, double* gradient) {
  const std::size_t m = block.times.n_points, d = n(), size = field->block();
  const std::size_t P = field->n_parameters();
  struct Seed {
    double s;
    std::size_t point, value;
  };
  std::vector<Seed> all;
  std::vector<double> begin(m), length(m), knots{0, 1};
  for (std::size_t p = 0; p < m; ++p) {
    const std::vector<double>& own = times[block.first + p];
    begin[p] = own.front();
    length[p] = own.back() - own.front();
    for (std::size_t j = 0; j < own.size(); ++j) {
      const bool end = j + 1 == own.size() && j > 0;
      all.push_back({j == 0 ? 0
                     : end  ? 1
                            : (own[j] - own[0]) / length[p],
                     p, offsets[block.first + p] + j * d});
      knots.push_back(all.back().s);
    }
  }
  std::sort(knots.begin(), knots.end());
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
  detail::BlockField::Lane lane = field->make_lane(1);
  AlignedVector<double> t(size), y(d * size), k(d * size), bar(d * size), seed(d * size);
  const auto load = [&](double s, std::span<const double> state) {
    for (std::size_t p = 0; p < size; ++p) {
      const std::size_t from = p < m ? p : 0;
      t[p] = begin[from] + s * length[from];
      for (std::size_t c = 0; c < d; ++c) y[c * size + p] = state[c * m + from];
    }
  };
  const auto slope = [&](double s, std::span<const double> state, std::span<double> out) {
    load(s, state);
    field->slope(lane, 0, t.data(), y.data(), k.data());
    for (std::size_t c = 0; c < d; ++c) {
      for (std::size_t p = 0; p < m; ++p) out[c * m + p] = length[p] * k[c * size + p];
    }
  };
  const auto back = [&](double s, std::span<const double> state, std::span<double> out) {
    slope(s, state, out);
    const std::span<const double> a = state.subspan(d * m, d * m);
    std::fill(seed.begin(), seed.end(), 0.0);
    std::fill(bar.begin(), bar.end(), 0.0);
    for (std::size_t c = 0; c < d; ++c) {
      for (std::size_t p = 0; p < m; ++p) seed[c * size + p] = -length[p] * a[c * m + p];
    }
    double* const g = out.data() + 2 * d * m;
    std::fill_n(g, P, 0.0);
    field->pull(lane, 0, t.data(), y.data(), seed.data(), bar.data(), g);
    for (std::size_t c = 0; c < d; ++c) {
      for (std::size_t p = 0; p < m; ++p) out[(d + c) * m + p] = bar[c * size + p];
    }
  };
  const OdeOptions ode{
      .pair = options.scheme == FlowScheme::dop853 ? OdePair::dop853 : OdePair::dopri5,
      .relative = options.relative,
      .absolute = options.absolute,
      .max_steps = options.max_steps};
  std::vector<std::vector<double>> states(knots.size(), std::vector<double>(d * m));
  for (std::size_t c = 0; c < d; ++c) {
    for (std::size_t p = 0; p < m; ++p) states[0][c * m + p] = block.start[c * size + p];
  }
  FlowReport report;
  const auto add = [&](const OdeResult& r) {
    const FlowReport one = report_of(r);
    report.steps += one.steps;
    report.rejected += one.rejected;
    report.evaluations += one.evaluations;
    if (one.good()) return true;
    report.status = one.status;
    report.t = begin[0] + one.t * length[0];
    report.component = spec.states.front();
    return false;
  };
  for (std::size_t i = 1; i < knots.size(); ++i) {
    const OdeResult r = integrate_ode(slope, knots[i - 1], states[i - 1], knots[i], ode);
    if (!add(r)) return report;
    states[i] = r.y;
  }
  std::vector<double> z(2 * d * m + P);
  for (std::size_t i = knots.size(); i-- > 0;) {
    std::copy(states[i].begin(), states[i].end(), z.begin());
    for (const Seed& s : all) {
      if (s.s != knots[i]) continue;
      for (std::size_t c = 0; c < d; ++c) z[(d + c) * m + s.point] += seeds[s.value + c];
    }
    if (i == 0) break;
    const OdeResult r = integrate_ode(back, knots[i], z, knots[i - 1], ode);
    if (!add(r)) return report;
    z = r.y;
  }
  for (std::size_t c = 0; c < d; ++c) {
    for (std::size_t p = 0; p < m; ++p) block.bar[c * size + p] = z[(d + c) * m + p];
  }
  std::copy_n(z.begin() + static_cast<std::ptrdiff_t>(2 * d * m), P, gradient);
  return report;
}

OdeLayer::OdeLayer(VectorFieldSpec field, FlowOptions options, std::shared_ptr<Threads> pool)
    : impl_(std::make_unique<Impl>()) {
  check(field);
  check_flow(options);
  impl_->spec = std::move(field);
  impl_->options = options;
  impl_->pool = pool ? std::move(pool) : std::make_shared<Threads>(0);
  if (!impl_->spec.events.empty()) {
    impl_->events = std::make_unique<detail::EventFlow>(impl_->spec, impl_->options, impl_->pool);
  }
  impl_->field = std::make_unique<detail::BlockField>(impl_->spec, detail::block_granularity());
  for (int i = 0; i < impl_->pool->size(); ++i) {
    impl_->flows.emplace_back(*impl_->field, impl_->options);
  }
}
OdeLayer::~OdeLayer() = default;
OdeLayer::OdeLayer(OdeLayer&&) noexcept = default;
OdeLayer& OdeLayer::operator=(OdeLayer&&) noexcept = default;

const VectorFieldSpec& OdeLayer::field() const noexcept { return impl_->spec; }
std::size_t OdeLayer::n_parameters() const noexcept { return impl_->field->n_parameters(); }
std::size_t OdeLayer::n_states() const noexcept { return impl_->n(); }
std::size_t OdeLayer::n_trajectories() const noexcept { return impl_->times.size(); }
std::size_t OdeLayer::n_values() const noexcept { return impl_->offsets.back(); }
std::size_t OdeLayer::offset(std::size_t trajectory) const { return impl_->offsets.at(trajectory); }

void OdeLayer::set_times(const std::vector<std::vector<double>>& times) {
  if (times.empty()) throw Error("there are no trajectories", layer_place);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto refuse = [&](const std::string& what) {
      throw Error(what, fmt::format("trajectory {}", i + 1), "sort its rows by time");
    };
    if (times[i].empty()) refuse("it has no times");
    for (std::size_t j = 0; j < times[i].size(); ++j) {
      if (!std::isfinite(times[i][j])) refuse(fmt::format("time {} is not finite", j + 1));
      if (j > 0 && !(times[i][j] > times[i][j - 1])) {
        refuse(fmt::format("its times do not increase: {:.6g} comes after {:.6g}", times[i][j],
                           times[i][j - 1]));
      }
    }
  }
  impl_->times = times;
  impl_->offsets.assign(1, 0);
  for (const auto& own : times) {
    impl_->offsets.push_back(impl_->offsets.back() + own.size() * impl_->n());
  }
  impl_->ran = false;
  if (impl_->events) return impl_->events->set_times(times);
  impl_->make_blocks();
}

FlowReport OdeLayer::run(std::span<const double> theta, std::span<const double> starts,
                         std::span<double> values) {
  Impl& m = *impl_;
  if (m.times.empty()) throw Error("there are no trajectories", layer_place, "set_times() first");
  require_size(theta.size(), n_parameters(), "the parameters");
  require_size(starts.size(), m.times.size() * m.n(), "the starts");
  require_size(values.size(), m.offsets.back(), "the values");
  if (m.events) {
    m.ran = true;
    return m.event_report = m.events->run(theta, starts, values);
  }
  m.theta.assign(theta.begin(), theta.end());
  m.starts.assign(starts.begin(), starts.end());
  m.field->prepare(theta);
  m.pool->run(m.blocks.size(), [&](std::size_t b, int worker) {
    Impl::Block& block = m.blocks[b];
    m.load_starts(block);
    block.report = m.flows[static_cast<std::size_t>(worker)].run(block.times, block.start.data(),
                                                                 values.data(), block.record);
    if (block.report.good()) return;
    const std::size_t first = m.offsets[block.first];
    const std::size_t end = m.offsets[block.first + block.times.n_points];
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(first),
              values.begin() + static_cast<std::ptrdiff_t>(end),
              std::numeric_limits<double>::quiet_NaN());
  });
  m.ran = true;
  return m.collect();
}

std::span<const FlowEvent> OdeLayer::events(std::size_t trajectory) const {
  if (!impl_->events || !impl_->ran) return {};
  return impl_->events->events().at(trajectory);
}

void OdeLayer::pull(std::span<const double> seeds, std::span<double> gradient,
                    std::span<double> start_gradient, std::span<const double> event_seeds) {
  Impl& m = *impl_;
  m.require_run(seeds, gradient, start_gradient);
  std::size_t happened = 0;
  for (std::size_t i = 0; m.events && i < m.times.size(); ++i) happened += events(i).size();
  if (!event_seeds.empty()) require_size(event_seeds.size(), happened, "the seeds of events");
  if (m.events && !m.event_report.good()) {
    std::ranges::fill(gradient, std::numeric_limits<double>::quiet_NaN());
    std::ranges::fill(start_gradient, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (m.events) return m.events->pull(seeds, event_seeds, gradient, start_gradient);
  m.clear_gradients();
  const std::size_t P = m.field->n_parameters();
  m.pool->run(m.blocks.size(), [&](std::size_t b, int worker) {
    Impl::Block& block = m.blocks[b];
    double* const slot = m.slots.data() + b * P;
    if (!block.report.good()) {
      std::fill_n(slot, P, std::numeric_limits<double>::quiet_NaN());
      std::fill(block.bar.begin(), block.bar.end(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    m.flows[static_cast<std::size_t>(worker)].pull(block.times, block.record, seeds.data(),
                                                   block.bar.data(), slot);
  });
  m.write_gradients(gradient, start_gradient);
}

FlowReport OdeLayer::pull_continuous(std::span<const double> seeds, std::span<double> gradient,
                                     std::span<double> start_gradient) {
  Impl& m = *impl_;
  m.require_run(seeds, gradient, start_gradient);
  m.require_smooth("the continuous adjoint");
  if (m.options.scheme == FlowScheme::esdirk || m.options.steps > 0) {
    throw Error(ErrorKind::unsupported,
                "the continuous adjoint is integrated by adaptive explicit pairs", layer_place,
                "use scheme = \"dopri5\" or \"dop853\", or the discrete adjoint");
  }
  m.clear_gradients();
  m.pool->run(m.blocks.size(), [&](std::size_t b, int) {
    Impl::Block& block = m.blocks[b];
    block.report = m.continuous(block, seeds.data(), m.slots.data() + b * m.field->n_parameters());
  });
  m.write_gradients(gradient, start_gradient);
  return m.collect();
}

void OdeLayer::jacobian(std::size_t trajectory, std::span<double> out) {
  Impl& m = *impl_;
  if (!m.ran) throw Error("there is no run() to go back over", layer_place);
  m.require_smooth("a Jacobian by sensitivities");
  if (trajectory >= m.times.size()) throw Error("there is no such trajectory", layer_place);
  const std::size_t first = m.offsets[trajectory];
  require_size(out.size(), (m.offsets[trajectory + 1] - first) * (m.field->n_parameters() + m.n()),
               "the entries of the Jacobian");
  for (Impl::Block& b : m.blocks) {
    if (trajectory < b.first || trajectory >= b.first + b.times.n_points) continue;
    m.flows[0].jacobian(b.times, b.record, b.start.data(), trajectory - b.first, first, out);
    return;
  }
}

}  // namespace cauchy
