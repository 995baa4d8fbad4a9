// One training iteration of a neural ODE on the spiral (2-50-2 on y^3, batches of pieces of one
// trajectory), against torchdiffeq's algorithm written plainly in PyTorch, in one run; and
// gradients by the discrete and the continuous adjoint against differences.
//
//   bench_neural_ode [--threads N] [--repeats N] [--no-peer] [--smallest]
//
// Both sides take turns in one process group: ratio is the median of their ratios. The other side
// (bench/torch_neural_ode.py) runs with the system's python3; without it torch_ms and ratio are
// empty.
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/dynamics/ode_layer.hpp>
#include <cauchy/networks/initialize.hpp>

#include "bench_options.hpp"
#include "peer.hpp"

namespace {

using namespace cauchy;

constexpr std::size_t n_points = 1000;
constexpr double end_time = 25;

VectorFieldSpec spiral_network() {
  VectorFieldSpec f{.states = {"x", "y"}};
  f.unknown = FieldUnknown{.network = Mlp{.width = 50, .depth = 1},
                           .inputs = {pow(Field("x"), 3), pow(Field("y"), 3)}};
  return f;
}

double time_of(std::size_t i) { return end_time * static_cast<double>(i) / (n_points - 1); }

/// The spiral itself: y' = A y^3 from (2, 0).
std::vector<double> spiral_curve() {
  const Expr x = pow(Field("x"), 3), y = pow(Field("y"), 3);
  OdeLayer exact({.states = {"x", "y"}, .slopes = {-0.1 * x - 2 * y, 2 * x - 0.1 * y}},
                 {.relative = 1e-9, .absolute = 1e-11}, std::make_shared<Threads>(1));
  std::vector<double> times(n_points);
  for (std::size_t i = 0; i < n_points; ++i) times[i] = time_of(i);
  exact.set_times({times});
  std::vector<double> values(exact.n_values());
  (void)exact.run({}, std::vector<double>{2, 0}, values);
  return values;
}

/// One side of the race: batches, loss, gradient, Adam.
class Side {
 public:
  Side(std::size_t n, std::size_t n_times, double tolerance, int threads)
      : n_(n),
        n_times_(n_times),
        layer_(spiral_network(), {.relative = tolerance, .absolute = tolerance * 1e-2},
               std::make_shared<Threads>(threads)),
        curve_(spiral_curve()),
        theta_(layer_.n_parameters()) {
    Rng rng(1);
    for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] = 0.1 * rng.normal();
    m_.resize(theta_.size());
    v_.resize(theta_.size());
    std::vector<double> times(n_times);
    for (std::size_t i = 0; i < n_times; ++i) times[i] = time_of(i);
    times_.assign(n, times);
  }

  double step() {
    layer_.set_times(times_);
    std::vector<std::size_t> first(n_);
    std::vector<double> starts(2 * n_);
    for (std::size_t i = 0; i < n_; ++i) {
      first[i] = Rng(7).split(count_).bits64_at(i) % (n_points - n_times_);
      for (std::size_t c = 0; c < 2; ++c) starts[2 * i + c] = curve_[2 * first[i] + c];
    }
    std::vector<double> values(layer_.n_values()), seeds(values.size()), g(theta_.size()),
        s(starts.size());
    report_ = layer_.run(theta_, starts, values);
    double loss = 0;
    const double scale = 1.0 / static_cast<double>(values.size());
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < 2 * n_times_; ++j) {
        const std::size_t at = layer_.offset(i) + j;
        const double off = values[at] - curve_[2 * first[i] + j];
        loss += off * off * scale;
        seeds[at] = 2 * off * scale;
      }
    }
    layer_.pull(seeds, g, s);
    ++count_;
    const double k = static_cast<double>(count_);
    for (std::size_t i = 0; i < g.size(); ++i) {
      m_[i] = 0.9 * m_[i] + 0.1 * g[i];
      v_[i] = 0.999 * v_[i] + 0.001 * g[i] * g[i];
      theta_[i] -= 1e-3 * m_[i] / (1 - std::pow(0.9, k)) /
                   (std::sqrt(v_[i] / (1 - std::pow(0.999, k))) + 1e-8);
    }
    return loss;
  }
  [[nodiscard]] const FlowReport& report() const { return report_; }

 private:
  std::size_t n_, n_times_;
  OdeLayer layer_;
  std::vector<double> curve_, theta_, m_, v_;
  std::vector<std::vector<double>> times_;
  std::uint64_t count_ = 0;
  FlowReport report_;
};

