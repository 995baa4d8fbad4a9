#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/engine/graph.hpp>
#include <cauchy/engine/jet_spec.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>

namespace cauchy::test {

/// s(z) as an expression.
inline Expr activation_expression(Activation s, const Expr& z) {
  const Expr sigmoid = 1 / (1 + exp(-z));
  switch (s) {
    case Activation::identity:
      return z;
    case Activation::tanh:
      return tanh(z);
    case Activation::sin:
      return sin(z);
    case Activation::cos:
      return cos(z);
    case Activation::sigmoid:
      return sigmoid;
    case Activation::silu:
      return z * sigmoid;
    case Activation::gelu:
      return 0.5 * z * (1 + erf(z / sqrt(Expr(2))));
    case Activation::softplus:
      return log(1 + exp(z));
    case Activation::elu:
      return where(z > 0, z, exp(z) - 1);
    case Activation::relu:
      return max(z, Expr(0));
    case Activation::relu3:
      return where(z > 0, pow(z, 3), Expr(0));
    case Activation::gaussian:
      return exp(-pow(z, 2));
    case Activation::exp:
      return exp(z);
    case Activation::sqrt:
      return sqrt(z);
    default:
      ADD_FAILURE() << "no expression for this activation";
      return Expr(0);
  }
}

/// phi_0(x), phi_1(x), ... as expressions.
using BasisExpressions = std::function<std::vector<Expr>(const Expr&)>;

/// Row `row` of all inputs of a graph, a number that is given for every point.
inline Expr input_row(int row) { return Parameter("input " + std::to_string(row)); }

/// Every value of a graph as expressions of the coordinates (and of input_row()), one per row: what
/// the operations mean, said without jets. `theta` are the parameters; `basis` stands for every
/// basis operation.
inline std::vector<std::vector<Expr>> symbolic_values(const Graph& graph,
                                                      std::span<const double> theta,
                                                      const BasisExpressions& basis = {}) {
  std::vector<std::vector<Expr>> values;
  const auto parameter = [&](std::ptrdiff_t i) { return Expr(theta[static_cast<std::size_t>(i)]); };
  std::vector<Replacement> constants;
  for (const ParameterBlock& block : graph.parameters()) {
    if (block.role != ParameterBlock::Role::constant) continue;
    constants.push_back({Parameter(block.name), parameter(block.offset)});
  }
  for (const Operation& op : graph.ops()) {
    std::vector<Expr> out;
    const auto input = [&](std::size_t k) -> const std::vector<Expr>& {
      return values[static_cast<std::size_t>(op.inputs[k])];
    };
    const auto operand = [&](std::size_t k, int r) {
      return input(k).size() == 1 ? input(k)[0] : input(k)[static_cast<std::size_t>(r)];
    };
    switch (op.code) {
      case OpCode::coordinates:
        for (const std::string& name : graph.coordinate_names()) out.push_back(Coordinate(name));
        break;
      case OpCode::input:
        for (int r = 0; r < op.rows; ++r) out.push_back(input_row(op.begin + r));
        break;
      case OpCode::affine:
        for (int r = 0; r < op.rows; ++r) {
          std::vector<Expr> terms;
          const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(input(0).size()) / op.group;
          const std::ptrdiff_t first = r / (op.rows / op.group) * cols;
          for (std::ptrdiff_t k = 0; k < cols; ++k) {
            terms.push_back(parameter(op.weights + r * cols + k) *
                            input(0)[static_cast<std::size_t>(first + k)]);
          }
          if (op.bias >= 0) terms.push_back(parameter(op.bias + r));
          out.push_back(sum(std::move(terms)));
        }
        break;
      case OpCode::fixed_affine:
        for (std::size_t r = 0; r < static_cast<std::size_t>(op.rows); ++r) {
          const std::size_t cols = input(0).size();
          std::vector<Expr> terms{Expr((*op.fixed)[static_cast<std::size_t>(op.rows) * cols + r])};
          for (std::size_t k = 0; k < cols; ++k) {
            terms.push_back((*op.fixed)[r * cols + k] * input(0)[k]);
          }
          out.push_back(sum(std::move(terms)));
        }
        break;
      case OpCode::activation:
        for (const Expr& z : input(0)) out.push_back(activation_expression(op.activation, z));
        break;
      case OpCode::scale:
        for (int r = 0; r < op.rows; ++r) {
          out.push_back(parameter(op.weights + (op.n_weights == 1 ? 0 : r)) * operand(0, r));
        }
        break;
      case OpCode::shift:
        for (int r = 0; r < op.rows; ++r) {
          out.push_back(operand(0, r) + parameter(op.weights + (op.n_weights == 1 ? 0 : r)));
        }
        break;
      case OpCode::add:
        for (int r = 0; r < op.rows; ++r) out.push_back(operand(0, r) + operand(1, r));
        break;
      case OpCode::subtract:
        for (int r = 0; r < op.rows; ++r) out.push_back(operand(0, r) - operand(1, r));
        break;
      case OpCode::multiply:
        for (int r = 0; r < op.rows; ++r) out.push_back(operand(0, r) * operand(1, r));
        break;
      case OpCode::divide:
        for (int r = 0; r < op.rows; ++r) out.push_back(operand(0, r) / operand(1, r));
        break;
      case OpCode::concatenate:
        for (std::size_t k = 0; k < op.inputs.size(); ++k) {
          out.insert(out.end(), input(k).begin(), input(k).end());
        }
        break;
      case OpCode::slice:
        out.assign(input(0).begin() + op.begin, input(0).begin() + op.begin + op.rows);
        break;
      case OpCode::repeat:
        for (int r = 0; r < op.rows; ++r) {
          out.push_back(input(0)[static_cast<std::size_t>(r / op.group) % input(0).size()]);
        }
        break;
      case OpCode::row_sum:
        for (auto row = input(0).begin(); row != input(0).end(); row += op.group) {
          out.push_back(sum({row, row + op.group}));
        }
        break;
      case OpCode::unit_rows:
        for (int r = 0; r < op.rows; ++r) {
          Expr square = 0;
          const std::ptrdiff_t cols = op.n_weights / op.rows;
          for (std::ptrdiff_t i = 0; i < cols; ++i) {
            square += pow(parameter(op.weights + r * cols + i), 2);
          }
          out.push_back(operand(0, r) / sqrt(square));
        }
        break;
      case OpCode::basis:
        for (const Expr& z : input(0)) {
          for (const Expr& phi : basis(z)) out.push_back(phi);
        }
        break;
      case OpCode::expression:
        for (const Expr& e : op.expressions) out.push_back(substitute(e, constants));
        break;
    }
    values.push_back(std::move(out));
  }
  return values;
}

/// All components of the jet of one expression, as expressions; lower derivatives are reused.
inline std::vector<Expr> symbolic_jet(const Expr& e, std::span<const std::string> coordinates,
                                      const JetSpec& jets) {
  std::map<JetSpec::Orders, Expr> known;
  const std::function<Expr(const JetSpec::Orders&)> derivative =
      [&](const JetSpec::Orders& orders) -> Expr {
    const auto it = known.find(orders);
    if (it != known.end()) return it->second;
    for (std::size_t i = orders.size(); i-- > 0;) {
      if (orders[i] == 0) continue;
      JetSpec::Orders lower = orders;
      --lower[i];
      return known.emplace(orders, d(derivative(lower), Coordinate(coordinates[i]))).first->second;
    }
    return e;
  };
  std::vector<Expr> components;
  for (int c = 0; c < jets.size(); ++c) {
    Expr total = 0;
    for (const auto& part : jets.component(c).parts) {
      total += part.coefficient * derivative(part.orders);
    }
    components.push_back(total);
  }
  return components;
}

}  // namespace cauchy::test
