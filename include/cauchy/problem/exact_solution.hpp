#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cauchy/expr/parse.hpp>  // Context

namespace cauchy {

/// Values of all fields at any number of points, from one set of parameters.
///   points   one row of coordinates per point, rows one after the other
///   values   one row of fields per point
/// Thread-safe; the result of a point does not depend on the other points.
///   error    throws Error when the sizes do not fit, when a coordinate is not finite, and when the
///            solution does not exist there (time before the start)
using ExactEvaluator =
    std::function<void(std::span<const double> points, std::span<double> values)>;

/// A number that a solution depends on, with its default value.
struct ExactParameter {
  std::string name = {};
  double value = 0;
  bool is_integer = false;
};

/// An initial or boundary condition as in problem files: {"t = 0", "u = -sin(pi*x)"}.
struct ExactCondition {
  std::string where, form;
};

/// A solution in closed form, or by a series or quadrature converged to the stated accuracy. All
/// texts are in the language of problem files and use the names of coordinates, fields and
/// parameters.
struct ExactSolution {
  std::string name = {};                      ///< as in problem files: "burgers_cole_hopf"
  std::string description = {};               ///< one sentence
  std::vector<std::string> coordinates = {};  ///< order in a point; time, if any, is first
  std::vector<std::string> fields = {};       ///< order of the values
  std::vector<ExactParameter> parameters = {};
  std::vector<std::string> requirements = {};                    ///< on the parameters: "nu > 0"
  std::vector<std::pair<std::string, std::string>> domain = {};  ///< ends of each coordinate
  std::string inside = {};                  ///< which part of that box; empty: all of it
  std::vector<std::string> equations = {};  ///< what holds inside
  std::vector<ExactCondition> conditions = {};
  std::vector<std::string> periodic = {};  ///< coordinates in which the solution is periodic
  std::vector<std::string> formulas = {};  ///< one per field; empty when there is no closed form
  std::string method = {};                 ///< how values are found when it is not by the formulas
  double accuracy = 1e-13;  ///< largest absolute error in the domain, default parameters
  /// Code for solutions without formulas; gets parameters that have been checked.
  std::function<ExactEvaluator(std::span<const double> parameters)> build = {};

  /// Does the work that depends on the parameters only (roots, coefficients, compilation); an empty
  /// span stands for the default values.
  ///   error    throws Error when the number of parameters is wrong, one is not finite, or a
  ///            requirement is not met
  [[nodiscard]] ExactEvaluator prepare(std::span<const double> parameters = {}) const;
  /// One point, for convenience; prepares anew in each call.
  [[nodiscard]] std::vector<double> evaluate(std::span<const double> point,
                                             std::span<const double> parameters = {}) const;
  /// The names that the texts use.
  [[nodiscard]] Context context() const;
  /// Default values of the parameters, in order.
  [[nodiscard]] std::vector<double> default_parameters() const;
};

/// Every solution of the library, by subject. Built at the first call, immutable.
[[nodiscard]] const std::vector<ExactSolution>& exact_solutions();
/// The solution with this name; throws Error with the nearest name.
[[nodiscard]] const ExactSolution& exact_solution(std::string_view name);
[[nodiscard]] std::vector<std::string> exact_solution_names();

}  // namespace cauchy
