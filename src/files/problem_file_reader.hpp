#pragma once

#include <map>
#include <string>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/files/problem_file.hpp>

#include "files/toml_section.hpp"

namespace cauchy::detail {

/// What the key "interpolation" may say.
inline Words<TableInterpolation> interpolation_words() {
  return {{"cubic", TableInterpolation::cubic},
          {"linear", TableInterpolation::linear},
          {"nearest", TableInterpolation::nearest}};
}

/// Builds a problem from the tree of its file. Names are collected first (domain, fields,
/// parameters, unknowns, functions, definitions), then come the forms that use them, so the order
/// of the sections in the file does not matter.
class ProblemReader final {
 public:
  /// op   receives what [operator] says, which the file must then have; its `problem` and `method`
  ///      are those of the file
  explicit ProblemReader(const TomlNode& root, OperatorProblem* op = nullptr)
      : root_(root), p_(file_.problem), operator_(op) {}
  [[nodiscard]] ProblemFile read();

 private:
  // --- the domain (problem_file_domain.cpp) ---
  void read_domain(const TomlNode& node);
  Region read_space(const TomlNode& node) const;
  Region read_region(const TomlSection& domain, const TomlNode& node) const;
  Region with_tags(Region region, const TomlNode& node) const;
  /// Parameters and ranges.
  [[nodiscard]] Context names_of_sizes() const;

  // --- names (problem_file_names.cpp) ---
  void read_header(const TomlSection& root);
  void read_parameters(const TomlNode* node);
  void read_sizes(const TomlNode* node);
  void read_unknowns(const TomlNode* node);
  void read_functions(const TomlNode* node);
  void read_definitions(const TomlNode* node);
  /// Throws Error when the definition cannot be read because it uses one below it, or itself.
  void expect_order(const TomlNode& node, const TomlNode& first) const;
  /// Throws Error for a name that an override made and that nothing in the file uses.
  void expect_used() const;
  /// Remembers where a name is given; forms can use it from now on.
  void declare(const std::string& name, const TomlNode& node);
  /// Declares names; an error gets the place of the name that is not accepted.
  template <class Declare>
  auto at_names(Declare declare_all) const {
    try {
      return declare_all();
    } catch (const Error& e) {
      fail_name(e);
    }
  }
  /// problem.context().
  [[nodiscard]] Context context() const;
  /// Adds the name of a node to a context.
  void add_parameter(Context& names, const TomlNode& node) const;
  /// A name that a context does not accept, at the place where it is declared.
  [[noreturn]] void fail_name(const Error& error, const TomlNode* node = nullptr) const;

  // --- functions as inputs (problem_file_operator.cpp) ---
  void read_inputs();
  void read_operator(const Method& method);
  void read_times(const TomlNode& node);

  // --- values (problem_file_names.cpp) ---
  /// A number, or a string with an expression of parameters.
  [[nodiscard]] double number(const TomlNode& node) const;
  void number(const TomlSection& section, std::string_view key, double& value) const;
  /// The key "weight": a number that is not negative, or an expression.
  void weight(const TomlSection& section, double& value) const;
  void weight(const TomlSection& section, Expr& value) const;
  [[nodiscard]] std::vector<const TomlNode*> ends(const TomlNode& node) const;
  /// A number or an expression in a context.
  [[nodiscard]] static Expr expression(const TomlNode& node, const Context& context);
  struct File {
    std::string name;  ///< seen from the folder of the main file
    Table table;
  };
  [[nodiscard]] File read_data(const TomlSection& section) const;
  /// The key "interpolation"; cubic without it.
  [[nodiscard]] static TableInterpolation interpolation(const TomlSection& section);
  static void need_column(const TomlNode& node, const Table& table, const std::string& column);

  // --- what holds where (problem_file_terms.cpp, problem_file_reference.cpp) ---
  void read_equation(const TomlNode& node);
  void read_condition(const TomlNode& node);
  void read_where(const TomlNode& node, const Condition& condition) const;
  /// On an interval the boundary is two points: whether one of them is selected is seen at once.
  void expect_ends(const Boundary& boundary) const;
  void read_observation(const TomlNode& node);
  /// A number, or the name of a column.
  void read_sigma(const TomlNode& node, const Table& table, Observation& o) const;
  void read_reference(const TomlNode& node);
  /// What errors name, and where it stands in the file.
  [[nodiscard]] std::map<std::string, std::string> places() const;
  void place_method(const TomlNode* node);
  /// The method of a file that names none, with what --set changes of it.
  [[nodiscard]] Method default_of(const TomlNode* changes) const;

  const TomlNode& root_;
  ProblemFile file_;
  Problem& p_;
  OperatorProblem* operator_;
  std::map<std::string, const TomlNode*> names_;
  Context numbers_;         // parameters
  ParameterValues values_;  // of them
  Context names_of_problem_;
  std::vector<const TomlNode*> equations_, conditions_, observations_;
};

/// The error at the place of what it names; as it is when nothing fits.
[[nodiscard]] Error placed(const Error& e, const std::map<std::string, std::string>& places);

}  // namespace cauchy::detail
