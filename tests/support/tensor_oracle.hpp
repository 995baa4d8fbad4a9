#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::test {

/// An array of one sample, addressed by channel and point.
struct OracleArray {
  TensorShape shape;
  std::vector<double> numbers;
  using Point = std::vector<int>;

  explicit OracleArray(TensorShape s) : shape(std::move(s)), numbers(shape.size()) {}
  double& at(int c, const Point& p) { return numbers[index(c, p)]; }
  [[nodiscard]] double at(int c, const Point& p) const { return numbers[index(c, p)]; }
  [[nodiscard]] std::size_t index(int c, const Point& p) const {
    auto i = static_cast<std::size_t>(c);
    for (std::size_t a = 0; a < p.size(); ++a) {
      i = i * static_cast<std::size_t>(shape.grid[a]) + static_cast<std::size_t>(p[a]);
    }
    return i;
  }
};

/// visit(point) for all points of a grid.
inline void for_points(const std::vector<int>& grid,
                       const std::function<void(const std::vector<int>&)>& visit,
                       std::vector<int> begun = {}) {
  if (begun.size() == grid.size()) return visit(begun);
  begun.push_back(0);
  for (int i = 0; i < grid[begun.size() - 1]; ++i) {
    begun.back() = i;
    for_points(grid, visit, begun);
  }
}

/// Every value of a graph for one sample by the definitions of the operations: direct sums over
/// indices, no tables, none of the library's own loops.
class TensorOracle final {
 public:
  TensorOracle(const TensorGraph& graph, std::span<const double> theta,
               std::vector<std::span<const double>> inputs,
               std::map<std::string, double> known = {})
      : graph_(graph), theta_(theta), known_(std::move(known)) {
    std::size_t next = 0;
    for (const TensorOperation& op : graph.ops()) {
      values_.emplace_back(op.shape);
      OracleArray& y = values_.back();
      if (op.code == TensorOp::input) {
        y.numbers.assign(inputs[next].begin(), inputs[next].end());
        ++next;
      } else {
        compute(op, y);
      }
    }
  }
  [[nodiscard]] const std::vector<double>& value(int i) const {
    return values_[static_cast<std::size_t>(i)].numbers;
  }

 private:
  using Point = OracleArray::Point;

  [[nodiscard]] const OracleArray& in(const TensorOperation& op, std::size_t k) const {
    return values_[static_cast<std::size_t>(op.inputs[k])];
  }
  [[nodiscard]] double weight(const TensorOperation& op, std::size_t i) const {
    return theta_[static_cast<std::size_t>(op.weights) + i];
  }
  [[nodiscard]] double bias(const TensorOperation& op, int i) const {
    return op.bias < 0 ? 0 : theta_[static_cast<std::size_t>(op.bias + i)];
  }

  static double activate(Activation a, double x) {
    switch (a) {
      case Activation::identity:
        return x;
      case Activation::tanh:
        return std::tanh(x);
      case Activation::sin:
        return std::sin(x);
      case Activation::cos:
        return std::cos(x);
      case Activation::sigmoid:
        return 1 / (1 + std::exp(-x));
      case Activation::silu:
        return x / (1 + std::exp(-x));
      case Activation::gelu:
        return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
      case Activation::softplus:
        return std::log1p(std::exp(x));
      case Activation::elu:
        return x > 0 ? x : std::expm1(x);
      case Activation::relu:
        return std::max(x, 0.0);
      case Activation::relu3:
        return std::pow(std::max(x, 0.0), 3);
      case Activation::gaussian:
        return std::exp(-x * x);
      case Activation::exp:
        return std::exp(x);
      case Activation::sqrt:
        return std::sqrt(x);
      case Activation::wavelet:
        break;
    }
    return std::nan("");
  }

  /// The number at a point that may lie outside.
  static double extended(const OracleArray& x, int c, Point p, Border border) {
    for (std::size_t a = 0; a < p.size(); ++a) {
      const int n = x.shape.grid[a];
      while (p[a] < 0 || p[a] >= n) {
        if (border == Border::zero) return 0;
        if (border == Border::periodic) p[a] += p[a] < 0 ? n : -n;
        if (border == Border::reflect) p[a] = p[a] < 0 ? -p[a] : 2 * (n - 1) - p[a];
      }
    }
    return x.at(c, p);
  }
  /// Where such a point lands; false: nowhere.
  static bool fold(Point& p, const std::vector<int>& grid, Border border) {
    for (std::size_t a = 0; a < p.size(); ++a) {
      while (p[a] < 0 || p[a] >= grid[a]) {
        if (border == Border::zero) return false;
        if (border == Border::periodic) p[a] += p[a] < 0 ? grid[a] : -grid[a];
        if (border == Border::reflect) p[a] = p[a] < 0 ? -p[a] : 2 * (grid[a] - 1) - p[a];
      }
    }
    return true;
  }
  static Point moved(const ConvolutionOptions& o, const Point& p, const Point& k) {
    Point q(p.size());
    for (std::size_t a = 0; a < p.size(); ++a) q[a] = o.stride[a] * p[a] + k[a] - o.padding[a];
    return q;
  }
  /// W[o][i][k] of a kernel.
  [[nodiscard]] double kernel(const TensorOperation& op, int o, int i, int inputs,
                              const Point& k) const {
    OracleArray shape({1, op.convolution.kernel});
    const std::size_t size = shape.numbers.size();
    return weight(op, static_cast<std::size_t>(o * inputs + i) * size + shape.index(0, k));
  }

  /// 0 ... m - 1, -m ... -1 along all axes but the last.
  static double turns(const Point& k, const Point& j, const std::vector<int>& modes,
                      const std::vector<int>& grid) {
    double sum = 0;
    for (std::size_t a = 0; a < k.size(); ++a) {
      const bool last = a + 1 == k.size();
      const int frequency = last || k[a] < modes[a] / 2 ? k[a] : k[a] - modes[a];
      sum += static_cast<double>(frequency) * j[a] / grid[a];
    }
    return sum;
  }
  static std::complex<double> wave(double turns) {
    return std::polar(1.0, 2 * std::numbers::pi * turns);
  }
  static std::complex<double> number(const OracleArray& x, int c, const Point& k) {
    return {x.at(2 * c, k), x.at(2 * c + 1, k)};
  }
  static void add(OracleArray& y, int c, const Point& k, std::complex<double> z) {
    y.at(2 * c, k) += z.real();
    y.at(2 * c + 1, k) += z.imag();
  }
  [[nodiscard]] std::complex<double> complex_weight(const TensorOperation& op,
                                                    std::size_t i) const {
    return {weight(op, 2 * i), weight(op, 2 * i + 1)};
  }

  void compute(const TensorOperation& op, OracleArray& y);
  void transform(const TensorOperation& op, const OracleArray& x, OracleArray& y) const;
  void convolve(const TensorOperation& op, const OracleArray& x, OracleArray& y) const;
  void attend(const TensorOperation& op, OracleArray& y) const;
  void normalize(const TensorOperation& op, const OracleArray& x, OracleArray& y) const;
  void evaluate_expressions(const TensorOperation& op, OracleArray& y) const;

  const TensorGraph& graph_;
  std::span<const double> theta_;
  std::map<std::string, double> known_;
  std::vector<OracleArray> values_;
};

}  // namespace cauchy::test
