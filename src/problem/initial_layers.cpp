#include "problem/initial_layers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

namespace cauchy::detail {
namespace {

/// Disagreements below this part of their size are those of rounded numbers in files.
constexpr double smallest_disagreement = 1e-6;
/// Layers have this width at the first time, as a part of the length: they begin a little earlier,
/// so that they are finite there and solve their equation as well.
constexpr double first_width = 1e-8;

Expr erfc_of(const Expr& z) { return 1 - erf(z); }
Expr ierfc_of(const Expr& z) { return exp(-z * z) / std::sqrt(pi) - z * erfc_of(z); }
Expr i2erfc_of(const Expr& z) {
  return ((1 + 2 * z * z) * erfc_of(z) - 2 * z * exp(-z * z) / std::sqrt(pi)) / 4;
}

bool is_known_formula(const Expr& e) {
  const Expr roots[] = {e};
  const std::vector<Expr> all = postorder(roots);
  return std::none_of(all.begin(), all.end(), [](const Expr& x) {
    return x.kind() == Kind::field || x.kind() == Kind::call || x.kind() == Kind::symbol ||
           x.kind() == Kind::parameter;
  });
}

class LayerFinder final {
 public:
  LayerFinder(const Problem& problem, const Lowering& lower)
      : problem_(problem),
        lower_(lower),
        domain_(domain_of(problem)),
        t_(domain_.time()->name),
        x_(domain_.space()->coordinates()[0]),
        begin_(domain_.time()->lower),
        duration_(domain_.time()->upper - domain_.time()->lower) {
    const ShapePtr shape = domain_.shape({});
    lower_end_ = shape->bounds().lower[0];
    upper_end_ = shape->bounds().upper[0];
  }

  std::vector<InitialLayer> find() {
    collect_state();
    collect_places();
    for (const auto& [field, value] : given_) {
      if (built_in(field)) continue;
      const Expr* equation = equation_of(field);
      if (equation == nullptr) continue;
      look_at(field, value, *equation);
    }
    return std::move(found_);
  }

 private:
  struct Frozen {
    double diffusion, speed, rate;
  };

  /// Initial values that are formulas.
  void collect_state() {
    for (const Condition& c : problem_.condition) {
      if (c.kind != Condition::Kind::general) continue;
      const ConditionPlace place = place_of(problem_, c);
      if (place.kind != ConditionPlace::Kind::slice || place.time != begin_) continue;
      const auto form = dirichlet_form(c.form);
      if (!form) continue;
      const Expr value = substitute(lower_(form->value), t_, Expr(begin_));
      if (!is_known_formula(value)) continue;
      const bool again = std::ranges::any_of(
          given_, [&](const auto& known) { return known.first == form->field; });
      if (again) continue;
      given_.emplace_back(form->field, value);
      state_.push_back({Field(form->field), value});
    }
  }

  [[nodiscard]] bool built_in(const std::string& field) const {
    const auto found = conditions_.find(field);
    return found != conditions_.end() &&
           std::ranges::any_of(found->second, [](const Condition* c) { return c->hard; });
  }

  /// The parabolic equation of a field, lowered: of first order in time and of second in space,
  /// with second derivatives of no other field.
  const Expr* equation_of(const std::string& field) {
    const auto found = equations_.find(field);
    if (found == equations_.end() || found->second.size() != 1) return nullptr;
    const ProblemEquation& e = *found->second.front();
    const Expr u_t = field_derivative(field, {{t_.name(), 1}});
    const Expr u_xx = field_derivative(field, {{x_.name(), 2}});
    const Expr r = lower_(e.form.residual());
    if (partial(r, u_t).is_constant(0) || !e.where.empty() || order(r) != 2) return nullptr;
    const Expr roots[] = {r};
    for (const Expr& atom : field_atoms(roots)) {
      if (order(atom) == 2 && !same(atom, u_xx)) return nullptr;
      if (order(atom, t_) > 0 && !same(atom, u_t)) return nullptr;
    }
    if (!is_known_formula(substitute(r, state_))) return nullptr;
    equation_ = r;
    return &equation_;
  }

