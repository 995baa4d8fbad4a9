#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cauchy {

/// Numbers in C order (the last index runs fastest). An empty shape is one number.
struct Array {
  std::vector<std::size_t> shape = {};
  std::vector<double> values = {};

  /// A list of numbers as an array of one axis.
  static Array list(std::vector<double> values);

  [[nodiscard]] bool operator==(const Array&) const = default;
};

/// The number of elements of a shape: the product, 1 for an empty shape.
///   error    throws Error at place when the product does not fit into memory addresses
std::size_t shape_size(const std::vector<std::size_t>& shape, std::string_view place = {});

/// Throws Error at place unless values has as many elements as shape says.
void check_array(const Array& array, std::string_view place);

}  // namespace cauchy
