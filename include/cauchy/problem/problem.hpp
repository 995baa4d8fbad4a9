#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/expr/expr.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/geometry/domain.hpp>
#include <cauchy/io/table.hpp>
#include <cauchy/problem/condition.hpp>

namespace cauchy {

/// One differential equation; it holds inside the domain, or where a condition on the coordinates
/// does ("x < 0.5").
struct ProblemEquation {
  ProblemEquation() = default;
  ProblemEquation(const Equation& f) : form(f) {}  // NOLINT: an equation is one
  Equation form = {};
  std::string name = {};
  std::string where = {};
  Expr weight = 1;  ///< not negative: a number, or an expression of coordinates and parameters
};

/// A named number: an expression of numbers and of other parameters. A parameter that is also a
/// Range of the domain has no value here.
struct ProblemParameter {
  std::string name;
  Expr value;
};

/// A constant that is to be found. Bounds are kept by a change of variable, never by clipping:
///   lower and upper  c = lower + (upper - lower) / (1 + exp(-s))
///   lower alone      c = lower + exp(s)     (positive: lower = 0)
///   upper alone      c = upper - exp(s)
struct Unknown {
  std::string name;
  double initial = 1;
  std::optional<double> lower = {}, upper = {};
  std::optional<double> truth = {};  ///< for grading
};

/// A field without an equation of its own: a coefficient that is to be found.
struct Coefficient {
  std::string name;
  std::vector<std::string> coordinates = {};  ///< that it depends on; empty: all
};

/// A named expression that may stand in equations, conditions and references.
struct Definition {
  std::string name;
  Expr value;
};

/// Values between the nodes of a rectangular grid, constant beyond it.
///   cubic    splines with not-a-knot ends, twice differentiable: error O(h^4) where the function
///            is smooth, swings of up to 15 percent beside a jump; linear in a direction of fewer
///            than 4 nodes
///   linear   error O(h^2), never beyond the values around; for functions with kinks
///   nearest  the value of the nearest node, halfway that of the larger coordinate: error O(h),
///   only
///            values of the table; for functions with jumps. All derivatives are 0
enum class TableInterpolation : std::uint8_t { cubic, linear, nearest };

/// Values of a known function, or of one of its partial derivatives (orders: one per argument), at
/// points (row-major n x arguments). Thread-safe.
using FunctionCode = std::function<void(
    std::span<const int> orders, std::span<const double> arguments, std::span<double> values)>;

/// A function of coordinates given by numbers on a rectangular grid, used as name(x, y).
struct TabulatedFunction {
  std::string name;
  std::vector<std::string> arguments;  ///< columns of the table, in the order of the arguments
  std::string column;                  ///< of the values
  std::string file;                    ///< as written in the problem file; empty: only in memory
  Table table;
  TableInterpolation interpolation = TableInterpolation::cubic;
  FunctionCode code = {};  ///< in place of the table; only in memory, files do not hold it
};

/// Measured values of a quantity at points.
struct Observation {
  std::string name;
  Expr quantity;       ///< a field, or an expression of fields and derivatives
  std::string column;  ///< of the measured values; the coordinates are columns of their names
  std::string file = {};
  Table table = {};
  double weight = 1;
  /// Standard deviation of the noise, positive: a number for all, or a column of the table with one
  /// per value. Values count by 1 / sigma^2, and a fit is judged by it.
  std::optional<double> sigma = {};
  std::string sigma_column = {};
};

/// The answer of another method, for example of a classical solver on two grids.
struct ReferenceCode {
  std::vector<std::string> fields;
  std::string description;  ///< "finite differences, 200 x 400"
  double error = 0;         ///< its own relative error, estimated
  /// points: row-major n x coordinates of the problem; values: row-major n x fields. Thread-safe.
  std::function<void(std::span<const double> points, std::span<double> values)> evaluate;
};

/// What an answer is compared with, the first that is given: an exact solution of the library,
/// formulas, a table, or another method.
struct Reference {
  std::string exact = {};                       ///< name in the library of exact solutions
  std::map<std::string, Expr> parameters = {};  ///< of the exact solution, where names differ
  std::map<std::string, Expr> formulas = {};    ///< per field
  std::string file = {};
  /// Columns: coordinates and fields. A full rectangular grid of at least two nodes in every
  /// direction is interpolated; other rows are scattered points of the closed domain, and errors
  /// are measured there.
  Table table = {};
  TableInterpolation interpolation = TableInterpolation::cubic;
  std::optional<ReferenceCode> code = {};
  [[nodiscard]] bool empty() const {
    return exact.empty() && formulas.empty() && table.columns.empty() && !code;
  }
};

/// How the terms of a loss are weighed against each other.
///   risk      mean over the points of each term (normalised risk)
///   integral  mean times the measure of the set (continuum integral); lambda_risk =
///             lambda_integral |boundary| / |domain|
enum class LossConvention : std::uint8_t { risk, integral };

/// A differential problem, written once for every method.
///   Problem p;
///   p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
///   p.fields = {"u"};
///   p.equation = {d(u, t) + u * d(u, x) == nu * d(u, x, x)};
///   p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
struct Problem {
  std::string name = "problem";
  std::string title = {}, source = {}, notes = {};
  std::optional<Domain> domain = {};
  std::vector<std::string> fields = {};
  std::vector<Coefficient> coefficients = {};
  /// Characteristic sizes of fields, where the values in conditions and observations do not show
  /// them: an epidemic that starts with I = 0.01 and reaches 0.3.
  std::map<std::string, double> sizes = {};
  std::vector<ProblemParameter> parameters = {};
  std::vector<Unknown> unknowns = {};
  std::vector<Definition> definitions = {};
  std::vector<TabulatedFunction> functions = {};
  std::vector<ProblemEquation> equation = {};
  std::vector<Condition> condition = {};
  std::vector<Observation> observation = {};
  Reference reference = {};
  std::optional<double> tolerance = {};  ///< relative L2 error that a good answer stays below
  LossConvention convention = LossConvention::risk;

