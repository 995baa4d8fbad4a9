#pragma once

namespace cauchy {

class OptionVisitor;

/// The classical method that fits the problem best.
struct AutoClassical {
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
};
void visit_options(AutoClassical& method, OptionVisitor& visitor);

}  // namespace cauchy
