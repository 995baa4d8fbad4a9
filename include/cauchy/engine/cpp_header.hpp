#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/engine/graph.hpp>

namespace cauchy {

/// A network with its parameters, ready for use.
struct TrainedNetwork {
  std::shared_ptr<const Graph> graph;
  std::vector<double> theta;
  std::map<std::string, double> known = {};  ///< numbers of parameters in expressions
  /// Fields and the outputs of the graph that they are; empty: all outputs, by their names.
  std::vector<std::pair<std::string, std::string>> outputs = {};
  /// Of several networks the first one whose expression of the coordinates is not 0 at a point
  /// counts there, or the last one.
  Expr where = 1;
};

struct CppHeaderOptions {
  std::string name = "network";                  ///< of the namespace
  std::vector<Expr> derivatives = {};            ///< of fields: u_x, u_xx
  std::map<std::string, double> constants = {};  ///< written down as numbers
  std::string comment = {};                      ///< first line of the header; see cpp_comment
};

/// A header of C++17 that needs the standard library only. In its namespace
///   double u(double t, double x)      a function for every field and every chosen derivative,
///                                     named u_x, u_tt; their arguments are all coordinates
///   Jet jet(double t, double x)       all of them at once, as members of the same names
/// Double arithmetic, thread-safe; equal to Executor::predict up to rounding.
///   error    throws Error for networks with inputs from outside, of different fields or
///            coordinates, for a basis that has no code, and for what is not a derivative of a
///            field
[[nodiscard]] std::string to_cpp_header(std::span<const TrainedNetwork> networks,
                                        const CppHeaderOptions& options = {});

}  // namespace cauchy