  /// fields and coefficients.
  [[nodiscard]] std::vector<std::string> all_fields() const;
  /// Names of the inputs of a solution: time, space, parameter ranges.
  [[nodiscard]] std::vector<std::string> coordinates() const;
  /// Every name that an expression of this problem may use.
  [[nodiscard]] Context context() const;
  /// Numbers of the parameters; unknown constants and ranges are not among them.
  ///   error    throws Error for a parameter that depends on an unknown, a coordinate or itself
  [[nodiscard]] ParameterValues values() const;
};

/// Checks a problem as a whole and throws Error for the first thing that is wrong: no domain, no
/// fields, names that occur twice, sizes that are not positive or of no field, fewer equations than
/// fields, unknown names in forms, an empty or unknown part of the boundary, a point or an
/// observation outside the domain, a condition without a field, contradictory conditions, a
/// reference that does not fit, a formula that is not finite where it holds.
///   cost     some milliseconds
void check(const Problem& problem);

/// What a problem is, for people and for methods.
struct ProblemFacts {
  struct OfEquation {
    std::string text;
    int order = 0;
    bool linear = false;
    std::string type;  ///< "parabolic", ...; empty when it has none
  };
  std::vector<OfEquation> equations;
  std::vector<std::string> derivatives;  ///< of the fields, as text: u, u_t, u_x, u_xx
  /// What may keep it from having one solution, one sentence each: a missing initial condition, an
  /// open part of the boundary. An answer to such a problem is not called converged.
  std::vector<std::string> warnings;
  std::vector<std::string> remarks;  ///< what has no effect: parameters that are not used
};
[[nodiscard]] ProblemFacts facts(const Problem& problem);

}  // namespace cauchy
