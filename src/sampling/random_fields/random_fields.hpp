#pragma once

#include <cauchy/base/options.hpp>
#include <cauchy/sampling/random_field.hpp>

namespace cauchy {

// Each family: its options by name, and the field that they make over 1 to 3 valid axes.
//   error    throws Error for options that do not fit the axes

void visit_options(GrfField& options, OptionVisitor& visitor);
void visit_options(MaternField& options, OptionVisitor& visitor);
void visit_options(GaussianField& options, OptionVisitor& visitor);
void visit_options(ExponentialField& options, OptionVisitor& visitor);
void visit_options(KarhunenLoeveField& options, OptionVisitor& visitor);
void visit_options(GaussianProcessField& options, OptionVisitor& visitor);
void visit_options(ChebyshevField& options, OptionVisitor& visitor);
void visit_options(PolynomialField& options, OptionVisitor& visitor);
void visit_options(SineField& options, OptionVisitor& visitor);
void visit_options(ConstantField& options, OptionVisitor& visitor);

namespace detail {
using Axes = std::vector<RandomFieldAxis>;
using MadeField = std::unique_ptr<RandomField>;
[[nodiscard]] MadeField make_field(const GrfField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const MaternField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const GaussianField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const ExponentialField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const KarhunenLoeveField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const GaussianProcessField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const ChebyshevField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const PolynomialField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const SineField& options, const Axes& axes);
[[nodiscard]] MadeField make_field(const ConstantField& options, const Axes& axes);
}  // namespace detail

}  // namespace cauchy
