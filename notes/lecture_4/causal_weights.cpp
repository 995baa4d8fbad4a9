#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"
#include "training/point_weights/causal.hpp"

namespace cauchy::notes {

void make_causal_weights(Output& out) {
  // Losses of 32 chunks while a training advances: solved up to a front, 1 behind it.
  constexpr std::size_t n = 32;
  const auto losses = [](double front) {
    std::vector<double> l = {0};
    for (std::size_t i = 0; i < n; ++i) {
      l.push_back(1 / (1 + std::exp(-30 * ((double(i) + 0.5) / n - front))));
    }
    return l;
  };
  std::vector<double> time;
  for (std::size_t i = 0; i < n; ++i) time.push_back((double(i) + 0.5) / n);
  Plot fronts({.title = "epsilon = 1, the training advances",
               .x = {.label = "t"},
               .y = {.label = "weight"}});
  Plot slopes(
      {.title = "front at 0.4, several epsilon", .x = {.label = "t"}, .y = {.label = "weight"}});
  for (const double front : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    fronts.line(time, detail::causal_factors(losses(front), 1),
                {.name = fmt::format("front at {}", front)});
  }
  bool falls = true;
  for (const double epsilon : {0.1, 1.0, 10.0, 100.0}) {
    const std::vector<double> w = detail::causal_factors(losses(0.4), epsilon);
    for (std::size_t i = 1; i < n; ++i) falls = falls && w[i] <= w[i - 1];
    slopes.line(time, w, {.name = fmt::format("{:g}", epsilon)});
    out.check(fmt::format("first weight, epsilon = {:g}", epsilon), w[0], 1, 0);
  }
  out.require("weights never grow with time", falls);
  // A constant loss of 1 per chunk: the weights are a geometric sequence.
  std::vector<double> ones(n + 1, 1.0);
  ones[0] = 0;
  out.check("32nd weight for losses 1, epsilon = 0.1", detail::causal_factors(ones, 0.1)[31],
            std::exp(-3.1), 1e-12);
  out.picture("weights", draw_figure({&fronts, &slopes}, {460, 330, 2}),
              "The weights open with the front; a larger epsilon closes earlier.");
}

Artefact causal_weights_entry() {
  return {.id = "causal-weights",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "5786-5799",
          .title = "How causal weights open",
          .formula = "w_i = \\exp \\left( -\\epsilon \\sum_{k<i} L_k \\right)",
          .says = "Weights over time at several stages of a training.",
          .truth = "",
          .page = "training/point-weights.md",
          .seconds = 0.1,
          .file = "lecture_4/causal_weights.cpp",
          .make = make_causal_weights};
}

}  // namespace cauchy::notes
