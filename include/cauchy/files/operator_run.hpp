#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/files/operator_file.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/operators/learn.hpp>

namespace cauchy {

// The folder of a run that learns an operator: as that of any run (run_folder.hpp), with
//   data.h5     the samples that it learns from
//   model.bin   what has been learnt, in place of solution.bin; load_operator_run reads it back

/// As the functions of the same names for problems.
[[nodiscard]] RunFolder begin_run(const std::filesystem::path& folder, const OperatorFile& file);
[[nodiscard]] RunFolder begin_next_run(const std::filesystem::path& folder,
                                       const OperatorFile& file);
[[nodiscard]] RunFolder resume_run(const std::filesystem::path& folder, const OperatorFile& file);

/// Writes the files of a run that has ended, also of an interrupted one.
void finish_run(const RunFolder& folder, const OperatorFile& file, const OperatorResult& result,
                const RunInfo& info);

/// The text of result.json: keys as those of other runs, so that `cauchy compare` reads it, and
/// the errors of every sample.
[[nodiscard]] std::string result_json(const OperatorFile& file, const OperatorResult& result,
                                      const RunInfo& info);

/// A learnt operator from problem.toml and model.bin.
struct LoadedOperator {
  OperatorFile file;
  std::shared_ptr<const TrainedOperator> model;
  DataSplit split = {};   ///< of the data that it was trained with
  double test_error = 0;  ///< mean relative L2 error that was measured then; NaN: no samples
};
/// Throws Error with the path: no run has ended there, or its problem has changed since.
[[nodiscard]] LoadedOperator load_operator_run(const std::filesystem::path& folder);

}  // namespace cauchy
