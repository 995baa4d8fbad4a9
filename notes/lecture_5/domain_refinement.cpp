#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_domain_refinement(Output& out) {
  const SamplerOptions sequence{.kind = SamplerKind::r_sequence};
  const Domain shape = Rectangle({-1, -1}, {1, 1}) - Rectangle({0, -1}, {1, 0});
  const Points fine = grid_points(shape, {61, 61}), all = interior_points(shape, 1024, sequence);
  std::vector<Plot> plots;
  std::vector<double> numbers, radii;
  for (const std::size_t n : {16, 64, 256, 1024}) {
    const Points first = interior_points(shape, n, sequence);
    out.require(fmt::format("the {} points are the first of the next set", n),
                std::equal(first.values.begin(), first.values.end(), all.values.begin()));
    double radius = 0;  // of balls around the points that cover the domain
    for (std::size_t i = 0; i < fine.size(); ++i) {
      double nearest = 10;
      for (std::size_t j = 0; j < n; ++j) {
        nearest = std::min(nearest, std::hypot(fine.row(i)[0] - first.row(j)[0],
                                               fine.row(i)[1] - first.row(j)[1]));
      }
      radius = std::max(radius, nearest);
    }
    numbers.push_back(double(n)), radii.push_back(radius);
    if (n > 256) continue;
    std::vector<double> x, y;
    for (std::size_t j = 0; j < n; ++j) x.push_back(first.row(j)[0]), y.push_back(first.row(j)[1]);
    plots.emplace_back(PlotOptions{.title = fmt::format("{} points, radius {:.2f}", n, radius),
                                   .equal_aspect = true,
                                   .grid = false});
    plots.back().region({{{-1, -1}, {0, -1}, {0, 0}, {1, 0}, {1, 1}, {-1, 1}}},
                        {.fill = Color{235, 235, 235}, .edge = Color{120, 120, 120}});
    for (std::size_t j = 0; n <= 64 && j < n; ++j) {
      std::vector<PixelPoint> ball;
      for (int a = 0; a < 24; ++a) {
        ball.push_back(
            {x[j] + radius * std::cos(pi * a / 12), y[j] + radius * std::sin(pi * a / 12)});
      }
      plots.back().region({ball}, {.fill = with_opacity(palette_color(0), 0.06)});
    }
    plots.back().scatter(x, y, {.color = palette_color(1), .radius = 2});
  }
  // The area is 3: n balls of radius r cover it only if n pi r^2 >= 3.
  for (std::size_t k = 0; k < radii.size(); ++k) {
    out.require(
        fmt::format("{:g} points: the balls are large enough to cover the area", numbers[k]),
        numbers[k] * pi * radii[k] * radii[k] >= 3);
  }
  const double slope = std::log(radii[3] / radii[0]) / std::log(numbers[3] / numbers[0]);
  out.check("order of the radius in the number of points: -1/2", slope, -0.5, 0.1);
  out.picture("refinement", draw_figure({&plots[0], &plots[1], &plots[2]}, {330, 320, 3}),
              "Nested points whose balls cover the domain, with a radius that tends to 0.");
}

Artefact domain_refinement_entry() {
  return {.id = "domain-refinement",
          .kind = Kind::figure,
          .lecture = 5,
          .lines = "6997-7019",
          .title = "A refinement of a domain",
          .formula =
              "D_1 \\subset D_2 \\subset \\cdots, \\quad D \\subset \\cup_{x \\in D_L} "
              "B_{r_L}(x), \\quad r_L \\to 0",
          .says =
              "Nested finite sets of points that come closer and closer to every point of the "
              "domain.",
          .truth = "",
          .page = "operators/networks.md",
          .seconds = 0.1,
          .file = "lecture_5/domain_refinement.cpp",
          .make = make_domain_refinement};
}

}  // namespace cauchy::notes
