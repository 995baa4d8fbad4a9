#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include <cauchy/engine/cpp_header.hpp>
#include <cauchy/engine/jet_spec.hpp>

#include "base/arena.hpp"
#include "engine/expression_jets.hpp"

namespace cauchy::detail {

/// The rules of a set of derivatives as a struct of tables.
[[nodiscard]] std::string cpp_rules(std::string_view name, const JetSpec& jets);

/// The fields of a network and where they lie in its graph.
///   error    throws Error when an output is missing
[[nodiscard]] std::vector<Graph::Output> fields_of(const TrainedNetwork& network);

/// One network as code: its numbers, its expressions for every set of derivatives, and a template
/// `evaluate` with the place out[output * components + component].
class CppNetwork final {
 public:
  CppNetwork(const TrainedNetwork& network, std::span<const JetSpec> sets);

  [[nodiscard]] const std::set<Activation>& activations() const { return activations_; }
  /// All in a namespace of its own, part_0, part_1, ...; the sets are its structs jets_0, ...
  [[nodiscard]] std::string text(std::size_t part) const;

 private:
  void place();
  void write(int i);
  void affine(int i, const Operation& op);
  void basis(int i, const Operation& op);
  void expression(int i, const Operation& op, std::size_t set);
  [[nodiscard]] std::string at(int value) const;
  std::string array(std::string_view prefix, int op, const std::vector<double>& numbers);
  [[nodiscard]] std::vector<double> parameters(std::ptrdiff_t first, std::ptrdiff_t n) const;

  const Graph& graph_;
  std::vector<Graph::Output> fields_;
  const std::vector<double>& theta_;
  std::span<const JetSpec> sets_;
  std::vector<Replacement> numbers_of_names_;
  ArenaPlanner arena_;
  std::vector<bool> needed_;
  std::size_t rows_ = 0;
  std::set<Activation> activations_;
  std::string numbers_, calls_;
  std::vector<std::string> expressions_;  ///< of every set
};

}  // namespace cauchy::detail
