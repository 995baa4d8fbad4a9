#include <cauchy/dynamics/trajectories.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {

TrajectoryData trajectories_of(const Table& table, const std::string& id, const std::string& time,
                               const std::vector<std::string>& columns) {
  TrajectoryData data{columns, {}};
  if (columns.empty()) throw Error("there are no columns to learn from", table.source);
  std::vector<double> ids(table.rows());
  if (!id.empty()) ids = table.column(id);
  const std::vector<double> times = table.column(time);
  std::vector<std::size_t> places;
  for (const std::string& c : columns) places.push_back(table.index(c));
  if (table.rows() == 0) throw Error("the table has no rows", table.source);
  std::map<double, std::size_t> known;
  const std::size_t width = table.columns.size();
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const auto refuse = [&](const std::string& what, const char* fix) {
      throw Error(ErrorKind::file, what, fmt::format("{}: row {}", table.source, r + 1), fix);
    };
    if (!std::isfinite(times[r])) {
      refuse(fmt::format("the time is not a number: {}", times[r]), "remove the row");
    }
    if (!std::isfinite(ids[r])) refuse("the trajectory has no number", "give it one");
    const auto [at, is_new] = known.try_emplace(ids[r], data.trajectories.size());
    if (is_new) data.trajectories.push_back({fmt::format("{}", ids[r]), {}, {}});
    Trajectory& t = data.trajectories[at->second];
    if (!t.times.empty() && !(times[r] > t.times.back())) {
      refuse(fmt::format("the times of trajectory {} do not increase: {:.6g} comes after {:.6g}",
                         t.name, times[r], t.times.back()),
             "sort the rows of a trajectory by time");
    }
    t.times.push_back(times[r]);
    bool any = false;
    for (std::size_t c = 0; c < places.size(); ++c) {
      const double v = table.values[r * width + places[c]];
      if (std::isinf(v)) refuse(fmt::format("'{}' is infinite", columns[c]), "write nan: not seen");
      any = any || !std::isnan(v);
      t.values.push_back(v);
    }
    if (!any) refuse("no value of the row is given", "remove it");
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    bool any = false;
    for (const Trajectory& t : data.trajectories) {
      for (std::size_t j = 0; j < t.times.size(); ++j) {
        any = any || !std::isnan(t.values[j * columns.size() + c]);
      }
    }
    if (!any) {
      throw Error(ErrorKind::file, fmt::format("column '{}' holds no number", columns[c]),
                  table.source, "make it a hidden field");
    }
  }
  return data;
}

Table table_of(const TrajectoryData& data, const std::string& id, const std::string& time) {
  Table table;
  if (!id.empty()) table.columns.push_back(id);
  table.columns.push_back(time);
  table.columns.insert(table.columns.end(), data.columns.begin(), data.columns.end());
  const std::size_t m = data.columns.size();
  for (const Trajectory& t : data.trajectories) {
    for (std::size_t j = 0; j < t.times.size(); ++j) {
      if (!id.empty()) table.values.push_back(std::stod(t.name));
      table.values.push_back(t.times[j]);
      for (std::size_t c = 0; c < m; ++c) table.values.push_back(t.values[j * m + c]);
    }
  }
  return table;
}

TrajectoryData part_of(const TrajectoryData& data, double from, double to) {
  TrajectoryData part{data.columns, {}};
  const std::size_t m = data.columns.size();
  for (const Trajectory& t : data.trajectories) {
    Trajectory kept{t.name, {}, {}};
    for (std::size_t j = 0; j < t.times.size(); ++j) {
      if (!(t.times[j] >= from && t.times[j] <= to)) continue;
      kept.times.push_back(t.times[j]);
      const auto row = t.values.begin() + static_cast<std::ptrdiff_t>(j * m);
      kept.values.insert(kept.values.end(), row, row + static_cast<std::ptrdiff_t>(m));
    }
    if (!kept.times.empty()) part.trajectories.push_back(std::move(kept));
  }
  return part;
}

double TrajectoryError::mean() const {
  if (empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const double e : relative_l2) sum += e;
  return sum / static_cast<double>(relative_l2.size());
}

double TrajectoryError::worst() const {
  double most = empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
  for (const double e : relative_l2) {
    if (!(e <= most)) most = e;
  }
  return most;
}

TrajectoryError measure(const std::vector<std::vector<double>>& answers,
                        const TrajectoryData& data) {
  TrajectoryError out;
  out.columns = data.columns;
  const std::size_t m = data.columns.size();
  std::vector<double> all_e(m), all_s(m);
  for (std::size_t i = 0; i < data.trajectories.size(); ++i) {
    const Trajectory& t = data.trajectories[i];
    std::vector<double> e(m), s(m);
    double most = 0;
    for (std::size_t q = 0; q < t.values.size(); ++q) {
      if (std::isnan(t.values[q])) continue;
      const double off = answers[i][q] - t.values[q];
      e[q % m] += off * off;
      s[q % m] += t.values[q] * t.values[q];
      if (!(std::abs(off) <= most)) most = std::abs(off);
    }
    double sum = 0;
    std::size_t n = 0;
    for (std::size_t c = 0; c < m; ++c) {
      all_e[c] += e[c];
      all_s[c] += s[c];
      if (!(s[c] > 0)) continue;  // nothing was seen, or zeros
      sum += e[c] / s[c];
      ++n;
    }
    out.relative_l2.push_back(n == 0 ? most : std::sqrt(sum / static_cast<double>(n)));
    out.maximum.push_back(most);
  }
  for (std::size_t c = 0; c < m; ++c) {
    out.column_l2.push_back(all_s[c] > 0 ? std::sqrt(all_e[c] / all_s[c]) : std::sqrt(all_e[c]));
  }
  return out;
}

}  // namespace cauchy
