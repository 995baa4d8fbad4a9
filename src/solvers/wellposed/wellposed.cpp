#include <cauchy/solvers/wellposed.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "problem/doubts.hpp"
#include "solvers/classical/family_field.hpp"  // member_of
#include "solvers/spectral/chebyshev_newton.hpp"
#include "solvers/wellposed/continuation.hpp"
#include "solvers/wellposed/deflation.hpp"
#include "solvers/wellposed/function_names.hpp"
#include "solvers/wellposed/initial_value_doubts.hpp"
#include "solvers/wellposed/null_space.hpp"
#include "solvers/wellposed/shooting.hpp"

namespace cauchy {
namespace detail {
namespace {

/// Terms that cancel to this share count as 0.
constexpr double singular_share = 3e-8;
/// What a good training leaves of residuals, in units of their terms; over the share of a direction
/// that nearly cancels it is the error along it.
constexpr double small_residual = 1e-8;
/// Coefficients whose residuals are this small are a solution, and resolve it.
constexpr double solved_misfit = 1e-5;
/// What is left of contradictory conditions is not smaller than this.
constexpr double contradictory_misfit = 1e-3;

/// Coefficients per axis for about so many unknowns.
std::size_t nodes_for(const ChebyshevBox& box, double unknowns, std::size_t most) {
  const double pieces = static_cast<double>(box.kinks.size() + 1);
  const double one = unknowns / (static_cast<double>(box.fields.size()) * pieces);
  const std::size_t axes = box.dimension() + (box.time ? 1 : 0);
  const auto n = static_cast<std::size_t>(std::pow(one, 1 / static_cast<double>(axes)) + 1e-9);
  return std::min(n, most);
}

ChebyshevGrid wellposed_grid(const ChebyshevBox& box, std::size_t n) {
  ChebyshevGrid grid{{box.lower[0]}, {1}};
  grid.breaks.insert(grid.breaks.end(), box.kinks.begin(), box.kinks.end());
  grid.breaks.push_back(box.upper[0]);
  grid.n.insert(grid.n.end(), box.dimension(), n);
  if (box.time) {
    grid.n[0] = n;
    grid.from = box.time->lower;
    grid.to = box.time->upper;
  }
  return grid;
}

class SteadyLook final {
 public:
  explicit SteadyLook(const Problem& problem, const ChebyshevBox& box)
      : problem_(problem), box_(box) {}

