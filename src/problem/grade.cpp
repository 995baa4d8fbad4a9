#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy {

std::string_view to_string(Grade g) noexcept {
  switch (g) {
    case Grade::converged:
      return "converged";
    case Grade::stalled:
      return "stalled";
    case Grade::diverged:
      return "diverged";
    case Grade::suspicious:
      return "suspicious";
    case Grade::unverified:
      return "unverified";
  }
  return "unknown";
}

std::string_view to_string(TermCheck::Kind kind) noexcept {
  switch (kind) {
    case TermCheck::Kind::equation:
      return "equation";
    case TermCheck::Kind::condition:
      return "condition";
    case TermCheck::Kind::observation:
      return "observation";
  }
  return "unknown";
}

namespace {

/// Residuals up to these count as small, in units of their terms: root mean square, and the
/// largest.
constexpr double small_mean = 1e-3, small_worst = 1e-2;
/// Data may hold noise: a misfit up to this says nothing against the answer.
constexpr double small_misfit = 0.1;
/// Of a problem that names none: against a reference, and by an estimate.
constexpr double default_tolerance = 1e-2, default_estimate = 1e-3;
/// A reference and an estimate that differ by more contradict each other.
constexpr double agreement = 3;

/// Collects what speaks for and against an answer.
class Grader final {
 public:
  Grader(Solution& s, const GradeInput& input)
      : s_(s), input_(input), tolerance_(s.problem.tolerance.value_or(default_tolerance)) {}

