#include "engine/cpp_network.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/cpp_code.hpp>

namespace cauchy::detail {
namespace {

[[noreturn]] void refuse_header(const std::string& message) {
  throw Error(ErrorKind::unsupported, message, "[engine.cpp_header]");
}

template <class Numbers>
std::string number_list(const Numbers& numbers) {
  std::string text;
  std::size_t line = 0;
  for (const auto& v : numbers) {
    const std::string one = fmt::format("{},", v);
    line += one.size() + 1;
    if (line > 94) {
      text += "\n    ";
      line = one.size() + 5;
    }
    text += (text.empty() || text.back() == ' ' ? "" : " ") + one;
  }
  return text;
}

std::string cpp_array(std::string_view name, const std::vector<double>& numbers) {
  return fmt::format("inline constexpr double {}[] = {{{}}};\n", name, number_list(numbers));
}

}  // namespace

std::string cpp_rules(std::string_view name, const JetSpec& jets) {
  std::vector<double> seeds;
  std::string compose, products;
  int n_compose = 0;
  for (int c = 0; c < jets.size(); ++c) {
    for (int i = 0; i < jets.n_coordinates(); ++i) seeds.push_back(c == 0 ? 0 : jets.seed(c, i));
    for (const auto& t : jets.compose(c)) {
      if (c == 0) continue;  // the value itself
      compose += fmt::format("      {{{}, {}, {}, {{{}}}}},\n", t.coefficient, c, t.order,
                             fmt::join(t.factors, ", "));
      ++n_compose;
    }
    for (const auto& p : jets.multiply(c)) {
      products += fmt::format("      {{{}, {}, {}, {}}},\n", p.coefficient, c, p.left, p.right);
    }
  }
  if (compose.empty()) compose = "      {0, 0, 0, {0}},\n";
  return fmt::format(
      "struct {} {{\n"
      "  static constexpr int components = {}, order = {}, n_compose = {};\n"
      "  static constexpr double seeds[] = {{{}}};\n"
      "  static constexpr Compose compose[] = {{\n{}  }};\n"
      "  static constexpr Product products[] = {{\n{}  }};\n}};\n",
      name, jets.size(), jets.order(), n_compose, number_list(seeds), compose, products);
}

std::vector<Graph::Output> fields_of(const TrainedNetwork& network) {
  const auto& outputs = network.graph->outputs();
  if (network.outputs.empty()) return outputs;
  std::vector<Graph::Output> fields;
  for (const auto& named : network.outputs) {  // the field, and the output that it is
    const auto at = std::find_if(outputs.begin(), outputs.end(),
                                 [&](const Graph::Output& o) { return o.field == named.second; });
    if (at == outputs.end()) {
      refuse_header(fmt::format("the network has no output '{}'", named.second));
    }
    fields.push_back({named.first, at->value, at->row});
  }
  return fields;
}

CppNetwork::CppNetwork(const TrainedNetwork& network, std::span<const JetSpec> sets)
    : graph_(*network.graph), fields_(fields_of(network)), theta_(network.theta), sets_(sets) {
  if (theta_.size() != graph_.n_parameters()) {
    refuse_header(
        fmt::format("{} parameters for a network with {}", theta_.size(), graph_.n_parameters()));
  }
  if (!std::all_of(theta_.begin(), theta_.end(), [](double v) { return std::isfinite(v); })) {
    refuse_header("some parameters of the network are not finite");
  }
  for (const ParameterBlock& b : graph_.parameters()) {
    if (b.role != ParameterBlock::Role::constant) continue;
    numbers_of_names_.push_back(
        {Parameter(b.name), Expr(theta_[static_cast<std::size_t>(b.offset)])});
  }
  for (const auto& [name, value] : network.known) {
    if (graph_.find_constant(name) < 0) numbers_of_names_.push_back({Parameter(name), Expr(value)});
  }
  place();
  for (std::size_t i = 0; i < graph_.ops().size(); ++i) {
    if (needed_[i]) write(static_cast<int>(i));
  }
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    const Graph::Output& o = fields_[k];
    calls_ += fmt::format("  for (int c = 0; c < C; ++c) out[{} * C + c] = {}[c * {} + {}];\n", k,
                          at(o.value), graph_.rows(o.value), o.row);
  }
}

