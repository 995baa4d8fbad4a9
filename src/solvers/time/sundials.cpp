#include "solvers/time/sundials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>

namespace cauchy::detail {

SundialsContext::SundialsContext() {
  if (SUNContext_Create(nullptr, &context_) != 0) throw std::bad_alloc();
}
SundialsContext::~SundialsContext() { SUNContext_Free(&context_); }

SundialsVector::SundialsVector(std::span<const double> values, const SundialsContext& context)
    : vector_(N_VNew_Serial(static_cast<sunindextype>(values.size()), context.get())) {
  if (vector_ == nullptr) throw std::bad_alloc();
  std::copy(values.begin(), values.end(), values_of(vector_).begin());
}
SundialsVector::~SundialsVector() { N_VDestroy(vector_); }
std::span<double> SundialsVector::values() const { return values_of(vector_); }

std::span<double> values_of(N_Vector v) {
  return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))};
}

SundialsLinearSolver::SundialsLinearSolver(std::function<bool()> factor,
                                           std::function<bool(std::span<double>)> solve,
                                           const SundialsContext& context)
    : factor_(std::move(factor)),
      solve_(std::move(solve)),
      matrix_(SUNMatNewEmpty(context.get())),
      solver_(SUNLinSolNewEmpty(context.get())) {
  if (matrix_ == nullptr || solver_ == nullptr) throw std::bad_alloc();
  matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix_->ops->zero = [](SUNMatrix) { return 0; };
  solver_->content = this;
  solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  solver_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  solver_->ops->initialize = [](SUNLinearSolver) { return 0; };
  solver_->ops->setup = &SundialsLinearSolver::setup;
  solver_->ops->solve = &SundialsLinearSolver::run;
}
SundialsLinearSolver::~SundialsLinearSolver() {
  SUNMatFreeEmpty(matrix_);
  solver_->content = nullptr;
  SUNLinSolFreeEmpty(solver_);
}

int SundialsLinearSolver::setup(SUNLinearSolver s, SUNMatrix /*a*/) {
  return static_cast<SundialsLinearSolver*>(s->content)->factor_() ? 0 : 1;
}
int SundialsLinearSolver::run(SUNLinearSolver s, SUNMatrix /*a*/, N_Vector x, N_Vector b,
                              realtype /*tolerance*/) {
  N_VScale(1, b, x);
  return static_cast<SundialsLinearSolver*>(s->content)->solve_(values_of(x)) ? 0 : 1;
}

int SundialsGuard::call(const std::function<bool()>& code) noexcept {
  try {
    return code() ? 0 : 1;
  } catch (...) {
    thrown_ = std::current_exception();
    return -1;
  }
}

void ignore_sundials_message(int /*code*/, const char* /*module*/, const char* /*function*/,
                             char* /*message*/, void* /*data*/) {}

bool is_standstill(double before, double now) noexcept {
  return std::abs(now - before) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(now);
}

std::string sundials_trouble(int code, double t) {
  switch (code) {
    case -2:
      return fmt::format("the tolerance is too small for the arithmetic at t = {:.6g}", t);
    case sundials_step_too_small:
      return fmt::format(
          "the step became too small at t = {:.6g}: the solution has a singularity, "
          "or the tolerance is too small",
          t);
    case -4:
    case -6:
    case -7:
      return fmt::format("the equations of a step could not be solved at t = {:.6g}", t);
    case -8:
    case -9:
    case -10:
    case -11:
    case -12:
      return fmt::format("the equations are not finite at t = {:.6g}", t);
    default:
      return fmt::format("the integration failed at t = {:.6g} (code {})", t, code);
  }
}

}  // namespace cauchy::detail
