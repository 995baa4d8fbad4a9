// The rates of finite elements: laplacian(u) = 0 on the unit square, u = sin(pi y) at x = 1 and 0
// on the other sides, u = sinh(pi x) sin(pi y) / sinh(pi). Errors in L2 and of the gradient on
// finer and finer triangles of order 1 and 2. Runs: elements_from_scratch Expects: rates of order +
// 1 and order, within 0.15
#include <cmath>
#include <cstdio>

#include <cauchy/cauchy.hpp>

using namespace cauchy;

int main() {
  const Coordinate x("x"), y("y");
  const Field u("u");
  const Expr exact = sinh(pi * x) / std::sinh(pi) * sin(pi * y);
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1});
  p.fields = {"u"};
  p.equation = {laplacian(u, {x, y}) == 0};
  p.condition = {on("right", u == sin(pi * y)), on("not right", u == 0)};
  std::vector<double> points;  // a rule of 300 x 300 midpoints
  for (int i = 0; i < 90'000; ++i) {
    points.insert(points.end(), {(i % 300 + 0.5) / 300, (i / 300 + 0.5) / 300.0});
  }
  const std::vector<Expr> differences{u - exact, d(u, x) - d(exact, x), d(u, y) - d(exact, y)};
  bool good = true;
  for (const int order : {1, 2}) {
    double l2_before = 0, h1_before = 0, n_before = 0;
    for (const int n : {6, 10, 16, 24, 36, 52}) {
      const Solution s = solve(p, Fem{.n = n, .order = order});
      std::vector<double> e(points.size() / 2 * 3);
      s.model->evaluate(differences, points, e);
      double l2 = 0, h1 = 0;
      for (std::size_t i = 0; i < e.size(); i += 3) {
        l2 += e[i] * e[i] / 90'000;
        h1 += (e[i + 1] * e[i + 1] + e[i + 2] * e[i + 2]) / 90'000;
      }
      l2 = std::sqrt(l2), h1 = std::sqrt(h1);
      std::printf("order %d, n = %2d: L2 %.2e, gradient %.2e", order, n, l2, h1);
      if (n_before > 0) {
        const double step = std::log(n / n_before), r2 = std::log(l2_before / l2) / step,
                     r1 = std::log(h1_before / h1) / step;
        std::printf("   rates %.2f, %.2f", r2, r1);
        if (n == 52) good = good && std::abs(r2 - order - 1) < 0.15 && std::abs(r1 - order) < 0.15;
      }
      std::printf("\n");
      l2_before = l2, h1_before = h1, n_before = n;
    }
  }
  return good ? 0 : 1;
}
