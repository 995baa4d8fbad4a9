#include <cmath>
#include <vector>

#include <cauchy/dynamics/ode_layer.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_adjoint_sign(Output& out) {
  // y' = theta y, y(0) = 1, L = y(1)^2 / 2, theta = 0.3: dL/dtheta = e^0.6.
  const double theta = 0.3, exact = std::exp(0.6);
  std::vector<double> s_times, wrong_path, right_path;
  const auto backward = [&](double sign, std::vector<double>& path) {
    double y = std::exp(theta), a = y, g = 0;  // at the end; then (y, a, g)' in s = T - t
    constexpr int n = 1000;
    for (int i = 0; i < n; ++i) {
      path.push_back(g);
      if (sign > 0) s_times.push_back(double(i) / n);
      const double h = 1.0 / n, ym = y - h / 2 * theta * y, am = a + h / 2 * theta * a;
      y -= h * theta * ym;
      a += h * theta * am;
      g += sign * h * ym * am;  // (dF/dtheta)' a = y a
    }
    return g;
  };
  out.check("gradient with the third row as printed, -(dF/dtheta)' a", backward(-1, wrong_path),
            -exact, 1e-5);
  out.check("gradient with +(dF/dtheta)' a", backward(1, right_path), exact, 1e-5);
  out.check("exact, e^0.6", exact, 1.82211880, 5e-9);
  const auto loss = [](double at) { return std::exp(2 * at) / 2; };
  out.check("by differences", (loss(theta + 1e-5) - loss(theta - 1e-5)) / 2e-5, exact, 1e-8);
  // The layer of the library, and what the notes leave out: y(0) = A x + b has gradients as well.
  OdeLayer layer({.states = {"y"},
                  .slopes = {Parameter("theta") * Field("y")},
                  .constants = {{"theta", theta}}},
                 {.relative = 1e-11, .absolute = 1e-12});
  layer.set_times({{0, 1}});
  std::vector<double> values(2), gradient(1), a0(1);
  (void)layer.run(std::vector<double>{theta}, std::vector<double>{1.0}, values);
  (void)layer.pull_continuous(std::vector<double>{0, values[1]}, gradient, a0);
  out.check("continuous adjoint of the library", gradient[0], exact, 1e-8);
  out.check("dL/db = a(0) = y(1)^2", a0[0], exact, 1e-8);
  Plot plot({.title = "the gradient, collected on the way back", .x = {.label = "s = T - t"}});
  plot.line(s_times, right_path, {.name = "+(dF/dtheta)' a"});
  plot.line(s_times, wrong_path, {.name = "as printed"});
  out.picture("gradient", draw_figure({&plot}, {560, 320, 1}));
}

Artefact adjoint_sign_entry() {
  return {.id = "adjoint-sign",
          .kind = Kind::recipe,
          .lecture = 4,
          .lines = "6095-6106",
          .title = "The gradient of a neural ODE has a sign",
          .formula =
              "\\frac{d}{ds} (y, a, g) = (-F, (\\partial_y F)^\\top a, +(\\partial_\\theta "
              "F)^\\top a), \\quad s = T - t",
          .says = "State, adjoint and gradient are integrated back together from the end.",
          .truth =
              "The first two rows are written for reversed time, the third for time that runs "
              "forward: the printed system returns minus the gradient. Besides, the trained "
              "start A x + b has gradients: a(0) for b, a(0) x' for A.",
          .page = "dynamics.md",
          .seconds = 0.1,
          .file = "lecture_4/adjoint_sign.cpp",
          .make = make_adjoint_sign};
}

}  // namespace cauchy::notes
