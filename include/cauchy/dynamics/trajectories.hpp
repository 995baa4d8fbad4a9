#pragma once

#include <string>
#include <vector>

#include <cauchy/io/table.hpp>

namespace cauchy {

/// What was seen of one trajectory. Times are its own and may be irregular.
struct Trajectory {
  std::string name;            ///< "3": its number in the table
  std::vector<double> times;   ///< increasing
  std::vector<double> values;  ///< row-major times x columns; NaN: not seen
};

struct TrajectoryData {
  std::vector<std::string> columns;
  std::vector<Trajectory> trajectories;
};

/// The trajectories of a table, in the order in which their numbers first occur.
///   id       column with the number of the trajectory; empty: there is one
///   columns  what was seen; "nan" in the table: not seen
///   error    throws Error with the row of the table: an unknown column, times that do not
///            increase or are not finite, infinite values, a row or column without any value
[[nodiscard]] TrajectoryData trajectories_of(const Table& table, const std::string& id,
                                             const std::string& time,
                                             const std::vector<std::string>& columns);
/// The same back as a table: id, time, columns.
[[nodiscard]] Table table_of(const TrajectoryData& data, const std::string& id,
                             const std::string& time);
/// The rows with times in [from, to]; trajectories without any are left out.
[[nodiscard]] TrajectoryData part_of(const TrajectoryData& data, double from, double to);

/// Errors over the values that were seen: per trajectory the root mean square over the columns of
/// |answer - seen| / |seen|.
struct TrajectoryError {
  std::vector<double> relative_l2 = {};  ///< per trajectory
  std::vector<double> maximum = {};      ///< largest absolute error per trajectory
  std::vector<std::string> columns = {};
  std::vector<double> column_l2 = {};  ///< over all trajectories
  [[nodiscard]] bool empty() const noexcept { return relative_l2.empty(); }
  [[nodiscard]] double mean() const;  ///< NaN without trajectories, or when one is
  [[nodiscard]] double worst() const;
};
/// answers[i]: row-major times x columns of trajectory i.
[[nodiscard]] TrajectoryError measure(const std::vector<std::vector<double>>& answers,
                                      const TrajectoryData& data);

}  // namespace cauchy
