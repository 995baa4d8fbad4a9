// Programs as text for people.
#include <fmt/format.h>

#include <cauchy/expr/print.hpp>

#include "expr/program_code.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* names[] = {
    "constant", "parameter", "input", "copy", "sqrt", "exp",  "log",  "sin", "cos",  "tan",
    "asin",     "acos",      "atan",  "sinh", "cosh", "tanh", "erf",  "abs", "sign", "floor",
    "sincos",   "sum",       "dot",   "+",    "-",    "*",    "/",    "^",   "min",  "max",
    "mod",      "<",         "<=",    "",     "",     "",     "where"};
static_assert(std::size(names) == n_ops);

class Lister {
 public:
  Lister(const Code& code, const ProgramSpec& spec) : code_(code), spec_(spec) {}

  std::string line(const Instruction& in) const {
    const std::string a = text(in.args[0]), b = text(in.args[1]), c = text(in.args[2]);
    const char* name = names[static_cast<std::size_t>(in.op)];
    switch (in.op) {
      case ProgramOp::copy:
        return fmt::format("{} = {}", text(in.result), a);
      case ProgramOp::sin_cos:
        return fmt::format("{}, {} = sincos({})", text(in.result), text(in.second), a);
      case ProgramOp::sum:
        return fmt::format("sum{} += {}", in.result.index, a);
      case ProgramOp::dot:
        return fmt::format("sum{} += {} * {}", in.result.index, a, b);
      case ProgramOp::add:
      case ProgramOp::subtract:
      case ProgramOp::multiply:
      case ProgramOp::divide:
      case ProgramOp::power:
      case ProgramOp::less:
      case ProgramOp::less_equal:
        return fmt::format("{} = {} {} {}", text(in.result), a, name, b);
      case ProgramOp::min:
      case ProgramOp::max:
      case ProgramOp::mod:
        return fmt::format("{} = {}({}, {})", text(in.result), name, a, b);
      case ProgramOp::multiply_add:
        return fmt::format("{} = {} * {} + {}", text(in.result), a, b, c);
      case ProgramOp::multiply_subtract:
        return fmt::format("{} = {} * {} - {}", text(in.result), a, b, c);
      case ProgramOp::negative_multiply_add:
        return fmt::format("{} = {} - {} * {}", text(in.result), c, a, b);
      case ProgramOp::where:
        return fmt::format("{} = where({}, {}, {})", text(in.result), a, b, c);
      default:
        return fmt::format("{} = {}({})", text(in.result), name, a);
    }
  }

  std::string scaling(std::size_t k) const {
    const Place scale = code_.sum_scales[k];
    return scale.space == OperandSpace::none
               ? ""
               : fmt::format("sum{} = {} * sum{}  (once per run)\n", k, text(scale), k);
  }

 private:
  std::string text(Place p) const {
    switch (p.space) {
      case OperandSpace::input:
        return to_string(spec_.inputs[p.index]);
      case OperandSpace::parameter:
        return to_string(spec_.parameters[p.index]);
      case OperandSpace::output:
        return fmt::format("out{}", p.index);
      case OperandSpace::work:
        return fmt::format("r{}", p.index);
      case OperandSpace::constant:
        return number_to_string(code_.constants[p.index]);
      case OperandSpace::scalar:
        return fmt::format("s{}", p.index);
      default:
        return "";
    }
  }

  const Code& code_;
  const ProgramSpec& spec_;
};

}  // namespace

std::string listing(const Code& code, const ProgramSpec& spec) {
  const Lister lister(code, spec);
  std::string out;
  for (const Instruction& in : code.prologue) out += lister.line(in) + "  (once per run)\n";
  for (const Instruction& in : code.body) out += lister.line(in) + "\n";
  for (std::size_t k = 0; k < code.sum_scales.size(); ++k) out += lister.scaling(k);
  return out;
}

}  // namespace cauchy::detail
