#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

namespace cauchy::detail {

/// The context that every object of SUNDIALS needs. Silent: nothing is printed.
class SundialsContext final {
 public:
  SundialsContext();
  ~SundialsContext();
  SundialsContext(const SundialsContext&) = delete;
  SundialsContext& operator=(const SundialsContext&) = delete;
  [[nodiscard]] SUNContext get() const noexcept { return context_; }

 private:
  SUNContext context_ = nullptr;
};

/// A vector of SUNDIALS.
class SundialsVector final {
 public:
  SundialsVector(std::span<const double> values, const SundialsContext& context);
  ~SundialsVector();
  SundialsVector(const SundialsVector&) = delete;
  SundialsVector& operator=(const SundialsVector&) = delete;
  [[nodiscard]] N_Vector get() const noexcept { return vector_; }
  [[nodiscard]] std::span<double> values() const;

 private:
  N_Vector vector_;
};
[[nodiscard]] std::span<double> values_of(N_Vector v);

/// A direct linear solver of ours as SUNDIALS takes it: a matrix without content, which the call
/// for the Jacobian fills on our side, and a solver that factors and solves it.
class SundialsLinearSolver final {
 public:
  /// factor   false: singular
  /// solve    overwrites its argument with the solution; false: not finite
  SundialsLinearSolver(std::function<bool()> factor, std::function<bool(std::span<double>)> solve,
                       const SundialsContext& context);
  ~SundialsLinearSolver();
  SundialsLinearSolver(const SundialsLinearSolver&) = delete;
  SundialsLinearSolver& operator=(const SundialsLinearSolver&) = delete;
  [[nodiscard]] SUNMatrix matrix() const noexcept { return matrix_; }
  [[nodiscard]] SUNLinearSolver solver() const noexcept { return solver_; }

 private:
  static int setup(SUNLinearSolver s, SUNMatrix a);
  static int run(SUNLinearSolver s, SUNMatrix a, N_Vector x, N_Vector b, realtype tolerance);

  std::function<bool()> factor_;
  std::function<bool(std::span<double>)> solve_;
  SUNMatrix matrix_;
  SUNLinearSolver solver_;
};

/// Calls code of ours from C: what it throws is kept and thrown again by finish(), since
/// exceptions must not fly through C.
///   returns  0: went well; 1: a value is not finite, SUNDIALS may try a smaller step; -1: it threw
class SundialsGuard final {
 public:
  int call(const std::function<bool()>& code) noexcept;
  void finish() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

/// Takes messages and drops them: what went wrong is told by codes (sundials_trouble).
void ignore_sundials_message(int code, const char* module, const char* function, char* message,
                             void* data);

/// Whether a step is lost in the rounding of time: integrators would go on with such steps.
[[nodiscard]] bool is_standstill(double before, double now) noexcept;
inline constexpr int sundials_step_too_small = -3;

/// One sentence for a negative code of CVode or IDASolve at time t; the codes of both agree.
[[nodiscard]] std::string sundials_trouble(int code, double t);

}  // namespace cauchy::detail
