#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/problem/training_record.hpp>

namespace cauchy {

/// A field anywhere: what every method hands over.
class FieldModel {
 public:
  virtual ~FieldModel() = default;
  /// The name under which it is loaded again, "pinn"; see load_model.
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
  /// Writes all that it needs besides problem and settings of the method.
  virtual void save(Checkpoint& checkpoint) const = 0;
  /// Expressions of fields, derivatives, coordinates, parameters and unknown constants at points
  /// (row-major n x coordinates of the problem); out is row-major n x expressions. Thread-safe.
  virtual void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                        std::span<double> out) const = 0;
  /// Fields that it has beside those of the problem, for pictures: parts that the answer is made
  /// of.
  [[nodiscard]] virtual std::vector<std::string> parts() const { return {}; }
};

/// What became of a run.
enum class Grade : std::uint8_t {
  converged,   ///< the answer is as good as asked
  stalled,     ///< usable, but the tolerance was not reached
  diverged,    ///< no usable answer
  suspicious,  ///< it looks solved, but something contradicts it: see the findings
  unverified,  ///< nothing contradicts the answer, but its error is not known
};
[[nodiscard]] std::string_view to_string(Grade grade) noexcept;

/// Error of one field against the reference.
struct FieldError {
  std::string field;
  double relative_l2 = 0;          ///< |u - u_ref|_2 / |u_ref|_2 over the points
  double max = 0;                  ///< largest absolute error; NaN when one is
  std::vector<double> where = {};  ///< there (at the first NaN), one number per coordinate
  /// |u - u_ref|_2 in units of what the field does, not of its offset: over the smaller of its size
  /// and its variation (ErrorUnits); NaN where that is not known.
  double of_variation = std::numeric_limits<double>::quiet_NaN();
};

/// Error of the answer, and how it was measured.
struct ErrorReport {
  /// "exact solution burgers_cole_hopf", "table wave.csv, 312 scattered points"; empty: none
  std::string reference = {};
  double reference_error = 0;  ///< relative, of the reference itself; 0: exact to rounding
  std::size_t n_points = 0;
  std::vector<FieldError> fields = {};
  /// All fields together, (sum_f |u_f - ref_f|^2 / sum_f |ref_f|^2)^(1/2); NaN without a reference.
  double joint_l2 = std::numeric_limits<double>::quiet_NaN();
  /// Relative errors of unknown constants whose true value is given.
  std::map<std::string, double> unknowns = {};

  /// Largest relative L2 error of a field; NaN without a reference.
  [[nodiscard]] double relative_l2() const;
  /// What a tolerance is compared with: the same over the variation of the fields.
  [[nodiscard]] double judged() const;
};

/// What is known of an error without a reference: by the method itself (two grids, two tolerances),
/// or from the problem (solvers/error_bars.hpp).
struct ErrorEstimate {
  double relative_l2 = std::numeric_limits<double>::quiet_NaN();  ///< of the worst field
  std::string how = {};                 ///< "fdm, 64 x 64 and 128 x 128 differ by 2e-4"
  std::vector<FieldError> fields = {};  ///< of every field, where more is known than the worst
  /// The estimate may be off by this part of itself; NaN: not known.
  double unsure = std::numeric_limits<double>::quiet_NaN();
  /// Truth minus answer, estimated, as fields of the same names; null: not known point by point.
  std::shared_ptr<const FieldModel> correction = {};
  /// Estimates before each correction of the answer that was kept (RunOptions::improve).
  std::vector<double> history = {};
  /// As relative_l2, over the variation of the field (FieldError::of_variation); NaN: not known.
  double of_variation = std::numeric_limits<double>::quiet_NaN();

  /// The error that is stated: with what the estimate may be off by.
  [[nodiscard]] double stated() const;
  /// What a tolerance is compared with, over the variation of the fields; without and with what the
  /// estimate may be off by.
  [[nodiscard]] double judged() const;
  [[nodiscard]] double judged_stated() const;
};

/// A bound on the error of an answer from the theory of the equation (solvers/error_bounds.hpp),
/// evaluated numerically: kept apart from estimates. Suprema and integrals are taken over sample
/// points, not over all points; where they are right, so is the bound, for every answer.
struct ErrorBound {
  std::string theory;  ///< name in all_bound_theories()
  std::string field;   ///< empty: all fields together
  std::string norm;    ///< "largest over time", "L2", "L2 at the last time", "energy norm"
  /// The norm of the error lies between; lower 0: nothing known, upper infinity: the same.
  double upper = std::numeric_limits<double>::infinity(), lower = 0;
  /// upper over the same norm of the answer; NaN where that is 0.
  double relative = std::numeric_limits<double>::quiet_NaN();
  std::string how;  ///< one sentence with the constants that it rests on
};

/// Where an unknown constant lies.
struct ConfidenceInterval {
  double lower = 0, upper = 0;
  double level = 0.95;   ///< share of such intervals that hold the truth
  std::string how = {};  ///< "Gauss-Newton matrix at the solution, noise 0.01"
};

