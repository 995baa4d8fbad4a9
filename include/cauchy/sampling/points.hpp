#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cauchy/geometry/domain.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy {

/// Points of a domain, one row each, with what belongs to them.
struct Points {
  std::vector<std::string> columns;  ///< names: time, space, parameters
  std::vector<double> values;        ///< row-major size() x columns
  std::vector<double> normals;       ///< outward, size() x space dimension; on boundaries
  std::vector<double> weights;       ///< of a quadrature; empty for samples
  std::vector<std::string> pieces;   ///< names of pieces; on boundaries
  std::vector<std::uint32_t> piece;  ///< of each point, index into pieces

  [[nodiscard]] std::size_t size() const noexcept {
    return columns.empty() ? 0 : values.size() / columns.size();
  }
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span(values).subspan(i * columns.size(), columns.size());
  }
};

}  // namespace cauchy
