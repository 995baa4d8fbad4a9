#include "solvers/wellposed/parting_answers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/math/eigenvalues.hpp>
#include <cauchy/math/ode.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_steps_to_zeros = 20'000;

/// What is raised to a power between 0 and 1 and holds fields; without abs(), which has the same
/// zeros.
std::vector<Expr> bases_of_powers(const Problem& problem) {
  const Lowering lower(problem);
  std::vector<Expr> equations, found;
  for (const ProblemEquation& e : problem.equation) {
    equations.push_back(lower(e.form.residual()));
  }
  for (const Expr& e : postorder(equations)) {
    if (e.kind() != Kind::pow || !e.args()[1].is_constant()) continue;
    const double power = e.args()[1].value();
    if (!(power > 0 && power < 1)) continue;
    Expr base = e.args()[0];
    while (base.kind() == Kind::abs) base = base.args()[0];
    if (field_atoms(std::array{base}).empty()) continue;
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const Expr& f) { return same(f, base); });
    if (!known) found.push_back(base);
  }
  return found;
}

/// A base along an answer.
class ZerosOfBase final {
 public:
  ZerosOfBase(const OdeProblem& ode, const Expr& base, double direction)
      : ode_(ode), n_(ode.system->size()), direction_(direction), program_(program_of(base)) {}

  /// Base, its derivatives by the state, its derivative along the answer.
  struct Local {
    double value = 0;
    std::vector<double> by;
    double rate = 0;
  };
  [[nodiscard]] Local at(double s, std::span<const double> y) const {
    std::vector<double> out(n_ + 2), slope(n_);
    program_.run(s, y, out);
    ode_.system->slope(s, y, slope);
    Local l{
        out[0], {out.begin() + 1, out.begin() + 1 + static_cast<std::ptrdiff_t>(n_)}, out.back()};
    for (std::size_t j = 0; j < n_; ++j) l.rate += l.by[j] * slope[j];
    return l;
  }

  /// Largest values along the answer.
  void look(double s, std::span<const double> y) {
    const Local l = at(s, y);
    if (!std::isfinite(l.value) || !std::isfinite(l.rate)) return;
    largest_ = std::max(largest_, std::abs(l.value));
    fastest_ = std::max(fastest_, std::abs(l.rate));
  }

  /// The base in units of its largest value, where it is next to nothing; else infinite.
  [[nodiscard]] double size_at(double s, std::span<const double> y) const {
    const double value = std::abs(at(s, y).value);
    return value <= 1e-6 * largest_ ? value : INFINITY;
  }

  /// Whether answers part at the zero beside this state: the base rests there, and right beside it
  /// disturbances grow the faster the smaller they are.
  [[nodiscard]] bool part_at(double s, std::vector<double> y, double size) const {
    Local l = at(s, y);
    std::size_t along = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      if (std::abs(l.by[j]) > std::abs(l.by[along])) along = j;
    }
    if (!(std::abs(l.by[along]) > 0)) return false;
    const double move = -l.value / l.by[along];
    if (!(std::abs(move) <= 1e-3 * size)) return false;
    y[along] += move;
    l = at(s, y);
    if (!(std::abs(l.rate) <= resting_ * fastest_)) return false;
    for (const double side : {1.0, -1.0}) {
      std::array<double, 3> growth{};
      for (std::size_t k = 0; k < growth.size(); ++k) {
        std::vector<double> beside = y;
        beside[along] += side * size * std::pow(1e-4, static_cast<double>(k + 1));
        growth[k] = fastest_growth(s, beside);
      }
      if (growth[0] > 0 && growth[1] > 2 * growth[0] && growth[2] > 2 * growth[1]) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] OdeProgram program_of(const Expr& base) const {
    const std::vector<Expr>& states = ode_.system->states();
    std::vector<Expr> outputs = {base};
    for (const Expr& s : states) outputs.push_back(partial(base, s));
    outputs.push_back(partial(base, Coordinate(ode_.system->variable())));
    return {ode_.system->problem(), ode_.system->variable(), std::move(outputs), states};
  }

