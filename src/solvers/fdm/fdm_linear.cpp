#include "solvers/fdm/fdm_linear.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

constexpr const char* linear_place = "[solvers.fdm]";

const char* linear_name(LinearSolver kind) {
  switch (kind) {
    case LinearSolver::jacobi:
      return "jacobi";
    case LinearSolver::gauss_seidel:
      return "gauss-seidel";
    case LinearSolver::sor:
      return "sor";
    case LinearSolver::cg:
      return "cg";
    case LinearSolver::multigrid:
      return "multigrid";
    default:
      return "direct";
  }
}

/// Rows with more than a diagonal, and the matrix of them.
SparseMatrix inner_part(const SparseMatrix& a, std::vector<std::size_t>& rows) {
  std::vector<std::size_t> position(a.rows(), a.rows());
  rows.clear();
  for (std::size_t i = 0; i < a.rows(); ++i) {
    bool alone = true;
    for (auto e = static_cast<std::size_t>(a.begin()[i]);
         e < static_cast<std::size_t>(a.begin()[i + 1]); ++e) {
      alone = alone && (a.values()[e] == 0 || static_cast<std::size_t>(a.columns()[e]) == i);
    }
    if (alone) continue;
    position[i] = rows.size();
    rows.push_back(i);
  }
  std::vector<SparseMatrix::Entry> entries;
  for (const std::size_t i : rows) {
    for (auto e = static_cast<std::size_t>(a.begin()[i]);
         e < static_cast<std::size_t>(a.begin()[i + 1]); ++e) {
      const std::size_t j = position[static_cast<std::size_t>(a.columns()[e])];
      if (j < a.rows() && a.values()[e] != 0) entries.push_back({position[i], j, a.values()[e]});
    }
  }
  return {rows.size(), rows.size(), entries};
}

bool is_symmetric(const SparseMatrix& a) {
  double largest = 0;
  for (const double v : a.values()) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (auto e = static_cast<std::size_t>(a.begin()[i]);
         e < static_cast<std::size_t>(a.begin()[i + 1]); ++e) {
      const auto j = static_cast<std::size_t>(a.columns()[e]);
      if (std::abs(a.values()[e] - a(j, i)) > 1e-10 * largest) return false;
    }
  }
  return true;
}

}  // namespace

bool fdm_multigrid_fits(const Fdm& method) {
  return method.order == 2 && (method.linear_solver == LinearSolver::automatic ||
                               method.linear_solver == LinearSolver::multigrid);
}

double fdm_most_direct(std::size_t dimension) { return dimension == 2 ? 40'000 : 6'000; }

FdmLinear::FdmLinear(LinearSolver kind, FdmSystem::Tensor tensor, int order)
    : kind_(kind), tensor_(std::move(tensor)) {
  if (kind_ == LinearSolver::multigrid && (tensor_.shape.empty() || order > 2)) {
    throw Error(ErrorKind::unsupported,
                "multigrid needs one field on a box, differences of order 2 and no conditions at "
                "points or on integrals",
                linear_place, "set linear_solver = \"direct\"");
  }
  if (kind_ != LinearSolver::automatic) return;
  std::size_t n = 1;
  for (const std::size_t k : tensor_.shape) n *= k;
  const bool large = static_cast<double>(n) > fdm_most_direct(tensor_.shape.size());
  kind_ = order == 2 && tensor_.shape.size() > 1 && large ? LinearSolver::multigrid
                                                          : LinearSolver::direct;
}

void FdmLinear::require(const SparseMatrix& a) const {
  if (kind_ == LinearSolver::direct || kind_ == LinearSolver::multigrid) return;
  for (const double d : a.diagonal()) {
    if (d != 0) continue;
    throw Error(ErrorKind::unsupported,
                fmt::format("{} needs a diagonal without zeros, which this problem does not have",
                            linear_name(kind_)),
                linear_place, "set linear_solver = \"direct\"");
  }
  std::vector<std::size_t> rows;
  if (kind_ == LinearSolver::cg && !is_symmetric(inner_part(a, rows))) {
    throw Error(ErrorKind::unsupported,
                "cg needs a symmetric matrix, which the differences of this problem do not have",
                linear_place, "set linear_solver = \"direct\" or \"multigrid\"");
  }
}

