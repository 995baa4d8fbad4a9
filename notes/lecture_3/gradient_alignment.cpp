#include <algorithm>
#include <cmath>

#include <cauchy/report/figure.hpp>

#include "lecture_3/helmholtz_phases.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_gradient_alignment(Output& out) {
  HelmholtzTraining run(out.threads());
  std::vector<Plot> panels;
  std::vector<std::vector<std::string>> rows = {
      {"step", "mean cosine of two boxes", "equation and boundary", "sum over sizes"}};
  std::vector<double> means;
  int done = 0;
  double identity = 0;
  for (const int step : {0, 300, 4000}) {
    run.steps(step - done);
    done = step;
    const Matrix g = run.gradients();
    const std::size_t n = g.cols(), m = g.rows();
    Matrix angle(m, m);
    double mean = 0, sizes = 0, square = 0;
    std::vector<double> total(n);
    for (std::size_t a = 0; a < m; ++a) {
      double own = 0;
      for (std::size_t j = 0; j < n; ++j) {
        total[j] += g(a, j);
        own += g(a, j) * g(a, j);
      }
      sizes += std::sqrt(own);
      square += own;
      for (std::size_t b = 0; b < m; ++b) {
        angle(a, b) = cosine({&g(a, 0), n}, {&g(b, 0), n});
        if (a != b) mean += angle(a, b) / double(m * (m - 1));
      }
    }
    // The terms of the loss: the whole equation and the boundary.
    std::vector<double> parts((m + 1) * n), equation(n);
    run.loss->parts_at(run.theta, {}, parts);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t b = 0; b < m; ++b) equation[j] += parts[b * n + j];
    }
    const double conflict = cosine(equation, {&parts[m * n], n});
    double whole = 0;
    for (const double v : total) whole += v * v;
    // |sum g|^2 = (sum |g|^2) with all angles; and SNR^2 follows from mean and squares alone.
    const double snr = spread_of(g.view(), 0, n).signal_to_noise();
    const double mm = double(m), share = whole / (mm * square);
    identity = std::max(identity, std::abs(snr * snr / (share / (1 - share)) - 1));
    rows.push_back({std::to_string(step), fmt::format("{:.3f}", mean),
                    fmt::format("{:.3f}", conflict),
                    fmt::format("{:.3f}", std::sqrt(whole) / sizes)});
    means.push_back(mean);
    panels.emplace_back(PlotOptions{.title = fmt::format("cosines, step {}", step),
                                    .color = {.limits = Limits{-1, 1}, .map = Colormap::diverging},
                                    .equal_aspect = true,
                                    .grid = false});
    panels.back().heat_map(angle, {0, mm}, {0, mm});
  }
  out.table("alignment", rows, "1: all in one direction, 0: they cancel");
  out.check("SNR^2 against the angles, share / (1 - share)", identity, 0, 1e-9);
  out.require("at the start gradients point the same way: mean cosine above 0.5", means[0] > 0.5);
  out.require("later they do not: mean cosine below 0.3", means[2] < 0.3);
  out.picture("cosines", draw_figure({&panels[0], &panels[1], &panels[2]}, {340, 300, 3}),
              "Gradients of 16 parts of the domain against each other.");
}

Artefact gradient_alignment_entry() {
  return {
      .id = "gradient-alignment",
      .kind = Kind::figure,
      .lecture = 3,
      .lines = "3172-3182",
      .title = "Do the gradients of parts of the domain agree?",
      .formula =
          R"(\cos(g_a, g_b) = \frac{\langle g_a, g_b\rangle}{\|g_a\|\,\|g_b\|}, \quad \text{SNR}^2 = \frac{s}{1 - s}, \quad s = \frac{\|\sum_a g_a\|^2}{B\sum_a \|g_a\|^2})",
      .says =
          "Gradients of mini-batches are aligned while the network fits and cancel while it "
          "wanders; terms of the loss may be in conflict as well.",
      .truth = "",
      .page = "training/balancers.md",
      .seconds = 7,
      .file = "lecture_3/gradient_alignment.cpp",
      .make = make_gradient_alignment};
}

}  // namespace cauchy::notes
