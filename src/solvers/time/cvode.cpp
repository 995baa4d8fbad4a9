#include "solvers/time/cvode.hpp"

#include <cvode/cvode.h>
#include <new>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>

#include "optimizers/vector_ops.hpp"  // all_finite
#include "solvers/time/sundials.hpp"

namespace cauchy::detail {
namespace {

/// What the functions that CVODE calls work with.
struct CvodeSystem {
  const StiffSystem* system;
  Matrix jacobian, newton;  // newton = I - gamma jacobian
  Lu<double> lu;
  SundialsGuard guard;
};

int cvode_slope(realtype t, N_Vector y, N_Vector dy, void* data) {
  auto& s = *static_cast<CvodeSystem*>(data);
  return s.guard.call([&] {
    s.system->slope(t, values_of(y), values_of(dy));
    return all_finite(values_of(dy));
  });
}

int cvode_matrix(realtype t, N_Vector y, N_Vector /*fy*/, SUNMatrix, booleantype still_good,
                 booleantype* is_new, realtype gamma, void* data, N_Vector, N_Vector, N_Vector) {
  auto& s = *static_cast<CvodeSystem*>(data);
  return s.guard.call([&] {
    *is_new = still_good ? SUNFALSE : SUNTRUE;
    if (!still_good) s.system->jacobian(t, values_of(y), s.jacobian);
    const std::size_t n = s.jacobian.rows();
    s.newton = Matrix(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        s.newton(i, j) = (i == j ? 1 : 0) - gamma * s.jacobian(i, j);
      }
    }
    return all_finite({s.newton.data(), n * n});
  });
}

}  // namespace

TimeResult integrate_cvode(const StiffSystem& system, double t0, std::vector<double> y0, double t1,
                           double relative, double absolute, const StopAsked& stop,
                           std::size_t max_steps, const StepSeen& seen) {
  if (!(relative >= 0 && absolute >= 0 && relative + absolute > 0)) {
    throw Error("tolerances of a time integration must be positive", "[solvers.time]");
  }
  TimeResult result;
  const auto keep = [&](double t, std::span<const double> y) {
    result.times.push_back(t);
    result.states.emplace_back(y.begin(), y.end());
  };
  keep(t0, y0);
  if (t0 == t1 || y0.empty()) return result;

  CvodeSystem s{.system = &system, .jacobian = {}, .newton = {}, .lu = {}, .guard = {}};
  const SundialsContext context;
  const SundialsVector y(y0, context), dy(y0, context);
  const SundialsLinearSolver linear(
      [&] { return (s.lu = lu(s.newton.view())).status == Factorization::ok; },
      [&](std::span<double> b) {
        s.lu.solve(VectorView<double>(b.data(), b.size()));
        return all_finite(b);
      },
      context);
  const std::unique_ptr<void, void (*)(void*)> cvode(CVodeCreate(CV_BDF, context.get()),
                                                     [](void* p) { CVodeFree(&p); });
  void* const mem = cvode.get();
  if (mem == nullptr) throw std::bad_alloc();
  const auto must = [](int code) {
    if (code < 0) {
      throw Error(fmt::format("CVODE refused its settings ({})", code), "[solvers.time]");
    }
  };
  must(CVodeSetErrHandlerFn(mem, ignore_sundials_message, nullptr));
  must(CVodeInit(mem, cvode_slope, t0, y.get()));
  must(CVodeSStolerances(mem, relative, absolute));
  must(CVodeSetUserData(mem, &s));
  must(CVodeSetLinearSolver(mem, linear.solver(), linear.matrix()));
  must(CVodeSetLinSysFn(mem, cvode_matrix));
  must(CVodeSetStopTime(mem, t1));
  must(CVodeSetMaxErrTestFails(mem, 50));

  if (seen) {
    system.slope(t0, y0, dy.values());
    seen(t0, y0, dy.values());
  }
  double t = t0;
  while (t != t1) {
    if (stop && stop(t)) {
      result.interrupted = true;
      break;
    }
    const double before = t;
    int code = CVode(mem, t1, y.get(), &t, CV_ONE_STEP);
    if (code >= 0 && is_standstill(before, t)) code = sundials_step_too_small;
    if (code < 0) {
      s.guard.finish();
      result.trouble = sundials_trouble(code, t);
      break;
    }
    if (!all_finite(y.values())) {
      result.trouble = fmt::format("the solution is not finite at t = {:.6g}", t);
      break;
    }
    for (int part = 1; seen && part <= 4; ++part) {
      const double at = part == 4 ? t : before + (t - before) * part / 4;
      must(CVodeGetDky(mem, at, 0, y.get()));
      must(CVodeGetDky(mem, at, 1, dy.get()));
      seen(at, y.values(), dy.values());
    }
    if (++result.steps >= max_steps && t != t1) {
      result.trouble =
          fmt::format("more than {} steps were needed before t = {:.6g}", max_steps, t);
      break;
    }
  }
  keep(t, y.values());
  long evaluations = 0, errors = 0, failures = 0;
  must(CVodeGetNumRhsEvals(mem, &evaluations));
  must(CVodeGetNumErrTestFails(mem, &errors));
  must(CVodeGetNumNonlinSolvConvFails(mem, &failures));
  result.evaluations = static_cast<std::size_t>(evaluations);
  result.rejected = static_cast<std::size_t>(errors + failures);
  return result;
}

}  // namespace cauchy::detail
