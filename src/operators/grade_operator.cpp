#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/print.hpp>  // number_to_string
#include <cauchy/operators/learn.hpp>

namespace cauchy {
namespace {

/// An answer is off by more than any use could bear.
constexpr double beyond_all = 1e3;
/// Test errors of more than so many times the training error are told.
constexpr double far_above = 3;
/// Standard errors that the mean of some samples may be off.
constexpr double confidence = 2;

/// Collects what speaks for and against a learnt operator.
class OperatorGrader final {
 public:
  OperatorGrader(OperatorResult& r, const OperatorGradeInput& input) : r_(r), input_(input) {}

  Grade grade() {
    r_.findings = input_.troubles;
    const double train = r_.train.mean_l2(), test = r_.test.mean_l2();
    if (!input_.finite) {
      if (input_.troubles.empty()) say("the loss is NaN or infinite");
      return Grade::diverged;
    }
    if (!r_.train.empty() && !(train <= beyond_all)) {
      say("the answers are off by {:.1e} of the truth on the training samples", train);
      return Grade::diverged;
    }
    if (r_.test.empty()) return without_test(train);
    if (!(test <= beyond_all)) {
      say("the answers are off by {:.1e} of the truth on the test samples", test);
      return Grade::diverged;
    }
    const double tolerance = input_.tolerance;
    const double unsure = confidence * r_.test.standard_error() + input_.data_error;
    const bool reached = test + unsure <= tolerance, missed = !(test <= tolerance);
    say("relative L2 error {:.2e} on {} test samples{}, {} {}; the worst is that of sample {}, "
        "{:.2e}",
        test, r_.test.size(),
        input_.data_error > 0 ? fmt::format(" (accurate to {:.0e})", input_.data_error) : "",
        missed ? "above" : "within", number_to_string(tolerance), r_.test.best_to_worst().back(),
        r_.test.worst_l2());
    say_fields();
    if (test >= 1) say("it is no better than the answer 0");
    say_kept();
    const bool apart = !r_.train.empty() && !(test <= far_above * train);
    if (input_.shared > 0) {
      say("{} of the test samples are training samples too: the error on new ones is not known",
          input_.shared);
      return Grade::suspicious;
    }
    if (missed && train <= tolerance && apart) {
      say("the training samples are learnt ({:.2e}), the test samples are not: over-fitting; more "
          "samples, weight decay (adamw), patience or a smaller network may help",
          train);
      return Grade::suspicious;
    }
    if (apart) {
      say("the error on the training samples is {:.2e}: more samples may lower that of the test",
          train);
    }
    if (missed) return Grade::stalled;
    if (reached) return Grade::converged;
    say("{} test samples are too {} to decide: the mean may be off by {:.1e}", r_.test.size(),
        unsure > 2 * input_.data_error ? "few" : "inaccurate", unsure);
    return Grade::unverified;
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    r_.findings.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  Grade without_test(double train) {
    say("relative L2 error {:.2e} on {} training samples", train, r_.train.size());
    say("there are no test samples: the error on new inputs is not known");
    say_kept();
    return train <= input_.tolerance ? Grade::unverified : Grade::stalled;
  }

  void say_fields() {
    if (r_.test.fields.size() < 2) return;
    std::string text;
    for (std::size_t f = 0; f < r_.test.fields.size(); ++f) {
      text +=
          fmt::format("{}{} {:.2e}", f == 0 ? "" : ", ", r_.test.fields[f], r_.test.field_l2[f]);
    }
    say("by field: {}", text);
  }

  void say_kept() {
    if (r_.best_epoch == 0 || r_.best_epoch == r_.epochs.size()) return;
    say("the parameters of epoch {} of {} are kept: later ones have a larger validation error",
        r_.best_epoch, r_.epochs.size());
  }

  OperatorResult& r_;
  const OperatorGradeInput& input_;
};

}  // namespace

void grade(OperatorResult& result, const OperatorGradeInput& input) {
  result.grade = OperatorGrader(result, input).grade();
}

}  // namespace cauchy
