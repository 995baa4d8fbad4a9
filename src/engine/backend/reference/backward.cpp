#include "engine/backend/reference/backward.hpp"

#include <algorithm>
#include <vector>

#include "engine/backend/reference/activation.hpp"
#include "engine/backend/reference/jet_view.hpp"

namespace cauchy::detail {
namespace {

/// Notation: for a value y, y_bar is the derivative of the seeded functional by y.
template <class T>
class Backward final {
 public:
  static_assert(JetSpec::max_order + 1 <= kMaxActivationOrder);

  Backward(const Plan<T>& plan, const typename Backend<T>::Block& block,
           const GradientSink<T>& sink)
      : plan_(plan),
        block_(block),
        sink_(sink),
        jets_(plan.jets()),
        n_points_(plan.block()),
        n_components_(plan.jets().size()) {}

  void run() const {
    const auto& steps = plan_.steps();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (step->adjoint < 0) continue;
      clear_fresh_adjoints(*step);
      run(*step);
    }
  }

 private:
  using Step = typename Plan<T>::Step;

  [[nodiscard]] JetView<T> value(int op) const {
    return JetView<T>(plan_, block_.arena, plan_.value(op));
  }
  [[nodiscard]] JetView<T> adjoint(int op) const {
    return JetView<T>(plan_, block_.arena, plan_.adjoint(op));
  }
  [[nodiscard]] bool is_active(int op) const { return plan_.adjoint(op) >= 0; }
  [[nodiscard]] int rows(int op) const { return plan_.graph().rows(op); }
  [[nodiscard]] T coordinate_jet(int i, int c, std::size_t p) const {
    return c == 0 ? block_.points[static_cast<std::size_t>(i) * block_.point_stride + p]
                  : static_cast<T>(jets_.seed(c, i));
  }

  template <class Body>
  void for_each(int n_rows, const Body& body) const {
    for (int r = 0; r < n_rows; ++r) {
      for (int c = 0; c < n_components_; ++c) {
        for (std::size_t p = 0; p < n_points_; ++p) body(r, c, p);
      }
    }
  }

  /// Inputs whose adjoint nobody has written yet start at zero; every rule below only adds.
  void clear_fresh_adjoints(const Step& step) const {
    const Operation& op = plan_.op(step);
    if (plan_.on_coordinates(op)) return;
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
      const int x = op.inputs[k];
      if (!is_active(x) || step.accumulate[k]) continue;
      std::fill_n(block_.arena + plan_.adjoint(x), plan_.extent(x), T(0));
    }
  }

  void run(const Step& step) const {
    const Operation& op = plan_.op(step);
    const JetView<T> y_bar = adjoint(step.op);
    switch (op.code) {
      case OpCode::coordinates:
        return;
      case OpCode::input:
        if (block_.input_adjoints == nullptr) return;
        for (int r = 0; r < op.rows; ++r) {
          T* target = block_.input_adjoints + static_cast<std::size_t>(op.begin + r) * n_points_;
          for (std::size_t p = 0; p < n_points_; ++p) target[p] += y_bar(r, 0, p);
        }
        return;
      case OpCode::affine:
        affine_parameters(op, y_bar);
        return affine_input(op, y_bar);
      case OpCode::fixed_affine:
        return affine_input(op, y_bar);
      case OpCode::activation:
        return activation(op, y_bar);
      case OpCode::scale:
        return scale(op, y_bar);
      case OpCode::shift:
        return shift(op, y_bar);
      case OpCode::add:
        return add(op, y_bar, T(1));
      case OpCode::subtract:
        return add(op, y_bar, T(-1));
      case OpCode::multiply:
        return multiply(op, y_bar);
      case OpCode::divide:
        return divide(step, op, y_bar);
      case OpCode::concatenate:
        return concatenate(op, y_bar);
      case OpCode::slice:
        return for_each(op.rows, [&, x_bar = adjoint(op.inputs[0])](int r, int c, std::size_t p) {
          x_bar(op.begin + r, c, p) += y_bar(r, c, p);
        });
      case OpCode::repeat:
        return for_each(op.rows, [&, x_bar = adjoint(op.inputs[0])](int r, int c, std::size_t p) {
          x_bar((r / op.group) % rows(op.inputs[0]), c, p) += y_bar(r, c, p);
        });
      case OpCode::row_sum:
        return for_each(rows(op.inputs[0]),
                        [&, x_bar = adjoint(op.inputs[0])](int r, int c, std::size_t p) {
                          x_bar(r, c, p) += y_bar(r / op.group, c, p);
                        });
      case OpCode::unit_rows:
        return unit_rows(op, y_bar);
      case OpCode::basis:
        return basis(op, y_bar);
      case OpCode::expression:
        return expression(step, op, y_bar);
    }
  }

