#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/problem/solution.hpp>
#include <cauchy/solvers/pinn.hpp>

namespace cauchy::detail {

/// A quantity that one window of time hands on to the next: a field, or a derivative of it by time.
struct HandedOn {
  std::string field;
  int order = 0;
  [[nodiscard]] Expr expression(const std::string& time) const;
};
/// All of them: the derivatives below the highest one of every field in the equations.
[[nodiscard]] std::vector<HandedOn> handed_on(const Problem& problem);

/// A part of the time of a problem.
struct Window {
  double begin = 0, end = 1;
  double beyond = 0;                         ///< it is trained so far behind its end
  std::map<std::string, double> sizes = {};  ///< of fields; empty: those of the problem
  /// Values at its begin, in the order of handed_on(), in a problem of time alone: they are
  /// conditions. Empty: the conditions of the problem (first window), or a field hands them on.
  std::vector<double> start = {};
};

/// Throws Error (unsupported) for what windows cannot treat: no time, conditions at several times,
/// data and unknown constants that belong to all of the time.
void expect_windows(const Problem& problem);
/// The same, and Error for lengths that contradict each other or that time cannot resolve, and for
/// more windows than steps.
void expect_windows(const Problem& problem, const WindowCurriculum& rule);
/// The shortest window that the numbers of time resolve.
[[nodiscard]] double least_window(const Time& time);

/// The problem between the begin of a window and where its training ends. After the first one its
/// initial conditions are left out, or replaced by Window::start.
[[nodiscard]] Problem window_problem(const Problem& problem, const Window& window);

/// The initial conditions of a problem that can be built in, marked so.
[[nodiscard]] Problem with_hard_initial(const Problem& problem);

}  // namespace cauchy::detail
