#include <cauchy/expr/program.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/expr/derivative.hpp>

#include "expr/program_code.hpp"
#include "expr/remainder.hpp"

namespace cauchy {
namespace detail {

template <class T>
T apply(ProgramOp op, T a, T b, T c) noexcept {
  switch (op) {
    case ProgramOp::copy:
      return a;
    case ProgramOp::square_root:
      return std::sqrt(a);
    case ProgramOp::exp:
      return std::exp(a);
    case ProgramOp::log:
      return std::log(a);
    case ProgramOp::sin:
      return std::sin(a);
    case ProgramOp::cos:
      return std::cos(a);
    case ProgramOp::tan:
      return std::tan(a);
    case ProgramOp::asin:
      return std::asin(a);
    case ProgramOp::acos:
      return std::acos(a);
    case ProgramOp::atan:
      return std::atan(a);
    case ProgramOp::sinh:
      return std::sinh(a);
    case ProgramOp::cosh:
      return std::cosh(a);
    case ProgramOp::tanh:
      return std::tanh(a);
    case ProgramOp::erf:
      return std::erf(a);
    case ProgramOp::abs:
      return std::abs(a);
    case ProgramOp::sign:
      return a > 0 ? T(1) : a < 0 ? T(-1) : a;
    case ProgramOp::floor:
      return std::floor(a);
    case ProgramOp::add:
      return a + b;
    case ProgramOp::subtract:
      return a - b;
    case ProgramOp::multiply:
      return a * b;
    case ProgramOp::divide:
      return a / b;
    case ProgramOp::power:
      return std::pow(a, b);
    case ProgramOp::min:
      return a < b ? a : b;
    case ProgramOp::max:
      return a > b ? a : b;
    case ProgramOp::mod:
      return remainder_of(a, b);
    case ProgramOp::less:
      return a < b ? T(1) : T(0);
    case ProgramOp::less_equal:
      return a <= b ? T(1) : T(0);
    case ProgramOp::where:
      return a != 0 ? b : c;
    default:
      return T(0);  // leaves, pairs, sums and fused operations have no scalar form
  }
}
template float apply(ProgramOp, float, float, float) noexcept;
template double apply(ProgramOp, double, double, double) noexcept;

namespace {

constexpr std::size_t alignment = 64;

/// Points per pass: rows of the caller and of the workspace together stay in the L1 cache.
std::size_t choose_chunk(std::size_t n_rows, std::size_t element_size) {
  constexpr std::size_t budget = 32u << 10;
  const std::size_t points = budget / (std::max<std::size_t>(n_rows, 1) * element_size);
  return std::clamp<std::size_t>(points - points % max_lanes, 128, 1024);
}

std::size_t operations(const Instruction& in) {
  if (in.op == ProgramOp::copy) return 0;
  const bool two = in.op == ProgramOp::sin_cos || in.op == ProgramOp::dot ||
                   (in.op >= ProgramOp::multiply_add && in.op <= ProgramOp::negative_multiply_add);
  return two ? 2 : 1;
}

/// Sum of the lanes by halves: one order for all instruction sets.
double total_of(double* lanes) {
  for (std::size_t half = max_lanes / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];
  }
  return lanes[0];
}

}  // namespace
}  // namespace detail

using detail::Code;
using detail::Instruction;
using detail::max_lanes;
using detail::Place;

template <class T>
struct Program<T>::Impl {
  ProgramSpec spec;
  Code code;
  std::vector<T> constants;
  std::size_t chunk = 0;

  explicit Impl(ProgramSpec given) : spec(std::move(given)), code(schedule(detail::lower(spec))) {
    for (const double c : code.constants) constants.push_back(static_cast<T>(c));
    const std::size_t n_rows = code.n_rows + code.used_inputs.size() + spec.outputs.size();
    chunk = detail::choose_chunk(n_rows, sizeof(T));
  }

  // Elements of each part of the workspace, multiples of the alignment.
  static constexpr std::size_t per_line = detail::alignment / sizeof(T);
  std::size_t totals_size() const {
    return spec.sums.size() * max_lanes * sizeof(double) / sizeof(T);
  }
  std::size_t tail_size() const { return (spec.inputs.size() + spec.outputs.size()) * max_lanes; }
  std::size_t scalars_size() const { return (code.n_scalars + per_line - 1) / per_line * per_line; }
  std::size_t workspace_size() const {
    return per_line + totals_size() + tail_size() + scalars_size() + code.n_rows * chunk;
  }

  T number(const Place& p, const T* parameters, const T* scalars) const {
    switch (p.space) {
      case detail::OperandSpace::parameter:
        return parameters[p.index];
      case detail::OperandSpace::constant:
        return constants[p.index];
      case detail::OperandSpace::scalar:
        return scalars[p.index];
      default:
        return T(0);
    }
  }

