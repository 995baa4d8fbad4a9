#pragma once

#include <cauchy/engine/backend.hpp>

namespace cauchy::detail {

/// Values of all steps of the plan for one block, in plain loops. `shared` holds the parameters in
/// the order of the graph, then the constants in the order of plan.constants().
template <class T>
void reference_forward(const Plan<T>& plan, const typename Backend<T>::Block& block);

extern template void reference_forward(const Plan<float>&, const Backend<float>::Block&);
extern template void reference_forward(const Plan<double>&, const Backend<double>::Block&);

}  // namespace cauchy::detail
