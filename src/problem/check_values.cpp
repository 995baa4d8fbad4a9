#include "problem/check_values.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/program.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/solution.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/grid_table.hpp"
#include "problem/surface.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_inside = 256, n_on_place = 64;
/// Scrambled: a sequence as it is meets the middle of the domain and other special points.
constexpr SamplerOptions somewhere{SamplerKind::sobol, Randomize::scramble, 0x6e616e, 0};

/// A part of a formula, and the condition under which it counts.
struct Part {
  Expr value;
  Expr guard = 1;
};

/// The largest parts of an expression that have no field in them.
class Parts final {
 public:
  explicit Parts(const Expr& e) {
    const Expr roots[] = {e};
    for (const Expr& node : postorder(roots)) {
      bool has = node.kind() == Kind::field;
      for (const Expr& arg : node.args()) has = has || with_field_.contains(arg.id());
      if (has) with_field_.insert(node.id());
    }
    visit(e, 1);
  }
  [[nodiscard]] const std::vector<Part>& found() const noexcept { return found_; }

 private:
  void visit(const Expr& e, const Expr& guard) {
    if (!seen_.insert(e.id()).second) return;
    if (!with_field_.contains(e.id())) {
      if (!e.is_atom() && !e.args().empty()) found_.push_back({e, guard});
      return;
    }
    if (e.kind() == Kind::where) {
      const Expr& condition = e.args()[0];
      visit(condition, guard);
      if (with_field_.contains(condition.id())) return;  // which part counts is not known
      visit(e.args()[1], min(guard, condition));
      visit(e.args()[2], min(guard, 1 - condition));
      return;
    }
    for (const Expr& arg : e.args()) visit(arg, guard);
  }

  std::unordered_set<const void*> with_field_, seen_;
  std::vector<Part> found_;
};

class ValueChecker final {
 public:
  explicit ValueChecker(const Problem& p) : p_(p), domain_(domain_of(p)) {
    for (const auto& [name, value] : p.values()) numbers_.push_back({Parameter(name), value});
    for (const Unknown& u : p.unknowns) numbers_.push_back({Parameter(u.name), u.initial});
    for (const Range& r : domain_.ranges()) {
      numbers_.push_back({Parameter(r.name), Coordinate(r.name)});
    }
    for (const TabulatedFunction& f : p.functions) {
      functions_.set(DataFunction(f.name),
                     [function = std::make_shared<FunctionValues>(f)](std::span<const double> at,
                                                                      std::span<const int> orders) {
                       return (*function)(at, orders);
                     });
    }
  }

