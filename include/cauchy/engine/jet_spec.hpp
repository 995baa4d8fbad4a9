#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cauchy {

/// Which derivatives travel through the layers together, and how they combine.
///
/// A component is one derivative d^alpha, or a fixed linear combination of several ("collapsed",
/// for example the Laplacian). Component 0 is always the value itself. The set is closed: every
/// derivative that composition or multiplication of functions needs is a component.
///   compose   h = s(z):  h_i = sum over terms t of i:  c_t * s^(k_t)(z_0) * prod_f z_f
///   multiply  h = f * g: h_i = sum over terms t of i:  c_t * f_a * g_b      (Leibniz)
/// Only maximal derivatives (needed by no other component) can be collapsed, because they enter
/// every rule linearly; that is what makes the combination travel as one component.
class JetSpec final {
 public:
  /// One derivative: the order by each coordinate, orders.size() == n_coordinates().
  using Orders = std::vector<int>;
  struct Part {
    double coefficient;
    Orders orders;
  };
  struct Component {
    std::vector<Part> parts;  ///< one part with coefficient 1 unless collapsed
    int order;                ///< highest total order of a part
    [[nodiscard]] bool collapsed() const noexcept { return parts.size() > 1; }
  };
  struct ComposeTerm {
    double coefficient;
    int order;                 ///< k: which derivative of the function
    std::vector<int> factors;  ///< components of the inner function; k of them
  };
  struct ProductTerm {
    double coefficient;
    int left, right;
  };

  /// The smallest closed set with the wanted derivatives and combinations.
  ///   error    throws Error when a derivative has the wrong number of orders, a negative order or
  ///            a total order above max_order, when a combination has fewer than two parts or a
  ///            coefficient that is zero or not finite, or when it contains a derivative that is
  ///            needed on its own
  static constexpr int max_order = 11;  ///< adjoints need one derivative more of the activations
  JetSpec(int n_coordinates, std::span<const Orders> wanted,
          std::span<const std::vector<Part>> combinations = {});
  /// Values only.
  explicit JetSpec(int n_coordinates) : JetSpec(n_coordinates, {}) {}

  [[nodiscard]] int n_coordinates() const noexcept { return n_coordinates_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(components_.size()); }
  /// Highest total order; the functions must be differentiable one order beyond it for adjoints.
  [[nodiscard]] int order() const noexcept { return order_; }
  [[nodiscard]] const Component& component(int i) const {
    return components_[static_cast<std::size_t>(i)];
  }
  /// Component of a plain derivative, or -1.
  [[nodiscard]] int find(const Orders& orders) const noexcept;
  /// Component `component` of the coordinate itself as a function: 1 for its own first derivative
  /// (times its coefficient in a combination), 0 for every other derivative. Not for component 0.
  [[nodiscard]] double seed(int component, int coordinate) const noexcept {
    return seeds_[static_cast<std::size_t>(component * n_coordinates_ + coordinate)];
  }
  [[nodiscard]] std::span<const ComposeTerm> compose(int i) const {
    return compose_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::span<const ProductTerm> multiply(int i) const {
    return multiply_[static_cast<std::size_t>(i)];
  }

  /// For people: "u, u_x, u_y, u_xx + u_yy" with the given coordinate names.
  [[nodiscard]] std::string describe(std::span<const std::string> names) const;
  [[nodiscard]] bool operator==(const JetSpec& other) const noexcept;

 private:
  int n_coordinates_;
  int order_ = 0;
  std::vector<Component> components_;
  std::vector<double> seeds_;
  std::vector<std::vector<ComposeTerm>> compose_;
  std::vector<std::vector<ProductTerm>> multiply_;
};

}  // namespace cauchy