  /// Which equations have a field's derivative by time, and which conditions name it: once for all
  /// fields, of which there may be many.
  void collect_places() {
    for (const ProblemEquation& e : problem_.equation) {
      const Expr roots[] = {e.form.residual()};
      std::set<std::string> fields;
      for (const Expr& atom : field_atoms(roots)) {
        if (order(atom, t_) > 0) fields.insert(atom.name());
      }
      for (const std::string& f : fields) equations_[f].push_back(&e);
    }
    for (const Condition& c : problem_.condition) {
      if (c.kind != Condition::Kind::general) continue;
      const Expr roots[] = {c.form.residual()};
      std::set<std::string> fields;
      for (const Expr& atom : field_atoms(roots)) fields.insert(atom.name());
      for (const std::string& f : fields) conditions_[f].push_back(&c);
    }
  }

  [[nodiscard]] double at(const Expr& e, double x) const {
    Values values;
    values.set(t_, begin_).set(x_, x);
    return evaluate(is_known_formula(e) ? e : substitute(e, state_), values);
  }

  /// The coefficients of the equation at a place of the initial state, divided by that of u_t.
  [[nodiscard]] std::optional<Frozen> frozen(const std::string& field, const Expr& r,
                                             double x) const {
    const double a = at(partial(r, field_derivative(field, {{t_.name(), 1}})), x);
    const auto coefficient = [&](const Expr& atom) { return at(partial(r, atom), x) / a; };
    const Frozen f{-coefficient(field_derivative(field, {{x_.name(), 2}})),
                   coefficient(field_derivative(field, {{x_.name(), 1}})),
                   -coefficient(Field(field))};
    if (!(f.diffusion > 0) || !std::isfinite(f.diffusion + f.speed + f.rate)) return std::nullopt;
    return f;
  }

  void look_at(const std::string& field, const Expr& value, const Expr& equation) {
    range_ = range_of(value);
    look_inside(field, value, equation);
    if (is_circle()) {
      return add_two_sided(field, value, equation, InitialLayer::Where::seam, lower_end_,
                           upper_end_, lower_end_);
    }
    for (const bool lower : {true, false}) {
      for (const Condition* c : conditions_[field]) look_at_end(field, value, equation, *c, lower);
    }
  }
  [[nodiscard]] bool is_circle() const {
    return std::any_of(problem_.condition.begin(), problem_.condition.end(),
                       [&](const Condition& c) {
                         return c.kind == Condition::Kind::periodic && c.coordinate == x_.name();
                       });
  }

  /// The largest value at some places, of fields that are 0 there 1.
  [[nodiscard]] double size_of(const Expr& value) const {
    double most = 0;
    for (int i = 0; i <= 16; ++i) {
      const double here = std::abs(at(value, lower_end_ + i / 16.0 * length()));
      if (std::isfinite(here)) most = std::max(most, here);
    }
    return most > 0 ? most : 1;
  }
  /// What it varies by at these places.
  [[nodiscard]] double range_of(const Expr& value) const {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i <= 16; ++i) {
      const double here = at(value, lower_end_ + i / 16.0 * length());
      low = std::min(low, here);
      high = std::max(high, here);
    }
    return high > low ? high - low : 0;
  }
  [[nodiscard]] double length() const { return upper_end_ - lower_end_; }

  [[nodiscard]] Expr since_start() const { return t_ - begin_; }
  [[nodiscard]] Expr width(const Frozen& f) const {
    const double first = first_width * length();
    return sqrt(4 * f.diffusion * since_start() + first * first);
  }
  /// By itself a layer grows or decays; one that grows far beyond the data helps no more.
  [[nodiscard]] Expr growth(const Frozen& f) const {
    constexpr double most = 2;
    return exp(std::min(f.rate, most / duration_) * since_start());
  }