  void run() {
    try {
      inside_ = interior_points(domain_, n_inside, somewhere);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::unsupported) throw;
      return;  // an unbounded region has no points to look at
    }
    for (const ProblemEquation& e : p_.equation) {
      const std::string name = fmt::format("equation '{}'", name_of(e));
      const Points points = e.where.empty() ? inside_ : inside_where(e, name);
      look(e.form, points, "form of " + name);
      look_at_weight(e.weight, points, "weight of " + name);
    }
    for (const Condition& c : p_.condition) look_at(c);
    for (const Observation& o : p_.observation) {
      look(o.quantity, rows_of(o.table), fmt::format("observation '{}'", o.name));
    }
    for (const auto& [field, formula] : p_.reference.formulas) {
      look(formula, inside_, fmt::format("reference '{}'", field));
    }
    if (!p_.reference.exact.empty()) look_at_exact();
  }

 private:
  void look_at(const Condition& c) const {
    if (c.kind == Condition::Kind::periodic) return;
    const std::string name = fmt::format("condition '{}'", name_of(c));
    const bool everywhere = c.kind == Condition::Kind::integral && c.where == "domain";
    const Points points = c.kind == Condition::Kind::point ? point_of(c)
                          : everywhere                     ? inside_
                                       : condition_points(p_, c, n_on_place, somewhere);
    const auto inside = [](const Expr& e) { return e; };
    if (c.kind == Condition::Kind::interface) {
      look(with_jumps(c.form.residual(), inside), points, "form of " + name);
    } else {
      look(c.form, points, "form of " + name);
    }
    look_at_weight(c.weight, points, "weight of " + name);
    // The value of a hard condition is carried on into the domain.
    if (c.hard && !everywhere && c.kind != Condition::Kind::point) {
      look(c.form, inside_, "form of " + name);
    }
  }

  /// Finite and not negative.
  void look_at_weight(const Expr& weight, const Points& points, const std::string& place) const {
    if (weight.is_constant()) return;
    const Expr w = numbered(weight, place);
    const std::vector<double> values = evaluated({w}, points);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) blame(w, points, i, place);
      if (values[i] >= 0) continue;
      throw Error(fmt::format("it is {:.4g}{}", values[i], place_text(w, points, i)), place,
                  "weights are finite and not negative");
    }
  }

  /// Two points tell whether the solution exists for its parameters; more may be costly.
  void look_at_exact() const {
    constexpr const char* mend = "give it parameters for which it exists";
    const auto rows = std::span(inside_.values).first(2 * inside_.columns.size());
    try {
      const std::optional<ReferenceValues> reference = reference_values(p_, rows);
      for (const double v : reference->values) {
        if (std::isfinite(v)) continue;
        throw Error(fmt::format("exact solution '{}' is not finite", p_.reference.exact), "", mend);
      }
    } catch (const Error& e) {
      throw Error(e.kind(), e.message(), "reference", e.hint().empty() ? mend : e.hint());
    }
  }

  Points point_of(const Condition& c) const {
    Points points;
    points.columns = p_.coordinates();
    for (const std::string& name : points.columns) {
      for (const auto& [coordinate, value] : c.point) {
        if (coordinate == name) points.values.push_back(value);
      }
    }
    return points;
  }

  Points rows_of(const Table& table) const {
    Points points;
    points.columns = p_.coordinates();
    std::vector<std::vector<double>> columns;
    for (const std::string& name : points.columns) columns.push_back(table.column(name));
    for (std::size_t r = 0; r < std::min(table.rows(), n_inside); ++r) {
      for (const auto& column : columns) points.values.push_back(column[r]);
    }
    return points;
  }

  /// The points of the domain where an equation holds.
  Points inside_where(const ProblemEquation& e, const std::string& name) const {
    const Expr where = numbered(parse_condition(e.where, p_.context(), 1e-9), name);
    for (std::size_t n = n_inside; n <= 4096 * 16; n *= 16) {
      const Points all = n == n_inside ? inside_ : interior_points(domain_, n, somewhere);
      const std::vector<double> truth = evaluated({where}, all);
      Points kept;
      kept.columns = all.columns;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (truth[i] != 0) {
          kept.values.insert(kept.values.end(), all.row(i).begin(), all.row(i).end());
        }
      }
      if (kept.size() > 0) return kept;
    }
    throw Error(ErrorKind::not_found, fmt::format("'{}' holds at no point of the domain", e.where),
                "where of " + name, "write a condition that holds on a part of it");
  }

  Expr numbered(const Expr& e, const std::string& place) const {
    try {
      return substitute(e, numbers_);
    } catch (const Error& error) {  // log(k) with k = -1
      throw error.at(place);
    }
  }

  void look(const Equation& form, const Points& points, const std::string& place) const {
    look(form.left, points, place);
    look(form.right, points, place);
  }

  void look(const Expr& formula, const Points& points, const std::string& place) const {
    std::vector<Expr> outputs;
    const Parts parts(numbered(formula, place));
    for (const Part& part : parts.found()) {
      outputs.push_back(part.value);
      outputs.push_back(part.guard);
    }
    if (outputs.empty()) return;
    const std::size_t n = points.size();
    const std::vector<double> values = evaluated(outputs, points);
    for (std::size_t k = 0; k < outputs.size(); k += 2) {
      for (std::size_t i = 0; i < n; ++i) {
        const bool counts = values[(k + 1) * n + i] != 0;
        if (counts && !std::isfinite(values[k * n + i])) blame(outputs[k], points, i, place);
      }
    }
  }

  Values values_at(const Points& points, std::size_t i) const {
    Values values = functions_;
    for (std::size_t k = 0; k < points.columns.size(); ++k) {
      values.set(Coordinate(points.columns[k]), points.row(i)[k]);
    }
    if (points.normals.empty()) return values;
    const auto& names = domain_.space()->coordinates();
    for (std::size_t k = 0; k < names.size(); ++k) {
      values.set(normal_component(names[k]), points.normals[i * names.size() + k]);
    }
    return values;
  }

  /// Row k holds the values of expression k at all points.
  std::vector<double> evaluated(std::vector<Expr> outputs, const Points& points) const {
    ProgramSpec spec;
    for (const std::string& name : points.columns) spec.inputs.push_back(Coordinate(name));
    for (const Expr& e : postorder(outputs)) {
      if (e.kind() == Kind::call || e.kind() == Kind::symbol) spec.inputs.push_back(e);
    }
    spec.outputs = std::move(outputs);
    const std::size_t n = points.size(), D = points.columns.size();
    std::vector<double> in(spec.inputs.size() * n), out(spec.outputs.size() * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < D; ++k) in[k * n + i] = points.row(i)[k];
      if (spec.inputs.size() == D) continue;
      Values values = values_at(points, i);
      for (std::size_t k = D; k < spec.inputs.size(); ++k) {
        // Normals are known on boundaries only; a point condition has none.
        const bool known = spec.inputs[k].kind() == Kind::call || !points.normals.empty();
        in[k * n + i] = known ? evaluate(spec.inputs[k], values) : 0;
      }
    }
    const Program<double> program(spec);
    std::vector<const double*> inputs;
    std::vector<double*> rows;
    for (std::size_t k = 0; k < spec.inputs.size(); ++k) inputs.push_back(in.data() + k * n);
    for (std::size_t k = 0; k < spec.outputs.size(); ++k) rows.push_back(out.data() + k * n);
    std::vector<double> workspace(program.workspace_size());
    program.run(n, inputs.data(), nullptr, rows.data(), nullptr, workspace.data());
    return out;
  }

  /// Names the smallest part that is not finite at the point.
  [[noreturn]] void blame(const Expr& formula, const Points& points, std::size_t i,
                          const std::string& place) const {
    const Values values = values_at(points, i);
    const Expr roots[] = {formula};
    Expr part = formula;
    double value = NAN;
    for (const Expr& e : postorder(roots)) {
      value = evaluate(e, values);
      if (std::isfinite(value)) continue;
      part = e;
      break;
    }
    const Context context = p_.context();
    throw Error(fmt::format("'{}' is {}{}", to_string(part, &context),
                            std::isnan(value) ? "NaN" : "infinite", place_text(part, points, i)),
                place, "write a formula that is finite wherever it is used");
  }

  /// " at x = 1, t = 2": the coordinates that an expression depends on.
  static std::string place_text(const Expr& e, const Points& points, std::size_t i) {
    std::string at;
    for (std::size_t k = 0; k < points.columns.size(); ++k) {
      if (!depends_on(e, Coordinate(points.columns[k]))) continue;
      at += fmt::format("{}{} = {:.4g}", at.empty() ? " at " : ", ", points.columns[k],
                        points.row(i)[k]);
    }
    return at;
  }

  const Problem& p_;
  Domain domain_;
  std::vector<Replacement> numbers_;
  Values functions_;
  Points inside_;
};

}  // namespace

void check_values(const Problem& problem) { ValueChecker(problem).run(); }

}  // namespace cauchy::detail
