#pragma once

#include <string>

#include <cauchy/files/operator_file.hpp>

namespace cauchy {

/// A problem of one field u and a coefficient a that jumps, on a box of 1 or 2 axes.
inline OperatorProblem box_problem(const std::string& equation, const std::string& conditions,
                                   int nodes, int axes, const std::string& more = "") {
  const std::string space = axes == 1 ? "x = [0, 1]" : "x = [0, 1], y = [0, 1]";
  const std::string grid = std::to_string(nodes) + (axes == 1 ? "" : ", " + std::to_string(nodes));
  return parse_operator_file(
             "name = \"box\"\nfields = [\"u\"]\n[domain]\n" + more + "space = { " + space +
                 " }\n[[equation]]\nform = \"" + equation + "\"\n" + conditions +
                 "[operator]\ninputs = { a = { field = \"grf(alpha = 2, tau = 3)\", map = "
                 "\"where(g > 0, 12, 3)\" } }\noutputs = [\"u\"]\ngrid = [" +
                 grid + "]\nrefine = 1\nsamples = 6\nvalidation = 2\ntest = 2\n",
             "box.toml")
      .problem;
}

/// u = value on all of the boundary.
inline std::string fixed(const std::string& value) {
  return "[[condition]]\nwhere = \"boundary\"\nform = \"u = " + value + "\"\n";
}

}  // namespace cauchy
