// Kolmogorov's theorem computed, in Sprecher's form: f(x, y) = sum_q Phi_q(psi(x + q a) + l psi(y +
// q a)), q = 0 ... 4, with one inner function psi for all f (Koeppen 2002) and outer functions by
// the steps of Braun and Griebel (2009): a step of level k takes f less the answer so far at the
// corners of squares of side 10^-k, a fifth of it for each q. For every q the squares, with gaps
// between them, go to intervals that do not meet; a point is in squares of at least 3 of the 5 q.
//
// Runs:    sprecher
// Expects: psi grows, no two intervals meet, and one step of level 2 leaves less than 4/5 of f, as
//          the theorem has it; exit code 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

constexpr int base = 10, n_outer = 5;
double scale(int k) { return std::pow(base, 1 - (1 << k)); }  // 10^-1, 10^-3, 10^-7, 10^-15

/// psi at d / 10^k: digit k counts 10^-(2^k - 1); a last digit 9 is half way to the next number.
double psi(long d, int k) {
  if (k == 1) return static_cast<double>(d) / base;
  if (d % base == base - 1) return (psi(d - 1, k) + psi(d / base + 1, k - 1)) / 2;
  return psi(d / base, k - 1) + static_cast<double>(d % base) * scale(k);
}
const double shift = 1.0 / (base * (base - 1)), l = scale(1) + scale(2) + scale(3) + scale(4);
double inner(double x) { return psi(static_cast<long>(1e6 * x + 1e-9), 6); }
double f(double x, double y) { return std::sin(4 * x) * std::exp(-y) + x * y * y; }

struct Interval {
  double from, to, value;
};
using Outer = std::vector<Interval>;  // values on intervals, 0 in the middle between them
struct Answer {
  std::vector<Outer> steps[n_outer];
  double operator()(double x, double y) const {
    double sum = 0;
    for (int q = 0; q < n_outer; ++q) {
      const double z = inner(x + q * shift) + l * inner(y + q * shift);
      for (const Outer& phi : steps[q]) {
        const auto after = std::upper_bound(phi.begin(), phi.end(), z,
                                            [](double v, const Interval& i) { return v < i.from; });
        if (after == phi.begin()) continue;
        const auto& [from, to, value] = *(after - 1);
        const double end = after == phi.end() ? 2 * to - from : after->from;
        if (z <= to) sum += value;
        if (z > to && z < (to + end) / 2) sum += value * (1 - 2 * (z - to) / (end - to));
        if (z > (to + end) / 2 && after != phi.end()) {
          sum += after->value * (2 * (z - to) / (end - to) - 1);
        }
      }
    }
    return sum;
  }
};

/// One step of level k; the smallest gap between two intervals.
double improve(Answer& answer, int k) {
  const auto n = std::lround(std::pow(base, k));
  double width = 0, gap = 1;
  for (int r = k + 1; r <= 5; ++r) width += (base - 2) * (1 + l) * scale(r);
  Outer made[n_outer];
  for (int q = 0; q < n_outer; ++q) {
    const long moved = q * ((n - 1) / (base - 1) - n / base);  // q (10^-2 + ... + 10^-k) 10^k
    for (long i = 0; i < n * n; ++i) {
      const double x = static_cast<double>(i / n) / static_cast<double>(n);
      const double y = static_cast<double>(i % n) / static_cast<double>(n);
      const double z = psi(i / n + moved, k) + l * psi(i % n + moved, k);
      made[q].push_back({z, z + width, (f(x, y) - answer(x, y)) / n_outer});
    }
    std::ranges::sort(made[q], {}, &Interval::from);
    for (std::size_t i = 1; i < made[q].size(); ++i) {
      gap = std::min(gap, made[q][i].from - made[q][i - 1].to);
    }
  }
  for (int q = 0; q < n_outer; ++q) answer.steps[q].push_back(std::move(made[q]));
  return gap;
}

/// What is left of f: the largest value and the root mean square, over those of f.
struct Left {
  double most, mean;
};
Left left_by(const Answer& answer) {
  double most = 0, mean = 0, f_most = 0, f_mean = 0;
  for (int i = 0; i < 97 * 97; ++i) {
    const double x = (i / 97 + 0.5) / 97, y = (i % 97 + 0.5) / 97;
    const double e = std::abs(f(x, y) - answer(x, y)), v = std::abs(f(x, y));
    most = std::max(most, e), f_most = std::max(f_most, v);
    mean += e * e, f_mean += v * v;
  }
  return {most / f_most, std::sqrt(mean / f_mean)};
}

int main() {
  bool fine = true;
  for (long d = 0; d < 10'400; ++d) fine = fine && psi(d + 1, 4) > psi(d, 4);
  const auto run = [&](std::initializer_list<int> levels) {
    Answer answer;
    Left left{1, 1};
    for (const int k : levels) {
      const double gap = improve(answer, k);
      left = left_by(answer);
      fine = fine && gap > 0;
      fmt::print("level {}: gaps from {:.1e}, left: largest {:.3f}, mean square {:.3f}\n", k, gap,
                 left.most, left.mean);
    }
    return left;
  };
  fine = run({2}).most < 0.8 && fine;
  fine = run({1, 2}).mean < 0.1 && fine;
  return fine ? 0 : 1;
}
