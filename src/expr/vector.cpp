#include <cauchy/expr/vector.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>

#include "expr/written_form.hpp"

namespace cauchy {
namespace {

void require_size(std::string_view what, std::size_t got, std::size_t expected) {
  if (got != expected) {
    throw Error(fmt::format("{} needs a vector of {} components, got {}", what, expected, got),
                "[expr.vector]");
  }
}

template <class Map>
Vector map_components(const Vector& v, Map map) {
  std::vector<Expr> out;
  for (std::size_t i = 0; i < v.size(); ++i) out.push_back(map(v[i], i));
  return Vector(std::move(out));
}

}  // namespace

Vector operator+(const Vector& a, const Vector& b) {
  require_size("a sum of vectors", b.size(), a.size());
  return map_components(a, [&](const Expr& e, std::size_t i) { return e + b[i]; });
}
Vector operator-(const Vector& a, const Vector& b) {
  require_size("a difference of vectors", b.size(), a.size());
  return map_components(a, [&](const Expr& e, std::size_t i) { return e - b[i]; });
}
Vector operator-(const Vector& a) { return Expr(-1) * a; }
Vector operator*(const Expr& a, const Vector& v) {
  return map_components(v, [&](const Expr& e, std::size_t) { return a * e; });
}
Vector operator*(const Vector& v, const Expr& a) { return a * v; }
Vector operator/(const Vector& v, const Expr& a) {
  return map_components(v, [&](const Expr& e, std::size_t) { return e / a; });
}

Vector grad(const Expr& f, const Space& space) {
  std::vector<Expr> out;
  for (const Expr& x : space) out.push_back(d(f, x));
  return Vector(std::move(out));
}

Expr div(const Vector& v, const Space& space) {
  require_size("div", v.size(), space.size());
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < space.size(); ++i) terms.push_back(plain(d(v[i], space[i])));
  return detail::written_divergence(sum(std::move(terms)), v.components(), space);
}

Vector curl(const Vector& v, const Space& space) {
  require_size("curl", v.size(), 3);
  require_size("curl", space.size(), 3);
  const auto component = [&](std::size_t i, std::size_t j) {
    return d(v[j], space[i]) - d(v[i], space[j]);
  };
  return {component(1, 2), component(2, 0), component(0, 1)};
}

Expr curl2(const Vector& v, const Space& space) {
  require_size("curl2", v.size(), 2);
  require_size("curl2", space.size(), 2);
  return d(v[1], space[0]) - d(v[0], space[1]);
}

Expr laplacian(const Expr& f, const Space& space) { return div(grad(f, space), space); }

Vector laplacian(const Vector& v, const Space& space) {
  return map_components(v, [&](const Expr& e, std::size_t) { return laplacian(e, space); });
}

Expr dot(const Vector& a, const Vector& b) {
  require_size("dot", b.size(), a.size());
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < a.size(); ++i) terms.push_back(a[i] * b[i]);
  return sum(std::move(terms));
}

Expr norm2(const Vector& v) { return dot(v, v); }

}  // namespace cauchy
