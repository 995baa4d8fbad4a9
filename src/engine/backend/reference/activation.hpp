#pragma once

#include <cauchy/engine/activation.hpp>

namespace cauchy::reference {

/// out[k] = s^(k)(x), k = 0..order (at most kMaxActivationOrder), for one finite or infinite x.
/// Plain scalar code: Taylor series arithmetic in long double, rounded to T at the end. a and b are
/// the parameters of the wavelet and ignored otherwise.
template <class T>
void activation_derivatives(Activation activation, int order, T x, T* out, T a = 1, T b = 0);

}  // namespace cauchy::reference
