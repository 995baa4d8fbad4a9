#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/training_record.hpp>
#include <cauchy/training/step.hpp>

namespace cauchy::detail {

/// The checkpoint of an interrupted run; none when there is no file, or the path is empty.
///   error    throws Error when it is damaged, or its fingerprint or its inputs are others
[[nodiscard]] std::optional<Checkpoint> load_run_checkpoint(const std::filesystem::path& file,
                                                            const std::string& fingerprint,
                                                            const RunInputs& inputs);

/// What the run is made of, beside its state.
void put_inputs(Checkpoint& checkpoint, const RunInputs& inputs);
/// Throws Error without a place that names the first input that is another one; none are compared
/// when `inputs` is empty.
void check_inputs(const Checkpoint& checkpoint, const RunInputs& inputs);

/// The state of one part of a training, its names behind a prefix: "optimizer/".
void put_state(Checkpoint& checkpoint, const std::string& prefix, TrainingState state);
[[nodiscard]] TrainingState state_in(const Checkpoint& checkpoint, const std::string& prefix);

/// The lines of a text; none for an empty one.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

void save_history(Checkpoint& checkpoint, const std::vector<HistoryEntry>& history);
/// The history of a record, whose terms and unknowns must have names already.
///   error    throws Error when the rows do not fit together or to the record, or make no sense
[[nodiscard]] std::vector<HistoryEntry> load_history(const Checkpoint& checkpoint,
                                                     const TrainingRecord& record);

void save_events(Checkpoint& checkpoint, const std::vector<TrainingEvent>& events);
[[nodiscard]] std::vector<TrainingEvent> load_events(const Checkpoint& checkpoint);

}  // namespace cauchy::detail
