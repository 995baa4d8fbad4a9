#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "report/html_sample.hpp"

namespace cauchy::detail {

/// Width of a map that stands alone, and of one of several side by side, pixels.
inline constexpr double wide_map = 560, grid_map = 400;

/// Where a view of a solution is taken: one axis (a line) or two (a map), through a point.
struct ViewPlace {
  std::size_t a = 0;
  std::optional<std::size_t> b;
  std::vector<double> at;
};

/// Several maps side by side: planes of a domain of more than two axes.
struct ViewRow {
  std::vector<ViewPlace> places;
  std::vector<std::string> titles;
  std::string caption;  ///< HTML
};
/// Space of two dimensions at n times.
ViewRow views_over_time(const SolutionSampler& sampler, std::size_t n);
/// Planes through the middle of the first three coordinates of space.
ViewRow views_through_middle(const SolutionSampler& sampler);

/// "t = 0.5", as HTML.
std::string value_text(const SolutionSampler::Axis& axis, double value);
/// "z = 0.5, nu = 0.01": the axes that a view does not show; `free` is not mentioned.
std::string fixed_text(const SolutionSampler& sampler, const ViewPlace& place,
                       std::optional<std::size_t> free = {});

/// Common limits of several samples per field, so that their pictures can be compared.
struct ViewLimits {
  std::vector<Limits> values, errors;
  AxisScale scale = AxisScale::linear;       ///< of the values
  std::string label{};                       ///< of their axis; empty: the name of the field
  std::vector<std::vector<double>> worst{};  ///< per field: where its error is largest, if known
};
ViewLimits view_limits(const std::vector<FieldSample>& samples, std::size_t n_fields);
/// The same with errors that end where those of the report do, so that pictures and table agree.
ViewLimits view_limits(const std::vector<FieldSample>& samples, const SolutionSampler& sampler,
                       const ErrorReport& error);
/// Whether a view shows the point.
bool shows(const SolutionSampler& sampler, const ViewPlace& place,
           const std::vector<double>& point);

/// Fields against one axis, the reference dashed.
///   with_error  the absolute error below, on a log axis
///   dots        measured values to be shown beside, per field: positions and values
struct Dots {
  std::size_t field;
  std::vector<double> x, y;
};
Picture line_picture(const SolutionSampler& sampler, const FieldSample& sample,
                     const ViewPlace& place, const ViewLimits& limits, bool with_error,
                     const std::vector<Dots>& dots = {});

/// Solution, reference and error of one field side by side (the solution alone where there is no
/// reference, `single_width` pixels wide). Size of the sample: na x nb.
Picture map_picture(const SolutionSampler& sampler, const FieldSample& sample, std::size_t field,
                    std::size_t na, std::size_t nb, const ViewPlace& place,
                    const ViewLimits& limits, double single_width = wide_map);

/// The same for several places as columns: solutions above, references, then errors.
Picture map_rows_picture(const SolutionSampler& sampler, const std::vector<FieldSample>& samples,
                         const ViewRow& views, std::size_t field, std::size_t na, std::size_t nb,
                         const ViewLimits& limits);

/// Whether there is anything to compare field f with.
bool has_reference(const FieldSample& sample, std::size_t f);

}  // namespace cauchy::detail
