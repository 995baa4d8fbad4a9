// Values to instructions: fusion, order and rows.
#include <algorithm>
#include <unordered_map>

#include "expr/program_code.hpp"

namespace cauchy::detail {
namespace {

class Scheduler {
 public:
  explicit Scheduler(ValueGraph graph) : graph_(std::move(graph)) {}

  Code run() {
    count_uses();
    fuse_products();
    count_uses();
    pair_sines();
    number_need();
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k) first_output(graph_.outputs[k], k);
    emit_prologue();
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k) {
      const int id = graph_.outputs[k];
      visit(id);
      if (output_of_[index(id)] != static_cast<int>(k)) emit_copy(id, k);
    }
    for (const int id : graph_.sums) visit(id);
    for (const int id : graph_.sum_scales) {
      code_.sum_scales.push_back(id < 0 ? Place{} : place_[index(id)]);
    }
    assign_rows();
    return std::move(code_);
  }

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  Value& at(int id) { return graph_.values[index(id)]; }
  const Value& at(int id) const { return graph_.values[index(id)]; }

  /// Uses by live values and by roots; dead values get none.
  void count_uses() {
    uses_.assign(graph_.values.size(), 0);
    for (const int id : graph_.outputs) ++uses_[index(id)];
    for (const int id : graph_.sums) ++uses_[index(id)];
    for (const int id : graph_.sum_scales) {
      if (id >= 0) ++uses_[index(id)];
    }
    for (std::size_t i = graph_.values.size(); i-- > 0;) {
      if (uses_[i] == 0) continue;
      const Value& v = graph_.values[i];
      for (int k = 0; k < arity(v.op); ++k) ++uses_[index(v.args[k])];
    }
  }

  /// The operand of a sum or difference that would be fused: a product, rather one used only here.
  int product_operand(const Value& v) const {
    if (v.op == ProgramOp::sum) return is_product_of_rows(at(v.args[0])) ? 0 : -1;
    if (v.scalar || (v.op != ProgramOp::add && v.op != ProgramOp::subtract)) return -1;
    int best = -1;
    for (int k = 1; k >= 0; --k) {
      const int id = v.args[k];
      if (at(id).op != ProgramOp::multiply || at(id).scalar) continue;
      if (best < 0 || uses_[index(id)] < uses_[index(v.args[best])]) best = k;
    }
    return best;
  }

  bool is_product_of_rows(const Value& v) const {
    return v.op == ProgramOp::multiply && !at(v.args[0]).scalar && !at(v.args[1]).scalar;
  }

