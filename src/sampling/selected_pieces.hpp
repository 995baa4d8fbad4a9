#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "sampling/row_program.hpp"
#include "sampling/shape_points.hpp"

namespace cauchy::detail {

/// Compiled conditions, each once.
class ConditionTable final {
 public:
  static constexpr std::size_t always = static_cast<std::size_t>(-1);

  explicit ConditionTable(const Frame& frame) : frame_(frame) {}
  /// Number of the condition; `always` for one that is a number and not 0.
  std::size_t add(const Expr& condition);
  RowProgram& program(std::size_t id) { return *programs_[id]; }
  [[nodiscard]] const Expr& expression(std::size_t id) const { return expressions_[id]; }
  [[nodiscard]] std::size_t size() const noexcept { return programs_.size(); }

 private:
  const Frame& frame_;
  std::vector<Expr> expressions_;
  std::vector<std::unique_ptr<RowProgram>> programs_;
};

/// The pieces of one shape that a selection can meet, with the measures of their carriers.
class SelectedPieces final {
 public:
  struct Entry {
    std::size_t piece;      ///< index into Shape::pieces()
    std::size_t condition;  ///< of the table
    double end;             ///< sum of the carriers up to and with this one
  };

  ///   error    throws Error when nothing is selected or a carrier is infinite
  SelectedPieces(const Shape& shape, const Selection& where, ConditionTable& conditions);

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] double total() const noexcept { return entries_.back().end; }
  /// The entry that u in [0, 1] falls on, when each takes a part in proportion to its carrier; u
  /// becomes its position in that part, in [0, 1].
  [[nodiscard]] const Entry& choose(double& u) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace cauchy::detail