  Grade grade() {
    s_.findings = input_.troubles;
    if (!input_.finite) {
      if (input_.troubles.empty()) say("the loss is NaN or infinite");
      return Grade::diverged;
    }
    const bool known = look_at_errors();
    if (!s_.error.fields.empty() && !(s_.error.judged() <= 1e3)) return Grade::diverged;
    if (!input_.refuted.empty()) {
      s_.findings.insert(s_.findings.begin(), input_.refuted);
      // What the problem itself gives as its truth outweighs every check; another method does not.
      if (!(known && !s_.error.fields.empty() && s_.error.reference_error == 0)) {
        return Grade::suspicious;
      }
    }
    const bool found = look_at_unknowns();
    look_at_checks(known);
    const bool warned =
        std::any_of(s_.warnings.begin(), s_.warnings.end(),
                    [&](const std::string& w) { return !(known && outweighed(w)); });
    if (warned) {
      say("the warnings stand against the answer");
    } else if (!s_.warnings.empty()) {
      say("the reference outweighs what the method warned of");
    }
    if (undecided_ && !warned) return Grade::unverified;
    if (missed_) return missed_by_far_ && trained_ ? Grade::suspicious : Grade::stalled;
    if (warned) return Grade::suspicious;
    if (contradicted_) return Grade::suspicious;
    if (known && found) return violated_ ? Grade::suspicious : Grade::converged;
    if (!solved_) return trained_ ? Grade::suspicious : Grade::stalled;
    say_what_is_known();
    return Grade::unverified;
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    s_.findings.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  /// What a method said of itself before it ran says nothing against an answer that a reference
  /// confirms.
  [[nodiscard]] bool outweighed(const std::string& warning) const {
    const auto& of_method = input_.method_warnings;
    return !s_.error.fields.empty() &&
           std::find(of_method.begin(), of_method.end(), warning) != of_method.end();
  }

  /// True when the error of every field is known and within the tolerance.
  bool look_at_errors() {
    const ErrorReport& e = s_.error;
    if (e.fields.empty()) return look_at_estimate();
    const double error = e.judged(), unsure = e.reference_error;
    const bool reached = error + unsure <= tolerance_;
    missed_ = !(error - unsure <= tolerance_);
    undecided_ = !reached && !missed_;
    say("relative L2 error {:.2e}{} against {}{}, {} {}", e.relative_l2(),
        of_variation(error, e.relative_l2()), e.reference,
        unsure > 0 ? fmt::format(" (accurate to {:.0e})", unsure) : "",
        error <= tolerance_ ? "within" : "above", number_to_string(tolerance_));
    if (undecided_ && s_.estimate) return decide_by_estimate(error);
    if (undecided_) say("the reference is not accurate enough to decide");
    missed_by_far_ = !(error - unsure <= 10 * tolerance_);
    bool all = true;
    for (const std::string& name : s_.problem.all_fields()) {
      const bool measured = std::any_of(e.fields.begin(), e.fields.end(),
                                        [&](const FieldError& f) { return f.field == name; });
      if (measured) continue;
      say("the reference has no '{}': its error is not known", name);
      all = false;
    }
    return reached && all;
  }

  /// The same without a reference.
  bool look_at_estimate() {
    if (!s_.estimate) return false;
    const double tolerance = s_.problem.tolerance.value_or(default_estimate);
    const double error = s_.estimate->judged(), stated = s_.estimate->judged_stated();
    missed_ = !(error <= tolerance);
    missed_by_far_ = false;  // an estimate above the tolerance contradicts nothing
    undecided_ = !missed_ && !(stated <= tolerance);
    say("estimated relative error {:.1e}{}, {} {}: {}", s_.estimate->relative_l2,
        of_variation(error, s_.estimate->relative_l2), missed_ ? "above" : "within",
        number_to_string(tolerance), s_.estimate->how);
    if (undecided_) say("the estimate is not sure enough to decide");
    return !missed_ && !undecided_;
  }

  /// Tells the error that is judged where it is another one: fields with an offset, or of zeros.
  static std::string of_variation(double judged, double relative_l2) {
    const bool same = std::abs(judged - relative_l2) <= 0.01 * std::abs(relative_l2);
    return same || std::isnan(judged) ? std::string()
                                      : fmt::format(" ({:.1e} of what the fields vary by)", judged);
  }

  /// The reference is not accurate enough: it must not contradict the estimate.
  bool decide_by_estimate(double error) {
    const double stated = s_.estimate->judged_stated();
    if (!(error <= agreement * (stated + s_.error.reference_error))) {
      undecided_ = missed_ = false;
      contradicted_ = true;
      say("the estimated error {:.1e} ({}) does not explain the difference from the reference",
          stated, s_.estimate->how);
      return false;
    }
    return look_at_estimate();
  }

  /// True when every unknown constant is known well enough: by its truth, or by its interval.
  bool look_at_unknowns() {
    bool all = true;
    for (const Unknown& u : s_.problem.unknowns) {
      if (!u.truth) all = look_at_interval(u.name) && all;
    }
    for (const auto& [name, error] : s_.error.unknowns) {
      const bool good = error <= tolerance_;
      say("'{}' = {:.6g} is off by {:.2g} %{}", name, s_.unknowns.at(name), 100 * error,
          good ? "" : ", more than asked");
      if (good) continue;
      missed_ = true;
      missed_by_far_ = missed_by_far_ || !(error <= 10 * tolerance_);
    }
    return all;
  }

  bool look_at_interval(const std::string& name) {
    const auto value = s_.unknowns.find(name);
    const auto at = s_.intervals.find(name);
    if (value == s_.unknowns.end() || at == s_.intervals.end()) {
      say("nothing is known of the error of '{}'", name);
      return false;
    }
    const double half = (at->second.upper - at->second.lower) / 2;
    const double size = std::abs(value->second);
    if (half <= tolerance_ * size) return true;
    say("'{}' = {:.6g} is known to {:.2g} % only ({})", name, value->second, 100 * half / size,
        at->second.how);
    return false;
  }

  /// A known error needs no equations, and lets conditions be off by as much.
  void look_at_checks(bool known) {
    const double slack = known ? std::max(1.0, tolerance_ / small_mean) : 1;
    for (const TermCheck& c : s_.checks) {
      if (known && c.kind == TermCheck::Kind::equation) continue;
      const bool data = c.kind == TermCheck::Kind::observation;
      if (data && has_noise(c)) {
        look_at_noise(c);
        continue;
      }
      const double mean = data ? small_misfit : slack * small_mean;
      const bool small = c.fresh <= mean && (data || c.worst <= slack * small_worst);
      if (small) continue;
      solved_ = false;
      if (c.kind == TermCheck::Kind::condition) violated_ = true;
      // Where nothing is known of the training, its points are as good as fresh ones.
      const bool missed = !(c.trained <= mean) && !(c.fresh <= mean);
      if (c.kind == TermCheck::Kind::equation && missed) trained_ = false;
      tell(c, mean);
    }
  }

  [[nodiscard]] bool has_noise(const TermCheck& c) const {
    const auto& all = s_.problem.observation;
    return std::any_of(all.begin(), all.end(), [&](const Observation& o) {
      return o.name == c.name && (o.sigma || !o.sigma_column.empty());
    });
  }

  /// The root mean square of n numbers of the standard normal law is 1 within 3 / (2 n)^(1/2).
  void look_at_noise(const TermCheck& c) {
    const double spread = 3 / std::sqrt(2 * static_cast<double>(c.n_points));
    if (!(c.fresh <= 1 + spread)) {
      solved_ = false;
      say("'{}' is missed: the misfit is {:.2g} times its noise", c.name, c.fresh);
    } else if (c.fresh < 1 - spread) {
      say("the misfit to '{}' is {:.2g} of its noise: the answer follows the noise, or sigma is "
          "too "
          "large",
          c.name, c.fresh);
    }
  }

  void tell(const TermCheck& c, double mean) {
    if (c.kind == TermCheck::Kind::observation) {
      say("'{}' is missed: the misfit is {:.2g} of the data", c.name, c.fresh);
    } else if (c.fresh > mean && c.trained <= mean) {
      say("'{}' holds on the training points ({:.2g}) but not between them ({:.2g}{}): use more "
          "points",
          c.name, c.trained, c.fresh, place_text(c));
    } else if (!(c.fresh <= mean)) {
      say("'{}' is violated: the residual is {:.2g} of its terms on fresh points{}", c.name,
          c.fresh, place_text(c));
    } else {
      say("'{}' does not hold everywhere: the residual is {:.2g} of its terms{}", c.name, c.worst,
          place_text(c));
    }
  }

  std::string place_text(const TermCheck& c) const {
    if (c.where.empty()) return {};
    std::string text = c.fresh <= small_mean ? " at " : ", largest at ";
    const std::vector<std::string> names = s_.problem.coordinates();
    const std::size_t n = std::min<std::size_t>(c.where.size(), 4);
    for (std::size_t k = 0; k < n; ++k) {
      text += fmt::format("{}{} = {:.3g}", k == 0 ? "" : ", ", names[k], c.where[k]);
    }
    return n < c.where.size() ? text + ", ..." : text;
  }

  void say_what_is_known() {
    double worst = 0;
    std::size_t n = 0;
    for (const TermCheck& c : s_.checks) {
      if (c.kind == TermCheck::Kind::observation) continue;
      worst = std::max(worst, c.worst);
      n += c.n_points;
    }
    if (s_.error.fields.empty()) say("there is no reference: the error is not known");
    say("nothing contradicts the answer: the largest residual is {:.2g} of its terms, on {} fresh "
        "points",
        worst, n);
  }

  Solution& s_;
  const GradeInput& input_;
  double tolerance_;
  bool missed_ = false, missed_by_far_ = false;  // the reference, or the truth of an unknown
  bool undecided_ = false;                       // the reference is not good enough
  bool contradicted_ = false;                    // estimate and reference do not agree
  bool violated_ = false;                        // a condition
  bool solved_ = true;                           // every residual is small on fresh points
  bool trained_ = true;                          // those of equations on the training points
};

}  // namespace

void grade(Solution& solution, const GradeInput& input) {
  solution.grade = Grader(solution, input).grade();
}

}  // namespace cauchy
