#include "support/tensor_oracle.hpp"

#include <algorithm>

namespace cauchy::test {

void TensorOracle::compute(const TensorOperation& op, OracleArray& y) {
  const std::vector<int>& grid = op.shape.grid;
  const int channels = op.shape.channels;
  const OracleArray& x = op.inputs.empty() ? y : in(op, 0);
  const int inputs = x.shape.channels;
  const auto each = [&](const std::function<double(int, const Point&)>& number) {
    for_points(grid, [&](const Point& p) {
      for (int c = 0; c < channels; ++c) y.at(c, p) = number(c, p);
    });
  };
  // The operand of arithmetic at a channel and point: a single channel, or no grid, serves all.
  const auto serve = [&](std::size_t k, int c, const Point& p) {
    const OracleArray& operand = in(op, k);
    return operand.at(operand.shape.channels == 1 ? 0 : c,
                      operand.shape.grid.empty() ? Point{} : p);
  };
  const auto trainable = [&](int c, const Point& p) {
    return weight(op, op.n_weights == 1 ? 0
                      : op.n_weights == static_cast<std::size_t>(channels)
                          ? static_cast<std::size_t>(c)
                          : y.index(c, p));
  };
  switch (op.code) {
    case TensorOp::input:
      break;
    case TensorOp::constant:
      y.numbers = *op.fixed;
      break;
    case TensorOp::linear:
      each([&](int c, const Point& p) {
        double sum = bias(op, c) + (op.inputs.size() > 1 ? in(op, 1).at(c, p) : 0);
        for (int i = 0; i < inputs; ++i) {
          sum += weight(op, static_cast<std::size_t>(c * inputs + i)) * x.at(i, p);
        }
        return activate(op.activation, sum);
      });
      break;
    case TensorOp::activation:
      each([&](int c, const Point& p) { return activate(op.activation, x.at(c, p)); });
      break;
    case TensorOp::function:
      each([&](int c, const Point& p) {
        return op.function == ElementFunction::square ? std::pow(x.at(c, p), 2)
                                                      : std::abs(x.at(c, p));
      });
      break;
    case TensorOp::soft_shrink:
      each([&](int c, const Point& p) {
        return std::copysign(std::max(std::abs(x.at(c, p)) - op.number, 0.0), x.at(c, p));
      });
      break;
    case TensorOp::scale:
      each([&](int c, const Point& p) { return x.at(c, p) * trainable(c, p); });
      break;
    case TensorOp::shift:
      each([&](int c, const Point& p) { return x.at(c, p) + trainable(c, p); });
      break;
    case TensorOp::add:
      each([&](int c, const Point& p) { return serve(0, c, p) + serve(1, c, p); });
      break;
    case TensorOp::subtract:
      each([&](int c, const Point& p) { return serve(0, c, p) - serve(1, c, p); });
      break;
    case TensorOp::multiply:
      each([&](int c, const Point& p) { return serve(0, c, p) * serve(1, c, p); });
      break;
    case TensorOp::divide:
      each([&](int c, const Point& p) { return serve(0, c, p) / serve(1, c, p); });
      break;
    case TensorOp::concatenate:
      each([&](int c, const Point& p) {
        std::size_t k = 0;
        while (c >= in(op, k).shape.channels) c -= in(op, k++).shape.channels;
        return in(op, k).at(c, p);
      });
      break;
    case TensorOp::pick:
      for (std::size_t i = 0; i < y.numbers.size(); ++i) {
        const std::ptrdiff_t from = (*op.picks)[i];
        y.numbers[i] = from < 0 ? 0 : x.numbers[static_cast<std::size_t>(from)];
      }
      break;
    case TensorOp::along:
      each([&](int c, const Point& p) {
        const auto axis = static_cast<std::size_t>(op.axis);
        const int n = x.shape.grid[axis];
        double sum = 0;
        for (int j = 0; j < n; ++j) {
          Point q = p;
          q[axis] = j;
          sum += (*op.fixed)[static_cast<std::size_t>(p[axis] * n + j)] * x.at(c, q);
        }
        return sum;
      });
      break;
    case TensorOp::sparse:
      for (std::size_t channel = 0; channel < x.numbers.size() / op.matrix->columns; ++channel) {
        const std::size_t rows = op.matrix->rows(), columns = op.matrix->columns;
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t k = op.matrix->offsets[i]; k < op.matrix->offsets[i + 1]; ++k) {
            y.numbers[channel * rows + i] +=
                op.matrix->weights[k] * x.numbers[channel * columns + op.matrix->points[k]];
          }
        }
      }
      break;
    case TensorOp::reduce:
      for (std::size_t i = 0; i < x.numbers.size(); ++i) {
        y.numbers[i / op.fixed->size()] += x.numbers[i] * (*op.fixed)[i % op.fixed->size()];
      }
      break;
    case TensorOp::spectrum:
    case TensorOp::from_spectrum:
      transform(op, x, y);
      break;
    case TensorOp::mode_linear:
    case TensorOp::mode_scale:
    case TensorOp::complex_linear: {
      const int rows = channels / 2, columns = inputs / 2, block = columns / op.groups;
      const std::size_t modes = op.shape.points();
      for_points(grid, [&](const Point& k) {
        const std::size_t mode = y.index(0, k);
        for (int o = 0; o < rows; ++o) {
          if (op.code == TensorOp::mode_scale) {
            add(y, o, k,
                complex_weight(op, static_cast<std::size_t>(o) * modes + mode) * number(x, o, k));
            continue;
          }
          if (op.bias >= 0) add(y, o, k, {bias(op, 2 * o), bias(op, 2 * o + 1)});
          for (int i = 0; i < block; ++i) {
            const int group = o / (rows / op.groups);
            const auto entry = static_cast<std::size_t>(o * block + i);
            const std::complex<double> w =
                complex_weight(op, op.code == TensorOp::mode_linear ? entry * modes + mode : entry);
            add(y, o, k, w * number(x, group * block + i, k));
          }
        }
      });
      break;
    }
    case TensorOp::convolution:
    case TensorOp::transposed_convolution:
      convolve(op, x, y);
      break;
    case TensorOp::max_pool:
      each([&](int c, const Point& p) {
        double largest = -INFINITY;
        for_points(op.convolution.kernel, [&](const Point& k) {
          largest = std::max(largest, x.at(c, moved(op.convolution, p, k)));
        });
        return largest;
      });
      break;
    case TensorOp::normalize:
      normalize(op, x, y);
      break;
    case TensorOp::attention:
      attend(op, y);
      break;
    case TensorOp::matrix_vector:
      each([&](int c, const Point& p) {
        const OracleArray& v = in(op, 1);
        double sum = 0;
        for (int j = 0; j < v.shape.channels; ++j) {
          sum += x.at(c * v.shape.channels + j, p) * v.at(j, p);
        }
        return sum;
      });
      break;
    case TensorOp::dropout:  // nothing is dropped in predictions
      y.numbers = x.numbers;
      break;
    case TensorOp::expression:
      evaluate_expressions(op, y);
      break;
  }
}

