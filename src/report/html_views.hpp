#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "report/html_sample.hpp"

namespace cauchy::detail {

/// Where a view of a solution is taken: one axis (a line) or two (a map), through a point.
struct ViewPlace {
  std::size_t a = 0;
  std::optional<std::size_t> b;
  std::vector<double> at;
};

/// Common limits of several samples per field, so that their pictures can be compared.
struct ViewLimits {
  std::vector<Limits> values, errors;
};
ViewLimits view_limits(const std::vector<FieldSample>& samples, std::size_t n_fields);

/// Fields against one axis, the reference dashed.
///   with_error  the absolute error below, on a log axis
///   dots        measured values to be shown beside, per field: positions and values
struct Dots {
  std::size_t field;
  std::vector<double> x, y;
};
Picture line_picture(const FieldSampler& sampler, const FieldSample& sample, const ViewPlace& place,
                     const ViewLimits& limits, bool with_error, const std::vector<Dots>& dots = {});

/// Solution, reference and error of one field side by side (the solution alone where there is no
/// reference). Size of the sample: na x nb.
Picture map_picture(const FieldSampler& sampler, const FieldSample& sample, std::size_t field,
                    std::size_t na, std::size_t nb, const ViewPlace& place,
                    const ViewLimits& limits);

/// The same for several places as columns: solutions above, references, then errors.
Picture map_rows_picture(const FieldSampler& sampler, const std::vector<FieldSample>& samples,
                         const std::vector<ViewPlace>& places,
                         const std::vector<std::string>& titles, std::size_t field, std::size_t na,
                         std::size_t nb, const ViewLimits& limits);

/// Whether there is anything to compare field f with.
bool has_reference(const FieldSample& sample, std::size_t f);

}  // namespace cauchy::detail
