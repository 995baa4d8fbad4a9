#include "solvers/time/ida.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <ida/ida.h>

#include <cauchy/base/error.hpp>

#include "optimizers/vector_ops.hpp"  // all_finite
#include "solvers/time/sundials.hpp"

namespace cauchy::detail {
namespace {

/// What the functions that IDA calls work with.
struct IdaSystem {
  SemiDiscrete* system;
  SparseMatrix jacobian;
  SparseLu lu;
  SundialsGuard guard;
};

int ida_residual(realtype t, N_Vector y, N_Vector dy, N_Vector r, void* data) {
  auto& s = *static_cast<IdaSystem*>(data);
  return s.guard.call([&] {
    s.system->residual(t, values_of(y), values_of(dy), values_of(r));
    return all_finite(values_of(r));
  });
}

int ida_jacobian(realtype t, realtype a, N_Vector y, N_Vector dy, N_Vector /*r*/, SUNMatrix,
                 void* data, N_Vector, N_Vector, N_Vector) {
  auto& s = *static_cast<IdaSystem*>(data);
  return s.guard.call([&] {
    s.system->jacobian(t, values_of(y), values_of(dy), a, s.jacobian);
    return all_finite(std::as_const(s.jacobian).values());
  });
}

void check_ida_input(std::size_t n, std::span<const double> y0, std::span<const double> dy0,
                     std::span<const double> times, double relative, double absolute) {
  const auto refuse = [](const std::string& why) { throw Error(why, "[solvers.time]"); };
  if (y0.size() != n || (!dy0.empty() && dy0.size() != n)) {
    refuse(fmt::format("a system of {} components has an initial state of {}", n, y0.size()));
  }
  if (!(relative >= 0 && absolute >= 0 && relative + absolute > 0)) {
    refuse("tolerances of a time integration must be positive");
  }
  if (times.empty()) refuse("a time integration needs at least one time");
  const bool up = times.back() >= times.front();
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (!(up ? times[k] > times[k - 1] : times[k] < times[k - 1])) {
      refuse("the times of a time integration must ascend or descend");
    }
  }
}

}  // namespace

TimeResult integrate_ida(SemiDiscrete& system, std::vector<double> y0, std::vector<double> dy0,
                         std::span<const double> times, double relative, double absolute,
                         const StopAsked& stop, std::size_t max_steps, const StepSeen& seen) {
  check_ida_input(system.size(), y0, dy0, times, relative, absolute);
  TimeResult result;
  if (times.size() == 1 || y0.empty()) {
    for (double t : times) {
      result.times.push_back(t);
      result.states.push_back(y0);
    }
    return result;
  }
  dy0.resize(y0.size());

  IdaSystem s{.system = &system, .jacobian = {}, .lu = {}, .guard = {}};
  const SundialsContext context;
  const SundialsVector y(y0, context), dy(dy0, context), id(y0, context);
  std::copy(system.differential().begin(), system.differential().end(), id.values().begin());
  const SundialsLinearSolver linear([&] { return s.lu.factor(s.jacobian) == Factorization::ok; },
                                    [&](std::span<double> b) {
                                      s.lu.solve(b);
                                      return all_finite(b);
                                    },
                                    context);
  const std::unique_ptr<void, void (*)(void*)> ida(IDACreate(context.get()),
                                                   [](void* p) { IDAFree(&p); });
  void* const mem = ida.get();
  if (mem == nullptr) throw std::bad_alloc();
  const double end = times.back();
  const auto must = [](int code) {
    if (code < 0) throw Error(fmt::format("IDA refused its settings ({})", code), "[solvers.time]");
  };
  must(IDASetErrHandlerFn(mem, ignore_sundials_message, nullptr));
  must(IDAInit(mem, ida_residual, times.front(), y.get(), dy.get()));
  must(IDASStolerances(mem, relative, absolute));
  must(IDASetUserData(mem, &s));
  must(IDASetLinearSolver(mem, linear.solver(), linear.matrix()));
  must(IDASetJacFn(mem, ida_jacobian));
  must(IDASetId(mem, id.get()));
  must(IDASetStopTime(mem, end));

  // The time scale is not known: failures shorten the first steps by 4 and 10 each.
  must(IDASetMaxErrTestFails(mem, 50));
  must(IDASetMaxNumStepsIC(mem, 20));
  if (const int code = IDACalcIC(mem, IDA_YA_YDP_INIT, times[1]); code < 0) {
    s.guard.finish();
    result.trouble = fmt::format("no consistent initial values were found (code {})", code);
    return result;
  }
  must(IDAGetConsistentIC(mem, y.get(), dy.get()));
  const auto keep = [&](double t) {
    result.times.push_back(t);
    result.states.emplace_back(y.values().begin(), y.values().end());
  };
  keep(times.front());
  if (seen) seen(times.front(), y.values(), dy.values());

  double t = times.front();
  for (std::size_t next = 1; next < times.size();) {
    if (stop && stop(t)) {
      result.interrupted = true;
      break;
    }
    const double before = t;
    int code = IDASolve(mem, end, &t, y.get(), dy.get(), IDA_ONE_STEP);
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
      must(IDAGetDky(mem, at, 0, y.get()));
      must(IDAGetDky(mem, at, 1, dy.get()));
      seen(at, y.values(), dy.values());
    }
    for (; next < times.size() && (end > times[0] ? times[next] <= t : times[next] >= t); ++next) {
      must(IDAGetDky(mem, times[next], 0, y.get()));
      keep(times[next]);
    }
    long steps = 0;
    must(IDAGetNumSteps(mem, &steps));
    result.steps = static_cast<std::size_t>(steps);
    if (result.steps >= max_steps && next < times.size()) {
      result.trouble =
          fmt::format("more than {} steps were needed before t = {:.6g}", max_steps, t);
      break;
    }
  }
  long evaluations = 0, errors = 0, failures = 0;
  must(IDAGetNumResEvals(mem, &evaluations));
  must(IDAGetNumErrTestFails(mem, &errors));
  must(IDAGetNumNonlinSolvConvFails(mem, &failures));
  result.evaluations = static_cast<std::size_t>(evaluations);
  result.rejected = static_cast<std::size_t>(errors + failures);
  return result;
}

}  // namespace cauchy::detail
