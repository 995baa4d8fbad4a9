#pragma once

#include <cstddef>
#include <string>

#include <cauchy/data/data_set.hpp>
#include <cauchy/report/picture.hpp>

namespace cauchy {

struct SamplesPictureOptions {
  std::string title = {};
  std::size_t samples = 4;   ///< shown, the first ones
  std::size_t channels = 3;  ///< of inputs and of outputs each, at most
};

/// Samples of a data set, one row each: inputs on the left, outputs on the right (of several times
/// the last). Lines on one axis, maps on two; of three axes the middle plane of the last.
///   error    throws Error as check(data)
[[nodiscard]] Picture draw_samples(const DataSet& data, const SamplesPictureOptions& options = {});

}  // namespace cauchy
