#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <cauchy/training/balancer.hpp>

namespace cauchy {

void visit_options(GradNormBalancer& options, OptionVisitor& visitor);
void visit_options(UncertaintyBalancer& options, OptionVisitor& visitor);
void visit_options(AnnealingBalancer& options, OptionVisitor& visitor);
void visit_options(SoftAdaptBalancer& options, OptionVisitor& visitor);
void visit_options(RelobraloBalancer& options, OptionVisitor& visitor);
void visit_options(MomentumConfigBalancer& options, OptionVisitor& visitor);
void visit_options(NtkBalancer& options, OptionVisitor& visitor);
void visit_options(GradientNormsBalancer& options, OptionVisitor& visitor);

}  // namespace cauchy

namespace cauchy::detail {

// One per file of this folder.
[[nodiscard]] std::unique_ptr<Balancer> make_gradnorm(const GradNormBalancer& options);
[[nodiscard]] std::unique_ptr<Balancer> make_uncertainty(const UncertaintyBalancer& options);
///   terms    kinds of the terms: equations keep 1
[[nodiscard]] std::unique_ptr<Balancer> make_annealing(const AnnealingBalancer& options,
                                                       std::span<const PointSource::Kind> terms);
[[nodiscard]] std::unique_ptr<Balancer> make_softadapt(const SoftAdaptBalancer& options);
[[nodiscard]] std::unique_ptr<Balancer> make_relobralo(const RelobraloBalancer& options,
                                                       std::uint64_t seed);
[[nodiscard]] std::unique_ptr<Balancer> make_config();
[[nodiscard]] std::unique_ptr<Balancer> make_momentum_config(const MomentumConfigBalancer& options);
[[nodiscard]] std::unique_ptr<Balancer> make_ntk(const NtkBalancer& options);
[[nodiscard]] std::unique_ptr<Balancer> make_gradient_norms(const GradientNormsBalancer& options);

}  // namespace cauchy::detail
