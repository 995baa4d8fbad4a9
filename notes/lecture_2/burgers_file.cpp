#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_burgers_file(Output& out) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const double nu = 0.01 / pi;
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + u * d(u, x) == nu * d(u, x, x)};
  p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  const Solution s = solve(p, Fdm{.n = 1000}, {.threads = out.threads()});
  // The arrays that the next exercises read: u[time, place], t, x, nu.
  const std::size_t levels = 101, nodes = 201;
  std::vector<double> ts, xs, rows;
  for (std::size_t i = 0; i < nodes; ++i) xs.push_back(-1 + 2 * double(i) / (nodes - 1));
  for (std::size_t n = 0; n < levels; ++n) {
    ts.push_back(double(n) / (levels - 1));
    for (const double at : xs) rows.insert(rows.end(), {ts.back(), at});
  }
  const auto file = out.folder() / "burgers_sol.npz";
  write_npz(file, {{"u", {{levels, nodes}, s("u", rows)}},
                   {"t", Array::list(ts)},
                   {"x", Array::list(xs)},
                   {"nu", Array::list({nu})}});
  const auto read = read_npz(file);
  const Array& field = read.at("u");
  out.require("u has the shape (times, places)", field.shape == std::vector{levels, nodes});
  out.check("the last time in the file", read.at("t").values.back(), 1, 0);
  double wrong = 0, size = 0, squared = 0;
  for (std::size_t k = 0; k < field.values.size(); ++k) {
    const double exact = burgers_cole_hopf(ts[k / nodes], xs[k % nodes], nu);
    wrong += std::pow(field.values[k] - exact, 2);
    size += exact * exact;
  }
  out.check("relative error of the file against the exact solution", std::sqrt(wrong / size), 0,
            2e-3);
  for (std::size_t i = 0; i < nodes; ++i) {  // the text has nu^2 in place of nu
    squared = std::max(squared, std::abs(burgers_cole_hopf(1, xs[i], nu * nu) -
                                         field.values[(levels - 1) * nodes + i]));
  }
  out.require("with nu^2 the front at t = 1 would be another one", squared > 0.02);
  out.text("The arrays `u`, `t`, `x`, `nu` lie in `burgers_sol.npz` beside this page's pictures.");
}

Artefact burgers_file_entry() {
  return {.id = "ho1-burgers-file",
          .kind = Kind::exercise,
          .lecture = 2,
          .lines = "1544-1598",
          .title = "Hands-on 1.6: Burgers' equation as a file of data",
          .formula = R"(u_t + u\,u_x = \nu u_{xx}, \quad \nu = 0.01/\pi)",
          .says = "The field of the Burgers listing is saved for the network exercises.",
          .truth =
              "The text writes nu^2 for nu; the saved times run to 1 although the last level is "
              "0.9998; and the data oscillate. Here they come from a grid that resolves the "
              "front, at the times that the file says.",
          .page = "methods/time.md",
          .seconds = 0.4,
          .file = "lecture_2/burgers_file.cpp",
          .make = make_burgers_file};
}

}  // namespace cauchy::notes
