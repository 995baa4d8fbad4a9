#include "solvers/trust/add_error_bars.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/solvers/error_bars.hpp>
#include <cauchy/solvers/error_bounds.hpp>
#include <cauchy/solvers/family_error.hpp>

#include "problem/point_evaluator.hpp"
#include "solvers/trust/corrected_model.hpp"

namespace cauchy::detail {
namespace {

/// Part of the work of the run, and what it may take in any case, in nominal seconds.
constexpr double bars_share = 0.2, bars_work = 5;
constexpr int max_improvements = 3;
constexpr std::size_t n_members = 6;  // of a family
/// A correction is kept when the estimate falls by this factor.
constexpr double worth_keeping = 0.5;
/// Below this, rounding is corrected.
constexpr double small_enough = 1e-9;

/// The answer with its estimated error added, while that makes the estimate smaller.
std::vector<std::string> improve(Solution& s, const ErrorBarOptions& options) {
  const auto known = std::make_shared<const Problem>(PointEvaluator(s).problem());
  std::vector<std::string> told;
  for (int k = 0; k < max_improvements; ++k) {
    if (s.estimate->stated() <= small_enough) break;
    if (!s.estimate->correction) {
      told.push_back("the answer was not improved: its error is not known point by point");
      break;
    }
    Solution next = s;
    next.model = std::make_shared<CorrectedModel>(known, s.model, s.estimate->correction);
    next.checks = check_terms(next);
    ErrorBars bars = estimate_error(next, options);
    if (!bars.estimate || !(bars.estimate->stated() <= worth_keeping * s.estimate->stated())) {
      if (k == 0) {
        told.push_back("the answer was not improved: " +
                       (bars.estimate ? "the estimate does not fall" : bars.reason));
      }
      break;
    }
    bars.estimate->history = s.estimate->history;
    bars.estimate->history.push_back(s.estimate->relative_l2);
    told = {fmt::format("corrected by its estimated error {} time{}: {:.1e} -> {:.1e}",
                        bars.estimate->history.size(),
                        bars.estimate->history.size() == 1 ? "" : "s",
                        bars.estimate->history.front(), bars.estimate->relative_l2)};
    next.estimate = std::move(bars.estimate);
    next.error = measure_error(next);
    s = std::move(next);
  }
  return told;
}

/// Of a family: the worst of some members.
ErrorBars bars_of(const Solution& s, const ErrorBarOptions& options) {
  if (s.problem.domain->ranges().empty()) return estimate_error(s, options);
  ErrorBarOptions of_member = options;
  of_member.work /= static_cast<double>(n_members);
  std::string reason;
  const FamilyError family = family_error(
      s,
      [&](const Solution& member) -> std::optional<ErrorEstimate> {
        if (options.limit.reached()) {
          reason = "the time that was given ended";
          return std::nullopt;
        }
        Solution checked = member;
        checked.checks = check_terms(checked);
        ErrorBars bars = estimate_error(checked, of_member);
        if (!bars.estimate) reason = bars.reason;
        return bars.estimate;
      },
      n_members);
  if (family.estimated < family.members.size()) {
    return {.reason = fmt::format("{} of {} members could not be estimated: {}",
                                  family.members.size() - family.estimated, family.members.size(),
                                  reason)};
  }
  return {.estimate = family.estimate()};
}

}  // namespace

std::vector<std::string> add_error_bars(Solution& s, const RunOptions& run) {
  if (!s.model) return {};
  if (run.limit.end() == RunLimit::End::asked) {
    return {"the error was not estimated: the run was stopped"};
  }
  const ErrorBarOptions options{
      .work = std::max(bars_work, bars_share * s.work), .threads = run.threads, .limit = run.limit};
  {
    const LimitScope scope(run.limit.with_work(options.work));
    s.bounds = error_bounds(s);
  }
  if (s.estimate) return {};
  ErrorBars bars = bars_of(s, options);
  s.estimate = std::move(bars.estimate);
  std::vector<std::string> told;
  if (!s.estimate && !bars.reason.empty()) {
    told.push_back("the error could not be estimated from the equations: " + bars.reason);
  }
  if (!s.estimate && run.estimate_otherwise) run.estimate_otherwise(s);
  if (!run.improve) return told;
  if (!s.estimate) {
    told.push_back("the answer was not improved: its error is not known");
    return told;
  }
  for (std::string& text : improve(s, options)) told.push_back(std::move(text));
  return told;
}

}  // namespace cauchy::detail
