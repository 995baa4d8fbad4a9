#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <cauchy/problem/place.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// Expressions of a problem in the form that methods take: parameters are numbers, ranges are
/// coordinates, bounded unknown constants are functions of free ones.
class Lowering final {
 public:
  explicit Lowering(const Problem& problem);

  [[nodiscard]] Expr operator()(const Expr& e) const;
  /// The same with the written form of e (expr/written.hpp), for methods that start from fluxes.
  [[nodiscard]] Expr written(const Expr& e) const;

  /// The constant of the network that stands for an unknown, and its first value.
  struct Free {
    std::string name;
    double initial;
    Expr value;  ///< the unknown as a function of the constant
  };
  [[nodiscard]] const std::vector<Free>& unknowns() const noexcept { return free_; }

 private:
  std::vector<std::pair<Expr, Expr>> replacements_;
  std::unordered_map<const void*, std::size_t> position_;  // of a parameter in them
  std::vector<Free> free_;
};

/// Characteristic sizes, all 1 (with centres 0) when scaling is off.
struct Sizes {
  struct Axis {
    std::string name;
    double center = 0, half = 1;
  };
  std::vector<Axis> axes;                ///< in the order of the coordinates
  std::map<std::string, double> fields;  ///< size of each field
  /// What each field varies by, for its derivatives; empty: as much as its size.
  std::map<std::string, double> variations = {};
};

/// Half widths of the domain, and sizes of the fields: Problem::sizes, else the largest value in
/// conditions and observations, else 1.
[[nodiscard]] Sizes characteristic_sizes(const Problem& problem, const Lowering& lower, bool scale);

/// The largest parts of an expression that hold coordinates or tables, but no field: sources and
/// coefficients. A coordinate by itself is none.
[[nodiscard]] std::vector<Expr> known_functions(const Expr& e);

/// The summands of an expression with the brackets around fields opened, as far as that stays
/// small: 20*u*(1 - u) has two.
[[nodiscard]] std::vector<Expr> additive_terms(const Expr& e);

/// Size of a residual: the largest of its summands for fields of their size that vary over the half
/// widths of the domain; 1 when that is 0 or not known. Components of normals are 1 where
/// variations are given, and not known else.
[[nodiscard]] double residual_size(const Expr& residual, const Problem& problem,
                                   const Sizes& sizes);

}  // namespace cauchy::detail
