#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <cauchy/files/run_folder.hpp>  // RunInfo

namespace cauchy::detail {

// What programs read of a run: result.json, and the objects that --json prints. Two runs of one
// file have the same bytes there, but for two sections that every record has or leaves out:
//   run     how it was run: threads, versions
//   times   all that a clock has measured, or that is foreseen of it: nothing was decided by it
using RecordJson = nlohmann::ordered_json;
inline constexpr const char* run_section = "run";
inline constexpr const char* times_section = "times";

/// The section `run`.
[[nodiscard]] RecordJson run_json(const RunInfo& info);
/// The section `times` of what took so many seconds in all.
[[nodiscard]] RecordJson times_json(double seconds);
/// The same with those of its events, in their order.
[[nodiscard]] RecordJson times_json(double seconds, const std::vector<TrainingEvent>& events);
/// Seconds in all of a record, also of one that is older than the section; NaN: it has none.
[[nodiscard]] double seconds_of_record(const RecordJson& record);

/// The list `events`: steps and sentences, without their times.
[[nodiscard]] RecordJson events_json(const std::vector<TrainingEvent>& events);
/// The text of a record; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string record_text(const RecordJson& record);

}  // namespace cauchy::detail