  std::vector<std::string> look() {
    if (box_.linear) {
      look_at_rank(wellposed_grid(box_, nodes_for(box_, 256, 32)), {});
      // Shorter waves need more polynomials, which lose digits for long ones.
      const std::size_t fine = nodes_for(box_, 256, 96);
      const bool line = box_.dimension() == 1 && !box_.time;
      if (found_.empty() && line) look_at_rank(wellposed_grid(box_, fine), {});
      if (found_.empty()) look_at_overdetermination();
    } else {
      look_at_solutions();
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool fits(const ChebyshevGrid& grid) const {
    return grid.n[1] > static_cast<std::size_t>(box_.highest) + 2;
  }

  /// Around these coefficients, or around 0.
  void look_at_rank(const ChebyshevGrid& grid, std::vector<double> c) {
    // What lacks conditions was told; its null space says no more.
    if (!fits(grid) || !missing_conditions(problem_).empty() || !free_fields(problem_).empty()) {
      return;
    }
    ChebyshevSystem system(box_, box_.equations, grid, nullptr, true);
    c.resize(system.unknowns(), 0);
    const ChebyshevRows& rows = system.assemble(c);
    const double share_of_tolerance = small_residual / problem_.tolerance.value_or(1e-2);
    const std::vector<NullVector> all =
        null_vectors(rows, std::clamp(share_of_tolerance, singular_share, 1e-4));
    std::vector<std::vector<double>> exact, near;
    double share = 0;
    for (const NullVector& v : all) {
      (v.share <= singular_share ? exact : near).push_back(v.x);
      if (v.share > singular_share && near.size() == 1) share = v.share;
    }
    if (!exact.empty()) {
      const ChebyshevRows::Solution s = rows.solve();
      double size = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) size += rows.rhs(i) * rows.rhs(i);
      const bool solvable = s.status == Factorization::ok && s.residual <= 1e-6 * std::sqrt(size);
      found_.push_back(fmt::format(
          "equations and conditions do not determine the answer: adding {} changes nothing{}; {}",
          name_functions(box_, grid, exact),
          box_.linear ? " (a resonance, or a missing condition)" : " to first order",
          !box_.linear ? "another condition, or another coefficient, is needed"
          : solvable   ? "there are many solutions: add a condition"
                       : "there is no solution, except for special data"));
    } else if (!near.empty()) {
      found_.push_back(fmt::format(
          "nearly singular: adding {} leaves equations and conditions the same to {:.0e} of their "
          "terms, so that an error of that size in them is one of 100 % in the answer",
          name_functions(box_, grid, {near[0]}), share));
    }
  }

  /// More conditions on a line than the orders of the equations ask for.
  void look_at_overdetermination() {
    if (box_.dimension() != 1 || box_.time || !free_fields(problem_).empty()) return;
    std::size_t conditions = 0, orders = 0;
    for (const ChebyshevTerm& t : box_.conditions) conditions += t.integral ? 1 : t.places.size();
    for (std::size_t f = 0; f < box_.fields.size(); ++f) {
      orders += static_cast<std::size_t>(box_.orders[f][1]);
      for (const ChebyshevPeriod& p : box_.periods) {
        conditions += static_cast<std::size_t>(std::min(p.order + 1, box_.orders[f][1]));
      }
    }
    if (conditions <= orders) return;
    double least = INFINITY;
    for (const std::size_t most : {24u, 48u, 96u}) {
      const ChebyshevGrid grid = wellposed_grid(box_, nodes_for(box_, 256, most));
      if (!fits(grid)) return;
      ChebyshevSystem system(box_, box_.equations, grid, nullptr, true);
      std::vector<double> c(system.unknowns(), 0);
      const ChebyshevRows::Solution s = system.assemble(c).solve();
      if (s.status != Factorization::ok) return;
      least = std::min(least, relative_misfit(system.assemble(s.x), s.x));
    }
    if (!(least > contradictory_misfit)) return;
    found_.push_back(
        fmt::format("{} conditions for equations of order {} contradict each other: no function "
                    "fulfils all of them; drop {}",
                    conditions, orders,
                    conditions - orders == 1 ? "one" : fmt::format("{}", conditions - orders)));
  }

  struct CoarseSolution {
    ChebyshevAnswer answer;
    double misfit = INFINITY;
  };

  [[nodiscard]] CoarseSolution newton(const ChebyshevGrid& grid, std::vector<double> c) const {
    ChebyshevSystem system(box_, box_.equations, grid, nullptr, true);
    c.resize(system.unknowns(), 0);
    ChebyshevOutcome out = solve_chebyshev(box_, system, std::move(c), 1e-8, [] { return false; });
    CoarseSolution s{{grid, std::move(out.c)}};
    const bool finite = std::all_of(s.answer.c.begin(), s.answer.c.end(),
                                    [](double v) { return std::isfinite(v); });
    if (finite) s.misfit = relative_misfit(system.assemble(s.answer.c), s.answer.c);
    return s;
  }

  /// The first guess, 0, and the guess with bumps of several sizes added.
  [[nodiscard]] std::vector<std::vector<double>> starts(const ChebyshevGrid& grid) const {
    std::vector<double> guess = chebyshev_guess(box_, grid);
    double size = 1;
    for (const double v : guess) size = std::max(size, std::abs(v));
    std::vector<std::vector<double>> all = {guess, std::vector<double>(guess.size(), 0)};
    for (const double bump : {1.0, -1.0, 5.0, -5.0}) {
      std::vector<double> c = guess;
      // (1 - x^2) along every axis: T_0 / 2 - T_2 / 2.
      const std::size_t d = box_.dimension(), n = grid.n[1], block = grid.block();
      for (std::size_t b = 0; b < c.size() / block; ++b) {
        for (std::size_t corner = 0; corner < (std::size_t{1} << d); ++corner) {
          std::size_t at = 0;
          double value = bump * size;
          for (std::size_t a = 0; a < d; ++a) {
            const bool second = (corner >> a & 1) != 0;
            at = at * n + (second ? 2 : 0);
            value *= second ? -0.5 : 0.5;
          }
          c[b * block + at] += value;
        }
      }
      all.push_back(std::move(c));
    }
    return all;
  }

  /// How far two solutions are apart, in units of the larger one.
  [[nodiscard]] double distance(const ChebyshevAnswer& a, const ChebyshevAnswer& b) const {
    double apart = 0, size = 0;
    for (std::size_t i = 0; i < a.c.size(); ++i) {
      apart = std::max(apart, std::abs(a.c[i] - b.c[i]));
      size = std::max({size, std::abs(a.c[i]), std::abs(b.c[i])});
    }
    return size > 0 ? apart / size : 0;
  }

  [[nodiscard]] bool is_fold(const ChebyshevGrid& grid, double share) const {
    const Branch again = follow_branch(box_, grid);
    return again.end == Branch::End::fold && std::abs(again.share - share) < 0.05 * share;
  }

  void look_at_solutions() {
    // Newton's method from several starts costs some tens of systems of this size.
    const std::size_t n = nodes_for(box_, 144, 64);
    const ChebyshevGrid grid = wellposed_grid(box_, n);
    if (!fits(grid)) return;
    std::vector<CoarseSolution> solutions;
    const std::vector<std::vector<double>> all = starts(grid);
    for (std::size_t k = 0; k < all.size(); ++k) {
      // Where the plain starts lead nowhere, others seldom do better.
      if (k == 2 && solutions.empty()) break;
      CoarseSolution s = newton(grid, all[k]);
      if (!(s.misfit < solved_misfit)) continue;
      const bool known = std::any_of(solutions.begin(), solutions.end(), [&](const auto& other) {
        return distance(s.answer, other.answer) < 1e-3;
      });
      if (!known) solutions.push_back(std::move(s));
    }
    if (solutions.empty()) {
      const ChebyshevGrid coarse = wellposed_grid(box_, nodes_for(box_, 81, 24));
      const Branch branch = fits(coarse) ? follow_branch(box_, coarse) : Branch{};
      // Polynomials that do not resolve a problem may have folds of their own.
      if (branch.end == Branch::End::fold && is_fold(grid, branch.share)) {
        found_.push_back(fmt::format(
            "no solution was found: solutions for a part of the sources and nonlinear terms turn "
            "back at {:.2g} of their size (a fold); there may be none, take smaller ones",
            branch.share));
      } else if (branch.end == Branch::End::whole) {
        CoarseSolution s = newton(grid, chebyshev_on(box_, {coarse, branch.c}, grid));
        if (s.misfit < solved_misfit) solutions.push_back(std::move(s));
      }
    }
    if (solutions.size() > 1) {
      found_.push_back(fmt::format(
          "Newton's method finds {} solutions from different starts, {:.2g} of their size apart: "
          "add what singles one out",
          solutions.size(), distance(solutions[0].answer, solutions[1].answer)));
    } else if (solutions.size() == 1) {
      look_at_rank(grid, solutions[0].answer.c);
    }
  }

  const Problem& problem_;
  const ChebyshevBox& box_;
  std::vector<std::string> found_;
};

std::vector<std::string> collocation_doubts(const std::shared_ptr<const Problem>& problem) {
  std::optional<ChebyshevBox> box;
  try {
    box = chebyshev_box(problem);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {};
  }
  // What is given at the first time alone goes on from there.
  if (box->time && (box->marches || !box->linear)) return {};
  return SteadyLook(*problem, *box).look();
}

}  // namespace
}  // namespace detail

std::vector<std::string> solvability_doubts(const Problem& problem) {
  check(problem);
  std::vector<double> middle;
  for (const Range& r : problem.domain->ranges()) middle.push_back((r.lower + r.upper) / 2);
  const auto member = std::make_shared<const Problem>(
      middle.empty() ? problem : detail::member_of(problem, middle));
  if (!member->unknowns.empty() || !member->coefficients.empty()) return {};
  using Look = std::vector<std::string> (*)(const std::shared_ptr<const Problem>&);
  std::vector<Look> looks;
  const bool space = member->domain->space() != nullptr, time = member->domain->time() != nullptr;
  // Points on a coarse grid say nothing of answers with edges.
  if (space && !detail::lost_kinks(*member).empty()) return {};
  // Conditions that all hold at one end of a line start an integration from there.
  if (!space || !time) looks.push_back(detail::initial_value_doubts);
  if (space) looks.push_back(detail::collocation_doubts);
  if (!space || !time) looks.push_back(detail::shooting_doubts);
  if (space) looks.push_back(detail::deflation_doubts);
  for (const Look look : looks) {
    if (std::vector<std::string> doubts = look(member); !doubts.empty()) return doubts;
  }
  return {};
}

}  // namespace cauchy