void TensorOracle::transform(const TensorOperation& op, const OracleArray& x,
                             OracleArray& y) const {
  if (op.code == TensorOp::spectrum) {
    for_points(y.shape.grid, [&](const Point& k) {
      for_points(x.shape.grid, [&](const Point& j) {
        const std::complex<double> e =
            wave(-turns(k, j, y.shape.grid, x.shape.grid)) / static_cast<double>(x.shape.points());
        for (int c = 0; c < x.shape.channels; ++c) add(y, c, k, x.at(c, j) * e);
      });
    });
    return;
  }
  const std::vector<int>&modes = x.shape.grid, &grid = y.shape.grid;
  for_points(modes, [&](const Point& k) {
    const int last = k.back();
    double times = last == 0 || 2 * last == grid.back() ? 1 : 2;
    for (std::size_t a = 0; a + 1 < k.size(); ++a) {
      // -m of an axis of 2 m - 1 points is the wave of m - 1, which is there already.
      if (k[a] == modes[a] / 2 && grid[a] == modes[a] - 1) times = 0;
    }
    for_points(grid, [&](const Point& j) {
      for (int c = 0; c < y.shape.channels; ++c) {
        y.at(c, j) += times * (number(x, c, k) * wave(turns(k, j, modes, grid))).real();
      }
    });
  });
}

