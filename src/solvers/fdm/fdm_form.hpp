#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/expr/written.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// One equation of a problem, brought to what differences need.
struct FdmEquation {
  std::string name;
  std::vector<Summand> summands;  ///< as it was written; their sum is the residual
  Expr residual;
};

/// A condition on the boundary, or (order in time above 0) its derivative in time.
struct FdmCondition {
  std::size_t source = 0;  ///< index in Problem::condition
  Expr residual;
  std::vector<std::size_t> fields;  ///< that it holds, indices in FdmForm::fields
  int order = 0;                    ///< of the derivatives in space
  int in_time = 0;                  ///< how often it was differentiated in time
};

/// A row beside those of the nodes: a condition at one point, or on an integral.
struct FdmExtra {
  Expr residual;              ///< of an integral: the left side
  double value = 0;           ///< of an integral
  std::string where = {};     ///< of an integral: "domain", or a part of the boundary
  std::vector<double> point;  ///< in space; empty: an integral
  std::size_t field = 0;      ///< whose equation takes up the slack
};

/// A field that one equation gives by others: u = -k*p_x.
struct FdmGiven {
  std::string name;
  Expr value;  ///< of fields that are not given themselves
};

/// A problem as one first-order (in time) residual per field: fields that an equation gives
/// explicitly are put into the others, higher derivatives in time become fields of their own.
struct FdmForm {
  std::vector<std::string> fields;     ///< unknown ones of the problem first, then velocities
  std::vector<std::size_t> origin;     ///< field of which it is the `rate`-th derivative in time
  std::vector<int> rate;               ///< 0: a field of the problem
  std::vector<FdmEquation> equations;  ///< the k-th determines the k-th field
  std::vector<FdmCondition> conditions;
  std::vector<std::string> periodic;  ///< coordinates
  std::vector<FdmExtra> extras;
  std::vector<FdmGiven> given;
  std::vector<std::string> space;
  std::string time;  ///< name; empty: steady
  bool linear = true;
  std::vector<std::string> remarks;
};

///   error    throws Error (unsupported) for what finite differences cannot treat, with the reason
[[nodiscard]] FdmForm fdm_form(const Problem& problem);

/// Which equation determines which field: the one with its highest derivative, in time before
/// space.
///   returns  the equation of each field, as many as there are equations
///   error    throws Error (unsupported) for constraints such as u_x + v_y = 0
[[nodiscard]] std::vector<std::size_t> match_equations(const FdmForm& form,
                                                       const std::vector<FdmEquation>& equations);

/// Orders of a derivative by the coordinates of space.
[[nodiscard]] std::vector<int> space_orders(const Expr& atom,
                                            const std::vector<std::string>& space);
/// Order by time.
[[nodiscard]] int time_order(const Expr& atom, const std::string& time);

}  // namespace cauchy::detail