void race(std::size_t n, std::size_t n_times, double tolerance, int threads, int repeats,
          bench::Peer* peer) {
  Side own(n, n_times, tolerance, threads);
  for (int i = 0; i < 20; ++i) (void)own.step();
  const bool with =
      peer != nullptr && peer->ask(fmt::format("{} {} {} {}", n, n_times, tolerance, threads))
                             .value_or("")
                             .starts_with("ready");
  if (with) (void)peer->ask("step 3");
  std::vector<double> ours, theirs, ratios;
  long steps = 0;
  for (int r = 0; r < repeats; ++r) {
    constexpr int inner = 20;
    const double begin = bench::now_ms();
    for (int i = 0; i < inner; ++i) (void)own.step();
    ours.push_back((bench::now_ms() - begin) / inner);
    if (!with) continue;
    std::istringstream answer(peer->ask("step 5").value_or(""));
    std::vector<double> five(5);
    for (double& ms : five) answer >> ms;
    answer >> steps;
    theirs.push_back(bench::median(five));
    ratios.push_back(theirs.back() / ours.back());
  }
  fmt::print("| {} x {} | {:.0e} | {} | {} | {:.4f} |", n, n_times, tolerance, threads,
             own.report().steps, bench::median(ours));
  if (with) {
    fmt::print(" {} | {:.2f} | {:.1f} |\n", steps, bench::median(theirs), bench::median(ratios));
  } else {
    fmt::print(" | | |\n");
  }
}

/// Gradients of the same loss three ways.
void gradients(double tolerance) {
  const VectorFieldSpec f = spiral_network();
  OdeLayer layer(f, {.relative = tolerance, .absolute = tolerance}, std::make_shared<Threads>(1));
  layer.set_times({{0, 0.4, 1.1, 2}});
  std::vector<double> theta = initial_parameters(parameters_of(f), Rng(3));
  const std::vector<double> start{1.2, 0.4};
  std::vector<double> values(layer.n_values()), g(theta.size()), c(theta.size()), s(2);
  const auto loss = [&] {
    (void)layer.run(theta, start, values);
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / 2;
  };
  (void)loss();
  const std::vector<double> seeds = values;
  layer.pull(seeds, g, s);
  (void)layer.pull_continuous(seeds, c, s);
  double size = 0, discrete = 0, continuous = 0, apart = 0;
  for (std::size_t i = 0; i < theta.size(); i += 7) {
    const double old = theta[i], h = 1e-5;
    theta[i] = old + h;
    const double up = loss();
    theta[i] = old - h;
    const double down = loss();
    theta[i] = old;
    const double difference = (up - down) / (2 * h);
    size = std::max(size, std::abs(difference));
    discrete = std::max(discrete, std::abs(g[i] - difference));
    continuous = std::max(continuous, std::abs(c[i] - difference));
    apart = std::max(apart, std::abs(c[i] - g[i]));
  }
  fmt::print("| {:.0e} | {:.1e} | {:.1e} | {:.1e} |\n", tolerance, discrete / size,
             continuous / size, apart / size);
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 1, repeats = bench::take_smallest(argc, argv) ? 1 : 9;
  bool with_peer = true;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--no-peer") with_peer = false;
    if (word == "--threads" && i + 1 < argc) threads = std::atoi(argv[++i]);
    if (word == "--repeats" && i + 1 < argc) repeats = std::atoi(argv[++i]);
  }
  std::unique_ptr<bench::Peer> peer;
  if (with_peer) peer = std::make_unique<bench::Peer>("bench/torch_neural_ode.py", "torch");
  fmt::print(
      "| trajectories x times | tolerance | threads | steps | ms | torch steps | torch ms | "
      "ratio |\n|---|---|---|---|---|---|---|---|\n");
  race(20, 10, 1e-7, threads, repeats, peer.get());
  race(20, 100, 1e-7, threads, repeats, peer.get());
  race(200, 10, 1e-7, threads, repeats, peer.get());
  fmt::print(
      "\n| tolerance | discrete against differences | continuous against differences | "
      "continuous against discrete |\n|---|---|---|---|\n");
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) gradients(tolerance);
}