  /// Largest growth rate of disturbances of a state; NaN where the right side has no value.
  [[nodiscard]] double fastest_growth(double s, std::span<const double> y) const {
    Matrix jacobian(n_, n_);
    ode_.system->slope_jacobian(s, y, jacobian);
    for (std::size_t i = 0; i < n_ * n_; ++i) {
      if (!std::isfinite(jacobian.data()[i])) return std::nan("");
    }
    const Eigenvalues all = eigenvalues(jacobian.view());
    if (all.status != Factorization::ok) return std::nan("");
    double growth = -INFINITY;
    for (const auto& value : all.values) growth = std::max(growth, direction_ * value.real());
    return growth;
  }

  /// What moves through the zero leaves it at once: of the fastest rate of the base.
  static constexpr double resting_ = 1e-3;

  const OdeProblem& ode_;
  std::size_t n_;
  double direction_;
  OdeProgram program_;
  double largest_ = 0, fastest_ = 0;
};

}  // namespace

std::vector<std::string> parting_answers(const OdeProblem& ode, std::span<const double> start,
                                         double from, double to) {
  std::vector<Expr> bases = bases_of_powers(ode.system->problem());
  const std::vector<Expr>& states = ode.system->states();
  std::erase_if(bases, [&](const Expr& base) {
    const std::vector<Expr> atoms = field_atoms(std::array{base});
    return !std::all_of(atoms.begin(), atoms.end(), [&](const Expr& a) {
      return std::any_of(states.begin(), states.end(), [&](const Expr& s) { return same(s, a); });
    });
  });
  if (bases.empty()) return {};
  std::vector<ZerosOfBase> zeros;
  zeros.reserve(bases.size());
  for (const Expr& base : bases) zeros.emplace_back(ode, base, to > from ? 1.0 : -1.0);
  std::vector<OdeEvent> events;
  for (const ZerosOfBase& z : zeros) {
    events.push_back({[&z](double s, std::span<const double> y) { return z.at(s, y).value; }});
  }
  ode.system->stay_between(std::min(from, to), std::max(from, to));
  double size = ode.size;
  for (const double v : start) size = std::max(size, std::abs(v));
  if (!(size > 0)) size = 1;
  const OdeResult r = integrate_ode([&](double s, std::span<const double> y,
                                        std::span<double> dy) { ode.system->slope(s, y, dy); },
                                    from, start, to,
                                    {.relative = 1e-8,
                                     .absolute = 1e-11 * size,
                                     .max_steps = most_steps_to_zeros,
                                     .curve = true,
                                     .stop_when_stiff = true},
                                    events);
  const std::vector<double> knots = r.curve.n_steps() > 0 ? r.curve.knots() : std::vector{from};
  std::vector<std::vector<double>> at_knots;
  for (const double s : knots) {
    at_knots.emplace_back(start.begin(), start.end());
    if (r.curve.n_steps() > 0) r.curve.value(s, at_knots.back());
  }
  std::vector<std::string> found;
  for (std::size_t b = 0; b < bases.size(); ++b) {
    ZerosOfBase& z = zeros[b];
    for (std::size_t k = 0; k < knots.size(); ++k) z.look(knots[k], at_knots[k]);
    double where = NAN, least = INFINITY;
    const auto ask = [&](double s, const std::vector<double>& y) {
      const double value = z.size_at(s, y);
      if (!(value < least) || !z.part_at(s, y, size)) return;
      where = s;
      least = value;
    };
    for (const OdeResult::Crossing& c : r.crossings) {
      if (c.event == b) ask(c.t, c.y);
    }
    for (std::size_t k = 0; k < knots.size(); ++k) {
      if (std::isnan(where) || k == 0) ask(knots[k], at_knots[k]);
    }
    if (std::isnan(where)) continue;
    found.push_back(fmt::format(
        "the right side is not Lipschitz where '{0}' is 0, and the answer rests there at {1} = "
        "{2:.3g}: other answers stay or leave at any later {1}; end the {3} before, or add what "
        "singles one out",
        to_string(bases[b]), ode.system->variable(), where,
        ode.system->problem().domain->time() != nullptr ? "time" : "domain"));
  }
  return found;
}

}  // namespace cauchy::detail
