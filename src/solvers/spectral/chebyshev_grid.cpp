#include <algorithm>

#include "solvers/classical/family_field.hpp"  // lobatto_points
#include "solvers/spectral/chebyshev_system.hpp"

namespace cauchy::detail {

std::size_t ChebyshevGrid::block() const noexcept {
  std::size_t all = 1;
  for (const std::size_t k : n) all *= k;
  return all;
}

std::vector<double> chebyshev_values(const ChebyshevBox& box, const ChebyshevAnswer& answer,
                                     std::size_t field, std::span<const int> orders,
                                     const std::vector<std::vector<double>>& at) {
  const ChebyshevGrid& grid = answer.grid;
  const std::size_t axes = at.size(), block = grid.block();
  std::size_t after = 1;
  for (std::size_t a = 2; a < axes; ++a) after *= at[a].size();
  std::vector<ChebyshevTable> tables(axes);
  for (std::size_t a = 0; a < axes; ++a) {
    if (a == 1) continue;
    const double from = a == 0 ? grid.from : box.lower[a - 1];
    const double to = a == 0 ? grid.to : box.upper[a - 1];
    tables[a] = ChebyshevTable(from, to, grid.n[a], at[a], orders[a]);
  }
  const std::size_t n_times = at[0].size(), n_x = at[1].size();
  std::vector<double> out(n_times * n_x * after);
  std::size_t first = 0;
  for (std::size_t e = 0; e < grid.pieces(); ++e) {
    // Places in this piece; a common end belongs to the left one.
    std::size_t end = first;
    while (end < n_x && (at[1][end] <= grid.breaks[e + 1] || e + 1 == grid.pieces())) ++end;
    if (end == first) continue;
    tables[1] = ChebyshevTable(grid.breaks[e], grid.breaks[e + 1], grid.n[1],
                               std::span(at[1]).subspan(first, end - first), orders[1]);
    std::vector<ChebyshevFactor> factors;
    for (std::size_t a = 0; a < axes; ++a) factors.push_back({&tables[a], orders[a]});
    const std::span<const double> c =
        std::span(answer.c).subspan((e * box.fields.size() + field) * block, block);
    const std::vector<double> values = evaluate_chebyshev(c, factors);
    const std::size_t width = (end - first) * after;
    for (std::size_t t = 0; t < n_times; ++t) {
      std::copy_n(values.begin() + static_cast<long>(t * width), width,
                  out.begin() + static_cast<long>((t * n_x + first) * after));
    }
    first = end;
  }
  return out;
}

std::vector<double> chebyshev_on(const ChebyshevBox& box, const ChebyshevAnswer& answer,
                                 const ChebyshevGrid& grid, std::optional<double> time) {
  const std::size_t axes = grid.n.size(), block = grid.block(), fields = box.fields.size();
  std::vector<double> c(grid.pieces() * fields * block, 0);
  const std::vector<int> orders(axes, 0);
  for (std::size_t e = 0; e < grid.pieces(); ++e) {
    std::vector<std::vector<double>> at = {
        time ? std::vector<double>{*time} : lobatto_points(grid.from, grid.to, grid.n[0]),
        lobatto_points(grid.breaks[e], grid.breaks[e + 1], grid.n[1])};
    for (std::size_t a = 2; a < axes; ++a) {
      at.push_back(lobatto_points(box.lower[a - 1], box.upper[a - 1], grid.n[a]));
    }
    std::vector<std::size_t> sizes;
    for (const auto& x : at) sizes.push_back(x.size());
    for (std::size_t f = 0; f < fields; ++f) {
      const auto values =
          chebyshev_coefficients(chebyshev_values(box, answer, f, orders, at), sizes);
      // At one time: the first coefficients in time, which come first.
      std::copy(values.begin(), values.end(),
                c.begin() + static_cast<long>((e * fields + f) * block));
    }
  }
  return c;
}

}  // namespace cauchy::detail