  void push(const std::string& field, InitialLayer::Kind kind, InitialLayer::Where where,
            double place, double amount, double scale, const Frozen& f, const Expr& function) {
    if (!(std::abs(amount) > smallest_disagreement * scale) || !std::isfinite(amount)) return;
    found_.push_back({field, kind, where, place, amount, f.diffusion, f.speed, range_,
                      amount * growth(f) * function});
  }

  /// Where one of two sides of a function takes over: the sign of these changes.
  [[nodiscard]] static std::vector<Expr> switches(const Expr& value) {
    std::vector<Expr> all;
    const Expr roots[] = {value};
    for (const Expr& node : postorder(roots)) {
      const auto args = node.args();
      constexpr Kind of_one[] = {Kind::abs, Kind::sign};
      constexpr Kind of_two[] = {Kind::less, Kind::less_equal, Kind::min, Kind::max};
      if (std::ranges::find(of_one, node.kind()) != std::end(of_one)) all.push_back(args[0]);
      if (std::ranges::find(of_two, node.kind()) != std::end(of_two)) {
        all.push_back(args[0] - args[1]);
      }
    }
    return all;
  }

  /// Places inside at which an expression changes its sign, found between equal steps.
  void add_roots(const Expr& e, std::vector<double>& roots) const {
    constexpr int steps = 1000;
    const double margin = 1e-6 * length();
    double before = lower_end_ + margin, at_before = at(e, before);
    for (int i = 1; i <= steps; ++i) {
      const double here = lower_end_ + margin + i * (length() - 2 * margin) / steps;
      const double at_here = at(e, here);
      if ((at_before < 0) != (at_here < 0)) {
        double low = before, high = here;
        for (int k = 0; k < 60; ++k) {
          const double middle = (low + high) / 2;
          ((at(e, middle) < 0) == (at_before < 0) ? low : high) = middle;
        }
        const double root = (low + high) / 2;
        const bool again =
            std::ranges::any_of(roots, [&](double r) { return std::abs(r - root) < margin; });
        if (!again) roots.push_back(root);
      }
      before = here;
      at_before = at_here;
    }
  }

  void look_inside(const std::string& field, const Expr& value, const Expr& equation) {
    constexpr std::size_t most = 16;
    std::vector<double> places;
    for (const Expr& e : switches(value)) add_roots(e, places);
    if (places.size() > most) return;
    const double beside = 1e-9 * length();
    for (const double y : places) {
      add_two_sided(field, value, equation, InitialLayer::Where::inside, y, y - beside, y + beside);
    }
  }

  /// A layer that goes both ways from `place`, by the initial value before and after it.
  void add_two_sided(const std::string& field, const Expr& value, const Expr& equation,
                     InitialLayer::Where where, double place, double before, double after) {
    const auto f = frozen(field, equation, after);
    if (!f) return;
    const double size = size_of(value);
    const Expr slope = d(value, x_);
    const double kink = at(slope, after) - at(slope, before);
    double jump = at(value, after) - at(value, before);
    if (where == InitialLayer::Where::inside && std::abs(jump) < 1e-7 * size) jump = 0;
    const Expr y = x_ - place - f->speed * since_start();
    const Expr angle = pi / length() * y;
    const Expr P = is_circle() ? length() / pi * sin(angle) : y;
    const Expr Q = is_circle() ? cos(angle) : Expr(1);
    const Expr s = width(*f), z = P / s;
    push(field, InitialLayer::Kind::jump, where, place, jump, size, *f, Q * erf(z) / 2);
    push(field, InitialLayer::Kind::kink, where, place, kink, size / length(), *f,
         (P * erf(z) + s / std::sqrt(pi) * exp(-z * z)) / 2);
  }

