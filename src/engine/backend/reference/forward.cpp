#include "engine/backend/reference/forward.hpp"

#include <vector>

#include "engine/backend/reference/activation.hpp"
#include "engine/backend/reference/jet_view.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class Forward final {
 public:
  Forward(const Plan<T>& plan, const typename Backend<T>::Block& block)
      : plan_(plan),
        block_(block),
        jets_(plan.jets()),
        n_points_(plan.block()),
        n_components_(plan.jets().size()) {}

  void run() const {
    for (const auto& step : plan_.steps()) run(step);
  }

 private:
  using Step = typename Plan<T>::Step;

  [[nodiscard]] JetView<T> value(int op) const {
    return JetView<T>(plan_, block_.arena, plan_.value(op));
  }
  [[nodiscard]] int rows(int op) const { return plan_.graph().rows(op); }
  [[nodiscard]] T coordinate(int i, std::size_t p) const {
    return block_.points[static_cast<std::size_t>(i) * block_.point_stride + p];
  }

  /// body(row, component, point) for every element of a value.
  template <class Body>
  void for_each(int n_rows, const Body& body) const {
    for (int r = 0; r < n_rows; ++r) {
      for (int c = 0; c < n_components_; ++c) {
        for (std::size_t p = 0; p < n_points_; ++p) body(r, c, p);
      }
    }
  }

  void run(const Step& step) const {
    const Operation& op = plan_.op(step);
    const JetView<T> out = value(step.op);
    switch (op.code) {
      case OpCode::coordinates:
        return for_each(
            op.rows, [&](int r, int c, std::size_t p) { out(r, c, p) = coordinate_jet(r, c, p); });
      case OpCode::input:
        return for_each(op.rows, [&](int r, int c, std::size_t p) {
          const auto row = static_cast<std::size_t>(op.begin + r);
          out(r, c, p) = c == 0 ? block_.inputs[row * n_points_ + p] : T(0);
        });
      case OpCode::affine:
      case OpCode::fixed_affine:
        return affine(op, out);
      case OpCode::activation:
        return activation(op, out);
      case OpCode::scale:
        return for_each(op.rows, [&, x = value(op.inputs[0])](int r, int c, std::size_t p) {
          out(r, c, p) = block_.shared[op.weights + (op.n_weights == 1 ? 0 : r)] * x(r, c, p);
        });
      case OpCode::shift:
        return for_each(op.rows, [&, x = value(op.inputs[0])](int r, int c, std::size_t p) {
          const T moved = c == 0 ? block_.shared[op.weights + (op.n_weights == 1 ? 0 : r)] : T(0);
          out(r, c, p) = x(r, c, p) + moved;
        });
      case OpCode::add:
      case OpCode::subtract:
        return add(op, out, op.code == OpCode::add ? T(1) : T(-1));
      case OpCode::multiply:
        return multiply(op, out);
      case OpCode::divide:
        return divide(op, out);
      case OpCode::concatenate:
        return concatenate(op, out);
      case OpCode::slice:
        return for_each(op.rows, [&, x = value(op.inputs[0])](int r, int c, std::size_t p) {
          out(r, c, p) = x(op.begin + r, c, p);
        });
      case OpCode::repeat:
        return for_each(op.rows, [&, x = value(op.inputs[0])](int r, int c, std::size_t p) {
          out(r, c, p) = x((r / op.group) % rows(op.inputs[0]), c, p);
        });
      case OpCode::row_sum:
        return for_each(op.rows, [&, x = value(op.inputs[0])](int r, int c, std::size_t p) {
          T total = 0;
          for (int i = 0; i < op.group; ++i) total += x(r * op.group + i, c, p);
          out(r, c, p) = total;
        });
      case OpCode::unit_rows:
        return for_each(op.rows, [&, x = value(op.inputs[0])](int r, int c, std::size_t p) {
          out(r, c, p) = x(r, c, p) / row_norm(block_.shared, op, r);
        });
      case OpCode::basis:
        return basis(op, out);
      case OpCode::expression:
        return expression(step, op, out);
    }
  }

  /// Component c of coordinate i as a function of the point.
  [[nodiscard]] T coordinate_jet(int i, int c, std::size_t p) const {
    return c == 0 ? coordinate(i, p) : static_cast<T>(jets_.seed(c, i));
  }

  void affine(const Operation& op, const JetView<T>& out) const {
    const bool direct = plan_.on_coordinates(op);
    const int cols = rows(op.inputs[0]) / op.group, rows_of_group = op.rows / op.group;
    const JetView<T> x = direct ? out : value(op.inputs[0]);  // not read when direct
    for_each(op.rows, [&](int r, int c, std::size_t p) {
      const int first = r / rows_of_group * cols;
      T total = 0;
      for (int k = 0; k < cols; ++k) {
        const T x_k = direct ? coordinate_jet(k, c, p) : x(first + k, c, p);
        total += affine_weight(op, block_.shared, cols, r, k) * x_k;
      }
      if (c == 0) total += affine_bias(op, block_.shared, r);
      out(r, c, p) = total;
    });
  }

  /// Row `to` of out is s(row `from` of x), by the derivatives s^(k) = slopes[k * stride] at x_0.
  void compose(const JetView<T>& x, int from, const JetView<T>& out, int to, std::size_t p,
               const T* slopes, std::size_t stride) const {
    for (int c = 0; c < n_components_; ++c) {
      T total = 0;
      for (const auto& term : jets_.compose(c)) {
        T product = static_cast<T>(term.coefficient) *
                    slopes[static_cast<std::size_t>(term.order) * stride];
        for (const int f : term.factors) product *= x(from, f, p);
        total += product;
      }
      out(to, c, p) = total;
    }
  }

  void activation(const Operation& op, const JetView<T>& out) const {
    const JetView<T> x = value(op.inputs[0]);
    std::vector<T> slopes(static_cast<std::size_t>(jets_.order()) + 1);
    for (int r = 0; r < op.rows; ++r) {
      for (std::size_t p = 0; p < n_points_; ++p) {
        reference::activation_derivatives(op.activation, jets_.order(), x(r, 0, p), slopes.data());
        compose(x, r, out, r, p, slopes.data(), 1);
      }
    }
  }

  void basis(const Operation& op, const JetView<T>& out) const {
    const JetView<T> x = value(op.inputs[0]);
    const auto size = static_cast<std::size_t>(op.basis->size());
    std::vector<T> slopes((static_cast<std::size_t>(jets_.order()) + 1) * size);
    for (int r = 0; r < rows(op.inputs[0]); ++r) {
      for (std::size_t p = 0; p < n_points_; ++p) {
        op.basis->derivatives(x(r, 0, p), jets_.order(), slopes.data());
        for (std::size_t j = 0; j < size; ++j) {
          const int to = r * op.basis->size() + static_cast<int>(j);
          compose(x, r, out, to, p, slopes.data() + j, size);
        }
      }
    }
  }

  void add(const Operation& op, const JetView<T>& out, T sign) const {
    const JetView<T> f = value(op.inputs[0]), g = value(op.inputs[1]);
    const int f_rows = rows(op.inputs[0]), g_rows = rows(op.inputs[1]);
    for_each(op.rows, [&](int r, int c, std::size_t p) {
      out(r, c, p) = f(operand_row(f_rows, r), c, p) + sign * g(operand_row(g_rows, r), c, p);
    });
  }

  void multiply(const Operation& op, const JetView<T>& out) const {
    const JetView<T> f = value(op.inputs[0]), g = value(op.inputs[1]);
    const int f_rows = rows(op.inputs[0]), g_rows = rows(op.inputs[1]);
    for_each(op.rows, [&](int r, int c, std::size_t p) {
      T total = 0;
      for (const auto& term : jets_.multiply(c)) {
        total += static_cast<T>(term.coefficient) * f(operand_row(f_rows, r), term.left, p) *
                 g(operand_row(g_rows, r), term.right, p);
      }
      out(r, c, p) = total;
    });
  }

  /// q = f / g solves f = q g, component by component: the terms of f_c other than q_c g_0 hold
  /// only components of q that come before c.
  void divide(const Operation& op, const JetView<T>& q) const {
    const JetView<T> f = value(op.inputs[0]), g = value(op.inputs[1]);
    const int f_rows = rows(op.inputs[0]), g_rows = rows(op.inputs[1]);
    for_each(op.rows, [&](int r, int c, std::size_t p) {
      T rest = f(operand_row(f_rows, r), c, p);
      for (const auto& term : jets_.multiply(c)) {
        if (term.left == c && term.right == 0) continue;
        rest -= static_cast<T>(term.coefficient) * q(r, term.left, p) *
                g(operand_row(g_rows, r), term.right, p);
      }
      q(r, c, p) = rest / g(operand_row(g_rows, r), 0, p);
    });
  }

  void concatenate(const Operation& op, const JetView<T>& out) const {
    int first = 0;
    for (const int input : op.inputs) {
      for_each(rows(input), [&, x = value(input)](int r, int c, std::size_t p) {
        out(first + r, c, p) = x(r, c, p);
      });
      first += rows(input);
    }
  }

  void expression(const Step& step, const Operation& op, const JetView<T>& out) const {
    std::vector<const T*> inputs;
    std::vector<T*> outputs;
    for (int i = 0; i < jets_.n_coordinates(); ++i) {
      inputs.push_back(block_.points + static_cast<std::size_t>(i) * block_.point_stride);
    }
    for (int r = 0; r < op.rows; ++r) {
      for (int c = 0; c < n_components_; ++c) outputs.push_back(out.row_begin(r, c));
    }
    plan_.expression(step.op).values->run(n_points_, inputs.data(),
                                          block_.shared + plan_.graph().n_parameters(),
                                          outputs.data(), nullptr, block_.scratch);
  }

  const Plan<T>& plan_;
  const typename Backend<T>::Block& block_;
  const JetSpec& jets_;
  std::size_t n_points_;
  int n_components_;
};

}  // namespace

template <class T>
void reference_forward(const Plan<T>& plan, const typename Backend<T>::Block& block) {
  Forward<T>(plan, block).run();
}

template void reference_forward(const Plan<float>&, const Backend<float>::Block&);
template void reference_forward(const Plan<double>&, const Backend<double>::Block&);

}  // namespace cauchy::detail
