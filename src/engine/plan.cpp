#include <cauchy/engine/plan.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "base/arena.hpp"
#include "engine/backend/jet_tables.hpp"
#include "engine/expression_jets.hpp"

namespace cauchy {
namespace {

/// Which values backward needs again: {inputs, output}.
std::pair<bool, bool> saved_for_backward(OpCode code) {
  switch (code) {
    case OpCode::activation:
    case OpCode::divide:
      return {true, true};
    case OpCode::affine:
    case OpCode::scale:
    case OpCode::multiply:
    case OpCode::unit_rows:
    case OpCode::basis:
      return {true, false};
    default:
      return {false, false};
  }
}

/// Whether expressions of the operation contain an unknown constant of the graph.
bool holds_constants(const Graph& graph, const Operation& op) {
  const std::vector<Expr> nodes = postorder(op.expressions);
  return std::any_of(nodes.begin(), nodes.end(), [&](const Expr& e) {
    return e.kind() == Kind::parameter && graph.find_constant(e.name()) >= 0;
  });
}

}  // namespace

template <class T>
Plan<T>::Plan(std::shared_ptr<const Graph> graph, JetSpec jets, std::size_t block, Mode mode,
              const std::map<std::string, double>& known, std::vector<int> outputs,
              const Plan* like)
    : graph_(std::move(graph)),
      jets_(std::move(jets)),
      block_(block),
      mode_(mode),
      outputs_(std::move(outputs)) {
  if (!graph_ || graph_->outputs().empty()) {
    throw Error("the network has no outputs", "[engine.plan]", "name its fields with output()");
  }
  if (block_ == 0) throw Error("a block needs at least one point", "[engine.plan]");
  if (jets_.n_coordinates() != static_cast<int>(graph_->coordinate_names().size())) {
    throw Error(fmt::format("jets over {} coordinates for a network over {}", jets_.n_coordinates(),
                            graph_->coordinate_names().size()),
                "[engine.plan]");
  }
  if (outputs_.empty()) {
    outputs_.resize(graph_->outputs().size());
    std::iota(outputs_.begin(), outputs_.end(), 0);
  }
  // One cache line of padding keeps the rows of a column tile from falling into the same sets.
  row_stride_ = static_cast<std::size_t>(jets_.size()) * block_ + 64 / sizeof(T);
  tables_ = std::make_shared<const JetTables<T>>(jets_);
  seeds_.resize(static_cast<std::size_t>(jets_.size()));
  for (int c = 1; c < jets_.size(); ++c) {
    for (int i = 0; i < jets_.n_coordinates(); ++i) {
      if (jets_.seed(c, i) != 0)
        seeds_[static_cast<std::size_t>(c)].emplace_back(i, jets_.seed(c, i));
    }
  }
  select_steps();
  place_buffers();
  compile_expressions(known, like);
  count_flops();
}

template <class T>
bool Plan<T>::on_coordinates(const Operation& op) const {
  return (op.code == OpCode::fixed_affine || (op.code == OpCode::affine && op.group == 1)) &&
         graph_->ops()[static_cast<std::size_t>(op.inputs[0])].code == OpCode::coordinates;
}

template <class T>
std::size_t Plan<T>::extent(int op) const {
  return static_cast<std::size_t>(graph_->rows(op)) * row_stride_;
}

template <class T>
void Plan<T>::select_steps() {
  const auto& ops = graph_->ops();
  std::vector<bool> needed(ops.size(), false);
  for (const int k : outputs_) {
    needed[static_cast<std::size_t>(graph_->outputs()[static_cast<std::size_t>(k)].value)] = true;
  }
  for (std::size_t i = ops.size(); i-- > 0;) {
    if (!needed[i] || on_coordinates(ops[i])) continue;
    for (const int x : ops[i].inputs) needed[static_cast<std::size_t>(x)] = true;
  }
  position_.assign(ops.size(), std::numeric_limits<std::size_t>::max());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!needed[i]) continue;
    position_[i] = steps_.size();
    steps_.push_back({.op = static_cast<int>(i)});
    steps_.back().accumulate.assign(ops[i].inputs.size(), false);
    if (on_coordinates(ops[i])) {
      steps_.back().seeds = static_cast<std::ptrdiff_t>(n_seeds_);
      n_seeds_ += static_cast<std::size_t>(ops[i].rows) * static_cast<std::size_t>(jets_.size());
    }
    if (ops[i].code == OpCode::fixed_affine) {
      steps_.back().fixed = static_cast<std::ptrdiff_t>(n_fixed_);
      n_fixed_ += 2 * ops[i].fixed->size() - static_cast<std::size_t>(ops[i].rows);
    }
  }
}