  void affine_parameters(const Operation& op, const JetView<T>& y_bar) const {
    const bool direct = plan_.on_coordinates(op);
    const int cols = rows(op.inputs[0]) / op.group, rows_of_group = op.rows / op.group;
    const JetView<T> x = direct ? y_bar : value(op.inputs[0]);  // not read when direct
    for (int r = 0; r < op.rows; ++r) {
      const int first = r / rows_of_group * cols;
      for (std::size_t p = 0; p < n_points_; ++p) {
        for (int k = 0; k < cols; ++k) {
          T slope = 0;
          for (int c = 0; c < n_components_; ++c) {
            slope += y_bar(r, c, p) * (direct ? coordinate_jet(k, c, p) : x(first + k, c, p));
          }
          sink_(op.weights + static_cast<std::ptrdiff_t>(r) * cols + k, p, slope);
        }
        if (op.bias >= 0) sink_(op.bias + r, p, y_bar(r, 0, p));
      }
    }
  }

  void affine_input(const Operation& op, const JetView<T>& y_bar) const {
    if (plan_.on_coordinates(op) || !is_active(op.inputs[0])) return;
    const int cols = rows(op.inputs[0]) / op.group, rows_of_group = op.rows / op.group;
    for_each(rows(op.inputs[0]), [&, x_bar = adjoint(op.inputs[0])](int i, int c, std::size_t p) {
      const int first = i / cols * rows_of_group;
      T total = 0;
      for (int r = first; r < first + rows_of_group; ++r) {
        total += affine_weight(op, block_.shared, cols, r, i % cols) * y_bar(r, c, p);
      }
      x_bar(i, c, p) += total;
    });
  }

  void scale(const Operation& op, const JetView<T>& y_bar) const {
    const JetView<T> x = value(op.inputs[0]);
    const bool active = is_active(op.inputs[0]);
    const JetView<T> x_bar = active ? adjoint(op.inputs[0]) : y_bar;
    for_each(op.rows, [&](int r, int c, std::size_t p) {
      const std::ptrdiff_t weight = op.weights + (op.n_weights == 1 ? 0 : r);
      sink_(weight, p, y_bar(r, c, p) * x(r, c, p));
      if (active) x_bar(r, c, p) += block_.shared[weight] * y_bar(r, c, p);
    });
  }

  void shift(const Operation& op, const JetView<T>& y_bar) const {
    const bool active = is_active(op.inputs[0]);
    const JetView<T> x_bar = active ? adjoint(op.inputs[0]) : y_bar;
    for_each(op.rows, [&](int r, int c, std::size_t p) {
      if (c == 0) sink_(op.weights + (op.n_weights == 1 ? 0 : r), p, y_bar(r, c, p));
      if (active) x_bar(r, c, p) += y_bar(r, c, p);
    });
  }