std::string CppNetwork::text(std::size_t part) const {
  std::string sets;
  for (std::size_t k = 0; k < sets_.size(); ++k) {
    sets += fmt::format("struct jets_{0} : rules_{0} {{\n{1}}};\n", k, expressions_[k]);
  }
  // Large values would not fit on the stack of a thread.
  const std::string memory = rows_ > 4000 ? fmt::format("std::vector<double> v({} * C)", rows_)
                                          : fmt::format("double v[{} * C]", rows_);
  return fmt::format(
      "namespace part_{} {{\n{}{}template <class J>\n"
      "void evaluate([[maybe_unused]] const double* x, double* out) {{\n  constexpr int C = "
      "J::components;\n"
      "  {};\n{}}}\n}}  // namespace part_{}\n",
      part, numbers_, sets, memory, calls_, part);
}

void CppNetwork::place() {
  const auto& ops = graph_.ops();
  needed_.assign(ops.size(), false);
  for (const auto& o : fields_) needed_[static_cast<std::size_t>(o.value)] = true;
  for (std::size_t i = ops.size(); i-- > 0;) {
    if (!needed_[i]) continue;
    for (const int x : ops[i].inputs) needed_[static_cast<std::size_t>(x)] = true;
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    arena_.add(static_cast<std::size_t>(ops[i].rows));
    if (!needed_[i]) continue;
    arena_.use(i, static_cast<int>(i));
    for (const int x : ops[i].inputs) {
      arena_.use(static_cast<std::size_t>(x), static_cast<int>(i));
    }
  }
  for (const auto& o : fields_) {
    arena_.use(static_cast<std::size_t>(o.value), static_cast<int>(ops.size()));
  }
  arena_.place();
  rows_ = arena_.total();
  expressions_.resize(sets_.size());
}

std::string CppNetwork::at(int value) const {
  return fmt::format("(&v[{} * C])", arena_.offset(static_cast<std::size_t>(value)));
}

/// An array of these numbers; returns its name.
std::string CppNetwork::array(std::string_view prefix, int op, const std::vector<double>& numbers) {
  const std::string name = fmt::format("{}{}", prefix, op);
  numbers_ += cpp_array(name, numbers);
  return name;
}

std::vector<double> CppNetwork::parameters(std::ptrdiff_t first, std::ptrdiff_t n) const {
  return {theta_.begin() + first, theta_.begin() + first + n};
}

void CppNetwork::write(int i) {
  const Operation& op = graph_.ops()[static_cast<std::size_t>(i)];
  const auto x = [&](std::size_t k) { return at(op.inputs[k]); };
  const auto n = [&](std::size_t k) { return graph_.rows(op.inputs[k]); };
  const auto call = [&]<class... Args>(std::string_view name, const Args&... args) {
    std::vector<std::string> list{fmt::format("{}", args)...};
    calls_ += fmt::format("  {}<J>({}, {});\n", name, fmt::join(list, ", "), at(i));
  };
  switch (op.code) {
    case OpCode::coordinates:
      return call("coordinates", op.rows, "x");
    case OpCode::input:
      refuse_header("a network with inputs from outside cannot be written as a header");
    case OpCode::affine:
    case OpCode::fixed_affine:
      return affine(i, op);
    case OpCode::activation:
      activations_.insert(op.activation);
      return call("activation", op.rows, std::string(to_string(op.activation)) + "_derivatives",
                  x(0));
    case OpCode::scale:
    case OpCode::shift:
      return call(to_string(op.code), op.rows, op.n_weights,
                  array("w", i, parameters(op.weights, op.n_weights)), x(0));
    case OpCode::add:
    case OpCode::subtract:
      return call("add", op.rows, n(0), x(0), n(1), x(1), op.code == OpCode::add ? "1.0" : "-1.0");
    case OpCode::multiply:
    case OpCode::divide:
      return call(to_string(op.code), op.rows, n(0), x(0), n(1), x(1));
    case OpCode::concatenate: {
      int first = 0;
      for (std::size_t k = 0; k < op.inputs.size(); ++k) {
        calls_ += fmt::format("  copy<J>({}, {}, {}, 0, {}, {}, {});\n", n(k), n(k), x(k), op.rows,
                              at(i), first);
        first += n(k);
      }
      return;
    }
    case OpCode::slice:
      calls_ += fmt::format("  copy<J>({}, {}, {}, {}, {}, {}, 0);\n", op.rows, n(0), x(0),
                            op.begin, op.rows, at(i));
      return;
    case OpCode::repeat:
      return call("repeat", op.rows, op.group, n(0), x(0));
    case OpCode::row_sum:
      return call("row_sum", op.rows, op.group, x(0));
    case OpCode::unit_rows: {  // rows times numbers that are known now
      std::vector<double> factors;
      const std::ptrdiff_t cols = op.n_weights / op.rows;
      for (std::ptrdiff_t r = 0; r < op.rows; ++r) {
        double square = 0;
        for (const double v : parameters(op.weights + r * cols, cols)) square += v * v;
        factors.push_back(1 / std::sqrt(square));
      }
      return call("scale", op.rows, op.rows, array("w", i, factors), x(0));
    }
    case OpCode::basis:
      return basis(i, op);
    case OpCode::expression:
      for (std::size_t k = 0; k < sets_.size(); ++k) expression(i, op, k);
      calls_ += fmt::format("  J::expression{}(x, {});\n", i, at(i));
      return;
  }
}

