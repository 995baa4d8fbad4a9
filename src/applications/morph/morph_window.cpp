#include "applications/morph/morph_window.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

/// Least last change in units of the deviation: what hardly moves is no unit of its next change.
constexpr double least_change = 1e-3;
/// Windows that go through a network at once.
constexpr std::size_t windows_at_once = 64;

}  // namespace

MorphWindow::MorphWindow(const Uptf& like, const MorphNetwork& network, int history)
    : history_(static_cast<std::size_t>(history)),
      fields_(like.shape[2]),
      components_(like.shape[3]),
      lifted_(static_cast<std::size_t>(network.components)),
      points_(like.shape[4] * like.shape[5] * like.shape[6]),
      real_(like.components) {
  constexpr const char* place = "[morph]";
  if (components_ > lifted_) {
    throw Error(fmt::format("fields have {} components, the network has {}", components_, lifted_),
                place, "give [morph.network] more components");
  }
  if (history < 1) throw Error(fmt::format("history must be positive, got {}", history), place);
  shape_.moments = history;
  shape_.fields = static_cast<int>(fields_);
  for (std::size_t a = 0; a < 3; ++a) shape_.grid[a] = static_cast<int>(like.shape[4 + a]);
  shape_.periodic = like.periodic;
}

void MorphWindow::encode(std::span<const double> frames, std::span<double> in,
                         std::span<double> units) const {
  const std::size_t frame = frame_size();
  std::ranges::fill(in, 0.0);
  for (std::size_t f = 0; f < fields_; ++f) {
    const std::size_t n = history_ * points_;
    std::vector<double> mean(real_[f], 0.0);
    double variance = 0, change = 0;
    for (std::size_t c = 0; c < real_[f]; ++c) {
      double square = 0;
      const auto for_each = [&](auto body) {
        for (std::size_t t = 0; t < history_; ++t) {
          for (std::size_t p = 0; p < points_; ++p) body(frames[t * frame + in_frame(f, c) + p]);
        }
      };
      for_each([&](double u) { mean[c] += u / static_cast<double>(n); });
      for_each([&](double u) { square += (u - mean[c]) * (u - mean[c]); });
      variance += square / static_cast<double>(n * real_[f]);
      if (history_ == 1) continue;
      for (std::size_t p = 0; p < points_; ++p) {
        const std::size_t i = (history_ - 1) * frame + in_frame(f, c) + p;
        const double d = frames[i] - frames[i - frame];
        change += d * d / static_cast<double>(points_ * real_[f]);
      }
    }
    const double a = variance > 0 ? std::sqrt(variance) : 1;
    units[f] = history_ == 1 ? a : a * std::max(least_change, std::sqrt(change) / a);
    for (std::size_t c = 0; c < real_[f]; ++c) {
      for (std::size_t t = 0; t < history_; ++t) {
        double* to = in.data() + ((c * history_ + t) * fields_ + f) * points_;
        const double* u = frames.data() + t * frame + in_frame(f, c);
        const bool last = t + 1 == history_;
        for (std::size_t p = 0; p < points_; ++p) {
          to[p] = last ? (u[p] - mean[c]) / a : (u[frame + p] - u[p]) / units[f];
        }
      }
    }
  }
}

void MorphWindow::encode_next(std::span<const double> last, std::span<const double> next,
                              std::span<const double> units, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (std::size_t f = 0; f < fields_; ++f) {
    for (std::size_t c = 0; c < real_[f]; ++c) {
      for (std::size_t p = 0; p < points_; ++p) {
        const std::size_t i = in_frame(f, c) + p;
        out[(c * fields_ + f) * points_ + p] = (next[i] - last[i]) / units[f];
      }
    }
  }
}

void MorphWindow::decode(std::span<const double> last, std::span<const double> out,
                         std::span<const double> units, std::span<double> next) const {
  std::ranges::fill(next, 0.0);
  for (std::size_t f = 0; f < fields_; ++f) {
    for (std::size_t c = 0; c < real_[f]; ++c) {
      for (std::size_t p = 0; p < points_; ++p) {
        const std::size_t i = in_frame(f, c) + p;
        next[i] = last[i] + units[f] * out[(c * fields_ + f) * points_ + p];
      }
    }
  }
}

std::vector<double> MorphWindow::weights() const {
  std::vector<double> result(out_size(), 0.0);
  double sum = 0;
  for (std::size_t f = 0; f < fields_; ++f) {
    for (std::size_t c = 0; c < real_[f]; ++c) {
      const auto begin = result.begin() + static_cast<std::ptrdiff_t>((c * fields_ + f) * points_);
      std::fill_n(begin, points_, 1.0);
      sum += static_cast<double>(points_);
    }
  }
  for (double& w : result) w /= sum;
  return result;
}

