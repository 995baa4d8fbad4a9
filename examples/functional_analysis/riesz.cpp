// Runs:    riesz [PICTURE.svg]
// Expects: the functional v -> v(c) has a representer in H^1_0(0, 1), found from its values on hat
//          functions: Green's function of c, of norm (c (1 - c))^(1/2), for every mesh that has the
//          node c. In L^2 its norm grows without end as the mesh gets finer; exit code 0.
#include <fmt/format.h>

#include <cauchy/math/functional.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

using namespace cauchy;

int main(int argc, char** argv) {
  bool good = true;
  Plot green({.title = "representers of v(1/4) in H^1_0", .x = {.label = "x"}});
  Plot norms({.title = "norm of the functional",
              .x = {.label = "elements", .scale = AxisScale::log},
              .y = {.scale = AxisScale::log}});
  std::vector<double> size, in_h1, in_l2;
  for (std::size_t n = 4; n <= 128; n *= 2) {
    const double h = 1 / static_cast<double>(n);
    Matrix stiffness(n - 1, n - 1), mass(n - 1, n - 1);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      for (std::size_t j = i == 0 ? 0 : i - 1; j < std::min(n - 1, i + 2); ++j) {
        stiffness(i, j) = (i == j ? 2 : -1) / h;
        mass(i, j) = (i == j ? 4 : 1) * h / 6;
      }
    }
    std::vector<double> f(n - 1, 0.0), x{0}, y{0};
    f[n / 4 - 1] = 1;
    const Representer energy = riesz_representer(stiffness, f), plain = riesz_representer(mass, f);
    size.push_back(static_cast<double>(n));
    in_h1.push_back(energy.norm);
    in_l2.push_back(plain.norm);
    fmt::print("{:4} elements: {:.12f} in H^1_0, {:8.4f} in L^2\n", n, energy.norm, plain.norm);
    good = good && std::abs(energy.norm - std::sqrt(3.0) / 4) < 1e-12;
    for (std::size_t i = 1; i <= n; ++i) {
      x.push_back(h * static_cast<double>(i));
      y.push_back(i == n ? 0 : energy.h[i - 1]);
      const double exact = std::min(x.back(), 0.25) * (1 - std::max(x.back(), 0.25));
      good = good && std::abs(y.back() - exact) < 1e-12;
    }
    if (n <= 16) green.line(x, y, {.name = fmt::format("{} elements", n), .markers = true});
  }
  const double growth = std::log2(in_l2.back() / in_l2.end()[-2]);
  fmt::print("in L^2 the norm grows like n^{:.2f}\n", growth);
  good = good && std::abs(growth - 0.5) < 0.01;
  norms.line(size, in_h1, {.name = "H^1_0", .markers = true});
  norms.line(size, in_l2, {.name = "L^2", .markers = true});
  if (argc > 1) save_picture(argv[1], draw_figure({&green, &norms}, {420, 360, 2}));
  return good ? 0 : 1;
}
