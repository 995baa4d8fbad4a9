#pragma once

#include <functional>
#include <string>
#include <vector>

#include <cauchy/report/html_report.hpp>
#include <cauchy/report/plot.hpp>

namespace cauchy::detail {

/// What is looked at besides the fields themselves: names, and values at rows of coordinates
/// (row-major n x names).
struct Quantities {
  std::vector<std::string> names;
  std::function<std::vector<double>(std::span<const double> rows)> values;
};

/// Fields, or what they should be, at points: one vector of numbers per field, NaN outside of the
/// domain.
struct FieldSample {
  std::vector<std::vector<double>> solution;
  std::vector<std::vector<double>> reference;  ///< empty: none; a field without one is all NaN
  /// Per point; empty: none. Just beyond the boundary: to be covered, not to be counted.
  std::vector<bool> beyond;
  [[nodiscard]] bool counts(std::size_t i) const { return beyond.empty() || !beyond[i]; }
};

/// Looks at the fields of a solution, or at other quantities in their place (which have no
/// reference), along lines and in planes of its domain.
class SolutionSampler final {
 public:
  struct Axis {
    std::string name;
    double lower, upper;
  };

  /// Throws Error when there is no model, domain or field.
  explicit SolutionSampler(const Solution& solution);
  SolutionSampler(const Solution& solution, Quantities quantities);

  [[nodiscard]] const std::vector<std::string>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] bool has_time() const { return domain_.time() != nullptr; }
  /// Columns [0, n_active()) are time and space, the others parameter ranges.
  [[nodiscard]] std::size_t n_active() const { return axes_.size() - domain_.ranges().size(); }
  [[nodiscard]] std::size_t first_space() const { return domain_.space_column(); }
  [[nodiscard]] std::vector<double> middle() const;
  /// Why the reference is not shown; empty where it is, or where there is none.
  [[nodiscard]] const std::string& reference_problem() const { return reference_problem_; }

  /// n points along axis a, ends included, through `at`.
  [[nodiscard]] std::vector<double> positions(std::size_t a, std::size_t n) const;
  [[nodiscard]] FieldSample line(std::size_t a, std::size_t n, std::vector<double> at);
  /// Centres of na x nb cells, row-major with the rows along b from its lower end.
  [[nodiscard]] FieldSample plane(std::size_t a, std::size_t na, std::size_t b, std::size_t nb,
                                  std::vector<double> at);

  /// The outline of the region in the plane of axes a and b, where it is a plane region other than
  /// a rectangle: polylines, and the rings that close them.
  struct Outline {
    std::vector<std::vector<PixelPoint>> curves, rings;
  };
  [[nodiscard]] Outline outline(std::size_t a, std::size_t b, const std::vector<double>& at) const;

 private:
  [[nodiscard]] FieldSample sample(std::span<const double> rows, double margin);
  [[nodiscard]] bool try_reference(std::span<const double> rows, const std::vector<std::size_t>& at,
                                   FieldSample& out);
  [[nodiscard]] ShapePtr shape_at(std::span<const double> row) const;

  const Solution& solution_;
  Domain domain_;
  std::vector<Axis> axes_;
  std::vector<std::string> fields_;
  std::function<std::vector<double>(std::span<const double>)> values_;
  bool compared_;
  std::string reference_problem_;
};

}  // namespace cauchy::detail
