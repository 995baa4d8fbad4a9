#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>
#include <cauchy/tensor/executor.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_attention_axis(Output& out) {
  // v(x) = (cos 2 pi x, sin 4 pi x) at k points of [0, 1]; A, B, R are 2 x 2.
  const double a[] = {1.1, -0.4, 0.7, 1.5}, b[] = {0.8, 0.3, -0.5, 1.2},
               r[] = {0.6, -0.2, 0.4, 1.0};
  const auto apply = [](const double* m, std::span<const double> v, std::size_t o) {
    return m[2 * o] * v[0] + m[2 * o + 1] * v[1];
  };
  const auto attention = [&](std::size_t k, bool rows, std::vector<double>* sums = nullptr) {
    std::vector<double> v, q, key, value;
    for (std::size_t i = 0; i < k; ++i) {
      // a quarter of the points lies in the first half: not a uniform sample
      const double s = (double(i) + 0.5) / double(k), x = s < 0.25 ? 2 * s : 0.5 + (s - 0.25) / 1.5;
      v.push_back(std::cos(2 * pi * x)), v.push_back(std::sin(4 * pi * x));
    }
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t o = 0; o < 2; ++o) {
        const auto at = std::span<const double>(v).subspan(2 * i, 2);
        q.push_back(apply(a, at, o)), key.push_back(apply(b, at, o)),
            value.push_back(apply(r, at, o));
      }
    }
    Matrix e(k, k);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        e(i, j) =
            std::exp((q[2 * i] * key[2 * j] + q[2 * i + 1] * key[2 * j + 1]) / std::sqrt(2.0));
      }
    }
    std::vector<double> result(2 * k);
    for (std::size_t i = 0; i < k; ++i) {
      double weight = 0;
      for (std::size_t j = 0; j < k; ++j) {
        double norm = 0;  // over the keys of a query (rows), or over the queries of a key (printed)
        for (std::size_t l = 0; l < k; ++l) norm += rows ? e(i, l) : e(l, j);
        weight += e(i, j) / norm;
        for (std::size_t o = 0; o < 2; ++o) result[2 * i + o] += e(i, j) / norm * value[2 * j + o];
      }
      if (sums != nullptr) sums->push_back(weight);
    }
    if (rows && k == 24) {  // the textbook: softmax(Q K' / sqrt(m)) V, by the library
      auto graph = std::make_shared<TensorGraph>();
      const int k_points = int(k);
      const int iq = graph->input("q", {2, {k_points}}), ik = graph->input("k", {2, {k_points}}),
                iv = graph->input("v", {2, {k_points}});
      const int made = graph->attention(iq, ik, iv);
      const auto executor =
          make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
      const auto channels_first = [&](const std::vector<double>& list) {
        std::vector<double> turned(2 * k);
        for (std::size_t i = 0; i < 2 * k; ++i) turned[(i % 2) * k + i / 2] = list[i];
        return turned;
      };
      const std::vector<double> tq = channels_first(q), tk = channels_first(key),
                                tv = channels_first(value);
      const std::vector<std::span<const double>> inputs = {tq, tk, tv};
      std::vector<double> by_library(2 * k);
      executor->predict(made, {}, 1, inputs, by_library);
      double worst = 0;
      for (std::size_t i = 0; i < 2 * k; ++i) {
        worst = std::max(worst, std::abs(by_library[(i % 2) * k + i / 2] - result[i]));
      }
      out.check("normalised over the keys: difference from textbook attention", worst, 0, 1e-13);
    }
    return result;
  };
  std::vector<double> row_sums, column_sums, number;
  (void)attention(24, true, &row_sums);
  (void)attention(24, false, &column_sums);
  double off = 0, least = 10, most = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    number.push_back(double(i));
    off = std::max(off, std::abs(row_sums[i] - 1));
    least = std::min(least, column_sums[i]), most = std::max(most, column_sums[i]);
  }
  out.check("normalised over the keys: largest |sum of the weights of a query - 1|", off, 0, 1e-14);
  out.text(fmt::format("As printed, the weights of a query add up to between {:.2f} and {:.2f}.",
                       least, most));
  out.require("as printed: they differ from 1 by more than 0.2 for some query",
              std::max(1 - least, most - 1) > 0.2);
  Plot plot({.title = "sum of the weights of each query",
             .x = {.label = "query"},
             .y = {.limits = Limits{0, most * 1.1}}});
  plot.line(number, row_sums, {.name = "over keys", .markers = true});
  plot.line(number, column_sums, {.name = "over queries, as printed", .markers = true});
  out.picture("sums", draw_figure({&plot}, {560, 320, 1}));
}

Artefact attention_axis_entry() {
  return {.id = "attention-axis",
          .kind = Kind::recipe,
          .lecture = 5,
          .lines = "7118-7186",
          .title = "Attention as an operator, and what its softmax runs over",
          .formula =
              "u(x) = \\int \\frac{e^{\\langle A v(x), B v(y) \\rangle / \\sqrt m}}{\\int "
              "e^{\\langle A v(x), B v(s) \\rangle / \\sqrt m} ds} R v(y) dy",
          .says =
              "Self-attention is the sum over points of an integral operator whose kernel "
              "depends on the input.",
          .truth =
              "The printed denominator integrates over the query for a fixed key, which is a "
              "softmax over columns; attention normalises over the keys of each query. With "
              "rows v_j' the matrices are Q = X A', K = X B', V = X R'.",
          .page = "operators/networks.md",
          .seconds = 0.1,
          .file = "lecture_5/attention_axis.cpp",
          .make = make_attention_axis};
}

}  // namespace cauchy::notes
