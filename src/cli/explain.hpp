#pragma once

#include <string>
#include <vector>

#include <cauchy/files/problem_file.hpp>

namespace cauchy::cli {

/// The method of a file with nothing left to choose: a recipe as the settings that it stands for,
/// and the optimisers that a method without any takes.
struct Explained {
  std::string recipe = {};            ///< its name; empty: the method is no recipe
  std::vector<std::string> why = {};  ///< what it chose, one sentence each
  Method method = {};
};
/// `prepared` is the method of the file, `cost` its cost.
[[nodiscard]] Explained explain(const ProblemFile& file, const PreparedMethod& prepared,
                                const MethodCost& cost);

/// [method] with every key, what was chosen as comments before it: in place of that of the file it
/// gives the same run to the last bit.
[[nodiscard]] std::string explained_text(const Explained& explained, const std::string& problem);

/// "auto: pinn, 32 x 3 tanh, 2241 parameters, adam 500, ssbroyden 4000, f64".
[[nodiscard]] std::string method_line(const Explained& explained, const MethodCost& cost);

}  // namespace cauchy::cli
