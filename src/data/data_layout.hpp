#pragma once

#include <string>

#include <cauchy/data/data_set.hpp>
#include <cauchy/io/hdf5.hpp>

namespace cauchy::detail {

/// A data set from the arrays of a file that others wrote; read_data_set() says how.
///   error    throws Error without a place
[[nodiscard]] DataSet foreign_data_set(Hdf5Data file, const DataLayout& layout);

}  // namespace cauchy::detail