  void run(std::size_t n, const T* const* inputs, const T* parameters, T* const* outputs,
           double* sums, T* workspace) const {
    // The start is moved up to the alignment; the parts follow each other.
    const auto address = reinterpret_cast<std::uintptr_t>(workspace);
    T* start = workspace +
               (detail::alignment - address % detail::alignment) % detail::alignment / sizeof(T);
    auto* totals = reinterpret_cast<double*>(start);
    std::uninitialized_fill_n(totals, spec.sums.size() * max_lanes, 0.0);
    T* tail = start + totals_size();
    T* scalars = tail + tail_size();
    for (const Instruction& in : code.prologue) {
      const auto operand = [&](int k) { return number(in.args[k], parameters, scalars); };
      scalars[in.result.index] = detail::apply(in.op, operand(0), operand(1), operand(2));
    }
    const detail::RunState<T> state{.first = code.body.data(),
                                    .last = code.body.data() + code.body.size(),
                                    .n_points = n,
                                    .chunk = chunk,
                                    .used_inputs = code.used_inputs.data(),
                                    .n_used_inputs = code.used_inputs.size(),
                                    .n_inputs = spec.inputs.size(),
                                    .n_outputs = spec.outputs.size(),
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .parameters = parameters,
                                    .constants = constants.data(),
                                    .scalars = scalars,
                                    .rows = scalars + scalars_size(),
                                    .tail = tail,
                                    .totals = totals};
    if (n > 0) detail::run_body(state);
    for (std::size_t k = 0; k < spec.sums.size(); ++k) {
      sums[k] = detail::total_of(totals + k * max_lanes);
      const Place scale = code.sum_scales[k];
      if (n > 0 && scale.space != detail::OperandSpace::none) {
        sums[k] *= static_cast<double>(number(scale, parameters, scalars));
      }
    }
  }
};

template <class T>
Program<T>::Program(ProgramSpec spec) : impl_(std::make_unique<const Impl>(std::move(spec))) {}
template <class T>
Program<T>::~Program() = default;
template <class T>
Program<T>::Program(Program&&) noexcept = default;
template <class T>
Program<T>& Program<T>::operator=(Program&&) noexcept = default;

template <class T>
std::size_t Program<T>::workspace_size() const noexcept {
  return impl_->workspace_size();
}

template <class T>
void Program<T>::run(std::size_t n, const T* const* inputs, const T* parameters, T* const* outputs,
                     double* sums, T* workspace) const {
  count_work(WorkKind::formulas, static_cast<double>(n * impl_->code.body.size()));
  impl_->run(n, inputs, parameters, outputs, sums, workspace);
}

template <class T>
const ProgramSpec& Program<T>::spec() const noexcept {
  return impl_->spec;
}

template <class T>
std::size_t Program<T>::n_instructions() const noexcept {
  return impl_->code.body.size();
}

template <class T>
std::size_t Program<T>::operations_per_point() const noexcept {
  std::size_t total = 0;
  for (const Instruction& in : impl_->code.body) total += detail::operations(in);
  return total;
}

template <class T>
std::string Program<T>::listing() const {
  return detail::listing(impl_->code, impl_->spec);
}

template class Program<float>;
template class Program<double>;

ProgramSpec reverse_spec(const ProgramSpec& forward) {
  // Names that no parser accepts, and more marks when the forward program is a reverse one itself.
  std::string mark = "~";
  const auto taken = [&](const std::vector<Expr>& atoms) {
    return std::any_of(atoms.begin(), atoms.end(),
                       [&](const Expr& e) { return e.name().starts_with(mark + "seed"); });
  };
  while (taken(forward.inputs) || taken(forward.parameters)) mark += "~";

  ProgramSpec reverse;
  reverse.inputs = forward.inputs;
  reverse.parameters = forward.parameters;
  std::vector<Expr> roots = forward.outputs, seeds;
  for (std::size_t k = 0; k < forward.outputs.size(); ++k) {
    seeds.push_back(Symbol(mark + "seed" + std::to_string(k)));
    reverse.inputs.push_back(seeds.back());
  }
  for (std::size_t k = 0; k < forward.sums.size(); ++k) {
    roots.push_back(forward.sums[k]);
    seeds.push_back(Parameter(mark + "seed_of_sum" + std::to_string(k)));
    reverse.parameters.push_back(seeds.back());
  }
  std::vector<Expr> atoms = forward.inputs;
  atoms.insert(atoms.end(), forward.parameters.begin(), forward.parameters.end());
  const std::vector<Expr> bars = adjoint(roots, seeds, atoms);
  const auto n_inputs = static_cast<std::ptrdiff_t>(forward.inputs.size());
  reverse.outputs.assign(bars.begin(), bars.begin() + n_inputs);
  reverse.sums.assign(bars.begin() + n_inputs, bars.end());
  return reverse;
}

}  // namespace cauchy
