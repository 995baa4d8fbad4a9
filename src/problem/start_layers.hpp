#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/sampling/points.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// The first moments beside places where the data of a parabolic problem disagree, in value or in
/// slope (initial_layers.hpp). There the residual of a right answer is as large as its terms, by
/// whatever method; a layer of width sqrt(D t) leaves, and what it leaves behind is looked at.
///   inside    |x - x0| < 4 sqrt(D tau) for the first tau: at most 5 % of space and time, and of
///             all times the first tenth
///   at first  of the first moment itself at most 10 % of space
class StartLayers final {
 public:
  /// Disagreements below 1e-3 of what the field varies by are none.
  StartLayers(const Problem& problem, const Lowering& lower);

  [[nodiscard]] bool empty() const noexcept { return places_.empty(); }
  /// For a row of coordinates, the time first.
  [[nodiscard]] bool hold(std::span<const double> row) const;
  /// The other points; all of them where hardly any would be left.
  [[nodiscard]] Points without(const Points& points) const;
  /// What is left out, in a sentence; empty: nothing.
  [[nodiscard]] std::string text() const;

 private:
  struct Place {
    double at, diffusion, speed, sides;
    [[nodiscard]] double width(double after) const;
  };
  [[nodiscard]] double share(double after) const;

  std::vector<Place> places_;
  std::string coordinate_;
  double begin_ = 0, duration_ = 1, length_ = 1;
  double lasts_ = 0, first_width_ = 0;
};

}  // namespace cauchy::detail
