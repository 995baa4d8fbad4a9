#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <utility>

#include <cauchy/base/error.hpp>
#include <cauchy/io/array.hpp>

namespace cauchy {

Array Array::list(std::vector<double> values) {
  const std::size_t n = values.size();
  return {{n}, std::move(values)};
}

std::size_t shape_size(const std::vector<std::size_t>& shape, std::string_view place) {
  // An axis of length 0 makes the product 0, whatever the others are.
  for (const std::size_t n : shape)
    if (n == 0) return 0;
  std::size_t size = 1;
  for (const std::size_t n : shape) {
    if (size > PTRDIFF_MAX / sizeof(double) / n)
      throw Error(fmt::format("shape ({}) is too large", fmt::join(shape, ", ")), place);
    size *= n;
  }
  return size;
}

void check_array(const Array& array, std::string_view place) {
  const std::size_t size = shape_size(array.shape, place);
  if (array.values.size() != size)
    throw Error(fmt::format("shape ({}) needs {} numbers, got {}", fmt::join(array.shape, ", "),
                            size, array.values.size()),
                place);
}

}  // namespace cauchy