std::string FdmLinear::factor_directly() {
  const Factorization status = lu_.factor(matrix_);
  factored_ = status == Factorization::ok;
  if (factored_) return {};
  return fmt::format(
      "the equations of the grid have no single solution (matrix {}): a field may be open, or the "
      "problem is at an eigenvalue",
      to_string(status));
}

std::string FdmLinear::factor(const SparseMatrix& a) {
  // Rows are of very different sizes (1/h^4 beside 1), which would spoil the choice of pivots.
  matrix_ = a;
  factored_ = false;
  scale_.assign(a.rows(), 1);
  const std::span<double> values = matrix_.values();
  for (std::size_t i = 0; i < a.rows() && kind_ != LinearSolver::cg; ++i) {
    const auto from = static_cast<std::size_t>(a.begin()[i]);
    const auto to = static_cast<std::size_t>(a.begin()[i + 1]);
    double largest = 0;
    for (std::size_t e = from; e < to; ++e) largest = std::max(largest, std::abs(values[e]));
    if (largest > 0) scale_[i] = 1 / largest;
    for (std::size_t e = from; e < to; ++e) values[e] *= scale_[i];
  }
  if (kind_ == LinearSolver::direct) return factor_directly();
  if (kind_ == LinearSolver::multigrid)
    multigrid_.emplace(matrix_, tensor_.shape, tensor_.periodic);
  if (kind_ == LinearSolver::cg) {
    inner_ = inner_part(matrix_, free_);
    const std::vector<double> diagonal = inner_.diagonal();
    sign_ = !diagonal.empty() && diagonal[0] < 0 ? -1 : 1;
    for (double& v : inner_.values()) v *= sign_;
  }
  return {};
}

std::string FdmLinear::iterate(std::span<const double> b, std::span<double> x,
                               const IterationOptions& options) {
  IterationResult result;
  if (kind_ == LinearSolver::cg) {
    // Values that stand alone first, then the others with these moved to the right side.
    const std::vector<double> diagonal = matrix_.diagonal();
    std::vector<double> known(x.size()), product(x.size()), f(free_.size()), inner(free_.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i) known[i] = b[i] / diagonal[i];
    for (const std::size_t i : free_) known[i] = 0;
    matrix_.multiply(known, product);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = sign_ * (b[free_[i]] - product[free_[i]]);
    result = conjugate_gradients(inner_, f, inner, options);
    std::copy(known.begin(), known.end(), x.begin());
    for (std::size_t i = 0; i < f.size(); ++i) x[free_[i]] = inner[i];
  } else if (kind_ == LinearSolver::jacobi) {
    result = jacobi(matrix_, b, x, options);
  } else if (kind_ == LinearSolver::gauss_seidel) {
    result = gauss_seidel(matrix_, b, x, options);
  } else if (kind_ == LinearSolver::sor) {
    result = sor(matrix_, b, x, options);
  } else {
    result = multigrid_->solve(b, x, options);
  }
  remark_ = fmt::format("{}: {} iterations, residual {:.1e}", linear_name(kind_), result.iterations,
                        result.residual());
  if (result.converged()) return {};
  return fmt::format("{} ended after {} iterations ({}), residual {:.1e}", linear_name(kind_),
                     result.iterations, to_string(result.status), result.residual());
}

std::string FdmLinear::solve(std::span<const double> b, std::span<double> x,
                             const std::function<bool()>& stop, double tolerance) {
  std::vector<double> scaled(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) scaled[i] = b[i] * scale_[i];
  if (kind_ != LinearSolver::direct && !factored_) {
    IterationOptions options;
    options.tolerance = tolerance;
    options.max_iterations = kind_ == LinearSolver::multigrid ? 100 : 200'000;
    options.stop = stop;
    std::string trouble = iterate(scaled, x, options);
    // What multigrid cannot solve, factors of moderate size can.
    if (trouble.empty() || kind_ != LinearSolver::multigrid || b.size() > 400'000 || stop()) {
      return trouble;
    }
    remark_ = trouble + "; solved by sparse factors instead";
    trouble = factor_directly();
    if (!trouble.empty()) return trouble;
  }
  lu_.solve(scaled);
  std::copy(scaled.begin(), scaled.end(), x.begin());
  return {};
}

}  // namespace cauchy::detail