  /// A product goes when every use of it can be fused.
  void fuse_products() {
    std::vector<int> fusable(graph_.values.size(), 0);
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      if (uses_[i] == 0) continue;
      const int k = product_operand(graph_.values[i]);
      if (k >= 0) ++fusable[index(graph_.values[i].args[k])];
    }
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      Value& v = graph_.values[i];
      const int k = uses_[i] == 0 ? -1 : product_operand(v);
      if (k < 0 || fusable[index(v.args[k])] != uses_[index(v.args[k])]) continue;
      const Value product = at(v.args[k]);
      const int other = v.op == ProgramOp::sum ? -1 : v.args[1 - k];
      v.op = v.op == ProgramOp::sum   ? ProgramOp::dot
             : v.op == ProgramOp::add ? ProgramOp::multiply_add
             : k == 0                 ? ProgramOp::multiply_subtract
                                      : ProgramOp::negative_multiply_add;
      v.args[0] = product.args[0];
      v.args[1] = product.args[1];
      v.args[2] = other;
    }
  }

  /// partner_[i]: the cosine of the argument whose sine is i, and the other way round.
  void pair_sines() {
    partner_.assign(graph_.values.size(), -1);
    std::unordered_map<int, int> sine;
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const Value& v = graph_.values[i];
      if (uses_[i] > 0 && !v.scalar && v.op == ProgramOp::sin)
        sine[v.args[0]] = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const Value& v = graph_.values[i];
      if (uses_[i] == 0 || v.scalar || v.op != ProgramOp::cos) continue;
      if (const auto it = sine.find(v.args[0]); it != sine.end()) {
        partner_[i] = it->second;
        partner_[index(it->second)] = static_cast<int>(i);
      }
    }
  }

  /// Rows that a value needs at the same time if it is a tree (Sethi and Ullman).
  void number_need() {
    need_.assign(graph_.values.size(), 0);
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const Value& v = graph_.values[i];
      if (v.scalar || arity(v.op) == 0) continue;
      int needs[3] = {0, 0, 0};
      for (int k = 0; k < arity(v.op); ++k) needs[k] = need_[index(v.args[k])];
      std::sort(needs, needs + 3, std::greater<>());
      need_[i] = std::max({1, needs[0], needs[1] + 1, needs[2] + 2});
    }
  }

  void first_output(int id, std::size_t k) {
    if (output_of_.empty()) output_of_.assign(graph_.values.size(), -1);
    const Value& v = at(id);
    const bool computed = !v.scalar && v.op != ProgramOp::input;
    if (computed && output_of_[index(id)] < 0) output_of_[index(id)] = static_cast<int>(k);
  }

  void emit_prologue() {
    output_of_.resize(graph_.values.size(), -1);
    place_.resize(graph_.values.size());
    emitted_.assign(graph_.values.size(), false);
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const Value& v = graph_.values[i];
      if (uses_[i] == 0) continue;
      if (v.op == ProgramOp::input) {
        place_[i] = {OperandSpace::input, static_cast<std::uint32_t>(v.index)};
        code_.used_inputs.push_back(static_cast<std::uint32_t>(v.index));
      } else if (v.op == ProgramOp::parameter) {
        place_[i] = {OperandSpace::parameter, static_cast<std::uint32_t>(v.index)};
      } else if (v.op == ProgramOp::constant) {
        place_[i] = {OperandSpace::constant, static_cast<std::uint32_t>(code_.constants.size())};
        code_.constants.push_back(v.number);
      } else if (v.scalar) {
        place_[i] = {OperandSpace::scalar, static_cast<std::uint32_t>(code_.n_scalars++)};
        code_.prologue.push_back(instruction(v, place_[i]));
      } else {
        continue;
      }
      emitted_[i] = true;
    }
  }

  Instruction instruction(const Value& v, Place result) const {
    Instruction out;
    out.op = v.op;
    out.result = result;
    for (int k = 0; k < arity(v.op); ++k) set_operand(out, k, v.args[k]);
    return out;
  }
  void set_operand(Instruction& out, int k, int id) const {
    out.args[k] = place_[index(id)];
    if (at(id).scalar) out.scalars = static_cast<std::uint8_t>(out.scalars | (1u << k));
  }

  /// Depth first, the operand that needs more rows before the others.
  void visit(int root) {
    std::vector<std::pair<int, bool>> stack{{root, false}};
    while (!stack.empty()) {
      const auto [id, ready] = stack.back();
      stack.pop_back();
      if (emitted_[index(id)]) continue;
      const Value& v = at(id);
      if (ready) {
        emit(id);
        continue;
      }
      stack.emplace_back(id, true);
      int order[3] = {0, 1, 2};
      const int n = arity(v.op);
      const auto rank = [&](int k) { return std::pair(need_[index(v.args[k])], k); };
      std::sort(order, order + n, [&](int a, int b) { return rank(a) < rank(b); });
      for (int k = 0; k < n; ++k) stack.emplace_back(v.args[order[k]], false);
    }
  }

  void emit(int id) {
    if (const int other = partner_[index(id)]; other >= 0) {
      const int sine = at(id).op == ProgramOp::sin ? id : other;
      const int cosine = sine == id ? other : id;
      Instruction both = instruction(at(sine), result_place(sine));
      both.op = ProgramOp::sin_cos;
      both.second = result_place(cosine);
      emitted_[index(other)] = true;
      code_.body.push_back(both);
    } else {
      code_.body.push_back(instruction(at(id), result_place(id)));
    }
    emitted_[index(id)] = true;
  }

  /// A row of the caller, or a work row that is numbered by the value until rows are assigned.
  Place result_place(int id) {
    const int k = output_of_[index(id)];
    Place& place = place_[index(id)];
    if (at(id).op == ProgramOp::sum || at(id).op == ProgramOp::dot) {
      return {OperandSpace::none, static_cast<std::uint32_t>(at(id).index)};
    }
    place = k >= 0 ? Place{OperandSpace::output, static_cast<std::uint32_t>(k)}
                   : Place{OperandSpace::work, static_cast<std::uint32_t>(id)};
    return place;
  }

  void emit_copy(int id, std::size_t k) {
    Instruction copy;
    copy.result = {OperandSpace::output, static_cast<std::uint32_t>(k)};
    set_operand(copy, 0, id);
    code_.body.push_back(copy);
  }

  /// Linear scan; an operand that dies gives its row to the result of the same instruction.
  void assign_rows() {
    std::vector<std::size_t> last_use(graph_.values.size(), 0);
    for (std::size_t i = 0; i < code_.body.size(); ++i) {
      const Instruction& in = code_.body[i];
      for (const Place* p : {&in.args[0], &in.args[1], &in.args[2], &in.result, &in.second}) {
        if (p->space == OperandSpace::work) last_use[p->index] = i;
      }
    }
    std::vector<std::uint32_t> row(graph_.values.size(), 0), free;
    std::vector<bool> held(graph_.values.size(), false);
    for (std::size_t i = 0; i < code_.body.size(); ++i) {
      Instruction& in = code_.body[i];
      for (Place& p : in.args) {
        if (p.space != OperandSpace::work) continue;
        const std::uint32_t id = p.index;
        p.index = row[id];
        if (last_use[id] == i && held[id]) {
          free.push_back(row[id]);
          held[id] = false;
        }
      }
      for (Place* p : {&in.result, &in.second}) {
        if (p->space != OperandSpace::work) continue;
        if (free.empty()) free.push_back(static_cast<std::uint32_t>(code_.n_rows++));
        row[p->index] = free.back();
        held[p->index] = true;
        free.pop_back();
        p->index = row[p->index];
      }
    }
  }

  ValueGraph graph_;
  Code code_;
  std::vector<int> uses_, partner_, need_, output_of_;
  std::vector<Place> place_;
  std::vector<bool> emitted_;
};

}  // namespace

Code schedule(ValueGraph graph) { return Scheduler(std::move(graph)).run(); }

}  // namespace cauchy::detail