  /// y = x / |v|: x_bar += y_bar / |v| and v_bar -= y_bar x v / |v|^3.
  void unit_rows(const Operation& op, const JetView<T>& y_bar) const {
    const JetView<T> x = value(op.inputs[0]), x_bar = adjoint(op.inputs[0]);
    const std::ptrdiff_t cols = op.n_weights / op.rows;
    for_each(op.rows, [&](int r, int c, std::size_t p) {
      const T norm = row_norm(block_.shared, op, r);
      for (std::ptrdiff_t w = op.weights + r * cols; w < op.weights + (r + 1) * cols; ++w) {
        sink_(w, p, -y_bar(r, c, p) * x(r, c, p) * block_.shared[w] / (norm * norm * norm));
      }
      x_bar(r, c, p) += y_bar(r, c, p) / norm;
    });
  }

  /// Adds to the adjoint of row `from` of x what row `to` of y = s(x) sends back.
  void compose(const JetView<T>& x, const JetView<T>& x_bar, int from, const JetView<T>& y_bar,
               int to, std::size_t p, const T* slopes, std::size_t stride) const {
    for (int c = 0; c < n_components_; ++c) {
      for (const auto& term : jets_.compose(c)) {
        const T seed = static_cast<T>(term.coefficient) * y_bar(to, c, p);
        const auto k = static_cast<std::size_t>(term.order);
        T all = 1;
        for (const int f : term.factors) all *= x(from, f, p);
        x_bar(from, 0, p) += seed * slopes[(k + 1) * stride] * all;
        for (std::size_t i = 0; i < term.factors.size(); ++i) {
          T others = 1;
          for (std::size_t j = 0; j < term.factors.size(); ++j) {
            if (j != i) others *= x(from, term.factors[j], p);
          }
          x_bar(from, term.factors[i], p) += seed * slopes[k * stride] * others;
        }
      }
    }
  }

  void activation(const Operation& op, const JetView<T>& y_bar) const {
    const JetView<T> x = value(op.inputs[0]), x_bar = adjoint(op.inputs[0]);
    std::vector<T> slopes(static_cast<std::size_t>(jets_.order()) + 2);
    for (int r = 0; r < op.rows; ++r) {
      for (std::size_t p = 0; p < n_points_; ++p) {
        reference::activation_derivatives(op.activation, jets_.order() + 1, x(r, 0, p),
                                          slopes.data());
        compose(x, x_bar, r, y_bar, r, p, slopes.data(), 1);
      }
    }
  }

  void basis(const Operation& op, const JetView<T>& y_bar) const {
    const JetView<T> x = value(op.inputs[0]), x_bar = adjoint(op.inputs[0]);
    const auto size = static_cast<std::size_t>(op.basis->size());
    std::vector<T> slopes((static_cast<std::size_t>(jets_.order()) + 2) * size);
    for (int r = 0; r < rows(op.inputs[0]); ++r) {
      for (std::size_t p = 0; p < n_points_; ++p) {
        op.basis->derivatives(x(r, 0, p), jets_.order() + 1, slopes.data());
        for (std::size_t j = 0; j < size; ++j) {
          const int to = r * op.basis->size() + static_cast<int>(j);
          compose(x, x_bar, r, y_bar, to, p, slopes.data() + j, size);
        }
      }
    }
  }

  void add(const Operation& op, const JetView<T>& y_bar, T sign) const {
    for (std::size_t k = 0; k < 2; ++k) {
      const int x = op.inputs[k];
      if (!is_active(x)) continue;
      for_each(op.rows, [&, x_bar = adjoint(x)](int r, int c, std::size_t p) {
        x_bar(operand_row(rows(x), r), c, p) += (k == 0 ? T(1) : sign) * y_bar(r, c, p);
      });
    }
  }

  void multiply(const Operation& op, const JetView<T>& y_bar) const {
    for (const bool by_left : {true, false}) {
      const int x = op.inputs[by_left ? 0 : 1], other = op.inputs[by_left ? 1 : 0];
      if (!is_active(x)) continue;
      const JetView<T> x_bar = adjoint(x), y = value(other);
      for_each(op.rows, [&](int r, int c, std::size_t p) {
        for (const auto& term : jets_.multiply(c)) {
          const int own = by_left ? term.left : term.right;
          const int factor = by_left ? term.right : term.left;
          x_bar(operand_row(rows(x), r), own, p) += static_cast<T>(term.coefficient) *
                                                    y_bar(r, c, p) *
                                                    y(operand_row(rows(other), r), factor, p);
        }
      });
    }
  }

