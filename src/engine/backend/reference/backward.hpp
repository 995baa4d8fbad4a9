#pragma once

#include <functional>

#include <cauchy/engine/backend.hpp>

namespace cauchy::detail {

/// Receives the derivative of the seeded functional by one parameter, the part of one point.
template <class T>
using GradientSink = std::function<void(std::ptrdiff_t parameter, std::size_t point, T slope)>;

/// Adjoints of all steps of the plan for one block after reference_forward(), last step first.
/// Every (parameter, point) may be reported several times: the contributions add up.
template <class T>
void reference_backward(const Plan<T>& plan, const typename Backend<T>::Block& block,
                        const GradientSink<T>& sink);

extern template void reference_backward(const Plan<float>&, const Backend<float>::Block&,
                                        const GradientSink<float>&);
extern template void reference_backward(const Plan<double>&, const Backend<double>::Block&,
                                        const GradientSink<double>&);

}  // namespace cauchy::detail