  void look_at_end(const std::string& field, const Expr& value, const Expr& equation,
                   const Condition& c, bool lower) {
    if (!holds_at(c, lower)) return;
    const double x = lower ? lower_end_ : upper_end_, inward = lower ? 1 : -1;
    const auto f = frozen(field, equation, x);
    if (!f) return;
    const Expr form =
        substitute(lower_(c.form.residual()), normal_component(x_.name()), Expr(-inward));
    const Expr s = width(*f), z = inward * (x_ - x) / s;
    const double size = size_of(value);
    if (order(form) == 0) {
      const Expr u = Field(field);
      const Expr by_u = partial(form, u);
      if (!is_known_formula(by_u) || !is_known_formula(substitute(form, u, Expr(0)))) return;
      const Expr wanted = -substitute(form, u, Expr(0)) / by_u;
      const double jump = at(wanted, x) - at(value, x);
      push(field, InitialLayer::Kind::jump, InitialLayer::Where::end, x, jump, size, *f,
           erfc_of(z));
      const Expr u_t = field_derivative(field, {{t_.name(), 1}});
      const double rate = -at(equation, x) / at(partial(equation, u_t), x);
      const double bend = at(d(wanted, t_), x) - rate - f->rate * jump;
      push(field, InitialLayer::Kind::bend, InitialLayer::Where::end, x, bend, size / duration_, *f,
           s * s / f->diffusion * i2erfc_of(z));
      return;
    }
    const Expr u_x = field_derivative(field, {{x_.name(), 1}});
    const Expr by_slope = partial(form, u_x);
    if (by_slope.is_constant(0) || order(form) != 1 || !is_known_formula(by_slope) ||
        !is_known_formula(substitute(form, state_))) {
      return;
    }
    const double kink = -at(form, x) / at(by_slope, x);
    push(field, InitialLayer::Kind::kink, InitialLayer::Where::end, x, kink, size / length(), *f,
         -inward * s * ierfc_of(z));
  }

  /// Whether a condition holds at an end from the first time on.
  [[nodiscard]] bool holds_at(const Condition& c, bool lower) const {
    if (place_of(problem_, c).kind != ConditionPlace::Kind::boundary) return false;
    const Points points = condition_points(problem_, c, 64);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool here = (points.normals[i] < 0) == lower;
      if (here && points.row(i)[0] < begin_ + duration_ / 8) return true;
    }
    return false;
  }

  const Problem& problem_;
  const Lowering& lower_;
  Domain domain_;
  Coordinate t_, x_;
  double begin_, duration_, lower_end_ = 0, upper_end_ = 1;
  double range_ = 0;  // of the initial value that is looked at
  Expr equation_ = 0;
  std::vector<std::pair<std::string, Expr>> given_;
  std::vector<Replacement> state_;
  std::map<std::string, std::vector<const ProblemEquation*>> equations_;
  std::map<std::string, std::vector<const Condition*>> conditions_;
  std::vector<InitialLayer> found_;
};

}  // namespace

std::vector<InitialLayer> initial_layers(const Problem& problem, const Lowering& lower) {
  const Domain& domain = *problem.domain;
  if (domain.time() == nullptr || domain.space() == nullptr || domain.space()->dimension() != 1 ||
      !domain.ranges().empty() || !problem.unknowns.empty() || !problem.coefficients.empty()) {
    return {};
  }
  return LayerFinder(problem, lower).find();
}

Expr sum_of(const std::vector<InitialLayer>& layers, const std::string& field) {
  Expr all = 0;
  for (const InitialLayer& layer : layers) {
    if (layer.field == field) all += layer.function;
  }
  return all;
}

std::string describe(const InitialLayer& layer, const std::string& coordinate) {
  const char* const what[] = {"jump", "kink", "bend"};
  const char* const of[] = {"values", "slopes", "velocities"};
  const auto k = static_cast<std::size_t>(layer.kind);
  const bool seam = layer.where == InitialLayer::Where::seam;
  const std::string where = seam ? fmt::format("at the seam of {}", coordinate)
                                 : fmt::format("at {} = {:.4g}", coordinate, layer.place);
  return fmt::format("a {} of {} {} ({} differ by {:.3g})", what[k], layer.field, where, of[k],
                     std::abs(layer.amount));
}

}  // namespace cauchy::detail
