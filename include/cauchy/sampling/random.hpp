#pragma once

// Drawing from laws that are not uniform: from weights, by rejection, by inversion of a
// distribution function, and from losses at seeds.
#include <cauchy/sampling/inverse_cdf.hpp>
#include <cauchy/sampling/rejection.hpp>
#include <cauchy/sampling/seed_importance.hpp>
#include <cauchy/sampling/weighted.hpp>
