#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/sampling/points.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy {

/// Where the points of one term of a loss come from, and where they go.
struct PointSource {
  std::string name;
  std::size_t n = 0;  ///< points asked for
  bool redrawn =
      true;  ///< a sampler draws them; false: they are given, by observations for example
  bool divisible = true;  ///< some of its points are a loss too; not so where they form sums
  std::function<Points(std::size_t n, const SamplerOptions&)> draw;
  /// Hands points to the term; `rows` chooses some of them, empty: all.
  std::function<void(const Points& points, std::span<const std::size_t> rows)> use;
};

/// How points are drawn and when they change.
struct PointSettings {
  SamplerOptions sampler = {};
  std::uint64_t seed = 1;    ///< of the run
  std::uint64_t redraw = 0;  ///< steps of a first-order method between new points; 0: never
  std::size_t batch = 0;     ///< points of each term per step of a first-order method; 0: all
};

/// The points of all terms during a training, one source per term, in the order of the terms.
class TrainingPoints final {
 public:
  TrainingPoints(std::vector<PointSource> sources, const PointSettings& settings);

  [[nodiscard]] std::size_t size() const noexcept { return sources_.size(); }
  [[nodiscard]] const PointSource& source(std::size_t term) const { return sources_.at(term); }
  [[nodiscard]] const PointSettings& settings() const noexcept { return settings_; }
  /// All points of a term, also while a batch of them is in use.
  [[nodiscard]] const Points& operator[](std::size_t term) const { return points_.at(term); }
  /// The rows of them that are in use; empty: all.
  [[nodiscard]] std::span<const std::size_t> rows(std::size_t term) const { return rows_.at(term); }
  /// Whether only some points of a term are in use.
  [[nodiscard]] bool batched() const noexcept;

  /// The sampler's set number `round` for every term: a sequence goes on where the last round
  /// ended, other sets get a new seed. Given points are drawn in round 0 alone.
  void draw(std::uint64_t round);
  /// Other points in place of those of a term.
  void set(std::size_t term, Points points);
  /// These rows of the points of a term are in use until the next call of draw, set or use_all;
  /// empty: all.
  void choose(std::size_t term, std::span<const std::size_t> rows);
  /// True when that changed something.
  bool use_all();

 private:
  std::vector<PointSource> sources_;
  PointSettings settings_;
  std::vector<Points> points_;
  std::vector<std::vector<std::size_t>> rows_;  // in use; empty: all
};

}  // namespace cauchy
