#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/sampling/points.hpp>

namespace cauchy {

struct TrainingDiagnosis;

/// One entry of the history of a run.
struct HistoryEntry {
  std::uint64_t step = 0;
  std::string stage;  ///< "adam", "lbfgs"
  double seconds = 0, loss = 0;
  std::vector<double> terms = {};     ///< weighted, in the order of TrainingRecord::term_names
  std::vector<double> unknowns = {};  ///< values of the unknown constants
  /// Largest relative L2 error of a field against the reference; NaN: not measured here.
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// Something that a rule of the training decided on the way.
struct TrainingEvent {
  std::uint64_t step = 0;
  double seconds = 0;
  std::string text;  ///< one sentence, for people, without line ends
};

/// What only a method that trains has.
struct TrainingRecord {
  std::vector<std::string> term_names;
  std::vector<std::string> unknown_names;  ///< in the order of HistoryEntry::unknowns
  std::vector<HistoryEntry> history;
  std::vector<std::string> choices;   ///< of a recipe: what it chose and why, one sentence each
  std::vector<TrainingEvent> events;  ///< what changed on the way
  /// Root mean square of each residual on its training points, in its own units; by the name of
  /// the equation or condition (name_of).
  std::map<std::string, double> trained;
  std::map<std::string, double> scales;  ///< "x" -> half width, "u" -> size, "equation 1" -> size
  std::map<std::string, Points> points;  ///< training points per term
  bool has_reference = false;            ///< HistoryEntry::error is measured now and then
  std::uint64_t steps = 0, evaluations = 0;
  std::vector<double> parameters;  ///< of the network, and unknown constants
  /// What was measured on the way (problem/training_diagnosis.hpp); null: nothing.
  std::shared_ptr<const TrainingDiagnosis> diagnosis;

  /// Loss at the end; NaN when nothing was recorded.
  [[nodiscard]] double loss() const;
};

}  // namespace cauchy
