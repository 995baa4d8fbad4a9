#include <cmath>

#include <cauchy/math/difference.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// The fraction with the smallest denominator: "-49/18".
std::string as_fraction(double w) {
  for (int q = 1; q < 100'000; ++q) {
    const double p = std::round(w * q);
    if (std::abs(w * q - p) < 1e-10 * q)
      return q == 1 ? fmt::format("{}", p) : fmt::format("{}/{}", p, q);
  }
  return fmt::format("{}", w);
}

}  // namespace

void make_stencil_table(Output& out) {
  std::vector<std::vector<std::string>> rows = {
      {"derivative", "accuracy", "-5", "-4", "-3", "-2", "-1", "0", "1", "2", "3", "4", "5"}};
  double inexact = 0;
  for (int order = 1; order <= 4; ++order) {
    for (int accuracy = 2; accuracy <= 8; accuracy += 2) {
      const std::vector<double> w = central_weights(order, accuracy);
      const int reach = int(w.size()) / 2;
      rows.push_back({std::to_string(order), std::to_string(accuracy)});
      for (int j = -5; j <= 5; ++j) {
        rows.back().push_back(std::abs(j) > reach ? "" : as_fraction(w[std::size_t(j + reach)]));
      }
      // Exact for x^m, m < order + accuracy: the derivative at 0 is order! for m = order, else 0.
      for (int m = 0; m < order + accuracy; ++m) {
        double sum = m == order ? -std::tgamma(order + 1) : 0, size = 1;
        for (int j = -reach; j <= reach; ++j) {
          const double term = w[std::size_t(j + reach)] * std::pow(j, m);
          sum += term;
          size += std::abs(term);
        }
        inexact = std::max(inexact, std::abs(sum) / size);
      }
    }
  }
  out.table("weights", rows, "central differences on the nodes -5 h ... 5 h, to be divided by h^k");
  out.check("largest relative error on polynomials up to their order", inexact, 0, 1e-14);
  const double first[] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 0};
  const double second[] = {1.0 / 90, -3.0 / 20, 3.0 / 2, -49.0 / 18};
  for (std::size_t k = 0; k < 4; ++k) {
    out.check(fmt::format("first derivative, 7 nodes, weight {}", k), central_weights(1, 6)[k],
              first[k], 1e-15);
    out.check(fmt::format("second derivative, 7 nodes, weight {}", k), central_weights(2, 6)[k],
              second[k], 1e-14);
  }
  // As a kernel, sum_j k_j u_(i+j) is a correlation. A convolution turns the kernel over.
  const std::vector<double> k = central_weights(1, 2);
  const double u[] = {0, 1, 4};  // x^2 at 0, 1, 2
  out.check("correlation of x^2 at 1", k[0] * u[0] + k[1] * u[1] + k[2] * u[2], 2, 1e-15);
  out.check("convolution of x^2 at 1", k[2] * u[0] + k[1] * u[1] + k[0] * u[2], -2, 1e-15);
}

Artefact stencil_table_entry() {
  return {.id = "stencil-table",
          .kind = Kind::table,
          .lecture = 2,
          .lines = "1259-1270",
          .title = "Weights of central differences",
          .formula = R"(\partial_x^k u(x_i) \approx \frac{1}{h^k}\sum_{j=-q}^{q} k_j\,u_{i+j})",
          .says =
              "Fornberg's recursion gives the weights of any derivative on any nodes; a table "
              "lists those of derivatives one to four.",
          .truth =
              "The sum over u_(i+j) is called a convolution; it is a correlation. A convolution "
              "turns the kernel over, which changes the sign of odd derivatives.",
          .page = "methods/fdm.md",
          .seconds = 0.1,
          .file = "lecture_2/stencil_table.cpp",
          .make = make_stencil_table};
}

}  // namespace cauchy::notes
