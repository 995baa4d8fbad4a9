#include "dynamics/block_field.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>

namespace cauchy {
namespace {

constexpr const char* field_place = "[dynamics]";

std::size_t inputs_of(const VectorFieldSpec& f) {
  if (!f.unknown) return 0;
  return f.unknown->inputs.empty() ? f.states.size() : f.unknown->inputs.size();
}
std::size_t outputs_of(const VectorFieldSpec& f) {
  if (!f.unknown) return 0;
  return f.unknown->outputs.empty() ? f.states.size() : f.unknown->outputs.size();
}

/// Coordinate, states, outputs of the network.
std::vector<Expr> point_atoms(const VectorFieldSpec& f, bool with_outputs) {
  std::vector<Expr> atoms{Coordinate(f.time)};
  for (const std::string& name : f.states) atoms.push_back(Field(name));
  if (with_outputs && f.unknown) {
    for (const std::string& name : f.unknown->outputs) atoms.push_back(Symbol(name));
  }
  return atoms;
}

std::vector<Expr> parameter_atoms(const VectorFieldSpec& f) {
  std::vector<Expr> atoms;
  for (const FieldConstant& c : f.constants) atoms.push_back(Parameter(c.name));
  for (const auto& [name, value] : f.known) atoms.push_back(Parameter(name));
  return atoms;
}

}  // namespace

void check(const VectorFieldSpec& f) {
  const auto refuse = [](const std::string& what, const std::string& fix = {}) {
    throw Error(what, field_place, fix);
  };
  if (f.states.empty()) refuse("a vector field needs at least one state");
  const std::size_t n = f.states.size();
  std::set<std::string> names(f.states.begin(), f.states.end());
  if (names.size() != n) refuse("two states have the same name");
  if (f.slopes.empty() && !f.unknown) refuse("a vector field needs equations, a network or both");
  if (!f.slopes.empty() && f.slopes.size() != n) {
    refuse(fmt::format("{} slopes are given for {} states", f.slopes.size(), n),
           "give one for every state");
  }
  if (f.unknown) {
    const FieldUnknown& u = *f.unknown;
    const auto fits = [&](const std::vector<double>& v, std::size_t m, const char* what) {
      if (v.empty() || v.size() == m) return;
      refuse(fmt::format("{} numbers are given for the {} of {} rows", v.size(), what, m));
    };
    fits(u.input_shift, inputs_of(f), "input_shift");
    fits(u.input_scale, inputs_of(f), "input_scale");
    fits(u.output_scale, outputs_of(f), "output_scale");
    for (const double s : u.input_scale) {
      if (!(s > 0)) refuse("the scale of an input must be positive");
    }
    if (f.slopes.empty() && outputs_of(f) != n) {
      refuse(fmt::format("the network has {} outputs for {} states", outputs_of(f), n),
             "leave the names of the outputs out, or give slopes");
    }
    if (!f.slopes.empty() && u.outputs.empty()) {
      refuse("the outputs of the network have no names that the slopes could use",
             "name them: outputs = [\"n\"]");
    }
    for (const std::string& name : u.outputs) {
      const auto uses = [&](const Expr& e) {
        const Expr roots[] = {e};
        const std::vector<Expr> all = postorder(roots);
        return std::any_of(all.begin(), all.end(), [&](const Expr& x) {
          return x.kind() == Kind::symbol && x.name() == name;
        });
      };
      if (!f.slopes.empty() && std::none_of(f.slopes.begin(), f.slopes.end(), uses)) {
        refuse(fmt::format("no equation uses '{}', an output of the network", name),
               "use it, or leave it out");
      }
    }
  }
  for (const FieldEvent& event : f.events) {
    std::vector<Expr> roots{event.when};
    for (const auto& [name, value] : event.then) {
      if (!names.contains(name)) {
        refuse(fmt::format("an event sets '{}', which is no state", name),
               fmt::format("states are: {}", fmt::join(f.states, ", ")));
      }
      roots.push_back(value);
    }
    const std::vector<Expr> known = parameter_atoms(f), points = point_atoms(f, false);
    for (const Expr& e : postorder(roots)) {
      const bool atom = e.kind() == Kind::parameter || e.kind() == Kind::field ||
                        e.kind() == Kind::symbol || e.kind() == Kind::coordinate ||
                        e.kind() == Kind::call;
      const auto is_it = [&](const Expr& a) { return same(a, e); };
      if (!atom || std::any_of(known.begin(), known.end(), is_it) ||
          std::any_of(points.begin(), points.end(), is_it)) {
        continue;
      }
      refuse(fmt::format("an event holds '{}', which has no value there", to_string(e)),
             "use states, the time and constants");
    }
  }
}

std::vector<ParameterBlock> parameters_of(const VectorFieldSpec& f) {
  check(f);
  std::vector<ParameterBlock> blocks;
  std::ptrdiff_t offset = 0;
  if (f.unknown) {
    blocks = detail::graph_of(*f.unknown, inputs_of(f), outputs_of(f))->parameters();
    for (const ParameterBlock& b : blocks) offset = std::max(offset, b.offset + b.size());
  }
  for (const FieldConstant& c : f.constants) {
    ParameterBlock b{.name = c.name, .role = ParameterBlock::Role::constant};
    b.offset = offset++;
    b.initial = c.initial;
    blocks.push_back(std::move(b));
  }
  return blocks;
}

std::string describe(const VectorFieldSpec& f) {
  std::string out = fmt::format("{} state{}", f.states.size(), f.states.size() == 1 ? "" : "s");
  if (!f.slopes.empty()) out += ", equations";
  if (!f.constants.empty()) {
    out += fmt::format(" with {} unknown constant{}", f.constants.size(),
                       f.constants.size() == 1 ? "" : "s");
  }
  if (f.unknown) out += fmt::format(", network {}", describe(f.unknown->network));
  return out;
}

namespace detail {

std::size_t block_granularity() { return make_cpu_backend<double>()->granularity(); }

std::shared_ptr<const Graph> graph_of(const FieldUnknown& u, std::size_t n_inputs,
                                      std::size_t n_outputs) {
  auto graph = std::make_shared<Graph>(std::vector<std::string>{"t"});
  int x = graph->input("z", static_cast<int>(n_inputs));
  if (!u.input_scale.empty() || !u.input_shift.empty()) {
    std::vector<double> w(n_inputs * n_inputs), b(n_inputs);
    for (std::size_t i = 0; i < n_inputs; ++i) {
      const double scale = u.input_scale.empty() ? 1 : u.input_scale[i];
      w[i * n_inputs + i] = 1 / scale;
      b[i] = u.input_shift.empty() ? 0 : -u.input_shift[i] / scale;
    }
    x = graph->fixed_affine(x, std::move(w), std::move(b));
  }
  int out = add_network(*graph, u.network, x, static_cast<int>(n_outputs));
  if (!u.output_scale.empty()) {
    std::vector<double> w(n_outputs * n_outputs);
    for (std::size_t i = 0; i < n_outputs; ++i) w[i * n_outputs + i] = u.output_scale[i];
    out = graph->fixed_affine(out, std::move(w));
  }
  for (std::size_t i = 0; i < n_outputs; ++i) {
    graph->output(fmt::format("n{}", i), out, static_cast<int>(i));
  }
  return graph;
}

// --- BlockNetwork ---

BlockNetwork::BlockNetwork(std::shared_ptr<const Graph> graph, std::size_t block)
    : plan_(std::move(graph), JetSpec(1), block, Plan<double>::Mode::backward),
      backend_(make_cpu_backend<double>()),
      shared_(backend_->shared_size(plan_)),
      time_(block),
      output_(plan_.graph().outputs().front().value) {
  if (plan_.adjoint(output_) < 0) {
    throw Error("the network has no parameters", field_place, "give it a layer");
  }
  backend_->prepare_fixed(plan_, shared_.data());
}

Backend<double>::Block BlockNetwork::block_of(const double* in, double* arena,
                                              double* scratch) const {
  return {shared_.data(), time_.data(), plan_.block(), arena, scratch, in};
}

const double* BlockNetwork::forward(const double* in, double* arena, double* scratch) const {
  backend_->forward(plan_, block_of(in, arena, scratch));
  return arena + plan_.value(output_);
}

void BlockNetwork::backward(const double* in, double* in_adjoints, double* gradient, double* arena,
                            double* scratch) const {
  Backend<double>::Block block = block_of(in, arena, scratch);
  block.input_adjoints = in_adjoints;
  backend_->backward(plan_, block, gradient);
}

void BlockNetwork::backward_per_point(const double* in, double* in_adjoints, double* rows,
                                      double* arena, double* scratch) const {
  Backend<double>::Block block = block_of(in, arena, scratch);
  block.input_adjoints = in_adjoints;
  backend_->backward_per_point(plan_, block, rows);
}

// --- BlockField ---

BlockField::BlockField(VectorFieldSpec spec, std::size_t block)
    : spec_(std::move(spec)), block_(block) {
  check(spec_);
  n_in_ = inputs_of(spec_);
  n_out_ = outputs_of(spec_);
  if (spec_.unknown) {
    network_ = std::make_unique<BlockNetwork>(graph_of(*spec_.unknown, n_in_, n_out_), block);
    n_weights_ = network_->n_parameters();
  }
  n_parameters_ = n_weights_ + spec_.constants.size();
  constants_.resize(spec_.constants.size());
  for (const auto& [name, value] : spec_.known) constants_.push_back(value);
  if (spec_.unknown && !spec_.unknown->inputs.empty()) {
    const ProgramSpec forward{
        spec_.unknown->inputs, point_atoms(spec_, false), parameter_atoms(spec_), {}};
    const Expr* free = nullptr;
    const std::vector<Expr> all = postorder(forward.outputs);
    for (const Expr& e : all) {
      const bool trained =
          std::any_of(spec_.constants.begin(), spec_.constants.end(), [&](const FieldConstant& c) {
            return e.kind() == Kind::parameter && e.name() == c.name;
          });
      if (trained) free = &e;
    }
    if (free != nullptr) {
      throw Error(
          fmt::format("an input of the network holds the unknown constant '{}'", free->name()),
          field_place, "the network finds such factors itself: leave it out");
    }
    features_ = std::make_unique<Program<double>>(forward);
    features_back_ = std::make_unique<Program<double>>(reverse_spec(forward));
  }
  if (!spec_.slopes.empty()) {
    const ProgramSpec forward{spec_.slopes, point_atoms(spec_, true), parameter_atoms(spec_), {}};
    slopes_ = std::make_unique<Program<double>>(forward);
    slopes_back_ = std::make_unique<Program<double>>(reverse_spec(forward));
    if (!spec_.constants.empty()) {
      ProgramSpec each{{}, forward.inputs, forward.parameters, {}};
      for (const Expr& slope : spec_.slopes) {
        for (const FieldConstant& c : spec_.constants) {
          each.outputs.push_back(partial(slope, Parameter(c.name)));
        }
      }
      slopes_per_point_ = std::make_unique<Program<double>>(each);
    }
  }
}

void BlockField::prepare(std::span<const double> theta) {
  if (network_) network_->prepare(theta.first(n_weights_));
  std::copy_n(theta.begin() + static_cast<std::ptrdiff_t>(n_weights_), spec_.constants.size(),
              constants_.begin());
}

BlockField::Lane BlockField::make_lane(std::size_t slots) const {
  Lane lane;
  lane.slots = slots;
  const std::size_t n = size(), B = block_;
  if (network_) {
    lane.arenas.resize(slots * network_->arena_size());
    lane.scratch.resize(network_->scratch_size());
    lane.adjoints.resize(n_in_ * B);
  }
  if (features_) lane.features.resize(slots * n_in_ * B);
  std::size_t program = 0, wide = 0;
  for (const auto* p : {features_.get(), features_back_.get(), slopes_.get(), slopes_back_.get(),
                        slopes_per_point_.get()}) {
    if (p == nullptr) continue;
    program = std::max(program, p->workspace_size());
    wide = std::max(wide, p->spec().outputs.size());
  }
  lane.program.resize(program);
  lane.rows.resize((1 + n) * B);
  lane.inputs.resize(1 + 2 * n + n_out_ + n_in_);
  lane.outputs.resize(std::max(wide, 1 + n + n_out_));
  lane.sums.resize(constants_.size() + 1);
  return lane;
}

void BlockField::connect(Lane& lane, const double* t, const double* y) const {
  lane.inputs[0] = t;
  for (std::size_t i = 0; i < size(); ++i) lane.inputs[1 + i] = y + i * block_;
}

void BlockField::slope(Lane& lane, std::size_t slot, const double* t, const double* y,
                       double* k) const {
  const std::size_t n = size(), B = block_;
  const double* out = nullptr;
  connect(lane, t, y);
  if (network_) {
    const double* in = y;
    if (features_) {
      double* rows = lane.features.data() + slot * n_in_ * B;
      for (std::size_t i = 0; i < n_in_; ++i) lane.outputs[i] = rows + i * B;
      features_->run(B, lane.inputs.data(), constants_.data(), lane.outputs.data(), nullptr,
                     lane.program.data());
      in = rows;
    }
    out = network_->forward(in, lane.arenas.data() + slot * network_->arena_size(),
                            lane.scratch.data());
  }
  if (!slopes_) {
    const std::size_t stride = network_->stride();
    for (std::size_t i = 0; i < n; ++i) std::copy_n(out + i * stride, B, k + i * B);
    return;
  }
  connect_outputs(lane, slot);
  for (std::size_t i = 0; i < n; ++i) lane.outputs[i] = k + i * B;
  slopes_->run(B, lane.inputs.data(), constants_.data(), lane.outputs.data(), nullptr,
               lane.program.data());
}

void BlockField::connect_outputs(Lane& lane, std::size_t slot) const {
  if (!network_) return;
  const double* out =
      lane.arenas.data() + slot * network_->arena_size() + network_->output_offset();
  for (std::size_t i = 0; i < n_out_; ++i) {
    lane.inputs[1 + size() + i] = out + i * network_->stride();
  }
}

/// Adjoints of the slopes to those of the states (added) and of the outputs of the network; those
/// of the constants are left in lane.sums.
void BlockField::reverse_slopes(Lane& lane, std::size_t slot, const double* t, const double* y,
                                const double* k_bar, double* y_bar) const {
  const std::size_t n = size(), B = block_;
  double* const to =
      network_ ? network_->adjoints(lane.arenas.data() + slot * network_->arena_size()) : nullptr;
  const std::size_t stride = network_ ? network_->stride() : 0;
  if (!slopes_) {
    for (std::size_t i = 0; i < n; ++i) std::copy_n(k_bar + i * B, B, to + i * stride);
    return;
  }
  connect(lane, t, y);
  connect_outputs(lane, slot);
  for (std::size_t i = 0; i < n; ++i) lane.inputs[1 + n + n_out_ + i] = k_bar + i * B;
  for (std::size_t i = 0; i <= n; ++i) lane.outputs[i] = lane.rows.data() + i * B;
  for (std::size_t i = 0; i < n_out_; ++i) lane.outputs[1 + n + i] = to + i * stride;
  slopes_back_->run(B, lane.inputs.data(), constants_.data(), lane.outputs.data(), lane.sums.data(),
                    lane.program.data());
  for (std::size_t i = 0; i < n * B; ++i) y_bar[i] += lane.rows[B + i];
}

void BlockField::pull_features(Lane& lane, const double* t, const double* y, double* y_bar) const {
  const std::size_t n = size(), B = block_;
  if (!features_) {
    for (std::size_t i = 0; i < n * B; ++i) y_bar[i] += lane.adjoints[i];
    return;
  }
  connect(lane, t, y);
  for (std::size_t i = 0; i < n_in_; ++i) lane.inputs[1 + n + i] = lane.adjoints.data() + i * B;
  for (std::size_t i = 0; i <= n; ++i) lane.outputs[i] = lane.rows.data() + i * B;
  features_back_->run(B, lane.inputs.data(), constants_.data(), lane.outputs.data(),
                      lane.sums.data(), lane.program.data());
  for (std::size_t i = 0; i < n * B; ++i) y_bar[i] += lane.rows[B + i];
}

void BlockField::pull(Lane& lane, std::size_t slot, const double* t, const double* y,
                      const double* k_bar, double* y_bar, double* gradient) const {
  reverse_slopes(lane, slot, t, y, k_bar, y_bar);
  for (std::size_t i = 0; i < spec_.constants.size() && slopes_; ++i) {
    gradient[n_weights_ + i] += lane.sums[i];
  }
  if (!network_) return;
  const double* in = features_ ? lane.features.data() + slot * n_in_ * block_ : y;
  std::fill(lane.adjoints.begin(), lane.adjoints.end(), 0.0);
  network_->backward(in, lane.adjoints.data(), gradient,
                     lane.arenas.data() + slot * network_->arena_size(), lane.scratch.data());
  pull_features(lane, t, y, y_bar);
}

void BlockField::jacobian(Lane& lane, const double* t, const double* y, double* jacobian,
                          double* by_theta) const {
  const std::size_t n = size(), B = block_, P = n_parameters_;
  AlignedVector<double> k(n * B), seed(n * B);
  if (by_theta != nullptr) std::fill_n(by_theta, n * P * B, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    slope(lane, 0, t, y, k.data());
    std::fill(seed.begin(), seed.end(), 0.0);
    std::fill_n(seed.begin() + static_cast<std::ptrdiff_t>(i * B), B, 1.0);
    double* const row = jacobian + i * n * B;
    std::fill_n(row, n * B, 0.0);
    reverse_slopes(lane, 0, t, y, seed.data(), row);
    if (!network_) continue;
    const double* in = features_ ? lane.features.data() : y;
    std::fill(lane.adjoints.begin(), lane.adjoints.end(), 0.0);
    if (by_theta != nullptr) {
      network_->backward_per_point(in, lane.adjoints.data(), by_theta + i * P * B,
                                   lane.arenas.data(), lane.scratch.data());
    } else {
      std::vector<double> unused(n_weights_);
      network_->backward(in, lane.adjoints.data(), unused.data(), lane.arenas.data(),
                         lane.scratch.data());
    }
    pull_features(lane, t, y, row);
  }
  if (by_theta == nullptr || !slopes_per_point_) return;
  slope(lane, 0, t, y, k.data());
  connect(lane, t, y);
  connect_outputs(lane, 0);
  const std::size_t C = spec_.constants.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < C; ++c) {
      lane.outputs[i * C + c] = by_theta + (i * P + n_weights_ + c) * B;
    }
  }
  slopes_per_point_->run(B, lane.inputs.data(), constants_.data(), lane.outputs.data(), nullptr,
                         lane.program.data());
}

}  // namespace detail
}  // namespace cauchy