template <class T>
void Plan<T>::place_buffers() {
  // Time: forward step s at s, the residual at n, backward of step s at 2n - s.
  const int n = static_cast<int>(steps_.size());
  const bool backward = mode_ == Mode::backward;
  std::vector<bool> active(steps_.size(), false), is_output(steps_.size(), false);
  for (const int k : outputs_) {
    const auto& output = graph_->outputs()[static_cast<std::size_t>(k)];
    is_output[position_[static_cast<std::size_t>(output.value)]] = true;
  }
  const auto at = [&](int op) { return position_[static_cast<std::size_t>(op)]; };
  const auto inputs = [&](const Operation& o) {
    return on_coordinates(o) ? std::span<const int>() : std::span<const int>(o.inputs);
  };
  // Buffer i holds the value of step i, buffer n + i its adjoint.
  detail::ArenaPlanner arena;
  for (int sweep = 0; sweep < (backward ? 2 : 1); ++sweep) {
    for (const Step& s : steps_) arena.add(extent(s.op));
  }
  for (int s = 0; s < n; ++s) {
    const auto i = static_cast<std::size_t>(s);
    const Operation& o = op(steps_[i]);
    const auto [inputs_saved, output_saved] = saved_for_backward(o.code);
    active[i] = o.n_weights > 0 || o.code == OpCode::input || holds_constants(*graph_, o);
    for (const int x : inputs(o)) active[i] = active[i] || active[at(x)];
    arena.use(i, s);
    if (is_output[i]) arena.use(i, n);
    if (backward && active[i] && output_saved) arena.use(i, 2 * n - s);
    for (const int x : inputs(o)) {
      arena.use(at(x), backward && active[i] && inputs_saved ? 2 * n - s : s);
    }
  }
  if (backward) {
    std::vector<bool> written = is_output;  // the residual writes the adjoints of the outputs
    const auto adjoint_of = [&](std::size_t i) { return steps_.size() + i; };
    for (int s = n; s-- > 0;) {
      const auto i = static_cast<std::size_t>(s);
      if (!active[i]) continue;
      if (is_output[i]) arena.use(adjoint_of(i), n);
      arena.use(adjoint_of(i), 2 * n - s);
      for (std::size_t k = 0; k < inputs(op(steps_[i])).size(); ++k) {
        const std::size_t x = at(op(steps_[i]).inputs[k]);
        if (!active[x]) continue;
        steps_[i].accumulate[k] = written[x];
        arena.use(adjoint_of(x), 2 * n - s);
        written[x] = true;
      }
    }
  }
  arena.place();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    steps_[i].value = static_cast<std::ptrdiff_t>(arena.offset(i));
    if (backward && active[i]) {
      steps_[i].adjoint = static_cast<std::ptrdiff_t>(arena.offset(steps_.size() + i));
    }
  }
  arena_size_ = arena.total();
}

