#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/applications/morph_transfer.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/files/run_folder.hpp>

namespace cauchy {

/// What a file with [morph] holds: families of operator problems, each a file of its own whose
/// [operator] makes trajectories, and how a foundation model is trained on them.
struct MorphFile {
  std::string name = "morph", title = {}, source = {}, notes = {};
  MorphStudy study = {};
  struct Family {
    std::string file;  ///< as written
    OperatorFile problem;
    std::vector<UptfVector> vectors = {};
    bool unseen = false;  ///< not part of the pre-training
  };
  std::vector<Family> families = {};
  std::map<std::string, std::string> places = {};
};

/// Whether a file (or the problem.toml of a run folder) has a table [morph].
[[nodiscard]] bool has_morph(const std::filesystem::path& file);
/// Reads it; docs/applications/morph.md lists every key. Strict, with includes and overrides as
/// read_problem_file; families are looked for in the folder of the file.
///   error    throws Error "file:line:column: what; fix"
[[nodiscard]] MorphFile read_morph_file(const std::filesystem::path& file,
                                        const std::vector<std::string>& overrides = {});
/// An error of a run, with the line of the file that it is about.
[[nodiscard]] Error in_file(const Error& error, const MorphFile& file);
/// A file that reads back as the same study.
[[nodiscard]] std::string to_toml(const MorphFile& file);

/// The shape that the network sees of a family, without data.
[[nodiscard]] MorphShape shape_of(const MorphFile::Family& family, int history);
/// The trajectories of a family from its data, cut as its [operator] says.
[[nodiscard]] MorphFamily family_of(const MorphFile::Family& family, const DataSet& data);

// The folder of a run: as that of any run (run_folder.hpp) with the files of the families in data/,
// NAME.h5 with the trajectories of each, models/ with every trained model and model.bin.
[[nodiscard]] RunFolder begin_run(const std::filesystem::path& folder, const MorphFile& file);
[[nodiscard]] RunFolder begin_next_run(const std::filesystem::path& folder, const MorphFile& file);
[[nodiscard]] RunFolder resume_run(const std::filesystem::path& folder, const MorphFile& file);
void finish_run(const RunFolder& folder, const MorphFile& file, const MorphStudyResult& result,
                const RunInfo& info);
/// The text of result.json.
[[nodiscard]] std::string result_json(const MorphFile& file, const MorphStudyResult& result,
                                      const RunInfo& info);

}  // namespace cauchy