/// An equation, a condition or an observation at points that no method has seen.
///   scale    size of its terms: the larger of what the problem shows (fields of their size that
///            vary over the domain) and the root mean square of the sum of their moduli; of an
///            observation its largest value, or its noise where that is given: fresh then is the
///            root mean square of (quantity - value) / sigma
///   fresh    root mean square of its residual, in units of scale (L2)
///   mean     mean of its modulus, in units of scale (L1)
///   worst    the largest residual, in units of scale; NaN when one is
struct TermCheck {
  enum class Kind : std::uint8_t { equation, condition, observation };
  Kind kind = Kind::equation;
  std::string name;
  double scale = 1, fresh = 0, mean = 0, worst = 0;
  std::vector<double> where = {};  ///< of the worst, one number per coordinate
  std::size_t n_points = 0;
  /// Root mean square on the training points, in units of scale; NaN where that is not known.
  double trained = std::numeric_limits<double>::quiet_NaN();
};

[[nodiscard]] std::string_view to_string(TermCheck::Kind kind) noexcept;

/// An answer: the fields anywhere, how they were found, and how wrong they are.
class Solution final {
 public:
  Problem problem;
  std::string method;  ///< for people: "pinn, 20 x 5 tanh, 1761 parameters"
  Grade grade = Grade::stalled;
  std::vector<std::string> findings;  ///< one sentence each, for people
  std::vector<std::string> warnings;  ///< of the problem and of the method; each caps the grade
  std::vector<TermCheck> checks;
  ErrorReport error;
  std::optional<ErrorEstimate> estimate;   ///< where nothing better is known, or was asked for
  std::vector<ErrorBound> bounds;          ///< that theory gives
  std::map<std::string, double> unknowns;  ///< constants that were to be found
  std::map<std::string, ConfidenceInterval> intervals;  ///< of those, where they are known
  double seconds = 0;
  double work = 0;             ///< counted by the method, in nominal seconds (base/work.hpp)
  std::size_t n_unknowns = 0;  ///< numbers that the method had to find
  bool interrupted = false;    ///< stopped by the user or the clock before its end
  std::shared_ptr<const FieldModel> model;
  std::optional<TrainingRecord> training;  ///< of a method that trains

  /// Values of a field, or of any expression, at points (row-major n x coordinates).
  ///   error    throws Error naming what is not known, or when the numbers are no whole rows
  [[nodiscard]] std::vector<double> operator()(const Expr& expression,
                                               std::span<const double> rows) const;
  [[nodiscard]] std::vector<double> evaluate(std::span<const Expr> expressions,
                                             std::span<const double> rows) const;
  /// The same for text: "u", "u_x", "u^2 + v^2".
  [[nodiscard]] std::vector<double> operator()(std::string_view text,
                                               std::span<const double> rows) const;
  /// The value at one point: s("u", {0.5, 0.2}).
  ///   error    throws Error naming the coordinates when there are not as many numbers
  [[nodiscard]] double operator()(const Expr& expression,
                                  std::initializer_list<double> point) const;
  [[nodiscard]] double operator()(std::string_view text, std::initializer_list<double> point) const;
};

/// Reference values of all reference fields at points: row-major n x fields.
struct ReferenceValues {
  std::vector<std::string> fields;
  std::vector<double> values;
  std::string description;
  double error = 0;  ///< relative, of the reference itself, where it is known
};
/// The reference of a problem; none when it has none. A table is interpolated on its grid as
/// Reference::interpolation says.
///   error    throws Error (unsupported) for a table of scattered points: it has no values between
///            them
[[nodiscard]] std::optional<ReferenceValues> reference_values(const Problem& problem,
                                                              std::span<const double> points);

/// Measures the error at about n points of the domain, a tensor grid inside, closed; at the points
/// of the reference when these are scattered.
[[nodiscard]] ErrorReport measure_error(const Solution& solution, std::size_t n = 20'000);

/// Looks at every equation and condition of the problem at fresh points: at least 300 random ones,
/// points that close in on the surfaces of the conditions (down to 1e-6 of the size), and the
/// places where known functions are farthest from their mean. Integrals are looked at with another
/// rule, observations at their own points.
[[nodiscard]] std::vector<TermCheck> check_terms(const Solution& solution);

/// Sets grade and findings from errors, checks, warnings and the status of the run.
///   converged   the error of every field is known, or estimated by the method where there is no
///               reference, and within the tolerance, so is every unknown constant with a truth;
///               every condition holds; nothing is warned about
///   unverified  no error is known, or not of every field, or not well enough to decide; every
///               equation and condition holds
/// An answer is not blamed for the error of its reference, nor praised by it: the measured error
/// may be off by as much in both directions.
struct GradeInput {
  bool finite = true;                      ///< the final loss is a number
  std::vector<std::string> troubles = {};  ///< of optimisers, one sentence each
  /// Why the answer cannot be right: only the reference of the problem itself outweighs it.
  std::string refuted = {};
  /// Those of Solution::warnings that the method gave before it ran: they cap no answer that a
  /// reference confirms.
  std::vector<std::string> method_warnings = {};
};
void grade(Solution& solution, const GradeInput& input);

}  // namespace cauchy