void TensorOracle::convolve(const TensorOperation& op, const OracleArray& x, OracleArray& y) const {
  const ConvolutionOptions& o = op.convolution;
  const int outputs = y.shape.channels, inputs = x.shape.channels;
  if (op.code == TensorOp::convolution) {
    for_points(y.shape.grid, [&](const Point& p) {
      for (int c = 0; c < outputs; ++c) {
        y.at(c, p) = bias(op, c);
        for_points(o.kernel, [&](const Point& k) {
          for (int i = 0; i < inputs; ++i) {
            y.at(c, p) += kernel(op, c, i, inputs, k) * extended(x, i, moved(o, p, k), o.border);
          }
        });
      }
    });
    return;
  }
  for_points(y.shape.grid, [&](const Point& p) {
    for (int c = 0; c < outputs; ++c) y.at(c, p) = bias(op, c);
  });
  for_points(x.shape.grid, [&](const Point& p) {
    for_points(o.kernel, [&](const Point& k) {
      Point q = moved(o, p, k);
      if (!fold(q, y.shape.grid, o.border)) return;
      for (int c = 0; c < outputs; ++c) {
        for (int i = 0; i < inputs; ++i) y.at(c, q) += kernel(op, i, c, outputs, k) * x.at(i, p);
      }
    });
  });
}

void TensorOracle::normalize(const TensorOperation& op, const OracleArray& x,
                             OracleArray& y) const {
  // A number belongs to the set of its point, channel or group.
  const std::size_t points = x.shape.points();
  const auto set_of = [&](std::size_t i) {
    if (op.over == NormalizeOver::channels) return i % points;
    const std::size_t channel = i / points;
    if (op.over == NormalizeOver::points) return channel;
    return channel * static_cast<std::size_t>(op.groups) /
           static_cast<std::size_t>(op.shape.channels);
  };
  for (std::size_t i = 0; i < x.numbers.size(); ++i) {
    double n = 0, sum = 0, squares = 0;
    for (std::size_t j = 0; j < x.numbers.size(); ++j) {
      if (set_of(j) == set_of(i)) n += 1, sum += x.numbers[j];
    }
    for (std::size_t j = 0; j < x.numbers.size(); ++j) {
      if (set_of(j) == set_of(i)) squares += std::pow(x.numbers[j] - sum / n, 2);
    }
    y.numbers[i] = (x.numbers[i] - sum / n) / std::sqrt(squares / n + op.number);
  }
}

void TensorOracle::attend(const TensorOperation& op, OracleArray& y) const {
  const OracleArray &q = in(op, 0), &k = in(op, 1), &v = in(op, 2);
  const int d = q.shape.channels / op.groups, e = v.shape.channels / op.groups;
  for_points(y.shape.grid, [&](const Point& p) {
    for (int c = 0; c < y.shape.channels; ++c) {
      const int head = c / e;
      double above = 0, below = 0;
      for_points(k.shape.grid, [&](const Point& s) {
        double product = 0;
        for (int i = head * d; i < (head + 1) * d; ++i) product += q.at(i, p) * k.at(i, s);
        const double w = (op.fixed ? (*op.fixed)[k.index(0, s)] : 1) *
                         std::exp(product / std::sqrt(static_cast<double>(d)));
        above += w * v.at(c, s);
        below += w;
      });
      y.at(c, p) = above / below;
    }
  });
}

void TensorOracle::evaluate_expressions(const TensorOperation& op, OracleArray& y) const {
  for_points(y.shape.grid, [&](const Point& p) {
    Values values;
    std::size_t name = 0;
    std::map<std::string, double> numbers = known_;
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
      for (int c = 0; c < in(op, k).shape.channels; ++c) {
        numbers[op.names[name++]] = in(op, k).at(c, p);
      }
    }
    for (const Kind kind : {Kind::parameter, Kind::coordinate, Kind::field, Kind::symbol}) {
      for (const Expr& atom : atoms(op.expressions, kind)) {
        values.set(atom, numbers.at(to_string(atom)));
      }
    }
    for (int c = 0; c < y.shape.channels; ++c) {
      y.at(c, p) = evaluate(op.expressions[static_cast<std::size_t>(c)], values);
    }
  });
}

}  // namespace cauchy::test
