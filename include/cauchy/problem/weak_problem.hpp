#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/expr/weak_form.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy {

/// What a condition of a problem is for its weak form.
///   essential  gives a field: `value` on the part, test functions of the row vanish there
///   natural    gives the flux of a row: the term int value v ds is added on the part
///   initial    gives a field, or its rate, at the first time: `value`
///   periodic, point, integral   as the condition says
///   interface  fields are continuous: holds by itself. Of a jump of the flux: the term
///              int value v ds is added on the surface
struct WeakCondition {
  enum class Role : std::uint8_t {
    essential,
    natural,
    initial,
    periodic,
    point,
    integral,
    interface
  };
  Role role = Role::essential;
  std::size_t condition = 0;  ///< of the problem
  std::size_t row = 0;        ///< of WeakForm::rows, which is the field, too
  Expr value = {};
  int rate = 0;  ///< of an initial condition: 1 for u_t
  /// Of a natural condition: the part of its place where it gives the flux of this row, when it
  /// gives another one elsewhere (a shear on the top and on the left); empty: all of its place.
  std::string where = {};
};

/// The condition on the part of the boundary where this holds.
[[nodiscard]] Condition part_of(const Problem& problem, const WeakCondition& condition);

/// A problem in weak form. For every row, with test functions that vanish where its field is given:
///   int integrand(row) dx + sum over natural conditions of int value v ds = 0
/// A part of the boundary without any condition for a row has no flux.
struct WeakProblem {
  WeakForm form;
  std::vector<WeakCondition> conditions;
  bool linear = false, symmetric = false;
  std::optional<Expr> energy = {};  ///< density, if there is one; see energy_density
  /// What is known of a(u, u) >= c |u|^2, one sentence: why it holds, or what speaks against it;
  /// empty: nothing is known.
  std::string coercivity = {};
};

/// Which numbers take the place of names.
///   names    parameters stay, for people
///   numbers  parameters become numbers, for methods
enum class WeakNames : std::uint8_t { names, numbers };

/// The weak form of a problem. Where conditions on fluxes overlap they are solved for all natural
/// fluxes together, so that each gives one row of its own; equations that hold on parts of the
/// domain are put together with where().
///   error    throws Error (unsupported) when there is none, with the reason and a method that
///   fits:
///            as weak_form(), and for a condition that is neither a value of a field nor a multiple
///            of a flux, or is one more than the fields of its place have
[[nodiscard]] WeakProblem weak_problem(const Problem& problem,
                                       WeakNames names = WeakNames::numbers);

/// The form alone, for methods that take conditions in another way: any number of conditions of any
/// kind will do.
///   error    throws Error (unsupported) as weak_form()
[[nodiscard]] WeakForm weak_form(const Problem& problem, WeakNames names = WeakNames::numbers);

/// For people, one line each: what is to be found, one integral identity per row, what the form is.
[[nodiscard]] std::vector<std::string> describe(const Problem& problem, const WeakProblem& weak);
/// The identities in LaTeX, one per row, for display.
[[nodiscard]] std::vector<std::string> to_latex(const Problem& problem, const WeakProblem& weak);

}  // namespace cauchy
