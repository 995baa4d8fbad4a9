#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// A vector of expressions in Cartesian components.
class Vector {
 public:
  Vector() = default;
  Vector(std::initializer_list<Expr> components) : components_(components) {}
  explicit Vector(std::vector<Expr> components) : components_(std::move(components)) {}

  [[nodiscard]] std::size_t size() const noexcept { return components_.size(); }
  [[nodiscard]] const Expr& operator[](std::size_t i) const { return components_[i]; }
  [[nodiscard]] std::span<const Expr> components() const noexcept { return components_; }

 private:
  std::vector<Expr> components_;
};

/// Componentwise sum and difference; sizes must agree.
Vector operator+(const Vector& a, const Vector& b);
Vector operator-(const Vector& a, const Vector& b);
Vector operator-(const Vector& a);
Vector operator*(const Expr& a, const Vector& v);
Vector operator*(const Vector& v, const Expr& a);
Vector operator/(const Vector& v, const Expr& a);

/// The Cartesian coordinates of the domain, in order; time is not one of them.
using Space = std::vector<Expr>;

[[nodiscard]] Vector grad(const Expr& f, const Space& space);
/// The result remembers the divergence and its components as its written form.
[[nodiscard]] Expr div(const Vector& v, const Space& space);
/// In 3 dimensions; for the scalar curl v_x - u_y of a plane field use curl2.
[[nodiscard]] Vector curl(const Vector& v, const Space& space);
[[nodiscard]] Expr curl2(const Vector& v, const Space& space);
[[nodiscard]] Expr laplacian(const Expr& f, const Space& space);
[[nodiscard]] Vector laplacian(const Vector& v, const Space& space);
[[nodiscard]] Expr dot(const Vector& a, const Vector& b);
/// Squared Euclidean norm, dot(v, v).
[[nodiscard]] Expr norm2(const Vector& v);

}  // namespace cauchy
