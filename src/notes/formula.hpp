#pragma once

#include <string>
#include <string_view>

namespace cauchy::notes {

/// A formula in a small part of TeX as a <math> element: letters, numbers, Greek names, ^ and _
/// with groups, \frac, \sqrt, \text, \mathbf, \mathcal, \hat, \tilde, \bar, \dot, \sum, \int,
/// \prod, \partial, \nabla, \Delta, relations, arrows, \left and \right, functions by name (\sin,
/// \exp), spaces (\, \quad).
///   error    throws Error for a command that it does not know and for brackets that do not match
[[nodiscard]] std::string formula_to_mathml(std::string_view tex);

}  // namespace cauchy::notes