MorphGraph make_morph_graph(const MorphNetwork& network, const MorphShape& s, const Lora& lora,
                            std::vector<double> weights) {
  const auto graph = std::make_shared<TensorGraph>();
  const std::vector<int> one = {s.fields, s.grid[0], s.grid[1], s.grid[2]};
  std::vector<int> all = one;
  all[0] *= s.moments;
  const int in = graph->input("in", {network.components, all});
  const int truth = graph->input("out", {network.components, one});
  MorphGraph result;
  result.answer = add_morph(*graph, network, s, in, lora);
  graph->output("answer", result.answer);
  const int square =
      graph->function(graph->subtract(result.answer, truth), ElementFunction::square);
  const int line = graph->reshape(square, {1, {static_cast<int>(graph->shape(square).size())}});
  result.loss = graph->reduce(line, std::move(weights));
  result.graph = graph;
  return result;
}

MorphStepper::MorphStepper(const MorphModel& model, const Uptf& like, std::shared_ptr<Threads> pool)
    : window_(like, model.network, model.history),
      history_(static_cast<std::size_t>(model.history)) {
  const MorphGraph g =
      make_morph_graph(model.network, window_.shape(), model.lora, window_.weights());
  answer_ = g.answer;
  executor_ = make_tensor_executor(g.graph, {}, {.pool = std::move(pool)});
}

void MorphStepper::step(std::span<const double> theta, std::span<const double> windows,
                        std::span<double> next) {
  const std::size_t frame = frame_size(), each = history_ * frame, n = next.size() / frame;
  const std::size_t fields = static_cast<std::size_t>(window_.shape().fields);
  const std::size_t most = std::min(n, windows_at_once);
  in_.resize(most * window_.in_size());
  out_.resize(most * window_.out_size());
  units_.resize(most * fields);
  const std::span<double> in(in_), out(out_), units(units_);
  for (std::size_t first = 0; first < n; first += most) {
    const std::size_t m = std::min(most, n - first);
    for (std::size_t i = 0; i < m; ++i) {
      window_.encode(windows.subspan((first + i) * each, each),
                     in.subspan(i * window_.in_size(), window_.in_size()),
                     units.subspan(i * fields, fields));
    }
    const std::span<const double> inputs[] = {in.first(m * window_.in_size()), {}};
    executor_->predict(answer_, theta, m, inputs, out.first(m * window_.out_size()));
    for (std::size_t i = 0; i < m; ++i) {
      window_.decode(windows.subspan((first + i + 1) * each - frame, frame),
                     out.subspan(i * window_.out_size(), window_.out_size()),
                     units.subspan(i * fields, fields), next.subspan((first + i) * frame, frame));
    }
  }
}

Uptf all_next_moments(MorphStepper& stepper, std::span<const double> theta, const Uptf& data,
                      int history) {
  const std::size_t h = static_cast<std::size_t>(history), T = data.shape[1];
  if (T < h) {
    throw Error(fmt::format("axis T has {} moments, the network needs {}", T, h), "[morph]");
  }
  Uptf result = data;
  result.shape[1] = T - h + 1;
  const std::size_t frame = data.frame_size();
  std::vector<double> windows;
  for (std::size_t n = 0; n < data.size(); ++n) {
    for (std::size_t m = 0; m + h <= T; ++m) {
      const auto begin = data.values.begin() + static_cast<std::ptrdiff_t>((n * T + m) * frame);
      windows.insert(windows.end(), begin, begin + static_cast<std::ptrdiff_t>(h * frame));
    }
  }
  result.values.resize(result.shape[0] * result.shape[1] * frame);
  stepper.step(theta, windows, result.values);
  return result;
}

double relative_error(const Uptf& v, std::size_t from, const Uptf& u, std::size_t first,
                      std::size_t moments) {
  const std::size_t F = u.shape[2], field = u.frame_size() / F;
  double mean = 0;
  for (std::size_t n = 0; n < u.size(); ++n) {
    double squares = 0;
    for (std::size_t f = 0; f < F; ++f) {
      double error = 0, size = 0;
      for (std::size_t m = 0; m < moments; ++m) {
        const auto a = v.frame(n, from + m).subspan(f * field, field),
                   b = u.frame(n, first + m).subspan(f * field, field);
        for (std::size_t i = 0; i < field; ++i) {
          error += (a[i] - b[i]) * (a[i] - b[i]);
          size += b[i] * b[i];
        }
      }
      squares += size > 0 ? error / size : error;
    }
    mean += std::sqrt(squares / static_cast<double>(F)) / static_cast<double>(u.size());
  }
  return mean;
}

}  // namespace cauchy::detail