template <class T>
void Plan<T>::compile_expressions(const std::map<std::string, double>& known, const Plan* like) {
  std::vector<Expr> coordinates;
  for (const std::string& name : graph_->coordinate_names()) {
    coordinates.push_back(Coordinate(name));
  }
  for (const ParameterBlock& b : graph_->parameters()) {
    if (b.role != ParameterBlock::Role::constant) continue;
    constants_.push_back(b.offset);
    constant_atoms_.push_back(Parameter(b.name));
  }
  std::vector<Replacement> numbers;
  for (const auto& [name, value] : known) {
    if (graph_->find_constant(name) < 0) numbers.push_back({Parameter(name), Expr(value)});
  }
  for (const Step& s : steps_) {
    const Operation& o = op(s);
    if (o.code != OpCode::expression) continue;
    std::shared_ptr<const ExpressionPrograms>& programs = expressions_[s.op];
    auto& derivatives = derivatives_[s.op];
    if (like != nullptr && like->derivatives_.contains(s.op)) {
      derivatives = like->derivatives_.at(s.op);
    } else {
      derivatives = std::make_shared<std::vector<detail::DerivativeTable>>(
          detail::derivative_tables(o, graph_->coordinate_names(), numbers));
    }
    if (like != nullptr && like->jets_ == jets_ && like->expressions_.contains(s.op)) {
      programs = like->expressions_.at(s.op);
    } else {
      ProgramSpec spec;
      spec.inputs = coordinates;
      spec.parameters = constant_atoms_;
      spec.outputs = detail::expression_jets(*derivatives, jets_);
      ExpressionPrograms made;
      if (holds_constants(*graph_, o) && mode_ == Mode::backward) {
        ProgramSpec reverse = reverse_spec(spec);
        reverse.outputs.clear();  // the coordinates are given: only the constants have adjoints
        made.gradients = std::make_unique<Program<T>>(std::move(reverse));
      }
      made.values = std::make_unique<Program<T>>(std::move(spec));
      programs = std::make_shared<const ExpressionPrograms>(std::move(made));
    }
    for (const Program<T>* p : {programs->values.get(), programs->gradients.get()}) {
      if (p != nullptr) program_workspace_ = std::max(program_workspace_, p->workspace_size());
    }
  }
}

template <class T>
auto Plan<T>::expression(int op) const -> const ExpressionPrograms& {
  return *expressions_.at(op);
}

template <class T>
void Plan<T>::count_flops() {
  // Of a value: loads, stores, rules of its jets (bench_engine, tanh networks of 20 to 64). Numbers
  // of half the size take half the time.
  constexpr double per_number = 10, size = sizeof(T) / 8.0;
  const double columns = static_cast<double>(jets_.size()) * static_cast<double>(block_);
  for (const Step& s : steps_) {
    const Operation& o = op(s);
    const double between = size * per_number * o.rows * columns;
    forward_work_ += between;
    if (s.adjoint >= 0) backward_work_ += 2 * between;
    if (o.code != OpCode::affine && o.code != OpCode::fixed_affine) continue;
    const bool direct = on_coordinates(o), trained = o.code == OpCode::affine;
    const double weights =
        trained ? o.n_weights : static_cast<double>(o.fixed->size()) - static_cast<double>(o.rows);
    // Values; adjoints of the weights; adjoints of the input. On coordinates the columns beyond the
    // value are copies of the weights: no products.
    int sweeps = 1;
    if (mode_ == Mode::backward && trained) ++sweeps;
    if (!direct && adjoint(o.inputs[0]) >= 0) ++sweeps;
    const double sweep = 2 * weights * (direct ? static_cast<double>(block_) : columns);
    flops_ += sweeps * sweep;
    forward_work_ += size * sweep;
    backward_work_ += size * (sweeps - 1) * sweep;
  }
}

template <class T>
std::string Plan<T>::describe() const {
  std::string out = fmt::format("plan: {} points per block, {} components ({})\n", block_,
                                jets_.size(), jets_.describe(graph_->coordinate_names()));
  for (const Step& s : steps_) {
    const Operation& o = op(s);
    out += fmt::format("  {:>3} {:<12} rows {:>5}  inputs [{}]", s.op, to_string(o.code), o.rows,
                       fmt::join(o.inputs, ", "));
    if (o.n_weights > 0)
      out += fmt::format("  parameters {}", o.n_weights + (o.bias >= 0 ? o.rows : 0));
    if (o.code == OpCode::affine && o.group > 1) out += fmt::format(" in {} groups", o.group);
    if (o.fixed) out += fmt::format("  fixed numbers {}", o.fixed->size());
    out += fmt::format("  value at {}", s.value);
    if (s.adjoint >= 0) out += fmt::format(", adjoint at {}", s.adjoint);
    out += "\n";
  }
  out += fmt::format("  arena {} bytes, {:.3g} matrix flops per block\n", arena_size_ * sizeof(T),
                     flops_);
  return out;
}

template class Plan<float>;
template class Plan<double>;

}  // namespace cauchy
