#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cauchy {

/// What takes time, by the unit in which it is counted.
enum class WorkKind : std::uint8_t {
  network,   ///< flops of networks of points with their derivatives and adjoints
  grids,     ///< flops of networks on grids
  formulas,  ///< instructions of compiled expressions, times points
  dense,     ///< flops of dense products, factorisations and transforms
  factors,   ///< flops of sparse factorisations
  memory,    ///< bytes that go through the memory: sparse products, substitutions, updates
  pieces,    ///< numbers that assembly, fluxes and meshes put in place
};
inline constexpr std::size_t n_work_kinds = 7;

/// Name of a kind: "network", "factors".
[[nodiscard]] std::string_view to_string(WorkKind kind) noexcept;

/// Work, counted. Counts are whole numbers, so that sums do not depend on the order of threads.
struct Work {
  std::array<std::uint64_t, n_work_kinds> counts{};

  Work() = default;
  Work(WorkKind kind, double amount) { add(kind, amount); }
  /// Amounts are rounded down; those below zero or NaN count nothing.
  void add(WorkKind kind, double amount) noexcept;
  [[nodiscard]] std::uint64_t of(WorkKind kind) const noexcept {
    return counts[static_cast<std::size_t>(kind)];
  }
  Work& operator+=(const Work& other) noexcept;
  /// What came after `earlier`, an earlier state of the same counter.
  [[nodiscard]] Work since(const Work& earlier) const noexcept;
  [[nodiscard]] Work times(double factor) const noexcept;
  bool operator==(const Work&) const = default;
};

/// Units per second of every kind on one thread.
using WorkRates = std::array<double, n_work_kinds>;
/// The one table of rates, the same on every machine: plans are made with it.
[[nodiscard]] const WorkRates& nominal_rates() noexcept;
/// Seconds of work at given rates. Networks and grids are shared out over threads, all else is not.
[[nodiscard]] double seconds_of(const Work& work, const WorkRates& rates, int threads = 1) noexcept;
/// Seconds that work takes on a nominal machine: a unit of work, not of time.
[[nodiscard]] double nominal_seconds(const Work& work, int threads = 1) noexcept;

/// Counts work of this thread. A parallel loop adds what its threads counted to the thread that
/// began it.
void count_work(WorkKind kind, double amount) noexcept;
void count_work(const Work& work) noexcept;
/// All that this thread has counted.
[[nodiscard]] const Work& work_of_thread() noexcept;

}  // namespace cauchy
