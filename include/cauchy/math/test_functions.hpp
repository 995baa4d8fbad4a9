#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cauchy {

/// Families of functions of one variable that equations are tested with. On an interval with s from
/// 0 to 1 and r = 2 s - 1, for k = 1, 2, ...; those that vanish at both ends, and those that need
/// not:
///   sine      sin(k pi s);                        cos((k - 1) pi s)
///   legendre  P_{k+1}(r) - P_{k-1}(r);            P_{k-1}(r)
///   jacobi    (1 - r^2) P_{k-1}^(alpha, beta)(r); P_{k-1}^(alpha, beta)(r)
///   spline    B-splines over equal intervals, without the first and the last; all of them
///   hat       the same of degree 1
enum class TestFamily : std::uint8_t { sine, legendre, jacobi, spline, hat };

/// A finite set of test functions on an interval.
///   elements  equal parts of the interval. Each carries `count` functions that are 0 elsewhere;
///             of splines and hats the elements are the intervals, and `count` is not looked at
///   vertices  where functions vanish at the ends of elements, hat functions of the inner ends
///             stand beside them: together they are all continuous piecewise polynomials
///   vanish    all functions are 0 at both ends of the interval
struct TestFunctions {
  TestFamily family = TestFamily::legendre;
  std::size_t count = 10;
  std::size_t elements = 1;
  bool vertices = true;
  bool vanish = true;
  double alpha = 1, beta = 1;  ///< of Jacobi polynomials
  std::size_t degree = 3;      ///< of splines
};

/// Test functions at the nodes of a Gauss rule on every element. Integration by parts of a smooth f
/// is exact up to the rule, element by element:
///   int f' v = -int f v' + sum over faces of f jump[0],  int f' v' = -int f v'' + sum f jump[1]
struct TabulatedTests {
  std::vector<double> nodes, weights;  ///< ascending; elements x nodes per element
  std::vector<double> faces;           ///< ends of the elements, elements + 1
  struct Function {
    std::size_t first = 0, first_face = 0;
    /// at[j]: j-th derivative at nodes[first], nodes[first + 1], ...; 0 at all others.
    std::array<std::vector<double>, 3> at = {};
    /// jump[j]: j-th derivative below faces[first_face], faces[first_face + 1], ... minus that
    /// above; 0 beyond the interval.
    std::array<std::vector<double>, 2> jump = {};
    /// norm[j]: (int of the square of the j-th derivative)^(1/2) by the rule.
    std::array<double, 2> norm = {};
  };
  std::vector<Function> functions;
};

/// The functions with a rule of n nodes per element, exact for polynomials of degree 2 n - 1 on it.
/// n = 0: twice the functions of an element (the degree of splines) and 4.
///   error    throws Error unless lower < upper, all counts are positive, alpha and beta above -1,
///            and splines have at least one function
[[nodiscard]] TabulatedTests tabulate(const TestFunctions& tests, double lower, double upper,
                                      std::size_t n = 0);

}  // namespace cauchy
