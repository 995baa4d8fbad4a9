#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/math/matrix.hpp>

// Entropies of discrete laws, in nats (divide by log 2 for bits). Probabilities may be given as
// counts or other numbers that are not negative: they are divided by their sum.
//   error    throws Error for a negative number, one that is not finite, or a sum of 0

namespace cauchy {

/// H(X) = -sum p log p, with 0 log 0 = 0.
[[nodiscard]] double entropy(std::span<const double> p);
/// D(p | q) = sum p log(p / q), not negative; infinite where q is 0 and p is not.
[[nodiscard]] double relative_entropy(std::span<const double> p, std::span<const double> q);

/// What a joint law of X (rows) and Y (columns) says:
///   I(X;Y) = H(X) + H(Y) - H(X,Y) = H(X) - H(X|Y) = H(Y) - H(Y|X)
struct JointEntropies {
  double x = 0, y = 0, joint = 0;       ///< H(X), H(Y), H(X,Y)
  double x_given_y = 0, y_given_x = 0;  ///< means of the entropies of rows and columns
  double mutual = 0;                    ///< I(X;Y), as D of the joint law and of the product
};
[[nodiscard]] JointEntropies joint_entropies(MatrixView<const double> p);
/// I(X;Y) alone.
[[nodiscard]] double mutual_information(MatrixView<const double> p);

/// -log(1 - rho^2) / 2: I of two normal variables with this correlation; infinite for |rho| = 1.
///   error    throws Error unless |rho| <= 1
[[nodiscard]] double gaussian_mutual_information(double rho);

/// Laws of samples: labels[i] is the cell of sample i.
[[nodiscard]] double entropy_of(std::span<const std::size_t> labels);
/// I of two labels of the same samples, at most the entropy of either. Of n samples it is too large
/// by about (cells of X - 1) (cells of Y - 1) / (2 n) on average.
///   error    throws Error for lists of unequal length, or none
[[nodiscard]] double mutual_information(std::span<const std::size_t> x,
                                        std::span<const std::size_t> y);

/// The cell of every row: each column cut into `bins` equal intervals between its least and its
/// largest value; equal rows of cells get equal labels, numbered in the order of their first
/// appearance. A constant column has one cell.
///   error    throws Error for 0 bins or values that are not finite
[[nodiscard]] std::vector<std::size_t> bin_rows(MatrixView<const double> values, std::size_t bins);

}  // namespace cauchy
