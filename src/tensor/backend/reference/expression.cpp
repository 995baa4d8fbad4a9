// Expressions of channels, point by point: compiled programs, adjoints and tangents symbolic.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>

#include "tensor/backend/reference/operation.hpp"
#include "tensor/dual.hpp"
#include "tensor/expression_channels.hpp"

namespace cauchy::detail::reference {

template <class R>
std::size_t ExpressionPrograms<R>::workspace() const {
  std::size_t size = value ? value->workspace_size() : 0;
  if (adjoint) size = std::max(size, adjoint->workspace_size());
  if (tangent) size = std::max(size, tangent->workspace_size());
  return size;
}

namespace {

/// sum_i d(f_k)/d(x_i) dx_i for every result f_k.
ProgramSpec tangent_spec(const ProgramSpec& value) {
  ProgramSpec spec{{}, value.inputs, value.parameters, {}};
  std::vector<Expr> directions;
  for (std::size_t i = 0; i < value.inputs.size(); ++i) {
    directions.push_back(Symbol(fmt::format("~slope{}", i)));  // a name that no text has
  }
  spec.inputs.insert(spec.inputs.end(), directions.begin(), directions.end());
  for (const Expr& f : value.outputs) {
    Expr sum = 0;
    for (std::size_t i = 0; i < value.inputs.size(); ++i) {
      sum = sum + partial(f, value.inputs[i]) * directions[i];
    }
    spec.outputs.push_back(sum);
  }
  return spec;
}

}  // namespace

template <class R>
ExpressionPrograms<R> expression_programs(const TensorOperation& op,
                                          const std::map<std::string, double>& known,
                                          bool tangent) {
  const ExpressionAtoms found = expression_atoms(op.names, op.expressions);
  ExpressionPrograms<R> result;
  result.channels = found.channels;
  for (const Expr& parameter : found.parameters) {
    const auto number = known.find(parameter.name());
    if (number == known.end()) {
      refuse_tensor(fmt::format("expression: '{}' has no number", parameter.name()),
                    fmt::format("name it in `known`, or give a channel; channels are: {}",
                                fmt::join(op.names, ", ")));
    }
    result.parameters.push_back(static_cast<R>(number->second));
  }
  const ProgramSpec value{op.expressions, found.inputs, found.parameters, {}};
  result.value.emplace(value);
  if (tangent) {
    result.tangent.emplace(tangent_spec(value));
  } else {
    ProgramSpec reverse = reverse_spec(value);
    reverse.sums.clear();  // the parameters are known numbers
    result.adjoint.emplace(std::move(reverse));
  }
  return result;
}

namespace {

constexpr std::size_t most_rows = 3 * max_expression_channels;
template <class R>
using Rows = std::array<R*, most_rows>;

/// The row of channel c of all inputs, in order, of one sample.
template <class T>
const T* channel_row(const Operation<T>& f, std::size_t c, std::size_t s) {
  std::size_t input = 0;
  while (c >= f.channels_of(input)) c -= f.channels_of(input++);
  return f.in(input, s) + c * f.points();
}

/// The same of the adjoints; null: not wanted.
template <class T>
T* by_channel_row(const Operation<T>& f, std::size_t c, std::size_t s) {
  std::size_t input = 0;
  while (c >= f.channels_of(input)) c -= f.channels_of(input++);
  T* all = f.by_in(input, s);
  return all == nullptr ? nullptr : all + c * f.points();
}

}  // namespace

/// Working memory: the program's, then rows of adjoints (of values and slopes of inputs and
/// results).
template <class T>
std::size_t expression_scratch(const TensorOperation& op,
                               const ExpressionPrograms<Real<T>>& programs) {
  const std::size_t points = op.shape.points(), inputs = programs.channels.size();
  const std::size_t rows = std::is_same_v<T, Dual> ? inputs + op.expressions.size() : inputs;
  return programs.workspace() + rows * points;
}

template <class T>
void forward_expression(const Operation<T>& f) {
  const auto& programs = f.tables.programs;
  const std::size_t P = f.points(), I = programs.channels.size(), K = f.channels();
  Rows<const Real<T>> in;
  Rows<Real<T>> out;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    if constexpr (std::is_same_v<T, Dual>) {
      // Values and slopes apart: two rows of double fit where one row of Dual does.
      auto* work = &f.call.scratch->value;
      double* rows = work + 2 * programs.workspace();
      for (std::size_t i = 0; i < I; ++i) {
        const T* x = channel_row(f, programs.channels[i], s);
        double *values = rows + 2 * i * P, *slopes = values + P;
        for (std::size_t p = 0; p < P; ++p) values[p] = x[p].value, slopes[p] = x[p].slope;
        in[i] = values, in[I + i] = slopes;
      }
      for (std::size_t k = 0; k < K; ++k) out[k] = rows + 2 * (I + k) * P;
      programs.value->run(P, in.data(), programs.parameters.data(), out.data(), nullptr, work);
      for (std::size_t k = 0; k < K; ++k) out[k] += P;
      programs.tangent->run(P, in.data(), programs.parameters.data(), out.data(), nullptr, work);
      for (std::size_t k = 0; k < K; ++k) {
        for (std::size_t p = 0; p < P; ++p) f.out(s)[k * P + p] = {out[k][p - P], out[k][p]};
      }
    } else {
      for (std::size_t i = 0; i < I; ++i) in[i] = channel_row(f, programs.channels[i], s);
      for (std::size_t k = 0; k < K; ++k) out[k] = f.out(s) + k * P;
      programs.value->run(P, in.data(), programs.parameters.data(), out.data(), nullptr,
                          f.call.scratch);
    }
  }
}

template <std::floating_point T>
void backward_expression(const Operation<T>& f) {
  const auto& programs = f.tables.programs;
  const std::size_t P = f.points(), I = programs.channels.size(), K = f.channels();
  Rows<const T> in;
  Rows<T> out;
  T* rows = f.call.scratch + programs.workspace();
  for (std::size_t s = 0; s < f.call.n; ++s) {
    for (std::size_t i = 0; i < I; ++i) in[i] = channel_row(f, programs.channels[i], s);
    for (std::size_t k = 0; k < K; ++k) in[I + k] = f.by_out(s) + k * P;
    for (std::size_t i = 0; i < I; ++i) out[i] = rows + i * P;
    programs.adjoint->run(P, in.data(), programs.parameters.data(), out.data(), nullptr,
                          f.call.scratch);
    for (std::size_t i = 0; i < I; ++i) {
      T* by_x = by_channel_row(f, programs.channels[i], s);
      for (std::size_t p = 0; by_x != nullptr && p < P; ++p) by_x[p] += out[i][p];
    }
  }
}

template struct ExpressionPrograms<float>;
template struct ExpressionPrograms<double>;
template ExpressionPrograms<float> expression_programs(const TensorOperation&,
                                                       const std::map<std::string, double>&, bool);
template ExpressionPrograms<double> expression_programs(const TensorOperation&,
                                                        const std::map<std::string, double>&, bool);
template std::size_t expression_scratch<float>(const TensorOperation&,
                                               const ExpressionPrograms<float>&);
template std::size_t expression_scratch<double>(const TensorOperation&,
                                                const ExpressionPrograms<double>&);
template std::size_t expression_scratch<Dual>(const TensorOperation&,
                                              const ExpressionPrograms<double>&);
template void forward_expression(const Operation<float>&);
template void forward_expression(const Operation<double>&);
template void forward_expression(const Operation<Dual>&);
template void backward_expression(const Operation<float>&);
template void backward_expression(const Operation<double>&);

}  // namespace cauchy::detail::reference