  /// The recurrence of the quotient in reverse: last component first, because q_c enters the later
  /// ones.
  void divide(const Step& step, const Operation& op, const JetView<T>& y_bar) const {
    const int f = op.inputs[0], g = op.inputs[1];
    const JetView<T> q = value(step.op), g_value = value(g);
    std::vector<T> q_bar(static_cast<std::size_t>(n_components_));
    for (int r = 0; r < op.rows; ++r) {
      const int f_row = operand_row(rows(f), r), g_row = operand_row(rows(g), r);
      for (std::size_t p = 0; p < n_points_; ++p) {
        for (int c = 0; c < n_components_; ++c) {
          q_bar[static_cast<std::size_t>(c)] = y_bar(r, c, p);
        }
        for (int c = n_components_ - 1; c >= 0; --c) {
          const T rest_bar = q_bar[static_cast<std::size_t>(c)] / g_value(g_row, 0, p);
          if (is_active(f)) adjoint(f)(f_row, c, p) += rest_bar;
          for (const auto& term : jets_.multiply(c)) {
            const T seed = static_cast<T>(term.coefficient) * rest_bar;
            if (is_active(g)) adjoint(g)(g_row, term.right, p) -= seed * q(r, term.left, p);
            if (term.left == c && term.right == 0) continue;
            q_bar[static_cast<std::size_t>(term.left)] -= seed * g_value(g_row, term.right, p);
          }
        }
      }
    }
  }

  void concatenate(const Operation& op, const JetView<T>& y_bar) const {
    int first = 0;
    for (const int x : op.inputs) {
      if (is_active(x)) {
        for_each(rows(x), [&, x_bar = adjoint(x)](int r, int c, std::size_t p) {
          x_bar(r, c, p) += y_bar(first + r, c, p);
        });
      }
      first += rows(x);
    }
  }

  /// Only the unknown constants have adjoints. One point per run gives the parts of the points.
  void expression(const Step& step, const Operation& op, const JetView<T>& y_bar) const {
    const auto& constants = plan_.constants();
    const auto& gradients = *plan_.expression(step.op).gradients;
    std::vector<double> slopes(constants.size());
    std::vector<const T*> inputs;
    for (std::size_t p = 0; p < n_points_; ++p) {
      inputs.clear();
      for (int i = 0; i < jets_.n_coordinates(); ++i) {
        inputs.push_back(block_.points + static_cast<std::size_t>(i) * block_.point_stride + p);
      }
      for (int r = 0; r < op.rows; ++r) {
        for (int c = 0; c < n_components_; ++c) inputs.push_back(y_bar.row_begin(r, c) + p);
      }
      gradients.run(1, inputs.data(), block_.shared + plan_.graph().n_parameters(), nullptr,
                    slopes.data(), block_.scratch);
      for (std::size_t k = 0; k < constants.size(); ++k) {
        sink_(constants[k], p, static_cast<T>(slopes[k]));
      }
    }
  }

  const Plan<T>& plan_;
  const typename Backend<T>::Block& block_;
  const GradientSink<T>& sink_;
  const JetSpec& jets_;
  std::size_t n_points_;
  int n_components_;
};

}  // namespace

template <class T>
void reference_backward(const Plan<T>& plan, const typename Backend<T>::Block& block,
                        const GradientSink<T>& sink) {
  Backward<T>(plan, block, sink).run();
}

template void reference_backward(const Plan<float>&, const Backend<float>::Block&,
                                 const GradientSink<float>&);
template void reference_backward(const Plan<double>&, const Backend<double>::Block&,
                                 const GradientSink<double>&);

}  // namespace cauchy::detail
