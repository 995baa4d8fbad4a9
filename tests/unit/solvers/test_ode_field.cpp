#include <cmath>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/io/checkpoint.hpp>

#include "solvers/ode/ode_field.hpp"

namespace cauchy::detail::test_ode_field {
namespace {

std::shared_ptr<const Problem> in_time() {
  auto p = std::make_shared<Problem>();
  p->domain = Time(Coordinate("t"), 0, 2);
  p->fields = {"u"};
  return p;
}

/// u = t^3 until t = 1 and 1 beyond, with u_t as a component of its own.
OdeCubics broken() {
  OdeCubics c;
  c.n_components = 2;
  const auto add = [&](double t, double u, double v, double a) {
    const double y[] = {u, v}, dy[] = {v, a};
    c.add(t, y, dy);
  };
  add(0, 0, 0, 0);
  add(1, 1, 3, 6);
  add(1, 1, 0, 0);
  add(2, 1, 0, 0);
  return c;
}

TEST(OdeField, CubicsAreExactOnBothSidesOfAJump) {
  const Coordinate t("t");
  const Field u("u");
  const OdeField field(in_time(), "t", {{"u", 0, 2}}, broken());
  const Expr atoms[] = {u, d(u, t), d(u, t, t), d_n(u, t, 3)};
  const double points[] = {0.5, 1.5, 1.0, 2.0};
  double out[16];
  field.derivatives(atoms, points, out);
  const double expected[] = {0.125, 0.75, 3, 6, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  for (int k = 0; k < 16; ++k) EXPECT_NEAR(out[k], expected[k], 1e-14) << k;
}

TEST(OdeField, IsSavedAndLoadedToTheSameBits) {
  const Field u("u");
  const OdeField field(in_time(), "t", {{"u", 0, 2}}, broken());
  Checkpoint c;
  field.save(c);
  const auto back = OdeField::load(parse_checkpoint(checkpoint_bytes(c), "test"), in_time());
  const Expr atoms[] = {u};
  const double points[] = {0.3, 1.2};
  double a[2], b[2];
  field.derivatives(atoms, points, a);
  back->derivatives(atoms, points, b);
  EXPECT_EQ(a[0], b[0]);
  EXPECT_EQ(a[1], b[1]);
}

TEST(OdeField, RefusesWhatDoesNotFit) {
  OdeCubics unsorted = broken();
  std::swap(unsorted.nodes[0], unsorted.nodes[3]);
  EXPECT_THROW(OdeField(in_time(), "t", {{"u", 0, 2}}, unsorted), Error);
  EXPECT_THROW(OdeField(in_time(), "t", {{"u", 1, 2}}, broken()), Error);
  EXPECT_THROW(OdeField(in_time(), "s", {{"u", 0, 2}}, broken()), Error);
  OdeCubics short_of_values = broken();
  short_of_values.values.pop_back();
  EXPECT_THROW(OdeField(in_time(), "t", {{"u", 0, 2}}, short_of_values), Error);
}

}  // namespace
}  // namespace cauchy::detail::test_ode_field
