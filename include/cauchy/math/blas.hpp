#pragma once

#include <cauchy/math/matrix.hpp>  // MatrixView, VectorView
#include <cstddef>

namespace cauchy {

// Basic linear algebra on row-major views, for float and double. Shapes are checked first (Error
// names the routine and both sizes); empty operands are legal. Outputs must not overlap inputs.
// When beta is zero the old content of the output is not read, so it may be NaN.

enum class Transpose { no, yes };
enum class Half { lower, upper };  ///< of a matrix, with the diagonal
enum class Side { left, right };
enum class Diagonal { general, unit };

/// x'y.
double dot(VectorView<const double> x, VectorView<const double> y);
float dot(VectorView<const float> x, VectorView<const float> y);

/// y <- alpha x + y.
void axpy(double alpha, VectorView<const double> x, VectorView<double> y);
void axpy(float alpha, VectorView<const float> x, VectorView<float> y);

/// x <- alpha x.
void scal(double alpha, VectorView<double> x);
void scal(float alpha, VectorView<float> x);

/// Euclidean norm without needless overflow.
double nrm2(VectorView<const double> x);
float nrm2(VectorView<const float> x);

/// y <- alpha op(A) x + beta y.
void gemv(Transpose op, double alpha, MatrixView<const double> a, VectorView<const double> x,
          double beta, VectorView<double> y);
void gemv(Transpose op, float alpha, MatrixView<const float> a, VectorView<const float> x,
          float beta, VectorView<float> y);

/// y <- alpha A x + beta y, A symmetric; only the named triangle of A is read.
void symv(Half triangle, double alpha, MatrixView<const double> a, VectorView<const double> x,
          double beta, VectorView<double> y);
void symv(Half triangle, float alpha, MatrixView<const float> a, VectorView<const float> x,
          float beta, VectorView<float> y);

/// A <- alpha x y' + A.
void ger(double alpha, VectorView<const double> x, VectorView<const double> y,
         MatrixView<double> a);
void ger(float alpha, VectorView<const float> x, VectorView<const float> y, MatrixView<float> a);

/// A <- alpha x x' + A; only the named triangle of A is changed.
void syr(Half triangle, double alpha, VectorView<const double> x, MatrixView<double> a);
void syr(Half triangle, float alpha, VectorView<const float> x, MatrixView<float> a);

/// A <- alpha (x y' + y x') + A; only the named triangle of A is changed.
void syr2(Half triangle, double alpha, VectorView<const double> x, VectorView<const double> y,
          MatrixView<double> a);
void syr2(Half triangle, float alpha, VectorView<const float> x, VectorView<const float> y,
          MatrixView<float> a);

/// C <- alpha op_a(A) op_b(B) + beta C.
void gemm(Transpose op_a, Transpose op_b, double alpha, MatrixView<const double> a,
          MatrixView<const double> b, double beta, MatrixView<double> c);
void gemm(Transpose op_a, Transpose op_b, float alpha, MatrixView<const float> a,
          MatrixView<const float> b, float beta, MatrixView<float> c);

/// C <- alpha op(A) op(A)' + beta C; only the named triangle of C is changed.
void syrk(Half triangle, Transpose op, double alpha, MatrixView<const double> a, double beta,
          MatrixView<double> c);
void syrk(Half triangle, Transpose op, float alpha, MatrixView<const float> a, float beta,
          MatrixView<float> c);

/// x <- op(A)^-1 x, A triangular (BLAS trsv). A zero on the diagonal gives infinities.
void solve_triangular(Half triangle, Transpose op, MatrixView<const double> a, VectorView<double> x,
                      Diagonal diagonal = Diagonal::general);
void solve_triangular(Half triangle, Transpose op, MatrixView<const float> a, VectorView<float> x,
                      Diagonal diagonal = Diagonal::general);

/// B <- alpha op(A)^-1 B (left) or alpha B op(A)^-1 (right), A triangular (BLAS trsm).
void solve_triangular(Side side, Half triangle, Transpose op, double alpha,
                      MatrixView<const double> a, MatrixView<double> b,
                      Diagonal diagonal = Diagonal::general);
void solve_triangular(Side side, Half triangle, Transpose op, float alpha,
                      MatrixView<const float> a, MatrixView<float> b,
                      Diagonal diagonal = Diagonal::general);

}  // namespace cauchy
