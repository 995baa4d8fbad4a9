#include "files/record_json.hpp"

#include <limits>

namespace cauchy::detail {

RecordJson run_json(const RunInfo& info) {
  return {{"threads", info.threads},
          {"versions", {{"cauchy", info.version}, {"compiler", __VERSION__}}}};
}

RecordJson times_json(double seconds) { return {{"seconds", seconds}}; }

RecordJson times_json(double seconds, const std::vector<TrainingEvent>& events) {
  std::vector<double> of_events;
  for (const TrainingEvent& e : events) of_events.push_back(e.seconds);
  return {{"seconds", seconds}, {"events", of_events}};
}

double seconds_of_record(const RecordJson& record) {
  const RecordJson times = record.value(times_section, RecordJson());
  const RecordJson seconds = (times.is_object() ? times : record).value("seconds", RecordJson());
  return seconds.is_number() ? seconds.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

RecordJson events_json(const std::vector<TrainingEvent>& events) {
  RecordJson list = RecordJson::array();
  for (const TrainingEvent& e : events) list.push_back({{"step", e.step}, {"text", e.text}});
  return list;
}

std::string record_text(const RecordJson& record) {
  return record.dump(2, ' ', false, RecordJson::error_handler_t::replace) + "\n";
}

}  // namespace cauchy::detail
