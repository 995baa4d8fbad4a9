#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <vector>

#include <cauchy/files/operator_run.hpp>
#include <cauchy/report/operator_report.hpp>

#include "cli/json.hpp"

namespace cauchy::cli {

/// How far reconstructed surfaces are from the truth on one grid: of a network, and of the
/// classical method where the points of the samples are known.
struct SurfaceRow {
  int nodes = 0;
  std::vector<double> iou, chamfer;  ///< per sample; chamfer in sides of the cube
  std::vector<double> classical_iou, classical_chamfer;  ///< empty: the points are not known
};

/// The rows of a run that reconstructs surfaces; none for runs of other kinds.
///   first    number of the first sample in the problem
[[nodiscard]] std::optional<SurfaceRow> surface_row(const OperatorAnswers& answers,
                                                    const LoadedOperator& run, std::size_t first);
[[nodiscard]] Json surface_json(const std::vector<SurfaceRow>& rows);
/// A table; nothing for none.
void print_surfaces(const std::vector<SurfaceRow>& rows, std::ostream& out);
/// Points, classical answer, network and truth of the best, a middle and the worst sample.
void save_surfaces(const std::filesystem::path& file, const OperatorAnswers& answers,
                   const LoadedOperator& run, std::size_t first, const SurfaceRow& row);

}  // namespace cauchy::cli