void CppNetwork::affine(int i, const Operation& op) {
  const int groups = op.group, rows = op.rows / groups;
  const int cols = graph_.rows(op.inputs[0]) / groups;
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(op.rows) * cols;
  const std::vector<double> plain =
      op.fixed ? std::vector<double>(op.fixed->begin(), op.fixed->begin() + size)
               : parameters(op.weights, size);
  std::vector<double> columns(plain.size());
  for (int g = 0; g < groups; ++g) {
    for (int r = 0; r < rows; ++r) {
      for (int k = 0; k < cols; ++k) {
        columns[static_cast<std::size_t>((g * cols + k) * rows + r)] =
            plain[static_cast<std::size_t>((g * rows + r) * cols + k)];
      }
    }
  }
  const std::string w = array("w", i, columns);
  std::string b = "nullptr";
  if (op.fixed) {
    b = array("b", i, {op.fixed->begin() + size, op.fixed->end()});
  } else if (op.bias >= 0) {
    b = array("b", i, parameters(op.bias, op.rows));
  }
  calls_ += fmt::format("  affine<J>({}, {}, {}, {}, {}, {}, {});\n", groups, rows, cols, w, b,
                        at(op.inputs[0]), at(i));
}

void CppNetwork::basis(int i, const Operation& op) {
  const std::string body = op.basis->cpp();
  if (body.empty()) {
    refuse_header(fmt::format("the basis {} has no code of its own", op.basis->name()));
  }
  numbers_ +=
      fmt::format("inline void basis{}(double x, int order, double* out) {{\n{}}}\n", i, body);
  calls_ += fmt::format("  basis<J, {}>({}, basis{}, {}, {});\n", op.basis->size(),
                        graph_.rows(op.inputs[0]), i, at(op.inputs[0]), at(i));
}

void CppNetwork::expression(int i, const Operation& op, std::size_t set) {
  const JetSpec& jets = sets_[set];
  const auto& names = graph_.coordinate_names();
  std::vector<DerivativeTable> tables = derivative_tables(op, names, numbers_of_names_);
  const std::vector<Expr> rows = expression_jets(tables, jets);
  const auto C = static_cast<std::size_t>(jets.size());
  const CppNames code{
      .atom =
          [&](const Expr& e) {
            const auto k = std::find(names.begin(), names.end(), e.name()) - names.begin();
            if (e.kind() == Kind::coordinate) return fmt::format("x[{}]", k);
            refuse_header(fmt::format("the parameter '{}' has no number", e.name()));
          },
      .output =
          [&](std::size_t k) {
            return fmt::format("y[{}]", k % C * static_cast<std::size_t>(op.rows) + k / C);
          },
      .indent = "    "};
  expressions_[set] += fmt::format(
      "  static void expression{}([[maybe_unused]] const double* x, double* y) {{\n{}  "
      "}}\n",
      i, cpp_statements(rows, code));
}

}  // namespace cauchy::detail
