#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/error.hpp>

namespace cauchy {

/// A change of a problem file, as read_problem_file takes it, and where it was written.
struct StudySetting {
  std::string text;   ///< "method.network.width=64"
  std::string place;  ///< for messages: "samplers.toml:7:1", "--vary method.seed=1,2"
};

/// One set of settings that a study compares with others.
struct StudyVariant {
  std::string name = {};
  std::vector<StudySetting> settings = {};
};

/// A key that takes several values in turn.
struct StudyAxis {
  std::string key;
  std::vector<std::string> values;  ///< as in an override: TOML, or words without quotes
  std::vector<std::string> names;   ///< of the values in tables; empty: made of key and value
  std::string place;
};

/// A comparison of settings on one problem over several seeds.
struct StudyFile {
  static constexpr std::size_t max_seeds = 10'000;
  static constexpr std::size_t max_variants = 10'000;
  std::string title = {}, notes = {};
  std::string problem = {};  ///< a path, or a name of the library
  std::size_t seeds = 5;
  double max_seconds = 0;                   ///< of each run; 0: no limit
  int threads_per_run = 1;                  ///< results do not depend on it
  std::vector<StudySetting> set = {};       ///< of every variant
  std::vector<StudyVariant> variants = {};  ///< by name; empty: the problem as it is
  std::vector<StudyAxis> axes = {};         ///< all combinations of their values, for every variant
};

/// Whether a TOML file is a study: it has a key `problem`, `vary` or `variant`.
///   error    throws Error when it cannot be read
[[nodiscard]] bool is_study_file(const std::filesystem::path& file);
/// Reads a study in TOML; docs/training/studies.md lists every key. Strict as problem files are.
///   problem  a path is seen from the folder of the study
///   error    throws Error "file:line:column: what; fix"
[[nodiscard]] StudyFile read_study_file(const std::filesystem::path& file);

/// "method.points.sampler=uniform,sobol": values are separated by commas outside of brackets and
/// quotes. `place` is named in messages.
///   error    throws Error without a key or without values
[[nodiscard]] StudyAxis parse_study_axis(std::string_view text, const std::string& place);

/// Every variant with every combination of the values of the axes, the last axis fastest. Names are
/// those of the variant and of the values: "causal, interior=500"; one value for all has none.
///   error    throws Error for names that occur twice, or more than max_variants
[[nodiscard]] std::vector<StudyVariant> study_variants(const StudyFile& study);

/// An error about an override of a variant, at the place where the override was written.
[[nodiscard]] Error in_study(const Error& error, const std::vector<StudySetting>& settings);

}  // namespace cauchy
